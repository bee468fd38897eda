/* passes/block2d.c - a pass that finds the tiles that 2D block messages can access, and under which condition. */
#include "../internal.h"

/* Why they are ruled out at build time: pieces narrower than a subgroup, unsuitable constants. */
static const char *xt_never_block2d_(xt_ctx *x, const xt_tile *t)
{
    const cm_block2d_rules *rules = &x->target.block2d;
    const xt_val *row = &t->shape[xt_inner_(t)];
    int bytes = xt_bytes_(t->type);
    if (t->base.local) return "local memory";
    if (t->step != 1) return "columns that are not contiguous";
    if (t->type == (cm_type)XT_BOOL_ || bytes > 4) return "elements of i1 or 64 bits";
    if (t->dist.data[1] <= x->S / 2) return "pieces narrower than a subgroup";
    if (t->pitch.kind == SPE_INT && t->pitch.integer * bytes % rules->pitch != 0)
        return "a pitch not a multiple of 16 bytes";
    if (row->kind == SPE_INT && (row->integer * bytes < rules->row_least || row->integer * bytes % rules->row != 0))
        return "rows shorter than 64 bytes or not a multiple of 4";
    return NULL;
}

/* Requires a value to be a multiple (mask) or below another. A value that is not hoistable rules messages out, unless
 * the caller promises that they are legal. */
static xt_plan_offset_ *xt_need_(xt_ctx *x, const xt_tile *t, const xt_val *value, int mask)
{
    xt_plan_tile_ *p = xt_plan_tile_at_(x, t->number);
    xt_plan_offset_ *o;
    if (!xt_is_hoistable_(x, value)) {
        if (!p->why_not && x->desc->pitch != XT_PITCH_ALIGNED) p->why_not = "a position computed in the body";
        return NULL;
    }
    o = (xt_plan_offset_ *)spe_list_add(&x->m, &x->offsets, sizeof *o);
    if (!o) return NULL;
    o->tile = t->number;
    o->value = xt_value_of_(x, value);
    o->mask = mask;
    return o;
}

/* A tile starts at, or moves by, this much along its contiguous dimension, which must be a multiple of 4 bytes. 8-bit
 * elements stored by columns are read two rows of memory at a time, so no tile may start before its matrix: start and
 * moves must not be negative (forward: known to hold). */
static void xt_need_step_(xt_ctx *x, const xt_tile *t, const xt_val *step, bool forward)
{
    int bytes = xt_bytes_(t->type), per = bytes < 4 ? 4 / bytes : 1;
    xt_val value = step->kind == SPE_INT ? xt_nothing_() : *step; /* an unsuitable constant rules them out */
    if (xt_val_align_(step) < per) xt_need_(x, t, &value, per - 1);
    if (t->column_major && bytes == 1 && !forward && !(step->kind == SPE_INT && step->integer >= 0))
        xt_need_(x, t, &value, INT32_MIN);
}

/* Requires a distance to be a multiple. If only part of it is hoistable: each term, and one factor of a product. */
static void xt_need_multiple_(xt_ctx *x, const xt_tile *t, const xt_val *v, int of)
{
    const xt_node_ *n = v->kind == SPE_SCALAR ? xt_node_at_(x, xt_value_at_(x, v->id)->node) : NULL;
    bool sum = n && n->op == XT_OP_BINARY_NUMBER_ && !xt_is_hoistable_(x, v);
    const xt_val *a = sum ? xt_number_(x, n->operand[0]) : NULL, *b = sum ? xt_number_(x, n->operand[1]) : NULL;
    xt_val known = n ? *v : xt_nothing_(); /* an unsuitable constant rules them out */
    if (xt_val_align_(v) >= of) return;
    if (sum && n->kind == SPE_ARITH_ADD) {
        xt_need_multiple_(x, t, a, of);
        xt_need_multiple_(x, t, b, of);
    } else if (sum && n->kind == SPE_ARITH_MUL) {
        xt_need_multiple_(x, t, xt_is_hoistable_(x, a) ? a : b, of);
    } else {
        xt_plan_offset_ *o = xt_need_(x, t, &known, of - 1);
        if (o) o->narrow = true;
    }
}

