/* reduction.c - maps given to an operation. */
#include "internal.h"

bool xt_map_agrees_(xt_where_ w, int error, const char *what, const xt_map *has, const xt_map *wanted)
{
    if (xt_same_map_(has, wanted)) return true;
    xt_fail_(w, error, "%s has sg_layout {%d, %d} sg_data {%d, %d}, wanted {%d, %d} {%d, %d}", what, has->sg_layout[0],
             has->sg_layout[1], has->sg_data[0], has->sg_data[1], wanted->sg_layout[0], wanted->sg_layout[1],
             wanted->sg_data[0], wanted->sg_data[1]);
    return false;
}

/* The optional map of the operand, which the older text writes before the result's: must be the one it has. */
bool xt_check_source_(xt_where_ w, const char *what, const xt_map *given, const xt_vec *v)
{
    return !xt_has_map_(given) || xt_map_agrees_(w, XT_ERROR_SOURCE_MAP, what, &v->map, given);
}
int xt_dimension_(xt_where_ w, const char *what, int dim, const xt_vec *v)
{
    bool pair = dim == XT_DIMS_PAIR_ + 0 * 4 + 2 || dim == XT_DIMS_PAIR_ + 1 * 4 + 3, blocked = v->inner[0] > 0;
    if (!blocked && (dim == 0 || dim == 1)) return dim;
    if (blocked && pair) return (dim - XT_DIMS_PAIR_) / 4;
    if (dim >= XT_DIMS_PAIR_)
        xt_fail_(w, XT_ERROR_VEC_DIM, "%s along dimensions %d and %d of a %s vector", what, (dim - XT_DIMS_PAIR_) / 4,
                 (dim - XT_DIMS_PAIR_) % 4, blocked ? "4-D" : "2-D");
    else
        xt_fail_(w, XT_ERROR_VEC_DIM, "%s along dimension %d of a %s vector%s", what, dim, blocked ? "4-D" : "2-D",
                 blocked ? ": XT_DIMS(1, 3) or XT_DIMS(0, 2)" : "");
    return -1;
}

/* ---- reduction: the kinds ---------------------------------------------------------------------------------------- */

/* name; may be of floats, signed, unsigned integers; is a a = a; how a pair is combined */
#define XT_REDUCTIONS_(X)                                                                                              \
    X(add, true, true, false)                                                                                          \
    X(mul, true, true, false)                                                                                          \
    X(minsi, false, true, true)                                                                                        \
    X(minui, false, true, true)                                                                                        \
    X(maxsi, false, true, true)                                                                                        \
    X(maxui, false, true, true)                                                                                        \
    X(and, false, true, true)                                                                                          \
    X(or, false, true, true)                                                                                           \
    X(xor, false, true, false)                                                                                         \
    X(minnumf, true, false, true)                                                                                      \
    X(maxnumf, true, false, true)                                                                                      \
    X(minimumf, true, false, true)                                                                                     \
    X(maximumf, true, false, true)

typedef struct {
    const char *name;
    bool on_float, on_int, idempotent;
} xt_red_row_;

static const xt_red_row_ *xt_red_info_(int kind)
{
    static const xt_red_row_ rows[] = {
#define XT_ROW_(name, f, i, same) {#name, f, i, same},
        XT_REDUCTIONS_(XT_ROW_)
#undef XT_ROW_
    };
    return &rows[kind];
}

/* minimumf, maximumf: NaN when one is, and -0 is less than 0. */
static spe_id xt_minimum_(xt_ctx *x, bool maximum, spe_id a, spe_id b)
{
    spe_module *m = &x->m;
    spe_id type = spe_type_of(m, a),
           bits = xt_like_part_(x, spe_int(m, spe_width(m, spe_info(m, type).elem ? spe_info(m, type).elem : type)), a);
    spe_id p = spe_bitcast(m, bits, a), q = spe_bitcast(m, bits, b), r, zeros, nan;
    r = spe_math2(m, maximum ? SPE_FMAX : SPE_FMIN, a, b);
    zeros = spe_bitcast(m, type, maximum ? spe_and(m, p, q) : spe_or(m, p, q));
    nan = spe_lor(m, spe_isnan(m, a), spe_isnan(m, b));
    r = spe_select(m, spe_feq(m, a, b), zeros, r);
    return spe_select(m, nan, spe_fadd(m, a, b), r);
}

