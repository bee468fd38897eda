/* test_xetile_atomics.c - atomic_rmw: every kind on every supported type, with the old value; at the edges of a matrix,
 * in local memory, with maps, and from many work-groups concurrently. */
#include "xetile_case.h"

static struct {
    chosen type;
    int rows, cols, m, n, row, col;
    xt_map map;
    bool column_major, local;
} now;

static const struct {
    const char *name;
    int takes;
} kinds[] = {
#define KIND(name, takes, op, combine) {#name, XT_RMW_##takes},
    XT_RMW_KINDS_(KIND)
#undef KIND
};

static bool takes_type(int kind, int type)
{
    return (kinds[kind].takes & (is_float(type) ? XT_RMW_FLOAT_ : XT_RMW_INT_)) != 0;
}

/* The operation by number; the macro needs a name. */
static xt_vec rmw(XT_CONTEXT, int kind, xt_vec v, xt_tile t)
{
    switch (kind) {
#define CASE(name, takes, op, combine)                                                                                 \
    case XT_RMW_##name##_: return XT_ATOMIC_RMW(name, v, t);
        XT_RMW_KINDS_(CASE)
#undef CASE
    default: return v;
    }
}

/* ---- the reference, on bits ---- */

static uint64_t bits_of(int type, const void *base, size_t at)
{
    uint64_t bits = 0;
    memcpy(&bits, (const unsigned char *)base + at * size_of(type), size_of(type));
    return bits;
}

