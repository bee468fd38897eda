/* numbers.c - operations on numbers. */
#include "internal.h"

XE_FN_ const char *xt_op_name_(int op)
{
    static const char *const names[] = {"XT_ADD", "XT_SUB", "XT_MUL", "XT_DIV", "XT_MIN", "XT_MAX",
                                        "XT_MOD", "XT_AND", "XT_OR",  "XT_XOR", "XT_SHL", "XT_SHR",
                                        "XT_EQ",  "XT_NE",  "XT_LT",  "XT_LE",  "XT_GT",  "XT_GE"};
    return names[op]; /* indexed by spe_arith_op */
}

XE_FN_ bool xt_is_compare_(int op) { return op >= SPE_ARITH_EQ; }
XE_FN_ bool xt_is_constant_(const xt_val *v) { return v->kind == SPE_INT || v->kind == SPE_REAL; }

/* The type of a carried scalar; i32 or f32 for a C constant. */
XE_FN_ int xt_carried_type_(const xt_val *start)
{
    return start->kind == SPE_INT ? CM_I32 : start->kind == SPE_REAL ? CM_F32 : start->type;
}

/* Describes a value for error messages: "f32", "the constant 5", "the floating constant 5", "pointer to f16". */
XE_FN_ xt_text_ xt_describe_(const xt_val *v)
{
    xt_text_ t = {"nothing"};
    if (!spe_val_is_set(v)) return t;
    if (v->kind == SPE_INT)
        snprintf(t.s, sizeof t.s, "the constant %lld", (long long)v->integer);
    else if (v->kind == SPE_REAL)
        snprintf(t.s, sizeof t.s, "the floating constant %s", spe_decimal_of(v->real, 'g', 6).s);
    else
        snprintf(t.s, sizeof t.s, "%s%s", v->kind == SPE_POINTER ? "pointer to " : "", xt_type_name_(v->type));
    return t;
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

/* A number already written. */
XE_FN_ xt_val xt_scalar_(int type, spe_id id, int align)
{
    xt_val v = spe_val_of(SPE_SCALAR, type, id);
    v.align = align;
    return v;
}

/* The result of a failed operation. */
XE_FN_ xt_val xt_nothing_(void) { return spe_val_of(SPE_SCALAR, CM_I32, 0); }

static bool xt_int_fits_(int type, int64_t i) { return spe_int_fits(i, xt_bits_(type), xt_is_signed_(type)); }

static spe_encoding xt_encoding_(int type)
{
    return type == CM_BF16 ? SPE_BF16 : type == CM_E4M3 ? SPE_E4M3 : type == CM_E5M2 ? SPE_E5M2 : SPE_IEEE;
}
static uint32_t xt_float_width_(int type) { return type == CM_TF32 ? 19 : (uint32_t)xt_bits_(type); }

/* The id of a scalar constant of a type, in coopmatrix.h's storage type (bf16 and 8-bit floats as bits). */
XE_FN_ spe_id xt_constant_(xt_ctx *x, int type, const xt_val *v)
{
    spe_id t = xt_spe_type_(x, type);
    double real = v->real;
    if (type == XT_BOOL_) return spe_const_bool(&x->m, v->integer != 0);
    if (type == CM_BF16 || xt_is_f8_(type))
        return spe_const_u(&x->m, t, spe_real_bits(xt_encoding_(type), xt_float_width_(type), real, xt_is_f8_(type)));
    if (type == CM_TF32) real = spe_real_of_bits(SPE_IEEE, 19, spe_real_bits(SPE_IEEE, 19, real, false));
    if (xt_is_float_(type)) return spe_const_f(&x->m, t, real);
    return xt_is_signed_(type) ? spe_const_i(&x->m, t, v->integer) : spe_const_u(&x->m, t, (uint64_t)v->integer);
}

/* Is a finite constant within the range of a float type? */
static bool xt_float_holds_(int type, const xt_val *v)
{
    return v->kind >= SPE_SCALAR || !xt_is_float_(type) ||
           spe_real_fits(xt_encoding_(type), xt_float_width_(type), v->real);
}

/* Checks that the number is set, and that a constant fits the type. */
XE_FN_ bool xt_check_number_(xt_where_ w, const xt_val *v, int type, const char *what)
{
    if (!xt_check_value_(w, v, what)) return false;
    if (!spe_val_is_set(v)) return xt_fail_(w, XT_ERROR_UNSET, "%s", what);
    if (v->kind == SPE_POINTER || (v->kind == SPE_REAL && !xt_is_float_(type)))
        return xt_fail_(w, XT_ERROR_SCALAR_TYPE, "%s is %s, wanted %s", what, xt_describe_(v).s, xt_type_name_(type));
    if (v->kind == SPE_INT && xt_is_int_(type) && !xt_int_fits_(type, v->integer))
        return xt_fail_(w, XT_ERROR_SCALAR_RANGE, "%s is %lld, wanted %s", what, (long long)v->integer,
                        xt_type_name_(type));
    return xt_float_holds_(type, v) ||
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

/* The id of a number already written, or of a constant of `type`. */
XE_FN_ spe_id xt_id_(xt_ctx *x, const xt_val *v, int type)
{
    return xt_is_constant_(v) ? xt_constant_(x, type, v) : v->id;
}

/* The id of a recorded number in this version; of a constant as `type`. */
XE_FN_ spe_id xt_now_id_(xt_ctx *x, const xt_val *v, int type)
{
    xt_val now = xt_now_(x, v);
    return xt_id_(x, &now, type);
}

XE_FN_ spe_id xt_index_id_(xt_ctx *x, const xt_val *v) { return xt_id_(x, v, CM_I32); }

/* An extent for unsigned tests of positions, to which a negative one would be large: it has no elements. */
XE_FN_ spe_id xt_extent_(spe_module *m, spe_id extent)
{
    uint64_t bits;
    if (spe_const_bits(m, extent, &bits) && bits <= INT32_MAX) return extent;
    return spe_math2(m, SPE_SMAX, extent, spe_i32(m, 0));
}

/* The number of a matrix's lines. Pitches are read as i32: with one of 2^31 or more, whose lines would lie before the
 * matrix, it has none. A pitch that is the extent along a line needs no test, since that is as negative. */
XE_FN_ spe_id xt_lines_id_(xt_ctx *x, const xt_tile *t)
{
    spe_module *m = &x->m;
    int along = xt_inner_(t);
    spe_id lines = xt_index_id_(x, &t->shape[!along]);
    if (t->pitch.kind == SPE_INT || t->pitch.id == t->shape[along].id || t->base.local) return lines;
    spe_id zero = spe_i32(m, 0);
    return spe_select(m, spe_slt(m, xt_index_id_(x, &t->pitch), zero), zero, lines);
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

/* Folds two constants: integers in 64 bits, unless one of them is floating. */
static xt_val xt_fold_(int op, const xt_val *a, const xt_val *b)
{
    bool whole = a->kind == SPE_INT && b->kind == SPE_INT;
    int64_t i = a->integer, j = b->integer;
    uint64_t u = (uint64_t)i, v = (uint64_t)j;
    double p = a->real, q = b->real;
    int order = whole ? (i > j) - (i < j) : spe_real_compare(p, q);
    bool less = order == -1, more = order == 1, equal = order == 0;
    if (!whole && op <= SPE_ARITH_DIV) return spe_val_real(spe_real_arith((spe_arith_op)op, p, q));
    switch (op) {
    case SPE_ARITH_ADD: i = (int64_t)(u + v); break;
    case SPE_ARITH_SUB: i = (int64_t)(u - v); break;
    case SPE_ARITH_MUL: i = (int64_t)(u * v); break;
    case SPE_ARITH_DIV: i = j == -1 ? (int64_t)(0 - u) : i / j; break;
    case SPE_ARITH_REM: i = j == -1 ? 0 : i % j; break;
    case SPE_ARITH_MIN: i = less ? i : j, p = less ? p : q; break;
    case SPE_ARITH_MAX: i = less ? j : i, p = less ? q : p; break;
    case SPE_ARITH_AND: i &= j; break;
    case SPE_ARITH_OR: i |= j; break;
    case SPE_ARITH_XOR: i ^= j; break;
    case SPE_ARITH_SHL: i = (int64_t)(u << (v & 63)); break;
    case SPE_ARITH_SHR: i >>= v & 63; break;
    case SPE_ARITH_EQ: i = equal; break;
    case SPE_ARITH_NE: i = !equal; break;
    case SPE_ARITH_LT: i = less; break;
    case SPE_ARITH_LE: i = less || equal; break;
    case SPE_ARITH_GT: i = more; break;
    default: i = more || equal;
    }
    return whole || op > SPE_ARITH_MAX ? spe_val_int(i) : spe_val_real(p);
}

/* Can the result be folded? Remainders of floats are left to the device. */
static bool xt_folds_(int op, const xt_val *a, const xt_val *b)
{
    return xt_is_constant_(a) && xt_is_constant_(b) &&
           (op != SPE_ARITH_REM || (a->kind == SPE_INT && b->kind == SPE_INT));
}

/* A power of two known to divide the result. */
static int xt_align_result_(int op, const xt_val *a, const xt_val *b)
{
    int p = xt_val_align_(a), q = xt_val_align_(b);
    if (op == SPE_ARITH_MUL) return p > (1 << 20) / q ? 1 << 20 : p * q;
    if (op == SPE_ARITH_AND) return p < q ? q : p;
    if (op == SPE_ARITH_DIV || op > SPE_ARITH_XOR || (op == SPE_ARITH_REM && b->kind != SPE_INT)) return 1;
    return p < q ? p : q;
}

static bool xt_held_as_bits_(int type) { return type == CM_BF16 || xt_is_f8_(type); }

static bool xt_binary_allowed_(xt_where_ w, int op, const xt_val *a, const xt_val *b, int type)
{
    bool integers_only = op > SPE_ARITH_REM && op <= SPE_ARITH_SHR;
    bool logic = type == XT_BOOL_ && (op == SPE_ARITH_AND || op == SPE_ARITH_OR);
    if (!xt_check_value_(w, a, "the first operand") || !xt_check_value_(w, b, "the second operand")) return false;
    if (!spe_val_is_set(a) || !spe_val_is_set(b))
        return xt_fail_(w, XT_ERROR_UNSET, "an operand of %s", xt_op_name_(op));
    if (a->kind == SPE_POINTER || b->kind == SPE_POINTER || type < 0 || xt_held_as_bits_(type) ||
        (type == XT_BOOL_ && !logic) || (integers_only && !xt_is_int_(type) && !logic))
        return xt_fail_(w, XT_ERROR_SCALAR_TYPE, "%s of %s and %s", xt_op_name_(op), xt_describe_(a).s,
                        xt_describe_(b).s);
    if ((op == SPE_ARITH_DIV || op == SPE_ARITH_REM) && b->kind == SPE_INT && b->integer == 0 && !xt_is_float_(type))
        return xt_fail_(w, XT_ERROR_DIVISION, "%s of %s and 0", xt_op_name_(op), xt_describe_(a).s);
    return true;
}

/* x + 0, x - 0, x * 1, x / 1, 0 + x, 1 * x, x * 0: need no instruction. */
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

/* A constant as an integer of the type: its low bits, as of other numbers; a floating one is truncated first. */
static xt_val xt_whole_constant_(int type, const xt_val *v)
{
    int unused = 64 - xt_bits_(type);
    uint64_t bits = (uint64_t)v->integer;
    int64_t whole;
    if (v->kind == SPE_REAL) {
        spe_real_to_int(v->real, &whole);
        bits = (uint64_t)whole;
    }
    bits <<= unused;
    return spe_val_int(xt_is_signed_(type) ? (int64_t)bits >> unused : (int64_t)(bits >> unused));
}

static spe_id xt_emit_cast_(xt_ctx *x, int type, const xt_val *v)
{
    spe_id t = xt_spe_type_(x, type);
    xt_val c = *v, one = spe_val_int(1), zero = spe_val_int(0);
    if (xt_is_constant_(v) && !xt_is_float_(type)) c = xt_whole_constant_(type, v);
    if (xt_is_constant_(v)) return xt_constant_(x, type, &c);
    if (v->type == XT_BOOL_) {
        spe_id otherwise = xt_constant_(x, type, &zero);
        return spe_select(&x->m, v->id, xt_constant_(x, type, &one), otherwise);
    }
    spe_id id = v->type == CM_BF16 ? cm_to_arith(&x->cm, CM_BF16, v->id) : v->id;
    return spe_cast(&x->m, t, id, xt_is_signed_(xt_is_float_(v->type) ? type : v->type));
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

/* Can the number be computed before the body? */
XE_FN_ bool xt_is_early_(xt_ctx *x, const xt_val *v)
{
    return v->kind == SPE_INT || (v->kind >= SPE_SCALAR && xt_value_at_(x, v->id)->early);
}

/* A number converted to another type; constants too become values of the kernel. */
XE_FN_ xt_val xt_cast_number_(xt_where_ w, int type, const xt_val *v)
{
    xt_numbers_ n = {type, {*v, *v, *v}};
    if (xt_held_as_bits_(type) || xt_is_f8_(v->type))
        return XT_FAIL_NUMBER_(w, XT_ERROR_SCALAR_TYPE, "XT_CAST of a number from %s to %s", xt_type_name_(v->type),
                               xt_type_name_(type));
    if (!xt_check_value_(w, v, "the operand of XT_CAST")) return xt_nothing_();
    if (!spe_val_is_set(v) || v->kind == SPE_POINTER || type == XT_BOOL_)
        return XT_FAIL_NUMBER_(w, v->kind == SPE_POINTER ? XT_ERROR_SCALAR_TYPE : XT_ERROR_UNSET,
                               "the operand of XT_CAST");
    xt_val r = xt_record_number_(w, XT_OP_CAST_NUMBER_, 0, type, xt_val_align_(v), &n);
    xt_value_at_(w.x, r.id)->early = xt_is_int_(type) && xt_is_int_(xt_carried_type_(v)) && xt_is_early_(w.x, v);
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
    xt_numbers_ n = XT_ZERO_;
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
    n.v[0] = xt_widened_(w, type, a);
    n.v[1] = xt_widened_(w, type, b);
    if (!xt_check_type_(w, &n.v[0], type, "the first operand") ||
        !xt_check_type_(w, &n.v[1], type, "the second operand"))
        return xt_nothing_();
    r = xt_record_number_(w, XT_OP_BINARY_NUMBER_, op, xt_is_compare_(op) ? XT_BOOL_ : type,
                          xt_is_int_(type) ? xt_align_result_(op, &n.v[0], &n.v[1]) : 1, &n);
    xt_value_at_(w.x, r.id)->early =
        xt_is_int_(type) && !xt_is_compare_(op) && xt_is_early_(w.x, &n.v[0]) && xt_is_early_(w.x, &n.v[1]);
    return r;
}

xt_val xt_cast_scalar_(xt_where_ w, int type, xt_any_ v, xt_cast_desc_ d)
{
    (void)d; /* only for 8-bit floats, which numbers cannot be */
    return xt_enter_(w) ? xt_cast_number_(w, type, &v.val) : xt_nothing_();
}

xt_val xt_select_scalar_(xt_where_ w, xt_any_ c, xt_any_ first, xt_any_ second)
{
    const xt_val condition = c.val, a = first.val, b = second.val;
    int type = xt_common_type_(&a, &b);
    xt_numbers_ n = {type, {condition, a, b}};
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
    return xt_record_number_(w, XT_OP_SELECT_NUMBER_, 0, type, 1, &n);
}

xt_val xt_builtin_(xt_where_ w, spe_builtin_name name, int dim)
{
    xt_numbers_ n = XT_ZERO_;
    n.type = dim;
    if (!xt_enter_(w)) return xt_nothing_();
    if (dim < 0 || dim > 2) return XT_FAIL_NUMBER_(w, XT_ERROR_DIMENSION, "got %d", dim);
    xt_val r = xt_record_number_(w, XT_OP_BUILTIN_, (int)name, CM_I32, 1, &n);
    xt_value_at_(w.x, r.id)->early = name == SPE_GROUP_ID || name == SPE_GROUP_COUNT;
    if (name == SPE_SUBGROUP_ID) xt_value_at_(w.x, r.id)->spread = 1;
    if (name == SPE_SUBGROUP_LANE || ((name == SPE_LOCAL_ID || name == SPE_GLOBAL_ID) && dim == 0))
        xt_value_at_(w.x, r.id)->spread = 2; /* work-groups are one-dimensional */
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

/* The number to which XT_ADD and XT_SUB of constants added *sum to make v. */
static xt_val xt_base_number_(xt_ctx *x, xt_val v, int64_t *sum)
{
    for (*sum = 0; v.kind == SPE_SCALAR;) {
        const xt_node_ *n = xt_node_at_(x, xt_value_at_(x, v.id)->node);
        const xt_val *operand = n->numbers->v;
        bool add = n->kind == SPE_ARITH_ADD;
        if (n->op != XT_OP_BINARY_NUMBER_ || (!add && n->kind != SPE_ARITH_SUB)) break;
        int constant = operand[1].kind == SPE_INT;
        if (operand[constant].kind != SPE_INT || operand[!constant].type != v.type || (!add && !constant)) break;
        *sum += add ? operand[constant].integer : -operand[constant].integer;
        v = operand[!constant];
    }
    if (v.kind == SPE_INT) *sum += v.integer;
    return v;
}

/* Do two numbers have a distance that is known: *delta = v - from? */
XE_FN_ bool xt_moves_by_(xt_ctx *x, const xt_val *v, const xt_val *from, int64_t *delta)
{
    int64_t sum[2];
    xt_val a = xt_base_number_(x, *v, &sum[0]), b = xt_base_number_(x, *from, &sum[1]);
    *delta = sum[0] - sum[1];
    return a.kind == b.kind && (a.kind == SPE_INT || (a.kind == SPE_SCALAR && a.id == b.id));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Writes a number in the prologue. Constants take the other operand's type. */
XE_FN_ spe_id xt_emit_early_(xt_ctx *x, const xt_val *v, int type)
{
    if (v->kind == SPE_INT) return xt_constant_(x, type, v);
    xt_value_ *value = xt_value_at_(x, v->id);
    if (value->early_id) return value->early_id;
    const xt_node_ *n = xt_node_at_(x, value->node);
    const xt_numbers_ *d = n->numbers;
    if (n->op == XT_OP_ARGUMENT_)
        value->early_id = spe_param_id(&x->m, (uint32_t)n->kind);
    else if (n->op == XT_OP_BUILTIN_)
        value->early_id = spe_builtin(&x->m, (spe_builtin_name)n->kind, (uint32_t)d->type);
    else if (n->op == XT_OP_CAST_NUMBER_) {
        spe_id a = xt_emit_early_(x, &d->v[0], d->type);
        value->early_id = spe_cast(&x->m, xt_spe_type_(x, d->type), a, xt_is_signed_(xt_carried_type_(&d->v[0])));
    } else {
        spe_id a = xt_emit_early_(x, &d->v[0], d->type);
        value->early_id = xt_emit_arith_(&x->m, n->kind, d->type, a, xt_emit_early_(x, &d->v[1], d->type));
    }
    return value->early_id;
}

XE_FN_ void xt_write_argument_(xt_ctx *x, const xt_node_ *n)
{
    xt_val v = x->args[n->kind];
    v.id = spe_param_id(&x->m, (uint32_t)n->kind);
    xt_define_(x, n->result, v);
}

XE_FN_ void xt_write_builtin_(xt_ctx *x, const xt_node_ *n)
{
    int dim = n->numbers->type;
    xt_define_(x, n->result, xt_scalar_(CM_I32, spe_builtin(&x->m, (spe_builtin_name)n->kind, (uint32_t)dim), 1));
}

/* Values a loop carries unchanged may turn out to be constants. */
XE_FN_ void xt_write_binary_number_(xt_ctx *x, const xt_node_ *n)
{
    const xt_numbers_ *d = n->numbers;
    xt_val a = xt_now_(x, &d->v[0]), b = xt_now_(x, &d->v[1]);
    const xt_val *same = xt_neutral_(n->kind, &a, &b);
    int result = xt_is_compare_(n->kind) ? XT_BOOL_ : d->type;
    if (xt_folds_(n->kind, &a, &b)) {
        xt_define_(x, n->result, xt_fold_(n->kind, &a, &b));
        return;
    }
    if (same && (xt_is_constant_(same) || same->type == d->type)) {
        const xt_val *operand = same == &a ? &d->v[0] : &d->v[1];
        xt_define_(x, n->result, *same);
        if (operand->kind != SPE_SCALAR) return;
        xt_value_at_(x, n->result)->start = xt_value_at_(x, operand->id)->start;
        xt_value_at_(x, n->result)->advance = xt_value_at_(x, operand->id)->advance;
        return;
    }
    spe_id p = xt_id_(x, &a, d->type);
    spe_id q = xt_id_(x, &b, d->type);
    if (d->type != XT_BOOL_)
        p = xt_emit_arith_(&x->m, n->kind, d->type, p, q);
    else
        p = n->kind == SPE_ARITH_AND ? spe_land(&x->m, p, q) : spe_lor(&x->m, p, q);
    xt_define_(x, n->result, xt_scalar_(result, p, xt_is_int_(d->type) ? xt_align_result_(n->kind, &a, &b) : 1));
}

XE_FN_ void xt_write_cast_number_(xt_ctx *x, const xt_node_ *n)
{
    xt_val v = xt_now_(x, &n->numbers->v[0]);
    xt_define_(x, n->result, xt_scalar_(n->numbers->type, xt_emit_cast_(x, n->numbers->type, &v), xt_val_align_(&v)));
}

XE_FN_ void xt_write_select_number_(xt_ctx *x, const xt_node_ *n)
{
    const xt_numbers_ *d = n->numbers;
    xt_val condition = xt_now_(x, &d->v[0]), a = xt_now_(x, &d->v[1]), b = xt_now_(x, &d->v[2]);
    if (condition.kind == SPE_INT) {
        xt_define_(x, n->result, condition.integer ? a : b);
        return;
    }
    spe_id p = xt_id_(x, &a, d->type);
    spe_id q = xt_id_(x, &b, d->type);
    xt_define_(x, n->result, xt_scalar_(d->type, spe_select(&x->m, condition.id, p, q), 1));
}
