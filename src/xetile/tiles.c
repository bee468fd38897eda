/* tiles.c - tiles: local memory, init_tile, update_tile_offset, and what their 2D block messages need. */
#include "internal.h"

XE_FN_ xt_tile xt_no_tile_(void)
{
    xt_tile t;
    memset(&t, 0, sizeof t);
    t.magic = XT_TILE_MAGIC_;
    return t;
}

/* The contiguous dimension. */
XE_FN_ int xt_inner_(const xt_tile *t) { return t->column_major ? 0 : 1; }

/* Is there a tile, of the kind that is wanted? */
XE_FN_ bool xt_check_tile_(xt_where_ w, const xt_tile *t, bool scatter, const char *what)
{
    if (t->magic != XT_TILE_MAGIC_) return xt_fail_(w, XT_ERROR_UNSET, "%s", what);
    return t->scatter == scatter ||
           xt_fail_(w, scatter ? XT_ERROR_NO_SCATTER : XT_ERROR_SCATTER, "%s is a %stile %d x %d%s", what,
                    scatter ? "" : "scatter ", t->dist.shape[0], t->dist.shape[1],
                    scatter ? " made without .scatter" : "");
}

/* ---- local memory ------------------------------------------------------------------------------------------------ */

/* The first element of an array in local memory, which is made before the body so that every version may use it. */
static spe_id xt_emit_local_(xt_ctx *x, int type, int64_t elements)
{
    spe_module *m = &x->m;
    spe_id zero = spe_u32(m, 0), p, array;
    uint32_t align = XT_LOCAL_ALIGN_;
    array = spe_array(m, xt_spe_type_(x, xt_held_(type)), (uint32_t)elements);
    spe_prologue_begin(m);
    p = spe_shared_var(m, array);
    spe_decorate(m, p, SPE_DecorationAlignment, 1, &align);
    p = spe_element(m, p, 1, &zero);
    spe_prologue_end(m);
    return p;
}

static bool xt_check_local_(xt_where_ w, int type, int64_t elements, int number)
{
    xt_ctx *x = w.x;
    if (elements < 1 || elements > 1 << 24)
        return xt_fail_(w, XT_ERROR_LOCAL_SIZE, "got %lld elements of %s", (long long)elements, xt_type_name_(type));
    if (x->planning && xt_push_(x, &x->locals, sizeof(spe_id)))
        x->local_bytes = (x->local_bytes + 63) / 64 * 64 + elements * cm_type_info(xt_held_(type))->bytes;
    if (number >= x->locals.count)
        return spe_ok(&x->m) && xt_fail_(w, XT_ERROR_NOT_REPEATABLE, "more local memory than the first time");
    return x->local_bytes <= x->target.local_memory ||
           xt_fail_(w, XT_ERROR_LOCAL_MEMORY, "%lld bytes with this one, %s has %d", (long long)x->local_bytes,
                    x->target.name, x->target.local_memory);
}

xt_val xt_local_(xt_where_ w, int type, int64_t elements)
{
    xt_ctx *x = w.x;
    spe_id *id;
    xt_val v;
    if (!xt_enter_(w, XT_OP_LOCAL_) || !xt_check_local_(w, type, elements, x->local_count)) return xt_nothing_();
    id = (spe_id *)x->locals.items + x->local_count++;
    if (!x->planning && !*id) *id = xt_emit_local_(x, type, elements);
    v = spe_val_of(SPE_POINTER, type, x->planning ? ++x->serial : *id);
    v.local = true;
    return v;
}

/* ---- 2D block messages ------------------------------------------------------------------------------------------- */

/* What rules 2D block messages out already now: pieces narrower than a subgroup, constants that do not qualify. */
static bool xt_never_block2d_(xt_ctx *x, const xt_tile *t)
{
    const xt_val *width = &t->shape[xt_inner_(t)];
    int bytes = xt_bytes_(t->type);
    return t->base.local || t->type == (cm_type)XT_BOOL_ || t->dist.data[1] < x->S || bytes > 4 ||
           (t->pitch.kind == SPE_INT && t->pitch.integer * bytes % 16 != 0) ||
           (width->kind == SPE_INT && (width->integer * bytes < 64 || width->integer * bytes % 4 != 0));
}

