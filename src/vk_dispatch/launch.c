/* launch.c - launches. */
#include "internal.h"

/* Can the kernel be appended to the batch? */
static bool vkd_batch_takes_(const vkd_batch *b, const vkd_kernel *k, const char *file, int line)
{
    if (!b || !b->device) return vkd_fail_(k->device, VKD_BATCH_STATE, "kernel %s: the batch is not begun", k->name);
    if (!vkd_batch_is_(b, VKD_BATCH_OPEN_, "vkd_batch_launch", file, line)) return false;
    return b->device->device == k->device->device ||
           vkd_fail_(k->device, VKD_OTHER_DEVICE, "kernel %s is of \"%s\" (%p), the batch of \"%s\" (%p)", k->name,
                     k->device->name, (void *)k->device, b->device->name, (void *)b->device);
}

/* Records the launch in commands of its own and starts them. */
static bool vkd_start_(vkd_kernel *k, bool timed, vkd_bound_launch_ *l)
{
    vkd_device *d = k->device;
    if (k->in_memory_ && !(l->memory = vkd_loan_(d, k->bytes_))) return false;
    VkCommandBuffer commands = vkd_begin_commands_(d, false);
    if (!commands) return false;
    if (timed) d->vk_->vkCmdResetQueryPool(commands, d->queries, 0, 2);
    vkd_record_launch_(k, commands, timed ? d->queries : VK_NULL_HANDLE, 0, l);
    vkd_barrier_(d, commands);
    return vkd_start_commands_(d, commands);
}

bool vkd_launch_(vkd_kernel *k, vkd_batch *b, int how, double *ns, const char *file, int line, vkd_groups groups,
                 const vkd_arg *args, uint32_t count)
{
    vkd_bound_launch_ launch;
    if (!vkd_kernel_usable_(k, file, line)) return false;
    vkd_device *d = k->device;
    if (how == VKD_RUN_BATCH_ && !vkd_batch_takes_(b, k, file, line)) return false;
    if (!vkd_launch_ok_(k, groups, args, count, &launch)) return false;
    if (how == VKD_RUN_BATCH_) {
        if (!vkd_step_launch_(b->recording_, k, &launch)) return false;
        b->launches++;
        return true;
    }
    if (!vkd_start_(k, ns != NULL, &launch)) return false;
    if (how == VKD_RUN_START_) return true;
    return vkd_await_all_(d) && (!ns || vkd_read_time_(d, d->queries, 0, ns));
}

double vkd_launch_timed_(vkd_kernel *k, const char *file, int line, vkd_groups groups, const vkd_arg *args,
                         uint32_t count)
{
    double ns = 0;
    return vkd_launch_(k, NULL, VKD_RUN_WAIT_, &ns, file, line, groups, args, count) ? ns : -1.0;
}
