/* test_xetile_operations.c - scatter tiles that move and are modified; common user needs: single numbers, tables,
 * random numbers, scans, argmin and argmax, borders, vectors of one row or column, bases of many dimensions. Every
 * element is compared with a plain C reference, on several lowerings and subgroup sizes. */
#include "xetile_case.h"

/* Read by kernels' bodies, which run on the host. */
static struct {
    chosen type;
    int rows, cols, kind;
    xt_map map;
    bool masked, exclusive;
} now;

#define EVERY_VARIANT(v)                                                                                               \
    for (const variant *v = variants; v < variants + sizeof variants / sizeof variants[0]; v++)                        \
        if (target_has(v))

/* In the sample a form runs in one variant of five; in which, changes from test to test. */
static bool takes(const variant *v, int turn) { return test_takes((int)(v - variants) + turn, 5); }

static const xt_map no_map = {{0, 0}, {0, 0}}, by_4 = {{2, 2}, {4, 16}}, round_robin = {{4, 1}, {1, 32}};

/* ---- scatter tiles ---- */

/* bins[value] += 1, except for masked values of 7, from several work-groups; the old values are stored too. */
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
        if (takes(v, 0)) check_histogram(v, CM_I32, no_map, true);
        if (takes(v, 1)) check_histogram(v, CM_F32, by_4, false);
    }
    check_histogram(&variants[0], CM_U16, by_4, true);
    check_histogram(&variants[0], CM_F16, no_map, true);
    check_histogram(&variants[0], CM_U64, round_robin, true);
}

/* Iteration k gathers A[offsets + 3 k + k (k - 1) / 2 steps]: by a number, and by a vector that itself grows. */
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
        if (takes(v, 1)) check_walk(v, 1, 20, no_map);
        if (takes(v, 2)) check_walk(v, 8, 32, by_4);
    }
}

/* ---- single numbers ---- */

