/* batches.c - what a batch takes besides launches, and how it is run (runs.c), changed and freed. */
#include "internal.h"

bool vkd_batch_copy_(vkd_batch *b, void *dst, const void *src, size_t bytes, const char *file, int line)
{
    const vkd_resource_ *to = NULL, *from = NULL;
    if (!vkd_batch_is_(b, VKD_BATCH_OPEN_, "vkd_batch_copy", file, line)) return false;
    vkd_device *d = b->device;
    if (!bytes) return true;
    if (!vkd_in_range_(d, "destination of a copy", dst, bytes, &to) ||
        !vkd_in_range_(d, "source of a copy", src, bytes, &from))
        return false;
    if (!to || !from)
        return vkd_fail_(d, VKD_NOT_ALLOCATED, "a batch copies between allocations; %p is in none", to ? src : dst);
    vkd_step_ *s = vkd_add_step_(b->recording_, VKD_STEP_COPY_);
    if (!s) return false;
    s->to = to->buffer;
    s->from = from->buffer;
    s->region.srcOffset = from->offset + ((uintptr_t)src - (uintptr_t)from->handle);
    s->region.dstOffset = to->offset + ((uintptr_t)dst - (uintptr_t)to->handle);
    s->region.size = bytes;
    return true;
}

bool vkd_batch_convert_(vkd_batch *b, const vkd_conversion *conversions, uint32_t count, const char *file, int line)
{
    if (!vkd_batch_is_(b, VKD_BATCH_OPEN_, "vkd_batch_convert", file, line)) return false;
    if (!count) return true;
    vkd_conversions_ *all = vkd_make_conversions_(b->device, conversions, count);
    vkd_step_ *s = all ? vkd_add_step_(b->recording_, VKD_STEP_CONVERT_) : NULL;
    if (s) s->conversions = all;
    else vkd_free_conversions_(all);
    return s != NULL;
}

/* Appends a step that signals an event, or follows one. */
XE_FN_ bool vkd_batch_event_(vkd_batch *b, const vkd_event *e, int kind, const char *call, const char *file, int line)
{
    if (!vkd_batch_is_(b, VKD_BATCH_OPEN_, call, file, line) || !vkd_event_is_for_(e, b->device, call)) return false;
    vkd_step_ *s = vkd_add_step_(b->recording_, kind);
    if (s) s->event = e->state_;
    return s != NULL;
}

/* Waits until the batch's run has ended. */
XE_FN_ bool vkd_batch_finish_(vkd_batch *b) { return vkd_await_tick_(b->device, b->recording_->run); }

/* Begins a run, when the one before has ended: commands cannot be submitted again while they run. */
XE_FN_ bool vkd_batch_execute_(vkd_batch *b)
{
    vkd_recording_ *r = b->recording_;
    vkd_device *d = b->device;
    if (!vkd_batch_finish_(b) || (r->stale && !vkd_record_(r))) return false;
    for (size_t i = 0; i < r->segment_count; i++) {
        const vkd_segment_ *s = &r->segments[i];
        vkd_event followed = {d, s->follows};
        if (s->follows && !vkd_may_follow_(&followed, d, "vkd_batch_start")) return false;
        if (!vkd_submit_(d, s->commands, s->follows, s->signals)) return false;
        r->run = d->ticks_;
    }
    return true;
}

bool vkd_batch_free_(vkd_batch *b, const char *file, int line)
{
    vkd_device *d = b ? vkd_at_(b->device, file, line) : NULL;
    if (!d) return true;
    vkd_await_all_(d);
    if (b->recording_) vkd_drop_(d, VKD_RES_RECORDING_, (uintptr_t)b->recording_);
    memset(b, 0, sizeof *b);
    return true;
}

bool vkd_batch_change_(vkd_batch *b, int launch, const char *file, int line, vkd_groups groups, const vkd_arg *args,
                       uint32_t count)
{
    vkd_bound_launch_ changed;
    if (!vkd_batch_is_(b, VKD_BATCH_CLOSED_, "vkd_batch_change", file, line)) return false;
    vkd_recording_ *r = b->recording_;
    vkd_step_ *s = vkd_launch_of_(r, launch);
    if (!s) return vkd_fail_(b->device, VKD_BATCH_LAUNCH, "launch %d of a batch of %d", launch, r->launches);
    if (!vkd_launch_ok_(&r->kernels[s->kernel], groups, args, count, &changed) || !vkd_batch_finish_(b)) return false;
    changed.memory = s->launch->memory;
    *s->launch = changed;
    r->stale = true;
    return true;
}

/* The device time of a step that is a launch, of a timed batch that has run. */
XE_FN_ bool vkd_step_ns_(const vkd_recording_ *r, const vkd_step_ *s, double *ns)
{
    return vkd_read_time_(r->device, r->queries, (uint32_t)s->launches, ns);
}
