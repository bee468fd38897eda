/* control.c - regions. */
#include "internal.h"

/* The line that opened the innermost region. */
static xt_where_ xt_region_where_(xt_ctx *x)
{
    spe_blame at = spe_region_blame(&x->m, xt_errors_(), &x->regions);
    return xt_where_at_(x, at.file, at.line);
}

/* Reads the carried values; gives the frame room for their ids when writing. */
static bool xt_frame_slots_(xt_where_ w, xt_frame_ *f, void *const *objects)
{
    xt_ctx *x = w.x;
    int i;
    while (objects[f->slots]) f->slots++;
    f->slot = (xt_slot_ *)xt_memory_(x, (size_t)f->slots * sizeof *f->slot);
    if (!f->slot) return false;
    for (i = 0; i < f->slots; i++) {
        f->slot[i].object = objects[i];
        if (!xt_read_(w, objects[i], &f->slot[i].start, i)) return false;
    }
    if (x->planning) {
        int *first = (int *)xt_push_(x, &x->frame_first, sizeof *first);
        if (first) *first = x->changed.count;
        for (i = 0; i < f->slots; i++) xt_push_(x, &x->changed, sizeof(uint32_t));
        return spe_ok(&x->m);
    }
    f->id_count = xt_count_ids_(x, f);
    f->ids = (spe_id *)xt_memory_(x, (size_t)f->id_count * sizeof *f->ids);
    return f->ids != NULL;
}

xt_frame_ *xt_open_(xt_where_ w, xt_frame_kind_ kind, void *const *objects)
{
    static const char *const names[] = {"XT_FOR", "XT_IF", "XT_WHILE"}; /* by xt_frame_kind_ */
    xt_ctx *x = w.x;
    int depth = spe_region_open(xt_blame_(w), &x->regions, names[kind]);
    xt_frame_ *f;
    if (!depth) return NULL;
    f = &x->frames[depth - 1];
    memset(f, 0, sizeof *f);
    f->kind = kind;
    f->number = x->frame_count++;
    if (!x->planning && f->number >= x->frame_first.count) {
        xt_fail_(w, XT_ERROR_NOT_REPEATABLE, "more regions than the first time");
        return NULL;
    }
    return xt_frame_slots_(w, f, objects) ? f : NULL;
}

/* The frame of the region of this depth, when it may be closed (spe_region_ends). */
static xt_frame_ *xt_closing_(xt_ctx *x, int depth, bool done)
{
    return spe_region_ends(&x->m, xt_errors_(), &x->regions, depth, done) ? &x->frames[depth - 1] : NULL;
}

/* Reads the carried values at the end of a body and checks their types. */
static bool xt_read_now_(xt_where_ w, xt_frame_ *f)
{
    int i;
    for (i = 0; i < f->slots; i++)
        if (!xt_read_(w, f->slot[i].object, &f->slot[i].now, i) ||
            !xt_check_carried_(w, &f->slot[i].start, &f->slot[i].now, i))
            return false;
    return true;
}

/* ---- XT_FOR ------------------------------------------------------------------------------------------------------ */

/* While planning, at the top of a loop: what is carried may have any value. */
void xt_loop_forget_(xt_ctx *x, xt_frame_ *f)
{
    int i;
    for (i = 0; i < f->slots; i++) {
        f->slot[i].body = f->slot[i].start;
        xt_forget_(x, &f->slot[i].body, /* of a tile the offsets */
                   XT_VEC_CHANGES_ | (f->slot[i].body.magic == XT_TILE_MAGIC_ ? 3 : 1));
        xt_write_(f->slot[i].object, &f->slot[i].body);
    }
}

/* A loop that counts down, or may do so, counts its turns from 0 on instead: (hi - lo + step -+ 1) / step of them.
 * Changes lo, hi and step to those. */
static void xt_count_turns_(xt_where_ w, xt_val *lo, xt_val *hi, xt_val *step)
{
    xt_val from = *lo, to = *hi, by = *step, one = xt_int_(-1);
    if (from.kind == XT_SCALAR_) from = xt_cast_number_(w, CM_I32, &from);
    if (to.kind == XT_SCALAR_) to = xt_cast_number_(w, CM_I32, &to);
    if (by.kind == XT_SCALAR_) /* 1 or -1 */
        one = xt_binary_number_(w, SPE_ARITH_OR, xt_binary_number_(w, SPE_ARITH_SHR, by, xt_int_(31)), xt_int_(1));
    to = xt_binary_number_(w, SPE_ARITH_SUB, to, from);
    to = xt_binary_number_(w, SPE_ARITH_ADD, to, xt_binary_number_(w, SPE_ARITH_SUB, by, one));
    *hi = xt_binary_number_(w, SPE_ARITH_DIV, to, by);
    *lo = xt_int_(0);
    *step = xt_int_(1);
}

