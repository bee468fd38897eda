/* front/moves.c - records moves of elements: broadcast, transpose, convert_layout, slice, shape_cast; blocked vectors.
 * */
#include "../internal.h"

/* Records r from v: in registers if each subgroup holds what it needs, else through local memory. */
static xt_vec xt_rearrange_(xt_where_ w, const xt_operation_ *as, const xt_vec *v, const xt_map *given,
                            const xt_map *source, const xt_source_ *from, xt_vec r)
{
    int dim = from->divisor[1] > 1;
    xt_move_ d = XT_ZERO_;
    xt_ids_ of = XT_ZERO_;
    if (!r.id) return r;
    xt_take_(w.x, &of, v);
    d.given = *given;
    d.source = *source;
    d.dim = dim;
    d.from = *from;
    if (xt_value_at_(w.x, v->id)->divergence && xt_has_map_(&r.map) && !xt_has_map_(&v->map))
        xt_fail_(w, XT_ERROR_NOT_UNIFORM, "subgroups share the result, and each has a vector %d x %d of its own",
                 v->dist.shape[0], v->dist.shape[1]);
    xt_diverges_like_(w.x, r.id, v);
    d.origin = xt_origins_(w.x, &r.dist, &v->dist, from);
    if (d.origin || from->divisor[dim] == 1 || v->dist.shape[dim] == 1)
        xt_record_(w, as, 0, r.id, &of, &d, sizeof d);
    else
        xt_fail_(w, XT_ERROR_BROADCAST_MAP, "sg_data {%d, %d} and broadcast_size %d: pieces share elements",
                 r.dist.data[0], r.dist.data[1], from->divisor[dim]);
    return r;
}

static bool xt_check_broadcast_(xt_where_ w, xt_broadcast_desc_ *d)
{
    if (!xt_check_operand_(w, "XT_BROADCAST", &d->vec, &d->source)) return false;
    d->dim = xt_dimension_(w, "XT_BROADCAST", d->dim, &d->vec);
    if (d->dim < 0) return false;
    int n = d->vec.dist.shape[d->dim];
    if (d->broadcast_size == 0 && n != 1)
        return xt_fail_(w, XT_ERROR_BROADCAST_SIZE, "dimension %d has %d elements, wanted 1 (or .broadcast_size)",
                        d->dim, n);
    if (d->broadcast_size == 0) d->broadcast_size = d->size;
    return (d->broadcast_size > 0 && d->size == (int64_t)n * d->broadcast_size) ||
           xt_fail_(w, XT_ERROR_BROADCAST_SIZE, "%d elements times broadcast_size %d is not %d", n, d->broadcast_size,
                    d->size);
}

static bool xt_broadcast_map_(xt_where_ w, xt_broadcast_desc_ *d)
{
    if (!xt_has_map_(&d->map)) {
        d->map = d->vec.map;
        if (d->vec.dist.shape[d->dim] == 1 && d->map.sg_layout[d->dim] > 1)
            return xt_fail_(w, XT_ERROR_MAP_MISSING,
                            "XT_BROADCAST along dimension %d, where sg_layout is %d: say which .map", d->dim,
                            d->map.sg_layout[d->dim]);
        d->map.sg_data[d->dim] *= d->broadcast_size;
    }
    if (xt_has_map_(&d->source)) return true;
    xt_map derived = xt_map_broadcast(&d->map, d->dim, d->broadcast_size);
    return xt_map_agrees_(w, XT_ERROR_BROADCAST_MAP, "the vector of XT_BROADCAST", &d->vec.map, &derived);
}

xt_vec xt_broadcast_(xt_where_ w, xt_broadcast_desc_ d)
{
    const int *n = d.vec.dist.shape;
    xt_source_ from = XT_SAME_ELEMENT_;
    xt_map given = d.map;
    if (!xt_check_broadcast_(w, &d) || !xt_broadcast_map_(w, &d)) return xt_no_vec_();
    xt_vec r = xt_mapped_vec_(w, d.vec.type, d.dim ? n[0] : d.size, d.dim ? d.size : n[1], &d.map);
    int inner[2] = {d.vec.inner[0], d.vec.inner[1]};
    if (inner[0]) inner[d.dim] = d.inner_blocks[d.dim] ? d.inner_blocks[d.dim] : 1;
    r = xt_blocked_(w.x, r, inner[0], inner[1]);
    from.divisor[d.dim] = d.broadcast_size;
    return xt_rearrange_(w, XT_AS_(BROADCAST), &d.vec, &given, &d.source, &from, r);
}

