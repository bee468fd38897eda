/* capabilities.c - what a device has: extensions and features, all of which are enabled, but for those that cost time;
 * and what a module needs, by its capabilities. */
#include "internal.h"

/* Extensions whose features are asked for, where the driver has them. The numbers of structures are those of
 * vulkan_core.h, which is older than some. */
static const struct {
    const char *name;
    uint32_t type;
    size_t features;
} vkd_extensions_[VKD_EXTENSIONS_] = {
    {"VK_EXT_shader_atomic_float", 1000260000, offsetof(vkd_features_, atomic_floats)},
    {"VK_EXT_shader_atomic_float2", 1000273000, offsetof(vkd_features_, more_atomic_floats)},
    {"VK_KHR_cooperative_matrix", 1000506000, offsetof(vkd_features_, matrices)},
    {"VK_NV_cooperative_vector", 1000491000, offsetof(vkd_features_, vectors)},
    {"VK_KHR_shader_bfloat16", 1000141000, offsetof(vkd_features_, bfloat16)},
};

static bool vkd_has_extension_(const VkExtensionProperties *all, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!strcmp(all[i].extensionName, name)) return true;
    }
    return false;
}

/* Fills f with the device's features, and `names` with the extensions that have some of them; returns their number. */
XE_FN_ uint32_t vkd_use_extensions_(const vkd_device *d, vkd_features_ *f, const char *names[VKD_EXTENSIONS_])
{
    uint32_t count = 0, used = 0;
    VkExtensionProperties *all = NULL;
    vkd_get_features_(d, d->physical, f);
    if (d->vk_->vkEnumerateDeviceExtensionProperties(d->physical, NULL, &count, NULL) == VK_SUCCESS)
        all = (VkExtensionProperties *)calloc(count + 1, sizeof *all);
    if (!all || d->vk_->vkEnumerateDeviceExtensionProperties(d->physical, NULL, &count, all) != VK_SUCCESS) count = 0;
    for (uint32_t i = 0; i < VKD_EXTENSIONS_; i++) {
        vkd_extension_ *e = (vkd_extension_ *)(void *)((char *)f + vkd_extensions_[i].features);
        memset(e, 0, sizeof *e);
        if (!vkd_has_extension_(all, count, vkd_extensions_[i].name)) continue;
        e->sType = (VkStructureType)vkd_extensions_[i].type;
        e->pNext = f->in_1_3.pNext;
        f->in_1_3.pNext = e;
        names[used++] = vkd_extensions_[i].name;
    }
    free(all);
    d->vk_->vkGetPhysicalDeviceFeatures2(d->physical, &f->all);
    f->all.features.robustBufferAccess = f->matrices.has[1] = VK_FALSE; /* these cost time */
    return used;
}

/* Capabilities of SPIR-V, and the feature that each needs. */
#define VKD_FEATURE_(member) (uint32_t) offsetof(vkd_features_, member)
static const struct {
    uint32_t capability, feature;
    const char *name;
} vkd_capabilities_[] = {
    {9, VKD_FEATURE_(in_1_2.shaderFloat16), "Float16"},
    {10, VKD_FEATURE_(all.features.shaderFloat64), "Float64"},
    {11, VKD_FEATURE_(all.features.shaderInt64), "Int64"},
    {12, VKD_FEATURE_(in_1_2.shaderBufferInt64Atomics), "Int64Atomics"},
    {22, VKD_FEATURE_(all.features.shaderInt16), "Int16"},
    {39, VKD_FEATURE_(in_1_2.shaderInt8), "Int8"},
    {4433, VKD_FEATURE_(in_1_1.storageBuffer16BitAccess), "StorageBuffer16BitAccess"},
    {4434, VKD_FEATURE_(in_1_1.uniformAndStorageBuffer16BitAccess), "UniformAndStorageBuffer16BitAccess"},
    {4435, VKD_FEATURE_(in_1_1.storagePushConstant16), "StoragePushConstant16"},
    {4448, VKD_FEATURE_(in_1_2.storageBuffer8BitAccess), "StorageBuffer8BitAccess"},
    {4449, VKD_FEATURE_(in_1_2.uniformAndStorageBuffer8BitAccess), "UniformAndStorageBuffer8BitAccess"},
    {4450, VKD_FEATURE_(in_1_2.storagePushConstant8), "StoragePushConstant8"},
    {5116, VKD_FEATURE_(bfloat16.has[0]), "BFloat16TypeKHR"},
    {5117, VKD_FEATURE_(bfloat16.has[1]), "BFloat16DotProductKHR"},
    {5118, VKD_FEATURE_(bfloat16.has[2]), "BFloat16CooperativeMatrixKHR"},
    {5345, VKD_FEATURE_(in_1_2.vulkanMemoryModel), "VulkanMemoryModel"},
    {5346, VKD_FEATURE_(in_1_2.vulkanMemoryModelDeviceScope), "VulkanMemoryModelDeviceScope"},
    {5347, VKD_FEATURE_(in_1_2.bufferDeviceAddress), "PhysicalStorageBufferAddresses"},
    {5394, VKD_FEATURE_(vectors.has[0]), "CooperativeVectorNV"},
    {5435, VKD_FEATURE_(vectors.has[1]), "CooperativeVectorTrainingNV"},
    {5612, VKD_FEATURE_(more_atomic_floats.has[3]), "AtomicFloat32MinMaxEXT"},
    {5613, VKD_FEATURE_(more_atomic_floats.has[4]), "AtomicFloat64MinMaxEXT"},
    {5616, VKD_FEATURE_(more_atomic_floats.has[2]), "AtomicFloat16MinMaxEXT"},
    {6016, VKD_FEATURE_(in_1_3.shaderIntegerDotProduct), "DotProductInputAll"},
    {6017, VKD_FEATURE_(in_1_3.shaderIntegerDotProduct), "DotProductInput4x8Bit"},
    {6018, VKD_FEATURE_(in_1_3.shaderIntegerDotProduct), "DotProductInput4x8BitPacked"},
    {6019, VKD_FEATURE_(in_1_3.shaderIntegerDotProduct), "DotProduct"},
    {6022, VKD_FEATURE_(matrices.has[0]), "CooperativeMatrixKHR"},
    {6033, VKD_FEATURE_(atomic_floats.has[1]), "AtomicFloat32AddEXT"},
    {6034, VKD_FEATURE_(atomic_floats.has[3]), "AtomicFloat64AddEXT"},
    {6095, VKD_FEATURE_(more_atomic_floats.has[1]), "AtomicFloat16AddEXT"},
};

/* Drivers take modules that need what the device lacks, and compute something, or lose the device. Capabilities that
 * are not in the table are for the driver to judge. */
XE_FN_ bool vkd_has_capabilities_(vkd_device *d, const vkd_source *s)
{
    enum { ROWS = sizeof vkd_capabilities_ / sizeof *vkd_capabilities_ };
    for (size_t at = 0; (at = vkd_next_op_(s, at, VKD_OP_CAPABILITY_)) && vkd_word_(s, at) >> 16 == 2;) {
        for (size_t i = 0; i < ROWS; i++) {
            VkBool32 has;
            if (vkd_capabilities_[i].capability != vkd_word_(s, at + 1)) continue;
            memcpy(&has, (const char *)d->features_ + vkd_capabilities_[i].feature, sizeof has);
            if (!has)
                return vkd_fail_(d, VKD_CAPABILITY, "the module needs %s, which \"%s\" lacks",
                                 vkd_capabilities_[i].name, d->name);
        }
    }
    return true;
}
