/* test_opencl_math.c - the mathematical functions of OpenCL C on half, float and double, scalars and vectors.
 *
 * The reference is long double (64 bits of mantissa or more). The tolerance is the full profile's, in ULP of the
 * result's type (opencl/math_functions.h); "correctly rounded" is checked as 0.51 ULP, since the reference itself is
 * rounded. Arguments include infinities, NaN, zeros and subnormals; results for OpenCL's edge cases follow C.
 */
#include "opencl.h"
#include "math_functions.h"

#include <float.h>

typedef enum { HALF, FLOAT, DOUBLE } real;
typedef enum { UNIT, FROM_ONE, ANY, ANGLE, EXPONENT, POSITIVE, NORMAL } domain;
enum { COUNT = 192 };

static const char *const names[] = {"half", "float", "double"}, *const short_names[] = {"f16", "f32", "f64"};
static const size_t sizes[] = {2, 4, 8};
static const int digits[] = {11, 24, 53}, least_exponent[] = {-24, -149, -1074}, most_exponent[] = {16, 128, 1024};
static zed_module varying_module, uniform_module, *module = &varying_module;
static uint32_t group = 48; /* 1 with the module whose values are uniform */

/* ---- reading and writing the three types */

static long double get(real t, const void *p, size_t i)
{
    if (t == FLOAT) return ((const float *)p)[i];
    if (t == DOUBLE) return ((const double *)p)[i];
    uint16_t h = ((const uint16_t *)p)[i];
    int e = h >> 10 & 31, m = h & 1023;
    long double v = e == 31 ? (m ? (long double)NAN : (long double)INFINITY)
                    : e     ? ldexpl(1024 + m, e - 25)
                            : ldexpl(m, -24);
    return h & 0x8000 ? -v : v;
}

/* v rounded to the type, to the nearest even. */
static long double rounded(real t, long double v)
{
    int e;
    if (v == 0 || v != v || v - v != 0) return v;
    frexpl(v, &e);
    e = e - digits[t] > least_exponent[t] ? e - digits[t] : least_exponent[t];
    v = copysignl(ldexpl(rintl(ldexpl(v, -e)), e), v);
    return fabsl(v) >= ldexpl(1, most_exponent[t]) ? copysignl((long double)INFINITY, v) : v;
}

static void put(real t, void *p, size_t i, long double v)
{
    if (v != v) {
        if (t == FLOAT) ((uint32_t *)p)[i] = 0x7f800001;
        if (t == DOUBLE) ((uint64_t *)p)[i] = 0x7ff0000000000001;
        if (t == HALF) ((uint16_t *)p)[i] = 0x7c01;
        return;
    }
    v = rounded(t, v);
    if (t == FLOAT) ((float *)p)[i] = (float)v;
    if (t == DOUBLE) ((double *)p)[i] = (double)v;
    if (t != HALF) return;
    uint16_t sign = signbit(v) ? 0x8000 : 0, bits = 0x7e00;
    int e;
    long double a = fabsl(v);
    if (a - a != 0) bits = a != a ? 0x7e00 : 0x7c00;
    else if (a < ldexpl(1, -14)) bits = (uint16_t)ldexpl(a, 24);
    else {
        long double m = frexpl(a, &e);
        bits = (uint16_t)((uint32_t)(e + 14) << 10 | ((uint32_t)ldexpl(m, 11) & 1023));
    }
    ((uint16_t *)p)[i] = sign | bits;
}

/* ---- functions that C does not have */

static const long double pi = 3.14159265358979323846264338327950288L;

