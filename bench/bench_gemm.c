/* bench_gemm.c - the GEMM of examples/gemm.c on the first device (without a GPU the software device, at each
 * instruction set of the CPU), against OpenBLAS if installed: unrestricted, and (`_same_isa`) limited to the same
 * instruction set; bf16 and i8 also against oneDNN. Also the time to load its module, with an empty and a full cache.
 * Contestants take turns, so that other load on the machine slows all of them equally. Sizes that would take more than
 * $BENCH_SECONDS (default 60) are skipped with a message.
 */
#define _POSIX_C_SOURCE 200809L /* processes and pipes: blas_held.h */
#define main gemm_main
#include "../examples/gemm.c"
#undef main
#include "bench.h"
#include "blas.h"
#include "blas_held.h"
#include "dnnl.h"
#include "peak.h"

enum { RUNS = 5 };

typedef struct {
    problem p;
    session s;
    double t[RUNS]; /* seconds */
} contestant;
/* oneDNN has products of the types from bf16 on. */
enum { SGEMM = GEMM_TYPES, HELD_SGEMM, DNNL, CONTESTANTS = DNNL + GEMM_TYPES };
static dnnl_library dnnl;

static bool enter(contestant *c, const char *type, const char *size)
{
    options o;
    memset(&o, 0, sizeof o);
    o.type = type;
    o.m = o.n = o.k = size;
    return make_input(&o, &c->p) && prepare(&c->s, &o, &c->p);
}

static void leave(contestant *c)
{
    xt_free(&c->s.mod);
    zed_close(&c->s.dev);
    free(c->p.a.at);
    free(c->p.b.at);
}

static bool take_turn(contestant *c, int run)
{
    uint32_t M = (uint32_t)c->p.m, N = (uint32_t)c->p.n, K = (uint32_t)c->p.k;
    session *s = &c->s;
    const uint32_t rows = (uint32_t)s->tiles.rows, cols = (uint32_t)s->tiles.cols;
    const zed_groups groups = {(N + cols - 1) / cols, (M + rows - 1) / rows, 1};
    double ns = 0;
    for (int launch = 0; launch < 2; launch++) /* the first wakes the processors after the pause */
        ns = zed_launch_timed(&s->kernel, groups, s->a, s->b, s->c, M, N, K);
    if (ns < 0) return fail_device(&s->dev);
    if (run >= 0) c->t[run] = ns * 1e-9;
    blas_rest();
    return true;
}

static void take_turn_sgemm(sgemm_fn *sgemm, const problem *p, float *c, double *t, int run)
{
    double start = 0;
    for (int call = 0; call < 2; call++) {
        start = bench_now();
        sgemm(BLAS_ROWS, BLAS_PLAIN, BLAS_PLAIN, p->m, p->n, p->k, 1, p->a.at, p->k, p->b.at, p->n, 0, c, p->n);
    }
    if (run >= 0) t[run] = bench_now() - start;
    blas_rest();
}

/* False: it has no such product. */
static bool take_turn_dnnl(const contestant *c, int type, void *result, double *t, int run)
{
    double start = 0;
    for (int call = 0; call < 2; call++) {
        start = bench_now();
        if (!dnnl_multiply(&dnnl, type == GEMM_I8, c->p.n, c->s.a, c->s.b, result)) return false;
    }
    if (run >= 0) t[run] = bench_now() - start;
    blas_rest();
    return true;
}

/* After a failure it is out of the contest. */
static void take_turn_held(held_blas *held, double *t, int run)
{
    double seconds = 0;
    for (int call = 0; call < 2 && seconds >= 0; call++) seconds = held_blas_time(held);
    if (seconds < 0) held_blas_stop(held);
    else if (run >= 0) t[run] = seconds;
    blas_rest();
}

/* Checks every element up to 1024 cubed; 4 columns of every 64 of larger products. */
static bool is_right(const problem *p, const void *c)
{
    double *norm_a = (double *)malloc((size_t)p->m * sizeof(double));
    double *panel = (double *)malloc((size_t)p->k * 4 * sizeof(double));
    verdict v;
    bool ok = norm_a && panel;
    memset(&v, 0, sizeof v);
    v.row = -1;
    for (int i = 0; ok && i < p->m; i++) norm_a[i] = norm(p->a.at + (size_t)i * (size_t)p->k, (size_t)p->k, 1);
    for (int j = 0; ok && j<p->n; j += p->n> 1024 ? 64 : 4) check_columns(p, c, norm_a, panel, j, &v);
    free(norm_a);
    free(panel);
    return ok && v.wrong == 0;
}

