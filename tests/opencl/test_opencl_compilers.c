/* test_opencl_compilers.c - one collection of kernels (opencl/compilers.cl) compiled by clang at -O0, -O1, -O2, -O3 and
 * -Os for SPIR-V 1.0 to 1.4, C++ for OpenCL (opencl/cplusplus.cl), and code as compilers of other languages generate it
 * (opencl/other_languages.ll). All exact.
 */
#include "opencl.h"

enum { N = 96, LOCAL = 24 };

/* A launch of N items that checks every argument's size: see ocl_launch. */
#define LAUNCH(m, name, local, ...)                                                                                    \
    do {                                                                                                               \
        const ocl_argument args_[] = {__VA_ARGS__};                                                                    \
        ocl_launch((m)->handle, (name), N / (local), (local), sizeof args_ / sizeof *args_, args_);                    \
    } while (0)
#define P(pointer)                                                                                                     \
    {                                                                                                                  \
        sizeof(void *), &(pointer)                                                                                     \
    }
#define V(value)                                                                                                       \
    {                                                                                                                  \
        sizeof(value), &(value)                                                                                        \
    }

/* ---- the structures of compilers.cl, in OpenCL's layout */

typedef struct {
    int32_t n;
    int64_t offset;
    float scale;
    uint8_t c[4];
    struct {
        int16_t a;
        double d;
    } in;
} settings;

typedef struct {
    float p[4];
    int8_t t, gap1[15];
    float v[4];
    int16_t s[3], gap2[5];
} body;

static const settings sample = {-3, 5000000000, 2.25f, {1, 2, 200, 4}, {-7, 1.75e9}};

static void *integers(size_t count, int bits)
{
    void *p = ocl_buffer(count * (size_t)bits / 8);
    ocl_fill_bits(p, bits, count);
    return p;
}

static void by_value(zed_module *m)
{
    int32_t *x = (int32_t *)integers(N, 32);
    int64_t *r = (int64_t *)ocl_buffer(N * 8);
    int8_t c = -100;
    uint8_t u[4] = {1, 2, 250, 0};
    double d[4] = {1, 2, 3, -4e12};
    LAUNCH(m, "by_value", LOCAL, V(sample), P(x), P(r), V(c), V(u), V(d));
    for (int i = 0; i < N; i++) {
        int64_t want = (int64_t)((uint64_t)sample.n * (uint64_t)(int64_t)x[i]) + sample.offset + 9 + 200 - 7 +
                       1750000000 - 100 + 750 - 4000000000000;
        CHECK_INT(r[i], want);
    }
    ocl_free(x);
    ocl_free(r);
}

static void move(body *t, int n)
{
    for (int k = 0; k < 3; k++) t->p[k] += t->v[k] * 2;
    t->s[n % 3] = (int16_t)(t->s[n % 3] + t->t);
}

static void threes(zed_module *m)
{
    body *b = (body *)ocl_buffer(N * sizeof *b), *r = (body *)ocl_buffer(N * sizeof *r);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++) {
            b[i].p[k] = (float)(test_random() % 4096) / 16;
            b[i].v[k] = (float)(test_random() % 4096) / 8 - 100;
            b[i].s[k] = (int16_t)test_random();
        }
        b[i].t = (int8_t)test_random();
    }
    for (int32_t n = 0; n < 3; n++) {
        LAUNCH(m, "threes", LOCAL, P(b), P(r), V(n));
        for (int i = 0; i < N; i++) {
            body own = b[i], next = b[(i + 1) % N], want;
            move(&own, n);
            want = i & 1 ? next : own;
            want.v[1] = (i & 1 ? own : next).v[0];
            CHECK_INT(r[i].t, want.t);
            for (int k = 0; k < 3; k++)
                CHECK_MSG(r[i].p[k] == want.p[k] && r[i].v[k] == want.v[k] && r[i].s[k] == want.s[k],
                          "n %d, item %d, component %d: %g %g %d, want %g %g %d", n, i, k, (double)r[i].p[k],
                          (double)r[i].v[k], r[i].s[k], (double)want.p[k], (double)want.v[k], want.s[k]);
        }
    }
    ocl_free(b);
    ocl_free(r);
}

