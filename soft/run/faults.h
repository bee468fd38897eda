/* faults.h - a kernel that reads or writes where there is no memory ends its launch, not the process.
 *
 * SIGSEGV and SIGBUS have a handler that is ours from the first launch on. A fault of a thread that runs a kernel takes
 * it back to where that began; any other goes to the handler that was there before, or ends the process as ever. A
 * kernel may have run out of stack, so a thread that has no alternate signal stack gets one with its first launch.
 * XETILE_SOFT_FAULTS=off leaves the signals alone, and so do builds with a sanitizer of addresses or threads.
 *
 * What takes too long is ended in the same way, when there is a deadline: a thread sends the signal, again and again
 * until it finds the kernel's own code at work, which holds nothing that others wait for.
 */
#ifndef XETILE_SOFT_FAULTS_H
#define XETILE_SOFT_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

struct fault {
    uint64_t deadline; /* in: nanoseconds of CLOCK_MONOTONIC; 0: none */
    const void *code;  /* in: with a deadline, a function of the object whose code may be left anywhere */
    const struct xs_subgroup *subgroup; /* set while it runs; may be NULL */
    bool happened, late; /* late: it was ended at its deadline */
    const void *address; /* NULL: null, or not known */
    uint32_t group_id[3];
};

/* Calls body(user); when a fault ended that, f->happened is set and the rest of `f` says what it was. */
void fault_run(struct fault *f, void (*body)(void *), void *user);

#endif
