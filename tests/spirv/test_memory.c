/* test_memory.c - out of memory at every allocation of the headers in turn: the error reports it, no module is
 * returned, nothing leaks. The headers use this program's malloc, calloc, realloc and free, and the mock Level Zero of
 * pretend_ze.h. */
#undef XETILE_DECLARATIONS /* the bodies with the allocator of this file */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "test.h"

#include "pretend_ze.h"

static long calls, live, fail_at; /* the number of the call that fails, from 1; 0: none */

static bool its_turn(void) { return ++calls == fail_at; }

static void *failing_realloc(void *p, size_t size)
{
    if (its_turn()) return NULL;
    live += !p;
    return realloc(p, size);
}
static void *failing_malloc(size_t size) { return failing_realloc(NULL, size); }
static void *failing_calloc(size_t count, size_t size)
{
    if (its_turn()) return NULL;
    live++;
    return calloc(count, size);
}
static void counting_free(void *p)
{
    live -= p != NULL;
    free(p);
}

#define SPE_CHUNK 0 /* a separate allocation for each piece, so that each can fail */
#define realloc failing_realloc
#define malloc failing_malloc
#define calloc failing_calloc
#define free counting_free
#include "coopvec.h"
#include "xetile.h"
#include "ze_dispatch.h"
#undef realloc
#undef malloc
#undef calloc
#undef free

static void from_here(long at) { calls = live = 0, fail_at = at; }

/* ---- kernels */

XT_KERNEL(product, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const xt_map map_a = XT_MAP(.sg_layout = {2, 2}, .sg_data = {32, 32}),
                 map_c = XT_MAP(.sg_layout = {2, 2}, .sg_data = {32, 64});
    xt_tile a = XT_INIT_TILE(A, f16, 64, 32, .shape = XT_AT(M, K), .map = map_a);
    xt_tile b = XT_INIT_TILE(B, f16, 32, 128, .shape = XT_AT(K, N), .map = map_c);
    xt_tile c = XT_INIT_TILE(C, f32, 64, 128, .shape = XT_AT(M, N), .map = map_c);
    xt_vec acc = XT_SPLAT(f32, 64, 128, 0, .map = map_c);
    XT_FOR(k, 0, K, 32, &a, &b, &acc)
    {
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, 32);
        b = XT_UPDATE_TILE_OFFSET(b, 32, 0);
    }
    XT_STORE_TILE(XT_EXP(acc), c);
}

CV_KERNEL(network, ptr(f16, W), ptr(f16, X), ptr(f32, Y))
{
    cv_val i = CV_GLOBAL_ID();
    cv_vec x = CV_LOAD(X, 32, CV_MUL(i, 32));
    cv_vec y = CV_MUL(f32, CV_MATRIX_REF(W, f16, 16, 32), x);
    CV_STORE(CV_MAX(y, CV_SPLAT(f32, 16, 0)), Y, CV_MUL(i, 16));
}

/* Regions of all kinds, and operations through local memory and between subgroups. */
XT_KERNEL(regions, ptr(f32, A), ptr(f32, B), u32(N))
{
    const xt_map map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 16}),
                 rows = XT_MAP(.sg_layout = {4, 1}, .sg_data = {8, 32});
    xt_tile a = XT_INIT_TILE(A, f32, 32, 32, .shape = XT_AT(N, N), .map = map);
    xt_vec s = XT_SPLAT(f32, 32, 32, 0, .map = map), at = XT_IOTA(i32, 32, 32, 0, .map = map);
    xt_val n = XT_CAST(i32, N);
    XT_FOR(k, 0, N, 32, &a, &s)
    {
        XT_IF(XT_LT(k, 64), &s) s = XT_ADD(s, XT_LOAD_TILE(a));
        XT_ELSE s = XT_MUL(s, XT_SELECT(XT_LT(s, 1), s, 2));
        a = XT_UPDATE_TILE_OFFSET(a, 0, 32);
    }
    XT_WHILE(XT_GT(n, 1), &n, &s)
    {
        s = XT_TRANSPOSE(XT_TANH(s));
        n = XT_DIV(n, 2);
    }
    s = XT_SUB(s, XT_BROADCAST(XT_REDUCTION(add, s, 1), 1, 32, .map = map));
    XT_ATOMIC_RMW(addf, s, XT_INIT_TILE(B, f32, 32, 32, .shape = XT_AT(N, N), .map = map));
    XT_STORE_SCATTER(s, XT_INIT_TILE(B, f32, 32, 32, .scatter = at, .shape = XT_AT(N)), XT_LT(at, 99));
    s = XT_CONVERT_LAYOUT(s, .map = rows);
    XT_STORE_TILE(s, XT_INIT_TILE(B, f32, 32, 32, .shape = XT_AT(N, N), .map = rows));
}

