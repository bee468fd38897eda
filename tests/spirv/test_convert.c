/* test_convert.c - the host's float conversions, against values computed from each format's definition with ldexp, and
 * rounding against the sorted list of all values of the format, without any bit tricks of the header; its arithmetic,
 * against the processor's. All of it in every floating-point state: only the header's functions run in it, what they
 * are compared with is computed in the default state. */
#include "floating_modes.h"
#include "spirv_emit.h"

typedef struct {
    const char *name;
    int exponent, mantissa; /* bits */
    uint32_t finite;        /* positive patterns below this one are finite */
    bool has_infinity;      /* the pattern `finite` is infinity; else it is NaN */
    uint32_t (*encode)(float v, bool saturate);
    float (*decode)(uint32_t bits);
    bool saturates;
} format;

static int mode; /* in which the header's functions are called */

static uint32_t f16_encode(float v, bool saturate) { return saturate ? 0 : spe_f32_to_f16_bits(v); }
static uint32_t bf16_encode(float v, bool saturate) { return saturate ? 0 : spe_f32_to_bf16_bits(v); }
static uint32_t e4m3_encode(float v, bool saturate) { return spe_f32_to_e4m3_bits(v, saturate); }
static uint32_t e5m2_encode(float v, bool saturate) { return spe_f32_to_e5m2_bits(v, saturate); }
static float f16_decode(uint32_t bits) { return spe_f16_bits_to_f32((uint16_t)bits); }
static float bf16_decode(uint32_t bits) { return spe_bf16_bits_to_f32((uint16_t)bits); }
static float e4m3_decode(uint32_t bits) { return spe_e4m3_bits_to_f32((uint8_t)bits); }
static float e5m2_decode(uint32_t bits) { return spe_e5m2_bits_to_f32((uint8_t)bits); }

