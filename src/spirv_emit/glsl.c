/* glsl.c - Vulkan's mathematics: functions of GLSL.std.450 where these are as accurate as OpenCL's, and others made of
 * arithmetic, for floats of 16 and 32 bits. */
#include "internal.h"

/* The id of the environment's set of mathematics, imported on first use. */
XE_FN_ spe_id spe_math_set_(spe_module *m)
{
    const char *name = m->options.env ? "GLSL.std.450" : "OpenCL.std";
    uint32_t w[5];
    if (m->math_set) return m->math_set;
    spe_put_text_(w + 1, name);
    w[0] = m->math_set = spe_new_id_(m, 0, 0, 0);
    spe_write_words_(m, SPE_SECTION_IMPORT_, SPE_OpExtInstImport, 1 + spe_text_words_(name), w, 0, NULL);
    return m->math_set;
}

/* A function of the set with its number there, and the form of its operands. */
static spe_id spe_glsl_(spe_module *m, uint32_t number, const char *form, spe_id a, spe_id b, spe_id c)
{
    uint32_t w[5] = {spe_math_set_(m), number, a, b, c};
    return spe_instruction_(m, m->doing, SPE_OpExtInst, form, w);
}

enum { SPE_GLSL_ROUND_EVEN_ = 2, SPE_GLSL_TRUNC_ = 3, SPE_GLSL_FABS_ = 4, SPE_GLSL_FMA_ = 50, SPE_GLSL_FIND_LSB_ = 73,
       SPE_GLSL_FIND_MSB_ = 75, SPE_GLSL_NMAX_ = 80 };

/* The number of the function that gives the same; 0: there is none. */
static uint32_t spe_glsl_number_(spe_math_op f)
{
    static const struct {
        uint16_t ours, theirs;
    } rows[] = {{SPE_FABS, 4}, {SPE_FLOOR, 8}, {SPE_CEIL, 9}, {SPE_TRUNC, 3}, {SPE_RINT, 2}, {SPE_SQRT, 31},
                {SPE_RSQRT, 32}, {SPE_FMA, 50}, {SPE_FMIN, 79}, {SPE_FMAX, 80}, {SPE_FCLAMP, 81}, {SPE_SIGN, 6},
                {SPE_SMIN, 39}, {SPE_SMAX, 42}, {SPE_UMIN, 38}, {SPE_UMAX, 41}, {SPE_SABS, 5}, {SPE_SCLAMP, 45},
                {SPE_UCLAMP, 44}, {SPE_NATIVE_SQRT, 31}, {SPE_NATIVE_RSQRT, 32}, {SPE_NATIVE_EXP, 27},
                {SPE_NATIVE_EXP2, 29}, {SPE_NATIVE_LOG, 28}, {SPE_NATIVE_LOG2, 30}, {SPE_NATIVE_SIN, 13},
                {SPE_NATIVE_COS, 14}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].ours == (uint32_t)f) return rows[i].theirs;
    }
    return 0;
}

static spe_id spe_glsl_f_(spe_module *m, spe_id like, double value)
{
    return spe_const_f(m, spe_type_of(m, like), value);
}

static spe_id spe_glsl_fma_(spe_module *m, spe_id a, spe_id b, spe_id c)
{
    return spe_glsl_(m, SPE_GLSL_FMA_, "llf==:=", a, b, c);
}

/* The polynomial with these n coefficients, the highest power's first. */
static spe_id spe_polynomial_(spe_module *m, spe_id x, int n, const double *coefficients)
{
    spe_id sum = spe_glsl_f_(m, x, coefficients[0]);
    for (int i = 1; i < n; i++) sum = spe_glsl_fma_(m, sum, x, spe_glsl_f_(m, x, coefficients[i]));
    return sum;
}

/* 2^n for integers n in floats. */
static spe_id spe_power_of_2_(spe_module *m, spe_id n, spe_id type)
{
    spe_id i32 = spe_type_of(m, n), biased = spe_iadd(m, n, spe_const_u(m, i32, 127));
    return spe_bitcast(m, type, spe_shl(m, biased, spe_const_u(m, i32, 23)));
}

/* e^x, or e^x - 1 where `less_1`, of f32: x = n ln 2 + r, and e^r - 1 by its series, whose first term left out is below
 * 2^-27 of it. With `base_2`, 2^x. 2^n is multiplied in two halves, since it may be outside f32. */
