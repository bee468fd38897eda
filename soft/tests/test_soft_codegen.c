/* test_soft_codegen.c - kernels from OpenCL C (stored as SPIR-V in kernels/) through reader, code generator, compiler
 * and scheduler, against the same computation in C.
 */
#include "abi.h"
#include "run/scheduler.h"
#include "build/build.h"
#include "c/generate.h"
#include "large_kernels.h"

#define FOLDER "soft/tests/kernels/"

/* ---- loading and launching */

struct program {
    const char *name;
    struct jit_object object;
    struct sp_text text;
    bool tried;
};

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = f ? (uint8_t *)malloc(1 << 20) : NULL;
    *size = data ? fread(data, 1, 1 << 20, f) : 0;
    if (f) fclose(f);
    return data;
}

/* Split like long functions, after every other instruction. */
static uint32_t piece_bytes;
static bool quick; /* the tier */

static void build_words(struct program *p, const uint32_t *words, size_t count)
{
    struct sp_text log = {0};
    struct cg_options options = {.default_subgroup_size = 16, .piece_bytes = piece_bytes, .quick = quick};
    struct sp_module *m = words ? sp_parse(words, count, NULL, 0, true, &log) : NULL;
    bool good = m && cg_generate(m, &options, &p->text, &log) &&
                jit_compile(p->text.data, p->text.size, NULL, NULL, &p->object, &log);
    CHECK_MSG(good, "%s: %s", p->name, log.data ? log.data : "");
    sp_free(m);
    sp_text_free(&log);
    p->tried = true;
}

static void build(struct program *p)
{
    char path[256];
    size_t size;
    snprintf(path, sizeof path, FOLDER "%s.spv", p->name);
    uint8_t *words = read_file(path, &size);
    CHECK_MSG(words && size, "%s cannot be read (run from the project's folder)", path);
    build_words(p, (const uint32_t *)(const void *)words, size / 4);
    free(words);
}

static const struct xs_kernel *kernel_of(struct program *p, const char *name)
{
    if (!p->tried) build(p);
    for (uint32_t i = 0; p->object.module && i < p->object.module->kernel_count; i++)
        if (!strcmp(p->object.module->kernels[i].name, name)) return &p->object.module->kernels[i];
    test_fail(__FILE__, __LINE__, "no kernel %s", name);
    return NULL;
}

struct arg {
    size_t size;
    union {
        uint64_t u;
        const void *p;
    } v;
};
#define PTR(p_)                                                                                                        \
    {                                                                                                                  \
        8, { .p = (p_) }                                                                                               \
    }
#define INT(i_)                                                                                                        \
    {                                                                                                                  \
        4, { .u = (uint32_t)(i_) }                                                                                     \
    }
#define LOCAL(bytes_)                                                                                                  \
    {                                                                                                                  \
        8, { .u = (bytes_) }                                                                                           \
    }

static uint8_t **make_globals(const struct xs_module *m)
{
    uint8_t **g = (uint8_t **)calloc(m->global_count + 1, sizeof *g);
    for (uint32_t i = 0; i < m->global_count; i++) {
        g[i] = (uint8_t *)calloc(1, m->globals[i].size + 64);
        if (m->globals[i].initial) memcpy(g[i], m->globals[i].initial, m->globals[i].size);
    }
    return g;
}

static void launch3(struct program *p, const char *name, const uint32_t *groups, const uint32_t *local, uint32_t n,
                    const struct arg *args)
{
    const struct xs_kernel *k = kernel_of(p, name);
    uint8_t block[256] = {0};
    if (!k) return;
    CHECK_INT(k->param_count, n);
    for (uint32_t i = 0; i < n && i < k->param_count; i++)
        memcpy(block + k->params[i].offset, args[i].size > 8 ? args[i].v.p : &args[i].v, args[i].size);
    uint8_t **globals = make_globals(p->object.module);
    struct sched_launch l = {.kernel = k,
                             .args = block,
                             .globals = globals,
                             .group_count = {groups[0], groups[1], groups[2]},
                             .local_size = {local[0], local[1], local[2]},
                             .global_offset = {5, 0, 0},
                             .work_dim = 3};
    if (strcmp(name, "ids")) l.global_offset[0] = 0;
    CHECK_MSG(sched_run(&l) == SCHED_OK, "%s: %s", name, l.error);
    for (uint32_t i = 0; i < p->object.module->global_count; i++) free(globals[i]);
    free(globals);
}

static void launch(struct program *p, const char *name, uint32_t groups, uint32_t local, uint32_t n,
                   const struct arg *args)
{
    launch3(p, name, (const uint32_t[]){groups, 1, 1}, (const uint32_t[]){local, 1, 1}, n, args);
}

static struct program flow = {.name = "flow"}, memory = {.name = "memory"}, arith = {.name = "arith"},
                      groups = {.name = "groups"}, storage = {.name = "storage"};

/* ---- flow.cl */

enum { N = 200 };

static void random_ints(int32_t *a, int n)
{
    for (int i = 0; i < n; i++) a[i] = (int32_t)test_random();
}

