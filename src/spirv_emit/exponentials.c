/* exponentials.c - exponentials, logarithms and what is made of them for Vulkan, of f32. */
#include "internal.h"

/* 2^n for integers n in floats. */
XE_FN_ spe_id spe_power_of_2_(spe_module *m, spe_id n, spe_id type)
{
    spe_id i32 = spe_type_of(m, n);
    return spe_bitcast(m, type, spe_shl(m, spe_iadd(m, n, spe_const_u(m, i32, 127)), spe_const_u(m, i32, 23)));
}

/* 2^n (1 + rest) for whole floats n from -300 to 300: in two halves, since 2^n may be outside f32. */
XE_FN_ spe_id spe_scaled_by_2_(spe_module *m, spe_id rest, spe_id n)
{
    spe_id type = spe_type_of(m, n), i32 = spe_vec_like(m, spe_int(m, 32), n), whole = spe_f_to_s(m, i32, n);
    spe_id half = spe_sar(m, whole, spe_const_u(m, i32, 1));
    spe_id first = spe_power_of_2_(m, half, type), second = spe_power_of_2_(m, spe_isub(m, whole, half), type);
    return spe_fmul(m, spe_fmul(m, spe_fadd(m, spe_glsl_f_(m, n, 1.0), rest), first), second);
}

/* e^r - 1 by its series, for |r| up to ln 2 / 2: the first term left out is below 2^-27 of it. */
XE_FN_ spe_id spe_exponential_series_(spe_module *m, spe_id r)
{
    static const double series[] = {1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0};
    return spe_fmul(m, spe_polynomial_(m, r, 8, series), r);
}

/* x - n high - n low as it is written: some compilers would add both constants first. n high is exact. */
static spe_id spe_less_multiple_(spe_module *m, spe_id x, spe_id n, double high, double low)
{
    m->as_written = true;
    x = spe_fsub(m, x, spe_fmul(m, n, spe_glsl_f_(m, x, high)));
    x = spe_fsub(m, x, spe_fmul(m, n, spe_glsl_f_(m, x, low)));
    m->as_written = false;
    return x;
}

/* f(x) for EXP, EXP2, EXP10 and EXPM1: 2^n e^r with n the nearest integer to x over the base's logarithm of 2. */
XE_FN_ spe_id spe_exponential_(spe_module *m, spe_math_op f, spe_id x)
{
    spe_id type = spe_type_of(m, x), one = spe_glsl_f_(m, x, 1.0), n, r, given = x, rest, power, scale, small;
    spe_id high = spe_glsl_f_(m, x, f == SPE_EXP2 ? 200 : f == SPE_EXP10 ? 60 : 110), low = spe_fneg(m, high);
    x = spe_select(m, spe_fgt(m, x, high), high, x);
    x = spe_select(m, spe_flt(m, x, low), low, x);
    x = spe_select(m, spe_feq(m, x, x), x, spe_glsl_f_(m, x, 0.0));
    n = f == SPE_EXP2 ? x : spe_fmul(m, x, spe_glsl_f_(m, x, f == SPE_EXP10 ? 3.321928094887362 : 1.4426950408889634));
    n = spe_glsl_round_(m, n);
    if (f == SPE_EXP2) r = spe_fmul(m, spe_fsub(m, x, n), spe_glsl_f_(m, x, 0.6931471805599453));
    else if (f != SPE_EXP10) r = spe_less_multiple_(m, x, n, 0.693145751953125, 1.42860682030941723212e-6);
    else r = spe_fmul(m, spe_less_multiple_(m, x, n, 0.301025390625, 4.605038981195e-6),
                      spe_glsl_f_(m, x, 2.302585092994046));
    rest = spe_exponential_series_(m, r);
    power = spe_scaled_by_2_(m, rest, n);
    if (f != SPE_EXPM1) return spe_unless_nan_(m, given, power);
    scale = spe_scaled_by_2_(m, spe_null(m, type), n);
    small = spe_fadd(m, spe_fmul(m, rest, scale), spe_fsub(m, scale, one));
    small = spe_select(m, spe_fgt(m, n, spe_glsl_f_(m, x, 30.0)), power, small); /* beside 2^30, 1 is nothing */
    return spe_unless_nan_(m, given, small);
}

