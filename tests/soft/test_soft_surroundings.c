/* test_soft_surroundings.c - the software device in unusual environments: no home, a read-only home, no C compiler; a
 * device that calls itself a CPU; the validation layer; native binaries from another process, truncated or forged. Each
 * test is a separate process with its own environment.
 */
#define _GNU_SOURCE
#include <level_zero/ze_api.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "driver_kernels.h"
#include "test.h"
#include "ze_dispatch.h"

enum { N = 100, SECONDS = 300, NOT_ALLOWED = 77 };

static char binary[64];        /* a file that outlives its process */
static char said[1 << 14];     /* the last child's standard error */
static char log_text[1 << 14]; /* of the last build */
static zed_device device;

/* Runs `body` in a child whose environment has these changes: "NAME=value" sets, "NAME" unsets; NULL ends the list.
 * Its exit status; -1 when it did not come to that. */
static int status_of(const char *const *changes, void (*body)(void))
{
    FILE *heard = tmpfile();
    int status = -1;
    pid_t child;
    if (!heard) return -1;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        alarm(SECONDS);
        dup2(fileno(heard), 2);
        for (; *changes; changes++)
            if (strchr(*changes, '='))
                putenv((char *)(uintptr_t)*changes);
            else
                unsetenv(*changes);
        body();
        _exit(0);
    }
    if (child > 0 && waitpid(child, &status, 0) != child) status = -1;
    rewind(heard);
    said[fread(said, 1, sizeof said - 1, heard)] = 0;
    fclose(heard);
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void in_a_child(const char *const *changes, void (*body)(void))
{
    int status = status_of(changes, body);
    CHECK_MSG(status == 0, "the process ended with status %d: %s", status, said);
}

static const char *const as_it_is[] = {NULL};

static void open_device(void)
{
    if (!zed_open(&device, NULL)) zed_print_error(&device, stderr);
    NEED(device.device);
}

static ze_result_t build(ze_module_format_t format, const void *data, size_t size, ze_module_handle_t *to)
{
    ze_module_desc_t d = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = format, .inputSize = size, .pInputModule = data};
    ze_module_build_log_handle_t log = NULL;
    size_t length = sizeof log_text;
    ze_result_t result = zeModuleCreate(device.context, device.device, &d, to, &log);
    log_text[0] = 0;
    if (!log) return result;
    NEED(zeModuleBuildLogGetString(log, &length, log_text) == ZE_RESULT_SUCCESS);
    NEED(zeModuleBuildLogDestroy(log) == ZE_RESULT_SUCCESS);
    return result;
}

static ze_module_handle_t build_kernels(void)
{
    ze_module_handle_t m = NULL;
    if (build(ZE_MODULE_FORMAT_IL_SPIRV, driver_kernels, sizeof driver_kernels, &m) != ZE_RESULT_SUCCESS)
        fprintf(stderr, "%s\n", log_text);
    NEED(m);
    return m;
}

/* c = a + b on random numbers, every element compared. */
static void add_numbers(ze_module_handle_t m)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "add"};
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_group_count_t groups = {(N + 31) / 32, 1, 1};
    ze_command_list_handle_t list;
    ze_kernel_handle_t k;
    float *v[3];
    uint32_t n = N;
    NEED(zeKernelCreate(m, &d, &k) == ZE_RESULT_SUCCESS);
    NEED(zeKernelSetGroupSize(k, 32, 1, 1) == ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < 3; i++) {
        v[i] = (float *)zed_alloc(&device, ZED_SHARED, N * sizeof **v, 0);
        NEED(v[i]);
        for (int j = 0; j < N; j++) v[i][j] = i == 2 ? NAN : (float)test_normal();
        NEED(zeKernelSetArgumentValue(k, i, sizeof v[i], &v[i]) == ZE_RESULT_SUCCESS);
    }
    NEED(zeKernelSetArgumentValue(k, 3, sizeof n, &n) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListCreateImmediate(device.context, device.device, &q, &list) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListAppendLaunchKernel(list, k, &groups, NULL, 0, NULL) == ZE_RESULT_SUCCESS);
    for (int j = 0; j < N; j++) NEED(v[2][j] == v[0][j] + v[1][j]);
}

/* ---- its type */

