/* test_soft_process.c - the software device as a guest in its process: it uses no CPU time when idle, does not keep the
 * process or a forked child from exiting, and its queues do not wait for each other unless asked. Each test is a
 * separate process, which must exit successfully and soon. */
#define _GNU_SOURCE
#include <level_zero/ze_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "driver_kernels.h"
#include "spirv_emit.h"
#include "test.h"

enum { THREADS = 4, GROUPS = 64, SECONDS = 300 };

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_module_handle_t module;

#define OK(call) NEED((call) == ZE_RESULT_SUCCESS)

static void open_device(void)
{
    ze_context_desc_t c = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_module_desc_t m = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                          .format = ZE_MODULE_FORMAT_IL_SPIRV,
                          .inputSize = sizeof driver_kernels,
                          .pInputModule = (const uint8_t *)driver_kernels};
    uint32_t one = 1;
    OK(zeInit(0));
    OK(zeDriverGet(&one, &driver));
    one = 1;
    OK(zeDeviceGet(driver, &one, &device));
    OK(zeContextCreate(driver, &c, &context));
    OK(zeModuleCreate(context, device, &m, &module, NULL));
}

static ze_command_list_handle_t new_list(void)
{
    ze_command_list_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t l;
    OK(zeCommandListCreate(context, device, &d, &l));
    return l;
}

static ze_command_queue_handle_t new_queue(void)
{
    ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_queue_handle_t q;
    OK(zeCommandQueueCreate(context, device, &d, &q));
    return q;
}

static ze_event_handle_t new_event(void)
{
    ze_event_pool_desc_t p = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    ze_event_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool;
    ze_event_handle_t e;
    OK(zeEventPoolCreate(context, &p, 1, &device, &pool));
    OK(zeEventCreate(pool, &d, &e));
    return e;
}

static void *new_memory(size_t bytes)
{
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t h = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *p;
    OK(zeMemAllocShared(context, &d, &h, bytes, 64, device, &p));
    memset(p, 0, bytes);
    return p;
}

static ze_kernel_handle_t new_kernel(const char *name, uint32_t local)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t k;
    OK(zeKernelCreate(module, &d, &k));
    OK(zeKernelSetGroupSize(k, local, 1, 1));
    return k;
}

static void append(ze_command_list_handle_t l, ze_kernel_handle_t k, uint32_t groups)
{
    ze_group_count_t g = {groups, 1, 1};
    OK(zeCommandListAppendLaunchKernel(l, k, &g, NULL, 0, NULL));
}

static void submit(ze_command_queue_handle_t q, ze_command_list_handle_t l)
{
    OK(zeCommandListClose(l));
    OK(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL));
}

/* Sums ones in many work-groups, and checks every sum. */
struct reduction {
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    int32_t *in, *out;
};

static struct reduction new_reduction(void)
{
    struct reduction r = {new_queue(), new_list(), new_memory(GROUPS * 64 * 4), new_memory(GROUPS * 4)};
    ze_kernel_handle_t k = new_kernel("sum", 64);
    for (int i = 0; i < GROUPS * 64; i++) r.in[i] = i;
    OK(zeKernelSetArgumentValue(k, 0, sizeof r.in, &r.in));
    OK(zeKernelSetArgumentValue(k, 1, sizeof r.out, &r.out));
    OK(zeKernelSetArgumentValue(k, 2, 64 * 4, NULL));
    append(r.list, k, GROUPS);
    OK(zeCommandListClose(r.list));
    return r;
}

static void reduce(struct reduction *r)
{
    memset(r->out, 0xa5, GROUPS * 4);
    OK(zeCommandQueueExecuteCommandLists(r->queue, 1, &r->list, NULL));
    OK(zeCommandQueueSynchronize(r->queue, UINT64_MAX));
    for (int i = 0; i < GROUPS; i++) NEED(r->out[i] == i * 64 * 64 + 63 * 32);
}

/* Runs `body` in a child, which must exit with 0 before its alarm. */
static void in_a_child(void (*body)(void))
{
    int status = -1;
    pid_t child;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        alarm(SECONDS);
        open_device();
        body();
        exit(0); /* runs exit handlers */
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the process ended with status 0x%x", (unsigned)status);
}

/* ---- the end of the process */

/* Twice as many work-groups wait for each other as can run concurrently. */
static void run_for_ever(void)
{
    _Atomic uint32_t *arrived = new_memory(4);
    ze_kernel_handle_t k = new_kernel("meet", 16);
    ze_command_list_handle_t l = new_list();
    OK(zeKernelSetArgumentValue(k, 0, sizeof arrived, &arrived));
    append(l, k, 2 * THREADS);
    submit(new_queue(), l);
    while (atomic_load(arrived) < THREADS) usleep(1000);
}

TEST(exit_does_not_wait_for_a_kernel_that_never_ends) { in_a_child(run_for_ever); }

