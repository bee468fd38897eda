/* halves.c - where Intel's compiler would do arithmetic of halves in f32 (number 9 in docs/machine-code.md).
 *
 * f32(f16(x) + f16(y)) becomes x + y if nothing else uses the sum, likewise -, *, / and f16(x) * f16(y) + z with two of
 * the three converted. Most math functions of halves begin and end with such conversions. Therefore what may be such a
 * sum is hidden where it is converted (igc.c). Marks of ids tell what a value may be for the compiler, which looks
 * through vectors, phis, selects and memory. */
#include "internal.h"

enum {
    SPE_NARROWED_ = 0x100, /* converted to f16 */
    SPE_FACTOR_ = 0x200,   /* a product with a factor that was */
    SPE_PRODUCT_ = 0x400,  /* a product of two of them */
    SPE_ROUNDED_ = 0x800,  /* arithmetic that the compiler does in f32 if it is converted to that */
    SPE_HALF_MARKS_ = 0xf00
};

XE_FN_ bool spe_is_half_(const spe_module *m, spe_id type)
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
XE_FN_ void spe_passed_on_(const uint32_t *w, uint32_t *first, uint32_t *last)
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
XE_ONCE_
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
XE_FN_ void spe_widened_(const spe_module *m, const uint32_t *w, uint32_t *first, uint32_t *last)
{
    uint32_t op = *w & 0xffff, n = *w >> 16;
    *first = *last = 0;
    if (op == SPE_OpFConvert && !spe_is_half_(m, w[1])) *first = *last = 3;
    if (op == SPE_OpFRem || op == SPE_OpFMod) *first = 3, *last = 4;
    if (op == SPE_OpExtInst && n > 5) *first = 5, *last = n - 1;
}

/* Is it a half that must be hidden where it is widened? */
XE_FN_ bool spe_is_rounded_(const spe_module *m, spe_id id)
{
    return (m->ids[id].flags & SPE_ROUNDED_) && spe_is_half_(m, spe_type_of(m, id));
}

/* Can the pattern be in the module at all? */
XE_FN_ bool spe_may_widen_(const spe_module *m)
{
    bool adds = spe_uses_(m, SPE_OpFAdd) || spe_uses_(m, SPE_OpFSub) || spe_uses_(m, SPE_OpFMul) ||
                spe_uses_(m, SPE_OpFDiv);
    bool widens = spe_uses_(m, SPE_OpFConvert) || spe_uses_(m, SPE_OpExtInst) || spe_uses_(m, SPE_OpFRem) ||
                  spe_uses_(m, SPE_OpFMod);
    return m->known_float[1] && adds && widens;
}

/* Marks the values of the open function, whose words in the body start at `begin`. */
XE_FN_ void spe_mark_halves_(spe_module *m, size_t begin)
{
    const spe_buffer_ *body = &m->buffer[SPE_BUFFER_BODY_];
    bool changed = true;
    for (uint32_t i = 0; !m->fn.kernel && i < m->fn.param_count; i++)
        spe_mark_(m, m->fn.first_param + i, SPE_HALF_MARKS_);
    while (changed) { /* phis and memory may pass marks on to what was written before */
        changed = false;
        for (size_t at = begin; at < body->count; at += body->data[at] >> 16)
            if (spe_mark_instruction_(m, body->data + at)) changed = true;
    }
}
