/* convert.c - conversion of component types: of scalars and vectors, of all components, and of what a function makes of
 * them. */
#include "internal.h"

/* A type with as many components as v. */
static spe_id cm_like_int_(spe_module *m, uint32_t bits, spe_id v) { return spe_vec_like(m, spe_int(m, bits), v); }
static spe_id cm_like_float_(spe_module *m, uint32_t bits, spe_id v) { return spe_vec_like(m, spe_float(m, bits), v); }

/* Rounds floats to nearest even, as bits, so that the lowest `cut` bits can be dropped. */
static spe_id cm_round_bits_(cm_ctx *c, spe_id i32, spe_id bits, int cut)
{
    spe_module *m = c->module;
    spe_id one = spe_const_u(m, i32, 1);
    spe_id odd = spe_and(m, spe_shr(m, bits, spe_const_u(m, i32, (uint64_t)cut)), one);
    spe_id half = spe_const_u(m, i32, ((uint64_t)1 << cut) / 2 - 1);
    return spe_iadd(m, spe_iadd(m, bits, odd), half);
}

/* Likewise for f32 values, to nearest or towards zero; NaNs become quiet. */
static spe_id cm_round_f32_(cm_ctx *c, spe_id i32, spe_id v, int cut, bool nearest)
{
    spe_id bits = spe_bitcast(c->module, i32, v), rounded = nearest ? cm_round_bits_(c, i32, bits, cut) : bits;
    spe_id quiet = spe_or(c->module, bits, spe_const_u(c->module, i32, 0x400000));
    return spe_select(c->module, spe_isnan(c->module, v), quiet, rounded);
}

/* In integer operations where Intel's conversion instruction may be missing. */
static spe_id cm_round_bf16_(cm_ctx *c, spe_id v, bool nearest)
{
    spe_id i32 = cm_like_int_(c->module, 32, v), i16 = cm_like_int_(c->module, 16, v);
    if (nearest && c->lowering == CM_INTEL) return spe_f32_to_bf16(c->module, v);
    v = cm_round_f32_(c, i32, v, 16, nearest);
    return spe_uconvert(c->module, i16, spe_shr(c->module, v, spe_const_u(c->module, i32, 16)));
}

spe_id cm_f32_to_bf16(cm_ctx *c, spe_id v) { return cm_round_bf16_(c, v, true); }

/* tf32 is stored as f32. */
XE_ONCE_
static spe_id cm_round_tf32_(cm_ctx *c, spe_id v, bool nearest)
{
    enum { CUT = 13 }; /* mantissa bits of f32 that tf32 lacks */
    spe_id i32 = cm_like_int_(c->module, 32, v), bits = cm_round_f32_(c, i32, v, CUT, nearest);
    bits = spe_and(c->module, bits, spe_const_u(c->module, i32, 0u - (1u << CUT)));
    return spe_bitcast(c->module, cm_like_float_(c->module, 32, v), bits);
}

/* The 8-bit floats, and e2m1 in the low four bits of a byte: mantissa bits of f32 to drop, the bias difference in units
 * of the result, the encoding above the largest number (NaN or infinity) and that of NaN, the bit of the sign, the
 * largest number, the largest f32 that rounds to it, the smallest normal number, and the f32 whose last place is the
 * smallest subnormal. Their bits without the sign, shifted to those of an f16, are off by the factor `scale`. */
typedef struct {
    cm_type type;
    int cut, rebias, beyond, nan, sign, shift;
    double largest, limit, normal, magic, scale;
} cm_f8_;

static const cm_f8_ *cm_f8_row_(cm_type type)
{
    static const cm_f8_ rows[] = {
        {CM_E4M3, 20, (127 - 7) << 3, 0x7f, 0x7f, 7, 7, 448, 464, 0x1p-6, 0x1p14, 0x1p8},
        {CM_E5M2, 21, (127 - 15) << 2, 0x7c, 0x7f, 7, 8, 57344, 61440 - 0x1p-8, 0x1p-14, 0x1p7, 1},
        {CM_E2M1, 22, (127 - 1) << 1, 0x7, 0x7, 3, 9, 6, 7, 1, 0x1p22, 0x1p14},
    };
    return type == CM_E4M3 ? &rows[0] : type == CM_E5M2 ? &rows[1] : type == CM_E2M1 ? &rows[2] : NULL;
}

