/* test_xetile_unroll.c - products of a few matrix instructions in a loop: its body is written for several iterations,
 * which share their loads where the operands lie side by side in memory. Tiles of many shapes, types and orders,
 * numbers of iterations that are no multiple of anything, and edges. */
#include "xetile_case.h"

enum { PITCH = 192, ROWS = 40 }; /* elements, rows of each matrix */

static struct {
    chosen a, b, c;
    int m, n, k, depth; /* sizes of the tiles; of the matrices along k */
    bool a_turned, b_turned, gap; /* by columns; gap: A skips as much as it reads */
} now;

XT_KERNEL(few_products, u64(A), u64(B), u64(C), u32(K))
{
    xt_index a_strides = now.a_turned ? XT_AT(1, PITCH) : XT_AT(PITCH, 1);
    xt_index b_strides = now.b_turned ? XT_AT(1, PITCH) : XT_AT(PITCH, 1);
    xt_tile a = XT_INIT_TILE(A, of(now.a), now.m, now.k, .shape = XT_AT(ROWS - 3, K), .strides = a_strides,
                             .order = {!now.a_turned, now.a_turned});
    xt_tile b = XT_INIT_TILE(B, of(now.b), now.k, now.n, .shape = XT_AT(K, ROWS - 4), .strides = b_strides,
                             .order = {!now.b_turned, now.b_turned});
    xt_vec sum = XT_SPLAT(of(now.c), now.m, now.n, 0);
    XT_FOR (k, 0, K, now.k, &a, &b, &sum) {
        sum = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), sum);
        a = XT_UPDATE_TILE_OFFSET(a, 0, now.gap ? 2 * now.k : now.k);
        b = XT_UPDATE_TILE_OFFSET(b, now.k, 0);
    }
    XT_STORE_TILE(sum, XT_INIT_TILE(C, of(now.c), now.m, now.n, .shape = XT_AT(now.m, now.n)));
}

/* Element (row, k) of a matrix by rows, or by columns; 0 outside. */
static double element(int type, const void *base, int row, int k, int rows, bool turned)
{
    if (row >= rows || k >= now.depth) return 0;
    return get(type, base, (size_t)(turned ? k * PITCH + row : row * PITCH + k));
}

/* Sums may be off by a rounding of f32 for each product, of the sum of magnitudes; of integers they are exact. */
static void check(const char *name)
{
    void *a = new_matrix(now.a.type, PITCH * PITCH), *b = new_matrix(now.b.type, PITCH * PITCH);
    void *c = new_poison(now.c.type, (size_t)(now.m * now.n));
    int wrong = 0;
    bool ran = RUN_KERNEL(few_products, &variants[0], ((zed_groups){1, 1, 1}), ADDRESS(a), ADDRESS(b), ADDRESS(c),
                          ZED_ARG(now.depth));
    for (int i = 0; ran && i < now.m * now.n; i++) {
        double want = 0, most = 0;
        for (int j = 0; j < now.depth; j++) {
            int skipped = now.gap ? j / now.k * now.k : 0;
            double one = element(now.a.type, a, i / now.n, j + skipped, ROWS - 3, now.a_turned) *
                         element(now.b.type, b, i % now.n, j, ROWS - 4, !now.b_turned);
            want += one, most += fabs(one);
        }
        double error = is_float(now.c.type) ? most * now.depth * 0x1p-24 : 0;
        wrong += !(fabs(get(now.c.type, c, (size_t)i) - want) <= error);
    }
    CHECK_MSG(wrong == 0, "%s %dx%dx%d to %d: %d wrong", name, now.m, now.n, now.k, now.depth, wrong);
    zed_free(&device, c);
    zed_free(&device, a), zed_free(&device, b);
}

static const int sizes[][3] = {{8, 16, 16}, {16, 32, 16}, {8, 32, 32}, {16, 16, 8}, {32, 16, 16}, {1, 16, 16}};

static void each_size(const char *name, int a, int b, int c)
{
    now.a.type = a, now.b.type = b, now.c.type = c;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        now.m = sizes[i][0], now.n = sizes[i][1], now.k = sizes[i][2];
        now.depth = 7 * now.k < PITCH ? 7 * now.k - 4 : PITCH - 4;
        now.a_turned = i == 2, now.b_turned = i == 3 || i == 4;
        check(name);
    }
    now.a_turned = now.b_turned = false;
}

TEST(of_halves) { each_size("f16", CM_F16, CM_F16, CM_F32); }
TEST(of_bf16) { each_size("bf16", CM_BF16, CM_BF16, CM_F32); }
TEST(of_bytes) { each_size("i8", CM_I8, CM_U8, CM_I32); }
TEST(of_floats) { each_size("f32", CM_F32, CM_F32, CM_F32); }

/* Turns whose operands do not lie side by side load each their own. */
TEST(with_gaps)
{
    now.gap = true;
    now.a.type = now.b.type = CM_F16, now.c.type = CM_F32;
    now.m = 8, now.n = 16, now.k = 16, now.depth = 5 * 16;
    check("f16 with gaps");
    now.gap = false;
}

int main(void)
{
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    RUN(of_halves);
    RUN(of_bf16);
    RUN(of_bytes);
    RUN(of_floats);
    RUN(with_gaps);
    zed_close(&device);
    return test_report();
}