static int64_t extended(int type, uint64_t bits, bool is_signed)
{
    int unused = 64 - 8 * (int)size_of(type);
    return is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

static double extreme(double a, double b, bool larger, bool nan_wins)
{
    if (isnan(a) || isnan(b)) return (isnan(a) == nan_wins) ? a : b;
    if (a == b) return (signbit(a) != 0) == larger ? b : a;
    return (a > b) == larger ? a : b;
}

static double real_result(int kind, double a, double b)
{
    switch (kind) {
    case XT_RMW_addf_: return a + b;
    case XT_RMW_mulf_: return a * b;
    case XT_RMW_maximumf_: return extreme(a, b, true, true);
    case XT_RMW_maxnumf_: return extreme(a, b, true, false);
    case XT_RMW_minimumf_: return extreme(a, b, false, true);
    case XT_RMW_minnumf_: return extreme(a, b, false, false);
    default: return b;
    }
}

static uint64_t int_result(int kind, int type, uint64_t a, uint64_t b)
{
    int64_t p = extended(type, a, true), q = extended(type, b, true);
    switch (kind) {
    case XT_RMW_addi_: return a + b;
    case XT_RMW_muli_: return a * b;
    case XT_RMW_maxs_: return p > q ? a : b;
    case XT_RMW_mins_: return p < q ? a : b;
    case XT_RMW_maxu_: return a > b ? a : b;
    case XT_RMW_minu_: return a < b ? a : b;
    case XT_RMW_ori_: return a | b;
    case XT_RMW_andi_: return a & b;
    case XT_RMW_xori_: return a ^ b;
    default: return b;
    }
}

/* Sums and products of two numbers of 24 bits or fewer are exact in double, so they are rounded once; in
 * f64 it is the same operation. f16 and bf16 in f32 round twice, which gives the same (24 >= 2 * 11 + 2). */
static bool same_as_reference(int kind, int type, uint64_t before, uint64_t operand, uint64_t after)
{
    unsigned char want[8] = {0};
    if (!is_float(type)) return (int_result(kind, type, before, operand) ^ after) << (64 - 8 * size_of(type)) == 0;
    put(type, want, 0, real_result(kind, get(type, &before, 0), get(type, &operand, 0)));
    if (isnan(get(type, want, 0))) return isnan(get(type, &after, 0));
    return bits_of(type, want, 0) == after;
}

/* ---- every kind ---- */

/* Matrix k of A belongs to the kth kind; the tile hangs over its edges. */
XT_KERNEL(every_kind, u64(A), u64(V), u64(Old))
{
    for (int kind = 0; kind < XT_RMW_COUNT_; kind++) {
        xt_tile a, v, old;
        int full[2] = {now.rows, now.cols};
        if (!takes_type(kind, now.type.type)) continue;
        a = XT_INIT_TILE(A, of(now.type), full[0], full[1], .offset = XT_AT(kind, now.row, now.col),
                         .shape = XT_AT((int)XT_RMW_COUNT_, now.m, now.n), .map = now.map,
                         .order = {!now.column_major, now.column_major});
        v = XT_INIT_TILE(V, of(now.type), full[0], full[1], .offset = XT_AT(kind, 0, 0),
                         .shape = XT_AT((int)XT_RMW_COUNT_, full[0], full[1]), .map = now.map);
        old = XT_INIT_TILE(Old, of(now.type), full[0], full[1], .offset = XT_AT(kind, 0, 0),
                           .shape = XT_AT((int)XT_RMW_COUNT_, full[0], full[1]), .map = now.map);
        XT_STORE_TILE(rmw(XT_SELF, kind, XT_LOAD_TILE(v), a), old);
    }
}

static void put_special(int type, void *base, size_t count)
{
    static const double special[] = {NAN, -0.0, 0.0, INFINITY, -INFINITY, NAN, 0.0, -0.0};
    for (size_t i = 0; is_float(type) && i < count; i++)
        if (test_random() % 3 == 0) put(type, base, i, special[test_random() % 8]);
}

static void check_kind(int kind, const void *before, const void *after, const void *v, const void *old)
{
    int type = now.type.type, wrong = 0;
    for (int r = 0; r < now.m; r++)
        for (int s = 0; s < now.n; s++) {
            int i = r - now.row, j = s - now.col;
            size_t at = (size_t)(kind * now.m * now.n + (now.column_major ? s * now.m + r : r * now.n + s));
            size_t in_tile = (size_t)((kind * now.rows + i) * now.cols + j);
            uint64_t was = bits_of(type, before, at), is = bits_of(type, after, at);
            bool inside = i >= 0 && i < now.rows && j >= 0 && j < now.cols && takes_type(kind, type);
            if (!inside)
                wrong += was != is;
            else
                wrong += !same_as_reference(kind, type, was, bits_of(type, v, in_tile), is) ||
                         bits_of(type, old, in_tile) != was;
        }
    CHECK_MSG(wrong == 0, "%s of %s: %d wrong", kinds[kind].name, type_name(type), wrong);
}

static void check_every_kind(const variant *v)
{
    int type = now.type.type;
    size_t all = (size_t)(XT_RMW_COUNT_ * now.m * now.n), tiles = (size_t)(XT_RMW_COUNT_ * now.rows * now.cols);
    void *a = new_matrix(type, all), *before = malloc(all * size_of(type)), *operand = new_matrix(type, tiles);
    void *old = new_poison(type, tiles);
    if (a && before && operand && old) {
        put_special(type, a, all);
        put_special(type, operand, tiles);
        memcpy(before, a, all * size_of(type));
        if (RUN_KERNEL(every_kind, v, ONE_GROUP, ADDRESS(a), ADDRESS(operand), ADDRESS(old)))
            for (int kind = 0; kind < XT_RMW_COUNT_; kind++) check_kind(kind, before, a, operand, old);
        for (int k = 0; k < XT_RMW_COUNT_; k++) /* outside the old value is zero */
            if (takes_type(k, type)) CHECK(bits_of(type, old, (size_t)(k * now.rows * now.cols)) == 0);
    }
    zed_free(&device, a);
    zed_free(&device, operand);
    zed_free(&device, old);
    free(before);
}

static void set(int type, int rows, int cols)
{
    memset(&now, 0, sizeof now);
    now.type.type = type;
    now.rows = rows;
    now.cols = cols;
    now.row = now.col = -1; /* the first row and column are outside, and the last two columns */
    now.m = rows;
    now.n = cols - 3;
}

TEST(every_kind_on_every_type)
{
    static const int types[] = {CM_F32, CM_F64, CM_F16, CM_BF16, CM_I32, CM_U32, CM_I64, CM_I16, CM_I8, CM_U8};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (!has_type(types[i])) continue;
        set(types[i], i == 0 ? 3 : 2, i == 0 ? 19 : 16);
        now.column_major = i % 3 == 1;
        check_every_kind(&variants[i == 4 ? 1 : i == 5 && target_has(&variants[4]) ? 4 : 0]);
    }
}

TEST(every_kind_in_a_work_group)
{
    set(CM_I32, 4, 16);
    now.map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {1, 8}); /* two rounds of rows */
    check_every_kind(&variants[0]);
    set(CM_F16, 2, 24);
    now.map = XT_MAP(.sg_layout = {1, 3}, .sg_data = {2, 8});
    check_every_kind(&variants[target_has(&variants[3]) ? 3 : 0]);
}

