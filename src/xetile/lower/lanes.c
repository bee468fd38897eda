/* lower/lanes.c - moving elements between lanes. */
#include "../internal.h"

XE_FN_ bool xt_field_init_(xt_ctx *x, xt_field_ *f, int rows, int cols, int comps, int type)
{
    memset(f, 0, sizeof *f);
    f->rows = rows;
    f->cols = cols;
    f->capacity = comps;
    f->type = type;
    f->comp = (spe_id *)xt_memory_(x, (size_t)comps * sizeof *f->comp);
    f->where = (int *)xt_memory_(x, (size_t)rows * (size_t)cols * sizeof *f->where);
    return f->comp && f->where && cm_picker_init(&x->cm, &f->picker, f->comp, comps);
}

/* The element in component v of a lane. */
static cm_element xt_element_at_(const cm_layout *l, int lane, int v)
{
    cm_slot s = {lane, v / l->omega, v % l->omega};
    return cm_element_of(l, s);
}

/* Adds a block's components and the positions of its elements. Rows of the block are columns of the matrix. */
static void xt_field_add_(xt_ctx *x, xt_field_ *f, const cm_matrix *a, const xt_block_ *b)
{
    spe_id *v = cm_component_ids(&x->cm, a, (cm_type)f->type);
    for (int i = 0; v && i < a->layout.size_v && f->comps < f->capacity; i++, f->comps++) {
        f->comp[f->comps] = v[i];
        for (int p = 0; p < a->layout.lanes; p++) {
            cm_element e = xt_element_at_(&a->layout, p, i);
            if (e.padding || e.row >= b->valid) continue;
            f->where[(b->packed[0] + e.col) * f->cols + b->packed[1] + e.row] = f->comps * CM_LANES + p;
        }
    }
}

/* All elements of v that this subgroup holds. */
XE_FN_ bool xt_field_of_(xt_ctx *x, xt_field_ *f, const xt_fragments_ *v, int type)
{
    xt_fragments_ a = xt_as_use_(x, v, CM_ACC);
    int comps = 0;
    for (int i = 0; i < a.blocks; i++) comps += a.block[i].layout.size_v;
    if (!xt_field_init_(x, f, a.dist.rounds[0] * a.dist.data[0], a.dist.rounds[1] * a.dist.data[1], comps, type))
        return false;
    for (xt_block_ b = xt_blocks_(x, &a.dist); a.blocks && xt_next_block_(&b);) {
        cm_matrix varied = xt_varied_(x, v->id, &a.block[b.i]);
        xt_field_add_(x, f, &varied, &b);
    }
    return spe_ok(&x->m);
}

/* The mask of lanes whose number has this bit. */
XE_FN_ xt_lanes_ xt_lanes_with_(const xt_ctx *x, int bit)
{
    xt_lanes_ mask = 0;
    for (int i = 0; i < x->S; i++) mask |= i & bit ? (xt_lanes_)1 << i : 0;
    return mask;
}

/* A condition that holds in the lanes of a set. */
XE_FN_ spe_id xt_lane_bit_(xt_ctx *x, xt_lanes_ mask) { return spe_lane_bit(&x->m, mask, x->S); }

/* A value that is the element at from[p] in lane p (as in xt_field_.where; -1: don't care). */
XE_FN_ spe_id xt_pick_(xt_ctx *x, xt_field_ *f, const int *from) { return cm_pick(&x->cm, &f->picker, from); }

/* The same with zeros where there is none. */
static spe_id xt_pick_or_zero_(xt_ctx *x, xt_field_ *f, const int *from)
{
    xt_lanes_ there = 0, all = 0;
    spe_id zero = spe_null(&x->m, spe_type_of(&x->m, f->comp[0]));
    for (int p = 0; p < x->S; p++) all |= (xt_lanes_)1 << p, there |= (xt_lanes_)(from[p] >= 0) << p;
    if (!there) return zero;
    spe_id picked = xt_pick_(x, f, from);
    return there == all ? picked : spe_select(&x->m, xt_lane_bit_(x, there), picked, zero);
}

/* A block of the result, from the components of a field, converted back to the vector's type; zeros beyond the ends of
 * pieces, or anything. */
static cm_matrix xt_pick_block_(xt_ctx *x, xt_field_ *f, const int *origin, const xt_group_ *g, const xt_block_ *b,
                                cm_type type, cm_use use, bool zeros)
{
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, (cm_type)f->type, use);
    spe_id *v = (spe_id *)xt_memory_(x, (size_t)l.size_v * sizeof *v), one;
    int from[XT_LANES_MAX_], height = b->grid.data[0], width = b->grid.rounds[1] * b->grid.data[1];
    if (!l.rows || !v) return cm_poison();
    for (int i = 0; i < l.size_v; i++)
        for (int k = 0; k < (g ? g->size : 1); k++) {
            for (int p = 0; p < x->S; p++) {
                cm_element e = xt_element_at_(&l, p, i);
                from[p] = -1;
                if (e.padding || e.row >= b->valid || b->packed[0] % height + e.col >= height) continue;
                int row = b->packed[0] + e.col, col = b->packed[1] + e.row, at = row * width + col;
                if (g) at = g->dim ? at * g->size + k : (row * g->size + k) * width + col; /* element k of its group */
                from[p] = f->where[origin ? origin[at] : at];
            }
            one = zeros ? xt_pick_or_zero_(x, f, from) : xt_pick_(x, f, from);
            v[i] = k ? g->combine(&x->m, g->kind, f->type, v[i], one) : one;
        }
    cm_matrix a = cm_from_components(&x->cm, &l, v);
    return cm_convert(&x->cm, &a, type);
}

/* Fills all blocks of r from a field: with elements from their origins (NULL: the same place) or with groups. */
XE_FN_ xt_fragments_ xt_pick_all_(xt_ctx *x, xt_field_ *f, const int *origin, const xt_group_ *g, xt_fragments_ r)
{
    for (xt_block_ b = xt_blocks_(x, &r.dist); xt_next_block_(&b);)
        r.block[b.i] = xt_pick_block_(x, f, origin, g, &b, xt_storage_type_(r.type), CM_ACC, false);
    return xt_finish_vec_(x, r);
}

/* v in the blocks of a grid that is cut like its own or more coarsely; zeros beyond the ends of its pieces. */
XE_FN_ xt_fragments_ xt_fill_up_(xt_ctx *x, const xt_fragments_ *v, const xt_grid_ *g, cm_use use)
{
    xt_fragments_ r = *v;
    xt_block_ b = xt_blocks_(x, &v->dist);
    xt_field_ f;
    b.grid = *g;
    b.grid.blocks = r.blocks = g->rounds[0] * g->rounds[1] * g->cut[0].n * g->cut[1].n;
    r.block = (cm_matrix *)xt_memory_(x, (size_t)r.blocks * sizeof *r.block);
    if (!r.block || !xt_field_of_(x, &f, v, (int)xt_storage_type_(v->type))) return *v;
    while (xt_next_block_(&b))
        r.block[b.i] = xt_pick_block_(x, &f, NULL, NULL, &b, xt_storage_type_(v->type), use, true);
    return r;
}
