/* example_gemm.h - input and checks of the examples that multiply matrices. Include example.h first. */
#ifndef EXAMPLE_GEMM_H
#define EXAMPLE_GEMM_H

#include "example.h"

#include <float.h>

/* ---- arrays of random elements; without a state, poisoned with NaN */

static inline uint16_t *new_halves(zed_device *dev, size_t count, uint64_t *state)
{
    uint16_t *p = (uint16_t *)new_array(dev, count * sizeof *p);
    for (size_t i = 0; p && i < count; i++) p[i] = state ? spe_f32_to_f16_bits(random_normal(state)) : 0x7e00;
    return p;
}

static inline float *new_floats(zed_device *dev, size_t count, uint64_t *state)
{
    float *p = (float *)new_array(dev, count * sizeof *p);
    for (size_t i = 0; p && i < count; i++) p[i] = state ? random_normal(state) : NAN;
    return p;
}

/* ---- checks */

static double largest_error; /* as a part of what is allowed, of all elements since it was printed last */

/* Counts elements outside their bound, and reports the first. */
static inline void check_element(size_t *wrong, int row, int col, double got, double want, double bound)
{
    if (got != want) largest_error = fmax(largest_error, fabs(got - want) / bound);
    if (fabs(got - want) <= bound) return;
    if ((*wrong)++ == 0) printf("(%d, %d) is %.9g, want %.9g within %.3g\n", row, col, got, want, bound);
}

static inline void print_largest_error(void)
{
    print_error(largest_error);
    largest_error = 0;
}

static inline double half(const uint16_t *p, size_t at) { return (double)spe_f16_bits_to_f32(p[at]); }

/* A matrix of f16 in memory: element (i, j) is at[i * row + j * col]. */
typedef struct {
    const uint16_t *at;
    int rows, cols;
    size_t row, col;
} halves;

static inline halves by_rows(const uint16_t *at, int rows, int cols)
{
    halves x = {at, rows, cols, (size_t)cols, 1};
    return x;
}

/* Row i of the matrix in f64; returns its Euclidean norm. */
static inline double row_of_halves(const halves *x, int i, double *row)
{
    double square = 0;
    for (int j = 0; j < x->cols; j++) {
        row[j] = half(x->at, (size_t)i * x->row + (size_t)j * x->col);
        square += row[j] * row[j];
    }
    return sqrt(square);
}

/* Checks every element of C = A B, contiguous rows of f32, against f64. Products of two f16 values are exact in f32; K
 * additions round, each by at most 2^-24 of a partial sum (twice that if hardware truncates). Independent roundings
 * stay below 8 sqrt(K) times that of |a| |b|, the Euclidean norms of a row and a column, with probability 1 - 3e-14 per
 * element. K FLT_MIN is for flushed subnormals. */
static inline bool check_product(halves a, halves b, const float *c)
{
    halves columns = {b.at, b.cols, b.rows, b.col, b.row};
    size_t k = (size_t)a.cols, wrong = 0;
    double *x = (double *)malloc((size_t)a.rows * k * sizeof *x),
           *norm = (double *)malloc((size_t)a.rows * sizeof *norm);
    double *y = (double *)malloc(k * sizeof *y);
    bool ok = (x && norm && y) || fail("out of memory for the check");
    for (int i = 0; ok && i < a.rows; i++) norm[i] = row_of_halves(&a, i, x + (size_t)i * k);
    for (int j = 0; ok && j < b.cols; j++) {
        double norm_b = row_of_halves(&columns, j, y);
        for (int i = 0; i < a.rows; i++) {
            double want = 0, got = (double)c[(size_t)i * (size_t)b.cols + (size_t)j];
            double bound = 8 * sqrt((double)k) * (double)FLT_EPSILON * norm[i] * norm_b + (double)k * (double)FLT_MIN;
            for (size_t q = 0; q < k; q++) want += x[(size_t)i * k + q] * y[q];
            check_element(&wrong, i, j, got, want, bound);
        }
    }
    free(x);
    free(norm);
    free(y);
    return ok && (!wrong || fail("%d x %d x %d: %zu elements are wrong", a.rows, b.cols, a.cols, wrong));
}

/* ---- a product of random f16 matrices, by a kernel with the parameters A, B, C, M, N, K whose work-groups compute
 * rows x cols elements of C each */

static inline bool run_product(zed_device *dev, zed_kernel *kernel, int rows, int cols, int m, int n, int k)
{
    uint64_t state = 2024;
    uint16_t *a = new_halves(dev, (size_t)m * (size_t)k, &state), *b = new_halves(dev, (size_t)k * (size_t)n, &state);
    float *c = new_floats(dev, (size_t)m * (size_t)n, NULL);
    zed_groups groups = {(uint32_t)(n + cols - 1) / (uint32_t)cols, (uint32_t)(m + rows - 1) / (uint32_t)rows, 1};
    double ns;
    if (!a || !b || !c || !copy_to_device(dev)) return fail_device(dev);
    ns = zed_launch_timed(kernel, groups, on_device(a), on_device(b), on_device(c), (uint32_t)m, (uint32_t)n,
                          (uint32_t)k);
    if (ns < 0 || !copy_from_device(dev, c)) return fail_device(dev);
    if (!check_product(by_rows(a, m, k), by_rows(b, k, n), c)) return false;
    print_largest_error();
    printf("ok " EXAMPLE " f16 %d x %d x %d, %.1f GFLOP/s\n", m, n, k, 2.0 * m * n * k / ns);
    return true;
}

#endif
