/* divergence.c - which blocks run under masks, in which order, and which values are uniform.
 *
 * A branch with a varying condition is divergent. The blocks reachable from it before its immediate post-dominator are
 * masked: lanes may reach them separately. Everything else is plain control flow of all lanes that entered the
 * function. Connected masked blocks form a component, which has a single plain block as its exit (if there would be
 * two, they become masked too). Within a component, the blocks are in topological order and every loop is contiguous.
 * One walk through it, with a jump back at the end of each loop while a lane waits at its head, takes all lanes to the
 * exit, and the lanes of a loop are always in the same iteration.
 *
 * Varying are lane numbers, loads through varying addresses, phis where lanes of different paths meet, values that
 * leave a masked loop (because lanes leave in different iterations; those values are also blended when assigned), and
 * everything computed from varying values. Blocks and values depend on each other, so both sets grow until nothing
 * changes.
 */
#include "passes.h"

#include <string.h>

#define NO_BLOCK UINT32_MAX
enum { CG_MAX_LOOP_DEPTH = 200 };

/* ---- reverse postorder and post-dominators */

static void order_blocks(struct cg *g, struct cg_function *fn)
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
static void find_post_dominators(struct cg *g, struct cg_function *fn)
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

/* ---- masked blocks */

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
            fn->block[s].component = number; /* a plain block's is taken back below */
            stack[top++] = s;
        }
    }
}

