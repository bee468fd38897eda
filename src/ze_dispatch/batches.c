/* batches.c - what a batch takes besides launches, and how it is run (runs.c), changed and freed. */
#include "internal.h"

bool zed_batch_copy_(zed_batch *b, void *dst, const void *src, size_t bytes, const char *file, int line)
{
    if (!zed_batch_is_(b, ZED_BATCH_OPEN_, "zed_batch_copy", file, line)) return false;
    zed_device *d = b->device;
    if (!bytes) return true;
    if (!zed_in_range_(d, "destination of a copy", dst, bytes) || !zed_in_range_(d, "source of a copy", src, bytes))
        return false;
    zed_step_ *s = zed_add_step_(b->recording_, ZED_STEP_COPY_);
    if (!s) return false;
    s->to = dst;
    s->from = src;
    s->bytes = bytes;
    return true;
}

/* Appends a step that signals an event, or follows one. */
XE_FN_ bool zed_batch_event_(zed_batch *b, const zed_event *e, int kind, const char *call, const char *file, int line)
{
    if (!zed_batch_is_(b, ZED_BATCH_OPEN_, call, file, line) || !zed_event_is_for_(e, b->device, call)) return false;
    zed_step_ *s = zed_add_step_(b->recording_, kind);
    if (s) s->event = e->handle;
    return s != NULL;
}

/* Waits until the batch's run has ended. */
XE_FN_ bool zed_batch_finish_(zed_batch *b)
{
    zed_recording_ *r = b->recording_;
    if (!r->running) return true;
    r->running = false;
    if (b->device->last_ == r) b->device->last_ = NULL;
    ze_result_t result = b->device->ze_->zeEventHostSynchronize(r->done, UINT64_MAX);
    return zed_check_(b->device, result, "zeEventHostSynchronize", "after a batch of %d launches", r->launches);
}

/* Opens the gate of a batch when all that was started before has ended. */
static bool zed_open_gate_(zed_recording_ *r)
{
    zed_device *d = r->device;
    if (d->pending_) return ZED_CALL_(d, zeCommandListAppendBarrier, (d->list, r->gate, 0, NULL));
    return ZED_CALL_(d, zeEventHostSignal, (r->gate));
}

/* Begins a run. The previous one must have passed, with all that waits for its events in the device's own list. */
XE_FN_ bool zed_batch_execute_(zed_batch *b)
{
    zed_recording_ *r = b->recording_;
    zed_device *d = b->device;
    if (!zed_batch_finish_(b) || (r->awaited && !zed_await_all_(d)) || (r->stale && !zed_renew_(r))) return false;
    r->awaited = false;
    b->list = r->list;
    if (!zed_recording_reset_(r) || !zed_open_gate_(r)) return false;
    r->running = zed_check_(d, d->ze_->zeCommandQueueExecuteCommandLists(d->queue, 1, &r->list, NULL),
                            "zeCommandQueueExecuteCommandLists", "of %d launches", r->launches);
    if (r->running) d->last_ = r;
    return r->running;
}

bool zed_batch_free_(zed_batch *b, const char *file, int line)
{
    bool ok = b && zed_release_(b->device, ZED_RES_RECORDING_, b->recording_, file, line);
    if (!b) return false;
    b->recording_ = NULL;
    b->list = NULL;
    b->state_ = ZED_BATCH_NONE_;
    return ok;
}

bool zed_batch_change_(zed_batch *b, int launch, const char *file, int line, zed_groups groups, const zed_arg *args,
                       uint32_t count)
{
    zed_bound_ bound[ZED_MAX_ARGS];
    if (!zed_batch_is_(b, ZED_BATCH_CLOSED_, "zed_batch_change", file, line)) return false;
    zed_recording_ *r = b->recording_;
    zed_step_ *s = zed_launch_of_(r, launch);
    if (!s) return zed_fail_(b->device, ZED_BATCH_LAUNCH, "launch %d of a batch of %d", launch, r->launches);
    zed_kernel *k = &r->kernels[s->kernel];
    zed_at_(k->device, file, line);
    if (!zed_launch_ok_(k, groups, args, count, bound) || !zed_batch_finish_(b)) return false;
    if (count) memcpy(s->args, bound, count * sizeof bound[0]);
    s->groups = groups;
    s->changed = r->stale = true;
    return true;
}

/* The device time of a step that is a launch, of a timed batch that has run. */
XE_FN_ bool zed_step_ns_(const zed_recording_ *r, const zed_step_ *s, double *ns)
{
    return zed_event_ns_(r->device, s->own, ns);
}
