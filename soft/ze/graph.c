/* graph.c - graphs of recorded commands, and their execution.
 *
 * An execution clones all commands of the graph, into one submission. Therefore several executions may be under way,
 * each with its own moments of counter-based events, and nothing of the graph needs to outlive an append. Executions of
 * the same executable graph run one after the other, whatever the lists.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "graph.h"

static ze_result_t check_no_chain(const void *next)
{
    return next ? soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "graphs have no such extension") : ZE_RESULT_SUCCESS;
}

/* ---- life */

static ze_graph_handle_t graph_new(ze_context_handle_t context, bool prepared)
{
    static _Atomic uint64_t last;
    ze_graph_handle_t g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->tag = SOFT_GRAPH;
    g->id = atomic_fetch_add(&last, 1) + 1;
    g->context = context;
    g->prepared = prepared;
    g->last_branch = &g->branches;
    atomic_init(&g->references, 1);
    pthread_mutex_init(&g->lock, NULL);
    return g;
}

static void release(ze_graph_handle_t g)
{
    ze_event_handle_t e;
    if (atomic_fetch_sub(&g->references, 1) != 1) return;
    for (uint32_t i = 0; i < g->count; i++) soft_command_free(g->nodes[i].command);
    while ((e = g->stand_ins) != NULL) {
        g->stand_ins = e->next_recorded;
        soft_event_forget(e);
        soft_event_free(e);
    }
    soft_branches_free(g);
    pthread_mutex_destroy(&g->lock);
    free(g->nodes);
    free(g);
}

/* Its executable graphs remain usable. */
static void destroy(ze_graph_handle_t g)
{
    g->tag = SOFT_DEAD;
    soft_callbacks_run(g->callbacks);
    release(g);
}

ze_result_t zeGraphCreateExt(ze_context_handle_t context, const void *next, ze_graph_handle_t *graph)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_TRY(check_no_chain(next));
    SOFT_POINTER(graph);
    *graph = graph_new(context, true);
    return *graph ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

