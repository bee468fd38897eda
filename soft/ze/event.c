/* event.c - event pools, events, fences. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "counter.h"

/* ---- pools */

/* The structure for pools of counter-based events, by number: headers of 1.4 lack it. */
struct counter_based_pool {
    uint32_t stype;
    const void *next;
    uint32_t flags;
};

static ze_result_t read_counts(const void *chain, uint32_t *counts)
{
    const ze_base_desc_t *d;
    *counts = 0;
    for (d = chain; d; d = d->pNext) {
        uint32_t flags;
        if (d->stype != ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC) continue;
        flags = ((const struct counter_based_pool *)(const void *)d)->flags;
        SOFT_FLAGS(flags, SOFT_COUNTS_IMMEDIATE | SOFT_COUNTS_REGULAR);
        *counts = flags ? flags : SOFT_COUNTS_IMMEDIATE;
    }
    return ZE_RESULT_SUCCESS;
}

void soft_event_follow(ze_event_handle_t e)
{
    struct soft_change c;
    pthread_mutex_lock(&e->signal.lock);
    c = soft_shared_look(e->pool->shared, e->desc.index);
    if (e->change != c.number) {
        e->change = c.number;
        e->set = c.set;
        e->result = c.result;
        e->start = c.start;
        e->end = c.end;
        atomic_store(&e->counter, c.set);
        pthread_cond_broadcast(&e->signal.changed);
    }
    pthread_mutex_unlock(&e->signal.lock);
}

ze_result_t zeEventPoolGetIpcHandle(ze_event_pool_handle_t pool, ze_ipc_event_pool_handle_t *handle)
{
    struct soft_ipc ipc = {0};
    SOFT_HANDLE(pool, SOFT_POOL);
    SOFT_POINTER(handle);
    if (!pool->shared || !soft_shared_describe(pool->shared, &ipc))
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the pool was made without ZE_EVENT_POOL_FLAG_IPC");
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &ipc, sizeof ipc);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventPoolOpenIpcHandle(ze_context_handle_t context, ze_ipc_event_pool_handle_t handle,
                                     ze_event_pool_handle_t *pool)
{
    struct soft_ipc ipc;
    ze_event_pool_handle_t p;
    int file;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(pool);
    memcpy(&ipc, &handle, sizeof ipc);
    SOFT_TRY(soft_ipc_open(&ipc, SOFT_IPC_EVENTS, &file));
    p = calloc(1, sizeof *p);
    if (p) p->shared = soft_shared_open(&ipc, file, soft_event_follow, &p->count, &p->flags);
    if (!p || !p->shared) {
        if (!p) close(file);
        free(p);
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the handle is not that of an event pool");
    }
    p->tag = SOFT_POOL;
    p->context = context;
    p->imported = true;
    atomic_init(&p->references, 1);
    *pool = p;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventPoolCloseIpcHandle(ze_event_pool_handle_t pool)
{
    SOFT_HANDLE(pool, SOFT_POOL);
    if (!pool->imported) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the pool was not opened from a handle");
    return zeEventPoolDestroy(pool);
}

/* Handles hold nothing. */
ze_result_t zeEventPoolPutIpcHandle(ze_context_handle_t context, ze_ipc_event_pool_handle_t handle)
{
    (void)handle;
    return soft_check(context, SOFT_CONTEXT);
}

ze_result_t zeEventPoolCreate(ze_context_handle_t context, const ze_event_pool_desc_t *desc, uint32_t device_count,
                              ze_device_handle_t *devices, ze_event_pool_handle_t *pool)
{
    uint32_t i, counts;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(desc);
    SOFT_POINTER(pool);
    if (!desc->count || (device_count && !devices)) return ZE_RESULT_ERROR_INVALID_SIZE;
    SOFT_FLAGS(desc->flags, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC |
                                ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP);
    SOFT_TRY(soft_check_chain(desc->pNext));
    SOFT_TRY(read_counts(desc->pNext, &counts));
    if (desc->flags & ZE_EVENT_POOL_FLAG_IPC && counts)
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "counter-based events are not shared between processes");
    for (i = 0; i < device_count; i++) SOFT_HANDLE(devices[i], SOFT_DEVICE);
    *pool = calloc(1, sizeof **pool);
    if (!*pool) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    (*pool)->tag = SOFT_POOL;
    (*pool)->context = context;
    (*pool)->flags = desc->flags;
    (*pool)->counts = counts;
    (*pool)->count = desc->count;
    atomic_init(&(*pool)->references, 1);
    if (desc->flags & ZE_EVENT_POOL_FLAG_IPC &&
        !((*pool)->shared = soft_shared_new(desc->count, desc->flags, soft_event_follow))) {
        free(*pool);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    return ZE_RESULT_SUCCESS;
}

/* Programs destroy pools before their events, as Intel's driver lets them. */
static void release_pool(ze_event_pool_handle_t pool)
{
    if (atomic_fetch_sub(&pool->references, 1) != 1) return;
    if (pool->shared) soft_shared_free(pool->shared);
    free(pool);
}

ze_result_t zeEventPoolDestroy(ze_event_pool_handle_t pool)
{
    SOFT_HANDLE(pool, SOFT_POOL);
    pool->tag = SOFT_DEAD;
    release_pool(pool);
    return ZE_RESULT_SUCCESS;
}

/* ---- events */

ze_event_handle_t soft_event_new(void)
{
    ze_event_handle_t e = calloc(1, sizeof *e);
    if (e && soft_signal_init(&e->signal)) {
        e->tag = SOFT_EVENT;
        return e;
    }
    free(e);
    return NULL;
}

void soft_event_free(ze_event_handle_t event)
{
    event->tag = SOFT_DEAD;
    /* The thread that set it may still be returning from soft_event_set. */
    pthread_mutex_lock(&event->signal.lock);
    pthread_mutex_unlock(&event->signal.lock);
    soft_signal_free(&event->signal);
    if (event->outside) soft_counter_free(event->outside);
    free(event);
}

#define SCOPES (ZE_EVENT_SCOPE_FLAG_SUBDEVICE | ZE_EVENT_SCOPE_FLAG_DEVICE | ZE_EVENT_SCOPE_FLAG_HOST)

ze_result_t zeEventCreate(ze_event_pool_handle_t pool, const ze_event_desc_t *desc, ze_event_handle_t *event)
{
    ze_event_handle_t e;
    SOFT_HANDLE(pool, SOFT_POOL);
    SOFT_POINTER(desc);
    SOFT_POINTER(event);
    SOFT_FLAGS(desc->signal, SCOPES);
    SOFT_FLAGS(desc->wait, SCOPES);
    SOFT_TRY(soft_check_chain(desc->pNext));
    if (desc->index >= pool->count)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "event index %u of a pool of %u", desc->index, pool->count);
    e = soft_event_new();
    if (!e) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    e->pool = pool;
    e->desc = *desc;
    e->counts = pool->counts;
    e->timed = (pool->flags & (ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP)) != 0;
    atomic_fetch_add(&pool->references, 1);
    if (pool->shared) {
        soft_shared_attach(pool->shared, e);
        if (pool->imported)
            soft_event_follow(e);
        else
            soft_event_clear(e); /* a previous event may have been set */
    }
    *event = e;
    return ZE_RESULT_SUCCESS;
}

