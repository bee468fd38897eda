/* test_soft_ipc.c - memory and events of other processes: opened from handles, used by kernels, copies and the host,
 * closed and reopened, in several processes. Each child is this program, which gets the handle as text.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

#include "child.h"
#include "driver_kernels.h"
#include "test.h"
#include "ze_dispatch.h"

enum { N = 3072, CHILDREN = 3, SECONDS = 120 };

static zed_device device;
static const char *program;

static void open_device(void) { NEED(zed_open(&device, &(zed_options){.name = "software"})); }

/* ---- handles as text */

static void to_text(const void *handle, char text[2 * ZE_MAX_IPC_HANDLE_SIZE + 1])
{
    for (int i = 0; i < ZE_MAX_IPC_HANDLE_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned)((const uint8_t *)handle)[i]);
}

static void from_text(const char *text, void *handle)
{
    for (int i = 0; i < ZE_MAX_IPC_HANDLE_SIZE; i++) {
        unsigned byte = 0;
        NEED(sscanf(text + 2 * i, "%2x", &byte) == 1);
        ((uint8_t *)handle)[i] = (uint8_t)byte;
    }
}

static pid_t start_child(const char *what, const void *handle, int number)
{
    char text[2 * ZE_MAX_IPC_HANDLE_SIZE + 1], digits[16];
    pid_t child;
    to_text(handle, text);
    snprintf(digits, sizeof digits, "%d", number);
    fflush(NULL);
    child = fork();
    if (child == 0) {
        execl(program, program, what, text, digits, (char *)NULL);
        _exit(127);
    }
    return child;
}

static bool ends_well(pid_t child)
{
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- memory */

/* Can the byte be read? The system tells without a fault. */
static bool is_there(const void *byte)
{
    int ends[2];
    bool there;
    NEED(pipe(ends) == 0);
    there = write(ends[1], byte, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return there;
}

/* How many bytes from `v` on can be accessed: a multiple of the page size. */
static size_t accessible(const void *v)
{
    size_t n = 0;
    while (is_there((const uint8_t *)v + n)) n += (size_t)sysconf(_SC_PAGESIZE);
    return n;
}

/* v[i] = v[i] + w[i] by a kernel. */
static void add_on_device(float *v, float *w, uint32_t n)
{
    ze_module_desc_t md = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                           .format = ZE_MODULE_FORMAT_IL_SPIRV,
                           .inputSize = sizeof driver_kernels,
                           .pInputModule = (const uint8_t *)driver_kernels};
    ze_kernel_desc_t kd = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "add"};
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_group_count_t groups = {(n + 31) / 32, 1, 1};
    ze_command_list_handle_t list;
    ze_module_handle_t m;
    ze_kernel_handle_t k;
    NEED(zeModuleCreate(device.context, device.device, &md, &m, NULL) == ZE_RESULT_SUCCESS);
    NEED(zeKernelCreate(m, &kd, &k) == ZE_RESULT_SUCCESS && zeKernelSetGroupSize(k, 32, 1, 1) == ZE_RESULT_SUCCESS);
    NEED(zeKernelSetArgumentValue(k, 0, sizeof v, &v) == ZE_RESULT_SUCCESS);
    NEED(zeKernelSetArgumentValue(k, 1, sizeof w, &w) == ZE_RESULT_SUCCESS);
    NEED(zeKernelSetArgumentValue(k, 2, sizeof v, &v) == ZE_RESULT_SUCCESS);
    NEED(zeKernelSetArgumentValue(k, 3, sizeof n, &n) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListCreateImmediate(device.context, device.device, &q, &list) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListAppendLaunchKernel(list, k, &groups, NULL, 0, NULL) == ZE_RESULT_SUCCESS);
    NEED(zeKernelDestroy(k) == ZE_RESULT_SUCCESS && zeModuleDestroy(m) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListDestroy(list) == ZE_RESULT_SUCCESS);
}

