/* test_xetile_control.c - XT_WHILE, descending XT_FOR, XT_IF with vectors, split barriers; blocked 4-D vectors against
 * 2-D ones; loops of small products. */
#include "xetile_case.h"

/* ---- loops and conditions
 * -------------------------------------------------------------------------------------------- */

/* Collatz: scalars only; R[0] iterations, R[1] the largest value. */
XT_KERNEL(collatz, ptr(i32, R), i32(N))
{
    xt_val n = N, turns = XT_CAST(i32, 0), most = N;
    XT_WHILE (XT_NE(n, 1), &n, &turns, &most) {
        xt_val odd = XT_EQ(XT_MOD(n, 2), 1);
        n = XT_SELECT(odd, XT_ADD(XT_MUL(n, 3), 1), XT_DIV(n, 2));
        turns = XT_ADD(turns, 1);
        most = XT_MAX(most, n);
    }
    XT_STORE_TILE(XT_SPLAT(i32, 1, 1, turns), XT_INIT_TILE(R, i32, 1, 1, .shape = XT_AT(1, 2)));
    XT_STORE_TILE(XT_SPLAT(i32, 1, 1, most), XT_INIT_TILE(R, i32, 1, 1, .offset = XT_AT(0, 1), .shape = XT_AT(1, 2)));
}

TEST(while_of_numbers)
{
    int32_t *r = (int32_t *)new_poison(CM_I32, 2);
    for (int n = 1; n < 30; n += 7) {
        int turns = 0, most = n;
        for (int i = n; i != 1; turns++) {
            i = i % 2 ? 3 * i + 1 : i / 2;
            if (i > most) most = i;
        }
        if (!RUN_KERNEL(collatz, &variants[0], ONE_GROUP, ZED_ARG(r), ZED_ARG(n))) break;
        CHECK_INT(r[0], turns);
        CHECK_INT(r[1], most);
    }
    zed_free(&device, r);
}

/* Doubles a vector for its number of iterations, moving a tile along, then adds rows in reverse order. */
XT_KERNEL(walk, ptr(f32, A), ptr(f32, R), i32(N))
{
    const xt_map map = XT_MAP(.sg_layout = {1, 2}, .sg_data = {1, 16});
    xt_tile a = XT_INIT_TILE(A, f32, 1, 32, .shape = XT_AT(16, 32), .map = map);
    xt_vec sum = XT_SPLAT(f32, 1, 32, 0, .map = map);
    xt_val i = XT_CAST(i32, 0);
    XT_WHILE (XT_LT(i, N), &i, &a, &sum) {
        sum = XT_FMA(sum, 2, XT_LOAD_TILE(a));
        a = XT_UPDATE_TILE_OFFSET(a, 1, 0);
        i = XT_ADD(i, 1);
    }
    XT_FOR (k, XT_SUB(N, 1), -1, -2, &sum) {
        sum = XT_FMA(
            sum, 2,
            XT_LOAD_TILE(XT_INIT_TILE(A, f32, 1, 32, .offset = XT_AT(k, 0), .shape = XT_AT(16, 32), .map = map)));
    }
    XT_FOR (k, 0, 5, -1, &sum) { sum = XT_MUL(sum, 0); } /* no iteration */
    XT_STORE_TILE(sum, XT_INIT_TILE(R, f32, 1, 32, .shape = XT_AT(1, 32), .map = map));
}

TEST(loops_with_vectors_and_tiles)
{
    float *a = (float *)new_matrix(CM_F32, 16 * 32), *r = (float *)new_poison(CM_F32, 32);
    for (int n = 0; n < 7; n += 3) {
        if (!RUN_KERNEL(walk, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(r), ZED_ARG(n))) break;
        for (int j = 0; j < 32; j++) {
            double want = 0;
            for (int i = 0; i < n; i++) want = 2 * want + (double)a[32 * i + j];
            for (int k = n - 1; k > -1; k -= 2) want = 2 * want + (double)a[32 * k + j];
            CHECK_MSG(fabs(r[j] - want) < 1e-4 * exp2(n), "%d turns, %d: %g, want %g", n, j, r[j], want);
        }
    }
    zed_free(&device, a);
    zed_free(&device, r);
}

