/* test_coopmatrix_mx.c - OCP's Microscaling Formats in coopmatrix.h, on the software device: conversions of every
 * value, products of e4m3, e5m2 and e2m1 with and without scales, by lowerings of several targets. Each work-group has
 * its own matrices of random bytes: in the first ones any, in the others no NaN and no infinity. Results are compared
 * with the definition in f64. The modules are saved for spirv-val. */
#include "coopmatrix_device.h"

#include <float.h>

enum { M = 32, N = 8, K = 64, BLOCKS = K / CM_SCALED, GROUPS = 24, RAW = 6, SLOT = M * K };

static const struct {
    const char *name;
    int S;
    cm_lowering lowering;
} targets[] = {{"cri", 16, CM_AUTO}, {"soft", 16, CM_AUTO}, {"generic", 16, CM_AUTO}, {"dg2", 8, CM_AUTO},
               {"bmg", 32, CM_PLAIN}};

typedef struct {
    cm_type a, b;
    bool scaled, with_c;
    cm_type sum; /* of C and D in memory */
} mx_case;
static const mx_case cases[] = {
    {CM_E4M3, CM_E4M3, false, true, CM_F32}, {CM_E4M3, CM_E5M2, false, false, CM_F32},
    {CM_E5M2, CM_E4M3, true, true, CM_F32},  {CM_E5M2, CM_E5M2, true, false, CM_F32},
    {CM_E4M3, CM_E4M3, true, true, CM_BF16}, {CM_E2M1, CM_E2M1, false, true, CM_F32},
    {CM_E2M1, CM_E2M1, true, true, CM_F32},  {CM_F16, CM_F16, true, true, CM_F32},
    {CM_E5M2, CM_E4M3, false, true, CM_BF16}, {CM_E2M1, CM_E2M1, true, true, CM_BF16},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* ---- kernels */

static cm_mem column_major(cm_ctx *c, spe_id base, int rows)
{
    cm_mem at;
    memset(&at, 0, sizeof at);
    at.ptr = base;
    at.stride_col = spe_i32(c->module, rows);
    return at;
}

static spe_id typed(spe_module *m, int param, cm_ctx *c, cm_type type, spe_id group, int bytes)
{
    spe_id distance = spe_imul(m, group, spe_i32(m, bytes)), p = spe_index(m, spe_param_id(m, param), distance);
    return spe_bitcast(m, spe_ptr(m, SPE_StorageClassCrossWorkgroup, cm_storage_type(c, type)), p);
}

static cm_matrix load(cm_ctx *c, int param, spe_id group, int rows, int cols, cm_type type, cm_use use)
{
    cm_mem at = column_major(c, typed(c->module, param, c, type, group, SLOT), rows);
    return cm_load(c, rows, cols, type, use, &at);
}

static int components(cm_type type) { return type == CM_E2M1 ? K / 2 : type == CM_F16 ? CM_SCALED : K; }

static void write_product(cm_ctx *c, const mx_case *t, spe_id group)
{
    const int depth = components(t->a), blocks = t->a == CM_F16 ? 1 : BLOCKS;
    cm_matrix a = load(c, 0, group, M, depth, t->a, CM_A), b = load(c, 1, group, depth, N, t->b, CM_B), d;
    cm_matrix sum = load(c, 2, group, M, N, t->sum, CM_ACC);
    if (t->scaled) {
        cm_matrix scale_a = load(c, 3, group, M, blocks, CM_E8M0, CM_ACC);
        cm_matrix scale_b = load(c, 4, group, blocks, N, CM_E8M0, CM_ACC);
        const cm_scales s = {&scale_a, &scale_b};
        d = cm_mul_add_scaled(c, t->sum, &a, &b, t->with_c ? &sum : NULL, &s);
    } else {
        d = cm_mul_add(c, t->sum, &a, &b, t->with_c ? &sum : NULL);
    }
    cm_mem to = column_major(c, typed(c->module, 5, c, t->sum, group, SLOT), M);
    cm_store(c, &d, &to);
}

static void begin(spe_module *m, const char *name, int S)
{
    spe_param params[6];
    spe_kernel k;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    for (int i = 0; i < 6; i++) params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 8));
    k.name = name;
    k.params = params;
    k.param_count = 6;
    k.subgroup_size = k.local_size[0] = (uint32_t)S;
    k.local_size[1] = k.local_size[2] = 1;
    spe_kernel_begin(m, &k);
}

