/* vulkan_math.c - Vulkan's mathematics: functions of GLSL.std.450 where these are as accurate as OpenCL's, and others
 * made of arithmetic. */
#include "internal.h"

/* The number of the function that gives the same; 0: there is none. */
static uint32_t spe_glsl_number_(spe_math_op f)
{
    static const struct {
        uint16_t ours, theirs;
    } rows[] = {{SPE_FABS, 4}, {SPE_FLOOR, 8}, {SPE_CEIL, 9}, {SPE_TRUNC, 3}, {SPE_RINT, 2}, {SPE_SQRT, 31},
                {SPE_RSQRT, 32}, {SPE_FMA, 50}, {SPE_FMIN, 79}, {SPE_FMAX, 80}, {SPE_FCLAMP, 81}, {SPE_SIGN, 6},
                {SPE_SMIN, 39}, {SPE_SMAX, 42}, {SPE_UMIN, 38}, {SPE_UMAX, 41}, {SPE_SABS, 5}, {SPE_SCLAMP, 45},
                {SPE_UCLAMP, 44}, {SPE_NATIVE_SQRT, 31}, {SPE_NATIVE_RSQRT, 32}, {SPE_NATIVE_EXP, 27},
                {SPE_NATIVE_EXP2, 29}, {SPE_NATIVE_LOG, 28}, {SPE_NATIVE_LOG2, 30}, {SPE_NATIVE_SIN, 13},
                {SPE_NATIVE_COS, 14}, {SPE_NATIVE_TAN, 15}, {SPE_NATIVE_POWR, 26}, {SPE_MIX, 46}, {SPE_STEP, 48},
                {SPE_SMOOTHSTEP, 49}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].ours == (uint32_t)f) return rows[i].theirs;
    }
    return 0;
}

/* Half away from zero, which Vulkan leaves open. */
static spe_id spe_round_away_(spe_module *m, spe_id x)
{
    spe_id integer = spe_glsl_(m, SPE_GLSL_TRUNC_, "llf:=", x, 0, 0), rest = spe_glsl_abs_(m, spe_fsub(m, x, integer));
    spe_id up = spe_glsl_f_(m, x, 1.0), down = spe_glsl_f_(m, x, -1.0), negative = spe_flt_c_(m, x, 0.0);
    spe_id away = spe_fadd(m, integer, spe_select(m, negative, down, up)), half = spe_glsl_f_(m, x, 0.5);
    return spe_select(m, spe_fge(m, rest, half), away, integer);
}

/* Zeros before the highest bit, or after the lowest, of integers of 32 bits; SPE_POPCOUNT: the bits that are set. */
static spe_id spe_count_in_32_(spe_module *m, spe_math_op f, spe_id x)
{
    if (f == SPE_POPCOUNT) return spe_bit_count(m, x);
    spe_id bit = spe_glsl_(m, f == SPE_CLZ ? SPE_GLSL_FIND_MSB_ : SPE_GLSL_FIND_LSB_, "lli:=", x, 0, 0);
    if (f == SPE_CLZ) return spe_isub(m, spe_glsl_u_(m, x, 31), bit); /* -1: there is none */
    spe_id width = spe_glsl_u_(m, x, 32);
    return spe_select(m, spe_ieq_c_(m, x, 0), width, bit);
}

/* The same of integers of all sizes, of 64 bits by halves. */
static spe_id spe_count_bits_(spe_module *m, spe_math_op f, spe_id x)
{
    spe_id type = spe_type_of(m, x), i32 = spe_vec_like(m, spe_int(m, 32), x), count;
    uint32_t bits = spe_bits_of_(m, x);
    if (bits == 32) return spe_count_in_32_(m, f, x);
    if (bits < 32) {
        x = spe_uconvert(m, i32, x);
        if (f == SPE_CTZ) x = spe_or(m, x, spe_glsl_u_(m, x, (uint64_t)1 << bits));
        count = spe_count_in_32_(m, f, x);
        if (f == SPE_CLZ) count = spe_isub_c_(m, count, 32 - bits);
    } else {
        spe_id low = spe_uconvert(m, i32, x), high = spe_uconvert(m, i32, spe_shr_c_(m, x, 32));
        spe_id first = f == SPE_CLZ ? high : low, of_low = spe_count_in_32_(m, f, low);
        spe_id of_high = spe_count_in_32_(m, f, high), of_first = f == SPE_CLZ ? of_high : of_low;
        count = spe_iadd(m, of_low, of_high); /* all 32 of the first, and the second's */
        if (f != SPE_POPCOUNT) count = spe_select(m, spe_ieq_c_(m, first, 0), count, of_first);
    }
    return spe_uconvert(m, type, count);
}

