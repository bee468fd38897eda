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
    zed_module module;
    int first; /* the first job with the same module: itself, or one that loads it for both */
} zed_job_;

typedef struct zed_worker_ {
    zed_job_ *jobs;
    const char *folder;
    int at, count, step; /* jobs at, at + step, ... of count */
    bool started;
#if defined(_WIN32)
    uintptr_t thread;
#else
    pthread_t thread;
#endif
} zed_worker_;

enum { ZED_LOADERS_ = 16 };

static void zed_work_(const zed_worker_ *w)
{
    for (int i = w->at; i < w->count; i += w->step) {
        zed_job_ *job = &w->jobs[i];
        if (job->first == i) zed_module_load_source_(&job->module, &job->own, job->source, w->folder);
    }
}

#if defined(_WIN32)
static unsigned __stdcall zed_worker_main_(void *worker)
{
    zed_work_((const zed_worker_ *)worker);
    return 0;
}
static bool zed_worker_start_(zed_worker_ *w)
{
    w->thread = _beginthreadex(NULL, 0, zed_worker_main_, w, 0, NULL);
    return w->thread != 0;
}
static void zed_worker_join_(zed_worker_ *w)
{
    WaitForSingleObject((void *)w->thread, 0xffffffffu);
    CloseHandle((void *)w->thread);
}
#else
static void *zed_worker_main_(void *worker)
{
    zed_work_((const zed_worker_ *)worker);
    return NULL;
}
static bool zed_worker_start_(zed_worker_ *w) { return pthread_create(&w->thread, NULL, zed_worker_main_, w) == 0; }
static void zed_worker_join_(zed_worker_ *w) { pthread_join(w->thread, NULL); }
#endif

/* Runs the jobs in as many threads as there are jobs, up to a limit; this thread takes its share, and those of threads
 * that could not be started. */
static void zed_run_jobs_(zed_job_ *jobs, int count, const char *folder)
{
    zed_worker_ workers[ZED_LOADERS_];
    int threads = count < ZED_LOADERS_ ? count : ZED_LOADERS_;
    for (int i = 0; i < threads; i++) {
        zed_worker_ *w = &workers[i];
        memset(w, 0, sizeof *w);
        w->jobs = jobs;
        w->folder = folder;
        w->at = i;
        w->count = count;
        w->step = threads;
        w->started = i > 0 && zed_worker_start_(w);
    }
    for (int i = 0; i < threads; i++)
        if (!workers[i].started) zed_work_(&workers[i]);
    for (int i = 0; i < threads; i++)
        if (workers[i].started) zed_worker_join_(&workers[i]);
}

static bool zed_same_module_(const zed_source *a, const zed_source *b)
{
    bool one = a->constants == b->constants, same = a->constant_count == b->constant_count;
    if (!one && a->constant_count && (!a->constants || !b->constants)) return false;
    for (uint32_t i = 0; !one && same && i < a->constant_count; i++) {
        const zed_constant *c = &a->constants[i], *d = &b->constants[i];
        same = c->id == d->id && c->value.kind == d->value.kind && c->value.as.uint == d->value.as.uint;
    }
    return same && a->words == b->words && a->bytes == b->bytes &&
           strcmp(a->flags ? a->flags : "", b->flags ? b->flags : "") == 0;
}

static void zed_prepare_jobs_(zed_device *d, zed_job_ *jobs, const zed_source *sources, int count)
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
        while (!zed_same_module_(&sources[jobs[i].first], &sources[i])) jobs[i].first++;
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
    zed_prepare_jobs_(d, jobs, sources, count);
    zed_run_jobs_(jobs, count, folder);
    for (int i = 0; i < count; i++) zed_take_job_(d, &jobs[i]);
    for (int i = 0; i < count && !d->error.id; i++)
        zed_kernel_of_(&kernels[i], &jobs[jobs[i].first].module, &sources[i]);
    if (d->error.id) zed_drop_jobs_(d, kernels, jobs, count);
    free(jobs);
    return !d->error.id;
}
