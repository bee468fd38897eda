/* bench_batched_gemm.c - 10,000 small products (examples/batched_gemm.c) on the first device, against as many calls to
 * OpenBLAS. */
#define main batched_gemm_main
#include "../examples/batched_gemm.c"
#undef main
#include "bench.h"
#include "blas.h"

enum { RUNS = 7 };

static double measure_sgemm(sgemm_fn *sgemm, const products *p)
{
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    double t[RUNS];
    for (int i = -1; i < RUNS; i++) {
        double start = bench_now();
        for (size_t b = 0; b < (size_t)p->count; b++)
            sgemm(BLAS_COLUMNS, BLAS_PLAIN, BLAS_PLAIN, p->m, p->n, p->k, 1, p->a + b * m * k, p->m, p->b + b * k * n,
                  p->k, 0, p->c + b * m * n, p->m);
        if (i >= 0) t[i] = bench_now() - start;
    }
    blas_rest();
    return flops_of(p) / bench_median(t, RUNS) * 1e-9;
}

static bool measure(zed_device *dev, int size, sgemm_fn *sgemm)
{
    products p = {size, size, size, 10000, NULL, NULL, NULL};
    zed_kernel loaded;
    double t[RUNS];
    char name[64];
    bool ok = new_products(dev, &p) && load_kernel(&kernel, dev, &loaded, &p);
    for (int i = -1; i < RUNS && ok; i++) {
        double ns = launch(&loaded, &p);
        if (ns < 0) ok = fail_device(dev);
        if (i >= 0) t[i] = ns;
    }
    ok = ok && check_products(dev, &p);
    snprintf(name, sizeof name, "batched_gemm_f32_%d", size);
    if (!ok) printf("FAILED bench %s\n", name);
    else if (sgemm)
        bench_peer_line(name, flops_of(&p) / bench_median(t, RUNS), "GFLOP/s", "openblas_sgemm",
                        measure_sgemm(sgemm, &p));
    else bench_line(name, flops_of(&p) / bench_median(t, RUNS), "GFLOP/s");
    free_products(dev, &p);
    return ok;
}

int main(void)
{
    sgemm_fn *sgemm = find_sgemm("batched_gemm");
    zed_device dev;
    bool ok = open_device(&dev, NULL);
    for (int size = 8; ok && size <= 32; size *= 2) ok = measure(&dev, size, sgemm);
    zed_close(&dev);
    return !ok;
}
