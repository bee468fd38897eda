/* lower/scan.c - writes scans. */
#include "../internal.h"

/* The state of writing a scan. */
typedef struct {
    xt_ctx *x;
    xt_field_ f;
    int kind;
    const xt_node_ *of;
    int *element; /* element[c * CM_LANES + p]: the element in lane p of component c, -1: none */
    int span;     /* elements of a piece along the dimension */
} xt_scan_;

/* The neutral element, as a constant of the type. Where a number wins over NaN it is NaN: an infinity would win over
 * the NaNs of a piece that has no number. */
static spe_id xt_scan_neutral_(xt_ctx *x, int kind, int type)
{
    uint32_t half = !xt_red_info_(kind)->nan_wins ? 0x7e00 : kind == XT_RED_minimumf_ ? 0x7c00 : 0xfc00;
    xt_val v = spe_val_real(spe_real_of_bits(SPE_IEEE, 16, half));
    int unused = 64 - xt_bits_(type);
    uint64_t ones = UINT64_MAX >> unused, bits = kind == XT_RED_mul_;
    if (kind == XT_RED_and_ || kind == XT_RED_minui_) bits = ones;
    if (kind == XT_RED_minsi_) bits = ones >> 1;
    if (kind == XT_RED_maxsi_) bits = ones ^ (ones >> 1);
    if (kind >= XT_RED_minnumf_) return xt_constant_(x, type, &v);
    v = spe_val_int(xt_is_signed_(type) && !xt_is_float_(type) ? (long long)(bits << unused) >> unused
                                                               : (long long)bits);
    return xt_constant_(x, type, &v);
}

/* An element's position along the dimension, in its piece. */
static int xt_scan_at_(const xt_scan_ *s, int element)
{
    return (s->of->move->dim ? element % s->f.cols : element / s->f.cols) % s->span;
}

static bool xt_scan_init_(xt_scan_ *s, xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ v = xt_now_vec_(x, n->operand[XT_MOVE_VEC_]);
    s->x = x;
    s->kind = n->kind;
    s->of = n;
    s->span = v.dist.data[n->move->dim];
    if (!xt_field_of_(x, &s->f, &v, xt_wide_type_((int)v.type))) return false;
    s->element = (int *)xt_memory_(x, (size_t)s->f.comps * CM_LANES * sizeof *s->element);
    if (!s->element) return false;
    for (int i = 0; i < s->f.comps * CM_LANES; i++) s->element[i] = -1;
    for (int i = 0; i < s->f.rows * s->f.cols; i++) s->element[s->f.where[i]] = i;
    return true;
}

/* The element `by` positions before each one of component c, from f; mask[0]: the lanes whose element has one, mask[1]:
 * those whose element has none. */
static spe_id xt_scan_before_(const xt_scan_ *s, xt_field_ *f, int c, int by, xt_lanes_ mask[2])
{
    int from[XT_LANES_MAX_], step = by * (s->of->move->dim ? 1 : f->cols);
    mask[0] = mask[1] = 0;
    for (int p = 0; p < s->x->S; p++) {
        int e = s->element[c * CM_LANES + p];
        from[p] = e >= 0 && xt_scan_at_(s, e) >= by ? f->where[e - step] : -1;
        if (e >= 0) mask[from[p] < 0] |= (xt_lanes_)1 << p;
    }
    return mask[0] ? xt_pick_(s->x, f, from) : 0;
}

/* a in the lanes of mask[0], b in those of mask[1]. */
static spe_id xt_scan_choose_(const xt_scan_ *s, const xt_lanes_ mask[2], spe_id a, spe_id b)
{
    if (!mask[0]) return b;
    return mask[1] ? spe_select(&s->x->m, xt_lane_bit_(s->x, mask[0]), a, b) : a;
}

