/* test_soft_allocations.c - memory: many allocations at a time, their limits of size, any alignment. */
#define _GNU_SOURCE
#include <level_zero/ze_api.h>
#include <time.h>
#include <unistd.h>

#include "test.h"
#include "ze_dispatch.h"

#define OK(call) CHECK_INT((call), ZE_RESULT_SUCCESS)

static zed_device device;

enum kind { SHARED, DEVICE, HOST, KINDS };

static ze_result_t allocate(enum kind kind, size_t size, size_t alignment, const void *chain, void **p)
{
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .pNext = chain};
    ze_host_mem_alloc_desc_t h = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, .pNext = chain};
    *p = NULL;
    switch (kind) {
    case SHARED: return zeMemAllocShared(device.context, &d, &h, size, alignment, device.device, p);
    case DEVICE: return zeMemAllocDevice(device.context, &d, size, alignment, device.device, p);
    default: return zeMemAllocHost(device.context, &h, size, alignment, p);
    }
}

/* ---- many */

enum { MANY = 40000, MOST_BYTES = 200 };

static struct {
    uint8_t *base;
    size_t size;
} all[MANY];

static void shuffle(void)
{
    for (size_t i = MANY - 1; i > 0; i--) {
        size_t k = (size_t)(test_random() % (i + 1));
        uint8_t *base = all[i].base;
        size_t size = all[i].size;
        all[i] = all[k];
        all[k].base = base;
        all[k].size = size;
    }
}

static void find_each(size_t from)
{
    for (size_t i = from; i < MANY; i++) {
        size_t size = 0, inside = (size_t)(test_random() % all[i].size);
        void *base = NULL;
        OK(zeMemGetAddressRange(device.context, all[i].base + inside, &base, &size));
        CHECK(base == all[i].base && size == all[i].size);
        CHECK(zeMemGetAddressRange(device.context, all[i].base + all[i].size, &base, &size) != ZE_RESULT_SUCCESS);
    }
}

/* Each is found by any address in it, while half of them go in random order. With a sorted array of them this took
 * seconds; it is not timed, because machines differ. */
TEST(many_at_a_time)
{
    for (size_t i = 0; i < MANY; i++) {
        void *p;
        all[i].size = 1 + (size_t)(test_random() % MOST_BYTES);
        if (allocate(i % 2 ? SHARED : DEVICE, all[i].size, 0, NULL, &p) != ZE_RESULT_SUCCESS) {
            CHECK_MSG(false, "allocation %zu of %d fails", i, MANY);
            return;
        }
        all[i].base = p;
        memset(p, (int)(i % 251), all[i].size);
    }
    for (size_t i = 0; i < MANY; i++)
        CHECK(all[i].base[0] == i % 251 && all[i].base[all[i].size - 1] == i % 251);
    shuffle();
    for (size_t i = 0; i < MANY / 2; i++) OK(zeMemFree(device.context, all[i].base));
    find_each(MANY / 2);
    for (size_t i = 0; i < MANY / 2; i++) CHECK(zeMemFree(device.context, all[i].base) != ZE_RESULT_SUCCESS);
    for (size_t i = MANY / 2; i < MANY; i++) OK(zeMemFree(device.context, all[i].base));
}

/* ---- sizes */

/* Memory is counted when it is allocated, or its pages are touched. */
static bool is_counted(void)
{
    FILE *f = fopen("/proc/sys/vm/overcommit_memory", "re");
    int policy = f ? fgetc(f) : 0;
    if (f) fclose(f);
    return TEST_SANITIZED || policy == '2' || getenv("XETILE_SOFT_CHECK");
}

TEST(limits_of_size)
{
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_relaxed_allocation_limits_exp_desc_t relaxed = {.stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC,
                                                       .flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE};
    const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    void *m;
    OK(zeDeviceGetProperties(device.device, &p));
    for (enum kind k = SHARED; k < KINDS; k++) {
        relaxed.flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE;
        CHECK_INT(allocate(k, p.maxMemAllocSize + 1, 0, NULL, &m), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        CHECK_INT(allocate(k, p.maxMemAllocSize + ((size_t)1 << 30), 0, NULL, &m), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        CHECK_INT(allocate(k, memory + 1, 0, &relaxed, &m), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        if (!is_counted()) {
            OK(allocate(k, p.maxMemAllocSize + 1, 0, &relaxed, &m));
            if (m) OK(zeMemFree(device.context, m));
        }
        relaxed.flags = 0;
        CHECK_INT(allocate(k, 4096, 0, &relaxed, &m), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
}

/* ---- alignments */

/* Alignments that are no powers of two are rounded up to one, since Intel's driver takes them. */
TEST(alignments)
{
    static const size_t given[] = {0, 1, 2, 3, 12, 48, 64, 4095, 4096, 4097, 65535, 3 << 16, 1 << 21, 3 << 21};
    static const size_t got[] = {1, 1, 2, 4, 16, 64, 64, 4096, 4096, 8192, 65536, 1 << 18, 1 << 21, 1 << 23};
    void *m;
    for (enum kind k = SHARED; k < KINDS; k++) {
        for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
            OK(allocate(k, 100, given[i], NULL, &m));
            CHECK_MSG((uintptr_t)m % got[i] == 0, "%p for an alignment of %zu", m, given[i]);
            if (m) OK(zeMemFree(device.context, m));
        }
        CHECK_INT(allocate(k, 100, ((size_t)1 << 30) + 1, NULL, &m), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
        CHECK_INT(allocate(k, 100, (size_t)1 << 31, NULL, &m), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    }
}

int main(void)
{
    setenv("ZE_ENABLE_PARAMETER_VALIDATION", "0", 1); /* the loader's layer refuses alignments that drivers take */
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    RUN(many_at_a_time);
    RUN(limits_of_size);
    RUN(alignments);
    zed_close(&device);
    return test_report();
}
