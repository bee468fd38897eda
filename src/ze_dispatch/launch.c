/* launch.c - launches. */
#include "internal.h"

static bool zed_groups_ok_(const zed_kernel *k, zed_groups g)
{
    const uint32_t *most = k->device->target.max_groups;
    if (g.count_x && g.count_y && g.count_z && (!most[0] || g.count_x <= most[0]) &&
        (!most[1] || g.count_y <= most[1]) && (!most[2] || g.count_z <= most[2]))
        return true;
    return zed_fail_(k->device, ZED_GROUPS, "kernel %s: " ZED_XYZ_ " groups, \"%s\" takes 1 to " ZED_XYZ_, k->name,
                     g.count_x, g.count_y, g.count_z, k->device->name, most[0], most[1], most[2]);
}

/* Checks all arguments, then sets all. */
static bool zed_bind_all_(zed_kernel *k, const zed_arg *args, uint32_t count)
{
    zed_device *d = k->device;
    zed_bound_ bound[ZED_MAX_ARGS];
    uint64_t local = k->local_bytes;
    if (count != k->param_count)
        return zed_fail_(d, ZED_ARG_COUNT, "kernel %s takes %" PRIu32 " arguments, got %" PRIu32, k->name,
                         k->param_count, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!zed_bind_(k, &args[i], i, &bound[i])) return false;
        if (k->params[i].kind == ZED_PARAM_LOCAL) local += bound[i].size;
        if (local > (uint64_t)d->target.local_memory)
            return zed_fail_(d, ZED_LOCAL_MEMORY,
                             "kernel %s: %" PRIu64 " bytes of local memory per group, \"%s\" has %d", k->name, local,
                             d->name, d->target.local_memory);
    }
    for (uint32_t i = 0; i < count; i++) {
        const void *value = bound[i].no_value ? NULL : (const void *)&bound[i].as;
        if (!zed_check_(d, zeKernelSetArgumentValue(k->handle, i, bound[i].size, value), "zeKernelSetArgumentValue",
                        "(%" PRIu32 ", %zu bytes) of %s, parameter %s", i, bound[i].size, k->name, k->params[i].name))
            return false;
    }
    return true;
}

XE_FN_ bool zed_batch_is_(zed_batch *b, int state, const char *call, const char *file, int line)
{
    static const char *const names[] = {"not begun", "being recorded", "ended"};
    if (!b || !b->device) return zed_fail_alone_(ZED_BATCH_STATE, call, file, line);
    if (!zed_usable_(zed_at_(b->device, file, line))) return false;
    if (b->state_ == state) return true;
    return zed_fail_(b->device, ZED_BATCH_STATE, "%s of a batch that is %s, not %s", call, names[b->state_],
                     names[state]);
}

/* Can the kernel be appended to the batch? */
static bool zed_batch_takes_(zed_batch *b, const zed_kernel *k, const char *file, int line)
{
    zed_device *d = k->device;
    if (!b || !b->device) return zed_fail_(d, ZED_BATCH_STATE, "kernel %s: the batch is not begun", k->name);
    if (!zed_batch_is_(b, ZED_BATCH_OPEN_, "zed_batch_launch", file, line)) return false;
    if (b->device->context == d->context) return true;
    return zed_fail_(d, ZED_OTHER_DEVICE, "kernel %s is of \"%s\" (%p), the batch of \"%s\" (%p)", k->name, d->name,
                     (void *)d, b->device->name, (void *)b->device);
}

/* Appends the launch; a barrier before it makes the results of earlier launches in flight visible. */
static bool zed_append_(zed_kernel *k, ze_command_list_handle_t list, bool barrier, ze_event_handle_t signal,
                               zed_groups groups)
{
    ze_group_count_t g;
    ze_result_t result = ZE_RESULT_SUCCESS;
    g.groupCountX = groups.count_x;
    g.groupCountY = groups.count_y;
    g.groupCountZ = groups.count_z;
    if (barrier) result = zeCommandListAppendBarrier(list, NULL, 0, NULL);
    if (!zed_check_(k->device, result, "zeCommandListAppendBarrier", "before %s", k->name)) return false;
    result = zeCommandListAppendLaunchKernel(list, k->handle, &g, signal, 0, NULL);
    return zed_check_(k->device, result, "zeCommandListAppendLaunchKernel",
                      "of %s, " ZED_XYZ_ " groups", k->name, groups.count_x, groups.count_y, groups.count_z);
}

bool zed_launch_(zed_kernel *k, zed_batch *b, int how, double *ns, const char *file, int line, zed_groups groups,
                 const zed_arg *args, uint32_t count)
{
    if (!zed_kernel_usable_(k, file, line)) return false;
    zed_device *d = k->device;
    if (how == ZED_RUN_BATCH_ && !zed_batch_takes_(b, k, file, line)) return false;
    if (!k->local_size[0]) return zed_fail_(d, ZED_NO_LOCAL_SIZE, "kernel %s has no local size", k->name);
    if (!zed_groups_ok_(k, groups) || !zed_bind_all_(k, args, count)) return false;
    if (how == ZED_RUN_BATCH_) return zed_append_(k, b->list, b->launches++ > 0, NULL, groups);
    if (how == ZED_RUN_START_) {
        bool after = d->pending_;
        d->pending_ = true;
        return zed_append_(k, d->list, after, NULL, groups);
    }
    return zed_settle_(d) && zed_append_(k, d->list, false, d->event, groups) && zed_await_event_(d, k->name, ns);
}

double zed_launch_timed_(zed_kernel *k, const char *file, int line, zed_groups groups, const zed_arg *args,
                         uint32_t count)
{
    double ns = 0;
    return zed_launch_(k, NULL, ZED_RUN_WAIT_, &ns, file, line, groups, args, count) ? ns : -1.0;
}