static spe_id xt_red_combine_(xt_ctx *x, int kind, bool is_float, spe_id a, spe_id b)
{
    spe_module *m = &x->m;
    switch (kind) {
    case XT_RED_ADD_: return is_float ? spe_fadd(m, a, b) : spe_iadd(m, a, b);
    case XT_RED_MUL_: return is_float ? spe_fmul(m, a, b) : spe_imul(m, a, b);
    case XT_RED_MINSI_: return spe_math2(m, SPE_SMIN, a, b);
    case XT_RED_MINUI_: return spe_math2(m, SPE_UMIN, a, b);
    case XT_RED_MAXSI_: return spe_math2(m, SPE_SMAX, a, b);
    case XT_RED_MAXUI_: return spe_math2(m, SPE_UMAX, a, b);
    case XT_RED_AND_: return spe_and(m, a, b);
    case XT_RED_OR_: return spe_or(m, a, b);
    case XT_RED_XOR_: return spe_xor(m, a, b);
    case XT_RED_MINNUMF_: return spe_math2(m, SPE_FMIN, a, b);
    case XT_RED_MAXNUMF_: return spe_math2(m, SPE_FMAX, a, b);
    case XT_RED_MINIMUMF_: return xt_minimum_(x, false, a, b);
    default: return xt_minimum_(x, true, a, b);
    }
}

/* What changes nothing, for lanes without an element: 1 for products, 0 for sums and xor; the others take an element
 * twice. */
static spe_id xt_red_neutral_(xt_ctx *x, int kind, int type)
{
    xt_val v = xt_is_float_(type) ? xt_real_(kind == XT_RED_MUL_ ? 1 : 0) : xt_int_(kind == XT_RED_MUL_ ? 1 : 0);
    return xt_constant_(x, type, &v);
}

/* ---- reduction: what a subgroup holds ---------------------------------------------------------------------------- */

typedef struct {
    xt_field_ f;
    xt_moves_ moves;
    int kind, dim, size;         /* size: elements that become one */
    int outer, groups;           /* results along the other dimension, along this one */
    int width, together, strips; /* lanes of a group, groups in a register, registers of a group */
    bool is_float;
} xt_reduce_;

/* Element k of outer index o. */
static int xt_reduce_at_(const xt_reduce_ *r, int o, int k)
{
    return r->dim ? r->f.where[o * r->f.cols + k] : r->f.where[k * r->f.cols + o];
}

/* One outer index: the registers of its groups folded into one; lane p then has what is left of group
 * p / width of those that start at `group`. */
static spe_id xt_reduce_fold_(xt_ctx *x, xt_reduce_ *r, int o, int group)
{
    const bool twice = xt_red_info_(r->kind)->idempotent;
    spe_id sum = 0, one;
    int strip, p, from[32];
    for (strip = 0; strip < r->strips; strip++) {
        uint32_t absent = 0;
        for (p = 0; p < x->S; p++) {
            int g = group + p / r->width, k = strip * r->width + p % r->width;
            from[p] = -1;
            if (g >= r->groups) continue;
            if (k >= r->size && !twice)
                absent |= 1u << p;
            else
                from[p] = xt_reduce_at_(r, o, g * r->size + k % r->size);
        }
        one = xt_pick_(x, &r->f, &r->moves, from);
        if (absent) one = spe_select(&x->m, xt_lane_bit_(x, absent), xt_red_neutral_(x, r->kind, r->f.type), one);
        sum = sum ? xt_red_combine_(x, r->kind, r->is_float, sum, one) : one;
    }
    return sum;
}

/* `count` registers of different outer indices (at most width) become one, whose lane p has outer index p % width:
 * each step halves both the registers and the lanes that still have to be combined. */
static spe_id xt_reduce_halve_(xt_ctx *x, const xt_reduce_ *r, spe_id *a, int count)
{
    spe_module *m = &x->m;
    int h, i;
    for (h = r->width / 2; h > 0; h /= 2) {
        uint32_t mask = 0;
        spe_id bit = 0, by = spe_u32(m, (uint32_t)h);
        for (i = 0; i < x->S; i++) mask |= i & h ? 1u << i : 0;
        if (count > h) bit = xt_lane_bit_(x, mask);
        for (i = 0; i < h && i < count; i++) {
            spe_id keep = a[i], send = a[i];
            if (i + h < count) {
                keep = spe_select(m, bit, a[i + h], a[i]);
                send = spe_select(m, bit, a[i], a[i + h]);
            }
            a[i] = xt_red_combine_(x, r->kind, r->is_float, keep, spe_sg_shuffle_xor(m, send, by));
        }
        if (count > h) count = h;
    }
    return a[0];
}

