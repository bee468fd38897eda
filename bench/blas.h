/* blas.h - OpenBLAS for the benches, loaded at run time, so that it need not be installed. */
#ifndef XETILE_BENCH_BLAS_H
#define XETILE_BENCH_BLAS_H

#include <dlfcn.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

typedef void sgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                      const float *b, int ldb, float beta, float *c, int ldc);
enum { BLAS_ROWS = 101, BLAS_COLUMNS = 102, BLAS_PLAIN = 111, BLAS_TRANSPOSED = 112 };

/* cblas_sgemm; NULL, with a message, if not installed. */
static inline sgemm_fn *find_sgemm(const char *bench)
{
    void *blas = dlopen("libopenblas.so.0", RTLD_NOW);
    sgemm_fn *sgemm = NULL;
    if (!blas) blas = dlopen("libopenblas.so", RTLD_NOW);
    if (blas) *(void **)&sgemm = dlsym(blas, "cblas_sgemm");
    if (!sgemm) printf("libopenblas is not installed (make setup-optional): %s has no peer here\n", bench);
    return sgemm;
}

/* BLAS threads spin for a while after a call; lets them fall asleep before the next contestant. */
static inline void blas_rest(void)
{
    const struct timespec pause = {0, 150 * 1000 * 1000};
    thrd_sleep(&pause, NULL);
}

#endif
