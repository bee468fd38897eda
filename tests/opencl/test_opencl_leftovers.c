/* test_opencl_leftovers.c - the rest of OpenCL.std: common minimum and maximum of every float type, division and powers
 * of low precision, NaNs with payloads, upsampling, aligned stores of halves, prefetch, bit counts, fused products of
 * halves, work-items with much private memory.
 *
 * Exact, except half_ and native_ functions: within 8192 ULP, the bound of half_divide and half_powr.
 */
#include "opencl.h"
#include "spirv_emit.h"

#include <float.h>

enum { LOCAL = 30, N = 90 };
static zed_module module;

static double value(int i) { return ((double)(int)(test_random() % 256) - 128) / (1 + i % 7 * 8); }

/* x and y of item i; their maximum and minimum, vectors among them: see COMMON in leftovers.cl. */
static void want_common(double x, double y, double *want)
{
    double more = x < y ? y : x, less = y < x ? y : x;
    want[0] = want[2] = want[3] = more;
    want[1] = want[6] = less;
    want[4] = x > 1 ? x : 1;
    want[5] = y > -1 ? y : -1;
    want[7] = y;
    want[8] = y < 1 ? y : 1;
}

#define COMMON(T, name, text, TO, FROM)                                                                                \
    TEST(common_##name)                                                                                                \
    {                                                                                                                  \
        T *a = (T *)ocl_buffer(N * sizeof *a), *b = (T *)ocl_buffer(N * sizeof *b),                                    \
          *r = (T *)ocl_buffer(9 * N * sizeof *r);                                                                     \
        for (int i = 0; i < N; i++) a[i] = TO(value(i)), b[i] = i % 9 ? TO(value(i + 3)) : a[i];                       \
        OCL_RUN(&module, "common_" #name, "ptr<" text "> a, ptr<" text "> b, ptr<" text "> r", N / LOCAL, LOCAL, a, b, \
                r);                                                                                                    \
        for (int i = 0; i < N; i++) {                                                                                  \
            double want[9];                                                                                            \
            want_common((double)FROM(a[i]), (double)FROM(b[i]), want);                                                 \
            for (int k = 0; k < 9; k++)                                                                                \
                CHECK_MSG((double)FROM(r[k * N + i]) == want[k], "plane %d of item %d: %g, want %g", k, i,             \
                          (double)FROM(r[k * N + i]), want[k]);                                                        \
        }                                                                                                              \
        ocl_free(a);                                                                                                   \
        ocl_free(b);                                                                                                   \
        ocl_free(r);                                                                                                   \
    }
#define HALF(v) spe_f32_to_f16_bits((float)(v))
#define FLOAT(v) ((float)(v))
#define SAME(v) (v)
COMMON(uint16_t, half, "f16", HALF, spe_f16_bits_to_f32)
COMMON(float, float, "f32", FLOAT, SAME)
COMMON(double, double, "f64", SAME, SAME)

TEST(low_precision)
{
    float *a = (float *)ocl_buffer(N * 4), *b = (float *)ocl_buffer(N * 4), *r = (float *)ocl_buffer(8 * N * 4);
    for (int i = 0; i < N; i++) {
        a[i] = (float)test_normal() * 4;
        b[i] = (float)test_normal() * 3;
    }
    OCL_RUN(&module, "low_precision", "ptr<f32> a, ptr<f32> b, ptr<f32> r", N / LOCAL, LOCAL, a, b, r);
    for (int i = 0; i < N; i++) {
        double x = fabs((double)a[i]), y = b[i], p = pow(x, y), q = pow(2, y);
        const double want[8] = {x / y, x / y, p, p, p, q, x / y, y / x};
        for (int k = 0; k < 8; k++)
            CHECK_MSG(fabs((double)r[k * N + i] - want[k]) <= 8192 * FLT_EPSILON * fabs(want[k]),
                      "plane %d of item %d: %.9g, want %.9g", k, i, (double)r[k * N + i], want[k]);
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(r);
}

TEST(nans)
{
    uint32_t *code = (uint32_t *)ocl_buffer(N * 4);
    float *f = (float *)ocl_buffer(2 * N * 4);
    double *d = (double *)ocl_buffer(N * 8);
    uint16_t *h = (uint16_t *)ocl_buffer(N * 2);
    ocl_fill_bits(code, 32, N);
    memset(f, 0, 2 * N * 4); /* the poison is not NaN either; zeros are clearer */
    OCL_RUN(&module, "nans", "ptr<u32> code, ptr<f32> f, ptr<f64> d, ptr<f16> h", N / LOCAL, LOCAL, code, f, d, h);
    for (int i = 0; i < N; i++) {
        CHECK(isnan(f[i]) && isnan(f[N + i]) && isnan(d[i]));
        CHECK_MSG((h[i] & 0x7c00) == 0x7c00 && (h[i] & 0x200), "nan((ushort)%u) is %04x, not a quiet NaN", code[i],
                  h[i]);
    }
    ocl_free(code);
    ocl_free(f);
    ocl_free(d);
    ocl_free(h);
}

TEST(upsampled)
{
    int32_t *a = (int32_t *)ocl_buffer(N * 4);
    uint32_t *b = (uint32_t *)ocl_buffer(N * 4);
    int64_t *r = (int64_t *)ocl_buffer(6 * N * 8);
    ocl_fill_bits(a, 32, N);
    ocl_fill_bits(b, 32, N);
    OCL_RUN(&module, "upsampled", "ptr<i32> a, ptr<u32> b, ptr<i64> r", N / LOCAL, LOCAL, a, b, r);
    for (int i = 0; i < N; i++) {
        int16_t bytes = (int16_t)((uint16_t)((uint8_t)a[i] << 8) | (uint8_t)b[i]);
        const int64_t want[6] = {bytes,
                                 (int32_t)((uint32_t)a[i] << 16 | (uint16_t)b[i]),
                                 (int64_t)((uint64_t)(uint32_t)a[i] << 32 | b[i]),
                                 bytes,
                                 1 << 8 | 255,
                                 -128 * 256 + 7};
        for (int k = 0; k < 6; k++) CHECK_INT(r[k * N + i], want[k]);
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(r);
}

TEST(aligned_halves)
{
    static const int size[5] = {2, 3, 4, 8, 16};
    float *a = (float *)ocl_buffer(N * 4);
    uint16_t *r[5];
    for (int s = 0; s < 5; s++) r[s] = (uint16_t *)ocl_buffer(N * 2 * 16);
    for (int i = 0; i < N; i++) a[i] = (float)test_normal() * 100;
    OCL_RUN(&module, "aligned_halves", "ptr<f32> a, ptr<f16> r2, ptr<f16> r3, ptr<f16> r4, ptr<f16> r8, ptr<f16> r16",
            N / LOCAL, LOCAL, a, r[0], r[1], r[2], r[3], r[4]);
    for (int s = 0; s < 5; s++) {
        int apart = size[s] == 3 ? 4 : size[s];
        for (int k = 0; k < apart * N; k++) {
            uint16_t want = spe_f32_to_f16_bits(a[k / apart] * (float)(k % apart + 1));
            CHECK_INT(r[s][k], k % apart < size[s] ? want : 0xa5a5);
        }
        ocl_free(r[s]);
    }
    ocl_free(a);
}

static int ones(uint32_t v)
{
    int n = 0;
    for (; v; v &= v - 1) n++;
    return n;
}

static uint32_t bits_of(float v)
{
    uint32_t u;
    memcpy(&u, &v, 4);
    return u;
}

TEST(in_assembly)
{
    uint32_t *a = (uint32_t *)ocl_buffer(N * 8), *b = (uint32_t *)ocl_buffer(N * 8),
             *r = (uint32_t *)ocl_buffer(N * 40);
    zed_module extended;
    for (int i = 0; i < 2 * N; i++) {
        a[i] = bits_of((float)test_normal());
        b[i] = bits_of((float)test_normal());
    }
    if (ocl_load(&extended, "extended"))
        OCL_RUN(&extended, "extended", "ptr<u32> a, ptr<u32> b, ptr<u32> r", N / LOCAL, LOCAL, a, b, r);
    for (int i = 0; i < 2 * N; i++) {
        float x, y;
        uint32_t *at = r + i / 2 * 10 + i % 2, byte = a[i] & 255, lead = 8, trail = 8;
        memcpy(&x, &a[i], 4);
        memcpy(&y, &b[i], 4);
        for (uint32_t k = 0; k < 8; k++)
            lead = byte >> k & 1 ? 7 - k : lead, trail = byte >> (7 - k) & 1 ? 7 - k : trail;
        CHECK_INT(at[0], bits_of(x < y ? y : x));
        CHECK_INT(at[2], bits_of(y < x ? y : x));
        CHECK_INT(at[4], ones(a[i]));
        CHECK_INT(at[6], (a[i] & 0xffff) << 16 | (b[i] & 0xffff));
        CHECK_INT(at[8], (uint32_t)ones(byte) + lead + trail);
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(r);
}

/* v to the nearest half: its distance to the candidates is exact. */
static uint16_t nearest_half(double v)
{
    uint16_t guess = spe_f32_to_f16_bits((float)v), best = guess;
    for (int step = -1; step <= 1; step++) {
        uint16_t other = (uint16_t)(guess + step);
        double was = fabs((double)spe_f16_bits_to_f32(best) - v), is = fabs((double)spe_f16_bits_to_f32(other) - v);
        if (is < was || (is == was && !(other & 1))) best = other;
    }
    return best;
}

/* Sums rounded once: every other one lies next to the middle between two halves, where a sum of 24 bits lies on it. */
TEST(fused_halves)
{
    uint16_t *p[3], *r = (uint16_t *)ocl_buffer(2 * N * 2);
    for (int k = 0; k < 3; k++) p[k] = (uint16_t *)ocl_buffer(N * 2);
    for (int i = 0; i < N; i++) {
        const float sign = i & 4 ? -1 : 1, c = (float)(1024 + (int)(test_random() % 1000));
        const float near[3] = {1 + 0x1p-10f, (i & 2 ? 0.5f : -0.5f) * (1 - 0x1p-10f), sign * c};
        for (int k = 0; k < 3; k++) p[k][i] = spe_f32_to_f16_bits(i & 1 ? (float)test_normal() * 8 : near[k]);
    }
    OCL_RUN(&module, "fused_halves", "ptr<f16> a, ptr<f16> b, ptr<f16> c, ptr<f16> r", N / LOCAL, LOCAL, p[0], p[1],
            p[2], r);
    for (int i = 0; i < N; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = (double)spe_f16_bits_to_f32(p[k][i]);
        CHECK_INT(r[i], nearest_half(x[0] * x[1] + x[2])); /* exact in f64 for these */
        CHECK_INT(r[N + i], r[0]);
    }
    for (int k = 0; k < 3; k++) ocl_free(p[k]);
    ocl_free(r);
}

TEST(much_memory)
{
    uint32_t *r = (uint32_t *)ocl_buffer(80 * 4), own[15000];
    for (uint32_t local = 20; local <= 40; local += 20) {
        memset(r, 0xa5, 80 * 4);
        OCL_RUN(&module, "much_memory", "ptr<u32> r", 80 / local, local, r);
        for (uint32_t i = 0; i < 80; i++) {
            uint32_t want = 0;
            for (uint32_t k = 0; k < 15000; k++) own[(k * 7 + i) % 15000] = k ^ i;
            for (uint32_t k = 0; k < 15000; k++) want = want * 31 + own[k];
            CHECK_INT(r[i], want);
        }
    }
    ocl_free(r);
}

int main(void)
{
    if (!ocl_open()) return 1;
    if (ocl_load(&module, "leftovers")) {
        RUN(common_half);
        RUN(common_float);
        RUN(common_double);
        RUN(low_precision);
        RUN(nans);
        RUN(upsampled);
        RUN(aligned_halves);
        RUN(fused_halves);
        RUN(much_memory);
    }
    RUN(in_assembly);
    zed_close(&ocl_device);
    return test_report();
}
