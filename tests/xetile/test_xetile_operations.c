/* test_xetile_operations.c - scatter tiles that move and are modified; what newcomers look for: single numbers, tables,
 * random numbers, scans, argmin and argmax, borders, vectors of one row or column, bases of many dimensions. Every
 * element is compared with a plain C reference, on several lowerings and subgroup sizes. */
#include "xetile_case.h"

/* What a kernel's body reads, which runs on the host. */
static struct {
    chosen type;
    int rows, cols, kind;
    xt_map map;
    bool masked, exclusive;
} now;

#define EVERY_VARIANT(v)                                                                                               \
    for (const variant *v = variants; v < variants + sizeof variants / sizeof variants[0]; v++)                        \
        if (target_has(v))

static const xt_map no_map = {{0, 0}, {0, 0}}, by_4 = {{2, 2}, {4, 16}}, round_robin = {{4, 1}, {1, 32}};

/* ---- scatter tiles ---- */

/* bins[value] += 1, but for the value 7 where masked, from several work-groups; the old values are stored too. */
XT_KERNEL(histogram, ptr(u8, Values), ptr(u8, Keep), u64(Bins), u64(Old), i32(N))
{
    xt_val row = XT_MUL(XT_GROUP_ID(0), 8);
    xt_vec at = XT_CAST(i32, XT_LOAD_TILE(XT_INIT_TILE(Values, u8, 8, 32, .offset = XT_AT(row, 0),
                                                       .shape = XT_AT(N, 32), .map = now.map)));
    xt_vec keep = XT_LOAD_TILE(
        XT_INIT_TILE(Keep, i1, 8, 32, .offset = XT_AT(row, 0), .shape = XT_AT(N, 32), .map = now.map));
    xt_tile bins = XT_INIT_TILE(Bins, of(now.type), 8, 32, .scatter = at, .shape = XT_AT(200));
    xt_vec one = XT_SPLAT(of(now.type), 8, 32, 1, .map = now.map), old;
    if (now.masked)
        old = is_float(now.type.type) ? XT_ATOMIC_RMW(addf, one, bins, keep) : XT_ATOMIC_RMW(addi, one, bins, keep);
    else
        old = is_float(now.type.type) ? XT_ATOMIC_RMW(addf, one, bins) : XT_ATOMIC_RMW(addi, one, bins);
    XT_STORE_TILE(old, XT_INIT_TILE(Old, of(now.type), 8, 32, .offset = XT_AT(row, 0), .shape = XT_AT(N, 32),
                                    .map = now.map));
}

/* Old values of one bin are 0, 1, 2 ... in some order: their sum tells. Values of 200 and more are outside the bins. */
static void check_histogram(const variant *v, int type, xt_map map, bool masked)
{
    enum { N = 24, BINS = 200 };
    uint8_t *values = (uint8_t *)new_poison(CM_U8, N * 32), *keep = (uint8_t *)new_poison(CM_U8, N * 32);
    void *bins = new_poison(type, BINS), *old = new_poison(type, N * 32);
    double count[256] = {0}, sum[256] = {0};
    int wrong = 0;
    now.type.type = type, now.map = map, now.masked = masked;
    for (int i = 0; i < BINS; i++) put(type, bins, (size_t)i, 0);
    for (int i = 0; i < N * 32; i++) {
        values[i] = (uint8_t)(i % 3 ? test_random() : test_random() % 8);
        keep[i] = !masked || values[i] != 7;
    }
    if (RUN_KERNEL(histogram, v, ((zed_groups){N / 8, 1, 1}), ZED_ARG(values), ZED_ARG(keep), ADDRESS(bins),
                   ADDRESS(old), ZED_ARG(N))) {
        for (int i = 0; i < N * 32; i++) {
            bool counts = keep[i] && values[i] < BINS;
            count[values[i]] += counts;
            sum[values[i]] += get(type, old, (size_t)i);
            wrong += !counts && get(type, old, (size_t)i) != 0;
        }
        for (int i = 0; i < BINS; i++)
            wrong += get(type, bins, (size_t)i) != count[i] || sum[i] != count[i] * (count[i] - 1) / 2;
        wrong += count[7] != 0 && masked;
    }
    CHECK_MSG(wrong == 0, "%s %s: %d wrong", v->name, type_name(type), wrong);
    zed_free(&device, values);
    zed_free(&device, keep);
    zed_free(&device, bins);
    zed_free(&device, old);
}

