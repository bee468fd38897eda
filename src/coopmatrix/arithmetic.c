/* arithmetic.c - component-wise operations. */
#include "internal.h"

cm_matrix cm_map1(cm_ctx *c, const cm_matrix *a, cm_fn fn, void *user)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_map_(c, &a->layout, a, NULL, fn, user);
}

cm_matrix cm_map2(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, cm_fn fn, void *user)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || !cm_alike_(c, a, b)) return cm_poison();
    return cm_map_(c, &a->layout, a, b, fn, user);
}

/* A type's kind of number for spe_arith and the tables. */
XE_FN_ spe_number_kind cm_number_kind_(cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    return t->kind == CM_KIND_FLOAT ? SPE_NUMBER_FLOAT : t->is_signed ? SPE_NUMBER_SIGNED : SPE_NUMBER_UNSIGNED;
}

static spe_id cm_no_operation_(cm_ctx *c, const char *name, cm_type type)
{
    return CM_FAIL_(c, EMIT_TYPE, "there is no operation %s on %s", name, cm_name_(type));
}

/* Is it computed with? Those of MX are only moved, converted and multiplied as matrices. */
XE_FN_ bool cm_computes_(cm_ctx *c, const char *name, cm_type type)
{
    return cm_type_info(type)->kind != CM_KIND_MX || cm_no_operation_(c, name, type);
}

XE_FN_ spe_id cm_apply_binary_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    spe_arith_op op = (spe_arith_op)*(const cm_op *)user;
    if (!a || !b) return 0;
    spe_id r = spe_arith(c->module, op, cm_number_kind_(type), a, b);
    return r || !spe_ok(c->module) ? r : cm_no_operation_(c, spe_arith_name(op), type);
}

/* a b or a / b of complex matrices, computed on their halves; the quotient is a conj(b) / |b|^2. */
static cm_matrix cm_multiply_complex_(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, bool divide)
{
    cm_matrix x = cm_half_(a, 0), y = cm_half_(a, 1), u = cm_half_(b, 0), v = cm_half_(b, 1);
    cm_matrix xu = cm_mul(c, &x, &u), yv = cm_mul(c, &y, &v), xv = cm_mul(c, &x, &v), yu = cm_mul(c, &y, &u);
    cm_matrix re = cm_binary(c, divide ? CM_ADD : CM_SUB, &xu, &yv);
    cm_matrix im = divide ? cm_sub(c, &yu, &xv) : cm_add(c, &xv, &yu);
    if (divide) {
        cm_matrix uu = cm_mul(c, &u, &u), vv = cm_mul(c, &v, &v), norm = cm_add(c, &uu, &vv);
        re = cm_binary(c, CM_DIV, &re, &norm);
        im = cm_binary(c, CM_DIV, &im, &norm);
    }
    return cm_complex(c, &re, &im);
}

/* A part of bytes in whole words as dwords; of others, as it is. */
static spe_id cm_as_dwords_(cm_ctx *c, const cm_matrix *a, int part, spe_id v)
{
    int bits = cm_part_words(&a->layout, part) * cm_word_bits_(&a->layout);
    if (!a->in_words) return v;
    return spe_bitcast(c->module, cm_vec_(c, spe_int(c->module, 32), bits / 32), v);
}

/* Bit operations take whole words: taking a word of bytes apart costs an instruction or more for each of them. */
static cm_matrix cm_combine_words_(cm_ctx *c, cm_op op, const cm_matrix *a, const cm_matrix *b)
{
    cm_matrix d = cm_new_(c, &a->layout);
    d.in_words = a->in_words || b->in_words;
    if (cm_opaque_(c, "component-wise operations")) return cm_poison();
    for (int i = 0; i < d.parts; i++) {
        spe_id x = cm_as_dwords_(c, &d, i, a->part[i]), y = cm_as_dwords_(c, &d, i, b->part[i]);
        x = spe_arith(c->module, (spe_arith_op)op, SPE_NUMBER_UNSIGNED, x, y);
        d.part[i] = spe_bitcast(c->module, cm_part_type(c, &d.layout, i), x);
    }
    return spe_ok(c->module) ? d : cm_poison();
}

/* Shifts each byte of dwords by 1 to 7. What crosses into the next byte is masked; where a sign moves in, the upper
 * `count` bits of a byte are 0x100 - (0x100 >> count), which takes nothing from its neighbours. */
static spe_id cm_shift_bytes_(cm_ctx *c, cm_op op, bool is_signed, spe_id v, int count)
{
    spe_module *m = c->module;
    spe_id type = spe_type_of(m, v), by = spe_const_u(m, type, (uint64_t)count);
    uint32_t keep = op == CM_SHL ? 0xffu << count & 0xff : 0xffu >> count;
    spe_id shifted = op == CM_SHL ? spe_shl(m, v, by) : spe_shr(m, v, by);
    shifted = spe_and(m, shifted, spe_const_u(m, type, keep * 0x01010101u));
    if (op == CM_SHL || !is_signed) return shifted;
    spe_id sign = spe_and(m, v, spe_const_u(m, type, 0x80808080u)), one = spe_const_u(m, type, 1);
    spe_id above = spe_shl(m, sign, one), below = spe_shr(m, sign, spe_const_u(m, type, (uint64_t)count - 1));
    return spe_or(m, shifted, spe_isub(m, above, below));
}