static long double sinpi_(long double x)
{
    long double r = fmodl(x, 2);
    if (x - x != 0) return NAN;
    if (r == truncl(r)) return copysignl(0, x);
    if (fabsl(r) > 0.5L && fabsl(r) <= 1.5L) return sinl(pi * (copysignl(1, r) - r));
    return sinl(pi * (fabsl(r) > 1.5L ? r - copysignl(2, r) : r));
}
static long double cospi_(long double x)
{
    long double r = fabsl(fmodl(x, 2));
    if (x - x != 0) return NAN;
    if (r == 0.5L || r == 1.5L) return 0;
    return r <= 0.25L || r >= 1.75L ? cosl(pi * r) : sinpi_(r + 0.5L);
}
static long double tanpi_(long double x)
{
    long double whole = fmodl(x, 2);
    if (x - x != 0) return NAN;
    if (whole == truncl(whole)) return fabsl(whole) == 1 ? copysignl(0, -x) : copysignl(0, x);
    if (fabsl(whole) == 0.5L) return copysignl((long double)INFINITY, x);
    if (fabsl(whole) == 1.5L) return copysignl((long double)INFINITY, -x);
    return sinpi_(x) / cospi_(x);
}
static long double acospi_(long double x) { return acosl(x) / pi; }
static long double asinpi_(long double x) { return asinl(x) / pi; }
static long double atanpi_(long double x) { return atanl(x) / pi; }
static long double atan2pi_(long double y, long double x) { return atan2l(y, x) / pi; }
static long double exp10_(long double x) { return powl(10, x); }
static long double rsqrt_(long double x) { return 1 / sqrtl(x); }
static long double reciprocal_(long double x) { return 1 / x; }
static long double degrees_(long double x) { return x * (180 / pi); }
static long double radians_(long double x) { return x * (pi / 180); }
static long double sign_(long double x) { return x != x ? 0 : x == 0 ? x : copysignl(1, x); }
static long double maxmag_(long double x, long double y)
{
    return fabsl(x) > fabsl(y) ? x : fabsl(y) > fabsl(x) ? y : fmaxl(x, y);
}
static long double minmag_(long double x, long double y)
{
    return fabsl(x) < fabsl(y) ? x : fabsl(y) < fabsl(x) ? y : fminl(x, y);
}
static long double powr_(long double x, long double y)
{
    bool undefined =
        x < 0 || x != x || y != y || (x == 0 && y == 0) || (x == 1 && y - y != 0) || (x - x != 0 && y == 0);
    return undefined ? (long double)NAN : powl(fabsl(x), y); /* powr(-0, y) is that of +0 */
}
static long double step_(long double edge, long double x) { return x < edge ? 0 : 1; }
static long double divide_(long double x, long double y) { return x / y; }
static long double plus_(long double x, long double y) { return x + y; }
static long double minus_(long double x, long double y) { return x - y; }
static long double times_(long double x, long double y) { return x * y; }
static long double mix_(long double x, long double y, long double a) { return x + (y - x) * a; }
static long double clamp_(long double x, long double y, long double z)
{
    return fminl(fmaxl(x, fminl(y, z)), fmaxl(y, z));
}
static long double pown_(long double x, int n) { return powl(x, n); }
static long double ldexp_(long double x, int n) { return ldexpl(x, n); }
static long double rootn_(long double x, int n)
{
    if (n == 0 || (x < 0 && !(n & 1))) return NAN;
    if (x == 0 && !(n & 1)) x = 0;
    return copysignl(powl(fabsl(x), 1.0L / n), x);
}

/* ---- arguments */