void soft_event_forget(ze_event_handle_t event)
{
    if (event->moment) soft_event_release(event->moment);
    if (event->pool && event->pool->shared) soft_shared_detach(event->pool->shared, event);
    pthread_mutex_lock(&event->signal.lock);
    ze_event_pool_handle_t pool = event->pool;
    struct soft_board *board = event->board;
    event->tag = SOFT_DEAD;
    event->moment = NULL;
    event->pool = NULL;
    event->board = NULL;
    pthread_mutex_unlock(&event->signal.lock);
    if (pool) release_pool(pool);
    if (board) soft_board_release(board);
}

/* ---- moments of counter-based events */

/* Makes a shared event refer to its latest moment, if that is another process's. Lock held. */
static void follow_others(ze_event_handle_t event)
{
    ze_event_handle_t last = event->moment, moment;
    struct soft_counter *c = soft_board_follow(event->board, last ? last->outside : NULL);
    if (!c) return;
    moment = soft_event_new();
    if (!moment) {
        soft_counter_free(c);
        return;
    }
    atomic_init(&moment->references, 1);
    moment->outside = c;
    event->moment = moment;
    if (last) soft_event_release(last);
}

ze_event_handle_t soft_event_now(ze_event_handle_t event)
{
    ze_event_handle_t now = event;
    if (!event->counts) return event;
    pthread_mutex_lock(&event->signal.lock);
    if (event->board) follow_others(event);
    now = event->moment;
    if (now) soft_event_retain(now);
    pthread_mutex_unlock(&event->signal.lock);
    return now;
}

