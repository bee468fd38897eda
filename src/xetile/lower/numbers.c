/* lower/numbers.c - writes operations on numbers. */
#include "../internal.h"

/* The id of a scalar constant of a type, in coopmatrix.h's storage type (bf16 and 8-bit floats as bits). */
XE_FN_ spe_id xt_constant_(xt_ctx *x, int type, const xt_val *v)
{
    spe_id t = xt_spe_type_(x, type);
    double real = v->real;
    if (type == XT_BOOL_) return spe_const_bool(&x->m, v->integer != 0);
    if (type == CM_BF16 || xt_is_small_(type))
        return spe_const_u(&x->m, t,
                           spe_real_bits(xt_encoding_(type), xt_float_width_(type), real, xt_is_small_(type)));
    if (type == CM_TF32) real = spe_real_of_bits(SPE_IEEE, 19, spe_real_bits(SPE_IEEE, 19, real, false));
    if (xt_is_float_(type)) return spe_const_f(&x->m, t, real);
    return xt_is_signed_(type) ? spe_const_i(&x->m, t, v->integer) : spe_const_u(&x->m, t, (uint64_t)v->integer);
}

/* The id of a number already written, or of a constant of `type`. */
XE_FN_ spe_id xt_id_(xt_ctx *x, const xt_val *v, int type)
{
    return xt_is_constant_(v) ? xt_constant_(x, type, v) : v->id;
}

/* The id of a recorded number in this version; of a constant as `type`. */
XE_FN_ spe_id xt_now_id_(xt_ctx *x, const xt_val *v, int type)
{
    xt_val now = xt_now_(x, v);
    return xt_id_(x, &now, type);
}

XE_FN_ spe_id xt_index_id_(xt_ctx *x, const xt_val *v) { return xt_id_(x, v, CM_I32); }

/* The number of a matrix's lines. Pitches are read as i32: with one of 2^31 or more, whose lines would lie before the
 * matrix, it has none. A pitch that is the extent along a line needs no test, since that is as negative. */
XE_FN_ spe_id xt_lines_id_(xt_ctx *x, const xt_tile *t)
{
    spe_module *m = &x->m;
    int along = xt_inner_(t);
    spe_id lines = xt_index_id_(x, &t->shape[!along]);
    if (t->pitch.kind == SPE_INT || t->pitch.id == t->shape[along].id || t->base.local) return lines;
    spe_id zero = spe_i32(m, 0);
    return spe_select(m, spe_slt(m, xt_index_id_(x, &t->pitch), zero), zero, lines);
}

/* A constant as an integer of the type: its low bits, as of other numbers; a floating one is truncated first. */
XE_ONCE_
static xt_val xt_integer_constant_(int type, const xt_val *v)
{
    int unused = 64 - xt_bits_(type);
    uint64_t bits = (uint64_t)v->integer;
    int64_t integer;
    if (v->kind == SPE_REAL) {
        spe_real_to_int(v->real, &integer);
        bits = (uint64_t)integer;
    }
    bits <<= unused;
    return spe_val_int(xt_is_signed_(type) ? (int64_t)bits >> unused : (int64_t)(bits >> unused));
}

static spe_id xt_emit_cast_(xt_ctx *x, int type, const xt_val *v)
{
    spe_id t = xt_spe_type_(x, type);
    xt_val c = *v, one = spe_val_int(1), zero = spe_val_int(0);
    if (xt_is_constant_(v) && !xt_is_float_(type)) c = xt_integer_constant_(type, v);
    if (xt_is_constant_(v)) return xt_constant_(x, type, &c);
    if (v->type == XT_BOOL_) {
        spe_id otherwise = xt_constant_(x, type, &zero);
        return spe_select(&x->m, v->id, xt_constant_(x, type, &one), otherwise);
    }
    spe_id id = v->type == CM_BF16 ? cm_to_arith(&x->cm, CM_BF16, v->id) : v->id;
    return spe_cast(&x->m, t, id, xt_is_signed_(xt_is_float_(v->type) ? type : v->type));
}

