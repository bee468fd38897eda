/* addressed.c - functions whose address is taken, by the module or by the host. */
#include "own.h"

#include <string.h>

static bool is_exported(struct cg *g, const struct sp_function *f)
{
    const struct sp_decoration *d = sp_decorated(g->m, f->id, SP_DECORATION_LinkageAttributes);
    return d && !f->is_declaration && strcmp(f->name, g->o->function) == 0;
}

static void address(struct cg *g, uint32_t function)
{
    struct cg_function *fn = &g->function[function];
    if (fn->row) return;
    if (fn->f->is_declaration) cg_fail(g, "the address of a function that has no body in this module");
    if (fn->f->is_kernel) cg_fail(g, "the address of a kernel");
    fn->row = ++g->row_count;
    fn->called = true;
}

void cg_find_addressed(struct cg *g)
{
    for (uint32_t i = 0; g->o->function && i < g->m->function_count && !g->row_count; i++)
        if (is_exported(g, &g->m->functions[i])) address(g, i);
    if (g->o->function && !g->row_count) cg_fail(g, "no exported function of this name");
    for (uint32_t id = 1; id < g->m->bound && !g->failed; id++) {
        const struct sp_inst *d = g->m->ids[id].def;
        if (d && d->op == SP_OP_ConstantFunctionPointerINTEL) address(g, g->m->ids[d->operand[0]].block);
    }
}

/* Their callers are unknown, so parameters and results vary. */
void cg_spread_addressed(struct cg *g)
{
    for (uint32_t i = 0; i < g->m->function_count; i++) {
        struct cg_function *fn = &g->function[i];
        if (!fn->row) continue;
        fn->called = fn->result_varying = true;
        for (uint32_t k = 0; k < fn->f->param_count; k++) cg_own_value(g, fn->f->params[k])->varying = true;
    }
}
