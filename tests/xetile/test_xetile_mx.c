/* test_xetile_mx.c - OCP's Microscaling Formats in xetile.h: XT_QUANTIZE, XT_TO_E2M1 and XT_FROM_E2M1 compared with the
 * rule element by element, on numbers of all magnitudes; XT_TILE_MMA and XT_TILE_MMA_SCALED with maps, on several
 * targets, compared with the definition in f64; what is refused. */
#include "xetile.h"
#include "ze_dispatch.h"

#include "test.h"

#include <float.h>

enum { M = 64, N = 64, K = 128, BLOCKS = K / CM_SCALED };

static zed_device device;

/* ---- kernels: of .user which types and shapes */

typedef struct {
    int type; /* XT_TYPE(e4m3) ... of a; of b */
    int other;
    int step; /* elements along k in a turn: of e2m1, bytes */
    bool scaled, bf16;
} form;

#define MAP_C XT_MAP(.sg_layout = {2, 2}, .sg_data = {32, 32})

static xt_vec loaded(XT_CONTEXT, xt_val base, int type, int rows, int cols, xt_index at, xt_index shape, xt_map map)
{
    xt_tile_desc_ d;
    memset(&d, 0, sizeof d);
    d.base = base;
    d.type = (cm_type)type;
    d.rows = rows;
    d.cols = cols;
    d.offset = at;
    d.shape = shape;
    d.map = map;
    xt_tile t = xt_init_tile_(XT_HERE_, d);
    return XT_LOAD_TILE(t);
}

static xt_vec product(XT_CONTEXT, xt_val A, xt_val B, xt_val SA, xt_val SB, xt_vec acc)
{
    const form *f = (const form *)XT_USER();
    const xt_map map = MAP_C;
    const int per = f->type == XT_TYPE(e2m1) ? 2 : 1, deep = f->step * per / CM_SCALED, all = K / per;
    for (int k = 0; k < all; k += f->step) {
        const xt_map map_a = xt_map_mma_a(&map, f->step), map_b = xt_map_mma_b(&map, f->step);
        xt_vec a = loaded(XT_SELF, A, XT_TYPE_of(A), M, f->step, XT_AT(0, k), XT_AT(M, all), map_a);
        xt_vec b = loaded(XT_SELF, B, XT_TYPE_of(B), f->step, N, XT_AT(k, 0), XT_AT(all, N), map_b);
        const int block = k * per / CM_SCALED;
        if (!f->scaled) {
            acc = XT_TILE_MMA(a, b, acc);
            continue;
        }
        xt_vec sa =
            loaded(XT_SELF, SA, CM_E8M0, M, deep, XT_AT(0, block), XT_AT(M, BLOCKS), xt_map_mma_a(&map, deep));
        xt_vec sb =
            loaded(XT_SELF, SB, CM_E8M0, deep, N, XT_AT(block, 0), XT_AT(BLOCKS, N), xt_map_mma_b(&map, deep));
        acc = XT_TILE_MMA_SCALED(a, sa, b, sb, acc);
    }
    return acc;
}

static void product_into(XT_CONTEXT, xt_val A, xt_val B, xt_val SA, xt_val SB, xt_val D)
{
    const form *f = (const form *)XT_USER();
    xt_tile d = XT_INIT_TILE(D, f32, M, N, .offset = XT_AT(0, 0), .shape = XT_AT(M, N), .map = MAP_C);
    xt_vec acc = XT_LOAD_TILE(d);
    if (f->bf16) acc = XT_CAST(bf16, acc);
    acc = product(XT_SELF, A, B, SA, SB, acc);
    XT_STORE_TILE(f->bf16 ? XT_CAST(f32, acc) : acc, d);
}

XT_KERNEL (mixed, ptr(e4m3, A), ptr(e5m2, B), ptr(e8m0, SA), ptr(e8m0, SB), ptr(f32, D))
{
    product_into(XT_SELF, A, B, SA, SB, D);
}
XT_KERNEL (pairs, ptr(e2m1, A), ptr(e2m1, B), ptr(e8m0, SA), ptr(e8m0, SB), ptr(f32, D))
{
    product_into(XT_SELF, A, B, SA, SB, D);
}

