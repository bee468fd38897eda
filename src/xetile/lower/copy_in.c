/* lower/copy_in.c - copies a tile to local memory from rows of any pitch, with all subgroups. */
#include "../internal.h"

/* The position along k of dword k: if the order is changed, dwords k, k + 4, ... of an iteration's part are adjacent.
 */
static int xt_stage_slot_(const xt_stage_ *s, int k)
{
    int part = s->depth / s->parts, in = k % part;
    return s->mixed ? k - in + in % 4 * (part / 4) + in / 4 : k;
}

/* The position of dword `slot` of row p (for a right operand: column p), in dwords. */
XE_FN_ int xt_stage_position_(const xt_stage_ *s, int p, int slot)
{
    return slot / s->line * s->plane + p * s->line + p / s->rows_per_read * s->gap + slot % s->line;
}

/* The number of units of a subgroup. */
XE_FN_ int xt_stage_rounds_(const xt_stage_ *s) { return (s->units + s->subgroups - 1) / s->subgroups; }

XE_FN_ xt_stage_ *xt_stage_at_(xt_ctx *x, int i) { return (xt_stage_ *)x->stages.items + i; }

/* ---- the condition ----------------------------------------------------------------------------------------------- */

/* Finds the condition for surfaces of all classes to be legal: lines of at least 64 bytes, and a pitch of at most 2^24
 * that holds one plus up to 64 bytes before it. Elsewhere, elements are copied one by one. */
XE_FN_ void xt_write_stage_condition_(xt_ctx *x)
{
    spe_module *m = &x->m;
    spe_id all = 0;
    spe_prologue_begin(m);
    for (int i = 0; i < x->stages.count; i++) {
        const xt_stage_ *s = xt_stage_at_(x, i);
        const xt_tile *t = xt_tile_(x, xt_plan_tile_at_(x, s->from->number)->of->operand[XT_INIT_MATRIX_]);
        int inner = xt_inner_(t);
        const xt_val *of[] = {&t->pitch, &t->shape[inner], &t->shape[!inner]};
        static const int bits[] = {20, 22, 24};
        spe_id is[3];
        for (int j = 0; j < 3; j++) {
            is[j] = xt_emit_hoisted_(x, of[j], CM_I32);
            spe_id most = spe_i32(m, 1 << bits[j]);
            all = xt_both_(x, all, spe_ult(m, spe_iadd(m, is[j], spe_i32(m, -1)), most));
        }
        spe_id line = spe_imul(m, is[1], spe_i32(m, s->bytes));
        all = xt_both_(x, all, spe_uge(m, line, spe_i32(m, x->target.block2d.row_least)));
        line = spe_iadd(m, line, spe_i32(m, 66));
        all = xt_both_(x, all, spe_uge(m, spe_imul(m, is[0], spe_i32(m, 16)), line));
    }
    spe_prologue_end(m);
    x->stages_fit = all;
}

/* ---- from memory to registers ------------------------------------------------------------------------------------ */

/* The surface of the lines of one class, and where a message begins in it; shift: offset of its elements in their
 * dword, in bits. */
typedef struct {
    spe_block2d block;
    spe_id shift;
} xt_surface_;

/* A subgroup's share of one round: its first line (of the first class), its first dword along a line. */
typedef struct {
    spe_id line_class, chunk, along; /* chunk: in lines of its class */
} xt_unit_;

static xt_unit_ xt_stage_unit_(xt_ctx *x, const xt_stage_ *s, int round)
{
    spe_module *m = &x->m;
    int groups = s->classes / s->weave;
    xt_unit_ u;
    spe_id n = s->subgroups > 1 ? spe_builtin(m, SPE_SUBGROUP_ID, 0) : spe_i32(m, 0);
    if (round) n = spe_iadd(m, n, spe_i32(m, round * s->subgroups));
    if ((round + 1) * s->subgroups > s->units) n = spe_umod(m, n, spe_i32(m, s->units));
    spe_id wide = spe_i32(m, s->wide);
    u.along = spe_imul(m, spe_umod(m, n, spe_i32(m, s->chunks[1])), wide);
    n = spe_udiv(m, n, spe_i32(m, s->chunks[1]));
    spe_id weave = spe_i32(m, s->weave);
    u.line_class = spe_imul(m, spe_umod(m, n, spe_i32(m, groups)), weave);
    spe_id high = spe_i32(m, s->high);
    u.chunk = spe_imul(m, spe_udiv(m, n, spe_i32(m, groups)), high);
    return u;
}

