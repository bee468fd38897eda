/* access.c - load_tile, store_tile, load_gather, store_scatter. */
#include "internal.h"

/* ---- blocks in memory -------------------------------------------------------------------------------------------- */

/* Adds a block's position to the address if nothing is checked, so that coopmatrix.h can access several elements at
 * once where the alignment allows. The position is a multiple of `line` elements across lines and of `along` within a
 * line. */
XE_FN_ void xt_fold_place_(xt_ctx *x, cm_mem *mem, int bytes, int64_t line, int64_t along)
{
    spe_module *m = &x->m;
    int64_t align = XT_LOCAL_ALIGN_;
    if (line * bytes < align) align = line * bytes;
    if (along * bytes < align) align = along * bytes;
    spe_id at = spe_imul(m, mem->col, mem->stride_col);
    at = spe_iadd(m, spe_imul(m, mem->row, mem->stride_row), at);
    mem->ptr = spe_index(m, mem->ptr, at);
    mem->row = mem->col = spe_i32(m, 0);
    mem->align = (uint32_t)align;
}

/* Excludes columns of a block beyond its piece: they must not be written, and may read as anything. 2D block messages
 * read up to the end of the matrix, whose width is known to be legal. extent: of columns. */
XE_FN_ void xt_leave_out_(xt_ctx *x, cm_mem *mem, const xt_block_ *b, const xt_val *extent)
{
    spe_module *m = &x->m;
    if (b->valid == b->cols) return;
    spe_id end = spe_iadd(m, mem->row, spe_i32(m, b->valid));
    if (mem->rows) {
        spe_id zero = spe_i32(m, 0);
        end = spe_math2(m, SPE_SMAX, spe_math2(m, SPE_SMIN, end, mem->rows), zero);
    }
    mem->rows = mem->block2d == CM_BLOCK2D_YES ? xt_index_id_(x, extent) : end;
}

/* A surface's address, of its own on each side of an XT_IF: see spe_differ. */
XE_FN_ spe_id xt_side_address_(xt_ctx *x, spe_id address)
{
    if (x->side) spe_differ(&x->m, x->side, 1, &address);
    return address;
}

static spe_id xt_side_pointer_(xt_ctx *x, spe_id ptr)
{
    spe_id i64 = spe_int(&x->m, 64), type = spe_type_of(&x->m, ptr);
    if (!x->side || !x->target.igc) return ptr;
    return spe_u_to_ptr(&x->m, type, xt_side_address_(x, spe_ptr_to_u(&x->m, i64, ptr)));
}

/* Makes the number of lines of a surface legal where it was not known before the body: if there are none, the position
 * is beyond the only line. */
static void xt_late_lines_(spe_module *m, spe_id *lines, spe_id *at)
{
    spe_id most = spe_i32(m, 1 << 24), one = spe_i32(m, 1);
    *at = spe_select(m, spe_slt(m, *lines, one), most, *at);
    *lines = spe_math2(m, SPE_SMIN, spe_math2(m, SPE_SMAX, *lines, one), most);
}

/* A block of a tile as memory for coopmatrix.h, transposed: its rows are our columns. */
XE_FN_ cm_mem xt_mem_(xt_ctx *x, const xt_tile *t, const xt_block_ *b, int access)
{
    cm_mem mem = XT_ZERO_;
    spe_id row = xt_index_id_(x, &t->offset[0]), col = xt_index_id_(x, &t->offset[1]),
           pitch = xt_index_id_(x, &t->pitch);
    int bytes = xt_bytes_(t->type), in = t->column_major ? b->row : b->col, out = t->column_major ? b->col : b->row;
    bool messages = xt_by_block2d_(x, t) && !xt_why_not_block_(x, t, b, access);
    mem.ptr = t->base.id;
    mem.rows = t->inside ? 0 : xt_index_id_(x, &t->shape[1]);
    mem.cols = t->inside ? 0 : xt_index_id_(x, &t->shape[0]);
    mem.row = b->col ? spe_iadd(&x->m, col, spe_i32(&x->m, b->col)) : col;
    mem.col = b->row ? spe_iadd(&x->m, row, spe_i32(&x->m, b->row)) : row;
    mem.stride_row = t->column_major ? pitch : spe_i32(&x->m, t->step);
    mem.stride_col = t->column_major ? spe_i32(&x->m, t->step) : pitch;
    mem.block2d = messages ? CM_BLOCK2D_YES : CM_BLOCK2D_NO;
    if (messages) mem.ptr = xt_side_pointer_(x, mem.ptr);
    else if (!t->inside) *(t->column_major ? &mem.rows : &mem.cols) = xt_lines_id_(x, t);
    if (messages && !t->inside && xt_plan_tile_at_(x, xt_tile_root_(x, t->number))->late_lines) {
        if (t->column_major) xt_late_lines_(&x->m, &mem.rows, &mem.row);
        else xt_late_lines_(&x->m, &mem.cols, &mem.col);
    }
    mem.band = t->base.local ? (uint32_t)xt_plan_tile_at_(x, t->number)->band : 0;
    if (mem.band) {
        mem.stride_row = spe_u32(&x->m, mem.band / (uint32_t)x->S);
        mem.stride_col = spe_i32(&x->m, x->S);
        xt_fold_place_(x, &mem, bytes, x->S, x->S);
        mem.stride_row = spe_i32(&x->m, 1);
    } else if (t->base.local && t->inside && t->pitch.kind == SPE_INT && t->step == 1)
        xt_fold_place_(x, &mem, bytes,
                       (int64_t)xt_align_of_(t->pitch.integer) *
                           xt_least_(xt_val_align_(&t->offset[1 - xt_inner_(t)]), xt_align_of_(out)),
                       xt_least_(xt_val_align_(&t->offset[xt_inner_(t)]), xt_align_of_(in)));
    xt_leave_out_(x, &mem, b, &t->shape[1]);
    return mem;
}

