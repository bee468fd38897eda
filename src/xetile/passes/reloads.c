/* passes/reloads.c - a pass that finds transposes of what can be loaded again. */
#include "../internal.h"

/* A pass: a loaded vector whose transpose is held by other subgroups is loaded again, transposed, instead of going
 * through local memory. Not on devices without 2D block messages, where many more loads are open at once then. A load
 * that is only transposed is left to the transpose. */
XE_FN_ void xt_find_reloads_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        xt_move_ *d = n->move;
        if (n->op != XT_OP_TRANSPOSE_ || !xt_loaded_(x, n->operand[XT_MOVE_VEC_], i)) continue;
        const xt_vec *v = xt_vector_(x, n->operand[XT_MOVE_VEC_]);
        const int *data = v->dist.data;
        int bytes = xt_bytes_(v->type);
        d->reloaded = x->target.block2d_sizes && !d->origin && data[0] * bytes % 4 == 0 && data[1] * bytes % 4 == 0;
        xt_value_at_(x, v->id)->deferred = xt_is_used_once_(x, v->id);
    }
}
