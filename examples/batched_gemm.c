/* batched_gemm.c - C = A B for thousands of small matrices at once: f32, each up to 32 x 32 x 32, column-major and
 * contiguous in memory. Every subgroup multiplies one pair, held as cooperative matrices.
 *
 *     cc -std=c11 batched_gemm.c -lze_loader -lm && ./a.out
 *
 * In order: the kernel, the input, the check against f64, the run, the command line.
 */
#include "coopmatrix.h"
#include "ze_dispatch.h"

#define EXAMPLE "batched_gemm"
#include "example.h"

enum { SUBGROUPS = 8 }; /* per work-group */

typedef struct {
    int m, n, k, count;
    float *a, *b, *c;
} problem;

/* ---- the kernel */

static int power_of_two(int n)
{
    int p = 1;
    while (p < n) p *= 2;
    return p;
}

/* Matrix `number` of an array of rows x cols matrices. The rows of a cooperative matrix are a power of two; for other
 * values of `rows`, the extent excludes the excess. */
static cm_mem matrix_at(spe_module *m, spe_id base, spe_id number, int rows, int cols)
{
    cm_mem mem;
    memset(&mem, 0, sizeof mem);
    mem.ptr = spe_index(
        m, base, spe_imul(m, spe_sconvert(m, spe_int(m, 64), number), spe_u64(m, (uint64_t)rows * (uint64_t)cols)));
    mem.stride_col = spe_i32(m, rows);
    if (power_of_two(rows) != rows) mem.rows = spe_i32(m, rows);
    return mem;
}

static void write_body(cm_ctx *c, const problem *p)
{
    spe_module *m = c->module;
    int M = power_of_two(p->m), K = power_of_two(p->k);
    spe_id number = spe_iadd(m, spe_imul(m, spe_builtin(m, SPE_GROUP_ID, 0), spe_i32(m, SUBGROUPS)),
                             spe_builtin(m, SPE_SUBGROUP_ID, 0));
    cm_mem at_a = matrix_at(m, spe_param_id(m, 0), number, p->m, p->k),
           at_b = matrix_at(m, spe_param_id(m, 1), number, p->k, p->n);
    cm_mem at_c = matrix_at(m, spe_param_id(m, 2), number, p->m, p->n);
    cm_matrix a, b, d;
    if (K != p->k) at_a.cols = spe_i32(m, p->k);
    spe_if(m, spe_slt(m, number, spe_param_id(m, 3)));
    a = cm_load(c, M, K, CM_F32, CM_A, &at_a);
    b = cm_load(c, K, p->n, CM_F32, CM_B, &at_b);
    d = cm_mul_add(c, CM_F32, &a, &b, NULL);
    cm_store(c, &d, &at_c);
    spe_endif(m, 0, NULL, NULL);
}

static const char parameters[] = "ptr<f32> A, ptr<f32> B, ptr<f32> C, i32 count";

/* Builds the module for a target; its words live until spe_free. Matrix sizes are constants in it. */
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
    k.name = "batched_gemm";
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

static float *random_matrices(zed_device *dev, size_t n, uint64_t seed)
{
    float *x = (float *)zed_alloc(dev, ZED_SHARED, n * sizeof *x, 64);
    for (size_t i = 0; x && i < n; i++) x[i] = random_normal(&seed);
    return x;
}

static bool make_input(zed_device *dev, problem *p)
{
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k, count = (size_t)p->count;
    p->a = random_matrices(dev, count * m * k, 1);
    p->b = random_matrices(dev, count * k * n, 2);
    p->c = (float *)zed_alloc(dev, ZED_SHARED, count * m * n * sizeof(float), 64);
    zed_fill(dev, p->c, 0xff, count * m * n * sizeof(float)); /* not a number */
    return zed_get_error(dev)->id == 0 || fail_device(dev);
}

/* ---- the check: k products and sums in f32, in any order, are off by at most k + 2 roundings of the sum of
 * magnitudes */

static bool check(const problem *p)
{
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k, wrong = 0;
    double worst = 0;
    for (size_t e = 0; e < (size_t)p->count * m * n; e++) {
        const float *a = p->a + e / (m * n) * m * k + e % m, *b = p->b + e / (m * n) * k * n + e / m % n * k;
        double want = 0, size = 0, bound;
        for (size_t i = 0; i < k; i++) {
            want += (double)a[i * m] * b[i];
            size += fabs((double)a[i * m] * b[i]);
        }
        bound = (p->k + 2) * 0x1p-24 * size;
        if (!(fabs(p->c[e] - want) <= bound) && wrong++ == 0)
            printf("matrix %zu, element (%zu, %zu) is %.9g, want %.9g within %.2g\n", e / (m * n), e % m, e / m % n,
                   p->c[e], want, bound);
        if (bound > 0) worst = fmax(worst, fabs(p->c[e] - want) / bound);
    }
    printf("error    at most %.2g of what is allowed\n", worst);
    return wrong == 0 || fail("%d of %d x %d x %d: %zu elements are wrong", p->count, p->m, p->n, p->k, wrong);
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
         !zed_kernel_get(kernel, module, "batched_gemm", parameters)))
        ok = fail_device(dev);
    spe_free(&m);
    return ok;
}

