/* igc.c - what Intel's compiler (IGC 2.40) gets wrong is written otherwise. When a function ends, its words are
 * searched for patterns that docs/machine-code.md describes under "What it found"; numbers are those there. Modules for
 * other compilers are written verbatim (spe_options.verbatim). */
#include "internal.h"

/* -- what a kernel's author asks for ------------------------------------------------------------------------------- */

/* An integer 0, which compilers do not recognise: `otherwise` is for work-group 2^32 - 1, which there cannot be. */
static spe_id spe_unknown_zero_(spe_module *m, spe_id word, spe_id otherwise)
{
    spe_id group = spe_builtin(m, SPE_GROUP_ID, 0), last = spe_const_u(m, spe_type_of(m, group), UINT32_MAX);
    spe_id zero = spe_const_u(m, word, 0);
    otherwise = spe_cast(m, word, otherwise, false);
    return spe_select(m, spe_ieq(m, group, last), otherwise, zero);
}

static spe_id spe_word_of_(spe_module *m, spe_id v) { return spe_int(m, spe_width(m, spe_type_of(m, v))); }

/* v with the bits of another number in each component. */
static spe_id spe_or_each_(spe_module *m, spe_id v, spe_id bits)
{
    spe_id type = spe_type_of(m, v), words = spe_vec_like(m, spe_type_of(m, bits), v);
    bits = spe_splat(m, words, bits);
    return spe_bitcast(m, type, spe_or(m, spe_bitcast(m, words, v), bits));
}

/* The zeros differ from those in other blocks. Of an odd number, no part is 0. */
static spe_id spe_reload_(spe_module *m, spe_id v)
{
    if (m->options.verbatim || !v) return v;
    spe_id word = spe_word_of_(m, v), *zero = &m->fn.zero[spe_width(m, word) / 8 % 9];
    if (m->fn.zero_block != m->block) memset(m->fn.zero, 0, sizeof m->fn.zero);
    m->fn.zero_block = m->block;
    if (!*zero) *zero = spe_unknown_zero_(m, word, spe_u32(m, m->block * 2 + 1));
    return spe_or_each_(m, v, *zero);
}
spe_id spe_reload(spe_module *m, spe_id v) { return SPE_WITHIN_(m, spe_reload_(m, v)); }

XE_ONCE_
static spe_id spe_differ_by_lane_(spe_module *m, spe_id v)
{
    if (m->options.verbatim || !v) return v;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0);
    return spe_or_each_(m, v, spe_unknown_zero_(m, spe_word_of_(m, v), lane));
}
spe_id spe_differ_by_lane(spe_module *m, spe_id v) { return SPE_WITHIN_(m, spe_differ_by_lane_(m, v)); }

static void spe_differ_(spe_module *m, uint32_t first, uint32_t n, spe_id *v)
{
    for (uint32_t i = 0; !m->options.verbatim && i < n; i++) {
        if (spe_is_const(m, v[i])) continue;
        spe_id number = spe_u32(m, first + i + 1);
        v[i] = spe_or_each_(m, v[i], spe_unknown_zero_(m, spe_word_of_(m, v[i]), number));
    }
}
void spe_differ(spe_module *m, uint32_t first, uint32_t n, spe_id *v)
{
    SPE_DO_WITHIN_(m, spe_differ_(m, first, n, v));
}

void spe_diverged(spe_module *m) { m->fn.diverged = !m->options.verbatim; }

void spe_reconverge(spe_module *m)
{
    if (m->fn.diverged) SPE_DO_WITHIN_(m, spe_control_barrier(m, SPE_ScopeSubgroup, SPE_ScopeSubgroup, 0));
    m->fn.diverged = false;
}

/* -- patterns ------------------------------------------------------------------------------------------------------
 *
 * A value is hidden by a bitwise or with a zero that the compiler does not recognise, an instruction: an operand that
 * would be merged with the instruction, or a result that would be merged with others. */

/* Which patterns the function may have, as far as the module's types and opcodes tell. */
typedef struct {
    bool halves, doubles, broadcasts, bytes, exchanged;
    spe_id position[3]; /* see spe_position_: ids, if what is computed from one is stored; else 0 */
    spe_dots_ dots;
} spe_suspects_;

