/* test_xetile_compiler.c - kernels that bugs of Intel's compiler made wrong, until xetile.h avoided them: see
 * docs/machine-code.md. XETILE_SOFT_ISA=bmg executes what the compiler makes of them. */
#include "xetile_case.h"

/* Adds `count` products of elements of a, from a[i] on, by elements of b, from b[j] on, `pitch` apart; also magnitudes.
 * A sum in f32 of n products of narrower floats may be off by n roundings of the sum of magnitudes. */
static void add_products(double *sum, double *most, int type, const void *a, int i, const void *b, int j, int pitch,
                         int count)
{
    for (int k = 0; k < count; k++) {
        double one = get(type, a, (size_t)(i + k)) * get(type, b, (size_t)(j + k * pitch));
        *sum += one, *most += fabs(one);
    }
}

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

TEST(a_row_beside_its_product)
{
    const size_t count = PITCH * PITCH;
    for (int k = 0; k < 3; k++) {
        void *a = new_matrix(CM_F16, count), *b = new_matrix(CM_F16, count);
        float *c = (float *)new_poison(CM_F32, count), *d = (float *)new_poison(CM_F32, count);
        double want[HEIGHT * ACROSS] = {0}, most[HEIGHT * ACROSS] = {0};
        int wrong = 0;
        for (int i = 0; i < HEIGHT * ACROSS; i++) {
            add_products(&want[i], &most[i], CM_F16, a, i / ACROSS * PITCH, b, i % ACROSS, PITCH, ACROSS);
            want[i] *= 3, most[i] *= 3;
        }
        bool ran =
            RUN_KERNEL(differences_of_rows, &variants[k], ONE_GROUP, ADDRESS(a), ADDRESS(b), ADDRESS(c), ADDRESS(d));
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
    xt_tile b =
        XT_INIT_TILE(B, bf16, STEP, SIDE, .shape = XT_AT(PITCH, SIDE), .strides = XT_AT(PITCH + 2, 1), .map = map_b);
    xt_tile first = XT_INIT_TILE(FIRST, f32, SIDE, SIDE, .shape = XT_AT(SIDE, FEW), .order = {0, 1}, .map = map);
    xt_vec sum = XT_LOAD_TILE(first, .border = XT_BORDER_MIRROR);
    XT_FOR (k, 0, TIMES, 1, &a, &b, &sum) {
        sum = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), sum);
        a = XT_UPDATE_TILE_OFFSET(a, 0, STEP);
        b = XT_UPDATE_TILE_OFFSET(b, STEP, 0);
    }
    XT_STORE_TILE(sum, XT_INIT_TILE(C, f32, SIDE, SIDE, .shape = XT_AT(SIDE, SIDE), .map = map));
}

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
                add_products(&want, &most, CM_BF16, a, i / SIDE * PITCH, b, i % SIDE, PITCH + 2, times * STEP);
                wrong += !(fabs(c[i] - want) <= most * times * STEP * 0x1p-24);
            }
            CHECK_MSG(wrong == 0, "%s, %d times: %d wrong", variants[k].name, times, wrong);
        }
    zed_free(&device, a), zed_free(&device, b), zed_free(&device, c), zed_free(&device, first);
}

/* ---- columns, repeated: vectors that are equal along lanes, in products and as f16 ---- */

enum { LINES = 16, BROAD = 64 };
static int lines; /* of the matrix that gets a bias */

XT_KERNEL(repeated_columns, ptr(f16, A), ptr(f16, B), ptr(f32, BIAS), ptr(f32, C), ptr(f16, D), ptr(f32, E))
{
    xt_vec bias = XT_LOAD_TILE(XT_INIT_TILE(BIAS, f32, lines, 1, .shape = XT_AT(LINES, 1)));
    xt_vec a = XT_LOAD_TILE(XT_INIT_TILE(A, f16, lines, STEP, .shape = XT_AT(LINES, PITCH)));
    xt_vec b = XT_LOAD_TILE(XT_INIT_TILE(B, f16, STEP, STEP, .shape = XT_AT(STEP, PITCH)));
    XT_STORE_TILE(XT_TILE_MMA(a, b, XT_BROADCAST(bias, 1, STEP)),
                  XT_INIT_TILE(C, f32, lines, STEP, .shape = XT_AT(LINES, STEP)));
    xt_vec all = XT_LOAD_TILE(XT_INIT_TILE(BIAS, f32, LINES, 1, .shape = XT_AT(LINES, 1)));
    XT_STORE_TILE(XT_CAST(f16, XT_BROADCAST(all, 1, BROAD)),
                  XT_INIT_TILE(D, f16, LINES, BROAD, .shape = XT_AT(LINES, BROAD)));
    a = XT_LOAD_TILE(XT_INIT_TILE(A, f16, LINES, STEP, .shape = XT_AT(LINES, PITCH)));
    b = XT_LOAD_TILE(XT_INIT_TILE(B, f16, STEP, BROAD, .shape = XT_AT(STEP, PITCH)));
    XT_STORE_TILE(XT_TILE_MMA(a, b), XT_INIT_TILE(E, f32, LINES, BROAD, .shape = XT_AT(LINES, BROAD)));
}

