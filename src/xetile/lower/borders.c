/* lower/borders.c - loads beyond the edges of a matrix, clamped or mirrored. */
#include "../internal.h"

/* Maps an index outside 0 .. n - 1 to one inside; n is positive. A mirrored row of n repeats after 2 (n - 1) elements,
 * which may need all 32 bits. */
static spe_id xt_bring_inside_(spe_module *m, int border, spe_id at, spe_id n)
{
    spe_id last = spe_isub(m, n, spe_i32(m, 1));
    if (border == XT_BORDER_CLAMP) return spe_math2(m, SPE_SMIN, spe_math2(m, SPE_SMAX, at, spe_i32(m, 0)), last);
    spe_id one = spe_i32(m, 1), there = spe_math2(m, SPE_UMAX, spe_shl(m, last, one), one); /* and back */
    at = spe_umod(m, spe_math1(m, SPE_SABS, at), there);
    return spe_math2(m, SPE_UMIN, at, spe_isub(m, there, at));
}

/* Loads each element from where the border mode says. */
static cm_matrix xt_border_block_(xt_ctx *x, const xt_tile *t, const xt_block_ *b, int border)
{
    spe_module *m = &x->m;
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, xt_held_(t->type), CM_ACC);
    spe_id *v = (spe_id *)xt_memory_(x, (size_t)l.size_v * sizeof *v), i64 = spe_int(m, 64), at[2], step[2];
    int first[2] = {b->row, b->col};
    step[xt_inner_(t)] = spe_const_i(m, i64, t->step);
    step[1 - xt_inner_(t)] = spe_sconvert(m, i64, xt_index_id_(x, &t->pitch));
    for (int i = 0; v && i < l.size_v; i++) {
        at[0] = cm_col_index(&x->cm, &l, i);
        at[1] = cm_row_index(&x->cm, &l, i);
        for (int j = 0; j < 2; j++) {
            spe_id from = spe_i32(m, first[j]);
            at[j] = spe_iadd(m, spe_iadd(m, xt_index_id_(x, &t->offset[j]), from), at[j]);
            at[j] = xt_bring_inside_(m, border, at[j], xt_index_id_(x, &t->shape[j]));
            at[j] = spe_imul(m, spe_sconvert(m, i64, at[j]), step[j]);
        }
        v[i] = spe_load(m, spe_index(m, t->base.id, spe_iadd(m, at[0], at[1])), (uint32_t)xt_bytes_(t->type));
    }
    return v && spe_ok(m) ? cm_from_components(&x->cm, &l, v) : cm_poison();
}

/* Are `count` elements from `at` on inside 0 .. n - 1? Offsets near 2^31 are not. */
static spe_id xt_is_inside_(spe_module *m, spe_id at, int count, spe_id n)
{
    spe_id zero = spe_i32(m, 0), room = spe_isub(m, n, spe_i32(m, count));
    spe_id before = spe_sle(m, at, room);
    return spe_land(m, spe_sge(m, at, zero), before);
}

/* Loads a block: directly if all of it is inside, else element by element; zeros from an empty matrix. */
XE_FN_ cm_matrix xt_load_bordered_(xt_ctx *x, const xt_tile *t, const xt_block_ *b, int border, cm_use use)
{
    spe_module *m = &x->m;
    cm_mem mem = xt_mem_(x, t, b, (int)use);
    cm_type held = xt_held_(t->type);
    spe_id rows = xt_index_id_(x, &t->shape[0]), cols = xt_index_id_(x, &t->shape[1]), zero = spe_i32(m, 0), inside,
           some = spe_sgt(m, cols, zero);
    some = spe_land(m, spe_sgt(m, rows, zero), some);
    cm_matrix whole, edge, none = cm_splat(&x->cm, b->cols, b->rows, held, use, 0);
    inside = xt_is_inside_(m, mem.row, b->valid, cols);
    inside = spe_land(m, xt_is_inside_(m, mem.col, b->rows, rows), inside);
    if (mem.block2d == CM_BLOCK2D_NO) mem.rows = mem.cols = 0; /* no checks */
    if (mem.block2d == CM_BLOCK2D_NO) xt_leave_out_(x, &mem, b, NULL);
    spe_if(m, inside);
    whole = cm_load(&x->cm, b->cols, b->rows, held, use, &mem);
    spe_else(m, (uint32_t)whole.parts, whole.part);
    spe_if(m, some);
    edge = xt_border_block_(x, t, b, border);
    edge = cm_convert_use(&x->cm, &edge, use);
    if (!spe_ok(m) || edge.parts != whole.parts || none.parts != whole.parts) return cm_poison();
    spe_endif_from(m, (uint32_t)edge.parts, edge.part, none.part, edge.part);
    spe_endif(m, (uint32_t)edge.parts, edge.part, edge.part);
    return cm_from_parts(&x->cm, &whole.layout, edge.part);
}
