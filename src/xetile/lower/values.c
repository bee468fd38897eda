/* lower/values.c - what recorded values are in the version that is being written. */
#include "../internal.h"

/* A recorded number's value in this version. */
XE_FN_ xt_val xt_now_(xt_ctx *x, const xt_val *v)
{
    return v->kind == SPE_SCALAR || v->kind == SPE_POINTER ? xt_value_at_(x, v->id)->now.number : *v;
}

XE_FN_ xt_vec xt_now_vec_(xt_ctx *x, const xt_vec *v)
{
    xt_vec r = *v;
    const xt_vec *now = &xt_value_at_(x, v->id)->now.vec;
    if (xt_value_at_(x, v->id)->unmade) xt_make_strips_(x, v->id);
    r.use = now->use;
    r.blocks = now->blocks;
    r.block = now->block;
    return r;
}

XE_FN_ xt_tile xt_now_tile_(xt_ctx *x, const xt_tile *t)
{
    xt_tile r = *t;
    for (int i = 0; i < 2; i++) r.offset[i] = xt_now_(x, &t->offset[i]), r.shape[i] = xt_now_(x, &t->shape[i]);
    r.pitch = xt_now_(x, &t->pitch);
    r.base = xt_now_(x, &t->base);
    if (t->scatter) r.offsets = xt_now_vec_(x, &t->offsets);
    return r;
}

XE_FN_ void xt_define_(xt_ctx *x, uint32_t id, xt_val number)
{
    xt_value_ *v = xt_value_at_(x, id);
    v->now.number = number;
    v->start = v->advance = 0;
}

XE_FN_ void xt_write_nothing_(xt_ctx *x, const xt_node_ *n) { (void)x, (void)n; }

XE_FN_ void xt_write_same_(xt_ctx *x, const xt_node_ *n)
{
    xt_define_vec_(x, n->result, xt_now_vec_(x, xt_vector_(x, n->operand[XT_MOVE_PART_])));
}

/* Sets the text that xt_print adds to the current node. */
XE_FN_ void xt_remark_(xt_ctx *x, const char *text)
{
    xt_remark_of_ *r = (xt_remark_of_ *)spe_list_add(&x->m, &x->remarks, sizeof *r);
    if (!r) return;
    r->node = x->at;
    r->text = text;
}