CV_KERNEL(training, ptr(f16, W), ptr(f32, G), u32(n))
{
    cv_val i = CV_GLOBAL_ID(), sum = CV_AT(0);
    cv_vec x = CV_LOAD(W, 16, CV_MUL(i, 16));
    CV_FOR(k, 0, n, 1, &x, &sum)
    {
        CV_IF(CV_LT(CV_ELEMENT(x, 3), 0), &x) x = CV_GELU(x);
        CV_ELSE x = CV_CONCAT(CV_SLICE(x, 8, 8), CV_SLICE(x, 0, 8));
        sum = CV_ADD(sum, k);
    }
    CV_OUTER_PRODUCT_ACCUMULATE(x, x, CV_MATRIX_REF(G, f32, 16, 16, .layout = CV_OUTER_PRODUCT_OPTIMAL));
    CV_VECTOR_ACCUMULATE(x, CV_VECTOR_REF(G, f16, .offset = CV_AT(1 << 16)));
}

/* A module emitted by hand, in the form of a build. */
typedef struct {
    spe_module *m;
    const uint32_t *words;
    const spe_error *error;
} written;
static spe_module written_module;
static void free_written(written *w) { spe_free(w->m); }

static written write_module(void (*body)(spe_module *, spe_id))
{
    written w = {&written_module, NULL, spe_get_error(&written_module)};
    spe_module *m = w.m;
    if (spe_begin(m, &(spe_options){.names = true, .lines = true, .source = "by hand"})) {
        spe_param p = {
            .type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_float(m, 32)), .name = "p", .restrict_ = true};
        if (SPE(m, kernel_begin,
                &(spe_kernel){.name = "k", .subgroup_size = 16, .local_size = {16}, .params = &p, .param_count = 1}))
            body(m, spe_param_id(m, 0));
        spe_kernel_end(m);
        w.words = spe_finish(m).data;
    }
    return w;
}

static void matrices(spe_module *m, spe_id p)
{
    cm_ctx c;
    cm_mem mem = {.ptr = p, .rows = spe_i32(m, 60), .cols = spe_i32(m, 31), .stride_col = spe_i32(m, 64)};
    cm_matrix a, b, d;
    if (!cm_begin(&c, m, cm_target_row("bmg"), CM_AUTO)) return;
    a = cm_load(&c, 32, 16, CM_F32, CM_ACC, &mem);
    b = cm_convert_use(&c, &a, CM_A);
    a = cm_convert(&c, &b, CM_F16);
    b = cm_splat(&c, 16, 32, CM_F16, CM_B, spe_const_f(m, spe_float(m, 16), 0.5));
    d = cm_mul_add(&c, CM_F32, &a, &b, NULL);
    b = cm_reduce_broadcast(&c, CM_MAX, CM_BY_ROW, &d, 32);
    d = cm_sub(&c, &d, &b);
    spe_for(m, spe_i32(m, 0), spe_i32(m, 9), spe_i32(m, 1), (uint32_t)d.parts, d.part);
    d = cm_unary(&c, CM_TANH, &d);
    spe_endfor(m, (uint32_t)d.parts, d.part);
    cm_store(&c, &d, &mem);
    cm_atomic_add(&c, &d, &mem, SPE_ScopeDevice, SPE_MemorySemanticsRelaxed);
}

