/* test_xetile_appendix.c - the programs of the specification's appendices have the right results. */
#include "xetile_case.h"
#include "xetile_appendix.h"

static struct {
    int rows, cols, depth, type, result; /* M, N, K; of A and B; of C */
    bool b_transposed, sums;             /* C has one column: the sums of the rows of A B + bias */
} now;
static void *a, *b, *c, *bias;

static double of_b(int k, int j)
{
    return get(now.type, b, (size_t)(now.b_transposed ? j * now.depth + k : k * now.cols + j));
}

/* A B and the sum of magnitudes at (i, j). */
static double product(int i, int j, double *size)
{
    double sum = 0;
    for (int k = 0; k < now.depth; k++) {
        double p = get(now.type, a, (size_t)(i * now.depth + k)) * of_b(k, j);
        sum += p;
        *size += fabs(p);
    }
    return sum;
}

/* Products are exact in f32; each addition rounds a part of the sum of magnitudes: K of f32, and of a result in bf16
 * one a step of 32. With sums K + 256 of f32. */
static void compare(void)
{
    int wrong = 0, wide = now.sums ? now.cols : 1;
    double roundings = now.result == CM_BF16 ? now.depth / 32 + 1 : now.depth + 2 + (now.sums ? 256 : 0);
    for (int i = 0; i < now.rows; i++)
        for (int first = 0; first < now.cols; first += wide) {
            double want = 0, size = 0, got = get(now.result, c, (size_t)(i * (now.cols / wide) + first / wide));
            for (int j = first; j < first + wide; j++) {
                double add = now.sums ? get(CM_F32, bias, (size_t)j) : 0;
                want += product(i, j, &size) + add;
                size += fabs(add);
            }
            if (!(fabs(got - want) <= roundings * half_ulp(now.result) * size) && wrong++ == 0)
                test_fail(__FILE__, __LINE__, "(%d, %d) is %.9g, want %.9g of %.3g", i, first, got, want, size);
        }
    CHECK_MSG(wrong == 0, "%d elements are wrong", wrong);
}

static void check(const xt_kernel *kernel, int m, int n, int k, int type, int result, bool b_transposed, bool sums)
{
    now.rows = m, now.cols = n, now.depth = k, now.type = type, now.result = result;
    now.b_transposed = b_transposed, now.sums = sums;
    a = new_matrix(type, (size_t)(m * k));
    b = new_matrix(type, (size_t)(k * n));
    c = new_poison(result, (size_t)(sums ? m : m * n));
    bias = new_matrix(CM_F32, (size_t)n);
    /* 64 subgroups: of 8 lanes where a work-group is smaller than 1024 */
    bool narrow = kernel == &through_local_memory && device.target.max_group_size < 64 * 16;
    const variant *v = &variants[narrow ? 3 : 0];
    if (a && b && c && bias &&
        RUN_KERNEL(*kernel, v, ONE_GROUP, ADDRESS(a), ADDRESS(b), ADDRESS(c), ADDRESS(bias), ZED_ARG(m),
                   ZED_ARG(n), ZED_ARG(k)))
        compare();
    zed_free(&device, a);
    zed_free(&device, b);
    zed_free(&device, c);
    zed_free(&device, bias);
}

TEST(appendix_1)
{
    check(&plain, 128, 192, 96, CM_BF16, CM_BF16, false, false);
    check(&order, 128, 192, 96, CM_BF16, CM_BF16, true, false);
    check(&transpose, 128, 192, 96, CM_BF16, CM_BF16, true, false);
}

TEST(appendix_2_1) { check(&with_prefetch, 512, 256, 64, CM_F16, CM_F32, false, false); }

TEST(appendix_2_2)
{
    map_bt = MAP(4, 8, 64, 32);
    check(&with_reduction, 256, 512, 64, CM_F16, CM_F32, true, true);
}

TEST(appendix_2_3)
{
    map_bt = MAP(32, 1, 64, 32);
    check(&with_reduction, 256, 512, 64, CM_F16, CM_F32, true, true);
}

TEST(appendix_2_4)
{
    if (device.target.local_memory < 65536) local_edge = 64, local_subgroups = 4;
    check(&through_local_memory, 128, 256, 224, CM_F16, CM_F32, false, false);
}

TEST(appendix_2_5) { check(&two_levels, 512, 256, 160, CM_F16, CM_F32, false, false); }

int main(void)
{
    if (!zed_open(&device, NULL)) {
        printf("%s\n", zed_get_error(&device)->text);
        return 1;
    }
    RUN(appendix_1);
    RUN(appendix_2_1);
    RUN(appendix_2_2);
    RUN(appendix_2_3);
    RUN(appendix_2_4);
    RUN(appendix_2_5);
    zed_close(&device);
    return test_report();
}
