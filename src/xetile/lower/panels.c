/* lower/panels.c - operands of the device's matrices in local memory (passes/opaque.c): the work-group copies a tile as
 * it lies in memory, 16 bytes a lane. In a loop each iteration fetches the tile of the next, while its own is
 * multiplied. */
#include "../internal.h"

enum { XT_VECTOR_ = 16 };

/* How a lane copies its part: in bursts, vectors that follow one another in a line. In a loop's inner iterations lines
 * begin at multiples of 16 bytes, so that a vector is a block of memory, and the tile is inside of its matrix along the
 * dimension in which the loop moves it; else a burst lies in one block more than it has vectors. */
typedef struct {
    bool inner;
    int burst, bursts, blocks; /* vectors of a burst; bursts; blocks of a burst */
} xt_panel_copy_;

static xt_panel_copy_ xt_panel_copy_of_(const xt_panel_ *p, bool inner)
{
    xt_panel_copy_ copy;
    copy.inner = inner;
    copy.burst = inner ? 1 : p->burst;
    copy.bursts = p->units / copy.burst;
    copy.blocks = inner ? 1 : copy.burst + 1;
    return copy;
}

/* Does the panel's loop move the tile along this dimension? */
static bool xt_panel_moves_(xt_ctx *x, const xt_panel_ *p, int dim)
{
    return p->loop && xt_advances_(x, p->from, p->loop, dim, (int)xt_number_(x, p->loop->step)->integer);
}

/* How many lines below a lane's first burst another is, if that is the same for all lanes; else 0. */
static int xt_panel_down_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, int burst)
{
    int group = xt_group_size_(x), in_line = p->chunks / copy->burst;
    bool even = group % in_line == 0 && p->units * group == p->lines * p->chunks;
    return even ? burst * group / in_line : 0;
}

/* The line in which a burst lies, and its first vector there. */
typedef struct {
    spe_id line, chunk;
} xt_panel_unit_;

/* Those of a lane's burst. Several lanes may have the same. */
static xt_panel_unit_ xt_panel_unit_of_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, int burst)
{
    spe_module *m = &x->m;
    int group = xt_group_size_(x), all = p->lines * p->chunks / copy->burst, down = xt_panel_down_(x, p, copy, burst);
    spe_id n = spe_builtin(m, SPE_LOCAL_ID, 0), in_line = spe_u32(m, (uint32_t)(p->chunks / copy->burst));
    xt_panel_unit_ u;
    if (!down) n = spe_iadd(m, n, spe_i32(m, burst * group));
    if (copy->bursts * group > all) n = spe_umod(m, n, spe_i32(m, all));
    u.line = spe_udiv(m, n, in_line);
    if (down) u.line = spe_iadd(m, u.line, spe_i32(m, down));
    u.chunk = spe_umod(m, n, in_line);
    u.chunk = spe_imul(m, u.chunk, spe_i32(m, copy->burst));
    return u;
}

/* Where a burst is in local memory; *first: where burst 0 is, which is found before others. */
static spe_id xt_panel_index_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, int burst, spe_id *first)
{
    spe_module *m = &x->m;
    int down = xt_panel_down_(x, p, copy, burst);
    if (down) return spe_iadd(m, *first, spe_i32(m, down * p->pitch));
    xt_panel_unit_ u = xt_panel_unit_of_(x, p, copy, burst);
    spe_id at = spe_imul(m, u.line, spe_i32(m, p->pitch));
    at = spe_iadd(m, at, u.chunk);
    at = spe_iadd(m, at, spe_i32(m, p->at));
    if (!burst) *first = at;
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

/* How far `size` rows or columns from the tile's offset on are from its matrix's end; negative: some are outside. */
static spe_id xt_panel_left_(xt_ctx *x, const xt_tile *t, int dim, int size)
{
    spe_module *m = &x->m;
    spe_id extent = dim == xt_inner_(t) ? xt_index_id_(x, &t->shape[dim]) : xt_lines_id_(x, t);
    extent = spe_isub(m, extent, spe_i32(m, size));
    return spe_isub(m, extent, xt_index_id_(x, &t->offset[dim]));
}

/* Are they in its matrix? */
XE_FN_ spe_id xt_panel_inside_(xt_ctx *x, const xt_tile *t, int dim, int size)
{
    spe_module *m = &x->m;
    spe_id zero = spe_i32(m, 0), left = xt_panel_left_(x, t, dim, size);
    left = spe_or(m, left, xt_index_id_(x, &t->offset[dim]));
    return spe_sge(m, left, zero); /* neither is negative */
}

/* Can vectors be stored as they are? What is outside need not be zero if nobody sees it. */
static spe_id xt_panel_needs_no_zeros_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t)
{
    spe_module *m = &x->m;
    spe_id yes = spe_const_bool(m, true), all = yes;
    for (int dim = 0; dim < 2 && !t->inside; dim++) {
        if (copy->inner && (p->ends_unseen || xt_panel_moves_(x, p, dim))) continue;
        spe_id one = xt_panel_inside_(x, t, dim, t->dist.shape[dim]);
        all = all == yes ? one : spe_land(m, all, one);
    }
    return all;
}

