/* bench_gemm.c - the GEMM of examples/gemm.c on the first device (without a GPU the software one), beside OpenBLAS where
 * it is installed; and how long its module takes to load, into an empty cache and from a full one.
 */
#define main gemm_main
#include "../examples/gemm.c"
#undef main
#include "bench.h"

#include <dlfcn.h>
#include <threads.h>

enum { RUNS = 9 };

/* Threads of a BLAS spin for a while after a call; let them fall asleep before the next contestant. */
static void rest(void)
{
    const struct timespec pause = {0, 60 * 1000 * 1000};
    thrd_sleep(&pause, NULL);
}

typedef void sgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                      const float *b, int ldb, float beta, float *c, int ldc);

static sgemm_fn *find_sgemm(void)
{
    void *blas = dlopen("libopenblas.so.0", RTLD_NOW);
    sgemm_fn *sgemm = NULL;
    if (!blas) blas = dlopen("libopenblas.so", RTLD_NOW);
    if (blas) *(void **)&sgemm = dlsym(blas, "cblas_sgemm");
    return sgemm;
}

/* GFLOP/s of sgemm on the same sizes, 0 when it is not installed. */
static double measure_sgemm(sgemm_fn *sgemm, const problem *p)
{
    double t[RUNS];
    float *c = (float *)malloc((size_t)p->m * (size_t)p->n * sizeof *c);
    for (int i = -1; i < RUNS && c; i++) {
        double start = bench_now();
        sgemm(101, 111, 111, p->m, p->n, p->k, 1, p->a.at, p->k, p->b.at, p->n, 0, c, p->n);
        if (i >= 0) t[i] = bench_now() - start;
    }
    free(c);
    rest();
    return c ? 2.0 * p->m * p->n * p->k / bench_median(t, RUNS) * 1e-9 : 0;
}

static double measure_device(session *s, const problem *p)
{
    uint32_t M = (uint32_t)p->m, N = (uint32_t)p->n, K = (uint32_t)p->k;
    double t[RUNS];
    for (int i = -1; i < RUNS; i++) {
        double ns = zed_launch_timed(&s->kernel, (zed_groups){(N + 255) / 256, (M + 255) / 256, 1}, s->a, s->b, s->c, M, N, K);
        if (ns < 0) return fail_device(&s->dev), -1;
        if (i >= 0) t[i] = ns;
    }
    rest();
    return 2.0 * p->m * p->n * p->k / bench_median(t, RUNS);
}

static bool measure(const char *type, const char *size, sgemm_fn *sgemm)
{
    options o;
    problem p;
    session s;
    verdict v;
    char name[64];
    double ours = -1;
    memset(&o, 0, sizeof o);
    memset(&p, 0, sizeof p);
    memset(&s, 0, sizeof s);
    o.type = type;
    o.m = o.n = o.k = size;
    if (make_input(&o, &p) && prepare(&s, &o, &p)) ours = measure_device(&s, &p);
    if (ours > 0 && (!check(&p, s.c, &v) || v.wrong)) ours = -1;
    snprintf(name, sizeof name, "gemm_%s_%s", type, size);
    if (ours < 0) printf("FAILED bench %s\n", name);
    else if (sgemm) bench_peer_line(name, ours, "GFLOP/s", "openblas_sgemm", measure_sgemm(sgemm, &p));
    else bench_line(name, ours, "GFLOP/s");
    xt_free(&s.mod);
    zed_close(&s.dev);
    free(p.a.at);
    free(p.b.at);
    return ours > 0;
}

/* Milliseconds from SPIR-V words to a module on the device; negative: it failed. */
static double load_once(zed_device *dev, const xt_module *mod)
{
    zed_module module;
    double start = bench_now();
    bool ok = zed_module_load(&module, dev, mod->words, mod->size, mod->build_flags);
    double ms = (bench_now() - start) * 1e3;
    if (!ok) return fail_device(dev), -1;
    zed_module_free(&module);
    return ms;
}

/* The software device keeps what it compiled in a folder: an empty one for each cold load. */
static bool load_times(zed_device *dev, const xt_module *mod)
{
    enum { COLD = 3 };
    double cold[COLD], cached[RUNS];
    char folder[64];
    for (int i = 0; i < COLD; i++) {
        snprintf(folder, sizeof folder, "build/bench_cache/%d.%ld", i, (long)time(NULL));
        setenv("XETILE_SOFT_CACHE", folder, 1);
        if ((cold[i] = load_once(dev, mod)) < 0) return false;
    }
    for (int i = 0; i < RUNS; i++)
        if ((cached[i] = load_once(dev, mod)) < 0) return false;
    bench_line("module_load_cold", bench_median(cold, COLD), "ms");
    bench_line("module_load_cached", bench_median(cached, RUNS), "ms");
    return true;
}

static bool measure_load(void)
{
    zed_device dev;
    xt_module mod;
    bool ok;
    if (!zed_open(&dev, NULL)) return fail_device(&dev);
    mod = build(&gemm_types[GEMM_F16], &(xt_target){ZED_TARGET(&dev)});
    ok = mod.words ? load_times(&dev, &mod) : fail_build(&mod);
    xt_free(&mod);
    zed_close(&dev);
    return ok;
}

int main(void)
{
    static const char *const types[] = {"f16", "bf16", "i8"};
    sgemm_fn *sgemm = find_sgemm();
    bool ok = measure_load();
    if (!sgemm) printf("libopenblas is not installed (make setup-optional): gemm has no peer here\n");
    for (int t = 0; t < 3; t++) ok = measure(types[t], "1024", sgemm) && ok;
    return !ok;
}
