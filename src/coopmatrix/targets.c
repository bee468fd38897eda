/* targets.c - targets, their subgroup sizes, and contexts. */
#include "internal.h"

/* Messages of Intel's GPUs; those of the software device, which copies bytes. */
#define CM_BLOCK2D_XE_ {64, 16, 4, 64, true}
#define CM_BLOCK2D_PVC_ {64, 16, 4, 64, false}
#define CM_BLOCK2D_ANY_ {1, 1, 1, 1, true}

/* Where the figures come from: Intel's compiler (ocloc 26.27, IGC 2.40: the extensions and subgroup sizes that it takes
 * for a device; 128 registers of 32 or 64 bytes a thread, or twice as many with the build flag) and Intel's driver
 * (local memory; threads of a subslice times 8 work-items, as a power of two). Nothing here was tried on a device.
 * tgl to arl-h: no matrix instruction that the compiler accepts (that of arl-h exists, but its extension is disabled),
 * and messages of one dimension only. wcl, nvl, nvl-p and cri take modules of bmg as they are. */
const cm_target *cm_target_row(const char *name)
{
    static const char large[] = "-ze-opt-large-register-file";
    enum { K = 1 << 10, ALL = 8 | 16 | 32, ANY = ALL | 64, BOTH = 16 | 32 };
    enum { XE = 0x3fff, XE3P = 0x3fffff }; /* bits of SPE_MatrixMultiplyAccumulateOperands... */
    static const cm_target rows[] = {
        {"tgl", 16, ALL, 0, XE, 0, CM_BLOCK2D_XE_, false, 64 * K, 512, 4 * K, "", false, true, false, true},
        {"dg1", 16, ALL, 0, XE, 0, CM_BLOCK2D_XE_, false, 64 * K, 512, 4 * K, "", false, true, false, true},
        {"mtl", 16, ALL, 0, XE, 0, CM_BLOCK2D_XE_, false, 64 * K, 1024, 8 * K, large, false, true, false, true},
        {"arl-h", 16, ALL, 0, XE, 0, CM_BLOCK2D_XE_, false, 64 * K, 1024, 8 * K, large, false, true, false, true},
        {"dg2", 8, ALL, 8, XE, 0, CM_BLOCK2D_XE_, true, 64 * K, 1024, 8 * K, large, false, true, false, false},
        {"pvc", 16, BOTH, 16, XE, 16, CM_BLOCK2D_PVC_, true, 128 * K, 1024, 16 * K, large, true, true, false, false},
        {"bmg", 16, BOTH, 16, XE, 16, CM_BLOCK2D_XE_, true, 128 * K, 1024, 16 * K, large, true, true, false, false},
        {"lnl", 16, BOTH, 16, XE, 16, CM_BLOCK2D_XE_, true, 128 * K, 1024, 16 * K, large, true, true, false, false},
        {"ptl", 16, BOTH, 16, XE, 16, CM_BLOCK2D_XE_, true, 128 * K, 1024, 16 * K, large, true, true, false, false},
        {"wcl", 16, BOTH, 16, XE, 16, CM_BLOCK2D_XE_, true, 128 * K, 1024, 16 * K, large, true, true, false, false},
        {"nvl", 16, BOTH, 16, XE, 16, CM_BLOCK2D_XE_, true, 128 * K, 1024, 16 * K, large, true, true, false, false},
        {"nvl-p", 16, BOTH, 16, XE3P, 16, CM_BLOCK2D_XE_, true, 192 * K, 1024, 16 * K, large, true, true, false, false},
        {"cri", 16, BOTH, 16, XE3P, 16, CM_BLOCK2D_XE_, true, 384 * K, 1024, 16 * K, large, true, true, false, false},
        {"generic", 16, ALL, 0, XE, 0, CM_BLOCK2D_XE_, false, 32 * K, 1024, 4 * K, "", false, true, false, false},
        {"soft", 16, ALL, 8 | 16, XE, 16, CM_BLOCK2D_ANY_, true, 64 * K, 1024, 16 * K, "", false, false, false, false},
        {"vulkan", 32, ANY, 0, XE, 0, CM_BLOCK2D_ANY_, false, 32 * K, 256, 8 * K, "", false, false, true, false},
        {"hopper", 32, 32, 0, XE, 0, CM_BLOCK2D_ANY_, false, 48 * K, 1024, 32 * K, "", false, false, true, false},
    };
    static const char *const families[][2] = { /* what stands before the `-` of other names */
        {"rkl", "tgl"}, {"adl", "tgl"}, {"rpl", "tgl"}, {"tgllp", "tgl"}, {"mtl", "mtl"}, {"arl", "mtl"},
        {"dg2", "dg2"}, {"acm", "dg2"}, {"ats", "dg2"}, {"pvc", "pvc"},   {"bmg", "bmg"}, {"lnl", "lnl"},
        {"ptl", "ptl"}, {"nvl", "nvl"},
    };
    if (!name) return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    const size_t length = strcspn(name, "-");
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strlen(families[i][0]) == length && !strncmp(families[i][0], name, length))
            return cm_target_row(families[i][1]);
    return NULL;
}

