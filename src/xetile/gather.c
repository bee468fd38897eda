/* gather.c - load_gather, store_scatter. */
#include "internal.h"

static bool xt_check_scatter_tile_(xt_where_ w, const xt_tile *t, const char *what)
{
    if (!xt_check_tile_(w, t, what)) return false;
    if (!t->scatter)
        xt_fail_(w, XT_ERROR_NO_SCATTER, "%s is a tile %d x %d made without .scatter", what, t->dist.shape[0],
                 t->dist.shape[1]);
    return t->scatter;
}

static bool xt_check_mask_(xt_where_ w, const xt_vec *mask, const xt_tile *t)
{
    const int *p = mask->dist.shape, *q = t->dist.shape;
    if (!mask->magic) return true;
    if (!xt_check_vec_(w, mask, "the mask")) return false;
    if (mask->type != (cm_type)XT_BOOL_)
        xt_fail_(w, XT_ERROR_MASK_TYPE, "got %s", xt_type_name_(mask->type));
    else if (p[0] != q[0] || p[1] != q[1])
        xt_fail_(w, XT_ERROR_MASK_SHAPE, "mask %d x %d, tile %d x %d", p[0], p[1], q[0], q[1]);
    else if (!xt_same_map_(&mask->map, &t->map))
        xt_fail_(w, XT_ERROR_MASK_MAP, "mask sg_layout {%d, %d} sg_data {%d, %d}, tile {%d, %d} {%d, %d}",
                 mask->map.sg_layout[0], mask->map.sg_layout[1], mask->map.sg_data[0], mask->map.sg_data[1],
                 t->map.sg_layout[0], t->map.sg_layout[1], t->map.sg_data[0], t->map.sg_data[1]);
    return spe_ok(&w.x->m);
}

/* One block of a scatter tile while it is accessed. */
typedef struct {
    xt_ctx *x;
    const xt_tile *t;
    const cm_matrix *offsets, *mask; /* mask: NULL where there is none */
    spe_id count;                    /* elements of the base, i64, not negative */
} xt_spread_;

/* How many elements the base has, as i64; a negative size means none. */
static spe_id xt_base_count_(xt_where_ w, const xt_tile *t)
{
    spe_module *m = &w.x->m;
    spe_id n = xt_index_id_(w, &t->shape[1], ".shape"), zero = spe_i32(m, 0);
    return spe_sconvert(m, spe_int(m, 64), spe_select(m, spe_sgt(m, n, zero), n, zero));
}

/* Component v: its offset as i64, and whether it is one that may be accessed. */
static spe_id xt_spread_inside_(const xt_spread_ *s, int v, spe_id *offset)
{
    cm_ctx *c = &s->x->cm;
    spe_module *m = c->m;
    const cm_layout *l = &s->offsets->l;
    spe_id inside, i64 = spe_int(m, 64), lane;
    *offset = spe_cast(m, i64, cm_component(c, s->offsets, v), xt_is_signed_(s->t->offsets.type));
    inside = spe_ult(m, *offset, s->count);
    if (l->I < l->S)
        inside = spe_land(m, inside, spe_ult(m, cm_col_index(c, l, v), spe_i32(m, l->cols))); /* else no element */
    if (!s->mask) return inside;
    lane = cm_component(c, s->mask, v);
    return spe_land(m, inside, spe_ine(m, lane, spe_null(m, spe_type_of(m, lane))));
}

/* What must not be read reads the base's first element and takes the padding; one branch is for an empty base. */
static cm_matrix xt_gather_block_(const xt_spread_ *s, const cm_layout *l, spe_id padding)
{
    spe_module *m = &s->x->m;
    spe_id *got = (spe_id *)xt_memory_(s->x, 2 * (size_t)l->V * sizeof *got), some;
    uint64_t known = 0;
    int v;
    cm_matrix none;
    memset(&none, 0, sizeof none);
    if (!got) return none;
    some = spe_sgt(m, s->count, spe_const_i(m, spe_int(m, 64), 0));
    if (spe_const_bits(m, some, &known) && known) some = 0;
    if (some) spe_if(m, some);
    for (v = 0; v < l->V; v++) {
        spe_id offset, inside = xt_spread_inside_(s, v, &offset);
        offset = spe_select(m, inside, offset, spe_null(m, spe_type_of(m, offset)));
        got[v] = spe_load(m, spe_index(m, s->t->base.id, offset), (uint32_t)cm_type_info(l->type)->bytes);
        got[v] = spe_select(m, inside, got[v], padding);
        got[l->V + v] = padding;
    }
    if (some) spe_endif_from(m, (uint32_t)l->V, got, got + l->V, got);
    return cm_from_components(&s->x->cm, l, got);
}

