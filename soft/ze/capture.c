/* capture.c - recording the commands of immediate lists into graphs instead of running them.
 *
 * A capture begins on one list. Another list joins it (a fork) when it waits for an event that a recorded command sets,
 * and from then on is recorded too, as a branch of its own. Before the end of the capture its parent must wait for it
 * (a join). Recording order fulfils all dependencies between the branches, so this is the order in which graphs run.
 *
 * All of this changes under one lock. It comes before the locks of events.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "graph.h"

_Atomic uint32_t soft_captures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- events that recorded commands set */

/* Counter-based events without the flag for graphs mean nothing outside the graph that sets them, unless they count in
 * the program's memory. */
static bool is_internal(const struct _ze_event_handle_t *e)
{
    return e->counts && !(e->counts & (SOFT_COUNTS_GRAPH | SOFT_COUNTS_TOTAL));
}

/* What a paused capture recorded counts as before once it is resumed. */
static struct soft_branch *unless_paused(struct soft_branch *b) { return b && !b->graph->paused ? b : NULL; }

/* Returns the branch that sets the event; NULL: none. */
static struct soft_branch *setter(ze_event_handle_t e) { return unless_paused(atomic_load(&e->branch)); }

struct soft_branch *soft_branch_of(ze_command_list_handle_t list) { return unless_paused(atomic_load(&list->branch)); }

static void forget(ze_event_handle_t e)
{
    ze_event_handle_t *link = &atomic_load(&e->branch)->graph->events;
    while (*link != e) link = &(*link)->next_recorded;
    *link = e->next_recorded;
    e->stand_in = NULL;
    atomic_store(&e->branch, NULL);
}

static void remember(ze_event_handle_t e, struct soft_branch *b, ze_event_handle_t stand_in)
{
    if (atomic_load(&e->branch)) forget(e);
    e->recorded_at = b->graph->count;
    e->stand_in = stand_in;
    e->next_recorded = b->graph->events;
    b->graph->events = e;
    atomic_store(&e->branch, b);
}

void soft_capture_forget(ze_event_handle_t event)
{
    if (!atomic_load(&event->branch)) return;
    pthread_mutex_lock(&lock);
    if (atomic_load(&event->branch)) forget(event);
    pthread_mutex_unlock(&lock);
}

bool soft_capture_sets(ze_event_handle_t event)
{
    bool sets;
    if (!soft_capturing()) return false;
    pthread_mutex_lock(&lock);
    sets = setter(event) != NULL;
    pthread_mutex_unlock(&lock);
    return sets;
}

/* ---- branches */

static struct soft_branch *branch_new(ze_graph_handle_t graph, ze_command_list_handle_t list,
                                      struct soft_branch *parent)
{
    struct soft_branch *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->graph = graph;
    b->list = list;
    b->parent = parent;
    b->number = graph->branch_count++;
    *graph->last_branch = b;
    graph->last_branch = &b->next;
    atomic_store(&list->branch, b);
    return b;
}

void soft_branches_free(ze_graph_handle_t graph)
{
    struct soft_branch *next, *b;
    for (b = graph->branches; b; b = next) {
        next = b->next;
        free(b);
    }
    graph->branches = NULL;
    graph->last_branch = &graph->branches;
    graph->branch_count = 0;
}

