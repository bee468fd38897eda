/* test_soft_soak.c - a soak test of the software device: SOAK_ROUNDS (300; `make soak`: 10000) rounds of creating,
 * launching and destroying every kind of object, without growth of memory, mappings or descriptors; the same in several
 * threads, each with its own queue; and ten processes that start together with one empty cache.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <level_zero/ze_api.h>
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver_kernels.h"
#include "test.h"

enum { N = 100, THREADS = 4, PROCESSES = 10, WARM_UP = 50 };

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static char **environment;
extern char **environ;

static int rounds(void)
{
    const char *text = getenv("SOAK_ROUNDS");
    int n = text ? atoi(text) : 300;
    return n > WARM_UP ? n : WARM_UP + 1;
}

static bool open_device(void)
{
    uint32_t one = 1;
    ze_context_desc_t c = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    return zeInit(0) == ZE_RESULT_SUCCESS && zeDriverGet(&one, &driver) == ZE_RESULT_SUCCESS && one == 1 &&
           zeDeviceGet(driver, &one, &device) == ZE_RESULT_SUCCESS && one == 1 &&
           zeContextCreate(driver, &c, &context) == ZE_RESULT_SUCCESS;
}

/* ---- one round: everything is created, used and destroyed. Returns how many calls failed or elements were wrong. */

struct things {
    ze_context_handle_t context;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list, immediate;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    ze_fence_handle_t fence;
    float *a, *b, *c;
};

static int failed_calls(ze_result_t result) { return result != ZE_RESULT_SUCCESS; }
#define DO(call) (wrong += failed_calls(call))

static int create_things(struct things *t, int round)
{
    ze_context_desc_t c = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_module_desc_t m = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                          .format = ZE_MODULE_FORMAT_IL_SPIRV,
                          .inputSize = sizeof driver_kernels,
                          .pInputModule = (const uint8_t *)driver_kernels};
    ze_kernel_desc_t k = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "add"};
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = round % 2 ? ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS
                                                   : ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_desc_t l = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_event_pool_desc_t p = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, .count = 4};
    ze_event_desc_t e = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 1};
    ze_fence_desc_t f = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t h = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_module_build_log_handle_t log = NULL;
    int wrong = 0;
    DO(zeContextCreate(driver, &c, &t->context));
    DO(zeModuleCreate(t->context, device, &m, &t->module, round % 3 ? NULL : &log));
    if (log) DO(zeModuleBuildLogDestroy(log));
    DO(zeKernelCreate(t->module, &k, &t->kernel));
    DO(zeCommandQueueCreate(t->context, device, &q, &t->queue));
    DO(zeCommandListCreate(t->context, device, &l, &t->list));
    DO(zeCommandListCreateImmediate(t->context, device, &q, &t->immediate));
    DO(zeEventPoolCreate(t->context, &p, 1, &device, &t->pool));
    DO(zeEventCreate(t->pool, &e, &t->event));
    DO(zeFenceCreate(t->queue, &f, &t->fence));
    DO(zeMemAllocShared(t->context, &d, &h, N * 4, 64, device, (void **)&t->a));
    DO(zeMemAllocDevice(t->context, &d, N * 4, 64, device, (void **)&t->b));
    DO(zeMemAllocHost(t->context, &h, N * 4, 64, (void **)&t->c));
    return wrong;
}

static int use_things(struct things *t, int round)
{
    const ze_group_count_t groups = {(N + 31) / 32, 1, 1};
    const float minus = -1;
    const uint32_t n = N;
    ze_kernel_timestamp_result_t stamp;
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        t->a[i] = (float)(i * round);
        t->b[i] = (float)(i + round); /* device memory, which here the host may write */
    }
    DO(zeKernelSetGroupSize(t->kernel, 32, 1, 1));
    DO(zeKernelSetArgumentValue(t->kernel, 0, sizeof t->a, &t->a));
    DO(zeKernelSetArgumentValue(t->kernel, 1, sizeof t->b, &t->b));
    DO(zeKernelSetArgumentValue(t->kernel, 2, sizeof t->c, &t->c));
    DO(zeKernelSetArgumentValue(t->kernel, 3, sizeof n, &n));
    DO(zeCommandListAppendMemoryFill(t->immediate, t->c, &minus, sizeof minus, N * 4, t->event, 0, NULL));
    DO(zeEventHostSynchronize(t->event, UINT64_MAX));
    DO(zeEventHostReset(t->event));
    DO(zeCommandListAppendLaunchKernel(t->list, t->kernel, &groups, t->event, 0, NULL));
    DO(zeCommandListClose(t->list));
    DO(zeCommandQueueExecuteCommandLists(t->queue, 1, &t->list, t->fence));
    DO(zeFenceHostSynchronize(t->fence, UINT64_MAX));
    DO(zeEventQueryKernelTimestamp(t->event, &stamp));
    DO(zeCommandQueueSynchronize(t->queue, UINT64_MAX));
    for (int i = 0; i < N; i++) wrong += t->c[i] != (float)(i * round) + (float)(i + round);
    return wrong;
}

