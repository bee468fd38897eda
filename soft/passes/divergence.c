/* divergence.c - which values are uniform, and which branches are divergent.
 *
 * A branch with a varying condition is divergent; ir/regions.c then finds the masked blocks.
 *
 * Varying are lane numbers, loads through varying addresses, phis where lanes of different paths meet, values that
 * leave a masked loop (because lanes leave in different iterations; those values are also blended when assigned), and
 * everything computed from varying values. Blocks and values depend on each other, so both sets grow until nothing
 * changes.
 *
 * Needs: g->private. Gives: g->value, masked blocks and their order, versions of kernels.
 */
#include "own.h"
#include "versions.h"

#include <string.h>

static bool phi_varies(struct cg *g, const struct cg_function *fn, uint32_t block, const struct sp_inst *phi)
{
    const struct sp_block *b = &fn->f->blocks[block];
    bool from_masked = fn->block[block].masked;
    for (uint32_t i = 0; i < phi->count; i += 2)
        if (g->value[phi->operand[i]].varying) return true;
    for (uint32_t i = 0; i < b->pred_count; i++) from_masked = from_masked || fn->block[b->pred[i]].masked;
    /* lanes leave a masked loop in different iterations, with different values */
    for (uint32_t i = 0; i < b->pred_count; i++)
        if (fn->block[b->pred[i]].masked && fn->block[b->pred[i]].loop &&
            !cg_loop_contains(fn, fn->block[b->pred[i]].loop, block))
            return true;
    if (!from_masked || b->pred_count < 2) return false;
    if (!fn->block[block].masked) return true;
    /* the head of a loop with one entry and one back edge: all lanes arrive by the same edge */
    uint32_t loop = fn->block[block].loop;
    if (!loop || fn->loop[loop - 1].header != block || fn->loop[loop - 1].irreducible || b->pred_count != 2)
        return true;
    return cg_loop_contains(fn, loop, b->pred[0]) == cg_loop_contains(fn, loop, b->pred[1]);
}

/* Does the extracted component of a built-in variable vary? */
static bool extract_varies(struct cg *g, const struct cg_function *fn, const struct sp_inst *i)
{
    uint32_t builtin, component;
    if (!g->value[i->operand[0]].varying) return false;
    return !cg_builtin_component(g, i, &builtin, &component) || cg_builtin_varies(g, fn, builtin, component);
}

static bool operand_varies(struct cg *g, const struct sp_inst *i)
{
    CG_EACH_VALUE (k, i)
        if (g->value[i->operand[k]].varying) return true;
    return false;
}

static bool instruction_varies(struct cg *g, const struct cg_function *fn, uint32_t block, const struct sp_inst *i)
{
    enum cg_result rule = cg_result_rule(i);
    if (rule != CG_RESULT_AS_OPERANDS) return rule == CG_RESULT_VARIES;
    switch (i->op) {
    case SP_OP_Phi: return phi_varies(g, fn, block, i);
    case SP_OP_Load: return cg_memory_varies(g, fn, i);
    case SP_OP_CompositeExtract: return extract_varies(g, fn, i);
    case SP_OP_Variable: return !g->private[i->id].fixed;
    case SP_OP_FunctionCall: return g->function[g->m->ids[i->operand[0]].block].result_varying;
    default: return operand_varies(g, i);
    }
}

static void note_call(struct cg *g, const struct sp_inst *i, bool *changed)
{
    const struct sp_function *callee = &g->m->functions[g->m->ids[i->operand[0]].block];
    for (uint32_t k = 0; k < callee->param_count && k + 1 < i->count; k++) {
        struct cg_value *p = cg_own_value(g, callee->params[k]);
        if (p->varying || !g->value[i->operand[k + 1]].varying) continue;
        p->varying = *changed = true;
    }
}

/* Marks a value that is used outside the masked loop that computes it. */
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
    struct cg_value *v = cg_own_value(g, id);
    bool phi = d->def->op == SP_OP_Phi;
    if (g->private[id].variable || (v->varying && (v->blend || phi))) return;
    v->varying = true;
    v->blend = !phi; /* phis are blended by their assignment */
    *changed = true;
}

static void note_uses(struct cg *g, struct cg_function *fn, uint32_t block, const struct sp_inst *i, bool *changed)
{
    if (i->op == SP_OP_Phi) {
        for (uint32_t k = 0; k + 1 < i->count; k += 2)
            note_use(g, fn, i->operand[k], g->m->ids[i->operand[k + 1]].block, changed);
        return;
    }
    CG_EACH_VALUE (k, i) note_use(g, fn, i->operand[k], block, changed);
}

