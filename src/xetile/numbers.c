/* numbers.c - numbers. */
#include "internal.h"

XE_FN_ const char *xt_op_name_(int op)
{
    static const char *const names[] = {"XT_ADD", "XT_SUB", "XT_MUL", "XT_DIV", "XT_MIN", "XT_MAX",
                                        "XT_MOD", "XT_AND", "XT_OR",  "XT_XOR", "XT_SHL", "XT_SHR",
                                        "XT_EQ",  "XT_NE",  "XT_LT",  "XT_LE",  "XT_GT",  "XT_GE"};
    return names[op]; /* by spe_arith_op */
}

XE_FN_ bool xt_is_compare_(int op) { return op >= SPE_ARITH_EQ; }
XE_FN_ bool xt_is_constant_(const xt_val *v) { return v->kind == SPE_INT || v->kind == SPE_REAL; }

/* The type in which a scalar is carried: a C constant's is i32 or f32. */
XE_FN_ int xt_carried_type_(const xt_val *start)
{
    return start->kind == SPE_INT ? CM_I32 : start->kind == SPE_REAL ? CM_F32 : start->type;
}

/* Describes a value for error messages: "f32", "5", "pointer to f16". */
XE_FN_ const char *xt_describe_(const xt_val *v, char *text, size_t size)
{
    if (!spe_val_is_set(v))
        snprintf(text, size, "nothing");
    else if (v->kind == SPE_INT)
        snprintf(text, size, "the constant %lld", (long long)v->integer);
    else if (v->kind == SPE_REAL)
        snprintf(text, size, "the constant %g", v->real);
    else
        snprintf(text, size, "%s%s", v->kind == SPE_POINTER ? "pointer to " : "", xt_type_name_(v->type));
    return text;
}

/* The largest power of two that divides a constant. */
XE_FN_ int xt_align_of_(int64_t i)
{
    int align = 1;
    if (i == 0) return 1 << 20;
    while (align < 1 << 20 && i % (align * 2) == 0) align *= 2;
    return align;
}

XE_FN_ int xt_val_align_(const xt_val *v) { return v->kind == SPE_INT ? xt_align_of_(v->integer) : v->align; }

/* A value of the kernel. While planning there are no ids: each value gets a number of its own. */
XE_FN_ xt_val xt_scalar_(xt_ctx *x, int type, spe_id id, int align, int expression)
{
    xt_val v = spe_val_of(SPE_SCALAR, type, x->planning ? ++x->serial : id);
    xt_note_ note = {expression, v.id, 0, 0, 0};
    v.align = align;
    if (x->planning && expression) xt_set_note_(x, &v, note);
    return v;
}

XE_FN_ xt_val xt_nothing_(void) { return spe_val_of(SPE_SCALAR, CM_I32, 0); } /* after an error */

XE_FN_ int xt_new_expr_(xt_ctx *x, xt_expr_kind_ kind, int op, int type, int a, int b, int64_t value)
{
    xt_expr_ *e;
    if (x->exprs.count == 0 && !xt_push_(x, &x->exprs, sizeof *e)) return 0; /* number 0 means none */
    e = (xt_expr_ *)xt_push_(x, &x->exprs, sizeof *e);
    if (!e) return 0;
    e->kind = kind;
    e->op = op;
    e->type = type;
    e->a = a;
    e->b = b;
    e->value = value;
    return x->exprs.count - 1;
}

XE_FN_ int xt_expr_of_(xt_ctx *x, const xt_val *v)
{
    if (!x->planning) return 0;
    return v->kind == SPE_INT ? xt_new_expr_(x, XT_EXPR_CONST_, 0, CM_I32, 0, 0, v->integer)
                              : xt_note_of_(x, v).expression;
}

static bool xt_int_fits_(int type, int64_t i) { return spe_int_fits(i, xt_bits_(type), xt_is_signed_(type)); }

/* The id of a scalar constant of a type, in the form coopmatrix.h holds it (bf16 and 8-bit floats as their bits). */
XE_FN_ spe_id xt_constant_(xt_ctx *x, int type, const xt_val *v)
{
    spe_id t = xt_spe_type_(x, type);
    double real = v->kind == SPE_INT ? (double)v->integer : v->real;
    if (type == XT_BOOL_) return spe_const_bool(&x->m, v->integer != 0);
    if (type == CM_BF16) return spe_const_u(&x->m, t, spe_f32_to_bf16_bits((float)real));
    if (type == CM_E4M3) return spe_const_u(&x->m, t, spe_f32_to_e4m3_bits((float)real, true));
    if (type == CM_E5M2) return spe_const_u(&x->m, t, spe_f32_to_e5m2_bits((float)real, true));
    if (xt_is_float_(type)) return spe_const_f(&x->m, t, type == CM_TF32 ? (double)spe_f32_to_tf32((float)real) : real);
    return xt_is_signed_(type) ? spe_const_i(&x->m, t, v->integer) : spe_const_u(&x->m, t, (uint64_t)v->integer);
}

