/* test_hard.c - a hard life for the headers and the software device: 64 threads that build different kernels at once, a kernel of
 * 100,000 instructions, regions nested as deep as they may be and one deeper.
 */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include "coopvec.h"
#include "xetile.h"
#include "ze_dispatch.h"

#include <pthread.h>

/* ---- 64 threads */

enum { BUILDERS = 64, ROUNDS = 4 };

/* What a thread's kernels are like. */
static _Thread_local int width, steps;

XT_KERNEL(tiles, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const xt_map map = XT_MAP(.sg_layout = {1, 4}, .sg_data = {16, width / 4});
    const xt_map map_a = XT_MAP(.sg_layout = {1, 4}, .sg_data = {16, 16});
    xt_tile a = XT_INIT_TILE(A, f16, 16, 16, .shape = XT_AT(M, K), .map = map_a);
    xt_tile b = XT_INIT_TILE(B, f16, 16, width, .shape = XT_AT(K, N), .map = map);
    xt_tile c = XT_INIT_TILE(C, f32, 16, width, .shape = XT_AT(M, N), .map = map);
    xt_vec acc = XT_SPLAT(f32, 16, width, 0, .map = map);
    for (int s = 0; s < steps; s++) {
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, 16);
        b = XT_UPDATE_TILE_OFFSET(b, 16, 0);
    }
    XT_STORE_TILE(acc, c);
}

CV_KERNEL(vectors, ptr(f16, W), ptr(f16, X), ptr(f32, Y))
{
    cv_val i = CV_GLOBAL_ID();
    cv_vec x = CV_LOAD(X, width, CV_TIMES(i, width));
    CV_STORE(CV_MUL(f32, CV_MATRIX_REF(W, f16, steps, width), x), Y, CV_TIMES(i, steps));
}

typedef struct {
    pthread_t thread;
    int number;
    uint64_t sum;
    char error[200];
} builder;

static uint64_t sum_of(uint64_t sum, const uint32_t *words, size_t bytes)
{
    for (size_t i = 0; i < bytes / 4; i++) sum = (sum ^ words[i]) * 0x100000001b3u;
    return sum;
}

static void *build_all(void *argument)
{
    static const char *const targets[] = {"pvc", "bmg", "dg2", "generic", "soft"};
    builder *b = (builder *)argument;
    b->sum = 0xcbf29ce484222325u;
    for (int round = 0; round < ROUNDS && !b->error[0]; round++) {
        const char *target = targets[(b->number + round) % 5];
        width = 64 * (1 + b->number % 4);
        steps = 1 + b->number / 4;
        xt_module t = XT_BUILD(tiles, &(xt_target){.name = target});
        cv_module v = CV_BUILD(vectors, &(cv_target){.name = target});
        if (!t.words) snprintf(b->error, sizeof b->error, "%.190s", t.error->text);
        else if (!v.words) snprintf(b->error, sizeof b->error, "%.190s", v.error->text);
        else b->sum = sum_of(sum_of(b->sum, t.words, t.size), v.words, v.size);
        xt_free(&t);
        cv_free(&v);
    }
    return NULL;
}

TEST(sixty_four_threads_build)
{
    static builder alone[BUILDERS], together[BUILDERS];
    int different = 0;
    for (int i = 0; i < BUILDERS; i++) {
        alone[i].number = together[i].number = i;
        build_all(&alone[i]);
        CHECK_STR(alone[i].error, "");
        different += i > 0 && alone[i].sum != alone[i - 1].sum;
    }
    CHECK_INT(different, BUILDERS - 1);
    for (int i = 0; i < BUILDERS; i++) CHECK_INT(pthread_create(&together[i].thread, NULL, build_all, &together[i]), 0);
    for (int i = 0; i < BUILDERS; i++) {
        pthread_join(together[i].thread, NULL);
        CHECK_STR(together[i].error, "");
        CHECK_MSG(together[i].sum == alone[i].sum, "thread %d built something else than it does alone", i);
    }
}

/* ---- 100,000 instructions, and deep nesting: x[i] = f(x[i]) on the device */

enum { INSTRUCTIONS = 100000, ITEMS = 64, STEP = 37 };

static bool begin(spe_module *m, spe_id *at)
{
    spe_param p;
    spe_kernel k;
    memset(&p, 0, sizeof p);
    memset(&k, 0, sizeof k);
    if (!spe_begin(m, NULL)) return false;
    p.type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 32));
    p.name = "x";
    k.name = "hard";
    k.local_size[0] = 32, k.local_size[1] = k.local_size[2] = 1;
    k.params = &p;
    k.param_count = 1;
    spe_kernel_begin(m, &k);
    *at = spe_index(m, spe_param_id(m, 0), spe_builtin(m, SPE_GLOBAL_ID, 0));
    return true;
}

