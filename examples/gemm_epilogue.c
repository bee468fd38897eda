/* gemm_epilogue.c - matrix products fused with what surrounds them in neural networks: operations on operands and
 * results stay in registers, and the loop reads no more memory than a bare product.
 *
 *     gelu   D = gelu(scale relu(A) (beta B) + bias) + R        A, B: f16; bias (a row), R (residual), D: f32
 *     i8     D = relu(scale A B + bias) with A, B: i8, sums in i32, scale and bias a row of f32, D: f16
 *
 *     cc -std=c11 gemm_epilogue.c -lm && ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gemm_epilogue"
#include "example.h"
#include "example_gemm.h"

/* On bmg 128 x 128 per work-group: 4 x 4 subgroups of 32 x 32, in steps of 32. The result, or the
 * residual, is held beside the sums. */
static const xt_product f16_product = {.a = XT_TYPE(f16), .b = XT_TYPE(f16), .max_subgroups = 16, .live = 1};
static const xt_product i8_product = {.a = XT_TYPE(i8), .b = XT_TYPE(i8), .max_subgroups = 16, .live = 1};

/* x (1 + erf(x / sqrt 2)) / 2 */
static xt_vec gelu(XT_CONTEXT, xt_vec x)
{
    return XT_MUL(XT_MUL(x, 0.5), XT_ADD(XT_ERF(XT_MUL(x, 0.70710678118654752)), 1));
}

/* Loads a row of N values for the work-group's columns, repeated for all its rows. */
static xt_vec row_of(XT_CONTEXT, xt_val base, xt_val j, xt_val N)
{
    const xt_map map = {{tiles.c.sg_layout[0], tiles.c.sg_layout[1]}, {1, tiles.c.sg_data[1]}};
    xt_tile t = XT_INIT_TILE(base, f32, 1, tiles.cols, .offset = XT_AT(0, j), .shape = XT_AT(1, N), .map = map);
    return XT_BROADCAST(XT_LOAD_TILE(t), 0, tiles.rows, .map = tiles.c);
}

XT_KERNEL (gemm_gelu, ptr(f16, A), ptr(f16, B), ptr(f32, bias), ptr(f32, R), ptr(f32, D), u32(M), u32(N), u32(K),
           f32(scale), f16(beta))
{
    xt_val i = XT_MUL(XT_GROUP_ID(1), tiles.rows), j = XT_MUL(XT_GROUP_ID(0), tiles.cols);
    xt_tile a = XT_INIT_TILE(A, f16, tiles.rows, tiles.k, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = tiles.a);
    xt_tile b = XT_INIT_TILE(B, f16, tiles.k, tiles.cols, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = tiles.b);
    xt_tile r =
        XT_INIT_TILE(R, f32, tiles.rows, tiles.cols, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = tiles.c);
    xt_tile d =
        XT_INIT_TILE(D, f32, tiles.rows, tiles.cols, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = tiles.c);
    xt_vec acc = XT_SPLAT(f32, tiles.rows, tiles.cols, 0, .map = tiles.c);
    XT_FOR (k, 0, K, tiles.k, &a, &b, &acc) {
        acc = XT_TILE_MMA(XT_MAX(XT_LOAD_TILE(a), 0), XT_MUL(XT_LOAD_TILE(b), beta), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, tiles.k);
        b = XT_UPDATE_TILE_OFFSET(b, tiles.k, 0);
    }
    acc = XT_FMA(acc, scale, row_of(XT_SELF, bias, j, N));
    XT_STORE_TILE(XT_ADD(gelu(XT_SELF, acc), XT_LOAD_TILE(r)), d);
}

XT_KERNEL (gemm_i8, ptr(i8, A), ptr(i8, B), ptr(f32, scale), ptr(f32, bias), ptr(f16, D), u32(M), u32(N), u32(K))
{
    xt_val i = XT_MUL(XT_GROUP_ID(1), tiles.rows), j = XT_MUL(XT_GROUP_ID(0), tiles.cols);
    xt_tile a = XT_INIT_TILE(A, i8, tiles.rows, tiles.k, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = tiles.a);
    xt_tile b = XT_INIT_TILE(B, i8, tiles.k, tiles.cols, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = tiles.b);
    xt_tile d =
        XT_INIT_TILE(D, f16, tiles.rows, tiles.cols, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = tiles.c);
    xt_vec acc = XT_SPLAT(i32, tiles.rows, tiles.cols, 0, .map = tiles.c);
    XT_FOR (k, 0, K, tiles.k, &a, &b, &acc) {
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, tiles.k);
        b = XT_UPDATE_TILE_OFFSET(b, tiles.k, 0);
    }
    xt_vec out = XT_FMA(XT_CAST(f32, acc), row_of(XT_SELF, scale, j, N), row_of(XT_SELF, bias, j, N));
    XT_STORE_TILE(XT_CAST(f16, XT_MAX(out, 0)), d);
}

/* ---- the program */

static int m = 200, n = 300, k = 136;

/* In f64, except beta B, which the kernel rounds to f16 too. Sums of K products: 8 sqrt(K) roundings of f32 (2^-23) of
 * the magnitudes' norm; gelu has a slope of at most 1.13; erf and the rest: a few units of the result. */
