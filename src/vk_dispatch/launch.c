/* launch.c - launches. */
#include "internal.h"

static bool vkd_groups_ok_(const vkd_kernel *k, vkd_groups g)
{
    const uint32_t *most = k->device->target.max_groups;
    return (g.count_x && g.count_y && g.count_z && g.count_x <= most[0] && g.count_y <= most[1] &&
            g.count_z <= most[2]) ||
           vkd_fail_(k->device, VKD_GROUPS, "kernel %s: " VKD_XYZ_ " groups, \"%s\" takes 1 to " VKD_XYZ_, k->name,
                     g.count_x, g.count_y, g.count_z, k->device->name, most[0], most[1], most[2]);
}

/* Checks all arguments; their bytes where the kernel expects them; the offsets of those in local memory, which are
 * behind the module's variables, and its words in all. */
static bool vkd_bind_all_(const vkd_kernel *k, const vkd_arg *args, uint32_t count, unsigned char *bytes,
                          uint32_t *places)
{
    vkd_device *d = k->device;
    uint64_t local = (k->local_bytes + 15) / 16 * 16;
    if (count != k->param_count)
        return vkd_fail_(d, VKD_ARG_COUNT, "kernel %s takes %" PRIu32 " arguments, got %" PRIu32, k->name,
                         k->param_count, count);
    for (uint32_t i = 0; i < count; i++) {
        vkd_bound_ bound;
        if (!vkd_bind_(k, &args[i], i, &bound)) return false;
        if (k->params[i].kind == VKD_PARAM_PTR) bound.as.u = vkd_address_of_(d, bound.as.p);
        if (k->params[i].kind != VKD_PARAM_LOCAL) {
            memcpy(bytes + k->offsets_[i], bound.as.bytes, bound.size);
            continue;
        }
        places[i] = (uint32_t)local;
        local += (bound.size + 15) / 16 * 16;
        if (local > (uint64_t)d->target.local_memory)
            return vkd_fail_(d, VKD_LOCAL_MEMORY, "kernel %s: %" PRIu64 " bytes of local memory, \"%s\" has %d",
                             k->name, local, d->name, d->target.local_memory);
    }
    places[VKD_MAX_ARGS] = (uint32_t)(local / 4);
    return true;
}

/* Records a launch; queries: VK_NULL_HANDLE, or where its times go. `kept`: memory for parameters stays until the
 * device is closed, as a batch may run again. */
static bool vkd_record_(vkd_kernel *k, VkCommandBuffer commands, VkQueryPool queries, uint32_t query, bool kept,
                        vkd_groups g, const unsigned char *bytes)
{
    const vkd_functions_ *vk = k->device->vk_;
    uint64_t address;
    vkd_barrier_(k->device, commands);
    if (k->in_memory_) {
        void *p = kept ? vkd_alloc_(k->device, VKD_SHARED, k->bytes_, 0) : vkd_loan_(k->device, k->bytes_);
        if (!p) return false;
        memcpy(p, bytes, k->bytes_);
        address = vkd_address_of_(k->device, p);
        vk->vkCmdPushConstants(commands, k->layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, &address);
    } else if (k->bytes_) {
        vk->vkCmdPushConstants(commands, k->layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, (k->bytes_ + 7) / 8 * 8, bytes);
    }
    vk->vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, k->pipeline_);
    if (queries) vk->vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queries, query);
    vk->vkCmdDispatch(commands, g.count_x, g.count_y, g.count_z);
    if (queries) vk->vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queries, query + 1);
    return true;
}

/* Can the kernel be appended to the batch? */
static bool vkd_batch_takes_(const vkd_batch *b, const vkd_kernel *k, const char *file, int line)
{
    if (!b || !b->device) return vkd_fail_(k->device, VKD_BATCH_STATE, "kernel %s: the batch is not begun", k->name);
    if (!vkd_batch_is_(b, VKD_BATCH_OPEN_, "vkd_batch_launch", file, line)) return false;
    return b->device == k->device ||
           vkd_fail_(k->device, VKD_OTHER_DEVICE, "kernel %s is of \"%s\" (%p), the batch of \"%s\" (%p)", k->name,
                     k->device->name, (void *)k->device, b->device->name, (void *)b->device);
}

/* Records the launch of commands of its own and starts them. */
static bool vkd_start_(vkd_kernel *k, bool timed, vkd_groups groups, const unsigned char *bytes)
{
    vkd_device *d = k->device;
    VkCommandBuffer commands = vkd_begin_commands_(d, false);
    if (!commands) return false;
    if (timed) d->vk_->vkCmdResetQueryPool(commands, d->queries, 0, 2);
    vkd_record_(k, commands, timed ? d->queries : VK_NULL_HANDLE, 0, false, groups, bytes);
    vkd_barrier_(d, commands);
    return vkd_start_commands_(d, commands);
}

bool vkd_launch_(vkd_kernel *k, vkd_batch *b, int how, double *ns, const char *file, int line, vkd_groups groups,
                 const vkd_arg *args, uint32_t count)
{
    unsigned char bytes[VKD_MAX_ARGS * 8 + 8];
    uint32_t places[VKD_MAX_ARGS + 1];
    memset(bytes, 0, sizeof bytes);
    memset(places, 0, sizeof places);
    if (!vkd_kernel_usable_(k, file, line)) return false;
    vkd_device *d = k->device;
    if (how == VKD_RUN_BATCH_ && !vkd_batch_takes_(b, k, file, line)) return false;
    if (!vkd_groups_ok_(k, groups) || !vkd_bind_all_(k, args, count, bytes, places) || !vkd_make_pipeline_(k, places))
        return false;
    if (how == VKD_RUN_BATCH_) {
        bool timed = b->queries_ && b->launches < VKD_BATCH_TIMES_;
        if (!vkd_record_(k, b->commands, timed ? b->queries_ : VK_NULL_HANDLE, 2 * (uint32_t)b->launches, true, groups,
                         bytes))
            return false;
        b->launches++;
        return true;
    }
    if (!vkd_start_(k, ns != NULL, groups, bytes)) return false;
    if (how == VKD_RUN_START_) return true;
    return vkd_settle_(d) && (!ns || vkd_read_time_(d, d->queries, 0, ns));
}

double vkd_launch_timed_(vkd_kernel *k, const char *file, int line, vkd_groups groups, const vkd_arg *args,
                         uint32_t count)
{
    double ns = 0;
    return vkd_launch_(k, NULL, VKD_RUN_WAIT_, &ns, file, line, groups, args, count) ? ns : -1.0;
}
