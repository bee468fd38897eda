/* iga.c - reads IGA's disassembly of a kernel: one instruction per line, with labels that give byte offsets, so that
 * misread or missing lines are detected at the next label.
 *
 *     (~f1.0) cmp (16|M0)   (lt)f0.0   null<1>:d     r7.0<1;1,0>:ud    r1.6<0;1,0>:ud   {I@6}
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "spirv/host_state.h"

static const struct {
    const char *name;
    uint8_t sources;
    enum { alu, dpas, send, sync, nothing, jump, flow, call, refused } how;
} operations[XE_OPERATION_COUNT] = {
#define X(name, sources, how) [XE_##name] = {#name, sources, how},
    XE_OPERATIONS(X)
#undef X
};

struct cursor {
    const char *at;
    const char *why; /* the first error */
    const struct xe_family *family;
};

static void wrong(struct cursor *c, const char *why)
{
    if (!c->why) c->why = why;
}

/* ---- words */

static void skip(struct cursor *c)
{
    while (*c->at == ' ' || *c->at == '\t') c->at++;
}

static bool take(struct cursor *c, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(c->at, text, n) != 0) return false;
    c->at += n;
    return true;
}

static void want(struct cursor *c, const char *text)
{
    if (!take(c, text)) wrong(c, text);
}

static uint32_t number(struct cursor *c)
{
    char *end;
    unsigned long n = strtoul(c->at, &end, 10);
    if (!isdigit((unsigned char)*c->at) || n > 1u << 30) {
        wrong(c, "a number");
        return 0;
    }
    c->at = end;
    return (uint32_t)n;
}

/* The length of a name of letters and digits. */
static size_t word(const struct cursor *c, const char *also)
{
    size_t n = 0;
    while (isalnum((unsigned char)c->at[n]) || (c->at[n] && strchr(also, c->at[n]))) n++;
    return n;
}

static bool is_word(const char *at, size_t n, const char *name) { return strlen(name) == n && !strncmp(at, name, n); }

static uint8_t type_name(struct cursor *c)
{
    size_t n = word(c, "");
    for (uint8_t t = 0; t < XE_TYPES; t++) {
        if (!is_word(c->at, n, xe_types[t].name)) continue;
        c->at += n;
        return t;
    }
    wrong(c, "a type");
    return XE_UD;
}

/* ---- registers */

static const struct {
    const char *name;
    uint32_t at, count, bytes, unit; /* bytes 0: a register's; unit of the number after the point, 0: the type's size */
} files[] = {
    {"acc", AT_ACC, 16, 0, 0},
    {"msg", AT_MESSAGE, 1, 16, 0},
    {"cr", AT_CONTROL, 1, 16, 0},
    {"sr", AT_STATE, 1, 16, 0},
    {"tm", AT_OTHER, 1, 64, 0},
    {"ce", AT_OTHER, 1, 64, 0},
    {"a", AT_ADDRESS, 1, ADDRESS_BYTES, 0},
    {"f", AT_FLAG, 4, 4, 2},
    {"s", AT_SCALAR, 2, SCALAR_BYTES / 2, 0},
    {"r", AT_GRF, MOST_GRFS, 0, 0},
};
enum { FILES = sizeof files / sizeof files[0], GRF_FILE = FILES - 1 };

struct name { /* r12.4, before the type is known */
    size_t file;
    uint32_t number, sub;
};

static bool register_name(struct cursor *c, struct name *r)
{
    for (r->file = 0; r->file < FILES; r->file++) {
        size_t n = strlen(files[r->file].name);
        if (strncmp(c->at, files[r->file].name, n) != 0 || !isdigit((unsigned char)c->at[n])) continue;
        c->at += n;
        r->number = number(c);
        r->sub = 0;
        if (take(c, ".mme"))
            number(c); /* skips further digits */
        else if (!take(c, ".nomme") && take(c, "."))
            r->sub = number(c);
        if (r->number >= (r->file == GRF_FILE ? c->family->grfs : files[r->file].count))
            wrong(c, "a register that there is");
        return !c->why;
    }
    return false;
}

