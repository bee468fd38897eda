/* needed.c - the lanes in which the value of a load is needed, for the checked mode.
 *
 * Code for tiles loads in all lanes, and where a lane has no element it loads some address that is safe, and removes
 * the value again: by a selection, or by a mask of zeros. Such a load reads nothing there. For each use of the value
 * this follows what is computed from it until something else than arithmetic uses that; the conditions of the
 * selections and the masks on the way say where the value is needed. Those on all ways are the result, as far as they
 * are known before the load.
 *
 * Gives: cg_needs. Asked by c/checks.c, and by outline.c, as the load then uses the conditions, too.
 */
#include "matrix.h"
#include "passes.h"

enum { MAX_STEPS = 512, MAX_DEPTH = 24, MAX_PATH = 16 };

/* A use of a value: instruction `by` uses it as operand k. */
struct cg_use_of {
    const struct sp_inst *by;
    uint32_t k;
    const struct cg_use_of *next;
};

struct search {
    struct cg *g;
    const struct sp_inst *load;
    struct cg_need path[MAX_PATH]; /* conditions on the way here */
    uint32_t length, steps;
    struct cg_need found[CG_MAX_NEEDS]; /* those on all ways so far */
    uint32_t count;
    bool any; /* has a way ended? */
};

/* ---- uses */

static void note_uses(struct cg *g)
{
    g->uses = cg_alloc(g, ((size_t)g->m->bound + 1) * sizeof *g->uses);
    for (uint32_t n = 0; g->uses && n < g->m->function_count; n++)
        CG_EACH (i, b, &g->m->functions[n])
            CG_EACH_VALUE (k, i) {
                struct cg_use_of *u = cg_alloc(g, sizeof *u);
                if (!u) return;
                *u = (struct cg_use_of){i, k, g->uses[i->operand[k]]};
                g->uses[i->operand[k]] = u;
            }
}

/* ---- components of values */

/* The number of components; 0: it is neither a scalar nor a vector. */
static uint32_t components(struct cg *g, uint32_t id)
{
    const struct sp_type *t = cg_type_of(g, id);
    if (!t) return 0;
    if (t->kind == SP_VECTOR) return t->count;
    return cg_is_composite(t) || t->kind == SP_VOID ? 0 : 1;
}

/* Where constituent k of a vector begins. */
static uint32_t begins_at(struct cg *g, const struct sp_inst *construct, uint32_t k)
{
    uint32_t at = 0;
    for (uint32_t n = 0; n < k; n++) at += components(g, construct->operand[n]);
    return at;
}

/* ---- conditions */

static bool is_known(const struct search *s, uint32_t id)
{
    const struct sp_id *v = &s->g->m->ids[id], *load = &s->g->m->ids[s->load->id];
    if (v->what == SP_IS_PARAMETER) return true;
    if (v->what != SP_IS_VALUE || !v->def || v->function != load->function) return false;
    if (v->block == load->block) return v->def < s->load;
    return cg_dominates(&s->g->m->functions[load->function - 1], v->block, load->block);
}

/* Is it all ones, or all zeros, in so many bits? */
static bool is_all(const struct search *s, uint32_t id, bool ones, uint32_t width)
{
    const uint64_t mask = width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
    uint64_t bits;
    return sp_constant(s->g->m, id, &bits) && (bits & mask) == (ones ? mask : 0);
}

/* The part of a vector that its component `c->component` comes from; false: no such part. */
static bool step_into(const struct search *s, struct cg_need *c, const struct sp_inst *i)
{
    struct cg *g = s->g;
    uint32_t k = 0, n, at = c->component;
    switch (i->op) {
    case SP_OP_CompositeConstruct:
        while (k < i->count && at >= (n = components(g, i->operand[k]))) {
            if (!n) return false;
            at -= n;
            k++;
        }
        if (k == i->count) return false;
        *c = (struct cg_need){i->operand[k], at, c->inverse};
        return true;
    case SP_OP_CompositeExtract:
        if (i->count != 2 || components(g, i->operand[0]) < 2) return false;
        *c = (struct cg_need){i->operand[0], i->operand[1], c->inverse};
        return true;
    case SP_OP_VectorShuffle:
        if (at + 2 >= i->count) return false;
        n = components(g, i->operand[0]);
        at = i->operand[2 + at];
        if (at == UINT32_MAX) return false;
        *c = (struct cg_need){i->operand[at >= n], at >= n ? at - n : at, c->inverse};
        return true;
    case SP_OP_Bitcast:
        if (components(g, i->operand[0]) != components(g, i->id)) return false;
        c->id = i->operand[0];
        return true;
    case SP_OP_LogicalNot:
        c->id = i->operand[0];
        c->inverse = !c->inverse;
        return true;
    case SP_OP_Select: /* a mask: all ones or zeros */
        if (components(g, i->id) != 1 || cg_type_of(g, i->id)->kind != SP_INT) return false;
        if (!is_all(s, i->operand[1], true, cg_width_of(g, i->id))) return false;
        if (!is_all(s, i->operand[2], false, cg_width_of(g, i->id))) return false;
        *c = (struct cg_need){i->operand[0], 0, c->inverse};
        return true;
    default: return false;
    }
}

