/* scratch.c - from subgroup to subgroup: through local memory. */
#include "internal.h"

void xt_scratch_init_(xt_scratch_ *s, const xt_vec *v, bool transposed)
{
    memset(s, 0, sizeof *s);
    s->bytes = cm_type_info(xt_held_(v->type))->bytes;
    s->pitch = v->dist.shape[1] + (transposed ? 16 / s->bytes : 0); /* spreads over the banks */
    s->transposed = transposed;
    s->stride[0] = s->stride[1] = 1;
}

static void xt_scratch_plan_(xt_ctx *x, const xt_scratch_ *s, const xt_vec *v, xt_where_ w)
{
    size_t row = (size_t)s->pitch * (size_t)s->bytes, all = row * (size_t)v->dist.shape[0];
    if (all > x->scratch_wanted) x->scratch_wanted = all;
    if (row > x->scratch_least) {
        x->scratch_least = row;
        x->scratch_file = w.file;
        x->scratch_line = w.line;
    }
}

/* How many rows go in one pass: whole pieces of the source where that can be. */
static int xt_scratch_rows_(const xt_ctx *x, const xt_scratch_ *s, const xt_vec *v)
{
    int rows = (int)(x->scratch_bytes / ((size_t)s->pitch * (size_t)s->bytes)), piece = v->dist.data[0];
    if (rows >= v->dist.shape[0]) return v->dist.shape[0];
    return rows > piece ? rows - rows % piece : rows < 1 ? 1 : rows;
}

static spe_id xt_scratch_pointer_(xt_ctx *x, cm_type type)
{
    spe_id zero = spe_u32(&x->m, 0);
    return spe_ptr_cast(&x->m, spe_element(&x->m, x->scratch, 1, &zero), xt_spe_type_(x, (int)type));
}

/* A block's first row and column in the whole vector, as ids. */
static void xt_scratch_position_(xt_ctx *x, const xt_dist *d, const xt_block_ *b, xt_where_ w, spe_id at[2])
{
    int i;
    for (i = 0; i < 2; i++) {
        xt_val place = xt_subgroup_place_(x, d, i);
        at[i] = spe_iadd(&x->m, xt_index_id_(w, &place, "the place"), spe_i32(&x->m, i ? b->col : b->row));
    }
}

/* Opens a branch for blocks whose rows first .. first + count meet the pass; nothing when there is one pass. */
static void xt_scratch_open_(xt_ctx *x, spe_id first, int count, int low, int high)
{
    spe_module *m = &x->m;
    spe_id below = spe_slt(m, first, spe_i32(m, high));
    spe_if(m, spe_land(m, below, spe_sgt(m, spe_iadd(m, first, spe_i32(m, count)), spe_i32(m, low))));
}

/* The powers of two that divide a block's first row and column. */
static void xt_scratch_known_(const xt_dist *d, const xt_block_ *b, int known[2])
{
    int i;
    for (i = 0; i < 2; i++) {
        int place = xt_align_of_(d->layout[i] == 1 || d->count[i] == 1 ? 0 : d->data[i]),
            own = xt_align_of_(i ? b->col : b->row);
        known[i] = place < own ? place : own;
    }
}

/* Accesses in large pieces want the place in the address, and to know its alignment: row and col are multiples of
 * these. */
static void xt_scratch_fold_(xt_ctx *x, const xt_scratch_ *s, cm_mem *mem, int row_known, int col_known,
                                    int pitch)
{
    spe_module *m = &x->m;
    int64_t align = XT_LOCAL_ALIGN_, line = (int64_t)xt_align_of_(pitch) * row_known;
    if (s->stride[0] != 1 || s->stride[1] != 1) return; /* elements are repeated */
    if (line * s->bytes < align) align = line * s->bytes;
    if (col_known * s->bytes < align) align = col_known * s->bytes;
    mem->ptr = spe_index(m, mem->ptr,
                         spe_iadd(m, spe_imul(m, mem->row, mem->stride_row), spe_imul(m, mem->col, mem->stride_col)));
    mem->row = mem->col = spe_i32(m, 0);
    mem->align = (uint32_t)align;
}

static void xt_scratch_write_(xt_where_ w, const xt_scratch_ *s, const xt_vec *v, int low)
{
    xt_ctx *x = w.x;
    bool whole = s->rows >= v->dist.shape[0];
    xt_grid_ g;
    int i;
    xt_grid_init_(&g, &v->dist);
    for (i = 0; i < g.blocks; i++) {
        xt_block_ b = xt_block_at_(&g, i);
        cm_mem mem;
        spe_id at[2];
        memset(&mem, 0, sizeof mem);
        xt_scratch_position_(x, &v->dist, &b, w, at);
        mem.ptr = xt_scratch_pointer_(x, xt_held_(v->type));
        mem.row = at[1];
        mem.col = spe_isub(&x->m, at[0], spe_i32(&x->m, low));
        mem.stride_row = spe_i32(&x->m, 1);
        mem.stride_col = spe_i32(&x->m, s->pitch);
        mem.block2d = CM_BLOCK2D_NO;
        if (!whole) {
            mem.cols = spe_i32(&x->m, s->rows);
            xt_scratch_open_(x, at[0], b.rows, low, low + s->rows);
        } else {
            int known[2];
            xt_scratch_known_(&v->dist, &b, known);
            xt_scratch_fold_(x, s, &mem, known[0], known[1], s->pitch);
        }
        cm_store(&x->cm, &v->block[i], &mem);
        if (!whole) spe_endif(&x->m, 0, NULL, NULL);
    }
}

