/* lower/scratch.c - moving elements between subgroups through local memory. */
#include "../internal.h"

XE_ONCE_
XE_FN_ xt_scratch_ xt_scratch_init_(cm_type type, const xt_dist *d, const xt_source_ *from)
{
    int bytes = xt_bytes_(type), pad = from->transposed ? 16 / bytes : 0; /* spreads over the banks */
    xt_scratch_ s = {*from, d->shape[1] + pad, bytes, d->shape[0], 0};
    return s;
}

/* The rows of one pass: whole pieces of the source if possible. */
static int xt_scratch_rows_(const xt_ctx *x, const xt_scratch_ *s, const xt_fragments_ *v)
{
    int rows = (int)(x->scratch_bytes / ((size_t)s->pitch * (size_t)s->bytes)), piece = v->dist.data[0];
    if (rows >= s->height) return s->height;
    return rows > piece ? rows - rows % piece : rows < 1 ? 1 : rows;
}

XE_ONCE_
XE_FN_ spe_id xt_scratch_pointer_(xt_ctx *x, cm_type type)
{
    spe_id zero = spe_u32(&x->m, 0), pointee = xt_spe_type_(x, (int)type);
    return spe_ptr_cast(&x->m, spe_element(&x->m, x->scratch, 1, &zero), pointee);
}

/* A block's first row and column in the whole vector. */
static void xt_scratch_position_(xt_ctx *x, const xt_dist *d, int row, int col, spe_id at[2])
{
    for (int i = 0; i < 2; i++) {
        spe_id place = xt_piece_offset_id_(x, d, i);
        at[i] = spe_iadd(&x->m, place, spe_i32(&x->m, i ? col : row));
    }
}

/* An index of elements of other sizes than 32 bits, which Intel's compiler does not take for one of 32 bits: from the
 * address of element i of an array of halves in local memory it computes that of element i + 5 of floats there. */
static spe_id xt_scratch_index_(xt_ctx *x, const xt_scratch_ *s, spe_id index)
{
    if (s->bytes != 4) spe_differ(&x->m, (uint32_t)s->bytes, 1, &index);
    return index;
}

/* The memory of a block in the pass that starts at row `low`, and the block's first row. */
static cm_mem xt_scratch_mem_(xt_ctx *x, const xt_scratch_ *s, const xt_dist *d, const xt_block_ *b, cm_type type,
                              int low, spe_id *first)
{
    spe_module *m = &x->m;
    const xt_source_ *from = &s->from;
    bool rows = from->divisor[0] == 1, cols = from->divisor[1] == 1;
    int down = from->transposed, known[2], i; /* down: the dimension that counts the source's rows */
    spe_id at[2], row, col, line, step;
    cm_mem mem = XT_ZERO_;
    xt_scratch_position_(x, d, b->row, b->col, at);
    *first = at[down];
    row = rows ? spe_iadd(m, at[down], spe_i32(m, from->shift[0] - low)) : spe_i32(m, 0);
    col = cols ? spe_iadd(m, at[!down], spe_i32(m, from->shift[1])) : spe_i32(m, 0);
    mem.ptr = xt_scratch_pointer_(x, type);
    step = spe_i32(m, cols);
    line = spe_i32(m, rows ? s->pitch : 0);
    row = xt_scratch_index_(x, s, row);
    col = xt_scratch_index_(x, s, col);
    mem.row = down ? row : col;
    mem.col = down ? col : row;
    mem.stride_row = down ? line : step;
    mem.stride_col = down ? step : line;
    mem.block2d = CM_BLOCK2D_NO;
    for (i = 0; i < 2; i++) {
        int place = xt_align_of_(d->layout[i] == 1 || d->count[i] == 1 ? 0 : d->data[i]);
        known[i] = xt_least_(xt_least_(place, xt_align_of_(i ? b->col : b->row)), xt_align_of_(from->shift[i ^ down]));
    }
    if (s->rows >= s->height && rows && cols)
        xt_fold_offset_(x, &mem, s->bytes, (int64_t)xt_align_of_(s->pitch) * known[down], known[!down]);
    xt_leave_out_(x, &mem, b, NULL);
    return mem;
}