static spe_id spe_exponential_(spe_module *m, spe_id x, bool base_2, bool less_1)
{
    static const double series[] = {1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0};
    spe_id type = spe_type_of(m, x), i32 = spe_vec_like(m, spe_int(m, 32), x), one = spe_glsl_f_(m, x, 1.0), n, r;
    double most = base_2 ? 200 : 110;
    spe_id high = spe_glsl_f_(m, x, most), low = spe_glsl_f_(m, x, -most), zero = spe_glsl_f_(m, x, 0.0);
    spe_id given = x;
    x = spe_select(m, spe_fgt(m, x, high), high, x);
    x = spe_select(m, spe_flt(m, x, low), low, x);
    n = base_2 ? x : spe_fmul(m, x, spe_glsl_f_(m, x, 1.4426950408889634));
    n = spe_glsl_(m, SPE_GLSL_ROUND_EVEN_, "llf:=", n, 0, 0);
    if (base_2) {
        r = spe_fsub(m, x, n);
        r = spe_fmul(m, r, spe_glsl_f_(m, x, 0.6931471805599453));
    } else {
        m->as_written = true; /* some compilers would add the two parts of ln 2 first */
        r = spe_fsub(m, x, spe_fmul(m, n, spe_glsl_f_(m, x, 0.693145751953125))); /* exact: 15 bits times 8 */
        r = spe_fsub(m, r, spe_fmul(m, n, spe_glsl_f_(m, x, 1.42860682030941723212e-6)));
        m->as_written = false;
    }
    spe_id rest = spe_fmul(m, spe_polynomial_(m, r, 8, series), r);
    spe_id whole = spe_f_to_s(m, i32, spe_select(m, spe_isnan(m, n), zero, n));
    spe_id half = spe_sar(m, whole, spe_const_u(m, i32, 1));
    spe_id first = spe_power_of_2_(m, half, type), second = spe_power_of_2_(m, spe_isub(m, whole, half), type);
    spe_id power = spe_fmul(m, spe_fmul(m, spe_fadd(m, one, rest), first), second), scale, small;
    if (!less_1) return spe_select(m, spe_isnan(m, given), given, power); /* some compilers assume that none occurs */
    scale = spe_fmul(m, first, second);
    small = spe_fmul(m, rest, scale);
    small = spe_fadd(m, small, spe_fsub(m, scale, one));
    small = spe_select(m, spe_fgt(m, n, spe_glsl_f_(m, x, 30.0)), power, small); /* beside 2^30, 1 is nothing */
    return spe_select(m, spe_isnan(m, given), given, small);
}

/* The logarithm of f32: x = 2^e m with m from sqrt(1/2) to sqrt(2), and with f = m - 1, s = f / (2 + f)
 * log m = 2 (s + s^3/3 + s^5/5 ...) = f - s (f - 2 s^2 (1/3 + s^2/5 ...)); `scale` is 1, or log2 e for base 2. */
static spe_id spe_logarithm_(spe_module *m, spe_id x, bool base_2)
{
    static const double series[] = {2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3};
    spe_id type = spe_type_of(m, x), i32 = spe_vec_like(m, spe_int(m, 32), x), zero = spe_glsl_f_(m, x, 0.0);
    spe_id small = spe_flt(m, x, spe_glsl_f_(m, x, 1.1754943508222875e-38)), shift = spe_const_u(m, i32, 23);
    spe_id scaled = spe_select(m, small, spe_fmul(m, x, spe_glsl_f_(m, x, 33554432.0)), x);
    spe_id bits = spe_bitcast(m, i32, scaled), e, f, s, z, y, inf;
    e = spe_sar(m, spe_isub(m, bits, spe_const_u(m, i32, 0x3f3504f3)), shift);
    f = spe_bitcast(m, type, spe_isub(m, bits, spe_shl(m, e, shift)));
    f = spe_fsub(m, f, spe_glsl_f_(m, x, 1.0));
    spe_id steps = spe_const_u(m, i32, 25), none = spe_const_u(m, i32, 0);
    e = spe_isub(m, e, spe_select(m, small, steps, none));
    e = spe_s_to_f(m, type, e);
    s = spe_fdiv(m, f, spe_fadd(m, f, spe_glsl_f_(m, x, 2.0)));
    z = spe_fmul(m, s, s);
    y = spe_fmul(m, s, spe_fsub(m, f, spe_fmul(m, z, spe_polynomial_(m, z, 5, series))));
    if (base_2) {
        y = spe_fsub(m, f, y);
        y = spe_glsl_fma_(m, y, spe_glsl_f_(m, x, 1.4426950408889634), e);
    } else {
        m->as_written = true;
        spe_id low = spe_fmul(m, e, spe_glsl_f_(m, x, 1.42860682030941723212e-6));
        spe_id high = spe_fmul(m, e, spe_glsl_f_(m, x, 0.693145751953125));
        y = spe_fadd(m, high, spe_fadd(m, f, spe_fsub(m, low, y)));
        m->as_written = false;
    }
    inf = spe_bitcast(m, type, spe_const_u(m, i32, 0x7f800000));
    y = spe_select(m, spe_feq(m, x, inf), inf, y);
    spe_id least = spe_fneg(m, inf), nan = spe_fsub(m, inf, inf);
    y = spe_select(m, spe_feq(m, x, zero), least, y);
    y = spe_select(m, spe_isnan(m, x), x, y);
    return spe_select(m, spe_fuge(m, x, zero), y, nan);
}

