/* kernel_info.c - a kernel's code, its arguments' sizes and types, and the allocations that they point to. */
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

/* Where the CPU, or the interpreter of machine code, finds its first instruction. */
ze_result_t zexKernelGetBaseAddress(ze_kernel_handle_t kernel, uint64_t *address)
{
    size_t bytes;
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    SOFT_POINTER(address);
    *address = kernel->code->body ? (uintptr_t)xe_kernel_code(kernel->code, &bytes) : (uintptr_t)kernel->code->run;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t check_index(ze_kernel_handle_t kernel, uint32_t index)
{
    SOFT_HANDLE(kernel, SOFT_KERNEL);
    return index < kernel->code->param_count ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
}

/* A pointer's or handle's for all that is no value. */
ze_result_t zexKernelGetArgumentSize(ze_kernel_handle_t kernel, uint32_t index, uint32_t *size)
{
    const struct xs_param *p;
    SOFT_TRY(check_index(kernel, index));
    SOFT_POINTER(size);
    p = &kernel->code->params[index];
    *size = p->kind == XS_PARAM_VALUE ? p->size : (uint32_t)sizeof(void *);
    return ZE_RESULT_SUCCESS;
}

/* The types of the kernel's arguments, each with a comma behind it, as compilers for OpenCL C record them: a text
 * `kernel_arg_type.KERNEL.TYPE,TYPE,`. NULL: the module has none. */
static const char *find_types(const struct soft_source *s, const char *kernel)
{
    static const char begin[] = "kernel_arg_type.";
    const size_t length = strlen(kernel);
    for (size_t at = 5; s->words && at < s->count && s->words[at] >> 16; at += s->words[at] >> 16) {
        if ((s->words[at] & 0xffff) == SP_OP_Function) break;
        if ((s->words[at] & 0xffff) != SP_OP_String) continue;
        const char *text = (const char *)(s->words + at + 2); /* checked when read: it ends in a zero */
        if (strncmp(text, begin, sizeof begin - 1) != 0) continue;
        text += sizeof begin - 1;
        if (strncmp(text, kernel, length) == 0 && text[length] == '.') return text + length + 1;
    }
    return NULL;
}

/* Gives the type if there is room for it and a zero; its size in any case. */
ze_result_t zexKernelGetArgumentType(ze_kernel_handle_t kernel, uint32_t index, uint32_t *size, char *to)
{
    const char *type;
    uint32_t room, length;
    SOFT_TRY(check_index(kernel, index));
    SOFT_POINTER(size);
    type = find_types(soft_module_source(kernel->module), kernel->code->name);
    for (uint32_t i = 0; type && i < index; i++) {
        type = strchr(type, ',');
        if (type) type++;
    }
    if (!type || !*type) return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "the module does not tell the types");
    room = *size;
    length = (uint32_t)strcspn(type, ",");
    *size = length + 1;
    if (!to || room <= length) return ZE_RESULT_SUCCESS;
    memcpy(to, type, length);
    to[length] = 0;
    return ZE_RESULT_SUCCESS;
}

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