/* Writes a number in the prologue. Constants take the other operand's type. */
XE_FN_ spe_id xt_emit_hoisted_(xt_ctx *x, const xt_val *v, int type)
{
    if (v->kind == SPE_INT) return xt_constant_(x, type, v);
    xt_value_ *value = xt_value_at_(x, v->id);
    if (value->hoisted_id) return value->hoisted_id;
    const xt_node_ *n = xt_node_at_(x, value->node);
    const xt_val *a = xt_number_(x, n->operands > 0 ? n->operand[0] : 0);
    if (n->op == XT_OP_ARGUMENT_)
        value->hoisted_id = spe_param_id(&x->m, (uint32_t)n->kind);
    else if (n->op == XT_OP_BUILTIN_)
        value->hoisted_id = spe_builtin(&x->m, (spe_builtin_name)n->kind, (uint32_t)n->type);
    else if (n->op == XT_OP_CAST_NUMBER_) {
        spe_id id = xt_emit_hoisted_(x, a, n->type);
        value->hoisted_id = spe_cast(&x->m, xt_spe_type_(x, n->type), id, xt_is_signed_(xt_carried_type_(a)));
    } else {
        spe_id p = xt_emit_hoisted_(x, a, n->type), q = xt_emit_hoisted_(x, xt_number_(x, n->operand[1]), n->type);
        value->hoisted_id = xt_emit_arith_(&x->m, n->kind, n->type, p, q);
    }
    return value->hoisted_id;
}

/* Of what nothing uses only the type is known: to write a use of it is an error (id 0). */
XE_FN_ void xt_define_unused_(xt_ctx *x, uint32_t value, int type) { xt_define_(x, value, xt_scalar_(type, 0, 1)); }

XE_FN_ void xt_write_argument_(xt_ctx *x, const xt_node_ *n)
{
    xt_val v = x->args[n->kind];
    v.id = spe_param_id(&x->m, (uint32_t)n->kind);
    xt_define_(x, n->result, v);
}

XE_FN_ void xt_write_builtin_(xt_ctx *x, const xt_node_ *n)
{
    spe_id id = spe_builtin(&x->m, (spe_builtin_name)n->kind, (uint32_t)n->type);
    xt_define_(x, n->result, xt_scalar_(CM_I32, id, 1));
}

/* Values a loop carries unchanged may prove to be constants. */
XE_FN_ void xt_write_binary_number_(xt_ctx *x, const xt_node_ *n)
{
    const xt_val *operand[2] = {xt_number_(x, n->operand[0]), xt_number_(x, n->operand[1])};
    xt_val a = xt_now_(x, operand[0]), b = xt_now_(x, operand[1]);
    const xt_val *same = xt_neutral_(n->kind, &a, &b);
    int result = xt_is_compare_(n->kind) ? XT_BOOL_ : n->type;
    if (xt_value_at_(x, n->result)->unused) {
        xt_define_unused_(x, n->result, result);
        return;
    }
    if (xt_folds_(n->kind, &a, &b)) {
        xt_define_(x, n->result, xt_fold_(n->kind, &a, &b));
        return;
    }
    if (same && (xt_is_constant_(same) || same->type == n->type)) {
        const xt_val *from = operand[same != &a];
        xt_define_(x, n->result, *same);
        if (from->kind != SPE_SCALAR) return;
        xt_value_at_(x, n->result)->start = xt_value_at_(x, from->id)->start;
        xt_value_at_(x, n->result)->advance = xt_value_at_(x, from->id)->advance;
        return;
    }
    spe_id p = xt_id_(x, &a, n->type);
    spe_id q = xt_id_(x, &b, n->type);
    if (n->type != XT_BOOL_)
        p = xt_emit_arith_(&x->m, n->kind, n->type, p, q);
    else
        p = n->kind == SPE_ARITH_AND ? spe_land(&x->m, p, q) : spe_lor(&x->m, p, q);
    xt_define_(x, n->result, xt_scalar_(result, p, xt_is_int_(n->type) ? xt_align_result_(n->kind, &a, &b) : 1));
}

XE_FN_ void xt_write_cast_number_(xt_ctx *x, const xt_node_ *n)
{
    xt_val v = xt_now_(x, xt_number_(x, n->operand[0]));
    xt_define_(x, n->result, xt_scalar_(n->type, xt_emit_cast_(x, n->type, &v), xt_val_align_(&v)));
}

XE_FN_ void xt_write_select_number_(xt_ctx *x, const xt_node_ *n)
{
    xt_val v[3];
    for (int i = 0; i < 3; i++) v[i] = xt_now_(x, xt_number_(x, n->operand[i]));
    if (v[0].kind == SPE_INT) {
        xt_define_(x, n->result, v[0].integer ? v[1] : v[2]);
        return;
    }
    spe_id a = xt_id_(x, &v[1], n->type);
    spe_id b = xt_id_(x, &v[2], n->type);
    xt_define_(x, n->result, xt_scalar_(n->type, spe_select(&x->m, v[0].id, a, b), 1));
}
