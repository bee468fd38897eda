/* igc.c - what Intel's compiler (IGC 2.40) gets wrong is written otherwise. When a function ends, its words are
 * searched for the patterns that docs/machine-code.md describes under "What it found", by the names of their tests.
 * Modules for other compilers are written verbatim (spe_options.verbatim). */
#include "internal.h"

/* -- what a kernel's author asks for ------------------------------------------------------------------------------- */

/* An integer 0, which compilers do not recognise: `otherwise` is for work-group 2^32 - 1, which there cannot be. */
static spe_id spe_unknown_zero_(spe_module *m, spe_id word, spe_id otherwise)
{
    spe_id group = spe_builtin(m, SPE_GROUP_ID, 0), last = spe_const_u(m, spe_type_of(m, group), UINT32_MAX);
    return spe_select(m, spe_ieq(m, group, last), spe_cast(m, word, otherwise, false), spe_const_u(m, word, 0));
}

static spe_id spe_word_of_(spe_module *m, spe_id v) { return spe_int(m, spe_width(m, spe_type_of(m, v))); }

/* v with the bits of another number in each component. */
static spe_id spe_or_each_(spe_module *m, spe_id v, spe_id bits)
{
    spe_id type = spe_type_of(m, v), words = spe_vec_like(m, spe_type_of(m, bits), v);
    return spe_bitcast(m, type, spe_or(m, spe_bitcast(m, words, v), spe_splat(m, words, bits)));
}

/* The zeros differ from those in other blocks. Of an odd number, no part is 0. */
spe_id spe_reload(spe_module *m, spe_id v)
{
    if (m->options.verbatim || !v) return v;
    spe_id word = spe_word_of_(m, v), *zero = &m->fn.zero[spe_width(m, word) / 8 % 9];
    if (m->fn.zero_block != m->block) memset(m->fn.zero, 0, sizeof m->fn.zero);
    m->fn.zero_block = m->block;
    if (!*zero) *zero = spe_unknown_zero_(m, word, spe_u32(m, m->block * 2 + 1));
    return spe_or_each_(m, v, *zero);
}

spe_id spe_differ_by_lane(spe_module *m, spe_id v)
{
    if (m->options.verbatim || !v) return v;
    return spe_or_each_(m, v, spe_unknown_zero_(m, spe_word_of_(m, v), spe_builtin(m, SPE_SUBGROUP_LANE, 0)));
}

void spe_differ(spe_module *m, uint32_t first, uint32_t n, spe_id *v)
{
    for (uint32_t i = 0; !m->options.verbatim && i < n; i++)
        if (!spe_is_const(m, v[i]))
            v[i] = spe_or_each_(m, v[i], spe_unknown_zero_(m, spe_word_of_(m, v[i]), spe_u32(m, first + i + 1)));
}

void spe_diverged(spe_module *m) { m->fn.diverged = !m->options.verbatim; }

void spe_reconverge(spe_module *m)
{
    if (m->fn.diverged) spe_control_barrier(m, SPE_ScopeSubgroup, SPE_ScopeSubgroup, 0);
    m->fn.diverged = false;
}

/* -- halves_are_added_as_floats ----------------------------------------------------------------------------------
 *
 * f32(f16(x) + f16(y)) becomes x + y if nothing else uses the sum, likewise -, *, / and f16(x) * f16(y) + z with two of
 * the three converted. Most math functions of halves begin and end with such conversions. Therefore what may be such a
 * sum is hidden where it is converted: a bitwise or with a zero that the compiler does not recognise, one instruction.
 *
 * Marks of ids tell what a value may be for the compiler, which looks through vectors, phis, selects and memory. */
enum {
    SPE_NARROWED_ = 0x100, /* converted to f16 */
    SPE_FACTOR_ = 0x200,   /* a product with a factor that was */
    SPE_PRODUCT_ = 0x400,  /* a product of two of them */
    SPE_ROUNDED_ = 0x800,  /* arithmetic that the compiler does in f32 if it is converted to that */
    SPE_HALF_MARKS_ = 0xf00
};

static bool spe_is_half_(const spe_module *m, spe_id type)
{
    return spe_count(m, type) && spe_scalar_of(m, type) == m->known_float[1];
}

static uint32_t spe_marks_(const spe_module *m, spe_id id) { return m->ids[id].flags & SPE_HALF_MARKS_; }

/* Returns whether one of the marks is new. */
static bool spe_mark_(spe_module *m, spe_id id, uint32_t marks)
{
    spe_record_ *r = &m->ids[id];
    if (!(marks & ~r->flags) || (r->flags & SPE_ID_CONSTANT_)) return false;
    r->flags = (uint16_t)(r->flags | marks);
    return true;
}

/* The operand words of an instruction whose result may be one of these operands, or made of their parts: first to last,
 * both 0 if it is no such instruction. */
