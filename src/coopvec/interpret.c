/* interpret.c - the conversion rules, by which a vector is read as a matrix product's input too. A converted value is
 * held as the SPIR-V scalar of its type, FP8 as the f16 of the same value. */
#include "internal.h"

/* The bounds of an integer type. */
static int64_t cv_least_(int bits, bool is_signed) { return is_signed ? -((int64_t)1 << (bits - 1)) : 0; }
static int64_t cv_most_(int bits, bool is_signed) { return ((int64_t)1 << (bits - is_signed)) - 1; }

static spe_id cv_like_(cv_ctx *x, spe_id scalar, spe_id v)
{
    spe_id type = spe_type_of(&x->m, v);
    return type ? spe_vec(&x->m, scalar, spe_count(&x->m, type)) : 0;
}

/* Between lo and hi, in v's own type. */
static spe_id cv_clamp_int_(cv_ctx *x, spe_id v, bool is_signed, int64_t lo, int64_t hi)
{
    spe_module *m = &x->m;
    spe_id type = spe_type_of(m, v);
    int bits = (int)spe_width(m, type);
    if (lo > cv_least_(bits, is_signed)) v = spe_math2(m, is_signed ? SPE_SMAX : SPE_UMAX, v, spe_const_i(m, type, lo));
    if (hi < cv_most_(bits, is_signed)) v = spe_math2(m, is_signed ? SPE_SMIN : SPE_UMIN, v, spe_const_i(m, type, hi));
    return v;
}

static spe_id cv_int_to_int_(cv_ctx *x, spe_id v, int from, int to)
{
    const cv_type_row *t = cv_type_info(to);
    bool sign = cv_is_signed_(from);
    spe_id type = cv_like_(x, cv_spe_type_(x, to), v);
    v = cv_clamp_int_(x, v, sign, cv_least_(t->bits, t->is_signed), cv_most_(t->bits, t->is_signed));
    return sign ? spe_sconvert(&x->m, type, v) : spe_uconvert(&x->m, type, v);
}

static spe_id cv_float_to_int_(cv_ctx *x, spe_id v, int to)
{
    spe_module *m = &x->m;
    spe_id wide = cv_like_(x, spe_float(m, 32), v), whole = cv_like_(x, spe_int(m, 32), v),
           type = cv_like_(x, cv_spe_type_(x, to), v);
    const cv_type_row *t = cv_type_info(to);
    v = spe_math1(m, SPE_RINT, spe_fconvert(m, wide, v));
    if (t->bits < 32) { /* the bounds are exact in f32; fmax takes NaN to the lower bound, so NaN goes first */
        double lo = (double)cv_least_(t->bits, t->is_signed), hi = (double)cv_most_(t->bits, t->is_signed);
        v = spe_select(m, spe_isnan(m, v), spe_const_f(m, wide, 0), v);
        v = spe_math2(m, SPE_FMIN, spe_math2(m, SPE_FMAX, v, spe_const_f(m, wide, lo)), spe_const_f(m, wide, hi));
        return spe_uconvert(m, type, spe_f_to_s(m, whole, v));
    }
    v = t->is_signed ? spe_f_to_s(m, type, v) : spe_f_to_u(m, type, v);
    if (v) spe_decorate(m, v, SPE_DecorationSaturatedConversion, 0, NULL);
    return v;
}

/* f32 rounded to a value of FP8, still f32: a multiple of its last place, which is 2^(exponent - mantissa bits). */
spe_id cv_round_fp8_(cv_ctx *x, spe_id v, int to)
{
    spe_module *m = &x->m;
    spe_id real = cv_like_(x, spe_float(m, 32), v), word = cv_like_(x, spe_int(m, 32), v), e, place, inverse, r;
    int mantissa = to == CV_E4M3 ? 3 : 2, least = to == CV_E4M3 ? 127 - 6 : 127 - 14; /* of normal numbers, biased */
    double largest = to == CV_E4M3 ? 448 : 57344;
    e = spe_and(m, spe_shr(m, spe_bitcast(m, word, v), spe_const_u(m, word, 23)), spe_const_u(m, word, 255));
    e = spe_math2(m, SPE_UMAX, e, spe_const_i(m, word, least));
    place = spe_bitcast(m, real, spe_shl(m, spe_isub(m, e, spe_const_i(m, word, mantissa)), spe_const_u(m, word, 23)));
    inverse = spe_bitcast(m, real,
                          spe_shl(m, spe_isub(m, spe_const_i(m, word, 254 + mantissa), e), spe_const_u(m, word, 23)));
    r = spe_fmul(m, spe_math1(m, SPE_RINT, spe_fmul(m, v, inverse)), place);
    r = spe_math2(m, SPE_FMIN, spe_math2(m, SPE_FMAX, r, spe_const_f(m, real, -largest)),
                  spe_const_f(m, real, largest));
    return spe_select(m, spe_isnan(m, v), v, r);
}

/* FP8 in the upper halves of 16-bit integers (the lower are of no account) as the f16 of the same value. For E5M2 that
 * is what it is already; E4M3 has one more bit of mantissa, and an exponent that is 8 less. Its NaN alone, all ones,
 * becomes a power of two when one is added below the mantissa, and the bit that comes up makes it a NaN of f16. */
