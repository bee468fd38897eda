/* graph.h - graphs of recorded commands: the names that Intel's driver had for their functions before they were part of
 * the API, which programs find with zeDriverGetExtensionFunctionAddress, and what the files about graphs share.
 */
#ifndef XETILE_SOFT_ZE_GRAPH_H
#define XETILE_SOFT_ZE_GRAPH_H

#include "ze_soft.h"

/* Results and a structure by their older numbers. */
#define SOFT_QUERY_TRUE_EXP ((ze_result_t)0x7fff0000)
#define SOFT_QUERY_FALSE_EXP ((ze_result_t)0x7fff0001)
#define SOFT_INVALID_GRAPH_EXP ((ze_result_t)0x7fff0002)
enum { SOFT_DUMP_DESC_EXP = 0x30031 };

/* Of Intel's driver only. */
ZE_APIEXPORT ze_result_t zeGraphPauseCaptureExt(ze_graph_handle_t graph);
ZE_APIEXPORT ze_result_t zeGraphResumeCaptureExt(ze_graph_handle_t graph);
ZE_APIEXPORT ze_result_t zeGraphGetIdExt(ze_graph_handle_t graph, uint64_t *id); /* of no other graph of the process */

/* The older names: other orders of arguments, other numbers of results. */
ZE_APIEXPORT ze_result_t zeGraphCreateExp(ze_context_handle_t context, ze_graph_handle_t *graph, void *next);
ZE_APIEXPORT ze_result_t zeCommandListBeginGraphCaptureExp(ze_command_list_handle_t list, void *next);
ZE_APIEXPORT ze_result_t zeCommandListBeginCaptureIntoGraphExp(ze_command_list_handle_t list, ze_graph_handle_t graph,
                                                               void *next);
ZE_APIEXPORT ze_result_t zeCommandListEndGraphCaptureExp(ze_command_list_handle_t list, ze_graph_handle_t *graph,
                                                         void *next);
ZE_APIEXPORT ze_result_t zeCommandListInstantiateGraphExp(ze_graph_handle_t graph,
                                                          ze_executable_graph_handle_t *executable, void *next);
ZE_APIEXPORT ze_result_t zeCommandListAppendGraphExp(ze_command_list_handle_t list,
                                                     ze_executable_graph_handle_t executable, void *next,
                                                     ze_event_handle_t signal, uint32_t wait_count,
                                                     ze_event_handle_t *waits);
ZE_APIEXPORT ze_result_t zeGraphDestroyExp(ze_graph_handle_t graph);
ZE_APIEXPORT ze_result_t zeExecutableGraphDestroyExp(ze_executable_graph_handle_t executable);
ZE_APIEXPORT ze_result_t zeCommandListIsGraphCaptureEnabledExp(ze_command_list_handle_t list);
ZE_APIEXPORT ze_result_t zeGraphIsEmptyExp(ze_graph_handle_t graph);
ZE_APIEXPORT ze_result_t zeGraphDumpContentsExp(ze_graph_handle_t graph, const char *path, void *next);
ZE_APIEXPORT ze_result_t zeCommandListGetGraphExp(ze_command_list_handle_t list, ze_graph_handle_t *graph);
ZE_APIEXPORT ze_result_t zeGraphSetDestructionCallbackExp(ze_graph_handle_t graph,
                                                          zex_mem_graph_free_callback_fn_t callback, void *user,
                                                          void *next);

/* What one command list contributes to a graph. Positions count the commands of the whole graph from 1; 0: none. */
struct soft_branch {
    struct soft_branch *next, *parent; /* no parent: the list on which the capture began */
    ze_graph_handle_t graph;
    ze_command_list_handle_t list;   /* NULL: it was destroyed, or the capture has ended */
    uint32_t number;                 /* among the graph's branches */
    uint32_t fork;                   /* the command of the parent that set the event of the fork */
    uint32_t join_signal, join_wait; /* the command here, and that of the parent that waits for it */
    uint32_t last_work;              /* the last command that is more than synchronisation */
};

struct soft_node {
    struct soft_command *command; /* with the program's events, for soft_command_clone */
    const struct soft_branch *branch;
};

struct _ze_graph_handle_t {
    uint32_t tag;
    ze_context_handle_t context;
    _Atomic uint32_t references;    /* by the handle and by executable graphs */
    bool prepared;                  /* created before its capture, so the program destroys it */
    bool capturing, closed, joined; /* closed: a capture has ended; joined: with all its forks */
    atomic_bool paused;             /* while capturing: its lists and events are like any others */
    uint64_t id;
    ze_command_list_handle_t primary;
    struct soft_branch *branches, **last_branch;
    uint32_t branch_count;
    struct soft_node *nodes; /* in the order of recording, in which they also run */
    uint32_t count, room;
    ze_event_handle_t events;    /* that recorded commands set, while capturing */
    ze_event_handle_t stand_ins; /* see soft_capture_events */
    pthread_mutex_t lock;        /* while commands are cloned */
    struct soft_callback *callbacks;
};

struct _ze_executable_graph_handle_t {
    uint32_t tag;
    ze_graph_handle_t graph;
    ze_event_handle_t done; /* by the last execution */
};

/* ---- capture.c */

ze_result_t soft_capture_begin(ze_command_list_handle_t list, ze_graph_handle_t graph);
/* Ends it. The caller has made sure that it has begun. */
void soft_capture_end(ze_graph_handle_t graph);
void soft_branches_free(ze_graph_handle_t graph);
/* The branch that records the list's commands; NULL: none. */
struct soft_branch *soft_branch_of(ze_command_list_handle_t list);
bool soft_capture_sets(ze_event_handle_t event); /* Does a command that is being captured set it? */
ze_result_t soft_capture_pause(ze_graph_handle_t graph, bool pause); /* or resume */

/* ---- graph_dump.c */

struct soft_dump_style {
    bool simple; /* without arguments and sizes */
    bool events; /* with commands that only synchronise */
};
ze_result_t soft_graph_dump(ze_graph_handle_t graph, const char *path, struct soft_dump_style style);

#endif
