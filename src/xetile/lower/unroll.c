/* lower/unroll.c - operands of products for several iterations of a loop, loaded by one message: where a tile advances
 * by its size along k in each iteration, the operands of the next iterations lie beside it. */
#include "../internal.h"

/* How many of a loop's iterations share their loads, so that registers have room for them: a divisor of the copies of
 * its body. */
XE_ONCE_
XE_FN_ int xt_iterations_per_load_(const xt_ctx *x, int copies)
{
    size_t room = (size_t)xt_register_bytes_(x) / 8 * 5;
    while (copies > 1 && x->accumulator_bytes + (x->product_bytes - x->accumulator_bytes) * (size_t)copies > room)
        copies /= 2;
    return copies;
}

/* The layout of a block for so many iterations; rows of the block are columns of the matrix. */
static cm_layout xt_unrolled_layout_(xt_ctx *x, const xt_fragments_ *v, const xt_block_ *b, int iterations)
{
    bool left = v->use == CM_B;
    return cm_layout_for(&x->cm, left ? b->cols * iterations : b->cols, left ? b->rows : b->rows * iterations, v->type,
                         v->use);
}

/* Does the layout for several iterations consist of theirs, one after the other along k? */
static bool xt_unrolled_fits_(xt_ctx *x, const xt_fragments_ *v, int iterations)
{
    int k = v->use == CM_B;
    xt_block_ b = xt_blocks_(x, &v->dist);
    if (v->use == CM_ACC || b.grid.cut[k].n > 1 || b.grid.rounds[k] > 1 || v->dist.data[k] != v->dist.shape[k] ||
        v->dist.data[1] % x->S || v->dist.data[k] * iterations > XT_CUT_LARGEST_)
        return false;
    while (xt_next_block_(&b)) {
        cm_layout one = xt_unrolled_layout_(x, v, &b, 1), all = xt_unrolled_layout_(x, v, &b, iterations);
        if (cm_part_count(&all) != iterations * cm_part_count(&one) ||
            all.size_k2 != one.size_k2 * (k ? iterations : 1))
            return false;
    }
    return spe_ok(&x->m);
}

/* An iteration's part of what was loaded for several. */
static cm_matrix xt_iteration_of_(xt_ctx *x, const cm_matrix *all, const cm_layout *l, int iteration)
{
    int n = cm_part_count(l), per_block = n / l->size_k2, all_per_block = all->parts / all->layout.size_k2;
    spe_id *part = all->parts ? (spe_id *)xt_memory_(x, (size_t)n * sizeof *part) : NULL;
    if (!part) return cm_poison();
    for (int i = 0; i < n; i++)
        part[i] = all->part[l->use == CM_B ? iteration * n + i
                                           : i / per_block * all_per_block + iteration * per_block + i % per_block];
    return cm_from_parts(&x->cm, l, part);
}

/* Loads v for the iterations that share their loads, in the first of them, or takes this iteration's part. False if the
 * iterations cannot share it. */
XE_FN_ bool xt_load_unrolled_(xt_ctx *x, const xt_node_ *n, const xt_tile *t, xt_fragments_ *v)
{
    const xt_frame_ *f = x->unrolled;
    xt_value_ *value = xt_value_at_(x, n->result);
    int k = v->use == CM_B, iteration = f ? f->copy % f->per_load : 0;
    if (!f || f->per_load == 1 || !xt_by_block2d_(x, t) || !xt_unrolled_fits_(x, v, f->per_load) ||
        !xt_advances_(x, xt_accessed_(x, n), f, k, v->dist.shape[k]))
        return false;
    if (!iteration) value->unrolled = (cm_matrix *)xt_memory_(x, (size_t)v->blocks * sizeof *v->block);
    for (xt_block_ b = xt_blocks_(x, &v->dist); value->unrolled && v->blocks && xt_next_block_(&b);) {
        cm_layout one = xt_unrolled_layout_(x, v, &b, 1), all = xt_unrolled_layout_(x, v, &b, f->per_load);
        cm_mem mem = xt_mem_(x, t, &b, (int)v->use);
        if (!iteration) value->unrolled[b.i] = cm_load(&x->cm, all.rows, all.cols, v->type, v->use, &mem);
        v->block[b.i] = xt_iteration_of_(x, &value->unrolled[b.i], &one, iteration);
    }
    return true;
}

/* How often the body of a loop is written for each iteration. Products of a few matrix instructions leave most of the
 * time to the loop itself and to waiting for loads; a second loop then makes the iterations that are left. */
XE_FN_ int xt_copies_(xt_ctx *x, const xt_frame_ *f, int most)
{
    enum { SUM = 8 * 16 * 4, DEEP = 32 }; /* bytes of the sum of a matrix instruction, and of its k */
    size_t products = 0, others = 0;
    int copies = 1;
    const xt_val *lo = xt_number_(x, f->lo), *step = xt_number_(x, f->step);
    if (lo->kind != SPE_INT || lo->integer < 0 || step->kind != SPE_INT || step->integer > 1 << 24) return 1;
    for (const xt_node_ *n = xt_node_at_(x, f->begin + 1); n->op != XT_OP_END_; n++) {
        if (xt_does_(n->op, XT_CHANGES_ | XT_BOUNDS_ | XT_WAITS_)) return 1;
        const xt_vec *left = n->op == XT_OP_TILE_MMA_ ? xt_vector_(x, n->operand[XT_MMA_LEFT_]) : NULL;
        if (!left && !xt_does_(n->op, XT_COMPUTES_)) continue;
        size_t size = (xt_vec_bytes_(xt_vector_(x, n->result)) + SUM - 1) / SUM;
        if (left) products += size * (size_t)((left->dist.data[1] * xt_bytes_((int)left->type) + DEEP - 1) / DEEP);
        else others += size;
    }
    while (products && copies < 4 && (products + others) * (size_t)copies * 2 <= (size_t)most) copies *= 2;
    return copies;
}
