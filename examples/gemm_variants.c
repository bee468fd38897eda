/* gemm_variants.c - one matrix product in eight ways: --variant NAME, or all of them, each checked.
 *
 *     plain            B stored by rows (the first way of XeTile's appendix 1)
 *     order            B stored by columns, read through .order = {0, 1} (the second way)
 *     transpose        B stored by columns, read without .order and transposed in the kernel (the third way)
 *     transposed_a     A stored by columns
 *     batched          several products: the bases have three dimensions
 *     split_k          several work-groups share a tile of C: each sums a part of K and adds it atomically
 *     persistent       few work-groups, each computing many tiles of C
 *     k_outside        rows of memory are longer than K, with NaN there: elements outside read as zero
 *
 *     cc -std=c11 gemm_variants.c -lm && ./a.out
 *
 * f16, summed in f32; any M, N and K. See `gemm_variants --help`.
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_variants"
#include "example.h"
#include "example_gemm.h"

/* ---- the kernels: on bmg work-group tiles of 128 x 128, eight subgroups, 32 values of k per step ---- */

enum { SPLITS = 3, PERSISTENT = 3 };
static const xt_product f16_product = {.a = XT_TYPE(f16), .b = XT_TYPE(f16), .max_subgroups = 8};

/* Sixteen subgroups with smaller pieces, since data going through local memory needs registers too, and addresses. */
static const xt_product transposed = {.a = XT_TYPE(f16), .b = XT_TYPE(f16), .max_subgroups = 16, .live = 1,
                                      .extra = 512};

/* The sum of a(:, k) b(k, :) for k from lo to hi; the tiles are at lo. */
static xt_vec product(XT_CONTEXT, xt_tile a, xt_tile b, xt_val lo, xt_val hi)
{
    xt_vec acc = XT_SPLAT(f32, tiles.rows, tiles.cols, 0, .map = tiles.c);
    XT_FOR(k, lo, hi, tiles.k, &a, &b, &acc)
    {
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, tiles.k);
        b = XT_UPDATE_TILE_OFFSET(b, tiles.k, 0);
    }
    return acc;
}

#define KERNEL(name)                                                                                                   \
    XT_KERNEL(name, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(BATCH), u32(M), u32(N), u32(K), u32(LINE_A), u32(LINE_B))
#define ROW XT_MUL(XT_GROUP_ID(1), tiles.rows)
#define COLUMN XT_MUL(XT_GROUP_ID(0), tiles.cols)
#define TILE_A(row, col, ...)                                                                                          \
    XT_INIT_TILE(A, f16, tiles.rows, tiles.k, .offset = XT_AT(row, col), .shape = XT_AT(M, K), __VA_ARGS__,            \
                 .map = tiles.a)
#define TILE_B(row, col, ...)                                                                                          \
    XT_INIT_TILE(B, f16, tiles.k, tiles.cols, .offset = XT_AT(row, col), .shape = XT_AT(K, N), __VA_ARGS__,            \
                 .map = tiles.b)
#define TILE_C(row, col)                                                                                               \
    XT_INIT_TILE(C, f32, tiles.rows, tiles.cols, .offset = XT_AT(row, col), .shape = XT_AT(M, N), .map = tiles.c)
#define BY_ROWS(line) .strides = XT_AT(line, 1)
#define BY_COLUMNS(line) .strides = XT_AT(1, line), .order = {0, 1}

KERNEL(plain)
{
    (void)BATCH;
    xt_tile a = TILE_A(ROW, 0, BY_ROWS(LINE_A)), b = TILE_B(0, COLUMN, BY_ROWS(LINE_B));
    XT_STORE_TILE(product(XT_SELF, a, b, spe_val_int(0), K), TILE_C(ROW, COLUMN));
}

KERNEL(order)
{
    (void)BATCH;
    xt_tile a = TILE_A(ROW, 0, BY_ROWS(LINE_A)), b = TILE_B(0, COLUMN, BY_COLUMNS(LINE_B));
    XT_STORE_TILE(product(XT_SELF, a, b, spe_val_int(0), K), TILE_C(ROW, COLUMN));
}

