/* recording.c - what a batch consists of: its steps, so that its commands can be recorded again when arguments change.
 * Commands are recorded in segments, as a queue waits for events and signals them only between submissions. */
#include "internal.h"

XE_FN_ vkd_recording_ *vkd_recording_make_(vkd_device *d)
{
    vkd_recording_ *r = (vkd_recording_ *)calloc(1, sizeof *r);
    if (!r) {
        vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a batch");
        return NULL;
    }
    r->device = d;
    return vkd_keep_handle_(d, VKD_RES_RECORDING_, (uintptr_t)r) ? r : NULL;
}

static void vkd_free_commands_(vkd_recording_ *r)
{
    vkd_device *d = r->device;
    for (size_t i = 0; i < r->segment_count; i++)
        if (r->segments[i].commands) d->vk_->vkFreeCommandBuffers(d->device, d->pool, 1, &r->segments[i].commands);
    if (r->queries) d->vk_->vkDestroyQueryPool(d->device, r->queries, NULL);
    free(r->segments);
    r->segments = NULL;
    r->segment_count = 0;
    r->queries = VK_NULL_HANDLE;
}

/* The parameters' memory belongs to the device, which frees it. */
XE_FORWARD_ void vkd_recording_free_(vkd_recording_ *r)
{
    vkd_free_commands_(r);
    for (size_t i = 0; i < r->count; i++) {
        free(r->steps[i].launch);
        vkd_free_conversions_(r->steps[i].conversions);
    }
    free(r->steps);
    free(r->kernels);
    free(r);
}

/* Appends a step, or returns NULL. */
XE_FN_ vkd_step_ *vkd_add_step_(vkd_recording_ *r, int kind)
{
    vkd_step_ *steps = (vkd_step_ *)vkd_grow_(r->device, r->steps, r->count, &r->room, sizeof *steps);
    if (!steps) return NULL;
    r->steps = steps;
    vkd_step_ *s = &steps[r->count++];
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->launches = r->launches;
    return s;
}

/* The index of a copy of the kernel; -1 on failure. */
static int vkd_kernel_index_(vkd_recording_ *r, const vkd_kernel *k)
{
    vkd_kernel *kernels = r->kernels;
    for (size_t i = r->kernel_count; i-- > 0;)
        if (kernels[i].layout_ == k->layout_ && kernels[i].module == k->module) return (int)i;
    kernels = (vkd_kernel *)vkd_grow_(r->device, kernels, r->kernel_count, &r->kernel_room, sizeof *kernels);
    if (!kernels) return -1;
    r->kernels = kernels;
    kernels[r->kernel_count] = *k;
    kernels[r->kernel_count].device = r->device;
    return (int)r->kernel_count++;
}

/* Memory for a launch's parameters, where they are not pushed. */
static bool vkd_give_memory_(vkd_recording_ *r, const vkd_kernel *k, vkd_bound_launch_ *l)
{
    if (k->in_memory_ && !l->memory) l->memory = vkd_alloc_(r->device, VKD_SHARED, k->bytes_, 0);
    return !k->in_memory_ || l->memory;
}

/* Appends a launch that has been checked. */
XE_FN_ bool vkd_step_launch_(vkd_recording_ *r, const vkd_kernel *k, const vkd_bound_launch_ *launch)
{
    int kernel = vkd_kernel_index_(r, k);
    vkd_bound_launch_ *copy = (vkd_bound_launch_ *)malloc(sizeof *copy);
    if (copy) *copy = *launch;
    vkd_step_ *s = copy && kernel >= 0 && vkd_give_memory_(r, k, copy) ? vkd_add_step_(r, VKD_STEP_LAUNCH_) : NULL;
    if (!s) {
        free(copy);
        return vkd_fail_(r->device, VKD_OUT_OF_MEMORY, "no room for a launch of %s", k->name);
    }
    s->kernel = kernel;
    s->launch = copy;
    r->launches++;
    return true;
}

/* Begins another segment; what it is to wait for may be NULL. */
static vkd_segment_ *vkd_begin_segment_(vkd_recording_ *r, vkd_signal_state_ *follows)
{
    vkd_segment_ *s = &r->segments[r->segment_count++];
    s->follows = follows;
    s->commands = vkd_begin_commands_(r->device, true);
    return s->commands ? s : NULL;
}

static bool vkd_end_segment_(vkd_recording_ *r, vkd_segment_ *s, vkd_signal_state_ *signals)
{
    s->signals = signals;
    vkd_barrier_(r->device, s->commands);
    return VKD_CALL_(r->device, vkEndCommandBuffer, (s->commands));
}

static void vkd_record_copy_(const vkd_device *d, VkCommandBuffer commands, const vkd_step_ *s)
{
    vkd_barrier_(d, commands);
    d->vk_->vkCmdCopyBuffer(commands, s->from, s->to, 1, &s->region);
}

/* Records the steps, anew if they were; the last run has ended. */
XE_FN_ bool vkd_record_(vkd_recording_ *r)
{
    vkd_device *d = r->device;
    uint32_t query = 0;
    vkd_free_commands_(r);
    r->stale = true;
    r->segments = (vkd_segment_ *)calloc(r->count + 1, sizeof *r->segments);
    if (!r->segments) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a batch of %zu steps", r->count);
    if (r->timed && r->launches) r->queries = vkd_create_queries_(d, 2 * (uint32_t)r->launches);
    if (d->error.id) return false;
    vkd_segment_ *now = vkd_begin_segment_(r, NULL);
    if (now && r->queries) d->vk_->vkCmdResetQueryPool(now->commands, r->queries, 0, 2 * (uint32_t)r->launches);
    for (size_t i = 0; now && i < r->count; i++) {
        const vkd_step_ *s = &r->steps[i];
        bool ends = s->kind == VKD_STEP_SIGNAL_ || s->kind == VKD_STEP_FOLLOW_;
        if (s->kind == VKD_STEP_COPY_) vkd_record_copy_(d, now->commands, s);
        if (s->kind == VKD_STEP_CONVERT_) vkd_record_conversions_(d, now->commands, s->conversions);
        if (s->kind == VKD_STEP_LAUNCH_) {
            vkd_record_launch_(&r->kernels[s->kernel], now->commands, r->queries, query, s->launch);
            query += 2;
        }
        if (!ends) continue;
        if (!vkd_end_segment_(r, now, s->kind == VKD_STEP_SIGNAL_ ? s->event : NULL)) return false;
        now = vkd_begin_segment_(r, s->kind == VKD_STEP_FOLLOW_ ? s->event : NULL);
    }
    r->stale = !(now && vkd_end_segment_(r, now, NULL));
    return !r->stale;
}
