/* matrix.h - what matrix.c and passes/deferred.c share: blocks, fragments, and grids of products. */
#ifndef XETILE_SOFT_CODEGEN_MATRIX_H
#define XETILE_SOFT_CODEGEN_MATRIX_H

#include "codegen.h"

/* A two-dimensional block, and what a lane has of it. */
struct cg_block2d {
    uint32_t elem, width, height, count, item;
    uint64_t bytes;
};
bool cg_describe_block(struct cg *g, const struct sp_inst *i, struct cg_block2d *b); /* false: no device knows it */
uint32_t cg_lanes_operand(uint16_t op); /* where the instruction has the pointer to the lanes' own data; 0: nowhere */
const char *cg_surface(struct cg *g, uint32_t first);

/* The fixed variable that a borrowed fragment is read from; 0: it is not borrowed. */
uint32_t cg_lender(struct cg *g, uint32_t id);
uint32_t cg_items(struct cg *g, uint32_t variable);
/* Of wide variables: do they hold 8-bit integers, of which signs (as prelude_matrix.h has them)? How many bytes from
 * the beginning a pointer is, and a load of a block ("late" or "block2d_load") but for its surface and place, as text.
 */
bool cg_is_wide_int(const struct cg_value *v);
uint32_t cg_signs(const struct cg_value *v);
const char *cg_wide_place(struct cg *g, const struct cg_value *p);
const char *cg_wide_load(struct cg *g, const struct cg_value *v, const struct cg_block2d *b, const char *how,
                         const char *to);
enum cg_kind cg_element(struct cg *g, uint32_t id);

/* Products that follow each other and form a grid: see prelude_matrix.h. */
enum { CG_RUN = 64, CG_FRAGMENTS = 8 /* XS_RUN */ };

struct cg_chain { /* products that add to the same sum, in order */
    uint32_t home, first, last, n, a[CG_FRAGMENTS], b[CG_FRAGMENTS];
};

struct cg_grid {
    uint32_t ni, nj, nk, span; /* span: instructions, from the first product to the last */
    const struct cg_chain *row[CG_FRAGMENTS], *column[CG_FRAGMENTS], *cell[CG_FRAGMENTS][CG_FRAGMENTS];
};

/* The grid of as many of the products that begin at g->inst as make one; false: there is only one. */
bool cg_next_grid(struct cg *g, struct cg_chain *chain, struct cg_grid *grid);
const char *cg_pointer_list(struct cg *g, const char *type, uint32_t n, const char *const *items);

/* passes/deferred.c: products of this instruction's types are for the CPU's tiles: how prelude_amx.h calls them; NULL:
 * they are not. */
const char *cg_tile_product(struct cg *g, const struct sp_inst *i);
const char *cg_tile_name(struct cg *g, const char *product, uint32_t flags);
const char *cg_product_name(uint32_t flags, enum cg_kind a);
/* Of products and loads of blocks: written, because the products wait. */
bool cg_write_late(struct cg *g);

#endif
