/* test_soft_hidden.c - what works where the device is the host, and fails on a discrete GPU: the host accesses device
 * memory; kernels access memory from malloc or a mapped file. The checked mode and a discrete device that is imitated
 * find both. Each case is a child process, which runs this program again with other settings.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "child.h"
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000, BYTES = N * 4 };

static const char *program;
static char said[1 << 14]; /* both outputs of the last child */

/* Runs case `name` in a child with these settings, separated by spaces; returns its exit code, or minus its signal. */
static int run(const char *name, const char *settings)
{
    int status = 0, pipes[2];
    size_t n = 0;
    ssize_t got;
    pid_t child;
    said[0] = 0;
    if (pipe(pipes) != 0) return -1000;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        char copy[200], *setting;
        unsetenv("XETILE_SOFT_CHECK");
        unsetenv("XETILE_SOFT_DEVICE");
        unsetenv("XETILE_SOFT_SYSTEM_MEMORY");
        snprintf(copy, sizeof copy, "%s", settings);
        for (setting = strtok(copy, " "); setting; setting = strtok(NULL, " ")) putenv(strdup(setting));
        dup2(pipes[1], 1);
        dup2(pipes[1], 2);
        close(pipes[0]);
        close(pipes[1]);
        execl(program, program, name, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    while ((got = read(pipes[0], said + n, sizeof said - 1 - n)) > 0) n += (size_t)got;
    said[n] = 0;
    close(pipes[0]);
    if (child < 0 || waitpid(child, &status, 0) != child) return -1000;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int count(const char *part)
{
    int n = 0;
    for (const char *at = said; (at = strstr(at, part)) != NULL; at++) n++;
    return n;
}

/* ---- what children do: 0 if all is well */

static zed_device device;
static zed_module module;
static zed_kernel kernel;

/* a[i] += 1 */
static bool load_kernel(void)
{
    spe_module m;
    spe_param p;
    spe_kernel k;
    memset(&p, 0, sizeof p);
    memset(&k, 0, sizeof k);
    spe_begin(&m, NULL);
    p.type = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, spe_int(&m, 32));
    k.name = "increment", k.params = &p, k.param_count = 1;
    spe_kernel_begin(&m, &k);
    spe_id at = spe_index(&m, spe_param_id(&m, 0), spe_builtin(&m, SPE_GLOBAL_ID, 0));
    spe_store(&m, at, spe_iadd(&m, spe_load(&m, at, 4), spe_i32(&m, 1)), 4);
    spe_kernel_end(&m);
    spe_words w = spe_finish(&m);
    bool good = w.data && zed_module_load(&module, &device, w.data, w.count * 4, NULL) &&
                zed_kernel_get(&kernel, &module, "increment", "ptr<i32> a") && zed_local_size(&kernel, N / 4, 1, 1);
    spe_free(&m);
    return good;
}

static int32_t *fresh(int kind)
{
    int32_t *a = zed_alloc(&device, kind, BYTES, 0), from[N];
    for (int i = 0; i < N; i++) from[i] = i;
    return a && zed_copy(&device, a, from, BYTES) ? a : NULL;
}

static bool increment(int32_t *a) { return zed_launch(&kernel, (zed_groups){4, 1, 1}, a); }

/* ze_dispatch.h refuses pointers that the device does not know. */
static int malloc_by_dispatch(void)
{
    int32_t *a = malloc(BYTES);
    for (int i = 0; a && i < N; i++) a[i] = i;
    if (increment(a)) return a[N - 1] == N ? 0 : 2;
    return zed_get_error(&device)->id == ZED_ARG_MEMORY && a[N - 1] == N - 1 ? 3 : 4;
}

/* So this is without it. */
static bool increment_by_hand(int32_t *a)
{
    ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_group_count_t groups = {4, 1, 1};
    ze_command_list_handle_t l = NULL;
    bool good = zeCommandListCreateImmediate(device.context, device.device, &d, &l) == ZE_RESULT_SUCCESS &&
                zeKernelSetGroupSize(kernel.handle, N / 4, 1, 1) == ZE_RESULT_SUCCESS &&
                zeKernelSetArgumentValue(kernel.handle, 0, sizeof a, &a) == ZE_RESULT_SUCCESS &&
                zeCommandListAppendLaunchKernel(l, kernel.handle, &groups, NULL, 0, NULL) == ZE_RESULT_SUCCESS;
    if (l) zeCommandListDestroy(l);
    return good;
}

static bool is_incremented(int32_t *a)
{
    int32_t got[N] = {0};
    if (!zed_copy(&device, got, a, BYTES)) return false;
    for (int i = 0; i < N; i++)
        if (got[i] != i + 1) return false;
    return true;
}

/* Kernels and copies, of which the last have just ended when the host accesses the memory. */
static int host_reads(void)
{
    int32_t *a = fresh(ZED_DEVICE), *other = fresh(ZED_DEVICE);
    volatile int32_t *seen = a;
    if (!other || !increment(a) || !is_incremented(a)) return 2;
    if (!zed_fill(&device, other, 9, BYTES)) return 3;
    if (seen[7] != 8) return 4;
    if (seen[8] != 9) return 5;
    return increment(a) && seen[7] == 9 ? 0 : 6;
}

static int host_writes(void)
{
    int32_t *a = fresh(ZED_DEVICE);
    ((volatile int32_t *)a)[0] = 0;
    return increment(a) && is_incremented(a) ? 0 : 2;
}

static int host_stays_away(void)
{
    int32_t *a = fresh(ZED_DEVICE), *shared = zed_alloc(&device, ZED_SHARED, BYTES, 0),
            *host = zed_alloc(&device, ZED_HOST, BYTES, 0);
    if (!a || !shared || !host) return 2;
    for (int i = 0; i < N; i++) shared[i] = host[i] = i;
    for (int round = 0; round < 3; round++) {
        int32_t *more = fresh(ZED_DEVICE);
        if (!more || !increment(more) || !is_incremented(more)) return 3;
        zed_free(&device, more);
    }
    if (!increment(a) || !increment(shared) || !increment(host)) return 4;
    for (int i = 0; i < N; i++)
        if (shared[i] != i + 1 || host[i] != i + 1) return 5;
    return is_incremented(a) ? 0 : 6;
}

static void *caught;
static void catch_it(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    _exit(info->si_addr == caught ? 42 : 43);
}

static int own_handler(void)
{
    struct sigaction mine;
    memset(&mine, 0, sizeof mine);
    mine.sa_sigaction = catch_it;
    mine.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &mine, NULL);
    caught = zed_alloc(&device, ZED_DEVICE, BYTES, 0); /* the driver installs its own handler now at the latest */
    return ((volatile int32_t *)caught)[0];
}