TEST(columns_are_repeated)
{
    void *a = new_matrix(CM_F16, LINES * PITCH), *b = new_matrix(CM_F16, STEP * PITCH);
    float *bias = (float *)new_matrix(CM_F32, LINES);
    for (int k = 0; k < 6; k++) {
        float *c = (float *)new_poison(CM_F32, LINES * STEP), *e = (float *)new_poison(CM_F32, LINES * BROAD);
        void *d = new_poison(CM_F16, LINES * BROAD);
        int wrong = 0;
        lines = k < 3 ? 1 : LINES;
        bool ran = RUN_KERNEL(repeated_columns, &variants[k % 3], ONE_GROUP, ZED_ARG(a), ZED_ARG(b), ZED_ARG(bias),
                              ZED_ARG(c), ZED_ARG(d), ZED_ARG(e));
        for (int i = 0; ran && i < LINES * STEP; i++) {
            double want = (double)bias[i / STEP], most = fabs(want);
            add_products(&want, &most, CM_F16, a, i / STEP * PITCH, b, i % STEP, PITCH, STEP);
            wrong += i / STEP < lines ? !(fabs(c[i] - want) <= most * STEP * 0x1p-24) : !poisoned(CM_F32, c, (size_t)i);
        }
        for (int i = 0; ran && i < LINES * BROAD; i++) {
            double want = 0, most = 0;
            add_products(&want, &most, CM_F16, a, i / BROAD * PITCH, b, i % BROAD, PITCH, STEP);
            wrong += !(fabs(e[i] - want) <= most * STEP * 0x1p-24);
            wrong += get(CM_F16, d, (size_t)i) != round_to(CM_F16, (double)bias[i / BROAD]);
        }
        CHECK_MSG(wrong == 0, "%s, %d rows: %d wrong", variants[k % 3].name, lines, wrong);
        zed_free(&device, c), zed_free(&device, d), zed_free(&device, e);
    }
    zed_free(&device, a), zed_free(&device, b), zed_free(&device, bias);
}

/* ---- one tile is loaded under XT_IF and behind it: block messages of the same surface and position ---- */

XT_KERNEL(loads_on_sides, ptr(f16, A), ptr(f16, B), ptr(u8, FLAGS), ptr(f32, C), u32(TIMES))
{
    xt_tile a = XT_INIT_TILE(A, f16, HEIGHT, STEP, .shape = XT_AT(HEIGHT, PITCH));
    xt_tile b = XT_INIT_TILE(B, f16, STEP, BROAD, .shape = XT_AT(PITCH, PITCH));
    xt_vec some = XT_SPLAT(f32, HEIGHT, BROAD, 0), all = some;
    XT_FOR (k, 0, TIMES, 1, &a, &b, &some, &all) {
        XT_IF (XT_NE(XT_LOAD(FLAGS, k), 0), &some, &all) {
            some = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), some);
        }
        all = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), all);
        a = XT_UPDATE_TILE_OFFSET(a, 0, STEP);
        b = XT_UPDATE_TILE_OFFSET(b, STEP, 0);
    }
    XT_STORE_TILE(some, XT_INIT_TILE(C, f32, HEIGHT, BROAD, .shape = XT_AT(2 * HEIGHT, BROAD)));
    XT_STORE_TILE(all,
                  XT_INIT_TILE(C, f32, HEIGHT, BROAD, .offset = XT_AT(HEIGHT, 0), .shape = XT_AT(2 * HEIGHT, BROAD)));
}