/* What lies outside a pass was read as zero bits, so the passes are or-ed. */
static spe_id xt_merge_part_(xt_ctx *x, const spe_id *v, const void *user)
{
    spe_id type = spe_type_of(&x->m, v[0]), bits;
    const cm_type_row *row = cm_type_info(*(const cm_type *)user);
    if (!row->storage_float) return spe_or(&x->m, v[0], v[1]);
    bits = xt_like_part_(x, spe_int(&x->m, (uint32_t)row->storage_bits), v[0]);
    bits = spe_or(&x->m, spe_bitcast(&x->m, bits, v[0]), spe_bitcast(&x->m, bits, v[1]));
    return spe_bitcast(&x->m, type, bits);
}

/* One block of the result as memory: at[] is its place in the result. */
static cm_mem xt_scratch_mem_(xt_ctx *x, const xt_scratch_ *s, cm_type type, const spe_id at[2], int low)
{
    spe_module *m = &x->m;
    int row_dim = s->transposed ? 1 : 0; /* the result's dimension that runs along the source's rows */
    spe_id down = spe_i32(m, s->stride[0] * s->pitch), right = spe_i32(m, s->stride[1]);
    spe_id row, col;
    cm_mem mem;
    memset(&mem, 0, sizeof mem);
    row = s->stride[0] ? spe_iadd(m, at[row_dim], spe_i32(m, s->shift[0] - low)) : spe_i32(m, 0);
    col = s->stride[1] ? spe_iadd(m, at[1 - row_dim], spe_i32(m, s->shift[1])) : spe_i32(m, 0);
    mem.ptr = xt_scratch_pointer_(x, type);
    mem.row = s->transposed ? row : col;
    mem.col = s->transposed ? col : row;
    mem.stride_row = s->transposed ? down : right;
    mem.stride_col = s->transposed ? right : down;
    mem.block2d = CM_BLOCK2D_NO;
    return mem;
}

static void xt_scratch_read_(xt_where_ w, const xt_scratch_ *s, const xt_dist *from, xt_vec *r, int low)
{
    xt_ctx *x = w.x;
    cm_type type = xt_held_(r->type);
    bool whole = s->rows >= from->shape[0];
    xt_grid_ g;
    int i;
    xt_grid_init_(&g, &r->dist);
    for (i = 0; i < g.blocks; i++) {
        xt_block_ b = xt_block_at_(&g, i);
        const cm_matrix *both[2];
        cm_matrix now, sum;
        spe_id at[2], first;
        cm_mem mem;
        xt_scratch_position_(x, &r->dist, &b, w, at);
        mem = xt_scratch_mem_(x, s, type, at, low);
        if (whole) {
            int known[2], row_dim = s->transposed ? 1 : 0;
            xt_scratch_known_(&r->dist, &b, known);
            if (xt_align_of_(s->shift[0]) < known[row_dim]) known[row_dim] = xt_align_of_(s->shift[0]);
            if (xt_align_of_(s->shift[1]) < known[1 - row_dim]) known[1 - row_dim] = xt_align_of_(s->shift[1]);
            xt_scratch_fold_(x, s, &mem, known[row_dim], known[1 - row_dim], s->pitch);
            r->block[i] = cm_load(&x->cm, b.cols, b.rows, type, r->use, &mem);
            continue;
        }
        if (low == 0) r->block[i] = cm_splat(&x->cm, b.cols, b.rows, type, CM_ACC, 0);
        first = spe_iadd(&x->m, at[s->transposed ? 1 : 0], spe_i32(&x->m, s->shift[0]));
        *(s->transposed ? &mem.rows : &mem.cols) = spe_i32(&x->m, s->rows);
        xt_scratch_open_(x, first, s->transposed ? b.cols : b.rows, low, low + s->rows);
        now = cm_load(&x->cm, b.cols, b.rows, type, CM_ACC, &mem);
        both[0] = &r->block[i];
        both[1] = &now;
        if (!now.parts) return;
        sum = xt_map_parts_(x, type, 2, both, xt_merge_part_, &type);
        if (!sum.parts) return;
        spe_endif_from(&x->m, (uint32_t)sum.parts, sum.part, r->block[i].part, sum.part);
        r->block[i] = sum;
    }
}

/* ---- passes over columns: every subgroup writes and reads a part of what it has in each -------------------------- */

/* In how many passes a vector goes so that each takes the same columns of every piece: then what has been written is no
 * longer held while the rest is read, and nothing depends on the subgroup. 0: not this way. */
