/* context.c - the context of a build, and numbers. */
#include "internal.h"

spe_blame cv_blame_(cv_where_ w) { return spe_blame_of(&w.x->m, cv_errors_(), w.file, w.line); }

/* At the start of every operation: errors from here on are blamed on the user's line. False after an error. */
bool cv_enter_(cv_where_ w) { return spe_ok(spe_at(&w.x->m, w.file, w.line)); }

cv_val cv_nothing_(void) { return spe_val_of(SPE_NOTHING, CV_I32, 0); }

cv_val cv_scalar_(int type, spe_id id, bool uniform)
{
    cv_val v = spe_val_of(id ? SPE_SCALAR : SPE_NOTHING, type, id);
    v.uniform = uniform;
    return v;
}

cv_any_ cv_any_val_(cv_val v)
{
    cv_any_ a = {false, v, cv_no_vec_()};
    return a;
}

cv_any_ cv_any_vec_(cv_vec v)
{
    cv_any_ a = {true, cv_nothing_(), v};
    return a;
}

cv_any_ cv_any_int_(long long i) { return cv_any_val_(spe_val_int(i)); }
cv_any_ cv_any_uint_(unsigned long long u) { return cv_any_val_(spe_val_uint(u)); }
cv_any_ cv_any_real_(double d) { return cv_any_val_(spe_val_real(d)); }

const char *cv_type_text_(int type) { return type == CV_BOOL_ ? "condition" : cv_type_name(type); }

/* The SPIR-V scalar that holds a type. FP8 is held as its bits. */
spe_id cv_spe_type_(cv_ctx *x, int type)
{
    if (type == CV_BOOL_) return spe_bool(&x->m);
    if (type == CV_F16 || type == CV_F32) return spe_float(&x->m, (uint32_t)cv_type_info(type)->bits);
    return spe_int(&x->m, (uint32_t)cv_type_info(type)->bits);
}

/* What a value is, for error texts. */
const char *cv_describe_(const cv_val *v, char *text, size_t size)
{
    if (!spe_val_is_set(v))
        snprintf(text, size, "a value that was never set");
    else if (v->kind == SPE_INT)
        snprintf(text, size, "%lld", (long long)v->i);
    else if (v->kind == SPE_REAL)
        snprintf(text, size, "%g", v->real);
    else
        snprintf(text, size, v->kind == SPE_POINTER ? "ptr<%s>" : "%s", cv_type_text_(v->type));
    return text;
}

/* A number as an id of this type: constants take it on, scalars must have it, or be integers as wide. */
spe_id cv_id_(cv_where_ w, int type, const cv_val *v)
{
    spe_module *m = &w.x->m;
    const cv_type_row *want = cv_type_info(type), *has = cv_type_info(v->type);
    bool both = want && has && !want->is_float && !has->is_float && want->bits == has->bits;
    char text[48];
    if (!spe_val_is_set(v)) {
        if (spe_ok(m)) cv_fail_(w, CV_ERROR_UNSET, "an operand");
        return 0;
    }
    if (v->kind == SPE_SCALAR && (v->type == type || both)) return v->id;
    if (v->kind == SPE_INT && type == CV_BOOL_) return spe_const_bool(m, v->i != 0);
    if (v->kind == SPE_INT && want && !want->is_float) {
        if (spe_int_fits(v->i, want->bits, want->is_signed)) return spe_const_i(m, cv_spe_type_(w.x, type), v->i);
        return cv_fail_(w, CV_ERROR_NUMBER_RANGE, "%lld as %s", (long long)v->i, cv_type_name(type)), 0;
    }
    if ((v->kind == SPE_INT || v->kind == SPE_REAL) && cv_is_float_(type))
        return spe_const_f(m, cv_spe_type_(w.x, type), v->real);
    cv_fail_(w, CV_ERROR_NUMBER_TYPE, "%s where %s is wanted", cv_describe_(v, text, sizeof text), cv_type_text_(type));
    return 0;
}

/* A number as an i32 index. */
spe_id cv_index_(cv_where_ w, const cv_val *v, const char *what)
{
    bool set = spe_val_is_set(v);
    char text[48];
    if (set && v->kind == SPE_INT && spe_int_fits(v->i, 32, true)) return spe_i32(&w.x->m, (int32_t)v->i);
    if (set && v->kind == SPE_SCALAR && (v->type == CV_I32 || v->type == CV_U32)) return v->id;
    if (spe_ok(&w.x->m)) cv_fail_(w, CV_ERROR_INDEX, "%s is %s", what, cv_describe_(v, text, sizeof text));
    return 0;
}

