/* matrices.c - cooperative matrices: which target a device is by the shapes that its driver lists. The structures are
 * those of VK_KHR_cooperative_matrix and VK_KHR_shader_bfloat16, which older headers lack. */
#include "internal.h"

typedef struct vkd_shape_ {
    VkStructureType sType;
    void *pNext;
    uint32_t m, n, k, a, b, c, result; /* sizes; types of components */
    VkBool32 saturates;
    uint32_t scope;
} vkd_shape_;

enum { VKD_MATRIX_FEATURES_ = 1000506000, VKD_MATRIX_SHAPE_, VKD_BFLOAT16_ = 1000141000, VKD_SUBGROUP_ = 3 };
enum { VKD_F16_, VKD_F32_, VKD_I8_ = 3, VKD_I32_ = 5, VKD_U8_ = 7, VKD_U32_ = 9 };

/* What a device of a target lists. */
static const struct {
    const char *target;
    uint32_t m, n, k, type, sum;
} vkd_shapes_[] = {
    {"hopper", 16, 16, 16, VKD_F16_, VKD_F16_}, {"hopper", 16, 16, 16, VKD_F16_, VKD_F32_},
    {"hopper", 16, 16, 16, VKD_BFLOAT16_, VKD_F32_}, {"hopper", 16, 16, 32, VKD_I8_, VKD_I32_},
    {"hopper", 16, 16, 32, VKD_U8_, VKD_U32_},
};
enum { VKD_SHAPES_ = sizeof vkd_shapes_ / sizeof *vkd_shapes_ };

static bool vkd_has_extension_(const vkd_device *d, const char *name)
{
    uint32_t count = 0;
    bool has = false;
    VkExtensionProperties *all = NULL;
    if (d->vk_->vkEnumerateDeviceExtensionProperties(d->physical, NULL, &count, NULL) == VK_SUCCESS)
        all = (VkExtensionProperties *)calloc(count + 1, sizeof *all);
    if (all && d->vk_->vkEnumerateDeviceExtensionProperties(d->physical, NULL, &count, all) == VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++) has = has || !strcmp(all[i].extensionName, name);
    free(all);
    return has;
}

/* The shapes that the driver lists; their number, 0: none. */
static uint32_t vkd_list_shapes_(const vkd_device *d, vkd_shape_ *shapes, uint32_t most)
{
    typedef VkResult (VKAPI_PTR *list_fn)(VkPhysicalDevice device, uint32_t *count, vkd_shape_ *shapes);
    const char *name = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";
    PFN_vkVoidFunction found = d->vk_->vkGetInstanceProcAddr(d->instance, name);
    list_fn list;
    memset(shapes, 0, most * sizeof *shapes);
    for (uint32_t i = 0; i < most; i++) shapes[i].sType = (VkStructureType)VKD_MATRIX_SHAPE_;
    memcpy(&list, &found, sizeof list);
    if (!found) return 0;
    VkResult result = list(d->physical, &most, shapes);
    return result == VK_SUCCESS || result == VK_INCOMPLETE ? most : 0;
}

/* Does the driver list what a row says? */
static bool vkd_lists_(const vkd_shape_ *shapes, uint32_t count, int row)
{
    for (uint32_t i = 0; i < count; i++) {
        const vkd_shape_ *s = &shapes[i];
        if (s->m == vkd_shapes_[row].m && s->n == vkd_shapes_[row].n && s->k == vkd_shapes_[row].k &&
            s->a == vkd_shapes_[row].type && s->b == s->a && s->c == vkd_shapes_[row].sum && s->result == s->c &&
            !s->saturates && s->scope == VKD_SUBGROUP_)
            return true;
    }
    return false;
}

/* If the device has the matrices of a target: names it, and puts what it needs into the list of features, and its
 * extensions there. Returns the number of extensions. */
XE_FN_ uint32_t vkd_use_matrices_(vkd_device *d, vkd_features_ *f, const char *extensions[2])
{
    enum { MOST = 64 };
    vkd_shape_ *shapes;
    uint32_t count;
    bool all = true;
    extensions[0] = "VK_KHR_cooperative_matrix";
    extensions[1] = "VK_KHR_shader_bfloat16";
    if (!vkd_has_extension_(d, extensions[0]) || !vkd_has_extension_(d, extensions[1])) return 0;
    memset(&f->matrices, 0, sizeof f->matrices);
    memset(&f->bfloat16, 0, sizeof f->bfloat16);
    f->matrices.sType = (VkStructureType)VKD_MATRIX_FEATURES_;
    f->bfloat16.sType = (VkStructureType)VKD_BFLOAT16_;
    f->matrices.pNext = &f->bfloat16;
    f->in_1_3.pNext = &f->matrices;
    d->vk_->vkGetPhysicalDeviceFeatures2(d->physical, &f->all);
    shapes = (vkd_shape_ *)malloc(MOST * sizeof *shapes);
    count = shapes ? vkd_list_shapes_(d, shapes, MOST) : 0;
    for (int i = 0; i < VKD_SHAPES_; i++) all = all && vkd_lists_(shapes, count, i);
    free(shapes);
    if (all && f->matrices.has[0] && f->bfloat16.has[0] && f->bfloat16.has[2] && (d->target.subgroup_sizes & 32)) {
        d->target.name = vkd_shapes_[0].target;
        return 2;
    }
    f->in_1_3.pNext = NULL;
    return 0;
}
