/* events.c - events, by which work on one queue waits for work on another. An event is a semaphore that counts:
 * signalling it adds one, and following it waits for the count of the last signal that was submitted. */
#include "internal.h"

bool vkd_event_create_(vkd_event *e, vkd_device *d)
{
    if (!e) return vkd_usable_(d) && vkd_fail_(d, VKD_NULL_POINTER, "vkd_event_create: the event is NULL");
    memset(e, 0, sizeof *e);
    e->device = d;
    if (!vkd_usable_(d)) return false;
    vkd_signal_state_ *state = (vkd_signal_state_ *)calloc(1, sizeof *state);
    if (!state) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for an event");
    state->semaphore = vkd_create_counter_(d);
    if (!state->semaphore) return free(state), false;
    if (!vkd_keep_handle_(d, VKD_RES_EVENT_, (uintptr_t)state)) return false;
    e->state_ = state;
    return true;
}

bool vkd_event_free_(vkd_event *e, const char *file, int line)
{
    vkd_device *d = e ? vkd_at_(e->device, file, line) : NULL;
    if (!d || !e->state_) return e != NULL;
    vkd_await_all_(d);
    bool ok = vkd_drop_(d, VKD_RES_EVENT_, (uintptr_t)e->state_);
    e->state_ = NULL;
    return ok;
}

/* Can the event be used with d? */
XE_FN_ bool vkd_event_is_for_(const vkd_event *e, vkd_device *d, const char *call)
{
    if (!e || !e->device || !e->state_) return vkd_fail_(d, VKD_EVENT_STATE, "%s: the event is not created", call);
    if (e->device->device == d->device) return true;
    return vkd_fail_(d, VKD_OTHER_DEVICE, "%s: the event is of \"%s\" (%p), the queue of \"%s\" (%p)", call,
                     e->device->name, (void *)e->device, d->name, (void *)d);
}

/* Where several devices have one queue, what waits there for a signal that comes later on the same queue waits forever.
 */
XE_FN_ bool vkd_may_follow_(const vkd_event *e, vkd_device *d, const char *call)
{
    if (!vkd_event_is_for_(e, d, call)) return false;
    vkd_lock_(d->shared_);
    bool own = d->shared_->opened <= d->shared_->queues, signalled = e->state_->count > 0;
    vkd_unlock_(d->shared_);
    return own || signalled ||
           vkd_fail_(d, VKD_EVENT_STATE, "%s: nothing signals the event yet, and \"%s\" has %" PRIu32 " queue%s for %"
                     PRIu32 " devices", call, d->name, d->shared_->queues, d->shared_->queues > 1 ? "s" : "",
                     d->shared_->opened);
}

bool vkd_signal_(vkd_device *d, vkd_event *e)
{
    return vkd_usable_(d) && vkd_event_is_for_(e, d, "vkd_signal") && vkd_submit_(d, NULL, NULL, e->state_);
}

bool vkd_follow_(vkd_device *d, vkd_event *e)
{
    return vkd_usable_(d) && vkd_may_follow_(e, d, "vkd_follow") && vkd_submit_(d, NULL, e->state_, NULL);
}

/* The device of an event that its caller waits for or asks, and the count that it waits for; NULL if there is none or
 * it has an error. */
static vkd_device *vkd_event_device_(const vkd_event *e, const char *call, const char *file, int line, uint64_t *count)
{
    if (!e || !e->device) {
        vkd_fail_alone_(VKD_EVENT_STATE, call, file, line);
        return NULL;
    }
    vkd_device *d = vkd_at_(e->device, file, line);
    if (!vkd_usable_(d) || !vkd_event_is_for_(e, d, call)) return NULL;
    vkd_lock_(d->shared_);
    *count = e->state_->count ? e->state_->count : 1;
    vkd_unlock_(d->shared_);
    return d;
}

bool vkd_event_wait_(vkd_event *e, const char *file, int line)
{
    uint64_t count;
    vkd_device *d = vkd_event_device_(e, "vkd_event_wait", file, line, &count);
    return d && vkd_await_(d, e->state_->semaphore, count);
}

bool vkd_event_done_(vkd_event *e, const char *file, int line)
{
    uint64_t count, now = 0;
    vkd_device *d = vkd_event_device_(e, "vkd_event_done", file, line, &count);
    return d && VKD_CALL_(d, vkGetSemaphoreCounterValue, (d->device, e->state_->semaphore, &now)) && now >= count;
}
