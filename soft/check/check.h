/* check.h - the checked mode (XETILE_SOFT_CHECK=1): what a kernel does to memory and at barriers is watched.
 *
 *  1. c/checks.c writes a call in front of every load, store, atomic, copy and block access, with a `struct
 *     xs_site` that names the instruction; c/prelude_check.h is what the two sides share. The access then runs for the
 *     lanes that the call allows; the others load zeros and store nothing. Normal mode's text has none of it.
 *  2. An address is looked up in a sorted table of the allocations (memory.c) as it was when the launch began, in
 *     the work-group's local memory, or in the lane's private memory. Where the pointer is derived from a variable or a
 *     parameter, the access must stay in that variable, or in the allocation that the parameter points into.
 *  3. Written: a shadow byte for each byte of an allocation, set by kernels, copies and fills. What the host writes
 *     through a pointer cannot be seen: allocations are filled with a pattern, and a word of host or shared memory
 *     that no longer holds it, but for what kernels wrote of it, counts as written. Local memory is unwritten when a
 *     work-group begins, private memory when its variable does. c/uses.c says which loads are reads.
 *  4. Races: for each word that a work-group touches (race.c), who wrote and who read it since the last barrier
 *     that is a fence for such memory.
 *  5. Barriers: which lanes come, which barrier the subgroups are at, and who is missing when no subgroup can go on.
 *  6. Reports are lines on standard error, one for each instruction and kind of fault, at most CHECK_REPORTS a launch.
 *
 * Not seen: races between work-groups, and within a subgroup; below level 3, two subgroups that store the same value.
 * Ordering by atomics or fences instead of barriers is not followed: such code is reported.
 */
#ifndef XETILE_SOFT_CHECK_H
#define XETILE_SOFT_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "c/prelude_check.h"
#include "run/scheduler.h"

enum { CHECK_REPORTS = 16, CHECK_MARGIN = 512 /* bytes kept free behind every allocation */ };

/* $XETILE_SOFT_CHECK: 0 off, 1 reports, 2 and a launch with reports fails, 3 and two subgroups that store the same
 * value are a fault. */
int check_level(void);
bool check_takes_system_memory(void); /* XETILE_SOFT_SYSTEM_MEMORY=on */

/* ---- memory.c: the table of memory that kernels may access */

enum check_kind { CHECK_DEVICE, CHECK_SHARED, CHECK_HOST, CHECK_VIRTUAL, CHECK_PROGRAM };

struct check_memory {
    uint64_t base, size;
    enum check_kind kind;
    uint8_t *shadow;   /* a byte each: written by a kernel or a command; NULL: all of it counts as written */
    atomic_bool gone;  /* freed while a launch still has it in its table */
    atomic_uint users; /* the table, and launches */
};

/* These do nothing when the mode is off. */
void check_memory_add(void *base, size_t size, enum check_kind kind);
void check_memory_remove(const void *base, size_t size); /* all that begin in the range */
void check_memory_wrote(const void *to, size_t size);    /* a command did */

struct check_table {
    struct check_memory **row; /* by base */
    size_t count;
};
bool check_table_copy(struct check_table *t);
void check_table_free(struct check_table *t);
/* How many rows begin at or before the address. */
size_t check_table_upto(const struct check_table *t, uint64_t address);
void check_mark_written(struct check_memory *m, uint64_t offset, uint64_t bytes);
/* The first byte of the range that nothing has written; `bytes` when there is none. */
uint64_t check_find_unwritten(const struct check_memory *m, uint64_t offset, uint64_t bytes);
const char *check_kind_name(enum check_kind kind);

/* Which bytes of a subgroup's private memory nothing has written, counted down from its top: those of variables that
 * have begun. What lies deeper than CHECK_STACK_BYTES is not followed. */
enum { CHECK_STACK_BYTES = 16 << 20 };
struct check_stack {
    uint8_t *unwritten;
    uint64_t size;
};
void check_stack_mark(struct check_stack *s, uint64_t top, uint64_t address, uint64_t bytes, bool written);
/* As check_find_unwritten. */
uint64_t check_stack_find(const struct check_stack *s, uint64_t top, uint64_t address, uint64_t bytes);

/* ---- race.c: who touched a word since the last barrier */

enum { CHECK_SEVERAL = 255 };

struct check_block;
struct check_blocks {
    struct check_block *block;
    size_t capacity, used;
    uint64_t group;     /* blocks of others are free */
    uint32_t base, top; /* epochs of the work-group, and of all so far: words of earlier ones are as good as empty */
};

struct check_conflict {
    const struct xs_site *site; /* NULL: none */
    uint8_t subgroup;           /* + 1, or CHECK_SEVERAL */
    bool wrote;
    uint64_t address;
};

void check_blocks_begin(struct check_blocks *c); /* a work-group */
void check_blocks_free(struct check_blocks *c);
/* Notes the access by `subgroup`; the first conflict with another's, if there is one. */
struct check_conflict check_touch(struct check_blocks *c, const struct xs_site *site, uint32_t subgroup, uint32_t epoch,
                                  uint64_t address, uint64_t bytes);

/* ---- check.c: launches */

struct check_launch;
/* Makes the checked mode the launch's observer, when it is on; false: out of memory. */
bool check_launch_begin(struct sched_launch *l);
/* How many faults there were. Says what was not reported. */
uint64_t check_launch_end(struct sched_launch *l);

#endif