static spe_id cm_apply_shift_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    const int *shift = (const int *)user; /* the operation, and by how many bits */
    (void)b;
    b = spe_const_u(c->module, spe_type_of(c->module, a), (uint64_t)shift[1]);
    return spe_arith(c->module, (spe_arith_op)shift[0], cm_number_kind_(type), a, b);
}

cm_matrix cm_shift(cm_ctx *c, cm_op op, const cm_matrix *a, int count)
{
    int shift[2] = {(int)op, count};
    if (cm_is_poison_(c, a)) return cm_poison();
    const cm_type_row *t = cm_type_info(a->layout.type);
    if (op != CM_SHL && op != CM_SHR) return CM_POISON_(c, OPERATION, "cm_shift: operation %d is no shift", (int)op);
    if (t->kind != CM_KIND_INT)
        return cm_no_operation_(c, spe_arith_name((spe_arith_op)op), a->layout.type), cm_poison();
    if (count < 0 || count >= t->bytes * 8)
        return CM_POISON_(c, OPERATION, "cm_shift: %s by %d bits: 0 to %d", t->name, count, t->bytes * 8 - 1);
    if (!a->in_words || count == 0) return cm_map1(c, a, cm_apply_shift_, shift);
    cm_matrix d = cm_new_(c, &a->layout);
    d.in_words = true;
    for (int i = 0; i < d.parts; i++) {
        spe_id x = cm_as_dwords_(c, a, i, a->part[i]);
        x = cm_shift_bytes_(c, op, t->is_signed, x, count);
        d.part[i] = spe_bitcast(c->module, cm_part_type(c, &d.layout, i), x);
    }
    return spe_ok(c->module) ? d : cm_poison();
}

cm_matrix cm_binary(cm_ctx *c, cm_op op, const cm_matrix *a, const cm_matrix *b)
{
    cm_matrix half[2];
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b)) return cm_poison();
    cm_type type = a->layout.type;
    if ((unsigned)op > (unsigned)CM_SHR)
        return CM_POISON_(c, OPERATION, "cm_binary: there is no operation %d", (int)op);
    if (!cm_alike_(c, a, b)) return cm_poison();
    if (cm_is_complex(type) && op > CM_DIV)
        return cm_no_operation_(c, spe_arith_name((spe_arith_op)op), type), cm_poison();
    if (cm_is_complex(type) && (op == CM_MUL || op == CM_DIV)) return cm_multiply_complex_(c, a, b, op == CM_DIV);
    if ((op == CM_AND || op == CM_OR || op == CM_XOR) && cm_type_info(type)->kind != CM_KIND_FLOAT)
        return cm_combine_words_(c, op, a, b);
    if (!cm_computes_(c, spe_arith_name((spe_arith_op)op), type)) return cm_poison();
    for (int i = 0; i < cm_halves_(type); i++) {
        cm_matrix x = cm_half_(a, i), y = cm_half_(b, i);
        half[i] = cm_map_(c, &x.layout, &x, &y, cm_apply_binary_, &op);
    }
    return cm_of_halves_(c, type, half);
}

cm_matrix cm_add(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_ADD, a, b); }
cm_matrix cm_sub(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_SUB, a, b); }
cm_matrix cm_mul(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_MUL, a, b); }

cm_matrix cm_scale(cm_ctx *c, const cm_matrix *a, spe_id scalar)
{
    cm_matrix half[2];
    if (cm_is_poison_(c, a)) return cm_poison();
    for (int i = 0; i < cm_halves_(a->layout.type); i++) {
        cm_matrix x = cm_half_(a, i),
                  s = cm_splat(c, x.layout.rows, x.layout.cols, x.layout.type, x.layout.use, scalar);
        half[i] = cm_mul(c, &x, &s);
    }
    return cm_of_halves_(c, a->layout.type, half);
}

/* Name and float function of each operation; NEG, NOT and CONJ have no function. */
typedef struct {
    const char *name;
    spe_math_op function;
} cm_unary_row_;

static const cm_unary_row_ *cm_unary_row_of_(cm_unary_op op)
{
#define CM_UNARY_ROW_(name) {"CM_" #name, SPE_##name},
    static const cm_unary_row_ rows[] = {{"CM_NEG", SPE_FABS}, {"CM_NOT", SPE_FABS}, {"CM_CONJ", SPE_FABS},
                                         {"CM_ABS", SPE_FABS}, CM_UNARY_OPS_(CM_UNARY_ROW_)};
    return &rows[op];
}