/* With several passes: opens a branch for blocks with rows in the current one. */
static void xt_scratch_open_(xt_ctx *x, const xt_scratch_ *s, const xt_block_ *b, cm_mem *mem, spe_id first, int low)
{
    spe_module *m = &x->m;
    spe_id row = spe_iadd(m, first, spe_i32(m, s->from.shift[0])), below;
    *(s->from.transposed ? &mem->rows : &mem->cols) = spe_i32(m, s->rows);
    below = spe_slt(m, row, spe_i32(m, low + s->rows));
    row = spe_iadd(m, row, spe_i32(m, s->from.transposed ? b->cols : b->rows));
    spe_if(m, spe_land(m, below, spe_sgt(m, row, spe_i32(m, low))));
}

static void xt_scratch_write_(xt_ctx *x, const xt_scratch_ *s, const xt_fragments_ *v, int low)
{
    const xt_scratch_ plain = {XT_SAME_ELEMENT_, s->pitch, s->bytes, s->height, s->rows};
    bool whole = s->rows >= s->height;
    for (xt_block_ b = xt_blocks_(x, &v->dist); xt_next_block_(&b);) {
        spe_id first;
        cm_mem mem = xt_scratch_mem_(x, &plain, &v->dist, &b, xt_storage_type_(v->type), 0, &first);
        if (!whole) mem.col = spe_isub(&x->m, mem.col, spe_i32(&x->m, low));
        if (!whole) xt_scratch_open_(x, &plain, &b, &mem, first, low);
        cm_store(&x->cm, &v->block[b.i], &mem);
        if (!whole) spe_endif(&x->m, 0, NULL, NULL);
    }
}

/* Elements outside a pass are read as zero bits, so or-ing merges the passes. */
static spe_id xt_merge_part_(xt_ctx *x, cm_type of, spe_id a, spe_id b)
{
    const cm_type_row *row = cm_type_info(of);
    if (!row->storage_float) return spe_or(&x->m, a, b);
    spe_id bits = spe_vec_like(&x->m, spe_int(&x->m, (uint32_t)row->storage_bits), a);
    b = spe_bitcast(&x->m, bits, b);
    bits = spe_or(&x->m, spe_bitcast(&x->m, bits, a), b);
    return spe_bitcast(&x->m, spe_type_of(&x->m, a), bits);
}

static void xt_scratch_read_(xt_ctx *x, const xt_scratch_ *s, xt_fragments_ *r, int low)
{
    cm_type type = xt_storage_type_(r->type);
    bool whole = s->rows >= s->height;
    for (xt_block_ b = xt_blocks_(x, &r->dist); xt_next_block_(&b);) {
        cm_matrix *to = &r->block[b.i], now;
        spe_id first;
        cm_mem mem = xt_scratch_mem_(x, s, &r->dist, &b, type, low, &first);
        if (!whole && low == 0) *to = cm_splat(&x->cm, b.cols, b.rows, type, CM_ACC, 0);
        if (!whole) xt_scratch_open_(x, s, &b, &mem, first, low);
        now = cm_load(&x->cm, b.cols, b.rows, type, whole ? r->use : CM_ACC, &mem);
        if (!now.parts) return;
        for (int i = 0; i < now.parts && !whole; i++) now.part[i] = xt_merge_part_(x, type, to->part[i], now.part[i]);
        if (!whole) spe_endif_from(&x->m, (uint32_t)now.parts, now.part, to->part, now.part);
        *to = now;
    }
}

/* ---- passes over columns, in each of which every subgroup writes and reads a part of its vector------------------- */

/* The number of passes so that each takes the same columns of every piece. Then registers of written elements are free
 * while the rest is read, and nothing depends on the subgroup. 0: not possible. */
static int xt_slabs_(const xt_ctx *x, const xt_scratch_ *s, const xt_fragments_ *v, const xt_fragments_ *r)
{
    int width = v->dist.data[1];
    size_t all = (size_t)v->dist.shape[0] * (size_t)v->dist.shape[1] * (size_t)s->bytes;
    const xt_source_ *from = &s->from;
    if (from->transposed || from->in_order || from->divisor[0] != 1 || from->divisor[1] != 1 || from->shift[0] ||
        from->shift[1] || width % x->S || r->dist.data[1] % width || all <= x->scratch_bytes)
        return 0;
    for (int n = 2; n <= width / x->S; n++)
        if (width / x->S % n == 0 && all / (size_t)n <= x->scratch_bytes) return n;
    return 0;
}