static ze_device_type_t type_of_device(void)
{
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    NEED(zeDeviceGetProperties(device.device, &p) == ZE_RESULT_SUCCESS);
    NEED_HAS(p.name, "software");
    return p.type;
}

static void is_a_gpu(void)
{
    NEED(zeInit(ZE_INIT_FLAG_GPU_ONLY) == ZE_RESULT_SUCCESS);
    open_device();
    NEED(type_of_device() == ZE_DEVICE_TYPE_GPU);
}

static void is_a_cpu(void)
{
    NEED(zeInit(0) == ZE_RESULT_SUCCESS);
    open_device();
    NEED(type_of_device() == ZE_DEVICE_TYPE_CPU);
    add_numbers(build_kernels());
}

static void is_no_gpu(void) { NEED(zeInit(ZE_INIT_FLAG_GPU_ONLY) == ZE_RESULT_ERROR_UNINITIALIZED); }

TEST(a_gpu_unless_told_otherwise) { in_a_child((const char *const[]){"XETILE_SOFT_TYPE", NULL}, is_a_gpu); }

TEST(a_cpu)
{
    in_a_child((const char *const[]){"XETILE_SOFT_TYPE=cpu", NULL}, is_a_cpu);
    in_a_child((const char *const[]){"XETILE_SOFT_TYPE=cpu", NULL}, is_no_gpu);
}

/* ---- missing things */

static void build_in_silence(void)
{
    open_device();
    add_numbers(build_kernels());
    NEED(!log_text[0]);
}

static void build_with_a_remark(void)
{
    open_device();
    add_numbers(build_kernels());
    NEED_HAS(log_text, "cache: /proc/self/.cache/xetile is not used: ");
}

TEST(no_home)
{
    in_a_child((const char *const[]){"HOME", "XDG_CACHE_HOME", "XETILE_SOFT_CACHE", "TMPDIR", NULL}, build_in_silence);
}

/* In /proc not even root can make a folder. */
TEST(a_home_that_cannot_be_written_to)
{
    in_a_child((const char *const[]){"HOME=/proc/self", "XDG_CACHE_HOME", "XETILE_SOFT_CACHE", NULL},
               build_with_a_remark);
}

static uint32_t times_said(const char *part)
{
    uint32_t n = 0;
    for (const char *at = said; (at = strstr(at, part)) != NULL; at++) n++;
    return n;
}

static void build_twice(void)
{
    open_device();
    add_numbers(build_kernels());
    add_numbers(build_kernels());
}

TEST(a_wrong_folder_for_the_cache)
{
    in_a_child((const char *const[]){"XETILE_SOFT_CACHE=/proc/self/nowhere", NULL}, build_twice);
    CHECK_INT(times_said("XETILE_SOFT_CACHE=/proc/self/nowhere is not used: "), 1);
}

/* In a separate file system without space for the compiler's output. */
static char full_disk[64];
static void build_on_a_full_disk(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", full_disk, "tmpfs", 0, "size=256k,mode=700") != 0)
        _exit(NOT_ALLOWED);
    setenv("XETILE_SOFT_CACHE", full_disk, 1);
    build_twice();
}

TEST(a_full_disk)
{
    snprintf(full_disk, sizeof full_disk, "/tmp/xetile-full-XXXXXX");
    CHECK(mkdtemp(full_disk) != NULL);
    int status = status_of(as_it_is, build_on_a_full_disk);
    rmdir(full_disk);
    if (status == NOT_ALLOWED) SKIP("only root may mount a small file system");
    CHECK_MSG(status == 0, "status %d: %s", status, said);
    CHECK_INT(times_said("there is no room in the cache's folder"), 1);
}

/* ---- kernels with faults */

/* The kernel continues for 1 MiB beyond its arrays. */
static void runs_past_the_end(void)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "add"};
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_group_count_t groups = {(1 << 18) / 32, 1, 1};
    ze_command_list_handle_t list;
    ze_kernel_handle_t k;
    uint32_t n = 1 << 18;
    open_device();
    ze_module_handle_t m = build_kernels();
    NEED(zeKernelCreate(m, &d, &k) == ZE_RESULT_SUCCESS && zeKernelSetGroupSize(k, 32, 1, 1) == ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < 3; i++) {
        void *v = zed_alloc(&device, ZED_DEVICE, N * 4, 0);
        NEED(v && zeKernelSetArgumentValue(k, i, sizeof v, &v) == ZE_RESULT_SUCCESS);
    }
    NEED(zeKernelSetArgumentValue(k, 3, sizeof n, &n) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListCreateImmediate(device.context, device.device, &q, &list) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListAppendLaunchKernel(list, k, &groups, NULL, 0, NULL) == ZE_RESULT_ERROR_DEVICE_LOST);
    add_numbers(m); /* the device works */
}

