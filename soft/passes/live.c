/* live.c - which values have variables, and where they are live: for the passes that save variables or let values share
 * one. */
#include "live.h"

#include <string.h>

static const uint64_t max_bits = (uint64_t)1 << 26; /* values times blocks */

bool cg_has_variable(struct cg *g, const struct sp_inst *i)
{
    const struct sp_type *t = i->id ? sp_type(g->m, i->type) : NULL;
    return t && t->kind != SP_VOID && i->op != SP_OP_Variable && i->op != SP_OP_Undef && !g->private[i->id].variable &&
           !cg_shared(g, i->id)->forwarded && !cg_spelled(g, i->id)->absorbed && !cg_split(g, i->id)->is;
}

static void use(const struct cg *g, struct cg_live *l, uint32_t id)
{
    uint32_t root = cg_derived(g, id)->root;
    if (l->index_of[g->ordinal[id]]) cg_insert(l->now, l->index_of[g->ordinal[id]] - 1);
    if (root && l->index_of[g->ordinal[root]]) cg_insert(l->now, l->index_of[g->ordinal[root]] - 1);
}

/* Steps backwards over an instruction. Assigning a value for some lanes only does not end its live range. */
static void step_back(const struct cg *g, struct cg_live *l, const struct sp_inst *i)
{
    uint32_t n = i->id ? l->index_of[g->ordinal[i->id]] : 0;
    if (n && !g->value[i->id].blend) cg_remove(l->now, n - 1);
    if (i->op == SP_OP_Phi) return;
    CG_EACH_VALUE (k, i) use(g, l, i->operand[k]);
}

/* The values live at the end of a block: those live in its successors, and those their phis take from it. */
static void begin_at_end(struct cg *g, const struct cg_function *fn, struct cg_live *l, uint32_t block)
{
    const struct sp_block *b = &fn->f->blocks[block];
    memset(l->now, 0, l->words * sizeof *l->now);
    for (uint32_t s = 0; s < b->succ_count; s++) {
        const struct sp_block *to = &fn->f->blocks[b->succ[s]];
        const uint64_t *in = l->in + (uint64_t)b->succ[s] * l->words;
        for (uint32_t w = 0; w < l->words; w++) l->now[w] |= in[w];
        for (uint32_t k = 0; k < to->count && to->inst[k].op == SP_OP_Phi; k++) {
            const struct sp_inst *phi = &to->inst[k];
            /* masked phis are assigned for some lanes only, so their old values are live */
            if (fn->block[b->succ[s]].masked || fn->block[block].masked) use(g, l, phi->id);
            use(g, l, cg_phi_source(g, phi, b->label));
        }
    }
}

bool cg_prepare_live(struct cg *g, const struct cg_function *fn, uint32_t count, struct cg_live *l)
{
    uint64_t words = count / 64 + 1, blocks = fn->f->block_count;
    if (words * 64 * blocks > max_bits) return false;
    l->words = (uint32_t)words;
    l->index_of = cg_alloc(g, (fn->value_count + 1) * sizeof *l->index_of);
    l->in = cg_alloc(g, words * blocks * sizeof *l->in);
    l->now = cg_alloc(g, words * sizeof *l->now);
    return !g->failed;
}

void cg_find_live(struct cg *g, const struct cg_function *fn, struct cg_live *l)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = fn->f->block_count; n-- > 0;) {
            const struct sp_block *b = &fn->f->blocks[fn->rpo[n]];
            uint64_t *in = l->in + (uint64_t)fn->rpo[n] * l->words;
            begin_at_end(g, fn, l, fn->rpo[n]);
            for (uint32_t k = b->count; k-- > 0;) step_back(g, l, &b->inst[k]);
            if (!memcmp(l->now, in, l->words * sizeof *in)) continue;
            memcpy(in, l->now, l->words * sizeof *in);
            changed = true;
        }
    }
}

void cg_visit_live(struct cg *g, const struct cg_function *fn, struct cg_live *l,
                   void (*visit)(void *user, const struct cg_live *l, const struct sp_inst *i), void *user)
{
    for (uint32_t block = 0; block < fn->f->block_count; block++) {
        const struct sp_block *b = &fn->f->blocks[block];
        begin_at_end(g, fn, l, block);
        for (uint32_t k = b->count; k-- > 0;) {
            visit(user, l, &b->inst[k]);
            step_back(g, l, &b->inst[k]);
        }
    }
}