/* The first ones are special values of the functions. */
static long double argument(real t, domain d, size_t i)
{
    static const long double special[] = {0.0L, -0.0L, 1, -1, 0.5L,  -0.5L, 2,    -2,
                                          1.5L, -2.5L, 3, -3, 0.25L, 1000,  -1001};
    const size_t n = sizeof special / sizeof *special;
    long double sign = test_random() & 1 ? 1 : -1;
    if (i < n) return special[i];
    switch (i - n) {
    case 0: return INFINITY;
    case 1: return -INFINITY;
    case 2: return NAN;
    case 3: return ldexpl(1, least_exponent[t]);
    case 4: return -ldexpl(5, least_exponent[t]);
    case 5: return ldexpl(1 - ldexpl(1, -digits[t]), most_exponent[t]);
    case 6: return -ldexpl(1, most_exponent[t] - 1);
    default: break;
    }
    switch (d) {
    case UNIT: return sign * test_uniform();
    case FROM_ONE: return 1 + expl(20 * test_uniform() - 15);
    case ANY: return sign * exp2l((2 * test_uniform() - 1) * (most_exponent[t] - 2));
    case ANGLE: return test_random() & 1 ? test_normal() * 3 : test_normal() * 1000;
    case EXPONENT: return test_normal() * most_exponent[t] * 0.2;
    case POSITIVE:
        return test_random() & 3 ? exp2l((2 * test_uniform() - 1) * (most_exponent[t] - 2)) : 1 + test_normal() * 0.01;
    default: return test_normal() * 3;
    }
}

static int integer_argument(size_t i)
{
    static const int special[] = {0, 1, -1, 2, -2, 3, -3, 5, 100, -100, 2000, -2000};
    return i % 3 == 0 ? special[i / 3 % 12] : (int)(test_random() % 17) - 8;
}

/* ---- comparing */

static bool close_enough(real t, long double got, long double want, double ulp)
{
    long double w = rounded(t, want), unit;
    int e;
    if (w != w) return got != got;
    if (want == 0) return got == 0;
    if (w - w != 0 || got - got != 0) {
        if (got == w) return true;
        if (got != got) return false;
        want = copysignl(ldexpl(1, most_exponent[t]), w - w != 0 ? w : want); /* the number after the largest */
        if (w - w == 0) want = w;
        if (got - got != 0) got = copysignl(ldexpl(1, most_exponent[t]), got);
    }
    frexpl(want, &e);
    unit = ldexpl(1, e - digits[t] > least_exponent[t] ? e - digits[t] : least_exponent[t]);
    return fabsl(got - want) <= unit * (ulp == 0 ? 0.51L : (long double)ulp);
}

#define COMPARE(t, got, want, ulp, ...)                                                                                \
    do {                                                                                                               \
        long double got_ = (got), want_ = (want);                                                                      \
        if (!close_enough((t), got_, want_, (ulp))) {                                                                  \
            char text_[200];                                                                                           \
            snprintf(text_, sizeof text_, __VA_ARGS__);                                                                \
            test_fail(__FILE__, __LINE__, "%s %s is %.20Lg, want %.20Lg", names[t], text_, got_, want_);               \
        }                                                                                                              \
    } while (0)

/* ---- the tables */

typedef struct {
    const char *name;
    long double (*one)(long double);
    long double (*two)(long double, long double);
    long double (*three)(long double, long double, long double);
    long double (*integer)(long double, int);
    double ulp, half_ulp;
    domain d;
} function;

#define ONE(name, reference, ulp, half, domain) {#name, reference, NULL, NULL, NULL, ulp, half, domain},
#define TWO(name, reference, ulp, half, domain) {#name, NULL, reference, NULL, NULL, ulp, half, domain},
#define THREE(name, reference, ulp, half, domain) {#name, NULL, NULL, reference, NULL, ulp, half, domain},
#define WITH_INT(name, reference, ulp, half, domain) {#name, NULL, NULL, NULL, reference, ulp, half, domain},
static const function unary[] = {UNARY_FUNCTIONS(ONE)};
static const function only_float[] = {UNARY_FUNCTIONS(ONE) FLOAT_FUNCTIONS(ONE)};
static const function binary[] = {BINARY_FUNCTIONS(TWO)};
static const function ternary[] = {TERNARY_FUNCTIONS(THREE)};
static const function integer[] = {INTEGER_FUNCTIONS(WITH_INT)};
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static double tolerance(const function *f, real t)
{
    double ulp = t == HALF ? f->half_ulp : f->ulp;
    if (t == DOUBLE && (!strcmp(f->name, "sqrt") || !strcmp(f->name, "divide"))) ulp = 0;
    if (!strcmp(f->name, "mix")) ulp = 1e9; /* any: the specification bounds it by the operands; see below */
    return ulp;
}

