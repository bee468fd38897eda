/* core.c - words, ids, unique types and constants, and the function that checks and writes instructions. This runs for
 * every instruction, so it is optimised even where the other bodies are not. */
#include "internal.h"

/* Extends a buffer by `count` words and returns a pointer to them, NULL if out of memory. */
XE_FN_ uint32_t *spe_push_(spe_module *m, int which, size_t count)
{
    spe_buffer_ *b = &m->buffer[which];
    if (SPE_UNLIKELY_(b->count + count > b->capacity) &&
        !spe_grow_(m, &b->data, &b->capacity, b->count + count, sizeof(uint32_t),
                   which == SPE_BUFFER_BODY_ ? 16384 : 128))
        return NULL;
    b->count += count;
    return b->data + b->count - count;
}

/* Appends an instruction with `count` operand words to a section; returns a pointer to the operands. */
XE_FN_ uint32_t *spe_put_(spe_module *m, int section, uint32_t op, size_t count)
{
    uint32_t *at = NULL;
    if (m->error.id) return NULL;
    if (SPE_UNLIKELY_(m->finished)) spe_error_(m, SPE_ERR_FINISHED, "the module is finished: nothing can be added");
    else if (SPE_UNLIKELY_(count > 65534))
        spe_error_(m, SPE_ERR_LIMIT, "an instruction of %zu words; SPIR-V allows 65535", count + 1);
    else at = spe_push_(m, section, count + 1);
    if (!at) return NULL;
    *at = (uint32_t)(count + 1) << 16 | op;
    return at + 1;
}

/* Writes an instruction of n words, given as arguments. */
XE_FN_ bool spe_write_(spe_module *m, int section, uint32_t op, int n, ...)
{
    uint32_t *at = spe_put_(m, section, op, (size_t)n);
    va_list words;
    va_start(words, n);
    while (at && n--) *at++ = va_arg(words, uint32_t);
    va_end(words);
    return at != NULL;
}

/* Writes an instruction whose words are in two arrays. */
XE_FN_ bool spe_write_words_(spe_module *m, int section, uint32_t op, uint32_t n, const uint32_t *words, uint32_t more,
                      const uint32_t *rest)
{
    uint32_t *at = spe_put_(m, section, op, (size_t)n + more);
    if (at) memcpy(at, words, n * sizeof *at);
    if (at && more) memcpy(at + n, rest, more * sizeof *at);
    return at != NULL;
}

/* A new id: at depth 0 usable everywhere, else a value of that open scope. 0 if out of memory. */
XE_FN_ spe_id spe_new_id_(spe_module *m, spe_id type, uint32_t flags, uint32_t depth)
{
    if (SPE_UNLIKELY_(m->id_count >= m->id_capacity)) {
        if (m->id_count >= 0x3fffff) return spe_error_(m, SPE_ERR_LIMIT, "more than 4194303 ids");
        if (!spe_grow_(m, &m->ids, &m->id_capacity, m->id_count + 1, sizeof *m->ids, 2048)) return 0;
    }
    spe_record_ *r = &m->ids[m->id_count];
    r->type = type;
    r->aux = 0;
    r->depth = (uint16_t)depth;
    r->flags = (uint16_t)flags;
    r->serial = m->buffer[SPE_BUFFER_SCOPES_].data[depth];
    return (spe_id)m->id_count++;
}

XE_FN_ spe_id spe_new_label_(spe_module *m) { return spe_new_id_(m, 0, 0, 0); }

/* Of the current position. */
XE_FN_ uint32_t spe_depth_(const spe_module *m)
{
    return m->in_prologue ? 1 : (uint32_t)m->buffer[SPE_BUFFER_SCOPES_].count - 1;
}

/* NULL: no type. */
XE_FN_ const spe_type_info *spe_info_(const spe_module *m, spe_id type)
{
    return type && type < m->id_count && (m->ids[type].flags & SPE_ID_TYPE_) ? &m->types[m->ids[type].aux] : NULL;
}

/* The description of a type operand; NULL and an error of the call `name` if it is not a type. */
XE_FN_ const spe_type_info *spe_want_type_(spe_module *m, const char *name, spe_id type)
{
    const spe_type_info *t = m->error.id ? NULL : spe_info_(m, type);
    if (!t) m->doing = name, spe_error_(m, SPE_ERR_NO_TYPE, "%u is not the id of a type", type);
    return t;
}

spe_id spe_type_of(const spe_module *m, spe_id value) { return value && value < m->id_count ? m->ids[value].type : 0; }

