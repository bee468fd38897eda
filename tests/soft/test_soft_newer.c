/* test_soft_newer.c - extensions that compilers have begun to use and Debian 12's assemblers do not know: arithmetic
 * fences, OpFmaKHR, other vendors' names of extensions, decorations for the host's access or the allowed error.
 *
 *     r[3 i] = fma(x, y, -(x * y rounded)); r[3 i + 1] = fence(x * y) - x * y: 0; r[3 i + 2] the first of vectors of 4
 */
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

enum {
    N = 48,
    OP_FENCE = 6145,
    OP_FMA = 4427,
    CAP_FENCE = 6144,
    CAP_FMA = 6030,
    CAP_HOST_ACCESS = 6187,
    CAP_MAX_ERROR = 6169,
    HOST_ACCESS = 6188,
    MAX_ERROR = 6170
};

static void emit(spe_module *m)
{
    static const char *const extensions[] = {"SPV_EXT_arithmetic_fence",
                                             "SPV_INTEL_arithmetic_fence",
                                             "SPV_KHR_fma",
                                             "SPV_INTEL_global_variable_host_access",
                                             "SPV_INTEL_fp_max_error",
                                             "SPV_EXT_split_barrier"};
    static const uint32_t capabilities[] = {CAP_FENCE, CAP_FMA, CAP_HOST_ACCESS, CAP_MAX_ERROR};
    const uint32_t half_unit = 0x3f000000;
    spe_param params[3];
    spe_kernel k;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    spe_begin(m, NULL);
    for (int i = 0; i < 6; i++) spe_extension(m, extensions[i]);
    for (int i = 0; i < 4; i++) spe_capability(m, capabilities[i]);
    spe_id f32 = spe_float(m, 32), f32x4 = spe_vec(m, f32, 4);
    for (int i = 0; i < 3; i++) params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, f32);
    k.name = "newer";
    k.params = params;
    k.param_count = 3;
    spe_kernel_begin(m, &k);
    spe_id item = spe_builtin(m, SPE_GLOBAL_ID, 0), at = spe_imul(m, item, spe_i32(m, 3));
    spe_id x = spe_load(m, spe_index(m, spe_param_id(m, 0), item), 4),
           y = spe_load(m, spe_index(m, spe_param_id(m, 1), item), 4);
    spe_id product = spe_fmul(m, x, y), fence = spe_op(m, OP_FENCE, f32, 1, &product);
    const uint32_t scalars[] = {x, y, spe_fneg(m, fence)};
    spe_id rest = spe_op(m, OP_FMA, f32, 3, scalars);
    const uint32_t vectors[] = {spe_splat(m, f32x4, x), spe_splat(m, f32x4, y), spe_splat(m, f32x4, scalars[2])};
    spe_id wide = spe_op(m, OP_FMA, f32x4, 3, vectors), kept = spe_op(m, OP_FENCE, f32x4, 1, &wide);
    spe_decorate(m, rest, MAX_ERROR, 1, &half_unit);
    spe_store(m, spe_index(m, spe_param_id(m, 2), at), rest, 4);
    spe_store(m, spe_index(m, spe_param_id(m, 2), spe_iadd(m, at, spe_i32(m, 1))),
              spe_fsub(m, fence, spe_fmul(m, x, y)), 4);
    spe_store(m, spe_index(m, spe_param_id(m, 2), spe_iadd(m, at, spe_i32(m, 2))), spe_extract(m, kept, 0), 4);
    spe_kernel_end(m);
}

static zed_device device;

TEST(fences_and_fma)
{
    spe_module m;
    spe_words w;
    zed_module module;
    zed_kernel kernel;
    float *x = (float *)zed_alloc(&device, ZED_SHARED, N * 4, 0),
          *y = (float *)zed_alloc(&device, ZED_SHARED, N * 4, 0);
    float *r = (float *)zed_alloc(&device, ZED_SHARED, 3 * N * 4, 0);
    emit(&m);
    w = spe_finish(&m);
    CHECK_MSG(w.data, "%s", spe_get_error(&m)->text);
    for (int i = 0; i < N && x && y && r; i++) {
        x[i] = (float)test_normal();
        y[i] = (float)test_normal();
        for (int k = 0; k < 3; k++) r[3 * i + k] = -1e30f;
    }
    if (w.data && zed_module_load(&module, &device, w.data, w.count * 4, NULL) &&
        zed_kernel_get(&kernel, &module, "newer", "ptr<f32> x, ptr<f32> y, ptr<f32> r") &&
        zed_local_size(&kernel, N, 1, 1))
        zed_launch(&kernel, (zed_groups){1, 1, 1}, x, y, r);
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s %s", zed_get_error(&device)->text, zed_build_log(&device));
    for (int i = 0; i < N && zed_get_error(&device)->id == 0; i++) {
        volatile float product = x[i] * y[i];
        float want = (float)((double)x[i] * y[i] - product); /* exact: the rounding of a product is a float */
        CHECK_MSG(r[3 * i] == want && r[3 * i + 2] == want, "item %d: %g and %g, want %g", i, (double)r[3 * i],
                  (double)r[3 * i + 2], (double)want);
        CHECK(r[3 * i + 1] == 0);
    }
    spe_free(&m);
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(fences_and_fma);
    zed_close(&device);
    return test_report();
}
