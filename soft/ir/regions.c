/* regions.c - which blocks run under masks, and in which order.
 *
 * The blocks reachable from a divergent branch before its immediate post-dominator are masked: lanes may reach them
 * separately. Everything else is plain control flow of all lanes that entered the function. Connected masked blocks
 * form a component, which has a single plain block as its exit (if there would be two, they become masked too). Within
 * a component, the blocks are in topological order and every loop is contiguous. One walk through it, with a jump back
 * at the end of each loop while a lane waits at its head, takes all lanes to the exit, and the lanes of a loop are
 * always in the same iteration.
 */
#include "ir.h"

#define NO_BLOCK UINT32_MAX
enum { CG_MAX_LOOP_DEPTH = 200 };

/* The region of a branch is part of any region that contains the branch. */
static void mask_region(struct cg_function *fn, uint32_t from, uint32_t *stack, uint32_t *seen, uint32_t stamp,
                        uint8_t *inside)
{
    uint32_t top = 0, stop = fn->block[from].ipdom;
    const struct sp_block *b = &fn->f->blocks[from];
    if (inside[from]) return;
    seen[stop] = stamp;
    for (;;) {
        for (uint32_t k = 0; k < b->succ_count; k++) {
            if (seen[b->succ[k]] == stamp) continue;
            seen[b->succ[k]] = stamp;
            stack[top++] = b->succ[k];
            fn->block[b->succ[k]].masked = true;
            inside[b->succ[k]] = 1;
        }
        if (!top) return;
        b = &fn->f->blocks[stack[--top]];
    }
}

/* Masked blocks are connected by edges, and by a plain block's divergent branch, which distributes its lanes to all
 * targets before the first of them runs. */
static void number_component(struct cg_function *fn, uint32_t from, uint32_t number, uint32_t *stack)
{
    uint32_t top = 0;
    stack[top++] = from;
    fn->block[from].component = number;
    while (top) {
        uint32_t at = stack[--top];
        const struct sp_block *b = &fn->f->blocks[at];
        for (uint32_t k = 0; k < b->succ_count + b->pred_count; k++) {
            uint32_t s = k < b->succ_count ? b->succ[k] : b->pred[k - b->succ_count];
            bool joins = fn->block[s].masked || (k >= b->succ_count && fn->block[s].diverges);
            if ((!fn->block[at].masked && k >= b->succ_count) || !joins || fn->block[s].component) continue;
            if (!fn->block[at].masked && !fn->block[s].masked) continue;
            fn->block[s].component = number; /* cleared below for plain blocks */
            stack[top++] = s;
        }
    }
}

/* Finds components; true if a second exit had to be masked, so that they must be found again. */
static bool find_components(struct cg *g, struct cg_function *fn, uint32_t *stack)
{
    uint32_t n = fn->f->block_count, count = 0;
    bool grown = false;
    for (uint32_t b = 0; b < n; b++) fn->block[b].component = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = fn->rpo[i];
        if (fn->block[b].masked && !fn->block[b].component) number_component(fn, b, ++count, stack);
    }
    for (uint32_t b = 0; b < n; b++)
        if (!fn->block[b].masked) fn->block[b].component = 0;
    uint32_t *exit = cg_alloc(g, (count + 1) * sizeof *exit);
    if (!exit) return false;
    for (uint32_t i = 0; i <= count; i++) exit[i] = NO_BLOCK;
    for (uint32_t i = n; i-- > 0;) { /* backwards, so that the last exit stays plain */
        uint32_t b = fn->rpo[i];
        uint32_t *e = &exit[fn->block[b].component];
        if (!fn->block[b].masked) continue;
        if (fn->f->blocks[b].succ_count == 0) {
            if (*e != NO_BLOCK && *e != n) grown = fn->block[*e].masked = true;
            *e = n;
        }
        for (uint32_t k = 0; k < fn->f->blocks[b].succ_count; k++) {
            uint32_t s = fn->f->blocks[b].succ[k];
            if (fn->block[s].masked || s == *e) continue;
            if (*e == NO_BLOCK)
                *e = s;
            else
                grown = fn->block[s].masked = true;
        }
    }
    return grown;
}

