/* gemm_slm.c - C = A B through local memory, as in XeTile's appendix 2.4: 64 subgroups together load the tiles of a
 * later step into one of four buffers in local memory, while the products of this step read another one. For GPUs that
 * prefetch poorly. f16, summed in f32; any M, N and K. See `gemm_slm --help`.
 *
 *     cc -std=c11 gemm_slm.c -lm && ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_slm"
#include "example.h"
#include "example_gemm.h"

enum { BUFFERS = 4 };

/* Values of k per step, limited by four buffers of 256 x step of A and B. The specification's 32 need 128 KiB. */
static int step = 32;

static void choose_step(int local_memory)
{
    for (step = 32; step > 8 && BUFFERS * 2 * 256 * 2 * step > local_memory;) step /= 2;
}

/* Local memory contains slices of `part` values of k, one after the other: A's row by row, B's column by column.
 * Operands of products are thus stored as the hardware needs them, and are read in large pieces. Slice s of the four
 * buffers starts at row 256 s of A's array, at column 256 s of B's. */
XT_KERNEL(gemm_slm, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const int part = step < 16 ? step : 16, slices = step / part, deep = 256 * slices * BUFFERS;
    const xt_map cop_a = XT_MAP(.sg_layout = {64, 1}, .sg_data = {4, part});
    const xt_map cop_b = XT_MAP(.sg_layout = {4, 16}, .sg_data = {part / 4, 16});
    const xt_map map_a = XT_MAP(.sg_layout = {8, 8}, .sg_data = {32, part});
    const xt_map map_b = XT_MAP(.sg_layout = {8, 8}, .sg_data = {part, 32});
    const xt_map map_c = XT_MAP(.sg_layout = {8, 8}, .sg_data = {32, 32});

    xt_val i = XT_MUL(XT_GROUP_ID(1), 256), j = XT_MUL(XT_GROUP_ID(0), 256);
    xt_val slm_a = XT_LOCAL(f16, deep * part), slm_b = XT_LOCAL(f16, part * deep);

    xt_tile a = XT_INIT_TILE(A, f16, 256, part, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = cop_a);
    xt_tile b = XT_INIT_TILE(B, f16, part, 256, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = cop_b);
    xt_tile a_in = XT_INIT_TILE(slm_a, f16, 256, part, .shape = XT_AT(deep, part), .map = cop_a, .inside = true);
    xt_tile b_in = XT_INIT_TILE(slm_b, f16, part, 256, .shape = XT_AT(part, deep), .strides = XT_AT(1, part),
                                .order = {0, 1}, .map = cop_b, .inside = true);
    xt_tile a_out = XT_INIT_TILE(slm_a, f16, 256, part, .shape = XT_AT(deep, part), .map = map_a, .inside = true);
    xt_tile b_out = XT_INIT_TILE(slm_b, f16, part, 256, .shape = XT_AT(part, deep), .strides = XT_AT(1, part),
                                 .order = {0, 1}, .map = map_b, .inside = true);
    xt_tile c = XT_INIT_TILE(C, f32, 256, 256, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = map_c);
    xt_vec acc = XT_SPLAT(f32, 256, 256, 0, .map = map_c);

    for (int s = 0; s < (BUFFERS - 1) * slices; s++) { /* all buffers but one are filled before the loop */
        XT_STORE_TILE(XT_LOAD_TILE(a), XT_UPDATE_TILE_OFFSET(a_in, 256 * s, 0));
        XT_STORE_TILE(XT_LOAD_TILE(b), XT_UPDATE_TILE_OFFSET(b_in, 0, 256 * s));
        a = XT_UPDATE_TILE_OFFSET(a, 0, part);
        b = XT_UPDATE_TILE_OFFSET(b, part, 0);
    }
    XT_BARRIER();
    XT_FOR(k, 0, K, step, &a, &b, &acc)
    {
        xt_val turn = XT_DIV(k, step), from = XT_MUL(XT_MOD(turn, BUFFERS), 256 * slices);
        xt_val to = XT_MUL(XT_MOD(XT_ADD(turn, BUFFERS - 1), BUFFERS), 256 * slices);
        xt_vec next_a[2], next_b[2];
        for (int s = 0; s < slices; s++) {
            next_a[s] = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(a, 0, s * part));
            next_b[s] = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(b, s * part, 0));
        }
        for (int s = 0; s < slices; s++) {
            xt_val at = XT_ADD(from, 256 * s);
            xt_vec va = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(a_out, at, 0));
            xt_vec vb = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(b_out, 0, at));
            acc = XT_TILE_MMA(va, vb, acc);
        }
        XT_BARRIER(); /* all have read the previous step's buffer, and see what was stored */
        for (int s = 0; s < slices; s++) {
            xt_val at = XT_ADD(to, 256 * s);
            XT_STORE_TILE(next_a[s], XT_UPDATE_TILE_OFFSET(a_in, at, 0));
            XT_STORE_TILE(next_b[s], XT_UPDATE_TILE_OFFSET(b_in, 0, at));
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
    return run_product(dev, kernel, 256, 256, m, n, k);
}

static const example_option options[] = {
    SIZE("--m", "rows of A and C", &m),
    SIZE("--n", "columns of B and C", &n),
    SIZE("--k", "columns of A, rows of B", &k),
    OPTIONS_END,
};
static const example_form forms[] = {{.kernel = &gemm_slm, .fit = choose_step, .run = run}, FORMS_END};

int main(int argc, char **argv)
{
    const example e = {.about = "C = A B through local memory", .options = options, .forms = forms};
    return example_main(argc, argv, &e);
}