/* Scalars that the body moves by the loop's step: they need no phi, since they are start + (index - lo). */
static uint32_t xt_counts_(const xt_frame_ *f, xt_slot_ *s, uint32_t changed)
{
    xt_val *body[XT_COMPONENTS_], *now[XT_COMPONENTS_];
    int i, n = xt_scalars_(&s->body, body);
    uint32_t counts = 0;
    xt_scalars_(&s->now, now);
    for (i = 0; i < n && f->step.kind == XT_INT_; i++)
        if ((changed >> i & 1) && now[i]->kind == XT_SCALAR_ && body[i]->kind == XT_SCALAR_ &&
            xt_is_int_(body[i]->type) && xt_bits_(body[i]->type) == 32 && now[i]->root == body[i]->id &&
            now[i]->delta == f->step.i)
            counts |= 1u << i;
    return counts;
}

/* Gives those scalars their value: start + advance. */
static void xt_write_counts_(xt_where_ w, xt_frame_ *f, spe_id advance)
{
    xt_ctx *x = w.x;
    int i, j, n;
    for (i = 0; i < f->slots; i++) {
        uint32_t counts = *xt_changed_(x, f, i) >> XT_COUNTS_SHIFT_;
        xt_val *p[XT_COMPONENTS_], *start[XT_COMPONENTS_];
        xt_thing_ t;
        if (!counts || !xt_read_(w, f->slot[i].object, &t, i)) continue;
        n = xt_scalars_(&t, p);
        xt_scalars_(&f->slot[i].start, start);
        for (j = 0; j < n; j++) {
            int type = xt_carried_type_(start[j]);
            spe_id id;
            if (!(counts >> j & 1)) continue;
            id = spe_iadd(&x->m, xt_id_(w, start[j], type, "a carried value"), advance);
            *p[j] = xt_scalar_(x, type, id, 1, 0);
            p[j]->start = xt_id_(w, start[j], type, "a carried value");
            p[j]->advance = advance;
        }
        xt_write_(f->slot[i].object, &t);
    }
}

static bool xt_has_counts_(xt_ctx *x, const xt_frame_ *f)
{
    int i;
    for (i = 0; i < f->slots; i++)
        if (*xt_changed_(x, f, i) >> XT_COUNTS_SHIFT_) return true;
    return false;
}

/* How far the index is from its start after the loop: the smallest multiple of the step that is not below hi - lo. */
static spe_id xt_for_distance_(xt_where_ w, const xt_frame_ *f)
{
    spe_module *m = &w.x->m;
    spe_id lo = xt_index_id_(w, &f->lo, "lo"), hi = xt_index_id_(w, &f->hi, "hi"),
           step = xt_index_id_(w, &f->step, "step");
    spe_id turns = spe_udiv(m, spe_iadd(m, spe_isub(m, hi, lo), spe_i32(m, (int32_t)f->step.i - 1)), step);
    return spe_select(m, spe_slt(m, lo, hi), spe_imul(m, turns, step), spe_i32(m, 0));
}

xt_loop_ xt_for_begin_(xt_where_ w, xt_val lo, xt_val hi, xt_val step, void *const *objects)
{
    xt_ctx *x = w.x;
    xt_loop_ loop;
    xt_frame_ *f;
    spe_id from, to, by, k = 0;
    xt_val first = lo, down = step;
    bool turns = step.kind == XT_INT_ ? step.i < 0 : step.kind == XT_SCALAR_ && xt_is_signed_(step.type);
    int p = xt_val_align_(&lo), q = xt_val_align_(&step);
    memset(&loop, 0, sizeof loop);
    loop.x = x;
    loop.index = xt_nothing_();
    if (!xt_enter_(w, XT_OP_FOR_)) return loop;
    from = xt_index_id_(w, &lo, "the loop's start");
    to = xt_index_id_(w, &hi, "the loop's end");
    by = xt_index_id_(w, &step, "the loop's step");
    if (step.kind == XT_INT_ && step.i == 0) xt_fail_(w, XT_ERROR_LOOP_STEP, "got 0");
    if (!spe_ok(&x->m)) return loop;
    if (turns) {
        xt_count_turns_(w, &lo, &hi, &step);
        from = xt_index_id_(w, &lo, "the loop's start");
        to = xt_index_id_(w, &hi, "the number of turns");
        by = xt_index_id_(w, &step, "the loop's step");
    }
    f = xt_open_(w, XT_FRAME_FOR_, objects);
    if (!f) return loop;
    loop.frame = x->regions.depth;
    f->lo = lo;
    f->hi = hi;
    f->step = step;
    if (x->planning) {
        xt_loop_forget_(x, f);
    } else {
        xt_gather_(w, f, 0);
        k = spe_for(&x->m, from, to, by, (uint32_t)f->id_count, f->ids);
        xt_scatter_(x, f);
        if (xt_has_counts_(x, f)) xt_write_counts_(w, f, spe_isub(&x->m, k, from));
    }
    loop.index = xt_scalar_(x, CM_I32, k, p < q ? p : q, 0);
    if (turns) {
        loop.index = xt_binary_number_(w, SPE_ARITH_MUL, xt_scalar_(x, CM_I32, k, 1, 0), down);
        loop.index = xt_binary_number_(w, SPE_ARITH_ADD, first, loop.index);
    }
    return loop;
}

