/* test_xetile_compiler.c - kernels that bugs of Intel's compiler made wrong, until xetile.h avoided them: see
 * docs/machine-code.md. XETILE_SOFT_ISA=bmg executes what the compiler makes of them. */
#include "xetile_case.h"

/* ---- products of 64-bit integers by an element that all lanes get: Intel's compiler mistakes it in 32 lanes ---- */

enum { FACTORS = 4, WIDE = 32, CHOSEN = 3 };

XT_KERNEL(multiplied_longs, u64(A), u64(B), u64(C))
{
    const xt_index shape = XT_AT(FACTORS, WIDE);
    xt_vec a = XT_LOAD_TILE(XT_INIT_TILE(A, i64, FACTORS, WIDE, .shape = shape));
    xt_vec of_row = XT_BROADCAST(XT_SLICE(a, 0, CHOSEN, FACTORS, 1), 1, WIDE);
    XT_STORE_TILE(XT_ADD(XT_MUL(a, of_row), 1), XT_INIT_TILE(B, i64, FACTORS, WIDE, .shape = shape));
    XT_STORE_TILE(XT_ADD(XT_MUL(a, XT_ELEMENT(a, 1, CHOSEN)), 1), XT_INIT_TILE(C, i64, FACTORS, WIDE, .shape = shape));
}

TEST(longs_by_one_of_them)
{
    const size_t count = FACTORS * WIDE;
    for (int k = 0; k < 5; k++) {
        uint64_t *a = (uint64_t *)new_poison(CM_I64, count), *b = (uint64_t *)new_poison(CM_I64, count),
                 *c = (uint64_t *)new_poison(CM_I64, count);
        int wrong = 0;
        for (size_t i = 0; i < count; i++) a[i] = test_random();
        if (target_has(&variants[k]) &&
            RUN_KERNEL(multiplied_longs, &variants[k], ONE_GROUP, ADDRESS(a), ADDRESS(b), ADDRESS(c)))
            for (size_t i = 0; i < count; i++)
                wrong += b[i] != a[i] * a[i / WIDE * WIDE + CHOSEN] + 1 || c[i] != a[i] * a[WIDE + CHOSEN] + 1;
        CHECK_MSG(wrong == 0, "%s: %d wrong", variants[k].name, wrong);
        zed_free(&device, a);
        zed_free(&device, b);
        zed_free(&device, c);
    }
}

/* ---- a row of a product beside all of it: Intel's compiler takes the whole for the row, if it recognises it ---- */

enum { PITCH = 64, HEIGHT = 8, ACROSS = 16, ROW = 3 };

XT_KERNEL(differences_of_rows, u64(A), u64(B), u64(C), u64(D))
{
    const xt_index shape = XT_AT(PITCH, PITCH);
    xt_vec a = XT_LOAD_TILE(XT_INIT_TILE(A, f16, HEIGHT, ACROSS, .shape = shape));
    xt_vec b = XT_LOAD_TILE(XT_INIT_TILE(B, f16, ACROSS, ACROSS, .shape = shape));
    xt_vec c = XT_MUL(XT_TILE_MMA(a, b), 3);
    XT_STORE_TILE(c, XT_INIT_TILE(C, f32, HEIGHT, ACROSS, .shape = shape));
    xt_vec d = XT_SUB(XT_SLICE(c, ROW, 0, 1, ACROSS), c);
    XT_STORE_TILE(d, XT_INIT_TILE(D, f32, HEIGHT, ACROSS, .shape = shape));
}

/* The sums of 16 products of halves may differ from those in f64 by 16 roundings of the largest sum. */
TEST(a_row_beside_its_product)
{
    const size_t count = PITCH * PITCH;
    for (int k = 0; k < 3; k++) {
        void *a = new_matrix(CM_F16, count), *b = new_matrix(CM_F16, count);
        float *c = (float *)new_poison(CM_F32, count), *d = (float *)new_poison(CM_F32, count);
        double want[HEIGHT * ACROSS] = {0}, most[HEIGHT * ACROSS] = {0};
        int wrong = 0;
        for (int i = 0; i < HEIGHT * ACROSS; i++)
            for (int j = 0; j < ACROSS; j++) {
                double one = 3 * get(CM_F16, a, (size_t)(i / ACROSS * PITCH + j)) *
                             get(CM_F16, b, (size_t)(j * PITCH + i % ACROSS));
                want[i] += one, most[i] += fabs(one);
            }
        bool ran = RUN_KERNEL(differences_of_rows, &variants[k], ONE_GROUP, ADDRESS(a), ADDRESS(b), ADDRESS(c),
                              ADDRESS(d));
        for (int i = 0; ran && i < HEIGHT * ACROSS; i++) {
            int at = i / ACROSS * PITCH + i % ACROSS, row = ROW * ACROSS + i % ACROSS;
            wrong += !(fabs(c[at] - want[i]) <= most[i] * 0x1p-20);
            wrong += !(fabs(d[at] - (want[row] - want[i])) <= (most[row] + most[i]) * 0x1p-20);
        }
        CHECK_MSG(wrong == 0, "%s: %d wrong", variants[k].name, wrong);
        zed_free(&device, a), zed_free(&device, b), zed_free(&device, c), zed_free(&device, d);
    }
}

