/* gemm_epilogue.c - matrix products fused with what surrounds them in neural networks: operations on operands and
 * results stay in registers, and the loop reads no more memory than a bare product.
 *
 *     gelu   D = gelu(scale relu(A) (beta B) + bias) + R        A, B: f16; bias (a row), R (residual), D: f32
 *     i8     D = relu(scale A B + bias) with A, B: i8, sums in i32, scale and bias a row of f32, D: f16
 *
 *     cc -std=c11 gemm_epilogue.c -lze_loader -lm && ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_epilogue"
#include "example.h"

enum { ROWS = 128, COLS = 128, STEP = 32 }; /* per work-group: 4 x 4 subgroups of 32 x 32 */
#define MAP_A XT_MAP(.sg_layout = {4, 4}, .sg_data = {32, STEP})
#define MAP_B XT_MAP(.sg_layout = {4, 4}, .sg_data = {STEP, 32})
#define MAP_C XT_MAP(.sg_layout = {4, 4}, .sg_data = {32, 32})
#define MAP_ROW XT_MAP(.sg_layout = {4, 4}, .sg_data = {1, 32})

/* x (1 + erf(x / sqrt 2)) / 2 */
static xt_vec gelu(XT_CONTEXT, xt_vec x)
{
    return XT_MUL(XT_MUL(x, 0.5), XT_ADD(XT_ERF(XT_MUL(x, 0.70710678118654752)), 1));
}

/* Loads a row of N values for the work-group's columns, repeated for all its rows. */
static xt_vec row_of(XT_CONTEXT, xt_val base, xt_val j, xt_val N)
{
    xt_tile t = XT_INIT_TILE(base, f32, 1, COLS, .offset = XT_AT(0, j), .shape = XT_AT(1, N), .map = MAP_ROW);
    return XT_BROADCAST(XT_LOAD_TILE(t), 0, ROWS, .map = MAP_C);
}

XT_KERNEL (gemm_gelu, ptr(f16, A), ptr(f16, B), ptr(f32, bias), ptr(f32, R), ptr(f32, D), u32(M), u32(N), u32(K),
           f32(scale), f16(beta))
{
    xt_val i = XT_MUL(XT_GROUP_ID(1), ROWS), j = XT_MUL(XT_GROUP_ID(0), COLS);
    xt_tile a = XT_INIT_TILE(A, f16, ROWS, STEP, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = MAP_A);
    xt_tile b = XT_INIT_TILE(B, f16, STEP, COLS, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = MAP_B);
    xt_tile r = XT_INIT_TILE(R, f32, ROWS, COLS, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = MAP_C);
    xt_tile d = XT_INIT_TILE(D, f32, ROWS, COLS, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = MAP_C);
    xt_vec acc = XT_SPLAT(f32, ROWS, COLS, 0, .map = MAP_C);
    XT_FOR (k, 0, K, STEP, &a, &b, &acc) {
        acc = XT_TILE_MMA(XT_MAX(XT_LOAD_TILE(a), 0), XT_MUL(XT_LOAD_TILE(b), beta), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, STEP);
        b = XT_UPDATE_TILE_OFFSET(b, STEP, 0);
    }
    acc = XT_FMA(acc, scale, row_of(XT_SELF, bias, j, N));
    XT_STORE_TILE(XT_ADD(gelu(XT_SELF, acc), XT_LOAD_TILE(r)), d);
}

XT_KERNEL (gemm_i8, ptr(i8, A), ptr(i8, B), ptr(f32, scale), ptr(f32, bias), ptr(f16, D), u32(M), u32(N), u32(K))
{
    xt_val i = XT_MUL(XT_GROUP_ID(1), ROWS), j = XT_MUL(XT_GROUP_ID(0), COLS);
    xt_tile a = XT_INIT_TILE(A, i8, ROWS, STEP, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = MAP_A);
    xt_tile b = XT_INIT_TILE(B, i8, STEP, COLS, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = MAP_B);
    xt_tile d = XT_INIT_TILE(D, f16, ROWS, COLS, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = MAP_C);
    xt_vec acc = XT_SPLAT(i32, ROWS, COLS, 0, .map = MAP_C);
    XT_FOR (k, 0, K, STEP, &a, &b, &acc) {
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, STEP);
        b = XT_UPDATE_TILE_OFFSET(b, STEP, 0);
    }
    xt_vec out = XT_FMA(XT_CAST(f32, acc), row_of(XT_SELF, scale, j, N), row_of(XT_SELF, bias, j, N));
    XT_STORE_TILE(XT_CAST(f16, XT_MAX(out, 0)), d);
}