/* Notes for the plan how the tile's matrix is described: whether 2D block messages are possible is decided from it. */
static void xt_plan_tile_describe_(xt_ctx *x, const xt_tile *t)
{
    xt_plan_tile_ *p = (xt_plan_tile_ *)xt_push_(x, &x->tiles, sizeof *p);
    if (!p) return;
    p->parent = t->node;
    p->base = xt_note_of_(x, &t->base).expression;
    p->rows = xt_expr_of_(x, &t->shape[0]);
    p->cols = xt_expr_of_(x, &t->shape[1]);
    p->pitch = xt_expr_of_(x, &t->pitch);
    p->type = (int)t->type;
    p->column_major = t->column_major;
    p->possible = p->base && p->rows && p->cols && p->pitch && !xt_never_block2d_(x, t);
}

/* They need (expression & mask) == 0, or expression < below; without expression there are none. */
static void xt_plan_need_(xt_ctx *x, const xt_tile *t, int expression, int mask, int below)
{
    xt_plan_offset_ *o;
    if (!expression) {
        xt_plan_tile_at_(x, t->node)->possible = false;
        return;
    }
    o = (xt_plan_offset_ *)xt_push_(x, &x->offsets, sizeof *o);
    if (!o) return;
    o->tile = t->node;
    o->expression = expression;
    o->mask = mask;
    o->below = below;
}

/* A tile starts at, or moves by, so much along its contiguous dimension: a multiple of 4 bytes is needed. Of 8-bit
 * elements stored by columns rows of memory are read two by two: then no tile may start before its matrix, so it starts
 * at, and moves by, nothing negative (forward: this is known to be so). */
static void xt_plan_step_(xt_ctx *x, const xt_tile *t, const xt_val *step, bool forward)
{
    int bytes = xt_bytes_(t->type), per = bytes < 4 ? 4 / bytes : 1;
    int expression = step->kind == SPE_INT ? 0 : xt_note_of_(x, step).expression;
    if (!x->planning) return;
    if (xt_val_align_(step) < per) xt_plan_need_(x, t, expression, per - 1, 0);
    if (t->column_major && bytes == 1 && !forward && !(step->kind == SPE_INT && step->integer >= 0))
        xt_plan_need_(x, t, expression, INT32_MIN, 0);
}

/* The scalars of a tile, as ids, in the order of xt_plan_tile_.made; of an offset that a loop advances its start. */
XE_FN_ void xt_tile_ids_(xt_where_ w, const xt_tile *t, spe_id ids[XT_COMPONENTS_])
{
    int i;
    for (i = 0; i < 2; i++) {
        spe_id start = xt_note_of_(w.x, &t->offset[i]).start;
        ids[i] = start ? start : xt_index_id_(w, &t->offset[i], "the offset");
        ids[2 + i] = xt_index_id_(w, &t->shape[i], "the shape");
    }
    ids[4] = xt_index_id_(w, &t->pitch, "the pitch");
    ids[5] = t->base.id;
}

/* ---- init_tile: what is given ------------------------------------------------------------------------------------ */

/* inner_blocks cut each subgroup's piece: the vector of such a tile counts as 4-D. */
static bool xt_tile_blocks_(xt_where_ w, xt_tile *t, const int blocks[2])
{
    const int *data = t->dist.data;
    memcpy(t->inner, blocks, sizeof t->inner);
    if (!blocks[0] && !blocks[1]) return true;
    return (blocks[0] > 0 && blocks[1] > 0 && data[0] % blocks[0] == 0 && data[1] % blocks[1] == 0) ||
           xt_fail_(w, XT_ERROR_INNER_BLOCKS, "{%d, %d} of a subgroup's %d x %d", blocks[0], blocks[1], data[0],
                    data[1]);
}

/* All offsets, extents and strides are 32-bit integers. */
static bool xt_tile_indices_(xt_where_ w, const xt_tile_desc_ *d)
{
    static const char *const names[3][4] = {
#define XT_NAMES_(list) {list ", first", list ", second", list ", third", list ", fourth"}
        XT_NAMES_(".offset"), XT_NAMES_(".shape"), XT_NAMES_(".strides")
#undef XT_NAMES_
    };
    const xt_index *lists[3] = {&d->offset, &d->shape, &d->strides};
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < lists[i]->count; j++) xt_index_id_(w, &lists[i]->at[j], names[i][j]);
    return spe_ok(&w.x->m);
}

