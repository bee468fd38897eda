/* ir/tiles.c - what passes have found out about tiles. */
#include "../internal.h"

XE_FN_ xt_plan_tile_ *xt_plan_tile_at_(xt_ctx *x, int i) { return (xt_plan_tile_ *)x->tiles.items + i; }

XE_FN_ int xt_tile_root_(xt_ctx *x, int i)
{
    while (xt_plan_tile_at_(x, i)->parent != i) i = xt_plan_tile_at_(x, i)->parent;
    return i;
}

/* Why 2D block messages cannot access a tile; NULL if they can under the condition. */
XE_FN_ const char *xt_why_not_block2d_(xt_ctx *x, const xt_tile *t)
{
    return xt_plan_tile_at_(x, xt_tile_root_(x, t->number))->why_not;
}

/* Does this version access the tile by 2D block messages? */
XE_FN_ bool xt_by_block2d_(xt_ctx *x, const xt_tile *t) { return x->block2d && !xt_why_not_block2d_(x, t); }

/* The tile an operation accesses, if 2D block messages could do it; else NULL. */
XE_FN_ const xt_tile *xt_accessed_(xt_ctx *x, const xt_node_ *n)
{
    bool accesses = n->op == XT_OP_LOAD_TILE_ || n->op == XT_OP_STORE_TILE_ || n->op == XT_OP_PREFETCH_TILE_;
    return accesses ? xt_tile_(x, n->operand[XT_ACCESS_TILE_]) : NULL;
}

/* The tile of a matrix that a node makes; NULL: none. */
XE_FN_ const xt_tile *xt_made_by_(xt_ctx *x, const xt_node_ *n)
{
    bool makes = n->op == XT_OP_INIT_TILE_ && n->operand[XT_INIT_MATRIX_];
    return makes ? xt_tile_(x, n->result) : NULL;
}

/* What the user gave an XT_INIT_TILE for dimension i; NULL: no strides. */
XE_FN_ const xt_val *xt_given_(xt_ctx *x, const xt_node_ *init, xt_given_list_ list, int i)
{
    int at = XT_INIT_GIVEN_ + (int)list * init->type + i;
    return at < init->operands ? xt_number_(x, init->operand[at]) : NULL;
}

/* The padding as a number of the type. */
XE_FN_ xt_val xt_padding_(int type, double padding)
{
    if (xt_is_float_(type)) return spe_val_real(padding);
    int64_t whole;
    spe_real_to_int(padding, &whole);
    return spe_val_int(whole);
}