static spe_id spe_rotate_(spe_module *m, spe_id x, spe_id n)
{
    uint32_t mask = spe_width(m, spe_type_of(m, x)) - 1;
    spe_id left = spe_shl(m, x, spe_and_c_(m, n, mask));
    return spe_or(m, left, spe_shr(m, x, spe_and_c_(m, spe_ineg(m, n), mask)));
}

/* The same value of 8 or 16 bits in 32; of 32 bits, itself. */
static spe_id spe_in_32_bits_(spe_module *m, spe_id x, bool is_signed)
{
    spe_id i32 = spe_vec_like(m, spe_int(m, 32), x);
    if (spe_type_of(m, x) == i32) return x;
    return is_signed ? spe_sconvert(m, i32, x) : spe_uconvert(m, i32, x);
}

/* The upper half of a product. */
static spe_id spe_upper_(spe_module *m, spe_id a, spe_id b, bool is_signed)
{
    spe_id type = spe_type_of(m, a), zero = spe_const_u(m, type, 0);
    uint32_t bits = spe_width(m, type);
    if (bits < 32) {
        spe_id wide_a = spe_in_32_bits_(m, a, is_signed), wide_b = spe_in_32_bits_(m, b, is_signed);
        return spe_uconvert(m, type, spe_shr_c_(m, spe_imul(m, wide_a, wide_b), bits));
    }
    spe_id high = spe_high_product_(m, a, b);
    if (!is_signed) return high;
    high = spe_isub(m, high, spe_select(m, spe_slt(m, a, zero), b, zero));
    return spe_isub(m, high, spe_select(m, spe_slt(m, b, zero), a, zero));
}

/* The largest, or where x is negative, the smallest integer. */
static spe_id spe_limit_(spe_module *m, spe_id x)
{
    spe_id type = spe_type_of(m, x), sign = spe_sar_c_(m, x, spe_width(m, type) - 1);
    return spe_xor(m, sign, spe_shr_c_(m, spe_not(m, spe_const_u(m, type, 0)), 1));
}

/* a b + c that stops at the limits of its type. */
static spe_id spe_saturated_mad_(spe_module *m, bool is_signed, const spe_id *a)
{
    spe_id zero = spe_glsl_u_(m, a[0], 0), one = spe_glsl_u_(m, a[0], 1), low = spe_imul(m, a[0], a[1]);
    spe_id sum = spe_iadd(m, low, a[2]), carry = spe_select(m, spe_ult(m, sum, low), one, zero);
    spe_id up = spe_iadd(m, spe_upper_(m, a[0], a[1], is_signed), carry);
    if (!is_signed) {
        spe_id all = spe_not(m, zero);
        return spe_select(m, spe_ine(m, up, zero), all, sum);
    }
    uint32_t last = spe_width(m, spe_type_of(m, a[0])) - 1;
    up = spe_iadd(m, up, spe_sar_c_(m, a[2], last));
    spe_id over = spe_ine(m, up, spe_sar_c_(m, sum, last));
    return spe_select(m, over, spe_limit_(m, up), sum);
}

/* a + b and a - b that stop at the limits of their type. A signed sum passes them if its sign is neither a's nor b's, a
 * difference if a's sign is neither its own nor b's. */
static spe_id spe_saturated_(spe_module *m, spe_math_op f, spe_id a, spe_id b)
{
    bool sum = f == SPE_UADD_SAT || f == SPE_SADD_SAT;
    spe_id zero = spe_glsl_u_(m, a, 0), r = sum ? spe_iadd(m, a, b) : spe_isub(m, a, b);
    if (f == SPE_UADD_SAT) {
        spe_id all = spe_not(m, zero);
        return spe_select(m, spe_ult(m, r, a), all, r);
    }
    if (f == SPE_USUB_SAT) return spe_select(m, spe_ult(m, a, b), zero, r);
    spe_id turned = spe_xor(m, a, r), other = spe_xor(m, b, sum ? r : a);
    spe_id over = spe_slt(m, spe_and(m, turned, other), zero);
    return spe_select(m, over, spe_limit_(m, a), r);
}

