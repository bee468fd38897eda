/* blocks.c - the blocks of a function: reverse postorder and post-dominators. */
#include "ir.h"

#define NO_BLOCK UINT32_MAX

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

struct reverse {
    uint32_t *order, *number, *idom, *stack, *next;
    uint32_t count;
    uint8_t *seen;
};

static void walk_reverse(const struct sp_function *f, struct reverse *r, uint32_t from)
{
    uint32_t top = 0;
    if (r->seen[from]) return;
    r->seen[from] = 1;
    r->stack[top++] = from;
    while (top) {
        uint32_t b = r->stack[top - 1];
        if (r->next[b] < f->blocks[b].pred_count) {
            uint32_t p = f->blocks[b].pred[r->next[b]++];
            if (!r->seen[p]) {
                r->seen[p] = 1;
                r->stack[top++] = p;
            }
        } else {
            r->number[b] = r->count;
            r->order[r->count++] = b; /* postorder of the reversed graph */
            top--;
        }
    }
}

static uint32_t meet(const struct reverse *r, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (r->number[a] < r->number[b]) a = r->idom[a];
        while (r->number[b] < r->number[a]) b = r->idom[b];
    }
    return a;
}

/* Cooper, Harvey and Kennedy's algorithm on the reversed graph. Blocks that never reach the end get an edge to it. */
void cg_find_post_dominators(struct cg *g, struct cg_function *fn)
{
    const struct sp_function *f = fn->f;
    uint32_t n = f->block_count;
    struct reverse r = {0};
    uint8_t *to_end = cg_alloc(g, n + 1);
    r.order = cg_alloc(g, (n + 1) * sizeof(uint32_t));
    r.number = cg_alloc(g, (n + 1) * sizeof(uint32_t));
    r.idom = cg_alloc(g, (n + 1) * sizeof(uint32_t));
    r.stack = cg_alloc(g, (n + 1) * sizeof(uint32_t));
    r.next = cg_alloc(g, (n + 1) * sizeof(uint32_t));
    r.seen = cg_alloc(g, n + 1);
    if (g->failed) return;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = n; i-- > 0;) {
            uint32_t b = fn->rpo[i];
            if (r.seen[b] || (pass == 0 && f->blocks[b].succ_count)) continue;
            to_end[b] = 1;
            walk_reverse(f, &r, b);
        }
    }
    r.number[n] = n;
    for (uint32_t b = 0; b < n; b++) r.idom[b] = NO_BLOCK;
    r.idom[n] = n;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = n; i-- > 0;) {
            uint32_t b = r.order[i], d = to_end[b] ? n : NO_BLOCK;
            for (uint32_t k = 0; k < f->blocks[b].succ_count; k++) {
                uint32_t s = f->blocks[b].succ[k];
                if (r.idom[s] == NO_BLOCK) continue;
                d = d == NO_BLOCK ? s : meet(&r, d, s);
            }
            changed = changed || r.idom[b] != d;
            r.idom[b] = d;
        }
    }
    for (uint32_t b = 0; b < n; b++) fn->block[b].ipdom = r.idom[b];
}

void cg_mark_before(struct cg *g, const struct sp_function *f, uint32_t block, uint8_t *marked)
{
    uint32_t *stack = cg_alloc(g, (f->block_count + 1) * sizeof *stack), top = 0;
    if (g->failed || marked[block]) return;
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
