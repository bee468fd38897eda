/* rearrange.c - components that move between lanes: another use, transposition, repetition; another type as well. */
#include "internal.h"

/* How elements move: element (r, c) of the result is (r + row, c + col) of the source, or (c, r) if transposed, modulo
 * the source's extents. */
typedef struct {
    bool transposed;
    int row, col;
} cm_way_;

/* Where component v of layout `to` comes from, for cm_pick. Returns the component that it is in every lane, if it is
 * one; else -1, or -2 if it is an element in no lane. */
static int cm_origins_(const cm_layout *from, const cm_layout *to, const cm_way_ *way, int v, int *origin)
{
    int only = -2;
    for (int lane = 0; lane < to->lanes; lane++) {
        cm_element e = cm_element_at_(to, lane, v);
        origin[lane] = -1;
        if (e.padding) continue;
        cm_slot have = cm_slot_of(from, ((way->transposed ? e.col : e.row) + way->row) % from->rows,
                                  ((way->transposed ? e.row : e.col) + way->col) % from->cols);
        int number = cm_number_of_(from, have);
        origin[lane] = number * CM_LANES + have.lane;
        bool in_place = have.lane == lane && (only == -2 || only == number);
        only = in_place ? number : -1;
    }
    return only;
}

/* The elements of `a`, converted to the type of layout `to` and rearranged for it. */
static cm_matrix cm_relayout_(cm_ctx *c, const cm_matrix *a, const cm_layout *to, const cm_way_ *way)
{
    spe_id *from = cm_component_ids(c, a, to->type), *v = cm_ids_(c, to->size_v);
    int origin[CM_LANES];
    cm_picker picker;
    if (!from || !v || !cm_picker_init(c, &picker, from, a->layout.size_v)) return cm_poison();
    for (int i = 0; i < to->size_v; i++) {
        int only = cm_origins_(&a->layout, to, way, i, origin);
        if (only == -2) v[i] = spe_null(c->module, cm_storage_type(c, to->type));
        else if (only < 0) v[i] = cm_pick(c, &picker, origin);
        else v[i] = only == i ? from[i] : spe_reload(c->module, from[only]);
    }
    return cm_from_components(c, to, v);
}

/* `rows` x `cols` in the given use. */
static cm_matrix cm_rearrange_(cm_ctx *c, const cm_matrix *a, int rows, int cols, cm_use use, cm_way_ way)
{
    cm_matrix half[2];
    for (int i = 0; i < cm_halves_(a->layout.type); i++) {
        half[i] = cm_half_(a, i);
        cm_layout l = cm_layout_for(c, rows, cols, half[i].layout.type, use);
        half[i] = l.rows ? cm_relayout_(c, &half[i], &l, &way) : cm_poison();
    }
    return cm_of_halves_(c, a->layout.type, half);
}

cm_matrix cm_transpose(cm_ctx *c, const cm_matrix *a, cm_use use)
{
    const cm_way_ turned = {true, 0, 0};
    return cm_is_poison_(c, a) ? cm_poison() : cm_rearrange_(c, a, a->layout.cols, a->layout.rows, use, turned);
}

cm_matrix cm_repeat(cm_ctx *c, const cm_matrix *a, int rows, int cols)
{
    const cm_way_ plain = {false, 0, 0};
    return cm_is_poison_(c, a) ? cm_poison() : cm_rearrange_(c, a, rows, cols, a->layout.use, plain);
}

cm_matrix cm_submatrix(cm_ctx *c, const cm_matrix *a, int row, int col, int rows, int cols)
{
    const cm_layout *l = &a->layout;
    const cm_way_ from = {false, row, col};
    if (cm_is_poison_(c, a)) return cm_poison();
    if (row < 0 || col < 0 || rows < 1 || cols < 1 || rows > l->rows - row || cols > l->cols - col)
        return CM_POISON_(c, SHAPE, "%d x %d from (%d, %d) of %d x %d", rows, cols, row, col, l->rows, l->cols);
    return rows == l->rows && cols == l->cols ? *a : cm_rearrange_(c, a, rows, cols, l->use, from);
}