/* V is M x K, quantised along its rows and, as K x M, along its columns. */
static void quantize(XT_CONTEXT, xt_val V, int type, xt_val Q, xt_val S, xt_val R, xt_val P)
{
    const bool two = type == CM_E2M1;
    const int per = two ? 2 : 1;
    const xt_map map = XT_MAP(.sg_layout = {8, 1}, .sg_data = {8, K}), tall = XT_MAP(.sg_layout = {1, 8},
                                                                                      .sg_data = {K, 8});
    const xt_map half = XT_MAP(.sg_layout = {8, 1}, .sg_data = {8, K / per});
    const xt_map half_tall = XT_MAP(.sg_layout = {1, 8}, .sg_data = {K / per, 8});
    const xt_map few = XT_MAP(.sg_layout = {8, 1}, .sg_data = {8, BLOCKS});
    const xt_map few_tall = XT_MAP(.sg_layout = {1, 8}, .sg_data = {BLOCKS, 8});
    xt_vec scales, down;
    xt_tile v = XT_INIT_TILE(V, f32, M, K, .offset = XT_AT(0, 0), .shape = XT_AT(M, K), .map = map);
    xt_tile u = XT_INIT_TILE(V, f32, K, M, .offset = XT_AT(0, 0), .shape = XT_AT(K, M), .order = {0, 1}, .map = tall);
    xt_tile s = XT_INIT_TILE(S, e8m0, M, BLOCKS, .offset = XT_AT(0, 0), .shape = XT_AT(M, BLOCKS), .map = few);
    xt_tile p = XT_INIT_TILE(P, e8m0, BLOCKS, M, .offset = XT_AT(0, 0), .shape = XT_AT(BLOCKS, M), .map = few_tall);
    xt_vec across = XT_LOAD_TILE(v), along = XT_LOAD_TILE(u);
    const xt_tile q = XT_INIT_TILE(Q, of(Q), M, K / per, .offset = XT_AT(0, 0), .shape = XT_AT(M, K / per),
                                   .map = half);
    const xt_tile r = XT_INIT_TILE(R, of(Q), K / per, M, .offset = XT_AT(0, 0), .shape = XT_AT(K / per, M),
                                   .map = half_tall);
    if (two) {
        XT_STORE_TILE(XT_QUANTIZE(e2m1, across, 1, .scales = &scales), q);
        XT_STORE_TILE(XT_QUANTIZE(e2m1, along, 0, .scales = &down), r);
    } else if (type == CM_E4M3) {
        XT_STORE_TILE(XT_QUANTIZE(e4m3, across, 1, .scales = &scales), q);
        XT_STORE_TILE(XT_QUANTIZE(e4m3, along, 0, .scales = &down), r);
    } else {
        XT_STORE_TILE(XT_QUANTIZE(e5m2, across, 1, .scales = &scales), q);
        XT_STORE_TILE(XT_QUANTIZE(e5m2, along, 0, .scales = &down), r);
    }
    XT_STORE_TILE(scales, s);
    XT_STORE_TILE(down, p);
}

XT_KERNEL (quantize_e2m1, ptr(f32, V), ptr(e2m1, Q), ptr(e8m0, S), ptr(e2m1, R), ptr(e8m0, P))
{
    quantize(XT_SELF, V, CM_E2M1, Q, S, R, P);
}
XT_KERNEL (quantize_e4m3, ptr(f32, V), ptr(e4m3, Q), ptr(e8m0, S), ptr(e4m3, R), ptr(e8m0, P))
{
    quantize(XT_SELF, V, CM_E4M3, Q, S, R, P);
}
XT_KERNEL (quantize_e5m2, ptr(f32, V), ptr(e5m2, Q), ptr(e8m0, S), ptr(e5m2, R), ptr(e8m0, P))
{
    quantize(XT_SELF, V, CM_E5M2, Q, S, R, P);
}

