/* lower/element.c - writes single numbers. */
#include "../internal.h"

/* Of operands 0, the base, and 1. */
static spe_id xt_element_pointer_(xt_ctx *x, const xt_node_ *n)
{
    spe_id base = xt_now_(x, xt_number_(x, n->operand[0])).id;
    return spe_index(&x->m, base, xt_now_id_(x, xt_number_(x, n->operand[1]), CM_I32));
}

XE_FN_ void xt_write_load_(xt_ctx *x, const xt_node_ *n)
{
    cm_type type = (cm_type)xt_number_(x, n->operand[0])->type;
    spe_id v = spe_load(&x->m, xt_element_pointer_(x, n), (uint32_t)xt_bytes_(type));
    xt_define_(x, n->result, xt_scalar_(n->type, cm_to_arith(&x->cm, type, v), 1));
}

XE_FN_ void xt_write_store_(xt_ctx *x, const xt_node_ *n)
{
    cm_type type = (cm_type)xt_number_(x, n->operand[0])->type;
    spe_id id = cm_from_arith(&x->cm, type, xt_now_id_(x, xt_number_(x, n->operand[2]), n->type));
    spe_store(&x->m, xt_element_pointer_(x, n), id, (uint32_t)xt_bytes_(type));
}

XE_FN_ void xt_write_element_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ v = xt_now_vec_(x, n->operand[0]);
    int type = xt_number_type_((int)v.type);
    xt_field_ f;
    if (!v.blocks || !xt_field_of_(x, &f, &v, (int)xt_storage_type_((cm_type)type))) return;
    spe_id one = spe_sg_broadcast(&x->m, f.comp[f.where[0] / CM_LANES], spe_i32(&x->m, f.where[0] % CM_LANES));
    if (type == XT_BOOL_) one = spe_ine(&x->m, one, spe_null(&x->m, spe_type_of(&x->m, one)));
    xt_define_(x, n->result, xt_scalar_(type, one, 1));
}
