/* steps.c - the state of a batch, and the list of its steps. */
#include "internal.h"

/* Is the batch in this state, and its device usable? */
XE_FN_ bool zed_batch_is_(const zed_batch *b, int state, const char *call, const char *file, int line)
{
    static const char *const names[] = {"not begun", "being recorded", "ended"};
    if (!b || !b->device) return zed_fail_alone_(ZED_BATCH_STATE, call, file, line);
    if (!zed_usable_(zed_at_(b->device, file, line))) return false;
    if (b->state_ == state) return true;
    return zed_fail_(b->device, ZED_BATCH_STATE, "%s of a batch that is %s, not %s", call, names[b->state_],
                     names[state]);
}

/* A list with room for one more: doubled if it is full. NULL if out of memory; the list remains then. */
XE_FN_ void *zed_grow_(zed_device *d, void *list, size_t count, size_t *room, size_t size)
{
    size_t more = *room ? 2 * *room : 8;
    if (count < *room) return list;
    list = realloc(list, more * size);
    if (list) *room = more;
    else zed_fail_(d, ZED_OUT_OF_MEMORY, "no room for %zu steps of a batch", more);
    return list;
}

/* The i-th launch among the steps; NULL if there are fewer. */
XE_FN_ zed_step_ *zed_launch_of_(zed_recording_ *r, int i)
{
    size_t first = 0, end = r->count; /* the last step with at most i launches before it is the launch */
    if (i < 0 || i >= r->launches) return NULL;
    while (end - first > 1) {
        size_t middle = first + (end - first) / 2;
        if (r->steps[middle].launches <= i) first = middle;
        else end = middle;
    }
    return &r->steps[first];
}
