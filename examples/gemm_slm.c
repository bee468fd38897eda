/* gemm_slm.c - C = A B through local memory, as in XeTile's appendix 2.4: the subgroups of a work-group together load
 * the tiles of a later step into one of four buffers in local memory, while the products of this step read another one.
 * For GPUs that prefetch poorly. Tiles suit the device; the text's are --tile 256x256,32x32,32. f16, summed in f32; any
 * M, N and K. See `gemm_slm --help`.
 *
 *     cc -std=c11 gemm_slm.c -lm && ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_slm"
#include "example.h"
#include "example_gemm.h"

enum { BUFFERS = 4 };

static const xt_product f16_product = {.a = XT_TYPE(f16), .b = XT_TYPE(f16)};

/* A step's slices of k: of 16 values, or of a shorter step that suits the device; two of them, if four buffers fit
 * local memory. */
static int part, slices;

static void choose_slices(const xt_target *target, int local_memory)
{
    (void)target;
    part = tiles.k < 16 ? tiles.k : 16;
    slices = BUFFERS * 2 * (tiles.rows + tiles.cols) * part * 2 <= local_memory ? 2 : 1;
}

/* Each subgroup copies an equal part of a slice: of what it would prefetch. */
static xt_map slice_of(xt_map map, int dimension)
{
    map.sg_data[dimension] = map.sg_data[dimension] * part / tiles.k;
    return map;
}

/* Local memory contains slices of `part` values of k, one after the other: A's row by row, B's column by column.
 * Operands of products are thus stored as the hardware needs them, and are read in large pieces. Slice s of the four
 * buffers starts at row s * rows of A's array, at column s * cols of B's. */
XT_KERNEL(gemm_slm, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const int rows = tiles.rows, cols = tiles.cols, step = slices * part;
    const int deep_a = rows * slices * BUFFERS, deep_b = cols * slices * BUFFERS;
    const xt_map cop_a = slice_of(tiles.fetch_a, 1), cop_b = slice_of(tiles.fetch_b, 0);
    const xt_map map_a = xt_map_mma_a(&tiles.c, part), map_b = xt_map_mma_b(&tiles.c, part);

    xt_val i = XT_MUL(XT_GROUP_ID(1), rows), j = XT_MUL(XT_GROUP_ID(0), cols);
    xt_val slm_a = XT_LOCAL(f16, deep_a * part), slm_b = XT_LOCAL(f16, part * deep_b);

    xt_tile a = XT_INIT_TILE(A, f16, rows, part, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = cop_a);
    xt_tile b = XT_INIT_TILE(B, f16, part, cols, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = cop_b);
    xt_tile a_in = XT_INIT_TILE(slm_a, f16, rows, part, .shape = XT_AT(deep_a, part), .map = cop_a, .inside = true);
    xt_tile b_in = XT_INIT_TILE(slm_b, f16, part, cols, .shape = XT_AT(part, deep_b), .strides = XT_AT(1, part),
                                .order = {0, 1}, .map = cop_b, .inside = true);
    xt_tile a_out = XT_INIT_TILE(slm_a, f16, rows, part, .shape = XT_AT(deep_a, part), .map = map_a, .inside = true);
    xt_tile b_out = XT_INIT_TILE(slm_b, f16, part, cols, .shape = XT_AT(part, deep_b), .strides = XT_AT(1, part),
                                 .order = {0, 1}, .map = map_b, .inside = true);
    xt_tile c = XT_INIT_TILE(C, f32, rows, cols, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = tiles.c);
    xt_vec acc = XT_SPLAT(f32, rows, cols, 0, .map = tiles.c);

    for (int s = 0; s < (BUFFERS - 1) * slices; s++) { /* all buffers but one are filled before the loop */
        XT_STORE_TILE(XT_LOAD_TILE(a), XT_UPDATE_TILE_OFFSET(a_in, rows * s, 0));
        XT_STORE_TILE(XT_LOAD_TILE(b), XT_UPDATE_TILE_OFFSET(b_in, 0, cols * s));
        a = XT_UPDATE_TILE_OFFSET(a, 0, part);
        b = XT_UPDATE_TILE_OFFSET(b, part, 0);
    }
    XT_BARRIER();
    XT_FOR(k, 0, K, step, &a, &b, &acc)
    {
        xt_val turn = XT_DIV(k, step), from = XT_MUL(XT_MOD(turn, BUFFERS), slices);
        xt_val to = XT_MUL(XT_MOD(XT_ADD(turn, BUFFERS - 1), BUFFERS), slices);
        xt_vec next_a[2], next_b[2];
        for (int s = 0; s < slices; s++) {
            next_a[s] = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(a, 0, s * part));
            next_b[s] = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(b, s * part, 0));
        }
        for (int s = 0; s < slices; s++) {
            xt_val at = XT_ADD(from, s);
            xt_vec va = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(a_out, XT_MUL(at, rows), 0));
            xt_vec vb = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(b_out, 0, XT_MUL(at, cols)));
            acc = XT_TILE_MMA(va, vb, acc);
        }
        XT_BARRIER(); /* all have read the previous step's buffer, and see what was stored */
        for (int s = 0; s < slices; s++) {
            xt_val at = XT_ADD(to, s);
            XT_STORE_TILE(next_a[s], XT_UPDATE_TILE_OFFSET(a_in, XT_MUL(at, rows), 0));
            XT_STORE_TILE(next_b[s], XT_UPDATE_TILE_OFFSET(b_in, 0, XT_MUL(at, cols)));
        }
        a = XT_UPDATE_TILE_OFFSET(a, 0, step);
        b = XT_UPDATE_TILE_OFFSET(b, step, 0);
    }
    XT_STORE_TILE(acc, c);
}

/* ---- the program */

static int m = 512, n = 512, k = 256;

static bool run(zed_device *dev, zed_kernel *kernel, const example_form *only)
{
    (void)only;
    return run_product(dev, kernel, tiles.rows, tiles.cols, m, n, k);
}

static const example_option options[] = {
    SIZE("--m", "rows of A and C", &m),
    SIZE("--n", "columns of B and C", &n),
    SIZE("--k", "columns of A, rows of B", &k),
    OPTIONS_END,
};
static const example_form forms[] = {
    {.kernel = &gemm_slm, .product = &f16_product, .fit = choose_slices, .run = run}, FORMS_END};

int main(int argc, char **argv)
{
    const example e = {.about = "C = A B through local memory", .options = options, .forms = forms};
    return example_main(argc, argv, &e);
}
