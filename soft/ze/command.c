/* command.c - creating, running and freeing a recorded command. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "run/faults.h"
#include "ze_soft.h"

ze_result_t soft_check_events(ze_command_list_handle_t list, ze_event_handle_t signal, uint32_t wait_count,
                              ze_event_handle_t *waits)
{
    uint32_t i, use = list->immediate ? SOFT_COUNTS_IMMEDIATE : SOFT_COUNTS_REGULAR;
    if (wait_count && !waits) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (signal) SOFT_HANDLE(signal, SOFT_EVENT);
    for (i = 0; i < wait_count; i++)
        if (soft_check(waits[i], SOFT_EVENT) != ZE_RESULT_SUCCESS)
            return ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
    if (!signal || !signal->counts) return ZE_RESULT_SUCCESS;
    if (!(list->immediate ? list->queue.desc.flags & ZE_COMMAND_QUEUE_FLAG_IN_ORDER
                          : list->desc.flags & ZE_COMMAND_LIST_FLAG_IN_ORDER))
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only lists in order set a counter-based event");
    if (signal->counts & use) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the counter-based event is not for this kind of list");
}

/* Moments are taken now, whatever the events refer to when the command runs. */
bool soft_command_signals(struct soft_command *c, ze_event_handle_t event)
{
    if (c->signals_moment && c->signal) soft_event_release(c->signal);
    c->signals_moment = event && event->counts;
    c->signal = c->signals_moment ? soft_event_next(event) : event;
    return c->signal || !event;
}

void soft_command_awaits(struct soft_command *c, uint32_t count, ze_event_handle_t *events)
{
    uint32_t i;
    while (c->moments) soft_event_release(c->waits[--c->moments]);
    for (i = 0; i < count; i++)
        if (events[i] && events[i]->counts && (c->waits[c->moments] = soft_event_now(events[i])) != NULL) c->moments++;
    c->wait_count = c->moments;
    for (i = 0; i < count; i++)
        if (events[i] && !events[i]->counts) c->waits[c->wait_count++] = events[i];
}

static bool take_events(struct soft_command *c, ze_event_handle_t signal, uint32_t wait_count,
                        ze_event_handle_t *waits)
{
    soft_command_awaits(c, wait_count, waits);
    return soft_command_signals(c, signal);
}

/* For Intel's driver, commands appended to a closed list are beyond its end: they are accepted, and never run. */
static ze_result_t appended_too_late(const struct _ze_command_list_handle_t *list)
{
    static atomic_bool told;
    if (list->immediate || soft_is_strict())
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the command list is closed");
    if (atomic_exchange(&told, true)) return ZE_RESULT_SUCCESS;
    return soft_fail_loudly(ZE_RESULT_SUCCESS, "what is appended to a closed list does not run; "
                                               "XETILE_SOFT_STRICT=1 refuses it");
}

enum { PAYLOAD_ALIGNMENT = 128 }; /* the payload may hold arguments of any type */

/* From malloc, which is several times as fast as posix_memalign. */
static struct soft_command *allocate(size_t payload, uint32_t wait_count)
{
    struct soft_command *c = malloc(sizeof *c + wait_count * sizeof c->waits[0] + PAYLOAD_ALIGNMENT - 1 + payload);
    if (!c) return NULL;
    memset(c, 0, sizeof *c);
    c->waits = (ze_event_handle_t *)(void *)(c + 1);
    c->wait_room = wait_count;
    c->payload = (uint8_t *)(c->waits + wait_count);
    c->payload += -(uintptr_t)c->payload % PAYLOAD_ALIGNMENT;
    return c;
}

struct soft_command *soft_command_new(ze_command_list_handle_t list, enum soft_command_kind kind, size_t payload,
                                      ze_event_handle_t signal, uint32_t wait_count, ze_event_handle_t *waits,
                                      ze_result_t *result)
{
    struct soft_command *c;
    bool recorded = false;
    *result = soft_check(list, SOFT_LIST);
    if (*result == ZE_RESULT_SUCCESS) *result = soft_check_events(list, signal, wait_count, waits);
    if (*result != ZE_RESULT_SUCCESS) return NULL;
    if (list->closed) {
        *result = appended_too_late(list);
        return NULL;
    }
    if (soft_capturing()) *result = soft_capture_enter(list, signal, wait_count, waits, &recorded);
    if (*result != ZE_RESULT_SUCCESS) return NULL;
    c = allocate(payload, wait_count);
    if (c) c->kind = kind;
    if (c) c->recorded = recorded;
    if (c && (recorded ? soft_capture_events(c, list, signal, wait_count, waits)
                       : take_events(c, signal, wait_count, waits)))
        return c;
    soft_command_free(c);
    *result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    return NULL;
}

