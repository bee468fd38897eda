/* test_soft_extensions.c - small extensions that Intel's driver lists: sizes of memory and cache lines, hints, memory
 * of the program that is mapped or imported, sub-allocations, the driver's version as text. Structures and functions
 * are declared here, because they are newer than some headers. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"
#include "ze_dispatch.h"

#define OK(call) CHECK_INT((call), ZE_RESULT_SUCCESS)

static zed_device device;

static void *function(const char *name)
{
    void *address = NULL;
    OK(zeDriverGetExtensionFunctionAddress(device.driver, name, &address));
    return address;
}

/* ---- properties */

struct size_properties {
    uint32_t stype;
    void *next;
    uint64_t bytes;
};
struct memory_properties {
    uint32_t stype;
    void *next;
    uint32_t type;
    uint64_t bytes;
    uint32_t read, write, unit;
};

TEST(sizes_of_memory_and_caches)
{
    struct size_properties line = {0x20028, NULL, 0}, usable = {0x20041, NULL, 0};
    struct memory_properties memory = {0x1000e, NULL, 99, 0, 9, 9, 9};
    ze_device_cache_properties_t cache = {.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES, .pNext = &line};
    ze_device_memory_properties_t m = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES, .pNext = &memory};
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &usable};
    uint32_t one = 1;
    OK(zeDeviceGetCacheProperties(device.device, &one, &cache));
    OK(zeDeviceGetMemoryProperties(device.device, &one, &m));
    OK(zeDeviceGetProperties(device.device, &p));
    CHECK_MSG(line.bytes >= 16 && line.bytes <= 4096 && !(line.bytes & (line.bytes - 1)), "lines of %llu bytes",
              (unsigned long long)line.bytes);
    CHECK_INT(memory.bytes, m.totalSize);
    CHECK_MSG(memory.type != 99 && !memory.read && !memory.write && !memory.unit, "bandwidths are not known");
    CHECK_MSG(usable.bytes > 0 && usable.bytes <= m.totalSize, "%llu of %llu bytes are usable",
              (unsigned long long)usable.bytes, (unsigned long long)m.totalSize);
}