/* Changes type and use: of both halves of a complex matrix; a real one may become the real half of one. */
static cm_matrix cm_change_(cm_ctx *c, const cm_matrix *a, cm_type type, cm_use use)
{
    if (cm_is_poison_(c, a)) return cm_poison();
    if (type == a->layout.type && use == a->layout.use) return *a;
    cm_layout l = cm_layout_for(c, a->layout.rows, a->layout.cols, type, use);
    bool is_complex = cm_is_complex(a->layout.type);
    if (!l.rows) return cm_poison();
    if (cm_is_complex(type)) {
        cm_type part = cm_half_type_(type);
        cm_matrix half[2] = {cm_half_(a, 0), is_complex ? cm_half_(a, 1) : cm_splat(c, l.rows, l.cols, part, use, 0)};
        if (is_complex) half[1] = cm_change_(c, &half[1], part, use);
        half[0] = cm_change_(c, &half[0], part, use);
        return cm_of_halves_(c, type, half);
    }
    if (is_complex)
        return CM_POISON_(c, CONVERT, "%s to %s: take cm_re or cm_im", cm_name_(a->layout.type), cm_name_(type));
    if (use != a->layout.use && cm_opaque_(c, "cm_convert_use")) return cm_poison();
    bool in_place = l.size_v == a->layout.size_v && l.omega == a->layout.omega && l.size_k1 == a->layout.size_k1 &&
                    l.interleaved == a->layout.interleaved && l.size_i == a->layout.size_i;
    const cm_way_ plain = {false, 0, 0};
    return in_place ? cm_map_(c, &l, a, NULL, NULL, NULL) : cm_relayout_(c, a, &l, &plain);
}

cm_matrix cm_convert(cm_ctx *c, const cm_matrix *a, cm_type type) { return cm_change_(c, a, type, a->layout.use); }

cm_matrix cm_convert_upper(cm_ctx *c, const cm_matrix *a, cm_type type)
{
    if (cm_is_poison_(c, a) || cm_opaque_(c, "cm_convert_upper")) return cm_poison();
    if ((a->layout.type == CM_E2M1) == (type == CM_E2M1))
        return CM_POISON_(c, CONVERT, "cm_convert_upper: %s to %s; one of them is e2m1", cm_name_(a->layout.type),
                          cm_name_(type));
    c->upper = true;
    cm_matrix d = cm_change_(c, a, type, a->layout.use);
    c->upper = false;
    return d;
}

cm_matrix cm_convert_plus(cm_ctx *c, const cm_matrix *a, cm_type type, double number)
{
    bool bytes = a->layout.type == CM_I8 || a->layout.type == CM_U8;
    if (cm_is_poison_(c, a) || cm_opaque_(c, "cm_convert_plus")) return cm_poison();
    if (!bytes || type != CM_F16)
        return CM_POISON_(c, CONVERT, "cm_convert_plus: %s to %s; bytes become f16", cm_name_(a->layout.type),
                          cm_name_(type));
    c->plus = number;
    cm_matrix d = cm_change_(c, a, type, a->layout.use);
    c->plus = 0;
    return d;
}

cm_matrix cm_convert_use(cm_ctx *c, const cm_matrix *a, cm_use use) { return cm_change_(c, a, a->layout.type, use); }

cm_matrix cm_convert_as(cm_ctx *c, const cm_matrix *a, cm_type type, cm_rounding rounding, bool saturate)
{
    if (cm_is_poison_(c, a) || cm_opaque_(c, "cm_convert_as")) return cm_poison();
    if ((unsigned)rounding > (unsigned)CM_ROUND_DOWN)
        return CM_POISON_(c, CONVERT, "cm_convert_as: there is no rounding %d", (int)rounding);
    c->rounding = rounding;
    c->saturate = saturate;
    c->overflow = !saturate;
    cm_matrix d = cm_change_(c, a, type, a->layout.use);
    c->rounding = CM_ROUND_AUTO;
    c->saturate = c->overflow = false;
    return d;
}
