/* lower/access.c - blocks of tiles in memory. */
#include "../internal.h"

/* Adds a block's position to the address if nothing is checked, so that coopmatrix.h can access several elements at
 * once where the alignment allows. The position is a multiple of `line` elements across lines and of `along` within a
 * line. */
XE_FN_ void xt_fold_offset_(xt_ctx *x, cm_mem *mem, int bytes, int64_t line, int64_t along)
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

XE_ONCE_
static spe_id xt_side_pointer_(xt_ctx *x, spe_id ptr)
{
    spe_id i64 = spe_int(&x->m, 64), type = spe_type_of(&x->m, ptr);
    if (!x->side || !x->target.igc) return ptr;
    return spe_u_to_ptr(&x->m, type, xt_side_address_(x, spe_ptr_to_u(&x->m, i64, ptr)));
}

/* Makes the number of lines of a surface legal where it was not known before the body: if there are none, the position
 * is beyond the only line. */
static void xt_make_lines_legal_(spe_module *m, spe_id *lines, spe_id *at)
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
    if (messages && !t->inside && xt_plan_tile_at_(x, xt_tile_root_(x, t->number))->lines_in_body) {
        if (t->column_major) xt_make_lines_legal_(&x->m, &mem.rows, &mem.row);
        else xt_make_lines_legal_(&x->m, &mem.cols, &mem.col);
    }
    mem.band = t->base.local ? (uint32_t)xt_plan_tile_at_(x, t->number)->band : 0;
    if (mem.band) {
        mem.stride_row = spe_u32(&x->m, mem.band / (uint32_t)x->S);
        mem.stride_col = spe_i32(&x->m, x->S);
        xt_fold_offset_(x, &mem, bytes, x->S, x->S);
        mem.stride_row = spe_i32(&x->m, 1);
    } else if (t->base.local && t->inside && t->pitch.kind == SPE_INT && t->step == 1)
        xt_fold_offset_(x, &mem, bytes,
                       (int64_t)xt_align_of_(t->pitch.integer) *
                           xt_least_(xt_val_align_(&t->offset[1 - xt_inner_(t)]), xt_align_of_(out)),
                       xt_least_(xt_val_align_(&t->offset[xt_inner_(t)]), xt_align_of_(in)));
    else if (x->desc->pitch == XT_PITCH_ALIGNED && !t->base.local && in * bytes % 4 == 0)
        mem.align = in * bytes % 16 || xt_val_align_(&t->offset[xt_inner_(t)]) * bytes % 16 ? 4 : 16;
    xt_leave_out_(x, &mem, b, &t->shape[1]);
    return mem;
}
