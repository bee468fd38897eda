/* launch.c - appending kernel launches: direct, cooperative, indirect, several at once. */
#define _GNU_SOURCE
#include <string.h>

#include "ze_soft.h"

ze_result_t soft_launch_version(ze_kernel_handle_t kernel, const struct xs_kernel **code)
{
    const struct xs_kernel *k = kernel->code;
    uint64_t local;
    SOFT_TRY(soft_check_arguments(kernel));
    SOFT_TRY(soft_version_for(kernel->module, k, kernel->args, kernel->group_size, code));
    local = sched_local_bytes(*code, kernel->args);
    if (local > soft_local_memory())
        return soft_fail(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, "kernel %.100s: %llu bytes of local memory, %u at most",
                         k->name, (unsigned long long)local, soft_local_memory());
    return ZE_RESULT_SUCCESS;
}

void soft_launch_take(struct soft_launch *to, ze_kernel_handle_t kernel, const struct xs_kernel *code,
                      const uint8_t *args)
{
    struct sched_launch *l = &to->launch;
    l->kernel = code;
    l->args = args;
    l->globals = kernel->module->globals;
    memcpy(l->local_size, kernel->group_size, sizeof l->local_size);
    memcpy(l->global_offset, kernel->offset, sizeof l->global_offset);
}

/* Records the kernel's current state: arguments, group size, offset. */
static struct soft_command *launch_new(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                       const ze_group_count_t *count, ze_event_handle_t signal, uint32_t wait_count,
                                       ze_event_handle_t *waits, ze_result_t *result)
{
    const struct xs_kernel *code;
    struct soft_command *c;
    *result = soft_check(list, SOFT_LIST);
    if (*result == ZE_RESULT_SUCCESS && list->desc.commandQueueGroupOrdinal == SOFT_COPY_GROUP)
        *result = soft_fail(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, "the list is for copies only");
    if (*result == ZE_RESULT_SUCCESS) *result = soft_check(kernel, SOFT_KERNEL);
    if (*result == ZE_RESULT_SUCCESS && !count) *result = ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (*result == ZE_RESULT_SUCCESS) *result = soft_launch_version(kernel, &code);
    if (*result != ZE_RESULT_SUCCESS) return NULL;
    c = soft_command_new(list, SOFT_CMD_LAUNCH, kernel->code->args_bytes + 1, signal, wait_count, waits, result);
    if (!c) return NULL;
    memcpy(c->payload, kernel->args, kernel->code->args_bytes);
    if (list->next_id && (*result = soft_kernel_copy(kernel, &c->u.launch.kernel)) != ZE_RESULT_SUCCESS) {
        soft_command_free(c);
        return NULL;
    }
    soft_launch_take(&c->u.launch, kernel, code, c->u.launch.kernel ? c->u.launch.kernel->args : c->payload);
    c->u.launch.launch.work_dim = 3;
    c->u.launch.launch.threads = list->device->threads;
    c->u.launch.module = kernel->module;
    soft_module_retain(kernel->module);
    return c;
}

void soft_launch_count(struct soft_launch *to, const ze_group_count_t *count)
{
    struct sched_launch *l = &to->launch;
    l->group_count[0] = count->groupCountX;
    l->group_count[1] = count->groupCountY;
    l->group_count[2] = count->groupCountZ;
    l->work_dim = l->group_count[2] > 1 || l->local_size[2] > 1   ? 3
                  : l->group_count[1] > 1 || l->local_size[1] > 1 ? 2
                                                                  : 1;
}

ze_result_t zeCommandListAppendLaunchKernel(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                            const ze_group_count_t *count, ze_event_handle_t signal,
                                            uint32_t wait_count, ze_event_handle_t *waits)
{
    ze_result_t result;
    struct soft_command *c = launch_new(list, kernel, count, signal, wait_count, waits, &result);
    if (!c) return result;
    soft_launch_count(&c->u.launch, count);
    return soft_command_add(list, c);
}

ze_result_t zeCommandListAppendLaunchCooperativeKernel(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                                       const ze_group_count_t *count, ze_event_handle_t signal,
                                                       uint32_t wait_count, ze_event_handle_t *waits)
{
    ze_result_t result;
    struct soft_command *c;
    if (count && (double)count->groupCountX * count->groupCountY * count->groupCountZ > sched_threads())
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "more work-groups than run at the same time (%u)",
                         sched_threads());
    c = launch_new(list, kernel, count, signal, wait_count, waits, &result);
    if (!c) return result;
    soft_launch_count(&c->u.launch, count);
    c->u.launch.launch.cooperative = true;
    return soft_command_add(list, c);
}

ze_result_t zeCommandListAppendLaunchKernelIndirect(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                                    const ze_group_count_t *count, ze_event_handle_t signal,
                                                    uint32_t wait_count, ze_event_handle_t *waits)
{
    ze_result_t result;
    struct soft_command *c = launch_new(list, kernel, count, signal, wait_count, waits, &result);
    if (!c) return result;
    c->u.launch.indirect = count;
    return soft_command_add(list, c);
}

ze_result_t zeCommandListAppendLaunchMultipleKernelsIndirect(ze_command_list_handle_t list, uint32_t kernel_count,
                                                             ze_kernel_handle_t *kernels, const uint32_t *count,
                                                             const ze_group_count_t *counts, ze_event_handle_t signal,
                                                             uint32_t wait_count, ze_event_handle_t *waits)
{
    struct soft_command *first = NULL, **last = &first;
    ze_result_t result = ZE_RESULT_SUCCESS;
    uint32_t i;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(kernels);
    SOFT_POINTER(count);
    SOFT_POINTER(counts);
    if (!kernel_count) return ZE_RESULT_ERROR_INVALID_SIZE;
    for (i = 0; i < kernel_count && result == ZE_RESULT_SUCCESS; i++) {
        struct soft_command *c = launch_new(list, kernels[i], &counts[i], i + 1 == kernel_count ? signal : NULL,
                                            i ? 0 : wait_count, i ? NULL : waits, &result);
        if (!c) break;
        c->u.launch.indirect = &counts[i];
        c->u.launch.count = count;
        c->u.launch.index = i;
        *last = c;
        last = &c->next;
    }
    if (result != ZE_RESULT_SUCCESS) soft_command_free(first); /* all or none */
    while (result == ZE_RESULT_SUCCESS && first) {
        struct soft_command *c = first;
        first = c->next;
        c->next = NULL;
        result = soft_command_add(list, c);
        if (result != ZE_RESULT_SUCCESS) soft_command_free(first);
    }
    return result;
}
