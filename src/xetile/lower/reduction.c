/* lower/reduction.c - writes steps of reductions. */
#include "../internal.h"

typedef struct {
    xt_field_ f;
    xt_group_ group;
    int outer, groups;           /* results along the other dimension, along this one */
    int width, per_register, strips; /* lanes per group, groups per register, registers per group */
} xt_reduce_;

/* One outer index: folds the registers of its groups into one. Lane p then has the partial result of group p / width,
 * counted from `first`. If the kind is idempotent (a combined with a is a), lanes without an element use one twice. */
static spe_id xt_reduce_fold_(xt_ctx *x, xt_reduce_ *r, int o, int first)
{
    const spe_arith_op op = xt_red_info_(r->group.kind)->op;
    const bool twice = op != SPE_ARITH_ADD && op != SPE_ARITH_MUL && op != SPE_ARITH_XOR;
    xt_val neutral = spe_val_int(r->group.kind == XT_RED_mul_ ? 1 : 0);
    spe_id sum = 0;
    int size = r->group.size, from[XT_LANES_MAX_];
    for (int strip = 0; strip < r->strips; strip++) {
        xt_lanes_ absent = 0;
        for (int p = 0; p < x->S; p++) {
            int g = first + p / r->width, k = strip * r->width + p % r->width, at = g * size + k % size;
            from[p] = -1;
            if (g >= r->groups) continue;
            if (k >= size && !twice)
                absent |= (xt_lanes_)1 << p;
            else
                from[p] = r->f.where[r->group.dim ? o * r->f.cols + at : at * r->f.cols + o];
        }
        spe_id one = xt_pick_(x, &r->f, from);
        if (absent) {
            spe_id none = xt_constant_(x, r->f.type, &neutral);
            one = spe_select(&x->m, xt_lane_bit_(x, absent), none, one);
        }
        sum = sum ? xt_combine_(&x->m, r->group.kind, r->f.type, sum, one) : one;
    }
    return sum;
}

/* Combines `count` registers of different outer indices (at most width) into one, whose lane p has outer index p %
 * width. Each step halves both the registers and the lanes left to combine. */
static spe_id xt_reduce_halve_(xt_ctx *x, const xt_reduce_ *r, spe_id *a, int count)
{
    spe_module *m = &x->m;
    for (int h = r->width / 2; h > 0; h /= 2) {
        spe_id bit = 0, by = spe_u32(m, (uint32_t)h);
        if (count > h) bit = xt_lane_bit_(x, xt_lanes_with_(x, h));
        for (int i = 0; i < h && i < count; i++) {
            spe_id keep = a[i], send = a[i];
            if (i + h < count) {
                keep = spe_select(m, bit, a[i + h], a[i]);
                send = spe_select(m, bit, a[i], a[i + h]);
            }
            a[i] = xt_combine_(m, r->group.kind, r->f.type, keep, spe_sg_shuffle_xor(m, send, by));
        }
        if (count > h) count = h;
    }
    return a[0];
}

/* For elements in adjacent lanes: reduces registers, then lanes. The results are a field. */
static bool xt_reduce_lanes_(xt_ctx *x, xt_reduce_ *r, xt_field_ *out)
{
    int dim = r->group.dim, rows = dim ? r->outer : r->groups, cols = dim ? r->groups : r->outer;
    int batches = (r->outer + r->width - 1) / r->width, bundles = (r->groups + r->per_register - 1) / r->per_register;
    if (!xt_field_init_(x, out, rows, cols, batches * bundles, r->f.type)) return false;
    for (int group = 0; group < r->groups; group += r->per_register)
        for (int o = 0; o < r->outer; o += r->width) {
            spe_id a[XT_LANES_MAX_];
            int count = xt_least_(r->outer - o, r->width);
            for (int i = 0; i < count; i++) a[i] = xt_reduce_fold_(x, r, o + i, group);
            for (int p = 0; p < x->S; p++) {
                int to = o + p % r->width, g = group + p / r->width;
                if (to < r->outer && g < r->groups)
                    out->where[dim ? to * cols + g : g * cols + to] = out->comps * CM_LANES + p;
            }
            out->comp[out->comps++] = xt_reduce_halve_(x, r, a, count);
        }
    return spe_ok(&x->m);
}

/* Each subgroup reduces its part: groups of elements along dim, which must not cross pieces. */
static xt_fragments_ xt_reduce_local_(xt_ctx *x, const xt_fragments_ *v, xt_group_ group, xt_fragments_ result)
{
    xt_reduce_ r = XT_ZERO_;
    xt_field_ out;
    int size = group.size;
    if (!xt_field_of_(x, &r.f, v, xt_wide_type_((int)v->type))) return result;
    r.group = group;
    r.outer = group.dim ? r.f.rows : r.f.cols;
    r.groups = (group.dim ? r.f.cols : r.f.rows) / size;
    bool across = size * 2 >= x->S ? group.dim || r.f.cols < x->S : group.dim && r.f.cols >= x->S;
    if (size == 1 || !across) return xt_pick_all_(x, &r.f, NULL, &group, result);
    r.width = size < x->S && (size & (size - 1)) == 0 ? size : x->S;
    r.per_register = x->S / r.width;
    r.strips = (size + r.width - 1) / r.width;
    return xt_reduce_lanes_(x, &r, &out) ? xt_pick_all_(x, &out, NULL, NULL, result) : result;
}

XE_FN_ void xt_write_reduce_(xt_ctx *x, const xt_node_ *n)
{
    const xt_group_ group = {n->kind, n->move->dim, n->move->size, xt_combine_};
    xt_fragments_ v = xt_now_vec_(x, n->operand[XT_MOVE_VEC_]), r = xt_make_vec_(x, n);
    xt_define_vec_(x, n->result, r.blocks && v.blocks ? xt_reduce_local_(x, &v, group, r) : r);
}
