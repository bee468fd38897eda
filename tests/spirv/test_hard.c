/* test_hard.c - stress tests of the headers and the software device: 64 threads that build different kernels
 * concurrently, a kernel of 100,000 instructions (in the sample, of 25,000), regions at the nesting limit and beyond,
 * values of hundreds of parts. */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include "coopvec.h"
#include "xetile.h"
#include "ze_dispatch.h"

#include <pthread.h>

/* ---- 64 threads */

enum { BUILDERS = 64, ROUNDS = 4 };

/* The shape of a thread's kernels. */
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
    cv_vec x = CV_LOAD(X, width, CV_MUL(i, width));
    CV_STORE(CV_MUL(f32, CV_MATRIX_REF(W, f16, steps, width), x), Y, CV_MUL(i, steps));
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

/* ---- many instructions, and deep nesting: x[i] = f(x[i]) on the device */

enum { ITEMS = 64, STEP = 37 };

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

/* Runs it on 0, STEP, 2 * STEP, ...; false if it could not be loaded. */
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
         zed_kernel_get(&kernel, &module, "hard", "ptr<u32> x") &&
         zed_launch(&kernel, (zed_groups){ITEMS / 32, 1, 1}, shared);
    CHECK_MSG(ok, "%.300s", zed_get_error(&d)->text);
    if (ok) memcpy(x, shared, ITEMS * sizeof *x);
    zed_close(&d);
    return ok;
}

/* x = x * odd ^ small, this many instructions long. */
static spe_words chain(spe_module *m, uint32_t instructions)
{
    spe_words none = {NULL, 0};
    spe_id at, v;
    if (!begin(m, &at)) return none;
    v = spe_load(m, at, 0);
    for (uint32_t n = 0; n < instructions / 2; n++)
        v = spe_xor(m, spe_imul(m, v, spe_u32(m, 2 * (n % 64) + 3)), spe_u32(m, n % 128));
    spe_store(m, at, v, 0);
    spe_kernel_end(m);
    return spe_finish(m);
}

/* x[i] after `instructions` of them. */
static uint32_t chained(uint32_t x, uint32_t instructions)
{
    for (uint32_t n = 0; n < instructions / 2; n++) x = x * (2 * (n % 64) + 3) ^ n % 128;
    return x;
}