static spe_suspects_ spe_suspect_(spe_module *m, size_t begin)
{
    spe_suspects_ s;
    memset(s.position, 0, sizeof s.position);
    s.halves = spe_may_widen_(m);
    s.doubles = m->known_float[4] && spe_uses_(m, SPE_OpFConvert);
    s.broadcasts = m->known_int[4] &&
                   (spe_uses_(m, SPE_OpGroupNonUniformBroadcast) || spe_uses_(m, SPE_OpGroupBroadcast) ||
                    spe_uses_(m, SPE_OpGroupNonUniformShuffle));
    s.exchanged = m->known_int[4] && spe_uses_(m, SPE_OpGroupNonUniformShuffleXor);
    s.bytes = m->known_int[0] && spe_uses_(m, SPE_OpIMul) && spe_uses_(m, SPE_OpIAdd);
    s.dots = spe_find_dots_(m, begin);
    return s;
}

static bool spe_makes_longs_(const spe_module *m, const uint32_t *w)
{
    return spe_scalar_of(m, w[1]) == m->known_int[4];
}

/* 1, vectors_of_doubles_become_f32: to floats narrower than f64, but for those of 8 bits, which the compiler lacks.
 * 6, longs_are_multiplied_by_a_broadcast. 16, longs_are_combined. 17, ids_are_stored_in_blocks.
 * 20, one_dot_product_is_added_twice: the first addition becomes a part of dp4a, whose result the others take for the
 * product. */
static bool spe_hides_result_(const spe_module *m, const spe_suspects_ *s, const uint32_t *w)
{
    switch (*w & 0xffff) { /* of all instructions, so few steps for most of them */
    case SPE_OpUConvert: return w[2] == s->position[0] || w[2] == s->position[1] || w[2] == s->position[2];
    case SPE_OpSDot:
    case SPE_OpUDot:
    case SPE_OpSUDot: return spe_is_dot_used_again_(&s->dots, w) && spe_width(m, w[1]) >= 16;
    case SPE_OpFConvert:
        return s->doubles && spe_count(m, w[1]) && spe_width(m, w[1]) >= 16 && spe_width(m, w[1]) < 64 &&
               spe_width(m, spe_type_of(m, w[3])) == 64;
    case SPE_OpGroupNonUniformShuffle: /* from a lane that the compiler knows */
        return s->broadcasts && spe_is_const(m, w[5]) && spe_makes_longs_(m, w);
    case SPE_OpGroupNonUniformBroadcast:
    case SPE_OpGroupBroadcast: return s->broadcasts && spe_makes_longs_(m, w);
    case SPE_OpGroupNonUniformShuffleXor: return s->exchanged && spe_makes_longs_(m, w);
    default: return false;
    }
}

/* The variable of an id that numbers work-items along x, 0: the module has none. The last is no vector. */
static spe_id spe_position_(const spe_module *m, int i)
{
    return m->builtin_variable[i == 0 ? SPE_GLOBAL_ID : i == 1 ? SPE_LOCAL_ID : SPE_LOCAL_LINEAR_ID];
}

/* Does w make number i, `vector` being what was loaded and x its component? */
static bool spe_makes_position_(const spe_module *m, int i, spe_id *vector, spe_id *x, const uint32_t *w)
{
    uint32_t op = *w & 0xffff;
    if (op == SPE_OpLoad && w[3] == spe_position_(m, i)) *(i < 2 ? vector : x) = w[2];
    if (op == SPE_OpCompositeExtract && w[3] == *vector && !w[4]) *x = w[2];
    return op == SPE_OpUConvert && w[3] == *x;
}

/* The mark of an operand, if one has it. A literal that happens to be a marked id marks in vain, which costs an
 * instruction. */
static uint32_t spe_passed_position_(const spe_module *m, const uint32_t *w)
{
    uint32_t mark = 0;
    for (uint32_t k = 3; k < *w >> 16 && (*w & 0xffff) != SPE_OpLoad; k++)
        if (w[k] && w[k] < m->id_count) mark |= m->ids[w[k]].flags & SPE_ID_POSITION_;
    return mark;
}

/* 17, ids_are_stored_in_blocks: the compiler computes addresses of neighbouring lanes for the first one only, and with
 * them what is stored there, if that is computed from the same id. Hidden ids make no such addresses. */