/* With a limit, the launch is lost and the device continues; launches within the limit are not affected. */
static void end_at_the_limit(void)
{
    _Atomic uint32_t *arrived = new_memory(4);
    ze_kernel_handle_t k = new_kernel("meet", 16);
    struct reduction r = new_reduction();
    for (int round = 0; round < 3; round++) {
        ze_command_queue_handle_t q = new_queue();
        ze_command_list_handle_t l = new_list();
        atomic_store(arrived, 0);
        OK(zeKernelSetArgumentValue(k, 0, sizeof arrived, &arrived));
        append(l, k, 2 * THREADS);
        submit(q, l);
        NEED(zeCommandQueueSynchronize(q, UINT64_MAX) == ZE_RESULT_ERROR_DEVICE_LOST);
        NEED(zeCommandQueueSynchronize(q, UINT64_MAX) == ZE_RESULT_SUCCESS);
        for (int i = 0; i < 100; i++) reduce(&r);
    }
}

TEST(a_limit_ends_a_kernel_that_never_ends)
{
    if (TEST_SANITIZED) SKIP("the sanitizer has the signals");
    setenv("XETILE_SOFT_RUN_LIMIT", "0.3", 1);
    in_a_child(end_at_the_limit);
    unsetenv("XETILE_SOFT_RUN_LIMIT");
}

static void leave_work_behind(void)
{
    for (int i = 0; i < 3; i++) {
        struct reduction r = new_reduction();
        for (int k = 0; k < 200; k++) OK(zeCommandQueueExecuteCommandLists(r.queue, 1, &r.list, NULL));
    }
}

TEST(exit_while_queues_are_running) { in_a_child(leave_work_behind); }

/* ---- fork */

static atomic_bool enough;

static void *keep_reducing(void *pointer)
{
    while (!atomic_load(&enough)) reduce(pointer);
    return NULL;
}

/* Forks at any moment of a launch: locks held then stay locked in the child. */
static void fork_while_busy(void)
{
    struct reduction r = new_reduction();
    pthread_t thread;
    NEED(pthread_create(&thread, NULL, keep_reducing, &r) == 0);
    for (int i = 0; i < 20; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS / 2);
            exit(7);
        }
        NEED(child > 0 && waitpid(child, &status, 0) == child);
        NEED(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    atomic_store(&enough, true);
    pthread_join(thread, NULL);
    reduce(&r);
}

TEST(forked_children_can_exit) { in_a_child(fork_while_busy); }

/* ---- idle */

static long times_woken(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_nvcsw;
}

static double cpu_milliseconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static void do_nothing(void)
{
    struct reduction r = new_reduction();
    ze_event_handle_t never = new_event();
    ze_command_list_handle_t l = new_list();
    double before;
    long woken;
    for (int i = 0; i < 10; i++) reduce(&r);
    OK(zeCommandListAppendWaitOnEvents(l, 1, &never));
    submit(new_queue(), l); /* a waiting queue is idle too */
    usleep(100000);
    before = cpu_milliseconds();
    woken = times_woken();
    usleep(1000000);
    NEED(times_woken() - woken < 25); /* this thread once; the thread sanitizer has one that wakes ten times a second */
    NEED(cpu_milliseconds() - before < 50); /* a spinning thread would use several hundred */
}

TEST(an_idle_device_uses_no_cpu_time) { in_a_child(do_nothing); }

/* ---- waiting */

static void *free_when_all_is_done(void *pointer)
{
    ze_memory_free_ext_desc_t d = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                   .freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE};
    OK(zeMemFreeExt(context, &d, pointer));
    return NULL;
}

/* One thread waits for all queues, of which one waits for an event that only a queue made meanwhile will signal. */
static void queues_come_and_go(void)
{
    ze_event_handle_t e = new_event();
    ze_command_list_handle_t waits = new_list(), signals = new_list();
    ze_command_queue_handle_t q;
    pthread_t thread;
    OK(zeCommandListAppendWaitOnEvents(waits, 1, &e));
    submit(new_queue(), waits);
    NEED(pthread_create(&thread, NULL, free_when_all_is_done, new_memory(64)) == 0);
    usleep(200000);
    q = new_queue();
    OK(zeCommandQueueDestroy(new_queue()));
    OK(zeCommandListAppendSignalEvent(signals, e));
    submit(q, signals);
    pthread_join(thread, NULL);
    OK(zeCommandQueueDestroy(q));
}

TEST(queues_are_made_while_a_thread_waits_for_all) { in_a_child(queues_come_and_go); }

/* Two concurrent cooperative launches each need all threads: they alternate. */
static void two_cooperate(void)
{
    enum { ROUNDS = 50 };
    ze_group_count_t groups = {THREADS, 1, 1};
    uint32_t *arrived = new_memory(2 * ROUNDS * sizeof *arrived);
    ze_kernel_handle_t k = new_kernel("meet", 16);
    ze_command_queue_handle_t q[2] = {new_queue(), new_queue()};
    for (int round = 0; round < ROUNDS; round++) {
        ze_event_handle_t begin = new_event();
        for (int i = 0; i < 2; i++) {
            uint32_t *mine = &arrived[2 * round + i];
            ze_command_list_handle_t l = new_list();
            OK(zeKernelSetArgumentValue(k, 0, sizeof mine, &mine));
            OK(zeCommandListAppendLaunchCooperativeKernel(l, k, &groups, NULL, 1, &begin));
            submit(q[i], l);
        }
        OK(zeEventHostSignal(begin));
        for (int i = 0; i < 2; i++) OK(zeCommandQueueSynchronize(q[i], UINT64_MAX));
        NEED(arrived[2 * round] == THREADS && arrived[2 * round + 1] == THREADS);
    }
}

