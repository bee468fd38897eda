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

static xt_panel_unit_ xt_panel_unit_of_(xt_ctx *x, const xt_panel_ *p, spe_id unit)
{
    spe_module *m = &x->m;
    int group = xt_group_size_(x), all = p->lines * p->chunks;
    spe_id n = spe_builtin(m, SPE_LOCAL_ID, 0), chunks = spe_u32(m, (uint32_t)p->chunks), size = spe_i32(m, group);
    xt_panel_unit_ u;
    n = spe_iadd(m, n, spe_imul(m, unit, size));
    if (p->units * group > all) n = spe_umod(m, n, spe_i32(m, all)); /* several lanes copy the same */
    u.line = spe_udiv(m, n, chunks);
    u.chunk = spe_umod(m, n, chunks);
    return u;
}

/* Puts a vector where its unit is in local memory. */
static void xt_panel_put_(xt_ctx *x, const xt_panel_ *p, const xt_panel_unit_ *u, spe_id vector)
{
    spe_module *m = &x->m;
    spe_id pitch = spe_i32(m, p->pitch), first = spe_i32(m, p->at), at = spe_imul(m, u->line, pitch);
    at = spe_iadd(m, at, u->chunk);
    at = spe_iadd(m, at, first);
    spe_vectors_store(m, x->panel_memory, at, vector);
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

/* Is all of the tile in its matrix? */
static spe_id xt_panel_inside_(xt_ctx *x, const xt_tile *t)
{
    spe_module *m = &x->m;
    spe_id all = 0, zero = spe_i32(m, 0);
    for (int i = 0; i < 2 && !t->inside; i++) {
        spe_id extent = i == xt_inner_(t) ? xt_index_id_(x, &t->shape[i]) : xt_lines_id_(x, t), one;
        extent = spe_isub(m, extent, spe_i32(m, t->dist.shape[i]));
        one = spe_sge(m, xt_index_id_(x, &t->offset[i]), zero);
        all = all ? spe_land(m, all, one) : one;
        one = spe_sle(m, xt_index_id_(x, &t->offset[i]), extent);
        all = spe_land(m, all, one);
    }
    return all ? all : spe_const_bool(m, true);
}

/* What is known where vectors of a tile are fetched. */
typedef enum {
    XT_FETCH_ALIGNED_, /* all of it is in its matrix, and each vector begins at a multiple of 16 bytes */
    XT_FETCH_INSIDE_,  /* all of it is in its matrix */
    XT_FETCH_ANY_
} xt_fetch_;

/* The address of a byte of a tile. The pitch of aligned tiles is masked, since compilers look for that. */
static spe_id xt_panel_address_(xt_ctx *x, const xt_tile *t, xt_fetch_ how, spe_id line, spe_id byte)
{
    spe_module *m = &x->m;
    spe_id i64 = spe_int(m, 64), pitch = xt_index_id_(x, &t->pitch), size = spe_i32(m, xt_bytes_(t->type));
    pitch = spe_imul(m, pitch, size);
    if (how == XT_FETCH_ALIGNED_) pitch = spe_and(m, pitch, spe_i32(m, -XT_VECTOR_));
    pitch = spe_uconvert(m, i64, pitch);
    line = how == XT_FETCH_ANY_ ? spe_sconvert(m, i64, line) : spe_uconvert(m, i64, line);
    byte = how == XT_FETCH_ANY_ ? spe_sconvert(m, i64, byte) : spe_uconvert(m, i64, byte);
    line = spe_iadd(m, spe_imul(m, line, pitch), byte);
    byte = spe_ptr_to_u(m, i64, t->base.id);
    return spe_iadd(m, byte, line);
}

static spe_id xt_panel_read_(xt_ctx *x, spe_id address)
{
    spe_module *m = &x->m;
    spe_id vector = spe_vec(m, spe_int(m, 32), 4);
    return spe_load(m, spe_u_to_ptr(m, spe_ptr(m, SPE_StorageClassCrossWorkgroup, vector), address), XT_VECTOR_);
}

/* Those of `n` words that begin so many words later if a bit of the address is set. */
static void xt_panel_skip_(xt_ctx *x, spe_id address, int bit, spe_id *words, int n)
{
    spe_module *m = &x->m;
    spe_id set = spe_and(m, address, spe_u32(m, 1u << bit));
    set = spe_ine(m, set, spe_u32(m, 0));
    for (int i = 0; i < n; i++) words[i] = spe_select(m, set, words[i + (1 << bit) / 4], words[i]);
}

/* The four words at any address, from the blocks of 16 bytes in which they lie. These blocks contain bytes of the
 * matrix, so that they can be read, whatever the others are; a block that need not be is not read. */
static void xt_panel_words_(xt_ctx *x, const xt_tile *t, spe_id address, const spe_id need[2], spe_id words[4])
{
    spe_module *m = &x->m;
    spe_id i64 = spe_int(m, 64), word = spe_int(m, 32), mask = spe_u64(m, ~(uint64_t)(XT_VECTOR_ - 1)), all[8];
    spe_id up = spe_iadd(m, address, spe_u64(m, XT_VECTOR_ - 1)), base = spe_ptr_to_u(m, i64, t->base.id);
    spe_id block[2];
    block[0] = spe_and(m, address, mask);
    block[1] = spe_and(m, up, mask);
    base = spe_and(m, base, mask);
    for (int i = 0; i < 2; i++) {
        if (need) block[i] = spe_select(m, need[i], block[i], base);
        block[i] = xt_panel_read_(x, block[i]);
        for (uint32_t j = 0; j < 4; j++) all[(uint32_t)i * 4 + j] = spe_extract(m, block[i], j);
    }
    address = spe_uconvert(m, word, address);
    xt_panel_skip_(x, address, 3, all, 6);
    xt_panel_skip_(x, address, 2, all, 5);
    spe_id bits = spe_and(m, address, spe_u32(m, 3)), high = spe_u64(m, 32);
    bits = spe_uconvert(m, i64, spe_shl(m, bits, spe_u32(m, 3)));
    for (int i = 0; i < 4; i++) {
        spe_id both = spe_shl(m, spe_uconvert(m, i64, all[i + 1]), high);
        both = spe_or(m, both, spe_uconvert(m, i64, all[i]));
        words[i] = spe_uconvert(m, word, spe_shr(m, both, bits));
    }
}

/* A number of bytes, at least 0 and at most `most`. */
static spe_id xt_panel_clamp_(xt_ctx *x, spe_id bytes, int most)
{
    bytes = spe_math2(&x->m, SPE_SMAX, bytes, spe_i32(&x->m, 0));
    return spe_math2(&x->m, SPE_SMIN, bytes, spe_i32(&x->m, most));
}

/* A word's lowest bytes, of which so many minus `skip` are within. */
static spe_id xt_panel_mask_(xt_ctx *x, spe_id bytes, int skip)
{
    spe_module *m = &x->m;
    spe_id n = xt_panel_clamp_(x, spe_isub(m, bytes, spe_i32(m, skip)), 4), one = spe_u64(m, 1);
    n = spe_shl(m, n, spe_u32(m, 3));
    n = spe_uconvert(m, spe_int(m, 64), n);
    n = spe_isub(m, spe_shl(m, one, n), one);
    return spe_uconvert(m, spe_int(m, 32), n);
}

/* A vector of which some elements may be outside of the matrix: these are zero. */
static spe_id xt_panel_edge_(xt_ctx *x, const xt_tile *t, spe_id line, spe_id along)
{
    spe_module *m = &x->m;
    int bytes = xt_bytes_(t->type);
    spe_id none = spe_i32(m, 0), size = spe_i32(m, bytes), extent, first, end, need[2], words[4], last;
    first = xt_panel_clamp_(x, spe_imul(m, spe_isub(m, none, along), size), XT_VECTOR_);
    extent = spe_extent(m, xt_index_id_(x, &t->shape[xt_inner_(t)]));
    end = xt_panel_clamp_(x, spe_isub(m, extent, along), XT_VECTOR_ / bytes);
    end = spe_imul(m, end, size);
    end = spe_select(m, spe_ult(m, line, spe_extent(m, xt_lines_id_(x, t))), end, none);
    spe_id address = xt_panel_address_(x, t, XT_FETCH_ANY_, line, spe_imul(m, along, size));
    last = spe_uconvert(m, spe_int(m, 32), address);
    last = spe_and(m, last, spe_i32(m, XT_VECTOR_ - 1));
    spe_id whole = spe_i32(m, XT_VECTOR_), next = spe_isub(m, whole, last); /* where the second block begins */
    spe_id some = spe_slt(m, first, end);
    need[0] = spe_land(m, some, spe_slt(m, first, next));
    need[1] = spe_land(m, some, spe_sgt(m, end, next));
    xt_panel_words_(x, t, address, need, words);
    for (int i = 0; i < 4; i++) {
        spe_id within = xt_panel_mask_(x, end, i * 4), before = xt_panel_mask_(x, first, i * 4);
        words[i] = spe_and(m, words[i], spe_and(m, within, spe_not(m, before)));
    }
    return spe_construct(m, spe_vec(m, spe_int(m, 32), 4), 4, words);
}

/* Fetches a lane's vectors of a tile. */
static void xt_panel_fetch_as_(xt_ctx *x, const xt_panel_ *p, const xt_tile *t, xt_fetch_ how, spe_id *got)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t), bytes = xt_bytes_(t->type);
    for (int i = 0; i < p->units; i++) {
        xt_panel_unit_ u = xt_panel_unit_of_(x, p, spe_i32(m, i));
        spe_id line = spe_iadd(m, xt_index_id_(x, &t->offset[!inner]), u.line), words[4];
        spe_id along = spe_imul(m, u.chunk, spe_i32(m, XT_VECTOR_ / bytes));
        along = spe_iadd(m, xt_index_id_(x, &t->offset[inner]), along);
        if (how == XT_FETCH_ANY_) {
            got[i] = xt_panel_edge_(x, t, line, along);
            continue;
        }
        spe_id address = xt_panel_address_(x, t, how, line, spe_imul(m, along, spe_i32(m, bytes)));
        if (how == XT_FETCH_ALIGNED_) {
            got[i] = xt_panel_read_(x, address);
            continue;
        }
        xt_panel_words_(x, t, address, NULL, words);
        got[i] = spe_construct(m, spe_vec(m, spe_int(m, 32), 4), 4, words);
    }
}

