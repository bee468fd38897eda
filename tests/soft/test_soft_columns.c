/* test_soft_columns.c - products whose B has its columns contiguous in memory, in f16 and bf16: of one and two rows,
 * which read B where it is, and of more, which transpose it. And the same as rows of weights that are converted, which
 * reads them where they are, multiplied with a row, and summed. Matrices end within blocks in each dimension; B may be
 * overwritten between its load and the product or conversion, and after the conversion. Loops of K carry the sums,
 * which such products of few rows keep apart by lanes: loops that follow each other (XT_FOR's own), loops in loops, and
 * ones that use the sums themselves. Every element against sums in f64.
 */
#include "xetile.h"
#include "test.h"
#include "ze_dispatch.h"

enum { STEP = 32, SUBGROUPS = 4, WIDTH = 16 * SUBGROUPS, MAX = 160 };
static int rows;       /* of a product */
static int overwrite; /* B: 1: after it is loaded, 2: after it is converted */
/* What a kernel computes: W X; twice that, in a loop in a loop; the sum of all sums that its loop has had. */
static enum { PLAIN, TWICE, PREFIXES } sums_of;
static zed_device device;

/* Over the same columns, each as a row: a 2D block message, in the block of the loads and the products. */
static void write_ones(XT_CONTEXT, bool half, xt_val W, xt_val column, xt_val k, xt_val N, xt_val K)
{
    const xt_map map = XT_MAP(.sg_layout = {SUBGROUPS, 1}, .sg_data = {16, STEP});
    if (half)
        XT_STORE_TILE(XT_SPLAT(f16, WIDTH, STEP, 1, .map = map),
                      XT_INIT_TILE(W, f16, WIDTH, STEP, .offset = XT_AT(column, k), .shape = XT_AT(N, K), .map = map));
    else
        XT_STORE_TILE(XT_SPLAT(bf16, WIDTH, STEP, 1, .map = map),
                      XT_INIT_TILE(W, bf16, WIDTH, STEP, .offset = XT_AT(column, k), .shape = XT_AT(N, K), .map = map));
}

/* Along K, from the beginning: to the sums, and these to the total. */
static void add_products(XT_CONTEXT, bool half, xt_tile x, xt_tile w, xt_vec *sums, xt_vec *total, xt_val W,
                         xt_val column, xt_val N, xt_val K)
{
    XT_FOR (k, 0, K, STEP, &x, &w, sums, total) {
        xt_vec a = XT_LOAD_TILE(x), b = XT_LOAD_TILE(w);
        if (overwrite) write_ones(XT_SELF, half, W, column, k, N, K);
        *sums = XT_TILE_MMA(a, b, *sums);
        if (sums_of == PREFIXES) *total = XT_ADD(*total, *sums);
        x = XT_UPDATE_TILE_OFFSET(x, 0, STEP);
        w = XT_UPDATE_TILE_OFFSET(w, STEP, 0);
    }
}

static void multiply(XT_CONTEXT, int type, xt_val X, xt_val W, xt_val Y, xt_val M, xt_val N, xt_val K)
{
    const xt_map map = XT_MAP(.sg_layout = {1, SUBGROUPS}, .sg_data = {rows, 16});
    const xt_map map_x = xt_map_mma_a(&map, STEP), map_w = xt_map_mma_b(&map, STEP);
    xt_val row = XT_MUL(XT_GROUP_ID(1), rows), column = XT_MUL(XT_GROUP_ID(0), WIDTH);
    const bool half = type == XT_TYPE_f16;
    xt_tile x = half ? XT_INIT_TILE(X, f16, rows, STEP, .offset = XT_AT(row, 0), .shape = XT_AT(M, K), .map = map_x)
                     : XT_INIT_TILE(X, bf16, rows, STEP, .offset = XT_AT(row, 0), .shape = XT_AT(M, K), .map = map_x);
    xt_tile w = half ? XT_INIT_TILE(W, f16, STEP, WIDTH, .offset = XT_AT(0, column), .shape = XT_AT(K, N),
                                    .strides = XT_AT(1, K), .order = {0, 1}, .map = map_w)
                     : XT_INIT_TILE(W, bf16, STEP, WIDTH, .offset = XT_AT(0, column), .shape = XT_AT(K, N),
                                    .strides = XT_AT(1, K), .order = {0, 1}, .map = map_w);
    xt_tile y = XT_INIT_TILE(Y, f32, rows, WIDTH, .offset = XT_AT(row, column), .shape = XT_AT(M, N), .map = map);
    xt_vec sums = XT_SPLAT(f32, rows, WIDTH, 0, .map = map), total = XT_SPLAT(f32, rows, WIDTH, 0, .map = map);
    if (sums_of == TWICE) {
        XT_FOR (turn, 0, 2, 1, &sums, &total) add_products(XT_SELF, half, x, w, &sums, &total, W, column, N, K);
    } else {
        add_products(XT_SELF, half, x, w, &sums, &total, W, column, N, K);
    }
    XT_STORE_TILE(sums_of == PREFIXES ? total : sums, y);
}
XT_KERNEL (of_f16, ptr(f16, X), ptr(f16, W), ptr(f32, Y), u32(M), u32(N), u32(K))
{
    multiply(XT_SELF, XT_TYPE_f16, X, W, Y, M, N, K);
}
XT_KERNEL (of_bf16, ptr(bf16, X), ptr(bf16, W), ptr(f32, Y), u32(M), u32(N), u32(K))
{
    multiply(XT_SELF, XT_TYPE_bf16, X, W, Y, M, N, K);
}