/* tanh x = E / (E + 2) with E = e^(2x) - 1, 1 from 10 on. */
static spe_id spe_hyperbolic_tangent_(spe_module *m, spe_id x)
{
    spe_id most = spe_glsl_f_(m, x, 10.0), least = spe_glsl_f_(m, x, -10.0), e;
    spe_id y = spe_select(m, spe_flt(m, x, least), least, x);
    y = spe_select(m, spe_fgt(m, x, most), most, y);
    e = spe_exponential_(m, spe_fadd(m, y, y), false, true);
    y = spe_fdiv(m, e, spe_fadd(m, e, spe_glsl_f_(m, x, 2.0)));
    spe_id size = spe_glsl_(m, SPE_GLSL_FABS_, "llf:=", x, 0, 0);
    y = spe_select(m, spe_flt(m, size, spe_glsl_f_(m, x, 1e-4)), x, y);
    return spe_select(m, spe_isnan(m, x), x, y);
}

/* erf x = 2 / sqrt(pi) e^(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 ...), whose terms are all positive; from 2.9 on, where it
 * is nearly 1, 1 - e^(-x^2) / (x sqrt(pi)) (1 - 1 / (2 x^2) ...). */
static spe_id spe_error_function_(spe_module *m, spe_id x)
{
    static const double tail[] = {-1.875, 0.75, -0.5, 1.0};
    double series[28], term = 1.1283791670955126;
    for (int n = 27, odd = 3; n >= 0; n--, odd += 2) series[n] = term, term *= 2.0 / odd;
    spe_id zero = spe_glsl_f_(m, x, 0.0), one = spe_glsl_f_(m, x, 1.0), four = spe_glsl_f_(m, x, 4.0);
    spe_id a = spe_glsl_(m, SPE_GLSL_FABS_, "llf:=", x, 0, 0), z, e, inner, t, outer, negative;
    a = spe_select(m, spe_fgt(m, a, four), four, a);
    z = spe_fmul(m, a, a);
    e = spe_exponential_(m, spe_fneg(m, z), false, false);
    inner = spe_fmul(m, spe_fmul(m, spe_polynomial_(m, z, 28, series), a), e);
    t = spe_fdiv(m, one, spe_glsl_(m, SPE_GLSL_NMAX_, "llf=:=", z, one, 0));
    outer = spe_polynomial_(m, t, 4, tail);
    outer = spe_fmul(m, outer, spe_fmul(m, e, spe_glsl_f_(m, x, 0.5641895835477563)));
    t = spe_glsl_(m, SPE_GLSL_NMAX_, "llf=:=", a, one, 0);
    outer = spe_fsub(m, one, spe_fdiv(m, outer, t));
    outer = spe_select(m, spe_fgt(m, a, spe_glsl_f_(m, x, 2.9)), outer, inner);
    negative = spe_fneg(m, outer);
    return spe_select(m, spe_flt(m, x, zero), negative, outer);
}

