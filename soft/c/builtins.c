/* builtins.c - built-in variables as expressions. */
#include "codegen.h"

static const char *lane_bits(struct cg *g, uint32_t builtin, uint32_t component)
{
    static const struct {
        uint32_t builtin;
        const char *text;
    } table[] = {
        {SP_BUILTIN_SubgroupEqMask, "1ull << l"},
        {SP_BUILTIN_SubgroupGeMask, "XS_FULL & ~0ull << l"},
        {SP_BUILTIN_SubgroupGtMask, "XS_FULL & ~1ull << l"},
        {SP_BUILTIN_SubgroupLeMask, "(2ull << l) - 1"},
        {SP_BUILTIN_SubgroupLtMask, "(1ull << l) - 1"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].builtin != builtin) continue;
        if (component) return "(u32x){0}";
        const char *t = cg_temporary(g, "u32x");
        cg_put(g, "    for (int l = 0; l < S; l++) %s[l] = (u32)(%s);\n", t, table[i].text);
        return t;
    }
    return NULL;
}

static const char *work_item_id(struct cg *g, uint32_t builtin, uint32_t c)
{
    switch (builtin) {
    case SP_BUILTIN_LocalInvocationId: return cg_str(g, "XS_CONVERT(local_id%u, u64x)", c);
    case SP_BUILTIN_GlobalInvocationId:
        return cg_str(g, "((u64)group_id%u * local_size%u + offset%u + XS_CONVERT(local_id%u, u64x))", c, c, c, c);
    case SP_BUILTIN_LocalInvocationIndex: return "XS_CONVERT(subgroup_id * S + XS(lane_index)(), u64x)";
    case SP_BUILTIN_SubgroupLocalInvocationId: return "XS_CONVERT(XS(lane_index)(), u64x)";
    case SP_BUILTIN_GlobalLinearId:
        return "((((u64)group_id2 * local_size2 + XS_CONVERT(local_id2, u64x)) * ((u64)local_size1 * group_count1) + "
               "(u64)group_id1 * local_size1 + XS_CONVERT(local_id1, u64x)) * ((u64)local_size0 * group_count0) + "
               "(u64)group_id0 * local_size0 + XS_CONVERT(local_id0, u64x))";
    default: return NULL;
    }
}

static const char *group_value(struct cg *g, uint32_t builtin, uint32_t c)
{
    switch (builtin) {
    case SP_BUILTIN_WorkgroupId: return cg_str(g, "group_id%u", c);
    case SP_BUILTIN_NumWorkgroups: return cg_str(g, "group_count%u", c);
    case SP_BUILTIN_WorkgroupSize:
    case SP_BUILTIN_EnqueuedWorkgroupSize: return cg_str(g, "local_size%u", c);
    case SP_BUILTIN_GlobalSize: return cg_str(g, "(u64)local_size%u * group_count%u", c, c);
    case SP_BUILTIN_GlobalOffset: return cg_str(g, "offset%u", c);
    case SP_BUILTIN_WorkDim: return "self->work_dim";
    case SP_BUILTIN_SubgroupId: return "subgroup_id";
    case SP_BUILTIN_NumSubgroups:
    case SP_BUILTIN_NumEnqueuedSubgroups: return "self->subgroup_count";
    case SP_BUILTIN_SubgroupSize: return "lanes";
    case SP_BUILTIN_SubgroupMaxSize: return "S";
    default: return NULL;
    }
}

/* Lane 0's value in a full subgroup. */
static const char *full_item(struct cg *g, uint32_t builtin, uint32_t c)
{
    switch (builtin) {
    case SP_BUILTIN_LocalInvocationId: return c > 2 ? NULL : cg_str(g, "(u64)first%u", c);
    case SP_BUILTIN_GlobalInvocationId:
        return c > 2 ? NULL : cg_str(g, "((u64)group_id%u * local_size%u + offset%u + first%u)", c, c, c, c);
    case SP_BUILTIN_LocalInvocationIndex: return "(u64)(subgroup_id * S)";
    case SP_BUILTIN_SubgroupLocalInvocationId: return "0ull";
    case SP_BUILTIN_GlobalLinearId:
        return "((((u64)group_id2 * local_size2 + first2) * ((u64)local_size1 * group_count1) + (u64)group_id1 * "
               "local_size1 + "
               "first1) * ((u64)local_size0 * group_count0) + (u64)group_id0 * local_size0 + first0)";
    default: return NULL;
    }
}

const char *cg_builtin_affine(struct cg *g, uint32_t builtin, uint32_t component)
{
    cg_note_builtin(g);
    return cg_builtin_is_affine(g, builtin, component) ? full_item(g, builtin, 0) : NULL;
}

const char *cg_builtin_item(struct cg *g, uint32_t builtin, uint32_t c, enum cg_kind kind, bool varying)
{
    const char *e = c > 3 ? NULL : c == 3 ? "0" : group_value(g, builtin, c);
    bool size = builtin == SP_BUILTIN_GlobalSize || builtin == SP_BUILTIN_WorkgroupSize ||
                builtin == SP_BUILTIN_NumWorkgroups || builtin == SP_BUILTIN_EnqueuedWorkgroupSize;
    cg_note_builtin(g);
    if (c == 3 && size) e = "1";
    if (e) {
        e = cg_str(g, "(%s)(%s)", cg_kind_type(g, kind, false), e);
        return varying ? cg_splat(g, kind, e) : e;
    }
    e = g->fn->full ? full_item(g, builtin, c) : NULL;
    if (e && !cg_builtin_varies(g, g->fn, builtin, c)) {
        e = cg_str(g, "(%s)%s", cg_kind_type(g, kind, false), e);
        return varying ? cg_splat(g, kind, e) : e;
    }
    if (e) return cg_str(g, "XS(affine_%s)((%s)%s, 1)", cg_kind_name(kind), cg_kind_type(g, kind, false), e);
    e = work_item_id(g, builtin, c);
    if (e)
        e = cg_str(g, "XS_CONVERT(%s, %s)", e, cg_kind_type(g, kind, true));
    else
        e = lane_bits(g, builtin, c);
    if (!e) cg_fail(g, "built-in %u is not supported", builtin);
    if (!e || varying) return e ? e : "0";
    const char *t = cg_temporary(g, cg_kind_type(g, kind, true));
    cg_put(g, "    %s = %s;\n", t, e);
    return cg_str(g, "%s[0]", t);
}
