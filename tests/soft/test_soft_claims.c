/* test_soft_claims.c - whatever the device claims to support runs. The first half tests what no other test runs:
 * concurrent atomics of kernels and the host, on every kind of memory; memory shared by sub-devices; atomics of every
 * float type in every memory; correctly rounded division and square root. The second half is a table of each flag,
 * limit and extension that the driver reports, and the test that runs it. It fails if one is reported without a test,
 * or if a row is not reported or names a test that does not exist. */
#define _GNU_SOURCE
#include <glob.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

#define OK(call) CHECK_INT((call), ZE_RESULT_SUCCESS)

static zed_device device;
static ze_driver_handle_t driver;
static ze_device_handle_t part[2]; /* the device's */

/* ---- kernels and the host concurrently */

enum { ADDS = 16, TALLY_GROUPS = 256, TALLY_ITEMS = 32, ARRAYS = 4 };

/* Begins a kernel that takes pointers to this type. */
static void begin_kernel(spe_module *m, const char *name, uint32_t count, spe_id type)
{
    spe_param params[ARRAYS];
    spe_kernel k;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    for (uint32_t i = 0; i < count; i++) params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, type);
    k.name = name;
    k.params = params;
    k.param_count = count;
    spe_kernel_begin(m, &k);
}

/* Each item adds 1 to the counter, ADDS times. */
static void emit_tally(spe_module *m)
{
    spe_begin(m, NULL);
    begin_kernel(m, "tally", 1, spe_int(m, 32));
    for (int i = 0; i < ADDS; i++)
        spe_atomic(m, SPE_ATOMIC_IADD, spe_param_id(m, 0), spe_u32(m, 1), SPE_ScopeCrossDevice,
                   SPE_MemorySemanticsRelaxed);
    spe_kernel_end(m);
}

struct tally {
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue;
};

static struct tally start_tally(ze_device_handle_t on, uint32_t *counter)
{
    struct tally t = {NULL, NULL, NULL, NULL};
    spe_module m;
    emit_tally(&m);
    spe_words w = spe_finish(&m);
    ze_module_desc_t md = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                           .format = ZE_MODULE_FORMAT_IL_SPIRV,
                           .inputSize = w.count * 4,
                           .pInputModule = (const uint8_t *)w.data};
    ze_kernel_desc_t kd = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "tally"};
    ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_queue_desc_t qd = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                  .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_group_count_t groups = {TALLY_GROUPS, 1, 1};
    OK(zeModuleCreate(device.context, on, &md, &t.module, NULL));
    OK(zeKernelCreate(t.module, &kd, &t.kernel));
    OK(zeKernelSetGroupSize(t.kernel, TALLY_ITEMS, 1, 1));
    OK(zeKernelSetArgumentValue(t.kernel, 0, sizeof counter, &counter));
    OK(zeCommandListCreate(device.context, on, &ld, &t.list));
    OK(zeCommandQueueCreate(device.context, on, &qd, &t.queue));
    OK(zeCommandListAppendLaunchKernel(t.list, t.kernel, &groups, NULL, 0, NULL));
    OK(zeCommandListClose(t.list));
    OK(zeCommandQueueExecuteCommandLists(t.queue, 1, &t.list, NULL));
    spe_free(&m);
    return t;
}

static void end_tally(struct tally *t)
{
    OK(zeCommandQueueSynchronize(t->queue, UINT64_MAX));
    OK(zeCommandQueueDestroy(t->queue));
    OK(zeCommandListDestroy(t->list));
    OK(zeKernelDestroy(t->kernel));
    OK(zeModuleDestroy(t->module));
}

/* The host adds while both sub-devices do. */
static void tally_in(uint32_t *counter, const char *kind)
{
    struct tally t[2];
    uint32_t by_host = 0, by_kernels = 2 * TALLY_GROUPS * TALLY_ITEMS * ADDS;
    __atomic_store_n(counter, 0, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 2; i++) t[i] = start_tally(part[i], counter);
    for (; by_host < by_kernels; by_host++) __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 2; i++) end_tally(&t[i]);
    CHECK_MSG(*counter == by_kernels + by_host, "%s memory: %u, want %u", kind, *counter, by_kernels + by_host);
}

TEST(atomics_of_kernels_and_the_host)
{
    static const int kinds[] = {ZED_HOST, ZED_DEVICE, ZED_SHARED};
    static const char *const names[] = {"host", "device", "shared"};
    for (int i = 0; i < 3; i++) {
        uint32_t *counter = (uint32_t *)zed_alloc(&device, kinds[i], sizeof *counter, 0);
        CHECK(counter != NULL);
        if (counter) tally_in(counter, names[i]);
        zed_free(&device, counter);
    }
}

