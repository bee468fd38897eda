/* recording.c - what a batch consists of. A batch keeps its steps, so that its command list can be recorded again when
 * their arguments change, and in flight while its zed_batch is gone.
 */
#include "internal.h"

/* What batches run in, made for the first. */
static bool zed_need_queue_(zed_device *d)
{
    ze_command_queue_desc_t q;
    ZED_CLEAR_(q, COMMAND_QUEUE_DESC);
    q.ordinal = d->ordinal_;
    q.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    if (d->queue || ZED_CALL_(d, zeCommandQueueCreate, (d->context, d->device, &q, &d->queue))) return true;
    d->queue = NULL;
    return false;
}

XE_FN_ zed_recording_ *zed_recording_make_(zed_device *d)
{
    if (!zed_need_queue_(d)) return NULL;
    zed_recording_ *r = (zed_recording_ *)calloc(1, sizeof *r);
    if (!r) zed_fail_(d, ZED_OUT_OF_MEMORY, "no room for a batch");
    if (!r || !zed_keep_(d, ZED_RES_RECORDING_, r, 0)) return NULL;
    r->device = d;
    return r;
}

/* Appends a step, or returns NULL. */
XE_FN_ zed_step_ *zed_add_step_(zed_recording_ *r, int kind)
{
    zed_device *d = r->device;
    zed_step_ *steps = (zed_step_ *)zed_grow_(d, r->steps, r->count, &r->room, sizeof *steps);
    if (!steps) return NULL;
    r->steps = steps;
    zed_step_ *s = &steps[r->count++];
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->launches = r->launches;
    s->file = d->file_;
    s->line = d->line_;
    return s;
}

/* The index of a copy of the kernel, which may be freed or move before the batch is recorded again; -1 on failure. */
static int zed_kernel_index_(zed_recording_ *r, const zed_kernel *k)
{
    zed_kernel *kernels = r->kernels;
    for (size_t i = r->kernel_count; i-- > 0;) {
        if (kernels[i].handle == k->handle && memcmp(kernels[i].local_size, k->local_size, sizeof k->local_size) == 0)
            return (int)i;
    }
    kernels = (zed_kernel *)zed_grow_(r->device, kernels, r->kernel_count, &r->kernel_room, sizeof *kernels);
    if (!kernels) return -1;
    r->kernels = kernels;
    kernels[r->kernel_count] = *k;
    return (int)r->kernel_count++;
}

/* Appends a launch with arguments that have been checked. */
XE_FN_ bool zed_step_launch_(zed_recording_ *r, const zed_kernel *k, zed_groups groups, const zed_bound_ *args)
{
    int kernel = zed_kernel_index_(r, k);
    size_t bytes = k->param_count * sizeof *args;
    zed_bound_ *copy = (zed_bound_ *)malloc(bytes ? bytes : 1);
    zed_step_ *s = kernel >= 0 && copy ? zed_add_step_(r, ZED_STEP_LAUNCH_) : NULL;
    if (!s) {
        free(copy);
        return zed_fail_(r->device, ZED_OUT_OF_MEMORY, "no room for a launch of %s", k->name);
    }
    memcpy(copy, args, bytes);
    s->kernel = kernel;
    s->groups = groups;
    s->args = copy;
    r->launches++;
    return true;
}

/* ---- events of its own: the gate, for which its list waits; done, which its list signals; one for each timed launch
 */

static bool zed_recording_events_(zed_recording_ *r)
{
    zed_device *d = r->device;
    uint32_t count = 2;
    if (r->pool) return true;
    if (!zed_make_pool_(d, 2 + (r->timed ? (uint32_t)r->launches : 0), r->timed, &r->pool) ||
        !zed_make_event_(d, r->pool, 0, &r->gate) || !zed_make_event_(d, r->pool, 1, &r->done))
        return false;
    for (size_t i = 0; r->timed && i < r->count; i++) {
        if (r->steps[i].kind == ZED_STEP_LAUNCH_ && !zed_make_event_(d, r->pool, count++, &r->steps[i].own))
            return false;
    }
    return true;
}

