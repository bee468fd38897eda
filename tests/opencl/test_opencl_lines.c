/* test_opencl_lines.c - indices that increase by a constant step from work-item to work-item: wrapping, decreasing,
 * strided, merged after branches and loops; and values that live across barriers. Work-groups of many shapes, with full
 * rows of subgroups, with partial rows and without. Exact.
 */
#include "opencl.h"

static const uint32_t shapes[][4] = {/* local size, groups */
                                     {64, 1, 5, 1}, {16, 16, 3, 2}, {8, 8, 4, 3},   {20, 1, 7, 2}, {5, 3, 6, 5},
                                     {32, 4, 2, 2}, {1, 1, 9, 2},   {100, 1, 2, 3}, {48, 2, 1, 3}};
enum { SHAPES = sizeof shapes / sizeof *shapes, MOST = 4096, MORE = 64 };

static zed_module module;
static int32_t *x, *y, want[3 * MOST];
static uint32_t width, height, items; /* of the launch */

/* Sets up the launch; all shapes fit. */
static bool shape(size_t s)
{
    width = shapes[s][0] * shapes[s][2];
    height = shapes[s][1] * shapes[s][3];
    items = width * height;
    for (int i = 0; i < 3 * MOST; i++) y[i] = want[i] = -77;
    for (int i = 0; i < 2 * MOST + MORE; i++) x[i] = (int32_t)(test_random() % 100001) - 50000;
    CHECK(items <= MOST);
    return items <= MOST;
}

#define LAUNCH(s, name, params, ...)                                                                                   \
    OCL_RUN3(&module, name, params, ((zed_groups){shapes[s][2], shapes[s][3], 1}), shapes[s][0], shapes[s][1], 1,      \
             __VA_ARGS__)
#define EACH_SHAPE(s) for (size_t s = 0; s < SHAPES && shape(s); s++)

TEST(narrow_indices)
{
    EACH_SHAPE(s) {
        LAUNCH(s, "unsigned_index", "ptr<i32> x, ptr<i32> y, u32 n", x, y, items);
        for (uint32_t i = 0; i < items; i++) want[i] = i >= 7 ? x[i - 7] : -1;
        OCL_SAME("unsigned_index", int32_t, y, want, 3 * MOST);
        LAUNCH(s, "signed_index", "ptr<i32> x, ptr<i32> y, u32 n", x, y, MOST);
        for (uint32_t i = 0; i < items; i++) {
            int at = (int)(i % width) - 9;
            want[i] = (at < 0 ? x[MOST + at] : x[at] + at) + (int16_t)(i % width + 32760) * 2 +
                      (uint8_t)(i % width * 3 + 250);
        }
        OCL_SAME("signed_index", int32_t, y, want, 3 * MOST);
    }
}

TEST(steps)
{
    uint16_t *narrow = (uint16_t *)ocl_buffer(MOST * 2);
    double *wide = (double *)ocl_buffer(MOST * 16);
    EACH_SHAPE(s) {
        LAUNCH(s, "backwards", "ptr<i32> x, ptr<i32> y, u32 n", x, y, items);
        for (uint32_t i = 0; i < items; i++) want[items - 1 - i] = x[i] * 3 + x[items - 1 - i];
        OCL_SAME("backwards", int32_t, y, want, 3 * MOST);
        LAUNCH(s, "spaced", "ptr<i32> x, ptr<i32> y, ptr<u16> narrow, ptr<f64> wide", x, y, narrow, wide);
        for (uint32_t i = 0; i < items; i++) {
            int16_t half[2];
            memcpy(half, &x[i / 2], 4);
            want[3 * i] = x[2 * i | 1];
            want[3 * i + 1] = x[2 * i] - 4;
            want[3 * i + 2] = (int32_t)((uint32_t)x[i] >> 24) + half[i % 2];
            CHECK_INT(narrow[i], (uint16_t)(x[i] >> 3));
            CHECK(wide[2 * i + 1] == x[i] * 0.5 && wide[2 * i] == i);
        }
        OCL_SAME("spaced", int32_t, y, want, 3 * MOST);
        LAUNCH(s, "far_apart", "ptr<i32> x, ptr<i32> y, u32 n", x, y, MOST - 3);
        for (int i = 0; i < MOST - 3; i++) want[i] = x[i] + i;
        OCL_SAME("far_apart", int32_t, y, want, 3 * MOST);
    }
    ocl_free(narrow);
    ocl_free(wide);
}

TEST(branches_and_loops)
{
    EACH_SHAPE(s) {
        LAUNCH(s, "joined", "ptr<i32> x, ptr<i32> y", x, y);
        for (uint32_t i = 0; i < items; i++) {
            uint32_t c = i % width;
            if (x[i] & 1) want[i] = x[i] * 2 + (int32_t)(i / width) + (c > 3 ? x[i - 1] : 0);
            else want[i] = c + 1 < width ? x[i + 1] - 5 : (int32_t)c;
        }
        OCL_SAME("joined", int32_t, y, want, 3 * MOST);
        LAUNCH(s, "turns", "ptr<i32> x, ptr<i32> y", x, y);
        for (uint32_t i = 0; i < items; i++) {
            int n = x[i] & 7;
            want[i] = n * 1000 + x[i + (uint32_t)n];
            for (int k = n; k > 0; k--) want[i] += x[i + (uint32_t)(n - k)] * k;
        }
        OCL_SAME("turns", int32_t, y, want, 3 * MOST);
    }
}

