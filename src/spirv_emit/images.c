/* images.c - images and samplers: types, reading, writing, sampling. */
#include "internal.h"

spe_id spe_image(spe_module *m, uint32_t dim, bool arrayed, uint32_t access)
{
    spe_type_info t = spe_info_of_(SPE_KIND_IMAGE, 0, dim <= SPE_Dim3D ? dim + 1 + arrayed : 1, 0);
    uint32_t w[8] = {spe_void(m), dim, 0, arrayed, 0, 0, 0, access};
    if (dim != SPE_Dim1D && dim != SPE_Dim2D && dim != SPE_Dim3D && dim != SPE_DimBuffer)
        return SPE_ERROR_(m, RANGE, "dimensionality %u; there are SPE_Dim1D, 2D, 3D and Buffer", dim);
    if (arrayed && dim > SPE_Dim2D) return SPE_ERROR_(m, RANGE, "arrays have images of 1 and 2 dimensions");
    if (access > SPE_AccessQualifierReadWrite)
        return SPE_ERROR_(m, RANGE, "access %u is not one of SPE_AccessQualifier...", access);
    t.dim = dim;
    t.access = access;
    spe_capability(m, SPE_CapabilityImageBasic);
    if (dim == SPE_Dim1D) spe_capability(m, SPE_CapabilitySampled1D);
    if (dim == SPE_DimBuffer) spe_capability(m, SPE_CapabilitySampledBuffer);
    if (access == SPE_AccessQualifierReadWrite) spe_capability(m, SPE_CapabilityImageReadWrite);
    return spe_type_(m, SPE_OpTypeImage, t, SPE_NEED_NOTHING_, 0, 8, w);
}

spe_id spe_sampler(spe_module *m)
{
    spe_capability(m, SPE_CapabilityImageBasic);
    return spe_type_(m, SPE_OpTypeSampler, spe_info_of_(SPE_KIND_SAMPLER, 0, 0, 0), SPE_NEED_NOTHING_, 0, 0, NULL);
}

spe_id spe_const_sampler(spe_module *m, uint32_t addressing, bool normalized, uint32_t filter)
{
    uint32_t w[4] = {spe_sampler(m), addressing, normalized, filter};
    if (addressing > SPE_SamplerAddressingModeRepeatMirrored || filter > SPE_SamplerFilterModeLinear)
        return SPE_ERROR_(m, RANGE, "addressing mode %u and filter %u; the last ones are %d and %d", addressing, filter,
                          (int)SPE_SamplerAddressingModeRepeatMirrored, (int)SPE_SamplerFilterModeLinear);
    spe_capability(m, SPE_CapabilityLiteralSampler);
    return spe_unique_(m, SPE_OpConstantSampler, SPE_ID_CONSTANT_, 4, w);
}

/* The type of an image for the call `name`, where its access is not `refused`; NULL and an error if it is no such. */
static const spe_type_info *spe_want_image_(spe_module *m, const char *name, spe_id image, uint32_t refused)
{
    spe_id type = spe_check_(m, name, "v", image);
    const spe_type_info *t = spe_info_(m, type);
    if (!type) return NULL;
    if (t->kind != SPE_KIND_IMAGE) spe_error_(m, SPE_ERR_TYPE, "takes an image, not %s", spe_text_(m, type));
    else if (t->access == refused)
        spe_error_(m, SPE_ERR_TYPE, "the image is only %s", refused ? "written" : "read");
    return m->error.id ? NULL : t;
}

/* Coordinates for an image: the given ones, as a vector of 4 if there are 3, which Intel's compiler requires. 0 and an
 * error if they do not fit. */
static spe_id spe_coordinates_(spe_module *m, const spe_type_info *t, spe_id coord, bool floats)
{
    static const uint32_t fourth[4] = {0, 1, 2, 0xffffffffu};
    spe_id type = spe_operand_(m, coord), scalar = spe_scalar_of(m, type);
    uint32_t have = spe_count(m, type);
    if (!type) return 0;
    if (scalar != spe_int(m, 32) && !(floats && scalar == spe_float(m, 32)))
        return spe_error_(m, SPE_ERR_TYPE, "coordinates are i32%s, not %s", floats ? " or f32" : "",
                          spe_text_(m, type));
    if (have != t->count)
        return spe_error_(m, SPE_ERR_TYPE, "%u coordinates of %s; the image has %u", have, spe_text_(m, type),
                          t->count);
    return have == 3 ? spe_shuffle(m, coord, coord, 4, fourth) : coord;
}

