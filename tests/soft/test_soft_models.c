/* test_soft_models.c - $XETILE_SOFT_DEVICE: the device reports the properties of the model, runs what the model
 * supports, and refuses what it lacks. */
#define _POSIX_C_SOURCE 200809L
#include "bindless.h"
#include "child.h"
#include "inline_assembly.h"
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

#include <sys/wait.h>

/* Properties of these devices in Intel's driver. */
static const struct expected {
    const char *name, *title;
    uint32_t device, ip, eus, threads, simd, least_lanes;
    bool has_double, has_products, has_blocks, has_images;
    uint32_t local_kib, most_items;
} expected[] = {
    {"tgl", "Iris(R) Xe Graphics", 0x9a49, 0x03000000, 96, 7, 8, 8, false, false, false, true, 64, 512},
    {"dg1", "Xe MAX", 0x4905, 0x03028000, 96, 7, 8, 8, false, false, false, true, 64, 512},
    {"mtl", "Arc(TM) Graphics", 0x7d55, 0x0311c004, 128, 8, 8, 8, true, false, false, true, 64, 1024},
    {"arl-h", "Arc(TM) Graphics", 0x7d51, 0x03128004, 128, 8, 8, 8, true, false, false, true, 64, 1024},
    {"dg2", "A770", 0x56a0, 0x030dc008, 512, 8, 8, 8, false, true, false, true, 64, 1024},
    {"pvc", "Data Center GPU Max 1550", 0x0bd5, 0x030f0007, 512, 8, 16, 16, true, true, true, false, 128, 1024},
    {"bmg", "B580", 0xe20b, 0x05004004, 160, 8, 16, 16, true, true, true, true, 128, 1024},
    {"lnl", "140V", 0x64a0, 0x05010004, 64, 8, 16, 16, true, true, true, true, 128, 1024},
    {"ptl", "B390", 0xb080, 0x07800004, 96, 10, 16, 16, true, true, true, true, 128, 1024},
    {"wcl", "[0xfd80]", 0xfd80, 0x0780c001, 16, 10, 16, 16, true, true, true, true, 128, 1024},
    {"nvl", "[0xd740]", 0xd740, 0x07810004, 16, 10, 16, 16, true, true, true, true, 128, 1024},
    {"nvl-p", "[0xd750]", 0xd750, 0x08c28004, 96, 10, 16, 16, true, true, true, true, 128, 1024},
    {"cri", "[0x674c]", 0x674c, 0x08c2c000, 256, 8, 16, 16, true, true, true, false, 128, 1024},
};
static const struct expected *model;
static zed_device device;
enum { NOT_AT_HAND = 7 };

struct number_properties {
    ze_structure_type_t stype;
    void *next;
    uint32_t number;
};

/* ---- modules that need a feature of some models */

enum content { PLAIN, DOUBLES, BLOCKS, LANES_8, PRODUCT_8, PRODUCT_16, PRODUCT_FLOAT8, PRODUCT_SCALED, CONTENTS };

static void product(spe_module *m, spe_id item, bool in_subgroups_of_8)
{
    spe_id f32x8 = spe_vec(m, spe_float(m, 32), 8), i16 = spe_int(m, 16), i32x8 = spe_vec(m, spe_int(m, 32), 8);
    spe_id b = spe_splat(m, i32x8, item), a = b;
    if (!in_subgroups_of_8) a = spe_splat(m, spe_vec(m, i16, 8), spe_uconvert(m, i16, item));
    spe_dpas(m, f32x8, 16, a, b, spe_null(m, f32x8),
             SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedFloat16INTEL |
                 SPE_MatrixMultiplyAccumulateOperandsMatrixBPackedFloat16INTEL);
}

/* Of E4M3 and E5M2, whose scales are bytes of E8M0. */
static void small_product(spe_module *m, spe_id item, bool scaled)
{
    enum { FLOAT8 = SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedFloat8E4M3INTEL |
                    SPE_MatrixMultiplyAccumulateOperandsMatrixBPackedFloat8E5M2INTEL,
           SCALES = SPE_MatrixMultiplyAccumulateOperandsScaleAFloat8E8M0INTEL |
                    SPE_MatrixMultiplyAccumulateOperandsScaleBFloat8E8M0INTEL };
    spe_id f32x8 = spe_vec(m, spe_float(m, 32), 8), i16 = spe_int(m, 16), sum = spe_null(m, f32x8);
    spe_id b = spe_splat(m, spe_vec(m, spe_int(m, 32), 8), item), scale = spe_uconvert(m, spe_int(m, 8), item);
    spe_id a = spe_splat(m, spe_vec(m, i16, 8), spe_uconvert(m, i16, item));
    if (scaled) spe_dpas_scaled(m, f32x8, 32, a, b, sum, scale, scale, FLOAT8 | SCALES);
    else spe_dpas(m, f32x8, 32, a, b, sum, FLOAT8);
}

