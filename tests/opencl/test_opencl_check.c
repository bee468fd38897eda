/* test_opencl_check.c - the checked mode of the software device: each kind of fault is reported, with kernel,
 * work-item, instruction and line, and does no harm; correct kernels, including those of xetile.h, are not reported.
 * Also arithmetic faults, with and without that mode. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <sys/wait.h>
#include <unistd.h>

#include "opencl.h"
#include "xetile.h"

static zed_module module;
static char said[1 << 16]; /* standard error since listen() */
static FILE *heard;
static int own_stderr;

static void listen(void)
{
    fflush(stderr);
    heard = tmpfile();
    own_stderr = dup(2);
    if (heard) dup2(fileno(heard), 2);
}

static void understand(void)
{
    size_t n = 0;
    fflush(stderr);
    dup2(own_stderr, 2);
    close(own_stderr);
    if (heard) {
        rewind(heard);
        n = fread(said, 1, sizeof said - 1, heard);
        fclose(heard);
    }
    said[n] = 0;
}

static int lines_with(const char *part)
{
    int n = 0;
    for (const char *at = said; (at = strstr(at, part)) != NULL; at++) n++;
    return n;
}

/* Runs a kernel and captures messages. The launch itself succeeds. */
#define RUN_CHECKED(name, params, groups, local, ...)                                                                  \
    do {                                                                                                               \
        listen();                                                                                                      \
        OCL_RUN(&module, name, params, groups, local, __VA_ARGS__);                                                    \
        understand();                                                                                                  \
    } while (0)
/* One report, which contains both texts. */
#define REPORTED(first, second)                                                                                        \
    do {                                                                                                               \
        CHECK_MSG(lines_with(": work-item (") == 1, "%d reports: %s", lines_with(": work-item ("), said);              \
        CHECK_HAS(said, first);                                                                                        \
        CHECK_HAS(said, second);                                                                                       \
    } while (0)
#define CLEAN() CHECK_MSG(!said[0], "reported: %s", said)

static int *device_memory(int kind, size_t count)
{
    int *p = (int *)zed_alloc(&ocl_device, kind, count * sizeof *p, 0);
    CHECK(p != NULL);
    return p;
}

static int *numbers(size_t count)
{
    int *p = device_memory(ZED_SHARED, count);
    for (size_t i = 0; i < count; i++) p[i] = (int)i;
    return p;
}

TEST(stores_past_the_end)
{
    int *a = device_memory(ZED_DEVICE, 60), got[60];
    char text[200];
    RUN_CHECKED("past_end", "ptr<i32> a", 4, 16, a);
    snprintf(text, sizeof text,
             "writes 4 bytes at 0x%llx, 0 bytes past the end of the 240-byte device allocation at 0x%llx\n",
             (unsigned long long)(uintptr_t)(a + 60), (unsigned long long)(uintptr_t)a);
    REPORTED("libze_soft: check: kernel past_end: work-item (60,0,0): OpStore to %", text);
    CHECK_HAS(said, "check.cl:3)");
    CHECK_HAS(said, "kernel past_end: 4 faults in all");
    zed_copy(&ocl_device, got, a, sizeof got);
    for (int i = 0; i < 60; i++) CHECK_INT(got[i], 7);
    ocl_free(a);
}

TEST(loads_before_the_start_give_zero)
{
    int *a = numbers(64), *r = numbers(64);
    RUN_CHECKED("before_start", "ptr<i32> a, ptr<i32> r", 1, 64, a, r);
    REPORTED("work-item (0,0,0): OpLoad %", "reads 4 bytes at 0x");
    CHECK_HAS(said, ", 16 bytes before the 256-byte shared allocation at");
    for (int i = 0; i < 64; i++) CHECK_INT(r[i], i < 4 ? 0 : i - 4);
    ocl_free(a);
    ocl_free(r);
}

TEST(another_allocation_is_out_of_bounds)
{
    int *a = numbers(64), *other = numbers(64);
    RUN_CHECKED("elsewhere", "ptr<i32> a, i64 far", 1, 16, a, (long long)(other - a));
    REPORTED("kernel elsewhere: work-item (0,0,0): OpStore", "256-byte shared allocation at");
    for (int i = 0; i < 64; i++) CHECK_INT(other[i], i);
    ocl_free(a);
    ocl_free(other);
}

TEST(wild_pointers_are_harmless)
{
    int *r = numbers(16), *freed = numbers(1 << 20);
    unsigned long long address = (unsigned long long)(uintptr_t)freed;
    RUN_CHECKED("wild", "u64 address, ptr<i32> r", 1, 16, 8ull, r);
    REPORTED("kernel wild: work-item (0,0,0): OpLoad", "reads 4 bytes at 0x8: a null pointer");
    for (int i = 0; i < 16; i++) CHECK_INT(r[i], 5);
    RUN_CHECKED("wild", "u64 address, ptr<i32> r", 1, 16, 0xdead00000000ull, r);
    REPORTED("kernel wild: work-item (0,0,0): OpLoad", "at 0xdead00000000, which is not in any allocation");
    ocl_free(freed);
    RUN_CHECKED("wild", "u64 address, ptr<i32> r", 1, 16, address, r);
    REPORTED("kernel wild: work-item (0,0,0): OpLoad", "reads 4 bytes at");
    ocl_free(r);
}

/* The pointer is a phi: it is traced to the parameter, which determines the intended allocation. */
TEST(pointers_in_loops_are_followed)
{
    int *a = numbers(100);
    RUN_CHECKED("through_pointer", "ptr<i32> a, i32 n", 1, 1, a, 100);
    CLEAN();
    RUN_CHECKED("through_pointer", "ptr<i32> a, i32 n", 1, 1, a, 103);
    CHECK_INT(lines_with(": work-item ("), 2); /* the load, the store */
    CHECK_HAS(said, "0 bytes past the end of the 400-byte shared allocation");
    CHECK_HAS(said, "6 faults in all");
    for (int i = 0; i < 100; i++) CHECK_INT(a[i], i + 2);
    ocl_free(a);
}

