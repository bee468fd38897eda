/* layout.c - operations that move elements: broadcast, transpose, convert_layout, slices; blocked vectors. */
#include "internal.h"

/* ---- moving elements --------------------------------------------------------------------------------------------- */

/* Transposes a[]: register i, lane p becomes register p, lane i. In each step, pairs of lanes swap half their data. */
static void xt_transpose_square_(xt_ctx *x, spe_id *a)
{
    spe_module *m = &x->m;
    for (int h = x->S / 2; h > 0; h /= 2) {
        spe_id bit = xt_lane_bit_(x, xt_lanes_with_(x, h));
        for (int i = 0; i < x->S; i++) {
            if (i & h) continue;
            spe_id low = a[i], high = a[i + h], other = spe_u32(m, (uint32_t)h);
            spe_id got = spe_sg_shuffle_xor(m, spe_select(m, bit, low, high), other);
            a[i] = spe_select(m, bit, got, low);
            a[i + h] = spe_select(m, bit, high, got);
        }
    }
}

/* The same elements with rows in place of columns across the lanes, square by square of S x S. */
static bool xt_transpose_field_(xt_ctx *x, xt_field_ *f, xt_field_ *out)
{
    int S = x->S, across = (f->cols + S - 1) / S, down = (f->rows + S - 1) / S, from[32];
    if (!xt_field_init_(x, out, f->rows, f->cols, across * down * S, f->type)) return false;
    for (int r = 0; r < f->rows; r += S)
        for (int c = 0; c < f->cols; c += S) {
            spe_id a[32];
            for (int i = 0; i < S; i++) {
                for (int p = 0; p < S; p++)
                    from[p] = r + i < f->rows && c + p < f->cols ? f->where[(r + i) * f->cols + c + p] : -1;
                a[i] = r + i < f->rows ? xt_pick_(x, f, from) : a[0];
            }
            xt_transpose_square_(x, a);
            for (int i = 0; i < S; i++, out->comps++) {
                out->comp[out->comps] = a[i];
                for (int p = 0; p < S; p++)
                    if (c + i < f->cols && r + p < f->rows) out->where[(r + p) * f->cols + c + i] = out->comps * 64 + p;
            }
        }
    return spe_ok(&x->m);
}

/* May memory change at this node, or a loaded value go out of scope? */
static bool xt_is_fence_(const xt_node_ *n)
{
    if (xt_does_(n->op, XT_MOVES_)) return !n->whole->origin && !n->whole->anew;
    return xt_does_(n->op, XT_CHANGES_ | XT_BOUNDS_ | XT_WAITS_);
}

/* Do two nodes have no branch, barrier or write to memory between them? */
XE_FN_ bool xt_is_straight_(xt_ctx *x, int from, int to)
{
    for (from++; from < to; from++)
        if (xt_is_fence_(xt_node_at_(x, from))) return false;
    return true;
}

/* The load that produced a vector, if memory has not changed before node `at`; else NULL. */
XE_FN_ const xt_load_desc_ *xt_loaded_(xt_ctx *x, const xt_vec *v, int at)
{
    int i = xt_value_at_(x, v->id)->node;
    const xt_node_ *load = xt_node_at_(x, i);
    const xt_load_desc_ *d = load->load;
    if (load->op != XT_OP_LOAD_TILE_ || d->padding != 0 || d->border != XT_BORDER_PADDING ||
        d->tile.type == (cm_type)XT_BOOL_)
        return NULL;
    return xt_is_straight_(x, i, at) ? d : NULL;
}

/* A pass: a loaded vector whose transpose is held by other subgroups is loaded again, transposed, instead of going
 * through local memory. Not on devices without 2D block messages, where many more loads are open at once then. A load
 * that is only transposed is left to the transpose. */
XE_FN_ void xt_find_reloads_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        xt_whole_ *d = n->whole;
        if (n->op != XT_OP_TRANSPOSE_ || !xt_loaded_(x, &d->v, i)) continue;
        const int *data = d->v.dist.data;
        int bytes = xt_bytes_(d->v.type);
        d->anew = x->target.block2d_sizes && !d->origin && data[0] * bytes % 4 == 0 && data[1] * bytes % 4 == 0;
        xt_value_at_(x, d->v.id)->late = xt_value_at_(x, d->v.id)->uses == 1;
    }
}

/* The transpose of a loaded vector's tile, as if memory had the other order; to: another distribution, or NULL. */
static xt_tile xt_turned_tile_(xt_ctx *x, const xt_tile *of, const xt_dist *to)
{
    xt_tile t = xt_now_tile_(x, of), r = t;
    r.column_major = !t.column_major;
    for (int i = 0; i < 2; i++) {
        r.shape[i] = t.shape[1 - i];
        r.offset[i] = t.offset[1 - i];
    }
    for (int i = 0; to && i < 2; i++) {
        spe_id before = xt_place_id_(x, &of->dist, i), now = xt_place_id_(x, to, 1 - i);
        spe_id move = spe_isub(&x->m, now, before), at = xt_index_id_(x, &t.offset[i]);
        r.offset[1 - i] = xt_scalar_(CM_I32, spe_iadd(&x->m, at, move), 1);
    }
    return r;
}

