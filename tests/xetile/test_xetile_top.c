/* test_xetile_top.c - operations that others make up: the largest elements of rows, sorted, and where they are; log of
 * sums of exponentials. With equal elements, NaNs and infinities, of one and of several subgroups. */
#include "xetile_case.h"

enum { ROWS = 8, COLS = 32, TOP = 5 };
static xt_map map;
static chosen type;

XT_KERNEL(top, u64(A), ptr(i32, At), u64(Best))
{
    xt_tile a = XT_INIT_TILE(A, of(type), ROWS, COLS, .shape = XT_AT(ROWS, COLS), .map = map);
    xt_vec best, at = XT_TOP(XT_LOAD_TILE(a), TOP, .value = &best);
    XT_STORE_TILE(at, XT_INIT_TILE(At, i32, ROWS, TOP, .shape = XT_AT(ROWS, TOP), .map = at.map));
    XT_STORE_TILE(best, XT_INIT_TILE(Best, of(type), ROWS, TOP, .shape = XT_AT(ROWS, TOP), .map = best.map));
}

static void check_top(const variant *v, int of_type, xt_map of_map)
{
    void *a = new_matrix(of_type, ROWS * COLS), *best = new_poison(of_type, ROWS * TOP);
    int32_t *at = (int32_t *)new_poison(CM_I32, ROWS * TOP), wrong = 0;
    map = of_map, type.type = of_type;
    for (size_t i = 0; i < ROWS * COLS; i++) {
        if (i % 3 == 0) put(of_type, a, i, (double)(test_random() % 3)); /* some are equal */
        if (i % 7 == 1) put(of_type, a, i, NAN);
        if (i % 31 == 5) put(of_type, a, i, i % 2 ? INFINITY : -INFINITY);
        if (i / COLS == 3 && i % COLS > 1) put(of_type, a, i, NAN); /* fewer numbers than are wanted */
    }
    if (RUN_KERNEL(top, v, ONE_GROUP, ADDRESS(a), ZED_ARG(at), ADDRESS(best)))
        for (int i = 0; i < ROWS; i++) {
            bool taken[COLS] = {false};
            for (int k = 0; k < TOP; k++) {
                int found = -1;
                for (int j = 0; j < COLS; j++) {
                    double x = get(of_type, a, (size_t)(i * COLS + j));
                    bool better = found < 0 || x > get(of_type, a, (size_t)(i * COLS + found));
                    if (!taken[j] && !isnan(x) && better) found = j;
                }
                double want = found < 0 ? NAN : get(of_type, a, (size_t)(i * COLS + found));
                double got = get(of_type, best, (size_t)(i * TOP + k));
                wrong += at[i * TOP + k] != (found < 0 ? COLS - 1 : found) || !(isnan(want) ? isnan(got) : got == want);
                if (found >= 0) taken[found] = true;
            }
        }
    CHECK_MSG(wrong == 0, "%s %s, sg_data {%d, %d}: %d wrong", v->name, type_name(of_type), of_map.sg_data[0],
              of_map.sg_data[1], wrong);
    zed_free(&device, a);
    zed_free(&device, at);
    zed_free(&device, best);
}

TEST(largest_elements_are_sorted)
{
    const xt_map none = {{0, 0}, {0, 0}}, rows = {{4, 1}, {2, 32}}, across = {{2, 2}, {4, 16}};
    check_top(&variants[0], CM_F32, none);
    check_top(&variants[1], CM_F16, rows);
    check_top(&variants[0], CM_BF16, across);
}

XT_KERNEL(logsumexp, u64(A), u64(Out))
{
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, of(type), ROWS, COLS, .shape = XT_AT(ROWS, COLS), .map = map));
    xt_vec sums = XT_LOGSUMEXP(v, 1);
    XT_STORE_TILE(sums, XT_INIT_TILE(Out, of(type), ROWS, 1, .shape = XT_AT(ROWS, 1), .map = sums.map));
}

/* The log errs by a few units; relative errors of the sum and of exponentials, whose arguments are rounded, are
 * absolute in the result, as is the error of adding the largest element. */
static void check_logsumexp(const variant *v, int of_type, xt_map of_map)
{
    void *a = new_matrix(of_type, ROWS * COLS), *out = new_poison(of_type, ROWS);
    double unit = of_type == CM_F32 ? 0x1p-24 : half_ulp(of_type);
    int wrong = 0;
    map = of_map, type.type = of_type;
    for (size_t i = 0; i < ROWS * COLS; i++) {
        double x = get(of_type, a, i);
        if (i / COLS == 1) put(of_type, a, i, x + 1000); /* exp(1000) overflows */
        if (i / COLS == 2) put(of_type, a, i, x - 1000);
        if (i / COLS == 3) put(of_type, a, i, -INFINITY);
        if (i == 4 * COLS + 9) put(of_type, a, i, INFINITY);
        if (i == 5 * COLS + 20) put(of_type, a, i, NAN);
    }
    if (RUN_KERNEL(logsumexp, v, ONE_GROUP, ADDRESS(a), ADDRESS(out)))
        for (size_t i = 0; i < ROWS; i++) {
            double most = -INFINITY, sum = 0, got = get(of_type, out, i);
            for (size_t j = 0; j < COLS; j++) most = fmax(most, get(of_type, a, i * COLS + j));
            for (size_t j = 0; j < COLS; j++) sum += exp(get(of_type, a, i * COLS + j) - (isinf(most) ? 0 : most));
            double want = log(sum) + (isinf(most) ? 0 : most), allowed = unit * (32 + 4 * fabs(want));
            wrong += isnan(want) ? !isnan(got) : isinf(want) ? got != want : !(fabs(got - want) <= allowed);
        }
    CHECK_MSG(wrong == 0, "%s %s, sg_data {%d, %d}: %d wrong", v->name, type_name(of_type), of_map.sg_data[0],
              of_map.sg_data[1], wrong);
    zed_free(&device, a);
    zed_free(&device, out);
}

TEST(logs_of_sums_of_exponentials)
{
    const xt_map none = {{0, 0}, {0, 0}}, rows = {{4, 1}, {2, 32}}, across = {{2, 2}, {4, 16}};
    check_logsumexp(&variants[0], CM_F32, none);
    check_logsumexp(&variants[1], CM_F16, rows);
    check_logsumexp(&variants[0], CM_F32, across);
}

int main(void)
{
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    RUN(largest_elements_are_sorted);
    RUN(logs_of_sums_of_exponentials);
    zed_close(&device);
    return test_report();
}
