/* trigonometry.c - circular functions and their inverses for Vulkan, of f32 and f64. Reduction by pi is in
 * integers, with as many bits of 2/pi as an argument needs, so that it is exact enough for all; the rest is series. */
#include "internal.h"

/* The upper half of a product of unsigned integers of 32 or 64 bits, by halves. */
XE_FN_ spe_id spe_high_product_(spe_module *m, spe_id a, spe_id b)
{
    uint32_t half = spe_bits_of_(m, a) / 2;
    uint64_t mask = ((uint64_t)1 << half) - 1;
    spe_id a0 = spe_and_c_(m, a, mask), a1 = spe_shr_c_(m, a, half);
    spe_id b0 = spe_and_c_(m, b, mask), b1 = spe_shr_c_(m, b, half);
    spe_id lowest = spe_imul(m, a0, b0), middle = spe_imul(m, a1, b0), other = spe_imul(m, a0, b1);
    middle = spe_iadd(m, middle, spe_shr_c_(m, lowest, half));
    other = spe_iadd(m, other, spe_and_c_(m, middle, mask));
    spe_id high = spe_imul(m, a1, b1);
    high = spe_iadd(m, high, spe_shr_c_(m, middle, half));
    return spe_iadd(m, high, spe_shr_c_(m, other, half));
}

/* Word q + j of two of zeros and the bits of 2/pi, as many as exponents of this size reach: q is up to 4, or 16. */
static spe_id spe_word_of_2_by_pi_(spe_module *m, spe_id q, uint32_t j)
{
    static const uint64_t pairs[] = {
        0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
        0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
        0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
        0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08};
    bool wide = spe_bits_of_(m, q) == 64;
    uint32_t last = wide ? 16 : 4;
    spe_id word = 0;
    for (uint32_t i = 0; i <= last; i++) {
        uint64_t pair = wide ? i + j ? pairs[i + j - 1] : 0 : pairs[(i + j) / 2];
        spe_id known = spe_glsl_u_(m, q, wide ? pair : (i + j) % 2 ? (uint32_t)pair : pair >> 32);
        word = i ? spe_select(m, spe_ieq_c_(m, q, i), known, word) : known;
    }
    return word;
}

/* The fraction of |x| / (2 pi) in two words of W bits, 32 or 64 as those of x, for |x| from 1/2 on. With |x| = M 2^(e -
 * W + 1), M of W bits, it is that of M times the bits of 2/pi from position e - 3 on, of which 3 W count. */
