/* affine.c - affine values as C: lane 0's scalar, and the tests that no lane has wrapped around
 * (passes/affine.c finds these values).
 */
#include "codegen.h"

/* Lane 0 of an affine or uniform operand. */
static const char *first(struct cg *g, uint32_t id)
{
    return cg_affine(g, id)->is ? cg_var(g, "v", id) : cg_use(g, id, false);
}

/* Copies a uniform value, or an affine one with its additional variables, to a phi. */
void cg_copy_affine(struct cg *g, uint32_t to, uint32_t from)
{
    cg_put(g, "    %s = %s;\n", cg_var(g, "v", to), first(g, from));
    if (!cg_affine(g, to)->checked) return;
    const char *ok = cg_var(g, "ok", to);
    cg_put(g, "    %s = %s;\n    if (__builtin_expect(!%s, 0)) %s = %s;\n", ok, cg_var(g, "ok", from), ok,
           cg_var(g, "w", to), cg_var(g, "w", from));
}

const char *cg_affine_holds(struct cg *g, uint32_t id, bool is_signed)
{
    enum cg_kind kind = cg_kind_of(g, id);
    const char *type = is_signed ? cg_kind_signed(g, kind, false) : cg_kind_type(g, kind, false);
    uint64_t all = cg_affine(g, id)->step * (g->S - 1), most = ~(uint64_t)0 >> (64 - cg_width_of(g, id) + is_signed);
    bool falls = (int64_t)all < 0;
    uint64_t least = is_signed ? ~most : 0, limit = (falls ? least : most) - all;
    return cg_str(g, "(%s)%s %s (%s)0x%llxull", type, cg_var(g, "v", id), falls ? ">=" : "<=", type,
                  (unsigned long long)limit);
}

/* Tests each operand that is widened and must then be affine. */
static void write_tests(struct cg *g, const struct sp_inst *i)
{
    bool chain = cg_is(i, CG_CHAIN), converts = cg_is(i, CG_CONVERTS);
    CG_EACH_VALUE (k, i) {
        uint32_t id = i->operand[k];
        if (!cg_affine(g, id)->is) continue;
        bool wider = chain ? k > 0 && cg_width_of(g, id) < 64 : converts && cg_width_of(g, id) < cg_width_of(g, i->id);
        if (wider) cg_put(g, " && %s", cg_affine_holds(g, id, chain || i->op == SP_OP_SConvert));
    }
}

static const char *scalar_chain(struct cg *g)
{
    const struct sp_inst *i = g->w->inst;
    const char *e = first(g, i->operand[0]);
    struct cg_walk w = {.chain = i};
    while (cg_next_index(g, &w))
        if (w.stride)
            e = cg_str(g, "%s + (u64)(i64)(%s)%s * %lluu", e, cg_kind_signed(g, cg_kind_of(g, w.index), false),
                       first(g, w.index), (unsigned long long)w.stride);
    return w.offset ? cg_str(g, "%s + (u64)%lldll", e, (long long)w.offset) : e;
}

static const char *scalar_text(struct cg *g)
{
    const struct sp_inst *i = g->w->inst;
    const char *type = cg_kind_type(g, cg_kind_of(g, i->id), false);
    uint32_t builtin, component;
    uint64_t c = 0;
    if (cg_builtin_component(g, i, &builtin, &component))
        return cg_str(g, "(%s)(%s)", type, cg_builtin_affine(g, builtin, component));
    if (cg_is(i, CG_CHAIN)) return scalar_chain(g);
    const char *arg[2] = {first(g, i->operand[0]), i->count == 2 ? first(g, i->operand[1]) : NULL};
    if (i->op == SP_OP_ShiftLeftLogical && sp_constant(g->m, i->operand[1], &c))
        return cg_str(g, "(%s)(%s << %u)", type, arg[0], (unsigned)c);
    const char *e = cg_uniform_text(g, i, arg);
    return e ? e : cg_str(g, "(%s)%s", type, arg[0]);
}

/* Writes the condition for an affine result: checked operands are affine, and widened ones have not wrapped. */
static void write_check(struct cg *g)
{
    const struct sp_inst *i = g->w->inst;
    cg_put(g, "    %s = 1", cg_var(g, "ok", i->id));
    CG_EACH_VALUE (k, i)
        if (cg_affine(g, i->operand[k])->is && cg_affine(g, i->operand[k])->checked)
            cg_put(g, " && %s", cg_var(g, "ok", i->operand[k]));
    write_tests(g, i);
    cg_put(g, ";\n");
}

void cg_write_affine(struct cg *g)
{
    if (g->w->inst->op == SP_OP_Phi) return;
    cg_put(g, "    %s = %s;\n", cg_var(g, "v", g->w->inst->id), scalar_text(g));
    if (!cg_affine(g, g->w->inst->id)->checked) return;
    write_check(g);
    cg_put(g, "    if (__builtin_expect(!%s, 0)) {\n", cg_var(g, "ok", g->w->inst->id));
    g->w->lanes_apart = true;
    if (!cg_write_simple(g)) cg_write_memory(g);
    g->w->lanes_apart = false;
    cg_put(g, "    }\n");
}
