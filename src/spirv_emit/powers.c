/* powers.c - powers and roots for Vulkan, of f32. */
#include "internal.h"

/* log2 x in two parts, to 2^-30 of it, for positive finite x: x = 2^e m, s = (m - 1) / (m + 1) in two parts, and
 * log m = 2 s + 2 s^3 / 3 ... Called where arithmetic is as written. */
static spe_id spe_two_logarithms_(spe_module *m, spe_id x, spe_id *low)
{
    static const double series[] = {2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3};
    spe_id type = spe_type_of(m, x), i32 = spe_vec_like(m, spe_int(m, 32), x), one = spe_glsl_f_(m, x, 1.0);
    spe_id small = spe_flt(m, x, spe_glsl_f_(m, x, 1.1754943508222875e-38)), shift = spe_const_u(m, i32, 23);
    spe_id bits = spe_bitcast(m, i32, spe_select(m, small, spe_fmul(m, x, spe_glsl_f_(m, x, 33554432.0)), x));
    spe_id e = spe_sar(m, spe_isub(m, bits, spe_const_u(m, i32, 0x3f3504f3)), shift);
    spe_id mantissa = spe_bitcast(m, type, spe_isub(m, bits, spe_shl(m, e, shift)));
    e = spe_isub(m, e, spe_select(m, small, spe_const_u(m, i32, 25), spe_const_u(m, i32, 0)));
    e = spe_s_to_f(m, type, e);
    spe_id f = spe_fsub(m, mantissa, one), d = spe_fadd(m, mantissa, one), d_high = spe_head_(m, d);
    spe_id d_low = spe_fsub(m, mantissa, spe_fsub(m, d_high, one)), s = spe_fdiv(m, f, d), s_high = spe_head_(m, s);
    spe_id rest = spe_fsub(m, spe_fsub(m, f, spe_fmul(m, s_high, d_high)), spe_fmul(m, s_high, d_low));
    spe_id z = spe_fmul(m, s, s), tail = spe_fmul(m, spe_fmul(m, s, z), spe_polynomial_(m, z, 5, series)), l;
    rest = spe_fdiv(m, rest, d);
    rest = spe_fadd(m, spe_fadd(m, rest, rest), tail);
    s_high = spe_fadd(m, s_high, s_high);
    spe_id high = spe_fmul(m, s_high, spe_glsl_f_(m, x, 1.4423828125)), sum = spe_fadd(m, e, high), total; /* exact */
    l = spe_fadd(m, spe_fmul(m, s_high, spe_glsl_f_(m, x, 0.0003122283889634)),
                 spe_fmul(m, rest, spe_glsl_f_(m, x, 1.4426950408889634)));
    l = spe_fadd(m, spe_fsub(m, high, spe_fsub(m, sum, e)), l);
    total = spe_fadd(m, sum, l);
    *low = spe_fsub(m, l, spe_fsub(m, total, sum));
    return total;
}

/* x^(y + more) for positive finite x, `more` being small beside y, or y a sum of both. */
static spe_id spe_power_of_positive_(spe_module *m, spe_id x, spe_id y, spe_id more)
{
    spe_id most = spe_glsl_f_(m, x, 0x1p40), least = spe_fneg(m, most), log, low, n, p, r, head, rest, zero;
    zero = spe_glsl_f_(m, x, 0.0);
    y = spe_select(m, spe_fgt(m, y, most), most, spe_select(m, spe_flt(m, y, least), least, y)); /* infinities */
    m->as_written = true;
    log = spe_two_logarithms_(m, x, &low);
    head = spe_head_(m, log);
    low = spe_fadd(m, spe_fsub(m, log, head), low);
    spe_id y_head = spe_head_(m, y), y_low = spe_fadd(m, spe_fsub(m, y, y_head), more);
    spe_id high = spe_fmul(m, y_head, head);
    rest = spe_fadd(m, spe_fmul(m, y_low, head), spe_fmul(m, spe_fadd(m, y, more), low));
    p = spe_fadd(m, high, rest);
    most = spe_glsl_f_(m, x, 200.0), least = spe_glsl_f_(m, x, -200.0);
    spe_id beyond = spe_fge(m, spe_glsl_abs_(m, p), most);
    n = spe_select(m, spe_fgt(m, p, most), most, spe_select(m, spe_flt(m, p, least), least, p));
    n = spe_glsl_round_(m, spe_select(m, spe_feq(m, n, n), n, zero));
    r = spe_fadd(m, spe_fsub(m, high, n), rest);
    m->as_written = false;
    r = spe_select(m, beyond, zero, r);
    r = spe_exponential_series_(m, spe_fmul(m, r, spe_glsl_f_(m, x, 0.6931471805599453)));
    return spe_scaled_by_2_(m, r, n);
}

