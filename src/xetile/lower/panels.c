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

/* How far the tile may still move along a dimension with all of it in its matrix; negative: it is not. */
static spe_id xt_panel_left_(xt_ctx *x, const xt_tile *t, int dim)
{
    spe_module *m = &x->m;
    spe_id extent = dim == xt_inner_(t) ? xt_index_id_(x, &t->shape[dim]) : xt_lines_id_(x, t), left, before;
    left = spe_isub(m, extent, spe_i32(m, t->dist.shape[dim]));
    left = spe_isub(m, left, xt_index_id_(x, &t->offset[dim]));
    spe_id zero = spe_i32(m, 0), none = spe_i32(m, -1);
    before = spe_slt(m, xt_index_id_(x, &t->offset[dim]), zero);
    return spe_select(m, before, none, left);
}

/* Is all of the tile in its matrix, and each vector aligned? */
static spe_id xt_panel_fits_(xt_ctx *x, const xt_tile *t)
{
    spe_module *m = &x->m;
    spe_id all = xt_panel_aligned_(x, t);
    for (int i = 0; i < 2 && !t->inside; i++) {
        spe_id zero = spe_i32(m, 0), inside = spe_sge(m, xt_panel_left_(x, t, i), zero);
        all = spe_land(m, all, inside);
    }
    return all;
}

/* Fetches a lane's vectors of such a tile. */
static void xt_panel_fetch_whole_(xt_ctx *x, const xt_panel_ *p, const xt_tile *t, spe_id *got)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t), bytes = xt_bytes_(t->type);
    spe_id i64 = spe_int(m, 64), vector = spe_vec(m, spe_int(m, 32), 4), type, first, along, pitch;
    type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, vector);
    spe_id size = spe_i32(m, bytes);
    pitch = spe_imul(m, xt_index_id_(x, &t->pitch), size);
    pitch = spe_uconvert(m, i64, spe_and(m, pitch, spe_i32(m, -XT_VECTOR_)));
    first = spe_uconvert(m, i64, xt_index_id_(x, &t->offset[!inner]));
    first = spe_imul(m, first, pitch);
    along = spe_imul(m, xt_index_id_(x, &t->offset[inner]), size);
    first = spe_iadd(m, first, spe_uconvert(m, i64, along));
    along = spe_ptr_to_u(m, i64, t->base.id);
    first = spe_iadd(m, along, first);
    spe_id sixteen = spe_u32(m, XT_VECTOR_);
    for (int i = 0; i < p->units; i++) {
        xt_panel_unit_ u = xt_panel_unit_of_(x, p, spe_i32(m, i));
        spe_id line = spe_imul(m, spe_uconvert(m, i64, u.line), pitch);
        spe_id chunk = spe_uconvert(m, i64, spe_imul(m, u.chunk, sixteen));
        line = spe_iadd(m, first, spe_iadd(m, line, chunk));
        got[i] = spe_load(m, spe_u_to_ptr(m, type, line), XT_VECTOR_);
    }
}

/* An element of a vector that may be outside of the matrix, as the low bits of a word; those outside are zero. */
static spe_id xt_panel_element_(xt_ctx *x, const xt_tile *t, spe_id line, spe_id along)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t), bits = 8 * xt_bytes_(t->type);
    spe_id i64 = spe_int(m, 64), word = spe_int(m, 32), zero = spe_u64(m, 0), inside, other, at, v;
    inside = spe_ult(m, line, spe_extent(m, xt_lines_id_(x, t)));
    other = spe_ult(m, along, spe_extent(m, xt_index_id_(x, &t->shape[inner])));
    inside = spe_land(m, inside, other);
    at = spe_uconvert(m, i64, line);
    other = spe_uconvert(m, i64, xt_index_id_(x, &t->pitch));
    at = spe_imul(m, at, other);
    at = spe_iadd(m, at, spe_uconvert(m, i64, along));
    at = spe_select(m, inside, at, zero); /* position 0 is safe to read */
    v = spe_ptr_cast(m, t->base.id, spe_int(m, (uint32_t)bits));
    v = spe_load(m, spe_index(m, v, at), 0);
    if (bits < 32) v = spe_uconvert(m, word, v);
    return spe_select(m, inside, v, spe_u32(m, 0));
}

/* Copies a tile to local memory element by element. The code is short, in a loop: more of it would take registers from
 * the loop over whole tiles. */