TEST(vectors_structures_and_atomics)
{
    int *a = numbers(64), *r = numbers(48), *items = numbers(64), *to = numbers(60);
    RUN_CHECKED("vectors", "ptr<i32> a, ptr<i32> r", 1, 16, a, r);
    CLEAN();
    for (int i = 0; i < 48; i++) CHECK_INT(r[i], i / 3 * 4 + i % 3);
    RUN_CHECKED("vectors", "ptr<i32> a, ptr<i32> r", 1, 17, a, r);
    CHECK_INT(lines_with(": work-item ("), 2);
    CHECK_HAS(said, "work-item (16,0,0): OpExtInst vloadn %");
    CHECK_HAS(said, "reads 16 bytes at");
    CHECK_HAS(said, "work-item (16,0,0): OpExtInst vstoren %");
    CHECK_HAS(said, "writes 12 bytes at");
    RUN_CHECKED("copies", "ptr<i32> a, ptr<i32> r", 1, 16, items, to);
    REPORTED("kernel copies: work-item (15,0,0): Op", "writes 16 bytes at");
    CHECK_HAS(said, "0 bytes past the end of the 240-byte");
    RUN_CHECKED("atomics", "ptr<i32> a", 1, 66, a);
    REPORTED("work-item (64,0,0): OpAtomicI", "updates 4 bytes at");
    for (int i = 0; i < 64; i++) CHECK_INT(a[i], i + 1);
    ocl_free(a);
    ocl_free(r);
    ocl_free(items);
    ocl_free(to);
}

TEST(local_and_private_memory_have_bounds)
{
    int *r = numbers(64), *a = numbers(64);
    zed_kernel k;
    CHECK(zed_kernel_get(&k, &module, "arguments", "local<i32> mine, ptr<i32> r, i32 by") &&
          zed_local_size(&k, 32, 1, 1));
    listen();
    zed_launch(&k, (zed_groups){2, 1, 1}, (zed_local){128}, r, 0);
    understand();
    CLEAN();
    listen();
    zed_launch(&k, (zed_groups){1, 1, 1}, (zed_local){128}, r, 3);
    understand();
    CHECK_INT(lines_with(": work-item ("), 2);
    CHECK_HAS(said, "work-item (29,0,0): OpStore");
    CHECK_HAS(said, "0 bytes past the end of the 128-byte local argument 0");
    for (int i = 0; i < 32; i++) CHECK_INT(r[i], i < 29 ? 4 : 0);
    RUN_CHECKED("over_the_end", "ptr<i32> r, i32 by", 2, 16, r, 0);
    CLEAN();
    RUN_CHECKED("over_the_end", "ptr<i32> r, i32 by", 1, 16, r, 1);
    CHECK_INT(lines_with(": work-item ("), 2); /* and x[0] is not written */
    CHECK_HAS(said, "kernel over_the_end: work-item (15,0,0): OpStore to %");
    CHECK_HAS(said, "0 bytes past the end of the 64-byte local variable %");
    CHECK_INT(r[15], 8); /* y[0] is unchanged */
    RUN_CHECKED("private_array", "ptr<i32> r, i32 by", 1, 32, r, 0);
    CLEAN();
    RUN_CHECKED("private_array", "ptr<i32> r, i32 by", 1, 32, r, 4);
    CHECK_INT(lines_with(": work-item ("), 2);
    CHECK_HAS(said, "work-item (4,0,0): OpStore");
    CHECK_HAS(said, "0 bytes past the end of the 32-byte private variable %");
    RUN_CHECKED("async", "ptr<i32> a, ptr<i32> r, i32 n", 1, 32, a, r, 32);
    CLEAN();
    RUN_CHECKED("async", "ptr<i32> a, ptr<i32> r, i32 n", 1, 32, a, r, 33);
    CHECK_HAS(said, "OpGroupAsyncCopy %");
    CHECK_HAS(said, "0 bytes past the end of the 128-byte local variable %");
    RUN_CHECKED("program_variable", "ptr<i32> r, i32 by", 1, 32, r, 0);
    CLEAN();
    RUN_CHECKED("program_variable", "ptr<i32> r, i32 by", 1, 32, r, 1);
    REPORTED("work-item (3,0,0): OpLoad", "0 bytes past the end of the 16-byte program variable %");
    ocl_free(r);
    ocl_free(a);
}

TEST(generic_pointers)
{
    int *r = numbers(16);
    for (int which = 0; which < 3; which++) {
        RUN_CHECKED("generic_pointers", "ptr<i32> r, i32 which, i32 by", 1, 16, r, which, 0);
        CLEAN();
        CHECK_INT(r[15], 15 + 3 * (which + 1)); /* each round leaves 3 more */
    }
    RUN_CHECKED("generic_pointers", "ptr<i32> r, i32 which, i32 by", 1, 16, r, 0, 4);
    CHECK_HAS(said, "work-item (12,0,0): OpLoad %");
    CHECK_HAS(said, "0 bytes past the end of the 64-byte shared allocation");
    RUN_CHECKED("generic_pointers", "ptr<i32> r, i32 which, i32 by", 1, 16, r, 1, 4);
    CHECK_HAS(said, "work-item (12,0,0): OpLoad %");
    CHECK_HAS(said, "past the end of the ");
    ocl_free(r);
}

TEST(what_nobody_wrote)
{
    int *a = device_memory(ZED_DEVICE, 64), *s = device_memory(ZED_SHARED, 64), *r = numbers(64), from[64] = {0};
    RUN_CHECKED("load", "ptr<i32> a, ptr<i32> r", 1, 64, a, r);
    REPORTED("kernel load: work-item (0,0,0): OpLoad %",
             "of which nothing has written byte 0 of the 256-byte device allocation");
    CHECK_HAS(said, "64 faults in all");
    zed_copy(&ocl_device, a, from, 160);
    RUN_CHECKED("load", "ptr<i32> a, ptr<i32> r", 1, 64, a, r);
    REPORTED("work-item (40,0,0): OpLoad %", "nothing has written byte 160 of");
    zed_fill_pattern(&ocl_device, a + 40, "\3\0\0", 4, 96);
    RUN_CHECKED("load", "ptr<i32> a, ptr<i32> r", 1, 64, a, r);
    CLEAN();
    CHECK_INT(r[63], 3);
    RUN_CHECKED("load", "ptr<i32> a, ptr<i32> r", 1, 64, s, r);
    REPORTED("work-item (0,0,0): OpLoad %", "nothing has written byte 0 of the 256-byte shared allocation");
    RUN_CHECKED("past_end", "ptr<i32> a", 1, 21, s); /* half of eight bytes, too, is half written */
    RUN_CHECKED("load", "ptr<i32> a, ptr<i32> r", 1, 64, s, r);
    REPORTED("work-item (21,0,0): OpLoad %", "nothing has written byte 84 of the 256-byte shared allocation");
    RUN_CHECKED("past_end", "ptr<i32> a", 1, 32, s); /* a kernel writes half of it, the host the rest */
    for (int i = 32; i < 64; i++) s[i] = i;
    RUN_CHECKED("load", "ptr<i32> a, ptr<i32> r", 1, 64, s, r);
    CLEAN();
    RUN_CHECKED("local_unwritten", "ptr<i32> r", 1, 64, r);
    REPORTED("work-item (40,0,0): OpLoad %", "nothing has written byte 160 of the 256-byte local variable %");
    ocl_free(a);
    ocl_free(s);
    ocl_free(r);
}