void soft_command_free(struct soft_command *c)
{
    while (c) {
        struct soft_command *next = c->next;
        if (c->kind == SOFT_CMD_LAUNCH && c->u.launch.module) soft_module_release(c->u.launch.module);
        if (c->kind == SOFT_CMD_LAUNCH && c->u.launch.kernel) zeKernelDestroy(c->u.launch.kernel);
        while (c->moments) soft_event_release(c->waits[--c->moments]);
        if (c->signals_moment && c->signal) soft_event_release(c->signal);
        free(c);
        c = next;
    }
}

/* ---- lists of them */

struct soft_recorded *soft_recorded_new(void)
{
    struct soft_recorded *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    atomic_init(&r->references, 1);
    r->last = &r->first;
    return r;
}

void soft_recorded_retain(struct soft_recorded *r) { atomic_fetch_add(&r->references, 1); }

static void free_replaced(struct soft_recorded *r)
{
    for (ze_kernel_handle_t k; (k = r->replaced) != NULL;) {
        r->replaced = k->next;
        zeKernelDestroy(k);
    }
}

void soft_recorded_release(struct soft_recorded *r)
{
    if (atomic_fetch_sub(&r->references, 1) != 1) return;
    soft_command_free(r->first);
    free_replaced(r);
    free(r);
}

void soft_recorded_replace(struct soft_recorded *r, ze_kernel_handle_t kernel)
{
    kernel->next = r->replaced;
    r->replaced = kernel;
    if (atomic_load(&r->references) == 1) free_replaced(r);
}

void soft_command_abandon(struct soft_command *c, ze_result_t result)
{
    for (struct soft_command *at = c; at; at = at->next)
        if (at->signals_moment && at->signal) soft_event_set(at->signal, result, 0, 0);
    soft_command_free(c);
}

/* ---- recorded commands */

static size_t payload_bytes(const struct soft_command *c)
{
    switch (c->kind) {
    case SOFT_CMD_FILL: return c->u.fill.pattern_size;
    case SOFT_CMD_QUERY_TIMESTAMPS:
        return c->u.query.count * (sizeof(ze_event_handle_t) + (c->u.query.offsets ? sizeof(size_t) : 0));
    case SOFT_CMD_LAUNCH: return c->u.launch.launch.kernel->args_bytes + 1;
    case SOFT_CMD_HOST_FUNCTION: return c->u.host.own;
    default: return 0;
    }
}

/* Waits for what the recorded command was to wait for, and for what other counter-based events refer to now. */
static void clone_waits(struct soft_command *c, const struct soft_command *from)
{
    uint32_t i;
    for (i = 0; i < from->moments; i++) soft_event_retain(c->waits[c->moments++] = from->waits[i]);
    for (; i < from->wait_count; i++)
        if (from->waits[i]->counts && (c->waits[c->moments] = soft_event_now(from->waits[i])) != NULL) c->moments++;
    c->wait_count = c->moments;
    for (i = from->moments; i < from->wait_count; i++)
        if (!from->waits[i]->counts) c->waits[c->wait_count++] = from->waits[i];
}

/* The timestamps are those of this execution of the graph. An earlier command of it keeps the moment. */
static void take_queried_moments(struct soft_command *c)
{
    ze_event_handle_t *events = (ze_event_handle_t *)(void *)c->payload;
    for (uint32_t i = 0; i < c->u.query.count; i++)
        if (events[i]->counts & SOFT_COUNTS_STAND_IN) {
            events[i] = soft_event_now(events[i]);
            soft_event_release(events[i]);
        }
}

static void clone_payload(struct soft_command *c, const struct soft_queue *q)
{
    const atomic_bool *stop = &q->stop;
    switch (c->kind) {
    case SOFT_CMD_LAUNCH:
        c->u.launch.launch.args = c->payload;
        soft_module_retain(c->u.launch.module);
        break;
    case SOFT_CMD_QUERY_TIMESTAMPS: take_queried_moments(c); break;
    case SOFT_CMD_HOST_FUNCTION:
        if (!c->u.host.own) break;
        c->u.host.user = c->payload;
        memcpy(c->payload, &stop, sizeof stop);
        break;
    default: break;
    }
}

