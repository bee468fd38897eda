/* kernels_cpp.h - kernels that are both C11 and C++20, for test_cpp.sh, with every macro that C++ defines in its own
 * way. kernels_cpp FILE writes their modules for several targets, one after the other, and Vulkan's mathematics.
 */
#include "coopvec.h"
#include "xetile.h"

#include <stdio.h>

XT_KERNEL (product, ptr(f16, A), ptr(f16, B), ptr(f32, C), i32(M), i32(N), i32(K))
{
    const xt_map map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 32}), turned = XT_MAP({4, 1}, {8, 64});
    xt_val i = XT_MUL(XT_GROUP_ID(1), 32), j = XT_MUL(XT_GROUP_ID(0), 64);
    xt_tile a = XT_INIT_TILE(A, f16, 32, 32, .offset = XT_AT(i, 0), .shape = XT_AT(M, K),
                             .map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 32}));
    xt_tile b = XT_INIT_TILE(B, f16, 32, 64, .offset = XT_AT(0, j), .shape = XT_AT(K, N),
                             .map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {32, 32}));
    xt_tile c = XT_INIT_TILE(C, f32, 32, 64, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = map);
    xt_vec sum = XT_SPLAT(f32, 32, 64, 0, .map = map);
    XT_FOR (k, 0, K, 32, &a, &b, &sum) {
        XT_PREFETCH_TILE(a);
        xt_vec va = XT_LOAD_TILE(a);
        xt_vec vb = XT_LOAD_TILE(b);
        sum = XT_TILE_MMA(va, vb, sum);
        a = XT_UPDATE_TILE_OFFSET(a, 0, 32);
        b = XT_UPDATE_TILE_OFFSET(b, 32, 0);
    }
    sum = XT_CONVERT_LAYOUT(sum, .map = turned);
    c.map = turned;
    XT_STORE_TILE(sum, c);
}

XT_KERNEL (rows, ptr(f32, X), ptr(f32, Y), u32(N), f32(scale))
{
    xt_tile x = XT_INIT_TILE(X, f32, 8, 64, .shape = XT_AT(8, N));
    xt_tile y = XT_INIT_TILE(Y, f32, 8, 64, .shape = XT_AT(8, N));
    xt_vec v = XT_LOAD_TILE(x, .padding = 0);
    xt_vec most = XT_REDUCTION(maximumf, v, 1);
    v = XT_EXP(XT_SUB(v, XT_BROADCAST(most, 1, 64)));
    XT_IF (XT_LT(scale, 2.0f), &v) v = XT_MUL(v, scale);
    XT_ELSE v = XT_ADD(v, 1);
    XT_STORE_TILE(XT_SELECT(XT_GT(v, 0.5), v, XT_IOTA(f32, 8, 64, 1)), y);
}

/* Operands that are calls: they are evaluated in order. */
static xt_vec blend(XT_CONTEXT, xt_vec a, xt_vec b, xt_val share)
{
    return XT_FMA(XT_SUB(b, a), XT_DIV(XT_ADD(share, 1), XT_SUB(XT_MUL(share, 3), 2.5)), XT_ABS(XT_NEG(a)));
}

static cm_matrix negated(cm_ctx *c, const cm_matrix *const *operands, void *user)
{
    (void)user;
    return cm_unary(c, CM_NEG, operands[0]);
}