static ze_device_memory_access_properties_t access_of(ze_device_handle_t of)
{
    ze_device_memory_access_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    OK(zeDeviceGetMemoryAccessProperties(of, &p));
    return p;
}

TEST(atomics_in_memory_of_malloc)
{
    uint32_t *counter = (uint32_t *)malloc(sizeof *counter);
    if (!access_of(device.device).sharedSystemAllocCapabilities) SKIP("not offered with these settings");
    if (counter) tally_in(counter, "malloc's");
    free(counter);
}

/* Memory allocated for one sub-device is used by the other: above by both concurrently. */
TEST(parts_use_each_others_memory)
{
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t h = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *m = NULL;
    ze_bool_t can = 0;
    for (int i = 0; i < 2; i++) {
        OK(zeDeviceCanAccessPeer(part[i], part[!i], &can));
        CHECK(can);
        OK(zeMemAllocDevice(device.context, &d, 64, 0, part[i], &m));
        if (m) tally_in((uint32_t *)m, "a part's");
        OK(zeMemFree(device.context, m));
    }
    OK(zeMemAllocShared(device.context, &d, &h, 64, 0, NULL, &m));
    if (m) tally_in((uint32_t *)m, "shared across parts,");
    OK(zeMemFree(device.context, m));
}

/* ---- atomics on floats: loads, stores, sums, minima and maxima, in global and in local memory */

enum { GROUPS = 4, ITEMS = 32, ALL = GROUPS * ITEMS, RESULTS = 3 };
static const spe_atomic_op operations[RESULTS] = {SPE_ATOMIC_FADD, SPE_ATOMIC_FMIN, SPE_ATOMIC_FMAX};

static spe_id load(spe_module *m, spe_id from)
{
    return spe_atomic_load(m, from, SPE_ScopeDevice, SPE_MemorySemanticsRelaxed);
}

static void store(spe_module *m, spe_id to, spe_id v)
{
    spe_atomic_store(m, to, v, SPE_ScopeDevice, SPE_MemorySemanticsRelaxed);
}

/* all[k] and of_group[3 group + k]: the result of operation k on first[k] and the items' x. */
static void emit_float_atomics(spe_module *m, uint32_t bits)
{
    spe_id local[RESULTS];
    spe_begin(m, NULL);
    spe_id type = spe_float(m, bits);
    for (int i = 0; i < RESULTS; i++) local[i] = spe_shared_var(m, type);
    begin_kernel(m, "float_atomics", ARRAYS, type);
    spe_id group = spe_builtin(m, SPE_GROUP_ID, 0);
    spe_id x = spe_load(m, spe_index(m, spe_param_id(m, 1), spe_builtin(m, SPE_GLOBAL_ID, 0)), bits / 8);
    for (uint32_t i = 0; i < RESULTS; i++) /* all items store the same */
        store(m, local[i], load(m, spe_index(m, spe_param_id(m, 0), spe_u32(m, i))));
    spe_barrier(m);
    for (uint32_t i = 0; i < RESULTS; i++) {
        spe_id all = spe_index(m, spe_param_id(m, 2), spe_u32(m, i));
        spe_atomic(m, operations[i], all, x, SPE_ScopeDevice, SPE_MemorySemanticsRelaxed);
        spe_atomic(m, operations[i], local[i], x, SPE_ScopeWorkgroup, SPE_MemorySemanticsRelaxed);
    }
    spe_barrier(m);
    for (uint32_t i = 0; i < RESULTS; i++) {
        spe_id at = spe_iadd(m, spe_imul(m, group, spe_u32(m, RESULTS)), spe_u32(m, i));
        store(m, spe_index(m, spe_param_id(m, 3), at), load(m, local[i]));
    }
    spe_kernel_end(m);
}

static void put(void *to, uint32_t bits, int i, double x)
{
    if (bits == 16) ((uint16_t *)to)[i] = spe_f32_to_f16_bits((float)x);
    if (bits == 32) ((float *)to)[i] = (float)x;
    if (bits == 64) ((double *)to)[i] = x;
}

static double get(const void *from, uint32_t bits, int i)
{
    return bits == 16   ? (double)spe_f16_bits_to_f32(((const uint16_t *)from)[i])
           : bits == 32 ? (double)((const float *)from)[i]
                        : ((const double *)from)[i];
}

