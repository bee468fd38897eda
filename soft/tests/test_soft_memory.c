/* test_soft_memory.c - the driver when memory runs out: every allocation is made to fail once. Each call must then
 * either succeed or report that memory ran out, leak nothing, and succeed when retried.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ze/graph.h"
#include "soft/driver_kernels.h"
#include "test.h"

#if defined(__GLIBC__) && !TEST_SANITIZED
#define CAN_FAIL 1
#endif

static _Atomic long countdown; /* this many more allocations succeed, then one fails; negative: all succeed */

#ifdef CAN_FAIL
static _Atomic bool failed_one;
static _Atomic long live;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *p);

static bool fails_now(void)
{
    if (atomic_load(&countdown) < 0 || atomic_fetch_sub(&countdown, 1) != 0) return false;
    atomic_store(&failed_one, true);
    errno = ENOMEM; /* the C library's own callers look at it */
    return true;
}

static void *counted(void *p)
{
    if (p) atomic_fetch_add(&live, 1);
    return p;
}

void *malloc(size_t size) { return fails_now() ? NULL : counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return fails_now() ? NULL : counted(__libc_calloc(count, size)); }

void *realloc(void *p, size_t size)
{
    void *q = fails_now() ? NULL : __libc_realloc(p, size);
    if (!p && q) atomic_fetch_add(&live, 1);
    return q;
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
    void *p = fails_now() ? NULL : counted(__libc_memalign(alignment, size));
    if (p) *to = p;
    return p ? 0 : ENOMEM;
}

void free(void *p)
{
    if (p) atomic_fetch_sub(&live, 1);
    __libc_free(p);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    if (fails_now()) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}
#endif

static ze_context_handle_t context;
static ze_module_handle_t module;
static ze_result_t worst; /* the first result of a scenario that was neither success nor about memory */

/* True on success. */
static bool went_well(ze_result_t r)
{
    bool memory = r == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY || r == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    if (r != ZE_RESULT_SUCCESS && !memory && worst == ZE_RESULT_SUCCESS) worst = r;
    return r == ZE_RESULT_SUCCESS;
}

static void use_memory(void)
{
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_physical_mem_desc_t pd = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = 1 << 16};
    ze_physical_mem_handle_t physical = NULL;
    ze_context_desc_t cd = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t c = NULL;
    void *p[70], *range = NULL;
    uint32_t i, n = 0;
    for (i = 0; i < 70; i++) n += went_well(zeMemAllocDevice(context, &d, 100, 64, &soft_device, &p[n]));
    while (n) went_well(zeMemFree(context, p[--n]));
    if (went_well(zeContextCreate(&soft_driver, &cd, &c))) went_well(zeContextDestroy(c));
    if (went_well(zePhysicalMemCreate(context, &soft_device, &pd, &physical)))
        went_well(zePhysicalMemDestroy(context, physical));
    if (went_well(zeVirtualMemReserve(context, NULL, 1 << 16, &range)))
        went_well(zeVirtualMemFree(context, range, 1 << 16));
}

static void use_queues(void)
{
    ze_command_queue_desc_t qd = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                  .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_event_pool_desc_t pd = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    ze_event_desc_t ed = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_fence_desc_t fd = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_command_queue_handle_t q = NULL;
    ze_command_list_handle_t l = NULL, immediate = NULL;
    ze_event_pool_handle_t pool = NULL;
    ze_event_handle_t e = NULL;
    ze_fence_handle_t f = NULL;
    char to[8] = "", want[8] = "abcdefg";
    bool recorded = false;
    if (went_well(zeEventPoolCreate(context, &pd, 0, NULL, &pool))) went_well(zeEventCreate(pool, &ed, &e));
    if (went_well(zeCommandListCreate(context, &soft_device, &ld, &l))) {
        recorded = went_well(zeCommandListAppendMemoryCopy(l, to, want, 8, e, 0, NULL));
        recorded = went_well(zeCommandListAppendMemoryFill(l, to, "q", 1, 1, NULL, 0, NULL)) && recorded;
        recorded = went_well(zeCommandListClose(l)) && recorded;
    }
    if (went_well(zeCommandQueueCreate(context, &soft_device, &qd, &q))) {
        went_well(zeFenceCreate(q, &fd, &f));
        if (recorded && went_well(zeCommandQueueExecuteCommandLists(q, 1, &l, f))) {
            went_well(zeCommandQueueSynchronize(q, UINT64_MAX));
            CHECK(strcmp(to, "qbcdefg") == 0);
        }
    }
    if (went_well(zeCommandListCreateImmediate(context, &soft_device, &qd, &immediate))) {
        went_well(zeCommandListAppendMemoryFill(immediate, to, "r", 1, 1, NULL, 0, NULL));
        went_well(zeCommandListDestroy(immediate));
    }
    if (f) went_well(zeFenceDestroy(f));
    if (l) went_well(zeCommandListDestroy(l));
    if (q) went_well(zeCommandQueueDestroy(q));
    if (e) went_well(zeEventDestroy(e));
    if (pool) went_well(zeEventPoolDestroy(pool));
}