/* Elements side by side in the lanes: registers, then lanes. The results as a field. */
static bool xt_reduce_lanes_(xt_ctx *x, xt_reduce_ *r, xt_field_ *out)
{
    int group, o, i, p, rows = r->dim ? r->outer : r->groups, cols = r->dim ? r->groups : r->outer;
    int batches = (r->outer + r->width - 1) / r->width, bundles = (r->groups + r->together - 1) / r->together;
    if (!xt_field_init_(x, out, rows, cols, batches * bundles, r->f.type)) return false;
    for (group = 0; group < r->groups; group += r->together)
        for (o = 0; o < r->outer; o += r->width) {
            spe_id a[32];
            int count = r->outer - o < r->width ? r->outer - o : r->width;
            for (i = 0; i < count; i++) a[i] = xt_reduce_fold_(x, r, o + i, group);
            for (p = 0; p < x->S; p++) {
                int to = o + p % r->width, g = group + p / r->width;
                if (to >= r->outer || g >= r->groups) continue;
                out->where[r->dim ? to * cols + g : g * cols + to] = out->comps * 64 + p;
            }
            out->comp[out->comps++] = xt_reduce_halve_(x, r, a, count);
        }
    return spe_ok(&x->m);
}

/* Elements one after another in each lane: element by element of the result's layout. */
static cm_matrix xt_reduce_block_(xt_ctx *x, xt_reduce_ *r, int row, int col, const xt_block_ *b, cm_type type)
{
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, (cm_type)r->f.type, CM_ACC);
    spe_id *v = (spe_id *)xt_memory_(x, (size_t)(l.V ? l.V : 1) * sizeof *v);
    cm_matrix a;
    int i, p, k, from[32];
    if (!l.rows || !v) return cm_poison();
    for (i = 0; i < l.V; i++)
        for (k = 0; k < r->size; k++) {
            spe_id one;
            for (p = 0; p < l.S; p++) {
                cm_element e = cm_element_of(&l, xt_slot_at_(&l, p, i));
                int o = r->dim ? row + e.col : col + e.row, g = r->dim ? col + e.row : row + e.col;
                from[p] = e.padding ? -1 : xt_reduce_at_(r, o, g * r->size + k);
            }
            one = xt_pick_(x, &r->f, &r->moves, from);
            v[i] = k ? xt_red_combine_(x, r->kind, r->is_float, v[i], one) : one;
        }
    a = cm_from_components(&x->cm, &l, v);
    return cm_convert(&x->cm, &a, type);
}

static xt_vec xt_reduce_in_lanes_(xt_ctx *x, xt_reduce_ *r, xt_vec v)
{
    xt_grid_ g;
    int i, row, col;
    xt_grid_init_(&g, &v.dist);
    for (i = 0; i < g.blocks; i++) {
        xt_block_ b = xt_block_at_(&g, i);
        xt_local_place_(&g, &v.dist, i, &row, &col);
        v.block[i] = xt_reduce_block_(x, r, row, col, &b, xt_held_(v.type));
    }
    return xt_settle_(x, v);
}

/* Each subgroup reduces what it holds: groups of `size` elements along dim, which must not cross its pieces. */
static xt_vec xt_reduce_local_(xt_ctx *x, const xt_vec *v, int kind, int dim, int size, xt_vec result)
{
    xt_reduce_ r;
    xt_field_ out;
    xt_origin_ o;
    int *index, i, n;
    bool across;
    memset(&r, 0, sizeof r);
    if (!xt_field_of_(x, &r.f, v, xt_wide_type_((int)v->type)) || !xt_moves_init_(x, &r.moves, &r.f)) return result;
    r.kind = kind;
    r.dim = dim;
    r.size = size;
    r.is_float = xt_is_float_(r.f.type);
    r.outer = dim ? r.f.rows : r.f.cols;
    r.groups = (dim ? r.f.cols : r.f.rows) / size;
    across = dim ? r.f.cols >= x->S || size * 2 >= x->S : r.f.cols < x->S && size * 2 >= x->S;
    if (size == 1 || !across) return xt_reduce_in_lanes_(x, &r, result);
    r.width = size < x->S && (size & (size - 1)) == 0 ? size : x->S;
    r.together = x->S / r.width;
    r.strips = (size + r.width - 1) / r.width;
    if (!xt_reduce_lanes_(x, &r, &out)) return result;
    n = out.rows > out.cols ? out.rows : out.cols;
    index = (int *)xt_memory_(x, (size_t)n * sizeof *index);
    for (i = 0; index && i < n; i++) index[i] = i;
    o.rows = o.cols = index;
    o.transposed = false;
    return index ? xt_pick_all_(x, &out, &o, result) : result;
}

