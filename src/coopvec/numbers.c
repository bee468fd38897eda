/* numbers.c - numbers. */
#include "internal.h"

const char *cv_op_name_(int op)
{
    static const char *const names[] = {"CV_ADD", "CV_SUB", "CV_TIMES", "CV_DIV", "CV_MIN", "CV_MAX",
                                        "CV_MOD", "CV_AND", "CV_OR",    "CV_XOR", "CV_SHL", "CV_SHR",
                                        "CV_EQ",  "CV_NE",  "CV_LT",    "CV_LE",  "CV_GT",  "CV_GE"};
    return names[op]; /* by spe_arith_op */
}

/* Does a constant fit an integer type? */
static bool cv_fits_(int type, int64_t i)
{
    int bits = cv_type_info(type)->bits;
    if (cv_is_signed_(type)) return i >= -((int64_t)1 << (bits - 1)) && i < (int64_t)1 << (bits - 1);
    return i >= 0 && i < (int64_t)1 << bits;
}

/* A number as an id of this type: constants take it on, scalars must have it. i32 and u32 may stand for each other. */
spe_id cv_id_(cv_where_ w, int type, const cv_val *v)
{
    spe_module *m = &w.x->m;
    char text[48];
    if (v->magic != CV_VAL_MAGIC_ || v->kind == CV_NONE_) {
        if (spe_ok(m)) cv_fail_(w, CV_ERROR_UNSET, "an operand");
        return 0;
    }
    if (v->kind == CV_SCALAR_ &&
        (v->type == type || (cv_type_info(v->type) && cv_type_info(type) && !cv_is_float_(type) &&
                             !cv_is_float_(v->type) && cv_type_info(type)->bits == cv_type_info(v->type)->bits)))
        return v->id;
    if (v->kind == CV_INT_ && type == CV_BOOL_) return spe_const_bool(m, v->i != 0);
    if (v->kind == CV_INT_ && !cv_is_float_(type)) {
        if (!cv_fits_(type, v->i)) {
            cv_fail_(w, CV_ERROR_NUMBER_RANGE, "%lld as %s", (long long)v->i, cv_type_name(type));
            return 0;
        }
        return spe_const_i(m, cv_spe_type_(w.x, type), v->i);
    }
    if ((v->kind == CV_INT_ || v->kind == CV_REAL_) && cv_is_float_(type))
        return spe_const_f(m, cv_spe_type_(w.x, type), v->real);
    cv_fail_(w, CV_ERROR_NUMBER_TYPE, "%s where %s is wanted", cv_describe_(v, text, sizeof text), cv_type_text_(type));
    return 0;
}

/* A number as an i32 index. */
spe_id cv_index_(cv_where_ w, const cv_val *v, const char *what)
{
    char text[48];
    if (v->magic == CV_VAL_MAGIC_ && v->kind == CV_NONE_ && !spe_ok(&w.x->m)) return 0;
    if (v->magic == CV_VAL_MAGIC_ && v->kind == CV_INT_ && cv_fits_(CV_I32, v->i))
        return spe_i32(&w.x->m, (int32_t)v->i);
    if (v->magic == CV_VAL_MAGIC_ && v->kind == CV_SCALAR_ && (v->type == CV_I32 || v->type == CV_U32)) return v->id;
    cv_fail_(w, CV_ERROR_INDEX, "%s is %s", what, cv_describe_(v, text, sizeof text));
    return 0;
}

/* One instruction on scalars or vectors of a type; 0 and no error where there is none. */
spe_id cv_emit_(spe_module *m, int op, int type, spe_id a, spe_id b)
{
    bool fp = cv_is_float_(type);
    if (fp && op == SPE_ARITH_REM) return 0;
    return spe_arith(m, (spe_arith_op)op,
                     fp                    ? SPE_NUMBER_FLOAT
                     : cv_is_signed_(type) ? SPE_NUMBER_SIGNED
                                           : SPE_NUMBER_UNSIGNED,
                     a, b);
}

/* The type two numbers meet in: a scalar's; of i32 and u32, i32; of two constants i32 or f32. */
static int cv_common_type_(const cv_val *a, const cv_val *b)
{
    if (a->kind == CV_SCALAR_ && b->kind == CV_SCALAR_)
        return a->type == b->type ? a->type : a->type == CV_I32 || b->type == CV_I32 ? CV_I32 : a->type;
    if (a->kind == CV_SCALAR_) return a->type;
    if (b->kind == CV_SCALAR_) return b->type;
    return a->kind == CV_REAL_ || b->kind == CV_REAL_ ? CV_F32 : CV_I32;
}

cv_val cv_binary_scalar_(cv_where_ w, int op, cv_any_ a, cv_any_ b)
{
    spe_module *m = &w.x->m;
    int type = cv_common_type_(&a.val, &b.val);
    bool logic = type == CV_BOOL_ && (op == SPE_ARITH_AND || op == SPE_ARITH_OR);
    spe_id p, q, r;
    if (!cv_enter_(w)) return cv_nothing_();
    p = cv_id_(w, type, &a.val);
    q = cv_id_(w, type, &b.val);
    if (!p || !q) return cv_nothing_();
    if (logic)
        r = op == SPE_ARITH_AND ? spe_land(m, p, q) : spe_lor(m, p, q);
    else if (type == CV_BOOL_)
        r = 0;
    else
        r = cv_emit_(m, op, type, p, q);
    if (!r && spe_ok(m)) cv_fail_(w, CV_ERROR_OPERATION, "%s on %s", cv_op_name_(op), cv_type_text_(type));
    return cv_scalar_(op >= SPE_ARITH_EQ ? (int)CV_BOOL_ : type, r, a.val.uniform && b.val.uniform);
}

cv_val cv_select_(cv_where_ w, cv_val c, cv_val a, cv_val b)
{
    int type = cv_common_type_(&a, &b);
    spe_id p, q, r;
    if (!cv_enter_(w)) return cv_nothing_();
    if (c.kind == CV_INT_) return c.i ? a : b;
    if (c.kind != CV_SCALAR_ || c.type != CV_BOOL_) {
        char text[48];
        cv_fail_(w, CV_ERROR_CONDITION, "CV_SELECT got %s", cv_describe_(&c, text, sizeof text));
        return cv_nothing_();
    }
    p = cv_id_(w, type, &a);
    q = cv_id_(w, type, &b);
    r = p && q ? spe_select(&w.x->m, c.id, p, q) : 0;
    return cv_scalar_(type, r, c.uniform && a.uniform && b.uniform);
}

cv_val cv_builtin_(cv_where_ w, int which)
{
    static const struct {
        spe_builtin_name name;
        bool uniform;
    } rows[] = {{SPE_GROUP_ID, true},    {SPE_GROUP_COUNT, true}, {SPE_LOCAL_ID, false},     {SPE_GLOBAL_ID, false},
                {SPE_GLOBAL_SIZE, true}, {SPE_SUBGROUP_ID, true}, {SPE_SUBGROUP_LANE, false}};
    if (!cv_enter_(w)) return cv_nothing_();
    return cv_scalar_(CV_I32, spe_builtin(&w.x->m, rows[which].name, 0), rows[which].uniform);
}

cv_val cv_uniform_(cv_where_ w, cv_val v)
{
    if (!cv_enter_(w) || v.kind != CV_SCALAR_ || v.uniform || v.type == CV_BOOL_) return v;
    return cv_scalar_(v.type, spe_sg_broadcast_first(&w.x->m, v.id), true);
}
