/* exponentials.c - exponentials, logarithms and what is made of them for Vulkan, of f32 and f64. */
#include "internal.h"

/* 2^n for integers n in floats. */
XE_FN_ spe_id spe_power_of_2_(spe_module *m, spe_id n, spe_id type)
{
    uint32_t bits = spe_width(m, type);
    return spe_bitcast(m, type, spe_shl_c_(m, spe_iadd_c_(m, n, spe_bias_(bits)), spe_digits_(bits)));
}

/* 2^n (1 + rest) for floats n that are integers, in two halves, since 2^n may be outside their range. */
XE_FN_ spe_id spe_scaled_by_2_(spe_module *m, spe_id rest, spe_id n)
{
    spe_id type = spe_type_of(m, n), integer = spe_f_to_s(m, spe_int_like_(m, n), n);
    spe_id half = spe_sar_c_(m, integer, 1), first = spe_power_of_2_(m, half, type);
    spe_id second = spe_power_of_2_(m, spe_isub(m, integer, half), type);
    return spe_fmul(m, spe_fmul(m, spe_fadd_c_(m, rest, 1.0), first), second);
}

/* e^r - 1 by its series, for |r| up to ln 2 / 2: the first term left out is below 2^-27 of it, or 2^-57. */
XE_FN_ spe_id spe_exponential_series_(spe_module *m, spe_id r)
{
    double series[14], factorial = 1;
    int n = (int)spe_by_size_(m, r, 8, 14);
    for (int i = 1; i <= n; i++) series[n - i] = 1 / (factorial *= i);
    return spe_fmul(m, spe_polynomial_(m, r, n, series), r);
}

/* The logarithm of 2, natural or of base 10, in two parts: multiples of the first by exponents are exact. */
static double spe_log_2_(spe_module *m, spe_id x, bool base_10, bool low)
{
    static const double parts[2][2][2] = {{{0.693145751953125, 1.42860682030941723212e-6},
                                           {0.693147180369123816490, 1.90821492927058770002e-10}},
                                          {{0.301025390625, 4.605038981195e-6},
                                           {0.301029995663611771306, 3.69423907715893078616e-13}}};
    return parts[base_10][spe_bits_of_(m, x) == 64][low];
}

/* x - n log 2 by its parts, as it is written: some compilers would add both constants first. */
static spe_id spe_less_multiple_(spe_module *m, spe_id x, spe_id n, bool base_10)
{
    m->as_written = true;
    x = spe_fsub(m, x, spe_fmul_c_(m, n, spe_log_2_(m, x, base_10, false)));
    x = spe_fsub(m, x, spe_fmul_c_(m, n, spe_log_2_(m, x, base_10, true)));
    m->as_written = false;
    return x;
}

/* x = n log + r for EXP, EXP2, EXP10 and EXPM1, with log the base's logarithm of 2, and n an integer: r in base e. */
static spe_id spe_exponent_parts_(spe_module *m, spe_math_op f, spe_id x, spe_id *n)
{
    if (f == SPE_EXP2) {
        *n = spe_glsl_round_(m, x);
        return spe_fmul_c_(m, spe_fsub(m, x, *n), 0.6931471805599453);
    }
    *n = spe_glsl_round_(m, spe_fmul_c_(m, x, f == SPE_EXP10 ? 3.321928094887362 : 1.4426950408889634));
    if (f != SPE_EXP10) return spe_less_multiple_(m, x, *n, false);
    return spe_fmul_c_(m, spe_less_multiple_(m, x, *n, true), 2.302585092994046);
}

/* f(x) for EXP, EXP2, EXP10 and EXPM1: 2^n e^r with n the nearest integer to x over the base's logarithm of 2. */
XE_FN_ spe_id spe_exponential_(spe_module *m, spe_math_op f, spe_id x)
{
    double limit = f == SPE_EXP2    ? spe_by_size_(m, x, 200, 1100)
                   : f == SPE_EXP10 ? spe_by_size_(m, x, 60, 331)
                                    : spe_by_size_(m, x, 110, 762);
    spe_id high = spe_glsl_f_(m, x, limit), low = spe_fneg(m, high);
    spe_id limited = spe_clamped_(m, x, low, high), ordered = spe_feq(m, limited, limited), n;
    limited = spe_select(m, ordered, limited, spe_glsl_f_(m, x, 0.0));
    spe_id rest = spe_exponential_series_(m, spe_exponent_parts_(m, f, limited, &n));
    spe_id power = spe_scaled_by_2_(m, rest, n);
    if (f != SPE_EXPM1) return spe_unless_nan_(m, x, power);
    spe_id scale = spe_scaled_by_2_(m, spe_null(m, spe_type_of(m, x)), n), large;
    large = spe_fgt_c_(m, n, spe_by_size_(m, x, 30, 60));
    spe_id less_one = spe_fsub(m, scale, spe_glsl_f_(m, x, 1.0));
    spe_id small = spe_fadd(m, spe_fmul(m, rest, scale), less_one);
    return spe_unless_nan_(m, x, spe_select(m, large, power, small)); /* beside 2^30 or 2^60, 1 is nothing */
}

