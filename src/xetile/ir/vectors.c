/* ir/vectors.c - vectors: their form, layout, and the blocks that a subgroup holds. */
#include "../internal.h"

XE_FN_ void xt_grid_init_(const xt_ctx *x, xt_grid_ *g, const xt_dist *d)
{
    for (int i = 0; i < 2; i++) {
        xt_cut_side_(&g->cut[i], d->data[i], i ? x->S : 1);
        g->rounds[i] = d->rounds[i];
        g->data[i] = d->data[i];
        g->stride[i] = d->layout[i] * d->data[i];
    }
    g->blocks = g->rounds[0] * g->rounds[1] * g->cut[0].n * g->cut[1].n;
}

XE_FN_ int xt_block_number_(const xt_grid_ *g, int round0, int round1, int i, int j)
{
    return ((round0 * g->rounds[1] + round1) * g->cut[0].n + i) * g->cut[1].n + j;
}

XE_FN_ xt_block_ xt_blocks_(const xt_ctx *x, const xt_dist *d)
{
    xt_block_ b = XT_ZERO_;
    xt_grid_init_(x, &b.grid, d);
    b.i = -1;
    return b;
}

XE_FN_ bool xt_next_block_(xt_block_ *b)
{
    const xt_grid_ *g = &b->grid;
    int n = ++b->i, j = n % g->cut[1].n, i = n / g->cut[1].n % g->cut[0].n;
    int piece = n / (g->cut[1].n * g->cut[0].n), down = piece / g->rounds[1], across = piece % g->rounds[1];
    if (n >= g->blocks) return false;
    b->rows = g->cut[0].size[i];
    b->cols = g->cut[1].size[j];
    b->valid = xt_least_(b->cols, g->data[1] - g->cut[1].at[j]);
    b->row = down * g->stride[0] + g->cut[0].at[i];
    b->col = across * g->stride[1] + g->cut[1].at[j];
    b->packed[0] = down * g->data[0] + g->cut[0].at[i];
    b->packed[1] = across * g->data[1] + g->cut[1].at[j];
    return true;
}

XE_FN_ bool xt_has_piece_offset_(const xt_dist *d, int dim) { return d->layout[dim] > 1 && d->count[dim] > 1; }

XE_FN_ xt_vec xt_no_vec_(void)
{
    xt_vec v = XT_ZERO_;
    v.magic = XT_VEC_MAGIC_;
    return v;
}

/* The vector of a tile's elements. */
XE_FN_ xt_vec xt_vec_of_tile_(const xt_tile *t)
{
    xt_vec v = xt_no_vec_();
    v.type = t->type;
    v.dist = t->dist;
    v.map = t->map;
    memcpy(v.inner, t->inner, sizeof v.inner);
    return v;
}

/* A new vector with another's shape, map and inner blocks, to be defined by the next node. */
XE_FN_ xt_vec xt_new_vec_(xt_ctx *x, cm_type type, const xt_vec *like)
{
    xt_vec v = *like;
    v.type = type;
    v.id = xt_new_value_(x);
    xt_value_of_(x, &v);
    xt_diverges_like_(x, v.id, like);
    return v;
}

/* Bytes of a vector per subgroup. */
XE_FN_ size_t xt_vec_bytes_(const xt_vec *v)
{
    return (size_t)xt_dist_pieces(&v->dist) * (size_t)v->dist.data[0] * (size_t)v->dist.data[1] *
           (size_t)xt_bytes_((int)v->type);
}

XE_FN_ uint32_t xt_class_(xt_ctx *x, uint32_t id)
{
    while (xt_value_at_(x, id)->parent != id) id = xt_value_at_(x, id)->parent;
    return id;
}

/* Classes with an accumulator have its layout; else an operand's, preferably the packed one, which costs most. */
XE_FN_ cm_use xt_lane_layout_(xt_ctx *x, uint32_t id)
{
    const bool *need = xt_value_at_(x, xt_class_(x, id))->need;
    return need[CM_ACC] ? CM_ACC : need[CM_A] ? CM_A : need[CM_B] ? CM_B : CM_ACC;
}