/* Where a vector of a tile lies in the matrix: its line, and its first element there. */
typedef struct {
    spe_id line, along;
} xt_panel_position_;

static xt_panel_position_ xt_panel_position_of_(xt_ctx *x, const xt_tile *t, const xt_panel_unit_ *u)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t);
    xt_panel_position_ at;
    at.line = spe_iadd(m, xt_index_id_(x, &t->offset[!inner]), u->line);
    at.along = spe_imul(m, u->chunk, spe_i32(m, XT_VECTOR_ / xt_bytes_(t->type)));
    at.along = spe_iadd(m, xt_index_id_(x, &t->offset[inner]), at.along);
    return at;
}

static spe_id xt_panel_read_(xt_ctx *x, spe_id address)
{
    spe_module *m = &x->m;
    spe_id vector = spe_vec(m, spe_int(m, 32), 4);
    return spe_load(m, spe_u_to_ptr(m, spe_ptr(m, SPE_StorageClassCrossWorkgroup, vector), address), XT_VECTOR_);
}

/* The first byte of an element, from the block of 16 bytes in which its matrix begins. */
static spe_id xt_panel_byte_(xt_ctx *x, const xt_tile *t, spe_id line, spe_id along)
{
    spe_module *m = &x->m;
    spe_id i64 = spe_int(m, 64), size = spe_i32(m, xt_bytes_(t->type)), at, more;
    at = spe_uconvert(m, i64, spe_imul(m, xt_index_id_(x, &t->pitch), size));
    at = spe_imul(m, spe_sconvert(m, i64, line), at);
    more = spe_sconvert(m, i64, spe_imul(m, along, size));
    at = spe_iadd(m, at, more);
    more = spe_u64(m, XT_VECTOR_ - 1);
    more = spe_and(m, spe_ptr_to_u(m, i64, t->base.id), more);
    return spe_iadd(m, at, more);
}

/* The block in which it is. */
static spe_id xt_panel_block_(xt_ctx *x, const xt_tile *t, spe_id line, spe_id along)
{
    spe_module *m = &x->m;
    spe_id four = spe_u64(m, 4), byte = xt_panel_byte_(x, t, line, along);
    byte = spe_shr(m, byte, four);
    return spe_uconvert(m, spe_int(m, 32), byte);
}

/* The last of so many, or the first if there are none. */
static spe_id xt_panel_last_(xt_ctx *x, spe_id n)
{
    spe_module *m = &x->m;
    spe_id one = spe_i32(m, 1), zero = spe_i32(m, 0);
    return spe_math2(m, SPE_SMAX, spe_isub(m, n, one), zero);
}

/* The block of a lane's vector in an inner iteration, for which 32 bits are enough; *first: of vector 0, which is found
 * before others. Instead of lines and columns outside the last is read, without a branch, and the same in all
 * iterations. */
