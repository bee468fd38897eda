/* builtins.c - built-ins of the invocation: ids and sizes. */
#include "internal.h"

typedef struct {
    uint16_t builtin, dims; /* 1: a scalar, 3: a vector */
    bool is_size;           /* size_t in OpenCL: 64 bits with 64-bit pointers */
    const char *name;
} spe_builtin_row_;

static const spe_builtin_row_ *spe_builtin_row_of_(spe_builtin_name which)
{
    static const spe_builtin_row_ rows[SPE_BUILTIN_COUNT_] = {
        {SPE_BuiltInGlobalInvocationId, 3, true, "global_id"}, {SPE_BuiltInLocalInvocationId, 3, true, "local_id"},
        {SPE_BuiltInWorkgroupId, 3, true, "group_id"}, {SPE_BuiltInGlobalSize, 3, true, "global_size"},
        {SPE_BuiltInWorkgroupSize, 3, true, "local_size"}, {SPE_BuiltInNumWorkgroups, 3, true, "group_count"},
        {SPE_BuiltInGlobalOffset, 3, true, "global_offset"},
        {SPE_BuiltInEnqueuedWorkgroupSize, 3, true, "enqueued_local_size"},
        {SPE_BuiltInWorkDim, 1, false, "work_dim"}, {SPE_BuiltInGlobalLinearId, 1, true, "global_linear_id"},
        {SPE_BuiltInLocalInvocationIndex, 1, true, "local_linear_id"}, {SPE_BuiltInSubgroupId, 1, false, "subgroup_id"},
        {SPE_BuiltInSubgroupSize, 1, false, "subgroup_size"}, {SPE_BuiltInNumSubgroups, 1, false, "subgroup_count"},
        {SPE_BuiltInSubgroupLocalInvocationId, 1, false, "subgroup_lane"},
        {SPE_BuiltInSubgroupMaxSize, 1, false, "subgroup_max_size"},
    };
    return &rows[which];
}

/* The module's Input variable for a built-in. */
XE_FN_ spe_id spe_builtin_variable_(spe_module *m, spe_builtin_name which)
{
    const spe_builtin_row_ *row = spe_builtin_row_of_(which);
    uint32_t word = row->builtin;
    spe_id id = m->builtin_variable[which];
    if (id) return id;
    bool wide = row->is_size && m->options.env == SPE_ENV_OPENCL;
    id = spe_global_var(m, SPE_StorageClassInput, spe_vec(m, spe_int(m, wide ? 64 : 32), row->dims), 0);
    if (!id) return 0;
    spe_decorate(m, id, SPE_DecorationBuiltIn, 1, &word);
    if (m->options.env == SPE_ENV_OPENCL) spe_decorate(m, id, SPE_DecorationConstant, 0, NULL);
    else if (which >= SPE_SUBGROUP_ID) spe_capability(m, SPE_CapabilityGroupNonUniform);
    spe_name(m, id, row->name);
    return m->builtin_variable[which] = id;
}

/* Those that Vulkan lacks, from others; UINT32_MAX: Vulkan has it. */
XE_FN_ spe_id spe_derived_builtin_(spe_module *m, spe_builtin_name which, uint32_t dim)
{
    const char *name = spe_builtin_row_of_(which)->name;
    spe_id id = 0;
    switch (which) {
    case SPE_GLOBAL_OFFSET: return spe_u32(m, 0);
    case SPE_LOCAL_SIZE: case SPE_ENQUEUED_LOCAL_SIZE:
        if (m->fn.kernel) return spe_u32(m, m->fn.local_size[dim]);
        return SPE_ERROR_(m, ENVIRONMENT, "in Vulkan only a kernel knows its %s; pass it to the function", name);
    case SPE_GLOBAL_SIZE:
        id = spe_builtin(m, SPE_LOCAL_SIZE, dim);
        return spe_imul(m, id, spe_builtin(m, SPE_GROUP_COUNT, dim));
    case SPE_GLOBAL_LINEAR_ID:
        for (uint32_t d = 3; d-- > 0;) {
            if (id) id = spe_imul(m, id, spe_builtin(m, SPE_GLOBAL_SIZE, d));
            id = id ? spe_iadd(m, id, spe_builtin(m, SPE_GLOBAL_ID, d)) : spe_builtin(m, SPE_GLOBAL_ID, d);
        }
        return id;
    case SPE_WORK_DIM: case SPE_SUBGROUP_MAX_SIZE:
        return SPE_ERROR_(m, ENVIRONMENT, "Vulkan has no %s", name);
    default: return UINT32_MAX;
    }
}

static spe_id spe_builtin_(spe_module *m, spe_builtin_name which, uint32_t dim)
{
    bool was = m->in_prologue;
    if (m->error.id) return 0;
    if ((unsigned)which >= SPE_BUILTIN_COUNT_) return SPE_ERROR_(m, RANGE, "there is no built-in %d", (int)which);
    const spe_builtin_row_ *row = spe_builtin_row_of_(which);
    if (dim >= row->dims) return SPE_ERROR_(m, RANGE, "%s has no dimension %u", row->name, dim);
    if (!m->open) return SPE_ERROR_(m, NO_FUNCTION, "outside of a function");
    if (m->fn.builtin[which][dim]) return m->fn.builtin[which][dim];
    if (m->vulkan) {
        m->in_prologue = true;
        spe_id derived = m->vulkan->builtin(m, which, dim);
        m->in_prologue = was;
        if (derived != UINT32_MAX) return m->fn.builtin[which][dim] = derived;
    }
    spe_id variable = spe_builtin_variable_(m, which);
    m->in_prologue = true;
    if (!m->fn.builtin_vector[which]) m->fn.builtin_vector[which] = variable ? spe_load(m, variable, 0) : 0;
    spe_id v = m->fn.builtin_vector[which];
    if (row->dims > 1) v = v ? spe_extract(m, v, dim) : 0;
    if (row->is_size && m->options.env == SPE_ENV_OPENCL) v = v ? spe_uconvert(m, spe_int(m, 32), v) : 0;
    m->in_prologue = was;
    return m->fn.builtin[which][dim] = v;
}
spe_id spe_builtin(spe_module *m, spe_builtin_name which, uint32_t dim)
{
    return SPE_WITHIN_(m, spe_builtin_(m, which, dim));
}
