/* languages.c - written by join.sh from ze_dispatch/languages.c. */
#include "internal.h"

size_t vkd_size_of(const char *type)
{
    const struct {
        const char *name;
        size_t bytes;
    } types[] = {
        {"vkd_device", sizeof(vkd_device)}, {"vkd_module", sizeof(vkd_module)}, {"vkd_kernel", sizeof(vkd_kernel)},
        {"vkd_batch", sizeof(vkd_batch)},   {"vkd_event", sizeof(vkd_event)},   {"vkd_arg", sizeof(vkd_arg)},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, type)) return types[i].bytes;
    return 0;
}

void vkd_arg_i_to(vkd_arg *args, uint32_t index, int64_t v) { args[index] = vkd_arg_i(v); }
void vkd_arg_u_to(vkd_arg *args, uint32_t index, uint64_t v) { args[index] = vkd_arg_u(v); }
void vkd_arg_f_to(vkd_arg *args, uint32_t index, double v) { args[index] = vkd_arg_f(v); }
void vkd_arg_ptr_to(vkd_arg *args, uint32_t index, const volatile void *p) { args[index] = vkd_arg_ptr(p); }
void vkd_arg_local_to(vkd_arg *args, uint32_t index, size_t bytes) { args[index] = vkd_arg_local(bytes); }
