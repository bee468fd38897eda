/* vectors.c - cooperative vectors: what the driver lists of them, and matrices in the device's own layouts. Structures
 * and numbers are those of VK_NV_cooperative_vector, which older headers lack. */
#include "internal.h"

enum { VKD_VECTOR_LIMITS_ = 1000491001, VKD_VECTOR_PRODUCT_ = 1000491002, VKD_VECTOR_CONVERSION_ = 1000491004 };

typedef struct vkd_vector_limits_ {
    VkStructureType sType;
    void *pNext;
    VkFlags stages;
    VkBool32 sums_f16, sums_f32;
    uint32_t max_components;
} vkd_vector_limits_;

typedef struct vkd_vector_product_ {
    VkStructureType sType;
    void *pNext;
    uint32_t row[6]; /* as in vkd_target */
} vkd_vector_product_;

/* The rows of d->target.vector_products. */
static uint32_t vkd_read_products_(const vkd_device *d, vkd_features_ *f)
{
    typedef VkResult (VKAPI_PTR *list_fn)(VkPhysicalDevice device, uint32_t *count, vkd_vector_product_ *products);
    PFN_vkVoidFunction found =
        d->vk_->vkGetInstanceProcAddr(d->instance, "vkGetPhysicalDeviceCooperativeVectorPropertiesNV");
    vkd_vector_product_ *products = (vkd_vector_product_ *)calloc(VKD_PRODUCTS_, sizeof *products);
    list_fn list;
    uint32_t count = VKD_PRODUCTS_;
    memcpy(&list, &found, sizeof list);
    for (uint32_t i = 0; products && i < count; i++) products[i].sType = (VkStructureType)VKD_VECTOR_PRODUCT_;
    VkResult result = products && found ? list(d->physical, &count, products) : VK_ERROR_UNKNOWN;
    if (result != VK_SUCCESS && result != VK_INCOMPLETE) count = 0;
    for (uint32_t i = 0; i < count; i++) memcpy(f->products[i], products[i].row, sizeof f->products[i]);
    free(products);
    return count;
}

/* If the device has cooperative vectors: says in d->target what it has of them. */
XE_FN_ void vkd_list_products_(vkd_device *d, vkd_features_ *f)
{
    VkPhysicalDeviceProperties2 p;
    vkd_vector_limits_ limits;
    vkd_target *t = &d->target;
    if (!f->vectors.has[0]) return;
    VKD_CLEAR_(p, PHYSICAL_DEVICE_PROPERTIES_2);
    memset(&limits, 0, sizeof limits);
    limits.sType = (VkStructureType)VKD_VECTOR_LIMITS_;
    p.pNext = &limits;
    d->vk_->vkGetPhysicalDeviceProperties2(d->physical, &p);
    if (!(limits.stages & VK_SHADER_STAGE_COMPUTE_BIT)) return;
    t->vector_product_count = vkd_read_products_(d, f);
    if (t->vector_product_count) t->vector_products = (const uint32_t (*)[6])f->products;
    t->max_vector = limits.max_components;
    if (f->vectors.has[1]) t->vector_sums = (limits.sums_f16 ? 1u : 0) | (limits.sums_f32 ? 2u : 0);
}

XE_FN_ const vkd_element_ *vkd_element_of_(const char *name)
{
    static const vkd_element_ rows[] = {{"f16", 0, 2, true}, {"f32", 1, 4, true}, {"i8", 3, 1, false},
        {"i16", 4, 2, false}, {"i32", 5, 4, false}, {"u8", 7, 1, false}, {"u16", 8, 2, false}, {"u32", 9, 4, false},
        {"e4m3", 1000491002, 1, true}, {"e5m2", 1000491003, 1, true}};
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name)) return &rows[i];
    return NULL;
}

/* Checks one side of a conversion; NULL and an error, or its type. */
static const vkd_element_ *vkd_check_side_(vkd_device *d, const vkd_conversion *c, const char *side, const char *type,
                                           int layout, size_t stride)
{
    const vkd_element_ *e = vkd_element_of_(type);
    bool lines = layout == VKD_ROW_MAJOR || layout == VKD_COLUMN_MAJOR;
    size_t length = e ? (size_t)(layout == VKD_ROW_MAJOR ? c->columns : c->rows) * e->bytes : 0;
    if (!e) vkd_fail_(d, VKD_CONVERSION, "%s has no type %s", side, type ? type : "(NULL)");
    else if (layout < VKD_ROW_MAJOR || layout > VKD_OUTER_PRODUCT_OPTIMAL)
        vkd_fail_(d, VKD_CONVERSION, "%s has layout %d; there are 0 to 3", side, layout);
    else if (!c->rows || !c->columns)
        vkd_fail_(d, VKD_CONVERSION, "%" PRIu32 " rows of %" PRIu32 " columns", c->rows, c->columns);
    else if (lines && (stride < length || stride % e->bytes))
        vkd_fail_(d, VKD_CONVERSION, "%s: a stride of %zu bytes; lines have %zu, elements %" PRIu32, side, stride,
                  length, e->bytes);
    return d->error.id ? NULL : e;
}