/* ---- order within components: strongly connected parts, recursively without their heads */

struct nest {
    struct cg *g;
    struct cg_function *fn;
    uint32_t *region, *index, *low, *stack, *call, *next, *found, regions, counter;
    uint8_t *on_stack;
};

static bool in_region(const struct nest *t, uint32_t b, uint32_t region)
{
    return t->fn->block[b].masked && t->region[b] == region;
}

/* Tarjan's algorithm without recursion: appends each strongly connected part of `region` to `parts`, as its size and
 * its blocks, in reverse topological order. Returns the number of words. */
static uint32_t find_parts(struct nest *t, const uint32_t *blocks, uint32_t n, uint32_t region, uint32_t *parts)
{
    uint32_t top = 0, words = 0;
    for (uint32_t i = 0; i < n; i++) t->index[blocks[i]] = 0;
    t->counter = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t depth = 0;
        if (t->index[blocks[i]]) continue;
        t->call[depth++] = blocks[i];
        t->index[blocks[i]] = t->low[blocks[i]] = ++t->counter;
        t->next[blocks[i]] = 0;
        t->stack[top++] = blocks[i];
        t->on_stack[blocks[i]] = 1;
        while (depth) {
            uint32_t b = t->call[depth - 1];
            const struct sp_block *sb = &t->fn->f->blocks[b];
            if (t->next[b] < sb->succ_count) {
                uint32_t s = sb->succ[sb->succ_count - 1 - t->next[b]++];
                if (!in_region(t, s, region)) continue;
                if (!t->index[s]) {
                    t->index[s] = t->low[s] = ++t->counter;
                    t->next[s] = 0;
                    t->stack[top++] = s;
                    t->on_stack[s] = 1;
                    t->call[depth++] = s;
                } else if (t->on_stack[s] && t->index[s] < t->low[b]) {
                    t->low[b] = t->index[s];
                }
                continue;
            }
            depth--;
            if (depth && t->low[b] < t->low[t->call[depth - 1]]) t->low[t->call[depth - 1]] = t->low[b];
            if (t->low[b] != t->index[b]) continue;
            uint32_t size_at = words++, s;
            do {
                s = t->stack[--top];
                t->on_stack[s] = 0;
                parts[words++] = s;
            } while (s != b);
            parts[size_at] = words - size_at - 1;
        }
    }
    return words;
}

static bool has_self_edge(const struct cg_function *fn, uint32_t b)
{
    for (uint32_t k = 0; k < fn->f->blocks[b].succ_count; k++)
        if (fn->f->blocks[b].succ[k] == b) return true;
    return false;
}

static void order_region(struct nest *t, const uint32_t *blocks, uint32_t n, uint32_t parent, uint32_t depth);

static void order_loop(struct nest *t, uint32_t *part, uint32_t n, uint32_t parent, uint32_t depth)
{
    struct cg_function *fn = t->fn;
    uint32_t inside = ++t->regions, head = NO_BLOCK, heads = 0;
    for (uint32_t i = 0; i < n; i++) t->region[part[i]] = inside;
    for (uint32_t i = 0; i < n; i++) {
        const struct sp_block *b = &fn->f->blocks[part[i]];
        bool entered = false;
        for (uint32_t k = 0; k < b->pred_count; k++) entered = entered || !in_region(t, b->pred[k], inside);
        if (!entered) continue;
        heads++;
        if (head == NO_BLOCK || fn->block[part[i]].order < fn->block[head].order) head = part[i];
    }
    if (head == NO_BLOCK) head = part[0];
    uint32_t loop = fn->loop_count++;
    fn->loop[loop] = (struct cg_loop){head, head, parent, heads > 1};
    if (heads > 1) fn->loops_irreducible = true;
    for (uint32_t i = 0; i < n; i++) fn->block[part[i]].loop = loop + 1;
    t->region[head] = 0;
    fn->order[fn->order_count++] = head;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (part[i] != head) part[kept++] = part[i];
    order_region(t, part, kept, loop + 1, depth + 1);
    fn->loop[loop].last = fn->order[fn->order_count - 1];
}