/* Adds the child's number to its third of the numbers, twice: the second time after closing and opening again. */
static void child_adds(const char *text, int number)
{
    ze_ipc_mem_handle_t handle;
    uint32_t part = N / CHILDREN;
    float *w;
    open_device();
    from_text(text, &handle);
    w = (float *)zed_alloc(&device, ZED_DEVICE, N * sizeof *w, 0);
    NEED(w);
    for (uint32_t i = 0; i < N; i++) w[i] = (float)(number + 1);
    for (int again = 0; again < 2; again++) {
        ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
        void *v = NULL, *base = NULL, *also = NULL;
        size_t size = 0;
        NEED(zeMemOpenIpcHandle(device.context, device.device, handle, 0, &v) == ZE_RESULT_SUCCESS);
        NEED(zeMemGetAllocProperties(device.context, v, &p, NULL) == ZE_RESULT_SUCCESS);
        NEED(p.type == ZE_MEMORY_TYPE_DEVICE);
        NEED(zeMemGetAddressRange(device.context, v, &base, &size) == ZE_RESULT_SUCCESS);
        NEED(base == v && size == N * sizeof *w);
        NEED(zeMemFree(device.context, v) == ZE_RESULT_ERROR_INVALID_ARGUMENT); /* it belongs to another process */
        NEED(zeMemOpenIpcHandle(device.context, device.device, handle, 0, &also) == ZE_RESULT_SUCCESS && also != v);
        add_on_device((float *)v + (uint32_t)number * part, w, part);
        NEED(((float *)also)[(uint32_t)number * part] == ((float *)v)[(uint32_t)number * part]); /* one memory */
        NEED(zeMemCloseIpcHandle(device.context, also) == ZE_RESULT_SUCCESS);
        NEED(zeMemCloseIpcHandle(device.context, v) == ZE_RESULT_SUCCESS);
        NEED(zeMemCloseIpcHandle(device.context, v) == ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
}

/* Physical memory that is mapped. */
static ze_physical_mem_handle_t physical;

static float *map_memory(size_t bytes)
{
    ze_physical_mem_desc_t d = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = bytes};
    void *v = NULL;
    void *wanted = (void *)(UINT64_C(1) << 41); /* the loader's checks of 1.4 require a start address */
    CHECK_INT(zeVirtualMemReserve(device.context, wanted, bytes, &v), ZE_RESULT_SUCCESS);
    CHECK_INT(zePhysicalMemCreate(device.context, device.device, &d, &physical), ZE_RESULT_SUCCESS);
    CHECK_INT(zeVirtualMemMap(device.context, v, bytes, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE),
              ZE_RESULT_SUCCESS);
    return (float *)v;
}

static void unmap_memory(float *v, size_t bytes)
{
    ze_ipc_mem_handle_t handle;
    CHECK_INT(zeVirtualMemUnmap(device.context, v, bytes), ZE_RESULT_SUCCESS);
    CHECK_INT(zeMemGetIpcHandle(device.context, v, &handle), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zePhysicalMemDestroy(device.context, physical), ZE_RESULT_SUCCESS);
    CHECK_INT(zeVirtualMemFree(device.context, v, bytes), ZE_RESULT_SUCCESS);
}

static void share_memory(bool sends_the_descriptor, bool is_mapped)
{
    ze_ipc_mem_handle_t handle;
    pid_t child[CHILDREN];
    int sent = -1;
    float *v = is_mapped ? map_memory(N * sizeof *v) : (float *)zed_alloc(&device, ZED_DEVICE, N * sizeof *v, 0), *own;
    CHECK(v != NULL);
    if (!v) return;
    for (int i = 0; i < N; i++) v[i] = (float)i;
    CHECK_INT(zeMemGetIpcHandle(device.context, v, &handle), ZE_RESULT_SUCCESS);
    for (int i = 0; i < N; i++) CHECK(v[i] == (float)i); /* contents are unchanged */
    if (sends_the_descriptor) {
        /* as with SCM_RIGHTS: another number for the same file, in the handle's first bytes */
        memcpy(&sent, &handle, sizeof sent);
        sent = fcntl(sent, F_DUPFD, 100); /* inherited by the child */
        memcpy(&handle, &sent, sizeof sent);
        CHECK(sent >= 100);
    }
    own = (float *)zed_alloc(&device, ZED_DEVICE, N * sizeof *own, 0);
    for (int i = 0; i < N && own; i++) own[i] = 0.5f;
    for (int c = 0; c < CHILDREN; c++) child[c] = start_child("adds", &handle, c);
    for (int c = 0; c < CHILDREN; c++) CHECK_MSG(ends_well(child[c]), "child %d", c);
    if (own) add_on_device(v, own, N);
    for (int i = 0; i < N; i++) CHECK(v[i] == (float)i + 2 * (float)(i / (N / CHILDREN) + 1) + 0.5f);
    if (sent >= 0) close(sent);
    zed_free(&device, own);
    if (is_mapped)
        unmap_memory(v, N * sizeof *v);
    else
        zed_free(&device, v);
}

TEST(memory_of_another_process) { share_memory(false, false); }
TEST(memory_by_a_descriptor_that_is_sent) { share_memory(true, false); }
TEST(physical_memory_of_another_process) { share_memory(false, true); }

/* ---- memory as a file descriptor */

static int descriptor_of(const void *v)
{
    ze_external_memory_export_fd_t out = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD,
                                          .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                          .fd = -1};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES, .pNext = &out};
    NEED(zeMemGetAllocProperties(device.context, v, &p, NULL) == ZE_RESULT_SUCCESS);
    NEED(p.type == ZE_MEMORY_TYPE_DEVICE && p.id != 0);
    return out.fd;
}

