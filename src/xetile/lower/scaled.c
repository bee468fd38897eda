/* lower/scaled.c - writes tile_mma_scaled: products of blocks with their scales. */
#include "../internal.h"

/* Scales first .. first + n along dimension `dim`, of the block whose number in the other dimension is at[2 + !dim]. */
static cm_matrix xt_scales_(xt_ctx *x, const xt_fragments_ *v, int dim, const int at[4], int first, int n)
{
    xt_grid_ g;
    int i = 0, where[4] = {at[0], at[1], at[2], at[3]};
    xt_grid_init_(x, &g, &v->dist);
    const xt_cut_ *cut = &g.cut[dim];
    while (i + 1 < cut->n && cut->at[i + 1] <= first) i++;
    where[dim] = 0;
    where[2 + dim] = i;
    const cm_matrix *block = &v->block[xt_block_number_(&g, where[0], where[1], where[2], where[3])];
    const int from = first - cut->at[i]; /* in coopmatrix.h, rows are columns */
    return dim ? cm_submatrix(&x->cm, block, from, 0, n, block->layout.cols)
               : cm_submatrix(&x->cm, block, 0, from, block->layout.rows, n);
}

/* A block of the result. In coopmatrix.h, b is the left operand and a the right one. */
static cm_matrix xt_scaled_block_(xt_ctx *x, const xt_fragments_ *v, const xt_grid_ *ga, const xt_grid_ *gb,
                                  const int at[4], cm_type type, const cm_matrix *c)
{
    const int per = v[XT_MMA_LEFT_].type == CM_E2M1 ? 2 : 1;
    cm_matrix sum = XT_ZERO_;
    for (int k = 0; k < ga->cut[1].n; k++) {
        const int first = ga->cut[1].at[k] * per / CM_SCALED, n = ga->cut[1].size[k] * per / CM_SCALED;
        const cm_matrix *left = &v[XT_MMA_RIGHT_].block[xt_block_number_(gb, 0, at[1], k, at[3])];
        const cm_matrix *right = &v[XT_MMA_LEFT_].block[xt_block_number_(ga, at[0], 0, at[2], k)];
        cm_matrix scales_a = xt_scales_(x, &v[XT_MMA_SCALE_A_], 1, at, first, n);
        cm_matrix scales_b = xt_scales_(x, &v[XT_MMA_SCALE_B_], 0, at, first, n);
        const cm_scales scales = {&scales_b, &scales_a};
        sum = cm_mul_add_scaled(&x->cm, type, left, right, k ? &sum : c, &scales);
    }
    return sum;
}

XE_FN_ void xt_write_tile_mma_scaled_(xt_ctx *x, const xt_node_ *n) { xt_write_product_(x, n, xt_scaled_block_); }