static spe_id xt_panel_inner_block_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t, int i,
                                    spe_id *first)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t), bytes = xt_bytes_(t->type), down = xt_panel_down_(x, p, copy, i);
    spe_id in_block = spe_u32(m, (uint32_t)(XT_VECTOR_ / bytes)), size = spe_i32(m, bytes), four = spe_u32(m, 4);
    spe_id pitch = spe_udiv(m, xt_index_id_(x, &t->pitch), in_block);
    if (down && xt_panel_moves_(x, p, !inner)) return spe_iadd(m, *first, spe_imul(m, pitch, spe_i32(m, down)));
    xt_panel_unit_ u = xt_panel_unit_of_(x, p, copy, i);
    xt_panel_position_ at = xt_panel_position_of_(x, t, &u);
    at.along = spe_sar(m, spe_imul(m, at.along, size), four);
    if (xt_panel_moves_(x, p, inner)) {
        at.line = spe_math2(m, SPE_UMIN, at.line, xt_panel_last_(x, xt_lines_id_(x, t)));
    } else {
        spe_id last = xt_panel_last_(x, xt_index_id_(x, &t->shape[inner]));
        last = spe_sar(m, spe_imul(m, last, size), four);
        at.along = spe_math2(m, SPE_UMIN, at.along, last);
    }
    spe_id block = spe_iadd(m, spe_imul(m, at.line, pitch), at.along);
    if (!i) *first = block;
    return block;
}

/* The block with the last element of a matrix. */
static spe_id xt_panel_last_block_(xt_ctx *x, const xt_tile *t)
{
    spe_id line = xt_panel_last_(x, xt_lines_id_(x, t));
    spe_id along = xt_panel_last_(x, xt_index_id_(x, &t->shape[xt_inner_(t)]));
    return xt_panel_block_(x, t, line, along);
}

/* The first block of a lane's burst. */
static spe_id xt_panel_burst_block_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t,
                                    int burst)
{
    xt_panel_unit_ u = xt_panel_unit_of_(x, p, copy, burst);
    xt_panel_position_ at = xt_panel_position_of_(x, t, &u);
    return xt_panel_block_(x, t, at.line, at.along);
}

/* Fetches the blocks in which a lane's bursts lie. Those from the block with the matrix's first byte to that with its
 * last can be read; instead of others, whose bytes are not used, the last is. */