/* For operations made of others: each element `copies` times along dim (0: the only one, `size` times). */
XE_FN_ xt_vec xt_repeat_(xt_where_ w, const xt_vec *v, int dim, int size, int copies, const xt_map *map)
{
    xt_broadcast_desc_ d = XT_ZERO_;
    d.vec = *v;
    d.dim = dim;
    d.size = size;
    d.broadcast_size = copies;
    d.map = *map;
    return xt_broadcast_(w, d);
}

xt_vec xt_transpose_(xt_where_ w, xt_layout_desc_ d)
{
    static const xt_source_ from = {true, {1, 1}, {0, 0}, false};
    xt_map given = d.map;
    if (!xt_check_operand_(w, "XT_TRANSPOSE", &d.vec, &d.source)) return xt_no_vec_();
    if (d.vec.inner[0])
        return XT_FAIL_VEC_(w, XT_ERROR_BLOCKED,
                            "XT_TRANSPOSE has no 4-D form: inner_blocks {%d, %d}; XT_TILE_UNPACK first", d.vec.inner[0],
                            d.vec.inner[1]);
    if (!xt_has_map_(&d.map)) d.map = xt_map_transpose(&d.vec.map);
    return xt_rearrange_(w, XT_AS_(TRANSPOSE), &d.vec, &given, &d.source, &from,
                         xt_mapped_vec_(w, d.vec.type, d.vec.dist.shape[1], d.vec.dist.shape[0], &d.map));
}

XE_FN_ xt_vec xt_convert_to_(xt_where_ w, const xt_vec *v, const xt_map *map, const xt_map *source)
{
    static const xt_source_ from = XT_SAME_ELEMENT_;
    if (xt_same_map_(&v->map, map)) return *v;
    xt_vec r = xt_mapped_vec_(w, v->type, v->dist.shape[0], v->dist.shape[1], map);
    r = xt_blocked_(w.x, r, v->inner[0], v->inner[1]);
    return xt_rearrange_(w, XT_AS_(CONVERT_LAYOUT), v, map, source, &from, r);
}

xt_vec xt_convert_layout_(xt_where_ w, xt_layout_desc_ d)
{
    if (!xt_check_operand_(w, "XT_CONVERT_LAYOUT", &d.vec, &d.source)) return xt_no_vec_();
    if (xt_has_map_(&d.map)) return xt_convert_to_(w, &d.vec, &d.map, &d.source);
    return XT_FAIL_VEC_(w, XT_ERROR_MAP_MISSING, "XT_CONVERT_LAYOUT of a %d x %d vector needs .map",
                        d.vec.dist.shape[0], d.vec.dist.shape[1]);
}

/* Rearranges a vector into another shape. At work-group level its map must be given, since none follows. */
static xt_vec xt_reshaped_(xt_where_ w, const xt_operation_ *as, const char *what, const xt_slice_desc_ *d,
                           const xt_source_ *from)
{
    static const xt_map none = {{0, 0}, {0, 0}};
    const int *n = d->vec.dist.shape;
    if (xt_has_map_(&d->vec.map) && !xt_has_map_(&d->map))
        return XT_FAIL_VEC_(w, XT_ERROR_MAP_MISSING, "%s of a %d x %d vector at work-group level needs .map", what,
                            n[0], n[1]);
    return xt_rearrange_(w, as, &d->vec, &d->map, &none, from,
                         xt_mapped_vec_(w, d->vec.type, d->rows, d->cols, &d->map));
}

