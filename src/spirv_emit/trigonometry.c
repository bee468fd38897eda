/* trigonometry.c - circular functions and their inverses for Vulkan, of f32. Reduction by pi is in integers, with as
 * many bits of 2/pi as an argument needs, so that it is exact enough for all of them; the rest is series. */
#include "internal.h"

/* The upper 32 bits of a product of unsigned integers of 32 bits, by halves. */
XE_FN_ spe_id spe_high_product_(spe_module *m, spe_id a, spe_id b)
{
    spe_id type = spe_type_of(m, a), low = spe_const_u(m, type, 0xffff), half = spe_const_u(m, type, 16);
    spe_id a0 = spe_and(m, a, low), a1 = spe_shr(m, a, half), b0 = spe_and(m, b, low), b1 = spe_shr(m, b, half);
    spe_id middle = spe_iadd(m, spe_imul(m, a1, b0), spe_shr(m, spe_imul(m, a0, b0), half));
    spe_id other = spe_iadd(m, spe_imul(m, a0, b1), spe_and(m, middle, low));
    return spe_iadd(m, spe_iadd(m, spe_imul(m, a1, b1), spe_shr(m, middle, half)), spe_shr(m, other, half));
}

/* Word q + j of 64 zeros and the bits of 2/pi, for q from 0 to 4. */
static spe_id spe_word_of_2_by_pi_(spe_module *m, spe_id q, uint32_t j)
{
    static const uint32_t words[] = {0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                     0xdb629599, 0x3c439041, 0xfe5163ab};
    spe_id type = spe_type_of(m, q), word = spe_const_u(m, type, words[j]);
    for (uint32_t i = 1; i < 5 && i + j < sizeof words / sizeof *words; i++) {
        spe_id is = spe_ieq(m, q, spe_const_u(m, type, i));
        word = spe_select(m, is, spe_const_u(m, type, words[i + j]), word);
    }
    return word;
}

/* The fraction of |x| / (2 pi) in 64 bits, for |x| from 1/2 on. With |x| = M 2^(e-31), M of 32 bits, it is that of M
 * times the bits of 2/pi from place e - 3 on, of which 96 count. */
static void spe_turns_(spe_module *m, spe_id x, spe_id *high, spe_id *low)
{
    spe_id type = spe_vec_like(m, spe_int(m, 32), x), window[3], thirty_two = spe_const_u(m, type, 32);
    spe_id bits = spe_bitcast(m, type, x), e = spe_and(m, spe_shr(m, bits, spe_const_u(m, type, 23)),
                                                       spe_const_u(m, type, 255));
    spe_id mantissa = spe_shl(m, spe_or(m, bits, spe_const_u(m, type, 0x800000)), spe_const_u(m, type, 8));
    e = spe_select(m, spe_ult(m, e, spe_const_u(m, type, 126)), spe_const_u(m, type, 126), e);
    spe_id place = spe_isub(m, e, spe_const_u(m, type, 126 - 30)), q = spe_shr(m, place, spe_const_u(m, type, 5));
    spe_id b = spe_and(m, place, spe_const_u(m, type, 31)), rest = spe_isub(m, thirty_two, b);
    spe_id whole = spe_ieq(m, b, spe_const_u(m, type, 0)), next = spe_word_of_2_by_pi_(m, q, 0);
    rest = spe_select(m, whole, spe_const_u(m, type, 31), rest); /* a shift by 32 is undefined */
    for (uint32_t j = 0; j < 3; j++) {
        spe_id word = next;
        next = spe_word_of_2_by_pi_(m, q, j + 1);
        window[j] = spe_or(m, spe_shl(m, word, b), spe_shr(m, next, rest));
        window[j] = spe_select(m, whole, word, window[j]);
    }
    spe_id carried = spe_high_product_(m, mantissa, window[2]);
    *low = spe_iadd(m, spe_imul(m, mantissa, window[1]), carried);
    spe_id carry = spe_select(m, spe_ult(m, *low, carried), spe_const_u(m, type, 1), spe_const_u(m, type, 0));
    *high = spe_iadd(m, spe_imul(m, mantissa, window[0]), spe_high_product_(m, mantissa, window[1]));
    *high = spe_iadd(m, *high, carry);
}

