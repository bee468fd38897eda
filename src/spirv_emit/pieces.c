/* pieces.c - writes instructions into the open function. Vulkan's vectors have at most four components: larger ones are
 * arrays of those, their pieces, and an instruction on them becomes one for each piece. */
#include "internal.h"

enum { SPE_PIECE_ = 4, SPE_PIECES_MAX_ = 4 };

static spe_id spe_two_(spe_module *m, uint32_t op, spe_id type, spe_id a, spe_id b)
{
    uint32_t w[2] = {a, b};
    return spe_emit_one_(m, op, type, 2, w);
}

static spe_id spe_choose_(spe_module *m, spe_id type, spe_id flag, spe_id yes, spe_id no)
{
    uint32_t w[3] = {flag, yes, no};
    return spe_emit_one_(m, SPE_OpSelect, type, 3, w);
}

/* A 0 of 64 bits that compilers do not recognise: no work-group has the number of groups for its own. One a function,
 * as built-ins. */
static spe_id spe_hidden_zero_(spe_module *m)
{
    const bool was = m->in_prologue;
    spe_id *zero = &m->fn.zero[8], u64 = spe_int(m, 64), group, groups, one, none;
    if (*zero) return *zero;
    one = spe_const_u(m, u64, 1), none = spe_const_u(m, u64, 0);
    group = spe_builtin(m, SPE_GROUP_ID, 0), groups = spe_builtin(m, SPE_GROUP_COUNT, 0);
    m->in_prologue = true;
    *zero = spe_choose_(m, u64, spe_two_(m, SPE_OpIEqual, spe_bool(m), group, groups), one, none);
    m->in_prologue = was;
    return *zero;
}

/* Quotients and remainders of 64 bits: NVIDIA's compiler (580.159.04) divides by a call, and adds a constant to what
 * the next call has left where the result was, if that comes between. Of v | 0 it does not. */
static spe_id spe_hide_quotient_(spe_module *m, spe_id type, spe_id v)
{
    spe_id zero, copies[16], *copy;
    const uint32_t n = spe_count(m, type);
    if (spe_width(m, type) < 64) return v;
    zero = spe_hidden_zero_(m), copy = spe_repeat_(m, zero, n, copies);
    if (n > 1 && copy) zero = spe_emit_one_(m, SPE_OpCompositeConstruct, type, n, copy);
    return spe_two_(m, SPE_OpBitwiseOr, type, v, zero);
}

/* The remainder with the dividend's sign, or (SMod) the divisor's: Vulkan's own are undefined for negative numbers. */
static spe_id spe_remainder_(spe_module *m, uint32_t op, spe_id type, spe_id a, spe_id b)
{
    uint32_t n = spe_count(m, type);
    spe_id r = spe_two_(m, SPE_OpIMul, type, spe_two_(m, SPE_OpSDiv, type, a, b), b), zero, flag, other, differs;
    r = spe_hide_quotient_(m, type, spe_two_(m, SPE_OpISub, type, a, r));
    if (op == SPE_OpSRem) return r;
    zero = spe_const_u(m, type, 0);
    flag = n > 1 ? spe_vec(m, spe_bool(m), n) : spe_bool(m);
    differs = spe_two_(m, SPE_OpBitwiseXor, type, r, b);
    differs = spe_two_(m, SPE_OpSLessThan, flag, differs, zero);
    other = spe_two_(m, SPE_OpINotEqual, flag, r, zero);
    differs = spe_two_(m, SPE_OpLogicalAnd, flag, differs, other);
    other = spe_two_(m, SPE_OpIAdd, type, r, b);
    return spe_choose_(m, type, differs, other, r);
}

static spe_id spe_put_one_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands);

/* f64 to f16 or bf16, which drivers convert to f32 and then round again. So what f32 lacks of it becomes one bit, the
 * last that f32 has: such a number is neither exact nor halfway in 16 bits. By its bits, as drivers also leave out a
 * conversion to f32 and back. */