static spe_id cm_apply_unary_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    cm_unary_op op = *(const cm_unary_op *)user;
    spe_number_kind kind = cm_number_kind_(type);
    (void)b;
    if (!a) return 0;
    if (op == CM_NEG) return kind == SPE_NUMBER_FLOAT ? spe_fneg(c->module, a) : spe_ineg(c->module, a);
    if (op == CM_NOT && kind != SPE_NUMBER_FLOAT) return spe_not(c->module, a);
    if (op == CM_ABS && kind != SPE_NUMBER_FLOAT)
        return kind == SPE_NUMBER_SIGNED ? spe_math1(c->module, SPE_SABS, a) : a;
    if (op >= CM_ABS && kind == SPE_NUMBER_FLOAT) return spe_math1(c->module, cm_unary_row_of_(op)->function, a);
    return cm_no_operation_(c, cm_unary_row_of_(op)->name, type);
}

/* |z| is real; exp z = e^x (cos y + i sin y); exp2 (2^iy = e^(iy ln 2)) and the native ones are similar. */
static cm_matrix cm_unary_complex_(cm_ctx *c, cm_unary_op op, const cm_matrix *a)
{
    cm_matrix x = cm_half_(a, 0), y = cm_half_(a, 1), p, q;
    bool two = op == CM_EXP2 || op == CM_NATIVE_EXP2, native = op == CM_NATIVE_EXP || op == CM_NATIVE_EXP2;
    if (op == CM_NEG || op == CM_CONJ) {
        if (op == CM_NEG) x = cm_unary(c, CM_NEG, &x);
        y = cm_unary(c, CM_NEG, &y);
        return cm_complex(c, &x, &y);
    }
    if (op == CM_ABS) {
        p = cm_mul(c, &x, &x), q = cm_mul(c, &y, &y);
        p = cm_add(c, &p, &q);
        return cm_unary(c, CM_SQRT, &p);
    }
    if (op != CM_EXP && !two && !native)
        return cm_no_operation_(c, cm_unary_row_of_(op)->name, a->layout.type), cm_poison();
    if (two) y = cm_scale(c, &y, spe_const_f(c->module, cm_storage_type(c, y.layout.type), 0.6931471805599453));
    x = cm_unary(c, op, &x);
    p = cm_unary(c, native ? CM_NATIVE_COS : CM_COS, &y);
    q = cm_unary(c, native ? CM_NATIVE_SIN : CM_SIN, &y);
    p = cm_mul(c, &x, &p), q = cm_mul(c, &x, &q);
    return cm_complex(c, &p, &q);
}

cm_matrix cm_unary(cm_ctx *c, cm_unary_op op, const cm_matrix *a)
{
    if (cm_is_poison_(c, a)) return cm_poison();
    if ((unsigned)op >= (unsigned)CM_UNARY_COUNT_)
        return CM_POISON_(c, OPERATION, "cm_unary: there is no operation %d", (int)op);
    if (!cm_computes_(c, cm_unary_row_of_(op)->name, a->layout.type)) return cm_poison();
    return cm_is_complex(a->layout.type) ? cm_unary_complex_(c, op, a) : cm_map1(c, a, cm_apply_unary_, &op);
}

cm_walk_ cm_walk_begin_(cm_ctx *c, const cm_matrix *a)
{
    cm_walk_ w = {c, a, cm_component_ids(c, a, a->layout.type), {0, 0}, -1, 0, 0, 0};
    if (w.value) w.lane = cm_lane_(c, &a->layout);
    return w;
}

bool cm_walk_next_(cm_walk_ *w)
{
    const cm_layout *l = &w->a->layout;
    cm_ctx *c = w->c;
    if (!w->value) return false;
    if (w->v >= 0) {
        if (spe_ok(c->module) && spe_type_of(c->module, w->component) != cm_arith_type(c, l->type))
            return CM_FAIL_(c, SCALAR, "CM_APPLY: the component is not of the arithmetic type of %s any more",
                            cm_name_(l->type));
        w->value[w->v] = spe_ok(c->module) ? cm_from_arith(c, l->type, w->component) : 0;
    }
    if (!spe_ok(c->module) || ++w->v >= l->size_v) return false;
    w->row = cm_row_at_(c, l, w->lane, w->v);
    w->col = cm_col_at_(c, l, w->lane, w->v);
    w->component = cm_to_arith(c, l->type, w->value[w->v]);
    return true;
}

bool cm_walk_end_(cm_walk_ *w, cm_matrix *out)
{
    *out = w->value && spe_ok(w->c->module) ? cm_from_components(w->c, &w->a->layout, w->value) : cm_poison();
    return false;
}

cm_matrix cm_apply(cm_ctx *c, const cm_matrix *a, cm_apply_fn fn, void *user)
{
    cm_matrix d = cm_poison();
    CM_APPLY (c, d, *a, row, col, v) v = fn(c, row, col, v, user);
    return d;
}
