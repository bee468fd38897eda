/* trigonometry.c - circular functions and their inverses for Vulkan, of f32. Reduction by pi is in integers, with as
 * many bits of 2/pi as an argument needs, so that it is exact enough for all of them; the rest is series. */
#include "internal.h"

/* The upper 32 bits of a product of unsigned integers of 32 bits, by halves. */
XE_FN_ spe_id spe_high_product_(spe_module *m, spe_id a, spe_id b)
{
    spe_id a0 = spe_and_c_(m, a, 0xffff), a1 = spe_shr_c_(m, a, 16);
    spe_id b0 = spe_and_c_(m, b, 0xffff), b1 = spe_shr_c_(m, b, 16);
    spe_id lowest = spe_imul(m, a0, b0), middle = spe_imul(m, a1, b0), other = spe_imul(m, a0, b1);
    middle = spe_iadd(m, middle, spe_shr_c_(m, lowest, 16));
    other = spe_iadd(m, other, spe_and_c_(m, middle, 0xffff));
    spe_id high = spe_imul(m, a1, b1);
    high = spe_iadd(m, high, spe_shr_c_(m, middle, 16));
    return spe_iadd(m, high, spe_shr_c_(m, other, 16));
}

/* Word q + j of 64 zeros and the bits of 2/pi, for q from 0 to 4. */
static spe_id spe_word_of_2_by_pi_(spe_module *m, spe_id q, uint32_t j)
{
    static const uint32_t words[] = {0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                     0xdb629599, 0x3c439041, 0xfe5163ab};
    spe_id word = spe_glsl_u_(m, q, words[j]);
    for (uint32_t i = 1; i < 5 && i + j < sizeof words / sizeof *words; i++) {
        spe_id is = spe_ieq_c_(m, q, i);
        word = spe_select(m, is, spe_glsl_u_(m, q, words[i + j]), word);
    }
    return word;
}

/* The fraction of |x| / (2 pi) in 64 bits, for |x| from 1/2 on. With |x| = M 2^(e-31), M of 32 bits, it is that of M
 * times the bits of 2/pi from place e - 3 on, of which 96 count. */
static void spe_turns_(spe_module *m, spe_id x, spe_id *high, spe_id *low)
{
    spe_id bits = spe_bits_(m, x), zero = spe_glsl_u_(m, bits, 0), one = spe_glsl_u_(m, bits, 1), window[3];
    spe_id least = spe_glsl_u_(m, bits, 126), e = spe_and_c_(m, spe_shr_c_(m, bits, 23), 255);
    spe_id mantissa = spe_shl_c_(m, spe_or(m, bits, spe_glsl_u_(m, bits, 0x800000)), 8);
    e = spe_select(m, spe_ult(m, e, least), least, e);
    spe_id place = spe_isub_c_(m, e, 126 - 30), q = spe_shr_c_(m, place, 5), b = spe_and_c_(m, place, 31);
    spe_id rest = spe_isub(m, spe_glsl_u_(m, bits, 32), b), whole = spe_ieq(m, b, zero);
    spe_id next = spe_word_of_2_by_pi_(m, q, 0);
    rest = spe_select(m, whole, spe_glsl_u_(m, bits, 31), rest); /* a shift by 32 is undefined */
    for (uint32_t j = 0; j < 3; j++) {
        spe_id word = next, upper = spe_shl(m, word, b);
        next = spe_word_of_2_by_pi_(m, q, j + 1);
        window[j] = spe_or(m, upper, spe_shr(m, next, rest));
        window[j] = spe_select(m, whole, word, window[j]);
    }
    spe_id carried = spe_high_product_(m, mantissa, window[2]), top = spe_imul(m, mantissa, window[0]);
    *low = spe_iadd(m, spe_imul(m, mantissa, window[1]), carried);
    spe_id carry = spe_select(m, spe_ult(m, *low, carried), one, zero);
    top = spe_iadd(m, top, spe_high_product_(m, mantissa, window[1]));
    *high = spe_iadd(m, top, carry);
}