static void name_of(char text[16], int i) { snprintf(text, 16, "product%d", i); }

/* Begins a module for the target, which becomes the device's through Vulkan, and so may *S and the lowering. */
static void begin_module(spe_module *m, cm_target *target, int *S, cm_lowering *lowering)
{
    *S = adopt_vulkan(target, *S, lowering);
    target->subgroup_size = *S;
    spe_begin(m, &(spe_options){.env = cm_environment(&(spe_device){.name = target->name})});
}

static bool load_module(zed_module *module, spe_module *m, const char *target)
{
    char file[64];
    spe_words w = spe_finish(m);
    if (!w.data) {
        test_fail(__FILE__, __LINE__, "%s: %s", target, spe_get_error(m)->text);
        return false;
    }
    snprintf(file, sizeof file, "%scoopmatrix_mx_%s", on_vulkan() ? "vulkan_" : "", target);
    test_save_spv(file, w.data, w.count * 4);
    if (zed_module_load(module, &device, w.data, w.count * 4, NULL)) return true;
    test_fail(__FILE__, __LINE__, "%s: %s", target, zed_get_error(&device)->text);
    zed_clear_error(&device);
    return false;
}

/* ---- the definition */

/* The value of each byte as e4m3, e5m2, e2m1 (its lower half) and e8m0. */
static double e4m3[256], e5m2[256], e2m1[256], e8m0[256];

static void make_tables(void)
{
    for (int i = 0; i < 256; i++) {
        e4m3[i] = (double)spe_e4m3_bits_to_f32((uint8_t)i);
        e5m2[i] = (double)spe_e5m2_bits_to_f32((uint8_t)i);
        e2m1[i] = (double)spe_e2m1_bits_to_f32((uint8_t)i);
        e8m0[i] = (double)spe_e8m0_bits_to_f32((uint8_t)i);
    }
}

static double value(cm_type type, const uint8_t *p, int at, int k)
{
    if (type == CM_E2M1) return e2m1[p[at] >> (k % 2 * 4)];
    if (type == CM_F16) return (double)spe_f16_bits_to_f32((uint16_t)(p[2 * at] | p[2 * at + 1] << 8));
    return type == CM_E4M3 ? e4m3[p[at]] : e5m2[p[at]];
}

static double sum_of(cm_type type, const uint8_t *p, int at)
{
    float v;
    if (type == CM_BF16) return (double)spe_bf16_bits_to_f32((uint16_t)(p[2 * at] | p[2 * at + 1] << 8));
    memcpy(&v, p + 4 * at, 4);
    return (double)v;
}

typedef struct {
    double v, size; /* the sum, and that of the absolute values of its finite terms */
} definition;

static definition define(const mx_case *t, uint8_t *const p[5], int m, int n)
{
    const int deep = components(t->a), per = t->a == CM_E2M1 ? 2 : 1;
    definition d = {0, 0};
    if (t->with_c) d.v = sum_of(t->sum, p[2], m + n * M), d.size = fabs(d.v);
    for (int k = 0; k < deep * per; k++) {
        const int at = k / per, block = k / CM_SCALED, blocks = deep * per / CM_SCALED;
        double x = value(t->a, p[0], m + at * M, k) * value(t->b, p[1], at + n * deep, k);
        if (t->scaled) x *= e8m0[p[3][m + block * M]] * e8m0[p[4][block + n * blocks]];
        d.v += x;
        if (isfinite(x)) d.size += fabs(x);
    }
    return d;
}

/* Each of at most K + BLOCKS + 1 sums rounds to f32, perhaps by truncation, and the result to the type of D, as sums of
 * bf16 do after each block where the matrix instruction has them. Below f32's normal numbers a product with a scale may
 * be flushed. */
static bool agrees(const mx_case *t, double got, definition d, int *compared)
{
    double bound = (K + BLOCKS + 1) * 0x1p-23 * d.size + (2 * BLOCKS + 1) * (double)FLT_MIN;
    if (t->sum == CM_BF16) bound += BLOCKS * 0x1p-8 * d.size;
    if (isnan(d.v)) return isnan(got);
    if (d.size > 0.99 * (double)FLT_MAX) return !isfinite(got) || fabs(got - d.v) <= bound; /* a sum may overflow */
    if (isinf(d.v)) return got == d.v;
    ++*compared;
    return fabs(got - d.v) <= bound;
}

