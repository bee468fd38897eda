/* newer.c - functions of later versions than 1.9 that belong to no file of their own. */
#define _GNU_SOURCE
#include <string.h>

#include "ze_soft.h"

ze_context_handle_t zeDriverGetDefaultContext(ze_driver_handle_t driver)
{
    return soft_check(driver, SOFT_DRIVER) == ZE_RESULT_SUCCESS ? &soft_default_context : NULL;
}

ze_result_t zeDeviceSynchronize(ze_device_handle_t device)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    soft_queues_drain();
    return ZE_RESULT_SUCCESS;
}

/* Lanes are work-items, so no type prefers vectors within them. */
ze_result_t zeDeviceGetVectorWidthPropertiesExt(ze_device_handle_t device, uint32_t *count,
                                                ze_device_vector_width_properties_ext_t *list)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(count);
    if (list && *count) {
        uint32_t *width = &list->preferred_vector_width_char;
        list->vector_width_size = soft_subgroup_size();
        while (width <= &list->native_vector_width_half) *width++ = 1;
    }
    if (!list || *count > 1) *count = 1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeMemGetIpcHandleWithProperties(ze_context_handle_t context, const void *pointer, void *next,
                                            ze_ipc_mem_handle_t *handle)
{
    (void)next; /* the kind of handle: all are alike */
    return zeMemGetIpcHandle(context, pointer, handle);
}

/* ---- creation parameters of queues and lists */

SOFT_GETTER(zeCommandQueueGetFlags, ze_command_queue_handle_t, SOFT_QUEUE, ze_command_queue_flags_t,
            handle->queue.desc.flags)
SOFT_GETTER(zeCommandQueueGetMode, ze_command_queue_handle_t, SOFT_QUEUE, ze_command_queue_mode_t,
            handle->queue.desc.mode)
SOFT_GETTER(zeCommandQueueGetPriority, ze_command_queue_handle_t, SOFT_QUEUE, ze_command_queue_priority_t,
            handle->queue.desc.priority)
SOFT_GETTER(zeCommandListGetFlags, ze_command_list_handle_t, SOFT_LIST, ze_command_list_flags_t, handle->desc.flags)

static ze_result_t check_immediate(ze_command_list_handle_t list, const void *to)
{
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(to);
    return list->immediate ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
}

ze_result_t zeCommandListImmediateGetFlags(ze_command_list_handle_t list, ze_command_queue_flags_t *flags)
{
    SOFT_TRY(check_immediate(list, flags));
    *flags = list->queue.desc.flags;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListImmediateGetMode(ze_command_list_handle_t list, ze_command_queue_mode_t *mode)
{
    SOFT_TRY(check_immediate(list, mode));
    *mode = list->queue.desc.mode;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListImmediateGetPriority(ze_command_list_handle_t list, ze_command_queue_priority_t *priority)
{
    SOFT_TRY(check_immediate(list, priority));
    *priority = list->queue.desc.priority;
    return ZE_RESULT_SUCCESS;
}

/* ---- commands with extensions, of which there is one: cooperative launches */

static ze_result_t check_no_chain(const void *chain)
{
    return chain ? soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "no such extension of a command") : ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListAppendMemoryCopyWithParameters(ze_command_list_handle_t list, void *to, const void *from,
                                                        size_t size, const void *chain, ze_event_handle_t signal,
                                                        uint32_t wait_count, ze_event_handle_t *waits)
{
    SOFT_TRY(check_no_chain(chain));
    return zeCommandListAppendMemoryCopy(list, to, from, size, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendMemoryFillWithParameters(ze_command_list_handle_t list, void *to, const void *pattern,
                                                        size_t pattern_size, size_t size, const void *chain,
                                                        ze_event_handle_t signal, uint32_t wait_count,
                                                        ze_event_handle_t *waits)
{
    SOFT_TRY(check_no_chain(chain));
    return zeCommandListAppendMemoryFill(list, to, pattern, pattern_size, size, signal, wait_count, waits);
}

ze_result_t zeCommandListImmediateAppendCommandListsWithParameters(ze_command_list_handle_t list, uint32_t count,
                                                                   ze_command_list_handle_t *lists, const void *chain,
                                                                   ze_event_handle_t signal, uint32_t wait_count,
                                                                   ze_event_handle_t *waits)
{
    SOFT_TRY(check_no_chain(chain));
    return zeCommandListImmediateAppendCommandListsExp(list, count, lists, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendLaunchKernelWithParameters(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                                          const ze_group_count_t *count, const void *chain,
                                                          ze_event_handle_t signal, uint32_t wait_count,
                                                          ze_event_handle_t *waits)
{
    const ze_base_desc_t *d;
    bool cooperative = false;
    for (d = chain; d; d = d->pNext) {
        if (d->stype != ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC) return check_no_chain(d);
        cooperative =
            ((const ze_command_list_append_launch_kernel_param_cooperative_desc_t *)(const void *)d)->isCooperative;
    }
    if (cooperative) return zeCommandListAppendLaunchCooperativeKernel(list, kernel, count, signal, wait_count, waits);
    return zeCommandListAppendLaunchKernel(list, kernel, count, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendLaunchKernelWithArguments(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                                         const ze_group_count_t count, const ze_group_size_t size,
                                                         void **arguments, const void *chain, ze_event_handle_t signal,
                                                         uint32_t wait_count, ze_event_handle_t *waits)
{
    uint32_t i;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    SOFT_TRY(zeKernelSetGroupSize(kernel, size.groupSizeX, size.groupSizeY, size.groupSizeZ));
    for (i = 0; i < kernel->code->param_count; i++) {
        const struct xs_param *p = &kernel->code->params[i];
        SOFT_POINTER(arguments);
        if (p->kind == XS_PARAM_LOCAL) { /* the target is the size */
            SOFT_POINTER(arguments[i]);
            SOFT_TRY(zeKernelSetArgumentValue(kernel, i, *(const size_t *)arguments[i], NULL));
        } else {
            SOFT_TRY(zeKernelSetArgumentValue(kernel, i, p->size, arguments[i]));
        }
    }
    return zeCommandListAppendLaunchKernelWithParameters(list, kernel, &count, chain, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendHostFunction(ze_command_list_handle_t list, ze_host_function_callback_t function,
                                            void *user, const void *chain, ze_event_handle_t signal,
                                            uint32_t wait_count, ze_event_handle_t *waits)
{
    struct soft_command *c;
    ze_result_t result;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(function);
    SOFT_TRY(check_no_chain(chain));
    c = soft_command_new(list, SOFT_CMD_HOST_FUNCTION, 0, signal, wait_count, waits, &result);
    if (!c) return result;
    c->u.host.call = function;
    c->u.host.user = user;
    return soft_command_add(list, c);
}
