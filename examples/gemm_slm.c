/* gemm_slm.c - C = A B through local memory, as in XeTile's appendix 2.4: 64 subgroups together load the tiles of a
 * later step into one of four buffers in local memory, while the products of this step read another one. For GPUs that
 * prefetch poorly. f16, summed in f32; any M, N and K. See `gemm_slm --help`.
 *
 *     cc -std=c11 gemm_slm.c -lze_loader -lm && ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_slm"
#include "example.h"

#include <float.h>

enum { BUFFERS = 4 };

/* Values of k per step, limited by four buffers of 256 x step of A and B. The specification's 32 need 128 KiB. */
static int step = 32;

static void choose_step(size_t local_memory)
{
    for (step = 32; step > 8 && (size_t)(BUFFERS * 2 * 256 * 2 * step) > local_memory;) step /= 2;
}

/* Local memory contains slices of `part` values of k, one after the other: A's row by row, B's column by column.
 * Operands of products are thus stored as the hardware needs them, and are read in large pieces. Slice s of the four
 * buffers starts at row 256 s of A's array, at column 256 s of B's. */
XT_KERNEL(gemm_slm, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const int part = step < 16 ? step : 16, slices = step / part, deep = 256 * slices * BUFFERS;
    const xt_map cop_a = XT_MAP(.sg_layout = {64, 1}, .sg_data = {4, part});
    const xt_map cop_b = XT_MAP(.sg_layout = {4, 16}, .sg_data = {part / 4, 16});
    const xt_map map_a = XT_MAP(.sg_layout = {8, 8}, .sg_data = {32, part});
    const xt_map map_b = XT_MAP(.sg_layout = {8, 8}, .sg_data = {part, 32});
    const xt_map map_c = XT_MAP(.sg_layout = {8, 8}, .sg_data = {32, 32});

    xt_val i = XT_MUL(XT_GROUP_ID(1), 256), j = XT_MUL(XT_GROUP_ID(0), 256);
    xt_val slm_a = XT_LOCAL(f16, deep * part), slm_b = XT_LOCAL(f16, part * deep);

    xt_tile a = XT_INIT_TILE(A, f16, 256, part, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = cop_a);
    xt_tile b = XT_INIT_TILE(B, f16, part, 256, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = cop_b);
    xt_tile a_in = XT_INIT_TILE(slm_a, f16, 256, part, .shape = XT_AT(deep, part), .map = cop_a, .inside = true);
    xt_tile b_in = XT_INIT_TILE(slm_b, f16, part, 256, .shape = XT_AT(part, deep), .strides = XT_AT(1, part),
                                .order = {0, 1}, .map = cop_b, .inside = true);
    xt_tile a_out = XT_INIT_TILE(slm_a, f16, 256, part, .shape = XT_AT(deep, part), .map = map_a, .inside = true);
    xt_tile b_out = XT_INIT_TILE(slm_b, f16, part, 256, .shape = XT_AT(part, deep), .strides = XT_AT(1, part),
                                 .order = {0, 1}, .map = map_b, .inside = true);
    xt_tile c = XT_INIT_TILE(C, f32, 256, 256, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = map_c);
    xt_vec acc = XT_SPLAT(f32, 256, 256, 0, .map = map_c);

    for (int s = 0; s < (BUFFERS - 1) * slices; s++) { /* all buffers but one are filled before the loop */
        XT_STORE_TILE(XT_LOAD_TILE(a), XT_UPDATE_TILE_OFFSET(a_in, 256 * s, 0));
        XT_STORE_TILE(XT_LOAD_TILE(b), XT_UPDATE_TILE_OFFSET(b_in, 0, 256 * s));
        a = XT_UPDATE_TILE_OFFSET(a, 0, part);
        b = XT_UPDATE_TILE_OFFSET(b, part, 0);
    }
    XT_BARRIER();
    XT_FOR(k, 0, K, step, &a, &b, &acc)
    {
        xt_val turn = XT_DIV(k, step), from = XT_MUL(XT_MOD(turn, BUFFERS), 256 * slices);
        xt_val to = XT_MUL(XT_MOD(XT_ADD(turn, BUFFERS - 1), BUFFERS), 256 * slices);
        xt_vec next_a[2], next_b[2];
        for (int s = 0; s < slices; s++) {
            next_a[s] = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(a, 0, s * part));
            next_b[s] = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(b, s * part, 0));
        }
        for (int s = 0; s < slices; s++) {
            xt_val at = XT_ADD(from, 256 * s);
            xt_vec va = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(a_out, at, 0));
            xt_vec vb = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(b_out, 0, at));
            acc = XT_TILE_MMA(va, vb, acc);
        }
        XT_BARRIER(); /* all have read the previous step's buffer, and see what was stored */
        for (int s = 0; s < slices; s++) {
            xt_val at = XT_ADD(to, 256 * s);
            XT_STORE_TILE(next_a[s], XT_UPDATE_TILE_OFFSET(a_in, at, 0));
            XT_STORE_TILE(next_b[s], XT_UPDATE_TILE_OFFSET(b_in, 0, at));
        }
        a = XT_UPDATE_TILE_OFFSET(a, 0, step);
        b = XT_UPDATE_TILE_OFFSET(b, step, 0);
    }
    XT_STORE_TILE(acc, c);
}

typedef struct {
    int m, n, k;
} problem;

/* ---- messages and the command line ---- */

