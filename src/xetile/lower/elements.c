/* lower/elements.c - writes element-wise operations and casts. */
#include "../internal.h"

/* ---- block by block, or strip by strip --------------------------------------------------------------------------- */

/* Computes all blocks; or, if a store will request strips, only allocates them. */
XE_FN_ void xt_write_each_(xt_ctx *x, const xt_node_ *n)
{
    const xt_vectors_ *d = n->vectors;
    int count = xt_operand_count_(d);
    bool any = d->way == XT_ANY_LAYOUT_;
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

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* Conditions are stored as bytes 0 and 1. */
static spe_id xt_from_condition_(xt_ctx *x, spe_id condition)
{
    spe_id type = spe_vec_like(&x->m, spe_int(&x->m, 8), condition);
    return spe_select(&x->m, condition, spe_const_u(&x->m, type, 1), spe_null(&x->m, type));
}

/* ---- arithmetic, comparison, selection --------------------------------------------------------------------------- */

/* Operands of numbers and of vectors both begin with their common type. */
XE_FN_ int xt_meeting_type_(const xt_node_ *n) { return *(const int *)n->desc; }

XE_FN_ spe_id xt_binary_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    spe_id r = xt_emit_arith_(&x->m, n->kind, xt_meeting_type_(n), v[0], v[1]);
    return xt_is_compare_(n->kind) ? xt_from_condition_(x, r) : r;
}

XE_FN_ spe_id xt_select_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    (void)n;
    return spe_select(&x->m, spe_ine(&x->m, v[0], spe_null(&x->m, spe_type_of(&x->m, v[0]))), v[1], v[2]);
}

/* ---- mathematics: numbers and vectors ---------------------------------------------------------------------------- */

XE_FN_ spe_id xt_math_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    spe_math_op op = (spe_math_op)xt_math_instruction_(n->kind, xt_meeting_type_(n));
    return spe_math(&x->m, op, (uint32_t)xt_math_info_(n->kind)->operands, v);
}

XE_FN_ void xt_write_math_number_(xt_ctx *x, const xt_node_ *n)
{
    spe_id id[3];
    for (int i = 0; i < xt_math_info_(n->kind)->operands; i++)
        id[i] = xt_now_id_(x, &n->numbers->v[i], n->numbers->type);
    xt_define_(x, n->result, xt_scalar_(n->numbers->type, xt_math_part_(x, n, id), 1));
}

/* ---- casts ------------------------------------------------------------------------------------------------------- */

XE_FN_ spe_id xt_truth_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    spe_id zero = spe_null(&x->m, spe_type_of(&x->m, v[0]));
    bool real = xt_is_float_((int)n->vectors->v[0].type);
    return xt_from_condition_(x, real ? spe_fune(&x->m, v[0], zero) : spe_ine(&x->m, v[0], zero));
}

XE_FN_ spe_id xt_bitcast_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    return cm_bitcast(&x->cm, spe_vec_like(&x->m, xt_spe_type_(x, xt_meeting_type_(n)), v[0]), v[0]);
}

XE_FN_ void xt_write_bitcast_number_(xt_ctx *x, const xt_node_ *n)
{
    const xt_val *v = &n->numbers->v[0];
    spe_id id = xt_now_id_(x, v, xt_carried_type_(v));
    xt_define_(x, n->result, xt_scalar_(n->numbers->type, xt_bitcast_part_(x, n, &id), 1));
}

/* ---- combining pairs, for reductions and atomics ----------------------------------------------------------------- */

/* The larger or smaller of two floats; -0 is less than 0. A NaN wins or loses, by nan_wins. */
XE_FN_ spe_id xt_extreme_(spe_module *m, bool larger, bool nan_wins, spe_id a, spe_id b)
{
    spe_id type = spe_type_of(m, a), elem = spe_info(m, type).elem ? spe_info(m, type).elem : type, nan = 0;
    spe_id bits = spe_vec(m, spe_int(m, spe_width(m, elem)), spe_count(m, type));
    spe_id p = spe_bitcast(m, bits, a), q = spe_bitcast(m, bits, b);
    spe_id r = spe_math2(m, larger ? SPE_FMAX : SPE_FMIN, a, b);
    spe_id zeros = spe_bitcast(m, type, larger ? spe_and(m, p, q) : spe_or(m, p, q));
    if (nan_wins) nan = spe_isnan(m, b);
    if (nan_wins) nan = spe_lor(m, spe_isnan(m, a), nan);
    r = spe_select(m, spe_feq(m, a, b), zeros, r);
    return nan_wins ? spe_select(m, nan, spe_fadd(m, a, b), r) : r;
}

XE_FN_ spe_id xt_combine_(spe_module *m, int kind, int type, spe_id a, spe_id b)
{
    const xt_red_row_ *row = xt_red_info_(kind);
    if (row->nan_wins) return xt_extreme_(m, row->op == SPE_ARITH_MAX, true, a, b);
    return spe_arith(m, row->op, xt_is_float_(type) ? SPE_NUMBER_FLOAT : row->number, a, b);
}
