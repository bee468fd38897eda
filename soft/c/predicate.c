/* predicate.c - OpPredicatedLoadINTEL and OpPredicatedStoreINTEL: a load or store for the lanes in which a condition
 * holds. It is written like an ordinary one, for fewer lanes; the result of a load is first set to its default.
 */
#include "codegen.h"

static void set_default(struct cg *g)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    CG_EACH_LEAF (i, l) cg_set_leaf(g, i, cg_leaf_use(g, cg_operand(g, 2), i, cg_is_varying(g, g->w->inst->id)));
}

void cg_write_predicated(struct cg *g, void (*write_access)(struct cg *g))
{
    bool loads = g->w->inst->op == SP_OP_PredicatedLoadINTEL;
    uint32_t condition = cg_operand(g, loads ? 1 : 2);
    /* a varying result is selected lane by lane, even if the condition is uniform */
    bool varying = cg_is_varying(g, condition) || (loads && cg_is_varying(g, g->w->inst->id));
    const char *outer_mask = g->w->mask, *outer_bits = g->w->bits, *bits;
    if (loads) set_default(g);
    if (varying) {
        g->w->mask = cg_evaluated(g, "i32x", cg_str(g, "%s & %s", cg_use(g, condition, true), outer_mask));
        bits = cg_str(g, "XS(bits)(%s)", g->w->mask);
        g->w->blends = loads;
    } else {
        bits = cg_str(g, "%s ? %s : 0", cg_use(g, condition, false), outer_bits);
    }
    g->w->bits = bits = cg_evaluated(g, "u64", bits);
    cg_put(g, "    if (%s) {\n", bits);
    write_access(g);
    cg_put(g, "    }\n");
    g->w->bits = outer_bits;
    g->w->mask = outer_mask;
    g->w->blends = false;
}
