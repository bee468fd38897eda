/* layout.c - broadcast, transpose, convert_layout, slices. */
#include "internal.h"

/* r from v, when every subgroup holds what it needs: element (i, j) of r is v's (i / divisor[0], j / divisor[1]), or
 * that of the transposed. False when one does not. */
static bool xt_from_own_(xt_ctx *x, const xt_vec *v, xt_vec *r, bool transposed, const int divisor[2],
                         const int factor[2], const int shift[2])
{
    xt_origin_ o;
    xt_field_ f;
    if (!xt_origins_(x, &o, &r->dist, &v->dist, transposed, divisor, factor, shift)) return false;
    if (x->planning || !r->blocks || !v->blocks) return true;
    if (xt_field_of_(x, &f, v, (int)xt_held_(v->type))) *r = xt_pick_all_(x, &f, &o, *r);
    return true;
}

/* ---- broadcast */

static bool xt_broadcast_checks_(xt_where_ w, xt_broadcast_desc_ *d)
{
    int n, had = d->broadcast_size;
    if (!xt_check_vec_(w, &d->v, "the vector of XT_BROADCAST")) return false;
    d->dim = xt_dimension_(w, "XT_BROADCAST", d->dim, &d->v);
    if (d->dim < 0) return false;
    n = d->v.dist.shape[d->dim];
    if (had == 0 && n != 1) {
        xt_fail_(w, XT_ERROR_BROADCAST_SIZE, "dimension %d has %d elements, wanted 1 (or .broadcast_size)", d->dim, n);
        return false;
    }
    if (had == 0) d->broadcast_size = d->size;
    if (d->broadcast_size < 1 || d->size != n * d->broadcast_size) {
        xt_fail_(w, XT_ERROR_BROADCAST_SIZE, "%d elements times broadcast_size %d is not %d", n, d->broadcast_size,
                 d->size);
        return false;
    }
    return xt_check_source_(w, "the vector of XT_BROADCAST", &d->source, &d->v);
}

xt_map xt_map_broadcast(const xt_map *result, int dim, int broadcast_size)
{
    xt_map m = *result;
    if (xt_has_map_(&m)) m.sg_data[dim] = m.sg_data[dim] < broadcast_size ? 1 : m.sg_data[dim] / broadcast_size;
    return m;
}

static bool xt_broadcast_map_(xt_where_ w, xt_broadcast_desc_ *d)
{
    xt_map derived;
    if (!xt_has_map_(&d->map)) {
        d->map = d->v.map;
        if (xt_has_map_(&d->map) && d->v.dist.shape[d->dim] == 1 && d->map.sg_layout[d->dim] > 1) {
            xt_fail_(w, XT_ERROR_MAP_MISSING, "XT_BROADCAST along dimension %d, where sg_layout is %d: say which .map",
                     d->dim, d->map.sg_layout[d->dim]);
            return false;
        }
        d->map.sg_data[d->dim] *= d->broadcast_size;
    }
    if (xt_has_map_(&d->source)) return true;
    derived = xt_map_broadcast(&d->map, d->dim, d->broadcast_size);
    return xt_map_agrees_(w, XT_ERROR_BROADCAST_MAP, "the vector of XT_BROADCAST", &d->v.map, &derived);
}

xt_vec xt_broadcast_(xt_where_ w, xt_broadcast_desc_ d)
{
    static const int none[2] = {0, 0};
    int divisor[2] = {1, 1}, factor[2] = {1, 1}, shape[2];
    xt_dist dist;
    xt_vec r;
    xt_scratch_ s;
    if (!xt_enter_(w, XT_OP_BROADCAST_) || !xt_broadcast_checks_(w, &d) || !xt_broadcast_map_(w, &d))
        return xt_no_vec_();
    shape[0] = d.v.dist.shape[0];
    shape[1] = d.v.dist.shape[1];
    shape[d.dim] = d.size;
    if (!xt_distribute_(w, &dist, shape[0], shape[1], &d.map)) return xt_no_vec_();
    r = xt_new_vec_(w, d.v.type, &dist, &d.map);
    r.inner[0] = d.v.inner[0];
    r.inner[1] = d.v.inner[1];
    if (d.v.inner[0]) r.inner[d.dim] = d.inner_blocks[d.dim] ? d.inner_blocks[d.dim] : 1;
    if (!spe_ok(&w.x->m)) return r;
    divisor[d.dim] = d.broadcast_size;
    if (xt_from_own_(w.x, &d.v, &r, false, divisor, factor, none)) return r;
    if (d.v.dist.shape[d.dim] != 1) {
        xt_fail_(w, XT_ERROR_BROADCAST_MAP, "sg_data {%d, %d} and broadcast_size %d: pieces share elements",
                 dist.data[0], dist.data[1], d.broadcast_size);
        return r;
    }
    xt_scratch_init_(&s, &d.v, false);
    s.stride[d.dim] = 0;
    return xt_through_scratch_(w, &d.v, &s, r);
}

