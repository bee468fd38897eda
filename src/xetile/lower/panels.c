/* lower/panels.c - operands of the device's matrices in local memory (passes/opaque.c): the work-group copies a tile as
 * it lies in memory, 16 bytes a lane. In a loop each turn fetches the tile of the next, while its own is multiplied. */
#include "../internal.h"

enum { XT_VECTOR_ = 16 };

/* The work-group's tile: without the place of this subgroup's piece. */
static xt_tile xt_panel_tile_(xt_ctx *x, const xt_panel_ *p)
{
    xt_tile t = xt_now_tile_(x, p->from);
    for (int i = 0; i < 2; i++) {
        spe_id place = xt_place_id_(x, &t.dist, i), at = xt_index_id_(x, &t.offset[i]);
        t.offset[i] = xt_scalar_(CM_I32, spe_isub(&x->m, at, place), 1);
    }
    return t;
}

/* The line and the vector in it that a lane's unit is. */
typedef struct {
    spe_id line, chunk;
} xt_panel_unit_;

/* How many lines below a lane's first unit another is, if that is the same for all lanes; else 0. */
static int xt_panel_down_(xt_ctx *x, const xt_panel_ *p, int unit)
{
    int group = xt_group_size_(x);
    bool even = group % p->chunks == 0 && p->units * group == p->lines * p->chunks;
    return even && unit < p->units ? unit * group / p->chunks : 0;
}

/* The first vector of a lane's unit of `run` vectors, which follow one another in a line. Several lanes may have the
 * same unit. */
static xt_panel_unit_ xt_panel_unit_of_(xt_ctx *x, const xt_panel_ *p, int run, int unit)
{
    spe_module *m = &x->m;
    int group = xt_group_size_(x), all = p->lines * p->chunks / run;
    spe_id n = spe_builtin(m, SPE_LOCAL_ID, 0), in_line = spe_u32(m, (uint32_t)(p->chunks / run));
    xt_panel_unit_ u;
    n = spe_iadd(m, n, spe_i32(m, unit * group));
    if (p->units / run * group > all) n = spe_umod(m, n, spe_i32(m, all));
    u.line = spe_udiv(m, n, in_line);
    u.chunk = spe_umod(m, n, in_line);
    u.chunk = spe_imul(m, u.chunk, spe_i32(m, run));
    return u;
}

/* Where a vector is in local memory. */
static spe_id xt_panel_place_in_(xt_ctx *x, const xt_panel_ *p, const xt_panel_unit_ *u)
{
    spe_module *m = &x->m;
    spe_id pitch = spe_i32(m, p->pitch), first = spe_i32(m, p->at), at = spe_imul(m, u->line, pitch);
    at = spe_iadd(m, at, u->chunk);
    return spe_iadd(m, at, first);
}

/* Where the vector of a unit is in local memory; *first: that of unit 0, which is found before others. */
static spe_id xt_panel_index_(xt_ctx *x, const xt_panel_ *p, int unit, spe_id *first)
{
    spe_module *m = &x->m;
    int down = xt_panel_down_(x, p, unit);
    if (down) return spe_iadd(m, *first, spe_i32(m, down * p->pitch));
    xt_panel_unit_ u = xt_panel_unit_of_(x, p, 1, unit);
    spe_id at = xt_panel_place_in_(x, p, &u);
    if (!unit) *first = at;
    return at;
}

/* ---- from memory ------------------------------------------------------------------------------------------------- */

/* Does each line of the tile begin at a multiple of 16 bytes? */
XE_FN_ spe_id xt_panel_aligned_(xt_ctx *x, const xt_tile *t)
{
    spe_module *m = &x->m;
    spe_id bytes = spe_i32(m, xt_bytes_(t->type)), zero = spe_i32(m, 0), all, one;
    all = spe_ptr_to_u(m, spe_int(m, 64), t->base.id);
    all = spe_uconvert(m, spe_int(m, 32), all);
    one = spe_imul(m, xt_index_id_(x, &t->pitch), bytes);
    all = spe_or(m, all, one);
    one = spe_imul(m, xt_index_id_(x, &t->offset[xt_inner_(t)]), bytes);
    all = spe_or(m, all, one);
    all = spe_and(m, all, spe_i32(m, XT_VECTOR_ - 1));
    return spe_ieq(m, all, zero);
}