XT_KERNEL (layouts, ptr(f32, X), ptr(f32, Y), i32(N), f32(share))
{
    static const float weights[16] = {0.5f, 1, 2, 4, -1, -2, 3, 5, 7, 9, 11, 13, 15, 17, 19, 0.25f};
    xt_tile x = XT_INIT_TILE(X, f32, 16, 16, .shape = XT_AT(XT_ADD(N, 1), XT_SUB(N, 1)));
    xt_tile y = XT_INIT_TILE(Y, f32, 16, 16, .shape = XT_AT(16, 16));
    xt_vec v = XT_LOAD_TILE(x), turned = XT_TRANSPOSE(v), best; /* not in the call: its arguments have no order */
    v = blend(XT_SELF, XT_MUL(v, XT_TABLE(f32, 1, 16, weights)), turned, share);
    v = XT_ADD(XT_SCAN(add, v, 1), XT_EMIT_VEC(f32, negated, NULL, v));
    xt_vec most = XT_ARGMAX(v, 1), least = XT_ARGMIN(v, 1, .value = &best), top = XT_TOP(v, 2);
    v = XT_ADD(v, XT_CAST(f32, XT_ADD(XT_ADD(most, least), XT_REDUCTION(maxsi, top, 1))));
    v = XT_MUL(v, XT_ADD(XT_BROADCAST(best, 1, 16), 2.0f));
    XT_STORE_TILE(XT_SHAPE_CAST(XT_SLICE(v, 0, 0, 8, 16), 16, 8), XT_INIT_TILE(Y, f32, 16, 8, .shape = XT_AT(16, 8)));
    XT_STORE_TILE(v, XT_UPDATE_TILE_OFFSET(y, N, XT_MUL(N, 2)));
}

XT_KERNEL (scattered, ptr(f32, X), ptr(i32, I), ptr(f32, Y), i32(N))
{
    xt_vec at = XT_LOAD_TILE(XT_INIT_TILE(I, i32, 1, 32, .shape = XT_AT(1, N)));
    xt_vec mask = XT_AND(XT_GE(at, 0), XT_LT(at, N));
    xt_tile from = XT_INIT_TILE(X, f32, 1, 32, .scatter = at, .shape = XT_AT(N));
    xt_tile to = XT_INIT_TILE(Y, f32, 1, 32, .scatter = at, .shape = XT_AT(N));
    xt_vec v = XT_LOAD_GATHER(from, mask);
    XT_STORE_SCATTER(XT_MUL(v, XT_CAST(f32, XT_SHR(XT_RANDOM(7, at), 9))), to, mask);
    XT_ATOMIC_RMW(addf, v, to, mask);
    XT_ATOMIC_RMW(addf, XT_LOAD_GATHER(XT_UPDATE_TILE_OFFSET(from, 1)), to);
    xt_val n = XT_LOAD(I, 0), turns = XT_CAST(i32, 0);
    XT_WHILE (XT_NE(n, 1), &n, &turns) {
        n = XT_SELECT(XT_EQ(XT_MOD(n, 2), 0), XT_DIV(n, 2), XT_ADD(XT_MUL(n, 3), 1));
        turns = XT_ADD(turns, 1);
    }
    XT_STORE(XT_CAST(i32, XT_CLAMP(XT_EXP(XT_CAST(f32, turns)), 1.5, 1e6f)), I, XT_MUL(N, 2));
}

XT_KERNEL (blocked, ptr(f16, A), ptr(f16, B), ptr(f32, C))
{
    xt_vec a = XT_LOAD_TILE(XT_INIT_TILE(A, f16, 16, 32, .shape = XT_AT(16, 32)));
    xt_vec b = XT_LOAD_TILE(XT_INIT_TILE(B, f16, 32, 32, .shape = XT_AT(64, 32)));
    xt_tile next = XT_INIT_TILE(B, f16, 32, 32, .offset = XT_AT(32, 0), .shape = XT_AT(64, 32));
    XT_PREFETCH_TILE(next, .locality = 2);
    xt_vec packed = XT_TILE_PACK(a, .inner_blocks = {8, 16});
    XT_STORE_TILE(XT_TILE_MMA(XT_TILE_UNPACK(packed, .inner_blocks = {8, 16}), b),
                  XT_INIT_TILE(C, f32, 16, 32, .shape = XT_AT(16, 32)));
}

