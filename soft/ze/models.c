/* models.c - the devices that this one can imitate: $XETILE_SOFT_DEVICE, or the one whose machine code is executed
 * ($XETILE_SOFT_ISA). A table has each model's properties; features it lacks are refused.
 */
#include <stdlib.h>
#include <string.h>

#include "xe/xe.h"
#include "ze_soft.h"

/* For devices with several tiles, one tile. Ids and IP versions are those that Intel's compiler lists (ocloc 26.27);
 * threads, doubles and images are what Intel's driver has for them (compute-runtime of 2026-08), matrix products what
 * the compiler takes. How many execution units wcl, nvl, nvl-p and cri have is not known yet: guesses. */
static const struct soft_model models[] = {
    {.name = "tgl",
     .title = "Intel(R) Iris(R) Xe Graphics",
     .device_id = 0x9a49,
     .ip = SOFT_IP(12, 0, 0),
     .threads = 7,
     .simd = 8,
     .eus = 16,
     .subslices = 6,
     .slices = 1,
     .least_lanes = 8,
     .local_kib = 64,
     .integrated = true,
     .has_images = true},
    {.name = "dg1",
     .title = "Intel(R) Iris(R) Xe MAX Graphics",
     .device_id = 0x4905,
     .ip = SOFT_IP(12, 10, 0),
     .threads = 7,
     .simd = 8,
     .eus = 16,
     .subslices = 6,
     .slices = 1,
     .least_lanes = 8,
     .local_kib = 64,
     .has_images = true},
    {.name = "mtl",
     .title = "Intel(R) Arc(TM) Graphics",
     .device_id = 0x7d55,
     .ip = SOFT_IP(12, 71, 4),
     .threads = 8,
     .simd = 8,
     .eus = 16,
     .subslices = 4,
     .slices = 2,
     .least_lanes = 8,
     .local_kib = 64,
     .integrated = true,
     .has_double = true,
     .has_images = true},
    {.name = "arl-h",
     .title = "Intel(R) Arc(TM) Graphics",
     .device_id = 0x7d51,
     .ip = SOFT_IP(12, 74, 4),
     .threads = 8,
     .simd = 8,
     .eus = 16,
     .subslices = 4,
     .slices = 2,
     .least_lanes = 8,
     .local_kib = 64,
     .integrated = true,
     .has_double = true,
     .has_images = true},
    {.name = "dg2",
     .title = "Intel(R) Arc(TM) A770 Graphics",
     .device_id = 0x56a0,
     .ip = SOFT_IP(12, 55, 8),
     .threads = 8,
     .simd = 8,
     .eus = 16,
     .subslices = 4,
     .slices = 8,
     .least_lanes = 8,
     .local_kib = 64,
     .has_products = true,
     .has_images = true},
    {.name = "pvc",
     .title = "Intel(R) Data Center GPU Max 1550",
     .device_id = 0x0bd5,
     .ip = SOFT_IP(12, 60, 7),
     .threads = 8,
     .simd = 16,
     .eus = 8,
     .subslices = 64,
     .slices = 1,
     .least_lanes = 16,
     .has_double = true,
     .has_products = true,
     .has_blocks = true},
    {.name = "bmg",
     .title = "Intel(R) Arc(TM) B580 Graphics",
     .device_id = 0xe20b,
     .ip = SOFT_IP(20, 1, 4),
     .threads = 8,
     .simd = 16,
     .eus = 8,
     .subslices = 4,
     .slices = 5,
     .least_lanes = 16,
     .has_double = true,
     .has_products = true,
     .has_blocks = true,
     .has_images = true},
    {.name = "lnl",
     .title = "Intel(R) Arc(TM) 140V GPU",
     .device_id = 0x64a0,
     .ip = SOFT_IP(20, 4, 4),
     .threads = 8,
     .simd = 16,
     .eus = 8,
     .subslices = 4,
     .slices = 2,
     .least_lanes = 16,
     .integrated = true,
     .has_double = true,
     .has_products = true,
     .has_blocks = true,
     .has_images = true},
    {.name = "ptl",
     .title = "Intel(R) Arc(TM) B390 GPU",
     .device_id = 0xb080,
     .ip = SOFT_IP(30, 0, 4),
     .threads = 10,
     .simd = 16,
     .eus = 8,
     .subslices = 6,
     .slices = 2,
     .least_lanes = 16,
     .integrated = true,
     .has_double = true,
     .has_products = true,
     .has_blocks = true,
     .has_images = true},
    {.name = "wcl",
     .title = "Intel(R) Graphics [0xfd80]",
     .device_id = 0xfd80,
     .ip = SOFT_IP(30, 3, 1),
     .threads = 10,
     .simd = 16,
     .eus = 8,
     .subslices = 2,
     .slices = 1,
     .least_lanes = 16,
     .integrated = true,
     .has_double = true,
     .has_products = true,
     .has_blocks = true,
     .has_images = true},
    {.name = "nvl",
     .title = "Intel(R) Graphics [0xd740]",
     .device_id = 0xd740,
     .ip = SOFT_IP(30, 4, 4),
     .threads = 10,
     .simd = 16,
     .eus = 8,
     .subslices = 2,
     .slices = 1,
     .least_lanes = 16,
     .integrated = true,
     .has_double = true,
     .has_products = true,
     .has_blocks = true,
     .has_images = true},
    {.name = "nvl-p",
     .title = "Intel(R) Graphics [0xd750]",
     .device_id = 0xd750,
     .ip = SOFT_IP(35, 10, 4),
     .threads = 10,
     .simd = 16,
     .eus = 8,
     .subslices = 6,
     .slices = 2,
     .least_lanes = 16,
     .integrated = true,
     .has_double = true,
     .has_products = true,
     .has_mx = true,
     .has_blocks = true,
     .has_images = true},
    {.name = "cri",
     .title = "Intel(R) Graphics [0x674c]",
     .device_id = 0x674c,
     .ip = SOFT_IP(35, 11, 0),
     .threads = 8,
     .simd = 16,
     .eus = 8,
     .subslices = 4,
     .slices = 8,
     .least_lanes = 16,
     .has_double = true,
     .has_products = true,
     .has_mx = true,
     .has_blocks = true},
};