/* ---- data */

static uint8_t finite(cm_type type, uint8_t byte)
{
    if (type == CM_E4M3) return (byte & 0x7f) == 0x7f ? byte & 0xf0 : byte;
    if (type == CM_E5M2) return (byte & 0x7f) >= 0x7c ? byte & 0xbf : byte;
    if (type == CM_F16) return byte & 0xbf;
    return byte;
}

/* Scales: of A any; of B any in odd groups, else about the inverse of A's first, so that most results are in range. */
static void fill(const mx_case *t, uint8_t *const p[5], int group)
{
    bool raw = group < RAW;
    for (int i = 0; i < SLOT; i++) {
        p[0][i] = (uint8_t)test_random();
        p[1][i] = (uint8_t)test_random();
        if (!raw) p[0][i] = finite(t->a, p[0][i]), p[1][i] = finite(t->b, p[1][i]);
        p[3][i] = (uint8_t)(test_random() % (raw ? 256 : 255));
        p[4][i] = (uint8_t)(test_random() % (raw ? 256 : 255));
    }
    if (!raw && group % 2 == 0) {
        const int middle = group * 255 / GROUPS;
        for (int i = 0; i < SLOT; i++) {
            p[3][i] = (uint8_t)fmin(fmax(middle + (int)(test_random() % 7) - 3, 0), 254);
            p[4][i] = (uint8_t)fmin(fmax(254 - middle + (int)(test_random() % 7) - 3, 0), 254);
        }
    }
    for (int i = 0; i < M * N; i++) {
        float v = (float)test_normal();
        uint16_t half = spe_f32_to_bf16_bits(v);
        if (t->sum == CM_BF16) memcpy(p[2] + 2 * i, &half, 2);
        else memcpy(p[2] + 4 * i, &v, 4);
    }
}

/* ---- runs */

static void run_case(zed_module *module, int i, const char *target, uint8_t *data)
{
    const mx_case *t = &cases[i];
    zed_kernel kernel;
    zed_arg args[6];
    char name[16];
    int wrong = 0, compared = 0;
    name_of(name, i);
    for (int n = 0; n < 6; n++) args[n] = zed_arg_ptr(data + (size_t)n * GROUPS * SLOT);
    for (int g = 0; g < GROUPS; g++) {
        uint8_t *p[5];
        for (int n = 0; n < 5; n++) p[n] = data + ((size_t)n * GROUPS + (size_t)g) * SLOT;
        fill(t, p, g);
    }
    memset(data + 5 * (size_t)GROUPS * SLOT, 0x7f, (size_t)GROUPS * SLOT);
    if (!zed_kernel_get(&kernel, module, name, "ptr<u8> A, ptr<u8> B, ptr<u8> C, ptr<u8> SA, ptr<u8> SB, ptr<u8> D") ||
        !zed_launch_n(&kernel, (zed_groups){GROUPS, 1, 1}, args, 6)) {
        test_fail(__FILE__, __LINE__, "%s %s: %s", target, name, zed_get_error(&device)->text);
        zed_clear_error(&device);
        return;
    }
    for (int at = 0; at < GROUPS * M * N; at++) {
        const int g = at / (M * N), m = at % M, n = at / M % N;
        uint8_t *p[5];
        for (int k = 0; k < 5; k++) p[k] = data + ((size_t)k * GROUPS + (size_t)g) * SLOT;
        double got = sum_of(t->sum, data + (5 * (size_t)GROUPS + (size_t)g) * SLOT, m + n * M);
        definition d = define(t, p, m, n);
        if (!agrees(t, got, d, &compared) && wrong++ < 3)
            test_fail(__FILE__, __LINE__, "%s %s x %s%s: (%d, %d) of group %d is %g, want %g (%g)", target,
                      cm_type_info(t->a)->name, cm_type_info(t->b)->name, t->scaled ? " scaled" : "", m, n, g, got, d.v,
                      d.size);
    }
    CHECK_MSG(wrong == 0, "%s %s: %d of %d are wrong", target, name, wrong, GROUPS * M * N);
    CHECK_MSG(compared > GROUPS * M * N / 3, "%s %s: only %d were compared", target, name, compared);
    zed_kernel_free(&kernel);
}

