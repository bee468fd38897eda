/* glsl.c - what Vulkan's mathematics is made of: functions of GLSL.std.450, polynomials. */
#include "internal.h"

/* A function of the set with its number there, and the form of its operands. */
XE_FN_ spe_id spe_glsl_(spe_module *m, uint32_t number, const char *form, spe_id a, spe_id b, spe_id c)
{
    uint32_t w[5] = {spe_math_set_(m), number, a, b, c};
    return spe_instruction_(m, m->doing, SPE_OpExtInst, form, w);
}

XE_FN_ spe_id spe_glsl_f_(spe_module *m, spe_id like, double value)
{
    return spe_const_f(m, spe_type_of(m, like), value);
}

XE_FN_ spe_id spe_glsl_fma_(spe_module *m, spe_id a, spe_id b, spe_id c)
{
    return spe_glsl_(m, SPE_GLSL_FMA_, "llf==:=", a, b, c);
}

/* Operations whose second operand is a constant. C leaves open which of two arguments is evaluated first, and ids are
 * numbered as they are made: calls that make ids nest through these, or stand in statements of their own. */
XE_FN_ spe_id spe_glsl_u_(spe_module *m, spe_id like, uint32_t value)
{
    return spe_const_u(m, spe_type_of(m, like), value);
}
XE_FN_ spe_id spe_fadd_c_(spe_module *m, spe_id x, double c) { return spe_fadd(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_fmul_c_(spe_module *m, spe_id x, double c) { return spe_fmul(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_fgt_c_(spe_module *m, spe_id x, double c) { return spe_fgt(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_flt_c_(spe_module *m, spe_id x, double c) { return spe_flt(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_feq_c_(spe_module *m, spe_id x, double c) { return spe_feq(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_iadd_c_(spe_module *m, spe_id x, uint32_t c) { return spe_iadd(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_isub_c_(spe_module *m, spe_id x, uint32_t c) { return spe_isub(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_and_c_(spe_module *m, spe_id x, uint32_t c) { return spe_and(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_shl_c_(spe_module *m, spe_id x, uint32_t c) { return spe_shl(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_shr_c_(spe_module *m, spe_id x, uint32_t c) { return spe_shr(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_sar_c_(spe_module *m, spe_id x, uint32_t c) { return spe_sar(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_ieq_c_(spe_module *m, spe_id x, uint32_t c) { return spe_ieq(m, x, spe_glsl_u_(m, x, c)); }

/* Whether bit 0 of x is set. */
XE_FN_ spe_id spe_odd_(spe_module *m, spe_id x)
{
    spe_id bit = spe_and_c_(m, x, 1);
    return spe_ine(m, bit, spe_glsl_u_(m, x, 0));
}

/* The polynomial with these n coefficients, the highest power's first. */
XE_FN_ spe_id spe_polynomial_(spe_module *m, spe_id x, int n, const double *coefficients)
{
    spe_id sum = spe_glsl_f_(m, x, coefficients[0]);
    for (int i = 1; i < n; i++) sum = spe_glsl_fma_(m, sum, x, spe_glsl_f_(m, x, coefficients[i]));
    return sum;
}

XE_FN_ spe_id spe_glsl_abs_(spe_module *m, spe_id x) { return spe_glsl_(m, SPE_GLSL_FABS_, "llf:=", x, 0, 0); }
XE_FN_ spe_id spe_glsl_round_(spe_module *m, spe_id x) { return spe_glsl_(m, SPE_GLSL_ROUND_EVEN_, "llf:=", x, 0, 0); }
XE_FN_ spe_id spe_glsl_root_(spe_module *m, spe_id x) { return spe_glsl_(m, SPE_GLSL_SQRT_, "llf:=", x, 0, 0); }

/* x, or the limit beyond which it is. */
XE_FN_ spe_id spe_clamped_(spe_module *m, spe_id x, spe_id least, spe_id most)
{
    spe_id above = spe_fgt(m, x, most), below = spe_flt(m, x, least);
    return spe_select(m, above, most, spe_select(m, below, least, x));
}

/* The bits of an f32 as an integer, and an f32 like another with these bits. */
XE_FN_ spe_id spe_bits_(spe_module *m, spe_id x) { return spe_bitcast(m, spe_vec_like(m, spe_int(m, 32), x), x); }
XE_FN_ spe_id spe_of_bits_(spe_module *m, spe_id like, spe_id bits)
{
    return spe_bitcast(m, spe_type_of(m, like), bits);
}

/* Infinity and NaN by their bits, as some compilers assume that neither occurs. */
XE_FN_ spe_id spe_infinity_(spe_module *m, spe_id like)
{
    return spe_of_bits_(m, like, spe_const_u(m, spe_vec_like(m, spe_int(m, 32), like), 0x7f800000));
}
XE_FN_ spe_id spe_nan_(spe_module *m, spe_id like)
{
    return spe_of_bits_(m, like, spe_const_u(m, spe_vec_like(m, spe_int(m, 32), like), 0x7fc00000));
}

/* x where it is NaN, else y; by its bits, too. */
XE_FN_ spe_id spe_unless_nan_(spe_module *m, spe_id x, spe_id y)
{
    spe_id bits = spe_bits_(m, spe_glsl_abs_(m, x));
    return spe_select(m, spe_ugt(m, bits, spe_glsl_u_(m, bits, 0x7f800000)), x, y);
}

/* Whether the sign bit of x is set. */
XE_FN_ spe_id spe_negative_(spe_module *m, spe_id x)
{
    spe_id bits = spe_bits_(m, x);
    return spe_slt(m, bits, spe_glsl_u_(m, bits, 0));
}

/* y, which is not negative, with the sign of x. */
XE_FN_ spe_id spe_signed_as_(spe_module *m, spe_id y, spe_id x)
{
    spe_id sign = spe_and_c_(m, spe_bits_(m, x), 0x80000000);
    return spe_of_bits_(m, y, spe_or(m, spe_bits_(m, y), sign));
}

/* The upper 12 bits of a float: products of two such are exact. */
XE_FN_ spe_id spe_head_(spe_module *m, spe_id x)
{
    return spe_of_bits_(m, x, spe_and_c_(m, spe_bits_(m, x), 0xfffff000));
}

/* The bits of x, which is not negative, times 2^25 where it is below the normal range; *lift is 25 there, else 0. */
XE_FN_ spe_id spe_normal_bits_(spe_module *m, spe_id x, spe_id *lift)
{
    spe_id below = spe_flt_c_(m, x, 1.1754943508222875e-38), lifted = spe_fmul_c_(m, x, 33554432.0);
    spe_id bits = spe_bits_(m, spe_select(m, below, lifted, x)), zero = spe_glsl_u_(m, bits, 0);
    *lift = spe_select(m, below, spe_glsl_u_(m, bits, 25), zero);
    return bits;
}

/* The factor from sqrt(1/2) to sqrt(2) of positive x = 2^e factor; e is an integer. */
XE_FN_ spe_id spe_mantissa_(spe_module *m, spe_id x, spe_id *e)
{
    spe_id lift, bits = spe_normal_bits_(m, x, &lift);
    spe_id power = spe_sar_c_(m, spe_isub_c_(m, bits, 0x3f3504f3), 23);
    *e = spe_isub(m, power, lift);
    return spe_of_bits_(m, x, spe_isub(m, bits, spe_shl_c_(m, power, 23)));
}