/* e log 2 + log m in base e, 2 or 10, from the parts of log m = f - y, and a correction c. */
static spe_id spe_logarithm_sum_(spe_module *m, spe_math_op base, spe_id e, spe_id f, spe_id y, spe_id c)
{
    double high = spe_log_2_(m, e, base == SPE_LOG10, false), low = spe_log_2_(m, e, base == SPE_LOG10, true);
    if (base == SPE_LOG2) {
        spe_id factor = spe_glsl_f_(m, e, 1.4426950408889634);
        return spe_glsl_fma_(m, spe_fsub(m, f, y), factor, e);
    }
    m->as_written = true;
    spe_id below = spe_fmul_c_(m, e, low), above = spe_fmul_c_(m, e, high), log = f;
    if (c) below = spe_fadd(m, below, c);
    if (base == SPE_LOG10) log = spe_fmul_c_(m, spe_fsub(m, f, y), 0.4342944819032518);
    log = spe_fadd(m, log, base == SPE_LOG10 ? below : spe_fsub(m, below, y));
    log = spe_fadd(m, above, log);
    m->as_written = false;
    return log;
}

/* What 1 + x loses of x when it is rounded to u, over u. */
static spe_id spe_lost_(spe_module *m, spe_id x, spe_id u)
{
    m->as_written = true;
    spe_id lost = spe_fsub(m, x, spe_fsub(m, u, spe_glsl_f_(m, x, 1.0)));
    m->as_written = false;
    return spe_fdiv(m, lost, u);
}

/* y, the logarithm of positive x, also where x is 0, infinite or negative. */
static spe_id spe_logarithm_of_any_(spe_module *m, spe_id x, spe_id y)
{
    spe_id infinity = spe_infinity_(m, x), nan = spe_nan_(m, x), least = spe_fneg(m, infinity);
    spe_id zero = spe_glsl_f_(m, x, 0.0);
    y = spe_select(m, spe_feq(m, x, infinity), infinity, y);
    y = spe_select(m, spe_feq(m, x, zero), least, y);
    return spe_select(m, spe_flt(m, x, zero), nan, y);
}

/* 2/3 + 2 z / 5 + 2 z^2 / 7 ..., for z up to 0.03. */
XE_FN_ spe_id spe_logarithm_series_(spe_module *m, spe_id z)
{
    double series[10];
    int n = (int)spe_by_size_(m, z, 5, 10);
    for (int i = 0; i < n; i++) series[i] = 2.0 / (2 * (n - i) + 1);
    return spe_polynomial_(m, z, n, series);
}

/* LOG, LOG2, LOG10 and LOG1P: x = 2^e m with m from sqrt(1/2) to sqrt(2), and with f = m - 1, s = f / (2 + f)
 * log m = 2 (s + s^3/3 + s^5/5 ...) = f - s (f - 2 s^2 (1/3 + s^2/5 ...)). */
XE_FN_ spe_id spe_logarithm_(spe_module *m, spe_math_op base, spe_id x)
{
    spe_id given = x, one = spe_glsl_f_(m, x, 1.0), zero = spe_glsl_f_(m, x, 0.0), c = 0, e;
    if (base == SPE_LOG1P) x = spe_fadd(m, given, one);
    spe_id f = spe_fsub(m, spe_mantissa_(m, x, &e), one);
    if (base == SPE_LOG1P) {
        spe_id none = spe_ieq_c_(m, e, 0); /* no power of 2: f is x itself */
        f = spe_select(m, none, given, f);
        c = spe_select(m, none, zero, spe_lost_(m, given, x));
    }
    spe_id s = spe_fdiv(m, f, spe_fadd_c_(m, f, 2.0)), z = spe_fmul(m, s, s);
    spe_id y = spe_fmul(m, s, spe_fsub(m, f, spe_fmul(m, z, spe_logarithm_series_(m, z))));
    y = spe_logarithm_sum_(m, base, spe_s_to_f(m, spe_type_of(m, x), e), f, y, c);
    y = spe_logarithm_of_any_(m, x, y);
    if (base == SPE_LOG1P) y = spe_select(m, spe_feq(m, given, zero), given, y); /* with its sign */
    return spe_unless_nan_(m, given, y);
}

