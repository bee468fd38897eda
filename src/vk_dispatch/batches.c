/* batches.c - launches that are recorded once and run together. */
#include "internal.h"

/* Is the batch in this state, and its device usable? */
XE_FN_ bool vkd_batch_is_(const vkd_batch *b, int state, const char *call, const char *file, int line)
{
    static const char *const names[] = {"not begun", "being recorded", "recorded"};
    vkd_device *d = b ? vkd_at_(b->device, file, line) : NULL;
    if (!d) return vkd_fail_alone_(VKD_BATCH_STATE, call, file, line);
    if (!vkd_usable_(d)) return false;
    return b->state_ == state || vkd_fail_(d, VKD_BATCH_STATE, "%s: the batch is %s", call, names[b->state_]);
}

bool vkd_batch_begin_(vkd_batch *b, vkd_device *d, bool timed)
{
    memset(b, 0, sizeof *b);
    if (!vkd_usable_(d)) return false;
    b->commands = vkd_begin_commands_(d, true);
    if (!b->commands || !vkd_keep_handle_(d, VKD_RES_COMMANDS_, (uintptr_t)b->commands)) return false;
    b->device = d;
    if (timed) {
        b->queries_ = vkd_create_queries_(d, 2 * VKD_BATCH_TIMES_);
        if (!b->queries_ || !vkd_keep_handle_(d, VKD_RES_QUERIES_, (uint64_t)b->queries_)) return false;
        d->vk_->vkCmdResetQueryPool(b->commands, b->queries_, 0, 2 * VKD_BATCH_TIMES_);
    }
    b->state_ = VKD_BATCH_OPEN_;
    return true;
}

bool vkd_batch_copy_(vkd_batch *b, void *dst, const void *src, size_t bytes, const char *file, int line)
{
    const vkd_resource_ *to = NULL, *from = NULL;
    VkBufferCopy region;
    if (!vkd_batch_is_(b, VKD_BATCH_OPEN_, "vkd_batch_copy", file, line)) return false;
    vkd_device *d = b->device;
    if (!bytes) return true;
    if (!vkd_in_range_(d, "destination of a copy", dst, bytes, &to) ||
        !vkd_in_range_(d, "source of a copy", src, bytes, &from))
        return false;
    if (!to || !from)
        return vkd_fail_(d, VKD_NOT_ALLOCATED, "a batch copies between allocations; %p is in none", to ? src : dst);
    region.srcOffset = from->offset + ((uintptr_t)src - (uintptr_t)from->handle);
    region.dstOffset = to->offset + ((uintptr_t)dst - (uintptr_t)to->handle);
    region.size = bytes;
    vkd_barrier_(d, b->commands);
    d->vk_->vkCmdCopyBuffer(b->commands, from->buffer, to->buffer, 1, &region);
    return true;
}

bool vkd_batch_start_(vkd_batch *b, const char *file, int line)
{
    vkd_device *d = b ? b->device : NULL;
    if (d && b->state_ == VKD_BATCH_OPEN_) {
        vkd_at_(d, file, line);
        vkd_barrier_(d, b->commands);
        if (!vkd_usable_(d) || !VKD_CALL_(d, vkEndCommandBuffer, (b->commands))) return false;
        b->state_ = VKD_BATCH_CLOSED_;
    }
    /* commands that are still running cannot be submitted again */
    return vkd_batch_is_(b, VKD_BATCH_CLOSED_, "vkd_batch_start", file, line) && vkd_settle_(d) &&
           vkd_submit_(d, b->commands);
}

bool vkd_batch_end_(vkd_batch *b, const char *file, int line)
{
    return vkd_batch_is_(b, VKD_BATCH_OPEN_, "vkd_batch_end", file, line) && vkd_batch_start_(b, file, line) &&
           vkd_settle_(b->device);
}

bool vkd_batch_run_(vkd_batch *b, const char *file, int line)
{
    return vkd_batch_is_(b, VKD_BATCH_CLOSED_, "vkd_batch_run", file, line) && vkd_batch_start_(b, file, line) &&
           vkd_settle_(b->device);
}

double vkd_batch_ns_(vkd_batch *b, int launch, const char *file, int line)
{
    double ns = -1;
    if (!vkd_batch_is_(b, VKD_BATCH_CLOSED_, "vkd_batch_ns", file, line)) return -1;
    if (!b->queries_ || launch < 0 || launch >= b->launches || launch >= VKD_BATCH_TIMES_) {
        vkd_fail_(b->device, VKD_BATCH_LAUNCH, "launch %d of %d, %stimed", launch, b->launches,
                  b->queries_ ? "" : "not ");
        return -1;
    }
    return vkd_settle_(b->device) && vkd_read_time_(b->device, b->queries_, (uint32_t)launch, &ns) ? ns : -1;
}

bool vkd_batch_free_(vkd_batch *b, const char *file, int line)
{
    vkd_device *d = b ? vkd_at_(b->device, file, line) : NULL;
    if (!d) return true;
    vkd_settle_(d);
    vkd_drop_(d, VKD_RES_COMMANDS_, (uintptr_t)b->commands);
    if (b->queries_) vkd_drop_(d, VKD_RES_QUERIES_, (uint64_t)b->queries_);
    memset(b, 0, sizeof *b);
    return true;
}