/* How far a tile is from the end of its matrix; negative: part of it is outside. */
static spe_id xt_panel_left_(xt_ctx *x, const xt_tile *t, int dim)
{
    spe_module *m = &x->m;
    spe_id extent = dim == xt_inner_(t) ? xt_index_id_(x, &t->shape[dim]) : xt_lines_id_(x, t);
    extent = spe_isub(m, extent, spe_i32(m, t->dist.shape[dim]));
    return spe_isub(m, extent, xt_index_id_(x, &t->offset[dim]));
}

/* Is all of the tile in its matrix? */
static spe_id xt_panel_inside_(xt_ctx *x, const xt_tile *t)
{
    spe_module *m = &x->m;
    spe_id all = 0, zero = spe_i32(m, 0);
    for (int i = 0; i < 2 && !t->inside; i++) {
        spe_id one = xt_panel_left_(x, t, i);
        one = spe_or(m, one, xt_index_id_(x, &t->offset[i]));
        one = spe_sge(m, one, zero); /* neither is negative */
        all = all ? spe_land(m, all, one) : one;
    }
    return all ? all : spe_const_bool(m, true);
}

/* Where a vector of a tile lies in the matrix: its line, and its first element there. */
typedef struct {
    spe_id line, along;
} xt_panel_place_;

static xt_panel_place_ xt_panel_place_of_(xt_ctx *x, const xt_tile *t, const xt_panel_unit_ *u)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t);
    xt_panel_place_ at;
    at.line = spe_iadd(m, xt_index_id_(x, &t->offset[!inner]), u->line);
    at.along = spe_imul(m, u->chunk, spe_i32(m, XT_VECTOR_ / xt_bytes_(t->type)));
    at.along = spe_iadd(m, xt_index_id_(x, &t->offset[inner]), at.along);
    return at;
}

/* A tile's bytes from line to line. That of aligned whole tiles is masked, since compilers look for it. */
static spe_id xt_panel_pitch_(xt_ctx *x, const xt_tile *t, bool whole)
{
    spe_module *m = &x->m;
    spe_id size = spe_i32(m, xt_bytes_(t->type)), pitch = spe_imul(m, xt_index_id_(x, &t->pitch), size);
    if (whole) pitch = spe_and(m, pitch, spe_i32(m, -XT_VECTOR_));
    return spe_uconvert(m, spe_int(m, 64), pitch);
}

/* The address of an element. */
static spe_id xt_panel_address_(xt_ctx *x, const xt_tile *t, bool whole, spe_id line, spe_id along)
{
    spe_module *m = &x->m;
    spe_id i64 = spe_int(m, 64), size = spe_i32(m, xt_bytes_(t->type)), byte = spe_imul(m, along, size), base;
    line = whole ? spe_uconvert(m, i64, line) : spe_sconvert(m, i64, line);
    byte = whole ? spe_uconvert(m, i64, byte) : spe_sconvert(m, i64, byte);
    line = spe_imul(m, line, xt_panel_pitch_(x, t, whole));
    line = spe_iadd(m, line, byte);
    base = spe_ptr_to_u(m, i64, t->base.id);
    return spe_iadd(m, base, line);
}

static spe_id xt_panel_read_(xt_ctx *x, spe_id address)
{
    spe_module *m = &x->m;
    spe_id vector = spe_vec(m, spe_int(m, 32), 4);
    return spe_load(m, spe_u_to_ptr(m, spe_ptr(m, SPE_StorageClassCrossWorkgroup, vector), address), XT_VECTOR_);
}

/* Fetches a lane's vectors of a tile that is whole, with aligned lines. */
static void xt_panel_fetch_whole_(xt_ctx *x, const xt_panel_ *p, const xt_tile *t)
{
    spe_module *m = &x->m;
    spe_id first = 0, at;
    for (int i = 0; i < p->units; i++) {
        int down = xt_panel_down_(x, p, i);
        if (down) {
            spe_id lines = spe_u64(m, (uint64_t)down);
            at = spe_imul(m, xt_panel_pitch_(x, t, true), lines);
            at = spe_iadd(m, first, at);
        } else {
            xt_panel_unit_ u = xt_panel_unit_of_(x, p, 1, i);
            xt_panel_place_ place = xt_panel_place_of_(x, t, &u);
            at = xt_panel_address_(x, t, true, place.line, place.along);
        }
        if (!i) first = at;
        p->got[i] = xt_panel_read_(x, at);
    }
}

