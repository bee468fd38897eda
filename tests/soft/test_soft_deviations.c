/* test_soft_deviations.c - invalid SPIR-V that drivers accept: each kind runs, with a warning in the build log, even
 * from the cache, and is refused with XETILE_SOFT_STRICT=1. */
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

#include <sys/wait.h>
#include <unistd.h>

enum { N = 40 };

static zed_device device;
static bool strict;

/* kernel(ptr<f32> from, ptr<f32> to), open; its work-item's number */
static spe_id begin(spe_module *m)
{
    spe_param params[2];
    spe_kernel k;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    params[0].type = params[1].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_float(m, 32));
    k.name = "deviates";
    k.params = params;
    k.param_count = 2;
    spe_kernel_begin(m, &k);
    return spe_builtin(m, SPE_GLOBAL_ID, 0);
}

static float from_host(uint32_t i) { return (float)(i % 97) - 40; }

/* The module runs, or a strict device refuses it; either way the log has `part`. False: nothing to compare. */
static bool run(spe_module *m, const char *part, float *to)
{
    spe_words w = spe_finish(m);
    uint32_t *words = NULL, kept = 5;
    zed_module module;
    zed_kernel kernel;
    float *from = (float *)zed_alloc(&device, ZED_SHARED, N * 64 * 4, 0);
    float *result = (float *)zed_alloc(&device, ZED_SHARED, N * 4, 0);
    bool good = false;
    CHECK_MSG(w.data && from && result, "%s", spe_get_error(m)->text);
    if (w.data) words = (uint32_t *)malloc(w.count * 4);
    if (!words || !from || !result) return false;
    /* without the capability that makes long vectors valid */
    memcpy(words, w.data, 5 * 4);
    for (size_t at = 5; at < w.count; at += w.data[at] >> 16) {
        if (w.data[at] == (2u << 16 | SPE_OpCapability) && w.data[at + 1] == SPE_CapabilityVectorAnyINTEL) continue;
        memcpy(words + kept, w.data + at, (w.data[at] >> 16) * 4);
        kept += w.data[at] >> 16;
    }
    for (uint32_t i = 0; i < N * 64; i++) from[i] = from_host(i);
    for (int again = 0; again < 2; again++) {
        memset(result, 0, N * 4);
        good = zed_module_load(&module, &device, words, (size_t)kept * 4, NULL);
        if (strict) {
            CHECK(!good && zed_get_error(&device)->id != 0);
            CHECK_HAS(zed_build_log(&device), part);
            good = false;
            zed_clear_error(&device);
            continue;
        }
        CHECK_HAS(zed_build_log(&device), part);
        CHECK_HAS(zed_build_log(&device), "XETILE_SOFT_STRICT=1");
        good = good && zed_kernel_get(&kernel, &module, "deviates", "ptr<f32> from, ptr<f32> to") &&
               zed_local_size(&kernel, N, 1, 1) && zed_launch(&kernel, (zed_groups){1, 1, 1}, from, result);
        CHECK_MSG(good, "%s %s", zed_get_error(&device)->text, zed_build_log(&device));
    }
    memcpy(to, result, N * 4);
    free(words);
    return good;
}

TEST(vectors_of_any_length)
{
    static const uint32_t lengths[] = {5, 7, 9, 11, 12, 14, 32, 64};
    for (size_t n = 0; n < sizeof lengths / sizeof lengths[0]; n++) {
        spe_module m;
        uint32_t length = lengths[n], room = 1;
        float got[N];
        while (room < length) room *= 2;
        spe_begin(&m, NULL);
        spe_capability(&m, SPE_CapabilityVectorAnyINTEL);
        spe_id item = begin(&m), type = spe_vec(&m, spe_float(&m, 32), length);
        spe_id v = spe_load(&m, spe_index(&m, spe_ptr_cast(&m, spe_param_id(&m, 0), type), item), 4);
        spe_id twice = spe_fadd(&m, v, v), sum = spe_f32(&m, 0);
        for (uint32_t k = 0; k < length; k++)
            sum = spe_fadd(&m, sum, spe_fmul(&m, spe_extract(&m, twice, k), spe_f32(&m, (float)(k + 1))));
        spe_store(&m, spe_index(&m, spe_param_id(&m, 1), item), sum, 4);
        spe_kernel_end(&m);
        if (run(&m, "components", got))
            for (uint32_t i = 0; i < N; i++) {
                float want = 0;
                for (uint32_t k = 0; k < length; k++) want += 2 * from_host(i * room + k) * (float)(k + 1);
                CHECK_MSG(got[i] == want, "%u components, item %u: %g, want %g", length, i, (double)got[i],
                          (double)want);
            }
        spe_free(&m);
    }
}