TEST(vector_add_with_a_tail)
{
    float a[N], b[N], c[N + 64];
    for (int i = 0; i < N; i++) {
        a[i] = (float)test_normal();
        b[i] = (float)test_normal();
    }
    for (int i = 0; i < N + 64; i++) c[i] = -7;
    launch(&flow, "vadd", 5, 50, 4, (struct arg[]){PTR(a), PTR(b), PTR(c), INT(N - 3)});
    for (int i = 0; i < N + 64; i++) CHECK_MSG(c[i] == (i < N - 3 ? a[i] * 2.0f + b[i] : -7), "c[%d] = %g", i, c[i]);
}

TEST(phis_that_swap)
{
    float a[9], c[64];
    for (int i = 0; i < 9; i++) a[i] = (float)(test_random() % 16) - 8;
    launch(&flow, "uniform_loop", 1, 64, 3, (struct arg[]){PTR(a), PTR(c), INT(9)});
    for (int i = 0; i < 64; i++) {
        float s = 0, t = 1;
        for (int k = 0; k < 9; k++) {
            float u = s;
            s = t + a[k] * (float)i;
            t = u;
        }
        CHECK_MSG(c[i] == s + 2 * t, "c[%d] = %g, want %g", i, c[i], s + 2 * t);
    }
}

TEST(divergent_while)
{
    int32_t a[N], c[N];
    for (int i = 0; i < N; i++) a[i] = (int32_t)(test_random() % 1000) + 1;
    launch(&flow, "collatz", 8, 25, 2, (struct arg[]){PTR(a), PTR(c)});
    for (int i = 0; i < N; i++) {
        int x = a[i], steps = 0;
        while (x != 1) {
            x = x & 1 ? 3 * x + 1 : x >> 1;
            if (++steps > 200) break;
        }
        CHECK_INT(c[i], steps);
    }
}

TEST(values_leave_a_loop_when_their_lane_does)
{
    int32_t a[N], c[2 * N];
    for (int i = 0; i < N; i++) a[i] = (int32_t)(test_random() % 40) - 2;
    launch(&flow, "leave_at", 4, 50, 3, (struct arg[]){PTR(a), PTR(c), INT(30)});
    for (int i = 0; i < N; i++) {
        int last = -1, square = 0;
        for (int k = 0; k < 30; k++) {
            square = k * k + 30;
            if (k == a[i]) break;
            last = k;
        }
        CHECK_INT(c[2 * i], last);
        CHECK_INT(c[2 * i + 1], square);
    }
}

static int nested(int x, int n)
{
    int sum = 0;
    for (int k = 0; k < (x & 7); k++) {
        for (int j = 0; j < n; j++) {
            if (((x >> j) & 1) == (k & 1)) continue;
            if (j > x % 11) break;
            sum += j * (k + 1);
            if (sum > 900) return sum;
        }
        sum ^= k;
    }
    return sum + 1000;
}

TEST(nested_loops_with_break_continue_goto)
{
    int32_t a[N], c[N];
    random_ints(a, N);
    launch(&flow, "nested", 4, 50, 3, (struct arg[]){PTR(a), PTR(c), INT(23)});
    for (int i = 0; i < N; i++) CHECK_INT(c[i], nested(a[i], 23));
}

TEST(switches_uniform_and_divergent)
{
    int32_t a[N], c[N];
    for (int i = 0; i < N; i++) a[i] = (int32_t)(test_random() % 2000) - 1000;
    for (int mode = 3; mode < 6; mode++) {
        launch(&flow, "switches", 4, 50, 3, (struct arg[]){PTR(a), PTR(c), INT(mode)});
        for (int i = 0; i < N; i++) {
            int x = a[i], r = 7;
            if ((x & 7) == 0) r = x * 3;
            if ((x & 7) == 1 || (x & 7) == 2) r = x ^ 0x55;
            if ((x & 7) == 5) r = -x;
            r = mode == 3 ? r + 100 : mode == 4 ? r - 100 : r * 2;
            CHECK_INT(c[i], r);
        }
    }
}

TEST(early_returns)
{
    int32_t a[N], c[N];
    for (int i = 0; i < N; i++) a[i] = (int32_t)(test_random() % 24) - 6;
    launch(&flow, "early_return", 4, 50, 2, (struct arg[]){PTR(a), PTR(c)});
    for (int i = 0; i < N; i++) {
        int x = a[i], r = x < 0 ? 1 : 2, done = x < 0;
        for (int k = 0; k < 10 && !done; k++) {
            if (x == k)
                done = 1;
            else
                r += x - k;
        }
        CHECK_INT(c[i], done ? r : r + 1000);
    }
}

static int helper(int x, int y)
{
    int r = 0;
    if (x > y) return x - y;
    for (int k = x; k < y; k++) r += k;
    return r;
}

TEST(calls_under_a_mask)
{
    int32_t a[N], c[N];
    random_ints(a, N);
    launch(&flow, "calls", 4, 50, 3, (struct arg[]){PTR(a), PTR(c), INT(12)});
    for (int i = 0; i < N; i++) CHECK_INT(c[i], helper(a[i] & 31, 12) + (a[i] & 1 ? helper(12, a[i] & 15) : 0));
}

