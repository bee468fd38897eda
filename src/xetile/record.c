/* record.c - the record of a body: nodes and values; and how it is written, node by node. */
#include "internal.h"

XE_FN_ xt_node_ *xt_node_at_(xt_ctx *x, int i) { return (xt_node_ *)x->nodes.items + i; }
XE_FN_ xt_value_ *xt_value_at_(xt_ctx *x, uint32_t id) { return (xt_value_ *)x->values.items + id; }

/* Number 0 is none, and what is named after memory has run out. */
XE_FN_ uint32_t xt_new_value_(xt_ctx *x)
{
    xt_value_ *v;
    if (x->values.count == 0 && !xt_push_(x, &x->values, sizeof *v)) return 0;
    v = (xt_value_ *)xt_push_(x, &x->values, sizeof *v);
    if (!v) return 0;
    v->parent = (uint32_t)x->values.count - 1;
    return v->parent;
}

/* Appends a node with a copy of its operands and attributes; size 0: desc is kept as it is. */
XE_FN_ void xt_record_(xt_where_ w, xt_op_ op, int kind, uint32_t result, const void *desc, size_t size)
{
    xt_ctx *x = w.x;
    void *copy = size ? xt_memory_(x, size) : NULL;
    xt_node_ *n = spe_ok(&x->m) ? (xt_node_ *)xt_push_(x, &x->nodes, sizeof *n) : NULL;
    if (!n) return;
    if (copy) memcpy(copy, desc, size);
    n->op = op;
    n->kind = kind;
    n->part = x->part > 0;
    n->result = result;
    n->file = w.file;
    n->line = w.line;
    n->desc = copy ? copy : desc;
    xt_value_at_(x, result)->node = x->nodes.count - 1;
}

/* Where the user wrote it. */
XE_FN_ xt_where_ xt_here_(xt_ctx *x, const xt_node_ *n)
{
    xt_where_ w = {x, n->file, n->line};
    return w;
}

/* A node that makes a number. */
XE_FN_ xt_val xt_record_number_(xt_where_ w, xt_op_ op, int kind, int type, int align, const xt_numbers_ *operands)
{
    xt_val v = spe_val_of(SPE_SCALAR, type, xt_new_value_(w.x));
    v.align = align;
    xt_record_(w, op, kind, v.id, operands, sizeof *operands);
    return v;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* What a number of the record is in this version. */
XE_FN_ xt_val xt_now_(xt_ctx *x, const xt_val *v)
{
    return v->kind == SPE_SCALAR || v->kind == SPE_POINTER ? xt_value_at_(x, v->id)->now.number : *v;
}

XE_FN_ xt_vec xt_now_vec_(xt_ctx *x, const xt_vec *v)
{
    xt_vec r = *v;
    const xt_vec *now = &xt_value_at_(x, v->id)->now.vec;
    r.use = now->use;
    r.blocks = now->blocks;
    r.block = now->block;
    return r;
}

XE_FN_ xt_tile xt_now_tile_(xt_ctx *x, const xt_tile *t)
{
    xt_tile r = *t;
    int i;
    for (i = 0; i < 2; i++) {
        r.offset[i] = xt_now_(x, &t->offset[i]);
        r.shape[i] = xt_now_(x, &t->shape[i]);
    }
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

XE_FN_ void xt_define_vec_(xt_ctx *x, uint32_t id, xt_vec vec) { xt_value_at_(x, id)->now.vec = vec; }

XE_FN_ void xt_write_nothing_(xt_ctx *x, const xt_node_ *n) { (void)x, (void)n; }

/* Writes the body, in one version. */
XE_FN_ void xt_write_nodes_(xt_ctx *x)
{
    static void (*const write[])(xt_ctx * x, const xt_node_ *n) = {
#define XT_ROW_(name, function) xt_write_##function##_,
        XT_OPERATIONS_(XT_ROW_)
#undef XT_ROW_
    };
    for (x->at = 0; x->at < x->nodes.count && spe_ok(&x->m); x->at++) {
        const xt_node_ *n = xt_node_at_(x, x->at);
        spe_at(&x->m, n->file, n->line);
        write[n->op](x, n);
    }
}
