/* test_vulkan_matrices.c - products by the matrices that Vulkan's devices list: what is in the modules, all valid.
 * lavapipe of Debian 12 has no such matrices, so that no result is compared here: docs/vulkan.md tells what was run. */
#include "test.h"

#include "xetile.h"

enum { NOTHING, SCALED, HALVED, RAISED, LOWERED }; /* what is done with the sums; LOWERED: stored a row below */

/* C = A B of `side` rows and columns, by 2 x 2 subgroups. */
static void product(XT_CONTEXT, int side, int depth, int after, xt_val A, xt_val B, xt_val C, xt_val M, xt_val N,
                    xt_val K)
{
    const xt_map map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {side / 2, side / 2});
    const xt_map map_a = XT_MAP(.sg_layout = {2, 2}, .sg_data = {side / 2, depth});
    const xt_map map_b = XT_MAP(.sg_layout = {2, 2}, .sg_data = {depth, side / 2});
    xt_val i = XT_MUL(XT_GROUP_ID(1), side), j = XT_MUL(XT_GROUP_ID(0), side);
    xt_tile a = XT_INIT_TILE(A, of(A), side, depth, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = map_a);
    xt_tile b = XT_INIT_TILE(B, of(B), depth, side, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = map_b);
    xt_val to = after == LOWERED ? XT_ADD(i, 1) : i;
    xt_tile c = XT_INIT_TILE(C, of(C), side, side, .offset = XT_AT(to, j), .shape = XT_AT(M, N), .map = map);
    xt_vec sum = XT_SPLAT(of(C), side, side, 0, .map = map);
    if (after == HALVED) sum = XT_SPLAT(f32, side, side, 0, .map = map);
    XT_FOR (k, 0, K, depth, &a, &b, &sum) {
        sum = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), sum);
        a = XT_UPDATE_TILE_OFFSET(a, 0, depth);
        b = XT_UPDATE_TILE_OFFSET(b, depth, 0);
    }
    if (after == SCALED || after == HALVED) sum = XT_MUL(sum, XT_SPLAT(f32, side, side, 0.5, .map = map));
    if (after == HALVED) sum = XT_CAST(f16, sum);
    if (after == RAISED) sum = XT_EXP(sum);
    XT_STORE_TILE(sum, c);
}
#define PRODUCT(name, T, S, side, depth, after)                                                                        \
    XT_KERNEL (name, ptr(T, A), ptr(T, B), ptr(S, C), u32(M), u32(N), u32(K))                                          \
    {                                                                                                                  \
        product(XT_SELF, side, depth, after, A, B, C, M, N, K);                                                        \
    }
PRODUCT(coop_f16, f16, f32, 128, 32, NOTHING)
PRODUCT(coop_bf16, bf16, f32, 128, 32, NOTHING)
PRODUCT(coop_i8, i8, i32, 128, 64, NOTHING)
PRODUCT(coop_u8, u8, i32, 128, 64, NOTHING)
PRODUCT(coop_f16_sums, f16, f16, 64, 32, NOTHING)
PRODUCT(coop_scaled, f16, f32, 64, 32, SCALED)
PRODUCT(coop_halved, f16, f16, 64, 32, HALVED)
PRODUCT(coop_raised, f16, f32, 64, 32, RAISED)
PRODUCT(coop_lowered, f16, f32, 64, 32, LOWERED)
PRODUCT(coop_ragged, f16, f32, 48, 32, NOTHING)
PRODUCT(coop_f32, f32, f32, 64, 32, NOTHING)

/* A product of a product: the first sum becomes an operand. Nothing is in a loop. */
XT_KERNEL (coop_twice, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(N))
{
    const xt_map map = XT_MAP(.sg_layout = {2, 1}, .sg_data = {16, 32});
    const xt_map whole = XT_MAP(.sg_layout = {2, 1}, .sg_data = {32, 32});
    xt_vec a = XT_LOAD_TILE(XT_INIT_TILE(A, f16, 32, 32, .shape = XT_AT(N, N), .map = map));
    xt_vec b = XT_LOAD_TILE(XT_INIT_TILE(B, f16, 32, 32, .shape = XT_AT(N, N), .map = whole));
    xt_vec p = XT_EXP(XT_TILE_MMA(a, b));
    XT_STORE_TILE(XT_TILE_MMA(XT_CAST(f16, p), b), XT_INIT_TILE(C, f32, 32, 32, .shape = XT_AT(N, N), .map = map));
}

