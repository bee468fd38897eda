/* builtins.c - built-in variables: which one an instruction reads, which of its components vary between lanes, and
 * which increase by one from lane to lane. The pass finds vectors that are loaded only for their components: these are
 * written as expressions, so the vector is not needed.
 *
 * Needs: g->private. Gives: cg_split.
 */
#include "own.h"

bool cg_builtin_of(struct cg *g, uint32_t variable, uint32_t *builtin)
{
    const struct sp_decoration *d = sp_decorated(g->m, variable, SP_DECORATION_BuiltIn);
    if (!d || g->m->ids[variable].what != SP_IS_VARIABLE || !sp_is_built_in(g->m, g->m->ids[variable].def))
        return false;
    *builtin = d->operand[0];
    return true;
}

bool cg_builtin_varies(struct cg *g, const struct cg_function *fn, uint32_t builtin, uint32_t component)
{
    (void)g;
    switch (builtin) {
    case SP_BUILTIN_GlobalInvocationId:
    case SP_BUILTIN_LocalInvocationId:
        if (fn->full) return component == 0 || component > 2;
        /* if rows are multiples of 32, the largest subgroup, y and z are uniform */
        if (component == 0 || component > 2 || !fn->entry || !fn->entry->local_size[0]) return true;
        return fn->entry->local_size[0] % 32 != 0 && (fn->entry->local_size[1] != 1 || fn->entry->local_size[2] != 1);
    case SP_BUILTIN_GlobalLinearId:
    case SP_BUILTIN_LocalInvocationIndex:
    case SP_BUILTIN_SubgroupLocalInvocationId:
    case SP_BUILTIN_SubgroupEqMask:
    case SP_BUILTIN_SubgroupGeMask:
    case SP_BUILTIN_SubgroupGtMask:
    case SP_BUILTIN_SubgroupLeMask:
    case SP_BUILTIN_SubgroupLtMask: return true;
    default: return false;
    }
}

bool cg_builtin_component(struct cg *g, const struct sp_inst *i, uint32_t *builtin, uint32_t *component)
{
    const struct sp_inst *load = i;
    if (i->op == SP_OP_CompositeExtract && i->count == 2) load = g->m->ids[i->operand[0]].def;
    if (!load || load->op != SP_OP_Load) return false;
    const struct cg_private *p = &g->private[load->operand[0]];
    if (!p->variable || !cg_builtin_of(g, p->variable, builtin)) return false;
    const struct cg_leaves *l = cg_leaves_of(g, i->type);
    if (l->count != 1 || p->offset < 0) return false;
    *component = (uint32_t)(p->offset / cg_kind_bytes(l->leaf[0].kind)) + (load == i ? 0 : i->operand[1]);
    return true;
}

bool cg_builtin_is_affine(struct cg *g, uint32_t builtin, uint32_t component)
{
    if (!g->fn->full || component) return false;
    switch (builtin) {
    case SP_BUILTIN_LocalInvocationId:
    case SP_BUILTIN_GlobalInvocationId:
    case SP_BUILTIN_LocalInvocationIndex:
    case SP_BUILTIN_SubgroupLocalInvocationId:
    case SP_BUILTIN_GlobalLinearId: return true;
    default: return false;
    }
}

static const struct sp_inst *computed_by(const struct cg *g, uint32_t id, uint32_t op)
{
    const struct sp_id *d = &g->m->ids[id];
    return d->what == SP_IS_VALUE && d->def->op == op ? d->def : NULL;
}

bool cg_is_hidden_zero(struct cg *g, uint32_t id)
{
    const struct sp_inst *select = computed_by(g, id, SP_OP_Select), *equal, *group;
    uint64_t last, zero;
    uint32_t builtin, component;
    if (!select || !sp_constant(g->m, select->operand[2], &zero) || zero) return false;
    equal = computed_by(g, select->operand[0], SP_OP_IEqual);
    if (!equal || !sp_constant(g->m, equal->operand[1], &last) || last != UINT32_MAX) return false;
    group = computed_by(g, equal->operand[0], SP_OP_CompositeExtract);
    return group && cg_builtin_component(g, group, &builtin, &component) && builtin == SP_BUILTIN_WorkgroupId;
}

CG_OWN_ROW(split)

static bool is_builtin_vector(struct cg *g, const struct sp_inst *i)
{
    uint32_t builtin;
    return i && i->op == SP_OP_Load && cg_is_composite(sp_type(g->m, i->type)) &&
           cg_builtin_of(g, g->private[i->operand[0]].variable, &builtin);
}

void cg_split_builtins(struct cg *g, struct cg_function *fn)
{
    uint32_t builtin, component;
    fn->split = cg_alloc(g, (fn->value_count + 1) * sizeof *fn->split);
    if (g->failed) return;
    CG_EACH (i, b, fn->f)
        if (i->id && is_builtin_vector(g, i)) split_row(g, i->id)->is = true;
    CG_EACH (i, b, fn->f) {
        bool extract = i->op == SP_OP_CompositeExtract && cg_builtin_component(g, i, &builtin, &component);
        CG_EACH_VALUE (k, i)
            if (!extract && g->ordinal[i->operand[k]]) split_row(g, i->operand[k])->is = false;
    }
}