/* Indices in order of iteration, with steps known only at launch; a tile moves along. */
XT_KERNEL(strides, ptr(i32, A), ptr(i32, R), i32(LO), i32(HI), i32(STEP))
{
    xt_val turns = XT_CAST(i32, 0), sum = XT_CAST(i32, 1);
    xt_tile r = XT_INIT_TILE(R, i32, 1, 1, .offset = XT_AT(0, 2), .shape = XT_AT(1, 64));
    xt_tile a = XT_INIT_TILE(A, i32, 1, 1, .offset = XT_AT(0, LO), .shape = XT_AT(1, 64));
    XT_FOR (k, LO, HI, STEP, &turns, &sum, &r, &a) {
        XT_STORE_TILE(XT_ADD(XT_LOAD_TILE(a), k), r);
        sum = XT_ADD(XT_MUL(sum, 3), k);
        turns = XT_ADD(turns, 1);
        r = XT_UPDATE_TILE_OFFSET(r, 0, 1);
        a = XT_UPDATE_TILE_OFFSET(a, 0, STEP);
    }
    XT_STORE_TILE(XT_SPLAT(i32, 1, 1, turns), XT_INIT_TILE(R, i32, 1, 1, .shape = XT_AT(1, 2)));
    XT_STORE_TILE(XT_SPLAT(i32, 1, 1, sum), XT_INIT_TILE(R, i32, 1, 1, .offset = XT_AT(0, 1), .shape = XT_AT(1, 2)));
}

TEST(steps_of_either_sign)
{
    static const int loops[][3] = {{0, 10, 3},   {0, 9, 3},   {5, 6, 9},  {7, 7, 1},   {8, 3, 2},
                                   {20, 2, -3},  {20, 2, -6}, {4, 3, -9}, {3, 3, -1},  {3, 8, -2},
                                   {63, -1, -1}, {0, 62, 1},  {-5, 5, 4}, {5, -70, -7}};
    int32_t *a = (int32_t *)new_matrix(CM_I32, 64), *r = (int32_t *)new_poison(CM_I32, 64);
    for (size_t n = 0; n < sizeof loops / sizeof loops[0]; n++) {
        int lo = loops[n][0], hi = loops[n][1], step = loops[n][2], turns = 0, wrong = 0;
        uint32_t sum = 1;
        if (!RUN_KERNEL(strides, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(r), ZED_ARG(lo), ZED_ARG(hi),
                        ZED_ARG(step)))
            break;
        for (int k = lo; step > 0 ? k < hi : k > hi; k += step, turns++) {
            sum = sum * 3 + (uint32_t)k;
            if (turns < 62) wrong += r[2 + turns] != (k >= 0 && k < 64 ? a[k] : 0) + k;
        }
        CHECK_MSG(r[0] == turns && (uint32_t)r[1] == sum && wrong == 0,
                  "from %d to %d by %d: %d turns, want %d; %d wrong", lo, hi, step, r[0], turns, wrong);
    }
    zed_free(&device, a);
    zed_free(&device, r);
}

XT_KERNEL(choose, ptr(f32, A), ptr(f32, R), i32(N))
{
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, f32, 4, 16, .shape = XT_AT(4, 16))), w = XT_MUL(v, 3);
    xt_vec mask = XT_GT(v, 0);
    XT_IF (XT_GT(N, 5), &v, &w, &mask) {
        v = XT_ADD(v, 1);
        mask = XT_LT(v, 0);
        XT_IF (XT_GT(N, 8), &w) { w = XT_SUB(w, v); }
    } XT_ELSE {
        w = XT_MUL(v, v);
    }
    XT_STORE_TILE(XT_SELECT(mask, v, w), XT_INIT_TILE(R, f32, 4, 16, .shape = XT_AT(4, 16)));
}

TEST(conditions_with_vectors)
{
    float *a = (float *)new_matrix(CM_F32, 64), *r = (float *)new_poison(CM_F32, 64);
    for (int n = 4; n < 11; n += 3) {
        if (!RUN_KERNEL(choose, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(r), ZED_ARG(n))) break;
        for (int i = 0; i < 64; i++) {
            float v = a[i], w = 3 * v;
            bool mask = v > 0;
            if (n > 5) {
                v += 1;
                mask = v < 0;
                if (n > 8) w -= v;
            } else {
                w = v * v;
            }
            CHECK_MSG(r[i] == (mask ? v : w), "n %d, %d: %g", n, i, r[i]);
        }
    }
    zed_free(&device, a);
    zed_free(&device, r);
}

/* Each subgroup writes a row (twice, four rows apart), arrives, does other work, waits, and reads the next
 * subgroup's row. */
