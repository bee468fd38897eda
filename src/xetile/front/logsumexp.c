/* front/logsumexp.c - records XT_LOGSUMEXP: made of reductions and elementwise operations. */
#include "../internal.h"

xt_vec xt_logsumexp_(xt_where_ w, xt_vec v, int dim)
{
    if (!xt_check_operand_(w, "XT_LOGSUMEXP", &v, NULL)) return xt_no_vec_();
    if (!xt_is_float_((int)v.type))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_LOGSUMEXP of %s, wanted floats", xt_type_name_((int)v.type));
    xt_any_ most = xt_any_vec_(xt_reduced_(w, XT_RED_maxnumf_, &v, dim, 0));
    if (!most.vec.id) return most.vec;
    /* The largest element is taken out, so that no exponential overflows; not if it is infinite: inf - inf is NaN. */
    xt_any_ size = xt_any_vec_(xt_math_vec_(w, XT_MATH_ABS_, &most));
    xt_any_ infinite = xt_any_real_(spe_real_of_bits(SPE_IEEE, 16, 0x7c00));
    const xt_any_ sides[3] = {xt_any_vec_(xt_binary_pair_(w, SPE_ARITH_LT, size, infinite)), most, xt_any_real_(0)};
    xt_any_ out = xt_any_vec_(xt_select_vec_(w, sides));
    xt_any_ power = xt_any_vec_(xt_binary_pair_(w, SPE_ARITH_SUB, xt_any_vec_(v), out));
    xt_vec powers = xt_math_vec_(w, XT_MATH_EXP_, &power);
    xt_any_ sum = xt_any_vec_(xt_reduced_(w, XT_RED_add_, &powers, dim, 0));
    return xt_binary_pair_(w, SPE_ARITH_ADD, out, xt_any_vec_(xt_math_vec_(w, XT_MATH_LOG_, &sum)));
}