/* ---- 4-D vectors: the older specification's blocks only rename the elements ---- */

static xt_map blocked_map;

XT_KERNEL(blocked_add, ptr(f32, A), ptr(f32, C), ptr(f32, Old))
{
    xt_tile a = XT_INIT_TILE(A, f32, 16, 32, .shape = XT_AT(16, 32), .map = blocked_map, .inner_blocks = {8, 16});
    xt_tile c = XT_INIT_TILE(C, f32, 16, 32, .shape = XT_AT(16, 32), .map = blocked_map, .inner_blocks = {8, 16});
    xt_vec old = XT_ATOMIC_RMW(addf, XT_LOAD_TILE(a), c); /* 2 x 2 x 8 x 16 */
    XT_STORE_TILE(XT_TILE_UNPACK(old, .inner_blocks = {8, 16}),
                  XT_INIT_TILE(Old, f32, 16, 32, .shape = XT_AT(16, 32), .map = blocked_map));
}

TEST(blocked_vectors)
{
    static const xt_map maps[] = {{{0, 0}, {0, 0}}, {{1, 2}, {8, 16}}};
    for (int n = 0; n < 2; n++) {
        float *a = (float *)new_matrix(CM_F32, 512), *c = (float *)new_matrix(CM_F32, 512);
        float *old = (float *)new_poison(CM_F32, 512), before[512];
        int wrong = 0;
        memcpy(before, c, sizeof before);
        blocked_map = maps[n];
        if (RUN_KERNEL(blocked_add, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(c), ZED_ARG(old)))
            for (int i = 0; i < 512; i++) wrong += c[i] != before[i] + a[i] || old[i] != before[i];
        CHECK_INT(wrong, 0);
        zed_free(&device, a);
        zed_free(&device, c);
        zed_free(&device, old);
    }
}

/* ---- many at once ---- */

/* Each work-group adds 1 everywhere and stores the old values; the elements of the matrix are counters. */
XT_KERNEL(count_groups, u64(A), u64(Seen), ptr(f32, F), ptr(bf16, H))
{
    xt_map map = XT_MAP(.sg_layout = {2, 1}, .sg_data = {2, 18});
    xt_tile a = XT_INIT_TILE(A, i32, 4, 18, .shape = XT_AT(4, 18), .map = map);
    xt_tile f = XT_INIT_TILE(F, f32, 4, 18, .shape = XT_AT(4, 18), .map = map);
    xt_tile h = XT_INIT_TILE(H, bf16, 4, 18, .shape = XT_AT(4, 18), .map = map);
    xt_tile seen =
        XT_INIT_TILE(Seen, i32, 4, 18, .offset = XT_AT(XT_GROUP_ID(0), 0, 0), .shape = XT_AT(24, 4, 18), .map = map);
    XT_STORE_TILE(XT_ATOMIC_RMW(addi, XT_SPLAT(i32, 4, 18, 1, .map = map), a), seen);
    XT_ATOMIC_RMW_TILE(addf, XT_SPLAT(f32, 4, 18, 0.5, .map = map), f);
    XT_ATOMIC_RMW(addf, XT_SPLAT(bf16, 4, 18, 1.0, .map = map), h);
}

TEST(many_work_groups_at_once)
{
    enum { GROUPS = 24, COUNT = 4 * 18 };
    int32_t *a = (int32_t *)new_poison(CM_I32, COUNT), *seen = (int32_t *)new_poison(CM_I32, GROUPS * COUNT);
    float *f = (float *)new_poison(CM_F32, COUNT);
    uint16_t *h = (uint16_t *)new_poison(CM_BF16, COUNT);
    int wrong = 0;
    if (a && seen && f && h) {
        memset(a, 0, COUNT * 4);
        memset(f, 0, COUNT * 4);
        memset(h, 0, COUNT * 2);
        if (RUN_KERNEL(count_groups, &variants[0], ((zed_groups){GROUPS, 1, 1}), ADDRESS(a), ADDRESS(seen), ZED_ARG(f),
                       ZED_ARG(h)))
            for (int i = 0; i < COUNT; i++) {
                uint32_t each = 0; /* a bit for each old value: all different */
                for (int g = 0; g < GROUPS; g++)
                    if (seen[g * COUNT + i] >= 0 && seen[g * COUNT + i] < GROUPS) each |= 1u << seen[g * COUNT + i];
                wrong += a[i] != GROUPS || each != (1u << GROUPS) - 1 || f[i] != GROUPS * 0.5f ||
                         spe_bf16_bits_to_f32(h[i]) != GROUPS;
            }
    }
    CHECK_INT(wrong, 0);
    zed_free(&device, a);
    zed_free(&device, seen);
    zed_free(&device, f);
    zed_free(&device, h);
}