/* Components; true when a second exit had to be masked, so that they must be found again. */
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
    for (uint32_t i = n; i-- > 0;) { /* from the end: the last exit stays plain */
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

/* ---- order within components: strongly connected parts, and again inside them without their heads */

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

/* Tarjan, without recursion: parts of `region`, each written to `parts` as its size followed by its blocks, in reverse
 * topological order. Returns how many words. */
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
        cg_fail(t->g, "loops are nested too deep");
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

static void find_masked(struct cg *g, struct cg_function *fn)
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

/* ---- uniformity */

bool cg_loop_contains(const struct cg_function *fn, uint32_t loop, uint32_t block)
{
    for (uint32_t l = fn->block[block].loop; l; l = fn->loop[l - 1].parent)
        if (l == loop) return true;
    return false;
}

static bool phi_varies(struct cg *g, const struct cg_function *fn, uint32_t block, const struct sp_inst *phi)
{
    const struct sp_block *b = &fn->f->blocks[block];
    bool from_masked = fn->block[block].masked;
    for (uint32_t i = 0; i < phi->count; i += 2)
        if (g->value[phi->operand[i]].varying) return true;
    for (uint32_t i = 0; i < b->pred_count; i++) from_masked = from_masked || fn->block[b->pred[i]].masked;
    /* lanes leave a masked loop in different iterations, with the values of those */
    for (uint32_t i = 0; i < b->pred_count; i++)
        if (fn->block[b->pred[i]].masked && fn->block[b->pred[i]].loop &&
            !cg_loop_contains(fn, fn->block[b->pred[i]].loop, block))
            return true;
    if (!from_masked || b->pred_count < 2) return false;
    if (!fn->block[block].masked) return true;
    /* the head of a loop with one entry and one back edge: all lanes there come the same way */
    uint32_t loop = fn->block[block].loop;
    if (!loop || fn->loop[loop - 1].header != block || fn->loop[loop - 1].irreducible || b->pred_count != 2)
        return true;
    return cg_loop_contains(fn, loop, b->pred[0]) == cg_loop_contains(fn, loop, b->pred[1]);
}

/* Does the component `index` of what is loaded from a built-in variable vary? */
static bool extract_varies(struct cg *g, const struct cg_function *fn, const struct sp_inst *i)
{
    uint32_t builtin, component;
    if (!g->value[i->operand[0]].varying) return false;
    return !cg_builtin_component(g, i, &builtin, &component) || cg_builtin_varies(g, fn, builtin, component);
}

static bool operand_varies(struct cg *g, const struct sp_inst *i)
{
    for (uint32_t k = 0; k < i->count; k++)
        if (cg_is_value_operand(i, k) && g->value[i->operand[k]].varying) return true;
    return false;
}

static bool instruction_varies(struct cg *g, const struct cg_function *fn, uint32_t block, const struct sp_inst *i)
{
    int rule = cg_result_rule(i);
    if (rule >= 0) return rule;
    switch (i->op) {
    case SP_OP_Phi: return phi_varies(g, fn, block, i);
    case SP_OP_Load: return cg_memory_varies(g, fn, i);
    case SP_OP_CompositeExtract: return extract_varies(g, fn, i);
    case SP_OP_Variable: return !g->value[i->id].fixed;
    case SP_OP_FunctionCall: return g->function[g->m->ids[i->operand[0]].block].result_varying;
    case SP_OP_FunctionPointerCallINTEL: return true;
    default: return operand_varies(g, i);
    }
}

static void note_call(struct cg *g, const struct sp_inst *i, bool *changed)
{
    const struct sp_function *callee = &g->m->functions[g->m->ids[i->operand[0]].block];
    for (uint32_t k = 0; k < callee->param_count && k + 1 < i->count; k++) {
        struct cg_value *p = &g->value[callee->params[k]];
        if (p->varying || !g->value[i->operand[k + 1]].varying) continue;
        p->varying = *changed = true;
    }
}

/* A value that is used outside the masked loop it is computed in. */
static void note_use(struct cg *g, struct cg_function *fn, uint32_t id, uint32_t user_block, bool *changed)
{
    const struct sp_id *d = id < g->m->bound ? &g->m->ids[id] : NULL;
    if (!d || d->what != SP_IS_VALUE || !d->type || d->function != (uint32_t)(fn->f - g->m->functions) + 1) return;
    uint32_t loop = fn->block[d->block].loop;
    if (!loop || cg_loop_contains(fn, loop, user_block)) {
        bool irreducible = false;
        for (uint32_t l = loop; l; l = fn->loop[l - 1].parent) irreducible = irreducible || fn->loop[l - 1].irreducible;
        if (!irreducible) return;
    }
    struct cg_value *v = &g->value[id];
    bool phi = d->def->op == SP_OP_Phi;
    if (v->variable || (v->varying && (v->blend || phi))) return;
    v->varying = true;
    v->blend = !phi; /* phis are blended as they are assigned */
    *changed = true;
}

static void note_uses(struct cg *g, struct cg_function *fn, uint32_t block, const struct sp_inst *i, bool *changed)
{
    if (i->op == SP_OP_Phi) {
        for (uint32_t k = 0; k + 1 < i->count; k += 2)
            note_use(g, fn, i->operand[k], g->m->ids[i->operand[k + 1]].block, changed);
        return;
    }
    for (uint32_t k = 0; k < i->count; k++)
        if (cg_is_value_operand(i, k)) note_use(g, fn, i->operand[k], block, changed);
}

static bool propagate(struct cg *g, struct cg_function *fn)
{
    bool changed = false;
    for (uint32_t n = 0; n < fn->f->block_count; n++) {
        uint32_t block = fn->rpo[n];
        const struct sp_block *b = &fn->f->blocks[block];
        for (uint32_t k = 0; k < b->count; k++) {
            const struct sp_inst *i = &b->inst[k];
            if (i->id && i->type && !g->value[i->id].varying && instruction_varies(g, fn, block, i))
                g->value[i->id].varying = changed = true;
            if (i->op == SP_OP_FunctionCall) note_call(g, i, &changed);
            if (i->op == SP_OP_ReturnValue && !fn->result_varying &&
                (fn->block[block].masked || g->value[i->operand[0]].varying))
                fn->result_varying = changed = true;
            cg_store_effect(g, fn, i, fn->block[block].masked, &changed);
            if (fn->loop_count) note_uses(g, fn, block, i, &changed);
        }
    }
    return changed;
}

static bool branch_varies(struct cg *g, const struct sp_block *b)
{
    const struct sp_inst *t = &b->inst[b->count - 1];
    if (b->succ_count < 2 || (t->op != SP_OP_BranchConditional && t->op != SP_OP_Switch)) return false;
    return g->value[t->operand[0]].varying;
}

static bool divergence_grew(struct cg *g, struct cg_function *fn)
{
    bool grew = false;
    for (uint32_t b = 0; b < fn->f->block_count; b++) {
        if (fn->block[b].diverges || !branch_varies(g, &fn->f->blocks[b])) continue;
        grew = fn->block[b].diverges = true;
    }
    return grew;
}

static bool analyse_function(struct cg *g, struct cg_function *fn)
{
    bool changed = false;
    for (;;) {
        bool values = propagate(g, fn), branches = divergence_grew(g, fn);
        if (branches) find_masked(g, fn);
        if (g->failed || (!values && !branches)) return changed;
        changed = true;
    }
}

/* Of vectors and single numbers; structures and arrays are rarely values. */
static uint32_t scalars_of(struct cg *g, uint32_t type)
{
    const struct sp_type *t = sp_type(g->m, type);
    return t && t->kind == SP_VECTOR ? t->count : 1;
}

static void note_features(struct cg *g, struct cg_function *fn)
{
    for (uint32_t b = 0; b < fn->f->block_count; b++) {
        for (uint32_t k = 0; k < fn->f->blocks[b].count; k++) {
            const struct sp_inst *i = &fn->f->blocks[b].inst[k];
            uint32_t builtin;
            uint64_t scope = 0;
            bool scoped = i->op == SP_OP_ControlBarrier || i->op == SP_OP_ControlBarrierArriveEXT ||
                          i->op == SP_OP_ControlBarrierWaitEXT || i->op == SP_OP_GroupWaitEvents ||
                          cg_result_rule(i) >= 0;
            for (uint32_t o = 0; o < i->count; o++)
                if (cg_is_value_operand(i, o) && cg_builtin_of(g, i->operand[o], &builtin)) fn->uses_builtins = true;
            if (i->op == SP_OP_FunctionCall) g->function[g->m->ids[i->operand[0]].block].called = true;
            if (i->op == SP_OP_Load) fn->accesses += scalars_of(g, i->type);
            if (i->op == SP_OP_Store) fn->accesses += scalars_of(g, g->m->ids[i->operand[1]].type);
            if (i->op == SP_OP_FunctionPointerCallINTEL) fn->has_barrier = g->pointer_calls = true; /* perhaps */
            if (scoped && i->count && sp_constant(g->m, i->operand[0], &scope) && scope == SP_SCOPE_Workgroup)
                fn->has_barrier = true;
        }
    }
}

/* Which versions of a kernel there are to be. Those of unknown work-group size have both, unless that is a lot of code.
 */
static void choose_versions(struct cg *g, struct cg_function *fn)
{
    const uint32_t *size = fn->entry ? fn->entry->local_size : NULL;
    fn->has_general = true;
    if (!size || fn->called || !fn->uses_builtins || g->o->check) return;
    uint32_t S = cg_size_of_entry(g, fn->entry);
    bool row = size[0] % S == 0 || (size[1] == 1 && size[2] == 1);
    if (size[0] ? !row : cg_is_large(fn->f) || g->o->quick) return;
    fn->has_full = true;
    fn->has_general = !size[0] || (uint64_t)size[0] * size[1] * size[2] % S != 0;
    fn->full = !fn->has_general;
}

void cg_analyse_again(struct cg *g, struct cg_function *fn)
{
    const struct sp_function *f = fn->f;
    for (uint32_t i = 0; i < f->param_count; i++) g->value[f->params[i]] = g->fresh[f->params[i]];
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t k = 0; k < f->blocks[b].count; k++)
            g->value[f->blocks[b].inst[k].id] = g->fresh[f->blocks[b].inst[k].id];
    for (uint32_t b = 0; b < fn->f->block_count; b++) fn->block[b] = (struct cg_block){.ipdom = fn->block[b].ipdom};
    fn->order_count = fn->loop_count = 0;
    fn->loops_irreducible = false;
    analyse_function(g, fn);
}

void cg_analyse(struct cg *g)
{
    uint32_t n = g->m->function_count;
    for (uint32_t i = 0; i < n && !g->failed; i++) {
        struct cg_function *fn = &g->function[i];
        if (fn->f->is_declaration || !fn->f->block_count || fn->wraps) continue;
        fn->block = cg_alloc(g, (fn->f->block_count + 1) * sizeof *fn->block);
        fn->order = cg_alloc(g, (fn->f->block_count + 1) * sizeof *fn->order);
        fn->loop = cg_alloc(g, (fn->f->block_count + 1) * sizeof *fn->loop);
        if (g->failed) return;
        order_blocks(g, fn);
        find_post_dominators(g, fn);
        note_features(g, fn);
    }
    cg_spread_addressed(g);
    for (uint32_t i = 0; i < n && !g->failed; i++)
        if (g->function[i].block) choose_versions(g, &g->function[i]);
    for (bool changed = true; changed && !g->failed;) {
        changed = false;
        for (uint32_t i = 0; i < n && !g->failed; i++)
            if (g->function[i].block && analyse_function(g, &g->function[i])) changed = true;
    }
}
