/* test_soft_intel.c - functions and structures of Intel's driver that older headers lack. The functions are asked for
 * by name, and the structures given by number, as programs do. The child is this program, which gets a handle as text.
 */
#define _GNU_SOURCE
#include <level_zero/ze_api.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "driver_kernels.h"
#include "test.h"

#define OK(call) CHECK_INT((call), ZE_RESULT_SUCCESS)
#define INVALID(call) CHECK_INT((call), ZE_RESULT_ERROR_INVALID_ARGUMENT)
#define FOR_EVER UINT64_MAX
enum { N = 1000, SECONDS = 120 };

struct free_desc {
    uint32_t stype;
    const void *next;
    void (*call)(void *);
    void *user;
};
struct wait_desc {
    uint32_t until, scope;
};
struct sized {
    uint32_t stype;
    void *next;
    uint64_t size;
};

static struct {
    ze_result_t (*version)(ze_driver_handle_t, char *, size_t *);
    ze_result_t (*priorities)(ze_device_handle_t, int32_t *, int32_t *);
    ze_result_t (*module_of)(ze_kernel_handle_t, ze_module_handle_t *);
    ze_result_t (*device_of)(ze_module_handle_t, ze_device_handle_t *);
    ze_result_t (*code_of)(ze_kernel_handle_t, uint64_t *);
    ze_result_t (*argument_size)(ze_kernel_handle_t, uint32_t, uint32_t *);
    ze_result_t (*argument_type)(ze_kernel_handle_t, uint32_t, uint32_t *, char *);
    ze_result_t (*on_end)(ze_command_list_handle_t, void (*)(void *), void *, const void *);
    ze_result_t (*get_handles)(ze_context_handle_t, const void *, uint32_t *, ze_ipc_mem_handle_t *);
    ze_result_t (*open_handles)(ze_context_handle_t, ze_device_handle_t, uint32_t, ze_ipc_mem_handle_t *, uint32_t,
                                void **);
    ze_result_t (*map)(ze_context_handle_t, const void *, void **, void *);
    ze_result_t (*on_free)(ze_context_handle_t, struct free_desc *, void *);
    ze_result_t (*import)(ze_driver_handle_t, void *, size_t);
    ze_result_t (*release)(ze_driver_handle_t, void *);
    ze_result_t (*base_of)(ze_driver_handle_t, void *, void **);
    ze_result_t (*wait)(ze_command_list_handle_t, struct wait_desc *, void *, uint32_t, ze_event_handle_t);
    ze_result_t (*wait64)(ze_command_list_handle_t, struct wait_desc *, void *, uint64_t, ze_event_handle_t);
    ze_result_t (*write)(ze_command_list_handle_t, const uint32_t *, void *, uint64_t);
    ze_result_t (*copy)(ze_command_list_handle_t, void *, const void *, size_t, const void *, uint32_t,
                        ze_event_handle_t *, ze_event_handle_t);
    ze_result_t (*fill)(ze_command_list_handle_t, void *, const void *, size_t, size_t, const void *,
                        ze_event_handle_t, uint32_t, ze_event_handle_t *);
} f;

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_module_handle_t module;
static ze_event_pool_handle_t pool;

static void find(const char *name, void *to)
{
    CHECK_MSG(zeDriverGetExtensionFunctionAddress(driver, name, to) == ZE_RESULT_SUCCESS, "no function %s", name);
}

static void find_functions(void)
{
    find("zeIntelGetDriverVersionString", &f.version);
    find("zeDeviceGetPriorityLevels", &f.priorities);
    find("zeKernelGetModuleHandleExt", &f.module_of);
    find("zeModuleGetDeviceHandleExt", &f.device_of);
    find("zexKernelGetBaseAddress", &f.code_of);
    find("zexKernelGetArgumentSize", &f.argument_size);
    find("zexKernelGetArgumentType", &f.argument_type);
    find("zexCommandListSetCleanupCallback", &f.on_end);
    find("zexMemGetIpcHandles", &f.get_handles);
    find("zexMemOpenIpcHandles", &f.open_handles);
    find("zeIntelMemMapDeviceMemToHost", &f.map);
    find("zexMemFreeRegisterCallbackExt", &f.on_free);
    find("zexDriverImportExternalPointer", &f.import);
    find("zexDriverReleaseImportedPointer", &f.release);
    find("zexDriverGetHostPointerBaseAddress", &f.base_of);
    find("zexCommandListAppendWaitOnMemory", &f.wait);
    find("zexCommandListAppendWaitOnMemory64", &f.wait64);
    find("zexCommandListAppendWriteToMemory", &f.write);
    find("zexCommandListAppendMemoryCopyWithParameters", &f.copy);
    find("zexCommandListAppendMemoryFillWithParameters", &f.fill);
}

