/* bench_plain_gemm.c - an f32 GEMM of this library, lowered for a device without matrix instructions (target
 * `generic`): per-lane loads, subgroup broadcasts, FMA. On the first device, without a GPU the software device, against
 * the same words on PoCL, if it is installed and supports SPIR-V with subgroups (6.0 does, 3.1 does not).
 *
 * Every element of the first run is compared with the product in f64 on both. Whole launches are timed.
 */
#include "xetile.h"
#include "ze_dispatch.h"

#include "pocl.h"

#include <math.h>

enum { RUNS = 7, ROWS = 64, COLS = 64, STEP = 16 };

XT_KERNEL (plain_gemm, ptr(f32, A), ptr(f32, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const xt_map map = XT_MAP(.sg_layout = {4, 2}, .sg_data = {ROWS / 4, COLS / 2});
    xt_val i = XT_MUL(XT_GROUP_ID(1), ROWS), j = XT_MUL(XT_GROUP_ID(0), COLS);
    xt_tile a =
        XT_INIT_TILE(A, f32, ROWS, STEP, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = xt_map_mma_a(&map, STEP));
    xt_tile b =
        XT_INIT_TILE(B, f32, STEP, COLS, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = xt_map_mma_b(&map, STEP));
    xt_tile c = XT_INIT_TILE(C, f32, ROWS, COLS, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = map);
    xt_vec sum = XT_SPLAT(f32, ROWS, COLS, 0, .map = map);
    XT_FOR (k, 0, K, STEP, &a, &b, &sum) {
        sum = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), sum);
        a = XT_UPDATE_TILE_OFFSET(a, 0, STEP);
        b = XT_UPDATE_TILE_OFFSET(b, STEP, 0);
    }
    XT_STORE_TILE(sum, c);
}

typedef struct {
    int n; /* M, N and K */
    float *a, *b, *c;
} problem;

static double work(const problem *p) { return 2.0 * p->n * p->n * p->n * 1e-9; }

static void make_input(problem *p)
{
    uint64_t state = 1;
    for (int i = 0; i < 2 * p->n * p->n; i++) {
        float *to = i < p->n * p->n ? p->a + i : p->b + (i - p->n * p->n);
        state = state * 6364136223846793005u + 1442695040888963407u;
        *to = (float)((double)(state >> 11) * 0x1p-52 - 1);
    }
}

/* n products and sums in f32, in any order, are off by at most n + 2 roundings of the sum of magnitudes. */
static bool is_right(const problem *p)
{
    size_t n = (size_t)p->n;
    double *row = (double *)malloc(2 * n * sizeof *row), *size = row + n;
    bool right = row != NULL;
    for (size_t i = 0; right && i < n; i++) {
        for (size_t j = 0; j < 2 * n; j++) row[j] = 0;
        for (size_t k = 0; k < n; k++) {
            for (size_t j = 0; j < n; j++) {
                double term = (double)p->a[i * n + k] * (double)p->b[k * n + j];
                row[j] += term;
                size[j] += fabs(term);
            }
        }
        for (size_t j = 0; right && j < n; j++)
            right = fabs((double)p->c[i * n + j] - row[j]) <= (p->n + 2) * 0x1p-24 * size[j];
    }
    free(row);
    return right;
}

/* GFLOP/s; 0 if it did not run, negative if it was wrong. */
static double measure_device(zed_device *dev, const xt_module *mod, const problem *p)
{
    zed_groups groups = {(uint32_t)p->n / COLS, (uint32_t)p->n / ROWS, 1};
    zed_kernel kernel;
    double t[RUNS];
    memset(p->c, 0xff, (size_t)p->n * (size_t)p->n * sizeof *p->c); /* NaN */
    if (!ZED_LOAD(&kernel, dev, *mod) || !zed_launch(&kernel, groups, p->a, p->b, p->c, p->n, p->n, p->n)) return 0;
    if (!is_right(p)) return -1;
    for (int i = 0; i < RUNS; i++) {
        double start = bench_now();
        if (!zed_launch(&kernel, groups, p->a, p->b, p->c, p->n, p->n, p->n)) return 0;
        t[i] = bench_now() - start;
    }
    return work(p) / bench_median(t, RUNS);
}

static double measure_pocl(pocl *peer, const xt_module *mod, const problem *p)
{
    size_t bytes = (size_t)p->n * (size_t)p->n * sizeof(float);
    pocl_job job = {.kernel = mod->kernel, .global = {(size_t)p->n / COLS * mod->local_size[0], (size_t)p->n / ROWS},
                    .local = {mod->local_size[0], 1}, .buffer = {p->a, p->b, p->c}, .bytes = {bytes, bytes, bytes},
                    .value = {&p->n, &p->n, &p->n}};
    double seconds = 0;
    memset(p->c, 0xff, bytes);
    if (!pocl_begin(peer, &job)) printf("FAILED PoCL does not run the module\n");
    else if (!is_right(p)) printf("FAILED PoCL's plain_gemm is wrong\n");
    else seconds = pocl_time(peer, &job, RUNS);
    pocl_end(peer, &job);
    return seconds > 0 ? work(p) / seconds : 0;
}

static bool measure(zed_device *dev, const xt_module *mod, pocl *peer, int n)
{
    size_t count = (size_t)n * (size_t)n;
    float *all = (float *)zed_alloc(dev, ZED_SHARED, 3 * count * sizeof *all, 0);
    problem p = {n, all, all + count, all + 2 * count};
    double ours, theirs = 0;
    char name[64];
    if (!all) return false;
    make_input(&p);
    ours = measure_device(dev, mod, &p);
    if (peer && ours > 0) theirs = measure_pocl(peer, mod, &p);
    zed_free(dev, all);
    snprintf(name, sizeof name, "plain_gemm_f32_%d", n);
    if (ours <= 0) printf("FAILED %s: %s\n", name, ours < 0 ? "wrong result" : "did not run");
    else if (theirs > 0) bench_peer_line(name, ours, "GFLOP/s", "pocl", theirs);
    else bench_line(name, ours, "GFLOP/s");
    return ours > 0;
}

static bool find_peer(pocl *peer, const xt_module *mod)
{
    if (!pocl_find(peer, "plain_gemm")) return false;
    if (pocl_build_spirv(peer, mod->words, mod->size)) return true;
    printf("PoCL takes no SPIR-V with subgroups here: left out as plain_gemm's peer\n");
    return false;
}

int main(void)
{
    static pocl peer;
    zed_device dev;
    /* the newest that PoCL supports */
    xt_module mod = XT_BUILD(plain_gemm, &(xt_target){.name = "generic"}, .version = SPE_VERSION(1, 2));
    bool ok, compare;
    if (!mod.words) return spe_print_error(mod.error, stderr), 1;
    ok = zed_open(&dev, NULL);
    compare = ok && find_peer(&peer, &mod);
    for (int n = 256; ok && n <= 1024; n *= 2) ok = measure(&dev, &mod, compare ? &peer : NULL, n);
    if (zed_get_error(&dev)->id) zed_print_error(&dev, stderr);
    zed_close(&dev);
    xt_free(&mod);
    return !ok;
}