/* |x| = n pi/2 + r with r in -pi/4 .. pi/4 and n modulo 4; x itself and 0 below pi/4. */
static spe_id spe_reduced_(spe_module *m, spe_id x, spe_id *n)
{
    spe_id type = spe_type_of(m, x), i32 = spe_vec_like(m, spe_int(m, 32), x), high, low, r, zero, byte;
    spe_id a = spe_glsl_abs_(m, x), negative, eight = spe_const_u(m, i32, 8), small;
    zero = spe_const_u(m, i32, 0);
    byte = spe_const_u(m, i32, 0xff);
    spe_turns_(m, a, &high, &low);
    *n = spe_shr(m, spe_iadd(m, high, spe_const_u(m, i32, 0x20000000)), spe_const_u(m, i32, 30));
    high = spe_isub(m, high, spe_shl(m, *n, spe_const_u(m, i32, 30)));
    negative = spe_slt(m, high, zero);
    high = spe_select(m, negative, spe_not(m, high), high); /* less than its negative by a unit of 2^-64 */
    low = spe_select(m, negative, spe_not(m, low), low);
    spe_id top = spe_s_to_f(m, type, spe_isub(m, high, spe_and(m, high, byte)));
    spe_id rest = spe_or(m, spe_shl(m, spe_and(m, high, byte), spe_const_u(m, i32, 24)), spe_shr(m, low, eight));
    rest = spe_fmul(m, spe_u_to_f(m, type, rest), spe_glsl_f_(m, x, 0x1p-56));
    r = spe_fadd(m, spe_fmul(m, top, spe_glsl_f_(m, x, 0x1p-32)), rest);
    r = spe_fmul(m, r, spe_glsl_f_(m, x, 6.283185307179586));
    r = spe_select(m, negative, spe_fneg(m, r), r);
    small = spe_flt(m, a, spe_glsl_f_(m, x, 0.78539816));
    *n = spe_select(m, small, zero, *n);
    return spe_select(m, small, a, r);
}

/* x - 2 n' = n / 2 + r with r in -1/4 .. 1/4, exactly, for functions of pi x; r times pi. */
static spe_id spe_reduced_pi_(spe_module *m, spe_id x, spe_id *n)
{
    spe_id i32 = spe_vec_like(m, spe_int(m, 32), x), a = spe_glsl_abs_(m, x), half = spe_glsl_f_(m, x, 0.5), t, q;
    t = spe_fsub(m, a, spe_fmul(m, spe_glsl_round_(m, spe_fmul(m, a, half)), spe_glsl_f_(m, x, 2.0)));
    q = spe_glsl_round_(m, spe_fadd(m, t, t));
    *n = spe_and(m, spe_f_to_s(m, i32, q), spe_const_u(m, i32, 3));
    t = spe_fsub(m, t, spe_fmul(m, q, half));
    return spe_fmul(m, t, spe_glsl_f_(m, x, 3.141592653589793));
}

static spe_id spe_sine_series_(spe_module *m, spe_id r)
{
    static const double series[] = {1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6};
    spe_id z = spe_fmul(m, r, r);
    return spe_fadd(m, r, spe_fmul(m, spe_fmul(m, r, z), spe_polynomial_(m, z, 4, series)));
}

static spe_id spe_cosine_series_(spe_module *m, spe_id r)
{
    static const double series[] = {-1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5};
    spe_id z = spe_fmul(m, r, r);
    return spe_fadd(m, spe_glsl_f_(m, r, 1.0), spe_fmul(m, z, spe_polynomial_(m, z, 5, series)));
}