static void run_add(ze_module_handle_t m)
{
    ze_kernel_desc_t kd = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "sum"};
    ze_command_queue_desc_t qd = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                  .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_group_count_t one = {1, 1, 1};
    ze_kernel_handle_t k = NULL;
    ze_command_list_handle_t l = NULL;
    int in[64], out = 0, *pin = in, *pout = &out, i;
    for (i = 0; i < 64; i++) in[i] = i;
    if (!went_well(zeKernelCreate(m, &kd, &k))) return;
    went_well(zeKernelSetArgumentValue(k, 0, sizeof pin, &pin));
    went_well(zeKernelSetArgumentValue(k, 1, sizeof pout, &pout));
    went_well(zeKernelSetArgumentValue(k, 2, 256, NULL));
    if (went_well(zeCommandListCreateImmediate(context, &soft_device, &qd, &l))) {
        if (went_well(zeCommandListAppendLaunchKernel(l, k, &one, NULL, 0, NULL))) CHECK_INT(out, 63 * 32);
        went_well(zeCommandListDestroy(l));
    }
    went_well(zeKernelDestroy(k));
}

/* Each subgroup has a stack of its own, and the thread everything for the first time. */
static void meet(struct xs_subgroup *self, const uint8_t *args)
{
    uint32_t *met;
    memcpy(&met, args, sizeof met);
    self->barrier(self, XS_BARRIER_FULL);
    *met += 1;
}

static void *launch_in_a_thread(void *unused)
{
    static const struct xs_param params[] = {{"met", XS_PARAM_GLOBAL, 8, 0, 8}, {"local", XS_PARAM_LOCAL, 8, 8, 8}};
    static const struct xs_kernel k = {.name = "meet",
                                       .run = meet,
                                       .params = params,
                                       .param_count = 2,
                                       .args_bytes = 16,
                                       .subgroup_size = 16,
                                       .stack_bytes = 16384,
                                       .has_barrier = 1};
    uint32_t met = 0;
    uint64_t args[2] = {(uint64_t)(uintptr_t)&met, 256};
    struct sched_launch l = {.kernel = &k,
                             .args = (const uint8_t *)args,
                             .group_count = {3, 1, 1},
                             .local_size = {64, 1, 1},
                             .work_dim = 1};
    enum sched_result r = sched_run(&l);
    went_well(r == SCHED_OK          ? ZE_RESULT_SUCCESS
              : r == SCHED_NO_MEMORY ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                     : ZE_RESULT_ERROR_UNKNOWN);
    if (r == SCHED_OK) CHECK_INT(met, 3 * 4);
    return unused;
}

static void use_threads(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, launch_in_a_thread, NULL) == 0) pthread_join(thread, NULL);
}

/* Three launches by one call: all or none are recorded. */
static void use_indirect(void)
{
    ze_kernel_desc_t kd = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "sum"};
    ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_group_count_t groups[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    ze_kernel_handle_t k = NULL, all[3];
    ze_command_list_handle_t l = NULL;
    int in[64] = {0}, out[64] = {0}, *pin = in, *pout = out;
    uint32_t count = 3;
    if (went_well(zeKernelCreate(module, &kd, &k))) {
        went_well(zeKernelSetArgumentValue(k, 0, sizeof pin, &pin));
        went_well(zeKernelSetArgumentValue(k, 1, sizeof pout, &pout));
        went_well(zeKernelSetArgumentValue(k, 2, 256, NULL));
        all[0] = all[1] = all[2] = k;
        if (went_well(zeCommandListCreate(context, &soft_device, &ld, &l))) {
            if (!went_well(zeCommandListAppendLaunchMultipleKernelsIndirect(l, 3, all, &count, groups, NULL, 0, NULL)))
                CHECK(l->recorded->first == NULL);
            went_well(zeCommandListDestroy(l));
        }
        went_well(zeKernelDestroy(k));
    }
}

/* Records a fork and a join, and runs them. */
static bool capture(ze_command_list_handle_t l, ze_command_list_handle_t other, ze_event_handle_t *e, char *to)
{
    static ze_kernel_timestamp_result_t times;
    bool all = went_well(zeCommandListAppendMemoryFill(l, to, "g", 1, 4, e[0], 0, NULL));
    if (all) all = went_well(zeCommandListAppendMemoryCopy(other, to + 4, to, 4, e[1], 1, &e[0]));
    if (all) all = went_well(zeCommandListAppendQueryKernelTimestamps(l, 1, e, &times, NULL, NULL, 1, &e[1]));
    return all;
}

static void run_graph(ze_command_list_handle_t l, ze_graph_handle_t graph, const char *to)
{
    ze_executable_graph_handle_t x = NULL;
    if (!went_well(zeGraphInstantiateExt(graph, NULL, &x))) return;
    for (int i = 0; i < 2; i++)
        if (went_well(zeCommandListAppendGraphExt(l, x, NULL, NULL, 0, NULL))) {
            soft_queue_synchronize(&l->queue, UINT64_MAX);
            CHECK(memcmp(to, "gggggggg", 8) == 0);
        }
    went_well(zeExecutableGraphDestroyExt(x));
}

static void count_call(void *calls) { ++*(int *)calls; }

