/* test_contraction.c - what the headers promise about a * b + c of floats: that it may be rounded once or twice, unless
 * a kernel of spirv_emit.h or coopmatrix.h says .contract = SPE_CONTRACT_OFF, and that an FMA is rounded once. In the
 * modules, and in every element on the device. Of random factors, about half of the sums differ between the two. */
#include "coopmatrix.h"
#include "coopvec.h"
#include "test.h"
#include "xetile.h"
#include "ze_dispatch.h"

enum { ROWS = 64, COLS = 8, N = ROWS * COLS, FMA = 26 /* of OpenCL.std */ };

enum rounding { EITHER, TWICE, ONCE };

static zed_device dev;
static float *x, *y, *z, *out;

/* Instructions with this opcode, of OpExtInst those of the function, of OpExecutionMode those of the mode. */
static int count(const uint32_t *words, size_t words_count, uint32_t opcode, uint32_t which)
{
    int n = 0;
    uint32_t at = opcode == SPE_OpExtInst ? 4 : 2;
    for (size_t i = 5; words && i < words_count; i += words[i] >> 16)
        n += (words[i] & 0xffff) == opcode && (!which || words[i + at] == which);
    return n;
}

/* A module is written as asked for: the product and the sum, or the FMA, and the mode. */
static void check_module(const char *name, const uint32_t *words, size_t bytes, enum rounding want)
{
    size_t n = bytes / 4;
    bool fma = want == ONCE;
    CHECK_MSG(words != NULL, "%s: no module", name);
    test_save_spv(name, words, bytes);
    CHECK_INT(count(words, n, SPE_OpExecutionMode, SPE_ExecutionModeContractionOff), want == TWICE);
    CHECK_MSG((count(words, n, SPE_OpFMul, 0) > 0) == !fma && (count(words, n, SPE_OpFAdd, 0) > 0) == !fma,
              "%s: products and sums", name);
    CHECK_MSG((count(words, n, SPE_OpExtInst, FMA) > 0) == fma, "%s: FMA", name);
}

/* What kernels get: every element may be something else after the launch. */
static void begin_launch(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = (float)test_normal(), y[i] = (float)test_normal(), z[i] = (float)test_normal();
        out[i] = NAN;
    }
}

static void check_results(const char *name, enum rounding want)
{
    int differ = 0;
    CHECK_MSG(!zed_get_error(&dev)->id, "%s: %s", name, zed_get_error(&dev)->text);
    zed_clear_error(&dev);
    for (int i = 0; i < N; i++) {
        volatile float product = x[i] * y[i], twice = product + z[i]; /* volatile: rounded on its own here, too */
        float once = fmaf(x[i], y[i], z[i]);
        differ += once != twice;
        bool good = (want != TWICE && out[i] == once) || (want != ONCE && out[i] == twice);
        CHECK_MSG(good, "%s: element %d is %.9g; rounded once %.9g, twice %.9g", name, i, (double)out[i], (double)once,
                  (double)twice);
    }
    CHECK_MSG(differ > N / 8, "only %d of %d elements tell the difference", differ, N);
}

static void launch(zed_module *module, const char *kernel, const char *name, enum rounding want)
{
    zed_kernel k;
    begin_launch();
    if (zed_kernel_get(&k, module, kernel, "ptr<f32> x, ptr<f32> y, ptr<f32> z, ptr<f32> out"))
        zed_launch(&k, (zed_groups){1, 1, 1}, x, y, z, out);
    check_results(name, want);
}

/* ---- spirv_emit.h: in the kernel, in a function that it calls, and the FMA */

static spe_id element(spe_module *m, uint32_t parameter, spe_id i)
{
    return spe_load(m, spe_index(m, spe_param_id(m, parameter), i), 0);
}

static void open_kernel(spe_module *m, spe_contract contract, uint32_t items)
{
    static spe_param params[4];
    spe_kernel k;
    memset(&k, 0, sizeof k);
    for (int i = 0; i < 4; i++)
        params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_float(m, 32));
    k.name = "k", k.params = params, k.param_count = 4;
    k.local_size[0] = items;
    k.contract = contract;
    spe_kernel_begin(m, &k);
}

static spe_id sum_of_product(spe_module *m, spe_id a, spe_id b, spe_id c)
{
    spe_id product = spe_fmul(m, a, b);
    return spe_fadd(m, product, c);
}

static void finish(spe_module *m, const char *name, enum rounding want)
{
    zed_module module;
    spe_kernel_end(m);
    spe_words words = spe_finish(m);
    CHECK_MSG(words.data != NULL, "%s: %s", name, spe_get_error(m)->text);
    check_module(name, words.data, 4 * words.count, want);
    if (words.data && zed_module_load(&module, &dev, words.data, 4 * words.count, NULL))
        launch(&module, "k", name, want);
    CHECK_MSG(!zed_get_error(&dev)->id, "%s: %s", name, zed_get_error(&dev)->text);
    spe_free(m);
}