static ze_command_list_handle_t new_immediate(ze_command_queue_mode_t mode, const void *chain)
{
    ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .pNext = chain, .mode = mode};
    ze_command_list_handle_t l = NULL;
    OK(zeCommandListCreateImmediate(context, device, &d, &l));
    return l;
}

static ze_event_handle_t new_event(uint32_t index)
{
    ze_event_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = index};
    ze_event_handle_t e = NULL;
    OK(zeEventCreate(pool, &d, &e));
    return e;
}

static void *new_memory(size_t size)
{
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t h = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *p = NULL;
    OK(zeMemAllocShared(context, &d, &h, size, 0, device, &p));
    if (p) memset(p, 0xa5, size);
    return p;
}

static void *new_device_memory(size_t size)
{
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *p = NULL;
    OK(zeMemAllocDevice(context, &d, size, 0, device, &p));
    return p;
}

/* c = a + b by a kernel. */
static void add(const float *a, const float *b, float *c, uint32_t n)
{
    ze_kernel_desc_t kd = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "add"};
    ze_group_count_t groups = {(n + 31) / 32, 1, 1};
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, NULL);
    ze_kernel_handle_t k = NULL;
    OK(zeKernelCreate(module, &kd, &k));
    OK(zeKernelSetGroupSize(k, 32, 1, 1));
    OK(zeKernelSetArgumentValue(k, 0, sizeof a, &a));
    OK(zeKernelSetArgumentValue(k, 1, sizeof b, &b));
    OK(zeKernelSetArgumentValue(k, 2, sizeof c, &c));
    OK(zeKernelSetArgumentValue(k, 3, sizeof n, &n));
    OK(zeCommandListAppendLaunchKernel(l, k, &groups, NULL, 0, NULL));
    OK(zeKernelDestroy(k));
    OK(zeCommandListDestroy(l));
}

/* ---- what objects are */

