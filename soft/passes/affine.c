/* affine.c - values that increase by the same step from lane to lane, held as the value of lane 0.
 *
 * In a kernel of full subgroups (all lanes present, consecutive in x), a work-item's id is that of lane 0 plus the lane
 * number. Such a value is AFFINE, and so are its multiples, its sums with uniform values, and addresses computed from
 * them. An affine value is a scalar C variable computed by scalar arithmetic, and memory accesses through it are known
 * to be contiguous or regularly spaced when the kernel is compiled. Where it is used as a vector, XS(affine_u32) builds
 * the lanes.
 *
 * After an integer is widened, the result is affine only if no lane wrapped around in the narrow type. For ids within a
 * subgroup or work-group, and values computed from them and constants, their largest possible value proves that. For
 * others, `ok<id>` tells at run time; in case they have wrapped, the lanes are also computed one by one into w<id>, as
 * are those of dependent values.
 *
 * Needs: divergence, addresses (built-in variables, strides of chains). Gives: cg_affine.
 */
#include "passes.h"

#include <string.h>

enum { MAX_STEP_BITS = 20, MAX_ROUNDS = 100, MAX_ALIKE = 8 /* operations deep */, MAX_PAIRS = 1000 };
enum { MOST_ITEMS = 1 << 16 /* more than a work-group has */ };
static const uint64_t any_value = UINT64_MAX;

enum state { UNKNOWN, AFFINE, NEITHER }; /* states only advance from left to right */

struct fact {
    enum state state;
    bool uniform, checked;
    uint64_t step;
    uint64_t most; /* maximum of the lanes' values, unsigned; any_value: unknown */
};

struct affine {
    struct cg *g;
    struct cg_function *fn;
    struct fact *fact; /* by ordinal, of varying values */
};

/* Are the values computed in the same way from the same operands? `left`: pairs that may still be compared. */
static bool are_alike(const struct affine *t, uint32_t a, uint32_t b, uint32_t depth, uint32_t *left)
{
    const struct sp_id *x = &t->g->m->ids[a], *y = &t->g->m->ids[b];
    if (a == b) return true;
    if (!*left || !depth || x->what != SP_IS_VALUE || y->what != SP_IS_VALUE || !cg_is(x->def, CG_PURE)) return false;
    --*left;
    if (x->def->op != y->def->op || x->type != y->type || x->def->count != y->def->count) return false;
    if (t->g->value[a].blend || t->g->value[b].blend) return false;
    for (uint32_t k = 0; k < x->def->count; k++) {
        uint32_t p = x->def->operand[k], q = y->def->operand[k];
        if (p != q && (!cg_is_value_operand(x->def, k) || !are_alike(t, p, q, depth - 1, left))) return false;
    }
    return true;
}

/* Do lanes reach the block from masked blocks that give the phi equal values, in the same iteration of any loop? */
static bool joins_same(const struct affine *t, uint32_t block, const struct sp_inst *phi)
{
    const struct sp_block *b = &t->fn->f->blocks[block];
    const struct cg_block *cb = t->fn->block;
    for (uint32_t k = 0; k < b->pred_count; k++)
        if (cb[b->pred[k]].loop != cb[block].loop) return false;
    if (cb[block].loop && t->fn->loop[cb[block].loop - 1].header == block) return false;
    for (uint32_t k = 2, left = MAX_PAIRS; k + 1 < phi->count; k += 2)
        if (!are_alike(t, phi->operand[k], phi->operand[0], MAX_ALIKE, &left)) return false;
    return phi->count >= 2;
}

/* ---- facts */

static const struct fact not_affine = {.state = NEITHER};

static uint64_t largest(uint64_t width) { return ~(uint64_t)0 >> (64 - width); }

static struct fact fact_of(const struct affine *t, uint32_t id)
{
    struct fact uniform = {.state = AFFINE, .uniform = true, .most = any_value};
    if (t->g->value[id].varying) return t->fact[t->g->ordinal[id]];
    const struct sp_type *type = sp_type(t->g->m, t->g->m->ids[id].type);
    uint64_t value;
    if (type && type->kind == SP_INT && sp_constant(t->g->m, id, &value)) uniform.most = value & largest(type->bits);
    return uniform;
}

/* The step truncated to the value's width, sign-extended. */
static uint64_t in_width(uint64_t step, uint64_t width)
{
    return width == 64 ? step : (uint64_t)((int64_t)(step << (64 - width)) >> (64 - width));
}