/* The address of the first byte of a run of a lane. */
static spe_id xt_panel_run_address_(xt_ctx *x, const xt_panel_ *p, const xt_tile *t, int run)
{
    xt_panel_unit_ u = xt_panel_unit_of_(x, p, p->run, run);
    xt_panel_place_ at = xt_panel_place_of_(x, t, &u);
    return xt_panel_address_(x, t, false, at.line, at.along);
}

/* The block of 16 bytes with this byte of the run that begins at an address, or with the run's last byte. */
static spe_id xt_panel_block_(xt_ctx *x, const xt_panel_ *p, spe_id address, int byte)
{
    spe_module *m = &x->m;
    int last = p->run * XT_VECTOR_ - 1;
    spe_id from = spe_u64(m, (uint64_t)(byte < last ? byte : last)), mask = spe_u64(m, ~(uint64_t)(XT_VECTOR_ - 1));
    return spe_and(m, spe_iadd(m, address, from), mask);
}

/* Fetches the blocks in which a lane's runs lie, one more than a run has vectors, of any tile. Blocks from
 * that with the matrix's first byte to that with its last can be read; instead of others, whose bytes are not used, one
 * of these is. They are put together when they are stored, so that nothing waits for them before. */
static void xt_panel_fetch_any_(xt_ctx *x, const xt_panel_ *p, const xt_tile *t)
{
    spe_module *m = &x->m;
    spe_id mask = spe_u64(m, ~(uint64_t)(XT_VECTOR_ - 1)), one = spe_i32(m, 1), line, along, least, most, *got = p->got;
    least = spe_and(m, spe_ptr_to_u(m, spe_int(m, 64), t->base.id), mask);
    line = spe_isub(m, xt_lines_id_(x, t), one);
    along = spe_isub(m, xt_index_id_(x, &t->shape[xt_inner_(t)]), one);
    most = spe_and(m, xt_panel_address_(x, t, false, line, along), mask);
    for (int i = 0; i < p->runs; i++) {
        spe_id first = xt_panel_run_address_(x, p, t, i);
        for (int j = 0; j <= p->run; j++) {
            spe_id at = xt_panel_block_(x, p, first, j * XT_VECTOR_);
            at = spe_select(m, spe_ugt(m, at, most), most, at);
            at = spe_select(m, spe_ult(m, at, least), least, at);
            *got++ = xt_panel_read_(x, at);
        }
    }
}

/* Makes room for what is fetched. */
static bool xt_panel_room_for_(xt_ctx *x, xt_panel_ *p)
{
    if (!p->got) p->got = (spe_id *)xt_memory_(x, 2 * (size_t)p->blocks * sizeof *p->got);
    return p->got != NULL;
}

/* ---- what was fetched, as it is in local memory ------------------------------------------------------------------ */

/* Those of `n` words that begin so many words later if a bit of the address is set. */
static void xt_panel_skip_(xt_ctx *x, spe_id address, int bit, spe_id *words, int n)
{
    spe_module *m = &x->m;
    spe_id set = spe_and(m, address, spe_u32(m, 1u << bit));
    set = spe_ine(m, set, spe_u32(m, 0));
    for (int i = 0; i < n; i++) words[i] = spe_select(m, set, words[i + (1 << bit) / 4], words[i]);
}

/* The vector at any address, of the two blocks in which it lies. */
static spe_id xt_panel_shift_(xt_ctx *x, spe_id address, const spe_id block[2])
{
    spe_module *m = &x->m;
    spe_id i64 = spe_int(m, 64), word = spe_int(m, 32), all[8], words[4], bits, high = spe_u64(m, 32);
    for (uint32_t i = 0; i < 8; i++) all[i] = spe_extract(m, block[i / 4], i % 4);
    address = spe_uconvert(m, word, address);
    xt_panel_skip_(x, address, 3, all, 6);
    xt_panel_skip_(x, address, 2, all, 5);
    bits = spe_and(m, address, spe_u32(m, 3));
    bits = spe_uconvert(m, i64, spe_shl(m, bits, spe_u32(m, 3)));
    for (int i = 0; i < 4; i++) {
        spe_id both = spe_shl(m, spe_uconvert(m, i64, all[i + 1]), high);
        both = spe_or(m, both, spe_uconvert(m, i64, all[i]));
        words[i] = spe_uconvert(m, word, spe_shr(m, both, bits));
    }
    return spe_construct(m, spe_vec(m, word, 4), 4, words);
}

