/* lower/mma.c - writes tile_mma: products of blocks. */
#include "../internal.h"

/* A block of the result: a chain of products along k. In coopmatrix.h, b is the left operand and a the right one. */
XE_FN_ cm_matrix xt_mma_block_(xt_ctx *x, const xt_fragments_ *v, const xt_grid_ *ga, const xt_grid_ *gb,
                               const int at[4], cm_type type, const cm_matrix *c)
{
    cm_matrix sum = XT_ZERO_;
    for (int k = 0; k < ga->cut[1].n; k++) {
        const cm_matrix *left = &v[XT_MMA_RIGHT_].block[xt_block_number_(gb, 0, at[1], k, at[3])];
        const cm_matrix *right = &v[XT_MMA_LEFT_].block[xt_block_number_(ga, at[0], 0, at[2], k)];
        sum = cm_mul_add_real(&x->cm, type, left, right, k ? &sum : c);
    }
    return sum;
}

/* If a's pieces end within a block, cuts b like a and fills the rest with zeros: of both if they are floats, because
 * the elements beyond a's end may be NaN; of one if they are integers. */
static void xt_mma_fill_(xt_ctx *x, xt_fragments_ *v, const xt_grid_ *ga, xt_grid_ *gb)
{
    const xt_cut_ *k = &ga->cut[1];
    if (k->at[k->n - 1] + k->size[k->n - 1] == ga->data[1]) return;
    gb->cut[0] = *k;
    v[XT_MMA_RIGHT_] = xt_fill_up_(x, &v[XT_MMA_RIGHT_], gb, CM_A);
    if (xt_is_float_((int)v[XT_MMA_LEFT_].type)) v[XT_MMA_LEFT_] = xt_fill_up_(x, &v[XT_MMA_LEFT_], ga, CM_B);
}

/* Writes the blocks of r, a product of operands v. */
XE_FN_ void xt_emit_mma_(xt_ctx *x, xt_fragments_ *v, bool with_c, xt_fragments_ *r, xt_product_fn_ block)
{
    xt_grid_ ga, gb, gr;
    cm_matrix c = XT_ZERO_;
    int at[4], n; /* round of m, round of n, block of m, block of n */
    xt_grid_init_(x, &ga, &v[XT_MMA_LEFT_].dist);
    xt_grid_init_(x, &gb, &v[XT_MMA_RIGHT_].dist);
    xt_grid_init_(x, &gr, &r->dist);
    if (v[XT_MMA_LEFT_].blocks != ga.blocks || v[XT_MMA_RIGHT_].blocks != gb.blocks) return;
    if (with_c && v[XT_MMA_SUM_].blocks != gr.blocks) return;
    xt_mma_fill_(x, v, &ga, &gb);
    for (at[0] = 0; at[0] < gr.rounds[0]; at[0]++)
        for (at[1] = 0; at[1] < gr.rounds[1]; at[1]++)
            for (at[2] = 0; at[2] < gr.cut[0].n; at[2]++)
                for (at[3] = 0; at[3] < gr.cut[1].n; at[3]++) {
                    n = xt_block_number_(&gr, at[0], at[1], at[2], at[3]);
                    if (with_c) c = xt_varied_(x, v[XT_MMA_SUM_].id, &v[XT_MMA_SUM_].block[n]);
                    r->block[n] = block(x, v, &ga, &gb, at, r->type, with_c ? &c : NULL);
                }
}

/* Writes a product, of operands in these layouts. */
XE_FN_ void xt_write_product_(xt_ctx *x, const xt_node_ *n, xt_product_fn_ block)
{
    static const cm_use uses[XT_MMA_OPERANDS_] = {CM_ACC, CM_B, CM_A, CM_ACC, CM_ACC};
    xt_fragments_ r = xt_make_vec_(x, n), v[XT_MMA_OPERANDS_];
    bool all = r.blocks > 0;
    for (int i = n->operand[XT_MMA_SUM_] ? 0 : 1; i < n->operands; i++) {
        v[i] = xt_now_as_(x, n->operand[i], uses[i]);
        all = all && v[i].blocks;
    }
    if (all) xt_emit_mma_(x, v, n->operand[XT_MMA_SUM_] != 0, &r, block);
    xt_define_vec_(x, n->result, r);
}

XE_FN_ void xt_write_tile_mma_(xt_ctx *x, const xt_node_ *n) { xt_write_product_(x, n, xt_mma_block_); }
