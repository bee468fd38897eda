/* versions.h - see versions.c. */
#ifndef XETILE_SOFT_VERSIONS_H
#define XETILE_SOFT_VERSIONS_H

#include "spirv/spirv.h"

/* A version of a kernel runs launches whose work-groups consist of full subgroups of consecutive work-items in x, or
 * (CG_PARTIAL) any others, for which it runs full subgroups by the version for these; and those for which condition k
 * has its usual value, or with CG_UNUSUAL << k the other. A kernel that can do with one version for all sizes has
 * neither of the first two. */
enum { CG_FULL = 1, CG_PARTIAL = 2, CG_UNUSUAL = 4 };

struct cg_condition {
    uint32_t id; /* of a value in the kernel's first block, computed from arguments */
    bool usual;  /* its value in most launches */
};
struct cg_kernel_versions {
    uint32_t count;
    struct cg_condition *condition;
};
struct cg_versions {
    struct cg_kernel_versions *kernel; /* by entry */
    uint32_t kernel_count;
    bool one;         /* each kernel has one version only */
    uint32_t only;    /* entry + 1: only this kernel is written, ... */
    uint32_t version; /* ... in this version; 0: all, in their usual versions */
};

/* Fills in `kernel` and `one`. False if out of memory. */
bool cg_find_versions(const struct sp_module *m, struct cg_versions *v);
void cg_versions_free(struct cg_versions *v);
/* Decides branches, for the versions to be written, in a copy of the words that m was read from; they are then to be
 * read again. Returns the number of branches. */
uint32_t cg_decide(const struct sp_module *m, const struct cg_versions *v, uint32_t *words);

#endif