static void tables_of_pointers(zed_module *m)
{
    static const int ta[4] = {1, 20, 300, 4000}, tb[3] = {-7, -8, -9}, *const tables[3] = {ta, tb, ta + 1};
    static const char *const words[4] = {"zero", "one", "two and more", ""};
    static const struct {
        const int *p;
        int n;
        const char *w;
    } entries[2] = {{tb + 1, 2, "xyz"}, {ta, 4, "q"}};
    int32_t *x = (int32_t *)integers(N, 32), *r = (int32_t *)ocl_buffer(N * 4);
    LAUNCH(m, "tables_of_pointers", LOCAL, P(x), P(r));
    for (int i = 0; i < N; i++) {
        uint32_t v = (uint32_t)(tables[(x[i] & 63) % 3][x[i] & 1] + tables[2][2]), h = 0;
        for (const char *w = words[x[i] & 3]; *w; w++) h = h * 31 + (uint32_t)*w;
        for (int k = 0; k < entries[x[i] & 1].n; k++) v = v * 3 + (uint32_t)entries[x[i] & 1].p[k];
        CHECK_INT(r[i], (int32_t)(v ^ h ^ (uint32_t)entries[x[i] & 1].w[0]));
    }
    ocl_free(x);
    ocl_free(r);
}

static void pointers_to_pointers(zed_module *m)
{
    int32_t *x = (int32_t *)ocl_buffer(N * 4), *y = (int32_t *)ocl_buffer(N * 4), *r = (int32_t *)ocl_buffer(N * 4);
    for (int i = 0; i < N; i++) x[i] = i * 37, y[i] = 5000 - i * 11;
    LAUNCH(m, "pointers_to_pointers", LOCAL, P(x), P(y), P(r));
    for (int i = 0; i < N; i++) {
        int own = i & 1 ? 5000 - i * 11 + 1 : i * 37;
        CHECK_INT(i & 1 ? y[i] : x[i], own);
        CHECK_INT(i & 1 ? x[i] : y[i], i & 1 ? i * 37 : 5000 - i * 11);
        CHECK_INT(r[i], own * 2 + x[i] + (i % 3 ? own : x[i]));
    }
    ocl_free(x);
    ocl_free(y);
    ocl_free(r);
}

static int want_of_switches(int64_t x, int8_t c, uint16_t u)
{
    int v = x == 0x100000000  ? 1
            : x == 1          ? 2
            : x == -1         ? 3
            : x == INT64_MAX  ? 54
            : x == 5          ? 50
            : x == 0xffffffff ? 6
                              : 7;
    v += c == -128 ? 100 : c == -1 ? 200 : c == 3 ? 300 : c == 127 ? 400 : 0;
    return v + (u == 65535 ? 1000 : u == 32768 ? 2000 : u == 7 ? 3000 : 4000);
}

static void switches(zed_module *m)
{
    static const int64_t longs[] = {0x100000000, 1, -1,        INT64_MAX,   5,
                                    0xffffffff,  0, INT64_MIN, 0x100000001, 0x500000005};
    static const int8_t chars[] = {-128, -1, 3, 127, 0, -3, 125};
    static const uint16_t shorts[] = {65535, 32768, 7, 0, 32767, 8};
    int64_t *x = (int64_t *)ocl_buffer(N * 8);
    int8_t *c = (int8_t *)ocl_buffer(N);
    uint16_t *u = (uint16_t *)ocl_buffer(N * 2);
    int32_t *r = (int32_t *)ocl_buffer(N * 4);
    for (int i = 0; i < N; i++) {
        x[i] = longs[test_random() % 10];
        c[i] = chars[test_random() % 7];
        u[i] = shorts[test_random() % 6];
    }
    LAUNCH(m, "switches", LOCAL, P(x), P(c), P(u), P(r));
    for (int i = 0; i < N; i++) CHECK_INT(r[i], want_of_switches(x[i], c[i], u[i]));
    ocl_free(x);
    ocl_free(c);
    ocl_free(u);
    ocl_free(r);
}

