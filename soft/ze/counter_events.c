/* counter_events.c - the API of counter-based events that are created without a pool. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "counter.h"

#define SCOPES (ZE_EVENT_SCOPE_FLAG_SUBDEVICE | ZE_EVENT_SCOPE_FLAG_DEVICE | ZE_EVENT_SCOPE_FLAG_HOST)

/* ---- creation */

struct sync_allocation {
    uint32_t stype;
    const void *next;
    _Atomic uint64_t *device, *host;
    uint64_t value;
};
struct aggregate_storage {
    uint32_t stype;
    const void *next;
    _Atomic uint64_t *device;
    uint64_t increment, value;
};
struct sync_mode {
    uint32_t stype;
    const void *next;
    uint32_t flags, interrupt;
};
enum { WAITS_FOR_INTERRUPT = 4 };

static ze_result_t read_allocation(const struct sync_allocation *d, struct soft_counter *c)
{
    if (c->at || !d->device)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "an event counts in one place, which has an address");
    *c = (struct soft_counter){d->device, d->host ? d->host : d->device, d->value, 0, true, NULL, 0};
    return ZE_RESULT_SUCCESS;
}

static ze_result_t read_storage(const struct aggregate_storage *d, struct soft_counter *c)
{
    struct soft_allocation allocation;
    if (c->at || !d->device || !d->increment || !soft_memory_find((const void *)d->device, &allocation))
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                         "an event counts in one place, in memory of the device, in steps of at least 1");
    *c = (struct soft_counter){d->device, d->device, d->value, d->increment, true, NULL, 0};
    return ZE_RESULT_SUCCESS;
}

static ze_result_t read_chain(const void *chain, struct soft_counter *c)
{
    for (const ze_base_desc_t *d = chain; d; d = d->pNext) {
        const void *any = d;
        switch ((uint32_t)d->stype) {
        case ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION_DESC:
        case SOFT_SYNC_ALLOCATION_EXP: SOFT_TRY(read_allocation(any, c)); break;
        case ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_AGGREGATE_STORAGE_DESC:
        case SOFT_AGGREGATE_STORAGE_EXP: SOFT_TRY(read_storage(any, c)); break;
        case ZE_STRUCTURE_TYPE_EVENT_SYNC_MODE_DESC:
        case SOFT_SYNC_MODE_EXP: /* otherwise hints */
            if (((const struct sync_mode *)any)->flags & WAITS_FOR_INTERRUPT)
                return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "there are no interrupts to wait for");
            break;
        default: SOFT_TRY(soft_check_link(d));
        }
    }
    return ZE_RESULT_SUCCESS;
}

static bool takes_counter(ze_event_handle_t event, struct soft_counter c)
{
    ze_event_handle_t moment = soft_event_new();
    if (!moment) return false;
    atomic_init(&moment->references, 1);
    event->moment = moment;
    moment->outside = malloc(sizeof c);
    if (moment->outside) *moment->outside = c;
    return moment->outside != NULL;
}

