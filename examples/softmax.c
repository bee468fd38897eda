/* softmax.c - exp(x - max) / sum along the rows or columns of a matrix of any size, and layer normalisation of its
 * rows: (x - mean) / sqrt(variance + epsilon) * gamma + beta. A work-group has 4 or 16 lines of them and passes over
 * them three times: for the largest elements, for the sums, and for the results.
 *
 *     cc -std=c11 softmax.c -lm && ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "softmax"
#include "example.h"
#include "example_gemm.h"

enum { LINES = 16, STEP = 64 }; /* rows per work-group, and elements per step */

/* Rows of softmax per work-group: few where lanes load elements, so that there are many work-groups; where messages
 * load blocks, as high as those. */
static int rows_together = LINES;

static void fit(const xt_target *target, int local_memory)
{
    const cm_target *row = cm_target_row(target->name);
    (void)local_memory;
    rows_together = row && row->block2d_sizes ? LINES : 4;
}

/* A work-group's elements: count x STEP along dimension dim = 1, STEP x count along dim = 0. */
typedef struct {
    int dim, rows, cols;
    xt_map map, sums; /* of such a vector, and of one sum per line */
    xt_val first, extent, M, N;
} lines;

static lines lines_along(XT_CONTEXT, int dim, int count, xt_val M, xt_val N)
{
    lines l = {.dim = dim, .rows = dim ? count : STEP, .cols = dim ? STEP : count, .M = M, .N = N};
    l.map = dim ? XT_MAP(.sg_layout = {4, 1}, .sg_data = {count / 4, STEP})
                : XT_MAP(.sg_layout = {4, 1}, .sg_data = {STEP / 4, count});
    l.sums = xt_map_reduction(&l.map, dim, STEP); /* along rows: a line is one subgroup's; along columns: all four's */
    l.first = XT_MUL(XT_GROUP_ID(0), count);
    l.extent = dim ? N : M;
    return l;
}

static xt_tile tile_of(XT_CONTEXT, xt_val base, const lines *l)
{
    xt_val row = l->dim ? l->first : XT_CAST(i32, 0), col = l->dim ? XT_CAST(i32, 0) : l->first;
    return XT_INIT_TILE(base, f32, l->rows, l->cols, .offset = XT_AT(row, col), .shape = XT_AT(l->M, l->N),
                        .map = l->map);
}

static xt_tile next(XT_CONTEXT, xt_tile t, int dim) { return XT_UPDATE_TILE_OFFSET(t, dim ? 0 : STEP, dim ? STEP : 0); }

/* Repeats one value per line along the lines. */
static xt_vec spread(XT_CONTEXT, xt_vec v, const lines *l)
{
    return XT_BROADCAST(v, l->dim, STEP, .map = l->map, .source = v.map);
}

static void softmax(XT_CONTEXT, int dim, xt_val X, xt_val Y, xt_val M, xt_val N)
{
    lines l = lines_along(XT_SELF, dim, dim ? rows_together : LINES, M, N);
    xt_tile x = tile_of(XT_SELF, X, &l), again = x, once_more = x, y = tile_of(XT_SELF, Y, &l);
    xt_vec most = XT_SPLAT(f32, l.rows, l.cols, -INFINITY, .map = l.map),
           sum = XT_SPLAT(f32, l.rows, l.cols, 0, .map = l.map), inverse;
    XT_FOR (k, 0, l.extent, STEP, &x, &most) {
        most = XT_MAX(most, XT_LOAD_TILE(x, .padding = -INFINITY));
        x = next(XT_SELF, x, dim);
    }
    most = spread(XT_SELF, XT_REDUCTION(maxnumf, most, dim), &l);
    XT_FOR (k, 0, l.extent, STEP, &again, &sum) {
        sum = XT_ADD(sum, XT_EXP(XT_SUB(XT_LOAD_TILE(again, .padding = -INFINITY), most)));
        again = next(XT_SELF, again, dim);
    }
    inverse = spread(XT_SELF, XT_DIV(1.0, XT_REDUCTION(add, sum, dim)), &l);
    XT_FOR (k, 0, l.extent, STEP, &once_more, &y) {
        XT_STORE_TILE(XT_MUL(XT_EXP(XT_SUB(XT_LOAD_TILE(once_more), most)), inverse), y);
        once_more = next(XT_SELF, once_more, dim);
        y = next(XT_SELF, y, dim);
    }
}