static void bools(zed_module *m)
{
    int32_t *x = (int32_t *)integers(N, 32), *r = (int32_t *)ocl_buffer(N * 4);
    uint8_t *b = (uint8_t *)ocl_buffer(N);
    const ocl_argument args[] = {P(x), P(r), P(b), {LOCAL, NULL}};
    ocl_launch(m->handle, "bools", N / LOCAL, LOCAL, 4, args);
    for (int i = 0; i < N; i++) {
        int next = i / LOCAL * LOCAL + (i + 1) % LOCAL, v = x[next] >> (x[next] & 63) % 5 & 1;
        CHECK_INT(b[i], v != (x[i] >> 2 & 1));
        CHECK_INT(r[i], v + 2 * (x[i] & 1) + 4 * (x[i] >> 4 & 1));
    }
    ocl_free(x);
    ocl_free(r);
    ocl_free(b);
}

static void calls(zed_module *m)
{
    int32_t *x = (int32_t *)ocl_buffer(N * 4), *r = (int32_t *)ocl_buffer(N * 4);
    for (int i = 0; i < N; i++) x[i] = (int32_t)(test_random() % 2000) - 1000;
    LAUNCH(m, "calls", LOCAL, V(sample), P(x), P(r));
    for (int i = 0; i < N; i++) {
        int p = x[i] + sample.n, v = 3 + x[i] + p + 2, t = 5, z = 4;
        if (x[i] & 4) {
            v += sample.n; /* by the pointer, before the sum's left side is read or after it */
            int taken = v + 8 - 1;
            t++, z++;
            CHECK_MSG(r[i] == v + taken + p + t + z + x[i] || r[i] == v - sample.n + taken + p + t + z + x[i],
                      "item %d: %d", i, r[i]);
        } else {
            CHECK_INT(r[i], v + p + t + z + x[i]);
        }
    }
    ocl_free(x);
    ocl_free(r);
}

static void changing_places(zed_module *m)
{
    int32_t *x = (int32_t *)ocl_buffer(N * 4), *r = (int32_t *)ocl_buffer(N * 4);
    for (int i = 0; i < N; i++) x[i] = (int32_t)(test_random() % 4000) - 2000;
    LAUNCH(m, "changing_places", LOCAL, P(x), P(r));
    for (int i = 0; i < N; i++) {
        int a = x[i], b = 1, c = 2, d = 3;
        for (int k = 0; k < (x[i] & 15); k++) {
            int t = a;
            a = b, b = c, c = d, d = t;
            if (a > 5) t = b, b = c, c = t;
        }
        CHECK_INT(r[i], a + 10 * b + 100 * c + 1000 * d);
    }
    ocl_free(x);
    ocl_free(r);
}

static void copies(zed_module *m)
{
    uint8_t *from = (uint8_t *)integers(N * 24, 8), *to = (uint8_t *)ocl_buffer(N * 24);
    int32_t n = 0x1c3;
    LAUNCH(m, "copies", LOCAL, P(from), P(to), V(n));
    for (int i = 0; i < N; i++) {
        uint8_t want[24];
        memcpy(want, from + i * 24, 24);
        want[8] = from[i * 24 + 15];
        memcpy(want + 9, from + i * 24 + 8, 7);
        memcpy(want + 1, want + 12, 7);
        memset(want + 20, 0xc3, 3);
        for (int k = 0; k < 24; k++) CHECK_INT(to[i * 24 + k], want[k]);
    }
    ocl_free(from);
    ocl_free(to);
}

