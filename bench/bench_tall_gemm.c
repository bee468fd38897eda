/* bench_tall_gemm.c - a tall-and-skinny product (examples/tall_gemm.c) on the first device, against OpenBLAS. */
#define main tall_gemm_main
#include "../examples/tall_gemm.c"
#undef main
#include "bench.h"
#include "blas.h"

enum { RUNS = 7 };

static double measure_sgemm(sgemm_fn *sgemm, const products *p)
{
    double t[RUNS];
    for (int i = -1; i < RUNS; i++) {
        double start = bench_now();
        sgemm(BLAS_COLUMNS, BLAS_PLAIN, BLAS_PLAIN, p->m, p->n, p->k, 1, p->a, p->m, p->b, p->k, 0, p->c, p->m);
        if (i >= 0) t[i] = bench_now() - start;
    }
    blas_rest();
    return flops_of(p) / bench_median(t, RUNS) * 1e-9;
}

static bool measure(zed_device *dev, int n, int k, sgemm_fn *sgemm)
{
    products p = {100003, n, k, 1, NULL, NULL, NULL};
    zed_kernel loaded;
    double t[RUNS];
    char name[64];
    bool ok = new_products(dev, &p) && load_kernel(&kernel, dev, &loaded, &p);
    for (int i = -1; i < RUNS && ok; i++) {
        double ns = launch(dev, &loaded, &p);
        if (ns < 0) ok = fail_device(dev);
        if (i >= 0) t[i] = ns;
    }
    ok = ok && check_products(dev, &p);
    snprintf(name, sizeof name, "tall_gemm_f32_100003x%dx%d", n, k);
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
    sgemm_fn *sgemm = find_sgemm("tall_gemm");
    zed_device dev;
    bool ok = open_device(&dev, NULL);
    ok = ok && measure(&dev, 8, 32, sgemm) && measure(&dev, 32, 64, sgemm);
    zed_close(&dev);
    return !ok;
}
