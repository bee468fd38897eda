/* parts.c - whole vectors, part by part. */
#include "internal.h"

cm_matrix xt_map_parts_(xt_ctx *x, cm_type to, int n, const cm_matrix *const *a, xt_part_fn_ fn, const void *user)
{
    cm_layout l = cm_layout_for(&x->cm, a[0]->l.rows, a[0]->l.cols, to, CM_ACC);
    spe_id *out = (spe_id *)xt_memory_(x, (size_t)a[0]->parts * sizeof *out), parts[3];
    int i, j;
    for (i = 0; out && i < a[0]->parts; i++) {
        for (j = 0; j < n; j++) parts[j] = i < a[j]->parts ? a[j]->part[i] : 0;
        out[i] = fn(x, parts, user);
    }
    return out && spe_ok(&x->m) ? cm_from_parts(&x->cm, &l, out) : cm_poison();
}

/* A result is made in the accumulator's layout; afterwards it is put into the one that was planned. */
xt_vec xt_settle_(xt_ctx *x, xt_vec r)
{
    cm_use use = r.use;
    r.use = CM_ACC;
    return xt_as_use_(x, &r, use);
}

/* fn on every part of one to three vectors alike; r has been made for the result. */
static xt_vec xt_map_vecs_(xt_ctx *x, xt_vec r, int n, const xt_vec *const *v, xt_part_fn_ fn, const void *user)
{
    xt_vec operand[3];
    int i, j;
    if (x->planning || !r.blocks) return r;
    for (j = 0; j < n; j++) operand[j] = xt_as_use_(x, v[j], CM_ACC);
    for (i = 0; i < r.blocks; i++) {
        const cm_matrix *a[3] = {NULL, NULL, NULL};
        for (j = 0; j < n; j++) {
            if (i >= operand[j].blocks) return r; /* after an error */
            a[j] = &operand[j].block[i];
        }
        r.block[i] = xt_map_parts_(x, xt_held_(r.type), n, a, fn, user);
    }
    return xt_settle_(x, r);
}

spe_id xt_like_part_(xt_ctx *x, spe_id elem, spe_id part)
{
    return spe_vec(&x->m, elem, spe_count(&x->m, spe_type_of(&x->m, part)));
}

/* Conditions are kept as bytes 0 and 1. */
static spe_id xt_to_condition_(xt_ctx *x, spe_id part)
{
    return spe_ine(&x->m, part, spe_null(&x->m, spe_type_of(&x->m, part)));
}

static spe_id xt_from_condition_(xt_ctx *x, spe_id condition)
{
    spe_id type = xt_like_part_(x, spe_int(&x->m, 8), condition);
    return spe_select(&x->m, condition, spe_const_u(&x->m, type, 1), spe_null(&x->m, type));
}

/* ---- comparison, select, logic ----------------------------------------------------------------------------------- */

typedef struct {
    int op, type;
} xt_typed_op_;

static spe_id xt_compare_part_(xt_ctx *x, const spe_id *v, const void *user)
{
    const xt_typed_op_ *t = (const xt_typed_op_ *)user;
    spe_id a = v[0], b = v[1];
    if (xt_is_float_(t->type)) {
        a = cm_to_arith(&x->cm, (cm_type)t->type, a);
        b = cm_to_arith(&x->cm, (cm_type)t->type, b);
        return xt_from_condition_(x, xt_emit_float_(&x->m, t->op, a, b));
    }
    return xt_from_condition_(x, xt_emit_int_(&x->m, t->op, xt_is_signed_(t->type), a, b));
}

xt_vec xt_compare_vec_(xt_where_ w, int op, const xt_vec *a, const xt_vec *b)
{
    const xt_vec *both[2];
    xt_typed_op_ t;
    xt_vec r = xt_new_vec_(w, (cm_type)XT_BOOL_, &a->dist, &a->map);
    r.inner[0] = a->inner[0];
    r.inner[1] = a->inner[1];
    both[0] = a;
    both[1] = b;
    t.op = op;
    t.type = (int)a->type;
    return xt_map_vecs_(w.x, r, 2, both, xt_compare_part_, &t);
}