static spe_id spe_f64_to_16_bits_(spe_module *m, spe_id type, spe_id v)
{
    const uint64_t lost_bits = 0x1fffffff, last_bit = 0x20000000;
    spe_id i64 = spe_vec_like(m, spe_int(m, 64), v), f32 = spe_vec_like(m, spe_float(m, 32), v);
    spe_id flag = spe_vec_like(m, spe_bool(m), v), zero = spe_const_u(m, i64, 0), last = spe_const_u(m, i64, last_bit);
    spe_id below = spe_const_u(m, i64, lost_bits), above = spe_const_u(m, i64, ~lost_bits);
    spe_id bits = spe_emit_one_(m, SPE_OpBitcast, i64, 1, &v), lost = spe_two_(m, SPE_OpBitwiseAnd, i64, bits, below);
    spe_id kept = spe_two_(m, SPE_OpBitwiseAnd, i64, bits, above);
    last = spe_choose_(m, i64, spe_two_(m, SPE_OpINotEqual, flag, lost, zero), last, zero);
    bits = spe_two_(m, SPE_OpBitwiseOr, i64, kept, last);
    v = spe_emit_one_(m, SPE_OpBitcast, spe_type_of(m, v), 1, &bits);
    v = spe_emit_one_(m, SPE_OpFConvert, f32, 1, &v); /* exact */
    return spe_put_one_(m, SPE_OpFConvert, type, 1, &v);
}

/* A function of GLSL.std.450 of n operands. */
static spe_id spe_ext_(spe_module *m, uint32_t number, spe_id type, uint32_t n, spe_id a, spe_id b, spe_id c)
{
    uint32_t w[5] = {spe_math_set_(m), number, a, b, c};
    return spe_emit_one_(m, SPE_OpExtInst, type, 2 + n, w);
}

/* The remainder of floats with the dividend's sign, which drivers compute with the errors of a rounded quotient: the
 * dividend less a multiple of the divisor, which is exact even where the multiple is not the nearest; twice, for
 * quotients up to 2^44 (2^100 of f64); then a step where the last multiple was too large or too small. */
static spe_id spe_float_remainder_(spe_module *m, spe_id type, spe_id a, spe_id b)
{
    if (spe_width(m, type) == 16) {
        spe_id f32 = spe_vec_like(m, spe_float(m, 32), a);
        a = spe_put_one_(m, SPE_OpFConvert, f32, 1, &a), b = spe_put_one_(m, SPE_OpFConvert, f32, 1, &b);
        a = spe_float_remainder_(m, f32, a, b); /* f16 has it, too */
        return spe_put_one_(m, SPE_OpFConvert, type, 1, &a);
    }
    spe_id flag = spe_vec_like(m, spe_bool(m), a), zero = spe_null(m, type), r = a, sign, more, less, negative;
    for (int i = 0; i < 2; i++) {
        spe_id q = spe_ext_(m, SPE_GLSL_TRUNC_, type, 1, spe_two_(m, SPE_OpFDiv, type, r, b), 0, 0);
        r = spe_ext_(m, SPE_GLSL_FMA_, type, 3, spe_emit_one_(m, SPE_OpFNegate, type, 1, &q), b, r);
    }
    spe_id size = spe_ext_(m, SPE_GLSL_FABS_, type, 1, b, 0, 0), whole = spe_ext_(m, SPE_GLSL_FABS_, type, 1, a, 0, 0);
    negative = spe_two_(m, SPE_OpFOrdLessThan, flag, a, zero);
    r = spe_choose_(m, type, negative, spe_emit_one_(m, SPE_OpFNegate, type, 1, &r), r); /* as if a were positive */
    more = spe_two_(m, SPE_OpFAdd, type, r, size);
    r = spe_choose_(m, type, spe_two_(m, SPE_OpFOrdLessThan, flag, r, zero), more, r);
    less = spe_two_(m, SPE_OpFSub, type, r, size);
    r = spe_choose_(m, type, spe_two_(m, SPE_OpFOrdGreaterThanEqual, flag, r, size), less, r);
    sign = spe_emit_one_(m, SPE_OpFNegate, type, 1, &r);
    r = spe_choose_(m, type, negative, sign, r);
    return spe_choose_(m, type, spe_two_(m, SPE_OpFOrdLessThan, flag, whole, size), a, r);
}

enum { SPE_OP_QUANTIZE_TO_F16_ = 116 };

