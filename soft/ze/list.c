/* list.c - command lists: creation, destruction, and all appends except kernel launches. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "ze_soft.h"

static ze_result_t record(ze_command_list_handle_t list, struct soft_command *c)
{
    ze_result_t result = soft_capture_add(list, c);
    if (result != ZE_RESULT_SUCCESS) soft_command_free(c);
    return result;
}

ze_result_t soft_command_add(ze_command_list_handle_t list, struct soft_command *c)
{
    if (list->immediate && c->recorded) return record(list, c);
    if (list->immediate) return soft_queue_submit(&list->queue, c, 0, NULL, NULL);
    *list->recorded->last = c;
    list->recorded->last = &c->next;
    c->id = list->next_id;
    list->next_id = 0;
    if (c->signal) list->signals = true;
    return ZE_RESULT_SUCCESS;
}

/* ---- life */

static ze_result_t list_new(ze_context_handle_t context, ze_device_handle_t device, ze_command_list_handle_t *list)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(list);
    *list = calloc(1, sizeof **list);
    if (*list) (*list)->recorded = soft_recorded_new();
    if (!*list || !(*list)->recorded) {
        free(*list);
        *list = NULL;
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    (*list)->tag = SOFT_LIST;
    (*list)->context = context;
    (*list)->device = device;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListCreate(ze_context_handle_t context, ze_device_handle_t device,
                                const ze_command_list_desc_t *desc, ze_command_list_handle_t *list)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(desc);
    SOFT_FLAGS(desc->flags, SOFT_LIST_FLAGS);
    SOFT_TRY(soft_check_chain(desc->pNext));
    if (desc->commandQueueGroupOrdinal >= SOFT_GROUPS)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "queue group %u of %d", desc->commandQueueGroupOrdinal,
                         SOFT_GROUPS);
    SOFT_TRY(list_new(context, device, list));
    (*list)->desc = *desc;
    for (const ze_base_desc_t *d = desc->pNext; d; d = d->pNext)
        if (d->stype == ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC) (*list)->can_change = true;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListCreateImmediate(ze_context_handle_t context, ze_device_handle_t device,
                                         const ze_command_queue_desc_t *desc, ze_command_list_handle_t *list)
{
    ze_result_t result;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_TRY(soft_queue_check_desc(desc));
    SOFT_TRY(list_new(context, device, list));
    (*list)->immediate = true;
    (*list)->desc.commandQueueGroupOrdinal = desc->ordinal;
    result = soft_queue_init(&(*list)->queue, device, desc);
    if (result == ZE_RESULT_SUCCESS) return result;
    soft_recorded_release((*list)->recorded);
    free(*list);
    *list = NULL;
    return result;
}

ze_result_t zeCommandListDestroy(ze_command_list_handle_t list)
{
    SOFT_HANDLE(list, SOFT_LIST);
    soft_graph_lose(list);
    if (list->immediate) soft_queue_free(&list->queue);
    soft_recorded_release(list->recorded);
    soft_callbacks_run(list->callbacks);
    list->tag = SOFT_DEAD;
    free(list);
    return ZE_RESULT_SUCCESS;
}