static int memory_of_malloc(void)
{
    int32_t *a = malloc(BYTES);
    for (int i = 0; a && i < N; i++) a[i] = i;
    if (!increment_by_hand(a)) return 3;
    for (int i = 0; i < N; i++)
        if (a[i] != i + 1) return 4;
    return 0;
}

static int mapped_file(void)
{
    FILE *f = tmpfile();
    if (!f || ftruncate(fileno(f), BYTES) != 0) return 2;
    int32_t *a = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0);
    if (a == MAP_FAILED) return 2;
    return increment_by_hand(a) && a[N - 1] == 1 ? 0 : 3;
}

static bool is_known_while_mapped(void)
{
    ze_physical_mem_desc_t d = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC};
    ze_physical_mem_handle_t physical;
    void *p = NULL;
    if (zeVirtualMemQueryPageSize(device.context, device.device, 1, &d.size) != ZE_RESULT_SUCCESS ||
        zePhysicalMemCreate(device.context, device.device, &d, &physical) != ZE_RESULT_SUCCESS ||
        zeVirtualMemReserve(device.context, (void *)(UINT64_C(1) << 41), d.size, &p) != ZE_RESULT_SUCCESS ||
        zeVirtualMemMap(device.context, p, d.size, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE) !=
            ZE_RESULT_SUCCESS)
        return false;
    bool mapped = zeKernelSetArgumentValue(kernel.handle, 0, sizeof p, &p) == ZE_RESULT_SUCCESS;
    bool gone = zeVirtualMemUnmap(device.context, p, d.size) == ZE_RESULT_SUCCESS &&
                zeKernelSetArgumentValue(kernel.handle, 0, sizeof p, &p) == ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return mapped && gone && zeVirtualMemFree(device.context, p, d.size) == ZE_RESULT_SUCCESS &&
           zePhysicalMemDestroy(device.context, physical) == ZE_RESULT_SUCCESS;
}