/* NaN where x is that or infinite, else y. */
static spe_id spe_if_finite_(spe_module *m, spe_id x, spe_id y)
{
    spe_id i32 = spe_vec_like(m, spe_int(m, 32), x), bits = spe_bitcast(m, i32, spe_glsl_abs_(m, x));
    spe_id finite = spe_ult(m, bits, spe_const_u(m, i32, 0x7f800000));
    return spe_select(m, finite, y, spe_bitcast(m, spe_type_of(m, x), spe_const_u(m, i32, 0x7fc00000)));
}

/* sin, cos or tan of x, or of pi x. */
XE_FN_ spe_id spe_circular_(spe_module *m, spe_id x, char which, bool of_pi)
{
    spe_id i32 = spe_vec_like(m, spe_int(m, 32), x), one = spe_const_u(m, i32, 1), two = spe_const_u(m, i32, 2), n;
    spe_id r = of_pi ? spe_reduced_pi_(m, x, &n) : spe_reduced_(m, x, &n), y, odd, minus, bits, sign;
    if (which == 'c') n = spe_iadd(m, n, one);
    spe_id s = spe_sine_series_(m, r), c = spe_cosine_series_(m, r);
    odd = spe_ine(m, spe_and(m, n, one), spe_const_u(m, i32, 0));
    y = spe_select(m, odd, c, s);
    minus = spe_shl(m, spe_and(m, n, two), spe_const_u(m, i32, 30)); /* the third and fourth quarters */
    sign = spe_const_u(m, i32, 0x80000000);
    bits = minus;
    if (which == 't') {
        spe_id pole = spe_land(m, odd, spe_feq(m, s, spe_glsl_f_(m, x, 0.0)));
        y = spe_fdiv(m, y, spe_select(m, odd, spe_fneg(m, s), c));
        y = spe_select(m, pole, spe_bitcast(m, spe_type_of(m, x), spe_const_u(m, i32, 0x7f800000)), y);
        bits = spe_select(m, pole, minus, spe_const_u(m, i32, 0));
    }
    if (which != 'c') bits = spe_xor(m, bits, spe_and(m, spe_bitcast(m, i32, x), sign));
    y = spe_bitcast(m, spe_type_of(m, x), spe_xor(m, spe_bitcast(m, i32, y), bits));
    return spe_if_finite_(m, x, y);
}

/* atan of x from 0 to 1; beyond tan(pi/8) it is pi/4 + atan((x - 1) / (x + 1)). */
static spe_id spe_arc_(spe_module *m, spe_id x)
{
    static const double series[] = {1.0 / 17, -1.0 / 15, 1.0 / 13, -1.0 / 11, 1.0 / 9, -1.0 / 7, 1.0 / 5, -1.0 / 3};
    spe_id one = spe_glsl_f_(m, x, 1.0), large = spe_fgt(m, x, spe_glsl_f_(m, x, 0.41421356)), t, z;
    t = spe_select(m, large, spe_fdiv(m, spe_fsub(m, x, one), spe_fadd(m, x, one)), x);
    z = spe_fmul(m, t, t);
    t = spe_fadd(m, t, spe_fmul(m, spe_fmul(m, t, z), spe_polynomial_(m, z, 8, series)));
    return spe_select(m, large, spe_fadd(m, t, spe_glsl_f_(m, x, 0.7853981633974483)), t);
}

