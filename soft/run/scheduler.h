/* scheduler.h - runs a kernel's work-groups on a pool of threads (pool.h).
 *
 * Each thread has a part of the launch; it claims work-groups in chunks from its own part, then from others, and runs
 * the subgroups of each one after the other. A kernel with barriers, if its code was generated accordingly
 * (frame_bytes), returns at each barrier and continues when called again; otherwise every subgroup of the work-group
 * gets a coroutine, all on the same thread, and a barrier switches to the next.
 */
#ifndef XETILE_SOFT_SCHEDULER_H
#define XETILE_SOFT_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"

enum sched_result {
    SCHED_OK,
    SCHED_NO_MEMORY,  /* no room for local memory, stacks or the argument block */
    SCHED_NO_THREADS, /* too few for a cooperative launch */
    SCHED_FAULT,      /* a kernel accessed unmapped memory */
    SCHED_BARRIER     /* a barrier not reached by all subgroups of a work-group, or a split barrier used out of order */
};

/* Receives events of a launch: the checked mode (check/check.c), with its own state per thread. */
struct sched_launch;
struct sched_observer {
    /* Before a thread's first work-group; *state is that of the last launch, or NULL; `args` contain local addresses.
     * False: out of memory. */
    bool (*worker_begin)(void **state, const struct sched_launch *l, const uint8_t *args, uint8_t *local,
                         uint32_t subgroups);
    void (*worker_free)(void *state);
    void (*group_begin)(void *state);
    void *(*subgroup)(void *state, uint32_t id); /* for xs_subgroup.check */
    void (*barrier_passed)(struct xs_subgroup *self);
    void (*barrier_missed)(void *state); /* no subgroup of the work-group can continue */
};

/* One launch. The caller fills it in and keeps it alive until sched_run returns. */
struct sched_launch {
    const struct xs_kernel *kernel;
    const uint8_t *args; /* kernel->args_bytes; for XS_PARAM_LOCAL, the size in bytes as a uint64_t */
    uint8_t *const *globals; /* passed on to the kernel */
    uint32_t group_count[3], local_size[3], global_offset[3], work_dim;
    int urgency;      /* -1, 0 or 1: between work-groups, launches wait for more urgent ones */
    bool cooperative; /* all work-groups run at the same time: at most sched_threads() */
    const struct sched_observer *observer; /* NULL: none */
    void *observed;                        /* the observer's own */
    unsigned threads; /* maximum number, except for cooperative launches; 0: all */
    char error[256];  /* out: error message */
};

/* Runs every work-group; returns when all are done. May be called by several threads at once. */
enum sched_result sched_run(struct sched_launch *launch);

/* Local memory per work-group: the kernel's own and its local arguments. */
uint64_t sched_local_bytes(const struct xs_kernel *kernel, const uint8_t *args);

unsigned sched_threads(void);

/* Ends the pool's threads; they start again with the next launch. */
void sched_shutdown(void);

#endif