/* The power of any x from that of |x|, for exponents that are whole, odd and positive or not. */
static spe_id spe_power_of_any_(spe_module *m, spe_id x, spe_id power, spe_id whole, spe_id odd, spe_id positive)
{
    spe_id type = spe_type_of(m, x), i32 = spe_vec_like(m, spe_int(m, 32), x), zero = spe_glsl_f_(m, x, 0.0);
    spe_id inf = spe_bitcast(m, type, spe_const_u(m, i32, 0x7f800000)), a = spe_glsl_abs_(m, x), extreme, nan;
    spe_id infinite = spe_feq(m, a, inf), negative = spe_slt(m, spe_bitcast(m, i32, x), spe_const_u(m, i32, 0));
    extreme = spe_select(m, spe_leq(m, infinite, positive), inf, zero);
    power = spe_select(m, spe_lor(m, infinite, spe_feq(m, a, zero)), extreme, power);
    power = spe_select(m, spe_land(m, negative, odd), spe_fneg(m, power), power);
    nan = spe_bitcast(m, type, spe_const_u(m, i32, 0x7fc00000));
    spe_id refused = spe_land(m, spe_land(m, spe_flt(m, x, zero), spe_lnot(m, infinite)), spe_lnot(m, whole));
    return spe_unless_nan_(m, x, spe_select(m, refused, nan, power));
}

/* POW and POWR, which is only for x from 0 on. */
XE_FN_ spe_id spe_power_(spe_module *m, spe_math_op f, spe_id x, spe_id y)
{
    spe_id type = spe_type_of(m, x), i32 = spe_vec_like(m, spe_int(m, 32), x), zero = spe_glsl_f_(m, x, 0.0);
    spe_id one = spe_glsl_f_(m, x, 1.0), a = spe_glsl_abs_(m, x), ay = spe_glsl_abs_(m, y), nan;
    spe_id whole, odd, power, none;
    whole = spe_feq(m, spe_glsl_(m, SPE_GLSL_TRUNC_, "llf:=", y, 0, 0), y);
    odd = spe_f_to_s(m, i32, spe_select(m, spe_flt(m, ay, spe_glsl_f_(m, x, 16777216.0)), ay, zero));
    odd = spe_land(m, whole, spe_ine(m, spe_and(m, odd, spe_const_u(m, i32, 1)), spe_const_u(m, i32, 0)));
    power = spe_power_of_positive_(m, a, y, zero);
    power = spe_power_of_any_(m, x, power, whole, odd, spe_fgt(m, y, zero));
    power = spe_unless_nan_(m, y, power);
    none = spe_feq(m, y, zero);
    if (f == SPE_POW) return spe_select(m, spe_lor(m, none, spe_feq(m, x, one)), one, power);
    spe_id inf = spe_bitcast(m, type, spe_const_u(m, i32, 0x7f800000)), extreme, refused;
    nan = spe_bitcast(m, type, spe_const_u(m, i32, 0x7fc00000));
    extreme = spe_lor(m, spe_feq(m, a, zero), spe_feq(m, a, inf));
    power = spe_select(m, none, spe_unless_nan_(m, x, one), power);
    refused = spe_lor(m, spe_land(m, none, extreme), spe_land(m, spe_feq(m, x, one), spe_feq(m, ay, inf)));
    power = spe_select(m, spe_lor(m, refused, spe_flt(m, x, zero)), nan, power);
    return spe_select(m, spe_land(m, spe_feq(m, x, zero), spe_lnot(m, refused)), spe_glsl_abs_(m, power), power);
}

/* POWN and ROOTN: x^n and x^(1/n) for an integer n, whose float or quotient has two parts. */
XE_FN_ spe_id spe_whole_power_(spe_module *m, spe_math_op f, spe_id x, spe_id n)
{
    spe_id type = spe_type_of(m, x), i32 = spe_type_of(m, n), one = spe_glsl_f_(m, x, 1.0);
    spe_id zero = spe_const_u(m, i32, 0);
    spe_id byte = spe_const_u(m, i32, 0xff), odd, y, more, power, none = spe_ieq(m, n, zero), nan, refused;
    odd = spe_ine(m, spe_and(m, n, spe_const_u(m, i32, 1)), zero);
    if (f == SPE_POWN) {
        spe_id most = spe_const_u(m, i32, 1 << 24), large; /* up to there, floats are exact */
        large = spe_ugt(m, spe_iadd(m, n, most), spe_const_u(m, i32, 1 << 25));
        more = spe_select(m, large, spe_and(m, n, byte), zero);
        y = spe_s_to_f(m, type, spe_isub(m, n, more));
        more = spe_s_to_f(m, type, more);
    } else {
        spe_id real = spe_s_to_f(m, type, spe_select(m, none, spe_const_u(m, i32, 1), n));
        y = spe_head_(m, spe_fdiv(m, one, real));
        m->as_written = true;
        more = spe_fdiv(m, spe_fsub(m, one, spe_fmul(m, y, real)), real);
        m->as_written = false;
    }
    power = spe_power_of_positive_(m, spe_glsl_abs_(m, x), y, more);
    power = spe_power_of_any_(m, x, power, spe_ieq(m, n, n), odd, spe_sgt(m, n, zero));
    if (f == SPE_POWN) return spe_select(m, none, one, power);
    nan = spe_bitcast(m, type, spe_const_u(m, spe_vec_like(m, spe_int(m, 32), x), 0x7fc00000));
    refused = spe_land(m, spe_flt(m, x, spe_glsl_f_(m, x, 0.0)), spe_lnot(m, odd));
    return spe_select(m, spe_lor(m, none, refused), nan, power);
}

