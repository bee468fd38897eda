/* own.h - the tables of passes.h, to be written: for the passes alone, each its own. */
#ifndef XETILE_SOFT_PASSES_OWN_H
#define XETILE_SOFT_PASSES_OWN_H

#include "passes.h"

/* In the file of the pass: <name>_row(g, id). */
#define CG_OWN_ROW(name)                                                                                               \
    static struct cg_##name *name##_row(const struct cg *g, uint32_t id)                                               \
    {                                                                                                                  \
        return (struct cg_##name *)&g->fn->name[g->ordinal[id]];                                                       \
    }

/* For divergence.c, and for addresses.c and addressed.c as far as it calls them. */
static inline struct cg_value *cg_own_value(const struct cg *g, uint32_t id)
{
    return (struct cg_value *)&g->value[id];
}

#endif