TEST(versions_as_text)
{
    char text[32];
    size_t size = 0;
    int major, minor, patch, end = 0;
    OK(f.version(driver, NULL, &size));
    CHECK(size >= 5 && size + 1 < sizeof text);
    memset(text, 0xa5, sizeof text);
    OK(f.version(driver, text, &size));
    CHECK_INT((uint8_t)text[size], 0xa5); /* as in Intel's driver, no room, no zero */
    text[size] = 0;
    CHECK_INT(sscanf(text, "%d.%d.%d%n", &major, &minor, &patch, &end), 3);
    CHECK_INT((size_t)end, size);
    size = sizeof text;
    memset(text, 0xa5, sizeof text);
    OK(f.version(driver, text, &size));
    CHECK_INT((uint8_t)text[end], 0);
    size = 2;
    memset(text, 0xa5, sizeof text);
    OK(f.version(driver, text, &size));
    CHECK(text[1] == '.' && (uint8_t)text[2] == 0xa5);
    CHECK_INT(f.version(driver, text, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

TEST(handles_of_handles)
{
    ze_kernel_desc_t kd = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "add"};
    ze_kernel_handle_t k = NULL;
    ze_module_handle_t m = NULL;
    ze_device_handle_t d = NULL;
    OK(zeKernelCreate(module, &kd, &k));
    OK(f.module_of(k, &m));
    CHECK(m == module);
    OK(f.device_of(m, &d));
    CHECK(d == device);
    OK(zeKernelDestroy(k));
}

/* The words of driver_kernels, with texts where compilers for OpenCL C write them. */
static size_t with_texts(uint32_t *to, const char *const *texts, uint32_t count)
{
    const size_t all = sizeof driver_kernels / 4;
    size_t at = 5, n;
    while (strchr("\x0a\x0b\x0e\x0f\x10\x11", (int)(driver_kernels[at] & 0xff))) at += driver_kernels[at] >> 16;
    memcpy(to, driver_kernels, at * 4);
    n = at;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t words = (uint32_t)strlen(texts[i]) / 4 + 3;
        memset(to + n, 0, words * 4);
        to[n] = words << 16 | 7 /* OpString */;
        to[n + 1] = to[3]++;
        memcpy(to + n + 2, texts[i], strlen(texts[i]));
        n += words;
    }
    memcpy(to + n, driver_kernels + at, (all - at) * 4);
    return n + all - at;
}

TEST(arguments_of_kernels)
{
    static const char *const texts[] = {"some text", "kernel_arg_type.ad.char,", "kernel_arg_type.sum.double*,",
                                        "kernel_arg_type.add.float*,float*,f*,uint,"};
    static const char *const types[] = {"float*", "float*", "f*", "uint"};
    static const uint32_t sizes[] = {8, 8, 8, 4};
    static uint32_t words[sizeof driver_kernels / 4 + 100];
    ze_module_desc_t md = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_IL_SPIRV, .pInputModule = (uint8_t *)words};
    ze_kernel_desc_t kd = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "add"};
    ze_module_handle_t m = NULL;
    ze_kernel_handle_t k = NULL, sum = NULL, plain = NULL;
    uint64_t code = 0, other = 0;
    uint32_t size = 0;
    char type[8];
    md.inputSize = with_texts(words, texts, 4) * 4;
    OK(zeModuleCreate(context, device, &md, &m, NULL));
    OK(zeKernelCreate(m, &kd, &k));
    OK(zeKernelCreate(module, &kd, &plain));
    kd.pKernelName = "sum";
    OK(zeKernelCreate(m, &kd, &sum));
    for (uint32_t i = 0; i < 4; i++) {
        OK(f.argument_size(k, i, &size));
        CHECK_INT(size, sizes[i]);
        size = 0;
        OK(f.argument_type(k, i, &size, NULL));
        CHECK_INT(size, strlen(types[i]) + 1);
        memset(type, 'x', sizeof type);
        size--;
        OK(f.argument_type(k, i, &size, type)); /* no room for the zero */
        CHECK_INT(type[0], 'x');
        OK(f.argument_type(k, i, &size, type));
        CHECK_STR(type, types[i]);
        CHECK_INT(f.argument_type(plain, i, &size, type), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    }
    size = sizeof type;
    OK(f.argument_type(sum, 0, &size, type));
    CHECK_STR(type, "double*");
    CHECK_INT(f.argument_type(sum, 1, &size, type), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK_INT(f.argument_size(k, 4, &size), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    CHECK_INT(f.argument_type(k, 4, &size, type), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    CHECK_INT(f.argument_size(k, 0, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    OK(f.code_of(k, &code));
    OK(f.code_of(sum, &other));
    CHECK(code && other && code != other);
    OK(f.code_of(k, &other));
    CHECK(code == other);
    ze_kernel_handle_t kernels[] = {k, sum, plain};
    for (int i = 0; i < 3; i++) OK(zeKernelDestroy(kernels[i]));
    OK(zeModuleDestroy(m));
}

struct ending {
    int order; /* in which it was called, from 1 */
    uint32_t found, *at;
};

static void ends(void *user)
{
    static int calls;
    struct ending *e = (struct ending *)user;
    e->found = *e->at;
    e->order = ++calls;
}

/* In the order in which they were given, when all is done. */
TEST(calls_when_lists_end)
{
    ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, NULL), regular = NULL;
    uint32_t *at = (uint32_t *)new_memory(N * sizeof *at), value = 0;
    struct ending e[3] = {{0, 0, at}, {0, 0, at + N - 1}, {0, 0, at}};
    OK(zeCommandListCreate(context, device, &ld, &regular));
    for (int i = 0; i < 2; i++) OK(f.on_end(l, ends, &e[i], NULL));
    OK(f.on_end(regular, ends, &e[2], NULL));
    CHECK_INT(f.on_end(l, NULL, e, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(f.on_end(l, ends, e, &ld), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK_INT(f.on_end(NULL, ends, e, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    for (; value < 200; value++) OK(zeCommandListAppendMemoryFill(l, at, &value, 4, N * 4, NULL, 0, NULL));
    for (int i = 0; i < 3; i++) CHECK_INT(e[i].order, 0);
    OK(zeCommandListReset(regular));
    OK(zeCommandListDestroy(l));
    CHECK(e[0].order == 1 && e[0].found == 199 && e[1].order == 2 && e[1].found == 199 && e[2].order == 0);
    OK(zeCommandListDestroy(regular));
    CHECK_INT(e[2].order, 3);
    OK(zeMemFree(context, at));
}

TEST(priorities_as_numbers)
{
    struct {
        uint32_t stype;
        const void *next;
        int32_t value;
    } p = {0x30028, NULL, 0};
    int32_t lowest = 0, highest = 0;
    OK(f.priorities(device, &lowest, &highest));
    CHECK(highest < lowest);
    ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .pNext = &p};
    for (p.value = highest; p.value <= lowest; p.value++) {
        ze_command_queue_handle_t q = NULL;
        OK(zeCommandQueueCreate(context, device, &d, &q));
#ifdef ZE_RECORD_REPLAY_GRAPH_EXT_NAME /* 1.17 */
        ze_command_queue_priority_t is = ZE_COMMAND_QUEUE_PRIORITY_FORCE_UINT32;
        OK(zeCommandQueueGetPriority(q, &is));
        CHECK_INT(is, p.value < 0   ? ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH
                      : p.value > 0 ? ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW
                                    : ZE_COMMAND_QUEUE_PRIORITY_NORMAL);
#endif
        OK(zeCommandQueueDestroy(q));
    }
    for (int i = 0; i < 2; i++) {
        ze_command_queue_handle_t q = NULL;
        p.value = i ? lowest + 1 : highest - 1;
        INVALID(zeCommandQueueCreate(context, device, &d, &q));
    }
}

TEST(memory_and_cache_lines)
{
    struct sized line = {0x20028, NULL, 0}, usable = {0x20041, NULL, 0};
    struct {
        uint32_t stype;
        void *next;
        uint32_t bytes;
    } waits = {0x30017, &usable, 0};
    ze_device_cache_properties_t c = {.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES, .pNext = &line};
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &waits};
    struct {
        uint32_t stype;
        void *next;
        uint32_t type;
        uint64_t bytes;
        uint32_t read, write, unit;
    } memory = {0x1000e, NULL, 99, 0, 9, 9, 9};
    ze_device_memory_properties_t m = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES, .pNext = &memory};
    uint32_t one = 1;
    OK(zeDeviceGetCacheProperties(device, &one, &c));
    CHECK_MSG(line.size >= 16 && line.size <= 1024 && !(line.size & (line.size - 1)), "%llu",
              (unsigned long long)line.size);
    OK(zeDeviceGetProperties(device, &p));
    OK(zeDeviceGetMemoryProperties(device, &one, &m));
    CHECK_MSG(usable.size > (1u << 20) && usable.size <= m.totalSize, "%llu of %llu", (unsigned long long)usable.size,
              (unsigned long long)m.totalSize);
    CHECK_INT(waits.bytes, 8);
    CHECK_INT(memory.bytes, m.totalSize);
    CHECK_INT(memory.type, 2);
    CHECK_INT(memory.read + memory.write + memory.unit, 0); /* not known */
}

/* ---- hints change nothing */

TEST(hints_are_taken)
{
    struct {
        uint32_t stype;
        const void *next;
        ze_bool_t on;
    } offload = {0x3001b, NULL, 1};
    ze_memory_compression_hints_ext_desc_t hint = {.stype = ZE_STRUCTURE_TYPE_MEMORY_COMPRESSION_HINTS_EXT_DESC,
                                                   .flags = ZE_MEMORY_COMPRESSION_HINTS_EXT_FLAG_COMPRESSED};
    ze_context_power_saving_hint_exp_desc_t power = {.stype = ZE_STRUCTURE_TYPE_POWER_SAVING_HINT_EXP_DESC};
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .pNext = &hint};
    ze_context_desc_t cd = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC, .pNext = &power};
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, &offload);
    ze_scheduling_hint_exp_properties_t order = {.stype = ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_PROPERTIES,
                                                 .schedulingHintFlags = 0xa5};
    ze_device_module_properties_t mp = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES, .pNext = &order};
    uint32_t value = (uint32_t)test_random(), *at = (uint32_t *)new_memory(sizeof value);
    void *p = NULL;
    OK(zeDeviceGetModuleProperties(device, &mp));
    CHECK_INT(order.schedulingHintFlags, 0); /* none has an effect */
    OK(zeMemAllocDevice(context, &d, N, 0, device, &p));
    OK(zeCommandListAppendMemoryCopy(l, p, &value, sizeof value, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopy(l, at, p, sizeof value, NULL, 0, NULL));
    CHECK_INT(*at, value);
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, p));
    OK(zeMemFree(context, at));
    for (hint.flags = 0; hint.flags < 4; hint.flags += 3)
        CHECK_INT(zeMemAllocDevice(context, &d, N, 0, device, &p), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    for (power.hint = 0; power.hint <= 101; power.hint += power.hint == 100 ? 1 : 50) {
        ze_context_handle_t c = NULL;
        CHECK_INT(zeContextCreate(driver, &cd, &c),
                  power.hint > 100 ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS);
        if (c) OK(zeContextDestroy(c));
    }
}

/* ---- memory */

TEST(host_memory_of_the_program)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 4 * page;
    struct {
        uint32_t stype;
        const void *next;
        void *base;
        uint64_t size;
    } own = {0x20037, NULL, NULL, size};
    ze_host_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, .pNext = &own};
    ze_device_mem_alloc_desc_t dd = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .pNext = &own};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_ipc_mem_handle_t handle;
    uint8_t *mine = (uint8_t *)mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    float *c = (float *)new_memory(N * sizeof *c);
    void *theirs = NULL, *more = NULL;
    own.base = mine;
    for (int i = 0; i < N; i++) ((float *)(void *)mine)[i] = (float)i;
    OK(zeMemAllocHost(context, &d, size, page, &theirs));
    CHECK(theirs == mine);
    OK(zeMemGetAllocProperties(context, mine + 17, &p, NULL));
    CHECK_INT(p.type, ZE_MEMORY_TYPE_HOST);
    add((float *)theirs, (float *)theirs, c, N);
    for (int i = 0; i < N; i++) CHECK_INT(c[i], 2 * i);
    INVALID(zeMemAllocHost(context, &d, size, page, &more)); /* it is one already */
    CHECK_INT(zeMemGetIpcHandle(context, theirs, &handle), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    OK(zeMemFree(context, theirs));
    CHECK_INT(((float *)(void *)mine)[N - 1], N - 1); /* still the program's */
    OK(zeMemGetAllocProperties(context, mine, &p, NULL));
    CHECK_INT(p.type, ZE_MEMORY_TYPE_UNKNOWN);
    own.base = mine + 1;
    INVALID(zeMemAllocHost(context, &d, page, 0, &more));
    own.base = mine;
    own.size = size - 1;
    CHECK_INT(zeMemAllocHost(context, &d, page, 0, &more), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    own.size = page;
    CHECK_INT(zeMemAllocHost(context, &d, page + 1, 0, &more), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    CHECK_INT(zeMemAllocDevice(context, &dd, page, 0, device, &more), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    munmap(mine, size);
    OK(zeMemFree(context, c));
}

TEST(memory_is_one_piece)
{
    struct piece {
        void *base;
        size_t size;
    } list[2] = {{NULL, 1}, {NULL, 1}};
    uint32_t count = 0;
    struct {
        uint32_t stype;
        void *next;
        uint32_t *count;
        struct piece *list;
    } pieces = {0x2000d, NULL, &count, NULL};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES, .pNext = &pieces};
    uint8_t *m = (uint8_t *)new_memory(N);
    int local;
    OK(zeMemGetAllocProperties(context, m + 5, &p, NULL));
    CHECK_INT(count, 1);
    pieces.list = list;
    count = 2;
    OK(zeMemGetAllocProperties(context, m + 5, &p, NULL));
    CHECK_INT(count, 1);
    CHECK(list[0].base == m);
    CHECK_INT(list[0].size, N);
    CHECK(!list[1].base);
    OK(zeMemGetAllocProperties(context, &local, &p, NULL));
    CHECK_INT(count, 0);
    OK(zeMemFree(context, m));
}

TEST(device_memory_for_the_host)
{
    uint8_t *m = (uint8_t *)new_device_memory(N);
    void *mapped = NULL;
    int local;
    OK(f.map(context, m + 7, &mapped, NULL));
    CHECK(mapped == m + 7);
    INVALID(f.map(context, &local, &mapped, NULL));
    OK(zeMemFree(context, m));
}

TEST(imported_pointers)
{
    static uint8_t mine[4 * N];
    void *base = NULL;
    INVALID(f.base_of(driver, mine + N, &base));
    OK(f.import(driver, mine + N, 2 * N));
    OK(f.import(driver, mine + N + 1, 5)); /* all of it is */
    CHECK_INT(f.import(driver, mine + 2 * N, 2 * N), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    CHECK_INT(f.import(driver, mine, 2 * N), ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK_INT(f.import(driver, mine, 4 * N), ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    OK(f.import(driver, mine + 3 * N, N));
    CHECK_INT(f.import(driver, mine + 2 * N, 2 * N), ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    OK(f.base_of(driver, mine + 3 * N - 1, &base));
    CHECK(base == mine + N);
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, NULL);
    uint8_t *d = (uint8_t *)new_device_memory(N);
    for (int i = 0; i < N; i++) mine[N + i] = (uint8_t)test_random();
    OK(zeCommandListAppendMemoryCopy(l, d, mine + N, N, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopy(l, mine + 2 * N, d, N, NULL, 0, NULL));
    CHECK(memcmp(mine + N, mine + 2 * N, N) == 0);
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, d));
    OK(f.release(driver, mine + N));
    INVALID(f.release(driver, mine + N));
    OK(f.release(driver, mine + 3 * N));
    INVALID(f.import(driver, NULL, 8));
    INVALID(f.import(driver, mine, 0));
}

struct notice {
    void *of;
    int calls;
    ze_memory_type_t type;
};

static void notice(void *user)
{
    struct notice *n = (struct notice *)user;
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    OK(zeMemGetAllocProperties(context, n->of, &p, NULL));
    n->type = p.type;
    n->calls++;
}

TEST(calls_when_memory_is_freed)
{
    struct notice first = {NULL, 0, ZE_MEMORY_TYPE_UNKNOWN}, second = first;
    struct free_desc d = {0x30030, NULL, notice, &first};
    ze_memory_free_ext_desc_t later = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                       .freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE};
    uint8_t *a = (uint8_t *)new_memory(N), *b = (uint8_t *)new_memory(N);
    int local;
    first.of = a;
    second.of = b;
    OK(f.on_free(context, &d, a + 3)); /* anywhere in it */
    d.user = &second;
    OK(f.on_free(context, &d, b));
    INVALID(f.on_free(context, &d, &local));
    INVALID(f.on_free(context, NULL, a));
    INVALID(zeMemFree(context, a + 3));
    CHECK_INT(first.calls, 0);
    OK(zeMemFree(context, a));
    CHECK_INT(first.calls, 1);
    CHECK_INT(first.type, ZE_MEMORY_TYPE_SHARED); /* it was still there */
    CHECK_INT(second.calls, 0);
    OK(zeMemFreeExt(context, &later, b));
    CHECK_INT(second.calls, 1);
    d.call = NULL;
    INVALID(f.on_free(context, &d, a));
}

/* ---- several handles of memory, of which ours has one */

static const char *program;

static void run_child(const char *text)
{
    ze_ipc_mem_handle_t handle;
    void *p = NULL;
    for (size_t i = 0; i < sizeof handle; i++) {
        unsigned byte;
        NEED(sscanf(text + 2 * i, "%2x", &byte) == 1);
        handle.data[i] = (char)byte;
    }
    NEED(f.open_handles(context, device, 1, &handle, 0, &p) == ZE_RESULT_SUCCESS);
    for (int i = 0; i < N; i++) NEED(((uint8_t *)p)[i] == (uint8_t)(i * 7));
    memset(p, 0x5a, N);
    NEED(zeMemCloseIpcHandle(context, p) == ZE_RESULT_SUCCESS);
    _exit(0);
}

TEST(handles_of_pieces)
{
    ze_ipc_mem_handle_t handles[2];
    char text[2 * sizeof handles[0] + 1];
    uint8_t *m = (uint8_t *)new_memory(N);
    uint32_t count = 0;
    void *p = NULL;
    int status = 1;
    for (int i = 0; i < N; i++) m[i] = (uint8_t)(i * 7);
    OK(f.get_handles(context, m, &count, NULL));
    CHECK_INT(count, 1);
    memset(handles, 0xa5, sizeof handles);
    count = 2;
    OK(f.get_handles(context, m, &count, handles));
    CHECK_INT(count, 1);
    CHECK_INT((uint8_t)handles[1].data[0], 0xa5);
    CHECK_INT(f.open_handles(context, device, 2, handles, 0, &p), ZE_RESULT_ERROR_INVALID_SIZE);
    for (size_t i = 0; i < sizeof handles[0]; i++) sprintf(text + 2 * i, "%02x", (uint8_t)handles[0].data[i]);
    pid_t pid = fork();
    if (!pid) {
        execl(program, program, text, (char *)NULL);
        _exit(2);
    }
    waitpid(pid, &status, 0);
    CHECK_INT(status, 0);
    for (int i = 0; i < N; i++) CHECK_INT(m[i], 0x5a);
    OK(zeMemFree(context, m));
}

/* ---- numbers in memory */

/* Each comparison with each of three numbers: a wait that is over at once, or one that the host ends. */
TEST(waits_on_memory)
{
    static const struct {
        uint32_t until;
        uint64_t over[2], not_yet[2]; /* beside 100 */
    } cases[] = {{1, {100, 100}, {99, 101}}, {2, {99, 101}, {100, 100}}, {4, {101, 101}, {99, 100}},
                 {8, {100, 101}, {99, 99}},  {16, {99, 99}, {100, 101}}, {32, {99, 100}, {101, 101}}};
    _Atomic uint64_t *word = (_Atomic uint64_t *)new_memory(sizeof *word);
    const uint64_t high = (uint64_t)1 << 40; /* which 32 bits do not show */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int k = 0; k < 4; k++) {
            const bool wide = k & 1;
            struct wait_desc d = {cases[i].until, 4};
            ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, NULL);
            ze_event_handle_t e = new_event(0);
            atomic_store(word, cases[i].not_yet[k / 2] + high);
            OK(wide ? f.wait64(l, &d, (void *)word, 100 + high, e) : f.wait(l, &d, (void *)word, 100, e));
            CHECK_INT(zeEventHostSynchronize(e, 2000000), ZE_RESULT_NOT_READY);
            atomic_store(word, cases[i].over[k / 2] + high);
            OK(zeEventHostSynchronize(e, FOR_EVER));
            OK(zeEventHostReset(e));
            OK(wide ? f.wait64(l, &d, (void *)word, 100 + high, e) : f.wait(l, &d, (void *)word, 100, e));
            OK(zeEventHostSynchronize(e, FOR_EVER));
            OK(zeEventDestroy(e));
            OK(zeCommandListDestroy(l));
        }
    OK(zeMemFree(context, (void *)word));
}

/* Lists of two queues take turns through one number: what each writes, the other awaits. */
TEST(lists_take_turns_by_memory)
{
    enum { TURNS = 50 };
    struct wait_desc equal = {1, 2};
    const uint32_t scope = 2;
    uint64_t *turn = (uint64_t *)new_memory(sizeof *turn);
    uint32_t *log = (uint32_t *)new_memory(2 * TURNS * sizeof *log), *last = (uint32_t *)new_memory(sizeof *last);
    ze_command_queue_handle_t q[2];
    ze_command_list_handle_t l[2];
    *turn = 0;
    for (uint32_t i = 0; i < 2; i++) {
        ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
        ze_command_queue_desc_t qd = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                      .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
        OK(zeCommandListCreate(context, device, &ld, &l[i]));
        OK(zeCommandQueueCreate(context, device, &qd, &q[i]));
        for (uint32_t t = i; t < 2 * TURNS; t += 2) {
            OK(f.wait64(l[i], &equal, turn, t, NULL));
            OK(f.fill(l[i], last, &t, sizeof t, sizeof t, NULL, NULL, 0, NULL));
            OK(f.copy(l[i], &log[t], last, sizeof t, NULL, 0, NULL, NULL));
            OK(f.write(l[i], &scope, turn, t + 1));
        }
        OK(zeCommandListClose(l[i]));
    }
    for (int i = 1; i >= 0; i--) OK(zeCommandQueueExecuteCommandLists(q[i], 1, &l[i], NULL)); /* the second one first */
    for (int i = 0; i < 2; i++) OK(zeCommandQueueSynchronize(q[i], FOR_EVER));
    CHECK_INT(*turn, 2 * TURNS);
    for (uint32_t t = 0; t < 2 * TURNS; t++) CHECK_INT(log[t], t);
    for (int i = 0; i < 2; i++) OK(zeCommandQueueDestroy(q[i])), OK(zeCommandListDestroy(l[i]));
    OK(zeMemFree(context, turn));
    OK(zeMemFree(context, log));
    OK(zeMemFree(context, last));
}

TEST(waits_that_are_refused_or_given_up)
{
    struct wait_desc d = {1, 4};
    const uint32_t scope = 4;
    uint64_t *word = (uint64_t *)new_memory(2 * sizeof *word);
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, NULL);
    ze_event_handle_t e = new_event(1);
    d.until = 3;
    INVALID(f.wait(l, &d, word, 0, NULL));
    d.until = 64;
    INVALID(f.wait(l, &d, word, 0, NULL));
    d.until = 1;
    CHECK_INT(f.wait(l, &d, (uint8_t *)word + 2, 0, NULL), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    CHECK_INT(f.wait64(l, &d, (uint8_t *)word + 4, 0, NULL), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    CHECK_INT(f.write(l, &scope, (uint8_t *)word + 4, 0), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    CHECK_INT(f.wait(l, NULL, word, 0, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(f.copy(l, word, word + 1, 8, &d, 0, NULL, NULL), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    *word = 0;
    OK(f.wait64(l, &d, word, 1, e)); /* nobody writes it */
    CHECK_INT(zeEventHostSynchronize(e, 2000000), ZE_RESULT_NOT_READY);
    OK(zeCommandListDestroy(l));
    CHECK_INT(zeEventQueryStatus(e), ZE_RESULT_NOT_READY);
    OK(zeEventDestroy(e));
    OK(zeMemFree(context, word));
}

static bool open_device(void)
{
    ze_context_desc_t cd = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_module_desc_t md = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                           .format = ZE_MODULE_FORMAT_IL_SPIRV,
                           .inputSize = sizeof driver_kernels,
                           .pInputModule = (const uint8_t *)driver_kernels};
    ze_event_pool_desc_t pd = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 2};
    const char *soft = getenv("XETILE_SOFT");
    uint32_t one = 1;
    setenv("ZE_ENABLE_ALT_DRIVERS", soft ? soft : "build/libze_soft.so", 1);
    return zeInit(0) == ZE_RESULT_SUCCESS && zeDriverGet(&one, &driver) == ZE_RESULT_SUCCESS &&
           zeDeviceGet(driver, &one, &device) == ZE_RESULT_SUCCESS &&
           zeContextCreate(driver, &cd, &context) == ZE_RESULT_SUCCESS &&
           zeModuleCreate(context, device, &md, &module, NULL) == ZE_RESULT_SUCCESS &&
           zeEventPoolCreate(context, &pd, 1, &device, &pool) == ZE_RESULT_SUCCESS;
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (!open_device()) return printf("the device does not open\n"), 1;
    find_functions();
    if (argc == 2) {
        alarm(SECONDS);
        run_child(argv[1]);
    }
    RUN(versions_as_text);
    RUN(handles_of_handles);
    RUN(arguments_of_kernels);
    RUN(calls_when_lists_end);
    RUN(priorities_as_numbers);
    RUN(memory_and_cache_lines);
    RUN(hints_are_taken);
    RUN(host_memory_of_the_program);
    RUN(memory_is_one_piece);
    RUN(device_memory_for_the_host);
    RUN(imported_pointers);
    RUN(calls_when_memory_is_freed);
    RUN(handles_of_pieces);
    RUN(waits_on_memory);
    RUN(lists_take_turns_by_memory);
    RUN(waits_that_are_refused_or_given_up);
    zeEventPoolDestroy(pool);
    zeModuleDestroy(module);
    zeContextDestroy(context);
    return test_report();
}