/* C[i] = 2 A[n - 1 - i] + lane's own, one value per lane; scalars in local memory; an index of 64 bits. */
XT_KERNEL(singles, ptr(f32, A), ptr(bf16, B), ptr(f16, H), ptr(i64, L), ptr(i8, Y), i32(N), i64(One))
{
    xt_val i = XT_GLOBAL_ID(0), from = XT_SUB(XT_SUB(N, i), 1), local = XT_LOCAL(f32, 64), sum;
    XT_IF (XT_LT(i, N)) {
        XT_STORE(XT_MUL(XT_LOAD(A, from), 2.0), local, XT_LANE_ID());
        sum = XT_ADD(XT_LOAD(local, XT_LANE_ID()), XT_LOAD(B, i));
        XT_STORE(sum, A, XT_ADD(i, N));
        XT_STORE(sum, B, XT_ADD(i, N));
        XT_STORE(XT_MUL(XT_LOAD(H, from), 3), H, XT_ADD(i, N));
        XT_STORE(XT_ADD(XT_LOAD(L, XT_CAST(i64, from)), One), L, XT_ADD(XT_CAST(i64, i), XT_CAST(i64, N)));
        XT_STORE(XT_SUB(XT_LOAD(Y, from), 1), Y, XT_ADD(i, N));
    }
    XT_STORE(7, A, XT_MUL(N, 2)); /* all the same */
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

/* Constants are converted as other numbers are: integers to low bits, floats towards zero. */
XT_KERNEL(cast_constants, ptr(i64, C))
{
    const xt_val cast[] = {XT_CAST(i8, 300),   XT_CAST(u32, -1),  XT_CAST(u16, 70000), XT_CAST(i32, -2.9),
                           XT_CAST(u64, 1e19), XT_CAST(u8, 255.9), XT_CAST(i16, 32768), XT_CAST(f32, 3)};
    for (int i = 0; i < 8; i++) XT_STORE(XT_CAST(i64, cast[i]), C, i);
}

TEST(constants_are_cast)
{
    const int64_t want[8] = {44, 4294967295, 4464, -2, (int64_t)(uint64_t)1e19, 255, -32768, 3};
    int64_t *c = (int64_t *)new_poison(CM_I64, 8);
    if (RUN_KERNEL(cast_constants, &variants[0], ONE_GROUP, ZED_ARG(c)))
        for (int i = 0; i < 8; i++)
            CHECK_MSG(c[i] == want[i], "number %d: %lld, want %lld", i, (long long)c[i], (long long)want[i]);
    zed_free(&device, c);
}

/* For thresholds in T: whether all elements, or any, are above it; and the elements in the corners. */
XT_KERNEL(whole_masks, u64(V), ptr(f32, T), ptr(i32, Answers), ptr(f32, Corners))
{
    xt_vec v = XT_LOAD_TILE(
        XT_INIT_TILE(V, of(now.type), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols), .map = now.map));
    for (int i = 0; i < 4; i++) {
        xt_vec mask = XT_GT(XT_CAST(f32, v), XT_LOAD(T, i));
        xt_val all = XT_SELECT(XT_ALL(mask), 1, 0);
        XT_STORE(all, Answers, 2 * i);
        XT_STORE(XT_SELECT(XT_ANY(mask), 1, 0), Answers, 2 * i + 1);
        XT_STORE(XT_CAST(f32, XT_ELEMENT(v, i & 1 ? now.rows - 1 : 0, i & 2 ? now.cols - 1 : 0)), Corners, i);
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
        if (takes(v, 2)) check_masks(v, CM_F32, 8, 32, no_map);
        if (takes(v, 3)) check_masks(v, CM_BF16, 8, 32, by_4);
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
    XT_STORE(XT_MOD(XT_LOAD(One, 0), 0.75), One, 1);
    XT_STORE(XT_MOD(-7.25, 2), One, 2); /* two C constants */
    XT_STORE(XT_CLAMP(XT_LOAD(One, 0), 0, 1), One, 3);
}

TEST(remainders_of_floats)
{
    static const int types[] = {CM_F32, CM_F16, CM_BF16, CM_F64};
    for (int k = 0; k < 4; k++) {
        const variant *v = target_has(&variants[k]) ? &variants[k] : &variants[0];
        int type = types[k], wrong = 0;
        if (!has_type(type)) continue;
        void *x = new_matrix(type, 256), *y = new_matrix(type, 256), *z = new_poison(type, 512);
        float *one = (float *)new_poison(CM_F32, 4);
        one[0] = -5.3f;
        for (size_t i = 0; i < 256; i++) put(type, x, i, get(type, x, i) * (i % 4 ? 10 : 1000));
        now.type.type = type;
        if (RUN_KERNEL(remainders, v, ONE_GROUP, ADDRESS(x), ADDRESS(y), ADDRESS(z), ZED_ARG(one))) {
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

/* A base of 2 x 3 x 2 x 2 x 3 x 2 matrices of 5 x 20: the one selected by At, or nothing. */
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
    XT_STORE(XT_ADD(XT_MUL(XT_SUBGROUP_ID(), 1000), XT_LANE_ID()), C, XT_GLOBAL_ID(0));
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
    now.map = by_4, now.type.type = CM_F32, now.rows = 8, now.cols = 32; /* maps of 4 subgroups, asked for 2 */
    mod = XT_BUILD(whole_masks, &(xt_target){ZED_TARGET(&device)}, .subgroups = 2);
    CHECK(mod.words == NULL && mod.error && mod.error->id == XT_ERROR_MAP_SUBGROUPS);
    xt_free(&mod);
    mod = XT_BUILD(no_map_at_all, &(xt_target){ZED_TARGET(&device)}, .subgroups = 100000);
    CHECK(mod.words == NULL && mod.error && mod.error->id == XT_ERROR_GROUP_SIZE);
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
    XT_STORE(XT_RANDOM(Seed, XT_GROUP_ID(0)), C, 512);
    XT_STORE(XT_RANDOM(1, 2), C, 513);
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

/* ---- rows and columns combined with larger vectors ---- */

/* a of rows x cols, r one row, c one column: sums, comparisons, selections, fma. */
XT_KERNEL(rows_and_columns, u64(A), u64(R), u64(C), u64(Out))
{
    int m = now.rows, n = now.cols;
    xt_map of_row = now.map, of_col = now.map, all = now.map;
    xt_vec a, r, c, one;
    if (all.sg_data[0]) of_row.sg_data[0] = 1, of_col.sg_data[1] = 1;
    a = XT_LOAD_TILE(XT_INIT_TILE(A, of(now.type), m, n, .shape = XT_AT(m, n), .map = all));
    r = XT_LOAD_TILE(XT_INIT_TILE(R, of(now.type), 1, n, .shape = XT_AT(1, n), .map = of_row));
    c = XT_LOAD_TILE(XT_INIT_TILE(C, of(now.type), m, 1, .shape = XT_AT(m, 1), .map = of_col));
    of_row.sg_data[1] = of_row.sg_data[0];
    one = XT_SPLAT(of(now.type), 1, 1, 3, .map = of_row);
    xt_tile out = XT_INIT_TILE(Out, of(now.type), m, n, .shape = XT_AT(6 * m, n), .map = all);
    XT_STORE_TILE(XT_ADD(a, r), out);
    XT_STORE_TILE(XT_SUB(c, a), XT_UPDATE_TILE_OFFSET(out, m, 0));
    XT_STORE_TILE(XT_SELECT(XT_LT(a, c), r, a), XT_UPDATE_TILE_OFFSET(out, 2 * m, 0));
    XT_STORE_TILE(XT_SELECT(XT_GT(r, 0), a, one), XT_UPDATE_TILE_OFFSET(out, 3 * m, 0));
    XT_STORE_TILE(XT_FMA(c, a, r), XT_UPDATE_TILE_OFFSET(out, 4 * m, 0));
    XT_STORE_TILE(XT_SELECT(XT_LT(a, 0), r, 7), XT_UPDATE_TILE_OFFSET(out, 5 * m, 0));
}

static void check_rows(const variant *v, int type, int m, int n, xt_map map)
{
    size_t count = (size_t)(m * n);
    void *a = new_matrix(type, count), *r = new_matrix(type, (size_t)n), *c = new_matrix(type, (size_t)m),
         *out = new_poison(type, 6 * count);
    int wrong = 0;
    now.type.type = type, now.rows = m, now.cols = n, now.map = map;
    if (RUN_KERNEL(rows_and_columns, v, ONE_GROUP, ADDRESS(a), ADDRESS(r), ADDRESS(c), ADDRESS(out)))
        for (size_t i = 0; i < count; i++) {
            double x = get(type, a, i), y = get(type, r, i % (size_t)n), z = get(type, c, i / (size_t)n);
            double want[6] = {x + y, z - x, x < z ? y : x, y > 0 ? x : 3, fma(z, x, y), x < 0 ? y : 7};
            for (size_t k = 0; k < 6; k++) {
                double got = get(type, out, k * count + i), room;
                put(type, &room, 0, want[k]);
                wrong += got != get(type, &room, 0);
            }
        }
    CHECK_MSG(wrong == 0, "%s %s %d x %d: %d wrong", v->name, type_name(type), m, n, wrong);
    zed_free(&device, a);
    zed_free(&device, r);
    zed_free(&device, c);
    zed_free(&device, out);
}

TEST(rows_and_columns_are_repeated)
{
    EVERY_VARIANT(v)
    {
        if (takes(v, 3)) check_rows(v, CM_F32, 8, 32, no_map);
        if (takes(v, 4)) check_rows(v, CM_F32, 8, 32, by_4);
    }
    check_rows(&variants[0], CM_F16, 5, 24, no_map);
    check_rows(&variants[1], CM_F32, 16, 8, no_map);
}

/* ---- tables, other shapes ---- */

static double constants[256];

XT_KERNEL(tables, u64(C), ptr(i32, D))
{
    static const int whole[6] = {1, -2, 3, 1 << 30, 5, -6};
    xt_vec t = XT_TABLE(of(now.type), now.rows, now.cols, constants, .map = now.map);
    XT_STORE_TILE(t, XT_INIT_TILE(C, of(now.type), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols),
                                  .map = now.map));
    XT_STORE_TILE(XT_TABLE(i32, 2, 3, whole), XT_INIT_TILE(D, i32, 2, 3, .shape = XT_AT(2, 3)));
    XT_STORE_TILE(XT_TABLE(i32, 1, 2, ((const long long[]){-7, 8})),
                  XT_INIT_TILE(D, i32, 1, 2, .offset = XT_AT(2, 0), .shape = XT_AT(3, 3)));
    XT_STORE_TILE(XT_TABLE(f32, 1, 1, ((float[]){0.5f})),
                  XT_INIT_TILE(XT_LOCAL(f32, 1), f32, 1, 1, .shape = XT_AT(1, 1)));
}

static void check_table(const variant *v, int type, int rows, int cols, xt_map map)
{
    void *c = new_poison(type, (size_t)(rows * cols));
    int32_t *d = (int32_t *)new_poison(CM_I32, 9), wrong = 0;
    now.type.type = type, now.rows = rows, now.cols = cols, now.map = map;
    for (int i = 0; i < rows * cols; i++) constants[i] = sample(type);
    if (RUN_KERNEL(tables, v, ONE_GROUP, ADDRESS(c), ZED_ARG(d))) {
        for (int i = 0; i < rows * cols; i++) {
            double room;
            put(type, &room, 0, constants[i]);
            wrong += get(type, c, (size_t)i) != get(type, &room, 0);
        }
        CHECK(d[0] == 1 && d[1] == -2 && d[2] == 3 && d[3] == 1 << 30 && d[5] == -6 && d[6] == -7 && d[7] == 8);
    }
    CHECK_MSG(wrong == 0, "%s %s %d x %d: %d wrong", v->name, type_name(type), rows, cols, wrong);
    zed_free(&device, c);
    zed_free(&device, d);
}

TEST(tables_of_constants)
{
    EVERY_VARIANT(v) check_table(v, CM_F32, 8, 32, v == variants ? by_4 : no_map);
    check_table(&variants[0], CM_BF16, 3, 5, no_map);
    check_table(&variants[0], CM_I8, 1, 40, no_map);
    check_table(&variants[1], CM_F16, 8, 32, round_robin);
}

XT_KERNEL(reshape, u64(A), u64(C))
{
    int rows = now.rows, cols = now.cols, m = now.kind, n = rows * cols / m;
    xt_map to = now.map;
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, of(now.type), rows, cols, .shape = XT_AT(rows, cols), .map = now.map));
    if (to.sg_layout[0]) to = XT_MAP(.sg_layout = {1, 4}, .sg_data = {m, n / 4});
    XT_STORE_TILE(XT_SHAPE_CAST(v, m, n, .map = to),
                  XT_INIT_TILE(C, of(now.type), m, n, .shape = XT_AT(m, n), .map = to));
}

static void check_reshape(const variant *v, int type, int rows, int cols, int m, xt_map map)
{
    void *a = new_matrix(type, (size_t)(rows * cols)), *c = new_poison(type, (size_t)(rows * cols));
    int wrong = 0;
    now.type.type = type, now.rows = rows, now.cols = cols, now.kind = m, now.map = map;
    if (RUN_KERNEL(reshape, v, ONE_GROUP, ADDRESS(a), ADDRESS(c)))
        for (int i = 0; i < rows * cols; i++) wrong += get(type, a, (size_t)i) != get(type, c, (size_t)i);
    CHECK_MSG(wrong == 0, "%s %s %d x %d to %d rows: %d wrong", v->name, type_name(type), rows, cols, m, wrong);
    zed_free(&device, a);
    zed_free(&device, c);
}

TEST(other_shapes)
{
    EVERY_VARIANT(v)
    {
        if (takes(v, 4)) check_reshape(v, CM_F32, 8, 32, 16, no_map);
        if (takes(v, 5)) check_reshape(v, CM_F16, 8, 32, 4, by_4);
    }
    check_reshape(&variants[0], CM_I32, 3, 20, 1, no_map);
    check_reshape(&variants[0], CM_BF16, 1, 30, 5, no_map);
    if (has_type(CM_F64)) check_reshape(&variants[0], CM_F64, 8, 32, 8, round_robin);
}

/* ---- scans ---- */

#define SCAN_KINDS(X) X(add) X(mul) X(minsi) X(maxsi) X(minui) X(maxui) X(and) X(or) X(xor) X(minnumf) X(maxnumf)      \
        X(minimumf) X(maximumf)

static xt_vec scan(XT_CONTEXT, int kind, xt_vec v, int dim, bool exclusive)
{
    switch (kind) {
#define CASE(name) case XT_RED_##name##_: return XT_SCAN(name, v, dim, .exclusive = exclusive);
        SCAN_KINDS(CASE)
#undef CASE
    default: return v;
    }
}

static bool scans(int kind, int type)
{
    if (kind <= XT_RED_mul_) return true;
    return (kind >= XT_RED_minnumf_) == is_float(type);
}

XT_KERNEL(scanned, u64(A), u64(C))
{
    int m = now.rows, n = now.cols;
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, of(now.type), m, n, .shape = XT_AT(m, n), .map = now.map));
    for (int kind = 0; kind < XT_RED_COUNT_; kind++)
        for (int dim = 0; dim < 2; dim++)
            if (scans(kind, now.type.type))
                XT_STORE_TILE(scan(XT_SELF, kind, v, dim, now.exclusive),
                              XT_INIT_TILE(C, of(now.type), m, n, .offset = XT_AT(kind * 2 + dim, 0, 0),
                                           .shape = XT_AT(2 * (int)XT_RED_COUNT_, m, n), .map = now.map));
}