static void emit(const char *name, spe_contract contract, enum rounding want, bool called)
{
    spe_module m;
    spe_begin(&m, NULL);
    spe_id f32 = spe_float(&m, 32), types[3] = {f32, f32, f32}, f = 0, v[3], result;
    if (called) {
        f = spe_function_begin(&m, "f", f32, 3, types);
        for (uint32_t i = 0; i < 3; i++) v[i] = spe_param_id(&m, i);
        spe_return_value(&m, sum_of_product(&m, v[0], v[1], v[2]));
        spe_function_end(&m);
    }
    open_kernel(&m, contract, N);
    spe_id i = spe_builtin(&m, SPE_LOCAL_ID, 0);
    for (uint32_t p = 0; p < 3; p++) v[p] = element(&m, p, i);
    if (called) result = spe_call(&m, f, 3, v);
    else if (want == ONCE) result = spe_math3(&m, SPE_FMA, v[0], v[1], v[2]);
    else result = sum_of_product(&m, v[0], v[1], v[2]);
    spe_store(&m, spe_index(&m, spe_param_id(&m, 3), i), result, 0);
    finish(&m, name, want);
}

TEST(spirv_emit_rounds_as_the_kernel_says)
{
    emit("contraction_spirv_default", SPE_CONTRACT_ALLOWED, EITHER, false);
    emit("contraction_spirv_off", SPE_CONTRACT_OFF, TWICE, false);
    emit("contraction_spirv_called", SPE_CONTRACT_OFF, TWICE, true);
    emit("contraction_spirv_fma", SPE_CONTRACT_ALLOWED, ONCE, false);
}

/* ---- coopmatrix.h: element by element */

static void emit_matrices(const char *name, spe_contract contract, enum rounding want)
{
    spe_module m;
    cm_ctx c;
    cm_mem at = {0};
    cm_matrix v[3];
    spe_begin(&m, NULL);
    open_kernel(&m, contract, 16);
    spe_execution_mode(&m, 0, SPE_ExecutionModeSubgroupSize, 1, (const uint32_t[]){16});
    cm_begin(&c, &m, cm_target_row("soft"), CM_PLAIN);
    at.stride_row = spe_i32(&m, 1);
    at.stride_col = spe_i32(&m, ROWS);
    for (uint32_t p = 0; p < 3; p++) {
        at.ptr = spe_param_id(&m, p);
        v[p] = cm_load(&c, ROWS, COLS, CM_F32, CM_ACC, &at);
    }
    v[0] = cm_mul(&c, &v[0], &v[1]);
    v[0] = cm_add(&c, &v[0], &v[2]);
    at.ptr = spe_param_id(&m, 3);
    cm_store(&c, &v[0], &at);
    finish(&m, name, want);
}

TEST(coopmatrix_rounds_as_the_kernel_says)
{
    emit_matrices("contraction_coopmatrix_default", SPE_CONTRACT_ALLOWED, EITHER);
    emit_matrices("contraction_coopmatrix_off", SPE_CONTRACT_OFF, TWICE);
}

/* ---- xetile.h and coopvec.h: sums of products may be contracted, FMAs are */

#define WHOLE XT_AT(ROWS, COLS)
#define TILES                                                                                                          \
    const xt_map map = XT_MAP(.sg_layout = {1, 1}, .sg_data = {ROWS, COLS});                                           \
    xt_vec a = XT_LOAD_TILE(XT_INIT_TILE(X, f32, ROWS, COLS, .shape = WHOLE, .map = map));                             \
    xt_vec b = XT_LOAD_TILE(XT_INIT_TILE(Y, f32, ROWS, COLS, .shape = WHOLE, .map = map));                             \
    xt_vec c = XT_LOAD_TILE(XT_INIT_TILE(Z, f32, ROWS, COLS, .shape = WHOLE, .map = map))
XT_KERNEL (tile_sum, ptr(f32, X), ptr(f32, Y), ptr(f32, Z), ptr(f32, OUT))
{
    TILES;
    xt_vec product = XT_MUL(a, b);
    XT_STORE_TILE(XT_ADD(product, c), XT_INIT_TILE(OUT, f32, ROWS, COLS, .shape = WHOLE, .map = map));
}
XT_KERNEL (tile_fma, ptr(f32, X), ptr(f32, Y), ptr(f32, Z), ptr(f32, OUT))
{
    TILES;
    XT_STORE_TILE(XT_FMA(a, b, c), XT_INIT_TILE(OUT, f32, ROWS, COLS, .shape = WHOLE, .map = map));
}

static void run_tiles(const xt_kernel *kernel, const char *name, enum rounding want)
{
    zed_kernel k;
    xt_module mod = XT_BUILD(*kernel, &(xt_target){ZED_TARGET(&dev)});
    CHECK_STR(mod.error->text, "");
    check_module(name, mod.words, mod.size, want);
    begin_launch();
    if (mod.words && ZED_LOAD(&k, &dev, mod)) zed_launch(&k, (zed_groups){1, 1, 1}, x, y, z, out);
    check_results(name, want);
    xt_free(&mod);
}

#define VECTORS                                                                                                        \
    cv_val at = CV_MUL(CV_GLOBAL_ID(), COLS);                                                                        \
    cv_vec a = CV_LOAD(X, COLS, at), b = CV_LOAD(Y, COLS, at), c = CV_LOAD(Z, COLS, at)
