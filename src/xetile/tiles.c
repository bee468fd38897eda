/* tiles.c - tiles. */
#include "internal.h"

xt_tile xt_no_tile_(void)
{
    xt_tile t;
    memset(&t, 0, sizeof t);
    t.magic = XT_TILE_MAGIC_;
    return t;
}

/* What rules 2D block messages out already now: pieces narrower than a subgroup, constants that do not qualify. */
static bool xt_never_block2d_(xt_ctx *x, const xt_tile *t)
{
    const xt_val *width = &t->shape[t->column_major ? 0 : 1];
    int bytes = cm_type_info(xt_held_(t->type))->bytes;
    return t->base.local || t->type == (cm_type)XT_BOOL_ || t->dist.data[1] < x->S || bytes > 4 ||
           (t->pitch.kind == XT_INT_ && t->pitch.i * bytes % 16 != 0) ||
           (width->kind == XT_INT_ && (width->i * bytes < 64 || width->i * bytes % 4 != 0));
}

/* Notes for the plan how the tile's matrix is described: whether 2D block messages are possible is decided from it. */
void xt_plan_tile_describe_(xt_ctx *x, const xt_tile *t)
{
    xt_plan_tile_ *p = (xt_plan_tile_ *)xt_push_(x, &x->tiles, sizeof *p);
    int base = xt_note_of_(x, &t->base).expression, rows = xt_expr_of_(x, &t->shape[0]);
    int cols = xt_expr_of_(x, &t->shape[1]);
    int pitch = xt_expr_of_(x, &t->pitch);
    if (!p) return;
    p->parent = t->node;
    p->base = base;
    p->rows = rows;
    p->cols = cols;
    p->pitch = pitch;
    p->type = (int)t->type;
    p->column_major = t->column_major;
    p->possible = base && rows && cols && pitch && !xt_never_block2d_(x, t);
}

/* The contiguous dimension. */
int xt_inner_(const xt_tile *t) { return t->column_major ? 0 : 1; }

/* The scalars of a tile, as ids, in the order of xt_plan_tile_.made; of an offset that a loop advances its start. */
void xt_tile_ids_(xt_where_ w, const xt_tile *t, spe_id ids[XT_COMPONENTS_])
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

/* 2D block messages on this tile need (expression & mask) == 0, or expression < below; without expression there are
 * none.
 */
void xt_plan_need_(xt_ctx *x, const xt_tile *t, int expression, int mask, int below)
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

/* A tile starts at, or moves by, so much along its contiguous dimension: 2D block messages want multiples of 4 bytes.
 */
void xt_plan_step_(xt_ctx *x, const xt_tile *t, const xt_val *step)
{
    int bytes = cm_type_info(xt_held_(t->type))->bytes, per = bytes < 4 ? 4 / bytes : 1;
    if (!x->planning || xt_val_align_(step) >= per) return;
    xt_plan_need_(x, t, step->kind == XT_INT_ ? 0 : xt_note_of_(x, step).expression, per - 1, 0);
}

/* Of 8-bit elements stored by columns rows of memory are read two by two: then no tile may start before its matrix, so
 * it starts at, and moves by, nothing negative along its contiguous dimension. */
void xt_plan_forward_(xt_ctx *x, const xt_tile *t, const xt_val *step)
{
    if (!x->planning || !t->column_major || cm_type_info(xt_held_(t->type))->bytes > 1) return;
    if (step->kind == XT_INT_ && step->i >= 0) return;
    xt_plan_need_(x, t, step->kind == XT_INT_ ? 0 : xt_note_of_(x, step).expression, INT32_MIN, 0);
}

/* The order attribute: zero means row-major. */
bool xt_tile_order_(xt_where_ w, xt_tile *t, const int order[2])
{
    bool row_major = (order[0] == 1 && order[1] == 0) || (order[0] == 0 && order[1] == 0);
    t->column_major = order[0] == 0 && order[1] == 1;
    if (!row_major && !t->column_major) xt_fail_(w, XT_ERROR_TILE_ORDER, "got {%d, %d}", order[0], order[1]);
    return row_major || t->column_major;
}

/* The contiguous dimension's stride must be 1, and the order must be the one that the strides have. */
static bool xt_tile_strides_(xt_where_ w, xt_tile *t, const xt_index *strides)
{
    int last = strides->n - 2, contiguous = last + xt_inner_(t), other = last + 1 - xt_inner_(t);
    const xt_val *inner = &strides->v[contiguous], *outer = &strides->v[other];
    char text[48], more[48];
    t->pitch = *outer;
    if (inner->kind == XT_INT_ && inner->i == 1) return true;
    xt_describe_(inner, text, sizeof text);
    if (outer->kind == XT_INT_ && outer->i == 1)
        xt_fail_(w, XT_ERROR_ORDER_STRIDES,
                 "order {%d, %d} wants stride 1 in dimension %d; it is %s, in dimension %d %s", !t->column_major,
                 t->column_major, contiguous, text, other, xt_describe_(outer, more, sizeof more));
    else
        xt_fail_(w, XT_ERROR_TILE_STRIDES, "stride of dimension %d is %s, wanted 1", contiguous, text);
    return false;
}

/* Shape and strides of the innermost two dimensions: the contiguous one's stride is 1, the other's defaults to the
 * contiguous extent. */
bool xt_tile_shape_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    int n = d->shape.n;
    if (n < 2 || n > 4) {
        xt_fail_(w, XT_ERROR_TILE_SHAPE, ".shape has %d dimensions, wanted 2 to 4", n);
        return false;
    }
    if (d->offset.n != n || (d->strides.n && d->strides.n != n)) {
        xt_fail_(w, XT_ERROR_TILE_SHAPE, "%s has %d dimensions, wanted %d as .shape",
                 d->offset.n != n ? ".offset" : ".strides", d->offset.n != n ? d->offset.n : d->strides.n, n);
        return false;
    }
    t->shape[0] = d->shape.v[n - 2];
    t->shape[1] = d->shape.v[n - 1];
    t->pitch = t->shape[xt_inner_(t)];
    return d->strides.n == 0 || xt_tile_strides_(w, t, &d->strides);
}

/* The base: a pointer parameter to elements of the tile's type, or an address, which becomes a pointer. */
bool xt_tile_base_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    xt_ctx *x = w.x;
    char text[48];
    t->base = d->base;
    if (d->base.kind == XT_POINTER_ && d->base.magic == XT_VAL_MAGIC_) {
        if (d->base.type == (int)t->type || (d->base.type == CM_F32 && t->type == CM_TF32) ||
            (t->type == (cm_type)XT_BOOL_ && xt_bits_(d->base.type) == 8 && xt_is_int_(d->base.type)))
            return true;
        xt_fail_(w, XT_ERROR_TILE_TYPE, "tile of %s, base %s", xt_type_name_(t->type),
                 xt_describe_(&d->base, text, sizeof text));
        return false;
    }
    if (d->base.kind != XT_SCALAR_ || !xt_is_int_(d->base.type) || xt_bits_(d->base.type) != 64) {
        xt_fail_(w, XT_ERROR_TILE_BASE, "got %s", xt_describe_(&d->base, text, sizeof text));
        return false;
    }
    if (!x->planning)
        t->base.id = spe_u_to_ptr(
            &x->m, spe_ptr(&x->m, SPE_StorageClassCrossWorkgroup, xt_spe_type_(x, xt_held_(t->type))), d->base.id);
    t->base.kind = XT_POINTER_;
    t->base.type = (int)t->type;
    return true;
}