static spe_id xt_select_part_(xt_ctx *x, const spe_id *v, const void *user)
{
    (void)user;
    return spe_select(&x->m, xt_to_condition_(x, v[0]), v[1], v[2]);
}

xt_vec xt_select_vec_(xt_where_ w, xt_any_ condition, xt_any_ a, xt_any_ b)
{
    xt_ctx *x = w.x;
    const xt_vec *shape = a.is_vec ? &a.vec : b.is_vec ? &b.vec : NULL, *all[3];
    xt_vec c, p, q, r;
    if (!xt_enter_(w, XT_OP_SELECT_VECTOR_)) return xt_no_vec_();
    if (!condition.is_vec) {
        xt_fail_(w, XT_ERROR_CONDITION, "the condition of XT_SELECT is a number, its operands are vectors: use XT_IF");
        return xt_no_vec_();
    }
    if (!xt_check_vec_(w, &condition.vec, "the condition of XT_SELECT")) return xt_no_vec_();
    if ((int)condition.vec.type != XT_BOOL_) {
        xt_fail_(w, XT_ERROR_CONDITION, "XT_SELECT got a vector of %s", xt_type_name_((int)condition.vec.type));
        return xt_no_vec_();
    }
    if (!shape) {
        xt_fail_(w, XT_ERROR_VEC_TYPE, "XT_SELECT of two numbers: make one a vector of the type you want (XT_SPLAT)");
        return xt_no_vec_();
    }
    if (!xt_check_vec_(w, shape, "an operand of XT_SELECT")) return xt_no_vec_();
    c = condition.vec;
    p = xt_like_(w, &a, shape);
    q = xt_like_(w, &b, shape);
    if (!spe_ok(&x->m) || !xt_check_alike_(w, "XT_SELECT", &p, &q, true) ||
        !xt_check_alike_(w, "XT_SELECT", &c, &p, false))
        return xt_no_vec_();
    r = xt_new_vec_(w, p.type, &p.dist, &p.map);
    r.inner[0] = p.inner[0];
    r.inner[1] = p.inner[1];
    all[0] = &c;
    all[1] = &p;
    all[2] = &q;
    return xt_map_vecs_(x, r, 3, all, xt_select_part_, NULL);
}

xt_val xt_select_scalar_(xt_where_ w, xt_any_ condition, xt_any_ a, xt_any_ b)
{
    return xt_select_(w, condition.val, a.val, b.val);
}

/* ---- mathematics: numbers and vectors ---------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    int operands, on_float, on_signed, on_unsigned;
} xt_math_row_;

static const xt_math_row_ *xt_math_info_(int op)
{
    static const xt_math_row_ rows[] = {
#define XT_ROW_(name, n, f, s, u) {"XT_" #name, n, (int)(f), (int)(s), (int)(u)},
        XT_MATH_(XT_ROW_)
#undef XT_ROW_
    };
    return &rows[op];
}

static int xt_math_instruction_(int op, int type)
{
    const xt_math_row_ *row = xt_math_info_(op);
    if (type == CM_E4M3 || type == CM_E5M2 || type >= (int)CM_C32) return 0;
    return xt_is_float_(type) ? row->on_float : xt_is_signed_(type) ? row->on_signed : row->on_unsigned;
}

static spe_id xt_math_part_(xt_ctx *x, const spe_id *v, const void *user)
{
    const xt_typed_op_ *t = (const xt_typed_op_ *)user;
    spe_id a[3] = {0, 0, 0}, r;
    int i, n = xt_math_info_(t->op)->operands;
    for (i = 0; i < n; i++) a[i] = cm_to_arith(&x->cm, (cm_type)t->type, v[i]);
    r = spe_math(&x->m, (spe_math_op)xt_math_instruction_(t->op, t->type), (uint32_t)n, a);
    return cm_from_arith(&x->cm, (cm_type)t->type, r);
}

/* coopmatrix.h's callback: one operand, in any layout. */
static spe_id xt_math_component_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    (void)b;
    return spe_math1(c->m, (spe_math_op)xt_math_instruction_(*(const int *)user, (int)type), a);
}