static spe_id xt_log2_(xt_ctx *x, int n)
{
    int bits = 0;
    while (1 << bits < n) bits++;
    return spe_i32(&x->m, bits);
}

/* The whole work-group's tile in its current state, or the current slice of it; transposed if the vector is. */
static xt_tile xt_stage_tile_(xt_ctx *x, const xt_stage_ *s)
{
    xt_tile t = xt_group_tile_(x, s->from);
    xt_val *k = &t.offset[(s->use == CM_B) ^ s->transposed];
    if (s->slice) *k = xt_scalar_(CM_I32, spe_iadd(&x->m, xt_index_id_(x, k), s->slice), 1);
    return s->transposed ? xt_transposed_(&t) : t;
}

static spe_id xt_stage_offset_(xt_ctx *x, const xt_tile *t, int dim) { return xt_index_id_(x, &t->offset[dim]); }

/* What the surfaces of all classes share. If leading offsets are outside, the current matrix has no lines, and the
 * address of the first matrix is used because it is valid. */
static void xt_stage_matrix_(xt_ctx *x, xt_stage_ *s)
{
    spe_module *m = &x->m;
    const xt_tile *t = &s->tile;
    const xt_plan_tile_ *p = xt_plan_tile_at_(x, t->number);
    const xt_tile *matrix = xt_tile_(x, p->of->operand[XT_INIT_MATRIX_]);
    spe_id bytes = spe_i32(m, s->bytes), i64 = spe_int(m, 64), classes = spe_i32(m, s->classes);
    s->lines = xt_index_id_(x, &t->shape[!xt_inner_(t)]);
    s->address = spe_ptr_to_u(m, i64, t->base.id);
    if (p->of->type > 2) {
        spe_id first = spe_ptr_to_u(m, i64, xt_now_(x, &matrix->base).id);
        s->address = spe_select(m, spe_ieq(m, s->lines, spe_i32(m, 0)), first, s->address);
    }
    s->width = spe_imul(m, xt_emit_hoisted_(x, &matrix->shape[xt_inner_(matrix)], CM_I32), bytes);
    s->pitch = spe_imul(m, xt_emit_hoisted_(x, &matrix->pitch, CM_I32), bytes);
    s->pitch_of_class = s->pitch_again = spe_imul(m, s->pitch, classes);
    if (!x->target.block2d.offsets && s->subgroups == 1) spe_differ(m, 0, 1, &s->pitch_again);
}

/* The surface of class `number`. */
static xt_surface_ xt_stage_class_(xt_ctx *x, const xt_stage_ *s, spe_id number)
{
    spe_module *m = &x->m;
    spe_id i64 = spe_int(m, 64), zero = spe_i32(m, 0), most = spe_i32(m, s->classes - 1);
    spe_id none = spe_ule(m, s->lines, number), before = spe_imul(m, spe_select(m, none, zero, number), s->pitch);
    spe_id address = spe_iadd(m, s->address, spe_uconvert(m, i64, before));
    spe_id line = spe_i32(m, 63), rest = spe_and(m, spe_uconvert(m, spe_int(m, 32), address), line);
    spe_id beyond = spe_iadd(m, rest, spe_i32(m, 3)), up = spe_isub(m, most, number);
    xt_surface_ r = XT_ZERO_;
    r.block.elem_bytes = 4;
    r.block.width = (uint32_t)s->wide;
    r.block.height = (uint32_t)s->high;
    r.block.count = 1;
    r.block.ptr = spe_and(m, address, spe_u64(m, ~(uint64_t)63));
    r.block.mem_width = spe_iadd(m, s->width, beyond);
    r.block.mem_width = spe_and(m, r.block.mem_width, spe_i32(m, -4));
    r.block.mem_height = spe_iadd(m, s->lines, up);
    r.block.mem_height = spe_udiv(m, r.block.mem_height, spe_i32(m, s->classes));
    r.block.mem_height = spe_select(m, none, spe_i32(m, 1), r.block.mem_height);
    r.block.pitch = s->pitch_of_class;
    r.block.pos_y = spe_select(m, none, spe_i32(m, 1 << 24), zero); /* beyond the last line */
    r.block.pos_x = rest;
    return r;
}