static int64_t as_unsigned(int type, double v)
{
    return (int64_t)((uint64_t)(int64_t)v & (UINT64_MAX >> (64 - 8 * size_of(type))));
}

/* One step of a kind, exactly or in double. */
static double stepped(int kind, int type, double a, double b)
{
    int64_t i = (int64_t)a, j = (int64_t)b, u = as_unsigned(type, a), v = as_unsigned(type, b);
    switch (kind) {
    case XT_RED_add_: return a + b;
    case XT_RED_mul_: return a * b;
    case XT_RED_minui_: return u < v ? a : b;
    case XT_RED_maxui_: return u > v ? a : b;
    case XT_RED_and_: return (double)(i & j);
    case XT_RED_or_: return (double)(i | j);
    case XT_RED_xor_: return (double)(i ^ j);
    case XT_RED_minsi_:
    case XT_RED_minnumf_:
    case XT_RED_minimumf_: return fmin(a, b);
    default: return fmax(a, b);
    }
}

static double neutral(int kind, int type)
{
    switch (kind) {
    case XT_RED_mul_: return 1;
    case XT_RED_and_:
    case XT_RED_minui_: return -1;
    case XT_RED_minsi_: return ldexp(1, 8 * (int)size_of(type) - 1) - 1;
    case XT_RED_maxsi_: return -ldexp(1, 8 * (int)size_of(type) - 1);
    case XT_RED_minnumf_:
    case XT_RED_maxnumf_: return NAN;
    case XT_RED_minimumf_: return INFINITY;
    case XT_RED_maximumf_: return -INFINITY;
    default: return 0;
    }
}

