/* memory_ipc.c - memory of other processes: IPC handles and the file descriptors in them. */
#define _GNU_SOURCE
#include <string.h>

#include "ze_soft.h"

ze_result_t soft_share(const void *pointer, struct soft_ipc *to)
{
    soft_queues_drain(); /* pages must not be written while they move */
    return soft_virtual_share(pointer, to) ? ZE_RESULT_SUCCESS : soft_memory_share(pointer, to);
}

static void write_handle(ze_ipc_mem_handle_t *handle, const struct soft_ipc *ipc)
{
    memset(handle, 0, sizeof *handle);
    memcpy(handle, ipc, sizeof *ipc);
}

ze_result_t zeMemGetIpcHandle(ze_context_handle_t context, const void *pointer, ze_ipc_mem_handle_t *handle)
{
    struct soft_ipc ipc = {0};
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(pointer);
    SOFT_POINTER(handle);
    SOFT_TRY(soft_share(pointer, &ipc));
    write_handle(handle, &ipc);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeMemOpenIpcHandle(ze_context_handle_t context, ze_device_handle_t device, ze_ipc_mem_handle_t handle,
                               ze_ipc_memory_flags_t flags, void **pointer)
{
    struct soft_ipc ipc;
    int file;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_FLAGS(flags, ZE_IPC_MEMORY_FLAG_BIAS_CACHED | ZE_IPC_MEMORY_FLAG_BIAS_UNCACHED);
    SOFT_POINTER(pointer);
    memcpy(&ipc, &handle, sizeof ipc);
    SOFT_TRY(soft_ipc_open(&ipc, SOFT_IPC_MEMORY, &file));
    return soft_memory_open(&ipc, file, pointer);
}

/* Handles hold nothing. */
ze_result_t zeMemPutIpcHandle(ze_context_handle_t context, ze_ipc_mem_handle_t handle)
{
    (void)handle;
    return soft_check(context, SOFT_CONTEXT);
}

ze_result_t zeMemCloseIpcHandle(ze_context_handle_t context, const void *pointer)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(pointer);
    return soft_memory_close(pointer);
}

/* ---- file descriptors */

ze_result_t zeMemGetIpcHandleFromFileDescriptorExp(ze_context_handle_t context, uint64_t file,
                                                   ze_ipc_mem_handle_t *handle)
{
    struct soft_ipc ipc = {0};
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(handle);
    if (file > INT32_MAX || (!soft_memory_share_file((int)file, &ipc) && !soft_virtual_share_file((int)file, &ipc)))
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "descriptor %llu is of no memory", (unsigned long long)file);
    write_handle(handle, &ipc);
    return ZE_RESULT_SUCCESS;
}

/* In a process other than the handle's, a new one. */
ze_result_t zeMemGetFileDescriptorFromIpcHandleExp(ze_context_handle_t context, ze_ipc_mem_handle_t handle,
                                                   uint64_t *file)
{
    struct soft_ipc ipc;
    int opened;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(file);
    memcpy(&ipc, &handle, sizeof ipc);
    SOFT_TRY(soft_ipc_open(&ipc, SOFT_IPC_MEMORY, &opened));
    if (soft_is_same_file(opened, ipc.file)) {
        close(opened);
        opened = ipc.file;
    }
    *file = (uint64_t)opened;
    return ZE_RESULT_SUCCESS;
}