/* Machine code is that of one target, which may be in none of the rows above. */
static const char *name_of_target(size_t i)
{
    return strcmp(device.target.name, "soft") != 0 && i == 0 ? device.target.name : targets[i].name;
}

static size_t target_count(void)
{
    return strcmp(device.target.name, "soft") != 0 ? 1 : sizeof targets / sizeof targets[0];
}

/* The sample: with the matrix instruction of these types all cases, elsewhere a third of them on each target. */
static bool takes(int target, int n) { return target == 0 || test_takes(target + n, 3); }

TEST(products)
{
    uint8_t *data = (uint8_t *)zed_alloc(&device, ZED_SHARED, 6 * (size_t)GROUPS * SLOT, 64);
    for (size_t i = 0; data && i < target_count(); i++) {
        const char *target = name_of_target(i);
        cm_target row = *cm_target_row(target);
        cm_lowering lowering = targets[i].lowering;
        int S = targets[i].S;
        spe_module m;
        zed_module module;
        begin_module(&m, &row, &S, &lowering);
        for (int n = 0; n < CASES; n++) {
            if (!takes((int)i, n)) continue;
            cm_ctx c;
            char name[16];
            name_of(name, n);
            begin(&m, name, S);
            cm_begin(&c, &m, &row, lowering);
            write_product(&c, &cases[n], spe_builtin(&m, SPE_GROUP_ID, 0));
            spe_kernel_end(&m);
        }
        if (load_module(&module, &m, target)) {
            for (int n = 0; n < CASES; n++)
                if (takes((int)i, n)) run_case(&module, n, target, data);
            zed_module_free(&module);
        }
        spe_free(&m);
    }
    CHECK(data != NULL);
    zed_free(&device, data);
}

/* ---- conversions: of 16 x 16 matrices. Every pattern of 16 bits as the upper half of an f32, both neighbours of each,
 * and as an f16; every byte */

enum { PATTERNS = 3 << 16, TILE = 256 };

static void write_conversions(spe_module *m, cm_ctx *c)
{
    spe_id group = spe_builtin(m, SPE_GROUP_ID, 0);
    cm_mem from = column_major(c, typed(m, 0, c, CM_F32, group, 4 * TILE), 16);
    cm_matrix x = cm_load(c, 16, 16, CM_F32, CM_ACC, &from), scales = cm_convert(c, &x, CM_E8M0);
    cm_matrix low = cm_convert(c, &x, CM_E2M1), x16 = cm_convert(c, &x, CM_F16);
    cm_matrix high = cm_convert_upper(c, &x, CM_E2M1), half = cm_convert(c, &x16, CM_E2M1);
    cm_matrix both = cm_binary(c, CM_OR, &low, &high);
    cm_mem to = column_major(c, typed(m, 1, c, CM_E2M1, group, TILE), 16);
    cm_store(c, &both, &to);
    to.ptr = typed(m, 2, c, CM_E8M0, group, TILE);
    cm_store(c, &scales, &to);
    to.ptr = typed(m, 3, c, CM_E2M1, group, TILE);
    cm_store(c, &half, &to);
}

static void write_decodings(spe_module *m, cm_ctx *c)
{
    static const cm_type types[] = {CM_F32, CM_F16, CM_BF16};
    cm_mem from = column_major(c, spe_param_id(m, 0), 16);
    cm_matrix pairs = cm_load(c, 16, 16, CM_E2M1, CM_ACC, &from), scales = cm_load(c, 16, 16, CM_E8M0, CM_ACC, &from);
    spe_id zero = spe_i32(m, 0);
    for (int i = 0; i < 3; i++) {
        cm_matrix low = cm_convert(c, &pairs, types[i]), high = cm_convert_upper(c, &pairs, types[i]);
        low = cm_convert(c, &low, CM_F32);
        high = cm_convert(c, &high, CM_F32);
        cm_mem to = column_major(c, typed(m, 1 + i, c, CM_F32, zero, 0), 16);
        cm_store(c, &low, &to);
        to.col = spe_i32(m, 16);
        cm_store(c, &high, &to);
    }
    cm_matrix s = cm_convert(c, &scales, CM_F32);
    cm_mem to = column_major(c, typed(m, 4, c, CM_F32, zero, 0), 16);
    cm_store(c, &s, &to);
}