/* Attention: the rows of a product are reduced, made weights with the results, and multiplied. */
XT_KERNEL (coop_attention, ptr(f16, Q), ptr(f16, K), ptr(f16, V), ptr(f32, O), ptr(f32, S), u32(N), f32(scale))
{
    enum { ROWS = 32, KEYS = 32, SIZE = 32 };
    const xt_map column = XT_MAP(.sg_layout = {2, 1}, .sg_data = {16, 1});
    const xt_map map = XT_MAP(.sg_layout = {2, 1}, .sg_data = {16, 32});
    const xt_map all = XT_MAP(.sg_layout = {2, 1}, .sg_data = {32, 32});
    xt_vec q = XT_LOAD_TILE(XT_INIT_TILE(Q, f16, ROWS, SIZE, .shape = XT_AT(N, SIZE), .map = map));
    xt_tile keys = XT_INIT_TILE(K, f16, SIZE, KEYS, .shape = XT_AT(SIZE, N), .order = {0, 1}, .map = all);
    xt_tile values = XT_INIT_TILE(V, f16, KEYS, SIZE, .shape = XT_AT(N, SIZE), .map = all);
    xt_vec most = XT_SPLAT(f32, ROWS, 1, -INFINITY, .map = column), sum = XT_SPLAT(f32, ROWS, 1, 0, .map = column);
    xt_vec out = XT_SPLAT(f32, ROWS, SIZE, 0, .map = map);
    XT_FOR (k, 0, N, KEYS, &most, &sum, &out, &keys, &values) {
        xt_vec s = XT_MUL(XT_TILE_MMA(q, XT_LOAD_TILE(keys)), scale), before = most;
        s = XT_SELECT(XT_LT(XT_ADD(XT_IOTA(u32, ROWS, KEYS, 1, .map = map), k), N), s, -INFINITY);
        most = XT_MAX(most, XT_REDUCTION(maxnumf, s, 1, .map = column));
        before = XT_NATIVE_EXP2(XT_SUB(before, most));
        s = XT_NATIVE_EXP2(XT_SUB(s, XT_BROADCAST(most, 1, KEYS, .map = map)));
        sum = XT_FMA(sum, before, XT_REDUCTION(add, s, 1, .map = column));
        out = XT_MUL(out, XT_BROADCAST(before, 1, SIZE, .map = map));
        out = XT_TILE_MMA(XT_CAST(f16, s), XT_LOAD_TILE(values), out);
        keys = XT_UPDATE_TILE_OFFSET(keys, 0, KEYS);
        values = XT_UPDATE_TILE_OFFSET(values, KEYS, 0);
    }
    XT_STORE_TILE(XT_DIV(out, XT_BROADCAST(sum, 1, SIZE, .map = map)),
                  XT_INIT_TILE(O, f32, ROWS, SIZE, .shape = XT_AT(N, SIZE), .map = map));
    sum = XT_SELECT(XT_GT(sum, 1), sum, 1); /* conditions are columns, too */
    XT_STORE_TILE(sum, XT_INIT_TILE(S, f32, ROWS, 1, .shape = XT_AT(N, 1), .map = column));
}

/* ---- modules */

static xt_module build(const xt_kernel *kernel, const char *target, cm_lowering lowering)
{
    xt_target t = {.name = target};
    char file[64];
    xt_build_desc desc = {.kernel = kernel, .target = &t, .lowering = lowering, .file = __FILE__, .line = __LINE__};
    xt_module mod = xt_build(&desc);
    snprintf(file, sizeof file, "vulkan_%s", kernel->name);
    if (!mod.words) test_fail(__FILE__, __LINE__, "%s: %s", kernel->name, mod.error->text);
    else if (!strcmp(target, "hopper") && lowering == CM_AUTO) test_save_spv(file, mod.words, mod.size);
    return mod;
}

/* How many instructions with this opcode a module has after the word `from`, at which one begins, or 0. */
static int count(const xt_module *mod, uint32_t opcode, size_t from)
{
    int n = 0;
    for (size_t at = 5; mod->words && at < mod->size / 4; at += mod->words[at] >> 16)
        n += at > from && (mod->words[at] & 0xffff) == opcode;
    return n;
}