static bool xt_math_allowed_(xt_where_ w, int op, int type)
{
    if (type < XT_BOOL_ && xt_math_instruction_(op, type)) return true;
    xt_fail_(w, XT_ERROR_MATH_TYPE, "%s of %s", xt_math_info_(op)->name, xt_type_name_(type));
    return false;
}

xt_vec xt_math_vec_(xt_where_ w, int op, xt_any_ a, xt_any_ b, xt_any_ c)
{
    xt_ctx *x = w.x;
    const xt_vec *shape = a.is_vec ? &a.vec : b.is_vec ? &b.vec : &c.vec, *all[3];
    int i, n = xt_math_info_(op)->operands;
    xt_typed_op_ t;
    xt_vec v[3], r;
    if (!xt_enter_kind_(w, XT_OP_MATH_VECTOR_, op) || !xt_check_vec_(w, shape, xt_math_info_(op)->name) ||
        !xt_math_allowed_(w, op, (int)shape->type))
        return xt_no_vec_();
    v[0] = xt_like_(w, &a, shape);
    if (n > 1) v[1] = xt_like_(w, &b, shape);
    if (n > 2) v[2] = xt_like_(w, &c, shape);
    for (i = 0; i < n; i++) {
        all[i] = &v[i];
        if (!spe_ok(&x->m) || !xt_check_alike_(w, xt_math_info_(op)->name, &v[0], &v[i], true)) return xt_no_vec_();
        xt_same_layout_(x, v[0].node, v[i].node);
    }
    r = xt_new_vec_(w, v[0].type, &v[0].dist, &v[0].map);
    r.inner[0] = v[0].inner[0];
    r.inner[1] = v[0].inner[1];
    xt_same_layout_(x, v[0].node, r.node);
    t.op = op;
    t.type = (int)r.type;
    if (n > 1) return xt_map_vecs_(x, r, n, all, xt_math_part_, &t);
    if (x->planning) return r;
    v[0] = xt_as_use_(x, &v[0], r.use);
    for (i = 0; i < r.blocks && i < v[0].blocks; i++)
        r.block[i] = cm_map1(&x->cm, &v[0].block[i], xt_math_component_, &op);
    return r;
}

xt_val xt_math_scalar_(xt_where_ w, int op, xt_any_ a, xt_any_ b, xt_any_ c)
{
    xt_ctx *x = w.x;
    const xt_val *v[3];
    spe_id id[3];
    int i, n = xt_math_info_(op)->operands, type;
    v[0] = &a.val;
    v[1] = &b.val;
    v[2] = &c.val;
    if (!xt_enter_kind_(w, XT_OP_MATH_NUMBER_, op)) return xt_nothing_();
    type = xt_is_constant_(v[0]) && v[0]->kind == XT_INT_ && op != XT_MATH_ABS_ ? CM_F32 : xt_carried_type_(v[0]);
    for (i = 1; i < n; i++)
        if (!xt_is_constant_(v[i])) type = v[i]->type;
    if (v[0]->kind == XT_POINTER_ || type == CM_BF16) {
        xt_fail_(w, XT_ERROR_MATH_TYPE, "%s of %s%s", xt_math_info_(op)->name,
                 v[0]->kind == XT_POINTER_ ? "a pointer to " : "the number ", xt_type_name_(type));
        return xt_nothing_();
    }
    if (!xt_math_allowed_(w, op, type)) return xt_nothing_();
    for (i = 0; i < n; i++) id[i] = xt_id_(w, v[i], type, xt_math_info_(op)->name);
    if (x->planning || !spe_ok(&x->m)) return xt_scalar_(x, type, 0, 1, 0);
    return xt_scalar_(x, type, spe_math(&x->m, (spe_math_op)xt_math_instruction_(op, type), (uint32_t)n, id), 1, 0);
}

/* ---- casts ------------------------------------------------------------------------------------------------------- */

