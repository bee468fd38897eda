/* wait.c - waiting and timing. */
#include "internal.h"

/* Nanoseconds per tick. Depending on the structure type requested, the same field means nanoseconds per tick or ticks
 * per second; a driver that knows only the older meaning returns a number too small to be a frequency. */
XE_ONCE_
XE_FN_ double zed_tick_ns_from_(uint64_t old_meaning, uint64_t new_meaning)
{
    if (new_meaning >= 10000) return 1e9 / (double)new_meaning;
    return old_meaning ? (double)old_meaning : 1.0;
}

/* Ticks between two readings of a counter of `bits` bits that may have wrapped once. */
XE_ONCE_
static uint64_t zed_ticks_between_(uint64_t start, uint64_t end, uint32_t bits)
{
    uint64_t mask = bits == 0 || bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    return (end - start) & mask;
}

/* The time that the command took which signalled the event, in nanoseconds. */
XE_FN_ bool zed_event_ns_(zed_device *d, ze_event_handle_t event, double *ns)
{
    ze_kernel_timestamp_result_t stamp;
    memset(&stamp, 0, sizeof stamp);
    if (!ZED_CALL_(d, zeEventQueryKernelTimestamp, (event, &stamp))) return false;
    *ns = d->tick_ns_ *
          (double)zed_ticks_between_(stamp.context.kernelStart, stamp.context.kernelEnd, d->timestamp_bits_);
    return true;
}

/* Waits for the event that the last appended command signals, and makes it ready for the next. */
XE_FN_ bool zed_await_event_(zed_device *d, const char *what, double *ns)
{
    ze_result_t result = d->ze_->zeEventHostSynchronize(d->event, UINT64_MAX);
    bool ok = zed_check_(d, result, "zeEventHostSynchronize", "after %s", what);
    if (ok && ns) ok = zed_event_ns_(d, d->event, ns);
    return ZED_CALL_(d, zeEventHostReset, (d->event)) && ok;
}

/* Waits for everything that was started, even after an error, since it may use what is about to be freed. */
XE_FN_ bool zed_await_all_(zed_device *d)
{
    bool batches = d->last_ != NULL, ok = true;
    d->last_ = NULL;
    if (d->pending_) {
        d->pending_ = false;
        ok = ZED_CALL_(d, zeCommandListAppendBarrier, (d->list, d->event, 0, NULL)) &&
             zed_await_event_(d, "zed_start", NULL);
    }
    return (!batches || ZED_CALL_(d, zeCommandQueueSynchronize, (d->queue, UINT64_MAX))) && ok;
}

/* What the device's own list gets next waits for the batches in flight. */
XE_ONCE_
XE_FN_ bool zed_follow_batches_(zed_device *d)
{
    if (!d->last_) return true;
    d->last_->awaited = d->pending_ = true;
    return ZED_CALL_(d, zeCommandListAppendBarrier, (d->list, NULL, 1, &d->last_->done));
}

bool zed_wait_(zed_device *d) { return zed_usable_(d) && zed_await_all_(d); }