/* Where the first of them is. */
static size_t next(const xt_module *mod, uint32_t opcode, size_t from)
{
    size_t at = from ? from + (mod->words[from] >> 16) : 5;
    while (at < mod->size / 4 && (mod->words[at] & 0xffff) != opcode) at += mod->words[at] >> 16;
    return at;
}

/* Where the last of them is. */
static size_t last(const xt_module *mod, uint32_t opcode)
{
    size_t found = 0;
    for (size_t at = 5; mod->words && at < mod->size / 4; at += mod->words[at] >> 16)
        if ((mod->words[at] & 0xffff) == opcode) found = at;
    return found;
}

/* Products, loads and stores of matrices: a loop of inner turns, and one of others. Sums are matrices until both
 * end: whole ones are stored so, others once by lanes. */
static void check_product(const xt_kernel *kernel, int products, int loads, int stores)
{
    xt_module mod = build(kernel, "hopper", CM_AUTO);
    size_t body = last(&mod, SPE_OpCooperativeMatrixMulAddKHR);
    CHECK_INT(count(&mod, SPE_OpCooperativeMatrixMulAddKHR, 0), 2 * products);
    CHECK_INT(count(&mod, SPE_OpCooperativeMatrixLoadKHR, 0), 2 * loads);
    CHECK_INT(count(&mod, SPE_OpCooperativeMatrixStoreKHR, 0), stores);
    CHECK_INT(count(&mod, SPE_OpCooperativeMatrixStoreKHR, body), stores);
    CHECK_INT(count(&mod, SPE_OpLoopMerge, 0) - count(&mod, SPE_OpLoopMerge, body), 2);
    xt_free(&mod);
}

TEST(sums_are_matrices_until_the_loops_end)
{
    /* 4 x 4 matrices a subgroup, two steps of k; 4 + 4 loads a step; each sum is stored in two ways */
    check_product(&coop_f16, 2 * 16, 2 * 8, 2 * 16);
    check_product(&coop_bf16, 2 * 16, 2 * 8, 2 * 16);
    check_product(&coop_i8, 2 * 16, 2 * 8, 2 * 16);
    check_product(&coop_u8, 2 * 16, 2 * 8, 2 * 16);
    check_product(&coop_f16_sums, 2 * 4, 2 * 4, 2 * 4);
}

TEST(scaled_and_converted_sums_are_still_matrices)
{
    check_product(&coop_scaled, 2 * 4, 2 * 4, 2 * 4);
    check_product(&coop_halved, 2 * 4, 2 * 4, 2 * 4);
    check_product(&coop_raised, 2 * 4, 2 * 4, 2 * 4); /* component by component */
}

/* How many words of operands are masked in inner turns, which are the first loop. */
static int masked(const xt_kernel *kernel)
{
    xt_module mod = build(kernel, "hopper", CM_AUTO);
    size_t second = 0;
    for (int loops = 0; loops < 2; loops++) second = next(&mod, SPE_OpLoopMerge, second);
    int all = count(&mod, SPE_OpBitFieldUExtract, 0), others = count(&mod, SPE_OpBitFieldUExtract, second);
    CHECK(others > 0);
    xt_free(&mod);
    return all - others;
}

TEST(operands_are_not_masked_where_nobody_sees_their_ends)
{
    CHECK_INT(masked(&coop_f16), 0);
    CHECK_INT(masked(&coop_i8), 0);
    CHECK_INT(masked(&coop_scaled), 0);
    CHECK_INT(masked(&coop_halved), 0);
    CHECK_INT(masked(&coop_lowered), 4); /* A's rows that are outside: C has one more */
}

TEST(signs_are_those_of_the_types)
{
    xt_module i8 = build(&coop_i8, "hopper", CM_AUTO), u8 = build(&coop_u8, "hopper", CM_AUTO);
    size_t at = last(&i8, SPE_OpCooperativeMatrixMulAddKHR);
    CHECK_INT(i8.words[at] >> 16, 7); /* with operands */
    CHECK_INT(i8.words[at + 6], 15);
    CHECK_INT(u8.words[last(&u8, SPE_OpCooperativeMatrixMulAddKHR)] >> 16, 6);
    xt_free(&i8);
    xt_free(&u8);
}