static void check_function(const function *f, real t, const void *a, const void *b, const void *c, const int32_t *n,
                           const void *r, size_t plane)
{
    for (size_t i = plane; i < plane + COUNT; i++) {
        long double x = get(t, a, i), y = b ? get(t, b, i) : 0, z = c ? get(t, c, i) : 0, want, got = get(t, r, i);
        if (f->one) want = f->one(x);
        else if (f->two) want = f->two(x, y);
        else if (f->three) want = f->three(x, y, z);
        else want = f->integer(x, n[i]);
        if (!strncmp(f->name, "half_", 5) && !(fabsl(x) < 65536)) continue; /* their domain */
        if (!strcmp(f->name, "mix") || !strcmp(f->name, "mad")) {
            /* cancellation: bounded by the largest term */
            long double largest =
                f->three == mix_ ? fmaxl(fmaxl(fabsl(x), fabsl(y * z)), fabsl(x * z)) : fmaxl(fabsl(x * y), fabsl(z));
            if (!(largest < ldexpl(1, most_exponent[t] - 3)) || want != want) continue;
            CHECK_MSG(fabsl(got - want) <= 4 * ldexpl(largest, 1 - digits[t]) + ldexpl(2, least_exponent[t]),
                      "%s %s(%.17Lg, %.17Lg, %.17Lg) is %.20Lg, want %.20Lg", names[t], f->name, x, y, z, got, want);
            continue;
        }
        if (!strcmp(f->name, "clamp_between") && (x != x || y != y || z != z)) continue; /* undefined */
        COMPARE(t, got, want, tolerance(f, t), "%s(%.20Lg, %.20Lg, %.20Lg, %d)", f->name, x, y, z, n ? n[i] : 0);
        if (want == 0 && got == 0 && f->one)
            CHECK_MSG(signbit(got) == signbit(want), "%s %s(%.20Lg) is %Lg, want %Lg", names[t], f->name, x, got, want);
    }
}

static void *arguments(real t, const function *f, size_t count, bool shuffled)
{
    void *p = ocl_buffer(count * COUNT * sizes[t]);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < COUNT; i++)
            put(t, p, k * COUNT + i, argument(t, f[k].d, shuffled ? (i * 29 + 7 * (i / 24)) % COUNT : i));
    return p;
}

static void run(const char *kind, real t, const function *f, size_t count, int operands)
{
    char kernel[32], params[128];
    void *a = arguments(t, f, count, false), *b = arguments(t, f, count, true), *c = arguments(t, f, count, true);
    void *r = ocl_buffer(count * COUNT * sizes[t]);
    int32_t *n = (int32_t *)ocl_buffer(count * COUNT * 4);
    const char *s = short_names[t];
    for (size_t i = 0; i < count * COUNT; i++) n[i] = integer_argument(i);
    snprintf(kernel, sizeof kernel, "%s_%s", kind, names[t]);
    if (!strcmp(kind, "float_only")) snprintf(kernel, sizeof kernel, "float_only");
    if (operands == 1) {
        snprintf(params, sizeof params, "ptr<%s> a, ptr<%s> r, u32 count", s, s);
        OCL_RUN(module, kernel, params, COUNT / group, group, a, r, COUNT);
    } else if (operands == 2) {
        snprintf(params, sizeof params, "ptr<%s> a, ptr<%s> b, ptr<%s> r, u32 count", s, s, s);
        OCL_RUN(module, kernel, params, COUNT / group, group, a, b, r, COUNT);
    } else if (operands == 3) {
        snprintf(params, sizeof params, "ptr<%s> a, ptr<%s> b, ptr<%s> c, ptr<%s> r, u32 count", s, s, s, s);
        OCL_RUN(module, kernel, params, COUNT / group, group, a, b, c, r, COUNT);
    } else {
        snprintf(params, sizeof params, "ptr<%s> a, ptr<i32> n, ptr<%s> r, u32 count", s, s);
        OCL_RUN(module, kernel, params, COUNT / group, group, a, n, r, COUNT);
    }
    size_t first = !strcmp(kind, "float_only") ? LENGTH(unary) : 0;
    for (size_t k = first; k < count; k++)
        check_function(&f[k], t, a, operands == 2 || operands == 3 ? b : NULL, operands == 3 ? c : NULL,
                       operands == 4 ? n : NULL, r, k * COUNT);
    ocl_free(a);
    ocl_free(b);
    ocl_free(c);
    ocl_free(r);
    ocl_free(n);
}

