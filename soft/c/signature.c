/* signature.c - a function's name and parameters, and the built-in values at its beginning. */
#include "codegen.h"

enum { MUCH_MEMORY = 8192 }; /* bytes per subgroup */

const char *cg_version(struct cg *g, const struct cg_function *fn)
{
    return cg_str(g, "%c%u_%u", fn->full ? 'd' : 'f', fn->f->id, g->S);
}

/* Does the function have much memory? If compilers inline two functions into a third, they may reserve stack for the
 * variables of both at once. Those are not inlined, so that a kernel's stack size is reliable. */
static bool takes_much(struct cg *g, const struct sp_function *f)
{
    uint64_t bytes = 0;
    CG_EACH (i, b, f) {
        if (i->op == SP_OP_Variable && !g->private[i->id].fixed)
            bytes += cg_memory_size(g, sp_type(g->m, i->type)->elem);
    }
    return bytes * g->S > MUCH_MEMORY;
}

void cg_write_signature(struct cg *g, const char *end)
{
    const struct sp_function *f = g->fn->f;
    uint32_t result = sp_type(g->m, f->type)->elem;
    bool large = cg_is_large(g->fn) || g->o->quick, loops = cg_is_kernel(g->fn) && g->fn->full;
    bool much = takes_much(g, f) || (g->fn->called && cg_stays_apart(g->fn));
    cg_put(g, "XS_OWN %s %s %s(struct xs_subgroup *self",
           large   ? much || g->o->quick ? "static XS_CUT" : "static XS_LARGE"
           : much  ? "XS_FUNCTION"
           : loops ? "XS_INLINE"
                   : "static",
           g->fn->continuation ? "u32" : cg_type_name(g, result, g->fn->result_varying), cg_version(g, g->fn));
    if (g->fn->continuation) cg_put(g, ", struct frame_%s *frame", cg_version(g, g->fn));
    if (cg_is_kernel(g->fn)) cg_put(g, ", struct place at");
    if (!g->fn->full) cg_put(g, ", i32x m0, u64 b0");
    for (uint32_t i = 0; i < f->param_count; i++) {
        uint32_t id = f->params[i];
        cg_put(g, ", %s v%u", cg_type_name(g, g->m->ids[id].type, g->value[id].varying), id);
    }
    cg_put(g, ")%s", end);
}

/* The values that built-in variables are computed from. The compiler drops unused ones. */
void cg_write_builtins(struct cg *g)
{
    const struct sp_entry *e = g->fn->entry;
    const char *from = cg_is_kernel(g->fn) ? "at" : "here";
    if (!cg_is_kernel(g->fn)) cg_put(g, "    const struct place here = place_of(self);\n");
    for (uint32_t i = 0; i < 3; i++) {
        if (e && e->local_size[0])
            cg_put(g, "    const u32 local_size%u = %uu;\n", i, e->local_size[i]);
        else
            cg_put(g, "    const u32 local_size%u = %s.size[%u];\n", i, from, i);
        cg_put(g, "    const u32 group_id%u = %s.group[%u], group_count%u = %s.count[%u], offset%u = %s.offset[%u];\n",
               i, from, i, i, from, i, i, from, i);
    }
    cg_put(g, "    const u32 subgroup_id = %s.id, lanes = %s.lanes;\n", from, from);
    if (g->fn->full) {
        for (uint32_t i = 0; i < 3; i++) cg_put(g, "    const u32 first%u = %s.first[%u];\n", i, from, i);
        return;
    }
    cg_put(g,
           "    u32x local_id0, local_id1, local_id2;\n"
           "    XS(local_ids)(%s.first, local_size0, local_size1, local_size2, &local_id0, &local_id1, &local_id2);\n",
           from);
}
