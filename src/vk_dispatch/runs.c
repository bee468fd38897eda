/* runs.c - written by join.sh from ze_dispatch/runs.c. */
#include "internal.h"

bool vkd_batch_begin_(vkd_batch *b, vkd_device *d, bool timed)
{
    if (!b) return vkd_usable_(d) && vkd_fail_(d, VKD_NULL_POINTER, "vkd_batch_begin: the batch is NULL");
    memset(b, 0, sizeof *b);
    b->device = d;
    if (!vkd_usable_(d)) return false;
    b->recording_ = vkd_recording_make_(d);
    if (!b->recording_) return false;
    b->recording_->timed = timed;
    b->state_ = VKD_BATCH_OPEN_;
    return true;
}

bool vkd_batch_signal_(vkd_batch *b, vkd_event *e, const char *file, int line)
{
    return vkd_batch_event_(b, e, VKD_STEP_SIGNAL_, "vkd_batch_signal", file, line);
}

bool vkd_batch_follow_(vkd_batch *b, vkd_event *e, const char *file, int line)
{
    return vkd_batch_event_(b, e, VKD_STEP_FOLLOW_, "vkd_batch_follow", file, line);
}

bool vkd_batch_start_(vkd_batch *b, const char *file, int line)
{
    bool open = b && b->state_ == VKD_BATCH_OPEN_;
    if (!vkd_batch_is_(b, open ? VKD_BATCH_OPEN_ : VKD_BATCH_CLOSED_, "vkd_batch_start", file, line)) return false;
    if (open && !vkd_record_(b->recording_)) return false;
    b->state_ = VKD_BATCH_CLOSED_;
    return vkd_batch_execute_(b);
}

bool vkd_batch_end_(vkd_batch *b, const char *file, int line)
{
    return vkd_batch_is_(b, VKD_BATCH_OPEN_, "vkd_batch_end", file, line) && vkd_batch_start_(b, file, line) &&
           vkd_batch_finish_(b);
}

bool vkd_batch_run_(vkd_batch *b, const char *file, int line)
{
    return vkd_batch_is_(b, VKD_BATCH_CLOSED_, "vkd_batch_run", file, line) && vkd_batch_execute_(b) &&
           vkd_batch_finish_(b);
}

bool vkd_batch_wait_(vkd_batch *b, const char *file, int line)
{
    return vkd_batch_is_(b, VKD_BATCH_CLOSED_, "vkd_batch_wait", file, line) && vkd_batch_finish_(b);
}
