/* mistakes.h - what programs get wrong, a line each, for test_mistakes.sh: every compiler must refuse each line that
 * ends in a number, and name it. docs/mistakes.md has them with what the compilers say. */
#include "coopvec.h"
#include "xetile.h"
#include "ze_dispatch.h"

#define KERNEL(name) XT_KERNEL (name, ptr(f32, X), ptr(f32, Y), u32(N))
#define TILES                                                                                                          \
    xt_tile x = XT_INIT_TILE(X, f32, 8, 64, .shape = XT_AT(8, N));                                                     \
    xt_tile y = XT_INIT_TILE(Y, f32, 8, 64, .shape = XT_AT(8, N));                                                     \
    xt_vec v = XT_LOAD_TILE(x);

static xt_vec twice(XT_CONTEXT, xt_vec v) { return XT_MUL(v, 2); }
static xt_vec half(xt_vec v) { return XT_MUL(v, 0.5); } /* 1 */

KERNEL(no_self) { TILES
    v = twice(v); /* 2 */
    XT_STORE_TILE(v, y); }
KERNEL(no_prefix) { TILES
    v = LOAD_TILE(x); /* 3 */
    XT_STORE_TILE(v, y); }
KERNEL(option) { TILES
    v = XT_LOAD_TILE(x, .paddin = 0); /* 4 */
    XT_STORE_TILE(v, y); }
KERNEL(vector_for_tile) { TILES
    v = XT_LOAD_TILE(v); /* 5 */
    XT_STORE_TILE(v, y); }
KERNEL(tile_for_vector) { TILES
    v = XT_ADD(v, x); /* 6 */
    XT_STORE_TILE(v, y); }
KERNEL(number_for_vector) { TILES
    XT_STORE_TILE(2.0f, y); /* 7 */
    XT_STORE_TILE(v, y); }
KERNEL(operator_of_c) { TILES
    v = v * 2; /* 8 */
    XT_STORE_TILE(v, y); }
KERNEL(if_of_c) { TILES
    if (XT_LT(N, 5)) v = twice(XT_SELF, v); /* 9 */
    XT_STORE_TILE(v, y); }
KERNEL(type_of_c) { TILES
    v = XT_CAST(float, v); /* 10 */
    XT_STORE_TILE(v, y); }
KERNEL(kind) { TILES
    v = XT_REDUCTION(max, v, 1); /* 11 */
    XT_STORE_TILE(v, y); }
KERNEL(carried) { TILES
    XT_FOR (k, 0, N, 1, v) v = XT_ADD(v, k); /* 12 */
    XT_STORE_TILE(v, y); }
KERNEL(no_number) { TILES
    v = XT_SPLAT(f32, 8, 64); /* 13 */
    XT_STORE_TILE(v, y); }
KERNEL(no_columns) { TILES
    x = XT_INIT_TILE(X, f32, 8); /* 14 */
    XT_STORE_TILE(v, y); }
KERNEL(size) { TILES
    x = XT_INIT_TILE(X, f32, 8, N); /* 15 */
    XT_STORE_TILE(v, y); }

CV_KERNEL (vectors, ptr(f16, W), ptr(f16, X), ptr(f16, Y))
{
    cv_vec x = CV_LOAD(X, 16, 0);
    x = CV_MUL(f16, x, x); /* 16 */
    CV_STORE(1.5, Y, 0); /* 17 */
    CV_STORE(x, W, 0);
}

xt_module build(xt_target target);
bool launch(zed_kernel *kernel, zed_groups groups, float *x, float *y, xt_module mod);
xt_module build(xt_target target)
{
    return XT_BUILD(no_self, target); /* 18 */
}
bool launch(zed_kernel *kernel, zed_groups groups, float *x, float *y, xt_module mod)
{
    return zed_launch(kernel, groups, x, y, mod); /* 19 */
}

XT_KERNEL (parameters, float *X, ptr(f32, Y), u32(N)) /* 20 */
{ XT_STORE(1.0, Y, N); }