static void spe_passed_on_(const uint32_t *w, uint32_t *first, uint32_t *last)
{
    *first = *last = 3;
    switch (*w & 0xffff) {
    case SPE_OpCompositeExtract: case SPE_OpBitcast: case SPE_OpCopyObject: case SPE_OpVectorExtractDynamic:
    case SPE_OpFNegate: case SPE_OpLoad: case SPE_OpAccessChain: case SPE_OpInBoundsAccessChain:
    case SPE_OpPtrAccessChain: case SPE_OpInBoundsPtrAccessChain: case SPE_OpConvertUToPtr: break;
    case SPE_OpVectorShuffle: case SPE_OpVectorInsertDynamic: case SPE_OpCompositeInsert: case SPE_OpBitwiseAnd:
        *last = 4;
        break;
    case SPE_OpSelect: *first = 4, *last = 5; break;
    case SPE_OpGroupNonUniformBroadcast: case SPE_OpGroupNonUniformShuffle: *first = *last = 4; break;
    case SPE_OpCompositeConstruct: case SPE_OpPhi: *last = (*w >> 16) - 1; break;
    default: *first = *last = 0; break;
    }
}

/* The marks of a op b for addition and subtraction (sum), multiplication (product) and division. */
static uint32_t spe_arithmetic_marks_(uint32_t a, uint32_t b, bool sum, bool product)
{
    bool both = (a & b & SPE_NARROWED_) != 0;
    if (product) return both ? SPE_FACTOR_ | SPE_PRODUCT_ | SPE_ROUNDED_ : ((a | b) & SPE_NARROWED_) ? SPE_FACTOR_ : 0;
    if (sum && ((a & SPE_FACTOR_ && b & SPE_NARROWED_) || (b & SPE_FACTOR_ && a & SPE_NARROWED_))) both = true;
    if (sum && ((a | b) & SPE_PRODUCT_)) both = true;
    return both ? SPE_ROUNDED_ : 0;
}

/* The marks of the result of instruction w, which has one. */
static uint32_t spe_result_marks_(spe_module *m, const uint32_t *w)
{
    uint32_t op = *w & 0xffff, first, last, marks = 0;
    switch (op) {
    case SPE_OpFConvert: case SPE_OpExtInst: case SPE_OpFRem: case SPE_OpFMod:
        return spe_is_half_(m, w[1]) ? SPE_NARROWED_ : 0;
    case SPE_OpFAdd: case SPE_OpFSub: case SPE_OpFMul: case SPE_OpFDiv:
        if (!spe_is_half_(m, w[1])) return 0;
        marks = spe_arithmetic_marks_(spe_marks_(m, w[3]), spe_marks_(m, w[4]), op == SPE_OpFAdd || op == SPE_OpFSub,
                                      op == SPE_OpFMul);
        /* x * 1 may be taken for x */
        return (m->ids[w[3]].flags | m->ids[w[4]].flags) & SPE_ID_CONSTANT_
                   ? marks | spe_marks_(m, w[3]) | spe_marks_(m, w[4]) : marks;
    case SPE_OpFunctionCall: return SPE_HALF_MARKS_;
    default: break;
    }
    spe_passed_on_(w, &first, &last);
    for (; first && first <= last; first++) marks |= spe_marks_(m, w[first]);
    return marks;
}

/* Marks what instruction w makes, and the memory it stores to. Returns whether a mark is new. */
static bool spe_mark_instruction_(spe_module *m, const uint32_t *w)
{
    uint32_t op = *w & 0xffff, n = *w >> 16, first, last;
    if (op == SPE_OpStore) return spe_mark_(m, w[1], spe_marks_(m, w[2]));
    if (n < 4 || w[2] >= m->id_count || !w[1] || spe_type_of(m, w[2]) != w[1]) return false;
    bool changed = spe_mark_(m, w[2], spe_result_marks_(m, w));
    spe_passed_on_(w, &first, &last);
    if (op == SPE_OpFunctionCall) first = 4, last = n - 1;
    for (uint32_t i = first; i && i <= last; i++) {
        const spe_type_info *t = spe_info_(m, spe_type_of(m, w[i]));
        bool written = t && t->kind == SPE_KIND_POINTER && op != SPE_OpLoad;
        if (written && spe_mark_(m, w[i], spe_marks_(m, w[2]))) changed = true;
    }
    return changed;
}

/* The operands that instruction w converts from f16 to f32, as math functions do too: first to last, both 0 if none. */
static void spe_widened_(const spe_module *m, const uint32_t *w, uint32_t *first, uint32_t *last)
{
    uint32_t op = *w & 0xffff, n = *w >> 16;
    *first = *last = 0;
    if (op == SPE_OpFConvert && !spe_is_half_(m, w[1])) *first = *last = 3;
    if (op == SPE_OpFRem || op == SPE_OpFMod) *first = 3, *last = 4;
    if (op == SPE_OpExtInst && n > 5) *first = 5, *last = n - 1;
}

static bool spe_is_hidden_(const spe_module *m, spe_id id)
{
    return (m->ids[id].flags & SPE_ROUNDED_) && spe_is_half_(m, spe_type_of(m, id));
}