/* The surface of a unit's first message. Where class (whole) and shift (aligned) do not depend on the tile's offset, a
 * loop that moves the tile only adds to the position. */
static xt_surface_ xt_stage_surface_(xt_ctx *x, const xt_stage_ *s, const xt_unit_ *u, int i)
{
    spe_module *m = &x->m;
    const xt_tile *t = &s->tile;
    int inner = xt_inner_(t);
    spe_id number = spe_iadd(m, u->line_class, spe_i32(m, i)), three = spe_i32(m, 3);
    spe_id line = xt_stage_offset_(x, t, !inner), along = xt_stage_offset_(x, t, inner);
    if (!s->from_first_class) {
        line = spe_iadd(m, line, number);
        number = spe_and(m, line, spe_i32(m, s->classes - 1));
    }
    xt_surface_ r = xt_stage_class_(x, s, number);
    spe_id rest = r.block.pos_x;
    if (!s->aligned) rest = spe_iadd(m, rest, spe_imul(m, along, spe_i32(m, s->bytes)));
    r.shift = spe_shl(m, spe_and(m, rest, three), three);
    r.block.pos_x = spe_iadd(m, spe_sar(m, rest, spe_i32(m, 2)), u->along);
    if (s->aligned && s->bytes < 4) along = spe_sar(m, along, xt_log2_(x, 4 / s->bytes));
    if (s->aligned) r.block.pos_x = spe_iadd(m, r.block.pos_x, along);
    r.block.pos_y = spe_iadd(m, r.block.pos_y, u->chunk);
    r.block.pos_y = spe_iadd(m, r.block.pos_y, spe_sar(m, line, xt_log2_(x, s->classes)));
    r.block.ptr = xt_emit_pointer_(x, CM_I32, xt_side_address_(x, r.block.ptr));
    return r;
}

/* The dwords a message loads per lane: a scalar or a vector. */
static spe_id xt_stage_message_(xt_ctx *x, const xt_stage_ *s, const spe_block2d *b)
{
    spe_module *m = &x->m;
    uint32_t words = (uint32_t)(s->high * s->wide / 16);
    spe_id type = spe_vec(m, spe_int(m, 32), words), variable = spe_local_var(m, type);
    if (s->by_lines) spe_block2d_load_transpose(m, b, variable);
    else spe_block2d_load(m, b, variable);
    return spe_load(m, variable, 0);
}

static spe_id xt_splat_word_(xt_ctx *x, spe_id like, spe_id word)
{
    return spe_splat(&x->m, spe_type_of(&x->m, like), word);
}

/* A number for each of a lane's dwords. If lanes hold lines, dword i takes it from lane i. */
XE_ONCE_
static spe_id xt_stage_repeat_(xt_ctx *x, const xt_stage_ *s, spe_id like, spe_id number)
{
    spe_module *m = &x->m;
    spe_id each[XT_PLANE_];
    if (!s->by_lines) return xt_splat_word_(x, like, number);
    for (int i = 0; i < XT_PLANE_; i++) each[i] = spe_sg_broadcast(m, number, spe_i32(m, i));
    return spe_construct(m, spe_type_of(m, like), XT_PLANE_, each);
}

