/* gemm_transpose.c - XeTile's appendix 2.2 and 2.3: C = A BT' + bias, and the sums of C's rows. A product with a
 * transpose, a broadcast, a change of layout and a reduction, all across the subgroups of a work-group.
 *
 *     2.2    BT is loaded with a map whose transpose goes through local memory
 *     2.3    with a map under which every subgroup loads what it needs: the transpose stays in registers
 *
 *     cc -std=c11 gemm_transpose.c -lze_loader -lm && ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_transpose"
#include "example.h"

/* One work-group computes the sums of 256 rows: 32 subgroups, which pass over all columns of C, `wide` at a time. */
static void product(XT_CONTEXT, int wide, xt_map map_bt, xt_val A, xt_val BT, xt_val bias, xt_val sums, xt_val M,
                    xt_val N, xt_val K)
{
    const xt_map map_a = XT_MAP(.sg_layout = {8, 4}, .sg_data = {32, 32});
    const xt_map pre_a = XT_MAP(.sg_layout = {32, 1}, .sg_data = {8, 32});
    const xt_map pre_b = XT_MAP(.sg_layout = {32, 1}, .sg_data = {wide / 32, 32});
    const xt_map map_b = XT_MAP(.sg_layout = {8, 4}, .sg_data = {32, wide / 4});
    const xt_map map_c = XT_MAP(.sg_layout = {8, 4}, .sg_data = {32, wide / 4});
    const xt_map map_bias = XT_MAP(.sg_layout = {8, 4}, .sg_data = {1, wide / 4});
    const xt_map map_rows = XT_MAP(.sg_layout = {32, 1}, .sg_data = {8, wide});
    const xt_map map_sums = XT_MAP(.sg_layout = {32, 1}, .sg_data = {8, 1});

    xt_val i = XT_MUL(XT_GROUP_ID(0), 256);
    xt_vec total = XT_SPLAT(f32, 256, 1, 0, .map = map_sums);
    XT_FOR (j, 0, N, wide, &total) {
        xt_tile a = XT_INIT_TILE(A, f16, 256, 32, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = map_a);
        xt_tile bt = XT_INIT_TILE(BT, f16, wide, 32, .offset = XT_AT(j, 0), .shape = XT_AT(N, K), .map = map_bt);
        xt_tile pa = XT_INIT_TILE(A, f16, 256, 32, .offset = XT_AT(i, 96), .shape = XT_AT(M, K), .map = pre_a);
        xt_tile pb = XT_INIT_TILE(BT, f16, wide, 32, .offset = XT_AT(j, 96), .shape = XT_AT(N, K), .map = pre_b);
        xt_vec acc = XT_SPLAT(f32, 256, wide, 0, .map = map_c);
        XT_FOR (k, 0, K, 32, &a, &bt, &pa, &pb, &acc) {
            xt_vec vb = XT_TRANSPOSE(XT_LOAD_TILE(bt), .map = map_b, .source = map_bt), va = XT_LOAD_TILE(a);
            XT_PREFETCH_TILE(pa);
            XT_PREFETCH_TILE(pb);
            acc = XT_TILE_MMA(va, vb, acc);
            a = XT_UPDATE_TILE_OFFSET(a, 0, 32);
            bt = XT_UPDATE_TILE_OFFSET(bt, 0, 32);
            pa = XT_UPDATE_TILE_OFFSET(pa, 0, 32);
            pb = XT_UPDATE_TILE_OFFSET(pb, 0, 32);
        }
        xt_tile row = XT_INIT_TILE(bias, f32, 1, wide, .offset = XT_AT(0, j), .shape = XT_AT(1, N), .map = map_bias);
        acc = XT_ADD(acc, XT_BROADCAST(XT_LOAD_TILE(row), 0, 256, .map = map_c));
        xt_vec rows = XT_CONVERT_LAYOUT(acc, .map = map_rows, .source = map_c);
        total = XT_ADD(total, XT_REDUCTION(add, rows, 1, .map = map_sums));
    }
    XT_STORE_TILE(total, XT_INIT_TILE(sums, f32, 256, 1, .offset = XT_AT(i, 0), .shape = XT_AT(M, 1), .map = map_sums));
}

/* 128 columns at a time: with the specification's 256, loads with a pitch unsuitable for 2D blocks would spill in
 * addition to the sums. */
