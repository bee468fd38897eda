/* votes.c - coherent paths as C: at the end of masked blocks, lanes vote on their direction, by scalars if possible
 * (passes/coherent.c chooses the blocks).
 */
#include "codegen.h"

enum { MAX_VOTES = 8 /* parts of a condition */ };

struct vote {
    const char *all, *none; /* C that is true only if the condition is true, or false, in all lanes */
};

static struct vote other(struct vote v) { return (struct vote){v.none, v.all}; }

static const char *still(struct cg *g, uint32_t line)
{
    return cg_affine(g, line)->checked ? cg_str(g, " & %s", cg_var(g, "ok", line)) : "";
}

/* Is a rising affine value less than (or equal to) `u`, which is uniform? */
static struct vote vote_less(struct cg *g, uint32_t line, const char *u, bool is_signed, bool or_equal)
{
    enum cg_kind kind = cg_kind_of(g, line);
    const char *type = is_signed ? cg_kind_signed(g, kind, false) : cg_kind_type(g, kind, false);
    const char *sure = cg_str(g, "(%s)%s", cg_affine_holds(g, line, is_signed), still(g, line));
    const char *lane = cg_var(g, "v", line);
    unsigned long long rise = cg_affine(g, line)->step * (g->S - 1);
    struct vote v;
    v.all = cg_str(g, "(%s & ((%s)(%s + %lluu) %s (%s)%s))", sure, type, lane, rise, or_equal ? "<=" : "<", type, u);
    v.none = cg_str(g, "(%s & ((%s)%s %s (%s)%s))", sure, type, lane, or_equal ? ">" : ">=", type, u);
    return v;
}

static struct vote vote_equal(struct cg *g, uint32_t line, const char *u)
{
    const char *type = cg_kind_type(g, cg_kind_of(g, line), false);
    unsigned long long rise = cg_affine(g, line)->step * (g->S - 1);
    const char *none = cg_str(g, "(((%s)(%s - %s) > %lluu)%s)", type, u, cg_var(g, "v", line), rise, still(g, line));
    return (struct vote){"0", none};
}

static bool rises(struct cg *g, uint32_t id)
{
    const struct cg_affine *v = cg_affine(g, id);
    enum cg_kind kind = cg_kind_of(g, id);
    return v->is && v->step && v->step < 1 << 20 && (kind == CG_U32 || kind == CG_U64);
}

/* Comparisons expressed as less, less or equal, or their negations. */
static const struct {
    uint16_t op;
    bool is_signed, or_equal, negated;
} orders[] = {
    {SP_OP_ULessThan, false, false, false},        {SP_OP_SLessThan, true, false, false},
    {SP_OP_ULessThanEqual, false, true, false},    {SP_OP_SLessThanEqual, true, true, false},
    {SP_OP_UGreaterThan, false, true, true},       {SP_OP_SGreaterThan, true, true, true},
    {SP_OP_UGreaterThanEqual, false, false, true}, {SP_OP_SGreaterThanEqual, true, false, true},
};

static bool vote_comparison(struct cg *g, const struct sp_inst *i, struct vote *v)
{
    if (i->count != 2 || !cg_is_value_operand(i, 1)) return false;
    bool left = rises(g, i->operand[0]) && !g->value[i->operand[1]].varying;
    if (!left && (!rises(g, i->operand[1]) || g->value[i->operand[0]].varying)) return false;
    uint32_t line = i->operand[left ? 0 : 1];
    const char *u = cg_str(g, "(%s)", cg_use(g, i->operand[left ? 1 : 0], false));
    if (i->op == SP_OP_IEqual || i->op == SP_OP_INotEqual) {
        *v = vote_equal(g, line, u);
        if (i->op == SP_OP_INotEqual) *v = other(*v);
        return true;
    }
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        if (orders[k].op != i->op) continue;
        /* u < x is the negation of x <= u */
        *v = vote_less(g, line, u, orders[k].is_signed, orders[k].or_equal == left);
        if (orders[k].negated == left) *v = other(*v);
        return true;
    }
    return false;
}

/* The vote for the branch at the end of `block`; how many more parts of its condition may be examined. */
struct poll {
    uint32_t block, left;
};

static bool scalar_vote(struct cg *g, struct poll *p, uint32_t id, struct vote *v);

/* The vote on either or both of two conditions. */
static bool vote_two(struct cg *g, struct poll *p, uint32_t a, uint32_t b, bool both, struct vote *v)
{
    struct vote x, y;
    if (!scalar_vote(g, p, a, &x) || !scalar_vote(g, p, b, &y)) return false;
    v->all = cg_str(g, "(%s %c %s)", x.all, both ? '&' : '|', y.all);
    v->none = cg_str(g, "(%s %c %s)", x.none, both ? '|' : '&', y.none);
    return true;
}

/* Is the value computed in the block, without a barrier after it? Elsewhere its operands may be unavailable. */
static bool is_fresh(struct cg *g, uint32_t block, uint32_t id)
{
    const struct sp_block *b = &g->fn->f->blocks[block];
    for (uint32_t k = b->count; k-- > 0 && b->inst[k].op != SP_OP_ControlBarrier;)
        if (b->inst[k].id == id) return true;
    return false;
}

/* A vote without examining lanes; false if impossible or too complex. */
static bool scalar_vote(struct cg *g, struct poll *p, uint32_t id, struct vote *v)
{
    const struct sp_inst *i = g->m->ids[id].def;
    uint64_t bits;
    if (!p->left) return false;
    p->left--;
    if (!g->value[id].varying) {
        const char *e = cg_use(g, id, false);
        *v = (struct vote){cg_str(g, "((%s) != 0)", e), cg_str(g, "!(%s)", e)};
        return true;
    }
    if (!i || g->value[id].blend || !is_fresh(g, p->block, id)) return false;
    switch (i->op) {
    case SP_OP_LogicalOr: return vote_two(g, p, i->operand[0], i->operand[1], false, v);
    case SP_OP_LogicalAnd: return vote_two(g, p, i->operand[0], i->operand[1], true, v);
    case SP_OP_LogicalNot:
        if (!scalar_vote(g, p, i->operand[0], v)) return false;
        *v = other(*v);
        return true;
    case SP_OP_Select:
        if (sp_constant(g->m, i->operand[1], &bits) && bits)
            return vote_two(g, p, i->operand[0], i->operand[2], false, v);
        if (sp_constant(g->m, i->operand[2], &bits) && !bits)
            return vote_two(g, p, i->operand[0], i->operand[1], true, v);
        return false;
    default: return vote_comparison(g, i, v);
    }
}

void cg_write_votes(struct cg *g, uint32_t block, uint32_t condition, const char **all, const char **none)
{
    struct poll p = {block, MAX_VOTES};
    struct vote v;
    if (scalar_vote(g, &p, condition, &v)) {
        *all = v.all;
        *none = v.none;
        return;
    }
    const char *votes = cg_evaluated(g, "u64", cg_str(g, "XS(bits)(%s)", cg_use(g, condition, true)));
    *all = cg_str(g, "%s == XS_FULL", votes);
    *none = cg_str(g, "!%s", votes);
}