/* Is there a number at all, and does a constant fit the type? */
XE_FN_ bool xt_check_number_(xt_where_ w, const xt_val *v, int type, const char *what)
{
    char text[48];
    if (!spe_val_is_set(v)) return xt_fail_(w, XT_ERROR_UNSET, "%s", what);
    if (v->kind == SPE_POINTER || (v->kind == SPE_REAL && !xt_is_float_(type)))
        return xt_fail_(w, XT_ERROR_SCALAR_TYPE, "%s is %s, wanted %s", what, xt_describe_(v, text, sizeof text),
                        xt_type_name_(type));
    if (v->kind == SPE_INT && xt_is_int_(type) && !xt_int_fits_(type, v->integer))
        return xt_fail_(w, XT_ERROR_SCALAR_RANGE, "%s is %lld, wanted %s", what, (long long)v->integer,
                        xt_type_name_(type));
    return true;
}

/* The id of a number as `type`; integers of one width stand for each other. While planning any number will do. */
XE_FN_ spe_id xt_id_(xt_where_ w, const xt_val *v, int type, const char *what)
{
    xt_ctx *x = w.x;
    if (!xt_check_number_(w, v, type, what)) return 0;
    if (v->kind == SPE_SCALAR && v->type != type &&
        !(xt_is_int_(type) && xt_is_int_(v->type) && xt_bits_(type) == xt_bits_(v->type)))
        return xt_fail_(w, XT_ERROR_SCALAR_TYPE, "%s is %s, wanted %s", what, xt_type_name_(v->type),
                        xt_type_name_(type)),
               0;
    if (x->planning) return v->kind == SPE_SCALAR ? v->id : ++x->serial;
    return xt_is_constant_(v) ? xt_constant_(x, type, v) : v->id;
}

/* The id of an offset, shape or stride. */
XE_FN_ spe_id xt_index_id_(xt_where_ w, const xt_val *v, const char *what)
{
    char text[48];
    if (spe_val_is_set(v) && (v->kind == SPE_REAL || v->kind == SPE_POINTER ||
                              (v->kind == SPE_SCALAR && !(xt_is_int_(v->type) && xt_bits_(v->type) == 32)) ||
                              (v->kind == SPE_INT && !xt_int_fits_(CM_I32, v->integer))))
        return xt_fail_(w, XT_ERROR_INDEX, "%s is %s", what, xt_describe_(v, text, sizeof text)), 0;
    return xt_id_(w, v, CM_I32, what);
}

/* The type two numbers meet in; -1 when they do not. A constant takes the other's type. */
static int xt_common_type_(const xt_val *a, const xt_val *b)
{
    int s, t;
    if (xt_is_constant_(a) && xt_is_constant_(b)) return a->kind == SPE_REAL || b->kind == SPE_REAL ? CM_F32 : CM_I32;
    if (xt_is_constant_(a)) return b->type;
    if (xt_is_constant_(b) || a->type == b->type) return a->type;
    s = a->type;
    t = b->type;
    if (!xt_is_int_(s) || !xt_is_int_(t)) return -1;
    if (xt_bits_(s) == 64 || xt_bits_(t) == 64) return xt_bits_(s) == 64 ? s : t;
    return CM_I32;
}

/* One instruction on numbers or vectors of a type. */
XE_FN_ spe_id xt_emit_arith_(spe_module *m, int op, int type, spe_id a, spe_id b)
{
    bool is_signed = xt_is_signed_(type);
    if (xt_is_float_(type)) return spe_arith(m, (spe_arith_op)op, SPE_NUMBER_FLOAT, a, b);
    if (op == SPE_ARITH_MIN || op == SPE_ARITH_MAX) {
        spe_id less = is_signed ? spe_slt(m, a, b) : spe_ult(m, a, b);
        return op == SPE_ARITH_MIN ? spe_select(m, less, a, b) : spe_select(m, less, b, a);
    }
    return spe_arith(m, (spe_arith_op)op, is_signed ? SPE_NUMBER_SIGNED : SPE_NUMBER_UNSIGNED, a, b);
}

