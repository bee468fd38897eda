/* passes/vector_layouts.c - a pass that chooses each vector's layout, to avoid rearranging between operations. */
#include "../internal.h"

/* Puts two vectors in one class: they must have the same layout. */
static void xt_same_layout_(xt_ctx *x, uint32_t a, uint32_t b)
{
    a = xt_class_(x, a);
    b = xt_class_(x, b);
    if (a == b) return;
    xt_value_ *p = xt_value_at_(x, a);
    xt_value_ *q = xt_value_at_(x, b);
    q->parent = a;
    p->shares_layout = q->shares_layout = true;
    for (int i = 0; i < 3; i++) p->need[i] = p->need[i] || q->need[i];
}

static void xt_need_layout_(xt_ctx *x, uint32_t id, cm_use use) { xt_value_at_(x, xt_class_(x, id))->need[use] = true; }

static void xt_product_layouts_(xt_ctx *x, const xt_node_ *n)
{
    if (x->vulkan && x->vulkan->is_product(x, n)) return;
    xt_need_layout_(x, n->operand[XT_MMA_LEFT_], CM_B);
    xt_need_layout_(x, n->operand[XT_MMA_RIGHT_], CM_A);
    xt_need_layout_(x, n->result, CM_ACC);
    if (n->operand[XT_MMA_SUM_]) xt_same_layout_(x, n->result, n->operand[XT_MMA_SUM_]);
    for (int i = XT_MMA_SCALE_A_; i < n->operands; i++) xt_need_layout_(x, n->operand[i], CM_ACC);
}

XE_FN_ void xt_find_layouts_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (xt_is_mma_(n->op)) xt_product_layouts_(x, n);
        if (n->op == XT_OP_END_) xt_join_carried_(x, n->frame, xt_same_layout_);
        if (xt_does_(n->op, XT_RENAMES_)) xt_same_layout_(x, n->operand[XT_MOVE_PART_], n->result);
        if (n->op == XT_OP_SPLAT_ && n->operands > 1) xt_same_layout_(x, n->operand[1], n->result);
        if (n->op == XT_OP_MATH_VECTOR_ || (n->op == XT_OP_BINARY_VECTOR_ && !xt_is_compare_(n->kind)))
            for (int j = 0; j < n->operands; j++) xt_same_layout_(x, n->operand[j], n->result);
    }
}
