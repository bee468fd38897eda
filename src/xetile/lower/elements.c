/* lower/elements.c - writes element-wise operations and casts. */
#include "../internal.h"

/* Computes all blocks; or, if a store will request strips, only allocates them. */
XE_FN_ void xt_write_each_(xt_ctx *x, const xt_node_ *n)
{
    const xt_vectors_ *d = n->vectors;
    int count = xt_operand_count_(d);
    bool any = xt_way_of_(n) == XT_ANY_LAYOUT_;
    xt_vec v[3];
    if (x->staged && xt_write_staged_(x, n)) return;
    xt_vec r = xt_make_vec_(x, n);
    if (xt_value_at_(x, n->result)->late && (x->block2d || x->staged)) {
        for (xt_block_ b = xt_blocks_(x, &r.dist); r.blocks && xt_next_block_(&b);) {
            cm_matrix *block = &r.block[b.i];
            *block = cm_splat(&x->cm, b.cols, b.rows, xt_held_(r.type), CM_ACC, 0);
            if (block->part) memset(block->part, 0, (size_t)block->parts * sizeof *block->part);
        }
        xt_define_vec_(x, n->result, r);
        xt_value_at_(x, n->result)->unmade = true;
        return;
    }
    for (int j = 0; j < count; j++) v[j] = xt_now_as_(x, &d->v[j], any ? r.use : CM_ACC);
    for (int i = 0; i < r.blocks && spe_ok(&x->m); i++) {
        const cm_matrix *a[3] = {NULL, NULL, NULL};
        for (int j = 0; j < count; j++) a[j] = &v[j].block[i];
        r.block[i] = xt_each_block_(x, n, a);
    }
    xt_define_vec_(x, n->result, any ? r : xt_settle_(x, r));
}

XE_FN_ void xt_write_math_number_(xt_ctx *x, const xt_node_ *n)
{
    spe_id id[3];
    for (int i = 0; i < xt_math_info_(n->kind)->operands; i++)
        id[i] = xt_now_id_(x, &n->numbers->v[i], n->numbers->type);
    xt_define_(x, n->result, xt_scalar_(n->numbers->type, xt_part_(x, n, id), 1));
}

XE_FN_ void xt_write_bitcast_number_(xt_ctx *x, const xt_node_ *n)
{
    const xt_val *v = &n->numbers->v[0];
    spe_id id = xt_now_id_(x, v, xt_carried_type_(v));
    xt_define_(x, n->result, xt_scalar_(n->numbers->type, xt_part_(x, n, &id), 1));
}
