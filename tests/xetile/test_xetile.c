/* test_xetile.c - the operations of xetile.h, run on a device (the software device if there is no GPU), every element
 * compared with a reference computed here in double or exact integers.
 *
 * A kernel's body runs on the host, so one body serves many cases: it reads its types, sizes and maps from `now`. */
#include "addresses.h"
#include "test.h"
#include "xetile.h"
#include "ze_dispatch.h"

static zed_device device;

/* An element type chosen at run time: XT_INIT_TILE(.., of(now.a), ..). */
typedef struct {
    cm_type type;
} chosen;

static struct {
    chosen a, b, c;
    int rows, cols, depth; /* of tiles; depth: k of a product */
    int row, col;          /* offsets */
    int op;
    double padding;
    bool column_major, with_c;
    xt_map map_a, map_b, map_c;
} now;

/* Build options: each case runs with several of these. */
typedef struct {
    const char *name;
    int subgroup_size;
    cm_lowering lowering;
    xt_pitch pitch;
} variant;

static const variant variants[] = {
    {"default", 0, CM_AUTO, XT_PITCH_AUTO},     {"plain", 16, CM_PLAIN, XT_PITCH_AUTO},
    {"any_pitch", 16, CM_AUTO, XT_PITCH_ANY},   {"subgroup8", 8, CM_AUTO, XT_PITCH_AUTO},
    {"subgroup32", 32, CM_AUTO, XT_PITCH_AUTO},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* ---- elements ------------------------------------------------------------------------------------------------------
 */

static size_t size_of(cm_type type) { return (size_t)cm_type_info(type)->bytes; }

#define TYPED(T, ctype, at)                                                                                            \
    case CM_##T: return (double)((const ctype *)base)[at];
static double get(cm_type type, const void *base, size_t at)
{
    switch (type) {
        TYPED(F64, double, at)
        TYPED(F32, float, at) TYPED(TF32, float, at) TYPED(I64, int64_t, at) TYPED(I32, int32_t, at)
            TYPED(I16, int16_t, at) TYPED(I8, int8_t, at) TYPED(U64, uint64_t, at) TYPED(U32, uint32_t, at)
                TYPED(U16, uint16_t, at) TYPED(U8, uint8_t, at) case CM_F16
            : return spe_f16_bits_to_f32(((const uint16_t *)base)[at]);
    case CM_BF16: return spe_bf16_bits_to_f32(((const uint16_t *)base)[at]);
    default: return 0;
    }
}

#define PUT(T, ctype)                                                                                                  \
    case CM_##T: ((ctype *)base)[at] = (ctype)v; break;
static void put(cm_type type, void *base, size_t at, double v)
{
    switch (type) {
        PUT(F64, double)
        PUT(F32, float) PUT(I64, int64_t) PUT(I32, int32_t) PUT(I16, int16_t) PUT(I8, int8_t) PUT(U64, uint64_t)
            PUT(U32, uint32_t) PUT(U16, uint16_t) PUT(U8, uint8_t) case CM_TF32 : ((float *)base)[at] =
                                                                                      spe_f32_to_tf32((float)v);
        break;
    case CM_F16: ((uint16_t *)base)[at] = spe_f32_to_f16_bits((float)v); break;
    case CM_BF16: ((uint16_t *)base)[at] = spe_f32_to_bf16_bits((float)v); break;
    default: break;
    }
}

static bool is_float(cm_type type) { return cm_type_info(type)->kind == CM_KIND_FLOAT; }

/* Normally distributed; integers use most of eight bits. */
static double sample(cm_type type)
{
    double v = test_normal();
    if (is_float(type)) return v;
    v = floor(v * 40);
    if (!cm_type_info(type)->is_signed) v = fabs(v);
    return v > 127 ? 127 : v < -128 ? -128 : v;
}

static void *new_matrix(cm_type type, size_t count)
{
    void *p = zed_alloc(&device, ZED_SHARED, (count ? count : 1) * size_of(type), 0);
    for (size_t i = 0; p && i < count; i++) put(type, p, i, sample(type));
    return p;
}

static void *new_poison(cm_type type, size_t count)
{
    void *p = zed_alloc(&device, ZED_SHARED, (count ? count : 1) * size_of(type), 0);
    if (p) memset(p, 0xdb, (count ? count : 1) * size_of(type));
    return p;
}

static bool poisoned(cm_type type, const void *base, size_t at)
{
    unsigned char want[8];
    memset(want, 0xdb, sizeof want);
    return memcmp((const char *)base + at * size_of(type), want, size_of(type)) == 0;
}

/* ---- running -------------------------------------------------------------------------------------------------------
 */

/* A variant's subgroup size or, if the device lacks it, the least that it has. */
static int size_of_variant(const variant *v)
{
    const uint32_t sizes = device.target.subgroup_sizes & (8 | 16 | 32);
    return sizes & (uint32_t)v->subgroup_size || !v->subgroup_size ? v->subgroup_size : (int)(sizes & (0 - sizes));
}

/* Not for a variant that is about a size which the device lacks. */
static bool target_has(const variant *v)
{
    return size_of_variant(v) == v->subgroup_size || v->lowering != CM_AUTO || v->pitch != XT_PITCH_AUTO;
}

/* Laptops' GPUs have no doubles. */
static bool has_type(cm_type type) { return type != CM_F64 || device.target.fp64; }

static const cm_type_row *row_of(chosen c) { return cm_type_info(c.type); }

/* Builds for the device, loads, launches; the module is saved for spirv-val. */
static bool run(const xt_kernel *kernel, const variant *v, zed_groups groups, const zed_arg *args, uint32_t count)
{
    static int saved;
    char name[128];
    zed_kernel k;
    xt_module mod = XT_BUILD(*kernel, &(xt_target){ZED_TARGET(&device)}, .subgroup_size = size_of_variant(v),
                             .lowering = v->lowering, .pitch = v->pitch);
    CHECK_MSG(mod.words != NULL, "%s %s: %s:%d: %s", kernel->name, v->name, mod.error->file ? mod.error->file : "",
              mod.error->line, mod.error->text);
    if (!mod.words) {
        xt_free(&mod);
        return false;
    }
    snprintf(name, sizeof name, "test_xetile_%s_%s_%d", kernel->name, v->name, saved++);
    test_save_spv(name, mod.words, mod.size);
    if (ZED_LOAD(&k, &device, mod)) zed_launch_n(&k, groups, args, count);
    xt_free(&mod);
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s %s: %s", kernel->name, v->name, zed_get_error(&device)->text);
    if (zed_get_error(&device)->id) {
        zed_clear_error(&device);
        return false;
    }
    return true;
}

#define RUN_KERNEL(kernel, v, groups, ...)                                                                             \
    run(&(kernel), v, groups, (const zed_arg[]){__VA_ARGS__}, sizeof((const zed_arg[]){__VA_ARGS__}) / sizeof(zed_arg))
#define ONE_GROUP ((zed_groups){1, 1, 1})

/* Tests of every variant take turns over them in the sample: one of three or, of five, two. */
static bool takes(int variant, int turn)
{
    return test_takes(variant + turn, 3) && target_has(&variants[variant]);
}

/* ---- load, padding, store, dropping --------------------------------------------------------------------------------
 */

/* A tile of A (M x N, at now.row, now.col) into all of C (rows x cols), and all of FULL into a tile of OUT. */
XT_KERNEL(copy_both, u64(A), u64(C), u64(OUT), u64(FULL), i32(M), i32(N))
{
    const xt_val bases[] = {A, OUT}, wholes[] = {C, FULL};
    xt_tile part[2], all[2];
    for (int i = 0; i < 2; i++) {
        part[i] = XT_INIT_TILE(bases[i], of(now.a), now.rows, now.cols, .offset = XT_AT(now.row, now.col),
                               .shape = XT_AT(M, N), .order = {!now.column_major, now.column_major}, .map = now.map_a);
        all[i] = XT_INIT_TILE(wholes[i], of(now.a), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols),
                              .map = now.map_a);
    }
    XT_STORE_TILE(XT_LOAD_TILE(part[0], .padding = now.padding), all[0]);
    XT_STORE_TILE(XT_LOAD_TILE(all[1]), part[1]);
}