/* x 2^n; each of four factors is in range, as products of them need not be. */
static spe_id spe_scaled_(spe_module *m, spe_id x, spe_id n)
{
    int limit = (int)spe_by_size_(m, x, 400, 2200);
    spe_id type = spe_type_of(m, x), ints = spe_int_like_(m, x);
    spe_id most = spe_const_i(m, spe_type_of(m, n), limit), least = spe_const_i(m, spe_type_of(m, n), -limit);
    spe_id below = spe_slt(m, n, least), above = spe_sgt(m, n, most);
    n = spe_select(m, above, most, spe_select(m, below, least, n));
    if (spe_type_of(m, n) != ints) n = spe_sconvert(m, ints, n);
    spe_id quarter = spe_sar_c_(m, n, 2), factor = spe_power_of_2_(m, quarter, type);
    spe_id rest = spe_isub(m, n, spe_imul(m, quarter, spe_glsl_u_(m, n, 3)));
    rest = spe_power_of_2_(m, rest, type);
    m->as_written = true;
    x = spe_fmul(m, spe_fmul(m, spe_fmul(m, x, factor), factor), factor);
    x = spe_fmul(m, x, rest);
    m->as_written = false;
    return x;
}

/* The exponent of x as a float. */
static spe_id spe_exponent_(spe_module *m, spe_id x)
{
    spe_id a = spe_glsl_abs_(m, x), infinity = spe_infinity_(m, x), least = spe_fneg(m, infinity), lift;
    uint32_t size = spe_bits_of_(m, x);
    spe_id e = spe_isub_c_(m, spe_shr_c_(m, spe_normal_bits_(m, a, &lift), spe_digits_(size)), spe_bias_(size));
    e = spe_s_to_f(m, spe_type_of(m, x), spe_isub(m, e, lift));
    e = spe_select(m, spe_feq(m, a, infinity), infinity, e);
    e = spe_select(m, spe_feq_c_(m, a, 0.0), least, e);
    return spe_unless_nan_(m, x, e);
}

/* The one that is farther from 0 (or nearer); of two as far, the larger (or smaller). */
static spe_id spe_by_magnitude_(spe_module *m, spe_id x, spe_id y, bool farther)
{
    spe_id ax = spe_glsl_abs_(m, x), ay = spe_glsl_abs_(m, y), same;
    same = spe_glsl_(m, farther ? SPE_GLSL_NMAX_ : SPE_GLSL_NMIN_, "llf=:=", x, y, 0);
    same = spe_select(m, farther ? spe_fgt(m, ax, ay) : spe_flt(m, ax, ay), x, same);
    return spe_select(m, farther ? spe_fgt(m, ay, ax) : spe_flt(m, ay, ax), y, same);
}

/* The next float after x towards y. */
static spe_id spe_next_(spe_module *m, spe_id x, spe_id y)
{
    spe_id bits = spe_bits_(m, x), up = spe_flt(m, x, y), positive = spe_sge(m, bits, spe_glsl_u_(m, bits, 0));
    spe_id one = spe_glsl_u_(m, bits, 1), more = spe_iadd(m, bits, one), less = spe_isub(m, bits, one);
    spe_id next = spe_select(m, spe_leq(m, up, positive), more, less);
    spe_id least = spe_glsl_u_(m, bits, spe_sign_bit_(spe_bits_of_(m, x)) + 1);
    spe_id after_0 = spe_select(m, up, one, least), is_0 = spe_feq_c_(m, x, 0.0);
    next = spe_of_bits_(m, x, spe_select(m, is_0, after_0, next));
    next = spe_select(m, spe_feq(m, x, y), y, next);
    return spe_unless_nan_(m, x, spe_unless_nan_(m, y, next));
}

/* Times 1 / pi. */
static spe_id spe_in_turns_(spe_module *m, spe_id x) { return spe_fmul_c_(m, x, 0.3183098861837907); }

/* |x - y| */
static spe_id spe_difference_(spe_module *m, spe_id x, spe_id y, bool is_signed)
{
    spe_id more = spe_isub(m, x, y), less = spe_isub(m, y, x);
    return spe_select(m, is_signed ? spe_sgt(m, x, y) : spe_ugt(m, x, y), more, less);
}

/* (x + y) / 2, rounded down or up, without a bit more than they have. */
static spe_id spe_mean_(spe_module *m, spe_id x, spe_id y, bool is_signed, bool up)
{
    spe_id both = up ? spe_or(m, x, y) : spe_and(m, x, y), rest = spe_xor(m, x, y);
    rest = is_signed ? spe_sar_c_(m, rest, 1) : spe_shr_c_(m, rest, 1);
    return up ? spe_isub(m, both, rest) : spe_iadd(m, both, rest);
}

