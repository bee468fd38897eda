/* test_soft_driver.c - the software device's Level Zero driver, through the loader. */
#define _GNU_SOURCE
#include <sys/prctl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver_kernels.h"
#include "test.h"

#define OK(call) CHECK_INT((call), ZE_RESULT_SUCCESS)
#define FOR_EVER UINT64_MAX
#define MILLISECOND UINT64_C(1000000)

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_module_handle_t module;

static ze_command_queue_handle_t new_queue(ze_command_queue_mode_t mode)
{
    ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = mode};
    ze_command_queue_handle_t q = NULL;
    OK(zeCommandQueueCreate(context, device, &d, &q));
    return q;
}

static ze_command_list_handle_t new_list(void)
{
    ze_command_list_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t l = NULL;
    OK(zeCommandListCreate(context, device, &d, &l));
    return l;
}

static ze_command_list_handle_t new_immediate(ze_command_queue_mode_t mode)
{
    ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = mode};
    ze_command_list_handle_t l = NULL;
    OK(zeCommandListCreateImmediate(context, device, &d, &l));
    return l;
}

static ze_event_pool_handle_t new_pool(uint32_t count, ze_event_pool_flags_t flags)
{
    ze_event_pool_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags, .count = count};
    ze_event_pool_handle_t p = NULL;
    OK(zeEventPoolCreate(context, &d, 1, &device, &p));
    return p;
}

static ze_event_handle_t new_event(ze_event_pool_handle_t pool, uint32_t index)
{
    ze_event_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = index, .signal = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t e = NULL;
    OK(zeEventCreate(pool, &d, &e));
    return e;
}

static void *new_memory(size_t size)
{
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t h = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *p = NULL;
    OK(zeMemAllocShared(context, &d, &h, size, 64, device, &p));
    if (p) memset(p, 0xa5, size);
    return p;
}

static ze_kernel_handle_t new_kernel(const char *name)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t k = NULL;
    OK(zeKernelCreate(module, &d, &k));
    return k;
}

/* ---- properties of the device */

static bool has_extension(const ze_driver_extension_properties_t *list, uint32_t count, const char *name)
{
    uint32_t i;
    for (i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0) return true;
    return false;
}

TEST(driver_properties)
{
    ze_driver_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    ze_driver_ipc_properties_t ipc = {.stype = ZE_STRUCTURE_TYPE_DRIVER_IPC_PROPERTIES, .flags = 3};
    ze_driver_extension_properties_t e[64];
    ze_api_version_t version = 0;
    uint32_t count = 0, more, i;
    void *address;
    OK(zeDriverGetApiVersion(driver, &version));
    CHECK(ZE_MAJOR_VERSION(version) == 1 && ZE_MINOR_VERSION(version) >= 4);
    OK(zeDriverGetProperties(driver, &p));
    CHECK(p.driverVersion != 0);
    OK(zeDriverGetIpcProperties(driver, &ipc));
    CHECK_INT(ipc.flags, ZE_IPC_PROPERTY_FLAG_MEMORY | ZE_IPC_PROPERTY_FLAG_EVENT_POOL);
    OK(zeDriverGetExtensionProperties(driver, &count, NULL));
    CHECK(count > 0 && count < 64);
    more = 64;
    OK(zeDriverGetExtensionProperties(driver, &more, e));
    CHECK_INT(more, count);
    for (i = 0; i < more; i++) CHECK_HAS(e[i].name, "_");
    CHECK(has_extension(e, more, ZE_SUBGROUPS_EXT_NAME) && has_extension(e, more, ZE_LINKONCE_ODR_EXT_NAME));
#ifdef ZE_VIRTUAL_MEM_READONLY_PROPERTIES_EXT_NAME
    ze_device_readonly_memory_ext_properties_t r = {.stype = ZE_STRUCTURE_TYPE_DEVICE_READONLY_MEMORY_EXT_PROPERTIES};
    ze_device_properties_t about = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &r};
    CHECK(has_extension(e, more, ZE_VIRTUAL_MEM_READONLY_PROPERTIES_EXT_NAME));
    OK(zeDeviceGetProperties(device, &about));
    CHECK_INT(r.readonlyCapability, ZE_DEVICE_READONLY_MEMORY_CAPABILITY_ENFORCED);
#endif
#ifdef ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_NAME
    CHECK(has_extension(e, more, ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_NAME));
#endif
    CHECK(!has_extension(e, more, ZE_PCI_PROPERTIES_EXT_NAME)); /* as its function says */
    CHECK(zeDriverGetExtensionFunctionAddress(driver, "zeNoSuchThing", &address) != ZE_RESULT_SUCCESS);
    OK(zeDriverGetExtensionFunctionAddress(driver, "zeModuleBuildLogGetString", &address));
    CHECK(address != NULL);
}

TEST(device_properties)
{
    ze_eu_count_ext_t eu = {.stype = ZE_STRUCTURE_TYPE_EU_COUNT_EXT};
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &eu};
    ze_device_compute_properties_t c = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    ze_float_atomic_ext_properties_t f = {.stype = ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES};
    ze_device_module_properties_t m = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES, .pNext = &f};
    ze_device_image_properties_t i = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES, .maxImageDims2D = 5};
    uint32_t count = 7;
    OK(zeDeviceGetProperties(device, &p));
    CHECK_INT(p.type, ZE_DEVICE_TYPE_GPU);
    CHECK_HAS(p.name, "xetile software device (");
    CHECK_HAS(p.name, "4 threads)");
    CHECK(p.vendorId != 0x8086);
    CHECK_INT(p.timerResolution, 1);
    CHECK_INT(p.kernelTimestampValidBits, 64);
    CHECK_INT(eu.numTotalEUs, p.numSlices * p.numSubslicesPerSlice * p.numEUsPerSubslice);
    CHECK(p.maxMemAllocSize > 1u << 28);
    p.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    OK(zeDeviceGetProperties(device, &p));
    CHECK_INT(p.timerResolution, 1000000000);
    OK(zeDeviceGetComputeProperties(device, &c));
    CHECK_INT(c.maxTotalGroupSize, 1024);
    CHECK_INT(c.maxGroupCountX, UINT32_MAX);
    CHECK_INT(c.maxSharedLocalMemory, 131072);
    CHECK_INT(c.numSubGroupSizes, 3);
    CHECK(c.subGroupSizes[0] == 8 && c.subGroupSizes[1] == 16 && c.subGroupSizes[2] == 32);
    /* programs compute the largest work-group from these */
    for (uint32_t k = 0; k < c.numSubGroupSizes; k++)
        CHECK(p.numThreadsPerEU * p.numEUsPerSubslice * c.subGroupSizes[k] >= c.maxTotalGroupSize);
    CHECK(p.numThreadsPerEU * p.numEUsPerSubslice * p.physicalEUSimdWidth >= c.maxTotalGroupSize);
    OK(zeDeviceGetModuleProperties(device, &m));
    CHECK_INT(m.spirvVersionSupported, ZE_MAKE_VERSION(1, 6));
    CHECK(m.flags & ZE_DEVICE_MODULE_FLAG_FP16 && m.flags & ZE_DEVICE_MODULE_FLAG_FP64);
    /* required by OpenCL's full profile for double */
    CHECK(m.fp64flags & ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO && m.fp64flags & ZE_DEVICE_FP_FLAG_ROUND_TO_INF);
    CHECK(m.fp64flags & ZE_DEVICE_FP_FLAG_DENORM && m.fp64flags & ZE_DEVICE_FP_FLAG_FMA);
    CHECK(f.fp32Flags & ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD);
    OK(zeDeviceGetImageProperties(device, &i));
    CHECK_INT(i.maxImageDims2D, 16384);
    OK(zeDeviceGetSubDevices(device, &count, NULL));
    CHECK_INT(count, 0);
    OK(zeDeviceGetStatus(device));
}

TEST(device_memory_and_queues)
{
    ze_command_queue_group_properties_t g = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES};
    ze_device_memory_properties_t m = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    ze_device_memory_access_properties_t a = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    ze_device_cache_properties_t cache = {.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES};
    ze_device_external_memory_properties_t x = {.stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES};
    ze_device_p2p_properties_t p2p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES};
    uint64_t host[2], ticks[2];
    ze_bool_t can = 0;
    uint32_t n = 0;
    OK(zeDeviceGetCommandQueueGroupProperties(device, &n, NULL));
    CHECK_INT(n, 2); /* the second is for copies only: test copies_only */
    n = 1;
    OK(zeDeviceGetCommandQueueGroupProperties(device, &n, &g));
    CHECK(g.flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE &&
          g.flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
    CHECK(g.numQueues > 1 && g.maxMemoryFillPatternSize >= 128);
    n = 5;
    OK(zeDeviceGetMemoryProperties(device, &n, &m));
    CHECK_INT(n, 1);
    CHECK(m.totalSize > 1u << 28);
    OK(zeDeviceGetMemoryAccessProperties(device, &a));
    CHECK(a.hostAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC);
    CHECK(a.sharedSingleDeviceAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT);
    OK(zeDeviceGetCacheProperties(device, &n, &cache));
    OK(zeDeviceGetExternalMemoryProperties(device, &x));
    CHECK_INT(x.memoryAllocationExportTypes, ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD); /* test_soft_ipc */
    CHECK_INT(x.imageExportTypes | x.imageImportTypes, 0);
    OK(zeDeviceGetP2PProperties(device, device, &p2p));
    OK(zeDeviceCanAccessPeer(device, device, &can));
    CHECK(can);
    OK(zeDeviceGetGlobalTimestamps(device, &host[0], &ticks[0]));
    OK(zeDeviceGetGlobalTimestamps(device, &host[1], &ticks[1]));
    CHECK(ticks[1] > ticks[0] && host[1] > host[0]);
}