static void check_copies(const variant *v, int m, int n)
{
    size_t all = (size_t)m * (size_t)n, tile = (size_t)now.rows * (size_t)now.cols;
    cm_type t = now.a.type;
    void *a = new_matrix(t, all), *c = new_poison(t, tile), *full = new_matrix(t, tile), *out = new_poison(t, all);
    int wrong = 0;
    bool ran = a && c && full && out &&
               RUN_KERNEL(copy_both, v, ONE_GROUP, ADDRESS(a), ADDRESS(c), ADDRESS(out), ADDRESS(full), ZED_ARG(m),
                          ZED_ARG(n));
    for (int i = 0; ran && i < now.rows; i++)
        for (int j = 0; j < now.cols; j++) {
            int r = now.row + i, s = now.col + j;
            bool inside = r >= 0 && r < m && s >= 0 && s < n;
            size_t at = now.column_major ? (size_t)s * (size_t)m + (size_t)r : (size_t)r * (size_t)n + (size_t)s;
            wrong += get(t, c, (size_t)(i * now.cols + j)) != (inside ? get(t, a, at) : now.padding);
        }
    for (int r = 0; ran && r < m; r++)
        for (int s = 0; s < n; s++) {
            int i = r - now.row, j = s - now.col;
            size_t at = now.column_major ? (size_t)s * (size_t)m + (size_t)r : (size_t)r * (size_t)n + (size_t)s;
            bool inside = i >= 0 && i < now.rows && j >= 0 && j < now.cols;
            wrong += inside ? get(t, out, at) != get(t, full, (size_t)(i * now.cols + j)) : !poisoned(t, out, at);
        }
    CHECK_MSG(wrong == 0, "%s %s %d x %d at %d %d of %d x %d%s: %d wrong", v->name, row_of(now.a)->name, now.rows,
              now.cols, now.row, now.col, m, n, now.column_major ? " column-major" : "", wrong);
    zed_free(&device, a);
    zed_free(&device, c);
    zed_free(&device, full);
    zed_free(&device, out);
}

TEST(tiles_inside_and_across_the_edges)
{
    static const struct {
        cm_type type;
        int rows, cols, row, col, m, n;
        double padding;
        bool column_major;
        int variant;
    } cases[] = {
        {CM_F32, 8, 16, 0, 0, 8, 16, 0, false, 0},        {CM_F32, 13, 37, 5, 7, 15, 40, -2.5, false, 0},
        {CM_F16, 37, 48, -3, -5, 30, 41, 0.5, false, 1},  {CM_BF16, 5, 3, 1, 1, 5, 100, 0, false, 3},
        {CM_F64, 9, 20, -2, 10, 6, 25, 1e300, false, 0},  {CM_I8, 20, 33, 3, 2, 21, 36, -7, false, 4},
        {CM_U8, 1, 65, 0, -1, 1, 64, 255, false, 0},      {CM_I16, 65, 1, -1, 0, 64, 1, -300, false, 0},
        {CM_I32, 1, 1, 0, 0, 1, 1, 0, false, 3},          {CM_I64, 3, 5, 1, 1, 3, 5, -1, false, 4},
        {CM_U32, 12, 12, 100, 100, 20, 20, 77, false, 0}, {CM_F32, 13, 37, 5, 7, 15, 40, -2.5, true, 0},
        {CM_F16, 32, 32, -1, 30, 40, 40, 0, true, 4},     {CM_I8, 16, 64, 4, 4, 33, 50, 0, true, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!target_has(&variants[cases[i].variant]) || !has_type(cases[i].type)) continue;
        memset(&now, 0, sizeof now);
        now.a.type = cases[i].type;
        now.rows = cases[i].rows;
        now.cols = cases[i].cols;
        now.row = cases[i].row;
        now.col = cases[i].col;
        now.padding = cases[i].padding;
        now.column_major = cases[i].column_major;
        check_copies(&variants[cases[i].variant], cases[i].m, cases[i].n);
    }
}

