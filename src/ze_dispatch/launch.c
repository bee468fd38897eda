/* launch.c - launches. */
#include "internal.h"

/* Can the kernel be appended to the batch? */
static bool zed_batch_takes_(zed_batch *b, const zed_kernel *k, const char *file, int line)
{
    zed_device *d = k->device;
    if (!b || !b->device) return zed_fail_(d, ZED_BATCH_STATE, "kernel %s: the batch is not begun", k->name);
    if (!zed_batch_is_(b, ZED_BATCH_OPEN_, "zed_batch_launch", file, line)) return false;
    if (b->device->context == d->context) return true;
    return zed_fail_(d, ZED_OTHER_DEVICE, "kernel %s is of \"%s\" (%p), the batch of \"%s\" (%p)", k->name, d->name,
                     (void *)d, b->device->name, (void *)b->device);
}

bool zed_launch_(zed_kernel *k, zed_batch *b, int how, double *ns, const char *file, int line, zed_groups groups,
                 const zed_arg *args, uint32_t count)
{
    if (!zed_kernel_usable_(k, file, line)) return false;
    zed_device *d = k->device;
    zed_bound_ bound[ZED_MAX_ARGS];
    if (how == ZED_RUN_BATCH_ && !zed_batch_takes_(b, k, file, line)) return false;
    if (!zed_launch_ok_(k, groups, args, count, bound)) return false;
    if (how == ZED_RUN_BATCH_) {
        zed_at_(b->device, file, line);
        if (!zed_step_launch_(b->recording_, k, groups, bound)) return false;
        b->launches++;
        return true;
    }
    if (!zed_set_arguments_(k, bound)) return false;
    if (how == ZED_RUN_START_) {
        bool after = d->pending_;
        if (!zed_follow_batches_(d)) return false;
        d->pending_ = true;
        return zed_append_(k, d->list, after, NULL, groups);
    }
    return zed_await_all_(d) && zed_append_(k, d->list, false, d->event, groups) && zed_await_event_(d, k->name, ns);
}

double zed_launch_timed_(zed_kernel *k, const char *file, int line, zed_groups groups, const zed_arg *args,
                         uint32_t count)
{
    double ns = 0;
    return zed_launch_(k, NULL, ZED_RUN_WAIT_, &ns, file, line, groups, args, count) ? ns : -1.0;
}
