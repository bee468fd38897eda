/* faults.h - a kernel that accesses unmapped memory ends its launch, not the process.
 *
 * From the first launch on, we handle SIGSEGV and SIGBUS. A fault in a thread that runs a kernel takes the thread back
 * to where the kernel began; any other fault goes to the previous handler, or ends the process as usual. Because a
 * kernel may overflow its stack, a thread without an alternate signal stack gets one with its first launch.
 * XETILE_SOFT_FAULTS=off, and builds with the address or thread sanitizer, leave the signals alone.
 *
 * Kernels that exceed a deadline are ended in the same way: a thread sends the signal repeatedly until it finds the
 * kernel's own code running, which holds no locks.
 */
#ifndef XETILE_SOFT_FAULTS_H
#define XETILE_SOFT_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

struct fault {
    uint64_t deadline; /* in: nanoseconds of CLOCK_MONOTONIC; 0: none */
    const void *code;  /* in: with a deadline, a function in the object whose code can be interrupted anywhere */
    const struct xs_subgroup *subgroup; /* set while it runs; may be NULL */
    bool happened, late; /* late: ended at its deadline */
    const void *address; /* NULL: a null pointer, or unknown */
    uint32_t group_id[3];
};

/* Asks `explain`, in the signal handler, about addresses at which other code than that faults. True: the access may be
 * repeated. */
void fault_explain(bool (*explain)(const void *address));

/* Calls body(user). If a fault ends it, sets f->happened, and the rest of `f` describes the fault. */
void fault_run(struct fault *f, void (*body)(void *), void *user);

#endif