/* ---- messages and the command line */

typedef struct {
    const char *name, *what;
    const xt_kernel *kernel;
    bool (*run)(zed_device *dev, zed_kernel *kernel, const int *size);
} form;

enum { SIZES = 3, FORM = SIZES, EMIT, TARGET, DEVICE, OPTIONS };
static const example_row option_table[OPTIONS] = {
    {"--m", "N       rows of A and D (200)", 200},
    {"--n", "N       columns of B and D (300)", 300},
    {"--k", "N       columns of A, rows of B (136)", 136},
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

static zed_groups groups_of(const int *size)
{
    zed_groups g = {(uint32_t)(size[1] + COLS - 1) / COLS, (uint32_t)(size[0] + ROWS - 1) / ROWS, 1};
    return g;
}

/* In f64, except beta B, which the kernel rounds to f16 too. Sums of K products: 8 sqrt(K) roundings of f32 (2^-23) of
 * the magnitudes' norm; gelu has a slope of at most 1.13; erf and the rest: a few units of the result. */
static int check_gelu(const uint16_t *a, const uint16_t *b, const float *bias, const float *r, const float *d,
                      const int *size, double scale, double beta)
{
    int wrong = 0;
    size_t n = (size_t)size[1], depth = (size_t)size[2];
    for (size_t i = 0; i < (size_t)size[0]; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0, square = 0, x, want;
            for (size_t k = 0; k < depth; k++) {
                double p = fmax(half(a, i * depth + k), 0);
                double q = (double)spe_f16_bits_to_f32(spe_f32_to_f16_bits((float)(half(b, k * n + j) * beta)));
                sum += p * q;
                square += p * p * q * q;
            }
            x = scale * sum + (double)bias[j];
            want = x * 0.5 * (1 + erf(x * 0.70710678118654752)) + (double)r[i * n + j];
            check_element(&wrong, (int)i, (int)j, (double)d[i * n + j], want,
                          0x1p-23 *
                              (8 * scale * depth * sqrt(square / (double)depth) + 16 * (fabs(x) + fabs(want) + 1)));
        }
    return wrong;
}

static bool run_gelu(zed_device *dev, zed_kernel *kernel, const int *size)
{
    size_t m = (size_t)size[0], n = (size_t)size[1], k = (size_t)size[2];
    uint64_t state = 1;
    uint16_t *a = new_halves(dev, m * k, &state), *b = new_halves(dev, k * n, &state);
    float *bias = new_floats(dev, n, &state), *r = new_floats(dev, m * n, &state), *d = new_floats(dev, m * n, NULL);
    float scale = 0.25f, beta = 0.3125f; /* exact in f16 */
    int wrong;
    if (!a || !b || !bias || !r || !d) return fail_device(dev);
    zed_launch(kernel, groups_of(size), a, b, bias, r, d, (uint32_t)m, (uint32_t)n, (uint32_t)k, scale, beta);
    if (zed_get_error(dev)->id) return fail_device(dev);
    wrong = check_gelu(a, b, bias, r, d, size, (double)scale, (double)beta);
    if (wrong) return fail("gelu %d x %d x %d: %d elements are wrong", size[0], size[1], size[2], wrong);
    printf("ok gemm_epilogue gelu %d x %d x %d\n", size[0], size[1], size[2]);
    return true;
}

/* Sums of integers are exact; then two roundings of f32 and one of f16. */
static int check_i8(const int8_t *a, const int8_t *b, const float *scale, const float *bias, const uint16_t *d,
                    const int *size)
{
    int wrong = 0;
    size_t n = (size_t)size[1], depth = (size_t)size[2];
    for (size_t i = 0; i < (size_t)size[0]; i++)
        for (size_t j = 0; j < n; j++) {
            int32_t sum = 0;
            double want;
            for (size_t k = 0; k < depth; k++) sum += a[i * depth + k] * b[k * n + j];
            want = fmax(sum * (double)scale[j] + (double)bias[j], 0);
            check_element(&wrong, (int)i, (int)j, half(d, i * n + j), want,
                          0x1p-11 * want + 0x1p-22 * (fabs(sum * (double)scale[j]) + fabs((double)bias[j])) + 0x1p-25);
        }
    return wrong;
}

static bool run_i8(zed_device *dev, zed_kernel *kernel, const int *size)
{
    size_t m = (size_t)size[0], n = (size_t)size[1], k = (size_t)size[2];
    uint64_t state = 2;
    int8_t *a = (int8_t *)zed_alloc(dev, ZED_SHARED, m * k, 0), *b = (int8_t *)zed_alloc(dev, ZED_SHARED, k * n, 0);
    float *scale = new_floats(dev, n, &state), *bias = new_floats(dev, n, &state);
    uint16_t *d = new_halves(dev, m * n, NULL);
    int wrong;
    if (!a || !b || !scale || !bias || !d) return fail_device(dev);
    for (size_t i = 0; i < m * k; i++) a[i] = (int8_t)fmin(fmax(40 * (double)random_normal(&state), -128), 127);
    for (size_t i = 0; i < k * n; i++) b[i] = (int8_t)fmin(fmax(40 * (double)random_normal(&state), -128), 127);
    for (size_t j = 0; j < n; j++) scale[j] *= 0x1p-10f;
    zed_launch(kernel, groups_of(size), a, b, scale, bias, d, (uint32_t)m, (uint32_t)n, (uint32_t)k);
    if (zed_get_error(dev)->id) return fail_device(dev);
    wrong = check_i8(a, b, scale, bias, d, size);
    if (wrong) return fail("i8 %d x %d x %d: %d elements are wrong", size[0], size[1], size[2], wrong);
    printf("ok gemm_epilogue i8 %d x %d x %d\n", size[0], size[1], size[2]);
    return true;
}

static const form forms[] = {
    {"gelu", "gelu(scale relu(A) (beta B) + bias) + R in f16 and f32", &gemm_gelu, run_gelu},
    {"i8", "relu(scale A B + bias), i8 to f16", &gemm_i8, run_i8},
};
static const int form_count = sizeof forms / sizeof forms[0];

/* ---- main */

static void print_help(void)
{
    printf("gemm_epilogue [options]\nProducts with pre- and post-operations on normally distributed input, each "
           "element checked against f64.\n");
    for (int i = 0; i < OPTIONS; i++) printf("  %-8s %s\n", option_table[i].name, option_table[i].help);
    printf("  --list           list the devices\n  --help           this text\n");
    for (int i = 0; i < form_count; i++) printf("  form %-12s %s\n", forms[i].name, forms[i].what);
}

static bool find_form(const char *name, int *number)
{
    for (*number = 0; name && *number < form_count; ++*number)
        if (!strcmp(name, forms[*number].name)) return true;
    return !name || fail("--form %s: there is no such form; gemm_epilogue --help lists them", name);
}

static bool emit(const char *path, const char *target, const form *f)
{
    xt_module mod = XT_BUILD(*f->kernel, &(xt_target){.name = target ? target : "bmg"});
    bool ok = mod.words || fail("%s:%d: %s", mod.error->file, mod.error->line, mod.error->text);
    ok = ok && write_module(path, &mod);
    if (ok)
        printf("params   %s\nflags    %s\nok gemm_epilogue %s: %s, %zu bytes\n", mod.params, mod.build_flags, f->name,
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
