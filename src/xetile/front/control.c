/* front/control.c - records regions and barriers. */
#include "../internal.h"

/* Records the beginning of a region and reads its carried values. */
static xt_frame_ *xt_open_(xt_where_ w, spe_region *r, const xt_operation_ *as, void *const *objects)
{
    xt_op_ op = as->op;
    xt_ctx *x = w.x;
    if (!spe_region_open(r, xt_operation_name_(op), w.at->file, w.at->line)) return NULL;
    xt_frame_ *f = x->frames[r->depth - 1] = (xt_frame_ *)xt_memory_(x, sizeof *f);
    if (!f) return NULL;
    f->op = op;
    f->in = r->depth > 1 ? x->frames[r->depth - 2] : NULL;
    f->begin = x->nodes.count;
    f->divergence = x->divergence;
    while (objects[f->slots]) f->slots++;
    f->slot = (xt_slot_ *)xt_memory_(x, (size_t)f->slots * sizeof *f->slot);
    for (int i = 0; f->slot && i < f->slots; i++) {
        f->slot[i].object = objects[i];
        f->slot[i].start = xt_read_(w, objects[i], i);
        if (!f->slot[i].start) f->slots = i;
    }
    xt_record_(w, as, 0, 0, NULL, f, 0);
    if (op != XT_OP_IF_ && !x->again) { /* see xt_walk_again_ */
        r->twice = true;
        r->sides = 2;
    }
    f->outer = x->scope;
    f->scope = x->scope = xt_new_scope_(w, op);
    return spe_ok(&x->m) ? f : NULL;
}

/* Control flow in a region depends on this number. */
static void xt_depends_on_(xt_ctx *x, const xt_val *v)
{
    if (xt_divergence_of_(x, v) > x->divergence) x->divergence = xt_divergence_of_(x, v);
}

/* From here on, values belong to one side of the region, or to one walk through a loop's body. */
static void xt_side_begins_(xt_where_ w, xt_frame_ *f)
{
    w.x->scope = f->side = xt_new_scope_(w, f->op);
    f->first = w.x->nodes.count;
}

/* Reads the carried values at the end of a side and checks their types; after an error, restores them. */
static void xt_read_now_(xt_where_ w, xt_frame_ *f)
{
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        s->now = xt_read_(w, s->object, i);
        if (!s->now || !xt_check_carried_(w, s->start, s->now, i)) s->now = s->start;
    }
}

enum { XT_ALL_CHANGES_ = XT_VEC_CHANGES_ * 2 - 1 };

/* Sets a region's variable to one of its values. */
static void xt_set_variable_(xt_ctx *x, const xt_slot_ *s, uint32_t value)
{
    xt_copy_object_(s->object, xt_object_of_(x, value));
}

/* At the top of a loop's body, carried values are unknown. */
static void xt_loop_values_(xt_ctx *x, xt_frame_ *f)
{
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        s->body = xt_renew_(x, s->object, s->start, XT_ALL_CHANGES_);
    }
}

/* ---- XT_FOR ------------------------------------------------------------------------------------------------------ */

/* Rewrites a loop that may count down to count its (hi - lo + step -+ 1) / step iterations from 0. */
static void xt_count_iterations_(xt_where_ w, xt_val *lo, xt_val *hi, xt_val *step)
{
    xt_val from = *lo, to = *hi, by = *step, one = spe_val_int(-1);
    if (from.kind == SPE_SCALAR) from = xt_cast_number_(w, CM_I32, &from);
    if (to.kind == SPE_SCALAR) to = xt_cast_number_(w, CM_I32, &to);
    if (by.kind == SPE_SCALAR) { /* 1 or -1 */
        one = xt_binary_number_(w, SPE_ARITH_SHR, by, spe_val_int(31));
        one = xt_binary_number_(w, SPE_ARITH_OR, one, spe_val_int(1));
    }
    to = xt_binary_number_(w, SPE_ARITH_SUB, to, from);
    by = xt_binary_number_(w, SPE_ARITH_SUB, by, one);
    to = xt_binary_number_(w, SPE_ARITH_ADD, to, by);
    *hi = xt_binary_number_(w, SPE_ARITH_DIV, to, *step);
    *lo = spe_val_int(0);
    *step = spe_val_int(1);
}