XT_KERNEL (softmax_rows, ptr(f32, X), ptr(f32, Y), u32(M), u32(N)) { softmax(XT_SELF, 1, X, Y, M, N); }
XT_KERNEL (softmax_columns, ptr(f32, X), ptr(f32, Y), u32(M), u32(N)) { softmax(XT_SELF, 0, X, Y, M, N); }

/* Elements beyond the row must not contribute to the variance: their distance from the mean is set to 0. */
XT_KERNEL (layer_norm, ptr(f32, X), ptr(f32, gamma), ptr(f32, beta), ptr(f32, Y), u32(M), u32(N), f32(epsilon))
{
    lines l = lines_along(XT_SELF, 1, LINES, M, N);
    const xt_map map_row = XT_MAP(.sg_layout = {4, 1}, .sg_data = {1, STEP});
    xt_tile x = tile_of(XT_SELF, X, &l), again = x, once_more = x, y = tile_of(XT_SELF, Y, &l);
    xt_tile g = XT_INIT_TILE(gamma, f32, 1, STEP, .shape = XT_AT(1, N), .map = map_row);
    xt_tile b = XT_INIT_TILE(beta, f32, 1, STEP, .shape = XT_AT(1, N), .map = map_row);
    xt_vec zero = XT_SPLAT(f32, LINES, STEP, 0, .map = l.map), sum = zero, squares = zero, mean, scale;
    xt_vec column = XT_IOTA(i32, LINES, STEP, 1, .map = l.map);
    xt_val count = XT_CAST(f32, N);
    XT_FOR (k, 0, N, STEP, &x, &sum) {
        sum = XT_ADD(sum, XT_LOAD_TILE(x));
        x = next(XT_SELF, x, 1);
    }
    mean = spread(XT_SELF, XT_DIV(XT_REDUCTION(add, sum, 1), count), &l);
    XT_FOR (k, 0, N, STEP, &again, &squares) {
        xt_vec d = XT_SELECT(XT_LT(column, XT_SUB(XT_CAST(i32, N), k)), XT_SUB(XT_LOAD_TILE(again), mean), 0.0);
        squares = XT_FMA(d, d, squares);
        again = next(XT_SELF, again, 1);
    }
    scale = XT_RSQRT(XT_ADD(XT_DIV(XT_REDUCTION(add, squares, 1), count), epsilon));
    scale = spread(XT_SELF, scale, &l);
    XT_FOR (k, 0, N, STEP, &once_more, &y, &g, &b) {
        xt_vec v = XT_MUL(XT_SUB(XT_LOAD_TILE(once_more), mean), scale);
        xt_vec vg = XT_BROADCAST(XT_LOAD_TILE(g), 0, LINES, .map = l.map);
        xt_vec vb = XT_BROADCAST(XT_LOAD_TILE(b), 0, LINES, .map = l.map);
        XT_STORE_TILE(XT_FMA(v, vg, vb), y);
        once_more = next(XT_SELF, once_more, 1);
        y = next(XT_SELF, y, 1);
        g = XT_UPDATE_TILE_OFFSET(g, 0, STEP);
        b = XT_UPDATE_TILE_OFFSET(b, 0, STEP);
    }
}

/* ---- the program */

static int m = 100, n = 333, launches = 1;

/* Line by line in f64. exp, the sum and the division err by a few units of f32; the argument of exp by one unit of up
 * to twice the largest element, which exp turns into a relative error. */
static size_t check_softmax(const float *x, const float *y, int lines_, int length, int step, int line_step, bool rows)
{
    size_t wrong = 0;
    for (int i = 0; i < lines_; i++) {
        const float *line = x + (size_t)i * (size_t)line_step;
        double most = -INFINITY, sum = 0;
        for (int k = 0; k < length; k++) most = fmax(most, (double)line[(size_t)k * (size_t)step]);
        for (int k = 0; k < length; k++) sum += exp((double)line[(size_t)k * (size_t)step] - most);
        for (int k = 0; k < length; k++) {
            size_t at = (size_t)i * (size_t)line_step + (size_t)k * (size_t)step;
            double want = exp((double)x[at] - most) / sum;
            check_element(&wrong, rows ? i : k, rows ? k : i, (double)y[at], want,
                          0x1p-23 * (32 + sqrt(length)) * want);
        }
    }
    return wrong;
}

