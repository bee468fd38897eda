/* dominators.c - the dominator tree, by Lengauer and Tarjan's algorithm with path compression: O(edges log blocks) for
 * any graph, which matters because the graph is untrusted. No recursion.
 *
 * All working arrays but `number` are indexed by depth-first number, not by block.
 */
#include "reader.h"

#include <stdlib.h>

enum { ARRAYS = 10 };
static const uint32_t NONE = 0xffffffffu;

struct work {
    const struct sp_function *f;
    uint32_t *number; /* of a block */
    uint32_t *block, *parent, *semi, *ancestor, *best, *bucket, *next, *idom, *stack;
};

static void number_blocks(struct work *w)
{
    uint32_t depth = 0, count = 0, k, b;
    for (b = 0; b < w->f->block_count; b++) {
        w->number[b] = NONE;
        w->next[b] = 0; /* here: the next successor to visit, by block */
    }
    w->number[0] = count;
    w->block[count] = 0;
    w->parent[count++] = NONE;
    w->stack[depth++] = 0;
    while (depth) {
        const struct sp_block *at;
        b = w->stack[depth - 1];
        at = &w->f->blocks[b];
        if (w->next[b] == at->succ_count) {
            depth--;
            continue;
        }
        k = at->succ[w->next[b]++];
        if (w->number[k] != NONE) continue;
        w->number[k] = count;
        w->block[count] = k;
        w->parent[count++] = w->number[b];
        w->stack[depth++] = k;
    }
}

/* The vertex with the least semidominator on the path from v to its tree's root; compresses the path. */
static uint32_t find_best(struct work *w, uint32_t v)
{
    uint32_t depth = 0, at = v;
    if (w->ancestor[v] == NONE) return v;
    while (w->ancestor[w->ancestor[at]] != NONE) {
        w->stack[depth++] = at;
        at = w->ancestor[at];
    }
    while (depth) {
        uint32_t u = w->stack[--depth], a = w->ancestor[u];
        if (w->semi[w->best[a]] < w->semi[w->best[u]]) w->best[u] = w->best[a];
        w->ancestor[u] = w->ancestor[a];
    }
    return w->best[v];
}

static void find_dominators(struct work *w)
{
    uint32_t n = w->f->block_count, v, k, u;
    for (v = 0; v < n; v++) {
        w->semi[v] = w->best[v] = v;
        w->ancestor[v] = w->bucket[v] = w->next[v] = NONE;
    }
    for (v = n - 1; v > 0; v--) {
        const struct sp_block *b = &w->f->blocks[w->block[v]];
        uint32_t p = w->parent[v];
        for (k = 0; k < b->pred_count; k++) {
            u = find_best(w, w->number[b->pred[k]]);
            if (w->semi[u] < w->semi[v]) w->semi[v] = w->semi[u];
        }
        w->next[v] = w->bucket[w->semi[v]];
        w->bucket[w->semi[v]] = v;
        w->ancestor[v] = p;
        for (k = w->bucket[p]; k != NONE; k = w->next[k]) {
            u = find_best(w, k);
            w->idom[k] = w->semi[u] < w->semi[k] ? u : p;
        }
        w->bucket[p] = NONE;
    }
    w->idom[0] = 0;
    for (v = 1; v < n; v++)
        if (w->idom[v] != w->semi[v]) w->idom[v] = w->idom[w->idom[v]];
}

/* Preorder intervals of the tree: a dominates b if enter[a] <= enter[b] and leave[b] <= leave[a]. A vertex's number is
 * larger than its dominator's, so sizes are summed backwards and positions assigned forwards. */
static void number_tree(struct work *w, uint32_t *enter, uint32_t *leave)
{
    uint32_t n = w->f->block_count, v;
    uint32_t *size = w->best, *free_at = w->bucket, *start = w->stack;
    for (v = 0; v < n; v++) size[v] = 1;
    for (v = n - 1; v > 0; v--) size[w->idom[v]] += size[v];
    start[0] = 0;
    free_at[0] = 1;
    for (v = 1; v < n; v++) {
        start[v] = free_at[w->idom[v]];
        free_at[w->idom[v]] += size[v];
        free_at[v] = start[v] + 1;
    }
    for (v = 0; v < n; v++) {
        enter[w->block[v]] = start[v];
        leave[w->block[v]] = start[v] + size[v] - 1;
        w->f->blocks[w->block[v]].idom = w->block[w->idom[v]];
    }
}

bool sp_dominators(const struct sp_function *f, uint32_t *enter, uint32_t *leave)
{
    size_t n = f->block_count;
    uint32_t *memory = calloc(n, ARRAYS * sizeof *memory), *p = memory;
    struct work w;
    if (!memory) return false;
    w.f = f;
    w.number = p;
    w.block = p + n;
    w.parent = p + 2 * n;
    w.semi = p + 3 * n;
    w.ancestor = p + 4 * n;
    w.best = p + 5 * n;
    w.bucket = p + 6 * n;
    w.next = p + 7 * n;
    w.idom = p + 8 * n;
    w.stack = p + 9 * n;
    number_blocks(&w);
    find_dominators(&w);
    number_tree(&w, enter, leave);
    free(memory);
    return true;
}
