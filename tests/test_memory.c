/* test_memory.c - out of memory at every allocation of the headers in turn: the error says so, nothing is built, nothing leaks. The
 * headers' malloc, calloc, realloc and free are this program's, and Level Zero is the one of pretend_ze.h.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "test.h"

#include "pretend_ze.h"

static long calls, live, fail_at; /* the number of the call that fails, from 1; 0: none does */

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
    const xt_map map_a = XT_MAP(.sg_layout = {2, 2}, .sg_data = {32, 32}), map_c = XT_MAP(.sg_layout = {2, 2}, .sg_data = {32, 64});
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
    cv_vec x = CV_LOAD(X, 32, CV_TIMES(i, 32));
    cv_vec y = CV_MUL(f32, CV_MATRIX_REF(W, f16, 16, 32), x);
    CV_STORE(CV_MAX(y, CV_SPLAT(f32, 16, 0)), Y, CV_TIMES(i, 16));
}

/* Builds with each allocation failing, until so many are not made: then all must have gone well. */
#define EVERY_ALLOCATION(build, module_type, free_module, own_id)                                                      \
    do {                                                                                                               \
        long n = 0;                                                                                                    \
        bool done = false;                                                                                             \
        while (!done && ++n < 500) {                                                                                   \
            from_here(n);                                                                                              \
            module_type mod = (build);                                                                                 \
            done = calls < n;                                                                                          \
            CHECK_MSG(done == (mod.words != NULL), "allocation %ld", n);                                               \
            if (!done) CHECK_INT(mod.error->id, n == 1 ? (int)(own_id) : (int)SPE_ERR_MEMORY);                         \
            if (!done) CHECK_HAS(mod.error->text, "memory");                                                           \
            free_module(&mod);                                                                                         \
            CHECK_MSG(live == 0, "allocation %ld: %ld blocks leak", n, live);                                          \
        }                                                                                                              \
        CHECK_MSG(done && n > 10, "%ld allocations", n);                                                               \
    } while (0)

TEST(a_tile_kernel_with_dpas) { EVERY_ALLOCATION(XT_BUILD(product, &(xt_target){.name = "bmg"}), xt_module, xt_free, XT_ERROR_MEMORY); }
TEST(a_tile_kernel_without) { EVERY_ALLOCATION(XT_BUILD(product, &(xt_target){.name = "generic"}), xt_module, xt_free, XT_ERROR_MEMORY); }
TEST(a_vector_kernel) { EVERY_ALLOCATION(CV_BUILD(network, &(cv_target){.name = "bmg"}), cv_module, cv_free, CV_ERROR_MEMORY); }
TEST(the_conversion_kernel) { EVERY_ALLOCATION(cv_conversion_module(&(cv_target){.name = "pvc"}), cv_module, cv_free, CV_ERROR_MEMORY); }

/* ---- ze_dispatch.h */

static const struct pretend_device card[] = {{"Intel(R) Arc(TM) B580 Graphics", ZE_DEVICE_TYPE_GPU, 0x8086, 0xe20b, 0, 0}};
enum { MANY = 100 };

/* As a program would: more handles than the first list of them has room for, a refused module, an unknown kernel. */
static void program(zed_device *d, zed_error *listed)
{
    static const uint32_t words[6] = {0x07230203};
    zed_module m, bad;
    zed_kernel k;
    zed_list(NULL, 0, listed);
    if (!zed_open(d, NULL)) return;
    zed_module_load(&m, d, words, sizeof words, NULL);
    zed_kernel_get(&k, &m, "first", "ptr<u8> p, u32 n");
    for (int i = 0; i < MANY; i++) {
        void *p = zed_alloc(d, ZED_SHARED, 16, 0);
        if (i % 3 == 0) zed_free(d, p);
    }
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
        pretend.log = "line 1: no";
        from_here(n);
        program(&d, &listed);
        done = calls < n;
        if (n == 1) CHECK_INT(listed.id, ZED_OUT_OF_MEMORY);
        else CHECK_INT(listed.id, 0);
        if (!done && n > 1) /* without memory for its log or a list of names, a refusal is still one */
            CHECK_MSG(zed_get_error(&d)->id == ZED_OUT_OF_MEMORY || zed_get_error(&d)->id == ZED_MODULE_BUILD, "allocation %ld: %s", n,
                      zed_get_error(&d)->text);
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
    RUN(a_vector_kernel);
    RUN(the_conversion_kernel);
    RUN(a_program_on_level_zero);
    return test_report();
}