XE_FN_ bool vkd_is_fp8_(uint32_t type) { return type > 10; }

/* Only sources have FP8 in rows or columns. */
static bool vkd_check_fp8_(vkd_device *d, const vkd_element_ *dest, vkd_layout layout)
{
    return !vkd_is_fp8_(dest->number) || layout > VKD_COLUMN_MAJOR ||
           vkd_fail_(d, VKD_CONVERSION, "the destination: %s has the device's own layouts only, not %d", dest->name,
                     (int)layout);
}

/* The conversion as the driver takes it, but for addresses; checked. */
XE_FN_ bool vkd_describe_conversion_(vkd_device *d, const vkd_conversion *c, vkd_vector_conversion_ *to)
{
    memset(to, 0, sizeof *to);
    if (!c) return vkd_fail_(d, VKD_NULL_POINTER, "no conversion is described");
    const vkd_element_ *source = vkd_check_side_(d, c, "the source", c->from_type, (int)c->from_layout,
                                                 c->from_stride);
    const vkd_element_ *dest =
        source ? vkd_check_side_(d, c, "the destination", c->to_type, (int)c->to_layout, c->to_stride) : NULL;
    if (!dest || !vkd_check_fp8_(d, dest, c->to_layout)) return false;
    if (source != dest && !(source->is_float && dest->is_float && source->bytes != dest->bytes))
        return vkd_fail_(d, VKD_CONVERSION, "%s to %s", c->from_type, c->to_type);
    if (!d->target.vector_product_count)
        return vkd_fail_(d, VKD_NO_VECTORS, "\"%s\" has no cooperative vectors, and no layouts of its own", d->name);
    to->sType = (VkStructureType)VKD_VECTOR_CONVERSION_;
    to->from_type = source->number;
    to->to_type = dest->number;
    to->rows = c->rows;
    to->columns = c->columns;
    to->from_layout = (uint32_t)c->from_layout;
    to->to_layout = (uint32_t)c->to_layout;
    to->from_stride = c->from_stride;
    to->to_stride = c->to_stride;
    to->from_bytes = c->from_bytes;
    return true;
}

/* The driver's conversion of the host's memory, or without memory only the destination's size. */
XE_FN_ bool vkd_convert_by_driver_(vkd_device *d, const vkd_vector_conversion_ *c)
{
    typedef VkResult (VKAPI_PTR *convert_fn)(VkDevice device, const vkd_vector_conversion_ *c);
    const char *name = "vkConvertCooperativeVectorMatrixNV";
    PFN_vkVoidFunction found = d->vk_->vkGetDeviceProcAddr(d->device, name);
    convert_fn convert;
    memcpy(&convert, &found, sizeof convert);
    if (!found) return vkd_fail_(d, VKD_NO_LOADER, "Vulkan has no function %s", name);
    return vkd_check_(d, convert(d->device, c), name, "%s", "");
}

/* The bytes that a matrix of a described conversion has; 0 and an error if the driver does not say. */
static size_t vkd_query_bytes_(vkd_device *d, vkd_vector_conversion_ c)
{
    size_t bytes = 0;
    c.from.host = c.to.host = NULL;
    c.to_bytes = &bytes;
    return vkd_convert_by_driver_(d, &c) ? bytes : 0;
}

size_t vkd_converted_bytes_(vkd_device *d, const vkd_conversion *c)
{
    vkd_vector_conversion_ described;
    if (!vkd_usable_(d) || !vkd_describe_conversion_(d, c, &described)) return 0;
    return vkd_query_bytes_(d, described);
}

/* Checks the memory of one side, and finds its address. */
static bool vkd_find_address_(vkd_device *d, const char *what, const void *p, size_t bytes, size_t needed,
                             uint64_t *address)
{
    const vkd_resource_ *r;
    if (!needed) return false;
    if (bytes < needed) return vkd_fail_(d, VKD_CONVERSION, "%s has %zu bytes, and needs %zu", what, bytes, needed);
    if (!vkd_in_range_(d, what, p, bytes, &r)) return false;
    if (!r) return vkd_fail_(d, VKD_NOT_ALLOCATED, "%s, %p, is in no allocation of this device", what, p);
    *address = vkd_address_of_(d, p);
    return *address % 64 == 0 || vkd_fail_(d, VKD_CONVERSION, "%s is at 0x%" PRIx64 ", no multiple of 64", what,
                                           *address);
}

