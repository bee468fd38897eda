/* lower/elements.c - writes element-wise operations and casts. */
#include "../internal.h"

/* Bytes cast to f16, plus or minus a constant: both at once. False, with nothing written, if it is no such sum. */
static bool xt_write_cast_plus_(xt_ctx *x, const xt_node_ *n)
{
    if (n->type != CM_F16 || (n->kind != SPE_ARITH_ADD && n->kind != SPE_ARITH_SUB)) return false;
    const xt_value_ *value = xt_value_at_(x, n->operand[0]);
    const xt_node_ *cast = xt_node_at_(x, value->node);
    const xt_val *constant = xt_repeated_constant_(x, n->operand[1]);
    if (cast->op != XT_OP_CAST_VECTOR_ || cast->kind || value->stage || !constant) return false;
    const xt_vec *from = xt_vector_(x, cast->operand[0]);
    if (from->type != CM_I8 && from->type != CM_U8) return false;
    double number = constant->kind == SPE_INT ? (double)constant->integer : constant->real;
    xt_fragments_ r = xt_make_vec_(x, n), bytes = xt_now_as_(x, from->id, CM_ACC);
    for (int i = 0; i < r.blocks && spe_ok(&x->m); i++)
        r.block[i] = cm_convert_plus(&x->cm, &bytes.block[i], CM_F16, n->kind == SPE_ARITH_ADD ? number : -number);
    xt_define_vec_(x, n->result, xt_finish_vec_(x, r));
    return true;
}

/* Is it left to a store in this version, which computes it strip by strip? */
static bool xt_is_deferred_(xt_ctx *x, const xt_node_ *n)
{
    return xt_value_at_(x, n->result)->deferred && (x->block2d || x->staged);
}

/* Allocates all blocks, for a store to request strips of. */
static void xt_leave_each_(xt_ctx *x, const xt_node_ *n, xt_each_fn_ each)
{
    xt_fragments_ r = xt_make_vec_(x, n);
    for (xt_block_ b = xt_blocks_(x, &r.dist); r.blocks && xt_next_block_(&b);) {
        cm_matrix *block = &r.block[b.i];
        *block = cm_splat(&x->cm, b.cols, b.rows, xt_storage_type_(r.type), CM_ACC, 0);
        if (block->part) memset(block->part, 0, (size_t)block->parts * sizeof *block->part);
    }
    xt_define_vec_(x, n->result, r);
    xt_value_at_(x, n->result)->unmade = true;
    xt_value_at_(x, n->result)->each = each;
}

/* Computes all blocks, unless that is left to a store; `any`: in any layout that the operands share, not the
 * accumulator's. */
static void xt_write_each_(xt_ctx *x, const xt_node_ *n, bool any, xt_each_fn_ each)
{
    int count = n->operands;
    xt_fragments_ v[3];
    if (xt_is_deferred_(x, n)) {
        xt_leave_each_(x, n, each);
        return;
    }
    xt_fragments_ r = xt_make_vec_(x, n);
    for (int j = 0; j < count; j++) v[j] = xt_now_as_(x, n->operand[j], any ? r.use : CM_ACC);
    for (int i = 0; i < r.blocks && spe_ok(&x->m); i++) {
        const cm_matrix *a[3] = {NULL, NULL, NULL};
        for (int j = 0; j < count; j++) a[j] = &v[j].block[i];
        r.block[i] = each(x, n, a);
    }
    xt_define_vec_(x, n->result, any ? r : xt_finish_vec_(x, r));
}

XE_FN_ void xt_write_binary_vector_(xt_ctx *x, const xt_node_ *n)
{
    if (!xt_is_deferred_(x, n) && xt_write_cast_plus_(x, n)) return;
    xt_write_each_(x, n, !xt_is_compare_(n->kind), xt_binary_block_);
}

XE_FN_ void xt_write_math_vector_(xt_ctx *x, const xt_node_ *n)
{
    xt_write_each_(x, n, xt_math_info_(n->kind)->operands == 1, xt_math_block_);
}

XE_FN_ void xt_write_cast_vector_(xt_ctx *x, const xt_node_ *n) { xt_write_each_(x, n, false, xt_cast_block_); }
XE_FN_ void xt_write_select_vector_(xt_ctx *x, const xt_node_ *n) { xt_write_each_(x, n, false, xt_select_block_); }
XE_FN_ void xt_write_bitcast_vector_(xt_ctx *x, const xt_node_ *n) { xt_write_each_(x, n, false, xt_bitcast_block_); }
XE_FN_ void xt_write_emit_vec_(xt_ctx *x, const xt_node_ *n) { xt_write_each_(x, n, false, xt_users_block_); }

XE_FN_ void xt_write_math_number_(xt_ctx *x, const xt_node_ *n)
{
    spe_id id[3];
    for (int i = 0; i < n->operands; i++) id[i] = xt_now_id_(x, xt_number_(x, n->operand[i]), n->type);
    xt_define_(x, n->result, xt_scalar_(n->type, xt_math_part_(x, n, id), 1));
}

XE_FN_ void xt_write_bitcast_number_(xt_ctx *x, const xt_node_ *n)
{
    const xt_val *v = xt_number_(x, n->operand[0]);
    spe_id id = xt_now_id_(x, v, xt_carried_type_(v));
    xt_define_(x, n->result, xt_scalar_(n->type, xt_bitcast_part_(x, n, &id), 1));
}
