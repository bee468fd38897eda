/* front/reduction.c - records reductions. */
#include "../internal.h"

/* For XT_REDUCTION and other operations along a dimension. */
XE_FN_ bool xt_check_reduction_(xt_where_ w, const char *what, int kind, xt_reduction_desc_ *d)
{
    const xt_red_row_ *row = xt_red_info_(kind);
    int type = (int)d->vec.type;
    if (!xt_check_operand_(w, what, &d->vec, &d->source)) return false;
    d->dim = xt_dimension_(w, what, d->dim, &d->vec);
    if (d->dim < 0) return false;
    int n = d->vec.dist.shape[d->dim];
    if (type == XT_BOOL_ || xt_is_small_(type) || !(row->takes & (xt_is_float_(type) ? XT_RMW_FLOAT_ : XT_RMW_INT_)))
        return xt_fail_(w, XT_ERROR_REDUCTION_KIND, "%s of %s", row->name, xt_type_name_(type));
    if (d->reduction_size == 0) d->reduction_size = n;
    return (d->reduction_size > 0 && n % d->reduction_size == 0) ||
           xt_fail_(w, XT_ERROR_REDUCTION_SIZE, "reduction_size %d, the dimension has %d", d->reduction_size, n);
}

static int xt_common_divisor_(int a, int b) { return b ? xt_common_divisor_(b, a % b) : a; }

/* The result's map: given or derived; it must fit the result. If .source is given too, data may move; else given and
 * derived must agree. */
static bool xt_reduction_map_(xt_where_ w, xt_reduction_desc_ *d)
{
    xt_map derived = xt_map_reduction(&d->vec.map, d->dim, d->reduction_size);
    bool split = d->vec.dist.data[d->dim] % d->reduction_size != 0;
    int shape[2] = {d->vec.dist.shape[0], d->vec.dist.shape[1]};
    xt_dist fit;
    if (!xt_has_map_(&d->map)) d->map = derived;
    if (split) derived.sg_data[d->dim] = d->map.sg_data[d->dim];
    shape[d->dim] /= d->reduction_size;
    return (xt_has_map_(&d->source) ||
            xt_map_agrees_(w, XT_ERROR_REDUCTION_MAP, ".map of XT_REDUCTION", &d->map, &derived)) &&
           xt_distribute_(w, &fit, shape[0], shape[1], &d->map);
}

static xt_vec xt_reduction_step_(xt_where_ w, const xt_vec *v, int kind, int dim, int size, const xt_map *map,
                                 int type)
{
    const int *n = v->dist.shape;
    xt_vec r = xt_mapped_vec_(w, (cm_type)type, dim ? n[0] : n[0] / size, dim ? n[1] / size : n[1], map);
    xt_move_ d = XT_ZERO_;
    xt_ids_ of = XT_ZERO_;
    d.dim = dim;
    d.size = size;
    xt_diverges_like_(w.x, r.id, v);
    xt_take_(w.x, &of, v);
    if (r.id) xt_record_(w, XT_AS_(REDUCE), kind, r.id, &of, &d, sizeof d);
    return r;
}

/* Groups within a subgroup's pieces are reduced there. Otherwise each subgroup reduces its part of them; then the parts
 * are redistributed, so that each subgroup has whole groups, and reduced. Until then sums and products stay f32. */
xt_vec xt_reduction_(xt_where_ w, int kind, xt_reduction_desc_ d)
{
    xt_move_ move = XT_ZERO_;
    int inner[2];
    move.given = d.map;
    move.source = d.source;
    if (!xt_check_reduction_(w, "XT_REDUCTION", kind, &d) || !xt_reduction_map_(w, &d)) return xt_no_vec_();
    move.dim = d.dim;
    move.size = d.reduction_size;
    w.x->part++;
    int part = xt_common_divisor_(d.vec.dist.data[d.dim], d.reduction_size);
    int rest = d.reduction_size / part, type = (int)d.vec.type;
    spe_arith_op op = xt_red_info_(kind)->op;
    int part_type = rest > 1 && (op == SPE_ARITH_ADD || op == SPE_ARITH_MUL) ? xt_wide_type_(type) : type;
    xt_map map = xt_map_reduction(&d.vec.map, d.dim, part);
    xt_vec result = xt_reduction_step_(w, &d.vec, kind, d.dim, part, &map, part_type);
    if (rest > 1 || !xt_same_map_(&map, &d.map)) {
        map = d.map;
        if (xt_has_map_(&map)) map.sg_data[d.dim] *= rest;
        if (result.id) result = xt_convert_to_(w, &result, &map, &result.map);
        if (rest > 1 && result.id) result = xt_reduction_step_(w, &result, kind, d.dim, rest, &d.map, type);
    }
    w.x->part--;
    for (int i = 0; i < 2; i++) inner[i] = d.vec.inner[0] ? (i == d.dim ? 1 : d.vec.inner[i]) : 0;
    return xt_rename_(w, XT_AS_(REDUCTION), kind, &d.vec, &result, &move, inner);
}

/* For operations made of others: with `size` neighbours along dim in each group (0: all), and the map that follows. */
XE_FN_ xt_vec xt_reduced_(xt_where_ w, int kind, const xt_vec *v, int dim, int size)
{
    xt_reduction_desc_ d = XT_ZERO_;
    d.vec = *v;
    d.dim = dim;
    d.reduction_size = size;
    return xt_reduction_(w, kind, d);
}
