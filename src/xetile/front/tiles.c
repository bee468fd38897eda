/* front/tiles.c - records tiles: local memory, init_tile, update_tile_offset. */
#include "../internal.h"

static xt_tile xt_no_tile_(void)
{
    xt_tile t = XT_ZERO_;
    t.magic = XT_TILE_MAGIC_;
    t.number = -1; /* the result of a failed operation */
    return t;
}

/* Checks that the tile is set and of the required kind. */
XE_FN_ bool xt_check_tile_(xt_where_ w, const xt_tile *t, bool scatter, const char *what)
{
    if (t->magic != XT_TILE_MAGIC_) return xt_fail_(w, XT_ERROR_UNSET, "%s", what);
    if (t->number < 0 || !xt_check_scope_(w, t->scope, what)) return false;
    return t->scatter == scatter ||
           xt_fail_(w, scatter ? XT_ERROR_NO_SCATTER : XT_ERROR_SCATTER, "%s is a %stile %d x %d%s", what,
                    scatter ? "" : "scatter ", t->dist.shape[0], t->dist.shape[1],
                    scatter ? " made without .scatter" : "");
}

/* ---- local memory ------------------------------------------------------------------------------------------------ */

xt_val xt_local_(xt_where_ w, int type, int64_t elements)
{
    xt_ctx *x = w.x;
    xt_ids_ of = XT_ZERO_;
    if (!xt_enter_(w)) return xt_nothing_();
    if (elements < 1 || elements > 1 << 24)
        return XT_FAIL_NUMBER_(w, XT_ERROR_LOCAL_SIZE, "got %lld elements of %s", (long long)elements,
                               xt_type_name_(type));
    x->local_bytes = (x->local_bytes + 63) / 64 * 64 + elements * xt_bytes_(type);
    if (x->local_bytes > x->target.local_memory)
        return XT_FAIL_NUMBER_(w, XT_ERROR_LOCAL_MEMORY, "%lld bytes with this one, %s has %d",
                               (long long)x->local_bytes, x->target.name, x->target.local_memory);
    xt_val v = spe_val_of(SPE_POINTER, type, xt_new_value_(x));
    v.local = true;
    xt_local_array_ *array = (xt_local_array_ *)xt_memory_(x, sizeof *array);
    if (!array) return v;
    of.type = type;
    array->elements = (int)elements;
    xt_record_(w, XT_AS_(LOCAL), 0, v.id, &of, array, 0);
    return v;
}

/* ---- init_tile: its arguments ------------------------------------------------------------------------------------ */

/* inner_blocks divide each subgroup's piece: the vector of such a tile is 4-D. */
static bool xt_tile_blocks_(xt_where_ w, xt_tile *t, const int blocks[2])
{
    const int *data = t->dist.data;
    memcpy(t->inner, blocks, sizeof t->inner);
    if (!blocks[0] && !blocks[1]) return true;
    return (blocks[0] > 0 && blocks[1] > 0 && data[0] % blocks[0] == 0 && data[1] % blocks[1] == 0) ||
           xt_fail_(w, XT_ERROR_INNER_BLOCKS, "{%d, %d} of a subgroup's %d x %d", blocks[0], blocks[1], data[0],
                    data[1]);
}

/* Checks that all offsets, extents and strides are 32-bit integers. */
static bool xt_tile_indices_(xt_where_ w, const xt_tile_desc_ *d)
{
#define XT_PLACES_(of)                                                                                                 \
    {of ", first", of ", second", of ", third",   of ", fourth",                                                       \
     of ", fifth", of ", sixth",  of ", seventh", of ", eighth"}
    static const char *const names[3][8] = {XT_PLACES_(".offset"), XT_PLACES_(".shape"), XT_PLACES_(".strides")};
#undef XT_PLACES_
    const xt_index *lists[3] = {&d->offset, &d->shape, &d->strides};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < lists[i]->count; j++)
            if (!xt_check_index_(w, &lists[i]->at[j], names[i][j]) ||
                !xt_check_uniform_(w, &lists[i]->at[j], names[i][j]))
                return false;
    return true;
}