/* All that the device knows is an argument, whatever it is: the last bytes of each kind, and nothing behind them. */
static int known_memory(void)
{
    static const int kinds[] = {ZED_DEVICE, ZED_SHARED, ZED_HOST};
    const void *p = NULL;
    for (int i = 0; i < 3; i++) {
        int32_t *a = zed_alloc(&device, kinds[i], BYTES, 0);
        p = a + N - 1;
        if (!a || zeKernelSetArgumentValue(kernel.handle, 0, sizeof p, &p) != ZE_RESULT_SUCCESS) return 2;
        p = a + N;
        if (zeKernelSetArgumentValue(kernel.handle, 0, sizeof p, &p) != ZE_RESULT_ERROR_INVALID_ARGUMENT) return 3;
        if (!zed_free(&device, a)) return 4;
        if (zeKernelSetArgumentValue(kernel.handle, 0, sizeof a, &a) != ZE_RESULT_ERROR_INVALID_ARGUMENT) return 5;
    }
    if (!is_known_while_mapped()) return 7;
    p = NULL;
    return zeKernelSetArgumentValue(kernel.handle, 0, sizeof p, &p) == ZE_RESULT_SUCCESS &&
                   zeKernelSetArgumentValue(kernel.handle, 0, sizeof p, NULL) == ZE_RESULT_SUCCESS
               ? 0
               : 6;
}

static const struct {
    const char *name;
    int (*run)(void);
} children[] = {{"host_reads", host_reads},
                {"host_writes", host_writes},
                {"host_stays_away", host_stays_away},
                {"own_handler", own_handler},
                {"malloc_by_dispatch", malloc_by_dispatch},
                {"memory_of_malloc", memory_of_malloc},
                {"mapped_file", mapped_file},
                {"known_memory", known_memory}};

static int be_child(const char *name)
{
    if (!zed_open(&device, &(zed_options){.name = "software"}) || !load_kernel())
        return zed_print_error(&device, stderr), 126;
    for (size_t i = 0; i < sizeof children / sizeof children[0]; i++)
        if (strcmp(children[i].name, name) == 0) return children[i].run();
    return 125;
}

/* ---- tests */

static const char *const hiding[] = {"XETILE_SOFT_CHECK=1", "XETILE_SOFT_CHECK=2", "XETILE_SOFT_DEVICE=bmg",
                                     "XETILE_SOFT_DEVICE=pvc", "XETILE_SOFT_DEVICE=bmg XETILE_SOFT_CHECK=1"};
enum { WAYS_TO_HIDE = sizeof hiding / sizeof hiding[0] };

#define REPORT "libze_soft: check: the host accesses byte "

TEST(host_accesses_to_device_memory)
{
    if (TEST_SANITIZED) SKIP("the sanitizer handles the signal");
    for (int i = 0; i < WAYS_TO_HIDE; i++) {
        const bool goes_on = strstr(hiding[i], "CHECK=1") != NULL;
        CHECK_INT(run("host_reads", hiding[i]), goes_on ? 0 : -SIGSEGV);
        CHECK_HAS(said, REPORT "28 of the 4000-byte device allocation at 0x");
        CHECK_INT(count(REPORT), 1); /* once for each allocation */
        CHECK_INT(run("host_writes", hiding[i]), goes_on ? 0 : -SIGSEGV);
        CHECK_HAS(said, REPORT "0 of the 4000-byte device allocation at 0x");
    }
}