/* Variables that remain in memory. */
TEST(private_memory_that_nobody_wrote)
{
    int *r = numbers(64);
    RUN_CHECKED("private_unwritten", "ptr<i32> r, i32 n", 1, 64, r, 8);
    CLEAN();
    RUN_CHECKED("private_unwritten", "ptr<i32> r, i32 n", 1, 64, r, 5);
    REPORTED("kernel private_unwritten: work-item (5,0,0): OpLoad %",
             "of which nothing has written byte 20 of the 32-byte private variable %");
    CHECK_HAS(said, "24 faults in all");
    for (int n = 4; n > 1; n--) {
        RUN_CHECKED("begun_anew", "ptr<i32> r, i32 n", 1, 64, r, n); /* reported by one thread first */
        if (n == 4) {
            CLEAN();
            continue;
        }
        REPORTED("kernel begun_anew: work-item (0,0,0): OpLoad %", "of the 16-byte private variable %");
        CHECK_HAS(said, n == 3 ? "64 faults in all" : "128 faults in all");
    }
    RUN_CHECKED("in_functions", "ptr<i32> r, i32 n", 1, 64, r, 64);
    CLEAN();
    RUN_CHECKED("in_functions", "ptr<i32> r, i32 n", 1, 64, r, 19);
    REPORTED("kernel in_functions: work-item (19,0,0): OpLoad %", "nothing has written byte 0, of private memory");
    for (int i = 0; i < 19; i++) CHECK_INT(r[i], 3);
    ocl_free(r);
}

/* Those that become C variables. */
TEST(private_variables_that_nobody_wrote)
{
    zed_module m = module;
    int *r = numbers(512), *a = numbers(64);
    if (!ocl_load(&module, "unwritten")) return;
    RUN_CHECKED("scalar", "ptr<i32> r, i32 n", 1, 32, r, 32);
    CLEAN();
    RUN_CHECKED("scalar", "ptr<i32> r, i32 n", 1, 32, r, 19);
    REPORTED("kernel scalar: work-item (19,0,0): OpLoad %",
             "reads 4 bytes of which nothing has written byte 0 of the 4-byte private variable %");
    CHECK_HAS(said, "13 faults in all");
    RUN_CHECKED("vector", "ptr<i32> r, i32 n", 1, 32, r, 4);
    CLEAN();
    RUN_CHECKED("vector", "ptr<i32> r, i32 n", 1, 32, r, 0);
    REPORTED("kernel vector: work-item (0,0,0): OpLoad %", "written byte 0 of the 16-byte private variable %");
    RUN_CHECKED("vector_of_three", "ptr<f32> r", 1, 32, (float *)r);
    CLEAN();
    for (int i = 0; i < 96; i++) CHECK(((float *)r)[i] == (float)(i % 3 * 2 + 2));
    RUN_CHECKED("fields", "ptr<i32> r", 1, 32, r);
    CLEAN();
    CHECK_INT(r[31], 63);
    for (int i = 0; i < 2; i++) {
        memset(r, 0, 128);
        RUN_CHECKED(i ? "copies" : "copies_to_memory", "ptr<i32> r, i32 n", 1, 32, r, 1);
        CLEAN();
        for (int k = 0; k < 32; k++) CHECK_INT(r[k], 4);
    }
    RUN_CHECKED("copies", "ptr<i32> r, i32 n", 1, 32, r, 2);
    REPORTED("kernel copies: work-item (0,0,0): OpLoad %", "reads 4 bytes");
    RUN_CHECKED("bytes", "ptr<i32> r, i32 n", 1, 32, r, 3);
    CLEAN();
    RUN_CHECKED("bytes", "ptr<i32> r, i32 n", 1, 32, r, 4);
    REPORTED("kernel bytes: work-item (0,0,0): OpLoad %", "nothing has written byte 4 of the 24-byte private variable");
    RUN_CHECKED("fence_apart", "ptr<i32> a, ptr<i32> r", 1, 64, a, r);
    CLEAN();
    zed_module_free(&module);
    module = m;
    ocl_free(r);
    ocl_free(a);
}

TEST(races_between_subgroups)
{
    int *a = numbers(128), *r = numbers(128), *same = numbers(4), *differ = numbers(4), *sum = numbers(1);
    RUN_CHECKED("turn", "ptr<i32> r, i32 safe", 2, 64, a, 1);
    CLEAN();
    for (int i = 0; i < 128; i++) CHECK_INT(a[i], 63 - i % 64);
    RUN_CHECKED("turn", "ptr<i32> r, i32 safe", 2, 64, a, 0);
    CHECK_HAS(said, ": a data race: since the last barrier ");
    CHECK_HAS(said, "-byte local variable %");
    CHECK_HAS(said, " by Op");
    RUN_CHECKED("turn_global", "ptr<i32> a, i32 safe", 2, 64, a, 1);
    CLEAN();
    RUN_CHECKED("turn_global", "ptr<i32> a, i32 safe", 2, 64, a, 0);
    CHECK_HAS(said, ": a data race: since the last barrier ");
    CHECK_HAS(said, "-byte shared allocation at ");
    CHECK_HAS(said, " of the work-group read byte ");
    RUN_CHECKED("turn_global", "ptr<i32> a, i32 safe", 2, 16, a, 0); /* one subgroup: its lanes run in lockstep */
    CLEAN();
    RUN_CHECKED("together", "ptr<i32> same, ptr<i32> differ, ptr<i32> sum", 4, 64, same, (int *)NULL, sum);
    CLEAN();
    CHECK_INT(*sum, 256);
    RUN_CHECKED("together", "ptr<i32> same, ptr<i32> differ, ptr<i32> sum", 1, 64, same, differ, sum);
    REPORTED("kernel together: work-item (16,0,0): OpStore to %", "check.cl:101) writes 4 bytes at");
    CHECK_HAS(strstr(said, "a data race"), "check.cl:101)\n"); /* and the conflicting instruction */
    RUN_CHECKED("together", "ptr<i32> same, ptr<i32> differ, ptr<i32> sum", 4, 64, same, differ, sum);
    REPORTED("kernel together: work-item (", "writes 4 bytes at");
    CHECK_HAS(said, ": a data race: since the last barrier subgroup 0 of the work-group wrote byte ");
    RUN_CHECKED("fences", "ptr<i32> a, ptr<i32> r, i32 full", 2, 64, a, r, 1);
    CLEAN();
    RUN_CHECKED("fences", "ptr<i32> a, ptr<i32> r, i32 full", 2, 64, a, r, 0);
    REPORTED("kernel fences: work-item (", ": a data race: since the last barrier subgroup ");
    RUN_CHECKED("atomics_and_a_store", "ptr<i32> r, i32 item", 1, 64, sum, -1);
    CLEAN();
    RUN_CHECKED("atomics_and_a_store", "ptr<i32> r, i32 item", 1, 64, sum, 40);
    CHECK_HAS(said, "kernel atomics_and_a_store: work-item (40,0,0): OpStore to %");
    CHECK_HAS(strstr(said, "a data race"), " by OpAtomicIAdd %");
    ocl_free(a);
    ocl_free(r);
    ocl_free(same);
    ocl_free(differ);
    ocl_free(sum);
}

