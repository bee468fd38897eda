/* kernels_cpp.h - kernels that are both C11 and C++20, for test_cpp.sh: products with loops and prefetches, gathers and
 * scatters, conditions, reductions, single numbers.
 */
#include "xetile.h"

#include <stdio.h>

XT_KERNEL (product, ptr(f16, A), ptr(f16, B), ptr(f32, C), i32(M), i32(N), i32(K))
{
    const xt_map map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 32});
    xt_val i = XT_MUL(XT_GROUP_ID(1), 32), j = XT_MUL(XT_GROUP_ID(0), 64);
    xt_tile a = XT_INIT_TILE(A, f16, 32, 32, .offset = XT_AT(i, 0), .shape = XT_AT(M, K),
                             .map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 32}));
    xt_tile b = XT_INIT_TILE(B, f16, 32, 64, .offset = XT_AT(0, j), .shape = XT_AT(K, N),
                             .map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {32, 32}));
    xt_tile c = XT_INIT_TILE(C, f32, 32, 64, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = map);
    xt_vec sum = XT_SPLAT(f32, 32, 64, 0, .map = map);
    XT_FOR (k, 0, K, 32, &a, &b, &sum) {
        XT_PREFETCH_TILE(a);
        xt_vec va = XT_LOAD_TILE(a);
        xt_vec vb = XT_LOAD_TILE(b);
        sum = XT_TILE_MMA(va, vb, sum);
        a = XT_UPDATE_TILE_OFFSET(a, 0, 32);
        b = XT_UPDATE_TILE_OFFSET(b, 32, 0);
    }
    XT_STORE_TILE(sum, c);
}

XT_KERNEL (rows, ptr(f32, X), ptr(f32, Y), u32(N), f32(scale))
{
    xt_tile x = XT_INIT_TILE(X, f32, 8, 64, .shape = XT_AT(8, N));
    xt_tile y = XT_INIT_TILE(Y, f32, 8, 64, .shape = XT_AT(8, N));
    xt_vec v = XT_LOAD_TILE(x, .padding = 0);
    xt_vec most = XT_REDUCTION(maximumf, v, 1);
    v = XT_EXP(XT_SUB(v, XT_BROADCAST(most, 1, 64)));
    XT_IF (XT_LT(scale, 2.0f), &v) v = XT_MUL(v, scale);
    XT_ELSE v = XT_ADD(v, 1);
    XT_STORE_TILE(XT_SELECT(XT_GT(v, 0.5), v, XT_IOTA(f32, 8, 64, 1)), y);
}

int main(int argc, char **argv)
{
    const char *targets[] = {"bmg", "pvc", "dg2", "generic", "soft"};
    FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;
    for (int i = 0; f && i < 5; i++) {
        xt_target target = {.name = targets[i]};
        xt_module mods[2] = {XT_BUILD(product, &target), XT_BUILD(rows, &target, .names = true)};
        for (int n = 0; n < 2; n++) {
            if (!mods[n].words) return spe_print_error(mods[n].error, stdout), 1;
            fwrite(mods[n].words, 1, mods[n].size, f);
            xt_free(&mods[n]);
        }
    }
    return f && fclose(f) == 0 ? 0 : 1;
}