static void want_of_selects(const int32_t *x, const float *f, int32_t *v)
{
    int32_t w[4] = {x[3], x[2], x[1], x[0]};
    bool below[4], all = true;
    for (int k = 0; k < 4; k++) {
        below[k] = x[k] < w[k];
        all = all && below[k];
        v[k] = below[k] ? (int32_t)((uint32_t)x[k] * 3u) : w[k] >> 1;
    }
    if (f[0] > 0.5f || f[1] > 0.5f || f[2] > 0.5f)
        v[1] = (int32_t)(f[0] * 8), v[3] = (int32_t)(f[2] * 8);
    else
        v[1] = v[0], v[3] = v[2];
    if (all) v[2] = -1;
    v[0] += f[0] < f[1] ? 9 : 7;
    v[1] += f[0] < f[2] ? 9 : 7;
    v[2] += f[1] < f[2] ? 9 : 7;
    v[3] += f[2] < f[0] ? 9 : 7;
}

static void selects(zed_module *m)
{
    int32_t *x = (int32_t *)ocl_buffer(N * 16), *r = (int32_t *)ocl_buffer(N * 16);
    float *y = (float *)ocl_buffer(N * 12);
    for (int i = 0; i < 4 * N; i++) x[i] = (int32_t)(test_random() % 2000) - 1000;
    for (int i = 0; i < 3 * N; i++) y[i] = (float)((int)(test_random() % 64) - 50) / 8;
    LAUNCH(m, "selects", LOCAL, P(x), P(y), P(r));
    for (int i = 0; i < N; i++) {
        int32_t want[4];
        want_of_selects(x + 4 * i, y + 3 * i, want);
        for (int k = 0; k < 4; k++)
            CHECK_MSG(r[4 * i + k] == want[k], "item %d, %d: %d, want %d", i, k, r[4 * i + k], want[k]);
    }
    ocl_free(x);
    ocl_free(y);
    ocl_free(r);
}

static int ones(uint32_t v)
{
    int n = 0;
    for (; v; v &= v - 1) n++;
    return n;
}

static void hints(zed_module *m)
{
    int32_t *x = (int32_t *)integers(N, 32), *r = (int32_t *)ocl_buffer(N * 4);
    LAUNCH(m, "hints", 8, P(x), P(r));
    for (int i = 0; i < N; i++) CHECK_INT(r[i], (int32_t)((uint32_t)x[i ^ 7] + (uint32_t)ones((uint32_t)x[i])));
    ocl_free(x);
    ocl_free(r);
}

static void collection(const char *name)
{
    static void (*const kernels[])(zed_module *) = {
        by_value, threes, tables_of_pointers, pointers_to_pointers, switches, bools, calls, changing_places, copies,
        selects,  hints};
    zed_module m;
    if (!ocl_load(&m, name)) return;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) kernels[i](&m);
}

TEST(level_0) { collection("compilers_O0"); }
TEST(level_1) { collection("compilers"); }
TEST(level_2) { collection("compilers_O2"); }
TEST(level_3) { collection("compilers_O3"); }
TEST(level_s) { collection("compilers_Os"); }

/* ---- cplusplus.cl */

static int sum_of_squares(int n) { return n * (n + 1) * (2 * n + 1) / 6; }

TEST(cplusplus)
{
    zed_module m;
    int32_t *x = (int32_t *)ocl_buffer(N * 4), *r = (int32_t *)ocl_buffer(N * 4), n = 3;
    for (int i = 0; i < N; i++) x[i] = (int32_t)(test_random() % 200);
    if (ocl_load(&m, "cplusplus")) LAUNCH(&m, "cplusplus", LOCAL, P(x), P(r), V(n));
    for (int i = 0; i < N; i++) {
        int mine = x[i], want = 0, a = mine & 7;
        for (int k = 0; k < 5; k++) want += (mine * k + n + k - mine) * (1 << k);
        want += mine * 2 + 1 + mine * 3 - mine;
        want += mine & 1 ? a * 2 : a * a * 3;
        want += (mine > 50 ? 50 : mine) + (mine % 3 == 0 ? 7 : mine % 3 == 1 ? 255 : 0);
        CHECK_INT(r[i], want + sum_of_squares((mine & 3) + 1));
    }
    ocl_free(x);
    ocl_free(r);
}

