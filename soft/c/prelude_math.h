/* prelude_math.h - functions of OpenCL.std that the C library lacks, for the current subgroup size S.
 *
 * f32 functions that would lose precision are computed in f64. Included once per subgroup size, after prelude_matrix.h.
 */
#ifndef XETILE_SOFT_PRELUDE_MATH_ONCE
#define XETILE_SOFT_PRELUDE_MATH_ONCE
#define XS_PI 3.14159265358979323846
#define XS_INT_MIN 0x80000000u

XS_INLINE f32 fma_f32(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
XS_INLINE f64 fma_f64(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
/* a * b + c of numbers that are halves, to be rounded to a half: the product is exact, and an inexact sum is rounded to
 * an odd last bit, so that the final rounding is correct. */
XS_INLINE f32 fma_half_f32(f32 a, f32 b, f32 c)
{
    f32 p = a * b, s = p + c, back = s - p, lost = (p - (s - back)) + (c - back);
    u32 bits = bits_f32(s);
    if (s - s != 0 || lost == 0 || bits & 1) return s;
    return f32_bits((lost > 0) == (s > 0) ? bits + 1 : bits - 1);
}
XS_INLINE f32 rsqrt_f32(f32 x) { return (f32)(1.0 / __builtin_sqrt(x)); }
XS_INLINE f64 rsqrt_f64(f64 x) { return 1.0 / __builtin_sqrt(x); }
XS_INLINE f32 nan_f32(u32 bits) { return f32_bits(0x7fc00000u | (bits & 0x3fffffu)); }
XS_INLINE f64 nan_f64(u64 bits) { return f64_bits(0x7ff8000000000000u | (bits & 0x7ffffffffffffu)); }
XS_INLINE i32 is_normal_f32(f32 x)
{
    u32 e = bits_f32(x) >> 23 & 0xffu;
    return -(e != 0 && e != 0xffu);
}
XS_INLINE i32 is_normal_half_f32(f32 x) { return -(x - x == 0 && __builtin_fabsf(x) >= 0x1p-14f); }
XS_INLINE i32 is_normal_f64(f64 x)
{
    u64 e = bits_f64(x) >> 52 & 0x7ffu;
    return -(e != 0 && e != 0x7ffu);
}
XS_INLINE i32 sign_bit_f32(f32 x) { return -(i32)(bits_f32(x) >> 31); }
XS_INLINE i32 sign_bit_f64(f64 x) { return -(i32)(bits_f64(x) >> 63); }

/* sin(pi a) after `more` quarter turns; first an exact reduction to a quarter turn. */
XS_INLINE f64 turned_pi(f64 a, int more)
{
    f64 n = __builtin_rint(2 * a), r = (a - n / 2) * XS_PI; /* n quarter turns */
    switch (((int)__builtin_fmod(n, 4) + more) & 3) {
    case 0: return __builtin_sin(r);
    case 1: return __builtin_cos(r);
    case 2: return -__builtin_sin(r);
    default: return -__builtin_cos(r);
    }
}
XS_INLINE f64 sinpi_f64(f64 x)
{
    f64 a = __builtin_fabs(x);
    if (!(a < 0x1p53)) return a - a == 0 ? x * 0 : a - a; /* whole, or not finite */
    return __builtin_copysign(1.0, x) * (a == __builtin_floor(a) ? 0 : turned_pi(a, 0));
}
XS_INLINE f64 cospi_f64(f64 x)
{
    f64 a = __builtin_fabs(x);
    if (!(a < 0x1p53)) return a < __builtin_inf() ? 1.0 : a - a;
    return a + 0.5 == __builtin_floor(a + 0.5) && a < 0x1p52 ? 0.0 : turned_pi(a, 1);
}
XS_INLINE f64 tanpi_f64(f64 x) { return sinpi_f64(x) / cospi_f64(x); }
XS_INLINE f64 acospi_f64(f64 x) { return __builtin_acos(x) / XS_PI; }
XS_INLINE f64 asinpi_f64(f64 x) { return __builtin_asin(x) / XS_PI; }
XS_INLINE f64 atanpi_f64(f64 x) { return __builtin_atan(x) / XS_PI; }
XS_INLINE f64 atan2pi_f64(f64 y, f64 x) { return __builtin_atan2(y, x) / XS_PI; }

/* ---- logarithms, powers of 2 and e, and circular functions of f32, in f64 and without branches, so that loops over
 * lanes become vectors. With all f32 as arguments (up to XS_TURN_LIMIT for sin, cos and tan), no result is off by more
 * than 0.501 ULP. */

/* a + b z + c z^2 + d z^3. */
#define XS_CUBIC(z, z2, a, b, c, d) ((a) + (z) * (b) + (z2) * ((c) + (z) * (d)))

/* log2 x: x is 2^e m, m from sqrt(1/2) to sqrt(2), and log m = 2 atanh s = 2 (s + s^3 / 3 + s^5 / 5 ...). x is not
 * subnormal in f64. */
XS_FORCED f64 log2_near(f64 x)
{
    u64 bits = bits_f64(x);
    i32 e = (i32)(u32)((bits - 0x3fe6a09e667f3bcdu) >> 32) >> 20;
    f64 f = f64_bits(bits - ((u64)(i64)e << 52)) - 1, s = f / (2 + f), z = s * s, z2 = z * z;
    f64 rest = z * XS_CUBIC(z, z2, 1 / 3., 1 / 5., 1 / 7., 1 / 9.) + z2 * z2 * z * (1 / 11. + z * (1 / 13.));
    f64 r = e + (s + s * rest) * 0x1.71547652b82fep+1; /* 2 / log 2 */
    r = x > 0 ? r : x == 0 ? -__builtin_inf() : __builtin_nan("");
    return x == __builtin_inf() ? x : r;
}
XS_FORCED f32 log_f32(f32 x) { return (f32)(log2_near(x) * 0x1.62e42fefa39efp-1); }
XS_FORCED f32 log2_f32(f32 x) { return (f32)log2_near(x); }
XS_FORCED f32 log10_f32(f32 x) { return (f32)(log2_near(x) * 0x1.34413509f79ffp-2); }

/* 2^p: p is n + r / log 2. n is added to the exponent of a polynomial in r, |r| <= log 2 / 2. */
XS_FORCED f64 exp2_near(f64 p)
{
    f64 q = p > 200 ? 200 : p < -200 ? -200 : p, whole = q + 0x1.8p52; /* beyond 150, f32 has infinity and 0 */
    f64 r = (q - (whole - 0x1.8p52)) * 0x1.62e42fefa39efp-1, r2 = r * r;
    f64 rest = XS_CUBIC(r, r2, 1 / 2., 1 / 6., 1 / 24., 1 / 120.) +
               r2 * r2 * XS_CUBIC(r, r2, 1 / 720., 1 / 5040., 1 / 40320., 1 / 362880.);
    f64 e = f64_bits(bits_f64(1 + (r + r2 * rest)) + (bits_f64(whole) << 52));
    return p != p ? p : e;
}
XS_FORCED f32 exp_f32(f32 x) { return (f32)exp2_near(x * 0x1.71547652b82fep+0); }
XS_FORCED f32 exp2_f32(f32 x) { return (f32)exp2_near(x); }

/* The reduction to n quarter turns and r: pi / 2 is in three parts, the first two of 33 bits, so that their products
 * with n are exact for n up to 2^20. Larger arguments are left to the C library. */
#define XS_TURN_LIMIT 0x1.9p+20f
XS_FORCED f64 quarter_turns(f64 x, u64 *n)
{
    f64 whole = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, k = whole - 0x1.8p52;
    *n = bits_f64(whole);
    return x - k * 0x1.921fb54400000p+0 - k * 0x1.0b4611a600000p-34 - k * 0x1.3198a2e037073p-69;
}
XS_FORCED f64 sin_near(f64 r)
{
    f64 z = r * r, z2 = z * z;
    f64 rest = XS_CUBIC(z, z2, -1 / 6., 1 / 120., -1 / 5040., 1 / 362880.) + z2 * z2 * (-1 / 39916800.);
    return r * (1 + z * rest); /* -0 stays */
}
XS_FORCED f64 cos_near(f64 r)
{
    f64 z = r * r, z2 = z * z;
    f64 rest = XS_CUBIC(z, z2, 1 / 24., -1 / 720., 1 / 40320., -1 / 3628800.) + z2 * z2 * (1 / 479001600.);
    return 1 - z / 2 + z2 * rest;
}
/* The sine of x and `more` quarter turns. */
XS_FORCED f32 turned(f32 x, u64 more)
{
    u64 n;
    f64 r = quarter_turns(x, &n), s = sin_near(r), c = cos_near(r);
    n += more;
    return (f32)f64_bits(bits_f64(n & 1 ? c : s) ^ (n & 2) << 62);
}
XS_FORCED f32 near_sin(f32 x) { return turned(x, 0); }
XS_FORCED f32 near_cos(f32 x) { return turned(x, 1); }
XS_FORCED f32 near_tan(f32 x)
{
    u64 n;
    f64 r = quarter_turns(x, &n), s = sin_near(r), c = cos_near(r);
    return (f32)(n & 1 ? -c / s : s / c);
}
#define XS_TURNS(NAME)                                                                                                 \
    XS_INLINE f32 NAME##_f32(f32 x)                                                                                    \
    {                                                                                                                  \
        return __builtin_fabsf(x) <= XS_TURN_LIMIT ? near_##NAME(x) : __builtin_##NAME##f(x);                          \
    }
XS_TURNS(sin)
XS_TURNS(cos)
XS_TURNS(tan)
#undef XS_TURNS

/* asin x, |x| <= 1/2, and atan x, |x| <= 1: coefficients of (f(x) / x - 1) / x^2 in powers of x^2, by interpolation in
 * the Chebyshev points of [0, 1/4] and [0, 1]. The relative error is below 2^-34. */
XS_FORCED f64 asin_near(f64 x, f64 z)
{
    f64 z2 = z * z;
    f64 low = XS_CUBIC(z, z2, 0x1.5555555c0171dp-3, 0x1.33331ecf8b70bp-4, 0x1.6dc0f007c13e8p-5, 0x1.efedf83ab6506p-6);
    f64 high = XS_CUBIC(z, z2, 0x1.82db23768c84fp-6, 0x1.5a80a068e3ee2p-7, 0x1.fb7ca379d49c6p-6, 0);
    return x + x * z * (low + z2 * z2 * high);
}
/* asin(a) if a <= 1/2, else asin(sqrt((1 - a) / 2)), of which asin(a) is pi / 2 less twice that. */
XS_FORCED f64 asin_part(f64 a)
{
    f64 z = a > 0.5 ? (1 - a) / 2 : a * a;
    return asin_near(a > 0.5 ? __builtin_sqrt(z) : a, z);
}
XS_FORCED f32 asin_f32(f32 x)
{
    f64 a = __builtin_fabs((f64)x), r = asin_part(a);
    return (f32)__builtin_copysign(a > 0.5 ? XS_PI / 2 - 2 * r : r, x);
}
XS_FORCED f32 acos_f32(f32 x)
{
    f64 a = __builtin_fabs((f64)x), r = asin_part(a), end = x < 0 ? XS_PI - 2 * r : 2 * r;
    return (f32)(a > 0.5 ? end : XS_PI / 2 - __builtin_copysign(r, x));
}
XS_FORCED f32 atan_f32(f32 x)
{
    f64 a = __builtin_fabs((f64)x), t = a > 1 ? 1 / a : a, z = t * t, z2 = z * z, z4 = z2 * z2;
    f64 p = XS_CUBIC(z, z2, -0x1.555555543c557p-2, 0x1.9999971f594e7p-3, -0x1.2491d128f2977p-3, 0x1.c70a6be6d4163p-4);
    f64 q = XS_CUBIC(z, z2, -0x1.73a719b0b93d9p-4, 0x1.36bfd2210f14ap-4, -0x1.ffb2b9595f5b2p-5, 0x1.837061ab40426p-5);
    f64 s = XS_CUBIC(z, z2, -0x1.ea18af61c3e87p-6, 0x1.cd243cc325c05p-7, -0x1.14abab0185470p-8, 0x1.36ecfc48d188bp-11);
    f64 r = t + t * z * (p + z4 * (q + z4 * s));
    return (f32)__builtin_copysign(a > 1 ? XS_PI / 2 - r : r, x);
}

/* ---- powers: without branches, so that loops over lanes become vectors, and in double precision pairs if the power
 * multiplies the errors of the logarithm */

#if defined(__FP_FAST_FMA) || defined(__FMA__)
XS_FORCED f64 xs_mad(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
XS_FORCED f64 xs_lost(f64 a, f64 b, f64 p) { return __builtin_fma(a, b, -p); } /* error of p, which is a * b rounded */
/* a + b x, and so on. */
#define XS_POLY2(x, a, b) xs_mad(x, b, a)
#define XS_POLY4(x, x2, a, b, c, d) xs_mad(x2, XS_POLY2(x, c, d), XS_POLY2(x, a, b))
struct xs_wide {
    f64 high, low;
};
/* log2 x, x > 0, as in log2_near, with the correction beyond f64's precision. */
XS_FORCED struct xs_wide log2_wide(f64 x)
{
    const f64 third = 0x1.5555555555555p-2, log2e2 = 0x1.71547652b82fep+1;
    u64 bits = bits_f64(x < 0x1p-1022 ? x * 0x1p54 : x);
    i32 e = (i32)(u32)((bits - 0x3fe6a09e667f3bcdu) >> 32) >> 20;
    f64 k = (f64)e - (x < 0x1p-1022 ? 54 : 0), f = f64_bits(bits - ((u64)(i64)e << 52)) - 1, d = 2 + f;
    f64 r = 1 / d, s = f * r, z = s * s, z2 = z * z, z4 = z2 * z2;
    f64 rest = XS_POLY4(z, z2, 1 / 5., 1 / 7., 1 / 9., 1 / 11.);
    f64 far = XS_POLY4(z, z2, 1 / 13., 1 / 15., 1 / 17., 1 / 19.);
    rest = z2 * xs_mad(z4, xs_mad(z4, XS_POLY2(z, 1 / 21., 1 / 23.), far), rest);
    f64 s_low = (f - s * d - xs_lost(s, d, s * d) - s * (f - (d - 2))) * r;
    f64 z_low = xs_mad(2 * s, s_low, xs_lost(s, s, z));
    f64 t = z * third, t_low = xs_mad(z_low, third, xs_mad(z, 0x1.5555555555555p-56, xs_lost(z, third, t)));
    f64 w = t + rest, w_low = t - w + rest + t_low;
    f64 u = s * w, u_low = xs_mad(s_low, w, xs_mad(s, w_low, xs_lost(s, w, u)));
    f64 h = s + u, h_low = s - h + u + (u_low + s_low);
    f64 a = h * log2e2, a_low = xs_mad(h_low, log2e2, xs_mad(h, 0x1.777d0ffda0d24p-55, xs_lost(h, log2e2, a)));
    return (struct xs_wide){k + a, k - (k + a) + a + a_low};
}
/* 2 to the power of high + low, where low is small. */
XS_FORCED f64 exp2_wide(f64 high, f64 low, int near)
{
    const f64 most = near ? 300 : 1200;
    f64 p = high < -most ? -most : high > most ? most : high, n = p + 0x1.8p52 - 0x1.8p52;
    f64 r = (p - n + (p == high ? low : 0)) * 0x1.62e42fefa39efp-1, r2 = r * r, r4 = r2 * r2; /* log 2 */
    f64 rest = XS_POLY4(r, r2, 1 / 6., 1 / 24., 1 / 120., 1 / 720.);
    f64 far = XS_POLY2(r, 1 / 5040., 1 / 40320.);
    i32 k = (i32)n, half = near ? 0 : k >> 1;
    if (!near) far = xs_mad(r2, XS_POLY2(r, 1 / 362880., 1 / 3628800.), far);
    if (!near) far = xs_mad(r4, xs_mad(r2, 1 / 6227020800., XS_POLY2(r, 1 / 39916800., 1 / 479001600.)), far);
    f64 e = 1 + xs_mad(r2, xs_mad(r, xs_mad(r4, far, rest), .5), r);
    return (near ? e : e * f64_bits((u64)(i64)(1023 + half) << 52)) * f64_bits((u64)(i64)(1023 + k - half) << 52);
}
/* a^(y + y_low), a >= 0; y is not 0. */
XS_FORCED f64 power_of(f64 a, f64 y, f64 y_low, int near)
{
    struct xs_wide l = near ? (struct xs_wide){log2_near(a), 0} : log2_wide(a);
    f64 p = y * l.high, p_low = near ? 0 : xs_mad(y_low, l.high, xs_mad(y, l.low, xs_lost(y, l.high, p)));
    f64 r = exp2_wide(p, p_low, near), end = (a == 0) == (y < 0) ? __builtin_inf() : 0;
    r = (a == 0) | (a == __builtin_inf()) ? end : r;
    return a == 1 ? 1 : a != a ? a : r;
}
XS_FORCED f64 exp10_of(f64 x, int near)
{
    const f64 log2_10 = 0x1.a934f0979a371p+1;
    f64 p = x * log2_10;
    return exp2_wide(p, near ? 0 : xs_mad(x, 0x1.7f2495fb7fa6dp-53, xs_lost(x, log2_10, p)), near);
}
#else /* without FMA, the C library is faster */
XS_FORCED f64 xs_lost(f64 a, f64 b, f64 p) { return __builtin_fma(a, b, -p); }
XS_FORCED f64 power_of(f64 a, f64 y, f64 y_low, int near)
{
    f64 r = __builtin_pow(a, y);
    return near || !y_low || a == 0 || a - a != 0 ? r : r + r * (__builtin_log(a) * y_low);
}
XS_FORCED f64 exp10_of(f64 x, int near) { return __builtin_pow(10.0, x); }
#endif
XS_FORCED int is_whole(f64 x)
{
    f64 a = __builtin_fabs(x);
    return (a >= 0x1p52) | (a + 0x1p52 - 0x1p52 == a);
}
/* r, with the sign of x if the power is odd. */
XS_FORCED f64 signed_power(f64 x, f64 r, u32 odd) { return f64_bits(bits_f64(r) ^ (bits_f64(x) & (u64)odd << 63)); }
XS_FORCED f64 any_pow(f64 x, f64 y, int near)
{
    f64 a = __builtin_fabs(x), r = power_of(a, y, 0, near);
    int whole = is_whole(y);
    r = signed_power(x, r, (u32)(whole & !is_whole(y / 2)));
    r = (x < 0) & (a < __builtin_inf()) & !whole ? __builtin_nan("") : y != y ? y : r;
    return (y == 0) | (x == 1) ? 1 : r;
}
XS_FORCED f64 pown_f64(f64 x, u32 n)
{
    f64 r = signed_power(x, power_of(__builtin_fabs(x), (i32)n, 0, 0), n & 1);
    return n == 0 ? 1 : r;
}
XS_FORCED f64 any_powr(f64 x, f64 y, int near)
{
    f64 a = __builtin_fabs(x), r = power_of(a, y, 0, near), inf = __builtin_inf();
    int none = (x < 0) | (y != y) | ((a == 0) | (a == inf)) & (y == 0) | (a == 1) & (__builtin_fabs(y) == inf);
    return none ? __builtin_nan("") : r;
}
XS_FORCED f64 any_rootn(f64 x, u32 n, int near)
{
    f64 k = (i32)n, y = 1 / k, y_low = near ? 0 : (1 - y * k - xs_lost(y, k, y * k)) * y;
    f64 r = signed_power(x, power_of(__builtin_fabs(x), y, y_low, near), n & 1);
    u64 none = 0 - (bits_f64(x + 0) >> 63 & ~(u64)n & 1); /* even roots of negative numbers (-0 + 0 is 0) */
    return k == 0 ? __builtin_nan("") : f64_bits(bits_f64(r) | (none & 0x7ff8000000000000u));
}
#define XS_POWERS(F, near)                                                                                             \
    XS_FORCED F pow_##F(F x, F y) { return (F)any_pow(x, y, near); }                                                   \
    XS_FORCED F powr_##F(F x, F y) { return (F)any_powr(x, y, near); }                                                 \
    XS_FORCED F rootn_##F(F x, u32 n) { return (F)any_rootn(x, n, near); }                                             \
    XS_FORCED F exp10_##F(F x) { return (F)exp10_of(x, near); }
XS_POWERS(f32, 1)
XS_POWERS(f64, 0)
#undef XS_POWERS

/* The C library's cube root may be off by 4 ULP in f64: one Newton step, with the cube in twice the precision. */
XS_INLINE f64 cbrt_f64(f64 x)
{
    f64 scale = __builtin_fabs(x) < 0x1p-600 ? 0x1p100 : __builtin_fabs(x) > 0x1p600 ? 0x1p-100 : 1.0;
    f64 r, square, cube, low;
    if (x == 0 || x - x != 0) return x + x;
    x *= scale * scale * scale;
    r = __builtin_cbrt(x);
    square = r * r;
    cube = square * r;
    low = __builtin_fma(square, r, -cube) + __builtin_fma(r, r, -square) * r;
    return (r - ((cube - x) + low) / (3 * square)) / scale;
}
XS_INLINE f32 cbrt_f32(f32 x) { return (f32)__builtin_cbrt(x); }
XS_INLINE f64 degrees_f64(f64 x) { return x * (180 / XS_PI); }
XS_INLINE f64 radians_f64(f64 x) { return x * (XS_PI / 180); }
XS_INLINE f32 sinpi_f32(f32 x) { return (f32)sinpi_f64(x); }
XS_INLINE f32 cospi_f32(f32 x) { return (f32)cospi_f64(x); }
XS_INLINE f32 tanpi_f32(f32 x) { return (f32)tanpi_f64(x); }
XS_INLINE f32 acospi_f32(f32 x) { return (f32)acospi_f64(x); }
XS_INLINE f32 asinpi_f32(f32 x) { return (f32)asinpi_f64(x); }
XS_INLINE f32 atanpi_f32(f32 x) { return (f32)atanpi_f64(x); }
XS_INLINE f32 atan2pi_f32(f32 y, f32 x) { return (f32)atan2pi_f64(y, x); }
/* In f64, repeated squaring loses at most 4 ULP of an f32, for the largest n. */
XS_INLINE f32 pown_f32(f32 x, u32 n)
{
    f64 power = 1, square = x;
    for (u32 left = (i32)n < 0 ? 0 - n : n; left; left >>= 1, square *= square)
        if (left & 1) power *= square;
    return (f32)((i32)n < 0 ? 1 / power : power);
}
XS_INLINE f32 degrees_f32(f32 x) { return (f32)degrees_f64(x); }
XS_INLINE f32 radians_f32(f32 x) { return (f32)radians_f64(x); }

#define XS_REAL(F, l)                                                                                                  \
    XS_INLINE u32 ilogb_##F(F x)                                                                                       \
    {                                                                                                                  \
        if (x != x) return 0x7fffffffu;                                                                                \
        if (x == 0) return XS_INT_MIN; /* FP_ILOGB0 of clang's OpenCL header */                                        \
        return x - x != 0 ? 0x7fffffffu : (u32)__builtin_ilogb##l(x);                                                  \
    }                                                                                                                  \
    XS_INLINE F ldexp_##F(F x, u32 n) { return __builtin_ldexp##l(x, (i32)n); }                                        \
    XS_INLINE F maxmag_##F(F a, F b)                                                                                   \
    {                                                                                                                  \
        F x = __builtin_fabs##l(a), y = __builtin_fabs##l(b);                                                          \
        return x > y ? a : y > x ? b : fmax_##F(a, b);                                                                 \
    }                                                                                                                  \
    XS_INLINE F minmag_##F(F a, F b)                                                                                   \
    {                                                                                                                  \
        F x = __builtin_fabs##l(a), y = __builtin_fabs##l(b);                                                          \
        return x < y ? a : y < x ? b : fmin_##F(a, b);                                                                 \
    }                                                                                                                  \
    XS_INLINE F step_##F(F edge, F x) { return x < edge ? (F)0 : (F)1; }                                               \
    XS_INLINE F smoothstep_##F(F e0, F e1, F x)                                                                        \
    {                                                                                                                  \
        F t = fmin_##F(fmax_##F((x - e0) / (e1 - e0), 0), 1);                                                          \
        return t * t * (3 - 2 * t);                                                                                    \
    }                                                                                                                  \
    XS_INLINE F sign_##F(F x) { return x != x ? (F)0 : x > 0 ? (F)1 : x < 0 ? (F)-1 : x; }                             \
    XS_INLINE F fract_##F(F x)                                                                                         \
    {                                                                                                                  \
        const F below = sizeof(F) == 4 ? (F)0x1.fffffep-1 : (F)0x1.fffffffffffffp-1;                                   \
        F r = x - __builtin_floor##l(x);                                                                               \
        if (x != x) return x;                                                                                          \
        return x - x != 0 ? __builtin_copysign##l(0, x) : r > below ? below : r;                                       \
    }                                                                                                                  \
    XS_INLINE F frexp_##F(F x)                                                                                         \
    {                                                                                                                  \
        int e;                                                                                                         \
        return __builtin_frexp##l(x, &e);                                                                              \
    }                                                                                                                  \
    XS_INLINE u32 frexp_exponent_##F(F x)                                                                              \
    {                                                                                                                  \
        int e = 0;                                                                                                     \
        if (x - x == 0) (void)__builtin_frexp##l(x, &e);                                                               \
        return (u32)e;                                                                                                 \
    }                                                                                                                  \
    XS_INLINE F modf_##F(F x)                                                                                          \
    {                                                                                                                  \
        if (x - x != 0) return x != x ? x : __builtin_copysign##l(0, x);                                               \
        return __builtin_copysign##l(x - __builtin_trunc##l(x), x);                                                    \
    }                                                                                                                  \
    XS_INLINE F lgamma_##F(F x)                                                                                        \
    {                                                                                                                  \
        F lgamma##l##_r(F, int *); /* lgamma writes the program's signgam */                                           \
        int sign;                                                                                                      \
        return lgamma##l##_r(x, &sign);                                                                                \
    }                                                                                                                  \
    XS_INLINE u32 lgamma_sign_##F(F x)                                                                                 \
    {                                                                                                                  \
        if (!(x < 0) || x == __builtin_floor##l(x)) return x <= 0 || x != x ? 0u : 1u;                                 \
        return __builtin_fmod##l(__builtin_floor##l(x), 2) != 0 ? ~0u : 1u;                                            \
    }                                                                                                                  \
    XS_INLINE u32 remquo_##F(F x, F y)                                                                                 \
    {                                                                                                                  \
        int q = 0;                                                                                                     \
        (void)__builtin_remquo##l(x, y, &q);                                                                           \
        return x - x != 0 || y == 0 || x != x || y != y ? 0u : (u32)q;                                                 \
    }
XS_REAL(f32, f)
XS_REAL(f64, )

XS_ATOMIC_LOOP(fadd_f16, 16, u16, f16_to_f32, f32_to_f16, fadd_f32)
XS_ATOMIC_LOOP(fmin_f16, 16, u16, f16_to_f32, f32_to_f16, fmin_f32)
XS_ATOMIC_LOOP(fmax_f16, 16, u16, f16_to_f32, f32_to_f16, fmax_f32)
XS_ATOMIC_LOOP(fadd_bf16, 16, u16, bf16_to_f32, f32_to_bf16, fadd_f32)
XS_ATOMIC_LOOP(fmin_bf16, 16, u16, bf16_to_f32, f32_to_bf16, fmin_f32)
XS_ATOMIC_LOOP(fmax_bf16, 16, u16, bf16_to_f32, f32_to_bf16, fmax_f32)

XS_INLINE f32 fract_half_f32(f32 x)
{
    f32 r = fract_f32(x);
    return r > 0x1.ffcp-1f ? 0x1.ffcp-1f : r;
}
XS_INLINE u16 nextafter_f16(u16 a, u16 b)
{
    f32 x = f16_to_f32(a), y = f16_to_f32(b);
    if (x != x || y != y) return 0x7e00;
    if (x == y) return b;
    if (x == 0) return (u16)((b & 0x8000u) | 1);
    return (u16)((x < y) == (x > 0) ? a + 1 : a - 1);
}

#define XS_MAD_INTEGER(N, W)                                                                                           \
    XS_INLINE u##N smad_hi_u##N(u##N a, u##N b, u##N c) { return (u##N)(smul_hi_u##N(a, b) + c); }                     \
    XS_INLINE u##N umad_hi_u##N(u##N a, u##N b, u##N c) { return (u##N)(umul_hi_u##N(a, b) + c); }                     \
    XS_INLINE u##N umad_sat_u##N(u##N a, u##N b, u##N c)                                                               \
    {                                                                                                                  \
        return umul_hi_u##N(a, b) ? (u##N)~(u##N)0 : uadd_sat_u##N(imul_u##N(a, b), c);                                \
    }                                                                                                                  \
    XS_INLINE u##N smad_sat_u##N(u##N a, u##N b, u##N c)                                                               \
    {                                                                                                                  \
        u##N low = imul_u##N(a, b), high = smul_hi_u##N(a, b), sum = (u##N)(low + c);                                  \
        u##N top = (u##N)(high + ((i##N)c < 0 ? (u##N)~(u##N)0 : (u##N)0) + (sum < low));                              \
        if (top == (u##N)((i##N)sum < 0 ? (u##N)~(u##N)0 : (u##N)0)) return sum;                                       \
        return (i##N)top < 0 ? (u##N)((W)1 << (N - 1)) : (u##N)(((W)1 << (N - 1)) - 1);                                \
    }
XS_MAD_INTEGER(8, u32)
XS_MAD_INTEGER(16, u32)
XS_MAD_INTEGER(32, u32)
XS_MAD_INTEGER(64, u64)

XS_INLINE u32 smul24_u32(u32 a, u32 b) { return (u32)((i32)(a << 8) >> 8) * (u32)((i32)(b << 8) >> 8); }
XS_INLINE u32 umul24_u32(u32 a, u32 b) { return (a & 0xffffffu) * (b & 0xffffffu); }
XS_INLINE u32 smad24_u32(u32 a, u32 b, u32 c) { return smul24_u32(a, b) + c; }
XS_INLINE u32 umad24_u32(u32 a, u32 b, u32 c) { return umul24_u32(a, b) + c; }

/* Conversions to float types in directed modes, of the absolute value: the nearest value, corrected by one step if that
 * is on the wrong side. */
#define XS_DOWN_AND_UP(S, T, PAST)                                                                                     \
    XS_INLINE T S##_to_##T##_down(S x)                                                                                 \
    {                                                                                                                  \
        T r = (T)x;                                                                                                    \
        return PAST || (S)r > x ? T##_bits(bits_##T(r) - 1) : r;                                                       \
    }                                                                                                                  \
    XS_INLINE T S##_to_##T##_up(S x)                                                                                   \
    {                                                                                                                  \
        T r = (T)x;                                                                                                    \
        return !(PAST) && (S)r < x ? T##_bits(bits_##T(r) + 1) : r;                                                    \
    }
XS_DOWN_AND_UP(u64, f32, r >= 0x1p64f)
XS_DOWN_AND_UP(u64, f64, r >= 0x1p64)
XS_DOWN_AND_UP(f64, f32, 0)
XS_INLINE u16 f64_to_f16_rte(f64 x) { return f32_to_f16(f64_to_f32_odd(x)); }
XS_INLINE u16 f64_to_f16_down(f64 x)
{
    u16 r = f64_to_f16_rte(x);
    return r <= 0x7c00u && (f64)f16_to_f32(r) > x ? (u16)(r - 1) : r;
}
XS_INLINE u16 f64_to_f16_up(f64 x)
{
    u16 r = f64_to_f16_rte(x);
    return r < 0x7c00u && (f64)f16_to_f32(r) < x ? (u16)(r + 1) : r;
}
XS_INLINE u16 u64_to_f16_down(u64 x) { return f64_to_f16_down(x < 0x100000u ? (f64)x : 0x1p20); }
XS_INLINE u16 u64_to_f16_up(u64 x) { return f64_to_f16_up(x < 0x100000u ? (f64)x : 0x1p20); }

#define XS_DIRECTED(S, U, T, R, NEGATIVE, ABSOLUTE, NEGATE)                                                            \
    XS_INLINE R S##_to_##T##_rtz(S x)                                                                                  \
    {                                                                                                                  \
        R r = U##_to_##T##_down((U)(ABSOLUTE));                                                                        \
        return NEGATIVE ? (R)(NEGATE) : r;                                                                             \
    }                                                                                                                  \
    XS_INLINE R S##_to_##T##_rtp(S x)                                                                                  \
    {                                                                                                                  \
        R r = NEGATIVE ? U##_to_##T##_down((U)(ABSOLUTE)) : U##_to_##T##_up((U)(ABSOLUTE));                            \
        return NEGATIVE ? (R)(NEGATE) : r;                                                                             \
    }                                                                                                                  \
    XS_INLINE R S##_to_##T##_rtn(S x)                                                                                  \
    {                                                                                                                  \
        R r = NEGATIVE ? U##_to_##T##_up((U)(ABSOLUTE)) : U##_to_##T##_down((U)(ABSOLUTE));                            \
        return NEGATIVE ? (R)(NEGATE) : r;                                                                             \
    }
XS_DIRECTED(u64, u64, f16, u16, 0, x, r)
XS_DIRECTED(u64, u64, f32, f32, 0, x, r)
XS_DIRECTED(u64, u64, f64, f64, 0, x, r)
XS_DIRECTED(i64, u64, f16, u16, x < 0, x < 0 ? 0 - (u64)x : (u64)x, r | 0x8000u)
XS_DIRECTED(i64, u64, f32, f32, x < 0, x < 0 ? 0 - (u64)x : (u64)x, -r)
XS_DIRECTED(i64, u64, f64, f64, x < 0, x < 0 ? 0 - (u64)x : (u64)x, -r)
XS_DIRECTED(f64, f64, f16, u16, bits_f64(x) >> 63, __builtin_fabs(x), r | 0x8000u)
XS_DIRECTED(f64, f64, f32, f32, bits_f64(x) >> 63, __builtin_fabs(x), -r)
#endif

/* ---- whole vectors */

/* The lanes with large arguments, infinities and NaN again, one by one. */
#define XS_TURN_LANES(NAME)                                                                                            \
    XS_FUNCTION void XS(each_##NAME##_f32)(f32x *r, const f32x *a)                                                     \
    {                                                                                                                  \
        f32 x[S], y[S];                                                                                                \
        u32 far = 0;                                                                                                   \
        __builtin_memcpy(x, a, sizeof x);                                                                              \
        for (int l = 0; l < S; l++) y[l] = near_##NAME(x[l]);                                                          \
        for (int l = 0; l < S; l++) far |= (bits_f32(x[l]) & 0x7fffffffu) > bits_f32(XS_TURN_LIMIT);                   \
        if (far)                                                                                                       \
            for (int l = 0; l < S; l++) y[l] = NAME##_f32(x[l]);                                                       \
        __builtin_memcpy(r, y, sizeof y);                                                                              \
    }                                                                                                                  \
    XS_INLINE f32x XS(NAME##_f32)(f32x a)                                                                              \
    {                                                                                                                  \
        f32x r;                                                                                                        \
        XS(each_##NAME##_f32)(&r, &a);                                                                                 \
        return r;                                                                                                      \
    }
XS_TURN_LANES(sin)
XS_TURN_LANES(cos)
XS_TURN_LANES(tan)
#undef XS_TURN_LANES
/* The same multiplications in all lanes. */
XS_FUNCTION void XS(each_pown_f32)(f32x *r, const f32x *x, const u32x *n)
{
    f32 to[S];
    f64 power[S], square[S];
    u32 given[S], left[S], any = 0;
    __builtin_memcpy(to, x, sizeof to);
    __builtin_memcpy(given, n, sizeof given);
    for (int l = 0; l < S; l++) power[l] = 1, square[l] = to[l];
    for (int l = 0; l < S; l++) any |= left[l] = (i32)given[l] < 0 ? 0 - given[l] : given[l];
    for (; any; any >>= 1)
        for (int l = 0; l < S; l++) {
            power[l] *= left[l] & 1 ? square[l] : 1;
            square[l] *= square[l];
            left[l] >>= 1;
        }
    for (int l = 0; l < S; l++) to[l] = (f32)((i32)given[l] < 0 ? 1 / power[l] : power[l]);
    __builtin_memcpy(r, to, sizeof to);
}
XS_INLINE f32x XS(pown_f32)(f32x x, u32x n)
{
    XS(each_pown_f32)(&x, &x, &n);
    return x;
}
#define XS_FUSED(NAME, F)                                                                                              \
    XS_FUNCTION void XS(each_##NAME)(F##x *r, const F##x *a, const F##x *b, const F##x *c)                             \
    {                                                                                                                  \
        F x[S], y[S], z[S];                                                                                            \
        __builtin_memcpy(x, a, sizeof x);                                                                              \
        __builtin_memcpy(y, b, sizeof y);                                                                              \
        __builtin_memcpy(z, c, sizeof z);                                                                              \
        for (int l = 0; l < S; l++) z[l] = NAME(x[l], y[l], z[l]);                                                     \
        __builtin_memcpy(r, z, sizeof z);                                                                              \
    }
XS_FUSED(fma_f32, f32)
XS_FUSED(fma_f64, f64)
XS_FUSED(fma_half_f32, f32)
#undef XS_FUSED
/* In vectors of the CPU's size: gcc 12 makes a call for each lane of the loop above. */
#if defined(__GNUC__) && !defined(__clang__) && S % 16 == 0 && XS_NATIVE == 64
#define XS_FMA_F32(x, y, z) __builtin_ia32_vfmaddps512_mask(x, y, z, (short)-1, 4)
#define XS_FMA_F64(x, y, z) __builtin_ia32_vfmaddpd512_mask(x, y, z, (char)-1, 4)
#elif defined(__GNUC__) && !defined(__clang__) && S % 8 == 0 && defined(__FMA__)
#define XS_FMA_F32(x, y, z) __builtin_ia32_vfmaddps256(x, y, z)
#define XS_FMA_F64(x, y, z) __builtin_ia32_vfmaddpd256(x, y, z)
#endif
#define XS_FUSED_PIECES(T, FMA)                                                                                        \
    enum { bytes = S % 16 == 0 ? XS_NATIVE : 32 };                                                                     \
    typedef T piece __attribute__((vector_size(bytes), may_alias));                                                    \
    XS_UNROLL for (u32 i = 0; i < sizeof c / bytes; i++)((piece *)&c)[i] =                                             \
        FMA(((const piece *)&a)[i], ((const piece *)&b)[i], ((piece *)&c)[i]);
XS_INLINE f32x XS(fma_f32)(f32x a, f32x b, f32x c)
{
#ifdef XS_FMA_F32
    XS_FUSED_PIECES(f32, XS_FMA_F32)
#else
    XS(each_fma_f32)(&c, &a, &b, &c);
#endif
    return c;
}
XS_INLINE f64x XS(fma_f64)(f64x a, f64x b, f64x c)
{
#ifdef XS_FMA_F64
    XS_FUSED_PIECES(f64, XS_FMA_F64)
#else
    XS(each_fma_f64)(&c, &a, &b, &c);
#endif
    return c;
}
#undef XS_FMA_F32
#undef XS_FMA_F64
#undef XS_FUSED_PIECES
XS_INLINE f32x XS(fma_half_f32)(f32x a, f32x b, f32x c)
{
    XS(each_fma_half_f32)(&c, &a, &b, &c);
    return c;
}
XS_INLINE f64x XS(fabs_f64)(f64x a) { return (f64x)((u64x)a & 0x7fffffffffffffffu); }
XS_INLINE f64x XS(fmin_f64)(f64x a, f64x b) { return XS(sel_f64)(XS_COMPARE(a, <, b) | XS_COMPARE(b, !=, b), a, b); }
XS_INLINE f64x XS(fmax_f64)(f64x a, f64x b) { return XS(sel_f64)(XS_COMPARE(a, >, b) | XS_COMPARE(b, !=, b), a, b); }
XS_INLINE f32x XS(nan_f32)(u32x a) { return (f32x)((a & 0x3fffffu) | 0x7fc00000u); }
XS_INLINE f64x XS(nan_f64)(u64x a) { return (f64x)((a & 0x7ffffffffffffu) | 0x7ff8000000000000u); }