static void spe_find_stored_ids_(spe_module *m, size_t begin, spe_suspects_ *s)
{
    const spe_buffer_ *body = &m->buffer[SPE_BUFFER_BODY_];
    spe_id vector[3] = {0, 0, 0}, x[3] = {0, 0, 0};
    bool stored = false;
    if (m->fn.subgroup_size == 8) return;
    if (!spe_position_(m, 0) && !spe_position_(m, 1) && !spe_position_(m, 2)) return;
    for (size_t at = begin; at < body->count; at += body->data[at] >> 16) {
        const uint32_t *w = body->data + at, op = *w & 0xffff;
        if (op == SPE_OpStore) stored = stored || m->ids[w[2]].flags & SPE_ID_POSITION_;
        if (*w >> 16 < 4 || w[2] >= m->id_count || !w[1] || spe_type_of(m, w[2]) != w[1]) continue;
        uint32_t mark = spe_passed_position_(m, w);
        for (int i = 0; i < 3; i++)
            if (spe_makes_position_(m, i, &vector[i], &x[i], w)) s->position[i] = w[2], mark = SPE_ID_POSITION_;
        m->ids[w[2]].flags = (uint16_t)(m->ids[w[2]].flags | mark);
        stored = stored || (op == SPE_OpFunctionCall && m->ids[w[2]].flags & SPE_ID_POSITION_);
    }
    if (!stored) memset(s->position, 0, sizeof s->position);
}

/* Marks what is converted from bytes, and products of that. */
static void spe_mark_bytes_(spe_module *m, const uint32_t *w)
{
    uint32_t op = *w & 0xffff, first, last, mark = 0;
    spe_passed_on_(w, &first, &last);
    if (op == SPE_OpUConvert || op == SPE_OpSConvert)
        mark = spe_width(m, spe_type_of(m, w[3])) == 8 ? SPE_ID_BYTE_ : 0;
    if (op == SPE_OpIMul) mark = (m->ids[w[3]].flags | m->ids[w[4]].flags) & SPE_ID_BYTE_ ? SPE_ID_PRODUCT_ : 0;
    for (; first && first <= last; first++) mark |= m->ids[w[first]].flags & SPE_ID_BYTE_;
    if (mark) m->ids[w[2]].flags = (uint16_t)(m->ids[w[2]].flags | mark);
}

/* 4, products_of_bytes_are_summed: product + sum becomes sum + product, and of two products the earlier one comes
 * first. */
static bool spe_is_product_first_(const spe_module *m, const uint32_t *w)
{
    if ((*w & 0xffff) != SPE_OpIAdd || !(m->ids[w[3]].flags & SPE_ID_PRODUCT_)) return false;
    return !(m->ids[w[4]].flags & SPE_ID_CONSTANT_) && (!(m->ids[w[4]].flags & SPE_ID_PRODUCT_) || w[4] < w[3]);
}

/* 9, halves_are_added_as_floats: does the instruction widen a half that must be hidden? */
XE_ONCE_
static bool spe_widens_rounded_(const spe_module *m, const uint32_t *w)
{
    uint32_t first, last;
    spe_widened_(m, w, &first, &last);
    for (; first && first <= last; first++)
        if (spe_is_rounded_(m, w[first])) return true;
    return false;
}

/* Of 16, 32 and 64 bits. */
typedef struct {
    spe_id of[3];
} spe_zeros_;

/* Writes zeros that the compiler does not recognise: the number of no work-group is 2^32 - 1. */
static spe_zeros_ spe_hidden_zeros_(spe_module *m)
{
    spe_zeros_ zeros = {{0, 0, 0}};
    spe_id u64 = spe_int(m, 64), variable = spe_builtin_variable_(m, SPE_GROUP_ID);
    uint32_t part[2] = {0, 0}, equal[2] = {0, 0}, choice[3];
    if (!variable) return zeros;
    spe_use_(m, variable);
    part[0] = spe_emit_(m, SPE_OpLoad, spe_vec(m, u64, 3), 1, &variable);
    equal[0] = spe_emit_(m, SPE_OpCompositeExtract, u64, 2, part);
    equal[1] = spe_const_u(m, u64, UINT32_MAX);
    choice[0] = spe_emit_(m, SPE_OpIEqual, spe_bool(m), 2, equal);
    for (uint32_t i = 0; i < 3; i++) {
        spe_id word = spe_int(m, 16u << i);
        choice[1] = spe_const_u(m, word, 1);
        choice[2] = spe_const_u(m, word, 0);
        zeros.of[i] = spe_emit_(m, SPE_OpSelect, word, 3, choice);
    }
    return zeros;
}