/* ---- other_languages.ll */

static zed_module other;

TEST(structures_behind_pointers)
{
    struct {
        uint64_t pointer, range[3];
    } pair = {0, {10, 20, 30}};
    uint64_t range[3] = {1, 2, 5000000003};
    int32_t *p = (int32_t *)ocl_buffer(N * 4);
    for (int i = 0; i < N; i++) p[i] = i * 1000;
    LAUNCH(&other, "_ZTSZ4mainEUlN3lib2idILi1EEEE_", LOCAL, P(p), V(pair), V(range));
    for (int i = 0; i < N; i++) CHECK_INT(p[i], i * 1000 + (int32_t)(uint32_t)(5000000003u + 20u));
    ocl_free(p);
}

TEST(names_of_any_byte)
{
    static const char name[] = "a kernel \"with\" odd\\ bytes\n \xc3\xa9*/ ?\?/ %d";
    static const int table[4] = {3, 5, 7, 11};
    int32_t *p = (int32_t *)integers(N, 32);
    int32_t x[N], k = 2;
    memcpy(x, p, sizeof x);
    LAUNCH(&other, name, LOCAL, P(p), V(k));
    for (int i = 0; i < N; i++) {
        uint32_t bit = (uint32_t)x[i] & 1, c0 = bit ? 9 : 1, c1 = bit ? 2 : 77;
        CHECK_INT(p[i], (int32_t)(c0 + c1 + (uint32_t)x[i] - 1 + bit + 3 + (uint32_t)table[i & 1 ? 0 : 2] + 'b'));
    }
    ocl_free(p);
}

TEST(intrinsics)
{
    int32_t *p = (int32_t *)integers(N, 32);
    float *q = (float *)ocl_buffer(N * 4);
    int64_t n = N - 10;
    int32_t x[N];
    float y[N];
    memcpy(x, p, sizeof x);
    for (int i = 0; i < N; i++) y[i] = q[i] = (float)((int)(test_random() % 800) - 400) / 64;
    LAUNCH(&other, "intrinsics", LOCAL, P(p), P(q), V(n));
    for (int i = 0; i < N; i++) {
        uint32_t u = (uint32_t)x[i], sum = u - 5, turned = u << 7 | sum >> 25, b = 0, lead = 32, trail = 32;
        for (int k = 0; k < 32; k++) b |= (turned >> k & 1) << (31 - k);
        for (uint32_t k = 0; k < 32; k++) lead = u >> k & 1 ? 31 - k : lead, trail = u >> (31 - k) & 1 ? 31 - k : trail;
        int32_t least = (int32_t)(x[i] < 0 ? 0u - u : u);
        least = least < (int32_t)b ? least : (int32_t)b;
        uint32_t most = (uint32_t)least > (sum < u) ? (uint32_t)least : (sum < u);
        CHECK_INT(p[i], (int32_t)(most ^ lead ^ trail ^ (uint32_t)ones(b)));
        /* y * y + 1 has few bits: its root, rounded down, is at least 1 and at most 7 */
        float root = copysignf(floorf(sqrtf(y[i] * y[i] + 1)), y[i]), exact = sqrtf(y[i] * y[i] + 1);
        if (y[i] < 0 && exact != floorf(exact)) root -= 1;
        float want = i < n ? fmodf(y[i], 0.75f) - (root < 3 ? root : 3) : y[i];
        CHECK_MSG(q[i] == want, "item %d of %g: %g, want %g", i, (double)y[i], (double)q[i], (double)want);
    }
    ocl_free(p);
    ocl_free(q);
}

