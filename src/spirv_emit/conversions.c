/* conversions.c - conversions with a rounding mode and saturation, which OpenCL's compilers are told by decorations. */
#include "internal.h"

/* The instruction that spe_cast writes between numbers. */
static uint32_t spe_conversion_opcode_(bool float_from, bool float_to, bool is_signed)
{
    if (float_from && float_to) return SPE_OpFConvert;
    if (float_from) return is_signed ? SPE_OpConvertFToS : SPE_OpConvertFToU;
    if (float_to) return is_signed ? SPE_OpConvertSToF : SPE_OpConvertUToF;
    return is_signed ? SPE_OpSConvert : SPE_OpUConvert;
}

static spe_id spe_cast_as_(spe_module *m, spe_id type, spe_id v, const spe_conversion *c)
{
    spe_id from = spe_check_(m, __func__, "v", v), id;
    if (!from || !spe_want_type_(m, __func__, type)) return 0;
    const spe_type_info *a = spe_info_(m, spe_scalar_of(m, from)), *b = spe_info_(m, spe_scalar_of(m, type));
    if (!a->bits || !b->bits || spe_count(m, from) != spe_count(m, type)) return spe_disagree_(m, from, type);
    if (c->rounded && c->rounding > SPE_FPRoundingModeRTN)
        return SPE_ERROR_(m, RANGE, "there is no rounding mode %u", c->rounding);
    bool float_from = a->kind == SPE_KIND_FLOAT, float_to = b->kind == SPE_KIND_FLOAT;
    bool other_sign = c->saturate && !float_from && !float_to && c->from_signed != c->to_signed;
    if (from == type && !other_sign) return v;
    if (m->vulkan) return m->vulkan->cast(m, type, v, c);
    bool is_signed = float_from ? c->to_signed : c->from_signed;
    if (other_sign) id = spe_op(m, c->to_signed ? SPE_OpSatConvertUToS : SPE_OpSatConvertSToU, type, 1, &v);
    else id = spe_cast(m, type, v, is_signed);
    if (!id || id == v) return id;
    if ((m->ids[id].flags & SPE_ID_CONSTANT_) && (c->rounded || c->saturate)) /* folded as if neither were asked for */
        id = spe_op(m, spe_conversion_opcode_(float_from, float_to, is_signed), type, 1, &v);
    if (c->rounded && (float_from || float_to)) spe_decorate(m, id, SPE_DecorationFPRoundingMode, 1, &c->rounding);
    if (c->saturate && !float_to && !other_sign) spe_decorate(m, id, SPE_DecorationSaturatedConversion, 0, NULL);
    return id;
}
spe_id spe_cast_as(spe_module *m, spe_id type, spe_id v, const spe_conversion *c)
{
    return SPE_WITHIN_(m, spe_cast_as_(m, type, v, c));
}
