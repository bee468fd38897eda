/* test_opencl_convert.c - conversions of OpenCL C: all pairs of types, all rounding modes, saturating and not.
 *
 * Exact: the reference rounds a long double (64 bits of mantissa or more, so every source value fits) according to the
 * mode. Results that OpenCL leaves undefined are not compared: out-of-range to integer without saturation.
 */
#include "opencl.h"

#include <float.h>

typedef enum { RTE, RTZ, RTP, RTN } rounding;
enum { ITEMS = 144 };

/* A number type: `digits` of mantissa and the exponent of the smallest step for the real ones. */
typedef struct {
    const char *name;
    int bytes;
    bool is_signed, is_real;
    int digits, least;
} number_type;

static const number_type types[] = {
    {"char", 1, true, false, 0, 0},  {"uchar", 1, false, false, 0, 0},  {"short", 2, true, false, 0, 0},
    {"ushort", 2, false, false, 0, 0}, {"int", 4, true, false, 0, 0},   {"uint", 4, false, false, 0, 0},
    {"long", 8, true, false, 0, 0},  {"ulong", 8, false, false, 0, 0},  {"half", 2, true, true, 11, -24},
    {"float", 4, true, true, 24, -149}, {"double", 8, true, true, 53, -1074},
};
enum { HALF = 8, FLOAT = 9, DOUBLE = 10, INTEGERS = 8 };

static zed_module varying_module, uniform_module, *module = &varying_module;
static uint32_t group = 48; /* 1 with the module whose values are uniform */

static long double half_value(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    long double v = e == 31 ? (m ? (long double)NAN : (long double)INFINITY)
                    : e     ? ldexpl(1024 + m, e - 25)
                            : ldexpl(m, -24);
    return h & 0x8000 ? -v : v;
}

static long double value_at(const void *p, size_t i, const number_type *t)
{
    uint64_t u = 0;
    float f;
    double d;
    memcpy(&u, (const char *)p + i * (size_t)t->bytes, (size_t)t->bytes);
    if (t == &types[HALF]) return half_value((uint16_t)u);
    memcpy(&f, (const char *)p + i * (size_t)t->bytes, sizeof f < (size_t)t->bytes ? sizeof f : (size_t)t->bytes);
    if (t == &types[FLOAT]) return f;
    memcpy(&d, &u, sizeof d);
    if (t == &types[DOUBLE]) return d;
    if (!t->is_signed) return (long double)u;
    return (long double)((int64_t)(u << (64 - 8 * t->bytes)) >> (64 - 8 * t->bytes));
}

static long double round_whole(long double v, rounding r)
{
    long double below = floorl(v);
    if (r == RTZ) return truncl(v);
    if (r == RTP) return ceill(v);
    if (r == RTN || v == below) return below;
    if (v - below != 0.5L) return v - below < 0.5L ? below : below + 1;
    return fmodl(below, 2) == 0 ? below : below + 1;
}

/* v in the real type t. */
static long double round_real(long double v, const number_type *t, rounding r)
{
    long double most = ldexpl(1 - ldexpl(1, -t->digits), 3 - t->digits - t->least), w;
    int e;
    if (v == 0 || v != v || v - v != 0) return v;
    frexpl(v, &e);
    e = e - t->digits > t->least ? e - t->digits : t->least;
    w = ldexpl(round_whole(ldexpl(v, -e), r), e);
    if (fabsl(w) <= most) return copysignl(w, v);
    return r == RTZ || (r == RTP && v < 0) || (r == RTN && v > 0) ? copysignl(most, v)
                                                                  : copysignl((long double)INFINITY, v);
}

static bool same(long double a, long double b)
{
    return a != a ? b != b : a == b && (a != 0 || signbit(a) == signbit(b));
}

static long double most_of(const number_type *t) { return ldexpl(1, 8 * t->bytes - t->is_signed) - 1; }
static long double least_of(const number_type *t) { return t->is_signed ? -ldexpl(1, 8 * t->bytes - 1) : 0; }