/* A mask of the bytes that are elements of the matrix, in the lane's dword along the lines. 0: all are, or none. */
static spe_id xt_stage_mask_(xt_ctx *x, const xt_stage_ *s, const xt_unit_ *u)
{
    spe_module *m = &x->m;
    const xt_tile *t = &s->tile;
    int inner = xt_inner_(t), per = 4 / s->bytes;
    if (per == 1) return 0;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), mask = 0;
    spe_id extent = spe_extent(m, xt_index_id_(x, &t->shape[inner]));
    if (s->wide == 8) lane = spe_and(m, lane, spe_i32(m, 7));
    spe_id elements = spe_i32(m, per), first = spe_imul(m, spe_iadd(m, u->along, lane), elements);
    first = spe_iadd(m, first, xt_stage_offset_(x, t, inner));
    for (int i = 0; i < per; i++) {
        spe_id bits = spe_u32(m, ((1u << 8 * s->bytes) - 1) << 8 * s->bytes * i);
        spe_id none = spe_i32(m, 0);
        spe_id one = spe_select(m, spe_ult(m, spe_iadd(m, first, spe_i32(m, i)), extent), bits, none);
        mask = mask ? spe_or(m, mask, one) : one;
    }
    return mask;
}

/* Loads one of this subgroup's units: for each line of it, the low and high message, and the shift. */
static void xt_stage_fetch_(xt_ctx *x, const xt_stage_ *s, int round)
{
    spe_module *m = &x->m;
    xt_unit_ u = xt_stage_unit_(x, s, round);
    for (int i = 0; i < s->weave; i++) {
        spe_id *got = s->got + (round * s->weave + i) * 3, one = spe_i32(m, 1), zero = spe_i32(m, 0);
        xt_surface_ r = xt_stage_surface_(x, s, &u, i);
        got[0] = got[1] = xt_stage_message_(x, s, &r.block);
        got[2] = r.shift;
        if (s->bytes == 4) continue;
        r.block.pos_x = spe_iadd(m, r.block.pos_x, spe_select(m, spe_ieq(m, got[2], zero), zero, one));
        r.block.pitch = s->pitch_again;
        got[1] = xt_stage_message_(x, s, &r.block);
    }
}

/* ---- from registers to local memory ------------------------------------------------------------------------------ */

/* Shifts elements to dword boundaries, if they are smaller. */
static spe_id xt_stage_align_(xt_ctx *x, const xt_stage_ *s, const spe_id got[3], spe_id mask)
{
    spe_module *m = &x->m;
    if (s->bytes == 4 || !mask) return got[0];
    spe_id bits = spe_i32(m, 31), back = spe_and(m, spe_isub(m, spe_i32(m, 0), got[2]), bits);
    spe_id low = spe_shr(m, got[0], xt_splat_word_(x, got[0], got[2]));
    spe_id high = spe_shl(m, got[1], xt_splat_word_(x, low, back));
    mask = xt_stage_repeat_(x, s, low, mask);
    return spe_and(m, spe_or(m, low, high), mask);
}

/* Transposes elements of two dwords, or (bits 8, twice) of four: swaps bits of a with those of b below them. */
static void xt_stage_swap_(xt_ctx *x, uint32_t mask, int bits, spe_id *a, spe_id *b)
{
    spe_module *m = &x->m;
    spe_id by = xt_splat_word_(x, *a, spe_i32(m, bits)), up = spe_shl(m, *b, by), down = spe_shr(m, *a, by);
    spe_id low = xt_splat_word_(x, *a, spe_u32(m, mask)), high = spe_not(m, low);
    up = spe_and(m, up, high);
    *a = spe_or(m, spe_and(m, *a, low), up);
    *b = spe_and(m, *b, high);
    *b = spe_or(m, spe_and(m, down, low), *b);
}

/* Interleaves lines to dwords along k: v[q] becomes element q of each line's dword. */
XE_ONCE_
static void xt_stage_weave_(xt_ctx *x, spe_id v[4])
{
    xt_stage_swap_(x, 0x00ff00ff, 8, &v[0], &v[1]);
    xt_stage_swap_(x, 0x00ff00ff, 8, &v[2], &v[3]);
    xt_stage_swap_(x, 0xffff, 16, &v[0], &v[2]);
    xt_stage_swap_(x, 0xffff, 16, &v[1], &v[3]);
}

/* Both at once for two lines of 16-bit elements: v[i] has element i of each line's dword, the first line's in its low
 * half. Outside the matrix, no bits of the first line are extracted and none of the second are kept. */
