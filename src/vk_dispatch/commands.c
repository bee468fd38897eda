/* commands.c - command buffers: recorded, submitted, waited for. */
#include "internal.h"

XE_FN_ VkCommandBuffer vkd_begin_commands_(vkd_device *d, bool again)
{
    VkCommandBufferAllocateInfo info;
    VkCommandBufferBeginInfo begin;
    VkCommandBuffer commands = NULL;
    VKD_CLEAR_(info, COMMAND_BUFFER_ALLOCATE_INFO);
    info.commandPool = d->pool;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    if (!VKD_CALL_(d, vkAllocateCommandBuffers, (d->device, &info, &commands))) return NULL;
    VKD_CLEAR_(begin, COMMAND_BUFFER_BEGIN_INFO);
    begin.flags = again ? 0 : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    if (VKD_CALL_(d, vkBeginCommandBuffer, (commands, &begin))) return commands;
    d->vk_->vkFreeCommandBuffers(d->device, d->pool, 1, &commands);
    return NULL;
}

/* What follows sees what was written before, by kernels, copies and the host; the host sees what was written. */
XE_FN_ void vkd_barrier_(const vkd_device *d, VkCommandBuffer commands)
{
    VkMemoryBarrier all;
    VKD_CLEAR_(all, MEMORY_BARRIER);
    all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    d->vk_->vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, NULL,
                                 0, NULL);
}

/* Submits commands (or NULL: none), which are complete: they, and all that is submitted after them, wait for `follows`,
 * where it is not NULL; `signals` is signalled when they and all before them have ended. The clock ticks then. */
XE_FN_ bool vkd_submit_(vkd_device *d, VkCommandBuffer commands, vkd_signal_state_ *follows,
                        vkd_signal_state_ *signals)
{
    VkTimelineSemaphoreSubmitInfo values;
    VkSubmitInfo info;
    const VkPipelineStageFlags everything = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSemaphore signalled[2] = {d->clock_, signals ? signals->semaphore : VK_NULL_HANDLE};
    uint64_t counts[2] = {d->ticks_ + 1, 0}, wanted = 0;
    VKD_CLEAR_(values, TIMELINE_SEMAPHORE_SUBMIT_INFO);
    VKD_CLEAR_(info, SUBMIT_INFO);
    vkd_lock_(d->shared_);
    if (signals) counts[1] = signals->count + 1;
    if (follows) wanted = follows->count ? follows->count : 1;
    info.pNext = &values;
    info.commandBufferCount = commands ? 1 : 0;
    info.pCommandBuffers = &commands;
    info.signalSemaphoreCount = values.signalSemaphoreValueCount = signals ? 2 : 1;
    info.pSignalSemaphores = signalled;
    values.pSignalSemaphoreValues = counts;
    info.waitSemaphoreCount = values.waitSemaphoreValueCount = follows ? 1 : 0;
    info.pWaitSemaphores = follows ? &follows->semaphore : NULL;
    info.pWaitDstStageMask = &everything;
    values.pWaitSemaphoreValues = &wanted;
    VkResult result = d->vk_->vkQueueSubmit(d->queue, 1, &info, VK_NULL_HANDLE);
    if (result == VK_SUCCESS && signals) signals->count++;
    vkd_unlock_(d->shared_);
    if (!vkd_check_(d, result, "vkQueueSubmit", "%s", "")) return false;
    d->ticks_++;
    return true;
}

/* Waits until a semaphore that counts has reached this value. */
XE_FN_ bool vkd_await_(vkd_device *d, VkSemaphore semaphore, uint64_t value)
{
    VkSemaphoreWaitInfo info;
    VKD_CLEAR_(info, SEMAPHORE_WAIT_INFO);
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore;
    info.pValues = &value;
    return VKD_CALL_(d, vkWaitSemaphores, (d->device, &info, UINT64_MAX));
}

/* Waits for what was submitted up to a tick of the clock. Where that fails, the queue must be idle before what it uses
 * is freed, unless the device is lost. */
XE_FN_ bool vkd_await_tick_(vkd_device *d, uint64_t tick)
{
    if (tick <= d->waited_) return true;
    d->waited_ = tick;
    if (vkd_await_(d, d->clock_, tick)) return true;
    vkd_lock_(d->shared_);
    d->vk_->vkQueueWaitIdle(d->queue);
    vkd_unlock_(d->shared_);
    return false;
}