static void place_register(struct cursor *c, const struct name *r, struct xe_operand *o)
{
    uint32_t unit = files[r->file].unit ? files[r->file].unit : (xe_types[o->type].bits + 7u) / 8;
    uint32_t bytes = files[r->file].bytes ? files[r->file].bytes : c->family->grf_bytes;
    if (r->sub * unit >= bytes * (r->file == GRF_FILE ? 1 : 2)) wrong(c, "a part of a register that there is");
    o->where = XE_REGISTER;
    o->at = files[r->file].at + r->number * bytes + r->sub * unit;
}

/* <1>, <8;8,1>, <1;0> with three sources, <1,0> for indirect operands. */
static void region(struct cursor *c, struct xe_operand *o)
{
    uint32_t n[3] = {1, 1, 0}, count = 0, width = 1;
    char first = 0;
    o->row = o->column = 1;
    if (!take(c, "<")) return;
    do {
        if (count == 1) first = c->at[-1];
        n[count++] = number(c);
    } while (count < 3 && (take(c, ";") || take(c, ",")));
    want(c, ">");
    o->row = (uint16_t)n[0];
    o->column = (uint16_t)n[count - 1];
    if (count == 3) width = n[1];
    if (count == 2 && first == ';') width = n[1] ? n[0] / n[1] : 1;
    if (count == 2 && first == ',') o->across = true, width = n[0], o->row = 0;
    if (!width || width > 32 || (width & (width - 1)) || n[0] > 32 || n[count - 1] > 32) wrong(c, "a region");
    while (width > 1u << o->width_shift) o->width_shift++;
}

static bool indirect(struct cursor *c, struct xe_operand *o)
{
    if (!take(c, "r[a0.")) return false;
    o->where = XE_INDIRECT;
    o->at = AT_ADDRESS + 2 * number(c);
    if (o->at >= AT_SCALAR) wrong(c, "an address register that there is");
    if (take(c, ",")) {
        bool minus = take(c, "-");
        o->offset = (int32_t)number(c) * (minus ? -1 : 1);
    }
    want(c, "]");
    return true;
}

/* ---- immediates */

static double special_float(struct cursor *c, bool *found, uint64_t *payload)
{
    *found = true;
    if (take(c, "inf")) return INFINITY;
    bool signals = take(c, "snan"); /* its bits are those of infinity and the payload */
    if (signals || take(c, "qnan") || take(c, "nan")) {
        if (take(c, "(")) {
            char *end;
            *payload = strtoull(c->at, &end, 0);
            c->at = end;
            want(c, ")");
        }
        return signals ? INFINITY : NAN;
    }
    *found = false;
    return 0;
}

static void immediate(struct cursor *c, struct xe_operand *o)
{
    bool minus = take(c, "-"), special = false, hex = !strncmp(c->at, "0x", 2);
    uint64_t bits = 0, payload = 0;
    double value = hex ? 0 : special_float(c, &special, &payload);
    const char *digits = c->at;
    const char *end = c->at;
    if (hex)
        bits = strtoull(c->at, (char **)(uintptr_t)&end, 16);
    else if (!special)
        value = sp_real_read(c->at, &end);
    if (!special && end == c->at) wrong(c, "an operand");
    c->at = end;
    want(c, ":");
    o->where = XE_IMMEDIATE;
    o->type = type_name(c);
    if (hex)
        o->bits = minus ? 0 - bits : bits;
    else if (xe_is_float(o->type))
        o->bits = xe_encode(o->type, minus ? -value : value, false) | payload;
    else
        o->bits = minus ? 0 - strtoull(digits, NULL, 10) : strtoull(digits, NULL, 10);
}

/* ---- operands */

