/* gemm_l2.c - C = A B with prefetching to two cache levels, as in XeTile's appendix 2.5: tiles of 128 values of k to
 * the second level, tiles of 32 to the first. f16, summed in f32; any M, N and K. See `gemm_l2 --help`.
 *
 *     cc -std=c11 gemm_l2.c -lm && ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_l2"
#include "example.h"
#include "example_gemm.h"

/* A work-group computes `rows` x 256 of C, `columns` of them at a time. The specification has 512 rows and all columns
 * at once: then the f32 sums take 512 KiB, all registers of a core of pvc or bmg for any number of subgroups, and
 * everything else spills. 256 rows leave half of the registers free, and so do 512 rows with 128 columns at a time: K
 * is then traversed twice, the second time with A in the second level. */
static int rows = 512, columns = 128;

/* Columns j .. j + columns of rows i .. i + rows. */
static void part_of_c(XT_CONTEXT, xt_val A, xt_val B, xt_val C, xt_val M, xt_val N, xt_val K, xt_val i, xt_val j)
{
    const xt_map map_a = XT_MAP(.sg_layout = {8, 4}, .sg_data = {rows / 8, 32});
    const xt_map map_b = XT_MAP(.sg_layout = {8, 4}, .sg_data = {32, columns / 4});
    const xt_map map_c = XT_MAP(.sg_layout = {8, 4}, .sg_data = {rows / 8, columns / 4});
    const xt_map a_in_l2 = XT_MAP(.sg_layout = {32, 1}, .sg_data = {rows / 32, 128});
    const xt_map b_in_l2 = XT_MAP(.sg_layout = {16, 2}, .sg_data = {8, columns / 2});
    const xt_map a_in_l1 = XT_MAP(.sg_layout = {32, 1}, .sg_data = {rows / 32, 32});
    const xt_map b_in_l1 = XT_MAP(.sg_layout = {4, 8}, .sg_data = {8, columns / 8});

    xt_tile a_l2 = XT_INIT_TILE(A, f16, rows, 128, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = a_in_l2);
    xt_tile b_l2 = XT_INIT_TILE(B, f16, 128, columns, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = b_in_l2);
    xt_tile a_l1 = XT_INIT_TILE(A, f16, rows, 32, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = a_in_l1);
    xt_tile b_l1 = XT_INIT_TILE(B, f16, 32, columns, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = b_in_l1);
    xt_tile a = XT_INIT_TILE(A, f16, rows, 32, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = map_a);
    xt_tile b = XT_INIT_TILE(B, f16, 32, columns, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = map_b);
    xt_tile c = XT_INIT_TILE(C, f32, rows, columns, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = map_c);
    xt_vec acc = XT_SPLAT(f32, rows, columns, 0, .map = map_c);

    for (int s = 0; s < 2; s++) { /* prefetch 256 values of k to the second level ... */
        XT_PREFETCH_TILE(a_l2, .locality = 2);
        XT_PREFETCH_TILE(b_l2, .locality = 2);
        a_l2 = XT_UPDATE_TILE_OFFSET(a_l2, 0, 128);
        b_l2 = XT_UPDATE_TILE_OFFSET(b_l2, 128, 0);
    }
    for (int s = 0; s < 4; s++) { /* ... and 128 to the first */
        XT_PREFETCH_TILE(a_l1, .locality = 3);
        XT_PREFETCH_TILE(b_l1, .locality = 3);
        a_l1 = XT_UPDATE_TILE_OFFSET(a_l1, 0, 32);
        b_l1 = XT_UPDATE_TILE_OFFSET(b_l1, 32, 0);
    }
    XT_FOR(k, 0, K, 32, &a, &b, &a_l1, &b_l1, &a_l2, &b_l2, &acc)
    {
        XT_PREFETCH_TILE(a_l1, .locality = 3);
        XT_PREFETCH_TILE(b_l1, .locality = 3);
        xt_vec va = XT_LOAD_TILE(a), vb = XT_LOAD_TILE(b);
        XT_IF(XT_EQ(XT_MOD(k, 128), 0), &a_l2, &b_l2)
        {
            XT_BARRIER(); /* keeps the subgroups of a work-group together */
            XT_PREFETCH_TILE(a_l2, .locality = 2);
            XT_PREFETCH_TILE(b_l2, .locality = 2);
            a_l2 = XT_UPDATE_TILE_OFFSET(a_l2, 0, 128);
            b_l2 = XT_UPDATE_TILE_OFFSET(b_l2, 128, 0);
        }
        acc = XT_TILE_MMA(va, vb, acc);
        a_l1 = XT_UPDATE_TILE_OFFSET(a_l1, 0, 32);
        b_l1 = XT_UPDATE_TILE_OFFSET(b_l1, 32, 0);
        a = XT_UPDATE_TILE_OFFSET(a, 0, 32);
        b = XT_UPDATE_TILE_OFFSET(b, 32, 0);
    }
    XT_STORE_TILE(acc, c);
}

XT_KERNEL(gemm_l2, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    xt_val i = XT_MUL(XT_GROUP_ID(1), rows), j = XT_MUL(XT_GROUP_ID(0), 256);
    if (columns == 256) {
        part_of_c(XT_SELF, A, B, C, M, N, K, i, j);
    } else {
        XT_FOR(part, j, XT_ADD(j, 256), columns)
        {
            part_of_c(XT_SELF, A, B, C, M, N, K, i, part);
        }
    }
}

/* ---- the program */

static int m = 512, n = 512, k = 256, tall, narrow = -1;

static bool check(void)
{
    rows = tall ? 256 : 512;
    columns = (narrow < 0 ? rows == 512 : narrow) ? 128 : 256;
    return true;
}

static bool run(zed_device *dev, zed_kernel *kernel, const example_form *only)
{
    (void)only;
    return run_product(dev, kernel, rows, 256, m, n, k);
}

static const char *const row_choices[] = {"512", "256", NULL}, *const column_choices[] = {"256", "128", NULL};
static const example_option options[] = {
    SIZE("--m", "rows of A and C", &m),
    SIZE("--n", "columns of B and C", &n),
    SIZE("--k", "columns of A, rows of B", &k),
    CHOICE("--rows", "rows of a work-group's tile, as in the text or half as many", &tall, row_choices),
    CHOICE("--columns", "how many of its 256 columns at a time; 128 are what registers hold with 512 rows", &narrow,
           column_choices),
    OPTIONS_END,
};
static const example_form forms[] = {{.kernel = &gemm_l2, .run = run}, FORMS_END};

int main(int argc, char **argv)
{
    const example e = {
        .about = "C = A B with prefetches into two cache levels", .options = options, .forms = forms, .check = check};
    return example_main(argc, argv, &e);
}