spe_id spe_scalar_of(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (!t) return 0;
    return t->kind == SPE_KIND_VECTOR || t->kind >= SPE_KIND_COOPMAT ? t->elem : type;
}

uint32_t spe_width(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, spe_scalar_of(m, type));
    return t ? t->bits : 0;
}

uint32_t spe_count(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (!t) return 0;
    return t->kind == SPE_KIND_VECTOR ? t->count : t->bits ? 1 : 0;
}

/* -- types and constants: a hash table from an instruction without its result to its id -------------------------- */

static uint32_t spe_hash_(uint32_t op, uint32_t n, const uint32_t *w)
{
    uint32_t h = op * 0x9e3779b1u;
    while (n--) h = (h ^ *w++) * 0x85ebca6bu;
    return h ^ h >> 15;
}

/* Does the instruction at `at` have these words? The result id, word 1 of a type and 2 of a constant, is left out. */
static bool spe_same_(const uint32_t *at, uint32_t head, bool constant, uint32_t n, const uint32_t *w)
{
    if (*at++ != head) return false;
    if (constant && n--) {
        if (*at++ != *w++) return false;
    }
    while (n--) {
        if (*++at != *w++) return false;
    }
    return true;
}

/* Doubles the slots and refills them from the list of (hash, offset) pairs. */
static bool spe_rehash_(spe_module *m)
{
    spe_buffer_ *slots = &m->buffer[SPE_BUFFER_SLOTS_], *list = &m->buffer[SPE_BUFFER_UNIQUE_];
    size_t old = slots->count, size = old ? old * 2 : 256;
    if (!spe_push_(m, SPE_BUFFER_SLOTS_, size - old)) return false;
    memset(slots->data, 0, size * sizeof *slots->data);
    for (size_t i = 0; i < list->count; i += 2) {
        size_t slot = list->data[i] & (size - 1);
        while (slots->data[slot]) slot = (slot + 1) & (size - 1);
        slots->data[slot] = (uint32_t)(i + 1);
    }
    return true;
}

/* The id of the type or constant (see flags) with these words, created if it is new: then it is the next id. For
 * constants, w[0] is the type. */
XE_FN_ spe_id spe_unique_(spe_module *m, uint32_t op, uint32_t flags, uint32_t n, const uint32_t *w)
{
    const spe_buffer_ *slots = &m->buffer[SPE_BUFFER_SLOTS_], *list = &m->buffer[SPE_BUFFER_UNIQUE_];
    bool constant = flags != SPE_ID_TYPE_;
    uint32_t h = spe_hash_(op, n, w), *at, *pair;
    size_t slot;
    if (SPE_UNLIKELY_(m->error.id)) return 0;
    if (SPE_UNLIKELY_(m->finished))
        return spe_error_(m, SPE_ERR_FINISHED, "the module is finished: nothing can be added");
    if (list->count >= slots->count && !spe_rehash_(m)) return 0; /* two words per entry: at most half full */
    for (slot = h & (slots->count - 1); slots->data[slot]; slot = (slot + 1) & (slots->count - 1)) {
        const uint32_t *known = list->data + slots->data[slot] - 1;
        at = m->buffer[SPE_SECTION_GLOBAL_].data + known[1];
        if (known[0] == h && spe_same_(at, (n + 2) << 16 | op, constant, n, w)) return at[constant ? 2 : 1];
    }
    spe_id id = spe_new_id_(m, constant ? w[0] : 0, flags, 0);
    at = id ? spe_put_(m, SPE_SECTION_GLOBAL_, op, n + 1) : NULL;
    pair = at ? spe_push_(m, SPE_BUFFER_UNIQUE_, 2) : NULL;
    if (!pair) return 0;
    if (constant) *at++ = *w++, n--;
    *at++ = id;
    if (n) memcpy(at, w, n * sizeof *w);
    pair[0] = h;
    pair[1] = (uint32_t)(at - m->buffer[SPE_SECTION_GLOBAL_].data) - (constant ? 3 : 2);
    m->buffer[SPE_BUFFER_SLOTS_].data[slot] = (uint32_t)(list->count - 1);
    return id;
}

bool spe_is_const(const spe_module *m, spe_id id)
{
    return id && id < m->id_count && (m->ids[id].flags & SPE_ID_CONSTANT_);
}

