/* passes/scratch.c - a pass that places the memory for moves between subgroups. */
#include "../internal.h"

/* Gives the remaining local memory to these operations, as far as they can use it. */
XE_FN_ bool xt_find_scratch_(xt_ctx *x)
{
    int64_t left = (x->target.local_memory - (x->local_bytes + 63) / 64 * 64) / 8 * 8; /* negative: reported before */
    size_t wanted = 0, least = 0;
    spe_line at = {NULL, 0};
    xt_where_ w = {x, &at};
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        const xt_move_ *d = n->move;
        if (!xt_does_(n->op, XT_MOVES_) || d->origin || d->reloaded) continue;
        const xt_vec *v = xt_vector_(x, n->operand[XT_MOVE_VEC_]);
        xt_scratch_ s = xt_scratch_init_(v->type, &v->dist, &d->from);
        size_t row = (size_t)s.pitch * (size_t)s.bytes, all = row * (size_t)s.height;
        if (d->from.in_order) row = all;
        if (all > wanted) wanted = all;
        if (row <= least) continue;
        least = row;
        at.file = n->file;
        at.line = n->line;
    }
    if (left < 0) left = 0;
    if (xt_operand_shape_(x, CM_F16) && left / 2 >= (int64_t)least) left = left / 16 * 8; /* products need some, too */
    if (left < (int64_t)least)
        return xt_fail_(w, XT_ERROR_LOCAL_MEMORY,
                        "a row of %lld bytes goes through local memory; %lld of %s's %d are left", (long long)least,
                        (long long)left, x->target.name, x->target.local_memory);
    x->scratch_bytes = (wanted + 7) / 8 * 8;
    if ((int64_t)x->scratch_bytes > left) x->scratch_bytes = (size_t)left;
    return true;
}
