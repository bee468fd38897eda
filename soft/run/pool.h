/* pool.h - the driver's threads: those that help a launch along, and how any of them is started.
 *
 * There are XETILE_SOFT_THREADS of them (default: one a processor of the process), the caller of pool_run among them;
 * they start with the first task for more than one. A thread without work looks for some for a few microseconds more,
 * where there is a processor for each, and sleeps then.
 *
 * Threads are not pinned. The processor of a task's caller is closed to the idle ones, which would else often be woken
 * there, and one that comes to work where another of its task already is moves to a processor that is free; from there
 * the system may move it. On a machine that is busy with other programs the caller does short tasks alone: a thread
 * that is pushed aside for milliseconds while it is in a task holds that up.
 */
#ifndef XETILE_SOFT_POOL_H
#define XETILE_SOFT_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Work that several threads take part in. The caller of pool_run fills in the first four. */
struct pool_task {
    /* `part` is 0 for the caller, else another number below pool_threads() for each thread. Returns when there is no
     * more work for this thread, or when pool_between, which it calls now and then, says so. */
    void (*take_part)(struct pool_task *task, unsigned part);
    unsigned threads;        /* at most so many, the caller included */
    int urgency;             /* -1, 0 or 1: while a more urgent one runs, others stop where they call pool_between */
    uint64_t alone_ns;       /* the caller is to be alone for so long; most tasks: 0 */
    atomic_bool given_out;   /* set by take_part: nothing is left for others to begin */
    uint64_t offer_at;       /* the caller is alone until then (nanoseconds); 0: the others know of the task */
    _Atomic unsigned inside; /* threads of the pool that are in it; changed under the pool's lock */
    int processor; /* where the caller is */
    pthread_cond_t left; /* signalled when the last one is out */
    struct pool_task *next;
};

/* Takes part, and returns when all have left. `together`: all of task->threads have to be there at the same time; false
 * when so many cannot be had, and nothing was done. Otherwise fewer threads are slower, not wrong. */
bool pool_run(struct pool_task *task, bool together);

/* From now on some tasks may be more urgent than others. Until then none is, and nothing is counted. */
void pool_begin_ranking(void);
extern atomic_bool pool_is_ranking;
/* Lets others join a task that its caller has been alone with for long. */
void pool_offer_when_due(struct pool_task *task);
/* While something more urgent runs, the caller waits; another thread is to leave the task: false. */
bool pool_give_way(struct pool_task *task, unsigned part);
uint64_t pool_now(void);
static inline bool pool_between(struct pool_task *task, unsigned part)
{
    if (task->offer_at) pool_offer_when_due(task);
    return !atomic_load_explicit(&pool_is_ranking, memory_order_relaxed) || pool_give_way(task, part);
}

/* Starts a thread of the driver's own, which calls pool_own_thread first of all: also for queues. */
bool pool_start_thread(pthread_t *thread, void *(*body)(void *), void *user);
/* It has this much stack, of which a kernel may use half. */
#define POOL_THREAD_STACK ((size_t)1 << 20)
void pool_own_thread(void);
bool pool_owns_thread(void); /* the calling one */

unsigned pool_threads(void);

/* Ends the threads; they start again with the next task. */
void pool_shutdown(void);

/* Spins until *value is no longer `old`, for as long as a thread may that has a processor for itself. */
void pool_spin_while(const _Atomic unsigned *value, unsigned old);

#endif