/* ---- transpose */

xt_map xt_map_transpose(const xt_map *map)
{
    xt_map m;
    m.sg_layout[0] = map->sg_layout[1];
    m.sg_layout[1] = map->sg_layout[0];
    m.sg_data[0] = map->sg_data[1];
    m.sg_data[1] = map->sg_data[0];
    return m;
}

/* Register i, lane p of a[] becomes register p, lane i: each step exchanges half of what a pair of lanes has. */
static void xt_transpose_square_(xt_ctx *x, spe_id *a)
{
    spe_module *m = &x->m;
    int h, i;
    for (h = x->S / 2; h > 0; h /= 2) {
        uint32_t mask = 0;
        spe_id bit;
        for (i = 0; i < x->S; i++) mask |= i & h ? 1u << i : 0;
        bit = xt_lane_bit_(x, mask);
        for (i = 0; i < x->S; i++) {
            spe_id low = a[i], high, got;
            if (i & h) continue;
            high = a[i + h];
            got = spe_sg_shuffle_xor(m, spe_select(m, bit, low, high), spe_u32(m, (uint32_t)h));
            a[i] = spe_select(m, bit, got, low);
            a[i + h] = spe_select(m, bit, high, got);
        }
    }
}

/* The transposed field, square by square of S x S. */
static bool xt_transpose_field_(xt_ctx *x, const xt_field_ *f, xt_field_ *out)
{
    int S = x->S, across = (f->cols + S - 1) / S, down = (f->rows + S - 1) / S, r, c, i, p, from[32];
    xt_moves_ moves;
    if (!xt_field_init_(x, out, f->cols, f->rows, across * down * S, f->type) || !xt_moves_init_(x, &moves, f))
        return false;
    for (r = 0; r < f->rows; r += S)
        for (c = 0; c < f->cols; c += S) {
            spe_id a[32];
            for (i = 0; i < S; i++) {
                for (p = 0; p < S; p++)
                    from[p] = r + i < f->rows && c + p < f->cols ? f->where[(r + i) * f->cols + c + p] : -1;
                a[i] = r + i < f->rows ? xt_pick_(x, f, &moves, from) : a[0];
            }
            xt_transpose_square_(x, a);
            for (i = 0; i < S; i++, out->comps++) {
                out->comp[out->comps] = a[i];
                for (p = 0; p < S; p++)
                    if (c + i < f->cols && r + p < f->rows) out->where[(c + i) * f->rows + r + p] = out->comps * 64 + p;
            }
        }
    return spe_ok(&x->m);
}

/* A vector that was loaded just now can be loaded transposed instead, as from memory of the other order: that is one
 * message where a product wants its packed operand, or elements are 32 bits, and no worse a lane at a time. (The first
 * load is left without a use then, and the device's compiler drops it.) */
static bool xt_transpose_load_(xt_where_ w, const xt_vec *v, xt_vec *r)
{
    xt_ctx *x = w.x;
    const xt_load_desc_ *d = (const xt_load_desc_ *)v->loaded;
    int bytes = cm_type_info(xt_held_(v->type))->bytes, i;
    xt_grid_ g;
    if (!d || v->operation + 1 != x->operations || d->padding != 0 || d->tile.type == (cm_type)XT_BOOL_) return false;
    if (v->dist.rounds[0] * v->dist.rounds[1] != 1 || v->dist.data[0] != r->dist.data[1]) return false;
    if (x->block2d && r->use != CM_A && bytes != 4) return false;
    xt_grid_init_(&g, &r->dist);
    for (i = 0; i < g.blocks; i++) {
        xt_block_ b = xt_block_at_(&g, i), source = b;
        cm_mem mem;
        spe_id swap;
        source.row = b.col;
        source.col = b.row;
        mem = xt_mem_(w, &d->tile, &source);
        swap = mem.rows, mem.rows = mem.cols, mem.cols = swap;
        swap = mem.row, mem.row = mem.col, mem.col = swap;
        swap = mem.stride_row, mem.stride_row = mem.stride_col, mem.stride_col = swap;
        r->block[i] = cm_load(&x->cm, b.cols, b.rows, r->type, r->use, &mem);
    }
    return true;
}

