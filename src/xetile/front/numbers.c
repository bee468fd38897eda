/* front/numbers.c - records operations on numbers. */
#include "../internal.h"

/* Checks that the number is set, and that a constant fits the type: a finite one, a float type's range. */
XE_FN_ bool xt_check_number_(xt_where_ w, const xt_val *v, int type, const char *what)
{
    if (!xt_check_value_(w, v, what)) return false;
    if (!spe_val_is_set(v)) return xt_fail_(w, XT_ERROR_UNSET, "%s", what);
    if (v->kind == SPE_POINTER || (v->kind == SPE_REAL && !xt_is_float_(type)))
        return xt_fail_(w, XT_ERROR_SCALAR_TYPE, "%s is %s, wanted %s", what, xt_describe_(v).s, xt_type_name_(type));
    if (v->kind == SPE_INT && xt_is_int_(type) && !xt_int_fits_(type, v->integer))
        return xt_fail_(w, XT_ERROR_SCALAR_RANGE, "%s is %lld, wanted %s", what, (long long)v->integer,
                        xt_type_name_(type));
    return v->kind >= SPE_SCALAR || !xt_is_float_(type) ||
           spe_real_fits(xt_encoding_(type), xt_float_width_(type), v->real) ||
           xt_fail_(w, XT_ERROR_SCALAR_RANGE, "%s is %s, wanted %s", what, spe_decimal_of(v->real, 'g', 6).s,
                    xt_type_name_(type));
}

/* Checks that it can be used as a number of the type. Integers of equal width are interchangeable. */
XE_FN_ bool xt_check_type_(xt_where_ w, const xt_val *v, int type, const char *what)
{
    if (!xt_check_number_(w, v, type, what)) return false;
    return v->kind != SPE_SCALAR || v->type == type ||
           (xt_is_int_(type) && xt_is_int_(v->type) && xt_bits_(type) == xt_bits_(v->type)) ||
           xt_fail_(w, XT_ERROR_SCALAR_TYPE, "%s is %s, wanted %s", what, xt_type_name_(v->type), xt_type_name_(type));
}

/* Checks that it can be an offset, extent or stride. */
XE_FN_ bool xt_check_index_(xt_where_ w, const xt_val *v, const char *what)
{
    if (xt_is_lost_(v)) return false;
    if (spe_val_is_set(v) && (v->kind == SPE_REAL || v->kind == SPE_POINTER ||
                              (v->kind == SPE_SCALAR && !(xt_is_int_(v->type) && xt_bits_(v->type) == 32)) ||
                              (v->kind == SPE_INT && !xt_int_fits_(CM_I32, v->integer))))
        return xt_fail_(w, XT_ERROR_INDEX, "%s is %s", what, xt_describe_(v).s);
    return xt_check_type_(w, v, CM_I32, what);
}

/* The common type of two numbers; -1 if there is none. A constant takes the other's type. */
static int xt_common_type_(const xt_val *a, const xt_val *b)
{
    if (xt_is_constant_(a) && xt_is_constant_(b)) return a->kind == SPE_REAL || b->kind == SPE_REAL ? CM_F32 : CM_I32;
    if (xt_is_constant_(a)) return b->type;
    if (xt_is_constant_(b) || a->type == b->type) return a->type;
    int s = a->type;
    int t = b->type;
    if (!xt_is_int_(s) || !xt_is_int_(t)) return -1;
    if (xt_bits_(s) == 64 || xt_bits_(t) == 64) return xt_bits_(s) == 64 ? s : t;
    return CM_I32;
}

static bool xt_stored_as_bits_(int type) { return type == CM_BF16 || xt_is_small_(type); }

