/* functions.c - properties of functions: which are long, which are kernels, the lanes of their subgroups. */
#include "ir.h"

enum { CG_LONG_FUNCTION = 150, CG_LARGE_FUNCTION = 600 }; /* instructions */
enum { MANY_ACCESSES = 64 };                              /* scalars */
enum { CG_MOST_INLINED = 10000 };                         /* instructions */

bool cg_is_kernel(const struct cg_function *fn) { return fn && fn->entry && !fn->wraps; }

bool cg_is_long(const struct cg_function *fn)
{
    return fn->instructions > CG_LONG_FUNCTION || fn->accesses > MANY_ACCESSES;
}

bool cg_is_large(const struct cg_function *fn) { return fn->instructions > CG_LARGE_FUNCTION; }

bool cg_stays_apart(const struct cg_function *fn) { return fn->inlined > CG_MOST_INLINED; }

static void count_inlined(struct cg *g, struct cg_function *fn, uint32_t depth)
{
    if (fn->inlined || depth > SP_MAX_CALL_DEPTH) return;
    fn->inlined = fn->instructions;
    CG_EACH (i, b, fn->f) {
        if (i->op != SP_OP_FunctionCall) continue;
        struct cg_function *callee = &g->function[g->m->ids[i->operand[0]].block];
        count_inlined(g, callee, depth + 1);
        if (!cg_stays_apart(callee)) fn->inlined += callee->inlined;
    }
}

void cg_count_inlined(struct cg *g)
{
    for (uint32_t i = 0; i < g->m->function_count; i++) count_inlined(g, &g->function[i], 0);
}

uint32_t cg_size_of_entry(struct cg *g, const struct sp_entry *e)
{
    uint32_t S = e->subgroup_size ? e->subgroup_size : g->o->default_subgroup_size ? g->o->default_subgroup_size : 16;
    if (S != 8 && S != 16 && S != 32) {
        sp_text_add(g->log, "error: kernel %s: subgroup size %u is not supported (8, 16, 32 are)\n", e->name, S);
        g->failed = true;
    }
    return S;
}