static void block(spe_module *m)
{
    spe_id mine = spe_local_var(m, spe_array(m, spe_int(m, 32), 8)), zero = spe_i32(m, 0);
    spe_block2d b = {4, 8, 8, 1, spe_param_id(m, 0), spe_i32(m, 64), spe_i32(m, 8), spe_i32(m, 64), zero, zero};
    spe_block2d_load(m, &b, mine);
}

/* Stores the work-item's id, besides other code. */
static void emit(spe_module *m, enum content what)
{
    spe_param param;
    spe_kernel k;
    memset(&param, 0, sizeof param);
    memset(&k, 0, sizeof k);
    spe_begin(m, NULL);
    param.type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 32));
    k.name = "numbers";
    k.params = &param;
    k.param_count = 1;
    k.subgroup_size = what == LANES_8 || what == PRODUCT_8 ? 8 : what >= PRODUCT_16 ? 16 : 0;
    spe_kernel_begin(m, &k);
    spe_id item = spe_builtin(m, SPE_GLOBAL_ID, 0), value = item;
    if (what == DOUBLES) value = spe_f_to_u(m, spe_int(m, 32), spe_u_to_f(m, spe_float(m, 64), item));
    if (what == BLOCKS) block(m);
    if (what >= PRODUCT_FLOAT8) small_product(m, item, what == PRODUCT_SCALED);
    if (what == PRODUCT_8 || what == PRODUCT_16) product(m, item, what == PRODUCT_8);
    spe_store(m, spe_index(m, spe_param_id(m, 0), item), value, 4);
    spe_kernel_end(m);
}

static bool runs(enum content what)
{
    spe_module m;
    zed_module module;
    zed_kernel kernel;
    uint32_t *to = (uint32_t *)zed_alloc(&device, ZED_SHARED, 64 * 4, 0);
    bool good;
    NEED(to);
    memset(to, 0xff, 64 * 4);
    emit(&m, what);
    spe_words w = spe_finish(&m);
    NEED(w.data);
    good = zed_module_load(&module, &device, w.data, w.count * 4, NULL) &&
           zed_kernel_get(&kernel, &module, "numbers", "ptr<u32> to") && zed_local_size(&kernel, 64, 1, 1) &&
           zed_launch(&kernel, (zed_groups){1, 1, 1}, to);
    if (good)
        for (uint32_t i = 0; i < 64; i++) NEED(to[i] == i);
    else
        NEED_HAS(zed_build_log(&device), model->name); /* names the model */
    zed_clear_error(&device);
    spe_free(&m);
    return good;
}

/* ---- in children, as the setting is for a process */

static void has_images_or_not(void)
{
    ze_device_image_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES, .maxSamplers = 5};
    ze_image_desc_t d = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .type = ZE_IMAGE_TYPE_2D, .width = 4, .height = 4};
    ze_sampler_desc_t sd = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC};
    ze_image_properties_t of = {.stype = ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES};
    ze_image_handle_t image;
    ze_sampler_handle_t sampler;
    ze_result_t result = model->has_images ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    NEED(zeDeviceGetImageProperties(device.device, &p) == ZE_RESULT_SUCCESS);
    NEED(p.maxImageDims2D == (model->has_images ? 16384 : 0) && p.maxSamplers == (model->has_images ? 16 : 0));
    NEED(zeImageGetProperties(device.device, &d, &of) == ZE_RESULT_SUCCESS);
    NEED(!of.samplerFilterFlags == !model->has_images);
    NEED(zeImageCreate(device.context, device.device, &d, &image) == result);
    NEED(zeSamplerCreate(device.context, device.device, &sd, &sampler) == result);
    if (result != ZE_RESULT_SUCCESS) return;
    NEED(zeImageDestroy(image) == ZE_RESULT_SUCCESS && zeSamplerDestroy(sampler) == ZE_RESULT_SUCCESS);
}

