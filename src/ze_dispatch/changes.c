/* changes.c - changing launches in place. Where the driver has mutable command lists (an experimental extension,
 * declared in internal.h since older headers lack it), a launch is changed in its command list.
 */
#include "internal.h"

/* The functions, if the driver has them and takes the loader's handles as they are. */
XE_FN_ bool zed_find_mutable_(zed_device *d, ze_command_list_handle_t list)
{
    void *own = NULL, *name = NULL, *update = NULL;
    if (d->mutable_.known) return d->mutable_.update != NULL;
    d->mutable_.known = true;
    const zed_functions_ *ze = d->ze_;
    if (ze->zelLoaderTranslateHandle(ZEL_HANDLE_COMMAND_LIST, list, &own) != ZE_RESULT_SUCCESS || own != (void *)list)
        return false;
    if (ze->zeDriverGetExtensionFunctionAddress(d->driver, "zeCommandListGetNextCommandIdExp", &name) !=
            ZE_RESULT_SUCCESS ||
        ze->zeDriverGetExtensionFunctionAddress(d->driver, "zeCommandListUpdateMutableCommandsExp", &update) !=
            ZE_RESULT_SUCCESS ||
        !name || !update)
        return false;
    memcpy(&d->mutable_.name, &name, sizeof name);
    memcpy(&d->mutable_.update, &update, sizeof update);
    return true;
}

/* Gives the launch that is appended next a number by which it is changed. */
XE_FN_ bool zed_name_command_(zed_recording_ *r, zed_step_ *s)
{
    enum { ZED_ARGUMENTS_AND_GROUPS_ = 3 };
    zed_mutable_desc_ desc = {(ze_structure_type_t)ZED_STYPE_MUTABLE_ID_, NULL, ZED_ARGUMENTS_AND_GROUPS_};
    return zed_check_(r->device, r->device->mutable_.name(r->list, &desc, &s->id), "zeCommandListGetNextCommandIdExp",
                      "for %s", r->kernels[s->kernel].name);
}

/* Changes a launch in place: all its arguments, and its groups. */
static ze_result_t zed_update_(zed_recording_ *r, const zed_step_ *s)
{
    zed_mutable_argument_ args[ZED_MAX_ARGS];
    ze_group_count_t count = {s->groups.count_x, s->groups.count_y, s->groups.count_z};
    zed_mutable_groups_ groups = {(ze_structure_type_t)ZED_STYPE_MUTABLE_GROUPS_, NULL, s->id, &count};
    zed_mutable_desc_ all = {(ze_structure_type_t)ZED_STYPE_MUTABLE_COMMANDS_, &groups, 0};
    for (uint32_t i = 0; i < r->kernels[s->kernel].param_count; i++) {
        const zed_bound_ *bound = &s->args[i];
        args[i].stype = (ze_structure_type_t)ZED_STYPE_MUTABLE_ARGUMENT_;
        args[i].next = all.next;
        args[i].command = s->id;
        args[i].index = i;
        args[i].size = bound->size;
        args[i].value = bound->no_value ? NULL : (const void *)&bound->as;
        all.next = &args[i];
    }
    ze_result_t result = r->device->mutable_.update(r->list, &all);
    return result == ZE_RESULT_SUCCESS ? r->device->ze_->zeCommandListClose(r->list) : result;
}

/* Changes the command list in place; false if it cannot be. */
XE_FN_ bool zed_update_all_(zed_recording_ *r)
{
    if (!r->changeable) return false;
    for (size_t i = 0; i < r->count; i++) {
        if (!r->steps[i].changed) continue;
        if (zed_update_(r, &r->steps[i]) != ZE_RESULT_SUCCESS) return false;
        r->steps[i].changed = false;
    }
    r->stale = false;
    return true;
}
