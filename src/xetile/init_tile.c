/* init_tile.c - init_tile. */
#include "internal.h"

/* inner_blocks cut each subgroup's piece: the vector of such a tile counts as 4-D. */
static bool xt_tile_blocks_(xt_where_ w, xt_tile *t, const int blocks[2])
{
    const int *data = t->dist.data;
    t->inner[0] = blocks[0];
    t->inner[1] = blocks[1];
    if (!blocks[0] && !blocks[1]) return true;
    if (blocks[0] > 0 && blocks[1] > 0 && data[0] % blocks[0] == 0 && data[1] % blocks[1] == 0) return true;
    xt_fail_(w, XT_ERROR_INNER_BLOCKS, "{%d, %d} of a subgroup's %d x %d", blocks[0], blocks[1], data[0], data[1]);
    return false;
}

/* All offsets, extents and strides are 32-bit integers. */
static bool xt_tile_indices_(xt_where_ w, const xt_tile_desc_ *d)
{
    static const char *const names[3][4] = {
#define XT_NAMES_(list) {list ", first", list ", second", list ", third", list ", fourth"}
        XT_NAMES_(".offset"), XT_NAMES_(".shape"), XT_NAMES_(".strides")
#undef XT_NAMES_
    };
    const xt_index *lists[3];
    int i, j;
    lists[0] = &d->offset;
    lists[1] = &d->shape;
    lists[2] = &d->strides;
    for (i = 0; i < 3; i++)
        for (j = 0; j < lists[i]->n; j++) xt_index_id_(w, &lists[i]->v[j], names[i][j]);
    return spe_ok(&w.x->m);
}

/* Products and sums of strides in 64 bits. */
static xt_val xt_wide_(xt_where_ w, xt_val v)
{
    return v.kind == XT_SCALAR_ && xt_bits_(v.type) < 64 ? xt_cast_number_(w, CM_I64, &v) : v;
}

/* How far matrix (offset[0], ...) of a base with leading dimensions is from the first one, in elements. */
static xt_val xt_leading_distance_(xt_where_ w, const xt_tile *t, const xt_tile_desc_ *d)
{
    xt_val sum = xt_int_(0), stride = xt_wide_(w, t->pitch), term;
    int i, n = d->shape.n;
    stride = xt_binary_number_(w, SPE_ARITH_MUL, stride, xt_wide_(w, t->shape[1 - xt_inner_(t)]));
    for (i = n - 3; i >= 0; i--) {
        if (d->strides.n) stride = xt_wide_(w, d->strides.v[i]);
        term = xt_binary_number_(w, SPE_ARITH_MUL, stride, xt_wide_(w, d->offset.v[i]));
        sum = xt_binary_number_(w, SPE_ARITH_ADD, sum, term);
        if (!d->strides.n) stride = xt_binary_number_(w, SPE_ARITH_MUL, stride, xt_wide_(w, d->shape.v[i]));
    }
    return sum;
}

/* What the plan must know: the matrix is one of the base's, and aligned as the base is. */
static void xt_plan_leading_(xt_ctx *x, const xt_tile *t, const xt_tile_desc_ *d, const xt_val *distance)
{
    int i, per = 64 / cm_type_info(xt_held_(t->type))->bytes, e;
    for (i = 0; i < d->shape.n - 2; i++) {
        const xt_val *at = &d->offset.v[i], *extent = &d->shape.v[i];
        int p = xt_expr_of_(x, at), q = xt_expr_of_(x, extent);
        if (at->kind == XT_INT_ && extent->kind == XT_INT_ && at->i >= 0 && at->i < extent->i) continue;
        xt_plan_need_(x, t, q ? p : 0, 0, q);
    }
    if (xt_val_align_(distance) >= per) return;
    e = xt_note_of_(x, distance).expression;
    if (e) e = xt_new_expr_(x, XT_EXPR_CAST_, 1, CM_I32, e, 0, 0);
    xt_plan_need_(x, t, e, per - 1, 0);
}

