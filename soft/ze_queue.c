/* ze_queue.c - command queues, and the queue inside each immediate command list.
 *
 * Submissions run in order. Whoever finds the queue idle may run the next one: its own thread (made with the first
 * asynchronous submission), a synchronous submitter, or a caller that waits without a timeout, which saves it two
 * changes of thread. `busy` says that someone is.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "ze_soft.h"

struct soft_work {
    struct soft_work *next;
    struct soft_command *command;
    ze_fence_handle_t fence;
    uint32_t list_count;
    ze_command_list_handle_t lists[];
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t released; /* by soft_queues_drain */
    struct soft_queue *first;
} queues = {.lock = PTHREAD_MUTEX_INITIALIZER, .released = PTHREAD_COND_INITIALIZER};

/* ---- making and unmaking */

ze_result_t soft_queue_check_desc(const ze_command_queue_desc_t *d)
{
    SOFT_POINTER(d);
    if (d->ordinal) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "queue group %u: there is one", d->ordinal);
    if (d->index >= SOFT_QUEUES)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "queue index %u of %u", d->index, SOFT_QUEUES);
    SOFT_FLAGS(d->flags, SOFT_QUEUE_FLAGS);
    if ((uint32_t)d->mode > ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if ((uint32_t)d->priority > ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    return soft_check_chain(d->pNext);
}

ze_result_t soft_queue_init(struct soft_queue *q, const ze_command_queue_desc_t *desc)
{
    if (!soft_signal_init(&q->signal)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    q->desc = *desc;
    q->last = &q->first;
    pthread_mutex_lock(&queues.lock);
    q->next = queues.first;
    q->link = &queues.first;
    if (q->next) q->next->link = &q->next;
    queues.first = q;
    pthread_mutex_unlock(&queues.lock);
    return ZE_RESULT_SUCCESS;
}

/* What waits for an event that never comes is given up; the rest runs. */
void soft_queue_free(struct soft_queue *q)
{
    pthread_mutex_lock(&q->signal.lock);
    atomic_store(&q->stop, true);
    if (q->awaited) soft_event_wake(q->awaited);
    pthread_cond_broadcast(&q->signal.changed);
    pthread_mutex_unlock(&q->signal.lock);
    if (q->started) pthread_join(q->thread, NULL);
    pthread_mutex_lock(&queues.lock);
    while (q->held) pthread_cond_wait(&queues.released, &queues.lock); /* not for long: all it has is done */
    *q->link = q->next;
    if (q->next) q->next->link = q->link;
    pthread_mutex_unlock(&queues.lock);
    soft_signal_free(&q->signal);
}

/* ---- running */

static void set_awaited(struct soft_queue *q, ze_event_handle_t event)
{
    pthread_mutex_lock(&q->signal.lock);
    q->awaited = event;
    pthread_mutex_unlock(&q->signal.lock);
}

/* The event is named before anyone waits for it, and its name taken back before anything that comes after it is done:
 * so it is still there when soft_queue_free, under the queue's lock, wakes those that wait. */
bool soft_queue_await(struct soft_queue *q, ze_event_handle_t event)
{
    bool set;
    set_awaited(q, event);
    set = soft_event_await(event, &q->stop);
    set_awaited(q, NULL);
    return set;
}

static ze_result_t run_commands(struct soft_queue *q, struct soft_command *first)
{
    ze_result_t result = ZE_RESULT_SUCCESS, r;
    struct soft_command *c, *next;
    for (c = first; c; c = next) {
        next = c->next; /* who has waited for the event of the last command may destroy the list at once */
        r = soft_command_run(c, q);
        if (r == ZE_RESULT_NOT_READY) return r;
        if (result == ZE_RESULT_SUCCESS) result = r; /* the rest still runs: somebody may wait for its events */
    }
    return result;
}

static ze_result_t run_work(struct soft_queue *q, struct soft_work *w)
{
    ze_result_t result = run_commands(q, w->command), r;
    uint32_t i;
    for (i = 0; i < w->list_count && result != ZE_RESULT_NOT_READY; i++) {
        r = run_commands(q, w->lists[i]->first);
        if (r == ZE_RESULT_NOT_READY || result == ZE_RESULT_SUCCESS) result = r;
    }
    if (w->fence && result != ZE_RESULT_NOT_READY) soft_fence_set(w->fence, result);
    soft_command_free(w->command);
    free(w);
    return result;
}

/* Takes the first submission and runs it. Called, and returns, with the lock held; somebody else must not be busy. */
static void run_first(struct soft_queue *q)
{
    struct soft_work *w = q->first;
    ze_result_t result;
    q->first = w->next;
    if (!q->first) q->last = &q->first;
    q->busy = true;
    pthread_mutex_unlock(&q->signal.lock);
    result = run_work(q, w);
    pthread_mutex_lock(&q->signal.lock);
    q->busy = false;
    q->completed++;
    if (q->failed == ZE_RESULT_SUCCESS) q->failed = result;
    pthread_cond_broadcast(&q->signal.changed);
}

static void *queue_thread(void *pointer)
{
    struct soft_queue *q = pointer;
    sched_thread_is_ours();
    pthread_mutex_lock(&q->signal.lock);
    while (q->first || q->busy || !atomic_load(&q->stop)) {
        if (q->first && !q->busy)
            run_first(q);
        else
            soft_signal_wait(&q->signal, UINT64_MAX);
    }
    pthread_mutex_unlock(&q->signal.lock);
    return NULL;
}

static bool start_thread(struct soft_queue *q)
{
    if (!q->started) q->started = sched_start_thread(&q->thread, queue_thread, q);
    return q->started;
}

/* Lock held. False when the deadline passed. */
static bool await_number(struct soft_queue *q, uint64_t number, bool help, uint64_t deadline)
{
    while (q->completed < number) {
        if (help && q->first && !q->busy)
            run_first(q);
        else if (!soft_signal_wait(&q->signal, deadline) && q->completed < number)
            return false;
    }
    return true;
}

static ze_result_t take_failure(struct soft_queue *q)
{
    ze_result_t result = q->failed;
    q->failed = ZE_RESULT_SUCCESS;
    return result;
}

ze_result_t soft_queue_submit(struct soft_queue *q, struct soft_command *command, uint32_t list_count,
                              ze_command_list_handle_t *lists, ze_fence_handle_t fence)
{
    struct soft_work *w = calloc(1, sizeof *w + list_count * sizeof w->lists[0]);
    ze_result_t result = w ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    bool asynchronous = q->desc.mode != ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    uint32_t i;
    pthread_mutex_lock(&q->signal.lock);
    if (w && asynchronous && !start_thread(q)) {
        free(w);
        result = soft_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no thread for the queue");
    }
    if (result != ZE_RESULT_SUCCESS) {
        pthread_mutex_unlock(&q->signal.lock);
        soft_command_free(command);
        return result;
    }
    w->command = command;
    w->fence = fence;
    w->list_count = list_count;
    for (i = 0; i < list_count; i++) w->lists[i] = lists[i];
    *q->last = w;
    q->last = &w->next;
    q->submitted++;
    if (asynchronous) {
        pthread_cond_broadcast(&q->signal.changed);
    } else {
        await_number(q, q->submitted, true, UINT64_MAX);
        result = take_failure(q);
    }
    pthread_mutex_unlock(&q->signal.lock);
    return result;
}

ze_result_t soft_queue_synchronize(struct soft_queue *q, uint64_t timeout)
{
    uint64_t deadline = soft_deadline(timeout);
    ze_result_t result = ZE_RESULT_NOT_READY;
    pthread_mutex_lock(&q->signal.lock);
    if (await_number(q, q->submitted, timeout == UINT64_MAX, deadline)) result = take_failure(q);
    pthread_mutex_unlock(&q->signal.lock);
    return result;
}

/* The list is not locked while it waits: other threads may make the queue whose work it waits for. */
void soft_queues_drain(void)
{
    struct soft_queue *q;
    pthread_mutex_lock(&queues.lock);
    for (q = queues.first; q; q = q->next) {
        q->held++; /* until then it stays in the list */
        pthread_mutex_unlock(&queues.lock);
        pthread_mutex_lock(&q->signal.lock);
        await_number(q, q->submitted, false, UINT64_MAX);
        pthread_mutex_unlock(&q->signal.lock);
        pthread_mutex_lock(&queues.lock);
        if (--q->held == 0) pthread_cond_broadcast(&queues.released);
    }
    pthread_mutex_unlock(&queues.lock);
}

/* ---- the API */

ze_result_t zeCommandQueueCreate(ze_context_handle_t context, ze_device_handle_t device,
                                 const ze_command_queue_desc_t *desc, ze_command_queue_handle_t *queue)
{
    ze_command_queue_handle_t q;
    ze_result_t result;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_TRY(soft_queue_check_desc(desc));
    SOFT_POINTER(queue);
    q = calloc(1, sizeof *q);
    if (!q) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    q->tag = SOFT_QUEUE;
    q->context = context;
    result = soft_queue_init(&q->queue, desc);
    if (result != ZE_RESULT_SUCCESS) {
        free(q);
        return result;
    }
    *queue = q;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandQueueDestroy(ze_command_queue_handle_t queue)
{
    SOFT_HANDLE(queue, SOFT_QUEUE);
    soft_queue_free(&queue->queue);
    queue->tag = SOFT_DEAD;
    free(queue);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t queue, uint32_t count,
                                              ze_command_list_handle_t *lists, ze_fence_handle_t fence)
{
    uint32_t i;
    SOFT_HANDLE(queue, SOFT_QUEUE);
    SOFT_POINTER(lists);
    if (!count) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (fence && (soft_check(fence, SOFT_FENCE) != ZE_RESULT_SUCCESS || fence->queue != queue))
        return soft_fail(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, "the fence is not this queue's");
    for (i = 0; i < count; i++) {
        SOFT_HANDLE(lists[i], SOFT_LIST);
        if (lists[i]->immediate)
            return soft_fail(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, "list %u is an immediate one", i);
        if (!lists[i]->closed) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "list %u is not closed", i);
    }
    return soft_queue_submit(&queue->queue, NULL, count, lists, fence);
}

ze_result_t zeCommandQueueSynchronize(ze_command_queue_handle_t queue, uint64_t timeout)
{
    SOFT_HANDLE(queue, SOFT_QUEUE);
    return soft_queue_synchronize(&queue->queue, timeout);
}

#if SOFT_API(9)
SOFT_GETTER(zeCommandQueueGetOrdinal, ze_command_queue_handle_t, SOFT_QUEUE, uint32_t, handle->queue.desc.ordinal)
SOFT_GETTER(zeCommandQueueGetIndex, ze_command_queue_handle_t, SOFT_QUEUE, uint32_t, handle->queue.desc.index)
#endif
