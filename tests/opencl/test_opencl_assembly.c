/* test_opencl_assembly.c - instructions that no OpenCL C compiler generates, as SPIR-V assembly (opencl/<name>.spvasm):
 * bit fields, integer dot products, products of double width, carries, pointer comparisons, specialisation constants,
 * expectations, the uniform group instructions, bfloat16 and 8-bit floats. Exact.
 *
 * Each kernel but the last takes three arrays of u32 and writes planes: operation p of item i is r[p * count + i].
 */
#include "opencl.h"

enum { N = 96, GROUP = 32, PLANES = 19 };

typedef struct {
    uint32_t *a, *b, *c, *r;
    zed_module module;
} run_state;

static bool run(run_state *s, const char *name)
{
    s->a = (uint32_t *)ocl_buffer(N * 4);
    s->b = (uint32_t *)ocl_buffer(N * 4);
    s->c = (uint32_t *)ocl_buffer(N * 4);
    s->r = (uint32_t *)ocl_buffer(N * 4 * PLANES);
    ocl_fill_bits(s->a, 32, N);
    ocl_fill_bits(s->b, 32, N);
    ocl_fill_bits(s->c, 32, N);
    if (!ocl_load(&s->module, name)) return false;
    OCL_RUN(&s->module, name, "ptr<u32> a, ptr<u32> b, ptr<u32> c, ptr<u32> r, u32 count", N / GROUP, GROUP, s->a, s->b,
            s->c, s->r, N);
    return true;
}

static void finish(run_state *s)
{
    ocl_free(s->a);
    ocl_free(s->b);
    ocl_free(s->c);
    ocl_free(s->r);
}

#define WANT(plane, value)                                                                                             \
    do {                                                                                                               \
        uint32_t want_ = (uint32_t)(value), got_ = s.r[(plane)*N + i];                                                 \
        CHECK_MSG(got_ == want_, "plane %d of (%08x, %08x, %08x) is %08x, want %08x", (plane), (unsigned)a,            \
                  (unsigned)b, (unsigned)c, (unsigned)got_, (unsigned)want_);                                          \
    } while (0)

/* ---- bit fields */

static uint64_t low_bits(uint32_t n) { return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1; }
static uint64_t extract(uint64_t v, uint32_t at, uint32_t n) { return v >> at & low_bits(n); }
static int64_t extract_signed(uint64_t v, uint32_t at, uint32_t n)
{
    uint64_t e = extract(v, at, n);
    return n && e >> (n - 1) & 1 ? (int64_t)(e | ~low_bits(n)) : (int64_t)e;
}
static uint64_t insert(uint64_t base, uint64_t v, uint32_t at, uint32_t n)
{
    uint64_t mask = low_bits(n) << at;
    return (base & ~mask) | (v << at & mask);
}
static uint64_t reverse(uint64_t v, int bits)
{
    uint64_t r = 0;
    for (int k = 0; k < bits; k++) r |= (v >> k & 1) << (bits - 1 - k);
    return r;
}

TEST(bit_instructions)
{
    run_state s;
    bool good = run(&s, "bits");
    for (int i = 0; good && i < N; i++) {
        uint32_t a = s.a[i], b = s.b[i], c = s.c[i], at = b & 15, n = c & 15, ones = 0;
        uint64_t both = (uint64_t)a << 32 | b;
        for (int k = 0; k < 32; k++) ones += a >> k & 1;
        WANT(0, insert(a, b, at, n));
        WANT(1, extract_signed(a, at, n));
        WANT(2, extract(a, at, n));
        WANT(3, reverse(a, 32));
        WANT(4, ones);
        WANT(5, a);
        WANT(6, a);
        WANT(7, reverse(a & 0xffff, 16));
        WANT(8, extract_signed(a & 0xff, 2, 3));
        WANT(9, reverse(both, 64));
        WANT(10, extract(both, at, n));
        WANT(11, extract(reverse(b, 32), 3, n));
    }
    finish(&s);
}

/* ---- dot products */

