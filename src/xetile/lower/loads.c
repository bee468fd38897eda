/* lower/loads.c - writes load_tile and store_tile. */
#include "../internal.h"

/* In memory an i1 is any byte; in vectors it is 0 or 1. */
XE_FN_ spe_id xt_truth_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    spe_id t = spe_type_of(c->module, a), one = spe_const_u(c->module, t, 1), zero = spe_const_u(c->module, t, 0);
    (void)type, (void)b, (void)user;
    return spe_select(c->module, spe_ine(c->module, a, zero), one, zero);
}

/* Is there room in registers for headers of messages, beside sums and operands? With 256, operands that are large are
 * loaded and multiplied one after the other. */
XE_ONCE_
static bool xt_has_room_(const xt_ctx *x)
{
    size_t room = (size_t)xt_register_bytes_(x);
    return x->accumulator_bytes <= room / 2 && (x->registers > 128 || x->product_bytes <= room * 5 / 8);
}

XE_FN_ void xt_write_load_tile_(xt_ctx *x, const xt_node_ *n)
{
    const xt_outside_ *d = n->outside;
    xt_value_ *value = xt_value_at_(x, n->result);
    if (value->deferred && x->at == value->node) { /* left for its only use, which may load it transposed instead */
        value->unmade = true;
        return;
    }
    if (x->vulkan && x->vulkan->write_load(x, n)) return;
    xt_tile t = xt_now_tile_(x, xt_accessed_(x, n));
    cm_type storage = xt_storage_type_(t.type);
    xt_fragments_ v = xt_make_vec_(x, n);
    xt_val padding = xt_padding_(t.type, d->padding);
    bool zero = xt_pads_with_zero_(t.type, d->padding);
    bool plain = zero && d->border == XT_BORDER_PADDING && storage == v.type;
    x->cm.separate_headers = x->block2d && x->loops_around && xt_has_room_(x);
    if (x->unrolled && plain && xt_load_unrolled_(x, n, &t, &v)) {
        xt_define_vec_(x, n->result, v);
        return;
    }
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_next_block_(&b);) {
        cm_mem mem = xt_mem_(x, &t, &b, (int)v.use);
        if (!zero) mem.padding = xt_constant_(x, storage, &padding);
        if (d->border != XT_BORDER_PADDING)
            v.block[b.i] = xt_load_bordered_(x, &t, &b, d->border, v.use);
        else
            v.block[b.i] = cm_load(&x->cm, b.cols, b.rows, storage, v.use, &mem);
        if (storage != v.type) v.block[b.i] = cm_map1(&x->cm, &v.block[b.i], xt_truth_, NULL);
    }
    x->cm.separate_headers = 0;
    xt_define_vec_(x, n->result, v);
}

/* May a node load from what this points to? 0: from anywhere. */
static bool xt_reads_from_(xt_ctx *x, const xt_node_ *n, uint32_t origin)
{
    bool tile = n->op == XT_OP_LOAD_TILE_ || n->op == XT_OP_LOAD_GATHER_;
    bool numbers = n->op == XT_OP_LOAD_ || n->op == XT_OP_EMIT_, reads = false;
    for (int i = 0; i < n->operands && (tile || numbers) && !reads; i++) {
        const xt_val *base = xt_base_in_(xt_object_of_(x, n->operand[i]));
        if (!base || base->kind != SPE_POINTER) continue;
        uint32_t from = xt_origin_(x, base->id);
        reads = !from || !origin || from == origin;
    }
    return reads;
}

/* May a subgroup load what it stores at the node before a barrier? In straight-line code, what precedes the barrier
 * tells; else, in a loop for example, whether the kernel loads from there at all. */
static bool xt_reads_its_store_(xt_ctx *x, int store)
{
    const uint32_t origin = xt_origin_(x, xt_accessed_(x, xt_node_at_(x, store))->base.id);
    for (int i = store + 1; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (n->op == XT_OP_BARRIER_) return false;
        if (xt_reads_from_(x, n, origin)) return true;
        if (xt_does_(n->op, XT_BOUNDS_)) break;
    }
    for (int i = 0; i < x->nodes.count; i++)
        if (xt_reads_from_(x, xt_node_at_(x, i), origin)) return true;
    return false;
}

/* Who stores the pieces of the store that is written: the first of the subgroups that share them, if this is not 0. A
 * subgroup that may load what it stored must store it itself. */
static spe_id xt_only_first_(xt_ctx *x, const xt_tile *t)
{
    spe_id first = xt_is_first_(x, &t->dist);
    return first && !xt_reads_its_store_(x, x->at) ? first : 0;
}

/* Stores a block. Only the store is in the branch: values that are computed for it may be used again. */
static void xt_store_block_(xt_ctx *x, const xt_tile *t, const xt_block_ *at, const cm_matrix *block, spe_id first)
{
    uint32_t side = x->side;
    if (first) x->side = x->m.block;
    cm_mem mem = xt_mem_(x, t, at, XT_STORED_);
    x->side = side;
    if (first) spe_if(&x->m, first);
    cm_store(&x->cm, block, &mem);
    if (first) spe_endif(&x->m, 0, NULL, NULL);
}

/* Stores each strip as soon as it is computed. */
static void xt_store_strips_(xt_ctx *x, const xt_node_ *n)
{
    xt_value_ *value = xt_value_at_(x, n->operand[XT_ACCESS_VEC_]);
    xt_tile t = xt_now_tile_(x, xt_accessed_(x, n));
    const spe_id first = xt_only_first_(x, &t);
    for (xt_block_ b = xt_blocks_(x, &t.dist); spe_ok(&x->m) && xt_next_block_(&b);) {
        xt_block_ at = b;
        int i, strips = xt_strips_(&value->now.vec.block[b.i]);
        for (i = 0; i < strips; i++, at.row += at.rows) {
            cm_matrix strip = xt_strip_(x, n->operand[XT_ACCESS_VEC_], b.i, i);
            if (at.row == b.row + b.rows) at.row = b.row, at.col += at.cols;
            at.rows = strip.layout.cols;
            at.cols = strip.layout.rows;
            at.valid = xt_least_(at.cols, b.col + b.valid - at.col);
            spe_at(&x->m, n->file, n->line);
            xt_store_block_(x, &t, &at, &strip, first);
        }
    }
    value->unmade = false;
}

XE_FN_ void xt_write_store_tile_(xt_ctx *x, const xt_node_ *n)
{
    xt_tile t = xt_now_tile_(x, xt_accessed_(x, n));
    if (xt_value_at_(x, n->operand[XT_ACCESS_VEC_])->unmade) {
        xt_store_strips_(x, n);
        return;
    }
    xt_fragments_ v = xt_now_vec_(x, n->operand[XT_ACCESS_VEC_]);
    if (v.blocks && xt_is_opaque_(v.use) && x->vulkan->store(x, &t, &v)) return;
    v = xt_as_use_(x, &v, CM_ACC);
    const spe_id first = xt_only_first_(x, &t);
    for (xt_block_ b = xt_blocks_(x, &t.dist); v.blocks && xt_next_block_(&b);)
        xt_store_block_(x, &t, &b, &v.block[b.i], first);
}