static void operand(struct cursor *c, struct xe_operand *o)
{
    struct name r;
    skip(c);
    memset(o, 0, sizeof *o);
    if (take(c, "null")) {
        o->where = XE_NULL;
        if (take(c, ".")) number(c);
        region(c, o);
        if (take(c, ":")) o->type = isdigit((unsigned char)*c->at) ? (number(c), XE_UD) : type_name(c);
        return;
    }
    const char *begin = c->at;
    o->negate = take(c, "-") || take(c, "~");
    o->absolute = take(c, "(abs)");
    if (indirect(c, o)) {
        region(c, o);
        want(c, ":");
        o->type = type_name(c);
    } else if (register_name(c, &r)) {
        region(c, o);
        o->type = take(c, ":") ? type_name(c) : XE_UD;
        place_register(c, &r, o);
    } else {
        o->negate = o->absolute = false;
        c->at = begin;
        immediate(c, o);
    }
}

static uint32_t label(struct cursor *c)
{
    skip(c);
    want(c, "L");
    return number(c);
}

/* ---- prefixes of operands ---------- */

static void flag_name(struct cursor *c, uint16_t *flag)
{
    uint32_t n, sub;
    want(c, "f");
    n = number(c);
    want(c, ".");
    sub = number(c);
    if (n > 3 || sub > 1) wrong(c, "a flag that there is");
    *flag = (uint16_t)(n * 32 + sub * 16);
}

/* 8h */
static uint8_t group_of_lanes(struct cursor *c)
{
    uint32_t n = number(c);
    want(c, "h");
    if (n < 2 || n > MAX_LANES || (n & (n - 1))) wrong(c, "a group of lanes");
    return (uint8_t)n;
}

static void predicate(struct cursor *c, struct xe_instruction *i)
{
    if (!take(c, "(")) return;
    i->everywhere = take(c, "W");
    if (i->everywhere && take(c, ")")) return;
    if (i->everywhere) want(c, "&");
    i->predicated = true;
    i->inverted = take(c, "~");
    flag_name(c, &i->predicate);
    if (take(c, ".any"))
        i->any_of = group_of_lanes(c);
    else if (take(c, ".all"))
        i->all_of = group_of_lanes(c);
    want(c, ")"); /* refuses other forms, such as anyv */
}

static const struct {
    const char *name;
    uint8_t function;
} functions[] = {
    {"inv", XE_INV},      {"log", XE_LOG},
    {"exp", XE_EXP},      {"sqt", XE_SQT},
    {"rsqt", XE_RSQT},    {"sin", XE_SIN},
    {"cos", XE_COS},      {"pow", XE_POW},
    {"fdiv", XE_FDIV},    {"invm", XE_INVM},
    {"rsqtm", XE_RSQTM},  {"tanh", XE_TANH},
    {"sigm", XE_SIGM},    {"iqot", XE_IQOT},
    {"irem", XE_IREM},    {"nop", 0},
    {"allrd", 0},         {"allwr", 0},
    {"fence", 0},         {"host", 0},
    {"bar", XE_SYNC_BAR}, {"b", XE_TO_TARGET_FIRST},
};

static const struct {
    const char *name;
    uint8_t unit;
} units[] = {
    {"ugm", XE_UGM}, {"ugml", XE_UGM}, {"slm", XE_SLM}, {"gtwy", XE_GATEWAY}, {"dc0", XE_DC0}, {"dc1", XE_DC1},
};

/* The suffix after the operation's point: .8x8 of dpas, .0xF8 of bfn, a unit, a function. */
static void suffix(struct cursor *c, struct xe_instruction *i)
{
    size_t n = word(c, "_");
    const char *at = c->at;
    c->at += n;
    if ((i->operation == XE_dpas || i->operation == XE_bdpas) && n == 3) {
        i->depth = (uint8_t)(at[0] - '0');
        i->passes = (uint8_t)(at[2] - '0');
        if (i->depth != 8 || !i->passes || i->passes > 8) i->operation = XE_unknown;
        return;
    }
    if (i->operation == XE_bfn) {
        i->function = (uint8_t)strtoul(at, NULL, 16);
        return;
    }
    for (size_t k = 0; i->operation == XE_send && k < sizeof units / sizeof units[0]; k++)
        if (is_word(at, n, units[k].name)) i->send.unit = units[k].unit;
    if (i->operation == XE_send) return;
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        if (!is_word(at, n, functions[k].name)) continue;
        i->function = functions[k].function;
        return;
    }
    i->operation = XE_unknown;
}