ze_event_handle_t soft_event_next(ze_event_handle_t event)
{
    ze_event_handle_t next, before;
    if (event->counts & SOFT_COUNTS_TOTAL) return soft_event_now(event);
    next = soft_event_new();
    if (!next) return NULL;
    atomic_init(&next->references, 2);
    pthread_mutex_lock(&event->signal.lock);
    if (event->board && !soft_board_publish(event->board, next)) {
        pthread_mutex_unlock(&event->signal.lock);
        soft_event_free(next);
        return NULL;
    }
    before = event->moment;
    event->moment = next;
    pthread_mutex_unlock(&event->signal.lock);
    if (before) soft_event_release(before);
    return next;
}

void soft_event_release(ze_event_handle_t event)
{
    if (atomic_load(&event->references) && atomic_fetch_sub(&event->references, 1) == 1) soft_event_free(event);
}

ze_result_t soft_event_check_plain(ze_event_handle_t event, const char *what)
{
    SOFT_HANDLE(event, SOFT_EVENT);
    if (!event->counts) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a counter-based event is not to be %s", what);
}

/* ---- setting, clearing, waiting */

/* Notifies other processes; the event's lock is held. */
static void share(ze_event_handle_t e)
{
    if (e->pool && e->pool->shared)
        e->change = soft_shared_change(e->pool->shared, e->desc.index, e->set, e->result, e->start, e->end);
}

static bool decided_by_counter(const struct _ze_event_handle_t *event)
{
    return event->outside && event->outside->decides;
}

/* Lock held. */
static bool is_set(ze_event_handle_t event, bool by_host)
{
    if (decided_by_counter(event)) event->set = soft_counter_reached(event, by_host);
    return event->set;
}

bool soft_event_is_set(ze_event_handle_t event)
{
    bool set;
    pthread_mutex_lock(&event->signal.lock);
    set = is_set(event, false);
    pthread_mutex_unlock(&event->signal.lock);
    return set;
}

void soft_event_set(ze_event_handle_t event, ze_result_t result, uint64_t start, uint64_t end)
{
    pthread_mutex_lock(&event->signal.lock);
    event->set = true;
    atomic_store(&event->counter, 1);
    atomic_store_explicit(&event->queue, 0, memory_order_relaxed);
    if (!decided_by_counter(event) || event->result == ZE_RESULT_SUCCESS) event->result = result; /* or the first */
    event->start = start;
    event->end = end;
    share(event);
    if (event->outside && event->outside->increment) soft_counter_advance(event, result);
    is_set(event, false);
    pthread_cond_broadcast(&event->signal.changed);
    pthread_mutex_unlock(&event->signal.lock);
}

void soft_event_clear(ze_event_handle_t event)
{
    pthread_mutex_lock(&event->signal.lock);
    if (!decided_by_counter(event)) {
        if (event->outside) soft_counter_repeat(event);
        event->set = false;
        atomic_store(&event->counter, 0);
        atomic_store_explicit(&event->queue, 0, memory_order_relaxed);
        event->result = ZE_RESULT_SUCCESS;
        event->start = event->end = 0;
        share(event);
    }
    pthread_mutex_unlock(&event->signal.lock);
}

/* An eighth of the time that the wait has taken, within these bounds, passes between two looks at a counter. */
enum { SHORTEST_LOOK_NS = 10000, LONGEST_LOOK_NS = 1000000 };

uint64_t soft_next_look(uint64_t since, uint64_t now)
{
    uint64_t wait = (now - since) / 8;
    if (wait < SHORTEST_LOOK_NS) wait = SHORTEST_LOOK_NS;
    if (wait > LONGEST_LOOK_NS) wait = LONGEST_LOOK_NS;
    return now + wait;
}

/* Waits for a change of the event, or until the next look at its counter is due. False if the deadline passed. */
static bool await_change(ze_event_handle_t event, uint64_t since, uint64_t deadline)
{
    uint64_t next;
    if (!decided_by_counter(event)) return soft_signal_wait(&event->signal, deadline);
    next = soft_next_look(since, soft_now());
    if (next >= deadline) return soft_signal_wait(&event->signal, deadline);
    soft_signal_wait(&event->signal, next);
    return true;
}

