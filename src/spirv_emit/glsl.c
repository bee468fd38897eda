/* glsl.c - what Vulkan's mathematics is made of: functions of GLSL.std.450, polynomials. */
#include "internal.h"

/* A function of the set with its number there, and the form of its operands. */
XE_FN_ spe_id spe_glsl_(spe_module *m, uint32_t number, const char *form, spe_id a, spe_id b, spe_id c)
{
    uint32_t w[5] = {spe_math_set_(m), number, a, b, c};
    return spe_instruction_(m, m->doing, SPE_OpExtInst, form, w);
}

/* The bits of a float or integer, those of a float's mantissa that are stored, and what is added to its exponent. */
XE_FN_ uint32_t spe_bits_of_(spe_module *m, spe_id x) { return spe_width(m, spe_type_of(m, x)); }
XE_FN_ uint32_t spe_digits_(uint32_t bits) { return bits == 64 ? 52 : bits == 32 ? 23 : 10; }
XE_FN_ uint32_t spe_bias_(uint32_t bits) { return bits == 64 ? 1023 : bits == 32 ? 127 : 15; }

/* What depends on whether x is a float of 32 or of 64 bits. */
XE_FN_ double spe_by_size_(spe_module *m, spe_id x, double if_32, double if_64)
{
    return spe_bits_of_(m, x) == 64 ? if_64 : if_32;
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
XE_FN_ spe_id spe_glsl_u_(spe_module *m, spe_id like, uint64_t value)
{
    return spe_const_u(m, spe_type_of(m, like), value);
}
XE_FN_ spe_id spe_fadd_c_(spe_module *m, spe_id x, double c) { return spe_fadd(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_fmul_c_(spe_module *m, spe_id x, double c) { return spe_fmul(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_fgt_c_(spe_module *m, spe_id x, double c) { return spe_fgt(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_flt_c_(spe_module *m, spe_id x, double c) { return spe_flt(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_feq_c_(spe_module *m, spe_id x, double c) { return spe_feq(m, x, spe_glsl_f_(m, x, c)); }
XE_FN_ spe_id spe_iadd_c_(spe_module *m, spe_id x, uint64_t c) { return spe_iadd(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_isub_c_(spe_module *m, spe_id x, uint64_t c) { return spe_isub(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_and_c_(spe_module *m, spe_id x, uint64_t c) { return spe_and(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_shl_c_(spe_module *m, spe_id x, uint64_t c) { return spe_shl(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_shr_c_(spe_module *m, spe_id x, uint64_t c) { return spe_shr(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_sar_c_(spe_module *m, spe_id x, uint64_t c) { return spe_sar(m, x, spe_glsl_u_(m, x, c)); }
XE_FN_ spe_id spe_ieq_c_(spe_module *m, spe_id x, uint64_t c) { return spe_ieq(m, x, spe_glsl_u_(m, x, c)); }

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
XE_FN_ spe_id spe_glsl_root_(spe_module *m, spe_id x) { return spe_glsl_(m, SPE_GLSL_SQRT_, "llf:=", x, 0, 0); }

/* x, or the limit beyond which it is. */
XE_FN_ spe_id spe_clamped_(spe_module *m, spe_id x, spe_id least, spe_id most)
{
    spe_id above = spe_fgt(m, x, most), below = spe_flt(m, x, least);
    return spe_select(m, above, most, spe_select(m, below, least, x));
}

/* The type of integers that are as wide as x is, and those of as many components. */
XE_FN_ spe_id spe_int_like_(spe_module *m, spe_id x)
{
    return spe_vec_like(m, spe_int(m, spe_bits_of_(m, x)), x);
}

/* The bits of a float as an integer, and a float like another with these bits. */
XE_FN_ spe_id spe_bits_(spe_module *m, spe_id x) { return spe_bitcast(m, spe_int_like_(m, x), x); }
XE_FN_ spe_id spe_of_bits_(spe_module *m, spe_id like, spe_id bits)
{
    return spe_bitcast(m, spe_type_of(m, like), bits);
}

/* The bits of infinity, and the sign's bit, of floats of this size. */
XE_FN_ uint64_t spe_infinite_bits_(uint32_t bits)
{
    return ((uint64_t)2 * spe_bias_(bits) + 1) << spe_digits_(bits);
}
XE_FN_ uint64_t spe_sign_bit_(uint32_t bits) { return (uint64_t)1 << (bits - 1); }

/* Infinity and NaN by their bits, as some compilers assume that neither occurs. */
XE_FN_ spe_id spe_infinity_(spe_module *m, spe_id like)
{
    uint64_t bits = spe_infinite_bits_(spe_bits_of_(m, like));
    return spe_of_bits_(m, like, spe_const_u(m, spe_int_like_(m, like), bits));
}
XE_FN_ spe_id spe_nan_(spe_module *m, spe_id like)
{
    uint32_t size = spe_bits_of_(m, like);
    uint64_t bits = spe_infinite_bits_(size) | (uint64_t)1 << (spe_digits_(size) - 1);
    return spe_of_bits_(m, like, spe_const_u(m, spe_int_like_(m, like), bits));
}

/* x where it is NaN, else y; by its bits, too. */
XE_FN_ spe_id spe_unless_nan_(spe_module *m, spe_id x, spe_id y)
{
    spe_id bits = spe_bits_(m, spe_glsl_abs_(m, x));
    spe_id infinity = spe_glsl_u_(m, bits, spe_infinite_bits_(spe_bits_of_(m, x)));
    return spe_select(m, spe_ugt(m, bits, infinity), x, y);
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
    spe_id sign = spe_and_c_(m, spe_bits_(m, x), spe_sign_bit_(spe_bits_of_(m, x)));
    return spe_of_bits_(m, y, spe_or(m, spe_bits_(m, y), sign));
}

/* x to the nearest integer, of f64 by a sum that has no bits below 1: lavapipe's own keeps fractions from 2^24
 * on. */
XE_FN_ spe_id spe_glsl_round_(spe_module *m, spe_id x)
{
    if (spe_bits_of_(m, x) != 64) return spe_glsl_(m, SPE_GLSL_ROUND_EVEN_, "llf:=", x, 0, 0);
    spe_id integers = spe_glsl_f_(m, x, 0x1p52), near_zero = spe_flt(m, spe_glsl_abs_(m, x), integers);
    integers = spe_signed_as_(m, integers, x);
    m->as_written = true;
    spe_id sum = spe_fadd(m, x, integers), rounded = spe_fsub(m, sum, integers);
    m->as_written = false;
    return spe_select(m, near_zero, rounded, x);
}

/* The upper half of a float's mantissa, 12 or 26 bits: products of two such are exact. */
XE_FN_ spe_id spe_head_(spe_module *m, spe_id x)
{
    uint64_t kept = spe_bits_of_(m, x) == 64 ? ~(uint64_t)0x7ffffff : 0xfffff000;
    return spe_of_bits_(m, x, spe_and_c_(m, spe_bits_(m, x), kept));
}

/* The bits of x, which is not negative, times 2^25 or 2^54 where it is below the normal range; *lift is that exponent
 * there, else 0. */
XE_FN_ spe_id spe_normal_bits_(spe_module *m, spe_id x, spe_id *lift)
{
    uint32_t by = spe_digits_(spe_bits_of_(m, x)) + 2;
    spe_id below = spe_flt_c_(m, x, spe_by_size_(m, x, 1.1754943508222875e-38, 2.2250738585072014e-308));
    spe_id lifted = spe_fmul_c_(m, x, (double)((uint64_t)1 << by));
    spe_id bits = spe_bits_(m, spe_select(m, below, lifted, x)), zero = spe_glsl_u_(m, bits, 0);
    *lift = spe_select(m, below, spe_glsl_u_(m, bits, by), zero);
    return bits;
}

/* The factor from sqrt(1/2) to sqrt(2) of positive x = 2^e factor; e is an integer. */
XE_FN_ spe_id spe_mantissa_(spe_module *m, spe_id x, spe_id *e)
{
    spe_id lift, bits = spe_normal_bits_(m, x, &lift);
    uint32_t size = spe_bits_of_(m, x);
    spe_id power = spe_sar_c_(m, spe_isub_c_(m, bits, size == 64 ? 0x3fe6a09e667f3bcd : 0x3f3504f3), spe_digits_(size));
    *e = spe_isub(m, power, lift);
    return spe_of_bits_(m, x, spe_isub(m, bits, spe_shl_c_(m, power, spe_digits_(size))));
}
