/* ---- tiles ------------------------------------------------------------------------------------------------------- */

typedef struct {
    xt_val base;
    int type; /* cm_type */
    int rows, cols;
    xt_index offset, shape, strides;
    xt_map map;
    int order[2];
} xt_tile_desc_;

static inline xt_tile xt_no_tile_(void)
{
    xt_tile t;
    memset(&t, 0, sizeof t);
    t.magic = XT_TILE_MAGIC_;
    return t;
}

/* What rules 2D block messages out already now: pieces narrower than a subgroup, constants that do not qualify. */
static inline bool xt_never_block2d_(xt_ctx *x, const xt_tile *t)
{
    const xt_val *width = &t->shape[t->column_major ? 0 : 1];
    int bytes = cm_type_info(t->type)->bytes;
    return t->dist.data[1] < x->S || bytes > 4 || (t->pitch.kind == XT_INT_ && t->pitch.i * bytes % 16 != 0) ||
           (width->kind == XT_INT_ && (width->i * bytes < 64 || width->i * bytes % 4 != 0));
}

/* Notes for the plan how the tile's matrix is described: whether 2D block messages are possible is decided from it. */
static inline void xt_plan_tile_describe_(xt_ctx *x, const xt_tile *t)
{
    xt_plan_tile_ *p = (xt_plan_tile_ *)xt_push_(x, &x->tiles, sizeof *p);
    int base = t->base.expression, rows = xt_expr_of_(x, &t->shape[0]), cols = xt_expr_of_(x, &t->shape[1]);
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
static inline int xt_inner_(const xt_tile *t) { return t->column_major ? 0 : 1; }

/* A tile starts at, or moves by, so much along its contiguous dimension: 2D block messages want multiples of 4 bytes.
 */
static inline void xt_plan_step_(xt_ctx *x, const xt_tile *t, const xt_val *step)
{
    int bytes = cm_type_info(t->type)->bytes, per = bytes < 4 ? 4 / bytes : 1, e;
    xt_plan_offset_ *o;
    if (!x->planning || xt_val_align_(step) >= per) return;
    e = step->kind == XT_INT_ ? 0 : step->expression;
    if (!e) {
        xt_plan_tile_at_(x, t->node)->possible = false;
        return;
    }
    o = (xt_plan_offset_ *)xt_push_(x, &x->offsets, sizeof *o);
    if (!o) return;
    o->tile = t->node;
    o->expression = e;
    o->mask = per - 1;
}

/* The order attribute: zero means row-major. */
static inline bool xt_tile_order_(xt_where_ w, xt_tile *t, const int order[2])
{
    bool row_major = (order[0] == 1 && order[1] == 0) || (order[0] == 0 && order[1] == 0);
    t->column_major = order[0] == 0 && order[1] == 1;
    if (!row_major && !t->column_major) xt_fail_(w, XT_ERROR_TILE_ORDER, "got {%d, %d}", order[0], order[1]);
    return row_major || t->column_major;
}

/* Shape and strides: the contiguous dimension's stride is 1, the other's defaults to the contiguous extent. */
static inline bool xt_tile_shape_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    int contiguous = xt_inner_(t);
    const xt_val *inner = &d->strides.v[contiguous];
    char text[48];
    if (d->shape.n != 2) {
        xt_fail_(w, XT_ERROR_TILE_SHAPE, ".shape has %d dimensions, wanted 2", d->shape.n);
        return false;
    }
    t->shape[0] = d->shape.v[0];
    t->shape[1] = d->shape.v[1];
    t->pitch = t->shape[contiguous];
    if (d->strides.n == 0) return true;
    if (d->strides.n != 2 || inner->kind != XT_INT_ || inner->i != 1) {
        xt_fail_(w, XT_ERROR_TILE_STRIDES, "stride of dimension %d is %s, wanted 1 (.strides has %d dimensions)",
                 contiguous, xt_describe_(inner, text, sizeof text), d->strides.n);
        return false;
    }
    t->pitch = d->strides.v[1 - contiguous];
    return true;
}

/* The base: a pointer parameter to elements of the tile's type, or an address, which becomes a pointer. */
static inline bool xt_tile_base_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    xt_ctx *x = w.x;
    char text[48];
    t->base = d->base;
    if (d->base.kind == XT_POINTER_ && d->base.magic == XT_VAL_MAGIC_) {
        if (d->base.type == (int)t->type || (d->base.type == CM_F32 && t->type == CM_TF32)) return true;
        xt_fail_(w, XT_ERROR_TILE_TYPE, "tile of %s, base %s", xt_type_name_(t->type),
                 xt_describe_(&d->base, text, sizeof text));
        return false;
    }
    if (d->base.kind != XT_SCALAR_ || !xt_is_int_(d->base.type) || xt_bits_(d->base.type) != 64) {
        xt_fail_(w, XT_ERROR_TILE_BASE, "got %s", xt_describe_(&d->base, text, sizeof text));
        return false;
    }
    if (!x->planning)
        t->base.id =
            spe_u_to_ptr(&x->m, spe_ptr(&x->m, SPE_StorageClassCrossWorkgroup, xt_spe_type_(x, t->type)), d->base.id);
    t->base.kind = XT_POINTER_;
    t->base.type = (int)t->type;
    return true;
}