/* Round-robin and wrap-around in both dimensions, larger pieces than a matrix, a whole work-group. */
TEST(tiles_of_a_work_group)
{
    static const struct {
        int rows, cols;
        xt_map map;
    } cases[] = {
        {32, 64, {{2, 2}, {8, 16}}},  {32, 32, {{4, 4}, {16, 8}}},  {24, 40, {{3, 1}, {4, 20}}},
        {16, 96, {{1, 8}, {16, 12}}}, {64, 32, {{8, 1}, {64, 32}}}, {6, 30, {{2, 3}, {3, 5}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(&now, 0, sizeof now);
        now.a.type = i & 1 ? CM_F16 : CM_F32;
        now.rows = cases[i].rows;
        now.cols = cases[i].cols;
        now.row = 3;
        now.col = -2;
        now.map_a = cases[i].map;
        check_copies(&variants[i == 2 && target_has(&variants[3]) ? 3 : 0], now.rows + 1, now.cols + 3);
    }
}

/* Every subgroup writes its id to the elements it owns; each element's result must be an owner. */
XT_KERNEL(own, ptr(i32, C))
{
    xt_tile c = XT_INIT_TILE(C, i32, now.rows, now.cols, .shape = XT_AT(now.rows, now.cols), .map = now.map_a);
    XT_STORE_TILE(XT_SPLAT(i32, now.rows, now.cols, XT_SUBGROUP_ID(), .map = now.map_a), c);
}

TEST(the_kernel_distributes_as_the_host_says)
{
    static const struct {
        int rows, cols;
        xt_map map;
    } cases[] = {
        {32, 32, {{2, 4}, {8, 8}}},      {16, 16, {{4, 2}, {8, 8}}}, {12, 30, {{2, 3}, {2, 10}}},
        {8, 64, {{8, 2}, {4, 8}}},       {20, 7, {{5, 1}, {4, 7}}},  {8, 48, {{1, 6}, {8, 8}}},
        {128, 128, {{2, 2}, {32, 128}}},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        int32_t *c;
        xt_dist d;
        int wrong = 0, seen[64] = {0};
        memset(&now, 0, sizeof now);
        now.rows = cases[n].rows;
        now.cols = cases[n].cols;
        now.map_a = cases[n].map;
        CHECK_INT(xt_dist_init(&d, now.rows, now.cols, &now.map_a), 0);
        c = (int32_t *)new_poison(CM_I32, (size_t)now.rows * (size_t)now.cols);
        if (!c || !RUN_KERNEL(own, &variants[0], ONE_GROUP, ZED_ARG(c))) continue;
        for (int i = 0; i < now.rows; i++)
            for (int j = 0; j < now.cols; j++) {
                int s = c[i * now.cols + j];
                bool good = s >= 0 && s < d.subgroups && xt_dist_owns(&d, s, i, j);
                if (good) seen[s]++;
                wrong += !good;
            }
        CHECK_MSG(wrong == 0, "case %d: %d wrong", (int)n, wrong);
        for (int s = 0; d.layout[0] <= d.count[0] && d.layout[1] <= d.count[1] && s < d.subgroups; s++)
            CHECK_INT(seen[s], now.rows * now.cols / d.subgroups); /* no sharing: each wrote all its elements */
        zed_free(&device, c);
    }
}

/* ---- tile_mma ------------------------------------------------------------------------------------------------------
 */

XT_KERNEL(product, u64(A), u64(B), u64(C), u64(D))
{
    int m = now.rows, n = now.cols, k = now.depth;
    xt_tile a = XT_INIT_TILE(A, of(now.a), m, k, .shape = XT_AT(m, k), .map = now.map_a);
    xt_tile b = XT_INIT_TILE(B, of(now.b), k, n, .shape = XT_AT(k, n), .map = now.map_b);
    xt_tile c = XT_INIT_TILE(C, of(now.c), m, n, .shape = XT_AT(m, n), .map = now.map_c);
    xt_tile d = XT_INIT_TILE(D, of(now.c), m, n, .shape = XT_AT(m, n), .map = now.map_c);
    xt_vec va = XT_LOAD_TILE(a), vb = XT_LOAD_TILE(b);
    xt_vec r = now.with_c ? XT_TILE_MMA(va, vb, XT_LOAD_TILE(c)) : XT_TILE_MMA(va, vb, .type = 1 + (int)now.c.type);
    XT_STORE_TILE(r, d);
}

/* The bound of an inner product summed in any order with unit roundoff u: (k + 1) u sum |a b|, and the result's
 * rounding. */
static double bound(cm_type result, int k, double magnitude, double value)
{
    double u = result == CM_F64 ? 0x1p-52 : 0x1p-23;
    if (!is_float(result)) return 0;
    return (k + 2) * u * magnitude +
           (result == CM_F16    ? 0x1p-11
            : result == CM_BF16 ? 0x1p-8
                                : 0) *
               (fabs(value) + 0x1p-10) +
           (result == CM_F16 || result == CM_BF16 ? k * 0x1p-11 * magnitude * (result == CM_BF16 ? 8 : 1) : 0);
}

static void check_product(const variant *v)
{
    int m = now.rows, n = now.cols, k = now.depth, wrong = 0;
    void *a = new_matrix(now.a.type, (size_t)(m * k)), *b = new_matrix(now.b.type, (size_t)(k * n));
    void *c = new_matrix(now.c.type, (size_t)(m * n)), *d = new_poison(now.c.type, (size_t)(m * n));
    bool ran = a && b && c && d &&
               RUN_KERNEL(product, v, ONE_GROUP, ADDRESS(a), ADDRESS(b), ADDRESS(c), ADDRESS(d));
    for (int i = 0; ran && i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = now.with_c ? get(now.c.type, c, (size_t)(i * n + j)) : 0, magnitude = fabs(sum);
            for (int p = 0; p < k; p++) {
                double term = get(now.a.type, a, (size_t)(i * k + p)) * get(now.b.type, b, (size_t)(p * n + j));
                sum += term;
                magnitude += fabs(term);
            }
            wrong += !(fabs(get(now.c.type, d, (size_t)(i * n + j)) - sum) <= bound(now.c.type, k, magnitude, sum));
        }
    CHECK_MSG(wrong == 0, "%s %s x %s -> %s, %d x %d x %d: %d wrong", v->name, row_of(now.a)->name, row_of(now.b)->name,
              row_of(now.c)->name, m, n, k, wrong);
    zed_free(&device, a);
    zed_free(&device, b);
    zed_free(&device, c);
    zed_free(&device, d);
}

static void set_product(cm_type a, cm_type b, cm_type c, int m, int n, int k)
{
    memset(&now, 0, sizeof now);
    now.a.type = a;
    now.b.type = b;
    now.c.type = c;
    now.rows = m;
    now.cols = n;
    now.depth = k;
    now.with_c = (m + n + k) % 2 == 0;
}

typedef struct {
    cm_type a, b, c;
    int m, n, k;
} product_case;

static void check_products(const product_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!has_type(cases[i].a)) continue;
        set_product(cases[i].a, cases[i].b, cases[i].c, cases[i].m, cases[i].n, cases[i].k);
        check_product(&variants[2]);
    }
}

TEST(products_of_every_type)
{
    static const product_case cases[] = {
        {CM_F16, CM_F16, CM_F32, 8, 16, 16},    {CM_F16, CM_F16, CM_F32, 16, 32, 32},
        {CM_BF16, CM_BF16, CM_F32, 24, 16, 48}, {CM_F16, CM_F16, CM_F16, 8, 32, 16},
        {CM_BF16, CM_BF16, CM_BF16, 8, 16, 32}, {CM_I8, CM_I8, CM_I32, 8, 32, 64},
        {CM_I8, CM_U8, CM_I32, 8, 16, 33},      {CM_U8, CM_I8, CM_I32, 9, 16, 32},
        {CM_U8, CM_U8, CM_I32, 7, 16, 32},      {CM_TF32, CM_TF32, CM_F32, 8, 16, 8},
    };
    check_products(cases, sizeof cases / sizeof cases[0]);
}

