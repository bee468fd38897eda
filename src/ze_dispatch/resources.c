/* resources.c - objects that are destroyed with the device. */
#include "internal.h"

/* The index of a handle in the list, or -1. Searches backwards because most objects are short-lived. */
XE_FN_ ptrdiff_t zed_find_(const zed_device *d, int kind, const void *handle)
{
    for (size_t i = d->resource_count_; i-- > 0;) {
        if (d->resources_[i].kind == kind && d->resources_[i].handle == handle) return (ptrdiff_t)i;
    }
    return -1;
}

XE_ONCE_
static void zed_forget_(zed_device *d, ptrdiff_t i)
{
    size_t after = d->resource_count_ - (size_t)i - 1;
    memmove(&d->resources_[i], &d->resources_[i + 1], after * sizeof d->resources_[0]);
    d->resource_count_--;
}

/* Destroys what a recording holds, also if the device already has an error. */
static bool zed_recording_destroy_(zed_device *d, zed_recording_ *r)
{
    bool ok = true;
    if (r->list) ok = ZED_CALL_(d, zeCommandListDestroy, (r->list));
    for (size_t i = 0; i < r->count; i++) {
        if (r->steps[i].own) ok = ZED_CALL_(d, zeEventDestroy, (r->steps[i].own)) && ok;
        free(r->steps[i].args);
    }
    if (r->gate) ok = ZED_CALL_(d, zeEventDestroy, (r->gate)) && ok;
    if (r->done) ok = ZED_CALL_(d, zeEventDestroy, (r->done)) && ok;
    if (r->pool) ok = ZED_CALL_(d, zeEventPoolDestroy, (r->pool)) && ok;
    free(r->steps);
    free(r->kernels);
    free(r);
    return ok;
}

XE_FN_ bool zed_destroy_(zed_device *d, const zed_resource_ *r)
{
    switch (r->kind) {
    case ZED_RES_MEMORY_: return ZED_CALL_(d, zeMemFree, (d->context, r->handle));
    case ZED_RES_MODULE_: return ZED_CALL_(d, zeModuleDestroy, ((ze_module_handle_t)r->handle));
    case ZED_RES_KERNEL_: return ZED_CALL_(d, zeKernelDestroy, ((ze_kernel_handle_t)r->handle));
    case ZED_RES_POOL_: return ZED_CALL_(d, zeEventPoolDestroy, ((ze_event_pool_handle_t)r->handle));
    case ZED_RES_EVENT_: return ZED_CALL_(d, zeEventDestroy, ((ze_event_handle_t)r->handle));
    default: return zed_recording_destroy_(d, (zed_recording_ *)r->handle);
    }
}

/* Appends a handle to the list; destroys it if out of memory. */
XE_FN_ bool zed_keep_(zed_device *d, int kind, void *handle, size_t bytes)
{
    size_t room = d->resource_room_ ? 2 * d->resource_room_ : 32;
    zed_resource_ r, *more = d->resources_;
    r.kind = kind;
    r.handle = handle;
    r.bytes = bytes;
    if (d->resource_count_ == d->resource_room_) {
        more = (zed_resource_ *)realloc(d->resources_, room * sizeof r);
        if (more) d->resource_room_ = room;
        else zed_fail_(d, ZED_OUT_OF_MEMORY, "no room for a list of %zu handles", room), zed_destroy_(d, &r);
    }
    if (!more) return false;
    d->resources_ = more;
    more[d->resource_count_++] = r;
    return true;
}

/* Destroys a handle in the list. Also works if the device already has an error. */
XE_FN_ bool zed_drop_(zed_device *d, int kind, void *handle)
{
    ptrdiff_t i = zed_find_(d, kind, handle);
    if (i < 0) return false;
    zed_await_all_(d);
    zed_resource_ r = d->resources_[i];
    zed_forget_(d, i);
    return zed_destroy_(d, &r);
}

/* Implements zed_module_free and similar calls; true also if there is nothing to free. */
XE_FN_ bool zed_release_(zed_device *d, int kind, void *handle, const char *file, int line)
{
    zed_at_(d, file, line);
    return !d || !handle || zed_drop_(d, kind, handle);
}
