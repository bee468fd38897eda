/* reduction.c - reductions. */
#include "internal.h"

/* ---- within a subgroup ------------------------------------------------------------------------------------------- */

typedef struct {
    xt_field_ f;
    xt_group_ group;
    int outer, groups;           /* results along the other dimension, along this one */
    int width, together, strips; /* lanes per group, groups per register, registers per group */
} xt_reduce_;

/* One outer index: folds the registers of its groups into one. Lane p then has the partial result of group p / width,
 * counted from `first`. If the kind is idempotent (a combined with a is a), lanes without an element use one twice. */
static spe_id xt_reduce_fold_(xt_ctx *x, xt_reduce_ *r, int o, int first)
{
    const spe_arith_op op = xt_red_info_(r->group.kind)->op;
    const bool twice = op != SPE_ARITH_ADD && op != SPE_ARITH_MUL && op != SPE_ARITH_XOR;
    xt_val neutral = spe_val_int(r->group.kind == XT_RED_mul_ ? 1 : 0);
    spe_id sum = 0;
    int size = r->group.size, from[32];
    for (int strip = 0; strip < r->strips; strip++) {
        uint32_t absent = 0;
        for (int p = 0; p < x->S; p++) {
            int g = first + p / r->width, k = strip * r->width + p % r->width, at = g * size + k % size;
            from[p] = -1;
            if (g >= r->groups) continue;
            if (k >= size && !twice)
                absent |= 1u << p;
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
    int batches = (r->outer + r->width - 1) / r->width, bundles = (r->groups + r->together - 1) / r->together;
    if (!xt_field_init_(x, out, rows, cols, batches * bundles, r->f.type)) return false;
    for (int group = 0; group < r->groups; group += r->together)
        for (int o = 0; o < r->outer; o += r->width) {
            spe_id a[32];
            int count = xt_least_(r->outer - o, r->width);
            for (int i = 0; i < count; i++) a[i] = xt_reduce_fold_(x, r, o + i, group);
            for (int p = 0; p < x->S; p++) {
                int to = o + p % r->width, g = group + p / r->width;
                if (to < r->outer && g < r->groups)
                    out->where[dim ? to * cols + g : g * cols + to] = out->comps * 64 + p;
            }
            out->comp[out->comps++] = xt_reduce_halve_(x, r, a, count);
        }
    return spe_ok(&x->m);
}

/* Each subgroup reduces its part: groups of elements along dim, which must not cross pieces. */
static xt_vec xt_reduce_local_(xt_ctx *x, const xt_vec *v, xt_group_ group, xt_vec result)
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
    r.together = x->S / r.width;
    r.strips = (size + r.width - 1) / r.width;
    return xt_reduce_lanes_(x, &r, &out) ? xt_pick_all_(x, &out, NULL, NULL, result) : result;
}

/* ---- reduction --------------------------------------------------------------------------------------------------- */

/* For XT_REDUCTION and other operations along a dimension. */
XE_FN_ bool xt_check_reduction_(xt_where_ w, const char *what, int kind, xt_reduction_desc_ *d)
{
    const xt_red_row_ *row = xt_red_info_(kind);
    int type = (int)d->vec.type;
    if (!xt_check_operand_(w, what, &d->vec, &d->source)) return false;
    d->dim = xt_dimension_(w, what, d->dim, &d->vec);
    if (d->dim < 0) return false;
    int n = d->vec.dist.shape[d->dim];
    if (type == XT_BOOL_ || xt_is_f8_(type) || !(row->takes & (xt_is_float_(type) ? XT_RMW_FLOAT_ : XT_RMW_INT_)))
        return xt_fail_(w, XT_ERROR_REDUCTION_KIND, "%s of %s", row->name, xt_type_name_(type));
    if (d->reduction_size == 0) d->reduction_size = n;
    return (d->reduction_size > 0 && n % d->reduction_size == 0) ||
           xt_fail_(w, XT_ERROR_REDUCTION_SIZE, "reduction_size %d, the dimension has %d", d->reduction_size, n);
}

static int xt_common_divisor_(int a, int b) { return b ? xt_common_divisor_(b, a % b) : a; }

/* The result's map: given or derived; it must fit the result. If .source is given too, data may move; else given and
 * derived must agree. */
static bool xt_reduction_map_(xt_where_ w, xt_reduction_desc_ *d)
{
    xt_map derived = xt_map_reduction(&d->vec.map, d->dim, d->reduction_size);
    bool split = d->vec.dist.data[d->dim] % d->reduction_size != 0;
    int shape[2] = {d->vec.dist.shape[0], d->vec.dist.shape[1]};
    xt_dist fit;
    if (!xt_has_map_(&d->map)) d->map = derived;
    if (split) derived.sg_data[d->dim] = d->map.sg_data[d->dim];
    shape[d->dim] /= d->reduction_size;
    return (xt_has_map_(&d->source) ||
            xt_map_agrees_(w, XT_ERROR_REDUCTION_MAP, ".map of XT_REDUCTION", &d->map, &derived)) &&
           xt_distribute_(w, &fit, shape[0], shape[1], &d->map);
}

static xt_vec xt_reduction_step_(xt_where_ w, const xt_vec *v, int kind, int dim, int size, const xt_map *map,
                                 int type)
{
    const int *n = v->dist.shape;
    xt_vec r = xt_mapped_vec_(w, (cm_type)type, dim ? n[0] : n[0] / size, dim ? n[1] / size : n[1], map);
    xt_whole_ d = XT_ZERO_;
    d.v = *v;
    d.dim = dim;
    d.size = size;
    xt_spread_like_(w.x, r.id, v);
    if (r.id) xt_record_(w, XT_OP_REDUCE_, kind, r.id, &d, sizeof d);
    return r;
}

XE_FN_ void xt_write_reduce_(xt_ctx *x, const xt_node_ *n)
{
    const xt_group_ group = {n->kind, n->whole->dim, n->whole->size, xt_combine_};
    xt_vec v = xt_now_vec_(x, &n->whole->v), r = xt_make_vec_(x, n);
    xt_define_vec_(x, n->result, r.blocks && v.blocks ? xt_reduce_local_(x, &v, group, r) : r);
}

/* Groups within a subgroup's pieces are reduced there. Otherwise each subgroup reduces its part of them; then the parts
 * are redistributed, so that each subgroup has whole groups, and reduced. Until then sums and products stay f32. */
xt_vec xt_reduction_(xt_where_ w, int kind, xt_reduction_desc_ d)
{
    xt_whole_ whole = XT_ZERO_;
    int inner[2];
    whole.v = d.vec;
    whole.given = d.map;
    whole.source = d.source;
    if (!xt_check_reduction_(w, "XT_REDUCTION", kind, &d) || !xt_reduction_map_(w, &d)) return xt_no_vec_();
    whole.dim = d.dim;
    whole.size = d.reduction_size;
    w.x->part++;
    int part = xt_common_divisor_(d.vec.dist.data[d.dim], d.reduction_size);
    int rest = d.reduction_size / part, type = (int)d.vec.type;
    spe_arith_op op = xt_red_info_(kind)->op;
    int part_type = rest > 1 && (op == SPE_ARITH_ADD || op == SPE_ARITH_MUL) ? xt_wide_type_(type) : type;
    xt_map map = xt_map_reduction(&d.vec.map, d.dim, part);
    whole.part = xt_reduction_step_(w, &d.vec, kind, d.dim, part, &map, part_type);
    if (rest > 1 || !xt_same_map_(&map, &d.map)) {
        map = d.map;
        if (xt_has_map_(&map)) map.sg_data[d.dim] *= rest;
        if (whole.part.id) whole.part = xt_convert_to_(w, &whole.part, &map, &whole.part.map);
        if (rest > 1 && whole.part.id) whole.part = xt_reduction_step_(w, &whole.part, kind, d.dim, rest, &d.map, type);
    }
    w.x->part--;
    for (int i = 0; i < 2; i++) inner[i] = d.vec.inner[0] ? (i == d.dim ? 1 : d.vec.inner[i]) : 0;
    return xt_rename_(w, XT_OP_REDUCTION_, kind, &whole, inner);
}
