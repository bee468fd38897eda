/* targets.c - what a device is: its row of the table of targets. */
#include "internal.h"

#define ZED_IP_(architecture, release) ((uint32_t)(architecture) << 22 | (uint32_t)(release) << 14)

/* The targets of coopmatrix.h. IP versions, and the ids below, are what `ocloc query SUPPORTED_DEVICES` of Intel's
 * compiler answers (26.27; tests/dispatch/test_dispatch_targets.c compares them); ascending, so that the nearest older
 * device stands before. `ocloc query CL_DEVICE_EXTENSIONS` says whether there are matrix instructions and 2D block
 * messages; those of arl-h exist, but the compiler refuses modules that have them. */
static const zed_target_row_ zed_rows_[] = {
    {"tgl", ZED_IP_(12, 0), ZED_IP_(12, 4), true, false, false}, /* and rkl, adl, rpl */
    {"dg1", ZED_IP_(12, 10), ZED_IP_(12, 10), false, false, false},
    {"dg2", ZED_IP_(12, 55), ZED_IP_(12, 57), false, true, false},
    {"pvc", ZED_IP_(12, 60), ZED_IP_(12, 61), false, true, true},
    {"mtl", ZED_IP_(12, 70), ZED_IP_(12, 71), true, false, false}, /* and arl-u, arl-s */
    {"arl-h", ZED_IP_(12, 74), ZED_IP_(12, 74), true, false, false},
    {"bmg", ZED_IP_(20, 1), ZED_IP_(20, 2), false, true, true},
    {"lnl", ZED_IP_(20, 4), ZED_IP_(20, 4), true, true, true},
    {"ptl", ZED_IP_(30, 0), ZED_IP_(30, 1), true, true, true},
    {"wcl", ZED_IP_(30, 3), ZED_IP_(30, 3), true, true, true},
    {"nvl", ZED_IP_(30, 4), ZED_IP_(30, 5), true, true, true}, /* s, u, h */
    {"nvl-p", ZED_IP_(35, 10), ZED_IP_(35, 10), true, true, true},
    {"cri", ZED_IP_(35, 11), ZED_IP_(35, 11), false, true, true},
    {"soft", 0, 0, true, true, true},
    {"generic", 0, 0, true, false, false},
};
enum { ZED_ROWS_ = sizeof zed_rows_ / sizeof zed_rows_[0] };

static const zed_target_row_ *zed_row_named_(const char *name)
{
    size_t i = 0;
    while (i < ZED_ROWS_ - 1 && strcmp(zed_rows_[i].name, name) != 0) i++;
    return &zed_rows_[i];
}

XE_ONCE_
static const zed_target_row_ *zed_row_of_ip_(uint32_t ip)
{
    const uint32_t release = ip & ~(uint32_t)0x3fff; /* without the revision */
    for (size_t i = 0; i < ZED_ROWS_; i++)
        if (release && release >= zed_rows_[i].first_ip && release <= zed_rows_[i].last_ip) return &zed_rows_[i];
    return NULL;
}

XE_ONCE_
static const zed_target_row_ *zed_row_of_id_(uint32_t device_id)
{
    static const struct {
        uint16_t first, last;
        const char *target;
    } ids[] = {
        {0x9a40, 0x9a78, "tgl"},   {0x4c80, 0x4c9a, "tgl"},   {0x4680, 0x4693, "tgl"},   {0x4626, 0x462a, "tgl"},
        {0x46a0, 0x46c3, "tgl"},   {0x46d0, 0x46d4, "tgl"},   {0xa720, 0xa721, "tgl"},   {0xa780, 0xa78b, "tgl"},
        {0xa7a0, 0xa7ad, "tgl"},   {0x4905, 0x4909, "dg1"},   {0x4f80, 0x4f88, "dg2"},   {0x5690, 0x5698, "dg2"},
        {0x56a0, 0x56af, "dg2"},   {0x56b0, 0x56bf, "dg2"},   {0x56c0, 0x56c2, "dg2"},   {0x0b69, 0x0b6e, "pvc"},
        {0x0bd0, 0x0bdb, "pvc"},   {0x7d40, 0x7d45, "mtl"},   {0x7d55, 0x7d55, "mtl"},   {0x7d67, 0x7d67, "mtl"},
        {0x7dd5, 0x7dd5, "mtl"},   {0x7d51, 0x7d51, "arl-h"}, {0x7dd1, 0x7dd1, "arl-h"}, {0xe202, 0xe223, "bmg"},
        {0x6420, 0x6420, "lnl"},   {0x64a0, 0x64a0, "lnl"},   {0x64b0, 0x64b0, "lnl"},   {0xb080, 0xb0b0, "ptl"},
        {0xfd80, 0xfd81, "wcl"},   {0xd740, 0xd745, "nvl"},   {0xd74a, 0xd74b, "nvl-p"}, {0xd750, 0xd75f, "nvl-p"},
        {0x674c, 0x674c, "cri"},
    };
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        if (device_id >= ids[i].first && device_id <= ids[i].last) return zed_row_named_(ids[i].target);
    return NULL;
}

