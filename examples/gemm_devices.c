/* gemm_devices.c - C = A B over all devices of a context at once: every device of the driver, or its sub-devices (the
 * tiles of a data-centre GPU; XETILE_SOFT_SUBDEVICES=4 makes four of the software device). Each takes a share of the
 * rows of A and C and all of B. f16, summed in f32; any M, N and K. See `gemm_devices --help`.
 *
 *     cc -std=c11 gemm_devices.c -lze_loader -lm && XETILE_SOFT_SUBDEVICES=2 ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_devices"
#include "example.h"

#include <float.h>
#include <time.h>

enum { TILE = 256, STEP = 32, RUNS = 5 };

XT_KERNEL(gemm_devices, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const xt_map map_a = XT_MAP(.sg_layout = {8, 4}, .sg_data = {32, STEP});
    const xt_map map_b = XT_MAP(.sg_layout = {8, 4}, .sg_data = {STEP, 64});
    const xt_map map_c = XT_MAP(.sg_layout = {8, 4}, .sg_data = {32, 64});
    xt_val i = XT_MUL(XT_GROUP_ID(1), TILE), j = XT_MUL(XT_GROUP_ID(0), TILE);
    xt_tile a = XT_INIT_TILE(A, f16, TILE, STEP, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = map_a);
    xt_tile b = XT_INIT_TILE(B, f16, STEP, TILE, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = map_b);
    xt_tile c = XT_INIT_TILE(C, f32, TILE, TILE, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = map_c);
    xt_vec acc = XT_SPLAT(f32, TILE, TILE, 0, .map = map_c);
    XT_FOR(k, 0, K, STEP, &a, &b, &acc)
    {
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, STEP);
        b = XT_UPDATE_TILE_OFFSET(b, STEP, 0);
    }
    XT_STORE_TILE(acc, c);
}

typedef struct {
    int m, n, k;
} problem;

/* A device's share: rows first to first + rows of A and C, all of B. */
typedef struct {
    zed_device dev;
    zed_kernel kernel;
    uint16_t *a, *b;
    float *c;
    int first, rows;
} share;

/* ---- messages and the command line ---- */

typedef struct {
    const char *emit, *target, *device, *m, *n, *k;
    bool list, help;
} options;

static void print_help(void)
{
    printf("gemm_devices: C = A B over all devices of a context\n"
           "  --m M --n N --k K   sizes, default 1024 512 256\n"
           "  --device NAME       number or part of the name of a device, whose driver's devices are all used\n"
           "  --emit FILE         write the SPIR-V module instead of running it\n"
           "  --print             print the kernel instead: as recorded, its maps, what a subgroup does\n"
           "  --target NAME       ... for pvc, bmg, lnl, ptl, dg2, generic or soft (default bmg)\n"
           "  --list, --help\n"
           "The last line is `ok gemm_devices ...` or `FAILED gemm_devices ...`.\n");
}

static bool parse_option(options *o, char **argv, int *i)
{
    const example_option with_value[] = {{"--emit", &o->emit}, {"--target", &o->target}, {"--device", &o->device},
                      {"--m", &o->m},       {"--n", &o->n},           {"--k", &o->k}};
    return parse_one(with_value, sizeof with_value / sizeof with_value[0], &o->list, &o->help, argv, i);
}

/* ---- input, and the check against f64 ---- */

/* Products of two f16 values are exact in f32; K additions round, each by at most 2^-24 of a partial sum (twice that if
 * hardware truncates). Independent roundings stay below 8 sqrt(K) times that of |a| |b|, the Euclidean norms of a row
 * and a column, with probability 1 - 3e-14 per element. K FLT_MIN is for flushed subnormals. */
