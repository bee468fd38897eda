/* gemm_variants.c - one matrix product in eight ways: --variant NAME, or all of them, each checked.
 *
 *     plain            B stored by rows (the first way of XeTile's appendix 1)
 *     order            B stored by columns, read through .order = {0, 1} (the second way)
 *     transpose        B stored by columns, read without .order and transposed in the kernel (the third way)
 *     transposed_a     A stored by columns
 *     batched          several products: the bases have three dimensions
 *     split_k          several work-groups share a tile of C: each sums a part of K and adds it atomically
 *     persistent       few work-groups, each computing many tiles of C
 *     k_outside        rows of memory are longer than K, with NaN there: elements outside read as zero
 *
 *     cc -std=c11 gemm_variants.c -lze_loader -lm && ./a.out
 *
 * f16, summed in f32; any M, N and K. See `gemm_variants --help`.
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_variants"
#include "example.h"

#include <float.h>

/* ---- the kernels: work-group tiles of 128 x 128, eight subgroups, 32 values of k per step ---- */

enum { TILE = 128, STEP = 32, SPLITS = 3, PERSISTENT = 3 };
#define MAP_A XT_MAP(.sg_layout = {4, 2}, .sg_data = {32, 32})
#define MAP_B XT_MAP(.sg_layout = {4, 2}, .sg_data = {32, 64})
#define MAP_C XT_MAP(.sg_layout = {4, 2}, .sg_data = {32, 64})

/* The sum of a(:, k) b(k, :) for k from lo to hi; the tiles are at lo. */
static xt_vec product(XT_CONTEXT, xt_tile a, xt_tile b, xt_val lo, xt_val hi)
{
    xt_vec acc = XT_SPLAT(f32, TILE, TILE, 0, .map = MAP_C);
    XT_FOR(k, lo, hi, STEP, &a, &b, &acc)
    {
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, STEP);
        b = XT_UPDATE_TILE_OFFSET(b, STEP, 0);
    }
    return acc;
}

#define KERNEL(name)                                                                                                   \
    XT_KERNEL(name, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(BATCH), u32(M), u32(N), u32(K), u32(LINE_A), u32(LINE_B))
#define ROW XT_MUL(XT_GROUP_ID(1), TILE)
#define COLUMN XT_MUL(XT_GROUP_ID(0), TILE)
#define TILE_A(i, k, ...)                                                                                              \
    XT_INIT_TILE(A, f16, TILE, STEP, .offset = XT_AT(i, k), .shape = XT_AT(M, K), .map = MAP_A, __VA_ARGS__)
#define TILE_B(k, j, ...)                                                                                              \
    XT_INIT_TILE(B, f16, STEP, TILE, .offset = XT_AT(k, j), .shape = XT_AT(K, N), .map = MAP_B, __VA_ARGS__)
#define TILE_C(i, j) XT_INIT_TILE(C, f32, TILE, TILE, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = MAP_C)
#define BY_ROWS(line) .strides = XT_AT(line, 1)
#define BY_COLUMNS(line) .strides = XT_AT(1, line), .order = {0, 1}

KERNEL(plain)
{
    (void)BATCH;
    xt_tile a = TILE_A(ROW, 0, BY_ROWS(LINE_A)), b = TILE_B(0, COLUMN, BY_ROWS(LINE_B));
    XT_STORE_TILE(product(XT_SELF, a, b, spe_val_int(0), K), TILE_C(ROW, COLUMN));
}

KERNEL(order)
{
    (void)BATCH;
    xt_tile a = TILE_A(ROW, 0, BY_ROWS(LINE_A)), b = TILE_B(0, COLUMN, BY_COLUMNS(LINE_B));
    XT_STORE_TILE(product(XT_SELF, a, b, spe_val_int(0), K), TILE_C(ROW, COLUMN));
}

/* Sixteen subgroups, since data going through local memory needs registers too. */
KERNEL(transpose)
{
    (void)BATCH;
    const xt_map map_a = XT_MAP(.sg_layout = {4, 4}, .sg_data = {32, 32}), map_b = map_a, map_bt = map_a, map_c = map_a;
    xt_tile a =
        XT_INIT_TILE(A, f16, TILE, STEP, .offset = XT_AT(ROW, 0), .shape = XT_AT(M, K), BY_ROWS(LINE_A), .map = map_a);
    xt_tile bt = XT_INIT_TILE(B, f16, TILE, STEP, .offset = XT_AT(COLUMN, 0), .shape = XT_AT(N, K), BY_ROWS(LINE_B),
                              .map = map_bt);
    xt_tile c = XT_INIT_TILE(C, f32, TILE, TILE, .offset = XT_AT(ROW, COLUMN), .shape = XT_AT(M, N), .map = map_c);
    xt_vec acc = XT_SPLAT(f32, TILE, TILE, 0, .map = map_c);
    XT_FOR(k, 0, K, STEP, &a, &bt, &acc)
    {
        xt_vec b = XT_TRANSPOSE(XT_LOAD_TILE(bt), .map = map_b);
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), b, acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, STEP);
        bt = XT_UPDATE_TILE_OFFSET(bt, 0, STEP);
    }
    XT_STORE_TILE(acc, c);
}

