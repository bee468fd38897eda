/* control.c - regions. */
#include "internal.h"

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
    f->id_count = xt_gather_(w, f, false);
    f->ids = (spe_id *)xt_memory_(x, (size_t)f->id_count * sizeof *f->ids);
    return f->ids != NULL;
}

static xt_frame_ *xt_open_(xt_where_ w, spe_region *r, xt_frame_kind_ kind, void *const *objects)
{
    static const char *const names[] = {"XT_FOR", "XT_IF", "XT_WHILE"}; /* by xt_frame_kind_ */
    xt_ctx *x = w.x;
    xt_frame_ *f;
    if (!spe_region_open(r, names[kind], w.file, w.line)) return NULL;
    f = &x->frames[r->depth - 1];
    memset(f, 0, sizeof *f);
    f->kind = kind;
    f->number = x->frame_count++;
    if (!x->planning && f->number >= x->frame_first.count) {
        xt_fail_(w, XT_ERROR_NOT_REPEATABLE, "more regions than the first time");
        return NULL;
    }
    return xt_frame_slots_(w, f, objects) ? f : NULL;
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
static void xt_loop_forget_(xt_ctx *x, xt_frame_ *f)
{
    int i;
    for (i = 0; i < f->slots; i++) {
        f->slot[i].body = f->slot[i].start;
        xt_renew_(x, &f->slot[i].body, /* of a tile the offsets */
                  XT_VEC_CHANGES_ | (f->slot[i].body.magic == XT_TILE_MAGIC_ ? 3 : 1), NULL);
        xt_write_(f->slot[i].object, &f->slot[i].body);
    }
}

/* A loop that counts down, or may, counts turns from 0 instead: (hi - lo + step -+ 1) / step. Changes lo, hi, step. */
static void xt_count_turns_(xt_where_ w, xt_val *lo, xt_val *hi, xt_val *step)
{
    xt_val from = *lo, to = *hi, by = *step, one = spe_val_int(-1);
    if (from.kind == SPE_SCALAR) from = xt_cast_number_(w, CM_I32, &from);
    if (to.kind == SPE_SCALAR) to = xt_cast_number_(w, CM_I32, &to);
    if (by.kind == SPE_SCALAR) /* 1 or -1 */
        one = xt_binary_number_(w, SPE_ARITH_OR, xt_binary_number_(w, SPE_ARITH_SHR, by, spe_val_int(31)),
                                spe_val_int(1));
    to = xt_binary_number_(w, SPE_ARITH_SUB, to, from);
    to = xt_binary_number_(w, SPE_ARITH_ADD, to, xt_binary_number_(w, SPE_ARITH_SUB, by, one));
    *hi = xt_binary_number_(w, SPE_ARITH_DIV, to, by);
    *lo = spe_val_int(0);
    *step = spe_val_int(1);
}

/* Scalars that the body moves by the loop's step: they need no phi, since they are start + (index - lo). */
static uint32_t xt_counts_(const xt_ctx *x, const xt_frame_ *f, xt_slot_ *s, uint32_t changed)
{
    xt_val *body[XT_COMPONENTS_], *now[XT_COMPONENTS_];
    int i, n = xt_scalars_(&s->body, body);
    uint32_t counts = 0;
    xt_scalars_(&s->now, now);
    for (i = 0; i < n && f->step.kind == SPE_INT; i++) {
        xt_note_ note = xt_note_of_(x, now[i]);
        if ((changed >> i & 1) && now[i]->kind == SPE_SCALAR && body[i]->kind == SPE_SCALAR &&
            xt_is_int_(body[i]->type) && xt_bits_(body[i]->type) == 32 && note.root == body[i]->id &&
            note.delta == f->step.integer)
            counts |= 1u << i;
    }
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
            xt_note_ note = {0, 0, 0, 0, advance};
            if (!(counts >> j & 1)) continue;
            note.start = xt_id_(w, start[j], type, "a carried value");
            *p[j] = xt_scalar_(x, type, spe_iadd(&x->m, note.start, advance), 1, 0);
            xt_set_note_(x, p[j], note);
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
    spe_id turns = spe_udiv(m, spe_iadd(m, spe_isub(m, hi, lo), spe_i32(m, (int32_t)f->step.integer - 1)), step);
    return spe_select(m, spe_slt(m, lo, hi), spe_imul(m, turns, step), spe_i32(m, 0));
}

/* Opens a loop in the module: XT_FOR's from, to, by, or XT_WHILE's; the index. */
static spe_id xt_loop_begin_(xt_where_ w, xt_frame_ *f, spe_id from, spe_id to, spe_id by)
{
    xt_ctx *x = w.x;
    spe_id k = 0;
    if (x->planning) {
        xt_loop_forget_(x, f);
        return 0;
    }
    xt_gather_(w, f, false);
    if (f->kind == XT_FRAME_WHILE_)
        spe_while(&x->m, (uint32_t)f->id_count, f->ids);
    else
        k = spe_for(&x->m, from, to, by, (uint32_t)f->id_count, f->ids);
    xt_scatter_(x, f);
    if (xt_has_counts_(x, f)) xt_write_counts_(w, f, spe_isub(&x->m, k, from));
    return k;
}

spe_region xt_for_begin_(xt_where_ w, xt_val lo, xt_val hi, xt_val step, void *const *objects)
{
    xt_ctx *x = w.x;
    spe_region loop = spe_region_of(&x->regions, 1);
    xt_frame_ *f;
    spe_id from, to, by, k;
    xt_val first = lo, down = step;
    bool turns = step.kind == SPE_INT ? step.integer < 0 : step.kind == SPE_SCALAR && xt_is_signed_(step.type);
    int p = xt_val_align_(&lo), q = xt_val_align_(&step);
    loop.index = xt_nothing_();
    if (!xt_enter_(w, XT_OP_FOR_)) return loop;
    from = xt_index_id_(w, &lo, "the loop's start");
    to = xt_index_id_(w, &hi, "the loop's end");
    by = xt_index_id_(w, &step, "the loop's step");
    if (step.kind == SPE_INT && step.integer == 0) xt_fail_(w, XT_ERROR_LOOP_STEP, "got 0");
    if (!spe_ok(&x->m)) return loop;
    if (turns) {
        xt_count_turns_(w, &lo, &hi, &step);
        from = xt_index_id_(w, &lo, "the loop's start");
        to = xt_index_id_(w, &hi, "the number of turns");
        by = xt_index_id_(w, &step, "the loop's step");
    }
    f = xt_open_(w, &loop, XT_FRAME_FOR_, objects);
    if (!f) return loop;
    f->lo = lo;
    f->hi = hi;
    f->step = step;
    k = xt_loop_begin_(w, f, from, to, by);
    loop.index = xt_scalar_(x, CM_I32, k, p < q ? p : q, 0);
    if (turns) {
        loop.index = xt_binary_number_(w, SPE_ARITH_MUL, xt_scalar_(x, CM_I32, k, 1, 0), down);
        loop.index = xt_binary_number_(w, SPE_ARITH_ADD, first, loop.index);
    }
    return loop;
}

/* While planning, after a region: finds out what it changes; what comes after it has one of several values there. */
static void xt_plan_changes_(xt_ctx *x, xt_frame_ *f)
{
    int i;
    for (i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        uint32_t mask = xt_differences_(&s->body, &s->now), counts = xt_counts_(x, f, s, mask);
        *xt_changed_(x, f, i) = (mask & ~counts) | counts << XT_COUNTS_SHIFT_;
        if (f->kind == XT_FRAME_IF_) xt_join_(x, &s->start, &s->body);
        xt_join_(x, &s->start, &s->now);
        s->now = s->start;
        xt_renew_(x, &s->now, mask, NULL);
        xt_write_(s->object, &s->now);
    }
}

/* Closes a region in the module. */
static void xt_close_(xt_where_ w, xt_frame_ *f)
{
    xt_ctx *x = w.x;
    uint32_t n = (uint32_t)f->id_count;
    xt_gather_(w, f, true);
    if (f->kind == XT_FRAME_WHILE_)
        spe_endwhile(&x->m, n, f->ids);
    else if (f->kind == XT_FRAME_FOR_)
        spe_endfor(&x->m, n, f->ids);
    else
        spe_endif(&x->m, n, f->ids, f->ids);
    xt_scatter_(x, f);
    if (xt_has_counts_(x, f)) xt_write_counts_(w, f, xt_for_distance_(w, f));
}

/* ---- XT_WHILE ---------------------------------------------------------------------------------------------------- */

static bool xt_check_condition_(xt_where_ w, const char *of, const xt_val *condition)
{
    char text[48];
    return spe_val_is_condition(condition, XT_BOOL_) ||
           xt_fail_(w, XT_ERROR_CONDITION, "%s got %s", of, xt_describe_(condition, text, sizeof text));
}

static spe_id xt_condition_(xt_ctx *x, const xt_val *v)
{
    return v->kind == SPE_INT ? spe_const_bool(&x->m, v->integer != 0) : v->id;
}

spe_region xt_while_begin_(xt_where_ w, void *const *objects)
{
    spe_region loop = spe_region_of(&w.x->regions, 1);
    xt_frame_ *f = xt_enter_(w, XT_OP_WHILE_) ? xt_open_(w, &loop, XT_FRAME_WHILE_, objects) : NULL;
    if (f) xt_loop_begin_(w, f, 0, 0, 0);
    return loop;
}

spe_region *xt_while_test_(xt_where_ w, spe_region *loop, xt_val condition)
{
    if (xt_enter_(w, XT_OP_WHILE_TEST_) && xt_check_condition_(w, "XT_WHILE", &condition) && !w.x->planning)
        spe_while_test(&w.x->m, xt_condition_(w.x, &condition));
    return loop;
}

/* ---- XT_IF ------------------------------------------------------------------------------------------------------- */

spe_region xt_if_begin_(xt_where_ w, xt_val condition, void *const *objects)
{
    spe_region r = spe_region_of(&w.x->regions, 2);
    if (xt_enter_(w, XT_OP_IF_) && xt_check_condition_(w, "XT_IF", &condition) &&
        xt_open_(w, &r, XT_FRAME_IF_, objects) && !w.x->planning)
        spe_if(&w.x->m, xt_condition_(w.x, &condition));
    return r;
}

/* After the first side: its values are kept, the variables are again what they were. */
static void xt_if_else_(xt_where_ w, xt_frame_ *f)
{
    xt_ctx *x = w.x;
    int i;
    if (!x->planning) {
        xt_gather_(w, f, true);
        spe_else(&x->m, (uint32_t)f->id_count, f->ids);
    }
    for (i = 0; i < f->slots; i++) {
        f->slot[i].body = f->slot[i].now;
        xt_write_(f->slot[i].object, &f->slot[i].start);
    }
}

/* At the end of a side: see spe_regions. */
XE_FN_ void xt_region_end_(spe_module *m, const spe_region *r)
{
    xt_ctx *x = (xt_ctx *)(void *)m;
    xt_frame_ *f = &x->frames[r->depth - 1];
    xt_where_ w = {x, r->in->open[r->depth - 1].file, r->in->open[r->depth - 1].line};
    bool last = r->turn > r->sides;
    xt_op_ op = f->kind != XT_FRAME_IF_ ? XT_OP_LOOP_END_ : last ? XT_OP_IF_END_ : XT_OP_ELSE_;
    if (!xt_enter_(w, op) || !xt_read_now_(w, f)) return;
    if (op == XT_OP_ELSE_)
        xt_if_else_(w, f);
    else if (x->planning)
        xt_plan_changes_(x, f);
    else
        xt_close_(w, f);
    if (last) x->regions.depth--;
}

/* ---- barriers ---------------------------------------------------------------------------------------------- */

void xt_barrier_arrive_(xt_where_ w, const char *name)
{
    xt_ctx *x = w.x;
    if (!xt_enter_(w, XT_OP_BARRIER_ARRIVE_)) return;
    if (x->arrived)
        xt_fail_(w, XT_ERROR_SPLIT_BARRIER, "arriving at \"%s\" while \"%s\" is not waited for", name, x->arrived);
    x->arrived = name;
    if (!x->planning) spe_barrier_arrive(&x->m);
}

void xt_barrier_wait_(xt_where_ w, const char *name)
{
    xt_ctx *x = w.x;
    if (!xt_enter_(w, XT_OP_BARRIER_WAIT_)) return;
    if (!x->arrived || strcmp(x->arrived, name) != 0)
        xt_fail_(w, XT_ERROR_SPLIT_BARRIER, "waiting for \"%s\"; arrived at: %s", name,
                 x->arrived ? x->arrived : "none");
    x->arrived = NULL;
    if (!x->planning) spe_barrier_wait(&x->m);
}

void xt_barrier_(xt_where_ w)
{
    if (xt_enter_(w, XT_OP_BARRIER_) && !w.x->planning) spe_barrier(&w.x->m);
}