/* The address is that of the indices, the type that of the result. */
TEST(chains_to_other_types)
{
    spe_module m;
    float got[N];
    spe_begin(&m, NULL);
    spe_id item = begin(&m), f32 = spe_float(&m, 32), i32 = spe_int(&m, 32);
    spe_id bytes = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, i32);
    const uint32_t words[] = {spe_param_id(&m, 0), item};
    spe_id as_int = spe_load(&m, spe_op(&m, SPE_OpInBoundsPtrAccessChain, bytes, 2, words), 4);
    spe_id mine = spe_local_var(&m, spe_array(&m, i32, 4));
    const uint32_t inner[] = {mine, spe_i32(&m, 2)};
    spe_id private_float = spe_op(&m, SPE_OpInBoundsAccessChain, spe_ptr(&m, SPE_StorageClassFunction, f32), 2, inner);
    spe_store(&m, private_float, spe_f32(&m, 0.5f), 4);
    spe_id back =
        spe_load(&m, spe_op(&m, SPE_OpInBoundsAccessChain, spe_ptr(&m, SPE_StorageClassFunction, i32), 2, inner), 4);
    spe_id sum = spe_fadd(&m, spe_bitcast(&m, f32, as_int), spe_bitcast(&m, f32, back));
    spe_store(&m, spe_index(&m, spe_param_id(&m, 1), item), sum, 4);
    spe_kernel_end(&m);
    if (run(&m, "the indexed type", got))
        for (uint32_t i = 0; i < N; i++) CHECK(got[i] == from_host(i) + 0.5f);
    spe_free(&m);
}

/* Values computed from it are arbitrary; all others must be right. */
TEST(values_that_are_not_there)
{
    spe_module m;
    float got[N];
    spe_begin(&m, NULL);
    spe_id item = begin(&m), inside, f32 = spe_float(&m, 32);
    spe_id v = spe_load(&m, spe_index(&m, spe_param_id(&m, 0), item), 4), zero = spe_f32(&m, 0);
    spe_if(&m, spe_ult(&m, item, spe_i32(&m, 7)));
    const uint32_t two[] = {v, v};
    inside = spe_op(&m, SPE_OpFAdd, f32, 2, two);
    spe_endif(&m, 0, NULL, NULL);
    const uint32_t of_none[] = {v, zero}, choice[] = {spe_ult(&m, item, spe_i32(&m, N)), v, 0};
    spe_id undefined = spe_op(&m, SPE_OpFMul, f32, 2, of_none);
    spe_buffer_ *body = &m.buffer[SPE_BUFFER_BODY_];
    body->data[body->count - 2] = inside; /* which the call refuses */
    const uint32_t chosen[] = {choice[0], v, undefined};
    spe_id result = spe_op(&m, SPE_OpSelect, f32, 3, chosen);
    spe_store(&m, spe_index(&m, spe_param_id(&m, 1), item), result, 4);
    spe_kernel_end(&m);
    if (run(&m, "not defined on every way", got))
        for (uint32_t i = 0; i < N; i++) CHECK(got[i] == from_host(i));
    spe_free(&m);
}

/* This program again. */
static const char *program;
TEST(a_strict_device_refuses_them)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        setenv("XETILE_SOFT_STRICT", "1", 1);
        execl(program, program, "strict", (char *)NULL);
        _exit(127);
    }
    if (child > 0) waitpid(child, &status, 0);
    CHECK(child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
    program = argv[0];
    strict = argc > 1;
    if (!strict) RUN(a_strict_device_refuses_them);
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(vectors_of_any_length);
    RUN(chains_to_other_types);
    RUN(values_that_are_not_there);
    zed_close(&device);
    return test_report();
}