/* Of types that the matrix instruction lacks. */
TEST(products_without_the_hardware)
{
    static const product_case cases[] = {{CM_F32, CM_F32, CM_F32, 5, 16, 8}, {CM_F64, CM_F64, CM_F64, 4, 8, 5}};
    check_products(cases, sizeof cases / sizeof cases[0]);
}

TEST(products_in_every_variant)
{
    for (int i = 0; i < VARIANTS; i++) {
        set_product(CM_F16, CM_F16, CM_F32, 3, 17, 6);
        if (takes(i, 0)) check_product(&variants[i]);
        set_product(CM_I8, CM_I8, CM_I32, 4, 16, 32);
        if (takes(i, 2)) check_product(&variants[i]);
    }
}

TEST(products_of_odd_shapes)
{
    static const int shapes[][3] = {{1, 1, 1}, {8, 3, 7}, {3, 16, 24}, {17, 18, 16}, {2, 80, 33}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        set_product(CM_F16, CM_F16, CM_F32, shapes[i][0], shapes[i][1], shapes[i][2]);
        check_product(&variants[2]);
    }
}

/* Round-robin in m and in n: each subgroup has several pieces of the result. */
TEST(products_of_a_work_group)
{
    set_product(CM_F16, CM_F16, CM_F32, 64, 64, 32);
    now.map_c = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 16});
    now.map_a = xt_map_mma_a(&now.map_c, 32);
    now.map_b = xt_map_mma_b(&now.map_c, 32);
    now.with_c = true;
    check_product(&variants[0]);
    set_product(CM_I8, CM_I8, CM_I32, 32, 64, 64);
    now.map_c = XT_MAP(.sg_layout = {4, 2}, .sg_data = {8, 32});
    now.map_a = xt_map_mma_a(&now.map_c, 64);
    now.map_b = xt_map_mma_b(&now.map_c, 64);
    check_product(&variants[0]);
}

/* ---- the program of DESIGN: a GEMM of any size ----------------------------------------------------------------------
 */

XT_KERNEL(gemm, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const int m = now.rows, n = now.cols, k = now.depth; /* of a subgroup's piece; 2 x 2 subgroups */
    const xt_map map_c = XT_MAP(.sg_layout = {2, 2}, .sg_data = {m, n});
    const xt_map map_a = XT_MAP(.sg_layout = {2, 2}, .sg_data = {m, k});
    const xt_map map_b = XT_MAP(.sg_layout = {2, 2}, .sg_data = {k, n});
    const xt_map pre_a = XT_MAP(.sg_layout = {4, 1}, .sg_data = {m / 2, k}),
                 pre_b = XT_MAP(.sg_layout = {1, 4}, .sg_data = {k, n / 2});
    xt_val i = XT_MUL(XT_GROUP_ID(1), 2 * m), j = XT_MUL(XT_GROUP_ID(0), 2 * n);
    xt_tile a = XT_INIT_TILE(A, f16, 2 * m, k, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = map_a);
    xt_tile b = XT_INIT_TILE(B, f16, k, 2 * n, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = map_b);
    xt_tile pa = XT_INIT_TILE(A, f16, 2 * m, k, .offset = XT_AT(i, 3 * k), .shape = XT_AT(M, K), .map = pre_a);
    xt_tile pb = XT_INIT_TILE(B, f16, k, 2 * n, .offset = XT_AT(3 * k, j), .shape = XT_AT(K, N), .map = pre_b);
    xt_tile c = XT_INIT_TILE(C, f32, 2 * m, 2 * n, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = map_c);
    xt_vec acc = XT_SPLAT(f32, 2 * m, 2 * n, 0.0, .map = map_c);

    XT_FOR(step, 0, K, k, &a, &b, &pa, &pb, &acc)
    {
        xt_vec va = XT_LOAD_TILE(a), vb = XT_LOAD_TILE(b);
        XT_PREFETCH_TILE(pa);
        XT_PREFETCH_TILE(pb, .locality = 2);
        acc = XT_TILE_MMA(va, vb, acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, k);
        b = XT_UPDATE_TILE_OFFSET(b, k, 0);
        pa = XT_UPDATE_TILE_OFFSET(pa, 0, k);
        pb = XT_UPDATE_TILE_OFFSET(pb, k, 0);
    }
    XT_STORE_TILE(acc, c);
}

static void set_gemm(int m, int n, int k)
{
    memset(&now, 0, sizeof now);
    now.rows = m;
    now.cols = n;
    now.depth = k;
}

/* `shift` elements precede A and B, which rules out 2D block messages even if the pitch permits them. */
static void check_gemm(const variant *v, int m, int n, int k, size_t shift)
{
    uint16_t *a = (uint16_t *)new_matrix(CM_F16, (size_t)(m * k) + shift);
    uint16_t *b = (uint16_t *)new_matrix(CM_F16, (size_t)(k * n) + shift);
    float *c = (float *)new_poison(CM_F32, (size_t)(m * n));
    int wrong = 0;
    bool ran =
        a && b && c &&
        RUN_KERNEL(gemm, v, ((zed_groups){(uint32_t)(n / (2 * now.cols) + 1), (uint32_t)(m / (2 * now.rows) + 1), 1}),
                   ZED_ARG(a + shift), ZED_ARG(b + shift), ZED_ARG(c), ZED_ARG(m), ZED_ARG(n), ZED_ARG(k));
    for (int i = 0; ran && i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0, magnitude = 0;
            for (int p = 0; p < k; p++) {
                double term = get(CM_F16, a + shift, (size_t)(i * k + p)) * get(CM_F16, b + shift, (size_t)(p * n + j));
                sum += term;
                magnitude += fabs(term);
            }
            wrong += !(fabs(c[i * n + j] - sum) <= bound(CM_F32, k, magnitude, sum));
        }
    CHECK_MSG(wrong == 0, "%s %d x %d x %d shift %d: %d wrong", v->name, m, n, k, (int)shift, wrong);
    zed_free(&device, a);
    zed_free(&device, b);
    zed_free(&device, c);
}

TEST(gemm_of_any_size)
{
    set_gemm(32, 32, 32);
    check_gemm(&variants[0], 128, 128, 96, 0); /* 2D block messages if available */
    check_gemm(&variants[0], 100, 72, 40, 0);  /* the same, tiles cut off */
    check_gemm(&variants[0], 100, 77, 55, 0);  /* odd pitches */
    check_gemm(&variants[0], 128, 128, 64, 1); /* a base that is not aligned */
    check_gemm(&variants[0], 1, 1, 1, 0);
    check_gemm(&variants[0], 65, 64, 31, 0);
}

TEST(gemm_in_every_variant)
{
    set_gemm(4, 16, 16);
    for (int i = 1; i < VARIANTS; i++)
        if (target_has(&variants[i])) check_gemm(&variants[i], 19, 70, 37, 0);
}

