/* front/scaled.c - records tile_mma_scaled, a product of blocks with scales. */
#include "../internal.h"

/* Scales of an operand: one for CM_SCALED values along k, distributed like it. */
static bool xt_check_scales_(xt_where_ w, const char *what, const xt_vec *v, int rows, int cols, const xt_map *map)
{
    char text[48];
    snprintf(text, sizeof text, "the scales of %s", what);
    if (!xt_check_vec_(w, v, text)) return false;
    if (v->type != CM_E8M0)
        return xt_fail_(w, XT_ERROR_MMA_TYPE, "%s are of %s, wanted e8m0", text, xt_type_name_((int)v->type));
    if (v->dist.shape[0] != rows || v->dist.shape[1] != cols)
        return xt_fail_(w, XT_ERROR_MMA_SHAPE, "%s are %d x %d, wanted %d x %d", text, v->dist.shape[0],
                        v->dist.shape[1], rows, cols);
    return v->inner[0] ? xt_fail_(w, XT_ERROR_BLOCKED, "%s are blocked", text)
                       : xt_map_agrees_(w, XT_ERROR_MMA_MAP, text, &v->map, map);
}

/* Values along k: an e2m1 has two. */
static int xt_values_(const xt_vec *left) { return left->dist.shape[1] * (left->type == CM_E2M1 ? 2 : 1); }

/* A subgroup's pieces of the operands are cut at multiples of 32 elements, but for one that is smaller. */
static bool xt_check_scaled_types_(xt_where_ w, const xt_vec *a, const xt_vec *b)
{
    const int values = xt_values_(a), deep = a->dist.shape[1];
    const bool small = xt_is_small_((int)a->type) && xt_is_small_((int)b->type);
    const bool half = a->type == b->type && (a->type == CM_F16 || a->type == CM_BF16);
    if (!small && !half)
        return xt_fail_(w, XT_ERROR_MMA_TYPE, "XT_TILE_MMA_SCALED: a of %s, b of %s", xt_type_name_((int)a->type),
                        xt_type_name_((int)b->type));
    return (values % CM_SCALED == 0 && (deep % CM_SCALED == 0 || values == CM_SCALED)) ||
           xt_fail_(w, XT_ERROR_MMA_SHAPE, "XT_TILE_MMA_SCALED: %d values along k, wanted a multiple of %d%s", values,
                    (int)CM_SCALED, a->type == CM_E2M1 ? ", beyond 32 of 64" : "");
}

xt_vec xt_tile_mma_scaled_(xt_where_ w, xt_scaled_desc_ d)
{
    xt_map none = XT_ZERO_, map_a = none, map_b = none;
    d.mma.sum = d.sum;
    d.mma.type = d.type;
    d.mma.map = d.map;
    xt_vec r = xt_product_vec_(w, &d.mma);
    const xt_vec *a = &d.mma.left, *b = &d.mma.right;
    if (!r.id || !xt_check_scaled_types_(w, a, b)) return xt_no_vec_();
    if (r.type != CM_F32 && r.type != CM_BF16)
        return XT_FAIL_VEC_(w, XT_ERROR_MMA_TYPE, "XT_TILE_MMA_SCALED: a result of %s", xt_type_name_((int)r.type));
    const int blocks = xt_values_(a) / CM_SCALED;
    if (xt_has_map_(&r.map)) map_a = xt_map_mma_a(&r.map, blocks), map_b = xt_map_mma_b(&r.map, blocks);
    if (!xt_check_scales_(w, "a", &d.scale_a, a->dist.shape[0], blocks, &map_a) ||
        !xt_check_scales_(w, "b", &d.scale_b, blocks, b->dist.shape[1], &map_b))
        return xt_no_vec_();
    xt_diverges_like_(w.x, r.id, &d.scale_a);
    xt_diverges_like_(w.x, r.id, &d.scale_b);
    const xt_vec *const scales[2] = {&d.scale_a, &d.scale_b};
    xt_record_product_(w, XT_AS_(TILE_MMA_SCALED), r.id, &d.mma, scales);
    return r;
}
