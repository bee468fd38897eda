/* host_cpp.h - a program in C++17, for test_cpp.sh, that uses every header but writes no kernel with macros: it emits
 * y = 2 x + 1 with spirv_emit.h, launches it, and asks the other headers what a host may ask.
 */
#include "coopvec.h"
#include "xetile.h"
#include "ze_dispatch.h"

static spe_words doubled(spe_module *m)
{
    spe_begin(m, nullptr);
    spe_id f32 = spe_float(m, 32), pointer = spe_ptr(m, SPE_StorageClassCrossWorkgroup, f32);
    spe_param params[2] = {{pointer, "x", false, true, 4}, {pointer, "y", false, false, 4}};
    spe_kernel kernel = {};
    kernel.name = "doubled";
    kernel.params = params;
    kernel.param_count = 2;
    kernel.local_size[0] = 32;
    spe_kernel_begin(m, &kernel);
    spe_id at = spe_builtin(m, SPE_GLOBAL_ID, 0), two = spe_const_f(m, f32, 2), one = spe_const_f(m, f32, 1);
    spe_id x = spe_load(m, spe_index(m, spe_param_id(m, 0), at), 4);
    spe_id y = spe_fadd(m, spe_fmul(m, x, two), one);
    spe_store(m, spe_index(m, spe_param_id(m, 1), at), y, 4);
    spe_kernel_end(m);
    return spe_finish(m);
}

static bool launch(const spe_words &words)
{
    enum { N = 4096 };
    zed_device dev = {};
    zed_module module = {};
    zed_kernel kernel = {};
    if (!zed_open(&dev, nullptr)) return zed_print_error(&dev, stderr), false;
    float *x = static_cast<float *>(zed_alloc(&dev, ZED_SHARED, N * sizeof *x, 0));
    float *y = static_cast<float *>(zed_alloc(&dev, ZED_SHARED, N * sizeof *y, 0));
    for (int i = 0; x && y && i < N; i++) x[i] = static_cast<float>(i) * 0.37f - 500, y[i] = -1;
    zed_module_load(&module, &dev, words.data, words.count * 4, nullptr);
    zed_kernel_get(&kernel, &module, "doubled", "ptr<f32> x, ptr<f32> y");
    zed_launch(&kernel, zed_groups{N / 32, 1, 1}, x, y);
    bool right = !zed_get_error(&dev)->id;
    for (int i = 0; right && i < N; i++) right = y[i] == x[i] * 2 + 1 || y[i] == fmaf(x[i], 2, 1);
    if (!right) zed_print_error(&dev, stderr);
    zed_close(&dev);
    return right;
}

/* What hosts ask of the other headers. */
static bool layouts()
{
    cm_layout l = {};
    cv_conversion_dest_info info = {};
    info.dest_layout = CV_MUL_OPTIMAL;
    info.num_rows = info.num_columns = 32;
    info.dest_data_type = CV_F16;
    return !cm_layout_init(&l, 32, 48, CM_F16, CM_A, 16) && cv_get_conversion_dest_info(&info, nullptr) &&
           info.dest_size >= 32 * 32 * 2 && cm_target_row("bmg") && *xt_error_text(XT_ERROR_UNSET);
}

int main()
{
    spe_module m = {};
    bool ok = layouts() && launch(doubled(&m));
    if (m.error.id) spe_print_error(&m.error, stderr);
    spe_free(&m);
    puts(ok ? "ok" : "FAILED");
    return !ok;
}