/* ---- operations on numbers --------------------------------------------------------------------------------------- */

const char *cv_op_name_(int op)
{
    static const char *const names[] = {"CV_ADD", "CV_SUB", "CV_TIMES", "CV_DIV", "CV_MIN", "CV_MAX",
                                        "CV_MOD", "CV_AND", "CV_OR",    "CV_XOR", "CV_SHL", "CV_SHR",
                                        "CV_EQ",  "CV_NE",  "CV_LT",    "CV_LE",  "CV_GT",  "CV_GE"};
    return names[op]; /* by spe_arith_op */
}

/* One instruction on scalars or vectors of a type; 0 and no error where there is none. */
spe_id cv_emit_(spe_module *m, int op, int type, spe_id a, spe_id b)
{
    if (cv_is_float_(type)) return op == SPE_ARITH_REM ? 0 : spe_arith(m, (spe_arith_op)op, SPE_NUMBER_FLOAT, a, b);
    return spe_arith(m, (spe_arith_op)op, cv_is_signed_(type) ? SPE_NUMBER_SIGNED : SPE_NUMBER_UNSIGNED, a, b);
}

/* The type two numbers meet in: a scalar's; of i32 and u32, i32; of two constants i32 or f32. */
static int cv_common_type_(const cv_val *a, const cv_val *b)
{
    if (a->kind == SPE_SCALAR && b->kind == SPE_SCALAR)
        return a->type == b->type ? a->type : a->type == CV_I32 || b->type == CV_I32 ? CV_I32 : a->type;
    if (a->kind == SPE_SCALAR) return a->type;
    if (b->kind == SPE_SCALAR) return b->type;
    return a->kind == SPE_REAL || b->kind == SPE_REAL ? CV_F32 : CV_I32;
}

cv_val cv_binary_scalar_(cv_where_ w, int op, cv_any_ a, cv_any_ b)
{
    spe_module *m = &w.x->m;
    int type = cv_common_type_(&a.val, &b.val);
    spe_id p, q, r = 0;
    if (!cv_enter_(w)) return cv_nothing_();
    p = cv_id_(w, type, &a.val);
    q = cv_id_(w, type, &b.val);
    if (!p || !q) return cv_nothing_();
    if (type != CV_BOOL_) r = cv_emit_(m, op, type, p, q);
    else if (op == SPE_ARITH_AND) r = spe_land(m, p, q);
    else if (op == SPE_ARITH_OR) r = spe_lor(m, p, q);
    if (!r && spe_ok(m)) cv_fail_(w, CV_ERROR_OPERATION, "%s on %s", cv_op_name_(op), cv_type_text_(type));
    return cv_scalar_(op >= SPE_ARITH_EQ ? (int)CV_BOOL_ : type, r, a.val.uniform && b.val.uniform);
}

cv_val cv_select_(cv_where_ w, cv_val c, cv_val a, cv_val b)
{
    int type = cv_common_type_(&a, &b);
    char text[48];
    spe_id p, q;
    if (!cv_enter_(w)) return cv_nothing_();
    if (!spe_val_is_condition(&c, CV_BOOL_)) {
        cv_fail_(w, CV_ERROR_CONDITION, "CV_SELECT got %s", cv_describe_(&c, text, sizeof text));
        return cv_nothing_();
    }
    if (c.kind == SPE_INT) return c.i ? a : b;
    p = cv_id_(w, type, &a);
    q = cv_id_(w, type, &b);
    return cv_scalar_(type, p && q ? spe_select(&w.x->m, c.id, p, q) : 0, c.uniform && a.uniform && b.uniform);
}

cv_val cv_builtin_(cv_where_ w, spe_builtin_name name)
{
    bool uniform = name != SPE_LOCAL_ID && name != SPE_GLOBAL_ID && name != SPE_SUBGROUP_LANE;
    return cv_enter_(w) ? cv_scalar_(CV_I32, spe_builtin(&w.x->m, name, 0), uniform) : cv_nothing_();
}

cv_val cv_uniform_(cv_where_ w, cv_val v)
{
    if (!cv_enter_(w) || v.kind != SPE_SCALAR || v.uniform || v.type == CV_BOOL_) return v;
    return cv_scalar_(v.type, spe_sg_broadcast_first(&w.x->m, v.id), true);
}