static void run_all(real t)
{
    run("unary", t, unary, LENGTH(unary), 1);
    run("binary", t, binary, LENGTH(binary), 2);
    run("ternary", t, ternary, LENGTH(ternary), 3);
    run("integer", t, integer, LENGTH(integer), 4);
}

TEST(half_functions) { run_all(HALF); }
TEST(float_functions) { run_all(FLOAT); }
TEST(double_functions) { run_all(DOUBLE); }
TEST(half_and_native_functions) { run("float_only", FLOAT, only_float, LENGTH(only_float), 1); }

/* The functions that the software device computes itself, with many arguments: half of them any bits of a float, half
 * of them up to 2^22 in magnitude, past the largest angle that is reduced without the C library. */
TEST(float_functions_of_many_arguments)
{
    static const char *const checked[] = {"acos", "asin",  "atan", "cos", "exp", "exp2",
                                          "log",  "log2", "log10", "sin", "tan"};
    const size_t n = 48 * 512;
    float *a = (float *)ocl_buffer(LENGTH(unary) * n * 4), *r = (float *)ocl_buffer(LENGTH(unary) * n * 4);
    uint32_t left = LENGTH(checked);
    for (size_t k = 0; k < LENGTH(unary) * n; k++) {
        uint32_t bits = (uint32_t)(test_random() & 0xffffffff);
        memcpy(&a[k], &bits, 4);
        if (k & 1) a[k] = (float)((2 * test_uniform() - 1) * exp2(44 * test_uniform() - 22));
    }
    OCL_RUN(module, "unary_float", "ptr<f32> a, ptr<f32> r, u32 count", (uint32_t)n / group, group, a, r, (uint32_t)n);
    for (size_t k = 0; k < LENGTH(unary); k++)
        for (size_t c = 0; c < LENGTH(checked); c++) {
            if (strcmp(unary[k].name, checked[c]) != 0) continue;
            left--;
            for (size_t i = k * n; i < (k + 1) * n; i++)
                COMPARE(FLOAT, r[i], unary[k].one(a[i]), 1, "%s(%a)", checked[c], (double)a[i]);
        }
    CHECK_INT(left, 0);
    ocl_free(a);
    ocl_free(r);
}