/* One engine for everything, and one for copies. */
static void has_one_queue_of_each_kind(void)
{
    ze_command_queue_group_properties_t groups[4] = {{.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES}};
    ze_command_queue_handle_t queue;
    uint32_t count = 4;
    NEED(zeDeviceGetCommandQueueGroupProperties(device.device, &count, groups) == ZE_RESULT_SUCCESS && count == 2);
    for (uint32_t i = 0; i < count; i++) {
        ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = i, .index = 1};
        NEED(groups[i].numQueues == 1);
        NEED(zeCommandQueueCreate(device.context, device.device, &d, &queue) == ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
}

static void says_what_it_is(void)
{
    struct number_properties blocks = {(ze_structure_type_t)0x30007, NULL, 77},
                             ip = {(ze_structure_type_t)0x1000f, &blocks, 0},
                             products = {(ze_structure_type_t)0x30013, NULL, 0};
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &ip};
    ze_device_compute_properties_t c = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    ze_device_module_properties_t m = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES, .pNext = &products};
    NEED(zed_open(&device, &(zed_options){.name = "software"}));
    NEED(zeDeviceGetProperties(device.device, &p) == ZE_RESULT_SUCCESS);
    NEED(zeDeviceGetComputeProperties(device.device, &c) == ZE_RESULT_SUCCESS);
    NEED(zeDeviceGetModuleProperties(device.device, &m) == ZE_RESULT_SUCCESS);
    NEED(p.vendorId == 0x8086 && p.deviceId == model->device && ip.number == model->ip);
    NEED_HAS(p.name, model->title);
    NEED(p.numSlices * p.numSubslicesPerSlice * p.numEUsPerSubslice == model->eus);
    NEED(p.numThreadsPerEU == model->threads && p.physicalEUSimdWidth == model->simd);
    NEED(c.subGroupSizes[0] == model->least_lanes && c.subGroupSizes[c.numSubGroupSizes - 1] == 32);
    for (uint32_t i = 0; i < c.numSubGroupSizes; i++)
        NEED(p.numThreadsPerEU * p.numEUsPerSubslice * c.subGroupSizes[i] >= c.maxTotalGroupSize);
    NEED(blocks.number == (model->has_blocks ? 3 : 0) && products.number == (model->has_products ? 3 : 1));
    NEED(c.maxTotalGroupSize == model->most_items && c.maxSharedLocalMemory == model->local_kib << 10);
    NEED(!(m.flags & ZE_DEVICE_MODULE_FLAG_FP64) == !model->has_double && !m.fp64flags == !model->has_double);
    has_images_or_not();
    has_one_queue_of_each_kind();
}

static void runs_what_it_has(void)
{
    zed_module module;
    const bool is_xe3p = !strcmp(model->name, "nvl-p") || !strcmp(model->name, "cri");
    NEED(zed_open(&device, &(zed_options){.name = "software"}));
    NEED(runs(PLAIN));
    NEED(runs(DOUBLES) == model->has_double);
    NEED(runs(BLOCKS) == model->has_blocks);
    NEED(runs(LANES_8) == (model->least_lanes == 8));
    NEED(runs(PRODUCT_8) == (model->has_products && model->simd == 8));
    NEED(runs(PRODUCT_16) == (model->simd == 16));
    NEED(runs(PRODUCT_FLOAT8) == is_xe3p && runs(PRODUCT_SCALED) == is_xe3p);
    NEED(zed_module_load(&module, &device, bindless_kernel, sizeof bindless_kernel, NULL) == model->has_images);
    if (!model->has_images) NEED_HAS(zed_build_log(&device), "has no images");
}

/* It runs if Intel's compiler is installed, and is otherwise refused by name. */
static void runs_inline_assembly(void)
{
    zed_module module;
    zed_kernel kernel;
    int32_t *p;
    NEED(zed_open(&device, &(zed_options){.name = "software"}));
    p = (int32_t *)zed_alloc(&device, ZED_SHARED, 64 * 4, 0);
    NEED(p);
    for (int i = 0; i < 64; i++) p[i] = 1000 * i;
    if (!zed_module_load(&module, &device, inline_assembly, sizeof inline_assembly, NULL)) {
        NEED_HAS(zed_build_log(&device), "AsmINTEL");
        NEED_HAS(zed_build_log(&device), "XETILE_SOFT_DEVICE");
        _exit(NOT_AT_HAND);
    }
    NEED(zed_kernel_get(&kernel, &module, "add_asm", "ptr<i32> p") && zed_local_size(&kernel, 64, 1, 1));
    NEED(zed_launch(&kernel, (zed_groups){1, 1, 1}, p));
    for (int i = 0; i < 64; i++) NEED(p[i] == 1001 * i);
}

static int exit_of_child(void (*body)(void))
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        setenv("XETILE_SOFT_DEVICE", model->name, 1);
        body();
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool in_a_child(void (*body)(void)) { return exit_of_child(body) == 0; }

static const struct expected *named(const char *name)
{
    size_t i = 0;
    while (strcmp(expected[i].name, name)) i++;
    return &expected[i];
}

TEST(models_say_what_they_are)
{
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        model = &expected[i];
        CHECK_MSG(in_a_child(says_what_it_is), "%s", model->name);
    }
}

TEST(models_run_what_they_have)
{
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        model = &expected[i];
        CHECK_MSG(in_a_child(runs_what_it_has), "%s", model->name);
    }
}

TEST(inline_assembly_of_a_gpu)
{
    int code;
    model = named("bmg");
    code = exit_of_child(runs_inline_assembly);
    if (code == NOT_AT_HAND) SKIP("Intel's compiler is not at hand: refused by name");
    CHECK_INT(code, 0);
}

int main(void)
{
    unsetenv("XETILE_SOFT_ISA");
    RUN(models_say_what_they_are);
    RUN(models_run_what_they_have);
    RUN(inline_assembly_of_a_gpu);
    return test_report();
}