/* The memory of columns c .. c + S of a subgroup's pieces, in their pass. */
static cm_mem xt_slab_mem_(xt_ctx *x, const xt_scratch_ *s, const xt_fragments_ *v, int width, int passes, int row,
                           int c)
{
    int part = width / passes, pitch = v->dist.shape[1] / passes;
    spe_id at[2];
    cm_mem mem = XT_ZERO_;
    xt_scratch_position_(x, &v->dist, row, 0, at);
    spe_id col = spe_udiv(&x->m, at[1], spe_i32(&x->m, passes)); /* exact: positions are multiples of the width */
    mem.ptr = xt_scratch_pointer_(x, xt_storage_type_(v->type));
    mem.row = spe_iadd(&x->m, col, spe_i32(&x->m, c / width * part + c % width % part));
    mem.col = at[0];
    mem.stride_row = spe_i32(&x->m, 1);
    mem.stride_col = spe_i32(&x->m, pitch);
    mem.block2d = CM_BLOCK2D_NO;
    xt_fold_offset_(x, &mem, s->bytes, xt_align_of_(pitch), x->S); /* parts are multiples of S wide */
    return mem;
}

/* Writes (store) or reads a pass's strips of S columns. A strip is `per_strip` consecutive parts. */
static void xt_slab_(xt_ctx *x, const xt_scratch_ *s, const xt_fragments_ *v, int width, int passes, int pass,
                     bool store)
{
    cm_type type = xt_storage_type_(v->type);
    for (xt_block_ b = xt_blocks_(x, &v->dist); xt_next_block_(&b);) {
        cm_layout l = cm_layout_for(&x->cm, x->S, b.rows, type, CM_ACC);
        int per_strip = cm_part_count(&l);
        for (int strip = 0; strip < b.cols / x->S; strip++) {
            spe_id *parts = v->block[b.i].part + strip * per_strip;
            int c = b.col + strip * x->S;
            cm_matrix one;
            if (c % width / (width / passes) != pass) continue;
            cm_mem mem = xt_slab_mem_(x, s, v, width, passes, b.row, c);
            one = store ? cm_from_parts(&x->cm, &l, parts) : cm_load(&x->cm, x->S, b.rows, type, CM_ACC, &mem);
            if (store) cm_store(&x->cm, &one, &mem);
            for (int i = 0; !store && i < per_strip && i < one.parts; i++) parts[i] = one.part[i];
        }
    }
}

static void xt_through_slabs_(xt_ctx *x, const xt_scratch_ *s, const xt_fragments_ *v, int passes, xt_fragments_ *r)
{
    int width = v->dist.data[1];
    for (xt_block_ b = xt_blocks_(x, &r->dist); xt_next_block_(&b);)
        r->block[b.i] = cm_splat(&x->cm, b.cols, b.rows, xt_storage_type_(r->type), CM_ACC, 0);
    for (int pass = 0; pass < passes && spe_ok(&x->m); pass++) {
        spe_barrier(&x->m);
        xt_slab_(x, s, v, width, passes, pass, true);
        spe_barrier(&x->m);
        xt_slab_(x, s, r, width, passes, pass, false);
    }
}

/* Moves all of v through local memory into r, already allocated. All subgroups of the work-group take part. */
XE_FN_ xt_fragments_ xt_through_scratch_(xt_ctx *x, const xt_fragments_ *v, const xt_source_ *from, xt_fragments_ r)
{
    xt_scratch_ s = xt_scratch_init_(v->type, &v->dist, from);
    xt_fragments_ a = xt_as_use_(x, v, CM_ACC);
    int passes = xt_slabs_(x, &s, v, &r);
    if (!a.blocks || !spe_ok(&x->m)) return r;
    if (passes) {
        xt_through_slabs_(x, &s, &a, passes, &r);
        return xt_finish_vec_(x, r);
    }
    s.rows = xt_scratch_rows_(x, &s, v);
    for (int low = 0; low < s.height && spe_ok(&x->m); low += s.rows) {
        spe_barrier(&x->m);
        xt_scratch_write_(x, &s, &a, low);
        spe_barrier(&x->m);
        if (from->in_order) { /* in one pass, reading the memory with another row length */
            s.pitch = r.dist.shape[1];
            s.height = s.rows = r.dist.shape[0];
        }
        xt_scratch_read_(x, &s, &r, low);
    }
    return s.rows >= s.height ? r : xt_finish_vec_(x, r);
}