/* Checks that a matrix in local memory is inside its array, as far as constants tell. */
static bool xt_check_array_(xt_where_ w, const xt_val *base, const xt_index *shape, const xt_index *strides)
{
    const xt_node_ *n = base->kind == SPE_POINTER ? xt_node_at_(w.x, xt_value_at_(w.x, base->id)->node) : NULL;
    int64_t last = 0, stride = 1, elements;
    if (!n || n->op != XT_OP_LOCAL_) return true;
    for (int i = shape->count - 1; i >= 0 && last <= INT32_MAX; i--) { /* beyond, products could overflow */
        if (strides->count) stride = strides->at[i].integer;
        if (shape->at[i].kind != SPE_INT || (strides->count && strides->at[i].kind != SPE_INT) || stride < 0 ||
            shape->at[i].integer < 1)
            return true;
        last += (shape->at[i].integer - 1) * stride;
        stride *= shape->at[i].integer;
    }
    elements = n->local->elements;
    return last < elements ||
           xt_fail_(w, XT_ERROR_LOCAL_SIZE, "the matrix has elements up to number %lld, XT_LOCAL %lld",
                    (long long)last + 1, (long long)elements);
}

/* The order attribute: zero means row-major. */
static bool xt_tile_order_(xt_where_ w, xt_tile *t, const int order[2])
{
    t->column_major = order[0] == 0 && order[1] == 1;
    return t->column_major || (order[1] == 0 && (order[0] == 0 || order[0] == 1)) ||
           xt_fail_(w, XT_ERROR_TILE_ORDER, "got {%d, %d}", order[0], order[1]);
}

enum { XT_STEP_MAX_ = 1 << 16 }; /* maximum stride of the inner dimension */

/* The contiguous dimension's stride must be 1, and the order must match the strides. */
static bool xt_tile_strides_(xt_where_ w, xt_tile *t, const xt_index *strides)
{
    int last = strides->count - 2, contiguous = last + xt_inner_(t), other = last + 1 - xt_inner_(t);
    const xt_val *inner = &strides->at[contiguous], *outer = &strides->at[other];
    t->pitch = *outer;
    if (inner->kind == SPE_INT && inner->integer == 1) return true;
    if (inner->kind == SPE_INT && inner->integer > 1 && inner->integer <= XT_STEP_MAX_ &&
        !(outer->kind == SPE_INT && outer->integer == 1)) {
        t->step = (int)inner->integer;
        return true;
    }
    if (outer->kind == SPE_INT && outer->integer == 1)
        return xt_fail_(w, XT_ERROR_ORDER_STRIDES,
                        "order {%d, %d} needs stride 1 in dimension %d; it is %s, in dimension %d %s", !t->column_major,
                        t->column_major, contiguous, xt_describe_(inner).s, other, xt_describe_(outer).s);
    return xt_fail_(w, XT_ERROR_TILE_STRIDES, "stride of dimension %d is %s, wanted a C integer from 1 to %d",
                    contiguous, xt_describe_(inner).s, (int)XT_STEP_MAX_);
}

/* Shape and strides of the innermost two dimensions: 1, and by default the extent of the contiguous one. */
static bool xt_tile_shape_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    int n = d->shape.count;
    if (n < 2 || n > 8) return xt_fail_(w, XT_ERROR_TILE_SHAPE, ".shape has %d dimensions, wanted 2 to 8", n);
    if (d->offset.count != n || (d->strides.count && d->strides.count != n))
        return xt_fail_(w, XT_ERROR_TILE_SHAPE, "%s has %d dimensions, wanted %d as .shape",
                        d->offset.count != n ? ".offset" : ".strides",
                        d->offset.count != n ? d->offset.count : d->strides.count, n);
    t->shape[0] = d->shape.at[n - 2];
    t->shape[1] = d->shape.at[n - 1];
    t->pitch = t->shape[xt_inner_(t)];
    return d->strides.count == 0 || xt_tile_strides_(w, t, &d->strides);
}

/* The base: a pointer parameter to the tile's type, or an address, which is converted to a pointer. */
static bool xt_tile_base_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    const xt_val *base = &d->base;
    xt_ids_ n = XT_ZERO_;
    t->base = *base;
    if (!xt_check_value_(w, base, "the base")) return false;
    if (base->kind == SPE_POINTER && base->magic == SPE_VAL_MAGIC)
        return base->type == (int)t->type || (base->type == CM_F32 && t->type == CM_TF32) ||
               (t->type == (cm_type)XT_BOOL_ && xt_bits_(base->type) == 8 && xt_is_int_(base->type)) ||
               xt_fail_(w, XT_ERROR_TILE_TYPE, "tile of %s, base %s", xt_type_name_(t->type), xt_describe_(base).s);
    if (base->kind != SPE_SCALAR || !xt_is_int_(base->type) || xt_bits_(base->type) != 64)
        return xt_fail_(w, XT_ERROR_TILE_BASE, "got %s", xt_describe_(base).s);
    t->base = spe_val_of(SPE_POINTER, (int)t->type, xt_new_value_(w.x));
    n.type = (int)t->type;
    xt_take_(w.x, &n, base);
    xt_record_(w, XT_AS_(POINTER), 0, t->base.id, &n, NULL, 0);
    return true;
}