static int xt_slabs_(const xt_ctx *x, const xt_scratch_ *s, const xt_vec *v, const xt_vec *r)
{
    int width = v->dist.data[1], n;
    size_t all = (size_t)v->dist.shape[0] * (size_t)v->dist.shape[1] * (size_t)s->bytes;
    if (s->transposed || !s->stride[0] || !s->stride[1] || s->shift[0] || s->shift[1] || width % x->S ||
        r->dist.data[1] % width || all <= x->scratch_bytes)
        return 0;
    for (n = 2; n <= width / x->S; n++)
        if (width / x->S % n == 0 && all / (size_t)n <= x->scratch_bytes) return n;
    return 0;
}

/* Columns c .. c + S of a subgroup's pieces as memory, in the pass they belong to. */
static cm_mem xt_slab_mem_(xt_where_ w, const xt_scratch_ *s, const xt_vec *v, int width, int passes,
                                  const xt_block_ *b, int c)
{
    xt_ctx *x = w.x;
    int part = width / passes;
    xt_block_ corner = *b;
    spe_id at[2], col;
    cm_mem mem;
    memset(&mem, 0, sizeof mem);
    corner.col = 0;
    xt_scratch_position_(x, &v->dist, &corner, w, at);
    col = spe_udiv(&x->m, at[1], spe_i32(&x->m, passes)); /* whole: a place is a multiple of the width */
    mem.ptr = xt_scratch_pointer_(x, xt_held_(v->type));
    mem.row = spe_iadd(&x->m, col, spe_i32(&x->m, c / width * part + c % width % part));
    mem.col = at[0];
    mem.stride_row = spe_i32(&x->m, 1);
    mem.stride_col = spe_i32(&x->m, v->dist.shape[1] / passes);
    mem.block2d = CM_BLOCK2D_NO;
    xt_scratch_fold_(x, s, &mem, 1, x->S, v->dist.shape[1] / passes); /* parts are multiples of S wide */
    return mem;
}

/* Writes (store) or reads the strips of S columns that pass number `pass` takes. A strip is `runs` neighbouring
 * parts. */
static void xt_slab_(xt_where_ w, const xt_scratch_ *s, const xt_vec *v, int width, int passes, int pass,
                            bool store)
{
    xt_ctx *x = w.x;
    cm_type type = xt_held_(v->type);
    xt_grid_ g;
    int i, strip, run;
    xt_grid_init_(&g, &v->dist);
    for (i = 0; i < g.blocks; i++) {
        xt_block_ b = xt_block_at_(&g, i);
        cm_layout l = cm_layout_for(&x->cm, x->S, b.rows, type, CM_ACC);
        int runs = cm_part_count(&l);
        for (strip = 0; strip < b.cols / x->S; strip++) {
            spe_id *parts = v->block[i].part + strip * runs;
            int c = b.col + strip * x->S;
            cm_matrix one;
            cm_mem mem;
            if (c % width / (width / passes) != pass) continue;
            mem = xt_slab_mem_(w, s, v, width, passes, &b, c);
            one = store ? cm_from_parts(&x->cm, &l, parts) : cm_load(&x->cm, x->S, b.rows, type, CM_ACC, &mem);
            if (store) cm_store(&x->cm, &one, &mem);
            for (run = 0; !store && run < runs && run < one.parts; run++) parts[run] = one.part[run];
        }
    }
}

static void xt_through_slabs_(xt_where_ w, const xt_scratch_ *s, const xt_vec *v, int passes, xt_vec *r)
{
    xt_ctx *x = w.x;
    int pass, i, width = v->dist.data[1];
    xt_grid_ g;
    xt_grid_init_(&g, &r->dist);
    for (i = 0; i < g.blocks; i++) {
        xt_block_ b = xt_block_at_(&g, i);
        r->block[i] = cm_splat(&x->cm, b.cols, b.rows, xt_held_(r->type), CM_ACC, 0);
    }
    for (pass = 0; pass < passes && spe_ok(&x->m); pass++) {
        spe_barrier(&x->m);
        xt_slab_(w, s, v, width, passes, pass, true);
        spe_barrier(&x->m);
        xt_slab_(w, s, r, width, passes, pass, false);
    }
}

/* All of v through local memory into r, which has been made. Every subgroup of the work-group takes part. */
xt_vec xt_through_scratch_(xt_where_ w, const xt_vec *v, xt_scratch_ *s, xt_vec r)
{
    xt_ctx *x = w.x;
    xt_vec a;
    int low, passes;
    if (x->planning) xt_scratch_plan_(x, s, v, w);
    if (x->planning || !r.blocks || !spe_ok(&x->m)) return r;
    a = xt_as_use_(x, v, CM_ACC);
    if (!a.blocks) return r;
    passes = xt_slabs_(x, s, v, &r);
    if (passes) {
        xt_through_slabs_(w, s, &a, passes, &r);
        return xt_settle_(x, r);
    }
    s->rows = xt_scratch_rows_(x, s, v);
    for (low = 0; low < v->dist.shape[0] && spe_ok(&x->m); low += s->rows) {
        spe_barrier(&x->m);
        xt_scratch_write_(w, s, &a, low);
        spe_barrier(&x->m);
        xt_scratch_read_(w, s, &v->dist, &r, low);
    }
    return s->rows >= v->dist.shape[0] ? r : xt_settle_(x, r);
}
