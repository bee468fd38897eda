/* pool.c - see pool.h. From top to bottom: how many threads there are, spinning, processors, a thread's life, tasks. */
#define _GNU_SOURCE
#include "pool.h"

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "coroutine.h"
#include "spirv/host_state.h"

#define MAX_THREADS 1024u
#define SPIN_NS 50000u /* about the cost of waking a thread: sleeping sooner would save nothing */
#define MOST_KEPT_OFF 8u /* in larger pools, some processor is likely to be idle */
#define STALL_NS 500000u      /* a thread delayed this long has lost its processor to others */
#define ALONE_NS 8000000u     /* divided by the threads: how long a caller works alone before involving others */
#define ALONE_FOR_NS 20000000u /* initially; doubled each time the situation has not improved */
#define ALONE_MOST_NS 2000000000u
#define SPIN_TURNS 32u /* between reads of the clock */

struct member {
    pthread_t thread;
    _Atomic int processor; /* processor it works on; IDLE: not working */
    int kept_off;          /* the processor removed from its affinity; -1: none */
    cpu_set_t left;        /* its remaining affinity */
};
enum { IDLE = -1, SETTLING = CPU_SETSIZE };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct pool_task *tasks;
    struct member members[MAX_THREADS]; /* pool threads are numbered from 1 */
    unsigned started, busy, asleep; /* threads: existing, in a task, asleep */
    unsigned spinning;              /* on the current ticket */
    _Atomic unsigned running[3]; /* tasks since the ranking began, by urgency + 1 */
    pthread_cond_t outranked;    /* callers waiting for a more urgent task to end */
    _Atomic unsigned ticket; /* changes with every task */
    _Atomic uint64_t alone_until; /* until then, callers run short tasks alone; nanoseconds */
    uint64_t alone_for;           /* the last duration */
    bool stop;
    _Atomic pid_t process; /* the process they belong to, as threads do not survive a fork; 0: none started yet */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .outranked = PTHREAD_COND_INITIALIZER};

/* ---- number of threads */

static unsigned thread_count;
static bool roomy; /* each thread can have a processor */
static pthread_once_t count_once = PTHREAD_ONCE_INIT;

static void count_threads(void)
{
    const char *wish = getenv("XETILE_SOFT_THREADS");
    long n = wish && *wish ? strtol(wish, NULL, 10) : 0;
    cpu_set_t set;
    long processors = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    if (n <= 0) n = processors;
    thread_count = n < 1 ? 1 : n > (long)MAX_THREADS ? MAX_THREADS : (unsigned)n;
    roomy = thread_count <= processors;
}

unsigned pool_threads(void)
{
    pthread_once(&count_once, count_threads);
    return thread_count;
}

/* ---- spinning */

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t pool_now(void) { return clock_ns(CLOCK_MONOTONIC); }
static uint64_t process_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); } /* of all threads */

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void pool_spin_while(const _Atomic unsigned *value, unsigned old)
{
    uint64_t end;
    if (!roomy || atomic_load_explicit(value, memory_order_acquire) != old) return;
    end = pool_now() + SPIN_NS;
    do {
        for (unsigned i = 0; i < SPIN_TURNS; i++) {
            if (atomic_load_explicit(value, memory_order_acquire) != old) return;
            relax();
        }
    } while (pool_now() < end);
}

/* ---- processors */

/* Removes processors from `set` where threads of the task are known to work. */
static void without_taken(cpu_set_t *set, const struct pool_task *t, unsigned self, unsigned started)
{
    if (t->processor >= 0 && t->processor < CPU_SETSIZE) CPU_CLR(t->processor, set);
    for (unsigned i = 1; i <= started; i++) {
        int p = atomic_load_explicit(&pool.members[i].processor, memory_order_relaxed);
        if (i != self && p != IDLE && p != SETTLING) CPU_CLR(p, set);
    }
}