/* Sums and products of floats may differ by their order: 2^-11 of what was added up, at most, in f16. */
static int check_scan_row(int kind, int type, const void *a, const void *c, size_t step, int n)
{
    double sum = neutral(kind, type), size = 0, unit = type == CM_F16 ? 0x1p-10 : 0x1p-20;
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        double v = get(type, a, (size_t)i * step), got = get(type, c, (size_t)i * step), before = sum, want;
        sum = i || kind == XT_RED_add_ ? stepped(kind, type, sum, v) : v;
        if (type == CM_I32 && kind <= XT_RED_mul_) sum = (double)(int32_t)(uint32_t)(int64_t)sum;
        size += fabs(v);
        want = now.exclusive ? before : sum;
        if (is_float(type) && kind <= XT_RED_mul_)
            wrong += !(fabs(got - want) <= unit * (kind == XT_RED_add_ ? size : fabs(want)) + 1e-7);
        else
            wrong += isnan(want) ? !isnan(got) : got != want;
    }
    return wrong;
}

static void check_scan(const variant *v, int type, int m, int n, xt_map map, bool exclusive)
{
    size_t count = (size_t)(m * n);
    void *a = new_matrix(type, count), *c = new_poison(type, 2 * (size_t)XT_RED_COUNT_ * count);
    now.type.type = type, now.rows = m, now.cols = n, now.map = map, now.exclusive = exclusive;
    if (type == CM_I32) /* products stay exact in double */
        for (size_t i = 0; i < count; i++) put(type, a, i, 1 + 2 * (double)(test_random() % 5) - 6 * (i % 7 == 0));
    if (RUN_KERNEL(scanned, v, ONE_GROUP, ADDRESS(a), ADDRESS(c)))
        for (int kind = 0; kind < XT_RED_COUNT_; kind++)
            for (int dim = 0; dim < 2 && scans(kind, type); dim++) {
                int wrong = 0, lines = dim ? m : n;
                const char *to = (const char *)c + (size_t)(kind * 2 + dim) * count * size_of(type);
                for (int i = 0; i < lines; i++) {
                    size_t first = (size_t)(dim ? i * n : i) * size_of(type);
                    wrong += check_scan_row(kind, type, (const char *)a + first, to + first, dim ? 1 : (size_t)n,
                                            dim ? n : m);
                }
                CHECK_MSG(wrong == 0, "%s %s %d x %d kind %d dim %d: %d wrong", v->name, type_name(type), m, n, kind,
                          dim, wrong);
            }
    zed_free(&device, a);
    zed_free(&device, c);
}