/* Immediate lists need not be closed or reset, but it is allowed. */
ze_result_t zeCommandListClose(ze_command_list_handle_t list)
{
    SOFT_HANDLE(list, SOFT_LIST);
    for (const struct soft_command *c = list->can_change ? list->recorded->first : NULL; c; c = c->next)
        if (c->kind == SOFT_CMD_LAUNCH && c->u.launch.kernel) SOFT_TRY(soft_check_arguments(c->u.launch.kernel));
    list->closed = true;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListReset(ze_command_list_handle_t list)
{
    struct soft_recorded *empty;
    SOFT_HANDLE(list, SOFT_LIST);
    empty = soft_recorded_new();
    if (!empty) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    soft_recorded_release(list->recorded);
    list->recorded = empty;
    list->closed = list->signals = false;
    list->next_id = 0;
    return ZE_RESULT_SUCCESS;
}

/* ---- synchronisation */

static ze_result_t append_nothing(ze_command_list_handle_t list, ze_event_handle_t signal, uint32_t wait_count,
                                  ze_event_handle_t *waits)
{
    ze_result_t result;
    struct soft_command *c = soft_command_new(list, SOFT_CMD_NOTHING, 0, signal, wait_count, waits, &result);
    return c ? soft_command_add(list, c) : result;
}

ze_result_t zeCommandListAppendBarrier(ze_command_list_handle_t list, ze_event_handle_t signal, uint32_t wait_count,
                                       ze_event_handle_t *waits)
{
    return append_nothing(list, signal, wait_count, waits); /* commands run in order in any case */
}

ze_result_t zeCommandListAppendMemoryRangesBarrier(ze_command_list_handle_t list, uint32_t count, const size_t *sizes,
                                                   const void **ranges, ze_event_handle_t signal, uint32_t wait_count,
                                                   ze_event_handle_t *waits)
{
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(sizes);
    SOFT_POINTER(ranges);
    (void)count;
    return append_nothing(list, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendSignalEvent(ze_command_list_handle_t list, ze_event_handle_t event)
{
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_HANDLE(event, SOFT_EVENT);
    return append_nothing(list, event, 0, NULL);
}

ze_result_t zeCommandListAppendWaitOnEvents(ze_command_list_handle_t list, uint32_t count, ze_event_handle_t *events)
{
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(events);
    return append_nothing(list, NULL, count, events);
}

ze_result_t zeCommandListAppendEventReset(ze_command_list_handle_t list, ze_event_handle_t event)
{
    ze_result_t result;
    struct soft_command *c;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_TRY(soft_event_check_plain(event, "reset"));
    c = soft_command_new(list, SOFT_CMD_RESET_EVENT, 0, NULL, 0, NULL, &result);
    if (!c) return result;
    c->u.reset.event = event;
    return soft_command_add(list, c);
}

ze_result_t zeCommandListAppendWriteGlobalTimestamp(ze_command_list_handle_t list, uint64_t *to,
                                                    ze_event_handle_t signal, uint32_t wait_count,
                                                    ze_event_handle_t *waits)
{
    ze_result_t result;
    struct soft_command *c;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(to);
    c = soft_command_new(list, SOFT_CMD_TIMESTAMP, 0, signal, wait_count, waits, &result);
    if (!c) return result;
    c->u.timestamp.to = to;
    return soft_command_add(list, c);
}

ze_result_t zeCommandListAppendQueryKernelTimestamps(ze_command_list_handle_t list, uint32_t count,
                                                     ze_event_handle_t *events, void *to, const size_t *offsets,
                                                     ze_event_handle_t signal, uint32_t wait_count,
                                                     ze_event_handle_t *waits)
{
    size_t events_bytes = count * sizeof *events, offsets_bytes = offsets ? count * sizeof *offsets : 0;
    ze_result_t result;
    struct soft_command *c;
    uint32_t i;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(events);
    SOFT_POINTER(to);
    for (i = 0; i < count; i++) SOFT_HANDLE(events[i], SOFT_EVENT);
    c = soft_command_new(list, SOFT_CMD_QUERY_TIMESTAMPS, events_bytes + offsets_bytes, signal, wait_count, waits,
                         &result);
    if (!c) return result;
    memcpy(c->payload, events, events_bytes);
    if (offsets) memcpy(c->payload + events_bytes, offsets, offsets_bytes);
    c->u.query.to = to;
    c->u.query.count = count;
    c->u.query.offsets = offsets != NULL;
    return soft_command_add(list, c);
}

/* ---- memory */

static ze_result_t check_range(const void *pointer, size_t size)
{
    if (soft_range_fits(pointer, size)) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_INVALID_SIZE, "%zu bytes at %p exceed their allocation", size, pointer);
}

ze_result_t zeCommandListAppendMemoryCopy(ze_command_list_handle_t list, void *to, const void *from, size_t size,
                                          ze_event_handle_t signal, uint32_t wait_count, ze_event_handle_t *waits)
{
    ze_result_t result;
    struct soft_command *c;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(to);
    SOFT_POINTER(from);
    SOFT_TRY(check_range(to, size));
    SOFT_TRY(check_range(from, size));
    c = soft_command_new(list, SOFT_CMD_COPY, 0, signal, wait_count, waits, &result);
    if (!c) return result;
    c->u.copy.to = to;
    c->u.copy.from = from;
    c->u.copy.size = size;
    return soft_command_add(list, c);
}

ze_result_t zeCommandListAppendMemoryCopyFromContext(ze_command_list_handle_t list, void *to,
                                                     ze_context_handle_t context_from, const void *from, size_t size,
                                                     ze_event_handle_t signal, uint32_t wait_count,
                                                     ze_event_handle_t *waits)
{
    SOFT_HANDLE(list, SOFT_LIST);
    if (context_from) SOFT_HANDLE(context_from, SOFT_CONTEXT);
    return zeCommandListAppendMemoryCopy(list, to, from, size, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendMemoryFill(ze_command_list_handle_t list, void *to, const void *pattern,
                                          size_t pattern_size, size_t size, ze_event_handle_t signal,
                                          uint32_t wait_count, ze_event_handle_t *waits)
{
    ze_result_t result;
    struct soft_command *c;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(to);
    SOFT_POINTER(pattern);
    if (!pattern_size || pattern_size & (pattern_size - 1))
        return soft_fail(ZE_RESULT_ERROR_INVALID_SIZE, "pattern of %zu bytes: not a power of two", pattern_size);
    if (size % pattern_size)
        return soft_fail(ZE_RESULT_ERROR_INVALID_SIZE, "%zu bytes are not a whole number of patterns of %zu", size,
                         pattern_size);
    SOFT_TRY(check_range(to, size));
    c = soft_command_new(list, SOFT_CMD_FILL, pattern_size, signal, wait_count, waits, &result);
    if (!c) return result;
    memcpy(c->payload, pattern, pattern_size);
    c->u.fill.to = to;
    c->u.fill.size = size;
    c->u.fill.pattern_size = pattern_size;
    return soft_command_add(list, c);
}

/* Pitches of zero mean packed. */
static struct soft_box box(const ze_copy_region_t *region, uint32_t pitch, uint32_t slice)
{
    struct soft_box b = {*region, pitch, slice};
    if (!b.region.height) b.region.height = 1;
    if (!b.region.depth) b.region.depth = 1;
    if (!b.pitch) b.pitch = (size_t)b.region.originX + b.region.width;
    if (!b.slice) b.slice = b.pitch * ((size_t)b.region.originY + b.region.height);
    return b;
}

/* Bytes from the base pointer to the end of the box. */
static size_t box_end(const struct soft_box *b)
{
    const ze_copy_region_t *r = &b->region;
    return ((size_t)r->originZ + r->depth - 1) * b->slice + ((size_t)r->originY + r->height - 1) * b->pitch +
           r->originX + r->width;
}

static bool spans_meet(uint32_t a, uint32_t b, uint32_t size)
{
    return (uint64_t)a < (uint64_t)b + size && (uint64_t)b < (uint64_t)a + size;
}

/* Decides only if both boxes are in the same surface; otherwise rows are copied with memmove. */
static bool boxes_overlap(const void *to, const struct soft_box *a, const void *from, const struct soft_box *b)
{
    bool flat = a->region.depth == 1 && !a->region.originZ && !b->region.originZ;
    return to == from && a->pitch == b->pitch && (flat || a->slice == b->slice) &&
           spans_meet(a->region.originX, b->region.originX, a->region.width) &&
           spans_meet(a->region.originY, b->region.originY, a->region.height) &&
           spans_meet(a->region.originZ, b->region.originZ, a->region.depth);
}

ze_result_t soft_append_box_copy(ze_command_list_handle_t list, void *to, const struct soft_box *to_box,
                                 const void *from, const struct soft_box *from_box, ze_event_handle_t signal,
                                 uint32_t wait_count, ze_event_handle_t *waits)
{
    const ze_copy_region_t *a = &to_box->region, *b = &from_box->region;
    ze_result_t result;
    struct soft_command *c;
    if (a->width != b->width || a->height != b->height || a->depth != b->depth)
        return soft_fail(ZE_RESULT_ERROR_INVALID_SIZE, "source and destination regions differ in size");
    if (!a->width) return append_nothing(list, signal, wait_count, waits);
    SOFT_TRY(check_range(to, box_end(to_box)));
    SOFT_TRY(check_range(from, box_end(from_box)));
    if (boxes_overlap(to, to_box, from, from_box)) return ZE_RESULT_ERROR_OVERLAPPING_REGIONS;
    c = soft_command_new(list, SOFT_CMD_COPY_REGION, 0, signal, wait_count, waits, &result);
    if (!c) return result;
    c->u.region.to = to;
    c->u.region.from = from;
    c->u.region.to_box = *to_box;
    c->u.region.from_box = *from_box;
    return soft_command_add(list, c);
}

ze_result_t zeCommandListAppendMemoryCopyRegion(ze_command_list_handle_t list, void *to,
                                                const ze_copy_region_t *to_region, uint32_t to_pitch, uint32_t to_slice,
                                                const void *from, const ze_copy_region_t *from_region,
                                                uint32_t from_pitch, uint32_t from_slice, ze_event_handle_t signal,
                                                uint32_t wait_count, ze_event_handle_t *waits)
{
    struct soft_box a, b;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(to);
    SOFT_POINTER(to_region);
    SOFT_POINTER(from);
    SOFT_POINTER(from_region);
    a = box(to_region, to_pitch, to_slice);
    b = box(from_region, from_pitch, from_slice);
    return soft_append_box_copy(list, to, &a, from, &b, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendMemoryPrefetch(ze_command_list_handle_t list, const void *pointer, size_t size)
{
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(pointer);
    SOFT_TRY(check_range(pointer, size));
    return append_nothing(list, NULL, 0, NULL);
}

ze_result_t zeCommandListAppendMemAdvise(ze_command_list_handle_t list, ze_device_handle_t device, const void *pointer,
                                         size_t size, ze_memory_advice_t advice)
{
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(pointer);
    if ((uint32_t)advice > SOFT_LAST_ADVICE) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    SOFT_TRY(check_range(pointer, size));
    return append_nothing(list, NULL, 0, NULL);
}

/* ---- queries of newer programs */

ze_result_t zeCommandListHostSynchronize(ze_command_list_handle_t list, uint64_t timeout)
{
    SOFT_HANDLE(list, SOFT_LIST);
    if (!list->immediate)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only an immediate list can be waited for");
    SOFT_TRY(soft_capture_refuse(list, 0, NULL));
    return soft_queue_synchronize(&list->queue, timeout);
}

SOFT_GETTER(zeCommandListGetDeviceHandle, ze_command_list_handle_t, SOFT_LIST, ze_device_handle_t, handle->device)
SOFT_GETTER(zeCommandListGetContextHandle, ze_command_list_handle_t, SOFT_LIST, ze_context_handle_t, handle->context)
SOFT_GETTER(zeCommandListGetOrdinal, ze_command_list_handle_t, SOFT_LIST, uint32_t,
            handle->desc.commandQueueGroupOrdinal)

ze_result_t zeCommandListImmediateGetIndex(ze_command_list_handle_t list, uint32_t *index)
{
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(index);
    if (!list->immediate) return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
    *index = list->queue.desc.index;
    return ZE_RESULT_SUCCESS;
}

SOFT_GETTER(zeCommandListIsImmediate, ze_command_list_handle_t, SOFT_LIST, ze_bool_t, handle->immediate)

ze_result_t zeCommandListImmediateAppendCommandListsExp(ze_command_list_handle_t list, uint32_t count,
                                                        ze_command_list_handle_t *lists, ze_event_handle_t signal,
                                                        uint32_t wait_count, ze_event_handle_t *waits)
{
    uint32_t i;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(lists);
    if (!list->immediate) return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
    for (i = 0; i < count; i++) {
        SOFT_HANDLE(lists[i], SOFT_LIST);
        if (lists[i]->immediate) return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
        if (!lists[i]->closed) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "list %u is not closed", i);
    }
    SOFT_TRY(soft_check_events(list, signal, wait_count, waits));
    SOFT_TRY(soft_capture_refuse(list, wait_count, waits));
    if (wait_count) SOFT_TRY(append_nothing(list, NULL, wait_count, waits));
    SOFT_TRY(soft_queue_submit(&list->queue, NULL, count, lists, NULL));
    return signal ? append_nothing(list, signal, 0, NULL) : ZE_RESULT_SUCCESS;
}