/* tf32 stays in an f32: its pattern is the upper 19 bits of one. */
static uint32_t tf32_encode(float v, bool saturate)
{
    uint32_t bits;
    v = spe_f32_to_tf32(v);
    memcpy(&bits, &v, sizeof bits);
    return saturate || (bits & 0x1fff) ? 0xffffffff : bits >> 13;
}
static float tf32_decode(uint32_t bits)
{
    float v;
    bits <<= 13;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static const format formats[] = {
    {"f16", 5, 10, 0x7c00, true, f16_encode, f16_decode, false},
    {"bf16", 8, 7, 0x7f80, true, bf16_encode, bf16_decode, false},
    {"tf32", 8, 10, 0x3fc00, true, tf32_encode, tf32_decode, false},
    {"e4m3", 4, 3, 0x7f, false, e4m3_encode, e4m3_decode, true},
    {"e5m2", 5, 2, 0x7c, true, e5m2_encode, e5m2_decode, true},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* The value of a finite pattern, by definition; the pattern `finite` gives the value after the largest. */
static double value_of(const format *f, uint32_t pattern)
{
    int bias = (1 << (f->exponent - 1)) - 1, e = (int)(pattern >> f->mantissa);
    double m = (double)(pattern & ((1u << f->mantissa) - 1));
    if (!e) return ldexp(m, 1 - bias - f->mantissa);
    return ldexp(m + (double)(1u << f->mantissa), e - bias - f->mantissa);
}

static uint32_t encoded(const format *f, float v, bool saturate)
{
    mode_set(mode);
    uint32_t bits = f->encode(v, saturate);
    mode_set(MODE_DEFAULT);
    return bits;
}

static float decoded(const format *f, uint32_t bits)
{
    mode_set(mode);
    float v = f->decode(bits);
    mode_set(MODE_DEFAULT);
    return v;
}

static uint32_t sign_bit(const format *f) { return 1u << (f->exponent + f->mantissa); }

/* The pattern nearest to a finite v >= 0, ties to even, found by bisection; `finite` where it overflows. */
static uint32_t nearest(const format *f, double v)
{
    uint32_t low = 0, high = f->finite;
    if (v >= value_of(f, f->finite)) return f->finite;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (value_of(f, middle) <= v)
            low = middle;
        else
            high = middle;
    }
    {
        double below = v - value_of(f, low), above = value_of(f, high) - v; /* exact: all are near each other in f64 */
        if (below < above || (below == above && !(low & 1))) return low;
        return high;
    }
}

/* The pattern expected of any float but NaN. */
static uint32_t expected(const format *f, float v, bool saturate)
{
    uint32_t sign = signbit(v) ? sign_bit(f) : 0, p = isinf(v) ? f->finite : nearest(f, fabs((double)v));
    if (p >= f->finite) p = saturate ? f->finite - 1 : f->finite;
    return sign | p;
}

static void check_value(const format *f, float v)
{
    int s;
    for (s = 0; s <= (int)f->saturates; s++) {
        uint32_t got = encoded(f, v, s != 0), want = expected(f, v, s != 0);
        CHECK_MSG(got == want, "%s: %s of %a (saturate %d) is 0x%x, want 0x%x", mode_name(mode), f->name, (double)v, s,
                  got, want);
    }
}

static void check_both(const format *f, float v)
{
    check_value(f, v);
    check_value(f, -v);
}

/* Every pattern means what the definition says, and goes back to itself. */
static void every_pattern(const format *f)
{
    uint32_t p, count = 2 * sign_bit(f);
    for (p = 0; p < count; p++) {
        uint32_t magnitude = p & (sign_bit(f) - 1);
        float v = decoded(f, p);
        CHECK_MSG(!!signbit(v) == !!(p & sign_bit(f)), "%s 0x%x: the sign is lost", f->name, p);
        if (magnitude < f->finite) {
            CHECK_MSG(fabs((double)v) == value_of(f, magnitude), "%s 0x%x is %a", f->name, p, (double)v);
            check_value(f, v);
            CHECK_MSG(encoded(f, v, false) == p, "%s 0x%x comes back as 0x%x", f->name, p, encoded(f, v, false));
        } else if (magnitude == f->finite && f->has_infinity) {
            CHECK_MSG(isinf(v), "%s 0x%x is %a, want infinity", f->name, p, (double)v);
            check_value(f, v);
        } else {
            uint32_t back = encoded(f, v, false);
            CHECK_MSG(isnan(v), "%s 0x%x is %a, want NaN", f->name, p, (double)v);
            CHECK_MSG(isnan(f->decode(back)), "%s 0x%x: NaN comes back as 0x%x", f->name, p, back);
            CHECK_MSG((back & sign_bit(f)) == (p & sign_bit(f)), "%s 0x%x: NaN loses its sign", f->name, p);
            if (f->saturates) CHECK_MSG(isnan(decoded(f, encoded(f, v, true))), "%s: NaN saturates", f->name);
        }
    }
}

/* Between every two neighbours: the halfway point, and the floats next to it on either side. */
static void halfway_points(const format *f)
{
    uint32_t p;
    for (p = 0; p < f->finite; p++) {
        double middle = (value_of(f, p) + value_of(f, p + 1)) / 2;
        float half = (float)middle;
        if ((double)half != middle) {
            test_fail(__FILE__, __LINE__, "%s: the point above 0x%x is no f32", f->name, p);
            return;
        }
        check_both(f, half);
        check_both(f, nextafterf(half, INFINITY));
        check_both(f, nextafterf(half, 0));
    }
}

static void special_values(const format *f)
{
    static const float values[] = {0.0f,      1.0f,     0x1p-149f,        0x1.fffffep127f,
                                   0x1p-126f, 0x1p127f, 0x1.fffffcp-127f, INFINITY};
    size_t i;
    for (i = 0; i < sizeof values / sizeof *values; i++) check_both(f, values[i]);
}

static void random_values(const format *f)
{
    int i;
    for (i = 0; i < (mode ? 30000 : 300000); i++) {
        uint32_t bits = (uint32_t)(test_random() >> 16);
        float v;
        if (i & 1)
            v = (float)ldexp(test_normal(), (int)(test_random() % 40) - 20); /* where the formats have values */
        else
            memcpy(&v, &bits, sizeof v);
        if (!isnan(v)) check_value(f, v);
    }
}

/* A signalling NaN, and one whose payload lies in the bits that are cut off, stay NaN. */
TEST(nan_payloads)
{
    static const uint32_t payloads[] = {0x7f800001, 0x7fc00000, 0xff800001, 0xffffffff, 0x7fa00000, 0x7f801fff};
    size_t i;
    int k;
    for (i = 0; i < sizeof payloads / sizeof *payloads; i++) {
        float v;
        memcpy(&v, &payloads[i], sizeof v);
        for (k = 0; k < FORMATS; k++) {
            const format *f = &formats[k];
            uint32_t bits = encoded(f, v, false);
            CHECK_MSG(isnan(decoded(f, bits)), "%s of NaN 0x%x is 0x%x", f->name, payloads[i], bits);
            CHECK_MSG(!!(bits & sign_bit(f)) == payloads[i] >> 31, "%s of NaN 0x%x: the sign is lost", f->name,
                      payloads[i]);
        }
    }
}

/* ---- doubles: arithmetic, order, integers, constants */

static uint64_t bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Any double: near 1 or another, of any exponent, subnormal, with few bits, 0, infinity or NaN. */
static double any_double(double other)
{
    static const double special[] = {0, 1, INFINITY, NAN, 0x1p-1074, 0x1.fffffffffffffp1023, 0x1p-1022, 3};
    uint64_t bits = test_random();
    double v;
    switch (test_random() % 6) {
    case 0: v = test_normal(); break;
    case 1: v = nextafter(other, test_random() & 1 ? INFINITY : 0); break;
    case 2: v = special[bits % 8]; break;
    case 3: v = ldexp((double)(bits % 16), (int)(bits >> 8 & 2047) - 1074); break;
    case 4: v = other * ldexp(test_normal(), (int)(bits % 120) - 60); break;
    default: memcpy(&v, &bits, sizeof v);
    }
    return bits & 1u << 20 ? -v : v;
}

static void check_arith(double a, double b)
{
    volatile double x = a, y = b;
    const double want[4] = {x + y, x - y, x * y, x / y};
    const int order = x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
    double got[4];
    mode_set(mode);
    for (int op = 0; op < 4; op++) got[op] = spe_real_arith((spe_arith_op)(SPE_ARITH_ADD + op), a, b);
    int compared = spe_real_compare(a, b);
    mode_set(MODE_DEFAULT);
    for (int op = 0; op < 4; op++)
        CHECK_MSG(bits_of(got[op]) == bits_of(want[op]) || (isnan(got[op]) && isnan(want[op])),
                  "%s: %a %s %a is %a, want %a", mode_name(mode), a, spe_arith_name((spe_arith_op)(SPE_ARITH_ADD + op)),
                  b, got[op], want[op]);
    CHECK_MSG(compared == order, "%s: the order of %a and %a is %d", mode_name(mode), a, b, compared);
}

TEST(arithmetic)
{
    double a = 1;
    for (mode = 0; mode < MODES; mode++)
        for (int i = 0; i < 60000; i++) {
            double b = any_double(a);
            check_arith(a, b);
            a = b;
        }
    mode = 0;
}

static void check_real(double v)
{
    const float single = (float)v;
    const double whole = v < -0x1p63 || isnan(v) ? -0x1p63 : trunc(v);
    uint64_t got, want = 0;
    int64_t to_int;
    memcpy(&want, &single, sizeof single);
    mode_set(mode);
    got = spe_real_bits(SPE_IEEE, 32, v, false);
    double wide = spe_real_of_f32(single);
    bool exact = spe_real_to_int(v, &to_int), fits = spe_real_fits(SPE_IEEE, 32, v);
    mode_set(MODE_DEFAULT);
    CHECK_MSG(got == want || isnan(v), "%s: %a as f32 is %llx", mode_name(mode), v, (unsigned long long)got);
    CHECK_MSG(wide == (double)single || isnan(v), "%s: %a as f64 is %a", mode_name(mode), (double)single, wide);
    CHECK_MSG(fits == (isfinite(single) || !isfinite(v)), "%s: does %a fit f32?", mode_name(mode), v);
    CHECK_MSG(exact == (whole == v && v < 0x1p63), "%s: is %a whole?", mode_name(mode), v);
    CHECK_MSG(whole < 0x1p63 ? to_int == (int64_t)whole
                             : (uint64_t)to_int == (whole < 0x1p64 ? (uint64_t)whole : UINT64_MAX),
              "%s: %a is %lld", mode_name(mode), v, (long long)to_int);
}

TEST(doubles)
{
    static const double bounds[] = {0x1p63,
                                    -0x1p63,
                                    0x1p64,
                                    0x1.fffffffffffffp62,
                                    0x1.fffffffffffffp63,
                                    -0x1.0000000000001p63,
                                    0x1.fffffefffffffp127,
                                    0x1.ffffffp127,
                                    0x1p-149,
                                    0x1p-150,
                                    0x1.0000000000001p-150};
    for (mode = 0; mode < MODES; mode++) {
        for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) check_real(bounds[i]), check_real(-bounds[i]);
        for (int i = 0; i < 60000; i++)
            check_real(i & 1 ? any_double(1) : ldexp(test_normal(), (int)(test_random() % 300) - 150));
    }
    mode = 0;
}

