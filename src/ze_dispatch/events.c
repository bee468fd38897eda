/* events.c - events, by which work on one queue waits for work on another. */
#include "internal.h"

/* Creates a pool with room for `count` events, with timestamps if they are to tell times. */
XE_FN_ bool zed_make_pool_(zed_device *d, uint32_t count, bool timed, ze_event_pool_handle_t *pool)
{
    ze_event_pool_desc_t desc;
    ZED_CLEAR_(desc, EVENT_POOL_DESC);
    desc.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
    if (timed) desc.flags |= ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
    desc.count = count;
    if (ZED_CALL_(d, zeEventPoolCreate, (d->context, &desc, 1, &d->device, pool))) return true;
    *pool = NULL;
    return false;
}

XE_ONCE_
XE_FN_ bool zed_make_event_(zed_device *d, ze_event_pool_handle_t pool, uint32_t index, ze_event_handle_t *event)
{
    ze_event_desc_t desc;
    ZED_CLEAR_(desc, EVENT_DESC);
    desc.index = index;
    desc.signal = ZE_EVENT_SCOPE_FLAG_HOST;
    desc.wait = ZE_EVENT_SCOPE_FLAG_HOST;
    if (ZED_CALL_(d, zeEventCreate, (pool, &desc, event))) return true;
    *event = NULL;
    return false;
}

bool zed_event_create_(zed_event *e, zed_device *d)
{
    if (!e) return d ? zed_usable_(d) && zed_fail_(d, ZED_NULL_POINTER, "zed_event_create: the event is NULL") : false;
    memset(e, 0, sizeof *e);
    e->device = d;
    if (!zed_usable_(d) || !zed_make_pool_(d, 1, false, &e->pool_)) return false;
    if (!zed_keep_(d, ZED_RES_POOL_, e->pool_, 0)) return false;
    if (zed_make_event_(d, e->pool_, 0, &e->handle) && zed_keep_(d, ZED_RES_EVENT_, e->handle, 0)) return true;
    e->handle = NULL;
    zed_drop_(d, ZED_RES_POOL_, e->pool_);
    return false;
}

bool zed_event_free_(zed_event *e, const char *file, int line)
{
    bool ok = e && zed_release_(e->device, ZED_RES_EVENT_, e->handle, file, line);
    if (!e) return false;
    if (e->handle) ok = zed_drop_(e->device, ZED_RES_POOL_, e->pool_) && ok;
    e->handle = NULL;
    return ok;
}

/* Can the event be used with d? */
XE_FN_ bool zed_event_is_for_(const zed_event *e, zed_device *d, const char *call)
{
    if (!e || !e->device || !e->handle) return zed_fail_(d, ZED_EVENT_STATE, "%s: the event is not created", call);
    if (e->device->context == d->context) return true;
    return zed_fail_(d, ZED_OTHER_DEVICE, "%s: the event is of \"%s\" (%p), the queue of \"%s\" (%p)", call,
                     e->device->name, (void *)e->device, d->name, (void *)d);
}

bool zed_signal_(zed_device *d, zed_event *e)
{
    if (!zed_usable_(d) || !zed_event_is_for_(e, d, "zed_signal") || !zed_follow_batches_(d)) return false;
    d->pending_ = true;
    return ZED_CALL_(d, zeEventHostReset, (e->handle)) &&
           ZED_CALL_(d, zeCommandListAppendBarrier, (d->list, e->handle, 0, NULL));
}

bool zed_follow_(zed_device *d, zed_event *e)
{
    if (!zed_usable_(d) || !zed_event_is_for_(e, d, "zed_follow")) return false;
    d->pending_ = true;
    return ZED_CALL_(d, zeCommandListAppendBarrier, (d->list, NULL, 1, &e->handle));
}

/* The device of an event that its caller waits for or asks; NULL if there is none or it has an error. */
static zed_device *zed_event_device_(const zed_event *e, const char *call, const char *file, int line)
{
    if (!e || !e->device) {
        zed_fail_alone_(ZED_EVENT_STATE, call, file, line);
        return NULL;
    }
    zed_at_(e->device, file, line);
    return zed_usable_(e->device) && zed_event_is_for_(e, e->device, call) ? e->device : NULL;
}

bool zed_event_wait_(zed_event *e, const char *file, int line)
{
    zed_device *d = zed_event_device_(e, "zed_event_wait", file, line);
    return d && ZED_CALL_(d, zeEventHostSynchronize, (e->handle, UINT64_MAX));
}

bool zed_event_done_(zed_event *e, const char *file, int line)
{
    zed_device *d = zed_event_device_(e, "zed_event_done", file, line);
    if (!d) return false;
    ze_result_t result = d->ze_->zeEventQueryStatus(e->handle);
    return result != ZE_RESULT_NOT_READY && zed_check_(d, result, "zeEventQueryStatus", "%s", "");
}
