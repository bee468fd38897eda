/* ir/numbers.c - what is known of numbers before they are written: types, constants, alignment, distances. */
#include "../internal.h"

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

XE_FN_ bool xt_int_fits_(int type, int64_t i) { return spe_int_fits(i, xt_bits_(type), xt_is_signed_(type)); }

XE_FN_ spe_encoding xt_encoding_(int type)
{
    return type == CM_BF16 ? SPE_BF16 : type == CM_E4M3 ? SPE_E4M3 : type == CM_E5M2 ? SPE_E5M2 : SPE_IEEE;
}
XE_FN_ uint32_t xt_float_width_(int type) { return type == CM_TF32 ? 19 : (uint32_t)xt_bits_(type); }

/* Folds two constants: integers in 64 bits, unless one of them is floating. */
XE_FN_ xt_val xt_fold_(int op, const xt_val *a, const xt_val *b)
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
XE_FN_ bool xt_folds_(int op, const xt_val *a, const xt_val *b)
{
    return xt_is_constant_(a) && xt_is_constant_(b) &&
           (op != SPE_ARITH_REM || (a->kind == SPE_INT && b->kind == SPE_INT));
}

/* A power of two known to divide the result. */
XE_FN_ int xt_align_result_(int op, const xt_val *a, const xt_val *b)
{
    int p = xt_val_align_(a), q = xt_val_align_(b);
    if (op == SPE_ARITH_MUL) return p > (1 << 20) / q ? 1 << 20 : p * q;
    if (op == SPE_ARITH_AND) return p < q ? q : p;
    if (op == SPE_ARITH_DIV || op > SPE_ARITH_XOR || (op == SPE_ARITH_REM && b->kind != SPE_INT)) return 1;
    return p < q ? p : q;
}

/* x + 0, x - 0, x * 1, x / 1, 0 + x, 1 * x, x * 0: need no instruction. */
XE_FN_ const xt_val *xt_neutral_(int op, const xt_val *a, const xt_val *b)
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

/* Can the number be computed before the body? */
XE_FN_ bool xt_is_hoistable_(xt_ctx *x, const xt_val *v)
{
    return v->kind == SPE_INT || (v->kind >= SPE_SCALAR && xt_value_at_(x, v->id)->hoistable);
}

/* The number to which XT_ADD and XT_SUB of constants added *sum to make v. */
static xt_val xt_base_number_(xt_ctx *x, xt_val v, int64_t *sum)
{
    for (*sum = 0; v.kind == SPE_SCALAR;) {
        const xt_node_ *n = xt_node_at_(x, xt_value_at_(x, v.id)->node);
        bool add = n->kind == SPE_ARITH_ADD;
        if (n->op != XT_OP_BINARY_NUMBER_ || (!add && n->kind != SPE_ARITH_SUB)) break;
        bool second = xt_number_(x, n->operand[1])->kind == SPE_INT;
        const xt_val *constant = xt_number_(x, n->operand[second]), *other = xt_number_(x, n->operand[!second]);
        if (constant->kind != SPE_INT || other->type != v.type || (!add && !second)) break;
        *sum += add ? constant->integer : -constant->integer;
        v = *other;
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
