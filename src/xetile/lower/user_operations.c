/* lower/user_operations.c - writes users' own operations. */
#include "../internal.h"

XE_FN_ void xt_write_emit_(xt_ctx *x, const xt_node_ *n)
{
    spe_id ids[8];
    for (int i = 0; i < n->operands; i++) {
        const xt_val *v = xt_number_(x, n->operand[i]);
        ids[i] = xt_now_id_(x, v, xt_carried_type_(v));
    }
    xt_define_(x, n->result, xt_scalar_(n->type, n->users->number(&x->cm, ids, n->users->user), 1));
}