static bool run_softmax(zed_device *dev, zed_kernel *kernel, const example_form *form)
{
    bool rows = form->kernel == &softmax_rows;
    int lines_ = rows ? m : n, length = rows ? n : m;
    size_t count = (size_t)m * (size_t)n, wrong;
    uint64_t state = 5;
    double best = INFINITY;
    float *x = new_floats(dev, count, &state), *y = new_floats(dev, count, NULL);
    int each = rows ? rows_together : LINES;
    zed_groups groups = {(uint32_t)(lines_ + each - 1) / (uint32_t)each, 1, 1};
    if (!x || !y) return fail_device(dev);
    for (size_t i = 0; i < count; i++) x[i] *= 4;
    copy_to_device(dev);
    for (int i = 0; i < launches; i++) {
        double ns = zed_launch_timed(kernel, groups, on_device(x), on_device(y), (uint32_t)m, (uint32_t)n);
        if (ns < 0) return fail_device(dev);
        best = fmin(best, ns);
    }
    if (!copy_from_device(dev, y)) return fail_device(dev);
    wrong = check_softmax(x, y, lines_, length, rows ? 1 : n, rows ? n : 1, rows);
    if (wrong) return fail("%s %d x %d: %zu elements are wrong", form->name, m, n, wrong);
    print_largest_error();
    printf("ok softmax %s %d x %d, %.1f GB/s\n", form->name, m, n, 2.0 * sizeof(float) * (double)count / best);
    return true;
}

/* The mean is off by sqrt(N) roundings, multiplied by the scale; the variance by a similar relative error. */
static size_t check_norm(const float *x, const float *gamma, const float *beta, const float *y, double epsilon)
{
    size_t wrong = 0;
    for (int i = 0; i < m; i++) {
        const float *row = x + (size_t)i * (size_t)n;
        double mean = 0, square = 0, scale;
        for (int j = 0; j < n; j++) mean += (double)row[j] / n;
        for (int j = 0; j < n; j++) square += ((double)row[j] - mean) * ((double)row[j] - mean) / n;
        scale = 1 / sqrt(square + epsilon);
        for (int j = 0; j < n; j++) {
            double v = ((double)row[j] - mean) * scale * (double)gamma[j], want = v + (double)beta[j];
            double bound =
                0x1p-23 * ((16 + sqrt(n)) * (fabs(v) + (1 + fabs(mean)) * scale * fabs((double)gamma[j])) + fabs(want));
            check_element(&wrong, i, j, (double)y[(size_t)i * (size_t)n + (size_t)j], want, bound);
        }
    }
    return wrong;
}

static bool run_norm(zed_device *dev, zed_kernel *kernel, const example_form *form)
{
    size_t rows = (size_t)m, cols = (size_t)n, wrong;
    uint64_t state = 6;
    float *x = new_floats(dev, rows * cols, &state), *gamma = new_floats(dev, cols, &state);
    float *beta = new_floats(dev, cols, &state), *y = new_floats(dev, rows * cols, NULL), epsilon = 1e-5f;
    zed_groups groups = {(uint32_t)(m + LINES - 1) / LINES, 1, 1};
    if (!x || !gamma || !beta || !y) return fail_device(dev);
    for (size_t i = 0; i < rows * cols; i++) x[i] = 3 * x[i] + 1;
    copy_to_device(dev);
    zed_launch(kernel, groups, on_device(x), on_device(gamma), on_device(beta), on_device(y), (uint32_t)m, (uint32_t)n,
               epsilon);
    if (!copy_from_device(dev, y)) return fail_device(dev);
    wrong = check_norm(x, gamma, beta, y, (double)epsilon);
    if (wrong) return fail("%s %d x %d: %zu elements are wrong", form->name, m, n, wrong);
    print_largest_error();
    printf("ok softmax %s %d x %d\n", form->name, m, n);
    return true;
}

static const example_option options[] = {SIZE("--m", "rows", &m), SIZE("--n", "columns", &n),
                                         NUMBER("--launches", "of which the fastest is told", &launches, 1, 1000),
                                         OPTIONS_END};
static const example_form forms[] = {
    {.name = "rows", .what = "softmax along the rows", .kernel = &softmax_rows, .fit = fit,
     .run = run_softmax},
    {.name = "columns", .what = "softmax along the columns", .kernel = &softmax_columns, .run = run_softmax},
    {.name = "layer_norm", .what = "layer normalisation of the rows", .kernel = &layer_norm, .run = run_norm},
    FORMS_END,
};

int main(int argc, char **argv)
{
    const example e = {.about = "softmax and layer normalisation of a matrix, each element checked against f64",
                       .options = options,
                       .forms = forms,
                       .form_option = "--form"};
    return example_main(argc, argv, &e);
}
