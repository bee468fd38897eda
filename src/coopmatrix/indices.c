/* indices.c - numbers at run time: small arithmetic, this lane's rows and columns. */
#include "internal.h"

XE_FN_ spe_id cm_i32_(cm_ctx *c, int v) { return spe_i32(c->module, v); }
/* v * n, v + n, v % n, v / n, omitting no-ops. For the last two, n is a power of two and v >= 0, except that
 * cm_shr_signed_ takes any v and rounds down. */
XE_FN_ spe_id cm_times_(cm_ctx *c, spe_id v, int n) { return n == 1 ? v : spe_imul(c->module, v, cm_i32_(c, n)); }
XE_FN_ spe_id cm_plus_(cm_ctx *c, spe_id v, int n) { return n == 0 ? v : spe_iadd(c->module, v, cm_i32_(c, n)); }
XE_FN_ spe_id cm_mod_(cm_ctx *c, spe_id v, int n) { return spe_and(c->module, v, cm_i32_(c, n - 1)); }

static spe_id cm_log2_(cm_ctx *c, int n)
{
    int shift = 0;
    while (1 << shift < n) shift++;
    return cm_i32_(c, shift);
}
XE_FN_ spe_id cm_shr_(cm_ctx *c, spe_id v, int n) { return n == 1 ? v : spe_shr(c->module, v, cm_log2_(c, n)); }
XE_FN_ spe_id cm_shr_signed_(cm_ctx *c, spe_id v, int n) { return n == 1 ? v : spe_sar(c->module, v, cm_log2_(c, n)); }

XE_FN_ cm_lane cm_lane_(cm_ctx *c, const cm_layout *l)
{
    spe_id p = spe_builtin(c->module, SPE_SUBGROUP_LANE, 0);
    bool whole = l->size_i == l->lanes;
    spe_id i = whole ? p : cm_mod_(c, p, l->size_i), j0 = whole ? cm_i32_(c, 0) : cm_shr_(c, p, l->size_i);
    cm_lane lane = {i, j0};
    return lane;
}

/* The component number, counting channels, of a slot; the element in component v of a lane. */
XE_FN_ int cm_number_of_(const cm_layout *l, cm_slot s) { return s.component * l->omega + s.channel; }
XE_FN_ cm_element cm_element_at_(const cm_layout *l, int lane, int v)
{
    cm_slot s = {lane, v / l->omega, v % l->omega};
    return cm_element_of(l, s);
}

/* The row and column of component v in this lane: those of the first lane plus this lane's distance. */
XE_ONCE_
XE_FN_ spe_id cm_row_at_(cm_ctx *c, const cm_layout *l, cm_lane lane, int v)
{
    return cm_plus_(c, cm_times_(c, lane.row, l->interleaved ? l->size_k1 : 1), cm_element_at_(l, 0, v).row);
}

XE_ONCE_
XE_FN_ spe_id cm_col_at_(cm_ctx *c, const cm_layout *l, cm_lane lane, int v)
{
    return cm_plus_(c, cm_times_(c, lane.col, l->omega), cm_element_at_(l, 0, v).col);
}

static bool cm_has_component_(cm_ctx *c, const cm_layout *l, int v)
{
    if (!spe_ok(c->module)) return false;
    return (v >= 0 && v < l->size_v) || CM_FAIL_(c, SHAPE, "component %d; there are %d", v, l->size_v);
}

spe_id cm_row_index(cm_ctx *c, const cm_layout *l, int v)
{
    return cm_has_component_(c, l, v) ? cm_row_at_(c, l, cm_lane_(c, l), v) : 0;
}
spe_id cm_col_index(cm_ctx *c, const cm_layout *l, int v)
{
    return cm_has_component_(c, l, v) ? cm_col_at_(c, l, cm_lane_(c, l), v) : 0;
}

/* Row and column axis of component v of the vector: v = (w1 + u K1 + w2 K1 V/K), where u includes channels. */
XE_FN_ void cm_axes_of_(const cm_layout *l, int v, int *row, int *col)
{
    int per_block = l->size_v / l->size_k2, in_block = v % per_block;
    *row = in_block % l->size_k1 + v / per_block * l->size_k1;
    *col = in_block / l->size_k1;
}
