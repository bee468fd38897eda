/* bench_coopvec.c - the network of examples/mlp_inference.c (64 -> 64 -> 64 -> 3, f16) on the first device, against the
 * same network as a scalar kernel with one work-item per input on the same device, and against OpenBLAS sgemm on the
 * whole batch. Also FP8 and 8-bit weights.
 */
#define main mlp_main
#include "../examples/mlp_inference.c"
#undef main
#include "bench.h"
#include "blas.h"

enum { RUNS = 7, ITEMS = 262144 };

/* ---- the scalar kernel: loops over rows and columns, weights row-major, vectors in private arrays */

static spe_id at_(spe_module *m, spe_id variable, spe_id i) { return spe_element(m, variable, 1, &i); }

/* y = w x + b, rows x cols, starting at element `first` of the weights; relu except in the last layer. */
static void scalar_layer(cv_ctx *cv, int layer, spe_id first, spe_id x, spe_id y)
{
    spe_module *m = &cv->m;
    spe_id real = spe_float(m, 32), none[1] = {0}, sum, r, k, w, cols = spe_i32(m, layer_cols[layer]);
    r = spe_for(m, spe_i32(m, 0), spe_i32(m, layer_rows[layer]), spe_i32(m, 1), 0, none);
    w = spe_index(m, cv->args[0].id, spe_iadd(m, first, spe_imul(m, r, cols)));
    sum = spe_load(m, spe_index(m, cv->args[1].id, spe_iadd(m, spe_i32(m, layer * BIAS_BYTES / 2), r)), 0);
    sum = spe_fconvert(m, real, sum);
    k = spe_for(m, spe_i32(m, 0), cols, spe_i32(m, 1), 1, &sum);
    sum = spe_math3(m, SPE_FMA, spe_fconvert(m, real, spe_load(m, spe_index(m, w, k), 0)), spe_load(m, at_(m, x, k), 0),
                    sum);
    spe_endfor(m, 1, &sum);
    if (layer < LAYERS - 1) { /* hidden vectors are f16, as in the other kernel */
        sum = spe_fconvert(m, real, spe_fconvert(m, spe_float(m, 16), sum));
        sum = spe_math2(m, SPE_FMAX, sum, spe_f32(m, 0));
    }
    spe_store(m, at_(m, y, r), sum, 0);
    spe_endfor(m, 0, none);
}

static void scalar_body(cv_ctx *cv)
{
    spe_module *m = &cv->m;
    spe_id real = spe_float(m, 32), none[1] = {0}, v[2], i, k, round, row, first = spe_i32(m, 0);
    for (int n = 0; n < 2; n++) v[n] = spe_local_var(m, spe_array(m, real, IN));
    round = spe_for(m, spe_i32(m, 0), cv->args[5].id, spe_i32(m, 1), 0, none);
    i = spe_iadd(m, spe_imul(m, round, spe_builtin(m, SPE_GLOBAL_SIZE, 0)), spe_builtin(m, SPE_GLOBAL_ID, 0));
    row = spe_index(m, cv->args[2].id, spe_imul(m, spe_and(m, i, cv->args[4].id), spe_i32(m, IN)));
    k = spe_for(m, spe_i32(m, 0), spe_i32(m, IN), spe_i32(m, 1), 0, none);
    spe_store(m, at_(m, v[0], k), spe_fconvert(m, real, spe_load(m, spe_index(m, row, k), 0)), 0);
    spe_endfor(m, 0, none);
    for (int l = 0, at = 0; l < LAYERS; at += layer_rows[l] * layer_cols[l], l++, first = spe_i32(m, at))
        scalar_layer(cv, l, first, v[l % 2], v[1 - l % 2]);
    for (int c = 0; c < OUT; c++)
        spe_store(m, spe_index(m, cv->args[3].id, spe_iadd(m, spe_imul(m, i, spe_i32(m, OUT)), spe_i32(m, c))),
                  spe_load(m, at_(m, v[LAYERS % 2], spe_i32(m, c)), 0), 0);
    spe_endfor(m, 0, none);
}

static const cv_kernel scalar_kernel = {
    "mlp_scalar", "ptr<f16> weights, ptr<f16> biases, ptr<f16> in, ptr<f32> out, u32 mask, u32 rounds", __FILE__,
    __LINE__, scalar_body};
static const network scalar_network = {"scalar", &scalar_kernel, CV_F16, CV_F16};

/* ---- measuring */

static const double flops = 2.0 * (IN * HIDDEN + HIDDEN * HIDDEN + HIDDEN * OUT) * ITEMS;