bool spe_const_bits(const spe_module *m, spe_id id, uint64_t *bits)
{
    *bits = 0;
    if (!spe_is_const(m, id) || !m->ids[id].aux) return false;
    *bits = m->constants[m->ids[id].aux - 1];
    return true;
}

XE_FN_ uint64_t spe_mask_(uint32_t bits) { return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1; }

XE_FN_ int64_t spe_signed_(uint64_t x, uint32_t bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1);
    return (int64_t)(((x & spe_mask_(bits)) ^ sign) - sign);
}

/* The slot of an id in a cache of frequent ids: constants by type and bits, vectors by component, marked,
 * and count. 0: it is not there. */
XE_FN_ spe_id *spe_recent_of_(spe_module *m, uint32_t type, uint64_t bits)
{
    spe_recent_ *r = &m->recent[(bits ^ type) % SPE_RECENT_];
    if (r->type == type && r->bits == bits && !m->error.id && !m->finished) return &r->id;
    r->type = type;
    r->bits = bits;
    r->id = 0;
    return &r->id;
}

/* A scalar constant from its bits, which are kept for folding; 0 if the type is. */
XE_FN_ spe_id spe_const_scalar_(spe_module *m, spe_id type, uint64_t bits)
{
    uint32_t w[3] = {type, (uint32_t)bits, (uint32_t)(bits >> 32)}, op = SPE_OpConstant, n;
    spe_id next = (spe_id)m->id_count, *recent = spe_recent_of_(m, type, bits);
    if (*recent || !type) return *recent;
    const spe_type_info *t = spe_info_(m, type);
    n = t->bits == 64 ? 3 : 2;
    if (t->kind == SPE_KIND_BOOL) n = 1, op = bits ? SPE_OpConstantTrue : SPE_OpConstantFalse;
    *recent = spe_unique_(m, op, SPE_ID_CONSTANT_, n, w);
    if (*recent != next) return *recent;
    if (!spe_grow_(m, &m->constants, &m->constant_capacity, m->constant_count + 1, sizeof *m->constants, 64)) return 0;
    m->constants[m->constant_count++] = bits;
    m->ids[next].aux = (uint32_t)m->constant_count;
    return next;
}

spe_id spe_u32(spe_module *m, uint32_t value) { return spe_const_scalar_(m, spe_int(m, 32), value); }

/* -- writing into a function ------------------------------------------------------------------------------------- */

/* Writes OpLine if the location changed since the last one in this block. */
static void spe_line_(spe_module *m)
{
    if (!m->file || (m->line_line == m->line && m->line_file == m->file)) return;
    if (m->string_file != m->file) m->string_id = spe_write_once_(m, SPE_OpString, m->string_file = m->file);
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpLine, 3, m->string_id, (uint32_t)m->line, 0);
    m->line_file = m->file;
    m->line_line = m->line;
}

/* Opens a block in the body. */
XE_FN_ void spe_label_(spe_module *m, spe_id label, bool dead)
{
    spe_write_(m, SPE_BUFFER_BODY_, SPE_OpLabel, 1, label);
    m->block = label;
    m->dead = dead;
    m->line_file = NULL;
}

/* After a return there is no block: opens an unreachable one for what follows. False outside a function. */
XE_FN_ bool spe_ready_(spe_module *m)
{
    if (m->error.id) return false;
    if (SPE_UNLIKELY_(!m->open))
        return spe_error_(m, SPE_ERR_NO_FUNCTION, "an instruction outside of a function"), false;
    if (SPE_UNLIKELY_(!m->block) && !m->in_prologue) {
        if (spe_between_sides_(m)) return false;
        spe_id label = spe_new_label_(m);
        if (label) spe_label_(m, label, true);
    }
    return true;
}

/* Writes an instruction; type 0: without a result. Operands are not checked. */
XE_FN_ spe_id spe_emit_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    spe_id id = 0;
    if (!spe_ready_(m)) return 0;
    if (op >= SPE_OPCODES_KNOWN_ || !(m->seen[op / 64] >> (op % 64) & 1)) spe_need_op_(m, op, type, n, operands);
    if (SPE_UNLIKELY_(m->options.lines) && !m->in_prologue) spe_line_(m);
    uint32_t *at = spe_put_(m, m->in_prologue ? SPE_BUFFER_PROLOGUE_ : SPE_BUFFER_BODY_, op, n + (type ? 2u : 0u));
    if (!at) return 0;
    if (type) {
        id = spe_new_id_(m, type, 0, spe_depth_(m));
        *at++ = type;
        *at++ = id;
    }
    for (uint32_t i = 0; i < n; i++) at[i] = operands[i];
    return id;
}

