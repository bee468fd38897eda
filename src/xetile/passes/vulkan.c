/* passes/vulkan.c - what only the matrices of Vulkan's devices need, in one object, as spirv_emit.h has it. */
#include "../internal.h"

static const xt_vulkan_part_ xt_vulkan_all_ = {
    xt_find_opaque_, xt_is_opaque_product_, xt_opaque_memory_, xt_write_opaque_,   xt_write_panel_,
    xt_store_opaque_, xt_opaque_convert_,   xt_opaque_splat_,  xt_opaque_vec_,     xt_opaque_parts_,
    xt_panel_ids_,   xt_panels_carry_,      xt_panels_enter_,  xt_panels_iterate_,    xt_panels_wait_};

#if defined(XETILE_STATIC_) && !defined(__cplusplus)
static const xt_vulkan_part_ *const xt_vulkan_here_ = &xt_vulkan_all_;
#else
XE_FN_ const xt_vulkan_part_ *xt_vulkan_(void) { return &xt_vulkan_all_; }
#endif