spe_id cv_decode_fp8_high_(cv_ctx *x, spe_id v, int type)
{
    spe_module *m = &x->m;
    spe_id half = cv_like_(x, spe_float(m, 16), v), word = spe_type_of(m, v), nan;
    if (type == CV_E5M2) return spe_bitcast(m, half, spe_and(m, v, spe_const_u(m, word, 0xff00)));
    v = spe_and(m, spe_sar(m, v, spe_const_u(m, word, 1)), spe_const_u(m, word, 0xbf80));
    nan = spe_and(m, spe_iadd(m, v, spe_const_u(m, word, 0x80)), spe_const_u(m, word, 0x4000));
    return spe_fmul(m, spe_bitcast(m, half, spe_or(m, v, nan)), spe_const_f(m, half, 256));
}

/* Bits of FP8 (8-bit integers) likewise. */
spe_id cv_decode_fp8_(cv_ctx *x, spe_id v, int type)
{
    spe_module *m = &x->m;
    spe_id word = cv_like_(x, spe_int(m, 16), v);
    return cv_decode_fp8_high_(x, spe_shl(m, spe_uconvert(m, word, v), spe_const_u(m, word, 8)), type);
}

/* What stands in memory, as held. */
spe_id cv_decode_(cv_ctx *x, spe_id v, int type) { return cv_is_fp8_(type) ? cv_decode_fp8_(x, v, type) : v; }

static spe_id cv_float_to_float_(cv_ctx *x, spe_id v, int from, int to)
{
    spe_module *m = &x->m;
    spe_id real = cv_like_(x, spe_float(m, 32), v), half = cv_like_(x, spe_float(m, 16), v);
    if (!cv_is_fp8_(to)) return spe_fconvert(m, to == CV_F32 ? real : half, v);
    return from == to ? v : spe_fconvert(m, half, cv_round_fp8_(x, spe_fconvert(m, real, v), to));
}

/* 32-bit integers go to 16 bits and less by way of f32, which is exact after cutting off what is infinite or largest
 * anyway. */
static spe_id cv_int_to_float_(cv_ctx *x, spe_id v, int from, int to)
{
    spe_module *m = &x->m;
    spe_id real = cv_like_(x, spe_float(m, 32), v);
    bool sign = cv_is_signed_(from);
    if (to != CV_F32) v = cv_clamp_int_(x, v, sign, sign ? -65536 : 0, 65536);
    v = sign ? spe_s_to_f(m, real, v) : spe_u_to_f(m, real, v);
    return cv_float_to_float_(x, v, CV_F32, to);
}

/* A held scalar or vector of one type as one of another. Neither is packed. */
spe_id cv_convert_value_(cv_ctx *x, spe_id v, int from, int to)
{
    if (!spe_ok(&x->m) || from == to) return v;
    if (cv_is_float_(from)) return cv_is_float_(to) ? cv_float_to_float_(x, v, from, to) : cv_float_to_int_(x, v, to);
    return cv_is_float_(to) ? cv_int_to_float_(x, v, from, to) : cv_int_to_int_(x, v, from, to);
}

/* A held value in what products are summed in: f32, or 32 bits of an integer. Exact but for 32-bit integers to f32. */
spe_id cv_to_sum_(cv_ctx *x, spe_id v, int type, bool real)
{
    spe_module *m = &x->m;
    spe_id to = cv_like_(x, real ? spe_float(m, 32) : spe_int(m, 32), v);
    if (cv_is_float_(type)) return spe_fconvert(m, to, v);
    if (real) return cv_is_signed_(type) ? spe_s_to_f(m, to, v) : spe_u_to_f(m, to, v);
    return cv_is_signed_(type) ? spe_sconvert(m, to, v) : spe_uconvert(m, to, v);
}

/* A vector's parts as those of a vector of another type. */
cv_vec cv_convert_vec_(cv_ctx *x, const cv_vec *v, int type)
{
    cv_vec r = cv_new_(x, type, v->n);
    for (int i = 0; i < r.parts; i++) r.part[i] = cv_convert_value_(x, v->part[i], v->type, type);
    return r;
}

cv_vec cv_cast_vec_(cv_where_ w, int type, cv_any_ a)
{
    if (!cv_enter_(w) || !cv_check_vec_(w, &a.vec) || !cv_check_type_(w, type)) return cv_no_vec_();
    return cv_convert_vec_(w.x, &a.vec, type);
}

cv_val cv_cast_scalar_(cv_where_ w, int type, cv_any_ a)
{
    int from = a.val.kind == SPE_SCALAR ? a.val.type : a.val.kind == SPE_REAL ? CV_F32 : CV_I32;
    spe_id id;
    if (!cv_enter_(w)) return cv_nothing_();
    if (!cv_type_info(type) || cv_is_packed_(type) || cv_is_fp8_(type) || from == CV_BOOL_)
        cv_fail_(w, CV_ERROR_NUMBER_TYPE, "%s to %s", cv_type_text_(from), cv_type_text_(type));
    id = spe_ok(&w.x->m) ? cv_id_(w, from, &a.val) : 0;
    return cv_scalar_(type, id ? cv_convert_value_(w.x, id, from, type) : 0, a.val.uniform);
}