TEST(scans_along_both_dimensions)
{
    EVERY_VARIANT(v)
    {
        if (takes(v, 5)) check_scan(v, CM_I32, 8, 32, no_map, v == variants);
        if (takes(v, 6)) check_scan(v, CM_F16, 8, 32, by_4, v != variants);
    }
    check_scan(&variants[0], CM_F32, 3, 45, no_map, false);
    if (test_thorough()) { /* in the sample, other operations have round-robin tiles */
        check_scan(&variants[0], CM_F32, 8, 32, round_robin, true);
        check_scan(&variants[0], CM_I32, 8, 32, by_4, true);
    }
    check_scan(&variants[0], CM_F16, 5, 7, no_map, false);
}

/* ---- argmin, argmax ---- */

XT_KERNEL(extremes, u64(A), ptr(i32, At), u64(Best))
{
    int m = now.rows, n = now.cols;
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, of(now.type), m, n, .shape = XT_AT(m, n), .map = now.map)), best[4], at[4];
    at[0] = XT_ARGMAX(v, 0, .value = &best[0]);
    at[1] = XT_ARGMAX(v, 1, &best[1]);
    at[2] = XT_ARGMIN(v, 0, .value = &best[2]);
    at[3] = XT_ARGMIN(v, 1, &best[3]);
    for (int k = 0; k < 4; k++) {
        int rows = k & 1 ? m : 1, cols = k & 1 ? 1 : n;
        xt_map map = at[k].map;
        XT_STORE_TILE(at[k], XT_INIT_TILE(At, i32, rows, cols, .offset = XT_AT(k, 0, 0), .shape = XT_AT(4, rows, cols),
                                          .strides = XT_AT(64, cols, 1), .map = map));
        XT_STORE_TILE(best[k], XT_INIT_TILE(Best, of(now.type), rows, cols, .offset = XT_AT(k, 0, 0),
                                            .shape = XT_AT(4, rows, cols), .strides = XT_AT(64, cols, 1), .map = map));
    }
}