/* Poisoned arrays of `count` elements of up to 64 bits. */
static bool new_arrays(void *v[ARRAYS], size_t count)
{
    for (int i = 0; i < ARRAYS; i++) {
        v[i] = zed_alloc(&device, ZED_SHARED, count * 8, 0);
        CHECK(v[i] != NULL);
        if (!v[i]) return false;
        memset(v[i], 0xa5, count * 8);
    }
    return true;
}

static bool open_kernel(spe_module *m, zed_module *module, zed_kernel *kernel, const char *name, const char *params)
{
    spe_words w = spe_finish(m);
    CHECK_MSG(w.data, "%s", spe_get_error(m)->text);
    bool good = w.data && zed_module_load(module, &device, w.data, w.count * 4, NULL) &&
                zed_kernel_get(kernel, module, name, params) && zed_local_size(kernel, ITEMS, 1, 1);
    CHECK_MSG(good, "%s %s", zed_get_error(&device)->text, zed_build_log(&device));
    return good;
}

/* Multiples of a quarter, few and small enough that no sum of them is rounded, whatever the order. */
static void check_float_atomics(uint32_t bits)
{
    static const double beginnings[RESULTS] = {0, 100, -100};
    char params[128];
    double want[1 + GROUPS][RESULTS]; /* of all, of each group */
    void *v[ARRAYS];
    spe_module m;
    zed_module module;
    zed_kernel kernel;
    if (!new_arrays(v, ALL)) return;
    for (int g = 0; g <= GROUPS; g++) memcpy(want[g], beginnings, sizeof beginnings);
    for (int k = 0; k < RESULTS; k++) put(v[0], bits, k, beginnings[k]), put(v[2], bits, k, beginnings[k]);
    for (int i = 0; i < ALL; i++) {
        double x = ((int)(test_random() % 33) - 16) / 4.0;
        put(v[1], bits, i, x);
        for (int g = 0; g <= GROUPS; g++) {
            if (g && g != 1 + i / ITEMS) continue;
            want[g][0] += x;
            want[g][1] = fmin(want[g][1], x);
            want[g][2] = fmax(want[g][2], x);
        }
    }
    emit_float_atomics(&m, bits);
    snprintf(params, sizeof params, "ptr<f%u> first, ptr<f%u> x, ptr<f%u> all, ptr<f%u> of_group", bits, bits, bits,
             bits);
    if (open_kernel(&m, &module, &kernel, "float_atomics", params))
        CHECK(zed_launch(&kernel, (zed_groups){GROUPS, 1, 1}, v[0], v[1], v[2], v[3]));
    for (int k = 0; k < RESULTS; k++) CHECK_MSG(get(v[2], bits, k) == want[0][k], "f%u, global, %d", bits, k);
    for (int i = 0; i < GROUPS * RESULTS; i++)
        CHECK_MSG(get(v[3], bits, i) == want[1 + i / RESULTS][i % RESULTS], "f%u, local, %d", bits, i);
    spe_free(&m);
    for (int i = 0; i < ARRAYS; i++) zed_free(&device, v[i]);
}

TEST(float_atomics)
{
    for (uint32_t bits = 16; bits <= 64; bits *= 2) check_float_atomics(bits);
}

/* ---- quotients and roots: correctly rounded, including denormals */

static void emit_quotients(spe_module *m, uint32_t bits)
{
    spe_begin(m, NULL);
    begin_kernel(m, "quotients", ARRAYS, spe_float(m, bits));
    spe_id item = spe_builtin(m, SPE_GLOBAL_ID, 0);
    spe_id x = spe_load(m, spe_index(m, spe_param_id(m, 0), item), bits / 8),
           y = spe_load(m, spe_index(m, spe_param_id(m, 1), item), bits / 8);
    spe_store(m, spe_index(m, spe_param_id(m, 2), item), spe_fdiv(m, x, y), bits / 8);
    spe_store(m, spe_index(m, spe_param_id(m, 3), item), spe_math1(m, SPE_SQRT, x), bits / 8);
    spe_kernel_end(m);
}

/* Compared with the host's IEEE 754 division and root; halves are rounded from floats, which is harmless. */
static double as_float_of(uint32_t bits, double x)
{
    return bits == 16 ? (double)spe_f16_bits_to_f32(spe_f32_to_f16_bits((float)x)) : bits == 32 ? (double)(float)x : x;
}