/* Runs it on 0, STEP, 2 * STEP, ...; false when it was not even loaded. */
static bool run(const spe_words *words, uint32_t *x)
{
    zed_device d;
    zed_module module;
    zed_kernel kernel;
    uint32_t *shared;
    bool ok = zed_open(&d, &(zed_options){.name = "software"});
    shared = ok ? (uint32_t *)zed_alloc(&d, ZED_SHARED, ITEMS * sizeof *x, 0) : NULL;
    for (uint32_t i = 0; shared && i < ITEMS; i++) shared[i] = i * STEP;
    ok = shared && zed_module_load(&module, &d, words->data, 4 * words->count, NULL) &&
         zed_kernel_get(&kernel, &module, "hard", "ptr<u32> x") && zed_launch(&kernel, (zed_groups){ITEMS / 32, 1, 1}, shared);
    CHECK_MSG(ok, "%.300s", zed_get_error(&d)->text);
    if (ok) memcpy(x, shared, ITEMS * sizeof *x);
    zed_close(&d);
    return ok;
}

/* x = x * odd ^ small, so many instructions long. */
static spe_words chain(spe_module *m, uint32_t instructions)
{
    spe_words none = {NULL, 0};
    spe_id at, v;
    if (!begin(m, &at)) return none;
    v = spe_load(m, at, 0);
    for (uint32_t n = 0; n < instructions / 2; n++) v = spe_xor(m, spe_imul(m, v, spe_u32(m, 2 * (n % 64) + 3)), spe_u32(m, n % 128));
    spe_store(m, at, v, 0);
    spe_kernel_end(m);
    return spe_finish(m);
}

/* x[i], as `instructions` of them leave it. */
static uint32_t chained(uint32_t x, uint32_t instructions)
{
    for (uint32_t n = 0; n < instructions / 2; n++) x = x * (2 * (n % 64) + 3) ^ n % 128;
    return x;
}

TEST(a_kernel_of_100000_instructions_on_the_device)
{
    spe_module m;
    spe_words words = chain(&m, INSTRUCTIONS);
    uint32_t x[ITEMS], wrong = 0;
    CHECK_MSG(words.count > 4 * INSTRUCTIONS, "%zu words: %s", words.count, spe_get_error(&m)->text);
    test_save_spv("test_hard_instructions", words.data, 4 * words.count);
    if (run(&words, x))
        for (uint32_t i = 0; i < ITEMS; i++) wrong += x[i] != chained(i * STEP, INSTRUCTIONS);
    CHECK_INT(wrong, 0);
    spe_free(&m);
}

/* if (v > 0) { if (v > 1) { ... v += 1 ... } }: as many additions as the value lets through. */
static spe_words nested(spe_module *m, int depth)
{
    spe_id at, v, result;
    spe_words none = {NULL, 0};
    if (!begin(m, &at)) return none;
    v = spe_load(m, at, 0);
    result = spe_u32(m, 0);
    for (int i = 0; i < depth && spe_ok(m); i++) spe_if(m, spe_ugt(m, v, spe_u32(m, (uint32_t)i)));
    for (int i = depth - 1; i >= 0 && spe_ok(m); i--) {
        spe_id one_more = spe_iadd(m, result, spe_u32(m, 1)), otherwise = spe_u32(m, 0);
        spe_endif_from(m, 1, &one_more, &otherwise, &result);
    }
    spe_store(m, at, result, 0);
    spe_kernel_end(m);
    return spe_finish(m);
}

/* As deep as SPIR-V promises that every device takes (universal limits: 1023), and beyond. */
TEST(thousands_of_regions_deep_on_the_device)
{
    static const int depths[] = {1023, 2000};
    for (int d = 0; d < 2; d++) {
        spe_module m;
        spe_words words = nested(&m, depths[d]);
        uint32_t x[ITEMS], wrong = 0;
        CHECK_MSG(words.count > 0, "%s", spe_get_error(&m)->text);
        if (d == 0) test_save_spv("test_hard_nested", words.data, 4 * words.count);
        if (run(&words, x))
            for (uint32_t i = 0; i < ITEMS; i++) wrong += x[i] != (i * STEP < (uint32_t)depths[d] ? i * STEP : (uint32_t)depths[d]);
        CHECK_INT(wrong, 0);
        spe_free(&m);
    }
}

TEST(as_deep_as_regions_nest)
{
    spe_module m;
    spe_words words = nested(&m, 65000);
    CHECK_MSG(words.count > 65000 * 5, "%zu words: %s", words.count, spe_get_error(&m)->text);
    spe_free(&m);
    words = nested(&m, 65001);
    CHECK(!words.data && !words.count);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_LIMIT);
    CHECK_HAS(spe_get_error(&m)->text, "65000");
    spe_free(&m);
}

int main(void)
{
    RUN(sixty_four_threads_build);
    RUN(a_kernel_of_100000_instructions_on_the_device);
    RUN(thousands_of_regions_deep_on_the_device);
    RUN(as_deep_as_regions_nest);
    return test_report();
}
