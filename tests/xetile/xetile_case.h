/* xetile_case.h - shared by the tests of xetile.h: a device, matrices surrounded by poison or inaccessible pages, and
 * building, saving and launching a kernel in one call.
 *
 * A kernel's body runs on the host, so one body serves many cases: it reads its types and sizes from the test's
 * variables (a `chosen` for of(x)). */
#ifndef XETILE_CASE_H
#define XETILE_CASE_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif
#include "addresses.h"
#include "numbers.h"
#include "xetile.h"
#include "ze_dispatch.h"

#include <sys/mman.h>

static zed_device device;

/* An element type chosen at run time: XT_INIT_TILE(.., of(t), ..). */
typedef struct {
    int type;
} chosen;

/* Normally distributed; integers use most of eight bits, masks are 0 or 1. */
TEST_UNUSED_ static double sample(int type)
{
    double v = test_normal();
    if (type == I1) return v > 0;
    if (is_float(type)) return v;
    v = floor(v * 40);
    if (!is_signed(type)) v = fabs(v);
    return v > 127 ? 127 : v < -128 ? -128 : v;
}

TEST_UNUSED_ static void *new_poison(int type, size_t count)
{
    void *p = zed_alloc(&device, ZED_SHARED, (count ? count : 1) * size_of(type), 0);
    if (p) memset(p, 0xdb, (count ? count : 1) * size_of(type));
    return p;
}

TEST_UNUSED_ static void *new_matrix(int type, size_t count)
{
    void *p = new_poison(type, count);
    for (size_t i = 0; p && i < count; i++) put(type, p, i, sample(type));
    return p;
}

TEST_UNUSED_ static bool poisoned(int type, const void *base, size_t at)
{
    unsigned char want[8];
    memset(want, 0xdb, sizeof want);
    return memcmp((const char *)base + at * size_of(type), want, size_of(type)) == 0;
}

/* Memory adjacent to one of two inaccessible pages around it: a stray access ends the program. Only the software device
 * accepts such memory. */
typedef struct {
    unsigned char *pages, *data;
    size_t bytes, inner;
} guarded;

TEST_UNUSED_ static guarded guarded_new(size_t bytes, bool at_end)
{
    guarded g = {NULL, NULL, bytes, (bytes + 4095) / 4096 * 4096};
    g.pages = (unsigned char *)mmap(NULL, g.inner + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.pages == MAP_FAILED || mprotect(g.pages + 4096, g.inner, PROT_READ | PROT_WRITE)) return g;
    memset(g.pages + 4096, 0xdb, g.inner);
    g.data = g.pages + 4096 + (at_end ? g.inner - bytes : 0);
    return g;
}

/* Frees it; false if the rest of its pages is no longer poison. */
TEST_UNUSED_ static bool guarded_free(guarded *g)
{
    bool clean = true;
    for (unsigned char *p = g->pages + 4096; p < g->pages + 4096 + g->inner; p++)
        if (p < g->data || p >= g->data + g->bytes) clean = clean && *p == 0xdb;
    munmap(g->pages, g->inner + 8192);
    return clean;
}

/* ---- running ---- */

/* Build options. */
typedef struct {
    const char *name;
    int subgroup_size;
    cm_lowering lowering;
    xt_pitch pitch;
    uint32_t local_memory; /* 0: the device's size */
} variant;

static const variant variants[] = {
    {"default", 0, CM_AUTO, XT_PITCH_AUTO, 0},     {"plain", 16, CM_PLAIN, XT_PITCH_AUTO, 0},
    {"any_pitch", 16, CM_AUTO, XT_PITCH_ANY, 0},   {"subgroup8", 8, CM_AUTO, XT_PITCH_AUTO, 0},
    {"subgroup32", 32, CM_AUTO, XT_PITCH_AUTO, 0},
};

/* A variant's subgroup size or, if the device lacks it, the least that it has. */
TEST_UNUSED_ static int size_of_variant(const variant *v)
{
    const uint32_t sizes = device.target.subgroup_sizes & (8 | 16 | 32);
    return sizes & (uint32_t)v->subgroup_size || !v->subgroup_size ? v->subgroup_size : (int)(sizes & (0 - sizes));
}

/* Not for a variant that is about a size which the device lacks. */
TEST_UNUSED_ static bool target_has(const variant *v)
{
    return size_of_variant(v) == v->subgroup_size || v->lowering != CM_AUTO || v->pitch != XT_PITCH_AUTO;
}

/* Laptops' GPUs have no doubles. */
TEST_UNUSED_ static bool has_type(int type) { return type != CM_F64 || device.target.fp64; }

/* The first one, modified as the case requires. */
TEST_UNUSED_ static variant variant_of(int subgroup_size, uint32_t local_memory)
{
    return (variant){"case", subgroup_size, CM_AUTO, XT_PITCH_AUTO, local_memory};
}

/* Builds for the device, saves the module for spirv-val, launches. */
TEST_UNUSED_ static bool run(const xt_kernel *kernel, const variant *v, zed_groups groups, const zed_arg *args,
                             uint32_t count)
{
    static int saved;
    char name[128];
    zed_kernel k;
    xt_target target = {ZED_TARGET(&device)};
    if (v->local_memory) target.local_memory = v->local_memory;
    xt_module mod = XT_BUILD(*kernel, &target, .subgroup_size = size_of_variant(v), .lowering = v->lowering,
                             .pitch = v->pitch);
    CHECK_MSG(mod.words != NULL, "%s %s: %s:%d: %s", kernel->name, v->name, mod.error->file ? mod.error->file : "",
              mod.error->line, mod.error->text);
    if (mod.words) {
        snprintf(name, sizeof name, "%s%s_%s_%d", strcmp(device.target.name, "vulkan") ? "" : "vulkan_", kernel->name,
                 v->name, saved++);
        test_save_spv(name, mod.words, mod.size);
        CHECK_MSG(mod.local_memory <= target.local_memory, "%s %s: local memory %u of %u", kernel->name, v->name,
                  mod.local_memory, target.local_memory);
        if (ZED_LOAD(&k, &device, mod)) zed_launch_n(&k, groups, args, count);
    }
    bool built = mod.words != NULL;
    xt_free(&mod);
    if (zed_get_error(&device)->id == 0) return built;
    test_fail(__FILE__, __LINE__, "%s %s: %s", kernel->name, v->name, zed_get_error(&device)->text);
    zed_clear_error(&device);
    return false;
}

#define RUN_KERNEL(kernel, v, groups, ...)                                                                             \
    run(&(kernel), v, groups, (const zed_arg[]){__VA_ARGS__}, sizeof((const zed_arg[]){__VA_ARGS__}) / sizeof(zed_arg))
#define ONE_GROUP ((zed_groups){1, 1, 1})

/* A tile of a matrix of `type` whose rows or columns in memory are `line` elements apart. */
TEST_UNUSED_ static xt_tile window(XT_CONTEXT, chosen type, xt_val base, bool by_columns, int rows, int cols,
                                   xt_index at, xt_index shape, xt_val line, xt_map map)
{
    if (by_columns)
        return XT_INIT_TILE(base, of(type), rows, cols, .offset = at, .shape = shape, .strides = XT_AT(1, line),
                            .order = {0, 1}, .map = map);
    return XT_INIT_TILE(base, of(type), rows, cols, .offset = at, .shape = shape, .strides = XT_AT(line, 1),
                        .map = map);
}

#endif