/* Y = W X' for one row X. */
static void sum_rows(XT_CONTEXT, int type, xt_val X, xt_val W, xt_val Y, xt_val N, xt_val K)
{
    const xt_map map = XT_MAP(.sg_layout = {SUBGROUPS, 1}, .sg_data = {16, STEP});
    const xt_map map_x = XT_MAP(.sg_layout = {SUBGROUPS, 1}, .sg_data = {1, STEP});
    const xt_map map_y = XT_MAP(.sg_layout = {SUBGROUPS, 1}, .sg_data = {16, 1});
    xt_val first = XT_MUL(XT_GROUP_ID(0), WIDTH);
    const bool half = type == XT_TYPE_f16;
    xt_tile x = half ? XT_INIT_TILE(X, f16, 1, STEP, .shape = XT_AT(1, K), .map = map_x)
                     : XT_INIT_TILE(X, bf16, 1, STEP, .shape = XT_AT(1, K), .map = map_x);
    xt_tile w =
        half ? XT_INIT_TILE(W, f16, WIDTH, STEP, .offset = XT_AT(first, 0), .shape = XT_AT(N, K), .map = map)
             : XT_INIT_TILE(W, bf16, WIDTH, STEP, .offset = XT_AT(first, 0), .shape = XT_AT(N, K), .map = map);
    xt_tile y = XT_INIT_TILE(Y, f32, WIDTH, 1, .offset = XT_AT(first, 0), .shape = XT_AT(N, 1), .map = map_y);
    xt_vec sums = XT_SPLAT(f32, WIDTH, STEP, 0, .map = map);
    XT_FOR (k, 0, K, STEP, &x, &w, &sums) {
        xt_vec row = XT_CAST(f32, XT_LOAD_TILE(x)), bits = XT_LOAD_TILE(w);
        if (overwrite == 1) write_ones(XT_SELF, half, W, first, k, N, K);
        xt_vec weights = XT_CAST(f32, bits);
        if (overwrite == 2) write_ones(XT_SELF, half, W, first, k, N, K);
        sums = XT_FMA(weights, row, sums);
        x = XT_UPDATE_TILE_OFFSET(x, 0, STEP);
        w = XT_UPDATE_TILE_OFFSET(w, 0, STEP);
    }
    XT_STORE_TILE(XT_REDUCTION(add, sums, 1), y);
}
XT_KERNEL (rows_of_f16, ptr(f16, X), ptr(f16, W), ptr(f32, Y), u32(M), u32(N), u32(K))
{
    (void)M, sum_rows(XT_SELF, XT_TYPE_f16, X, W, Y, N, K);
}
XT_KERNEL (rows_of_bf16, ptr(bf16, X), ptr(bf16, W), ptr(f32, Y), u32(M), u32(N), u32(K))
{
    (void)M, sum_rows(XT_SELF, XT_TYPE_bf16, X, W, Y, N, K);
}

static uint16_t x[MAX * MAX], w[MAX * MAX];
static double x_value[MAX * MAX], w_value[MAX * MAX];

static void fill(uint16_t *bits, double *value, bool half)
{
    for (int i = 0; i < MAX * MAX; i++) {
        float f = (float)test_normal();
        bits[i] = half ? spe_f32_to_f16_bits(f) : spe_f32_to_bf16_bits(f);
        value[i] = (double)(half ? spe_f16_bits_to_f32(bits[i]) : spe_bf16_bits_to_f32(bits[i]));
    }
}

