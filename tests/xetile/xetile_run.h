/* xetile_run.h - for tests of xetile.h that run on a device: elements of any type, random and poisoned memory, a
 * launch.
 *
 * A kernel's body runs on the host, so one body serves many cases: it reads its types, sizes and maps from variables of
 * the test. Kernels take addresses (u64), so that the element type is the case's. */
#ifndef XETILE_RUN_H
#define XETILE_RUN_H

#include "test.h"
#include "xetile.h"
#include "ze_dispatch.h"

static zed_device device;

/* An element type that can be chosen while the program runs: XT_INIT_TILE(.., of(now.a), ..). */
typedef struct {
    int type;
} chosen;

static inline cm_type held(int type) { return type == XT_BOOL_ ? CM_U8 : (cm_type)type; }
static inline size_t size_of(int type) { return (size_t)cm_type_info(held(type))->bytes; }
static inline bool is_float(int type) { return type != XT_BOOL_ && cm_type_info((cm_type)type)->kind == CM_KIND_FLOAT; }
static inline bool is_signed(int type) { return type != XT_BOOL_ && cm_type_info((cm_type)type)->is_signed; }

static inline double get(int type, const void *base, size_t at)
{
    switch (held(type)) {
    case CM_F64: return ((const double *)base)[at];
    case CM_F32:
    case CM_TF32: return (double)((const float *)base)[at];
    case CM_F16: return (double)spe_f16_bits_to_f32(((const uint16_t *)base)[at]);
    case CM_BF16: return (double)spe_bf16_bits_to_f32(((const uint16_t *)base)[at]);
    case CM_E4M3: return (double)spe_e4m3_bits_to_f32(((const uint8_t *)base)[at]);
    case CM_E5M2: return (double)spe_e5m2_bits_to_f32(((const uint8_t *)base)[at]);
    case CM_I64: return (double)((const int64_t *)base)[at];
    case CM_U64: return (double)((const uint64_t *)base)[at];
    case CM_I32: return ((const int32_t *)base)[at];
    case CM_U32: return ((const uint32_t *)base)[at];
    case CM_I16: return ((const int16_t *)base)[at];
    case CM_U16: return ((const uint16_t *)base)[at];
    case CM_I8: return ((const int8_t *)base)[at];
    case CM_U8: return ((const uint8_t *)base)[at];
    default: return 0;
    }
}

static inline void put(int type, void *base, size_t at, double v)
{
    switch (held(type)) {
    case CM_F64: ((double *)base)[at] = v; break;
    case CM_F32: ((float *)base)[at] = (float)v; break;
    case CM_TF32: ((float *)base)[at] = spe_f32_to_tf32((float)v); break;
    case CM_F16: ((uint16_t *)base)[at] = spe_f32_to_f16_bits((float)v); break;
    case CM_BF16: ((uint16_t *)base)[at] = spe_f32_to_bf16_bits((float)v); break;
    case CM_E4M3: ((uint8_t *)base)[at] = spe_f32_to_e4m3_bits((float)v, true); break;
    case CM_E5M2: ((uint8_t *)base)[at] = spe_f32_to_e5m2_bits((float)v, true); break;
    case CM_I64: ((int64_t *)base)[at] = (int64_t)v; break;
    case CM_U64: ((uint64_t *)base)[at] = (uint64_t)v; break;
    case CM_I32: ((int32_t *)base)[at] = (int32_t)v; break;
    case CM_U32: ((uint32_t *)base)[at] = (uint32_t)v; break;
    case CM_I16: ((int16_t *)base)[at] = (int16_t)v; break;
    case CM_U16: ((uint16_t *)base)[at] = (uint16_t)v; break;
    case CM_I8: ((int8_t *)base)[at] = (int8_t)v; break;
    case CM_U8: ((uint8_t *)base)[at] = (uint8_t)v; break;
    default: break;
    }
}

/* A value as the type holds it. */
static inline double rounded(int type, double v)
{
    double room = 0;
    put(type, &room, 0, v);
    return get(type, &room, 0);
}

/* Half a unit in the last place of 1: rounding v adds at most |v| times this (and a denormal's worth). */
static inline double half_ulp(int type)
{
    switch (type) {
    case CM_F64: return 0x1p-53;
    case CM_F32: return 0x1p-24;
    case CM_TF32: return 0x1p-11;
    case CM_F16: return 0x1p-11;
    case CM_BF16: return 0x1p-8;
    default: return 0;
    }
}

/* Normally distributed; integers use most of eight bits. */
static inline double sample(int type)
{
    double v = test_normal();
    if (type == XT_BOOL_) return v > 0;
    if (is_float(type)) return v;
    v = floor(v * 40);
    if (!is_signed(type)) v = fabs(v);
    return v > 127 ? 127 : v < -128 ? -128 : v;
}

static inline void *new_matrix(int type, size_t count)
{
    void *p = zed_alloc(&device, ZED_SHARED, (count ? count : 1) * size_of(type), 0);
    for (size_t i = 0; p && i < count; i++) put(type, p, i, sample(type));
    return p;
}

static inline void *new_poison(int type, size_t count)
{
    void *p = zed_alloc(&device, ZED_SHARED, (count ? count : 1) * size_of(type), 0);
    if (p) memset(p, 0xdb, (count ? count : 1) * size_of(type));
    return p;
}

typedef struct {
    int subgroup_size;
    cm_lowering lowering;
    int local_memory; /* 0: the device's */
} build_options;

static inline bool target_has(int subgroup_size)
{
    return !subgroup_size || (device.target.subgroup_sizes & (uint32_t)subgroup_size);
}

/* Builds for the device, loads, launches one work-group (or as many as `groups`); saves the module for spirv-val. */
static inline bool run_kernel(const xt_kernel *kernel, build_options o, zed_groups groups, const zed_arg *args,
                              uint32_t count)
{
    static int saved;
    char name[128];
    zed_kernel k;
    xt_target target = {ZED_TARGET(&device)};
    xt_module mod;
    if (o.local_memory) target.local_memory = (uint32_t)o.local_memory;
    mod = XT_BUILD(*kernel, &target, .subgroup_size = o.subgroup_size, .lowering = o.lowering);
    CHECK_MSG(mod.words != NULL, "%s: %s:%d: %s", kernel->name, mod.error->file ? mod.error->file : "", mod.error->line,
              mod.error->text);
    if (!mod.words) {
        xt_free(&mod);
        return false;
    }
    snprintf(name, sizeof name, "xetile_%s_%s_%d", test_.name, kernel->name, saved++);
    test_save_spv(name, mod.words, mod.size);
    CHECK_MSG(mod.local_memory <= target.local_memory, "%s: local memory %u of %u", kernel->name, mod.local_memory,
              target.local_memory);
    if (ZED_LOAD(&k, &device, mod)) zed_launch_n(&k, groups, args, count);
    xt_free(&mod);
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s: %s", kernel->name, zed_get_error(&device)->text);
    if (zed_get_error(&device)->id) {
        zed_clear_error(&device);
        return false;
    }
    return true;
}

#define ADDRESS(p) ZED_ARG((uint64_t)(uintptr_t)(p))
#define ONE_GROUP ((zed_groups){1, 1, 1})
#define RUN_KERNEL(kernel, o, groups, ...)                                                                             \
    run_kernel(&(kernel), o, groups, (const zed_arg[]){__VA_ARGS__},                                                   \
               sizeof((const zed_arg[]){__VA_ARGS__}) / sizeof(zed_arg))

#endif
