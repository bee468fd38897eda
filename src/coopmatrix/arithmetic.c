/* arithmetic.c - splats, component-wise operations, reductions. */
#include "internal.h"

cm_matrix cm_splat(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, spe_id scalar)
{
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    cm_matrix a = cm_new_(c, &l);
    if (!a.parts) return a;
    spe_id elem = cm_storage_type(c, type), word = 0;
    if (scalar && spe_type_of(c->module, scalar) != elem)
        return CM_POISON_(c, SCALAR, "the scalar of a %s matrix is not of its storage type", cm_name_(type));
    if (scalar && c->lowering != CM_KHR) word = cm_pack_(c, &l, cm_copies_(c, scalar, cm_channels_(&l)), 1);
    for (int i = 0; i < a.parts; i++) {
        bool zero = !scalar || i >= a.parts / cm_halves_(type);
        spe_id one = zero && c->lowering == CM_KHR ? spe_null(c->module, elem) : scalar, part = cm_part_type(c, &l, i);
        if (c->lowering == CM_KHR) /* Intel's compiler crashes on an OpConstantNull of such a type */
            a.part[i] = spe_construct(c->module, part, 1, &one);
        else if (zero) a.part[i] = spe_null(c->module, part);
        else a.part[i] = spe_splat(c->module, part, word);
    }
    return a;
}

cm_matrix cm_map1(cm_ctx *c, const cm_matrix *a, cm_fn fn, void *user)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_map_(c, &a->layout, a, NULL, fn, user);
}

cm_matrix cm_map2(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, cm_fn fn, void *user)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || !cm_alike_(c, a, b)) return cm_poison();
    return cm_map_(c, &a->layout, a, b, fn, user);
}

/* A type's kind of number for spe_arith and the tables. */
XE_FN_ spe_number_kind cm_number_kind_(cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    return t->kind == CM_KIND_FLOAT ? SPE_NUMBER_FLOAT : t->is_signed ? SPE_NUMBER_SIGNED : SPE_NUMBER_UNSIGNED;
}

static spe_id cm_no_operation_(cm_ctx *c, const char *name, cm_type type)
{
    return CM_FAIL_(c, EMIT_TYPE, "there is no operation %s on %s", name, cm_name_(type));
}

static spe_id cm_apply_binary_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    spe_arith_op op = (spe_arith_op)*(const cm_op *)user;
    if (!a || !b) return 0;
    spe_id r = spe_arith(c->module, op, cm_number_kind_(type), a, b);
    return r || !spe_ok(c->module) ? r : cm_no_operation_(c, spe_arith_name(op), type);
}

/* a b or a / b of complex matrices, computed on their halves; the quotient is a conj(b) / |b|^2. */
static cm_matrix cm_multiply_complex_(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, bool divide)
{
    cm_matrix x = cm_half_(a, 0), y = cm_half_(a, 1), u = cm_half_(b, 0), v = cm_half_(b, 1);
    cm_matrix xu = cm_mul(c, &x, &u), yv = cm_mul(c, &y, &v), xv = cm_mul(c, &x, &v), yu = cm_mul(c, &y, &u);
    cm_matrix re = cm_binary(c, divide ? CM_ADD : CM_SUB, &xu, &yv);
    cm_matrix im = divide ? cm_sub(c, &yu, &xv) : cm_add(c, &xv, &yu);
    if (divide) {
        cm_matrix uu = cm_mul(c, &u, &u), vv = cm_mul(c, &v, &v), norm = cm_add(c, &uu, &vv);
        re = cm_binary(c, CM_DIV, &re, &norm);
        im = cm_binary(c, CM_DIV, &im, &norm);
    }
    return cm_complex(c, &re, &im);
}

cm_matrix cm_binary(cm_ctx *c, cm_op op, const cm_matrix *a, const cm_matrix *b)
{
    cm_matrix half[2];
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b)) return cm_poison();
    cm_type type = a->layout.type;
    if ((unsigned)op > (unsigned)CM_SHR)
        return CM_POISON_(c, OPERATION, "cm_binary: there is no operation %d", (int)op);
    if (!cm_alike_(c, a, b)) return cm_poison();
    if (cm_is_complex(type) && op > CM_DIV)
        return cm_no_operation_(c, spe_arith_name((spe_arith_op)op), type), cm_poison();
    if (cm_is_complex(type) && (op == CM_MUL || op == CM_DIV)) return cm_multiply_complex_(c, a, b, op == CM_DIV);
    for (int i = 0; i < cm_halves_(type); i++) {
        cm_matrix x = cm_half_(a, i), y = cm_half_(b, i);
        half[i] = cm_map_(c, &x.layout, &x, &y, cm_apply_binary_, &op);
    }
    return cm_of_halves_(c, type, half);
}