static void xt_panel_fetch_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t)
{
    spe_module *m = &x->m;
    spe_id i64 = spe_int(m, 64), mask = spe_u64(m, ~(uint64_t)(XT_VECTOR_ - 1)), size = spe_u64(m, XT_VECTOR_);
    spe_id base = spe_and(m, spe_ptr_to_u(m, i64, t->base.id), mask), first = 0, *got = p->got;
    spe_id last = copy->inner ? 0 : xt_panel_last_block_(x, t), from, at;
    for (int i = 0; i < copy->bursts; i++) {
        if (copy->inner) from = xt_panel_inner_block_(x, p, copy, t, i, &first);
        else from = xt_panel_burst_block_(x, p, copy, t, i);
        for (int j = 0; j < copy->blocks; j++) {
            at = j ? spe_iadd(m, from, spe_i32(m, j)) : from;
            if (!copy->inner) at = spe_math2(m, SPE_UMIN, at, last);
            at = spe_imul(m, spe_uconvert(m, i64, at), size);
            *got++ = xt_panel_read_(x, spe_iadd(m, base, at));
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

/* The vectors of a burst that begins at any address, of the blocks in which it lies. */
static void xt_panel_shift_(xt_ctx *x, spe_id address, const spe_id *block, int burst, spe_id *vectors)
{
    enum { MOST = 4 * (XT_PANEL_BLOCKS_ + 1) };
    spe_module *m = &x->m;
    spe_id i64 = spe_int(m, 64), word = spe_int(m, 32), words[MOST], bits, high = spe_u64(m, 32);
    for (int i = 0; i < 4 * (burst + 1); i++) words[i] = spe_extract(m, block[i / 4], (uint32_t)i % 4);
    address = spe_uconvert(m, word, address);
    xt_panel_skip_(x, address, 3, words, 4 * burst + 2);
    xt_panel_skip_(x, address, 2, words, 4 * burst + 1);
    bits = spe_and(m, address, spe_u32(m, 3));
    bits = spe_uconvert(m, i64, spe_shl(m, bits, spe_u32(m, 3)));
    for (int i = 0; i < 4 * burst; i++) {
        spe_id both = spe_shl(m, spe_uconvert(m, i64, words[i + 1]), high);
        both = spe_or(m, both, spe_uconvert(m, i64, words[i]));
        words[i] = spe_uconvert(m, word, spe_shr(m, both, bits));
    }
    for (int i = 0; i < burst; i++) vectors[i] = spe_construct(m, spe_vec(m, word, 4), 4, words + 4 * i);
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

/* The bits of a vector's words whose elements are within the extent of lines. In inner iterations, no vector has
 * elements before the first and others after it. */
static void xt_panel_within_(xt_ctx *x, const xt_tile *t, bool inner, spe_id along, spe_id words[4])
{
    spe_module *m = &x->m;
    int bits = 8 * xt_bytes_(t->type), elements = XT_VECTOR_ / xt_bytes_(t->type);
    spe_id none = spe_i32(m, 0), size = spe_i32(m, bits), extent, first, end;
    extent = spe_extent(m, xt_index_id_(x, &t->shape[xt_inner_(t)]));
    end = xt_panel_clamp_(x, spe_isub(m, extent, along), elements);
    if (inner) end = spe_select(m, spe_slt(m, along, none), none, end);
    end = spe_imul(m, end, size);
    for (int i = 0; i < 4; i++) words[i] = xt_panel_bits_(x, end, i);
    if (inner) return;
    first = xt_panel_clamp_(x, spe_isub(m, none, along), elements);
    first = spe_imul(m, first, size);
    for (int i = 0; i < 4; i++) {
        spe_id before = spe_not(m, xt_panel_bits_(x, first, i));
        words[i] = spe_and(m, words[i], before);
    }
}

/* A vector of a line, of whose words these bits are meant; zero if the line is not in the matrix. */
static spe_id xt_panel_mask_(xt_ctx *x, const xt_tile *t, spe_id line, const spe_id within[4], spe_id vector)
{
    spe_module *m = &x->m;
    spe_id all = spe_i32(m, -1), none = spe_i32(m, 0), words[4];
    spe_id lines = spe_select(m, spe_ult(m, line, spe_extent(m, xt_lines_id_(x, t))), all, none);
    for (int i = 0; i < 4; i++) {
        words[i] = spe_and(m, spe_extract(m, vector, (uint32_t)i), within[i]);
        words[i] = spe_and(m, words[i], lines);
    }
    return spe_construct(m, spe_vec(m, spe_int(m, 32), 4), 4, words);
}

/* Returns a lane's vectors, of the blocks that were fetched. */
static const spe_id *xt_panel_join_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t)
{
    spe_id *vectors = copy->inner ? p->got : p->got + p->blocks;
    for (int i = 0; i < copy->bursts && !copy->inner; i++) {
        xt_panel_unit_ u = xt_panel_unit_of_(x, p, copy, i);
        xt_panel_position_ at = xt_panel_position_of_(x, t, &u);
        spe_id byte = xt_panel_byte_(x, t, at.line, at.along);
        xt_panel_shift_(x, byte, p->got + i * copy->blocks, copy->burst, vectors + i * copy->burst);
    }
    return vectors;
}

/* Stores a lane's vectors as they are, or with zero for elements that are not in the matrix. */
static void xt_panel_put_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t, bool masked,
                          const spe_id *vectors)
{
    spe_module *m = &x->m;
    spe_id first = 0, within[4 * XT_PANEL_BLOCKS_];
    for (int i = 0; i < copy->bursts; i++) {
        xt_panel_unit_ u = xt_panel_unit_of_(x, p, copy, i);
        spe_id at = xt_panel_index_(x, p, copy, i, &first);
        bool below = xt_panel_down_(x, p, copy, i) > 0; /* the same part of another line */
        for (int j = 0; j < copy->burst; j++) {
            spe_id to = j ? spe_iadd(m, at, spe_i32(m, j)) : at, vector = vectors[i * copy->burst + j];
            if (masked) {
                xt_panel_unit_ v = u;
                v.chunk = spe_iadd(m, u.chunk, spe_i32(m, j));
                xt_panel_position_ place = xt_panel_position_of_(x, t, &v);
                if (!below) xt_panel_within_(x, t, copy->inner, place.along, within + 4 * j);
                vector = xt_panel_mask_(x, t, place.line, within + 4 * j, vector);
            }
            spe_vectors_store(m, x->panel_memory, to, vector);
        }
    }
}

/* The same, as the tile needs it. No values leave the sides: compilers would wait for them. */
static void xt_panel_put_any_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t,
                              const spe_id *vectors)
{
    spe_module *m = &x->m;
    spe_id as_they_are = xt_panel_needs_no_zeros_(x, p, copy, t);
    bool always = as_they_are == spe_const_bool(m, true);
    if (!always) spe_if(m, as_they_are);
    xt_panel_put_(x, p, copy, t, false, vectors);
    if (always) return;
    spe_else(m, 0, NULL);
    xt_panel_put_(x, p, copy, t, true, vectors);
    spe_endif(m, 0, NULL, NULL);
}

/* Waits for the other subgroups' accesses to local memory; those to other memory may go on. */
XE_FN_ void xt_panels_wait_(xt_ctx *x)
{
    const uint32_t order = SPE_MemorySemanticsAcquireRelease | SPE_MemorySemanticsWorkgroupMemory;
    spe_control_barrier(&x->m, SPE_ScopeWorkgroup, SPE_ScopeWorkgroup, order);
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
        at[i] = spe_iadd(m, xt_piece_offset_id_(x, &t->dist, i), more);
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

/* Loads all of this subgroup's matrices of a panel, whose place in local memory is then free. */
static void xt_hold_panel_(xt_ctx *x, const xt_panel_ *p, uint32_t id)
{
    xt_fragments_ v = xt_opaque_like_(x, id, p->use);
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_next_block_(&b);) {
        cm_matrix *a = &v.block[b.i];
        int across = a->parts ? a->layout.rows / a->layout.size_i : 1;
        for (int i = 0; i < a->parts; i++)
            a->part[i] = xt_panel_matrix_(x, p, p->use, b.row + i / across * a->layout.size_j,
                                          b.col + i % across * a->layout.size_i);
    }
    spe_barrier(&x->m);
    xt_define_vec_(x, id, v);
}

/* A load outside of such loops: copies its tile at once. False if the vector is not a panel. */
XE_FN_ bool xt_write_panel_(xt_ctx *x, const xt_node_ *n)
{
    int number = xt_value_at_(x, n->result)->panel;
    if (!number) return false;
    xt_panel_ *p = xt_panel_at_(x, number - 1);
    if (p->loop) return true; /* it lies there since the iteration began */
    xt_tile t = xt_group_tile_(x, p->from);
    if (!xt_panel_room_for_(x, p)) return true;
    xt_panel_copy_ copy = xt_panel_copy_of_(p, false);
    xt_panel_fetch_(x, p, &copy, &t);
    const spe_id *vectors = xt_panel_join_(x, p, &copy, &t);
    spe_barrier(&x->m);
    xt_panel_put_any_(x, p, &copy, &t, vectors);
    spe_barrier(&x->m);
    if (p->kept) xt_hold_panel_(x, p, n->result);
    return true;
}

/* The blocks that a lane fetches of a panel in a loop's iteration for the next one. */
static int xt_panel_carried_(const xt_frame_ *f, const xt_panel_ *p) { return f->inner ? p->units : p->blocks; }

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

/* Have the lines of all panels of a loop aligned places in all its iterations? */
static spe_id xt_panels_aligned_(xt_ctx *x, const xt_frame_ *f)
{
    spe_module *m = &x->m;
    spe_id all = spe_const_bool(m, true);
    for (int i = 0; i < x->panels.count; i++) {
        const xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f) continue;
        xt_tile t = xt_group_tile_(x, p->from);
        bool along = xt_panel_moves_(x, p, xt_inner_(&t));
        if (along && xt_number_(x, f->step)->integer * xt_bytes_(t.type) % XT_VECTOR_) return spe_const_bool(m, false);
        all = spe_land(m, all, xt_panel_aligned_(x, &t));
    }
    return all;
}