/* Makes all events that a run signals ready for the next run. */
XE_FN_ bool zed_recording_reset_(zed_recording_ *r)
{
    zed_device *d = r->device;
    if (!ZED_CALL_(d, zeEventHostReset, (r->gate)) || !ZED_CALL_(d, zeEventHostReset, (r->done))) return false;
    for (size_t i = 0; i < r->count; i++) {
        const zed_step_ *s = &r->steps[i];
        ze_event_handle_t event = s->kind == ZED_STEP_SIGNAL_ ? s->event : s->own;
        if (event && !ZED_CALL_(d, zeEventHostReset, (event))) return false;
    }
    return true;
}

/* ---- the command list */

static bool zed_append_launch_step_(zed_recording_ *r, zed_step_ *s)
{
    zed_device *d = r->device;
    zed_kernel *k = &r->kernels[s->kernel];
    const uint32_t *size = k->local_size;
    if (!zed_check_(d, d->ze_->zeKernelSetGroupSize(k->handle, size[0], size[1], size[2]), "zeKernelSetGroupSize",
                    "(" ZED_XYZ_ ") of %s", size[0], size[1], size[2], k->name) ||
        !zed_set_arguments_(k, s->args) || (r->changeable && !zed_name_command_(r, s)))
        return false;
    return zed_append_(k, r->list, true, s->own, s->groups);
}

static bool zed_append_step_(zed_recording_ *r, zed_step_ *s)
{
    zed_device *d = zed_at_(r->device, s->file, s->line);
    switch (s->kind) {
    case ZED_STEP_LAUNCH_: return zed_append_launch_step_(r, s);
    case ZED_STEP_COPY_:
        return ZED_CALL_(d, zeCommandListAppendBarrier, (r->list, NULL, 0, NULL)) &&
               zed_check_(d, d->ze_->zeCommandListAppendMemoryCopy(r->list, s->to, s->from, s->bytes, NULL, 0, NULL),
                          "zeCommandListAppendMemoryCopy", "(%zu bytes)", s->bytes);
    case ZED_STEP_SIGNAL_: return ZED_CALL_(d, zeCommandListAppendBarrier, (r->list, s->event, 0, NULL));
    default: return ZED_CALL_(d, zeCommandListAppendBarrier, (r->list, NULL, 1, &s->event));
    }
}

static bool zed_recording_list_(zed_recording_ *r)
{
    zed_device *d = r->device;
    ze_command_list_desc_t desc;
    zed_mutable_desc_ changeable = {(ze_structure_type_t)ZED_STYPE_MUTABLE_LIST_, NULL, 0};
    ZED_CLEAR_(desc, COMMAND_LIST_DESC);
    desc.commandQueueGroupOrdinal = d->ordinal_;
    if (r->changeable) desc.pNext = &changeable;
    if (ZED_CALL_(d, zeCommandListCreate, (d->context, d->device, &desc, &r->list))) return true;
    r->list = NULL;
    return false;
}

/* Records the steps, anew if they were. */
XE_FN_ bool zed_record_(zed_recording_ *r)
{
    zed_device *d = r->device;
    const char *file = d->file_;
    int line = d->line_;
    bool ok = zed_recording_events_(r);
    if (r->list && ok) ok = ZED_CALL_(d, zeCommandListDestroy, (r->list));
    r->list = NULL;
    ok = ok && zed_recording_list_(r) && ZED_CALL_(d, zeCommandListAppendBarrier, (r->list, NULL, 1, &r->gate));
    for (size_t i = 0; ok && i < r->count; i++) ok = zed_append_step_(r, &r->steps[i]);
    zed_at_(d, file, line);
    r->stale = !(ok && ZED_CALL_(d, zeCommandListAppendBarrier, (r->list, r->done, 0, NULL)) &&
                 ZED_CALL_(d, zeCommandListClose, (r->list)));
    return !r->stale;
}

/* Makes the command list what the steps say: in place, or else by recording it again. The first change records a list
 * that can be changed, where the driver has such; a driver that has the functions and refuses the list gets a plain
 * one.
 */
XE_FN_ bool zed_renew_(zed_recording_ *r)
{
    if (zed_update_all_(r)) return true;
    for (size_t i = 0; i < r->count; i++) r->steps[i].changed = false;
    r->changeable = !r->renewed && zed_find_mutable_(r->device, r->list);
    r->renewed = true;
    if (r->changeable && zed_record_(r)) return true;
    if (r->changeable) zed_clear_error(r->device);
    r->changeable = false;
    return zed_record_(r);
}