KERNEL(transpose)
{
    (void)BATCH;
    const int *layout = tiles.c.sg_layout;
    const xt_map map_bt = {{layout[0], layout[1]}, {tiles.cols / layout[0], tiles.k}};
    xt_tile a = TILE_A(ROW, 0, BY_ROWS(LINE_A));
    xt_tile bt = XT_INIT_TILE(B, f16, tiles.cols, tiles.k, .offset = XT_AT(COLUMN, 0), .shape = XT_AT(N, K),
                              BY_ROWS(LINE_B), .map = map_bt);
    xt_tile c = TILE_C(ROW, COLUMN);
    xt_vec acc = XT_SPLAT(f32, tiles.rows, tiles.cols, 0, .map = tiles.c);
    XT_FOR(k, 0, K, tiles.k, &a, &bt, &acc)
    {
        xt_vec b = XT_TRANSPOSE(XT_LOAD_TILE(bt), .map = tiles.b);
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), b, acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, tiles.k);
        bt = XT_UPDATE_TILE_OFFSET(bt, 0, tiles.k);
    }
    XT_STORE_TILE(acc, c);
}

KERNEL(transposed_a)
{
    (void)BATCH;
    xt_tile a = TILE_A(ROW, 0, BY_COLUMNS(LINE_A)), b = TILE_B(0, COLUMN, BY_ROWS(LINE_B));
    XT_STORE_TILE(product(XT_SELF, a, b, spe_val_int(0), K), TILE_C(ROW, COLUMN));
}

/* One plane of work-groups per product. */
KERNEL(batched)
{
    (void)LINE_A, (void)LINE_B;
    xt_val which = XT_GROUP_ID(2);
    xt_tile a = XT_INIT_TILE(A, f16, tiles.rows, tiles.k, .offset = XT_AT(which, ROW, 0), .shape = XT_AT(BATCH, M, K),
                             .map = tiles.a);
    xt_tile b = XT_INIT_TILE(B, f16, tiles.k, tiles.cols, .offset = XT_AT(which, 0, COLUMN),
                             .shape = XT_AT(BATCH, K, N), .map = tiles.b);
    xt_tile c = XT_INIT_TILE(C, f32, tiles.rows, tiles.cols, .offset = XT_AT(which, ROW, COLUMN),
                             .shape = XT_AT(BATCH, M, N), .map = tiles.c);
    XT_STORE_TILE(product(XT_SELF, a, b, spe_val_int(0), K), c);
}

/* Work-group z sums its part of K. C is initially zero. */
KERNEL(split_k)
{
    (void)BATCH;
    xt_val steps = XT_DIV(XT_ADD(K, tiles.k - 1), tiles.k),
           part = XT_MUL(XT_DIV(XT_ADD(steps, SPLITS - 1), SPLITS), tiles.k);
    xt_val lo = XT_MUL(XT_GROUP_ID(2), part), hi = XT_MIN(XT_ADD(lo, part), K);
    xt_tile a = TILE_A(ROW, lo, BY_ROWS(LINE_A)), b = TILE_B(lo, COLUMN, BY_ROWS(LINE_B));
    XT_ATOMIC_RMW(addf, product(XT_SELF, a, b, lo, hi), TILE_C(ROW, COLUMN));
}

/* Work-group g computes tiles g, g + PERSISTENT, ... of C. */
KERNEL(persistent)
{
    (void)BATCH;
    xt_val across = XT_DIV(XT_ADD(N, tiles.cols - 1), tiles.cols);
    xt_val all = XT_MUL(across, XT_DIV(XT_ADD(M, tiles.rows - 1), tiles.rows));
    XT_FOR(tile, XT_GROUP_ID(0), all, XT_GROUP_COUNT(0))
    {
        xt_val i = XT_MUL(XT_DIV(tile, across), tiles.rows), j = XT_MUL(XT_MOD(tile, across), tiles.cols);
        xt_tile a = TILE_A(i, 0, BY_ROWS(LINE_A)), b = TILE_B(0, j, BY_ROWS(LINE_B));
        XT_STORE_TILE(product(XT_SELF, a, b, spe_val_int(0), K), TILE_C(i, j));
    }
}

/* The loop continues for two steps beyond the end. */
KERNEL(k_outside)
{
    (void)BATCH;
    xt_tile a = TILE_A(ROW, 0, BY_ROWS(LINE_A)), b = TILE_B(0, COLUMN, BY_ROWS(LINE_B));
    XT_STORE_TILE(product(XT_SELF, a, b, spe_val_int(0), XT_ADD(K, 2 * tiles.k)), TILE_C(ROW, COLUMN));
}

/* ---- the program */

static int m = 200, n = 300, k = 160;

/* A matrix's storage; between its lines, elements are NaN. */
static halves new_matrix(zed_device *dev, int rows, int cols, bool by_columns, int extra, int batch, uint64_t *state)
{
    size_t line = (size_t)((by_columns ? rows : cols) + extra), all = (size_t)(by_columns ? cols : rows) * line;
    uint16_t *at = new_halves(dev, all * (size_t)batch, NULL);
    halves x = {at, rows, cols, by_columns ? 1 : line, by_columns ? line : 1};
    for (int b = 0; at && b < batch; b++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++)
                at[(size_t)b * all + (size_t)i * x.row + (size_t)j * x.col] = spe_f32_to_f16_bits(random_normal(state));
    return x;
}