XE_ONCE_
static const zed_target_row_ *zed_row_of_name_(const char *name)
{
    static const struct {
        const char *part, *target;
    } names[] = {
        {"Data Center GPU Max", "pvc"},  {"Arc(TM) B5", "bmg"}, {"Arc(TM) Pro B", "bmg"},
        {"Arc(TM) B3", "ptl"},           {"Arc(TM) A", "dg2"},  {"Arc(TM) Pro A", "dg2"},
        {"Data Center GPU Flex", "dg2"}, {"Iris(R) Xe", "tgl"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strstr(name, names[i].part)) return zed_row_named_(names[i].target);
    return NULL;
}

/* For a device that this table does not know: the nearest older one, integrated like it or not, that has no instruction
 * which the driver says this one lacks. NULL: all are newer. */
XE_ONCE_
static const zed_target_row_ *zed_nearest_older_(const zed_identity_ *id)
{
    for (size_t i = ZED_ROWS_; i-- > 0;) {
        const zed_target_row_ *row = &zed_rows_[i];
        if (row->first_ip && id->ip > row->last_ip && row->integrated == id->integrated && (id->dpas || !row->dpas) &&
            (id->block2d || !row->block2d))
            return row;
    }
    return NULL;
}

/* The row of a device, by its IP version, else its id, else its name. `how` is what zed_target_log says; *guessed: the
 * table does not know it. */
XE_FN_ const zed_target_row_ *zed_recognise_(const zed_identity_ *id, char *how, size_t size, bool *guessed)
{
    const zed_target_row_ *row = NULL;
    char ip[40] = "";
    *guessed = false;
    if (strncmp(id->name, "xetile software device", 22) == 0) {
        snprintf(how, size, "soft, by its name");
        return zed_row_named_("soft");
    }
    if (id->ip)
        snprintf(ip, sizeof ip, "IP version %d.%d.%d", (int)(id->ip >> 22), (int)(id->ip >> 14 & 255),
                 (int)(id->ip & 63));
    if (id->vendor_id == 0x8086) {
        if ((row = zed_row_of_ip_(id->ip)) != NULL) snprintf(how, size, "%s, by its %s", row->name, ip);
        else if ((row = zed_row_of_id_(id->device_id)) != NULL)
            snprintf(how, size, "%s, by its id 0x%04x", row->name, (unsigned)id->device_id);
        else if ((row = zed_row_of_name_(id->name)) != NULL) snprintf(how, size, "%s, by its name", row->name);
        if (row) return row;
        row = id->ip ? zed_nearest_older_(id) : NULL;
    }
    *guessed = true;
    if (!row) row = zed_row_named_("generic");
    snprintf(how, size, "%s: vendor 0x%04x, device 0x%04x%s%s is unknown; %s", row->name, (unsigned)id->vendor_id,
             (unsigned)id->device_id, *ip ? ", " : "", ip,
             row->first_ip ? "this is the nearest older one whose instructions the driver has"
                           : "its kernels use neither matrix instructions nor block messages");
    return row;
}

/* Structures of Intel's driver that newer headers have; other drivers leave them as they are. */
enum {
    ZED_STYPE_IP_VERSION_ = 0x1000f, ZED_STYPE_BLOCKS_ = 0x30007, ZED_STYPE_PRODUCTS_ = 0x30013
};
typedef struct zed_number_ {
    ze_structure_type_t stype;
    void *next;
    uint32_t number;
} zed_number_;

/* Fills *p, and *id from it and from the driver's extensions. */
XE_FN_ bool zed_identify_(zed_device *d, ze_device_handle_t device, ze_device_properties_t *p, zed_identity_ *id)
{
    zed_number_ blocks = {(ze_structure_type_t)ZED_STYPE_BLOCKS_, NULL, 0};
    zed_number_ ip = {(ze_structure_type_t)ZED_STYPE_IP_VERSION_, &blocks, 0};
    zed_number_ products = {(ze_structure_type_t)ZED_STYPE_PRODUCTS_, NULL, 0};
    ze_device_module_properties_t m;
    ZED_CLEAR_(*p, DEVICE_PROPERTIES);
    ZED_CLEAR_(m, DEVICE_MODULE_PROPERTIES);
    p->pNext = &ip;
    m.pNext = &products;
    bool good = ZED_CALL_(d, zeDeviceGetProperties, (device, p));
    p->pNext = NULL;
    if (!good) return false;
    if (p->type == ZE_DEVICE_TYPE_GPU && !ZED_CALL_(d, zeDeviceGetModuleProperties, (device, &m))) return false;
    memset(id, 0, sizeof *id);
    id->vendor_id = p->vendorId;
    id->device_id = p->deviceId;
    id->ip = ip.number;
    id->integrated = (p->flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED) != 0;
    id->block2d = blocks.number == 3;      /* loads and stores */
    id->dpas = (products.number & 2) != 0; /* 1: DP4A */
    memcpy(id->name, p->name, sizeof id->name);
    return true;
}

const char *zed_target_log(const zed_device *d) { return d->recognised_; }

XE_FN_ void zed_fill_target_(zed_target *t, const ze_device_properties_t *p, const ze_device_compute_properties_t *c,
                      const ze_device_module_properties_t *m)
{
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