/* ---- operations on vectors ------------------------------------------------------------------------------------------
 */

static xt_vec apply(XT_CONTEXT, int op, xt_vec a, xt_vec b)
{
    switch (op) {
    case 0: return XT_ADD(a, b);
    case 1: return XT_SUB(a, b);
    case 2: return XT_MUL(a, b);
    case 3: return XT_DIV(a, b);
    case 4: return XT_MIN(a, b);
    case 5: return XT_VMAX(a, b);
    case 6: return XT_ADD(a, 3);
    case 7: return XT_SUB(3, a);
    default: return XT_MUL(XT_PARAM("S"), a);
    }
}

static double applied(int op, double a, double b, double s)
{
    switch (op) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: return a < b ? a : b;
    case 5: return a > b ? a : b;
    case 6: return a + 3;
    case 7: return 3 - a;
    default: return s * a;
    }
}

static void each_op(XT_CONTEXT, xt_val A, xt_val B, xt_val C)
{
    xt_tile a = XT_INIT_TILE(A, of(now.a), 5, 20, .shape = XT_AT(5, 20));
    xt_tile b = XT_INIT_TILE(B, of(now.a), 5, 20, .shape = XT_AT(5, 20));
    xt_vec va = XT_LOAD_TILE(a), vb = XT_LOAD_TILE(b);
    for (int op = 0; op < 9; op++) {
        xt_tile c = XT_INIT_TILE(C, of(now.a), 5, 20, .offset = XT_AT(5 * op, 0), .shape = XT_AT(9 * 5, 20));
        if (op < 8 || is_float(now.a.type) || now.a.type == CM_I32) XT_STORE_TILE(apply(XT_SELF, op, va, vb), c);
    }
}

XT_KERNEL(each_float, u64(A), u64(B), u64(C), f32(S)) { (void)S, each_op(XT_SELF, A, B, C); }
XT_KERNEL(each_half, u64(A), u64(B), u64(C), f16(S)) { (void)S, each_op(XT_SELF, A, B, C); }
XT_KERNEL(each_brain, u64(A), u64(B), u64(C), bf16(S)) { (void)S, each_op(XT_SELF, A, B, C); }
XT_KERNEL(each_double, u64(A), u64(B), u64(C), f64(S)) { (void)S, each_op(XT_SELF, A, B, C); }
XT_KERNEL(each_int, u64(A), u64(B), u64(C), i32(S)) { (void)S, each_op(XT_SELF, A, B, C); }

static void check_each(const xt_kernel *kernel, cm_type type, zed_arg s, double scale)
{
    enum { COUNT = 5 * 20 };
    void *a, *b, *c;
    memset(&now, 0, sizeof now);
    now.a.type = type;
    a = new_matrix(type, COUNT), b = new_matrix(type, COUNT), c = new_poison(type, 9 * COUNT);
    for (int i = 0; a && b && i < COUNT; i++)
        if (get(type, b, (size_t)i) == 0) put(type, b, (size_t)i, 1);
    if (a && b && c &&
        run(kernel, &variants[0], ONE_GROUP,
            (const zed_arg[]){ADDRESS(a), ADDRESS(b), ADDRESS(c), s},
            4))
        for (int op = 0; op < 9; op++) {
            int wrong = 0;
            if (op == 8 && !is_float(type) && type != CM_I32) continue;
            for (int i = 0; i < COUNT; i++) {
                double want = applied(op, get(type, a, (size_t)i), get(type, b, (size_t)i), scale);
                double got = get(type, c, (size_t)(op * COUNT + i)), u;
                u = type == CM_F64 ? 0x1p-51 : type == CM_F32 ? 0x1p-22 : type == CM_F16 ? 0x1p-10 : 0x1p-7;
                if (!is_float(type)) { /* integers wrap and truncate */
                    unsigned char slot[8] = {0};
                    put(CM_I64, slot, 0, trunc(want));
                    wrong += got != get(type, slot, 0);
                } else {
                    wrong += !(fabs(got - want) <= u * fabs(want) + 0x1p-24); /* one rounding; f16 subnormals */
                }
            }
            CHECK_MSG(wrong == 0, "%s operation %d: %d wrong", cm_type_info(type)->name, op, wrong);
        }
    zed_free(&device, a);
    zed_free(&device, b);
    zed_free(&device, c);
}

TEST(elementwise)
{
    check_each(&each_float, CM_F32, ZED_ARG(1.7f), 1.7f);
    check_each(&each_half, CM_F16, ZED_ARG(1.75f), 1.75);
    check_each(&each_brain, CM_BF16, ZED_ARG(1.75f), 1.75);
    if (has_type(CM_F64)) check_each(&each_double, CM_F64, ZED_ARG(1.7), 1.7);
    check_each(&each_int, CM_I32, ZED_ARG(-3), -3);
    check_each(&each_int, CM_I8, ZED_ARG(-3), -3);
    check_each(&each_int, CM_U8, ZED_ARG(-3), -3);
}

/* Operations on operands before a product and on its result after it; a cast accumulator as the next product's
 * operand; one vector as operand and as result. */
XT_KERNEL(fused, ptr(f16, A), ptr(f16, B), ptr(f32, C), ptr(f16, H), f32(scale))
{
    xt_tile a = XT_INIT_TILE(A, f16, 8, 16, .shape = XT_AT(8, 16)),
            b = XT_INIT_TILE(B, f16, 16, 16, .shape = XT_AT(16, 16));
    xt_tile c = XT_INIT_TILE(C, f32, 8, 16, .shape = XT_AT(8, 16)),
            h = XT_INIT_TILE(H, f16, 8, 16, .shape = XT_AT(8, 16));
    xt_vec va = XT_MUL(XT_LOAD_TILE(a), 0.5), vb = XT_ADD(XT_LOAD_TILE(b), 0.25);
    xt_vec first = XT_MAX(XT_MUL(XT_TILE_MMA(va, vb), scale), 0.0), half = XT_CAST(f16, first);
    XT_STORE_TILE(half, h);
    XT_STORE_TILE(XT_TILE_MMA(half, vb, first), c);
}