static int64_t component(uint32_t v, int k, int bits, bool is_signed)
{
    uint64_t e = extract(v, (uint32_t)(k * bits), (uint32_t)bits);
    return is_signed ? extract_signed(e, 0, (uint32_t)bits) : (int64_t)e;
}

static int64_t dot(uint32_t a, uint32_t b, int bits, bool a_signed, bool b_signed)
{
    int64_t sum = 0;
    for (int k = 0; k < 32 / bits; k++) sum += component(a, k, bits, a_signed) * component(b, k, bits, b_signed);
    return sum;
}

static int64_t clamp(int64_t v, int64_t least, int64_t most) { return v < least ? least : v > most ? most : v; }

TEST(integer_dot_products)
{
    run_state s;
    bool good = run(&s, "dot_product");
    for (int i = 0; good && i < N; i++) {
        uint32_t a = s.a[i], b = s.b[i], c = s.c[i];
        WANT(0, dot(a, b, 8, true, true));
        WANT(1, dot(a, b, 8, false, false));
        WANT(2, dot(a, b, 8, true, false));
        WANT(3, clamp(dot(a, b, 8, true, true) + (int32_t)c, INT32_MIN, INT32_MAX));
        WANT(4, clamp(dot(a, b, 8, false, false) + c, 0, UINT32_MAX));
        WANT(5, clamp(dot(a, b, 8, true, false) + (int32_t)c, INT32_MIN, INT32_MAX));
        WANT(6, dot(a, b, 8, true, true));
        WANT(7, dot(a, b, 8, false, false) & 0xffff);
        WANT(8, dot(a, b, 16, true, true));
        WANT(9, clamp(dot(a, b, 16, true, false) + (int32_t)c, INT32_MIN, INT32_MAX));
        WANT(10, dot(a, b, 8, false, false) & 0xff);
    }
    finish(&s);
}

/* ---- other instructions that OpenCL C lacks */

static uint32_t float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

/* To half and back: subnormals may become zero; the numbers here are integers. */
static float to_half_and_back(float f)
{
    int e;
    if (f == 0) return f;
    frexpf(f, &e);
    f = ldexpf(rintf(ldexpf(f, 11 - e)), e - 11);
    return f > 65504 ? INFINITY : f;
}