/* e log 2 + log m in base e, 2 or 10, from the parts of log m = f - y, and a correction c. */
static spe_id spe_logarithm_sum_(spe_module *m, spe_math_op base, spe_id e, spe_id f, spe_id y, spe_id c)
{
    double high = base == SPE_LOG10 ? 0.301025390625 : 0.693145751953125;
    double low = base == SPE_LOG10 ? 4.605038981195e-6 : 1.42860682030941723212e-6;
    if (base == SPE_LOG2) return spe_glsl_fma_(m, spe_fsub(m, f, y), spe_glsl_f_(m, e, 1.4426950408889634), e);
    m->as_written = true;
    spe_id below = spe_fmul(m, e, spe_glsl_f_(m, e, low)), above = spe_fmul(m, e, spe_glsl_f_(m, e, high)), log;
    if (c) below = spe_fadd(m, below, c);
    log = base == SPE_LOG10 ? spe_fmul(m, spe_fsub(m, f, y), spe_glsl_f_(m, e, 0.4342944819032518)) : f;
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

/* LOG, LOG2, LOG10 and LOG1P: x = 2^e m with m from sqrt(1/2) to sqrt(2), and with f = m - 1, s = f / (2 + f)
 * log m = 2 (s + s^3/3 + s^5/5 ...) = f - s (f - 2 s^2 (1/3 + s^2/5 ...)). */
XE_FN_ spe_id spe_logarithm_(spe_module *m, spe_math_op base, spe_id x)
{
    static const double series[] = {2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3};
    spe_id type = spe_type_of(m, x), i32 = spe_vec_like(m, spe_int(m, 32), x), zero = spe_glsl_f_(m, x, 0.0);
    spe_id shift = spe_const_u(m, i32, 23), given = x, one = spe_glsl_f_(m, x, 1.0), c = 0, e, f, s, z, y, inf, none;
    if (base == SPE_LOG1P) x = spe_fadd(m, given, one);
    spe_id small = spe_flt(m, x, spe_glsl_f_(m, x, 1.1754943508222875e-38));
    spe_id bits = spe_bitcast(m, i32, spe_select(m, small, spe_fmul(m, x, spe_glsl_f_(m, x, 33554432.0)), x));
    e = spe_sar(m, spe_isub(m, bits, spe_const_u(m, i32, 0x3f3504f3)), shift);
    f = spe_fsub(m, spe_bitcast(m, type, spe_isub(m, bits, spe_shl(m, e, shift))), one);
    if (base == SPE_LOG1P) {
        none = spe_ieq(m, e, spe_const_u(m, i32, 0)); /* no power of 2: f is x itself */
        f = spe_select(m, none, given, f);
        c = spe_select(m, none, zero, spe_lost_(m, given, x));
    }
    e = spe_isub(m, e, spe_select(m, small, spe_const_u(m, i32, 25), spe_const_u(m, i32, 0)));
    s = spe_fdiv(m, f, spe_fadd(m, f, spe_glsl_f_(m, x, 2.0)));
    z = spe_fmul(m, s, s);
    y = spe_fmul(m, s, spe_fsub(m, f, spe_fmul(m, z, spe_polynomial_(m, z, 5, series))));
    y = spe_logarithm_sum_(m, base, spe_s_to_f(m, type, e), f, y, c);
    inf = spe_bitcast(m, type, spe_const_u(m, i32, 0x7f800000));
    y = spe_select(m, spe_feq(m, x, inf), inf, y);
    y = spe_select(m, spe_feq(m, x, zero), spe_fneg(m, inf), y);
    y = spe_select(m, spe_flt(m, x, zero), spe_bitcast(m, type, spe_const_u(m, i32, 0x7fc00000)), y);
    if (base == SPE_LOG1P) y = spe_select(m, spe_feq(m, given, zero), given, y); /* with its sign */
    return spe_unless_nan_(m, given, y);
}

/* tanh x = E / (E + 2) with E = e^(2x) - 1, 1 from 10 on. */
XE_FN_ spe_id spe_hyperbolic_tangent_(spe_module *m, spe_id x)
{
    spe_id most = spe_glsl_f_(m, x, 10.0), least = spe_glsl_f_(m, x, -10.0), e;
    spe_id y = spe_select(m, spe_fgt(m, x, most), most, spe_select(m, spe_flt(m, x, least), least, x));
    e = spe_exponential_(m, SPE_EXPM1, spe_fadd(m, y, y));
    y = spe_fdiv(m, e, spe_fadd(m, e, spe_glsl_f_(m, x, 2.0)));
    spe_id tiny = spe_flt(m, spe_glsl_abs_(m, x), spe_glsl_f_(m, x, 1e-4));
    y = spe_select(m, tiny, x, y);
    return spe_unless_nan_(m, x, y);
}

/* erf x = 2 / sqrt(pi) e^(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 ...), whose terms are all positive; from 2.9 on, where it
 * is nearly 1, 1 - e^(-x^2) / (x sqrt(pi)) (1 - 1 / (2 x^2) ...). */
XE_FN_ spe_id spe_error_function_(spe_module *m, spe_id x)
{
    static const double tail[] = {-1.875, 0.75, -0.5, 1.0};
    double series[28], term = 1.1283791670955126;
    for (int n = 27, odd = 3; n >= 0; n--, odd += 2) series[n] = term, term *= 2.0 / odd;
    spe_id a = spe_glsl_abs_(m, x), zero = spe_glsl_f_(m, x, 0.0), z, e, inner, t, outer;
    a = spe_select(m, spe_fgt(m, a, spe_glsl_f_(m, x, 4.0)), spe_glsl_f_(m, x, 4.0), a);
    z = spe_fmul(m, a, a);
    e = spe_exponential_(m, SPE_EXP, spe_fneg(m, z));
    inner = spe_fmul(m, spe_fmul(m, spe_polynomial_(m, z, 28, series), a), e);
    t = spe_fdiv(m, spe_glsl_f_(m, x, 1.0), spe_glsl_(m, SPE_GLSL_NMAX_, "llf=:=", z, spe_glsl_f_(m, x, 1.0), 0));
    outer = spe_fmul(m, spe_polynomial_(m, t, 4, tail), spe_fmul(m, e, spe_glsl_f_(m, x, 0.5641895835477563)));
    t = spe_glsl_(m, SPE_GLSL_NMAX_, "llf=:=", a, spe_glsl_f_(m, x, 1.0), 0);
    outer = spe_fsub(m, spe_glsl_f_(m, x, 1.0), spe_fdiv(m, outer, t));
    outer = spe_select(m, spe_fgt(m, a, spe_glsl_f_(m, x, 2.9)), outer, inner);
    outer = spe_select(m, spe_flt(m, x, zero), spe_fneg(m, outer), outer);
    return spe_unless_nan_(m, x, outer);
}

/* erfc x = P(t) / (1 + 2 x) e^(-x^2) from 1/2 on, with t from -1 to 1 for x up to 10.5; x^2 in two parts. */
XE_FN_ spe_id spe_error_complement_(spe_module *m, spe_id x)
{
    static const double series[] = {-9.270992417498292e-06, 5.834832243181154e-05, 4.686616483446926e-05,
                                    -0.0016209648404419852, 0.008245159051157903, -0.024160925764345722,
                                    0.044037286093012676, -0.033577497006818786, -0.07959948847907904,
                                    1.263402284428267};
    spe_id one = spe_glsl_f_(m, x, 1.0), three = spe_glsl_f_(m, x, 3.0), a = spe_glsl_abs_(m, x), head, t, y;
    spe_id most = spe_glsl_f_(m, x, 10.5), zero = spe_glsl_f_(m, x, 0.0);
    a = spe_select(m, spe_fgt(m, a, most), most, a);
    t = spe_fdiv(m, spe_fsub(m, a, three), spe_fadd(m, a, three));
    t = spe_fadd(m, spe_fmul(m, t, spe_glsl_f_(m, x, 1.575)), spe_glsl_f_(m, x, 0.125));
    y = spe_fdiv(m, spe_polynomial_(m, t, 10, series), spe_fadd(m, one, spe_fadd(m, a, a)));
    head = spe_head_(m, a);
    t = spe_fneg(m, spe_fmul(m, spe_fsub(m, a, head), spe_fadd(m, a, head)));
    y = spe_fmul(m, y, spe_exponential_(m, SPE_EXP, t));
    y = spe_fmul(m, y, spe_exponential_(m, SPE_EXP, spe_fneg(m, spe_fmul(m, head, head))));
    y = spe_select(m, spe_flt(m, x, zero), spe_fsub(m, spe_glsl_f_(m, x, 2.0), y), y);
    t = spe_fsub(m, one, spe_error_function_(m, x));
    return spe_unless_nan_(m, x, spe_select(m, spe_flt(m, a, spe_glsl_f_(m, x, 0.5)), t, y));
}

/* sinh or cosh: by E = e^x - 1 or by e^x, and from 9 on by (e^(x/2))^2 / 2, since e^x overflows earlier. */
XE_FN_ spe_id spe_hyperbolic_(spe_module *m, spe_id x, bool cosine)
{
    spe_id a = spe_glsl_abs_(m, x), half = spe_glsl_f_(m, x, 0.5), one = spe_glsl_f_(m, x, 1.0), e, y, t;
    t = spe_exponential_(m, SPE_EXP, spe_fmul(m, a, half));
    e = spe_exponential_(m, cosine ? SPE_EXP : SPE_EXPM1, a);
    if (cosine) y = spe_fadd(m, spe_fmul(m, e, half), spe_fdiv(m, half, e));
    else y = spe_fmul(m, spe_fadd(m, e, spe_fdiv(m, e, spe_fadd(m, e, one))), half);
    m->as_written = true; /* t t may overflow where t t / 2 does not */
    e = spe_fmul(m, spe_fmul(m, t, half), t);
    m->as_written = false;
    y = spe_select(m, spe_fgt(m, a, spe_glsl_f_(m, x, 9.0)), e, y);
    return spe_unless_nan_(m, x, cosine ? y : spe_signed_as_(m, y, x));
}

/* ASINH, ACOSH and ATANH by log1p; from 2^28 on the first two are log x + log 2. */
XE_FN_ spe_id spe_hyperbolic_inverse_(spe_module *m, spe_math_op f, spe_id x)
{
    spe_id one = spe_glsl_f_(m, x, 1.0), a = spe_glsl_abs_(m, x), t, root, large, y;
    if (f == SPE_ATANH) {
        t = spe_fdiv(m, spe_fadd(m, a, a), spe_fsub(m, one, a));
        y = spe_fmul(m, spe_logarithm_(m, SPE_LOG1P, t), spe_glsl_f_(m, x, 0.5));
        return spe_unless_nan_(m, x, spe_signed_as_(m, y, x));
    }
    large = spe_fgt(m, a, spe_glsl_f_(m, x, 268435456.0));
    t = spe_select(m, large, one, f == SPE_ASINH ? a : spe_fsub(m, x, one));
    if (f == SPE_ASINH) {
        root = spe_fadd(m, one, spe_glsl_root_(m, spe_fadd(m, spe_fmul(m, t, t), one)));
        t = spe_fadd(m, t, spe_fdiv(m, spe_fmul(m, t, t), root));
    } else {
        t = spe_fadd(m, t, spe_glsl_root_(m, spe_fadd(m, spe_fadd(m, t, t), spe_fmul(m, t, t))));
    }
    y = spe_logarithm_(m, SPE_LOG1P, spe_select(m, large, a, t));
    y = spe_select(m, large, spe_fadd(m, y, spe_glsl_f_(m, x, 0.6931471805599453)), y);
    if (f == SPE_ASINH) return spe_unless_nan_(m, x, spe_signed_as_(m, y, x));
    spe_id i32 = spe_vec_like(m, spe_int(m, 32), x);
    spe_id nan = spe_bitcast(m, spe_type_of(m, x), spe_const_u(m, i32, 0x7fc00000));
    return spe_unless_nan_(m, x, spe_select(m, spe_flt(m, x, one), nan, y));
}