TEST(barriers_that_not_all_reach)
{
    int *r = numbers(64);
    zed_kernel k;
    RUN_CHECKED("some_lanes", "ptr<i32> r, i32 n", 1, 32, r, 32);
    CLEAN();
    RUN_CHECKED("some_lanes", "ptr<i32> r, i32 n", 1, 32, r, 20);
    REPORTED("kernel some_lanes: work-item (16,0,0): OpControlBarrier",
             "is a barrier that 12 of the 16 work-items of its subgroup do not reach with it, lane 4 the first");
    RUN_CHECKED("barriers_in_a_loop", "ptr<i32> r, i32 mask", 1, 64, r, 0);
    CLEAN();
    RUN_CHECKED("barriers_in_a_loop", "ptr<i32> r, i32 mask", 1, 64, r, 3);
    REPORTED("kernel barriers_in_a_loop: work-item (",
             "is a barrier that 4 of the 16 work-items of its subgroup do not reach with it");
    RUN_CHECKED("two_barriers", "ptr<i32> r", 1, 64, r);
    CHECK_HAS(said, "is not the barrier that subgroup 0 of the work-group waits at: OpControlBarrier");
    for (int i = 0; i < 64; i++) CHECK_INT(r[i], i < 16 ? 1 : 2);
    CHECK(zed_kernel_get(&k, &module, "early_end", "ptr<i32> r") && zed_local_size(&k, 64, 1, 1));
    listen();
    CHECK(!zed_launch(&k, (zed_groups){1, 1, 1}, r)); /* it cannot continue: the launch fails, as without the mode */
    understand();
    CHECK_HAS(said,
              "is a barrier at which its subgroup waits in vain: subgroup 1 of the work-group has ended without it");
    zed_clear_error(&ocl_device);
    ocl_free(r);
}

TEST(sums_and_histograms_are_clean)
{
    int *a = numbers(1000), *r = device_memory(ZED_SHARED, 8), want = 0, got = 0;
    uint32_t *bins = (uint32_t *)device_memory(ZED_SHARED, 16), count[16] = {0};
    zed_kernel k;
    memset(bins, 0, 64);
    CHECK(zed_kernel_get(&k, &module, "sum", "ptr<i32> a, ptr<i32> r, local<i32> part, i32 n") &&
          zed_local_size(&k, 128, 1, 1));
    listen();
    zed_launch(&k, (zed_groups){8, 1, 1}, a, r, (zed_local){512}, 1000);
    understand();
    CLEAN();
    for (int i = 0; i < 1000; i++) want += i;
    for (int i = 0; i < 8; i++) got += r[i];
    CHECK_INT(got, want);
    RUN_CHECKED("histogram", "ptr<u8> a, ptr<u32> r, i32 n", 4, 100, (uint8_t *)a, bins, 4000);
    CLEAN();
    for (int i = 0; i < 4000; i++) count[((uint8_t *)a)[i] & 15]++;
    for (int i = 0; i < 16; i++) CHECK_INT(bins[i], count[i]);
    ocl_free(a);
    ocl_free(r);
    ocl_free(bins);
}

/* Local variables that begin as zeros count as written. */
TEST(cleared_variables_are_clean)
{
    static const char *const names[] = {"waits", "alone"};
    zed_module m;
    uint32_t *r = (uint32_t *)device_memory(ZED_SHARED, 400);
    if (!ocl_load(&m, "beginnings")) return;
    for (uint32_t n = 0; n < 2; n++) {
        listen();
        OCL_RUN(&m, names[n], "ptr<u32> r", 10, 40, r);
        understand();
        CLEAN();
        for (uint32_t i = 0; i < 400; i++) CHECK_INT(r[i], n ? i : 10 * i);
    }
    zed_module_free(&m);
    ocl_free(r);
}

/* One page of two is mapped. */
TEST(virtual_memory_has_bounds)
{
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC};
    ze_physical_mem_handle_t memory;
    void *p = NULL;
    int *r = numbers(16);
    size_t page;
    ze_context_handle_t c = ocl_device.context;
    CHECK_INT(zeVirtualMemQueryPageSize(c, ocl_device.device, 1, &page), ZE_RESULT_SUCCESS);
    desc.size = page;
    void *near = (void *)(UINT64_C(1) << 40); /* older loaders' checks require an address */
    CHECK_INT(zeVirtualMemReserve(c, near, 2 * page, &p), ZE_RESULT_SUCCESS);
    CHECK_INT(zePhysicalMemCreate(c, ocl_device.device, &desc, &memory), ZE_RESULT_SUCCESS);
    CHECK_INT(zeVirtualMemMap(c, p, page, memory, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE), ZE_RESULT_SUCCESS);
    unsigned long long end = (unsigned long long)(uintptr_t)p + page;
    memset(p, 0, page);
    RUN_CHECKED("wild", "u64 address, ptr<i32> r", 1, 16, end - 4, r);
    CLEAN();
    for (unsigned long long at = end; at > end - 8; at -= 4) {
        RUN_CHECKED("wild", "u64 address, ptr<i32> r", 1, 16, at, r);
        REPORTED("kernel wild: work-item (0,0,0): OpLoad %", "reads 4 bytes at ");
        if (at < end) break;
        CHECK_HAS(said, "0 bytes past the end of the ");
        CHECK_HAS(said, "-byte virtual mapping at ");
        CHECK_INT(zeVirtualMemUnmap(c, p, page), ZE_RESULT_SUCCESS);
    }
    ocl_free(r);
    CHECK_INT(zePhysicalMemDestroy(c, memory), ZE_RESULT_SUCCESS);
    CHECK_INT(zeVirtualMemFree(c, p, 2 * page), ZE_RESULT_SUCCESS);
}

/* ---- the library's kernels */

