/* memory_ipc.c - the entry points for memory of other processes. */
#include <string.h>

#include "ze_soft.h"

ze_result_t zeMemGetIpcHandle(ze_context_handle_t context, const void *pointer, ze_ipc_mem_handle_t *handle)
{
    struct soft_ipc ipc = {0};
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(pointer);
    SOFT_POINTER(handle);
    soft_queues_drain(); /* pages that move are not to be written meanwhile */
    if (!soft_virtual_share(pointer, &ipc)) SOFT_TRY(soft_memory_share(pointer, &ipc));
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &ipc, sizeof ipc);
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
    return soft_memory_open(context, &ipc, file, pointer);
}

#if SOFT_API(6)
/* Nothing is held by a handle. */
ze_result_t zeMemPutIpcHandle(ze_context_handle_t context, ze_ipc_mem_handle_t handle)
{
    (void)handle;
    return soft_check(context, SOFT_CONTEXT);
}
#endif

ze_result_t zeMemCloseIpcHandle(ze_context_handle_t context, const void *pointer)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(pointer);
    return soft_memory_close(context, pointer);
}
