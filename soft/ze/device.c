/* device.c - properties of the device and its sub-devices. Where the API has a number for hardware that we lack
 * (slices, execution units), it gets a value that fits the largest work-group.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "build/jit.h"
#include "spirv/host_state.h"
#include "xe/xe.h"
#include "ze_soft.h"

enum { INTEL = 0x8086, LARGEST_SUBGROUP = 32 };

/* Execution units that hold the largest work-group in subgroups of any size, on any CPU: programs compute the maximum
 * work-group size from them. */
enum { THREADS_AN_EU = 8, EUS = 16 };
_Static_assert(THREADS_AN_EU *EUS * 8 >= SOFT_MAX_GROUP_SIZE, "a work-group of subgroups of 8 has no room");

static uint32_t threads_of(ze_device_handle_t device) { return device->threads ? device->threads : sched_threads(); }

static bool give_one(uint32_t *count, const void *list)
{
    bool write = list && *count >= 1;
    if (!list || *count > 1) *count = 1;
    return write;
}

/* The value of the first line of a /proc file that starts with `key`; false if there is none. */
static bool proc_line(const char *path, const char *key, char *to, size_t size)
{
    char line[512];
    bool found = false;
    FILE *f = fopen(path, "re");
    if (!f) return false;
    while (!found && fgets(line, sizeof line, f)) {
        char *value = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || !value) continue;
        value += 1 + strspn(value + 1, " \t");
        value[strcspn(value, "\n")] = 0;
        snprintf(to, size, "%s", value);
        found = true;
    }
    fclose(f);
    return found;
}

/* What the system could grant now. */
static uint64_t usable_bytes(void)
{
    char text[64];
    uint64_t bytes = proc_line("/proc/meminfo", "MemAvailable", text, sizeof text) ? strtoull(text, NULL, 10) << 10 : 0;
    return bytes && bytes < soft_memory_bytes() ? bytes : soft_memory_bytes();
}

static uint32_t clock_mhz(void)
{
    char text[64];
    double mhz = proc_line("/proc/cpuinfo", "cpu MHz", text, sizeof text) ? sp_real_read(text, NULL) : 0;
    return mhz > 0 && mhz < 1e6 ? (uint32_t)mhz : 0;
}

/* /proc may be missing, or lack a model name. */
static void cpu_model(char *to, size_t size)
{
    struct utsname system;
#if defined(__x86_64__)
    uint32_t brand[13] = {0}, i;
    const char *text = (const char *)brand;
    for (i = 0; i < 3; i++)
        if (!__get_cpuid(0x80000002u + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2], &brand[4 * i + 3]))
            break;
    text += strspn(text, " ");
    if (i == 3 && *text) {
        snprintf(to, size, "%s", text);
        for (i = (uint32_t)strlen(to); i && to[i - 1] == ' '; i--) to[i - 1] = 0;
        return;
    }
#endif
    if (!proc_line("/proc/cpuinfo", "model name", to, size))
        snprintf(to, size, "%s CPU", uname(&system) == 0 ? system.machine : "unknown");
}

static void device_name(ze_device_handle_t device, char *to, size_t size)
{
    char model[128], part[32] = "";
    uint32_t threads = threads_of(device);
    const struct soft_model *as = soft_model();
    cpu_model(model, sizeof model);
    if (device->part) snprintf(part, sizeof part, ", part %u", device->part);
    snprintf(to, size, "%s%sxetile software device (%s, %u thread%s%s)", as ? as->title : "",
             !as           ? ""
             : xe_target() ? " code on the "
                           : " as the ",
             model, threads, threads == 1 ? "" : "s", part);
}

/* Structures of Intel's driver only. */
enum {
    BLOCK_PROPERTIES = 0x30007,
    PRODUCT_PROPERTIES = 0x30013,
    WAIT_ON_MEMORY_SIZE = 0x30017,
    GRAPH_PROPERTIES_EXP = 0x30029
};
struct number_properties {
    ze_structure_type_t stype;
    void *next;
    uint32_t number;
};

