/* test_xetile_plain.c - products on Intel GPUs without a matrix instruction (tgl, mtl ...), whose lines are moved by
 * block messages where tiles are inside their matrix: run on the software device, every element against f64. */
#include "test.h"
#include "xetile.h"
#include "ze_dispatch.h"

#include <math.h>

/* Work-groups of 2 x 2 subgroups. What lies outside of the matrices must not be read: their pitches are those of larger
 * ones, whose other elements are NaN, or 100. */
typedef struct {
    int rows, cols, step; /* of a subgroup's piece; along K */
    bool inside;
} plan;

static void product(XT_CONTEXT, xt_val A, xt_val B, xt_val C, xt_val M, xt_val N, xt_val K, xt_val pitch_a,
                    xt_val pitch_b)
{
    const plan *p = (const plan *)XT_USER();
    const int rows = 2 * p->rows, cols = 2 * p->cols, step = p->step;
    const xt_map of_a = XT_MAP(.sg_layout = {2, 2}, .sg_data = {p->rows, step});
    const xt_map of_b = XT_MAP(.sg_layout = {2, 2}, .sg_data = {step, p->cols});
    const xt_map of_c = XT_MAP(.sg_layout = {2, 2}, .sg_data = {p->rows, p->cols});
    xt_val i = XT_MUL(XT_GROUP_ID(1), rows), j = XT_MUL(XT_GROUP_ID(0), cols);
    xt_tile a = XT_INIT_TILE(A, of(A), rows, step, .offset = XT_AT(i, 0), .shape = XT_AT(M, K),
                             .strides = XT_AT(pitch_a, 1), .inside = p->inside, .map = of_a);
    xt_tile b = XT_INIT_TILE(B, of(B), step, cols, .offset = XT_AT(0, j), .shape = XT_AT(K, N),
                             .strides = XT_AT(pitch_b, 1), .inside = p->inside, .map = of_b);
    xt_tile c = XT_INIT_TILE(C, of(C), rows, cols, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .inside = p->inside,
                             .map = of_c);
    xt_vec sum = XT_SPLAT(of(C), rows, cols, 0, .map = of_c);
    XT_FOR (k, 0, K, step, &a, &b, &sum) {
        xt_vec left = XT_LOAD_TILE(a), right = XT_LOAD_TILE(b);
        sum = XT_TILE_MMA(left, right, sum);
        a = XT_UPDATE_TILE_OFFSET(a, 0, step);
        b = XT_UPDATE_TILE_OFFSET(b, step, 0);
    }
    XT_STORE_TILE(sum, c);
}

XT_KERNEL(of_f32, ptr(f32, A), ptr(f32, B), ptr(f32, C), u32(M), u32(N), u32(K), u32(P), u32(Q))
{
    product(XT_SELF, A, B, C, M, N, K, P, Q);
}

XT_KERNEL(of_f16, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K), u32(P), u32(Q))
{
    product(XT_SELF, A, B, C, M, N, K, P, Q);
}

XT_KERNEL(of_bf16, ptr(bf16, A), ptr(bf16, B), ptr(f32, C), u32(M), u32(N), u32(K), u32(P), u32(Q))
{
    product(XT_SELF, A, B, C, M, N, K, P, Q);
}

XT_KERNEL(of_i8, ptr(i8, A), ptr(i8, B), ptr(i32, C), u32(M), u32(N), u32(K), u32(P), u32(Q))
{
    product(XT_SELF, A, B, C, M, N, K, P, Q);
}

XT_KERNEL(of_u8, ptr(u8, A), ptr(u8, B), ptr(i32, C), u32(M), u32(N), u32(K), u32(P), u32(Q))
{
    product(XT_SELF, A, B, C, M, N, K, P, Q);
}

typedef enum { F32, F16, BF16, I8, U8, TYPES } type;
static const struct {
    const xt_kernel *kernel;
    int bytes;
} types[TYPES] = {{&of_f32, 4}, {&of_f16, 2}, {&of_bf16, 2}, {&of_i8, 1}, {&of_u8, 1}};

static zed_device device;
static uint32_t seed = 12345;

static double random_value(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (int32_t)seed / 2147483648.0;
}

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

/* Writes a random element of the type, or what must not be read; returns its value. */
static double put(type t, void *to, size_t at, bool read)
{
    double x = random_value();
    uint32_t bits;
    float f = (float)x;
    memcpy(&bits, &f, 4);
    if (t == F32) {
        ((float *)to)[at] = read ? f : NAN;
        return f;
    }
    if (t == BF16) {
        ((uint16_t *)to)[at] = read ? (uint16_t)(bits >> 16) : 0x7fc0;
        return float_of(bits & 0xffff0000u);
    }
    if (t == F16) { /* of 10 bits: exact in f16 */
        const int whole = (int)(x * 1024);
        uint32_t half = 0x7e00;
        float exact = (float)whole / 1024;
        memcpy(&bits, &exact, 4);
        if (read) half = whole ? (bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 1023) : 0;
        ((uint16_t *)to)[at] = (uint16_t)half;
        return exact;
    }
    const int byte = t == I8 ? (int)(x * 127) : (int)(x * x * 255);
    ((uint8_t *)to)[at] = (uint8_t)(read ? byte : 100);
    return byte;
}