static void xt_stage_pair_(xt_ctx *x, const spe_id got[6], spe_id mask, spe_id v[2])
{
    spe_module *m = &x->m;
    spe_id half = spe_i32(m, 16);
    for (int i = 0; i < 2; i++) {
        spe_id bits = spe_and(m, i ? spe_shr(m, mask, half) : mask, half), low, high;
        spe_id upper = spe_u32(m, 0xffff0000), keep = spe_and(m, i ? mask : spe_shl(m, mask, half), upper);
        low = spe_bits_extract(m, got[i], i ? spe_xor(m, got[2], half) : got[2], bits, false);
        high = xt_splat_word_(x, got[3 + i], i ? got[5] : spe_xor(m, got[5], half));
        high = spe_math2(m, SPE_ROTATE, got[3 + i], high);
        v[i] = spe_or(m, low, spe_and(m, high, xt_splat_word_(x, high, keep)));
    }
}

/* f32, two for each dword of the result, as 16-bit floats. */
static spe_id xt_stage_narrow_(xt_ctx *x, const xt_stage_ *s, uint32_t count, const spe_id *v)
{
    spe_module *m = &x->m;
    spe_id all = spe_construct(m, spe_vec(m, spe_int(m, 32), count), count, v);
    all = spe_bitcast(m, spe_vec(m, spe_float(m, 32), count), all);
    all = s->type == CM_BF16 ? cm_from_arith(&x->cm, CM_BF16, all)
                             : spe_fconvert(m, spe_vec(m, spe_float(m, 16), count), all);
    return spe_bitcast(m, spe_vec(m, spe_int(m, 32), count / 2), all);
}

/* Converts two lines of f32 to dwords along k; or, if each lane holds a line, its dwords in twos. */
static spe_id xt_stage_convert_(xt_ctx *x, const xt_stage_ *s, const spe_id line[2])
{
    spe_id each[2 * XT_PLANE_];
    int lines = s->weave, n = s->high * s->wide / 16;
    for (int i = 0; i < n * lines; i++)
        each[i] = n == 1 ? line[i] : spe_extract(&x->m, line[i % lines], (uint32_t)(i / lines));
    return xt_stage_narrow_(x, s, (uint32_t)(n * lines), each);
}

/* The same for numbers that are known only at run time: where row p begins, and where its dword k lies. */
XE_FN_ spe_id xt_stage_row_(xt_ctx *x, const xt_stage_ *s, spe_id p)
{
    spe_module *m = &x->m;
    spe_id gap = spe_i32(m, s->gap), gaps = spe_imul(m, spe_udiv(m, p, spe_i32(m, s->rows_per_read)), gap);
    return spe_iadd(m, spe_imul(m, p, spe_i32(m, s->line)), gaps);
}

static spe_id xt_stage_position_id_(xt_ctx *x, const xt_stage_ *s, spe_id p, spe_id k)
{
    spe_module *m = &x->m;
    int part = s->depth / s->parts;
    spe_id line = spe_i32(m, s->line);
    if (s->mixed) {
        spe_id fourth = spe_i32(m, part / 4), every = spe_imul(m, spe_and(m, k, spe_i32(m, 3)), fourth);
        if (s->parts > 1) every = spe_iadd(m, every, spe_and(m, k, spe_i32(m, -part)));
        if (s->parts > 1) k = spe_and(m, k, spe_i32(m, part - 1));
        k = spe_iadd(m, every, spe_shr(m, k, spe_i32(m, 2)));
    }
    spe_id in_plane = spe_umod(m, k, line), plane = spe_i32(m, s->plane);
    k = spe_iadd(m, spe_imul(m, spe_udiv(m, k, line), plane), in_plane);
    return spe_iadd(m, k, xt_stage_row_(x, s, p));
}

