/* modules.c - modules, their kernels, and the pipelines that kernels become. */
#include "internal.h"

enum { VKD_ADDRESSES_OF_BUFFERS_ = 5348, VKD_MODE_LOCAL_SIZE_ = 17 }; /* SPIR-V's numbers */
enum { VKD_LOCAL_WORDS_CONSTANT_ = 1000, VKD_SUBGROUP_SIZE_CONSTANT_ }; /* SPE_... of spirv_emit.h */

/* Does the module address memory as Vulkan does? */
static bool vkd_is_for_vulkan_(const vkd_source *s)
{
    return vkd_find_op_(s, VKD_OP_MEMORY_MODEL_, 1, VKD_ADDRESSES_OF_BUFFERS_) != 0;
}

/* Loads a module with the source's constants. */
XE_FN_ bool vkd_module_load_with_(vkd_module *module, vkd_device *d, const vkd_source *s)
{
    VkShaderModuleCreateInfo info;
    const uint32_t magic = 0x07230203;
    memset(module, 0, sizeof *module);
    if (!vkd_usable_(d)) return false;
    if (!s->words || s->bytes < 20 || s->bytes % 4 || memcmp(s->words, &magic, sizeof magic) != 0)
        return vkd_fail_(d, VKD_MODULE, "%zu bytes that are not SPIR-V", s->bytes);
    if (!vkd_is_for_vulkan_(s))
        return vkd_fail_(d, VKD_MODULE, "a module of another environment, or without a memory model");
    if (!vkd_has_capabilities_(d, s)) return false;
    module->words_ = vkd_with_float_modes_(d, s, &module->count_);
    if (!module->words_) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "a module of %zu bytes", s->bytes);
    if (!vkd_keep_handle_(d, VKD_RES_WORDS_, (uintptr_t)module->words_)) return module->words_ = NULL, false;
    VKD_CLEAR_(info, SHADER_MODULE_CREATE_INFO);
    info.codeSize = module->count_ * 4;
    info.pCode = module->words_;
    bool ok = vkd_set_constants_(d, s, module->words_, module->count_) &&
              VKD_CALL_(d, vkCreateShaderModule, (d->device, &info, NULL, &module->handle)) &&
              vkd_keep_handle_(d, VKD_RES_MODULE_, (uint64_t)module->handle);
    if (ok) module->device = d;
    else vkd_drop_words_(d, module);
    return ok;
}

bool vkd_module_load_(vkd_module *module, vkd_device *d, const void *words, size_t bytes)
{
    vkd_source s = {words, bytes, NULL, NULL, NULL, {0, 0, 0}, NULL, 0, 0};
    return vkd_module_load_with_(module, d, &s);
}

bool vkd_module_free_(vkd_module *module, const char *file, int line)
{
    vkd_device *d = vkd_at_(module->device, file, line);
    bool ok = !d || !module->handle || vkd_drop_(d, VKD_RES_MODULE_, (uint64_t)module->handle);
    if (module->cache_) ok = vkd_drop_(d, VKD_RES_CACHE_, (uintptr_t)module->cache_) && ok;
    module->cache_ = NULL;
    if (d) vkd_drop_words_(d, module);
    memset(module, 0, sizeof *module);
    return ok;
}

/* Is the entry point at w (n words) the kernel k? Else appends its name to the list. */
static bool vkd_is_entry_(const vkd_kernel *k, const uint32_t *w, uint32_t n, char *others, size_t size)
{
    char name[sizeof k->name];
    size_t bytes = (n - 3) * 4 < sizeof name ? (n - 3) * 4 : sizeof name - 1, used = strlen(others);
    memcpy(name, w + 3, bytes);
    name[bytes] = 0;
    snprintf(others + used, size - used, "%s%s", used ? ", " : "", name);
    return strcmp(name, k->name) == 0;
}

/* What a module says of a kernel: its id, its number, and the ids of the constants that tell more. */
typedef struct vkd_found_ {
    uint32_t id, number, local_words, subgroup_size;
} vkd_found_;

/* Is it the number of the constant with the kernel's words of local memory: its own, or of the last kernel before it
 * that has one? */