struct soft_command *soft_command_clone(const struct soft_command *from, const struct soft_queue *q)
{
    const size_t payload = payload_bytes(from);
    struct soft_command *c = allocate(payload, from->wait_room);
    if (!c) return NULL;
    c->kind = from->kind;
    c->u = from->u;
    memcpy(c->payload, from->payload, payload);
    clone_waits(c, from);
    clone_payload(c, q);
    if (soft_command_signals(c, from->signal)) return c;
    soft_command_free(c);
    return NULL;
}

/* ---- running */

static void fill(uint8_t *to, size_t size, const uint8_t *pattern, size_t pattern_size)
{
    size_t done = pattern_size < size ? pattern_size : size;
    if (pattern_size == 1) {
        memset(to, pattern[0], size);
        return;
    }
    memcpy(to, pattern, done);
    while (done < size) {
        size_t step = done < size - done ? done : size - done;
        memcpy(to + done, to, step);
        done += step;
    }
}

static size_t box_offset(const struct soft_box *b, uint32_t y, uint32_t z)
{
    return (b->region.originZ + (size_t)z) * b->slice + (b->region.originY + (size_t)y) * b->pitch + b->region.originX;
}

static void copy(void *to, const void *from, size_t size)
{
    memmove(to, from, size);
    check_memory_wrote(to, size);
}

static void copy_region(const struct soft_command *c)
{
    const struct soft_box *to = &c->u.region.to_box, *from = &c->u.region.from_box;
    uint32_t y, z;
    for (z = 0; z < to->region.depth; z++)
        for (y = 0; y < to->region.height; y++)
            copy((uint8_t *)c->u.region.to + box_offset(to, y, z),
                 (const uint8_t *)c->u.region.from + box_offset(from, y, z), to->region.width);
}

static void query_timestamps(const struct soft_command *c)
{
    const ze_event_handle_t *events = (const ze_event_handle_t *)(const void *)c->payload;
    const size_t *offsets = (const size_t *)(const void *)(events + c->u.query.count);
    uint32_t i;
    for (i = 0; i < c->u.query.count; i++) {
        ze_kernel_timestamp_result_t t;
        size_t at = c->u.query.offsets ? offsets[i] : i * sizeof t;
        soft_event_timestamp(events[i], &t);
        copy((uint8_t *)c->u.query.to + at, &t, sizeof t);
    }
}

/* The group counts of an indirect launch are in the program's memory. */
struct counts {
    const struct soft_launch *launch;
    uint32_t group_count[3];
};

static void read_counts(void *pointer)
{
    struct counts *c = pointer;
    const struct soft_launch *l = c->launch;
    if (!l->count || l->index < *l->count) memcpy(c->group_count, l->indirect, sizeof c->group_count);
}

static ze_result_t lost_access(const char *who, const struct fault *f)
{
    return soft_fail_loudly(ZE_RESULT_ERROR_DEVICE_LOST,
                            "%s: invalid access to %p; XETILE_SOFT_CHECK=1 tells more of kernels", who,
                            f->address);
}