bool soft_event_await(ze_event_handle_t event, const atomic_bool *stop)
{
    uint64_t since = soft_now();
    bool set;
    pthread_mutex_lock(&event->signal.lock);
    while (!is_set(event, false) && !atomic_load(stop)) await_change(event, since, UINT64_MAX);
    set = event->set;
    pthread_mutex_unlock(&event->signal.lock);
    return set;
}

ze_result_t soft_event_result(ze_event_handle_t event, uint64_t deadline)
{
    uint64_t since = soft_now();
    ze_result_t result;
    pthread_mutex_lock(&event->signal.lock);
    while (!is_set(event, true) && await_change(event, since, deadline)) continue;
    result = event->set ? event->result : ZE_RESULT_NOT_READY;
    pthread_mutex_unlock(&event->signal.lock);
    return result;
}

void soft_event_wake(ze_event_handle_t event)
{
    pthread_mutex_lock(&event->signal.lock);
    pthread_cond_broadcast(&event->signal.changed);
    pthread_mutex_unlock(&event->signal.lock);
}

void soft_event_timestamp(ze_event_handle_t event, ze_kernel_timestamp_result_t *to)
{
    ze_event_handle_t now = soft_event_now(event);
    memset(to, 0, sizeof *to);
    if (!now) return;
    pthread_mutex_lock(&now->signal.lock);
    to->global.kernelStart = to->context.kernelStart = now->start;
    to->global.kernelEnd = to->context.kernelEnd = now->end;
    pthread_mutex_unlock(&now->signal.lock);
    if (now != event) soft_event_release(now);
}

ze_result_t zeEventHostSignal(ze_event_handle_t event)
{
    uint64_t now = soft_now();
    SOFT_TRY(soft_event_check_plain(event, "set by the host"));
    soft_event_set(event, ZE_RESULT_SUCCESS, now, now);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventHostReset(ze_event_handle_t event)
{
    SOFT_TRY(soft_event_check_plain(event, "reset"));
    soft_event_clear(event);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventGetEventPool(ze_event_handle_t event, ze_event_pool_handle_t *pool)
{
    SOFT_HANDLE(event, SOFT_EVENT);
    SOFT_POINTER(pool);
    if (!event->pool) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event is of no pool");
    *pool = event->pool;
    return ZE_RESULT_SUCCESS;
}

SOFT_GETTER(zeEventGetSignalScope, ze_event_handle_t, SOFT_EVENT, ze_event_scope_flags_t, handle->desc.signal)
SOFT_GETTER(zeEventGetWaitScope, ze_event_handle_t, SOFT_EVENT, ze_event_scope_flags_t, handle->desc.wait)
SOFT_GETTER(zeEventPoolGetContextHandle, ze_event_pool_handle_t, SOFT_POOL, ze_context_handle_t, handle->context)
SOFT_GETTER(zeEventPoolGetFlags, ze_event_pool_handle_t, SOFT_POOL, ze_event_pool_flags_t, handle->flags)

/* ---- fences */

ze_result_t zeFenceCreate(ze_command_queue_handle_t queue, const ze_fence_desc_t *desc, ze_fence_handle_t *fence)
{
    ze_fence_handle_t f;
    SOFT_HANDLE(queue, SOFT_QUEUE);
    SOFT_POINTER(desc);
    SOFT_POINTER(fence);
    SOFT_FLAGS(desc->flags, ZE_FENCE_FLAG_SIGNALED);
    f = calloc(1, sizeof *f);
    if (!f || !soft_signal_init(&f->signal)) {
        free(f);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    f->tag = SOFT_FENCE;
    f->queue = queue;
    f->number = queue->queue.number;
    f->set = (desc->flags & ZE_FENCE_FLAG_SIGNALED) != 0;
    *fence = f;
    return ZE_RESULT_SUCCESS;
}

void soft_fence_set(ze_fence_handle_t fence, ze_result_t result)
{
    pthread_mutex_lock(&fence->signal.lock);
    fence->set = true;
    fence->result = result;
    pthread_cond_broadcast(&fence->signal.changed);
    pthread_mutex_unlock(&fence->signal.lock);
}

ze_result_t zeFenceReset(ze_fence_handle_t fence)
{
    SOFT_HANDLE(fence, SOFT_FENCE);
    pthread_mutex_lock(&fence->signal.lock);
    fence->set = false;
    fence->result = ZE_RESULT_SUCCESS;
    pthread_mutex_unlock(&fence->signal.lock);
    return ZE_RESULT_SUCCESS;
}
