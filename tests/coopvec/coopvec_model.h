/* coopvec_model.h - an exact model of coopvec.h's conversion rules and products, written from the rules and not from
 * the header, and shared by the tests on a device: memory, values of all types, many cases per kernel. */
#ifndef COOPVEC_MODEL_H
#define COOPVEC_MODEL_H

#include "coopvec.h"
#include "ze_dispatch.h"

#include "test.h"

/* ---- values. Every value of every type is a double. */

static int model_bytes(int type)
{
    return type == CV_I32 || type == CV_U32 || type == CV_F32   ? 4
           : type == CV_I16 || type == CV_U16 || type == CV_F16 ? 2
                                                                : 1;
}

/* Minimum bytes from one row (row-major) or column (column-major) to the next; 0 for optimal layouts. */
TEST_UNUSED_ static size_t model_line_bytes(int layout, int type, size_t rows, size_t cols)
{
    return layout == CV_ROW_MAJOR      ? cols * (size_t)model_bytes(type)
           : layout == CV_COLUMN_MAJOR ? rows * (size_t)model_bytes(type)
                                       : 0;
}

/* Bytes of a matrix: to the end of its last row or column, or of its panels of 64 bytes of 8, 16, 24 ... rows. */
TEST_UNUSED_ static size_t model_matrix_bytes(int layout, int type, size_t rows, size_t cols, size_t stride)
{
    size_t lines = layout == CV_ROW_MAJOR ? rows : cols;
    if (layout == CV_ROW_MAJOR || layout == CV_COLUMN_MAJOR)
        return (lines - 1) * stride + model_line_bytes(layout, type, rows, cols);
    return (cols * (size_t)model_bytes(type) + 63) / 64 * 64 * ((rows + 7) / 8 * 8);
}

static bool model_float(int type) { return type == CV_F16 || type == CV_F32 || type == CV_E4M3 || type == CV_E5M2; }
static bool model_signed(int type)
{
    return type == CV_I8 || type == CV_I16 || type == CV_I32 || type == CV_PACKED_S8X32;
}

/* The value of a float format, by definition. */
static double model_decode(int type, uint32_t bits)
{
    int eb = type == CV_E4M3 ? 4 : 5, mb = type == CV_F16 ? 10 : type == CV_E5M2 ? 2 : 3, bias = (1 << (eb - 1)) - 1;
    uint32_t exponent = bits >> mb & ((1u << eb) - 1), mantissa = bits & ((1u << mb) - 1);
    double v;
    if (type == CV_E4M3 ? (bits & 0x7f) == 0x7f : exponent == 31 && mantissa) return NAN;
    if (type != CV_E4M3 && exponent == 31) v = INFINITY;
    else v = exponent ? ldexp(1 + ldexp(mantissa, -mb), (int)exponent - bias) : ldexp(mantissa, 1 - bias - mb);
    return bits >> (eb + mb) & 1 ? -v : v;
}

/* The nearest value of f16 or FP8, ties to even. FP8 saturates. */
static double model_round(int type, double v)
{
    int mb = type == CV_F16 ? 10 : type == CV_E5M2 ? 2 : 3, least = type == CV_E4M3 ? -6 : -14, e;
    double largest = type == CV_F16 ? 65504 : type == CV_E5M2 ? 57344 : 448, place, r;
    if (isnan(v) || v == 0) return v;
    frexp(v, &e);
    place = ldexp(1, (e - 1 < least ? least : e - 1) - mb);
    r = isinf(v) ? v : nearbyint(v / place) * place;
    if (fabs(r) > largest) r = copysign(type == CV_F16 ? INFINITY : largest, v);
    return r;
}

static double model_limit(double v, double lo, double hi) { return v < lo ? lo : v > hi ? hi : v; }

/* The conversion rules: to nearest even, saturating. */
static double model_convert(double v, int to)
{
    double range = ldexp(1, 8 * model_bytes(to));
    if (to == CV_F32) return (double)(float)v;
    if (model_float(to)) return model_round(to, v);
    if (isnan(v)) return 0;
    return model_limit(nearbyint(v), model_signed(to) ? -range / 2 : 0, (model_signed(to) ? range / 2 : range) - 1);
}