TEST(overlapping_moves)
{
    uint8_t *p = (uint8_t *)integers(N * 64, 8), want[64];
    uint8_t *before = (uint8_t *)malloc(N * 64);
    int64_t n = 13;
    memcpy(before, p, N * 64);
    LAUNCH(&other, "moves", LOCAL, P(p), V(n));
    for (int i = 0; i < N; i++) {
        memcpy(want, before + i * 64, 64);
        memmove(want + 3, want, 20);
        memset(want + 40, 7, 9);
        memcpy(want + 50, want, 13);
        for (int k = 0; k < 64; k++) CHECK_INT(p[i * 64 + k], want[k]);
    }
    free(before);
    ocl_free(p);
}

TEST(atomics_of_llvm)
{
    int32_t *p = (int32_t *)ocl_buffer(3 * 4);
    int64_t *q = (int64_t *)ocl_buffer(8);
    const ocl_argument args[] = {P(p), P(q)};
    p[0] = 6, p[1] = 6, p[2] = 0xff;
    *q = -1; /* unsigned, the greatest */
    ocl_launch(other.handle, "atomics", 1, 1, 2, args);
    CHECK_INT(p[0], 7);
    CHECK_INT(*q, 5);
    CHECK_INT(p[1], 17); /* the counter's old value, since p[1] was p[0]'s */
    CHECK_INT(p[2], 0xff ^ (1 + 6));
    ocl_free(p);
    ocl_free(q);
}

TEST(a_loop_with_two_entries)
{
    int32_t *p = (int32_t *)ocl_buffer(N * 4), x[N], n = 40;
    for (int i = 0; i < N; i++) p[i] = x[i] = (int32_t)(test_random() % 80);
    LAUNCH(&other, "irreducible", LOCAL, P(p), V(n));
    for (int i = 0; i < N; i++) {
        uint32_t v = (uint32_t)(x[i] > n ? x[i] : n), count = x[i] > n ? 0 : 2;
        bool in_a = x[i] > n;
        for (;; in_a = !in_a) {
            v = in_a ? v * 3 : v + 5;
            if (++count >= (in_a ? 9u : 11u)) break;
        }
        CHECK_INT(p[i], (int32_t)v);
    }
    ocl_free(p);
}

TEST(constants_in_private_memory)
{
    static const int primes[4] = {3, 5, 7, 11};
    int32_t *p = (int32_t *)ocl_buffer(N * 4);
    LAUNCH(&other, "private_constants", LOCAL, P(p));
    for (int i = 0; i < N; i++) CHECK_INT(p[i], (primes[i & 3] * 7 + 9) * primes[i & 3]);
    ocl_free(p);
}

/* Each lane would need its own: the module is refused, naming the variable. */
TEST(variables_in_private_memory)
{
    size_t size;
    void *words = ocl_spv("private_variable", &size);
    zed_module m;
    if (!words) return;
    CHECK(!zed_module_load(&m, &ocl_device, words, size, NULL));
    CHECK_HAS(zed_build_log(&ocl_device), "in private memory that may be written");
    zed_clear_error(&ocl_device);
    free(words);
}

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(level_0);
    RUN(level_1);
    RUN(level_2);
    RUN(level_3);
    RUN(level_s);
    RUN(cplusplus);
    if (ocl_load(&other, "other_languages")) {
        RUN(structures_behind_pointers);
        RUN(names_of_any_byte);
        RUN(intrinsics);
        RUN(overlapping_moves);
        RUN(atomics_of_llvm);
        RUN(a_loop_with_two_entries);
        RUN(constants_in_private_memory);
    }
    RUN(variables_in_private_memory);
    zed_close(&ocl_device);
    return test_report();
}
