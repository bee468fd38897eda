/* versions.c - versions of a module's kernels (passes/versions.h), each with an object of its own, built when the first
 * launch needs it.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "c/generate.h"
#include "ze_soft.h"

struct soft_version {
    struct soft_version *next;
    uint32_t kernel, version;
    struct jit_object object;
};

void soft_versions_free(ze_module_handle_t m)
{
    struct soft_version *v, *next;
    for (v = m->versions; v; v = next) {
        next = v->next;
        jit_unload(&v->object);
        free(v);
    }
    m->versions = NULL;
}

static ze_result_t version_new(ze_module_handle_t m, uint32_t kernel, uint32_t version, struct soft_version **to)
{
    const struct soft_part part = {.kernel = kernel + 1, .version = version};
    struct sp_text log = {NULL, 0, 0, false};
    struct soft_version *v = calloc(1, sizeof *v);
    ze_result_t result;
    if (!v) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    result = soft_module_build(m, &part, &v->object, &log);
    if (result == ZE_RESULT_SUCCESS) {
        v->kernel = kernel;
        v->version = version;
        v->next = m->versions;
        *to = m->versions = v;
    } else {
        soft_fail(result, "kernel %.80s not built: %.1700s", m->object.module->kernels[kernel].name,
                  log.data ? log.data : "no memory");
        free(v);
    }
    sp_text_free(&log);
    return result;
}

ze_result_t soft_version_for(ze_module_handle_t m, const struct xs_kernel *usual, const uint8_t *args,
                             const uint32_t *local_size, const struct xs_kernel **to)
{
    uint32_t kernel = (uint32_t)(usual - m->object.module->kernels), wanted;
    ze_result_t result = ZE_RESULT_SUCCESS;
    struct soft_version *v;
    *to = usual;
    wanted = usual->choose ? usual->choose(args, local_size) : usual->version;
    if (wanted == usual->version) return ZE_RESULT_SUCCESS;
    pthread_mutex_lock(&m->versions_lock);
    for (v = m->versions; v && (v->kernel != kernel || v->version != wanted);) v = v->next;
    if (!v) result = version_new(m, kernel, wanted, &v);
    pthread_mutex_unlock(&m->versions_lock);
    if (result == ZE_RESULT_SUCCESS) *to = v->object.module->kernels;
    return result;
}

/* A native binary runs where there is no compiler, so its kernels have one version. */
ze_result_t soft_module_whole(ze_module_handle_t m, const struct jit_object **object)
{
    static const struct soft_part whole = {.whole = true};
    const struct xs_module *x = m->object.module;
    struct sp_text log = {NULL, 0, 0, false};
    ze_result_t result = ZE_RESULT_SUCCESS;
    bool several = false;
    uint32_t i;
    for (i = 0; x && i < x->kernel_count; i++) several = several || x->kernels[i].choose;
    *object = several ? &m->whole : &m->object;
    if (!several) return ZE_RESULT_SUCCESS;
    pthread_mutex_lock(&m->versions_lock);
    if (!m->whole.module) result = soft_module_build(m, &whole, &m->whole, &log);
    pthread_mutex_unlock(&m->versions_lock);
    if (result != ZE_RESULT_SUCCESS) soft_fail(result, "native binary not built: %.1700s", log.data ? log.data : "");
    sp_text_free(&log);
    return result;
}
