/* lower/arithmetic.c - instructions on components: a scalar per lane, or a vector of them. */
#include "../internal.h"

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

/* Conditions are stored as bytes 0 and 1. */
static spe_id xt_from_condition_(xt_ctx *x, spe_id condition)
{
    spe_id type = spe_vec_like(&x->m, spe_int(&x->m, 8), condition), no = spe_null(&x->m, type);
    return spe_select(&x->m, condition, spe_const_u(&x->m, type, 1), no);
}

XE_FN_ spe_id xt_binary_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    spe_id r = xt_emit_arith_(&x->m, n->kind, n->type, v[0], v[1]);
    return xt_is_compare_(n->kind) ? xt_from_condition_(x, r) : r;
}

XE_FN_ spe_id xt_select_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    spe_module *m = &x->m;
    (void)n;
    return spe_select(m, spe_ine(m, v[0], spe_null(m, spe_type_of(m, v[0]))), v[1], v[2]);
}

/* e to the x as 2^n 2^r, n + r = x / ln 2, n whole: Intel's compiler does the same, but takes 12 instructions instead
 * of 9, since it tests for x that are too large. Here r is limited, and so a number, where 2^n is infinite or 0; of a
 * NaN n is one. The quotient 1 / ln 2 is the sum of two floats. */
static spe_id xt_exp_(spe_module *m, spe_id v)
{
    spe_id type = spe_type_of(m, v), part[2];
    spe_id quotient[2] = {spe_const_f(m, type, 0x1.715476p+0), spe_const_f(m, type, 0x1.4ae0cp-26)};
    spe_id one = spe_const_f(m, type, 1), least = spe_const_f(m, type, -1);
    part[0] = spe_math1(m, SPE_TRUNC, spe_fmul(m, v, quotient[0]));
    part[1] = spe_math3(m, SPE_FMA, v, quotient[0], spe_fneg(m, part[0]));
    part[1] = spe_math3(m, SPE_FMA, v, quotient[1], part[1]);
    part[1] = spe_math2(m, SPE_FMAX, spe_math2(m, SPE_FMIN, part[1], one), least);
    for (int i = 0; i < 2; i++) part[i] = spe_math1(m, SPE_EXP2, part[i]);
    return spe_fmul(m, part[0], part[1]);
}

/* The logarithm of x = 2^e (1 + t), 1 + t between sqrt(1/2) and sqrt(2), as e + t p(t): Intel's compiler takes 92
 * instructions for it. `bits` are those of x, or of a number 2^n as large, n 2^23 being `more`; k is e times 2^23. p
 * is found at nodes of Chebyshev's. Of 0, infinite and negative x and NaN, the device's instruction knows the
 * logarithm. */
static spe_id xt_log2_by_(spe_module *m, spe_id x, spe_id bits, spe_id more, const float *p, int terms)
{
    spe_id type = spe_type_of(m, x), words = spe_type_of(m, bits), y = spe_const_f(m, type, (double)p[terms - 1]);
    spe_id usual = spe_isub(m, bits, spe_const_u(m, words, 1));
    usual = spe_ult(m, usual, spe_const_u(m, words, 0x7f7fffff));
    spe_id k = spe_isub(m, bits, spe_const_u(m, words, 0x3f3504f3));
    k = spe_and(m, k, spe_const_u(m, words, 0xff800000));
    spe_id one_and_t = spe_bitcast(m, type, spe_isub(m, bits, k));
    spe_id t = spe_fsub(m, one_and_t, spe_const_f(m, type, 1));
    for (int i = terms - 1; i-- > 0;) y = spe_math3(m, SPE_FMA, t, y, spe_const_f(m, type, (double)p[i]));
    y = spe_fmul(m, t, y);
    k = spe_s_to_f(m, type, more ? spe_isub(m, k, more) : k);
    y = spe_math3(m, SPE_FMA, k, spe_const_f(m, type, 0x1p-23), y);
    return spe_select(m, usual, y, spe_math1(m, SPE_NATIVE_LOG2, x));
}

