/* languages.c - what languages call that cannot pass structures by value. */
#include "internal.h"

size_t zed_size_of(const char *type)
{
    const struct {
        const char *name;
        size_t bytes;
    } types[] = {
        {"zed_device", sizeof(zed_device)}, {"zed_module", sizeof(zed_module)}, {"zed_kernel", sizeof(zed_kernel)},
        {"zed_batch", sizeof(zed_batch)},   {"zed_event", sizeof(zed_event)},   {"zed_arg", sizeof(zed_arg)},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, type)) return types[i].bytes;
    return 0;
}

void zed_arg_i_to(zed_arg *args, uint32_t index, int64_t v) { args[index] = zed_arg_i(v); }
void zed_arg_u_to(zed_arg *args, uint32_t index, uint64_t v) { args[index] = zed_arg_u(v); }
void zed_arg_f_to(zed_arg *args, uint32_t index, double v) { args[index] = zed_arg_f(v); }
void zed_arg_ptr_to(zed_arg *args, uint32_t index, const volatile void *p) { args[index] = zed_arg_ptr(p); }
void zed_arg_local_to(zed_arg *args, uint32_t index, size_t bytes) { args[index] = zed_arg_local(bytes); }