static double modulo(double a, double b)
{
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

TEST(arithmetic)
{
    run_state s;
    bool good = run(&s, "arithmetic");
    for (int i = 0; good && i < N; i++) {
        uint32_t a = s.a[i], b = s.b[i], c = s.c[i], odd = b | 1, v[4] = {1, 2, 3, 4};
        int64_t sa = (int32_t)a, sodd = (int32_t)odd, remainder = sa % sodd;
        float fa = (float)(int32_t)a, fb = (float)(int32_t)b;
        v[b & 3] = a;
        WANT(0, a * b);
        WANT(1, (uint64_t)a * b >> 32);
        WANT(2, (uint64_t)(sa * (int32_t)b) >> 32);
        WANT(3, (a + b) ^ (uint32_t)(a + b < a) * 7);
        WANT(4, (a - b) ^ (uint32_t)(a < b) * 7);
        WANT(5, remainder != 0 && (remainder < 0) != (sodd < 0) ? remainder + sodd : remainder);
        WANT(6, remainder);
        WANT(7, a < b ? (uint64_t)a * b >> 32 : (uint64_t)(a + b < a));
        WANT(8, float_bits(to_half_and_back((float)(a >> 12))));
        if (fb != 0) {
            /* -0 and 0 are both correct */
            float got9, got10;
            memcpy(&got9, &s.r[9 * N + i], 4);
            memcpy(&got10, &s.r[10 * N + i], 4);
            CHECK_MSG(got9 == (float)modulo(fa, fb), "OpFMod(%g, %g) is %g, want %g", (double)fa, (double)fb,
                      (double)got9, modulo(fa, fb));
            CHECK_MSG(got10 == fmodf(fa, fb), "OpFRem(%g, %g) is %g", (double)fa, (double)fb, (double)got10);
        }
        WANT(11, a);
        WANT(12, i);
        WANT(13, v[c & 3]);
        WANT(14, 3000);
        WANT(15, (fa != fb) != true ? 1 : 2);
    }
    finish(&s);
}

/* Subgroups of 16: results common to the lanes of the one that begins at item `first`. */
typedef struct {
    uint32_t odd_a, odd_a3, odd_b; /* ballots: a is odd; that or lane 3; b is odd */
    bool same_a, same_odd;
} ballots;

static ballots ballots_of(const run_state *s, int first)
{
    ballots t = {0, 8, 0, true, true};
    for (int l = 0; l < 16; l++) {
        t.odd_a |= (s->a[first + l] & 1) << l;
        t.odd_b |= (s->b[first + l] & 1) << l;
        t.same_a = t.same_a && s->a[first + l] == s->a[first];
    }
    t.odd_a3 |= t.odd_a;
    t.same_odd = t.odd_a == 0 || t.odd_a == 0xffff;
    return t;
}

TEST(lanes_and_leftovers)
{
    run_state s;
    if (!run(&s, "lanes")) return;
    for (int i = 0; i < N; i++) {
        uint32_t a = s.a[i], b = s.b[i], c = s.c[i], first = (uint32_t)i / 16 * 16, lane = (uint32_t)i % 16, low = 0,
                 high = 15;
        const uint32_t items[4] = {a, b, c, (uint32_t)i};
        ballots t = ballots_of(&s, (int)first);
        uint32_t of_four = 0, of_eight = 0;
        for (uint32_t l = 0; l < 4; l++) of_four += s.a[(uint32_t)i / 4 * 4 + l];
        for (uint32_t l = 0; l < 8; l++)
            if (s.a[(uint32_t)i / 8 * 8 + l] > of_eight) of_eight = s.a[(uint32_t)i / 8 * 8 + l];
        while (!(t.odd_a3 >> low & 1)) low++;
        while (!(t.odd_a3 >> high & 1)) high--;
        WANT(0, t.odd_a >> (c & 15) & 1);
        WANT(1, low);
        WANT(2, high);
        WANT(3, b & 1);
        WANT(4, s.a[first + (lane + 5) % 16]);
        WANT(5, t.odd_a);
        WANT(6, s.a[first]);
        WANT(7, s.a[first + 7]);
        WANT(8, (t.odd_a == 0xffff) | 2);
        WANT(9, t.odd_a != 0);
        WANT(10, t.same_odd | 2);
        WANT(11, t.same_a | 2);
        WANT(12, (a & 3) != (b & 3));
        WANT(13, ((a & 255) + (b & 255)) * (c & 15));
        WANT(14, items[b & 3]);
        WANT(15, 2 | 0x200); /* the flag was clear, then set; it is in global memory */
        WANT(16, of_four);
        WANT(17, of_eight);
        WANT(18, s.a[i & ~1] ^ s.a[i | 1]);
    }
    finish(&s);
}

TEST(uniform_group_instructions)
{
    run_state s;
    bool good = run(&s, "uniform_groups");
    for (int g = 0; good && g < N; g += GROUP) {
        uint32_t product = 1, all = ~0u, some = 0, odd = 0, negatives = 0, running = 1, before = 0, exclusive = 0,
                 any = 0;
        float reals = 1;
        for (int i = g; i < g + GROUP; i++) {
            product *= s.a[i] | 1;
            all &= s.a[i];
            some |= s.a[i];
            negatives += s.a[i] >> 31;
            reals *= (float)((s.a[i] & 1) + 1);
        }
        for (int i = g; i < g + GROUP; i++) {
            uint32_t a = s.a[i], b = s.b[i], c = s.c[i];
            before = exclusive;
            exclusive |= a;
            running *= a | 1;
            odd ^= a;
            any |= a >> 31;
            WANT(0, product);
            WANT(1, running);
            WANT(2, all);
            WANT(3, before);
            WANT(4, odd);
            WANT(5, negatives == GROUP);
            WANT(6, any);
            WANT(7, negatives & 1);
            WANT(8, float_bits(reals));
        }
        CHECK(exclusive == some);
    }
    finish(&s);
}

/* ---- small floats */

/* Of 1 sign bit, `exponent` bits and `mantissa` bits; all ones is the exponent of infinity and NaN, but in E4M3, where
 * it is an ordinary one and only the largest code is NaN. */
static double small_value(uint32_t code, int exponent, int mantissa)
{
    int e = (int)(code >> mantissa) & ((1 << exponent) - 1), m = (int)code & ((1 << mantissa) - 1),
        bias = (1 << (exponent - 1)) - 1;
    double v = e ? ldexp((1 << mantissa) + m, e - bias - mantissa) : ldexp(m, 1 - bias - mantissa);
    if (exponent == 4 ? e == 15 && m == 7 : e == (1 << exponent) - 1 && m) v = NAN;
    else if (exponent != 4 && e == (1 << exponent) - 1) v = INFINITY;
    return code >> (exponent + mantissa) & 1 ? -v : v;
}

/* Is `code` f rounded to the nearest, ties to the even code? Past the largest number: that, or infinity (E4M3: NaN). */
static bool is_rounded(uint32_t code, float f, int exponent, int mantissa, bool saturate)
{
    uint32_t most = exponent == 4 ? 0x7e : ((uint32_t)((1 << exponent) - 1) << mantissa) - 1,
             magnitude = code & ((1u << (exponent + mantissa)) - 1);
    double got = small_value(code, exponent, mantissa), a = fabs((double)f),
           largest = small_value(most, exponent, mantissa), below, step;
    if (f != f) return got != got;
    if (code >> (exponent + mantissa) != (uint32_t)(signbit(f) != 0)) return false;
    step = largest - small_value(most - 1, exponent, mantissa);
    /* halfway to the number after the largest: the even code of the two */
    if (a > largest + step / 2 || (a == largest + step / 2 && most & 1))
        return saturate ? magnitude == most : magnitude == most + 1;
    if (magnitude > most) return false;
    got = fabs(got);
    below = small_value(magnitude ? magnitude - 1 : 0, exponent, mantissa);
    double above = magnitude < most ? small_value(magnitude + 1, exponent, mantissa) : got + step;
    double low = (got + below) / 2, high = (got + above) / 2;
    if (magnitude == 0) low = 0;
    return magnitude & 1 ? a > low && a < high : a >= low && a <= high;
}

TEST(small_floats)
{
    enum { COUNT = 512, GROUPS = 16 };
    zed_module module;
    uint32_t *a = (uint32_t *)ocl_buffer(COUNT * 4), *r = (uint32_t *)ocl_buffer(8 * COUNT * 4);
    for (uint32_t i = 0; i < COUNT; i++) {
        static const float special[] = {0.0f,  -0.0f, 1,        448,       464, 465,     480,           57344, 61440,
                                        61441, 65536, INFINITY, -INFINITY, NAN, 3.4e38f, 0.0009765625f, 0.001f};
        float f = (float)(test_normal() * exp2(test_normal() * 8));
        if (i < sizeof special / sizeof *special) f = special[i];
        memcpy(&a[i], &f, 4);
        /* the low bits are converted back: they include all bytes, and halfway cases of bfloat16 */
        if (i >= 256) a[i] = (a[i] & 0xffff0000u) | (i & 255) | (i & 1 ? 0x8000u : 0);
    }
    if (ocl_load(&module, "small_floats"))
        OCL_RUN(&module, "small_floats", "ptr<u32> a, ptr<u32> r, u32 count", GROUPS, COUNT / GROUPS, a, r, COUNT);
    for (int i = 0; i < COUNT; i++) {
        static const struct {
            int exponent, mantissa;
            bool saturate;
        } to[] = {{8, 7, false}, {4, 3, false}, {5, 2, false}, {4, 3, true}, {5, 2, true}};
        float f, back;
        memcpy(&f, &a[i], 4);
        for (int p = 0; p < 5; p++)
            CHECK_MSG(is_rounded(r[p * COUNT + i], f, to[p].exponent, to[p].mantissa, to[p].saturate),
                      "conversion %d of %.9g gives %02x (%g)", p, (double)f, (unsigned)r[p * COUNT + i],
                      small_value(r[p * COUNT + i], to[p].exponent, to[p].mantissa));
        for (int p = 0; p < 3; p++) {
            double want = small_value(p ? a[i] & 0xff : a[i] & 0xffff, to[p].exponent, to[p].mantissa);
            memcpy(&back, &r[(5 + p) * COUNT + i], 4);
            CHECK_MSG(want != want ? back != back : back == want && !signbit(back) == !signbit(want),
                      "code %x back by conversion %d gives %g, want %g", (unsigned)a[i] & 0xffff, p, (double)back,
                      want);
        }
    }
    ocl_free(a);
    ocl_free(r);
}

TEST(generic_casts)
{
    enum { ITEMS = 63, LOCAL = 21 };
    uint32_t *p = (uint32_t *)ocl_buffer(ITEMS * 4), *r = (uint32_t *)ocl_buffer(ITEMS * 4),
             *q = (uint32_t *)ocl_buffer(ITEMS * 4);
    zed_module module;
    if (ocl_load(&module, "casts")) {
        for (uint32_t i = 0; i < ITEMS; i++) p[i] = (uint32_t)test_random();
        OCL_RUN(&module, "casts", "ptr<u32> p, local<u32> l, ptr<u32> r, ptr<u32> q", ITEMS / LOCAL, LOCAL, p,
                ((zed_local){ITEMS * 4}), r, q);
        for (uint32_t i = 0; i < ITEMS; i++) {
            CHECK_INT(r[i], 1 << i % 3);
            CHECK_INT(q[i], p[i] + 1000 * i + 11 * i + (i % 3 == 0 ? p[i] : i % 3 == 1 ? 1000 * i : 11 * i));
        }
    }
    ocl_free(p);
    ocl_free(r);
    ocl_free(q);
}

TEST(logical_copies)
{
    enum { ITEMS = 50 };
    uint32_t *a = (uint32_t *)ocl_buffer(ITEMS * 4), *r = (uint32_t *)ocl_buffer(ITEMS * 16);
    zed_module copies;
    for (int i = 0; i < ITEMS; i++) a[i] = (uint32_t)test_random();
    if (ocl_load(&copies, "copies")) OCL_RUN(&copies, "copies", "ptr<u32> a, ptr<u32> r", 2, ITEMS / 2, a, r);
    for (int i = 0; i < ITEMS; i++) {
        CHECK_INT(r[4 * i], a[i]);
        CHECK_INT(r[4 * i + 1], a[i] & 255);
        CHECK_INT(r[4 * i + 2], 4);
        CHECK_INT(r[4 * i + 3], (4 + 2 * 8) * 1000 + 2 * 5);
    }
    ocl_free(a);
    ocl_free(r);
}

/* Every work-group's variables are initially zero; a private variable is accessed by its address as an integer. */
TEST(beginnings)
{
    enum { LOCAL = 40, GROUPS = 50, ITEMS = LOCAL * GROUPS };
    uint32_t *r = (uint32_t *)ocl_buffer(ITEMS * 4);
    zed_module module;
    if (ocl_load(&module, "beginnings")) {
        OCL_RUN(&module, "waits", "ptr<u32> r", GROUPS, LOCAL, r);
        for (uint32_t i = 0; i < ITEMS; i++) CHECK_INT(r[i], i * 10);
        memset(r, 0xa5, ITEMS * 4);
        OCL_RUN(&module, "alone", "ptr<u32> r", GROUPS, LOCAL, r);
        for (uint32_t i = 0; i < ITEMS; i++) CHECK_INT(r[i], i);
        OCL_RUN(&module, "prints", "u32 n", 1, 1, 8u);
        zed_module_free(&module);
    }
    ocl_free(r);
}

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(bit_instructions);
    RUN(integer_dot_products);
    RUN(arithmetic);
    RUN(uniform_group_instructions);
    RUN(lanes_and_leftovers);
    RUN(small_floats);
    RUN(generic_casts);
    RUN(logical_copies);
    RUN(beginnings);
    zed_close(&ocl_device);
    return test_report();
}