/* given: start, end and step. */
spe_region xt_for_begin_(xt_where_ w, const xt_val *given, void *const *objects)
{
    xt_ctx *x = w.x;
    spe_region loop = spe_region_of(&x->regions, 1);
    xt_val lo = given[0], hi = given[1], step = given[2];
    bool counted = step.kind == SPE_INT ? step.integer < 0 : step.kind == SPE_SCALAR && xt_is_signed_(step.type);
    int p = xt_val_align_(&lo), q = xt_val_align_(&step);
    loop.index = xt_nothing_();
    if (!xt_enter_(w) || !xt_check_index_(w, &lo, "the loop's start") || !xt_check_index_(w, &hi, "the loop's end") ||
        !xt_check_index_(w, &step, "the loop's step"))
        return loop;
    if (step.kind == SPE_INT && step.integer == 0) return xt_fail_(w, XT_ERROR_LOOP_STEP, "got 0"), loop;
    x->part++;
    if (counted) xt_count_iterations_(w, &lo, &hi, &step);
    x->part--;
    xt_frame_ *f = xt_open_(w, &loop, XT_AS_(FOR), objects);
    if (!f) return loop;
    f->lo = xt_value_of_(x, &lo);
    f->hi = xt_value_of_(x, &hi);
    f->step = xt_value_of_(x, &step);
    xt_note_use_(x, f->lo, f->begin);
    xt_note_use_(x, f->hi, f->begin);
    xt_note_use_(x, f->step, f->begin);
    xt_depends_on_(x, &lo);
    xt_depends_on_(x, &hi);
    xt_depends_on_(x, &step);
    for (int i = 0; i < 3; i++) f->given[i] = xt_value_of_(x, &given[i]);
    xt_loop_values_(x, f);
    f->index = xt_further_value_(x);
    loop.index = xt_scalar_(CM_I32, f->index, counted ? 1 : p < q ? p : q);
    if (counted) {
        x->part++;
        loop.index = xt_binary_number_(w, SPE_ARITH_MUL, loop.index, given[2]);
        loop.index = xt_binary_number_(w, SPE_ARITH_ADD, given[0], loop.index);
        x->part--;
    }
    f->given[3] = xt_value_of_(x, &loop.index);
    xt_side_begins_(w, f);
    return loop;
}

/* Scalars that advance by the loop's step need no phi, since they are start + (index - lo). */
static uint32_t xt_counts_(xt_ctx *x, const xt_frame_ *f, xt_slot_ *s, uint32_t changed)
{
    uint32_t counts = 0;
    int64_t by;
    const xt_object_ *body = xt_object_of_(x, s->body), *at_end = xt_object_of_(x, s->now);
    const xt_val *p, *step = xt_number_(x, f->step);
    for (int i = 0; f->op == XT_OP_FOR_ && step->kind == SPE_INT && (p = xt_scalar_of_(body, i)) != NULL; i++)
        if ((changed >> i & 1) && p->kind == SPE_SCALAR && xt_is_int_(p->type) && xt_bits_(p->type) == 32 &&
            xt_moves_by_(x, xt_scalar_of_(at_end, i), p, &by) && by == step->integer) {
            uint32_t now = xt_scalar_of_(at_end, i)->id;
            xt_value_at_(x, now)->unused = xt_is_used_once_(x, now); /* this once */
            counts |= 1u << i;
        }
    return counts;
}

/* ---- XT_WHILE ---------------------------------------------------------------------------------------------------- */

static bool xt_check_condition_(xt_where_ w, const char *of, const xt_val *condition)
{
    return !xt_check_value_(w, condition, of) || spe_val_is_condition(condition, XT_BOOL_) ||
           xt_fail_(w, XT_ERROR_CONDITION, "%s got %s", of, xt_describe_(condition).s);
}

/* XT_WHILE is XT_FOR without an index: the condition is computed in each iteration from the carried values. */
spe_region xt_while_begin_(xt_where_ w, void *const *objects)
{
    spe_region loop = spe_region_of(&w.x->regions, 1);
    xt_frame_ *f = xt_enter_(w) ? xt_open_(w, &loop, XT_AS_(WHILE), objects) : NULL;
    if (!f) return loop;
    xt_loop_values_(w.x, f);
    xt_side_begins_(w, f);
    return loop;
}

