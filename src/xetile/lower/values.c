/* lower/values.c - what recorded values are in the version that is being written. */
#include "../internal.h"

/* A recorded number's value in this version. */
XE_FN_ xt_val xt_now_(xt_ctx *x, const xt_val *v)
{
    return v->kind == SPE_SCALAR || v->kind == SPE_POINTER ? xt_value_at_(x, v->id)->now.number : *v;
}

/* The same for a vector. */
XE_FN_ xt_fragments_ xt_now_vec_(xt_ctx *x, uint32_t id)
{
    if (xt_value_at_(x, id)->unmade) xt_make_strips_(x, id);
    return xt_value_at_(x, id)->now.vec;
}

XE_FN_ xt_tile xt_now_tile_(xt_ctx *x, const xt_tile *t)
{
    xt_tile r = *t;
    for (int i = 0; i < 2; i++) r.offset[i] = xt_now_(x, &t->offset[i]), r.shape[i] = xt_now_(x, &t->shape[i]);
    r.pitch = xt_now_(x, &t->pitch);
    r.base = xt_now_(x, &t->base);
    return r;
}

XE_FN_ void xt_define_(xt_ctx *x, uint32_t id, xt_val number)
{
    xt_value_ *v = xt_value_at_(x, id);
    v->now.number = number;
    v->start = v->advance = 0;
}

/* A vector without blocks yet. */
XE_FN_ xt_fragments_ xt_form_of_(xt_ctx *x, uint32_t id)
{
    const xt_vec *v = xt_vector_(x, id);
    xt_fragments_ f = {id, v->type, v->dist, CM_ACC, 0, NULL};
    return f;
}

XE_FN_ void xt_define_vec_(xt_ctx *x, uint32_t id, xt_fragments_ f)
{
    xt_value_ *v = xt_value_at_(x, id);
    v->now.vec = f;
    v->now.vec.id = id;
    v->unmade = false;
}

XE_FN_ void xt_write_nothing_(xt_ctx *x, const xt_node_ *n) { (void)x, (void)n; }

XE_FN_ void xt_write_same_(xt_ctx *x, const xt_node_ *n)
{
    xt_define_vec_(x, n->result, xt_now_vec_(x, n->operand[XT_MOVE_PART_]));
}

/* Sets the text that xt_print adds to the current node. */
XE_FN_ void xt_remark_(xt_ctx *x, const char *text)
{
    xt_remark_of_ *r = (xt_remark_of_ *)spe_list_add(&x->m, &x->remarks, sizeof *r);
    if (!r) return;
    r->node = x->at;
    r->text = text;
}
