/* append.c - checking launches, and recording them. */
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

/* Checks a launch: its pipeline, groups and arguments. */
XE_FN_ bool vkd_launch_ok_(vkd_kernel *k, vkd_groups groups, const vkd_arg *args, uint32_t count, vkd_bound_launch_ *l)
{
    uint32_t places[VKD_MAX_ARGS + 1];
    memset(l, 0, sizeof *l);
    memset(places, 0, sizeof places);
    if (!vkd_groups_ok_(k, groups) || !vkd_bind_all_(k, args, count, l->bytes, places) ||
        !vkd_make_pipeline_(k, places))
        return false;
    l->pipeline = k->pipeline_;
    l->groups = groups;
    return true;
}

/* Records a launch; queries: VK_NULL_HANDLE, or where its times go. */
XE_FN_ void vkd_record_launch_(const vkd_kernel *k, VkCommandBuffer commands, VkQueryPool queries, uint32_t query,
                               const vkd_bound_launch_ *l)
{
    const vkd_functions_ *vk = k->device->vk_;
    vkd_groups g = l->groups;
    vkd_barrier_(k->device, commands);
    if (k->in_memory_) {
        uint64_t address = vkd_address_of_(k->device, l->memory);
        memcpy(l->memory, l->bytes, k->bytes_);
        vk->vkCmdPushConstants(commands, k->layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, &address);
    } else if (k->bytes_) {
        vk->vkCmdPushConstants(commands, k->layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, (k->bytes_ + 7) / 8 * 8, l->bytes);
    }
    vk->vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, l->pipeline);
    if (queries) vk->vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queries, query);
    vk->vkCmdDispatch(commands, g.count_x, g.count_y, g.count_z);
    if (queries) vk->vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queries, query + 1);
}