/* More regions, constants and ids than the first lists can contain. */
static void by_hand(spe_module *m, spe_id p)
{
    static const int64_t literals[] = {-1, 7, 1 << 20};
    spe_id i = spe_builtin(m, SPE_GLOBAL_ID, 0), sum = spe_f32(m, 0),
           var = spe_local_var(m, spe_array(m, spe_float(m, 32), 4));
    for (int d = 0; d < 40; d++) SPE(m, if, spe_slt(m, i, spe_i32(m, 100 - d)));
    for (int d = 0; d < 200; d++) sum = spe_fadd(m, sum, spe_f32(m, (float)d + 0.5f));
    for (int d = 0; d < 40; d++) {
        spe_id zero = spe_f32(m, 0);
        spe_endif_from(m, 1, &sum, &zero, &sum);
    }
    SPE(m, switch, i, 3, literals);
    for (uint32_t c = 0; c < 4; c++) {
        spe_id v;
        if (c < 3) spe_case(m, c);
        else spe_default(m);
        v = spe_fmul(m, sum, spe_f32(m, (float)c));
        spe_endcase(m, 1, &v);
    }
    spe_endswitch(m, 1, &sum);
    spe_store(m, spe_element(m, var, 1, &i), sum, 0);
    spe_store(m, spe_index(m, p, i), spe_load(m, spe_element(m, var, 1, &i), 0), 0);
}

/* Builds with each allocation failing in turn, until none fails: then the build must succeed. */
#define EVERY_ALLOCATION(build, module_type, free_module, own_id)                                                      \
    do {                                                                                                               \
        long n = 0;                                                                                                    \
        bool done = false;                                                                                             \
        while (!done && ++n < 2000) {                                                                                  \
            from_here(n);                                                                                              \
            module_type mod = (build);                                                                                 \
            done = calls < n;                                                                                          \
            CHECK_MSG(done == (mod.words != NULL), "allocation %ld: %s", n, mod.error->text);                          \
            /* a context that is not the first: of a kernel with regions, which is built twice */                      \
            if (!done) CHECK(mod.error->id == (int)(own_id) || (n > 1 && mod.error->id == (int)SPE_ERR_MEMORY));       \
            if (!done) CHECK_HAS(mod.error->text, "memory");                                                           \
            free_module(&mod);                                                                                         \
            CHECK_MSG(live == 0, "allocation %ld: %ld blocks leak", n, live);                                          \
        }                                                                                                              \
        CHECK_MSG(done &&n > 10, "%ld allocations", n);                                                                \
    } while (0)

