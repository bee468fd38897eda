/* legalise.c - integers of widths other than 8, 16, 32 and 64 bits.
 *
 * A value of N bits is held in the next wider type with the upper bits zero: every result is truncated to its width
 * (cg_set_leaf), and operations that depend on the sign take sign-extended operands (cg_leaf_use). In memory it takes
 * as many bytes as its bits need, aligned like the wider type; it is loaded and stored in parts of 1, 2 and 4 bytes.
 * Instructions without the property CG_NARROW are refused with such operands.
 */
#include "codegen.h"

#include <string.h>

/* The same for OpenCL.std. */
static const struct {
    const char *name;
    bool extends;
} extended[] = {{"u_min", false}, {"u_max", false}, {"s_min", true}, {"s_max", true}};

static uint32_t narrow_type(struct cg *g, uint32_t type)
{
    const struct sp_type *t = type ? sp_type(g->m, type) : NULL;
    return t && t->kind == SP_INT && t->bits != 8 * t->size ? t->bits : 0;
}

/* The width of operands or result if it is not 8, 16, 32 or 64; else 0. */
static uint32_t narrow_width(struct cg *g)
{
    uint32_t bits = g->w->inst->id ? narrow_type(g, g->w->inst->type) : 0;
    for (uint32_t k = 0; k < g->w->inst->count && !bits; k++)
        if (cg_is_value_operand(g->w->inst, k)) bits = narrow_type(g, g->m->ids[g->w->inst->operand[k]].type);
    return bits;
}

bool cg_legalise(struct cg *g)
{
    uint32_t bits = g->m->has_narrow ? narrow_width(g) : 0;
    g->w->extends = false;
    if (!bits) return true;
    if (cg_is(g->w->inst, CG_NARROW) && !sp_decorated(g->m, g->w->inst->id, SP_DECORATION_SaturatedConversion)) {
        g->w->extends = cg_is(g->w->inst, CG_SIGNED);
        return true;
    }
    for (size_t i = 0; g->w->inst->op == SP_OP_ExtInst && i < sizeof extended / sizeof *extended; i++) {
        const char *name = sp_ext_name(cg_operand(g, 1));
        if (cg_operand(g, 0) != g->m->opencl_std || !name || strcmp(name, extended[i].name) != 0) continue;
        g->w->extends = extended[i].extends;
        return true;
    }
    cg_fail(g, "not supported for integers of %u bits", bits);
    return false;
}

const char *cg_cut(struct cg *g, const struct cg_leaf *leaf, bool varying, const char *e)
{
    if (!leaf->narrow) return e;
    const char *mask = cg_literal(g, leaf->kind, ((uint64_t)1 << leaf->narrow) - 1);
    return varying ? cg_str(g, "(%s) & %s", e, cg_splat(g, leaf->kind, mask))
                   : cg_str(g, "(%s)((%s) & %s)", cg_kind_type(g, leaf->kind, false), e, mask);
}

const char *cg_extend(struct cg *g, const struct cg_leaf *leaf, bool varying, const char *e)
{
    uint32_t up = 8 * cg_kind_bytes(leaf->kind) - leaf->narrow;
    const char *type = cg_kind_type(g, leaf->kind, varying), *sign = cg_kind_signed(g, leaf->kind, varying);
    if (!leaf->narrow || !g->w->extends) return e;
    return cg_str(g, "((%s)((%s)(%s)((%s) << %u) >> %u))", type, sign, type, e, up, up);
}
