/* front/mma.c - records tile_mma. */
#include "../internal.h"

static bool xt_mma_check_shapes_(xt_where_ w, const xt_mma_desc_ *d, bool with_c)
{
    const int *a = d->left.dist.shape, *b = d->right.dist.shape, *c = d->sum.dist.shape;
    if (!xt_check_vec_(w, &d->left, "a of XT_TILE_MMA") || !xt_check_vec_(w, &d->right, "b of XT_TILE_MMA"))
        return false;
    if (with_c && !xt_check_vec_(w, &d->sum, "c of XT_TILE_MMA")) return false;
    if (a[1] == b[0] && (!with_c || (c[0] == a[0] && c[1] == b[1]))) return true;
    if (!with_c) return xt_fail_(w, XT_ERROR_MMA_SHAPE, "a %d x %d, b %d x %d", a[0], a[1], b[0], b[1]);
    return xt_fail_(w, XT_ERROR_MMA_SHAPE, "a %d x %d, b %d x %d, c %d x %d", a[0], a[1], b[0], b[1], c[0], c[1]);
}

/* The possible types of a x b: the accumulation type in coopmatrix.h, or f16 and bf16 for operands of that type. */
static bool xt_mma_result_(const xt_mma_desc_ *d, bool with_c, cm_type *result)
{
    const cm_product *row = cm_product_row(d->left.type, d->right.type);
    cm_type own = d->left.type;
    if (!row || d->type < 0) return false;
    *result = with_c ? d->sum.type : d->type ? (cm_type)(d->type - 1) : row->acc;
    if (d->type && d->type - 1 != (int)*result) return false;
    if (xt_is_small_((int)own) && xt_is_small_((int)d->right.type) && *result == CM_BF16) return true;
    return *result == row->acc || (own == d->right.type && *result == own && (own == CM_F16 || own == CM_BF16));
}

static bool xt_mma_check_types_(xt_where_ w, const xt_mma_desc_ *d, bool with_c, cm_type *result)
{
    return xt_mma_result_(d, with_c, result) ||
           xt_fail_(w, XT_ERROR_MMA_TYPE, "a of %s, b of %s%s%s%s%s", xt_type_name_(d->left.type),
                    xt_type_name_(d->right.type), with_c ? ", c of " : "", with_c ? xt_type_name_(d->sum.type) : "",
                    d->type ? ", result " : "", d->type ? xt_type_name_(d->type < 0 ? d->type : d->type - 1) : "");
}

static bool xt_mma_has_map_(xt_where_ w, const char *what, const xt_map *has, const xt_map *wanted)
{
    return xt_map_agrees_(w, XT_ERROR_MMA_MAP, what, has, wanted);
}

/* The result's map is c's, else the given one, else derived from a and b. The operands' maps must agree with it, and
 * with those given as options, as in the older specification. */
static bool xt_mma_check_maps_(xt_where_ w, const xt_mma_desc_ *d, bool with_c, xt_map *map)
{
    xt_map a = XT_ZERO_;
    *map = d->left.map;
    map->sg_data[1] = d->right.map.sg_data[1];
    if (xt_has_map_(&d->map)) *map = d->map;
    if (with_c) *map = d->sum.map;
    if (with_c && xt_has_map_(&d->map) && !xt_mma_has_map_(w, ".map", &d->map, map)) return false;
    xt_map b = a;
    if (xt_has_map_(map)) {
        a = xt_map_mma_a(map, d->left.dist.shape[1]);
        b = xt_map_mma_b(map, d->right.dist.shape[0]);
    }
    return xt_mma_has_map_(w, "a", &d->left.map, &a) && xt_mma_has_map_(w, "b", &d->right.map, &b) &&
           (!xt_has_map_(&d->a_map) || xt_mma_has_map_(w, "a", &d->left.map, &d->a_map)) &&
           (!xt_has_map_(&d->b_map) || xt_mma_has_map_(w, "b", &d->right.map, &d->b_map)) &&
           (!with_c || !xt_has_map_(&d->c_map) || xt_mma_has_map_(w, "c", &d->sum.map, &d->c_map));
}

/* Blocked operands: m x k, k x n and m x n blocks. */
static bool xt_mma_check_blocks_(xt_where_ w, const xt_mma_desc_ *d, bool with_c)
{
    const int *a = d->left.inner, *b = d->right.inner, *c = d->sum.inner;
    if (a[1] == b[0] && (a[0] > 0) == (b[1] > 0) && (!with_c || (c[0] == a[0] && c[1] == b[1]))) return true;
    return xt_fail_(w, XT_ERROR_BLOCKED, "XT_TILE_MMA: a has inner_blocks {%d, %d}, b {%d, %d}, c {%d, %d}", a[0], a[1],
                    b[0], b[1], c[0], c[1]);
}

/* The result of a product, after all checks; to be recorded. */
XE_FN_ xt_vec xt_product_vec_(xt_where_ w, const xt_mma_desc_ *d)
{
    bool with_c = d->sum.magic != 0;
    cm_type type = CM_F32;
    xt_map map;
    if (!xt_enter_(w) || !xt_mma_check_shapes_(w, d, with_c) || !xt_mma_check_types_(w, d, with_c, &type) ||
        !xt_mma_check_maps_(w, d, with_c, &map) || !xt_mma_check_blocks_(w, d, with_c))
        return xt_no_vec_();
    xt_vec r = xt_mapped_vec_(w, type, d->left.dist.shape[0], d->right.dist.shape[1], &map);
    xt_diverges_like_(w.x, r.id, &d->left);
    xt_diverges_like_(w.x, r.id, &d->right);
    xt_diverges_like_(w.x, r.id, &d->sum);
    return xt_blocked_(w.x, r, d->left.inner[0], d->right.inner[1]);
}

/* scales: of a and b, or NULL. */
XE_FN_ void xt_record_product_(xt_where_ w, const xt_operation_ *as, uint32_t result, const xt_mma_desc_ *d,
                               const xt_vec *const *scales)
{
    const xt_map maps[] = {d->a_map, d->b_map, d->c_map, d->map};
    xt_ids_ of = XT_ZERO_;
    xt_take_(w.x, &of, &d->sum);
    xt_take_(w.x, &of, &d->left);
    xt_take_(w.x, &of, &d->right);
    for (int i = 0; scales && i < 2; i++) xt_take_(w.x, &of, scales[i]);
    xt_record_(w, as, 0, result, &of, maps, sizeof maps);
}

xt_vec xt_tile_mma_(xt_where_ w, xt_mma_desc_ d)
{
    xt_vec r = xt_product_vec_(w, &d);
    if (r.id) xt_record_product_(w, XT_AS_(TILE_MMA), r.id, &d, NULL);
    return r;
}