static void check_quotients(uint32_t bits)
{
    enum { N = 1024 };
    char params[128];
    void *v[ARRAYS];
    spe_module m;
    zed_module module;
    zed_kernel kernel;
    if (!new_arrays(v, N)) return;
    for (int i = 0; i < N; i++) {
        int wide = bits == 16 ? 12 : bits == 32 ? 120 : 1000; /* quotients include denormals */
        put(v[0], bits, i, ldexp(fabs(test_normal()) + 0.01, (int)(test_random() % (uint32_t)wide) - wide));
        put(v[1], bits, i, ldexp(test_normal(), i % 4 ? 3 : wide / 8));
    }
    emit_quotients(&m, bits);
    snprintf(params, sizeof params, "ptr<f%u> x, ptr<f%u> y, ptr<f%u> quotient, ptr<f%u> root", bits, bits, bits, bits);
    if (open_kernel(&m, &module, &kernel, "quotients", params))
        CHECK(zed_launch(&kernel, (zed_groups){N / ITEMS, 1, 1}, v[0], v[1], v[2], v[3]));
    for (int i = 0; i < N; i++) {
        double x = get(v[0], bits, i), y = get(v[1], bits, i);
        double quotient = as_float_of(bits, bits == 64 ? x / y : (double)((float)x / (float)y));
        double root = as_float_of(bits, bits == 64 ? sqrt(x) : (double)sqrtf((float)x));
        CHECK_MSG(get(v[2], bits, i) == quotient, "f%u: %a / %a is %a, want %a", bits, x, y, get(v[2], bits, i),
                  quotient);
        CHECK_MSG(get(v[3], bits, i) == root, "f%u: root of %a is %a, want %a", bits, x, get(v[3], bits, i), root);
    }
    spe_free(&m);
    for (int i = 0; i < ARRAYS; i++) zed_free(&device, v[i]);
}

TEST(quotients_and_roots_are_rounded)
{
    for (uint32_t bits = 16; bits <= 64; bits *= 2) check_quotients(bits);
}

/* ---- the table */

