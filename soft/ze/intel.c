/* intel.c - functions of Intel's driver that are in no header of Level Zero. Programs ask for them by name
 * (zeDriverGetExtensionFunctionAddress).
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ze_soft.h"

/* ---- what objects are */

/* A size of 0 asks for the length. The text ends with a zero only if there is room for one. */
ze_result_t zeIntelGetDriverVersionString(ze_driver_handle_t driver, char *text, size_t *size)
{
    char version[32];
    size_t length;
    SOFT_HANDLE(driver, SOFT_DRIVER);
    SOFT_POINTER(size);
    length = (size_t)snprintf(version, sizeof version, "%u.%u.%u", (unsigned)ZE_MAJOR_VERSION(SOFT_API_VERSION),
                              (unsigned)ZE_MINOR_VERSION(SOFT_API_VERSION), SOFT_DRIVER_VERSION);
    if (text && *size) memcpy(text, version, *size <= length ? *size : length + 1);
    if (!*size) *size = length;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetPriorityLevels(ze_device_handle_t device, int32_t *lowest, int32_t *highest)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(lowest);
    SOFT_POINTER(highest);
    *lowest = SOFT_LOWEST_PRIORITY;
    *highest = SOFT_HIGHEST_PRIORITY;
    return ZE_RESULT_SUCCESS;
}

SOFT_GETTER(zeKernelGetModuleHandleExt, ze_kernel_handle_t, SOFT_KERNEL, ze_module_handle_t, handle->module)
SOFT_GETTER(zeModuleGetDeviceHandleExt, ze_module_handle_t, SOFT_MODULE, ze_device_handle_t, handle->device)

/* Called when the list is destroyed and all its work is done. */
ze_result_t zexCommandListSetCleanupCallback(ze_command_list_handle_t list, void (*call)(void *user), void *user,
                                             const void *chain)
{
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(call);
    if (chain) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    return soft_callback_add(&list->callbacks, call, user);
}

/* ---- memory */

/* Allocations are one piece, which has one handle. */
ze_result_t zexMemGetIpcHandles(ze_context_handle_t context, const void *pointer, uint32_t *count,
                                ze_ipc_mem_handle_t *handles)
{
    SOFT_POINTER(count);
    if (handles && *count) SOFT_TRY(zeMemGetIpcHandle(context, pointer, &handles[0]));
    *count = 1;
    return soft_check(context, SOFT_CONTEXT);
}

ze_result_t zexMemOpenIpcHandles(ze_context_handle_t context, ze_device_handle_t device, uint32_t count,
                                 ze_ipc_mem_handle_t *handles, ze_ipc_memory_flags_t flags, void **pointer)
{
    SOFT_POINTER(handles);
    if (count != 1) return soft_fail(ZE_RESULT_ERROR_INVALID_SIZE, "%u handles: memory has one", count);
    return zeMemOpenIpcHandle(context, device, handles[0], flags, pointer);
}

/* The host can access all memory where it is. */
ze_result_t zeIntelMemMapDeviceMemToHost(ze_context_handle_t context, const void *pointer, void **mapped, void *chain)
{
    struct soft_allocation a;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(mapped);
    (void)chain;
    soft_memory_reveal(pointer);
    if (!soft_memory_find(pointer, &a) || a.type != ZE_MEMORY_TYPE_DEVICE)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is not device memory", pointer);
    *mapped = (uint8_t *)a.base + ((const uint8_t *)pointer - (const uint8_t *)a.base);
    return ZE_RESULT_SUCCESS;
}

struct soft_free_desc {
    uint32_t stype;
    const void *next;
    void (*call)(void *user);
    void *user;
};

ze_result_t zexMemFreeRegisterCallbackExt(ze_context_handle_t context, const struct soft_free_desc *desc,
                                          void *pointer)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    if (!desc || !desc->call) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no function to call");
    if (soft_memory_on_free(pointer, (struct soft_on_free){desc->call, desc->user})) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is in no allocation", pointer);
}

/* ---- memory of the program that is prepared for fast copies: all is equally fast, so the ranges are only stored */

struct range {
    struct range *next;
    uintptr_t base;
    size_t size;
};

static struct {
    pthread_mutex_t lock;
    struct range *first;
} imported = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The link to the range with this address; to NULL if none has it. Lock held. */
static struct range **find(uintptr_t address)
{
    struct range **link = &imported.first;
    while (*link && address - (*link)->base >= (*link)->size) link = &(*link)->next;
    return link;
}

static bool is_between(uintptr_t base, size_t size)
{
    for (const struct range *r = imported.first; r; r = r->next)
        if (r->base - base < size) return true;
    return false;
}