TEST(a_tile_kernel_with_dpas)
{
    EVERY_ALLOCATION(XT_BUILD(product, &(xt_target){.name = "bmg"}), xt_module, xt_free, XT_ERROR_MEMORY);
}
TEST(a_tile_kernel_without)
{
    EVERY_ALLOCATION(XT_BUILD(product, &(xt_target){.name = "generic"}), xt_module, xt_free, XT_ERROR_MEMORY);
}
TEST(tile_kernels_of_regions)
{
    static const char *const targets[] = {"bmg", "generic", "dg2"};
    for (int t = 0; t < 3; t++)
        EVERY_ALLOCATION(XT_BUILD(regions, &(xt_target){.name = targets[t]}, .names = true, .lines = true), xt_module,
                         xt_free, XT_ERROR_MEMORY);
}
/* Two kernels in one module: an error of either is the first one's. */
typedef struct {
    xt_module kernel[2];
    const uint32_t *words;
    const spe_error *error;
} together;
static void free_together(together *t)
{
    for (int i = 0; i < 2; i++) xt_free(&t->kernel[i]);
}
static together build_together(void)
{
    const xt_target target = {.name = "bmg"};
    const xt_build_desc descs[2] = {XT_DESC(product, &target), XT_DESC(regions, &target)};
    together t;
    memset(&t, 0, sizeof t);
    t.words = xt_build_all(t.kernel, descs, 2) ? t.kernel[0].words : NULL;
    t.error = t.kernel[0].error;
    CHECK((t.kernel[1].words != NULL) == (t.words != NULL));
    return t;
}
TEST(tile_kernels_together)
{
    EVERY_ALLOCATION(build_together(), together, free_together, XT_ERROR_MEMORY);
}
TEST(a_vector_kernel)
{
    EVERY_ALLOCATION(CV_BUILD(network, &(cv_target){.name = "bmg"}), cv_module, cv_free, CV_ERROR_MEMORY);
}
TEST(a_vector_kernel_of_regions)
{
    EVERY_ALLOCATION(CV_BUILD(training, &(cv_target){.name = "bmg"}, .names = true, .lines = true), cv_module, cv_free,
                     CV_ERROR_MEMORY);
    EVERY_ALLOCATION(CV_BUILD(training, &(cv_target){.name = "generic"}), cv_module, cv_free, CV_ERROR_MEMORY);
}
TEST(cooperative_matrices) { EVERY_ALLOCATION(write_module(matrices), written, free_written, SPE_ERR_MEMORY); }
TEST(a_module_by_hand) { EVERY_ALLOCATION(write_module(by_hand), written, free_written, SPE_ERR_MEMORY); }

/* Declared and imported functions, a struct with a pointer to itself, an image that is sampled, texts that are printed.
 * The open kernel is closed, and another one left open. */
static void declared(spe_module *m, spe_id p)
{
    static const char *const names[] = {"of"};
    spe_id f32 = spe_float(m, 32), next = spe_ptr_forward(m, SPE_StorageClassCrossWorkgroup), args[2];
    spe_id two = spe_vec(m, f32, 2), f = spe_function_declare(m, "later", f32, 1, &f32);
    spe_id other = spe_function_import(m, "other", f32, 1, &f32);
    spe_param param;
    spe_kernel k;
    memset(&param, 0, sizeof param);
    memset(&k, 0, sizeof k);
    spe_ptr_complete(m, next, spe_struct_new(m, 1, &next));
    param.type = spe_image(m, SPE_Dim2D, false, SPE_AccessQualifierReadOnly);
    args[0] = spe_load(m, p, 0);
    spe_call(m, f, 1, args);
    spe_kernel_end(m);
    spe_function_define(m, f);
    spe_param_names(m, 1, names);
    args[0] = spe_param_id(m, 0);
    spe_return_value(m, spe_call(m, other, 1, args));
    spe_function_end(m);
    k.name = "last", k.params = &param, k.param_count = 1;
    spe_kernel_begin(m, &k);
    spe_id sampler = spe_const_sampler(m, SPE_SamplerAddressingModeNone, true, SPE_SamplerFilterModeLinear);
    spe_id texel = spe_image_sample(m, spe_vec(m, f32, 4), spe_param_id(m, 0), sampler, spe_const_f(m, two, 0.5), 0);
    args[0] = spe_extract(m, texel, 0);
    args[1] = spe_string(m, "text");
    spe_printf(m, "%f %s", 2, args);
}
TEST(a_module_of_declared_things) { EVERY_ALLOCATION(write_module(declared), written, free_written, SPE_ERR_MEMORY); }

TEST(the_conversion_kernel)
{
    EVERY_ALLOCATION(cv_conversion_module(&(cv_target){.name = "pvc"}), cv_module, cv_free, CV_ERROR_MEMORY);
}

/* ---- ze_dispatch.h */

static const struct pretend_device card[] = {
    {"Intel(R) Arc(TM) B580 Graphics", ZE_DEVICE_TYPE_GPU, 0x8086, 0xe20b, 0, 0, {0, false, false}}};
enum { MANY = 100 };

/* As a program would: more handles than the first list of them has room for, a timed launch, a batch, a second queue, a
 * refused module, an unknown kernel. */