/* Integers of 64 bits as constants of float types, which are rounded once. */
TEST(integers_as_floats)
{
    for (mode = 0; mode < MODES; mode++) {
        spe_module m;
        spe_begin(&m, NULL);
        for (int i = 0; i < 2000; i++) {
            int64_t v = (int64_t)test_random() >> test_random() % 64;
            uint64_t single, wide, large;
            if (i % 4 == 0)
                v = (v & ~(((int64_t)1 << 39) - 1)) + ((int64_t)1 << 39) + i % 3 - 1; /* about halfway in f32 */
            const float f = (float)v, u = (float)(uint64_t)v;
            const double d = (double)v;
            uint32_t word, unsigned_word;
            memcpy(&word, &f, sizeof word);
            memcpy(&unsigned_word, &u, sizeof unsigned_word);
            mode_set(mode);
            bool good = spe_const_bits(&m, spe_const_i(&m, spe_float(&m, 32), v), &single) &&
                        spe_const_bits(&m, spe_const_i(&m, spe_float(&m, 64), v), &wide) &&
                        spe_const_bits(&m, spe_const_u(&m, spe_float(&m, 32), (uint64_t)v), &large);
            double real = spe_val_int(v).real;
            mode_set(MODE_DEFAULT);
            CHECK_MSG(good && single == word && wide == bits_of(d) && real == d && large == unsigned_word,
                      "%s: %lld is %llx in f32", mode_name(mode), (long long)v, (unsigned long long)single);
        }
        CHECK(spe_ok(&m));
        spe_free(&m);
    }
    mode = 0;
}