/* The system often wakes a thread on the waker's processor, where it must wait until the waker sleeps. Idle threads are
 * therefore kept off the processor of a task's caller. If others have changed the thread's affinity, it is left
 * alone. */
static void keep_off(struct member *m, int processor)
{
    cpu_set_t set;
    if (m->kept_off == processor || pthread_getaffinity_np(m->thread, sizeof set, &set) != 0) return;
    if (m->kept_off >= 0 && CPU_EQUAL(&set, &m->left)) CPU_SET(m->kept_off, &set);
    m->kept_off = -1;
    if (!CPU_ISSET(processor, &set) || CPU_COUNT(&set) < 2) return;
    CPU_CLR(processor, &set);
    if (pthread_setaffinity_np(m->thread, sizeof set, &set) != 0) return;
    m->kept_off = processor;
    m->left = set;
}

/* The same for all idle threads; under pool.lock. */
static void keep_idle_ones_off(int processor)
{
    unsigned done = 0;
    if (!roomy || processor < 0 || processor >= CPU_SETSIZE) return;
    for (unsigned i = 1; i <= pool.started && done < MOST_KEPT_OFF; i++) {
        if (atomic_load_explicit(&pool.members[i].processor, memory_order_relaxed) != IDLE) continue;
        keep_off(&pool.members[i], processor);
        done++;
    }
}

/* A thread that starts on a processor where another one works moves to a free one; its affinity is then restored. */
static void settle(const struct pool_task *t, unsigned self, unsigned started)
{
    int here = sched_getcpu();
    cpu_set_t all, untaken;
    if (here < 0 || here >= CPU_SETSIZE) here = SETTLING; /* working on an unknown processor */
    if (here != SETTLING && roomy && sched_getaffinity(0, sizeof all, &all) == 0) {
        untaken = all;
        without_taken(&untaken, t, self, started);
        if (!CPU_ISSET(here, &untaken) && CPU_COUNT(&untaken) && sched_setaffinity(0, sizeof untaken, &untaken) == 0) {
            here = sched_getcpu();
            sched_setaffinity(0, sizeof all, &all);
        }
    }
    atomic_store_explicit(&pool.members[self].processor, here, memory_order_relaxed);
}

/* ---- urgency */

atomic_bool pool_is_ranking;
void pool_begin_ranking(void) { atomic_store(&pool_is_ranking, true); }

static bool is_outranked(const struct pool_task *t)
{
    for (int u = t->urgency + 1; u <= 1; u++)
        if (atomic_load(&pool.running[u + 1])) return true;
    return false;
}

