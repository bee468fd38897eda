/* powers.c - powers and roots for Vulkan, of f32 and f64. */
#include "internal.h"

/* x times 5/4, 1 or 3/4, so that it is from 0.88 to 1.19; what rounding lost of it, and the logarithm to base 2 of that
 * factor in two parts: exponents less the first are exact. */
typedef struct {
    spe_id product, lost, high, low;
} spe_near_one_;

static spe_id spe_one_of_three_(spe_module *m, spe_id small, spe_id if_small, spe_id large, spe_id if_large)
{
    spe_id zero = spe_null(m, spe_type_of(m, if_small));
    return spe_select(m, small, if_small, spe_select(m, large, if_large, zero));
}

static spe_near_one_ spe_multiplied_near_one_(spe_module *m, spe_id x)
{
    static const double logarithms[2][4] = {
        {1319 / 4096.0, -9.338948763765212e-05, -1700 / 4096.0, 1.5632211561814537e-06},
        {1382670639 / 4294967296.0, 4.768513324782187e-11, -1782572486 / 4294967296.0, -3.785310626949533e-12}};
    spe_near_one_ r;
    spe_id part[4], small = spe_flt_c_(m, x, 0.8928), large = spe_fgt_c_(m, x, 1.19), quarter = spe_fmul_c_(m, x, 0.25);
    spe_id less = spe_fneg(m, quarter), q = spe_one_of_three_(m, small, quarter, large, less);
    for (int i = 0; i < 4; i++) part[i] = spe_glsl_f_(m, x, logarithms[spe_bits_of_(m, x) == 64][i]);
    r.product = spe_fadd(m, x, q);
    r.lost = spe_fsub(m, q, spe_fsub(m, r.product, x));
    r.high = spe_one_of_three_(m, small, part[0], large, part[2]);
    r.low = spe_one_of_three_(m, small, part[1], large, part[3]);
    return r;
}

/* log x of x + lost from 0.88 to 1.19, in two parts: s = (x - 1) / (x + 1), of which the upper half is exact, and
 * log x = 2 s + 2 s^3 / 3 ... */
static spe_id spe_two_part_series_(spe_module *m, spe_id x, spe_id lost, spe_id *low)
{
    spe_id one = spe_glsl_f_(m, x, 1.0), f = spe_fsub(m, x, one), d = spe_fadd(m, x, one);
    spe_id d_high = spe_head_(m, d), d_low = spe_fsub(m, x, spe_fsub(m, d_high, one));
    spe_id s = spe_fdiv(m, f, d), s_high = spe_head_(m, s), z = spe_fmul(m, s, s), cube = spe_fmul(m, s, z);
    spe_id tail = spe_fmul(m, cube, spe_logarithm_series_(m, z));
    spe_id rest = spe_fsub(m, f, spe_fmul(m, s_high, d_high));
    rest = spe_fsub(m, rest, spe_fmul(m, s_high, d_low));
    rest = spe_fadd(m, rest, spe_fmul(m, lost, spe_fsub(m, one, s)));
    rest = spe_fdiv(m, rest, d);
    *low = spe_fadd(m, spe_fadd(m, rest, rest), tail);
    return spe_fadd(m, s_high, s_high);
}

/* log2 x in two parts, to 2^-30 or 2^-60 of it, for positive finite x. Called where arithmetic is as written. */
static spe_id spe_two_logarithms_(spe_module *m, spe_id x, spe_id *low)
{
    spe_id exponent, mantissa = spe_mantissa_(m, x, &exponent), rest;
    spe_near_one_ reduced = spe_multiplied_near_one_(m, mantissa);
    spe_id e = spe_s_to_f(m, spe_type_of(m, x), exponent);
    spe_id natural = spe_two_part_series_(m, reduced.product, reduced.lost, &rest);
    e = spe_fsub(m, e, reduced.high); /* exact */
    spe_id high = spe_fmul_c_(m, natural, spe_by_size_(m, x, 1.4423828125, 0x1.715476p0)); /* exact */
    spe_id l = spe_fmul_c_(m, natural, spe_by_size_(m, x, 0.0003122283889634, 1.92596299112661746887e-08));
    l = spe_fadd(m, l, spe_fmul_c_(m, rest, 1.4426950408889634));
    l = spe_fsub(m, l, reduced.low);
    spe_id sum = spe_fadd(m, e, high), lost = spe_fsub(m, high, spe_fsub(m, sum, e));
    l = spe_fadd(m, lost, l);
    spe_id total = spe_fadd(m, sum, l);
    *low = spe_fsub(m, l, spe_fsub(m, total, sum));
    return total;
}

