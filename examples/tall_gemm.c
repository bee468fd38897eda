/* tall_gemm.c - C = A B with many rows and few columns: A is M x K and B K x N, f32, column-major, M in the hundred
 * thousands, N and K up to 256. Every subgroup computes 32 rows of C and iterates over K in steps of 16, with its part
 * of C in registers.
 *
 *     cc -std=c11 tall_gemm.c -lze_loader -lm && ./a.out
 *
 * In order: the kernel, the input, the check against f64, the run, the command line.
 */
#include "coopmatrix.h"
#include "ze_dispatch.h"

#define EXAMPLE "tall_gemm"
#include "example.h"

/* per subgroup; values of k per step; per work-group */
enum { ROWS = 32, COLUMNS = 32, STEP = 16, SUBGROUPS = 8 };

typedef struct {
    int m, n, k;
    float *a, *b, *c;
} problem;

/* ---- the kernel */

static cm_mem matrix_at(spe_id ptr, spe_id rows, spe_id cols)
{
    cm_mem mem;
    memset(&mem, 0, sizeof mem);
    mem.ptr = ptr;
    mem.rows = mem.stride_col = rows;
    mem.cols = cols;
    return mem;
}

/* Rows first .. + ROWS, and columns from `column` on. whole: nothing of A and C is outside in the first direction. */
static void write_part(cm_ctx *c, const problem *p, spe_id first, spe_id column, int columns, bool whole)
{
    spe_module *m = c->module;
    spe_id M = spe_param_id(m, 3), N = spe_i32(m, p->n), K = spe_i32(m, p->k);
    cm_mem at_a = matrix_at(spe_param_id(m, 0), M, K), at_b = matrix_at(spe_param_id(m, 1), K, N);
    cm_mem at_c = matrix_at(spe_param_id(m, 2), M, N);
    cm_matrix d = cm_splat(c, ROWS, columns, CM_F32, CM_ACC, 0);
    spe_id k;
    if (whole) at_a.rows = at_c.rows = 0;
    if (p->k % STEP == 0) at_a.cols = at_b.rows = 0; /* decided at build time */
    if (p->n % columns == 0) at_b.cols = at_c.cols = 0;
    at_a.row = at_c.row = first;
    at_b.col = at_c.col = column;
    k = spe_for(m, spe_i32(m, 0), K, spe_i32(m, STEP), (uint32_t)d.parts, d.part);
    {
        cm_matrix a, b;
        at_a.col = at_b.row = k;
        a = cm_load(c, ROWS, STEP, CM_F32, CM_A, &at_a);
        b = cm_load(c, STEP, columns, CM_F32, CM_B, &at_b);
        d = cm_mul_add(c, CM_F32, &a, &b, &d);
    }
    spe_endfor(m, (uint32_t)d.parts, d.part);
    cm_store(c, &d, &at_c);
}

static void write_body(cm_ctx *c, const problem *p)
{
    spe_module *m = c->module;
    int columns = p->n < COLUMNS ? p->n : COLUMNS;
    spe_id M = spe_param_id(m, 3);
    spe_id first = spe_iadd(m, spe_imul(m, spe_builtin(m, SPE_GROUP_ID, 0), spe_i32(m, SUBGROUPS)),
                            spe_builtin(m, SPE_SUBGROUP_ID, 0));
    spe_id column = spe_imul(m, spe_builtin(m, SPE_GROUP_ID, 1), spe_i32(m, columns));
    first = spe_imul(m, first, spe_i32(m, ROWS));
    spe_if(m, spe_sle(m, spe_iadd(m, first, spe_i32(m, ROWS)), M));
    write_part(c, p, first, column, columns, true);
    spe_else(m, 0, NULL);
    spe_if(m, spe_slt(m, first, M));
    write_part(c, p, first, column, columns, false);
    spe_endif(m, 0, NULL, NULL);
    spe_endif(m, 0, NULL, NULL);
}

static const char parameters[] = "ptr<f32> A, ptr<f32> B, ptr<f32> C, i32 M";

