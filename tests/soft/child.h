/* child.h - for tests that run in child processes, which have no counters of their own: a failed check ends the child,
 * and the test examines its exit status.
 */
#ifndef XETILE_TEST_CHILD_H
#define XETILE_TEST_CHILD_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Children exit without freeing memory: turns off leak reports. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }

#define NEED(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)
/* `text` contains `part`. */
#define NEED_HAS(text, part)                                                                                           \
    do {                                                                                                               \
        if (!strstr((text), (part))) {                                                                                 \
            fprintf(stderr, "%s:%d: \"%s\" lacks \"%s\"\n", __FILE__, __LINE__, (text), (part));                       \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

#endif