/* GFLOP/s, with results checked; negative on failure. */
static double measure(session *s, const network *n, const void *weights, int runs)
{
    double t[RUNS], worst;
    cv_module mod = build(n, &(cv_target){ZED_TARGET(s->dev)}, CV_MUL_OPTIMAL);
    if (!mod.words) return fail_build(&mod), -1;
    if (!ZED_LOAD(&s->kernel, s->dev, mod)) return fail_device(s->dev), -1;
    zed_fill(s->dev, s->out_there, 0xff, out_bytes());
    for (int i = -1; i < runs; i++) {
        double ns = zed_launch_timed(&s->kernel, (zed_groups){ITEMS / (LOCAL * ROUNDS), 1, 1},
                                     (void *)(uintptr_t)weights, s->biases_there, s->in_there, s->out_there, ROWS - 1,
                                     ROUNDS);
        if (ns < 0) return fail_device(s->dev), -1;
        if (i >= 0) t[i] = ns;
    }
    cv_free(&mod);
    if (!zed_copy(s->dev, s->out, s->out_there, out_bytes())) return fail_device(s->dev), -1;
    blas_rest();
    return check(s, n, &worst) ? flops / bench_median(t, runs) : -1;
}

/* The batch's three products in f32 (no biases, no activations). */
static double measure_sgemm(sgemm_fn *sgemm)
{
    double t[RUNS];
    float *v[2], *w = calloc(HIDDEN * IN, sizeof *w);
    for (int i = 0; i < 2; i++) v[i] = calloc((size_t)ITEMS * IN, sizeof(float));
    for (int i = -1; i < RUNS && v[0] && v[1] && w; i++) {
        double start = bench_now();
        for (int l = 0; l < LAYERS; l++)
            sgemm(BLAS_ROWS, BLAS_PLAIN, BLAS_TRANSPOSED, ITEMS, layer_rows[l], layer_cols[l], 1, v[l % 2], IN, w,
                  layer_cols[l], 0, v[1 - l % 2], IN);
        if (i >= 0) t[i] = bench_now() - start;
    }
    free(v[0]);
    free(v[1]);
    free(w);
    blas_rest();
    return flops / bench_median(t, RUNS) * 1e-9;
}

/* The f16 weights row-major, layer by layer. */
static uint16_t *plain_weights(session *s)
{
    uint16_t *w = zed_alloc(s->dev, ZED_SHARED, LAYERS * HIDDEN * IN * sizeof *w, 128), *at = w;
    for (int l = 0; l < LAYERS && w; l++)
        for (int r = 0; r < layer_rows[l]; r++)
            for (int c = 0; c < layer_cols[l]; c++) *at++ = spe_f32_to_f16_bits((float)s->ref.w[l][r][c]);
    return w;
}

static bool measure_all(session *s)
{
    double ours, plain, e4m3, i8;
    sgemm_fn *sgemm = find_sgemm("mlp_f16_batch");
    const uint16_t *weights;
    if (!set_weights(s, &networks[0])) return false;
    weights = plain_weights(s);
    ours = measure(s, &networks[0], s->weights_there, RUNS);
    plain = weights ? measure(s, &scalar_network, weights, 3) : -1;
    if (ours < 0 || plain < 0) return false;
    bench_peer_line("mlp_f16", ours, "GFLOP/s", "scalar_kernel", plain);
    if (sgemm) bench_peer_line("mlp_f16_batch", ours, "GFLOP/s", "openblas_sgemm", measure_sgemm(sgemm));
    if (!set_weights(s, &networks[1]) || (e4m3 = measure(s, &networks[1], s->weights_there, RUNS)) < 0) return false;
    bench_line("mlp_e4m3", e4m3, "GFLOP/s");
    if (!set_weights(s, &networks[2]) || (i8 = measure(s, &networks[2], s->weights_there, RUNS)) < 0) return false;
    bench_line("mlp_i8", i8, "GOP/s");
    return true;
}

int main(void)
{
    static zed_device dev;
    static session s;
    bool ok = open_device(&dev, NULL);
    s.dev = &dev;
    s.layout = CV_MUL_OPTIMAL;
    items = ITEMS;
    if (ok) s.conversion = cv_conversion_module(&(cv_target){ZED_TARGET(&dev)});
    ok = ok && (s.conversion.words || fail_build(&s.conversion)) &&
         (ZED_LOAD(&s.convert, &dev, s.conversion) || fail_device(&dev)) && allocate(&s) && measure_all(&s);
    cv_free(&s.conversion);
    zed_close(&dev);
    free(s.out);
    return !ok;
}