/* Tests are listed as `file: test`, one or several; tests of this file without the file. */
#define ATOMICS "atomics_of_kernels_and_the_host, test_opencl_atomics: old_style, test_opencl_atomics: c11"
#define ARITHMETIC "test_opencl_math: float_functions, quotients_and_roots_are_rounded"
#define ROUNDS "test_opencl_convert: vectors, test_opencl_convert: uniform_values"
#define DRIVER "test_soft_driver: "
#define INTEL "test_soft_intel: "
enum {
    ALL_ACCESS = ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC |
                 ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC,
    FLOAT_ATOMICS =
        ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD |
        ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_MIN_MAX | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_LOAD_STORE |
        ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_MIN_MAX,
    OF_NUMBERS = ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST |
                 ZE_DEVICE_FP_FLAG_FMA,
    OF_CONVERSIONS = ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO | ZE_DEVICE_FP_FLAG_ROUND_TO_INF
};
enum { READ_ONLY_IS_ENFORCED = 2 }; /* of version 1.17 */
static struct flag {
    const char *of;
    uint64_t bits;
    const char *tests;
    uint64_t seen;
} flags[] = {
    {"the driver's ways to free", 3, DRIVER "deferred_free", 0},
    {"the driver's IPC", ZE_IPC_PROPERTY_FLAG_MEMORY, "test_soft_ipc: memory_of_another_process", 0},
    {"the driver's IPC", ZE_IPC_PROPERTY_FLAG_EVENT_POOL, "test_soft_ipc: events_of_another_process", 0},
    {"device", ZE_DEVICE_PROPERTY_FLAG_INTEGRATED, DRIVER "usm_allocations", 0}, /* the host reads all its memory */
    {"device", ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING, DRIVER "usm_largest", 0}, /* more than there is, if untouched */
    {"part", ZE_DEVICE_PROPERTY_FLAG_INTEGRATED, DRIVER "usm_allocations", 0},
    {"part", ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING, DRIVER "usm_largest", 0},
    {"part", ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE, "test_soft_hierarchy: hierarchies_and_masks", 0},
    {"module", ZE_DEVICE_MODULE_FLAG_FP16, "test_opencl_math: half_functions", 0},
    {"module", ZE_DEVICE_MODULE_FLAG_FP64, "test_opencl_math: double_functions", 0},
    {"module", ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS, "test_opencl_atomics: old_style_of_longs", 0},
    {"module", ZE_DEVICE_MODULE_FLAG_DP4A, "test_opencl_assembly: integer_dot_products", 0},
    {"fp16", OF_NUMBERS, "test_opencl_math: half_functions, test_opencl_leftovers: in_assembly", 0},
    {"fp32", OF_NUMBERS, "test_opencl_math: float_functions", 0},
    {"fp64", OF_NUMBERS, "test_opencl_math: double_functions", 0},
    {"fp16", OF_CONVERSIONS, ROUNDS, 0},
    {"fp32", OF_CONVERSIONS, ROUNDS, 0},
    {"fp64", OF_CONVERSIONS, ROUNDS, 0},
    {"fp16", ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT, "quotients_and_roots_are_rounded", 0},
    {"fp32", ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT, "quotients_and_roots_are_rounded", 0},
    {"fp64", ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT, "quotients_and_roots_are_rounded", 0},
    {"fp16 atomics", FLOAT_ATOMICS, "float_atomics, test_opencl_atomics: halves", 0},
    {"fp32 atomics", FLOAT_ATOMICS, "float_atomics, test_opencl_atomics: floats", 0},
    {"fp64 atomics", FLOAT_ATOMICS, "float_atomics, test_opencl_atomics: floats", 0},
    {"products", 1, "test_opencl_assembly: integer_dot_products", 0},
    {"products", 2, "test_soft_products: subgroups_of_16, test_soft_matrix: products_16", 0},
    {"2D blocks", 1 | 2, "test_soft_matrix: blocks_16, test_soft_masked: products_and_blocks_under_masks", 0},
    {"queues", ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE, DRIVER "vector_addition", 0},
    {"queues", ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY, DRIVER "copies_and_fills", 0},
    {"queues", ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS, DRIVER "cooperative_launch", 0},
    {"queues for copies", ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY, DRIVER "copies_only", 0},
    {"host memory", ALL_ACCESS, ATOMICS, 0},
    {"device memory", ALL_ACCESS, ATOMICS, 0},
    {"shared memory", ALL_ACCESS, ATOMICS, 0},
    {"memory across parts", ALL_ACCESS, "parts_use_each_others_memory", 0},
    {"malloc's memory", ALL_ACCESS, "atomics_in_memory_of_malloc, test_soft_hierarchy: system_memory", 0},
    {"export", ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
     "test_soft_ipc: memory_as_a_descriptor, test_soft_ipc: physical_memory_as_a_descriptor", 0},
    {"import", ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD, "test_soft_ipc: memory_as_a_descriptor", 0},
    {"peers", ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS | ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS, "parts_use_each_others_memory",
     0},
    {"samplers of an image", ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT | ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR,
     "test_soft_image_kernels: samples, test_opencl_images: every_sampler", 0},
    {"graphs", 1, "test_soft_graphs: random_graphs", 0},
    {"graphs", 16, "test_soft_counters: a_graph_runs_again_for_another_process", 0},
    {"events", 1, "test_soft_counters: aggregates_of_several_lists", 0},
    {"events", 2, "test_soft_counters: both_processes_set_an_event, test_soft_counters: processes_that_die", 0},
    {"events", 4, "test_soft_counters: allocations_of_the_program", 0},
    {"read-only memory", READ_ONLY_IS_ENFORCED, DRIVER "virtual_memory", 0},
    {"changes of commands", 0x7f, DRIVER "newer_mutable_lists", 0},
};
static const struct limit {
    const char *of, *tests;
} limits[] = {
    {"SPIR-V 1.6", "test_soft_spirv: header_is_checked"},
    {"work-items of a group", DRIVER "largest_groups"},
    {"local memory", "test_soft_matrix: products_16, " DRIVER "largest_groups"},
    {"subgroups of 8", "test_soft_products: subgroups_of_8"},
    {"subgroups of 16", "test_soft_products: subgroups_of_16"},
    {"subgroups of 32", "test_soft_products: subgroups_of_32"},
    {"bytes of an allocation", DRIVER "usm_largest"},
    {"images", "test_soft_images: largest_images"},
    {"layers", "test_soft_images: largest_images"},
    {"timestamps", DRIVER "device_events_and_timestamps"},
};
static struct extension {
    const char *name, *tests;
    bool seen;
} extensions[] = {
    {"ZE_extension_float_atomics", "float_atomics, test_opencl_atomics: floats, test_opencl_atomics: halves", false},
    {"ZE_experimental_global_offset", DRIVER "globals_offsets_and_indirect_launches", false},
    {"ZE_experimental_relaxed_allocation_limits", DRIVER "usm_largest", false},
    {"ZE_experimental_event_query_timestamps", DRIVER "device_events_and_timestamps", false},
    {"ZE_extension_eu_count", DRIVER "device_properties", false},
    {"ZE_extension_memory_free_policies", DRIVER "deferred_free", false},
    {"ZE_experimental_module_program", "test_opencl_link: a_program_of_several_modules", false},
    {"ZE_extension_linkage_inspection", "test_opencl_link: linkage_is_listed", false},
    {"ZE_extension_subgroups", "test_opencl_groups: subgroup_functions, test_opencl_nonuniform: votes", false},
    {"ZE_extension_linkonce_odr", "test_opencl_link: one_definition_of_several", false},
    {"ZE_extension_srgb", "test_soft_image_arguments: srgb", false},
    {"ZE_extension_image_copy", "test_soft_images: copies_of_every_type_and_layout", false},
    {"ZE_extension_image_query_alloc_properties", "test_soft_images: properties_of_images", false},
    {"ZE_experimental_image_memory_properties", "test_soft_images: properties_of_images", false},
    {"ZE_experimental_image_view", "test_soft_images: views_show_the_same_texels", false},
    {"ZE_extension_image_view", "test_soft_images: views_show_the_same_texels", false},
    {"ZE_experimental_bindless_image", "test_soft_image_arguments: bindless_images", false},
    {"ZE_extension_image_format_support", "test_soft_images: every_layout_with_every_type", false},
    {"ZE_experimental_event_pool_counter_based", DRIVER "counter_based_events", false},
    {"ZEX_counter_based_event", "test_soft_counters: allocations_as_arguments", false},
    {"ZEX_extension_memory_free_callback", INTEL "calls_when_memory_is_freed", false},
    {"ZEX_mem_ipc_handles", INTEL "handles_of_pieces", false},
    {"ZEX_driver_import_host_pointer", INTEL "imported_pointers", false},
    {"ZEX_intel_experimental_queue_copy_operations_offload_hint", INTEL "hints_are_taken", false},
    {"ZE_intel_experimental_command_list_memory_sync",
     INTEL "waits_on_memory, test_soft_intel: lists_take_turns_by_memory", false},
    {"ZE_intel_get_driver_version_string", INTEL "versions_as_text", false},
    {"ZE_extension_device_cache_line_size", INTEL "memory_and_cache_lines", false},
    {"ZE_extension_device_memory_properties", INTEL "memory_and_cache_lines", false},
    {"ZE_extension_device_usablemem_size_properties", INTEL "memory_and_cache_lines", false},
    {"ZE_extension_external_memmap_sysmem", INTEL "host_memory_of_the_program", false},
    {"ZE_experimental_sub_allocations", INTEL "memory_is_one_piece", false},
    {"ZE_extension_memory_compression_hints", INTEL "hints_are_taken", false},
    {"ZE_experimental_scheduling_hints", DRIVER "kernel_properties, " INTEL "hints_are_taken", false},
    {"ZE_experimental_power_saving_hint", INTEL "hints_are_taken", false},
    {"ZE_intel_experimental_device_module_dp_properties",
     "test_soft_models: models_say_what_they_are, test_soft_products: subgroups_of_16", false},
    {"ZE_intel_experimental_device_block_array_properties",
     "test_soft_models: models_run_what_they_have, test_soft_matrix: blocks_16", false},
    {"ZE_experimental_fabric", "test_soft_hierarchy: fabric_vertices", false},
    {"ZE_extension_record_replay_graph", "test_soft_graphs: replays_follow_their_data", false},
    {"ZE_experimental_record_replay_graph", "test_soft_graphs: older_names", false},
    {"ZE_extension_event_query_kernel_timestamps", DRIVER "newer_launches", false},
    {"ZE_extension_kernel_max_group_size_properties", DRIVER "kernel_properties", false},
    {"ZE_extension_bfloat16_conversions", "test_opencl_assembly: small_floats", false},
    {"ZE_extension_virtual_mem_readonly_properties", DRIVER "virtual_memory", false},
    {"ZE_experimental_immediate_command_list_append", DRIVER "newer_commands", false},
    {"ZE_experimental_kernel_allocation_properties", DRIVER "newer_kernel_allocations", false},
    {"ZE_experimental_mutable_command_list", DRIVER "newer_mutable_lists", false},
    {"ZE_extension_device_vector_sizes", DRIVER "newer_vector_widths", false},
    {"ZE_extension_external_semaphores",
     DRIVER "newer_semaphores_between_processes, test_soft_driver: newer_semaphores_are_taken", false},
};
#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* Whether a file with this name, in one of the folders of tests, has the test. */
static bool has_test(const char *file, const char *test)
{
    static const char *const folders[] = {"tests/*", "soft/tests"};
    char path[256], line[512], want[128];
    bool found = false;
    snprintf(want, sizeof want, "TEST(%s)", test);
    for (size_t i = 0; i < COUNT(folders); i++) {
        glob_t g;
        snprintf(path, sizeof path, "%s/%s.c", folders[i], file);
        if (glob(path, 0, NULL, &g) != 0) continue;
        for (size_t k = 0; k < g.gl_pathc; k++) {
            FILE *f = fopen(g.gl_pathv[k], "re");
            while (f && !found && fgets(line, sizeof line, f)) found = strncmp(line, want, strlen(want)) == 0;
            if (f) fclose(f);
        }
        globfree(&g);
    }
    return found;
}