static bool vkd_is_local_words_(const vkd_kernel *k, const vkd_found_ *f, uint32_t constant)
{
    return f->id && constant % 2 == 0 && constant >= VKD_LOCAL_WORDS_CONSTANT_ && constant >= k->local_constant_ &&
           constant <= VKD_LOCAL_WORDS_CONSTANT_ + 2 * f->number;
}

static void vkd_read_instruction_(vkd_kernel *k, vkd_found_ *f, const uint32_t *w, uint32_t n)
{
    switch (*w & 0xffff) {
    case VKD_OP_EXECUTION_MODE_:
        if (n == 6 && f->id && w[1] == f->id && w[2] == VKD_MODE_LOCAL_SIZE_)
            memcpy(k->local_size, w + 3, sizeof k->local_size);
        break;
    case VKD_OP_DECORATE_:
        if (n != 4 || w[2] != VKD_SPEC_ID_) break;
        if (vkd_is_local_words_(k, f, w[3])) f->local_words = w[1], k->local_constant_ = w[3];
        if (w[3] == VKD_SUBGROUP_SIZE_CONSTANT_ + 2 * f->number) f->subgroup_size = w[1];
        break;
    case VKD_OP_SPEC_:
        if (n == 4 && w[2] == f->local_words) k->local_bytes = w[3] * 4;
        if (n == 4 && w[2] == f->subgroup_size) k->subgroup_size = w[3];
        break;
    default: break;
    }
}

/* Its local size, and the subgroup size that it was written for, from its module; false and an error if the module has
 * no such kernel, or states no local size. */
static bool vkd_read_kernel_(vkd_kernel *k, const vkd_module *module)
{
    char others[512] = "";
    vkd_found_ f = {0, 0, 0, 0};
    uint32_t n, entries = 0;
    for (size_t at = 5; at < module->count_; at += n) {
        const uint32_t *w = module->words_ + at;
        n = *w >> 16;
        if (!n || n > module->count_ - at) return vkd_fail_(k->device, VKD_MODULE, "word %zu is no instruction", at);
        if ((*w & 0xffff) == VKD_OP_FUNCTION_) break;
        if ((*w & 0xffff) == VKD_OP_ENTRY_POINT_ && n > 3) {
            if (vkd_is_entry_(k, w, n, others, sizeof others)) f.id = w[2], f.number = entries;
            entries++;
        }
        vkd_read_instruction_(k, &f, w, n);
    }
    if (!f.id) return vkd_fail_(k->device, VKD_KERNEL_NAME, "the module has no kernel %s; it has %s", k->name, others);
    if (k->local_bytes > (uint32_t)k->device->target.local_memory) /* drivers may take it, and lose the device */
        return vkd_fail_(k->device, VKD_LOCAL_MEMORY, "kernel %s: %" PRIu32 " bytes of local memory, \"%s\" has %d",
                         k->name, k->local_bytes, k->device->name, k->device->target.local_memory);
    return k->local_size[0] || vkd_fail_(k->device, VKD_MODULE, "kernel %s states no local size", k->name);
}

static bool vkd_local_size_ok_(const vkd_kernel *k)
{
    const vkd_target *t = &k->device->target;
    uint64_t all = (uint64_t)k->local_size[0] * k->local_size[1] * k->local_size[2];
    bool fits = all <= (uint64_t)t->max_group_size;
    for (int i = 0; i < 3; i++) fits = fits && k->local_size[i] <= (uint32_t)t->max_group_dim[i];
    return fits || vkd_fail_(k->device, VKD_GROUP_TOO_LARGE, "kernel %s has " VKD_XYZ_ " work-items, \"%s\" takes %d",
                             k->name, k->local_size[0], k->local_size[1], k->local_size[2], k->device->name,
                             t->max_group_size);
}

