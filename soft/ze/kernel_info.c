/* kernel_info.c - a kernel's code, and the allocations that its arguments point to. */
#define _GNU_SOURCE
#include <string.h>

#include "xe/xe.h"
#include "ze_soft.h"

/* The size may also be asked for with a size of 0, because the loader's checks refuse null pointers. */
ze_result_t zeKernelGetBinaryExp(ze_kernel_handle_t kernel, size_t *size, uint8_t *to)
{
    const void *code;
    size_t bytes;
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    SOFT_POINTER(size);
    code = kernel->code->body ? xe_kernel_code(kernel->code, &bytes)
                              : jit_shared_object(&kernel->module->object, &bytes);
    if (to && *size) memcpy(to, code, *size < bytes ? *size : bytes);
    if (!to || !*size || *size > bytes) *size = bytes;
    return ZE_RESULT_SUCCESS;
}

#if SOFT_API(14)

/* An image's own pages, or else the allocation that it is in. Kernels receive the address of a part of its object. */
static bool find_image(const void *given, struct soft_allocation *to)
{
    const struct _ze_image_handle_t *image =
        (const void *)((const uint8_t *)given - offsetof(struct _ze_image_handle_t, image));
    if (!image->pages.base) return soft_memory_find(image->image.data, to);
    *to = (struct soft_allocation){.base = image->pages.base, .size = image->pages.size};
    return true;
}

/* The allocation of an argument; false: it has none. */
static bool find_argument(const struct xs_param *p, const uint8_t *args, struct soft_allocation *to)
{
    const void *pointer;
    if (p->kind != XS_PARAM_GLOBAL && p->kind != XS_PARAM_CONSTANT && p->kind != XS_PARAM_IMAGE) return false;
    memcpy(&pointer, args + p->offset, sizeof pointer);
    if (!pointer) return false;
    return p->kind == XS_PARAM_IMAGE ? find_image(pointer, to) : soft_memory_find(pointer, to);
}

/* The driver has no allocations of its own for a kernel. */
ze_result_t zeKernelGetAllocationPropertiesExp(ze_kernel_handle_t kernel, uint32_t *count,
                                               ze_kernel_allocation_exp_properties_t *list)
{
    uint32_t found = 0, room;
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    SOFT_POINTER(count);
    room = list ? *count : 0;
    for (uint32_t i = 0; i < kernel->code->param_count; i++) {
        struct soft_allocation a;
        if (!kernel->given[i] || !find_argument(&kernel->code->params[i], kernel->args, &a)) continue;
        if (found < room) {
            list[found].base = (uint64_t)(uintptr_t)a.base;
            list[found].size = a.size;
            list[found].type = a.type;
            list[found].argIndex = i;
        }
        found++;
    }
    if (!*count || *count > found) *count = found;
    return ZE_RESULT_SUCCESS;
}

#endif
