/* mutable.c - command lists whose commands can be changed after they were appended. A mutable launch has its own copy
 * of its kernel, which is changed like any kernel and then recorded again.
 */
#define _GNU_SOURCE
#include <string.h>

#include "ze_soft.h"

static ze_result_t check_list(ze_command_list_handle_t list)
{
    SOFT_HANDLE(list, SOFT_LIST);
    if (list->can_change) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the command list is not mutable");
}

static ze_result_t find(ze_command_list_handle_t list, uint64_t id, struct soft_command **command)
{
    struct soft_command *c = list->recorded->first;
    SOFT_TRY(check_list(list));
    while (c && (!id || c->id != id)) c = c->next;
    *command = c;
    if (c) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list has no command %llu", (unsigned long long)id);
}

static ze_result_t find_launch(ze_command_list_handle_t list, uint64_t id, struct soft_launch **launch)
{
    struct soft_command *c;
    SOFT_TRY(find(list, id, &c));
    *launch = &c->u.launch;
    if (c->kind == SOFT_CMD_LAUNCH) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "command %llu launches no kernel", (unsigned long long)id);
}

ze_result_t zeCommandListIsMutableExp(ze_command_list_handle_t list, ze_bool_t *is)
{
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(is);
    *is = list->can_change;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListGetNextCommandIdWithKernelsExp(ze_command_list_handle_t list,
                                                        const ze_mutable_command_id_exp_desc_t *desc, uint32_t count,
                                                        ze_kernel_handle_t *kernels, uint64_t *id)
{
    SOFT_TRY(check_list(list));
    SOFT_POINTER(desc);
    SOFT_POINTER(id);
    SOFT_FLAGS(desc->flags, 0xff);
    if (list->closed) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the command list is closed");
    for (uint32_t i = 0; kernels && i < count; i++) SOFT_HANDLE(kernels[i], SOFT_KERNEL);
    *id = list->next_id = ++list->last_id;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListGetNextCommandIdExp(ze_command_list_handle_t list,
                                             const ze_mutable_command_id_exp_desc_t *desc, uint64_t *id)
{
    return zeCommandListGetNextCommandIdWithKernelsExp(list, desc, 0, NULL, id);
}

/* ---- changes */

/* A new kernel whose arguments are yet to be set is recorded when they are; until then its list is open. */
static ze_result_t record(ze_command_list_handle_t list, struct soft_launch *l)
{
    const struct sched_launch *s = &l->launch;
    const ze_group_count_t count = {s->group_count[0], s->group_count[1], s->group_count[2]};
    const struct xs_kernel *code;
    if (!soft_has_arguments(l->kernel)) {
        list->closed = false;
        return ZE_RESULT_SUCCESS;
    }
    SOFT_TRY(soft_launch_version(l->kernel, &code));
    soft_launch_take(l, l->kernel, code, l->kernel->args);
    soft_launch_count(l, &count);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t change_argument(ze_command_list_handle_t list, const ze_mutable_kernel_argument_exp_desc_t *d)
{
    struct soft_launch *l;
    SOFT_TRY(find_launch(list, d->commandId, &l));
    SOFT_TRY(zeKernelSetArgumentValue(l->kernel, d->argIndex, d->argSize, d->pArgValue));
    return record(list, l);
}

static ze_result_t change_count(ze_command_list_handle_t list, const ze_mutable_group_count_exp_desc_t *d)
{
    struct soft_launch *l;
    SOFT_TRY(find_launch(list, d->commandId, &l));
    SOFT_POINTER(d->pGroupCount);
    if (l->indirect) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "an indirect launch reads its counts itself");
    soft_launch_count(l, d->pGroupCount);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t change_size(ze_command_list_handle_t list, const ze_mutable_group_size_exp_desc_t *d)
{
    struct soft_launch *l;
    SOFT_TRY(find_launch(list, d->commandId, &l));
    SOFT_TRY(zeKernelSetGroupSize(l->kernel, d->groupSizeX, d->groupSizeY, d->groupSizeZ));
    return record(list, l);
}

static ze_result_t change_offset(ze_command_list_handle_t list, const ze_mutable_global_offset_exp_desc_t *d)
{
    struct soft_launch *l;
    SOFT_TRY(find_launch(list, d->commandId, &l));
    SOFT_TRY(zeKernelSetGlobalOffsetExp(l->kernel, d->offsetX, d->offsetY, d->offsetZ));
    return record(list, l);
}

ze_result_t zeCommandListUpdateMutableCommandsExp(ze_command_list_handle_t list,
                                                  const ze_mutable_commands_exp_desc_t *desc)
{
    SOFT_TRY(check_list(list));
    SOFT_POINTER(desc);
    for (const ze_base_desc_t *d = desc->pNext; d; d = d->pNext) {
        const void *any = d;
        switch ((uint32_t)d->stype) {
        case ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC: SOFT_TRY(change_argument(list, any)); break;
        case ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC: SOFT_TRY(change_count(list, any)); break;
        case ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC: SOFT_TRY(change_size(list, any)); break;
        case ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC: SOFT_TRY(change_offset(list, any)); break;
        default:
            return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no change of a command is described by %#x", d->stype);
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListUpdateMutableCommandSignalEventExp(ze_command_list_handle_t list, uint64_t id,
                                                            ze_event_handle_t event)
{
    struct soft_command *c;
    SOFT_TRY(find(list, id, &c));
    SOFT_TRY(soft_check_events(list, event, 0, NULL));
    if (!soft_command_signals(c, event)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (event) list->signals = true;
    return ZE_RESULT_SUCCESS;
}

/* NULL: waits for no events. */
ze_result_t zeCommandListUpdateMutableCommandWaitEventsExp(ze_command_list_handle_t list, uint64_t id, uint32_t count,
                                                           ze_event_handle_t *events)
{
    struct soft_command *c;
    SOFT_TRY(find(list, id, &c));
    if (count != c->wait_room)
        return soft_fail(ZE_RESULT_ERROR_INVALID_SIZE, "%u events, where the command waited for %u", count,
                         c->wait_room);
    for (uint32_t i = 0; events && i < count; i++)
        if (events[i]) SOFT_HANDLE(events[i], SOFT_EVENT);
    soft_command_awaits(c, events ? count : 0, events);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListUpdateMutableCommandKernelsExp(ze_command_list_handle_t list, uint32_t count, uint64_t *ids,
                                                        ze_kernel_handle_t *kernels)
{
    SOFT_TRY(check_list(list));
    SOFT_POINTER(ids);
    SOFT_POINTER(kernels);
    for (uint32_t i = 0; i < count; i++) { /* all or none */
        const struct xs_kernel *code;
        struct soft_launch *l;
        SOFT_TRY(find_launch(list, ids[i], &l));
        if (soft_check(kernels[i], SOFT_KERNEL) != ZE_RESULT_SUCCESS) return ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE;
        if (soft_has_arguments(kernels[i])) SOFT_TRY(soft_launch_version(kernels[i], &code));
    }
    for (uint32_t i = 0; i < count; i++) {
        struct soft_launch *l;
        ze_kernel_handle_t copy;
        SOFT_TRY(find_launch(list, ids[i], &l));
        SOFT_TRY(soft_kernel_copy(kernels[i], &copy));
        soft_recorded_replace(list->recorded, l->kernel);
        l->kernel = copy;
        SOFT_TRY(record(list, l));
    }
    return ZE_RESULT_SUCCESS;
}