/* ---- load_tile, store_tile --------------------------------------------------------------------------------------- */

/* The padding as a number of the type. */
static xt_val xt_padding_(int type, double padding)
{
    if (xt_is_float_(type)) return spe_val_real(padding);
    int64_t whole;
    spe_real_to_int(padding, &whole);
    return spe_val_int(whole);
}

/* The type must be able to represent it. */
static bool xt_check_padding_(xt_where_ w, int type, double padding)
{
    xt_val number = xt_padding_(type, padding);
    int64_t integer;
    bool whole = spe_real_to_int(padding, &integer) && (type != XT_BOOL_ || integer == 0 || integer == 1);
    if (xt_is_float_(type) || whole) return xt_check_number_(w, &number, type, ".padding");
    return xt_fail_(w, XT_ERROR_SCALAR_RANGE, ".padding is %s, wanted %s", spe_decimal_of(padding, 'g', 6).s,
                    xt_type_name_(type));
}

/* In memory an i1 is any byte; in vectors it is 0 or 1. */
static spe_id xt_truth_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    spe_id t = spe_type_of(c->module, a), one = spe_const_u(c->module, t, 1), zero = spe_const_u(c->module, t, 0);
    (void)type, (void)b, (void)user;
    return spe_select(c->module, spe_ine(c->module, a, zero), one, zero);
}

xt_vec xt_load_tile_(xt_where_ w, xt_load_desc_ d)
{
    xt_vec form = xt_form_(&d.tile);
    if (!xt_enter_(w) || !xt_check_tile_(w, &d.tile, false, "the tile of XT_LOAD_TILE") ||
        !xt_check_padding_(w, d.tile.type, d.padding))
        return xt_no_vec_();
    if (d.tile.inside) d.border = XT_BORDER_PADDING;
    xt_vec v = xt_new_vec_(w.x, d.tile.type, &form);
    xt_spread_of_tile_(w.x, v.id, &d.tile);
    xt_record_(w, XT_OP_LOAD_TILE_, 0, v.id, &d, sizeof d);
    return v;
}

XE_FN_ void xt_write_load_tile_(xt_ctx *x, const xt_node_ *n)
{
    const xt_load_desc_ *d = n->load;
    xt_value_ *value = xt_value_at_(x, n->result);
    if (value->late && x->at == value->node) { /* left for its only use, which may load it transposed instead */
        value->unmade = true;
        return;
    }
    xt_tile t = xt_now_tile_(x, &d->tile);
    cm_type held = xt_held_(t.type);
    xt_vec v = xt_make_vec_(x, n);
    xt_val padding = xt_padding_(t.type, d->padding);
    if (x->staged && xt_write_staged_(x, n)) return;
    bool plain = xt_pads_with_zero_(d) && d->border == XT_BORDER_PADDING && held == v.type;
    if (x->turning && plain && xt_load_turns_(x, n, &t, &v)) {
        xt_define_vec_(x, n->result, v);
        return;
    }
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_next_block_(&b);) {
        cm_mem mem = xt_mem_(x, &t, &b, (int)v.use);
        if (!xt_pads_with_zero_(d)) {
            mem.padding = xt_constant_(x, held, &padding);
            mem.block2d = CM_BLOCK2D_NO; /* messages read zeros outside */
        }
        if (d->border != XT_BORDER_PADDING)
            v.block[b.i] = xt_load_bordered_(x, &t, &b, (int)d->border, v.use);
        else
            v.block[b.i] = cm_load(&x->cm, b.cols, b.rows, held, v.use, &mem);
        if (held != v.type) v.block[b.i] = cm_map1(&x->cm, &v.block[b.i], xt_truth_, NULL);
    }
    xt_define_vec_(x, n->result, v);
}