TEST(tiles_are_loaded_on_sides)
{
    enum { TIMES = PITCH / STEP };
    void *a = new_matrix(CM_F16, HEIGHT * PITCH), *b = new_matrix(CM_F16, PITCH * PITCH);
    uint8_t *flags = (uint8_t *)new_poison(CM_U8, TIMES);
    for (int t = 0; t < TIMES; t++) flags[t] = t % 3 == 1;
    for (int k = 0; k < 3; k++) {
        float *c = (float *)new_poison(CM_F32, 2 * HEIGHT * BROAD);
        int wrong = 0;
        bool ran = RUN_KERNEL(loads_on_sides, &variants[k], ONE_GROUP, ZED_ARG(a), ZED_ARG(b), ZED_ARG(flags),
                              ZED_ARG(c), ZED_ARG(TIMES));
        for (int i = 0; ran && i < 2 * HEIGHT * BROAD; i++) {
            double want = 0, most = 0;
            for (int t = 0; t < TIMES; t++)
                if (flags[t] || i / BROAD >= HEIGHT)
                    add_products(&want, &most, CM_F16, a, i / BROAD % HEIGHT * PITCH + t * STEP, b,
                                 t * STEP * PITCH + i % BROAD, PITCH, STEP);
            wrong += !(fabs(c[i] - want) <= most * PITCH * 0x1p-24);
        }
        CHECK_MSG(wrong == 0, "%s: %d wrong", variants[k].name, wrong);
        zed_free(&device, c);
    }
    zed_free(&device, a), zed_free(&device, b), zed_free(&device, flags);
}

/* ---- two sums change places in each turn of a loop ---- */

enum { TALL = 64 };

XT_KERNEL(sums_swap, ptr(f16, A), ptr(f16, B), ptr(f32, X), ptr(f32, C), u32(TIMES))
{
    const xt_map map = XT_MAP(.sg_layout = {2, 1}, .sg_data = {TALL / 2, SIDE});
    const xt_map map_a = xt_map_mma_a(&map, STEP), map_b = xt_map_mma_b(&map, STEP);
    xt_tile first = XT_INIT_TILE(X, f32, TALL, SIDE, .shape = XT_AT(2 * TALL, SIDE), .map = map);
    xt_vec x = XT_LOAD_TILE(first), y = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(first, TALL, 0));
    XT_FOR (k, 0, TIMES, 1, &y, &x) {
        xt_vec sum = x;
        xt_val at = XT_MUL(k, STEP);
        xt_tile a = XT_INIT_TILE(A, f16, TALL, STEP, .offset = XT_AT(0, at), .shape = XT_AT(TALL, PITCH), .map = map_a);
        xt_tile b =
            XT_INIT_TILE(B, f16, STEP, SIDE, .offset = XT_AT(at, 0), .shape = XT_AT(PITCH, PITCH), .map = map_b);
        for (int i = 0; i < 2; i++) sum = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), sum);
        x = y, y = sum;
    }
    xt_tile last = XT_INIT_TILE(C, f32, TALL, SIDE, .shape = XT_AT(2 * TALL, SIDE), .map = map);
    XT_STORE_TILE(x, last);
    XT_STORE_TILE(y, XT_UPDATE_TILE_OFFSET(last, TALL, 0));
}

TEST(sums_change_places)
{
    enum { TIMES = 3, COUNT = TALL * SIDE };
    void *a = new_matrix(CM_F16, TALL * PITCH), *b = new_matrix(CM_F16, PITCH * PITCH);
    float *first = (float *)new_matrix(CM_F32, 2 * COUNT);
    for (int k = 0; k < 3; k++) {
        float *c = (float *)new_poison(CM_F32, 2 * COUNT);
        int wrong = 0;
        bool ran = RUN_KERNEL(sums_swap, &variants[k], ONE_GROUP, ZED_ARG(a), ZED_ARG(b), ZED_ARG(first), ZED_ARG(c),
                              ZED_ARG(TIMES));
        for (int i = 0; ran && i < COUNT; i++) {
            double want[2] = {first[i], first[COUNT + i]}, most[2] = {fabs(want[0]), fabs(want[1])};
            for (int t = 0; t < TIMES; t++) /* turn 1 adds to what was y */
                for (int twice = 0; twice < 2; twice++)
                    add_products(&want[t % 2], &most[t % 2], CM_F16, a, i / SIDE * PITCH + t * STEP, b,
                                 t * STEP * PITCH + i % SIDE, PITCH, STEP);
            for (int s = 0; s < 2; s++) /* an odd number of swaps */
                wrong += !(fabs(c[s * COUNT + i] - want[!s]) <= most[!s] * 4 * STEP * 0x1p-24);
        }
        CHECK_MSG(wrong == 0, "%s: %d wrong", variants[k].name, wrong);
        zed_free(&device, c);
    }
    zed_free(&device, a), zed_free(&device, b), zed_free(&device, first);
}

