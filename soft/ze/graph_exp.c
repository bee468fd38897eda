/* graph_exp.c - the names of functions of graphs before they were part of the API. */
#define _GNU_SOURCE
#include "graph.h"

static ze_result_t older(ze_result_t result)
{
    return result == ZE_RESULT_QUERY_TRUE            ? SOFT_QUERY_TRUE_EXP
           : result == ZE_RESULT_QUERY_FALSE         ? SOFT_QUERY_FALSE_EXP
           : result == ZE_RESULT_ERROR_INVALID_GRAPH ? SOFT_INVALID_GRAPH_EXP
                                                     : result;
}

ze_result_t zeGraphCreateExp(ze_context_handle_t context, ze_graph_handle_t *graph, void *next)
{
    return zeGraphCreateExt(context, next, graph);
}

ze_result_t zeCommandListBeginGraphCaptureExp(ze_command_list_handle_t list, void *next)
{
    return zeCommandListBeginGraphCaptureExt(list, next);
}

ze_result_t zeCommandListBeginCaptureIntoGraphExp(ze_command_list_handle_t list, ze_graph_handle_t graph, void *next)
{
    return zeCommandListBeginCaptureIntoGraphExt(list, graph, next);
}

ze_result_t zeCommandListEndGraphCaptureExp(ze_command_list_handle_t list, ze_graph_handle_t *graph, void *next)
{
    return zeCommandListEndGraphCaptureExt(list, next, graph);
}

ze_result_t zeCommandListInstantiateGraphExp(ze_graph_handle_t graph, ze_executable_graph_handle_t *executable,
                                             void *next)
{
    return zeGraphInstantiateExt(graph, next, executable);
}

ze_result_t zeCommandListAppendGraphExp(ze_command_list_handle_t list, ze_executable_graph_handle_t executable,
                                        void *next, ze_event_handle_t signal, uint32_t wait_count,
                                        ze_event_handle_t *waits)
{
    return zeCommandListAppendGraphExt(list, executable, next, signal, wait_count, waits);
}

ze_result_t zeGraphDestroyExp(ze_graph_handle_t graph) { return zeGraphDestroyExt(graph); }

ze_result_t zeExecutableGraphDestroyExp(ze_executable_graph_handle_t executable)
{
    return zeExecutableGraphDestroyExt(executable);
}

ze_result_t zeCommandListIsGraphCaptureEnabledExp(ze_command_list_handle_t list)
{
    return older(zeCommandListIsGraphCaptureEnabledExt(list));
}

ze_result_t zeGraphIsEmptyExp(ze_graph_handle_t graph) { return older(zeGraphIsEmptyExt(graph)); }

ze_result_t zeGraphDumpContentsExp(ze_graph_handle_t graph, const char *path, void *next)
{
    return zeGraphDumpContentsExt(graph, path, next);
}

ze_result_t zeCommandListGetGraphExp(ze_command_list_handle_t list, ze_graph_handle_t *graph)
{
    return zeCommandListGetGraphExt(list, graph);
}

ze_result_t zeGraphSetDestructionCallbackExp(ze_graph_handle_t graph, zex_mem_graph_free_callback_fn_t callback,
                                             void *user, void *next)
{
    return zeGraphSetDestructionCallbackExt(graph, callback, user, next);
}