/* The position of a lane's first dword. */
static spe_id xt_stage_lane_(xt_ctx *x, const xt_stage_ *s, const xt_unit_ *u)
{
    spe_module *m = &x->m;
    int groups = s->classes / s->weave;
    spe_id down = u->chunk, across = spe_builtin(m, SPE_SUBGROUP_LANE, 0);
    if (s->by_lines) {
        down = spe_iadd(m, down, across);
        across = spe_i32(m, 0);
    } else if (s->wide == 8) {
        down = spe_iadd(m, down, spe_shr(m, across, spe_i32(m, 3)));
        across = spe_and(m, across, spe_i32(m, 7));
    }
    across = spe_iadd(m, u->along, across);
    across = s->along_k ? spe_udiv(m, across, spe_i32(m, s->bytes / s->local_bytes))
                        : spe_imul(m, across, spe_i32(m, 4 / s->bytes));
    down = spe_imul(m, down, spe_i32(m, groups));
    down = spe_iadd(m, spe_udiv(m, u->line_class, spe_i32(m, s->weave)), down);
    return xt_stage_position_id_(x, s, s->along_k ? down : across, s->along_k ? across : down);
}

/* Dword `at` of the buffer for this iteration, or slice; or of the tile that a copy is stored to. */
XE_FN_ spe_id xt_stage_pointer_(xt_ctx *x, const xt_stage_ *s, spe_id at)
{
    spe_module *m = &x->m;
    if (s->to) {
        xt_tile t = xt_group_tile_(x, s->to);
        int inner = xt_inner_(&t);
        spe_id each = spe_i32(m, 4 / s->local_bytes), k = spe_udiv(m, xt_stage_offset_(x, &t, inner), each);
        at = spe_iadd(m, at, xt_stage_position_id_(x, s, xt_stage_offset_(x, &t, !inner), k));
        return spe_index(m, spe_ptr_cast(m, t.base.id, spe_int(m, 32)), at);
    }
    spe_id index = s->loop ? xt_value_at_(x, s->loop->index)->now.number.id : s->slice;
    int step = s->loop ? (int)xt_number_(x, s->loop->step)->integer : s->dist.shape[s->use == CM_B];
    at = spe_iadd(m, at, spe_i32(m, s->at));
    if (index && s->buffers > 1) {
        spe_id two = spe_i32(m, 2), buffer = spe_umod(m, spe_udiv(m, index, spe_i32(m, step)), two);
        at = spe_iadd(m, at, spe_imul(m, buffer, spe_i32(m, s->dwords)));
    }
    if (s->shared) return spe_index(m, xt_scratch_pointer_(x, CM_I32), at);
    return spe_element(m, x->staging, 1, &at);
}

/* Stores a lane's dwords of one of the interleaved lines; adjacent ones at once. */
static void xt_stage_store_(xt_ctx *x, const xt_stage_ *s, spe_id to, spe_id v, int q)
{
    spe_module *m = &x->m;
    int at[XT_STAGE_MOST_], n = (int)spe_count(m, spe_type_of(m, v)), i, j, run;
    int down = 16 / s->wide * s->classes / s->weave;
    spe_id one[XT_STAGE_MOST_], word[XT_PLANE_];
    for (i = 0; i < n; i++) {
        one[i] = n == 1 ? v : spe_extract(m, v, (uint32_t)i);
        at[i] = s->by_lines  ? xt_stage_position_(s, 0, xt_stage_slot_(s, i))
                : s->along_k ? xt_stage_position_(s, i * down, 0)
                             : xt_stage_position_(s, q, xt_stage_slot_(s, i * down));
    }
    for (i = 0; i < n; i++) {
        if (at[i] < 0) continue;
        for (run = 0, j = i; j < n && run < XT_PLANE_; j++) {
            if (at[j] != at[i] + run) continue;
            word[run++] = one[j];
            if (j > i) at[j] = -1;
        }
        spe_id type = spe_vec(m, spe_int(m, 32), (uint32_t)run), all = spe_construct(m, type, (uint32_t)run, word);
        spe_store(m, spe_ptr_cast(m, spe_index(m, to, spe_i32(m, at[i])), type), all, run < 4 ? (uint32_t)run * 4 : 16);
    }
}