/* The operands of n that an instruction's result may have bits of: from *first up to *last; false if it computes. */
static bool spe_passes_bits_(uint32_t op, uint32_t n, uint32_t *first, uint32_t *last)
{
    *first = 0, *last = n;
    switch (op) {
    case SPE_OpBitcast: case SPE_OpFNegate: case SPE_OpUConvert: case SPE_OpSConvert: case SPE_OpCopyObject:
    case SPE_OpCompositeConstruct: case SPE_OpBitwiseAnd: case SPE_OpBitwiseOr: case SPE_OpBitwiseXor:
    case SPE_OpBitFieldInsert: case SPE_OpBitFieldUExtract: case SPE_OpBitFieldSExtract:
    case SPE_OpShiftLeftLogical: case SPE_OpShiftRightLogical: case SPE_OpShiftRightArithmetic: return true;
    case SPE_OpSelect: *first = 1; return true;
    case SPE_OpCompositeExtract: case SPE_OpVectorExtractDynamic: *last = 1; return true;
    case SPE_OpVectorShuffle: case SPE_OpCompositeInsert: case SPE_OpVectorInsertDynamic: *last = 2; return true;
    case SPE_OpGroupNonUniformShuffle: case SPE_OpGroupNonUniformShuffleXor: case SPE_OpGroupNonUniformShuffleUp:
    case SPE_OpGroupNonUniformShuffleDown: case SPE_OpGroupNonUniformBroadcast:
    case SPE_OpGroupNonUniformBroadcastFirst: *first = 1, *last = 2; return true; /* the scope is before it */
    default: return false;
    }
}

/* Marks the result of an instruction if it is kept. What is called may return f16 that it computed, and variables of an
 * item are registers. */
static spe_id spe_mark_half_(spe_module *m, uint32_t op, spe_id type, spe_id id, uint32_t n, const uint32_t *operands)
{
    uint32_t first, last, storage;
    bool kept;
    if (!id || !type) return id;
    if (op == SPE_OpLoad) {
        storage = spe_info_(m, spe_type_of(m, operands[0]))->storage;
        kept = storage != SPE_StorageClassFunction && storage != SPE_StorageClassPrivate;
    } else if (spe_passes_bits_(op, n, &first, &last)) {
        while (first < last && spe_is_kept_(m, operands[first])) first++;
        kept = first >= last;
    } else kept = !spe_is_half_(m, type) && op != SPE_OpFunctionCall;
    if (kept) m->ids[id].flags |= SPE_ID_KEPT_HALF_;
    return id;
}

/* Is it a conversion from f16 that may not have been rounded? */
static bool spe_widens_half_(const spe_module *m, uint32_t op, spe_id type, spe_id v)
{
    return op == SPE_OpFConvert && spe_width(m, type) > 16 && spe_is_half_(m, spe_type_of(m, v)) &&
           !spe_is_kept_(m, v);
}

/* f32, or f64 by way of it, of such an f16: as f32 rounded again to what f16 has. That flushes what is below f16's
 * normal range, where a sum with 1/2 rounds to the multiples of 2^-24 that f16 has. */
static spe_id spe_widened_half_(spe_module *m, spe_id type, spe_id v)
{
    spe_id f32 = spe_vec_like(m, spe_float(m, 32), v);
    spe_id i32 = spe_vec_like(m, spe_int(m, 32), v), flag = spe_vec_like(m, spe_bool(m), v), small, rounded, below;
    spe_id half = spe_const_f(m, f32, 0.5), least = spe_const_f(m, f32, 0x1p-14);
    spe_id mask = spe_const_u(m, i32, 0x80000000), wide = spe_emit_one_(m, SPE_OpFConvert, f32, 1, &v);
    bool as_written = m->as_written;
    rounded = spe_emit_one_(m, SPE_OP_QUANTIZE_TO_F16_, f32, 1, &wide);
    spe_id size = spe_ext_(m, SPE_GLSL_FABS_, f32, 1, wide, 0, 0);
    below = spe_two_(m, SPE_OpFOrdLessThan, flag, size, least);
    m->as_written = true;
    uint32_t add[2] = {size, half}, less[2] = {0, half};
    less[0] = spe_put_one_(m, SPE_OpFAdd, f32, 2, add);
    small = spe_put_one_(m, SPE_OpFSub, f32, 2, less);
    m->as_written = as_written;
    spe_id bits = spe_emit_one_(m, SPE_OpBitcast, i32, 1, &wide);
    bits = spe_two_(m, SPE_OpBitwiseAnd, i32, bits, mask);
    small = spe_emit_one_(m, SPE_OpBitcast, i32, 1, &small);
    small = spe_two_(m, SPE_OpBitwiseOr, i32, small, bits);
    small = spe_emit_one_(m, SPE_OpBitcast, f32, 1, &small);
    v = spe_choose_(m, f32, below, small, rounded);
    return type == f32 ? v : spe_emit_one_(m, SPE_OpFConvert, type, 1, &v);
}