static void check_tests(const char *of, const char *tests)
{
    char text[512], *at = text, *one;
    snprintf(text, sizeof text, "%s", tests);
    CHECK_MSG(*tests, "%s: no test is named", of);
    while ((one = strsep(&at, ",")) != NULL) {
        one += strspn(one, " ");
        char *colon = strstr(one, ": ");
        if (colon) *colon = 0;
        const char *file = colon ? one : "test_soft_claims", *test = colon ? colon + 2 : one;
        CHECK_MSG(has_test(file, test), "%s: there is no TEST(%s) in %s.c", of, test, file);
    }
}

/* Each reported bit has a row. */
static void claim(const char *of, uint64_t bits)
{
    for (size_t i = 0; i < COUNT(flags); i++)
        if (!strcmp(flags[i].of, of)) {
            flags[i].seen |= bits;
            bits &= ~flags[i].bits;
        }
    CHECK_MSG(!bits, "%s: flags 0x%llx are reported and no test is named for them", of, (unsigned long long)bits);
}

static void claim_extensions(void)
{
    ze_driver_extension_properties_t list[64];
    uint32_t count = COUNT(list);
    OK(zeDriverGetExtensionProperties(driver, &count, list));
    CHECK(count < COUNT(list));
    for (uint32_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < COUNT(extensions) && strcmp(extensions[k].name, list[i].name)) k++;
        CHECK_MSG(k < COUNT(extensions), "%s is reported and no test is named for it", list[i].name);
        if (k < COUNT(extensions)) extensions[k].seen = true;
    }
}