/* Leading dimensions choose one matrix of several; where there is none of that number, it has no rows. */
static void xt_leading_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    xt_ctx *x = w.x;
    int i, n = d->shape.n - 2;
    xt_val distance;
    spe_id inside = 0, rows;
    if (n < 1) return;
    distance = xt_leading_distance_(w, t, d);
    if (x->planning) xt_plan_leading_(x, t, d, &distance);
    rows = xt_index_id_(w, &t->shape[0], ".shape");
    if (!x->planning) {
        bool tested = x->block2d && xt_plan_tile_at_(x, xt_tile_root_(x, t->node))->possible;
        for (i = 0; i < n && !tested; i++) {
            spe_id at = xt_index_id_(w, &d->offset.v[i], ".offset"), end = xt_index_id_(w, &d->shape.v[i], ".shape");
            spe_id one = spe_ult(&x->m, at, end);
            inside = inside ? spe_land(&x->m, inside, one) : one;
        }
        if (inside) rows = spe_select(&x->m, inside, rows, spe_i32(&x->m, 0));
        t->base.id = spe_index(&x->m, t->base.id, xt_id_(w, &distance, CM_I64, "the distance"));
    } else {
        t->base.id = ++x->serial;
    }
    t->shape[0] = xt_scalar_(x, CM_I32, rows, 1, 0);
}

/* A tile whose elements have an offset each. */
static xt_tile xt_init_scatter_(xt_where_ w, xt_tile t, const xt_tile_desc_ *d)
{
    const xt_vec *v = &d->scatter;
    if (!xt_check_vec_(w, v, ".scatter") || !xt_tile_base_(w, &t, d)) return xt_no_tile_();
    if (!xt_is_int_(v->type) || xt_bits_(v->type) < 32) {
        xt_fail_(w, XT_ERROR_SCATTER_TYPE, "got %s", xt_type_name_(v->type));
        return xt_no_tile_();
    }
    if (d->rows != v->dist.shape[0] || d->cols != v->dist.shape[1] || d->shape.n != 1) {
        xt_fail_(w, XT_ERROR_SCATTER_SHAPE, "tile %d x %d, offsets %d x %d, .shape of %d dimensions", d->rows, d->cols,
                 v->dist.shape[0], v->dist.shape[1], d->shape.n);
        return xt_no_tile_();
    }
    if (xt_has_map_(&d->map) && !xt_same_map_(&d->map, &v->map)) {
        xt_fail_(w, XT_ERROR_SCATTER_MAP,
                 "tile sg_layout {%d, %d} sg_data {%d, %d}, offsets sg_layout {%d, %d} sg_data {%d, %d}",
                 d->map.sg_layout[0], d->map.sg_layout[1], d->map.sg_data[0], d->map.sg_data[1], v->map.sg_layout[0],
                 v->map.sg_layout[1], v->map.sg_data[0], v->map.sg_data[1]);
        return xt_no_tile_();
    }
    xt_index_id_(w, &d->shape.v[0], ".shape");
    t.scatter = true;
    t.map = v->map;
    t.dist = v->dist;
    t.offsets = *v;
    t.offset[0] = t.offset[1] = t.pitch = xt_int_(0);
    t.shape[0] = xt_int_(1);
    t.shape[1] = d->shape.v[0];
    xt_need_layout_(w.x, v, CM_ACC, false);
    return t;
}

/* Notes where a tile starts, and when writing what it is made of: what becomes of it may be known before the body. */
static void xt_note_tile_(xt_where_ w, const xt_tile *t, const xt_tile_desc_ *d)
{
    xt_plan_tile_ *p = xt_plan_tile_at_(w.x, t->node);
    int i;
    if (!w.x->planning) {
        xt_tile_ids_(w, t, p->made);
        return;
    }
    for (i = 0; i < 2 && d->shape.n == 2; i++) p->origin[i] = xt_expr_of_(w.x, &d->offset.v[i]);
}