/* To f16 or f32, both exact. */
static spe_id cm_f8_to_float_(cm_ctx *c, cm_type type, spe_id v, uint32_t bits)
{
    const cm_f8_ *f = cm_f8_row_(type);
    spe_module *m = c->module;
    spe_id i16 = cm_like_int_(m, 16, v), f16 = cm_like_float_(m, 16, v), to = cm_like_float_(m, bits, v);
    spe_id wide = spe_uconvert(m, i16, v);
    if (c->upper) wide = spe_shr(m, wide, spe_const_u(m, i16, 4));
    if (type == CM_E5M2) {
        spe_id same = spe_bitcast(m, f16, spe_shl(m, wide, spe_const_u(m, i16, 8)));
        return bits == 16 ? same : spe_fconvert(m, to, same);
    }
    spe_id rest = spe_and(m, wide, spe_const_u(m, i16, (1u << f->sign) - 1));
    spe_id up = spe_const_u(m, i16, (uint64_t)(15 - f->sign));
    spe_id sign = spe_shl(m, spe_and(m, wide, spe_const_u(m, i16, 1u << f->sign)), up);
    spe_id half = spe_or(m, sign, spe_shl(m, rest, spe_const_u(m, i16, (uint64_t)f->shift)));
    half = spe_bitcast(m, f16, half);
    if (bits != 16) half = spe_fconvert(m, to, half);
    spe_id scaled = spe_fmul(m, half, spe_const_f(m, to, f->scale));
    if (type == CM_E2M1) return scaled;
    spe_id nan = spe_const_u(m, cm_like_int_(m, bits, v), bits == 16 ? 0x7e00 : 0x7fc00000);
    nan = spe_bitcast(m, to, nan);
    return spe_select(m, spe_ieq(m, rest, spe_const_u(m, i16, 0x7f)), nan, scaled);
}

/* Scales: the exponent of an f32, but for 2^-127, which is subnormal, and NaN. */
static spe_id cm_e8m0_to_f32_(cm_ctx *c, spe_id v)
{
    spe_module *m = c->module;
    spe_id i32 = cm_like_int_(m, 32, v), wide = spe_uconvert(m, i32, v), zero = spe_const_u(m, i32, 0);
    spe_id power = spe_shl(m, wide, spe_const_u(m, i32, 23)), least = spe_ieq(m, wide, zero);
    spe_id special = spe_lor(m, least, spe_ieq(m, wide, spe_const_u(m, i32, SPE_E8M0_NAN)));
    spe_id half = spe_select(m, special, spe_const_u(m, i32, 0x400000), zero);
    power = spe_or(m, power, half);
    return spe_bitcast(m, cm_like_float_(m, 32, v), power);
}

/* To the nearest power of two, of two the even one: see spe_f32_to_e8m0_bits. */
static spe_id cm_f32_to_e8m0_(cm_ctx *c, spe_id v)
{
    spe_module *m = c->module;
    spe_id i32 = cm_like_int_(m, 32, v), word = spe_bitcast(m, i32, v);
    spe_id bits = spe_and(m, word, spe_const_u(m, i32, 0x7fffffff)), down = spe_const_u(m, i32, 23);
    spe_id tiny = spe_ult(m, bits, spe_const_u(m, i32, 0x800000));
    spe_id low = spe_iadd(m, bits, spe_const_u(m, i32, 0x1fffff)), high = cm_round_bits_(c, i32, bits, 23);
    spe_id scale = spe_shr(m, spe_select(m, tiny, low, high), down);
    scale = spe_math2(m, SPE_UMIN, scale, spe_const_u(m, i32, SPE_E8M0_NAN - 1));
    spe_id negative = spe_ugt(m, word, spe_const_u(m, i32, 0x80000000));
    spe_id none = spe_lor(m, negative, spe_isnan(m, v));
    scale = spe_select(m, none, spe_const_u(m, i32, SPE_E8M0_NAN), scale);
    return spe_uconvert(m, cm_like_int_(m, 8, v), scale);
}

