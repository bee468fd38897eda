/* lower/mma.c - writes tile_mma: products of blocks. */
#include "../internal.h"

/* A block of the result: a chain of products along k. In coopmatrix.h, b is the left operand and a the right one. */
XE_FN_ cm_matrix xt_mma_block_(xt_ctx *x, const xt_mma_desc_ *d, const xt_grid_ *ga, const xt_grid_ *gb,
                               const int at[4], cm_type type, const cm_matrix *c)
{
    cm_matrix sum = XT_ZERO_;
    for (int k = 0; k < ga->cut[1].n; k++) {
        const cm_matrix *left = &d->right.block[xt_block_number_(gb, 0, at[1], k, at[3])];
        const cm_matrix *right = &d->left.block[xt_block_number_(ga, at[0], 0, at[2], k)];
        sum = cm_mul_add_real(&x->cm, type, left, right, k ? &sum : c);
    }
    return sum;
}

/* If a's pieces end within a block, cuts b like a and fills the rest with zeros: of both if they are floats, because
 * the elements beyond a's end may be NaN; of one if they are integers. */
static void xt_mma_fill_(xt_ctx *x, xt_mma_desc_ *d, const xt_grid_ *ga, xt_grid_ *gb)
{
    const xt_cut_ *k = &ga->cut[1];
    if (k->at[k->n - 1] + k->size[k->n - 1] == ga->data[1]) return;
    gb->cut[0] = *k;
    d->right = xt_fill_up_(x, &d->right, gb, CM_A);
    if (xt_is_float_((int)d->left.type)) d->left = xt_fill_up_(x, &d->left, ga, CM_B);
}

XE_FN_ void xt_emit_mma_(xt_ctx *x, xt_mma_desc_ *d, bool with_c, xt_vec *r, xt_product_fn_ block)
{
    xt_grid_ ga, gb, gr;
    cm_matrix c = XT_ZERO_;
    int at[4], n; /* round of m, round of n, block of m, block of n */
    xt_grid_init_(x, &ga, &d->left.dist);
    xt_grid_init_(x, &gb, &d->right.dist);
    xt_grid_init_(x, &gr, &r->dist);
    if (d->left.blocks != ga.blocks || d->right.blocks != gb.blocks || (with_c && d->sum.blocks != gr.blocks)) return;
    xt_mma_fill_(x, d, &ga, &gb);
    for (at[0] = 0; at[0] < gr.rounds[0]; at[0]++)
        for (at[1] = 0; at[1] < gr.rounds[1]; at[1]++)
            for (at[2] = 0; at[2] < gr.cut[0].n; at[2]++)
                for (at[3] = 0; at[3] < gr.cut[1].n; at[3]++) {
                    n = xt_block_number_(&gr, at[0], at[1], at[2], at[3]);
                    if (with_c) c = xt_varied_(x, &d->sum, &d->sum.block[n]);
                    r->block[n] = block(x, d, &ga, &gb, at, r->type, with_c ? &c : NULL);
                }
}

XE_FN_ void xt_write_tile_mma_(xt_ctx *x, const xt_node_ *n)
{
    xt_mma_desc_ d = *n->mma;
    bool with_c = d.sum.magic != 0;
    xt_vec r = xt_make_vec_(x, n);
    if (with_c) d.sum = xt_now_as_(x, &d.sum, CM_ACC);
    d.left = xt_now_as_(x, &d.left, CM_B);
    d.right = xt_now_as_(x, &d.right, CM_A);
    if (r.blocks) xt_emit_mma_(x, &d, with_c, &r, xt_mma_block_);
    xt_define_vec_(x, n->result, r);
}
