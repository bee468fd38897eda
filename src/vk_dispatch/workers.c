/* workers.c - written by join.sh from ze_dispatch/workers.c. */
#include "internal.h"

typedef struct vkd_worker_ {
    void (*work)(void *job);
    char *jobs;
    size_t size;         /* of a job */
    int at, count, step; /* jobs at, at + step, ... of count */
    bool started;
#if defined(_WIN32)
    uintptr_t thread;
#else
    pthread_t thread;
#endif
} vkd_worker_;

enum { VKD_WORKERS_ = 16 };

static void vkd_work_(const vkd_worker_ *w)
{
    for (int i = w->at; i < w->count; i += w->step) w->work(w->jobs + (size_t)i * w->size);
}

#if defined(_WIN32)
static unsigned __stdcall vkd_worker_main_(void *worker)
{
    vkd_work_((const vkd_worker_ *)worker);
    return 0;
}
static bool vkd_worker_start_(vkd_worker_ *w)
{
    w->thread = _beginthreadex(NULL, 0, vkd_worker_main_, w, 0, NULL);
    return w->thread != 0;
}
static void vkd_worker_join_(vkd_worker_ *w)
{
    WaitForSingleObject((void *)w->thread, 0xffffffffu);
    CloseHandle((void *)w->thread);
}
#else
static void *vkd_worker_main_(void *worker)
{
    vkd_work_((const vkd_worker_ *)worker);
    return NULL;
}
static bool vkd_worker_start_(vkd_worker_ *w) { return pthread_create(&w->thread, NULL, vkd_worker_main_, w) == 0; }
static void vkd_worker_join_(vkd_worker_ *w) { pthread_join(w->thread, NULL); }
#endif

/* Does `count` jobs of so many bytes in as many threads as there are jobs, up to a limit; this thread takes its share,
 * and those of threads that could not be started. */
XE_FN_ void vkd_run_jobs_(void (*work)(void *job), void *jobs, size_t size, int count)
{
    vkd_worker_ workers[VKD_WORKERS_];
    int threads = count < VKD_WORKERS_ ? count : VKD_WORKERS_;
    for (int i = 0; i < threads; i++) {
        vkd_worker_ *w = &workers[i];
        memset(w, 0, sizeof *w);
        w->work = work;
        w->jobs = (char *)jobs;
        w->size = size;
        w->at = i;
        w->count = count;
        w->step = threads;
        w->started = i > 0 && vkd_worker_start_(w);
    }
    for (int i = 0; i < threads; i++)
        if (!workers[i].started) vkd_work_(&workers[i]);
    for (int i = 0; i < threads; i++)
        if (workers[i].started) vkd_worker_join_(&workers[i]);
}

XE_FN_ bool vkd_same_module_(const vkd_source *a, const vkd_source *b)
{
    bool one = a->constants == b->constants, same = a->constant_count == b->constant_count;
    if (!one && a->constant_count && (!a->constants || !b->constants)) return false;
    for (uint32_t i = 0; !one && same && i < a->constant_count; i++) {
        const vkd_constant *c = &a->constants[i], *d = &b->constants[i];
        same = c->id == d->id && c->value.kind == d->value.kind && c->value.as.uint == d->value.as.uint;
    }
    return same && a->words == b->words && a->bytes == b->bytes &&
           strcmp(a->flags ? a->flags : "", b->flags ? b->flags : "") == 0;
}