/* Can the vector be stored to the tile? */
XE_FN_ bool xt_check_store_(xt_where_ w, const xt_vec *v, const xt_tile *t)
{
    static const xt_same_errors_ errors = {XT_ERROR_STORE_SHAPE, XT_ERROR_STORE_TYPE, XT_ERROR_STORE_BLOCKS,
                                           XT_ERROR_STORE_MAP};
    xt_vec form = xt_form_(t);
    return xt_check_same_(w, &errors, "vector", v, "tile", &form);
}

/* Overlapping rows can be loaded, but storing to them is undefined. */
static bool xt_check_rows_(xt_where_ w, const xt_tile *t)
{
    const xt_val *along = &t->shape[xt_inner_(t)], *lines = &t->shape[1 - xt_inner_(t)];
    return t->pitch.kind != SPE_INT || along->kind != SPE_INT || (lines->kind == SPE_INT && lines->integer < 2) ||
           t->pitch.integer >= along->integer ||
           xt_fail_(w, XT_ERROR_TILE_STRIDES, "rows of %lld elements, %lld apart, overlap and cannot be stored to",
                    (long long)along->integer, (long long)t->pitch.integer);
}

void xt_store_tile_(xt_where_ w, xt_vec v, xt_tile t)
{
    xt_scattered_ d = {v, {t, xt_no_vec_(), 0}};
    if (xt_enter_(w) && xt_check_vec_(w, &v, "the vector of XT_STORE_TILE") &&
        xt_check_tile_(w, &t, false, "the tile of XT_STORE_TILE") && xt_check_store_(w, &v, &t) &&
        xt_check_rows_(w, &t))
        xt_record_(w, XT_OP_STORE_TILE_, 0, 0, &d, sizeof d);
}

/* Stores each strip as soon as it is computed. */
XE_FN_ void xt_store_strips_(xt_ctx *x, const xt_node_ *n)
{
    const xt_scattered_ *d = n->scattered;
    xt_tile t = xt_now_tile_(x, &d->d.tile);
    for (xt_block_ b = xt_blocks_(x, &t.dist); spe_ok(&x->m) && xt_next_block_(&b);) {
        xt_block_ at = b;
        int i, strips = xt_strips_(&xt_value_at_(x, d->v.id)->now.vec.block[b.i]);
        for (i = 0; i < strips; i++, at.row += at.rows) {
            cm_matrix strip = xt_strip_(x, &d->v, b.i, i);
            if (at.row == b.row + b.rows) at.row = b.row, at.col += at.cols;
            at.rows = strip.layout.cols;
            at.cols = strip.layout.rows;
            at.valid = xt_least_(at.cols, b.col + b.valid - at.col);
            cm_mem mem = xt_mem_(x, &t, &at, XT_STORED_);
            spe_at(&x->m, n->file, n->line);
            cm_store(&x->cm, &strip, &mem);
        }
    }
    xt_value_at_(x, d->v.id)->unmade = false;
}

XE_FN_ void xt_write_store_tile_(xt_ctx *x, const xt_node_ *n)
{
    xt_tile t = xt_now_tile_(x, &n->scattered->d.tile);
    if (xt_value_at_(x, n->scattered->v.id)->unmade) {
        xt_store_strips_(x, n);
        return;
    }
    if (x->staged && xt_write_copy_(x, n)) return;
    xt_vec v = xt_now_as_(x, &n->scattered->v, CM_ACC);
    for (xt_block_ b = xt_blocks_(x, &t.dist); v.blocks && xt_next_block_(&b);) {
        cm_mem mem = xt_mem_(x, &t, &b, XT_STORED_);
        cm_store(&x->cm, &v.block[b.i], &mem);
    }
}

/* ---- load_gather, store_scatter ---------------------------------------------------------------------------------- */

