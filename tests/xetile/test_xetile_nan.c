/* test_xetile_nan.c - what is largest and least among NaNs: rows without a number, rows with some, equal elements. Each
 * result is compared with the manual's words, on several lowerings, subgroup sizes and maps; XETILE_SOFT_CHECK=1 and
 * XETILE_SOFT_ISA=bmg run the same kernels in checked mode and as machine code. */
#include "xetile_case.h"

/* Read by kernels' bodies, which run on the host. */
static struct {
    chosen type;
    int rows, cols;
    xt_map map;
} now;

static const xt_map no_map = {{0, 0}, {0, 0}}, by_4 = {{2, 2}, {4, 16}}, row_by_8 = {{1, 8}, {8, 4}},
                    round_robin = {{4, 1}, {1, 32}};

enum { MAXNUM, MINNUM, MAXIMUM, MINIMUM, KINDS, ARGMAX = KINDS, ARGMIN, FORMS, LINE = 64 };
static const char *const form_names[] = {"maxnumf", "minnumf", "maximumf", "minimumf", "argmax", "argmin"};

static bool of_largest(int kind) { return kind == MAXNUM || kind == MAXIMUM || kind == ARGMAX; }

static xt_vec reduced(XT_CONTEXT, int kind, xt_vec v, int dim)
{
    switch (kind) {
    case MAXNUM: return XT_REDUCTION(maxnumf, v, dim);
    case MINNUM: return XT_REDUCTION(minnumf, v, dim);
    case MAXIMUM: return XT_REDUCTION(maximumf, v, dim);
    default: return XT_REDUCTION(minimumf, v, dim);
    }
}

static void store_line(XT_CONTEXT, xt_vec v, xt_val base, int type, int at, int dim)
{
    chosen t = {type};
    int rows = dim ? now.rows : 1, cols = dim ? 1 : now.cols;
    XT_STORE_TILE(v, XT_INIT_TILE(base, of(t), rows, cols, .offset = XT_AT(at * 2 + dim, 0, 0),
                                  .shape = XT_AT(2 * FORMS, rows, cols), .strides = XT_AT(LINE, cols, 1),
                                  .map = v.map));
}

/* Best and At have a line of LINE elements for each form and dimension. */
XT_KERNEL(lines, u64(A), u64(Best), ptr(i32, At))
{
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, of(now.type), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols),
                                         .map = now.map)), best, at;
    for (int dim = 0; dim < 2; dim++) {
        for (int kind = 0; kind < KINDS; kind++)
            store_line(XT_SELF, reduced(XT_SELF, kind, v, dim), Best, now.type.type, kind, dim);
        for (int kind = ARGMAX; kind < FORMS; kind++) {
            at = kind == ARGMAX ? XT_ARGMAX(v, dim, .value = &best) : XT_ARGMIN(v, dim, .value = &best);
            store_line(XT_SELF, best, Best, now.type.type, kind, dim);
            store_line(XT_SELF, at, At, CM_I32, kind, dim);
        }
    }
}

static xt_vec scanned(XT_CONTEXT, int kind, xt_vec v, int dim, bool exclusive)
{
    switch (kind) {
    case MAXNUM: return XT_SCAN(maxnumf, v, dim, .exclusive = exclusive);
    case MINNUM: return XT_SCAN(minnumf, v, dim, .exclusive = exclusive);
    case MAXIMUM: return XT_SCAN(maximumf, v, dim, .exclusive = exclusive);
    default: return XT_SCAN(minimumf, v, dim, .exclusive = exclusive);
    }
}

/* Matrices of C: a scan of each kind, of A's columns, its rows, and both again without the element itself; then the
 * larger and the smaller elements of A and B. */
enum { SCANS = KINDS * 4, MATRICES = SCANS + 2 };

XT_KERNEL(matrices, u64(A), u64(B), u64(C))
{
    xt_index at = XT_AT(now.rows, now.cols);
    xt_vec a = XT_LOAD_TILE(XT_INIT_TILE(A, of(now.type), now.rows, now.cols, .shape = at, .map = now.map));
    xt_vec b = XT_LOAD_TILE(XT_INIT_TILE(B, of(now.type), now.rows, now.cols, .shape = at, .map = now.map));
    for (int i = 0; i < MATRICES; i++) {
        xt_tile c = XT_INIT_TILE(C, of(now.type), now.rows, now.cols, .offset = XT_AT(i, 0, 0),
                                 .shape = XT_AT(MATRICES, now.rows, now.cols), .map = now.map);
        XT_STORE_TILE(i < SCANS ? scanned(XT_SELF, i / 4, a, i & 1, i & 2) : i == SCANS ? XT_MAX(a, b) : XT_MIN(a, b),
                      c);
    }
}

/* ---- what the manual says ---- */

/* The larger or smaller of two; among kinds that end with -mum, NaN wins. */
static double better(int kind, double a, double b)
{
    if (isnan(a) && isnan(b)) return NAN;
    if (isnan(a) || isnan(b)) return kind == MAXIMUM || kind == MINIMUM ? NAN : isnan(a) ? b : a;
    return of_largest(kind) ? fmax(a, b) : fmin(a, b);
}

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b; }

/* Line i along a dimension of a matrix: its first element, and the elements from one to the next. */
static size_t first_of(int dim, int i) { return (size_t)(dim ? i * now.cols : i); }
static size_t step_of(int dim) { return dim ? 1 : (size_t)now.cols; }
static int length_of(int dim) { return dim ? now.cols : now.rows; }