XT_KERNEL(neighbours, ptr(f32, A), ptr(f32, T), ptr(f32, R))
{
    const xt_map map = XT_MAP(.sg_layout = {4, 1}, .sg_data = {1, 16});
    xt_tile t = XT_INIT_TILE(T, f32, 4, 16, .shape = XT_AT(8, 16), .map = map);
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, f32, 4, 16, .shape = XT_AT(4, 16), .map = map));
    for (int turn = 0; turn < 2; turn++) {
        XT_STORE_TILE(v, t);
        XT_STORE_TILE(v, XT_UPDATE_TILE_OFFSET(t, 4, 0));
        XT_BARRIER_ARRIVE("written");
        v = XT_MUL(v, 2);
        XT_BARRIER_WAIT("written");
        v = XT_ADD(v, XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(t, 1, 0)));
        XT_BARRIER();
    }
    XT_STORE_TILE(v, XT_INIT_TILE(R, f32, 4, 16, .shape = XT_AT(4, 16), .map = map));
}

TEST(split_barriers)
{
    float *a = (float *)new_matrix(CM_F32, 64), *t = (float *)new_poison(CM_F32, 128),
          *r = (float *)new_poison(CM_F32, 64);
    float v[64], next[64];
    memcpy(v, a, sizeof v);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 64; i++) next[i] = 2 * v[i] + v[(i + 16) % 64];
        memcpy(v, next, sizeof v);
    }
    if (RUN_KERNEL(neighbours, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(t), ZED_ARG(r)))
        for (int i = 0; i < 64; i++) CHECK_MSG(r[i] == v[i], "%d: %g, want %g", i, r[i], v[i]);
    zed_free(&device, a);
    zed_free(&device, t);
    zed_free(&device, r);
}

/* ---- blocked vectors
 * ------------------------------------------------------------------------------------------------- */

/* The same computation by 2-D vectors and by 4-D ones: product, sum over [1, 3], broadcast back, subtraction. */
static xt_map wg; /* none: subgroup level */

XT_KERNEL(blocked, ptr(f16, A), ptr(f16, B), ptr(f32, R))
{
    xt_map map_a = wg, map_b = wg, map_c = wg;
    if (wg.sg_layout[0]) map_a.sg_data[1] = 32, map_b.sg_data[0] = 32;
    xt_tile a2 = XT_INIT_TILE(A, f16, 32, 32, .shape = XT_AT(32, 32), .map = map_a);
    xt_tile b2 = XT_INIT_TILE(B, f16, 32, 32, .shape = XT_AT(32, 32), .map = map_b);
    xt_tile a4 = XT_INIT_TILE(A, f16, 32, 32, .shape = XT_AT(32, 32), .map = map_a, .inner_blocks = {8, 16});
    xt_vec c2 = XT_TILE_MMA(XT_LOAD_TILE(a2), XT_LOAD_TILE(b2));
    xt_vec b4 = XT_TILE_PACK(XT_LOAD_TILE(b2), .inner_blocks = {16, 8});
    xt_vec c4 = XT_TILE_MMA(XT_LOAD_TILE(a4), b4, .map = map_c); /* 4 x 4 blocks of 8 x 8 */
    xt_vec s2 = XT_TILE_REDUCE(add, c2, 1), s4 = XT_TILE_REDUCE(add, c4, XT_DIMS(1, 3));
    c2 = XT_SUB(c2, XT_TILE_BROADCAST(s2, 1, 32, .map = map_c));
    c4 = XT_SUB(c4, XT_TILE_BROADCAST(s4, XT_DIMS(1, 3), 32, .map = map_c, .inner_blocks = {8, 8}));
    xt_tile r = XT_INIT_TILE(R, f32, 32, 32, .shape = XT_AT(64, 32), .map = map_c);
    XT_STORE_TILE(c2, r);
    XT_STORE_TILE(XT_TILE_UNPACK(c4, .inner_blocks = {8, 8}), XT_UPDATE_TILE_OFFSET(r, 32, 0));
}

TEST(blocked_vectors)
{
    static const xt_map maps[] = {{{0}, {0}}, {{4, 1}, {8, 32}}};
    for (int n = 0; n < 2; n++) {
        uint16_t *a = (uint16_t *)new_matrix(CM_F16, 1024), *b = (uint16_t *)new_matrix(CM_F16, 1024);
        float *r = (float *)new_poison(CM_F32, 2048);
        int wrong = 0;
        wg = maps[n];
        if (RUN_KERNEL(blocked, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(b), ZED_ARG(r)))
            for (int i = 0; i < 32; i++) {
                double c[32], sum = 0;
                for (int j = 0; j < 32; j++) {
                    c[j] = 0;
                    for (int k = 0; k < 32; k++)
                        c[j] += get(CM_F16, a, (size_t)(i * 32 + k)) * get(CM_F16, b, (size_t)(k * 32 + j));
                    sum += c[j];
                }
                for (int j = 0; j < 32; j++) {
                    wrong += fabs(r[i * 32 + j] - (c[j] - sum)) > 1e-3; /* 1056 terms of a few units each */
                    wrong += r[i * 32 + j] != r[1024 + i * 32 + j];
                }
            }
        CHECK_INT(wrong, 0);
        zed_free(&device, a);
        zed_free(&device, b);
        zed_free(&device, r);
    }
}

