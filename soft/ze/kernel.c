/* kernel.c - kernels: arguments, sizes, properties. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ze_soft.h"

static const struct xs_kernel *find_kernel(const struct xs_module *x, const char *name)
{
    uint32_t i;
    for (i = 0; i < x->kernel_count; i++)
        if (strcmp(x->kernels[i].name, name) == 0) return &x->kernels[i];
    return NULL;
}

ze_result_t zeKernelCreate(ze_module_handle_t module, const ze_kernel_desc_t *desc, ze_kernel_handle_t *kernel)
{
    const struct xs_kernel *code;
    ze_kernel_handle_t k;
    uint32_t i;
    SOFT_HANDLE(module, SOFT_MODULE);
    SOFT_POINTER(desc);
    SOFT_POINTER(kernel);
    SOFT_POINTER(desc->pKernelName);
    SOFT_FLAGS(desc->flags, ZE_KERNEL_FLAG_FORCE_RESIDENCY | ZE_KERNEL_FLAG_EXPLICIT_RESIDENCY);
    SOFT_TRY(soft_module_check_linked(module, desc->pKernelName));
    code = find_kernel(module->object.module, desc->pKernelName);
    if (!code) return soft_fail(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, "no kernel %.200s", desc->pKernelName);
    k = calloc(1, sizeof *k);
    if (!k) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    k->args = calloc(1, code->args_bytes + 1);
    k->given = calloc(code->param_count + 1, sizeof *k->given);
    if (!k->args || !k->given) {
        free(k->args);
        free(k->given);
        free(k);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    k->tag = SOFT_KERNEL;
    k->module = module;
    k->code = code;
    for (i = 0; i < 3; i++) k->group_size[i] = code->local_size[i] ? code->local_size[i] : 1;
    soft_module_retain(module);
    *kernel = k;
    return ZE_RESULT_SUCCESS;
}

ze_result_t soft_kernel_copy(ze_kernel_handle_t kernel, ze_kernel_handle_t *copy)
{
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = kernel->code->name};
    SOFT_TRY(zeKernelCreate(kernel->module, &desc, copy));
    memcpy((*copy)->args, kernel->args, kernel->code->args_bytes);
    memcpy((*copy)->given, kernel->given, kernel->code->param_count * sizeof *kernel->given);
    memcpy((*copy)->group_size, kernel->group_size, sizeof kernel->group_size);
    memcpy((*copy)->offset, kernel->offset, sizeof kernel->offset);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelDestroy(ze_kernel_handle_t kernel)
{
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    kernel->tag = SOFT_DEAD;
    soft_module_release(kernel->module);
    free(kernel->args);
    free(kernel->given);
    free(kernel);
    return ZE_RESULT_SUCCESS;
}

/* ---- before a launch */

/* GPU drivers accept an int for a size_t and vice versa, and programs rely on it: missing bytes are zeros, and excess
 * bytes must be zero. Pointers must have their exact size. */
static bool value_fits(const struct xs_param *p, size_t size, const void *value)
{
    size_t i;
    if (size == p->size) return true;
    if (p->kind != XS_PARAM_VALUE || !size || size > SOFT_MAX_ARGUMENTS) return false;
    for (i = p->size; value && i < size; i++)
        if (((const uint8_t *)value)[i]) return false;
    return true;
}

/* Kernels receive the address of a part of the handle's object. */
static ze_result_t set_object(uint8_t *to, uint32_t kind, const void *handle)
{
    const void *given;
    if (kind == XS_PARAM_IMAGE) {
        ze_image_handle_t image = *(const ze_image_handle_t *)handle;
        SOFT_HANDLE(image, SOFT_IMAGE);
        given = &image->image;
    } else {
        ze_sampler_handle_t sampler = *(const ze_sampler_handle_t *)handle;
        SOFT_HANDLE(sampler, SOFT_SAMPLER);
        given = &sampler->sampler;
    }
    memcpy(to, &given, sizeof given);
    return ZE_RESULT_SUCCESS;
}

/* Without system allocations, drivers know the memory that a kernel may access, and refuse any other as an argument.
 * The checked mode leaves it to the access, of which it says more. */
static bool is_reachable(const void *pointer)
{
    struct soft_allocation a;
    return !pointer || !soft_confines_pointers() || soft_memory_find(pointer, &a) || soft_virtual_accessible(pointer);
}