static void operation(struct cursor *c, struct xe_instruction *i)
{
    size_t n = word(c, "_");
    i->operation = XE_unknown;
    for (uint8_t k = 0; k < XE_unknown; k++)
        if (is_word(c->at, n, operations[k].name)) i->operation = k;
    if (!n) wrong(c, "an operation");
    i->send.is_wide = i->operation == XE_sendg;
    if (i->operation == XE_sendc || i->operation == XE_sendg) i->operation = XE_send;
    c->at += n;
    if (take(c, ".")) suffix(c, i);
}

/* (16|M0) */
static void lanes(struct cursor *c, struct xe_instruction *i)
{
    uint32_t n;
    skip(c);
    i->lanes = 1;
    if (*c->at != '(' || !isdigit((unsigned char)c->at[1])) return;
    c->at++;
    n = number(c);
    want(c, "|M");
    i->first = (uint8_t)number(c);
    want(c, ")");
    if (!n || n > MAX_LANES || (n & (n - 1)) || n + i->first > MAX_LANES) wrong(c, "fewer lanes");
    i->lanes = (uint8_t)n;
}

static void condition(struct cursor *c, struct xe_instruction *i)
{
    static const char *const names[] = {"", "(eq)", "(ne)", "(gt)", "(ge)", "(lt)", "(le)", "(ov)", "(un)", "(eo)"};
    skip(c);
    for (uint8_t k = 1; k < sizeof names / sizeof names[0]; k++) {
        if (!take(c, names[k])) continue;
        i->condition = k;
        flag_name(c, &i->flag);
        i->flagged = true;
        skip(c);
        break;
    }
    i->saturate = take(c, "(sat)");
}

/* ---- whole instructions */

static void from_address(struct cursor *c, struct xe_instruction *i)
{
    uint32_t at = number(c) * 4;
    if (at > AT_SCALAR - AT_ADDRESS - 4) wrong(c, "an address register that there is");
    i->send.from_address = (uint8_t)(at + 1);
}

static uint32_t descriptor(struct cursor *c, struct xe_instruction *i, bool extended)
{
    char *end;
    unsigned long long v;
    skip(c);
    if (extended && take(c, "a0.")) {
        from_address(c, i);
        return 0;
    }
    v = strtoull(c->at, &end, 0);
    if (end == c->at || v > UINT32_MAX) wrong(c, "a descriptor");
    c->at = end;
    if (extended && take(c, ":a0.")) from_address(c, i);
    return (uint32_t)v;
}

static void second_payload(struct cursor *c, struct xe_instruction *i)
{
    struct name r;
    if (!take(c, "null")) {
        if (!register_name(c, &r))
            wrong(c, "a register");
        else
            place_register(c, &r, &i->from[1]);
    }
    if (take(c, ":")) i->send.second_length = (uint8_t)number(c);
}

/* r8 r61:1 null:0 s0.16 0x100000005000; null r[s0.0]:5 0x9104 */
static void wide_send_operands(struct cursor *c, struct xe_instruction *i)
{
    struct name r;
    char *end;
    skip(c);
    if (take(c, "r[s0.")) {
        i->send.gathered = true;
        i->from[0].at = number(c); /* byte of the scalar register with the numbers of the registers */
        want(c, "]");
    } else if (!register_name(c, &r))
        wrong(c, "a register");
    else
        place_register(c, &r, &i->from[0]);
    want(c, ":");
    i->send.first_length = (uint8_t)number(c);
    if (i->send.first_length > MOST_GATHERED) wrong(c, "fewer registers");
    skip(c);
    if (!i->send.gathered) second_payload(c, i);
    skip(c);
    if (take(c, "s0.")) {
        uint32_t at = number(c);
        if (at > SCALAR_BYTES - 8) wrong(c, "a scalar register that there is");
        i->send.base = (uint8_t)(at + 1);
        skip(c);
    }
    i->send.wide = strtoull(c->at, &end, 0);
    if (end == c->at) wrong(c, "a descriptor");
    c->at = end;
    i->send.descriptor = (uint32_t)i->send.wide;
}

