/* ir/opaque.c - which vectors are matrices of Vulkan's devices, which only the device can look into. */
#include "../internal.h"

XE_FN_ bool xt_is_opaque_(cm_use use) { return use >= CM_OPAQUE_ACC; }

/* The shape that operands of this type have, whatever the sums are. */
XE_ONCE_
XE_FN_ const cm_coop_shape *xt_operand_shape_(const xt_ctx *x, cm_type type)
{
    const cm_coop_shape *s = cm_coop_shape_of(&x->target, type, CM_F32);
    return s ? s : cm_coop_shape_of(&x->target, type, CM_I32);
}

/* Words of local memory through which a subgroup's matrices become vectors, and these become matrices: a strip, of
 * columns as in coopmatrix.h, with a gap after each. Whole vectors of 16 bytes. */
XE_FN_ int xt_strip_words_(const xt_ctx *x)
{
    enum { COLUMN = 16 * 4, GAP = 16 }; /* bytes: 16 sums, or 32 operands of 8 bits or 16 of 16 */
    return x->S * (COLUMN + GAP) / 4;
}

XE_ONCE_
XE_FN_ uint32_t xt_tied_(xt_ctx *x, uint32_t id)
{
    while (xt_value_at_(x, id)->tied != id) id = xt_value_at_(x, id)->tied;
    return id;
}

XE_FN_ bool xt_value_is_opaque_(xt_ctx *x, uint32_t id)
{
    return x->opaque_words && xt_value_at_(x, xt_tied_(x, id))->opaque;
}

/* The layout in which regions carry a vector. */
XE_FN_ cm_use xt_layout_(xt_ctx *x, uint32_t id)
{
    return xt_value_is_opaque_(x, id) ? CM_OPAQUE_ACC : xt_lane_layout_(x, id);
}
