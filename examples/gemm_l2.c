/* gemm_l2.c - C = A B with prefetching to two cache levels, as in XeTile's appendix 2.5: tiles of 128 values of k to
 * the second level, tiles of 32 to the first. f16, summed in f32; any M, N and K. See `gemm_l2 --help`.
 *
 *     cc -std=c11 gemm_l2.c -lze_loader -lm && ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_l2"
#include "example.h"

#include <float.h>

/* A work-group computes `rows` x 256 of C, `columns` of them at a time. The specification has 512 rows and all columns
 * at once: then the f32 sums take 512 KiB, all registers of a core of pvc or bmg for any number of subgroups, and
 * everything else spills. 256 rows leave half of the registers free, and so do 512 rows with 128 columns at a time: K
 * is then traversed twice, the second time with A in the second level. */
static int rows = 512, columns = 128;

/* Columns j .. j + columns of rows i .. i + rows. */
static void part_of_c(XT_CONTEXT, xt_val A, xt_val B, xt_val C, xt_val M, xt_val N, xt_val K, xt_val i, xt_val j)
{
    const xt_map map_a = XT_MAP(.sg_layout = {8, 4}, .sg_data = {rows / 8, 32});
    const xt_map map_b = XT_MAP(.sg_layout = {8, 4}, .sg_data = {32, columns / 4});
    const xt_map map_c = XT_MAP(.sg_layout = {8, 4}, .sg_data = {rows / 8, columns / 4});
    const xt_map a_in_l2 = XT_MAP(.sg_layout = {32, 1}, .sg_data = {rows / 32, 128});
    const xt_map b_in_l2 = XT_MAP(.sg_layout = {16, 2}, .sg_data = {8, columns / 2});
    const xt_map a_in_l1 = XT_MAP(.sg_layout = {32, 1}, .sg_data = {rows / 32, 32});
    const xt_map b_in_l1 = XT_MAP(.sg_layout = {4, 8}, .sg_data = {8, columns / 8});

    xt_tile a_l2 = XT_INIT_TILE(A, f16, rows, 128, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = a_in_l2);
    xt_tile b_l2 = XT_INIT_TILE(B, f16, 128, columns, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = b_in_l2);
    xt_tile a_l1 = XT_INIT_TILE(A, f16, rows, 32, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = a_in_l1);
    xt_tile b_l1 = XT_INIT_TILE(B, f16, 32, columns, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = b_in_l1);
    xt_tile a = XT_INIT_TILE(A, f16, rows, 32, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = map_a);
    xt_tile b = XT_INIT_TILE(B, f16, 32, columns, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = map_b);
    xt_tile c = XT_INIT_TILE(C, f32, rows, columns, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = map_c);
    xt_vec acc = XT_SPLAT(f32, rows, columns, 0, .map = map_c);

    for (int s = 0; s < 2; s++) { /* prefetch 256 values of k to the second level ... */
        XT_PREFETCH_TILE(a_l2, .locality = 2);
        XT_PREFETCH_TILE(b_l2, .locality = 2);
        a_l2 = XT_UPDATE_TILE_OFFSET(a_l2, 0, 128);
        b_l2 = XT_UPDATE_TILE_OFFSET(b_l2, 128, 0);
    }
    for (int s = 0; s < 4; s++) { /* ... and 128 to the first */
        XT_PREFETCH_TILE(a_l1, .locality = 3);
        XT_PREFETCH_TILE(b_l1, .locality = 3);
        a_l1 = XT_UPDATE_TILE_OFFSET(a_l1, 0, 32);
        b_l1 = XT_UPDATE_TILE_OFFSET(b_l1, 32, 0);
    }
    XT_FOR(k, 0, K, 32, &a, &b, &a_l1, &b_l1, &a_l2, &b_l2, &acc)
    {
        XT_PREFETCH_TILE(a_l1, .locality = 3);
        XT_PREFETCH_TILE(b_l1, .locality = 3);
        xt_vec va = XT_LOAD_TILE(a), vb = XT_LOAD_TILE(b);
        XT_IF(XT_EQ(XT_MOD(k, 128), 0), &a_l2, &b_l2)
        {
            XT_BARRIER(); /* keeps the subgroups of a work-group together */
            XT_PREFETCH_TILE(a_l2, .locality = 2);
            XT_PREFETCH_TILE(b_l2, .locality = 2);
            a_l2 = XT_UPDATE_TILE_OFFSET(a_l2, 0, 128);
            b_l2 = XT_UPDATE_TILE_OFFSET(b_l2, 128, 0);
        }
        acc = XT_TILE_MMA(va, vb, acc);
        a_l1 = XT_UPDATE_TILE_OFFSET(a_l1, 0, 32);
        b_l1 = XT_UPDATE_TILE_OFFSET(b_l1, 32, 0);
        a = XT_UPDATE_TILE_OFFSET(a, 0, 32);
        b = XT_UPDATE_TILE_OFFSET(b, 32, 0);
    }
    XT_STORE_TILE(acc, c);
}