xt_tile xt_init_tile_(xt_where_ w, xt_tile_desc_ d)
{
    xt_ctx *x = w.x;
    xt_tile t = xt_no_tile_();
    xt_val zero = xt_int_(0);
    int i;
    if (!xt_enter_(w, XT_OP_INIT_TILE_)) return t;
    t.type = (cm_type)d.type;
    t.map = d.map;
    t.inside = d.inside;
    if (d.offset.n == 0) d.offset = xt_at_(d.shape.n ? d.shape.n : 2, zero, zero, zero, zero);
    if (d.scatter.magic) return xt_init_scatter_(w, t, &d);
    if (!xt_distribute_(w, &t.dist, d.rows, d.cols, &d.map) || !xt_tile_blocks_(w, &t, d.inner_blocks) ||
        !xt_tile_order_(w, &t, d.order) || !xt_tile_shape_(w, &t, &d) || !xt_tile_base_(w, &t, &d) ||
        !xt_tile_indices_(w, &d))
        return xt_no_tile_();
    t.node = x->tile_count++;
    if (x->planning) xt_plan_tile_describe_(x, &t);
    if (t.node >= x->tiles.count) {
        if (spe_ok(&x->m)) xt_fail_(w, XT_ERROR_NOT_REPEATABLE, "more tiles than the first time");
        return t;
    }
    xt_leading_(w, &t, &d);
    d.offset.v[0] = d.offset.v[d.offset.n - 2];
    d.offset.v[1] = d.offset.v[d.offset.n - 1];
    xt_plan_step_(x, &t, &d.offset.v[xt_inner_(&t)]);
    xt_plan_forward_(x, &t, &d.offset.v[xt_inner_(&t)]);
    for (i = 0; i < 2; i++) {
        xt_val place = xt_subgroup_place_(x, &t.dist, i);
        if (i == xt_inner_(&t)) xt_plan_step_(x, &t, &place);
        t.offset[i] = xt_binary_number_(w, SPE_ARITH_ADD, d.offset.v[i], place);
    }
    if (t.dist.subgroups > 1 && !t.base.local) xt_note_tile_(w, &t, &d);
    return t;
}

bool xt_check_tile_(xt_where_ w, const xt_tile *t, const char *what)
{
    if (t->magic == XT_TILE_MAGIC_) return true;
    xt_fail_(w, XT_ERROR_UNSET, "%s", what);
    return false;
}

/* A tile that is no scatter tile. */
bool xt_check_regular_(xt_where_ w, const xt_tile *t, const char *what)
{
    if (!xt_check_tile_(w, t, what)) return false;
    if (t->scatter)
        xt_fail_(w, XT_ERROR_SCATTER, "%s is a scatter tile %d x %d", what, t->dist.shape[0], t->dist.shape[1]);
    return !t->scatter;
}

xt_tile xt_update_tile_offset_(xt_where_ w, xt_tile t, xt_val rows, xt_val cols)
{
    if (!xt_enter_(w, XT_OP_UPDATE_TILE_OFFSET_) || !xt_check_regular_(w, &t, "the tile of XT_UPDATE_TILE_OFFSET"))
        return xt_no_tile_();
    xt_index_id_(w, &rows, "the row offset");
    xt_index_id_(w, &cols, "the column offset");
    if (!spe_ok(&w.x->m)) return xt_no_tile_();
    xt_plan_step_(w.x, &t, xt_inner_(&t) ? &cols : &rows);
    xt_plan_forward_(w.x, &t, xt_inner_(&t) ? &cols : &rows);
    t.offset[0] = xt_binary_number_(w, SPE_ARITH_ADD, t.offset[0], rows);
    t.offset[1] = xt_binary_number_(w, SPE_ARITH_ADD, t.offset[1], cols);
    return t;
}
