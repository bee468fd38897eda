/* lower/atomics.c - writes atomic_rmw. */
#include "../internal.h"

/* The new value from the old one and the operand. */
static spe_id xt_rmw_combine_(cm_ctx *c, xt_rmw_kind_ kind, cm_type type, spe_id old, spe_id v)
{
    const xt_rmw_row_ *row = xt_rmw_row_of_(kind);
    spe_id a = cm_to_arith(c, type, old), b = cm_to_arith(c, type, v);
    if (row->combine == XT_RED_minnumf_ || row->combine == XT_RED_maxnumf_)
        a = xt_extreme_(c->module, row->combine == XT_RED_maxnumf_, false, a, b);
    else
        a = xt_combine_(c->module, row->combine, type, a, b);
    return cm_from_arith(c, type, a);
}

/* The word to exchange for an element: its own bits, or the aligned 32 bits that contain it. */
typedef struct {
    spe_id ptr, type, shift; /* shift: 0 if the word is the element */
} xt_word_;

static xt_word_ xt_rmw_word_(spe_module *m, spe_id ptr, uint32_t bits)
{
    xt_word_ word = {ptr, spe_int(m, bits < 32 ? 32 : bits), 0};
    if (bits < 32) {
        spe_id address = spe_ptr_to_u(m, spe_int(m, 64), ptr);
        word.shift = spe_uconvert(m, word.type, spe_and(m, address, spe_u64(m, 3)));
        word.shift = spe_shl(m, word.shift, spe_u32(m, 3));
        address = spe_and(m, address, spe_u64(m, ~(uint64_t)3));
        word.ptr = spe_u_to_ptr(m, spe_ptr(m, spe_info(m, spe_type_of(m, ptr)).storage, word.type), address);
    } else
        word.ptr = spe_ptr_cast(m, ptr, word.type);
    return word;
}

/* The element's bits in a word, as its storage type. */
static spe_id xt_word_get_(spe_module *m, const xt_word_ *word, spe_id from, spe_id type)
{
    spe_id bits = spe_int(m, spe_width(m, type));
    if (word->shift) from = spe_uconvert(m, bits, spe_shr(m, from, word->shift));
    return bits == type ? from : spe_bitcast(m, type, from);
}

/* The word with other bits for the element. */
static spe_id xt_word_put_(spe_module *m, const xt_word_ *word, spe_id into, spe_id v)
{
    uint32_t bits = spe_width(m, spe_type_of(m, v));
    if (spe_type_of(m, v) != spe_int(m, bits)) v = spe_bitcast(m, spe_int(m, bits), v);
    if (!word->shift) return v;
    spe_id mask = spe_shl(m, spe_u32(m, bits == 8 ? 0xffu : 0xffffu), word->shift);
    v = spe_shl(m, spe_uconvert(m, word->type, v), word->shift);
    return spe_or(m, spe_and(m, into, spe_not(m, mask)), v);
}

/* A compare-exchange loop. */
static spe_id xt_rmw_loop_(cm_ctx *c, const xt_rmw_ *r, cm_type type, spe_id ptr, spe_id v)
{
    spe_module *m = c->module;
    spe_id storage = spe_type_of(m, v), carried[2];
    xt_word_ word = xt_rmw_word_(m, ptr, spe_width(m, storage));
    carried[0] = spe_atomic_load(m, word.ptr, r->scope, 0);
    carried[1] = spe_const_bool(m, true);
    spe_while(m, 2, carried);
    spe_id old = carried[0];
    spe_while_test(m, carried[1]);
    spe_id next = xt_word_get_(m, &word, old, storage);
    next = r->kind == XT_RMW_assign_ ? v : xt_rmw_combine_(c, r->kind, type, next, v);
    next = xt_word_put_(m, &word, old, next);
    spe_id got = spe_atomic_cas(m, word.ptr, old, next, r->scope, 0);
    carried[0] = got;
    carried[1] = spe_ine(m, got, old);
    spe_endwhile(m, 2, carried);
    return xt_word_get_(m, &word, carried[0], storage);
}

/* Callback of cm_visit: one element. */
static spe_id xt_rmw_element_(cm_ctx *c, cm_type type, spe_id ptr, spe_id v, void *user)
{
    const xt_rmw_ *r = (const xt_rmw_ *)user;
    int op = xt_rmw_row_of_(r->kind)->op;
    bool whole = spe_width(c->module, spe_type_of(c->module, v)) >= 32;
    if (op == XT_RMW_LOOP_ || !whole) return xt_rmw_loop_(c, r, type, ptr, v);
    return spe_atomic(c->module, (spe_atomic_op)op, ptr, v, r->scope, 0);
}

XE_FN_ void xt_write_atomic_rmw_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ r = xt_make_vec_(x, n), v = xt_now_as_(x, n->operand[XT_ACCESS_VEC_], CM_ACC);
    xt_tile t = xt_now_tile_(x, xt_tile_(x, n->operand[XT_ACCESS_TILE_]));
    xt_rmw_ rmw = {(xt_rmw_kind_)n->kind, (uint32_t)(t.base.local ? SPE_ScopeWorkgroup : SPE_ScopeDevice)};
    if (t.scatter) xt_visit_scattered_(x, n, xt_rmw_element_, &rmw, r.blocks ? &r : NULL);
    for (xt_block_ b = xt_blocks_(x, &t.dist); !t.scatter && v.blocks && r.blocks && xt_next_block_(&b);) {
        cm_mem mem = xt_mem_(x, &t, &b, XT_VISITED_);
        r.block[b.i] = cm_visit(&x->cm, &v.block[b.i], &mem, xt_rmw_element_, &rmw);
    }
    xt_define_vec_(x, n->result, xt_finish_vec_(x, r));
}
