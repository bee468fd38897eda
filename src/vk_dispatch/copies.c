/* copies.c - copies, fills, and freeing memory, which wait for what was started. */
#include "internal.h"

bool vkd_free_(vkd_device *d, void *p)
{
    if (!d) return false;
    if (!p) return true;
    if (!d->open_) return vkd_fail_(d, VKD_NOT_OPEN, "the device is not open");
    vkd_await_all_(d);
    return vkd_drop_(d, VKD_RES_MEMORY_, (uintptr_t)p) ||
           vkd_fail_(d, VKD_NOT_ALLOCATED, "%p is not an allocation of this device", p);
}

/* Copies between two allocations on the device, and waits. */
static bool vkd_copy_on_device_(vkd_device *d, const vkd_resource_ *to, size_t to_offset, const vkd_resource_ *from,
                                size_t from_offset, size_t bytes)
{
    VkCommandBuffer commands = vkd_begin_commands_(d, false);
    VkBufferCopy region;
    if (!commands) return false;
    region.srcOffset = from->offset + from_offset;
    region.dstOffset = to->offset + to_offset;
    region.size = bytes;
    vkd_barrier_(d, commands);
    d->vk_->vkCmdCopyBuffer(commands, from->buffer, to->buffer, 1, &region);
    vkd_barrier_(d, commands);
    return vkd_start_commands_(d, commands) && vkd_await_all_(d);
}

/* The staging memory; false and an error if there is none. */
static bool vkd_stage_(vkd_device *d, vkd_resource_ *stage)
{
    if (!d->staging_) d->staging_ = vkd_alloc_(d, VKD_HOST, VKD_STAGING_BYTES_, 0);
    if (d->staging_) *stage = *vkd_allocation_(d, d->staging_);
    return d->staging_ != NULL;
}

/* Copies between the host's memory (at) and an allocation that it cannot access, a piece at a time. */
static bool vkd_copy_staged_(vkd_device *d, vkd_resource_ r, size_t offset, char *to_host, const char *from_host,
                             size_t bytes)
{
    vkd_resource_ stage;
    if (!vkd_stage_(d, &stage)) return false;
    for (size_t at = 0; at < bytes; at += VKD_STAGING_BYTES_) {
        size_t n = bytes - at < VKD_STAGING_BYTES_ ? bytes - at : VKD_STAGING_BYTES_;
        if (from_host) memcpy(vkd_host_(&stage), from_host + at, n);
        bool ok = from_host ? vkd_copy_on_device_(d, &r, offset + at, &stage, 0, n)
                            : vkd_copy_on_device_(d, &stage, 0, &r, offset + at, n);
        if (!ok) return false;
        if (to_host) memcpy(to_host + at, vkd_host_(&stage), n);
    }
    return true;
}

bool vkd_copy_(vkd_device *d, void *dst, const void *src, size_t bytes)
{
    const vkd_resource_ *to = NULL, *from = NULL;
    if (!vkd_usable_(d)) return false;
    if (!bytes) return true;
    if (!vkd_in_range_(d, "destination of a copy", dst, bytes, &to) ||
        !vkd_in_range_(d, "source of a copy", src, bytes, &from) || !vkd_await_all_(d))
        return false;
    size_t to_offset = to ? (size_t)((uintptr_t)dst - (uintptr_t)to->handle) : 0;
    size_t from_offset = from ? (size_t)((uintptr_t)src - (uintptr_t)from->handle) : 0;
    bool to_host = !to || to->mapped, from_host = !from || from->mapped;
    if (to_host && from_host) memmove(dst, src, bytes);
    else if (to_host) return vkd_copy_staged_(d, *from, from_offset, (char *)dst, NULL, bytes);
    else if (from_host) return vkd_copy_staged_(d, *to, to_offset, NULL, (const char *)src, bytes);
    else return vkd_copy_on_device_(d, to, to_offset, from, from_offset, bytes);
    return true;
}

/* Repeats a pattern in the host's memory. */
static void vkd_repeat_(char *to, const void *pattern, size_t size, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += size) memcpy(to + at, pattern, size);
}

bool vkd_fill_pattern_(vkd_device *d, void *dst, const void *pattern, size_t size, size_t bytes)
{
    const vkd_resource_ *to = NULL;
    vkd_resource_ stage;
    if (!vkd_usable_(d)) return false;
    if (!bytes) return true;
    if (!pattern) return vkd_fail_(d, VKD_NULL_POINTER, "a fill of %zu bytes with no pattern", bytes);
    if (!size || (size & (size - 1)) || bytes % size || size > 16)
        return vkd_fail_(d, VKD_FILL_PATTERN, "a pattern of %zu bytes for %zu bytes", size, bytes);
    if (!vkd_in_range_(d, "destination of a fill", dst, bytes, &to) || !vkd_await_all_(d)) return false;
    if (!to || to->mapped) {
        vkd_repeat_((char *)dst, pattern, size, bytes);
        return true;
    }
    vkd_resource_ target = *to;
    size_t offset = (size_t)((uintptr_t)dst - (uintptr_t)target.handle);
    if (!vkd_stage_(d, &stage)) return false;
    vkd_repeat_((char *)vkd_host_(&stage), pattern, size, bytes < VKD_STAGING_BYTES_ ? bytes : VKD_STAGING_BYTES_);
    for (size_t at = 0; at < bytes; at += VKD_STAGING_BYTES_) {
        size_t n = bytes - at < VKD_STAGING_BYTES_ ? bytes - at : VKD_STAGING_BYTES_;
        if (!vkd_copy_on_device_(d, &target, offset + at, &stage, 0, n)) return false;
    }
    return true;
}

bool vkd_fill_(vkd_device *d, void *dst, int byte, size_t bytes)
{
    unsigned char pattern = (unsigned char)byte;
    return vkd_fill_pattern_(d, dst, &pattern, 1, bytes);
}
