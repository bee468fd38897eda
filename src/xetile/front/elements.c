/* front/elements.c - records element-wise operations and casts. */
#include "../internal.h"

static bool xt_check_alike_(xt_where_ w, const char *what, const xt_vec *a, const xt_vec *b, bool types)
{
    const xt_same_errors_ errors = {XT_ERROR_VEC_SHAPE, types ? XT_ERROR_VEC_TYPE : 0, XT_ERROR_BLOCKED,
                                    XT_ERROR_MAP_DIFFERS};
    return xt_check_vec_(w, a, "the first operand") && xt_check_vec_(w, b, "the second operand") &&
           xt_check_same_(w, &errors, what, a, "the other", b);
}

static bool xt_has_shape_(const xt_vec *v, int dim, const xt_vec *like)
{
    return v->dist.shape[dim] == like->dist.shape[dim] || v->dist.shape[dim] == 1;
}

/* Repeats a single row, column or element to the shape of a larger vector; returns anything else unchanged. */
static xt_vec xt_repeated_(xt_where_ w, const xt_vec *v, const xt_vec *like)
{
    xt_vec r = *v;
    if (!v->id || !like->id || !xt_has_shape_(v, 0, like) || !xt_has_shape_(v, 1, like) || v->inner[0] ||
        like->inner[0])
        return r;
    for (int dim = 0; dim < 2 && r.id; dim++) {
        xt_map map = r.map;
        if (xt_has_map_(&map)) map.sg_data[dim] = like->map.sg_data[dim];
        if (r.dist.shape[dim] != like->dist.shape[dim]) r = xt_repeat_(w, &r, dim, like->dist.shape[dim], 0, &map);
    }
    return r;
}

/* The largest vector among operands; NULL if there is none. */
static const xt_vec *xt_largest_(int n, const xt_any_ *given)
{
    const xt_vec *most = NULL;
    for (int i = 0; i < n; i++) {
        const int *s = given[i].vec.dist.shape;
        if (!given[i].is_vec) continue;
        if (!most || s[0] * s[1] > most->dist.shape[0] * most->dist.shape[1]) most = &given[i].vec;
    }
    return most;
}

/* Checks that operands agree; numbers become vectors like `like`. */
static bool xt_operands_(xt_where_ w, const char *what, int n, const xt_any_ *given, const xt_vec *like, xt_vec *v)
{
    for (int i = 0; i < n; i++)
        v[i] = given[i].is_vec ? xt_repeated_(w, &given[i].vec, like) : xt_like_(w, &given[i], like);
    for (int i = 0; i < n; i++)
        if (!xt_check_alike_(w, what, &v[0], &v[i], true)) return false;
    return true;
}

/* Arithmetic takes all types except i1 and 8-bit floats; bit operations integers and i1; shifts integers. */
static bool xt_vec_op_allowed_(xt_where_ w, int op, int type)
{
    bool bits = xt_is_bitwise_(op), truth = bits || op == SPE_ARITH_EQ || op == SPE_ARITH_NE;
    bool whole = bits || op == SPE_ARITH_SHL || op == SPE_ARITH_SHR;
    return (type == XT_BOOL_ ? truth : !xt_is_small_(type) && (!whole || xt_is_int_(type))) ||
           xt_fail_(w, XT_ERROR_VEC_OP, "%s of vectors of %s", xt_op_name_(op), xt_type_name_(type));
}

/* Records an element-wise operation. */
static xt_vec xt_record_vecs_(xt_where_ w, const xt_operation_ *as, int kind, cm_type type, int n,
                              const xt_vec *v, int meeting)
{
    xt_ids_ d = XT_ZERO_;
    xt_vec r = xt_new_vec_(w.x, type, v);
    d.type = meeting;
    for (int i = 0; i < n; i++) xt_take_(w.x, &d, &v[i]);
    while (n-- > 1) xt_diverges_like_(w.x, r.id, &v[n]);
    xt_record_(w, as, kind, r.id, &d, NULL, 0);
    return r;
}

xt_vec xt_binary_vec_(xt_where_ w, int op, const xt_any_ *given)
{
    const xt_vec *like = xt_largest_(2, given);
    xt_vec v[2];
    if (!xt_enter_(w) || !xt_check_vec_(w, like, "an operand") || !xt_vec_op_allowed_(w, op, (int)like->type) ||
        !xt_operands_(w, xt_op_name_(op), 2, given, like, v))
        return xt_no_vec_();
    return xt_record_vecs_(w, XT_AS_(BINARY_VECTOR), op, xt_is_compare_(op) ? (cm_type)XT_BOOL_ : v[0].type, 2, v,
                           (int)like->type);
}

XE_FN_ xt_vec xt_binary_pair_(xt_where_ w, int op, xt_any_ a, xt_any_ b)
{
    const xt_any_ both[2] = {a, b};
    return xt_binary_vec_(w, op, both);
}

xt_val xt_binary_scalar_(xt_where_ w, int op, const xt_any_ *given)
{
    return xt_binary_number_(w, op, given[0].val, given[1].val);
}

static bool xt_check_select_(xt_where_ w, const xt_any_ *condition, const xt_vec *like)
{
    if (!condition->is_vec)
        return xt_fail_(w, XT_ERROR_CONDITION,
                        "the condition of XT_SELECT is a number, its operands are vectors: use XT_IF");
    if (!xt_check_vec_(w, &condition->vec, "the condition of XT_SELECT")) return false;
    if ((int)condition->vec.type != XT_BOOL_)
        return xt_fail_(w, XT_ERROR_CONDITION, "XT_SELECT got a vector of %s", xt_type_name_((int)condition->vec.type));
    if (!like)
        return xt_fail_(w, XT_ERROR_VEC_TYPE,
                        "XT_SELECT of two numbers: make one a vector of the type you want (XT_SPLAT)");
    return xt_check_vec_(w, like, "an operand of XT_SELECT");
}

