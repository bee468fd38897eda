/* sites.h - declarations shared by the files of the checked mode: sites.c, uses.c, checks.c and checks_private.c. */
#ifndef XETILE_SOFT_SITES_H
#define XETILE_SOFT_SITES_H

#include "codegen.h"

/* State that lasts from one instruction to the next. */
struct cg_check {
    const char *bits; /* the active lanes, while g->w->bits are the allowed ones */
    bool stores;
    uint8_t fences; /* 1: the module has only those of barriers; 2: it has others */
};

/* The name of the instruction's site; `root`: root of the pointer, see cg_check_root, or 0. */
const char *cg_check_site(struct cg *g, uint32_t part, uint32_t pointer, uint32_t root, uint32_t flags);
uint32_t cg_check_root(struct cg *g, uint32_t pointer);
/* The size of a load of this type; adds XS_HOLES if some of it is padding. */
uint64_t cg_check_extent(struct cg *g, uint32_t type, uint32_t *flags);
void cg_check_items(struct cg *g); /* accesses to variables kept in C variables */
uint32_t cg_check_reading(struct cg *g, const struct sp_inst *load); /* XS_READS with XS_HOLES or XS_PARTS */

#endif
