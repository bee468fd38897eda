/* gemm_l2.c - C = A B with prefetching to two cache levels, as in XeTile's appendix 2.5: tiles of four steps to the
 * second level, on bmg of 128 values of k, and tiles of one step to the first. f16, summed in f32; any M, N and K. See
 * `gemm_l2 --help`.
 *
 *     cc -std=c11 gemm_l2.c -lm && ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_l2"
#include "example.h"
#include "example_gemm.h"

/* A work-group computes 256 columns of C, or as many as its tile has if these are more, one tile after the other: K is
 * traversed for each, after the first with A in the second level. The specification has 512 rows and 256 columns at
 * once: then the f32 sums take 512 KiB, all registers of a core of pvc or bmg for any number of subgroups, and
 * everything else spills. On bmg xt_tiles_for proposes 256 x 256, which leaves half of the registers free; so does
 * --tile 512x128,64x32,32. */
static const xt_product f16_product = {.a = XT_TYPE(f16), .b = XT_TYPE(f16)};

enum { DEEP = 4, AHEAD = 4 }; /* steps: of a tile in the second level; between a prefetch to the first and its load */

static int columns_of_group(void) { return tiles.cols < 256 ? 256 / tiles.cols * tiles.cols : tiles.cols; }

/* The map of what each subgroup fetches, over DEEP steps. */
static xt_map deeper(xt_map map, int dimension)
{
    map.sg_data[dimension] *= DEEP;
    return map;
}

/* Columns j .. j + tiles.cols of rows i .. i + tiles.rows. */
static void part_of_c(XT_CONTEXT, xt_val A, xt_val B, xt_val C, xt_val M, xt_val N, xt_val K, xt_val i, xt_val j)
{
    const int rows = tiles.rows, cols = tiles.cols, step = tiles.k, deep = DEEP * step;
    const xt_map a_in_l1 = tiles.fetch_a, a_in_l2 = deeper(tiles.fetch_a, 1);
    const xt_map b_in_l1 = tiles.fetch_b, b_in_l2 = deeper(tiles.fetch_b, 0);

    xt_tile a_l2 = XT_INIT_TILE(A, f16, rows, deep, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = a_in_l2);
    xt_tile b_l2 = XT_INIT_TILE(B, f16, deep, cols, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = b_in_l2);
    xt_tile a_l1 = XT_INIT_TILE(A, f16, rows, step, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = a_in_l1);
    xt_tile b_l1 = XT_INIT_TILE(B, f16, step, cols, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = b_in_l1);
    xt_tile a = XT_INIT_TILE(A, f16, rows, step, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = tiles.a);
    xt_tile b = XT_INIT_TILE(B, f16, step, cols, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = tiles.b);
    xt_tile c = XT_INIT_TILE(C, f32, rows, cols, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = tiles.c);
    xt_vec acc = XT_SPLAT(f32, rows, cols, 0, .map = tiles.c);

    for (int s = 0; s < 2; s++) { /* prefetch two tiles to the second level ... */
        XT_PREFETCH_TILE(a_l2, .locality = 2);
        XT_PREFETCH_TILE(b_l2, .locality = 2);
        a_l2 = XT_UPDATE_TILE_OFFSET(a_l2, 0, deep);
        b_l2 = XT_UPDATE_TILE_OFFSET(b_l2, deep, 0);
    }
    for (int s = 0; s < AHEAD; s++) { /* ... and AHEAD to the first */
        XT_PREFETCH_TILE(a_l1, .locality = 3);
        XT_PREFETCH_TILE(b_l1, .locality = 3);
        a_l1 = XT_UPDATE_TILE_OFFSET(a_l1, 0, step);
        b_l1 = XT_UPDATE_TILE_OFFSET(b_l1, step, 0);
    }
    XT_FOR(k, 0, K, step, &a, &b, &a_l1, &b_l1, &a_l2, &b_l2, &acc)
    {
        XT_PREFETCH_TILE(a_l1, .locality = 3);
        XT_PREFETCH_TILE(b_l1, .locality = 3);
        xt_vec va = XT_LOAD_TILE(a), vb = XT_LOAD_TILE(b);
        XT_IF(XT_EQ(XT_MOD(k, deep), 0), &a_l2, &b_l2)
        {
            XT_BARRIER(); /* keeps the subgroups of a work-group together */
            XT_PREFETCH_TILE(a_l2, .locality = 2);
            XT_PREFETCH_TILE(b_l2, .locality = 2);
            a_l2 = XT_UPDATE_TILE_OFFSET(a_l2, 0, deep);
            b_l2 = XT_UPDATE_TILE_OFFSET(b_l2, deep, 0);
        }
        acc = XT_TILE_MMA(va, vb, acc);
        a_l1 = XT_UPDATE_TILE_OFFSET(a_l1, 0, step);
        b_l1 = XT_UPDATE_TILE_OFFSET(b_l1, step, 0);
        a = XT_UPDATE_TILE_OFFSET(a, 0, step);
        b = XT_UPDATE_TILE_OFFSET(b, step, 0);
    }
    XT_STORE_TILE(acc, c);
}

XT_KERNEL(gemm_l2, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const int columns = columns_of_group();
    xt_val i = XT_MUL(XT_GROUP_ID(1), tiles.rows), j = XT_MUL(XT_GROUP_ID(0), columns);
    if (columns == tiles.cols) {
        part_of_c(XT_SELF, A, B, C, M, N, K, i, j);
    } else {
        XT_FOR(part, j, XT_ADD(j, columns), tiles.cols)
        {
            part_of_c(XT_SELF, A, B, C, M, N, K, i, part);
        }
    }
}

/* ---- the program */

static int m = 512, n = 512, k = 256;

static bool run(zed_device *dev, zed_kernel *kernel, const example_form *only)
{
    (void)only;
    return run_product(dev, kernel, tiles.rows, columns_of_group(), m, n, k);
}

static const example_option options[] = {
    SIZE("--m", "rows of A and C", &m),
    SIZE("--n", "columns of B and C", &n),
    SIZE("--k", "columns of A, rows of B", &k),
    OPTIONS_END,
};
static const example_form forms[] = {{.kernel = &gemm_l2, .product = &f16_product, .run = run}, FORMS_END};

int main(int argc, char **argv)
{
    const example e = {.about = "C = A B with prefetches into two cache levels", .options = options, .forms = forms};
    return example_main(argc, argv, &e);
}