TEST(past_the_end_of_an_allocation)
{
    if (TEST_SANITIZED) SKIP("the sanitizer has the signals");
    in_a_child((const char *const[]){"XETILE_SOFT_CHECK", NULL}, runs_past_the_end);
    CHECK_HAS(said, "kernel add, work-group (");
    CHECK_HAS(said, "XETILE_SOFT_CHECK=1");
}

static void lacks_a_compiler(void)
{
    ze_module_handle_t m = NULL;
    zed_module also;
    open_device();
    NEED(build(ZE_MODULE_FORMAT_IL_SPIRV, driver_kernels, sizeof driver_kernels, &m) ==
         ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    NEED(!m);
    NEED_HAS(log_text, "no C compiler");
    NEED_HAS(log_text, "apt install gcc");
    NEED_HAS(log_text, "XETILE_CC");
    NEED(!zed_module_load(&also, &device, driver_kernels, sizeof driver_kernels, NULL));
    NEED_HAS(zed_get_error(&device)->text, "no C compiler");
}

TEST(no_compiler)
{
    in_a_child((const char *const[]){"PATH=/nowhere", "XETILE_CC", "XETILE_SOFT_CACHE=off", NULL}, lacks_a_compiler);
}

/* ---- a compiler, but nothing else that is usual */

static void build_and_add(void)
{
    open_device();
    add_numbers(build_kernels());
}

/* Compilers find their assemblers and linkers in PATH. */
TEST(no_search_path)
{
    if (access("/usr/bin/cc", X_OK) != 0 && access("/usr/local/bin/cc", X_OK) != 0) SKIP("cc is in an unusual place");
    in_a_child((const char *const[]){"PATH", "XETILE_SOFT_CACHE=off", NULL}, build_and_add);
}

static void add_from_a_small_stack(void *(*body)(void *), size_t stack)
{
    pthread_attr_t attributes;
    pthread_t thread;
    NEED(pthread_attr_init(&attributes) == 0);
    NEED(pthread_attr_setstacksize(&attributes, stack) == 0);
    NEED(pthread_create(&thread, &attributes, body, NULL) == 0);
    NEED(pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
}

static void *build_in_a_thread(void *unused)
{
    (void)unused;
    add_numbers(build_kernels());
    return NULL;
}

/* Calls of the API from threads with as little stack as the system grants. */
static void use_small_stacks(void)
{
    open_device();
    for (size_t kib = 16; kib <= 96; kib += 16) {
        size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN);
        add_from_a_small_stack(build_in_a_thread, kib << 10 > least ? kib << 10 : least);
    }
}

TEST(small_stacks)
{
    if (TEST_SANITIZED) SKIP("sanitizers need more stack");
    in_a_child((const char *const[]){"XETILE_SOFT_CACHE=off", NULL}, use_small_stacks);
}

/* The files that a program shares memory by are no larger than its limit, and it learns that in time. */
static void share_too_much(void)
{
    ze_ipc_mem_handle_t handle;
    open_device();
    NEED(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 20, RLIM_INFINITY}) == 0);
    add_numbers(build_kernels());
    void *small = zed_alloc(&device, ZED_DEVICE, 4096, 0), *large = zed_alloc(&device, ZED_DEVICE, 4 << 20, 0);
    NEED(small && large);
    NEED(zeMemGetIpcHandle(device.context, small, &handle) == ZE_RESULT_SUCCESS);
    NEED(zeMemGetIpcHandle(device.context, large, &handle) == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
}

TEST(a_limit_on_file_sizes)
{
    in_a_child((const char *const[]){"XETILE_SOFT_CACHE=off", NULL}, share_too_much);
}

/* ---- messages */