/* Writes an instruction on vectors that Vulkan has. */
static spe_id spe_put_one_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    if (op == SPE_OpCooperativeMatrixLoadKHR || op == SPE_OpCooperativeMatrixStoreKHR)
        return spe_emit_coop_(m, op, type, n, operands);
    if (op == SPE_OpSRem || op == SPE_OpSMod) return spe_remainder_(m, op, type, operands[0], operands[1]);
    if (n && spe_is_float_atomic_(m, op, operands[0])) return spe_float_atomic_(m, op, operands);
    if (op == SPE_OpFRem) return spe_float_remainder_(m, type, operands[0], operands[1]);
    if (n && spe_widens_half_(m, op, type, operands[0])) return spe_widened_half_(m, type, operands[0]);
    if (op == SPE_OpFConvert && spe_width(m, type) == 16 && spe_width(m, spe_type_of(m, operands[0])) == 64)
        return spe_f64_to_16_bits_(m, type, operands[0]);
    if (op == SPE_OpConvertUToPtr && spe_is_offset_(m, type)) return spe_local_of_number_(m, type, operands[0]);
    bool local = spe_uses_local_(m, op, n, operands);
    spe_id id = local ? spe_emit_local_(m, op, type, n, operands) : spe_emit_one_(m, op, type, n, operands);
    if (!local && m->as_written && id && spe_contracts_(op))
        spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 2, id, SPE_DecorationNoContraction);
    if (op == SPE_OpUDiv || op == SPE_OpSDiv || op == SPE_OpUMod) return spe_hide_quotient_(m, type, id);
    return spe_mark_half_(m, op, type, id, n, operands);
}

static spe_id spe_piece_type_(spe_module *m, spe_id type) { return spe_vec(m, spe_scalar_of(m, type), SPE_PIECE_); }

/* Piece or component i of a value, or with i2 component i2 of its piece i. */
static spe_id spe_part_(spe_module *m, spe_id type, spe_id v, uint32_t i, uint32_t i2)
{
    uint32_t w[3] = {v, i, i2};
    return spe_put_one_(m, SPE_OpCompositeExtract, type, i2 == UINT32_MAX ? 2 : 3, w);
}

/* Component i of a vector. */
static spe_id spe_component_(spe_module *m, spe_id v, uint32_t i)
{
    spe_id type = spe_type_of(m, v), scalar = spe_scalar_of(m, type);
    if (type == scalar) return v;
    if (!spe_pieces_(m, type)) return spe_part_(m, scalar, v, i, UINT32_MAX);
    return spe_part_(m, scalar, v, i / SPE_PIECE_, i % SPE_PIECE_);
}

/* A vector of the type from its components. */
static spe_id spe_of_components_(spe_module *m, spe_id type, const spe_id *v)
{
    spe_id piece[SPE_PIECES_MAX_];
    uint32_t pieces = spe_pieces_(m, type);
    if (spe_count(m, type) == 1) return v[0];
    if (!pieces) return spe_put_one_(m, SPE_OpCompositeConstruct, type, spe_count(m, type), v);
    for (uint32_t i = 0; i < pieces; i++)
        piece[i] = spe_put_one_(m, SPE_OpCompositeConstruct, spe_piece_type_(m, type), SPE_PIECE_, v + i * SPE_PIECE_);
    return spe_put_one_(m, SPE_OpCompositeConstruct, type, pieces, piece);
}

/* The operands that may be vectors in pieces: from *first, this many. The others are literals, or are not taken apart.
 * */
static uint32_t spe_vector_operands_(uint32_t op, uint32_t n, uint32_t *first)
{
    *first = op == SPE_OpExtInst ? 2 : op == SPE_OpStore ? 1 : 0;
    switch (op) {
    case SPE_OpFunctionCall: case SPE_OpCopyObject: case SPE_OpLoad: case SPE_OpAccessChain:
    case SPE_OpInBoundsAccessChain: case SPE_OpPtrAccessChain: return 0;
    case SPE_OpCompositeExtract: case SPE_OpStore: return 1;
    case SPE_OpCompositeInsert: case SPE_OpVectorShuffle: return 2;
    default: return n - *first;
    }
}

/* Is it a pointer that is an address? */
static bool spe_is_address_(const spe_module *m, spe_id ptr)
{
    const spe_type_info *t = spe_info_(m, spe_type_of(m, ptr));
    return t && spe_storage_(m, t->storage) == SPE_StorageClassPhysicalStorageBuffer;
}