/* OCP's MX formats. */
XT_KERNEL (scaled, ptr(f32, A), ptr(e4m3, B), ptr(e8m0, S), ptr(f32, C))
{
    xt_vec a = XT_LOAD_TILE(XT_INIT_TILE(A, f32, 8, 64, .shape = XT_AT(8, 64))), scales, c;
    xt_vec b = XT_LOAD_TILE(XT_INIT_TILE(B, e4m3, 64, 16, .shape = XT_AT(64, 16)));
    xt_vec of_b = XT_LOAD_TILE(XT_INIT_TILE(S, e8m0, 2, 16, .shape = XT_AT(2, 16)));
    a = XT_QUANTIZE(e4m3, a, 1, .scales = &scales);
    c = XT_TILE_MMA_SCALED(a, scales, b, of_b);
    c = XT_TILE_MMA_SCALED(a, scales, b, of_b, c);
    XT_STORE_TILE(c, XT_INIT_TILE(C, f32, 8, 16, .shape = XT_AT(8, 16)));
}

/* ---- cooperative vectors ---- */

static cv_vec layer(CV_CONTEXT, cv_val weights, cv_vec in, int at)
{
    return CV_MUL_ADD(f16, CV_MATRIX_REF(weights, f16, 16, 16, .layout = CV_MUL_OPTIMAL, .offset = CV_AT(at)), in,
                      CV_VECTOR_REF(weights, f16, .offset = CV_AT(8192)));
}

CV_KERNEL (network, ptr(f16, weights), ptr(f16, in), ptr(f32, out), i32(N), f32(steep))
{
    cv_val slope = CV_CAST(f16, steep);
    cv_val i = CV_ADD(CV_MUL(CV_GROUP_ID(), 32), CV_LOCAL_ID());
    cv_vec x = CV_LOAD(in, 16, CV_MUL(CV_MIN(i, CV_SUB(N, 1)), 16)), sum = CV_SPLAT(f32, 4, 0);
    CV_FOR (k, 0, CV_ADD(N, 3), 1, &x) x = CV_RELU(layer(CV_SELF, weights, x, 512));
    x = CV_LEAKY_RELU(CV_TANH(CV_ADD(x, CV_SIGMOID(x))), slope);
    x = CV_FMA(CV_CLAMP(x, -1.0, slope), x, CV_SELECT(CV_GT(x, 0.5), CV_EXP(x), CV_CAST(f16, CV_LOG(CV_CAST(f32, x)))));
    CV_WHILE (CV_LT(CV_ELEMENT(x, 0), slope), &x) x = CV_MUL(x, 2);
    cv_vec h = CV_CONCAT(CV_SLICE(x, 0, 8), CV_VEC(f16, 1.0, slope, CV_ELEMENT(x, 3), CV_SQRT(slope), 2, 3, 4, 5));
    h = CV_SET_ELEMENT(h, 5, CV_SELECT(CV_LT(i, N), slope, CV_MUL(slope, 2)));
    CV_IF (CV_LT(i, N), &sum) sum = CV_MUL(f32, CV_MATRIX_REF(weights, f16, 4, 16, .offset = CV_AT(16384)), h);
    CV_ELSE sum = CV_DIV(sum, CV_ADD(steep, 1));
    CV_STORE(sum, out, CV_MUL(i, 4), .stride = CV_AT(1));
}

CV_KERNEL (trained, ptr(f16, gradients), ptr(f16, in), ptr(i8, bytes), ptr(i32, out))
{
    cv_val i = CV_GLOBAL_ID();
    cv_vec a = CV_LOAD(in, 16, CV_MUL(i, 16)), b = CV_LOAD(in, 8, CV_MUL(i, 8));
    CV_OUTER_PRODUCT_ACCUMULATE(a, b, CV_MATRIX_REF(gradients, f16, 16, 8, .layout = CV_OUTER_PRODUCT_OPTIMAL));
    CV_VECTOR_ACCUMULATE(a, CV_VECTOR_REF(gradients, f16, .offset = CV_AT(4096)));
    cv_vec words = CV_XOR(CV_SPLAT(u32, 4, CV_UNIFORM(i)), CV_SHL(CV_SPLAT(u32, 4, 3), 2));
    words = CV_MUL(i32, CV_MATRIX_REF(bytes, i8, 4, 16, .layout = CV_COLUMN_MAJOR), CV_INTERPRET(words, packed_s8x32));
    CV_STORE(words, out, CV_MUL(i, 4));
}