static void ask_for_nothing(void)
{
    size_t size;
    void *p;
    open_device();
    NEED(zeModuleGetGlobalPointer(build_kernels(), "nothing\033[2J", &size, &p) == ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
}

TEST(refused_calls_say_why_when_asked)
{
    in_a_child((const char *const[]){"XETILE_SOFT_DEBUG=1", NULL}, ask_for_nothing);
    CHECK_HAS(said, "no global variable nothing?[2J\n"); /* names cannot control the terminal */
    in_a_child((const char *const[]){"XETILE_SOFT_DEBUG", NULL}, ask_for_nothing);
    CHECK_STR(said, "");
}

TEST(settings_that_are_misspelt_are_told)
{
    in_a_child((const char *const[]){"XETILE_SOFT_THREADS=2", "XETILE_SOFT_SUBDEVICES=0", "XETILE_SOFT_TYPE=gpu",
                                     "XETILE_SOFT_ISA=native", "XETILE_SOFT_TIME_LIMIT=0.5", "XETILE_SOFT_CHECK=0",
                                     "XETILE_SOFT_RUN_LIMIT=2.5", "XETILE_SOFT_MEMORY_LIMIT=4000",
                                     "XETILE_SOFT_CACHE_LIMIT=0", "XETILE_SOFT_FAULTS=on", "XETILE_SOFT_CACHE=",
                                     "XETILE_SOFT_TIER=quick", "XETILE_SOFT_QUIET=1", NULL},
               open_device);
    CHECK_STR(said, "");
    in_a_child((const char *const[]){"XETILE_SOFT_THREADS=two", "XETILE_SOFT_SUBDEVICES=17", "XETILE_SOFT_CHECK=yes",
                                     "XETILE_SOFT_CACHE_LIMIT=1G", "XETILE_SOFT_TYPE=c\033[2J",
                                     "XETILE_SOFT_TREADS=2", NULL},
               open_device);
    CHECK_HAS(said, "XETILE_SOFT_THREADS is \"two\"; it can be 1 to 1024\n");
    CHECK_HAS(said, "XETILE_SOFT_SUBDEVICES is \"17\"; it can be 0 to 16\n");
    CHECK_HAS(said, "XETILE_SOFT_CHECK is \"yes\"; it can be 0, 1, 2, 3\n");
    CHECK_HAS(said, "XETILE_SOFT_CACHE_LIMIT is \"1G\"; it can be 0 to 16777215\n");
    CHECK_HAS(said, "XETILE_SOFT_TYPE is \"c?[2J\"; it can be gpu, cpu\n");
    CHECK_HAS(said, "there is no setting XETILE_SOFT_TREADS; soft/README.md lists them\n");
}

/* ---- what other drivers accept */

/* A list that fills bytes with 1, then, after it was closed, with 2 and 3. */
static void append_to_a_closed_list(ze_result_t result)
{
    ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_queue_desc_t qd = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                  .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_queue_handle_t q;
    ze_command_list_handle_t l;
    uint8_t *m;
    open_device();
    m = (uint8_t *)zed_alloc(&device, ZED_SHARED, 100, 0);
    NEED(m && zeCommandQueueCreate(device.context, device.device, &qd, &q) == ZE_RESULT_SUCCESS);
    memset(m, 0xee, 100);
    NEED(zeCommandListCreate(device.context, device.device, &ld, &l) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListAppendMemoryFill(l, m, "\1", 1, 50, NULL, 0, NULL) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListClose(l) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListAppendMemoryFill(l, m, "\2", 1, 100, NULL, 0, NULL) == result);
    NEED(zeCommandListAppendMemoryFill(l, m, "\3", 1, 100, NULL, 0, NULL) == result);
    NEED(zeCommandListAppendMemoryFill(l, m, "\3", 3, 100, NULL, 0, NULL) == ZE_RESULT_ERROR_INVALID_SIZE);
    NEED(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL) == ZE_RESULT_SUCCESS);
    for (int i = 0; i < 100; i++) NEED(m[i] == (i < 50 ? 1 : 0xee));
    NEED(zeCommandListReset(l) == ZE_RESULT_SUCCESS && zeCommandListClose(l) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListAppendMemoryFill(l, m, "\4", 1, 100, NULL, 0, NULL) == result);
    NEED(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL) == ZE_RESULT_SUCCESS);
    for (int i = 0; i < 100; i++) NEED(m[i] == (i < 50 ? 1 : 0xee));
    NEED(zeCommandListDestroy(l) == ZE_RESULT_SUCCESS && zeCommandQueueDestroy(q) == ZE_RESULT_SUCCESS);
}