XT_KERNEL(product, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const xt_map map_a = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 16});
    const xt_map map_b = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 32});
    const xt_map map_c = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 32});
    xt_val i = XT_MUL(XT_GROUP_ID(1), 32), j = XT_MUL(XT_GROUP_ID(0), 64);
    xt_tile a = XT_INIT_TILE(A, f16, 32, 16, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = map_a);
    xt_tile b = XT_INIT_TILE(B, f16, 16, 64, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = map_b);
    xt_tile c = XT_INIT_TILE(C, f32, 32, 64, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = map_c);
    xt_vec acc = XT_SPLAT(f32, 32, 64, 0.0, .map = map_c);
    XT_FOR(k, 0, K, 16, &a, &b, &acc)
    {
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, 16);
        b = XT_UPDATE_TILE_OFFSET(b, 16, 0);
    }
    XT_STORE_TILE(acc, c);
}

/* M x N x K, with only `rows` rows of C and A allocated. */
static void multiply(zed_kernel *k, uint32_t m, uint32_t n, uint32_t depth, uint32_t rows)
{
    uint16_t *a = (uint16_t *)zed_alloc(&ocl_device, ZED_SHARED, rows * depth * 2, 0);
    uint16_t *b = (uint16_t *)zed_alloc(&ocl_device, ZED_SHARED, depth * n * 2, 0);
    float *c = (float *)zed_alloc(&ocl_device, ZED_SHARED, rows * n * 4, 0);
    for (uint32_t i = 0; i < rows * depth; i++) a[i] = spe_f32_to_f16_bits((float)(i % 7) - 3);
    for (uint32_t i = 0; i < depth * n; i++) b[i] = spe_f32_to_f16_bits((float)(i % 5) - 2);
    listen();
    zed_launch(k, (zed_groups){(n + 63) / 64, (m + 31) / 32, 1}, a, b, c, m, n, depth);
    understand();
    ocl_good_("product", __FILE__, __LINE__);
    for (uint32_t i = 0; i < rows / 16 * 16; i++) {
        for (uint32_t j = 0; j < n; j++) {
            double want = 0;
            for (uint32_t x = 0; x < depth; x++)
                want += (double)spe_f16_bits_to_f32(a[i * depth + x]) * (double)spe_f16_bits_to_f32(b[x * n + j]);
            CHECK_MSG((double)c[i * n + j] == want, "%u, %u: %g, want %g", i, j, (double)c[i * n + j], want);
        }
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(c);
}

TEST(products_of_tiles)
{
    zed_module m;
    zed_kernel k;
    xt_module built = XT_BUILD(product, &(xt_target){ZED_TARGET(&ocl_device)});
    CHECK(zed_module_load(&m, &ocl_device, built.words, built.size, NULL));
    CHECK(zed_kernel_get(&k, &m, built.kernel, built.params) &&
          zed_local_size(&k, built.local_size[0], built.local_size[1], built.local_size[2]));
    multiply(&k, 64, 128, 64, 64); /* two-dimensional blocks */
    CLEAN();
    multiply(&k, 72, 144, 80, 72); /* and partial tiles */
    CLEAN();
    multiply(&k, 37, 61, 51, 37); /* lane by lane */
    CLEAN();
    multiply(&k, 64, 128, 64, 48); /* a quarter of C is not allocated */
    CHECK_HAS(said, ": OpSubgroup2DBlockLoadINTEL");
    CHECK_HAS(said, ": OpSubgroup2DBlockStoreINTEL");
    CHECK_HAS(said, "past the end of the 24576-byte shared allocation at");
    zed_module_free(&m);
    xt_free(&built);
}

/* ---- not available in OpenCL C: blocks of a subgroup, matrices, split barriers */

static void emit_blocks(spe_module *m)
{
    spe_id u32 = spe_int(m, 32), type = spe_vec(m, u32, 4), tile = spe_shared_var(m, spe_array(m, u32, 32));
    spe_param params[2] = {{spe_ptr(m, SPE_StorageClassCrossWorkgroup, u32), "a", false, false, 0},
                           {spe_ptr(m, SPE_StorageClassCrossWorkgroup, u32), "r", false, false, 0}};
    spe_kernel k = {"blocks", 16, {32, 1, 1}, 0, params, 2, SPE_CONTRACT_ALLOWED};
    spe_kernel_begin(m, &k);
    spe_id local = spe_builtin(m, SPE_LOCAL_ID, 0),
           first = spe_mul(m, spe_builtin(m, SPE_SUBGROUP_ID, 0), spe_u32(m, 64));
    spe_id from = spe_index(m, spe_param_id(m, 0), first), to[2] = {spe_index(m, spe_param_id(m, 1), first), 0};
    spe_store(m, spe_element(m, tile, 1, &local), local, 0);
    spe_barrier_arrive(m);
    to[1] = spe_op(m, SPE_OpSubgroupBlockReadINTEL, type, 1, &from);
    spe_barrier_wait(m);
    spe_id other = spe_sub(m, spe_u32(m, 31), local);
    spe_id turned = spe_load(m, spe_element(m, tile, 1, &other), 0), all = spe_splat(m, type, turned);
    to[1] = spe_add(m, to[1], all);
    spe_op_void(m, SPE_OpSubgroupBlockWriteINTEL, 2, to);
    spe_kernel_end(m);
}

static void emit_matrix(spe_module *m)
{
    spe_id f32 = spe_float(m, 32),
           type = spe_coopmat(m, f32, SPE_ScopeSubgroup, 8, 16, SPE_CooperativeMatrixUseMatrixAccumulatorKHR);
    spe_param params[2] = {{spe_ptr(m, SPE_StorageClassCrossWorkgroup, f32), "a", false, false, 0},
                           {spe_ptr(m, SPE_StorageClassCrossWorkgroup, f32), "r", false, false, 0}};
    spe_kernel k = {"matrix", 16, {16, 1, 1}, 0, params, 2, SPE_CONTRACT_ALLOWED};
    spe_kernel_begin(m, &k);
    spe_id v = spe_coop_load(m, type, spe_param_id(m, 0), SPE_CooperativeMatrixLayoutRowMajorKHR, spe_u32(m, 16));
    spe_coop_store(m, spe_param_id(m, 1), v, SPE_CooperativeMatrixLayoutColumnMajorKHR, spe_u32(m, 9));
    spe_kernel_end(m);
}

static bool load_emitted(zed_module *to, zed_kernel *k, void (*emit)(spe_module *), const char *name,
                         const char *params)
{
    spe_module m = {0};
    spe_words words;
    char file[80];
    bool ok;
    snprintf(file, sizeof file, "test_opencl_check_%s", name);
    spe_begin(&m, NULL);
    emit(&m);
    words = spe_finish(&m);
    CHECK_MSG(spe_ok(&m), "%s", spe_get_error(&m)->text);
    test_save_spv(file, words.data, words.count * 4);
    ok = zed_module_load(to, &ocl_device, words.data, words.count * 4, NULL) &&
         (!params || zed_kernel_get(k, to, name, params));
    spe_free(&m);
    return ocl_good_(name, __FILE__, __LINE__) && ok;
}

TEST(blocks_of_a_subgroup)
{
    zed_module m;
    zed_kernel k;
    int *a = numbers(128), *little = numbers(120), *r = numbers(128);
    if (!load_emitted(&m, &k, emit_blocks, "blocks", "ptr<i32> a, ptr<i32> r")) return;
    listen();
    zed_launch(&k, (zed_groups){1, 1, 1}, a, r);
    understand();
    CLEAN();
    for (int i = 0; i < 128; i++) CHECK_INT(r[i], i + 31 - (i / 64 * 16 + i % 16));
    listen();
    zed_launch(&k, (zed_groups){1, 1, 1}, little, r);
    understand();
    REPORTED("work-item (16,0,0): OpSubgroupBlockReadINTEL %", "reads 64 bytes at");
    CHECK_HAS(said, "the last 32 of them past the end of the 480-byte shared allocation");
    for (int i = 64; i < 128; i++) CHECK_INT(r[i], 31 - (16 + i % 16));
    listen();
    zed_launch(&k, (zed_groups){1, 1, 1}, a, little);
    understand();
    REPORTED("work-item (16,0,0): OpSubgroupBlockWriteINTEL to %", "writes 64 bytes at");
    ocl_free(a);
    ocl_free(little);
    ocl_free(r);
    zed_module_free(&m);
}

TEST(cooperative_matrices)
{
    zed_module m;
    zed_kernel k;
    float *a = (float *)zed_alloc(&ocl_device, ZED_SHARED, 128 * 4, 0),
          *r = (float *)zed_alloc(&ocl_device, ZED_SHARED, 143 * 4, 0);
    float *little = (float *)zed_alloc(&ocl_device, ZED_SHARED, 142 * 4, 0);
    if (!load_emitted(&m, &k, emit_matrix, "matrix", "ptr<f32> a, ptr<f32> r")) return;
    for (int i = 0; i < 126; i++) a[i] = (float)i;
    for (int i = 0; i < 2; i++) {
        listen();
        zed_launch(&k, (zed_groups){1, 1, 1}, a, i ? r : little);
        understand();
        if (i)
            CLEAN();
        else {
            CHECK_INT(lines_with(": work-item ("), 2);
            CHECK_HAS(said, "OpCooperativeMatrixLoadKHR %");
            CHECK_HAS(said, "reads 64 bytes at");
            CHECK_HAS(said, "nothing has written byte 504 of the 512-byte shared allocation"); /* a word is 8 bytes */
            CHECK_HAS(said, "OpCooperativeMatrixStoreKHR to %");
            CHECK_HAS(said, "the last 4 of them past the end of the 568-byte shared allocation");
        }
        a[126] = a[127] = 5;
    }
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 16; x++) CHECK(r[9 * x + y] == a[16 * y + x]);
    ocl_free(a);
    ocl_free(r);
    ocl_free(little);
    zed_module_free(&m);
}