/* ---- three sums rotate in some turns ---- */

XT_KERNEL(sums_rotate, ptr(f16, A), ptr(f16, B), ptr(f32, X), ptr(f32, C), u32(TIMES))
{
    xt_tile from = XT_INIT_TILE(X, f32, LINES, STEP, .shape = XT_AT(4 * LINES, STEP));
    xt_tile to = XT_INIT_TILE(C, f32, LINES, STEP, .shape = XT_AT(LINES, STEP));
    xt_tile a = XT_INIT_TILE(A, f16, LINES, STEP, .shape = XT_AT(LINES, PITCH));
    xt_tile b = XT_INIT_TILE(B, f16, STEP, STEP, .shape = XT_AT(PITCH, PITCH));
    xt_vec sum[4];
    for (int i = 0; i < 4; i++) sum[i] = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(from, i * LINES, 0));
    XT_FOR (k, 0, TIMES, 1, &sum[0], &sum[1], &sum[2]) {
        XT_IF (XT_EQ(XT_MOD(k, 3), 0), &sum[0], &sum[1], &sum[2]) {
            xt_val at = XT_MUL(k, STEP);
            xt_vec first = XT_TILE_MMA(XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(a, 0, at)),
                                       XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(b, at, 0)), sum[0]);
            sum[0] = sum[1], sum[1] = sum[2], sum[2] = first;
        }
        XT_ELSE { sum[0] = XT_NEG(sum[1]); }
    }
    xt_vec last = XT_LOAD_TILE(XT_INIT_TILE(B, f16, STEP, STEP, .shape = XT_AT(STEP, PITCH)));
    XT_STORE_TILE(XT_FMA(XT_TILE_MMA(XT_CAST(f16, sum[3]), last), 0.125, sum[2]), to);
}

TEST(sums_take_turns)
{
    enum { TIMES = 4, COUNT = LINES * STEP };
    void *a = new_matrix(CM_F16, LINES * PITCH), *b = new_matrix(CM_F16, PITCH * PITCH),
         *halves = new_poison(CM_F16, COUNT);
    float *first = (float *)new_matrix(CM_F32, 4 * COUNT);
    for (int i = 0; i < COUNT; i++) put(CM_F16, halves, (size_t)i, round_to(CM_F16, (double)first[3 * COUNT + i]));
    for (int k = 0; k < 3; k++) {
        float *c = (float *)new_poison(CM_F32, COUNT);
        int wrong = 0;
        bool ran = RUN_KERNEL(sums_rotate, &variants[k], ONE_GROUP, ZED_ARG(a), ZED_ARG(b), ZED_ARG(first), ZED_ARG(c),
                              ZED_ARG(TIMES));
        for (int i = 0; ran && i < COUNT; i++) {
            double sum[3], most = 0, end = 0, product = 0;
            for (int s = 0; s < 3; s++) sum[s] = (double)first[s * COUNT + i], most += fabs(sum[s]);
            for (int t = 0; t < TIMES; t++)
                if (t % 3 == 0) {
                    double next = sum[0];
                    add_products(&next, &most, CM_F16, a, i / STEP * PITCH + t * STEP, b, t * STEP * PITCH + i % STEP,
                                 PITCH, STEP);
                    sum[0] = sum[1], sum[1] = sum[2], sum[2] = next;
                } else sum[0] = -sum[1];
            add_products(&product, &most, CM_F16, halves, i / STEP * STEP, b, i % STEP, PITCH, STEP);
            end = sum[2] + product / 8;
            wrong += !(fabs(c[i] - end) <= most * 3 * STEP * 0x1p-24);
        }
        CHECK_MSG(wrong == 0, "%s: %d wrong", variants[k].name, wrong);
        zed_free(&device, c);
    }
    zed_free(&device, a), zed_free(&device, b), zed_free(&device, halves), zed_free(&device, first);
}

/* ---- a column is added to a matrix in a loop and behind it: broadcasts of one value in several blocks ---- */