/* Where each parameter is: aligned to its size, in their order; those in local memory are not passed. */
static bool vkd_offset_params_(vkd_kernel *k)
{
    VkPushConstantRange range;
    VkPipelineLayoutCreateInfo info;
    for (uint32_t i = 0; i < k->param_count; i++) {
        uint32_t size = k->params[i].kind == VKD_PARAM_PTR ? 8 : k->params[i].type->size;
        if (k->params[i].kind == VKD_PARAM_LOCAL) continue;
        k->offsets_[i] = (k->bytes_ + size - 1) / size * size;
        k->bytes_ = k->offsets_[i] + size;
    }
    k->in_memory_ = (k->bytes_ + 7) / 8 * 8 > VKD_PUSH_BYTES_;
    range.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    range.offset = 0;
    range.size = k->in_memory_ ? 8 : (k->bytes_ + 7) / 8 * 8;
    VKD_CLEAR_(info, PIPELINE_LAYOUT_CREATE_INFO);
    info.pushConstantRangeCount = range.size ? 1 : 0;
    info.pPushConstantRanges = &range;
    return VKD_CALL_(k->device, vkCreatePipelineLayout, (k->device->device, &info, NULL, &k->layout_)) &&
           vkd_keep_handle_(k->device, VKD_RES_LAYOUT_, (uint64_t)k->layout_);
}

bool vkd_kernel_get_(vkd_kernel *k, vkd_module *module, const char *name, const char *params, const char *file,
                     int line)
{
    vkd_device *d = vkd_at_(module->device, file, line);
    memset(k, 0, sizeof *k);
    if (!d) return vkd_fail_alone_(VKD_MODULE, "vkd_kernel_get", file, line);
    if (!vkd_usable_(d)) return false;
    if (!name || strlen(name) >= sizeof k->name)
        return vkd_fail_(d, VKD_KERNEL_NAME, "a name of %zu characters", name ? strlen(name) : 0);
    k->device = d;
    k->module = module->handle;
    k->cache_ = module->cache_;
    memcpy(k->name, name, strlen(name) + 1);
    if (vkd_read_kernel_(k, module) && vkd_local_size_ok_(k) && vkd_subgroup_size_(k, k->subgroup_size, file, line) &&
        vkd_parse_params_(d, name, params, k->params, &k->param_count) && vkd_offset_params_(k))
        return true;
    memset(k, 0, sizeof *k);
    return false;
}

/* Is the kernel loaded, and its device usable? */
XE_FN_ bool vkd_kernel_usable_(const vkd_kernel *k, const char *file, int line)
{
    vkd_device *d = k ? vkd_at_(k->device, file, line) : NULL;
    if (!d) return vkd_fail_alone_(VKD_KERNEL_NOT_LOADED, "a kernel", file, line);
    return vkd_usable_(d);
}

bool vkd_subgroup_size_(vkd_kernel *k, uint32_t size, const char *file, int line)
{
    if (!vkd_kernel_usable_(k, file, line)) return false;
    const vkd_target *t = &k->device->target;
    if (size && !(t->subgroup_sizes & size))
        return vkd_fail_(k->device, VKD_SUBGROUP_SIZE, "kernel %s needs subgroups of %" PRIu32 ", \"%s\" has those of "
                         "mask "
                         "%" PRIu32, k->name, size, k->device->name, t->subgroup_sizes);
    k->subgroup_size = size;
    k->pipeline_ = VK_NULL_HANDLE;
    return true;
}

bool vkd_local_size_(vkd_kernel *k, uint32_t x, uint32_t y, uint32_t z, const char *file, int line)
{
    if (!vkd_kernel_usable_(k, file, line)) return false;
    const uint32_t *r = k->local_size;
    return (x == r[0] && y == r[1] && z == r[2]) ||
           vkd_fail_(k->device, VKD_LOCAL_SIZE, "kernel %s requires work-groups of " VKD_XYZ_ ", got " VKD_XYZ_,
                     k->name, r[0], r[1], r[2], x, y, z);
}

bool vkd_kernel_clone_(vkd_kernel *k, const vkd_kernel *from, vkd_device *d)
{
    if (!k) return false;
    vkd_kernel copy;
    memset(&copy, 0, sizeof copy);
    if (from) copy = *from;
    memset(k, 0, sizeof *k);
    k->device = d;
    if (!vkd_usable_(d)) return false;
    if (!copy.layout_) return vkd_fail_(d, VKD_KERNEL_NOT_LOADED, "the kernel to clone is not loaded");
    if (copy.device->device != d->device)
        return vkd_fail_(d, VKD_OTHER_DEVICE, "kernel %s is of \"%s\" (%p), the clone of \"%s\" (%p)", copy.name,
                         copy.device->name, (void *)copy.device, d->name, (void *)d);
    copy.device = d;
    copy.pipeline_ = VK_NULL_HANDLE;
    copy.layout_ = VK_NULL_HANDLE;
    copy.bytes_ = 0;
    copy.cache_ = NULL; /* it belongs to the thread of the other queue */
    if (!vkd_offset_params_(&copy)) return false;
    *k = copy;
    return true;
}