/* ---- reduction --------------------------------------------------------------------------------------------------- */

static bool xt_reduction_checks_(xt_where_ w, int kind, xt_reduction_desc_ *d)
{
    const xt_red_row_ *row = xt_red_info_(kind);
    int type, n;
    if (!xt_check_vec_(w, &d->v, "the vector of XT_REDUCTION")) return false;
    d->dim = xt_dimension_(w, "XT_REDUCTION", d->dim, &d->v);
    if (d->dim < 0) return false;
    type = (int)d->v.type;
    n = d->v.dist.shape[d->dim];
    if (type == XT_BOOL_ || type == CM_E4M3 || type == CM_E5M2 || !(xt_is_float_(type) ? row->on_float : row->on_int)) {
        xt_fail_(w, XT_ERROR_REDUCTION_KIND, "%s of %s", row->name, xt_type_name_(type));
        return false;
    }
    if (d->reduction_size == 0) d->reduction_size = n;
    if (d->reduction_size < 1 || n % d->reduction_size) {
        xt_fail_(w, XT_ERROR_REDUCTION_SIZE, "reduction_size %d, the dimension has %d", d->reduction_size, n);
        return false;
    }
    return xt_check_source_(w, "the vector of XT_REDUCTION", &d->source, &d->v);
}

xt_map xt_map_reduction(const xt_map *source, int dim, int reduction_size)
{
    xt_map m = *source;
    if (xt_has_map_(&m)) m.sg_data[dim] = m.sg_data[dim] % reduction_size ? 1 : m.sg_data[dim] / reduction_size;
    return m;
}

static int xt_common_divisor_(int a, int b) { return b ? xt_common_divisor_(b, a % b) : a; }

/* The result's map: given, or what follows; the given one must agree with it, but where both are given data may
 * move. */
static bool xt_reduction_map_(xt_where_ w, xt_reduction_desc_ *d)
{
    xt_map derived = xt_map_reduction(&d->v.map, d->dim, d->reduction_size);
    bool split = d->v.dist.data[d->dim] % d->reduction_size != 0;
    if (!xt_has_map_(&d->map)) d->map = derived;
    if (xt_has_map_(&d->source)) return true;
    if (split) derived.sg_data[d->dim] = d->map.sg_data[d->dim];
    return xt_map_agrees_(w, XT_ERROR_REDUCTION_MAP, ".map of XT_REDUCTION", &d->map, &derived);
}

/* One step: every subgroup reduces its own groups of `size`. */
static xt_vec xt_reduction_step_(xt_where_ w, const xt_vec *v, int kind, int dim, int size, const xt_map *map)
{
    int shape[2];
    xt_dist dist;
    xt_vec r;
    shape[0] = v->dist.shape[0];
    shape[1] = v->dist.shape[1];
    shape[dim] /= size;
    if (!xt_distribute_(w, &dist, shape[0], shape[1], map)) return xt_no_vec_();
    r = xt_new_vec_(w, v->type, &dist, map);
    if (w.x->planning || !r.blocks || !v->blocks) return r;
    return xt_reduce_local_(w.x, v, kind, dim, size, r);
}

xt_vec xt_reduction_(xt_where_ w, int kind, xt_reduction_desc_ d)
{
    int part, rest, i;
    xt_map map;
    xt_vec v, r;
    if (!xt_enter_kind_(w, XT_OP_REDUCTION_, kind) || !xt_reduction_checks_(w, kind, &d) || !xt_reduction_map_(w, &d))
        return xt_no_vec_();
    part = xt_common_divisor_(d.v.dist.data[d.dim], d.reduction_size);
    rest = d.reduction_size / part;
    map = xt_map_reduction(&d.v.map, d.dim, part);
    v = rest == 1 && xt_same_map_(&map, &d.map) ? d.v : xt_no_vec_();
    if (v.dist.shape[0]) {
        r = xt_reduction_step_(w, &v, kind, d.dim, d.reduction_size, &d.map);
    } else {
        v = xt_reduction_step_(w, &d.v, kind, d.dim, part, &map);
        map = d.map;
        if (xt_has_map_(&map)) map.sg_data[d.dim] *= rest;
        if (spe_ok(&w.x->m)) v = xt_convert_to_(w, &v, &map);
        if (!spe_ok(&w.x->m)) return xt_no_vec_();
        r = rest == 1 ? v : xt_reduction_step_(w, &v, kind, d.dim, rest, &d.map);
    }
    for (i = 0; i < 2; i++) r.inner[i] = d.v.inner[0] ? (i == d.dim ? 1 : d.v.inner[i]) : 0;
    return r;
}