/* One work-group of `exchange`; the items' places in the launch are at[]. */
static void exchange_reference(const uint32_t *at, uint32_t all, uint32_t rounds, int64_t *result)
{
    static int32_t v[1024], part[1024], seen[1024], four[1024][4];
    static int64_t sum[1024];
    for (uint32_t l = 0; l < all; l++) {
        v[l] = x[at[l]];
        seen[l] = 1;
        sum[l] = 0;
        for (int k = 0; k < 4; k++) four[l][k] = v[l] + k;
    }
    for (uint32_t k = 0; k < rounds; k++) {
        for (uint32_t l = 0; l < all; l++) part[l] = v[l] + (int32_t)k;
        for (uint32_t l = 0; l < all; l++) {
            if (l > k) v[l] += part[l - k - 1];
            if (part[(l + 1) % all] & 1) sum[l] += part[all - 1 - l];
            seen[l] += v[l];
            four[l][0] += v[l];
            four[l][1] += 1;
            four[l][2] += (int32_t)l;
            four[l][3] += (int32_t)k;
        }
    }
    for (uint32_t l = 0; l < all; l++)
        result[at[l]] = sum[l] + v[l] + x[at[l]] + seen[l] * INT64_C(3) + 2 + four[l][0] + four[l][1] * INT64_C(5) +
                        four[l][2] * INT64_C(7) + four[l][3];
}

/* The work-items of a group, in the order of their local ids. */
static uint32_t group_items(size_t s, uint32_t g, uint32_t *at)
{
    uint32_t n = 0, gx = g % shapes[s][2] * shapes[s][0], gy = g / shapes[s][2] * shapes[s][1];
    for (uint32_t b = 0; b < shapes[s][1]; b++)
        for (uint32_t a = 0; a < shapes[s][0]; a++) at[n++] = (gy + b) * width + gx + a;
    return n;
}

TEST(across_barriers)
{
    static int64_t expected[MOST];
    int64_t *r = (int64_t *)ocl_buffer(MOST * 8);
    uint32_t at[1024];
    EACH_SHAPE(s) {
        for (int i = 0; i < MOST; i++) r[i] = expected[i] = -5;
        for (int i = 0; i < MOST; i++) x[i] %= 1000;
        LAUNCH(s, "exchange", "ptr<i32> x, ptr<i64> y, u32 rounds", x, r, 6);
        for (uint32_t g = 0; g < shapes[s][2] * shapes[s][3]; g++)
            exchange_reference(at, group_items(s, g, at), 6, expected);
        OCL_SAME("exchange", int64_t, r, expected, MOST);
    }
    ocl_free(r);
}

/* The result of one work-group's atomics, in any order. */
static void check_atomics(const uint32_t *at, uint32_t all, const int32_t *out)
{
    int32_t t[8] = {(int32_t)all, 0, 0, 0, -1, 0, 0, 0};
    static bool seen[1024];
    memset(seen, 0, sizeof seen);
    for (uint32_t l = 0; l < all; l++) {
        int32_t v = x[at[l]], before = y[at[l]];
        CHECK(before >= 0 && before < (int32_t)all && !seen[before]);
        if (before >= 0 && before < (int32_t)all) seen[before] = true;
        t[1] -= v;
        if (v < t[2]) t[2] = v;
        if ((uint32_t)v > (uint32_t)t[3]) t[3] = v;
        t[4] &= v;
        t[5] |= v;
        if (v & 1) t[6] ^= v;
    }
    for (uint32_t k = 0; k < 7 && k < all; k++) CHECK_INT(out[k], t[k]);
    if (all >= 8) CHECK(out[7] >= 1 && out[7] <= (int32_t)all);
}

TEST(atomics_on_local_memory)
{
    int32_t *out = (int32_t *)ocl_buffer(MOST * 8);
    uint32_t at[1024];
    EACH_SHAPE(s) {
        if (shapes[s][0] * shapes[s][1] < 8) continue; /* the items that clear the counters do not exist */
        LAUNCH(s, "local_atomics", "ptr<i32> x, ptr<i32> y, ptr<i32> out", x, y, out);
        for (uint32_t g = 0; g < shapes[s][2] * shapes[s][3]; g++)
            check_atomics(at, group_items(s, g, at), out + 8 * g);
    }
    ocl_free(out);
}

int main(void)
{
    if (!ocl_open() || !ocl_load(&module, "lines")) return 1;
    x = (int32_t *)ocl_buffer(4 * (2 * MOST + MORE));
    y = (int32_t *)ocl_buffer(4 * 3 * MOST);
    memset(x, 0, 4 * (2 * MOST + MORE));
    RUN(narrow_indices);
    RUN(steps);
    RUN(branches_and_loops);
    RUN(across_barriers);
    RUN(atomics_on_local_memory);
    ocl_free(x);
    ocl_free(y);
    zed_close(&ocl_device);
    return test_report();
}
