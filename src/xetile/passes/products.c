/* passes/products.c - a pass that finds the register needs of products. */
#include "../internal.h"

/* Bytes of the vectors that a region carries, per subgroup. */
XE_ONCE_
static size_t xt_carried_bytes_(xt_ctx *x, const xt_frame_ *f)
{
    size_t all = 0;
    for (int i = 0; i < f->slots; i++) {
        const xt_object_ *start = xt_object_of_(x, f->slot[i].start);
        if (start->magic == XT_VEC_MAGIC_) all += xt_vec_bytes_(&start->vec);
    }
    return all;
}

/* Finds the register needs of products: besides a product's operands, its sum or all that the region carries. */
XE_FN_ void xt_find_products_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (!xt_is_mma_(n->op)) continue;
        const xt_vec *left = xt_vector_(x, n->operand[XT_MMA_LEFT_]), *right = xt_vector_(x, n->operand[XT_MMA_RIGHT_]);
        size_t sum = xt_vec_bytes_(xt_vector_(x, n->result));
        size_t carried = n->in ? xt_carried_bytes_(x, n->in) : 0;
        size_t all = (sum > carried ? sum : carried) + xt_vec_bytes_(left) + xt_vec_bytes_(right);
        if (sum > x->accumulator_bytes) x->accumulator_bytes = sum;
        if (all > x->product_bytes) x->product_bytes = all;
        int lines = left->dist.data[0];
        if (x->target.block1d && lines > 8) lines = 8; /* they are loaded as they are used */
        size_t slice = sum + (size_t)(lines + right->dist.data[1]) * 32; /* eight dwords per line */
        if (slice <= x->slice_bytes) continue;
        x->slice_bytes = slice;
        x->largest = i;
    }
}
