/* passes/defer.c - a pass that defers element-wise operations to the store of their result. */
#include "../internal.h"

/* Defers a vector until the store at a node, if only straight-line code is in between. */
static void xt_defer_(xt_ctx *x, uint32_t id, int store)
{
    xt_value_ *value = xt_value_at_(x, id);
    const xt_node_ *n = xt_node_at_(x, value->node);
    if (value->deferred || !xt_does_(n->op, XT_EACH_) || xt_layout_(x, id) != CM_ACC) return;
    for (int i = value->node; i < store; i++)
        if (xt_does_(xt_node_at_(x, i)->op, XT_BOUNDS_)) return;
    for (int i = 0; i < n->operands; i++)
        if (xt_layout_(x, n->operand[i]) != CM_ACC) return;
    value->deferred = true;
    for (int i = 0; i < n->operands; i++) xt_defer_(x, n->operand[i], store);
}

/* A pass: vectors stored by 2D block messages are computed strip by strip at the store, along with their element-wise
 * operands, so that registers need not hold all intermediate results. */
XE_ONCE_
XE_FN_ void xt_find_deferred_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count && spe_ok(&x->m); i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (n->op == XT_OP_STORE_TILE_ && !xt_why_not_block2d_(x, xt_accessed_(x, n)))
            xt_defer_(x, n->operand[XT_ACCESS_VEC_], i);
    }
}