XT_KERNEL(gemm_l2, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    xt_val i = XT_MUL(XT_GROUP_ID(1), rows), j = XT_MUL(XT_GROUP_ID(0), 256);
    if (columns == 256) {
        part_of_c(XT_SELF, A, B, C, M, N, K, i, j);
    } else {
        XT_FOR(part, j, XT_ADD(j, 256), columns)
        {
            part_of_c(XT_SELF, A, B, C, M, N, K, i, part);
        }
    }
}

typedef struct {
    int m, n, k;
} problem;

/* ---- messages and the command line ---- */

typedef struct {
    const char *emit, *target, *device, *m, *n, *k, *rows, *columns;
    bool list, help;
} options;

static void print_help(void)
{
    printf(
        "gemm_l2: C = A B with prefetches into two cache levels\n"
        "  --m M --n N --k K   sizes, default 512 512 256\n"
        "  --rows R            rows of a work-group's tile: 512 as in the text (default), or 256\n"
        "  --columns C         of its 256 columns so many at a time: 256 as in the text, or 128; with 512 rows 128 is\n"
        "                      what registers hold (default: 128 for 512 rows, else 256)\n"
        "  --device NAME       number or part of the name of a device; --list prints them\n"
        "  --emit FILE         write the SPIR-V module instead of running it\n"
        "  --print             print the kernel instead: as recorded, its maps, what a subgroup does\n"
        "  --target NAME       ... for pvc, bmg, lnl, ptl, dg2, generic or soft (default bmg)\n"
        "  --list, --help\n"
        "The last line is `ok gemm_l2 ...` or `FAILED gemm_l2 ...`.\n");
}

static bool parse_option(options *o, char **argv, int *i)
{
    const example_option with_value[] = {
        {"--emit", &o->emit}, {"--target", &o->target}, {"--device", &o->device}, {"--m", &o->m},
        {"--n", &o->n},       {"--k", &o->k},           {"--rows", &o->rows},     {"--columns", &o->columns}};
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
    ns =
        zed_launch_timed(&kernel, (zed_groups){(uint32_t)(p->n + 256 - 1) / 256, (uint32_t)(p->m + rows - 1) / rows, 1},
                         a, b, c, (uint32_t)p->m, (uint32_t)p->n, (uint32_t)p->k);
    if (ns < 0) return fail_device(dev);
    if (!check(p, a, b, c)) return false;
    printf("ok gemm_l2 f16 %d x %d x %d, %.1f GFLOP/s\n", p->m, p->n, p->k, 2.0 * p->m * p->n * p->k / ns);
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
        mod = XT_BUILD(gemm_l2, &(xt_target){ZED_TARGET(&dev)});
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
    mod = XT_BUILD(gemm_l2, &(xt_target){.name = target});
    if (!mod.words) {
        ok = fail_build(&mod);
    } else {
        ok = write_module(o->emit, &mod);
    }
    if (ok)
        printf("params   %s\nflags    %s\nok gemm_l2: %s, %zu bytes\n", mod.params, mod.build_flags, o->emit, mod.size);
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
         parse_size("--k", o.k, 256, &p.k) && parse_size("--rows", o.rows, 512, &rows) &&
         (rows == 256 || rows == 512 || fail("--rows %d: it is 256 or 512", rows)) &&
         parse_size("--columns", o.columns, rows == 512 ? 128 : 256, &columns) &&
         (columns == 128 || columns == 256 || fail("--columns %d: it is 128 or 256", columns));
    if (ok && o.help)
        print_help();
    else if (ok && o.list)
        ok = zed_print_list(stdout);
    else if (ok)
        ok = o.emit ? emit(&o) : run(&o, &p);
    return ok ? 0 : 1;
}
