/* test_xetile_operations.c - scatter tiles that move and are modified; what newcomers look for: single numbers, tables,
 * random numbers, scans, argmin and argmax, borders, vectors of one row or column, bases of many dimensions. Every
 * element is compared with a plain C reference, on several lowerings and subgroup sizes. */
#include "xetile_case.h"

/* What a kernel's body reads, which runs on the host. */
static struct {
    chosen type;
    int rows, cols, kind;
    xt_map map;
    bool masked, exclusive;
} now;

#define EVERY_VARIANT(v)                                                                                               \
    for (const variant *v = variants; v < variants + sizeof variants / sizeof variants[0]; v++)                        \
        if (target_has(v))

static const xt_map no_map = {{0, 0}, {0, 0}}, by_4 = {{2, 2}, {4, 16}}, round_robin = {{4, 1}, {1, 32}};

/* ---- scatter tiles ---- */

/* bins[value] += 1, but for the value 7 where masked, from several work-groups; the old values are stored too. */
XT_KERNEL(histogram, ptr(u8, Values), ptr(u8, Keep), u64(Bins), u64(Old), i32(N))
{
    xt_val row = XT_MUL(XT_GROUP_ID(0), 8);
    xt_vec at = XT_CAST(i32, XT_LOAD_TILE(XT_INIT_TILE(Values, u8, 8, 32, .offset = XT_AT(row, 0),
                                                       .shape = XT_AT(N, 32), .map = now.map)));
    xt_vec keep = XT_LOAD_TILE(
        XT_INIT_TILE(Keep, i1, 8, 32, .offset = XT_AT(row, 0), .shape = XT_AT(N, 32), .map = now.map));
    xt_tile bins = XT_INIT_TILE(Bins, of(now.type), 8, 32, .scatter = at, .shape = XT_AT(200));
    xt_vec one = XT_SPLAT(of(now.type), 8, 32, 1, .map = now.map), old;
    if (now.masked)
        old = is_float(now.type.type) ? XT_ATOMIC_RMW(addf, one, bins, keep) : XT_ATOMIC_RMW(addi, one, bins, keep);
    else
        old = is_float(now.type.type) ? XT_ATOMIC_RMW(addf, one, bins) : XT_ATOMIC_RMW(addi, one, bins);
    XT_STORE_TILE(old, XT_INIT_TILE(Old, of(now.type), 8, 32, .offset = XT_AT(row, 0), .shape = XT_AT(N, 32),
                                    .map = now.map));
}

/* Old values of one bin are 0, 1, 2 ... in some order: their sum tells. Values of 200 and more are outside the bins. */
static void check_histogram(const variant *v, int type, xt_map map, bool masked)
{
    enum { N = 24, BINS = 200 };
    uint8_t *values = (uint8_t *)new_poison(CM_U8, N * 32), *keep = (uint8_t *)new_poison(CM_U8, N * 32);
    void *bins = new_poison(type, BINS), *old = new_poison(type, N * 32);
    double count[256] = {0}, sum[256] = {0};
    int wrong = 0;
    now.type.type = type, now.map = map, now.masked = masked;
    for (int i = 0; i < BINS; i++) put(type, bins, (size_t)i, 0);
    for (int i = 0; i < N * 32; i++) {
        values[i] = (uint8_t)(i % 3 ? test_random() : test_random() % 8);
        keep[i] = !masked || values[i] != 7;
    }
    if (RUN_KERNEL(histogram, v, ((zed_groups){N / 8, 1, 1}), ZED_ARG(values), ZED_ARG(keep), ADDRESS(bins),
                   ADDRESS(old), ZED_ARG(N))) {
        for (int i = 0; i < N * 32; i++) {
            bool counts = keep[i] && values[i] < BINS;
            count[values[i]] += counts;
            sum[values[i]] += get(type, old, (size_t)i);
            wrong += !counts && get(type, old, (size_t)i) != 0;
        }
        for (int i = 0; i < BINS; i++)
            wrong += get(type, bins, (size_t)i) != count[i] || sum[i] != count[i] * (count[i] - 1) / 2;
        wrong += count[7] != 0 && masked;
    }
    CHECK_MSG(wrong == 0, "%s %s: %d wrong", v->name, type_name(type), wrong);
    zed_free(&device, values);
    zed_free(&device, keep);
    zed_free(&device, bins);
    zed_free(&device, old);
}

