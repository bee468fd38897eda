/* operands.c - walks the operands of an instruction along its pattern in the grammar. */
#include "reader.h"

#include <string.h>

struct parameter_row {
    char letter;
    uint32_t value;
    const char *pattern;
};
static const struct parameter_row parameter_rows[] = {
#define SP_TABLE_OP(op, name, results, pattern, values)
#define SP_TABLE_PARAMETERS(letter, value, pattern) {letter, value, pattern},
#define SP_TABLE_NAME(letter, value, name)
#include "tables.inc"
#undef SP_TABLE_OP
#undef SP_TABLE_PARAMETERS
#undef SP_TABLE_NAME
};

/* ---- operands by pattern */

struct walk {
    const struct sp_reader *r;
    const struct sp_inst *inst;
    uint32_t at; /* the next operand word */
    sp_id_fn *each;
    void *user;
    const char *why;
    bool renumber; /* ids are still the module's own */
};

static bool walk_pattern(struct walk *w, const char *pattern);

uint32_t sp_string_words(const uint32_t *word, uint32_t limit)
{
    uint32_t i;
    for (i = 0; i < limit; i++) {
        uint32_t v = word[i];
        if (!(v & 0xffu) || !(v & 0xff00u) || !(v & 0xff0000u) || !(v & 0xff000000u)) return i + 1;
    }
    return 0;
}

const char *sp_string(struct sp_reader *r, const uint32_t *word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint32_t words = sp_string_words(word, 0xffff), i;
    char *text = sp_alloc(r, words, 4);
    for (i = 0; text && i < words * 4; i++) text[i] = (char)(word[i / 4] >> (i % 4 * 8));
    return text;
#else
    (void)r;
    return (const char *)word;
#endif
}

/* The words of a literal as wide as a type says: the result's for constants, the selector's for OpSwitch. 0: the type
 * is no number. The selector may be defined later, so its type is the one noted before all checks. */
static uint32_t literal_words(const struct sp_reader *r, const struct sp_inst *i)
{
    bool selects = i->op == SP_OP_Switch;
    const struct sp_type *t = sp_type(r->m, selects ? r->early_type[i->operand[0]] : i->type);
    if (!t || (t->kind != SP_INT && (t->kind != SP_FLOAT || selects))) return 0;
    return t->bits > 32 ? 2 : 1;
}

uint32_t sp_case_words(const struct sp_reader *r, const struct sp_inst *i) { return literal_words(r, i) + 1; }

static bool walk_id(struct walk *w, char letter)
{
    if (w->at >= w->inst->count) {
        w->why = "too few operands";
        return false;
    }
    if (w->renumber) {
        uint32_t *id = w->r->copy + (w->inst->operand - w->r->m->words) + w->at;
        *id = sp_new_number(w->r, *id);
    }
    if (w->inst->operand[w->at] == 0 || w->inst->operand[w->at] >= w->r->m->bound) {
        w->why = "an id is not below the bound";
        return false;
    }
    if (w->each && !w->each(w->user, w->at, letter)) return false;
    w->at++;
    return true;
}

static bool walk_words(struct walk *w, uint32_t count)
{
    if (w->inst->count - w->at < count) {
        w->why = "too few operands";
        return false;
    }
    w->at += count;
    return true;
}

static bool walk_literal(struct walk *w)
{
    uint32_t count = literal_words(w->r, w->inst);
    if (count == 0) {
        w->why = "the type of its literal is not a number";
        return false;
    }
    return walk_words(w, count);
}

static bool walk_string(struct walk *w)
{
    uint32_t count = sp_string_words(w->inst->operand + w->at, (uint32_t)w->inst->count - w->at);
    if (count == 0) {
        w->why = "a string without an end";
        return false;
    }
    w->at += count;
    return true;
}

static const char *parameters_of(char letter, uint32_t value)
{
    size_t i;
    for (i = 0; i < SP_COUNT(parameter_rows); i++)
        if (parameter_rows[i].letter == letter && parameter_rows[i].value == value) return parameter_rows[i].pattern;
    return "";
}

