/* functions.c - pointers to functions of modules: each is compiled on request. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ze_soft.h"

pthread_mutex_t soft_link_lock = PTHREAD_MUTEX_INITIALIZER;

/* Does the module export a function with this name? */
static bool has_function(const struct soft_source *s, const char *name)
{
    struct sp_module *m = s->words ? sp_parse(s->words, s->count, NULL, 0, soft_is_strict(), NULL) : NULL;
    struct sp_symbol *list;
    uint32_t count, k;
    bool found = false;
    if (m && sp_symbols(m, &list, &count, NULL))
        for (k = 0; k < count; k++)
            found =
                found || (list[k].function && list[k].linkage != SP_LINKAGE_Import && strcmp(list[k].name, name) == 0);
    sp_free(m);
    return found;
}

static ze_result_t no_function(ze_module_handle_t m, const char *name)
{
    const struct xs_module *x = m->object.module;
    uint32_t i;
    for (i = 0; i < x->kernel_count; i++)
        if (strcmp(x->kernels[i].name, name) == 0)
            return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "%.200s is a kernel: a kernel cannot call it", name);
    return soft_fail(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME, "no exported function %.200s", name);
}

struct wanted {
    ze_module_handle_t module;
    const char *name;
    struct soft_function **function;
};

static ze_result_t function_new(void *pointer)
{
    const struct wanted *w = pointer;
    ze_module_handle_t m = w->module;
    const char *name = w->name;
    const struct soft_source *s = soft_module_source(m);
    const struct soft_part part = {.function = name};
    struct sp_text log = {NULL, 0, 0, false};
    struct soft_function *f;
    ze_result_t result;
    if (!has_function(s, name)) return no_function(m, name);
    f = calloc(1, sizeof *f + strlen(name) + 1);
    if (!f) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    strcpy(f->name, name);
    result = soft_module_build(m, &part, &f->object, &log);
    if (result == ZE_RESULT_SUCCESS && (!f->object.module->function_count || !f->object.module->own_globals))
        result = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    if (result == ZE_RESULT_SUCCESS) {
        *f->object.module->own_globals = m->globals;
        f->next = m->functions;
        *w->function = m->functions = f;
    } else {
        soft_fail(result, "function %.200s not built: %.1500s", name, log.data ? log.data : "no memory");
        jit_unload(&f->object);
        free(f);
    }
    sp_text_free(&log);
    return result;
}

ze_result_t zeModuleGetFunctionPointer(ze_module_handle_t module, const char *name, void **pointer)
{
    struct soft_function *f;
    ze_result_t result = ZE_RESULT_SUCCESS;
    SOFT_HANDLE(module, SOFT_MODULE);
    SOFT_POINTER(name);
    SOFT_POINTER(pointer);
    SOFT_TRY(soft_module_check_linked(module, name));
    pthread_mutex_lock(&soft_link_lock);
    for (f = module->functions; f && strcmp(f->name, name) != 0;) f = f->next;
    if (!f) result = soft_deeply(function_new, &(struct wanted){module, name, &f});
    pthread_mutex_unlock(&soft_link_lock);
    if (result == ZE_RESULT_SUCCESS) *pointer = (void *)(uintptr_t)f->object.module->functions;
    return result;
}