xt_vec xt_select_vec_(xt_where_ w, const xt_any_ *given)
{
    const xt_vec *condition = &given[0].vec, *like = xt_largest_(2, given + 1);
    xt_vec v[3];
    if (!xt_enter_(w) || !xt_check_select_(w, &given[0], like)) return xt_no_vec_();
    xt_vec whole = xt_repeated_(w, like, condition);
    v[0] = xt_repeated_(w, condition, &whole);
    if (!xt_operands_(w, "XT_SELECT", 2, given + 1, &whole, v + 1) ||
        !xt_check_alike_(w, "XT_SELECT", &v[0], &v[1], false))
        return xt_no_vec_();
    return xt_record_vecs_(w, XT_AS_(SELECT_VECTOR), 0, v[1].type, 3, v, 0);
}

static bool xt_math_allowed_(xt_where_ w, int op, int type)
{
    return (type < XT_BOOL_ && xt_math_instruction_(op, type)) ||
           xt_fail_(w, XT_ERROR_MATH_TYPE, "%s of %s", xt_math_info_(op)->name, xt_type_name_(type));
}

xt_vec xt_math_vec_(xt_where_ w, int op, const xt_any_ *given)
{
    const xt_math_row_ *row = xt_math_info_(op);
    const xt_vec *like = xt_largest_(row->operands, given);
    xt_vec v[3];
    if (!xt_enter_(w) || !xt_check_vec_(w, like, row->name) || !xt_math_allowed_(w, op, (int)like->type) ||
        !xt_operands_(w, row->name, row->operands, given, like, v))
        return xt_no_vec_();
    return xt_record_vecs_(w, XT_AS_(MATH_VECTOR), op, like->type, row->operands, v, (int)like->type);
}

xt_val xt_math_scalar_(xt_where_ w, int op, const xt_any_ *given)
{
    const xt_math_row_ *row = xt_math_info_(op);
    const xt_val *a = &given[0].val;
    xt_ids_ n = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_value_(w, a, row->name)) return xt_nothing_();
    n.type = a->kind == SPE_INT && op != XT_MATH_ABS_ ? CM_F32 : xt_carried_type_(a);
    for (int i = 1; i < row->operands; i++)
        if (!xt_is_constant_(&given[i].val)) n.type = given[i].val.type;
    if (a->kind == SPE_POINTER || n.type == CM_BF16)
        return XT_FAIL_NUMBER_(w, XT_ERROR_MATH_TYPE, "%s of %s%s", row->name,
                               a->kind == SPE_POINTER ? "a pointer to " : "the number ", xt_type_name_(n.type));
    if (!xt_math_allowed_(w, op, n.type)) return xt_nothing_();
    for (int i = 0; i < row->operands; i++) {
        if (!xt_check_type_(w, &given[i].val, n.type, row->name)) return xt_nothing_();
        xt_take_(w.x, &n, &given[i].val);
    }
    return xt_record_number_(w, XT_AS_(MATH_NUMBER), op, n.type, 1, &n);
}

/* A cast to e2m1 makes bytes with a value in the lower four bits; one from e2m1 takes that. */
XE_FN_ xt_vec xt_cast_each_(xt_where_ w, int type, const xt_vec *v)
{
    return xt_record_vecs_(w, XT_AS_(CAST_VECTOR), 0, (cm_type)type, 1, v, type);
}

xt_vec xt_cast_vec_(xt_where_ w, int type, xt_any_ a, xt_cast_desc_ d)
{
    if (!xt_enter_(w) || !xt_check_vec_(w, &a.vec, "the operand of XT_CAST")) return xt_no_vec_();
    if ((type == CM_E2M1) != (a.vec.type == CM_E2M1))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_CAST from %s to %s: use XT_TO_E2M1 or XT_FROM_E2M1",
                            xt_type_name_((int)a.vec.type), xt_type_name_(type));
    return xt_record_vecs_(w, XT_AS_(CAST_VECTOR), !d.saturate, (cm_type)type, 1, &a.vec, type);
}

/* The same bits as another type of the same size. */
XE_FN_ xt_vec xt_reinterpret_(xt_where_ w, int type, const xt_vec *v)
{
    return xt_record_vecs_(w, XT_AS_(BITCAST_VECTOR), 0, (cm_type)type, 1, v, type);
}

xt_val xt_bitcast_scalar_(xt_where_ w, int type, xt_any_ a)
{
    const xt_val *v = &a.val;
    xt_ids_ n = XT_ZERO_;
    int from = xt_carried_type_(v);
    if (!xt_enter_(w) || !xt_check_value_(w, v, "the operand of XT_BITCAST")) return xt_nothing_();
    if (type == XT_BOOL_ || v->magic != SPE_VAL_MAGIC || v->kind == SPE_NOTHING || v->kind == SPE_POINTER ||
        from == XT_BOOL_ || xt_bits_(type) != xt_bits_(from))
        return XT_FAIL_NUMBER_(w, XT_ERROR_BITCAST, "from %s to %s", xt_describe_(v).s, xt_type_name_(type));
    if (!xt_check_type_(w, v, from, "the operand of XT_BITCAST")) return xt_nothing_();
    n.type = type;
    xt_take_(w.x, &n, v);
    return xt_record_number_(w, XT_AS_(BITCAST_NUMBER), 0, type, 1, &n);
}