/* The angle of a point (x, y). Both coordinates are scaled so that their quotient is exact to 2.5 units. */
XE_FN_ spe_id spe_angle_(spe_module *m, spe_id y, spe_id x)
{
    spe_id type = spe_type_of(m, x), i32 = spe_vec_like(m, spe_int(m, 32), x), one = spe_glsl_f_(m, x, 1.0), scale;
    spe_id ax = spe_glsl_abs_(m, x), ay = spe_glsl_abs_(m, y), steep = spe_fgt(m, ay, ax);
    spe_id zero = spe_const_u(m, i32, 0);
    spe_id most = spe_select(m, steep, ay, ax), least = spe_select(m, steep, ax, ay), q, result;
    scale = spe_select(m, spe_fgt(m, most, spe_glsl_f_(m, x, 0x1p90)), spe_glsl_f_(m, x, 0x1p-40), one);
    scale = spe_select(m, spe_flt(m, most, spe_glsl_f_(m, x, 0x1p-60)), spe_glsl_f_(m, x, 0x1p60), scale);
    q = spe_fdiv(m, spe_fmul(m, least, scale), spe_fmul(m, most, scale));
    q = spe_select(m, spe_feq(m, least, most), one, q); /* infinities; but 0, 0 is 0 */
    q = spe_select(m, spe_feq(m, least, spe_glsl_f_(m, x, 0.0)), spe_glsl_f_(m, x, 0.0), q);
    result = spe_arc_(m, q);
    result = spe_select(m, steep, spe_fsub(m, spe_glsl_f_(m, x, 1.5707963267948966), result), result);
    spe_id left = spe_slt(m, spe_bitcast(m, i32, x), zero);
    result = spe_select(m, left, spe_fsub(m, spe_glsl_f_(m, x, 3.141592653589793), result), result);
    spe_id sign = spe_and(m, spe_bitcast(m, i32, y), spe_const_u(m, i32, 0x80000000));
    result = spe_bitcast(m, type, spe_or(m, spe_bitcast(m, i32, result), sign));
    return spe_unless_nan_(m, x, spe_unless_nan_(m, y, result));
}

/* asin x = x + x^3 / 6 + 3 x^5 / 40 ... of x from 0 to 1/2. */
static spe_id spe_arc_sine_series_(spe_module *m, spe_id x)
{
    double series[12], term = 1;
    for (int n = 1; n <= 12; n++) {
        term *= (2.0 * n - 1) / (2.0 * n);
        series[12 - n] = term / (2 * n + 1);
    }
    spe_id z = spe_fmul(m, x, x);
    return spe_fadd(m, x, spe_fmul(m, spe_fmul(m, x, z), spe_polynomial_(m, z, 12, series)));
}

/* asin or acos: beyond 1/2, acos x = 2 asin(sqrt((1 - x) / 2)). */
XE_FN_ spe_id spe_arc_sine_(spe_module *m, spe_id x, bool cosine)
{
    spe_id half = spe_glsl_f_(m, x, 0.5), one = spe_glsl_f_(m, x, 1.0), a = spe_glsl_abs_(m, x), y, near_one, quarter;
    spe_id i32 = spe_vec_like(m, spe_int(m, 32), x), negative, sign, root;
    quarter = spe_glsl_f_(m, x, 1.5707963267948966);
    near_one = spe_fgt(m, a, half);
    root = spe_glsl_root_(m, spe_fmul(m, spe_fsub(m, one, a), half));
    y = spe_arc_sine_series_(m, spe_select(m, near_one, root, a));
    negative = spe_slt(m, spe_bitcast(m, i32, x), spe_const_u(m, i32, 0));
    spe_id twice = spe_fadd(m, y, y), outside = spe_fgt(m, a, one);
    if (cosine) {
        spe_id other = spe_select(m, negative, spe_fsub(m, spe_glsl_f_(m, x, 3.141592653589793), twice), twice);
        y = spe_select(m, near_one, other, spe_fsub(m, quarter, spe_select(m, negative, spe_fneg(m, y), y)));
    } else {
        y = spe_select(m, near_one, spe_fsub(m, quarter, twice), y);
        sign = spe_and(m, spe_bitcast(m, i32, x), spe_const_u(m, i32, 0x80000000));
        y = spe_bitcast(m, spe_type_of(m, x), spe_or(m, spe_bitcast(m, i32, y), sign));
    }
    spe_id nan = spe_bitcast(m, spe_type_of(m, x), spe_const_u(m, i32, 0x7fc00000));
    return spe_unless_nan_(m, x, spe_select(m, outside, nan, y));
}
