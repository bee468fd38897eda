/* lower/turns.c - operands of products for several turns of a loop, loaded by one message: where a tile advances by
 * its size along k in each turn, the operands of the next turns lie beside it. */
#include "../internal.h"

/* How many of a loop's turns share their loads, so that registers have room for them: a divisor of the copies of its
 * body. */
XE_ONCE_
XE_FN_ int xt_joined_turns_(const xt_ctx *x, int copies)
{
    size_t room = (size_t)xt_register_bytes_(x) / 8 * 5;
    while (copies > 1 && x->accumulator_bytes + (x->product_bytes - x->accumulator_bytes) * (size_t)copies > room)
        copies /= 2;
    return copies;
}

/* The layout of a block for `turns` turns; rows of the block are columns of the matrix. */
static cm_layout xt_turns_layout_(xt_ctx *x, const xt_vec *v, const xt_block_ *b, int turns)
{
    bool left = v->use == CM_B;
    return cm_layout_for(&x->cm, left ? b->cols * turns : b->cols, left ? b->rows : b->rows * turns, v->type, v->use);
}

/* Does the layout for several turns consist of theirs, one after the other along k? */
static bool xt_turns_fit_(xt_ctx *x, const xt_vec *v, int turns)
{
    int k = v->use == CM_B;
    xt_block_ b = xt_blocks_(x, &v->dist);
    if (v->use == CM_ACC || b.grid.cut[k].n > 1 || b.grid.rounds[k] > 1 || v->dist.data[k] != v->dist.shape[k] ||
        v->dist.data[1] % x->S || v->dist.data[k] * turns > XT_CUT_LARGEST_)
        return false;
    while (xt_next_block_(&b)) {
        cm_layout one = xt_turns_layout_(x, v, &b, 1), all = xt_turns_layout_(x, v, &b, turns);
        if (cm_part_count(&all) != turns * cm_part_count(&one) || all.size_k2 != one.size_k2 * (k ? turns : 1))
            return false;
    }
    return spe_ok(&x->m);
}

/* A turn's part of what was loaded for several. */
static cm_matrix xt_turn_of_(xt_ctx *x, const cm_matrix *all, const cm_layout *l, int turn)
{
    int n = cm_part_count(l), runs = n / l->size_k2, all_runs = all->parts / all->layout.size_k2;
    spe_id *part = all->parts ? (spe_id *)xt_memory_(x, (size_t)n * sizeof *part) : NULL;
    if (!part) return cm_poison();
    for (int i = 0; i < n; i++)
        part[i] = all->part[l->use == CM_B ? turn * n + i : i / runs * all_runs + turn * runs + i % runs];
    return cm_from_parts(&x->cm, l, part);
}

/* Loads v for the turns that share their loads, in the first of them, or takes this turn's part. False if the turns
 * cannot share it. */
XE_FN_ bool xt_load_turns_(xt_ctx *x, const xt_node_ *n, const xt_tile *t, xt_vec *v)
{
    const xt_frame_ *f = x->turning;
    xt_value_ *value = xt_value_at_(x, n->result);
    int k = v->use == CM_B, turn = f ? f->copy % f->joined : 0;
    if (!f || f->joined == 1 || !xt_by_block2d_(x, t) || !xt_advances_(&n->load->tile, f, k, v->dist.shape[k]) ||
        !xt_turns_fit_(x, v, f->joined))
        return false;
    if (!turn) value->turns = (cm_matrix *)xt_memory_(x, (size_t)v->blocks * sizeof *v->block);
    for (xt_block_ b = xt_blocks_(x, &v->dist); value->turns && v->blocks && xt_next_block_(&b);) {
        cm_layout one = xt_turns_layout_(x, v, &b, 1), all = xt_turns_layout_(x, v, &b, f->joined);
        cm_mem mem = xt_mem_(x, t, &b, (int)v->use);
        if (!turn) value->turns[b.i] = cm_load(&x->cm, all.rows, all.cols, v->type, v->use, &mem);
        v->block[b.i] = xt_turn_of_(x, &value->turns[b.i], &one, turn);
    }
    return true;
}

/* How often the body of a loop is written for each turn. Products of a few matrix instructions leave most of the time
 * to the loop itself and to waiting for loads; a second loop then makes the turns that are left. */
XE_FN_ int xt_copies_(xt_ctx *x, const xt_frame_ *f, int most)
{
    enum { SUM = 8 * 16 * 4, DEEP = 32 }; /* bytes of the sum of a matrix instruction, and of its k */
    size_t products = 0, others = 0;
    int copies = 1;
    if (f->lo.kind != SPE_INT || f->lo.integer < 0 || f->step.kind != SPE_INT || f->step.integer > 1 << 24) return 1;
    for (const xt_node_ *n = xt_node_at_(x, f->begin + 1); n->op != XT_OP_END_; n++) {
        if (xt_does_(n->op, XT_CHANGES_ | XT_BOUNDS_ | XT_WAITS_)) return 1;
        const xt_vec *left = n->op == XT_OP_TILE_MMA_ ? &n->mma->left : NULL;
        if (!left && !xt_does_(n->op, XT_COMPUTES_)) continue;
        size_t size = (xt_vec_bytes_(&xt_value_at_(x, n->result)->now.vec) + SUM - 1) / SUM;
        if (left) products += size * (size_t)((left->dist.data[1] * xt_bytes_((int)left->type) + DEEP - 1) / DEEP);
        else others += size;
    }
    while (products && copies < 4 && (products + others) * (size_t)copies * 2 <= (size_t)most) copies *= 2;
    return copies;
}
