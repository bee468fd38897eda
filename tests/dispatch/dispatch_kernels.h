/* dispatch_kernels.h - small kernels for the tests of ze_dispatch.h, written with spirv_emit.h. */
#ifndef DISPATCH_KERNELS_H
#define DISPATCH_KERNELS_H

#include "spirv_emit.h"

#include <string.h>

/* A kernel under construction: parameters by type, then the body. */
typedef struct {
    spe_module m;
    spe_param params[16];
    uint32_t count;
} small_module;

static inline spe_id small_global(small_module *s, spe_id type)
{
    return spe_ptr(&s->m, SPE_StorageClassCrossWorkgroup, type);
}

static inline void small_param(small_module *s, spe_id type, const char *name)
{
    memset(&s->params[s->count], 0, sizeof s->params[0]);
    s->params[s->count].type = type;
    s->params[s->count++].name = name;
}

static inline void small_begin(small_module *s, const char *name, uint32_t local_size, uint32_t subgroup_size)
{
    spe_kernel k;
    memset(&k, 0, sizeof k);
    k.name = name;
    k.local_size[0] = local_size;
    k.subgroup_size = subgroup_size;
    k.params = s->params;
    k.param_count = s->count;
    spe_kernel_begin(&s->m, &k);
}

static inline void small_end(small_module *s)
{
    spe_kernel_end(&s->m);
    s->count = 0;
}

/* saxpy: y[i] = a * x[i] + y[i] for i < n; "ptr<f32> x, ptr<f32> y, f32 a, u32 n". */
static inline void small_saxpy(small_module *s, const char *name, uint32_t local_size, uint32_t subgroup_size)
{
    spe_module *m = &s->m;
    spe_id f32 = spe_float(m, 32), i, x, y;
    small_param(s, small_global(s, f32), "x");
    small_param(s, small_global(s, f32), "y");
    small_param(s, f32, "a");
    small_param(s, spe_int(m, 32), "n");
    small_begin(s, name, local_size, subgroup_size);
    i = spe_builtin(m, SPE_GLOBAL_ID, 0);
    spe_if(m, spe_ult(m, i, spe_param_id(m, 3)));
    x = spe_load(m, spe_index(m, spe_param_id(m, 0), i), 0);
    y = spe_index(m, spe_param_id(m, 1), i);
    spe_store(m, y, spe_fadd(m, spe_fmul(m, spe_param_id(m, 2), x), spe_load(m, y, 0)), 0);
    spe_endif(m, 0, NULL, NULL);
    small_end(s);
}

/* spin: x[i] = x[i] * 3 + 1, repeated n times by every work-item; "ptr<u32> x, u32 n". */
static inline void small_spin(small_module *s, const char *name)
{
    spe_module *m = &s->m;
    spe_id u32 = spe_int(m, 32), at, v;
    small_param(s, small_global(s, u32), "x");
    small_param(s, u32, "n");
    small_begin(s, name, 0, 0);
    at = spe_index(m, spe_param_id(m, 0), spe_builtin(m, SPE_GLOBAL_ID, 0));
    v = spe_load(m, at, 0);
    spe_for(m, spe_u32(m, 0), spe_param_id(m, 1), spe_u32(m, 1), 1, &v);
    v = spe_iadd(m, spe_imul(m, v, spe_u32(m, 3)), spe_u32(m, 1));
    spe_endfor(m, 1, &v);
    spe_store(m, at, v, 0);
    small_end(s);
}

/* keep: out[0..8] = the arguments' bits; "ptr<u64> out, i8, i16, i32, i64, u8, u16, u32, u64 and f32". */
static inline void small_keep(small_module *s, const char *name)
{
    static const uint32_t bits[] = {8, 16, 32, 64, 8, 16, 32, 64};
    spe_module *m = &s->m;
    spe_id u64 = spe_int(m, 64), v;
    small_param(s, small_global(s, u64), "out");
    for (int i = 0; i < 8; i++) small_param(s, spe_int(m, bits[i]), NULL);
    small_param(s, spe_float(m, 32), "f");
    small_begin(s, name, 1, 0);
    for (uint32_t i = 0; i < 9; i++) {
        v = spe_param_id(m, i + 1);
        if (i == 8) v = spe_bitcast(m, spe_int(m, 32), v);
        if (spe_type_of(m, v) != u64) v = spe_cast(m, u64, v, i < 4);
        spe_store(m, spe_index(m, spe_param_id(m, 0), spe_u32(m, i)), v, 0);
    }
    small_end(s);
}

/* mirror: reverses a work-group's part of x, through local memory; "ptr<u32> x, local<u32> t". */
static inline void small_mirror(small_module *s, const char *name)
{
    spe_module *m = &s->m;
    spe_id u32 = spe_int(m, 32), i, at, other;
    small_param(s, small_global(s, u32), "x");
    small_param(s, spe_ptr(m, SPE_StorageClassWorkgroup, u32), "t");
    small_begin(s, name, 0, 0);
    i = spe_builtin(m, SPE_LOCAL_ID, 0);
    at = spe_index(m, spe_param_id(m, 0), spe_builtin(m, SPE_GLOBAL_ID, 0));
    spe_store(m, spe_index(m, spe_param_id(m, 1), i), spe_load(m, at, 0), 0);
    spe_barrier(m);
    other = spe_isub(m, spe_isub(m, spe_builtin(m, SPE_LOCAL_SIZE, 0), spe_u32(m, 1)), i);
    spe_store(m, at, spe_load(m, spe_index(m, spe_param_id(m, 1), other), 0), 0);
    small_end(s);
}

#endif