/* One work-item of a space of 8 x 8 x 4 writes past the end, all others to the first element. */
static const char *space_name = "space";
static void emit_space(spe_module *m)
{
    spe_id u32 = spe_int(m, 32), here = 0;
    spe_param params[4] = {{spe_ptr(m, SPE_StorageClassCrossWorkgroup, u32), "a", false, false, 0},
                           {u32, "x", false, false, 0},
                           {u32, "y", false, false, 0},
                           {u32, "z", false, false, 0}};
    spe_kernel k = {space_name, 16, {4, 4, 2}, 0, params, 4, SPE_CONTRACT_ALLOWED};
    spe_kernel_begin(m, &k);
    for (uint32_t i = 0; i < 3; i++) {
        spe_id equal = spe_ieq(m, spe_builtin(m, SPE_GLOBAL_ID, i), spe_param_id(m, i + 1));
        here = i ? spe_land(m, here, equal) : equal;
    }
    spe_id at = spe_select(m, here, spe_u32(m, 64), spe_u32(m, 0));
    spe_store(m, spe_index(m, spe_param_id(m, 0), at), spe_u32(m, 7), 0);
    spe_kernel_end(m);
}

TEST(work_items_are_named_in_three_dimensions)
{
    zed_module m;
    zed_kernel k;
    int *a = numbers(64);
    if (!load_emitted(&m, &k, emit_space, "space", "ptr<u32> a, u32 x, u32 y, u32 z")) return;
    listen();
    zed_launch(&k, (zed_groups){2, 2, 2}, (uint32_t *)a, 2, 5, 3);
    understand();
    REPORTED("kernel space: work-item (2,5,3): OpStore to %", "0 bytes past the end of the 256-byte");
    CHECK_INT(zeKernelSetGlobalOffsetExp(k.handle, 100, 20, 3), ZE_RESULT_SUCCESS);
    listen();
    zed_launch(&k, (zed_groups){2, 2, 2}, (uint32_t *)a, 106, 21, 4);
    understand();
    REPORTED("kernel space: work-item (106,21,4): OpStore to %", "0 bytes past the end of the 256-byte");
    CHECK_INT(a[0], 7);
    ocl_free(a);
    zed_module_free(&m);
}

static void emit_many(spe_module *m)
{
    spe_id u32 = spe_int(m, 32);
    spe_param params[1] = {{spe_ptr(m, SPE_StorageClassCrossWorkgroup, u32), "a", false, false, 0}};
    spe_kernel k = {"many", 16, {16, 1, 1}, 0, params, 1, SPE_CONTRACT_ALLOWED};
    spe_kernel_begin(m, &k);
    for (uint32_t i = 0; i < 20; i++)
        spe_store(m, spe_index(m, spe_param_id(m, 0), spe_u32(m, 64 + i)), spe_u32(m, 7), 0);
    spe_kernel_end(m);
}

/* Twenty stores, each of all lanes to one address, which counts once. */
TEST(so_many_are_shown_and_all_counted)
{
    zed_module m;
    zed_kernel k;
    int *a = numbers(64);
    if (!load_emitted(&m, &k, emit_many, "many", "ptr<u32> a")) return;
    listen();
    zed_launch(&k, (zed_groups){1, 1, 1}, (uint32_t *)a);
    understand();
    CHECK_INT(lines_with(": work-item ("), 16);
    CHECK_HAS(said, "kernel many: 20 faults in all");
    ocl_free(a);
    zed_module_free(&m);
}

