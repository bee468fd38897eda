/* vulkan_conversions.c - conversions with a rounding mode and saturation, made of other instructions. */
#include "internal.h"

/* The largest or, negative, the smallest integer of a type, as an integer constant of it. */
static spe_id spe_extreme_(spe_module *m, spe_id type, bool is_signed, bool largest)
{
    uint32_t bits = spe_width(m, type);
    uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1, high = (uint64_t)1 << (bits - 1);
    if (is_signed) return spe_const_u(m, type, largest ? high - 1 : high);
    return spe_const_u(m, type, largest ? all : 0);
}

/* Floats to integers that stop at the limits; NaN becomes 0. */
static spe_id spe_float_to_saturated_(spe_module *m, spe_id type, spe_id v, bool to_signed, uint32_t rounding)
{
    static const spe_math_op round[] = {SPE_RINT, SPE_TRUNC, SPE_CEIL, SPE_FLOOR};
    spe_id from = spe_type_of(m, v), zero, low, high, most, least, inside, r;
    int bits = (int)spe_width(m, type);
    if (spe_width(m, from) == 16) v = spe_fconvert(m, from = spe_vec_like(m, spe_float(m, 32), v), v);
    if (rounding != UINT32_MAX) v = spe_math1(m, round[rounding], v);
    zero = spe_const_f(m, from, 0);
    double half = (double)((uint64_t)1 << (bits - 1));
    low = spe_const_f(m, from, to_signed ? -half : 0);
    high = spe_const_f(m, from, to_signed ? half : 2 * half);
    most = spe_fge(m, v, high);
    least = spe_fle(m, v, low);
    inside = spe_flt(m, v, high);
    inside = spe_land(m, inside, spe_fgt(m, v, low));
    v = spe_select(m, inside, v, zero);
    r = to_signed ? spe_f_to_s(m, type, v) : spe_f_to_u(m, type, v);
    zero = spe_extreme_(m, type, to_signed, true);
    r = spe_select(m, most, zero, r);
    zero = spe_extreme_(m, type, to_signed, false);
    return spe_select(m, least, zero, r);
}

/* Integers to others, clamped before they lose their upper bits or their sign. */
static spe_id spe_int_to_saturated_(spe_module *m, spe_id type, spe_id v, bool from_signed, bool to_signed)
{
    spe_id from = spe_type_of(m, v), limit;
    int wide = (int)spe_width(m, from), narrow = (int)spe_width(m, type);
    if (from_signed && !to_signed) {
        limit = spe_const_u(m, from, 0);
        v = spe_math2(m, SPE_SMAX, v, limit);
    }
    if (wide - from_signed > narrow - to_signed) { /* the largest of the result is in the operand's type */
        limit = spe_const_u(m, from, ((uint64_t)1 << (narrow - to_signed)) - 1);
        v = spe_math2(m, from_signed && to_signed ? SPE_SMIN : SPE_UMIN, v, limit);
    }
    if (from_signed && to_signed && wide > narrow) {
        limit = spe_const_i(m, from, -((int64_t)1 << (narrow - 1)));
        v = spe_math2(m, SPE_SMAX, v, limit);
    }
    return spe_cast(m, type, v, from_signed);
}

/* One step from y, of the integer type `bits`, towards 0 or, where `away`, from it: the next float. */
static spe_id spe_step_(spe_module *m, spe_id bits, spe_id y, spe_id away)
{
    spe_id one = spe_const_u(m, bits, 1), all = spe_not(m, spe_const_u(m, bits, 0));
    return spe_iadd(m, y, spe_select(m, away, one, all));
}

/* A float y that is v to nearest, rounded in another way: a step back where it was rounded too far. */
static spe_id spe_rerounded_(spe_module *m, spe_id v, spe_id y, uint32_t rounding)
{
    spe_id type = spe_type_of(m, y), bits = spe_vec_like(m, spe_int(m, spe_width(m, type)), y), back, off, b;
    back = spe_fconvert(m, spe_type_of(m, v), y);
    b = spe_bitcast(m, bits, y);
    spe_id zero = spe_const_u(m, bits, 0), sign;
    spe_id negative = spe_slt(m, b, zero), none = spe_feq(m, y, spe_null(m, type)), r;
    if (rounding == SPE_FPRoundingModeRTZ) {
        spe_id size = spe_math1(m, SPE_FABS, back);
        off = spe_fgt(m, size, spe_math1(m, SPE_FABS, v));
        r = spe_step_(m, bits, b, spe_lne(m, negative, negative));
    } else if (rounding == SPE_FPRoundingModeRTP) {
        off = spe_flt(m, back, v);
        sign = spe_const_u(m, bits, 1);
        r = spe_step_(m, bits, b, spe_lnot(m, negative));
        r = spe_select(m, none, sign, r);
    } else {
        off = spe_fgt(m, back, v);
        sign = spe_const_u(m, bits, ((uint64_t)1 << (spe_width(m, type) - 1)) + 1);
        r = spe_step_(m, bits, b, negative);
        r = spe_select(m, none, sign, r);
    }
    r = spe_bitcast(m, type, r);
    return spe_select(m, off, r, y);
}

/* A conversion for Vulkan, whose own between floats are to nearest. */
XE_FN_ spe_id spe_cast_in_parts_(spe_module *m, spe_id type, spe_id v, const spe_conversion *c)
{
    spe_id from = spe_type_of(m, v), f64;
    const spe_type_info *a = spe_info_(m, spe_scalar_of(m, from)), *b = spe_info_(m, spe_scalar_of(m, type));
    bool float_from = a->kind == SPE_KIND_FLOAT, float_to = b->kind == SPE_KIND_FLOAT;
    uint32_t mantissa = b->bits == 64 ? 53 : b->bits == 32 ? 24 : 11, mode = c->rounded ? c->rounding : UINT32_MAX;
    if (!float_to && float_from && !c->saturate && mode == UINT32_MAX) return spe_cast(m, type, v, c->to_signed);
    if (!float_to && float_from) return spe_float_to_saturated_(m, type, v, c->to_signed, mode);
    if (!float_to)
        return c->saturate ? spe_int_to_saturated_(m, type, v, c->from_signed, c->to_signed)
                           : spe_cast(m, type, v, c->from_signed);
    if (mode == UINT32_MAX || mode == SPE_FPRoundingModeRTE) return spe_cast(m, type, v, c->from_signed);
    if (float_from && b->bits >= a->bits) return spe_fconvert(m, type, v);
    if (float_from) return spe_rerounded_(m, v, spe_fconvert(m, type, v), mode);
    if (a->bits - c->from_signed <= mantissa) return spe_cast(m, type, v, c->from_signed);
    if (a->bits == 64)
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan converts integers of 64 bits to nearest floats only");
    f64 = spe_cast(m, spe_vec_like(m, spe_float(m, 64), v), v, c->from_signed); /* exact */
    return spe_rerounded_(m, f64, spe_fconvert(m, type, f64), mode);
}
