/* outer.h - matrix products that a module spells out as multiplications and additions. */
#ifndef XETILE_SOFT_PASSES_OUTER_H
#define XETILE_SOFT_PASSES_OUTER_H

#include "passes.h"

/* Leaf `leaf` of the value `id`: a vector of lanes. */
struct cg_lanes {
    uint32_t id, leaf;
};

/* Sums of ni x nj vectors of `width` components each:
 *
 *     sum(i, j)[e] += row(k, i) * element(k, j, e), k = 0 ... nk - 1 in this order
 *
 * where element(k, j, e) is one lane of one of the `sources` of column j: if those are contiguous, it is at
 * at[k] + e * step. */
struct cg_outer {
    struct cg_outer *next;
    uint32_t end;              /* index in its block of the instruction where all of it is written: the last addition */
    const struct sp_inst *last;
    uint32_t ni, nj, nk, width, sources, step;
    enum cg_kind kind;
    const uint32_t *before, *after; /* [i * nj + j]: the sums, before and after */
    const struct cg_lanes *row;     /* [k * ni + i] */
    const struct cg_lanes *source;  /* [j * sources + n] */
    const uint32_t *at;             /* [k] */
    /* The pointer that the first row, or source, was loaded through, if the others follow it in memory and nothing has
     * written there since; 0: they must be copied. */
    uint32_t rows_at, sources_at;
};

#endif