ze_result_t zeEventCounterBasedCreate(ze_context_handle_t context, ze_device_handle_t device,
                                      const ze_event_counter_based_desc_t *desc, ze_event_handle_t *event)
{
    const uint32_t clocks = SOFT_COUNTS_TIMED | SOFT_COUNTS_HOST_TIMED;
    struct soft_counter c = {0};
    ze_event_handle_t e;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(desc);
    SOFT_POINTER(event);
    SOFT_FLAGS(desc->flags, SOFT_COUNTS_ALL);
    SOFT_FLAGS(desc->signal, SCOPES);
    SOFT_FLAGS(desc->wait, SCOPES);
    if ((desc->flags & clocks) == clocks)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "timestamps of the device or of the host, not both");
    if (desc->flags & SOFT_COUNTS_IPC && desc->flags & clocks)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "an event for other processes has no timestamps");
    SOFT_TRY(read_chain(desc->pNext, &c));
    e = soft_event_new();
    if (!e) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    e->desc.signal = desc->signal;
    e->desc.wait = desc->wait;
    e->counts = desc->flags;
    if (!(e->counts & (SOFT_COUNTS_IMMEDIATE | SOFT_COUNTS_REGULAR))) e->counts |= SOFT_COUNTS_IMMEDIATE;
    if (c.increment) e->counts |= SOFT_COUNTS_TOTAL;
    e->timed = (desc->flags & clocks) != 0;
    if (c.at && !takes_counter(e, c)) {
        soft_event_forget(e);
        soft_event_free(e);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *event = e;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zexCounterBasedEventCreate2(ze_context_handle_t context, ze_device_handle_t device,
                                        const ze_event_counter_based_desc_t *desc, ze_event_handle_t *event)
{
    const ze_event_counter_based_desc_t usual = {
        .flags = SOFT_COUNTS_IMMEDIATE | SOFT_COUNTS_REGULAR | SOFT_COUNTS_HOST,
        .signal = ZE_EVENT_SCOPE_FLAG_HOST,
        .wait = ZE_EVENT_SCOPE_FLAG_DEVICE};
    return zeEventCounterBasedCreate(context, device, desc ? desc : &usual, event);
}

ze_result_t zexCounterBasedEventCreate(ze_context_handle_t context, ze_device_handle_t device,
                                       uint64_t *device_address, uint64_t *host_address, uint64_t value,
                                       const ze_event_desc_t *desc, ze_event_handle_t *event)
{
    struct sync_allocation where = {ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION_DESC, NULL,
                                    (_Atomic uint64_t *)device_address, (_Atomic uint64_t *)host_address, value};
    ze_event_counter_based_desc_t d = {.flags = SOFT_COUNTS_IMMEDIATE | SOFT_COUNTS_REGULAR};
    SOFT_POINTER(desc);
    d.signal = desc->signal;
    d.wait = desc->wait;
    where.next = desc->pNext;
    d.pNext = device_address && host_address ? &where : desc->pNext;
    return zeEventCounterBasedCreate(context, device, &d, event);
}

/* ---- queries */

ze_result_t zeEventGetCounterBasedFlags(ze_event_handle_t event, uint32_t *flags)
{
    SOFT_HANDLE(event, SOFT_EVENT);
    SOFT_POINTER(flags);
    *flags = event->counts & SOFT_COUNTS_ALL;
    return ZE_RESULT_SUCCESS;
}

/* What is returned is valid while the event refers to that command. */
ze_result_t zeEventCounterBasedGetDeviceAddress(ze_event_handle_t event, uint64_t *value, uint64_t *address)
{
    ze_event_handle_t now;
    SOFT_HANDLE(event, SOFT_EVENT);
    SOFT_POINTER(value);
    SOFT_POINTER(address);
    now = event->counts ? soft_event_now(event) : NULL;
    if (!now) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no command sets that event, or it does not count");
    pthread_mutex_lock(&now->signal.lock);
    *value = now->outside ? now->outside->value : 1;
    *address = (uint64_t)(uintptr_t)(now->outside ? now->outside->at : &now->counter);
    pthread_mutex_unlock(&now->signal.lock);
    soft_event_release(now);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetCounterBasedEventMaxValue(ze_device_handle_t device, uint64_t *value)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(value);
    *value = UINT64_MAX;
    return ZE_RESULT_SUCCESS;
}

/* Each command is one operation, also a copy. */
ze_result_t zeDeviceGetAggregatedCopyOffloadIncrementValue(ze_device_handle_t device, uint32_t *value)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(value);
    *value = 1;
    return ZE_RESULT_SUCCESS;
}

/* ---- other processes */

/* The event's lock is held. */
static ze_result_t share(ze_event_handle_t e)
{
    ze_event_handle_t moment = e->moment;
    if (e->board) return ZE_RESULT_SUCCESS;
    if (moment && moment->outside)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "an event in the program's memory is not shared");
    e->board = soft_board_new(e);
    if (!e->board) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (!moment) return ZE_RESULT_SUCCESS;
    pthread_mutex_lock(&moment->signal.lock);
    bool published = soft_board_publish(e->board, moment);
    if (published && moment->set) soft_counter_advance(moment, moment->result);
    pthread_mutex_unlock(&moment->signal.lock);
    return published ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

ze_result_t zeEventCounterBasedGetIpcHandle(ze_event_handle_t event, ze_ipc_event_counter_based_handle_t *handle)
{
    struct soft_ipc ipc = {0};
    ze_result_t result;
    SOFT_HANDLE(event, SOFT_EVENT);
    SOFT_POINTER(handle);
    if (!(event->counts & SOFT_COUNTS_IPC))
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "not a counter-based event for other processes");
    pthread_mutex_lock(&event->signal.lock);
    result = share(event);
    pthread_mutex_unlock(&event->signal.lock);
    SOFT_TRY(result);
    if (!soft_board_describe(event->board, &ipc)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &ipc, sizeof ipc);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventCounterBasedOpenIpcHandle(ze_context_handle_t context, ze_ipc_event_counter_based_handle_t handle,
                                             ze_event_handle_t *event)
{
    struct soft_ipc ipc;
    ze_event_handle_t e;
    int file;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(event);
    memcpy(&ipc, &handle, sizeof ipc);
    SOFT_TRY(soft_ipc_open(&ipc, SOFT_IPC_COUNTER, &file));
    e = soft_event_new();
    if (e) e->board = soft_board_open(&ipc, file, e);
    if (!e || !e->board) {
        if (e) soft_event_free(e);
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the handle is not that of a counter-based event");
    }
    e->opened = true;
    *event = e;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventCounterBasedCloseIpcHandle(ze_event_handle_t event)
{
    SOFT_HANDLE(event, SOFT_EVENT);
    if (!event->opened) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event was not opened from a handle");
    return zeEventDestroy(event);
}
