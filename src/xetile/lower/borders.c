/* lower/borders.c - loads beyond the edges of a matrix, clamped or mirrored. */
#include "../internal.h"

/* Are `count` elements from `at` on inside 0 .. n - 1? Offsets near 2^31 are not. */
static spe_id xt_is_inside_(spe_module *m, spe_id at, int count, spe_id n)
{
    spe_id zero = spe_i32(m, 0), room = spe_isub(m, n, spe_i32(m, count));
    spe_id before = spe_sle(m, at, room);
    return spe_land(m, spe_sge(m, at, zero), before);
}

/* Loads a block: directly if all of it is inside, else element by element. */
XE_FN_ cm_matrix xt_load_bordered_(xt_ctx *x, const xt_tile *t, const xt_block_ *b, xt_border border, cm_use use)
{
    spe_module *m = &x->m;
    cm_mem mem = xt_mem_(x, t, b, (int)use), edge = mem;
    edge.rows = xt_index_id_(x, &t->shape[1]);
    edge.cols = xt_index_id_(x, &t->shape[0]);
    edge.border = border == XT_BORDER_CLAMP ? CM_BORDER_CLAMP : CM_BORDER_MIRROR;
    spe_id inside = xt_is_inside_(m, mem.row, b->valid, edge.rows);
    inside = spe_land(m, xt_is_inside_(m, mem.col, b->rows, edge.cols), inside);
    if (mem.block2d == CM_BLOCK2D_NO) mem.rows = mem.cols = 0; /* no checks */
    if (mem.block2d == CM_BLOCK2D_NO) xt_leave_out_(x, &mem, b, NULL);
    spe_if(m, inside);
    cm_matrix whole = cm_load(&x->cm, b->cols, b->rows, xt_storage_type_(t->type), use, &mem);
    spe_else(m, (uint32_t)whole.parts, whole.part);
    cm_matrix outside = cm_load(&x->cm, b->cols, b->rows, xt_storage_type_(t->type), use, &edge);
    if (!spe_ok(m) || outside.parts != whole.parts) return cm_poison();
    spe_endif(m, (uint32_t)whole.parts, outside.part, outside.part);
    return cm_from_parts(&x->cm, &whole.layout, outside.part);
}