/* Loads a vector transposed instead of transposing it: a single message for a product's operand or 32-bit elements, and
 * no worse per lane. */
static bool xt_transpose_load_(xt_ctx *x, const xt_whole_ *how, xt_vec *r)
{
    const xt_vec *v = &how->v;
    const xt_load_desc_ *d = xt_loaded_(x, v, x->at);
    if (!d || !(how->anew || how->origin)) return false;
    if (!how->anew && (xt_dist_pieces(&v->dist) != 1 || v->dist.data[0] != r->dist.data[1])) return false;
    if (!how->anew && x->block2d && r->use == CM_ACC && xt_bytes_(v->type) != 4) return false;
    xt_remark_(x, "loaded transposed");
    xt_tile t = xt_turned_tile_(x, &d->tile, how->anew ? &r->dist : NULL);
    for (xt_block_ b = xt_blocks_(x, &r->dist); xt_next_block_(&b);) {
        cm_mem mem = xt_mem_(x, &t, &b, (int)r->use);
        r->block[b.i] = cm_load(&x->cm, b.cols, b.rows, r->type, r->use, &mem);
    }
    return true;
}

/* Records r from v: in registers if each subgroup holds what it needs, else through local memory. */
static xt_vec xt_rearrange_(xt_where_ w, xt_op_ op, const xt_vec *v, const xt_map *given,
                            const xt_map *source, const xt_source_ *from, xt_vec r)
{
    int dim = from->divisor[1] > 1;
    xt_whole_ d = XT_ZERO_;
    if (!r.id) return r;
    d.v = *v;
    d.given = *given;
    d.source = *source;
    d.dim = dim;
    d.from = *from;
    if (xt_value_at_(w.x, v->id)->spread && xt_has_map_(&r.map) && !xt_has_map_(&v->map))
        xt_fail_(w, XT_ERROR_NOT_UNIFORM, "subgroups share the result, and each has a vector %d x %d of its own",
                 v->dist.shape[0], v->dist.shape[1]);
    xt_spread_like_(w.x, r.id, v);
    d.origin = xt_origins_(w.x, &r.dist, &v->dist, from);
    if (d.origin || from->divisor[dim] == 1 || v->dist.shape[dim] == 1)
        xt_record_(w, op, 0, r.id, &d, sizeof d);
    else
        xt_fail_(w, XT_ERROR_BROADCAST_MAP, "sg_data {%d, %d} and broadcast_size %d: pieces share elements",
                 r.dist.data[0], r.dist.data[1], from->divisor[dim]);
    return r;
}

XE_FN_ void xt_write_rearrange_(xt_ctx *x, const xt_node_ *n)
{
    const xt_whole_ *d = n->whole;
    xt_vec r = xt_make_vec_(x, n), v = xt_now_vec_(x, &d->v);
    xt_field_ f;
    if (r.blocks && v.blocks && !d->origin)
        r = xt_through_scratch_(x, &v, &d->from, r);
    else if (r.blocks && v.blocks && xt_field_of_(x, &f, &v, (int)xt_held_(v.type))) {
        for (int i = 0; i < f.comps; i++) f.comp[i] = spe_reload(&x->m, f.comp[i]);
        r = xt_pick_all_(x, &f, d->origin, NULL, r);
    }
    xt_define_vec_(x, n->result, r);
}

XE_FN_ void xt_write_transpose_(xt_ctx *x, const xt_node_ *n)
{
    const xt_whole_ *d = n->whole;
    if (x->staged && xt_write_staged_(x, n)) return;
    xt_vec r = xt_make_vec_(x, n);
    xt_field_ f, t;
    if (!r.blocks || xt_transpose_load_(x, d, &r)) {
        xt_define_vec_(x, n->result, r);
    } else if (!d->origin || d->v.dist.rounds[0] * d->v.dist.data[0] <= 2 ||
               d->v.dist.rounds[1] * d->v.dist.data[1] <= 2) {
        xt_write_rearrange_(x, n);
    } else {
        xt_vec v = xt_now_vec_(x, &d->v);
        if (v.blocks && xt_field_of_(x, &f, &v, (int)xt_held_(v.type)) && xt_transpose_field_(x, &f, &t))
            r = xt_pick_all_(x, &t, d->origin, NULL, r);
        xt_define_vec_(x, n->result, r);
    }
}

/* ---- broadcast --------------------------------------------------------------------------------------------------- */

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
    xt_source_ from = XT_SAME_PLACE_;
    xt_map given = d.map;
    if (!xt_check_broadcast_(w, &d) || !xt_broadcast_map_(w, &d)) return xt_no_vec_();
    xt_vec r = xt_mapped_vec_(w, d.vec.type, d.dim ? n[0] : d.size, d.dim ? d.size : n[1], &d.map);
    memcpy(r.inner, d.vec.inner, sizeof r.inner);
    if (d.vec.inner[0]) r.inner[d.dim] = d.inner_blocks[d.dim] ? d.inner_blocks[d.dim] : 1;
    from.divisor[d.dim] = d.broadcast_size;
    return xt_rearrange_(w, XT_OP_BROADCAST_, &d.vec, &given, &d.source, &from, r);
}