static void xt_stage_put_(xt_ctx *x, const xt_stage_ *s)
{
    int rounds = xt_stage_rounds_(s), outputs = s->along_k ? 1 : 4 / s->bytes; /* columns of a dword */
    spe_id mask = 0, v[4];
    for (int round = 0; round < rounds && s->got; round++) {
        xt_unit_ u = xt_stage_unit_(x, s, round);
        const spe_id *got = s->got + round * s->weave * 3;
        if (!round || s->chunks[1] > 1) mask = xt_stage_mask_(x, s, &u);
        bool pair = s->weave == 2 && !s->converts;
        if (rounds > XT_EAGER_) xt_stage_fetch_(x, s, round);
        for (int i = 0; i < s->weave && !pair; i++) v[i] = xt_stage_align_(x, s, got + i * 3, mask);
        if (pair) xt_stage_pair_(x, got, mask, v);
        if (s->weave == 4) xt_stage_weave_(x, v);
        if (s->converts) v[0] = xt_stage_convert_(x, s, v);
        spe_id to = xt_stage_pointer_(x, s, xt_stage_lane_(x, s, &u));
        for (int i = 0; i < outputs; i++) xt_stage_store_(x, s, to, v[i], i);
    }
}

/* ---- element by element, where surfaces are not legal ------------------------------------------------------------ */

/* Element (row, col) of the tile in the low bits of a dword; 0 outside, where lanes load the first element: a branch,
 * or a choice of distances in 64 bits (spe_load_inside), would take Intel's compiler more registers. extent: of the
 * matrix, not negative. */
static spe_id xt_stage_element_(xt_ctx *x, const xt_stage_ *s, spe_id row, spe_id col, const spe_id *extent)
{
    spe_module *m = &x->m;
    const xt_tile *t = &s->tile;
    int inner = xt_inner_(t);
    spe_id at[2] = {spe_iadd(m, xt_stage_offset_(x, t, 0), row), spe_iadd(m, xt_stage_offset_(x, t, 1), col)};
    spe_id i64 = spe_int(m, 64), pitch = spe_uconvert(m, i64, xt_index_id_(x, &t->pitch)), zero = spe_i32(m, 0);
    spe_id inside = spe_ult(m, at[inner], extent[inner]);
    inside = spe_land(m, spe_ult(m, at[!inner], extent[!inner]), inside);
    for (int i = 0; i < 2; i++) at[i] = spe_uconvert(m, i64, spe_select(m, inside, at[i], zero));
    spe_id distance = spe_iadd(m, spe_imul(m, at[!inner], pitch), at[inner]);
    spe_id v = spe_load(m, spe_index(m, t->base.id, distance), 0), word = spe_int(m, 8 * (uint32_t)s->bytes);
    v = spe_select(m, inside, v, spe_null(m, spe_type_of(m, v)));
    v = spe_bitcast(m, word, v);
    return spe_cast(m, spe_int(m, 32), v, false);
}

/* Dword k of row p (for a right operand: column p), in the order of the tile. */
static spe_id xt_stage_dword_(xt_ctx *x, const xt_stage_ *s, spe_id p, spe_id k)
{
    spe_module *m = &x->m;
    int per = 4 / s->local_bytes, inner = xt_inner_(&s->tile);
    spe_id one[4], extent[2], v = 0;
    extent[inner] = spe_extent(m, xt_index_id_(x, &s->tile.shape[inner]));
    extent[!inner] = spe_extent(m, xt_lines_id_(x, &s->tile));
    for (int q = 0; q < per; q++) {
        spe_id number = spe_i32(m, q), e = spe_iadd(m, spe_imul(m, k, spe_i32(m, per)), number);
        one[q] = xt_stage_element_(x, s, s->use == CM_A ? e : p, s->use == CM_A ? p : e, extent);
        v = q ? spe_or(m, v, spe_shl(m, one[q], spe_i32(m, 8 * s->local_bytes * q))) : one[q];
    }
    return s->converts ? xt_stage_narrow_(x, s, 2, one) : v;
}

/* Has the matrix any element? */
static spe_id xt_stage_has_any_(xt_ctx *x, const xt_stage_ *s)
{
    const xt_tile *t = &s->tile;
    spe_module *m = &x->m;
    spe_id zero = spe_i32(m, 0), some = spe_ine(m, xt_index_id_(x, &t->shape[xt_inner_(t)]), zero);
    return spe_land(m, spe_ine(m, xt_lines_id_(x, t), zero), some);
}

