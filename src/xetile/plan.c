/* plan.c - the plan: layouts of vectors, 2D block messages of tiles. */
#include "internal.h"

static int xt_vec_root_(xt_ctx *x, int node)
{
    while (xt_plan_vec_at_(x, node)->parent != node) node = xt_plan_vec_at_(x, node)->parent;
    return node;
}

/* Vectors of one class are kept in one layout, so that nothing need be rearranged between them. */
XE_FN_ void xt_same_layout_(xt_ctx *x, int a, int b)
{
    xt_plan_vec_ *p, *q;
    int i;
    if (!x->planning || !spe_ok(&x->m)) return;
    a = xt_vec_root_(x, a);
    b = xt_vec_root_(x, b);
    if (a == b) return;
    p = xt_plan_vec_at_(x, a);
    q = xt_plan_vec_at_(x, b);
    q->parent = a;
    for (i = 0; i < 3; i++) p->need[i] = p->need[i] || q->need[i];
}

XE_FN_ void xt_need_layout_(xt_ctx *x, const xt_vec *v, cm_use use)
{
    if (x->planning && spe_ok(&x->m)) xt_plan_vec_at_(x, xt_vec_root_(x, v->node))->need[use] = true;
}

/* What an accumulator touches stays one; else a product's operand decides, the packed one first: it costs most. */
XE_FN_ cm_use xt_layout_(xt_ctx *x, int node)
{
    const bool *need = xt_plan_vec_at_(x, xt_vec_root_(x, node))->need;
    return need[CM_ACC] ? CM_ACC : need[CM_A] ? CM_A : need[CM_B] ? CM_B : CM_ACC;
}

XE_FN_ int xt_tile_root_(xt_ctx *x, int node)
{
    while (xt_plan_tile_at_(x, node)->parent != node) node = xt_plan_tile_at_(x, node)->parent;
    return node;
}

/* Does this version access the tile by 2D block messages? */
XE_FN_ bool xt_by_block2d_(xt_ctx *x, const xt_tile *t)
{
    return x->block2d && xt_plan_tile_at_(x, xt_tile_root_(x, t->node))->possible;
}

/* Writes an expression of the plan, in the prologue. Constants have the type of what they meet. */
XE_FN_ spe_id xt_emit_expr_(xt_ctx *x, int number, int type)
{
    xt_expr_ *e = xt_expr_at_(x, number);
    xt_val constant = spe_val_int((long long)e->value);
    spe_id id;
    if (e->kind == XT_EXPR_CONST_) return xt_constant_(x, type, &constant);
    if (e->id) return e->id;
    if (e->kind == XT_EXPR_PARAM_)
        id = x->args[e->op].id;
    else if (e->kind == XT_EXPR_BUILTIN_)
        id = spe_builtin(&x->m, (spe_builtin_name)e->op, (uint32_t)e->a);
    else if (e->kind == XT_EXPR_CAST_)
        id = spe_cast(&x->m, xt_spe_type_(x, e->type), xt_emit_expr_(x, e->a, e->type), e->op != 0);
    else {
        id = xt_emit_expr_(x, e->a, e->type);
        id = xt_emit_arith_(&x->m, e->op, e->type, id, xt_emit_expr_(x, e->b, e->type));
    }
    xt_expr_at_(x, number)->id = id;
    return id;
}

/* An address as a pointer to elements of a type. */
XE_FN_ spe_id xt_emit_pointer_(xt_ctx *x, int type, spe_id address)
{
    return spe_u_to_ptr(&x->m, spe_ptr(&x->m, SPE_StorageClassCrossWorkgroup, xt_spe_type_(x, type)), address);
}

/* The base of a tile's matrix as a pointer, in the prologue. */
XE_FN_ spe_id xt_emit_base_(xt_ctx *x, const xt_plan_tile_ *p)
{
    const xt_expr_ *base = xt_expr_at_(x, p->base);
    spe_id id = xt_emit_expr_(x, p->base, base->type);
    bool pointer = base->kind == XT_EXPR_PARAM_ && x->params[base->op].pointer;
    return pointer ? id : xt_emit_pointer_(x, p->type, id);
}