/* Fetches them as its place and alignment allow. */
static void xt_panel_fetch_(xt_ctx *x, const xt_panel_ *p, const xt_tile *t, spe_id *got)
{
    spe_module *m = &x->m;
    uint32_t n = (uint32_t)p->units;
    spe_id inside = xt_panel_inside_(x, t), aligned = xt_panel_aligned_(x, t);
    spe_if(m, spe_land(m, inside, aligned));
    xt_panel_fetch_as_(x, p, t, XT_FETCH_ALIGNED_, got);
    spe_else(m, n, got);
    spe_if(m, inside);
    xt_panel_fetch_as_(x, p, t, XT_FETCH_INSIDE_, got);
    spe_else(m, n, got);
    xt_panel_fetch_as_(x, p, t, XT_FETCH_ANY_, got);
    spe_endif(m, n, got, got);
    spe_endif(m, n, got, got);
}

static bool xt_panel_room_for_(xt_ctx *x, xt_panel_ *p)
{
    if (!p->got) p->got = (spe_id *)xt_memory_(x, (size_t)p->units * sizeof *p->got);
    return p->got != NULL;
}

/* ---- to local memory, and from there ----------------------------------------------------------------------------- */

static void xt_panel_store_(xt_ctx *x, const xt_panel_ *p)
{
    for (int i = 0; p->got && i < p->units; i++) {
        xt_panel_unit_ u = xt_panel_unit_of_(x, p, spe_i32(&x->m, i));
        xt_panel_put_(x, p, &u, p->got[i]);
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
    xt_panel_fetch_(x, p, &t, p->got);
    spe_barrier(&x->m);
    xt_panel_store_(x, p);
    spe_barrier(&x->m);
    return true;
}

/* The number of vectors that each turn of a loop fetches for the next. */
XE_FN_ int xt_panel_ids_(xt_ctx *x, const xt_frame_ *f)
{
    int n = 0;
    for (int i = 0; i < x->panels.count; i++)
        if (xt_panel_at_(x, i)->loop == f) n += xt_panel_at_(x, i)->units;
    return n;
}

/* Copies them behind the ids that the loop carries, or from there. */
XE_FN_ void xt_panels_carry_(xt_ctx *x, const xt_frame_ *f, bool to_ids)
{
    spe_id *ids = f->ids + f->id_count;
    for (int i = 0; i < x->panels.count; i++) {
        xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !p->got) continue;
        memcpy(to_ids ? ids : p->got, to_ids ? p->got : ids, (size_t)p->units * sizeof *ids);
        ids += p->units;
    }
}