static bool has_instruction(const xt_module *mod, uint32_t opcode)
{
    const uint32_t *words = (const uint32_t *)mod->words;
    for (size_t i = 5; i < mod->size / 4; i += words[i] >> 16)
        if ((words[i] & 0xffff) == opcode) return true;
    return false;
}

static void check(const plan *p, type t, const char *target, int S, int M, int N, int K, size_t wide)
{
    const size_t pitch_a = (size_t)K + wide, pitch_b = (size_t)N + wide, bytes = (size_t)types[t].bytes;
    const xt_target to = {.name = target};
    zed_kernel kernel;
    xt_module mod = xt_build(&(xt_build_desc){.kernel = types[t].kernel, .target = &to, .subgroup_size = S, .user = p,
                                              .pitch = wide % 16 ? XT_PITCH_AUTO : XT_PITCH_ALIGNED});
    CHECK_MSG(mod.words, "%s", mod.error ? mod.error->text : "");
    if (!mod.words) return;
    CHECK_INT(has_instruction(&mod, SPE_OpSubgroupBlockReadINTEL), p->inside && S < 32); /* refused in 32 lanes */
    CHECK_INT(has_instruction(&mod, SPE_OpSubgroupBlockWriteINTEL), p->inside && S < 32);
    uint8_t *a = zed_alloc(&device, ZED_SHARED, (size_t)M * pitch_a * bytes, 0);
    uint8_t *b = zed_alloc(&device, ZED_SHARED, (size_t)K * pitch_b * bytes, 0);
    uint32_t *c = zed_alloc(&device, ZED_SHARED, (size_t)M * (size_t)N * 4, 0);
    double *va = calloc((size_t)M * (size_t)K, sizeof *va), *vb = calloc((size_t)K * (size_t)N, sizeof *vb);
    for (int i = 0; i < M; i++)
        for (size_t k = 0; k < pitch_a; k++) {
            double x = put(t, a, (size_t)i * pitch_a + k, k < (size_t)K);
            if (k < (size_t)K) va[(size_t)(i * K) + k] = x;
        }
    for (int k = 0; k < K; k++)
        for (size_t j = 0; j < pitch_b; j++) {
            double x = put(t, b, (size_t)k * pitch_b + j, j < (size_t)N);
            if (j < (size_t)N) vb[(size_t)(k * N) + j] = x;
        }
    memset(c, 0xee, (size_t)M * (size_t)N * 4);
    ZED_LOAD(&kernel, &device, mod);
    zed_launch(&kernel, (zed_groups){(uint32_t)((N + 2 * p->cols - 1) / (2 * p->cols)),
                                     (uint32_t)((M + 2 * p->rows - 1) / (2 * p->rows)), 1},
               (void *)a, (void *)b, (void *)c, M, N, K, pitch_a, pitch_b);
    CHECK_MSG(!zed_get_error(&device)->id, "%s", zed_get_error(&device)->text);
    int wrong = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double want = 0, size = 0, got;
            for (int k = 0; k < K; k++) {
                double term = va[i * K + k] * vb[k * N + j];
                want += term, size += fabs(term);
            }
            got = t >= I8 ? (double)(int32_t)c[i * N + j] : (double)float_of(c[i * N + j]);
            /* K additions and, of f32, products are rounded in f32: each by at most 2^-24 of a partial sum */
            if (!(fabs(got - want) <= (t >= I8 ? 0 : size * (K + 1) * 0x1p-24)) && wrong++ < 3)
                CHECK_MSG(false, "%s %s, %d lanes, %d x %d x %d%s: C(%d, %d) is %.9g, want %.9g", target, mod.kernel, S,
                          M, N, K, p->inside ? " inside" : "", i, j, got, want);
        }
    zed_free(&device, a), zed_free(&device, b), zed_free(&device, c);
    free(va), free(vb);
    xt_free(&mod);
}

/* Matrices of whole tiles: all tiles are inside, and lines come by messages. */
TEST(inside)
{
    if (!(device.target.subgroup_sizes & 8)) SKIP("subgroups of 8, which the modules' targets have");
    static const plan plans[] = {{16, 32, 8, true}, {8, 16, 16, true}, {48, 32, 32, true}, {32, 16, 32, true}};
    for (int t = 0; t < TYPES; t++)
        for (int i = 0; i < 4; i++) {
            const plan *p = &plans[i];
            const int S = i == 1 ? 16 : 8;
            if (!test_takes(t + i, 2)) continue;
            check(p, (type)t, i ? "mtl" : "tgl", S, 4 * p->rows, 2 * p->cols, 64, 64);
        }
    check(&plans[0], F16, "mtl", 32, 32, 64, 32, 64);
}

/* Ragged ones, lane by lane, at pitches that lines are not aligned at. */
TEST(checked)
{
    if (!(device.target.subgroup_sizes & 8)) SKIP("subgroups of 8, which the modules' targets have");
    static const plan p = {16, 32, 8, false};
    for (int t = 0; t < TYPES; t++)
        if (test_takes(t, 2)) check(&p, (type)t, "tgl", 8, 37, 75, 21, 3);
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(inside);
    RUN(checked);
    zed_close(&device);
    return test_report();
}