TEST(operands_come_from_registers_too)
{
    xt_module mod = build(&coop_twice, "hopper", CM_AUTO);
    CHECK_INT(count(&mod, SPE_OpCooperativeMatrixMulAddKHR, 0), 2 * 2 * 2);
    /* 2 + 4 of panels; 2 from lanes, and 4 of a panel */
    CHECK_INT(count(&mod, SPE_OpCooperativeMatrixLoadKHR, 0), 2 + 4 + 2 + 4);
    xt_free(&mod);
}

TEST(rows_are_reduced_and_weights_multiplied_as_matrices)
{
    enum {
        STORED = 2 + 2, /* in each loop: sums that are reduced, weights */
        LOADED = 4 + 4 + 2 + 2 + 2 /* keys, values, masks, results of reductions, weights */
    };
    xt_module mod = build(&coop_attention, "hopper", CM_AUTO);
    CHECK_INT(count(&mod, SPE_OpCooperativeMatrixMulAddKHR, 0), 2 * (4 + 4));
    /* the result is stored in two ways, and sums of weights are compared and stored by lanes */
    CHECK_INT(count(&mod, SPE_OpCooperativeMatrixStoreKHR, 0), 2 * STORED + 2 * 2 + 1 + 1);
    /* queries are loaded once, and the comparison becomes a matrix */
    CHECK_INT(count(&mod, SPE_OpCooperativeMatrixLoadKHR, 0), 2 + 2 * LOADED + 1);
    CHECK_INT(count(&mod, SPE_OpAtomicOr, 0), 0); /* no lane stores 16 bits in local memory */
    CHECK(mod.local_memory <= 16 << 10);
    xt_free(&mod);
}

TEST(what_has_no_shape_is_computed_by_lanes)
{
    const struct {
        const xt_kernel *kernel;
        const char *target;
        cm_lowering lowering;
    } rows[] = {{&coop_ragged, "hopper", CM_AUTO}, {&coop_f32, "hopper", CM_AUTO}, {&coop_f16, "vulkan", CM_AUTO},
                {&coop_f16, "hopper", CM_PLAIN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        xt_module mod = build(rows[i].kernel, rows[i].target, rows[i].lowering);
        CHECK_INT(count(&mod, SPE_OpCooperativeMatrixMulAddKHR, 0), 0);
        CHECK_INT(count(&mod, SPE_OpTypeCooperativeMatrixKHR, 0), 0);
        xt_free(&mod);
    }
}

TEST(matrices_are_within_the_local_memory_that_there_is)
{
    for (uint32_t bytes = 1 << 10; bytes <= 64 << 10; bytes *= 2) {
        xt_target t = {.name = "hopper", .local_memory = bytes};
        xt_module mod = XT_BUILD(coop_f16, &t);
        CHECK(mod.words != NULL);
        CHECK(mod.local_memory <= bytes);
        xt_free(&mod);
    }
}

TEST(lanes_cannot_look_into_opaque_matrices)
{
    for (int i = 0; i < 3; i++) {
        spe_module m;
        cm_ctx c;
        spe_options options = {.env = i ? SPE_ENV_VULKAN : SPE_ENV_OPENCL};
        spe_begin(&m, &options);
        spe_kernel k = {.name = "k", .local_size = {32}};
        CHECK(cm_begin(&c, &m, cm_target_row(i ? "hopper" : "generic"), CM_AUTO));
        CHECK(spe_kernel_begin(&m, &k));
        cm_matrix a = cm_splat(&c, 32, 16, CM_F16, CM_OPAQUE_A, 0), b = cm_poison();
        CHECK_INT(a.parts, i ? 2 : 0);
        if (i == 1) b = cm_unary(&c, CM_NEG, &a);
        if (i == 2) b = cm_convert(&c, &a, CM_F32);
        if (i) CHECK_INT(b.parts, 0);
        CHECK_INT(spe_get_error(&m)->id, CM_ERROR_LOWERING);
        spe_free(&m);
    }
}

int main(void)
{
    RUN(sums_are_matrices_until_the_loops_end);
    RUN(scaled_and_converted_sums_are_still_matrices);
    RUN(operands_are_not_masked_where_nobody_sees_their_ends);
    RUN(signs_are_those_of_the_types);
    RUN(operands_come_from_registers_too);
    RUN(rows_are_reduced_and_weights_multiplied_as_matrices);
    RUN(what_has_no_shape_is_computed_by_lanes);
    RUN(matrices_are_within_the_local_memory_that_there_is);
    RUN(lanes_cannot_look_into_opaque_matrices);
    return test_report();
}