/* A number, at least 0 and at most `most`. */
static spe_id xt_panel_clamp_(xt_ctx *x, spe_id n, int most)
{
    n = spe_math2(&x->m, SPE_SMAX, n, spe_i32(&x->m, 0));
    return spe_math2(&x->m, SPE_SMIN, n, spe_i32(&x->m, most));
}

/* The lowest bits of word i of a vector, of whose bits so many are meant. */
static spe_id xt_panel_bits_(xt_ctx *x, spe_id bits, int i)
{
    spe_module *m = &x->m;
    spe_id all = spe_i32(m, -1), zero = spe_u32(m, 0);
    bits = xt_panel_clamp_(x, spe_isub(m, bits, spe_i32(m, 32 * i)), 32);
    return spe_bits_extract(m, all, zero, bits, false);
}

/* A vector whose elements outside of the matrix are zero. */
static spe_id xt_panel_mask_(xt_ctx *x, const xt_tile *t, const xt_panel_place_ *at, spe_id vector)
{
    spe_module *m = &x->m;
    int bits = 8 * xt_bytes_(t->type), elements = XT_VECTOR_ / xt_bytes_(t->type);
    spe_id none = spe_i32(m, 0), size = spe_i32(m, bits), extent, first, end, words[4];
    first = xt_panel_clamp_(x, spe_isub(m, none, at->along), elements);
    first = spe_imul(m, first, size);
    extent = spe_extent(m, xt_index_id_(x, &t->shape[xt_inner_(t)]));
    end = xt_panel_clamp_(x, spe_isub(m, extent, at->along), elements);
    end = spe_imul(m, end, size);
    end = spe_select(m, spe_ult(m, at->line, spe_extent(m, xt_lines_id_(x, t))), end, none);
    for (int i = 0; i < 4; i++) {
        spe_id within = xt_panel_bits_(x, end, i), before = xt_panel_bits_(x, first, i);
        before = spe_not(m, before);
        words[i] = spe_extract(m, vector, (uint32_t)i);
        words[i] = spe_and(m, words[i], spe_and(m, within, before));
    }
    return spe_construct(m, spe_vec(m, spe_int(m, 32), 4), 4, words);
}

/* Waits for the other subgroups' accesses to local memory; those to other memory may go on. */
XE_FN_ void xt_panels_wait_(xt_ctx *x)
{
    const uint32_t order = SPE_MemorySemanticsAcquireRelease | SPE_MemorySemanticsWorkgroupMemory;
    spe_control_barrier(&x->m, SPE_ScopeWorkgroup, SPE_ScopeWorkgroup, order);
}

/* Stores a lane's vectors of a whole tile. */
static void xt_panel_put_whole_(xt_ctx *x, const xt_panel_ *p)
{
    spe_id first = 0;
    for (int i = 0; i < p->units; i++)
        spe_vectors_store(&x->m, x->panel_memory, xt_panel_index_(x, p, i, &first), p->got[i]);
}

/* A lane's vectors of any tile, of the blocks that were fetched: `joined` has room for them. */
static void xt_panel_join_(xt_ctx *x, const xt_panel_ *p, const xt_tile *t, spe_id *joined)
{
    spe_module *m = &x->m;
    uint32_t run = (uint32_t)p->run, n = (uint32_t)p->runs * run;
    for (uint32_t i = 0; i < n; i++) joined[i] = p->got[i / run * (run + 1) + i % run];
    spe_if(m, xt_panel_aligned_(x, t));
    spe_else(m, n, joined);
    for (uint32_t i = 0; i < n; i++)
        joined[i] = xt_panel_shift_(x, xt_panel_run_address_(x, p, t, (int)(i / run)),
                                    p->got + i / run * (run + 1) + i % run);
    spe_endif(m, n, joined, joined);
    spe_if(m, xt_panel_inside_(x, t));
    spe_else(m, n, joined);
    for (uint32_t i = 0; i < n; i++) {
        xt_panel_unit_ u = xt_panel_unit_of_(x, p, p->run, (int)(i / run));
        u.chunk = spe_iadd(m, u.chunk, spe_u32(m, i % run));
        xt_panel_place_ at = xt_panel_place_of_(x, t, &u);
        joined[i] = xt_panel_mask_(x, t, &at, joined[i]);
    }
    spe_endif(m, n, joined, joined);
}