/* To f16, to e2m1 in pairs of rows, back to bf16 and on to f32. */
XT_KERNEL (there_and_back, ptr(f32, V), ptr(e2m1, Q), ptr(f32, D))
{
    xt_tile v = XT_INIT_TILE(V, f32, 32, 32, .offset = XT_AT(0, 0), .shape = XT_AT(32, 32));
    xt_tile q = XT_INIT_TILE(Q, e2m1, 16, 32, .offset = XT_AT(0, 0), .shape = XT_AT(16, 32));
    xt_tile d = XT_INIT_TILE(D, f32, 32, 32, .offset = XT_AT(0, 0), .shape = XT_AT(32, 32));
    xt_vec both = XT_TO_E2M1(XT_CAST(f16, XT_LOAD_TILE(v)), 0);
    XT_STORE_TILE(both, q);
    XT_STORE_TILE(XT_CAST(f32, XT_FROM_E2M1(bf16, both, 0)), d);
}

/* ---- helpers */

/* The target of the name on the software device, which takes modules for all, else the device's own, whose subgroups
 * may have another size. */
static xt_target target_of(const char *name, int *S)
{
    if (strcmp(device.target.name, "soft") == 0) return (xt_target){.name = name};
    const uint32_t sizes = device.target.subgroup_sizes & (8 | 16 | 32);
    if (S && !(sizes & (uint32_t)*S)) *S = (int)(sizes & (0 - sizes));
    return (xt_target){ZED_TARGET(&device)};
}

static bool launch(xt_module *mod, const zed_arg *args, int n)
{
    zed_kernel kernel;
    bool ok = false;
    if (!mod->words) {
        test_fail(__FILE__, __LINE__, "%s:%d: %s", mod->error->file, mod->error->line, mod->error->text);
        return false;
    }
    test_save_spv(mod->kernel, mod->words, mod->size);
    if (ZED_LOAD(&kernel, &device, *mod)) ok = zed_launch_n(&kernel, (zed_groups){1, 1, 1}, args, n);
    if (!ok) test_fail(__FILE__, __LINE__, "%s: %s", mod->kernel, zed_get_error(&device)->text);
    zed_clear_error(&device);
    zed_kernel_free(&kernel);
    return ok;
}

static double element(int type, const uint8_t *p, size_t at, int upper)
{
    if (type == CM_E2M1) return (double)spe_e2m1_bits_to_f32((uint8_t)(p[at] >> (upper * 4)));
    return (double)(type == CM_E4M3 ? spe_e4m3_bits_to_f32(p[at]) : spe_e5m2_bits_to_f32(p[at]));
}

/* ---- quantisation: by the rule, in f64 */

static const uint8_t largest_exponent[2][2] = {{CM_E4M3, 8}, {CM_E5M2, 15}};

static uint8_t scale_of(int type, const float v[32])
{
    double most = 0;
    int exponent = type == CM_E2M1 ? 2 : largest_exponent[type == CM_E5M2][1];
    for (int i = 0; i < 32; i++) {
        if (!isfinite(v[i])) return SPE_E8M0_NAN;
        most = fmax(most, fabs((double)v[i]));
    }
    int power = most > 0 ? ilogb(most) - exponent : -127;
    return (uint8_t)(power < -127 ? 0 : power + 127);
}

static uint8_t element_of(int type, float v, uint8_t scale)
{
    double x = (double)v * ldexp(1, 127 - scale);
    float f = (float)fmax(fmin(x, (double)FLT_MAX), -(double)FLT_MAX); /* exact, or rounds to what both round to */
    return type == CM_E2M1   ? spe_f32_to_e2m1_bits(f)
           : type == CM_E4M3 ? spe_f32_to_e4m3_bits(f, true)
                             : spe_f32_to_e5m2_bits(f, true);
}

/* at(block, i) of V, Q and the scales, along rows or columns */
static void check_quantised(int type, const float *v, const uint8_t *q, const uint8_t *s, bool columns)
{
    const int per = type == CM_E2M1 ? 2 : 1;
    for (int line = 0; line < M; line++)
        for (int block = 0; block < BLOCKS; block++) {
            const float *from = v + line * K + block * 32;
            uint8_t want = scale_of(type, from), got = columns ? s[block * M + line] : s[line * BLOCKS + block];
            CHECK_MSG(got == want, "type %d, line %d, block %d: scale 0x%x, want 0x%x", type, line, block, got, want);
            for (int i = 0; i < 32 && want != SPE_E8M0_NAN; i++) {
                const int k = block * 32 + i, at = columns ? k / per * M + line : line * (K / per) + k / per;
                uint8_t bits = per == 2 ? q[at] >> (k % 2 * 4) & 15 : q[at], wanted = element_of(type, from[i], want);
                CHECK_MSG(bits == wanted, "type %d, %a with scale 0x%x: 0x%x, want 0x%x", type, (double)from[i], want,
                          bits, wanted);
            }
        }
}

