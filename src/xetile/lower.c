/* lower.c - writes a recorded body, node by node. */
#include "internal.h"

/* Writes a node by the function that the table of operations names. */
XE_LATE_ void xt_write_node_(xt_ctx *x, const xt_node_ *n)
{
#define XT_OPERATION_WRITE_(name, function, ...) xt_write_##function##_,
    static void (*const all[])(xt_ctx *x, const xt_node_ *n) = {XT_OPERATIONS_(XT_OPERATION_WRITE_)};
    all[n->op](x, n);
}

/* Writes the body, in one version. */
XE_LATE_ void xt_write_nodes_(xt_ctx *x)
{
    for (x->at = 0; x->at < x->nodes.count && spe_ok(&x->m); x->at++) {
        const xt_node_ *n = xt_node_at_(x, x->at);
        spe_at(&x->m, n->file, n->line);
        xt_write_node_(x, n);
    }
}
