/* coalesce.c - matrix fragments that share one C variable, so that accumulators need no copies.
 *
 * A matrix product may overwrite its accumulator operand if that is dead afterwards, and a phi may share a variable
 * with the value that a loop feeds back to it. Two values may share a variable if neither is live where the other is
 * defined. Fragments loaded from a private variable that does not change before their use are not copied either: the
 * product reads the variable. Only plain blocks qualify, because under a mask other lanes may still need the old value.
 *
 * Needs: divergence, addresses. Gives: cg_shared; and cg_held, by way of widening.c.
 */
#include "own.h"

#include <string.h>

enum { MAX_CANDIDATES = 4096, MAX_CLASS = 64 };
static const uint64_t max_work = (uint64_t)1 << 24; /* candidates times blocks */

struct use {
    uint32_t block, at, next;
};

struct candidate {
    uint32_t id, block, at; /* its definition; at: 0 for phis, else index + 1 */
    uint32_t first_use;     /* index + 1 into uses */
    uint32_t class_next;    /* ring of the values that share */
    uint8_t *live_in;       /* by block */
};

struct storage {
    struct cg *g;
    struct cg_function *fn;
    struct candidate *c;
    uint32_t count, room, *index_of; /* by ordinal: candidate + 1 */
    struct use *uses;
    uint32_t use_count, use_capacity;
};

CG_OWN_ROW(shared)

static bool is_product(const struct sp_inst *i) { return i->op == SP_OP_SubgroupMatrixMultiplyAccumulateINTEL; }

static void add_candidate(struct storage *s, const struct sp_inst *i, uint32_t block, uint32_t at)
{
    if (s->count == s->room || !s->g->value[i->id].varying || s->g->value[i->id].blend) return;
    s->c[s->count] = (struct candidate){i->id, block, at, 0, s->count, NULL};
    s->index_of[s->g->ordinal[i->id]] = ++s->count;
}

/* Products, the phis of their results' types, and phis of those. */
static void find_candidates(struct storage *s)
{
    const struct sp_function *f = s->fn->f;
    for (uint32_t b = 0; b < f->block_count; b++) {
        if (s->fn->block[b].masked) continue;
        for (uint32_t k = 0; k < f->blocks[b].count; k++) {
            const struct sp_inst *i = &f->blocks[b].inst[k];
            const struct sp_type *t = i->id ? sp_type(s->g->m, i->type) : NULL;
            if (is_product(i))
                add_candidate(s, i, b, k + 1);
            else if (i->op == SP_OP_Phi && t && t->kind == SP_VECTOR && t->count <= 8)
                add_candidate(s, i, b, 0);
        }
    }
}

static void add_use(struct storage *s, uint32_t id, uint32_t block, uint32_t at)
{
    uint32_t c = s->index_of[s->g->ordinal[id]];
    if (!c || s->use_count == s->use_capacity) return;
    s->uses[s->use_count] = (struct use){block, at, s->c[c - 1].first_use};
    s->c[c - 1].first_use = ++s->use_count;
}

/* Calls `each` for every value operand, with the position of its use; a phi's is the end of the predecessor. */
static void each_use(struct storage *s, void (*each)(struct storage *, uint32_t, uint32_t, uint32_t))
{
    const struct sp_function *f = s->fn->f;
    for (uint32_t b = 0; b < f->block_count; b++) {
        for (uint32_t k = 0; k < f->blocks[b].count; k++) {
            const struct sp_inst *i = &f->blocks[b].inst[k];
            CG_EACH_VALUE (o, i) {
                if (i->op == SP_OP_Phi) {
                    uint32_t from = s->g->m->ids[i->operand[o + 1]].block;
                    each(s, i->operand[o], from, f->blocks[from].count);
                } else {
                    each(s, i->operand[o], b, k + 1);
                }
            }
        }
    }
}