/* -- operands: the letters of SPE_INSTRUCTIONS_ ------------------------------------------------------------------ */

/* Does memory of this storage class take stores and atomics? */
XE_FN_ bool spe_is_writable_(uint32_t storage)
{
    return storage != SPE_StorageClassUniformConstant && storage != SPE_StorageClassInput;
}

/* Checks that `value` may be used here and returns its type; 0 and an error if not. */
XE_FN_ spe_id spe_operand_(spe_module *m, spe_id value)
{
    const spe_buffer_ *scopes = &m->buffer[SPE_BUFFER_SCOPES_];
    if (m->error.id) return 0;
    if (SPE_UNLIKELY_(!value || value >= m->id_count || !m->ids[value].type))
        return spe_error_(m, SPE_ERR_NO_VALUE, "operand %u is %s", value,
                          spe_info_(m, value) ? "a type, not a value" : "not a value");
    const spe_record_ *r = &m->ids[value];
    if (SPE_UNLIKELY_(r->depth >= scopes->count || scopes->data[r->depth] != r->serial))
        return spe_error_(m, SPE_ERR_SCOPE, "value %u was made in a region that is closed; carry it out", value);
    if (SPE_UNLIKELY_(m->in_prologue && r->depth > 1))
        return spe_error_(m, SPE_ERR_PROLOGUE, "value %u is made in the body; the prologue comes before it", value);
    if (r->flags & SPE_ID_GLOBAL_) spe_use_(m, value);
    return r->type;
}

/* Checks the value for a letter and those for the = that follow it. Returns their number; 0 and an error if one is not
 * what the letter requires, given the operands before. */
XE_FN_ uint32_t spe_values_(spe_module *m, spe_call_ *c, const char *form, const uint32_t *args)
{
    spe_id type = spe_operand_(m, args[0]), like;
    uint32_t n = 1;
    uint64_t bits;
    if (!type) return 0;
    const spe_type_info *t = &m->types[m->ids[type].aux];
    for (; form[n] == '='; n++) {
        spe_id next = spe_operand_(m, args[n]);
        if (next != type) return next ? spe_disagree_(m, type, next) : 0;
    }
    if (!c->first) c->first = type;
    switch (*form) { /* fast path for the most frequent letters */
    case 'v': return n;
    case 'i': case 'I':
        if (t->kind == SPE_KIND_INT) return n;
        like = type;
        break;
    case 'p': case 'c':
        c->pointee = t->elem;
        if (t->kind == SPE_KIND_POINTER && (*form == 'p' || spe_is_writable_(t->storage))) return n;
        like = type;
        break;
    case 'n':
        if (spe_const_bits(m, args[0], &bits) && !bits) return spe_error_(m, SPE_ERR_RANGE, "a size is 0");
        like = type;
        break;
    case '*': case 'J': case 'G': case 'E': case 'e': like = c->pointee; break;
    case '~': like = spe_count(m, type) == spe_count(m, c->given) ? type : c->given; break;
    case 'q': like = spe_vec(m, spe_int(m, 32), spe_count(m, c->first)); break;
    case '.': like = spe_scalar_of(m, c->first); break;
    default: like = type; break;
    }
    if (type != like) return spe_disagree_(m, *form == 'q' ? c->first : like, type);
    if (!spe_is_(m, *form, type)) return 0;
    if (*form == 'P') c->pointee = t->elem;
    return *form != 'P' || spe_is_(m, 'N', c->pointee) ? n : 0;
}

/* Checks the operands of functions that emit several instructions. Returns the first one's type; 0 on an error. */
XE_FN_ spe_id spe_check_(spe_module *m, const char *name, const char *letters, ...)
{
    spe_call_ c;
    uint32_t n = 1;
    va_list values;
    c.first = c.pointee = c.given = 0;
    m->doing = name;
    va_start(values, letters);
    for (uint32_t i = 0; letters[i]; i++) c.words[i] = va_arg(values, spe_id);
    va_end(values);
    for (uint32_t i = 0; letters[i] && n; i += n) n = spe_values_(m, &c, letters + i, c.words + i);
    return n ? c.first : 0;
}

/* -- instructions ------------------------------------------------------------------------------------------------ */