/* A semaphore that counts from 0; VK_NULL_HANDLE after an error. */
XE_FN_ VkSemaphore vkd_create_counter_(vkd_device *d)
{
    VkSemaphoreTypeCreateInfo type;
    VkSemaphoreCreateInfo info;
    VkSemaphore semaphore = VK_NULL_HANDLE;
    VKD_CLEAR_(type, SEMAPHORE_TYPE_CREATE_INFO);
    VKD_CLEAR_(info, SEMAPHORE_CREATE_INFO);
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    info.pNext = &type;
    return VKD_CALL_(d, vkCreateSemaphore, (d->device, &info, NULL, &semaphore)) ? semaphore : VK_NULL_HANDLE;
}

/* Waits for all that was started, also after an error, and frees what it used. */
XE_FN_ bool vkd_await_all_(vkd_device *d)
{
    bool ok = vkd_await_tick_(d, d->ticks_);
    if (d->started_count_)
        d->vk_->vkFreeCommandBuffers(d->device, d->pool, (uint32_t)d->started_count_, d->started_);
    d->started_count_ = 0;
    while (d->loaned_count_) vkd_drop_(d, VKD_RES_MEMORY_, (uintptr_t)d->loaned_[--d->loaned_count_]);
    return ok;
}

bool vkd_wait_(vkd_device *d) { return vkd_usable_(d) && vkd_await_all_(d); }

/* Appends a pointer to a list; false and an error if out of memory. */
static bool vkd_append_pointer_(vkd_device *d, void **list, size_t *count, size_t *room, void *p)
{
    void **items;
    memcpy(&items, list, sizeof items);
    if (*count == *room) {
        size_t more = *room ? 2 * *room : 16;
        void **grown = (void **)realloc(items, more * sizeof *items);
        if (!grown) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a list of %zu launches", more);
        items = grown;
        memcpy(list, &items, sizeof items);
        *room = more;
    }
    items[(*count)++] = p;
    return true;
}

/* Ends one-time commands and submits them; they are freed when they have been waited for. */
XE_FN_ bool vkd_start_commands_(vkd_device *d, VkCommandBuffer commands)
{
    bool ok = !d->error.id && VKD_CALL_(d, vkEndCommandBuffer, (commands)) &&
              vkd_append_pointer_(d, (void **)&d->started_, &d->started_count_, &d->started_room_, commands);
    if (ok) return vkd_submit_(d, commands, NULL, NULL);
    d->vk_->vkFreeCommandBuffers(d->device, d->pool, 1, &commands);
    return false;
}

/* Memory for the parameters of a launch, until it has been waited for. */
XE_FN_ void *vkd_loan_(vkd_device *d, size_t bytes)
{
    void *p = vkd_alloc_(d, VKD_SHARED, bytes, 0);
    if (!p || vkd_append_pointer_(d, (void **)&d->loaned_, &d->loaned_count_, &d->loaned_room_, p)) return p;
    vkd_drop_(d, VKD_RES_MEMORY_, (uintptr_t)p);
    return NULL;
}

/* The times between the queries of a pool, two for each launch. */
XE_FN_ bool vkd_read_time_(vkd_device *d, VkQueryPool pool, uint32_t launch, double *ns)
{
    uint64_t stamp[2] = {0, 0};
    VkFlags flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT;
    if (!VKD_CALL_(d, vkGetQueryPoolResults, (d->device, pool, 2 * launch, 2, sizeof stamp, stamp, 8, flags)))
        return false;
    *ns = (double)(stamp[1] - stamp[0]) * d->tick_ns_;
    return true;
}

XE_FN_ VkQueryPool vkd_create_queries_(vkd_device *d, uint32_t count)
{
    VkQueryPoolCreateInfo info;
    VkQueryPool pool = VK_NULL_HANDLE;
    VKD_CLEAR_(info, QUERY_POOL_CREATE_INFO);
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = count;
    VKD_CALL_(d, vkCreateQueryPool, (d->device, &info, NULL, &pool));
    return pool;
}