TEST(scatter_tiles_are_modified)
{
    EVERY_VARIANT(v)
    {
        check_histogram(v, CM_I32, no_map, true);
        check_histogram(v, CM_F32, by_4, false);
    }
    check_histogram(&variants[0], CM_U16, by_4, true);
    check_histogram(&variants[0], CM_F16, no_map, true);
    check_histogram(&variants[0], CM_U64, round_robin, true);
}

/* Turn k gathers A[offsets + 3 k + k (k - 1) / 2 steps]: by a number, and by a vector that itself grows. */
XT_KERNEL(walk, ptr(i32, A), ptr(i32, Offsets), ptr(i32, Steps), ptr(i32, C), i32(N))
{
    int rows = now.rows, cols = now.cols;
    xt_vec offsets = XT_LOAD_TILE(XT_INIT_TILE(Offsets, i32, rows, cols, .shape = XT_AT(rows, cols), .map = now.map));
    xt_vec steps = XT_LOAD_TILE(XT_INIT_TILE(Steps, i32, rows, cols, .shape = XT_AT(rows, cols), .map = now.map));
    xt_vec sum = XT_SPLAT(i32, rows, cols, 0, .map = now.map), by = XT_SPLAT(i32, rows, cols, 0, .map = now.map);
    xt_tile t = XT_INIT_TILE(A, i32, rows, cols, .scatter = offsets, .shape = XT_AT(N));
    XT_FOR (k, 0, 4, 1, &t, &by, &sum) {
        sum = XT_ADD(sum, XT_MUL(XT_LOAD_GATHER(t, .padding = 5), XT_ADD(k, 1)));
        t = XT_UPDATE_TILE_OFFSET(t, 3);
        t = XT_UPDATE_TILE_OFFSET(t, by);
        by = XT_ADD(by, steps);
    }
    XT_STORE_TILE(sum, XT_INIT_TILE(C, i32, rows, cols, .shape = XT_AT(rows, cols), .map = now.map));
}

static void check_walk(const variant *v, int rows, int cols, xt_map map)
{
    enum { N = 150 };
    size_t count = (size_t)(rows * cols);
    int32_t *a = (int32_t *)new_matrix(CM_I32, N), *o = (int32_t *)new_poison(CM_I32, count),
            *s = (int32_t *)new_poison(CM_I32, count), *c = (int32_t *)new_poison(CM_I32, count), wrong = 0;
    now.rows = rows, now.cols = cols, now.map = map;
    for (size_t i = 0; i < count; i++) o[i] = (int)(test_random() % (N + 20)) - 10, s[i] = (int)(test_random() % 9) - 4;
    if (RUN_KERNEL(walk, v, ONE_GROUP, ZED_ARG(a), ZED_ARG(o), ZED_ARG(s), ZED_ARG(c), ZED_ARG(N)))
        for (size_t i = 0; i < count; i++) {
            int32_t want = 0, at = o[i];
            for (int k = 0; k < 4; k++) {
                want += (k + 1) * (at >= 0 && at < N ? a[at] : 5);
                at += 3 + k * s[i];
            }
            wrong += c[i] != want;
        }
    CHECK_MSG(wrong == 0, "%s %d x %d: %d wrong", v->name, rows, cols, wrong);
    zed_free(&device, a);
    zed_free(&device, o);
    zed_free(&device, s);
    zed_free(&device, c);
}