/* Requires an offset to be inside its extent; for a loop index, its bounds. False if that is not hoistable. */
static bool xt_need_inside_(xt_ctx *x, const xt_tile *t, const xt_val *at, const xt_val *extent)
{
    const xt_node_ *n = at->kind == SPE_SCALAR ? xt_node_at_(x, xt_value_at_(x, at->id)->node) : NULL;
    const xt_frame_ *f = n && n->op == XT_OP_FOR_ ? n->frame : NULL;
    if (at->kind == SPE_INT && extent->kind == SPE_INT && at->integer >= 0 && at->integer < extent->integer)
        return true;
    if (f && f->index == at->id && xt_number_(x, f->step)->kind == SPE_INT) {
        const xt_val *lo = xt_number_(x, f->lo);
        at = xt_number_(x, f->hi);
        if (!xt_is_hoistable_(x, lo)) return false;
        if (lo->kind != SPE_INT || lo->integer < 0) xt_need_(x, t, lo, INT32_MIN);
    } else {
        f = NULL;
    }
    if (!xt_is_hoistable_(x, extent) || !xt_is_hoistable_(x, at)) return false;
    xt_plan_offset_ *o = xt_need_(x, t, at, 0);
    if (!o) return true;
    o->below = xt_value_of_(x, extent);
    o->bound = f != NULL;
    return true;
}

/* Leading dimensions must select a matrix of the base that is aligned like the base. If they might not select any, the
 * body finds out: the matrix then has no lines. */
static void xt_need_leading_(xt_ctx *x, const xt_node_ *init)
{
    const xt_tile *t = xt_tile_(x, init->operand[XT_INIT_MATRIX_]);
    bool known = x->desc->pitch == XT_PITCH_ALIGNED;
    for (int i = 0; i < init->type - 2 && !known; i++) {
        const xt_val *at = xt_given_(x, init, XT_GIVEN_OFFSET_, i);
        if (!xt_need_inside_(x, t, at, xt_given_(x, init, XT_GIVEN_SHAPE_, i)))
            xt_plan_tile_at_(x, t->number)->lines_in_body = true;
    }
    int elements = x->target.block2d.base / xt_bytes_(t->type);
    if (init->type > 2 && elements > 1)
        xt_need_multiple_(x, t, xt_number_(x, init->operand[XT_INIT_DISTANCE_]), elements);
}

static void xt_find_tile_(xt_ctx *x, const xt_node_ *init)
{
    const xt_tile *t = xt_tile_(x, init->operand[XT_INIT_MATRIX_]);
    const xt_val *base = xt_number_(x, init->operand[XT_INIT_BASE_]);
    xt_plan_tile_ *p = (xt_plan_tile_ *)spe_list_add(&x->m, &x->tiles, sizeof *p);
    int inner = xt_inner_(t), first = init->type - 2, i;
    if (!p) return;
    p->parent = t->number;
    p->of = init;
    p->differs_by_subgroup = xt_divergence_of_(x, base) > 0;
    for (i = 0; i < 2; i++) p->align[i] = xt_val_align_(xt_given_(x, init, XT_GIVEN_OFFSET_, first + i));
    for (i = 0; i < init->type; i++)
        p->differs_by_subgroup =
            p->differs_by_subgroup || xt_divergence_of_(x, xt_given_(x, init, XT_GIVEN_OFFSET_, i)) > 0;
    p->why_not = xt_never_block2d_(x, t);
    if (!p->why_not && x->desc->pitch != XT_PITCH_ALIGNED &&
        (!xt_is_hoistable_(x, base) || !xt_is_hoistable_(x, &t->shape[inner]) || !xt_is_hoistable_(x, &t->pitch)))
        p->why_not = "a base, pitch or length of lines computed in the body";
    p->lines_in_body = !xt_is_hoistable_(x, &t->shape[1 - inner]);
    xt_need_leading_(x, init);
    xt_need_step_(x, t, xt_given_(x, init, XT_GIVEN_OFFSET_, first + inner), false);
    xt_need_step_(x, t, xt_number_(x, init->operand[XT_INIT_PIECE_ + inner]), true);
}

