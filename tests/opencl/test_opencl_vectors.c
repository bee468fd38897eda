/* test_opencl_vectors.c - vector components, shuffles, relational and geometric functions, loads and stores of vectors
 * and halves. Exact, except the geometric functions, which are compared with long double within the full profile's
 * bounds (dot: 2n - 1 roundings; cross: 3; length, distance: 3 + n/2; normalize: 2 + n; the fast_ forms 8192 ULP).
 */
#include "opencl.h"

#include <float.h>

enum { ITEMS = 45 };
static zed_module module;

static int32_t *random_ints(size_t count, int range)
{
    int32_t *p = (int32_t *)ocl_buffer(count * 4);
    for (size_t i = 0; i < count; i++)
        p[i] = range ? (int32_t)(test_random() % (uint64_t)range) : (int32_t)test_random();
    return p;
}

TEST(components)
{
    for (int k = 0; k < 8; k++) {
        int32_t *a = random_ints(8 * ITEMS, 0), *out = (int32_t *)ocl_buffer(16 * ITEMS * 4);
        OCL_RUN(&module, "components", "ptr<i32> a, ptr<i32> out, i32 k", 1, ITEMS, a, out, k);
        for (int i = 0; i < ITEMS; i++) {
            const int32_t *v = a + 8 * i, *r = out + 16 * i;
            int32_t w[4] = {v[7], v[5], v[2], v[3]};
            w[0] = v[0], w[2] = v[2];
            for (int c = 0; c < 8; c++) CHECK_INT(r[c], v[7 - c]);
            for (int c = 0; c < 4; c++) CHECK_INT(r[8 + c], w[3 - c]);
            w[v[1] & 3] = 77;
            w[k & 3] += 5;
            CHECK_INT(r[12], v[k]);
            CHECK_INT(r[13], v[v[0] & 7]);
            CHECK_INT(r[14], (int32_t)((uint32_t)w[0] + (uint32_t)w[1] * 3));
            CHECK_INT(r[15], (int32_t)((uint32_t)w[2] * 5 + (uint32_t)w[3] * 7));
        }
        ocl_free(a);
        ocl_free(out);
    }
}

TEST(shuffles)
{
    int32_t *a = random_ints(4 * (ITEMS + 1), 0), *m = random_ints(8 * ITEMS, 0),
            *out = (int32_t *)ocl_buffer(12 * ITEMS * 4);
    int16_t *s = (int16_t *)ocl_buffer(16 * (ITEMS + 2) * 2), *outs = (int16_t *)ocl_buffer(18 * ITEMS * 2);
    for (int i = 0; i < 16 * (ITEMS + 2); i++) s[i] = (int16_t)test_random();
    OCL_RUN(&module, "shuffles", "ptr<i32> a, ptr<u32> m, ptr<i32> out, ptr<i16> s, ptr<i16> outs", 1, ITEMS, a,
            (uint32_t *)m, out, s, outs);
    for (int i = 0; i < ITEMS; i++) {
        static const int fixed[8] = {0, 1, 2, 3, 3, 2, 1, 0};
        for (int c = 0; c < 4; c++) CHECK_INT(out[4 * i + c], a[4 * i + (m[4 * i + c] & 3)]);
        for (int c = 0; c < 8; c++) CHECK_INT(out[4 * ITEMS + 8 * i + c], a[4 * i + (m[8 * i + c] & 7)]);
        CHECK_INT(outs[2 * i], s[16 * i + (m[i] & 15)]);
        CHECK_INT(outs[2 * i + 1], s[16 * i + 3]);
        for (int c = 0; c < 16; c++) {
            int from = c < 8 ? fixed[c] : c < 12 ? m[i] & 3 : 2;
            CHECK_INT(outs[2 * ITEMS + 16 * i + c], from < 2 ? s[2 * i + from] : s[2 * (i + 2) + from - 2]);
        }
    }
    ocl_free(a);
    ocl_free(m);
    ocl_free(out);
    ocl_free(s);
    ocl_free(outs);
}

/* ---- relations: bytes 2, 4 or 8 an element */