TEST(work_item_ids)
{
    enum { GX = 3, GY = 2, GZ = 2, LX = 5, LY = 3, LZ = 2, W = GX * LX, H = GY * LY, D = GZ * LZ };
    static int32_t c[(W + 5) * H * D * 8];
    memset(c, 0xee, sizeof c);
    launch3(&flow, "ids", (const uint32_t[]){GX, GY, GZ}, (const uint32_t[]){LX, LY, LZ}, 1, (struct arg[]){PTR(c)});
    for (int z = 0; z < D; z++) {
        for (int y = 0; y < H; y++) {
            for (int x = 0; x < W; x++) {
                const int32_t *r = c + ((z * H + y) * W + x + 5) * 8; /* the global offset is 5 in x */
                int lx = x % LX, ly = y % LY, lz = z % LZ, linear = (lz * LY + ly) * LX + lx;
                CHECK_INT(r[0], lx + 100 * ly + 10000 * lz);
                CHECK_INT(r[1], x / LX + 100 * (y / LY) + 10000 * (z / LZ));
                CHECK_INT(r[2], LX + 100 * LY + 10000 * LZ);
                CHECK_INT(r[3], GX + 100 * GY + 10000 * GZ);
                CHECK_INT(r[4], (z * H + y) * W + x);
                CHECK_INT(r[5], linear);
                CHECK_INT(r[6], linear % 16 + 100 * (linear / 16));
                CHECK_INT(r[7], 5 + 3000);
            }
        }
    }
}

/* ---- memory.cl */

TEST(private_arrays)
{
    static const int table[7] = {3, 1, 4, 1, 5, 9, 2};
    int32_t a[N], c[N];
    for (int i = 0; i < N; i++) a[i] = (int32_t)(test_random() % 5000);
    launch(&memory, "private_array", 4, 50, 2, (struct arg[]){PTR(a), PTR(c)});
    for (int i = 0; i < N; i++) {
        int t[16], s = 0;
        for (int k = 0; k < 16; k++) t[k] = a[i] * k + table[k % 7];
        for (int k = 0; k < 16; k++) s += t[(a[i] + k * k) & 15] * (k + 1);
        t[a[i] & 15] = s;
        CHECK_INT(c[i], t[a[i] & 15] - t[(a[i] + 1) & 15]);
    }
}

struct item {
    float x;
    int32_t n[3];
    char tag;
    double d;
};

TEST(structures)
{
    static struct item a[N], c[N];
    for (int i = 0; i < N; i++) {
        a[i] = (struct item){(float)test_normal(),
                             {(int)(test_random() % 99), (int)(test_random() % 99), (int)test_random()},
                             (char)i,
                             test_normal()};
    }
    memset(c, 0xaa, sizeof c);
    launch(&memory, "structures", 4, 50, 2, (struct arg[]){PTR(a), PTR(c)});
    for (int i = 0; i < N; i++) {
        struct item v = a[i];
        v.x += (float)v.n[1];
        v.n[v.n[2] & 1] = i;
        CHECK(c[i].x == v.x);
        CHECK_INT(c[i].n[0], v.n[0]);
        CHECK_INT(c[i].n[1], v.n[1]);
        CHECK_INT(c[i].n[2], v.n[2]);
        CHECK_INT(c[i].tag, (char)(v.tag ^ 0x5a));
        CHECK(c[i].d == v.d * 0.5);
    }
}

static int saturate8(int x) { return x < -128 ? -128 : x > 127 ? 127 : x; }

TEST(vectors)
{
    static float a[N][4], c[N][4];
    static int16_t p[N][4];
    static int8_t q[N][8], q0[N][8];
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 4; k++) a[i][k] = (float)(test_random() % 64) - 32;
        for (int k = 0; k < 4; k++) p[i][k] = (int16_t)(test_random() % 600) - 300;
        for (int k = 0; k < 8; k++) q[i][k] = q0[i][k] = (int8_t)test_random();
    }
    launch(&memory, "vectors", 4, 50, 4, (struct arg[]){PTR(a), PTR(c), PTR(p), PTR(q)});
    for (int i = 0; i < N; i++) {
        float dot = a[i][0] * a[i][0] + a[i][1] * a[i][1] + a[i][2] * a[i][2] + a[i][3] * a[i][3], v[4];
        for (int k = 0; k < 4; k++) v[k] = a[i][3 - k] * (float)(k + 1) + dot;
        v[1] = i & 1 ? v[0] : v[2];
        for (int k = 0; k < 4; k++) CHECK_MSG(c[i][k] == v[k], "%d.%d: %g, want %g", i, k, c[i][k], v[k]);
        for (int k = 0; k < 4; k++) {
            CHECK_INT(q[i][2 * k], saturate8(p[i][k % 3]));
            CHECK_INT(q[i][2 * k + 1], (int8_t)-q0[i][2 * k + 1]);
        }
    }
}

