/* matrices.c - cooperative matrices: which target a device is by the shapes that its driver lists. Its
 * structure is that of VK_KHR_cooperative_matrix, which older headers lack. */
#include "internal.h"

typedef struct vkd_shape_ {
    VkStructureType sType;
    void *pNext;
    uint32_t m, n, k, a, b, c, result; /* sizes; types of components */
    VkBool32 saturates;
    uint32_t scope;
} vkd_shape_;

enum { VKD_MATRIX_SHAPE_ = 1000506001, VKD_BFLOAT16_ = 1000141000, VKD_SUBGROUP_ = 3 };
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

/* If the device has the matrices of a target: names it. */
XE_FN_ void vkd_name_by_matrices_(vkd_device *d, const vkd_features_ *f)
{
    enum { MOST = 64 };
    vkd_shape_ *shapes;
    uint32_t count;
    bool all = true;
    if (!f->matrices.has[0] || !f->bfloat16.has[0] || !f->bfloat16.has[2]) return;
    shapes = (vkd_shape_ *)malloc(MOST * sizeof *shapes);
    count = shapes ? vkd_list_shapes_(d, shapes, MOST) : 0;
    for (int i = 0; i < VKD_SHAPES_; i++) all = all && vkd_lists_(shapes, count, i);
    free(shapes);
    if (all && (d->target.subgroup_sizes & 32)) d->target.name = vkd_shapes_[0].target;
}