/* x^(y + more) for positive finite x, `more` being small beside y, or y a sum of both. */
static spe_id spe_power_of_positive_(spe_module *m, spe_id x, spe_id y, spe_id more)
{
    spe_id zero = spe_glsl_f_(m, x, 0.0), most = spe_glsl_f_(m, x, spe_by_size_(m, x, 0x1p40, 0x1p70));
    spe_id least = spe_fneg(m, most), low;
    y = spe_clamped_(m, y, least, most); /* infinities */
    m->as_written = true;
    spe_id log = spe_two_logarithms_(m, x, &low), head = spe_head_(m, log);
    low = spe_fadd(m, spe_fsub(m, log, head), low);
    spe_id y_head = spe_head_(m, y), y_low = spe_fadd(m, spe_fsub(m, y, y_head), more);
    spe_id high = spe_fmul(m, y_head, head), rest = spe_fmul(m, y_low, head);
    rest = spe_fadd(m, rest, spe_fmul(m, spe_fadd(m, y, more), low));
    spe_id p = spe_fadd(m, high, rest);
    most = spe_glsl_f_(m, x, spe_by_size_(m, x, 200, 1100)), least = spe_fneg(m, most);
    spe_id beyond = spe_fge(m, spe_glsl_abs_(m, p), most), n = spe_clamped_(m, p, least, most);
    n = spe_glsl_round_(m, spe_select(m, spe_feq(m, n, n), n, zero));
    spe_id r = spe_fadd(m, spe_fsub(m, high, n), rest);
    m->as_written = false;
    r = spe_select(m, beyond, zero, r);
    return spe_scaled_by_2_(m, spe_exponential_series_(m, spe_fmul_c_(m, r, 0.6931471805599453)), n);
}

/* The power of any x from that of |x|, for exponents that are integers, odd and positive or not. */
static spe_id spe_power_of_any_(spe_module *m, spe_id x, spe_id power, spe_id integer, spe_id odd, spe_id positive)
{
    spe_id zero = spe_glsl_f_(m, x, 0.0), infinity = spe_infinity_(m, x), nan = spe_nan_(m, x);
    spe_id a = spe_glsl_abs_(m, x), infinite = spe_feq(m, a, infinity), none = spe_feq(m, a, zero);
    spe_id extreme = spe_select(m, spe_leq(m, infinite, positive), infinity, zero);
    power = spe_select(m, spe_lor(m, infinite, none), extreme, power);
    spe_id turned = spe_land(m, spe_negative_(m, x), odd);
    power = spe_select(m, turned, spe_fneg(m, power), power);
    spe_id below = spe_flt(m, x, zero), refused = spe_land(m, below, spe_lnot(m, infinite));
    refused = spe_land(m, refused, spe_lnot(m, integer));
    return spe_unless_nan_(m, x, spe_select(m, refused, nan, power));
}

/* x^y of POW where x or y is 0, or x is 1: that of POWR. */
static spe_id spe_powr_of_any_(spe_module *m, spe_id x, spe_id y, spe_id power)
{
    spe_id zero = spe_glsl_f_(m, x, 0.0), one = spe_glsl_f_(m, x, 1.0), infinity = spe_infinity_(m, x);
    spe_id y_is_0 = spe_feq(m, y, zero), x_is_0 = spe_feq(m, x, zero), x_is_1 = spe_feq(m, x, one);
    spe_id y_is_infinite = spe_feq(m, spe_glsl_abs_(m, y), infinity);
    spe_id extreme = spe_lor(m, x_is_0, spe_feq(m, spe_glsl_abs_(m, x), infinity));
    power = spe_select(m, y_is_0, spe_unless_nan_(m, x, one), power);
    extreme = spe_land(m, y_is_0, extreme);
    spe_id refused = spe_lor(m, extreme, spe_land(m, x_is_1, y_is_infinite));
    spe_id outside = spe_lor(m, refused, spe_flt(m, x, zero));
    power = spe_select(m, outside, spe_nan_(m, x), power);
    spe_id unsigned_0 = spe_land(m, x_is_0, spe_lnot(m, refused));
    return spe_select(m, unsigned_0, spe_glsl_abs_(m, power), power);
}

