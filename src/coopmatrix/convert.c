/* convert.c - conversion of matrices. */
#include "internal.h"

static cm_matrix cm_change_(cm_ctx *c, const cm_matrix *a, cm_type type, cm_use use);

/* ---- conversion of matrices -------------------------------------------------------------------------------------- */

/* Where component v of each lane of layout `to` comes from in layout `from`: the distinct components, and whether no
 * lane needs another's. At most one row or column of sources a lane, so S is enough room. */
typedef struct {
    int source[64], count;
    bool in_lane;
} cm_sources_;

/* Element (r, c) of `to` is element (r, c) of `from`, or (c, r) when `transposed`, both modulo the extents of `from`.
 */
static void cm_find_sources_(const cm_layout *from, const cm_layout *to, bool transposed, int v,
                                    cm_sources_ *out)
{
    int p, i, row, col;
    out->count = 0;
    out->in_lane = true;
    for (p = 0; p < to->S; p++) {
        cm_slot want = {0, 0, 0}, have;
        cm_element e;
        want.lane = p;
        want.component = v / to->omega;
        want.channel = v % to->omega;
        e = cm_element_of(to, want);
        if (e.padding) continue;
        row = (transposed ? e.col : e.row) % from->rows;
        col = (transposed ? e.row : e.col) % from->cols;
        have = cm_slot_of(from, row, col);
        if (have.lane != p) out->in_lane = false;
        for (i = 0; i < out->count && out->source[i] != have.component * from->omega + have.channel; i++) continue;
        if (i == out->count && i < 64) out->source[out->count++] = have.component * from->omega + have.channel;
    }
}

/* cm_slot_of in the kernel: lane and component number (channels counted) of an element in layout l. */
static void cm_find_slot_(cm_ctx *c, const cm_layout *l, spe_id row, spe_id col, spe_id *lane, spe_id *v)
{
    spe_module *m = c->m;
    spe_id inner = cm_mod_(c, row, l->I * l->K1), k2 = cm_shr_(c, row, l->I * l->K1);
    spe_id i = l->interleaved ? cm_shr_(c, inner, l->K1) : cm_mod_(c, inner, l->I);
    spe_id k1 = l->interleaved ? cm_mod_(c, inner, l->K1) : cm_shr_(c, inner, l->I);
    spe_id j = spe_iadd(m, cm_shr_(c, col, l->omega), cm_times_(c, k2, l->J / l->omega));
    spe_id number = spe_iadd(m, i, cm_times_(c, spe_iadd(m, k1, cm_times_(c, j, l->K1)), l->I));
    *lane = cm_mod_(c, number, l->S);
    *v = spe_iadd(m, cm_times_(c, cm_shr_(c, number, l->S), l->omega), cm_mod_(c, col, l->omega));
}

/* Component v of layout `to`, for which lanes need others' components: a shuffle for each source, then a choice. */
static spe_id cm_fetch_(cm_ctx *c, const cm_layout *from, const cm_layout *to, bool transposed, int v,
                               const cm_sources_ *s, const spe_id *components)
{
    spe_id lane, number, got = 0, row = cm_row_index(c, to, v), col = cm_col_index(c, to, v), swap = row;
    int i, rows = transposed ? to->cols : to->rows, cols = transposed ? to->rows : to->cols;
    if (transposed) row = col, col = swap;
    if (rows > from->rows) row = cm_mod_(c, row, from->rows);
    if (cols > from->cols) col = spe_umod(c->m, col, cm_i32_(c, from->cols));
    cm_find_slot_(c, from, row, col, &lane, &number);
    for (i = 0; i < s->count; i++) {
        spe_id one = components[s->source[i]];
        if (!s->in_lane) one = spe_sg_shuffle(c->m, one, lane);
        got = i == 0 ? one : spe_select(c->m, spe_ieq(c->m, number, cm_i32_(c, s->source[i])), one, got);
    }
    return got;
}

