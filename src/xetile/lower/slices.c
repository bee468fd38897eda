/* lower/slices.c - writes products whose operands go through local memory slice by slice of k. */
#include "../internal.h"

/* Adds the product of the slices at `slice` of k (0: the first) to d->sum, or makes it. */
static void xt_emit_slice_(xt_ctx *x, xt_mma_desc_ *d, bool with_c, xt_vec *r, spe_id slice)
{
    xt_stage_ *left = xt_stage_of_(x, d->left.id), *right = xt_stage_of_(x, d->right.id);
    left->slice = right->slice = slice;
    xt_stage_begin_(x, left);
    xt_stage_begin_(x, right);
    xt_stage_end_(x, left, right);
    d->left = xt_stage_get_(x, left, 0);
    d->right = xt_stage_get_(x, right, 0);
    xt_emit_mma_(x, d, with_c, r, xt_mma_block_);
    d->sum = *r;
    left->slice = right->slice = 0;
}

/* Computes a product in a loop over slices, from d->sum if it has one. */
static void xt_emit_sliced_(xt_ctx *x, xt_mma_desc_ *d, bool with_c, xt_vec *r)
{
    spe_module *m = &x->m;
    const xt_stage_ *s = xt_stage_of_(x, d->left.id);
    int size = s->dist.shape[1];
    if (!with_c) xt_emit_slice_(x, d, false, r, 0);
    uint32_t n = (uint32_t)xt_vec_ids_(&d->sum, NULL);
    spe_id *ids = (spe_id *)xt_memory_(x, n * sizeof *ids), slice;
    if (!ids) return;
    xt_vec_ids_(&d->sum, ids);
    spe_id by = spe_i32(m, size), end = spe_i32(m, size * s->slices);
    slice = spe_for(m, spe_i32(m, with_c ? 0 : size), end, by, n, ids);
    d->sum = xt_vec_from_ids_(x, &d->sum, ids);
    if (!d->sum.blocks) return;
    xt_emit_slice_(x, d, true, r, slice);
    xt_vec_ids_(r, ids);
    spe_endfor(m, n, ids);
    *r = xt_vec_from_ids_(x, r, ids);
}

/* Writes a product, if its operands are sliced. */
XE_FN_ bool xt_write_sliced_(xt_ctx *x, const xt_node_ *n)
{
    const xt_stage_ *s = n->op == XT_OP_TILE_MMA_ ? xt_stage_of_(x, n->mma->left.id) : NULL;
    if (!s || s->slices == 1) return false;
    xt_mma_desc_ d = *n->mma;
    xt_vec r = xt_make_vec_(x, n);
    bool with_c = d.sum.magic != 0;
    if (with_c) d.sum = xt_now_as_(x, &d.sum, CM_ACC);
    if (r.blocks) xt_emit_sliced_(x, &d, with_c, &r);
    xt_define_vec_(x, n->result, r);
    return true;
}