/* Two steps of Halley's from a third of the exponent; x is scaled by 2^24 or 2^-24 where that needs room. */
XE_FN_ spe_id spe_cube_root_(spe_module *m, spe_id x)
{
    spe_id type = spe_type_of(m, x), i32 = spe_vec_like(m, spe_int(m, 32), x), given = spe_glsl_abs_(m, x), t, cube, a;
    spe_id small = spe_flt(m, given, spe_glsl_f_(m, x, 0x1p-90)), large = spe_fgt(m, given, spe_glsl_f_(m, x, 0x1p90));
    spe_id one = spe_glsl_f_(m, x, 1.0), ends, zero = spe_glsl_f_(m, x, 0.0), scale, back;
    scale = spe_select(m, small, spe_glsl_f_(m, x, 0x1p24), spe_select(m, large, spe_glsl_f_(m, x, 0x1p-24), one));
    back = spe_select(m, small, spe_glsl_f_(m, x, 0x1p-8), spe_select(m, large, spe_glsl_f_(m, x, 0x1p8), one));
    a = spe_fmul(m, given, scale);
    t = spe_udiv(m, spe_bitcast(m, i32, a), spe_const_u(m, i32, 3));
    t = spe_bitcast(m, type, spe_iadd(m, t, spe_const_u(m, i32, 0x2a5137a0)));
    for (int i = 0; i < 2; i++) {
        cube = spe_fmul(m, spe_fmul(m, t, t), t);
        spe_id over = spe_fadd(m, a, spe_fadd(m, cube, cube));
        t = spe_fadd(m, t, spe_fmul(m, t, spe_fdiv(m, spe_fsub(m, a, cube), over)));
    }
    t = spe_fmul(m, t, back);
    ends = spe_lor(m, spe_feq(m, given, zero), spe_ieq(m, spe_bitcast(m, i32, given), spe_const_u(m, i32, 0x7f800000)));
    return spe_unless_nan_(m, x, spe_select(m, ends, x, spe_signed_as_(m, t, x)));
}

/* sqrt(x^2 + y^2), scaled so that squares stay inside f32; infinite if one is, even beside NaN. */
XE_FN_ spe_id spe_hypotenuse_(spe_module *m, spe_id x, spe_id y)
{
    spe_id type = spe_type_of(m, x), i32 = spe_vec_like(m, spe_int(m, 32), x), one = spe_glsl_f_(m, x, 1.0);
    spe_id scale, back, inf = spe_bitcast(m, type, spe_const_u(m, i32, 0x7f800000)), r;
    x = spe_glsl_abs_(m, x), y = spe_glsl_abs_(m, y);
    spe_id most = spe_select(m, spe_fgt(m, x, y), x, y), large, tiny;
    large = spe_fgt(m, most, spe_glsl_f_(m, x, 0x1p60)), tiny = spe_flt(m, most, spe_glsl_f_(m, x, 0x1p-40));
    scale = spe_select(m, large, spe_glsl_f_(m, x, 0x1p-68), spe_select(m, tiny, spe_glsl_f_(m, x, 0x1p80), one));
    back = spe_select(m, large, spe_glsl_f_(m, x, 0x1p68), spe_select(m, tiny, spe_glsl_f_(m, x, 0x1p-80), one));
    spe_id sx = spe_fmul(m, x, scale), sy = spe_fmul(m, y, scale);
    r = spe_fmul(m, spe_glsl_root_(m, spe_fadd(m, spe_fmul(m, sx, sx), spe_fmul(m, sy, sy))), back);
    r = spe_unless_nan_(m, x, spe_unless_nan_(m, y, r));
    return spe_select(m, spe_lor(m, spe_feq(m, x, inf), spe_feq(m, y, inf)), inf, r);
}
