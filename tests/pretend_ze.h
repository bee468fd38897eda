/* pretend_ze.h - a mock Level Zero: the functions that ze_dispatch.h calls, defined in the test program, where they
 * take precedence over the loader's. It has any devices that a test wants, records its arguments, counts live handles,
 * and makes any call fail on request, which no real driver does.
 */
#ifndef PRETEND_ZE_H
#define PRETEND_ZE_H

#include <level_zero/ze_api.h>

#include <level_zero/loader/ze_loader.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pretend_device {
    const char *name;
    ze_device_type_t type;
    uint32_t vendor_id, device_id;
    ze_device_property_flags_t flags;
    int driver;
    struct pretend_extensions {
        uint32_t ip; /* 0: the driver has none of them */
        bool dpas, blocks;
    } says;
};

/* Structures that the driver fills if it knows them. */
struct pretend_number {
    ze_structure_type_t stype;
    struct pretend_number *next;
    uint32_t number;
};
enum { PRETEND_IP = 0x1000f, PRETEND_BLOCKS = 0x30007, PRETEND_PRODUCTS = 0x30013 };

static struct {
    const struct pretend_device *devices;
    int device_count, driver_count;
    uint32_t parts, whole; /* devices[whole] has `parts` sub-devices: the next ones */
    uint64_t tick_ns, ticks_per_second; /* timerResolution in its old and its new meaning */
    uint32_t timestamp_bits;
    uint64_t start, end;  /* timestamps of the next event */
    uint32_t kernel_args; /* numKernelArgs of every kernel */
    uint32_t required_size[3], required_subgroup, local_bytes;
    const char *log;             /* of a module build */
    const char *kernel;          /* the name of another kernel that modules have, */
    void (*run)(void);           /* and what a launch does, with the arguments recorded */
    bool wraps, gives_addresses; /* the loader wraps handles; the driver gives its functions' addresses */
    bool mutable_lists, refuses_changes; /* the driver has functions for changing command lists; which fail */
    size_t native_bytes;                 /* of the binaries that modules give; 0: none */
    bool refuses_native;
    uint32_t driver_version;
    int fail_at;                 /* the number of the call that fails, from 1; 0: none */
    ze_result_t fail_with;
    /* recorded */
    int calls, alive, launches, barriers, executions, inits, updates, native_loads, spirv_loads;
    void *last_log;
    const char *failed; /* the name of the call that failed */
    struct {
        size_t size;
        int null;
        uint8_t bytes[16];
    } arg[32];
    uint32_t groups[3], local_size[3];
    int pending; /* launches not yet waited for */
} pretend;

/* Counts a call, and returns early if it is the one that must fail. */
#define PRETEND_CALL                                                                                                   \
    if (++pretend.calls == pretend.fail_at) {                                                                          \
        pretend.failed = __func__;                                                                                     \
        return pretend.fail_with;                                                                                      \
    }

static void pretend_reset(const struct pretend_device *devices, int count)
{
    memset(&pretend, 0, sizeof pretend);
    pretend.devices = devices;
    pretend.device_count = count;
    for (int i = 0; i < count; i++) {
        if (devices[i].driver >= pretend.driver_count) pretend.driver_count = devices[i].driver + 1;
    }
    pretend.tick_ns = 52;
    pretend.ticks_per_second = 19200000;
    pretend.timestamp_bits = 32;
    pretend.log = "";
}

/* A handle is the address of a new byte, so that leak checkers see it too. */
static ze_result_t pretend_make(void *handle)
{
    void *p = malloc(1);
    memcpy(handle, &p, sizeof p);
    pretend.alive++;
    return ZE_RESULT_SUCCESS;
}