/* Nanoseconds of a launch, negative on failure. */
static double launch(zed_kernel *kernel, const problem *p)
{
    return zed_launch_timed(kernel, (zed_groups){(uint32_t)(p->count + SUBGROUPS - 1) / SUBGROUPS, 1, 1}, p->a, p->b,
                            p->c, p->count);
}

static double flops(const problem *p) { return 2.0 * p->m * p->n * p->k * p->count; }

static bool run(zed_device *dev, problem *p)
{
    zed_module module;
    zed_kernel kernel;
    double ns = 0;
    bool ok = make_input(dev, p) && load(dev, &module, &kernel, p);
    if (ok) ns = launch(&kernel, p);
    if (ok && ns < 0) ok = fail_device(dev);
    ok = ok && check(p);
    if (ok) printf("ok batched_gemm %d of %d x %d x %d, %.1f GFLOP/s\n", p->count, p->m, p->n, p->k, flops(p) / ns);
    zed_free(dev, p->a), zed_free(dev, p->b), zed_free(dev, p->c);
    return ok;
}

/* ---- the command line */

typedef struct {
    const char *file, *target, *device;
    int size[4]; /* columns of the table; 0: not given */
} options;

static const struct {
    const char *name, *help;
    int most;
} sizes[] = {{"--m", "rows of A and C, up to 32 (8, 16, 32 and 17 one after another)", 32},
             {"--n", "columns of B and C, up to 32 (as many; 9 with 17)", 32},
             {"--k", "columns of A, rows of B, up to 32 (as many; 5 with 17)", 32},
             {"--count", "matrices (10000)", 1000000}};

static bool parse_options(options *o, char **argv)
{
    for (int i = 1; argv[i]; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        size_t n = 0;
        while (n < sizeof sizes / sizeof sizes[0] && strcmp(name, sizes[n].name) != 0) n++;
        if (!value) return fail("%s is not an option, or its value is missing; batched_gemm --help lists them", name);
        if (!strcmp(name, "--emit")) o->file = value;
        else if (!strcmp(name, "--target")) o->target = value;
        else if (!strcmp(name, "--device")) o->device = value;
        else if (n == sizeof sizes / sizeof sizes[0])
            return fail("%s is not an option, or its value is missing; batched_gemm --help lists them", name);
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
        printf("params   %s\nflags    %s\nok batched_gemm %s, %zu bytes\n", parameters,
               cm_target_row(o->target)->build_flags, o->file, words.count * 4);
    spe_free(&m);
    return ok;
}

static void print_help(void)
{
    printf("batched_gemm [options]\n");
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

static void choose_sizes(const options *o, problem *p)
{
    p->m = o->size[0] ? o->size[0] : 16;
    p->n = o->size[1] ? o->size[1] : 16;
    p->k = o->size[2] ? o->size[2] : 16;
}

/* Runs the requested sizes, or all in the table. */
static bool run_all(const options *o)
{
    static const int defaults[][3] = {{8, 8, 8}, {16, 16, 16}, {32, 32, 32}, {17, 9, 5}};
    bool given = o->size[0] || o->size[1] || o->size[2], ok = true;
    zed_device dev;
    if (!open_named(&dev, o->device)) return false;
    for (int i = 0; ok && i < (given ? 1 : 4); i++) {
        problem p = {defaults[i][0], defaults[i][1], defaults[i][2], o->size[3] ? o->size[3] : 10000, NULL, NULL, NULL};
        if (given) choose_sizes(o, &p);
        ok = run(&dev, &p);
    }
    zed_close(&dev);
    return ok;
}

int main(int argc, char **argv)
{
    atexit(flush_output);
    options o = {NULL, NULL, NULL, {0, 0, 0, 0}};
    problem p = {8, 8, 8, 0, NULL, NULL, NULL};
    if (argc == 2 && !strcmp(argv[1], "--help")) return print_help(), 0;
    if (argc == 2 && !strcmp(argv[1], "--list")) return !zed_print_list(stdout);
    if (!parse_options(&o, argv)) return 1;
    if (!o.file) return !run_all(&o);
    if (o.size[0] || o.size[1] || o.size[2]) choose_sizes(&o, &p);
    return !emit(&o, &p);
}