TEST(a_kernel_of_many_instructions_on_the_device)
{
    spe_module m;
    const uint32_t count = test_thorough() ? 100000 : 10000;
    spe_words words = chain(&m, count);
    uint32_t x[ITEMS], wrong = 0;
    CHECK_MSG(words.count > 4 * count, "%zu words: %s", words.count, spe_get_error(&m)->text);
    test_save_spv("test_hard_instructions", words.data, 4 * words.count);
    if (run(&words, x))
        for (uint32_t i = 0; i < ITEMS; i++) wrong += x[i] != chained(i * STEP, count);
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

/* At SPIR-V's universal limit of nesting (1023); with THOROUGH=1, beyond it, too. */
TEST(a_thousand_regions_deep_on_the_device)
{
    const int depths[] = {1023, 2000};
    for (int d = 0; d < (test_thorough() ? 2 : 1); d++) {
        spe_module m;
        spe_words words = nested(&m, depths[d]);
        uint32_t x[ITEMS], wrong = 0;
        CHECK_MSG(words.count > 0, "%s", spe_get_error(&m)->text);
        if (d == 0) test_save_spv("test_hard_nested", words.data, 4 * words.count);
        if (run(&words, x))
            for (uint32_t i = 0; i < ITEMS; i++)
                wrong += x[i] != (i * STEP < (uint32_t)depths[d] ? i * STEP : (uint32_t)depths[d]);
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

/* ---- values of hundreds of parts: every instruction that makes them, in lanes that differ, compared in all
 * elements */

enum { PAIRS = 300, TAIL = 100 };
typedef struct {
    uint32_t head;
    struct {
        uint32_t lo;
        uint64_t hi;
    } pairs[PAIRS];
    uint8_t tail[TAIL];
} wide;

typedef struct {
    spe_module m;
    spe_id u32, u64, u8, pair, pairs, tail, type, callee, at, x, v; /* types; &x[i], x[i], the value that is made */
} wide_kernel;

static spe_id inserted(wide_kernel *k, spe_id v, spe_id part, uint32_t n, uint32_t i, uint32_t j, uint32_t l)
{
    const uint32_t words[] = {part, v, i, j, l};
    return spe_op(&k->m, SPE_OpCompositeInsert, k->type, 2 + n, words);
}

/* v with some of its parts changed, computed from a number. */
static spe_id changed(wide_kernel *k, spe_id v, spe_id x, uint32_t seed)
{
    for (uint32_t j = 0; j < 5; j++) {
        spe_id n = spe_iadd(&k->m, x, spe_u32(&k->m, seed * j)), pair[2];
        pair[0] = n;
        pair[1] = spe_imul(&k->m, spe_uconvert(&k->m, k->u64, n), spe_u64(&k->m, 0x100000001b3u));
        v = inserted(k, v, n, 3, 1, (seed * 7 + j * 31) % PAIRS, 0);
        v = inserted(k, v, spe_construct(&k->m, k->pair, 2, pair), 2, 1, (seed * 11 + j * 37) % PAIRS, 0);
        v = inserted(k, v, spe_uconvert(&k->m, k->u8, n), 2, 2, (seed + j * 19) % TAIL, 0);
    }
    return inserted(k, v, spe_iadd(&k->m, x, spe_u32(&k->m, seed)), 1, 0, 0, 0);
}

static void change(wide *v, uint32_t x, uint32_t seed)
{
    for (uint32_t j = 0; j < 5; j++) {
        uint32_t n = x + seed * j;
        v->pairs[(seed * 7 + j * 31) % PAIRS].lo = n;
        v->pairs[(seed * 11 + j * 37) % PAIRS].lo = n;
        v->pairs[(seed * 11 + j * 37) % PAIRS].hi = n * (uint64_t)0x100000001b3u;
        v->tail[(seed + j * 19) % TAIL] = (uint8_t)n;
    }
    v->head = x + seed;
}

static void wide_types(wide_kernel *k)
{
    spe_id members[3];
    k->u32 = spe_int(&k->m, 32), k->u64 = spe_int(&k->m, 64), k->u8 = spe_int(&k->m, 8);
    members[0] = k->u32, members[1] = k->u64;
    k->pair = spe_struct(&k->m, 2, members);
    members[0] = k->u32, members[1] = k->pairs = spe_array(&k->m, k->pair, PAIRS);
    members[2] = k->tail = spe_array(&k->m, k->u8, TAIL);
    k->type = spe_struct(&k->m, 3, members);
}

/* {7, {i, 2 i} ..., i ...} */
static spe_id wide_constant(wide_kernel *k)
{
    spe_id parts[PAIRS], members[3], two[2];
    for (uint32_t i = 0; i < PAIRS; i++) {
        two[0] = spe_u32(&k->m, i), two[1] = spe_u64(&k->m, 2 * (uint64_t)i);
        parts[i] = spe_composite_const(&k->m, k->pair, 2, two);
    }
    members[0] = spe_u32(&k->m, 7), members[1] = spe_composite_const(&k->m, k->pairs, PAIRS, parts);
    for (uint32_t i = 0; i < TAIL; i++) parts[i] = spe_const_u(&k->m, k->u8, i);
    members[2] = spe_composite_const(&k->m, k->tail, TAIL, parts);
    return spe_composite_const(&k->m, k->type, 3, members);
}

static void constant(wide *v)
{
    memset(v, 0, sizeof *v);
    v->head = 7;
    for (uint32_t i = 0; i < PAIRS; i++) v->pairs[i].lo = i, v->pairs[i].hi = 2 * (uint64_t)i;
    for (uint32_t i = 0; i < TAIL; i++) v->tail[i] = (uint8_t)i;
}

/* The operations on the value, `odd` in every second lane: the same on the device and on the host. */
static void wide_body(wide_kernel *k)
{
    spe_module *m = &k->m;
    spe_id one = spe_u32(m, 1), odd = spe_ine(m, spe_and(m, k->x, one), spe_u32(m, 0)), old, other, words[3];
    spe_id var = spe_local_var(m, k->type), part = spe_local_var(m, k->pairs);
    k->v = changed(k, spe_null(m, k->type), k->x, 1);
    spe_store(m, var, k->v, 0);                                     /* private memory, whole and a part */
    k->v = changed(k, spe_load(m, var, 0), k->x, 2);
    spe_store(m, part, spe_extract(m, k->v, 1), 0);
    k->v = inserted(k, wide_constant(k), spe_load(m, part, 0), 1, 1, 0, 0);
    old = k->v;                                                     /* divergent lanes */
    spe_if(m, odd);
    other = changed(k, old, k->x, 3);
    spe_else(m, 1, &other);
    other = changed(k, old, k->x, 4);
    spe_endif(m, 1, &other, &k->v);
    /* and leave a loop one after the other */
    spe_for(m, spe_u32(m, 0), spe_and(m, k->x, spe_u32(m, 3)), one, 1, &k->v);
    k->v = changed(k, k->v, spe_iadd(m, spe_extract(m, k->v, 0), one), 5);
    spe_endfor(m, 1, &k->v);
    spe_if(m, odd);
    other = spe_call(m, k->callee, 1, &k->v);
    spe_endif_from(m, 1, &other, &k->v, &k->v);
    words[0] = odd, words[1] = k->v, words[2] = changed(k, k->v, k->x, 6);
    k->v = spe_op(m, SPE_OpSelect, k->type, 3, words);
    words[0] = k->v;
    k->v = spe_op(m, SPE_OpCopyObject, k->type, 1, words);
    words[0] = spe_extract(m, k->v, 0), words[1] = spe_extract(m, k->v, 1), words[2] = spe_extract(m, k->v, 2);
    k->v = spe_construct(m, k->type, 3, words);
    spe_store(m, k->at, k->v, 0);                                   /* global memory */
    k->v = changed(k, spe_load(m, k->at, 0), k->x, 8);
    spe_store(m, k->at, k->v, 0);
}

static void wide_on_host(wide *v, uint32_t x)
{
    wide fresh;
    memset(v, 0, sizeof *v);
    change(v, x, 1);
    change(v, x, 2);
    constant(&fresh);
    memcpy(fresh.pairs, v->pairs, sizeof fresh.pairs);
    *v = fresh;
    change(v, x, x & 1 ? 3 : 4);
    for (uint32_t i = 0; i < (x & 3); i++) change(v, v->head + 1, 5);
    if (x & 1) change(v, v->head, 9);
    if (!(x & 1)) change(v, x, 6);
    change(v, x, 8);
}

static spe_words wide_module(wide_kernel *k)
{
    spe_param p[2];
    spe_kernel what;
    memset(p, 0, sizeof p);
    memset(&what, 0, sizeof what);
    spe_begin(&k->m, NULL);
    wide_types(k);
    k->callee = spe_function_begin(&k->m, "called", k->type, 1, &k->type);
    spe_id v = spe_param_id(&k->m, 0);
    spe_return_value(&k->m, changed(k, v, spe_extract(&k->m, v, 0), 9));
    spe_function_end(&k->m);
    p[0].type = p[1].type = spe_ptr(&k->m, SPE_StorageClassCrossWorkgroup, k->u32);
    p[0].name = "x", p[1].name = "to";
    what.name = "wide", what.params = p, what.param_count = 2;
    what.local_size[0] = 32, what.local_size[1] = what.local_size[2] = 1;
    spe_kernel_begin(&k->m, &what);
    spe_id item = spe_builtin(&k->m, SPE_GLOBAL_ID, 0);
    k->x = spe_load(&k->m, spe_index(&k->m, spe_param_id(&k->m, 0), item), 0);
    k->at = spe_index(&k->m, spe_ptr_cast(&k->m, spe_param_id(&k->m, 1), k->type), item);
    wide_body(k);
    spe_kernel_end(&k->m);
    return spe_finish(&k->m);
}

static uint32_t differences(const wide *a, const wide *b)
{
    uint32_t n = a->head != b->head;
    for (uint32_t i = 0; i < PAIRS; i++) n += (a->pairs[i].lo != b->pairs[i].lo) + (a->pairs[i].hi != b->pairs[i].hi);
    for (uint32_t i = 0; i < TAIL; i++) n += a->tail[i] != b->tail[i];
    return n;
}

TEST(values_of_hundreds_of_parts)
{
    wide_kernel k;
    zed_device d;
    zed_module module;
    zed_kernel kernel;
    spe_words words = wide_module(&k);
    CHECK_MSG(words.count, "%s", spe_get_error(&k.m)->text);
    test_save_spv("test_hard_wide", words.data, 4 * words.count);
    bool ok = zed_open(&d, &(zed_options){.name = "software"});
    uint32_t *x = ok ? (uint32_t *)zed_alloc(&d, ZED_SHARED, ITEMS * sizeof *x, 0) : NULL;
    wide *to = ok ? (wide *)zed_alloc(&d, ZED_SHARED, ITEMS * sizeof *to, 0) : NULL, want;
    for (uint32_t i = 0; ok && i < ITEMS; i++) x[i] = 0x9e3779b9u * (i + 1) >> 7;
    if (ok) memset(to, 0xa5, ITEMS * sizeof *to);
    ok = ok && zed_module_load(&module, &d, words.data, 4 * words.count, NULL) &&
         zed_kernel_get(&kernel, &module, "wide", "ptr<u32> x, ptr<u32> to") &&
         zed_launch(&kernel, (zed_groups){ITEMS / 32, 1, 1}, x, (uint32_t *)(void *)to);
    CHECK_MSG(ok, "%.300s", zed_get_error(&d)->text);
    for (uint32_t i = 0; ok && i < ITEMS; i++) {
        wide_on_host(&want, x[i]);
        CHECK_INT(differences(&to[i], &want), 0);
    }
    zed_close(&d);
    spe_free(&k.m);
}

int main(void)
{
    RUN(sixty_four_threads_build);
    RUN(a_kernel_of_many_instructions_on_the_device);
    RUN(a_thousand_regions_deep_on_the_device);
    RUN(as_deep_as_regions_nest);
    RUN(values_of_hundreds_of_parts);
    return test_report();
}