TEST(operations_around_products)
{
    enum { M = 8, N = 16 };
    for (int v = 0; v < VARIANTS; v++) {
        uint16_t *a = (uint16_t *)new_matrix(CM_F16, M * N), *b = (uint16_t *)new_matrix(CM_F16, N * N);
        float *c = (float *)new_poison(CM_F32, M * N);
        uint16_t *h = (uint16_t *)new_poison(CM_F16, M * N);
        double first[M][N], pa[M][N], pb[N][N];
        int wrong = 0;
        if (!takes(v, 1)) continue;
        if (!a || !b || !c || !h ||
            !RUN_KERNEL(fused, &variants[v], ONE_GROUP, ZED_ARG(a), ZED_ARG(b), ZED_ARG(c), ZED_ARG(h), ZED_ARG(0.75f)))
            continue;
        for (int i = 0; i < M * N; i++) pa[i / N][i % N] = get(CM_F16, a, (size_t)i) * 0.5;
        for (int i = 0; i < N * N; i++) /* rounded to f16, as the kernel does */
            pb[i / N][i % N] = spe_f16_bits_to_f32(spe_f32_to_f16_bits((float)(get(CM_F16, b, (size_t)i) + 0.25)));
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double sum = 0, magnitude = 0;
                for (int p = 0; p < N; p++) sum += pa[i][p] * pb[p][j], magnitude += fabs(pa[i][p] * pb[p][j]);
                first[i][j] = sum * 0.75 > 0 ? sum * 0.75 : 0;
                wrong += !(fabs(get(CM_F16, h, (size_t)(i * N + j)) - first[i][j]) <=
                           bound(CM_F32, N, magnitude, sum) + 0x1p-11 * first[i][j] + 0x1p-24);
            }
        CHECK_MSG(wrong == 0, "%s: %d wrong in the cast", variants[v].name, wrong);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double sum = first[i][j], magnitude = fabs(sum);
                for (int p = 0; p < N; p++) {
                    double term = get(CM_F16, h, (size_t)(i * N + p)) * pb[p][j];
                    sum += term;
                    magnitude += fabs(term);
                }
                wrong += !(fabs(c[i * N + j] - sum) <= 2 * bound(CM_F32, N, magnitude + 8, sum));
            }
        CHECK_MSG(wrong == 0, "%s: %d wrong", variants[v].name, wrong);
        zed_free(&device, a);
        zed_free(&device, b);
        zed_free(&device, c);
        zed_free(&device, h);
    }
}

/* Steps behind a product that several stores share: what is made strip by strip where it is stored is wanted before, by
 * a reduction, and behind, in a branch and by a second store. 24 x 40 of 24 x 64. */
XT_KERNEL(epilogues, ptr(f16, A), ptr(f32, C), ptr(f32, G), ptr(f16, H), ptr(f32, S), ptr(f32, R), i32(twice))
{
    xt_tile a = XT_INIT_TILE(A, f16, 24, 32, .shape = XT_AT(24, 32)),
            b = XT_INIT_TILE(A, f16, 32, 40, .offset = XT_AT(24, 0), .shape = XT_AT(56, 64), .strides = XT_AT(64, 1));
    xt_vec sum = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b)), half = XT_MUL(sum, 0.5);
    xt_vec gated = XT_SELECT(XT_GT(half, 0), half, XT_MUL(half, half)), raised = XT_ADD(XT_ABS(gated), half);
    XT_STORE_TILE(XT_REDUCTION(add, half, 1), XT_INIT_TILE(R, f32, 24, 1, .shape = XT_AT(24, 1)));
    XT_STORE_TILE(gated, XT_INIT_TILE(G, f32, 24, 40, .shape = XT_AT(24, 64)));
    XT_IF (XT_GT(twice, 0)) XT_STORE_TILE(XT_CAST(f16, raised), XT_INIT_TILE(H, f16, 24, 40, .shape = XT_AT(24, 64)));
    XT_STORE_TILE(XT_SUB(raised, XT_CAST(f32, XT_CAST(f16, gated))),
                  XT_INIT_TILE(S, f32, 24, 40, .shape = XT_AT(24, 64)));
    XT_STORE_TILE(sum, XT_INIT_TILE(C, f32, 24, 40, .shape = XT_AT(24, 64)));
}

/* What is behind the product is computed from the one that was stored, with few roundings of what is added. A number in
 * the middle between two of f16 may be rounded the other way: the last store then differs by that, which low allows. */
TEST(epilogues_of_a_product)
{
    enum { M = 24, N = 40, W = 64 };
    for (int v = 0; v < VARIANTS; v++) {
        uint16_t *a = (uint16_t *)new_matrix(CM_F16, 56 * W), *h = (uint16_t *)new_poison(CM_F16, M * W);
        float *out[3], *r = (float *)new_poison(CM_F32, M);
        int wrong = 0;
        if (!takes(v, 0)) continue;
        for (int i = 0; i < 3; i++) out[i] = (float *)new_poison(CM_F32, M * W);
        if (!RUN_KERNEL(epilogues, &variants[v], ONE_GROUP, ZED_ARG(a), ZED_ARG(out[0]), ZED_ARG(out[1]), ZED_ARG(h),
                        ZED_ARG(out[2]), ZED_ARG(r), ZED_ARG(1)))
            continue;
        for (int i = 0; i < M; i++) {
            double row = 0, size = 0;
            for (int j = 0; j < N; j++) {
                size_t at = (size_t)(i * W + j);
                double sum = 0, magnitude = 0, half = out[0][at] * 0.5, gated = half > 0 ? half : half * half;
                double raised = gated + half, low = (double)spe_f16_bits_to_f32(spe_f32_to_f16_bits((float)gated));
                for (int p = 0; p < 32; p++) {
                    double term = get(CM_F16, a, (size_t)(i * 32 + p)) * get(CM_F16, a, (size_t)((24 + p) * W + j));
                    sum += term, magnitude += fabs(term);
                }
                wrong += !(fabs(out[0][at] - sum) <= bound(CM_F32, 32, magnitude, sum));
                wrong += !(fabs(out[1][at] - gated) <= 0x1p-23 * gated);
                wrong += !(fabs(get(CM_F16, h, at) - raised) <=
                           0x1.01p-11 * fabs(raised) + 0x1p-23 * (gated + fabs(half)) + 0x1p-24);
                wrong += !(fabs(out[2][at] - (raised - low)) <=
                           0x1p-22 * (gated + fabs(half) + low) + 0x1p-10 * low * (half <= 0));
                row += half, size += fabs(half);
            }
            wrong += !(fabs(r[i] - row) <= N * 0x1p-24 * size);
        }
        CHECK_MSG(wrong == 0, "%s: %d wrong", variants[v].name, wrong);
        for (int i = 0; i < 3; i++) zed_free(&device, out[i]);
        zed_free(&device, a), zed_free(&device, h), zed_free(&device, r);
    }
}

/* ---- numbers --------------------------------------------------------------------------------------------------------
 */

static void keep(XT_CONTEXT, xt_val C, int at, xt_val v)
{
    xt_tile c = XT_INIT_TILE(C, i32, 1, 1, .offset = XT_AT(0, at), .shape = XT_AT(1, 64));
    XT_STORE_TILE(XT_SPLAT(i32, 1, 1, v), c);
}