cm_matrix cm_add(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_ADD, a, b); }
cm_matrix cm_sub(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_SUB, a, b); }
cm_matrix cm_mul(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_MUL, a, b); }

cm_matrix cm_scale(cm_ctx *c, const cm_matrix *a, spe_id scalar)
{
    cm_matrix half[2];
    if (cm_is_poison_(c, a)) return cm_poison();
    for (int i = 0; i < cm_halves_(a->layout.type); i++) {
        cm_matrix x = cm_half_(a, i),
                  s = cm_splat(c, x.layout.rows, x.layout.cols, x.layout.type, x.layout.use, scalar);
        half[i] = cm_mul(c, &x, &s);
    }
    return cm_of_halves_(c, a->layout.type, half);
}

/* Name and float function of each operation; NEG, NOT and CONJ have no function. */
typedef struct {
    const char *name;
    spe_math_op function;
} cm_unary_row_;

static const cm_unary_row_ *cm_unary_row_of_(cm_unary_op op)
{
#define CM_UNARY_ROW_(name) {"CM_" #name, SPE_##name},
    static const cm_unary_row_ rows[] = {{"CM_NEG", SPE_FABS}, {"CM_NOT", SPE_FABS}, {"CM_CONJ", SPE_FABS},
                                         {"CM_ABS", SPE_FABS}, CM_UNARY_OPS_(CM_UNARY_ROW_)};
    return &rows[op];
}

static spe_id cm_apply_unary_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    cm_unary_op op = *(const cm_unary_op *)user;
    spe_number_kind kind = cm_number_kind_(type);
    (void)b;
    if (!a) return 0;
    if (op == CM_NEG) return kind == SPE_NUMBER_FLOAT ? spe_fneg(c->module, a) : spe_ineg(c->module, a);
    if (op == CM_NOT && kind != SPE_NUMBER_FLOAT) return spe_not(c->module, a);
    if (op == CM_ABS && kind != SPE_NUMBER_FLOAT)
        return kind == SPE_NUMBER_SIGNED ? spe_math1(c->module, SPE_SABS, a) : a;
    if (op >= CM_ABS && kind == SPE_NUMBER_FLOAT) return spe_math1(c->module, cm_unary_row_of_(op)->function, a);
    return cm_no_operation_(c, cm_unary_row_of_(op)->name, type);
}

/* |z| is real; exp z = e^x (cos y + i sin y); exp2 (2^iy = e^(iy ln 2)) and the native ones are similar. */
static cm_matrix cm_unary_complex_(cm_ctx *c, cm_unary_op op, const cm_matrix *a)
{
    cm_matrix x = cm_half_(a, 0), y = cm_half_(a, 1), p, q;
    bool two = op == CM_EXP2 || op == CM_NATIVE_EXP2, native = op == CM_NATIVE_EXP || op == CM_NATIVE_EXP2;
    if (op == CM_NEG || op == CM_CONJ) {
        if (op == CM_NEG) x = cm_unary(c, CM_NEG, &x);
        y = cm_unary(c, CM_NEG, &y);
        return cm_complex(c, &x, &y);
    }
    if (op == CM_ABS) {
        p = cm_mul(c, &x, &x), q = cm_mul(c, &y, &y);
        p = cm_add(c, &p, &q);
        return cm_unary(c, CM_SQRT, &p);
    }
    if (op != CM_EXP && !two && !native)
        return cm_no_operation_(c, cm_unary_row_of_(op)->name, a->layout.type), cm_poison();
    if (two) y = cm_scale(c, &y, spe_const_f(c->module, cm_storage_type(c, y.layout.type), 0.6931471805599453));
    x = cm_unary(c, op, &x);
    p = cm_unary(c, native ? CM_NATIVE_COS : CM_COS, &y);
    q = cm_unary(c, native ? CM_NATIVE_SIN : CM_SIN, &y);
    p = cm_mul(c, &x, &p), q = cm_mul(c, &x, &q);
    return cm_complex(c, &p, &q);
}

