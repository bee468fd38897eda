/* batches.c - several launches in one command list. */
#include "internal.h"

bool zed_batch_begin_(zed_batch *b, zed_device *d)
{
    ze_command_list_desc_t l;
    ze_command_queue_desc_t q;
    if (!b) return d ? zed_usable_(d) && zed_fail_(d, ZED_NULL_POINTER, "zed_batch_begin: the batch is NULL") : false;
    memset(b, 0, sizeof *b);
    b->device = d;
    if (!zed_usable_(d)) return false;
    ZED_CLEAR_(l, COMMAND_LIST_DESC);
    l.commandQueueGroupOrdinal = d->ordinal_;
    ZED_CLEAR_(q, COMMAND_QUEUE_DESC);
    q.ordinal = d->ordinal_;
    q.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    if (!d->queue && !ZED_CALL_(d, zeCommandQueueCreate, (d->context, d->device, &q, &d->queue))) {
        d->queue = NULL;
        return false;
    }
    if (!ZED_CALL_(d, zeCommandListCreate, (d->context, d->device, &l, &b->list)) ||
        !zed_keep_(d, ZED_RES_LIST_, b->list, 0)) {
        b->list = NULL;
        return false;
    }
    b->state_ = ZED_BATCH_OPEN_;
    return true;
}

bool zed_batch_copy_(zed_batch *b, void *dst, const void *src, size_t bytes, const char *file, int line)
{
    if (!zed_batch_is_(b, ZED_BATCH_OPEN_, "zed_batch_copy", file, line)) return false;
    zed_device *d = b->device;
    if (!bytes) return true;
    if (!zed_in_range_(d, "destination of a copy", dst, bytes) || !zed_in_range_(d, "source of a copy", src, bytes))
        return false;
    if (b->launches++ && !ZED_CALL_(d, zeCommandListAppendBarrier, (b->list, NULL, 0, NULL))) return false;
    return zed_check_(d, zeCommandListAppendMemoryCopy(b->list, dst, src, bytes, NULL, 0, NULL),
                      "zeCommandListAppendMemoryCopy", "(%zu bytes)", bytes);
}

static bool zed_batch_execute_(zed_batch *b)
{
    zed_device *d = b->device;
    return zed_wait_(d) &&
           zed_check_(d, zeCommandQueueExecuteCommandLists(d->queue, 1, &b->list, NULL),
                      "zeCommandQueueExecuteCommandLists", "of %d launches", b->launches) &&
           zed_check_(d, zeCommandQueueSynchronize(d->queue, UINT64_MAX), "zeCommandQueueSynchronize",
                      "after %d launches", b->launches);
}

bool zed_batch_end_(zed_batch *b, const char *file, int line)
{
    if (!zed_batch_is_(b, ZED_BATCH_OPEN_, "zed_batch_end", file, line)) return false;
    if (!ZED_CALL_(b->device, zeCommandListClose, (b->list))) return false;
    b->state_ = ZED_BATCH_CLOSED_;
    return zed_batch_execute_(b);
}

bool zed_batch_run_(zed_batch *b, const char *file, int line)
{
    return zed_batch_is_(b, ZED_BATCH_CLOSED_, "zed_batch_run", file, line) && zed_batch_execute_(b);
}

bool zed_batch_free_(zed_batch *b, const char *file, int line)
{
    bool ok = b && zed_release_(b->device, ZED_RES_LIST_, b->list, file, line);
    if (!b) return false;
    b->list = NULL;
    b->state_ = ZED_BATCH_NONE_;
    return ok;
}