/* In registers when every subgroup holds what it needs. */
static bool xt_transpose_own_(xt_where_ w, const xt_vec *v, xt_vec *r)
{
    xt_ctx *x = w.x;
    static const int one[2] = {1, 1}, none[2] = {0, 0};
    xt_origin_ o;
    xt_field_ f, t;
    if (!xt_origins_(x, &o, &r->dist, &v->dist, true, one, one, none)) return false;
    if (x->planning || !r->blocks || !v->blocks || xt_transpose_load_(w, v, r)) return true;
    if (!xt_field_of_(x, &f, v, (int)xt_held_(v->type))) return true;
    if (f.rows <= 2 || f.cols <= 2) {
        *r = xt_pick_all_(x, &f, &o, *r);
    } else if (xt_transpose_field_(x, &f, &t)) {
        o.transposed = false;
        *r = xt_pick_all_(x, &t, &o, *r);
    }
    return true;
}

xt_vec xt_transpose_(xt_where_ w, xt_layout_desc_ d)
{
    xt_dist dist;
    xt_vec r;
    xt_scratch_ s;
    if (!xt_enter_(w, XT_OP_TRANSPOSE_) || !xt_check_vec_(w, &d.v, "the vector of XT_TRANSPOSE") ||
        !xt_check_source_(w, "the vector of XT_TRANSPOSE", &d.source, &d.v))
        return xt_no_vec_();
    if (d.v.inner[0]) {
        xt_fail_(w, XT_ERROR_BLOCKED, "XT_TRANSPOSE has no 4-D form: inner_blocks {%d, %d}; XT_TILE_UNPACK first",
                 d.v.inner[0], d.v.inner[1]);
        return xt_no_vec_();
    }
    if (!xt_has_map_(&d.map)) d.map = xt_map_transpose(&d.v.map);
    if (!xt_distribute_(w, &dist, d.v.dist.shape[1], d.v.dist.shape[0], &d.map)) return xt_no_vec_();
    r = xt_new_vec_(w, d.v.type, &dist, &d.map);
    if (!spe_ok(&w.x->m) || xt_transpose_own_(w, &d.v, &r)) return r;
    xt_scratch_init_(&s, &d.v, true);
    return xt_through_scratch_(w, &d.v, &s, r);
}

/* ---- convert_layout, slices */

/* Rows row .., columns col .. of v, distributed by another map. */
static xt_vec xt_window_(xt_where_ w, const xt_vec *v, const int at[2], const int shape[2], const xt_map *map)
{
    static const int one[2] = {1, 1};
    xt_ctx *x = w.x;
    xt_dist dist;
    xt_scratch_ s;
    xt_vec r;
    if (!xt_distribute_(w, &dist, shape[0], shape[1], map)) return xt_no_vec_();
    r = xt_new_vec_(w, v->type, &dist, map);
    if (!spe_ok(&x->m) || xt_from_own_(x, v, &r, false, one, one, at)) return r;
    xt_scratch_init_(&s, v, false);
    s.shift[0] = at[0];
    s.shift[1] = at[1];
    return xt_through_scratch_(w, v, &s, r);
}

xt_vec xt_convert_to_(xt_where_ w, const xt_vec *v, const xt_map *map)
{
    static const int none[2] = {0, 0};
    xt_vec r;
    if (xt_same_map_(&v->map, map)) return *v;
    r = xt_window_(w, v, none, v->dist.shape, map);
    r.inner[0] = v->inner[0];
    r.inner[1] = v->inner[1];
    return r;
}