/* The elements of `a`, converted to the type of layout `to`, where that layout wants them (see cm_find_sources_). */
cm_matrix cm_relayout_(cm_ctx *c, const cm_matrix *a, const cm_layout *to, bool transposed)
{
    spe_id *from = cm_component_ids(c, a, to->type), *v = (spe_id *)spe_alloc(c->m, (size_t)to->V * sizeof(spe_id));
    spe_id zero = spe_null(c->m, cm_storage_type(c, to->type));
    int i;
    if (!from || !v) return cm_poison();
    for (i = 0; i < to->V; i++) {
        cm_sources_ s;
        cm_find_sources_(&a->l, to, transposed, i, &s);
        if (s.count == 0)
            v[i] = zero;
        else if (s.count == 1 && s.in_lane)
            v[i] = from[s.source[0]];
        else
            v[i] = cm_fetch_(c, &a->l, to, transposed, i, &s, from);
    }
    return cm_from_components(c, to, v);
}

/* Component v of one layout is component v of the other. */
static bool cm_aligned_(const cm_layout *a, const cm_layout *b)
{
    return a->V == b->V && a->omega == b->omega && a->K1 == b->K1 && a->interleaved == b->interleaved;
}

/* Of a complex matrix: both parts change. A real one becomes the real part. */
static cm_matrix cm_change_complex_(cm_ctx *c, const cm_matrix *a, cm_type type, cm_use use)
{
    cm_type part = type == CM_C32 ? CM_F32 : CM_F64;
    cm_matrix re = *a, im;
    if (!cm_is_complex(type)) {
        cm_fail_(c, CM_ERROR_CONVERT, "%s to %s: take cm_re or cm_im", cm_type_info(a->l.type)->name,
                 cm_type_info(type)->name);
        return cm_poison();
    }
    if (cm_is_complex(a->l.type)) {
        re = cm_re(c, a);
        im = cm_im(c, a);
        im = cm_change_(c, &im, part, use);
    } else {
        im = cm_splat(c, a->l.rows, a->l.cols, part, use, 0);
    }
    re = cm_change_(c, &re, part, use);
    return cm_complex(c, &re, &im);
}

static cm_matrix cm_change_(cm_ctx *c, const cm_matrix *a, cm_type type, cm_use use)
{
    cm_layout l;
    if (cm_is_poison_(c, a)) return cm_poison();
    if (type == a->l.type && use == a->l.use) return *a;
    l = cm_layout_for(c, a->l.rows, a->l.cols, type, use);
    if (!l.rows) return cm_poison();
    if (cm_is_complex(type) || cm_is_complex(a->l.type)) return cm_change_complex_(c, a, type, use);
    if (c->lowering == CM_KHR && use != a->l.use) return cm_opaque_(c, "cm_convert_use"), cm_poison();
    return cm_aligned_(&l, &a->l) ? cm_map_(c, &l, a, NULL, NULL, NULL) : cm_relayout_(c, a, &l, false);
}

cm_matrix cm_convert(cm_ctx *c, const cm_matrix *a, cm_type type)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_change_(c, a, type, a->l.use);
}

cm_matrix cm_convert_as(cm_ctx *c, const cm_matrix *a, cm_type type, cm_rounding rounding, bool saturate)
{
    cm_matrix d;
    if (cm_is_poison_(c, a) || cm_opaque_(c, "cm_convert_as")) return cm_poison();
    if ((unsigned)rounding > (unsigned)CM_ROUND_DOWN) {
        cm_fail_(c, CM_ERROR_CONVERT, "cm_convert_as: there is no rounding %d", (int)rounding);
        return cm_poison();
    }
    c->rounding = rounding;
    c->saturate = saturate;
    d = cm_change_(c, a, type, a->l.use);
    c->rounding = CM_ROUND_AUTO;
    c->saturate = false;
    return d;
}

cm_matrix cm_convert_use(cm_ctx *c, const cm_matrix *a, cm_use use)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_change_(c, a, a->l.type, use);
}
