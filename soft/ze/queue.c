/* queue.c - command queues, and the queue inside each immediate command list.
 *
 * Submissions run in order. Any thread that finds the queue idle may run the next one: its own thread (started with the
 * first asynchronous submission), a synchronous submitter, or a caller that waits without a timeout for the queue, one
 * of its fences or an event that it sets, which saves two thread switches. `busy` means that a thread is doing so.
 *
 * A thread that waits for a fence or an event stops there, command by command. It leaves commands that would wait for
 * other events, and host functions, to the queue's thread: the caller may have to act on those after its own wait.
 *
 * Submissions to queues with equal ordinal and index begin in the order in which they were made, those of higher
 * priority first, as on hardware, where they share an engine: none begins while another queue has an earlier one that
 * could. Once begun, those of different threads run side by side. Those of one thread run one after the other, because
 * programs rely on it, but one that waits for an event or calls the host lets the next ones pass.
 *
 * Handing each submission over to another thread would take ten times as long as a small copy. A thread whose next
 * submission is behind one of the same program's thread in another queue therefore runs that one, too, and that queue's
 * own thread leaves it to do so: it is led.
 *
 * The queue's thread would usually be too late. While work arrives, or it is led, it is therefore not called for each
 * piece: it naps, then runs what it finds. It is called if a second piece arrives before the first has begun (unless it
 * is led), or if a program asks whether something is done.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "run/pool.h"
#include "ze_soft.h"

struct soft_work {
    struct soft_work *next;
    struct soft_command *command; /* owned */
    struct soft_command *at;      /* the next to run */
    ze_fence_handle_t fence;
    uint64_t number;              /* among submissions to all queues */
    const void *thread;           /* that submitted it */
    enum { QUEUED, BEGUN, RESTING } state; /* RESTING: waits for an event or calls the host */
    ze_result_t result;           /* of the first failed command */
    uint32_t list_count, list_at; /* the next list */
    struct soft_recorded *lists[]; /* referred to */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t released; /* signalled when `held` of a queue becomes 0 */
    struct soft_queue *first;
    uint64_t last_number;
    _Atomic uint32_t active;  /* queues with submissions that are not done */
    _Atomic uint32_t in_line; /* threads waiting for an older submission to begin or rest ... */
    struct waiter *waiters;   /* ... namely these */
    _Alignas(64) _Atomic uint64_t submissions; /* written all the time, unlike what threads that run read */
} queues = {.lock = PTHREAD_MUTEX_INITIALIZER, .released = PTHREAD_COND_INITIALIZER};

static _Thread_local char this_thread; /* whose address tells threads apart */

/* Lock held. */
static void set_first(struct soft_queue *q, struct soft_work *first)
{
    q->first = first;
    atomic_store(&q->first_number, first ? first->number : UINT64_MAX);
}

/* ---- creation and destruction */

/* Priorities as numbers, which Intel's driver takes. */
struct priority {
    uint32_t stype;
    const void *next;
    int32_t value;
};

static const struct priority *find_priority(const ze_command_queue_desc_t *desc)
{
    const ze_base_desc_t *d = desc->pNext;
    while (d && (uint32_t)d->stype != 0x30028) d = d->pNext;
    return (const void *)d;
}

static ze_command_queue_priority_t priority_of(const ze_command_queue_desc_t *desc)
{
    const struct priority *p = find_priority(desc);
    return !p             ? desc->priority
           : p->value < 0 ? ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH
           : p->value > 0 ? ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW
                          : ZE_COMMAND_QUEUE_PRIORITY_NORMAL;
}

ze_result_t soft_queue_check_desc(const ze_command_queue_desc_t *d)
{
    SOFT_POINTER(d);
    if (d->ordinal >= SOFT_GROUPS)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "queue group %u of %d", d->ordinal, SOFT_GROUPS);
    if (d->index >= soft_queue_count())
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "queue index %u of %u", d->index, soft_queue_count());
    SOFT_FLAGS(d->flags, SOFT_QUEUE_FLAGS);
    if ((uint32_t)d->mode > ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if ((uint32_t)d->priority > ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const struct priority *p = find_priority(d);
    if (p && (p->value < SOFT_HIGHEST_PRIORITY || p->value > SOFT_LOWEST_PRIORITY))
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "priority %d of a queue", p->value);
    return soft_check_chain(d->pNext);
}

