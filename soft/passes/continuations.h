/* continuations.h - the plan of a kernel that returns at its barriers. */
#ifndef XETILE_SOFT_CONTINUATIONS_H
#define XETILE_SOFT_CONTINUATIONS_H

#include "passes.h"

/* A barrier, and the values live after it. */
struct cg_point {
    const struct sp_inst *barrier;
    uint64_t *live; /* a bit per value */
};

struct cg_continuation {
    uint32_t count, value_count, words;
    uint32_t *value;    /* ids of values with C variables */
    uint32_t *index_of; /* by ordinal: number + 1 */
    uint64_t *kept;     /* live at any barrier */
    uint64_t *remade;   /* rematerialised instead */
    uint64_t *made;     /* rematerialised so far at the barrier being written */
    struct cg_point *point;
};

bool cg_is_kept(const uint64_t *bits, uint32_t n);
void cg_set_kept(uint64_t *bits, uint32_t n);
/* The number of items of a private variable, and its size. */
uint64_t cg_variable_items(struct cg *g, const struct sp_inst *variable, uint64_t *bytes);

#endif
