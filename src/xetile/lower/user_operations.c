/* lower/user_operations.c - writes users' own operations. */
#include "../internal.h"

XE_FN_ void xt_write_emit_(xt_ctx *x, const xt_node_ *n)
{
    const xt_emitted_ *d = n->emitted;
    spe_id ids[8];
    for (int i = 0; i < d->numbers.count; i++)
        ids[i] = xt_now_id_(x, &d->numbers.at[i], xt_carried_type_(&d->numbers.at[i]));
    xt_define_(x, n->result, xt_scalar_(d->type, d->fn(&x->cm, ids, d->user), 1));
}
