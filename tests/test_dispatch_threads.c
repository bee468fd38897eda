/* ze_dispatch.h from several threads: devices of their own, and two queues of one device that share memory. */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include "dispatch_kernels.h"
#include "ze_dispatch.h"

#include <pthread.h>

enum { THREADS = 4, TURNS = 25, N = 256 };

static small_module built;
static spe_words module_words;

/* What a thread has, and what went wrong in it. Only the main thread reports. */
struct worker {
    pthread_t thread;
    zed_device device;
    zed_device *shared; /* the device to take a second queue of, or NULL */
    uint32_t *memory;   /* the part of the shared memory that is this thread's */
    const zed_kernel *kernel;
    uint32_t seed;
    int wrong;
    char error[256];
};

static uint32_t spun(uint32_t v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) v = v * 3 + 1;
    return v;
}

static void turn(struct worker *w, zed_kernel *k, uint32_t *x, uint32_t n)
{
    for (uint32_t i = 0; i < N; i++) x[i] = w->seed + i;
    if (n % 3 == 0) {
        zed_start(k, (zed_groups){N / 32, 1, 1}, x, n);
        zed_start(k, (zed_groups){N / 32, 1, 1}, x, 1);
        zed_wait(k->device);
    } else if (n % 3 == 1) {
        zed_launch(k, (zed_groups){N / 32, 1, 1}, x, n + 1);
    } else if (zed_launch_timed(k, (zed_groups){N / 32, 1, 1}, x, n + 1) < 0) {
        w->wrong++;
    }
    for (uint32_t i = 0; i < N; i++) w->wrong += x[i] != spun(w->seed + i, n + 1);
}

static void *work(void *argument)
{
    struct worker *w = (struct worker *)argument;
    zed_device *d = &w->device;
    zed_module module;
    zed_kernel k;
    uint32_t *x = w->memory;
    bool ok;
    if (w->shared) {
        ok = zed_open_queue(d, w->shared) && zed_kernel_clone(&k, w->kernel, d);
    } else {
        ok = zed_open(d, NULL) && zed_module_load(&module, d, module_words.data, 4 * module_words.count, NULL) &&
             zed_kernel_get(&k, &module, "spin", "ptr<u32> x, u32 n") && zed_local_size(&k, 32, 1, 1);
        x = (uint32_t *)zed_alloc(d, ZED_SHARED, N * sizeof *x, 0);
    }
    for (uint32_t n = 0; ok && x && n < TURNS; n++) turn(w, &k, x, n);
    zed_alloc(d, ZED_SHARED, 0, 0); /* each thread has its own error */
    if (zed_get_error(d)->id != ZED_ALLOC_SIZE) snprintf(w->error, sizeof w->error, "%.250s", zed_get_error(d)->text);
    zed_close(d);
    return NULL;
}

static void run_all(struct worker *workers)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].seed = 1000 * i;
        CHECK_INT(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        CHECK_MSG(workers[i].wrong == 0 && !workers[i].error[0], "thread %d: %d elements wrong; %s", i,
                  workers[i].wrong, workers[i].error);
    }
}

TEST(threads_with_a_device_each)
{
    static struct worker workers[THREADS];
    zed_device first; /* the environment is written while there is one thread */
    memset(workers, 0, sizeof workers);
    CHECK_MSG(zed_open(&first, NULL), "%s", zed_get_error(&first)->text);
    run_all(workers);
    zed_close(&first);
}

TEST(threads_with_queues_of_one_device)
{
    static struct worker workers[THREADS];
    zed_device d;
    zed_module module;
    zed_kernel spin;
    uint32_t *x;
    memset(workers, 0, sizeof workers);
    if (!zed_open(&d, NULL) || !zed_module_load(&module, &d, module_words.data, 4 * module_words.count, NULL) ||
        !zed_kernel_get(&spin, &module, "spin", "ptr<u32> x, u32 n") || !zed_local_size(&spin, 32, 1, 1) ||
        !(x = (uint32_t *)zed_alloc(&d, ZED_SHARED, THREADS * N * sizeof *x, 0))) {
        CHECK_MSG(false, "%s", zed_get_error(&d)->text);
        zed_close(&d);
        return;
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i].shared = &d;
        workers[i].kernel = &spin;
        workers[i].memory = x + i * N;
    }
    run_all(workers);
    CHECK_INT(zed_get_error(&d)->id, 0);
    zed_close(&d);
}

int main(void)
{
    spe_begin(&built.m, NULL);
    small_spin(&built, "spin");
    module_words = spe_finish(&built.m);
    test_save_spv("test_dispatch_threads", module_words.data, 4 * module_words.count);
    RUN(threads_with_a_device_each);
    RUN(threads_with_queues_of_one_device);
    spe_free(&built.m);
    return test_report();
}