/* Builds the module for a target; its words live until spe_free. N and K are constants in it. */
static spe_words build(spe_module *m, const char *target, const problem *p)
{
    const cm_target *row = cm_target_row(target);
    spe_param params[4];
    spe_kernel k;
    cm_ctx c;
    spe_begin(m, NULL);
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    for (int i = 0; i < 3; i++) params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_float(m, 32));
    params[3].type = spe_int(m, 32);
    k.name = "tall_gemm";
    k.params = params;
    k.param_count = 4;
    k.subgroup_size = row ? (uint32_t)row->subgroup_size : 16;
    k.local_size[0] = k.subgroup_size * SUBGROUPS;
    k.local_size[1] = k.local_size[2] = 1;
    spe_kernel_begin(m, &k);
    if (cm_begin(&c, m, row, CM_AUTO)) write_body(&c, p);
    spe_kernel_end(m);
    return spe_finish(m);
}

/* ---- messages */

/* ---- input */

static float *random_matrix(zed_device *dev, size_t n, uint64_t seed)
{
    float *x = (float *)zed_alloc(dev, ZED_SHARED, n * sizeof *x, 64);
    for (size_t i = 0; x && i < n; i++) x[i] = random_normal(&seed);
    return x;
}

static bool make_input(zed_device *dev, problem *p)
{
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    p->a = random_matrix(dev, m * k, 1);
    p->b = random_matrix(dev, k * n, 2);
    p->c = (float *)zed_alloc(dev, ZED_SHARED, m * n * sizeof(float), 64);
    zed_fill(dev, p->c, 0xff, m * n * sizeof(float)); /* not a number */
    return zed_get_error(dev)->id == 0 || fail_device(dev);
}

/* ---- the check: k products and sums in f32, in any order, are off by at most k + 2 roundings of the sum of
 * magnitudes */

static bool check(const problem *p)
{
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k, wrong = 0;
    double worst = 0;
    for (size_t row = 0; row < m; row++)
        for (size_t col = 0; col < n; col++) {
            const float *a = p->a + row, *b = p->b + col * k;
            double want = 0, size = 0, bound, got = p->c[row + col * m];
            for (size_t i = 0; i < k; i++) {
                want += (double)a[i * m] * b[i];
                size += fabs((double)a[i * m] * b[i]);
            }
            bound = (p->k + 2) * 0x1p-24 * size;
            if (!(fabs(got - want) <= bound) && wrong++ == 0)
                printf("element (%zu, %zu) is %.9g, want %.9g within %.2g\n", row, col, got, want, bound);
            if (bound > 0) worst = fmax(worst, fabs(got - want) / bound);
        }
    printf("error    at most %.2g of what is allowed\n", worst);
    return wrong == 0 || fail("%d x %d x %d: %zu elements are wrong", p->m, p->n, p->k, wrong);
}

/* ---- the run */

/* Loads the kernel for the problem. */
static bool load(zed_device *dev, zed_module *module, zed_kernel *kernel, const problem *p)
{
    spe_module m;
    spe_words words = build(&m, dev->target.name, p);
    bool ok = words.data || fail("%s", spe_get_error(&m)->text);
    if (ok &&
        (!zed_module_load(module, dev, words.data, words.count * 4, cm_target_row(dev->target.name)->build_flags) ||
         !zed_kernel_get(kernel, module, "tall_gemm", parameters)))
        ok = fail_device(dev);
    spe_free(&m);
    return ok;
}

/* Nanoseconds of a launch, negative on failure. */
static double launch(zed_kernel *kernel, const problem *p)
{
    uint32_t rows = ROWS * SUBGROUPS, columns = p->n < COLUMNS ? (uint32_t)p->n : COLUMNS;
    zed_groups groups = {((uint32_t)p->m + rows - 1) / rows, ((uint32_t)p->n + columns - 1) / columns, 1};
    return zed_launch_timed(kernel, groups, p->a, p->b, p->c, p->m);
}

