/* wait.c - waiting for events and fences on the host, and their queries; what else waits for submitted work. */
#include <stdlib.h>

#include "graph.h"

/* Before waiting for `set`, which that queue sets: unlimited waits run what precedes it. */
static void press(uint64_t queue, struct soft_signal *signal, const bool *set, uint64_t timeout)
{
    if (!queue || soft_signal_is(signal, set)) return;
    if (timeout == UINT64_MAX)
        soft_queue_help(queue, signal, set);
    else
        soft_queue_hurry(queue);
}

static void free_event(struct soft_gone *g) { soft_event_free(SOFT_OF_GONE(_ze_event_handle_t, g)); }

ze_result_t zeEventDestroy(ze_event_handle_t event)
{
    SOFT_HANDLE(event, SOFT_EVENT);
    soft_capture_forget(event);
    soft_event_forget(event);
    soft_queues_keep(&event->gone, free_event);
    return ZE_RESULT_SUCCESS;
}

static void free_fence(struct soft_gone *g)
{
    ze_fence_handle_t fence = SOFT_OF_GONE(_ze_fence_handle_t, g);
    pthread_mutex_lock(&fence->signal.lock); /* the thread that set it may still be returning */
    pthread_mutex_unlock(&fence->signal.lock);
    soft_signal_free(&fence->signal);
    free(fence);
}

ze_result_t zeFenceDestroy(ze_fence_handle_t fence)
{
    SOFT_HANDLE(fence, SOFT_FENCE);
    fence->tag = SOFT_DEAD;
    soft_queues_keep(&fence->gone, free_fence);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t await_event(ze_event_handle_t event, uint64_t timeout)
{
    uint64_t deadline = soft_deadline(timeout);
    ze_event_handle_t now;
    ze_result_t result;
    if (event->pool && event->pool->shared) soft_event_follow(event);
    now = soft_event_now(event);
    if (!now) return ZE_RESULT_SUCCESS; /* a counter-based event that no command sets */
    press(atomic_load(&now->queue), &now->signal, &now->set, timeout);
    result = soft_event_result(now, deadline);
    soft_event_release(now);
    return result;
}

ze_result_t zeEventHostSynchronize(ze_event_handle_t event, uint64_t timeout)
{
    SOFT_HANDLE(event, SOFT_EVENT);
    if (soft_capture_sets(event))
        return soft_fail(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED, "a graph that is being captured sets the event");
    return await_event(event, timeout);
}

ze_result_t zeEventQueryStatus(ze_event_handle_t event)
{
    SOFT_HANDLE(event, SOFT_EVENT);
    return await_event(event, 0);
}

ze_result_t zeEventQueryKernelTimestamp(ze_event_handle_t event, ze_kernel_timestamp_result_t *to)
{
    SOFT_HANDLE(event, SOFT_EVENT);
    SOFT_POINTER(to);
    if (!event->timed)
        return soft_fail(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, "the event has no kernel timestamps");
    if (zeEventQueryStatus(event) == ZE_RESULT_NOT_READY) return ZE_RESULT_NOT_READY;
    soft_event_timestamp(event, to);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventQueryTimestampsExp(ze_event_handle_t event, ze_device_handle_t device, uint32_t *count,
                                      ze_kernel_timestamp_result_t *timestamps)
{
    SOFT_HANDLE(event, SOFT_EVENT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(count);
    if (!timestamps || *count == 0) {
        *count = 1;
        return ZE_RESULT_SUCCESS;
    }
    *count = 1;
    return zeEventQueryKernelTimestamp(event, timestamps);
}

ze_result_t zeEventQueryKernelTimestampsExt(ze_event_handle_t event, ze_device_handle_t device, uint32_t *count,
                                            ze_event_query_kernel_timestamps_results_ext_properties_t *results)
{
    SOFT_HANDLE(event, SOFT_EVENT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(count);
    if (!results || *count == 0) {
        *count = 1;
        return ZE_RESULT_SUCCESS;
    }
    *count = 1;
    SOFT_POINTER(results->pKernelTimestampsBuffer);
    SOFT_TRY(zeEventQueryKernelTimestamp(event, results->pKernelTimestampsBuffer));
    if (results->pSynchronizedTimestampsBuffer) { /* device and host share one clock */
        ze_synchronized_timestamp_result_ext_t *s = results->pSynchronizedTimestampsBuffer;
        s->global.kernelStart = s->context.kernelStart = results->pKernelTimestampsBuffer->global.kernelStart;
        s->global.kernelEnd = s->context.kernelEnd = results->pKernelTimestampsBuffer->global.kernelEnd;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeFenceHostSynchronize(ze_fence_handle_t fence, uint64_t timeout)
{
    uint64_t deadline = soft_deadline(timeout);
    ze_result_t result;
    SOFT_HANDLE(fence, SOFT_FENCE);
    press(fence->number, &fence->signal, &fence->set, timeout);
    pthread_mutex_lock(&fence->signal.lock);
    while (!fence->set && soft_signal_wait(&fence->signal, deadline)) continue;
    result = fence->set ? fence->result : ZE_RESULT_NOT_READY;
    pthread_mutex_unlock(&fence->signal.lock);
    return result;
}

ze_result_t zeFenceQueryStatus(ze_fence_handle_t fence) { return zeFenceHostSynchronize(fence, 0); }

ze_result_t zeMemFreeExt(ze_context_handle_t context, const ze_memory_free_ext_desc_t *desc, void *pointer)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(desc);
    SOFT_POINTER(pointer);
    SOFT_FLAGS(desc->freePolicy,
               ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE | ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE);
    if (desc->freePolicy == ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE)
        return soft_memory_free_later(pointer, soft_queues_keep);
    if (desc->freePolicy) soft_queues_drain();
    return zeMemFree(context, pointer);
}