xt_vec xt_slice_(xt_where_ w, xt_slice_desc_ d)
{
    const xt_source_ from = {false, {1, 1}, {d.row, d.col}, false};
    const int *n = d.vec.dist.shape;
    if (!xt_check_operand_(w, "XT_SLICE", &d.vec, NULL)) return xt_no_vec_();
    if (d.vec.inner[0] || d.row < 0 || d.col < 0 || d.rows < 1 || d.cols < 1 || d.row > n[0] - d.rows ||
        d.col > n[1] - d.cols)
        return XT_FAIL_VEC_(w, d.vec.inner[0] ? XT_ERROR_BLOCKED : XT_ERROR_SLICE, "%d x %d at (%d, %d) of %d x %d",
                            d.rows, d.cols, d.row, d.col, n[0], n[1]);
    return xt_reshaped_(w, XT_AS_(SLICE), "XT_SLICE", &d, &from);
}

xt_vec xt_shape_cast_(xt_where_ w, xt_slice_desc_ d)
{
    static const xt_source_ from = {false, {1, 1}, {0, 0}, true};
    const int *n = d.vec.dist.shape;
    if (!xt_check_operand_(w, "XT_SHAPE_CAST", &d.vec, NULL)) return xt_no_vec_();
    if (d.vec.inner[0] || (int64_t)d.rows * d.cols != (int64_t)n[0] * n[1])
        return XT_FAIL_VEC_(w, d.vec.inner[0] ? XT_ERROR_BLOCKED : XT_ERROR_VEC_SHAPE,
                            "XT_SHAPE_CAST of %d x %d to %d x %d", n[0], n[1], d.rows, d.cols);
    return xt_reshaped_(w, XT_AS_(SHAPE_CAST), "XT_SHAPE_CAST", &d, &from);
}

/* ---- blocked vectors: no data moves, as registers already hold blocks ------------------------------------------- */

/* What parts have computed from v, as a new value. */
XE_FN_ xt_vec xt_rename_(xt_where_ w, const xt_operation_ *as, int kind, const xt_vec *v, const xt_vec *part,
                         const xt_move_ *d, const int inner[2])
{
    xt_ids_ of = XT_ZERO_;
    xt_vec r = *part;
    if (!r.id) return xt_no_vec_();
    memcpy(r.inner, inner, sizeof r.inner);
    r = xt_new_vec_(w.x, r.type, &r);
    xt_take_(w.x, &of, v);
    xt_take_(w.x, &of, part);
    xt_record_(w, as, kind, r.id, &of, d, sizeof *d);
    return r;
}

static xt_vec xt_reblocked_(xt_where_ w, const xt_operation_ *as, const xt_vec *v, const int inner[2])
{
    const xt_move_ d = XT_ZERO_;
    return xt_rename_(w, as, 0, v, v, &d, inner);
}

/* "out_dim[0] = in_dim[0] / inner_blocks[0]": each subgroup's piece consists of whole blocks. */
xt_vec xt_tile_pack_(xt_where_ w, xt_pack_desc_ d)
{
    const int *b = d.inner_blocks, *data = d.vec.dist.data, *has = d.vec.inner;
    if (!xt_check_operand_(w, "XT_TILE_PACK", &d.vec, NULL)) return xt_no_vec_();
    if (has[0])
        return XT_FAIL_VEC_(w, XT_ERROR_BLOCKED, "XT_TILE_PACK of a vector that has inner_blocks {%d, %d}", has[0],
                            has[1]);
    if (b[0] <= 0 || b[1] <= 0 || data[0] % b[0] || data[1] % b[1])
        return XT_FAIL_VEC_(w, XT_ERROR_BLOCKED, "XT_TILE_PACK: inner_blocks {%d, %d} of %d x %d", b[0], b[1], data[0],
                            data[1]);
    return xt_reblocked_(w, XT_AS_(TILE_PACK), &d.vec, b);
}

xt_vec xt_tile_unpack_(xt_where_ w, xt_pack_desc_ d)
{
    static const int none[2] = {0, 0};
    const int *b = d.inner_blocks, *has = d.vec.inner;
    if (!xt_check_operand_(w, "XT_TILE_UNPACK", &d.vec, NULL)) return xt_no_vec_();
    if (!has[0] || (b[0] && (b[0] != has[0] || b[1] != has[1])))
        return XT_FAIL_VEC_(w, XT_ERROR_BLOCKED, "XT_TILE_UNPACK with inner_blocks {%d, %d} of a vector with {%d, %d}",
                            b[0], b[1], has[0], has[1]);
    return xt_reblocked_(w, XT_AS_(TILE_UNPACK), &d.vec, none);
}