static bool check(const problem *p, const uint16_t *a, const uint16_t *b, const float *c)
{
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k, wrong = 0;
    double *x = (double *)malloc(m * k * sizeof *x), *y = (double *)malloc(k * sizeof *y), worst = 0;
    if (!x || !y) return fail("out of memory for the check");
    for (size_t i = 0; i < m * k; i++) x[i] = (double)spe_f16_bits_to_f32(a[i]);
    for (size_t j = 0; j < n; j++) {
        double norm_b = 0;
        for (size_t q = 0; q < k; q++) y[q] = (double)spe_f16_bits_to_f32(b[q * n + j]), norm_b += y[q] * y[q];
        for (size_t i = 0; i < m; i++) {
            double want = 0, norm_a = 0, error, bound;
            for (size_t q = 0; q < k; q++) want += x[i * k + q] * y[q], norm_a += x[i * k + q] * x[i * k + q];
            bound = 8 * sqrt((double)k) * (double)FLT_EPSILON * sqrt(norm_a * norm_b) + (double)k * (double)FLT_MIN;
            error = fabs((double)c[i * n + j] - want);
            if (!(error <= bound) && wrong++ == 0)
                printf("C(%zu, %zu) is %.9g, want %.9g within %.3g\n", i, j, (double)c[i * n + j], want, bound);
            if (error / bound > worst) worst = error / bound;
        }
    }
    free(x);
    free(y);
    printf("error    at most %.3g of what is allowed\n", worst);
    return wrong == 0 || fail("%d x %d x %d: %zu elements are wrong", p->m, p->n, p->k, wrong);
}

/* ---- the run ---- */

/* Module, memory and input of one device. Devices of a driver may differ, so each has a module of its own. */
static bool prepare(share *s, const problem *p, const uint16_t *a, const uint16_t *b)
{
    size_t rows = (size_t)s->rows, n = (size_t)p->n, k = (size_t)p->k;
    xt_module mod = XT_BUILD(gemm_devices, &(xt_target){ZED_TARGET(&s->dev)});
    if (!mod.words) return fail_build(&mod);
    ZED_LOAD(&s->kernel, &s->dev, mod);
    xt_free(&mod);
    s->a = (uint16_t *)zed_alloc(&s->dev, ZED_DEVICE, rows * k * 2, 0);
    s->b = (uint16_t *)zed_alloc(&s->dev, ZED_DEVICE, k * n * 2, 0);
    s->c = (float *)zed_alloc(&s->dev, ZED_DEVICE, rows * n * 4, 0);
    zed_copy(&s->dev, s->a, a + (size_t)s->first * k, rows * k * 2);
    zed_copy(&s->dev, s->b, b, k * n * 2);
    return zed_fill(&s->dev, s->c, 0xff, rows * n * 4) || fail_device(&s->dev); /* NaN everywhere */
}

static double now(void) /* seconds */
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Starts all devices, then waits for all. Returns seconds, negative on failure. */
static double launch(share *all, int count, const problem *p)
{
    double start = now();
    bool ok = true;
    for (int i = 0; i < count; i++) {
        zed_groups groups = {(uint32_t)(p->n + TILE - 1) / TILE, (uint32_t)(all[i].rows + TILE - 1) / TILE, 1};
        zed_start(&all[i].kernel, groups, all[i].a, all[i].b, all[i].c, (uint32_t)all[i].rows, (uint32_t)p->n,
                  (uint32_t)p->k);
    }
    for (int i = 0; i < count; i++) ok = (zed_wait(&all[i].dev) || fail_device(&all[i].dev)) && ok;
    return ok ? now() - start : -1;
}

static bool compute(share *all, int count, const problem *p, float *c)
{
    double best = 1e30;
    for (int run = 0; run <= RUNS; run++) { /* the first warms up */
        double seconds = launch(all, count, p);
        if (seconds < 0) return false;
        if (run && seconds < best) best = seconds;
    }
    for (int i = 0; i < count; i++)
        if (!zed_copy(&all[i].dev, c + (size_t)all[i].first * (size_t)p->n, all[i].c,
                      (size_t)all[i].rows * (size_t)p->n * 4))
            return fail_device(&all[i].dev);
    printf("time     %.3f ms, %.1f GFLOP/s on %d device%s\n", best * 1e3, 2.0 * p->m * p->n * p->k / best * 1e-9, count,
           count == 1 ? "" : "s");
    return true;
}