static void program(zed_device *d, zed_error *listed)
{
    static const uint32_t words[6] = {0x07230203};
    static const uint32_t with_spec[] = {0x07230203, 0x10400, 0, 3, 0, /* a spec constant with id 3, an i32 */
                                         4 << 16 | SPE_OpDecorate, 1, SPE_DecorationSpecId, 3,
                                         4 << 16 | SPE_OpTypeInt, 2, 32, 0, 4 << 16 | SPE_OpSpecConstant, 2, 1, 5};
    zed_constant constants[] = {ZED_CONSTANT(3, 7)};
    const zed_source source = {with_spec, sizeof with_spec, NULL, NULL, NULL, {0, 0, 0}, constants, 1};
    zed_module m, bad, other;
    zed_kernel k;
    zed_batch b;
    zed_device second;
    zed_list(NULL, 0, listed);
    if (!zed_open(d, NULL)) return;
    zed_module_load(&m, d, words, sizeof words, NULL);
    zed_kernel_get(&k, &m, "first", "ptr<u8> p, u32 n");
    zed_module_load_source(&other, d, &source, NULL);
    for (int i = 0; i < MANY; i++) {
        void *p = zed_alloc(d, ZED_SHARED, 16, 0);
        if (i % 3 == 0) zed_free(d, p);
    }
    zed_launch_timed(&k, (zed_groups){1, 1, 1}, NULL, 5u);
    if (zed_batch_begin(&b, d)) {
        zed_batch_launch(&b, &k, (zed_groups){1, 1, 1}, NULL, 6u);
        zed_batch_end(&b);
        zed_batch_run(&b);
    }
    if (zed_open_queue(&second, d)) zed_close(&second);
    if (zed_get_error(d)->id) return;
    zed_kernel_get(&k, &m, "nowhere", "ptr<u8> p, u32 n");
    zed_clear_error(d);
    pretend.fail_at = pretend.calls + 1;
    pretend.fail_with = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    zed_module_load(&bad, d, words, sizeof words, NULL);
}

TEST(a_program_on_level_zero)
{
    long n = 0;
    bool done = false;
    setenv("ZE_ENABLE_ALT_DRIVERS", "the user's", 1);
    while (!done && ++n < 100) {
        zed_device d;
        zed_error listed;
        memset(&d, 0, sizeof d);
        pretend_reset(card, 1);
        pretend.kernel_args = 2;
        pretend.required_size[0] = pretend.required_size[1] = pretend.required_size[2] = 1;
        pretend.log = "line 1: no";
        from_here(n);
        program(&d, &listed);
        done = calls < n;
        if (n <= 2) CHECK_INT(listed.id, ZED_OUT_OF_MEMORY); /* the list, the loader's functions */
        else CHECK_MSG(!listed.id, "allocation %ld: %s", n, listed.text);
        if (!done && n > 2) /* without memory for its log or a list of names, the error is still reported */
            CHECK_MSG(zed_get_error(&d)->id == ZED_OUT_OF_MEMORY || zed_get_error(&d)->id == ZED_MODULE_BUILD,
                      "allocation %ld: %s", n, zed_get_error(&d)->text);
        zed_close(&d);
        CHECK_MSG(live == 0, "allocation %ld: %ld blocks leak", n, live);
        CHECK_MSG(pretend.alive == 0, "allocation %ld: %d handles leak", n, pretend.alive);
    }
    CHECK_MSG(done && n > 4, "%ld allocations", n);
}

int main(void)
{
    RUN(a_tile_kernel_with_dpas);
    RUN(a_tile_kernel_without);
    RUN(tile_kernels_of_regions);
    RUN(tile_kernels_together);
    RUN(a_vector_kernel);
    RUN(a_vector_kernel_of_regions);
    RUN(cooperative_matrices);
    RUN(a_module_by_hand);
    RUN(a_module_of_declared_things);
    RUN(the_conversion_kernel);
    RUN(a_program_on_level_zero);
    return test_report();
}
