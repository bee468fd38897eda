/* rolled.c - component-wise instructions as loops over the components.
 *
 * While such an instruction is written, its vectors have one leaf, `.e[i0_]`, with a loop around it, as arrays of many
 * elements always have. Compilers then see one statement instead of dozens; but the components stay in memory, which
 * makes products of f32 three times as slow. Therefore this is done only for kernels that should compile quickly.
 */
#include "codegen.h"
#include "passes/matrix.h"

enum { LEAST_COMPONENTS = 4 };

static bool is_rolled_type(const struct sp_type *t) { return t->kind == SP_VECTOR || t->kind == SP_COOPMAT; }

/* Are all components of the constant equal, so that one literal represents them? */
static bool is_same_throughout(const struct sp_id *d, const struct sp_type *t)
{
    if (d->def && (d->def->op == SP_OP_ConstantNull || d->def->op == SP_OP_Undef)) return true;
    if (!d->bits || t->kind != SP_VECTOR) return false;
    for (uint32_t k = 1; k < t->count; k++)
        if (d->bits[k] != d->bits[0]) return false;
    return true;
}

/* Can the value's component be indexed by a variable? A scalar serves for all. The leaves of a fragment that is read
 * where it is, and of its conversion, are found by their number only. */
static bool can_roll(struct cg *g, uint32_t id, uint32_t count)
{
    const struct sp_id *d = &g->m->ids[id];
    const struct sp_type *t = sp_type(g->m, d->type);
    const struct cg_leaves *l = cg_leaves_of(g, d->type);
    if (d->what == SP_IS_CONSTANT || (d->def && d->def->op == SP_OP_Undef)) {
        if (l->count > 1) return is_same_throughout(d, t);
        return true;
    }
    if (l->count == 1 && !l->many) return true;
    if (cg_forwarded_from(g, id) || cg_late_from(g, id)) return false;
    return is_rolled_type(t) && !l->many && l->count == count && !l->leaf[0].narrow;
}

static void roll_type(struct cg *g, struct cg_rolled *r, uint32_t type_id)
{
    const struct sp_type *t = sp_type(g->m, type_id);
    struct cg_leaves *l = &g->leaves[t - g->m->types];
    struct cg_nest *nest;
    struct cg_leaf *leaf;
    if (!is_rolled_type(t) || l->many || r->n == CG_ROLLED_TYPES) return;
    nest = cg_alloc(g, sizeof *nest);
    leaf = cg_alloc(g, sizeof *leaf);
    if (g->failed) return;
    *nest = (struct cg_nest){NULL, 0, l->count, cg_kind_bytes(l->leaf[0].kind)};
    *leaf = (struct cg_leaf){l->leaf[0].kind, 0, ".e[i0_]", nest, 0};
    r->at[r->n] = l;
    r->was[r->n++] = *l;
    *l = (struct cg_leaves){1, l->scalars, true, leaf};
}

void cg_roll(struct cg *g, struct cg_rolled *r)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    r->n = 0;
    if (!g->o->quick || g->w->lanes_apart || l->count < LEAST_COMPONENTS) return;
    if (!can_roll(g, g->w->inst->id, l->count) || g->w->inst->count > CG_ROLLED_TYPES - 1) return;
    for (uint32_t k = 0; k < g->w->inst->count; k++)
        if (!cg_is_value_operand(g->w->inst, k) || !can_roll(g, cg_operand(g, k), l->count)) return;
    roll_type(g, r, g->w->inst->type);
    for (uint32_t k = 0; k < g->w->inst->count && !g->failed; k++) roll_type(g, r, g->m->ids[cg_operand(g, k)].type);
}

void cg_unroll(struct cg_rolled *r)
{
    while (r->n) {
        r->n--;
        *r->at[r->n] = r->was[r->n];
    }
}