/* The bytes of the source: those of its lines; in the device's own layouts the driver is asked, as of a destination. */
XE_FN_ size_t vkd_source_bytes_(vkd_device *d, const vkd_conversion *c, vkd_vector_conversion_ described)
{
    size_t rows = c->rows, columns = c->columns, lines = c->from_layout == VKD_ROW_MAJOR ? rows : columns;
    size_t length = (rows + columns - lines) * vkd_element_of_(c->from_type)->bytes;
    if (c->from_layout <= VKD_COLUMN_MAJOR) return (lines - 1) * c->from_stride + length;
    described.to_type = described.from_type;
    described.to_layout = described.from_layout;
    return vkd_query_bytes_(d, described);
}

/* The conversion with its addresses. */
XE_FN_ bool vkd_locate_conversion_(vkd_device *d, const vkd_conversion *c, vkd_vector_conversion_ *to, size_t *bytes)
{
    if (!vkd_describe_conversion_(d, c, to)) return false;
    *bytes = vkd_query_bytes_(d, *to);
    to->to_bytes = bytes;
    return vkd_find_address_(d, "the destination of a conversion", c->to, c->to_bytes, *bytes, &to->to.address) &&
           vkd_find_address_(d, "the source of a conversion", c->from, c->from_bytes, vkd_source_bytes_(d, c, *to),
                            &to->from.address);
}

/* What one command converts. */
struct vkd_conversions_ {
    void(VKAPI_PTR *record)(VkCommandBuffer commands, uint32_t count, const vkd_vector_conversion_ *all);
    uint32_t count;
    size_t *bytes;
    vkd_vector_conversion_ *all;
};

XE_FN_ void vkd_free_conversions_(vkd_conversions_ *c)
{
    if (c) free(c->all), free(c->bytes);
    free(c);
}

/* The command of driver 580 writes FP8 as bytes where its products read f16 (narrowing.c): a batch, which has only the
 * command, refuses FP8. */
static void vkd_check_command_(vkd_device *d, const vkd_vector_conversion_ *c)
{
    if (vkd_is_fp8_(c->from_type) || vkd_is_fp8_(c->to_type))
        vkd_fail_(d, VKD_CONVERSION, "FP8 in a batch; vkd_convert_matrices converts it, on the host");
}

XE_FN_ bool vkd_are_described_(vkd_device *d, const vkd_conversion *list, uint32_t count)
{
    return list || !count || vkd_fail_(d, VKD_NULL_POINTER, "no conversions are described");
}

/* All conversions, checked; NULL and an error if one is not right. */
XE_FN_ vkd_conversions_ *vkd_make_conversions_(vkd_device *d, const vkd_conversion *from, uint32_t count)
{
    const char *name = "vkCmdConvertCooperativeVectorMatrixNV";
    PFN_vkVoidFunction found = d->vk_->vkGetDeviceProcAddr(d->device, name);
    if (!vkd_are_described_(d, from, count)) return NULL;
    vkd_conversions_ *c = (vkd_conversions_ *)calloc(1, sizeof *c);
    if (c) {
        memcpy(&c->record, &found, sizeof c->record);
        c->count = count;
        c->all = (vkd_vector_conversion_ *)calloc(count, sizeof *c->all);
        c->bytes = (size_t *)calloc(count, sizeof *c->bytes);
    }
    if (!c || !c->all || !c->bytes) vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for %" PRIu32 " conversions", count);
    for (uint32_t i = 0; i < count && !d->error.id; i++)
        if (vkd_locate_conversion_(d, &from[i], &c->all[i], &c->bytes[i])) vkd_check_command_(d, &c->all[i]);
    if (!found && !d->error.id) vkd_fail_(d, VKD_NO_LOADER, "Vulkan has no function %s", name);
    if (!d->error.id) return c;
    vkd_free_conversions_(c);
    return NULL;
}

XE_FN_ void vkd_record_conversions_(const vkd_device *d, VkCommandBuffer commands, const vkd_conversions_ *c)
{
    vkd_barrier_(d, commands);
    c->record(commands, c->count, c->all);
}

/* By the command, and waits. */
XE_FN_ bool vkd_convert_by_command_(vkd_device *d, const vkd_conversion *conversions, uint32_t count)
{
    vkd_conversions_ *all = vkd_make_conversions_(d, conversions, count);
    VkCommandBuffer commands = all ? vkd_begin_commands_(d, false) : NULL;
    if (commands) {
        vkd_record_conversions_(d, commands, all);
        vkd_barrier_(d, commands);
    }
    bool ok = commands && vkd_start_commands_(d, commands) && vkd_await_all_(d);
    vkd_free_conversions_(all);
    return ok;
}