/* The order attribute: zero means row-major. */
static bool xt_tile_order_(xt_where_ w, xt_tile *t, const int order[2])
{
    t->column_major = order[0] == 0 && order[1] == 1;
    return t->column_major || (order[1] == 0 && (order[0] == 0 || order[0] == 1)) ||
           xt_fail_(w, XT_ERROR_TILE_ORDER, "got {%d, %d}", order[0], order[1]);
}

/* The contiguous dimension's stride must be 1, and the order must be the one that the strides have. */
static bool xt_tile_strides_(xt_where_ w, xt_tile *t, const xt_index *strides)
{
    int last = strides->count - 2, contiguous = last + xt_inner_(t), other = last + 1 - xt_inner_(t);
    const xt_val *inner = &strides->at[contiguous], *outer = &strides->at[other];
    char text[48], more[48];
    t->pitch = *outer;
    if (inner->kind == SPE_INT && inner->integer == 1) return true;
    xt_describe_(inner, text, sizeof text);
    if (outer->kind == SPE_INT && outer->integer == 1)
        return xt_fail_(w, XT_ERROR_ORDER_STRIDES,
                        "order {%d, %d} wants stride 1 in dimension %d; it is %s, in dimension %d %s", !t->column_major,
                        t->column_major, contiguous, text, other, xt_describe_(outer, more, sizeof more));
    return xt_fail_(w, XT_ERROR_TILE_STRIDES, "stride of dimension %d is %s, wanted 1", contiguous, text);
}

/* Shape and strides of the innermost two dimensions: 1, and by default the contiguous one's extent. */
static bool xt_tile_shape_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    int n = d->shape.count;
    if (n < 2 || n > 4) return xt_fail_(w, XT_ERROR_TILE_SHAPE, ".shape has %d dimensions, wanted 2 to 4", n);
    if (d->offset.count != n || (d->strides.count && d->strides.count != n))
        return xt_fail_(w, XT_ERROR_TILE_SHAPE, "%s has %d dimensions, wanted %d as .shape",
                        d->offset.count != n ? ".offset" : ".strides",
                        d->offset.count != n ? d->offset.count : d->strides.count, n);
    t->shape[0] = d->shape.at[n - 2];
    t->shape[1] = d->shape.at[n - 1];
    t->pitch = t->shape[xt_inner_(t)];
    return d->strides.count == 0 || xt_tile_strides_(w, t, &d->strides);
}

/* The base: a pointer parameter to elements of the tile's type, or an address, which becomes a pointer. */
static bool xt_tile_base_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    const xt_val *base = &d->base;
    char text[48];
    t->base = *base;
    if (base->kind == SPE_POINTER && base->magic == SPE_VAL_MAGIC)
        return base->type == (int)t->type || (base->type == CM_F32 && t->type == CM_TF32) ||
               (t->type == (cm_type)XT_BOOL_ && xt_bits_(base->type) == 8 && xt_is_int_(base->type)) ||
               xt_fail_(w, XT_ERROR_TILE_TYPE, "tile of %s, base %s", xt_type_name_(t->type),
                        xt_describe_(base, text, sizeof text));
    if (base->kind != SPE_SCALAR || !xt_is_int_(base->type) || xt_bits_(base->type) != 64)
        return xt_fail_(w, XT_ERROR_TILE_BASE, "got %s", xt_describe_(base, text, sizeof text));
    if (!w.x->planning) t->base.id = xt_emit_pointer_(w.x, xt_held_(t->type), base->id);
    t->base.kind = SPE_POINTER;
    t->base.type = (int)t->type;
    return true;
}

/* ---- init_tile: leading dimensions choose one matrix of several -------------------------------------------------- */

/* Products and sums of strides in 64 bits. */
static xt_val xt_wide_(xt_where_ w, xt_val v)
{
    return v.kind == SPE_SCALAR && xt_bits_(v.type) < 64 ? xt_cast_number_(w, CM_I64, &v) : v;
}