/* Truncates a fact computed without limits to a value of this many bits. */
static struct fact within_width(struct fact f, uint64_t width)
{
    f.step = in_width(f.step, width);
    if (f.most > largest(width)) f.most = any_value;
    return f;
}

static bool is_small(uint64_t step, uint64_t width)
{
    uint64_t bits = width > MAX_STEP_BITS + 8 ? MAX_STEP_BITS : width > 8 ? width - 8 : 0;
    return step + ((uint64_t)1 << bits) <= (uint64_t)2 << bits;
}

/* The fact of a sum or difference. */
static struct fact add(struct fact a, struct fact b, bool minus)
{
    if (a.state == NEITHER || b.state == NEITHER) return not_affine;
    if (a.state == UNKNOWN || b.state == UNKNOWN) return (struct fact){.state = UNKNOWN};
    return (struct fact){.state = AFFINE,
                         .checked = a.checked || b.checked,
                         .step = minus ? a.step - b.step : a.step + b.step,
                         .most = minus || b.most > any_value - a.most ? any_value : a.most + b.most};
}

static struct fact scale(struct fact a, uint64_t by)
{
    if (a.state != AFFINE) return a;
    a.step *= by;
    a.most = by && a.most > any_value / by ? any_value : a.most * by;
    return a;
}

/* The fact after widening from `from` to `to` bits. A value that may have wrapped becomes checked. */
static struct fact widen(struct fact a, uint64_t from, uint64_t to, bool is_signed)
{
    if (a.state != AFFINE || a.uniform || from >= to) return a;
    a.step = in_width(a.step, from);
    if (a.most > largest(from - is_signed)) {
        a.checked = true;
        a.most = any_value;
    }
    return is_small(a.step, from) ? a : not_affine;
}

/* x << n | c with c < 1 << n is a sum. */
static bool or_is_sum(struct cg *g, const struct sp_inst *i)
{
    const struct sp_inst *shift = g->m->ids[i->operand[0]].def;
    uint64_t n, c;
    return shift && shift->op == SP_OP_ShiftLeftLogical && sp_constant(g->m, shift->operand[1], &n) &&
           sp_constant(g->m, i->operand[1], &c) && n < 32 && c < (uint64_t)1 << n;
}

static struct fact chain_fact(const struct affine *t, const struct sp_inst *i)
{
    struct cg *g = t->g;
    struct fact f = fact_of(t, i->operand[0]);
    struct cg_walk w = {.chain = i};
    while (cg_next_index(g, &w)) {
        struct fact index = fact_of(t, w.index);
        if (!index.uniform) f = add(f, scale(widen(index, cg_width_of(g, w.index), 64, true), w.stride), false);
    }
    f.most = any_value;
    return f;
}

/* The common fact of a phi's values; not affine if they differ. */
static struct fact phi_fact(const struct affine *t, uint32_t block, const struct sp_inst *i)
{
    const struct sp_block *b = &t->fn->f->blocks[block];
    struct fact f = {.state = UNKNOWN};
    bool masked = t->fn->block[block].masked;
    if (joins_same(t, block, i)) {
        f = fact_of(t, i->operand[0]);
        f.uniform = false;
        return f;
    }
    for (uint32_t k = 0; k < b->pred_count; k++) masked = masked || t->fn->block[b->pred[k]].masked;
    if (masked) return not_affine;
    for (uint32_t k = 0; k < i->count; k += 2) {
        struct fact from = fact_of(t, i->operand[k]);
        if (from.state == UNKNOWN) continue;
        if (from.state == NEITHER || from.checked || from.uniform) return not_affine;
        if (f.state == AFFINE && f.step != from.step) return not_affine;
        f = from;
    }
    f.most = any_value;
    return f;
}

static struct fact fact_of_builtin(const struct affine *t, uint32_t builtin, uint32_t component)
{
    const struct sp_entry *e = t->fn->entry;
    const uint32_t *size = e && e->local_size[0] ? e->local_size : NULL;
    struct fact f = {.state = AFFINE, .step = 1, .most = any_value};
    if (!cg_builtin_is_affine(t->g, builtin, component)) return not_affine;
    switch (builtin) {
    case SP_BUILTIN_SubgroupLocalInvocationId: f.most = t->g->largest_S - 1; break;
    case SP_BUILTIN_LocalInvocationId: f.most = (size ? size[0] : MOST_ITEMS) - 1; break;
    case SP_BUILTIN_LocalInvocationIndex:
        f.most = (size ? (uint64_t)size[0] * size[1] * size[2] : MOST_ITEMS) - 1;
        break;
    }
    return f;
}