static void xt_panel_copy_edge_(xt_ctx *x, const xt_panel_ *p, const xt_tile *t)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t), bytes = xt_bytes_(t->type), per = 4 / bytes;
    spe_id vector = spe_vec(m, spe_int(m, 32), 4), words[4], zero = spe_i32(m, 0), one = spe_i32(m, 1);
    spe_id unit = spe_for(m, zero, spe_i32(m, p->units), one, 0, NULL);
    xt_panel_unit_ u = xt_panel_unit_of_(x, p, unit);
    spe_id line = spe_iadd(m, u.line, xt_index_id_(x, &t->offset[!inner]));
    spe_id each = spe_i32(m, XT_VECTOR_ / bytes), first = spe_imul(m, u.chunk, each);
    first = spe_iadd(m, first, xt_index_id_(x, &t->offset[inner]));
    for (int j = 0; j < XT_VECTOR_ / bytes; j++) {
        spe_id along = spe_i32(m, j), element = xt_panel_element_(x, t, line, spe_iadd(m, first, along));
        if (j % per) element = spe_shl(m, element, spe_u32(m, (uint32_t)(j % per * 8 * bytes)));
        words[j / per] = j % per ? spe_or(m, words[j / per], element) : element;
    }
    xt_panel_put_(x, p, &u, spe_construct(m, vector, 4, words));
    spe_endfor(m, 0, NULL);
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
    spe_barrier(&x->m);
    spe_if(&x->m, xt_panel_fits_(x, &t));
    xt_panel_fetch_whole_(x, p, &t, p->got);
    xt_panel_store_(x, p);
    spe_else(&x->m, 0, NULL);
    xt_panel_copy_edge_(x, p, &t);
    spe_endif(&x->m, 0, NULL, NULL);
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

/* Writes the end of the turns whose tiles are whole: the last one is that of an aligned tile that can still move so far
 * along its way. */
static spe_id xt_panel_end_(xt_ctx *x, const xt_panel_ *p, spe_id end)
{
    spe_module *m = &x->m;
    const xt_frame_ *f = p->loop;
    xt_tile t = xt_panel_tile_(x, p);
    spe_id all = xt_panel_aligned_(x, &t), left, last;
    for (int i = 0; i < 2; i++) {
        left = xt_panel_left_(x, &t, i);
        last = spe_sge(m, left, spe_i32(m, 0));
        all = spe_land(m, all, last);
        if (!xt_advances_(p->from, f, i, (int)f->step.integer)) continue;
        last = spe_iadd(m, f->from, left);
        end = spe_math2(m, SPE_SMIN, end, spe_iadd(m, last, spe_i32(m, 1)));
    }
    return spe_select(m, all, end, f->from);
}

/* Before a loop, with the values of its first turn: finds how far its tiles are whole, up to `to`, and fetches those of
 * that turn. */
XE_FN_ spe_id xt_panels_enter_(xt_ctx *x, xt_frame_ *f, spe_id to)
{
    spe_module *m = &x->m;
    uint32_t n = (uint32_t)f->panel_ids;
    spe_id *none = (spe_id *)xt_memory_(x, n * sizeof *none), vector = spe_vec(m, spe_int(m, 32), 4);
    for (int i = 0; i < x->panels.count; i++)
        if (xt_panel_at_(x, i)->loop == f) to = xt_panel_end_(x, xt_panel_at_(x, i), to);
    spe_if(m, spe_slt(m, f->from, to));
    for (int i = 0; i < x->panels.count; i++) {
        xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !xt_panel_room_for_(x, p)) continue;
        xt_tile t = xt_panel_tile_(x, p);
        xt_panel_fetch_whole_(x, p, &t, p->got);
    }
    xt_panels_carry_(x, f, true);
    for (uint32_t i = 0; none && i < n; i++) none[i] = spe_null(m, vector);
    if (none) spe_endif_from(m, n, f->ids + f->id_count, none, f->ids + f->id_count);
    return to;
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

/* Puts the fetched tiles in local memory. */
static void xt_panels_store_(xt_ctx *x, const xt_frame_ *f)
{
    spe_barrier(&x->m);
    for (int i = 0; i < x->panels.count; i++)
        if (xt_panel_at_(x, i)->loop == f) xt_panel_store_(x, xt_panel_at_(x, i));
    spe_barrier(&x->m);
}

/* At the beginning of a turn whose tiles are whole: puts them in local memory, and fetches the next ones, which lie
 * before `to`. */
XE_FN_ void xt_panels_turn_(xt_ctx *x, const xt_frame_ *f, spe_id to)
{
    spe_module *m = &x->m;
    spe_id by = spe_i32(m, (int32_t)f->step.integer), none = spe_i32(m, 0), next = spe_iadd(m, f->turn, by);
    by = spe_select(m, spe_slt(m, next, to), by, none);
    xt_panels_carry_(x, f, false);
    xt_panels_store_(x, f);
    for (int i = 0; i < x->panels.count; i++) {
        xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f) continue;
        xt_tile t = xt_panel_next_(x, p, by);
        xt_panel_fetch_whole_(x, p, &t, p->got);
    }
}

/* At the beginning of another turn. */
XE_FN_ void xt_panels_edge_(xt_ctx *x, const xt_frame_ *f)
{
    spe_barrier(&x->m);
    for (int i = 0; i < x->panels.count; i++) {
        const xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f) continue;
        xt_tile t = xt_panel_tile_(x, p);
        xt_panel_copy_edge_(x, p, &t);
    }
    spe_barrier(&x->m);
}