/* ---- the modules ---- */

enum { MODULES = 10 };

static int write_modules(FILE *f, const char *name)
{
    xt_target target = {.name = name};
    const xt_build_desc pair[2] = {XT_DESC(product, &target), XT_DESC(rows, &target, .names = true)};
    xt_module mods[MODULES] = {
        XT_BUILD(product, &target), XT_BUILD(rows, &target, .names = true), XT_BUILD(layouts, &target),
        XT_BUILD(scattered, &target), XT_BUILD(blocked, &target), XT_BUILD(scaled, &target),
        CV_BUILD(network, &target, .local_size = 32), CV_BUILD(trained, &target)};
    int ok = xt_build_all(&mods[MODULES - 2], pair, 2);
    for (int n = MODULES - 1; n >= 0; n--) {
        if (mods[n].error) spe_print_error(mods[n].error, stdout);
        ok = ok && mods[n].words && fwrite(mods[n].words, 1, mods[n].size, f) == mods[n].size;
        xt_free(&mods[n]);
    }
    return ok;
}

/* Functions of floats (of 32 bits, and of 16 in vectors) and of integers, which the library writes out for Vulkan. */
static const struct {
    spe_math_op op;
    unsigned operands;
} mathematics[] = {
#define ROW(name, name_in_set, number, operands) {SPE_##name, operands},
    SPE_MATH_LIST(ROW)
#undef ROW
};

/* A kernel of one function; 0 if this header has none of the name for Vulkan. */
static int write_function(FILE *f, spe_math_op op, unsigned operands, spe_kind kind, uint32_t bits)
{
    spe_module m;
    spe_options options;
    spe_kernel k;
    spe_param param;
    memset(&options, 0, sizeof options), memset(&k, 0, sizeof k), memset(&param, 0, sizeof param);
    options.env = SPE_ENV_VULKAN;
    spe_begin(&m, &options);
    spe_id scalar = kind == SPE_KIND_INT ? spe_int(&m, bits) : spe_float(&m, bits), args[3];
    spe_id type = bits == 16 ? spe_vec(&m, scalar, 4) : scalar;
    param.type = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, type);
    k.name = "function", k.params = &param, k.param_count = 1, k.local_size[0] = 32;
    spe_kernel_begin(&m, &k);
    for (uint32_t i = 0; i < 3; i++) {
        spe_id at = spe_index(&m, spe_param_id(&m, 0), spe_u32(&m, i));
        args[i] = spe_load(&m, at, 0);
    }
    spe_id result = spe_math(&m, op, operands, args), at = spe_index(&m, spe_param_id(&m, 0), spe_u32(&m, 3));
    spe_store(&m, at, result, 0);
    spe_kernel_end(&m);
    spe_words words = spe_finish(&m);
    int ok = words.data && fwrite(words.data, 4, words.count, f) == words.count;
    spe_free(&m);
    return ok;
}

static int write_mathematics(FILE *f)
{
    int written = 0;
    for (size_t i = 0; i < sizeof mathematics / sizeof *mathematics; i++) {
        spe_kind kind = mathematics[i].op < SPE_SABS ? SPE_KIND_FLOAT : SPE_KIND_INT;
        for (uint32_t bits = kind == SPE_KIND_FLOAT ? 16 : 8; bits <= 32; bits *= 2)
            written += write_function(f, mathematics[i].op, mathematics[i].operands, kind, bits);
    }
    printf("%d functions for Vulkan\n", written);
    return written > 150;
}

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;
    int ok = f && write_modules(f, "bmg") && write_modules(f, "pvc") && write_modules(f, "dg2") &&
             write_modules(f, "generic") && write_modules(f, "soft") && write_mathematics(f);
    return f && fclose(f) == 0 && ok ? 0 : 1;
}