XE_FN_ bool xt_check_mask_(xt_where_ w, const xt_vec *mask, const xt_tile *t)
{
    static const xt_same_errors_ errors = {XT_ERROR_MASK_SHAPE, 0, 0, XT_ERROR_MASK_MAP};
    xt_vec form = xt_form_(t);
    if (!mask->magic) return true;
    if (!xt_check_vec_(w, mask, "the mask")) return false;
    if (mask->type != (cm_type)XT_BOOL_) return xt_fail_(w, XT_ERROR_MASK_TYPE, "got %s", xt_type_name_(mask->type));
    return xt_check_same_(w, &errors, "mask", mask, "tile", &form);
}

/* The state of accessing a scatter tile block by block. */
typedef struct {
    xt_ctx *x;
    const xt_tile *t;
    xt_vec all, allowed;             /* offsets and mask, in one layout; allowed.blocks 0: no mask */
    const cm_matrix *offsets, *mask; /* of the block; mask may be NULL */
    spe_id count;                    /* elements of the base, i64, not negative */
    int valid;                       /* columns of the block */
} xt_spread_;

/* The offset of component v as i64, and whether that element may be accessed. */
static spe_id xt_spread_inside_(const xt_spread_ *s, int v, spe_id *offset)
{
    cm_ctx *c = &s->x->cm;
    spe_module *m = c->module;
    const cm_layout *l = &s->offsets->layout;
    spe_id inside, i64 = spe_int(m, 64), lane;
    *offset = spe_cast(m, i64, cm_component(c, s->offsets, v), xt_is_signed_(s->t->offsets.type));
    inside = spe_ult(m, *offset, s->count);
    if (l->size_i < l->lanes) { /* not padding */
        spe_id cols = spe_i32(m, l->cols);
        inside = spe_land(m, inside, spe_ult(m, cm_col_index(c, l, v), cols));
    }
    if (s->valid < l->rows) {
        spe_id rows = spe_i32(m, s->valid);
        inside = spe_land(m, inside, spe_ult(m, cm_row_index(c, l, v), rows));
    }
    if (!s->mask) return inside;
    lane = cm_component(c, s->mask, v);
    return spe_land(m, inside, spe_ine(m, lane, spe_null(m, spe_type_of(m, lane))));
}

/* Elements that must not be read load the base's first element and select the padding; a branch skips an empty base. */
static cm_matrix xt_gather_block_(const xt_spread_ *s, const cm_layout *l, spe_id padding)
{
    spe_module *m = &s->x->m;
    spe_id *got = (spe_id *)xt_memory_(s->x, 2 * (size_t)l->size_v * sizeof *got), some;
    uint64_t known = 0;
    if (!got) return cm_poison();
    some = spe_sgt(m, s->count, spe_const_i(m, spe_int(m, 64), 0));
    if (spe_const_bits(m, some, &known) && known) some = 0;
    if (some) spe_if(m, some);
    for (int v = 0; v < l->size_v; v++) {
        spe_id offset, inside = xt_spread_inside_(s, v, &offset);
        offset = spe_select(m, inside, offset, spe_null(m, spe_type_of(m, offset)));
        got[v] = spe_load(m, spe_index(m, s->t->base.id, offset), (uint32_t)cm_type_info(l->type)->bytes);
        got[v] = spe_select(m, inside, got[v], padding);
        got[l->size_v + v] = padding;
    }
    if (some) spe_endif_from(m, (uint32_t)l->size_v, got, got + l->size_v, got);
    return cm_from_components(&s->x->cm, l, got);
}

/* Calls fn for each element that may be accessed, with its address; its results form the block `got`, 0 elsewhere. got
 * NULL: no results. */
static void xt_visit_block_(const xt_spread_ *s, const cm_matrix *a, cm_visit_fn fn, void *user, cm_matrix *got)
{
    cm_ctx *c = &s->x->cm;
    spe_id *out = (spe_id *)xt_memory_(s->x, (size_t)(a->layout.size_v ? a->layout.size_v : 1) * sizeof *out);
    spe_diverged(c->module);
    for (int v = 0; out && v < a->layout.size_v; v++) {
        spe_id offset, inside = xt_spread_inside_(s, v, &offset), value = cm_component(c, a, v), none;
        none = spe_null(c->module, spe_type_of(c->module, value));
        spe_if(c->module, inside);
        value = fn(c, a->layout.type, spe_index(c->module, s->t->base.id, offset), value, user);
        spe_endif_from(c->module, got ? 1 : 0, &value, &none, &out[v]);
    }
    if (got) *got = out ? cm_from_components(c, &a->layout, out) : cm_poison();
}