/* Writes v | 0, or v + 0, as value `id`, or as a new one if that is 0. */
static spe_id spe_hide_(spe_module *m, spe_id v, const spe_zeros_ *zeros, spe_id id, uint32_t by)
{
    spe_id type = spe_type_of(m, v), copies[16], *copy;
    uint32_t n = spe_count(m, type), bits = spe_width(m, type);
    spe_id words = spe_vec(m, spe_int(m, bits), n), zero = zeros->of[bits / 32], both[2];
    both[0] = words == type ? v : spe_emit_(m, SPE_OpBitcast, words, 1, &v);
    copy = spe_repeat_(m, zero, n, copies);
    both[1] = n == 1 || !copy ? zero : spe_emit_(m, SPE_OpCompositeConstruct, words, n, copy);
    if (!id) id = spe_new_id_(m, type, 0, spe_depth_(m));
    if (words == type) return spe_write_(m, SPE_BUFFER_BODY_, by, 4, type, id, both[0], both[1]) ? id : 0;
    v = spe_emit_(m, by, words, 2, both);
    return spe_write_(m, SPE_BUFFER_BODY_, SPE_OpBitcast, 3, type, id, v) ? id : 0;
}

/* A rounding mode belongs to the conversion, not to what hides it. */
XE_ONCE_
static void spe_move_decorations_(spe_module *m, spe_id from, spe_id to)
{
    const spe_buffer_ *b = &m->buffer[SPE_SECTION_DECORATION_];
    for (size_t at = 0; at < b->count; at += b->data[at] >> 16)
        if ((b->data[at] & 0xffff) == SPE_OpDecorate && b->data[at + 1] == from) b->data[at + 1] = to;
}

/* Writes an instruction of the function again, and what hides its operands or its result. */
static void spe_write_again_(spe_module *m, const spe_suspects_ *s, const spe_zeros_ *zeros, uint32_t *w)
{
    uint32_t first = 0, last = 0, product;
    spe_id result = spe_hides_result_(m, s, w) ? w[2] : 0;
    if (s->halves) spe_widened_(m, w, &first, &last);
    for (; first && first <= last; first++)
        if (spe_is_rounded_(m, w[first])) w[first] = spe_hide_(m, w[first], zeros, 0, SPE_OpBitwiseOr);
    if (s->bytes && spe_is_product_first_(m, w)) product = w[3], w[3] = w[4], w[4] = product;
    if (result) w[2] = spe_new_id_(m, w[1], 0, spe_depth_(m));
    spe_write_words_(m, SPE_BUFFER_BODY_, *w & 0xffff, (*w >> 16) - 1, w + 1, 0, NULL);
    if (!result || !w[2]) return;
    spe_move_decorations_(m, result, w[2]);
    /* an `or` would become part of a tree of them */
    bool exchanged = (*w & 0xffff) == SPE_OpGroupNonUniformShuffleXor;
    spe_hide_(m, w[2], zeros, result, exchanged ? SPE_OpIAdd : SPE_OpBitwiseOr);
}

static void spe_replace_patterns_(spe_module *m, size_t begin, const spe_suspects_ *s)
{
    spe_buffer_ *body = &m->buffer[SPE_BUFFER_BODY_];
    bool found = false;
    if (s->halves) spe_mark_halves_(m, begin);
    const uint32_t *end = body->data + body->count;
    for (const uint32_t *w = body->data + begin; w < end && (s->bytes || !found); w += *w >> 16) {
        if (s->bytes) spe_mark_bytes_(m, w);
        if (!found) found = spe_hides_result_(m, s, w);
        if (!found && s->halves) found = spe_widens_rounded_(m, w);
        if (!found && s->bytes) found = spe_is_product_first_(m, w);
    }
    size_t count = body->count - begin;
    uint32_t *words = found ? (uint32_t *)spe_copied_(m, body->data + begin, count * sizeof *words) : NULL;
    if (!words) return;
    body->count = begin;
    spe_zeros_ zeros = spe_hidden_zeros_(m);
    for (uint32_t *w = words; w < words + count; w += *w >> 16) spe_write_again_(m, s, &zeros, w);
}

/* Called when a function ends, with all its words but those of its variables in the body, from `begin` on. */
XE_FN_ void spe_avoid_bugs_(spe_module *m, size_t begin)
{
    const char *file = m->file;
    if (m->options.verbatim || m->error.id) return;
    spe_suspects_ s = spe_suspect_(m, begin);
    m->block = m->fn.entry; /* instructions may be written */
    m->file = NULL;         /* but without lines */
    spe_find_stored_ids_(m, begin, &s);
    bool ids = s.position[0] || s.position[1] || s.position[2];
    if (s.halves || s.doubles || s.broadcasts || s.bytes || s.exchanged || ids || s.dots.used)
        spe_replace_patterns_(m, begin, &s);
    m->file = file;
}