XT_KERNEL(numbers, ptr(i32, C), i32(a), i32(b), u32(u), f32(f), i64(l), i8(s))
{
    int n = 0;
    xt_val yes = XT_LT(b, a), no = XT_GT(b, a);
    const xt_val results[] = {
        XT_ADD(a, b),
        XT_SUB(a, b),
        XT_MUL(a, b),
        XT_DIV(a, b),
        XT_MOD(a, b),
        XT_MIN(a, b),
        XT_MAX(a, b),
        XT_AND(a, 12),
        XT_OR(a, 1),
        XT_XOR(a, b),
        XT_SHL(a, 3),
        XT_SHR(b, 1),
        XT_SHR(u, 28),
        XT_DIV(u, 3),
        XT_MOD(u, 7),
        XT_SELECT(yes, 10, b),
        XT_SELECT(no, 10, b),
        XT_SELECT(XT_AND(yes, no), 1, 2),
        XT_SELECT(XT_OR(yes, no), 1, 2),
        XT_SELECT(XT_EQ(a, a), 1, 0),
        XT_SELECT(XT_NE(a, a), 1, 0),
        XT_SELECT(XT_LE(f, 2.5), 1, 0),
        XT_SELECT(XT_GE(f, 2.75), 1, 0),
        XT_CAST(i32, f),
        XT_CAST(i32, XT_MUL(XT_CAST(f32, a), 0.5)),
        XT_CAST(i32, XT_DIV(l, 1000000007)),
        XT_CAST(i32, XT_ADD(l, a)),
        XT_ADD(s, 1),
        XT_ADD(a, s),
        XT_CAST(i32, XT_MIN(f, 1.0)),
        XT_MUL(a, 0),
        XT_ADD(a, 0),
        XT_SUB(0, a),
        XT_ADD(2, XT_MUL(3, 4)),
        XT_CAST(i32, yes),
        XT_GROUP_COUNT(0),
    };
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        xt_val r = results[i];
        keep(XT_SELF, C, n++, r.kind == SPE_SCALAR && r.type == CM_I8 ? XT_CAST(i32, r) : r);
    }
}

TEST(arithmetic_on_numbers)
{
    const int32_t a = 29, b = -8;
    const uint32_t u = 4000000000u;
    const int64_t l = 123456789012345678;
    const int32_t want[] = {
        a + b,
        a - b,
        a * b,
        a / b,
        a % b,
        b,
        a,
        a & 12,
        a | 1,
        a ^ b,
        a << 3,
        b >> 1,
        (int32_t)(u >> 28),
        (int32_t)(u / 3),
        (int32_t)(u % 7),
        10,
        b,
        2,
        1,
        1,
        0,
        0,
        1,
        2,
        14,
        (int32_t)(l / 1000000007),
        (int32_t)(uint32_t)(uint64_t)(l + a),
        -4,
        24,
        1,
        0,
        29,
        -29,
        14,
        1,
        1,
    };
    int32_t *c = (int32_t *)new_poison(CM_I32, 64);
    if (c && RUN_KERNEL(numbers, &variants[0], ONE_GROUP, ZED_ARG(c), ZED_ARG(a), ZED_ARG(b), ZED_ARG(u),
                        ZED_ARG(2.75f), ZED_ARG(l), ZED_ARG(-5)))
        for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
            CHECK_MSG(c[i] == want[i], "number %d is %d, want %d", (int)i, c[i], want[i]);
    zed_free(&device, c);
}

/* ---- control flow ---------------------------------------------------------------------------------------------------
 */

XT_KERNEL(flow, ptr(i32, C), i32(n), i32(step))
{
    xt_val sum = spe_val_int(0), turns = spe_val_int(0), untouched = XT_ADD(n, 100), biggest = n,
           parity = spe_val_int(7);
    XT_FOR(i, 3, n, step, &sum, &turns, &untouched)
    { /* bound and step are parameters */
        sum = XT_ADD(sum, i);
        turns = XT_ADD(turns, 1);
    }
    keep(XT_SELF, C, 0, sum);
    keep(XT_SELF, C, 1, turns);
    keep(XT_SELF, C, 2, untouched);
    XT_FOR(i, 5, 5, 1, &sum) { sum = XT_ADD(sum, 1000); } /* never runs */
    keep(XT_SELF, C, 3, sum);
    sum = spe_val_int(0);
    XT_FOR(i, 0, 4, 1, &sum, &biggest)
    { /* nested, with a condition inside */
        XT_FOR(j, i, 4, 1, &sum, &biggest)
        {
            XT_IF(XT_EQ(XT_MOD(XT_ADD(i, j), 2), 0), &sum, &biggest) { sum = XT_ADD(sum, XT_MUL(i, j)); }
            XT_ELSE { biggest = XT_MAX(biggest, XT_MUL(XT_ADD(i, j), 100)); }
        }
    }
    keep(XT_SELF, C, 4, sum);
    keep(XT_SELF, C, 5, biggest);
    XT_IF(XT_GT(n, 5), &parity) { parity = XT_MOD(n, 2); }
    keep(XT_SELF, C, 6, parity);
    XT_IF(XT_GT(n, 1000), &parity) { parity = spe_val_int(-1); }
    keep(XT_SELF, C, 7, parity);
    XT_IF(XT_LT(n, 0)) { keep(XT_SELF, C, 8, spe_val_int(1)); }
    XT_ELSE { keep(XT_SELF, C, 8, spe_val_int(2)); }
    XT_IF(0) { keep(XT_SELF, C, 9, spe_val_int(1)); }
    XT_ELSE { keep(XT_SELF, C, 9, spe_val_int(2)); }
    for (int i = 0; i < 3; i++) keep(XT_SELF, C, 10 + i, XT_ADD(n, i)); /* unrolled by C */
}

TEST(loops_and_conditions)
{
    int32_t *c = (int32_t *)new_poison(CM_I32, 64);
    const int n = 20, step = 4, want[] = {3 + 7 + 11 + 15 + 19, 5, 120, 55, 0, 500, 0, 0, 2, 2, 20, 21, 22};
    int sum = 0;
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++) sum += (i + j) % 2 == 0 ? i * j : 0;
    if (c && RUN_KERNEL(flow, &variants[0], ONE_GROUP, ZED_ARG(c), ZED_ARG(n), ZED_ARG(step)))
        for (int i = 0; i < 13; i++)
            CHECK_MSG(c[i] == (i == 4 ? sum : want[i]), "number %d is %d, want %d", i, c[i], i == 4 ? sum : want[i]);
    zed_free(&device, c);
}

