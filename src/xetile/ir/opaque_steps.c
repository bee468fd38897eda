/* ir/opaque_steps.c - what the matrices of Vulkan's devices can compute. */
#include "../internal.h"

/* Does a side of a piece consist of whole matrices of this size, in blocks as coopmatrix.h has them? */
static bool xt_side_fits_(const xt_ctx *x, int columns, int size)
{
    return columns % size == 0 && (columns % x->S == 0 || columns == x->S / 2);
}

/* Do the device's matrices compute a product? */
XE_FN_ bool xt_is_opaque_product_(xt_ctx *x, const xt_node_ *n)
{
    const xt_mma_desc_ *d = n->mma;
    if (n->op != XT_OP_TILE_MMA_ || !x->opaque_words || n->divergence > 1 || d->left.type != d->right.type)
        return false;
    const cm_coop_shape *s = cm_coop_shape_of(&x->target, d->left.type, xt_value_at_(x, n->result)->now.vec.type);
    return s && d->left.dist.data[0] % s->m == 0 && xt_side_fits_(x, d->left.dist.data[1], s->k) &&
           xt_side_fits_(x, d->right.dist.data[1], s->n);
}

/* Is it a sum, or a number in each element, which is made as one? */
static bool xt_may_be_opaque_(xt_ctx *x, const xt_vec *v)
{
    const xt_value_ *value = xt_value_at_(x, v->id);
    return xt_value_is_opaque_(x, v->id) || xt_node_at_(x, value->node)->op == XT_OP_SPLAT_;
}

/* Is it an instruction on whole matrices? */
XE_FN_ bool xt_is_opaque_instruction_(const xt_node_ *n)
{
    bool real = xt_is_float_((int)n->vectors->v[0].type);
    if (n->op == XT_OP_CAST_VECTOR_) return true;
    return n->op == XT_OP_BINARY_VECTOR_ && (n->kind == SPE_ARITH_ADD || n->kind == SPE_ARITH_SUB ||
                                             n->kind == SPE_ARITH_MUL || (n->kind == SPE_ARITH_DIV && real));
}

/* Can this element-wise operation be one on matrices, or on their components? */
static bool xt_can_be_opaque_(const xt_node_ *n)
{
    const xt_vectors_ *d = n->vectors;
    int from = (int)d->v[0].type;
    switch (n->op) {
    case XT_OP_BINARY_VECTOR_:
        return xt_is_opaque_instruction_(n) ||
               (from == CM_F32 && (n->kind == SPE_ARITH_MIN || n->kind == SPE_ARITH_MAX));
    case XT_OP_CAST_VECTOR_:
        return (from == CM_F16 || from == CM_F32) && (d->type == CM_F16 || d->type == CM_F32);
    case XT_OP_MATH_VECTOR_: return d->type == CM_F32;
    case XT_OP_SELECT_VECTOR_: return d->v[1].type == CM_F32;
    default: return false;
    }
}

/* Can an element-wise operation be one on the device's matrices? Its operands may be opaque; a condition comes from
 * lanes. */
XE_FN_ bool xt_is_opaque_each_(xt_ctx *x, const xt_node_ *n)
{
    const xt_vectors_ *d = n->vectors;
    bool some = false;
    if (!xt_does_(n->op, XT_EACH_) || !xt_can_be_opaque_(n)) return false;
    for (int i = n->op == XT_OP_SELECT_VECTOR_; i < xt_operand_count_(d); i++) {
        if (!xt_may_be_opaque_(x, &d->v[i])) return false;
        some = some || xt_value_is_opaque_(x, d->v[i].id);
    }
    return some;
}

/* Has each subgroup one column? Each column of its matrices is that one. */
XE_FN_ bool xt_is_opaque_column_(const xt_vec *v) { return v->dist.data[1] == 1 && v->dist.rounds[1] == 1; }

/* Are the rows of matrices reduced to a column? */
XE_FN_ bool xt_is_opaque_reduce_(xt_ctx *x, const xt_node_ *n)
{
    const xt_move_ *d = n->move;
    if (n->op != XT_OP_REDUCE_ || d->dim != 1 || d->size < 2 || d->size != d->v.dist.data[1]) return false;
    return d->v.type == CM_F32 && d->v.dist.rounds[1] == 1 && xt_value_is_opaque_(x, d->v.id);
}

/* Is a column of matrices repeated, so that these are the result? */
XE_FN_ bool xt_is_opaque_broadcast_(xt_ctx *x, const xt_node_ *n)
{
    const xt_move_ *d = n->move;
    if (n->op != XT_OP_BROADCAST_ || !d->origin || d->from.divisor[1] < 2 || d->v.type != CM_F32) return false;
    const xt_dist *r = &xt_value_at_(x, n->result)->now.vec.dist;
    const cm_coop_shape *s = cm_coop_shape_of(&x->target, CM_F16, CM_F32);
    return s && xt_is_opaque_column_(&d->v) && r->data[0] == d->v.dist.data[0] &&
           r->rounds[0] == d->v.dist.rounds[0] && xt_side_fits_(x, r->data[1], s->n) &&
           xt_value_is_opaque_(x, d->v.id);
}