XT_KERNEL(columns_carried, ptr(f32, BIAS), ptr(f32, X), ptr(f32, C), u32(TIMES))
{
    xt_tile tile = XT_INIT_TILE(X, f32, SIDE, SIDE, .shape = XT_AT(SIDE, SIDE));
    xt_vec column = XT_LOAD_TILE(XT_INIT_TILE(BIAS, f32, SIDE, 1, .shape = XT_AT(SIDE, 1)));
    xt_vec x = XT_LOAD_TILE(tile), sum = x;
    XT_FOR (k, 0, TIMES, 1, &sum, &column) {
        sum = XT_ADD(sum, XT_BROADCAST(column, 1, SIDE));
        column = XT_MUL(XT_REDUCTION(add, x, 1), 0.015625);
    }
    sum = XT_ADD(XT_BROADCAST(column, 1, SIDE), sum);
    XT_STORE_TILE(sum, XT_INIT_TILE(C, f32, SIDE, SIDE, .shape = XT_AT(SIDE, SIDE)));
}

TEST(columns_are_carried)
{
    float *bias = (float *)new_matrix(CM_F32, SIDE), *x = (float *)new_matrix(CM_F32, SIDE * SIDE);
    for (int times = 0; times <= TURNS; times += TURNS) {
        float *c = (float *)new_poison(CM_F32, SIDE * SIDE);
        int wrong = 0;
        bool ran = RUN_KERNEL(columns_carried, &variants[0], ONE_GROUP, ZED_ARG(bias), ZED_ARG(x), ZED_ARG(c),
                              ZED_ARG(times));
        for (int i = 0; ran && i < SIDE * SIDE; i++) {
            double column = (double)bias[i / SIDE], row = 0, most = 0, want, all;
            for (int j = 0; j < SIDE; j++) {
                double one = (double)x[i / SIDE * SIDE + j];
                row += one, most += fabs(one);
            }
            want = (double)x[i] + column + (times ? times * row / 64 : 0);
            all = fabs((double)x[i]) + fabs(column) + times * most / 64;
            wrong += !(fabs(c[i] - want) <= all * (SIDE + 2 * TURNS) * 0x1p-24); /* a rounding for each addition */
        }
        CHECK_MSG(wrong == 0, "%d times: %d wrong", times, wrong);
        zed_free(&device, c);
    }
    zed_free(&device, bias), zed_free(&device, x);
}

/* ---- rows of equal numbers are summed, in 32 lanes ---- */

XT_KERNEL(equal_numbers, f32(V), ptr(f32, C))
{
    const xt_map map = XT_MAP(.sg_layout = {4, 2}, .sg_data = {STEP, STEP});
    const xt_map column = XT_MAP(.sg_layout = {4, 2}, .sg_data = {STEP, 1});
    xt_vec sum = XT_REDUCTION(add, XT_SPLAT(f32, 2 * PITCH, SIDE, V, .map = map), 1, .map = column);
    XT_STORE_TILE(sum, XT_INIT_TILE(C, f32, 2 * PITCH, 1, .shape = XT_AT(2 * PITCH, 1), .map = column));
}

TEST(equal_numbers_are_summed)
{
    for (int k = 0; k < 5; k++) {
        float *c = (float *)new_poison(CM_F32, 2 * PITCH), v = (float)test_normal();
        int wrong = 0;
        if (target_has(&variants[k]) && RUN_KERNEL(equal_numbers, &variants[k], ONE_GROUP, ZED_ARG(v), ZED_ARG(c)))
            for (int i = 0; i < 2 * PITCH; i++) wrong += !(c[i] == SIDE * v);
        CHECK_MSG(wrong == 0, "%s: %d wrong", variants[k].name, wrong);
        zed_free(&device, c);
    }
}

/* ---- equal numbers are doubled many times: each vector is asked once whether its lanes hold the same ---- */

enum { DOUBLINGS = 60 };

XT_KERNEL(doubled_numbers, f32(V), ptr(f16, C))
{
    xt_vec v = XT_MUL(XT_SPLAT(f32, HEIGHT, STEP, V), 0x1p-60);
    for (int i = 0; i < DOUBLINGS; i++) v = XT_ADD(v, v);
    XT_STORE_TILE(XT_CAST(f16, v), XT_INIT_TILE(C, f16, HEIGHT, STEP, .shape = XT_AT(HEIGHT, STEP)));
}

TEST(equal_numbers_are_doubled)
{
    for (int k = 0; k < 3; k++) {
        void *c = new_poison(CM_F16, HEIGHT * STEP);
        float v = (float)test_normal();
        int wrong = 0;
        if (RUN_KERNEL(doubled_numbers, &variants[k], ONE_GROUP, ZED_ARG(v), ZED_ARG(c)))
            for (size_t i = 0; i < HEIGHT * STEP; i++) wrong += get(CM_F16, c, i) != round_to(CM_F16, (double)v);
        CHECK_MSG(wrong == 0, "%s: %d wrong", variants[k].name, wrong);
        zed_free(&device, c);
    }
}

