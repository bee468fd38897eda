/* table.c - types and constants are unique: a hash table of them, and what is known of an id. */
#include "internal.h"

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

/* The number of parts of a composite; 0: not a composite. */
XE_FN_ uint32_t spe_part_count_(const spe_type_info *t)
{
    switch (t->kind) {
    case SPE_KIND_VECTOR: case SPE_KIND_ARRAY: case SPE_KIND_STRUCT: case SPE_KIND_COOPVEC: return t->count;
    case SPE_KIND_COOPMAT: return 1; /* one value for all components */
    default: return 0;
    }
}

/* -- types and constants: a hash table from an instruction without its result to its id -------------------------- */

/* Numbers that differ little get slots near each other: those of a module are often in order, and a slot that is not in
 * the processor's cache costs more than the rest. `constant`: w[1] is the low word of a number, or an id. */
static uint32_t spe_hash_(uint32_t op, bool constant, uint32_t n, const uint32_t *w)
{
    uint32_t h = op * 0x9e3779b1u, low_word = 0, i = 0;
    if (constant && n > 1) {
        h = (h ^ w[0]) * 0x85ebca6bu;
        low_word = w[1];
        i = 2;
    }
    for (; i < n; i++) h = (h ^ w[i]) * 0x85ebca6bu;
    h ^= h >> 15;
    return h + low_word + (low_word >> 12) * 0x9e3779b1u;
}

/* Where to look after a slot that is taken. Numbers in order have slots in order, so that the next slot would be taken,
 * too, and where two such rows meet, all of the row: numbers of the same row go to the same other place. */
#define SPE_NEXT_SLOT_(slot, h, slots) (((slot) + ((h) >> 16 | 1)) & ((slots) - 1))

/* Does the instruction at `at` have these words? The result id, word 1 of a type and 2 of a constant, is left out. */
XE_ONCE_
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
        while (slots->data[slot]) slot = SPE_NEXT_SLOT_(slot, list->data[i], size);
        slots->data[slot] = (uint32_t)(i + 1);
    }
    return true;
}

/* The id of the type or constant (see flags) with these words, created if it is new: then it is `given`, or, if that is
 * 0, the next id. For constants, w[0] is the type. */
XE_FN_ spe_id spe_unique_as_(spe_module *m, uint32_t op, uint32_t flags, uint32_t n, const uint32_t *w, spe_id given)
{
    const spe_buffer_ *slots = &m->buffer[SPE_BUFFER_SLOTS_], *list = &m->buffer[SPE_BUFFER_UNIQUE_];
    bool constant = flags != SPE_ID_TYPE_;
    uint32_t h = spe_hash_(op, constant, n, w), *at, *pair;
    size_t slot;
    if (SPE_UNLIKELY_(m->error.id)) return 0;
    if (SPE_UNLIKELY_(m->finished))
        return spe_error_(m, SPE_ERR_FINISHED, "the module is finished: nothing can be added");
    if (list->count >= slots->count && !spe_rehash_(m)) return 0; /* two words per entry: at most half full */
    for (slot = h & (slots->count - 1); slots->data[slot]; slot = SPE_NEXT_SLOT_(slot, h, slots->count)) {
        const uint32_t *known = list->data + slots->data[slot] - 1;
        at = m->buffer[SPE_SECTION_GLOBAL_].data + known[1];
        if (known[0] == h && spe_same_(at, (n + 2) << 16 | op, constant, n, w)) return at[constant ? 2 : 1];
    }
    spe_id id = given ? given : spe_new_id_(m, constant ? w[0] : 0, flags, 0);
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
XE_FN_ spe_id spe_unique_(spe_module *m, uint32_t op, uint32_t flags, uint32_t n, const uint32_t *w)
{
    return spe_unique_as_(m, op, flags, n, w, 0);
}

/* Takes a type with these words out of the table, if it is there: it remains, but the next with these words is another
 * one. */
XE_ONCE_
XE_FN_ void spe_forget_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *w)
{
    const spe_buffer_ *slots = &m->buffer[SPE_BUFFER_SLOTS_], *list = &m->buffer[SPE_BUFFER_UNIQUE_];
    uint32_t h = spe_hash_(op, false, n, w);
    if (!slots->count) return;
    for (size_t slot = h & (slots->count - 1); slots->data[slot]; slot = SPE_NEXT_SLOT_(slot, h, slots->count)) {
        uint32_t *known = list->data + slots->data[slot] - 1; /* (hash, offset); another hash is never found */
        if (known[0] == h && m->buffer[SPE_SECTION_GLOBAL_].data[known[1] + 1] == type) known[0] = ~h;
    }
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