bool pool_give_way(struct pool_task *t, unsigned part)
{
    if (!is_outranked(t)) return true;
    if (part) return false;
    pthread_mutex_lock(&pool.lock);
    while (is_outranked(t)) pthread_cond_wait(&pool.outranked, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    return true;
}

/* ---- a thread's life */

/* A task that can take another thread; under pool.lock. */
static struct pool_task *find_task(void)
{
    for (struct pool_task *t = pool.tasks; t; t = t->next)
        if (!atomic_load(&t->given_out) && atomic_load(&t->inside) + 1 < t->threads && !is_outranked(t)) return t;
    return NULL;
}

/* Called with the lock held; returns with it held. */
static void work_on(struct pool_task *t, unsigned self)
{
    unsigned started = pool.started;
    atomic_fetch_add(&t->inside, 1);
    atomic_store_explicit(&pool.members[self].processor, SETTLING, memory_order_relaxed);
    pool.busy++;
    pthread_mutex_unlock(&pool.lock);
    settle(t, self, started);
    t->take_part(t, self);
    atomic_store_explicit(&pool.members[self].processor, IDLE, memory_order_relaxed);
    pthread_mutex_lock(&pool.lock);
    pool.busy--;
    if (atomic_fetch_sub(&t->inside, 1) == 1) pthread_cond_signal(&t->left);
}

/* The same; spins first, so that the thread is still awake for launches in quick succession. */
static void wait_for_task(void)
{
    unsigned ticket = atomic_load(&pool.ticket);
    pool.spinning++;
    pthread_mutex_unlock(&pool.lock);
    pool_spin_while(&pool.ticket, ticket);
    pthread_mutex_lock(&pool.lock);
    if (atomic_load(&pool.ticket) == ticket) pool.spinning--;
    if (pool.stop || find_task()) return;
    pool.asleep++;
    pthread_cond_wait(&pool.work, &pool.lock);
    pool.asleep--;
}

/* Under pool.lock. */
static void new_ticket(void)
{
    pool.spinning = 0;
    atomic_fetch_add(&pool.ticket, 1);
}

static _Thread_local bool own;

/* The program's callbacks may run in such a thread too, so it keeps the process's locale. */
void pool_own_thread(void)
{
    struct sp_floating_state inherited;
    own = true;
    sp_floating_enter(&inherited);
}
bool pool_owns_thread(void) { return own; }

bool pool_start_thread(pthread_t *thread, void *(*body)(void *), void *user)
{
    pthread_attr_t attr;
    bool started;
    if (pthread_attr_init(&attr) != 0) return false;
    pthread_attr_setstacksize(&attr, POOL_THREAD_STACK);
    pthread_attr_setguardsize(&attr, CO_GUARD);
    started = pthread_create(thread, &attr, body, user) == 0;
    pthread_attr_destroy(&attr);
    return started;
}

static void *pool_thread(void *number)
{
    unsigned self = (unsigned)(uintptr_t)number;
    pool_own_thread();
    pthread_mutex_lock(&pool.lock);
    while (!pool.stop) {
        struct pool_task *t = find_task();
        if (t)
            work_on(t, self);
        else
            wait_for_task();
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* Starts missing threads; under pool.lock. */
static void start_threads(void)
{
    if (pool.started && pool.process != getpid()) pool.started = pool.busy = pool.asleep = pool.spinning = 0;
    if (pool.started + 1 >= pool_threads()) return;
    pool.process = getpid();
    while (pool.started + 1 < pool_threads()) {
        struct member *m = &pool.members[pool.started + 1];
        atomic_store(&m->processor, IDLE);
        m->kept_off = -1;
        if (!pool_start_thread(&m->thread, pool_thread, (void *)(uintptr_t)(pool.started + 1))) break;
        pool.started++;
    }
}

static void end_threads(bool busy_ones_too)
{
    pthread_mutex_lock(&pool.lock);
    pool.stop = busy_ones_too || !(pool.busy || pool.tasks);
    if (!pool.stop) {
        pthread_mutex_unlock(&pool.lock);
        return;
    }
    new_ticket();
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
    for (unsigned i = 1; i <= pool.started; i++) pthread_join(pool.members[i].thread, NULL);
    pthread_mutex_lock(&pool.lock);
    pool.started = 0;
    pool.stop = false;
    pthread_mutex_unlock(&pool.lock);
}

void pool_shutdown(void) { end_threads(true); }

/* Threads in a task, like those of queues, end with the process, because a launch may take forever. A forked child has
 * no threads, and pool.lock and the condition variables are in the state of the fork, perhaps locked. */
__attribute__((destructor)) static void end_of_process(void)
{
    if (pool.process == getpid()) end_threads(false);
}

/* ---- tasks */

/* False when there are too few threads. */
static bool offer(struct pool_task *t, bool together)
{
    struct pool_task **link;
    unsigned wake;
    pthread_mutex_lock(&pool.lock);
    start_threads();
    if (together && pool.started + 1 < t->threads) {
        pthread_mutex_unlock(&pool.lock);
        return false;
    }
    for (link = &pool.tasks; *link && (*link)->urgency >= t->urgency; link = &(*link)->next) continue;
    t->next = *link;
    *link = t;
    wake = t->threads - 1 > pool.spinning ? t->threads - 1 - pool.spinning : 0;
    if (wake > pool.asleep) wake = pool.asleep;
    keep_idle_ones_off(t->processor);
    new_ticket(); /* for spinning threads */
    pthread_mutex_unlock(&pool.lock);
    while (wake--) pthread_cond_signal(&pool.work);
    return true;
}

/* Waits, with the lock held, for threads still in the task. If they are not running, other programs occupy their
 * processors, and the next tasks are faster without them. */
static void wait_for_others(struct pool_task *t)
{
    uint64_t began = pool_now(), ran = process_ns(), waited;
    while (atomic_load(&t->inside)) pthread_cond_wait(&t->left, &pool.lock);
    waited = pool_now() - began;
    if (waited < STALL_NS || process_ns() - ran > waited / 2) return;
    pool.alone_for = pool.alone_for < ALONE_FOR_NS      ? ALONE_FOR_NS
                     : pool.alone_for < ALONE_MOST_NS ? 2 * pool.alone_for
                                                        : ALONE_MOST_NS;
    atomic_store(&pool.alone_until, pool_now() + pool.alone_for);
}

static void take_back(struct pool_task *t)
{
    struct pool_task **link;
    unsigned inside;
    pthread_mutex_lock(&pool.lock);
    for (link = &pool.tasks; *link != t; link = &(*link)->next) continue;
    *link = t->next;
    pthread_mutex_unlock(&pool.lock);
    while ((inside = atomic_load(&t->inside)) != 0) {
        pool_spin_while(&t->inside, inside);
        if (atomic_load(&t->inside) == inside) break;
    }
    pthread_mutex_lock(&pool.lock); /* also waits until the last thread has left the task */
    if (atomic_load(&t->inside))
        wait_for_others(t);
    else
        pool.alone_for /= 2;
    pthread_mutex_unlock(&pool.lock);
}

void pool_offer_when_due(struct pool_task *t)
{
    if (pool_now() < t->offer_at) return;
    t->offer_at = 0;
    offer(t, false);
}

/* The time at which a task is offered to other threads; 0: at once. */
static uint64_t offer_time(uint64_t alone)
{
    uint64_t now = pool_now(), more = ALONE_NS / pool_threads();
    if (now < atomic_load(&pool.alone_until) && alone < more) alone = more;
    return alone ? now + alone : 0;
}

/* Resumes tasks that have given way. */
static void end_ranked(const struct pool_task *t)
{
    pthread_mutex_lock(&pool.lock);
    atomic_fetch_sub(&pool.running[t->urgency + 1], 1);
    if (pool.tasks) {
        new_ticket();
        pthread_cond_broadcast(&pool.work);
    }
    pthread_cond_broadcast(&pool.outranked);
    pthread_mutex_unlock(&pool.lock);
}

static bool run_task(struct pool_task *t, bool together)
{
    atomic_init(&t->given_out, false);
    atomic_init(&t->inside, 0);
    t->next = NULL;
    t->offer_at = 0;
    t->processor = sched_getcpu();
    if (t->threads < 2) {
        t->take_part(t, 0);
        return true;
    }
    if (!together) t->offer_at = offer_time(t->alone_ns);
    pthread_cond_init(&t->left, NULL);
    if (!t->offer_at && !offer(t, together)) {
        pthread_cond_destroy(&t->left);
        return false;
    }
    t->take_part(t, 0);
    if (!t->offer_at) take_back(t);
    pthread_cond_destroy(&t->left);
    return true;
}

bool pool_run(struct pool_task *t, bool together)
{
    bool ranked = atomic_load_explicit(&pool_is_ranking, memory_order_relaxed), ran;
    if (ranked) atomic_fetch_add(&pool.running[t->urgency + 1], 1);
    ran = run_task(t, together);
    if (ranked) end_ranked(t);
    return ran;
}
