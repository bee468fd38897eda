/* glsl.c - what Vulkan's mathematics is made of: functions of GLSL.std.450, polynomials. */
#include "internal.h"

/* The id of the environment's set of mathematics, imported on first use. */
XE_FN_ spe_id spe_math_set_(spe_module *m)
{
    const char *name = m->options.env ? "GLSL.std.450" : "OpenCL.std";
    uint32_t w[5];
    if (m->math_set) return m->math_set;
    spe_put_text_(w + 1, name);
    w[0] = m->math_set = spe_new_id_(m, 0, 0, 0);
    spe_write_words_(m, SPE_SECTION_IMPORT_, SPE_OpExtInstImport, 1 + spe_text_words_(name), w, 0, NULL);
    return m->math_set;
}

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

/* x where it is NaN, else y; by its bits, as some compilers assume that none occurs. */
XE_FN_ spe_id spe_unless_nan_(spe_module *m, spe_id x, spe_id y)
{
    spe_id i32 = spe_vec_like(m, spe_int(m, 32), x), bits = spe_bitcast(m, i32, spe_glsl_abs_(m, x));
    return spe_select(m, spe_ugt(m, bits, spe_const_u(m, i32, 0x7f800000)), x, y);
}

/* y, which is not negative, with the sign of x. */
XE_FN_ spe_id spe_signed_as_(spe_module *m, spe_id y, spe_id x)
{
    spe_id i32 = spe_vec_like(m, spe_int(m, 32), x);
    spe_id sign = spe_and(m, spe_bitcast(m, i32, x), spe_const_u(m, i32, 0x80000000));
    return spe_bitcast(m, spe_type_of(m, y), spe_or(m, spe_bitcast(m, i32, y), sign));
}

/* The upper 12 bits of a float: products of two such are exact. */
XE_FN_ spe_id spe_head_(spe_module *m, spe_id x)
{
    spe_id i32 = spe_vec_like(m, spe_int(m, 32), x);
    return spe_bitcast(m, spe_type_of(m, x), spe_and(m, spe_bitcast(m, i32, x), spe_const_u(m, i32, 0xfffff000)));
}