const struct soft_model *soft_model_named(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (!strcmp(models[i].name, name)) return &models[i];
    return NULL;
}

const char *soft_model_name(size_t i) { return i < sizeof models / sizeof models[0] ? models[i].name : NULL; }

const struct soft_model *soft_model(void)
{
    const struct xe_target *target = xe_target();
    const char *wish = target ? target->name : jit_setting("XETILE_SOFT_DEVICE");
    return wish ? soft_model_named(wish) : NULL;
}

/* Of the models, Intel's driver reports one engine for everything, and one for copies. */
uint32_t soft_queue_count(void) { return soft_model() ? 1 : 8; }

/* As Intel's driver computes it: subgroups of the least size in all threads of a subslice, as a power of two. */
uint32_t soft_max_group_size(void)
{
    const struct soft_model *as = soft_model();
    uint32_t size = SOFT_MAX_GROUP_SIZE;
    while (as && size > as->threads * as->eus * as->least_lanes) size /= 2;
    return size;
}

uint32_t soft_local_memory(void)
{
    return soft_model() && soft_model()->local_kib ? soft_model()->local_kib << 10 : SOFT_LOCAL_MEMORY;
}

bool soft_is_cpu(void)
{
    const char *type = getenv("XETILE_SOFT_TYPE");
    return type && strcmp(type, "cpu") == 0;
}

/* Machine code accesses images through units that the interpreter lacks. */
bool soft_has_images(void) { return !xe_target() && (!soft_model() || soft_model()->has_images); }

/* ---- features that a model lacks */

static bool refuse(struct sp_text *log, const struct soft_model *model, const char *what)
{
    sp_text_add(log, "%s has no %s (XETILE_SOFT_DEVICE=%s)\n", model->title, what, model->name);
    return false;
}

static const char *missing(const struct soft_model *model, const struct sp_inst *i, bool *multiplies)
{
    switch (i->op) {
    case SP_OP_Subgroup2DBlockLoadINTEL:
    case SP_OP_Subgroup2DBlockLoadTransformINTEL:
    case SP_OP_Subgroup2DBlockLoadTransposeINTEL:
    case SP_OP_Subgroup2DBlockPrefetchINTEL:
    case SP_OP_Subgroup2DBlockStoreINTEL: return model->has_blocks ? NULL : "2D block messages";
    case SP_OP_SubgroupMatrixMultiplyAccumulateINTEL:
        *multiplies = true;
        if (i->count > 4 && i->operand[4] >= SP_DPAS_MatrixAPackedFloat8E4M3INTEL && !model->has_mx)
            return "matrix products of 8-bit and 4-bit floats";
        return model->has_products ? NULL : "matrix products";
    case SP_OP_SubgroupScaledMatrixMultiplyAccumulateINTEL:
        *multiplies = true;
        return model->has_mx ? NULL : "matrix products with scales";
    default: return NULL;
    }
}

static bool allows_function(const struct soft_model *model, const struct sp_module *m, uint32_t index,
                            struct sp_text *log)
{
    const struct sp_function *f = &m->functions[index];
    bool multiplies = false;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t k = 0; k < f->blocks[b].count; k++) {
            const char *what = missing(model, &f->blocks[b].inst[k], &multiplies);
            if (what) return refuse(log, model, what);
        }
    for (uint32_t e = 0; e < m->entry_count && multiplies; e++)
        if (m->entries[e].function == index && m->entries[e].subgroup_size &&
            m->entries[e].subgroup_size != model->simd)
            return refuse(log, model, "matrix products in subgroups of another size than its SIMD width");
    return true;
}

bool soft_model_allows(const struct soft_model *model, const struct sp_module *m, struct sp_text *log)
{
    for (uint32_t i = 0; i < m->type_count; i++) {
        const struct sp_type *t = &m->types[i];
        if (!model->has_double && t->kind == SP_FLOAT && t->bits == 64) return refuse(log, model, "doubles");
        if (!model->has_images && (t->kind == SP_IMAGE || t->kind == SP_SAMPLER)) return refuse(log, model, "images");
    }
    for (uint32_t e = 0; e < m->entry_count; e++)
        if (m->entries[e].subgroup_size && m->entries[e].subgroup_size < model->least_lanes)
            return refuse(log, model, "subgroups of 8");
    for (uint32_t f = 0; f < m->function_count; f++)
        if (!allows_function(model, m, f, log)) return false;
    return true;
}
