/* vulkan.c - what only modules for Vulkan need, in one object: compilers leave it out where nobody names it. */
#include "internal.h"

XETILE_ATTR_(__unused__) static const spe_vulkan_part_ spe_vulkan_all_ = {
    spe_emit_for_vulkan_, spe_glsl_math_,      spe_push_params_,     spe_cast_in_parts_,    spe_vulkan_op_,
    spe_vec_in_pieces_,   spe_vulkan_pointer_, spe_local_variable_,  spe_alias_,            spe_derived_builtin_,
    spe_has_capability_,  spe_keeps_decoration_, spe_forbid_contraction_};

/* A C program that says nothing of Vulkan has the object's address as a tentative definition, which is NULL unless
 * vk_dispatch.h defines it further down. C++ has no such definitions. */
#if defined(XETILE_STATIC_) && !defined(SPE_VULKAN) && !defined(__cplusplus)
static const spe_vulkan_part_ *const spe_vulkan_here_;
#define SPE_ADD_VULKAN_BODIES static const spe_vulkan_part_ *const spe_vulkan_here_ = &spe_vulkan_all_;
#define SPE_ADD_VULKAN SPE_ADD_VULKAN_BODIES /* xetile.h adds its own */
#else
static const spe_vulkan_part_ *const spe_vulkan_here_ = &spe_vulkan_all_;
#endif

XE_FN_ const spe_vulkan_part_ *spe_vulkan_(void) { return spe_vulkan_here_; }