/* Two integer constants, in 64 bits. */
static int64_t xt_fold_int_(int op, int64_t a, int64_t b)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    switch (op) {
    case SPE_ARITH_ADD: return (int64_t)(ua + ub);
    case SPE_ARITH_SUB: return (int64_t)(ua - ub);
    case SPE_ARITH_MUL: return (int64_t)(ua * ub);
    case SPE_ARITH_DIV: return b == -1 ? (int64_t)(0 - ua) : a / b;
    case SPE_ARITH_REM: return b == -1 ? 0 : a % b;
    case SPE_ARITH_MIN: return a < b ? a : b;
    case SPE_ARITH_MAX: return a < b ? b : a;
    case SPE_ARITH_AND: return a & b;
    case SPE_ARITH_OR: return a | b;
    case SPE_ARITH_XOR: return a ^ b;
    case SPE_ARITH_SHL: return (int64_t)(ua << (ub & 63));
    default: return a >> (ub & 63);
    }
}

/* Two constants of which one is floating. */
static double xt_fold_real_(int op, double a, double b)
{
    switch (op) {
    case SPE_ARITH_ADD: return a + b;
    case SPE_ARITH_SUB: return a - b;
    case SPE_ARITH_MUL: return a * b;
    case SPE_ARITH_DIV: return a / b;
    case SPE_ARITH_MIN: return a < b ? a : b;
    default: return a < b ? b : a;
    }
}

static xt_val xt_fold_(int op, const xt_val *a, const xt_val *b)
{
    bool whole = a->kind == SPE_INT && b->kind == SPE_INT;
    double p = a->kind == SPE_INT ? (double)a->integer : a->real, q = b->kind == SPE_INT ? (double)b->integer : b->real;
    bool less = whole ? a->integer < b->integer : p < q, more = whole ? a->integer > b->integer : p > q,
         equal = whole ? a->integer == b->integer : p == q;
    switch (op) {
    case SPE_ARITH_EQ: return spe_val_int(equal);
    case SPE_ARITH_NE: return spe_val_int(!equal);
    case SPE_ARITH_LT: return spe_val_int(less);
    case SPE_ARITH_LE: return spe_val_int(less || equal);
    case SPE_ARITH_GT: return spe_val_int(more);
    case SPE_ARITH_GE: return spe_val_int(more || equal);
    default:
        return whole ? spe_val_int(xt_fold_int_(op, a->integer, b->integer)) : spe_val_real(xt_fold_real_(op, p, q));
    }
}

/* What is known to divide a result. */
static int xt_align_result_(int op, const xt_val *a, const xt_val *b)
{
    int p = xt_val_align_(a), q = xt_val_align_(b);
    if (op == SPE_ARITH_MUL) return p > (1 << 20) / q ? 1 << 20 : p * q;
    if (op == SPE_ARITH_AND) return p < q ? q : p;
    if (op == SPE_ARITH_DIV || op > SPE_ARITH_XOR || (op == SPE_ARITH_REM && b->kind != SPE_INT)) return 1;
    return p < q ? p : q;
}

static bool xt_binary_allowed_(xt_where_ w, int op, const xt_val *a, const xt_val *b, int type)
{
    char s[48], t[48];
    bool integers_only = op >= SPE_ARITH_REM && op <= SPE_ARITH_SHR;
    bool held_as_bits = type == CM_BF16 || type == CM_E4M3 || type == CM_E5M2;
    bool logic = type == XT_BOOL_ && (op == SPE_ARITH_AND || op == SPE_ARITH_OR);
    if (!spe_val_is_set(a) || !spe_val_is_set(b))
        return xt_fail_(w, XT_ERROR_UNSET, "an operand of %s", xt_op_name_(op));
    if (a->kind == SPE_POINTER || b->kind == SPE_POINTER || type < 0 || held_as_bits || (type == XT_BOOL_ && !logic) ||
        (integers_only && !xt_is_int_(type) && !logic))
        return xt_fail_(w, XT_ERROR_SCALAR_TYPE, "%s of %s and %s", xt_op_name_(op), xt_describe_(a, s, sizeof s),
                        xt_describe_(b, t, sizeof t));
    if ((op == SPE_ARITH_DIV || op == SPE_ARITH_REM) && b->kind == SPE_INT && b->integer == 0 && !xt_is_float_(type))
        return xt_fail_(w, XT_ERROR_DIVISION, "%s of %s and 0", xt_op_name_(op), xt_describe_(a, s, sizeof s));
    return true;
}