TEST(cooperative_launches_take_turns) { in_a_child(two_cooperate); }

/* ---- modules of few words that ask for a lot */

enum { VARIABLES = 3, ELEMENTS = 250000000 };

/* Kernel "last"(u32 *x): x[k] gets the last element of variable k, which is then incremented. */
static void write_large_variables(spe_module *m, uint32_t local_size)
{
    spe_param p = {0};
    spe_kernel k = {0};
    spe_begin(m, NULL);
    spe_id u32 = spe_int(m, 32), array = spe_array(m, u32, ELEMENTS), v[VARIABLES];
    for (uint32_t i = 0; i < VARIABLES; i++) v[i] = spe_global_var(m, SPE_StorageClassCrossWorkgroup, array, 0);
    p.type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, u32);
    k.name = "last";
    k.params = &p;
    k.param_count = 1;
    for (uint32_t i = 0; i < 3; i++) k.local_size[i] = local_size;
    spe_kernel_begin(m, &k);
    for (uint32_t i = 0; i < VARIABLES; i++) {
        spe_id at = spe_u32(m, ELEMENTS - 1), last = spe_element(m, v[i], 1, &at), old = spe_load(m, last, 0);
        spe_store(m, spe_index(m, spe_param_id(m, 0), spe_u32(m, i)), old, 0);
        spe_store(m, last, spe_iadd(m, old, spe_u32(m, i + 1)), 0);
    }
    spe_kernel_end(m);
}

static ze_result_t build(uint32_t local_size, ze_module_build_log_handle_t *log)
{
    spe_module m;
    write_large_variables(&m, local_size);
    spe_words w = spe_finish(&m);
    NEED(w.count);
    if (local_size == 1) test_save_spv("test_soft_process", w.data, w.count * sizeof *w.data);
    ze_module_desc_t d = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                          .format = ZE_MODULE_FORMAT_IL_SPIRV,
                          .inputSize = w.count * sizeof *w.data,
                          .pInputModule = (const uint8_t *)w.data};
    ze_result_t result = zeModuleCreate(context, device, &d, &module, log);
    spe_free(&m);
    return result;
}

static long peak_kilobytes(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

/* 3 GB of zeros, of which a kernel touches a few bytes. */
static void use_large_variables(void)
{
    open_device();
    long before = peak_kilobytes();
    OK(build(1, NULL));
    ze_kernel_handle_t k = new_kernel("last", 1);
    ze_command_queue_handle_t q = new_queue();
    uint32_t *x = new_memory(VARIABLES * sizeof *x);
    OK(zeKernelSetArgumentValue(k, 0, sizeof x, &x));
    for (uint32_t round = 0; round < 3; round++) {
        ze_command_list_handle_t l = new_list();
        memset(x, 0xa5, VARIABLES * sizeof *x);
        append(l, k, 1);
        submit(q, l);
        OK(zeCommandQueueSynchronize(q, UINT64_MAX));
        for (uint32_t i = 0; i < VARIABLES; i++) NEED(x[i] == round * (i + 1));
    }
    NEED(peak_kilobytes() - before < 300000); /* the compiler's pipes and pages of the kernel */
    OK(zeModuleDestroy(module));
}

TEST(large_variables_take_memory_where_they_are_touched) { in_a_child(use_large_variables); }

/* A kernel states its size of work-groups itself, so no call can refuse it. */
static void state_large_groups(void)
{
    ze_module_build_log_handle_t log = NULL;
    char text[1000] = "";
    size_t size = sizeof text;
    open_device();
    NEED(build(1000000, &log) == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    OK(zeModuleBuildLogGetString(log, &size, text));
    NEED_HAS(text, "work-groups of 1000000 x 1000000 x 1000000, at most 1024 work-items are supported");
}

TEST(work_groups_that_are_too_large) { in_a_child(state_large_groups); }

int main(void)
{
    const char *soft = getenv("XETILE_SOFT");
    setenv("ZE_ENABLE_ALT_DRIVERS", soft ? soft : "build/libze_soft.so", 1);
    setenv("XETILE_SOFT_THREADS", "4", 1);
    RUN(exit_does_not_wait_for_a_kernel_that_never_ends);
    RUN(a_limit_ends_a_kernel_that_never_ends);
    RUN(exit_while_queues_are_running);
    RUN(forked_children_can_exit);
    RUN(an_idle_device_uses_no_cpu_time);
    RUN(queues_are_made_while_a_thread_waits_for_all);
    RUN(cooperative_launches_take_turns);
    RUN(large_variables_take_memory_where_they_are_touched);
    RUN(work_groups_that_are_too_large);
    return test_report();
}