/* tanh x = E / (E + 2) with E = e^(2x) - 1, 1 from 10 or 20 on. */
XE_FN_ spe_id spe_hyperbolic_tangent_(spe_module *m, spe_id x)
{
    spe_id most = spe_glsl_f_(m, x, spe_by_size_(m, x, 10, 20)), least = spe_fneg(m, most);
    spe_id y = spe_clamped_(m, x, least, most);
    spe_id e = spe_exponential_(m, SPE_EXPM1, spe_fadd(m, y, y)), tiny;
    tiny = spe_flt_c_(m, spe_glsl_abs_(m, x), spe_by_size_(m, x, 1e-4, 1e-9));
    y = spe_fdiv(m, e, spe_fadd_c_(m, e, 2.0));
    return spe_unless_nan_(m, x, spe_select(m, tiny, x, y));
}

/* erfc a = P(t) / (1 + 2 a) e^(-a^2) from 1/2 on, with t from -1 to 1 for a up to where it is 0; a^2 in two parts. */
static spe_id spe_error_tail_(spe_module *m, spe_id a)
{
    static const double series_32[] = {-9.270992417498292e-06, 5.834832243181154e-05, 4.686616483446926e-05,
                                       -0.0016209648404419852, 0.008245159051157903, -0.024160925764345722,
                                       0.044037286093012676, -0.033577497006818786, -0.07959948847907904,
                                       1.263402284428267};
    static const double series_64[] = {-4.654512168954608e-11, 3.420805861675328e-11, 6.627358954630793e-10,
                                       -1.4153502461458794e-10, -6.3044175585955395e-09, -1.923223778867787e-09,
                                       5.655951189561462e-08, 3.4477740326560804e-08, -5.483906353524289e-07,
                                       -2.436536156119935e-07, 5.987923800539687e-06, -2.768358221328568e-06,
                                       -6.783221386182739e-05, 0.00017245994806461298, 0.00045580697475910027,
                                       -0.004369296842319963, 0.015618161738313934, -0.03473716868585706,
                                       0.047938729923468405, -0.01819567323811182, -0.10557555449542097,
                                       1.2468835895450672};
    bool wide = spe_bits_of_(m, a) == 64;
    spe_id one = spe_glsl_f_(m, a, 1.0), three = spe_glsl_f_(m, a, 3.0), most = spe_glsl_f_(m, a, wide ? 27.5 : 10.5);
    a = spe_select(m, spe_fgt(m, a, most), most, a);
    spe_id less = spe_fsub(m, a, three), t = spe_fdiv(m, less, spe_fadd(m, a, three));
    t = spe_fadd_c_(m, spe_fmul_c_(m, t, wide ? 1.3178 : 1.575), wide ? -0.0587 : 0.125);
    spe_id divisor = spe_fadd(m, one, spe_fadd(m, a, a));
    spe_id y = wide ? spe_polynomial_(m, t, 22, series_64) : spe_polynomial_(m, t, 10, series_32);
    y = spe_fdiv(m, y, divisor);
    spe_id head = spe_head_(m, a), rest = spe_fsub(m, a, head);
    rest = spe_fneg(m, spe_fmul(m, rest, spe_fadd(m, a, head)));
    y = spe_fmul(m, y, spe_exponential_(m, SPE_EXP, rest));
    return spe_fmul(m, y, spe_exponential_(m, SPE_EXP, spe_fneg(m, spe_fmul(m, head, head))));
}

/* erf x = 2 / sqrt(pi) e^(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 ...), whose terms are all positive, up to 1; then it is
 * 1 - erfc x. */
XE_FN_ spe_id spe_error_function_(spe_module *m, spe_id x)
{
    double series[20], term = 1.1283791670955126;
    int n = (int)spe_by_size_(m, x, 13, 20);
    for (int i = n - 1, odd = 3; i >= 0; i--, odd += 2) series[i] = term, term *= 2.0 / odd;
    spe_id one = spe_glsl_f_(m, x, 1.0), a = spe_glsl_abs_(m, x), large = spe_fgt(m, a, one);
    spe_id near_zero = spe_select(m, large, one, a), z = spe_fmul(m, near_zero, near_zero);
    spe_id e = spe_exponential_(m, SPE_EXP, spe_fneg(m, z));
    spe_id inner = spe_fmul(m, spe_fmul(m, spe_polynomial_(m, z, n, series), near_zero), e);
    spe_id outer = spe_fsub(m, one, spe_error_tail_(m, a)), y = spe_select(m, large, outer, inner);
    return spe_unless_nan_(m, x, spe_signed_as_(m, y, x));
}

