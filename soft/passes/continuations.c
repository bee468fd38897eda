/* continuations.c - kernels that return at a barrier and continue there when they are called again.
 *
 * If all barriers of a kernel are in plain blocks of its own function, the values live after each of them are known.
 * The function saves them in a frame, one per subgroup, and returns 1; called again with that frame, it restores them
 * and continues. Scalars that a few operations compute from parameters, built-in values and constants are not saved but
 * rematerialised. A loop around it (c/kernel.c) runs all subgroups of the work-group up to the barrier, then again from
 * there. This costs a fraction of a coroutine switch, unless there is much to save (matrix fragments, for example).
 * Such kernels, and those with other work-group operations, use coroutines.
 *
 * Needs: divergence, cg_affine, cg_derived, cg_shared (a frame keeps no shared fragments). Gives: fn->continuation.
 */
#include "continuations.h"

enum { MAX_FRAME_BYTES = 4096, MAX_BARRIERS = 256, MAX_REMADE = 6 /* operations */ };

static bool is_barrier(struct cg *g, const struct sp_inst *i)
{
    return i->op == SP_OP_ControlBarrier && cg_waits(g, i);
}

/* Other instructions that wait for the work-group, or values that a frame cannot hold. */
static bool forbids(struct cg *g, const struct sp_inst *i)
{
    if (i->op == SP_OP_FunctionCall) return g->function[g->m->ids[i->operand[0]].block].has_barrier;
    if (i->op == SP_OP_Variable) return !g->private[i->id].fixed;
    return i->op == SP_OP_FunctionPointerCallINTEL || cg_is(i, CG_PRODUCT) || (cg_waits(g, i) && !is_barrier(g, i));
}

/* Counts barriers and values. False if the function cannot use a frame; `why` is then the instruction that prevents it,
 * if any. */
static bool survey(struct cg *g, struct cg_function *fn, uint32_t *barriers, uint32_t *values,
                   const struct sp_inst **why)
{
    *barriers = *values = 0;
    CG_EACH (i, b, fn->f) {
        *why = i;
        if (forbids(g, i) || (i->id && cg_shared(g, i->id)->class)) return false;
        if (cg_has_variable(g, i)) ++*values;
        if (!is_barrier(g, i)) continue;
        if (fn->block[b].masked || ++*barriers > MAX_BARRIERS) return false;
    }
    *why = NULL;
    return *barriers != 0;
}

static void remark(struct cg *g, struct cg_function *fn, const struct sp_inst *why, uint64_t bytes)
{
    const char *instead = "barriers switch between coroutines";
    if (!fn->entry || !fn->has_barrier) return;
    if (fn->continuation)
        cg_remark(g, fn, NULL, "continuations", true,
                  "it returns at barriers and is called again, with %llu bytes saved per subgroup",
                  (unsigned long long)bytes);
    else if (g->o->check)
        cg_remark(g, fn, NULL, "continuations", false, "%s, as always in the checked mode", instead);
    else if (why && is_barrier(g, why))
        cg_remark(g, fn, why, "continuations", false, "%s: lanes may reach this one separately", instead);
    else if (why)
        cg_remark(g, fn, why, "continuations", false, "%s: %s cannot be interrupted, or its state cannot be saved",
                  instead, sp_op_name(why->op));
    else if (bytes)
        cg_remark(g, fn, NULL, "continuations", false, "%s: %llu bytes to save per subgroup are more than %d",
                  instead, (unsigned long long)bytes, MAX_FRAME_BYTES);
}

/* What cg_visit_live passes on. */
struct survey {
    struct cg *g;
    struct cg_continuation *plan;
};

static void note_point(void *user, const struct cg_live *l, const struct sp_inst *i)
{
    const struct survey *s = user;
    if (!is_barrier(s->g, i)) return;
    struct cg_point *p = &s->plan->point[s->plan->count++];
    p->barrier = i;
    p->live = cg_alloc(s->g, l->words * sizeof *p->live);
    for (uint32_t w = 0; p->live && w < l->words; w++) s->plan->kept[w] |= p->live[w] = l->now[w];
}

/* The number of operations to rematerialise a scalar from what is available after the barrier; more than `most` if it
 * takes more or is impossible. */
