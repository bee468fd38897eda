/* passes/bands.c - a pass: an array in local memory that only tiles access is stored in bands as wide as a subgroup,
 * each with all rows, so that whole parts of operands are contiguous and one message moves them. */
#include "../internal.h"

/* The tile whose elements a node accesses by their addresses; else NULL. */
XE_ONCE_
static const xt_tile *xt_addressed_(xt_ctx *x, int i)
{
    const xt_node_ *n = xt_node_at_(x, i);
    if (n->op == XT_OP_TRANSPOSE_) return xt_loaded_(x, n->operand[XT_MOVE_VEC_], i);
    const xt_tile *t = n->op == XT_OP_ATOMIC_RMW_ ? xt_tile_(x, n->operand[XT_ACCESS_TILE_]) : NULL;
    return t && !t->scatter ? t : NULL;
}

/* Does a tile consist of bands? Elements outside are not tested, and its class has no other member. */
static bool xt_has_bands_(xt_ctx *x, const xt_plan_tile_ *p)
{
    const xt_tile *t = xt_tile_(x, p->of->result);
    int bytes = xt_bytes_(t->type);
    return t->inside && t->step == 1 && !t->column_major && (bytes == 2 || bytes == 4) && p->of->type == 2 &&
           !p->shared_addresses && t->shape[0].kind == SPE_INT && t->pitch.kind == SPE_INT &&
           t->pitch.integer % x->S == 0 && t->pitch.integer > x->S && t->dist.data[1] % x->S == 0 &&
           p->align[1] % x->S == 0;
}

/* Bands, if tiles of one form are all that uses the array. */
static void xt_find_band_(xt_ctx *x, const xt_node_ *array)
{
    const xt_use_ *last = xt_last_use_(x, array->result), *u;
    const xt_tile *first = NULL;
    for (u = last; u; u = xt_use_before_(x, u)) {
        const xt_tile *t = xt_made_by_(x, xt_node_at_(x, u->node));
        if (!first) first = t;
        if (!t || !xt_has_bands_(x, xt_plan_tile_at_(x, t->number)) ||
            t->shape[0].integer != first->shape[0].integer || t->pitch.integer != first->pitch.integer)
            return;
    }
    if (!first || first->shape[0].integer * first->pitch.integer > array->local->elements) return;
    for (u = last; u; u = xt_use_before_(x, u)) {
        const xt_tile *t = xt_made_by_(x, xt_node_at_(x, u->node));
        xt_plan_tile_at_(x, t->number)->band = (int)first->shape[0].integer * x->S;
    }
}

XE_FN_ void xt_find_bands_(xt_ctx *x)
{
    if (x->cm.lowering != CM_INTEL) return;
    if (!(x->target.block2d_sizes & (uint32_t)x->S)) return; /* there, operands do not have whole rows of lanes */
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_tile *t = xt_addressed_(x, i);
        if (t) xt_plan_tile_at_(x, t->number)->shared_addresses = true;
    }
    for (int i = 0; i < x->nodes.count; i++)
        if (xt_node_at_(x, i)->op == XT_OP_LOCAL_) xt_find_band_(x, xt_node_at_(x, i));
}
