/* scheduler.h - runs a kernel's work-groups on a pool of threads (pool.h).
 *
 * Each thread has a part of the launch, claims work-groups of it in chunks, then of other parts, and runs the subgroups
 * of each one after the other. A kernel with barriers returns at each and goes on there when called again, where its
 * code was generated so (frame_bytes); else it gets a coroutine for every subgroup of the work-group, all on the same
 * thread, and a barrier is a switch to the next of them.
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
    SCHED_FAULT,      /* a kernel accessed what is no memory */
    SCHED_BARRIER     /* a barrier that not all subgroups of a work-group reach, or a split one used out of order */
};

/* Who is told how a launch goes: the checked mode (check/check.c). What it keeps of a thread is its own. */
struct sched_launch;
struct sched_observer {
    /* Before a thread's first work-group, with *state from the last launch or NULL; `args` have local addresses in
     * them. False: out of memory. */
    bool (*worker_begin)(void **state, const struct sched_launch *l, const uint8_t *args, uint8_t *local,
                         uint32_t subgroups);
    void (*worker_free)(void *state);
    void (*group_begin)(void *state);
    void *(*subgroup)(void *state, uint32_t id); /* for xs_subgroup.check */
    void (*barrier_passed)(struct xs_subgroup *self);
    void (*barrier_missed)(void *state); /* the work-group's subgroups cannot go on */
};

/* One launch. The caller fills it in and keeps it alive until sched_run returns. */
struct sched_launch {
    const struct xs_kernel *kernel;
    const uint8_t *args; /* kernel->args_bytes; where a parameter is XS_PARAM_LOCAL: its size in bytes, as a uint64_t */
    uint8_t *const *globals; /* handed to the kernel as they are */
    uint32_t group_count[3], local_size[3], global_offset[3], work_dim;
    int urgency;      /* -1, 0 or 1: launches wait, between work-groups, for more urgent ones */
    bool cooperative; /* every work-group runs at the same time: at most sched_threads() of them */
    const struct sched_observer *observer; /* NULL: nobody is told */
    void *observed;                        /* the observer's own */
    unsigned threads; /* at most so many run it, but for a cooperative launch; 0: all */
    char error[256];  /* out: what went wrong, for people */
};

/* Runs every work-group; returns when all are done. Any number of threads may call it at once. */
enum sched_result sched_run(struct sched_launch *launch);

/* Local memory one work-group of the launch takes: the kernel's own and its local arguments. */
uint64_t sched_local_bytes(const struct xs_kernel *kernel, const uint8_t *args);

unsigned sched_threads(void);

/* Ends the pool's threads; they start again with the next launch. */
void sched_shutdown(void);

#endif