/* Structures of newer headers, by number where programs of older ones may chain them. */
struct number {
    uint32_t stype;
    void *next;
    uint32_t value;
};

static void claim_device(const char *name, ze_device_handle_t of)
{
    struct number older_graphs = {0x30029, NULL, 0}, events = {0x2003e, &older_graphs, 0};
    struct number graphs = {0x20047, &events, 0};
    struct number blocks = {0x30007, &graphs, 0};
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &blocks};
    OK(zeDeviceGetProperties(of, &p));
    claim(name, p.flags);
    claim("2D blocks", blocks.value);
    claim("graphs", graphs.value);
    claim("events", events.value);
    CHECK_INT(older_graphs.value, graphs.value & 0xf); /* it has no more */
}

static void claim_numbers(void)
{
    struct number products = {0x30013, NULL, 0};
    ze_float_atomic_ext_properties_t f = {.stype = ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES, .pNext = &products};
    ze_device_module_properties_t m = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES, .pNext = &f};
    OK(zeDeviceGetModuleProperties(device.device, &m));
    claim("module", m.flags);
    claim("fp16", m.fp16flags);
    claim("fp32", m.fp32flags);
    claim("fp64", m.fp64flags);
    claim("fp16 atomics", f.fp16Flags);
    claim("fp32 atomics", f.fp32Flags);
    claim("fp64 atomics", f.fp64Flags);
    claim("products", products.value);
}

static void claim_queues(void)
{
    static const char *const names[] = {"queues", "queues for copies"};
    ze_command_queue_group_properties_t groups[4];
    uint32_t count = COUNT(groups);
    memset(groups, 0, sizeof groups);
    for (uint32_t i = 0; i < count; i++) groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    OK(zeDeviceGetCommandQueueGroupProperties(device.device, &count, groups));
    CHECK_INT(count, COUNT(names));
    for (uint32_t i = 0; i < count && i < COUNT(names); i++) claim(names[i], groups[i].flags);
}