/* Where the loop's inner iterations end, all of which come first; the values are those of the iteration `from`. */
static spe_id xt_panels_inner_end_(xt_ctx *x, const xt_frame_ *f, spe_id from, spe_id to)
{
    spe_module *m = &x->m;
    const int32_t by = (int32_t)xt_number_(x, f->step)->integer;
    spe_id some = xt_panels_aligned_(x, f), step = spe_i32(m, by), most = spe_isub(m, to, from);
    for (int i = 0; i < x->panels.count; i++) {
        const xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f) continue;
        xt_tile t = xt_group_tile_(x, p->from);
        int dim = xt_panel_moves_(x, p, 0) ? 0 : 1;
        int size = t.dist.shape[dim];
        spe_id inside = xt_panel_inside_(x, &t, dim, size), left = xt_panel_left_(x, &t, dim, size);
        spe_id others = spe_udiv(m, left, step);
        some = spe_land(m, some, inside);
        most = spe_math2(m, SPE_SMIN, most, spe_iadd(m, spe_imul(m, others, step), step));
    }
    return spe_select(m, some, spe_iadd(m, from, most), from);
}

/* The tile of the iteration that is so much later. */
static xt_tile xt_panel_later_(xt_ctx *x, const xt_panel_ *p, spe_id by)
{
    xt_tile t = xt_group_tile_(x, p->from);
    for (int i = 0; i < 2; i++) {
        if (!xt_panel_moves_(x, p, i)) continue;
        t.offset[i] = xt_scalar_(CM_I32, spe_iadd(&x->m, t.offset[i].id, by), 1);
    }
    return t;
}