TEST(scatter_tiles_move)
{
    EVERY_VARIANT(v)
    {
        check_walk(v, 1, 20, no_map);
        check_walk(v, 8, 32, by_4);
    }
}

/* ---- single numbers ---- */

/* C[i] = 2 A[n - 1 - i] + lane's own, each lane for itself; numbers of local memory; an index of 64 bits. */
XT_KERNEL(singles, ptr(f32, A), ptr(bf16, B), ptr(f16, H), ptr(i64, L), ptr(i8, Y), i32(N), i64(One))
{
    xt_val i = XT_GLOBAL_ID(0), from = XT_SUB(XT_SUB(N, i), 1), local = XT_LOCAL(f32, 64), sum;
    XT_IF (XT_LT(i, N)) {
        XT_STORE(local, XT_LANE_ID(), XT_MUL(XT_LOAD(A, from), 2.0));
        sum = XT_ADD(XT_LOAD(local, XT_LANE_ID()), XT_LOAD(B, i));
        XT_STORE(A, XT_ADD(i, N), sum);
        XT_STORE(B, XT_ADD(i, N), sum);
        XT_STORE(H, XT_ADD(i, N), XT_MUL(XT_LOAD(H, from), 3));
        XT_STORE(L, XT_ADD(XT_CAST(i64, i), XT_CAST(i64, N)), XT_ADD(XT_LOAD(L, XT_CAST(i64, from)), One));
        XT_STORE(Y, XT_ADD(i, N), XT_SUB(XT_LOAD(Y, from), 1));
    }
    XT_STORE(A, XT_MUL(N, 2), 7); /* all the same */
}

TEST(numbers_are_loaded_and_stored)
{
    enum { N = 61 };
    EVERY_VARIANT(v)
    {
        float *a = (float *)new_matrix(CM_F32, 2 * N + 1);
        uint16_t *b = (uint16_t *)new_matrix(CM_BF16, 2 * N), *h = (uint16_t *)new_matrix(CM_F16, 2 * N);
        int64_t *l = (int64_t *)new_matrix(CM_I64, 2 * N), one = 1ll << 40;
        int8_t *y = (int8_t *)new_matrix(CM_I8, 2 * N);
        int wrong = 0;
        unsigned groups = N / 8 + 1; /* enough for any subgroup size */
        if (RUN_KERNEL(singles, v, ((zed_groups){groups, 1, 1}), ZED_ARG(a), ZED_ARG(b), ZED_ARG(h), ZED_ARG(l),
                       ZED_ARG(y), ZED_ARG(N), ZED_ARG(one)))
            for (size_t i = 0; i < N; i++) {
                float sum = 2 * a[N - 1 - i] + spe_bf16_bits_to_f32(b[i]);
                wrong += a[N + i] != sum || b[N + i] != spe_f32_to_bf16_bits(sum);
                wrong += get(CM_F16, h, N + i) != get(CM_F16, (uint16_t[]){spe_f32_to_f16_bits((float)(
                                                                  3 * get(CM_F16, h, N - 1 - i)))}, 0);
                wrong += l[N + i] != l[N - 1 - i] + one || y[N + i] != (int8_t)(y[N - 1 - i] - 1);
            }
        CHECK_MSG(wrong == 0 && a[2 * N] == 7, "%s: %d wrong", v->name, wrong);
        zed_free(&device, a);
        zed_free(&device, b);
        zed_free(&device, h);
        zed_free(&device, l);
        zed_free(&device, y);
    }
}

/* For thresholds in T: is every element above it, is one; and the elements in the corners. */
XT_KERNEL(whole_masks, u64(V), ptr(f32, T), ptr(i32, Answers), ptr(f32, Corners))
{
    xt_vec v = XT_LOAD_TILE(
        XT_INIT_TILE(V, of(now.type), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols), .map = now.map));
    for (int i = 0; i < 4; i++) {
        xt_vec mask = XT_GT(XT_CAST(f32, v), XT_LOAD(T, i));
        xt_val all = XT_SELECT(XT_ALL(mask), 1, 0);
        XT_STORE(Answers, 2 * i, all);
        XT_STORE(Answers, 2 * i + 1, XT_SELECT(XT_ANY(mask), 1, 0));
        XT_STORE(Corners, i, XT_CAST(f32, XT_ELEMENT(v, i & 1 ? now.rows - 1 : 0, i & 2 ? now.cols - 1 : 0)));
    }
}