/* POW and POWR, which is only for x from 0 on. */
XE_FN_ spe_id spe_power_(spe_module *m, spe_math_op f, spe_id x, spe_id y)
{
    spe_id int_type = spe_int_like_(m, x), zero = spe_glsl_f_(m, x, 0.0), one = spe_glsl_f_(m, x, 1.0);
    spe_id size = spe_glsl_abs_(m, y), small = spe_flt_c_(m, size, spe_by_size_(m, x, 0x1p24, 0x1p53));
    spe_id units = spe_f_to_s(m, int_type, spe_select(m, small, size, zero)); /* larger ones are even integers */
    spe_id integer = spe_feq(m, spe_s_to_f(m, spe_type_of(m, x), units), size);
    integer = spe_lor(m, integer, spe_lnot(m, small));
    spe_id odd = spe_land(m, integer, spe_odd_(m, units)), positive = spe_fgt(m, y, zero);
    spe_id power = spe_power_of_positive_(m, spe_glsl_abs_(m, x), y, zero);
    power = spe_power_of_any_(m, x, power, integer, odd, positive);
    power = spe_unless_nan_(m, y, power);
    if (f == SPE_POWR) return spe_powr_of_any_(m, x, y, power);
    spe_id none = spe_feq(m, y, zero), always_1 = spe_lor(m, none, spe_feq(m, x, one));
    return spe_select(m, always_1, one, power);
}

/* An integer n in two floats. */
static spe_id spe_in_two_floats_(spe_module *m, spe_id n, spe_id type, spe_id *more)
{
    enum { EXACT = 1 << 24 }; /* up to there, floats have all integers */
    if (spe_width(m, type) == 64) return *more = spe_null(m, type), spe_s_to_f(m, type, n);
    spe_id zero = spe_glsl_u_(m, n, 0), shifted = spe_iadd_c_(m, n, EXACT);
    spe_id large = spe_ugt(m, shifted, spe_glsl_u_(m, n, 2 * EXACT));
    spe_id byte = spe_select(m, large, spe_and_c_(m, n, 0xff), zero);
    *more = spe_s_to_f(m, type, byte);
    return spe_s_to_f(m, type, spe_isub(m, n, byte));
}

/* 1 / n in two floats; 1 for n = 0. */
static spe_id spe_inverse_in_two_floats_(spe_module *m, spe_id n, spe_id x, spe_id *more)
{
    spe_id one = spe_glsl_f_(m, x, 1.0), none = spe_ieq_c_(m, n, 0);
    spe_id real = spe_s_to_f(m, spe_type_of(m, x), spe_select(m, none, spe_glsl_u_(m, n, 1), n));
    spe_id inverse = spe_head_(m, spe_fdiv(m, one, real));
    if (spe_bits_of_(m, x) == 64) /* times an integer of 32 bits it is exact */
        inverse = spe_of_bits_(m, x, spe_and_c_(m, spe_bits_(m, inverse), ~(uint64_t)UINT32_MAX));
    m->as_written = true;
    *more = spe_fdiv(m, spe_fsub(m, one, spe_fmul(m, inverse, real)), real);
    m->as_written = false;
    return inverse;
}

/* POWN and ROOTN: x^n and x^(1/n) for an integer n, whose float or quotient has two parts. */
XE_FN_ spe_id spe_integer_power_(spe_module *m, spe_math_op f, spe_id x, spe_id n)
{
    spe_id zero = spe_glsl_u_(m, n, 0), none = spe_ieq(m, n, zero), odd = spe_odd_(m, n), y, more;
    if (f == SPE_POWN) y = spe_in_two_floats_(m, n, spe_type_of(m, x), &more);
    else y = spe_inverse_in_two_floats_(m, n, x, &more);
    spe_id power = spe_power_of_positive_(m, spe_glsl_abs_(m, x), y, more);
    spe_id integer = spe_ieq(m, n, n), positive = spe_sgt(m, n, zero);
    power = spe_power_of_any_(m, x, power, integer, odd, positive);
    if (f == SPE_POWN) return spe_select(m, none, spe_glsl_f_(m, x, 1.0), power);
    spe_id negative = spe_flt_c_(m, x, 0.0), refused = spe_land(m, negative, spe_lnot(m, odd));
    refused = spe_lor(m, none, refused);
    return spe_select(m, refused, spe_nan_(m, x), power);
}