spe_region *xt_while_test_(xt_where_ w, spe_region *loop, xt_val condition)
{
    if (!xt_enter_(w) || !xt_check_condition_(w, "XT_WHILE", &condition)) return loop;
    xt_ids_ of = XT_ZERO_;
    xt_take_(w.x, &of, &condition);
    xt_record_(w, XT_AS_(WHILE_TEST), 0, 0, &of, NULL, 0);
    xt_depends_on_(w.x, &condition);
    if (w.x->regions.depth > 0) w.x->frames[w.x->regions.depth - 1]->first = w.x->nodes.count;
    return loop;
}

/* ---- XT_IF ------------------------------------------------------------------------------------------------------- */

spe_region xt_if_begin_(xt_where_ w, xt_val condition, void *const *objects)
{
    spe_region r = spe_region_of(&w.x->regions, 2);
    if (!xt_enter_(w) || !xt_check_condition_(w, "XT_IF", &condition)) return r;
    xt_frame_ *f = xt_open_(w, &r, XT_AS_(IF), objects);
    if (!f) return r;
    f->lo = xt_value_of_(w.x, &condition);
    xt_note_use_(w.x, f->lo, f->begin);
    xt_depends_on_(w.x, &condition);
    xt_side_begins_(w, f);
    return r;
}

/* ---- the end of a region ----------------------------------------------------------------------------------------- */

/* The value id of a carried value's scalar i, or of its vector after those; 0: a constant, or none. */
static uint32_t xt_part_id_(xt_ctx *x, uint32_t of, int i)
{
    const xt_object_ *t = xt_object_of_(x, of);
    const xt_vec *v = xt_vec_in_(t);
    const xt_val *n = xt_scalar_of_(t, i);
    if (i == XT_COMPONENTS_) return v ? v->id : 0;
    return n && n->kind >= SPE_SCALAR ? n->id : 0;
}

/* A carried value differs between lanes if one of its possible values, or the control flow to it, does. */
static void xt_diverges_as_carried_(xt_ctx *x, uint32_t t, uint32_t mask, uint32_t a, uint32_t b)
{
    for (int i = 0; i <= XT_COMPONENTS_; i++) {
        uint32_t id = mask >> i & 1 ? xt_part_id_(x, t, i) : 0;
        if (!id) continue;
        xt_diverges_at_least_(x, id, xt_value_at_(x, xt_part_id_(x, a, i))->divergence);
        xt_diverges_at_least_(x, id, xt_value_at_(x, xt_part_id_(x, b, i))->divergence);
        xt_diverges_at_least_(x, id, x->divergence);
    }
}

/* Finds what a region changes; for a loop, values that equal neither the initial one nor the one at the top of the
 * body. In a second walk it may be everything. */
static void xt_find_changes_(xt_where_ w, xt_frame_ *f)
{
    xt_ctx *x = w.x;
    x->scope = f->outer;
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        uint32_t mask = x->again ? (uint32_t)XT_ALL_CHANGES_ : xt_differences_(x, s->body, s->now), counts = 0;
        if (f->op != XT_OP_IF_ && !x->again) {
            mask &= xt_differences_(x, s->start, s->now);
            counts = xt_counts_(x, f, s, mask);
            f->counts = f->counts || counts;
        }
        s->mask = (mask & ~counts) | counts << XT_COUNTS_SHIFT_;
        s->result = f->op == XT_OP_IF_ ? s->now : s->start;
        uint32_t magic = xt_object_of_(x, s->result)->magic;
        if (mask && x->divergence > 1 && magic != SPE_VAL_MAGIC)
            xt_fail_(w, XT_ERROR_NOT_UNIFORM, "number %d of the list is a %s, and lanes diverge", i + 1,
                     magic == XT_VEC_MAGIC_ ? "vector" : "tile");
        s->result = xt_renew_(x, s->object, s->result, mask);
        xt_diverges_as_carried_(x, s->result, mask, s->body, s->now);
    }
}