/* A name may have any bytes; the output is one line without control characters. */
TEST(names_of_kernels_are_printed_plainly)
{
    zed_module m;
    zed_kernel k;
    int *a = numbers(64);
    bool loaded;
    space_name = "clear\033[2J\nlibze_soft: check: all is well";
    loaded = load_emitted(&m, &k, emit_space, "names", NULL) &&
             zed_kernel_get(&k, &m, space_name, "ptr<u32> a, u32 x, u32 y, u32 z");
    CHECK(loaded);
    if (!loaded) return;
    listen();
    zed_launch(&k, (zed_groups){2, 2, 2}, (uint32_t *)a, 1, 1, 1);
    understand();
    REPORTED("libze_soft: check: kernel clear?[2J?libze_soft: check: all is well: work-item (1,1,1): ", "past the end");
    CHECK_INT(lines_with("\n"), 1);
    CHECK_INT(lines_with("\033"), 0);
    ocl_free(a);
    zed_module_free(&m);
}

/* ---- faults of arithmetic: defined results, whatever the mode */

TEST(arithmetic_never_traps)
{
    static const int a[] = {7, INT32_MIN, INT32_MIN, -7, 0, 1, -8, INT32_MAX, 5, -5, 12, -12, INT32_MIN, 1, 2, 3};
    static const int b[] = {0, -1, 0, 0, 0, 33, 40, 32, -1, 3, 31, 2, 1, -31, -32, 1000};
    static const float f[] = {1e30f, -1e30f, 0, -0.0f, 3.99f, -3.99f, 2147483648.0f, -2147483648.0f, 4294967296.0f, -1,
                              1,     1e-40f, 0, 0,     0,     0};
    int *x = numbers(16), *y = numbers(16), *r = numbers(128);
    float *z = (float *)numbers(16);
    memcpy(x, a, sizeof a);
    memcpy(y, b, sizeof b);
    memcpy(z, f, sizeof f);
    z[12] = NAN, z[13] = INFINITY, z[14] = -INFINITY;
    RUN_CHECKED("undefined", "ptr<i32> a, ptr<i32> b, ptr<i32> r, ptr<f32> f", 1, 16, x, y, r, z);
    CLEAN();
    for (int i = 0; i < 16; i++) {
        uint32_t ua = (uint32_t)a[i], ub = (uint32_t)b[i];
        bool wraps = a[i] == INT32_MIN && b[i] == -1;
        CHECK_INT(r[8 * i], b[i] == 0 ? 0 : wraps ? INT32_MIN : a[i] / b[i]);
        CHECK_INT(r[8 * i + 1], b[i] == 0 || wraps ? 0 : a[i] % b[i]);
        CHECK_INT(r[8 * i + 2], b[i] == 0 ? 0 : (int)(ua / ub));
        CHECK_INT(r[8 * i + 3], b[i] == 0 ? 0 : (int)(ua % ub));
        CHECK_INT(r[8 * i + 4], (int)(ua << (ub & 31))); /* OpenCL C's rule */
        CHECK_INT(r[8 * i + 5], a[i] >> (ub & 31));
        double v = (double)z[i] == (double)z[i] ? (double)z[i] : 0;
        CHECK_INT(r[8 * i + 6], v >= 2147483647.0 ? INT32_MAX : v <= -2147483648.0 ? INT32_MIN : (int)v);
        CHECK_INT((uint32_t)r[8 * i + 7], v >= 4294967295.0 ? UINT32_MAX : v <= 0 ? 0 : (uint32_t)v);
    }
    ocl_free(x);
    ocl_free(y);
    ocl_free(r);
    ocl_free(z);
}

enum { EDGES = 12, OPERATIONS = 8 };

/* Of a[i] and b[i]: i is the work-item, or the work-group, so that values are uniform. */
static void emit_integers(spe_module *m)
{
    static spe_id (*const operation[OPERATIONS])(spe_module *, spe_id, spe_id) = {
        spe_udiv, spe_sdiv, spe_umod, spe_srem, spe_smod, spe_shl, spe_shr, spe_sar};
    for (int n = 0; n < 8; n++) {
        uint32_t bits = 8u << n / 2;
        spe_id type = spe_int(m, bits), p = spe_ptr(m, SPE_StorageClassCrossWorkgroup, type);
        spe_param params[3] = {{p, "a", false, false, 0}, {p, "b", false, false, 0}, {p, "r", false, false, 0}};
        char name[16];
        snprintf(name, sizeof name, "%s%u", n & 1 ? "uniform" : "varying", bits);
        spe_kernel k = {name, 16, {n & 1 ? 16u : EDGES, 1, 1}, 0, params, 3, SPE_CONTRACT_ALLOWED};
        spe_kernel_begin(m, &k);
        spe_id i = spe_builtin(m, n & 1 ? SPE_GROUP_ID : SPE_GLOBAL_ID, 0);
        spe_id a = spe_load(m, spe_index(m, spe_param_id(m, 0), i), 0),
               b = spe_load(m, spe_index(m, spe_param_id(m, 1), i), 0);
        for (uint32_t o = 0; o < OPERATIONS; o++) {
            spe_id at = spe_add(m, spe_mul(m, i, spe_u32(m, OPERATIONS)), spe_u32(m, o));
            spe_store(m, spe_index(m, spe_param_id(m, 2), at), operation[o](m, a, b), 0);
        }
        spe_kernel_end(m);
    }
}

static uint64_t edge_result(int operation, int64_t a, int64_t b, int bits)
{
    uint64_t mask = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1, ua = (uint64_t)a & mask,
             ub = (uint64_t)b & mask;
    int64_t r = b == 0 || b == -1 ? 0 : a % b;
    switch (operation) {
    case 0: return ub ? ua / ub : 0;
    case 1: return (b == 0 ? 0 : b == -1 ? 0 - ua : (uint64_t)(a / b)) & mask;
    case 2: return ub ? ua % ub : 0;
    case 3: return (uint64_t)r & mask;
    case 4: return (uint64_t)(r && (r < 0) != (b < 0) ? r + b : r) & mask;
    case 5: return ub < (uint64_t)bits ? ua << ub & mask : 0;
    case 6: return ub < (uint64_t)bits ? ua >> ub : 0;
    default: return (uint64_t)(a >> (ub < (uint64_t)bits ? ub : (uint64_t)bits - 1)) & mask;
    }
}