cm_matrix cm_unary(cm_ctx *c, cm_unary_op op, const cm_matrix *a)
{
    if (cm_is_poison_(c, a)) return cm_poison();
    if ((unsigned)op >= (unsigned)CM_UNARY_COUNT_)
        return CM_POISON_(c, OPERATION, "cm_unary: there is no operation %d", (int)op);
    return cm_is_complex(a->layout.type) ? cm_unary_complex_(c, op, a) : cm_map1(c, a, cm_apply_unary_, &op);
}

cm_walk_ cm_walk_begin_(cm_ctx *c, const cm_matrix *a)
{
    cm_walk_ w = {c, a, cm_component_ids(c, a, a->layout.type), {0, 0}, -1, 0, 0, 0};
    if (w.value) w.lane = cm_lane_(c, &a->layout);
    return w;
}

bool cm_walk_next_(cm_walk_ *w)
{
    const cm_layout *l = &w->a->layout;
    cm_ctx *c = w->c;
    if (!w->value) return false;
    if (w->v >= 0) {
        if (spe_ok(c->module) && spe_type_of(c->module, w->component) != cm_arith_type(c, l->type))
            return CM_FAIL_(c, SCALAR, "CM_APPLY: the component is not of the arithmetic type of %s any more",
                            cm_name_(l->type));
        w->value[w->v] = spe_ok(c->module) ? cm_from_arith(c, l->type, w->component) : 0;
    }
    if (!spe_ok(c->module) || ++w->v >= l->size_v) return false;
    w->row = cm_row_at_(c, l, w->lane, w->v);
    w->col = cm_col_at_(c, l, w->lane, w->v);
    w->component = cm_to_arith(c, l->type, w->value[w->v]);
    return true;
}

bool cm_walk_end_(cm_walk_ *w, cm_matrix *out)
{
    *out = w->value && spe_ok(w->c->module) ? cm_from_components(w->c, &w->a->layout, w->value) : cm_poison();
    return false;
}

cm_matrix cm_apply(cm_ctx *c, const cm_matrix *a, cm_apply_fn fn, void *user)
{
    cm_matrix d = cm_poison();
    CM_APPLY (c, d, *a, row, col, v) v = fn(c, row, col, v, user);
    return d;
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

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
        if (by == CM_BY_ROW && l->needs_mask)
            one = spe_select(c->module, spe_slt(c->module, cm_col_index(c, l, i), cm_i32_(c, l->cols)), one, neutral);
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

/* cm_reduce_spread of a real matrix, in the result's layout. */
static cm_matrix cm_spread_totals_(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a, int extent)
{
    bool rows = by == CM_BY_ROW;
    cm_layout l =
        cm_layout_for(c, rows ? a->layout.rows : extent, rows ? extent : a->layout.cols, a->layout.type, a->layout.use);
    if (!l.rows) return cm_poison();
    if (l.size_i != a->layout.size_i) { /* other lanes hold the columns: reduce in place, then move */
        cm_matrix d = cm_spread_totals_(c, op, by, a, a->layout.rows);
        return cm_repeat(c, &d, extent, a->layout.cols);
    }
    spe_id *total = cm_totals_(c, op, by, a), *v = cm_ids_(c, l.size_v);
    for (int i = 0, row, col; total && v && i < l.size_v; i++) {
        cm_axes_of_(&l, i, &row, &col);
        v[i] = total[rows ? row : col];
    }
    return total && v ? cm_from_components(c, &l, v) : cm_poison();
}

cm_matrix cm_reduce_spread(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a, int extent)
{
    cm_matrix half[2];
    if (cm_is_poison_(c, a) || cm_opaque_(c, "a reduction")) return cm_poison();
    if ((op != CM_ADD && op != CM_MIN && op != CM_MAX) || (unsigned)by > (unsigned)CM_BY_COLUMN ||
        (cm_is_complex(a->layout.type) && op != CM_ADD))
        return CM_POISON_(c, OPERATION, "a reduction of %s by operation %d in direction %d",
                          cm_name_(a->layout.type), (int)op, (int)by);
    for (int i = 0; i < cm_halves_(a->layout.type); i++) {
        half[i] = cm_half_(a, i);
        half[i] = cm_spread_totals_(c, op, by, &half[i], extent);
    }
    return cm_of_halves_(c, a->layout.type, half);
}

cm_matrix cm_reduce(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a)
{
    return cm_reduce_spread(c, op, by, a, 1);
}