/* How far matrix (offset[0], ...) of a base with leading dimensions is from the first one, in elements. */
static xt_val xt_leading_distance_(xt_where_ w, const xt_tile *t, const xt_tile_desc_ *d)
{
    xt_val sum = spe_val_int(0), stride = xt_wide_(w, t->pitch), term;
    int i, n = d->shape.count;
    stride = xt_binary_number_(w, SPE_ARITH_MUL, stride, xt_wide_(w, t->shape[1 - xt_inner_(t)]));
    for (i = n - 3; i >= 0; i--) {
        if (d->strides.count) stride = xt_wide_(w, d->strides.at[i]);
        term = xt_binary_number_(w, SPE_ARITH_MUL, stride, xt_wide_(w, d->offset.at[i]));
        sum = xt_binary_number_(w, SPE_ARITH_ADD, sum, term);
        if (!d->strides.count) stride = xt_binary_number_(w, SPE_ARITH_MUL, stride, xt_wide_(w, d->shape.at[i]));
    }
    return sum;
}

/* What the plan must know: the matrix is one of the base's, and aligned as the base is. */
static void xt_plan_leading_(xt_ctx *x, const xt_tile *t, const xt_tile_desc_ *d, const xt_val *distance)
{
    int i, per = 64 / xt_bytes_(t->type), e;
    for (i = 0; i < d->shape.count - 2; i++) {
        const xt_val *at = &d->offset.at[i], *extent = &d->shape.at[i];
        int p = xt_expr_of_(x, at), q = xt_expr_of_(x, extent);
        if (at->kind == SPE_INT && extent->kind == SPE_INT && at->integer >= 0 && at->integer < extent->integer)
            continue;
        xt_plan_need_(x, t, q ? p : 0, 0, q);
    }
    if (xt_val_align_(distance) >= per) return;
    e = xt_note_of_(x, distance).expression;
    if (e) e = xt_new_expr_(x, XT_EXPR_CAST_, 1, CM_I32, e, 0, 0);
    xt_plan_need_(x, t, e, per - 1, 0);
}

/* Where there is no matrix of that number, it has no rows. */
static void xt_leading_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    xt_ctx *x = w.x;
    int i, n = d->shape.count - 2;
    xt_val distance;
    spe_id inside = 0, rows;
    if (n < 1) return;
    distance = xt_leading_distance_(w, t, d);
    if (x->planning) xt_plan_leading_(x, t, d, &distance);
    rows = xt_index_id_(w, &t->shape[0], ".shape");
    if (x->planning) {
        t->base.id = ++x->serial;
    } else {
        for (i = 0; i < n && !xt_by_block2d_(x, t); i++) { /* else tested before this version is chosen */
            spe_id at = xt_index_id_(w, &d->offset.at[i], ".offset"), end = xt_index_id_(w, &d->shape.at[i], ".shape");
            spe_id one = spe_ult(&x->m, at, end);
            inside = inside ? spe_land(&x->m, inside, one) : one;
        }
        if (inside) rows = spe_select(&x->m, inside, rows, spe_i32(&x->m, 0));
        t->base.id = spe_index(&x->m, t->base.id, xt_id_(w, &distance, CM_I64, "the distance"));
    }
    t->shape[0] = xt_scalar_(x, CM_I32, rows, 1, 0);
}

/* ---- init_tile --------------------------------------------------------------------------------------------------- */

static bool xt_check_scatter_(xt_where_ w, const xt_tile_desc_ *d)
{
    const xt_vec *v = &d->scatter;
    if (!xt_is_int_(v->type) || xt_bits_(v->type) < 32)
        return xt_fail_(w, XT_ERROR_SCATTER_TYPE, "got %s", xt_type_name_(v->type));
    if (d->rows != v->dist.shape[0] || d->cols != v->dist.shape[1] || d->shape.count != 1)
        return xt_fail_(w, XT_ERROR_SCATTER_SHAPE, "tile %d x %d, offsets %d x %d, .shape of %d dimensions", d->rows,
                        d->cols, v->dist.shape[0], v->dist.shape[1], d->shape.count);
    return !xt_has_map_(&d->map) || xt_map_agrees_(w, XT_ERROR_SCATTER_MAP, "the tile", &d->map, &v->map);
}

