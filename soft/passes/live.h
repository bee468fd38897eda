/* live.h - see live.c. */
#ifndef XETILE_SOFT_LIVE_H
#define XETILE_SOFT_LIVE_H

#include "passes.h"

/* Sets of a function's values, as bits: bit n - 1 is the value with n in `index_of`. */
struct cg_live {
    uint32_t words;     /* of a set */
    uint32_t *index_of; /* by ordinal; 0: no set contains it */
    uint64_t *in;       /* by block: live where it begins */
    uint64_t *now;      /* live after the instruction being visited */
};

static inline void cg_insert(uint64_t *set, uint32_t n) { set[n / 64] |= (uint64_t)1 << n % 64; }
static inline void cg_remove(uint64_t *set, uint32_t n) { set[n / 64] &= ~((uint64_t)1 << n % 64); }
static inline bool cg_contains(const uint64_t *set, uint32_t n) { return set[n / 64] >> n % 64 & 1; }

/* Sets for `count` values of `fn`, whose numbers are still to be set; false: too much memory. */
bool cg_prepare_live(struct cg *g, const struct cg_function *fn, uint32_t count, struct cg_live *l);
void cg_find_live(struct cg *g, const struct cg_function *fn, struct cg_live *l);
/* Calls `visit` for the instructions of each block, the last first. */
void cg_visit_live(struct cg *g, const struct cg_function *fn, struct cg_live *l,
                   void (*visit)(void *user, const struct cg_live *l, const struct sp_inst *i), void *user);

#endif
