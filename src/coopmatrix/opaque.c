/* opaque.c - matrices whose components only the device can find: those of SPV_KHR_cooperative_matrix, in the shapes
 * that the target lists. A part is one of them, transposed: our columns are its rows. Parts follow one another along
 * our rows, then along our columns. */
#include "internal.h"

/* What NVIDIA's driver 580.159.04 lists for an H200, as far as it is used here. */
static const cm_coop_shape cm_coop_shapes_[] = {
    {"hopper", CM_F16, CM_F32, 16, 16, 16}, {"hopper", CM_F16, CM_F16, 16, 16, 16},
    {"hopper", CM_BF16, CM_F32, 16, 16, 16}, {"hopper", CM_I8, CM_I32, 16, 16, 32},
    {"hopper", CM_U8, CM_I32, 16, 16, 32}, /* the driver's sums are u32: the same bits */
};

/* The first shape with these types; -1: any. */
static const cm_coop_shape *cm_find_shape_(const char *target, int type, int sum)
{
    for (size_t i = 0; target && i < sizeof cm_coop_shapes_ / sizeof *cm_coop_shapes_; i++) {
        const cm_coop_shape *s = &cm_coop_shapes_[i];
        if (strcmp(s->target, target)) continue;
        if ((type < 0 || (int)s->type == type) && (sum < 0 || (int)s->sum == sum)) return s;
    }
    return NULL;
}

const cm_coop_shape *cm_coop_shape_of(const cm_target *target, cm_type type, cm_type sum)
{
    return cm_find_shape_(target->name, (int)type, (int)sum);
}

XE_FN_ bool cm_is_opaque_(const cm_layout *l) { return l->use >= CM_OPAQUE_ACC; }

/* size_i and size_j are the rows and columns of a part. No lane has components that it could find. */
XE_FN_ cm_layout cm_opaque_layout_(cm_ctx *c, int rows, int cols, cm_type type, cm_use use)
{
    cm_layout l;
    bool sum = use == CM_OPAQUE_ACC;
    const cm_coop_shape *s = cm_find_shape_(c->target.name, sum ? -1 : (int)type, sum ? (int)type : -1);
    memset(&l, 0, sizeof l);
    int i = !s ? 0 : use == CM_OPAQUE_B ? s->k : s->n, j = !s ? 0 : use == CM_OPAQUE_A ? s->k : s->m;
    if (!s || rows < 1 || cols < 1 || rows % i || cols % j)
        return CM_FAIL_(c, LOWERING, "target %s has no opaque %s of %d x %d %s", c->target.name, cm_use_name(use), rows,
                        cols, cm_type_info(type) ? cm_type_info(type)->name : "(none)"), l;
    l.rows = rows;
    l.cols = cols;
    l.type = type;
    l.use = use;
    l.lanes = c->target.subgroup_size;
    l.size_i = i;
    l.size_j = j;
    l.size_k = l.size_k1 = l.size_k2 = l.omega = 1;
    return l;
}