/* Before a loop, with the values of its first turn: fetches that turn's tiles. */
XE_FN_ void xt_panels_enter_(xt_ctx *x, const xt_frame_ *f)
{
    for (int i = 0; i < x->panels.count; i++) {
        xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !xt_panel_room_for_(x, p)) continue;
        xt_tile t = xt_panel_tile_(x, p);
        xt_panel_fetch_(x, p, &t, p->got);
    }
    xt_panels_carry_(x, f, true);
}

/* The tile of the next turn; of the last one, its own once more. */
static xt_tile xt_panel_next_(xt_ctx *x, const xt_panel_ *p, spe_id by)
{
    xt_tile t = xt_panel_tile_(x, p);
    for (int i = 0; i < 2; i++) {
        if (!xt_advances_(p->from, p->loop, i, (int)p->loop->step.integer)) continue;
        t.offset[i] = xt_scalar_(CM_I32, spe_iadd(&x->m, t.offset[i].id, by), 1);
    }
    return t;
}

/* Waits for the other subgroups' accesses to local memory; those to other memory may go on. */
XE_FN_ void xt_panels_wait_(xt_ctx *x)
{
    const uint32_t order = SPE_MemorySemanticsAcquireRelease | SPE_MemorySemanticsWorkgroupMemory;
    spe_control_barrier(&x->m, SPE_ScopeWorkgroup, SPE_ScopeWorkgroup, order);
}

/* Puts the fetched tiles in local memory. */
static void xt_panels_store_(xt_ctx *x, const xt_frame_ *f)
{
    xt_panels_wait_(x);
    for (int i = 0; i < x->panels.count; i++)
        if (xt_panel_at_(x, i)->loop == f) xt_panel_store_(x, xt_panel_at_(x, i));
    xt_panels_wait_(x);
}

/* At the beginning of a turn: puts its tiles in local memory, and fetches the next ones, which lie before `to`. */
XE_FN_ void xt_panels_turn_(xt_ctx *x, const xt_frame_ *f, spe_id to)
{
    spe_module *m = &x->m;
    spe_id by = spe_i32(m, (int32_t)f->step.integer), none = spe_i32(m, 0), next = spe_iadd(m, f->turn, by);
    by = spe_select(m, spe_slt(m, next, to), by, none);
    xt_panels_carry_(x, f, false);
    xt_panels_store_(x, f);
    for (int i = 0; i < x->panels.count; i++) {
        xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !p->got) continue;
        xt_tile t = xt_panel_next_(x, p, by);
        xt_panel_fetch_(x, p, &t, p->got);
    }
}