XE_FN_ spe_id spe_error_complement_(spe_module *m, spe_id x)
{
    spe_id a = spe_glsl_abs_(m, x), y = spe_error_tail_(m, a), one = spe_glsl_f_(m, x, 1.0);
    spe_id negative = spe_flt_c_(m, x, 0.0), two = spe_glsl_f_(m, x, 2.0), near_zero = spe_flt_c_(m, a, 0.5);
    y = spe_select(m, negative, spe_fsub(m, two, y), y);
    spe_id middle = spe_fsub(m, one, spe_error_function_(m, x));
    return spe_unless_nan_(m, x, spe_select(m, near_zero, middle, y));
}

/* sinh or cosh: by E = e^x - 1 or by e^x, and from 9 or 20 on by (e^(x/2))^2 / 2, since e^x overflows earlier. */
XE_FN_ spe_id spe_hyperbolic_(spe_module *m, spe_id x, bool cosine)
{
    spe_id a = spe_glsl_abs_(m, x), half = spe_glsl_f_(m, x, 0.5), one = spe_glsl_f_(m, x, 1.0);
    spe_id root = spe_exponential_(m, SPE_EXP, spe_fmul(m, a, half)), large;
    large = spe_fgt_c_(m, a, spe_by_size_(m, x, 9, 20));
    spe_id e = spe_exponential_(m, cosine ? SPE_EXP : SPE_EXPM1, a), y;
    if (cosine) {
        spe_id inverse = spe_fdiv(m, half, e);
        y = spe_fadd(m, spe_fmul(m, e, half), inverse);
    } else {
        y = spe_fmul(m, spe_fadd(m, e, spe_fdiv(m, e, spe_fadd(m, e, one))), half);
    }
    m->as_written = true; /* the square may overflow where half of it does not */
    e = spe_fmul(m, spe_fmul(m, root, half), root);
    m->as_written = false;
    y = spe_select(m, large, e, y);
    return spe_unless_nan_(m, x, cosine ? y : spe_signed_as_(m, y, x));
}

/* log(1 + a) / 2 of a = 2 x / (1 - x). */
static spe_id spe_hyperbolic_arc_tangent_(spe_module *m, spe_id x)
{
    spe_id a = spe_glsl_abs_(m, x), less = spe_fsub(m, spe_glsl_f_(m, x, 1.0), a);
    spe_id y = spe_logarithm_(m, SPE_LOG1P, spe_fdiv(m, spe_fadd(m, a, a), less));
    return spe_unless_nan_(m, x, spe_signed_as_(m, spe_fmul_c_(m, y, 0.5), x));
}

/* ASINH, ACOSH and ATANH by log1p; from 2^28 or 2^60 on the first two are log x + log 2. */
XE_FN_ spe_id spe_hyperbolic_inverse_(spe_module *m, spe_math_op f, spe_id x)
{
    if (f == SPE_ATANH) return spe_hyperbolic_arc_tangent_(m, x);
    spe_id one = spe_glsl_f_(m, x, 1.0), a = spe_glsl_abs_(m, x), t, root, y;
    spe_id large = spe_fgt_c_(m, a, spe_by_size_(m, x, 0x1p28, 0x1p60));
    t = spe_select(m, large, one, f == SPE_ASINH ? a : spe_fsub(m, x, one));
    spe_id square = spe_fmul(m, t, t);
    if (f == SPE_ASINH) {
        root = spe_fadd(m, one, spe_glsl_root_(m, spe_fadd(m, square, one)));
        t = spe_fadd(m, t, spe_fdiv(m, square, root));
    } else {
        root = spe_glsl_root_(m, spe_fadd(m, spe_fadd(m, t, t), square));
        t = spe_fadd(m, t, root);
    }
    y = spe_logarithm_(m, SPE_LOG1P, spe_select(m, large, a, t));
    y = spe_select(m, large, spe_fadd_c_(m, y, 0.6931471805599453), y);
    if (f == SPE_ASINH) return spe_unless_nan_(m, x, spe_signed_as_(m, y, x));
    spe_id outside = spe_flt(m, x, one);
    return spe_unless_nan_(m, x, spe_select(m, outside, spe_nan_(m, x), y));
}
