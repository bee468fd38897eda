/* driver.c - the driver, its version and extensions. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counter.h"
#include "graph.h"
#include "xe/xe.h"

struct _ze_driver_handle_t soft_driver = {SOFT_DRIVER};

/* ---- the driver */

ze_result_t zeInit(ze_init_flags_t flags)
{
    SOFT_FLAGS(flags, ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY);
    if (flags == ZE_INIT_FLAG_VPU_ONLY) return ZE_RESULT_ERROR_UNINITIALIZED;
    if (flags == ZE_INIT_FLAG_GPU_ONLY && soft_is_cpu()) return ZE_RESULT_ERROR_UNINITIALIZED;
    return ZE_RESULT_SUCCESS;
}

/* The two-call idiom of a list with one element. */
static bool give_one(uint32_t *count, const void *list)
{
    bool write = list && *count >= 1;
    if (!list || *count > 1) *count = 1;
    return write;
}

ze_result_t zeDriverGet(uint32_t *count, ze_driver_handle_t *drivers)
{
    SOFT_POINTER(count);
    soft_look_at_settings();
    if (give_one(count, drivers)) drivers[0] = &soft_driver;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeInitDrivers(uint32_t *count, ze_driver_handle_t *drivers, ze_init_driver_type_desc_t *desc)
{
    ze_init_driver_type_flags_t kind = ZE_INIT_DRIVER_TYPE_FLAG_GPU;
    SOFT_POINTER(count);
    SOFT_POINTER(desc);
    if (!desc->flags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (soft_is_cpu()) {
        *count = 0; /* the API has no driver type for CPUs; zeInit still finds the device */
        return ZE_RESULT_SUCCESS;
    }
    if (!(desc->flags & kind)) {
        *count = 0;
        return ZE_RESULT_SUCCESS;
    }
    return zeDriverGet(count, drivers);
}

SOFT_GETTER(zeDriverGetApiVersion, ze_driver_handle_t, SOFT_DRIVER, ze_api_version_t, SOFT_API_VERSION)

ze_result_t zeDriverGetProperties(ze_driver_handle_t driver, ze_driver_properties_t *properties)
{
    static const uint8_t uuid[ZE_MAX_DRIVER_UUID_SIZE] = {'x', 'e', 't', 'i', 'l', 'e', '-', 's', 'o', 'f', 't'};
    ze_base_properties_t *more;
    SOFT_HANDLE(driver, SOFT_DRIVER);
    SOFT_POINTER(properties);
    memcpy(properties->uuid.id, uuid, sizeof uuid);
    properties->driverVersion = SOFT_DRIVER_VERSION;
    for (more = properties->pNext; more; more = more->pNext)
        if (more->stype == ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES)
            ((ze_driver_memory_free_ext_properties_t *)(void *)more)->freePolicies =
                ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE |
                ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetIpcProperties(ze_driver_handle_t driver, ze_driver_ipc_properties_t *properties)
{
    SOFT_HANDLE(driver, SOFT_DRIVER);
    SOFT_POINTER(properties);
    properties->flags = ZE_IPC_PROPERTY_FLAG_MEMORY | ZE_IPC_PROPERTY_FLAG_EVENT_POOL;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetExtensionProperties(ze_driver_handle_t driver, uint32_t *count,
                                           ze_driver_extension_properties_t *list)
{
    static const struct {
        const char *name;
        uint32_t version;
    } known[] = {
        {ZE_FLOAT_ATOMICS_EXT_NAME, ZE_FLOAT_ATOMICS_EXT_VERSION_1_0},
        {ZE_GLOBAL_OFFSET_EXP_NAME, ZE_GLOBAL_OFFSET_EXP_VERSION_1_0},
        {ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME, ZE_RELAXED_ALLOCATION_LIMITS_EXP_VERSION_1_0},
        {ZE_EVENT_QUERY_TIMESTAMPS_EXP_NAME, ZE_EVENT_QUERY_TIMESTAMPS_EXP_VERSION_1_0},
        {ZE_EU_COUNT_EXT_NAME, ZE_EU_COUNT_EXT_VERSION_1_0},
        {ZE_MEMORY_FREE_POLICIES_EXT_NAME, ZE_MEMORY_FREE_POLICIES_EXT_VERSION_1_0},
        {ZE_MODULE_PROGRAM_EXP_NAME, ZE_MODULE_PROGRAM_EXP_VERSION_1_0},
        {ZE_LINKAGE_INSPECTION_EXT_NAME, ZE_LINKAGE_INSPECTION_EXT_VERSION_1_0},
        {ZE_SUBGROUPS_EXT_NAME, ZE_SUBGROUP_EXT_VERSION_1_0},
        {ZE_LINKONCE_ODR_EXT_NAME, ZE_LINKONCE_ODR_EXT_VERSION_1_0},
        {ZE_SRGB_EXT_NAME, ZE_SRGB_EXT_VERSION_1_0},
        {ZE_IMAGE_COPY_EXT_NAME, ZE_IMAGE_COPY_EXT_VERSION_1_0},
        {ZE_IMAGE_QUERY_ALLOC_PROPERTIES_EXT_NAME, ZE_IMAGE_QUERY_ALLOC_PROPERTIES_EXT_VERSION_1_0},
        {ZE_IMAGE_MEMORY_PROPERTIES_EXP_NAME, ZE_IMAGE_MEMORY_PROPERTIES_EXP_VERSION_1_0},
        {ZE_IMAGE_VIEW_EXP_NAME, ZE_IMAGE_VIEW_EXP_VERSION_1_0},
        {ZE_FABRIC_EXP_NAME, ZE_MAKE_VERSION(1, 0)},
        {"ZE_extension_image_view", ZE_MAKE_VERSION(1, 0)},
        {"ZE_experimental_bindless_image", ZE_MAKE_VERSION(1, 0)},
        {"ZE_extension_image_format_support", ZE_MAKE_VERSION(1, 0)},
        {"ZE_extension_event_query_kernel_timestamps", ZE_MAKE_VERSION(1, 0)},
        {"ZE_extension_kernel_max_group_size_properties", ZE_MAKE_VERSION(1, 0)},
        {"ZE_extension_bfloat16_conversions", ZE_MAKE_VERSION(1, 0)},
        {"ZE_extension_virtual_mem_readonly_properties", ZE_MAKE_VERSION(1, 0)},
        {"ZE_extension_record_replay_graph", ZE_MAKE_VERSION(1, 0)},
        {"ZE_experimental_record_replay_graph", ZE_MAKE_VERSION(1, 0)},
        {"ZE_experimental_event_pool_counter_based", ZE_MAKE_VERSION(1, 0)},
        {"ZEX_counter_based_event", ZE_MAKE_VERSION(1, 0)},
        {"ZEX_extension_memory_free_callback", ZE_MAKE_VERSION(1, 0)},
        {"ZEX_mem_ipc_handles", ZE_MAKE_VERSION(1, 0)},
        {"ZEX_driver_import_host_pointer", ZE_MAKE_VERSION(1, 0)},
        {"ZEX_intel_experimental_queue_copy_operations_offload_hint", ZE_MAKE_VERSION(1, 0)},
        {"ZE_intel_experimental_command_list_memory_sync", ZE_MAKE_VERSION(1, 0)},
        {"ZE_intel_get_driver_version_string", ZE_MAKE_VERSION(1, 0)},
        {"ZE_extension_device_cache_line_size", ZE_MAKE_VERSION(1, 0)},
        {"ZE_extension_device_memory_properties", ZE_MAKE_VERSION(1, 0)},
        {"ZE_extension_device_usablemem_size_properties", ZE_MAKE_VERSION(1, 0)},
        {"ZE_extension_external_memmap_sysmem", ZE_MAKE_VERSION(1, 0)},
        {"ZE_experimental_sub_allocations", ZE_MAKE_VERSION(1, 0)},
        {ZE_MEMORY_COMPRESSION_HINTS_EXT_NAME, ZE_MEMORY_COMPRESSION_HINTS_EXT_VERSION_1_0},
        {ZE_KERNEL_SCHEDULING_HINTS_EXP_NAME, ZE_SCHEDULING_HINTS_EXP_VERSION_1_0},
        {ZE_CONTEXT_POWER_SAVING_HINT_EXP_NAME, ZE_POWER_SAVING_HINT_EXP_VERSION_1_0},
        {"ZE_intel_experimental_device_module_dp_properties", ZE_MAKE_VERSION(1, 0)},
        {"ZE_intel_experimental_device_block_array_properties", ZE_MAKE_VERSION(1, 0)},
        {"ZE_experimental_immediate_command_list_append", ZE_MAKE_VERSION(1, 0)},
        {"ZE_experimental_mutable_command_list", ZE_MAKE_VERSION(1, 1)},
        {"ZE_extension_device_vector_sizes", ZE_MAKE_VERSION(1, 0)},
        {"ZE_extension_external_semaphores", ZE_MAKE_VERSION(1, 0)},
        {"ZE_experimental_kernel_allocation_properties", ZE_MAKE_VERSION(1, 0)},
        {"ZE_extension_device_ip_version", ZE_MAKE_VERSION(1, 0)}, /* from here on: only for models */
        {"ZE_extension_kernel_binary_exp", ZE_MAKE_VERSION(1, 0)}, /* from here on: only for their machine code */
        {"ZE_intel_experimental_kernel_get_program_binary", ZE_MAKE_VERSION(1, 0)},
    };
    uint32_t i, n = sizeof known / sizeof known[0] - (!soft_model() ? 3 : !xe_target() ? 2 : 0);
    SOFT_HANDLE(driver, SOFT_DRIVER);
    SOFT_POINTER(count);
    if (!list || *count > n) *count = n;
    for (i = 0; list && i < *count; i++) {
        snprintf(list[i].name, sizeof list[i].name, "%s", known[i].name);
        list[i].version = known[i].version;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetExtensionFunctionAddress(ze_driver_handle_t driver, const char *name, void **address)
{
    /* The tables contain every function. The log functions are also listed here because a loader that wraps handles
     * does not wrap the log of a failed build: only our own functions can read it. The others are newer than some
     * headers. */
#define FUNCTION(f) {#f, (void (*)(void))(f)}
#define EITHER(f) FUNCTION(f##Ext), FUNCTION(f##Exp) /* with its earlier name */
    static const struct {
        const char *name;
        void (*function)(void);
    } known[] = {FUNCTION(zeModuleBuildLogGetString), FUNCTION(zeModuleBuildLogDestroy), FUNCTION(zeImageViewCreateExt),
                 FUNCTION(zeMemGetPitchFor2dImage), FUNCTION(zeImageGetDeviceOffsetExp),
                 FUNCTION(zeGraphInstantiateExt), FUNCTION(zeCommandListInstantiateGraphExp),
                 FUNCTION(zeGraphPauseCaptureExt), FUNCTION(zeGraphResumeCaptureExt), FUNCTION(zeGraphGetIdExt),
                 FUNCTION(zeGraphGetPrimaryCommandListExt), FUNCTION(zeExecutableGraphGetSourceGraphExt),
                 EITHER(zeGraphCreate), EITHER(zeGraphDestroy), EITHER(zeGraphIsEmpty), EITHER(zeGraphDumpContents),
                 EITHER(zeGraphSetDestructionCallback), EITHER(zeExecutableGraphDestroy),
                 EITHER(zeCommandListBeginGraphCapture), EITHER(zeCommandListBeginCaptureIntoGraph),
                 EITHER(zeCommandListEndGraphCapture), EITHER(zeCommandListIsGraphCaptureEnabled),
                 EITHER(zeCommandListGetGraph), EITHER(zeCommandListAppendGraph),
                 FUNCTION(zeIntelGetDriverVersionString), FUNCTION(zeDeviceGetPriorityLevels),
                 FUNCTION(zeKernelGetModuleHandleExt), FUNCTION(zeModuleGetDeviceHandleExt),
                 FUNCTION(zexKernelGetBaseAddress), FUNCTION(zexKernelGetArgumentSize),
                 FUNCTION(zexKernelGetArgumentType), FUNCTION(zexCommandListSetCleanupCallback),
                 FUNCTION(zexMemGetIpcHandles), FUNCTION(zexMemOpenIpcHandles),
                 FUNCTION(zeIntelMemMapDeviceMemToHost), FUNCTION(zexMemFreeRegisterCallbackExt),
                 FUNCTION(zexDriverImportExternalPointer), FUNCTION(zexDriverReleaseImportedPointer),
                 FUNCTION(zexDriverGetHostPointerBaseAddress), FUNCTION(zexCommandListAppendWaitOnMemory),
                 FUNCTION(zexCommandListAppendWaitOnMemory64), FUNCTION(zexCommandListAppendWriteToMemory),
                 FUNCTION(zexCommandListAppendMemoryCopyWithParameters),
                 FUNCTION(zexCommandListAppendMemoryFillWithParameters),
                 FUNCTION(zexCounterBasedEventCreate),
                 FUNCTION(zexCounterBasedEventCreate2), FUNCTION(zeEventGetCounterBasedFlags),
                 FUNCTION(zeCommandQueueGetOrdinal), FUNCTION(zeCommandQueueGetIndex),
                 FUNCTION(zeCommandQueueGetFlags), FUNCTION(zeCommandQueueGetMode),
                 FUNCTION(zeCommandQueueGetPriority), FUNCTION(zeCommandListGetDeviceHandle),
                 FUNCTION(zeCommandListGetContextHandle), FUNCTION(zeCommandListGetOrdinal),
                 FUNCTION(zeCommandListGetFlags), FUNCTION(zeCommandListImmediateGetIndex),
                 FUNCTION(zeCommandListImmediateGetFlags), FUNCTION(zeCommandListImmediateGetMode),
                 FUNCTION(zeCommandListImmediateGetPriority), FUNCTION(zeCommandListIsImmediate),
                 FUNCTION(zeCommandListIsMutableExp), FUNCTION(zeCommandListAppendHostFunction),
                 {"zeIntelKernelGetBinaryExp", (void (*)(void))zeKernelGetBinaryExp},
                 {"zexEventGetDeviceAddress", (void (*)(void))zeEventCounterBasedGetDeviceAddress},
                 {"zexCounterBasedEventGetIpcHandle", (void (*)(void))zeEventCounterBasedGetIpcHandle},
                 {"zexCounterBasedEventOpenIpcHandle", (void (*)(void))zeEventCounterBasedOpenIpcHandle},
                 {"zexCounterBasedEventCloseIpcHandle", (void (*)(void))zeEventCounterBasedCloseIpcHandle},
                 {"zexDeviceGetAggregatedCopyOffloadIncrementValue",
                  (void (*)(void))zeDeviceGetAggregatedCopyOffloadIncrementValue}};
    SOFT_HANDLE(driver, SOFT_DRIVER);
    SOFT_POINTER(name);
    SOFT_POINTER(address);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0) {
            memcpy(address, &known[i].function, sizeof *address);
            return ZE_RESULT_SUCCESS;
        }
    *address = NULL;
    return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no extension function %.100s", name);
}

ze_result_t zeDriverGetLastErrorDescription(ze_driver_handle_t driver, const char **text)
{
    SOFT_HANDLE(driver, SOFT_DRIVER);
    SOFT_POINTER(text);
    *text = soft_last_error();
    return ZE_RESULT_SUCCESS;
}
