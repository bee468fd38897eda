/* lower/slices.c - writes products whose operands go through local memory slice by slice of k. */
#include "../internal.h"

/* Adds the product of the slices at `slice` of k (0: the first) to the sum, or makes it. */
static void xt_emit_slice_(xt_ctx *x, xt_stage_ *left, xt_stage_ *right, const xt_fragments_ *sum, xt_fragments_ *r,
                           spe_id slice)
{
    xt_fragments_ v[XT_MMA_OPERANDS_];
    left->slice = right->slice = slice;
    xt_stage_begin_(x, left);
    xt_stage_begin_(x, right);
    xt_stage_end_(x, left, right);
    if (sum) v[XT_MMA_SUM_] = *sum;
    v[XT_MMA_LEFT_] = xt_stage_get_(x, left, 0);
    v[XT_MMA_RIGHT_] = xt_stage_get_(x, right, 0);
    xt_emit_mma_(x, v, sum != NULL, r, xt_mma_block_);
    left->slice = right->slice = 0;
}

/* Computes a product in a loop over slices, from a sum unless that is NULL. */
static void xt_emit_sliced_(xt_ctx *x, xt_stage_ *left, xt_stage_ *right, const xt_fragments_ *sum, xt_fragments_ *r)
{
    spe_module *m = &x->m;
    int size = left->dist.shape[1];
    if (!sum) xt_emit_slice_(x, left, right, NULL, r, 0);
    xt_fragments_ all = sum ? *sum : *r;
    uint32_t n = (uint32_t)xt_vec_ids_(&all, NULL);
    spe_id *ids = (spe_id *)xt_memory_(x, n * sizeof *ids), slice;
    if (!ids) return;
    xt_vec_ids_(&all, ids);
    spe_id by = spe_i32(m, size), end = spe_i32(m, size * left->slices);
    slice = spe_for(m, spe_i32(m, sum ? 0 : size), end, by, n, ids);
    all = xt_vec_from_ids_(x, &all, ids);
    if (!all.blocks) return;
    xt_emit_slice_(x, left, right, &all, r, slice);
    xt_vec_ids_(r, ids);
    spe_endfor(m, n, ids);
    *r = xt_vec_from_ids_(x, r, ids);
}

/* Writes a product, if its operands are sliced. */
XE_FN_ bool xt_write_sliced_(xt_ctx *x, const xt_node_ *n)
{
    xt_stage_ *left = n->op == XT_OP_TILE_MMA_ ? xt_stage_of_(x, n->operand[XT_MMA_LEFT_]) : NULL;
    if (!left || left->slices == 1) return false;
    xt_fragments_ r = xt_make_vec_(x, n), sum;
    bool with_c = n->operand[XT_MMA_SUM_] != 0;
    if (with_c) sum = xt_now_as_(x, n->operand[XT_MMA_SUM_], CM_ACC);
    if (r.blocks) xt_emit_sliced_(x, left, xt_stage_of_(x, n->operand[XT_MMA_RIGHT_]), with_c ? &sum : NULL, &r);
    xt_define_vec_(x, n->result, r);
    return true;
}
