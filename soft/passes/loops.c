/* loops.c - the natural loops whose sums of products are not in their variables while they run: deferred.c, apart.c. */
#include "matrix.h"

const uint8_t *cg_inside_loop(struct cg *g, const struct sp_function *f, uint32_t header)
{
    bool loop = false;
    uint32_t *stack = cg_alloc(g, (f->block_count + 1) * sizeof *stack);
    uint8_t *inside = cg_alloc(g, f->block_count + 1);
    if (g->failed) return NULL;
    inside[header] = 1;
    for (uint32_t k = 0; k < f->blocks[header].pred_count; k++) {
        uint32_t latch = f->blocks[header].pred[k];
        if (!cg_dominates(f, header, latch)) continue;
        loop = loop || latch != header;
        cg_mark_before(f, latch, inside, stack);
    }
    return loop ? inside : NULL;
}

bool cg_leaves_together(struct cg *g, const struct cg_function *fn, const uint8_t *inside)
{
    const struct sp_function *f = fn->f;
    for (uint32_t b = 0; b < f->block_count; b++) {
        const struct sp_block *s = &f->blocks[b];
        const struct sp_inst *end = &s->inst[s->count - 1];
        bool exits = false, divergent = end->op != SP_OP_Branch && end->count && cg_is_varying(g, end->operand[0]);
        for (uint32_t k = 0; k < s->succ_count; k++) exits = exits || !inside[s->succ[k]];
        if (inside[b] && exits && (fn->block[b].masked || divergent)) return false;
    }
    return true;
}