/* Stores them. */
static void xt_panel_put_any_(xt_ctx *x, const xt_panel_ *p, const spe_id *joined)
{
    spe_module *m = &x->m;
    for (int i = 0; i < p->runs * p->run; i++) {
        xt_panel_unit_ u = xt_panel_unit_of_(x, p, p->run, i / p->run);
        u.chunk = spe_iadd(m, u.chunk, spe_i32(m, i % p->run));
        spe_vectors_store(m, x->panel_memory, xt_panel_place_in_(x, p, &u), joined[i]);
    }
}

/* The matrix that begins so many rows and columns after this subgroup's first piece. */
XE_FN_ spe_id xt_panel_matrix_(xt_ctx *x, const xt_panel_ *p, cm_use use, int row, int col)
{
    spe_module *m = &x->m;
    const xt_tile *t = p->from;
    int inner = xt_inner_(t), bytes = xt_bytes_(t->type), place[2] = {row, col};
    uint32_t order = inner ? SPE_CooperativeMatrixLayoutRowMajorKHR : SPE_CooperativeMatrixLayoutColumnMajorKHR;
    spe_id at[2];
    for (int i = 0; i < 2; i++) {
        spe_id more = spe_i32(m, place[i]);
        at[i] = spe_iadd(m, xt_place_id_(x, &t->dist, i), more);
    }
    spe_id pitch = spe_i32(m, p->pitch), first = spe_i32(m, p->at), line = spe_imul(m, at[!inner], pitch);
    spe_id chunk = spe_udiv(m, at[inner], spe_u32(m, (uint32_t)(XT_VECTOR_ / bytes)));
    line = spe_iadd(m, line, chunk);
    line = spe_iadd(m, line, first);
    const cm_coop_shape *s = xt_operand_shape_(x, (cm_type)t->type);
    bool left = use == CM_OPAQUE_B;
    cm_layout l = cm_layout_for(&x->cm, left ? s->k : s->n, left ? s->m : s->k, (cm_type)t->type, use);
    spe_id type = cm_part_type(&x->cm, &l, 0);
    return spe_vectors_coop_load(m, type, x->panel_memory, line, order, pitch);
}

/* ---- when -------------------------------------------------------------------------------------------------------- */

static xt_panel_ *xt_panel_at_(xt_ctx *x, int i) { return (xt_panel_ *)x->panels.items + i; }

/* A load outside of such loops: copies its tile at once. False if the vector is not a panel. */
XE_FN_ bool xt_write_panel_(xt_ctx *x, const xt_node_ *n)
{
    int number = xt_value_at_(x, n->result)->panel;
    if (!number) return false;
    xt_panel_ *p = xt_panel_at_(x, number - 1);
    if (p->loop) return true; /* it lies there since the turn began */
    xt_tile t = xt_panel_tile_(x, p);
    if (!xt_panel_room_for_(x, p)) return true;
    xt_panel_fetch_any_(x, p, &t);
    xt_panel_join_(x, p, &t, p->got + p->blocks);
    spe_barrier(&x->m);
    xt_panel_put_any_(x, p, p->got + p->blocks);
    spe_barrier(&x->m);
    return true;
}

/* What a lane fetches of a panel in a loop's turn for the next one: vectors of whole tiles, else blocks. */
static int xt_panel_carried_(const xt_frame_ *f, const xt_panel_ *p) { return f->whole ? p->units : p->blocks; }

/* The number of all. */
XE_FN_ int xt_panel_ids_(xt_ctx *x, const xt_frame_ *f)
{
    int n = 0;
    for (int i = 0; i < x->panels.count; i++)
        if (xt_panel_at_(x, i)->loop == f) n += xt_panel_carried_(f, xt_panel_at_(x, i));
    return n;
}

/* Copies them behind the ids that the loop carries, or from there. */
XE_FN_ void xt_panels_carry_(xt_ctx *x, const xt_frame_ *f, bool to_ids)
{
    spe_id *ids = f->ids + f->id_count;
    for (int i = 0; i < x->panels.count; i++) {
        xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !p->got) continue;
        int n = xt_panel_carried_(f, p);
        memcpy(to_ids ? ids : p->got, to_ids ? p->got : ids, (size_t)n * sizeof *ids);
        ids += n;
    }
}

/* From a loop's turn whose values are set, how far its index is from the first turn that is not of whole tiles with
 * aligned lines. */
