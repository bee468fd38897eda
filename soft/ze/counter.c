/* counter.c - counter-based events that are created without a pool. */
#define _GNU_SOURCE
#include "ze_soft.h"

#if SOFT_API(17)

#define SCOPES (ZE_EVENT_SCOPE_FLAG_SUBDEVICE | ZE_EVENT_SCOPE_FLAG_DEVICE | ZE_EVENT_SCOPE_FLAG_HOST)

ze_result_t zeEventCounterBasedCreate(ze_context_handle_t context, ze_device_handle_t device,
                                      const ze_event_counter_based_desc_t *desc, ze_event_handle_t *event)
{
    const uint32_t clocks = SOFT_COUNTS_TIMED | SOFT_COUNTS_HOST_TIMED;
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
    if (desc->flags & SOFT_COUNTS_IPC)
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "counter-based events are not for other processes");
    SOFT_TRY(soft_check_chain(desc->pNext));
    e = soft_event_new();
    if (!e) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    e->desc.signal = desc->signal;
    e->desc.wait = desc->wait;
    e->counts = desc->flags;
    if (!(e->counts & (SOFT_COUNTS_IMMEDIATE | SOFT_COUNTS_REGULAR))) e->counts |= SOFT_COUNTS_IMMEDIATE;
    e->timed = (desc->flags & clocks) != 0;
    *event = e;
    return ZE_RESULT_SUCCESS;
}

SOFT_GETTER(zeEventGetCounterBasedFlags, ze_event_handle_t, SOFT_EVENT, ze_event_counter_based_flags_t, handle->counts)

ze_result_t zeEventCounterBasedGetDeviceAddress(ze_event_handle_t event, uint64_t *value, uint64_t *address)
{
    ze_event_handle_t now;
    SOFT_HANDLE(event, SOFT_EVENT);
    SOFT_POINTER(value);
    SOFT_POINTER(address);
    now = event->counts ? soft_event_now(event) : NULL;
    if (!now) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no command sets that event, or it does not count");
    *value = 1;
    *address = (uint64_t)(uintptr_t)&now->counter; /* valid while the event refers to that command */
    soft_event_release(now);
    return ZE_RESULT_SUCCESS;
}

#else
typedef int soft_counter_is_empty; /* ISO C does not allow empty files */
#endif