/* Functions of integers that are made of others; 0 without an error: f is none of them. */
static spe_id spe_made_of_integers_(spe_module *m, spe_math_op f, const spe_id *a)
{
    spe_id x = a[0], y = a[1];
    switch (f) {
    case SPE_POPCOUNT: case SPE_CLZ: case SPE_CTZ: return spe_count_bits_(m, f, x);
    case SPE_ROTATE: return spe_rotate_(m, x, y);
    case SPE_UABS: return x;
    case SPE_SABS_DIFF: case SPE_UABS_DIFF: return spe_difference_(m, x, y, f == SPE_SABS_DIFF);
    case SPE_SHADD: case SPE_UHADD: return spe_mean_(m, x, y, f == SPE_SHADD, false);
    case SPE_SRHADD: case SPE_URHADD: return spe_mean_(m, x, y, f == SPE_SRHADD, true);
    case SPE_SMUL_HI: case SPE_UMUL_HI: return spe_upper_(m, x, y, f == SPE_SMUL_HI);
    case SPE_SMAD_HI: case SPE_UMAD_HI: return spe_iadd(m, spe_upper_(m, x, y, f == SPE_SMAD_HI), a[2]);
    case SPE_SMUL24: case SPE_UMUL24: return spe_imul(m, x, y);
    case SPE_SMAD24: case SPE_UMAD24: return spe_iadd(m, spe_imul(m, x, y), a[2]);
    case SPE_UADD_SAT: case SPE_USUB_SAT: case SPE_SADD_SAT: case SPE_SSUB_SAT: return spe_saturated_(m, f, x, y);
    case SPE_SMAD_SAT: case SPE_UMAD_SAT: return spe_saturated_mad_(m, f == SPE_SMAD_SAT, a);
    default: return 0;
    }
}

/* The same of floats of 32 and 64 bits. */
static spe_id spe_made_(spe_module *m, spe_math_op f, const spe_id *a)
{
    spe_id x = a[0], y = a[1];
    switch (f) {
    case SPE_EXP: case SPE_EXP2: case SPE_EXP10: case SPE_EXPM1: return spe_exponential_(m, f, x);
    case SPE_LOG: case SPE_LOG2: case SPE_LOG10: case SPE_LOG1P: return spe_logarithm_(m, f, x);
    case SPE_SIN: case SPE_SINPI: return spe_circular_(m, x, 's', f == SPE_SINPI);
    case SPE_COS: case SPE_COSPI: return spe_circular_(m, x, 'c', f == SPE_COSPI);
    case SPE_TAN: case SPE_TANPI: return spe_circular_(m, x, 't', f == SPE_TANPI);
    case SPE_ASIN: case SPE_ACOS: return spe_arc_sine_(m, x, f == SPE_ACOS);
    case SPE_ASINPI: case SPE_ACOSPI: return spe_in_turns_(m, spe_arc_sine_(m, x, f == SPE_ACOSPI));
    case SPE_ATAN: return spe_angle_(m, x, spe_glsl_f_(m, x, 1.0));
    case SPE_ATANPI: return spe_in_turns_(m, spe_angle_(m, x, spe_glsl_f_(m, x, 1.0)));
    case SPE_ATAN2: return spe_angle_(m, x, y);
    case SPE_ATAN2PI: return spe_in_turns_(m, spe_angle_(m, x, y));
    case SPE_SINH: case SPE_COSH: return spe_hyperbolic_(m, x, f == SPE_COSH);
    case SPE_ASINH: case SPE_ACOSH: case SPE_ATANH: return spe_hyperbolic_inverse_(m, f, x);
    case SPE_TANH: return spe_hyperbolic_tangent_(m, x);
    case SPE_ERF: return spe_error_function_(m, x);
    case SPE_ERFC: return spe_error_complement_(m, x);
    case SPE_POW: case SPE_POWR: return spe_power_(m, f, x, y);
    case SPE_POWN: case SPE_ROOTN: return spe_integer_power_(m, f, x, y);
    case SPE_CBRT: return spe_cube_root_(m, x);
    case SPE_HYPOT: return spe_hypotenuse_(m, x, y);
    case SPE_LDEXP: return spe_scaled_(m, x, y);
    case SPE_LOGB: return spe_exponent_(m, x);
    case SPE_COPYSIGN: return spe_signed_as_(m, spe_glsl_abs_(m, x), y);
    case SPE_NEXTAFTER: return spe_next_(m, x, y);
    default: return 0;
    }
}

/* x - y, 0 where x is not larger. */
static spe_id spe_excess_(spe_module *m, spe_id x, spe_id y)
{
    spe_id difference = spe_fsub(m, x, y), none = spe_null(m, spe_type_of(m, x));
    return spe_select(m, spe_fle(m, x, y), none, difference);
}

