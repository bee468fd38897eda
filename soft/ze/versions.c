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
    struct xs_kernel code;
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

static ze_result_t version_for(ze_module_handle_t m, uint32_t kernel, uint32_t version, const struct xs_kernel **to);

/* Where there are full subgroups, too, the version for these runs them: at a barrier both must return, or neither. */
static void run_full_by(struct xs_kernel *k, const struct xs_kernel *full)
{
    if (!k->frame_bytes != !full->frame_bytes) return;
    k->full = full;
    if (k->frame_bytes) k->frame_bytes += full->frame_bytes + XS_FRAME_ALIGN;
    k->stack_bytes += full->stack_bytes < UINT32_MAX - k->stack_bytes ? full->stack_bytes : UINT32_MAX - k->stack_bytes;
}

static ze_result_t version_new(ze_module_handle_t m, uint32_t kernel, uint32_t version, struct soft_version **to)
{
    const struct soft_part part = {.kernel = kernel + 1, .version = version};
    struct sp_text log = {NULL, 0, 0, false};
    const struct xs_kernel *full = NULL;
    struct soft_version *v;
    ze_result_t result;
    if (version & CG_PARTIAL) SOFT_TRY(version_for(m, kernel, version ^ CG_PARTIAL ^ CG_FULL, &full));
    v = calloc(1, sizeof *v);
    if (!v) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    result = soft_module_build(m, &part, &v->object, &log);
    if (result == ZE_RESULT_SUCCESS) {
        v->kernel = kernel;
        v->version = version;
        v->code = v->object.module->kernels[0];
        if (full) run_full_by(&v->code, full);
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

static ze_result_t version_for(ze_module_handle_t m, uint32_t kernel, uint32_t version, const struct xs_kernel **to)
{
    const struct xs_kernel *usual = &m->object.module->kernels[kernel];
    struct soft_version *v = m->versions;
    *to = usual;
    if (version == usual->version) return ZE_RESULT_SUCCESS;
    while (v && (v->kernel != kernel || v->version != version)) v = v->next;
    if (!v) SOFT_TRY(version_new(m, kernel, version, &v));
    *to = &v->code;
    return ZE_RESULT_SUCCESS;
}

ze_result_t soft_version_for(ze_module_handle_t m, const struct xs_kernel *usual, const uint8_t *args,
                             const uint32_t *local_size, const struct xs_kernel **to)
{
    uint32_t kernel = (uint32_t)(usual - m->object.module->kernels), wanted;
    ze_result_t result;
    *to = usual;
    wanted = usual->choose ? usual->choose(args, local_size) : usual->version;
    if (wanted == usual->version) return ZE_RESULT_SUCCESS;
    pthread_mutex_lock(&m->versions_lock);
    result = version_for(m, kernel, wanted, to);
    pthread_mutex_unlock(&m->versions_lock);
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