static void have_appends_dropped(void) { append_to_a_closed_list(ZE_RESULT_SUCCESS); }
static void have_appends_refused(void) { append_to_a_closed_list(ZE_RESULT_ERROR_INVALID_ARGUMENT); }

TEST(appends_to_closed_lists)
{
    in_a_child(as_it_is, have_appends_dropped);
    const char *first = strstr(said, "what is appended to a closed list does not run; XETILE_SOFT_STRICT=1 refuses it");
    CHECK_MSG(first && !strstr(strchr(first, ';'), "closed list"), "said, once: %s", said);
    in_a_child((const char *const[]){"XETILE_SOFT_STRICT=1", NULL}, have_appends_refused);
    CHECK_STR(said, "");
}

/* ---- the loader's validation layer */

static bool is_mapped(const char *library)
{
    FILE *f = fopen("/proc/self/maps", "r");
    bool found = false;
    char line[1024];
    while (f && fgets(line, sizeof line, f)) found |= strstr(line, library) != NULL;
    if (f) fclose(f);
    return found;
}

static void run_under_the_layer(void)
{
    open_device();
    if (!is_mapped("libze_validation_layer")) _exit(3);
    add_numbers(build_kernels());
}

/* The whole suite runs under it (tests/run.sh); this checks that it is active. */
TEST(under_the_validation_layer)
{
    int status = status_of((const char *const[]){"ZE_ENABLE_VALIDATION_LAYER=1", "ZE_ENABLE_PARAMETER_VALIDATION=1",
                                                 "ZE_ENABLE_HANDLE_LIFETIME=1", NULL},
                           run_under_the_layer);
    if (status == 3) SKIP("this loader has no validation layer");
    CHECK_MSG(status == 0, "the process ended with status %d: %s", status, said);
}

/* ---- native binaries */

static uint8_t *native_binary(size_t *size)
{
    ze_module_handle_t m = build_kernels();
    uint8_t *data;
    NEED(zeModuleGetNativeBinary(m, size, NULL) == ZE_RESULT_SUCCESS);
    data = (uint8_t *)malloc(*size);
    NEED(data && zeModuleGetNativeBinary(m, size, data) == ZE_RESULT_SUCCESS);
    return data;
}