ze_result_t soft_queue_init(struct soft_queue *q, ze_device_handle_t device, const ze_command_queue_desc_t *desc)
{
    if (!soft_signal_init(&q->signal)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (!soft_condition_init(&q->work)) {
        soft_signal_free(&q->signal);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    q->device = device;
    q->desc = *desc;
    q->desc.priority = priority_of(desc);
    if (soft_queue_urgency(q)) pool_begin_ranking();
    set_first(q, NULL);
    pthread_mutex_lock(&queues.lock);
    q->number = ++queues.last_number;
    q->next = queues.first;
    q->link = &queues.first;
    if (q->next) q->next->link = &q->next;
    queues.first = q;
    pthread_mutex_unlock(&queues.lock);
    return ZE_RESULT_SUCCESS;
}

/* Work that waits for an event that never comes is abandoned; the rest runs. */
void soft_queue_free(struct soft_queue *q)
{
    pthread_mutex_lock(&q->signal.lock);
    atomic_store(&q->stop, true);
    if (q->awaited) soft_event_wake(q->awaited);
    pthread_cond_signal(&q->work);
    pthread_mutex_unlock(&q->signal.lock);
    if (q->started) pthread_join(q->thread, NULL);
    pthread_mutex_lock(&queues.lock);
    while (q->held) pthread_cond_wait(&queues.released, &queues.lock); /* not for long: all its work is done */
    *q->link = q->next;
    if (q->next) q->next->link = q->link;
    pthread_mutex_unlock(&queues.lock);
    pthread_cond_destroy(&q->work);
    soft_signal_free(&q->signal);
}

/* Keeps the queue with this number from being freed; NULL: it already is. */
static struct soft_queue *hold(uint64_t number)
{
    struct soft_queue *q;
    pthread_mutex_lock(&queues.lock);
    for (q = queues.first; q && q->number != number; q = q->next) continue;
    if (q) q->held++;
    pthread_mutex_unlock(&queues.lock);
    return q;
}

/* Under queues.lock. */
static void let_go(struct soft_queue *q)
{
    if (--q->held == 0) pthread_cond_broadcast(&queues.released);
}

/* ---- running */

static void set_awaited(struct soft_queue *q, ze_event_handle_t event)
{
    pthread_mutex_lock(&q->signal.lock);
    q->awaited = event;
    pthread_mutex_unlock(&q->signal.lock);
}

/* The event is stored before waiting for it, and cleared before later commands run, so it still exists when
 * soft_queue_free, under the queue's lock, wakes its waiters. */
static bool await_event(struct soft_queue *q, ze_event_handle_t event)
{
    bool set;
    set_awaited(q, event);
    set = soft_event_await(event, &q->stop);
    set_awaited(q, NULL);
    return set;
}

static struct soft_command *next_command(struct soft_work *w)
{
    while (!w->at && w->list_at < w->list_count) w->at = w->lists[w->list_at++]->first;
    return w->at;
}

/* What a helping thread waits for; {NULL, NULL}: nothing of its own. */
struct goal {
    struct soft_signal *signal;
    const bool *set;
};

/* Should a thread that only waits for `goal` run the command? */
static bool is_for_helper(const struct soft_command *c, const struct goal *goal)
{
    uint32_t i;
    if (soft_command_may_block(c) || (goal->set && soft_signal_is(goal->signal, goal->set))) return false;
    for (i = 0; i < c->wait_count; i++)
        if (!soft_event_is_set(c->waits[i])) return false;
    return true;
}

/* ---- the order in which submissions begin */

static bool run_first(struct soft_queue *q, const struct goal *goal, bool foremost);

/* Leaves the queue to its thread. Lock held. One that is up looks again before it rests. */
static void call_thread(struct soft_queue *q)
{
    if (!q->busy && (q->first || atomic_load(&q->stop)) && q->rest != SOFT_UP) pthread_cond_signal(&q->work);
}

/* The same, if it will not look itself soon. */
static void call_sleeper(struct soft_queue *q)
{
    if (q->rest == SOFT_ASLEEP) call_thread(q);
}

int soft_queue_urgency(const struct soft_queue *q)
{
    return q->desc.priority == ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH  ? 1
           : q->desc.priority == ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW ? -1
                                                                        : 0;
}

/* Must `w` wait for another submission to its engine: one that is more urgent, or as urgent and older? `first` is the
 * first in its queue. */
static bool is_behind(const struct soft_work *w, const struct soft_work *first, int more_urgent)
{
    if (!first || first->state == RESTING) return false; /* those after it cannot begin either */
    if (more_urgent ? more_urgent < 0 : first->number > w->number) return false;
    if (first->state == QUEUED) return true;
    for (const struct soft_work *at = first; at && (more_urgent || at->number < w->number); at = at->next)
        if (at->thread == w->thread) return true;
    return false;
}

static bool share_an_engine(const struct soft_queue *a, const struct soft_queue *b)
{
    return a->device == b->device && a->desc.ordinal == b->desc.ordinal && a->desc.index == b->desc.index;
}

/* The queue with the foremost submission that must begin before `w` of `q`, which is *first; NULL: none. Under
 * queues.lock. */
static struct soft_queue *queue_ahead(const struct soft_queue *q, const struct soft_work *w, uint64_t *first)
{
    struct soft_queue *ahead = NULL;
    for (struct soft_queue *other = queues.first; other; other = other->next) {
        const int more_urgent = soft_queue_urgency(other) - soft_queue_urgency(q);
        if (other == q || !share_an_engine(other, q)) continue;
        if (more_urgent <= 0 && atomic_load(&other->first_number) > w->number) continue; /* without the lock */
        pthread_mutex_lock(&other->signal.lock);
        int more = ahead ? soft_queue_urgency(other) - soft_queue_urgency(ahead) : 1;
        if (is_behind(w, other->first, more_urgent) && (more > 0 || (more == 0 && other->first->number < *first))) {
            ahead = other;
            *first = other->first->number;
        }
        pthread_mutex_unlock(&other->signal.lock);
    }
    return ahead;
}

/* A thread in line. Only the first of an engine's line can be next, so only that one is woken. */
struct waiter {
    struct waiter *next;
    const struct soft_queue *queue;
    uint64_t number;
    pthread_cond_t turn;
};

static bool comes_before(const struct waiter *a, const struct waiter *b)
{
    int more = soft_queue_urgency(a->queue) - soft_queue_urgency(b->queue);
    return more ? more > 0 : a->number < b->number;
}

static void wake_first(const struct soft_queue *of_its_engine)
{
    struct waiter *first = NULL;
    for (struct waiter *w = queues.waiters; w; w = w->next)
        if (share_an_engine(w->queue, of_its_engine) && (!first || comes_before(w, first))) first = w;
    if (first) pthread_cond_signal(&first->turn);
}

/* Runs the submission `number`, the first to `ahead`, for `w`, which is behind it, if the same thread submitted both,
 * so that they cannot run side by side, and nobody runs it yet; else calls its thread. Under queues.lock, which it
 * releases meanwhile. */
static bool run_ahead(struct soft_queue *ahead, uint64_t number, const struct soft_work *w)
{
    static const struct goal none = {NULL, NULL};
    struct soft_work *first;
    struct soft_command *next = NULL;
    pthread_mutex_lock(&ahead->signal.lock);
    first = ahead->first;
    if (first && !ahead->busy && first->number == number && first->thread == w->thread) next = next_command(first);
    if (!next || !is_for_helper(next, &none)) {
        call_thread(ahead);
        pthread_mutex_unlock(&ahead->signal.lock);
        return false;
    }
    ahead->held++;
    pthread_mutex_unlock(&queues.lock);
    run_first(ahead, &none, true);
    call_sleeper(ahead); /* for the rest, as this thread has other work */
    pthread_mutex_unlock(&ahead->signal.lock);
    pthread_mutex_lock(&queues.lock);
    let_go(ahead);
    return true;
}

/* Under queues.lock. */
static void sleep_in_line(const struct soft_queue *q, const struct soft_work *w)
{
    struct waiter self = {.next = queues.waiters, .queue = q, .number = w->number, .turn = PTHREAD_COND_INITIALIZER};
    struct waiter **link;
    queues.waiters = &self;
    pthread_cond_wait(&self.turn, &queues.lock);
    for (link = &queues.waiters; *link != &self; link = &(*link)->next) continue;
    *link = self.next;
    pthread_cond_destroy(&self.turn);
}

static void wait_in_line(const struct soft_queue *q, const struct soft_work *w)
{
    struct soft_queue *ahead;
    uint64_t first;
    pthread_mutex_lock(&queues.lock);
    atomic_fetch_add(&queues.in_line, 1); /* before looking, so that no change is missed */
    while ((ahead = queue_ahead(q, w, &first)) != NULL)
        if (!run_ahead(ahead, first, w)) sleep_in_line(q, w);
    atomic_fetch_sub(&queues.in_line, 1);
    pthread_mutex_unlock(&queues.lock);
}

/* Is nothing submitted to any queue but this one, which has work? */
static bool is_alone(void) { return atomic_load(&queues.active) == 1; }

/* After a change of the queue's first submission. */
static void move_line(const struct soft_queue *q)
{
    if (!atomic_load(&queues.in_line)) return;
    pthread_mutex_lock(&queues.lock);
    wake_first(q);
    pthread_mutex_unlock(&queues.lock);
}

/* Will the thread that runs another queue come to the first submission of this one? Two threads that take turns would
 * have to wake each other for each command. Lock held, and released meanwhile. */
static bool is_led(struct soft_queue *q)
{
    const struct soft_work w = *q->first; /* which another thread may run and free */
    struct soft_queue *ahead;
    uint64_t number;
    bool led = false;
    if (w.state != QUEUED || !q->started || is_alone()) return false;
    pthread_mutex_unlock(&q->signal.lock);
    pthread_mutex_lock(&queues.lock);
    ahead = queue_ahead(q, &w, &number);
    if (ahead) {
        pthread_mutex_lock(&ahead->signal.lock);
        led = ahead->busy && ahead->first && ahead->first->thread == w.thread;
        pthread_mutex_unlock(&ahead->signal.lock);
    }
    pthread_mutex_unlock(&queues.lock);
    pthread_mutex_lock(&q->signal.lock);
    return led;
}

/* Is there something to run that is not led? Lock held, and released meanwhile. */
static bool may_run(struct soft_queue *q) { return q->first && !q->busy && !is_led(q) && q->first && !q->busy; }

static void set_state(struct soft_queue *q, struct soft_work *w, int state)
{
    if ((int)w->state == state) return;
    pthread_mutex_lock(&q->signal.lock);
    w->state = state;
    pthread_mutex_unlock(&q->signal.lock);
    move_line(q);
}

/* ---- commands */

/* Waits, runs, signals. ZE_RESULT_NOT_READY: the queue was freed before the awaited events were set. */
static ze_result_t run_command(struct soft_queue *q, struct soft_work *w, struct soft_command *c)
{
    for (uint32_t i = 0; i < c->wait_count; i++) {
        if (soft_event_is_set(c->waits[i])) continue;
        set_state(q, w, RESTING);
        if (!await_event(q, c->waits[i])) return ZE_RESULT_NOT_READY;
    }
    if (soft_command_may_block(c))
        set_state(q, w, RESTING);
    else if (w->state != QUEUED || c->kind == SOFT_CMD_LAUNCH)
        set_state(q, w, BEGUN); /* other threads' submissions need not wait for a launch, which may take long */
    return soft_command_run(c, soft_queue_urgency(q), &q->stop);
}

/* False if it stopped before the end, at the goal. */
static bool run_work(struct soft_queue *q, struct soft_work *w, const struct goal *goal)
{
    struct soft_command *c;
    ze_result_t r = ZE_RESULT_SUCCESS;
    while (r != ZE_RESULT_NOT_READY && (c = next_command(w)) != NULL) {
        if (goal && !is_for_helper(c, goal)) return false;
        w->at = c->next; /* a thread that waited for the last command's event may destroy the list at once */
        r = run_command(q, w, c);
        if (next_command(w)) set_state(q, w, BEGUN);
        /* The rest still runs, because its events may be awaited. */
        if (r == ZE_RESULT_NOT_READY || w->result == ZE_RESULT_SUCCESS) w->result = r;
    }
    if (w->fence && r != ZE_RESULT_NOT_READY) soft_fence_set(w->fence, w->result);
    soft_command_free(w->command);
    for (uint32_t i = 0; i < w->list_count; i++) soft_recorded_release(w->lists[i]);
    return true;
}

/* Runs the first submission, to the end or to the goal (NULL: none); true at the end. foremost: no other submission to
 * its engine is before it. Called with the lock held, which it releases meanwhile; no other thread may be busy. */
static bool run_first(struct soft_queue *q, const struct goal *goal, bool foremost)
{
    struct soft_work *w = q->first;
    bool done, may_begin = foremost || w->state != QUEUED || is_alone();
    q->busy = true;
    pthread_mutex_unlock(&q->signal.lock);
    if (!may_begin) wait_in_line(q, w);
    done = run_work(q, w, goal);
    pthread_mutex_lock(&q->signal.lock);
    q->busy = false;
    if (done) {
        set_first(q, w->next);
        if (++q->completed == q->submitted) atomic_fetch_sub(&queues.active, 1);
        if (q->failed == ZE_RESULT_SUCCESS) q->failed = w->result;
        free(w);
    }
    pthread_cond_broadcast(&q->signal.changed);
    if (!done) return false;
    if (atomic_load(&queues.in_line) || soft_gone_waits()) {
        pthread_mutex_unlock(&q->signal.lock);
        move_line(q);
        if (soft_gone_waits()) soft_gone_collect(soft_queues_first);
        pthread_mutex_lock(&q->signal.lock);
    }
    return true;
}

enum { NAP_NS = 100000, NAPS = 10, LOW_NICE = 10 };

/* Until there may be something to do for the queue's thread. Lock held. */
static void rest(struct soft_queue *q)
{
    const bool led = q->first && !q->busy;
    uint64_t submitted = q->submitted;
    if (!q->first && !q->busy && atomic_load(&q->stop)) return; /* since it looked */
    q->rest = led ? SOFT_LED : q->naps ? SOFT_NAPPING : SOFT_ASLEEP;
    soft_condition_wait(&q->work, &q->signal.lock, q->rest == SOFT_ASLEEP ? UINT64_MAX : soft_now() + NAP_NS);
    if (q->rest == SOFT_ASLEEP || q->submitted != submitted)
        q->naps = NAPS;
    else if (!led)
        q->naps--;
    q->rest = SOFT_UP;
}

static void *queue_thread(void *pointer)
{
    struct soft_queue *q = pointer;
    pool_own_thread();
    if (soft_queue_urgency(q) < 0) setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), LOW_NICE);
    pthread_mutex_lock(&q->signal.lock);
    while (q->first || q->busy || !atomic_load(&q->stop)) {
        if (may_run(q))
            run_first(q, NULL, false);
        else
            rest(q);
    }
    pthread_mutex_unlock(&q->signal.lock);
    return NULL;
}