/* Adds a condition to the path, in terms of what is known before the load; if there is nothing, it is left out. */
static void push(struct search *s, struct cg_need c, uint32_t depth)
{
    const struct sp_id *d = &s->g->m->ids[c.id];
    for (; depth && s->steps++ < MAX_STEPS; depth--, d = &s->g->m->ids[c.id]) {
        if (is_known(s, c.id)) {
            const struct sp_type *t = cg_type_of(s->g, c.id);
            const struct sp_type *e = t && t->kind == SP_VECTOR ? sp_type(s->g->m, t->elem) : t;
            if (!e || (e->kind != SP_BOOL && e->kind != SP_INT)) return;
            if (s->length < MAX_PATH) s->path[s->length++] = c;
            return;
        }
        if (d->what != SP_IS_VALUE || !d->def) return;
        if (d->def->op == SP_OP_LogicalAnd && !c.inverse) { /* both */
            push(s, (struct cg_need){d->def->operand[0], c.component, false}, depth - 1);
            push(s, (struct cg_need){d->def->operand[1], c.component, false}, depth - 1);
            return;
        }
        if (!step_into(s, &c, d->def)) return;
    }
}

static bool is_same(const struct cg_need *a, const struct cg_need *b)
{
    return a->id == b->id && a->component == b->component && a->inverse == b->inverse;
}

/* A way ends here: only its conditions remain. */
static void end_way(struct search *s)
{
    uint32_t n = 0;
    if (!s->any) {
        for (uint32_t i = 0; i < s->length && s->count < CG_MAX_NEEDS; i++) s->found[s->count++] = s->path[i];
        s->any = true;
        return;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        bool on = false;
        for (uint32_t k = 0; k < s->length; k++) on = on || is_same(&s->found[i], &s->path[k]);
        if (on) s->found[n++] = s->found[i];
    }
    s->count = n;
}

/* ---- ways */

static void follow(struct search *s, uint32_t id, uint32_t component, uint32_t depth);

/* Results whose component depends on the same component of the operands. */
static bool is_by_component(const struct sp_inst *i)
{
    switch (i->op) {
    case SP_OP_CopyObject:
    case SP_OP_UConvert:
    case SP_OP_SConvert:
    case SP_OP_FConvert:
    case SP_OP_ConvertFToU:
    case SP_OP_ConvertFToS:
    case SP_OP_ConvertUToF:
    case SP_OP_ConvertSToF:
    case SP_OP_ShiftLeftLogical:
    case SP_OP_ShiftRightLogical:
    case SP_OP_ShiftRightArithmetic:
    case SP_OP_BitwiseOr:
    case SP_OP_BitwiseXor:
    case SP_OP_Not:
    case SP_OP_IAdd:
    case SP_OP_ISub:
    case SP_OP_IMul:
    case SP_OP_FAdd:
    case SP_OP_FSub:
    case SP_OP_FMul:
    case SP_OP_SNegate:
    case SP_OP_FNegate: return true;
    default: return false;
    }
}

static void follow_bits(struct search *s, const struct sp_inst *cast, uint32_t component, uint32_t depth)
{
    uint32_t from = components(s->g, cast->operand[0]), to = components(s->g, cast->id);
    uint32_t first = from ? component * to / from : 0;
    uint32_t last = from ? ((component + 1) * to - 1) / from : 0;
    if (!from || !to) {
        end_way(s);
        return;
    }
    for (uint32_t c = first; c <= last; c++) follow(s, cast->id, c, depth);
}

/* By operand `mask`, zero where the value is not needed, or by the condition of a selection. */
static void follow_masked(struct search *s, const struct sp_inst *i, struct cg_need mask, uint32_t component,
                          uint32_t depth)
{
    uint32_t length = s->length;
    push(s, mask, MAX_DEPTH);
    follow(s, i->id, component, depth);
    s->length = length;
}