/* Does instruction w widen what must be hidden? */
static bool spe_widens_rounded_(const spe_module *m, const uint32_t *w)
{
    uint32_t first, last;
    spe_widened_(m, w, &first, &last);
    for (; first && first <= last; first++)
        if (spe_is_hidden_(m, w[first])) return true;
    return false;
}

/* Writes a zero of 16 bits that the compiler does not recognise: the number of no work-group is 2^32 - 1. */
static spe_id spe_hidden_zero_(spe_module *m)
{
    spe_id u64 = spe_int(m, 64), u16 = spe_int(m, 16), variable = spe_builtin_variable_(m, SPE_GROUP_ID), last;
    if (!variable) return 0;
    spe_use_(m, variable);
    uint32_t part[2] = {spe_emit_(m, SPE_OpLoad, spe_vec(m, u64, 3), 1, &variable), 0};
    uint32_t equal[2] = {spe_emit_(m, SPE_OpCompositeExtract, u64, 2, part), last = spe_const_u(m, u64, UINT32_MAX)};
    uint32_t choice[3] = {spe_emit_(m, SPE_OpIEqual, spe_bool(m), 2, equal), spe_const_u(m, u16, 1), 0};
    choice[2] = spe_const_u(m, u16, 0);
    return last ? spe_emit_(m, SPE_OpSelect, u16, 3, choice) : 0;
}

/* Writes v | zero. */
static spe_id spe_hide_(spe_module *m, spe_id v, spe_id zero)
{
    spe_id type = spe_type_of(m, v), words = spe_vec_like(m, spe_int(m, 16), v), copies[16], *copy;
    uint32_t n = spe_count(m, type);
    copy = spe_repeat_(m, zero, n, copies);
    uint32_t both[2] = {spe_emit_(m, SPE_OpBitcast, words, 1, &v), zero};
    if (n > 1 && copy) both[1] = spe_emit_(m, SPE_OpCompositeConstruct, words, n, copy);
    v = spe_emit_(m, SPE_OpBitwiseOr, words, 2, both);
    return spe_emit_(m, SPE_OpBitcast, type, 1, &v);
}

/* Writes the function's words again, hiding what must be. */
static void spe_hide_rounded_(spe_module *m, size_t begin)
{
    spe_buffer_ *body = &m->buffer[SPE_BUFFER_BODY_];
    size_t count = body->count - begin;
    uint32_t *words = (uint32_t *)spe_copied_(m, body->data + begin, count * sizeof *words), first, last;
    body->count = begin;
    spe_id zero = words ? spe_hidden_zero_(m) : 0;
    for (uint32_t *w = words; zero && w < words + count; w += *w >> 16) {
        spe_widened_(m, w, &first, &last);
        for (; first && first <= last; first++)
            if (spe_is_hidden_(m, w[first])) w[first] = spe_hide_(m, w[first], zero);
        spe_write_words_(m, SPE_BUFFER_BODY_, *w & 0xffff, (*w >> 16) - 1, w + 1, 0, NULL);
    }
}

static bool spe_uses_(const spe_module *m, uint32_t op) { return m->used[op / 64] >> (op % 64) & 1; }

/* Can the pattern be in the module at all? */
static bool spe_may_widen_(const spe_module *m)
{
    bool adds = spe_uses_(m, SPE_OpFAdd) || spe_uses_(m, SPE_OpFSub) || spe_uses_(m, SPE_OpFMul) ||
                spe_uses_(m, SPE_OpFDiv);
    bool widens = spe_uses_(m, SPE_OpFConvert) || spe_uses_(m, SPE_OpExtInst) || spe_uses_(m, SPE_OpFRem) ||
                  spe_uses_(m, SPE_OpFMod);
    return m->known_float[1] && adds && widens;
}

static void spe_keep_halves_(spe_module *m, size_t begin)
{
    const spe_buffer_ *body = &m->buffer[SPE_BUFFER_BODY_];
    bool changed = true, found = false;
    for (uint32_t i = 0; !m->fn.kernel && i < m->fn.param_count; i++)
        spe_mark_(m, m->fn.first_param + i, SPE_HALF_MARKS_);
    while (changed) { /* phis and memory may pass marks on to what was written before */
        changed = false;
        for (size_t at = begin; at < body->count; at += body->data[at] >> 16)
            if (spe_mark_instruction_(m, body->data + at)) changed = true;
    }
    for (size_t at = begin; at < body->count && !found; at += body->data[at] >> 16)
        found = spe_widens_rounded_(m, body->data + at);
    if (found) spe_hide_rounded_(m, begin);
}

/* Called when a function ends, with all its words but those of its variables in the body, from `begin` on. */
XE_FN_ void spe_avoid_bugs_(spe_module *m, size_t begin)
{
    const char *file = m->file;
    if (m->options.verbatim || m->error.id) return;
    m->block = m->fn.entry; /* instructions may be written */
    m->file = NULL;         /* but without lines */
    if (spe_may_widen_(m)) spe_keep_halves_(m, begin);
    m->file = file;
}