static void check(const char *type, const float *y, int m, int n, int k)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double want = 0, size = 0;
            for (int c = 0; c < k; c++) {
                const int times = sums_of == PLAIN ? 1 : sums_of == TWICE ? 2 : (k + STEP - 1) / STEP - c / STEP;
                want += times * (x_value[i * k + c] * w_value[j * k + c]);
                size += times * fabs(x_value[i * k + c] * w_value[j * k + c]);
            }
            /* k roundings of f32 sums (or 2 k, or k and those of the total), each at most half a unit of the sum of
             * magnitudes */
            CHECK_MSG(fabs((double)y[i * n + j] - want) <= (sums_of == PLAIN ? k : 2 * k) * 0x1p-24 * size,
                      "%s, %d rows, %d x %d x %d, overwrite %d, sums %d: (%d, %d) is %g, want %g", type, rows, m, n, k,
                      overwrite, sums_of, i, j, (double)y[i * n + j], want);
        }
    CHECK_MSG(isnan(y[m * n]), "%s, %d rows: stored past the end", type, rows);
}

static void run(zed_kernel *kernel, bool half, int m, int n, int k)
{
    uint16_t *a = (uint16_t *)zed_alloc(&device, ZED_SHARED, (size_t)(m * k) * 2, 0);
    uint16_t *b = (uint16_t *)zed_alloc(&device, ZED_SHARED, (size_t)(n * k) * 2, 0);
    float *y = (float *)zed_alloc(&device, ZED_SHARED, (size_t)(m * n + 1) * 4, 0);
    fill(x, x_value, half);
    fill(w, w_value, half);
    if (y) {
        memcpy(a, x, (size_t)(m * k) * 2);
        memcpy(b, w, (size_t)(n * k) * 2);
        for (int i = 0; i <= m * n; i++) y[i] = NAN;
        zed_groups groups = {(uint32_t)((n + WIDTH - 1) / WIDTH), (uint32_t)((m + rows - 1) / rows), 1};
        if (zed_launch(kernel, groups, a, b, y, m, n, k)) check(half ? "f16" : "bf16", y, m, n, k);
    }
    zed_free(&device, a);
    zed_free(&device, b);
    zed_free(&device, y);
}

enum { SHAPES = 5 };
/* Of the last, K is in turns of 4 steps. */
static const int shapes[SHAPES][2] = {{64, 96}, {75, 74}, {130, 100}, {16, 33}, {40, 293}};
static void each_type(bool as_rows)
{
    const xt_target target = {ZED_TARGET(&device)};
    for (int half = 0; half < 2; half++) {
        zed_kernel kernel;
        xt_module mod = as_rows ? half ? XT_BUILD(rows_of_f16, &target) : XT_BUILD(rows_of_bf16, &target)
                        : half  ? XT_BUILD(of_f16, &target)
                                : XT_BUILD(of_bf16, &target);
        CHECK_MSG(mod.words, "%s", mod.error->text);
        bool loaded = mod.words && ZED_LOAD(&kernel, &device, mod);
        for (int s = 0; loaded && s < SHAPES; s++) /* overwritten: each element once, so by one row of work-groups */
            run(&kernel, half, overwrite || as_rows ? rows : rows + rows / 2 + 1, shapes[s][0], shapes[s][1]);
        CHECK_MSG(zed_get_error(&device)->id == 0, "%s %s", zed_get_error(&device)->text, zed_build_log(&device));
        zed_clear_error(&device);
        xt_free(&mod);
    }
}

TEST(few_rows_and_many)
{
    for (rows = 1; rows <= 16; rows *= rows == 2 ? 4 : 2) each_type(false);
}

TEST(sums_that_are_carried_otherwise)
{
    rows = 1;
    sums_of = TWICE;
    each_type(false);
    rows = 2;
    sums_of = PREFIXES;
    each_type(false);
    sums_of = PLAIN;
}

TEST(columns_that_are_overwritten)
{
    overwrite = 1;
    for (rows = 1; rows <= 8; rows *= 8) each_type(false);
    overwrite = 0;
}

TEST(rows_that_are_converted)
{
    rows = 1;
    for (overwrite = 0; overwrite < 3; overwrite++) each_type(true);
    overwrite = 0;
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(few_rows_and_many);
    RUN(sums_that_are_carried_otherwise);
    RUN(columns_that_are_overwritten);
    RUN(rows_that_are_converted);
    zed_close(&device);
    return test_report();
}