static bool propagate(struct cg *g, struct cg_function *fn)
{
    bool changed = false;
    CG_EACH_IN_ORDER (i, block, fn) {
        if (i->id && i->type && !g->value[i->id].varying && instruction_varies(g, fn, block, i))
            cg_own_value(g, i->id)->varying = changed = true;
        if (i->op == SP_OP_FunctionCall) note_call(g, i, &changed);
        if (i->op == SP_OP_ReturnValue && !fn->result_varying &&
            (fn->block[block].masked || g->value[i->operand[0]].varying))
            fn->result_varying = changed = true;
        cg_store_effect(g, i, fn->block[block].masked, &changed);
        if (fn->loop_count) note_uses(g, fn, block, i, &changed);
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
        if (branches) cg_find_masked(g, fn);
        if (g->failed || (!values && !branches)) return changed;
        changed = true;
    }
}

/* Counts vectors and scalars; structures and arrays are rarely values. */
static uint32_t scalars_of(struct cg *g, uint32_t type)
{
    const struct sp_type *t = sp_type(g->m, type);
    return t && t->kind == SP_VECTOR ? t->count : 1;
}

static void note_features(struct cg *g, struct cg_function *fn)
{
    CG_EACH (i, b, fn->f) {
        uint32_t builtin;
        CG_EACH_VALUE (o, i)
            if (cg_builtin_of(g, i->operand[o], &builtin)) fn->uses_builtins = true;
        if (i->op == SP_OP_FunctionCall) g->function[g->m->ids[i->operand[0]].block].called = true;
        if (i->op == SP_OP_Load) fn->accesses += scalars_of(g, i->type);
        if (i->op == SP_OP_Store) fn->accesses += scalars_of(g, g->m->ids[i->operand[1]].type);
        if (i->op == SP_OP_FunctionPointerCallINTEL) fn->has_barrier = g->pointer_calls = true; /* perhaps */
        if (cg_waits(g, i)) fn->has_barrier = true;
    }
}

/* Chooses how a kernel is written: for full subgroups, for any. Without a known work-group size it is both, or what
 * this version needs, unless that is a lot of code. */
static void choose_versions(struct cg *g, struct cg_function *fn)
{
    const uint32_t *size = fn->entry ? fn->entry->local_size : NULL;
    fn->has_general = true;
    if (!size || fn->called || !fn->uses_builtins || g->o->check) return;
    uint32_t S = cg_size_of_entry(g, fn->entry);
    bool row = size[0] % S == 0 || (size[1] == 1 && size[2] == 1);
    if (size[0] ? !row : cg_is_large(fn) || g->o->quick) return;
    const struct cg_versions *v = g->o->versions;
    fn->sized = !size[0] && v && !v->one;
    fn->has_full = true;
    fn->has_general = !size[0] || (uint64_t)size[0] * size[1] * size[2] % S != 0;
    if (fn->sized) {
        fn->has_full = !v->version || v->version & CG_FULL;
        fn->has_general = v->version & CG_PARTIAL;
        fn->full_apart = fn->has_general;
    }
    fn->full = !fn->has_general;
}

void cg_analyse_again(struct cg *g, struct cg_function *fn)
{
    const struct sp_function *f = fn->f;
    for (uint32_t i = 0; i < f->param_count; i++) *cg_own_value(g, f->params[i]) = g->fresh[f->params[i]];
    CG_EACH (i, b, f) *cg_own_value(g, i->id) = g->fresh[i->id];
    for (uint32_t b = 0; b < fn->f->block_count; b++) fn->block[b] = (struct cg_block){.ipdom = fn->block[b].ipdom};
    fn->order_count = fn->loop_count = 0;
    fn->loops_irreducible = false;
    analyse_function(g, fn);
}

void cg_analyse(struct cg *g)
{
    uint32_t n = g->m->function_count;
    g->fresh = cg_alloc(g, g->m->bound * sizeof *g->fresh);
    if (g->failed) return;
    memcpy(g->fresh, g->value, g->m->bound * sizeof *g->value);
    for (uint32_t i = 0; i < n && !g->failed; i++) {
        struct cg_function *fn = &g->function[i];
        if (fn->f->is_declaration || !fn->f->block_count || fn->wraps) continue;
        fn->block = cg_alloc(g, (fn->f->block_count + 1) * sizeof *fn->block);
        fn->order = cg_alloc(g, (fn->f->block_count + 1) * sizeof *fn->order);
        fn->loop = cg_alloc(g, (fn->f->block_count + 1) * sizeof *fn->loop);
        if (g->failed) return;
        cg_order_blocks(g, fn);
        cg_find_post_dominators(g, fn);
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
