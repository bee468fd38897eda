/* blocks.c - the blocks of a function: reverse postorder, post-dominators, and what phis take from each. */
#include "ir.h"

void cg_order_blocks(struct cg *g, struct cg_function *fn)
{
    const struct sp_function *f = fn->f;
    uint32_t n = f->block_count, top = 0, at = n;
    uint32_t *stack = cg_alloc(g, (n + 1) * sizeof *stack), *next = cg_alloc(g, (n + 1) * sizeof *next);
    uint8_t *seen = cg_alloc(g, n + 1);
    fn->rpo = cg_alloc(g, (n + 1) * sizeof *fn->rpo);
    if (g->failed) return;
    stack[top++] = 0;
    seen[0] = 1;
    while (top) {
        const struct sp_block *b = &f->blocks[stack[top - 1]];
        if (next[stack[top - 1]] < b->succ_count) {
            uint32_t s = b->succ[b->succ_count - 1 - next[stack[top - 1]]++]; /* the last first: the first comes next */
            if (!seen[s]) {
                seen[s] = 1;
                stack[top++] = s;
            }
        } else {
            fn->rpo[--at] = stack[--top];
        }
    }
}

bool cg_dominates(const struct sp_function *f, uint32_t a, uint32_t b)
{
    while (b != a && b != f->blocks[b].idom) b = f->blocks[b].idom;
    return b == a;
}

/* Edges are visited roughly in the order of the phi's operands, or backwards, so the search starts at the last one
 * found and goes both ways. */
uint32_t cg_phi_source(struct cg *g, const struct sp_inst *phi, uint32_t label)
{
    uint32_t pairs = phi->count / 2;
    for (uint32_t i = 0; i < pairs; i++) {
        uint32_t at = (g->phi_at + (i % 2 ? pairs - (i + 1) / 2 : i / 2)) % pairs;
        if (phi->operand[2 * at + 1] != label) continue;
        g->phi_at = at;
        return phi->operand[2 * at];
    }
    return 0;
}

void cg_mark_before(const struct sp_function *f, uint32_t block, uint8_t *marked, uint32_t *stack)
{
    uint32_t top = 0;
    if (marked[block]) return;
    marked[block] = 1;
    stack[top++] = block;
    while (top) {
        const struct sp_block *b = &f->blocks[stack[--top]];
        for (uint32_t k = 0; k < b->pred_count; k++) {
            if (marked[b->pred[k]]) continue;
            marked[b->pred[k]] = 1;
            stack[top++] = b->pred[k];
        }
    }
}

/* The function backwards: its entry, block 0, is the end, and block b is b + 1. */
static bool reverse(struct cg *g, const struct sp_function *f, struct sp_function *back)
{
    uint32_t n = f->block_count, edges = n; /* to the entry */
    for (uint32_t b = 0; b < n; b++) edges += f->blocks[b].succ_count + f->blocks[b].pred_count + 1;
    uint32_t *edge = cg_alloc(g, (edges + 1) * sizeof *edge);
    *back = (struct sp_function){.block_count = n + 1, .blocks = cg_alloc(g, (n + 1) * sizeof *back->blocks)};
    if (g->failed) return false;
    back->blocks[0].succ = edge;
    edge += n;
    for (uint32_t b = 0; b < n; b++) {
        const struct sp_block *from = &f->blocks[b];
        struct sp_block *to = &back->blocks[b + 1];
        to->succ = edge;
        while (to->succ_count < from->pred_count) *edge++ = from->pred[to->succ_count++] + 1;
        to->pred = edge;
        while (to->pred_count < from->succ_count) *edge++ = from->succ[to->pred_count++] + 1;
        edge++; /* room for one from the entry */
    }
    return true;
}

/* The dominators of the function backwards. Blocks that never reach the end get an edge to it. */
void cg_find_post_dominators(struct cg *g, struct cg_function *fn)
{
    const struct sp_function *f = fn->f;
    struct sp_function back;
    uint32_t n = f->block_count, *stack = cg_alloc(g, 2 * ((size_t)n + 1) * sizeof *stack);
    uint8_t *seen = cg_alloc(g, n + 1);
    if (g->failed || !reverse(g, f, &back)) return;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = n; i-- > 0;) {
            uint32_t b = fn->rpo[i];
            struct sp_block *last = &back.blocks[b + 1];
            if (seen[b] || (pass == 0 && f->blocks[b].succ_count)) continue;
            back.blocks[0].succ[back.blocks[0].succ_count++] = b + 1;
            last->pred[last->pred_count++] = 0;
            cg_mark_before(f, b, seen, stack);
        }
    }
    if (!sp_dominators(&back, stack, stack + n + 1)) cg_fail(g, "no memory for the dominators");
    for (uint32_t b = 0; b < n && !g->failed; b++) {
        uint32_t by = back.blocks[b + 1].idom;
        fn->block[b].ipdom = by ? by - 1 : n;
    }
}