static void order_region(struct nest *t, const uint32_t *blocks, uint32_t n, uint32_t parent, uint32_t depth)
{
    if (!n || t->g->failed) return;
    if (depth > CG_MAX_LOOP_DEPTH) {
        cg_fail(t->g, "loops are nested more than %d deep", CG_MAX_LOOP_DEPTH);
        return;
    }
    uint32_t *parts = cg_alloc(t->g, (2 * (size_t)n + 1) * sizeof *parts);
    uint32_t *starts = cg_alloc(t->g, ((size_t)n + 1) * sizeof *starts), count = 0;
    if (t->g->failed) return;
    uint32_t words = find_parts(t, blocks, n, t->region[blocks[0]], parts);
    for (uint32_t at = 0; at < words; at += parts[at] + 1) starts[count++] = at;
    while (count--) {
        uint32_t *part = &parts[starts[count] + 1], size = parts[starts[count]];
        if (size > 1 || has_self_edge(t->fn, part[0])) {
            order_loop(t, part, size, parent, depth);
        } else {
            t->fn->block[part[0]].loop = parent;
            t->region[part[0]] = 0;
            t->fn->order[t->fn->order_count++] = part[0];
        }
    }
}

static void order_masked(struct cg *g, struct cg_function *fn)
{
    uint32_t n = fn->f->block_count, components = 0;
    struct nest t = {.g = g, .fn = fn};
    uint32_t *blocks = cg_alloc(g, (n + 1) * sizeof *blocks);
    t.region = cg_alloc(g, (n + 1) * sizeof(uint32_t));
    t.index = cg_alloc(g, (n + 1) * sizeof(uint32_t));
    t.low = cg_alloc(g, (n + 1) * sizeof(uint32_t));
    t.stack = cg_alloc(g, (n + 1) * sizeof(uint32_t));
    t.call = cg_alloc(g, (n + 1) * sizeof(uint32_t));
    t.next = cg_alloc(g, (n + 1) * sizeof(uint32_t));
    t.on_stack = cg_alloc(g, n + 1);
    if (g->failed) return;
    fn->order_count = fn->loop_count = 0;
    fn->loops_irreducible = false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = fn->rpo[i];
        fn->block[b].order = i;
        fn->block[b].loop = 0;
        if (fn->block[b].component > components) components = fn->block[b].component;
    }
    uint32_t *end = cg_alloc(g, ((size_t)components + 2) * sizeof *end); /* of each component's blocks */
    fn->component = cg_alloc(g, ((size_t)components + 2) * sizeof *fn->component);
    if (g->failed) return;
    for (uint32_t b = 0; b < n; b++) end[fn->block[b].component + 1]++;
    for (uint32_t c = 1; c <= components; c++) end[c + 1] += end[c];
    t.regions = components;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = fn->rpo[i], c = fn->block[b].component;
        blocks[end[c]++] = b;
        t.region[b] = c;
    }
    for (uint32_t c = 1; c <= components; c++) {
        fn->component[c] = fn->order_count;
        order_region(&t, blocks + end[c - 1], end[c] - end[c - 1], 0, 0);
    }
    for (uint32_t i = 0; i < fn->order_count; i++) fn->block[fn->order[i]].order = i;
}

void cg_find_masked(struct cg *g, struct cg_function *fn)
{
    uint32_t n = fn->f->block_count;
    uint32_t *stack = cg_alloc(g, (n + 1) * sizeof *stack), *seen = cg_alloc(g, (n + 1) * sizeof *seen);
    uint8_t *inside = cg_alloc(g, n + 1);
    if (g->failed) return;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = fn->rpo[i];
        if (fn->block[b].diverges) mask_region(fn, b, stack, seen, b + 1, inside);
    }
    while (find_components(g, fn, stack) && !g->failed) {
    }
    order_masked(g, fn);
}

bool cg_loop_contains(const struct cg_function *fn, uint32_t loop, uint32_t block)
{
    for (uint32_t l = fn->block[block].loop; l; l = fn->loop[l - 1].parent)
        if (l == loop) return true;
    return false;
}

bool cg_stays_in_loop(const struct cg_function *fn, uint32_t from, uint32_t to)
{
    uint32_t loop = fn->block[from].loop;
    return loop && cg_loop_contains(fn, loop, to);
}