/* Targets that are not Intel's have no such flag either: their figures are of 256 registers like Intel's, as their
 * compilers see to registers themselves. */
bool cm_has_two_register_modes(const cm_target *t) { return !t->igc || t->build_flags[0]; }

spe_env cm_environment(const spe_device *d)
{
    const cm_target *row = d ? cm_target_row(d->name) : NULL;
    return row && row->vulkan ? SPE_ENV_VULKAN : SPE_ENV_OPENCL;
}

enum { CM_SIZES_ = 8 | 16 | 32 | 64 }; /* of subgroups: more lanes do not fit where one bit stands for each */

static bool cm_has_size_(const cm_target *t, int size)
{
    return cm_power_of_two_(size) && (t->subgroup_sizes & CM_SIZES_ & (uint32_t)size);
}

/* The sizes of a mask as text, "16 and 32". */
typedef struct {
    char s[24];
} cm_sizes_text_;

XE_ONCE_
static cm_sizes_text_ cm_sizes_of_(uint32_t sizes)
{
    cm_sizes_text_ t = {"none"};
    int n = 0;
    for (uint32_t size = 8; size <= 64; size *= 2) {
        if (!(sizes & size)) continue;
        sizes &= ~size;
        n += snprintf(t.s + n, sizeof t.s - (size_t)n, "%s%u", n == 0 ? "" : sizes & CM_SIZES_ ? ", " : " and ", size);
    }
    return t;
}

bool cm_choose_target(spe_site at, const spe_device *d, int size, cm_target *target)
{
    const cm_target *row = d ? cm_target_row(d->name) : NULL;
    if (!row) {
        spe_report(at, at.errors->target, "\"%s\"; known are " CM_TARGET_NAMES, d && d->name ? d->name : "(none)");
        return false;
    }
    *target = *row;
    if (d->subgroup_sizes) target->subgroup_sizes = d->subgroup_sizes;
    if (d->local_memory) target->local_memory = d->local_memory < INT32_MAX ? (int)d->local_memory : INT32_MAX;
    if (d->max_group_size) target->max_group_size = d->max_group_size < INT32_MAX ? (int)d->max_group_size : INT32_MAX;
    if (!size && cm_has_size_(target, row->subgroup_size)) size = row->subgroup_size;
    for (int s = 8; !size && s <= 64; s *= 2) size = cm_has_size_(target, s) ? s : 0; /* the smallest */
    target->subgroup_size = size;
    if (cm_has_size_(target, size)) return true;
    spe_report(at, at.errors->subgroup_size, "wanted %d, %s has %s", size, row->name,
               cm_sizes_of_(target->subgroup_sizes).s);
    return false;
}

bool cm_begin(cm_ctx *c, spe_module *m, const cm_target *target, cm_lowering lowering)
{
    memset(c, 0, sizeof *c);
    c->module = m;
    if (!target) return CM_FAIL_(c, TARGET, "there is no target of this name; known are " CM_TARGET_NAMES);
    int size = target->subgroup_size;
    bool dpas = (target->dpas_sizes & (uint32_t)size) != 0;
    c->target = *target;
    m->options.verbatim = !target->igc;
    m->options.subgroup_sizes = target->subgroup_sizes;
    m->options.local_memory = (uint32_t)target->local_memory;
    m->options.max_group_size = (uint32_t)target->max_group_size;
    c->lowering = lowering == CM_AUTO ? (dpas ? CM_INTEL : CM_PLAIN) : lowering;
    if (!cm_has_size_(target, size))
        return CM_FAIL_(c, TARGET_SUBGROUP, "subgroup size %d: target %s has the sizes in mask 0x%x", size,
                        target->name, (unsigned)target->subgroup_sizes);
    if ((unsigned)lowering > (unsigned)CM_KHR)
        return CM_FAIL_(c, LOWERING, "target %s: there is no lowering %d", target->name, (int)lowering);
    if (c->lowering == CM_INTEL && !dpas)
        return CM_FAIL_(c, LOWERING, "CM_INTEL: target %s has no matrix instruction at subgroup size %d",
                        target->name, size);
    if (c->lowering == CM_KHR && !target->coop_khr)
        return CM_FAIL_(c, LOWERING, "CM_KHR: target %s does not take SPV_KHR_cooperative_matrix", target->name);
    return spe_ok(m);
}