TEST(local_memory_and_barrier)
{
    int32_t a[256], want[256];
    random_ints(a, 256);
    for (int i = 0; i < 256; i++) want[i] = (int32_t)((uint32_t)a[i / 64 * 64 + 63 - i % 64] * 3u + 1u);
    launch(&memory, "reverse", 4, 64, 1, (struct arg[]){PTR(a)});
    for (int i = 0; i < 256; i++) CHECK_INT(a[i], want[i]);
    CHECK_INT(kernel_of(&memory, "reverse")->local_bytes, 256);
    CHECK_INT(kernel_of(&memory, "reverse")->has_barrier, 1);
    CHECK_INT(kernel_of(&memory, "reverse")->local_size[0], 64);
    CHECK_INT(kernel_of(&memory, "structures")->has_barrier, 0);
}

TEST(local_argument)
{
    enum { L = 40, ROUNDS = 5 };
    int32_t a[3 * L], want[3 * L];
    random_ints(a, 3 * L);
    for (int i = 0; i < 3 * L; i++) {
        want[i] = a[i / L * L + (i % L + ROUNDS) % L];
        for (int k = 0; k < ROUNDS; k++) want[i] = (int32_t)((uint32_t)want[i] + (uint32_t)k);
    }
    launch(&memory, "local_argument", 3, L, 3, (struct arg[]){PTR(a), LOCAL(L * 4), INT(ROUNDS)});
    for (int i = 0; i < 3 * L; i++) CHECK_INT(a[i], want[i]);
}

TEST(atomics)
{
    int32_t a[N], h[10] = {0}, h0[10] = {0};
    uint32_t m[8] = {0, 0x7fffffffu, 0, 0, 0, 0, 0, 0}, m0[8] = {0, 0x7fffffffu, 0, 0, 0, 0, 0, 0};
    random_ints(a, N);
    launch(&memory, "atomics", 4, 50, 3, (struct arg[]){PTR(a), PTR(h), PTR(m)});
    for (int i = 0; i < N; i++) {
        uint32_t x = (uint32_t)a[i];
        h0[x & 7] = (int32_t)((uint32_t)h0[x & 7] + x);
        h0[8] += (int)(x & 1);
        if (x > m0[0]) m0[0] = x;
        if (a[i] < (int32_t)m0[1]) m0[1] = x;
        m0[2] |= 1u << (x & 31);
        m0[3] ^= x;
    }
    for (int i = 0; i < 9; i++) CHECK_INT(h[i], h0[i]);
    CHECK_INT(h[9], 4);
    for (int i = 0; i < 4; i++) CHECK_INT(m[i], m0[i]);
    for (int i = 4; i < 8; i++) CHECK_MSG(m[i] != 0 && (m[i] - 1) % 4 == (uint32_t)i - 4, "m[%d] = %u", i, m[i]);
}

TEST(narrow_types_with_a_tail)
{
    uint8_t a[N], c[N + 50];
    uint16_t s[N + 50];
    uint64_t w[N];
    for (int i = 0; i < N; i++) {
        a[i] = (uint8_t)test_random();
        w[i] = test_random();
    }
    memset(c, 0x77, sizeof c);
    memset(s, 0x77, sizeof s);
    launch(&memory, "bytes", 5, 50, 5, (struct arg[]){PTR(a), PTR(c), PTR(w), PTR(s), INT(N)});
    for (int i = 0; i < N + 50; i++) {
        CHECK_INT(c[i], i < N ? (uint8_t)(a[N - 1 - i] + 1) : 0x77);
        CHECK_INT(s[i], i < N ? (uint16_t)((uint16_t)(w[i] >> 17) ^ a[i]) : 0x7777);
    }
}

/* ---- arith.cl */

