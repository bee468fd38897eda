/* bench_flash_attention.c - attention (examples/flash_attention.c) on the first device, against OpenBLAS in f32:
 * scores, softmax, weighted sum, one head at a time. */
#define main flash_attention_main
#include "../examples/flash_attention.c"
#undef main
#include "bench.h"
#include "blas.h"

enum { RUNS = 5, LENGTH = 777, HEADS = 4 };

/* One head; a causal one has zeros above the diagonal. All matrices are column-major: column i is token i. */
static void attend(sgemm_fn *sgemm, const problem *p, const float *q, const float *k, const float *v, float *s,
                   float *o)
{
    int D = p->head_size, n = p->length;
    float scale = (float)(1 / sqrt(D));
    sgemm(BLAS_COLUMNS, BLAS_TRANSPOSED, BLAS_PLAIN, n, n, D, scale, k, D, q, D, 0, s, n);
    for (int i = 0; i < n; i++) {
        float *column = s + (size_t)i * (size_t)n, top = -INFINITY, sum = 0;
        int seen = p->causal ? i + 1 : n;
        for (int j = 0; j < seen; j++) top = fmaxf(top, column[j]);
        for (int j = 0; j < seen; j++) sum += column[j] = expf(column[j] - top);
        for (int j = 0; j < seen; j++) column[j] /= sum;
        for (int j = seen; j < n; j++) column[j] = 0;
    }
    sgemm(BLAS_COLUMNS, BLAS_PLAIN, BLAS_PLAIN, D, n, n, 1, v, D, s, n, 0, o, D);
}

static double measure_blas(sgemm_fn *sgemm, const problem *p)
{
    size_t n = elements(p), head = n / (size_t)p->heads, square = (size_t)p->length * (size_t)p->length;
    float *x = (float *)malloc((4 * n + square) * sizeof(float));
    double t[RUNS];
    if (!x) return 0;
    for (size_t i = 0; i < n; i++) {
        x[i] = spe_f16_bits_to_f32(p->q[i]);
        x[n + i] = spe_f16_bits_to_f32(p->k[i]);
        x[2 * n + i] = spe_f16_bits_to_f32(p->v[i]);
    }
    for (int i = -1; i < RUNS; i++) {
        double start = bench_now();
        for (size_t h = 0; h < n; h += head)
            attend(sgemm, p, x + h, x + n + h, x + 2 * n + h, x + 4 * n, x + 3 * n + h);
        if (i >= 0) t[i] = bench_now() - start;
    }
    free(x);
    blas_rest();
    return flops(p) / bench_median(t, RUNS) * 1e-9;
}

static bool measure(zed_device *dev, int head_size, bool causal, sgemm_fn *sgemm)
{
    problem p = {.head_size = head_size, .length = LENGTH, .heads = HEADS, .causal = causal};
    zed_kernel loaded;
    verdict v;
    double t[RUNS];
    char name[64];
    bool ok = make_input(dev, &p) && load_attention(dev, &loaded, &p);
    for (int i = -1; i < RUNS && ok; i++) {
        double ns = launch(dev, &loaded, &p);
        if (ns < 0) ok = fail_device(dev);
        if (i >= 0) t[i] = ns;
    }
    ok = ok && check(&p, &v) && !v.wrong;
    snprintf(name, sizeof name, "flash_attention_%d%s", head_size, causal ? "_causal" : "");
    if (!ok) printf("FAILED bench %s\n", name);
    else if (sgemm)
        bench_peer_line(name, flops(&p) / bench_median(t, RUNS), "GFLOP/s", "openblas_f32", measure_blas(sgemm, &p));
    else bench_line(name, flops(&p) / bench_median(t, RUNS), "GFLOP/s");
    free_input(dev, &p);
    return ok;
}

int main(void)
{
    sgemm_fn *sgemm = find_sgemm("flash_attention");
    zed_device dev;
    bool ok = zed_open(&dev, NULL) || fail_device(&dev);
    for (int i = 0; ok && i < 4; i++) ok = measure(&dev, i < 2 ? 64 : 128, i % 2 == 1, sgemm);
    zed_close(&dev);
    return !ok;
}