TEST(integers_at_the_edge)
{
    zed_module m;
    zed_kernel k;
    unsigned char *a = (unsigned char *)numbers(2 * EDGES), *b = (unsigned char *)numbers(2 * EDGES);
    unsigned char *r = (unsigned char *)numbers(2 * EDGES * OPERATIONS);
    if (!load_emitted(&m, &k, emit_integers, "integers", NULL)) return;
    for (int n = 0; n < 8; n++) {
        static const char *const types[] = {"i8", "i16", "i32", "i64"};
        int bits = 8 << n / 2, bytes = bits / 8;
        int64_t least = -1 - (int64_t)(((uint64_t)1 << (bits - 1)) - 1);
        const int64_t x[EDGES] = {7, -7, least, least, least, ~least, 1, -1, -100, 100, 5, least + 1};
        const int64_t y[EDGES] = {0, 0, 0, -1, 1, -1, bits, bits + 1, bits - 1, -1, least, 3};
        char name[16], params[64];
        snprintf(name, sizeof name, "%s%d", n & 1 ? "uniform" : "varying", bits);
        snprintf(params, sizeof params, "ptr<%s> a, ptr<%s> b, ptr<%s> r", types[n / 2], types[n / 2], types[n / 2]);
        for (int i = 0; i < EDGES; i++) { /* little-endian, as the device is */
            memcpy(a + i * bytes, &x[i], (size_t)bytes);
            memcpy(b + i * bytes, &y[i], (size_t)bytes);
        }
        memset(r, 0xa5, (size_t)(EDGES * OPERATIONS * bytes));
        if (zed_kernel_get(&k, &m, name, params))
            zed_launch(&k, (zed_groups){n & 1 ? EDGES : 1, 1, 1}, (void *)a, (void *)b, (void *)r);
        ocl_good_(name, __FILE__, __LINE__);
        for (int i = 0; i < EDGES * OPERATIONS; i++) {
            uint64_t got = 0, want = edge_result(i % OPERATIONS, x[i / OPERATIONS], y[i / OPERATIONS], bits);
            memcpy(&got, r + i * bytes, (size_t)bytes);
            CHECK_MSG(got == want, "%s, operation %d of %lld and %lld: %llx, want %llx", name, i % OPERATIONS,
                      (long long)x[i / OPERATIONS], (long long)y[i / OPERATIONS], (unsigned long long)got,
                      (unsigned long long)want);
        }
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(r);
    zed_module_free(&m);
}

/* ---- in another process */

static char program[4096];

/* Runs this program again, for `what`, with the mode at `level`; returns its wait status. */
static int in_process(const char *what, const char *level)
{
    int status = -1;
    pid_t child;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        setenv("XETILE_SOFT_CHECK", level, 1);
        execl(program, program, what, (char *)NULL);
        _exit(99);
    }
    if (child > 0) waitpid(child, &status, 0);
    return status;
}

/* The child: exits with 10 if the launch succeeded, 11 if it failed with the device lost. */
static int launch_past_end(void)
{
    zed_kernel k;
    int *a = device_memory(ZED_DEVICE, 60);
    if (!zed_kernel_get(&k, &module, "past_end", "ptr<i32> a") || !zed_local_size(&k, 16, 1, 1)) return 1;
    if (zed_launch(&k, (zed_groups){4, 1, 1}, a)) return 10;
    return strstr(zed_get_error(&ocl_device)->text, "DEVICE_LOST") ? 11 : 12;
}

static int launch_same_value(void)
{
    zed_kernel k;
    int *same = numbers(4), *sum = numbers(1);
    if (!zed_kernel_get(&k, &module, "together", "ptr<i32> same, ptr<i32> differ, ptr<i32> sum") ||
        !zed_local_size(&k, 64, 1, 1))
        return 1;
    return zed_launch(&k, (zed_groups){4, 1, 1}, same, (int *)NULL, sum) ? 10 : 11;
}

static int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

TEST(level_two_fails_the_launch)
{
    int status;
    listen();
    status = in_process("past_end", "2");
    understand();
    CHECK_INT(exit_code(status), 11);
    CHECK_HAS(said, "0 bytes past the end of the 240-byte device allocation");
}

TEST(level_three_reports_equal_stores)
{
    listen();
    CHECK_INT(exit_code(in_process("same_value", "2")), 10);
    understand();
    CLEAN();
    listen();
    CHECK_INT(exit_code(in_process("same_value", "3")), 11);
    understand();
    REPORTED("kernel together: work-item (", ": a data race: since the last barrier subgroup ");
    CHECK_HAS(said, "OpStore to %");
}

/* 60 elements and the 4 past them: the device's allocations are aligned, so that nothing is harmed. */
TEST(without_the_mode_nothing_is_said)
{
    listen();
    CHECK_INT(exit_code(in_process("past_end", "0")), 10);
    understand();
    CHECK_MSG(!strstr(said, "check:"), "said: %s", said);
    listen();
    CHECK_INT(exit_code(in_process("arithmetic", "0")), 0);
    understand();
}

int main(int argc, char **argv)
{
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n < 0) return 1;
    if (argc < 2) setenv("XETILE_SOFT_CHECK", "1", 1);
    if (!ocl_open() || !ocl_load(&module, "check")) return 1;
    if (argc > 1 && !strcmp(argv[1], "past_end")) return launch_past_end();
    if (argc > 1 && !strcmp(argv[1], "same_value")) return launch_same_value();
    RUN(arithmetic_never_traps);
    RUN(integers_at_the_edge);
    if (argc > 1) return test_report();
    RUN(stores_past_the_end);
    RUN(loads_before_the_start_give_zero);
    RUN(another_allocation_is_out_of_bounds);
    RUN(wild_pointers_are_harmless);
    RUN(pointers_in_loops_are_followed);
    RUN(vectors_structures_and_atomics);
    RUN(local_and_private_memory_have_bounds);
    RUN(generic_pointers);
    RUN(what_nobody_wrote);
    RUN(private_memory_that_nobody_wrote);
    RUN(private_variables_that_nobody_wrote);
    RUN(races_between_subgroups);
    RUN(barriers_that_not_all_reach);
    RUN(sums_and_histograms_are_clean);
    RUN(cleared_variables_are_clean);
    RUN(virtual_memory_has_bounds);
    RUN(products_of_tiles);
    RUN(blocks_of_a_subgroup);
    RUN(cooperative_matrices);
    RUN(work_items_are_named_in_three_dimensions);
    RUN(names_of_kernels_are_printed_plainly);
    RUN(so_many_are_shown_and_all_counted);
    RUN(level_two_fails_the_launch);
    RUN(level_three_reports_equal_stores);
    RUN(without_the_mode_nothing_is_said);
    zed_module_free(&module);
    zed_close(&ocl_device);
    return test_report();
}