XT_KERNEL (gemm_2_2, ptr(f16, A), ptr(f16, BT), ptr(f32, bias), ptr(f32, sums), u32(M), u32(N), u32(K))
{
    product(XT_SELF, 128, XT_MAP(.sg_layout = {4, 8}, .sg_data = {32, 32}), A, BT, bias, sums, M, N, K);
}

XT_KERNEL (gemm_2_3, ptr(f16, A), ptr(f16, BT), ptr(f32, bias), ptr(f32, sums), u32(M), u32(N), u32(K))
{
    product(XT_SELF, 256, XT_MAP(.sg_layout = {32, 1}, .sg_data = {64, 32}), A, BT, bias, sums, M, N, K);
}

/* ---- messages and the command line */

typedef struct {
    const char *name, *what;
    const xt_kernel *kernel;
    bool (*run)(zed_device *dev, zed_kernel *kernel, const int *size);
} form;

enum { SIZES = 3, FORM = SIZES, EMIT, TARGET, DEVICE, OPTIONS };
static const example_row option_table[OPTIONS] = {
    {"--m", "N       rows of A and C (300)", 300},
    {"--n", "N       columns of C, rows of BT (520)", 520},
    {"--k", "N       columns of A and BT (100)", 100},
    {"--form", "NAME    only this form", 0},
    {"--emit", "FILE    write the form's SPIR-V module (the first's without --form); --print: print its kernel", 0},
    {"--target", "NAME    with --emit: pvc bmg lnl ptl dg2 generic soft (bmg)", 0},
    {"--device", "N|NAME  run on this device of --list (GPU first)", 0},
};
typedef const char *options[OPTIONS]; /* values from the command line, NULL: not given */

static bool parse_options(options o, char **argv)
{
    return parse_pairs(option_table, OPTIONS, o, argv) &&
           (!o[TARGET] || o[EMIT] || fail("--target requires --emit"));
}

/* ---- host code */

static uint16_t *new_halves(zed_device *dev, size_t count, uint64_t *state)
{
    uint16_t *p = (uint16_t *)zed_alloc(dev, ZED_SHARED, count * sizeof *p, 0);
    for (size_t i = 0; p && i < count; i++) p[i] = state ? spe_f32_to_f16_bits(random_normal(state)) : 0x7e00;
    return p;
}

static double half(const uint16_t *p, size_t at) { return (double)spe_f16_bits_to_f32(p[at]); }

static float *new_floats(zed_device *dev, size_t count, uint64_t *state)
{
    float *p = (float *)zed_alloc(dev, ZED_SHARED, count * sizeof *p, 0);
    for (size_t i = 0; p && i < count; i++) p[i] = state ? random_normal(state) : NAN; /* no state: poison */
    return p;
}

/* Counts elements outside their bound, and reports the first. */
static void check_element(int *wrong, int row, int col, double got, double want, double bound)
{
    if (fabs(got - want) <= bound) return;
    if ((*wrong)++ == 0) printf("(%d, %d) is %.9g, want %.9g within %.3g\n", row, col, got, want, bound);
}

/* In f64: the sum of row i of C is A's row times the sums of BT's columns, plus the sum of bias. Each of about K + N
 * additions rounds by at most 2^-24 of the sum; independent roundings stay below 8 sqrt(K + N). */
static int check(const uint16_t *a, const uint16_t *bt, const float *bias, const float *sums, const int *size)
{
    size_t m = (size_t)size[0], n = (size_t)size[1], depth = (size_t)size[2];
    double *column = (double *)calloc(2 * depth, sizeof *column), all = 0, magnitude_bias = 0;
    int wrong = column ? 0 : 1;
    for (size_t j = 0; column && j < n; j++) {
        all += (double)bias[j];
        magnitude_bias += fabs((double)bias[j]);
        for (size_t k = 0; k < depth; k++) {
            column[k] += half(bt, j * depth + k);
            column[depth + k] += fabs(half(bt, j * depth + k));
        }
    }
    for (size_t i = 0; column && i < m; i++) {
        double want = all, magnitude = magnitude_bias;
        for (size_t k = 0; k < depth; k++) {
            want += half(a, i * depth + k) * column[k];
            magnitude += fabs(half(a, i * depth + k)) * column[depth + k];
        }
        check_element(&wrong, (int)i, 0, (double)sums[i], want,
                      8 * sqrt((double)(depth + n)) * 0x1p-23 * magnitude / sqrt((double)n));
    }
    free(column);
    return wrong;
}