/* One size at one instruction set: all types and both sgemm, in turns. */
static bool play(contestant *all, sgemm_fn *sgemm, held_blas *held, double *gflops)
{
    double t[RUNS], held_t[RUNS], dnnl_t[GEMM_TYPES][RUNS], work = 2.0 * all->p.m * all->p.n * all->p.k;
    float *own = (float *)malloc((size_t)all->p.m * (size_t)all->p.n * sizeof *own), *c = sgemm ? own : NULL;
    bool ok = own != NULL, has_dnnl[GEMM_TYPES] = {false};
    for (int run = -1; ok && run < RUNS; run++) {
        for (int i = 0; ok && i < GEMM_TYPES; i++) ok = take_turn(&all[i], run);
        if (c) take_turn_sgemm(sgemm, &all->p, c, t, run);
        if (held->pid) take_turn_held(held, held_t, run);
        for (int i = GEMM_BF16; ok && i < GEMM_TYPES; i++)
            has_dnnl[i] = take_turn_dnnl(&all[i], i, own, dnnl_t[i], run);
    }
    for (int i = 0; ok && i < GEMM_TYPES; i++) {
        gflops[i] = work / bench_median(all[i].t, RUNS) * 1e-9;
        gflops[DNNL + i] = has_dnnl[i] ? work / bench_median(dnnl_t[i], RUNS) * 1e-9 : 0;
        if (!is_right(&all[i].p, all[i].s.c)) ok = fail("%s: wrong elements", all[i].p.type->name);
    }
    gflops[SGEMM] = c ? work / bench_median(t, RUNS) * 1e-9 : 0;
    gflops[HELD_SGEMM] = held->pid ? work / bench_median(held_t, RUNS) * 1e-9 : 0;
    free(own);
    return ok;
}

static void report(const char *size, const char *suffix, const held_blas *held, const double *gflops)
{
    char name[64], f16[64], core[96];
    for (int i = 0; i < GEMM_TYPES; i++) {
        snprintf(name, sizeof name, "gemm_%s_%s%s", gemm_types[i].name, size, suffix);
        if (gflops[SGEMM] > 0)
            bench_peer_line(name, gflops[i], "GFLOP/s", "openblas_sgemm", gflops[SGEMM]);
        else
            bench_line(name, gflops[i], "GFLOP/s");
        if (gflops[DNNL + i] > 0) bench_peer_line(name, gflops[i], "GFLOP/s", dnnl.name, gflops[DNNL + i]);
        if (gflops[HELD_SGEMM] <= 0) continue;
        snprintf(name, sizeof name, "gemm_%s_%s%s_same_isa", gemm_types[i].name, size, suffix);
        snprintf(core, sizeof core, "openblas_sgemm_held_to_%s", held->core);
        bench_peer_line(name, gflops[i], "GFLOP/s", core, gflops[HELD_SGEMM]);
    }
    snprintf(name, sizeof name, "gemm_i8_beside_f16_%s%s", size, suffix);
    snprintf(f16, sizeof f16, "gemm_f16_%s%s", size, suffix);
    bench_peer_line(name, gflops[GEMM_I8], "GFLOP/s", f16, gflops[GEMM_F16]);
}

/* *soft: whether the software device was measured; *seconds: time without the compiler's part; core: OpenBLAS's name of
 * CPUs with this instruction set, or NULL. */
static bool measure(const char *size, const char *suffix, const char *core, sgemm_fn *sgemm, bool *soft,
                    double *seconds)
{
    contestant *all = (contestant *)calloc(GEMM_TYPES, sizeof *all);
    held_blas held = {0};
    double gflops[CONTESTANTS], start;
    bool ok = all != NULL;
    if (sgemm && core && !held_blas_start(&held, core, atoi(size)))
        printf("OpenBLAS has no %s here: no peer of this instruction set\n", core);
    for (int i = 0; ok && i < GEMM_TYPES; i++) ok = enter(&all[i], gemm_types[i].name, size);
    start = bench_now();
    ok = ok && play(all, sgemm, &held, gflops);
    *seconds = bench_now() - start;
    if (ok)
        report(size, suffix, &held, gflops);
    else
        printf("FAILED bench gemm_%s%s\n", size, suffix);
    if (ok) *soft = strcmp(all->s.dev.target.name, "soft") == 0;
    for (int i = 0; all && i < GEMM_TYPES; i++) leave(&all[i]);
    held_blas_stop(&held);
    free(all);
    return ok;
}