static size_t line_of(const halves *x) { return x->row > x->col ? x->row : x->col; }

/* How a form stores its matrices and what it launches; the bases contain `batch` contiguous matrices. */
typedef struct {
    bool a_by_columns, b_by_columns;
    int batch, planes, extra; /* planes: work-groups along z; extra: additional elements per row of A and B */
    bool adds;                /* C must initially be zero */
} variant;

static bool run(zed_device *dev, zed_kernel *kernel, const example_form *form);

static const example_form forms[] = {
    {.name = "plain", .what = "B by rows", .kernel = &plain, .product = &f16_product, .run = run},
    {.name = "order", .what = "B by columns, through .order", .kernel = &order, .product = &f16_product, .run = run},
    {.name = "transpose",
     .what = "B by columns, transposed in the kernel",
     .kernel = &transpose,
     .registers = 256,
     .product = &transposed,
     .run = run},
    {.name = "transposed_a", .what = "A by columns", .kernel = &transposed_a, .product = &f16_product, .run = run},
    {.name = "batched", .what = "three products at once", .kernel = &batched, .product = &f16_product, .run = run},
    {.name = "split_k", .what = "K split between work-groups", .kernel = &split_k, .product = &f16_product, .run = run},
    {.name = "persistent",
     .what = "few work-groups, each computing many tiles",
     .kernel = &persistent,
     .product = &f16_product,
     .run = run},
    {.name = "k_outside", .what = "NaN in memory beyond K", .kernel = &k_outside, .product = &f16_product, .run = run},
    FORMS_END,
};
static const variant variants[] = {
    {false, false, 1, 1, 0, false}, {false, true, 1, 1, 0, false},   {false, true, 1, 1, 0, false},
    {true, false, 1, 1, 0, false},  {false, false, 3, 3, 0, false},  {false, false, 1, SPLITS, 0, true},
    {false, false, 1, 1, 0, false}, {false, false, 1, 1, 24, false},
};

static bool run(zed_device *dev, zed_kernel *kernel, const example_form *form)
{
    const variant *v = &variants[form - forms];
    uint64_t state = 2024;
    halves a = new_matrix(dev, m, k, v->a_by_columns, v->extra, v->batch, &state);
    halves b = new_matrix(dev, k, n, v->b_by_columns, v->extra, v->batch, &state);
    size_t in_c = (size_t)m * (size_t)n, in_a, in_b;
    float *c = new_floats(dev, (size_t)v->batch * in_c, NULL);
    zed_groups groups = groups_of_tiles(&tiles, m, n);
    double ns;
    groups.count_z = (uint32_t)v->planes;
    if (form->kernel == &persistent) groups = (zed_groups){PERSISTENT, 1, 1};
    if (!a.at || !b.at || !c) return fail_device(dev);
    if (v->adds) memset(c, 0, (size_t)v->batch * in_c * sizeof *c);
    copy_to_device(dev);
    ns = zed_launch_timed(kernel, groups, on_device(a.at), on_device(b.at), on_device(c), (uint32_t)v->batch,
                          (uint32_t)m, (uint32_t)n, (uint32_t)k, (uint32_t)line_of(&a), (uint32_t)line_of(&b));
    if (ns < 0 || !copy_from_device(dev, c)) return fail_device(dev);
    in_a = line_of(&a) * (size_t)(v->a_by_columns ? k : m);
    in_b = line_of(&b) * (size_t)(v->b_by_columns ? n : k);
    for (int i = 0; i < v->batch; i++, a.at += in_a, b.at += in_b, c += in_c)
        if (!check_product(a, b, c)) return fail("%s", form->name);
    printf("%-14s %.1f GFLOP/s\n", form->name, 2.0 * v->batch * m * n * k / ns);
    return true;
}

static bool finish(zed_device *dev)
{
    (void)dev;
    print_largest_error();
    printf("ok gemm_variants %s %d x %d x %d\n", asked.form ? asked.form : "all", m, n, k);
    return true;
}

static const example_option options[] = {
    SIZE("--m", "rows of A and C", &m),
    SIZE("--n", "columns of B and C", &n),
    SIZE("--k", "columns of A, rows of B", &k),
    OPTIONS_END,
};

int main(int argc, char **argv)
{
    const example e = {.about = "C = A B in eight ways",
                       .options = options,
                       .forms = forms,
                       .form_option = "--variant",
                       .run = finish};
    return example_main(argc, argv, &e);
}
