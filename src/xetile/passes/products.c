/* passes/products.c - a pass that finds the register needs of products. */
#include "../internal.h"

/* Bytes of the vectors that a region carries, per subgroup. */
XE_ONCE_
static size_t xt_carried_bytes_(const xt_frame_ *f)
{
    size_t all = 0;
    for (int i = 0; i < f->slots; i++)
        if (f->slot[i].start.magic == XT_VEC_MAGIC_) all += xt_vec_bytes_(&f->slot[i].start.vec);
    return all;
}

/* Finds the register needs of products: besides a product's operands, its sum or all that the region carries. */
XE_FN_ void xt_find_products_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        const xt_mma_desc_ *d = n->mma;
        if (!xt_is_mma_(n->op)) continue;
        size_t sum = xt_vec_bytes_(&xt_value_at_(x, n->result)->now.vec);
        size_t carried = n->in ? xt_carried_bytes_(n->in) : 0;
        size_t all = (sum > carried ? sum : carried) + xt_vec_bytes_(&d->left) + xt_vec_bytes_(&d->right);
        if (sum > x->accumulator_bytes) x->accumulator_bytes = sum;
        if (all > x->product_bytes) x->product_bytes = all;
        int lines = d->left.dist.data[0];
        if (x->target.block1d && lines > 8) lines = 8; /* they are loaded as they are used */
        size_t slice = sum + (size_t)(lines + d->right.dist.data[1]) * 32; /* eight dwords per line */
        if (slice <= x->slice_bytes) continue;
        x->slice_bytes = slice;
        x->largest = i;
    }
}