static void follow_use(struct search *s, const struct sp_inst *i, uint32_t k, uint32_t component, uint32_t depth)
{
    struct cg *g = s->g;
    if (i->op == SP_OP_CompositeConstruct && components(g, i->id))
        follow(s, i->id, begins_at(g, i, k) + component, depth);
    else if (i->op == SP_OP_CompositeExtract && i->count == 2 && components(g, i->operand[0]))
        component == i->operand[1] ? follow(s, i->id, 0, depth) : (void)0;
    else if (i->op == SP_OP_VectorShuffle)
        for (uint32_t n = 2; n < i->count; n++) {
            if (i->operand[n] == component + (k ? components(g, i->operand[0]) : 0)) follow(s, i->id, n - 2, depth);
        }
    else if (i->op == SP_OP_Bitcast)
        follow_bits(s, i, component, depth);
    else if (i->op == SP_OP_Select && k)
        follow_masked(s, i, (struct cg_need){i->operand[0], components(g, i->operand[0]) > 1 ? component : 0, k == 2},
                      component, depth);
    else if (i->op == SP_OP_BitwiseAnd || i->op == SP_OP_LogicalAnd)
        follow_masked(s, i, (struct cg_need){i->operand[!k], component, false}, component, depth);
    else if (is_by_component(i) && components(g, i->id))
        follow(s, i->id, component, depth);
    else
        end_way(s);
}

static void follow(struct search *s, uint32_t id, uint32_t component, uint32_t depth)
{
    const struct cg_use_of *u = s->g->uses[id];
    if (!depth || s->steps++ > MAX_STEPS) {
        s->any = true;
        s->count = 0;
        return;
    }
    for (; u && !(s->any && !s->count); u = u->next) follow_use(s, u->by, u->k, component, depth - 1);
}

uint32_t cg_needs(struct cg *g, const struct sp_inst *load, struct cg_need to[CG_MAX_NEEDS])
{
    struct search s = {.g = g, .load = load};
    if (load->op != SP_OP_Load || components(g, load->id) == 0) return 0;
    if (!g->uses) note_uses(g);
    if (!g->uses || g->failed) return 0;
    for (uint32_t c = 0; c < components(g, load->id) && !(s.any && !s.count); c++) follow(&s, load->id, c, MAX_DEPTH);
    for (uint32_t i = 0; i < s.count; i++) to[i] = s.found[i];
    return s.count;
}

/* ---- rows of two-dimensional blocks */

struct rows {
    struct cg *g;
    uint32_t variable, height, each; /* bytes of a row in a lane */
    uint64_t needed;
};

static void note_bytes(struct rows *r, uint64_t first, uint64_t bytes)
{
    const uint64_t block = (uint64_t)r->height * r->each, last = first + bytes - 1;
    const uint64_t row = first / block == last / block ? last % block / r->each + 1 : r->height;
    if (row > r->needed) r->needed = row;
}

/* Does it fill the variable? */
static bool is_block_load(const struct sp_inst *i, uint32_t k)
{
    return cg_is(i, CG_BLOCK) && i->op != SP_OP_Subgroup2DBlockStoreINTEL && k == (uint32_t)cg_lanes_operand(i);
}

/* All loads through a pointer and what is derived from it; false: something else uses it. */
static bool note_loads(struct rows *r, uint32_t pointer, uint32_t depth)
{
    struct cg *g = r->g;
    for (const struct cg_use_of *u = g->uses[pointer]; u; u = u->next) {
        const struct sp_inst *i = u->by;
        const int64_t offset = g->private[pointer].offset;
        const bool derives = cg_is(i, CG_CHAIN | CG_SAME_POINTER) && g->private[i->id].variable == r->variable;
        if (i->op == SP_OP_Load && offset >= 0) note_bytes(r, (uint64_t)offset, cg_memory_size(g, i->type));
        else if (derives && (!depth || !note_loads(r, i->id, depth - 1))) return false;
        else if (!derives && !cg_is(i, CG_LIFETIME) && !is_block_load(i, u->k)) return false;
    }
    return true;
}

uint32_t cg_needed_rows(struct cg *g, uint32_t pointer, uint32_t height, uint32_t bytes)
{
    struct rows r = {g, g->private[pointer].variable, height, bytes, 0};
    if (!r.variable || !height || !bytes) return height;
    if (!g->uses) note_uses(g);
    if (!g->uses || g->failed || !note_loads(&r, r.variable, MAX_DEPTH) || !r.needed) return height;
    return (uint32_t)r.needed;
}
