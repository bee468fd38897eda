/* access.c - load_tile, store_tile, prefetch_tile. */
#include "internal.h"

/* In local memory, where nothing is tested, a block's place goes into the address, whose alignment coopmatrix.h is
 * told: it can then access several elements at once. */
static void xt_local_mem_(xt_ctx *x, const xt_tile *t, const xt_block_ *b, cm_mem *mem)
{
    const xt_val *inner = &t->offset[xt_inner_(t)], *outer = &t->offset[1 - xt_inner_(t)];
    int bytes = cm_type_info(xt_held_(t->type))->bytes, in = t->column_major ? b->row : b->col;
    int64_t out = t->column_major ? b->col : b->row, line = (int64_t)xt_align_of_(t->pitch.i) * bytes;
    int64_t align = XT_LOCAL_ALIGN_,
            step = xt_val_align_(outer) < xt_align_of_(out) ? xt_val_align_(outer) : xt_align_of_(out);
    if (line * step < align) align = line * step;
    step = xt_val_align_(inner) < xt_align_of_(in) ? xt_val_align_(inner) : xt_align_of_(in);
    if (step * bytes < align) align = step * bytes;
    mem->ptr = spe_index(
        &x->m, mem->ptr,
        spe_iadd(&x->m, spe_imul(&x->m, mem->row, mem->stride_row), spe_imul(&x->m, mem->col, mem->stride_col)));
    mem->row = mem->col = spe_i32(&x->m, 0);
    mem->align = (uint32_t)align;
}

/* A block of a tile as coopmatrix.h sees it: the transpose, its rows are our columns. */
cm_mem xt_mem_(xt_where_ w, const xt_tile *t, const xt_block_ *b)
{
    xt_ctx *x = w.x;
    cm_mem mem;
    spe_id row = xt_index_id_(w, &t->offset[0], "the row offset"),
           col = xt_index_id_(w, &t->offset[1], "the column offset");
    spe_id pitch = xt_index_id_(w, &t->pitch, "the pitch");
    bool aligned = (t->column_major ? b->row : b->col) * cm_type_info(xt_held_(t->type))->bytes % 4 == 0;
    memset(&mem, 0, sizeof mem);
    mem.ptr = t->base.id;
    mem.rows = t->inside ? 0 : xt_index_id_(w, &t->shape[1], "the shape");
    mem.cols = t->inside ? 0 : xt_index_id_(w, &t->shape[0], "the shape");
    mem.row = b->col ? spe_iadd(&x->m, col, spe_i32(&x->m, b->col)) : col;
    mem.col = b->row ? spe_iadd(&x->m, row, spe_i32(&x->m, b->row)) : row;
    mem.stride_row = t->column_major ? pitch : spe_i32(&x->m, 1);
    mem.stride_col = t->column_major ? spe_i32(&x->m, 1) : pitch;
    mem.block2d = x->block2d && aligned && xt_plan_tile_at_(x, xt_tile_root_(x, t->node))->possible ? CM_BLOCK2D_YES
                                                                                                    : CM_BLOCK2D_NO;
    if (t->base.local && t->inside && t->pitch.kind == XT_INT_) xt_local_mem_(x, t, b, &mem);
    return mem;
}

void xt_tile_is_used_(xt_ctx *x, const xt_tile *t)
{
    if (x->planning && spe_ok(&x->m)) xt_plan_tile_at_(x, t->node)->used = true;
}

/* The padding as a number of the type; integers must be whole. */
bool xt_padding_(xt_where_ w, int type, double padding, xt_val *number)
{
    bool whole = padding >= -0x1p63 && padding < 0x1p63 && (double)(long long)padding == padding;
    *number = xt_is_float_(type) ? xt_real_(padding) : xt_int_(whole ? (long long)padding : 0);
    if (xt_is_float_(type) || (whole && (type != XT_BOOL_ || padding == 0 || padding == 1)))
        return xt_check_number_(w, number, type, ".padding");
    xt_fail_(w, XT_ERROR_SCALAR_RANGE, ".padding is %g, wanted %s", padding, xt_type_name_(type));
    return false;
}

/* What 2D block messages give outside: all bits zero (so -0.0 is not meant). */
static bool xt_is_zero_(const xt_val *v)
{
    double zero = 0;
    return v->kind == XT_INT_ ? v->i == 0 : memcmp(&v->real, &zero, sizeof zero) == 0;
}