/* Half away from zero, which Vulkan leaves open. */
static spe_id spe_round_away_(spe_module *m, spe_id x)
{
    spe_id whole = spe_glsl_(m, SPE_GLSL_TRUNC_, "llf:=", x, 0, 0), zero = spe_glsl_f_(m, x, 0.0);
    spe_id rest = spe_glsl_(m, SPE_GLSL_FABS_, "llf:=", spe_fsub(m, x, whole), 0, 0);
    spe_id down = spe_glsl_f_(m, x, -1.0), up = spe_glsl_f_(m, x, 1.0);
    spe_id away = spe_fadd(m, whole, spe_select(m, spe_flt(m, x, zero), down, up));
    return spe_select(m, spe_fge(m, rest, spe_glsl_f_(m, x, 0.5)), away, whole);
}

/* Zeros before the highest bit, or after the lowest, of integers of 32 bits. */
static spe_id spe_count_zeros_(spe_module *m, spe_id x, bool leading)
{
    spe_id type = spe_type_of(m, x), bit, width = spe_const_u(m, type, 32);
    bit = spe_glsl_(m, leading ? SPE_GLSL_FIND_MSB_ : SPE_GLSL_FIND_LSB_, "lli:=", x, 0, 0);
    if (leading) return spe_isub(m, spe_const_u(m, type, 31), bit); /* -1: there is none */
    return spe_select(m, spe_ieq(m, x, spe_const_u(m, type, 0)), width, bit);
}

static spe_id spe_rotate_(spe_module *m, spe_id x, spe_id n)
{
    spe_id type = spe_type_of(m, x), mask = spe_const_u(m, type, spe_width(m, type) - 1);
    spe_id left = spe_shl(m, x, spe_and(m, n, mask)), right = spe_shr(m, x, spe_and(m, spe_ineg(m, n), mask));
    return spe_or(m, left, right);
}

/* The functions that are made of others here; 0 without an error: f is none of them. */
static spe_id spe_made_(spe_module *m, spe_math_op f, const spe_id *a)
{
    switch (f) {
    case SPE_EXP: return spe_exponential_(m, a[0], false, false);
    case SPE_EXP2: return spe_exponential_(m, a[0], true, false);
    case SPE_EXPM1: return spe_exponential_(m, a[0], false, true);
    case SPE_LOG: return spe_logarithm_(m, a[0], false);
    case SPE_LOG2: return spe_logarithm_(m, a[0], true);
    case SPE_ERF: return spe_error_function_(m, a[0]);
    case SPE_TANH: return spe_hyperbolic_tangent_(m, a[0]);
    case SPE_ROUND: return spe_round_away_(m, a[0]);
    case SPE_MAD: return spe_fadd(m, spe_fmul(m, a[0], a[1]), a[2]);
    case SPE_NATIVE_RECIP: return spe_fdiv(m, spe_glsl_f_(m, a[0], 1.0), a[0]);
    case SPE_NATIVE_DIVIDE: return spe_fdiv(m, a[0], a[1]);
    case SPE_POPCOUNT: return spe_bit_count(m, a[0]);
    case SPE_CLZ: return spe_count_zeros_(m, a[0], true);
    case SPE_CTZ: return spe_count_zeros_(m, a[0], false);
    case SPE_ROTATE: return spe_rotate_(m, a[0], a[1]);
    default: return 0;
    }
}

/* f of these arguments, which are checked. */
XE_FN_ spe_id spe_glsl_math_(spe_module *m, const char *name, spe_math_op f, const char *form, uint32_t n,
                             const spe_id *args)
{
    spe_id type = spe_type_of(m, args[0]), a[3], v;
    bool transcendental = f < SPE_NATIVE_COS && f != SPE_ROUND && f != SPE_MAD && !spe_glsl_number_(f);
    uint32_t bits = spe_width(m, type);
    memcpy(a, args, n * sizeof *a);
    if (spe_glsl_number_(f)) return spe_glsl_(m, spe_glsl_number_(f), form, a[0], n > 1 ? a[1] : 0, n > 2 ? a[2] : 0);
    if (f < SPE_SABS && transcendental && bits == 64)
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan has %s of 16 and 32 bits only", name);
    if ((f == SPE_CLZ || f == SPE_CTZ) && bits != 32)
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan has %s of 32 bits only", name);
    if (transcendental && bits == 16 && n == 1) a[0] = spe_fconvert(m, spe_vec_like(m, spe_float(m, 32), a[0]), a[0]);
    v = spe_made_(m, f, a);
    m->doing = name;
    if (!v) return spe_error_(m, SPE_ERR_ENVIRONMENT, "this header has no %s for Vulkan", name);
    return spe_type_of(m, v) == type ? v : spe_fconvert(m, type, v);
}