static ze_result_t import(int file, size_t bytes, bool is_host, void **v)
{
    ze_external_memory_import_fd_t in = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                         .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                         .fd = file};
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .pNext = &in};
    ze_host_mem_alloc_desc_t h = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, .pNext = &in};
    return is_host ? zeMemAllocHost(device.context, &h, bytes, 0, v)
                   : zeMemAllocDevice(device.context, &d, bytes, 0, device.device, v);
}

/* The handle is not one: the file's number is what the child is given. */
static void child_adds_to_a_file(const char *text, int file)
{
    void *v = NULL;
    float *w;
    (void)text;
    open_device();
    w = (float *)zed_alloc(&device, ZED_DEVICE, N * sizeof *w, 0);
    NEED(w && import(file, N * sizeof *w, false, &v) == ZE_RESULT_SUCCESS);
    for (int i = 0; i < N; i++) w[i] = 2;
    add_on_device((float *)v, w, N);
    NEED(zeMemFree(device.context, v) == ZE_RESULT_SUCCESS);
}

static void export_memory(bool is_mapped)
{
    ze_external_memory_export_desc_t out = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC,
                                            .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .pNext = &out};
    ze_ipc_mem_handle_t nothing = {0};
    const size_t bytes = N * sizeof(float);
    void *v = NULL, *on_host = NULL;
    int file, given;
    if (is_mapped)
        v = map_memory(bytes);
    else
        CHECK_INT(zeMemAllocDevice(device.context, &d, bytes, 0, device.device, &v), ZE_RESULT_SUCCESS);
    if (!v) return;
    for (int i = 0; i < N; i++) ((float *)v)[i] = (float)i;
    file = descriptor_of(v);
    given = fcntl(file, F_DUPFD, 100); /* inherited by the child */
    CHECK(file >= 0 && given >= 100);
    CHECK(ends_well(start_child("adds_to_a_file", &nothing, given)));
    CHECK_INT(import(given, bytes, true, &on_host), ZE_RESULT_SUCCESS);
    close(file);
    close(given); /* imported memory stays */
    for (int i = 0; i < N; i++) CHECK(((float *)v)[i] == (float)i + 2);
    CHECK(on_host && !memcmp(on_host, v, bytes));
    if (on_host) CHECK_INT(zeMemFree(device.context, on_host), ZE_RESULT_SUCCESS);
    if (is_mapped)
        unmap_memory((float *)v, bytes);
    else
        CHECK_INT(zeMemFree(device.context, v), ZE_RESULT_SUCCESS);
}