ze_result_t zeGraphDestroyExt(ze_graph_handle_t graph)
{
    SOFT_HANDLE(graph, SOFT_GRAPH);
    if (graph->capturing) soft_capture_end(graph);
    destroy(graph);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeGraphSetDestructionCallbackExt(ze_graph_handle_t graph, zex_mem_graph_free_callback_fn_t callback,
                                             void *user, const void *next)
{
    SOFT_HANDLE(graph, SOFT_GRAPH);
    if (!callback) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (next) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    return soft_callback_add(&graph->callbacks, callback, user);
}

/* ---- capture */

static ze_result_t check_source(ze_command_list_handle_t list)
{
    SOFT_HANDLE(list, SOFT_LIST);
    if (list->immediate && list->queue.desc.mode != ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only asynchronous immediate lists can be captured");
}

ze_result_t zeCommandListBeginGraphCaptureExt(ze_command_list_handle_t list, const void *next)
{
    ze_graph_handle_t graph;
    ze_result_t result;
    SOFT_TRY(check_source(list));
    SOFT_TRY(check_no_chain(next));
    graph = graph_new(list->context, false);
    if (!graph) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    result = soft_capture_begin(list, graph);
    if (result != ZE_RESULT_SUCCESS) destroy(graph);
    return result;
}

ze_result_t zeCommandListBeginCaptureIntoGraphExt(ze_command_list_handle_t list, ze_graph_handle_t graph,
                                                  const void *next)
{
    SOFT_TRY(check_source(list));
    SOFT_HANDLE(graph, SOFT_GRAPH);
    SOFT_TRY(check_no_chain(next));
    return soft_capture_begin(list, graph);
}

ze_result_t zeCommandListIsGraphCaptureEnabledExt(ze_command_list_handle_t list)
{
    SOFT_HANDLE(list, SOFT_LIST);
    return soft_branch_of(list) ? ZE_RESULT_QUERY_TRUE : ZE_RESULT_QUERY_FALSE;
}

ze_result_t zeCommandListGetGraphExt(ze_command_list_handle_t list, ze_graph_handle_t *graph)
{
    const struct soft_branch *b;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_POINTER(graph);
    b = soft_branch_of(list);
    *graph = b ? b->graph : NULL;
    return b ? ZE_RESULT_SUCCESS
             : soft_fail(ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING, "the list is not being captured");
}

/* A graph that the program prepared itself need not be returned. */
ze_result_t zeCommandListEndGraphCaptureExt(ze_command_list_handle_t list, const void *next, ze_graph_handle_t *graph)
{
    const struct soft_branch *b;
    ze_graph_handle_t g;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_TRY(check_no_chain(next));
    b = soft_branch_of(list);
    if (!b) return soft_fail(ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING, "the list is not being captured");
    if (b->parent) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the capture began on another list");
    g = b->graph;
    if (!g->prepared) SOFT_POINTER(graph);
    soft_capture_end(g);
    if (graph) *graph = g;
    if (g->joined) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS, "no list waits for the end of what another one recorded");
}

/* What is appended to the captured lists meanwhile runs. */
ze_result_t zeGraphPauseCaptureExt(ze_graph_handle_t graph)
{
    SOFT_HANDLE(graph, SOFT_GRAPH);
    return soft_capture_pause(graph, true);
}

ze_result_t zeGraphResumeCaptureExt(ze_graph_handle_t graph)
{
    SOFT_HANDLE(graph, SOFT_GRAPH);
    return soft_capture_pause(graph, false);
}

void soft_graph_lose(ze_command_list_handle_t list)
{
    ze_graph_handle_t graph = atomic_load(&list->branch) ? soft_capture_lose(list) : NULL;
    if (graph && !graph->prepared) destroy(graph);
}

/* ---- queries */

ze_result_t zeGraphGetPrimaryCommandListExt(ze_graph_handle_t graph, ze_command_list_handle_t *list)
{
    SOFT_HANDLE(graph, SOFT_GRAPH);
    SOFT_POINTER(list);
    if (!graph->primary) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no capture into the graph has begun");
    *list = graph->primary;
    return ZE_RESULT_SUCCESS;
}

SOFT_GETTER(zeGraphGetIdExt, ze_graph_handle_t, SOFT_GRAPH, uint64_t, handle->id)

ze_result_t zeGraphIsEmptyExt(ze_graph_handle_t graph)
{
    SOFT_HANDLE(graph, SOFT_GRAPH);
    if (graph->closed && !graph->joined) return ZE_RESULT_ERROR_INVALID_GRAPH;
    return graph->count ? ZE_RESULT_QUERY_FALSE : ZE_RESULT_QUERY_TRUE;
}

/* ---- execution */

ze_result_t zeGraphInstantiateExt(ze_graph_handle_t graph, const void *next, ze_executable_graph_handle_t *executable)
{
    ze_executable_graph_handle_t e;
    SOFT_HANDLE(graph, SOFT_GRAPH);
    SOFT_TRY(check_no_chain(next));
    SOFT_POINTER(executable);
    if (!graph->closed) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the capture has not ended");
    if (!graph->joined) return soft_fail(ZE_RESULT_ERROR_INVALID_GRAPH, "the graph has forks without a join");
    e = calloc(1, sizeof *e);
    if (e) e->done = soft_event_new();
    if (!e || !e->done) {
        free(e);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    e->tag = SOFT_EXECUTABLE;
    e->graph = graph;
    e->done->counts = SOFT_COUNTS_IMMEDIATE;
    atomic_fetch_add(&graph->references, 1);
    *executable = e;
    return ZE_RESULT_SUCCESS;
}

/* Executions that have been appended still run. */
ze_result_t zeExecutableGraphDestroyExt(ze_executable_graph_handle_t executable)
{
    SOFT_HANDLE(executable, SOFT_EXECUTABLE);
    executable->tag = SOFT_DEAD;
    soft_event_forget(executable->done);
    soft_event_free(executable->done);
    release(executable->graph);
    free(executable);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeExecutableGraphGetSourceGraphExt(ze_executable_graph_handle_t executable, ze_graph_handle_t *graph)
{
    SOFT_HANDLE(executable, SOFT_EXECUTABLE);
    SOFT_POINTER(graph);
    if (executable->graph->tag != SOFT_GRAPH)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the graph has been destroyed");
    *graph = executable->graph;
    return ZE_RESULT_SUCCESS;
}

struct chain {
    struct soft_command *first, **last;
};

/* False if there is no command. */
static bool add(struct chain *chain, struct soft_command *c)
{
    if (!c) return false;
    *chain->last = c;
    chain->last = &c->next;
    return true;
}

static bool add_clones(struct chain *chain, const struct _ze_graph_handle_t *graph, const struct soft_queue *q)
{
    for (uint32_t i = 0; i < graph->count; i++)
        if (!add(chain, soft_command_clone(graph->nodes[i].command, q))) return false;
    return true;
}

static bool add_wait(struct chain *chain, ze_command_list_handle_t list, uint32_t count, ze_event_handle_t *waits)
{
    ze_result_t result;
    return !count || add(chain, soft_command_new(list, SOFT_CMD_NOTHING, 0, NULL, count, waits, &result));
}

static bool add_signal(struct chain *chain, ze_command_list_handle_t list, ze_event_handle_t event)
{
    ze_result_t result;
    struct soft_command *c;
    if (!event) return true;
    c = soft_command_new(list, SOFT_CMD_NOTHING, 0, NULL, 0, NULL, &result);
    return add(chain, c) && soft_command_signals(c, event);
}

static ze_result_t check_target(ze_command_list_handle_t list, const struct _ze_graph_handle_t *graph)
{
    if (!list->immediate) return soft_fail(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, "graphs run on immediate lists");
    if (list->closed) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the command list is closed");
    if (list->desc.commandQueueGroupOrdinal != SOFT_COPY_GROUP) return ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].command->kind == SOFT_CMD_LAUNCH)
            return soft_fail(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, "the list is for copies only");
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListAppendGraphExt(ze_command_list_handle_t list, ze_executable_graph_handle_t executable,
                                        const void *next, ze_event_handle_t signal, uint32_t wait_count,
                                        ze_event_handle_t *waits)
{
    struct chain chain = {NULL, &chain.first};
    ze_graph_handle_t g;
    bool made;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_HANDLE(executable, SOFT_EXECUTABLE);
    SOFT_TRY(check_no_chain(next));
    g = executable->graph;
    SOFT_TRY(check_target(list, g));
    SOFT_TRY(soft_check_events(list, signal, wait_count, waits));
    SOFT_TRY(soft_capture_refuse(list, wait_count, waits));
    pthread_mutex_lock(&g->lock);
    made = add_wait(&chain, list, wait_count, waits) && add_wait(&chain, list, 1, &executable->done) &&
           add_clones(&chain, g, &list->queue) && add_signal(&chain, list, executable->done) &&
           add_signal(&chain, list, signal);
    pthread_mutex_unlock(&g->lock);
    if (made) return soft_queue_submit(&list->queue, chain.first, 0, NULL, NULL);
    soft_command_abandon(chain.first, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

ze_result_t zeGraphDumpContentsExt(ze_graph_handle_t graph, const char *path, const void *next)
{
    const struct {
        uint32_t stype;
        const void *next;
        uint32_t mode;
    } *desc = next;
    struct soft_dump_style style = {false, false};
    SOFT_HANDLE(graph, SOFT_GRAPH);
    SOFT_POINTER(path);
    if (graph->capturing) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the capture has not ended");
    if (desc && desc->stype != ZE_STRUCTURE_TYPE_RECORD_REPLAY_GRAPH_EXT_DUMP_DESC && desc->stype != SOFT_DUMP_DESC_EXP)
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "no dump of a graph is described by %#x", desc->stype);
    if (desc && desc->mode > 3) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "dump mode %u", desc->mode);
    if (desc) style = (struct soft_dump_style){desc->mode & 1, desc->mode > 1};
    return soft_graph_dump(graph, path, style);
}