/* Finds out what the body changes, and what that means for what comes after the loop. */
static void xt_for_plan_(xt_ctx *x, xt_frame_ *f)
{
    int i;
    for (i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        uint32_t mask = xt_differences_(&s->body, &s->now);
        uint32_t counts = xt_counts_(f, s, mask);
        *xt_changed_(x, f, i) = (mask & ~counts) | counts << XT_COUNTS_SHIFT_;
        xt_join_(x, &s->start, &s->now);
        s->now = s->start;
        xt_forget_(x, &s->now, mask);
        xt_write_(s->object, &s->now);
    }
}

static void xt_for_end_(xt_loop_ *loop)
{
    xt_ctx *x = loop->x;
    xt_frame_ *f = xt_closing_(x, loop->frame, loop->done);
    xt_where_ w;
    if (!f) return;
    w = xt_region_where_(x);
    if (!xt_enter_(w, XT_OP_LOOP_END_) || !xt_read_now_(w, f)) return;
    if (x->planning) {
        xt_for_plan_(x, f);
    } else {
        xt_gather_(w, f, 1);
        if (f->kind == XT_FRAME_WHILE_)
            spe_endwhile(&x->m, (uint32_t)f->id_count, f->ids);
        else
            spe_endfor(&x->m, (uint32_t)f->id_count, f->ids);
        xt_scatter_(x, f);
        if (xt_has_counts_(x, f)) xt_write_counts_(w, f, xt_for_distance_(w, f));
    }
    x->regions.depth--;
}

bool xt_for_next_(xt_loop_ *loop)
{
    if (loop->turn++ == 0) return true;
    if (loop->frame) xt_for_end_(loop);
    return false;
}

const xt_val *xt_for_done_(xt_loop_ *loop)
{
    loop->done = true;
    return NULL;
}

xt_loop_ *xt_while_done_(xt_loop_ *loop)
{
    loop->done = true;
    return NULL;
}

/* ---- XT_IF ------------------------------------------------------------------------------------------------------- */

xt_branch_ xt_if_begin_(xt_where_ w, xt_val condition, void *const *objects)
{
    xt_ctx *x = w.x;
    xt_branch_ b;
    xt_frame_ *f;
    memset(&b, 0, sizeof b);
    b.x = x;
    b.side = -1;
    if (!xt_enter_(w, XT_OP_IF_)) return b;
    if (condition.magic != XT_VAL_MAGIC_ ||
        !(condition.kind == XT_INT_ || (condition.kind == XT_SCALAR_ && condition.type == XT_BOOL_))) {
        char text[48];
        xt_fail_(w, XT_ERROR_CONDITION, "XT_IF got %s", xt_describe_(&condition, text, sizeof text));
        return b;
    }
    f = xt_open_(w, XT_FRAME_IF_, objects);
    if (!f) return b;
    b.frame = x->regions.depth;
    if (!x->planning) spe_if(&x->m, condition.kind == XT_INT_ ? spe_const_bool(&x->m, condition.i != 0) : condition.id);
    return b;
}

/* After the first side: its values are kept, the variables are again what they were. */
static void xt_if_else_(xt_ctx *x, xt_frame_ *f)
{
    xt_where_ w = xt_region_where_(x);
    int i;
    if (!xt_enter_(w, XT_OP_ELSE_) || !xt_read_now_(w, f)) return;
    if (!x->planning) {
        xt_gather_(w, f, 1);
        spe_else(&x->m, (uint32_t)f->id_count, f->ids);
    }
    for (i = 0; i < f->slots; i++) {
        f->slot[i].body = f->slot[i].now;
        xt_write_(f->slot[i].object, &f->slot[i].start);
    }
}

static void xt_if_end_(xt_ctx *x, xt_frame_ *f)
{
    xt_where_ w = xt_region_where_(x);
    int i;
    if (!xt_enter_(w, XT_OP_IF_END_) || !xt_read_now_(w, f)) return;
    if (!x->planning) {
        xt_gather_(w, f, 1);
        spe_endif(&x->m, (uint32_t)f->id_count, f->ids, f->ids);
        xt_scatter_(x, f);
    }
    for (i = 0; x->planning && i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        uint32_t mask = xt_differences_(&s->body, &s->now);
        *xt_changed_(x, f, i) = mask;
        xt_join_(x, &s->start, &s->body);
        xt_join_(x, &s->start, &s->now);
        s->now = s->start;
        xt_forget_(x, &s->now, mask);
        xt_write_(s->object, &s->now);
    }
    x->regions.depth--;
}

bool xt_if_next_(xt_branch_ *b)
{
    xt_frame_ *f;
    b->side++;
    if (b->side == 0) return true;
    f = b->frame ? xt_closing_(b->x, b->frame, true) : NULL;
    if (f && b->side == 1)
        xt_if_else_(b->x, f);
    else if (f)
        xt_if_end_(b->x, f);
    return b->side == 1;
}