typedef struct {
    const char *emit, *target, *device, *m, *n, *k;
    bool list, help;
} options;

static void print_help(void)
{
    printf("gemm_slm: C = A B through local memory\n"
           "  --m M --n N --k K   sizes, default 512 512 256\n"
           "  --device NAME       number or part of the name of a device; --list prints them\n"
           "  --emit FILE         write the SPIR-V module instead of running it\n"
           "  --print             print the kernel instead: as recorded, its maps, what a subgroup does\n"
           "  --target NAME       ... for pvc, bmg, lnl, ptl, dg2, generic or soft (default bmg)\n"
           "  --list, --help\n"
           "The last line is `ok gemm_slm ...` or `FAILED gemm_slm ...`.\n");
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
    float *x = (float *)malloc(m * k * sizeof *x);
    double *column = (double *)malloc(k * sizeof *column), worst = 0;
    if (!x || !column) return fail("out of memory for the check");
    for (size_t i = 0; i < m * k; i++) x[i] = spe_f16_bits_to_f32(a[i]);
    for (size_t j = 0; j < n; j++) {
        double norm_b = 0;
        for (size_t q = 0; q < k; q++) column[q] = (double)spe_f16_bits_to_f32(b[q * n + j]);
        for (size_t q = 0; q < k; q++) norm_b += column[q] * column[q];
        for (size_t i = 0; i < m; i++) {
            double want = 0, norm_a = 0, error, bound;
            for (size_t q = 0; q < k; q++) want += (double)x[i * k + q] * column[q];
            for (size_t q = 0; q < k; q++) norm_a += (double)x[i * k + q] * (double)x[i * k + q];
            bound = 8 * sqrt((double)k) * (double)FLT_EPSILON * sqrt(norm_a * norm_b) + (double)k * (double)FLT_MIN;
            error = fabs((double)c[i * n + j] - want);
            if (!(error <= bound) && wrong++ == 0)
                printf("C(%zu, %zu) is %.9g, want %.9g within %.3g\n", i, j, (double)c[i * n + j], want, bound);
            if (error / bound > worst) worst = error / bound;
        }
    }
    free(x);
    free(column);
    printf("error    at most %.3g of what is allowed\n", worst);
    return wrong == 0 || fail("%d x %d x %d: %zu elements are wrong", p->m, p->n, p->k, wrong);
}

/* ---- the run ---- */

static bool launch(zed_device *dev, const xt_module *mod, const problem *p)
{
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    uint16_t *a = (uint16_t *)zed_alloc(dev, ZED_SHARED, m * k * 2, 0),
             *b = (uint16_t *)zed_alloc(dev, ZED_SHARED, k * n * 2, 0);
    float *c = (float *)zed_alloc(dev, ZED_SHARED, m * n * 4, 0);
    uint64_t seed = 2024;
    zed_kernel kernel;
    double ns;
    if (!a || !b || !c || !ZED_LOAD(&kernel, dev, *mod)) return fail_device(dev);
    fill_normal(a, m * k, &seed);
    fill_normal(b, k * n, &seed);
    if (!zed_fill(dev, c, 0xff, m * n * 4)) return fail_device(dev); /* NaN everywhere */
    ns = zed_launch_timed(&kernel, (zed_groups){(uint32_t)(p->n + 256 - 1) / 256, (uint32_t)(p->m + 256 - 1) / 256, 1},
                          a, b, c, (uint32_t)p->m, (uint32_t)p->n, (uint32_t)p->k);
    if (ns < 0) return fail_device(dev);
    if (!check(p, a, b, c)) return false;
    printf("ok gemm_slm f16 %d x %d x %d, %.1f GFLOP/s\n", p->m, p->n, p->k, 2.0 * p->m * p->n * p->k / ns);
    return true;
}

static bool run(const options *o, const problem *p)
{
    zed_device dev;
    xt_module mod;
    bool ok = open_device(&dev, o->device);
    memset(&mod, 0, sizeof mod);
    if (ok) {
        printf("device   %s\n", dev.name);
        choose_step(dev.target.local_memory);
        mod = XT_BUILD(gemm_slm, &(xt_target){ZED_TARGET(&dev)});
        ok = mod.words ? launch(&dev, &mod, p) : fail_build(&mod);
    }
    xt_free(&mod);
    zed_close(&dev); /* frees the memory too */
    return ok;
}

static bool emit(const options *o)
{
    const char *target = o->target ? o->target : "bmg";
    xt_module mod;
    bool ok;
    choose_step(cm_target_row(target) ? (size_t)cm_target_row(target)->local_memory : 0);
    mod = XT_BUILD(gemm_slm, &(xt_target){.name = target});
    if (!mod.words) {
        ok = fail_build(&mod);
    } else {
        ok = write_module(o->emit, &mod);
    }
    if (ok)
        printf("params   %s\nflags    %s\nok gemm_slm: %s, %zu bytes\n", mod.params, mod.build_flags, o->emit,
               mod.size);
    xt_free(&mod);
    return ok;
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
    ok = ok && parse_size("--m", o.m, 512, &p.m) && parse_size("--n", o.n, 512, &p.n) &&
         parse_size("--k", o.k, 256, &p.k);
    if (ok && o.help)
        print_help();
    else if (ok && o.list)
        ok = zed_print_list(stdout);
    else if (ok)
        ok = o.emit ? emit(&o) : run(&o, &p);
    return ok ? 0 : 1;
}