/* x + 0, x - 0, x * 1, x / 1, 0 + x, 1 * x, x * 0: no instruction. */
static const xt_val *xt_neutral_(int op, const xt_val *a, const xt_val *b)
{
    bool sum = op == SPE_ARITH_ADD, product = op == SPE_ARITH_MUL;
    if (b->kind == SPE_INT &&
        ((b->integer == 0 && (sum || op == SPE_ARITH_SUB)) || (b->integer == 1 && (product || op == SPE_ARITH_DIV))))
        return a;
    if (a->kind == SPE_INT && ((a->integer == 0 && sum) || (a->integer == 1 && product))) return b;
    if (product && b->kind == SPE_INT && b->integer == 0 && xt_is_int_(a->type)) return b;
    if (product && a->kind == SPE_INT && a->integer == 0 && xt_is_int_(b->type)) return a;
    return NULL;
}

/* Notes that r is a plus or minus a constant. */
static void xt_note_delta_(xt_ctx *x, int op, const xt_val *a, const xt_val *b, xt_val *r)
{
    bool sum = op == SPE_ARITH_ADD && (a->kind == SPE_INT || b->kind == SPE_INT);
    const xt_val *scalar = sum && a->kind == SPE_INT ? b : a, *constant = scalar == a ? b : a;
    xt_note_ of = xt_note_of_(x, scalar), note = xt_note_of_(x, r);
    if (!sum && !(op == SPE_ARITH_SUB && b->kind == SPE_INT)) return;
    if (scalar->kind != SPE_SCALAR || scalar->type != r->type) return;
    note.root = of.root;
    note.delta = of.delta + (sum ? constant->integer : -constant->integer);
    xt_set_note_(x, r, note);
}

static spe_id xt_emit_cast_(xt_ctx *x, int type, const xt_val *v)
{
    spe_id t = xt_spe_type_(x, type);
    xt_val c = *v, one = spe_val_int(1), zero = spe_val_int(0);
    if (c.kind == SPE_REAL && !xt_is_float_(type)) c = spe_val_int((long long)c.real);
    if (xt_is_constant_(v)) return xt_constant_(x, type, &c);
    if (v->type == XT_BOOL_) return spe_select(&x->m, v->id, xt_constant_(x, type, &one), xt_constant_(x, type, &zero));
    if (xt_is_float_(v->type) && !xt_is_float_(type))
        return xt_is_signed_(type) ? spe_f_to_s(&x->m, t, v->id) : spe_f_to_u(&x->m, t, v->id);
    if (xt_is_float_(v->type) && xt_bits_(type) == xt_bits_(v->type)) return v->id;
    return spe_cast(&x->m, t, v->id, xt_is_signed_(v->type));
}

/* A number in another type; constants too become values of the kernel. */
XE_FN_ xt_val xt_cast_number_(xt_where_ w, int type, const xt_val *v)
{
    xt_ctx *x = w.x;
    int e;
    if (!spe_val_is_set(v) || v->kind == SPE_POINTER || type == XT_BOOL_)
        return xt_fail_(w, v->kind == SPE_POINTER ? XT_ERROR_SCALAR_TYPE : XT_ERROR_UNSET, "the operand of XT_CAST"),
               xt_nothing_();
    e = xt_is_int_(type) && xt_is_int_(xt_carried_type_(v)) ? xt_expr_of_(x, v) : 0;
    if (e) e = xt_new_expr_(x, XT_EXPR_CAST_, xt_is_signed_(v->type), type, e, 0, 0);
    return xt_scalar_(x, type, x->planning ? 0 : xt_emit_cast_(x, type, v), xt_val_align_(v), e);
}

/* Integers meet in one width. */
static xt_val xt_widened_(xt_where_ w, int type, xt_val v)
{
    return xt_is_int_(type) && v.kind == SPE_SCALAR && xt_bits_(v.type) != xt_bits_(type) ? xt_cast_number_(w, type, &v)
                                                                                          : v;
}