TEST(scatter_tiles_are_modified)
{
    EVERY_VARIANT(v)
    {
        check_histogram(v, CM_I32, no_map, true);
        check_histogram(v, CM_F32, by_4, false);
    }
    check_histogram(&variants[0], CM_U16, by_4, true);
    check_histogram(&variants[0], CM_F16, no_map, true);
    check_histogram(&variants[0], CM_U64, round_robin, true);
}

/* Turn k gathers A[offsets + 3 k + k (k - 1) / 2 steps]: by a number, and by a vector that itself grows. */
XT_KERNEL(walk, ptr(i32, A), ptr(i32, Offsets), ptr(i32, Steps), ptr(i32, C), i32(N))
{
    int rows = now.rows, cols = now.cols;
    xt_vec offsets = XT_LOAD_TILE(XT_INIT_TILE(Offsets, i32, rows, cols, .shape = XT_AT(rows, cols), .map = now.map));
    xt_vec steps = XT_LOAD_TILE(XT_INIT_TILE(Steps, i32, rows, cols, .shape = XT_AT(rows, cols), .map = now.map));
    xt_vec sum = XT_SPLAT(i32, rows, cols, 0, .map = now.map), by = XT_SPLAT(i32, rows, cols, 0, .map = now.map);
    xt_tile t = XT_INIT_TILE(A, i32, rows, cols, .scatter = offsets, .shape = XT_AT(N));
    XT_FOR (k, 0, 4, 1, &t, &by, &sum) {
        sum = XT_ADD(sum, XT_MUL(XT_LOAD_GATHER(t, .padding = 5), XT_ADD(k, 1)));
        t = XT_UPDATE_TILE_OFFSET(t, 3);
        t = XT_UPDATE_TILE_OFFSET(t, by);
        by = XT_ADD(by, steps);
    }
    XT_STORE_TILE(sum, XT_INIT_TILE(C, i32, rows, cols, .shape = XT_AT(rows, cols), .map = now.map));
}

static void check_walk(const variant *v, int rows, int cols, xt_map map)
{
    enum { N = 150 };
    size_t count = (size_t)(rows * cols);
    int32_t *a = (int32_t *)new_matrix(CM_I32, N), *o = (int32_t *)new_poison(CM_I32, count),
            *s = (int32_t *)new_poison(CM_I32, count), *c = (int32_t *)new_poison(CM_I32, count), wrong = 0;
    now.rows = rows, now.cols = cols, now.map = map;
    for (size_t i = 0; i < count; i++) o[i] = (int)(test_random() % (N + 20)) - 10, s[i] = (int)(test_random() % 9) - 4;
    if (RUN_KERNEL(walk, v, ONE_GROUP, ZED_ARG(a), ZED_ARG(o), ZED_ARG(s), ZED_ARG(c), ZED_ARG(N)))
        for (size_t i = 0; i < count; i++) {
            int32_t want = 0, at = o[i];
            for (int k = 0; k < 4; k++) {
                want += (k + 1) * (at >= 0 && at < N ? a[at] : 5);
                at += 3 + k * s[i];
            }
            wrong += c[i] != want;
        }
    CHECK_MSG(wrong == 0, "%s %d x %d: %d wrong", v->name, rows, cols, wrong);
    zed_free(&device, a);
    zed_free(&device, o);
    zed_free(&device, s);
    zed_free(&device, c);
}

TEST(scatter_tiles_move)
{
    EVERY_VARIANT(v)
    {
        check_walk(v, 1, 20, no_map);
        check_walk(v, 8, 32, by_4);
    }
}

int main(void)
{
    if (!zed_open(&device, NULL)) {
        printf("%s\n", zed_get_error(&device)->text);
        return 1;
    }
    RUN(scatter_tiles_are_modified);
    RUN(scatter_tiles_move);
    zed_close(&device);
    return test_report();
}
