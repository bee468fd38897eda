/* memory.c - allocations, copies and fills. */
#include "internal.h"

void *zed_alloc_(zed_device *d, int kind, size_t bytes, size_t align)
{
    ze_device_mem_alloc_desc_t on_device;
    ze_host_mem_alloc_desc_t on_host;
    const char *call = "zeMemAllocShared";
    ze_result_t result;
    void *p = NULL;
    if (!zed_usable_(d)) return NULL;
    if (!align) align = 64;
    if (kind < ZED_SHARED || kind > ZED_HOST) zed_fail_(d, ZED_ALLOC_KIND, "%d is not a kind of memory", kind);
    else if (!bytes) zed_fail_(d, ZED_ALLOC_SIZE, "an allocation of 0 bytes");
    else if (align & (align - 1)) zed_fail_(d, ZED_ALLOC_ALIGN, "alignment %zu for %zu bytes", align, bytes);
    else if (kind != ZED_HOST && d->target.max_alloc && bytes > d->target.max_alloc)
        zed_fail_(d, ZED_ALLOC_TOO_LARGE, "%zu bytes, and \"%s\" allocates at most %" PRIu64, bytes, d->name,
                  d->target.max_alloc);
    if (d->error.id) return NULL;
    ZED_CLEAR_(on_device, DEVICE_MEM_ALLOC_DESC);
    ZED_CLEAR_(on_host, HOST_MEM_ALLOC_DESC);
    if (kind == ZED_DEVICE) {
        call = "zeMemAllocDevice";
        result = d->ze_->zeMemAllocDevice(d->context, &on_device, bytes, align, d->device, &p);
    } else if (kind == ZED_HOST) {
        call = "zeMemAllocHost";
        result = d->ze_->zeMemAllocHost(d->context, &on_host, bytes, align, &p);
    } else {
        result = d->ze_->zeMemAllocShared(d->context, &on_device, &on_host, bytes, align, d->device, &p);
    }
    if (!zed_check_(d, result, call, "(%zu bytes, alignment %zu)", bytes, align)) return NULL;
    return zed_keep_(d, ZED_RES_MEMORY_, p, bytes) ? p : NULL;
}

bool zed_free_(zed_device *d, void *p)
{
    if (!d) return false;
    if (!p) return true;
    if (!d->open_) return zed_fail_(d, ZED_NOT_OPEN, "the device is not open");
    if (zed_find_(d, ZED_RES_MEMORY_, p) < 0)
        return zed_fail_(d, ZED_NOT_ALLOCATED, "%p is not an allocation of this device", p);
    return zed_drop_(d, ZED_RES_MEMORY_, p);
}

/* Refuses a range that begins in one of our allocations and extends beyond it. */
XE_FN_ bool zed_in_range_(zed_device *d, const char *what, const void *p, size_t bytes)
{
    uintptr_t at = (uintptr_t)p;
    if (!p) return zed_fail_(d, ZED_NULL_POINTER, "%s of %zu bytes is NULL", what, bytes);
    for (size_t i = d->resource_count_; i-- > 0;) {
        const zed_resource_ *r = &d->resources_[i];
        uintptr_t base = (uintptr_t)r->handle;
        if (r->kind != ZED_RES_MEMORY_ || at < base || at - base >= r->bytes) continue;
        if (bytes <= r->bytes - (at - base)) return true;
        return zed_fail_(d, ZED_MEMORY_RANGE, "%s: %zu bytes from offset %zu of an allocation of %zu bytes", what,
                         bytes, (size_t)(at - base), r->bytes);
    }
    return true;
}

bool zed_copy_(zed_device *d, void *dst, const void *src, size_t bytes)
{
    if (!zed_usable_(d)) return false;
    if (!bytes) return true;
    if (!zed_in_range_(d, "destination of a copy", dst, bytes) || !zed_in_range_(d, "source of a copy", src, bytes) ||
        !zed_wait_(d))
        return false;
    return zed_check_(d, d->ze_->zeCommandListAppendMemoryCopy(d->list, dst, src, bytes, d->event, 0, NULL),
                      "zeCommandListAppendMemoryCopy", "(%zu bytes)", bytes) &&
           zed_await_event_(d, "a copy", NULL);
}

bool zed_fill_pattern_(zed_device *d, void *dst, const void *pattern, size_t size, size_t bytes)
{
    if (!zed_usable_(d)) return false;
    if (!bytes) return true;
    if (!pattern) return zed_fail_(d, ZED_NULL_POINTER, "a fill of %zu bytes with no pattern", bytes);
    if (!size || (size & (size - 1)) || bytes % size || size > d->pattern_max_)
        return zed_fail_(d, ZED_FILL_PATTERN, "a pattern of %zu bytes for %zu bytes, the device takes up to %zu", size,
                         bytes, d->pattern_max_);
    if (!zed_in_range_(d, "destination of a fill", dst, bytes) || !zed_wait_(d)) return false;
    return zed_check_(d, d->ze_->zeCommandListAppendMemoryFill(d->list, dst, pattern, size, bytes, d->event, 0, NULL),
                      "zeCommandListAppendMemoryFill", "(%zu bytes)", bytes) &&
           zed_await_event_(d, "a fill", NULL);
}

bool zed_fill_(zed_device *d, void *dst, int byte, size_t bytes)
{
    unsigned char pattern = (unsigned char)byte;
    return zed_fill_pattern_(d, dst, &pattern, 1, bytes);
}

/* Can kernels access the memory at p? NULL can be passed. */
XE_FN_ bool zed_reachable_(const zed_device *d, const void *p)
{
    ze_memory_allocation_properties_t properties;
    ze_device_handle_t on = NULL;
    uintptr_t at = (uintptr_t)p;
    if (!at || d->system_memory_) return true;
    for (size_t n = d->resource_count_; n-- > 0;) {
        const zed_resource_ *r = &d->resources_[n];
        if (r->kind == ZED_RES_MEMORY_ && at - (uintptr_t)r->handle < r->bytes) return true;
    }
    ZED_CLEAR_(properties, MEMORY_ALLOCATION_PROPERTIES);
    return d->ze_->zeMemGetAllocProperties(d->context, p, &properties, &on) == ZE_RESULT_SUCCESS &&
           properties.type != ZE_MEMORY_TYPE_UNKNOWN;
}