/* Checks the results of one conversion, which are 8 bytes apart. */
static void check(const char *how, const number_type *from, const void *a, const number_type *to, const void *r,
                  rounding mode, bool saturate)
{
    for (size_t i = 0; i < ITEMS; i++) {
        long double v = value_at(a, i, from), got = value_at((const char *)r + i * 8, 0, to), want;
        if (to->is_real) {
            want = round_real(v, to, mode);
        } else {
            want = round_whole(v, mode);
            if (want != want) {
                if (!saturate) continue;
                want = 0;
            }
            if (want < least_of(to) || want > most_of(to)) {
                if (saturate) want = want < 0 ? least_of(to) : most_of(to);
                else if (from->is_real) continue;
                else
                    want = want - floorl((want - least_of(to)) / (most_of(to) + 1 - least_of(to))) *
                                      (most_of(to) + 1 - least_of(to));
            }
            want += 0; /* integers have no -0 */
        }
        CHECK_MSG(same(got, want), "%s to %s%s: %.20Lg gives %.20Lg, want %.20Lg", from->name, to->name, how, v, got,
                  want);
    }
}

static uint16_t half_bits(void)
{
    uint64_t r = test_random();
    return (uint16_t)(r & 15 ? r >> 16 : (r >> 16 & 0x8000) | (r & 16 ? 0x7c00 : 0));
}

static double real_value(size_t i)
{
    static const double special[] = {0.0,
                                     -0.0,
                                     0.5,
                                     -0.5,
                                     1.5,
                                     2.5,
                                     -2.5,
                                     127.5,
                                     128,
                                     -128.5,
                                     254.5,
                                     255.5,
                                     32767.5,
                                     65535.5,
                                     65504,
                                     65520,
                                     2147483647.0,
                                     2147483648.0,
                                     -2147483648.0,
                                     -2147483649.0,
                                     4294967295.0,
                                     4294967296.0,
                                     9223372036854775807.0,
                                     -9223372036854775808.0,
                                     18446744073709551615.0,
                                     1e30,
                                     -1e30,
                                     1e-9,
                                     -1e-9,
                                     6e-8,
                                     2e-40,
                                     1e-310,
                                     3.4028235677973366e38,
                                     NAN,
                                     INFINITY,
                                     -INFINITY};
    size_t n = sizeof special / sizeof *special;
    return i < n ? special[i] : ldexp(test_normal(), (int)(test_random() % 80) - 20);
}

static void fill(void *a, const number_type *t)
{
    if (!t->is_real) {
        ocl_fill_bits(a, 8 * t->bytes, ITEMS);
        return;
    }
    for (size_t i = 0; i < ITEMS; i++) {
        double d = real_value(i);
        float f = (float)d;
        if (t == &types[HALF]) ((uint16_t *)a)[i] = half_bits();
        else if (t == &types[FLOAT]) memcpy((char *)a + i * 4, &f, 4);
        else memcpy((char *)a + i * 8, &d, 8);
    }
}

static const char *const mode_names[] = {"_rte", "_rtz", "_rtp", "_rtn"};
static const char *const saturating_names[] = {"_sat_rte", "_sat_rtz", "_sat_rtp", "_sat_rtn"};

/* In the order of convert.cl. */
static void check_all(const number_type *from, const void *a, const char *r)
{
    rounding usual = from->is_real ? RTZ : RTE;
    for (int t = 0; t < INTEGERS; t++, r += 8 * ITEMS) check("", from, a, &types[t], r, usual, false);
    for (int t = 0; t < INTEGERS; t++, r += 8 * ITEMS) check("_sat", from, a, &types[t], r, usual, true);
    for (int t = HALF; t <= DOUBLE; t++, r += 8 * ITEMS) check("", from, a, &types[t], r, RTE, false);
    for (int t = HALF; t <= DOUBLE; t++)
        for (int m = RTE; m <= RTN; m++, r += 8 * ITEMS)
            check(mode_names[m], from, a, &types[t], r, (rounding)m, false);
    for (int t = 0; from->is_real && t < INTEGERS; t++)
        for (int m = RTE; m <= RTN; m++, r += 8 * ITEMS)
            check(mode_names[m], from, a, &types[t], r, (rounding)m, false);
}