/* Is it a type of texels? */
static bool spe_is_texel_(spe_module *m, spe_id type)
{
    spe_id scalar = spe_scalar_of(m, type);
    if (m->error.id) return false;
    if (spe_count(m, type) == 4 &&
        (scalar == spe_int(m, 32) || scalar == spe_float(m, 32) || scalar == spe_float(m, 16)))
        return true;
    return spe_error_(m, SPE_ERR_TYPE, "texels are i32x4, f32x4 or f16x4, not %s", spe_text_(m, type));
}

spe_id spe_image_read(spe_module *m, spe_id type, spe_id image, spe_id coord)
{
    const spe_type_info *t = spe_want_image_(m, __func__, image, SPE_AccessQualifierWriteOnly);
    uint32_t w[2] = {image, 0};
    if (!t || !spe_is_texel_(m, type)) return 0;
    w[1] = spe_coordinates_(m, t, coord, false);
    return w[1] ? spe_emit_(m, SPE_OpImageRead, type, 2, w) : 0;
}

void spe_image_write(spe_module *m, spe_id image, spe_id coord, spe_id texel)
{
    const spe_type_info *t = spe_want_image_(m, __func__, image, SPE_AccessQualifierReadOnly);
    uint32_t w[3] = {image, 0, texel};
    spe_id type = t ? spe_operand_(m, texel) : 0;
    if (!type || !spe_is_texel_(m, type)) return;
    w[1] = spe_coordinates_(m, t, coord, false);
    if (w[1]) spe_emit_(m, SPE_OpImageWrite, 0, 3, w);
}

/* OpSampledImage has to be in the block that uses it: so each use has its own. */
spe_id spe_image_sample(spe_module *m, spe_id type, spe_id image, spe_id sampler, spe_id coord, spe_id lod)
{
    enum { LOD = 2 };
    const spe_type_info *t = spe_want_image_(m, __func__, image, SPE_AccessQualifierWriteOnly), *s;
    uint32_t pair[2] = {image, sampler}, w[4] = {0, 0, LOD, lod};
    spe_id its_type = spe_type_of(m, image), sampled;
    if (!t || !spe_is_texel_(m, type)) return 0;
    if (t->dim == SPE_DimBuffer || t->access != SPE_AccessQualifierReadOnly)
        return spe_error_(m, SPE_ERR_TYPE, "an image is sampled that is %s", t->dim == SPE_DimBuffer ? "a Buffer"
                          : "written too");
    s = spe_info_(m, spe_operand_(m, sampler));
    if (s && s->kind != SPE_KIND_SAMPLER)
        spe_error_(m, SPE_ERR_TYPE, "takes a sampler, not %s", spe_text_(m, spe_type_of(m, sampler)));
    if (lod && spe_operand_(m, lod) != spe_float(m, 32)) return spe_disagree_(m, spe_float(m, 32), spe_type_of(m, lod));
    w[1] = spe_coordinates_(m, t, coord, true);
    if (!lod) w[3] = spe_f32(m, 0);
    sampled = spe_type_(m, SPE_OpTypeSampledImage, spe_info_of_(SPE_KIND_SAMPLED_IMAGE, 0, 0, 0), SPE_NEED_NOTHING_, 0,
                        1, &its_type);
    w[0] = m->error.id ? 0 : spe_emit_(m, SPE_OpSampledImage, sampled, 2, pair);
    return w[0] ? spe_emit_(m, SPE_OpImageSampleExplicitLod, type, 4, w) : 0;
}

spe_id spe_image_size(spe_module *m, spe_id image)
{
    const spe_type_info *t = spe_want_image_(m, __func__, image, UINT32_MAX);
    uint32_t w[2] = {image, spe_i32(m, 0)};
    if (!t) return 0;
    spe_id type = spe_vec(m, spe_int(m, 32), t->count);
    if (t->dim == SPE_DimBuffer) return spe_emit_(m, SPE_OpImageQuerySize, type, 1, w);
    return spe_emit_(m, SPE_OpImageQuerySizeLod, type, 2, w);
}