static bool xt_binary_allowed_(xt_where_ w, int op, const xt_val *a, const xt_val *b, int type)
{
    bool integers_only = op > SPE_ARITH_REM && op <= SPE_ARITH_SHR;
    bool logic = type == XT_BOOL_ && (op == SPE_ARITH_AND || op == SPE_ARITH_OR);
    if (!xt_check_value_(w, a, "the first operand") || !xt_check_value_(w, b, "the second operand")) return false;
    if (!spe_val_is_set(a) || !spe_val_is_set(b))
        return xt_fail_(w, XT_ERROR_UNSET, "an operand of %s", xt_op_name_(op));
    if (a->kind == SPE_POINTER || b->kind == SPE_POINTER || type < 0 || xt_stored_as_bits_(type) ||
        (type == XT_BOOL_ && !logic) || (integers_only && !xt_is_int_(type) && !logic))
        return xt_fail_(w, XT_ERROR_SCALAR_TYPE, "%s of %s and %s", xt_op_name_(op), xt_describe_(a).s,
                        xt_describe_(b).s);
    if ((op == SPE_ARITH_DIV || op == SPE_ARITH_REM) && b->kind == SPE_INT && b->integer == 0 && !xt_is_float_(type))
        return xt_fail_(w, XT_ERROR_DIVISION, "%s of %s and 0", xt_op_name_(op), xt_describe_(a).s);
    return true;
}

/* A number converted to another type; constants too become values of the kernel. */
XE_FN_ xt_val xt_cast_number_(xt_where_ w, int type, const xt_val *v)
{
    xt_ids_ n = XT_ZERO_;
    if (xt_stored_as_bits_(type) || xt_is_small_(v->type))
        return XT_FAIL_NUMBER_(w, XT_ERROR_SCALAR_TYPE, "XT_CAST of a number from %s to %s", xt_type_name_(v->type),
                               xt_type_name_(type));
    if (!xt_check_value_(w, v, "the operand of XT_CAST")) return xt_nothing_();
    if (!spe_val_is_set(v) || v->kind == SPE_POINTER || type == XT_BOOL_)
        return XT_FAIL_NUMBER_(w, v->kind == SPE_POINTER ? XT_ERROR_SCALAR_TYPE : XT_ERROR_UNSET,
                               "the operand of XT_CAST");
    n.type = type;
    xt_take_(w.x, &n, v);
    xt_val r = xt_record_number_(w, XT_AS_(CAST_NUMBER), 0, type, xt_val_align_(v), &n);
    xt_value_at_(w.x, r.id)->hoistable =
        xt_is_int_(type) && xt_is_int_(xt_carried_type_(v)) && xt_is_hoistable_(w.x, v);
    return r;
}

/* A bf16 number, which is a parameter's, as the f32 that it is computed with. */
XE_FN_ xt_val xt_unrounded_(xt_where_ w, xt_val v)
{
    return v.kind == SPE_SCALAR && v.type == CM_BF16 ? xt_cast_number_(w, CM_F32, &v) : v;
}

/* Converts an integer to the common type if its width differs. */
static xt_val xt_widened_(xt_where_ w, int type, xt_val v)
{
    return xt_is_int_(type) && v.kind == SPE_SCALAR && xt_bits_(v.type) != xt_bits_(type) ? xt_cast_number_(w, type, &v)
                                                                                          : v;
}

XE_FN_ xt_val xt_binary_number_(xt_where_ w, int op, xt_val a, xt_val b)
{
    xt_ids_ n = XT_ZERO_;
    xt_val r;
    if (!xt_enter_(w)) return xt_nothing_();
    a = xt_unrounded_(w, a);
    b = xt_unrounded_(w, b);
    int type = xt_common_type_(&a, &b);
    if (!xt_binary_allowed_(w, op, &a, &b, type)) return xt_nothing_();
    if (xt_folds_(op, &a, &b)) {
        r = xt_fold_(op, &a, &b);
        r.note = w.x->scope;
        if (w.x->regions.depth > 0) w.x->frames[w.x->regions.depth - 1]->first = -1; /* its body is not empty */
        return r;
    }
    const xt_val *same = xt_neutral_(op, &a, &b);
    if (same && (xt_is_constant_(same) || same->type == type)) return *same;
    n.type = type;
    a = xt_widened_(w, type, a);
    b = xt_widened_(w, type, b);
    if (!xt_check_type_(w, &a, type, "the first operand") || !xt_check_type_(w, &b, type, "the second operand"))
        return xt_nothing_();
    xt_take_(w.x, &n, &a);
    xt_take_(w.x, &n, &b);
    r = xt_record_number_(w, XT_AS_(BINARY_NUMBER), op, xt_is_compare_(op) ? XT_BOOL_ : type,
                          xt_is_int_(type) ? xt_align_result_(op, &a, &b) : 1, &n);
    xt_value_at_(w.x, r.id)->hoistable =
        xt_is_int_(type) && !xt_is_compare_(op) && xt_is_hoistable_(w.x, &a) && xt_is_hoistable_(w.x, &b);
    return r;
}