static bool start_thread(struct soft_queue *q)
{
    if (!q->started) q->started = pool_start_thread(&q->thread, queue_thread, q);
    return q->started;
}

/* Lock held. False if the deadline passed. */
static bool await_number(struct soft_queue *q, uint64_t number, bool help, uint64_t deadline)
{
    while (q->completed < number) {
        if (help && may_run(q))
            run_first(q, NULL, false);
        else if (q->completed < number && !soft_signal_wait(&q->signal, deadline) && q->completed < number)
            return false;
    }
    call_thread(q);
    return true;
}

static ze_result_t take_failure(struct soft_queue *q)
{
    ze_result_t result = q->failed;
    q->failed = ZE_RESULT_SUCCESS;
    return result;
}

/* Records that this queue will set the commands' events. Resets the moments of a list that runs again. */
static void name_queue(struct soft_command *c, uint64_t number)
{
    for (; c; c = c->next) {
        if (c->signals_moment) soft_event_clear(c->signal);
        if (c->signal) atomic_store_explicit(&c->signal->queue, number, memory_order_relaxed);
    }
}

ze_result_t soft_queue_submit(struct soft_queue *q, struct soft_command *command, uint32_t list_count,
                              ze_command_list_handle_t *lists, ze_fence_handle_t fence)
{
    struct soft_work *w = malloc(sizeof *w + list_count * sizeof w->lists[0]);
    ze_result_t result = w ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    bool asynchronous = q->desc.mode != ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    uint32_t i;
    if (command) name_queue(command, q->number);
    for (i = 0; i < list_count; i++)
        if (lists[i]->signals) name_queue(lists[i]->recorded->first, q->number);
    pthread_mutex_lock(&q->signal.lock);
    if (w && asynchronous && !start_thread(q)) {
        free(w);
        result = soft_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no thread for the queue");
    }
    if (result != ZE_RESULT_SUCCESS) {
        pthread_mutex_unlock(&q->signal.lock);
        soft_command_abandon(command, result);
        return result;
    }
    *w = (struct soft_work){
        .thread = &this_thread, .command = command, .at = command, .fence = fence, .list_count = list_count};
    for (i = 0; i < list_count; i++) soft_recorded_retain(w->lists[i] = lists[i]->recorded);
    if (q->submitted++ == q->completed) atomic_fetch_add(&queues.active, 1);
    w->number = atomic_fetch_add(&queues.submissions, 1) + 1;
    if (q->first)
        *q->last = w;
    else
        set_first(q, w);
    q->last = &w->next;
    if (asynchronous) {
        if (q->rest == SOFT_NAPPING && q->first != w)
            call_thread(q);
        else
            call_sleeper(q);
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
    if (timeout != UINT64_MAX) call_thread(q);
    if (await_number(q, q->submitted, timeout == UINT64_MAX, deadline)) result = take_failure(q);
    pthread_mutex_unlock(&q->signal.lock);
    return result;
}

static void visit(uint64_t number, const struct goal *goal)
{
    struct soft_queue *q = hold(number);
    if (!q) return;
    pthread_mutex_lock(&q->signal.lock);
    while (goal && may_run(q) && run_first(q, goal, false)) continue;
    call_thread(q);
    pthread_mutex_unlock(&q->signal.lock);
    pthread_mutex_lock(&queues.lock);
    let_go(q);
    pthread_mutex_unlock(&queues.lock);
}

void soft_queue_help(uint64_t number, struct soft_signal *signal, const bool *set)
{
    const struct goal goal = {signal, set};
    visit(number, &goal);
}

void soft_queue_hurry(uint64_t number) { visit(number, NULL); }

/* Does not hold the list's lock while waiting, so that other threads can create queues. */
void soft_queues_drain(void)
{
    struct soft_queue *q;
    pthread_mutex_lock(&queues.lock);
    for (q = queues.first; q; q = q->next) {
        q->held++; /* so that it stays in the list */
        pthread_mutex_unlock(&queues.lock);
        pthread_mutex_lock(&q->signal.lock);
        await_number(q, q->submitted, true, UINT64_MAX);
        pthread_mutex_unlock(&q->signal.lock);
        pthread_mutex_lock(&queues.lock);
        let_go(q);
    }
    pthread_mutex_unlock(&queues.lock);
}

uint64_t soft_queues_last(void) { return atomic_load(&queues.submissions); }

uint64_t soft_queues_first(void)
{
    uint64_t first = UINT64_MAX;
    struct soft_queue *q;
    pthread_mutex_lock(&queues.lock);
    for (q = queues.first; q; q = q->next) {
        pthread_mutex_lock(&q->signal.lock);
        if (q->first && q->first->number < first) first = q->first->number;
        pthread_mutex_unlock(&q->signal.lock);
    }
    pthread_mutex_unlock(&queues.lock);
    return first;
}

void soft_queues_keep(struct soft_gone *g, void (*end)(struct soft_gone *))
{
    soft_gone_add(g, end, soft_queues_last);
    soft_gone_collect(soft_queues_first);
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
    result = soft_queue_init(&q->queue, device, desc);
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
        if (lists[i]->desc.commandQueueGroupOrdinal != queue->queue.desc.ordinal)
            return soft_fail(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, "list %u is for queues of group %u", i,
                             lists[i]->desc.commandQueueGroupOrdinal);
        if (!lists[i]->closed) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "list %u is not closed", i);
    }
    return soft_queue_submit(&queue->queue, NULL, count, lists, fence);
}

ze_result_t zeCommandQueueSynchronize(ze_command_queue_handle_t queue, uint64_t timeout)
{
    SOFT_HANDLE(queue, SOFT_QUEUE);
    return soft_queue_synchronize(&queue->queue, timeout);
}

SOFT_GETTER(zeCommandQueueGetOrdinal, ze_command_queue_handle_t, SOFT_QUEUE, uint32_t, handle->queue.desc.ordinal)
SOFT_GETTER(zeCommandQueueGetIndex, ze_command_queue_handle_t, SOFT_QUEUE, uint32_t, handle->queue.desc.index)
