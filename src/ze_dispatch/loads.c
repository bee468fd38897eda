/* loads.c - a module and its kernel in one call, and many of them at once. */
#include "internal.h"

/* The kernel of a module, and its local size. */
static bool zed_kernel_of_(zed_kernel *k, zed_module *module, const zed_source *source)
{
    zed_device *d = module->device;
    const uint32_t *size = source->local_size;
    if (!zed_kernel_get_(k, module, source->kernel, source->params, d->file_, d->line_)) return false;
    return !size[0] || zed_set_local_size_(k, size[0], size[1] ? size[1] : 1, size[2] ? size[2] : 1);
}

static bool zed_load_with_(zed_kernel *k, zed_device *d, const zed_source *s, const char *folder,
                           zed_constants_of_fn_ constants_of)
{
    zed_module module;
    if (k) memset(k, 0, sizeof *k);
    if (k) k->device = d;
    if (!zed_module_load_with_(&module, d, s, folder, constants_of)) return false;
    if (zed_kernel_of_(k, &module, s)) return true;
    if (!k || !k->handle) zed_drop_(d, ZED_RES_MODULE_, module.handle);
    return false;
}

bool zed_load_source_(zed_kernel *k, zed_device *d, const zed_source *s, const char *folder)
{
    return zed_load_with_(k, d, s, folder, zed_constants_of_);
}

bool zed_load_(zed_kernel *k, zed_device *d, const void *words, size_t bytes, const char *name, const char *params,
               const char *flags, const uint32_t local_size[3], const char *folder)
{
    const uint32_t of_module[3] = {0, 0, 0}, *size = local_size ? local_size : of_module;
    zed_source s = {words, bytes, name, params, flags, {size[0], size[1], size[2]}, NULL, 0};
    return zed_load_with_(k, d, &s, folder, NULL);
}

/* ---- many at once: modules are compiled in threads, each with a zed_device of its own for errors and handles */

typedef struct zed_job_ {
    zed_device own;
    const zed_source *source;
    const char *folder;
    zed_module module;
    int first;  /* the first job with the same module: */
    bool loads; /* itself, or one that loads it for both */
} zed_job_;

static void zed_load_job_(void *job)
{
    zed_job_ *j = (zed_job_ *)job;
    if (j->loads) zed_module_load_source_(&j->module, &j->own, j->source, j->folder);
}

static void zed_prepare_jobs_(zed_device *d, zed_job_ *jobs, const zed_source *sources, int count, const char *folder)
{
    for (int i = 0; i < count; i++) {
        zed_device *own = &jobs[i].own;
        zed_at_(own, d->file_, d->line_);
        own->driver = d->driver;
        own->device = d->device;
        own->context = d->context;
        own->ze_ = d->ze_;
        memcpy(own->name, d->name, sizeof own->name);
        own->target = d->target;
        own->open_ = true;
        jobs[i].source = &sources[i];
        jobs[i].folder = folder;
        while (!zed_same_module_(&sources[jobs[i].first], &sources[i])) jobs[i].first++;
        jobs[i].loads = jobs[i].first == i;
    }
}

/* Gives the device what a job loaded: the handle, the log, the error if it is the first. */
static void zed_take_job_(zed_device *d, zed_job_ *job)
{
    zed_device *own = &job->own;
    if (own->log_) {
        free(d->log_);
        d->log_ = own->log_;
    }
    if (own->cache_[0]) memcpy(d->cache_, own->cache_, sizeof d->cache_);
    if (own->error.id && !d->error.id) d->error = own->error;
    free(own->resources_);
    job->module.device = d;
    if (job->module.handle && !zed_keep_(d, ZED_RES_MODULE_, job->module.handle, 0)) job->module.handle = NULL;
}

/* Frees what was loaded before an error. */
static void zed_drop_jobs_(zed_device *d, zed_kernel *kernels, zed_job_ *jobs, int count)
{
    for (int i = 0; i < count; i++) {
        if (kernels[i].handle) zed_drop_(d, ZED_RES_KERNEL_, kernels[i].handle);
        kernels[i].handle = NULL;
    }
    for (int i = 0; i < count; i++)
        if (jobs[i].module.handle) zed_drop_(d, ZED_RES_MODULE_, jobs[i].module.handle);
}

bool zed_load_all_(zed_kernel *kernels, zed_device *d, const zed_source *sources, int count, const char *folder)
{
    zed_job_ *jobs;
    if (!zed_usable_(d) || count <= 0) return zed_usable_(d) && count == 0;
    if (!kernels || !sources)
        return zed_fail_(d, ZED_NULL_POINTER, "zed_load_all: the %s are NULL", kernels ? "sources" : "kernels");
    memset(kernels, 0, (size_t)count * sizeof *kernels);
    for (int i = 0; i < count; i++) kernels[i].device = d;
    jobs = (zed_job_ *)calloc((size_t)count, sizeof *jobs);
    if (!jobs) return zed_fail_(d, ZED_OUT_OF_MEMORY, "no room to load %d modules", count);
    zed_prepare_jobs_(d, jobs, sources, count, folder);
    zed_run_jobs_(zed_load_job_, jobs, sizeof *jobs, count);
    for (int i = 0; i < count; i++) zed_take_job_(d, &jobs[i]);
    for (int i = 0; i < count && !d->error.id; i++)
        zed_kernel_of_(&kernels[i], &jobs[jobs[i].first].module, &sources[i]);
    if (d->error.id) zed_drop_jobs_(d, kernels, jobs, count);
    free(jobs);
    return !d->error.id;
}