static inline xt_tile xt_init_tile_(xt_where_ w, xt_tile_desc_ d)
{
    xt_ctx *x = w.x;
    xt_tile t = xt_no_tile_();
    xt_val zero = xt_int_(0);
    int i;
    if (!xt_enter_(w, 50)) return t;
    t.type = (cm_type)d.type;
    t.map = d.map;
    if (d.offset.n == 0) d.offset = xt_at_(2, zero, zero, zero, zero);
    if (d.offset.n != 2) {
        xt_fail_(w, XT_ERROR_TILE_SHAPE, ".offset has %d dimensions, wanted 2", d.offset.n);
        return t;
    }
    if (!xt_distribute_(w, &t.dist, d.rows, d.cols, &d.map) || !xt_tile_order_(w, &t, d.order) ||
        !xt_tile_shape_(w, &t, &d) || !xt_tile_base_(w, &t, &d))
        return xt_no_tile_();
    for (i = 0; i < 2; i++) {
        xt_index_id_(w, &t.shape[i], i ? ".shape, second" : ".shape, first");
        xt_index_id_(w, &d.offset.v[i], i ? ".offset, second" : ".offset, first");
    }
    xt_index_id_(w, &t.pitch, ".strides");
    if (!spe_ok(&x->m)) return t;
    t.node = x->tile_count++;
    if (x->planning) xt_plan_tile_describe_(x, &t);
    if (t.node >= x->tiles.count) {
        if (spe_ok(&x->m)) xt_fail_(w, XT_ERROR_NOT_REPEATABLE, "more tiles than the first time");
        return t;
    }
    xt_plan_step_(x, &t, &d.offset.v[xt_inner_(&t)]);
    for (i = 0; i < 2; i++) {
        xt_val place = xt_subgroup_place_(x, &t.dist, i);
        if (i == xt_inner_(&t)) xt_plan_step_(x, &t, &place);
        t.offset[i] = xt_binary_number_(w, XT_OP_ADD_, d.offset.v[i], place);
    }
    return t;
}

static inline bool xt_check_tile_(xt_where_ w, const xt_tile *t, const char *what)
{
    if (t->magic == XT_TILE_MAGIC_) return true;
    xt_fail_(w, XT_ERROR_UNSET, "%s", what);
    return false;
}

static inline xt_tile xt_update_tile_offset_(xt_where_ w, xt_tile t, xt_val rows, xt_val cols)
{
    if (!xt_enter_(w, 51) || !xt_check_tile_(w, &t, "the tile of XT_UPDATE_TILE_OFFSET")) return xt_no_tile_();
    xt_index_id_(w, &rows, "the row offset");
    xt_index_id_(w, &cols, "the column offset");
    if (!spe_ok(&w.x->m)) return xt_no_tile_();
    xt_plan_step_(w.x, &t, xt_inner_(&t) ? &cols : &rows);
    t.offset[0] = xt_binary_number_(w, XT_OP_ADD_, t.offset[0], rows);
    t.offset[1] = xt_binary_number_(w, XT_OP_ADD_, t.offset[1], cols);
    return t;
}

/* A block of a tile as coopmatrix.h sees it: the transpose, its rows are our columns. */
static inline cm_mem xt_mem_(xt_where_ w, const xt_tile *t, const xt_block_ *b)
{
    xt_ctx *x = w.x;
    cm_mem mem;
    spe_id row = xt_index_id_(w, &t->offset[0], "the row offset"),
           col = xt_index_id_(w, &t->offset[1], "the column offset");
    spe_id pitch = xt_index_id_(w, &t->pitch, "the pitch");
    memset(&mem, 0, sizeof mem);
    mem.ptr = t->base.id;
    mem.rows = xt_index_id_(w, &t->shape[1], "the shape");
    mem.cols = xt_index_id_(w, &t->shape[0], "the shape");
    mem.row = b->col ? spe_iadd(&x->m, col, spe_i32(&x->m, b->col)) : col;
    mem.col = b->row ? spe_iadd(&x->m, row, spe_i32(&x->m, b->row)) : row;
    mem.stride_row = t->column_major ? pitch : spe_i32(&x->m, 1);
    mem.stride_col = t->column_major ? spe_i32(&x->m, 1) : pitch;
    mem.block2d =
        x->block2d && xt_plan_tile_at_(x, xt_tile_root_(x, t->node))->possible ? CM_BLOCK2D_YES : CM_BLOCK2D_NO;
    return mem;
}