static size_t check_gelu(const uint16_t *a, const uint16_t *b, const float *bias, const float *r, const float *d,
                         double scale, double beta)
{
    size_t wrong = 0, cols = (size_t)n, depth = (size_t)k;
    for (size_t i = 0; i < (size_t)m; i++)
        for (size_t j = 0; j < cols; j++) {
            double sum = 0, square = 0, x, want;
            for (size_t l = 0; l < depth; l++) {
                double p = fmax(half(a, i * depth + l), 0);
                double q = (double)spe_f16_bits_to_f32(spe_f32_to_f16_bits((float)(half(b, l * cols + j) * beta)));
                sum += p * q;
                square += p * p * q * q;
            }
            x = scale * sum + (double)bias[j];
            want = x * 0.5 * (1 + erf(x * 0.70710678118654752)) + (double)r[i * cols + j];
            check_element(&wrong, (int)i, (int)j, (double)d[i * cols + j], want,
                          0x1p-23 * (8 * scale * k * sqrt(square / k) + 16 * (fabs(x) + fabs(want) + 1)));
        }
    return wrong;
}

static bool run_gelu(zed_device *dev, zed_kernel *kernel, const example_form *form)
{
    size_t rows = (size_t)m, cols = (size_t)n, depth = (size_t)k, wrong;
    uint64_t state = 1;
    uint16_t *a = new_halves(dev, rows * depth, &state), *b = new_halves(dev, depth * cols, &state);
    float *bias = new_floats(dev, cols, &state), *r = new_floats(dev, rows * cols, &state);
    float *d = new_floats(dev, rows * cols, NULL);
    float scale = 0.25f, beta = 0.3125f; /* exact in f16 */
    if (!a || !b || !bias || !r || !d || !copy_to_device(dev)) return fail_device(dev);
    zed_launch(kernel, groups_of_tiles(&tiles, m, n), on_device(a), on_device(b), on_device(bias), on_device(r),
               on_device(d), (uint32_t)m, (uint32_t)n, (uint32_t)k, scale, beta);
    if (!copy_from_device(dev, d)) return fail_device(dev);
    wrong = check_gelu(a, b, bias, r, d, (double)scale, (double)beta);
    if (wrong) return fail("%s %d x %d x %d: %zu elements are wrong", form->name, m, n, k, wrong);
    print_largest_error();
    printf("ok gemm_epilogue %s %d x %d x %d\n", form->name, m, n, k);
    return true;
}

/* Sums of integers are exact; then two roundings of f32 and one of f16. */
static size_t check_i8(const int8_t *a, const int8_t *b, const float *scale, const float *bias, const uint16_t *d)
{
    size_t wrong = 0, cols = (size_t)n, depth = (size_t)k;
    for (size_t i = 0; i < (size_t)m; i++)
        for (size_t j = 0; j < cols; j++) {
            int32_t sum = 0;
            double want;
            for (size_t l = 0; l < depth; l++) sum += a[i * depth + l] * b[l * cols + j];
            want = fmax(sum * (double)scale[j] + (double)bias[j], 0);
            check_element(&wrong, (int)i, (int)j, half(d, i * cols + j), want,
                          0x1p-11 * want + 0x1p-22 * (fabs(sum * (double)scale[j]) + fabs((double)bias[j])) + 0x1p-25);
        }
    return wrong;
}

static bool run_i8(zed_device *dev, zed_kernel *kernel, const example_form *form)
{
    size_t rows = (size_t)m, cols = (size_t)n, depth = (size_t)k, wrong;
    uint64_t state = 2;
    int8_t *a = (int8_t *)new_array(dev, rows * depth);
    int8_t *b = (int8_t *)new_array(dev, depth * cols);
    float *scale = new_floats(dev, cols, &state), *bias = new_floats(dev, cols, &state);
    uint16_t *d = new_halves(dev, rows * cols, NULL);
    if (!a || !b || !scale || !bias || !d) return fail_device(dev);
    for (size_t i = 0; i < rows * depth; i++) a[i] = (int8_t)fmin(fmax(40 * (double)random_normal(&state), -128), 127);
    for (size_t i = 0; i < depth * cols; i++) b[i] = (int8_t)fmin(fmax(40 * (double)random_normal(&state), -128), 127);
    for (size_t j = 0; j < cols; j++) scale[j] *= 0x1p-10f;
    copy_to_device(dev);
    zed_launch(kernel, groups_of_tiles(&tiles, m, n), on_device(a), on_device(b), on_device(scale), on_device(bias),
               on_device(d), (uint32_t)m, (uint32_t)n, (uint32_t)k);
    if (!copy_from_device(dev, d)) return fail_device(dev);
    wrong = check_i8(a, b, scale, bias, d);
    if (wrong) return fail("%s %d x %d x %d: %zu elements are wrong", form->name, m, n, k, wrong);
    print_largest_error();
    printf("ok gemm_epilogue %s %d x %d x %d\n", form->name, m, n, k);
    return true;
}

static const example_option options[] = {
    SIZE("--m", "rows of A and D", &m),
    SIZE("--n", "columns of B and D", &n),
    SIZE("--k", "columns of A, rows of B", &k),
    OPTIONS_END,
};
static const example_form forms[] = {
    {.name = "gelu",
     .what = "gelu(scale relu(A) (beta B) + bias) + R in f16 and f32",
     .kernel = &gemm_gelu,
     .product = &f16_product,
     .run = run_gelu},
    {.name = "i8",
     .what = "relu(scale A B + bias), i8 to f16",
     .kernel = &gemm_i8,
     .product = &i8_product,
     .run = run_i8},
    FORMS_END,
};

int main(int argc, char **argv)
{
    const example e = {.about = "products with operations before and after, each element checked against f64",
                       .options = options,
                       .forms = forms,
                       .form_option = "--form"};
    return example_main(argc, argv, &e);
}
