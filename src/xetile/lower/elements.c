/* lower/elements.c - writes element-wise operations and casts. */
#include "../internal.h"

/* Bytes cast to f16, plus or minus a constant: both at once. False, with nothing written, if it is no such sum. */
static bool xt_write_cast_plus_(xt_ctx *x, const xt_node_ *n)
{
    const xt_vectors_ *d = n->vectors;
    if (n->op != XT_OP_BINARY_VECTOR_ || d->type != CM_F16 || (n->kind != SPE_ARITH_ADD && n->kind != SPE_ARITH_SUB))
        return false;
    const xt_value_ *value = xt_value_at_(x, d->v[0].id);
    const xt_node_ *cast = xt_node_at_(x, value->node);
    const xt_val *constant = xt_repeated_constant_(x, &d->v[1]);
    if (cast->op != XT_OP_CAST_VECTOR_ || cast->kind || value->stage || !constant) return false;
    if (cast->vectors->v[0].type != CM_I8 && cast->vectors->v[0].type != CM_U8) return false;
    double number = constant->kind == SPE_INT ? (double)constant->integer : constant->real;
    xt_vec r = xt_make_vec_(x, n), bytes = xt_now_as_(x, &cast->vectors->v[0], CM_ACC);
    for (int i = 0; i < r.blocks && spe_ok(&x->m); i++)
        r.block[i] = cm_convert_plus(&x->cm, &bytes.block[i], CM_F16, n->kind == SPE_ARITH_ADD ? number : -number);
    xt_define_vec_(x, n->result, xt_settle_(x, r));
    return true;
}

/* Computes all blocks; or, if a store will request strips, only allocates them. */
XE_FN_ void xt_write_each_(xt_ctx *x, const xt_node_ *n)
{
    const xt_vectors_ *d = n->vectors;
    int count = xt_operand_count_(d);
    bool any = xt_way_of_(n) == XT_ANY_LAYOUT_;
    xt_vec v[3];
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
    if (xt_write_cast_plus_(x, n)) return;
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