static void check_extremes(const variant *v, int type, int m, int n, xt_map map)
{
    void *a = new_matrix(type, (size_t)(m * n)), *best = new_poison(type, 256);
    int32_t *at = (int32_t *)new_poison(CM_I32, 256), wrong = 0;
    now.type.type = type, now.rows = m, now.cols = n, now.map = map;
    for (int i = 0; i < m * n; i++) {
        if (i % 3) put(type, a, (size_t)i, (double)(test_random() % 4)); /* many are equal */
        if (is_float(type) && i % 5 == 0 && i % n) put(type, a, (size_t)i, NAN);
    }
    if (RUN_KERNEL(extremes, v, ONE_GROUP, ADDRESS(a), ZED_ARG(at), ADDRESS(best)))
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < (k & 1 ? m : n); i++) {
                int found = -1, length = k & 1 ? n : m;
                double most = 0;
                for (int j = 0; j < length; j++) {
                    double x = get(type, a, (size_t)(k & 1 ? i * n + j : j * n + i));
                    if (!isnan(x) && (found < 0 || (k < 2 ? x > most : x < most))) found = j, most = x;
                }
                wrong += at[k * 64 + i] != found || get(type, best, (size_t)(k * 64 + i)) != most;
            }
    CHECK_MSG(wrong == 0, "%s %s %d x %d: %d wrong", v->name, type_name(type), m, n, wrong);
    zed_free(&device, a);
    zed_free(&device, at);
    zed_free(&device, best);
}

TEST(where_extremes_are)
{
    EVERY_VARIANT(v)
    {
        if (takes(v, 6)) check_extremes(v, CM_F32, 8, 32, no_map);
        if (takes(v, 7)) check_extremes(v, CM_BF16, 8, 32, by_4);
    }
    check_extremes(&variants[0], CM_U8, 7, 33, no_map);
    check_extremes(&variants[0], CM_I32, 8, 32, round_robin);
}