static void spe_turns_(spe_module *m, spe_id x, spe_id *high, spe_id *low)
{
    uint32_t size = spe_bits_of_(m, x), digits = spe_digits_(size), half = spe_bias_(size) - 1;
    spe_id bits = spe_bits_(m, x), zero = spe_glsl_u_(m, bits, 0), one = spe_glsl_u_(m, bits, 1), window[3];
    spe_id least = spe_glsl_u_(m, bits, half), e = spe_shr_c_(m, bits, digits);
    spe_id mantissa = spe_shl_c_(m, spe_or(m, bits, spe_glsl_u_(m, bits, (uint64_t)1 << digits)), size - 1 - digits);
    e = spe_select(m, spe_ult(m, e, least), least, e);
    spe_id position = spe_isub_c_(m, e, half - (size - 2)), q = spe_shr_c_(m, position, size == 64 ? 6 : 5);
    spe_id b = spe_and_c_(m, position, size - 1);
    spe_id rest = spe_isub(m, spe_glsl_u_(m, bits, size), b), aligned = spe_ieq(m, b, zero);
    spe_id next = spe_word_of_2_by_pi_(m, q, 0);
    rest = spe_select(m, aligned, spe_glsl_u_(m, bits, size - 1), rest); /* a shift by all bits is undefined */
    for (uint32_t j = 0; j < 3; j++) {
        spe_id word = next, upper = spe_shl(m, word, b);
        next = spe_word_of_2_by_pi_(m, q, j + 1);
        window[j] = spe_or(m, upper, spe_shr(m, next, rest));
        window[j] = spe_select(m, aligned, word, window[j]);
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
    uint32_t size = spe_bits_of_(m, x), more = size - 1 - spe_digits_(size); /* bits of a word that no float has */
    spe_id type = spe_type_of(m, x), a = spe_glsl_abs_(m, x), high, low;
    spe_turns_(m, a, &high, &low);
    spe_id quarters = spe_shr_c_(m, spe_iadd_c_(m, high, (uint64_t)1 << (size - 3)), size - 2);
    spe_id zero = spe_glsl_u_(m, high, 0);
    high = spe_isub(m, high, spe_shl_c_(m, quarters, size - 2));
    spe_id negative = spe_slt(m, high, zero);
    high = spe_select(m, negative, spe_not(m, high), high); /* less than its negative by a unit of the last bit */
    low = spe_select(m, negative, spe_not(m, low), low);
    spe_id end = spe_and_c_(m, high, ((uint64_t)1 << more) - 1), top = spe_s_to_f(m, type, spe_isub(m, high, end));
    spe_id rest = spe_shl_c_(m, end, size - more);
    rest = spe_u_to_f(m, type, spe_or(m, rest, spe_shr_c_(m, low, more)));
    rest = spe_fmul_c_(m, rest, spe_by_size_(m, x, 0x1p-56, 0x1p-117));
    spe_id r = spe_fadd(m, spe_fmul_c_(m, top, spe_by_size_(m, x, 0x1p-32, 0x1p-64)), rest);
    r = spe_fmul_c_(m, r, 6.283185307179586);
    r = spe_select(m, negative, spe_fneg(m, r), r);
    spe_id small = spe_flt_c_(m, a, 0.78539816);
    *n = spe_select(m, small, zero, quarters);
    return spe_select(m, small, a, r);
}

/* x - 2 n' = n / 2 + r with r in -1/4 .. 1/4, exactly, for functions of pi x; r times pi. */
static spe_id spe_reduced_pi_(spe_module *m, spe_id x, spe_id *n)
{
    spe_id integer = spe_int_like_(m, x), a = spe_glsl_abs_(m, x), half = spe_glsl_f_(m, x, 0.5);
    spe_id pairs = spe_glsl_round_(m, spe_fmul(m, a, half)), t = spe_fsub(m, a, spe_fmul_c_(m, pairs, 2.0));
    spe_id halves = spe_glsl_round_(m, spe_fadd(m, t, t));
    *n = spe_and_c_(m, spe_f_to_s(m, integer, halves), 3);
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
    double series[8], term = 1;
    int n = (int)spe_by_size_(m, r, 4, 8);
    for (int i = 1; i <= n; i++) series[n - i] = 1 / (term *= -2.0 * i * (2 * i + 1));
    return spe_odd_series_(m, r, n, series);
}

static spe_id spe_cosine_series_(spe_module *m, spe_id r)
{
    double series[8], term = 1;
    int n = (int)spe_by_size_(m, r, 5, 8);
    for (int i = 1; i <= n; i++) series[n - i] = 1 / (term *= -2.0 * i * (2 * i - 1));
    spe_id one = spe_glsl_f_(m, r, 1.0), z = spe_fmul(m, r, r);
    return spe_fadd(m, one, spe_fmul(m, z, spe_polynomial_(m, z, n, series)));
}

/* NaN where x is that or infinite, else y. */
static spe_id spe_if_finite_(spe_module *m, spe_id x, spe_id y)
{
    spe_id bits = spe_bits_(m, spe_glsl_abs_(m, x)), finite;
    finite = spe_ult(m, bits, spe_glsl_u_(m, bits, spe_infinite_bits_(spe_bits_of_(m, x))));
    return spe_select(m, finite, y, spe_nan_(m, x));
}

/* sin, cos or tan of x, or of pi x. */
XE_FN_ spe_id spe_circular_(spe_module *m, spe_id x, char which, bool of_pi)
{
    uint32_t size = spe_bits_of_(m, x);
    spe_id n, r = of_pi ? spe_reduced_pi_(m, x, &n) : spe_reduced_(m, x, &n);
    if (which == 'c') n = spe_iadd_c_(m, n, 1);
    spe_id sine = spe_sine_series_(m, r), cosine = spe_cosine_series_(m, r), odd = spe_odd_(m, n);
    spe_id y = spe_select(m, odd, cosine, sine);
    spe_id bits = spe_shl_c_(m, spe_and_c_(m, n, 2), size - 2); /* the third and fourth quarters are negative */
    if (which == 't') {
        spe_id pole = spe_land(m, odd, spe_feq_c_(m, sine, 0.0)), zero = spe_glsl_u_(m, n, 0);
        y = spe_fdiv(m, y, spe_select(m, odd, spe_fneg(m, sine), cosine));
        y = spe_select(m, pole, spe_infinity_(m, x), y);
        bits = spe_select(m, pole, bits, zero);
    }
    if (which != 'c') bits = spe_xor(m, bits, spe_and_c_(m, spe_bits_(m, x), spe_sign_bit_(size)));
    return spe_if_finite_(m, x, spe_of_bits_(m, x, spe_xor(m, spe_bits_(m, y), bits)));
}

/* atan of x from 0 to 1; beyond tan(pi/8) it is pi/4 + atan((x - 1) / (x + 1)). */
static spe_id spe_arc_(spe_module *m, spe_id x)
{
    double series[21];
    int n = (int)spe_by_size_(m, x, 8, 21);
    for (int i = 1; i <= n; i++) series[n - i] = (i % 2 ? -1.0 : 1.0) / (2 * i + 1);
    spe_id one = spe_glsl_f_(m, x, 1.0), large = spe_fgt_c_(m, x, 0.41421356), less = spe_fsub(m, x, one);
    spe_id turned = spe_fdiv(m, less, spe_fadd(m, x, one));
    spe_id t = spe_odd_series_(m, spe_select(m, large, turned, x), n, series);
    return spe_select(m, large, spe_fadd_c_(m, t, 0.7853981633974483), t);
}

/* The smaller of two coordinates over the larger, from 0 to 1. Both are scaled so that it is exact to 2.5 units. */
static spe_id spe_slope_(spe_module *m, spe_id least, spe_id most)
{
    spe_id one = spe_glsl_f_(m, most, 1.0), zero = spe_glsl_f_(m, most, 0.0);
    bool wide = spe_bits_of_(m, most) == 64;
    spe_id up = spe_glsl_f_(m, most, wide ? 0x1p400 : 0x1p60), down = spe_glsl_f_(m, most, wide ? 0x1p-400 : 0x1p-40);
    spe_id scale = spe_select(m, spe_fgt_c_(m, most, wide ? 0x1p900 : 0x1p90), down, one);
    scale = spe_select(m, spe_flt_c_(m, most, wide ? 0x1p-600 : 0x1p-60), up, scale);
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
    double series[25], term = 1;
    int last = (int)spe_by_size_(m, x, 12, 25);
    for (int n = 1; n <= last; n++) {
        term *= (2.0 * n - 1) / (2.0 * n);
        series[last - n] = term / (2 * n + 1);
    }
    return spe_odd_series_(m, x, last, series);
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
