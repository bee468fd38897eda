/* builtins.c - built-in variables as expressions. */
#include "codegen.h"

/* A value that is the same in all lanes; or lane 0's in a full subgroup, where it increases by 1 from lane to lane, and
 * those of all lanes in any subgroup. %1$u is the component. */
static const struct builtin {
    uint32_t builtin;
    bool is_size;
    const char *uniform, *first, *lanes;
} builtins[] = {
    {SP_BUILTIN_WorkgroupId, false, "group_id%1$u", NULL, NULL},
    {SP_BUILTIN_NumWorkgroups, true, "group_count%1$u", NULL, NULL},
    {SP_BUILTIN_WorkgroupSize, true, "local_size%1$u", NULL, NULL},
    {SP_BUILTIN_EnqueuedWorkgroupSize, true, "local_size%1$u", NULL, NULL},
    {SP_BUILTIN_GlobalSize, true, "(u64)local_size%1$u * group_count%1$u", NULL, NULL},
    {SP_BUILTIN_GlobalOffset, false, "offset%1$u", NULL, NULL},
    {SP_BUILTIN_WorkDim, false, "self->work_dim", NULL, NULL},
    {SP_BUILTIN_SubgroupId, false, "subgroup_id", NULL, NULL},
    {SP_BUILTIN_NumSubgroups, false, "self->subgroup_count", NULL, NULL},
    {SP_BUILTIN_NumEnqueuedSubgroups, false, "self->subgroup_count", NULL, NULL},
    {SP_BUILTIN_SubgroupSize, false, "lanes", NULL, NULL},
    {SP_BUILTIN_SubgroupMaxSize, false, "S", NULL, NULL},
    {SP_BUILTIN_LocalInvocationId, false, NULL, "(u64)first%1$u", "XS_CONVERT(local_id%1$u, u64x)"},
    {SP_BUILTIN_GlobalInvocationId, false, NULL, "((u64)group_id%1$u * local_size%1$u + offset%1$u + first%1$u)",
     "((u64)group_id%1$u * local_size%1$u + offset%1$u + XS_CONVERT(local_id%1$u, u64x))"},
    {SP_BUILTIN_LocalInvocationIndex, false, NULL, "(u64)(subgroup_id * S)",
     "XS_CONVERT(subgroup_id * S + XS(lane_index)(), u64x)"},
    {SP_BUILTIN_SubgroupLocalInvocationId, false, NULL, "0ull", "XS_CONVERT(XS(lane_index)(), u64x)"},
    {SP_BUILTIN_GlobalLinearId, false, NULL,
     "((((u64)group_id2 * local_size2 + first2) * ((u64)local_size1 * group_count1) + (u64)group_id1 * local_size1 + "
     "first1) * ((u64)local_size0 * group_count0) + (u64)group_id0 * local_size0 + first0)",
     "((((u64)group_id2 * local_size2 + XS_CONVERT(local_id2, u64x)) * ((u64)local_size1 * group_count1) + "
     "(u64)group_id1 * local_size1 + XS_CONVERT(local_id1, u64x)) * ((u64)local_size0 * group_count0) + "
     "(u64)group_id0 * local_size0 + XS_CONVERT(local_id0, u64x))"},
};

static const struct builtin *find_builtin(uint32_t builtin)
{
    static const struct builtin none;
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (builtins[i].builtin == builtin) return &builtins[i];
    return &none;
}

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

const char *cg_builtin_affine(struct cg *g, uint32_t builtin, uint32_t component)
{
    cg_note_builtin(g);
    return cg_builtin_is_affine(g, builtin, component) ? cg_str(g, find_builtin(builtin)->first, 0) : NULL;
}

const char *cg_builtin_item(struct cg *g, uint32_t builtin, uint32_t c, enum cg_kind kind, bool varying)
{
    const struct builtin *b = find_builtin(builtin);
    bool full = g->fn->full && b->first && c < 3;
    const char *type = cg_kind_type(g, kind, false), *e = NULL;
    cg_note_builtin(g);
    if (c == 3)
        e = cg_str(g, "(%s)(%d)", type, b->is_size);
    else if (b->uniform && c < 3)
        e = cg_str(g, "(%s)(%s)", type, cg_str(g, b->uniform, c));
    else if (full)
        e = cg_str(g, "(%s)%s", type, cg_str(g, b->first, c));
    if (e && full && cg_builtin_varies(g, g->fn, builtin, c))
        return cg_str(g, "XS(affine_%s)(%s, 1)", cg_kind_name(kind), e);
    if (e) return varying ? cg_splat(g, kind, e) : e;
    e = b->lanes ? cg_str(g, "XS_CONVERT(%s, %s)", cg_str(g, b->lanes, c), cg_kind_type(g, kind, true))
                 : lane_bits(g, builtin, c);
    if (!e) cg_fail(g, "built-in %u is not supported", builtin);
    if (!e || varying) return e ? e : "0";
    return cg_str(g, "%s[0]", cg_evaluated(g, cg_kind_type(g, kind, true), e));
}