/* ---- halves and floats, one after the other, move through the same local memory ---- */

enum { UPPER = 8, FIFTH = 5 };

XT_KERNEL(moved_halves_and_floats, ptr(f32, X), ptr(f16, W), ptr(f32, C), ptr(f32, COLUMN), u32(TIMES))
{
    const xt_map map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {4, 16});
    const xt_map rows = XT_MAP(.sg_layout = {2, 2}, .sg_data = {4, SIDE});
    const xt_map map_w = xt_map_mma_b(&map, SIDE), one = XT_MAP(.sg_layout = {2, 2}, .sg_data = {4, 1});
    xt_vec x = XT_LOAD_TILE(XT_INIT_TILE(X, f32, UPPER, SIDE, .shape = XT_AT(UPPER, SIDE), .map = map));
    xt_tile of_column = XT_INIT_TILE(COLUMN, f32, UPPER, 1, .shape = XT_AT(UPPER, 1), .map = one);
    xt_vec column = XT_LOAD_TILE(of_column);
    XT_FOR (k, 0, TIMES, 1, &x, &column) {
        xt_vec h = XT_CONVERT_LAYOUT(XT_CAST(f16, x), .map = rows);
        xt_tile w = XT_INIT_TILE(W, f16, SIDE, SIDE, .shape = XT_AT(SIDE, SIDE), .map = map_w);
        x = XT_FMA(XT_TILE_MMA(h, XT_LOAD_TILE(w)), 0.125, x);
        XT_IF (XT_EQ(XT_MOD(k, 3), 1), &column) { column = XT_SLICE(x, 0, FIFTH, UPPER, 1, .map = one); }
    }
    XT_STORE_TILE(x, XT_INIT_TILE(C, f32, UPPER, SIDE, .shape = XT_AT(UPPER, SIDE), .map = map));
    XT_STORE_TILE(column, of_column);
}

/* The second turn, which is the last, keeps a column. The sums may be off by as much as if their halves were rounded
 * the other way. */
TEST(halves_and_floats_move)
{
    enum { TIMES = 2, COUNT = UPPER * SIDE };
    float *x = (float *)new_matrix(CM_F32, COUNT);
    void *w = new_matrix(CM_F16, SIDE * SIDE), *halves = new_poison(CM_F16, COUNT);
    double want[COUNT], most[COUNT] = {0};
    for (int i = 0; i < COUNT; i++) want[i] = (double)x[i];
    for (int t = 0; t < TIMES; t++) {
        for (int i = 0; i < COUNT; i++) put(CM_F16, halves, (size_t)i, want[i]);
        for (int i = 0; i < COUNT; i++) {
            double sum = 0, all = 0;
            add_products(&sum, &all, CM_F16, halves, i / SIDE * SIDE, w, i % SIDE, SIDE, SIDE);
            want[i] += sum / 8, most[i] += fabs(want[i]) + all / 8;
        }
    }
    for (int k = 0; k < 3; k++) {
        float *c = (float *)new_poison(CM_F32, COUNT), *column = (float *)new_poison(CM_F32, UPPER);
        int wrong = 0;
        bool ran = RUN_KERNEL(moved_halves_and_floats, &variants[k], ONE_GROUP, ZED_ARG(x), ZED_ARG(w), ZED_ARG(c),
                              ZED_ARG(column), ZED_ARG(TIMES));
        for (int i = 0; ran && i < COUNT; i++) wrong += !(fabs(c[i] - want[i]) <= most[i] * 0x1p-9);
        for (int i = 0; ran && i < UPPER; i++) wrong += !(column[i] == c[i * SIDE + FIFTH]);
        CHECK_MSG(wrong == 0, "%s: %d wrong", variants[k].name, wrong);
        zed_free(&device, c), zed_free(&device, column);
    }
    zed_free(&device, x), zed_free(&device, w), zed_free(&device, halves);
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
    RUN(columns_are_repeated);
    RUN(tiles_are_loaded_on_sides);
    RUN(sums_change_places);
    RUN(sums_take_turns);
    RUN(columns_are_carried);
    RUN(equal_numbers_are_summed);
    RUN(equal_numbers_are_doubled);
    RUN(halves_and_floats_move);
    zed_close(&device);
    return test_report();
}