/* To the 10 fraction bits of tf32: to nearest, ties to even; what is no number stays as it is. */
static spe_id xt_round_tf32_(xt_ctx *x, spe_id v)
{
    spe_module *m = &x->m;
    spe_id i32 = xt_like_part_(x, spe_int(m, 32), v), type = spe_type_of(m, v), bits = spe_bitcast(m, i32, v), odd, r;
    odd = spe_and(m, spe_shr(m, bits, spe_const_u(m, i32, 13)), spe_const_u(m, i32, 1));
    r = spe_iadd(m, spe_iadd(m, bits, odd), spe_const_u(m, i32, 0xfff));
    r = spe_bitcast(m, type, spe_and(m, r, spe_const_u(m, i32, 0xffffe000u)));
    return spe_select(m, spe_lor(m, spe_isnan(m, v), spe_isinf(m, v)), v, r);
}

static spe_id xt_round_tf32_part_(xt_ctx *x, const spe_id *v, const void *user)
{
    (void)user;
    return xt_round_tf32_(x, v[0]);
}

static spe_id xt_truth_part_(xt_ctx *x, const spe_id *v, const void *user)
{
    int type = *(const int *)user;
    spe_id a = xt_is_float_(type) ? cm_to_arith(&x->cm, (cm_type)type, v[0]) : v[0];
    spe_id zero = spe_null(&x->m, spe_type_of(&x->m, a));
    return xt_from_condition_(x, xt_is_float_(type) ? spe_fune(&x->m, a, zero) : spe_ine(&x->m, a, zero));
}

/* One block in another type. */
static cm_matrix xt_cast_block_(xt_ctx *x, const cm_matrix *a, int from, int to)
{
    cm_matrix wide;
    if (from == to) return *a;
    if (to == XT_BOOL_) return xt_map_parts_(x, CM_U8, 1, &a, xt_truth_part_, &from);
    wide = *a;
    if (to == CM_TF32) {
        const cm_matrix *one = &wide;
        if (from != CM_F32) wide = cm_convert(&x->cm, &wide, CM_F32);
        return xt_map_parts_(x, CM_TF32, 1, &one, xt_round_tf32_part_, NULL);
    }
    return cm_convert(&x->cm, &wide, (cm_type)to);
}

xt_vec xt_cast_vec_(xt_where_ w, int type, xt_any_ a)
{
    xt_ctx *x = w.x;
    xt_vec v, r;
    int i;
    if (!xt_enter_(w, XT_OP_CAST_VECTOR_) || !xt_check_vec_(w, &a.vec, "the operand of XT_CAST")) return xt_no_vec_();
    r = xt_new_vec_(w, (cm_type)type, &a.vec.dist, &a.vec.map);
    r.inner[0] = a.vec.inner[0];
    r.inner[1] = a.vec.inner[1];
    if (x->planning || !r.blocks) return r;
    v = xt_as_use_(x, &a.vec, CM_ACC);
    for (i = 0; i < r.blocks && i < v.blocks; i++) r.block[i] = xt_cast_block_(x, &v.block[i], (int)v.type, type);
    return xt_settle_(x, r);
}

static spe_id xt_bitcast_part_(xt_ctx *x, const spe_id *v, const void *user)
{
    return cm_bitcast(&x->cm, xt_like_part_(x, xt_spe_type_(x, *(const int *)user), v[0]), v[0]);
}

xt_vec xt_bitcast_vec_(xt_where_ w, int type, xt_any_ a)
{
    xt_ctx *x = w.x;
    const xt_vec *one = &a.vec;
    xt_vec r;
    if (!xt_enter_(w, XT_OP_BITCAST_VECTOR_) || !xt_check_vec_(w, &a.vec, "the operand of XT_BITCAST"))
        return xt_no_vec_();
    if (type == XT_BOOL_ || (int)a.vec.type == XT_BOOL_ || xt_bits_(type) != xt_bits_((int)a.vec.type)) {
        xt_fail_(w, XT_ERROR_BITCAST, "from %s to %s", xt_type_name_((int)a.vec.type), xt_type_name_(type));
        return xt_no_vec_();
    }
    r = xt_new_vec_(w, (cm_type)type, &a.vec.dist, &a.vec.map);
    r.inner[0] = a.vec.inner[0];
    r.inner[1] = a.vec.inner[1];
    return xt_map_vecs_(x, r, 1, &one, xt_bitcast_part_, &type);
}