static void use_graphs(void)
{
    ze_command_queue_desc_t qd = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                  .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                  .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_event_pool_desc_t pd = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 2};
    ze_command_list_handle_t l = NULL, other = NULL;
    ze_event_pool_handle_t pool = NULL;
    ze_event_handle_t e[2] = {NULL, NULL};
    ze_graph_handle_t graph = NULL;
    char to[8] = "";
    int calls = 0, registered = 0;
    bool all = went_well(zeEventPoolCreate(context, &pd, 0, NULL, &pool));
    if (all) pool->counts = SOFT_COUNTS_IMMEDIATE;
    for (uint32_t i = 0; i < 2 && all; i++) {
        ze_event_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        all = went_well(zeEventCreate(pool, &d, &e[i]));
    }
    all = all && went_well(zeCommandListCreateImmediate(context, &soft_device, &qd, &l)) &&
          went_well(zeCommandListCreateImmediate(context, &soft_device, &qd, &other));
    if (all && went_well(zeCommandListBeginGraphCaptureExt(l, NULL))) {
        all = capture(l, other, e, to);
        ze_result_t r = zeCommandListEndGraphCaptureExt(l, NULL, &graph);
        if (all) went_well(r); /* else a fork may lack its join */
        registered = went_well(zeGraphSetDestructionCallbackExt(graph, count_call, &calls, NULL));
        if (all) run_graph(l, graph, to);
        went_well(zeGraphDestroyExt(graph));
        CHECK_INT(calls, registered);
    }
    if (l) went_well(zeCommandListDestroy(l));
    if (other) went_well(zeCommandListDestroy(other));
    for (int i = 0; i < 2; i++)
        if (e[i]) went_well(zeEventDestroy(e[i]));
    if (pool) went_well(zeEventPoolDestroy(pool));
}

static ze_result_t build(ze_module_handle_t *m)
{
    ze_module_desc_t d = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                          .format = ZE_MODULE_FORMAT_IL_SPIRV,
                          .inputSize = sizeof driver_kernels,
                          .pInputModule = (const uint8_t *)driver_kernels};
    ze_module_build_log_handle_t log = NULL;
    ze_result_t r = zeModuleCreate(context, &soft_device, &d, m, &log);
    if (log) zeModuleBuildLogDestroy(log);
    return r;
}

static void use_kernels(void) { run_add(module); }

static void use_modules(void)
{
    ze_module_handle_t m = NULL;
    ze_result_t r = build(&m);
    if (r == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE) return; /* its log names the failure */
    if (went_well(r)) went_well(zeModuleDestroy(m));
}

/* Runs it with the 1st, 2nd ... allocation failing, until it succeeds. */
static void exhaust(void (*scenario)(void))
{
#ifdef CAN_FAIL
    long n, before, again = 0;
    atomic_store(&countdown, -1);
    scenario(); /* allocates permanent objects */
    for (n = 0; n < 100000; n++) {
        worst = ZE_RESULT_SUCCESS;
        before = atomic_load(&live);
        atomic_store(&failed_one, false);
        atomic_store(&countdown, n);
        scenario();
        atomic_store(&countdown, -1);
        CHECK_MSG(worst == ZE_RESULT_SUCCESS, "allocation %ld: result 0x%x", n, (unsigned)worst);
        if (!atomic_load(&failed_one)) break;
        /* A thread keeps memory from its first work on, which may be this. Leaks recur. */
        if (atomic_load(&live) > before && again++ < 3) {
            n--;
            continue;
        }
        CHECK_MSG(atomic_load(&live) <= before, "allocation %ld: %ld blocks left behind", n,
                  atomic_load(&live) - before);
        again = 0;
    }
    CHECK(n > 3);
#else
    scenario();
    CHECK_INT(worst, ZE_RESULT_SUCCESS);
#endif
}

TEST(memory) { exhaust(use_memory); }
TEST(queues) { exhaust(use_queues); }
TEST(graphs) { exhaust(use_graphs); }
TEST(kernels) { exhaust(use_kernels); }
TEST(threads) { exhaust(use_threads); }
TEST(indirect_launches) { exhaust(use_indirect); }

TEST(modules)
{
    setenv("XETILE_CC", "/nonexistent/cc", 1); /* a cache that cannot be read must not start the compiler every time */
    exhaust(use_modules);
    unsetenv("XETILE_CC");
}

int main(void)
{
    ze_context_desc_t d = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_result_t r;
    atomic_store(&countdown, -1);
    setenv("XETILE_SOFT_THREADS", "1", 1);
    if (zeContextCreate(&soft_driver, &d, &context) != ZE_RESULT_SUCCESS) return 1;
    r = build(&module);
    if (r != ZE_RESULT_SUCCESS) printf("the module does not build: 0x%x\n", (unsigned)r);
    RUN(memory);
    RUN(queues);
    RUN(graphs);
    RUN(threads);
    if (module) {
        RUN(kernels);
        RUN(indirect_launches);
        RUN(modules);
        zeModuleDestroy(module);
    }
    zeContextDestroy(context);
    return test_report() || r != ZE_RESULT_SUCCESS;
}