static double half_value(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double v = e == 31 ? (m ? (double)NAN : (double)INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return h & 0x8000 ? -v : v;
}

static double real_at(const void *p, size_t i, int bytes)
{
    return bytes == 2   ? half_value(((const uint16_t *)p)[i])
           : bytes == 4 ? (double)((const float *)p)[i]
                        : ((const double *)p)[i];
}

static void fill_reals(void *p, size_t count, int bytes)
{
    static const uint16_t halves[] = {0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 1, 0x8001, 0x7bff, 0x3555};
    static const double values[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0, 0, 1e30, 0.25};
    for (size_t i = 0; i < count; i++) {
        size_t k = test_random() % 11;
        double tiny = bytes == 4 ? 1e-40 : 1e-310, v = k == 7 ? tiny : k == 8 ? -tiny : values[k];
        if (bytes == 2) ((uint16_t *)p)[i] = halves[k];
        if (bytes == 4) ((float *)p)[i] = (float)v;
        if (bytes == 8) ((double *)p)[i] = v;
    }
}

static void relations(const char *type, int bytes, const char *params)
{
    size_t size = (size_t)bytes;
    void *a = ocl_buffer(2 * ITEMS * size), *b = ocl_buffer(2 * ITEMS * size), *mask = ocl_buffer(20 * ITEMS * size);
    int32_t *out = (int32_t *)ocl_buffer(ITEMS * 4);
    double least = bytes == 2 ? 0x1p-14 : bytes == 4 ? (double)FLT_MIN : DBL_MIN;
    char kernel[32];
    snprintf(kernel, sizeof kernel, "relations_%s", type);
    fill_reals(a, 2 * ITEMS, bytes);
    fill_reals(b, 2 * ITEMS, bytes);
    OCL_RUN(&module, kernel, params, 1, ITEMS, a, b, out, mask);
    for (size_t i = 0; i < 2 * ITEMS; i++) {
        double x = real_at(a, i, bytes), y = real_at(b, i, bytes);
        bool normal = x - x == 0 && fabs(x) >= least, ordered = x == x && y == y;
        if (i < ITEMS) {
            int want = (x == y) | (x != y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x < y) << 4 | (x <= y) << 5 |
                       (x < y || x > y) << 6 | (x - x == 0) << 7 | (x == x && x - x != 0) << 8 | (x != x) << 9 |
                       normal << 10 | ordered << 11 | !ordered << 12 | (signbit(x) != 0) << 13 | (x == y) << 14 |
                       (x != y) << 15 | (x < y) << 16 | (x <= y) << 17 | (x > y) << 18 | (x >= y) << 19 |
                       (x == 0) << 20 | (x != 0 && y != 0) << 21 | !(x < y) << 22 | !(x >= y) << 23;
            CHECK_MSG(out[i] == want, "%s(%g, %g) gives %06x, want %06x", kernel, x, y, (unsigned)out[i],
                      (unsigned)want);
        }
        const bool answers[10] = {x == y, x != y,          x < y,   x >= y, x != x,
                                  normal, signbit(x) != 0, ordered, x == 0, x < y || x > y};
        for (size_t k = 0; k < 10; k++) {
            int64_t got = 0;
            memcpy(&got, (char *)mask + (k * 2 * ITEMS + i) * size, size);
            got = (int64_t)((uint64_t)got << (64 - 8 * bytes)) >> (64 - 8 * bytes);
            CHECK_MSG(got == -(int64_t)answers[k], "%s of vectors, answer %zu of (%g, %g) is %lld", kernel, k, x, y,
                      (long long)got);
        }
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(mask);
    ocl_free(out);
}

TEST(relations_of_floats) { relations("float", 4, "ptr<f32> a, ptr<f32> b, ptr<i32> out, ptr<i32> mask"); }
TEST(relations_of_doubles) { relations("double", 8, "ptr<f64> a, ptr<f64> b, ptr<i32> out, ptr<i64> mask"); }
TEST(relations_of_halves) { relations("half", 2, "ptr<f16> a, ptr<f16> b, ptr<i32> out, ptr<i16> mask"); }

TEST(choices)
{
    int32_t *a = random_ints(4 * ITEMS, 0), *b = random_ints(4 * ITEMS, 0), *c = random_ints(4 * ITEMS, 0),
            *out = (int32_t *)ocl_buffer(16 * ITEMS * 4);
    for (int i = 0; i < 4 * ITEMS; i += 3) a[i] = c[i] = i & 4 ? 0x7f80ff01 : 1;
    OCL_RUN(&module, "choices", "ptr<i32> a, ptr<i32> b, ptr<i32> c, ptr<i32> out", 1, ITEMS, a, b, c, out);
    for (int i = 0; i < ITEMS; i++) {
        const int32_t *x = a + 4 * i, *y = b + 4 * i, *z = c + 4 * i, *r = out + 16 * i;
        int any = 0, all = 1, more = 0, bytes = 1;
        for (int k = 0; k < 4; k++) {
            CHECK_INT(r[k], z[k] < 0 ? y[k] : x[k]);
            CHECK_INT(r[4 + k], (x[k] & ~z[k]) | (y[k] & z[k]));
            CHECK_INT(r[8 + k], z[k] < 0 ? y[k] : x[k]);
            any |= x[k] < 0;
            all &= x[k] < 0;
            more |= x[k] > y[k];
            bytes &= (uint32_t)x[0] >> (8 * k + 7) & 1;
        }
        CHECK_INT(r[12], any | all << 1 | more << 2 | bytes << 3);
        CHECK_INT(r[13], z[0] ? y[0] : x[0]);
        CHECK_INT(r[14], (x[1] & ~z[1]) | (y[1] & z[1]));
        CHECK_INT(r[15], (int32_t)((uint32_t)(x[0] > y[0] ? z[3] : x[3]) + (x[0] < y[0] && z[0] > 0 ? ~0u : 0u)));
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(c);
    ocl_free(out);
}

/* ---- geometry */

#define NEAR(what, got, want, bound)                                                                                   \
    CHECK_MSG(fabsl((long double)(got) - (want)) <= (bound), "%s is %.17Lg, want %.17Lg", what, (long double)(got),    \
              (long double)(want))

static void geometry(const char *kernel, const char *params, int bytes)
{
    size_t size = (size_t)bytes;
    void *a = ocl_buffer(4 * ITEMS * size), *b = ocl_buffer(4 * ITEMS * size), *out = ocl_buffer(16 * ITEMS * size);
    long double unit = bytes == 4 ? FLT_EPSILON : DBL_EPSILON;
    for (int i = 0; i < 4 * ITEMS; i++) {
        /* the last ones so large that their squares are not numbers of the type, though their length is */
        double scale = i >= 4 * ITEMS - 8 ? (bytes == 4 ? 1e25 : 1e250) : 1, x = test_normal() * scale,
               y = test_normal() * scale;
        if (bytes == 4) ((float *)a)[i] = (float)x, ((float *)b)[i] = (float)y;
        else ((double *)a)[i] = x, ((double *)b)[i] = y;
    }
    OCL_RUN(&module, kernel, params, 1, ITEMS, a, b, out);
    for (int i = 0; i < ITEMS; i++) {
        long double x[4], y[4], r[16], dot = 0, dot2, terms = 0, length = 0, distance = 0;
        for (size_t k = 0; k < 4; k++)
            x[k] = real_at(a, 4 * (size_t)i + k, bytes), y[k] = real_at(b, 4 * (size_t)i + k, bytes);
        for (size_t k = 0; k < 16; k++) r[k] = real_at(out, 16 * (size_t)i + k, bytes);
        for (int k = 0; k < 4; k++) {
            dot += x[k] * y[k];
            terms += fabsl(x[k] * y[k]);
            length += x[k] * x[k];
            if (k < 3) distance += (x[k] - y[k]) * (x[k] - y[k]);
        }
        length = sqrtl(length), distance = sqrtl(distance);
        dot2 = x[0] * y[0] + x[1] * y[1];
        bool large = i >= ITEMS - 2;
        if (!large) {
            NEAR("dot", r[0], dot, 7 * unit * terms);
            NEAR("dot of two", r[1], dot2, 3 * unit * (fabsl(x[0] * y[0]) + fabsl(x[1] * y[1])));
            for (int k = 0; k < 3; k++) {
                int m = (k + 1) % 3, n = (k + 2) % 3;
                long double want = x[m] * y[n] - x[n] * y[m],
                            bound = 3 * unit * (fabsl(x[m] * y[n]) + fabsl(x[n] * y[m]));
                NEAR("cross", r[8 + k], want, bound);
                NEAR("cross of three", r[12 + k], want, bound);
            }
            CHECK(r[11] == 0);
        }
        NEAR("length", r[2], length, 5 * unit * length);
        NEAR("distance", r[3], distance, 5 * unit * distance);
        for (int k = 0; k < 4; k++) NEAR("normalize", r[4 + k], x[k] / length, 6 * unit);
        NEAR("scalars", r[15], fabsl(x[0]) + fabsl(x[1] - y[1]) + copysignl(1, x[2]),
             8 * unit * (fabsl(x[0]) + fabsl(x[1] - y[1]) + 1));
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(out);
}

TEST(geometry_of_floats) { geometry("geometry_float", "ptr<f32> a, ptr<f32> b, ptr<f32> out", 4); }
TEST(geometry_of_doubles) { geometry("geometry_double", "ptr<f64> a, ptr<f64> b, ptr<f64> out", 8); }

/* No double is as large as the length. */
TEST(normalized_all_the_same)
{
    double *a = (double *)ocl_buffer(4 * ITEMS * 8), *b = (double *)ocl_buffer(4 * ITEMS * 8),
           *out = (double *)ocl_buffer(16 * ITEMS * 8);
    for (int i = 0; i < 4 * ITEMS; i++) {
        a[i] = (test_random() & 1 ? -1e308 : 1e308) * (1 + 0.7 * test_uniform());
        b[i] = test_normal();
    }
    OCL_RUN(&module, "geometry_double", "ptr<f64> a, ptr<f64> b, ptr<f64> out", 1, ITEMS, a, b, out);
    for (int i = 0; i < ITEMS; i++) {
        long double length = 0;
        for (int k = 0; k < 4; k++) length += (long double)a[4 * i + k] * a[4 * i + k];
        length = sqrtl(length);
        CHECK(length > (long double)DBL_MAX);
        for (int k = 0; k < 4; k++) NEAR("normalize", out[16 * i + 4 + k], a[4 * i + k] / length, 6 * DBL_EPSILON);
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(out);
}

TEST(fast_geometry)
{
    float *a = (float *)ocl_buffer(4 * ITEMS * 4), *b = (float *)ocl_buffer(4 * ITEMS * 4),
          *out = (float *)ocl_buffer(8 * ITEMS * 4);
    for (int i = 0; i < 4 * ITEMS; i++) a[i] = (float)test_normal(), b[i] = (float)test_normal();
    OCL_RUN(&module, "fast_geometry", "ptr<f32> a, ptr<f32> b, ptr<f32> out", 1, ITEMS, a, b, out);
    for (int i = 0; i < ITEMS; i++) {
        double length = 0, distance = 0;
        for (int k = 4 * i; k < 4 * i + 4; k++)
            length += (double)a[k] * a[k], distance += ((double)a[k] - b[k]) * ((double)a[k] - b[k]);
        length = sqrt(length), distance = sqrt(distance);
        NEAR("fast_length", out[8 * i], length, 8192 * FLT_EPSILON * length);
        NEAR("fast_distance", out[8 * i + 1], distance, 8192 * FLT_EPSILON * distance);
        for (int k = 0; k < 4; k++)
            NEAR("fast_normalize", out[8 * i + 4 + k], a[4 * i + k] / length, 8192 * FLT_EPSILON);
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(out);
}

/* ---- halves */

TEST(half_loads)
{
    uint16_t *a = (uint16_t *)ocl_buffer(16 * ITEMS * 2);
    float *f = (float *)ocl_buffer(45 * ITEMS * 4);
    for (int i = 0; i < 16 * ITEMS; i++) a[i] = (uint16_t)test_random();
    OCL_RUN(&module, "half_loads", "ptr<f16> a, ptr<f32> f", 1, ITEMS, a, f);
    static const struct {
        int size, from, step;
    } parts[] = {{1, 0, 1}, {2, 1, 2}, {3, 3, 3}, {4, 6, 4}, {8, 10, 8}, {16, 18, 16}, {3, 34, 4}, {8, 37, 8}};
    for (size_t p = 0; p < 8; p++)
        for (int i = 0; i < ITEMS; i++)
            for (int k = 0; k < parts[p].size; k++) {
                float got = f[parts[p].from * ITEMS + parts[p].size * i + k];
                double want = half_value(a[parts[p].step * i + k]);
                CHECK_MSG(want != want ? got != got : got == want && !signbit(got) == !signbit(want),
                          "part %zu element %d.%d: %g, want %g", p, i, k, (double)got, want);
            }
    ocl_free(a);
    ocl_free(f);
}

typedef enum { NEAREST, TO_ZERO, UP, DOWN } rounding;

static bool half_is(uint16_t got, double v, rounding r)
{
    double g = half_value(got), a = fabs(v), step, w;
    int e;
    if (v != v) return g != g;
    if (v - v != 0) return g == v;
    frexp(v, &e);
    e = e - 11 > -24 ? e - 11 : -24;
    step = ldexp(v, -e);
    w = ldexp(r == NEAREST ? rint(step) : r == TO_ZERO ? trunc(step) : r == UP ? ceil(step) : floor(step), e);
    if (a != 0 && fabs(w) > 65504)
        w = (r == TO_ZERO || (r == UP && v < 0) || (r == DOWN && v > 0)) ? copysign(65504, v)
                                                                         : copysign((double)INFINITY, v);
    return g == w && signbit(g) == signbit(v);
}

TEST(half_stores)
{
    enum { COUNT = 32 * ITEMS };
    float *f = (float *)ocl_buffer(16 * ITEMS * 4);
    double *d = (double *)ocl_buffer(ITEMS * 8);
    uint16_t *r = (uint16_t *)ocl_buffer(COUNT * 2);
    static const double special[] = {0.0,   -0.0,     65504, 65519.9, 65520, -1e30, 1e-8, 2.9802322387695312e-8,
                                     -3e-8, INFINITY, NAN,   1e-310};
    for (int i = 0; i < 16 * ITEMS; i++) f[i] = (float)(i < 12 ? special[i] : test_normal() * exp2(test_normal() * 10));
    for (int i = 0; i < ITEMS; i++) d[i] = i < 12 ? special[i] : test_normal() * exp2(test_normal() * 10);
    OCL_RUN(&module, "half_stores", "ptr<f32> f, ptr<f64> d, ptr<f16> r", 1, ITEMS, f, d, r);
    for (int i = 0; i < ITEMS; i++) {
        for (int m = 0; m < 8; m++) {
            double v = m < 4 ? (double)f[i] : d[i];
            CHECK_MSG(half_is(r[m * ITEMS + i], v, (rounding)(m & 3)), "mode %d of %.17g gives %g", m, v,
                      half_value(r[m * ITEMS + i]));
        }
        for (int k = 0; k < 3; k++) {
            CHECK(half_is(r[8 * ITEMS + 3 * i + k], f[3 * i + k], UP));
            CHECK(half_is(r[12 * ITEMS + 4 * i + k], f[3 * i + k], DOWN));
        }
        CHECK_INT(r[12 * ITEMS + 4 * i + 3], 0xa5a5);
        for (int k = 0; k < 16; k++) CHECK(half_is(r[16 * ITEMS + 16 * i + k], f[16 * i + k], NEAREST));
    }
    ocl_free(f);
    ocl_free(d);
    ocl_free(r);
}

TEST(memory)
{
    enum { EVEN = 44 };
    uint16_t *a = (uint16_t *)ocl_buffer(12 * EVEN * 2), *out = (uint16_t *)ocl_buffer(4 * EVEN * 2);
    int64_t *l = (int64_t *)ocl_buffer(4 * EVEN * 8), *lo = (int64_t *)ocl_buffer(4 * EVEN * 8);
    for (int i = 0; i < 12 * EVEN; i++) a[i] = (uint16_t)(test_random() & 0x7fff);
    for (int i = 0; i < 4 * EVEN; i++) l[i] = (int64_t)test_random() >> 8;
    OCL_RUN(&module, "memory", "ptr<u16> a, ptr<u16> out, local<u64> scratch, ptr<i64> l, ptr<i64> lo", 2, EVEN / 2, a,
            out, (zed_local){EVEN / 2 * 32}, l, lo);
    for (int i = 0; i < EVEN; i++) {
        int from = i ^ 1, size = EVEN / 2;
        from = i / size * size + ((i % size) ^ 1);
        for (int k = 0; k < 4; k++) {
            uint16_t p[3];
            for (int n = 0; n < 3; n++) p[n] = n == (a[0] & 1) && k == 1 ? 9 : a[4 * (from * 3 + n) + k];
            CHECK_INT(out[4 * i + k], (uint16_t)(p[from % 3] + p[(from + 1) % 3]));
        }
        for (int k = 0; k < 3; k++) CHECK(lo[4 * i + k] == l[4 * i + k] * 3 + k + 1);
    }
    ocl_free(a);
    ocl_free(out);
    ocl_free(l);
    ocl_free(lo);
}

TEST(module_loads) { ocl_load(&module, "vectors"); }

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(module_loads);
    RUN(components);
    RUN(shuffles);
    RUN(relations_of_floats);
    RUN(relations_of_doubles);
    RUN(relations_of_halves);
    RUN(choices);
    RUN(geometry_of_floats);
    RUN(geometry_of_doubles);
    RUN(normalized_all_the_same);
    RUN(fast_geometry);
    RUN(half_loads);
    RUN(half_stores);
    RUN(memory);
    zed_close(&ocl_device);
    return test_report();
}