TEST(decimals)
{
    CHECK_STR(spe_decimal_of(0.5, 'g', 6).s, "0.5");
    CHECK_STR(spe_decimal_of(-1234567.0, 'g', 6).s, "-1.23457e+06");
    CHECK_STR(spe_decimal_of(1e-310, 'g', 9).s, "1e-310");
    CHECK_STR(spe_decimal_of(0.1, 'e', 6).s, "1.000000e-01");
    CHECK_STR(spe_decimal_of(-INFINITY, 'g', 6).s, "-inf");
    CHECK_STR(spe_decimal_of((double)NAN, 'e', 6).s, "nan");
}

/* Constants are rounded once, from the double: a value just above a halfway point that f32 would round onto it. */
TEST(constants_round_once)
{
    spe_module m;
    uint64_t bits = 0;
    double v = 1.0 + 0x1p-11 + 0x1p-40; /* f16 has 1 and 1 + 2^-10; in f32 this is the halfway point itself */
    spe_begin(&m, NULL);
    CHECK(spe_const_bits(&m, spe_const_f(&m, spe_float(&m, 16), v), &bits));
    CHECK_INT(bits, 0x3c01);
    CHECK(spe_const_bits(&m, spe_const_f(&m, spe_float(&m, 16), 1.0 + 0x1p-11), &bits));
    CHECK_INT(bits, 0x3c00);
    CHECK(spe_const_bits(&m, spe_const_f(&m, spe_bf16(&m), 3.0), &bits));
    CHECK_INT(bits, 0x4040);
    CHECK(spe_const_bits(&m, spe_const_f(&m, spe_e4m3(&m), -448.0), &bits));
    CHECK_INT(bits, 0xfe);
    CHECK(spe_const_bits(&m, spe_const_f(&m, spe_e5m2(&m), 57344.0), &bits));
    CHECK_INT(bits, 0x7b);
    CHECK(spe_const_bits(&m, spe_const_f(&m, spe_float(&m, 32), 0.1), &bits));
    CHECK_INT(bits, 0x3dcccccd);
    CHECK(spe_const_bits(&m, spe_const_f(&m, spe_float(&m, 64), 0.1), &bits));
    CHECK_INT(bits, 0x3fb999999999999a);
    CHECK(spe_ok(&m));
    spe_free(&m);
}