static ze_result_t launch(struct soft_launch *recorded, int urgency)
{
    struct sched_launch l = recorded->launch; /* a copy: the list may run again, even on another queue */
    enum sched_result result;
    uint64_t faults;
    l.urgency = urgency;
    if (recorded->indirect) {
        struct counts counts = {.launch = recorded};
        struct fault f = {0};
        fault_run(&f, read_counts, &counts);
        if (f.happened) return lost_access("the counts of an indirect launch", &f);
        memcpy(l.group_count, counts.group_count, sizeof l.group_count);
    }
    if (!check_launch_begin(&l)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    result = sched_run(&l);
    faults = check_launch_end(&l);
    switch (result) {
    case SCHED_OK:
        if (!faults || check_level() < 2) return ZE_RESULT_SUCCESS;
        return soft_fail_loudly(ZE_RESULT_ERROR_DEVICE_LOST, "kernel %.100s: the checked mode found faults",
                                l.kernel->name);
    case SCHED_NO_THREADS:
    case SCHED_NO_MEMORY: return soft_fail_loudly(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "%s", l.error);
    case SCHED_FAULT:
    case SCHED_BARRIER: break;
    }
    /* Hardware would hang here and the driver would reset it. */
    return soft_fail_loudly(ZE_RESULT_ERROR_DEVICE_LOST, "%s", l.error);
}

/* Performs a command that writes memory without a kernel. */
static void move(void *command)
{
    struct soft_command *c = command;
    uint64_t now;
    switch (c->kind) {
    case SOFT_CMD_TIMESTAMP:
        now = soft_now();
        copy(c->u.timestamp.to, &now, sizeof now);
        break;
    case SOFT_CMD_COPY: copy(c->u.copy.to, c->u.copy.from, c->u.copy.size); break;
    case SOFT_CMD_FILL:
        fill(c->u.fill.to, c->u.fill.size, c->payload, c->u.fill.pattern_size);
        check_memory_wrote(c->u.fill.to, c->u.fill.size);
        break;
    case SOFT_CMD_COPY_REGION: copy_region(c); break;
    case SOFT_CMD_QUERY_TIMESTAMPS: query_timestamps(c); break;
    case SOFT_CMD_WRITE_TO_MEMORY:
        __atomic_store_n((uint64_t *)c->u.word.at, c->u.word.value, __ATOMIC_RELEASE);
        check_memory_wrote(c->u.word.at, sizeof(uint64_t));
        break;
    default: break;
    }
}

static uint64_t word_at(const struct soft_command *c)
{
    return c->u.word.wide ? __atomic_load_n((const uint64_t *)c->u.word.at, __ATOMIC_ACQUIRE)
                          : __atomic_load_n((const uint32_t *)c->u.word.at, __ATOMIC_ACQUIRE);
}

static bool has_come(const struct soft_command *c)
{
    const uint64_t found = word_at(c), value = c->u.word.value;
    const uint32_t it_is = found == value  ? SOFT_EQUAL | SOFT_GREATER_OR_EQUAL | SOFT_LESS_OR_EQUAL
                           : found > value ? SOFT_NOT_EQUAL | SOFT_GREATER | SOFT_GREATER_OR_EQUAL
                                           : SOFT_NOT_EQUAL | SOFT_LESS | SOFT_LESS_OR_EQUAL;
    return it_is & c->u.word.until;
}

struct watch {
    const struct soft_command *command;
    const atomic_bool *stop;
    bool come;
};

static void wait_on_memory(void *user)
{
    struct watch *w = user;
    const uint64_t since = soft_now();
    while (!(w->come = has_come(w->command)) && !atomic_load(w->stop)) {
        const uint64_t now = soft_now(), pause = soft_next_look(since, now) - now;
        nanosleep(&(struct timespec){.tv_nsec = (long)pause}, NULL);
    }
}

static ze_result_t run(struct soft_command *c, int urgency, const atomic_bool *stop)
{
    struct watch watch = {c, stop, false};
    struct fault f = {0};
    switch (c->kind) {
    case SOFT_CMD_NOTHING: break;
    case SOFT_CMD_TIMESTAMP:
    case SOFT_CMD_COPY:
    case SOFT_CMD_FILL:
    case SOFT_CMD_COPY_REGION:
    case SOFT_CMD_QUERY_TIMESTAMPS:
    case SOFT_CMD_WRITE_TO_MEMORY:
        fault_run(&f, move, c); /* inaccessible memory ends the command, as it ends a launch */
        if (!f.happened) break;
        return lost_access("a copy, fill or write", &f);
    case SOFT_CMD_WAIT_ON_MEMORY:
        fault_run(&f, wait_on_memory, &watch);
        if (f.happened) return lost_access("a wait on memory", &f);
        return watch.come ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
    case SOFT_CMD_RESET_EVENT: soft_event_clear(c->u.reset.event); break;
    case SOFT_CMD_LAUNCH: return launch(&c->u.launch, urgency);
    case SOFT_CMD_HOST_FUNCTION: c->u.host.call(c->u.host.user); break;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t soft_command_run(struct soft_command *c, int urgency, const atomic_bool *stop)
{
    uint64_t start = soft_now(), end;
    const bool accesses = c->kind != SOFT_CMD_NOTHING && c->kind != SOFT_CMD_HOST_FUNCTION;
    ze_result_t result;
    if (accesses) soft_hidden_open();
    result = run(c, urgency, stop);
    if (accesses) soft_hidden_close();
    if (result == ZE_RESULT_NOT_READY) return result;
    end = soft_now();
    if (c->signal) soft_event_set(c->signal, result, start, end > start ? end : start + 1);
    return result;
}
