/* scheduler.c - see scheduler.h. In order: a thread's state between launches, one subgroup, work-groups with barriers,
 * work-groups without, a thread's share of a launch, launches.
 */
#define _GNU_SOURCE
#include "scheduler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "coroutine.h"
#include "faults.h"
#include "image.h"
#include "build/jit.h"
#include "pool.h"
#include "print.h"
#include "spirv/host_state.h"

#define STACK_MARGIN ((size_t)32 << 10)  /* for barrier, printf and the C library below the kernel's own frame */
#define STACK_FOREIGN ((size_t)64 << 10) /* what a kernel may use of a stack that is not ours */
#define STACK_LIMIT ((uint64_t)1 << 30)
#define LOCAL_ALIGN ((size_t)4096)
#define SHARED_ALIGN ((size_t)2 << 20)
#define PARAM_ALIGN ((uint64_t)128) /* the widest OpenCL type */
#define MAX_PARTS 64u
#define SHORT_NS 5000u /* launches that take one thread less would be slower with several */
#define CHUNK_NS 1000u /* makes the cost of claiming negligible */

struct group;

/* A subgroup of a work-group that has barriers. */
struct fiber {
    struct coroutine co;
    struct xs_subgroup sg;
    struct group *group;
    uint32_t index;
    enum { FIBER_DONE, FIBER_READY, FIBER_WAITS } state;
    bool arrived; /* has arrived at the barrier of `phase` but not yet waited */
    uint64_t phase;
};

/* A thread's state between launches. */
struct worker {
    uint8_t *local;
    size_t local_bytes;
    uint8_t *args;
    size_t args_bytes;
    uint8_t *frames; /* frames of kernels that return at barriers */
    size_t frames_bytes;
    struct fiber **fibers;
    uint32_t fiber_count, fiber_capacity;
    struct coroutine own, deep; /* the thread's own stack; a larger one for kernels that need it */
    const struct sched_observer *observer; /* of observed launches ... */
    void *observed;                        /* ... and its state for this thread */
    struct xs_thread thread;
    bool measured;
    uintptr_t low, high; /* bounds of a foreign thread's stack, once measured; 0: unknown */
};

/* Consecutive work-groups for one thread, the same in repeated launches because its caches then contain their memory. A
 * thread that has finished its part helps with the others. */
struct part {
    _Alignas(64) _Atomic uint64_t next; /* the first unclaimed one */
    uint64_t end;
};

struct job {
    struct pool_task task;
    struct sched_launch *launch;
    uint64_t chunk; /* work-groups claimed at once */
    struct pace *pace;
    uint64_t deadline; /* 0: none */
    _Atomic int result;
    unsigned part_count;
    struct part parts[MAX_PARTS];
};

/* The state of a thread running work-groups. */
struct group {
    struct worker *worker;
    struct job *job;
    const uint8_t *args;
    uint64_t first, last; /* the claimed range, for running all of it on the deep stack */
    unsigned part;        /* the part of the job they are in */
    unsigned helps;       /* 0: the launching thread */
    uint64_t claimed;     /* number of work-groups claimed so far */
    uint32_t subgroups, lanes_total, arrived, running;
    uint64_t phase;
    const char *error;
    bool fibers, deep; /* how they run */
    struct fault fault;
};

static pthread_mutex_t cooperative_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t worker_key;
static pthread_once_t worker_once = PTHREAD_ONCE_INIT;

/* ---- a thread's state ------- */

static void worker_free(void *pointer)
{
    struct worker *w = pointer;
    uint32_t i;
    for (i = 0; i < w->fiber_count; i++) {
        co_destroy(&w->fibers[i]->co);
        free(w->fibers[i]);
    }
    co_destroy(&w->deep);
    free(w->fibers);
    free(w->local);
    free(w->args);
    free(w->frames);
    free(w->thread.shared);
    if (w->observer) w->observer->worker_free(w->observed);
    free(w);
}

static void worker_make_key(void) { pthread_key_create(&worker_key, worker_free); }

static struct worker *worker_get(void)
{
    struct worker *w;
    pthread_once(&worker_once, worker_make_key);
    w = pthread_getspecific(worker_key);
    if (w) return w;
    w = calloc(1, sizeof *w);
    if (!w || pthread_setspecific(worker_key, w) != 0) {
        free(w);
        return NULL;
    }
    return w;
}

