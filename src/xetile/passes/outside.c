/* passes/outside.c - operands of the device's matrices of which elements outside of the base need not be zero. Such a
 * row of the left operand makes a row of the result; where only element-wise operations and stores to tiles that end
 * in the same row follow, nobody sees it. Of the right operand, the same holds for columns. */
#include "../internal.h"

/* How a tile was made, if it is that one still, but for what this loop (NULL: none) adds to it in each iteration. */
static const xt_node_ *xt_made_as_(xt_ctx *x, const xt_tile *t, const xt_frame_ *loop)
{
    const xt_tile *first = t;
    if (t->scatter) return NULL;
    for (int i = 0; loop && i < loop->slots; i++) {
        const xt_tile *body = xt_tile_(x, loop->slot[i].body);
        if (body->magic == XT_TILE_MAGIC_ && body->number == t->number && xt_same_offsets_(body, t))
            first = xt_tile_(x, loop->slot[i].start);
    }
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        const xt_tile *made = xt_made_by_(x, n);
        if (made && made->number == t->number) return xt_same_offsets_(first, made) ? n : NULL;
    }
    return NULL;
}

/* Are the offsets and extents of two tiles the same in this of their dimensions? */
static bool xt_same_dimension_(xt_ctx *x, const xt_node_ *a, int i, const xt_node_ *b, int j)
{
    const xt_val *p = xt_given_(x, a, XT_GIVEN_OFFSET_, i), *q = xt_given_(x, b, XT_GIVEN_OFFSET_, j);
    const xt_val *m = xt_given_(x, a, XT_GIVEN_SHAPE_, i), *n = xt_given_(x, b, XT_GIVEN_SHAPE_, j);
    return xt_same_scalar_(p, q) && xt_same_scalar_(m, n);
}

/* Is the row (dim 0) or column (dim 1) of a result outside of its tile's base if that of the operand is? */
static bool xt_ends_with_(xt_ctx *x, const xt_node_ *operand, const xt_node_ *result, int dim)
{
    if (!operand || !result || xt_tile_(x, result->result)->inside) return false;
    int n = operand->type, m = result->type;
    if (n > 2 && n != m) return false;
    for (int i = 0; i < n - 2; i++)
        if (!xt_same_dimension_(x, operand, i, result, i)) return false;
    return xt_same_dimension_(x, operand, n - 2 + dim, result, m - 2 + dim);
}

XE_FN_ xt_value_ *xt_root_of_(xt_ctx *x, uint32_t id) { return xt_value_at_(x, xt_tied_(x, id)); }

static bool xt_is_reached_(xt_ctx *x, uint32_t id) { return xt_root_of_(x, id)->reached; }

static bool xt_is_each_(xt_ctx *x, const xt_node_ *n) { return (void)x, xt_does_(n->op, XT_EACH_); }

/* From what is reached, goes on to what these nodes compute from it: element-wise operations, and ones on whole
 * vectors. */
XE_FN_ void xt_reach_through_(xt_ctx *x, bool (*through)(xt_ctx *x, const xt_node_ *n))
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < x->nodes.count; i++) {
            const xt_node_ *n = xt_node_at_(x, i);
            if (!through(x, n) || xt_is_reached_(x, n->result)) continue;
            int count = xt_does_(n->op, XT_EACH_) ? n->operands : 1;
            bool reached = false;
            for (int j = 0; j < count; j++) reached = reached || xt_is_reached_(x, n->operand[j]);
            xt_root_of_(x, n->result)->reached = reached;
            more = more || reached;
        }
    }
}

/* Finds what is computed element by element from products with this vector as the left (dim 0) or right operand. False
 * if it is the other one somewhere. */
static bool xt_reach_from_operand_(xt_ctx *x, uint32_t id, int dim)
{
    for (int i = 1; i < x->values.count; i++) xt_value_at_(x, (uint32_t)i)->reached = false;
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (!xt_is_opaque_product_(x, n)) continue;
        if (n->operand[dim ? XT_MMA_LEFT_ : XT_MMA_RIGHT_] == id) return false;
        if (n->operand[dim ? XT_MMA_RIGHT_ : XT_MMA_LEFT_] == id) xt_root_of_(x, n->result)->reached = true;
    }
    xt_reach_through_(x, xt_is_each_);
    return true;
}

/* Does a node compute with rows (or columns) each for itself, and store none that is outside of the operand's base? */
static bool xt_keeps_lines_separate_(xt_ctx *x, const xt_node_ *n, const xt_node_ *operand, int dim)
{
    if (xt_does_(n->op, XT_EACH_)) return true;
    if (xt_does_(n->op, XT_COMPUTES_)) return !xt_is_reached_(x, n->operand[XT_MOVE_VEC_]);
    switch (n->op) {
    case XT_OP_TILE_MMA_:
        return !xt_is_reached_(x, n->operand[XT_MMA_LEFT_]) && !xt_is_reached_(x, n->operand[XT_MMA_RIGHT_]);
    case XT_OP_STORE_TILE_:
        return !xt_is_reached_(x, n->operand[XT_ACCESS_VEC_]) ||
               xt_ends_with_(x, operand, xt_made_as_(x, xt_accessed_(x, n), NULL), dim);
    case XT_OP_INIT_TILE_: return xt_made_by_(x, n) != NULL;
    case XT_OP_LOAD_TILE_:
    case XT_OP_PREFETCH_TILE_:
    case XT_OP_SPLAT_:
    case XT_OP_TABLE_:
    case XT_OP_IOTA_: return true;
    default: return xt_does_(n->op, XT_DIVERGES_ | XT_WAITS_); /* without vectors */
    }
}

/* Need elements of a loaded operand be zero that are outside along the dimension in which its loop does not move it? */
XE_FN_ bool xt_outside_matters_(xt_ctx *x, uint32_t id, const xt_tile *from, const xt_frame_ *loop)
{
    int dim = xt_advances_(x, from, loop, 0, (int)xt_number_(x, loop->step)->integer) ? 1 : 0;
    const xt_node_ *made = xt_made_as_(x, from, loop);
    if (!made || !xt_reach_from_operand_(x, id, dim)) return true;
    for (int i = 0; i < x->nodes.count; i++)
        if (!xt_keeps_lines_separate_(x, xt_node_at_(x, i), made, dim)) return true;
    return false;
}
