/* pool.h - the driver's threads: the pool that runs launches, and starting threads in general.
 *
 * The pool has XETILE_SOFT_THREADS threads (default: one per processor of the process), including the caller of
 * pool_run; they start with the first task for more than one. A thread without work spins for a few microseconds, if
 * there is a processor for each thread, then sleeps.
 *
 * Threads are not pinned. Idle threads are kept off the processor of a task's caller, where they would often be woken;
 * one that starts on a processor where another thread of its task works moves to a free processor, and may later be
 * moved by the system. If other programs keep the machine busy, the caller runs short tasks alone: a thread that is
 * preempted for milliseconds during a task delays it.
 */
#ifndef XETILE_SOFT_POOL_H
#define XETILE_SOFT_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Work for several threads. The caller of pool_run sets the first four fields. */
struct pool_task {
    /* part: 0 for the caller, else a distinct number below pool_threads(). Returns when there is no more work for this
     * thread, or when pool_between, which it calls now and then, says so. */
    void (*take_part)(struct pool_task *task, unsigned part);
    unsigned threads;        /* maximum number, including the caller */
    int urgency;             /* -1, 0 or 1: while a more urgent task runs, others pause in pool_between */
    uint64_t alone_ns;       /* how long the caller works alone; usually 0 */
    atomic_bool given_out;   /* set by take_part: no work is left for others to begin */
    uint64_t offer_at;       /* the caller works alone until then (nanoseconds); 0: offered to others */
    _Atomic unsigned inside; /* pool threads in the task; changed under the pool's lock */
    int processor; /* the caller's */
    pthread_cond_t left; /* signalled when the last one has left */
    struct pool_task *next;
};

/* Runs the task, and returns when all threads have left. together: all task->threads threads must take part at the same
 * time; false if there are too few, and nothing was done. Otherwise fewer threads only make it slower. */
bool pool_run(struct pool_task *task, bool together);

/* Must precede tasks of different urgency. Until then, urgency is not tracked. */
void pool_begin_ranking(void);
extern atomic_bool pool_is_ranking;
/* Offers the task to others if its caller has worked alone long enough. */
void pool_offer_when_due(struct pool_task *task);
/* While a more urgent task runs, the caller waits; for other threads returns false: leave the task. */
bool pool_give_way(struct pool_task *task, unsigned part);
uint64_t pool_now(void);
static inline bool pool_between(struct pool_task *task, unsigned part)
{
    if (task->offer_at) pool_offer_when_due(task);
    return !atomic_load_explicit(&pool_is_ranking, memory_order_relaxed) || pool_give_way(task, part);
}

/* Starts a driver thread (also for queues), which must first call pool_own_thread. */
bool pool_start_thread(pthread_t *thread, void *(*body)(void *), void *user);
/* Its stack size, of which a kernel may use half. */
#define POOL_THREAD_STACK ((size_t)1 << 20)
void pool_own_thread(void);
bool pool_owns_thread(void); /* is the calling thread ours? */

unsigned pool_threads(void);

/* Ends the threads; they start again with the next task. */
void pool_shutdown(void);

/* Spins until *value differs from `old`, but no longer than a thread with its own processor may. */
void pool_spin_while(const _Atomic unsigned *value, unsigned old);

#endif