static void measure_stack(struct worker *w)
{
    pthread_attr_t attr;
    size_t bytes;
    void *low;
    w->measured = true;
    if (pthread_getattr_np(pthread_self(), &attr) != 0) return;
    if (pthread_attr_getstack(&attr, &low, &bytes) == 0) {
        w->low = (uintptr_t)low;
        w->high = w->low + bytes;
    }
    pthread_attr_destroy(&attr);
}

/* How much of its current stack a kernel may use: half of what is left, limited if the thread is the program's. Nothing
 * of a stack that the program has made and switched to, whose size is unknown. Our threads are measured, too: the
 * program's thread-local variables take their part of every stack. */
static size_t stack_room(struct worker *w)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    size_t half;
    if (!w->measured) measure_stack(w);
    if (here <= w->low || here >= w->high) return w->low ? 0 : STACK_FOREIGN;
    half = (here - w->low) / 2;
    return pool_owns_thread() || half < STACK_FOREIGN ? half : STACK_FOREIGN;
}

static bool grow_aligned(uint8_t **buffer, size_t *have, size_t want)
{
    void *bigger;
    if (want <= *have) return true;
    want = (want + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
    if (posix_memalign(&bigger, LOCAL_ALIGN, want) != 0) return false;
    memset(bigger, 0, want);
    free(*buffer);
    *buffer = bigger;
    *have = want;
    return true;
}

/* Memory for blocks that subgroups share: in huge pages, if the system has them, since a launch reads all of it in
 * turns. What is not written is not read. */
static bool place_shared(struct xs_thread *t)
{
    void *memory;
    if (t->shared) return true;
    if (posix_memalign(&memory, SHARED_ALIGN, XS_SHARED_BYTES) != 0) return false;
    madvise(memory, XS_SHARED_BYTES, MADV_HUGEPAGE);
    t->shared = memory;
    return true;
}

/* Ensures `count` fibers with sufficiently large stacks, limited so that those of all threads fit in memory: the system
 * promises any amount, and kills processes that use it. */
static bool worker_fibers(struct worker *w, uint32_t count, size_t stack_bytes)
{
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint32_t i;
    if (stack_bytes > memory / sched_threads() / count) return false;
    if (count > w->fiber_capacity) {
        struct fiber **bigger = realloc(w->fibers, count * sizeof *bigger);
        if (!bigger) return false;
        w->fibers = bigger;
        w->fiber_capacity = count;
    }
    for (i = w->fiber_count; i < count; i++) {
        w->fibers[i] = calloc(1, sizeof *w->fibers[i]);
        if (!w->fibers[i]) return false;
        w->fibers[i]->index = i;
        w->fiber_count = i + 1;
    }
    for (i = 0; i < count; i++) {
        struct coroutine *co = &w->fibers[i]->co;
        if (co->map && co->stack_bytes >= stack_bytes) continue;
        co_destroy(co);
        if (!co_create(co, stack_bytes)) return false;
        w->fibers[i]->group = NULL; /* not started */
    }
    return true;
}

/* ---- one subgroup ---- */

/* A work-group with a single subgroup need not wait. */
static void barrier_alone(struct xs_subgroup *self, uint32_t kind)
{
    (void)self;
    (void)kind;
    atomic_thread_fence(memory_order_acq_rel);
}

static void subgroup_fill(struct xs_subgroup *sg, const struct group *g, uint32_t subgroup_id)
{
    const struct sched_launch *l = g->job->launch;
    uint32_t size = l->kernel->subgroup_size, first = subgroup_id * size, rest = g->lanes_total - first;
    memcpy(sg->group_count, l->group_count, sizeof sg->group_count);
    memcpy(sg->local_size, l->local_size, sizeof sg->local_size);
    memcpy(sg->global_offset, l->global_offset, sizeof sg->global_offset);
    sg->subgroup_id = subgroup_id;
    sg->subgroup_count = g->subgroups;
    sg->lanes = rest < size ? rest : size;
    sg->local_first[0] = first % l->local_size[0];
    sg->local_first[1] = first / l->local_size[0] % l->local_size[1];
    sg->local_first[2] = first / l->local_size[0] / l->local_size[1];
    sg->frames = g->worker->frames;
    sg->work_dim = l->work_dim;
    sg->local = g->worker->local;
    sg->local_bytes = g->worker->local_bytes;
    sg->globals = l->globals;
    sg->barrier = barrier_alone;
    sg->print = print_format;
    sg->driver = NULL;
    sg->kernel = l->kernel;
    sg->images = &image_functions;
    sg->error = NULL;
    sg->thread = &g->worker->thread;
    sg->check = l->observer ? l->observer->subgroup(g->worker->observed, subgroup_id) : NULL;
}

static void subgroup_place(struct xs_subgroup *sg, const struct sched_launch *l, uint64_t linear)
{
    uint64_t plane = linear / l->group_count[0];
    sg->group_id[0] = (uint32_t)(linear % l->group_count[0]);
    sg->group_id[1] = (uint32_t)(plane % l->group_count[1]);
    sg->group_id[2] = (uint32_t)(plane / l->group_count[1]);
}

/* ---- work-groups with barriers ---- */

/* The next subgroup that can continue, round-robin; NULL if none can. */
static struct fiber *next_fiber(const struct group *g, uint32_t after)
{
    uint32_t i, at = after;
    for (i = 0; i < g->subgroups; i++) {
        struct fiber *f;
        if (++at >= g->subgroups) at = 0;
        f = g->worker->fibers[at];
        if (f->state == FIBER_READY || (f->state == FIBER_WAITS && f->phase != g->phase)) return f;
    }
    return NULL;
}

/* Abandons the work-group and its fibers. */
static void group_fails(struct fiber *self, const char *why)
{
    self->group->error = why;
    co_switch(&self->co, &self->group->worker->own);
    __builtin_trap(); /* abandoned fibers are restarted, never resumed */
}

static void arrive(struct fiber *self)
{
    struct group *g = self->group;
    if (self->arrived)
        group_fails(self, "a subgroup reaches a barrier between the arrival at and the wait for another");
    self->arrived = true;
    self->phase = g->phase;
    if (++g->arrived == g->subgroups) {
        g->arrived = 0;
        g->phase++;
    }
}

static void wait_for_phase(struct fiber *self)
{
    struct group *g = self->group;
    if (!self->arrived) group_fails(self, "a subgroup waits for a split barrier at which it has not arrived");
    self->arrived = false;
    while (self->phase == g->phase) {
        struct fiber *next;
        self->state = FIBER_WAITS;
        next = next_fiber(g, self->index);
        if (!next) group_fails(self, "a barrier is reached by some subgroups of a work-group only");
        co_switch(&self->co, &next->co);
    }
    self->state = FIBER_READY;
}

static void barrier(struct xs_subgroup *sg, uint32_t kind)
{
    struct fiber *self = sg->driver;
    atomic_thread_fence(memory_order_acq_rel);
    if (kind != XS_BARRIER_WAIT) arrive(self);
    if (kind != XS_BARRIER_ARRIVE) wait_for_phase(self);
    if (kind != XS_BARRIER_ARRIVE && sg->check) self->group->job->launch->observer->barrier_passed(sg);
    atomic_thread_fence(memory_order_acq_rel);
}

static void fiber_body(void *pointer)
{
    struct fiber *self = pointer;
    for (;;) {
        struct group *g = self->group;
        struct fiber *next;
        g->job->launch->kernel->run(&self->sg, g->args);
        self->state = FIBER_DONE;
        next = --g->running ? next_fiber(g, self->index) : NULL;
        if (self->arrived)
            g->error = "a subgroup ends between the arrival at and the wait for a split barrier";
        else if (g->running && !next)
            g->error = "a barrier is reached by some subgroups of a work-group only";
        co_switch(&self->co, next && !g->error ? &next->co : &g->worker->own);
    }
}

static bool fibers_ready(struct group *g)
{
    const struct xs_kernel *k = g->job->launch->kernel;
    uint32_t i;
    if (!worker_fibers(g->worker, g->subgroups, k->stack_bytes + STACK_MARGIN)) return false;
    for (i = 0; i < g->subgroups; i++) {
        struct fiber *f = g->worker->fibers[i];
        subgroup_fill(&f->sg, g, i);
        f->sg.barrier = barrier;
        f->sg.driver = f;
        f->arrived = false;
        f->group = g;
        co_start(&f->co, fiber_body, f);
    }
    return true;
}

static void run_with_barriers(struct group *g, uint64_t linear)
{
    uint32_t i;
    g->arrived = 0;
    g->running = g->subgroups;
    if (g->job->launch->observer) g->job->launch->observer->group_begin(g->worker->observed);
    for (i = 0; i < g->subgroups; i++) {
        struct fiber *f = g->worker->fibers[i];
        subgroup_place(&f->sg, g->job->launch, linear);
        f->state = FIBER_READY;
    }
    g->fault.subgroup = &g->worker->fibers[0]->sg;
    co_switch(&g->worker->own, &g->worker->fibers[0]->co);
}

/* ---- work-groups without ---- */

static void run_whole_groups(struct group *g)
{
    const struct sched_launch *l = g->job->launch;
    uint64_t all = g->last - g->first, step = l->observer ? 1 : all; /* observers are notified of each */
    struct xs_subgroup sg;
    int missed = 0;
    for (uint64_t done = 0; done < all && !missed; done += step) {
        if (l->observer) l->observer->group_begin(g->worker->observed);
        subgroup_fill(&sg, g, 0);
        subgroup_place(&sg, l, g->first + done);
        g->fault.subgroup = &sg;
        missed = l->kernel->run_groups(&sg, g->args, step);
        g->fault.subgroup = NULL;
    }
    if (!missed) return;
    g->error = sg.error ? sg.error : "a barrier is reached by some subgroups of a work-group only";
    g->first = sg.group_id[0] + l->group_count[0] * (sg.group_id[1] + (uint64_t)l->group_count[1] * sg.group_id[2]);
}

static void run_range(struct group *g)
{
    const struct sched_launch *l = g->job->launch;
    struct xs_subgroup sg;
    uint64_t linear;
    uint32_t i;
    /* In checked mode, a kernel with frames was built without checks. */
    if (l->kernel->run_groups && (!l->observer || l->kernel->frame_bytes)) {
        run_whole_groups(g);
        return;
    }
    g->fault.subgroup = &sg;
    for (linear = g->first; linear < g->last; linear++) {
        if (l->observer) l->observer->group_begin(g->worker->observed);
        for (i = 0; i < g->subgroups; i++) {
            subgroup_fill(&sg, g, i); /* each time, because a kernel may modify its copy */
            subgroup_place(&sg, l, linear);
            l->kernel->run(&sg, g->args);
        }
    }
    g->fault.subgroup = NULL;
}

static void deep_body(void *pointer)
{
    struct group *g = pointer;
    run_range(g);
    co_switch(&g->worker->deep, &g->worker->own);
}

static bool run_on_deep_stack(struct group *g)
{
    struct worker *w = g->worker;
    size_t want = g->job->launch->kernel->stack_bytes + STACK_MARGIN;
    if (!w->deep.map || w->deep.stack_bytes < want) {
        co_destroy(&w->deep);
        if (!co_create(&w->deep, want)) return false;
    }
    co_start(&w->deep, deep_body, g);
    co_switch(&w->own, &w->deep);
    return true;
}

/* ---- a thread's share of a launch ---- */

uint64_t sched_local_bytes(const struct xs_kernel *k, const uint8_t *args)
{
    uint64_t bytes = k->local_bytes, size;
    uint32_t i;
    for (i = 0; i < k->param_count; i++) {
        if (k->params[i].kind != XS_PARAM_LOCAL) continue;
        memcpy(&size, args + k->params[i].offset, sizeof size);
        bytes = (bytes + PARAM_ALIGN - 1) / PARAM_ALIGN * PARAM_ALIGN;
        if (size > UINT64_MAX / 2 - bytes) return UINT64_MAX;
        bytes += size;
    }
    return bytes;
}

/* Sets up the thread's local memory, and its own argument block if arguments point into it. */
static bool place_local(struct group *g)
{
    const struct xs_kernel *k = g->job->launch->kernel;
    struct worker *w = g->worker;
    uint64_t at = k->local_bytes, size, address;
    bool copied = false;
    uint32_t i;
    /* One line more than requested, so that empty local memory has an address and vector loads at its end are safe. */
    if (!grow_aligned(&w->local, &w->local_bytes, (size_t)sched_local_bytes(k, g->args) + 64)) return false;
    for (i = 0; i < k->param_count; i++) {
        const struct xs_param *p = &k->params[i];
        if (p->kind != XS_PARAM_LOCAL) continue;
        if (!copied) {
            if (!grow_aligned(&w->args, &w->args_bytes, k->args_bytes)) return false;
            memcpy(w->args, g->args, k->args_bytes);
            copied = true;
        }
        memcpy(&size, g->args + p->offset, sizeof size);
        at = (at + PARAM_ALIGN - 1) / PARAM_ALIGN * PARAM_ALIGN;
        address = (uint64_t)(uintptr_t)w->local + at;
        memcpy(w->args + p->offset, &address, sizeof address);
        at += size;
    }
    if (copied) g->args = w->args;
    return true;
}

static uint64_t limit_ns;
static pthread_once_t limit_once = PTHREAD_ONCE_INIT;

static void read_limit(void)
{
    const char *wish = getenv("XETILE_SOFT_RUN_LIMIT");
    double seconds = wish ? sp_real_read(wish, NULL) : 0;
    limit_ns = seconds > 0 && seconds < 1e9 ? (uint64_t)(seconds * 1e9) : 0;
}

/* The time limit of a launch; 0: none. */
static uint64_t run_limit(void)
{
    pthread_once(&limit_once, read_limit);
    return limit_ns;
}

/* Did the access overflow the stack of one of the thread's subgroups, or the thread's own? */
static bool ran_over_stack(struct worker *w, const void *address)
{
    struct coroutine own = {.guard_bytes = CO_GUARD};
    for (uint32_t i = 0; i < w->fiber_count; i++)
        if (co_overflowed(&w->fibers[i]->co, address)) return true;
    if (co_overflowed(&w->deep, address)) return true;
    if (!w->measured) measure_stack(w);
    own.stack = own.map = (void *)w->low;
    own.stack_bytes = w->high - w->low;
    return co_overflowed(&own, address);
}

static void describe_fault(const struct group *g, char *text, size_t size)
{
    const void *address = g->fault.address;
    if (g->fault.late)
        snprintf(text, size, "it did not finish within the %s s of XETILE_SOFT_RUN_LIMIT",
                 sp_real_text((double)run_limit() * 1e-9).s);
    else if (address && ran_over_stack(g->worker, address))
        snprintf(text, size, "it ran out of stack: it has %u bytes per subgroup",
                 g->job->launch->kernel->stack_bytes);
    else if (address)
        snprintf(text, size, "invalid access to %p; XETILE_SOFT_CHECK=1 tells which", address);
    else
        snprintf(text, size, "access through a null or wild pointer; XETILE_SOFT_CHECK=1 tells which");
}

/* Records the reason of the first failure. */
static void job_fails(struct job *j, enum sched_result result, const struct group *g, uint64_t linear)
{
    struct sched_launch *l = j->launch;
    struct xs_subgroup where;
    char fault[128];
    int ok = SCHED_OK;
    if (!atomic_compare_exchange_strong(&j->result, &ok, (int)result)) return;
    subgroup_place(&where, l, linear);
    if (result == SCHED_FAULT) {
        memcpy(where.group_id, g->fault.group_id, sizeof where.group_id);
        describe_fault(g, fault, sizeof fault);
    }
    if (result == SCHED_NO_MEMORY)
        snprintf(l->error, sizeof l->error, "kernel %.80s: no memory for its stacks or local memory", l->kernel->name);
    else
        snprintf(l->error, sizeof l->error, "kernel %.80s, work-group (%u, %u, %u): %s", l->kernel->name,
                 where.group_id[0], where.group_id[1], where.group_id[2],
                 result == SCHED_FAULT ? fault : g->error);
}

static bool claim_from(struct job *j, unsigned part, struct group *g)
{
    struct part *p = &j->parts[part];
    if (atomic_load_explicit(&p->next, memory_order_relaxed) >= p->end) return false; /* keeps `next` from wrapping */
    g->first = atomic_fetch_add_explicit(&p->next, j->chunk, memory_order_relaxed);
    if (g->first >= p->end) return false;
    g->last = p->end - g->first > j->chunk ? g->first + j->chunk : p->end;
    g->part = part;
    g->claimed += g->last - g->first;
    return true;
}

/* Claims work-groups of the thread's own part, then of the others, beginning with the first. The caller owns the first
 * part, so all work-groups before its own have begun, and one that waits for an earlier one does not wait forever. */
static bool claim(struct job *j, struct group *g)
{
    unsigned i;
    if (atomic_load_explicit(&j->result, memory_order_relaxed) == SCHED_OK) {
        if (claim_from(j, g->part, g)) return true;
        for (i = 0; i < j->part_count; i++)
            if (claim_from(j, i, g)) return true;
    }
    atomic_store_explicit(&j->task.given_out, true, memory_order_relaxed);
    return false;
}

/* Runs g->first to g->last; false if the launch has failed. */
static bool run_claimed(struct job *j, struct group *g)
{
    uint64_t linear;
    if (!g->fibers) {
        if (g->deep && !run_on_deep_stack(g)) {
            job_fails(j, SCHED_NO_MEMORY, g, g->first);
            return false;
        }
        if (!g->deep) run_range(g);
        if (g->error) job_fails(j, SCHED_BARRIER, g, g->first);
        return !g->error;
    }
    for (linear = g->first; linear < g->last; linear++) {
        run_with_barriers(g, linear);
        if (!g->error) continue;
        if (j->launch->observer) j->launch->observer->barrier_missed(g->worker->observed);
        job_fails(j, SCHED_BARRIER, g, linear);
        return false;
    }
    return true;
}

static void run_all(void *pointer)
{
    struct group *g = pointer;
    while (run_claimed(g->job, g) && pool_between(&g->job->task, g->helps) && claim(g->job, g)) continue;
}

/* The recent duration of a kernel's work-groups: short launches are better run by one thread. Kernels may share an
 * entry, which costs no more than a wrong guess. */
struct pace {
    _Atomic uint32_t group_ns; /* in 1/256 ns; 0: unknown */
};

#define PACE_PARTS 256u
static struct pace paces[1024];

static struct pace *pace_of(const struct xs_kernel *k)
{
    return &paces[(uint64_t)((uintptr_t)k / sizeof(void *)) * 0x9e3779b97f4a7c15u >> 54];
}

static void keep_pace(const struct job *j, uint64_t groups, uint64_t ns)
{
    uint64_t before = atomic_load_explicit(&j->pace->group_ns, memory_order_relaxed), now;
    now = ns < SHORT_NS * 1000u ? ns * PACE_PARTS / groups + 1 : UINT32_MAX;
    if (before && now > 4 * before) now = 4 * before; /* the thread may have been preempted */
    if (before) now = (now + 3 * before) / 4;
    atomic_store_explicit(&j->pace->group_ns, now < UINT32_MAX ? (uint32_t)now : UINT32_MAX, memory_order_relaxed);
}

/* Determines the number of work-groups claimed at once, and how long the caller works alone. */
static void plan(struct job *j, uint64_t groups, uint64_t threads)
{
    uint64_t pace = atomic_load_explicit(&j->pace->group_ns, memory_order_relaxed), some = groups / (threads * 4);
    j->chunk = groups / (threads * 16);
    if (j->chunk > 64) j->chunk = 64;
    if (pace && some > CHUNK_NS * PACE_PARTS / pace) some = CHUNK_NS * PACE_PARTS / pace;
    if (pace && j->chunk < some) j->chunk = some;
    if (j->chunk < 1) j->chunk = 1;
    j->task.alone_ns = pace && groups < SHORT_NS * PACE_PARTS / pace ? SHORT_NS : 0;
}

static void work_on_claimed(struct job *j, struct group *g, bool timed)
{
    struct worker *w = g->worker;
    uint64_t began;
    g->deep = j->launch->kernel->stack_bytes + STACK_MARGIN > stack_room(w);
    if (g->fibers || g->deep) co_adopt(&w->own);
    if (g->fibers && !fibers_ready(g)) {
        job_fails(j, SCHED_NO_MEMORY, g, g->first);
        return;
    }
    g->fault.deadline = j->deadline;
    g->fault.code = (const void *)(uintptr_t)j->launch->kernel->run;
    began = timed ? pool_now() : 0;
    fault_run(&g->fault, run_all, g);
    if (timed) keep_pace(j, g->claimed, pool_now() - began);
    if (g->fault.happened) job_fails(j, SCHED_FAULT, g, 0);
    jit_release_thread(&w->thread);
}

/* Notifies the observer, if any, that the thread takes part. */
static bool observe(struct worker *w, const struct sched_launch *l, const struct group *g)
{
    if (!l->observer) return true;
    w->observer = l->observer;
    return l->observer->worker_begin(&w->observed, l, g->args, w->local, g->subgroups);
}

static void take_part(struct pool_task *task, unsigned part)
{
    struct job *j = (struct job *)task; /* the task is its first member */
    const struct sched_launch *l = j->launch;
    const struct xs_kernel *k = l->kernel;
    struct worker *w = worker_get();
    struct group g = {.worker = w, .job = j, .args = l->args, .part = part % j->part_count, .helps = part};
    struct sp_floating_state program; /* kernels run in the default state */
    if (!claim(j, &g)) return; /* before any set-up: most launches are short */
    g.lanes_total = l->local_size[0] * l->local_size[1] * l->local_size[2];
    g.subgroups = (g.lanes_total + k->subgroup_size - 1) / k->subgroup_size;
    g.fibers = k->has_barrier && g.subgroups > 1 && !k->frame_bytes;
    if (!w || k->stack_bytes > STACK_LIMIT || !place_local(&g) ||
        !grow_aligned(&w->frames, &w->frames_bytes, (size_t)k->frame_bytes * g.subgroups) ||
        (k->shares_blocks && !place_shared(&w->thread)) ||
        !observe(w, l, &g)) {
        job_fails(j, SCHED_NO_MEMORY, &g, g.first);
        return;
    }
    sp_floating_enter(&program);
    work_on_claimed(j, &g, !part && task->threads > 1);
    sp_floating_leave(&program);
}

/* ---- launches ---- */

unsigned sched_threads(void) { return pool_threads(); }

void sched_shutdown(void) { pool_shutdown(); }

/* The number of threads for a launch: a sub-device has a share of them. */
static unsigned threads_for(const struct sched_launch *l)
{
    unsigned all = sched_threads();
    return l->threads && l->threads < all && !l->cooperative ? l->threads : all;
}

static uint64_t count_groups(const struct sched_launch *l)
{
    uint64_t plane = (uint64_t)l->group_count[0] * l->group_count[1];
    return l->group_count[2] && plane > UINT64_MAX / 2 / l->group_count[2] ? UINT64_MAX / 2 : plane * l->group_count[2];
}

/* Divides the launch into parts of nearly equal size. */
static void deal_out(struct job *j, uint64_t total)
{
    uint64_t share = total / j->part_count, rest = total % j->part_count, at = 0;
    for (unsigned i = 0; i < j->part_count; i++) {
        atomic_init(&j->parts[i].next, at);
        at += share + (i < rest);
        j->parts[i].end = at;
    }
}

enum sched_result sched_run(struct sched_launch *l)
{
    struct job j = {.launch = l, .task = {.take_part = take_part}, .pace = pace_of(l->kernel)};
    uint64_t total = count_groups(l), threads = threads_for(l);
    bool ran;
    l->error[0] = 0;
    if (!total) return SCHED_OK;
    if (threads > total) threads = total;
    j.task.threads = (unsigned)threads;
    j.task.urgency = l->urgency;
    j.part_count = threads < MAX_PARTS ? (unsigned)threads : MAX_PARTS;
    if (run_limit()) j.deadline = pool_now() + run_limit();
    plan(&j, total, threads);
    deal_out(&j, total);
    if (l->cooperative) pthread_mutex_lock(&cooperative_lock); /* two could each hold threads the other needs */
    ran = pool_run(&j.task, l->cooperative);
    if (l->cooperative) pthread_mutex_unlock(&cooperative_lock);
    if (ran) return (enum sched_result)atomic_load(&j.result);
    snprintf(l->error, sizeof l->error,
             "kernel %.80s: its %u cooperative work-groups need a thread each, the system gave fewer", l->kernel->name,
             (unsigned)total);
    return SCHED_NO_THREADS;
}