ze_result_t zeKernelSetArgumentValue(ze_kernel_handle_t kernel, uint32_t index, size_t size, const void *value)
{
    const struct xs_param *p;
    bool is_object, is_pointer;
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    if (index >= kernel->code->param_count)
        return soft_fail(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, "kernel %.100s: argument %u of %u",
                         kernel->code->name, index, kernel->code->param_count);
    p = &kernel->code->params[index];
    is_object = p->kind == XS_PARAM_IMAGE || p->kind == XS_PARAM_SAMPLER;
    is_pointer = p->kind == XS_PARAM_GLOBAL || p->kind == XS_PARAM_CONSTANT;
    if (p->kind == XS_PARAM_LOCAL) {
        uint64_t bytes = size;
        if (value || !size || size > UINT32_MAX) /* a launch reports what exceeds the device's memory */
            return soft_fail(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                             "kernel %.100s: argument %u is local memory: a size and no value", kernel->code->name,
                             index);
        memcpy(kernel->args + p->offset, &bytes, sizeof bytes);
    } else {
        if (!value_fits(p, size, value))
            return soft_fail(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                             "kernel %.100s: argument %u has %u bytes, not %zu", kernel->code->name, index, p->size,
                             size);
        if (is_pointer && value && !is_reachable(*(void *const *)value))
            return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                             "kernel %.100s: argument %u, %p, is in no allocation: this device has no access to memory "
                             "from malloc and mapped files (XETILE_SOFT_SYSTEM_MEMORY)",
                             kernel->code->name, index, *(void *const *)value);
        if (is_object && value) {
            SOFT_TRY(set_object(kernel->args + p->offset, p->kind, value)); /* if refused, all is as before */
        } else {
            memset(kernel->args + p->offset, 0, p->size);
            if (value) memcpy(kernel->args + p->offset, value, size < p->size ? size : p->size);
        }
    }
    kernel->given[index] = value || !is_object; /* a launch refuses missing images */
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetGroupSize(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t size[3] = {x, y, z};
    uint64_t total = (uint64_t)x * y;
    uint32_t i;
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    total = total > soft_max_group_size() ? total : total * z;
    if (!total || total > soft_max_group_size() || !z)
        return soft_fail(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, "work-group of %u x %u x %u: 1 to %u work-items",
                         x, y, z, soft_max_group_size());
    for (i = 0; i < 3; i++)
        if (kernel->code->local_size[i] && kernel->code->local_size[i] != size[i])
            return soft_fail(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, "kernel %.100s requires %u x %u x %u",
                             kernel->code->name, kernel->code->local_size[0], kernel->code->local_size[1],
                             kernel->code->local_size[2]);
    memcpy(kernel->group_size, size, sizeof size);
    return ZE_RESULT_SUCCESS;
}

static uint32_t largest_divisor(uint32_t n, uint32_t limit)
{
    uint32_t d;
    for (d = n < limit ? n : limit; d > 1; d--)
        if (n % d == 0) return d;
    return 1;
}