/* Runs a loop's body a second time, as the C loop, without recording. The first walk's values are then out of scope:
 * one found in a variable was left there by the previous iteration, and the variable is not listed. */
static void xt_walk_again_(xt_where_ w, xt_frame_ *f)
{
    xt_ctx *x = w.x;
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        xt_diverges_as_carried_(x, s->body, XT_ALL_CHANGES_, s->body, s->now);
        xt_set_variable_(x, s, s->body);
    }
    xt_side_begins_(w, f);
    f->tile_count = x->tile_count;
    f->local_bytes = x->local_bytes;
    f->arrived = x->arrived;
    x->again++;
}

static void xt_walked_again_(xt_ctx *x, xt_frame_ *f)
{
    for (int i = 0; i < f->slots; i++) xt_set_variable_(x, &f->slot[i], f->slot[i].result);
    x->scope = f->outer;
    x->tile_count = f->tile_count;
    x->local_bytes = f->local_bytes;
    x->arrived = f->arrived;
    x->again--;
}

/* Refuses XT_FOR (...); whose body is empty. */
static void xt_check_body_(xt_where_ w, xt_frame_ *f)
{
    for (int i = 0; i < f->slots; i++)
        if (xt_differences_(w.x, f->slot[i].body, f->slot[i].now)) return;
    if (f->first == w.x->nodes.count && w.x->errors.count == 0)
        xt_fail_(w, XT_ERROR_EMPTY, "is there a semicolon after the %s?", xt_operation_name_(f->op));
}

static void xt_region_end_(const spe_region *r)
{
    xt_ctx *x = (xt_ctx *)(void *)r->in->module;
    xt_frame_ *f = x->frames[r->depth - 1];
    spe_line at = {r->in->open[r->depth - 1].file, r->in->open[r->depth - 1].line};
    xt_where_ w = {x, &at};
    bool last = r->calls > r->sides;
    if (!xt_enter_(w)) return;
    if (last && r->twice) {
        xt_walked_again_(x, f);
    } else if (last || r->twice) {
        xt_read_now_(w, f);
        if (r->twice) xt_check_body_(w, f);
        f->end = x->nodes.count;
        xt_record_(w, XT_AS_(END), 0, 0, NULL, f, 0);
        xt_find_changes_(w, f);
        if (!last) xt_walk_again_(w, f);
    } else {
        xt_read_now_(w, f);
        xt_record_(w, XT_AS_(ELSE), 0, 0, NULL, f, 0);
        for (int i = 0; i < f->slots; i++) { /* keeps the first side's values and restores the variables */
            f->slot[i].body = f->slot[i].now;
            xt_set_variable_(x, &f->slot[i], f->slot[i].start);
        }
        xt_side_begins_(w, f);
    }
    if (!last) return;
    x->divergence = f->divergence;
    x->regions.depth--;
}

/* The condition of the C loop of a region. */
bool xt_region_next_(spe_region *r)
{
    if (spe_region_ended(r)) xt_region_end_(r);
    return spe_region_next(r);
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

/* Arriving and waiting alternate, under one name. */
void xt_barrier_(xt_where_ w, xt_barrier_kind_ kind, const char *name)
{
    static const xt_operation_ *const all[] = {XT_AS_(BARRIER), XT_AS_(BARRIER_ARRIVE), XT_AS_(BARRIER_WAIT)};
    xt_ctx *x = w.x;
    if (!xt_enter_(w)) return;
    if (kind == XT_BARRIER_ARRIVES_ && x->arrived)
        xt_fail_(w, XT_ERROR_SPLIT_BARRIER, "arriving at \"%s\" while \"%s\" is not waited for", name, x->arrived);
    if (kind == XT_BARRIER_WAITS_ && (!x->arrived || strcmp(x->arrived, name) != 0))
        xt_fail_(w, XT_ERROR_SPLIT_BARRIER, "waiting for \"%s\"; arrived at: %s", name,
                 x->arrived ? x->arrived : "none");
    if (name) x->arrived = kind == XT_BARRIER_ARRIVES_ ? name : NULL;
    xt_record_(w, all[kind], 0, 0, NULL, name, 0);
}