/* Fetches the tiles of the iteration that is so much later, if there is one; else what the loop carries remains. The
 * branch keeps them in a block of their own: compilers move them to where they are stored otherwise. */
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
        xt_panel_copy_ copy = xt_panel_copy_of_(p, f->inner);
        xt_panel_fetch_(x, p, &copy, &t);
    }
    xt_panels_carry_(x, f, true);
    spe_endif_from(m, n, ids, before, ids);
    xt_panels_carry_(x, f, false);
}

/* Before a loop, with the values of its first iteration: fetches that iteration's tiles. Returns where the loop ends.
 */
XE_FN_ spe_id xt_panels_enter_(xt_ctx *x, xt_frame_ *f, spe_id from, spe_id to)
{
    spe_module *m = &x->m;
    spe_id *ids = f->ids + f->id_count, none = spe_null(m, spe_vec(m, spe_int(m, 32), 4));
    f->panel_ids = xt_panel_ids_(x, f);
    for (int i = 0; i < f->panel_ids; i++) ids[i] = none;
    if (f->inner) to = xt_panels_inner_end_(x, f, from, to);
    spe_id now = spe_i32(m, 0);
    xt_panels_fetch_(x, f, spe_slt(m, from, to), now);
    return to;
}

/* At the beginning of an iteration: puts its tiles in local memory, and fetches the next ones, which lie before `to`.
 */
XE_FN_ void xt_panels_iterate_(xt_ctx *x, const xt_frame_ *f, spe_id to)
{
    spe_module *m = &x->m;
    spe_id by = spe_i32(m, (int32_t)xt_number_(x, f->step)->integer), next = spe_iadd(m, f->iteration, by);
    xt_panels_carry_(x, f, false);
    for (int i = 0; i < x->panels.count; i++) {
        xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !p->got) continue;
        xt_tile t = xt_group_tile_(x, p->from);
        xt_panel_copy_ copy = xt_panel_copy_of_(p, f->inner);
        p->vectors = xt_panel_join_(x, p, &copy, &t);
    }
    xt_panels_wait_(x);
    for (int i = 0; i < x->panels.count; i++) {
        const xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !p->got) continue;
        xt_tile t = xt_group_tile_(x, p->from);
        xt_panel_copy_ copy = xt_panel_copy_of_(p, f->inner);
        xt_panel_put_any_(x, p, &copy, &t, p->vectors);
    }
    xt_panels_wait_(x);
    xt_panels_fetch_(x, f, spe_slt(m, next, to), by);
}
