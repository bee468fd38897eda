/* gemm_devices.c - C = A B over all devices of a context at once: every device of the driver, or its sub-devices (the
 * tiles of a data-centre GPU; XETILE_SOFT_SUBDEVICES=4 makes four of the software device). Each takes a share of the
 * rows of A and C and all of B. f16, summed in f32; any M, N and K. See `gemm_devices --help`.
 *
 *     cc -std=c11 gemm_devices.c -lm && XETILE_SOFT_SUBDEVICES=2 ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_devices"
#define EXAMPLE_SHARES_CONTEXT
#include "example.h"
#include "example_gemm.h"

enum { RUNS = 5 };

static const xt_product f16_product = {.a = XT_TYPE(f16), .b = XT_TYPE(f16)};

XT_KERNEL(gemm_devices, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const xt_tiles *t = (const xt_tiles *)XT_USER(); /* on bmg 256 x 256 for 8 x 4 subgroups, in steps of 32 */
    const int rows = t->rows, cols = t->cols, step = t->k;
    xt_val i = XT_MUL(XT_GROUP_ID(1), rows), j = XT_MUL(XT_GROUP_ID(0), cols);
    xt_tile a = XT_INIT_TILE(A, f16, rows, step, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = t->a);
    xt_tile b = XT_INIT_TILE(B, f16, step, cols, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = t->b);
    xt_tile c = XT_INIT_TILE(C, f32, rows, cols, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = t->c);
    xt_vec acc = XT_SPLAT(f32, rows, cols, 0, .map = t->c);
    XT_FOR(k, 0, K, step, &a, &b, &acc)
    {
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, step);
        b = XT_UPDATE_TILE_OFFSET(b, step, 0);
    }
    XT_STORE_TILE(acc, c);
}

/* ---- the program */

static int m = 1024, n = 512, k = 256;

/* A device's share: rows first to first + rows of A and C, all of B. */
typedef struct {
    zed_device dev;
    zed_kernel kernel;
    xt_tiles tiles;
    uint16_t *a, *b;
    float *c;
    int first, rows;
} share;

/* Module, memory and input of one device. Devices of a driver may differ, so each has a module of its own. */
static bool prepare(share *s, const uint16_t *a, const uint16_t *b)
{
    size_t rows = (size_t)s->rows, cols = (size_t)n, depth = (size_t)k;
    const xt_target target = {ZED_TARGET(&s->dev)};
    s->tiles = propose_tiles(&f16_product, &target);
    xt_module mod = XT_BUILD(gemm_devices, &target, .subgroup_size = s->tiles.subgroup_size,
                             .registers = s->tiles.registers, .user = &s->tiles);
    if (!mod.words) return fail_build(&mod);
    ZED_LOAD(&s->kernel, &s->dev, mod);
    xt_free(&mod);
    s->a = (uint16_t *)zed_alloc(&s->dev, ZED_DEVICE, rows * depth * 2, 0);
    s->b = (uint16_t *)zed_alloc(&s->dev, ZED_DEVICE, depth * cols * 2, 0);
    s->c = (float *)zed_alloc(&s->dev, ZED_DEVICE, rows * cols * 4, 0);
    zed_copy(&s->dev, s->a, a + (size_t)s->first * depth, rows * depth * 2);
    zed_copy(&s->dev, s->b, b, depth * cols * 2);
    return zed_fill(&s->dev, s->c, 0xff, rows * cols * 4) || fail_device(&s->dev); /* NaN everywhere */
}

/* Starts all devices, then waits for all. Returns seconds, negative on failure. */
static double launch(share *all, int count)
{
    double start = seconds_now();
    bool ok = true;
    for (int i = 0; i < count; i++) {
        zed_groups groups = groups_of_tiles(&all[i].tiles, all[i].rows, n);
        zed_start(&all[i].kernel, groups, all[i].a, all[i].b, all[i].c, (uint32_t)all[i].rows, (uint32_t)n,
                  (uint32_t)k);
    }
    for (int i = 0; i < count; i++) ok = (zed_wait(&all[i].dev) || fail_device(&all[i].dev)) && ok;
    return ok ? seconds_now() - start : -1;
}

static bool compute(share *all, int count, float *c)
{
    double best = 1e30;
    for (int turn = 0; turn <= RUNS; turn++) { /* the first warms up */
        double seconds = launch(all, count);
        if (seconds < 0) return false;
        if (turn && seconds < best) best = seconds;
    }
    for (int i = 0; i < count; i++)
        if (!zed_copy(&all[i].dev, c + (size_t)all[i].first * (size_t)n, all[i].c, (size_t)all[i].rows * (size_t)n * 4))
            return fail_device(&all[i].dev);
    printf("time     %.3f ms, %.1f GFLOP/s on %d device%s\n", best * 1e3, 2.0 * m * n * k / best * 1e-9, count,
           count == 1 ? "" : "s");
    return true;
}

/* Opens the devices and distributes the rows, leaving out devices without rows. Returns the number of devices, 0 on
 * failure. */
static int deal_out(zed_device *first, share *all, const uint16_t *a, const uint16_t *b)
{
    int devices = zed_context_devices(first), each, count = 0;
    if (devices < 1) return fail_device(first);
    each = (m + devices - 1) / devices;
    for (int row = 0; row < m; row += each, count++) {
        share *s = &all[count];
        s->first = row;
        s->rows = m - row < each ? m - row : each;
        if (!zed_open_in_context(&s->dev, first, count)) return fail_device(&s->dev);
        printf("device   %s: rows %d to %d\n", s->dev.name, row, row + s->rows - 1);
        if (!prepare(s, a, b)) return 0;
    }
    return count;
}

static bool run(zed_device *first)
{
    static share all[ZED_MAX_DEVICES];
    uint64_t state = 2024;
    uint16_t *a = new_halves(first, (size_t)m * (size_t)k, &state),
             *b = new_halves(first, (size_t)k * (size_t)n, &state);
    float *c = new_floats(first, (size_t)m * (size_t)n, NULL);
    int count = a && b && c ? deal_out(first, all, a, b) : fail_device(first);
    bool ok = count > 0 && compute(all, count, c) && check_product(by_rows(a, m, k), by_rows(b, k, n), c);
    /* before the device that owns their context */
    for (int i = 0; i < ZED_MAX_DEVICES; i++) zed_close(&all[i].dev);
    if (ok) print_largest_error();
    if (ok) printf("ok gemm_devices f16 %d x %d x %d on %d\n", m, n, k, count);
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
        zed_options options = {.index_plus_1 = i + 1};
        if (!zed_open(&first, &options)) continue;
        for (int j = 0; j < zed_context_devices(&first); j++) {
            if (zed_open_in_context(&other, &first, j)) printf("   %d.%d  %s\n", i, j, other.name);
            zed_close(&other);
        }
        zed_close(&first);
    }
    return true;
}

static const example_option options[] = {
    SIZE("--m", "rows of A and C", &m),
    SIZE("--n", "columns of B and C", &n),
    SIZE("--k", "columns of A, rows of B", &k),
    OPTIONS_END,
};
static const example_form forms[] = {{.kernel = &gemm_devices, .product = &f16_product}, FORMS_END};

int main(int argc, char **argv)
{
    const example e = {.about = "C = A B over all devices of the driver that --device chooses",
                       .options = options,
                       .forms = forms,
                       .run = run,
                       .list = list_devices};
    return example_main(argc, argv, &e);
}