static void fill_magnitudes(float *v)
{
    for (int i = 0; i < M * K; i++) {
        const int block = i / 32;
        v[i] = (float)ldexp(test_normal(), block % 4 == 0 ? 0 : (int)(test_random() % 20) - 10 + block - 128);
        if (block % 32 == 5) v[i] = (float)ldexp(test_normal(), -130 - block % 7);
        if (block == 7) v[i] = 0;
    }
    v[9 * 32 + 3] = INFINITY;
    v[10 * 32 + 3] = NAN;
    v[11 * 32 + 31] = FLT_MAX;
    v[12 * 32] = (float)ldexp(1, -149);
}

static void run_quantize(const char *target, int type, uint8_t *data)
{
    const xt_target at = target_of(target, NULL);
    float *v = (float *)(void *)data;
    uint8_t *out = data + M * K * 4;
    fill_magnitudes(v);
    memset(out, 0x5a, 4 * M * K);
    const zed_arg args[5] = {zed_arg_ptr(v), zed_arg_ptr(out), zed_arg_ptr(out + M * K), zed_arg_ptr(out + 2 * M * K),
                             zed_arg_ptr(out + 3 * M * K)};
    xt_module mod = type == CM_E2M1   ? XT_BUILD(quantize_e2m1, &at)
                    : type == CM_E4M3 ? XT_BUILD(quantize_e4m3, &at)
                                      : XT_BUILD(quantize_e5m2, &at);
    if (launch(&mod, args, 5)) {
        check_quantised(type, v, out, out + M * K, false);
        check_quantised(type, v, out + 2 * M * K, out + 3 * M * K, true);
    }
    xt_free(&mod);
}

static uint8_t *data;

TEST(quantisation)
{
    run_quantize("bmg", CM_E4M3, data);
    run_quantize("soft", CM_E5M2, data);
    run_quantize("generic", CM_E2M1, data);
}

TEST(pairs_there_and_back)
{
    const xt_target at = target_of("bmg", NULL);
    float *v = (float *)(void *)data, *d = v + 1024;
    uint8_t *q = data + 8192;
    for (int i = 0; i < 1024; i++) v[i] = i < 8 ? (float)(i * 0.25 - 0.75) : (float)(3 * test_normal());
    v[100] = NAN, v[101] = -INFINITY;
    const zed_arg args[3] = {zed_arg_ptr(v), zed_arg_ptr(q), zed_arg_ptr(d)};
    xt_module mod = XT_BUILD(there_and_back, &at);
    if (launch(&mod, args, 3))
        for (int i = 0; i < 1024; i++) {
            const int row = i / 32, col = i % 32;
            uint8_t want = spe_f32_to_e2m1_bits(spe_f16_bits_to_f32(spe_f32_to_f16_bits(v[i])));
            uint8_t got = q[row / 2 * 32 + col] >> (row % 2 * 4) & 15;
            CHECK_MSG(got == want && d[i] == spe_e2m1_bits_to_f32(want), "%a: 0x%x, %a, want 0x%x", (double)v[i], got,
                      (double)d[i], want);
        }
    xt_free(&mod);
}

/* ---- products */

