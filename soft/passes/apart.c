/* apart.c - sums of products with columns of B in place (widening.c), of which each register has one column's sums over
 * every 16th k: adding up its lanes costs as much as some products do. If a loop carries such a sum and only these
 * products use it there, its lanes are kept apart in an array while the loop runs, and added up wherever it exits.
 *
 * Needs: cg_shared, cg_held. Gives: fn->apart.
 */
#include "matrix.h"

static bool is_product_in_place(struct cg *g, const struct sp_inst *i)
{
    return i->op == SP_OP_SubgroupMatrixMultiplyAccumulateINTEL && cg_is_in_place(g, i->operand[2]);
}

/* The phi that the sum of a product comes from by way of other products; 0: it is another value. */
static uint32_t first_of_chain(struct cg *g, const struct sp_inst *i)
{
    const struct sp_id *d = &g->m->ids[i->id];
    while (d->def && d->def->op == SP_OP_SubgroupMatrixMultiplyAccumulateINTEL &&
           cg_class(g, d->def->operand[3]) == cg_class(g, i->id))
        d = &g->m->ids[d->def->operand[3]];
    return d->def && d->def->op == SP_OP_Phi ? d->def->id : 0;
}

/* In the loop, does the instruction leave the sum alone, unless it is such a product or the header's phi? As the sum's
 * values share a variable, each product adds to what the one before it left there. */
static bool leaves_sum_alone(struct cg *g, const struct cg_apart *sum, uint32_t block, const struct sp_inst *i)
{
    const bool of_sum = i->id && cg_class(g, i->id) == sum->class, adds = of_sum && is_product_in_place(g, i);
    if (of_sum && !adds && (i->op != SP_OP_Phi || block != sum->header)) return false;
    CG_EACH_VALUE (k, i) {
        const bool uses = cg_class(g, i->operand[k]) == sum->class;
        if (adds ? uses != (k == 3) : !of_sum && uses) return false;
        if (of_sum && !adds && !uses && sum->inside[g->m->ids[i->operand[k + 1]].block]) return false;
    }
    return true;
}

/* Returns why the lanes cannot be kept apart, or NULL. */
static const char *describe(struct cg *g, const struct cg_function *fn, const struct sp_inst *i, uint32_t block,
                            uint32_t phi, struct cg_apart *sum)
{
    if (fn->has_barrier) return "the kernel has barriers";
    if (fn->block[block].masked) return "lanes may come to them separately";
    if (!phi) return "no loop carries it";
    sum->class = cg_class(g, phi);
    sum->rows = cg_leaves_of(g, i->type)->count;
    sum->header = g->m->ids[phi].block;
    sum->inside = cg_inside_loop(g, fn->f, sum->header);
    if (!sum->inside || !sum->inside[block]) return "the loop that carries it is another";
    CG_EACH (each, b, fn->f)
        if (sum->inside[b] && !leaves_sum_alone(g, sum, b, each)) return "the loop uses it for something else, too";
    return cg_leaves_together(g, fn, sum->inside) ? NULL : "lanes may leave the loop separately";
}

static bool add_sum(struct cg *g, struct cg_function *fn, const struct sp_inst *i, uint32_t block, uint32_t phi)
{
    struct cg_apart *sum = cg_alloc(g, sizeof *sum);
    if (g->failed) return false;
    const char *why = describe(g, fn, i, block, phi, sum);
    cg_remark(g, fn, i, "apart", !why, "a sum's lanes are added up %s%s",
              why ? "after these products: " : "after the loop", why ? why : "");
    if (why) return false;
    sum->next = fn->apart;
    fn->apart = sum;
    return true;
}

void cg_keep_apart(struct cg *g, struct cg_function *fn)
{
    bool *refused = cg_alloc(g, (fn->value_count + 1) * sizeof *refused); /* by ordinal of the phi */
    fn->apart = NULL;
    if (g->failed || fn->f->is_declaration || fn->continuation || !fn->held) return;
    CG_EACH (i, b, fn->f) {
        if (!is_product_in_place(g, i) || cg_is_apart(g, i->id)) continue;
        uint32_t phi = first_of_chain(g, i);
        bool *no = &refused[phi ? g->ordinal[phi] : 0];
        *no = *no || !add_sum(g, fn, i, b, phi);
    }
}

bool cg_is_apart(struct cg *g, uint32_t product)
{
    const struct cg_apart *sum = g->fn->apart;
    while (sum && (sum->class != cg_class(g, product) || !sum->inside[g->m->ids[product].block])) sum = sum->next;
    return sum;
}