XE_FN_ xt_val xt_binary_number_(xt_where_ w, int op, xt_val a, xt_val b)
{
    xt_ctx *x = w.x;
    int type = xt_common_type_(&a, &b), result = xt_is_compare_(op) ? XT_BOOL_ : type, ea, eb, expression = 0;
    const xt_val *same;
    xt_val r;
    spe_id p, q, id = 0;
    if (!xt_enter_kind_(w, XT_OP_BINARY_NUMBER_, op) || !xt_binary_allowed_(w, op, &a, &b, type)) return xt_nothing_();
    if (xt_is_constant_(&a) && xt_is_constant_(&b)) return xt_fold_(op, &a, &b);
    same = xt_neutral_(op, &a, &b);
    if (same && (xt_is_constant_(same) || same->type == type)) return *same;
    a = xt_widened_(w, type, a);
    b = xt_widened_(w, type, b);
    p = xt_id_(w, &a, type, "the first operand");
    q = xt_id_(w, &b, type, "the second operand");
    if (x->planning) {
        ea = xt_is_int_(type) ? xt_expr_of_(x, &a) : 0;
        eb = xt_is_int_(type) ? xt_expr_of_(x, &b) : 0;
        if (ea && eb && !xt_is_compare_(op)) expression = xt_new_expr_(x, XT_EXPR_BINARY_, op, type, ea, eb, 0);
    } else if (type == XT_BOOL_) {
        id = op == SPE_ARITH_AND ? spe_land(&x->m, p, q) : spe_lor(&x->m, p, q);
    } else {
        id = xt_emit_arith_(&x->m, op, type, p, q);
    }
    r = xt_scalar_(x, result, id, xt_is_int_(type) ? xt_align_result_(op, &a, &b) : 1, expression);
    if (x->planning) xt_note_delta_(x, op, &a, &b, &r);
    return r;
}

xt_val xt_cast_scalar_(xt_where_ w, int type, xt_any_ v)
{
    if (!xt_enter_(w, XT_OP_CAST_NUMBER_)) return xt_nothing_();
    if (type == CM_BF16 || type == CM_E4M3 || type == CM_E5M2 || v.val.type == CM_BF16 || v.val.type == CM_E4M3 ||
        v.val.type == CM_E5M2)
        return xt_fail_(w, XT_ERROR_SCALAR_TYPE, "XT_CAST of a number from %s to %s", xt_type_name_(v.val.type),
                        xt_type_name_(type)),
               xt_nothing_();
    return xt_cast_number_(w, type, &v.val);
}

xt_val xt_select_scalar_(xt_where_ w, xt_any_ c, xt_any_ first, xt_any_ second)
{
    xt_ctx *x = w.x;
    xt_val condition = c.val, a = first.val, b = second.val;
    int type = xt_common_type_(&a, &b);
    spe_id p, q;
    if (!xt_enter_(w, XT_OP_SELECT_NUMBER_)) return xt_nothing_();
    if (condition.kind == SPE_INT) return condition.integer ? a : b;
    if (condition.kind != SPE_SCALAR || condition.type != XT_BOOL_ || type < 0)
        return xt_fail_(w, condition.type != XT_BOOL_ ? XT_ERROR_CONDITION : XT_ERROR_SCALAR_TYPE, "XT_SELECT"),
               xt_nothing_();
    p = xt_id_(w, &a, type, "the second operand of XT_SELECT");
    q = xt_id_(w, &b, type, "the third operand of XT_SELECT");
    return xt_scalar_(x, type, x->planning ? 0 : spe_select(&x->m, condition.id, p, q), 1, 0);
}

xt_val xt_builtin_(xt_where_ w, spe_builtin_name name, int dim)
{
    xt_ctx *x = w.x;
    int e = 0;
    if (!xt_enter_kind_(w, XT_OP_BUILTIN_, (int)name)) return xt_nothing_();
    if (dim < 0 || dim > 2) return xt_fail_(w, XT_ERROR_DIMENSION, "got %d", dim), xt_nothing_();
    if (x->planning && (name == SPE_GROUP_ID || name == SPE_GROUP_COUNT))
        e = xt_new_expr_(x, XT_EXPR_BUILTIN_, (int)name, CM_I32, dim, 0, 0);
    return xt_scalar_(x, CM_I32, x->planning ? 0 : spe_builtin(&x->m, name, (uint32_t)dim), 1, e);
}

xt_val xt_param_by_name_(xt_where_ w, const char *name)
{
    int i;
    if (!xt_enter_(w, XT_OP_PARAM_)) return xt_nothing_();
    for (i = 0; i < w.x->param_count; i++)
        if (strcmp(w.x->params[i].name, name) == 0) return w.x->args[i];
    xt_fail_(w, XT_ERROR_UNKNOWN_PARAMETER, "\"%s\"; they are: %s", name, w.x->kernel->params);
    return xt_nothing_();
}