/* ---- sums that begin with columns, repeated: loops carry equal values, which Intel's compiler exchanged ---- */

enum { SIDE = 32, TURNS = 3, STEP = 16, FEW = 9 }; /* columns mirrored at both ends of FEW repeat after STEP */

XT_KERNEL(sums_from_columns, u64(A), u64(B), ptr(f32, C), ptr(f32, FIRST), u32(TIMES))
{
    const xt_map map = XT_MAP(.sg_layout = {4, 1}, .sg_data = {1, STEP});
    const xt_map map_b = XT_MAP(.sg_layout = {4, 1}, .sg_data = {STEP, STEP});
    xt_tile a = XT_INIT_TILE(A, bf16, SIDE, STEP, .shape = XT_AT(SIDE, PITCH), .map = map);
    xt_tile b = XT_INIT_TILE(B, bf16, STEP, SIDE, .shape = XT_AT(PITCH, SIDE), .strides = XT_AT(PITCH + 2, 1),
                             .map = map_b);
    xt_tile first = XT_INIT_TILE(FIRST, f32, SIDE, SIDE, .shape = XT_AT(SIDE, FEW), .order = {0, 1}, .map = map);
    xt_vec sum = XT_LOAD_TILE(first, .border = XT_BORDER_MIRROR);
    XT_FOR (k, 0, TIMES, 1, &a, &b, &sum) {
        sum = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), sum);
        a = XT_UPDATE_TILE_OFFSET(a, 0, STEP);
        b = XT_UPDATE_TILE_OFFSET(b, STEP, 0);
    }
    XT_STORE_TILE(sum, XT_INIT_TILE(C, f32, SIDE, SIDE, .shape = XT_AT(SIDE, SIDE), .map = map));
}

/* Sums of n products of bf16 may be off by n roundings of the sum of magnitudes. */
TEST(sums_that_begin_alike)
{
    void *a = new_matrix(CM_BF16, SIDE * PITCH), *b = new_matrix(CM_BF16, PITCH * (PITCH + 2)),
         *first = new_matrix(CM_F32, SIDE * FEW);
    float *c = (float *)new_poison(CM_F32, SIDE * SIDE);
    for (int k = 0; k < 3; k++)
        for (int times = 0; times <= TURNS; times += TURNS) {
            int wrong = 0;
            memset(c, 0xdb, SIDE * SIDE * sizeof *c);
            bool ran = RUN_KERNEL(sums_from_columns, &variants[k], ONE_GROUP, ADDRESS(a), ADDRESS(b), ZED_ARG(c),
                                  ZED_ARG(first), ZED_ARG(times));
            for (int i = 0; ran && i < SIDE * SIDE; i++) {
                int column = i % STEP < FEW ? i % STEP : STEP - i % STEP;
                double want = get(CM_F32, first, (size_t)(column * SIDE + i / SIDE)), most = fabs(want);
                for (int j = 0; j < times * STEP; j++) {
                    double one = get(CM_BF16, a, (size_t)(i / SIDE * PITCH + j)) *
                                 get(CM_BF16, b, (size_t)(j * (PITCH + 2) + i % SIDE));
                    want += one, most += fabs(one);
                }
                wrong += !(fabs(c[i] - want) <= most * times * STEP * 0x1p-24);
            }
            CHECK_MSG(wrong == 0, "%s, %d times: %d wrong", variants[k].name, times, wrong);
        }
    zed_free(&device, a), zed_free(&device, b), zed_free(&device, c), zed_free(&device, first);
}

int main(void)
{
    if (!zed_open(&device, NULL)) {
        printf("%s\n", zed_get_error(&device)->text);
        return 1;
    }
    RUN(longs_by_one_of_them);
    RUN(a_row_beside_its_product);
    RUN(sums_that_begin_alike);
    zed_close(&device);
    return test_report();
}