/* Lock held. */
static ze_result_t import(uintptr_t base, size_t size)
{
    struct range *at_begin = *find(base), *at_end = *find(base + size - 1), *r;
    if (at_begin && at_begin == at_end) return ZE_RESULT_SUCCESS;
    if (at_begin && at_end) return ZE_RESULT_ERROR_OVERLAPPING_REGIONS;
    if (at_begin) return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    if (at_end) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (is_between(base, size)) return ZE_RESULT_ERROR_OVERLAPPING_REGIONS;
    r = malloc(sizeof *r);
    if (!r) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    *r = (struct range){imported.first, base, size};
    imported.first = r;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zexDriverImportExternalPointer(ze_driver_handle_t driver, void *pointer, size_t size)
{
    ze_result_t result;
    SOFT_HANDLE(driver, SOFT_DRIVER);
    if (!pointer || !size) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no memory to import");
    pthread_mutex_lock(&imported.lock);
    result = import((uintptr_t)pointer, size);
    pthread_mutex_unlock(&imported.lock);
    return result == ZE_RESULT_SUCCESS ? result : soft_fail(result, "%p is in part imported already", pointer);
}

ze_result_t zexDriverReleaseImportedPointer(ze_driver_handle_t driver, void *pointer)
{
    struct range **link, *r;
    SOFT_HANDLE(driver, SOFT_DRIVER);
    pthread_mutex_lock(&imported.lock);
    link = find((uintptr_t)pointer);
    r = *link;
    if (r) *link = r->next;
    pthread_mutex_unlock(&imported.lock);
    free(r);
    return r ? ZE_RESULT_SUCCESS : soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is not imported", pointer);
}

ze_result_t zexDriverGetHostPointerBaseAddress(ze_driver_handle_t driver, void *pointer, void **base)
{
    const struct range *r;
    SOFT_HANDLE(driver, SOFT_DRIVER);
    pthread_mutex_lock(&imported.lock);
    r = *find((uintptr_t)pointer);
    if (r && base) *base = (void *)r->base;
    pthread_mutex_unlock(&imported.lock);
    return r ? ZE_RESULT_SUCCESS : soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is not imported", pointer);
}

/* ---- commands that wait for a number in memory, and write one */

struct soft_wait_desc {
    uint32_t until, scope; /* until: one of enum soft_until */
};

static ze_result_t append_word(ze_command_list_handle_t list, enum soft_command_kind kind, void *at, uint64_t value,
                               uint32_t until, bool wide, ze_event_handle_t signal)
{
    ze_result_t result;
    struct soft_command *c;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(at);
    if ((uintptr_t)at % (wide ? 8 : 4))
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "%p, of %d bytes", at, wide ? 8 : 4);
    c = soft_command_new(list, kind, 0, signal, 0, NULL, &result);
    if (!c) return result;
    c->u.word.at = at;
    c->u.word.value = value;
    c->u.word.until = until;
    c->u.word.wide = wide;
    return soft_command_add(list, c);
}

static ze_result_t append_wait(ze_command_list_handle_t list, const struct soft_wait_desc *desc, void *at,
                               uint64_t value, bool wide, ze_event_handle_t signal)
{
    SOFT_POINTER(desc);
    if (!desc->until || desc->until & (desc->until - 1) || desc->until > SOFT_LESS_OR_EQUAL)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "comparison 0x%x", desc->until);
    return append_word(list, SOFT_CMD_WAIT_ON_MEMORY, at, value, desc->until, wide, signal);
}

ze_result_t zexCommandListAppendWaitOnMemory(ze_command_list_handle_t list, const struct soft_wait_desc *desc,
                                             void *at, uint32_t value, ze_event_handle_t signal)
{
    return append_wait(list, desc, at, value, false, signal);
}

ze_result_t zexCommandListAppendWaitOnMemory64(ze_command_list_handle_t list, const struct soft_wait_desc *desc,
                                               void *at, uint64_t value, ze_event_handle_t signal)
{
    return append_wait(list, desc, at, value, true, signal);
}

/* The descriptor is only a scope, and there is one memory. */
ze_result_t zexCommandListAppendWriteToMemory(ze_command_list_handle_t list, const void *desc, void *at, uint64_t value)
{
    SOFT_POINTER(desc);
    return append_word(list, SOFT_CMD_WRITE_TO_MEMORY, at, value, 0, true, NULL);
}

/* ---- earlier names of functions with parameters, of which there are none */

static ze_result_t check_no_chain(const void *chain)
{
    return chain ? soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "no such extension of a command") : ZE_RESULT_SUCCESS;
}

ze_result_t zexCommandListAppendMemoryCopyWithParameters(ze_command_list_handle_t list, void *to, const void *from,
                                                         size_t size, const void *chain, uint32_t wait_count,
                                                         ze_event_handle_t *waits, ze_event_handle_t signal)
{
    SOFT_TRY(check_no_chain(chain));
    return zeCommandListAppendMemoryCopy(list, to, from, size, signal, wait_count, waits);
}

ze_result_t zexCommandListAppendMemoryFillWithParameters(ze_command_list_handle_t list, void *to, const void *pattern,
                                                         size_t pattern_size, size_t size, const void *chain,
                                                         ze_event_handle_t signal, uint32_t wait_count,
                                                         ze_event_handle_t *waits)
{
    SOFT_TRY(check_no_chain(chain));
    return zeCommandListAppendMemoryFill(list, to, pattern, pattern_size, size, signal, wait_count, waits);
}