/* ---- transpose --------------------------------------------------------------------------------------------------- */

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
    return xt_rearrange_(w, XT_OP_TRANSPOSE_, &d.vec, &given, &d.source, &from,
                         xt_mapped_vec_(w, d.vec.type, d.vec.dist.shape[1], d.vec.dist.shape[0], &d.map));
}

/* ---- convert_layout, slices -------------------------------------------------------------------------------------- */

XE_FN_ xt_vec xt_convert_to_(xt_where_ w, const xt_vec *v, const xt_map *map, const xt_map *source)
{
    static const xt_source_ from = XT_SAME_PLACE_;
    if (xt_same_map_(&v->map, map)) return *v;
    xt_vec r = xt_mapped_vec_(w, v->type, v->dist.shape[0], v->dist.shape[1], map);
    memcpy(r.inner, v->inner, sizeof r.inner);
    return xt_rearrange_(w, XT_OP_CONVERT_LAYOUT_, v, map, source, &from, r);
}

xt_vec xt_convert_layout_(xt_where_ w, xt_layout_desc_ d)
{
    if (!xt_check_operand_(w, "XT_CONVERT_LAYOUT", &d.vec, &d.source)) return xt_no_vec_();
    if (xt_has_map_(&d.map)) return xt_convert_to_(w, &d.vec, &d.map, &d.source);
    return XT_FAIL_VEC_(w, XT_ERROR_MAP_MISSING, "XT_CONVERT_LAYOUT of a %d x %d vector needs .map",
                        d.vec.dist.shape[0], d.vec.dist.shape[1]);
}

/* Rearranges a vector into another shape. At work-group level its map must be given, since none follows. */
static xt_vec xt_reshaped_(xt_where_ w, xt_op_ op, const char *what, const xt_slice_desc_ *d, const xt_source_ *from)
{
    static const xt_map none = {{0, 0}, {0, 0}};
    const int *n = d->vec.dist.shape;
    if (xt_has_map_(&d->vec.map) && !xt_has_map_(&d->map))
        return XT_FAIL_VEC_(w, XT_ERROR_MAP_MISSING, "%s of a %d x %d vector at work-group level needs .map", what,
                            n[0], n[1]);
    return xt_rearrange_(w, op, &d->vec, &d->map, &none, from,
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
    return xt_reshaped_(w, XT_OP_SLICE_, "XT_SLICE", &d, &from);
}

xt_vec xt_shape_cast_(xt_where_ w, xt_slice_desc_ d)
{
    static const xt_source_ from = {false, {1, 1}, {0, 0}, true};
    const int *n = d.vec.dist.shape;
    if (!xt_check_operand_(w, "XT_SHAPE_CAST", &d.vec, NULL)) return xt_no_vec_();
    if (d.vec.inner[0] || (int64_t)d.rows * d.cols != (int64_t)n[0] * n[1])
        return XT_FAIL_VEC_(w, d.vec.inner[0] ? XT_ERROR_BLOCKED : XT_ERROR_VEC_SHAPE,
                            "XT_SHAPE_CAST of %d x %d to %d x %d", n[0], n[1], d.rows, d.cols);
    return xt_reshaped_(w, XT_OP_SHAPE_CAST_, "XT_SHAPE_CAST", &d, &from);
}

/* ---- blocked vectors: no data moves, as registers already hold blocks ------------------------------------------- */

/* d->part as a new value. */
XE_FN_ xt_vec xt_rename_(xt_where_ w, xt_op_ op, int kind, const xt_whole_ *d, const int inner[2])
{
    xt_vec r = d->part;
    if (!r.id) return xt_no_vec_();
    memcpy(r.inner, inner, sizeof r.inner);
    r = xt_new_vec_(w.x, r.type, &r);
    xt_record_(w, op, kind, r.id, d, sizeof *d);
    return r;
}

static xt_vec xt_reblocked_(xt_where_ w, xt_op_ op, const xt_vec *v, const int inner[2])
{
    xt_whole_ d = XT_ZERO_;
    d.v = d.part = *v;
    return xt_rename_(w, op, 0, &d, inner);
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
    return xt_reblocked_(w, XT_OP_TILE_PACK_, &d.vec, b);
}

xt_vec xt_tile_unpack_(xt_where_ w, xt_pack_desc_ d)
{
    static const int none[2] = {0, 0};
    const int *b = d.inner_blocks, *has = d.vec.inner;
    if (!xt_check_operand_(w, "XT_TILE_UNPACK", &d.vec, NULL)) return xt_no_vec_();
    if (!has[0] || (b[0] && (b[0] != has[0] || b[1] != has[1])))
        return XT_FAIL_VEC_(w, XT_ERROR_BLOCKED, "XT_TILE_UNPACK with inner_blocks {%d, %d} of a vector with {%d, %d}",
                            b[0], b[1], has[0], has[1]);
    return xt_reblocked_(w, XT_OP_TILE_UNPACK_, &d.vec, none);
}
