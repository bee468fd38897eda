/* shape.c - transposing, repeating. */
#include "internal.h"

/* `rows` x `cols` in the given use, element (r, c) from (r, c) of `a`, or (c, r), modulo the extents of a. */
static cm_matrix cm_rearrange_(cm_ctx *c, const cm_matrix *a, int rows, int cols, cm_use use, bool transposed)
{
    cm_layout l;
    cm_matrix re, im;
    if (cm_is_poison_(c, a)) return cm_poison();
    if (cm_is_complex(a->l.type)) {
        re = cm_re(c, a), im = cm_im(c, a);
        re = cm_rearrange_(c, &re, rows, cols, use, transposed);
        im = cm_rearrange_(c, &im, rows, cols, use, transposed);
        return cm_complex(c, &re, &im);
    }
    l = cm_layout_for(c, rows, cols, a->l.type, use);
    return l.rows ? cm_relayout_(c, a, &l, transposed) : cm_poison();
}

cm_matrix cm_transpose(cm_ctx *c, const cm_matrix *a, cm_use use)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_rearrange_(c, a, a->l.cols, a->l.rows, use, true);
}

cm_matrix cm_repeat(cm_ctx *c, const cm_matrix *a, int rows, int cols)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_rearrange_(c, a, rows, cols, a->l.use, false);
}

/* ---- apply ------------------------------------------------------------------------------------------------------- */

cm_walk_ cm_walk_begin_(cm_ctx *c, const cm_matrix *a)
{
    cm_walk_ w;
    memset(&w, 0, sizeof w);
    w.c = c;
    w.a = a;
    w.v = -1;
    if (cm_is_poison_(c, a)) return w;
    w.value = cm_component_ids(c, a, a->l.type);
    if (w.value) w.lane = cm_lane_(c, &a->l);
    return w;
}

bool cm_walk_next_(cm_walk_ *w)
{
    const cm_layout *l = &w->a->l;
    cm_ctx *c = w->c;
    cm_element e;
    if (!w->value) return false;
    if (w->v >= 0) {
        spe_id want = cm_arith_type(c, l->type);
        if (w->component && spe_type_of(c->m, w->component) != want)
            cm_fail_(c, CM_ERROR_SCALAR, "CM_APPLY: the component is not of the arithmetic type of %s any more",
                     cm_type_info(l->type)->name);
        w->value[w->v] = spe_ok(c->m) ? cm_from_arith(c, l->type, w->component) : 0;
    }
    if (!spe_ok(c->m) || ++w->v >= l->V) return false;
    e = cm_first_element_(l, w->v);
    w->row = cm_plus_(c, cm_times_(c, w->lane.i, l->interleaved ? l->K1 : 1), e.row);
    w->col = cm_plus_(c, cm_times_(c, w->lane.j0, l->omega), e.col);
    w->component = cm_to_arith(c, l->type, w->value[w->v]);
    return true;
}

bool cm_walk_end_(cm_walk_ *w, cm_matrix *out)
{
    *out = w->value && spe_ok(w->c->m) ? cm_from_components(w->c, &w->a->l, w->value) : cm_poison();
    return false;
}