/* To nearest even. Larger values, even infinity, become the largest number, or on overflow `beyond`. NaN stays NaN. */
static spe_id cm_f32_to_f8_(cm_ctx *c, cm_type type, spe_id v)
{
    const cm_f8_ *f = cm_f8_row_(type);
    spe_module *m = c->module;
    spe_id f32 = spe_type_of(m, v), i32 = cm_like_int_(m, 32, v), magic = spe_const_f(m, f32, f->magic);
    spe_id exact = spe_math1(m, SPE_FABS, v), size = spe_math2(m, SPE_FMIN, exact, spe_const_f(m, f32, f->largest));
    spe_id normal = cm_round_bits_(c, i32, spe_bitcast(m, i32, size), f->cut);
    normal = spe_shr(m, normal, spe_const_u(m, i32, (uint64_t)f->cut));
    normal = spe_isub(m, normal, spe_const_u(m, i32, (uint64_t)f->rebias));
    spe_id none = spe_bitcast(m, i32, magic), tiny = spe_isub(m, spe_bitcast(m, i32, spe_fadd(m, size, magic)), none);
    spe_id bits = spe_select(m, spe_flt(m, size, spe_const_f(m, f32, f->normal)), tiny, normal);
    if (c->overflow) {
        spe_id beyond = spe_const_u(m, i32, (uint64_t)f->beyond);
        bits = spe_select(m, spe_fgt(m, exact, spe_const_f(m, f32, f->limit)), beyond, bits);
    }
    spe_id nan = spe_const_u(m, i32, (uint64_t)f->nan);
    bits = spe_select(m, spe_isnan(m, v), nan, bits);
    spe_id high = spe_const_u(m, i32, 1u << f->sign), down = spe_const_u(m, i32, (uint64_t)(31 - f->sign));
    spe_id sign = spe_and(m, spe_shr(m, spe_bitcast(m, i32, v), down), high);
    bits = spe_or(m, bits, sign);
    if (c->upper) bits = spe_shl(m, bits, spe_const_u(m, i32, 4));
    return spe_uconvert(m, cm_like_int_(m, 8, v), bits);
}

spe_id cm_to_arith(cm_ctx *c, cm_type type, spe_id v)
{
    if (!cm_arith_type(c, type)) return 0;
    if (cm_f8_row_(type)) return cm_f8_to_float_(c, type, v, 32);
    if (type == CM_E8M0) return cm_e8m0_to_f32_(c, v);
    if (type != CM_BF16) return v;
    if (c->lowering == CM_INTEL) return spe_bf16_to_f32(c->module, v);
    spe_id i32 = cm_like_int_(c->module, 32, v), up = spe_const_u(c->module, i32, 16);
    spe_id wide = spe_shl(c->module, spe_uconvert(c->module, i32, v), up);
    return spe_bitcast(c->module, cm_like_float_(c->module, 32, v), wide);
}

spe_id cm_from_arith(cm_ctx *c, cm_type type, spe_id v)
{
    bool f8 = cm_f8_row_(type) != NULL, zero = c->rounding == CM_ROUND_ZERO;
    if (type != CM_BF16 && type != CM_TF32 && type != CM_E8M0 && !f8) return v;
    if (c->rounding > CM_ROUND_ZERO || (zero && (f8 || type == CM_E8M0)))
        return CM_FAIL_(c, CONVERT, "no such rounding to %s", cm_name_(type));
    if (type == CM_E8M0) return cm_f32_to_e8m0_(c, v);
    if (f8) return cm_f32_to_f8_(c, type, v);
    return type == CM_TF32 ? cm_round_tf32_(c, v, !zero) : cm_round_bf16_(c, v, !zero);
}

/* Converts values between arithmetic types: to nearest between floats, towards zero to integers, the low bits between
 * integers, unless cm_convert_as requests otherwise. */
static spe_id cm_convert_arith_(cm_ctx *c, cm_type from, cm_type to, spe_id v)
{
    static const uint32_t modes[] = {0, SPE_FPRoundingModeRTE, SPE_FPRoundingModeRTZ, SPE_FPRoundingModeRTP,
                                     SPE_FPRoundingModeRTN};
    spe_id type = cm_arith_type(c, to);
    if (!type || !cm_arith_type(c, from)) return 0;
    spe_conversion how = {cm_type_info(from)->is_signed, cm_type_info(to)->is_signed, c->saturate, c->rounding != 0,
                          modes[c->rounding]};
    return spe_cast_as(c->module, spe_vec_like(c->module, type, v), v, &how);
}

/* Bytes in words, as f16 plus c->plus. The bits of f16 1024 + u are 0x6400 | u, for u from 0 to 1023, and so are those
 * of 1152 + i with the sign of a byte flipped; what is subtracted is whole, so that only the sum rounds. Two bytes of
 * a word take seven instructions with Intel's compiler, as many as two conversions. */
static spe_id cm_words_to_f16_(cm_ctx *c, bool is_signed, spe_id v)
{
    spe_module *m = c->module;
    uint32_t n = spe_count(m, spe_type_of(m, v)), index[16];
    spe_id words = cm_vec_(c, spe_int(m, 16), (int)n / 2), halves = cm_vec_(c, spe_float(m, 16), (int)n / 2), part[2];
    spe_id bias = spe_const_u(m, words, is_signed ? 0x6480 : 0x6400), eight = spe_const_u(m, words, 8);
    spe_id word = spe_bitcast(m, words, v), first = spe_const_f(m, halves, (is_signed ? 1152 : 1024) - c->plus);
    part[0] = spe_and(m, word, spe_const_u(m, words, 0xff));
    part[1] = spe_shr(m, word, eight);
    for (int i = 0; i < 2; i++) {
        part[i] = is_signed ? spe_xor(m, part[i], bias) : spe_or(m, part[i], bias);
        part[i] = spe_fsub(m, spe_bitcast(m, halves, part[i]), first);
    }
    for (uint32_t i = 0; i < n; i++) index[i] = i / 2 + i % 2 * (n / 2);
    return n == 2 ? cm_join_(c, spe_float(m, 16), part, 2, 1) : spe_shuffle(m, part[0], part[1], n, index);
}