static void xt_scatter_block_(const xt_spread_ *s, const cm_matrix *a)
{
    spe_module *m = &s->x->m;
    int v;
    for (v = 0; v < a->l.V; v++) {
        spe_id offset, inside = xt_spread_inside_(s, v, &offset), value = cm_component(&s->x->cm, a, v);
        spe_if(m, inside);
        spe_store(m, spe_index(m, s->t->base.id, offset), value, (uint32_t)cm_type_info(a->l.type)->bytes);
        spe_endif(m, 0, NULL, NULL);
    }
}

/* Offsets and mask of the tile in one layout. */
static xt_spread_ xt_spread_init_(xt_where_ w, xt_tile *t, xt_vec *mask)
{
    xt_spread_ s;
    memset(&s, 0, sizeof s);
    s.x = w.x;
    s.t = t;
    s.count = xt_base_count_(w, t);
    t->offsets = xt_as_use_(w.x, &t->offsets, CM_ACC);
    if (mask->magic) *mask = xt_as_use_(w.x, mask, CM_ACC);
    return s;
}

static void xt_spread_block_(xt_spread_ *s, const xt_vec *mask, int i)
{
    s->offsets = &s->t->offsets.block[i];
    s->mask = mask->magic ? &mask->block[i] : NULL;
}

xt_vec xt_load_gather_(xt_where_ w, xt_gather_desc_ d)
{
    xt_ctx *x = w.x;
    xt_val padding;
    xt_vec v;
    cm_use use;
    cm_type held;
    xt_spread_ s;
    int i;
    if (!xt_enter_(w, XT_OP_LOAD_GATHER_) || !xt_check_scatter_tile_(w, &d.tile, "the tile of XT_LOAD_GATHER") ||
        !xt_check_mask_(w, &d.mask, &d.tile) || !xt_padding_(w, d.tile.type, d.padding, &padding))
        return xt_no_vec_();
    if (d.mask.magic) xt_need_layout_(x, &d.mask, CM_ACC, false);
    v = xt_new_vec_(w, d.tile.type, &d.tile.dist, &d.tile.map);
    if (x->planning || !v.blocks) return v;
    held = xt_held_(v.type);
    use = v.use;
    v.use = CM_ACC;
    s = xt_spread_init_(w, &d.tile, &d.mask);
    for (i = 0; i < v.blocks && i < d.tile.offsets.blocks; i++) {
        cm_layout l;
        xt_spread_block_(&s, &d.mask, i);
        l = cm_layout_for(&x->cm, s.offsets->l.rows, s.offsets->l.cols, held, CM_ACC);
        v.block[i] = xt_gather_block_(&s, &l, xt_constant_(x, held, &padding));
        if (held != v.type) v.block[i] = cm_map1(&x->cm, &v.block[i], xt_truth_, NULL);
    }
    return xt_as_use_(x, &v, use);
}

void xt_store_scatter_(xt_where_ w, xt_vec v, xt_gather_desc_ d)
{
    xt_ctx *x = w.x;
    xt_spread_ s;
    int i;
    if (!xt_enter_(w, XT_OP_STORE_SCATTER_) || !xt_check_vec_(w, &v, "the vector of XT_STORE_SCATTER") ||
        !xt_check_scatter_tile_(w, &d.tile, "the tile of XT_STORE_SCATTER") || !xt_check_store_(w, &v, &d.tile) ||
        !xt_check_mask_(w, &d.mask, &d.tile))
        return;
    xt_need_layout_(x, &v, CM_ACC, false);
    if (d.mask.magic) xt_need_layout_(x, &d.mask, CM_ACC, false);
    if (x->planning) return;
    v = xt_as_use_(x, &v, CM_ACC);
    s = xt_spread_init_(w, &d.tile, &d.mask);
    for (i = 0; i < v.blocks && i < d.tile.offsets.blocks; i++) {
        xt_spread_block_(&s, &d.mask, i);
        xt_scatter_block_(&s, &v.block[i]);
    }
}