TEST(driver_version)
{
    ze_result_t (*version)(ze_driver_handle_t, char *, size_t *) = NULL;
    void *address = function("zeIntelGetDriverVersionString");
    char text[64], part[3] = "??";
    size_t size = 0, two = 2;
    int major, minor, build, end = 0;
    if (!address) return;
    memcpy(&version, &address, sizeof version);
    OK(version(device.driver, NULL, &size));
    CHECK(size > 0 && size < sizeof text);
    memset(text, 'x', sizeof text);
    OK(version(device.driver, text, &size));
    CHECK_INT(text[size], 'x');
    text[size] = 0;
    CHECK_MSG(sscanf(text, "%d.%d.%d%n", &major, &minor, &build, &end) == 3 && (size_t)end == size, "\"%s\"", text);
    OK(version(device.driver, part, &two));
    CHECK(memcmp(part, text, 2) == 0 && part[2] == 0);
    CHECK_INT(version(device.driver, text, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* ---- hints */

struct number_desc {
    uint32_t stype;
    const void *next;
    uint32_t number;
};
enum { COMPRESSION_HINTS = 0x1000b, POWER_SAVING_HINT = 0x20008 };

static ze_result_t with_power_hint(uint32_t hint)
{
    struct number_desc power = {POWER_SAVING_HINT, NULL, hint};
    ze_context_desc_t d = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC, .pNext = &power};
    ze_context_handle_t context = NULL;
    ze_result_t result = zeContextCreate(device.driver, &d, &context);
    if (context) OK(zeContextDestroy(context));
    return result;
}

static ze_result_t with_compression_hint(uint32_t hint)
{
    struct number_desc compression = {COMPRESSION_HINTS, NULL, hint};
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .pNext = &compression};
    void *p = NULL;
    ze_result_t result = zeMemAllocDevice(device.context, &d, 4096, 0, device.device, &p);
    if (p) OK(zeMemFree(device.context, p));
    return result;
}

TEST(hints)
{
    OK(with_power_hint(0));
    OK(with_power_hint(100));
    CHECK_INT(with_power_hint(101), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    OK(with_compression_hint(1));
    OK(with_compression_hint(2));
    CHECK_INT(with_compression_hint(0), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK_INT(with_compression_hint(3), ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

/* ---- sub-allocations: every allocation is one */

struct sub_allocations {
    uint32_t stype;
    void *next;
    uint32_t *count;
    struct {
        void *base;
        size_t size;
    } *list;
};

static uint32_t sub_allocations(const void *of, uint32_t count, struct sub_allocations *s)
{
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES, .pNext = s};
    s->stype = 0x2000d;
    s->count = &count;
    OK(zeMemGetAllocProperties(device.context, of, &p, NULL));
    return count;
}

TEST(one_sub_allocation)
{
    struct sub_allocations s = {0};
    char *p = (char *)zed_alloc(&device, ZED_DEVICE, 10000, 0);
    s.list = NULL;
    CHECK_INT(sub_allocations(p, 0, &s), 1);
    CHECK_INT(sub_allocations(&s, 0, &s), 0);
    s.list = calloc(3, sizeof *s.list);
    CHECK_INT(sub_allocations(p + 77, 3, &s), 1);
    CHECK(s.list[0].base == p && s.list[0].size == 10000 && !s.list[1].base);
    free(s.list);
    zed_free(&device, p);
}

/* ---- memory of the program */

struct system_memory {
    uint32_t stype;
    const void *next;
    void *base;
    uint64_t size;
};

static ze_result_t map(void *base, uint64_t bytes, size_t size, void **to)
{
    struct system_memory m = {0x20037, NULL, base, bytes};
    ze_host_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, .pNext = &m};
    *to = NULL;
    return zeMemAllocHost(device.context, &d, size, 0, to);
}

TEST(system_memory_is_mapped)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 4 * page;
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    uint8_t *memory = (uint8_t *)mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ze_ipc_mem_handle_t handle;
    void *at, *other, *base;
    size_t bytes;
    for (size_t i = 0; i < size; i++) memory[i] = (uint8_t)(i * 7);
    OK(map(memory, size, size, &at));
    CHECK(at == memory);
    OK(zeMemGetAllocProperties(device.context, memory + 100, &p, NULL));
    CHECK_INT(p.type, ZE_MEMORY_TYPE_HOST);
    OK(zeMemGetAddressRange(device.context, memory + page, &base, &bytes));
    CHECK(base == memory && bytes == size);
    CHECK(zed_copy(&device, memory + 3 * page, memory, page));
    CHECK(memcmp(memory + 3 * page, memory, page) == 0);
    CHECK_INT(map(memory + page, page, page, &other), ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    CHECK_INT(zeMemGetIpcHandle(device.context, memory, &handle), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    OK(zeMemFree(device.context, at));
    CHECK_INT(memory[page + 1], (uint8_t)((page + 1) * 7)); /* it is the program's as before */
    CHECK_INT(zeMemFree(device.context, at), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(map(memory + 16, page, page, &other), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(map(NULL, page, page, &other), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(map(memory, page + 1, page, &other), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    CHECK_INT(map(memory, page, 2 * page, &other), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    CHECK(other == NULL);
    munmap(memory, size);
}

TEST(pointers_are_imported)
{
    ze_result_t (*import)(ze_driver_handle_t, void *, size_t), (*release)(ze_driver_handle_t, void *),
        (*base_of)(ze_driver_handle_t, void *, void **);
    void *functions[] = {function("zexDriverImportExternalPointer"), function("zexDriverReleaseImportedPointer"),
                         function("zexDriverGetHostPointerBaseAddress")};
    char *memory = (char *)malloc(1000);
    void *base = NULL;
    if (!functions[0] || !functions[1] || !functions[2]) return;
    memcpy(&import, &functions[0], sizeof import);
    memcpy(&release, &functions[1], sizeof release);
    memcpy(&base_of, &functions[2], sizeof base_of);
    CHECK_INT(base_of(device.driver, memory, &base), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(import(device.driver, memory + 100, 400));
    OK(import(device.driver, memory + 200, 100));
    CHECK_INT(import(device.driver, memory, 200), ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    CHECK_INT(import(device.driver, memory + 400, 200), ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    CHECK_INT(import(device.driver, memory, 1000), ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    OK(import(device.driver, memory, 100));
    OK(base_of(device.driver, memory + 499, &base));
    CHECK(base == memory + 100);
    OK(base_of(device.driver, memory + 99, &base));
    CHECK(base == memory);
    CHECK_INT(base_of(device.driver, memory + 500, &base), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(release(device.driver, memory + 300));
    OK(release(device.driver, memory));
    CHECK_INT(release(device.driver, memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(import(device.driver, memory, 0), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(import(device.driver, NULL, 10), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    free(memory);
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){.name = "xetile"})) return zed_print_error(&device, stderr), 1;
    RUN(sizes_of_memory_and_caches);
    RUN(driver_version);
    RUN(hints);
    RUN(one_sub_allocation);
    RUN(system_memory_is_mapped);
    RUN(pointers_are_imported);
    zed_close(&device);
    return test_report();
}
