/* lower/condition.c - the condition for 2D block messages, computed before the body. */
#include "../internal.h"

/* An address as a pointer to elements of a type. */
XE_FN_ spe_id xt_emit_pointer_(xt_ctx *x, int type, spe_id address)
{
    return spe_u_to_ptr(&x->m, spe_ptr(&x->m, SPE_StorageClassCrossWorkgroup, xt_spe_type_(x, type)), address);
}

/* The base of a tile's matrix as a pointer, in the prologue. */
XE_FN_ spe_id xt_emit_base_(xt_ctx *x, const xt_plan_tile_ *p)
{
    const xt_val *base = xt_number_(x, p->of->operand[XT_INIT_BASE_]);
    spe_id id = xt_emit_hoisted_(x, base, base->type);
    return base->kind == SPE_POINTER ? id : xt_emit_pointer_(x, (int)xt_tile_(x, p->of->result)->type, id);
}

/* Can 2D block messages access this tile's matrix? */
static spe_id xt_emit_tile_test_(xt_ctx *x, const xt_plan_tile_ *p)
{
    const xt_tile *t = xt_tile_(x, p->of->operand[XT_INIT_MATRIX_]);
    cm_mem mem = XT_ZERO_;
    mem.ptr = xt_emit_base_(x, p);
    mem.rows = p->extent_id[1];
    mem.cols = p->extent_id[0];
    mem.stride_row = t->column_major ? xt_emit_hoisted_(x, &t->pitch, CM_I32) : spe_i32(&x->m, 1);
    mem.stride_col = t->column_major ? spe_i32(&x->m, 1) : xt_emit_hoisted_(x, &t->pitch, CM_I32);
    return cm_block2d_test(&x->cm, t->type, &mem);
}

XE_ONCE_
static bool xt_same_matrix_(xt_ctx *x, const xt_plan_tile_ *p, const xt_plan_tile_ *q)
{
    const xt_tile *t = xt_tile_(x, p->of->result), *u = xt_tile_(x, q->of->result);
    return p->of->operand[XT_INIT_BASE_] == q->of->operand[XT_INIT_BASE_] && p->extent_id[0] == q->extent_id[0] &&
           p->extent_id[1] == q->extent_id[1] && p->pitch_id == q->pitch_id && t->type == u->type &&
           t->column_major == u->column_major;
}

XE_FN_ spe_id xt_both_(xt_ctx *x, spe_id a, spe_id b) { return a ? spe_land(&x->m, a, b) : b; }

static spe_id xt_emit_need_(xt_ctx *x, const xt_plan_offset_ *o)
{
    spe_id v = xt_emit_hoisted_(x, xt_number_(x, o->value), CM_I32);
    if (o->narrow) v = spe_cast(&x->m, spe_int(&x->m, 32), v, true);
    if (o->below) {
        spe_id below = xt_emit_hoisted_(x, xt_number_(x, o->below), CM_I32);
        return o->bound ? spe_ule(&x->m, v, below) : spe_ult(&x->m, v, below);
    }
    spe_id zero = spe_i32(&x->m, 0);
    return spe_ieq(&x->m, spe_and(&x->m, v, spe_i32(&x->m, o->mask)), zero);
}

XE_FN_ bool xt_is_false_(xt_ctx *x, spe_id condition)
{
    uint64_t bits;
    return spe_const_bits(&x->m, condition, &bits) && bits == 0;
}

/* The condition for the version with 2D block messages, in the prologue; 0 if no tile can use them. */
XE_FN_ spe_id xt_emit_condition_(xt_ctx *x)
{
    spe_id all = 0;
    spe_prologue_begin(&x->m);
    for (int i = 0; i < x->tiles.count; i++) {
        xt_plan_tile_ *p = xt_plan_tile_at_(x, i), *root = xt_plan_tile_at_(x, xt_tile_root_(x, i));
        const xt_tile *matrix = xt_tile_(x, p->of->operand[XT_INIT_MATRIX_]);
        if (!root->used || root->why_not) continue;
        for (int j = 0; j < 2; j++) { /* any number of lines is legal if the body computes it: xt_make_lines_legal_ */
            const xt_val *extent = &matrix->shape[j];
            p->extent_id[j] = xt_is_hoistable_(x, extent) ? xt_emit_hoisted_(x, extent, CM_I32) : spe_i32(&x->m, 1);
        }
        p->pitch_id = xt_emit_hoisted_(x, &matrix->pitch, CM_I32);
        for (int j = 0; j < i && !p->test; j++)
            if (xt_plan_tile_at_(x, j)->test && xt_same_matrix_(x, xt_plan_tile_at_(x, j), p))
                p->test = xt_plan_tile_at_(x, j)->test;
        if (!p->test) p->test = xt_emit_tile_test_(x, p);
        if (xt_is_false_(x, p->test)) root->why_not = "a matrix that is known not to qualify";
    }
    for (int i = 0; i < x->tiles.count; i++) {
        xt_plan_tile_ *p = xt_plan_tile_at_(x, i);
        bool seen = false;
        if (xt_plan_tile_at_(x, xt_tile_root_(x, i))->why_not) p->test = 0;
        if (!p->test) continue;
        for (int j = 0; j < i; j++) seen = seen || xt_plan_tile_at_(x, j)->test == p->test;
        if (!seen) all = xt_both_(x, all, p->test);
    }
    for (int i = 0; i < x->offsets.count && all; i++) {
        const xt_plan_offset_ *o = (const xt_plan_offset_ *)x->offsets.items + i;
        const xt_plan_tile_ *root = xt_plan_tile_at_(x, xt_tile_root_(x, o->tile));
        if (!root->used || root->why_not) continue;
        all = xt_both_(x, all, xt_emit_need_(x, o));
    }
    spe_prologue_end(&x->m);
    return all;
}