#define INTEGER_TEST(NAME, T, W, BITS, IS_SIGNED, LOW, HIGH)                                                           \
    TEST(integers_##NAME)                                                                                              \
    {                                                                                                                  \
        static T a[N], b[N], c[N * 12];                                                                                \
        for (int i = 0; i < N; i++) {                                                                                  \
            a[i] = (T)(test_random() >> test_random() % 64);                                                           \
            b[i] = (T)(test_random() >> test_random() % 64);                                                           \
        }                                                                                                              \
        a[0] = (T)LOW, b[0] = (T)-1;                                                                                   \
        launch(&arith, "int_" #NAME, 4, 50, 3, (struct arg[]){PTR(a), PTR(b), PTR(c)});                                \
        for (int i = 0; i < N; i++) {                                                                                  \
            const T x = a[i], y = b[i], odd = (T)(y | 1), *r = c + i * 12;                                             \
            const uint64_t ux = (uint64_t)x & (~0ull >> (64 - BITS)), uy = (uint64_t)y & (~0ull >> (64 - BITS));       \
            const W low = (W)LOW, sum = (W)x + (W)y, product = (W)x * (W)y, high = product >> BITS;                    \
            const int n = (int)(uy & (BITS - 1)), wraps = IS_SIGNED && odd == (T)-1;                                   \
            CHECK_INT(r[0], (T)sum);                                                                                   \
            CHECK_INT(r[1], (T)product);                                                                               \
            CHECK_INT(r[2], wraps ? (T)(0 - (W)x) : (T)(x / odd));                                                     \
            CHECK_INT(r[3], wraps ? 0 : (T)(x % odd));                                                                 \
            CHECK_INT(r[4], (T)(x >> n));                                                                              \
            CHECK_INT(r[5], (T)(ux << n));                                                                             \
            CHECK_INT(r[6], x < y ? x : y);                                                                            \
            CHECK_INT(r[7], sum<low ? (T)LOW : sum>(W) HIGH ? (T)HIGH : (T)sum);                                       \
            CHECK_INT(r[8], (T)high);                                                                                  \
            CHECK_INT(r[9], (T)(n ? ux << n | ux >> (BITS - n) : ux));                                                 \
            CHECK_INT(r[10], (T)(__builtin_popcountll(ux) + (uy ? __builtin_clzll(uy) - (64 - BITS) : BITS)));         \
            CHECK_INT(r[11], (T)((T)(high + (W)x) ^ (T)(sum >> 1)));                                                   \
        }                                                                                                              \
    }
typedef int i128 __attribute__((mode(TI))); /* of 16 bytes */
typedef unsigned u128 __attribute__((mode(TI)));
INTEGER_TEST(i8, int8_t, int64_t, 8, 1, INT8_MIN, INT8_MAX)
INTEGER_TEST(u8, uint8_t, int64_t, 8, 0, 0, UINT8_MAX)
INTEGER_TEST(i16, int16_t, int64_t, 16, 1, INT16_MIN, INT16_MAX)
INTEGER_TEST(u16, uint16_t, int64_t, 16, 0, 0, UINT16_MAX)
INTEGER_TEST(i32, int32_t, int64_t, 32, 1, INT32_MIN, INT32_MAX)
INTEGER_TEST(u32, uint32_t, i128, 32, 0, 0, UINT32_MAX)
INTEGER_TEST(i64, int64_t, i128, 64, 1, INT64_MIN, INT64_MAX)
INTEGER_TEST(u64, uint64_t, u128, 64, 0, 0, UINT64_MAX)

TEST(division_never_traps)
{
    int32_t a[16] = {INT32_MIN, INT32_MIN, 5, -5, 0, 7, -7, 1, INT32_MAX, 9}, c[32];
    int32_t b[16] = {-1, 0, 0, 0, 0, -1, 2, 3, -1, -4};
    for (int i = 10; i < 16; i++) a[i] = b[i] = 1;
    launch(&arith, "divide", 1, 16, 3, (struct arg[]){PTR(a), PTR(b), PTR(c)});
    for (int i = 0; i < 16; i++) {
        if (b[i] == 0 || b[i] == -1) continue;
        CHECK_INT(c[2 * i], a[i] / b[i]);
        CHECK_INT(c[2 * i + 1], a[i] % b[i]);
    }
    CHECK_INT(c[0], INT32_MIN);
    CHECK_INT(c[1], 0);
    CHECK_INT(c[10], -7);
}

TEST(conversions_saturate)
{
    float a[16] = {0.5f, -0.5f, 1e10f, -1e10f, NAN, INFINITY, -INFINITY, 255.9f, 256, -1, 2147483520.0f, 3, 4, 5, 6, 7},
          f[16];
    double d[16] = {0.5, -0.5, 1e30, -1e30, NAN, INFINITY, -INFINITY, 9.2e18, 9.3e18, -1, 1e15, 3, 4, 5, 6, 7};
    int32_t c[16];
    int64_t l[16];
    uint8_t b[16];
    launch(&arith, "convert", 1, 16, 6, (struct arg[]){PTR(a), PTR(d), PTR(c), PTR(l), PTR(b), PTR(f)});
    for (int i = 0; i < 16; i++) {
        double x = isnan(a[i]) ? 0 : trunc((double)a[i]), y = isnan(d[i]) ? 0 : trunc(d[i]);
        CHECK_INT(c[i], x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : (int32_t)x);
        CHECK_INT(b[i], x < 0 ? 0 : x > 255 ? 255 : (int)x);
        int64_t want = y < -9.2233720368547758e18 ? INT64_MIN : y >= 9.2233720368547758e18 ? INT64_MAX : (int64_t)y;
        CHECK_INT(l[i], want);
        float sum = (float)d[i] + (float)(uint64_t)want;
        CHECK_MSG(f[i] == sum || (isnan(f[i]) && isnan(sum)), "f[%d] = %g, want %g", i, f[i], sum);
    }
}

/* Within `ulps` units in the last place of f32. */
static bool near(double got, double want, double ulps)
{
    if (isnan(want)) return isnan(got);
    if (isinf(want) || fabs(want) > 3.4028235e38) return isinf(got) && signbit(got) == signbit(want);
    int e;
    frexp(want, &e);
    return fabs(got - want) <= ulps * ldexp(1, e - 24 < -149 ? -149 : e - 24);
}

TEST(reals)
{
    static float a[N], b[N], c[N * 8];
    for (int i = 0; i < N; i++) {
        a[i] = (float)(test_normal() * 3);
        b[i] = (float)test_normal();
    }
    a[0] = NAN, b[1] = INFINITY, a[2] = -0.0f, b[3] = 1e-40f, b[4] = NAN;
    launch(&arith, "reals", 4, 50, 3, (struct arg[]){PTR(a), PTR(b), PTR(c)});
    for (int i = 0; i < N; i++) {
        double x = a[i], y = b[i], want[8];
        int e;
        want[0] = x / y;
        want[1] = fmin(x, y) - fmax(x, 0.5);
        want[2] = fma(x, y, 1.0);
        want[3] = sqrt(fabs(x));
        want[4] = exp(x) + log(fabs(y) + (double)1e-3f);
        want[5] = isnan(x) ? 1 : isinf(y) ? 2 : x < y ? 3 : 4;
        want[6] = fmod(x, y);
        want[7] = frexp(x, &e);
        want[7] = want[7] * (isnan(x) ? 0 : e) + y * y * y;
        for (int k = 0; k < 8; k++) {
            /* exp and log are within 3 ULP, and a sum of them may cancel, as may that of frexp and pown */
            double slack = k == 4   ? 1e-6 * (exp(x) + fabs(log(fabs(y) + 1e-3)))
                           : k == 7 ? 1e-6 * (fabs(y * y * y) + fabs(x) + 4)
                                    : 0;
            bool close =
                slack > 0 ? fabs((double)c[i * 8 + k] - want[k]) <= slack : near((double)c[i * 8 + k], want[k], 2.5);
            CHECK_MSG(close || (double)c[i * 8 + k] == want[k] || (isnan(want[k]) && isnan(c[i * 8 + k])),
                      "%d.%d: (%g, %g) -> %g, want %g", i, k, x, y, (double)c[i * 8 + k], want[k]);
        }
    }
}

TEST(doubles)
{
    double a[N], b[N], c[N];
    for (int i = 0; i < N; i++) {
        a[i] = test_normal() * 2;
        b[i] = test_normal() * 2;
    }
    launch(&arith, "doubles", 4, 50, 3, (struct arg[]){PTR(a), PTR(b), PTR(c)});
    for (int i = 0; i < N; i++) {
        double want = a[i] > b[i] ? sin(a[i]) / b[i] : pow(fabs(a[i]), b[i]);
        CHECK_MSG(fabs(c[i] - want) <= 1e-15 * fabs(want), "c[%d] = %.17g, want %.17g", i, c[i], want);
    }
}

/* ---- groups.cl */

enum { G = 96 };

TEST(subgroup_operations)
{
    int32_t a[G], c[G * 20];
    random_ints(a, G);
    launch(&groups, "subgroup", 2, 48, 2, (struct arg[]){PTR(a), PTR(c)});
    for (int i = 0; i < G; i++) {
        const int32_t *s = a + i / 16 * 16, *r = c + i * 20;
        int l = i % 16, least = INT32_MAX, before = INT32_MIN, high = 0, odd = 0, twos = 0;
        uint32_t sum = 0, upto = 0, four = 0;
        float most = -INFINITY;
        for (int k = 0; k < 16; k++) {
            sum += (uint32_t)s[k];
            if (k <= l) upto += (uint32_t)s[k];
            if (k / 4 == l / 4) four += (uint32_t)s[k];
            if (s[k] < least) least = s[k];
            if (k < l && s[k] > before) before = s[k];
            if (s[k] > 2000000000) high = 1;
            if (s[k] & 1) odd |= 1 << k;
            if (k < l && s[k] & 2) twos++;
            if ((float)s[k] > most) most = (float)s[k];
        }
        CHECK_INT(r[0], s[5]);
        CHECK_INT(r[1], (int32_t)sum);
        CHECK_INT(r[2], least);
        CHECK_INT(r[3], (int32_t)upto);
        CHECK_INT(r[4], before);
        CHECK_INT(r[5], (least > -2000000000) + 2 * high);
        CHECK_INT(r[6], s[(l * 7) & 15]);
        CHECK_INT(r[7], s[l ^ 6]);
        CHECK_INT(r[8], l >= 3 ? s[l - 3] : 0);
        CHECK_INT(r[9], s[l < 11 ? l + 5 : l]);
        CHECK_INT(r[10], s[15 - l]);
        CHECK_INT(r[11], l + 4 < 16 ? s[l + 4] : (int32_t)((uint32_t)s[l - 12] + 1));
        CHECK_INT(r[12], l >= 3 ? s[l - 3] : (int32_t)((uint32_t)s[l + 13] + 2));
        CHECK_INT(r[13], (int32_t)four);
        CHECK_INT(r[14], odd);
        CHECK_INT(r[15], l == 0);
        CHECK_INT(r[16], twos);
        CHECK_INT(r[17], 0xa5c3 >> l & 1);
        CHECK_INT(r[18], 2);
        CHECK_INT(r[19], (int32_t)(most * 0.5f));
    }
}

TEST(subgroup_operations_under_a_mask)
{
    int32_t a[G], c[G * 8];
    random_ints(a, G);
    memset(c, 0x11, sizeof c);
    launch(&groups, "divergent", 2, 48, 2, (struct arg[]){PTR(a), PTR(c)});
    for (int i = 0; i < G; i++) {
        const int32_t *s = a + i / 16 * 16, *r = c + i * 8;
        int l = i % 16, first = -1, ballot = 0, most = INT32_MIN;
        uint32_t sum = 0, upto = 0;
        if (!(a[i] & 1)) {
            for (int k = 0; k < 8; k++) CHECK_INT(r[k], 0x11111111);
            continue;
        }
        for (int k = 0; k < 16; k++) {
            if (!(s[k] & 1)) continue;
            if (first < 0) first = k;
            sum += (uint32_t)s[k];
            if (k <= l) upto += (uint32_t)s[k];
            if (s[k] & 4) ballot |= 1 << k;
            if (k / 8 == l / 8 && s[k] > most) most = s[k];
        }
        CHECK_INT(r[0], (int32_t)sum);
        CHECK_INT(r[1], (int32_t)upto);
        CHECK_INT(r[2], (int32_t)(upto - (uint32_t)a[i]));
        CHECK_INT(r[3], ballot);
        CHECK_INT(r[4], l == first);
        CHECK_INT(r[5], s[first]);
        CHECK_INT(r[6], first);
        CHECK_INT(r[7], most);
    }
}

TEST(work_group_operations)
{
    enum { L = 45, A = 4 * L };
    int32_t a[A], c[A * 8];
    float f[A], g[A];
    for (int i = 0; i < A; i++) {
        a[i] = (int32_t)(test_random() % 2000) - 150;
        f[i] = (float)(test_random() % 64);
    }
    launch(&groups, "work_group", 4, L, 4, (struct arg[]){PTR(a), PTR(c), PTR(f), PTR(g)});
    for (int i = 0; i < A; i++) {
        const int32_t *s = a + i / L * L, *r = c + i * 8;
        int sum = 0, upto = 0, most = INT32_MIN, least = INT32_MAX, before = INT32_MAX;
        float total = 0;
        for (int k = 0; k < L; k++) {
            sum += s[k];
            total += f[i / L * L + k];
            if (k <= i % L) upto += s[k];
            if (s[k] > most) most = s[k];
            if (s[k] < least) least = s[k];
            if (k < i % L && s[k] < before) before = s[k];
        }
        CHECK_INT(r[0], sum);
        CHECK_INT(r[1], upto);
        CHECK_INT(r[2], upto - a[i]);
        CHECK_INT(r[3], most);
        CHECK_INT(r[4], s[37]);
        CHECK_INT(r[5], (least > -100) + 2);
        CHECK_INT(r[6], before);
        CHECK_INT(r[7], least);
        CHECK(g[i] == total); /* small integers: any order gives the same */
    }
}

TEST(block_reads_and_writes)
{
    uint32_t a[5 * 32], c[5 * 16 + 8];
    for (int i = 0; i < 5 * 32; i++) a[i] = (uint32_t)test_random();
    for (int i = 0; i < 5 * 16 + 8; i++) c[i] = 7;
    launch(&groups, "blocks", 1, 40, 2, (struct arg[]){PTR(a), PTR(c)});
    for (int i = 0; i < 5 * 16; i++) CHECK_INT(c[i], a[i / 16 * 32 + i % 16] + 3u * a[i / 16 * 32 + 16 + i % 16]);
    for (int i = 5 * 16; i < 5 * 16 + 8; i++) CHECK_INT(c[i], 7);
}

TEST(subgroups_of_32)
{
    int32_t a[128], c[256];
    random_ints(a, 128);
    launch(&groups, "wide", 2, 64, 2, (struct arg[]){PTR(a), PTR(c)});
    for (int i = 0; i < 128; i++) {
        uint32_t upto = 0, odd = 0;
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
            if (k <= i) upto += (uint32_t)a[k];
            if (a[k] & 1) odd += (uint32_t)a[k];
        }
        CHECK_INT(c[2 * i], (int32_t)upto);
        CHECK_INT(c[2 * i + 1], a[i] & 1 ? (int32_t)odd : i % 32);
    }
}

TEST(asynchronous_copies)
{
    enum { L = 24, A = 3 * L };
    int32_t a[A], c[A];
    for (int i = 0; i < A; i++) a[i] = (int32_t)(test_random() % 1000000);
    launch(&groups, "copies", 3, L, 3, (struct arg[]){PTR(a), PTR(c), LOCAL(L * 4)});
    for (int i = 0; i < A; i++) CHECK_INT(c[i], 2 * a[i / L * L + L - 1 - i % L]);
}

/* ---- storage.cl */

TEST(structures_by_value_are_each_lanes_own)
{
    struct {
        int a, b;
        float f[3];
    } given = {5, 6, {1, 2, 3}};
    int32_t r[64];
    for (int i = 0; i < 64; i++) r[i] = -1;
    launch(&storage, "structures", 2, 32, 3, (struct arg[]){{sizeof given, {.p = &given}}, PTR(r), INT(60)});
    for (int i = 0; i < 64; i++) {
        float v[3] = {1, 2, 3};
        v[i & 1] = (float)i;
        v[i % 3] += 2;
        int want = i >= 60 ? -1 : 5 + i + 1000 * (i % 3 == 0 ? i : 6) + (int)v[0] + 7 * (int)v[1] + 11 * (int)v[2];
        CHECK_MSG(r[i] == want, "r[%d] = %d, want %d", i, r[i], want);
    }
}

TEST(generic_pointers_know_where_they_point)
{
    enum { GLOBAL = 1 | 16, LOCAL_ = 2 | 8, PRIVATE = 4 };
    const int kinds[4] = {GLOBAL, LOCAL_, LOCAL_, PRIVATE};
    int32_t r[64];
    launch(&storage, "generic_pointers", 4, 16, 2, (struct arg[]){PTR(r), LOCAL(64)});
    for (int i = 0; i < 64; i++) {
        int want = kinds[i % 4] + 100 * GLOBAL + 10000 * LOCAL_ + 1000000 * PRIVATE;
        CHECK_MSG(r[i] == want, "r[%d] = %d, want %d", i, r[i], want);
    }
}

static void forget(struct program *p)
{
    jit_unload(&p->object);
    sp_text_free(&p->text);
    p->tried = false;
}

/* A block where masked paths meet, in which indices of all lanes may wrap as they are widened. It then runs under its
 * mask, once, even if it is divided. */
TEST(a_join_runs_once)
{
    enum { COUNTS = 64 };
    static struct program p = {.name = "joined"};
    struct kernel k;
    begin_module(&k);
    begin_kernel(&k, "joined");
    spe_id old = k.v, wide = spe_int(&k.m, 64), more;
    spe_if(&k.m, spe_ugt(&k.m, old, number(&k, 0)));
    spe_if(&k.m, spe_ugt(&k.m, old, number(&k, 1)));
    more = spe_iadd(&k.m, old, number(&k, 5));
    spe_endif_from(&k.m, 1, &more, &old, &k.v);
    spe_id counter = spe_index(&k.m, k.x, spe_iadd(&k.m, k.item, number(&k, COUNTS)));
    spe_store(&k.m, counter, spe_iadd(&k.m, spe_load(&k.m, counter, 0), number(&k, 1)), 0);
    spe_id item = spe_uconvert(&k.m, k.type, k.item), at = spe_uconvert(&k.m, wide, spe_iadd(&k.m, item, k.n));
    spe_id high = spe_shr(&k.m, spe_imul(&k.m, at, spe_u64(&k.m, 3)), spe_u64(&k.m, 32));
    k.v = more = spe_iadd(&k.m, k.v, spe_uconvert(&k.m, k.type, high));
    spe_endif_from(&k.m, 1, &more, &old, &k.v);
    spe_words w = finish(&k);
    build_words(&p, w.data, w.count);
    spe_free(&k.m);
    for (int round = 0; round < 3; round++) {
        uint32_t x[COUNTS + 16] = {0}, n = round ? 0u - 8u * (uint32_t)round : 0;
        for (uint32_t i = 0; i < 16; i++) x[i] = i + 2;
        launch(&p, "joined", 1, 16, 2, (struct arg[]){PTR(x), INT(n)});
        for (uint32_t i = 0; i < 16; i++) {
            CHECK_INT(x[i], i + 7 + (uint32_t)((uint64_t)(i + n) * 3 >> 32));
            CHECK_INT(x[COUNTS + i], 1);
        }
    }
    forget(&p);
}

static void run_all(void)
{
    RUN(vector_add_with_a_tail);
    RUN(phis_that_swap);
    RUN(divergent_while);
    RUN(values_leave_a_loop_when_their_lane_does);
    RUN(a_join_runs_once);
    RUN(nested_loops_with_break_continue_goto);
    RUN(switches_uniform_and_divergent);
    RUN(early_returns);
    RUN(calls_under_a_mask);
    RUN(work_item_ids);
    RUN(private_arrays);
    RUN(structures);
    RUN(vectors);
    RUN(local_memory_and_barrier);
    RUN(local_argument);
    RUN(atomics);
    RUN(narrow_types_with_a_tail);
    RUN(integers_i8);
    RUN(integers_u8);
    RUN(integers_i16);
    RUN(integers_u16);
    RUN(integers_i32);
    RUN(integers_u32);
    RUN(integers_i64);
    RUN(integers_u64);
    RUN(division_never_traps);
    RUN(conversions_saturate);
    RUN(reals);
    RUN(doubles);
    RUN(subgroup_operations);
    RUN(subgroup_operations_under_a_mask);
    RUN(work_group_operations);
    RUN(block_reads_and_writes);
    RUN(subgroups_of_32);
    RUN(asynchronous_copies);
    RUN(structures_by_value_are_each_lanes_own);
    RUN(generic_pointers_know_where_they_point);
    forget(&flow);
    forget(&memory);
    forget(&arith);
    forget(&groups);
}

int main(void)
{
    run_all();
    piece_bytes = 200;
    quick = !test_thorough(); /* in the sample both at once */
    run_all();
    piece_bytes = 0;
    if (!quick) quick = true, run_all();
    sched_shutdown();
    return test_report();
}