/* Each lane assembles a dword per iteration. */
static void xt_stage_elements_(xt_ctx *x, const xt_stage_ *s)
{
    spe_module *m = &x->m;
    int dwords = s->across * s->depth, step = s->subgroups * x->S;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), any = xt_stage_has_any_(x, s), i, p, k, v, by, none;
    if (s->subgroups > 1) {
        spe_id size = spe_i32(m, x->S);
        lane = spe_iadd(m, lane, spe_imul(m, spe_builtin(m, SPE_SUBGROUP_ID, 0), size));
    }
    if (dwords > 2 * step) spe_loop_hint(m, SPE_LoopControlDontUnroll, 0); /* for fewer registers */
    spe_id zero = spe_i32(m, 0), end = spe_i32(m, dwords), each = spe_i32(m, step);
    i = spe_iadd(m, spe_for(m, zero, end, each, 0, NULL), lane);
    if (dwords % step) i = spe_umod(m, i, end); /* some are copied twice */
    by = spe_i32(m, s->along_k ? s->depth : s->across);
    k = s->along_k ? spe_umod(m, i, by) : spe_udiv(m, i, by);
    p = s->along_k ? spe_udiv(m, i, by) : spe_umod(m, i, by);
    spe_if(m, any);
    v = xt_stage_dword_(x, s, p, k);
    none = spe_null(m, spe_type_of(m, v));
    spe_endif_from(m, 1, &v, &none, &v);
    spe_store(m, xt_stage_pointer_(x, s, xt_stage_position_id_(x, s, p, k)), v, 4);
    spe_endfor(m, 0, NULL);
}

/* ---- the whole of it --------------------------------------------------------------------------------------------- */

/* Finds the tile, or the current slice of it, of which this subgroup copies a share. */
XE_FN_ void xt_stage_begin_(xt_ctx *x, xt_stage_ *s)
{
    s->tile = xt_stage_tile_(x, s);
    xt_stage_matrix_(x, s);
    s->got = (spe_id *)xt_memory_(x, (size_t)(xt_stage_rounds_(s) * s->weave * 3) * sizeof *s->got);
}

/* Begins to load the share, unless it is too much to load before some of it is stored. */
static void xt_stage_fetch_all_(xt_ctx *x, const xt_stage_ *s)
{
    int rounds = xt_stage_rounds_(s);
    for (int round = 0; s->got && round < rounds && rounds <= XT_EAGER_; round++) xt_stage_fetch_(x, s, round);
}

/* Opens a branch for messages, unless they are known to be legal. */
static bool xt_stage_if_fit_(xt_ctx *x)
{
    uint64_t known = 0;
    if (spe_const_bits(&x->m, x->stages_fit, &known) && known) return false;
    spe_if(&x->m, x->stages_fit);
    return true;
}

/* Copies the data of a group of loads, fetched before or not. */
XE_FN_ void xt_stage_fill_(xt_ctx *x, xt_stage_ *first, xt_stage_ *last, bool fetched)
{
    bool branch = xt_stage_if_fit_(x);
    for (xt_stage_ *s = first; s <= last && !fetched; s++) xt_stage_fetch_all_(x, s);
    for (xt_stage_ *s = first; s <= last; s++) xt_stage_put_(x, s);
    if (!branch) return;
    spe_else(&x->m, 0, NULL);
    for (xt_stage_ *s = first; s <= last; s++) xt_stage_elements_(x, s);
    spe_endif(&x->m, 0, NULL, NULL);
}

/* Begins to load what a copy will store. */
XE_FN_ void xt_stage_copy_(xt_ctx *x, xt_stage_ *s)
{
    int n = xt_stage_rounds_(s) * s->weave * 3;
    spe_id *none = (spe_id *)xt_memory_(x, (size_t)n * sizeof *none);
    bool branch = none && s->got && xt_stage_if_fit_(x);
    xt_stage_fetch_all_(x, s);
    if (!branch) return;
    for (int i = 0; i < n; i++) none[i] = spe_null(&x->m, spe_type_of(&x->m, s->got[i]));
    spe_endif_from(&x->m, (uint32_t)n, s->got, none, s->got);
}