static inline void xt_tile_is_used_(xt_ctx *x, const xt_tile *t)
{
    if (x->planning && spe_ok(&x->m)) xt_plan_tile_at_(x, t->node)->used = true;
}

typedef struct {
    xt_tile tile;
    double padding;
} xt_load_desc_;

static inline xt_vec xt_load_tile_(xt_where_ w, xt_load_desc_ d)
{
    xt_ctx *x = w.x;
    xt_val padding = xt_is_float_(d.tile.type) ? xt_real_(d.padding) : xt_int_((long long)d.padding);
    xt_grid_ g;
    xt_vec v;
    int i;
    if (!xt_enter_(w, 52) || !xt_check_tile_(w, &d.tile, "the tile of XT_LOAD_TILE") ||
        !xt_check_number_(w, &padding, d.tile.type, ".padding"))
        return xt_no_vec_();
    v = xt_new_vec_(w, d.tile.type, &d.tile.dist, &d.tile.map);
    xt_tile_is_used_(x, &d.tile);
    if (x->planning || !v.blocks) return v;
    xt_grid_init_(&g, &d.tile.dist);
    for (i = 0; i < g.blocks; i++) {
        xt_block_ b = xt_block_at_(&g, i);
        cm_mem mem = xt_mem_(w, &d.tile, &b);
        if (d.padding != 0) {
            mem.padding = xt_constant_(x, d.tile.type, &padding);
            mem.block2d = CM_BLOCK2D_NO; /* the messages give zeros */
        }
        v.block[i] = cm_load(&x->cm, b.cols, b.rows, v.type, v.use, &mem);
    }
    return v;
}

static inline bool xt_check_store_(xt_where_ w, const xt_vec *v, const xt_tile *t)
{
    const int *p = v->dist.shape, *q = t->dist.shape;
    if (!xt_check_vec_(w, v, "the vector of XT_STORE_TILE") || !xt_check_tile_(w, t, "the tile of XT_STORE_TILE"))
        return false;
    if (p[0] != q[0] || p[1] != q[1]) {
        xt_fail_(w, XT_ERROR_STORE_SHAPE, "vector %d x %d, tile %d x %d", p[0], p[1], q[0], q[1]);
        return false;
    }
    if (v->type != t->type) {
        xt_fail_(w, XT_ERROR_STORE_TYPE, "vector of %s, tile of %s", xt_type_name_(v->type), xt_type_name_(t->type));
        return false;
    }
    if (xt_same_map_(&v->map, &t->map)) return true;
    xt_fail_(w, XT_ERROR_STORE_MAP,
             "vector sg_layout {%d, %d} sg_data {%d, %d}, tile sg_layout {%d, %d} sg_data {%d, %d}",
             v->map.sg_layout[0], v->map.sg_layout[1], v->map.sg_data[0], v->map.sg_data[1], t->map.sg_layout[0],
             t->map.sg_layout[1], t->map.sg_data[0], t->map.sg_data[1]);
    return false;
}

static inline void xt_store_tile_(xt_where_ w, xt_vec v, xt_tile t)
{
    xt_ctx *x = w.x;
    xt_grid_ g;
    int i;
    if (!xt_enter_(w, 53) || !xt_check_store_(w, &v, &t)) return;
    xt_need_layout_(x, &v, CM_ACC, false);
    xt_tile_is_used_(x, &t);
    if (x->planning) return;
    v = xt_as_use_(x, &v, CM_ACC);
    xt_grid_init_(&g, &t.dist);
    for (i = 0; i < g.blocks && i < v.blocks; i++) {
        xt_block_ b = xt_block_at_(&g, i);
        cm_mem mem = xt_mem_(w, &t, &b);
        cm_store(&x->cm, &v.block[i], &mem);
    }
}

typedef struct {
    xt_tile tile;
    int locality;
} xt_prefetch_desc_;

static inline void xt_prefetch_tile_(xt_where_ w, xt_prefetch_desc_ d)
{
    static const int levels[] = {2, 2, 2, 0}; /* by locality: the first cache level that keeps it */
    xt_ctx *x = w.x;
    xt_grid_ g;
    int i;
    if (!xt_enter_(w, 54) || !xt_check_tile_(w, &d.tile, "the tile of XT_PREFETCH_TILE")) return;
    if (d.locality < 0 || d.locality > 3) {
        xt_fail_(w, XT_ERROR_LOCALITY, "got %d", d.locality);
        return;
    }
    xt_tile_is_used_(x, &d.tile);
    if (x->planning) return;
    xt_grid_init_(&g, &d.tile.dist);
    for (i = 0; i < g.blocks; i++) {
        xt_block_ b = xt_block_at_(&g, i);
        cm_mem mem = xt_mem_(w, &d.tile, &b);
        cm_prefetch(&x->cm, b.cols, b.rows, d.tile.type, &mem, levels[d.locality]);
    }
}