static spe_id xt_panels_whole_(xt_ctx *x, const xt_frame_ *f, spe_id from, spe_id to)
{
    spe_module *m = &x->m;
    spe_id all = spe_const_bool(m, true), step = spe_i32(m, (int32_t)f->step.integer), distance = spe_isub(m, to, from);
    for (int i = 0; i < x->panels.count; i++) {
        const xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f) continue;
        xt_tile t = xt_panel_tile_(x, p);
        all = spe_land(m, all, xt_panel_inside_(x, &t));
        all = spe_land(m, all, xt_panel_aligned_(x, &t));
        for (int dim = 0; dim < 2; dim++) {
            if (!xt_advances_(p->from, f, dim, (int)f->step.integer)) continue;
            if (dim == xt_inner_(&t) && f->step.integer * xt_bytes_(t.type) % XT_VECTOR_)
                all = spe_const_bool(m, false);
            spe_id turns = spe_udiv(m, xt_panel_left_(x, &t, dim), step);
            turns = spe_iadd(m, spe_imul(m, turns, step), step);
            distance = spe_math2(m, SPE_SMIN, distance, turns);
        }
    }
    return spe_select(m, all, distance, spe_i32(m, 0));
}

/* The tile of the turn that is so much later. */
static xt_tile xt_panel_later_(xt_ctx *x, const xt_panel_ *p, spe_id by)
{
    xt_tile t = xt_panel_tile_(x, p);
    for (int i = 0; i < 2; i++) {
        if (!xt_advances_(p->from, p->loop, i, (int)p->loop->step.integer)) continue;
        t.offset[i] = xt_scalar_(CM_I32, spe_iadd(&x->m, t.offset[i].id, by), 1);
    }
    return t;
}

/* Fetches the tiles of the turn that is so much later, if there is one; else what the loop carries remains. The branch
 * keeps them in a block of their own: compilers move them to where they are stored otherwise. */
static void xt_panels_fetch_(xt_ctx *x, const xt_frame_ *f, spe_id condition, spe_id by)
{
    spe_module *m = &x->m;
    uint32_t n = (uint32_t)f->panel_ids;
    spe_id *ids = f->ids + f->id_count, *before = ids + n;
    memcpy(before, ids, n * sizeof *ids);
    spe_if(m, condition);
    for (int i = 0; i < x->panels.count; i++) {
        xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !xt_panel_room_for_(x, p)) continue;
        xt_tile t = xt_panel_later_(x, p, by);
        if (f->whole) xt_panel_fetch_whole_(x, p, &t);
        else xt_panel_fetch_any_(x, p, &t);
    }
    xt_panels_carry_(x, f, true);
    spe_endif_from(m, n, ids, before, ids);
    xt_panels_carry_(x, f, false);
}

/* Before a loop, with the values of its first turn: fetches that turn's tiles. Returns where the loop ends. */
XE_FN_ spe_id xt_panels_enter_(xt_ctx *x, xt_frame_ *f, spe_id from, spe_id to)
{
    spe_module *m = &x->m;
    spe_id *ids = f->ids + f->id_count, none = spe_null(m, spe_vec(m, spe_int(m, 32), 4));
    f->panel_ids = xt_panel_ids_(x, f);
    for (int i = 0; i < f->panel_ids; i++) ids[i] = none;
    if (f->whole) to = spe_iadd(m, from, xt_panels_whole_(x, f, from, to));
    spe_id now = spe_i32(m, 0);
    xt_panels_fetch_(x, f, spe_slt(m, from, to), now);
    return to;
}

/* At the beginning of a turn: puts its tiles in local memory, and fetches the next ones, which lie before `to`. */
XE_FN_ void xt_panels_turn_(xt_ctx *x, const xt_frame_ *f, spe_id to)
{
    spe_module *m = &x->m;
    spe_id by = spe_i32(m, (int32_t)f->step.integer), next = spe_iadd(m, f->turn, by);
    xt_panels_carry_(x, f, false);
    for (int i = 0; i < x->panels.count && !f->whole; i++) {
        const xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !p->got) continue;
        xt_tile t = xt_panel_tile_(x, p);
        xt_panel_join_(x, p, &t, p->got + p->blocks);
    }
    xt_panels_wait_(x);
    for (int i = 0; i < x->panels.count; i++) {
        const xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !p->got) continue;
        if (f->whole) xt_panel_put_whole_(x, p);
        else xt_panel_put_any_(x, p, p->got + p->blocks);
    }
    xt_panels_wait_(x);
    xt_panels_fetch_(x, f, spe_slt(m, next, to), by);
}