#define TEST_FORMAT(name, which)                                                                                       \
    TEST(name##_every_pattern) { every_pattern(&formats[which]); }                                                     \
    TEST(name##_halfway_points) { halfway_points(&formats[which]); }                                                   \
    TEST(name##_special_values) { special_values(&formats[which]); }                                                   \
    TEST(name##_random_values) { random_values(&formats[which]); }
/* The same in the other floating-point states; for tf32, which has 2^18 patterns, without every pattern. */
TEST(other_states)
{
    for (mode = 1; mode < MODES; mode++)
        for (int k = 0; k < FORMATS; k++) {
            const format *f = &formats[k];
            if (f->mantissa + f->exponent < 18) every_pattern(f), halfway_points(f);
            special_values(f);
            random_values(f);
        }
    mode = 0;
}

TEST_FORMAT(f16, 0)
TEST_FORMAT(bf16, 1)
TEST_FORMAT(tf32, 2)
TEST_FORMAT(e4m3, 3)
TEST_FORMAT(e5m2, 4)

/* OCP's MX types, by search: of all values the nearest, of two that are equally near the one with an even pattern. */
typedef struct {
    const char *name;
    uint32_t count; /* patterns without sign */
    double (*value)(uint32_t pattern);
    uint32_t (*encode)(float v);
} mx_format;

static double e2m1_value(uint32_t p)
{
    static const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return values[p];
}
static double e8m0_value(uint32_t p) { return ldexp(1, (int)p - 127); }
static uint32_t e2m1_encode(float v) { return spe_f32_to_e2m1_bits(v); }
static uint32_t e8m0_encode(float v) { return spe_f32_to_e8m0_bits(v); }
static const mx_format mx_formats[] = {{"e2m1", 8, e2m1_value, e2m1_encode}, {"e8m0", 255, e8m0_value, e8m0_encode}};

static uint32_t mx_nearest(const mx_format *f, double v)
{
    uint32_t best = 0;
    v = fmin(v, 2 * f->value(f->count - 1)); /* so that differences are exact */
    for (uint32_t p = 1; p < f->count; p++) {
        double away = fabs(v - f->value(p)), least = fabs(v - f->value(best));
        if (away < least || (away == least && p % 2 == 0)) best = p;
    }
    return best;
}

static void mx_check(const mx_format *f, float v)
{
    mode_set(mode);
    uint32_t got = f->encode(v);
    mode_set(MODE_DEFAULT);
    bool e8m0 = f->count == 255;
    uint32_t want = isinf(v) ? f->count - 1 : isnan(v) ? 0 : mx_nearest(f, fabs((double)v));
    if (isnan(v) || (e8m0 && v < 0)) want = e8m0 ? SPE_E8M0_NAN : 7;
    if (!e8m0 && signbit(v)) want |= 8;
    CHECK_MSG(got == want, "%s: %s of %a is 0x%x, want 0x%x", mode_name(mode), f->name, (double)v, got, want);
}

/* Every sign and exponent of an f32 with the upper mantissa bits in all ways, and both neighbours of each: more than
 * all middles of two values, the subnormals, infinity and NaN. */
static void mx_all(const mx_format *f, int mantissa_bits)
{
    const uint32_t step = 1u << (23 - mantissa_bits);
    for (uint64_t at = 0; at < (uint64_t)1 << 32; at += step)
        for (int k = -1; k <= 1; k++) {
            uint32_t bits = (uint32_t)at + (uint32_t)k;
            float v;
            memcpy(&v, &bits, sizeof v);
            mx_check(f, v);
        }
}

TEST(e2m1_from_f32)
{
    for (mode = 0; mode < MODES; mode++) mx_all(&mx_formats[0], 5);
    mode = 0;
}

TEST(e8m0_from_f32)
{
    for (mode = 0; mode < MODES; mode++) mx_all(&mx_formats[1], 2);
    mode = 0;
}

TEST(mx_patterns)
{
    for (uint32_t p = 0; p < 256; p++) {
        float e2m1 = spe_e2m1_bits_to_f32((uint8_t)p), e8m0 = spe_e8m0_bits_to_f32((uint8_t)p);
        CHECK(fabs((double)e2m1) == e2m1_value(p & 7) && !!signbit(e2m1) == !!(p & 8));
        CHECK(p == SPE_E8M0_NAN ? isnan(e8m0) : (double)e8m0 == e8m0_value(p));
        CHECK(spe_f32_to_e2m1_bits(e2m1) == (p & 15) && spe_f32_to_e8m0_bits(e8m0) == p);
    }
}

#define RUN_FORMAT(name)                                                                                               \
    RUN(name##_every_pattern);                                                                                         \
    RUN(name##_halfway_points);                                                                                        \
    RUN(name##_special_values);                                                                                        \
    RUN(name##_random_values)

int main(void)
{
    RUN_FORMAT(f16);
    RUN_FORMAT(bf16);
    RUN_FORMAT(tf32);
    RUN_FORMAT(e4m3);
    RUN_FORMAT(e5m2);
    RUN(e2m1_from_f32);
    RUN(e8m0_from_f32);
    RUN(mx_patterns);
    RUN(nan_payloads);
    RUN(constants_round_once);
    RUN(other_states);
    RUN(arithmetic);
    RUN(doubles);
    RUN(integers_as_floats);
    RUN(decimals);
    return test_report();
}
