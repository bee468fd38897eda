/* vulkan.c - what only modules for Vulkan need, in one object. */
#include "internal.h"

/* Vulkan says of each instruction that it is not contracted: all of a module, as kernels share functions. What says so
 * already is merged after this. */
static void spe_forbid_contraction_(spe_module *m)
{
    for (size_t at = 0; at < m->buffer[SPE_SECTION_FUNCTION_].count && !m->error.id;) {
        const uint32_t *w = m->buffer[SPE_SECTION_FUNCTION_].data + at;
        uint32_t op = *w & 0xffff;
        at += *w >> 16;
        if (spe_contracts_(op))
            spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 2, w[2], SPE_DecorationNoContraction);
    }
}

static const spe_vulkan_part_ spe_vulkan_all_ = {
    spe_emit_for_vulkan_, spe_glsl_math_,        spe_push_params_,    spe_cast_in_parts_, spe_vulkan_op_,
    spe_vec_in_pieces_,   spe_vulkan_pointer_,   spe_local_variable_, spe_alias_,         spe_derived_builtin_,
    spe_has_capability_,  spe_keeps_decoration_, spe_forbid_contraction_, spe_local_vector_,
    spe_is_vector_math_};

#if defined(XETILE_STATIC_) && !defined(__cplusplus)
static const spe_vulkan_part_ *const spe_vulkan_here_ = &spe_vulkan_all_;
#else
XE_FN_ const spe_vulkan_part_ *spe_vulkan_(void) { return &spe_vulkan_all_; }
#endif