/* The number of pieces that the instruction must be divided into; 0: the environment has it. */
static uint32_t spe_must_divide_(const spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    uint32_t first, count = spe_vector_operands_(op, n, &first), pieces = 0;
    if (op == SPE_OpFunctionCall || op == SPE_OpCopyObject) return 0;
    bool access = op == SPE_OpLoad || op == SPE_OpStore;
    if (access && !spe_is_address_(m, operands[0]) && !spe_uses_local_(m, op, n, operands)) return 0;
    if (type) pieces = spe_pieces_(m, type);
    for (uint32_t i = first; i < first + count && !pieces; i++) pieces = spe_pieces_(m, spe_type_of(m, operands[i]));
    return pieces;
}

/* An instruction that works component by component; `type` is the result's, in pieces. */
static spe_id spe_each_piece_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands,
                              uint32_t pieces, spe_id *piece)
{
    uint32_t first, count = spe_vector_operands_(op, n, &first), w[16];
    for (uint32_t p = 0; p < pieces; p++) {
        memcpy(w, operands, n * sizeof *w);
        for (uint32_t i = first; i < first + count; i++) {
            spe_id its = spe_type_of(m, operands[i]);
            if (spe_pieces_(m, its)) w[i] = spe_part_(m, spe_piece_type_(m, its), operands[i], p, UINT32_MAX);
        }
        piece[p] = spe_put_one_(m, op, type, n, w);
    }
    return piece[0];
}

/* any, all, dot: a piece at a time, then together. */
static spe_id spe_reduce_pieces_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands,
                                 uint32_t pieces)
{
    spe_id piece[SPE_PIECES_MAX_], all = spe_each_piece_(m, op, type, n, operands, pieces, piece);
    uint32_t join = op == SPE_OpAny ? SPE_OpLogicalOr : op == SPE_OpAll ? SPE_OpLogicalAnd : SPE_OpFAdd;
    for (uint32_t p = 1; p < pieces; p++) {
        uint32_t w[2] = {all, piece[p]};
        all = spe_put_one_(m, join, type, 2, w);
    }
    return all;
}

/* The address of piece p of the vector at ptr. */
static spe_id spe_piece_address_(spe_module *m, spe_id ptr, uint32_t p)
{
    const spe_type_info *t = spe_info_(m, spe_type_of(m, ptr));
    spe_id type = spe_ptr(m, t->storage, spe_piece_type_(m, t->elem));
    uint32_t w[2] = {spe_put_one_(m, SPE_OpBitcast, type, 1, &ptr), p ? spe_u32(m, p) : 0};
    return p ? spe_put_one_(m, SPE_OpPtrAccessChain, type, 2, w) : w[0];
}

/* A load (value 0) or store, with its memory operands: flags, alignment. */
static spe_id spe_move_pieces_(spe_module *m, spe_id type, spe_id ptr, spe_id value, uint32_t n, const uint32_t *access,
                               uint32_t pieces)
{
    spe_id piece[SPE_PIECES_MAX_], its = spe_piece_type_(m, type);
    uint32_t w[4], size = (uint32_t)spe_size(m, its);
    for (uint32_t p = 0; p < pieces; p++) {
        uint32_t k = 0;
        w[k++] = spe_piece_address_(m, ptr, p);
        if (value) w[k++] = spe_part_(m, its, value, p, UINT32_MAX);
        memcpy(w + k, access, n * sizeof *w);
        if (n > 1 && w[k + 1] > size) w[k + 1] = size;
        piece[p] = spe_put_one_(m, value ? SPE_OpStore : SPE_OpLoad, value ? 0 : its, k + n, w);
    }
    return value ? 0 : spe_put_one_(m, SPE_OpCompositeConstruct, type, pieces, piece);
}

/* The components of a, then of b, that the literals name. */
static spe_id spe_shuffle_pieces_(spe_module *m, spe_id type, const uint32_t *w, uint32_t n)
{
    spe_id v[16];
    uint32_t na = spe_count(m, spe_type_of(m, w[0]));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = w[2 + i] == UINT32_MAX ? 0 : w[2 + i];
        v[i] = k < na ? spe_component_(m, w[0], k) : spe_component_(m, w[1], k - na);
    }
    return spe_of_components_(m, type, v);
}