/* Line i along a dimension: the best element, and where the first such is; of NaNs alone the last. */
static double best_of(int kind, const void *a, int dim, int i, int *at)
{
    double best = NAN;
    *at = length_of(dim) - 1;
    for (int j = 0; j < length_of(dim); j++) {
        double x = get(now.type.type, a, first_of(dim, i) + (size_t)j * step_of(dim));
        if (j == 0) best = x;
        else best = better(kind, best, x);
    }
    for (int j = length_of(dim) - 1; j >= 0; j--)
        if (get(now.type.type, a, first_of(dim, i) + (size_t)j * step_of(dim)) == best) *at = j;
    return best;
}

static int wrong_lines(const void *a, const void *best, const int32_t *at, int form, int dim)
{
    int wrong = 0;
    for (int i = 0; i < length_of(!dim); i++) {
        int found;
        size_t to = (size_t)((form * 2 + dim) * LINE + i);
        wrong += !same(best_of(form, a, dim, i, &found), get(now.type.type, best, to));
        wrong += form >= ARGMAX && at[to] != found;
    }
    return wrong;
}

static int wrong_scans(const void *a, const char *c, int kind, int dim, bool exclusive)
{
    int wrong = 0;
    for (int i = 0; i < length_of(!dim); i++) {
        double sum = kind == MAXIMUM ? -INFINITY : kind == MINIMUM ? INFINITY : NAN; /* neutral */
        for (int j = 0; j < length_of(dim); j++) {
            size_t at = first_of(dim, i) + (size_t)j * step_of(dim);
            double x = get(now.type.type, a, at), next = j ? better(kind, sum, x) : x;
            wrong += !same(exclusive ? sum : next, get(now.type.type, c, at));
            sum = next;
        }
    }
    return wrong;
}

/* ---- matrices with rows and columns of NaN ---- */

/* Every fourth row and every fifth column has no number; of the others half the elements are NaN, of either sign and
 * any payload, and the rest few values: most are equal to another. Infinities are numbers. */
static void fill(void *p)
{
    static const double values[] = {1.5, -2.25, 1.5, 0.125, -INFINITY, INFINITY, -2.25, 3};
    int type = now.type.type;
    size_t bytes = size_of(type);
    for (int i = 0; i < now.rows; i++)
        for (int j = 0; j < now.cols; j++) {
            unsigned char *e = (unsigned char *)p + (size_t)(i * now.cols + j) * bytes;
            bool hollow = i % 4 == 1 || j % 5 == 2;
            put(type, e, 0, values[test_random() % (i % 3 ? 4 : 8)]);
            if (!hollow && test_random() % 2) continue;
            put(type, e, 0, NAN);
            e[0] |= (unsigned char)(test_random() & 0x3f); /* low bits of the payload; quiet ones stay quiet */
            e[bytes - 1] = (unsigned char)((e[bytes - 1] & 0x7f) | (test_random() & 0x80));
        }
}

static void check_nan(const variant *v, int type, int m, int n, xt_map map)
{
    size_t count = (size_t)(m * n), c_bytes = count * size_of(type);
    void *a = new_poison(type, count), *b = new_poison(type, count), *c = new_poison(type, MATRICES * count);
    void *best = new_poison(type, 2 * FORMS * LINE);
    int32_t *at = (int32_t *)new_poison(CM_I32, 2 * FORMS * LINE);
    now.type.type = type, now.rows = m, now.cols = n, now.map = map;
    fill(a), fill(b);
    if (RUN_KERNEL(lines, v, ONE_GROUP, ADDRESS(a), ADDRESS(best), ZED_ARG(at)))
        for (int form = 0; form < FORMS; form++)
            for (int dim = 0; dim < 2; dim++) {
                int wrong = wrong_lines(a, best, at, form, dim);
                CHECK_MSG(wrong == 0, "%s %s %d x %d %s along %d: %d wrong", v->name, type_name(type), m, n,
                          form_names[form], dim, wrong);
            }
    if (RUN_KERNEL(matrices, v, ONE_GROUP, ADDRESS(a), ADDRESS(b), ADDRESS(c))) {
        for (int i = 0; i < SCANS; i++) {
            int wrong = wrong_scans(a, (const char *)c + (size_t)i * c_bytes, i / 4, i & 1, i & 2);
            CHECK_MSG(wrong == 0, "%s %s %d x %d scan %s along %d%s: %d wrong", v->name, type_name(type), m, n,
                      form_names[i / 4], i & 1, i & 2 ? " exclusive" : "", wrong);
        }
        for (int kind = MAXNUM; kind <= MINNUM; kind++) {
            int wrong = 0;
            for (size_t i = 0; i < count; i++)
                wrong += !same(better(kind, get(type, a, i), get(type, b, i)),
                               get(type, c, (size_t)(SCANS + kind) * count + i));
            CHECK_MSG(wrong == 0, "%s %s %s of two: %d wrong", v->name, type_name(type), form_names[kind], wrong);
        }
    }
    zed_free(&device, a);
    zed_free(&device, b);
    zed_free(&device, c);
    zed_free(&device, best);
    zed_free(&device, at);
}

/* In the sample each variant has one type and one map: any two of a type and a map, four pairs in all. */
TEST(largest_and_least_among_nans)
{
    static const int types[] = {CM_F32, CM_F16, CM_BF16, CM_F64};
    const xt_map maps[] = {no_map, by_4, row_by_8, round_robin};
    for (const variant *v = variants; v < variants + sizeof variants / sizeof variants[0]; v++)
        for (int t = 0; t < 4 && target_has(v); t++)
            for (int i = 0; i < 4; i++)
                if (has_type(types[t]) && test_takes(((int)(v - variants) + t) % 4 * 4 + (t + i + 1) % 4, 16))
                    check_nan(v, types[t], 8, 32, maps[i]);
    check_nan(&variants[0], CM_F32, 7, 33, no_map);
}

int main(void)
{
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    RUN(largest_and_least_among_nans);
    zed_close(&device);
    return test_report();
}
