/* check.h - the checked mode (XETILE_SOFT_CHECK=1): observes kernels' memory accesses and barriers.
 *
 *  1. c/checks.c writes a call before every load, store, atomic, copy and block access, with a `struct xs_site` that
 *     names the instruction; c/prelude_check.h is the interface between both sides. The access then runs for the lanes
 *     that the call allows; the others load zeros and store nothing. In normal mode there are no such calls.
 *  2. An address is looked up in a sorted table of the allocations (memory.c) as of the beginning of the launch, in the
 *     work-group's local memory, or in the lane's private memory. If the pointer is derived from a variable or a
 *     parameter, the access must stay in that variable, or in the allocation that the parameter points into.
 *  3. Initialisation: a shadow byte for each byte of an allocation, set by kernels, copies and fills. Writes by the
 *     host through pointers cannot be observed: allocations are filled with a pattern, and a word of host or shared
 *     memory without it, apart from what kernels wrote, counts as written. Local memory is unwritten when a work-group
 *     begins, private memory when its variable does. c/uses.c decides which loads are reads.
 *  4. Races: for each word that a work-group accesses (race.c), who wrote and who read it since the last barrier
 *     that is a fence for such memory.
 *  5. Barriers: which lanes arrive, at which barrier the subgroups are, and who is missing if no subgroup can continue.
 *  6. Surfaces of 2D blocks (surface.c), as another device demands them.
 *  7. Reports are lines on standard error, one per instruction and kind of fault, at most CHECK_REPORTS per launch.
 *
 * Not detected: races between work-groups or within a subgroup; below level 3, two subgroups that store the same value.
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
#include "tree.h"

enum { CHECK_REPORTS = 16, CHECK_MARGIN = 512 /* unused bytes after every allocation */ };

/* $XETILE_SOFT_CHECK. 0: off; 1: reports; 2: launches with reports also fail; 3: two subgroups that store the same
 * value are a fault too. */
int check_level(void);
bool check_takes_system_memory(void); /* XETILE_SOFT_SYSTEM_MEMORY=on */

/* ---- memory.c: the table of memory that kernels may access */

enum check_kind { CHECK_DEVICE, CHECK_SHARED, CHECK_HOST, CHECK_VIRTUAL, CHECK_PROGRAM, CHECK_BORROWED };

struct check_memory {
    struct tree_node node;
    uint64_t base, size;
    enum check_kind kind;
    uint8_t *shadow;   /* a byte per byte: written by a kernel or a command? NULL: all counts as written */
    atomic_bool gone;  /* freed while in the table of a launch */
    atomic_uint users; /* the current table, and launches */
};

/* These do nothing but in the checked mode. */
void check_memory_add(void *base, size_t size, enum check_kind kind);
void check_memory_remove(const void *base, size_t size); /* all allocations that begin in the range */
void check_memory_wrote(const void *to, size_t size);    /* by a command */

struct check_table {
    struct check_memory **row; /* sorted by base */
    size_t count;
};
bool check_table_copy(struct check_table *t);
void check_table_free(struct check_table *t);
/* The number of rows that begin at or before the address. */
size_t check_table_upto(const struct check_table *t, uint64_t address);
void check_mark_written(struct check_memory *m, uint64_t offset, uint64_t bytes);
/* The first unwritten byte of the range; `bytes` if there is none. */
uint64_t check_find_unwritten(const struct check_memory *m, uint64_t offset, uint64_t bytes);
const char *check_kind_name(enum check_kind kind);

/* The unwritten bytes of a subgroup's private memory, counted down from its top: those of variables whose lifetime has
 * begun. Below CHECK_STACK_BYTES nothing is tracked. */
enum { CHECK_STACK_BYTES = 16 << 20 };
struct check_stack {
    uint8_t *unwritten;
    uint64_t size;
};
void check_stack_mark(struct check_stack *s, uint64_t top, uint64_t address, uint64_t bytes, bool written);
/* As check_find_unwritten. */
uint64_t check_stack_find(const struct check_stack *s, uint64_t top, uint64_t address, uint64_t bytes);

/* ---- surface.c */

void check_mind_surfaces(bool as_hardware); /* that of a device with 2D block messages */
bool check_minds_surfaces(void);
/* Writes what is wrong with a surface; NULL: nothing. */
const char *check_surface_breaks(const struct xs_surface *s, char *text, size_t size);

/* ---- race.c: who touched a word since the last barrier */

enum { CHECK_SEVERAL = 255 };

struct check_block;
struct check_blocks {
    struct check_block *block;
    size_t capacity, used;
    uint64_t group;     /* blocks of other work-groups are free */
    uint32_t base, top; /* first epoch of the work-group, latest epoch: words of earlier ones count as empty */
};

struct check_conflict {
    const struct xs_site *site; /* NULL: none */
    uint8_t subgroup;           /* + 1, or CHECK_SEVERAL */
    bool wrote;
    uint64_t address;
};

void check_blocks_begin(struct check_blocks *c); /* a work-group */
void check_blocks_free(struct check_blocks *c);
/* Records an access by `subgroup`; returns the first conflict with another's, if any. */
struct check_conflict check_touch(struct check_blocks *c, const struct xs_site *site, uint32_t subgroup, uint32_t epoch,
                                  uint64_t address, uint64_t bytes);

/* ---- check.c: launches */

struct check_launch;
/* Makes the checked mode, if on, the launch's observer; false: out of memory. */
bool check_launch_begin(struct sched_launch *l);
/* Returns the number of faults. Prints how many were not reported. */
uint64_t check_launch_end(struct sched_launch *l);

#endif
