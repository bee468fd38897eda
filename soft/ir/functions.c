/* functions.c - properties of functions: which are long, which are kernels, the lanes of their subgroups. */
#include "ir.h"

enum { CG_LONG_FUNCTION = 150, CG_LARGE_FUNCTION = 600 }; /* instructions */
enum { MANY_ACCESSES = 64 };                              /* scalars */

bool cg_is_kernel(const struct cg_function *fn) { return fn && fn->entry && !fn->wraps; }

bool cg_is_long(const struct cg_function *fn)
{
    return fn->instructions > CG_LONG_FUNCTION || fn->accesses > MANY_ACCESSES;
}

bool cg_is_large(const struct cg_function *fn) { return fn->instructions > CG_LARGE_FUNCTION; }

uint32_t cg_size_of_entry(struct cg *g, const struct sp_entry *e)
{
    uint32_t S = e->subgroup_size ? e->subgroup_size : g->o->default_subgroup_size ? g->o->default_subgroup_size : 16;
    if (S != 8 && S != 16 && S != 32) {
        sp_text_add(g->log, "error: kernel %s: subgroup size %u is not supported (8, 16, 32 are)\n", e->name, S);
        g->failed = true;
    }
    return S;
}