TEST(kernels_and_copies_access_it)
{
    for (int i = 0; i < WAYS_TO_HIDE; i++) {
        CHECK_INT(run("host_stays_away", hiding[i]), 0);
        CHECK_MSG(!*said, "%s: %s", hiding[i], said);
    }
}

/* The usual device is the host, and so are integrated GPUs' memories. */
TEST(elsewhere_it_is_accessible)
{
    static const char *const settings[] = {"", "XETILE_SOFT_DEVICE=lnl", "XETILE_SOFT_DEVICE=ptl"};
    for (int i = 0; i < 3; i++) {
        CHECK_INT(run("host_reads", settings[i]), 0);
        CHECK_MSG(!*said, "%s: %s", settings[i], said);
    }
}

TEST(the_programs_handler_is_called)
{
    if (TEST_SANITIZED) SKIP("the sanitizer handles the signal");
    CHECK_INT(run("own_handler", "XETILE_SOFT_CHECK=2"), 42);
    CHECK_HAS(said, REPORT "0 of the 4000-byte device allocation");
}

TEST(kernels_access_memory_that_is_no_allocation)
{
    static const char *const names[] = {"memory_of_malloc", "mapped_file"};
    for (int i = 0; i < 2; i++) {
        CHECK_INT(run(names[i], ""), 0);
        CHECK_INT(run(names[i], "XETILE_SOFT_CHECK=2 XETILE_SOFT_SYSTEM_MEMORY=on"), 0);
        CHECK_INT(run(names[i], "XETILE_SOFT_CHECK=2"), 3);
        CHECK_HAS(said, "libze_soft: check: kernel increment: work-item (");
        CHECK_HAS(said, "reads 4 bytes at 0x");
        CHECK_HAS(said, "which is not in any allocation");
        CHECK_INT(run(names[i], "XETILE_SOFT_CHECK=2 XETILE_SOFT_DEVICE=bmg"), 3);
        CHECK_HAS(said, "which is not in any allocation");
    }
}

/* Without the checked mode, it is refused as an argument, by Intel's driver too. */
TEST(devices_without_system_memory_refuse_it)
{
    static const char *const names[] = {"memory_of_malloc", "mapped_file", "malloc_by_dispatch"},
                             *const without[] = {"XETILE_SOFT_DEVICE=bmg", "XETILE_SOFT_DEVICE=lnl",
                                                 "XETILE_SOFT_SYSTEM_MEMORY=off"};
    char settings[100];
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < 3; i++) {
            snprintf(settings, sizeof settings, "XETILE_SOFT_DEBUG=1 %s", without[s]);
            CHECK_INT(run(names[i], settings), 3);
            if (i < 2) CHECK_HAS(said, "kernel increment: argument 0, 0x");
            if (i < 2) CHECK_HAS(said, "is in no allocation");
            snprintf(settings, sizeof settings, "%s XETILE_SOFT_SYSTEM_MEMORY=on", without[s]);
            CHECK_INT(run(names[i], settings), 0);
            CHECK_MSG(!*said, "%s: %s", settings, said);
        }
        CHECK_INT(run("known_memory", without[s]), 0);
    }
    CHECK_INT(run("malloc_by_dispatch", "XETILE_SOFT_CHECK=1"), 3);
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc == 2) return be_child(argv[1]);
    RUN(host_accesses_to_device_memory);
    RUN(kernels_and_copies_access_it);
    RUN(elsewhere_it_is_accessible);
    RUN(the_programs_handler_is_called);
    RUN(kernels_access_memory_that_is_no_allocation);
    RUN(devices_without_system_memory_refuse_it);
    return test_report();
}