/* Groups that do not fill their subgroups, for which the software device compiles a kernel once more: in the sample, of
 * one kernel of three. */
static void convert_from(int index)
{
    enum { RESULTS = 64 };
    const number_type *from = &types[index];
    void *a = ocl_buffer(ITEMS * 8);
    char *r = (char *)ocl_buffer((size_t)RESULTS * 8 * ITEMS), *at = r, name[32];
    const uint32_t local = group > 1 && test_takes(index, 3) ? 36 : group;
    fill(a, from);
    snprintf(name, sizeof name, "from_%s", from->name);
    OCL_RUN(module, name, "ptr<u8> a, ptr<u8> r", ITEMS / local, local, a, r);
    check_all(from, a, r);
    if (from->is_real) {
        snprintf(name, sizeof name, "saturate_%s", from->name);
        OCL_RUN(module, name, "ptr<u8> a, ptr<u8> r", ITEMS / local, local, a, r);
        for (int t = 0; t < INTEGERS; t++)
            for (int m = RTE; m <= RTN; m++, at += 8 * ITEMS)
                check(saturating_names[m], from, a, &types[t], at, (rounding)m, true);
    }
    ocl_free(a);
    ocl_free(r);
}

#define FROM(name, index) TEST(from_##name) { convert_from(index); }
FROM(char, 0)
FROM(uchar, 1)
FROM(short, 2)
FROM(ushort, 3)
FROM(int, 4)
FROM(uint, 5)
FROM(long, 6)
FROM(ulong, 7)
FROM(half, HALF)
FROM(float, FLOAT)
FROM(double, DOUBLE)

TEST(vectors)
{
    enum { N = 20 };
    float *a = (float *)ocl_buffer(N * 16 * 4);
    uint8_t *b = (uint8_t *)ocl_buffer(N * 16);
    uint16_t *h = (uint16_t *)ocl_buffer(N * 8 * 2);
    int16_t *s = (int16_t *)ocl_buffer(N * 3 * 2);
    double *d = (double *)ocl_buffer(N * 2 * 8);
    int32_t *l = (int32_t *)ocl_buffer(N * 4 * 4);
    for (int i = 0; i < N * 16; i++) a[i] = (float)test_normal() * 200;
    OCL_RUN(module, "vectors", "ptr<f32> a, ptr<u8> b, ptr<i16> s, ptr<f16> h, ptr<f64> d, ptr<i32> l",
            group == 1 ? N : 1, group == 1 ? 1 : N, a, b, s, h, d, l);
    for (int i = 0; i < N * 16; i++) {
        long double v = round_whole(a[i], RTE);
        CHECK_INT(b[i], v < 0 ? 0 : v > 255 ? 255 : (int)v);
        if (i < N * 3) CHECK_INT(s[i], (int)a[i]);
        if (i < N * 8) CHECK(half_value(h[i]) == round_real(a[i], &types[HALF], RTZ));
        if (i < N * 2) CHECK(d[i] == (double)a[i]);
        if (i < N * 4) CHECK_INT(l[i], (int)ceilf(a[i]));
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(h);
    ocl_free(s);
    ocl_free(d);
    ocl_free(l);
}

TEST(modules_load)
{
    ocl_load(&varying_module, "convert");
    ocl_load(&uniform_module, "convert_uniform");
}

TEST(uniform_values)
{
    module = &uniform_module;
    group = 1;
    for (int i = 0; i <= DOUBLE; i++) convert_from(i);
    test_case_vectors();
}

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(modules_load);
    RUN(from_char);
    RUN(from_uchar);
    RUN(from_short);
    RUN(from_ushort);
    RUN(from_int);
    RUN(from_uint);
    RUN(from_long);
    RUN(from_ulong);
    RUN(from_half);
    RUN(from_float);
    RUN(from_double);
    RUN(vectors);
    RUN(uniform_values);
    zed_close(&ocl_device);
    return test_report();
}