static void check_masks(const variant *variant, int type, int rows, int cols, xt_map map)
{
    void *v = new_matrix(type, (size_t)(rows * cols));
    float *t = (float *)new_poison(CM_F32, 4), *corners = (float *)new_poison(CM_F32, 4), low = 1e9f, high = -1e9f;
    int32_t *answers = (int32_t *)new_poison(CM_I32, 8);
    now.type.type = type, now.rows = rows, now.cols = cols, now.map = map;
    for (int i = 0; i < rows * cols; i++) {
        low = fminf(low, (float)get(type, v, (size_t)i));
        high = fmaxf(high, (float)get(type, v, (size_t)i));
    }
    t[0] = low - 1, t[1] = low, t[2] = nextafterf(high, -1e9f), t[3] = high; /* all; all but one; one; none */
    if (RUN_KERNEL(whole_masks, variant, ONE_GROUP, ADDRESS(v), ZED_ARG(t), ZED_ARG(answers), ZED_ARG(corners)))
        for (int i = 0; i < 4; i++) {
            size_t at = (size_t)((i & 1 ? (rows - 1) * cols : 0) + (i & 2 ? cols - 1 : 0));
            CHECK_INT(answers[2 * i], i == 0);
            CHECK_INT(answers[2 * i + 1], i < 3);
            CHECK_MSG(corners[i] == (float)get(type, v, at), "corner %d: %g", i, (double)corners[i]);
        }
    zed_free(&device, v);
    zed_free(&device, t);
    zed_free(&device, corners);
    zed_free(&device, answers);
}

TEST(masks_as_a_whole)
{
    EVERY_VARIANT(v)
    {
        check_masks(v, CM_F32, 8, 32, no_map);
        check_masks(v, CM_BF16, 8, 32, by_4);
    }
    check_masks(&variants[0], CM_I32, 3, 5, no_map);
    check_masks(&variants[0], CM_F16, 8, 32, round_robin);
}

/* ---- remainders of floats, clamps ---- */

XT_KERNEL(remainders, u64(X), u64(Y), u64(Z), ptr(f32, One))
{
    xt_tile x = XT_INIT_TILE(X, of(now.type), 8, 32, .shape = XT_AT(8, 32));
    xt_tile y = XT_INIT_TILE(Y, of(now.type), 8, 32, .shape = XT_AT(8, 32));
    xt_tile z = XT_INIT_TILE(Z, of(now.type), 8, 32, .shape = XT_AT(16, 32));
    XT_STORE_TILE(XT_MOD(XT_LOAD_TILE(x), XT_LOAD_TILE(y)), z);
    XT_STORE_TILE(XT_CLAMP(XT_LOAD_TILE(x), -1.5, XT_LOAD_TILE(y)), XT_UPDATE_TILE_OFFSET(z, 8, 0));
    XT_STORE(One, 1, XT_MOD(XT_LOAD(One, 0), 0.75));
    XT_STORE(One, 2, XT_MOD(-7.25, 2)); /* two C constants */
    XT_STORE(One, 3, XT_CLAMP(XT_LOAD(One, 0), 0, 1));
}