/* Before SPIR-V 1.3, subgroups use the group instructions. */
static uint32_t spe_subgroup_op_(const spe_module *m, uint32_t op)
{
    if (m->options.version >= SPE_VERSION(1, 3)) return op;
    switch (op) {
    case SPE_OpGroupNonUniformBroadcast: return SPE_OpGroupBroadcast;
    case SPE_OpGroupNonUniformAll: return SPE_OpGroupAll;
    case SPE_OpGroupNonUniformAny: return SPE_OpGroupAny;
    default: return op;
    }
}

XE_FN_ spe_id spe_instruction_(spe_module *m, const char *name, uint32_t op, const char *form, const uint32_t *args)
{
    spe_call_ c;
    spe_id type, known;
    uint32_t n;
    char cooperative = 0; /* the letter of the given type; checked after the operands, which may be poison */
    c.first = c.pointee = c.given = c.count = 0;
    m->doing = name;
    for (; *form != ':'; form++) {
        switch (*form) {
        case 'S': op = spe_subgroup_op_(m, op), c.words[c.count++] = spe_u32(m, SPE_ScopeSubgroup); break;
        case 'W': c.words[c.count++] = spe_u32(m, SPE_ScopeWorkgroup); break;
        case 'z': case 'j':
            if (!spe_is_word_(m, *form, op, *args)) return 0;
            c.words[c.count++] = spe_u32(m, *args++);
            break;
        case 'k': c.words[c.count++] = spe_u32(m, *args++); break;
        case 'T': c.words[c.count++] = spe_const_bool(m, *args++ != 0); break;
        case 'l': c.words[c.count++] = *args++; break;
        case 'R': c.words[c.count++] = SPE_GroupOperationReduce; break;
        case 'a': c.count += spe_access_(m, c.pointee, *args++, false, c.words + c.count); break;
        case 'A': c.count += spe_access_(m, c.pointee, *args++, true, c.words + c.count); break;
        case 't': case 'M': case 'C': case 'L':
            c.given = *args++;
            spe_want_type_(m, name, c.given);
            if (*form != 't') cooperative = *form == 'C' ? 'w' : 'm';
            if (*form == 'L') c.words[c.count++] = c.given;
            break;
        case 'o': case '?':
            if (*form == 'o' && *args) spe_operand_(m, *args);
            if (*args) c.words[c.count++] = *args;
            args++;
            break;
        default:
            n = spe_values_(m, &c, form, args);
            if (!n) return 0;
            for (form += n - 1; n; n--) c.words[c.count++] = *args++;
            break;
        }
        if (SPE_UNLIKELY_(m->error.id)) return 0;
    }
    if (SPE_UNLIKELY_(cooperative) && !spe_is_(m, cooperative, c.given)) return 0;
    if (*++form == '-') return spe_emit_(m, op, 0, c.count, c.words);
    if (*form == 'r' && spe_info_(m, c.first)->bits) return c.words[0];
    type = *form == '=' ? c.first : *form == '*' ? c.pointee : spe_result_(m, &c, *form);
    form++;
    known = type && *form ? spe_simplify_(m, op, type, form, &c) : 0;
    return known || !type ? known : spe_emit_(m, op, type, c.count, c.words);
}

/* The number of parts of a composite; 0: not a composite. */
XE_FN_ uint32_t spe_part_count_(const spe_type_info *t)
{
    switch (t->kind) {
    case SPE_KIND_VECTOR: case SPE_KIND_ARRAY: case SPE_KIND_STRUCT: case SPE_KIND_COOPVEC: return t->count;
    case SPE_KIND_COOPMAT: return 1; /* one value for all components */
    default: return 0;
    }
}

spe_id spe_construct(spe_module *m, spe_id type, uint32_t n, const spe_id *parts)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    bool constant = true;
    m->doing = __func__;
    if (!t) return 0;
    if (t->bits && n == 1 && spe_type_of(m, parts[0]) == type) return spe_operand_(m, parts[0]) ? parts[0] : 0;
    if (!n || n != spe_part_count_(t)) return SPE_ERROR_(m, TYPE, "%u parts for %s", n, spe_text_(m, type));
    for (uint32_t i = 0; i < n; i++) {
        spe_id tp = spe_operand_(m, parts[i]), want = t->kind == SPE_KIND_STRUCT ? t->members[i] : t->elem;
        if (tp != want) return tp ? spe_disagree_(m, want, tp) : 0;
        constant = constant && (m->ids[parts[i]].flags & SPE_ID_CONSTANT_);
    }
    if (constant) return spe_composite_const(m, type, n, parts);
    return spe_emit_(m, SPE_OpCompositeConstruct, type, n, parts);
}