static void send_operands(struct cursor *c, struct xe_instruction *i)
{
    operand(c, &i->to);
    if (i->send.is_wide) {
        wide_send_operands(c, i);
        return;
    }
    skip(c);
    if (take(c, "r[s0.")) {
        i->send.gathered = true;
        i->from[0].at = number(c); /* byte of the scalar register with the numbers of the payload's registers */
        want(c, "]");
    } else {
        operand(c, &i->from[0]);
        skip(c);
        memset(&i->from[1], 0, sizeof i->from[1]);
        second_payload(c, i);
    }
    i->send.extended = descriptor(c, i, true);
    if (i->from[1].where == XE_REGISTER && !i->send.second_length)
        i->send.second_length = i->send.extended >> 6 & 31; /* written there only on Xe-LP */
    i->send.descriptor = descriptor(c, i, false);
}

static void alu_operands(struct cursor *c, struct xe_instruction *i)
{
    uint32_t sources = operations[i->operation].sources;
    operand(c, &i->to);
    if (i->operation == XE_math)
        sources = i->function == XE_POW || i->function == XE_FDIV || i->function == XE_INVM || i->function == XE_IQOT ||
                          i->function == XE_IREM
                      ? 2
                      : 1;
    for (uint32_t k = 0; k < sources; k++) operand(c, k < 3 ? &i->from[k] : &i->scales[k - 3]);
    if (i->to.where == XE_IMMEDIATE) wrong(c, "a register to write to");
}

static void operands(struct cursor *c, struct xe_instruction *i)
{
    switch (operations[i->operation].how) {
    case alu:
    case dpas: alu_operands(c, i); break;
    case send: send_operands(c, i); break;
    case jump: i->jump = label(c); break;
    case flow:
        i->jump = i->update = label(c);
        skip(c);
        if (*c->at == 'L') i->update = label(c);
        break;
    case call:
        operand(c, i->operation == XE_ret ? &i->from[0] : &i->to);
        if (i->operation == XE_calla) operand(c, &i->from[0]);
        if (i->operation == XE_call) i->jump = label(c);
        break;
    default: /* of sync */
        skip(c);
        if (i->function == XE_SYNC_BAR && take(c, "0x")) i->barrier = (uint8_t)(strtoul(c->at, NULL, 16) % XE_BARRIERS);
        c->at += strlen(c->at);
    }
}

/* Where the file of registers ends in which this byte is. */
static uint32_t end_of_file(uint32_t at)
{
    static const uint32_t ends[] = {AT_ACC,   AT_FLAG,    AT_ADDRESS, AT_SCALAR, AT_CONTROL,
                                    AT_STATE, AT_MESSAGE, AT_OTHER,   AT_STAGE};
    uint32_t k = 0;
    while (k + 1 < sizeof ends / sizeof ends[0] && at >= ends[k]) k++;
    return ends[k];
}

/* Are all lanes of an operand inside its file of registers? */
static bool fits(const struct xe_instruction *i, const struct xe_operand *o)
{
    uint32_t rows = (i->lanes - 1u) >> o->width_shift, columns = (1u << o->width_shift) - 1;
    uint32_t last = rows * o->row + (i->lanes - 1u < columns ? i->lanes - 1u : columns) * o->column;
    if (o->where != XE_REGISTER) return true;
    return o->at + (last + 1) * ((xe_types[o->type].bits + 7u) / 8) <= end_of_file(o->at);
}

static void options(char *from, struct xe_instruction *i)
{
    char *open = strchr(from, '{');
    if (!open) return;
    i->compacted = strstr(open, "Compacted") != NULL;
    i->atomic = strstr(open, "Atomic") != NULL;
    i->send.end = strstr(open, "EOT") != NULL;
    i->to_accumulator = strstr(open, "AccWrEn") != NULL;
    *open = 0;
}