static int destroy_things(struct things *t)
{
    int wrong = 0;
    DO(zeMemFree(t->context, t->a));
    DO(zeMemFree(t->context, t->b));
    DO(zeMemFree(t->context, t->c));
    DO(zeFenceDestroy(t->fence));
    DO(zeEventDestroy(t->event));
    DO(zeEventPoolDestroy(t->pool));
    DO(zeCommandListDestroy(t->list));
    DO(zeCommandListDestroy(t->immediate));
    DO(zeCommandQueueDestroy(t->queue));
    DO(zeKernelDestroy(t->kernel));
    DO(zeModuleDestroy(t->module));
    DO(zeContextDestroy(t->context));
    return wrong;
}

static int one_round(int round)
{
    struct things t;
    memset(&t, 0, sizeof t);
    if (create_things(&t, round)) return 1;
    return use_things(&t, round) + destroy_things(&t);
}

/* ---- the process's resources */

struct holdings {
    size_t heap; /* bytes in use */
    int mappings, descriptors;
};

static int count_entries(const char *directory)
{
    DIR *d = opendir(directory);
    int n = 0;
    if (!d) return 0;
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

static struct holdings look(void)
{
    struct holdings h = {0, 0, count_entries("/proc/self/fd")};
    FILE *f = fopen("/proc/self/maps", "r");
    int c;
    while (f && (c = getc(f)) != EOF) h.mappings += c == '\n';
    if (f) fclose(f);
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    h.heap = mallinfo2().uordblks + mallinfo2().hblkhd;
#endif
    return h;
}

/* Some slack for buffers that grow once, and for threads' memory; 10000 rounds detect a leak of a few bytes. */
static void compare(struct holdings before, struct holdings after, int n, int threads)
{
    printf("%d rounds: heap %zu -> %zu bytes, %d -> %d mappings, %d -> %d descriptors\n", n, before.heap, after.heap,
           before.mappings, after.mappings, before.descriptors, after.descriptors);
    CHECK_INT(after.descriptors, before.descriptors);
    if (TEST_SANITIZED) return;
    CHECK_MSG(after.heap < before.heap + 8192u * (unsigned)threads, "the heap grew from %zu to %zu bytes", before.heap,
              after.heap);
    CHECK_MSG(after.mappings <= before.mappings + 8 * threads, "mappings grew from %d to %d", before.mappings,
              after.mappings);
}

TEST(rounds_leave_nothing_behind)
{
    struct holdings before;
    int i, n = rounds(), wrong = 0;
    for (i = 0; i < WARM_UP; i++) wrong += one_round(i);
    before = look();
    for (; i < n && !wrong; i++) wrong += one_round(i);
    CHECK_INT(wrong, 0);
    compare(before, look(), n, 1);
}

/* ---- several queues in threads */

struct thread {
    pthread_t id;
    int first, count, wrong;
};

static void *thread_rounds(void *user)
{
    struct thread *t = (struct thread *)user;
    for (int i = t->first; i < t->first + t->count && !t->wrong; i++) t->wrong += one_round(i);
    return NULL;
}

static int all_threads(int count)
{
    struct thread t[THREADS];
    int wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        t[i].first = i * 1000;
        t[i].count = count;
        t[i].wrong = 0;
        if (pthread_create(&t[i].id, NULL, thread_rounds, &t[i]) != 0) return 1;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i].id, NULL);
        wrong += t[i].wrong;
    }
    return wrong;
}