/* An i1 of memory may be any byte; in vectors it is 0 or 1. */
spe_id xt_truth_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    spe_id t = spe_type_of(c->m, a), one = spe_const_u(c->m, t, 1), zero = spe_const_u(c->m, t, 0);
    (void)type, (void)b, (void)user;
    return spe_select(c->m, spe_ine(c->m, a, zero), one, zero);
}

/* A transpose that follows at once may load the tile anew, transposed. */
static void xt_note_load_(xt_ctx *x, xt_vec *v, const xt_load_desc_ *d)
{
    xt_load_desc_ *copy = (xt_load_desc_ *)xt_memory_(x, sizeof *copy);
    if (!copy) return;
    *copy = *d;
    v->loaded = copy;
    v->operation = x->operations;
}

xt_vec xt_load_tile_(xt_where_ w, xt_load_desc_ d)
{
    xt_ctx *x = w.x;
    cm_type held;
    xt_val padding;
    xt_grid_ g;
    xt_vec v;
    int i;
    if (!xt_enter_(w, XT_OP_LOAD_TILE_) || !xt_check_regular_(w, &d.tile, "the tile of XT_LOAD_TILE") ||
        !xt_padding_(w, d.tile.type, d.padding, &padding))
        return xt_no_vec_();
    v = xt_new_vec_(w, d.tile.type, &d.tile.dist, &d.tile.map);
    memcpy(v.inner, d.tile.inner, sizeof v.inner);
    xt_tile_is_used_(x, &d.tile);
    if (x->planning || !v.blocks) return v;
    held = xt_held_(v.type);
    xt_grid_init_(&g, &d.tile.dist);
    for (i = 0; i < g.blocks; i++) {
        xt_block_ b = xt_block_at_(&g, i);
        cm_mem mem = xt_mem_(w, &d.tile, &b);
        if (!xt_is_zero_(&padding)) {
            mem.padding = xt_constant_(x, held, &padding);
            mem.block2d = CM_BLOCK2D_NO; /* the messages give zeros */
        }
        v.block[i] = cm_load(&x->cm, b.cols, b.rows, held, v.use, &mem);
        if (held != v.type) v.block[i] = cm_map1(&x->cm, &v.block[i], xt_truth_, NULL);
    }
    xt_note_load_(x, &v, &d);
    return v;
}

/* May the vector be written to the tile? */
bool xt_check_store_(xt_where_ w, const xt_vec *v, const xt_tile *t)
{
    const int *p = v->dist.shape, *q = t->dist.shape;
    if (p[0] != q[0] || p[1] != q[1]) {
        xt_fail_(w, XT_ERROR_STORE_SHAPE, "vector %d x %d, tile %d x %d", p[0], p[1], q[0], q[1]);
        return false;
    }
    if (v->type != t->type) {
        xt_fail_(w, XT_ERROR_STORE_TYPE, "vector of %s, tile of %s", xt_type_name_(v->type), xt_type_name_(t->type));
        return false;
    }
    if (v->inner[0] != t->inner[0] || v->inner[1] != t->inner[1]) {
        xt_fail_(w, XT_ERROR_STORE_BLOCKS, "vector {%d, %d}, tile {%d, %d}", v->inner[0], v->inner[1], t->inner[0],
                 t->inner[1]);
        return false;
    }
    if (xt_same_map_(&v->map, &t->map)) return true;
    xt_fail_(w, XT_ERROR_STORE_MAP,
             "vector sg_layout {%d, %d} sg_data {%d, %d}, tile sg_layout {%d, %d} sg_data {%d, %d}",
             v->map.sg_layout[0], v->map.sg_layout[1], v->map.sg_data[0], v->map.sg_data[1], t->map.sg_layout[0],
             t->map.sg_layout[1], t->map.sg_data[0], t->map.sg_data[1]);
    return false;
}

void xt_store_tile_(xt_where_ w, xt_vec v, xt_tile t)
{
    xt_ctx *x = w.x;
    xt_grid_ g;
    int i;
    if (!xt_enter_(w, XT_OP_STORE_TILE_) || !xt_check_vec_(w, &v, "the vector of XT_STORE_TILE") ||
        !xt_check_regular_(w, &t, "the tile of XT_STORE_TILE") || !xt_check_store_(w, &v, &t))
        return;
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