cm_matrix cm_apply(cm_ctx *c, const cm_matrix *a, cm_apply_fn fn, void *user)
{
    cm_walk_ w = cm_walk_begin_(c, a);
    cm_matrix d;
    while (cm_walk_next_(&w)) w.component = fn(c, w.row, w.col, w.component, user);
    cm_walk_end_(&w, &d);
    return d;
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

/* Floats below 32 bits are reduced in f32. */
static cm_type cm_reduce_type_(cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    return t->kind == CM_KIND_FLOAT && (t->bytes < 4 || type == CM_TF32) ? CM_F32 : type;
}

/* What changes nothing: 0, the smallest or the largest number, of the storage type (which `type` has for arithmetic).
 */
static spe_id cm_neutral_(cm_ctx *c, cm_op op, cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    spe_id id = cm_storage_type(c, type);
    uint64_t top = (uint64_t)1 << (t->storage_bits - 1), all = top | (top - 1);
    if (op == CM_ADD) return spe_null(c->m, id);
    if (t->kind == CM_KIND_FLOAT) return spe_const_f(c->m, id, op == CM_MIN ? (double)INFINITY : -(double)INFINITY);
    if (t->is_signed) return spe_const_u(c->m, id, op == CM_MIN ? top - 1 : top);
    return spe_const_u(c->m, id, op == CM_MIN ? all : 0);
}

/* What this lane gets to know: with CM_BY_ROW the total of each of its rows (K of them), with CM_BY_COLUMN of each of
 * its columns (V / K), in the arena. First inside the lane, then between the lanes that have the same row or column. */
static spe_id *cm_totals_(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a)
{
    const cm_layout *l = &a->l;
    cm_type type = cm_reduce_type_(l->type);
    spe_id *v = cm_component_ids(c, a, type), neutral = cm_neutral_(c, op, type);
    int n = by == CM_BY_ROW ? l->K : l->V / l->K, i, row, col, mask;
    int first = by == CM_BY_ROW ? l->I : 1, last = by == CM_BY_ROW ? l->S : l->I;
    spe_id *total = (spe_id *)spe_alloc(c->m, (size_t)n * sizeof(spe_id));
    for (i = 0; v && total && i < l->V; i++) {
        spe_id one = v[i];
        int at;
        if (by == CM_BY_ROW && l->needs_mask)
            one = spe_select(c->m, spe_slt(c->m, cm_col_index(c, l, i), cm_i32_(c, l->cols)), one, neutral);
        cm_axes_of_(l, i, &row, &col);
        at = by == CM_BY_ROW ? row : col;
        total[at] = total[at] ? cm_apply_(c, type, total[at], one, &op) : one;
    }
    for (i = 0; v && total && i < n; i++)
        for (mask = first; mask < last; mask *= 2)
            total[i] = cm_apply_(c, type, total[i], spe_sg_shuffle_xor(c->m, total[i], cm_i32_(c, mask)), &op);
    for (i = 0; v && total && i < n; i++) total[i] = cm_convert_vector_(c, type, l->type, total[i]);
    return v && spe_ok(c->m) ? total : NULL;
}

static bool cm_check_reduce_(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a)
{
    bool complex_order = cm_is_complex(a->l.type) && op != CM_ADD;
    if (cm_opaque_(c, "a reduction")) return false;
    if ((op == CM_ADD || op == CM_MIN || op == CM_MAX) && (unsigned)by <= (unsigned)CM_BY_COLUMN && !complex_order)
        return true;
    cm_fail_(c, CM_ERROR_OPERATION, "a reduction of %s by operation %d in direction %d", cm_type_info(a->l.type)->name,
             (int)op, (int)by);
    return false;
}

cm_matrix cm_reduce_spread(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a, int extent)
{
    cm_layout l;
    cm_matrix d, im;
    spe_id *total, *v;
    int i, row, col;
    if (cm_is_poison_(c, a) || !cm_check_reduce_(c, op, by, a)) return cm_poison();
    if (cm_is_complex(a->l.type)) {
        d = cm_re(c, a), im = cm_im(c, a);
        d = cm_reduce_spread(c, op, by, &d, extent);
        im = cm_reduce_spread(c, op, by, &im, extent);
        return cm_complex(c, &d, &im);
    }
    l = cm_layout_for(c, by == CM_BY_ROW ? a->l.rows : extent, by == CM_BY_ROW ? extent : a->l.cols, a->l.type,
                      a->l.use);
    if (!l.rows) return cm_poison();
    if (l.I != a->l.I) { /* other lanes have the columns: reduce in place, then move */
        d = cm_reduce_spread(c, op, by, a, a->l.rows);
        return cm_repeat(c, &d, extent, a->l.cols);
    }
    total = cm_totals_(c, op, by, a);
    v = (spe_id *)spe_alloc(c->m, (size_t)l.V * sizeof(spe_id));
    for (i = 0; total && v && i < l.V; i++) {
        cm_axes_of_(&l, i, &row, &col);
        v[i] = total[by == CM_BY_ROW ? row : col];
    }
    return total && v ? cm_from_components(c, &l, v) : cm_poison();
}

cm_matrix cm_reduce(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a)
{
    return cm_reduce_spread(c, op, by, a, 1);
}
