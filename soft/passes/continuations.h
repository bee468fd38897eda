/* continuations.h - the plan of a kernel that returns at its barriers. */
#ifndef XETILE_SOFT_CONTINUATIONS_H
#define XETILE_SOFT_CONTINUATIONS_H

#include "live.h"

/* A barrier, and the values live after it. */
struct cg_point {
    const struct sp_inst *barrier;
    uint64_t *live;
};

struct cg_continuation {
    uint32_t count, value_count;
    uint32_t *value; /* ids of values with C variables */
    struct cg_live live;
    uint64_t *kept;   /* live at any barrier */
    uint64_t *remade; /* rematerialised instead */
    uint64_t *made;   /* rematerialised so far at the barrier being written */
    struct cg_point *point;
};

/* The number of items of a private variable, and its size. */
uint64_t cg_variable_items(struct cg *g, const struct sp_inst *variable, uint64_t *bytes);

#endif