/* One of three factors. */
static spe_id spe_factor_(spe_module *m, spe_id x, spe_id small, double if_small, spe_id large, double if_large)
{
    spe_id for_small = spe_glsl_f_(m, x, if_small), for_large = spe_glsl_f_(m, x, if_large);
    return spe_select(m, small, for_small, spe_select(m, large, for_large, spe_glsl_f_(m, x, 1.0)));
}

/* The float whose bits are a third of those of x, and more; of 64 bits by the upper half alone. */
static spe_id spe_third_of_bits_(spe_module *m, spe_id x, uint64_t more)
{
    bool wide = spe_bits_of_(m, x) == 64;
    spe_id bits = spe_bits_(m, x), type = spe_type_of(m, bits), half = spe_vec_like(m, spe_int(m, 32), x);
    if (wide) bits = spe_uconvert(m, half, spe_shr_c_(m, bits, 32));
    bits = spe_iadd_c_(m, spe_udiv(m, bits, spe_glsl_u_(m, bits, 3)), more);
    if (wide) bits = spe_shl_c_(m, spe_uconvert(m, type, bits), 32);
    return spe_of_bits_(m, x, bits);
}

/* Two steps of Halley's from a third of the exponent, or three; x is scaled where that needs room. */
XE_FN_ spe_id spe_cube_root_(spe_module *m, spe_id x)
{
    bool wide = spe_bits_of_(m, x) == 64;
    spe_id given = spe_glsl_abs_(m, x), small = spe_flt_c_(m, given, wide ? 0x1p-900 : 0x1p-90), large;
    large = spe_fgt_c_(m, given, wide ? 0x1p900 : 0x1p90);
    spe_id scale = spe_factor_(m, x, small, wide ? 0x1p180 : 0x1p24, large, wide ? 0x1p-180 : 0x1p-24);
    spe_id back = spe_factor_(m, x, small, wide ? 0x1p-60 : 0x1p-8, large, wide ? 0x1p60 : 0x1p8);
    spe_id a = spe_fmul(m, given, scale), t = spe_third_of_bits_(m, a, wide ? 0x2a9f7893 : 0x2a5137a0);
    for (int i = 0; i < 2 + wide; i++) {
        spe_id cube = spe_fmul(m, spe_fmul(m, t, t), t), over = spe_fadd(m, a, spe_fadd(m, cube, cube));
        t = spe_fadd(m, t, spe_fmul(m, t, spe_fdiv(m, spe_fsub(m, a, cube), over)));
    }
    t = spe_fmul(m, t, back);
    spe_id none = spe_feq_c_(m, given, 0.0), infinite = spe_feq(m, given, spe_infinity_(m, x));
    spe_id itself = spe_lor(m, none, infinite);
    return spe_unless_nan_(m, x, spe_select(m, itself, x, spe_signed_as_(m, t, x)));
}

/* sqrt(x^2 + y^2), scaled so that squares stay in range; infinite if one is, even beside NaN. */
XE_FN_ spe_id spe_hypotenuse_(spe_module *m, spe_id x, spe_id y)
{
    bool wide = spe_bits_of_(m, x) == 64;
    double up = wide ? 0x1p600 : 0x1p80, down = wide ? 0x1p-600 : 0x1p-68;
    spe_id infinity = spe_infinity_(m, x);
    x = spe_glsl_abs_(m, x), y = spe_glsl_abs_(m, y);
    spe_id most = spe_select(m, spe_fgt(m, x, y), x, y), large = spe_fgt_c_(m, most, wide ? 0x1p500 : 0x1p60);
    spe_id small = spe_flt_c_(m, most, wide ? 0x1p-400 : 0x1p-40);
    spe_id scale = spe_factor_(m, x, small, up, large, down), back = spe_factor_(m, x, small, 1 / up, large, 1 / down);
    spe_id scaled_x = spe_fmul(m, x, scale), scaled_y = spe_fmul(m, y, scale), square = spe_fmul(m, scaled_x, scaled_x);
    square = spe_fadd(m, square, spe_fmul(m, scaled_y, scaled_y));
    spe_id r = spe_fmul(m, spe_glsl_root_(m, square), back), infinite = spe_feq(m, x, infinity);
    r = spe_unless_nan_(m, x, spe_unless_nan_(m, y, r));
    infinite = spe_lor(m, infinite, spe_feq(m, y, infinity));
    return spe_select(m, infinite, infinity, r);
}