static void instruction(struct cursor *c, struct xe_instruction *i)
{
    predicate(c, i);
    skip(c);
    operation(c, i);
    if (i->operation == XE_unknown) return; /* ignores what follows */
    lanes(c, i);
    condition(c, i);
    operands(c, i);
    skip(c);
    if (*c->at) wrong(c, "the end of the line");
    if (operations[i->operation].how != alu) return;
    if (i->operation == XE_mach && c->family->mach_is_macl && !i->to_accumulator) i->operation = XE_macl;
    if (!fits(i, &i->to) || !fits(i, &i->from[0]) || !fits(i, &i->from[1]) || !fits(i, &i->from[2]))
        wrong(c, "operands within the registers");
}

/* ---- the text */

static struct xe_instruction *append(struct xe_code *code, uint32_t *room)
{
    if (code->count == *room) {
        uint32_t more = *room ? 2 * *room : 256;
        struct xe_instruction *bigger = realloc(code->list, more * sizeof *bigger);
        if (!bigger) return NULL;
        code->list = bigger;
        *room = more;
    }
    memset(&code->list[code->count], 0, sizeof *code->list);
    return &code->list[code->count++];
}

static const char *parse_line(const struct xe_family *family, struct xe_code *code, char *line, uint32_t *room)
{
    char *comment = strstr(line, "//"), work[1024];
    struct cursor c = {work, NULL, family};
    struct xe_instruction *i;
    if (strlen(line) >= sizeof work) return "a shorter line";
    strcpy(work, line);
    if (comment) work[comment - line] = 0;
    skip(&c);
    if (!*c.at) return NULL;
    if (*c.at == 'L' && strchr(c.at, ':')) {
        c.at++;
        if (number(&c) != code->bytes) wrong(&c, "instructions as long as the label says");
        return c.why;
    }
    i = append(code, room);
    if (!i) return "memory";
    options(work, i);
    instruction(&c, i);
    i->class = xe_class_of(i);
    i->offset = code->bytes;
    i->line = (uint32_t)(line - code->text);
    i->site.text = line + strspn(line, " ");
    code->bytes += i->compacted ? 8 : 16;
    return c.why;
}

/* On Xe-HPG, whose products have 8 lanes, each of those that belong together ({Atomic}) reads its sums before those in
 * front of it are written. So what IGC puts there, a product of anything with the sums' registers as its result, leaves
 * nothing behind. On later targets such products are of one sum, one after the other. */
static void find_overwritten(struct xe_code *code)
{
    for (uint32_t k = 0; k + 1 < code->count; k++) {
        struct xe_instruction *i = &code->list[k];
        const struct xe_instruction *next = i + 1;
        i->overwritten = i->operation == XE_dpas && i->atomic && i->lanes == 8 && next->operation == XE_dpas &&
                         i->to.where == XE_REGISTER && next->to.where == XE_REGISTER && i->to.at == next->to.at &&
                         i->to.type == next->to.type && i->passes <= next->passes && i->lanes <= next->lanes &&
                         !next->predicated;
    }
}

bool xe_parse(const char *text, size_t size, const struct xe_family *family, struct xe_code *code, struct sp_text *log)
{
    uint32_t room = 0, number_of_line = 1;
    const char *why = NULL;
    char *line, *end;
    memset(code, 0, sizeof *code);
    code->text = size < 1u << 28 ? malloc(size + 1) : NULL;
    if (!code->text) return false;
    memcpy(code->text, text, size);
    code->text[size] = 0;
    for (line = code->text; line && *line && !why; line = end, number_of_line++) {
        end = strchr(line, '\n');
        if (end) *end++ = 0;
        why = parse_line(family, code, line, &room);
        if (why) sp_text_add(log, "disassembly, line %u: expected %s: %.200s\n", number_of_line, why, line);
    }
    find_overwritten(code);
    if (!why && code->count) return true;
    if (!why) sp_text_add(log, "disassembly: no instructions\n");
    xe_code_free(code);
    return false;
}

void xe_code_free(struct xe_code *code)
{
    free(code->list);
    free(code->text);
    memset(code, 0, sizeof *code);
}

uint32_t xe_find(const struct xe_code *code, uint32_t offset, bool covers)
{
    uint32_t low = 0, high = code->count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (code->list[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    if (!code->count || offset >= code->bytes || (!covers && code->list[low].offset != offset)) return UINT32_MAX;
    return low;
}