static void check_conversions(const float *x, const uint8_t *pairs, const uint8_t *scales, const uint8_t *half)
{
    for (int i = 0; i < PATTERNS; i++) {
        uint8_t want = spe_f32_to_e2m1_bits(x[i]), e8m0 = spe_f32_to_e8m0_bits(x[i]);
        uint8_t of_half = spe_f32_to_e2m1_bits(spe_f16_bits_to_f32(spe_f32_to_f16_bits(x[i])));
        CHECK_MSG(pairs[i] == (want | want << 4), "e2m1 of %a: 0x%x, want twice 0x%x", (double)x[i], pairs[i], want);
        CHECK_MSG(scales[i] == e8m0, "e8m0 of %a: 0x%x, want 0x%x", (double)x[i], scales[i], e8m0);
        CHECK_MSG(half[i] == of_half, "e2m1 of f16 %a: 0x%x, want 0x%x", (double)x[i], half[i], of_half);
    }
}

static void check_decodings(const float *const out[4])
{
    for (int i = 0; i < TILE; i++) {
        for (int t = 0; t < 3; t++) {
            float low = spe_e2m1_bits_to_f32((uint8_t)i), high = spe_e2m1_bits_to_f32((uint8_t)(i >> 4));
            CHECK_MSG(out[t][i] == low && out[t][TILE + i] == high && !signbit(out[t][i]) == !signbit(low) &&
                          !signbit(out[t][TILE + i]) == !signbit(high),
                      "e2m1 0x%x is %g and %g", i, (double)out[t][i], (double)out[t][TILE + i]);
        }
        float scale = spe_e8m0_bits_to_f32((uint8_t)i);
        CHECK_MSG(i == SPE_E8M0_NAN ? isnan(out[3][i]) : out[3][i] == scale, "e8m0 0x%x is %a", i, (double)out[3][i]);
    }
}

static void run_conversions(zed_module *module, uint8_t *data)
{
    static const char params[] = "ptr<u8> A, ptr<u8> B, ptr<u8> C, ptr<u8> SA, ptr<u8> SB, ptr<u8> D";
    float *x = (float *)data;
    uint8_t *bytes = data + 4 * PATTERNS;
    zed_kernel encode, decode;
    for (uint32_t i = 0; i < PATTERNS; i++) {
        uint32_t bits = ((i / 3) << 16) + i % 3 - 1;
        memcpy(&x[i], &bits, 4);
    }
    memset(bytes, 0x55, 3 * PATTERNS);
    zed_arg args[6] = {zed_arg_ptr(data), zed_arg_ptr(bytes), zed_arg_ptr(bytes + PATTERNS),
                       zed_arg_ptr(bytes + 2 * PATTERNS), zed_arg_ptr(data), zed_arg_ptr(data)};
    CHECK(zed_kernel_get(&encode, module, "encode", params) && zed_kernel_get(&decode, module, "decode", params));
    CHECK(zed_launch_n(&encode, (zed_groups){PATTERNS / TILE, 1, 1}, args, 6));
    check_conversions(x, bytes, bytes + PATTERNS, bytes + 2 * PATTERNS);
    for (int i = 0; i < TILE; i++) bytes[i] = (uint8_t)i;
    args[0] = zed_arg_ptr(bytes);
    const float *out[4];
    for (int i = 0; i < 4; i++) out[i] = x + i * 2 * TILE, args[1 + i] = zed_arg_ptr((void *)(uintptr_t)out[i]);
    CHECK(zed_launch_n(&decode, (zed_groups){1, 1, 1}, args, 6));
    check_decodings(out);
    zed_kernel_free(&encode);
    zed_kernel_free(&decode);
}

TEST(conversions)
{
    uint8_t *data = (uint8_t *)zed_alloc(&device, ZED_SHARED, 7 * PATTERNS, 64);
    cm_target row = *cm_target_row("bmg");
    cm_lowering lowering = CM_AUTO;
    cm_ctx c;
    spe_module m;
    zed_module module;
    int S = 16;
    begin_module(&m, &row, &S, &lowering);
    begin(&m, "encode", S);
    cm_begin(&c, &m, &row, lowering);
    write_conversions(&m, &c);
    spe_kernel_end(&m);
    begin(&m, "decode", S);
    cm_begin(&c, &m, &row, lowering);
    write_decodings(&m, &c);
    spe_kernel_end(&m);
    if (data && load_module(&module, &m, "conversions")) {
        run_conversions(&module, data);
        zed_module_free(&module);
    }
    CHECK(zed_get_error(&device)->id == 0);
    spe_free(&m);
    zed_free(&device, data);
}