/* |x| = n pi/2 + r with r in -pi/4 .. pi/4 and n modulo 4; x itself and 0 below pi/4. */
static spe_id spe_reduced_(spe_module *m, spe_id x, spe_id *n)
{
    spe_id type = spe_type_of(m, x), a = spe_glsl_abs_(m, x), high, low;
    spe_turns_(m, a, &high, &low);
    spe_id quarters = spe_shr_c_(m, spe_iadd_c_(m, high, 0x20000000), 30), zero = spe_glsl_u_(m, high, 0);
    high = spe_isub(m, high, spe_shl_c_(m, quarters, 30));
    spe_id negative = spe_slt(m, high, zero);
    high = spe_select(m, negative, spe_not(m, high), high); /* less than its negative by a unit of 2^-64 */
    low = spe_select(m, negative, spe_not(m, low), low);
    spe_id byte = spe_and_c_(m, high, 0xff), top = spe_s_to_f(m, type, spe_isub(m, high, byte));
    spe_id rest = spe_shl_c_(m, byte, 24);
    rest = spe_u_to_f(m, type, spe_or(m, rest, spe_shr_c_(m, low, 8)));
    rest = spe_fmul_c_(m, rest, 0x1p-56);
    spe_id r = spe_fadd(m, spe_fmul_c_(m, top, 0x1p-32), rest);
    r = spe_fmul_c_(m, r, 6.283185307179586);
    r = spe_select(m, negative, spe_fneg(m, r), r);
    spe_id small = spe_flt_c_(m, a, 0.78539816);
    *n = spe_select(m, small, zero, quarters);
    return spe_select(m, small, a, r);
}

/* x - 2 n' = n / 2 + r with r in -1/4 .. 1/4, exactly, for functions of pi x; r times pi. */
static spe_id spe_reduced_pi_(spe_module *m, spe_id x, spe_id *n)
{
    spe_id i32 = spe_vec_like(m, spe_int(m, 32), x), a = spe_glsl_abs_(m, x), half = spe_glsl_f_(m, x, 0.5);
    spe_id pairs = spe_glsl_round_(m, spe_fmul(m, a, half)), t = spe_fsub(m, a, spe_fmul_c_(m, pairs, 2.0));
    spe_id halves = spe_glsl_round_(m, spe_fadd(m, t, t));
    *n = spe_and_c_(m, spe_f_to_s(m, i32, halves), 3);
    return spe_fmul_c_(m, spe_fsub(m, t, spe_fmul(m, halves, half)), 3.141592653589793);
}

/* r + r^3 P(r^2) */
static spe_id spe_odd_series_(spe_module *m, spe_id r, int n, const double *coefficients)
{
    spe_id square = spe_fmul(m, r, r), cube = spe_fmul(m, r, square);
    return spe_fadd(m, r, spe_fmul(m, cube, spe_polynomial_(m, square, n, coefficients)));
}

static spe_id spe_sine_series_(spe_module *m, spe_id r)
{
    static const double series[] = {1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6};
    return spe_odd_series_(m, r, 4, series);
}

static spe_id spe_cosine_series_(spe_module *m, spe_id r)
{
    static const double series[] = {-1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5};
    spe_id one = spe_glsl_f_(m, r, 1.0), z = spe_fmul(m, r, r);
    return spe_fadd(m, one, spe_fmul(m, z, spe_polynomial_(m, z, 5, series)));
}

/* NaN where x is that or infinite, else y. */
static spe_id spe_if_finite_(spe_module *m, spe_id x, spe_id y)
{
    spe_id bits = spe_bits_(m, spe_glsl_abs_(m, x)), finite = spe_ult(m, bits, spe_glsl_u_(m, bits, 0x7f800000));
    return spe_select(m, finite, y, spe_nan_(m, x));
}

/* sin, cos or tan of x, or of pi x. */
XE_FN_ spe_id spe_circular_(spe_module *m, spe_id x, char which, bool of_pi)
{
    spe_id n, r = of_pi ? spe_reduced_pi_(m, x, &n) : spe_reduced_(m, x, &n);
    if (which == 'c') n = spe_iadd_c_(m, n, 1);
    spe_id sine = spe_sine_series_(m, r), cosine = spe_cosine_series_(m, r), odd = spe_odd_(m, n);
    spe_id y = spe_select(m, odd, cosine, sine);
    spe_id bits = spe_shl_c_(m, spe_and_c_(m, n, 2), 30); /* the third and fourth quarters are negative */
    if (which == 't') {
        spe_id pole = spe_land(m, odd, spe_feq_c_(m, sine, 0.0)), zero = spe_glsl_u_(m, n, 0);
        y = spe_fdiv(m, y, spe_select(m, odd, spe_fneg(m, sine), cosine));
        y = spe_select(m, pole, spe_infinity_(m, x), y);
        bits = spe_select(m, pole, bits, zero);
    }
    if (which != 'c') bits = spe_xor(m, bits, spe_and_c_(m, spe_bits_(m, x), 0x80000000));
    return spe_if_finite_(m, x, spe_of_bits_(m, x, spe_xor(m, spe_bits_(m, y), bits)));
}