TEST(rounds_in_threads)
{
    struct holdings before;
    int n = rounds() / THREADS + 1;
    CHECK_INT(all_threads(WARM_UP / THREADS), 0);
    before = look();
    CHECK_INT(all_threads(n), 0);
    compare(before, look(), n * THREADS, THREADS);
}

/* ---- ten processes, one cache */

static char **with_cache(const char *directory, const char *compiler)
{
    static char variables[2][600];
    int n = 0, k = 0;
    char **e;
    while (environ[n]) n++;
    e = (char **)calloc((size_t)n + 3, sizeof *e);
    snprintf(variables[0], sizeof variables[0], "XETILE_SOFT_CACHE=%s", directory);
    snprintf(variables[1], sizeof variables[1], "XETILE_CC=%s", compiler);
    for (int i = 0; e && i < n; i++)
        if (strncmp(environ[i], "XETILE_SOFT_CACHE=", 18) != 0 && strncmp(environ[i], "XETILE_CC=", 10) != 0)
            e[k++] = environ[i];
    if (e) e[k] = variables[0];
    if (e) e[k + 1] = variables[1];
    return e;
}

/* A compiler that writes a line to `log` for each kernel it is given. */
static bool write_compiler(const char *path, const char *log)
{
    const char *real = getenv("XETILE_CC");
    FILE *f = fopen(path, "w");
    if (!f) return false;
    fprintf(f, "#!/bin/sh\nfor a in \"$@\"; do case $a in *.c) echo \"$a\" >> %s;; esac; done\nexec %s \"$@\"\n", log,
            real ? real : "cc");
    return fclose(f) == 0 && chmod(path, 0700) == 0;
}

static int count_lines(const char *path)
{
    FILE *f = fopen(path, "r");
    int n = 0, c;
    while (f && (c = getc(f)) != EOF) n += c == '\n';
    if (f) fclose(f);
    return n;
}

static void remove_all(const char *directory)
{
    DIR *d = opendir(directory);
    struct dirent *e;
    while (d && (e = readdir(d)) != NULL)
        if (e->d_name[0] != '.') unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
    rmdir(directory);
}

TEST(ten_processes_on_an_empty_cache)
{
    char directory[] = "/tmp/xetile-soak-XXXXXX", *argv[] = {(char *)"soak", (char *)"--one", NULL};
    char tools[] = "/tmp/xetile-tools-XXXXXX", compiler[64], log[64];
    pid_t child[PROCESSES];
    int status, files, n = rounds() / 1000 + 1;
    CHECK(mkdtemp(tools) != NULL);
    snprintf(compiler, sizeof compiler, "%s/cc", tools);
    snprintf(log, sizeof log, "%s/log", tools);
    CHECK(write_compiler(compiler, log));
    for (int again = 0; again < n; again++) {
        strcpy(directory, "/tmp/xetile-soak-XXXXXX");
        CHECK(mkdtemp(directory) != NULL);
        environment = with_cache(directory, compiler);
        for (int i = 0; i < PROCESSES; i++)
            if (posix_spawn(&child[i], "/proc/self/exe", NULL, NULL, argv, environment) != 0) child[i] = -1;
        for (int i = 0; i < PROCESSES; i++) {
            CHECK_MSG(child[i] > 0 && waitpid(child[i], &status, 0) == child[i] && WIFEXITED(status) &&
                          WEXITSTATUS(status) == 0,
                      "process %d failed", i);
        }
        files = count_entries(directory) - 2;
        CHECK_INT(files, 2);                      /* one entry and the locks, nothing half-written */
        CHECK_INT(count_lines(log), again + 1); /* one process compiled, the others waited */
        remove_all(directory);
        free(environment);
    }
    remove_all(tools);
    printf("%d times %d processes on an empty cache\n", n, PROCESSES);
}

int main(int argc, char **argv)
{
    const char *soft = getenv("XETILE_SOFT");
    setenv("ZE_ENABLE_ALT_DRIVERS", soft ? soft : "build/libze_soft.so", 1);
    if (!open_device()) {
        printf("the software device cannot be opened\n");
        return 1;
    }
    if (argc > 1 && strcmp(argv[1], "--one") == 0) return one_round(1) != 0;
    RUN(rounds_leave_nothing_behind);
    RUN(rounds_in_threads);
    RUN(ten_processes_on_an_empty_cache);
    return test_report();
}