/* Functions of two results. */
static void parts(real t)
{
    const function wide = {"", NULL, NULL, NULL, NULL, 0, 0, NORMAL};
    char kernel[32], params[128];
    const char *s = short_names[t];
    void *a = arguments(t, &wide, 1, false), *b = arguments(t, &wide, 1, true), *r = ocl_buffer(12 * COUNT * sizes[t]);
    int32_t *n = (int32_t *)ocl_buffer(4 * COUNT * 4);
    long double step = ldexpl(1, -digits[t]);
    snprintf(kernel, sizeof kernel, "parts_%s", names[t]);
    snprintf(params, sizeof params, "ptr<%s> a, ptr<%s> b, ptr<%s> r, ptr<i32> n, u32 count", s, s, s);
    OCL_RUN(module, kernel, params, COUNT / group, group, a, b, r, n, COUNT);
#define RESULT(k) get(t, r, (k) * COUNT + i)
    for (size_t i = 0; i < COUNT; i++) {
        long double x = get(t, a, i), y = get(t, b, i), whole, want;
        bool finite = x - x == 0;
        int e = 0;
        want = finite ? fminl(x - floorl(x), 1 - step) : x != x ? x : copysignl(0, x);
        COMPARE(t, RESULT(0), rounded(t, want) == 1 ? 1 - step : want, 0, "fract(%Lg)", x);
        COMPARE(t, RESULT(1), floorl(x), 0, "fract(%Lg)'s whole part", x);
        want = modfl(x, &whole);
        COMPARE(t, RESULT(2), want, 0, "modf(%Lg)", x);
        COMPARE(t, RESULT(3), whole, 0, "modf(%Lg)'s whole part", x);
        COMPARE(t, RESULT(4), sinl(y), t == HALF ? 2 : 4, "sincos(%Lg)'s sine", y);
        COMPARE(t, RESULT(5), cosl(y), t == HALF ? 2 : 4, "sincos(%Lg)'s cosine", y);
        want = frexpl(x, &e);
        COMPARE(t, RESULT(6), want, 0, "frexp(%Lg)", x);
        if (finite) CHECK_INT(n[i], e);
        if (y > 0 || (y != truncl(y) && y - y == 0)) {
            /* lgamma's error is unspecified: near its zeros only the absolute error is meaningful */
            want = lgammal(y);
            CHECK_MSG(fabsl(RESULT(7) - want) <= 16 * step * fmaxl(1, fabsl(want)) || RESULT(7) == rounded(t, want),
                      "%s lgamma_r(%.20Lg) is %.20Lg, want %.20Lg", names[t], y, RESULT(7), want);
            CHECK_INT(n[COUNT + i], y < 0 && fmodl(floorl(y), 2) != 0 ? -1 : 1);
            CHECK(RESULT(10) == RESULT(7));
        }
        want = remainderl(x, y);
        COMPARE(t, RESULT(8), want, 0, "remquo(%Lg, %Lg)", x, y);
        if (finite && want == want && y - y == 0) {
            int quotient = 0; /* its low 7 bits and its sign */
            remquol(x, y, &quotient);
            CHECK_MSG(abs(n[2 * COUNT + i]) % 8 == abs(quotient) % 8 && (long long)n[2 * COUNT + i] * quotient >= 0,
                      "%s remquo(%Lg, %Lg)'s quotient is %d, want %d modulo 8", names[t], x, y, n[2 * COUNT + i],
                      quotient);
        }
        CHECK_MSG(n[3 * COUNT + i] == (x == 0    ? INT32_MIN
                                       : !finite ? INT32_MAX
                                                 : ilogbl(x)),
                  "%s ilogb(%Lg) is %d", names[t], x, n[3 * COUNT + i]);
        if (x != x || y != y) want = NAN;
        else if (t == FLOAT) want = nextafterf((float)x, (float)y);
        else if (t == DOUBLE) want = nextafter((double)x, (double)y);
        else want = x == y ? y : x == 0 ? copysignl(ldexpl(1, -24), y) : NAN;
        if (want == want) COMPARE(t, RESULT(9), want, 0, "nextafter(%Lg, %Lg)", x, y);
        else CHECK_MSG(t == HALF || RESULT(9) != RESULT(9), "nextafter of NaN");
        /* the neighbour in y's direction: no number is between them */
        if (t == HALF && finite && y - y == 0 && x != y && x != 0)
            CHECK_MSG((y > x) == (RESULT(9) > x) &&
                          fabsl(RESULT(9) - x) <= fmaxl(ldexpl(fabsl(x), -10), ldexpl(1, -24)),
                      "half nextafter(%Lg, %Lg) is %Lg", x, y, RESULT(9));
        if (x - y == x - y && x != y && finite && y - y == 0 && fabsl(x) < 1e4L && fabsl(y) < 1e4L &&
            fabsl(x - y) > 0.01L * (fabsl(x) + fabsl(y))) {
            long double low = fminl(x, y), u = (rounded(t, rounded(t, x + y) / 3) - low) / (fmaxl(x, y) - low);
            u = u < 0 ? 0 : u > 1 ? 1 : u;
            CHECK_MSG(fabsl(RESULT(11) - u * u * (3 - 2 * u)) <= 1000 * step,
                      "%s smoothstep(%Lg, %Lg) is %Lg, want %Lg", names[t], x, y, RESULT(11), u * u * (3 - 2 * u));
        }
    }
#undef RESULT
    ocl_free(a);
    ocl_free(b);
    ocl_free(r);
    ocl_free(n);
}