struct memory_properties {
    ze_structure_type_t stype;
    void *next;
    uint32_t type;
    uint64_t bytes;
    uint32_t read_bandwidth, write_bandwidth, unit;
};
enum { TYPE_DDR = 2 };
struct size_property {
    ze_structure_type_t stype;
    void *next;
    uint64_t size;
};

uint32_t soft_subgroup_size(void) { return soft_model() ? soft_model()->simd : jit_subgroup_size(); }

void soft_device_uuid(ze_device_handle_t device, uint8_t to[ZE_MAX_DEVICE_UUID_SIZE])
{
    static const uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE] = {'x', 'e', 't', 'i', 'l', 'e', '-', 's', 'o', 'f', 't', 0, 1};
    memcpy(to, uuid, sizeof uuid);
    to[ZE_MAX_DEVICE_UUID_SIZE - 1] = (uint8_t)device->part;
}

ze_result_t zeDeviceGetProperties(ze_device_handle_t device, ze_device_properties_t *p)
{
    const struct soft_model *as = soft_model(); /* so that programs build for it */
    ze_base_properties_t *more;
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(p);
    p->type = soft_is_cpu() ? ZE_DEVICE_TYPE_CPU : ZE_DEVICE_TYPE_GPU;
    p->vendorId = as ? INTEL : SOFT_VENDOR_ID;
    p->deviceId = as ? as->device_id : SOFT_DEVICE_ID;
    p->flags = ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING;
    if (!as || as->integrated) p->flags |= ZE_DEVICE_PROPERTY_FLAG_INTEGRATED; /* it uses host memory */
    if (soft_is_subdevice(device)) p->flags |= ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE;
    p->subdeviceId = device->part ? device->part - 1 : 0;
    p->coreClockRate = clock_mhz();
    p->maxMemAllocSize = soft_largest_allocation();
    p->maxHardwareContexts = 1024;
    p->maxCommandQueuePriority = 0;
    p->numThreadsPerEU = as ? as->threads : THREADS_AN_EU;
    p->physicalEUSimdWidth = soft_subgroup_size();
    p->numEUsPerSubslice = as ? as->eus : EUS;
    p->numSubslicesPerSlice = as ? as->subslices : 1;
    p->numSlices = (as ? as->slices : 1) * (soft_parts_of(device) ? soft_parts_of(device) : 1);
    /* Nanoseconds per tick, or ticks per second in the newer structure. */
    p->timerResolution = p->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 ? 1000000000u : 1u;
    p->timestampValidBits = 64;
    p->kernelTimestampValidBits = 64;
    soft_device_uuid(device, p->uuid.id);
    device_name(device, p->name, sizeof p->name);
    for (more = p->pNext; more; more = more->pNext)
        if (more->stype == ZE_STRUCTURE_TYPE_EU_COUNT_EXT)
            ((ze_eu_count_ext_t *)(void *)more)->numTotalEUs =
                p->numSlices * p->numSubslicesPerSlice * p->numEUsPerSubslice;
        else if (more->stype == ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT && as)
            ((struct number_properties *)(void *)more)->number = as->ip;
        else if ((uint32_t)more->stype == BLOCK_PROPERTIES)
            ((struct number_properties *)(void *)more)->number = !as || as->has_blocks ? 3 : 0; /* stores, loads */
        else if (more->stype == ZE_STRUCTURE_TYPE_RECORD_REPLAY_GRAPH_EXT_PROPERTIES ||
                 (uint32_t)more->stype == GRAPH_PROPERTIES_EXP)
            ((struct number_properties *)(void *)more)->number =
                (uint32_t)more->stype == GRAPH_PROPERTIES_EXP ? 1
                                                              : 1 | 16; /* that do not change; events of processes */
        else if (more->stype == ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES)
            ((struct size_property *)(void *)more)->size = usable_bytes();
        else if ((uint32_t)more->stype == WAIT_ON_MEMORY_SIZE)
            ((struct number_properties *)(void *)more)->number = 8; /* and 4 */
        else if (more->stype == ZE_STRUCTURE_TYPE_DEVICE_EVENT_PROPERTIES)
            ((struct number_properties *)(void *)more)->number = 1 | 2 | 4; /* see counter.h; no interrupts */
        else if (more->stype == ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_PROPERTIES) {
            ze_mutable_command_list_exp_properties_t *can = (void *)more;
            can->mutableCommandListFlags = 0;
            can->mutableCommandFlags = 0x7f; /* all except graph arguments */
        } else if (more->stype == ZE_STRUCTURE_TYPE_DEVICE_READONLY_MEMORY_EXT_PROPERTIES)
            ((ze_device_readonly_memory_ext_properties_t *)(void *)more)->readonlyCapability =
                ZE_DEVICE_READONLY_MEMORY_CAPABILITY_ENFORCED;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetComputeProperties(ze_device_handle_t device, ze_device_compute_properties_t *p)
{
    uint32_t lanes = soft_model() ? soft_model()->least_lanes : 8;
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(p);
    p->maxTotalGroupSize = p->maxGroupSizeX = p->maxGroupSizeY = p->maxGroupSizeZ = soft_max_group_size();
    p->maxGroupCountX = p->maxGroupCountY = p->maxGroupCountZ = UINT32_MAX;
    p->maxSharedLocalMemory = soft_local_memory();
    memset(p->subGroupSizes, 0, sizeof p->subGroupSizes);
    for (p->numSubGroupSizes = 0; lanes <= LARGEST_SUBGROUP; lanes *= 2)
        p->subGroupSizes[p->numSubGroupSizes++] = lanes;
    return ZE_RESULT_SUCCESS;
}

static void float_atomics(ze_float_atomic_ext_properties_t *p, bool has_double)
{
    const ze_device_fp_atomic_ext_flags_t all =
        ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD |
        ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_MIN_MAX | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_LOAD_STORE |
        ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_MIN_MAX;
    p->fp16Flags = p->fp32Flags = all;
    p->fp64Flags = has_double ? all : 0;
}

ze_result_t zeDeviceGetModuleProperties(ze_device_handle_t device, ze_device_module_properties_t *p)
{
    const ze_device_fp_flags_t ieee = ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN |
                                      ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST | ZE_DEVICE_FP_FLAG_FMA |
                                      ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT | ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO |
                                      ZE_DEVICE_FP_FLAG_ROUND_TO_INF; /* conversions round in all four ways */
    ze_base_properties_t *more;
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(p);
    p->spirvVersionSupported = ZE_MAKE_VERSION(1, 6);
    const bool has_double = !soft_model() || soft_model()->has_double;
    p->flags = ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS | ZE_DEVICE_MODULE_FLAG_DP4A;
    if (has_double) p->flags |= ZE_DEVICE_MODULE_FLAG_FP64;
    p->fp16flags = p->fp32flags = ieee;
    p->fp64flags = has_double ? ieee : 0;
    p->maxArgumentsSize = SOFT_MAX_ARGUMENTS;
    p->printfBufferSize = 1u << 20; /* text goes straight to stdout; this is OpenCL's minimum */
    memset(&p->nativeKernelSupported, 0, sizeof p->nativeKernelSupported);
    memcpy(p->nativeKernelSupported.id, "xetile-soft", 11);
    for (more = p->pNext; more; more = more->pNext)
        if (more->stype == ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES)
            float_atomics((ze_float_atomic_ext_properties_t *)(void *)more, has_double);
        else if ((uint32_t)more->stype == PRODUCT_PROPERTIES)
            ((struct number_properties *)(void *)more)->number =
                !soft_model() || soft_model()->has_products ? 3 : 1; /* DP4A, DPAS */
        else if (more->stype == ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_PROPERTIES)
            ((ze_scheduling_hint_exp_properties_t *)(void *)more)->schedulingHintFlags = 0; /* taken, without effect */
    return ZE_RESULT_SUCCESS;
}

/* Patterns have no maximum size, but programs try all sizes up to the reported one. */
enum { LARGEST_PATTERN = 4096 };

ze_result_t zeDeviceGetCommandQueueGroupProperties(ze_device_handle_t device, uint32_t *count,
                                                   ze_command_queue_group_properties_t *groups)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(count);
    if (!groups || *count > SOFT_GROUPS) *count = SOFT_GROUPS;
    for (uint32_t i = 0; groups && i < *count; i++) {
        groups[i].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
        if (i != SOFT_COPY_GROUP)
            groups[i].flags |= ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
                               ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS;
        groups[i].maxMemoryFillPatternSize = LARGEST_PATTERN;
        groups[i].numQueues = soft_queue_count();
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetMemoryProperties(ze_device_handle_t device, uint32_t *count, ze_device_memory_properties_t *list)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(count);
    if (!give_one(count, list)) return ZE_RESULT_SUCCESS;
    list[0].flags = 0;
    list[0].maxClockRate = 0; /* unknown */
    list[0].maxBusWidth = 64;
    list[0].totalSize = soft_memory_bytes();
    snprintf(list[0].name, sizeof list[0].name, "host memory");
    for (ze_base_properties_t *more = list[0].pNext; more; more = more->pNext)
        if (more->stype == ZE_STRUCTURE_TYPE_DEVICE_MEMORY_EXT_PROPERTIES) {
            struct memory_properties *p = (void *)more;
            p->type = TYPE_DDR; /* of some kind */
            p->bytes = soft_memory_bytes();
            p->read_bandwidth = p->write_bandwidth = p->unit = 0; /* unknown */
        }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetMemoryAccessProperties(ze_device_handle_t device, ze_device_memory_access_properties_t *p)
{
    const ze_memory_access_cap_flags_t all = ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC |
                                             ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT |
                                             ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC;
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(p);
    p->hostAllocCapabilities = p->deviceAllocCapabilities = p->sharedSingleDeviceAllocCapabilities = all;
    p->sharedSystemAllocCapabilities = soft_has_system_memory() ? all : 0;
    p->sharedCrossDeviceAllocCapabilities = soft_parts_of(&soft_device) ? all : 0; /* else there is only one device */
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetCacheProperties(ze_device_handle_t device, uint32_t *count, ze_device_cache_properties_t *list)
{
    long size = sysconf(_SC_LEVEL3_CACHE_SIZE), line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
    ze_base_properties_t *more;
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(count);
    if (size <= 0) size = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (!give_one(count, list)) return ZE_RESULT_SUCCESS;
    list[0].flags = 0;
    list[0].cacheSize = size > 0 ? (size_t)size : 0;
    for (more = list[0].pNext; more; more = more->pNext)
        if (more->stype == ZE_STRUCTURE_TYPE_DEVICE_CACHELINE_SIZE_EXT)
            ((struct size_property *)(void *)more)->size = line > 0 ? (uint64_t)line : 64; /* the usual one */
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetExternalMemoryProperties(ze_device_handle_t device, ze_device_external_memory_properties_t *p)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(p);
    p->memoryAllocationImportTypes = p->memoryAllocationExportTypes = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD;
    p->imageImportTypes = p->imageExportTypes = 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetP2PProperties(ze_device_handle_t device, ze_device_handle_t peer, ze_device_p2p_properties_t *p)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_HANDLE(peer, SOFT_DEVICE);
    SOFT_POINTER(p);
    p->flags =
        /* the peer is the device or one of its sub-devices */
        ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS | ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceCanAccessPeer(ze_device_handle_t device, ze_device_handle_t peer, ze_bool_t *value)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_HANDLE(peer, SOFT_DEVICE);
    SOFT_POINTER(value);
    *value = 1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetStatus(ze_device_handle_t device)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetGlobalTimestamps(ze_device_handle_t device, uint64_t *host, uint64_t *ticks)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(host);
    SOFT_POINTER(ticks);
    *host = *ticks = soft_now();
    return ZE_RESULT_SUCCESS;
}