/* A copy of f with its own components. */
static bool xt_scan_copy_(const xt_scan_ *s, const xt_field_ *f, xt_field_ *to)
{
    if (!xt_field_init_(s->x, to, f->rows, f->cols, f->comps, f->type)) return false;
    memcpy(to->where, f->where, (size_t)f->rows * (size_t)f->cols * sizeof *f->where);
    memcpy(to->comp, f->comp, (size_t)f->comps * sizeof *f->comp);
    to->comps = f->comps;
    return true;
}

enum { XT_SCAN_NONE_ = -1, XT_SCAN_SEVERAL_ = -2 };

/* The position along the dimension of a component's elements. */
static int xt_scan_position_(const xt_scan_ *s, int c)
{
    int at = XT_SCAN_NONE_;
    for (int p = 0; p < s->x->S; p++) {
        int e = s->element[c * CM_LANES + p];
        if (e >= 0 && at >= 0 && xt_scan_at_(s, e) != at) return XT_SCAN_SEVERAL_;
        if (e >= 0) at = xt_scan_at_(s, e);
    }
    return at;
}

static void xt_scan_one_by_one_(xt_scan_ *s)
{
    xt_lanes_ mask[2];
    for (int at = 1; at < s->span; at++)
        for (int c = 0; c < s->f.comps; c++)
            if (xt_scan_position_(s, c) == at)
                s->f.comp[c] = xt_combine_(&s->x->m, s->kind, s->f.type, xt_scan_before_(s, &s->f, c, 1, mask),
                                           s->f.comp[c]);
}

/* Scans in steps of 1, 2, 4 ..., each adding partial results. */
static bool xt_scan_doubling_(xt_scan_ *s)
{
    for (int by = 1; by < s->span; by *= 2) {
        xt_field_ old;
        if (!xt_scan_copy_(s, &s->f, &old)) return false;
        for (int c = 0; c < old.comps; c++) {
            xt_lanes_ mask[2];
            spe_id before = xt_scan_before_(s, &old, c, by, mask);
            if (!before) continue;
            before = xt_combine_(&s->x->m, s->kind, old.type, before, old.comp[c]);
            s->f.comp[c] = xt_scan_choose_(s, mask, before, old.comp[c]);
        }
    }
    return true;
}

/* For an exclusive scan, shifts by one element; then combines with the carry. */
static bool xt_scan_finish_(xt_scan_ *s, xt_field_ *out)
{
    spe_id neutral = xt_scan_neutral_(s->x, s->kind, s->f.type);
    xt_field_ carry;
    if (!xt_scan_copy_(s, &s->f, out)) return false;
    for (int c = 0; s->of->move->exclusive && c < out->comps; c++) {
        xt_lanes_ mask[2];
        spe_id before = xt_scan_before_(s, &s->f, c, 1, mask);
        out->comp[c] = xt_scan_choose_(s, mask, before, neutral);
    }
    if (s->of->operand[XT_MOVE_PART_]) {
        xt_fragments_ v = xt_now_vec_(s->x, s->of->operand[XT_MOVE_PART_]);
        if (!xt_field_of_(s->x, &carry, &v, s->f.type)) return false;
        for (int c = 0; c < out->comps; c++)
            out->comp[c] = xt_combine_(&s->x->m, s->kind, out->type, carry.comp[c], out->comp[c]);
    }
    return true;
}

XE_FN_ void xt_write_scan_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ r = xt_make_vec_(x, n);
    xt_scan_ s;
    xt_field_ out;
    int c = 0;
    if (!r.blocks || !xt_scan_init_(&s, x, n)) return;
    while (c < s.f.comps && xt_scan_position_(&s, c) != XT_SCAN_SEVERAL_) c++;
    if (c == s.f.comps) /* each element's predecessor is in its own lane */
        xt_scan_one_by_one_(&s);
    else if (!xt_scan_doubling_(&s))
        return;
    if (!xt_scan_finish_(&s, &out)) return;
    xt_define_vec_(x, n->result, xt_pick_all_(x, &out, NULL, NULL, r));
}