/* ---- init_tile: leading dimensions select one of several matrices ------------------------------------------------ */

/* Distances are computed in 64 bits. */
static xt_val xt_wide_(xt_where_ w, xt_val v)
{
    return v.kind == SPE_SCALAR && xt_bits_(v.type) < 64 ? xt_cast_number_(w, CM_I64, &v) : v;
}

/* The distance of matrix (offset[0], ...) of a base with leading dimensions from the first one, in elements. */
static xt_val xt_leading_distance_(xt_where_ w, const xt_tile *t, const xt_tile_desc_ *d)
{
    xt_val sum = spe_val_int(0), stride = xt_wide_(w, t->pitch);
    stride = xt_binary_number_(w, SPE_ARITH_MUL, stride, xt_wide_(w, t->shape[1 - xt_inner_(t)]));
    for (int i = d->shape.count - 3; i >= 0; i--) {
        if (d->strides.count) stride = xt_wide_(w, d->strides.at[i]);
        xt_val term = xt_binary_number_(w, SPE_ARITH_MUL, stride, xt_wide_(w, d->offset.at[i]));
        sum = xt_binary_number_(w, SPE_ARITH_ADD, sum, term);
        if (!d->strides.count) stride = xt_binary_number_(w, SPE_ARITH_MUL, stride, xt_wide_(w, d->shape.at[i]));
    }
    return sum;
}

/* Records the selected matrix: its base, and the number of its lines, the next value, zero if the offsets are out of
 * range. Returns the distance to it. */
static xt_val xt_leading_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    xt_ids_ of = XT_ZERO_;
    xt_val distance = XT_ZERO_;
    of.type = d->shape.count - 2;
    if (of.type < 1) return distance;
    distance = xt_leading_distance_(w, t, d);
    xt_take_(w.x, &of, t);
    xt_take_(w.x, &of, &t->base);
    xt_take_(w.x, &of, &distance);
    for (int i = 0; i < of.type; i++) {
        xt_take_(w.x, &of, &d->offset.at[i]);
        xt_take_(w.x, &of, &d->shape.at[i]);
    }
    t->base.id = xt_new_value_(w.x);
    xt_record_(w, XT_AS_(MATRIX), 0, t->base.id, &of, NULL, 0);
    t->shape[1 - xt_inner_(t)] = spe_val_of(SPE_SCALAR, CM_I32, xt_further_value_(w.x));
    return distance;
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

/* A scatter tile, whose elements have individual offsets. */
static xt_tile xt_init_scatter_(xt_where_ w, xt_tile t, const xt_tile_desc_ *d)
{
    const xt_vec *v = &d->scatter;
    if (!xt_check_vec_(w, v, ".scatter") || !xt_tile_base_(w, &t, d) || !xt_check_scatter_(w, d)) return xt_no_tile_();
    if (!xt_check_index_(w, &d->shape.at[0], ".shape") || !xt_check_array_(w, &d->base, &d->shape, &d->strides))
        return xt_no_tile_();
    t.scatter = true;
    t.number = 0;
    t.map = v->map;
    t.dist = v->dist;
    t.offsets = *v;
    t.offset[0] = t.offset[1] = t.pitch = spe_val_int(0);
    t.shape[0] = spe_val_int(1);
    t.shape[1] = d->shape.at[0];
    return t;
}

/* Records a tile that has been made from what the user gave. matrix, piece, distance: NULL for a scatter tile. */
static xt_tile xt_record_tile_(xt_where_ w, xt_tile t, const xt_tile_desc_ *d, const xt_tile *matrix,
                               const xt_val piece[2], const xt_val *distance)
{
    const xt_index *lists[3] = {&d->offset, &d->shape, &d->strides};
    xt_ids_ of = XT_ZERO_;
    of.type = d->shape.count;
    xt_take_(w.x, &of, matrix);
    xt_take_(w.x, &of, &d->base);
    xt_take_(w.x, &of, &d->scatter);
    for (int i = 0; i < 2; i++) xt_take_(w.x, &of, piece ? &piece[i] : NULL);
    xt_take_(w.x, &of, distance);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < lists[i]->count; j++) xt_take_(w.x, &of, &lists[i]->at[j]);
    t.id = xt_new_value_(w.x);
    xt_value_of_(w.x, &t);
    xt_record_(w, XT_AS_(INIT_TILE), 0, t.id, &of, NULL, 0);
    return t;
}

