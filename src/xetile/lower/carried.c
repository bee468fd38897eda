/* lower/carried.c - writes carried values. */
#include "../internal.h"

/* The ids of one vector, in the layout `use`; ids NULL: only their number. */
static int xt_carried_ids_(xt_ctx *x, uint32_t id, cm_use use, spe_id *ids)
{
    if (!ids && xt_is_opaque_(use)) return x->vulkan->parts(x, id);
    xt_fragments_ now = xt_now_as_(x, id, use);
    return xt_vec_ids_(&now, ids);
}

/* Does a variable get, at the end of a side, the vector that another had when the side began? */
static bool xt_is_rotated_(xt_ctx *x, const xt_frame_ *f, const xt_slot_ *s, const xt_vec *v)
{
    const xt_vec *first;
    for (int i = 0; i < f->slots; i++) {
        first = xt_vec_in_(xt_object_of_(x, f->op == XT_OP_IF_ ? f->slot[i].start : f->slot[i].body));
        if (&f->slot[i] != s && first && first->id == v->id) return true;
    }
    return false;
}

/* Collects the ids that change, with their values before the region or at the end of a side (second: of the last side),
 * and returns their number. Allocates the frame's array if necessary. */
XE_FN_ int xt_gather_(xt_ctx *x, xt_frame_ *f, bool at_end, bool second)
{
    int at = 0;
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        const xt_object_ *start = xt_object_of_(x, s->start);
        const xt_object_ *t = !at_end ? start : xt_object_of_(x, second ? s->now : s->body);
        for (int j = 0; j < XT_COMPONENTS_; j++) {
            if (!(s->mask >> j & 1)) continue;
            if (f->ids) f->ids[at] = xt_now_id_(x, xt_scalar_of_(t, j), xt_carried_type_(xt_scalar_of_(start, j)));
            at++;
        }
        if (!(s->mask & XT_VEC_CHANGES_)) continue;
        spe_id *ids = f->ids ? f->ids + at : NULL;
        int n = xt_carried_ids_(x, xt_vec_in_(t)->id, xt_layout_(x, xt_vec_in_(start)->id), ids);
        if (ids && (!at_end || xt_is_rotated_(x, f, s, xt_vec_in_(t)))) spe_differ(&x->m, 0, (uint32_t)n, ids);
        at += n;
    }
    return at;
}

/* Makes a vector like the one before the region from these ids. Returns their number. */
static int xt_set_carried_(xt_ctx *x, uint32_t start, uint32_t id, const spe_id *ids)
{
    xt_fragments_ now = xt_value_is_opaque_(x, id) ? x->vulkan->vec(x, start) : xt_now_vec_(x, start);
    now = xt_vec_from_ids_(x, &now, ids);
    xt_define_vec_(x, id, now);
    return xt_vec_ids_(&now, NULL);
}

/* How far the index is from its start after the loop: the smallest multiple of the step that is not below hi - lo. */
static spe_id xt_for_distance_(xt_ctx *x, const xt_frame_ *f)
{
    spe_module *m = &x->m;
    const xt_val *by = xt_number_(x, f->step);
    spe_id lo = xt_now_id_(x, xt_number_(x, f->lo), CM_I32), hi = xt_now_id_(x, xt_number_(x, f->hi), CM_I32);
    spe_id step = xt_index_id_(x, by), iterations = spe_isub(m, hi, lo);
    iterations = spe_udiv(m, spe_iadd(m, iterations, spe_i32(m, (int32_t)by->integer - 1)), step);
    iterations = spe_imul(m, iterations, step);
    spe_id zero = spe_i32(m, 0);
    return spe_select(m, spe_slt(m, lo, hi), iterations, zero);
}

/* Sets carried values at the top of a loop's body or after the region: to the frame's ids if they change, to the sum of
 * start and advance if they advance with the index, else to their values before it. advance: of this iteration; after
 * the loop, it is computed for those that are used. */
XE_FN_ void xt_scatter_(xt_ctx *x, xt_frame_ *f, bool result, spe_id advance)
{
    int at = 0;
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        const xt_object_ *start = xt_object_of_(x, s->start), *t = xt_object_of_(x, result ? s->result : s->body);
        const xt_vec *v = xt_vec_in_(t), *before = xt_vec_in_(start);
        const xt_val *first;
        for (int j = 0; (first = xt_scalar_of_(start, j)) != NULL; j++) {
            bool changes = s->mask >> j & 1, counts = s->mask >> XT_COUNTS_SHIFT_ >> j & 1;
            if (result && !changes && !counts) continue;
            uint32_t id = xt_scalar_of_(t, j)->id;
            if (counts && result && !xt_last_use_(x, id)) {
                xt_define_unused_(x, id, xt_carried_type_(first));
                continue;
            }
            if (counts && !advance) advance = xt_for_distance_(x, f);
            xt_define_(x, id, changes ? xt_carried_as_(first, f->ids[at++]) : xt_now_(x, first));
            if (!counts) continue;
            xt_value_ *value = xt_value_at_(x, id);
            value->start = xt_id_(x, &value->now.number, xt_carried_type_(first));
            value->advance = advance;
            value->now.number = xt_scalar_(xt_carried_type_(first), spe_iadd(&x->m, value->start, advance), 1);
        }
        if (!v) continue;
        if (s->mask & XT_VEC_CHANGES_)
            at += xt_set_carried_(x, before->id, v->id, f->ids + at);
        else if (!result)
            xt_define_vec_(x, v->id, xt_now_vec_(x, before->id));
    }
}