static void count_use(struct storage *s, uint32_t id, uint32_t block, uint32_t at)
{
    (void)block;
    (void)at;
    if (s->index_of[s->g->ordinal[id]]) s->use_capacity++;
}

/* Walks backwards from every use to the definition. */
static void find_live(struct storage *s, struct candidate *c, uint32_t *stack)
{
    const struct sp_function *f = s->fn->f;
    for (uint32_t u = c->first_use; u; u = s->uses[u - 1].next) {
        uint32_t top = 0;
        if (s->uses[u - 1].block == c->block && s->uses[u - 1].at >= c->at) continue;
        if (c->live_in[s->uses[u - 1].block]) continue;
        c->live_in[s->uses[u - 1].block] = 1;
        stack[top++] = s->uses[u - 1].block;
        while (top) {
            uint32_t b = stack[--top];
            for (uint32_t k = 0; k < f->blocks[b].pred_count; k++) {
                uint32_t p = f->blocks[b].pred[k];
                if (p == c->block || c->live_in[p]) continue;
                c->live_in[p] = 1;
                stack[top++] = p;
            }
        }
    }
}

/* Is `c` live after position (block, at)? */
static bool live_after(const struct storage *s, const struct candidate *c, uint32_t block, uint32_t at)
{
    const struct sp_block *b = &s->fn->f->blocks[block];
    if (c->block == block && c->at > at) return false; /* defined later */
    if (c->block != block && !c->live_in[block]) return false;
    for (uint32_t u = c->first_use; u; u = s->uses[u - 1].next)
        if (s->uses[u - 1].block == block && s->uses[u - 1].at > at) return true;
    for (uint32_t k = 0; k < b->succ_count; k++)
        if (c->live_in[b->succ[k]] && b->succ[k] != c->block) return true;
    return false;
}

static bool interfere(const struct storage *s, const struct candidate *a, const struct candidate *b)
{
    if (a->block == b->block && a->at == b->at) return true; /* phis of one block */
    if (a->at == 0 && b->live_in[a->block] && b->block != a->block) return true;
    return live_after(s, a, b->block, b->at) || live_after(s, b, a->block, a->at);
}

static void share(struct storage *s, uint32_t a_id, uint32_t b_id)
{
    uint32_t a = s->index_of[s->g->ordinal[a_id]], b = s->index_of[s->g->ordinal[b_id]], n = 0;
    if (!a-- || !b-- || s->g->m->ids[a_id].type != s->g->m->ids[b_id].type) return;
    for (uint32_t i = s->c[a].class_next;; i = s->c[i].class_next) {
        if (i == b || ++n > MAX_CLASS) return; /* shared already */
        if (i == a) break;
    }
    for (uint32_t i = a, go = 1; go; i = s->c[i].class_next, go = i != a)
        for (uint32_t k = b, on = 1; on; k = s->c[k].class_next, on = k != b)
            if (++n > MAX_CLASS * MAX_CLASS || interfere(s, &s->c[i], &s->c[k])) return;
    uint32_t next = s->c[a].class_next;
    s->c[a].class_next = s->c[b].class_next;
    s->c[b].class_next = next;
}

static void join_classes(struct storage *s)
{
    for (uint32_t n = 0; n < s->count; n++) {
        const struct sp_inst *i = s->g->m->ids[s->c[n].id].def;
        if (is_product(i)) share(s, i->operand[3], i->id);
    }
    for (uint32_t n = 0; n < s->count; n++) {
        const struct sp_inst *i = s->g->m->ids[s->c[n].id].def;
        for (uint32_t k = 0; i->op == SP_OP_Phi && k < i->count; k += 2) share(s, i->operand[k], i->id);
    }
    for (uint32_t n = 0; n < s->count; n++) {
        uint32_t least = s->c[n].id;
        for (uint32_t i = s->c[n].class_next; i != n; i = s->c[i].class_next)
            if (s->c[i].id < least) least = s->c[i].id;
        shared_row(s->g, s->c[n].id)->class = least == s->c[n].id ? 0 : least;
    }
}