static void check_product(const form *f, const char *target, uint8_t *const p[4], const float *before, const float *d)
{
    const int type = f->type - 1, other = f->other - 1, per = type == CM_E2M1 ? 2 : 1, deep = K / per;
    int wrong = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = (double)before[i * N + j], size = fabs(sum), got = (double)d[i * N + j];
            if (f->bf16) sum = (double)spe_bf16_bits_to_f32(spe_f32_to_bf16_bits(before[i * N + j]));
            for (int k = 0; k < K; k++) {
                double x = element(type, p[0], (size_t)(i * deep + k / per), k % per) *
                           element(other, p[1], (size_t)(k / per * N + j), k % per);
                if (f->scaled)
                    x *= (double)spe_e8m0_bits_to_f32(p[2][i * BLOCKS + k / 32]) *
                         (double)spe_e8m0_bits_to_f32(p[3][k / 32 * N + j]);
                sum += x;
                size += fabs(x);
            }
            double bound = (K + BLOCKS + 1) * 0x1p-23 * size + (double)FLT_MIN;
            if (f->bf16) bound += K / 32 * 0x1p-8 * size; /* a rounding in each dpas, which is 32 bytes deep */
            if (!(fabs(got - sum) <= bound) && wrong++ < 3)
                test_fail(__FILE__, __LINE__, "%s step %d%s: (%d, %d) is %g, want %g +- %g", target, f->step,
                          f->scaled ? " scaled" : "", i, j, got, sum, bound);
        }
    CHECK_MSG(wrong == 0, "%s: %d are wrong", target, wrong);
}

static void run_product(const char *target, int S, const form *f)
{
    const xt_target at = target_of(target, &S);
    uint8_t *p[4] = {data, data + M * K, data + 2 * M * K, data + 3 * M * K};
    float *d = (float *)(void *)(data + 4 * M * K), before[M * N];
    for (int i = 0; i < 2 * M * K; i++) {
        data[i] = (uint8_t)test_random();
        if (f->type != XT_TYPE(e2m1) && (data[i] & 0x7c) == 0x7c) data[i] &= 0x8f; /* neither NaN nor infinity */
    }
    for (int i = 0; i < 2 * M * K; i++) p[2][i] = (uint8_t)(117 + test_random() % 20);
    for (int i = 0; i < M * N; i++) d[i] = before[i] = (float)test_normal();
    const zed_arg args[5] = {zed_arg_ptr(p[0]), zed_arg_ptr(p[1]), zed_arg_ptr(p[2]), zed_arg_ptr(p[3]),
                             zed_arg_ptr(d)};
    xt_module mod = f->type == XT_TYPE(e2m1) ? XT_BUILD(pairs, &at, .user = f, .subgroup_size = S)
                                             : XT_BUILD(mixed, &at, .user = f, .subgroup_size = S);
    if (launch(&mod, args, 5)) check_product(f, target, p, before, d);
    xt_free(&mod);
}

TEST(products)
{
    static const form forms[] = {
        {XT_TYPE(e4m3), XT_TYPE(e5m2), 32, true, false}, {XT_TYPE(e4m3), XT_TYPE(e5m2), 64, true, true},
        {XT_TYPE(e2m1), XT_TYPE(e2m1), 16, true, false}, {XT_TYPE(e2m1), XT_TYPE(e2m1), 32, true, false},
        {XT_TYPE(e4m3), XT_TYPE(e5m2), 32, false, true}, {XT_TYPE(e2m1), XT_TYPE(e2m1), 64, false, false},
        {XT_TYPE(e4m3), XT_TYPE(e5m2), 128, true, false}, {XT_TYPE(e2m1), XT_TYPE(e2m1), 64, true, false},
    };
    static const struct {
        const char *name;
        int S;
    } targets[] = {{"bmg", 16}, {"generic", 16}, {"bmg", 32}, {"tgl", 8}};
    const int count = test_thorough() ? 8 : 6; /* the last two have the largest kernels */
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < count; i++)
            if (test_takes(t + i, 4)) run_product(targets[t].name, targets[t].S, &forms[i]);
}

/* ---- what is refused */

static int which;