static void write_binary(void)
{
    FILE *f = fopen(binary, "wb");
    uint8_t *data;
    size_t size;
    open_device();
    data = native_binary(&size);
    NEED(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

static uint8_t *read_binary(size_t *size)
{
    FILE *f = fopen(binary, "rb");
    struct stat s;
    uint8_t *data;
    NEED(f && fstat(fileno(f), &s) == 0);
    *size = (size_t)s.st_size;
    data = (uint8_t *)malloc(*size);
    NEED(data && fread(data, 1, *size, f) == *size);
    fclose(f);
    return data;
}

static void use_binary(void)
{
    ze_module_handle_t m = NULL;
    size_t size;
    uint8_t *data = read_binary(&size);
    open_device();
    NEED(build(ZE_MODULE_FORMAT_NATIVE, data, size, &m) == ZE_RESULT_SUCCESS && m);
    free(data); /* the module has copied it */
    add_numbers(m);
}

static void refuse_binary(void)
{
    ze_module_handle_t m = NULL;
    size_t size;
    uint8_t *data = read_binary(&size);
    open_device();
    NEED(build(ZE_MODULE_FORMAT_NATIVE, data, size, &m) == ZE_RESULT_ERROR_INVALID_NATIVE_BINARY && !m);
    NEED_HAS(log_text, "another CPU or XETILE_SOFT_ISA");
}

/* One process creates a binary; another, without compiler, cache or home, runs it; a third has another CPU. */
TEST(binaries_travel)
{
    in_a_child(as_it_is, write_binary);
    in_a_child((const char *const[]){"PATH=/nowhere", "XETILE_CC", "XETILE_SOFT_CACHE=off", "HOME", "TMPDIR", NULL},
               use_binary);
    in_a_child((const char *const[]){"XETILE_SOFT_ISA=generic", NULL}, refuse_binary);
    unlink(binary);
}

/* In a block of its own size, so that a sanitizer sees the first byte that is read past it. */
static ze_result_t load_copy(const uint8_t *data, size_t size)
{
    ze_module_handle_t m = NULL;
    uint8_t *copy = (uint8_t *)malloc(size);
    ze_result_t result;
    NEED(copy);
    memcpy(copy, data, size);
    result = build(ZE_MODULE_FORMAT_NATIVE, copy, size, &m);
    free(copy);
    NEED(!m == (result != ZE_RESULT_SUCCESS));
    if (m) NEED(zeModuleDestroy(m) == ZE_RESULT_SUCCESS);
    return result;
}

#define NEED_REFUSED(data, size) NEED(load_copy(data, size) == ZE_RESULT_ERROR_INVALID_NATIVE_BINARY)

static void cut_binary(void)
{
    uint8_t *data, *longer;
    size_t size;
    open_device();
    data = native_binary(&size);
    NEED(load_copy(data, size) == ZE_RESULT_SUCCESS);
    for (size_t i = 1; i < size; i += i < 300 ? 1 : size / 50) NEED_REFUSED(data, i);
    NEED_REFUSED(data, size - 1);
    longer = (uint8_t *)calloc(size + 8, 1);
    NEED(longer);
    memcpy(longer, data, size);
    NEED_REFUSED(longer, size + 8);
}

TEST(binaries_cut_short) { in_a_child(as_it_is, cut_binary); }

/* Every bit of the first bytes, and some of the rest. */
static void spoil_binary(void)
{
    uint8_t *data;
    size_t size;
    open_device();
    data = native_binary(&size);
    for (size_t bit = 0; bit < 8 * size; bit += bit < 8 * 32 ? 1 : bit < 8 * 200 ? 13 : size / 20 * 8 + 3) {
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (load_copy(data, size) != ZE_RESULT_ERROR_INVALID_NATIVE_BINARY) {
            fprintf(stderr, "bit %zu of %zu bytes changed and nobody noticed\n", bit, size);
            _exit(1);
        }
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

TEST(binaries_with_a_wrong_bit) { in_a_child(as_it_is, spoil_binary); }

/* A binary that holds SPIR-V too begins with two sizes: pairs that go together only when they wrap round. */
static void forge_sizes(void)
{
    enum { HEADER = 56 };
    uint8_t *data;
    size_t size;
    uint64_t left, words[] = {0, 0, UINT64_MAX, UINT64_MAX / 4, 1ull << 62, 1ull << 40, 1ull << 32};
    open_device();
    data = native_binary(&size);
    if (size < HEADER || memcmp(data, "XETILEL", 8) != 0)
        _exit(2); /* another format: this test must be rewritten */
    left = size - HEADER;
    words[0] = left / 4 + 1;
    words[1] = left / 4 + 1024;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        uint64_t images[] = {left - words[i] * 4, left, 0, UINT64_MAX};
        for (size_t k = 0; k < 4; k++) {
            memcpy(data + 8, &words[i], 8);
            memcpy(data + 16, &images[k], 8);
            NEED_REFUSED(data, size);
        }
    }
}

TEST(binaries_with_forged_sizes) { in_a_child(as_it_is, forge_sizes); }

int main(void)
{
    const char *soft = getenv("XETILE_SOFT");
    int fd;
    setenv("ZE_ENABLE_ALT_DRIVERS", soft ? soft : "build/libze_soft.so", 1);
    setenv("XETILE_SOFT_THREADS", "2", 1);
    strcpy(binary, "/tmp/xetile-binary-XXXXXX");
    fd = mkstemp(binary);
    if (fd < 0) return 1;
    close(fd);
    RUN(a_gpu_unless_told_otherwise);
    RUN(a_cpu);
    RUN(no_home);
    RUN(a_home_that_cannot_be_written_to);
    RUN(a_wrong_folder_for_the_cache);
    RUN(a_full_disk);
    RUN(past_the_end_of_an_allocation);
    RUN(no_compiler);
    RUN(no_search_path);
    RUN(small_stacks);
    RUN(a_limit_on_file_sizes);
    RUN(refused_calls_say_why_when_asked);
    RUN(settings_that_are_misspelt_are_told);
    RUN(appends_to_closed_lists);
    RUN(under_the_validation_layer);
    RUN(binaries_travel);
    RUN(binaries_cut_short);
    RUN(binaries_with_a_wrong_bit);
    RUN(binaries_with_forged_sizes);
    return test_report();
}