static uint32_t price(struct cg *g, uint32_t id, uint32_t most)
{
    const struct sp_id *d = &g->m->ids[id];
    const struct cg_value *v = &g->value[id];
    const struct sp_type *type = d->type ? sp_type(g->m, d->type) : NULL;
    uint32_t sum = 1, builtin, component;
    if (d->what == SP_IS_CONSTANT || (d->what == SP_IS_PARAMETER && !v->varying)) return 0;
    if (d->what == SP_IS_VARIABLE && d->function == 0) return 0;
    if (!most || d->what != SP_IS_VALUE || !type || (type->kind != SP_INT && type->kind != SP_POINTER) ||
        !cg_is_step(g, id) || cg_affine(g, id)->checked || v->blend || g->private[id].variable ||
        cg_derived(g, id)->root)
        return most + 1;
    if (cg_builtin_component(g, d->def, &builtin, &component)) return 1;
    if (!cg_is(d->def, CG_PURE)) return most + 1;
    for (uint32_t k = 0; k < d->def->count && sum <= most; k++)
        if (cg_is_value_operand(d->def, k)) sum += price(g, d->def->operand[k], most - sum);
    return sum;
}

static void number_values(struct cg *g, const struct cg_function *fn, struct cg_continuation *plan)
{
    CG_EACH (i, b, fn->f) {
        if (!cg_has_variable(g, i)) continue;
        if (price(g, i->id, MAX_REMADE) <= MAX_REMADE) cg_insert(plan->remade, plan->value_count);
        plan->value[plan->value_count++] = i->id;
        plan->live.index_of[g->ordinal[i->id]] = plan->value_count;
    }
}

uint64_t cg_variable_items(struct cg *g, const struct sp_inst *variable, uint64_t *bytes)
{
    const struct cg_private *v = &g->private[variable->id];
    *bytes = cg_memory_size(g, sp_type(g->m, sp_type(g->m, variable->type)->elem)->id);
    return *bytes / v->granule + (*bytes == 0);
}

static uint64_t frame_bytes(struct cg *g, struct cg_function *fn, const struct cg_continuation *plan)
{
    uint64_t sum = 0, bytes;
    for (uint32_t n = 0; n < plan->value_count; n++) {
        if (!cg_contains(plan->kept, n) || cg_contains(plan->remade, n)) continue;
        sum += (uint64_t)cg_value_leaves(g, plan->value[n])->scalars * 8 * (cg_is_step(g, plan->value[n]) ? 1 : g->S);
        if (cg_affine(g, plan->value[n])->checked) sum += 8 * g->S;
    }
    CG_EACH (i, b, fn->f) {
        if (i->op != SP_OP_Variable) continue;
        cg_variable_items(g, i, &bytes);
        sum += bytes * (g->value[i->id].stored_varying ? g->S : 1);
    }
    return sum;
}

void cg_plan_continuation(struct cg *g, struct cg_function *fn)
{
    uint32_t barriers, values;
    const struct sp_inst *why = NULL;
    bool second = fn->full && fn->has_general; /* follow the general version's decision */
    if (second && !fn->continuation) return;
    fn->continuation = NULL;
    if (!fn->entry || fn->called || g->o->check || g->failed || !survey(g, fn, &barriers, &values, &why)) {
        remark(g, fn, why, 0);
        return;
    }
    for (uint32_t k = 0; k < fn->f->param_count; k++)
        if (g->value[fn->f->params[k]].varying) return;
    struct cg_continuation *plan = cg_alloc(g, sizeof *plan);
    if (!plan || !cg_prepare_live(g, fn, values, &plan->live)) return;
    plan->value = cg_alloc(g, (values + 1) * sizeof *plan->value);
    plan->kept = cg_alloc(g, plan->live.words * sizeof *plan->kept);
    plan->remade = cg_alloc(g, plan->live.words * sizeof *plan->remade);
    plan->made = cg_alloc(g, plan->live.words * sizeof *plan->made);
    plan->point = cg_alloc(g, (barriers + 1) * sizeof *plan->point);
    if (g->failed) return;
    number_values(g, fn, plan);
    cg_find_live(g, fn, &plan->live);
    cg_visit_live(g, fn, &plan->live, note_point, &(struct survey){g, plan});
    if (g->failed) return;
    uint64_t bytes = frame_bytes(g, fn, plan);
    if (second || bytes <= MAX_FRAME_BYTES) fn->continuation = plan;
    remark(g, fn, NULL, bytes);
}
