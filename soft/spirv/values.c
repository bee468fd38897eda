/* values.c - values of constants. */
#include "reader.h"

bool sp_is_zero_op(const struct sp_inst *i) { return i->op == SP_OP_ConstantNull || i->op == SP_OP_Undef; }

bool sp_is_constant(const struct sp_module *m, uint32_t id)
{
    return id < m->bound && m->ids[id].what == SP_IS_CONSTANT;
}

bool sp_is_sampler(const struct sp_module *m, uint32_t id)
{
    return sp_is_constant(m, id) && m->ids[id].def->op == SP_OP_ConstantSampler;
}

/* Gets the components of a scalar or vector constant; returns their number, 0 if it is not one. */
uint32_t sp_components(const struct sp_module *m, uint32_t id, uint64_t *to)
{
    const struct sp_type *t = sp_value_type(m, id);
    uint32_t n, k;
    if (!t || !sp_is_constant(m, id) || m->ids[id].is_address) return 0;
    if (t->kind != SP_BOOL && t->kind != SP_INT && t->kind != SP_FLOAT && t->kind != SP_VECTOR && t->kind != SP_POINTER)
        return 0;
    n = t->kind == SP_VECTOR ? t->count : 1;
    if (!m->ids[id].bits && !sp_is_zero_op(m->ids[id].def)) return 0;
    for (k = 0; k < n; k++) to[k] = m->ids[id].bits ? m->ids[id].bits[k] : 0;
    return n;
}

bool sp_constant(const struct sp_module *m, uint32_t id, uint64_t *bits)
{
    uint64_t all[SP_MAX_COMPONENTS];
    if (sp_components(m, id, all) != 1) return false;
    *bits = all[0];
    return true;
}