bool vkd_kernel_free_(vkd_kernel *k, const char *file, int line)
{
    vkd_device *d = k ? vkd_at_(k->device, file, line) : NULL;
    if (!d) return k != NULL;
    vkd_await_all_(d);
    if (k->pipeline_) vkd_drop_(d, VKD_RES_PIPELINE_, (uint64_t)k->pipeline_);
    if (k->layout_) vkd_drop_(d, VKD_RES_LAYOUT_, (uint64_t)k->layout_);
    memset(k, 0, sizeof *k);
    return true;
}

/* Creates the pipeline for these places of parameters in local memory, and (the last) its words in all. Changes neither
 * the kernel nor its device: several threads may do so. */
XE_FN_ VkResult vkd_create_pipeline_(const vkd_kernel *k, const uint32_t *local, VkPipeline *pipeline)
{
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroups;
    VkSpecializationMapEntry entries[VKD_MAX_ARGS + 1];
    VkSpecializationInfo constants;
    VkComputePipelineCreateInfo info;
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->param_count; i++) {
        if (k->params[i].kind != VKD_PARAM_LOCAL) continue;
        entries[n].constantID = i;
        entries[n].offset = i * 4;
        entries[n++].size = 4;
    }
    if (n && k->local_constant_) {
        entries[n].constantID = k->local_constant_;
        entries[n].offset = VKD_MAX_ARGS * 4;
        entries[n++].size = 4;
    }
    memset(&constants, 0, sizeof constants);
    constants.mapEntryCount = n;
    constants.pMapEntries = entries;
    constants.dataSize = sizeof k->local_;
    constants.pData = local;
    VKD_CLEAR_(subgroups, PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
    subgroups.requiredSubgroupSize = k->subgroup_size;
    VKD_CLEAR_(info, COMPUTE_PIPELINE_CREATE_INFO);
    VKD_CLEAR_(info.stage, PIPELINE_SHADER_STAGE_CREATE_INFO);
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = k->module;
    info.stage.pName = k->name;
    info.stage.pSpecializationInfo = n ? &constants : NULL;
    if (k->subgroup_size) {
        info.stage.pNext = &subgroups;
        if (k->local_size[0] % k->subgroup_size == 0)
            info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    }
    info.layout = k->layout_;
    *pipeline = VK_NULL_HANDLE;
    return k->device->vk_->vkCreateComputePipelines(
        k->device->device, k->cache_ ? k->cache_->handle : VK_NULL_HANDLE, 1, &info, NULL, pipeline);
}

/* Gives the kernel a pipeline that was created so, with that result. The one before remains: a batch may have it. */
XE_FN_ bool vkd_take_pipeline_(vkd_kernel *k, const uint32_t *local, VkResult result, VkPipeline pipeline)
{
    k->pipeline_ = VK_NULL_HANDLE;
    if (!vkd_check_(k->device, result, "vkCreateComputePipelines", "of %s", k->name)) return false;
    if (k->cache_) vkd_store_cache_(k->device, k->cache_);
    memcpy(k->local_, local, sizeof k->local_);
    if (!vkd_keep_handle_(k->device, VKD_RES_PIPELINE_, (uint64_t)pipeline)) return false;
    k->pipeline_ = pipeline;
    return true;
}

/* Makes the pipeline, unless the kernel has it. */
XE_FN_ bool vkd_make_pipeline_(vkd_kernel *k, const uint32_t *local)
{
    VkPipeline pipeline;
    if (k->pipeline_ && !memcmp(local, k->local_, sizeof k->local_)) return true;
    VkResult result = vkd_create_pipeline_(k, local, &pipeline);
    return vkd_take_pipeline_(k, local, result, pipeline);
}