static bool run(zed_device *dev, zed_kernel *kernel, const int *size, const char *name)
{
    size_t m = (size_t)size[0], n = (size_t)size[1], k = (size_t)size[2];
    uint64_t state = 22;
    uint16_t *a = new_halves(dev, m * k, &state), *bt = new_halves(dev, n * k, &state);
    float *bias = new_floats(dev, n, &state), *sums = new_floats(dev, m, NULL);
    zed_groups groups = {(uint32_t)(m + 255) / 256, 1, 1};
    int wrong;
    if (!a || !bt || !bias || !sums) return fail_device(dev);
    zed_launch(kernel, groups, a, bt, bias, sums, (uint32_t)m, (uint32_t)n, (uint32_t)k);
    if (zed_get_error(dev)->id) return fail_device(dev);
    wrong = check(a, bt, bias, sums, size);
    if (wrong) return fail("%s %d x %d x %d: %d sums are wrong", name, size[0], size[1], size[2], wrong);
    printf("ok gemm_transpose %s %d x %d x %d\n", name, size[0], size[1], size[2]);
    return true;
}

static bool run_2_2(zed_device *dev, zed_kernel *kernel, const int *size) { return run(dev, kernel, size, "2.2"); }
static bool run_2_3(zed_device *dev, zed_kernel *kernel, const int *size) { return run(dev, kernel, size, "2.3"); }

static const form forms[] = {
    {"2.2", "the transpose through local memory", &gemm_2_2, run_2_2},
    {"2.3", "the transpose in registers", &gemm_2_3, run_2_3},
};
static const int form_count = sizeof forms / sizeof forms[0];

/* ---- main */

static void print_help(void)
{
    printf("gemm_transpose [options]\nSums of the rows of A BT' + bias on normally distributed input, each checked "
           "against f64.\n");
    for (int i = 0; i < OPTIONS; i++) printf("  %-8s %s\n", option_table[i].name, option_table[i].help);
    printf("  --list           list the devices\n  --help           this text\n");
    for (int i = 0; i < form_count; i++) printf("  form %-12s %s\n", forms[i].name, forms[i].what);
}

static bool find_form(const char *name, int *number)
{
    for (*number = 0; name && *number < form_count; ++*number)
        if (!strcmp(name, forms[*number].name)) return true;
    return !name || fail("--form %s: there is no such form; gemm_transpose --help lists them", name);
}

static bool emit(const char *path, const char *target, const form *f)
{
    xt_module mod = XT_BUILD(*f->kernel, &(xt_target){.name = target ? target : "bmg"});
    bool ok = mod.words || fail("%s:%d: %s", mod.error->file, mod.error->line, mod.error->text);
    ok = ok && write_module(path, &mod);
    if (ok)
        printf("params   %s\nflags    %s\nok gemm_transpose %s: %s, %zu bytes\n", mod.params, mod.build_flags, f->name,
               path, mod.size);
    xt_free(&mod);
    return ok;
}

static bool run_form(zed_device *dev, const form *f, const int *size)
{
    zed_kernel kernel;
    xt_module mod = XT_BUILD(*f->kernel, &(xt_target){ZED_TARGET(dev)});
    bool ok = mod.words || fail("%s:%d: %s", mod.error->file, mod.error->line, mod.error->text);
    if (ok && !ZED_LOAD(&kernel, dev, mod)) ok = fail_device(dev);
    ok = ok && f->run(dev, &kernel, size);
    xt_free(&mod);
    return ok;
}

static bool run_all(const options o, int only)
{
    zed_device dev;
    int size[SIZES];
    bool ok;
    if (!parse_sizes(option_table, SIZES, o, size)) return false;
    ok = zed_open(&dev, &(zed_options){.device = o[DEVICE]}) || fail_device(&dev);
    if (ok) printf("device   %s\n", dev.name);
    for (int i = 0; ok && i < form_count; i++)
        if (!o[FORM] || i == only) ok = run_form(&dev, &forms[i], size);
    zed_close(&dev);
    return ok;
}

int main(int argc, char **argv)
{
    atexit(flush_output);
    options o = {NULL};
    int only;
    if (argc == 2 && !strcmp(argv[1], "--help")) return print_help(), 0;
    if (argc == 2 && !strcmp(argv[1], "--list")) return !zed_print_list(stdout);
    if (!parse_options(o, argv) || !find_form(o[FORM], &only)) return 1;
    return !(o[EMIT] ? emit(o[EMIT], o[TARGET], &forms[only]) : run_all(o, only));
}