static spe_id xt_store_element_(cm_ctx *c, cm_type type, spe_id ptr, spe_id v, void *user)
{
    (void)user;
    spe_store(c->module, ptr, v, (uint32_t)cm_type_info(type)->bytes);
    return 0;
}

/* Sets up an access. A base of negative size is empty. t: the tile's current state. */
static xt_spread_ xt_spread_init_(xt_ctx *x, const xt_tile *t, const xt_vec *mask)
{
    spe_module *m = &x->m;
    spe_id n = xt_index_id_(x, &t->shape[1]), zero = spe_i32(m, 0);
    xt_spread_ s = XT_ZERO_;
    s.x = x;
    s.t = t;
    n = spe_select(m, spe_sgt(m, n, zero), n, zero);
    s.count = spe_sconvert(m, spe_int(m, 64), n);
    s.all = xt_as_use_(x, &t->offsets, CM_ACC);
    if (mask->magic) s.allowed = xt_now_as_(x, mask, CM_ACC);
    return s;
}

static bool xt_spread_next_(xt_spread_ *s, xt_block_ *b)
{
    if (!s->all.blocks || !xt_next_block_(b)) return false;
    s->offsets = &s->all.block[b->i];
    s->mask = s->allowed.blocks ? &s->allowed.block[b->i] : NULL;
    s->valid = b->valid;
    return true;
}

xt_vec xt_load_gather_(xt_where_ w, xt_gather_desc_ d)
{
    xt_scattered_ of = {xt_no_vec_(), d};
    xt_vec form = xt_form_(&d.tile);
    if (!xt_enter_(w) || !xt_check_tile_(w, &d.tile, true, "the tile of XT_LOAD_GATHER") ||
        !xt_check_mask_(w, &d.mask, &d.tile) || !xt_check_padding_(w, d.tile.type, d.padding))
        return xt_no_vec_();
    xt_vec v = xt_new_vec_(w.x, d.tile.type, &form);
    xt_spread_of_tile_(w.x, v.id, &d.tile);
    xt_spread_like_(w.x, v.id, &d.mask);
    xt_record_(w, XT_OP_LOAD_GATHER_, 0, v.id, &of, sizeof of);
    return v;
}

XE_FN_ void xt_write_load_gather_(xt_ctx *x, const xt_node_ *n)
{
    const xt_gather_desc_ *d = &n->scattered->d;
    xt_tile t = xt_now_tile_(x, &d->tile);
    cm_type held = xt_held_(t.type);
    xt_vec v = xt_make_vec_(x, n);
    xt_spread_ s = xt_spread_init_(x, &t, &d->mask);
    xt_val padding = xt_padding_(t.type, d->padding);
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_spread_next_(&s, &b);) {
        cm_layout l = cm_layout_for(&x->cm, s.offsets->layout.rows, s.offsets->layout.cols, held, CM_ACC);
        v.block[b.i] = xt_gather_block_(&s, &l, xt_constant_(x, held, &padding));
        if (held != v.type) v.block[b.i] = cm_map1(&x->cm, &v.block[b.i], xt_truth_, NULL);
    }
    xt_define_vec_(x, n->result, xt_settle_(x, v));
}

void xt_store_scatter_(xt_where_ w, xt_vec v, xt_gather_desc_ d)
{
    xt_scattered_ of = {v, d};
    if (xt_enter_(w) && xt_check_vec_(w, &v, "the vector of XT_STORE_SCATTER") &&
        xt_check_tile_(w, &d.tile, true, "the tile of XT_STORE_SCATTER") && xt_check_store_(w, &v, &d.tile) &&
        xt_check_mask_(w, &d.mask, &d.tile))
        xt_record_(w, XT_OP_STORE_SCATTER_, 0, 0, &of, sizeof of);
}

/* Accesses all blocks; r receives fn's results, unless NULL. */
XE_FN_ void xt_visit_scattered_(xt_ctx *x, const xt_scattered_ *d, cm_visit_fn fn, void *user, xt_vec *r)
{
    xt_tile t = xt_now_tile_(x, &d->d.tile);
    xt_vec v = xt_now_as_(x, &d->v, CM_ACC);
    xt_spread_ s = xt_spread_init_(x, &t, &d->d.mask);
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_spread_next_(&s, &b);)
        xt_visit_block_(&s, &v.block[b.i], fn, user, r ? &r->block[b.i] : NULL);
}

XE_FN_ void xt_write_store_scatter_(xt_ctx *x, const xt_node_ *n)
{
    xt_visit_scattered_(x, n->scattered, xt_store_element_, NULL, NULL);
}
