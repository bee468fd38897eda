/* dots.c - which dot products of integers a compiler finds to be one with several uses (igc.c: bug 20). */
#include "internal.h"

enum { SPE_DOT_ = 1, SPE_DOT_AGAIN_ = 2 };

XE_FN_ bool spe_is_dot_(uint32_t op) { return op == SPE_OpSDot || op == SPE_OpUDot || op == SPE_OpSUDot; }

/* Numbers values by how they are computed, so that equal ones have one number. A literal that happens to be an id, and
 * different values with one number, make a product be taken for another in vain, which costs an instruction. */
static void spe_number_value_(const spe_dots_ *d, const uint32_t *w)
{
    uint32_t h = (*w & 0xffff) * 0x9e3779b1u;
    for (uint32_t k = 1; k < *w >> 16; k++) {
        const bool numbered = w[k] < d->count && d->number[w[k]];
        if (k != 2) h = ((h ^ (h >> 15)) ^ (numbered ? d->number[w[k]] : w[k])) * 0x85ebca6bu;
    }
    d->number[w[2]] = (h & ~3u) | 4 | (spe_is_dot_(*w & 0xffff) ? SPE_DOT_ : 0);
}

/* Where the number of a dot product is among those that are used, or 0 where it would be. */
static uint32_t *spe_used_dot_(const spe_dots_ *d, uint32_t number)
{
    uint32_t i = (number >> 2) & d->mask;
    while (d->used[i] && (d->used[i] & ~(uint32_t)SPE_DOT_AGAIN_) != number) i = (i + 1) & d->mask;
    return &d->used[i];
}

static bool spe_has_result_(const spe_module *m, const uint32_t *w)
{
    return *w >> 16 > 3 && w[1] && w[2] < m->id_count && spe_type_of(m, w[2]) == w[1];
}

static void spe_count_uses_(const spe_module *m, const spe_dots_ *d, const uint32_t *w)
{
    for (uint32_t k = spe_has_result_(m, w) ? 3 : 1; k < *w >> 16; k++) {
        const uint32_t number = w[k] < d->count ? d->number[w[k]] : 0;
        if (!(number & SPE_DOT_)) continue;
        uint32_t *used = spe_used_dot_(d, number);
        *used = *used ? number | SPE_DOT_AGAIN_ : number;
    }
}

static bool spe_has_seen_(const spe_module *m, uint32_t op) { return m->seen[op / 64] >> (op % 64) & 1; }

/* Of the function whose words in the body start at `begin`. */
XE_FN_ spe_dots_ spe_find_dots_(spe_module *m, size_t begin)
{
    const spe_buffer_ *body = &m->buffer[SPE_BUFFER_BODY_];
    spe_dots_ d = {NULL, NULL, (uint32_t)m->id_count, 0};
    size_t dots = 0, slots = 2;
    if (!spe_has_seen_(m, SPE_OpSDot) && !spe_has_seen_(m, SPE_OpUDot) && !spe_has_seen_(m, SPE_OpSUDot)) return d;
    for (size_t at = begin; at < body->count; at += body->data[at] >> 16) dots += spe_is_dot_(body->data[at] & 0xffff);
    while (slots < 2 * dots) slots *= 2;
    d.mask = (uint32_t)slots - 1;
    if (dots) d.number = (uint32_t *)spe_alloc(m, d.count * sizeof *d.number);
    if (d.number) d.used = (uint32_t *)spe_alloc(m, slots * sizeof *d.used);
    if (!d.used) return d;
    memset(d.number, 0, d.count * sizeof *d.number);
    memset(d.used, 0, slots * sizeof *d.used);
    for (size_t at = begin; at < body->count; at += body->data[at] >> 16)
        if (spe_has_result_(m, body->data + at)) spe_number_value_(&d, body->data + at);
    for (size_t at = begin; at < body->count; at += body->data[at] >> 16) spe_count_uses_(m, &d, body->data + at);
    return d;
}

/* Does instruction w, a dot product, compute one of these? */
XE_FN_ bool spe_is_dot_used_again_(const spe_dots_ *d, const uint32_t *w)
{
    return d->used && *spe_used_dot_(d, d->number[w[2]]) & SPE_DOT_AGAIN_;
}
