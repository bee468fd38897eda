/* gemm_transpose.c - XeTile's appendix 2.2 and 2.3: C = A BT' + bias, and the sums of C's rows. A product with a
 * transpose, a broadcast, a change of layout and a reduction, all across the subgroups of a work-group.
 *
 *     2.2    BT is loaded with a map whose transpose goes through local memory
 *     2.3    with a map under which every subgroup loads what it needs: the transpose stays in registers
 *
 *     cc -std=c11 gemm_transpose.c -lm && ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_transpose"
#include "example.h"
#include "example_gemm.h"

/* One work-group computes the sums of tiles.rows rows, on bmg 256: its subgroups pass over all columns of C, a tile's
 * at a time. For a change of layout each of them has some of these rows, whole. */
static void product(XT_CONTEXT, xt_map map_bt, xt_val A, xt_val BT, xt_val bias, xt_val sums, xt_val M, xt_val N,
                    xt_val K)
{
    const int high = tiles.rows, wide = tiles.cols, step = tiles.k, ahead = tiles.prefetch * step;
    const int across = tiles.c.sg_layout[1], all = tiles.c.sg_layout[0] * across;
    const xt_map pre_bt = {{all, 1}, {wide / all, step}};
    const xt_map map_bias = {{tiles.c.sg_layout[0], across}, {1, wide / across}};
    const xt_map map_rows = {{all, 1}, {high / all, wide}}, map_sums = {{all, 1}, {high / all, 1}};

    xt_val i = XT_MUL(XT_GROUP_ID(0), high);
    xt_vec total = XT_SPLAT(f32, high, 1, 0, .map = map_sums);
    XT_FOR (j, 0, N, wide, &total) {
        xt_tile a = XT_INIT_TILE(A, f16, high, step, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = tiles.a);
        xt_tile bt = XT_INIT_TILE(BT, f16, wide, step, .offset = XT_AT(j, 0), .shape = XT_AT(N, K), .map = map_bt);
        xt_tile pa =
            XT_INIT_TILE(A, f16, high, step, .offset = XT_AT(i, ahead), .shape = XT_AT(M, K), .map = tiles.fetch_a);
        xt_tile pb = XT_INIT_TILE(BT, f16, wide, step, .offset = XT_AT(j, ahead), .shape = XT_AT(N, K), .map = pre_bt);
        xt_vec acc = XT_SPLAT(f32, high, wide, 0, .map = tiles.c);
        XT_FOR (k, 0, K, step, &a, &bt, &pa, &pb, &acc) {
            xt_vec vb = XT_TRANSPOSE(XT_LOAD_TILE(bt), .map = tiles.b, .source = map_bt), va = XT_LOAD_TILE(a);
            if (ahead) {
                XT_PREFETCH_TILE(pa);
                XT_PREFETCH_TILE(pb);
            }
            acc = XT_TILE_MMA(va, vb, acc);
            a = XT_UPDATE_TILE_OFFSET(a, 0, step);
            bt = XT_UPDATE_TILE_OFFSET(bt, 0, step);
            pa = XT_UPDATE_TILE_OFFSET(pa, 0, step);
            pb = XT_UPDATE_TILE_OFFSET(pb, 0, step);
        }
        xt_tile row = XT_INIT_TILE(bias, f32, 1, wide, .offset = XT_AT(0, j), .shape = XT_AT(1, N), .map = map_bias);
        acc = XT_ADD(acc, XT_BROADCAST(XT_LOAD_TILE(row), 0, high, .map = tiles.c));
        xt_vec rows = XT_CONVERT_LAYOUT(acc, .map = map_rows, .source = tiles.c);
        total = XT_ADD(total, XT_REDUCTION(add, rows, 1, .map = map_sums));
    }
    XT_STORE_TILE(total,
                  XT_INIT_TILE(sums, f32, high, 1, .offset = XT_AT(i, 0), .shape = XT_AT(M, 1), .map = map_sums));
}

/* Each subgroup loads an equal part of BT. As the transpose goes through local memory, and so do rows at a pitch
 * unsuitable for 2D blocks, registers are held beside the sums: on bmg 128 columns at a time, and not the text's
 * 256. */
static const xt_product through_memory = {.a = XT_TYPE(f16), .b = XT_TYPE(f16), .live = 1};
XT_KERNEL (gemm_2_2, ptr(f16, A), ptr(f16, BT), ptr(f32, bias), ptr(f32, sums), u32(M), u32(N), u32(K))
{
    const int all = tiles.c.sg_layout[0] * tiles.c.sg_layout[1];
    const xt_map equal_parts = {{tiles.c.sg_layout[1], all / tiles.c.sg_layout[1]}, {tiles.c.sg_data[1], tiles.k}};
    product(XT_SELF, equal_parts, A, BT, bias, sums, M, N, K);
}

