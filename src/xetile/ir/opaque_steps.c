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
    if (n->op != XT_OP_TILE_MMA_ || !x->opaque_words || n->divergence > 1) return false;
    const xt_vec *left = xt_vector_(x, n->operand[XT_MMA_LEFT_]), *right = xt_vector_(x, n->operand[XT_MMA_RIGHT_]);
    if (left->type != right->type) return false;
    const cm_coop_shape *s = cm_coop_shape_of(&x->target, left->type, xt_vector_(x, n->result)->type);
    return s && left->dist.data[0] % s->m == 0 && xt_side_fits_(x, left->dist.data[1], s->k) &&
           xt_side_fits_(x, right->dist.data[1], s->n);
}

/* Is it a sum, or a number in each element, which is made as one? */
static bool xt_may_be_opaque_(xt_ctx *x, uint32_t id)
{
    return xt_value_is_opaque_(x, id) || xt_node_at_(x, xt_value_at_(x, id)->node)->op == XT_OP_SPLAT_;
}

/* Is it an instruction on whole matrices? */
XE_FN_ bool xt_is_opaque_instruction_(xt_ctx *x, const xt_node_ *n)
{
    bool real = xt_is_float_((int)xt_vector_(x, n->operand[0])->type);
    if (n->op == XT_OP_CAST_VECTOR_) return true;
    return n->op == XT_OP_BINARY_VECTOR_ && (n->kind == SPE_ARITH_ADD || n->kind == SPE_ARITH_SUB ||
                                             n->kind == SPE_ARITH_MUL || (n->kind == SPE_ARITH_DIV && real));
}

/* Can this element-wise operation be one on matrices, or on their components? */
static bool xt_can_be_opaque_(xt_ctx *x, const xt_node_ *n)
{
    int from = (int)xt_vector_(x, n->operand[0])->type;
    switch (n->op) {
    case XT_OP_BINARY_VECTOR_:
        return xt_is_opaque_instruction_(x, n) ||
               (from == CM_F32 && (n->kind == SPE_ARITH_MIN || n->kind == SPE_ARITH_MAX));
    case XT_OP_CAST_VECTOR_:
        return (from == CM_F16 || from == CM_F32) && (n->type == CM_F16 || n->type == CM_F32);
    case XT_OP_MATH_VECTOR_: return n->type == CM_F32;
    case XT_OP_SELECT_VECTOR_: return xt_vector_(x, n->operand[1])->type == CM_F32;
    default: return false;
    }
}

/* Can an element-wise operation be one on the device's matrices? Its operands may be opaque; a condition comes from
 * lanes. */
XE_FN_ bool xt_is_opaque_each_(xt_ctx *x, const xt_node_ *n)
{
    bool some = false;
    if (!xt_does_(n->op, XT_EACH_) || !xt_can_be_opaque_(x, n)) return false;
    for (int i = n->op == XT_OP_SELECT_VECTOR_; i < n->operands; i++) {
        if (!xt_may_be_opaque_(x, n->operand[i])) return false;
        some = some || xt_value_is_opaque_(x, n->operand[i]);
    }
    return some;
}

/* Has each subgroup one column? Each column of its matrices is that one. */
XE_FN_ bool xt_is_opaque_column_(const xt_dist *d) { return d->data[1] == 1 && d->rounds[1] == 1; }

/* Are the rows of matrices reduced to a column? */
XE_FN_ bool xt_is_opaque_reduce_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op != XT_OP_REDUCE_) return false;
    const xt_vec *v = xt_vector_(x, n->operand[XT_MOVE_VEC_]);
    if (n->move->dim != 1 || n->move->size < 2 || n->move->size != v->dist.data[1]) return false;
    return v->type == CM_F32 && v->dist.rounds[1] == 1 && xt_value_is_opaque_(x, v->id);
}

/* Is a column of matrices repeated, so that these are the result? */
XE_FN_ bool xt_is_opaque_broadcast_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op != XT_OP_BROADCAST_ || !n->move->origin || n->move->from.divisor[1] < 2) return false;
    const xt_vec *v = xt_vector_(x, n->operand[XT_MOVE_VEC_]);
    const xt_dist *r = &xt_vector_(x, n->result)->dist;
    const cm_coop_shape *s = cm_coop_shape_of(&x->target, CM_F16, CM_F32);
    return s && v->type == CM_F32 && xt_is_opaque_column_(&v->dist) && r->data[0] == v->dist.data[0] &&
           r->rounds[0] == v->dist.rounds[0] && xt_side_fits_(x, r->data[1], s->n) && xt_value_is_opaque_(x, v->id);
}
