/* outline.h - a function's blocks in the order in which they are written, and how a long one is divided into pieces. */
#ifndef XETILE_SOFT_PASSES_OUTLINE_H
#define XETILE_SOFT_PASSES_OUTLINE_H

#include "passes.h"

/* A block at its place in the text: under its mask or, as a second copy, for all lanes (coherent.c). */
struct cg_place {
    uint32_t block;
    bool coherent;
};

/* A piece begins with this step of the block there. Step n is instruction n; the cases of a varying switch are the
 * steps that follow, in the order of cg_next_case. */
struct cg_cut {
    uint32_t place, step;
};

/* The piece that a variable is local to. */
#define CG_UNUSED UINT32_MAX         /* no piece uses it ... */
#define CG_IN_STATE (UINT32_MAX - 1) /* ... several do, or one again */

struct cg_outline {
    uint32_t place_count;
    struct cg_place *place;
    uint32_t *place_of[2];    /* by block: its place, or its second copy's */
    uint32_t pieces;          /* 1: the function is written whole, and the rest is NULL */
    const struct cg_cut *cut; /* where each piece begins */
    uint32_t *piece_of_place; /* where it starts */
    uint32_t *piece_of_point; /* by barrier of a continuation: where it continues */
    uint32_t *piece_of_value; /* by ordinal, then by block (of its mask, and its switch's selector and lanes) */
};

/* The piece that the variables of a value or, by its label, of a block are local to. */
uint32_t cg_piece_of(const struct cg *g, uint32_t id);

#endif