static struct fact fact_of_instruction(const struct affine *t, uint32_t block, const struct sp_inst *i)
{
    struct cg *g = t->g;
    uint32_t builtin, component;
    uint64_t c;
    if (cg_builtin_component(g, i, &builtin, &component)) return fact_of_builtin(t, builtin, component);
    if (cg_is(i, CG_CHAIN)) return chain_fact(t, i);
    switch (i->op) {
    case SP_OP_IAdd: return add(fact_of(t, i->operand[0]), fact_of(t, i->operand[1]), false);
    case SP_OP_ISub: return add(fact_of(t, i->operand[0]), fact_of(t, i->operand[1]), true);
    case SP_OP_BitwiseOr:
        return or_is_sum(g, i) ? add(fact_of(t, i->operand[0]), fact_of(t, i->operand[1]), false) : not_affine;
    case SP_OP_IMul:
        for (uint32_t k = 0; k < 2; k++)
            if (sp_constant(g->m, i->operand[k], &c)) return scale(fact_of(t, i->operand[1 - k]), c);
        return not_affine;
    case SP_OP_ShiftLeftLogical:
        if (!sp_constant(g->m, i->operand[1], &c) || c >= cg_width_of(g, i->id)) return not_affine;
        return scale(fact_of(t, i->operand[0]), (uint64_t)1 << c);
    case SP_OP_UConvert:
    case SP_OP_SConvert:
        if (sp_decorated(g->m, i->id, SP_DECORATION_SaturatedConversion)) return not_affine; /* fall through */
    case SP_OP_ConvertPtrToU:
    case SP_OP_ConvertUToPtr:
        return widen(fact_of(t, i->operand[0]), cg_width_of(g, i->operand[0]), cg_width_of(g, i->id),
                     i->op == SP_OP_SConvert);
    case SP_OP_Bitcast:
        if (cg_value_leaves(g, i->operand[0])->count != 1 || cg_width_of(g, i->operand[0]) != cg_width_of(g, i->id))
            return not_affine; /* fall through */
    case SP_OP_CopyObject:
    case SP_OP_PtrCastToGeneric:
    case SP_OP_GenericCastToPtr: return fact_of(t, i->operand[0]);
    case SP_OP_Phi: return phi_fact(t, block, i);
    default: return not_affine;
    }
}

static bool may_be_affine(struct cg *g, const struct sp_inst *i)
{
    const struct sp_type *t = i->id ? sp_type(g->m, i->type) : NULL;
    const struct cg_value *v = &g->value[i->id];
    bool whole = t && (t->kind == SP_POINTER || (t->kind == SP_INT && t->bits == 8 * t->size));
    return whole && v->varying && !v->blend && !g->private[i->id].variable;
}

static bool find_round(struct affine *t)
{
    bool changed = false;
    CG_EACH_IN_ORDER (i, block, t->fn) {
        struct fact *old = &t->fact[t->g->ordinal[i->id]], new;
        if (!i->id || !t->g->value[i->id].varying || old->state == NEITHER) continue;
        new = may_be_affine(t->g, i) ? fact_of_instruction(t, block, i) : not_affine;
        if (new.state == UNKNOWN && old->state != UNKNOWN) new = not_affine;
        if (new.state == AFFINE) new = within_width(new, cg_width_of(t->g, i->id));
        if (old->state == AFFINE && (new.state != AFFINE || new.step != old->step || new.checked != old->checked))
            new = not_affine;
        new.uniform = false;
        if (new.state == old->state) continue;
        *old = new;
        changed = true;
    }
    return changed;
}

void cg_find_affine(struct cg *g, struct cg_function *fn)
{
    struct affine t = {.g = g, .fn = fn};
    const struct sp_function *f = fn->f;
    if (!fn->full) return;
    t.fact = cg_alloc(g, (fn->value_count + 1) * sizeof *t.fact);
    if (g->failed) return;
    for (uint32_t k = 0; k < f->param_count; k++) t.fact[g->ordinal[f->params[k]]].state = NEITHER;
    for (uint32_t round = 0; find_round(&t); round++)
        if (round == MAX_ROUNDS) return;
    struct cg_affine *found = cg_alloc(g, (fn->value_count + 1) * sizeof *found);
    for (uint32_t n = 1; found && n <= fn->value_count; n++)
        if (t.fact[n].state == AFFINE) found[n] = (struct cg_affine){true, t.fact[n].checked, t.fact[n].step};
    fn->affine = found;
}