TEST(memory_as_a_descriptor) { export_memory(false); }
TEST(physical_memory_as_a_descriptor) { export_memory(true); }

TEST(descriptors_that_are_refused)
{
    enum { OTHER_KIND = 1 << 5, PIPE_END = 1 };
    ze_external_memory_export_desc_t out = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC,
                                            .flags = OTHER_KIND};
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .pNext = &out};
    ze_external_memory_export_fd_t as = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD, .flags = OTHER_KIND};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES, .pNext = &as};
    void *v = zed_alloc(&device, ZED_DEVICE, 100, 0), *to = NULL;
    int ends[2], file = descriptor_of(v), on_the_stack = 0;
    NEED(pipe(ends) == 0);
    CHECK_INT(zeMemAllocDevice(device.context, &d, 100, 0, device.device, &to),
              ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    CHECK_INT(zeMemGetAllocProperties(device.context, v, &p, NULL), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    as.flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD;
    CHECK_INT(zeMemGetAllocProperties(device.context, &on_the_stack, &p, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(import(-1, 100, false, &to), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(import(ends[PIPE_END], 100, false, &to), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(import(file, (size_t)1 << 30, false, &to), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* it is smaller */
    CHECK(to == NULL);
    close(ends[0]);
    close(ends[1]);
    close(file);
    zed_free(&device, v);
}

/* ---- destroyed objects */

static void child_finds_nothing(const char *text, int number)
{
    ze_ipc_mem_handle_t handle;
    void *v = NULL;
    (void)number;
    open_device();
    from_text(text, &handle);
    NEED(zeMemOpenIpcHandle(device.context, device.device, handle, 0, &v) == ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/* The guard begins at the same byte in each process. */
static void child_sees_the_end(const char *text, int bytes)
{
    ze_ipc_mem_handle_t handle;
    void *v = NULL;
    open_device();
    from_text(text, &handle);
    NEED(zeMemOpenIpcHandle(device.context, device.device, handle, 0, &v) == ZE_RESULT_SUCCESS);
    NEED(accessible(v) == (size_t)bytes);
    NEED(((uint8_t *)v)[bytes - 1] == 0x5a);
    NEED(zeMemCloseIpcHandle(device.context, v) == ZE_RESULT_SUCCESS);
}

TEST(guards_are_where_the_exporter_has_them)
{
    static const size_t sizes[] = {1, N * 4, 65536, 65537, 200000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t *v = (uint8_t *)zed_alloc(&device, ZED_DEVICE, sizes[i], 0);
        ze_ipc_mem_handle_t handle;
        CHECK(v != NULL && zeMemGetIpcHandle(device.context, v, &handle) == ZE_RESULT_SUCCESS);
        if (!v) return;
        size_t bytes = accessible(v);
        CHECK_INT((int64_t)bytes, (int64_t)(sizes[i] + 65535) / 65536 * 65536);
        v[bytes - 1] = 0x5a;
        CHECK_MSG(ends_well(start_child("sees_the_end", &handle, (int)bytes)), "%zu bytes", sizes[i]);
        zed_free(&device, v);
    }
}

/* ---- processes that die */

static int count_entries(const char *folder, const char *with)
{
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) n += strstr(e->d_name, with) != NULL;
    if (d) closedir(d);
    return n;
}

/* Opens the memory, adds to it, and dies with it open. */
static void child_dies_as_opener(const char *text, int unused)
{
    ze_ipc_mem_handle_t handle;
    void *v = NULL;
    (void)unused;
    open_device();
    from_text(text, &handle);
    NEED(zeMemOpenIpcHandle(device.context, device.device, handle, 0, &v) == ZE_RESULT_SUCCESS);
    add_on_device((float *)v, (float *)v, N);
    kill(getpid(), SIGKILL);
}

/* Writes handles of its memory and its events to the pipe, and waits to be killed. */
static void child_dies_as_exporter(const char *text, int to)
{
    ze_event_pool_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                              .flags = ZE_EVENT_POOL_FLAG_IPC | ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                              .count = 1};
    ze_ipc_mem_handle_t handle;
    ze_ipc_event_pool_handle_t events;
    ze_event_pool_handle_t pool;
    float *v;
    (void)text;
    open_device();
    v = (float *)zed_alloc(&device, ZED_DEVICE, N * sizeof *v, 0);
    NEED(v);
    for (int i = 0; i < N; i++) v[i] = (float)i;
    NEED(zeMemGetIpcHandle(device.context, v, &handle) == ZE_RESULT_SUCCESS);
    NEED(zeEventPoolCreate(device.context, &d, 0, NULL, &pool) == ZE_RESULT_SUCCESS);
    NEED(zeEventPoolGetIpcHandle(pool, &events) == ZE_RESULT_SUCCESS);
    NEED(write(to, &handle, sizeof handle) == sizeof handle && write(to, &events, sizeof events) == sizeof events);
    pause();
}

static void lose_an_opener(void)
{
    ze_ipc_mem_handle_t handle;
    float *v = (float *)zed_alloc(&device, ZED_DEVICE, N * sizeof *v, 0);
    int status = 0;
    CHECK(v && zeMemGetIpcHandle(device.context, v, &handle) == ZE_RESULT_SUCCESS);
    if (!v) return;
    for (int i = 0; i < N; i++) v[i] = (float)i;
    pid_t child = start_child("dies_as_opener", &handle, 0);
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    add_on_device(v, v, N);
    for (int i = 0; i < N; i++) CHECK(v[i] == 4 * (float)i);
    zed_free(&device, v);
}

static void lose_an_exporter(void)
{
    ze_ipc_mem_handle_t handle, none = {0};
    ze_ipc_event_pool_handle_t events;
    ze_event_pool_handle_t pool = NULL, again = NULL;
    ze_event_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_handle_t e = NULL;
    void *v = NULL, *also = NULL;
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t child = start_child("dies_as_exporter", &none, ends[1]);
    CHECK(read(ends[0], &handle, sizeof handle) == sizeof handle);
    CHECK(read(ends[0], &events, sizeof events) == sizeof events);
    CHECK_INT(zeMemOpenIpcHandle(device.context, device.device, handle, 0, &v), ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventPoolOpenIpcHandle(device.context, events, &pool), ZE_RESULT_SUCCESS);
    kill(child, SIGKILL);
    CHECK(waitpid(child, NULL, 0) == child);
    close(ends[0]);
    close(ends[1]);
    if (!v || !pool) return;
    add_on_device((float *)v, (float *)v, N);
    for (int i = 0; i < N; i++) CHECK(((float *)v)[i] == 2 * (float)i);
    CHECK_INT(zeEventCreate(pool, &d, &e), ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventHostSignal(e), ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventQueryStatus(e), ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventDestroy(e), ZE_RESULT_SUCCESS);
    CHECK_INT(zeMemOpenIpcHandle(device.context, device.device, handle, 0, &also), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeEventPoolOpenIpcHandle(device.context, events, &again), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeMemCloseIpcHandle(device.context, v), ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventPoolCloseIpcHandle(pool), ZE_RESULT_SUCCESS);
}

/* Neither descriptors nor named memory. */
TEST(processes_that_die_leave_nothing)
{
    lose_an_exporter(); /* what happens once only, such as the start of threads */
    int descriptors = count_entries("/proc/self/fd", ""), names = count_entries("/dev/shm", "xetile");
    for (int round = 0; round < 3; round++) {
        lose_an_opener();
        lose_an_exporter();
    }
    CHECK_INT(count_entries("/proc/self/fd", ""), descriptors);
    CHECK(count_entries("/dev/shm", "xetile") <= names);
}

TEST(what_is_freed_is_gone)
{
    ze_ipc_mem_handle_t handle, none;
    void *v = zed_alloc(&device, ZED_HOST, 100, 0), *to = NULL;
    int on_the_stack = 0;
    CHECK(v != NULL && zeMemGetIpcHandle(device.context, v, &handle) == ZE_RESULT_SUCCESS);
    zed_free(&device, v);
    CHECK(ends_well(start_child("finds_nothing", &handle, 0)));
    memset(&none, 0, sizeof none);
    CHECK_INT(zeMemOpenIpcHandle(device.context, device.device, none, 0, &to), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeMemGetIpcHandle(device.context, &on_the_stack, &handle), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeMemGetIpcHandle(device.context, NULL, &handle), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* ---- events */

enum { GO, DONE, TIMED, OWN, EVENTS, ROUNDS = 20 };
static const uint64_t LONG = 60000000000u;

static ze_event_handle_t new_event(ze_event_pool_handle_t pool, uint32_t index)
{
    ze_event_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                         .index = index,
                         .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                         .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t e = NULL;
    NEED(zeEventCreate(pool, &d, &e) == ZE_RESULT_SUCCESS);
    return e;
}

static ze_command_list_handle_t new_list(void)
{
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list = NULL;
    NEED(zeCommandListCreateImmediate(device.context, device.device, &q, &list) == ZE_RESULT_SUCCESS);
    return list;
}

/* Each time it is told to go: by the host in even rounds, on the device in odd ones, says that it is done, and so on.
 */
static void child_answers(const char *text, int number)
{
    ze_ipc_event_pool_handle_t handle;
    ze_event_pool_handle_t pool, again;
    ze_event_handle_t go, done, timed, own;
    open_device();
    (void)number;
    from_text(text, &handle);
    NEED(zeEventPoolOpenIpcHandle(device.context, handle, &pool) == ZE_RESULT_SUCCESS);
    NEED(zeEventPoolCloseIpcHandle(pool) == ZE_RESULT_SUCCESS);
    NEED(zeEventPoolOpenIpcHandle(device.context, handle, &pool) == ZE_RESULT_SUCCESS);
    NEED(zeEventPoolOpenIpcHandle(device.context, handle, &again) == ZE_RESULT_SUCCESS);
    go = new_event(pool, GO);
    done = new_event(pool, DONE);
    timed = new_event(again, TIMED);
    own = new_event(again, OWN);
    ze_command_list_handle_t list = new_list();
    for (int round = 0; round < ROUNDS; round++) {
        if (round % 2) {
            NEED(zeCommandListAppendWaitOnEvents(list, 1, &go) == ZE_RESULT_SUCCESS);
            NEED(zeCommandListAppendEventReset(list, go) == ZE_RESULT_SUCCESS);
            NEED(zeCommandListAppendSignalEvent(list, done) == ZE_RESULT_SUCCESS);
            NEED(zeCommandListAppendSignalEvent(list, own) == ZE_RESULT_SUCCESS);
            NEED(zeEventHostSynchronize(own, LONG) == ZE_RESULT_SUCCESS);
            NEED(zeEventHostReset(own) == ZE_RESULT_SUCCESS);
        } else {
            NEED(zeEventHostSynchronize(go, LONG) == ZE_RESULT_SUCCESS);
            NEED(zeEventHostReset(go) == ZE_RESULT_SUCCESS);
            NEED(zeEventHostSignal(done) == ZE_RESULT_SUCCESS);
        }
        while (zeEventQueryStatus(done) == ZE_RESULT_SUCCESS) usleep(100); /* until the parent has reset it */
    }
    NEED(zeCommandListAppendBarrier(list, timed, 0, NULL) == ZE_RESULT_SUCCESS);
    NEED(zeEventHostSynchronize(timed, LONG) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListDestroy(list) == ZE_RESULT_SUCCESS);
    NEED(zeEventDestroy(go) == ZE_RESULT_SUCCESS && zeEventDestroy(done) == ZE_RESULT_SUCCESS);
    NEED(zeEventPoolCloseIpcHandle(pool) == ZE_RESULT_SUCCESS);
    _exit(0); /* with a live event and pool */
}

TEST(events_of_another_process)
{
    ze_event_pool_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                              .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC |
                                       ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
                              .count = EVENTS};
    ze_kernel_timestamp_result_t when = {0};
    ze_ipc_event_pool_handle_t handle;
    ze_event_pool_handle_t pool;
    ze_event_handle_t go, done, timed;
    ze_command_list_handle_t list = new_list();
    pid_t child;
    CHECK_INT(zeEventPoolCreate(device.context, &d, 0, NULL, &pool), ZE_RESULT_SUCCESS);
    go = new_event(pool, GO);
    done = new_event(pool, DONE);
    timed = new_event(pool, TIMED);
    CHECK_INT(zeEventPoolGetIpcHandle(pool, &handle), ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventPoolCloseIpcHandle(pool), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* it is our own */
    child = start_child("answers", &handle, 0);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK_INT(zeEventQueryStatus(done), ZE_RESULT_NOT_READY);
        if (round % 2)
            CHECK_INT(zeEventHostSignal(go), ZE_RESULT_SUCCESS);
        else
            CHECK_INT(zeCommandListAppendSignalEvent(list, go), ZE_RESULT_SUCCESS);
        CHECK_INT(zeEventHostSynchronize(done, LONG), ZE_RESULT_SUCCESS);
        CHECK_INT(zeEventQueryStatus(go), ZE_RESULT_NOT_READY);
        CHECK_INT(zeEventHostReset(done), ZE_RESULT_SUCCESS);
    }
    CHECK_INT(zeEventHostSynchronize(timed, LONG), ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventQueryKernelTimestamp(timed, &when), ZE_RESULT_SUCCESS);
    CHECK(when.global.kernelStart > 0 && when.global.kernelEnd >= when.global.kernelStart);
    CHECK(ends_well(child));
    CHECK_INT(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventDestroy(go), ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventDestroy(done), ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventDestroy(timed), ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventPoolDestroy(pool), ZE_RESULT_SUCCESS);
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc == 4) {
        alarm(SECONDS);
        if (!strcmp(argv[1], "adds")) child_adds(argv[2], atoi(argv[3]));
        if (!strcmp(argv[1], "adds_to_a_file")) child_adds_to_a_file(argv[2], atoi(argv[3]));
        if (!strcmp(argv[1], "sees_the_end")) child_sees_the_end(argv[2], atoi(argv[3]));
        if (!strcmp(argv[1], "dies_as_opener")) child_dies_as_opener(argv[2], 0);
        if (!strcmp(argv[1], "dies_as_exporter")) child_dies_as_exporter(argv[2], atoi(argv[3]));
        if (!strcmp(argv[1], "answers")) child_answers(argv[2], atoi(argv[3]));
        if (!strcmp(argv[1], "finds_nothing")) child_finds_nothing(argv[2], atoi(argv[3]));
        return 0;
    }
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(memory_of_another_process);
    RUN(memory_by_a_descriptor_that_is_sent);
    RUN(physical_memory_of_another_process);
    RUN(memory_as_a_descriptor);
    RUN(physical_memory_as_a_descriptor);
    RUN(descriptors_that_are_refused);
    RUN(guards_are_where_the_exporter_has_them);
    RUN(processes_that_die_leave_nothing);
    RUN(what_is_freed_is_gone);
    RUN(events_of_another_process);
    zed_close(&device);
    return test_report();
}