/* Converts values from the storage type of `from` to that of `to`. */
XE_FN_ spe_id cm_convert_vector_(cm_ctx *c, cm_type from, cm_type to, spe_id v)
{
    if (from == to) return v;
    if (to == CM_F16 && cm_f8_row_(from)) return cm_f8_to_float_(c, from, v, 16);
    return cm_from_arith(c, to, cm_convert_arith_(c, from, to, cm_to_arith(c, from, v)));
}

/* Converts components of a matrix to the storage type of `to`. Is 1152 less c->plus whole, and an f16? */
static spe_id cm_convert_components_(cm_ctx *c, const cm_matrix *a, cm_type to, spe_id v)
{
    cm_type from = a->layout.type;
    bool bytes = from == CM_I8 || from == CM_U8, pairs = spe_count(c->module, spe_type_of(c->module, v)) % 2 == 0;
    bool exact = c->plus >= -896 && c->plus <= 3072 && c->plus == (int)c->plus;
    if (a->in_words && bytes && to == CM_F16 && pairs && exact) return cm_words_to_f16_(c, from == CM_I8, v);
    v = cm_convert_vector_(c, from, to, v);
    return c->plus != 0 ? spe_fadd(c->module, v, spe_const_f(c->module, spe_type_of(c->module, v), c->plus)) : v;
}

spe_id *cm_component_ids(cm_ctx *c, const cm_matrix *a, cm_type type)
{
    if (cm_is_poison_(c, a) || cm_opaque_(c, "this operation") || !cm_arith_type(c, a->layout.type)) return NULL;
    spe_id *out = cm_ids_(c, a->layout.size_v);
    for (int part = 0, v = 0; out && part < a->parts; part++) {
        int words = cm_part_words(&a->layout, part), group = cm_group_(&a->layout, words),
            n = group * cm_channels_(&a->layout);
        for (int first = 0; first < words; first += group) {
            spe_id vector = cm_convert_components_(c, a, type, cm_unpack_(c, &a->layout, a->part[part], first, group));
            for (int i = 0; i < n; i++) out[v++] = spe_extract(c->module, vector, (uint32_t)i);
        }
    }
    return out;
}

/* What the function makes of components, which must be of their type. */
static spe_id cm_applied_(cm_ctx *c, cm_type type, spe_id a, spe_id b, cm_fn fn, void *user)
{
    spe_id r = fn(c, type, a, b, user);
    char got[64], want[64];
    if (!spe_ok(c->module) || spe_type_of(c->module, r) == spe_type_of(c->module, a)) return r;
    return CM_FAIL_(c, SCALAR, "a function on %s returned %s",
                    spe_type_text(c->module, spe_type_of(c->module, a), want, sizeof want),
                    spe_type_text(c->module, spe_type_of(c->module, r), got, sizeof got));
}

/* Applies fn to every group of components of a (and b, if given) and converts the results to the type of l. */
XE_FN_ cm_matrix cm_map_(cm_ctx *c, const cm_layout *l, const cm_matrix *a, const cm_matrix *b, cm_fn fn, void *user)
{
    cm_matrix d = cm_new_(c, l);
    cm_type type = a->layout.type;
    if (cm_opaque_(c, "component-wise operations") || !cm_arith_type(c, type) || !cm_arith_type(c, l->type))
        return cm_poison();
    for (int part = 0; part < d.parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), pieces = 0;
        spe_id piece[8];
        for (int first = 0; first < words; first += group) {
            spe_id x = cm_unpack_(c, &a->layout, a->part[part], first, group), y = 0;
            if (b) y = cm_to_arith(c, type, cm_unpack_(c, &b->layout, b->part[part], first, group));
            if (fn) x = cm_from_arith(c, type, cm_applied_(c, type, cm_to_arith(c, type, x), y, fn, user));
            x = fn ? cm_convert_vector_(c, type, l->type, x) : cm_convert_components_(c, a, l->type, x);
            piece[pieces++] = cm_pack_(c, l, x, group);
        }
        d.part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    return spe_ok(c->module) ? d : cm_poison();
}