/* Records what a tile consists of. t: that of the matrix that leading dimensions select from. */
XE_ONCE_
static xt_tile xt_position_tile_(xt_where_ w, xt_tile t, const xt_tile_desc_ *d, xt_val piece[2], xt_val *distance)
{
    const xt_val *at = &d->offset.at[d->offset.count - 2];
    *distance = xt_leading_(w, &t, d);
    for (int i = 0; i < 2; i++) {
        piece[i] = xt_record_piece_offset_(w, &t.dist, i);
        t.offset[i] = xt_binary_number_(w, SPE_ARITH_ADD, at[i], piece[i]);
    }
    return t;
}

xt_tile xt_init_tile_(xt_where_ w, xt_tile_desc_ d)
{
    xt_tile t = xt_no_tile_(), matrix = t;
    xt_val piece[2], distance;
    if (!xt_enter_(w)) return t;
    t.type = (cm_type)d.type;
    t.map = d.map;
    t.inside = d.inside;
    t.step = 1;
    t.scope = w.x->scope;
    if (d.offset.count == 0) {
        d.offset.count = d.shape.count ? d.shape.count : 2;
        for (int i = 0; i < 8; i++) d.offset.at[i] = spe_val_int(0);
    }
    w.x->part++;
    if (d.scatter.magic) {
        t = xt_init_scatter_(w, t, &d);
    } else if (!xt_distribute_(w, &t.dist, d.rows, d.cols, &d.map) || !xt_tile_blocks_(w, &t, d.inner_blocks) ||
             !xt_tile_order_(w, &t, d.order) || !xt_tile_shape_(w, &t, &d) || !xt_tile_base_(w, &t, &d) ||
             !xt_tile_indices_(w, &d) || !xt_check_array_(w, &d.base, &d.shape, &d.strides)) {
        t = xt_no_tile_();
    } else {
        t.number = w.x->tile_count++;
        t.id = xt_new_value_(w.x);
        matrix = t;
        t = xt_position_tile_(w, t, &d, piece, &distance);
    }
    w.x->part--;
    if (t.number < 0) return t;
    return t.scatter ? xt_record_tile_(w, t, &d, NULL, NULL, NULL)
                     : xt_record_tile_(w, t, &d, &matrix, piece, &distance);
}

/* Records a moved tile. */
XE_ONCE_
static xt_tile xt_moved_tile_(xt_where_ w, xt_tile t, const xt_ids_ *of)
{
    t.scope = w.x->scope;
    t.id = xt_new_value_(w.x);
    xt_value_of_(w.x, &t);
    xt_record_(w, XT_AS_(UPDATE_TILE_OFFSET), 0, t.id, of, NULL, 0);
    return t;
}

xt_tile xt_update_tile_offset_(xt_where_ w, xt_update_ d)
{
    xt_tile t = d.tile;
    const xt_val *rows = &d.by[0], *cols = &d.by[1];
    xt_ids_ of = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_tile_(w, &t, false, "the tile of XT_UPDATE_TILE_OFFSET") ||
        !xt_check_index_(w, rows, "the row offset") || !xt_check_index_(w, cols, "the column offset") ||
        !xt_check_uniform_(w, rows, "the row offset") || !xt_check_uniform_(w, cols, "the column offset"))
        return xt_no_tile_();
    w.x->part++;
    t.offset[0] = xt_binary_number_(w, SPE_ARITH_ADD, t.offset[0], *rows);
    t.offset[1] = xt_binary_number_(w, SPE_ARITH_ADD, t.offset[1], *cols);
    w.x->part--;
    xt_take_(w.x, &of, &d.tile);
    xt_take_(w.x, &of, rows);
    xt_take_(w.x, &of, cols);
    return xt_moved_tile_(w, t, &of);
}

/* Moves a scatter tile's offsets, all by one number or each by its own. */
xt_tile xt_update_offsets_(xt_where_ w, xt_update_by_ given)
{
    xt_tile t = given.tile;
    const xt_any_ *by = &given.by;
    xt_ids_ of = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_tile_(w, &t, true, "the tile of XT_UPDATE_TILE_OFFSET with one offset"))
        return xt_no_tile_();
    w.x->part++;
    const xt_any_ sum[2] = {xt_any_vec_(t.offsets), *by};
    t.offsets = xt_binary_vec_(w, SPE_ARITH_ADD, sum);
    w.x->part--;
    xt_take_(w.x, &of, &given.tile);
    xt_take_(w.x, &of, by->is_vec ? (const void *)&by->vec : &by->val);
    return xt_moved_tile_(w, t, &of);
}
