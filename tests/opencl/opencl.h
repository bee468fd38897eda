/* opencl.h - shared by the tests of OpenCL C kernels: loading modules by name, launches whose failure is a failed
 * check, poisoned buffers, and comparisons.
 *
 * A module is $BUILD/opencl/<name>.spv, made by tests/opencl/build.sh if the compilers are installed, else
 * tests/opencl/<name>.spv from the repository. Run in the project's folder.
 */
#ifndef XETILE_TESTS_OPENCL_H
#define XETILE_TESTS_OPENCL_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* setenv */
#endif
#include "../test.h"
#include "ze_dispatch.h"

static zed_device ocl_device TEST_UNUSED_;

/* Returns false, with a failed check, after an error; clears the error, so that the device can be used again. */
TEST_UNUSED_ static bool ocl_good_(const char *what, const char *file, int line)
{
    const zed_error *e = zed_get_error(&ocl_device);
    if (!e->id) return true;
    test_fail(file, line, "%s: %s: %s %.1500s", what, e->name, e->text, zed_build_log(&ocl_device));
    zed_clear_error(&ocl_device);
    return false;
}

/* Opens the device; the kernels of these tests must work on any. */
TEST_UNUSED_ static bool ocl_open(void)
{
    if (zed_open(&ocl_device, NULL)) return true;
    zed_print_error(&ocl_device, stderr);
    return false;
}

TEST_UNUSED_ static void *ocl_read_(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *data = f ? (char *)malloc(1 << 21) : NULL;
    *size = data ? fread(data, 1, 1 << 21, f) : 0;
    if (f) fclose(f);
    return data;
}

/* Reads a module into malloc'ed memory; NULL, with a failed check, if that fails. */
TEST_UNUSED_ static void *ocl_spv_(const char *name, size_t *size, const char *file, int line)
{
    const char *build = getenv("BUILD");
    char path[1024];
    void *words;
    snprintf(path, sizeof path, "%s/opencl/%s.spv", build ? build : "build", name);
    words = ocl_read_(path, size);
    if (words) return words;
    snprintf(path, sizeof path, "tests/opencl/%s.spv", name);
    words = ocl_read_(path, size);
    if (!words) test_fail(file, line, "%s cannot be read: run this from the project's folder", path);
    return words;
}
#define ocl_spv(name, size) ocl_spv_((name), (size), __FILE__, __LINE__)

/* In the sample the software device compiles one module of three as users have it, and the others in the quick tier. */
TEST_UNUSED_ static bool ocl_load_(zed_module *module, const char *name, const char *file, int line)
{
    size_t size;
    void *words = ocl_spv_(name, &size, file, line);
    static int modules;
    const char *variable = "XETILE_SOFT_TIER";
    bool chosen = getenv(variable) != NULL;
    if (!words) return false;
    if (!chosen) setenv(variable, test_takes(modules++, 3) ? "full" : "quick", 1);
    zed_module_load(module, &ocl_device, words, size, NULL);
    if (!chosen) unsetenv(variable);
    free(words);
    return ocl_good_(name, file, line);
}
#define ocl_load(module, name) ocl_load_((module), (name), __FILE__, __LINE__)

/* Memory for a result, filled with a pattern that no test expects. */
TEST_UNUSED_ static void *ocl_buffer(size_t bytes)
{
    void *p = zed_alloc(&ocl_device, ZED_SHARED, bytes, 0);
    if (!p) {
        zed_print_error(&ocl_device, stderr);
        exit(1); /* no memory: later checks would be meaningless */
    }
    memset(p, 0xa5, bytes);
    return p;
}

TEST_UNUSED_ static void ocl_free(void *p) { zed_free(&ocl_device, p); }

/* OCL_RUN(&module, "kernel", "ptr<f32> x, u32 n", groups, local, arguments...): one dimension; waits for completion. */
#define OCL_RUN(module, name, params, groups, local, ...)                                                              \
    OCL_RUN3(module, name, params, ((zed_groups){(groups), 1, 1}), (local), 1, 1, __VA_ARGS__)
#define OCL_RUN3(module, name, params, groups, lx, ly, lz, ...)                                                        \
    do {                                                                                                               \
        zed_kernel kernel_;                                                                                            \
        zed_groups groups_ = groups;                                                                                   \
        if (zed_kernel_get(&kernel_, (module), (name), (params)) && zed_local_size(&kernel_, (lx), (ly), (lz)))        \
            zed_launch(&kernel_, groups_, __VA_ARGS__);                                                                \
        ocl_good_((name), __FILE__, __LINE__);                                                                         \
    } while (0)

/* A launch through Level Zero: arguments of any size, modules not loaded by ze_dispatch.h. One dimension. */
typedef struct {
    size_t size;
    const void *value;
} ocl_argument;

#define OCL_OK(call) CHECK_INT((call), ZE_RESULT_SUCCESS)

TEST_UNUSED_ static void ocl_launch(ze_module_handle_t m, const char *name, uint32_t groups, uint32_t local,
                                    uint32_t count, const ocl_argument *args)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_group_count_t shape = {groups, 1, 1};
    ze_kernel_handle_t k = NULL;
    OCL_OK(zeKernelCreate(m, &d, &k));
    if (!k) return;
    OCL_OK(zeKernelSetGroupSize(k, local, 1, 1));
    for (uint32_t i = 0; i < count; i++) OCL_OK(zeKernelSetArgumentValue(k, i, args[i].size, args[i].value));
    OCL_OK(zeCommandListAppendLaunchKernel(ocl_device.list, k, &shape, NULL, 0, NULL));
    OCL_OK(zeCommandListAppendBarrier(ocl_device.list, ocl_device.event, 0, NULL));
    OCL_OK(zeEventHostSynchronize(ocl_device.event, UINT64_MAX));
    OCL_OK(zeEventHostReset(ocl_device.event));
    OCL_OK(zeKernelDestroy(k));
}

/* Compares every element of `got` with `want`, byte by byte; the message shows the first that differs. */
#define OCL_SAME(what, T, got, want, count)                                                                            \
    do {                                                                                                               \
        const T *got_ = (got), *want_ = (want);                                                                        \
        for (size_t at_ = 0; at_ < (size_t)(count); at_++)                                                             \
            if (memcmp(&got_[at_], &want_[at_], sizeof(T)) != 0)                                                       \
                test_fail(__FILE__, __LINE__, "%s, element %zu: %.17g, want %.17g", (what), at_, (double)got_[at_],    \
                          (double)want_[at_]);                                                                         \
    } while (0)

/* Integers with random bits, often extreme or small. */
TEST_UNUSED_ static uint64_t ocl_random_bits(int bits)
{
    uint64_t r = test_random(), all = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
    switch (r & 15) {
    case 0: return 0;
    case 1: return (uint64_t)1 << (bits - 1); /* the most negative */
    case 2: return all >> 1;
    case 3: return all;
    case 4:
    case 5: return (r >> 8) % 7 * (r >> 32 & 1 ? 1 : all) & all; /* small, either sign */
    case 6: return all >> (r >> 8 & (unsigned)(bits - 1));
    default: return test_random() & all;
    }
}

TEST_UNUSED_ static void ocl_fill_bits(void *p, int bits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t v = ocl_random_bits(bits);
        if (bits == 8) ((uint8_t *)p)[i] = (uint8_t)v;
        if (bits == 16) ((uint16_t *)p)[i] = (uint16_t)v;
        if (bits == 32) ((uint32_t *)p)[i] = (uint32_t)v;
        if (bits == 64) ((uint64_t *)p)[i] = v;
    }
}

#endif
