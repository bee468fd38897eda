/* targets.c - the target table row of a device. */
#include "internal.h"

XE_FN_ const zed_target_row_ *zed_target_row_of_(const char *name)
{
    static const zed_target_row_ rows[] = {
        {"pvc", true, true},  {"bmg", true, true},  {"lnl", true, true},       {"ptl", true, true},
        {"dg2", true, false}, {"soft", true, true}, {"generic", false, false},
    };
    size_t i = 0, last = sizeof rows / sizeof rows[0] - 1;
    while (i < last && strcmp(rows[i].name, name) != 0) i++;
    return &rows[i];
}

/* By Intel's PCI device ids; ids newer than this table are recognised by name. */
XE_FN_ const char *zed_target_name_(uint32_t vendor_id, uint32_t device_id, const char *name)
{
    static const struct {
        uint32_t first, last;
        const char *target;
    } ids[] = {
        {0x0b69, 0x0b6e, "pvc"}, {0x0bd0, 0x0bdb, "pvc"},                          /* Data Center GPU Max */
        {0xe202, 0xe223, "bmg"},                                                   /* Arc B, Arc Pro B */
        {0x6420, 0x6420, "lnl"}, {0x64a0, 0x64a0, "lnl"}, {0x64b0, 0x64b0, "lnl"}, /* Core Ultra 200V */
        {0xb080, 0xb0b0, "ptl"}, {0xfd80, 0xfd81, "ptl"},                          /* Core Ultra 300, Wildcat Lake */
        {0x4f80, 0x4f88, "dg2"}, {0x5690, 0x5698, "dg2"}, {0x56a0, 0x56af, "dg2"}, /* Arc A, Arc Pro A, Flex */
        {0x56b0, 0x56bf, "dg2"}, {0x56c0, 0x56c2, "dg2"},
    };
    static const struct {
        const char *part, *target;
    } names[] = {
        {"Data Center GPU Max", "pvc"},  {"Arc(TM) B5", "bmg"}, {"Arc(TM) Pro B", "bmg"},
        {"Arc(TM) B3", "ptl"},           {"Arc(TM) A", "dg2"},  {"Arc(TM) Pro A", "dg2"},
        {"Data Center GPU Flex", "dg2"},
    };
    if (strncmp(name, "xetile software device", 22) == 0) return "soft";
    if (vendor_id != 0x8086) return "generic";
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        if (device_id >= ids[i].first && device_id <= ids[i].last) return ids[i].target;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strstr(name, names[i].part)) return names[i].target;
    }
    return "generic";
}

XE_FN_ void zed_fill_target_(zed_target *t, const ze_device_properties_t *p, const ze_device_compute_properties_t *c,
                      const ze_device_module_properties_t *m)
{
    const zed_target_row_ *row = zed_target_row_of_(zed_target_name_(p->vendorId, p->deviceId, p->name));
    t->name = row->name;
    t->dpas = row->dpas;
    t->block2d = row->block2d;
    for (uint32_t i = 0; i < c->numSubGroupSizes && i < ZE_SUBGROUPSIZE_COUNT; i++) {
        t->subgroup_sizes |= c->subGroupSizes[i];
    }
    t->local_memory = (int)c->maxSharedLocalMemory;
    t->max_group_size = (int)c->maxTotalGroupSize;
    t->max_group_dim[0] = (int)c->maxGroupSizeX;
    t->max_group_dim[1] = (int)c->maxGroupSizeY;
    t->max_group_dim[2] = (int)c->maxGroupSizeZ;
    t->max_groups[0] = c->maxGroupCountX;
    t->max_groups[1] = c->maxGroupCountY;
    t->max_groups[2] = c->maxGroupCountZ;
    t->fp16 = (m->flags & ZE_DEVICE_MODULE_FLAG_FP16) != 0;
    t->fp64 = (m->flags & ZE_DEVICE_MODULE_FLAG_FP64) != 0;
    t->int64_atomics = (m->flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS) != 0;
    t->spirv_version = m->spirvVersionSupported;
    t->vendor_id = p->vendorId;
    t->device_id = p->deviceId;
    t->eu_count = p->numEUsPerSubslice * p->numSubslicesPerSlice * p->numSlices;
    t->max_alloc = p->maxMemAllocSize;
}
