/* batches.c - several launches in one command list, run as often as wanted. */
#include "internal.h"

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

bool zed_batch_begin_(zed_batch *b, zed_device *d, bool timed)
{
    if (!b) return d ? zed_usable_(d) && zed_fail_(d, ZED_NULL_POINTER, "zed_batch_begin: the batch is NULL") : false;
    memset(b, 0, sizeof *b);
    b->device = d;
    if (!zed_usable_(d) || !zed_need_queue_(d)) return false;
    b->recording_ = zed_recording_make_(d);
    if (!b->recording_) return false;
    b->recording_->timed = timed;
    b->state_ = ZED_BATCH_OPEN_;
    return true;
}

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

static bool zed_batch_event_(zed_batch *b, const zed_event *e, int kind, const char *call, const char *file, int line)
{
    if (!zed_batch_is_(b, ZED_BATCH_OPEN_, call, file, line) || !zed_event_is_for_(e, b->device, call)) return false;
    zed_step_ *s = zed_add_step_(b->recording_, kind);
    if (s) s->event = e->handle;
    return s != NULL;
}

bool zed_batch_signal_(zed_batch *b, zed_event *e, const char *file, int line)
{
    return zed_batch_event_(b, e, ZED_STEP_SIGNAL_, "zed_batch_signal", file, line);
}

bool zed_batch_follow_(zed_batch *b, zed_event *e, const char *file, int line)
{
    return zed_batch_event_(b, e, ZED_STEP_FOLLOW_, "zed_batch_follow", file, line);
}

/* ---- running */

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
static bool zed_batch_execute_(zed_batch *b)
{
    zed_recording_ *r = b->recording_;
    zed_device *d = b->device;
    if (!zed_batch_finish_(b) || (r->awaited && !zed_settle_(d)) || (r->stale && !zed_renew_(r))) return false;
    r->awaited = false;
    b->list = r->list;
    if (!zed_recording_reset_(r) || !zed_open_gate_(r)) return false;
    r->running = zed_check_(d, d->ze_->zeCommandQueueExecuteCommandLists(d->queue, 1, &r->list, NULL),
                            "zeCommandQueueExecuteCommandLists", "of %d launches", r->launches);
    if (r->running) d->last_ = r;
    return r->running;
}

/* Ends the recording of a batch that is being recorded; others must have ended theirs. */
static bool zed_batch_close_(zed_batch *b, const char *call, const char *file, int line)
{
    bool open = b && b->state_ == ZED_BATCH_OPEN_;
    if (!zed_batch_is_(b, open ? ZED_BATCH_OPEN_ : ZED_BATCH_CLOSED_, call, file, line)) return false;
    if (!open) return true;
    if (!zed_record_(b->recording_)) return false;
    b->state_ = ZED_BATCH_CLOSED_;
    b->list = b->recording_->list;
    return true;
}

bool zed_batch_end_(zed_batch *b, const char *file, int line)
{
    return zed_batch_is_(b, ZED_BATCH_OPEN_, "zed_batch_end", file, line) &&
           zed_batch_close_(b, "zed_batch_end", file, line) && zed_batch_execute_(b) && zed_batch_finish_(b);
}

bool zed_batch_run_(zed_batch *b, const char *file, int line)
{
    return zed_batch_is_(b, ZED_BATCH_CLOSED_, "zed_batch_run", file, line) && zed_batch_execute_(b) &&
           zed_batch_finish_(b);
}

bool zed_batch_start_(zed_batch *b, const char *file, int line)
{
    return zed_batch_close_(b, "zed_batch_start", file, line) && zed_batch_execute_(b);
}

bool zed_batch_wait_(zed_batch *b, const char *file, int line)
{
    return zed_batch_is_(b, ZED_BATCH_CLOSED_, "zed_batch_wait", file, line) && zed_batch_finish_(b);
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
    if (!zed_launch_ok_(k, groups, args, count, bound) || !zed_batch_wait_(b, file, line)) return false;
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