/* ---- borders, colours of pixels ---- */

static struct {
    int row, col, m, n, step;
    xt_border border;
    bool column_major;
} edge;

XT_KERNEL(borders, u64(A), u64(C), i32(M), i32(N), i32(Row), i32(Col), i32(Pitch))
{
    xt_vec v = XT_LOAD_TILE(
        XT_INIT_TILE(A, of(now.type), now.rows, now.cols, .offset = XT_AT(Row, Col), .shape = XT_AT(M, N),
                     .strides = edge.column_major ? XT_AT(edge.step, Pitch) : XT_AT(Pitch, edge.step),
                     .order = {!edge.column_major, edge.column_major}, .map = now.map),
        .border = edge.border);
    XT_STORE_TILE(v, XT_INIT_TILE(C, of(now.type), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols),
                                  .map = now.map));
}

static int brought(int i, int n)
{
    if (edge.border == XT_BORDER_CLAMP) return i < 0 ? 0 : i < n ? i : n - 1;
    while (n > 1 && (i < 0 || i >= n)) i = i < 0 ? -i : 2 * (n - 1) - i;
    return n > 1 ? i : 0;
}

static void check_border(const variant *v, int type, xt_map map, int row, int col, int m, int n)
{
    int rows = 8, cols = 32, wrong = 0, lines = edge.column_major ? n : m, along = edge.column_major ? m : n;
    int pitch = along * edge.step + 2;
    bool soft = strcmp(device.target.name, "soft") == 0;
    size_t count = lines && along ? (size_t)((lines - 1) * pitch + (along - 1) * edge.step + 1) : 0;
    guarded g = {0};
    void *a, *c = new_poison(type, (size_t)(rows * cols));
    if (soft) g = guarded_new(count * size_of(type), row > 0);
    a = soft ? g.data : new_poison(type, count);
    for (size_t i = 0; i < count; i++) put(type, a, i, sample(type));
    now.type.type = type, now.rows = rows, now.cols = cols, now.map = map;
    if (RUN_KERNEL(borders, v, ONE_GROUP, ADDRESS(a), ADDRESS(c), ZED_ARG(m), ZED_ARG(n), ZED_ARG(row), ZED_ARG(col),
                   ZED_ARG(pitch)))
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) {
                double want = 0;
                if (m > 0 && n > 0) {
                    int p = brought(row + i, m), q = brought(col + j, n);
                    want = get(type, a, (size_t)(edge.column_major ? q * pitch + p * edge.step
                                                                   : p * pitch + q * edge.step));
                }
                wrong += get(type, c, (size_t)(i * cols + j)) != want;
            }
    CHECK_MSG(wrong == 0, "%s %s border %d step %d%s: %d x %d at (%d, %d): %d wrong", v->name, type_name(type),
              (int)edge.border, edge.step, edge.column_major ? " by columns" : "", m, n, row, col, wrong);
    if (soft)
        CHECK(guarded_free(&g));
    else
        zed_free(&device, a);
    zed_free(&device, c);
}

TEST(loads_with_borders)
{
    for (int border = 1; border < 3; border++) {
        edge.border = (xt_border)border;
        edge.column_major = false;
        edge.step = 1;
        EVERY_VARIANT(v)
        {
            if (takes(v, border)) check_border(v, CM_F32, no_map, -3, -5, 20, 40);
            if (takes(v, border + 1)) check_border(v, CM_BF16, by_4, 15, 21, 20, 40);
        }
        edge.step = 3;
        check_border(&variants[0], CM_U8, no_map, -2, 30, 9, 40);
        edge.column_major = true;
        check_border(&variants[0], CM_F16, by_4, 2, -40, 9, 11);
        edge.step = 1;
        check_border(&variants[1], CM_I32, round_robin, -20, 50, 3, 1); /* far away, and a matrix that is smaller */
        check_border(&variants[0], CM_F32, no_map, 0, 0, 0, 5);
    }
}

