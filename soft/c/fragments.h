/* fragments.h - addresses of matrix fragments, as C, and declarations shared by matrix.c and deferred.c. */
#ifndef XETILE_SOFT_FRAGMENTS_H
#define XETILE_SOFT_FRAGMENTS_H

#include "codegen.h"
#include "passes/matrix.h"

/* The arguments of a 2D block: its surface and its position. */
const char *cg_surface(struct cg *g);
/* The byte offset of a pointer into a wide variable. */
const char *cg_wide_place(struct cg *g, const struct cg_private *p);
/* The call that loads a block into one ("deferred" or "block2d_load"), up to surface and position. */
const char *cg_wide_load(struct cg *g, uint32_t variable, const struct cg_block2d *b, const char *how,
                         const char *to);
const char *cg_pointer_list(struct cg *g, const char *type, uint32_t n, const char *const *items);
/* Writes a product or load of a block if its products are deferred; else returns false. */
bool cg_write_deferred(struct cg *g);

#endif