/* Opens the devices and distributes the rows, leaving out devices without rows. Returns the number of devices, 0 on
 * failure. */
static int deal_out(zed_device *first, share *all, const problem *p, const uint16_t *a, const uint16_t *b)
{
    int devices = zed_context_devices(first), each, count = 0;
    if (devices < 1) return fail_device(first);
    each = (p->m + devices - 1) / devices;
    for (int row = 0; row < p->m; row += each, count++) {
        share *s = &all[count];
        s->first = row;
        s->rows = p->m - row < each ? p->m - row : each;
        if (!zed_open_in_context(&s->dev, first, count)) return fail_device(&s->dev);
        printf("device   %s: rows %d to %d\n", s->dev.name, row, row + s->rows - 1);
        if (!prepare(s, p, a, b)) return 0;
    }
    return count;
}

static bool run(const options *o, const problem *p)
{
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    uint16_t *a = (uint16_t *)malloc(m * k * 2), *b = (uint16_t *)malloc(k * n * 2);
    float *c = (float *)malloc(m * n * 4);
    share *all = (share *)calloc(ZED_MAX_DEVICES, sizeof *all);
    uint64_t seed = 2024;
    zed_device first;
    int count = 0;
    bool ok = a && b && c && all ? open_device(&first, o->device) : fail("out of memory");
    if (ok) {
        fill_normal(a, m * k, &seed);
        fill_normal(b, k * n, &seed);
        memset(c, 0xff, m * n * 4);
        count = deal_out(&first, all, p, a, b);
        ok = count > 0 && compute(all, count, p, c) && check(p, a, b, c);
        /* before the device that owns their context */
        for (int i = 0; i < ZED_MAX_DEVICES; i++) zed_close(&all[i].dev);
        zed_close(&first);
    }
    if (ok) printf("ok gemm_devices f16 %d x %d x %d on %d\n", p->m, p->n, p->k, count);
    free(a);
    free(b);
    free(c);
    free(all);
    return ok;
}

static bool emit(const options *o)
{
    xt_module mod = XT_BUILD(gemm_devices, &(xt_target){.name = o->target ? o->target : "bmg"});
    bool ok;
    if (!mod.words) {
        ok = fail_build(&mod);
    } else {
        ok = write_module(o->emit, &mod);
    }
    if (ok)
        printf("params   %s\nflags    %s\nok gemm_devices: %s, %zu bytes\n", mod.params, mod.build_flags, o->emit,
               mod.size);
    xt_free(&mod);
    return ok;
}

/* Lists the devices, and those that share each one's context. */
static bool list_devices(void)
{
    static zed_info info[ZED_MAX_DEVICES];
    static zed_device first, other;
    zed_error error;
    int count = zed_list(info, ZED_MAX_DEVICES, &error);
    if (count < 0) return fail("%s", error.text);
    for (int i = 0; i < count; i++) {
        printf("%d  %s (%s)\n", info[i].index, info[i].name, info[i].target);
        if (!zed_open(&first, &(zed_options){.index_plus_1 = i + 1})) continue;
        for (int j = 0; j < zed_context_devices(&first); j++) {
            if (zed_open_in_context(&other, &first, j)) printf("   %d.%d  %s\n", i, j, other.name);
            zed_close(&other);
        }
        zed_close(&first);
    }
    return true;
}

int main(int argc, char **argv)
{
    atexit(flush_output);
    options o;
    problem p;
    bool ok = true;
    (void)argc;
    memset(&o, 0, sizeof o);
    for (int i = 1; argv[i] && ok; i++) ok = parse_option(&o, argv, &i);
    if (ok && o.target && !o.emit) ok = fail("--target requires --emit");
    ok = ok && parse_size("--m", o.m, 1024, &p.m) && parse_size("--n", o.n, 512, &p.n) &&
         parse_size("--k", o.k, 256, &p.k);
    if (ok && o.help)
        print_help();
    else if (ok && o.list)
        ok = list_devices();
    else if (ok)
        ok = o.emit ? emit(&o) : run(&o, &p);
    return ok ? 0 : 1;
}