/* An enumerant or mask, then the parameters of its value or bits. */
static bool walk_enumerant(struct walk *w, char letter)
{
    uint32_t value, bit;
    if (!walk_words(w, 1)) return false;
    value = w->inst->operand[w->at - 1];
    if (letter == 'D' || letter == 'E') return walk_pattern(w, parameters_of(letter, value));
    for (bit = 0; bit < 32; bit++)
        if (value >> bit & 1 && !walk_pattern(w, parameters_of(letter, 1u << bit))) return false;
    return true;
}

static bool walk_spec_op(struct walk *w)
{
    const struct sp_op_row *row;
    if (!walk_words(w, 1)) return false;
    row = sp_op_find(w->inst->operand[w->at - 1]);
    if (!row || row->op == SP_OP_SpecConstantOp) {
        w->why = "an unknown operation";
        return false;
    }
    return walk_pattern(w, row->pattern);
}

static bool walk_one(struct walk *w, char letter)
{
    switch (letter) {
    case 'i':
    case 's':
    case 'm': return walk_id(w, letter);
    case 'n':
    case 'e':
    case 'X': return walk_words(w, 1);
    case 'N': return walk_literal(w);
    case 'S': return walk_string(w);
    case 'O': return walk_spec_op(w);
    case 'P': return walk_literal(w) && walk_id(w, 'i');
    case 'Q': return walk_id(w, 'i') && walk_words(w, 1);
    case 'R': return walk_id(w, 'i') && walk_id(w, 'i');
    default: return walk_enumerant(w, letter);
    }
}

/* OpExtInst: in the grammar, its operands are ids, but some of OpenCL.std's, and many of debug sets, are literals. */
static bool walk_ext(struct walk *w)
{
    const struct sp_reader *r = w->r;
    uint32_t literals = w->inst->operand[0] == r->m->opencl_std ? sp_ext_literals(w->inst->operand[1]) : 0xffff;
    while (w->inst->count - w->at > literals)
        if (!walk_id(w, 'i')) return false;
    w->at = w->inst->count;
    return true;
}

static bool walk_pattern(struct walk *w, const char *pattern)
{
    const char *p;
    for (p = pattern; *p; p++) {
        char letter = *p;
        if (p[1] == '?' || p[1] == '*') {
            bool many = *++p == '*';
            if (w->inst->op == SP_OP_ExtInst) return walk_ext(w);
            while (w->at < w->inst->count) {
                if (!walk_one(w, letter)) return false;
                if (!many) break;
            }
        } else if (!walk_one(w, letter)) {
            return false;
        }
    }
    return true;
}

bool sp_is_value_operand(const struct sp_inst *i, uint32_t k)
{
    if (i->op == SP_OP_Phi) return k % 2 == 0;
    return sp_op_find(i->op)->values >> (k < 7 ? k : 7) & 1;
}

bool sp_each_id(const struct sp_reader *r, const struct sp_inst *i, sp_id_fn *each, void *user)
{
    struct walk w = {r, i, 0, each, user, NULL, false};
    return walk_pattern(&w, sp_op_find(i->op)->pattern);
}

bool sp_decode_one(struct sp_reader *r, uint32_t at, struct sp_inst *i)
{
    const struct sp_module *m = r->m;
    const uint32_t *w = m->words + at;
    uint32_t words = w[0] >> 16, head = 1;
    const struct sp_op_row *row = sp_op_find(w[0] & 0xffff);
    memset(i, 0, sizeof *i);
    i->op = (uint16_t)(w[0] & 0xffff);
    i->word = at;
    i->line = r->line;
    if (!row) return sp_refuse(r, i, "opcode %u", w[0] & 0xffff);
    if (row->results & 1 && words > head) i->type = w[head++];
    if (row->results & 2 && words > head) i->id = w[head++];
    if (((row->results & 1) && !sp_type(m, i->type))) return sp_refuse(r, i, "its result type is not a type");
    if ((row->results & 2) && (i->id == 0 || i->id >= m->bound))
        return sp_refuse(r, i, "its result id is not below the bound");
    i->operand = w + head;
    i->count = (uint16_t)(words - head);
    {
        struct walk k = {r, i, 0, NULL, NULL, NULL, r->copy != NULL};
        if (!walk_pattern(&k, row->pattern))
            return sp_refuse(r, i, "operand %u: %s", k.at, k.why ? k.why : "malformed");
        if (k.at != i->count) return sp_refuse(r, i, "%u operand words too many", i->count - k.at);
    }
    return true;
}