/* The software device's instruction sets, and whether the CPU supports them. */
static bool has_avx512(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

static bool has_avx2(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static bool any_cpu(void) { return true; }

/* For each, OpenBLAS's oldest core that supports it. Prescott has SSE3, the software device's `generic` SSE2. */
static const struct {
    const char *name, *core;
    bool (*here)(void);
} isas[] = {{"avx512", "SkylakeX", has_avx512}, {"avx2", "Haswell", has_avx2}, {"generic", "Prescott", any_cpu}};

/* From 64 up, each with eight times the work of the previous one, and 1023, whose rows have an odd pitch and end within
 * tiles; the largest only if time permits. */
static bool measure_sizes(sgemm_fn *sgemm, bool *soft)
{
    static const char *const sizes[] = {"64", "128", "256", "512", "1023", "1024", "2048", "4096"};
    const char *asked = getenv("BENCH_SECONDS");
    double limit = asked ? strtod(asked, NULL) : 60, seconds = 0;
    bool ok = true;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        if (seconds * 7 > limit) {
            printf("gemm %s: left out, about %.0f s (BENCH_SECONDS=%.0f)\n", sizes[n], seconds * 7, limit);
            break;
        }
        ok = measure(sizes[n], "", NULL, sgemm, soft, &seconds) && ok;
    }
    return ok;
}

static bool measure_all(sgemm_fn *sgemm)
{
    static const char *const sizes[] = {"1024", "2048"};
    const char *asked = getenv("XETILE_SOFT_ISA");
    double seconds;
    bool soft = false, ok = measure_sizes(sgemm, &soft);
    for (int i = 0; soft && !asked && i < 3; i++) {
        char suffix[16];
        if (!isas[i].here()) continue;
        snprintf(suffix, sizeof suffix, "_%s", isas[i].name);
        setenv("XETILE_SOFT_ISA", isas[i].name, 1);
        print_peak(isas[i].name);
        for (int n = 0; n < 2; n++) ok = measure(sizes[n], suffix, isas[i].core, sgemm, &soft, &seconds) && ok;
    }
    return ok;
}

/* Milliseconds from SPIR-V words to a module on the device; negative on failure. */
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

/* The software device caches compiled code in a folder: an empty one for each cold load. */
static bool load_times(zed_device *dev, const char *name, const xt_module *mod)
{
    enum { COLD = 3 };
    double cold[COLD], cached[RUNS];
    const char *build = getenv("BUILD");
    char folder[512], line[64];
    for (int i = 0; i < COLD; i++) {
        snprintf(folder, sizeof folder, "%s/bench_cache/%s%d.%ld", build ? build : "build", name, i, (long)time(NULL));
        setenv("XETILE_SOFT_CACHE", folder, 1);
        if ((cold[i] = load_once(dev, mod)) < 0) return false;
    }
    for (int i = 0; i < RUNS; i++)
        if ((cached[i] = load_once(dev, mod)) < 0) return false;
    snprintf(line, sizeof line, "module_load%s_cold", name);
    bench_line(line, bench_median(cold, COLD), "ms");
    snprintf(line, sizeof line, "module_load%s_cached", name);
    bench_line(line, bench_median(cached, RUNS), "ms");
    return true;
}

/* README's first kernel. */
XT_KERNEL (add, ptr(f32, X), ptr(f32, Y), ptr(f32, Z), u32(N))
{
    const xt_map map = XT_MAP(.sg_layout = {1, 8}, .sg_data = {1, 128});
    xt_val at = XT_MUL(XT_GROUP_ID(0), 1024);
    xt_tile x = XT_INIT_TILE(X, f32, 1, 1024, .offset = XT_AT(0, at), .shape = XT_AT(1, N), .map = map);
    xt_tile y = XT_INIT_TILE(Y, f32, 1, 1024, .offset = XT_AT(0, at), .shape = XT_AT(1, N), .map = map);
    xt_tile z = XT_INIT_TILE(Z, f32, 1, 1024, .offset = XT_AT(0, at), .shape = XT_AT(1, N), .map = map);
    XT_STORE_TILE(XT_ADD(XT_LOAD_TILE(x), XT_LOAD_TILE(y)), z);
}

static bool measure_load(void)
{
    zed_device dev;
    bool ok;
    if (!zed_open(&dev, NULL)) return fail_device(&dev);
    const xt_target target = {ZED_TARGET(&dev)};
    const options o = {.type = "f16"};
    const problem p = {.type = &gemm_types[GEMM_F16], .m = 1024, .n = 1024, .k = 1024};
    xt_tiles tiles;
    xt_module mod = build(&o, &p, &target, &tiles), sum = XT_BUILD(add, &target);
    ok = mod.words ? load_times(&dev, "", &mod) : fail_build(&mod);
    ok = (sum.words ? load_times(&dev, "_add", &sum) : fail_build(&sum)) && ok;
    xt_free(&mod);
    xt_free(&sum);
    zed_close(&dev);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], held_blas_argument)) return held_blas_serve(atoi(argv[2]));
    unsetenv("OPENBLAS_CORETYPE"); /* unrestricted OpenBLAS must choose by itself */
    sgemm_fn *sgemm = find_sgemm("gemm");
    dnnl = find_dnnl();
    bool ok = measure_load();
    return !(measure_all(sgemm) && ok);
}