static void claim_memory(void)
{
    ze_device_memory_properties_t m = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    ze_device_cache_properties_t c = {.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES};
    ze_device_external_memory_properties_t x = {.stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES};
    ze_device_p2p_properties_t peers = {.stype = ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES};
    ze_device_memory_access_properties_t access = access_of(device.device);
    uint32_t one = 1;
    OK(zeDeviceGetMemoryProperties(device.device, &one, &m));
    OK(zeDeviceGetCacheProperties(device.device, &one, &c));
    OK(zeDeviceGetExternalMemoryProperties(device.device, &x));
    OK(zeDeviceGetP2PProperties(part[0], part[1], &peers));
    claim("memory", m.flags);
    claim("cache", c.flags);
    claim("host memory", access.hostAllocCapabilities);
    claim("device memory", access.deviceAllocCapabilities);
    claim("shared memory", access.sharedSingleDeviceAllocCapabilities);
    claim("memory across parts", access.sharedCrossDeviceAllocCapabilities);
    claim("malloc's memory", access.sharedSystemAllocCapabilities);
    claim("export", x.memoryAllocationExportTypes);
    claim("import", x.memoryAllocationImportTypes);
    claim("export of images", x.imageExportTypes);
    claim("import of images", x.imageImportTypes);
    claim("peers", peers.flags);
}

static void claim_driver(void)
{
    ze_driver_memory_free_ext_properties_t ways = {.stype = ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES};
    ze_driver_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES, .pNext = &ways};
    ze_driver_ipc_properties_t ipc = {.stype = ZE_STRUCTURE_TYPE_DRIVER_IPC_PROPERTIES};
    OK(zeDriverGetProperties(driver, &p));
    OK(zeDriverGetIpcProperties(driver, &ipc));
    claim("the driver's ways to free", ways.freePolicies);
    claim("the driver's IPC", ipc.flags);
}

static void claim_images(void)
{
    ze_image_desc_t d = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .type = ZE_IMAGE_TYPE_2D, .width = 4, .height = 4};
    ze_image_properties_t p = {.stype = ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES};
    d.format.type = ZE_IMAGE_FORMAT_TYPE_UNORM;
    OK(zeImageGetProperties(device.device, &d, &p));
    claim("samplers of an image", p.samplerFilterFlags);
}

/* Structures of versions 1.9 and 1.17. */
static void claim_newer_properties(void)
{
    struct {
        uint32_t stype;
        void *next;
        uint32_t of_lists, of_commands;
    } changes = {0x20015, NULL, 0, 0};
    struct {
        uint32_t stype;
        void *next;
        uint32_t capability;
    } read_only = {0x10015, &changes, 0};
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &read_only};
    OK(zeDeviceGetProperties(device.device, &p));
    claim("read-only memory", read_only.capability);
    claim("changes of lists", changes.of_lists);
    claim("changes of commands", changes.of_commands);
}

TEST(what_is_claimed_has_tests)
{
    claim_driver();
    claim_extensions();
    claim_device("device", device.device);
    claim_device("part", part[0]);
    claim_numbers();
    claim_queues();
    claim_memory();
    claim_images();
    claim_newer_properties();
    for (size_t i = 0; i < COUNT(flags); i++)
        CHECK_MSG((flags[i].bits & ~flags[i].seen) == 0 || getenv("XETILE_SOFT_CHECK"), "%s: 0x%llx is not reported",
                  flags[i].of, (unsigned long long)(flags[i].bits & ~flags[i].seen));
    for (size_t i = 0; i < COUNT(extensions); i++)
        CHECK_MSG(extensions[i].seen, "%s is not reported", extensions[i].name);
}

TEST(tests_that_are_named_exist)
{
    for (size_t i = 0; i < COUNT(flags); i++) check_tests(flags[i].of, flags[i].tests);
    for (size_t i = 0; i < COUNT(limits); i++) check_tests(limits[i].of, limits[i].tests);
    for (size_t i = 0; i < COUNT(extensions); i++) check_tests(extensions[i].name, extensions[i].tests);
}

int main(void)
{
    uint32_t one = 1, two = 2;
    setenv("XETILE_SOFT_SUBDEVICES", "2", 1);
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    OK(zeDriverGet(&one, &driver));
    OK(zeDeviceGetSubDevices(device.device, &two, part));
    if (one != 1 || two != 2) return fprintf(stderr, "no device of two parts\n"), 1;
    RUN(atomics_of_kernels_and_the_host);
    RUN(atomics_in_memory_of_malloc);
    RUN(parts_use_each_others_memory);
    RUN(float_atomics);
    RUN(quotients_and_roots_are_rounded);
    RUN(what_is_claimed_has_tests);
    RUN(tests_that_are_named_exist);
    zed_close(&device);
    return test_report();
}
