/* loads.c - a module with a cache, a module and its kernel in one call, and many of them at once. */
#include "internal.h"

bool vkd_module_load_source_(vkd_module *module, vkd_device *d, const vkd_source *s, const char *folder)
{
    if (d) d->cache_[0] = 0;
    if (!vkd_module_load_with_(module, d, s)) return false;
    if (!folder || !*folder || vkd_cache_module_(module, folder)) return true;
    vkd_drop_words_(d, module);
    vkd_drop_(d, VKD_RES_MODULE_, (uint64_t)module->handle);
    memset(module, 0, sizeof *module);
    return false;
}

bool vkd_module_load_cached_(vkd_module *module, vkd_device *d, const void *words, size_t bytes, const char *folder)
{
    vkd_source s = {words, bytes, NULL, NULL, NULL, {0, 0, 0}, NULL, 0, 0};
    return vkd_module_load_source_(module, d, &s, folder);
}

/* The kernel of a module, and the sizes that its source says. */
static bool vkd_kernel_of_(vkd_kernel *k, vkd_module *module, const vkd_source *s)
{
    vkd_device *d = module->device;
    const uint32_t *size = s->local_size;
    return vkd_kernel_get_(k, module, s->kernel, s->params, d->file_, d->line_) &&
           (!s->subgroup_size || vkd_subgroup_size_(k, s->subgroup_size, d->file_, d->line_)) &&
           (!size[0] ||
            vkd_local_size_(k, size[0], size[1] ? size[1] : 1, size[2] ? size[2] : 1, d->file_, d->line_));
}

bool vkd_load_source_(vkd_kernel *k, vkd_device *d, const vkd_source *s, const char *folder)
{
    vkd_module module;
    memset(k, 0, sizeof *k);
    if (!vkd_module_load_source_(&module, d, s, folder)) return false;
    bool ok = vkd_kernel_of_(k, &module, s);
    vkd_drop_words_(d, &module); /* the device frees the module */
    return ok;
}

bool vkd_load_(vkd_kernel *k, vkd_device *d, const void *words, size_t bytes, const char *name, const char *params,
               uint32_t subgroup_size, const char *folder)
{
    vkd_source s = {words, bytes, name, params, NULL, {0, 0, 0}, NULL, 0, subgroup_size};
    return vkd_load_source_(k, d, &s, folder);
}

/* ---- many at once: their pipelines, which take the time, are created in threads */

typedef struct vkd_job_ {
    const vkd_kernel *kernel; /* NULL: its pipeline is made by the first launch */
    vkd_module module;        /* unless an earlier job has the same */
    int first;                /* the first job with the same module */
    VkPipeline pipeline;
    VkResult result;
} vkd_job_;

static const uint32_t *vkd_no_local_parameters_(void)
{
    static const uint32_t local[VKD_MAX_ARGS + 1] = {0};
    return local;
}

static void vkd_compile_job_(void *job)
{
    vkd_job_ *j = (vkd_job_ *)job;
    if (j->kernel) j->result = vkd_create_pipeline_(j->kernel, vkd_no_local_parameters_(), &j->pipeline);
}

static bool vkd_has_local_parameters_(const vkd_kernel *k)
{
    for (uint32_t i = 0; i < k->param_count; i++)
        if (k->params[i].kind == VKD_PARAM_LOCAL) return true;
    return false;
}

/* Loads the module of source i, unless it is another's, too, and gets its kernel. */
static bool vkd_prepare_job_(vkd_kernel *kernels, vkd_device *d, vkd_job_ *jobs, const vkd_source *sources, int i,
                             const char *folder)
{
    vkd_job_ *job = &jobs[i];
    while (!vkd_same_module_(&sources[job->first], &sources[i])) job->first++;
    if (job->first == i && !vkd_module_load_source_(&job->module, d, &sources[i], folder)) return false;
    if (!vkd_kernel_of_(&kernels[i], &jobs[job->first].module, &sources[i])) return false;
    if (!vkd_has_local_parameters_(&kernels[i])) job->kernel = &kernels[i];
    return true;
}

/* After an error: frees the kernels and modules, which keep it. */
static void vkd_drop_jobs_(vkd_kernel *kernels, vkd_device *d, vkd_job_ *jobs, int count)
{
    for (int i = 0; i < count; i++) {
        vkd_kernel_free_(&kernels[i], d->file_, d->line_);
        memset(&kernels[i], 0, sizeof kernels[i]);
        kernels[i].device = d;
    }
    for (int i = 0; i < count; i++) vkd_module_free_(&jobs[i].module, d->file_, d->line_);
}

bool vkd_load_all_(vkd_kernel *kernels, vkd_device *d, const vkd_source *sources, int count, const char *folder)
{
    if (!vkd_usable_(d) || count <= 0) return vkd_usable_(d) && count == 0;
    if (!kernels || !sources)
        return vkd_fail_(d, VKD_NULL_POINTER, "vkd_load_all: the %s are NULL", kernels ? "sources" : "kernels");
    memset(kernels, 0, (size_t)count * sizeof *kernels);
    vkd_job_ *jobs = (vkd_job_ *)calloc((size_t)count, sizeof *jobs);
    if (!jobs) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room to load %d modules", count);
    bool ok = true;
    for (int i = 0; ok && i < count; i++) ok = vkd_prepare_job_(kernels, d, jobs, sources, i, folder);
    if (ok) vkd_run_jobs_(vkd_compile_job_, jobs, sizeof *jobs, count);
    for (int i = 0; ok && i < count; i++)
        if (jobs[i].kernel)
            vkd_take_pipeline_(&kernels[i], vkd_no_local_parameters_(), jobs[i].result, jobs[i].pipeline);
    ok = ok && !d->error.id;
    if (ok)
        for (int i = 0; i < count; i++) vkd_drop_words_(d, &jobs[i].module); /* the device frees the modules */
    else vkd_drop_jobs_(kernels, d, jobs, count);
    free(jobs);
    return ok;
}