/* The same of floats of any size. */
static spe_id spe_made_of_floats_(spe_module *m, spe_math_op f, const spe_id *a)
{
    spe_id x = a[0], y = a[1];
    switch (f) {
    case SPE_ROUND: return spe_round_away_(m, x);
    case SPE_MAD: return spe_fadd(m, spe_fmul(m, x, y), a[2]);
    case SPE_FDIM: return spe_excess_(m, x, y);
    case SPE_MAXMAG: case SPE_MINMAG: return spe_by_magnitude_(m, x, y, f == SPE_MAXMAG);
    case SPE_NATIVE_RECIP: return spe_fdiv(m, spe_glsl_f_(m, x, 1.0), x);
    case SPE_NATIVE_DIVIDE: return spe_fdiv(m, x, y);
    case SPE_NATIVE_EXP10:
        return spe_glsl_(m, SPE_GLSL_EXP2_, "llf:=", spe_fmul_c_(m, x, 3.321928094887362), 0, 0);
    case SPE_NATIVE_LOG10: return spe_fmul_c_(m, spe_glsl_(m, SPE_GLSL_LOG2_, "llf:=", x, 0, 0), 0.3010299956639812);
    default: return 0;
    }
}

/* The function that is as accurate as OpenCL asks in place of one that GLSL has of 16 and 32 bits only. */
static spe_math_op spe_precise_(spe_math_op f)
{
    switch (f) {
    case SPE_NATIVE_EXP: return SPE_EXP;
    case SPE_NATIVE_EXP2: return SPE_EXP2;
    case SPE_NATIVE_EXP10: return SPE_EXP10;
    case SPE_NATIVE_LOG: return SPE_LOG;
    case SPE_NATIVE_LOG2: return SPE_LOG2;
    case SPE_NATIVE_LOG10: return SPE_LOG10;
    case SPE_NATIVE_SIN: return SPE_SIN;
    case SPE_NATIVE_COS: return SPE_COS;
    case SPE_NATIVE_TAN: return SPE_TAN;
    case SPE_NATIVE_POWR: return SPE_POWR;
    default: return f;
    }
}

/* A function of f32 and f64, for f16 by way of f32. */
static spe_id spe_made_in_parts_(spe_module *m, const char *name, spe_math_op f, uint32_t n, const spe_id *args)
{
    spe_id type = spe_type_of(m, args[0]), f32 = spe_vec_like(m, spe_float(m, 32), args[0]), a[3] = {0, 0, 0}, v;
    bool integer = f == SPE_LDEXP || f == SPE_POWN || f == SPE_ROOTN; /* the second operand */
    bool as_it_is = spe_width(m, type) != 16 || f == SPE_NEXTAFTER;
    for (uint32_t i = 0; i < n; i++) a[i] = as_it_is || (i && integer) ? args[i] : spe_fconvert(m, f32, args[i]);
    v = spe_made_(m, f, a);
    m->doing = name;
    if (!v) return spe_error_(m, SPE_ERR_ENVIRONMENT, "this header has no %s for Vulkan", name);
    return as_it_is ? v : spe_fconvert(m, type, v);
}

/* Does SPV_NV_cooperative_vector have the function for such a type? */
XE_FN_ bool spe_is_vector_math_(spe_math_op f, const spe_type_info *t)
{
    switch (f) {
    case SPE_FMIN: case SPE_FMAX: case SPE_FCLAMP: case SPE_SMIN: case SPE_SMAX: case SPE_SCLAMP: case SPE_UMIN:
    case SPE_UMAX: case SPE_UCLAMP: case SPE_FMA: case SPE_STEP: case SPE_NATIVE_EXP: case SPE_NATIVE_LOG:
        return t->kind == SPE_KIND_COOPVEC;
    default: return false;
    }
}

/* f of these arguments, which are checked. */
XE_FN_ spe_id spe_glsl_math_(spe_module *m, const char *name, spe_math_op f, const char *form, uint32_t n,
                             const spe_id *args)
{
    spe_id type = spe_type_of(m, args[0]), a[3] = {0, 0, 0}, v;
    uint32_t bits = spe_width(m, type);
    memcpy(a, args, n * sizeof *a);
    if (bits == 64) f = spe_precise_(f);
    if (spe_glsl_number_(f)) return spe_glsl_(m, spe_glsl_number_(f), form, a[0], a[1], a[2]);
    v = f >= SPE_SABS ? spe_made_of_integers_(m, f, a) : spe_made_of_floats_(m, f, a);
    m->doing = name;
    if (v || m->error.id) return v;
    if (f < SPE_SABS) return spe_made_in_parts_(m, name, f, n, args);
    return spe_error_(m, SPE_ERR_ENVIRONMENT, "this header has no %s for Vulkan", name);
}