KERNEL(transposed_a)
{
    (void)BATCH;
    xt_tile a = TILE_A(ROW, 0, BY_COLUMNS(LINE_A)), b = TILE_B(0, COLUMN, BY_ROWS(LINE_B));
    XT_STORE_TILE(product(XT_SELF, a, b, spe_val_int(0), K), TILE_C(ROW, COLUMN));
}

/* One plane of work-groups per product. */
KERNEL(batched)
{
    (void)LINE_A, (void)LINE_B;
    xt_val which = XT_GROUP_ID(2);
    xt_tile a =
        XT_INIT_TILE(A, f16, TILE, STEP, .offset = XT_AT(which, ROW, 0), .shape = XT_AT(BATCH, M, K), .map = MAP_A);
    xt_tile b =
        XT_INIT_TILE(B, f16, STEP, TILE, .offset = XT_AT(which, 0, COLUMN), .shape = XT_AT(BATCH, K, N), .map = MAP_B);
    xt_tile c = XT_INIT_TILE(C, f32, TILE, TILE, .offset = XT_AT(which, ROW, COLUMN), .shape = XT_AT(BATCH, M, N),
                             .map = MAP_C);
    XT_STORE_TILE(product(XT_SELF, a, b, spe_val_int(0), K), c);
}

/* Work-group z sums its part of K. C is initially zero. */
KERNEL(split_k)
{
    (void)BATCH;
    xt_val steps = XT_DIV(XT_ADD(K, STEP - 1), STEP), part = XT_MUL(XT_DIV(XT_ADD(steps, SPLITS - 1), SPLITS), STEP);
    xt_val lo = XT_MUL(XT_GROUP_ID(2), part), hi = XT_MIN(XT_ADD(lo, part), K);
    xt_tile a = TILE_A(ROW, lo, BY_ROWS(LINE_A)), b = TILE_B(lo, COLUMN, BY_ROWS(LINE_B));
    XT_ATOMIC_RMW(addf, product(XT_SELF, a, b, lo, hi), TILE_C(ROW, COLUMN));
}

/* Work-group g computes tiles g, g + PERSISTENT, ... of C. */
KERNEL(persistent)
{
    (void)BATCH;
    xt_val across = XT_DIV(XT_ADD(N, TILE - 1), TILE), tiles = XT_MUL(across, XT_DIV(XT_ADD(M, TILE - 1), TILE));
    XT_FOR(tile, XT_GROUP_ID(0), tiles, XT_GROUP_COUNT(0))
    {
        xt_val i = XT_MUL(XT_DIV(tile, across), TILE), j = XT_MUL(XT_MOD(tile, across), TILE);
        xt_tile a = TILE_A(i, 0, BY_ROWS(LINE_A)), b = TILE_B(0, j, BY_ROWS(LINE_B));
        XT_STORE_TILE(product(XT_SELF, a, b, spe_val_int(0), K), TILE_C(i, j));
    }
}

/* The loop continues for two steps beyond the end. */
KERNEL(k_outside)
{
    (void)BATCH;
    xt_tile a = TILE_A(ROW, 0, BY_ROWS(LINE_A)), b = TILE_B(0, COLUMN, BY_ROWS(LINE_B));
    XT_STORE_TILE(product(XT_SELF, a, b, spe_val_int(0), XT_ADD(K, 2 * STEP)), TILE_C(ROW, COLUMN));
}

typedef struct {
    const char *name;
    const xt_kernel *kernel;
    bool a_by_columns, b_by_columns;
    int batch, planes, extra; /* planes: work-groups along z; extra: additional elements per row of A and B */
    bool adds;                /* C must initially be zero */
    int registers;            /* per thread on the GPU; 0: chosen by xetile.h */
} variant;