TEST(remainders_of_floats)
{
    static const int types[] = {CM_F32, CM_F16, CM_BF16, CM_F64};
    for (int k = 0; k < 4; k++) {
        int type = types[k], wrong = 0;
        void *x = new_matrix(type, 256), *y = new_matrix(type, 256), *z = new_poison(type, 512);
        float *one = (float *)new_poison(CM_F32, 4);
        one[0] = -5.3f;
        for (size_t i = 0; i < 256; i++) put(type, x, i, get(type, x, i) * (i % 4 ? 10 : 1000));
        now.type.type = type;
        if (RUN_KERNEL(remainders, &variants[k], ONE_GROUP, ADDRESS(x), ADDRESS(y), ADDRESS(z), ZED_ARG(one))) {
            for (size_t i = 0; i < 256; i++) {
                double a = get(type, x, i), b = get(type, y, i);
                wrong += get(type, z, i) != fmod(a, b); /* exact */
                wrong += get(type, z, 256 + i) != fmin(fmax(a, -1.5), b);
            }
            CHECK(one[1] == fmodf(one[0], 0.75f) && one[2] == -1.25f && one[3] == 0);
        }
        CHECK_MSG(wrong == 0, "%s: %d wrong", type_name(type), wrong);
        zed_free(&device, x);
        zed_free(&device, y);
        zed_free(&device, z);
        zed_free(&device, one);
    }
}

/* ---- bases of many dimensions, subgroups without a map ---- */

/* A base of 2 x 3 x 2 x 2 x 3 x 2 matrices of 5 x 20: the one that At tells, or nothing. */
XT_KERNEL(many_dimensions, ptr(f32, A), ptr(i32, At), ptr(f32, C))
{
    xt_tile t = XT_INIT_TILE(A, f32, 8, 32, .offset = XT_AT(XT_LOAD(At, 0), XT_LOAD(At, 1), XT_LOAD(At, 2),
                                                            XT_LOAD(At, 3), XT_LOAD(At, 4), XT_LOAD(At, 5), 1, 2),
                             .shape = XT_AT(2, 3, 2, 2, 3, 2, 5, 20));
    xt_tile five = XT_INIT_TILE(A, f32, 8, 32, .offset = XT_AT(1, 2, XT_LOAD(At, 5), 0, 0),
                                .shape = XT_AT(6, 4, 3, 10, 20), .strides = XT_AT(2400, 600, 200, 20, 1));
    XT_STORE_TILE(XT_LOAD_TILE(t, .padding = -1), XT_INIT_TILE(C, f32, 8, 32, .shape = XT_AT(8, 32)));
    XT_STORE_TILE(XT_LOAD_TILE(five), XT_INIT_TILE(C, f32, 8, 32, .offset = XT_AT(8, 0), .shape = XT_AT(16, 32)));
}

TEST(bases_of_many_dimensions)
{
    static const int extent[6] = {2, 3, 2, 2, 3, 2}, cases[][6] = {
        {0, 0, 0, 0, 0, 0}, {1, 2, 1, 1, 2, 1}, {1, 0, 1, 0, 2, 1}, {0, 3, 0, 0, 0, 0}, {0, 0, 0, 2, 0, 0},
        {0, 0, 0, 0, -1, 0}};
    float *a = (float *)new_matrix(CM_F32, 144 * 100), *c = (float *)new_poison(CM_F32, 512);
    int32_t *at = (int32_t *)new_poison(CM_I32, 6);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        int number = 0, wrong = 0;
        bool inside = true;
        for (int i = 0; i < 6; i++) {
            at[i] = cases[k][i];
            inside = inside && at[i] >= 0 && at[i] < extent[i];
            number = number * extent[i] + at[i];
        }
        if (RUN_KERNEL(many_dimensions, &variants[k % 3], ONE_GROUP, ZED_ARG(a), ZED_ARG(at), ZED_ARG(c)))
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 32; j++) {
                    bool in = inside && i + 1 < 5 && j + 2 < 20;
                    wrong += c[i * 32 + j] != (in ? a[number * 100 + (i + 1) * 20 + j + 2] : -1);
                    wrong += c[(i + 8) * 32 + j] !=
                             (j < 20 ? a[2400 + 1200 + 200 * at[5] + i * 20 + j] : 0);
                }
        CHECK_MSG(wrong == 0, "case %d: %d wrong", (int)k, wrong);
    }
    zed_free(&device, a);
    zed_free(&device, at);
    zed_free(&device, c);
}

