/* append.c - checking launches, and appending them to command lists. */
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

/* Checks all arguments, and makes of them what zeKernelSetArgumentValue takes. */
static bool zed_bind_all_(zed_kernel *k, const zed_arg *args, uint32_t count, zed_bound_ *bound)
{
    zed_device *d = k->device;
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
    return true;
}

XE_FN_ bool zed_set_arguments_(zed_kernel *k, const zed_bound_ *bound)
{
    for (uint32_t i = 0; i < k->param_count; i++) {
        const void *value = bound[i].no_value ? NULL : (const void *)&bound[i].as;
        if (!zed_check_(k->device, k->device->ze_->zeKernelSetArgumentValue(k->handle, i, bound[i].size, value),
                        "zeKernelSetArgumentValue", "(%" PRIu32 ", %zu bytes) of %s, parameter %s", i, bound[i].size,
                        k->name, k->params[i].name))
            return false;
    }
    return true;
}

/* Checks a launch; bound: its arguments. */
XE_ONCE_
XE_FN_ bool zed_launch_ok_(zed_kernel *k, zed_groups groups, const zed_arg *args, uint32_t count, zed_bound_ *bound)
{
    if (!k->local_size[0]) return zed_fail_(k->device, ZED_NO_LOCAL_SIZE, "kernel %s has no local size", k->name);
    return zed_groups_ok_(k, groups) && zed_bind_all_(k, args, count, bound);
}

/* Appends the launch; a barrier before it makes the results of earlier launches in flight visible. */
XE_FN_ bool zed_append_(zed_kernel *k, ze_command_list_handle_t list, bool barrier, ze_event_handle_t signal,
                        zed_groups groups)
{
    ze_group_count_t g;
    ze_result_t result = ZE_RESULT_SUCCESS;
    g.groupCountX = groups.count_x;
    g.groupCountY = groups.count_y;
    g.groupCountZ = groups.count_z;
    if (barrier) result = k->device->ze_->zeCommandListAppendBarrier(list, NULL, 0, NULL);
    if (!zed_check_(k->device, result, "zeCommandListAppendBarrier", "before %s", k->name)) return false;
    result = k->device->ze_->zeCommandListAppendLaunchKernel(list, k->handle, &g, signal, 0, NULL);
    return zed_check_(k->device, result, "zeCommandListAppendLaunchKernel", "of %s, " ZED_XYZ_ " groups", k->name,
                      groups.count_x, groups.count_y, groups.count_z);
}