/* atan of x from 0 to 1; beyond tan(pi/8) it is pi/4 + atan((x - 1) / (x + 1)). */
static spe_id spe_arc_(spe_module *m, spe_id x)
{
    static const double series[] = {1.0 / 17, -1.0 / 15, 1.0 / 13, -1.0 / 11, 1.0 / 9, -1.0 / 7, 1.0 / 5, -1.0 / 3};
    spe_id one = spe_glsl_f_(m, x, 1.0), large = spe_fgt_c_(m, x, 0.41421356), less = spe_fsub(m, x, one);
    spe_id turned = spe_fdiv(m, less, spe_fadd(m, x, one));
    spe_id t = spe_odd_series_(m, spe_select(m, large, turned, x), 8, series);
    return spe_select(m, large, spe_fadd_c_(m, t, 0.7853981633974483), t);
}

/* The smaller of two coordinates over the larger, from 0 to 1. Both are scaled so that it is exact to 2.5 units. */
static spe_id spe_slope_(spe_module *m, spe_id least, spe_id most)
{
    spe_id one = spe_glsl_f_(m, most, 1.0), zero = spe_glsl_f_(m, most, 0.0);
    spe_id up = spe_glsl_f_(m, most, 0x1p60), down = spe_glsl_f_(m, most, 0x1p-40);
    spe_id scale = spe_select(m, spe_fgt_c_(m, most, 0x1p90), down, one);
    scale = spe_select(m, spe_flt_c_(m, most, 0x1p-60), up, scale);
    spe_id scaled = spe_fmul(m, least, scale), slope = spe_fdiv(m, scaled, spe_fmul(m, most, scale));
    slope = spe_select(m, spe_feq(m, least, most), one, slope); /* infinities; but 0, 0 is 0 */
    return spe_select(m, spe_feq(m, least, zero), zero, slope);
}

/* The angle of a point (x, y). */
XE_FN_ spe_id spe_angle_(spe_module *m, spe_id y, spe_id x)
{
    spe_id ax = spe_glsl_abs_(m, x), ay = spe_glsl_abs_(m, y), steep = spe_fgt(m, ay, ax);
    spe_id quarter = spe_glsl_f_(m, x, 1.5707963267948966), half = spe_glsl_f_(m, x, 3.141592653589793);
    spe_id most = spe_select(m, steep, ay, ax), least = spe_select(m, steep, ax, ay);
    spe_id angle = spe_arc_(m, spe_slope_(m, least, most)), left = spe_negative_(m, x);
    angle = spe_select(m, steep, spe_fsub(m, quarter, angle), angle);
    angle = spe_select(m, left, spe_fsub(m, half, angle), angle);
    angle = spe_signed_as_(m, angle, y);
    return spe_unless_nan_(m, x, spe_unless_nan_(m, y, angle));
}

/* asin x = x + x^3 / 6 + 3 x^5 / 40 ... of x from 0 to 1/2. */
static spe_id spe_arc_sine_series_(spe_module *m, spe_id x)
{
    double series[12], term = 1;
    for (int n = 1; n <= 12; n++) {
        term *= (2.0 * n - 1) / (2.0 * n);
        series[12 - n] = term / (2 * n + 1);
    }
    return spe_odd_series_(m, x, 12, series);
}

/* asin or acos: beyond 1/2, acos x = 2 asin(sqrt((1 - x) / 2)). */
XE_FN_ spe_id spe_arc_sine_(spe_module *m, spe_id x, bool cosine)
{
    spe_id one = spe_glsl_f_(m, x, 1.0), quarter = spe_glsl_f_(m, x, 1.5707963267948966), a = spe_glsl_abs_(m, x);
    spe_id near_one = spe_fgt_c_(m, a, 0.5), outside = spe_fgt(m, a, one);
    spe_id root = spe_glsl_root_(m, spe_fmul_c_(m, spe_fsub(m, one, a), 0.5));
    spe_id y = spe_arc_sine_series_(m, spe_select(m, near_one, root, a)), twice = spe_fadd(m, y, y);
    if (cosine) {
        spe_id negative = spe_negative_(m, x), half = spe_glsl_f_(m, x, 3.141592653589793);
        twice = spe_select(m, negative, spe_fsub(m, half, twice), twice);
        y = spe_fsub(m, quarter, spe_select(m, negative, spe_fneg(m, y), y));
        y = spe_select(m, near_one, twice, y);
    } else {
        y = spe_signed_as_(m, spe_select(m, near_one, spe_fsub(m, quarter, twice), y), x);
    }
    return spe_unless_nan_(m, x, spe_select(m, outside, spe_nan_(m, x), y));
}