xt_val xt_bitcast_scalar_(xt_where_ w, int type, xt_any_ a)
{
    xt_ctx *x = w.x;
    const xt_val *v = &a.val;
    int from = xt_carried_type_(v);
    char text[48];
    spe_id id;
    if (!xt_enter_(w, XT_OP_BITCAST_NUMBER_)) return xt_nothing_();
    if (type == XT_BOOL_ || v->magic != XT_VAL_MAGIC_ || v->kind == XT_NONE_ || v->kind == XT_POINTER_ ||
        from == XT_BOOL_ || xt_bits_(type) != xt_bits_(from)) {
        xt_fail_(w, XT_ERROR_BITCAST, "from %s to %s", xt_describe_(v, text, sizeof text), xt_type_name_(type));
        return xt_nothing_();
    }
    id = xt_id_(w, v, from, "the operand of XT_BITCAST");
    return xt_scalar_(x, type, x->planning ? 0 : cm_bitcast(&x->cm, xt_spe_type_(x, type), id), 1, 0);
}

/* ---- positions --------------------------------------------------------------------------------------------------- */

/* An i32 as a number of the type, in the form that holds it. */
static spe_id xt_from_i32_(xt_ctx *x, int type, spe_id v)
{
    spe_id f32 = spe_float(&x->m, 32);
    if (type == CM_BF16) return cm_f32_to_bf16(&x->cm, spe_s_to_f(&x->m, f32, v));
    if (xt_is_float_(type)) return spe_s_to_f(&x->m, xt_spe_type_(x, type), v);
    return xt_bits_(type) == 32 ? v : spe_sconvert(&x->m, xt_spe_type_(x, type), v);
}

static cm_matrix xt_iota_block_(xt_ctx *x, int type, const xt_block_ *b, int dim, spe_id place)
{
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, (cm_type)type, CM_ACC);
    spe_id *v = (spe_id *)xt_memory_(x, (size_t)l.V * sizeof *v);
    int i, first = dim ? b->col : b->row;
    for (i = 0; v && i < l.V; i++) {
        spe_id at = dim ? cm_row_index(&x->cm, &l, i) : cm_col_index(&x->cm, &l, i);
        at = spe_iadd(&x->m, at, spe_iadd(&x->m, place, spe_i32(&x->m, first)));
        v[i] = xt_from_i32_(x, type, at);
    }
    return v && spe_ok(&x->m) ? cm_from_components(&x->cm, &l, v) : cm_poison();
}

xt_vec xt_iota_(xt_where_ w, int type, int dim, xt_vec_desc_ d)
{
    xt_ctx *x = w.x;
    xt_dist dist;
    xt_vec r;
    xt_grid_ g;
    xt_val place;
    spe_id at;
    int i;
    if (!xt_enter_(w, XT_OP_IOTA_) || !xt_distribute_(w, &dist, d.rows, d.cols, &d.map)) return xt_no_vec_();
    if (dim != 0 && dim != 1) {
        xt_fail_(w, XT_ERROR_VEC_DIM, "XT_IOTA along dimension %d", dim);
        return xt_no_vec_();
    }
    if (type == XT_BOOL_ || type == CM_E4M3 || type == CM_E5M2) {
        xt_fail_(w, XT_ERROR_VEC_TYPE, "XT_IOTA of %s", xt_type_name_(type));
        return xt_no_vec_();
    }
    r = xt_new_vec_(w, (cm_type)type, &dist, &d.map);
    if (x->planning || !r.blocks) return r;
    place = xt_subgroup_place_(x, &dist, dim);
    at = xt_index_id_(w, &place, "the place");
    xt_grid_init_(&g, &dist);
    for (i = 0; i < g.blocks; i++) {
        xt_block_ b = xt_block_at_(&g, i);
        r.block[i] = xt_iota_block_(x, type, &b, dim, at);
    }
    return xt_settle_(x, r);
}