CV_KERNEL (vector_sum, ptr(f32, X), ptr(f32, Y), ptr(f32, Z), ptr(f32, OUT))
{
    VECTORS;
    cv_vec product = CV_MUL(a, b);
    CV_STORE(CV_ADD(product, c), OUT, at);
}
CV_KERNEL (vector_fma, ptr(f32, X), ptr(f32, Y), ptr(f32, Z), ptr(f32, OUT))
{
    VECTORS;
    CV_STORE(CV_FMA(a, b, c), OUT, at);
}

static void run_vectors(const cv_kernel *kernel, const char *name, enum rounding want)
{
    zed_kernel k;
    cv_module mod = CV_BUILD(*kernel, &(cv_target){ZED_TARGET(&dev)});
    check_module(name, mod.words, mod.size, want);
    begin_launch();
    if (mod.words && ZED_LOAD(&k, &dev, mod)) {
        CHECK_INT(k.local_size[0] ? ROWS % k.local_size[0] : 0, 0);
        zed_launch(&k, (zed_groups){k.local_size[0] ? ROWS / k.local_size[0] : 1, 1, 1}, x, y, z, out);
    }
    check_results(name, want);
    cv_free(&mod);
}

TEST(kernel_languages_may_contract_sums_and_do_so_in_fmas)
{
    run_tiles(&tile_sum, "contraction_xetile_sum", EITHER);
    run_tiles(&tile_fma, "contraction_xetile_fma", ONCE);
    run_vectors(&vector_sum, "contraction_coopvec_sum", EITHER);
    run_vectors(&vector_fma, "contraction_coopvec_fma", ONCE);
}

/* ---- conversions of constants: folded only where nothing else is asked for */

TEST(constants_round_and_saturate_as_asked)
{
    enum { I32, I64, F32, TYPES };
    static const struct {
        int from;
        double v;
        bool to_f16; /* else to i8 */
        spe_conversion how;
        float want;
    } cases_[] = {{I32, 300, false, {true, true, true, false, 0}, 127},
                  {I64, -300, false, {true, true, true, false, 0}, -128},
                  {I32, 200, false, {false, true, true, false, 0}, 127},
                  {I64, 0, false, {true, true, true, false, 0}, 0},
                  {F32, 1000.5, false, {true, true, true, false, 0}, 127},
                  {F32, 2.5, false, {true, true, true, true, SPE_FPRoundingModeRTP}, 3},
                  {I32, 2049, true, {true, true, false, true, SPE_FPRoundingModeRTP}, 2050},
                  {F32, 2049, true, {true, true, false, true, SPE_FPRoundingModeRTZ}, 2048}};
    spe_module m;
    zed_module module;
    zed_kernel k;
    size_t n = sizeof cases_ / sizeof cases_[0];
    spe_begin(&m, NULL);
    spe_id i32 = spe_int(&m, 32), types[TYPES] = {i32, spe_int(&m, 64), spe_float(&m, 32)};
    open_kernel(&m, SPE_CONTRACT_ALLOWED, 1);
    for (size_t i = 0; i < n; i++) {
        spe_id from = types[cases_[i].from], v = cases_[i].from == F32 ? spe_const_f(&m, from, cases_[i].v)
                                                                    : spe_const_i(&m, from, (int64_t)cases_[i].v);
        spe_id to = cases_[i].to_f16 ? spe_float(&m, 16) : spe_int(&m, 8);
        spe_id got = spe_cast(&m, types[F32], spe_cast_as(&m, to, v, &cases_[i].how), true);
        spe_id at = spe_index(&m, spe_param_id(&m, 3), spe_const_u(&m, i32, i));
        spe_store(&m, at, got, 0);
    }
    spe_kernel_end(&m);
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s", spe_get_error(&m)->text);
    for (size_t i = 0; i < n; i++) out[i] = NAN;
    if (words.data && zed_module_load(&module, &dev, words.data, 4 * words.count, NULL) &&
        zed_kernel_get(&k, &module, "k", "ptr<f32> x, ptr<f32> y, ptr<f32> z, ptr<f32> out"))
        zed_launch(&k, (zed_groups){1, 1, 1}, x, y, z, out);
    for (size_t i = 0; i < n; i++)
        CHECK_MSG(out[i] == cases_[i].want, "%g became %g, want %g", cases_[i].v, (double)out[i],
                  (double)cases_[i].want);
    spe_free(&m);
}

int main(void)
{
    if (!zed_open(&dev, NULL)) return zed_print_error(&dev, stdout), 1;
    float **all[] = {&x, &y, &z, &out};
    for (int i = 0; i < 4; i++) *all[i] = (float *)zed_alloc(&dev, ZED_SHARED, N * sizeof(float), 0);
    RUN(spirv_emit_rounds_as_the_kernel_says);
    RUN(coopmatrix_rounds_as_the_kernel_says);
    RUN(kernel_languages_may_contract_sums_and_do_so_in_fmas);
    RUN(constants_round_and_saturate_as_asked);
    zed_close(&dev);
    return test_report();
}