XT_KERNEL (refused, ptr(f32, V), ptr(e4m3, A), ptr(e2m1, P), ptr(e8m0, S))
{
    xt_vec a = XT_LOAD_TILE(XT_INIT_TILE(A, e4m3, 16, 64, .offset = XT_AT(0, 0), .shape = XT_AT(16, 64)));
    xt_vec b = XT_LOAD_TILE(XT_INIT_TILE(A, e4m3, 64, 16, .offset = XT_AT(0, 0), .shape = XT_AT(64, 16)));
    xt_vec p = XT_LOAD_TILE(XT_INIT_TILE(P, e2m1, 16, 64, .offset = XT_AT(0, 0), .shape = XT_AT(16, 64)));
    xt_vec s = XT_LOAD_TILE(XT_INIT_TILE(S, e8m0, 16, 2, .offset = XT_AT(0, 0), .shape = XT_AT(16, 2)));
    xt_vec t = XT_LOAD_TILE(XT_INIT_TILE(S, e8m0, 2, 16, .offset = XT_AT(0, 0), .shape = XT_AT(2, 16)));
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(V, f32, 16, 48, .offset = XT_AT(0, 0), .shape = XT_AT(16, 48)));
    xt_vec w = XT_SLICE(v, 0, 0, 16, 16);
    if (which == 0) XT_TILE_MMA_SCALED(a, t, b, t);
    if (which == 1) XT_TILE_MMA_SCALED(a, a, b, t);
    if (which == 2) XT_TILE_MMA_SCALED(w, s, w, t);
    if (which == 3) XT_TILE_MMA_SCALED(a, s, b, t, XT_CAST(f16, w));
    if (which == 4) XT_TILE_MMA_SCALED(XT_SLICE(a, 0, 0, 16, 16), s, XT_SLICE(b, 0, 0, 16, 16), t);
    if (which == 5) XT_QUANTIZE(e4m3, v, 1);
    if (which == 6) XT_QUANTIZE(f16, XT_SLICE(v, 0, 0, 16, 32), 1);
    if (which == 7) XT_TO_E2M1(v, 2);
    if (which == 8) XT_TO_E2M1(a, 1);
    if (which == 9) XT_FROM_E2M1(f32, a, 1);
    if (which == 10) XT_CAST(f32, p);
    if (which == 11) XT_ADD(p, p);
    if (which == 12) XT_REDUCTION(add, s, 1);
}

TEST(refusals)
{
    static const struct {
        int id;
        const char *part;
    } wanted[] = {
        {XT_ERROR_MMA_SHAPE, "scales of a are 2 x 16, wanted 16 x 2"},
        {XT_ERROR_MMA_TYPE, "scales of a are of e4m3, wanted e8m0"},
        {XT_ERROR_MMA_TYPE, "a of f32, b of f32"},
        {XT_ERROR_MMA_TYPE, "c of f16"},
        {XT_ERROR_MMA_SHAPE, "16 values along k, wanted a multiple of 32"},
        {XT_ERROR_VEC_SHAPE, "a subgroup has 48: not a multiple of 32"},
        {XT_ERROR_VEC_TYPE, "XT_QUANTIZE from f32 to f16"},
        {XT_ERROR_VEC_DIM, "XT_TO_E2M1 along dimension 2"},
        {XT_ERROR_VEC_TYPE, "XT_TO_E2M1 of e4m3"},
        {XT_ERROR_VEC_TYPE, "XT_FROM_E2M1 from e4m3 to f32"},
        {XT_ERROR_VEC_TYPE, "XT_CAST from e2m1 to f32: use"},
        {XT_ERROR_VEC_OP, "of vectors of e2m1"},
        {XT_ERROR_REDUCTION_KIND, "add of e8m0"},
    };
    for (which = 0; which < (int)(sizeof wanted / sizeof wanted[0]); which++) {
        xt_module mod = XT_BUILD(refused, &(xt_target){.name = "bmg"});
        CHECK_MSG(!mod.words && mod.error->id == wanted[which].id && strstr(mod.error->text, wanted[which].part),
                  "%d: %d %s", which, mod.error->id, mod.error->text);
        xt_free(&mod);
    }
}

int main(void)
{
    RUN(refusals);
    if (!zed_open(&device, NULL)) {
        test_fail(__FILE__, __LINE__, "%s", zed_get_error(&device)->text);
        return test_report();
    }
    data = (uint8_t *)zed_alloc(&device, ZED_SHARED, 8 * M * K, 64);
    RUN(quantisation);
    RUN(pairs_there_and_back);
    RUN(products);
    zed_free(&device, data);
    zed_close(&device);
    return test_report();
}