/* A failing destroy frees too: handles that remain alive are those that nobody tried to destroy. */
static ze_result_t pretend_drop(void *handle, const char *name)
{
    free(handle);
    pretend.alive--;
    if (++pretend.calls != pretend.fail_at) return ZE_RESULT_SUCCESS;
    pretend.failed = name;
    return pretend.fail_with;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeInit(ze_init_flags_t flags)
{
    (void)flags;
    PRETEND_CALL
    pretend.inits++;
    return pretend.driver_count ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNINITIALIZED;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeDriverGet(uint32_t *count, ze_driver_handle_t *drivers)
{
    PRETEND_CALL
    for (int i = 0; drivers && i < pretend.driver_count; i++) drivers[i] = (ze_driver_handle_t)(uintptr_t)(i + 1);
    *count = (uint32_t)pretend.driver_count;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeDeviceGet(ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t *devices)
{
    uint32_t n = 0;
    PRETEND_CALL
    for (int i = 0; i < pretend.device_count; i++) {
        if ((uintptr_t)pretend.devices[i].driver + 1 != (uintptr_t)driver) continue;
        if (devices) devices[n] = (ze_device_handle_t)(uintptr_t)&pretend.devices[i];
        n++;
    }
    *count = n;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeDeviceGetSubDevices(ze_device_handle_t device, uint32_t *count,
                                                          ze_device_handle_t *devices)
{
    uint32_t n = device == (ze_device_handle_t)(uintptr_t)&pretend.devices[pretend.whole] ? pretend.parts : 0;
    PRETEND_CALL
    for (uint32_t i = 0; devices && i < n; i++)
        devices[i] = (ze_device_handle_t)(uintptr_t)&pretend.devices[pretend.whole + i + 1];
    *count = n;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeDeviceGetProperties(ze_device_handle_t device, ze_device_properties_t *p)
{
    const struct pretend_device *d = (const struct pretend_device *)(const void *)device;
    PRETEND_CALL
    p->type = d->type;
    p->vendorId = d->vendor_id;
    p->deviceId = d->device_id;
    p->flags = d->flags;
    p->maxMemAllocSize = 1 << 20;
    p->kernelTimestampValidBits = pretend.timestamp_bits;
    p->timerResolution =
        p->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 ? pretend.ticks_per_second : pretend.tick_ns;
    snprintf(p->name, sizeof p->name, "%s", d->name);
    for (struct pretend_number *n = (struct pretend_number *)p->pNext; n; n = n->next)
        if ((int)n->stype == PRETEND_IP && d->says.ip) n->number = d->says.ip;
        else if ((int)n->stype == PRETEND_BLOCKS && d->says.blocks) n->number = 3;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeDeviceGetComputeProperties(ze_device_handle_t device,
                                                                 ze_device_compute_properties_t *p)
{
    (void)device;
    PRETEND_CALL
    p->maxTotalGroupSize = 256;
    p->maxGroupSizeX = p->maxGroupSizeY = 256;
    p->maxGroupSizeZ = 64;
    p->maxGroupCountX = 1000;
    p->maxGroupCountY = p->maxGroupCountZ = 100;
    p->maxSharedLocalMemory = 4096;
    p->numSubGroupSizes = 2;
    p->subGroupSizes[0] = 16;
    p->subGroupSizes[1] = 32;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeDeviceGetModuleProperties(ze_device_handle_t device,
                                                                ze_device_module_properties_t *p)
{
    const struct pretend_device *d = (const struct pretend_device *)(const void *)device;
    PRETEND_CALL
    for (struct pretend_number *n = (struct pretend_number *)p->pNext; n; n = n->next)
        if ((int)n->stype == PRETEND_PRODUCTS && d->says.ip) n->number = d->says.dpas ? 3 : 1;
    p->flags = ZE_DEVICE_MODULE_FLAG_FP16;
    p->spirvVersionSupported = ZE_MAKE_VERSION(1, 4);
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeDeviceGetMemoryAccessProperties(ze_device_handle_t device,
                                                                      ze_device_memory_access_properties_t *p)
{
    (void)device;
    PRETEND_CALL
    p->sharedSystemAllocCapabilities = 0;
    return ZE_RESULT_SUCCESS;
}

/* The first group is a copy engine, as on some devices. */
ZE_APIEXPORT ze_result_t ZE_APICALL zeDeviceGetCommandQueueGroupProperties(ze_device_handle_t device, uint32_t *count,
                                                                           ze_command_queue_group_properties_t *p)
{
    (void)device;
    PRETEND_CALL
    *count = 2;
    if (!p) return ZE_RESULT_SUCCESS;
    p[0].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
    p[1].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
    p[1].maxMemoryFillPatternSize = 16;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeContextCreate(ze_driver_handle_t driver, const ze_context_desc_t *desc,
                                                    ze_context_handle_t *context)
{
    (void)driver, (void)desc;
    PRETEND_CALL
    return pretend_make(context);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeContextDestroy(ze_context_handle_t context)
{
    return pretend_drop(context, __func__);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeCommandListCreateImmediate(ze_context_handle_t context, ze_device_handle_t device,
                                                                 const ze_command_queue_desc_t *desc,
                                                                 ze_command_list_handle_t *list)
{
    (void)context, (void)device;
    PRETEND_CALL
    if (desc->ordinal != 1) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return pretend_make(list);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeCommandListCreate(ze_context_handle_t context, ze_device_handle_t device,
                                                        const ze_command_list_desc_t *desc,
                                                        ze_command_list_handle_t *list)
{
    (void)context, (void)device;
    PRETEND_CALL
    if (desc->commandQueueGroupOrdinal != 1) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return pretend_make(list);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeCommandListDestroy(ze_command_list_handle_t list)
{
    return pretend_drop(list, __func__);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeCommandListClose(ze_command_list_handle_t list)
{
    (void)list;
    PRETEND_CALL
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeCommandQueueCreate(ze_context_handle_t context, ze_device_handle_t device,
                                                         const ze_command_queue_desc_t *desc,
                                                         ze_command_queue_handle_t *queue)
{
    (void)context, (void)device, (void)desc;
    PRETEND_CALL
    return pretend_make(queue);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeCommandQueueDestroy(ze_command_queue_handle_t queue)
{
    return pretend_drop(queue, __func__);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t queue, uint32_t count,
                                                                      ze_command_list_handle_t *lists,
                                                                      ze_fence_handle_t fence)
{
    (void)queue, (void)count, (void)lists, (void)fence;
    PRETEND_CALL
    pretend.executions++;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeCommandQueueSynchronize(ze_command_queue_handle_t queue, uint64_t timeout)
{
    (void)queue, (void)timeout;
    PRETEND_CALL
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeEventPoolCreate(ze_context_handle_t context, const ze_event_pool_desc_t *desc,
                                                      uint32_t count, ze_device_handle_t *devices,
                                                      ze_event_pool_handle_t *pool)
{
    (void)context, (void)desc, (void)count, (void)devices;
    PRETEND_CALL
    return pretend_make(pool);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeEventPoolDestroy(ze_event_pool_handle_t pool)
{
    return pretend_drop(pool, __func__);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeEventCreate(ze_event_pool_handle_t pool, const ze_event_desc_t *desc,
                                                  ze_event_handle_t *event)
{
    (void)pool, (void)desc;
    PRETEND_CALL
    return pretend_make(event);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeEventDestroy(ze_event_handle_t event) { return pretend_drop(event, __func__); }

ZE_APIEXPORT ze_result_t ZE_APICALL zeEventHostSynchronize(ze_event_handle_t event, uint64_t timeout)
{
    (void)event, (void)timeout;
    PRETEND_CALL
    pretend.pending = 0;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeEventHostReset(ze_event_handle_t event)
{
    (void)event;
    PRETEND_CALL
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeEventHostSignal(ze_event_handle_t event)
{
    (void)event;
    PRETEND_CALL
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeEventQueryStatus(ze_event_handle_t event)
{
    (void)event;
    PRETEND_CALL
    return pretend.pending ? ZE_RESULT_NOT_READY : ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeEventQueryKernelTimestamp(ze_event_handle_t event,
                                                                ze_kernel_timestamp_result_t *result)
{
    (void)event;
    PRETEND_CALL
    result->context.kernelStart = pretend.start;
    result->context.kernelEnd = pretend.end;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t pretend_alloc(size_t size, void **p)
{
    *p = malloc(size);
    pretend.alive++;
    return *p ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeMemAllocShared(ze_context_handle_t context,
                                                     const ze_device_mem_alloc_desc_t *on_device,
                                                     const ze_host_mem_alloc_desc_t *on_host, size_t size, size_t align,
                                                     ze_device_handle_t device, void **p)
{
    (void)context, (void)on_device, (void)on_host, (void)align, (void)device;
    PRETEND_CALL
    return pretend_alloc(size, p);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeMemAllocDevice(ze_context_handle_t context,
                                                     const ze_device_mem_alloc_desc_t *desc, size_t size, size_t align,
                                                     ze_device_handle_t device, void **p)
{
    (void)context, (void)desc, (void)align, (void)device;
    PRETEND_CALL
    return pretend_alloc(size, p);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeMemAllocHost(ze_context_handle_t context, const ze_host_mem_alloc_desc_t *desc,
                                                   size_t size, size_t align, void **p)
{
    (void)context, (void)desc, (void)align;
    PRETEND_CALL
    return pretend_alloc(size, p);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeMemFree(ze_context_handle_t context, void *p)
{
    (void)context;
    return pretend_drop(p, __func__);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeMemGetAllocProperties(ze_context_handle_t context, const void *p,
                                                            ze_memory_allocation_properties_t *properties,
                                                            ze_device_handle_t *device)
{
    (void)context, (void)p, (void)device;
    PRETEND_CALL
    properties->type = ZE_MEMORY_TYPE_UNKNOWN;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeModuleCreate(ze_context_handle_t context, ze_device_handle_t device,
                                                   const ze_module_desc_t *desc, ze_module_handle_t *module,
                                                   ze_module_build_log_handle_t *log)
{
    (void)context, (void)device;
    if (log) {
        pretend_make(log);
        pretend.last_log = *log;
    }
    PRETEND_CALL
    if (desc->format == ZE_MODULE_FORMAT_NATIVE && pretend.refuses_native) return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    if (desc->format == ZE_MODULE_FORMAT_NATIVE) pretend.native_loads++;
    else pretend.spirv_loads++;
    return pretend_make(module);
}

/* Bytes that tell whether all of them came back. */
ZE_APIEXPORT ze_result_t ZE_APICALL zeModuleGetNativeBinary(ze_module_handle_t module, size_t *size, uint8_t *binary)
{
    (void)module;
    PRETEND_CALL
    *size = pretend.native_bytes;
    for (size_t i = 0; binary && i < *size; i++) binary[i] = (uint8_t)(i * 7);
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeDriverGetProperties(ze_driver_handle_t driver, ze_driver_properties_t *p)
{
    (void)driver;
    PRETEND_CALL
    p->driverVersion = pretend.driver_version;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeModuleDestroy(ze_module_handle_t module)
{
    return pretend_drop(module, __func__);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeModuleBuildLogDestroy(ze_module_build_log_handle_t log)
{
    free(log);
    pretend.alive--;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeModuleBuildLogGetString(ze_module_build_log_handle_t log, size_t *size,
                                                              char *text)
{
    (void)log;
    *size = strlen(pretend.log) + 1;
    if (text) memcpy(text, pretend.log, *size);
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeModuleGetKernelNames(ze_module_handle_t module, uint32_t *count,
                                                           const char **names)
{
    (void)module;
    PRETEND_CALL
    *count = 2;
    if (names) {
        names[0] = "first";
        names[1] = "second";
    }
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeKernelCreate(ze_module_handle_t module, const ze_kernel_desc_t *desc,
                                                   ze_kernel_handle_t *kernel)
{
    (void)module;
    PRETEND_CALL
    if (strcmp(desc->pKernelName, "first") && strcmp(desc->pKernelName, "second") &&
        (!pretend.kernel || strcmp(desc->pKernelName, pretend.kernel))) {
        return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
    }
    return pretend_make(kernel);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeKernelDestroy(ze_kernel_handle_t kernel)
{
    return pretend_drop(kernel, __func__);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeKernelGetProperties(ze_kernel_handle_t kernel, ze_kernel_properties_t *p)
{
    (void)kernel;
    PRETEND_CALL
    p->numKernelArgs = pretend.kernel_args;
    p->requiredGroupSizeX = pretend.required_size[0];
    p->requiredGroupSizeY = pretend.required_size[1];
    p->requiredGroupSizeZ = pretend.required_size[2];
    p->requiredSubgroupSize = pretend.required_subgroup;
    p->localMemSize = pretend.local_bytes;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeKernelSetGroupSize(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z)
{
    (void)kernel;
    PRETEND_CALL
    pretend.local_size[0] = x;
    pretend.local_size[1] = y;
    pretend.local_size[2] = z;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeKernelSetArgumentValue(ze_kernel_handle_t kernel, uint32_t index, size_t size,
                                                             const void *value)
{
    (void)kernel;
    PRETEND_CALL
    pretend.arg[index].size = size;
    pretend.arg[index].null = !value;
    if (value) memcpy(pretend.arg[index].bytes, value, size);
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeCommandListAppendBarrier(ze_command_list_handle_t list, ze_event_handle_t signal,
                                                               uint32_t count, ze_event_handle_t *waits)
{
    (void)list, (void)signal, (void)count, (void)waits;
    PRETEND_CALL
    pretend.barriers++;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeCommandListAppendLaunchKernel(ze_command_list_handle_t list,
                                                                    ze_kernel_handle_t kernel,
                                                                    const ze_group_count_t *groups,
                                                                    ze_event_handle_t signal, uint32_t count,
                                                                    ze_event_handle_t *waits)
{
    (void)list, (void)kernel, (void)signal, (void)count, (void)waits;
    PRETEND_CALL
    pretend.groups[0] = groups->groupCountX;
    pretend.groups[1] = groups->groupCountY;
    pretend.groups[2] = groups->groupCountZ;
    pretend.launches++;
    if (pretend.run) pretend.run();
    pretend.pending++;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeCommandListAppendMemoryCopy(ze_command_list_handle_t list, void *dst,
                                                                  const void *src, size_t size,
                                                                  ze_event_handle_t signal, uint32_t count,
                                                                  ze_event_handle_t *waits)
{
    (void)list, (void)signal, (void)count, (void)waits;
    PRETEND_CALL
    memmove(dst, src, size);
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeCommandListAppendMemoryFill(ze_command_list_handle_t list, void *dst,
                                                                  const void *pattern, size_t pattern_size, size_t size,
                                                                  ze_event_handle_t signal, uint32_t count,
                                                                  ze_event_handle_t *waits)
{
    (void)list, (void)signal, (void)count, (void)waits;
    PRETEND_CALL
    for (size_t i = 0; i < size; i++) ((uint8_t *)dst)[i] = ((const uint8_t *)pattern)[i % pattern_size];
    return ZE_RESULT_SUCCESS;
}

/* A handle as known to the driver: a different one if the mock loader wraps. */
ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderTranslateHandle(zel_handle_type_t type, void *in, void **out)
{
    (void)type;
    *out = pretend.wraps ? (void *)&pretend : in;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t ZE_APICALL pretend_driver_log(ze_module_build_log_handle_t log, size_t *size, char *text)
{
    (void)log;
    *size = sizeof "by the driver itself";
    if (text) memcpy(text, "by the driver itself", *size);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t ZE_APICALL pretend_name(ze_command_list_handle_t list, const void *desc, uint64_t *id)
{
    (void)list, (void)desc;
    PRETEND_CALL
    *id = (uint64_t)pretend.calls;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t ZE_APICALL pretend_update(ze_command_list_handle_t list, const void *desc)
{
    (void)list, (void)desc;
    PRETEND_CALL
    if (pretend.refuses_changes) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    pretend.updates++;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zeDriverGetExtensionFunctionAddress(ze_driver_handle_t driver, const char *name,
                                                                        void **address)
{
    ze_result_t(ZE_APICALL * get)(ze_module_build_log_handle_t, size_t *, char *) = pretend_driver_log;
    ze_result_t(ZE_APICALL * destroy)(ze_module_build_log_handle_t) = zeModuleBuildLogDestroy;
    ze_result_t(ZE_APICALL * number)(ze_command_list_handle_t, const void *, uint64_t *) = pretend_name;
    ze_result_t(ZE_APICALL * update)(ze_command_list_handle_t, const void *) = pretend_update;
    bool changes = strncmp(name, "zeCommandList", 13) == 0;
    (void)driver;
    if (changes && pretend.mutable_lists) {
        if (strcmp(name, "zeCommandListGetNextCommandIdExp") == 0) memcpy(address, &number, sizeof number);
        else memcpy(address, &update, sizeof update);
        return ZE_RESULT_SUCCESS;
    }
    if (changes || !pretend.gives_addresses) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (strcmp(name, "zeModuleBuildLogGetString") == 0)
        memcpy(address, &get, sizeof get);
    else
        memcpy(address, &destroy, sizeof destroy);
    return ZE_RESULT_SUCCESS;
}

#if defined(ZE_API_VERSION_CURRENT_M)
#if ZE_API_VERSION_CURRENT_M >= ZE_MAKE_VERSION(1, 6)
ZE_APIEXPORT ze_result_t ZE_APICALL zeDriverGetLastErrorDescription(ze_driver_handle_t driver, const char **text)
{
    (void)driver;
    *text = pretend.failed ? "the driver's own words" : "";
    return ZE_RESULT_SUCCESS;
}
#endif
#endif

#endif