/* Within 0.76 units in the last place. Subnormal x are scaled. */
static spe_id xt_log2_f32_(spe_module *m, spe_id x)
{
    static const float p[] = {0x1.715476p+0f,  -0x1.715474p-1f, 0x1.ec73dep-2f,  -0x1.715994p-2f, 0x1.26d01cp-2f,
                              -0x1.e9d1e6p-3f, 0x1.ba8738p-3f,  -0x1.a59aeap-3f, 0x1.f841dcp-4f};
    enum { SCALE = 23 };
    spe_id type = spe_type_of(m, x), words = spe_vec_like(m, spe_int(m, 32), x);
    spe_id small = spe_flt(m, x, spe_const_f(m, type, 0x1p-126));
    spe_id scaled = spe_fmul(m, x, spe_const_f(m, type, 0x1p23)), no = spe_null(m, words);
    spe_id bits = spe_bitcast(m, words, spe_select(m, small, scaled, x));
    spe_id more = spe_select(m, small, spe_const_u(m, words, SCALE << 23), no);
    return xt_log2_by_(m, x, bits, more, p, sizeof p / sizeof *p);
}

/* Within 0.58 units in the last place of f16; as an f32, no x is subnormal. */
static spe_id xt_log2_f16_(spe_module *m, spe_id half)
{
    static const float p[] = {0x1.7150e2p+0f, -0x1.70f65p-1f, 0x1.f16542p-2f, -0x1.8f0706p-2f, 0x1.004b76p-2f};
    spe_id x = spe_fconvert(m, spe_vec_like(m, spe_float(m, 32), half), half);
    spe_id bits = spe_bitcast(m, spe_vec_like(m, spe_int(m, 32), half), x);
    return spe_fconvert(m, spe_type_of(m, half), xt_log2_by_(m, x, bits, 0, p, sizeof p / sizeof *p));
}

XE_FN_ spe_id xt_math_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    int type = n->type;
    spe_math_op op = (spe_math_op)xt_math_instruction_(n->kind, type);
    if (op == SPE_EXP && x->target.igc && (type == CM_F32 || type == CM_BF16)) return xt_exp_(&x->m, v[0]);
    if (op == SPE_LOG2 && x->target.igc && type == CM_F16) return xt_log2_f16_(&x->m, v[0]);
    if (op == SPE_LOG2 && x->target.igc && (type == CM_F32 || type == CM_BF16)) return xt_log2_f32_(&x->m, v[0]);
    return spe_math(&x->m, op, (uint32_t)xt_math_info_(n->kind)->operands, v);
}

/* A cast to i1; other casts are of blocks. */
XE_FN_ spe_id xt_truth_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    spe_id zero = spe_null(&x->m, spe_type_of(&x->m, v[0]));
    bool real = xt_is_float_((int)xt_vector_(x, n->operand[0])->type);
    return xt_from_condition_(x, real ? spe_fune(&x->m, v[0], zero) : spe_ine(&x->m, v[0], zero));
}

XE_FN_ spe_id xt_bitcast_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    return cm_bitcast(&x->cm, spe_vec_like(&x->m, xt_spe_type_(x, n->type), v[0]), v[0]);
}

/* The larger or smaller of two floats; -0 is less than 0. A NaN wins or loses, by nan_wins. */
XE_FN_ spe_id xt_extreme_(spe_module *m, bool larger, bool nan_wins, spe_id a, spe_id b)
{
    spe_id type = spe_type_of(m, a), elem = spe_info(m, type).elem ? spe_info(m, type).elem : type, nan = 0;
    spe_id bits = spe_vec(m, spe_int(m, spe_width(m, elem)), spe_count(m, type));
    spe_id p = spe_bitcast(m, bits, a), q = spe_bitcast(m, bits, b);
    spe_id r = spe_math2(m, larger ? SPE_FMAX : SPE_FMIN, a, b);
    spe_id zeros = spe_bitcast(m, type, larger ? spe_and(m, p, q) : spe_or(m, p, q));
    if (nan_wins) nan = spe_isnan(m, b);
    if (nan_wins) nan = spe_lor(m, spe_isnan(m, a), nan);
    r = spe_select(m, spe_feq(m, a, b), zeros, r);
    return nan_wins ? spe_select(m, nan, spe_fadd(m, a, b), r) : r;
}

XE_FN_ spe_id xt_combine_(spe_module *m, int kind, int type, spe_id a, spe_id b)
{
    const xt_red_row_ *row = xt_red_info_(kind);
    if (row->nan_wins) return xt_extreme_(m, row->op == SPE_ARITH_MAX, true, a, b);
    return spe_arith(m, row->op, xt_is_float_(type) ? SPE_NUMBER_FLOAT : row->number, a, b);
}