/* Each subgroup loads the rows of BT that are its columns of C, and turns them: without messages that do it, through as
 * many registers as another tile of C has. */
static const xt_product in_registers = {.a = XT_TYPE(f16), .b = XT_TYPE(f16)};
static const xt_product in_few = {.a = XT_TYPE(f16), .b = XT_TYPE(f16), .live = 1};
XT_KERNEL (gemm_2_3, ptr(f16, A), ptr(f16, BT), ptr(f32, bias), ptr(f32, sums), u32(M), u32(N), u32(K))
{
    const int all = tiles.c.sg_layout[0] * tiles.c.sg_layout[1];
    const xt_map own_rows = {{all, 1}, {tiles.c.sg_data[1], tiles.k}};
    product(XT_SELF, own_rows, A, BT, bias, sums, M, N, K);
}

/* ---- the program */

static int m = 300, n = 520, k = 100;

/* In f64: the sum of row i of C is A's row times the sums of BT's columns, plus the sum of bias. Each of about K + N
 * additions rounds by at most 2^-24 of the sum; independent roundings stay below 8 sqrt(K + N). */
static size_t check(const uint16_t *a, const uint16_t *bt, const float *bias, const float *sums)
{
    size_t depth = (size_t)k, wrong = 0;
    double *column = (double *)calloc(2 * depth, sizeof *column), all = 0, magnitude_bias = 0;
    if (!column) return 1;
    for (size_t j = 0; j < (size_t)n; j++) {
        all += (double)bias[j];
        magnitude_bias += fabs((double)bias[j]);
        for (size_t l = 0; l < depth; l++) {
            column[l] += half(bt, j * depth + l);
            column[depth + l] += fabs(half(bt, j * depth + l));
        }
    }
    for (size_t i = 0; i < (size_t)m; i++) {
        double want = all, magnitude = magnitude_bias;
        for (size_t l = 0; l < depth; l++) {
            want += half(a, i * depth + l) * column[l];
            magnitude += fabs(half(a, i * depth + l)) * column[depth + l];
        }
        check_element(&wrong, (int)i, 0, (double)sums[i], want, 8 * sqrt(k + n) * 0x1p-23 * magnitude / sqrt(n));
    }
    free(column);
    return wrong;
}

static bool run(zed_device *dev, zed_kernel *kernel, const example_form *form)
{
    size_t rows = (size_t)m, cols = (size_t)n, depth = (size_t)k, wrong;
    uint64_t state = 22;
    uint16_t *a = new_halves(dev, rows * depth, &state), *bt = new_halves(dev, cols * depth, &state);
    float *bias = new_floats(dev, cols, &state), *sums = new_floats(dev, rows, NULL);
    zed_groups groups = {(uint32_t)((m + tiles.rows - 1) / tiles.rows), 1, 1};
    if (!a || !bt || !bias || !sums || !copy_to_device(dev)) return fail_device(dev);
    zed_launch(kernel, groups, on_device(a), on_device(bt), on_device(bias), on_device(sums), (uint32_t)m, (uint32_t)n,
               (uint32_t)k);
    if (!copy_from_device(dev, sums)) return fail_device(dev);
    wrong = check(a, bt, bias, sums);
    if (wrong) return fail("%s %d x %d x %d: %zu sums are wrong", form->name, m, n, k, wrong);
    print_largest_error();
    printf("ok gemm_transpose %s %d x %d x %d\n", form->name, m, n, k);
    return true;
}

static const example_option options[] = {
    SIZE("--m", "rows of A and C", &m),
    SIZE("--n", "columns of C, rows of BT", &n),
    SIZE("--k", "columns of A and BT", &k),
    OPTIONS_END,
};
static const example_form forms[] = {
    {.name = "2.2",
     .what = "the transpose through local memory",
     .kernel = &gemm_2_2,
     .product = &through_memory,
     .run = run},
    {.name = "2.3",
     .what = "the transpose in registers",
     .kernel = &gemm_2_3,
     .product = &in_registers,
     .few = &in_few,
     .run = run},
    FORMS_END,
};

int main(int argc, char **argv)
{
    const example e = {.about = "sums of the rows of A BT' + bias, each checked against f64",
                       .options = options,
                       .forms = forms,
                       .form_option = "--form"};
    return example_main(argc, argv, &e);
}