/* ---- loops of small products, whose body is written several times ---- */

enum { DEEP = 16, COLUMNS = 192 }; /* k of a turn; of A */
static int first_k;

/* R = A B over the turns from first_k to K; count: the sum of their indices, and of their numbers doubled each time. */
XT_KERNEL (small_products, ptr(f16, A), ptr(f16, B), ptr(f32, R), ptr(i32, Count), i32(K))
{
    xt_tile a = XT_INIT_TILE(A, f16, 8, DEEP, .offset = XT_AT(0, first_k), .shape = XT_AT(8, COLUMNS));
    xt_tile b = XT_INIT_TILE(B, f16, DEEP, 32, .offset = XT_AT(first_k, 0), .shape = XT_AT(COLUMNS, 32));
    xt_vec acc = XT_SPLAT(f32, 8, 32, 0);
    xt_val count = XT_CAST(i32, 0), doubled = count;
    XT_FOR (k, first_k, K, DEEP, &a, &b, &acc, &count, &doubled) {
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, DEEP);
        b = XT_UPDATE_TILE_OFFSET(b, DEEP, 0);
        doubled = XT_ADD(XT_MUL(doubled, 2), 1);
        count = XT_ADD(count, k);
    }
    XT_STORE_TILE(acc, XT_INIT_TILE(R, f32, 8, 32, .shape = XT_AT(8, 32)));
    XT_STORE(count, Count, 0);
    XT_STORE(doubled, Count, 1);
}

/* Small integers, so that sums are exact in any order. */
static uint16_t *small_integers(size_t n)
{
    uint16_t *v = (uint16_t *)new_matrix(CM_F16, n);
    for (size_t i = 0; v && i < n; i++) put(CM_F16, v, i, (double)(test_random() % 17) - 8);
    return v;
}

static int count_products(const xt_module *mod)
{
    int count = 0;
    for (size_t i = 5; i < mod->size / 4; i += mod->words[i] >> 16)
        count += (mod->words[i] & 0xffff) == SPE_OpSubgroupMatrixMultiplyAccumulateINTEL;
    return count;
}

TEST(loops_of_small_products)
{
    static const int ends[] = {INT32_MIN, -5, 0, 1, 16, 17, 48, 64, 65, 80, 128, 144, 192};
    uint16_t *a = small_integers(8 * COLUMNS), *b = small_integers(COLUMNS * 32);
    xt_module mod = XT_BUILD(small_products, &(xt_target){.name = "bmg"}, .pitch = XT_PITCH_ALIGNED);
    CHECK_INT(mod.words ? count_products(&mod) : -1, 2 * (4 + 1)); /* four turns at a time, and one */
    xt_free(&mod);
    for (first_k = 0; first_k <= 2 * DEEP; first_k += DEEP)
        for (size_t e = 0; e < sizeof ends / sizeof ends[0]; e++) {
            float *r = (float *)new_poison(CM_F32, 8 * 32);
            int32_t *count = (int32_t *)new_poison(CM_I32, 2);
            int wrong = 0, sum = 0, doubled = 0, end = first_k;
            for (; end < ends[e]; end += DEEP) sum += end, doubled = doubled * 2 + 1;
            if (RUN_KERNEL(small_products, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(b), ZED_ARG(r), ZED_ARG(count),
                           ZED_ARG(ends[e])))
                for (size_t i = 0; i < 8; i++)
                    for (size_t j = 0; j < 32; j++) {
                        double want = 0;
                        for (size_t k = (size_t)first_k; k < (size_t)end; k++)
                            want += get(CM_F16, a, i * COLUMNS + k) * get(CM_F16, b, k * 32 + j);
                        wrong += (double)r[i * 32 + j] != want;
                    }
            CHECK_MSG(wrong == 0, "%d wrong from %d to %d", wrong, first_k, ends[e]);
            CHECK_INT(count[0], sum);
            CHECK_INT(count[1], doubled);
            zed_free(&device, r);
            zed_free(&device, count);
        }
    zed_free(&device, a);
    zed_free(&device, b);
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){0})) {
        zed_print_error(&device, stderr);
        return 1;
    }
    RUN(while_of_numbers);
    RUN(loops_with_vectors_and_tiles);
    RUN(steps_of_either_sign);
    RUN(conditions_with_vectors);
    RUN(split_barriers);
    RUN(blocked_vectors);
    RUN(loops_of_small_products);
    zed_close(&device);
    return test_report();
}