/* In local memory all subgroups count in one row; then it is copied out. */
XT_KERNEL(count_subgroups, ptr(i32, C), ptr(f16, D))
{
    xt_map whole = XT_MAP(.sg_layout = {4, 1}, .sg_data = {1, 20}),
           rows = XT_MAP(.sg_layout = {4, 1}, .sg_data = {1, 20});
    xt_val counters = XT_LOCAL(i32, 20), halves = XT_LOCAL(f16, 20);
    xt_tile row = XT_INIT_TILE(counters, i32, 1, 20, .shape = XT_AT(1, 20), .map = whole);
    xt_tile half = XT_INIT_TILE(halves, f16, 1, 20, .shape = XT_AT(1, 20), .map = whole);
    xt_tile shared = XT_INIT_TILE(counters, i32, 4, 20, .shape = XT_AT(4, 20), .strides = XT_AT(0, 1), .map = rows);
    xt_tile shares = XT_INIT_TILE(halves, f16, 4, 20, .shape = XT_AT(4, 20), .strides = XT_AT(0, 1), .map = rows);
    XT_STORE_TILE(XT_SPLAT(i32, 1, 20, 100, .map = whole), row);
    XT_STORE_TILE(XT_SPLAT(f16, 1, 20, 0.0, .map = whole), half);
    XT_BARRIER();
    XT_ATOMIC_RMW(addi, XT_SPLAT(i32, 4, 20, 7, .map = rows), shared);
    XT_ATOMIC_RMW(addf, XT_SPLAT(f16, 4, 20, 1.5, .map = rows), shares);
    XT_BARRIER();
    XT_STORE_TILE(XT_LOAD_TILE(row), XT_INIT_TILE(C, i32, 1, 20, .shape = XT_AT(1, 20), .map = whole));
    XT_STORE_TILE(XT_LOAD_TILE(half), XT_INIT_TILE(D, f16, 1, 20, .shape = XT_AT(1, 20), .map = whole));
}

TEST(local_memory)
{
    int32_t *c = (int32_t *)new_poison(CM_I32, 20);
    uint16_t *d = (uint16_t *)new_poison(CM_F16, 20);
    int wrong = 0;
    if (c && d && RUN_KERNEL(count_subgroups, &variants[0], ONE_GROUP, ZED_ARG(c), ZED_ARG(d)))
        for (int i = 0; i < 20; i++) wrong += c[i] != 128 || spe_f16_bits_to_f32(d[i]) != 6.0f;
    CHECK_INT(wrong, 0);
    zed_free(&device, c);
    zed_free(&device, d);
}

/* An 8-bit element is exchanged with its neighbours: those outside keep their value, and no other page is touched. */
XT_KERNEL(add_bytes, u64(A), i32(N))
{
    xt_tile a = XT_INIT_TILE(A, i8, 1, 64, .offset = XT_AT(0, -3), .shape = XT_AT(1, N));
    XT_ATOMIC_RMW(addi, XT_SPLAT(i8, 1, 64, 1), a);
}

TEST(nothing_outside_is_modified)
{
    if (strcmp(device.target.name, "soft")) SKIP("only the software device takes memory of the program's own");
    for (int at_end = 0; at_end < 2; at_end++) {
        guarded g = guarded_new(37, at_end);
        bool ran = RUN_KERNEL(add_bytes, &variants[0], ONE_GROUP, ADDRESS(g.data), ZED_ARG(37));
        for (int i = 0; ran && i < 37; i++) CHECK_INT(g.data[i], 0xdc);
        CHECK(guarded_free(&g));
    }
}

int main(void)
{
    if (!zed_open(&device, NULL)) {
        printf("%s\n", zed_get_error(&device)->text);
        return 1;
    }
    RUN(every_kind_on_every_type);
    RUN(every_kind_in_a_work_group);
    RUN(blocked_vectors);
    RUN(many_work_groups_at_once);
    RUN(local_memory);
    RUN(nothing_outside_is_modified);
    zed_close(&device);
    return test_report();
}
