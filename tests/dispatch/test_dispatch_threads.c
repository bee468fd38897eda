/* ze_dispatch.h in several threads: each with its own device, two queues of one device with shared memory, and 64 that
 * build modules, launch and destroy concurrently. */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include "dispatch_kernels.h"
#include "ze_dispatch.h"

#include <pthread.h>

enum { THREADS = 4, TURNS = 25, N = 256, CROWD = 64, VARIANTS = 4, ROUNDS = 3 };

static small_module built, variants[VARIANTS];
static spe_words module_words, variant_words[VARIANTS];

/* A thread's state and error. Only the main thread reports. */
struct worker {
    pthread_t thread;
    zed_device device;
    zed_device *shared; /* the device to take a second queue of, or NULL */
    uint32_t *memory;   /* this thread's part of the shared memory */
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

/* ---- many threads */

struct one_of_many {
    pthread_t thread;
    zed_device *shared;
    uint32_t number;
    int wrong;
    char error[256];
};

/* Creates everything anew each round, from a module that a quarter of the threads build concurrently. */
static bool round_of_one(struct one_of_many *w, uint32_t round)
{
    const spe_words *words = &variant_words[(w->number + round) % VARIANTS];
    zed_device d;
    zed_module module;
    zed_kernel k;
    uint32_t *x = NULL, n = 1 + (w->number + round) % 5;
    bool ok = zed_open_queue(&d, w->shared) && zed_module_load(&module, &d, words->data, 4 * words->count, NULL) &&
              zed_kernel_get(&k, &module, "spin", "ptr<u32> x, u32 n") && zed_local_size(&k, 32, 1, 1) &&
              (x = (uint32_t *)zed_alloc(&d, ZED_SHARED, N * sizeof *x, 0)) != NULL;
    for (uint32_t i = 0; ok && i < N; i++) x[i] = w->number * 1000 + i;
    ok = ok && zed_launch(&k, (zed_groups){N / 32, 1, 1}, x, n);
    for (uint32_t i = 0; ok && i < N; i++) w->wrong += x[i] != spun(w->number * 1000 + i, n);
    if (!ok) snprintf(w->error, sizeof w->error, "%.250s", zed_get_error(&d)->text);
    zed_close(&d);
    return ok;
}

static void *rounds_of_one(void *argument)
{
    struct one_of_many *w = (struct one_of_many *)argument;
    for (uint32_t i = 0; i < ROUNDS && round_of_one(w, i); i++) continue;
    return NULL;
}

TEST(a_crowd_builds_launches_and_destroys)
{
    static struct one_of_many crowd[CROWD];
    zed_device d;
    CHECK_MSG(zed_open(&d, NULL), "%s", zed_get_error(&d)->text);
    for (uint32_t i = 0; i < CROWD; i++) {
        crowd[i].number = i;
        crowd[i].shared = &d;
        CHECK_INT(pthread_create(&crowd[i].thread, NULL, rounds_of_one, &crowd[i]), 0);
    }
    for (int i = 0; i < CROWD; i++) {
        pthread_join(crowd[i].thread, NULL);
        CHECK_MSG(!crowd[i].wrong && !crowd[i].error[0], "thread %d: %d elements wrong; %s", i, crowd[i].wrong,
                  crowd[i].error);
    }
    zed_close(&d);
}

static spe_words write_module(small_module *s, const char *file, const char *more)
{
    spe_words words;
    spe_begin(&s->m, NULL);
    small_spin(s, "spin");
    if (more) small_spin(s, more);
    words = spe_finish(&s->m);
    test_save_spv(file, words.data, 4 * words.count);
    return words;
}

int main(void)
{
    module_words = write_module(&built, "test_dispatch_threads", NULL);
    for (int i = 0; i < VARIANTS; i++) {
        char more[24], file[64];
        snprintf(more, sizeof more, "more_%d", i);
        snprintf(file, sizeof file, "test_dispatch_threads_%s", more);
        variant_words[i] = write_module(&variants[i], file, more);
    }
    RUN(threads_with_a_device_each);
    RUN(threads_with_queues_of_one_device);
    RUN(a_crowd_builds_launches_and_destroys);
    spe_free(&built.m);
    for (int i = 0; i < VARIANTS; i++) spe_free(&variants[i].m);
    return test_report();
}