xt_val xt_cast_scalar_(xt_where_ w, int type, xt_any_ v, xt_cast_desc_ d)
{
    (void)d; /* only for 8-bit floats, which numbers cannot be */
    return xt_enter_(w) ? xt_cast_number_(w, type, &v.val) : xt_nothing_();
}

xt_val xt_select_scalar_(xt_where_ w, const xt_any_ *given)
{
    const xt_val condition = given[0].val, a = given[1].val, b = given[2].val;
    int type = xt_common_type_(&a, &b);
    const xt_val *const all[] = {&condition, &a, &b};
    xt_ids_ n = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_value_(w, &condition, "the condition") || !xt_check_value_(w, &a, "an operand") ||
        !xt_check_value_(w, &b, "an operand"))
        return xt_nothing_();
    if (condition.kind == SPE_INT) return condition.integer ? a : b;
    if (condition.type != XT_BOOL_)
        return XT_FAIL_NUMBER_(w, XT_ERROR_CONDITION, "XT_SELECT got %s", xt_describe_(&condition).s);
    if (condition.kind != SPE_SCALAR || type < 0)
        return XT_FAIL_NUMBER_(w, XT_ERROR_SCALAR_TYPE, "XT_SELECT of %s and %s", xt_describe_(&a).s,
                               xt_describe_(&b).s);
    if (!xt_check_type_(w, &a, type, "the second operand of XT_SELECT") ||
        !xt_check_type_(w, &b, type, "the third operand of XT_SELECT"))
        return xt_nothing_();
    n.type = type;
    for (int i = 0; i < 3; i++) xt_take_(w.x, &n, all[i]);
    return xt_record_number_(w, XT_AS_(SELECT_NUMBER), 0, type, 1, &n);
}

xt_val xt_builtin_(xt_where_ w, spe_builtin_name name, int dim)
{
    xt_ids_ n = XT_ZERO_;
    n.type = dim;
    if (!xt_enter_(w)) return xt_nothing_();
    if (dim < 0 || dim > 2) return XT_FAIL_NUMBER_(w, XT_ERROR_DIMENSION, "got %d", dim);
    xt_val r = xt_record_number_(w, XT_AS_(BUILTIN), (int)name, CM_I32, 1, &n);
    xt_value_at_(w.x, r.id)->hoistable = name == SPE_GROUP_ID || name == SPE_GROUP_COUNT;
    if (name == SPE_SUBGROUP_ID) xt_value_at_(w.x, r.id)->divergence = 1;
    if (name == SPE_SUBGROUP_LANE || ((name == SPE_LOCAL_ID || name == SPE_GLOBAL_ID) && dim == 0))
        xt_value_at_(w.x, r.id)->divergence = 2; /* work-groups are one-dimensional */
    return r;
}

xt_val xt_param_by_name_(xt_where_ w, const char *name)
{
    if (!xt_enter_(w)) return xt_nothing_();
    for (int i = 0; i < w.x->param_count; i++)
        if (strcmp(w.x->params[i].name, name) == 0) return w.x->args[i];
    xt_fail_(w, XT_ERROR_UNKNOWN_PARAMETER, "\"%s\"; they are: %s", name, w.x->kernel->params);
    return xt_nothing_();
}