/* The same bits: the longer of both vectors a piece at a time. */
static spe_id spe_bitcast_pieces_(spe_module *m, spe_id type, spe_id value)
{
    spe_id from = spe_type_of(m, value), v[16], out[16];
    uint32_t n = spe_count(m, from), count = spe_count(m, type), parts = n < count ? n : count;
    while (n / parts > SPE_PIECE_ || count / parts > SPE_PIECE_) parts *= 2;
    spe_id source = spe_vec(m, spe_scalar_of(m, from), n / parts);
    spe_id target = spe_vec(m, spe_scalar_of(m, type), count / parts);
    for (uint32_t i = 0; i < n; i++) v[i] = spe_component_(m, value, i);
    for (uint32_t i = 0; i < parts; i++) {
        spe_id part = spe_of_components_(m, source, v + i * (n / parts));
        part = spe_put_one_(m, SPE_OpBitcast, target, 1, &part);
        for (uint32_t k = 0; k < count / parts; k++) out[i * (count / parts) + k] = spe_component_(m, part, k);
    }
    return spe_of_components_(m, type, out);
}

/* Component `index` of a vector in pieces, or (scalar not 0) the vector with that component replaced. */
static spe_id spe_dynamic_pieces_(spe_module *m, spe_id type, spe_id v, spe_id scalar, spe_id index, uint32_t pieces)
{
    spe_id i32 = spe_type_of(m, index), vector = spe_type_of(m, v), its = spe_piece_type_(m, vector);
    uint32_t low[2] = {index, spe_const_u(m, i32, SPE_PIECE_ - 1)}, high[2] = {index, spe_const_u(m, i32, 2)}, w[3];
    spe_id piece[SPE_PIECES_MAX_], found = 0;
    low[0] = spe_put_one_(m, SPE_OpBitwiseAnd, i32, 2, low);
    high[0] = spe_put_one_(m, SPE_OpShiftRightLogical, i32, 2, high);
    for (uint32_t p = 0; p < pieces; p++) {
        spe_id old = spe_part_(m, its, v, p, UINT32_MAX);
        uint32_t changed[3] = {old, scalar ? scalar : low[0], low[0]};
        high[1] = spe_const_u(m, i32, p);
        w[0] = spe_put_one_(m, SPE_OpIEqual, spe_bool(m), 2, high);
        w[1] = spe_put_one_(m, scalar ? SPE_OpVectorInsertDynamic : SPE_OpVectorExtractDynamic, scalar ? its : type,
                             scalar ? 3 : 2, changed);
        w[2] = scalar ? old : found;
        found = piece[p] = w[2] ? spe_put_one_(m, SPE_OpSelect, scalar ? its : type, 3, w) : w[1];
    }
    return scalar ? spe_put_one_(m, SPE_OpCompositeConstruct, type, pieces, piece) : found;
}

static spe_id spe_divide_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *w, uint32_t pieces)
{
    spe_id piece[SPE_PIECES_MAX_];
    uint32_t insert[4];
    switch (op) {
    case SPE_OpLoad: return spe_move_pieces_(m, type, w[0], 0, n - 1, w + 1, pieces);
    case SPE_OpStore: return spe_move_pieces_(m, spe_type_of(m, w[1]), w[0], w[1], n - 2, w + 2, pieces);
    case SPE_OpCompositeConstruct: return spe_of_components_(m, type, w);
    case SPE_OpCompositeExtract: return spe_component_(m, w[0], w[1]);
    case SPE_OpCompositeInsert:
        insert[0] = w[0], insert[1] = w[1], insert[2] = w[2] / SPE_PIECE_, insert[3] = w[2] % SPE_PIECE_;
        return spe_put_one_(m, op, type, 4, insert);
    case SPE_OpVectorShuffle: return spe_shuffle_pieces_(m, type, w, n - 2);
    case SPE_OpVectorExtractDynamic: return spe_dynamic_pieces_(m, type, w[0], 0, w[1], pieces);
    case SPE_OpVectorInsertDynamic: return spe_dynamic_pieces_(m, type, w[0], w[1], w[2], pieces);
    case SPE_OpAny: case SPE_OpAll: case SPE_OpDot: return spe_reduce_pieces_(m, op, type, n, w, pieces);
    case SPE_OpBitcast:
        if (spe_count(m, type) != spe_count(m, spe_type_of(m, w[0]))) return spe_bitcast_pieces_(m, type, w[0]);
        break;
    default: break;
    }
    spe_each_piece_(m, op, spe_piece_type_(m, type), n, w, pieces, piece);
    return spe_put_one_(m, SPE_OpCompositeConstruct, type, pieces, piece);
}

XE_FN_ spe_id spe_emit_for_vulkan_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    if (!spe_has_instruction_(m, op)) return 0;
    uint32_t pieces = spe_must_divide_(m, op, type, n, operands);
    return pieces ? spe_divide_(m, op, type, n, operands, pieces) : spe_put_one_(m, op, type, n, operands);
}
