/* coherent.c - a second copy of masked blocks, for the case that all lanes reach them together.
 *
 * Most varying branches go the same way in all lanes, such as tests for the edge of an image or the end of an array. In
 * kernels of full subgroups, the masked blocks of a component are therefore written twice, unless that is a lot of code
 * or runs only once: as L<label> under masks, and as W<label> without masks, for all lanes. A divergent branch in a
 * plain block or in a W block takes a vote. If all lanes agree, they jump to the target's W<label>, otherwise to the
 * masked blocks, as they do if there is no second copy. Both copies use the same C variables. When all lanes are
 * together again, at the head of a loop or at a join outside loops, they continue with W<label>.
 *
 * Votes on comparisons of an affine with a uniform value are scalar.
 *
 * Needs: masked blocks, the queues of deferred.c, which belong to one copy of a loop. Gives: fn->coherent.
 */
#include "passes.h"

enum { MAX_COHERENT = 300 /* instructions of a component */ };

static const struct sp_inst *first_of_component(const struct cg_function *fn, uint32_t component)
{
    uint32_t b = 0;
    while (fn->block[b].component != component) b++;
    return fn->f->blocks[b].inst;
}

void cg_plan_coherent(struct cg *g, struct cg_function *fn)
{
    uint32_t components = 0;
    for (uint32_t b = 0; b < fn->f->block_count; b++)
        if (fn->block[b].component > components) components = fn->block[b].component;
    uint32_t *size = cg_alloc(g, (components + 1) * sizeof *size);
    fn->coherent = cg_alloc(g, (components + 1) * sizeof *fn->coherent);
    if (g->failed || !fn->full || fn->queue_count || g->runs_once) return;
    for (uint32_t b = 0; b < fn->f->block_count; b++) size[fn->block[b].component] += fn->f->blocks[b].count;
    for (uint32_t c = 1; c <= components; c++) {
        fn->coherent[c] = size[c] <= MAX_COHERENT;
        const struct sp_inst *first = first_of_component(fn, c);
        if (fn->coherent[c])
            cg_remark(g, fn, first, "coherent", true, "branches on which lanes may differ: with an unmasked path too");
        else
            cg_remark(g, fn, first, "coherent", false,
                      "branches on which lanes may differ: masked only, %u instructions are more than %d", size[c],
                      MAX_COHERENT);
    }
}

bool cg_has_coherent(const struct cg *g, uint32_t block)
{
    const struct cg_block *b = &g->fn->block[block];
    return b->masked && g->fn->coherent[b->component];
}

/* Not in the middle of a loop, because compilers expect loops to have a single head. */
bool cg_joins_coherent(const struct cg *g, uint32_t block)
{
    uint32_t loop = g->fn->block[block].loop;
    if (!cg_has_coherent(g, block)) return false;
    return loop ? g->fn->loop[loop - 1].header == block : g->fn->f->blocks[block].pred_count > 1;
}