static double model_get(int type, const void *p)
{
    const uint8_t *b = (const uint8_t *)p;
    uint32_t bits = b[0];
    float f;
    if (model_bytes(type) > 1) bits |= (uint32_t)b[1] << 8;
    if (model_bytes(type) > 2) bits |= (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    if (type == CV_F32) {
        memcpy(&f, p, 4);
        return f;
    }
    if (model_float(type)) return model_decode(type, bits);
    if (model_signed(type))
        return model_bytes(type) == 4 ? (int32_t)bits : model_bytes(type) == 2 ? (int16_t)bits : (int8_t)bits;
    return bits;
}

/* Stores v, which has been converted to the type. */
static void model_put(int type, void *p, double v)
{
    float f = (float)v;
    uint32_t bits = (uint32_t)(int64_t)(model_float(type) ? 0 : v);
    uint8_t b[4];
    if (type == CV_F32) memcpy(&bits, &f, 4);
    else if (type == CV_F16) bits = spe_f32_to_f16_bits(f);
    else if (type == CV_E4M3) bits = spe_f32_to_e4m3_bits(f, true);
    else if (type == CV_E5M2) bits = spe_f32_to_e5m2_bits(f, true);
    for (int i = 0; i < 4; i++) b[i] = (uint8_t)(bits >> 8 * i);
    memcpy(p, b, (size_t)model_bytes(type));
}

/* Random factors: normally distributed floats, integers over their whole range (32-bit ones of all magnitudes). */
static double model_random(int type)
{
    if (model_float(type)) return model_convert(test_normal() * 2, type);
    if (model_bytes(type) < 4)
        return model_convert((double)(int32_t)(test_random() >> 32) / (1 << (32 - 8 * model_bytes(type))), type);
    return model_convert((double)(int32_t)(test_random() >> 32) / (double)(1u << test_random() % 31), type);
}

/* Random numbers to be interpreted as a type: some are too large for it, some halfway between two values. */
TEST_UNUSED_ static double model_random_input(int type, int as)
{
    double v = test_normal() * (model_float(as) ? 3 : model_bytes(as) == 1 ? 100 : model_bytes(as) == 2 ? 30000 : 2e9);
    if (test_random() % 4 == 0) v = nearbyint(v) + 0.5;
    if (test_random() % 16 == 0) v *= 1000;
    if (type == CV_F16) v = model_limit(v, -65504, 65504);
    return model_convert(v, type);
}

/* ---- a product. stored matrix: a[m * k + i] = A[m][i], decoded; x: the k input elements as in the vector (packed:
 * decoded from its bytes). Fills low and high with each row's bounds. */

typedef struct {
    int input, as, matrix, bias, output; /* types; bias 0: none */
    int m, k, layout;
    bool transpose;
} model_product;

TEST_UNUSED_ static void model_mul(const model_product *p, const double *a, const double *x, const double *bias,
                                   double *low, double *high)
{
    bool real = model_float(p->as) || model_float(p->matrix);
    bool sign = model_signed(p->as) || model_signed(p->matrix) || (p->bias && model_signed(p->bias));
    bool packed = p->as == CV_PACKED_S8X32 || p->as == CV_PACKED_U8X32;
    for (int r = 0; r < p->m; r++) {
        uint32_t sum = p->bias && !model_float(p->bias) ? (uint32_t)(int64_t)bias[r] : 0;
        double total = p->bias ? bias[r] : 0, size = fabs(total), error;
        for (int i = 0; i < p->k; i++) {
            double v = packed ? x[i] : model_convert(x[i], p->as), t = v * a[r * p->k + i];
            if (!real) sum += (uint32_t)(int64_t)v * (uint32_t)(int64_t)a[r * p->k + i];
            total += t;
            size += fabs(t);
        }
        if (!real) {
            double exact = sign ? (double)(int32_t)sum : (double)sum;
            if (p->bias && model_float(p->bias)) exact = (double)((float)exact + (float)bias[r]);
            low[r] = high[r] = model_convert(exact, p->output);
            continue;
        }
        /* f32 sums in any order: each of the k + 1 terms passes through at most k + 1 additions; 32-bit integers round
         * once when converted, and products once; f64's own error is negligible */
        error = isinf(size) ? 0 : size * (p->k + 4) * ldexp(1, -24) * 1.01 + 1e-40;
        low[r] = model_convert(total - error, p->output);
        high[r] = model_convert(total + error, p->output);
    }
}

/* ---- memory: one shared allocation that all pointers of a kernel point into */

static zed_device device;
static uint8_t *memory;
static size_t memory_size, used;

/* Allocates this many bytes of it. */
TEST_UNUSED_ static size_t take(size_t bytes)
{
    size_t at = used;
    used += (bytes + 127) / 128 * 128;
    CHECK(used <= memory_size);
    return at;
}

static bool open_device(void)
{
    zed_options o = {0};
    if (!getenv("XETILE_DEVICE")) o.name = "xetile"; /* the software device */
    return zed_open(&device, &o);
}

/* Machine code for Intel GPUs has no subgroups of 8. */
TEST_UNUSED_ static bool has_subgroups_of(int size) { return !size || device.target.subgroup_sizes & (uint32_t)size; }

/* The least size that the device has, for kernels that need one that it lacks (Vulkan's devices have one or two). */
TEST_UNUSED_ static int device_size(int size)
{
    uint32_t sizes = device.target.subgroup_sizes & (8 | 16 | 32);
    return has_subgroups_of(size) ? size : (int)(sizes & (0 - sizes));
}

/* Launches body over `groups` groups; every pointer parameter is `memory`. */
enum { MODEL_POINTERS = 11 };
static const char model_params[] =
    "ptr<u8> p_u8, ptr<i16> p_i16, ptr<u16> p_u16, ptr<i32> p_i32, ptr<u32> p_u32, ptr<f16> p_f16, "
    "ptr<f32> p_f32, ptr<i8> p_i8, ptr<e4m3> p_e4m3, ptr<e5m2> p_e5m2, u32 flag";

static int model_pointer(int type)
{
    static const int order[] = {CV_U8, CV_I16, CV_U16, CV_I32, CV_U32, CV_F16, CV_F32, CV_I8, CV_E4M3, CV_E5M2};
    for (int i = 0; i < 10; i++)
        if (order[i] == type) return i;
    return 0;
}

typedef struct {
    const char *name;
    void (*body)(cv_ctx *);
    int local_size, subgroup_size;
    cm_lowering lowering;
} model_kernel;

/* The subgroup size of the kernel that ran last. */
TEST_UNUSED_ static int model_subgroup_size;

/* The target of modules, if it is not the device's: the software device executes what it can of any. */
TEST_UNUSED_ static const char *model_target;

static bool model_run(const model_kernel *k, uint32_t groups, uint32_t flag)
{
    cv_target target = {ZED_TARGET(&device)};
    if (model_target) target.name = model_target;
    cv_kernel kernel = {k->name, model_params, __FILE__, __LINE__, k->body};
    cv_module mod;
    zed_kernel loaded;
    void *all = memory;
    bool ok;
    mod = cv_build(&(cv_build_desc){.kernel = &kernel, .file = __FILE__, .line = __LINE__, .local_size = k->local_size,
                                    .subgroup_size = device_size(k->subgroup_size), .lowering = k->lowering,
                                    .target = &target});
    CHECK_MSG(mod.words, "%s: %s:%d: %s", k->name, mod.error->file, mod.error->line, mod.error->text);
    if (!mod.words) {
        cv_free(&mod);
        return false;
    }
    model_subgroup_size = (int)mod.subgroup_size;
    char file[128];
    snprintf(file, sizeof file, "%scoopvec_%s", strcmp(device.target.name, "vulkan") ? "" : "vulkan_", k->name);
    test_save_spv(file, mod.words, mod.size);
    ok = ZED_LOAD(&loaded, &device, mod) &&
         zed_launch(&loaded, (zed_groups){groups, 1, 1}, all, all, all, all, all, all, all, all, all, all, flag);
    CHECK_MSG(ok, "%s: %s", k->name, zed_get_error(&device)->text);
    zed_clear_error(&device);
    cv_free(&mod);
    return ok;
}

/* ---- modes of operations on matrices in a kernel: for all work-items, for every third, with a separate matrix for odd
 * ones, or not promised to be uniform */

typedef enum { UNIFORM, DIVERGENT, OWN_MATRIX, BY_LANES, MODES } mode;
TEST_UNUSED_ static const char *const mode_names[] = {"uniform", "divergent", "own matrix", "by lanes"};

/* Calls `one` with the offset of its matrix; that of odd work-items is `size` bytes later. */
TEST_UNUSED_ static void model_in_mode(CV_CONTEXT, mode how, size_t matrix, size_t size,
                                       void (*one)(cv_ctx *, const void *, cv_val), const void *item)
{
    if (how == DIVERGENT) {
        CV_IF (CV_EQ(CV_MOD(CV_GLOBAL_ID(), 3), 1)) one(CV_SELF, item, CV_AT((int)matrix));
    } else if (how == OWN_MATRIX) {
        one(CV_SELF, item, CV_ADD(CV_MUL(CV_AND(CV_GLOBAL_ID(), 1), (int)size), (int)matrix));
    } else {
        one(CV_SELF, item, CV_AT((int)matrix));
    }
}

/* main() of a program whose tests need a device and this many bytes. */
static int model_main(size_t bytes, void (*tests)(void))
{
    if (!open_device() || !(memory = zed_alloc(&device, ZED_SHARED, bytes, 4096))) {
        printf("%s\n", zed_get_error(&device)->text);
        test_.failed++;
        return test_report();
    }
    memory_size = bytes;
    tests();
    zed_close(&device);
    return test_report();
}

#endif
