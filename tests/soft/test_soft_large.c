/* test_soft_large.c - what a kernel costs grows with its work, not with a limit that its length passes: two products
 * and some exponentials, for any pitch and for aligned ones. The software device takes the same side of the branch in
 * both, so times may differ by the branch, 15 %; the limit here is what a busy machine allows. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* unsetenv */
#endif
#include "test.h"
#include "xetile.h"
#include "ze_dispatch.h"

enum { M = 100, N = 500, K = 192 };
static int exponentials;

static xt_vec product(XT_CONTEXT, xt_val A, xt_val W, xt_val i, xt_val j, xt_val columns)
{
    const xt_map map = XT_MAP(.sg_layout = {4, 2}, .sg_data = {16, 32}), ma = xt_map_mma_a(&map, 32),
                 mb = xt_map_mma_b(&map, 32);
    xt_val lines = XT_PARAM("Lines"), length = XT_PARAM("Length");
    xt_tile a = XT_INIT_TILE(A, f16, 64, 32, .offset = XT_AT(i, 0), .shape = XT_AT(lines, length), .map = ma);
    xt_tile b = XT_INIT_TILE(W, f16, 32, 64, .offset = XT_AT(0, j), .shape = XT_AT(length, columns),
                             .strides = XT_AT(1, length), .order = {0, 1}, .map = mb);
    xt_vec sum = XT_SPLAT(f32, 64, 64, 0, .map = map);
    XT_FOR (k, 0, length, 32, &a, &b, &sum) {
        sum = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), sum);
        a = XT_UPDATE_TILE_OFFSET(a, 0, 32);
        b = XT_UPDATE_TILE_OFFSET(b, 32, 0);
    }
    return sum;
}

XT_KERNEL (gated, ptr(f16, W), ptr(f16, X), ptr(f32, Y), u32(Lines), u32(Columns), u32(Length))
{
    const xt_map map = XT_MAP(.sg_layout = {4, 2}, .sg_data = {16, 32});
    xt_val i = XT_MUL(XT_GROUP_ID(1), 64), j = XT_MUL(XT_GROUP_ID(0), 64);
    (void)Length;
    xt_vec gate = product(XT_SELF, X, W, i, j, Columns);
    xt_vec up = product(XT_SELF, X, W, i, XT_ADD(j, Columns), XT_MUL(Columns, 2));
    for (int e = 0; e < exponentials; e++) gate = XT_EXP(XT_MIN(gate, 1.0));
    XT_STORE_TILE(XT_MUL(gate, up), XT_INIT_TILE(Y, f32, 64, 64, .offset = XT_AT(i, j),
                                                 .shape = XT_AT(Lines, Columns), .map = map));
}

/* The least of several times, in milliseconds; 0 after an error. */
static double time_of(zed_device *d, xt_pitch pitch, const uint16_t *w, const uint16_t *x, float *y)
{
    zed_kernel k;
    double best = 1e18;
    xt_module m = XT_BUILD(gated, &(xt_target){ZED_TARGET(d)}, .pitch = pitch);
    if (!m.words || !ZED_LOAD(&k, d, m)) return 0;
    for (int r = 0; r < 15; r++)
        best = fmin(best, zed_launch_timed(&k, (zed_groups){8, 2, 1}, w, x, y, M, N, K));
    xt_free(&m);
    return best * 1e-6;
}

/* By i, j of Y, in double; sums of K products of halves, rounded to f32 at most K times. */
static int wrong_results(const uint16_t *w, const uint16_t *x, const float *y)
{
    int wrong = 0;
    for (int i = 0; i < M; i += 7)
        for (int j = 0; j < N; j++) {
            double gate = 0, up = 0;
            for (int k = 0; k < K; k++) {
                double a = (double)spe_f16_bits_to_f32(x[i * K + k]);
                gate += a * (double)spe_f16_bits_to_f32(w[j * K + k]);
                up += a * (double)spe_f16_bits_to_f32(w[(N + j) * K + k]);
            }
            for (int e = 0; e < exponentials; e++) gate = exp(fmin(gate, 1));
            wrong += !(fabs((double)y[i * N + j] - gate * up) <= 1e-3 * (1 + fabs(gate * up)));
        }
    return wrong;
}

TEST(longer_kernels_are_not_slower)
{
    zed_device d;
    CHECK(zed_open(&d, NULL));
    uint16_t *w = (uint16_t *)zed_alloc(&d, ZED_SHARED, 4 * N * K, 0);
    uint16_t *x = (uint16_t *)zed_alloc(&d, ZED_SHARED, 2 * M * K, 0);
    float *y = (float *)zed_alloc(&d, ZED_SHARED, 4 * M * N, 0);
    for (int i = 0; i < 2 * N * K; i++) w[i] = spe_f32_to_f16_bits((float)test_normal() / 16);
    for (int i = 0; i < M * K; i++) x[i] = spe_f32_to_f16_bits((float)test_normal());
    for (exponentials = 1; exponentials <= 5; exponentials += 2) {
        double any = time_of(&d, XT_PITCH_AUTO, w, x, y), aligned = 0;
        CHECK_INT(wrong_results(w, x, y), 0);
        memset(y, 0xdb, 4 * M * N);
        aligned = time_of(&d, XT_PITCH_ALIGNED, w, x, y);
        CHECK_INT(wrong_results(w, x, y), 0);
        CHECK_MSG(any > 0 && any < 1.6 * aligned, "%d exponentials: %.2f ms, aligned %.2f", exponentials, any, aligned);
    }
    zed_close(&d);
}

int main(void)
{
    unsetenv("XETILE_SOFT_TIER"); /* as users run it */
    RUN(longer_kernels_are_not_slower);
    return test_report();
}