/* Work-groups of up to 256 work-items that divide the global size, x first, as neighbouring lanes are along x. */
ze_result_t zeKernelSuggestGroupSize(ze_kernel_handle_t kernel, uint32_t global_x, uint32_t global_y, uint32_t global_z,
                                     uint32_t *x, uint32_t *y, uint32_t *z)
{
    const uint32_t *required;
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    SOFT_POINTER(x);
    SOFT_POINTER(y);
    SOFT_POINTER(z);
    required = kernel->code->local_size;
    if (!global_x || !global_y || !global_z) return ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION;
    *x = required[0] ? required[0] : largest_divisor(global_x, 256);
    *y = required[1] ? required[1] : largest_divisor(global_y, *x < 256 ? 256 / *x : 1);
    *z = required[2] ? required[2] : largest_divisor(global_z, *x * *y < 256 ? 256 / (*x * *y) : 1);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSuggestMaxCooperativeGroupCount(ze_kernel_handle_t kernel, uint32_t *count)
{
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    SOFT_POINTER(count);
    *count = sched_threads(); /* one per thread runs at the same time */
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetGlobalOffsetExp(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t offset[3] = {x, y, z};
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    memcpy(kernel->offset, offset, sizeof offset);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetIndirectAccess(ze_kernel_handle_t kernel, ze_kernel_indirect_access_flags_t flags)
{
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    SOFT_FLAGS(flags, ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST | ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE |
                          ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED);
    kernel->indirect = flags; /* all memory is accessible anyway */
    return ZE_RESULT_SUCCESS;
}

SOFT_GETTER(zeKernelGetIndirectAccess, ze_kernel_handle_t, SOFT_KERNEL, ze_kernel_indirect_access_flags_t,
            handle->indirect)

ze_result_t zeKernelSetCacheConfig(ze_kernel_handle_t kernel, ze_cache_config_flags_t flags)
{
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    SOFT_FLAGS(flags, ZE_CACHE_CONFIG_FLAG_LARGE_SLM | ZE_CACHE_CONFIG_FLAG_LARGE_DATA);
    return ZE_RESULT_SUCCESS; /* a preference; the CPU's caches have no such setting */
}

/* Of no consequence: work-groups have CPU threads to themselves. */
ze_result_t zeKernelSchedulingHintExp(ze_kernel_handle_t kernel, ze_scheduling_hint_exp_desc_t *hint)
{
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    SOFT_POINTER(hint);
    SOFT_FLAGS(hint->flags, ZE_SCHEDULING_HINT_EXP_FLAG_OLDEST_FIRST | ZE_SCHEDULING_HINT_EXP_FLAG_ROUND_ROBIN |
                                ZE_SCHEDULING_HINT_EXP_FLAG_STALL_BASED_ROUND_ROBIN);
    return ZE_RESULT_SUCCESS;
}

/* ---- queries */

ze_result_t zeKernelGetSourceAttributes(ze_kernel_handle_t kernel, uint32_t *size, char **to)
{
    const char *text;
    uint32_t bytes;
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    SOFT_POINTER(size);
    text = kernel->code->attributes ? kernel->code->attributes : "";
    bytes = (uint32_t)strlen(text) + 1;
    if (to && *to) { /* the loader's checks refuse a null `to`, so a null *to also requests the size */
        if (*size < bytes) return ZE_RESULT_ERROR_INVALID_SIZE;
        memcpy(*to, text, bytes);
    }
    *size = bytes;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelGetName(ze_kernel_handle_t kernel, size_t *size, char *to)
{
    size_t bytes;
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    SOFT_POINTER(size);
    bytes = strlen(kernel->code->name) + 1;
    if (to && *size < bytes) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (to) memcpy(to, kernel->code->name, bytes);
    *size = bytes;
    return ZE_RESULT_SUCCESS;
}

static void hash_to(uint8_t *to, size_t size, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    uint64_t h = 0xcbf29ce484222325u;
    size_t i;
    for (i = 0; i < bytes; i++) h = (h ^ p[i]) * 0x100000001b3u;
    for (i = 0; i < size; i++) {
        if (i % 8 == 0) h = (h ^ i) * 0x100000001b3u;
        to[i] = (uint8_t)(h >> 8 * (i % 8));
    }
}

ze_result_t zeKernelGetProperties(ze_kernel_handle_t kernel, ze_kernel_properties_t *p)
{
    const struct xs_kernel *k;
    ze_base_properties_t *more;
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    SOFT_POINTER(p);
    k = kernel->code;
    p->numKernelArgs = k->param_count;
    p->requiredGroupSizeX = k->local_size[0];
    p->requiredGroupSizeY = k->local_size[1];
    p->requiredGroupSizeZ = k->local_size[2];
    p->requiredNumSubGroups = 0;
    p->requiredSubgroupSize = k->subgroup_size_required ? k->subgroup_size : 0;
    p->maxSubgroupSize = k->subgroup_size;
    p->maxNumSubgroups = soft_max_group_size() / k->subgroup_size;
    p->localMemSize = k->local_bytes;
    p->privateMemSize = k->private_bytes;
    p->spillMemSize = k->spill_bytes;
    hash_to(p->uuid.kid, sizeof p->uuid.kid, k->name, strlen(k->name));
    hash_to(p->uuid.mid, sizeof p->uuid.mid, kernel->module->object.image, kernel->module->object.image_size);
    for (more = p->pNext; more; more = more->pNext) {
        if (more->stype == ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES)
            ((ze_kernel_preferred_group_size_properties_t *)(void *)more)->preferredMultiple = k->subgroup_size;
        if (more->stype == ZE_STRUCTURE_TYPE_KERNEL_MAX_GROUP_SIZE_EXT_PROPERTIES)
            ((ze_kernel_max_group_size_properties_ext_t *)(void *)more)->maxGroupSize = soft_max_group_size();
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- for launches */

/* The first argument that was not set; the number of arguments if all were. */
static uint32_t first_unset(ze_kernel_handle_t kernel)
{
    uint32_t i = 0;
    while (i < kernel->code->param_count && kernel->given[i]) i++;
    return i;
}

bool soft_has_arguments(ze_kernel_handle_t kernel) { return first_unset(kernel) == kernel->code->param_count; }

/* Hardware would fault on an unset pointer. */
ze_result_t soft_check_arguments(ze_kernel_handle_t kernel)
{
    uint32_t i = first_unset(kernel);
    if (i == kernel->code->param_count) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "kernel %.100s: argument %u (%.60s) was never set",
                     kernel->code->name, i, kernel->code->params[i].name);
}