/* Lock held. */
static ze_result_t begin(ze_command_list_handle_t list, ze_graph_handle_t graph)
{
    if (atomic_load(&list->branch) || graph->capturing)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list or the graph is being captured");
    if (graph->count || atomic_load(&graph->references) > 1)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the graph is not empty, or was made executable");
    soft_branches_free(graph); /* of a capture of nothing */
    if (!branch_new(graph, list, NULL)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    graph->capturing = true;
    graph->closed = false;
    graph->primary = list;
    atomic_fetch_add(&soft_captures, 1);
    return ZE_RESULT_SUCCESS;
}

ze_result_t soft_capture_begin(ze_command_list_handle_t list, ze_graph_handle_t graph)
{
    ze_result_t result;
    pthread_mutex_lock(&lock);
    result = begin(list, graph);
    pthread_mutex_unlock(&lock);
    return result;
}

/* Lock held. */
static void end(ze_graph_handle_t graph)
{
    graph->capturing = false;
    graph->paused = false;
    graph->closed = graph->joined = true;
    while (graph->events) forget(graph->events);
    for (struct soft_branch *b = graph->branches; b; b = b->next) {
        if (b->parent && (!b->join_signal || b->last_work > b->join_signal)) graph->joined = false;
        if (b->list) atomic_store(&b->list->branch, NULL);
        b->list = NULL;
    }
    atomic_fetch_sub(&soft_captures, 1);
}

void soft_capture_end(ze_graph_handle_t graph)
{
    pthread_mutex_lock(&lock);
    end(graph);
    pthread_mutex_unlock(&lock);
}

ze_result_t soft_capture_pause(ze_graph_handle_t graph, bool pause)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    pthread_mutex_lock(&lock);
    if (!graph->capturing)
        result = soft_fail(ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING, "nothing is captured into the graph");
    else if (atomic_exchange(&graph->paused, pause) == pause)
        result = soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the capture is %spaused", pause ? "already " : "not ");
    pthread_mutex_unlock(&lock);
    return result;
}

ze_graph_handle_t soft_capture_lose(ze_command_list_handle_t list)
{
    ze_graph_handle_t graph = NULL;
    struct soft_branch *b;
    pthread_mutex_lock(&lock);
    b = atomic_load(&list->branch);
    if (b && !b->parent) {
        graph = b->graph;
        graph->primary = NULL;
        end(graph);
    } else if (b) {
        b->list = NULL;
    }
    pthread_mutex_unlock(&lock);
    return graph;
}

/* ---- commands */

static bool can_capture(const struct _ze_command_list_handle_t *list)
{
    return list->immediate && list->queue.desc.mode != ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
}

/* May the list wait for these events, with those that a graph sets among them? */
static ze_result_t check_waits(ze_command_list_handle_t list, uint32_t count, ze_event_handle_t *events)
{
    const struct soft_branch *to = soft_branch_of(list);
    ze_graph_handle_t graph = to ? to->graph : NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct soft_branch *from = setter(events[i]);
        if (!from) continue;
        if (!can_capture(list))
            return soft_fail(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                             "only an asynchronous immediate list may wait for an event that a graph sets");
        if (graph && graph != from->graph)
            return soft_fail(ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT,
                             "another graph that is being captured sets the event");
        graph = from->graph;
    }
    return ZE_RESULT_SUCCESS;
}

/* Forks or joins if the list waits for what another one records. */
static ze_result_t follow(ze_command_list_handle_t list, ze_event_handle_t event)
{
    struct soft_branch *from = setter(event), *to = soft_branch_of(list);
    if (!from) return ZE_RESULT_SUCCESS;
    if (!to) {
        to = branch_new(from->graph, list, from);
        if (!to) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        to->fork = event->recorded_at;
    }
    if (from->parent == to) {
        from->join_signal = event->recorded_at;
        from->join_wait = to->graph->count + 1;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t soft_capture_enter(ze_command_list_handle_t list, ze_event_handle_t signal, uint32_t wait_count,
                               ze_event_handle_t *waits, bool *recorded)
{
    ze_result_t result;
    pthread_mutex_lock(&lock);
    result = check_waits(list, wait_count, waits);
    for (uint32_t i = 0; i < wait_count && result == ZE_RESULT_SUCCESS; i++) result = follow(list, waits[i]);
    *recorded = soft_branch_of(list) != NULL;
    if (result == ZE_RESULT_SUCCESS && !*recorded && signal && setter(signal) && is_internal(signal))
        result = soft_fail(ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT,
                           "a graph that is being captured sets the counter-based event");
    pthread_mutex_unlock(&lock);
    return result;
}

ze_result_t soft_capture_refuse(ze_command_list_handle_t list, uint32_t wait_count, ze_event_handle_t *waits)
{
    bool captured;
    if (!soft_capturing()) return ZE_RESULT_SUCCESS;
    pthread_mutex_lock(&lock);
    captured = soft_branch_of(list) != NULL;
    for (uint32_t i = 0; i < wait_count; i++) captured = captured || setter(waits[i]);
    pthread_mutex_unlock(&lock);
    if (!captured) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED, "this cannot be captured");
}

/* The graph's stand-in for an event that it sets; NULL: out of memory. */
static ze_event_handle_t stand_in_for(ze_event_handle_t event, ze_graph_handle_t graph)
{
    ze_event_handle_t e;
    if (setter(event) && setter(event)->graph == graph) return event->stand_in;
    e = soft_event_new();
    if (!e) return NULL;
    e->counts = SOFT_COUNTS_IMMEDIATE | SOFT_COUNTS_STAND_IN;
    e->stand_in = event;
    e->next_recorded = graph->stand_ins;
    graph->stand_ins = e;
    return e;
}

static bool is_set_here(ze_event_handle_t e, ze_graph_handle_t graph)
{
    return is_internal(e) && setter(e) && setter(e)->graph == graph;
}

static void capture_waits(struct soft_command *c, uint32_t count, ze_event_handle_t *events, ze_graph_handle_t graph)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_internal(events[i]) && !is_set_here(events[i], graph) &&
            (c->waits[c->moments] = soft_event_now(events[i])) != NULL)
            c->moments++;
    c->wait_count = c->moments;
    for (uint32_t i = 0; i < count; i++)
        if (!is_internal(events[i])) c->waits[c->wait_count++] = events[i];
}