/* Tiles that may replace each other in a region are treated alike. */
static void xt_join_tiles_(xt_ctx *x, uint32_t first, uint32_t second)
{
    const xt_object_ *a = xt_object_of_(x, first), *b = xt_object_of_(x, second);
    if (a->magic == XT_TILE_MAGIC_ && !a->tile.scatter && a->tile.number != b->tile.number) {
        int root = xt_tile_root_(x, a->tile.number);
        xt_plan_tile_at_(x, xt_tile_root_(x, b->tile.number))->parent = root;
    }
}

static void xt_find_region_tiles_(xt_ctx *x, const xt_node_ *n)
{
    const xt_frame_ *f = n->frame;
    for (int i = 0; i < f->slots; i++) {
        const xt_object_ *t = xt_object_of_(x, f->slot[i].start);
        bool tile = t->magic == XT_TILE_MAGIC_ && !t->tile.scatter;
        if (n->divergence && tile) xt_plan_tile_at_(x, t->tile.number)->differs_by_subgroup = true;
        if (f->op == XT_OP_IF_) xt_join_tiles_(x, f->slot[i].start, f->slot[i].body);
        xt_join_tiles_(x, f->slot[i].start, f->slot[i].now);
    }
}

/* A class of tiles is used if one member is, and possible if all are. */
static void xt_decide_tiles_(xt_ctx *x)
{
    for (int i = 0; i < x->tiles.count; i++) {
        xt_plan_tile_ *p = xt_plan_tile_at_(x, i), *root = xt_plan_tile_at_(x, xt_tile_root_(x, i));
        root->used = root->used || p->used;
        if (p != root) p->shared_addresses = root->shared_addresses = true;
        root->differs_by_subgroup = root->differs_by_subgroup || p->differs_by_subgroup;
        root->lines_in_body = root->lines_in_body || p->lines_in_body;
        for (int j = 0; j < 2; j++) root->align[j] = xt_least_(root->align[j], p->align[j]);
        if (!root->why_not) root->why_not = p->why_not;
    }
}

/* A tile of a matrix moves. */
XE_ONCE_
static void xt_find_update_(xt_ctx *x, const xt_node_ *n)
{
    const xt_tile *t = xt_tile_(x, n->operand[0]);
    if (t->scatter) return;
    xt_need_step_(x, t, xt_number_(x, n->operand[1 + xt_inner_(t)]), false);
    xt_plan_tile_ *p = xt_plan_tile_at_(x, t->number);
    for (int i = 0; i < 2; i++) {
        const xt_val *by = xt_number_(x, n->operand[1 + i]);
        p->differs_by_subgroup = p->differs_by_subgroup || n->divergence || xt_divergence_of_(x, by);
        p->align[i] = xt_least_(p->align[i], xt_val_align_(by));
    }
}

XE_FN_ void xt_find_block2d_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count && spe_ok(&x->m); i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        const xt_tile *t = xt_accessed_(x, n);
        if (xt_made_by_(x, n)) xt_find_tile_(x, n);
        if (n->op == XT_OP_UPDATE_TILE_OFFSET_) xt_find_update_(x, n);
        if (n->op == XT_OP_END_) xt_find_region_tiles_(x, n);
        if (t) xt_plan_tile_at_(x, t->number)->used = true;
    }
    if (!spe_ok(&x->m)) return;
    xt_decide_tiles_(x);
    for (int i = 0; i < x->nodes.count && !x->loads; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        x->loads = xt_is_mma_(n->op) || (n->op == XT_OP_LOAD_TILE_ && xt_access_by_(x, n).by_messages);
    }
}