/* ---- fragments read from their variable */

static bool writes_variable(struct cg *g, const struct sp_inst *i, uint32_t variable)
{
    if (i->id && g->private[i->id].variable) return false; /* only makes a pointer */
    for (uint32_t k = 0; k < i->count; k++)
        if (i->op != SP_OP_Load && cg_is_value_operand(i, k) && g->private[i->operand[k]].variable == variable)
            return true;
    return false;
}

/* Finds loads of whole fragments whose only uses are A and B operands of products later in the block, if nothing in
 * between touches the variable. */
static void find_forwarded(struct cg *g, const struct sp_block *b, const uint32_t *uses)
{
    for (uint32_t k = 0; k < b->count; k++) {
        const struct sp_inst *load = &b->inst[k];
        const struct cg_value *v = &g->value[load->id];
        uint32_t here = 0;
        if (load->op != SP_OP_Load || v->blend || !v->varying) continue;
        const struct cg_private *p = &g->private[load->operand[0]];
        const struct cg_leaves *l = cg_leaves_of(g, load->type);
        if (!p->variable || !g->value[p->variable].stored_varying || l->count == 0 ||
            cg_kind_bytes(l->leaf[0].kind) != g->private[p->variable].granule ||
            p->offset % g->private[p->variable].granule != 0)
            continue;
        for (uint32_t j = k + 1; j < b->count && here < uses[g->ordinal[load->id]]; j++) {
            const struct sp_inst *i = &b->inst[j];
            if (is_product(i)) here += (i->operand[1] == load->id) + (i->operand[2] == load->id);
            if (writes_variable(g, i, p->variable)) break;
        }
        shared_row(g, load->id)->forwarded = here && here == uses[g->ordinal[load->id]];
    }
}

static void find_all_forwarded(struct cg *g, struct cg_function *fn)
{
    uint32_t *uses = cg_alloc(g, (fn->value_count + 1) * sizeof *uses);
    const struct sp_function *f = fn->f;
    if (!uses) return;
    CG_EACH (i, b, f)
        CG_EACH_VALUE (o, i) uses[g->ordinal[i->operand[o]]]++;
    for (uint32_t b = 0; b < f->block_count; b++) find_forwarded(g, &f->blocks[b], uses);
}

static bool has_products(const struct sp_function *f)
{
    CG_EACH (i, b, f)
        if (is_product(i)) return true;
    return false;
}

void cg_share_storage(struct cg *g, struct cg_function *fn)
{
    struct storage s = {.g = g, .fn = fn};
    if (fn->f->is_declaration || !has_products(fn->f)) return;
    s.room = fn->value_count < MAX_CANDIDATES ? fn->value_count : MAX_CANDIDATES;
    s.c = cg_alloc(g, (s.room + 1) * sizeof *s.c);
    s.index_of = cg_alloc(g, (fn->value_count + 1) * sizeof *s.index_of);
    uint32_t *stack = cg_alloc(g, ((size_t)fn->f->block_count + 1) * sizeof *stack);
    fn->shared = cg_alloc(g, (fn->value_count + 1) * sizeof *fn->shared);
    if (g->failed) return;
    find_all_forwarded(g, fn);
    cg_widen_fragments(g, fn);
    find_candidates(&s);
    if ((uint64_t)s.count * fn->f->block_count > max_work) return;
    each_use(&s, count_use);
    s.uses = cg_alloc(g, ((size_t)s.use_capacity + 1) * sizeof *s.uses);
    for (uint32_t i = 0; i < s.count; i++) s.c[i].live_in = cg_alloc(g, fn->f->block_count + 1);
    if (g->failed) return;
    each_use(&s, add_use);
    for (uint32_t i = 0; i < s.count; i++) find_live(&s, &s.c[i], stack);
    join_classes(&s);
}