TEST(half_parts) { parts(HALF); }
TEST(float_parts) { parts(FLOAT); }
TEST(double_parts) { parts(DOUBLE); }

TEST(vectors)
{
    enum { N = 40 };
    uint32_t local = group == 1 ? 1 : 20;
    float *a = (float *)ocl_buffer(16 * N * 4), *r = (float *)ocl_buffer(48 * N * 4), *at = r;
    double *d = (double *)ocl_buffer(4 * N * 8), *s = (double *)ocl_buffer(6 * N * 8);
    int32_t *n = (int32_t *)ocl_buffer(2 * N * 4);
    for (int i = 0; i < 16 * N; i++) a[i] = (float)(test_normal() * 4);
    for (int i = 0; i < 4 * N; i++) d[i] = test_normal() * 4;
    OCL_RUN(module, "vectors", "ptr<f32> a, ptr<f32> r, ptr<i32> n, ptr<f64> d, ptr<f64> s, local<f32> scratch",
            N / local, local, a, r, n, d, s, (zed_local){local * 2 * 4});
    for (size_t i = 0; i < 3 * N; i++) COMPARE(FLOAT, at[i], exp2l(a[i]), 3, "exp2 of a vector");
    at += 3 * N;
    for (size_t i = 0; i < 4 * N; i++) CHECK(at[i] == floorf(a[i]) && at[4 * N + i] == a[i] - floorf(a[i]));
    at += 8 * N;
    for (size_t i = 0; i < 2 * N; i++) CHECK(at[i] == a[i] - truncf(a[i]) && at[2 * N + i] == truncf(a[i]));
    at += 4 * N;
    for (size_t i = 0; i < 8 * N; i++) CHECK(at[i] == (a[i] > 0.25f ? a[i] : 0.25f));
    at += 8 * N;
    for (size_t i = 0; i < 16 * N; i++) CHECK(at[i] == 8 * a[i]);
    for (size_t i = 0; i < 2 * N; i++) {
        int e;
        CHECK(s[i] == frexp(d[i], &e));
        CHECK_INT(n[i], e);
    }
    for (size_t i = 0; i < 4 * N; i++) {
        static const int powers[] = {0, 1, -2, 3};
        COMPARE(DOUBLE, s[2 * N + i], powl(d[i], powers[i % 4]), 16, "pown of a vector");
    }
    ocl_free(a);
    ocl_free(r);
    ocl_free(d);
    ocl_free(s);
    ocl_free(n);
}

TEST(modules_load)
{
    ocl_load(&varying_module, "math");
    ocl_load(&uniform_module, "math_uniform");
}

TEST(uniform_values)
{
    module = &uniform_module;
    group = 1;
    run_all(HALF);
    run_all(FLOAT);
    run_all(DOUBLE);
    test_case_half_and_native_functions();
    parts(HALF);
    parts(FLOAT);
    parts(DOUBLE);
    test_case_vectors();
}

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(modules_load);
    RUN(half_functions);
    RUN(float_functions);
    RUN(double_functions);
    RUN(half_and_native_functions);
    RUN(float_functions_of_many_arguments);
    RUN(half_parts);
    RUN(float_parts);
    RUN(double_parts);
    RUN(vectors);
    RUN(uniform_values);
    zed_close(&ocl_device);
    return test_report();
}