bool soft_capture_events(struct soft_command *c, ze_command_list_handle_t list, ze_event_handle_t signal,
                         uint32_t wait_count, ze_event_handle_t *waits)
{
    struct soft_branch *b;
    pthread_mutex_lock(&lock);
    b = soft_branch_of(list);
    if (b) {
        capture_waits(c, wait_count, waits, b->graph);
        c->signal = signal && is_internal(signal) ? stand_in_for(signal, b->graph) : signal;
    }
    pthread_mutex_unlock(&lock);
    return c->signal || !signal || !b;
}

static bool is_work(const struct soft_command *c)
{
    switch (c->kind) {
    case SOFT_CMD_NOTHING:
    case SOFT_CMD_TIMESTAMP:
    case SOFT_CMD_RESET_EVENT:
    case SOFT_CMD_WAIT_ON_MEMORY:
    case SOFT_CMD_QUERY_TIMESTAMPS: return false;
    case SOFT_CMD_HOST_FUNCTION: return !c->u.host.own; /* semaphores only synchronise */
    default: return true;
    }
}

/* Timestamps of the graph's own events are those of its stand-ins. */
static void replace_queried(struct soft_command *c, ze_graph_handle_t graph)
{
    ze_event_handle_t *events = (ze_event_handle_t *)(void *)c->payload;
    for (uint32_t i = 0; i < c->u.query.count; i++)
        if (is_set_here(events[i], graph)) events[i] = events[i]->stand_in;
}

/* Lock held. */
static ze_result_t add(struct soft_branch *b, struct soft_command *c)
{
    ze_graph_handle_t g = b->graph;
    if (g->count == g->room) {
        uint32_t room = g->room ? 2 * g->room : 16;
        struct soft_node *nodes = realloc(g->nodes, room * sizeof *nodes);
        if (!nodes) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        g->nodes = nodes;
        g->room = room;
    }
    g->nodes[g->count++] = (struct soft_node){c, b};
    if (is_work(c)) b->last_work = g->count;
    if (c->kind == SOFT_CMD_QUERY_TIMESTAMPS) replace_queried(c, g);
    if (c->signal && c->signal->counts & SOFT_COUNTS_STAND_IN)
        remember(c->signal->stand_in, b, c->signal);
    else if (c->signal)
        remember(c->signal, b, NULL);
    return ZE_RESULT_SUCCESS;
}

ze_result_t soft_capture_add(ze_command_list_handle_t list, struct soft_command *command)
{
    struct soft_branch *b;
    ze_result_t result;
    pthread_mutex_lock(&lock);
    b = soft_branch_of(list);
    result = b ? add(b, command)
               : soft_fail(ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED, "another thread has ended the capture meanwhile");
    pthread_mutex_unlock(&lock);
    return result;
}