XT_KERNEL(no_map_at_all, ptr(i32, C))
{
    XT_STORE(C, XT_GLOBAL_ID(0), XT_ADD(XT_MUL(XT_SUBGROUP_ID(), 1000), XT_LANE_ID()));
}

TEST(subgroups_without_maps)
{
    zed_kernel k;
    int32_t *c = (int32_t *)new_poison(CM_I32, 512);
    xt_module mod = XT_BUILD(no_map_at_all, &(xt_target){ZED_TARGET(&device)}, .subgroups = 4);
    int S = mod.subgroup_size, wrong = 0;
    CHECK(mod.words != NULL);
    CHECK_INT(mod.local_size[0], 4 * S);
    if (mod.words && ZED_LOAD(&k, &device, mod)) zed_launch_n(&k, (zed_groups){2, 1, 1}, (zed_arg[]){ZED_ARG(c)}, 1);
    for (int i = 0; i < 8 * S; i++) wrong += c[i] != i / S % 4 * 1000 + i % S;
    CHECK_INT(wrong, 0);
    xt_free(&mod);
    zed_free(&device, c);
}

/* ---- random numbers ---- */

XT_KERNEL(noise, u64(Indices), ptr(u32, C), u32(Seed))
{
    xt_vec at = XT_LOAD_TILE(XT_INIT_TILE(Indices, of(now.type), 8, 32, .shape = XT_AT(8, 32), .map = now.map));
    xt_tile to = XT_INIT_TILE(C, u32, 8, 32, .shape = XT_AT(16, 32), .map = now.map);
    XT_STORE_TILE(XT_RANDOM(Seed, at), to);
    XT_STORE_TILE(XT_RANDOM(at, 3), XT_UPDATE_TILE_OFFSET(to, 8, 0));
    XT_STORE(C, 512, XT_RANDOM(Seed, XT_GROUP_ID(0)));
    XT_STORE(C, 513, XT_RANDOM(1, 2));
}

TEST(random_numbers)
{
    CHECK(xt_random(0, 0) == 0xff1dae59u); /* the authors' test vectors */
    CHECK(xt_random(0xffffffffu, 0xffffffffu) != xt_random(0, 0xffffffffu));
    EVERY_VARIANT(v)
    {
        uint32_t *at = (uint32_t *)new_poison(CM_U32, 256), *c = (uint32_t *)new_poison(CM_U32, 514), seed = 12345;
        int wrong = 0;
        now.type.type = v == variants ? CM_U32 : CM_I32, now.map = v == variants ? by_4 : no_map;
        for (int i = 0; i < 256; i++) at[i] = i % 2 ? (uint32_t)test_random() : (uint32_t)i;
        if (RUN_KERNEL(noise, v, ONE_GROUP, ADDRESS(at), ZED_ARG(c), ZED_ARG(seed)))
            for (int i = 0; i < 256; i++)
                wrong += c[i] != xt_random(seed, at[i]) || c[256 + i] != xt_random(at[i], 3);
        CHECK_MSG(wrong == 0, "%s: %d wrong", v->name, wrong);
        CHECK(c[512] == xt_random(seed, 0) && c[513] == xt_random(1, 2));
        zed_free(&device, at);
        zed_free(&device, c);
    }
}

int main(void)
{
    if (!zed_open(&device, NULL)) {
        printf("%s\n", zed_get_error(&device)->text);
        return 1;
    }
    RUN(scatter_tiles_are_modified);
    RUN(scatter_tiles_move);
    RUN(numbers_are_loaded_and_stored);
    RUN(masks_as_a_whole);
    RUN(remainders_of_floats);
    RUN(bases_of_many_dimensions);
    RUN(subgroups_without_maps);
    RUN(random_numbers);
    zed_close(&device);
    return test_report();
}