/* ---- what is refused */

static void refuses(int which, int id, const char *part)
{
    spe_module m;
    cm_ctx c;
    spe_begin(&m, NULL);
    begin(&m, "refused", 16);
    cm_begin(&c, &m, cm_target_row("bmg"), CM_AUTO);
    cm_matrix a = cm_splat(&c, 16, 64, CM_E4M3, CM_A, 0), b = cm_splat(&c, 64, 8, CM_E4M3, CM_B, 0);
    cm_matrix pairs = cm_splat(&c, 16, 8, CM_E2M1, CM_ACC, 0), sum = cm_splat(&c, 16, 8, CM_F32, CM_ACC, 0);
    cm_matrix sa = cm_splat(&c, 16, which == 0 ? 1 : 2, which == 1 ? CM_U8 : CM_E8M0, which == 2 ? CM_A : CM_ACC, 0);
    cm_matrix sb = cm_splat(&c, 2, 8, CM_E8M0, CM_ACC, 0), odd = cm_splat(&c, 16, 16, CM_E4M3, CM_A, 0);
    const cm_scales s = {&sa, &sb};
    if (which < 3) cm_mul_add_scaled(&c, CM_F32, &a, &b, NULL, &s);
    if (which == 3) cm_mul_add_scaled(&c, CM_F16, &a, &b, NULL, &s);
    if (which == 4) b = cm_splat(&c, 16, 8, CM_E4M3, CM_B, 0), cm_mul_add_scaled(&c, CM_F32, &odd, &b, NULL, &s);
    if (which == 5) cm_binary(&c, CM_ADD, &pairs, &pairs);
    if (which == 6) cm_unary(&c, CM_NEG, &sa);
    if (which == 7) cm_reduce(&c, CM_ADD, CM_BY_ROW, &pairs);
    if (which == 8) cm_convert_upper(&c, &sum, CM_F16);
    if (which == 9) cm_submatrix(&c, &sum, 8, 0, 16, 8);
    if (which == 10) sum = cm_splat(&c, 8, 8, CM_F32, CM_ACC, 0), cm_mul_add_scaled(&c, CM_F32, &a, &b, &sum, &s);
    if (which == 11) sum = cm_splat(&c, 16, 8, CM_F16, CM_ACC, 0), cm_mul_add_scaled(&c, CM_F32, &a, &b, &sum, &s);
    CHECK_MSG(spe_get_error(&m)->id == id && strstr(spe_get_error(&m)->text, part), "%d: %d %s", which,
              spe_get_error(&m)->id, spe_get_error(&m)->text);
    spe_free(&m);
}

TEST(refused)
{
    refuses(0, CM_ERROR_SHAPE, "scales of A are 16 x 1, wanted 16 x 2");
    refuses(1, CM_ERROR_MUL_TYPES, "scales of A are of u8, not of e8m0");
    refuses(2, CM_ERROR_OPERAND_USE, "scales of A are a matrix_a");
    refuses(3, CM_ERROR_MUL_TYPES, "has the type f16");
    refuses(4, CM_ERROR_SHAPE, "scales are of 32 elements along k");
    refuses(5, CM_ERROR_EMIT_TYPE, "no operation add on e2m1");
    refuses(6, CM_ERROR_EMIT_TYPE, "no operation CM_NEG on e8m0");
    refuses(7, CM_ERROR_EMIT_TYPE, "no operation a reduction on e2m1");
    refuses(8, CM_ERROR_CONVERT, "f32 to f16; one of them is e2m1");
    refuses(9, CM_ERROR_SHAPE, "16 x 8 from (8, 0) of 16 x 8");
    refuses(10, CM_ERROR_SHAPE, "C is 8 x 8");
    refuses(11, CM_ERROR_MUL_TYPES, "plus f16");
}

int main(void)
{
    make_tables();
    RUN(refused);
    have_device = zed_open(&device, NULL);
    if (!have_device) {
        test_fail(__FILE__, __LINE__, "%s", zed_get_error(&device)->text);
        return test_report();
    }
    RUN(conversions);
    RUN(products);
    zed_close(&device);
    return test_report();
}
