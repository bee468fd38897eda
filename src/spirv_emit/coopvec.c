/* coopvec.c - cooperative vectors of SPV_NV_cooperative_vector. */
#include "internal.h"

/* -- cooperative vectors (SPV_NV_cooperative_vector) ----------------------------------------------------------------
 *
 * The instructions as they are; which of them a device takes is the device's. ptr is a pointer to an array or scalar in
 * memory, offset an i32 in bytes. Interpretations are SPE_ComponentType..., layouts
 * SPE_CooperativeVectorMatrixLayout....
 */

/* The description of a cooperative vector operand, NULL and an error when it is none. */
static const spe_type_info *spe_want_coopvec_(spe_module *m, const char *fn, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, fn, type);
    char text[80];
    if (t && t->kind != SPE_KIND_COOPVEC)
        return spe_error_(m, SPE_ERR_TYPE, "%s: %s is no cooperative vector", fn,
                          spe_type_text(m, type, text, sizeof text)),
               (const spe_type_info *)NULL;
    return t;
}

/* Is there a pointer, and an integer offset? */
static bool spe_coopvec_place_(spe_module *m, const char *fn, spe_id ptr, spe_id offset)
{
    spe_id t = spe_operand_(m, fn, offset);
    return t && spe_takes_one_(m, fn, SPE_TAKES_INT_, t) && spe_pointee_(m, fn, ptr);
}

spe_id spe_coopvec_load(spe_module *m, spe_id type, spe_id ptr, spe_id offset)
{
    uint32_t w[2];
    if (!spe_want_coopvec_(m, "spe_coopvec_load", type) || !spe_coopvec_place_(m, "spe_coopvec_load", ptr, offset))
        return 0;
    w[0] = ptr;
    w[1] = offset;
    return spe_emit_(m, SPE_OpCooperativeVectorLoadNV, type, 2, w);
}
void spe_coopvec_store(spe_module *m, spe_id ptr, spe_id offset, spe_id v)
{
    spe_id tv = spe_operand_(m, "spe_coopvec_store", v);
    uint32_t w[3];
    if (!tv || !spe_want_coopvec_(m, "spe_coopvec_store", tv)) return;
    if (!spe_coopvec_place_(m, "spe_coopvec_store", ptr, offset)) return;
    w[0] = ptr;
    w[1] = offset;
    w[2] = v;
    spe_emit_(m, SPE_OpCooperativeVectorStoreNV, 0, 3, w);
}

spe_id spe_coopvec_mul(spe_module *m, spe_id type, const spe_coopvec_product *p)
{
    const spe_type_info *t = spe_want_coopvec_(m, "spe_coopvec_mul", type);
    spe_id input = spe_operand_(m, "spe_coopvec_mul", p->input);
    uint32_t w[14], n = 0;
    if (!t || !input || !spe_want_coopvec_(m, "spe_coopvec_mul", input)) return 0;
    if (t->count != p->rows)
        return spe_error_(m, SPE_ERR_TYPE, "spe_coopvec_mul: a result of %u components from %u rows", t->count,
                          p->rows);
    if (!spe_coopvec_place_(m, "spe_coopvec_mul", p->matrix, p->offset)) return 0;
    if (p->bias && !spe_coopvec_place_(m, "spe_coopvec_mul", p->bias, p->bias_offset)) return 0;
    if ((p->operands || p->stride) && !spe_operand_(m, "spe_coopvec_mul", p->stride)) return 0;
    w[n++] = p->input;
    w[n++] = spe_u32(m, p->input_type);
    w[n++] = p->matrix;
    w[n++] = p->offset;
    w[n++] = spe_u32(m, p->matrix_type);
    if (p->bias) {
        w[n++] = p->bias;
        w[n++] = p->bias_offset;
        w[n++] = spe_u32(m, p->bias_type);
    }
    w[n++] = spe_u32(m, p->rows);
    w[n++] = spe_u32(m, p->cols);
    w[n++] = spe_u32(m, p->layout);
    w[n++] = spe_const_bool(m, p->transpose);
    if (p->stride) w[n++] = p->stride;
    if (p->operands) w[n++] = p->operands;
    return spe_emit_(m, p->bias ? SPE_OpCooperativeVectorMatrixMulAddNV : SPE_OpCooperativeVectorMatrixMulNV, type, n,
                     w);
}

void spe_coopvec_outer_accumulate(spe_module *m, spe_id ptr, spe_id offset, spe_id a, spe_id b, uint32_t layout,
                                  uint32_t matrix_type, spe_id stride)
{
    const char *fn = "spe_coopvec_outer_accumulate";
    spe_id ta = spe_operand_(m, fn, a), tb = spe_operand_(m, fn, b);
    uint32_t w[7];
    if (!ta || !tb || !spe_want_coopvec_(m, fn, ta) || !spe_want_coopvec_(m, fn, tb)) return;
    if (!spe_coopvec_place_(m, fn, ptr, offset) || (stride && !spe_operand_(m, fn, stride))) return;
    w[0] = ptr;
    w[1] = offset;
    w[2] = a;
    w[3] = b;
    w[4] = spe_u32(m, layout);
    w[5] = spe_u32(m, matrix_type);
    w[6] = stride;
    spe_emit_(m, SPE_OpCooperativeVectorOuterProductAccumulateNV, 0, stride ? 7 : 6, w);
}
void spe_coopvec_sum_accumulate(spe_module *m, spe_id ptr, spe_id offset, spe_id v)
{
    spe_id tv = spe_operand_(m, "spe_coopvec_sum_accumulate", v);
    uint32_t w[3];
    if (!tv || !spe_want_coopvec_(m, "spe_coopvec_sum_accumulate", tv)) return;
    if (!spe_coopvec_place_(m, "spe_coopvec_sum_accumulate", ptr, offset)) return;
    w[0] = ptr;
    w[1] = offset;
    w[2] = v;
    spe_emit_(m, SPE_OpCooperativeVectorReduceSumAccumulateNV, 0, 3, w);
}
