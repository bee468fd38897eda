/* lower/scattered.c - writes load_gather and store_scatter. */
#include "../internal.h"

/* The state of accessing a scatter tile block by block. */
typedef struct {
    xt_ctx *x;
    const xt_tile *t;
    xt_fragments_ all, allowed;             /* offsets and mask, in one layout; allowed.blocks 0: no mask */
    const cm_matrix *offsets, *mask; /* of the block; mask may be NULL */
    spe_id count;                    /* elements of the base, i64, not negative */
    int valid;                       /* columns of the block */
} xt_scattered_access_;

/* The offset of component v as i64, and whether that element may be accessed. */
static spe_id xt_scattered_inside_(const xt_scattered_access_ *s, int v, spe_id *offset)
{
    cm_ctx *c = &s->x->cm;
    spe_module *m = c->module;
    const cm_layout *l = &s->offsets->layout;
    spe_id inside, i64 = spe_int(m, 64), lane;
    *offset = spe_cast(m, i64, cm_component(c, s->offsets, v), xt_is_signed_(s->t->offsets.type));
    inside = spe_ult(m, *offset, s->count);
    if (l->size_i < l->lanes) { /* not padding */
        spe_id cols = spe_i32(m, l->cols);
        inside = spe_land(m, inside, spe_ult(m, cm_col_index(c, l, v), cols));
    }
    if (s->valid < l->rows) {
        spe_id rows = spe_i32(m, s->valid);
        inside = spe_land(m, inside, spe_ult(m, cm_row_index(c, l, v), rows));
    }
    if (!s->mask) return inside;
    lane = cm_component(c, s->mask, v);
    return spe_land(m, inside, spe_ine(m, lane, spe_null(m, spe_type_of(m, lane))));
}

/* Elements that must not be read are padding; a branch skips an empty base. */
static cm_matrix xt_gather_block_(const xt_scattered_access_ *s, const cm_layout *l, spe_id padding)
{
    spe_module *m = &s->x->m;
    spe_id *got = (spe_id *)xt_memory_(s->x, 2 * (size_t)l->size_v * sizeof *got), some;
    uint64_t known = 0;
    if (!got) return cm_poison();
    some = spe_sgt(m, s->count, spe_const_i(m, spe_int(m, 64), 0));
    if (spe_const_bits(m, some, &known) && known) some = 0;
    if (some) spe_if(m, some);
    for (int v = 0; v < l->size_v; v++) {
        spe_id offset, inside = xt_scattered_inside_(s, v, &offset);
        got[v] = spe_load_inside(m, s->t->base.id, offset, inside, padding, (uint32_t)cm_type_info(l->type)->bytes);
        got[l->size_v + v] = padding;
    }
    if (some) spe_endif_from(m, (uint32_t)l->size_v, got, got + l->size_v, got);
    return cm_from_components(&s->x->cm, l, got);
}

/* Calls fn for each element that may be accessed, with its address; its results form the block `got`, 0 elsewhere. got
 * NULL: no results. */
static void xt_visit_block_(const xt_scattered_access_ *s, const cm_matrix *a, cm_visit_fn fn, void *user,
                            cm_matrix *got)
{
    cm_ctx *c = &s->x->cm;
    spe_id *out = (spe_id *)xt_memory_(s->x, (size_t)(a->layout.size_v ? a->layout.size_v : 1) * sizeof *out);
    spe_diverged(c->module);
    for (int v = 0; out && v < a->layout.size_v; v++) {
        spe_id offset, inside = xt_scattered_inside_(s, v, &offset), value = cm_component(c, a, v), none;
        none = spe_null(c->module, spe_type_of(c->module, value));
        spe_if(c->module, inside);
        value = fn(c, a->layout.type, spe_index(c->module, s->t->base.id, offset), value, user);
        spe_endif_from(c->module, got ? 1 : 0, &value, &none, &out[v]);
    }
    if (got) *got = out ? cm_from_components(c, &a->layout, out) : cm_poison();
}

static spe_id xt_store_element_(cm_ctx *c, cm_type type, spe_id ptr, spe_id v, void *user)
{
    (void)user;
    spe_store(c->module, ptr, v, (uint32_t)cm_type_info(type)->bytes);
    return 0;
}

/* Sets up an access. A base of negative size is empty. t: the tile's current state. mask: a value, or 0. */
static xt_scattered_access_ xt_scattered_init_(xt_ctx *x, const xt_tile *t, uint32_t mask)
{
    spe_module *m = &x->m;
    spe_id n = xt_index_id_(x, &t->shape[1]), zero = spe_i32(m, 0);
    xt_scattered_access_ s = XT_ZERO_;
    s.x = x;
    s.t = t;
    n = spe_select(m, spe_sgt(m, n, zero), n, zero);
    s.count = spe_sconvert(m, spe_int(m, 64), n);
    s.all = xt_now_as_(x, t->offsets.id, CM_ACC);
    if (mask) s.allowed = xt_now_as_(x, mask, CM_ACC);
    return s;
}

static bool xt_scattered_next_(xt_scattered_access_ *s, xt_block_ *b)
{
    if (!s->all.blocks || !xt_next_block_(b)) return false;
    s->offsets = &s->all.block[b->i];
    s->mask = s->allowed.blocks ? &s->allowed.block[b->i] : NULL;
    s->valid = b->valid;
    return true;
}

XE_FN_ void xt_write_load_gather_(xt_ctx *x, const xt_node_ *n)
{
    xt_tile t = xt_now_tile_(x, xt_tile_(x, n->operand[XT_ACCESS_TILE_]));
    cm_type storage = xt_storage_type_(t.type);
    xt_fragments_ v = xt_make_vec_(x, n);
    xt_scattered_access_ s = xt_scattered_init_(x, &t, n->operand[XT_ACCESS_MASK_]);
    xt_val padding = xt_padding_(t.type, n->outside->padding);
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_scattered_next_(&s, &b);) {
        cm_layout l = cm_layout_for(&x->cm, s.offsets->layout.rows, s.offsets->layout.cols, storage, CM_ACC);
        v.block[b.i] = xt_gather_block_(&s, &l, xt_constant_(x, storage, &padding));
        if (storage != v.type) v.block[b.i] = cm_map1(&x->cm, &v.block[b.i], xt_truth_, NULL);
    }
    xt_define_vec_(x, n->result, xt_finish_vec_(x, v));
}

/* Accesses all blocks; r receives fn's results, unless NULL. */
XE_FN_ void xt_visit_scattered_(xt_ctx *x, const xt_node_ *n, cm_visit_fn fn, void *user, xt_fragments_ *r)
{
    xt_tile t = xt_now_tile_(x, xt_tile_(x, n->operand[XT_ACCESS_TILE_]));
    xt_fragments_ v = xt_now_as_(x, n->operand[XT_ACCESS_VEC_], CM_ACC);
    xt_scattered_access_ s = xt_scattered_init_(x, &t, n->operand[XT_ACCESS_MASK_]);
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_scattered_next_(&s, &b);)
        xt_visit_block_(&s, &v.block[b.i], fn, user, r ? &r->block[b.i] : NULL);
}

XE_FN_ void xt_write_store_scatter_(xt_ctx *x, const xt_node_ *n)
{
    xt_visit_scattered_(x, n, xt_store_element_, NULL, NULL);
}
