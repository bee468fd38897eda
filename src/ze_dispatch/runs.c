/* runs.c - a batch from its beginning to its runs. */
#include "internal.h"

bool zed_batch_begin_(zed_batch *b, zed_device *d, bool timed)
{
    if (!b) return zed_usable_(d) && zed_fail_(d, ZED_NULL_POINTER, "zed_batch_begin: the batch is NULL");
    memset(b, 0, sizeof *b);
    b->device = d;
    if (!zed_usable_(d)) return false;
    b->recording_ = zed_recording_make_(d);
    if (!b->recording_) return false;
    b->recording_->timed = timed;
    b->state_ = ZED_BATCH_OPEN_;
    return true;
}

bool zed_batch_signal_(zed_batch *b, zed_event *e, const char *file, int line)
{
    return zed_batch_event_(b, e, ZED_STEP_SIGNAL_, "zed_batch_signal", file, line);
}

bool zed_batch_follow_(zed_batch *b, zed_event *e, const char *file, int line)
{
    return zed_batch_event_(b, e, ZED_STEP_FOLLOW_, "zed_batch_follow", file, line);
}

bool zed_batch_start_(zed_batch *b, const char *file, int line)
{
    bool open = b && b->state_ == ZED_BATCH_OPEN_;
    if (!zed_batch_is_(b, open ? ZED_BATCH_OPEN_ : ZED_BATCH_CLOSED_, "zed_batch_start", file, line)) return false;
    if (open && !zed_record_(b->recording_)) return false;
    b->state_ = ZED_BATCH_CLOSED_;
    return zed_batch_execute_(b);
}

bool zed_batch_end_(zed_batch *b, const char *file, int line)
{
    return zed_batch_is_(b, ZED_BATCH_OPEN_, "zed_batch_end", file, line) && zed_batch_start_(b, file, line) &&
           zed_batch_finish_(b);
}

bool zed_batch_run_(zed_batch *b, const char *file, int line)
{
    return zed_batch_is_(b, ZED_BATCH_CLOSED_, "zed_batch_run", file, line) && zed_batch_execute_(b) &&
           zed_batch_finish_(b);
}

bool zed_batch_wait_(zed_batch *b, const char *file, int line)
{
    return zed_batch_is_(b, ZED_BATCH_CLOSED_, "zed_batch_wait", file, line) && zed_batch_finish_(b);
}