/* A tile whose elements have an offset each. */
static xt_tile xt_init_scatter_(xt_where_ w, xt_tile t, const xt_tile_desc_ *d)
{
    const xt_vec *v = &d->scatter;
    if (!xt_check_vec_(w, v, ".scatter") || !xt_tile_base_(w, &t, d) || !xt_check_scatter_(w, d)) return xt_no_tile_();
    xt_index_id_(w, &d->shape.at[0], ".shape");
    t.scatter = true;
    t.map = v->map;
    t.dist = v->dist;
    t.offsets = *v;
    t.offset[0] = t.offset[1] = t.pitch = spe_val_int(0);
    t.shape[0] = spe_val_int(1);
    t.shape[1] = d->shape.at[0];
    return t;
}

/* Notes where a tile starts, and when writing what it is made of: what becomes of it may be known before the body. */
static void xt_note_tile_(xt_where_ w, const xt_tile *t, const xt_tile_desc_ *d)
{
    xt_plan_tile_ *p = xt_plan_tile_at_(w.x, t->node);
    int i;
    if (!w.x->planning) xt_tile_ids_(w, t, p->made);
    for (i = 0; w.x->planning && i < 2 && d->shape.count == 2; i++) p->origin[i] = xt_expr_of_(w.x, &d->offset.at[i]);
}

xt_tile xt_init_tile_(xt_where_ w, xt_tile_desc_ d)
{
    xt_ctx *x = w.x;
    xt_tile t = xt_no_tile_();
    xt_val zero = spe_val_int(0);
    int i, inner;
    if (!xt_enter_(w, XT_OP_INIT_TILE_)) return t;
    t.type = (cm_type)d.type;
    t.map = d.map;
    t.inside = d.inside;
    if (d.offset.count == 0) d.offset = xt_at_(d.shape.count ? d.shape.count : 2, zero, zero, zero, zero);
    if (d.scatter.magic) return xt_init_scatter_(w, t, &d);
    if (!xt_distribute_(w, &t.dist, d.rows, d.cols, &d.map) || !xt_tile_blocks_(w, &t, d.inner_blocks) ||
        !xt_tile_order_(w, &t, d.order) || !xt_tile_shape_(w, &t, &d) || !xt_tile_base_(w, &t, &d) ||
        !xt_tile_indices_(w, &d))
        return xt_no_tile_();
    t.node = x->tile_count++;
    inner = xt_inner_(&t);
    if (x->planning) xt_plan_tile_describe_(x, &t);
    if (t.node >= x->tiles.count) {
        if (spe_ok(&x->m)) xt_fail_(w, XT_ERROR_NOT_REPEATABLE, "more tiles than the first time");
        return t;
    }
    xt_leading_(w, &t, &d);
    memmove(d.offset.at, &d.offset.at[d.offset.count - 2], 2 * sizeof d.offset.at[0]);
    xt_plan_step_(x, &t, &d.offset.at[inner], false);
    for (i = 0; i < 2; i++) {
        xt_val place = xt_subgroup_place_(x, &t.dist, i);
        if (i == inner) xt_plan_step_(x, &t, &place, true);
        t.offset[i] = xt_binary_number_(w, SPE_ARITH_ADD, d.offset.at[i], place);
    }
    if (t.dist.subgroups > 1 && !t.base.local) xt_note_tile_(w, &t, &d);
    return t;
}

xt_tile xt_update_tile_offset_(xt_where_ w, xt_tile t, xt_val rows, xt_val cols)
{
    const xt_val *along = t.column_major ? &rows : &cols;
    if (!xt_enter_(w, XT_OP_UPDATE_TILE_OFFSET_) || !xt_check_tile_(w, &t, false, "the tile of XT_UPDATE_TILE_OFFSET"))
        return xt_no_tile_();
    xt_index_id_(w, &rows, "the row offset");
    xt_index_id_(w, &cols, "the column offset");
    if (!spe_ok(&w.x->m)) return xt_no_tile_();
    xt_plan_step_(w.x, &t, along, false);
    t.offset[0] = xt_binary_number_(w, SPE_ARITH_ADD, t.offset[0], rows);
    t.offset[1] = xt_binary_number_(w, SPE_ARITH_ADD, t.offset[1], cols);
    return t;
}