static const variant variants[] = {
    {"plain", &plain, false, false, 1, 1, 0, false, 0},
    {"order", &order, false, true, 1, 1, 0, false, 0},
    {"transpose", &transpose, false, true, 1, 1, 0, false, 256},
    {"transposed_a", &transposed_a, true, false, 1, 1, 0, false, 0},
    {"batched", &batched, false, false, 3, 3, 0, false, 0},
    {"split_k", &split_k, false, false, 1, SPLITS, 0, true, 0},
    {"persistent", &persistent, false, false, 1, 1, 0, false, 0},
    {"k_outside", &k_outside, false, false, 1, 1, 24, false, 0},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

typedef struct {
    int m, n, k;
    const variant *only; /* NULL: all */
} problem;

/* ---- messages and the command line ---- */

typedef struct {
    const char *emit, *target, *device, *m, *n, *k, *variant;
    bool list, help;
} options;

static void print_help(void)
{
    printf("gemm_variants: C = A B in eight ways\n"
           "  --m M --n N --k K   sizes, default 200 300 160\n"
           "  --variant NAME      one of plain order transpose transposed_a batched split_k persistent k_outside\n"
           "  --device NAME       number or part of the name of a device; --list prints them\n"
           "  --emit FILE         write the SPIR-V module instead of running it\n"
           "  --print             print the kernel instead: as recorded, its maps, what a subgroup does\n"
           "  --target NAME       ... for pvc, bmg, lnl, ptl, dg2, generic or soft (default bmg)\n"
           "  --list, --help\n"
           "The last line is `ok gemm_variants ...` or `FAILED gemm_variants ...`.\n");
}

static bool parse_option(options *o, char **argv, int *i)
{
    const example_option with_value[] = {
        {"--emit", &o->emit}, {"--target", &o->target}, {"--device", &o->device},  {"--m", &o->m},
        {"--n", &o->n},       {"--k", &o->k},           {"--variant", &o->variant}};
    return parse_one(with_value, sizeof with_value / sizeof with_value[0], &o->list, &o->help, argv, i);
}

/* ---- input, and the check against f64 ---- */

/* A matrix's storage. */
typedef struct {
    int rows, cols, line;
    bool by_columns;
} storage;

static size_t at(const storage *s, int i, int j)
{
    return (size_t)(s->by_columns ? j : i) * (size_t)s->line + (size_t)(s->by_columns ? i : j);
}

static size_t elements(const storage *s) { return (size_t)(s->by_columns ? s->cols : s->rows) * (size_t)s->line; }

static storage stored(int rows, int cols, bool by_columns, int extra)
{
    storage s = {rows, cols, (by_columns ? rows : cols) + extra, by_columns};
    return s;
}

/* Between the rows, elements are NaN. */
static void fill(uint16_t *x, const storage *s, int batch, uint64_t *state)
{
    size_t all = elements(s);
    uint16_t *row = (uint16_t *)malloc((size_t)s->cols * sizeof *row);
    for (size_t i = 0; i < all * (size_t)batch; i++) x[i] = 0x7e00;
    for (int b = 0; row && b < batch; b++)
        for (int i = 0; i < s->rows; i++) {
            fill_normal(row, (size_t)s->cols, state);
            for (int j = 0; j < s->cols; j++) x[(size_t)b * all + at(s, i, j)] = row[j];
        }
    free(row);
}

/* Products of two f16 values are exact in f32; K additions round, each by at most 2^-24 of a partial sum (twice that if
 * hardware truncates). Independent roundings stay below 8 sqrt(K) times that of |a| |b|, the Euclidean norms of a row
 * and a column, with probability 1 - 3e-14 per element. K FLT_MIN is for flushed subnormals. */
static size_t check(const uint16_t *a, const storage *sa, const uint16_t *b, const storage *sb, const float *c)
{
    int k = sa->cols, n = sb->cols;
    size_t wrong = 0;
    for (int i = 0; i < sa->rows; i++)
        for (int j = 0; j < n; j++) {
            double want = 0, norm_a = 0, norm_b = 0, error, bound;
            float got = c[(size_t)i * (size_t)n + (size_t)j];
            for (int q = 0; q < k; q++) {
                double x = (double)spe_f16_bits_to_f32(a[at(sa, i, q)]),
                       y = (double)spe_f16_bits_to_f32(b[at(sb, q, j)]);
                want += x * y;
                norm_a += x * x;
                norm_b += y * y;
            }
            bound = 8 * sqrt((double)k) * (double)FLT_EPSILON * sqrt(norm_a * norm_b) + k * (double)FLT_MIN;
            error = fabs((double)got - want);
            if (!(error <= bound) && wrong++ == 0)
                printf("C(%d, %d) is %.9g, want %.9g within %.3g\n", i, j, (double)got, want, bound);
        }
    return wrong;
}

/* ---- the run ---- */

/* Runs one variant; its bases contain `batch` contiguous matrices. */
static bool launch(zed_device *dev, const xt_module *mod, const problem *p, const variant *v)
{
    storage sa = stored(p->m, p->k, v->a_by_columns, v->extra), sb = stored(p->k, p->n, v->b_by_columns, v->extra);
    size_t batch = (size_t)v->batch, in_c = (size_t)p->m * (size_t)p->n, wrong = 0;
    uint16_t *a = (uint16_t *)zed_alloc(dev, ZED_SHARED, batch * elements(&sa) * 2, 0);
    uint16_t *b = (uint16_t *)zed_alloc(dev, ZED_SHARED, batch * elements(&sb) * 2, 0);
    float *c = (float *)zed_alloc(dev, ZED_SHARED, batch * in_c * 4, 0);
    zed_groups groups = {(uint32_t)(p->n + TILE - 1) / TILE, (uint32_t)(p->m + TILE - 1) / TILE, (uint32_t)v->planes};
    uint64_t seed = 2024;
    zed_kernel kernel;
    double ns;
    if (v->kernel == &persistent) groups = (zed_groups){PERSISTENT, 1, 1};
    if (!a || !b || !c || !ZED_LOAD(&kernel, dev, *mod)) return fail_device(dev);
    fill(a, &sa, v->batch, &seed);
    fill(b, &sb, v->batch, &seed);
    if (!zed_fill(dev, c, v->adds ? 0 : 0xff, batch * in_c * 4)) return fail_device(dev); /* 0xff: NaN everywhere */
    ns = zed_launch_timed(&kernel, groups, a, b, c, (uint32_t)v->batch, (uint32_t)p->m, (uint32_t)p->n, (uint32_t)p->k,
                          (uint32_t)sa.line, (uint32_t)sb.line);
    if (ns < 0) return fail_device(dev);
    for (size_t i = 0; i < batch; i++)
        wrong += check(a + i * elements(&sa), &sa, b + i * elements(&sb), &sb, c + i * in_c);
    if (wrong) return fail("%s %d x %d x %d: %zu elements are wrong", v->name, p->m, p->n, p->k, wrong);
    printf("%-14s %.1f GFLOP/s\n", v->name, 2.0 * v->batch * p->m * p->n * p->k / ns);
    return true;
}

static bool run_one(zed_device *dev, const problem *p, const variant *v)
{
    xt_module mod = XT_BUILD(*v->kernel, &(xt_target){ZED_TARGET(dev)}, .registers = v->registers);
    bool ok = mod.words ? launch(dev, &mod, p, v) : fail_build(&mod);
    xt_free(&mod);
    return ok;
}

static bool run(const options *o, const problem *p)
{
    zed_device dev;
    bool ok = open_device(&dev, o->device);
    if (ok) printf("device   %s\n", dev.name);
    for (int i = 0; ok && i < VARIANTS; i++)
        if (!p->only || p->only == &variants[i]) ok = run_one(&dev, p, &variants[i]);
    if (ok) printf("ok gemm_variants %s %d x %d x %d\n", p->only ? p->only->name : "all", p->m, p->n, p->k);
    zed_close(&dev); /* frees the memory too */
    return ok;
}

/* Finds the variant with this name; false if there is none. */
static bool find_variant(const char *name, problem *p)
{
    p->only = NULL;
    for (int i = 0; name && i < VARIANTS; i++)
        if (!strcmp(name, variants[i].name)) p->only = &variants[i];
    return !name || p->only || fail("--variant %s: --help lists them", name);
}

static bool emit(const options *o, const problem *p)
{
    const char *target = o->target ? o->target : "bmg";
    const variant *v = p->only ? p->only : &variants[0];
    xt_module mod;
    bool ok;
    mod = XT_BUILD(*v->kernel, &(xt_target){.name = target}, .registers = v->registers);
    if (!mod.words) {
        ok = fail_build(&mod);
    } else {
        ok = write_module(o->emit, &mod);
    }
    if (ok)
        printf("params   %s\nflags    %s\nok gemm_variants: %s, %zu bytes\n", mod.params, mod.build_flags, o->emit,
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
    ok = ok && parse_size("--m", o.m, 200, &p.m) && parse_size("--n", o.n, 300, &p.n) &&
         parse_size("--k", o.k, 160, &p.k) && find_variant(o.variant, &p);
    if (ok && o.help)
        print_help();
    else if (ok && o.list)
        ok = zed_print_list(stdout);
    else if (ok)
        ok = o.emit ? emit(&o, &p) : run(&o, &p);
    return ok ? 0 : 1;
}