/* Swapped tiles, a vector carried in an operand's layout, vectors from a condition. */
XT_KERNEL(swap, ptr(f16, A), ptr(f16, B), ptr(f32, C), i32(turns))
{
    xt_tile a = XT_INIT_TILE(A, f16, 8, 16, .shape = XT_AT(64, 16)),
            b = XT_INIT_TILE(B, f16, 8, 16, .shape = XT_AT(48, 16));
    xt_tile right = XT_INIT_TILE(B, f16, 16, 16, .shape = XT_AT(48, 16)),
            c = XT_INIT_TILE(C, f32, 8, 16, .shape = XT_AT(8, 16));
    xt_vec acc = XT_SPLAT(f32, 8, 16, 0.0), next = XT_LOAD_TILE(a), vb = XT_LOAD_TILE(right);
    XT_FOR(i, 0, turns, 1, &a, &b, &acc, &next, &vb)
    {
        xt_vec va = next;
        xt_tile moved = XT_UPDATE_TILE_OFFSET(a, 8, 0);
        a = b;
        b = moved;
        next = XT_LOAD_TILE(a);
        acc = XT_TILE_MMA(va, vb, acc);
        XT_IF(XT_EQ(XT_MOD(i, 3), 2), &vb, &acc) { vb = XT_MUL(vb, 0.5); }
        XT_ELSE { acc = XT_ADD(acc, 1.0); }
    }
    XT_STORE_TILE(acc, c);
}

TEST(carried_tiles_and_vectors)
{
    enum { TURNS = 7 };
    for (int v = 0; v < VARIANTS; v++) {
        uint16_t *m[2] = {(uint16_t *)new_matrix(CM_F16, 64 * 16), (uint16_t *)new_matrix(CM_F16, 48 * 16)};
        float *c = (float *)new_poison(CM_F32, 8 * 16);
        int wrong = 0, row[2] = {0, 0}, which = 0;
        double acc[8][16] = {{0}}, scale = 1, magnitude = 10;
        if (!takes(v, 2)) continue;
        if (!m[0] || !m[1] || !c ||
            !RUN_KERNEL(swap, &variants[v], ONE_GROUP, ZED_ARG(m[0]), ZED_ARG(m[1]), ZED_ARG(c), ZED_ARG(TURNS)))
            continue;
        for (int t = 0; t < TURNS; t++) {
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 16; j++) {
                    for (int p = 0; p < 16; p++)
                        acc[i][j] += get(CM_F16, m[which], (size_t)((row[which] + i) * 16 + p)) *
                                     get(CM_F16, m[1], (size_t)(p * 16 + j)) * scale;
                    if (t % 3 != 2) acc[i][j] += 1;
                }
            if (t % 3 == 2) scale *= 0.5;
            row[which] += 8;
            which ^= 1;
        }
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 16; j++)
                wrong += !(fabs(c[i * 16 + j] - acc[i][j]) <= 0x1p-23 * 16 * TURNS * 4 * magnitude);
        CHECK_MSG(wrong == 0, "%s: %d wrong", variants[v].name, wrong);
        zed_free(&device, m[0]);
        zed_free(&device, m[1]);
        zed_free(&device, c);
    }
}

/* Static shape, a pitch wider than the row, a pointer parameter; subgroups that wait for each other. */
XT_KERNEL(strided, ptr(f32, A), ptr(f32, C))
{
    const xt_map rows = XT_MAP(.sg_layout = {4, 1}, .sg_data = {4, 24}),
                 cols = XT_MAP(.sg_layout = {1, 4}, .sg_data = {16, 6});
    xt_tile a = XT_INIT_TILE(A, f32, 16, 24, .offset = XT_AT(1, 2), .shape = XT_AT(17, 25), .strides = XT_AT(40, 1),
                             .map = rows);
    xt_tile c = XT_INIT_TILE(C, f32, 16, 24, .shape = XT_AT(16, 24), .map = rows),
            d = XT_INIT_TILE(C, f32, 16, 24, .shape = XT_AT(16, 24), .map = cols);
    XT_STORE_TILE(XT_LOAD_TILE(a), c);
    XT_BARRIER();
    xt_vec v = XT_ADD(XT_LOAD_TILE(d), 1.0);
    XT_BARRIER();
    XT_STORE_TILE(v, d);
}

TEST(strides_and_barriers)
{
    float *a = (float *)new_matrix(CM_F32, 17 * 40), *c = (float *)new_poison(CM_F32, 16 * 24);
    int wrong = 0;
    if (a && c && RUN_KERNEL(strided, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(c)))
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 24; j++) wrong += c[i * 24 + j] != (j + 2 < 25 ? a[(i + 1) * 40 + j + 2] : 0) + 1.0f;
    CHECK_INT(wrong, 0);
    zed_free(&device, a);
    zed_free(&device, c);
}

/* ---- the module itself ----------------------------------------------------------------------------------------------
 */

TEST(a_build_is_the_same_every_time)
{
    static const char *const targets[] = {"pvc", "bmg", "lnl-m", "ptl", "dg2", "soft", "generic"};
    set_gemm(32, 32, 32);
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        xt_module one = XT_BUILD(gemm, &(xt_target){.name = targets[i]}),
                  other = XT_BUILD(gemm, &(xt_target){.name = targets[i]});
        char name[64];
        CHECK_MSG(one.words && other.words, "%s: %s", targets[i], one.error->text);
        CHECK(one.words && other.words && one.size == other.size && memcmp(one.words, other.words, one.size) == 0);
        CHECK_STR(one.params, "ptr<f16> A, ptr<f16> B, ptr<f32> C, u32 M, u32 N, u32 K");
        CHECK_STR(one.kernel, "gemm");
        CHECK_INT(one.subgroups, 4);
        CHECK_INT(one.local_size[0], 4 * one.subgroup_size);
        snprintf(name, sizeof name, "test_xetile_gemm_for_%s", targets[i]);
        test_save_spv(name, one.words, one.size);
        xt_free(&one);
        xt_free(&other);
    }
}

int main(void)
{
    RUN(a_build_is_the_same_every_time);
    if (!zed_open(&device, NULL)) {
        printf("%s\n", zed_get_error(&device)->text);
        return 1;
    }
    RUN(tiles_inside_and_across_the_edges);
    RUN(tiles_of_a_work_group);
    RUN(the_kernel_distributes_as_the_host_says);
    RUN(products_of_every_type);
    RUN(products_without_the_hardware);
    RUN(products_in_every_variant);
    RUN(products_of_odd_shapes);
    RUN(products_of_a_work_group);
    RUN(gemm_of_any_size);
    RUN(gemm_in_every_variant);
    RUN(elementwise);
    RUN(operations_around_products);
    RUN(epilogues_of_a_product);
    RUN(arithmetic_on_numbers);
    RUN(loops_and_conditions);
    RUN(carried_tiles_and_vectors);
    RUN(strides_and_barriers);
    zed_close(&device);
    return test_report();
}