TEST(contexts)
{
    ze_context_desc_t d = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t c = NULL;
    OK(zeContextCreateEx(driver, &d, 1, &device, &c));
    OK(zeContextGetStatus(c));
    OK(zeContextSystemBarrier(c, device));
    OK(zeContextDestroy(c));
    d.flags = 0x100;
    CHECK_INT(zeContextCreate(driver, &d, &c), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK_INT(zeContextCreate(driver, NULL, &c), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* ---- memory */

TEST(usm_allocations)
{
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t h = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t owner = NULL;
    char *m[3], *base = NULL;
    size_t size = 0;
    OK(zeMemAllocDevice(context, &d, 1000, 256, device, (void **)&m[0]));
    OK(zeMemAllocHost(context, &h, 5000000, 0, (void **)&m[1]));
    OK(zeMemAllocShared(context, &d, &h, 1, 4096, device, (void **)&m[2]));
    CHECK((uintptr_t)m[0] % 256 == 0 && (uintptr_t)m[1] % 4096 == 0 && (uintptr_t)m[2] % 4096 == 0);
    memset(m[0], 1, 1000);
    memset(m[1], 2, 5000000);
    OK(zeMemGetAllocProperties(context, m[0] + 999, &p, &owner));
    CHECK(p.type == ZE_MEMORY_TYPE_DEVICE && owner == device && p.id != 0 && p.pageSize != 0);
    OK(zeMemGetAllocProperties(context, m[1], &p, &owner));
    CHECK(p.type == ZE_MEMORY_TYPE_HOST && owner == NULL);
    OK(zeMemGetAllocProperties(context, m[2], &p, NULL));
    CHECK_INT(p.type, ZE_MEMORY_TYPE_SHARED);
    OK(zeMemGetAllocProperties(context, &p, &p, NULL));
    CHECK_INT(p.type, ZE_MEMORY_TYPE_UNKNOWN);
    OK(zeMemGetAddressRange(context, m[1] + 1234, (void **)&base, &size));
    CHECK(base == m[1] && size == 5000000);
    CHECK(zeMemGetAddressRange(context, &p, (void **)&base, &size) != ZE_RESULT_SUCCESS);
    OK(zeContextMakeMemoryResident(context, device, m[0], 1000));
    OK(zeContextEvictMemory(context, device, m[0], 1000));
    CHECK(zeContextMakeMemoryResident(context, device, m[0] + 500, 1000) != ZE_RESULT_SUCCESS);
    CHECK(zeMemFree(context, m[0] + 1) != ZE_RESULT_SUCCESS);
    OK(zeMemFree(context, m[0]));
    CHECK(zeMemFree(context, m[0]) != ZE_RESULT_SUCCESS);
    OK(zeMemFree(context, m[1]));
    OK(zeMemFree(context, m[2]));
}

/* A pointer is the same in every context: programs ask, and free, in any, as Intel's driver lets them. */
TEST(usm_in_another_context)
{
    ze_context_desc_t d = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    char *m = new_memory(1000), *base = NULL;
    ze_context_handle_t other = NULL;
    size_t size = 0;
    OK(zeContextCreate(driver, &d, &other));
    OK(zeMemGetAddressRange(other, m + 7, (void **)&base, &size));
    CHECK(base == m && size == 1000);
    OK(zeMemGetAllocProperties(other, m + 7, &p, NULL));
    CHECK_INT(p.type, ZE_MEMORY_TYPE_SHARED);
    OK(zeMemFree(other, m));
    CHECK_INT(zeMemFree(context, m), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* it is gone */
    OK(zeContextDestroy(other));
}

TEST(usm_refusals)
{
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t h = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_memory_free_ext_desc_t f = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC};
    ze_ipc_mem_handle_t ipc;
    void *m = NULL;
    CHECK_INT(zeMemAllocDevice(context, &d, 0, 1, device, &m), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    CHECK_INT(zeMemAllocDevice(context, &d, (size_t)1 << 60, 1, device, &m), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    CHECK_INT(zeMemAllocHost(context, &h, 100, (size_t)1 << 31, &m), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    if (!getenv("ZE_ENABLE_PARAMETER_VALIDATION")) { /* the loader's checks require a power of two, drivers do not */
        OK(zeMemAllocHost(context, &h, 100, 12, &m));
        CHECK((uintptr_t)m % 16 == 0);
        OK(zeMemFree(context, m));
    }
    CHECK_INT(zeMemAllocDevice(context, NULL, 1, 1, device, &m), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    d.flags = 0x40;
    CHECK_INT(zeMemAllocDevice(context, &d, 1, 1, device, &m), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    m = new_memory(100);
    CHECK_INT(zeMemGetIpcHandle(context, &ipc, &ipc), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* of the stack */
    f.freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE;
    OK(zeMemFreeExt(context, &f, m));
}

/* Deferred: submitted work still uses the memory, which is then freed. */
TEST(deferred_free)
{
    enum { BYTES = 64 << 20 };
    ze_driver_memory_free_ext_properties_t how = {.stype = ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES};
    ze_driver_properties_t about = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES, .pNext = &how};
    ze_memory_free_ext_desc_t f = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                   .freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE};
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t other = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t pool = new_pool(3, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t go = new_event(pool, 0), done = new_event(pool, 1), ready = new_event(pool, 2);
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    char *m = new_memory(BYTES), *to = new_memory(BYTES);
    unsigned char resident;
    OK(zeDriverGetProperties(driver, &about));
    CHECK_INT(how.freePolicies, ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE |
                                    ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE);
    memset(m, 'q', BYTES);
    OK(zeCommandListAppendMemoryCopy(l, to, m, BYTES, done, 1, &go));
    OK(zeMemFreeExt(context, &f, m));
    CHECK_INT(zeMemFreeExt(context, &f, m), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeMemGetAllocProperties(context, m, &p, NULL));
    CHECK_INT(p.type, ZE_MEMORY_TYPE_UNKNOWN);
    /* The completion of another queue does not matter. */
    OK(zeCommandListAppendMemoryFill(other, to, "z", 1, BYTES, ready, 0, NULL));
    OK(zeEventHostSynchronize(ready, FOR_EVER));
    OK(zeEventHostSignal(go));
    OK(zeEventHostSynchronize(done, FOR_EVER));
    CHECK(to[0] == 'q' && memcmp(to, to + 1, BYTES - 1) == 0);
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(other));
#if !TEST_SANITIZED /* they keep freed memory */
    CHECK(mincore(m, 4096, &resident) != 0);
    m = new_memory(BYTES);
    OK(zeMemFreeExt(context, &f, m)); /* nobody uses it */
    CHECK(mincore(m, 4096, &resident) != 0);
#else
    (void)resident;
#endif
    OK(zeEventDestroy(go));
    OK(zeEventDestroy(done));
    OK(zeEventDestroy(ready));
    OK(zeEventPoolDestroy(pool));
    OK(zeMemFree(context, to));
}

/* Each allocation has its own pages, at any alignment. A kernel that writes a little too far must not reach the host's
 * heap: on hardware it does not. */
TEST(usm_pages)
{
    enum { N = 50 };
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .ordinal = 1}; /* of one memory */
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 0, i;
    uint8_t *m[N];
    char *text[N];
    void *far = NULL, *base = NULL;
    for (i = 0; i < N; i++) {
        m[i] = new_memory(1 + 7 * i);
        text[i] = strdup("the host's");
    }
    for (i = 0; i < N; i++) {
        CHECK_INT((uintptr_t)m[i] % page, 0);
        OK(zeMemGetAddressRange(context, m[i], &base, &size));
        CHECK(base == m[i] && size == 1 + 7 * i); /* its size is the requested one */
        memset(m[i], 0x5a, page);
    }
    for (i = 0; i < N; i++) {
        CHECK_STR(text[i], "the host's");
        CHECK_INT(m[i][page - 1], 0x5a);
        OK(zeMemFree(context, m[i]));
        free(text[i]);
    }
    for (i = (size_t)1 << 20; i <= (size_t)1 << 24; i *= 2) {
        OK(zeMemAllocDevice(context, &d, 3 * i / 2, i, device, &far));
        CHECK_INT((uintptr_t)far % i, 0);
        OK(zeMemFree(context, far));
    }
}

/* Whether the address is writable: a system call reports it, whereas a store would end the process. */
static bool can_be_written(char *p)
{
    int ends[2];
    bool can;
    if (pipe(ends) != 0) return false;
    can = write(ends[1], "\7", 1) == 1 && read(ends[0], p, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return can;
}

/* Nothing is mapped right before an allocation, or after the 64 KiB that Intel's driver would give it; and there may be
 * more of them than mappings of a process. */
TEST(usm_guards)
{
    enum { N = 100, MANY = 40000, FAR = 1 << 20, GRANULE = 64 << 10, STEP = 4096 };
    char **m = (char **)calloc(MANY, sizeof *m);
    CHECK(m != NULL);
    for (int i = 0; i < N && m; i++) m[i] = (char *)new_memory((size_t)i * STEP + 1);
    for (int i = 0; i < N && m; i++) {
        size_t end = ((size_t)i * STEP / GRANULE + 1) * GRANULE;
        CHECK(can_be_written(m[i] + end - 1) && !can_be_written(m[i] + end) && !can_be_written(m[i] + end + FAR));
        CHECK(!can_be_written(m[i] - 1) && !can_be_written(m[i] - FAR));
    }
    for (int i = 0; i < N && m; i++) OK(zeMemFree(context, m[i]));
    for (int i = 0; i < MANY && m; i++) {
        m[i] = (char *)new_memory(100);
        if (m[i]) m[i][99] = (char)i;
    }
    for (int i = 0; i < MANY && m; i++) {
        CHECK_INT(m[i] && m[i][99] == (char)i, 1);
        OK(zeMemFree(context, m[i]));
    }
    free(m);
}

/* The reported sizes can be allocated. No page is touched. */
TEST(usm_largest)
{
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    FILE *f = fopen("/proc/sys/vm/overcommit_memory", "re");
    int policy = f ? fgetc(f) : 0;
    void *m = NULL;
    if (f) fclose(f);
    if (TEST_SANITIZED) SKIP("the sanitizer has bounds of its own");
    if (policy == '2' || getenv("XETILE_SOFT_CHECK")) SKIP("memory is counted, or filled, when it is allocated");
    OK(zeDeviceGetProperties(device, &p));
    OK(zeMemAllocDevice(context, &d, p.maxMemAllocSize, 0, device, &m));
    if (m) OK(zeMemFree(context, m));
}

TEST(virtual_memory)
{
    ze_physical_mem_desc_t d = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC};
    ze_memory_access_attribute_t access = ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE;
    ze_physical_mem_handle_t physical = NULL;
    size_t page = 0, size = 0;
    char *range = NULL;
    if (!getenv("ZE_ENABLE_PARAMETER_VALIDATION")) OK(zeVirtualMemQueryPageSize(context, device, 0, &page));
    OK(zeVirtualMemQueryPageSize(context, device, 100, &page));
    if (!page) return;
    d.size = 3 * page;
    OK(zePhysicalMemCreate(context, device, &d, &physical));
    /* A start address, which the loader's checks of 1.4 require. */
    OK(zeVirtualMemReserve(context, (void *)(UINT64_C(1) << 40), 16 * page, (void **)&range));
    if (!range) return;
    OK(zeVirtualMemMap(context, range + 4 * page, 2 * page, physical, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    OK(zeVirtualMemMap(context, range + 10 * page, page, physical, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    memset(range + 4 * page, 7, 2 * page);
    CHECK(can_be_written(range + 4 * page) && !can_be_written(range + 10 * page) && !can_be_written(range));
    CHECK_INT(range[10 * page + 5], 7); /* the same memory at two addresses */
    OK(zeVirtualMemGetAccessAttribute(context, range + 4 * page, 8 * page, &access, &size));
    CHECK(access == ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE && size == 2 * page);
    OK(zeVirtualMemSetAccessAttribute(context, range + 4 * page, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    OK(zeVirtualMemGetAccessAttribute(context, range + 4 * page, 2 * page, &access, &size));
    CHECK(access == ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY && size == page);
    CHECK(!can_be_written(range + 4 * page) && can_be_written(range + 5 * page));
    CHECK(zeVirtualMemMap(context, range, page, physical, 3 * page, access) != ZE_RESULT_SUCCESS);
    CHECK(zeVirtualMemMap(context, range + 15 * page, 2 * page, physical, 0, access) != ZE_RESULT_SUCCESS);
    CHECK(zeVirtualMemMap(context, range + 1, page, physical, 0, access) != ZE_RESULT_SUCCESS);
    OK(zeVirtualMemUnmap(context, range + 4 * page, 2 * page));
    OK(zeVirtualMemUnmap(context, range + 10 * page, page));
    CHECK(!can_be_written(range + 5 * page));
    CHECK(zeVirtualMemFree(context, range, page) != ZE_RESULT_SUCCESS);
    OK(zeVirtualMemFree(context, range, 16 * page));
    OK(zePhysicalMemDestroy(context, physical));
}

/* ---- lists and queues */

static void execute(ze_command_list_handle_t list)
{
    ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    OK(zeCommandQueueExecuteCommandLists(q, 1, &list, NULL));
    OK(zeCommandQueueDestroy(q));
}

TEST(copies_and_fills)
{
    enum { HALF = 2 << 20 };
    const uint8_t pattern[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t *m = new_memory(3000), *big = new_memory(2 * HALF), on_stack[100];
    const void *range = m;
    const size_t range_size = 3000;
    ze_command_list_handle_t l = new_list();
    uint32_t i;
    for (i = 0; i < 100; i++) on_stack[i] = (uint8_t)(i * 7);
    OK(zeCommandListAppendMemoryFill(l, m, pattern, 8, 800, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryFill(l, m + 1000, pattern + 2, 1, 1000, NULL, 0, NULL));
    OK(zeCommandListAppendBarrier(l, NULL, 0, NULL));
    memset(big, 3, HALF);
    OK(zeCommandListAppendMemoryFill(l, big, big, HALF, 2 * HALF, NULL, 0, NULL)); /* a pattern of any size */
    OK(zeCommandListAppendMemoryRangesBarrier(l, 1, &range_size, &range, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopy(l, m + 2000, on_stack, 100, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopyFromContext(l, m + 2100, context, m + 2000, 100, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryPrefetch(l, m, 3000));
    OK(zeCommandListAppendMemAdvise(l, device, m, 3000, ZE_MEMORY_ADVICE_SET_READ_MOSTLY));
    OK(zeCommandListClose(l));
    CHECK_INT(m[0], 0xa5); /* recorded, not executed */
    execute(l);
    for (i = 0; i < 3000; i++) {
        uint8_t want = i < 800    ? pattern[i % 8]
                       : i < 1000 ? 0xa5
                       : i < 2000 ? 3
                       : i < 2200 ? (uint8_t)(i % 100 * 7)
                                  : 0xa5;
        CHECK_INT(m[i], want);
    }
    for (i = 0; i < 2 * HALF; i++) CHECK_INT(big[i], 3);
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, big));
    OK(zeMemFree(context, m));
}

TEST(region_copies)
{
    enum { W = 20, H = 9, D = 5 };
    const ze_copy_region_t from = {3, 2, 1, 11, 4, 3}, to = {5, 1, 2, 11, 4, 3};
    uint8_t *a = new_memory(W * H * D), *b = new_memory(32 * 7 * D);
    ze_command_list_handle_t l = new_list();
    uint32_t i, x, y, z;
    for (i = 0; i < W * H * D; i++) a[i] = (uint8_t)test_random();
    OK(zeCommandListAppendMemoryCopyRegion(l, b, &to, 32, 32 * 7, a, &from, W, W * H, NULL, 0, NULL));
    OK(zeCommandListClose(l));
    execute(l);
    for (z = 0; z < D; z++)
        for (y = 0; y < 7; y++)
            for (x = 0; x < 32; x++) {
                bool in = x >= 5 && x < 16 && y >= 1 && y < 5 && z >= 2;
                CHECK_INT(b[(z * 7 + y) * 32 + x], in ? a[((z - 1) * H + y + 1) * W + x - 2] : 0xa5);
            }
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, a));
    OK(zeMemFree(context, b));
}

TEST(append_refusals)
{
    const ze_copy_region_t small = {0, 0, 0, 4, 4, 1}, other = {0, 0, 0, 4, 5, 1}, shifted = {2, 2, 0, 4, 4, 1};
    uint8_t *m = new_memory(100);
    ze_command_list_handle_t l = new_list(), again = new_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    CHECK_INT(zeCommandListAppendMemoryCopy(l, m, m + 50, 51, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK_INT(zeCommandListAppendMemoryFill(l, m, "abc", 3, 99, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK_INT(zeCommandListAppendMemoryFill(l, m, "abcd", 4, 98, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK_INT(zeCommandListAppendMemoryFill(l, m, NULL, 1, 99, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK(zeCommandListAppendMemoryCopyRegion(l, m, &small, 10, 0, m, &other, 10, 0, NULL, 0, NULL) !=
          ZE_RESULT_SUCCESS);
    CHECK_INT(zeCommandListAppendMemoryCopyRegion(l, m, &small, 10, 0, m, &shifted, 10, 0, NULL, 0, NULL),
              ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    CHECK(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL) != ZE_RESULT_SUCCESS); /* not closed */
    OK(zeCommandListReset(l));
    OK(zeCommandListAppendBarrier(l, NULL, 0, NULL));
    OK(zeCommandListClose(l));
    OK(zeCommandListClose(l)); /* closing again is allowed */
    CHECK_INT(zeCommandQueueExecuteCommandLists(q, 1, &again, NULL), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    OK(zeCommandListClose(again)); /* allowed, but not needed */
    CHECK(zeCommandListAppendBarrier(again, NULL, 0, NULL) != ZE_RESULT_SUCCESS);
    OK(zeCommandListReset(again));
    OK(zeCommandListAppendBarrier(again, NULL, 0, NULL));
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(again));
    OK(zeCommandQueueDestroy(q));
    OK(zeMemFree(context, m));
}

/* A list that waits for the host, on an asynchronous queue: nothing runs until the event is signalled. */
TEST(asynchronous_queue_fence_and_host_event)
{
    ze_fence_desc_t fd = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t pool = new_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t go = new_event(pool, 0), done = new_event(pool, 1);
    ze_command_list_handle_t l = new_list();
    ze_fence_handle_t fence = NULL;
    uint32_t *m = new_memory(8), one = 1, two = 2;
    OK(zeFenceCreate(q, &fd, &fence));
    OK(zeCommandListAppendMemoryFill(l, m, &one, 4, 4, NULL, 1, &go));
    OK(zeCommandListAppendMemoryFill(l, m + 1, &two, 4, 4, done, 0, NULL));
    OK(zeCommandListClose(l));
    OK(zeCommandQueueExecuteCommandLists(q, 1, &l, fence));
    CHECK_INT(zeCommandQueueSynchronize(q, 5 * MILLISECOND), ZE_RESULT_NOT_READY);
    CHECK_INT(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
    CHECK_INT(zeFenceHostSynchronize(fence, MILLISECOND), ZE_RESULT_NOT_READY);
    CHECK_INT(zeEventQueryStatus(done), ZE_RESULT_NOT_READY);
    CHECK_INT(m[0], 0xa5a5a5a5);
    OK(zeEventHostSignal(go));
    OK(zeEventHostSynchronize(done, FOR_EVER));
    OK(zeFenceHostSynchronize(fence, FOR_EVER));
    OK(zeCommandQueueSynchronize(q, FOR_EVER));
    CHECK(m[0] == 1 && m[1] == 2);
    OK(zeFenceReset(fence));
    CHECK_INT(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
    OK(zeEventHostReset(done));
    CHECK_INT(zeEventQueryStatus(done), ZE_RESULT_NOT_READY);
    m[0] = m[1] = 0;
    OK(zeCommandQueueExecuteCommandLists(q, 1, &l, fence)); /* `go` is still set */
    OK(zeFenceHostSynchronize(fence, FOR_EVER));
    CHECK(m[0] == 1 && m[1] == 2);
    OK(zeEventPoolDestroy(pool)); /* its events stay */
    OK(zeEventQueryStatus(go));
    OK(zeCommandQueueDestroy(q));
    OK(zeFenceHostSynchronize(fence, FOR_EVER)); /* it is set, even if its queue failed */
    OK(zeFenceReset(fence));
    CHECK_INT(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
    OK(zeFenceDestroy(fence));
    OK(zeEventDestroy(go));
    OK(zeEventDestroy(done));
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, m));
}

/* A thread that waits for an event, or a fence, may run what comes before that itself; nothing after it, which may wait
 * for what the thread does next. */
TEST(who_waits_goes_no_further_than_he_must)
{
    ze_fence_desc_t fd = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_event_pool_handle_t pool = new_pool(3, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t half = new_event(pool, 0), go = new_event(pool, 1), end = new_event(pool, 2);
    ze_command_list_handle_t whole = new_list(), first = new_list(), second = new_list(), l = whole;
    ze_command_list_handle_t immediate = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_fence_handle_t fence = NULL;
    uint32_t *m = new_memory(8), round, one = 1;
    OK(zeFenceCreate(q, &fd, &fence));
    OK(zeCommandListAppendMemoryFill(whole, m, &one, 4, 4, half, 0, NULL));
    OK(zeCommandListAppendMemoryFill(whole, m + 1, &one, 4, 4, end, 1, &go));
    OK(zeCommandListAppendMemoryFill(first, m, &one, 4, 4, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryFill(second, m + 1, &one, 4, 4, end, 1, &go));
    OK(zeCommandListClose(whole));
    OK(zeCommandListClose(first));
    OK(zeCommandListClose(second));
    alarm(300);
    for (round = 0; round < 300; round++) {
        m[0] = m[1] = 0;
        if (round % 3 == 2) {
            OK(zeCommandQueueExecuteCommandLists(q, 1, &first, fence));
            OK(zeCommandQueueExecuteCommandLists(q, 1, &second, NULL));
            OK(zeFenceHostSynchronize(fence, FOR_EVER));
            OK(zeFenceReset(fence));
        } else {
            if (round % 3) {
                OK(zeCommandListAppendMemoryFill(immediate, m, &one, 4, 4, half, 0, NULL));
                OK(zeCommandListAppendMemoryFill(immediate, m + 1, &one, 4, 4, end, 1, &go));
            } else {
                OK(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL));
            }
            OK(zeEventHostSynchronize(half, FOR_EVER));
            OK(zeEventHostReset(half));
        }
        CHECK(m[0] == 1 && m[1] == 0);
        OK(zeEventHostSignal(go));
        OK(zeEventHostSynchronize(end, FOR_EVER));
        OK(zeEventHostReset(end));
        OK(zeEventHostReset(go));
        CHECK_INT(m[1], 1);
    }
    alarm(0);
    OK(zeFenceDestroy(fence));
    OK(zeEventDestroy(half));
    OK(zeEventDestroy(go));
    OK(zeEventDestroy(end));
    OK(zeEventPoolDestroy(pool));
    OK(zeCommandListDestroy(whole));
    OK(zeCommandListDestroy(first));
    OK(zeCommandListDestroy(second));
    OK(zeCommandListDestroy(immediate));
    OK(zeCommandQueueDestroy(q));
    OK(zeMemFree(context, m));
}

/* Two changes of thread are saved when the thread that waits does the work. Once in a while the queue's thread is there
 * first. */
TEST(who_waits_does_the_work)
{
    enum { BYTES = 1 << 20, ROUNDS = 200 };
    ze_event_pool_handle_t pool = new_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_event_handle_t e = new_event(pool, 0);
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    char *m = new_memory(BYTES);
    uint32_t round, own = 0;
    for (round = 0; round < ROUNDS; round++) {
        ze_kernel_timestamp_result_t t;
        struct timespec before, after;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
        OK(zeCommandListAppendMemoryCopy(l, m, m + BYTES / 2, BYTES / 2, e, 0, NULL));
        OK(zeEventHostSynchronize(e, FOR_EVER));
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
        OK(zeEventQueryKernelTimestamp(e, &t));
        OK(zeEventHostReset(e));
        own += (after.tv_sec - before.tv_sec) * 1e9 + (double)(after.tv_nsec - before.tv_nsec) >=
               0.5 * (double)(t.global.kernelEnd - t.global.kernelStart);
    }
    CHECK_MSG(own >= ROUNDS / 10, "%u of %d copies were done by the thread that waited", own, (int)ROUNDS);
    OK(zeCommandListDestroy(l));
    OK(zeEventDestroy(e));
    OK(zeEventPoolDestroy(pool));
    OK(zeMemFree(context, m));
}

/* Two queues alternate by events: each must run while the other waits. */
TEST(queues_wait_for_each_other)
{
    enum { ROUNDS = 50 };
    ze_command_queue_handle_t q[2] = {new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                                      new_queue(ZE_COMMAND_QUEUE_MODE_DEFAULT)};
    ze_command_list_handle_t l[2] = {new_list(), new_list()};
    ze_event_pool_handle_t pool = new_pool(2 * ROUNDS, 0);
    ze_event_handle_t e[2 * ROUNDS];
    uint8_t *m = new_memory(2 * ROUNDS + 1);
    uint32_t i;
    for (i = 0; i < 2 * ROUNDS; i++) e[i] = new_event(pool, i);
    m[0] = 42;
    for (i = 0; i < 2 * ROUNDS; i++)
        OK(zeCommandListAppendMemoryCopy(l[i % 2], m + i + 1, m + i, 1, e[i], i ? 1 : 0, i ? &e[i - 1] : NULL));
    for (i = 0; i < 2; i++) OK(zeCommandListClose(l[i]));
    OK(zeCommandQueueExecuteCommandLists(q[1], 1, &l[1], NULL));
    OK(zeCommandQueueExecuteCommandLists(q[0], 1, &l[0], NULL));
    for (i = 0; i < 2; i++) OK(zeCommandQueueSynchronize(q[i], FOR_EVER));
    CHECK_INT(m[2 * ROUNDS], 42);
    for (i = 0; i < 2 * ROUNDS; i++) OK(zeEventDestroy(e[i]));
    OK(zeEventPoolDestroy(pool));
    for (i = 0; i < 2; i++) OK(zeCommandListDestroy(l[i]));
    for (i = 0; i < 2; i++) OK(zeCommandQueueDestroy(q[i]));
    OK(zeMemFree(context, m));
}

/* The group of copy queues accepts copies, fills and events, and refuses kernels. */
TEST(copies_only)
{
    ze_command_queue_group_properties_t g[2] = {{.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES},
                                                {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES}};
    ze_command_queue_desc_t qd = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = 1};
    ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .commandQueueGroupOrdinal = 1};
    ze_command_queue_handle_t q, other = new_queue(ZE_COMMAND_QUEUE_MODE_DEFAULT);
    ze_command_list_handle_t l, immediate;
    ze_group_count_t one = {1, 1, 1};
    uint8_t *m = new_memory(64);
    uint32_t n = 2;
    OK(zeDeviceGetCommandQueueGroupProperties(device, &n, g));
    CHECK_INT(n, 2);
    CHECK_INT(g[1].flags, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
    OK(zeCommandQueueCreate(context, device, &qd, &q));
    OK(zeCommandListCreate(context, device, &ld, &l));
    OK(zeCommandListCreateImmediate(context, device, &qd, &immediate));
    for (int i = 0; i < 32; i++) m[i] = (uint8_t)i;
    OK(zeCommandListAppendMemoryCopy(l, m + 32, m, 32, NULL, 0, NULL));
    CHECK_INT(zeCommandListAppendLaunchKernel(l, (ze_kernel_handle_t)(void *)m, &one, NULL, 0, NULL),
              ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    CHECK_INT(zeCommandListAppendLaunchKernel(immediate, (ze_kernel_handle_t)(void *)m, &one, NULL, 0, NULL),
              ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    OK(zeCommandListClose(l));
    CHECK_INT(zeCommandQueueExecuteCommandLists(other, 1, &l, NULL), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    OK(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL));
    OK(zeCommandQueueSynchronize(q, FOR_EVER));
    CHECK(!memcmp(m, m + 32, 32));
    OK(zeCommandListDestroy(l));
    qd.ordinal = 2;
    CHECK_INT(zeCommandListCreateImmediate(context, device, &qd, &l), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeCommandListDestroy(immediate));
    OK(zeCommandQueueDestroy(q));
    OK(zeCommandQueueDestroy(other));
    OK(zeMemFree(context, m));
}

/* The host waits for the newest submission first; submissions still begin in order. */
TEST(submissions_begin_in_order)
{
    enum { ROUNDS = 100, QUEUES = 3 };
    ze_command_queue_handle_t q[QUEUES];
    ze_command_list_handle_t l[QUEUES];
    ze_event_pool_handle_t pool = new_pool(QUEUES, 0);
    ze_event_handle_t e[QUEUES];
    uint64_t *when = (uint64_t *)(void *)new_memory(QUEUES * sizeof *when);
    int out_of_order = 0;
    for (uint32_t i = 0; i < QUEUES; i++) {
        q[i] = new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
        l[i] = new_list();
        e[i] = new_event(pool, i);
        OK(zeCommandListAppendWriteGlobalTimestamp(l[i], &when[i], e[i], 0, NULL));
        OK(zeCommandListClose(l[i]));
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < QUEUES; i++) {
            OK(zeEventHostReset(e[i]));
            OK(zeCommandQueueExecuteCommandLists(q[i], 1, &l[i], NULL));
        }
        OK(zeEventHostSynchronize(e[QUEUES - 1], FOR_EVER));
        for (uint32_t i = 0; i < QUEUES; i++) OK(zeCommandQueueSynchronize(q[i], FOR_EVER));
        for (uint32_t i = 1; i < QUEUES; i++) out_of_order += when[i] < when[i - 1];
    }
    CHECK_INT(out_of_order, 0);
    for (uint32_t i = 0; i < QUEUES; i++) {
        OK(zeEventDestroy(e[i]));
        OK(zeCommandListDestroy(l[i]));
        OK(zeCommandQueueDestroy(q[i]));
    }
    OK(zeEventPoolDestroy(pool));
    OK(zeMemFree(context, when));
}

/* What waits for an event, here of the host, lets later submissions pass. */
TEST(who_waits_lets_others_pass)
{
    ze_command_list_handle_t waits = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS), l = new_list();
    ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t pool = new_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t go = new_event(pool, 0), end = new_event(pool, 1);
    uint32_t *m = new_memory(8), one = 1;
    OK(zeCommandListAppendMemoryFill(l, m, &one, 4, 4, NULL, 0, NULL));
    OK(zeCommandListClose(l));
    OK(zeCommandListAppendMemoryCopy(waits, m + 1, m, 4, end, 1, &go));
    OK(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL));
    OK(zeCommandQueueSynchronize(q, FOR_EVER));
    CHECK_INT(zeEventQueryStatus(end), ZE_RESULT_NOT_READY);
    OK(zeEventHostSignal(go));
    OK(zeEventHostSynchronize(end, FOR_EVER));
    CHECK(m[0] == 1 && m[1] == 1);
    OK(zeCommandListDestroy(waits));
    OK(zeCommandListDestroy(l));
    OK(zeCommandQueueDestroy(q));
    OK(zeEventDestroy(go));
    OK(zeEventDestroy(end));
    OK(zeEventPoolDestroy(pool));
    OK(zeMemFree(context, m));
}

/* The best of several: waits end late on a loaded machine. */
/* Memory that a command may be writing. */
__attribute__((no_sanitize("thread"))) static char peek(const char *at) { return *(const volatile char *)at; }

/* Who waits for one list runs what is older in another, and leaves the rest to that one's thread, which has gone to
 * sleep meanwhile. Nobody waits for the rest. */
TEST(who_waits_leaves_the_rest_to_others)
{
    enum { BYTES = 64 << 20 };
    ze_command_list_handle_t a = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                             b = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t pool = new_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t of_a = new_event(pool, 0), of_b = new_event(pool, 1);
    char *m = new_memory(BYTES);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 3; i++) { /* its thread expects more for a while, without being woken */
            OK(zeCommandListAppendMemoryFill(b, m, "w", 1, 1, of_b, 0, NULL));
            OK(zeEventHostSynchronize(of_b, FOR_EVER));
            OK(zeEventHostReset(of_b));
        }
        OK(zeCommandListAppendMemoryFill(b, m, "x", 1, BYTES, NULL, 0, NULL));
        OK(zeCommandListAppendMemoryFill(a, m, "y", 1, 1, of_a, 0, NULL));
        OK(zeCommandListAppendMemoryFill(b, m, "z", 1, 1, NULL, 0, NULL));
        OK(zeEventHostSynchronize(of_a, FOR_EVER));
        for (int i = 0; i < 100000 && peek(m) != 'z'; i++) usleep(100);
        CHECK(peek(m) == 'z');
        OK(zeCommandListAppendBarrier(b, of_b, 0, NULL));
        OK(zeEventHostSynchronize(of_b, FOR_EVER));
        OK(zeEventHostReset(of_b));
        CHECK(m[0] == 'z' && m[1] == 'x' && m[BYTES - 1] == 'x');
        OK(zeEventHostReset(of_a));
    }
    OK(zeCommandListDestroy(a));
    OK(zeCommandListDestroy(b));
    OK(zeEventDestroy(of_a));
    OK(zeEventDestroy(of_b));
    OK(zeEventPoolDestroy(pool));
    OK(zeMemFree(context, m));
}

TEST(waits_end_on_time)
{
    enum { TRIES = 40, WAIT_NS = 5000000 };
    ze_event_pool_handle_t pool = new_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t e = new_event(pool, 0);
    int slack = prctl(PR_GET_TIMERSLACK);
    double least = 1e9;
    for (int i = 0; i < TRIES; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        CHECK_INT(zeEventHostSynchronize(e, WAIT_NS), ZE_RESULT_NOT_READY);
        clock_gettime(CLOCK_MONOTONIC, &to);
        double ns = 1e9 * (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec);
        CHECK_MSG(ns >= WAIT_NS, "%g ns", ns);
        if (ns < least) least = ns;
    }
    CHECK_MSG(least <= 1.02 * WAIT_NS, "at best %g ns", least);
    CHECK_INT(prctl(PR_GET_TIMERSLACK), slack); /* the program's own waits are unchanged */
    OK(zeEventDestroy(e));
    OK(zeEventPoolDestroy(pool));
}

/* Once the event of its last command is set, a list is no longer in use and may go. The queue's thread is made to yield
 * to whoever waits for the event: it inherits a processor shared with this thread, and the lowest priority. */
TEST(lists_end_with_their_last_event)
{
    ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t pool = new_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t e = new_event(pool, 0);
    const struct sched_param none = {0};
    cpu_set_t all, one;
    uint32_t i;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    CPU_ZERO(&one);
    for (i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
    sched_setscheduler(0, SCHED_IDLE, &none);
    mallopt(M_PERTURB, 0xa5); /* overwrites freed memory */
    for (i = 0; i < 10; i++) {
        ze_command_list_handle_t l = new_list();
        OK(zeCommandListAppendSignalEvent(l, e));
        OK(zeCommandListClose(l));
        OK(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL));
        if (!i) sched_setscheduler(0, SCHED_OTHER, &none);
        OK(zeEventHostSynchronize(e, FOR_EVER - 1)); /* a thread that waits forever would run the list itself */
        OK(zeCommandListDestroy(l));
        OK(zeEventHostReset(e));
    }
    mallopt(M_PERTURB, 0);
    sched_setaffinity(0, sizeof all, &all);
    OK(zeCommandQueueDestroy(q));
    OK(zeEventDestroy(e));
    OK(zeEventPoolDestroy(pool));
}

TEST(device_events_and_timestamps)
{
    ze_event_pool_handle_t pool = new_pool(3, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_event_pool_handle_t plain = new_pool(1, 0);
    ze_event_handle_t e[3] = {new_event(pool, 0), new_event(pool, 1), new_event(pool, 2)}, p = new_event(plain, 0);
    ze_command_list_handle_t l = new_list();
    ze_kernel_timestamp_result_t t, both[3];
    const size_t offsets[2] = {sizeof t, 0};
    uint64_t *stamp = new_memory(16);
    char *m = new_memory(1 << 20);
    uint32_t count = 0;
    CHECK_INT(zeEventQueryKernelTimestamp(e[0], &t), ZE_RESULT_NOT_READY);
    CHECK_INT(zeEventQueryKernelTimestamp(p, &t), ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    OK(zeCommandListAppendWriteGlobalTimestamp(l, &stamp[0], NULL, 0, NULL));
    OK(zeCommandListAppendMemoryFill(l, m, "x", 1, 1 << 20, e[0], 0, NULL));
    OK(zeCommandListAppendMemoryCopy(l, m, m + (1 << 19), 1 << 19, e[1], 1, &e[0]));
    OK(zeCommandListAppendWriteGlobalTimestamp(l, &stamp[1], NULL, 0, NULL));
    OK(zeCommandListAppendQueryKernelTimestamps(l, 2, e, both, offsets, e[2], 0, NULL));
    OK(zeCommandListAppendEventReset(l, e[0]));
    OK(zeCommandListAppendSignalEvent(l, p));
    OK(zeCommandListAppendWaitOnEvents(l, 1, &p));
    OK(zeCommandListClose(l));
    execute(l);
    CHECK_INT(zeEventQueryStatus(e[0]), ZE_RESULT_NOT_READY);
    OK(zeEventQueryStatus(e[2]));
    OK(zeEventQueryTimestampsExp(e[1], device, &count, NULL));
    CHECK_INT(count, 1);
    OK(zeEventQueryTimestampsExp(e[1], device, &count, &t));
    CHECK(t.global.kernelEnd > t.global.kernelStart);
    OK(zeEventQueryKernelTimestamp(e[1], &t));
    CHECK(t.global.kernelEnd > t.global.kernelStart && t.context.kernelEnd == t.global.kernelEnd);
    CHECK(memcmp(&t, &both[0], sizeof t) == 0);
    CHECK(stamp[0] <= both[1].global.kernelStart && both[1].global.kernelEnd <= both[0].global.kernelStart &&
          both[0].global.kernelEnd <= stamp[1]);
    OK(zeEventDestroy(p));
    for (count = 0; count < 3; count++) OK(zeEventDestroy(e[count]));
    OK(zeEventPoolDestroy(pool));
    OK(zeEventPoolDestroy(plain));
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, stamp));
    OK(zeMemFree(context, m));
}

TEST(immediate_lists)
{
    ze_command_queue_mode_t modes[] = {ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_event_pool_handle_t pool = new_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t e = new_event(pool, 0);
    uint32_t *m = new_memory(400), mode, i;
    for (mode = 0; mode < 2; mode++) {
        ze_command_list_handle_t l = new_immediate(modes[mode]);
        memset(m, 0, 400);
        for (i = 0; i < 99; i++) {
            uint32_t value = i + 1; /* the pattern is copied at the call */
            OK(zeCommandListAppendMemoryFill(l, &m[i], &value, 4, 4, NULL, 0, NULL));
            value = 0;
            if (mode == 0) CHECK_INT(m[i], i + 1);
        }
        OK(zeCommandListAppendSignalEvent(l, e));
        OK(zeEventHostSynchronize(e, FOR_EVER));
        OK(zeEventHostReset(e));
        for (i = 0; i < 99; i++) CHECK_INT(m[i], i + 1);
        OK(zeCommandListDestroy(l));
    }
    OK(zeEventDestroy(e));
    OK(zeEventPoolDestroy(pool));
    OK(zeMemFree(context, m));
}

static bool several_drivers(void)
{
    const char *drivers = getenv("ZE_ENABLE_ALT_DRIVERS");
    return drivers && strchr(drivers, ',');
}

/* The driver's functions, for calls that an older loader's checks refuse. With one driver, its handles are used. */
static ze_command_list_dditable_t own_list_functions(void)
{
    ze_pfnGetCommandListProcAddrTable_t get = NULL;
    ze_command_list_dditable_t table = {0};
    void *library = dlopen(getenv("ZE_ENABLE_ALT_DRIVERS"), RTLD_NOW), *at;
    at = library ? dlsym(library, "zeGetCommandListProcAddrTable") : NULL;
    memcpy(&get, &at, sizeof get);
    CHECK(get != NULL);
    if (get) OK(get(ZE_API_VERSION_CURRENT, &table));
    return table;
}

/* Flags of newer headers. Each step depends on the previous one only by its order. */
TEST(lists_in_order)
{
    enum { QUEUE_IN_ORDER = 2, LIST_IN_ORDER = 8, STEPS = 100, BYTES = 4096 };
    ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .flags = LIST_IN_ORDER};
    ze_command_queue_desc_t qd = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                  .flags = QUEUE_IN_ORDER,
                                  .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_event_pool_handle_t pool;
    ze_event_handle_t e;
    uint8_t *m;
    ze_command_list_handle_t l[2] = {NULL, NULL};
    ze_command_list_dditable_t make;
    uint32_t round, i;
    if (several_drivers()) SKIP("several drivers");
    make = own_list_functions();
    pool = new_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    e = new_event(pool, 0);
    m = new_memory((STEPS + 1) * BYTES);
    OK(make.pfnCreate(context, device, &ld, &l[0]));
    OK(make.pfnCreateImmediate(context, device, &qd, &l[1]));
    for (round = 0; round < 2 && l[0] && l[1]; round++) {
        uint8_t pattern = (uint8_t)(0x31 + round);
        memset(m, 0xa5, (STEPS + 1) * BYTES);
        OK(zeCommandListAppendMemoryFill(l[round], m, &pattern, 1, BYTES, NULL, 0, NULL));
        for (i = 0; i < STEPS; i++)
            OK(zeCommandListAppendMemoryCopy(l[round], m + (i + 1) * BYTES, m + i * BYTES, BYTES,
                                             i + 1 == STEPS ? e : NULL, 0, NULL));
        if (!round) OK(zeCommandListClose(l[0]));
        if (!round) execute(l[0]);
        OK(zeEventHostSynchronize(e, FOR_EVER));
        OK(zeEventHostReset(e));
        for (i = 0; i < (STEPS + 1) * BYTES; i++)
            if (m[i] != pattern) break;
        CHECK_INT(i, (STEPS + 1) * BYTES);
    }
    OK(zeCommandListDestroy(l[0]));
    OK(zeCommandListDestroy(l[1]));
    OK(zeEventDestroy(e));
    OK(zeEventPoolDestroy(pool));
    OK(zeMemFree(context, m));
}

/* What makes another thing of a descriptor is not passed over: whoever waits for such an event would wait for ever. */
TEST(chained_descriptors)
{
    enum {
        HINT = 0x20001,
        MUTABLE_LIST = 0x20016,
        OF_THE_SYSTEM = 0x20037,
        COUNTER = 0x2003b
    };
    struct {
        uint32_t stype;
        const void *next;
        uint64_t space[4];
    } hint = {HINT, NULL, {0}}, chain = {COUNTER, NULL, {0}}, before = {HINT, &chain, {0}};
    ze_event_pool_desc_t pd = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .pNext = &before, .count = 1};
    ze_event_desc_t ed = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .pNext = &chain};
    ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .pNext = &chain};
    ze_command_queue_desc_t qd = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .pNext = &chain};
    ze_device_mem_alloc_desc_t dd = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .pNext = &chain};
    ze_physical_mem_desc_t md = {
        .stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .pNext = &chain, .size = (size_t)sysconf(_SC_PAGESIZE)};
    ze_event_pool_handle_t pool = NULL;
    ze_physical_mem_handle_t p = NULL;
    ze_command_list_handle_t l = NULL;
    ze_command_queue_handle_t q = NULL;
    ze_event_handle_t e = NULL;
    void *m = NULL;
    CHECK_INT(zeEventPoolCreate(context, &pd, 0, NULL, &pool), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    pd.pNext = &hint;
    OK(zeEventPoolCreate(context, &pd, 0, NULL, &pool));
    CHECK_INT(zeEventCreate(pool, &ed, &e), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    chain.stype = MUTABLE_LIST;
    OK(zeCommandListCreate(context, device, &ld, &l));
    OK(zeCommandListDestroy(l));
    chain.stype = COUNTER;
    CHECK_INT(zeCommandListCreateImmediate(context, device, &qd, &l), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK_INT(zeCommandQueueCreate(context, device, &qd, &q), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    chain.stype = OF_THE_SYSTEM;
    CHECK_INT(zeMemAllocDevice(context, &dd, 4096, 0, device, &m), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    chain.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC;
    CHECK_INT(zeEventCreate(pool, &ed, &e), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    chain.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_WIN32;
    CHECK_INT(zePhysicalMemCreate(context, device, &md, &p), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    OK(zeEventPoolDestroy(pool));
}

/* Counter-based events stand for the last command they were given to, set or not, and are never reset. The structure is
 * of newer headers. */
struct counting {
    ze_command_list_handle_t a, b, regular, plain;
    ze_command_queue_handle_t q;
    ze_event_pool_handle_t pool, gates;
    ze_event_handle_t e, go, go_on, end;
    uint32_t *m;
};
static const uint32_t one = 1, two = 2;

static struct counting counting_begins(void)
{
    enum { COUNTING_POOL = 0x20014, IMMEDIATE_AND_REGULAR = 3, QUEUE_IN_ORDER = 2, LIST_IN_ORDER = 8 };
    struct {
        uint32_t stype;
        const void *next;
        uint32_t flags;
    } how = {COUNTING_POOL, NULL, 4};
    ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .flags = LIST_IN_ORDER};
    ze_command_queue_desc_t qd = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                  .flags = QUEUE_IN_ORDER,
                                  .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_event_pool_desc_t pd = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                               .pNext = &how,
                               .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
                               .count = 1};
    ze_command_list_dditable_t make = own_list_functions();
    struct counting c = {.plain = new_list(),
                         .q = new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                         .gates = new_pool(3, ZE_EVENT_POOL_FLAG_HOST_VISIBLE),
                         .m = new_memory(16)};
    CHECK_INT(zeEventPoolCreate(context, &pd, 0, NULL, &c.pool), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    how.flags = IMMEDIATE_AND_REGULAR;
    OK(zeEventPoolCreate(context, &pd, 0, NULL, &c.pool));
    OK(make.pfnCreateImmediate(context, device, &qd, &c.a));
    OK(make.pfnCreateImmediate(context, device, &qd, &c.b));
    OK(make.pfnCreate(context, device, &ld, &c.regular));
    c.e = new_event(c.pool, 0);
    c.go = new_event(c.gates, 0);
    c.go_on = new_event(c.gates, 1);
    c.end = new_event(c.gates, 2);
    alarm(300);
    return c;
}

/* The event itself has gone by then. */
static void counting_ends(struct counting *c)
{
    alarm(0);
    OK(zeCommandListDestroy(c->a));
    OK(zeCommandListDestroy(c->b));
    OK(zeCommandListDestroy(c->regular));
    OK(zeCommandListDestroy(c->plain));
    OK(zeCommandQueueDestroy(c->q));
    OK(zeEventDestroy(c->go));
    OK(zeEventDestroy(c->go_on));
    OK(zeEventDestroy(c->end));
    OK(zeEventPoolDestroy(c->pool));
    OK(zeEventPoolDestroy(c->gates));
    OK(zeMemFree(context, c->m));
}

/* A wait is for the event's command at that time, not for a later one. */
TEST(counter_based_events)
{
    ze_kernel_timestamp_result_t t;
    struct counting c;
    if (several_drivers()) SKIP("several drivers");
    c = counting_begins();
    OK(zeEventQueryStatus(c.e)); /* nothing will set it */
    CHECK_INT(zeEventHostSignal(c.e), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeEventHostReset(c.e), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeCommandListAppendEventReset(c.a, c.e), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeCommandListAppendSignalEvent(c.plain, c.e), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* it has no order */
    OK(zeCommandListAppendMemoryFill(c.a, c.m, &one, 4, 4, c.e, 1, &c.go));
    OK(zeCommandListAppendMemoryFill(c.b, c.m + 1, &one, 4, 4, c.end, 1, &c.e));
    OK(zeCommandListAppendMemoryFill(c.a, c.m + 2, &one, 4, 4, c.e, 1, &c.go_on));
    CHECK_INT(zeEventHostSynchronize(c.e, 2 * MILLISECOND), ZE_RESULT_NOT_READY);
    CHECK(c.m[0] != 1 && c.m[1] != 1);
    OK(zeEventHostSignal(c.go));
    OK(zeEventHostSynchronize(c.end, FOR_EVER));
    CHECK(c.m[0] == 1 && c.m[1] == 1 && c.m[2] != 1);
    CHECK_INT(zeEventQueryStatus(c.e), ZE_RESULT_NOT_READY);
    OK(zeEventHostSignal(c.go_on));
    OK(zeEventHostSynchronize(c.e, FOR_EVER));
    CHECK_INT(c.m[2], 1);
    OK(zeEventQueryKernelTimestamp(c.e, &t));
    CHECK(t.global.kernelEnd > t.global.kernelStart);
    OK(zeEventDestroy(c.e));
    counting_ends(&c);
}

/* A regular list sets it each time it runs. */
TEST(counter_based_events_of_regular_lists)
{
    struct counting c;
    if (several_drivers()) SKIP("several drivers");
    c = counting_begins();
    OK(zeCommandListAppendMemoryFill(c.regular, c.m, &two, 4, 4, c.e, 1, &c.go));
    OK(zeCommandListClose(c.regular));
    CHECK_INT(zeEventQueryStatus(c.e), ZE_RESULT_NOT_READY); /* appended, not yet executed */
    for (uint32_t i = 0; i < 20; i++) {
        c.m[0] = 0;
        OK(zeCommandQueueExecuteCommandLists(c.q, 1, &c.regular, NULL));
        CHECK_INT(zeEventQueryStatus(c.e), ZE_RESULT_NOT_READY);
        OK(zeEventHostSignal(c.go));
        OK(zeEventHostSynchronize(c.e, FOR_EVER));
        CHECK_INT(c.m[0], 2);
        OK(zeEventHostReset(c.go));
    }
    OK(zeEventDestroy(c.e));
    counting_ends(&c);
}

/* Many commands in a row, none waited for by the host; the event is destroyed before they are done. */
TEST(counter_based_events_in_a_row)
{
    enum { STEPS = 20 };
    struct counting c;
    if (several_drivers()) SKIP("several drivers");
    c = counting_begins();
    OK(zeCommandListAppendWaitOnEvents(c.a, 1, &c.go));
    for (uint32_t i = 0; i < STEPS; i++)
        OK(zeCommandListAppendMemoryFill(i % 2 ? c.b : c.a, c.m + 3, &i, 4, 4, c.e, 1, &c.e));
    CHECK_INT(zeEventQueryStatus(c.e), ZE_RESULT_NOT_READY);
    OK(zeCommandListAppendMemoryFill(c.a, c.m, &one, 4, 4, c.go_on, 1, &c.e));
    OK(zeEventDestroy(c.e));
    OK(zeEventHostSignal(c.go));
    OK(zeEventHostSynchronize(c.go_on, FOR_EVER));
    CHECK_INT(c.m[3], STEPS - 1);
    counting_ends(&c);
}

/* Forbidden but common: an event is destroyed before a command that sets it, or waits for it, is done. */
TEST(events_destroyed_too_early)
{
    for (int round = 0; round < 50; round++) {
        ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
        ze_event_pool_handle_t pool = new_pool(2, 0);
        ze_event_handle_t e[2] = {new_event(pool, 0), new_event(pool, 1)};
        OK(zeCommandListAppendBarrier(l, e[0], 1, &e[1]));
        OK(zeEventHostSignal(e[1]));
        OK(zeEventDestroy(e[1]));
        OK(zeEventDestroy(e[0]));
        OK(zeEventPoolDestroy(pool));
        OK(zeCommandListDestroy(l));
    }
}

TEST(events_refused)
{
    ze_event_pool_handle_t pool = new_pool(2, 0), none = NULL;
    ze_event_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 2};
    ze_event_pool_desc_t pd = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC};
    ze_event_handle_t e = NULL;
    ze_ipc_event_pool_handle_t ipc;
    CHECK(zeEventCreate(pool, &d, &e) != ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventPoolCreate(context, &pd, 0, NULL, &none), ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK_INT(zeEventPoolGetIpcHandle(pool, &ipc), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* its pool has no IPC flag */
    OK(zeEventPoolDestroy(pool));
}

/* ---- unsupported functions */

#define REFUSED(call) CHECK_INT((call), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)

/* The rest of what the conformance table (docs/software-device-api.md) calls unsupported. */
TEST(what_there_is_not)
{
    uint64_t words[8] = {0};
    void *fake = words, *m = NULL; /* for handles that cannot be created */
    ze_pci_ext_properties_t pci = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
    ze_fabric_edge_exp_properties_t edge = {.stype = ZE_STRUCTURE_TYPE_FABRIC_EDGE_EXP_PROPERTIES};
    ze_event_pool_handle_t pool;
    ze_command_list_handle_t l;
    if (several_drivers()) SKIP("several drivers");
    pool = new_pool(1, 0);
    l = new_list();
    REFUSED(zeDevicePciGetPropertiesExt(device, &pci));
    REFUSED(zeDeviceReserveCacheExt(device, 3, 4096));
    REFUSED(zeDeviceSetCacheAdviceExt(device, words, 64, ZE_CACHE_EXT_REGION_ZE_CACHE_REGION_DEFAULT));
    REFUSED(zeFabricEdgeGetVerticesExp(fake, (ze_fabric_vertex_handle_t *)&m, (ze_fabric_vertex_handle_t *)&m));
    REFUSED(zeFabricEdgeGetPropertiesExp(fake, &edge));
    OK(zeEventPoolDestroy(pool));
    OK(zeCommandListDestroy(l));
}

/* With several drivers, the loader unwraps handles without checking them. */
TEST(null_handles)
{
    ze_command_list_handle_t l;
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *m = NULL;
    if (several_drivers()) SKIP("several drivers");
    CHECK_INT(zeContextDestroy(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_INT(zeMemAllocDevice(context, &d, 1, 1, NULL, &m), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_INT(zeEventHostSignal(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_INT(zeKernelDestroy(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_INT(zeCommandListReset(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    l = new_list();
    CHECK_INT(zeCommandListAppendBarrier(l, NULL, 1, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    OK(zeCommandListDestroy(l));
}

/* ---- modules */

static ze_result_t build(ze_module_format_t format, const void *data, size_t size,
                         const ze_module_constants_t *constants, ze_module_handle_t *to, char *text, size_t text_size)
{
    ze_module_desc_t d = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                          .format = format,
                          .inputSize = size,
                          .pInputModule = data,
                          .pConstants = constants};
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = zeModuleCreate(context, device, &d, to, &log);
    size_t length = 0;
    if (text_size) text[0] = 0;
    if (!log) return result;
    OK(zeModuleBuildLogGetString(log, &length, NULL));
    if (length <= text_size) OK(zeModuleBuildLogGetString(log, &length, text));
    OK(zeModuleBuildLogDestroy(log));
    return result;
}

TEST(module_contents)
{
    const char *names[16], *want[] = {"add", "where", "sum", "bump", "special", "offset", "meet", "lonely"};
    ze_module_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES, .flags = 1};
    uint32_t n = 0, i, j, found = 0;
    int *counter = NULL;
    size_t size = 0;
    void *f;
    OK(zeModuleGetKernelNames(module, &n, NULL));
    CHECK_INT(n, 8);
    n = 16;
    OK(zeModuleGetKernelNames(module, &n, names));
    for (i = 0; i < n; i++)
        for (j = 0; j < 8; j++) found += strcmp(names[i], want[j]) == 0;
    CHECK_INT(found, 8);
    OK(zeModuleGetProperties(module, &p));
    CHECK_INT(p.flags, 0);
    OK(zeModuleGetGlobalPointer(module, "counter", &size, (void **)&counter));
    CHECK_INT(size, 4);
    if (counter) CHECK_INT(*counter, 5);
    CHECK_INT(zeModuleGetGlobalPointer(module, "nothing", &size, &f), ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
    CHECK_INT(zeModuleGetFunctionPointer(module, "nothing", &f), ZE_RESULT_ERROR_INVALID_FUNCTION_NAME);
    f = NULL;
    OK(zeModuleGetFunctionPointer(module, "add", &f)); /* the kernel's function */
    CHECK(f != NULL);
}

/* A module's variable is device memory, as with Intel's driver, but the module's: it is neither freed nor shared. */
TEST(variables_are_device_memory)
{
    ze_module_handle_t own = NULL;
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t owner = NULL;
    ze_ipc_mem_handle_t ipc;
    uint64_t ids[2] = {0, 0};
    char *at[2] = {NULL, NULL}, *base = NULL;
    size_t bytes = 0, size = 0;
    OK(build(ZE_MODULE_FORMAT_IL_SPIRV, driver_kernels, sizeof driver_kernels, NULL, &own, NULL, 0));
    for (int i = 0; i < 2; i++) {
        OK(zeModuleGetGlobalPointer(i ? own : module, "counter", &bytes, (void **)&at[i]));
        OK(zeMemGetAllocProperties(context, at[i] + bytes - 1, &p, &owner));
        CHECK(p.type == ZE_MEMORY_TYPE_DEVICE && owner == device && p.pageSize != 0);
        ids[i] = p.id;
        OK(zeMemGetAddressRange(context, at[i] + 1, (void **)&base, &size));
        CHECK(base == at[i] && size == bytes);
        CHECK(zeMemFree(context, at[i]) != ZE_RESULT_SUCCESS);
        CHECK(zeMemGetIpcHandle(context, at[i], &ipc) != ZE_RESULT_SUCCESS);
    }
    CHECK(ids[0] && ids[1] && ids[0] != ids[1]);
    OK(zeModuleDestroy(own));
    OK(zeMemGetAllocProperties(context, at[1], &p, &owner));
    CHECK(p.type == ZE_MEMORY_TYPE_UNKNOWN && owner == NULL);
    OK(zeMemGetAllocProperties(context, at[0], &p, NULL));
    CHECK(p.type == ZE_MEMORY_TYPE_DEVICE && p.id == ids[0]);
}

TEST(dynamic_link)
{
    ze_linkage_inspection_ext_desc_t d = {.stype = ZE_STRUCTURE_TYPE_LINKAGE_INSPECTION_EXT_DESC};
    ze_module_build_log_handle_t log = NULL;
    if (several_drivers()) SKIP("the loader mistakes the list of modules for a module when it has several drivers");
    d.flags = ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS;
    OK(zeModuleInspectLinkageExt(&d, 1, &module, &log));
    if (log) OK(zeModuleBuildLogDestroy(log));
    OK(zeModuleDynamicLink(1, &module, &log)); /* more is in test_opencl_link.c */
    if (log) OK(zeModuleBuildLogDestroy(log));
}

TEST(bad_modules_fail_with_a_log)
{
    uint32_t words[sizeof driver_kernels / 4];
    ze_module_handle_t m = NULL;
    char log[4096];
    memcpy(words, driver_kernels, sizeof words);
    words[0] = 0x1234;
    CHECK_INT(build(ZE_MODULE_FORMAT_IL_SPIRV, words, sizeof words, NULL, &m, log, sizeof log),
              ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    CHECK(log[0] != 0);
    memcpy(words, driver_kernels, sizeof words);
    words[5] = 0xffff0011; /* an instruction longer than the module */
    CHECK_INT(build(ZE_MODULE_FORMAT_IL_SPIRV, words, sizeof words, NULL, &m, log, sizeof log),
              ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    CHECK(log[0] != 0);
    CHECK_INT(build(ZE_MODULE_FORMAT_IL_SPIRV, words, 7, NULL, &m, log, sizeof log),
              ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    CHECK_HAS(log, "7 bytes");
    CHECK_INT(build(ZE_MODULE_FORMAT_IL_SPIRV, words, 0, NULL, &m, log, sizeof log), ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK_INT(build(ZE_MODULE_FORMAT_NATIVE, words, sizeof words, NULL, &m, log, sizeof log),
              ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    CHECK(log[0] != 0);
}

static void launch(ze_kernel_handle_t k, uint32_t x, uint32_t y, uint32_t z)
{
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_group_count_t n = {x, y, z};
    OK(zeCommandListAppendLaunchKernel(l, k, &n, NULL, 0, NULL));
    OK(zeCommandListDestroy(l));
}

static void set(ze_kernel_handle_t k, uint32_t index, size_t size, const void *value)
{
    OK(zeKernelSetArgumentValue(k, index, size, value));
}

static int run_special(ze_module_handle_t from)
{
    ze_module_handle_t saved = module;
    ze_kernel_handle_t k;
    int *out = new_memory(64), result;
    module = from;
    k = new_kernel("special");
    module = saved;
    OK(zeKernelSetGroupSize(k, 16, 1, 1));
    set(k, 0, sizeof out, &out);
    launch(k, 1, 1, 1);
    result = out[15];
    OK(zeKernelDestroy(k));
    OK(zeMemFree(context, out));
    return result;
}

TEST(specialisation_constants)
{
    uint32_t ids[] = {7, 99};
    int value = -12345;
    int64_t other = 1;
    const void *values[] = {&value, &other};
    ze_module_constants_t c = {2, ids, values};
    ze_module_handle_t m = NULL;
    char log[4096];
    CHECK_INT(run_special(module), 100);
    CHECK_MSG(build(ZE_MODULE_FORMAT_IL_SPIRV, driver_kernels, sizeof driver_kernels, &c, &m, log, sizeof log) == 0,
              "%s", log);
    if (!m) return;
    CHECK_INT(run_special(m), -12345);
    OK(zeModuleDestroy(m));
}

TEST(native_binaries)
{
    ze_module_handle_t m = NULL;
    size_t size = 0, less = 3;
    uint8_t *image;
    char log[4096];
    OK(zeModuleGetNativeBinary(module, &size, NULL));
    CHECK(size > 100);
    image = malloc(size);
    CHECK(zeModuleGetNativeBinary(module, &less, image) != ZE_RESULT_SUCCESS);
    OK(zeModuleGetNativeBinary(module, &size, image));
    CHECK_MSG(build(ZE_MODULE_FORMAT_NATIVE, image, size, NULL, &m, log, sizeof log) == 0, "%s", log);
    if (m) {
        CHECK_INT(run_special(m), 100);
        OK(zeModuleDestroy(m));
    }
    image[size / 2] ^= 1;
    CHECK_INT(build(ZE_MODULE_FORMAT_NATIVE, image, size, NULL, &m, log, sizeof log),
              ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    free(image);
}

/* ---- kernels */

TEST(kernel_properties)
{
    ze_kernel_preferred_group_size_properties_t pg = {.stype =
                                                          ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES};
    ze_kernel_properties_t p = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES, .pNext = &pg};
    ze_scheduling_hint_exp_desc_t hint = {.stype = ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_DESC};
    ze_kernel_indirect_access_flags_t flags = 0;
    ze_kernel_handle_t k = new_kernel("sum");
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "absent"};
    ze_kernel_handle_t none = NULL;
    uint32_t x = 0, y = 0, z = 0, bytes = 0;
    size_t size = 0;
    char name[16], attributes[256], *to = NULL;
    OK(zeKernelGetProperties(k, &p));
    CHECK_INT(p.numKernelArgs, 3);
    CHECK(p.requiredGroupSizeX == 64 && p.requiredGroupSizeY == 1 && p.requiredGroupSizeZ == 1);
    if (!getenv("XETILE_SOFT_CHECK")) CHECK(p.spillMemSize > 0 && p.spillMemSize < 4096); /* behind the barrier */
    CHECK_INT(p.requiredSubgroupSize, 0);
    CHECK_INT(p.maxSubgroupSize, pg.preferredMultiple);
    CHECK(p.maxSubgroupSize == 8 || p.maxSubgroupSize == 16 || p.maxSubgroupSize == 32);
    OK(zeKernelGetName(k, &size, NULL));
    CHECK_INT(size, 4);
    OK(zeKernelGetName(k, &size, name));
    CHECK_STR(name, "sum");
    OK(zeKernelGetSourceAttributes(k, &bytes, &to));
    to = attributes;
    if (bytes <= sizeof attributes) OK(zeKernelGetSourceAttributes(k, &bytes, &to));
    OK(zeKernelSuggestGroupSize(k, 1000, 1, 1, &x, &y, &z));
    CHECK(x == 64 && y == 1 && z == 1);
    CHECK_INT(zeKernelSetGroupSize(k, 32, 1, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    OK(zeKernelSetIndirectAccess(k, ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE));
    OK(zeKernelGetIndirectAccess(k, &flags));
    CHECK_INT(flags, ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE);
    OK(zeKernelSetCacheConfig(k, ZE_CACHE_CONFIG_FLAG_LARGE_SLM));
    for (hint.flags = 0; hint.flags <= 8; hint.flags++)
        CHECK_INT(zeKernelSchedulingHintExp(k, &hint),
                  hint.flags == 8 ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS);
    OK(zeKernelDestroy(k));
    CHECK_INT(zeKernelCreate(module, &d, &none), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
}

/* The module's required work-group size, unchanged and converted to hints. */
/* Of a kernel that the CPU runs, a shared object; of Intel's machine code, a part of the module's binary. */
TEST(kernel_binaries)
{
    ze_result_t (*get)(ze_kernel_handle_t, size_t *, char *) = NULL;
    if (several_drivers()) SKIP("several drivers: such a function takes no handle of the loader's");
    ze_kernel_handle_t k = new_kernel("add");
    const char *isa = getenv("XETILE_SOFT_ISA");
    size_t size = 0, half, module_size = 0;
    char *all, *part;
    uint8_t *binary;
    OK(zeDriverGetExtensionFunctionAddress(driver, "zeIntelKernelGetBinaryExp", (void **)&get));
    if (!get) return;
    OK(get(k, &size, NULL));
    CHECK(size > 64);
    half = size / 2;
    all = calloc(1, size + 1);
    part = calloc(1, size);
    OK(get(k, &size, all));
    OK(get(k, &half, part));
    CHECK(half == size / 2 && memcmp(all, part, half) == 0 && part[half] == 0);
    half = 2 * size;
    OK(get(k, &half, all));
    CHECK(half == size && all[size] == 0);
    OK(zeModuleGetNativeBinary(module, &module_size, NULL));
    binary = calloc(1, module_size);
    OK(zeModuleGetNativeBinary(module, &module_size, binary));
    if (isa && strcmp(isa, "bmg") == 0)
        CHECK(size % 8 == 0 && size < module_size && memmem(binary, module_size, all, size));
    else
        CHECK(memcmp(all, "\177ELF", 4) == 0 && memmem(all, size, "add", 4));
    free(all);
    free(part);
    free(binary);
    OK(zeKernelDestroy(k));
}

TEST(source_attributes)
{
    static const uint32_t modes[3][6] = {{0x60010, 0, 17, 64, 1, 1},
                                         {0x60010, 0, 18, 32, 2, 1},
                                         {0x40010, 0, 30, 4 << 16 | 5, 0x10000, 0x10000}}; /* and two of OpNop */
    static const char *const want[3] = {"reqd_work_group_size(64,1,1)", "work_group_size_hint(32,2,1)",
                                        "vec_type_hint(float4)"};
    static uint32_t words[sizeof driver_kernels / 4];
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "sum"};
    char log[4096], text[256], *to = text;
    uint32_t i, at = 0, bytes;
    memcpy(words, driver_kernels, sizeof words);
    while (at + 6 < sizeof words / 4 && !(words[at] == 0x60010 && words[at + 2] == 17)) at++;
    for (i = 0; i < 3; i++) {
        ze_module_handle_t m = NULL;
        ze_kernel_handle_t k = NULL;
        uint32_t id = words[at + 1];
        memcpy(&words[at], modes[i], sizeof modes[i]);
        words[at + 1] = id;
        CHECK_MSG(build(ZE_MODULE_FORMAT_IL_SPIRV, words, sizeof words, NULL, &m, log, sizeof log) == 0, "%s", log);
        if (!m) return;
        OK(zeKernelCreate(m, &d, &k));
        bytes = sizeof text;
        OK(zeKernelGetSourceAttributes(k, &bytes, &to));
        CHECK_STR(text, want[i]);
        CHECK_INT(bytes, strlen(want[i]) + 1);
        OK(zeKernelDestroy(k));
        OK(zeModuleDestroy(m));
    }
}

TEST(kernel_refusals)
{
    ze_kernel_handle_t k = new_kernel("where"), s = new_kernel("sum");
    ze_command_list_handle_t l = new_list();
    ze_group_count_t one = {1, 1, 1};
    uint32_t x, y, z;
    void *p = NULL;
    CHECK_INT(zeKernelSetArgumentValue(k, 2, 8, &p), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    CHECK_INT(zeKernelSetArgumentValue(k, 0, 4, &p), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    CHECK_INT(zeKernelSetArgumentValue(k, 1, 0, &p), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    CHECK_INT(zeKernelSetArgumentValue(k, 1, 5000, NULL), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    CHECK_INT(zeKernelSetArgumentValue(s, 2, 0, NULL), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    CHECK_INT(zeKernelSetArgumentValue(s, 2, 8, &p), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    CHECK_INT(zeKernelSetArgumentValue(s, 2, (size_t)1 << 40, NULL), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    for (x = 0; x < 2; x++) OK(zeKernelSetArgumentValue(s, x, 8, &p));
    OK(zeKernelSetArgumentValue(s, 2, 1 << 20, NULL)); /* a size, but not one that this device has */
    CHECK_INT(zeCommandListAppendLaunchKernel(l, s, &one, NULL, 0, NULL), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    CHECK_INT(zeKernelSetGroupSize(k, 0, 1, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    CHECK_INT(zeKernelSetGroupSize(k, 1024, 2, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    CHECK_INT(zeKernelSetGroupSize(k, 65536, 65536, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    OK(zeKernelSetGroupSize(k, 1, 1, 1024));
    OK(zeKernelSuggestGroupSize(k, 1000, 30, 7, &x, &y, &z));
    CHECK(1000 % x == 0 && 30 % y == 0 && 7 % z == 0 && x * y * z <= 1024 && x > 1);
    CHECK(zeCommandListAppendLaunchKernel(l, k, &one, NULL, 0, NULL) !=
          ZE_RESULT_SUCCESS); /* arguments were never set */
    CHECK_INT(zeCommandListAppendLaunchKernel(l, k, NULL, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    OK(zeKernelDestroy(k));
    OK(zeKernelDestroy(s));
    OK(zeCommandListDestroy(l));
}

TEST(vector_addition)
{
    enum { N = 100003 };
    float *a = new_memory(N * 4), *b = new_memory(N * 4), *c = new_memory(N * 4 + 64), poison;
    ze_kernel_handle_t k = new_kernel("add");
    uint32_t n = N, i;
    for (i = 0; i < N; i++) {
        a[i] = (float)test_normal();
        b[i] = (float)test_normal();
    }
    poison = c[N];
    OK(zeKernelSetGroupSize(k, 100, 1, 1));
    set(k, 0, sizeof a, &a);
    set(k, 1, sizeof b, &b);
    set(k, 2, sizeof c, &c);
    set(k, 3, sizeof n, &n);
    launch(k, (N + 99) / 100, 1, 1);
    for (i = 0; i < N; i++)
        CHECK_MSG(c[i] == a[i] + b[i], "element %u is %g, want %g", i, (double)c[i], (double)(a[i] + b[i]));
    CHECK(memcmp(&c[N], &poison, 4) == 0);
    OK(zeKernelDestroy(k));
    OK(zeMemFree(context, a));
    OK(zeMemFree(context, b));
    OK(zeMemFree(context, c));
}

/* Lists and queues of one thread share an engine and run one after the other, although no event says so: each of four
 * launches continues the work of the one before. */
TEST(an_engine_runs_one_submission_at_a_time)
{
    enum { ROUNDS = 20, STAGES = 4, N = 40000 };
    ze_kernel_handle_t k = new_kernel("add");
    const ze_group_count_t groups = {N, 1, 1}; /* of one work-item, so that a launch takes a while */
    ze_command_queue_handle_t q[STAGES];
    ze_command_list_handle_t l[STAGES];
    ze_event_pool_handle_t pool = new_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t end = new_event(pool, 0);
    float *x = new_memory((STAGES + 1) * N * sizeof *x);
    uint32_t n = N;
    int wrong = 0;
    OK(zeKernelSetGroupSize(k, 1, 1, 1));
    set(k, 0, sizeof x, &x);
    set(k, 3, sizeof n, &n);
    for (int i = 0; i < STAGES; i++) {
        l[i] = i % 2 ? new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS) : new_list();
        q[i] = i % 2 ? NULL : new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++) x[i] = (float)(test_random() % 1000);
        for (int i = 0; i < STAGES; i++) {
            float *from = x + i * N, *to = from + N;
            set(k, 1, sizeof from, &from);
            set(k, 2, sizeof to, &to);
            if (q[i]) OK(zeCommandListReset(l[i]));
            OK(zeCommandListAppendLaunchKernel(l[i], k, &groups, i == STAGES - 1 ? end : NULL, 0, NULL));
            if (q[i]) OK(zeCommandListClose(l[i]));
            if (q[i]) OK(zeCommandQueueExecuteCommandLists(q[i], 1, &l[i], NULL));
        }
        OK(zeEventHostSynchronize(end, round % 2 ? FOR_EVER : FOR_EVER - 1)); /* with and without this thread's help */
        OK(zeEventHostReset(end));
        for (int i = 0; i < N; i++) wrong += x[STAGES * N + i] != (STAGES + 1) * x[i];
    }
    CHECK_INT(wrong, 0);
    for (int i = 0; i < STAGES; i++) {
        if (q[i]) OK(zeCommandQueueDestroy(q[i]));
        OK(zeCommandListDestroy(l[i]));
    }
    OK(zeKernelDestroy(k));
    OK(zeEventDestroy(end));
    OK(zeEventPoolDestroy(pool));
    OK(zeMemFree(context, x));
}

/* Three threads submit to lists of their own on one engine, each time to a random one. What each submits runs in that
 * order, whichever thread of the driver runs it: each copy continues where the one before ended, in turns of
 * submissions that are awaited and of those that are not. One in 50 first waits for an event of another of the thread's
 * lists, and may be passed meanwhile, so the next copy waits for it. */
enum { TURNS = 3000, TURN_LISTS = 5 };

struct turns {
    uint64_t seed;
    int wrong;
};

static void *take_turns(void *pointer)
{
    struct turns *t = pointer;
    ze_event_pool_handle_t pool = new_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t set = new_event(pool, 0), last = new_event(pool, 1);
    uint32_t *x = new_memory((TURNS + 1) * sizeof *x);
    ze_command_list_handle_t l[TURN_LISTS];
    for (int i = 0; i < TURN_LISTS; i++) l[i] = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    memset(x, 0, (TURNS + 1) * sizeof *x);
    x[0] = (uint32_t)t->seed;
    for (int i = 0; i < TURNS; i++) {
        t->seed = t->seed * 6364136223846793005u + 1442695040888963407u;
        ze_command_list_handle_t list = l[(t->seed >> 33) % TURN_LISTS];
        bool waits = (t->seed >> 40) % 50 == 0, awaited = waits || (t->seed >> 46) % 100 == 0;
        if (waits) OK(zeCommandListAppendSignalEvent(l[(t->seed >> 50) % TURN_LISTS], set));
        OK(zeCommandListAppendMemoryCopy(list, &x[i + 1], &x[i], sizeof *x, awaited ? last : NULL, waits, &set));
        if (!awaited) continue;
        OK(zeEventHostSynchronize(last, t->seed >> 63 ? FOR_EVER : FOR_EVER - 1));
        OK(zeEventHostReset(last));
        if (waits) OK(zeEventHostReset(set));
    }
    OK(zeCommandListAppendSignalEvent(l[0], last));
    OK(zeEventHostSynchronize(last, FOR_EVER));
    for (int i = 0; i < TURNS; i++) t->wrong += x[i + 1] != x[0];
    for (int i = 0; i < TURN_LISTS; i++) OK(zeCommandListDestroy(l[i]));
    OK(zeEventDestroy(set));
    OK(zeEventDestroy(last));
    OK(zeEventPoolDestroy(pool));
    OK(zeMemFree(context, x));
    return NULL;
}

TEST(lists_of_an_engine_take_turns)
{
    enum { THREADS = 3 };
    struct turns turns[THREADS] = {{0, 0}};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        turns[i].seed = ((uint64_t)test_random() << 32 | test_random()) | 1;
        OK(pthread_create(&threads[i], NULL, take_turns, &turns[i]) ? ZE_RESULT_ERROR_UNKNOWN : ZE_RESULT_SUCCESS);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(turns[i].wrong, 0);
    }
}

/* Behind a launch that takes a while, queues of low, normal and high priority get a submission each. That of high
 * priority does not wait for the launch, that of normal priority begins next. */
TEST(more_urgent_submissions_begin_first)
{
    enum { ROUNDS = 10, QUEUES = 3, N = 100000 };
    static const ze_command_queue_priority_t priorities[QUEUES] = {
        ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW, ZE_COMMAND_QUEUE_PRIORITY_NORMAL,
        ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH};
    const ze_group_count_t groups = {N, 1, 1};
    ze_command_list_handle_t l[QUEUES], first = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_queue_handle_t q[QUEUES];
    ze_event_pool_handle_t pool = new_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_event_handle_t end = new_event(pool, 0);
    ze_kernel_handle_t k = new_kernel("add");
    uint64_t *when = new_memory(QUEUES * sizeof *when);
    float *x = new_memory(N * sizeof *x);
    uint32_t n = N;
    int late = 0, rounds = 0;
    OK(zeKernelSetGroupSize(k, 1, 1, 1));
    for (uint32_t i = 0; i < 3; i++) set(k, i, sizeof x, &x);
    set(k, 3, sizeof n, &n);
    for (int i = 0; i < QUEUES; i++) {
        ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
                                     .priority = priorities[i]};
        OK(zeCommandQueueCreate(context, device, &d, &q[i]));
        l[i] = new_list();
        OK(zeCommandListAppendWriteGlobalTimestamp(l[i], &when[i], NULL, 0, NULL));
        OK(zeCommandListClose(l[i]));
    }
    for (int round = 0; round < ROUNDS; round++) {
        ze_kernel_timestamp_result_t t;
        uint64_t host, submitted;
        OK(zeCommandListAppendLaunchKernel(first, k, &groups, end, 0, NULL));
        for (int i = 0; i < QUEUES; i++) OK(zeCommandQueueExecuteCommandLists(q[i], 1, &l[i], NULL));
        OK(zeDeviceGetGlobalTimestamps(device, &host, &submitted));
        for (int i = 0; i < QUEUES; i++) OK(zeCommandQueueSynchronize(q[i], FOR_EVER));
        OK(zeEventQueryKernelTimestamp(end, &t));
        OK(zeEventHostReset(end));
        if (submitted >= t.global.kernelEnd) continue; /* this thread was off the CPU for that long */
        CHECK(t.global.kernelEnd <= when[1] && when[1] < when[0]);
        rounds++;
        late += when[2] >= t.global.kernelEnd; /* its thread may get a CPU too late */
    }
    CHECK_MSG(late < rounds, "%d of %d urgent ones waited", late, rounds);
    for (int i = 0; i < QUEUES; i++) {
        OK(zeCommandQueueDestroy(q[i]));
        OK(zeCommandListDestroy(l[i]));
    }
    OK(zeCommandListDestroy(first));
    OK(zeKernelDestroy(k));
    OK(zeEventDestroy(end));
    OK(zeEventPoolDestroy(pool));
    OK(zeMemFree(context, when));
    OK(zeMemFree(context, x));
}

/* Programs pass int for size_t and vice versa: missing bytes are zeros, excess bytes must be. */
TEST(arguments_of_another_width)
{
    enum { N = 8 };
    float *a = new_memory(N * 4), *b = new_memory(N * 4), *c = new_memory(N * 4);
    const uint64_t wide[2] = {N - 1, UINT64_C(1) << 32};
    const uint32_t all = UINT32_MAX, narrow = 0xa5a50000u | (N - 2);
    ze_kernel_handle_t k = new_kernel("add");
    uint32_t i, n;
    for (i = 0; i < N; i++) {
        a[i] = (float)test_normal();
        b[i] = (float)test_normal();
    }
    set(k, 0, sizeof a, &a);
    set(k, 1, sizeof b, &b);
    set(k, 2, sizeof c, &c);
    for (n = N - 2; n < N; n++) {
        for (i = 0; i < N; i++) c[i] = 1e30f;
        set(k, 3, sizeof all, &all);
        if (n == N - 1) set(k, 3, sizeof wide[0], &wide[0]);
        if (n == N - 2) set(k, 3, 2, &narrow);
        CHECK_INT(zeKernelSetArgumentValue(k, 3, 8, &wide[1]), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
        launch(k, N, 1, 1);
        for (i = 0; i < N; i++) CHECK(c[i] == (i < n ? a[i] + b[i] : 1e30f));
    }
    OK(zeKernelDestroy(k));
    OK(zeMemFree(context, a));
    OK(zeMemFree(context, b));
    OK(zeMemFree(context, c));
}

TEST(three_dimensions)
{
    enum { X = 5 * 3, Y = 7 * 2, Z = 3 * 4 };
    uint32_t *out = new_memory(X * Y * Z * 4), i;
    uint64_t base = UINT64_C(0x500000000) + 17;
    ze_kernel_handle_t k = new_kernel("where");
    OK(zeKernelSetGroupSize(k, 5, 7, 3));
    set(k, 0, sizeof out, &out);
    set(k, 1, sizeof base, &base);
    launch(k, 3, 2, 4);
    for (i = 0; i < X * Y * Z; i++) CHECK_INT(out[i], 17 + i + 10 * (i % X % 5 % 4 + 1));
    OK(zeKernelDestroy(k));
    OK(zeMemFree(context, out));
}

/* The largest work-groups in each dimension, and numbers of work-groups past 16 bits. */
TEST(largest_groups)
{
    ze_device_compute_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    ze_kernel_handle_t k = new_kernel("where");
    uint64_t base = 3;
    uint32_t d, round, i;
    OK(zeDeviceGetComputeProperties(device, &p));
    for (d = 0; d < 3; d++)
        for (round = 0; round < 2; round++) {
            const uint32_t most[3] = {p.maxGroupSizeX, p.maxGroupSizeY, p.maxGroupSizeZ};
            uint32_t size[3] = {1, 1, 1}, groups[3] = {1, 1, 1}, total, *out;
            size[d] = round ? 1 : most[d];
            groups[d] = round ? 70001 : 5;
            total = size[d] * groups[d];
            out = new_memory(4 * (size_t)total + 4);
            OK(zeKernelSetGroupSize(k, size[0], size[1], size[2]));
            set(k, 0, sizeof out, &out);
            set(k, 1, sizeof base, &base);
            launch(k, groups[0], groups[1], groups[2]);
            for (i = 0; i < total; i++)
                if (out[i] != 3 + i + 10 * (d || round ? 1 : i % 4 + 1)) break;
            CHECK_INT(i, total);
            CHECK_INT(out[total], 0xa5a5a5a5);
            OK(zeMemFree(context, out));
        }
    OK(zeKernelSetGroupSize(k, 16, 16, p.maxTotalGroupSize / 256));
    CHECK(zeKernelSetGroupSize(k, 16, 16, p.maxTotalGroupSize / 256 + 1) != ZE_RESULT_SUCCESS);
    OK(zeKernelDestroy(k));
}

/* Arguments are copied when a launch is appended; local memory and barriers. */
TEST(reductions_in_one_list)
{
    enum { GROUPS = 40, LISTS = 5 };
    int *in = new_memory(GROUPS * 64 * 4), *out = new_memory(LISTS * GROUPS * 4), i, j, r;
    ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t l = new_list();
    ze_kernel_handle_t k = new_kernel("sum");
    ze_group_count_t n = {GROUPS, 1, 1};
    for (i = 0; i < GROUPS * 64; i++) in[i] = (int)(test_random() % 100000);
    set(k, 0, sizeof in, &in);
    set(k, 2, 64 * 4, NULL);
    for (r = 0; r < LISTS; r++) {
        int *to = out + r * GROUPS;
        set(k, 1, sizeof to, &to);
        OK(zeCommandListAppendLaunchKernel(l, k, &n, NULL, 0, NULL));
    }
    OK(zeKernelDestroy(k)); /* recorded launches do not need it */
    OK(zeCommandListClose(l));
    for (r = 0; r < 3; r++) { /* lists may run again */
        memset(out, 0, LISTS * GROUPS * 4);
        OK(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL));
        OK(zeCommandQueueSynchronize(q, FOR_EVER));
        for (i = 0; i < LISTS * GROUPS; i++) {
            int want = 0;
            for (j = 0; j < 64; j++) want += in[i % GROUPS * 64 + j];
            CHECK_INT(out[i], want);
        }
    }
    OK(zeCommandListDestroy(l));
    OK(zeCommandQueueDestroy(q));
    OK(zeMemFree(context, in));
    OK(zeMemFree(context, out));
}

TEST(globals_offsets_and_indirect_launches)
{
    ze_group_count_t *counts = new_memory(2 * sizeof *counts);
    ze_command_list_handle_t l = new_list();
    ze_kernel_handle_t k[2] = {new_kernel("bump"), new_kernel("offset")};
    uint32_t *how_many = new_memory(4), *out = new_memory(4 * 64), i;
    int by = 37, *counter = NULL, before;
    OK(zeModuleGetGlobalPointer(module, "counter", NULL, (void **)&counter));
    before = *counter;
    set(k[0], 0, sizeof by, &by);
    OK(zeKernelSetGroupSize(k[1], 8, 1, 1));
    OK(zeKernelSetGlobalOffsetExp(k[1], 1000, 0, 0));
    set(k[1], 0, sizeof out, &out);
    OK(zeCommandListAppendLaunchKernelIndirect(l, k[0], &counts[0], NULL, 0, NULL));
    OK(zeCommandListAppendLaunchMultipleKernelsIndirect(l, 2, k, how_many, counts, NULL, 0, NULL));
    OK(zeCommandListClose(l));
    counts[0] = (ze_group_count_t){3, 1, 1};
    counts[1] = (ze_group_count_t){8, 1, 1};
    *how_many = 1;
    execute(l);
    CHECK_INT(*counter, before + 2 * 37);
    CHECK_INT(out[0], 0xa5a5a5a5); /* only the first of the two ran */
    *how_many = 2;
    counts[0].groupCountX = 0;
    execute(l);
    CHECK_INT(*counter, before + 2 * 37);
    for (i = 0; i < 64; i++) CHECK_INT(out[i], 1000 + i);
    OK(zeKernelDestroy(k[0]));
    OK(zeKernelDestroy(k[1]));
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, counts));
    OK(zeMemFree(context, how_many));
    OK(zeMemFree(context, out));
}

TEST(cooperative_launch)
{
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_kernel_handle_t k = new_kernel("meet");
    ze_group_count_t n = {1, 1, 1};
    uint32_t *arrived = new_memory(4), most = 0;
    *arrived = 0;
    OK(zeKernelSetGroupSize(k, 32, 1, 1));
    set(k, 0, sizeof arrived, &arrived);
    OK(zeKernelSuggestMaxCooperativeGroupCount(k, &most));
    CHECK_INT(most, 4);
    n.groupCountX = most;
    OK(zeCommandListAppendLaunchCooperativeKernel(l, k, &n, NULL, 0, NULL));
    CHECK_INT(*arrived, most);
    n.groupCountX = most + 1;
    CHECK(zeCommandListAppendLaunchCooperativeKernel(l, k, &n, NULL, 0, NULL) != ZE_RESULT_SUCCESS);
    OK(zeKernelDestroy(k));
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, arrived));
}

/* A barrier that only some reach: an error from the queue, the fence and the event; then the device continues. */
TEST(lost_barriers_do_not_hang)
{
    ze_fence_desc_t fd = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t pool = new_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t e = new_event(pool, 0);
    ze_command_list_handle_t l = new_list();
    ze_kernel_handle_t k = new_kernel("lonely");
    ze_group_count_t n = {2, 1, 1};
    ze_fence_handle_t fence = NULL;
    uint32_t *out = new_memory(4 * 128);
    OK(zeFenceCreate(q, &fd, &fence));
    OK(zeKernelSetGroupSize(k, 64, 1, 1));
    set(k, 0, sizeof out, &out);
    OK(zeCommandListAppendLaunchKernel(l, k, &n, e, 0, NULL));
    OK(zeCommandListAppendMemoryFill(l, out, "z", 1, 4, NULL, 0, NULL));
    OK(zeCommandListClose(l));
    OK(zeCommandQueueExecuteCommandLists(q, 1, &l, fence));
    CHECK_INT(zeEventHostSynchronize(e, FOR_EVER), ZE_RESULT_ERROR_DEVICE_LOST);
    CHECK_INT(zeFenceHostSynchronize(fence, FOR_EVER), ZE_RESULT_ERROR_DEVICE_LOST);
    CHECK_INT(zeCommandQueueSynchronize(q, FOR_EVER), ZE_RESULT_ERROR_DEVICE_LOST);
    OK(zeCommandQueueSynchronize(q, FOR_EVER)); /* reported once */
    CHECK_INT(out[0], 0x7a7a7a7a);
    OK(zeKernelSetGroupSize(k, 8, 1, 1)); /* in a work-group of one subgroup nobody waits */
    launch(k, 16, 1, 1);
    CHECK_INT(out[127], 1);
    OK(zeFenceDestroy(fence));
    OK(zeEventDestroy(e));
    OK(zeEventPoolDestroy(pool));
    OK(zeKernelDestroy(k));
    OK(zeCommandListDestroy(l));
    OK(zeCommandQueueDestroy(q));
    OK(zeMemFree(context, out));
}

/* A null pointer: the launch is lost, not the process. */
TEST(wild_pointers_lose_their_launch_only)
{
    if (TEST_SANITIZED) SKIP("the sanitizer has the signals");
    ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t l = new_list();
    ze_kernel_handle_t k = new_kernel("lonely");
    ze_group_count_t n = {16, 1, 1};
    uint32_t *out = new_memory(4 * 128);
    OK(zeKernelSetGroupSize(k, 8, 1, 1));
    set(k, 0, sizeof out, NULL);
    OK(zeCommandListAppendLaunchKernel(l, k, &n, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryFill(l, out, "z", 1, 4, NULL, 0, NULL));
    OK(zeCommandListClose(l));
    OK(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL));
    CHECK_INT(zeCommandQueueSynchronize(q, FOR_EVER), ZE_RESULT_ERROR_DEVICE_LOST);
    OK(zeCommandQueueSynchronize(q, FOR_EVER));
    CHECK_INT(out[0], 0x7a7a7a7a);
    set(k, 0, sizeof out, &out);
    launch(k, 16, 1, 1);
    CHECK_INT(out[127], 1);
    OK(zeKernelDestroy(k));
    OK(zeCommandListDestroy(l));
    OK(zeCommandQueueDestroy(q));
    OK(zeMemFree(context, out));
}

/* Likewise a launch whose group counts are in unmapped memory. */
TEST(wild_counts_lose_their_launch_only)
{
    if (TEST_SANITIZED) SKIP("the sanitizer has the signals");
    ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    ze_kernel_handle_t k = new_kernel("bump");
    ze_group_count_t *counts = new_memory(sizeof *counts);
    void *nothing = NULL;
    int by = 1, *counter = NULL, before, round;
    uint32_t *m = new_memory(4);
    OK(zeVirtualMemReserve(context, (void *)(UINT64_C(1) << 41), page, &nothing));
    OK(zeModuleGetGlobalPointer(module, "counter", NULL, (void **)&counter));
    *counts = (ze_group_count_t){1, 1, 1};
    set(k, 0, sizeof by, &by);
    for (round = 0; round < 4; round++) {
        ze_command_list_handle_t l = new_list();
        if (round == 0) OK(zeCommandListAppendLaunchKernelIndirect(l, k, nothing, NULL, 0, NULL));
        if (round == 1) OK(zeCommandListAppendLaunchMultipleKernelsIndirect(l, 1, &k, nothing, counts, NULL, 0, NULL));
        if (round == 2) OK(zeCommandListAppendLaunchMultipleKernelsIndirect(l, 1, &k, &counts->groupCountX, nothing,
                                                                            NULL, 0, NULL));
        if (round == 3) OK(zeCommandListAppendLaunchKernelIndirect(l, k, counts, NULL, 0, NULL));
        OK(zeCommandListAppendMemoryFill(l, m, "z", 1, 4, NULL, 0, NULL));
        OK(zeCommandListClose(l));
        before = *counter;
        *m = 0;
        OK(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL));
        CHECK_INT(zeCommandQueueSynchronize(q, FOR_EVER), round < 3 ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS);
        CHECK_INT(*counter, before + (round == 3));
        CHECK_INT(*m, 0x7a7a7a7a); /* later commands run */
        OK(zeCommandListDestroy(l));
    }
    OK(zeVirtualMemFree(context, nothing, page));
    OK(zeKernelDestroy(k));
    OK(zeCommandQueueDestroy(q));
    OK(zeMemFree(context, counts));
    OK(zeMemFree(context, m));
}

/* ---- threads */

static void *hammer(void *argument)
{
    enum { N = 1000 };
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t pool = new_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t e = new_event(pool, 0);
    int *failures = argument, round, i;
    for (round = 0; round < 20; round++) {
        ze_kernel_handle_t k = new_kernel("where");
        uint32_t *out = new_memory(N * 4);
        uint64_t base = (uint64_t)round * 1000;
        ze_group_count_t n = {N / 20, 1, 1};
        OK(zeKernelSetGroupSize(k, 20, 1, 1));
        set(k, 0, sizeof out, &out);
        set(k, 1, sizeof base, &base);
        OK(zeCommandListAppendLaunchKernel(l, k, &n, NULL, 0, NULL));
        OK(zeCommandListAppendBarrier(l, e, 0, NULL));
        OK(zeEventHostSynchronize(e, FOR_EVER));
        OK(zeEventHostReset(e));
        for (i = 0; i < N; i++) *failures += out[i] != (uint32_t)(round * 1000 + i + 10 * (i % 20 % 4 + 1));
        OK(zeKernelDestroy(k));
        OK(zeMemFree(context, out));
    }
    OK(zeEventDestroy(e));
    OK(zeEventPoolDestroy(pool));
    OK(zeCommandListDestroy(l));
    return NULL;
}

/* The same for copies and fills. */
TEST(wild_copies_are_lost_only)
{
    if (TEST_SANITIZED) SKIP("the sanitizer has the signals");
    ze_physical_mem_desc_t d = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC};
    ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_physical_mem_handle_t p = NULL;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *m = new_memory(page), *range = NULL;
    uint32_t i;
    d.size = page;
    OK(zePhysicalMemCreate(context, device, &d, &p));
    OK(zeVirtualMemReserve(context, (void *)(UINT64_C(1) << 41), page, (void **)&range));
    OK(zeVirtualMemMap(context, range, page, p, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    for (i = 0; i < 3; i++) {
        ze_command_list_handle_t l = new_list();
        if (i == 1) OK(zeVirtualMemSetAccessAttribute(context, range, page, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE));
        if (i == 0) OK(zeCommandListAppendMemoryFill(l, range, "x", 1, page, NULL, 0, NULL));
        if (i == 1) OK(zeCommandListAppendMemoryCopy(l, m, range, page, NULL, 0, NULL));
        OK(zeCommandListAppendMemoryFill(l, m + 8, "y", 1, 8, NULL, 0, NULL));
        OK(zeCommandListClose(l));
        m[8] = 0;
        OK(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL));
        CHECK_INT(zeCommandQueueSynchronize(q, FOR_EVER), i < 2 ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS);
        CHECK_INT(m[8], 'y'); /* later commands run */
        OK(zeCommandListDestroy(l));
    }
    CHECK_INT(m[0], 0xa5);
    OK(zeVirtualMemUnmap(context, range, page));
    OK(zeVirtualMemFree(context, range, page));
    OK(zePhysicalMemDestroy(context, p));
    OK(zeCommandQueueDestroy(q));
    OK(zeMemFree(context, m));
}

TEST(queues_in_several_threads)
{
    int failures[4] = {0, 0, 0, 0}, i;
    pthread_t threads[4];
    for (i = 0; i < 4; i++) pthread_create(&threads[i], NULL, hammer, &failures[i]);
    for (i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(failures[i], 0);
    }
}

TEST(many_rounds_leave_nothing_running)
{
    uint32_t i, one = 1, *m = new_memory(4);
    for (i = 0; i < 10; i++) { /* each asynchronous queue has a thread */
        ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
        ze_command_list_handle_t l = new_list();
        OK(zeCommandListAppendMemoryFill(l, m, &one, 4, 4, NULL, 0, NULL));
        OK(zeCommandListClose(l));
        OK(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL));
        if (i % 2) OK(zeCommandQueueSynchronize(q, FOR_EVER));
        OK(zeCommandQueueDestroy(q)); /* completes submitted work */
        OK(zeCommandListDestroy(l));
        CHECK_INT(*m, 1);
        *m = 0;
    }
    OK(zeMemFree(context, m));
}

static void open_device(void)
{
    ze_context_desc_t d = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    uint32_t one = 1;
    if (zeInit(0) != ZE_RESULT_SUCCESS || zeDriverGet(&one, &driver) != ZE_RESULT_SUCCESS || one != 1) return;
    if (zeDeviceGet(driver, &one, &device) != ZE_RESULT_SUCCESS || one != 1) return;
    if (zeContextCreate(driver, &d, &context) != ZE_RESULT_SUCCESS) context = NULL;
}

TEST(a_device_opens) { CHECK(driver && device && context); }

static char build_text[16384];
static ze_result_t build_result;

TEST(a_module_of_another_compiler_builds)
{
    CHECK_MSG(build_result == ZE_RESULT_SUCCESS, "0x%x: %s", (unsigned)build_result, build_text);
}

/* ---- tables of functions, whatever the loader's version */

enum { NEWEST = 17, MOST_SLOTS = 128 };
typedef ze_result_t table_getter(ze_api_version_t version, void **table);

static table_getter *find_getter(const char *name)
{
    table_getter *get = NULL;
    void *library = dlopen(getenv("ZE_ENABLE_ALT_DRIVERS"), RTLD_NOW), *at = library ? dlsym(library, name) : NULL;
    memcpy(&get, &at, sizeof get);
    CHECK_MSG(get, "no %s", name);
    return get;
}

/* One more than the last entry that is written for a loader of version 1.minor. */
static size_t count_slots(table_getter *get, uint32_t minor)
{
    static char poison;
    void *table[MOST_SLOTS];
    size_t end = 0;
    for (size_t i = 0; i < MOST_SLOTS; i++) table[i] = &poison;
    OK(get((ze_api_version_t)ZE_MAKE_VERSION(1, minor), table));
    for (size_t i = 0; i < MOST_SLOTS; i++)
        if (table[i] != &poison) end = i + 1;
    return end;
}

/* An older loader's tables end earlier, and what follows them is not the driver's. */
TEST(tables_of_every_version)
{
    static const struct {
        const char *getter;
        size_t bytes_here, added_since; /* of this header; the least that 1.17 has more than 1.4 */
    } tables[] = {
        {"zeGetGlobalProcAddrTable", sizeof(ze_global_dditable_t), 1},
        {"zeGetDriverProcAddrTable", sizeof(ze_driver_dditable_t), 3},
        {"zeGetDeviceProcAddrTable", sizeof(ze_device_dditable_t), 10},
        {"zeGetCommandQueueProcAddrTable", sizeof(ze_command_queue_dditable_t), 5},
        {"zeGetCommandListProcAddrTable", sizeof(ze_command_list_dditable_t), 24},
        {"zeGetImageProcAddrTable", sizeof(ze_image_dditable_t), 1},
        {"zeGetEventProcAddrTable", sizeof(ze_event_dditable_t), 10},
        {"zeGetMemProcAddrTable", sizeof(ze_mem_dditable_t), 3},
        {"zeGetKernelExpProcAddrTable", sizeof(ze_kernel_exp_dditable_t), 2},
    };
    if (several_drivers()) SKIP("several drivers");
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        table_getter *get = find_getter(tables[i].getter);
        void *table[MOST_SLOTS];
        size_t before = 0, oldest = 0;
        if (!get) continue;
        for (uint32_t minor = 4; minor <= NEWEST; minor++) {
            size_t n = count_slots(get, minor);
            CHECK_MSG(n >= before, "%s: %zu entries for 1.%u, %zu before", tables[i].getter, n, minor, before);
            if (minor == ZE_MINOR_VERSION(ZE_API_VERSION_CURRENT))
                CHECK_MSG(n * sizeof(void *) <= tables[i].bytes_here, "%s: %zu entries", tables[i].getter, n);
            if (minor == 4) oldest = n;
            before = n;
        }
        CHECK_MSG(before >= oldest + tables[i].added_since, "%s: %zu entries, %zu in 1.4", tables[i].getter, before,
                  oldest);
        CHECK_INT(count_slots(get, NEWEST + 1), before);
        CHECK_INT(get((ze_api_version_t)ZE_MAKE_VERSION(1, 3), table), ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
        CHECK_INT(get((ze_api_version_t)ZE_MAKE_VERSION(2, 0), table), ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
        OK(get(ZE_API_VERSION_CURRENT, table)); /* the loader's, which the driver remembers */
    }
}

/* Whatever the header that the driver was built with, a newer loader gets what came later. */
TEST(entries_of_newer_loaders)
{
    enum { HOST_SYNCHRONIZE = 28, BYTES = 4096 };
    void *table[MOST_SLOTS] = {NULL};
    ze_result_t (*synchronize)(ze_command_list_handle_t, uint64_t) = NULL;
    if (several_drivers()) SKIP("several drivers");
    table_getter *get = find_getter("zeGetCommandListProcAddrTable");
    if (!get) return;
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    uint8_t *m = new_memory(BYTES), value = 7;
    OK(get((ze_api_version_t)ZE_MAKE_VERSION(1, NEWEST), table));
    memcpy(&synchronize, &table[HOST_SYNCHRONIZE], sizeof synchronize);
    memset(m, 0, BYTES);
    OK(zeCommandListAppendMemoryFill(l, m, &value, 1, BYTES, NULL, 0, NULL));
    OK(synchronize(l, FOR_EVER));
    for (int i = 0; i < BYTES; i++) CHECK(m[i] == 7);
    CHECK_INT(synchronize(NULL, 0), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    OK(get(ZE_API_VERSION_CURRENT, table));
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, m));
}

/* ---- functions of newer headers */

#ifdef ZE_API_VERSION_CURRENT_M
#if ZE_API_VERSION_CURRENT_M >= ZE_MAKE_VERSION(1, 17)
#define NEWER 1
#endif
#endif

#ifdef NEWER
static void count_call(void *user) { ++*(uint32_t *)user; }

TEST(newer_getters)
{
    ze_init_driver_type_desc_t t = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                    .flags = ZE_INIT_DRIVER_TYPE_FLAG_GPU};
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS), r = new_list();
    ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_event_pool_handle_t pool = new_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE), p = NULL;
    ze_event_handle_t e = new_event(pool, 0);
    ze_device_handle_t d = NULL;
    ze_context_handle_t c = NULL;
    ze_command_queue_mode_t mode = 0;
    ze_event_scope_flags_t scope = 0;
    ze_event_pool_flags_t flags = 0;
    ze_bool_t is = 0;
    const char *text = NULL;
    uint32_t n = 9;
    OK(zeInitDrivers(&n, NULL, &t));
    CHECK(n >= 1);
    OK(zeDeviceGetRootDevice(device, &d));
    CHECK(d == NULL || d == device);
    OK(zeCommandQueueGetOrdinal(q, &n));
    CHECK_INT(n, 0);
    OK(zeCommandQueueGetMode(q, &mode));
    CHECK_INT(mode, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    OK(zeCommandListImmediateGetMode(l, &mode));
    CHECK_INT(mode, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    OK(zeCommandListIsImmediate(l, &is));
    CHECK(is);
    OK(zeCommandListIsImmediate(r, &is));
    CHECK(!is);
    CHECK_INT(zeCommandListImmediateGetIndex(r, &n), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    OK(zeCommandListGetDeviceHandle(l, &d));
    OK(zeCommandListGetContextHandle(l, &c));
    CHECK(d == device && c == context);
    OK(zeEventGetEventPool(e, &p));
    CHECK(p == pool);
    OK(zeEventGetSignalScope(e, &scope));
    CHECK_INT(scope, ZE_EVENT_SCOPE_FLAG_HOST);
    OK(zeEventPoolGetFlags(pool, &flags));
    CHECK_INT(flags, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    CHECK(zeDriverGetExtensionFunctionAddress(driver, "zeNone", (void **)&c) != ZE_RESULT_SUCCESS);
    OK(zeDriverGetLastErrorDescription(driver, &text));
    CHECK_HAS(text, "zeNone");
    OK(zeEventDestroy(e));
    OK(zeEventPoolDestroy(pool));
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(r));
    OK(zeCommandQueueDestroy(q));
}

TEST(newer_getters_of_what_was_asked_for)
{
    ze_command_queue_desc_t qd = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                  .ordinal = 1,
                                  .index = 3,
                                  .flags = ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY,
                                  .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
                                  .priority = ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW};
    ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                 .commandQueueGroupOrdinal = 1,
                                 .flags = ZE_COMMAND_LIST_FLAG_MAXIMIZE_THROUGHPUT};
    ze_event_desc_t ed = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .wait = ZE_EVENT_SCOPE_FLAG_DEVICE};
    ze_event_pool_handle_t pool = new_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_command_queue_handle_t q = NULL;
    ze_command_list_handle_t r = NULL, l = NULL;
    ze_event_handle_t e = NULL;
    ze_context_handle_t c = NULL;
    ze_command_queue_flags_t queue_flags = 0;
    ze_command_list_flags_t list_flags = 0;
    ze_command_queue_priority_t priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL;
    ze_event_scope_flags_t scope = 0;
    uint32_t n = 9;
    OK(zeCommandQueueCreate(context, device, &qd, &q));
    OK(zeCommandListCreate(context, device, &ld, &r));
    OK(zeCommandListCreateImmediate(context, device, &qd, &l));
    OK(zeEventCreate(pool, &ed, &e));
    CHECK(zeDriverGetDefaultContext(driver) != NULL);
    OK(zeCommandQueueGetIndex(q, &n));
    CHECK_INT(n, 3);
    OK(zeCommandQueueGetFlags(q, &queue_flags));
    CHECK_INT(queue_flags, ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY);
    OK(zeCommandQueueGetPriority(q, &priority));
    CHECK_INT(priority, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW);
    OK(zeCommandQueueGetOrdinal(q, &n));
    CHECK_INT(n, 1);
    n = 9;
    OK(zeCommandListGetOrdinal(r, &n));
    CHECK_INT(n, 1);
    n = 9;
    OK(zeCommandListGetOrdinal(l, &n));
    CHECK_INT(n, 1);
    OK(zeCommandListGetFlags(r, &list_flags));
    CHECK_INT(list_flags, ZE_COMMAND_LIST_FLAG_MAXIMIZE_THROUGHPUT);
    queue_flags = 0;
    OK(zeCommandListImmediateGetFlags(l, &queue_flags));
    CHECK_INT(queue_flags, ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY);
    OK(zeCommandListImmediateGetPriority(l, &priority));
    CHECK_INT(priority, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW);
    OK(zeEventGetWaitScope(e, &scope));
    CHECK_INT(scope, ZE_EVENT_SCOPE_FLAG_DEVICE);
    OK(zeEventPoolGetContextHandle(pool, &c));
    CHECK(c == context);
    OK(zeEventDestroy(e));
    OK(zeEventPoolDestroy(pool));
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(r));
    OK(zeCommandQueueDestroy(q));
}

TEST(newer_counter_based_events)
{
    ze_event_counter_based_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                       .flags = ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE |
                                                ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP};
    ze_command_queue_desc_t qd = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                  .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                  .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_desc_t ld = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .flags = ZE_COMMAND_LIST_FLAG_IN_ORDER};
    ze_device_event_properties_t kinds = {.stype = ZE_STRUCTURE_TYPE_DEVICE_EVENT_PROPERTIES, .flags = 0xf};
    ze_device_properties_t about = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &kinds};
    ze_command_list_handle_t l = NULL, r = NULL;
    ze_event_handle_t e = NULL, none = NULL;
    ze_event_counter_based_flags_t flags = 0;
    ze_event_pool_handle_t pool = NULL;
    ze_kernel_timestamp_result_t t;
    uint64_t value = 0, address = 0;
    char *m = new_memory(4096);
    OK(zeDeviceGetProperties(device, &about));
    CHECK_INT(kinds.flags, ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_EXTERNAL_AGGREGATE_STORAGE |
                               ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_IPC |
                               ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION);
    OK(zeEventCounterBasedCreate(context, device, &d, &e));
    OK(zeCommandListCreateImmediate(context, device, &qd, &l));
    OK(zeCommandListCreate(context, device, &ld, &r));
    OK(zeEventGetCounterBasedFlags(e, &flags));
    CHECK_INT(flags, d.flags | ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE);
    CHECK_INT(zeEventGetEventPool(e, &pool), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeEventCounterBasedGetDeviceAddress(e, &value, &address), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeCommandListAppendSignalEvent(r, e), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* immediate lists only */
    for (int i = 0; i < 20; i++) {
        OK(zeCommandListAppendMemoryFill(l, m, "x", 1, 4096, e, 0, NULL));
        OK(zeEventCounterBasedGetDeviceAddress(e, &value, &address));
        OK(zeEventHostSynchronize(e, FOR_EVER));
        CHECK(*(uint64_t *)(uintptr_t)address >= value && value > 0 && m[4095] == 'x');
        m[4095] = 0;
    }
    OK(zeEventQueryKernelTimestamp(e, &t));
    CHECK(t.global.kernelEnd > t.global.kernelStart);
    d.flags = ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP | ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP;
    CHECK_INT(zeEventCounterBasedCreate(context, device, &d, &none), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeEventDestroy(e));
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(r));
    OK(zeMemFree(context, m));
}

/* Physical memory of the host belongs to no device. */
TEST(newer_physical_memory)
{
    ze_physical_mem_desc_t d = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST,
                                .size = (size_t)sysconf(_SC_PAGESIZE)};
    ze_physical_mem_handle_t p = NULL;
    void *m = NULL;
    if (several_drivers()) SKIP("several drivers");
    if (getenv("ZE_ENABLE_PARAMETER_VALIDATION")) SKIP("the loader's checks want a device");
    ze_physical_mem_properties_t about = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES};
    OK(zePhysicalMemCreate(context, NULL, &d, &p));
    OK(zePhysicalMemGetProperties(context, p, &about));
    CHECK(about.size == d.size && about.id != 0);
    OK(zeVirtualMemReserve(context, NULL, d.size, &m));
    if (zeVirtualMemMap(context, m, d.size, p, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE) == ZE_RESULT_SUCCESS)
        memset(m, 1, d.size);
    else
        CHECK(!"mapped");
    OK(zeVirtualMemUnmap(context, m, d.size));
    OK(zeVirtualMemFree(context, m, d.size));
    OK(zePhysicalMemDestroy(context, p));
    d.flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE;
    CHECK(zePhysicalMemCreate(context, NULL, &d, &p) != ZE_RESULT_SUCCESS);
}

TEST(newer_launches)
{
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS), r = new_list();
    ze_event_pool_handle_t pool = new_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_event_handle_t e = new_event(pool, 0);
    ze_kernel_handle_t k = new_kernel("where");
    ze_group_count_t groups = {4, 1, 1};
    ze_event_query_kernel_timestamps_results_ext_properties_t times = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_RESULTS_EXT_PROPERTIES};
    ze_kernel_timestamp_result_t stamp;
    uint32_t *out = new_memory(64), count = 0;
    uint64_t base = 1;
    OK(zeKernelSetGroupSize(k, 4, 1, 1));
    OK(zeKernelSetArgumentValue(k, 0, sizeof out, &out));
    OK(zeKernelSetArgumentValue(k, 1, sizeof base, &base));
    OK(zeCommandListAppendLaunchKernelWithParameters(r, k, &groups, NULL, e, 0, NULL));
    OK(zeCommandListClose(r));
    OK(zeCommandListImmediateAppendCommandListsWithParameters(l, 1, &r, NULL, NULL, 0, NULL));
    OK(zeCommandListHostSynchronize(l, FOR_EVER));
    for (uint32_t i = 0; i < 16; i++) CHECK_INT(out[i], 1 + i + 10 * (i % 4 + 1));
    OK(zeEventQueryKernelTimestampsExt(e, device, &count, NULL));
    CHECK_INT(count, 1);
    times.pKernelTimestampsBuffer = &stamp;
    OK(zeEventQueryKernelTimestampsExt(e, device, &count, &times));
    CHECK(stamp.global.kernelEnd >= stamp.global.kernelStart);
    OK(zeKernelDestroy(k));
    OK(zeEventDestroy(e));
    OK(zeEventPoolDestroy(pool));
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(r));
    OK(zeMemFree(context, out));
}

/* What launches of a closed list are given, how many work-groups of what size, where they begin, what they wait for and
 * set, and which kernel they are. */
TEST(newer_mutable_lists)
{
    ze_mutable_command_list_exp_desc_t can = {.stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC};
    ze_command_list_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .pNext = &can};
    ze_mutable_command_id_exp_desc_t what = {.stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC};
    ze_mutable_group_count_exp_desc_t count = {.stype = ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC};
    ze_mutable_group_size_exp_desc_t size = {.stype = ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC, .pNext = &count};
    ze_mutable_kernel_argument_exp_desc_t base = {.stype = ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC,
                                                  .pNext = &size};
    ze_mutable_global_offset_exp_desc_t begin = {.stype = ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC};
    ze_mutable_commands_exp_desc_t changes = {.stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC, .pNext = &base};
    if (several_drivers()) SKIP("several drivers: the loader takes no array without events");
    ze_event_pool_handle_t pool = new_pool(3, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t e[3] = {new_event(pool, 0), new_event(pool, 1), new_event(pool, 2)}, none[1] = {NULL};
    ze_command_list_handle_t l = NULL, plain = new_list();
    ze_kernel_handle_t k[2] = {new_kernel("where"), new_kernel("offset")};
    ze_group_count_t groups = {4, 1, 1}, more = {6, 1, 1};
    ze_bool_t is = 2;
    uint32_t *out = new_memory(256);
    uint64_t first = 1, then = 100, id = 0, other = 0;
    memset(out, 0xa5, 256);
    OK(zeCommandListCreate(context, device, &d, &l));
    OK(zeCommandListIsMutableExp(l, &is));
    CHECK_INT(is, 1);
    CHECK_INT(zeCommandListGetNextCommandIdExp(plain, &what, &id), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeCommandListGetNextCommandIdWithKernelsExp(l, &what, 2, k, &id));
    OK(zeKernelSetGroupSize(k[0], 4, 1, 1));
    OK(zeKernelSetGroupSize(k[1], 4, 1, 1));
    OK(zeKernelSetArgumentValue(k[0], 0, sizeof out, &out));
    OK(zeKernelSetArgumentValue(k[1], 0, sizeof out, &out));
    OK(zeKernelSetArgumentValue(k[0], 1, sizeof first, &first));
    OK(zeCommandListAppendLaunchKernel(l, k[0], &groups, e[0], 1, &e[1]));
    OK(zeCommandListGetNextCommandIdExp(l, &what, &other));
    OK(zeCommandListAppendBarrier(l, NULL, 0, NULL));
    CHECK(id != other);
    OK(zeCommandListClose(l));
    OK(zeEventHostSignal(e[1]));
    execute(l);
    OK(zeEventQueryStatus(e[0]));
    for (uint32_t i = 0; i < 16; i++) CHECK_INT(out[i], 1 + i + 10 * (i % 4 + 1));
    base.commandId = size.commandId = count.commandId = begin.commandId = id;
    base.argIndex = 1;
    base.argSize = sizeof then;
    base.pArgValue = &then;
    size.groupSizeX = 8;
    size.groupSizeY = size.groupSizeZ = 1;
    count.pGroupCount = &more;
    OK(zeCommandListUpdateMutableCommandsExp(l, &changes));
    CHECK_INT(zeCommandListUpdateMutableCommandWaitEventsExp(l, id, 2, e), ZE_RESULT_ERROR_INVALID_SIZE);
    OK(zeCommandListUpdateMutableCommandWaitEventsExp(l, id, 1, none)); /* e[1] is not set any more */
    OK(zeCommandListUpdateMutableCommandSignalEventExp(l, id, e[2]));
    OK(zeEventHostReset(e[1]));
    OK(zeEventHostReset(e[0]));
    execute(l);
    CHECK_INT(zeEventQueryStatus(e[0]), ZE_RESULT_NOT_READY);
    OK(zeEventQueryStatus(e[2]));
    for (uint32_t i = 0; i < 48; i++) CHECK_INT(out[i], 100 + i + 10 * (i % 4 + 1));
    OK(zeCommandListUpdateMutableCommandKernelsExp(l, 1, &id, &k[1]));
    begin.offsetX = 1000;
    changes.pNext = &begin;
    OK(zeCommandListUpdateMutableCommandsExp(l, &changes));
    OK(zeKernelDestroy(k[0]));
    OK(zeKernelDestroy(k[1])); /* the list has its own */
    execute(l);
    for (uint32_t i = 0; i < 24; i++) CHECK_INT(out[i], 1000 + i);
    CHECK_INT(out[24], 100 + 24 + 10);
    begin.commandId = other;
    CHECK_INT(zeCommandListUpdateMutableCommandsExp(l, &changes), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* a barrier */
    begin.commandId = 77;
    CHECK_INT(zeCommandListUpdateMutableCommandsExp(l, &changes), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(plain));
    for (int i = 0; i < 3; i++) OK(zeEventDestroy(e[i]));
    OK(zeEventPoolDestroy(pool));
    OK(zeMemFree(context, out));
}

/* A new kernel must have all arguments, and be for a kind of list that launches kernels; otherwise nothing changes. */
TEST(newer_kernels_of_mutable_lists_are_checked)
{
    ze_mutable_command_list_exp_desc_t can = {.stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC};
    ze_command_list_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .pNext = &can};
    ze_mutable_command_id_exp_desc_t what = {.stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC};
    ze_kernel_handle_t k[3] = {new_kernel("offset"), new_kernel("where"), new_kernel("where")};
    ze_command_list_handle_t l = NULL;
    ze_group_count_t groups = {1, 1, 1};
    uint64_t ids[2] = {0, 0}, base = 100;
    uint32_t *out = new_memory(256);
    OK(zeCommandListCreate(context, device, &d, &l));
    OK(zeKernelSetArgumentValue(k[0], 0, sizeof out, &out));
    OK(zeKernelSetArgumentValue(k[1], 0, sizeof out, &out));
    OK(zeKernelSetArgumentValue(k[2], 0, sizeof out, &out));
    OK(zeKernelSetArgumentValue(k[2], 1, sizeof base, &base));
    for (int i = 0; i < 3; i++) OK(zeKernelSetGroupSize(k[i], 4, 1, 1));
    for (int i = 0; i < 2; i++) {
        OK(zeCommandListGetNextCommandIdWithKernelsExp(l, &what, 3, k, &ids[i]));
        OK(zeCommandListAppendLaunchKernel(l, k[0], &groups, NULL, 0, NULL));
    }
    OK(zeCommandListClose(l));
    ze_kernel_handle_t second_lacks[2] = {k[2], k[1]};
    uint64_t no_second[2] = {ids[0], ids[1] + 100};
    ze_mutable_kernel_argument_exp_desc_t rest = {.stype = ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC,
                                                  .commandId = ids[1],
                                                  .argIndex = 1,
                                                  .argSize = sizeof base,
                                                  .pArgValue = &base};
    ze_mutable_commands_exp_desc_t change = {.stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC, .pNext = &rest};
    ze_command_queue_handle_t q = new_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    CHECK_INT(zeCommandListUpdateMutableCommandKernelsExp(l, 2, no_second, second_lacks),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    memset(out, 0xa5, 256);
    execute(l);
    for (uint32_t i = 0; i < 4; i++) CHECK_INT(out[i], i);
    CHECK_INT(out[4], 0xa5a5a5a5);
    /* the second one's other argument comes later */
    OK(zeCommandListUpdateMutableCommandKernelsExp(l, 2, ids, second_lacks));
    CHECK_INT(zeCommandQueueExecuteCommandLists(q, 1, &l, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeCommandListClose(l), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeCommandListUpdateMutableCommandsExp(l, &change));
    OK(zeCommandListClose(l));
    execute(l);
    for (uint32_t i = 0; i < 4; i++) CHECK_INT(out[i], 100 + i + 10 * (i % 4 + 1));
    OK(zeCommandQueueDestroy(q));
    for (int i = 0; i < 3; i++) OK(zeKernelDestroy(k[i]));
    OK(zeCommandListDestroy(l));
    OK(zeMemFree(context, out));
}

/* The loader's function; the loader's checks want a pointer for the size, too. */
TEST(newer_kernel_binaries)
{
    ze_kernel_handle_t k = new_kernel("add");
    uint8_t first = 0xa5, bytes[5] = {0, 0, 0, 0, 0xa5};
    size_t size = 0, four = 4;
    OK(zeKernelGetBinaryExp(k, &size, &first));
    CHECK(size > 64 && first == 0xa5);
    OK(zeKernelGetBinaryExp(k, &four, bytes));
    CHECK(four == 4 && memcmp(bytes, "\177ELF\xa5", 5) == 0);
    OK(zeKernelDestroy(k));
}

/* Arguments that are allocations, inside or at their beginning, or are not. */
TEST(newer_kernel_allocations)
{
    ze_kernel_allocation_exp_properties_t p[3] = {{.stype = ZE_STRUCTURE_TYPE_KERNEL_ALLOCATION_PROPERTIES},
                                                  {.stype = ZE_STRUCTURE_TYPE_KERNEL_ALLOCATION_PROPERTIES},
                                                  {.stype = ZE_STRUCTURE_TYPE_KERNEL_ALLOCATION_PROPERTIES}};
    ze_host_mem_alloc_desc_t h = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_kernel_handle_t k = new_kernel("add");
    float *a = new_memory(400), *inside = a + 10, *c = NULL;
    uint32_t n = 100, count = 0;
    OK(zeMemAllocHost(context, &h, 5000, 64, (void **)&c));
    OK(zeKernelGetAllocationPropertiesExp(k, &count, NULL));
    CHECK_INT(count, 0); /* no argument is set */
    OK(zeKernelSetArgumentValue(k, 0, sizeof inside, &inside));
    OK(zeKernelSetArgumentValue(k, 1, sizeof a, NULL));
    OK(zeKernelSetArgumentValue(k, 2, sizeof c, &c));
    OK(zeKernelSetArgumentValue(k, 3, sizeof n, &n));
    OK(zeKernelGetAllocationPropertiesExp(k, &count, NULL));
    CHECK_INT(count, 2);
    count = 3;
    OK(zeKernelGetAllocationPropertiesExp(k, &count, p));
    CHECK_INT(count, 2);
    CHECK(p[0].base == (uint64_t)(uintptr_t)a && p[0].size == 400 && p[0].type == ZE_MEMORY_TYPE_SHARED);
    CHECK(p[1].base == (uint64_t)(uintptr_t)c && p[1].size == 5000 && p[1].type == ZE_MEMORY_TYPE_HOST);
    CHECK(p[0].argIndex == 0 && p[1].argIndex == 2 && p[2].base == 0);
    memset(&p[0].base, 0xa5, sizeof p[0].base);
    p[1].base = 0;
    count = 1;
    OK(zeKernelGetAllocationPropertiesExp(k, &count, p));
    CHECK(count == 1 && p[0].base == (uint64_t)(uintptr_t)a && p[1].base == 0);
    OK(zeKernelDestroy(k));
    OK(zeMemFree(context, a));
    OK(zeMemFree(context, c));
}

TEST(newer_ipc_handles)
{
    ze_event_pool_handle_t pool = new_pool(1, ZE_EVENT_POOL_FLAG_IPC);
    ze_ipc_event_pool_handle_t events;
    ze_ipc_mem_handle_t handle, same;
    void *m = new_memory(100), *opened = NULL;
    OK(zeMemGetIpcHandle(context, m, &handle));
    OK(zeMemGetIpcHandleWithProperties(context, m, NULL, &same));
    CHECK(!memcmp(&handle, &same, sizeof handle));
    OK(zeMemOpenIpcHandle(context, device, same, 0, &opened));
    OK(zeMemPutIpcHandle(context, same));
    OK(zeMemCloseIpcHandle(context, opened));
    OK(zeMemFree(context, m));
    OK(zeEventPoolGetIpcHandle(pool, &events));
    OK(zeEventPoolPutIpcHandle(context, events));
    OK(zeEventPoolDestroy(pool));
}

/* Handles and descriptors of one memory, from each other; of physical memory, mapped nowhere. */
TEST(newer_ipc_descriptors)
{
    const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    ze_external_memory_export_fd_t out = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD,
                                          .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES, .pNext = &out};
    ze_physical_mem_properties_t about = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES, .pNext = &out};
    ze_physical_mem_desc_t d = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = bytes};
    ze_physical_mem_handle_t physical = NULL;
    ze_ipc_mem_handle_t handle;
    uint64_t file = 0;
    char *m = new_memory(100), *first = NULL, *second = NULL;
    strcpy(m, "one memory");
    OK(zeMemGetAllocProperties(context, m, &p, NULL));
    OK(zeMemGetIpcHandleFromFileDescriptorExp(context, (uint64_t)out.fd, &handle));
    close(out.fd);
    OK(zeMemOpenIpcHandle(context, device, handle, 0, (void **)&first));
    CHECK(first && !strcmp(first, m));
    OK(zeMemGetFileDescriptorFromIpcHandleExp(context, handle, &file));
    OK(zeMemGetIpcHandleFromFileDescriptorExp(context, file, &handle));
    OK(zeMemOpenIpcHandle(context, device, handle, 0, (void **)&second));
    if (second) second[0] = 'O';
    CHECK(!strcmp(m, "One memory") && !strcmp(first, m));
    OK(zeMemCloseIpcHandle(context, first));
    OK(zeMemCloseIpcHandle(context, second));
    OK(zeMemFree(context, m));
    CHECK_INT(zeMemGetIpcHandleFromFileDescriptorExp(context, 0, &handle), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeMemGetIpcHandleFromFileDescriptorExp(context, UINT64_MAX, &handle), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    memset(&handle, 0, sizeof handle);
    CHECK_INT(zeMemGetFileDescriptorFromIpcHandleExp(context, handle, &file), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zePhysicalMemCreate(context, device, &d, &physical));
    OK(zeMemGetIpcHandleWithProperties(context, physical, NULL, &handle));
    OK(zeMemOpenIpcHandle(context, device, handle, 0, (void **)&first));
    if (first) first[bytes - 1] = 7;
    OK(zePhysicalMemGetProperties(context, physical, &about));
    OK(zeMemGetIpcHandleFromFileDescriptorExp(context, (uint64_t)out.fd, &handle));
    close(out.fd);
    OK(zeMemOpenIpcHandle(context, device, handle, 0, (void **)&second));
    CHECK(second && second[bytes - 1] == 7);
    OK(zeMemCloseIpcHandle(context, first));
    OK(zeMemCloseIpcHandle(context, second));
    OK(zePhysicalMemDestroy(context, physical));
}

TEST(newer_atomic_attributes)
{
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_memory_atomic_attr_exp_flags_t is = 0;
    void *m = new_memory(100), *of_device = NULL;
    CHECK_INT(zeMemGetAtomicAccessAttributeExp(context, device, m, 100, &is), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    for (uint32_t flag = 0; flag <= ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_SYSTEM_ATOMICS; flag = flag ? 2 * flag : 1) {
        OK(zeMemSetAtomicAccessAttributeExp(context, device, m, 100, flag));
        OK(zeMemGetAtomicAccessAttributeExp(context, device, m, 100, &is));
        CHECK_INT(is, flag);
    }
    CHECK_INT(zeMemSetAtomicAccessAttributeExp(context, device, m, 100, 0x80), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    OK(zeMemAllocDevice(context, &d, 100, 0, device, &of_device));
    CHECK_INT(zeMemSetAtomicAccessAttributeExp(context, device, of_device, 100, 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    /* Memory of malloc is accepted like shared memory; the latest range that contains an address counts. */
    ze_memory_atomic_attr_exp_flags_t *of_malloc = calloc(1000, 4), *inside = of_malloc + 100;
    CHECK_INT(zeMemGetAtomicAccessAttributeExp(context, device, of_malloc, 8, &is), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeMemSetAtomicAccessAttributeExp(context, device, of_malloc, 4000, 1));
    OK(zeMemSetAtomicAccessAttributeExp(context, device, inside, 4, 4));
    OK(zeMemGetAtomicAccessAttributeExp(context, device, of_malloc, 8, &is));
    CHECK_INT(is, 1);
    OK(zeMemGetAtomicAccessAttributeExp(context, device, inside, 4, &is));
    CHECK_INT(is, 4);
    free(of_malloc);
    OK(zeMemFree(context, of_device));
    OK(zeMemFree(context, m));
}

TEST(newer_vector_widths)
{
    ze_device_vector_width_properties_ext_t w = {.stype = ZE_STRUCTURE_TYPE_DEVICE_VECTOR_WIDTH_PROPERTIES_EXT};
    uint32_t count = 0;
    OK(zeDeviceGetVectorWidthPropertiesExt(device, &count, NULL));
    CHECK_INT(count, 1);
    OK(zeDeviceGetVectorWidthPropertiesExt(device, &count, &w));
    CHECK(w.vector_width_size && w.preferred_vector_width_char == 1 && w.native_vector_width_half == 1);
}

static ze_result_t import_semaphore(uint32_t flags, ze_structure_type_t stype, int fd,
                                    ze_external_semaphore_ext_handle_t *to)
{
    ze_external_semaphore_fd_ext_desc_t f = {.stype = stype, .fd = fd};
    ze_external_semaphore_ext_desc_t d = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_EXT_DESC, .pNext = fd == -2 ? NULL : &f, .flags = flags};
    return zeDeviceImportExternalSemaphoreExt(device, &d, to);
}

#define OPAQUE_FD ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD
#define FD_DESC ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_FD_EXT_DESC

static ze_external_semaphore_ext_handle_t new_semaphore(int fd)
{
    ze_external_semaphore_ext_handle_t s = NULL;
    OK(import_semaphore(OPAQUE_FD, FD_DESC, fd, &s));
    return s;
}

TEST(newer_semaphore_refusals)
{
    static const struct {
        uint32_t flags;
        ze_structure_type_t stype;
        bool pipe;
        ze_result_t want;
    } kinds[] = {
        {OPAQUE_FD, FD_DESC, true, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
        {ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_VK_TIMELINE_SEMAPHORE_FD, FD_DESC, false, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
        {ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_D3D12_FENCE, FD_DESC, false, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
        {ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_WIN32, ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WIN32_EXT_DESC, false,
         ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
        {OPAQUE_FD, ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WIN32_EXT_DESC, false, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
        {0, FD_DESC, false, ZE_RESULT_ERROR_INVALID_ARGUMENT},
        {OPAQUE_FD | ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_D3D12_FENCE, FD_DESC, false, ZE_RESULT_ERROR_INVALID_ARGUMENT},
        {0x200, FD_DESC, false, ZE_RESULT_ERROR_INVALID_ENUMERATION}};
    ze_external_semaphore_signal_params_ext_t sp = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT};
    ze_external_semaphore_wait_params_ext_t wp = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT};
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS), regular = new_list();
    int pipes[2], e = eventfd(0, 0);
    ze_external_semaphore_ext_handle_t s = NULL;
    CHECK(pipe(pipes) == 0 && e >= 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        CHECK_INT(import_semaphore(kinds[i].flags, kinds[i].stype, kinds[i].pipe ? pipes[0] : e, &s), kinds[i].want);
    for (int fd = -2; fd < 0; fd++) /* no structure, no descriptor */
        CHECK_INT(import_semaphore(OPAQUE_FD, FD_DESC, fd, &s), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(import_semaphore(OPAQUE_FD, FD_DESC, e, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(zeDeviceReleaseExternalSemaphoreExt(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK(!s && fcntl(e, F_GETFD) >= 0); /* what is refused remains the program's */
    s = new_semaphore(e);
    CHECK(s && fcntl(e, F_GETFD) < 0);
    CHECK_INT(zeCommandListAppendSignalExternalSemaphoreExt(regular, 1, &s, &sp, NULL, 0, NULL),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeCommandListAppendWaitExternalSemaphoreExt(l, 1, &s, NULL, NULL, 0, NULL),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(zeCommandListAppendWaitExternalSemaphoreExt(l, 1, NULL, &wp, NULL, 0, NULL),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(zeCommandListAppendWaitExternalSemaphoreExt(l, 1, &s, &wp, NULL, 1, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    OK(zeDeviceReleaseExternalSemaphoreExt(s));
    OK(zeCommandListDestroy(regular));
    OK(zeCommandListDestroy(l));
    close(pipes[0]);
    close(pipes[1]);
}

/* Another process signals two eventfds, the second late; the device then copies, and signals a third. Ten rounds, in
 * which both sides also pass numbers through shared memory. */
TEST(newer_semaphores_between_processes)
{
    enum { ROUNDS = 10 };
    ze_external_semaphore_wait_params_ext_t wp[2] = {{.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT}};
    ze_external_semaphore_signal_params_ext_t sp = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT};
    int fd[3] = {eventfd(0, 0), eventfd(0, EFD_NONBLOCK), eventfd(0, EFD_CLOEXEC)}, status = -1;
    uint64_t *m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), one = 1, got;
    ze_event_pool_handle_t pool = new_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t go = new_event(pool, 0), passed = new_event(pool, 1);
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_external_semaphore_ext_handle_t s[3];
    pid_t other = fork();
    if (other == 0) {
        bool right = true;
        for (uint64_t round = 1; round <= ROUNDS && right; round++) {
            right = write(fd[0], &one, 8) == 8;
            usleep(3000);
            m[0] = 1000 + round;
            right = right && write(fd[1], &one, 8) == 8 && read(fd[2], &got, 8) == 8 && got == 1;
            right = right && m[1] == 1000 + round;
        }
        _exit(right ? 0 : 1);
    }
    for (int i = 0; i < 3; i++) s[i] = new_semaphore(fd[i]);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        OK(zeCommandListAppendWaitExternalSemaphoreExt(l, 2, s, wp, passed, 1, &go));
        OK(zeCommandListAppendMemoryCopy(l, &m[1], &m[0], 8, NULL, 0, NULL));
        CHECK_INT(zeEventHostSynchronize(passed, 1000000), ZE_RESULT_NOT_READY); /* it waits for `go` first */
        OK(zeEventHostSignal(go));
        OK(zeEventHostSynchronize(passed, FOR_EVER));
        OK(zeCommandListHostSynchronize(l, FOR_EVER));
        CHECK_INT(m[1], 1000 + round);
        OK(zeEventHostReset(go));
        OK(zeEventHostReset(passed));
        OK(zeCommandListAppendSignalExternalSemaphoreExt(l, 1, &s[2], &sp, NULL, 0, NULL));
    }
    OK(zeCommandListHostSynchronize(l, FOR_EVER));
    CHECK(waitpid(other, &status, 0) == other && WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 0);
    for (int i = 0; i < 3; i++) OK(zeDeviceReleaseExternalSemaphoreExt(s[i]));
    OK(zeCommandListDestroy(l));
    OK(zeEventDestroy(go));
    OK(zeEventDestroy(passed));
    OK(zeEventPoolDestroy(pool));
    munmap(m, 4096);
}

/* A wait takes all signals, or one of an eventfd made for that. While one waits, other lists of its engine run. A list
 * that is destroyed gives up waiting. */
TEST(newer_semaphores_are_taken)
{
    ze_external_semaphore_wait_params_ext_t wp = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT};
    ze_external_semaphore_signal_params_ext_t sp = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT};
    for (int counts = 0; counts < 2; counts++) {
        ze_command_list_handle_t l[2] = {new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                                         new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS)};
        ze_external_semaphore_ext_handle_t s = new_semaphore(eventfd(0, counts ? EFD_SEMAPHORE : 0));
        for (int i = 0; i < 2; i++) OK(zeCommandListAppendSignalExternalSemaphoreExt(l[0], 1, &s, &sp, NULL, 0, NULL));
        for (int i = 0; i <= counts; i++)
            OK(zeCommandListAppendWaitExternalSemaphoreExt(l[0], 1, &s, &wp, NULL, 0, NULL));
        OK(zeCommandListHostSynchronize(l[0], FOR_EVER));
        OK(zeCommandListAppendWaitExternalSemaphoreExt(l[0], 1, &s, &wp, NULL, 0, NULL));
        CHECK_INT(zeCommandListHostSynchronize(l[0], 2000000), ZE_RESULT_NOT_READY);
        OK(zeCommandListAppendSignalExternalSemaphoreExt(l[1], 1, &s, &sp, NULL, 0, NULL));
        OK(zeCommandListHostSynchronize(l[0], FOR_EVER));
        OK(zeCommandListAppendWaitExternalSemaphoreExt(l[0], 1, &s, &wp, NULL, 0, NULL));
        CHECK_INT(zeCommandListHostSynchronize(l[0], 2000000), ZE_RESULT_NOT_READY);
        for (int i = 0; i < 2; i++) OK(zeCommandListDestroy(l[i]));
        OK(zeDeviceReleaseExternalSemaphoreExt(s));
    }
}

static void wait_for_one(void *user)
{
    for (int ms = 0; ms < 60000 && !*(volatile uint32_t *)user; ms++) usleep(1000);
}

/* A call of the host lets later submissions pass, for which it may wait. */
TEST(newer_calls_of_the_host)
{
    ze_command_list_handle_t calls = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t fills = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    uint32_t *m = (uint32_t *)(void *)new_memory(8), one = 1;
    m[0] = m[1] = 0;
    OK(zeCommandListAppendHostFunction(calls, wait_for_one, m, NULL, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopy(calls, m + 1, m, 4, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryFill(fills, m, &one, 4, 4, NULL, 0, NULL));
    OK(zeCommandListHostSynchronize(calls, FOR_EVER));
    CHECK(m[0] == 1 && m[1] == 1);
    OK(zeCommandListDestroy(calls));
    OK(zeCommandListDestroy(fills));
    OK(zeMemFree(context, m));
}

TEST(newer_commands)
{
    ze_command_list_handle_t l = new_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS), r = new_list();
    ze_kernel_handle_t k = new_kernel("where"), s = new_kernel("sum");
    uint32_t *out = new_memory(400), calls = 0, i;
    int *in = new_memory(256), *total = new_memory(4);
    uint64_t base = 5;
    size_t local = 256;
    ze_group_count_t n = {5, 1, 1}, one = {1, 1, 1};
    ze_group_size_t size = {20, 1, 1}, required = {64, 1, 1};
    void *arguments[] = {&out, &base}, *sum_arguments[] = {&in, &total, &local};
    OK(zeCommandListAppendLaunchKernelWithArguments(l, k, n, size, arguments, NULL, NULL, 0, NULL));
    OK(zeCommandListAppendHostFunction(l, count_call, &calls, NULL, NULL, 0, NULL));
    OK(zeCommandListHostSynchronize(l, FOR_EVER));
    CHECK_INT(calls, 1);
    for (i = 0; i < 100; i++) CHECK_INT(out[i], 5 + i + 10 * (i % 20 % 4 + 1));
    for (i = 0; i < 64; i++) in[i] = (int)i;
    OK(zeCommandListAppendLaunchKernelWithArguments(r, s, one, required, sum_arguments, NULL, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryFillWithParameters(r, out, "q", 1, 4, NULL, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopyWithParameters(r, out + 1, out, 4, NULL, NULL, 0, NULL));
    CHECK_INT(zeCommandListImmediateAppendCommandListsExp(l, 1, &r, NULL, 0, NULL),
              ZE_RESULT_ERROR_INVALID_ARGUMENT); /* not closed */
    CHECK_INT(zeCommandListImmediateAppendCommandListsExp(l, 1, &l, NULL, 0, NULL),
              ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    OK(zeCommandListClose(r));
    CHECK_INT(zeCommandListImmediateAppendCommandListsExp(r, 1, &r, NULL, 0, NULL),
              ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    OK(zeCommandListImmediateAppendCommandListsExp(l, 1, &r, NULL, 0, NULL));
    OK(zeDeviceSynchronize(device));
    CHECK_INT(*total, 63 * 32);
    CHECK_INT(out[1], 0x71717171);
    OK(zeKernelDestroy(k));
    OK(zeKernelDestroy(s));
    OK(zeCommandListDestroy(l));
    OK(zeCommandListDestroy(r));
    OK(zeMemFree(context, out));
    OK(zeMemFree(context, in));
    OK(zeMemFree(context, total));
}
#endif

static void run_module_tests(void)
{
    RUN(module_contents);
    RUN(variables_are_device_memory);
    RUN(dynamic_link);
    RUN(bad_modules_fail_with_a_log);
    RUN(specialisation_constants);
    RUN(native_binaries);
    RUN(kernel_properties);
    RUN(kernel_binaries);
    RUN(source_attributes);
    RUN(kernel_refusals);
    RUN(vector_addition);
    RUN(an_engine_runs_one_submission_at_a_time);
    RUN(lists_of_an_engine_take_turns);
    RUN(more_urgent_submissions_begin_first);
    RUN(arguments_of_another_width);
    RUN(three_dimensions);
    RUN(largest_groups);
    RUN(reductions_in_one_list);
    RUN(globals_offsets_and_indirect_launches);
    RUN(cooperative_launch);
    RUN(lost_barriers_do_not_hang);
    RUN(wild_pointers_lose_their_launch_only);
    RUN(wild_copies_are_lost_only);
    RUN(wild_counts_lose_their_launch_only);
    RUN(queues_in_several_threads);
    RUN(tables_of_every_version);
    RUN(entries_of_newer_loaders);
#ifdef NEWER
    RUN(newer_getters);
    RUN(newer_getters_of_what_was_asked_for);
    RUN(newer_counter_based_events);
    RUN(newer_physical_memory);
    RUN(newer_launches);
    RUN(newer_commands);
    RUN(newer_calls_of_the_host);
    RUN(newer_mutable_lists);
    RUN(newer_kernels_of_mutable_lists_are_checked);
    RUN(newer_kernel_binaries);
    RUN(newer_kernel_allocations);
    RUN(newer_ipc_handles);
    RUN(newer_ipc_descriptors);
    RUN(newer_atomic_attributes);
    RUN(newer_vector_widths);
    RUN(newer_semaphore_refusals);
    RUN(newer_semaphores_between_processes);
    RUN(newer_semaphores_are_taken);
#endif
}

int main(void)
{
    const char *soft = getenv("XETILE_SOFT");
    setenv("ZE_ENABLE_ALT_DRIVERS", soft ? soft : "build/libze_soft.so", 1);
    setenv("XETILE_SOFT_THREADS", "4", 1);
    open_device();
    RUN(a_device_opens);
    if (!context) return test_report();
    RUN(driver_properties);
    RUN(device_properties);
    RUN(device_memory_and_queues);
    RUN(contexts);
    RUN(usm_allocations);
    RUN(usm_in_another_context);
    RUN(usm_refusals);
    RUN(deferred_free);
    RUN(usm_pages);
    RUN(usm_guards);
    RUN(usm_largest);
    RUN(virtual_memory);
    RUN(copies_and_fills);
    RUN(region_copies);
    RUN(append_refusals);
    RUN(asynchronous_queue_fence_and_host_event);
    RUN(who_waits_goes_no_further_than_he_must);
    RUN(who_waits_does_the_work);
    RUN(queues_wait_for_each_other);
    RUN(copies_only);
    RUN(submissions_begin_in_order);
    RUN(who_waits_lets_others_pass);
    RUN(who_waits_leaves_the_rest_to_others);
    RUN(waits_end_on_time);
    RUN(lists_end_with_their_last_event);
    RUN(device_events_and_timestamps);
    RUN(immediate_lists);
    RUN(lists_in_order);
    RUN(chained_descriptors);
    RUN(counter_based_events);
    RUN(counter_based_events_of_regular_lists);
    RUN(counter_based_events_in_a_row);
    RUN(events_destroyed_too_early);
    RUN(events_refused);
    RUN(what_there_is_not);
    RUN(null_handles);
    RUN(many_rounds_leave_nothing_running);
    build_result = build(ZE_MODULE_FORMAT_IL_SPIRV, driver_kernels, sizeof driver_kernels, NULL, &module, build_text,
                         sizeof build_text);
    RUN(a_module_of_another_compiler_builds);
    if (module) {
        run_module_tests();
        zeModuleDestroy(module);
    }
    zeContextDestroy(context);
    return test_report();
}