xt_vec xt_convert_layout_(xt_where_ w, xt_layout_desc_ d)
{
    if (!xt_enter_(w, XT_OP_CONVERT_LAYOUT_) || !xt_check_vec_(w, &d.v, "the vector of XT_CONVERT_LAYOUT") ||
        !xt_check_source_(w, "the vector of XT_CONVERT_LAYOUT", &d.source, &d.v))
        return xt_no_vec_();
    if (!xt_has_map_(&d.map)) {
        xt_fail_(w, XT_ERROR_MAP_MISSING, "XT_CONVERT_LAYOUT of a %d x %d vector needs .map", d.v.dist.shape[0],
                 d.v.dist.shape[1]);
        return xt_no_vec_();
    }
    return xt_convert_to_(w, &d.v, &d.map);
}

xt_vec xt_slice_(xt_where_ w, xt_slice_desc_ d)
{
    int at[2], shape[2];
    if (!xt_enter_(w, XT_OP_SLICE_) || !xt_check_vec_(w, &d.v, "the vector of XT_SLICE")) return xt_no_vec_();
    at[0] = d.row;
    at[1] = d.col;
    shape[0] = d.rows;
    shape[1] = d.cols;
    if (d.v.inner[0] || d.row < 0 || d.col < 0 || d.rows < 1 || d.cols < 1 || d.row > d.v.dist.shape[0] - d.rows ||
        d.col > d.v.dist.shape[1] - d.cols) {
        xt_fail_(w, d.v.inner[0] ? XT_ERROR_BLOCKED : XT_ERROR_SLICE, "%d x %d at (%d, %d) of %d x %d", d.rows, d.cols,
                 d.row, d.col, d.v.dist.shape[0], d.v.dist.shape[1]);
        return xt_no_vec_();
    }
    if (xt_has_map_(&d.v.map) && !xt_has_map_(&d.map)) {
        xt_fail_(w, XT_ERROR_MAP_MISSING, "XT_SLICE of a %d x %d vector at work-group level needs .map",
                 d.v.dist.shape[0], d.v.dist.shape[1]);
        return xt_no_vec_();
    }
    return xt_window_(w, &d.v, at, shape, &d.map);
}

/* ---- blocked vectors --------------------------------------------------------------------------------------------- */

/* "out_dim[0] = in_dim[0] / inner_blocks[0]": each subgroup's piece is whole blocks. */
static bool xt_inner_fits_(xt_where_ w, const char *what, const int inner[2], const xt_dist *d)
{
    if (inner[0] > 0 && inner[1] > 0 && d->data[0] % inner[0] == 0 && d->data[1] % inner[1] == 0) return true;
    xt_fail_(w, XT_ERROR_BLOCKED, "%s: inner_blocks {%d, %d} of %d x %d", what, inner[0], inner[1], d->data[0],
             d->data[1]);
    return false;
}

xt_vec xt_tile_pack_(xt_where_ w, xt_pack_desc_ d)
{
    xt_vec r = d.v;
    if (!xt_enter_(w, XT_OP_TILE_PACK_) || !xt_check_vec_(w, &d.v, "the vector of XT_TILE_PACK")) return xt_no_vec_();
    if (d.v.inner[0]) {
        xt_fail_(w, XT_ERROR_BLOCKED, "XT_TILE_PACK of a vector that has inner_blocks {%d, %d}", d.v.inner[0],
                 d.v.inner[1]);
        return xt_no_vec_();
    }
    if (!xt_inner_fits_(w, "XT_TILE_PACK", d.inner_blocks, &d.v.dist)) return xt_no_vec_();
    r.inner[0] = d.inner_blocks[0];
    r.inner[1] = d.inner_blocks[1];
    return r;
}

xt_vec xt_tile_unpack_(xt_where_ w, xt_pack_desc_ d)
{
    xt_vec r = d.v;
    if (!xt_enter_(w, XT_OP_TILE_UNPACK_) || !xt_check_vec_(w, &d.v, "the vector of XT_TILE_UNPACK"))
        return xt_no_vec_();
    if (!d.v.inner[0] ||
        (d.inner_blocks[0] && (d.inner_blocks[0] != d.v.inner[0] || d.inner_blocks[1] != d.v.inner[1]))) {
        xt_fail_(w, XT_ERROR_BLOCKED, "XT_TILE_UNPACK with inner_blocks {%d, %d} of a vector with {%d, %d}",
                 d.inner_blocks[0], d.inner_blocks[1], d.v.inner[0], d.v.inner[1]);
        return xt_no_vec_();
    }
    r.inner[0] = r.inner[1] = 0;
    return r;
}