/* Colours of pixels, three bytes each: red and blue are swapped, in all work-groups; nothing else changes. */
XT_KERNEL(colours, ptr(u8, A), i32(M), i32(N), u64(Blue), u64(From))
{
    xt_val i = XT_MUL(XT_GROUP_ID(0), 8), width = XT_MUL(N, 3);
    xt_tile red = XT_INIT_TILE(A, u8, 8, 32, .offset = XT_AT(i, XT_MUL(XT_GROUP_ID(1), 32)), .shape = XT_AT(M, N),
                               .strides = XT_AT(width, 3), .map = now.map);
    xt_tile blue = XT_INIT_TILE(Blue, u8, 8, 32, .offset = XT_AT(i, XT_MUL(XT_GROUP_ID(1), 32)), .shape = XT_AT(M, N),
                                .strides = XT_AT(width, 3), .map = now.map);
    xt_tile from = XT_INIT_TILE(From, u8, 8, 32, .offset = XT_AT(i, XT_MUL(XT_GROUP_ID(1), 32)), .shape = XT_AT(M, N),
                                .strides = XT_AT(width, 3), .map = now.map);
    xt_vec r = XT_LOAD_TILE(red), b = XT_LOAD_TILE(blue);
    XT_PREFETCH_TILE(red);
    XT_STORE_TILE(r, blue);
    XT_STORE_TILE(b, red);
    XT_ATOMIC_RMW(addi, XT_SPLAT(u8, 8, 32, 1, .map = now.map), from);
}

TEST(colours_of_pixels)
{
    enum { M = 21, N = 50 };
    EVERY_VARIANT(v)
    {
        uint8_t *a = (uint8_t *)new_matrix(CM_U8, M * N * 3), old[M * N * 3], wrong = 0;
        now.map = v == variants ? by_4 : no_map;
        memcpy(old, a, sizeof old);
        if (RUN_KERNEL(colours, v, ((zed_groups){3, 2, 1}), ZED_ARG(a), ZED_ARG(M), ZED_ARG(N), ADDRESS(a + 2),
                       ADDRESS(a + 1)))
            for (int i = 0; i < M * N; i++)
                wrong |= a[3 * i] != old[3 * i + 2] || a[3 * i + 2] != old[3 * i] ||
                         a[3 * i + 1] != (uint8_t)(old[3 * i + 1] + 1);
        CHECK_MSG(!wrong, "%s", v->name);
        zed_free(&device, a);
    }
}

/* ---- numbers for elements that are stored as bits ---- */

static chosen narrow;

XT_KERNEL(rounded_numbers, u64(C), u64(D), f32(V))
{
    xt_tile c = XT_INIT_TILE(C, of(narrow), 4, 16, .shape = XT_AT(4, 16));
    xt_tile d = XT_INIT_TILE(D, bf16, 4, 16, .shape = XT_AT(4, 16));
    XT_STORE_TILE(XT_SPLAT(of(narrow), 4, 16, XT_MUL(V, 3)), c);
    XT_STORE_TILE(XT_MUL(XT_CAST(bf16, XT_IOTA(f32, 4, 16, 1)), V), d);
}

TEST(numbers_are_rounded_to_the_elements)
{
    static const int types[] = {CM_BF16, CM_TF32, CM_E4M3, CM_E5M2, CM_F32};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        narrow.type = types[t];
        void *c = new_poison(narrow.type, 64), *d = new_poison(CM_BF16, 64);
        float v = (float)test_normal();
        int wrong = 0;
        bool ran = RUN_KERNEL(rounded_numbers, &variants[0], ONE_GROUP, ADDRESS(c), ADDRESS(d), ZED_ARG(v));
        for (int i = 0; ran && i < 64; i++) {
            double factor = round_to(CM_BF16, v);
            wrong += get(narrow.type, c, (size_t)i) != round_to(narrow.type, v * 3);
            wrong += get(CM_BF16, d, (size_t)i) != round_to(CM_BF16, (i % 16) * factor);
        }
        CHECK_MSG(!wrong, "%s: %d elements are wrong for %g", type_name(narrow.type), wrong, (double)v);
        zed_free(&device, c), zed_free(&device, d);
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
    RUN(constants_are_cast);
    RUN(masks_as_a_whole);
    RUN(remainders_of_floats);
    RUN(bases_of_many_dimensions);
    RUN(subgroups_without_maps);
    RUN(random_numbers);
    RUN(rows_and_columns_are_repeated);
    RUN(tables_of_constants);
    RUN(other_shapes);
    RUN(scans_along_both_dimensions);
    RUN(where_extremes_are);
    RUN(loads_with_borders);
    RUN(colours_of_pixels);
    RUN(numbers_are_rounded_to_the_elements);
    zed_close(&device);
    return test_report();
}
