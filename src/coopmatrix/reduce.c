/* reduce.c - reductions of rows and columns. */
#include "internal.h"

/* The neutral element: 0, the smallest or the largest number of the storage type (here the arithmetic type too). */
static spe_id cm_neutral_(cm_ctx *c, cm_op op, cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    spe_id id = cm_storage_type(c, type);
    uint64_t top = (uint64_t)1 << (t->storage_bits - 1), all = top | (top - 1);
    if (op == CM_ADD) return spe_null(c->module, id);
    if (t->kind == CM_KIND_FLOAT)
        return spe_const_f(c->module, id, spe_real_of_bits(SPE_IEEE, 16, op == CM_MIN ? 0x7c00 : 0xfc00));
    if (t->is_signed) return spe_const_u(c->module, id, op == CM_MIN ? top - 1 : top);
    return spe_const_u(c->module, id, op == CM_MIN ? all : 0);
}

/* The results this lane computes, in the arena: CM_BY_ROW, of each of its rows (K of them); CM_BY_COLUMN, of each of
 * its columns (V / K). Reduces first within the lane, then across the lanes with the same row or column. */
static spe_id *cm_totals_(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a)
{
    const cm_layout *l = &a->layout;
    cm_type type = cm_number_kind_(l->type) == SPE_NUMBER_FLOAT ? CM_SUM_(l->type) : l->type;
    spe_id *v = cm_component_ids(c, a, type), neutral = cm_neutral_(c, op, type);
    int n = by == CM_BY_ROW ? l->size_k : l->size_v / l->size_k, row, col;
    int first = by == CM_BY_ROW ? l->size_i : 1, last = by == CM_BY_ROW ? l->lanes : l->size_i;
    spe_id *total = cm_ids_(c, n);
    if (!v || !total) return NULL;
    for (int i = 0; i < l->size_v; i++) {
        spe_id one = v[i];
        if (by == CM_BY_ROW && l->needs_mask) {
            spe_id cols = cm_i32_(c, l->cols);
            one = spe_select(c->module, spe_slt(c->module, cm_col_index(c, l, i), cols), one, neutral);
        }
        cm_axes_of_(l, i, &row, &col);
        spe_id *to = &total[by == CM_BY_ROW ? row : col];
        *to = *to ? cm_apply_binary_(c, type, *to, one, &op) : one;
    }
    for (int i = 0; i < n; i++)
        for (int mask = first; mask < last; mask *= 2)
            total[i] =
                cm_apply_binary_(c, type, total[i], spe_sg_shuffle_xor(c->module, total[i], cm_i32_(c, mask)), &op);
    for (int i = 0; i < n; i++) total[i] = spe_reload(c->module, cm_convert_vector_(c, type, l->type, total[i]));
    return spe_ok(c->module) ? total : NULL;
}

/* cm_reduce_broadcast of a real matrix, in the result's layout. */
static cm_matrix cm_repeat_totals_(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a, int extent)
{
    bool rows = by == CM_BY_ROW;
    cm_layout l =
        cm_layout_for(c, rows ? a->layout.rows : extent, rows ? extent : a->layout.cols, a->layout.type, a->layout.use);
    if (!l.rows) return cm_poison();
    if (l.size_i != a->layout.size_i) { /* other lanes hold the columns: reduce in place, then move */
        cm_matrix d = cm_repeat_totals_(c, op, by, a, a->layout.rows);
        return cm_repeat(c, &d, extent, a->layout.cols);
    }
    spe_id *total = cm_totals_(c, op, by, a), *v = cm_ids_(c, l.size_v);
    for (int i = 0, row, col; total && v && i < l.size_v; i++) {
        cm_axes_of_(&l, i, &row, &col);
        v[i] = total[rows ? row : col];
    }
    return total && v ? cm_from_components(c, &l, v) : cm_poison();
}

cm_matrix cm_reduce_broadcast(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a, int extent)
{
    cm_matrix half[2];
    if (cm_is_poison_(c, a) || cm_opaque_(c, "a reduction")) return cm_poison();
    if (!cm_computes_(c, "a reduction", a->layout.type)) return cm_poison();
    if ((op != CM_ADD && op != CM_MIN && op != CM_MAX) || (unsigned)by > (unsigned)CM_BY_COLUMN ||
        (cm_is_complex(a->layout.type) && op != CM_ADD))
        return CM_POISON_(c, OPERATION, "a reduction of %s by operation %d in direction %d",
                          cm_name_(a->layout.type), (int)op, (int)by);
    for (int i = 0; i < cm_halves_(a->layout.type); i++) {
        half[i] = cm_half_(a, i);
        half[i] = cm_repeat_totals_(c, op, by, &half[i], extent);
    }
    return cm_of_halves_(c, a->layout.type, half);
}

cm_matrix cm_reduce(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a)
{
    return cm_reduce_broadcast(c, op, by, a, 1);
}