static double flops(const problem *p) { return 2.0 * p->m * p->n * p->k; }

static bool run(zed_device *dev, problem *p)
{
    zed_module module;
    zed_kernel kernel;
    double ns = 0;
    bool ok = make_input(dev, p) && load(dev, &module, &kernel, p);
    if (ok) ns = launch(&kernel, p);
    if (ok && ns < 0) ok = fail_device(dev);
    ok = ok && check(p);
    if (ok) printf("ok tall_gemm %d x %d x %d, %.1f GFLOP/s\n", p->m, p->n, p->k, flops(p) / ns);
    zed_free(dev, p->a), zed_free(dev, p->b), zed_free(dev, p->c);
    return ok;
}

/* ---- the command line */

typedef struct {
    const char *file, *target, *device;
    int size[3]; /* columns of the table; 0: not given */
} options;

static const struct {
    const char *name, *help;
    int most;
} sizes[] = {{"--m", "rows of A and C (100003)", 10000000},
             {"--n", "columns of B and C, up to 256 (16)", 256},
             {"--k", "columns of A, rows of B, up to 256 (32)", 256}};

static bool parse_options(options *o, char **argv)
{
    for (int i = 1; argv[i]; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        size_t n = 0;
        while (n < sizeof sizes / sizeof sizes[0] && strcmp(name, sizes[n].name) != 0) n++;
        if (!value) return fail("%s is not an option, or its value is missing; tall_gemm --help lists them", name);
        if (!strcmp(name, "--emit")) o->file = value;
        else if (!strcmp(name, "--target")) o->target = value;
        else if (!strcmp(name, "--device")) o->device = value;
        else if (n == sizeof sizes / sizeof sizes[0])
            return fail("%s is not an option, or its value is missing; tall_gemm --help lists them", name);
        else if (!parse_number(name, value, 1, sizes[n].most, &o->size[n])) return false;
    }
    if (o->target && !o->file) return fail("--target requires --emit");
    if (!o->target) o->target = "bmg";
    return true;
}

static bool emit(const options *o, const problem *p)
{
    spe_module m;
    spe_words words = build(&m, o->target, p);
    bool ok = words.data || fail("%s", spe_get_error(&m)->text);
    ok = ok && write_file(o->file, words.data, words.count * 4);
    if (ok)
        printf("params   %s\nflags    %s\nok tall_gemm %s, %zu bytes\n", parameters,
               cm_target_row(o->target)->build_flags, o->file, words.count * 4);
    spe_free(&m);
    return ok;
}

static void print_help(void)
{
    printf("tall_gemm [options]\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) printf("  %-17s %s\n", sizes[i].name, sizes[i].help);
    printf("  --emit FILE       write the SPIR-V module and touch no device\n"
           "  --target NAME     with --emit: pvc bmg lnl ptl dg2 generic soft (bmg)\n"
           "  --device N|NAME   run on this device of --list (GPU first)\n"
           "  --list            list the devices\n"
           "  --help            this text\n");
}

static bool open_named(zed_device *dev, const char *name)
{
    if (!open_device(dev, name)) return false;
    printf("device   %s\n", dev->name);
    return true;
}

int main(int argc, char **argv)
{
    atexit(flush_output);
    options o = {NULL, NULL, NULL, {0, 0, 0}};
    problem p = {0, 0, 0, NULL, NULL, NULL};
    zed_device dev;
    bool ok;
    if (argc == 2 && !strcmp(argv[1], "--help")) return print_help(), 0;
    if (argc == 2 && !strcmp(argv[1], "--list")) return !zed_print_list(stdout);
    ok = parse_options(&o, argv);
    p.m = o.size[0] ? o.size[0] : 100003;
    p.n = o.size[1] ? o.size[1] : 16;
    p.k = o.size[2] ? o.size[2] : 32;
    if (ok && o.file) return !emit(&o, &p);
    if (!ok || !open_named(&dev, o.device)) return 1;
    ok = run(&dev, &p);
    zed_close(&dev);
    return ok ? 0 : 1;
}
