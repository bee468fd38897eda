/* components.c - parts <-> components. */
#include "internal.h"

spe_id cm_bitcast(cm_ctx *c, spe_id type, spe_id v)
{
    return spe_type_of(c->m, v) == type ? v : spe_bitcast(c->m, type, v);
}

/* Words of a part that are handled at once: a vector has at most 16 components. */
int cm_group_(const cm_layout *l, int words)
{
    int most = 16 / cm_channels_(l);
    return words < most ? words : most;
}

/* `count` neighbours of a vector, from the first on. */
spe_id cm_slice_(cm_ctx *c, spe_id v, int first, int count)
{
    uint32_t index[16], i, all = spe_count(c->m, spe_type_of(c->m, v));
    if ((uint32_t)count == all) return v;
    if (count == 1) return spe_extract(c->m, v, (uint32_t)first);
    for (i = 0; i < (uint32_t)count; i++) index[i] = (uint32_t)first + i;
    return spe_shuffle(c->m, v, v, (uint32_t)count, index);
}

/* One vector of n scalars, or of one or two vectors of `each` components. */
spe_id cm_join_(cm_ctx *c, spe_id elem, const spe_id *piece, int n, int each)
{
    uint32_t index[16], i;
    if (n == 1) return piece[0];
    if (each == 1) return spe_construct(c->m, spe_vec(c->m, elem, (uint32_t)n), (uint32_t)n, piece);
    for (i = 0; i < (uint32_t)(n * each); i++) index[i] = i;
    return spe_shuffle(c->m, piece[0], piece[1], (uint32_t)(n * each), index);
}

/* Words first .. first + words of a part as a vector of components of the storage type. */
spe_id cm_unpack_(cm_ctx *c, const cm_layout *l, spe_id part, int first, int words)
{
    spe_id type = spe_vec(c->m, cm_storage_type(c, l->type), (uint32_t)(words * cm_channels_(l)));
    return cm_bitcast(c, type, cm_slice_(c, part, first, words));
}

/* A vector of components back to `words` words. */
spe_id cm_pack_(cm_ctx *c, const cm_layout *l, spe_id components, int words)
{
    return cm_bitcast(c, spe_vec(c->m, cm_word_type_(c, l), (uint32_t)words), components);
}

/* Component v: its part, and the word in it. False and an error when there is no such component. */
static bool cm_find_component_(cm_ctx *c, const cm_matrix *a, int v, int *part, int *in_part)
{
    int words = cm_block_words_(&a->l), word = v / cm_channels_(&a->l);
    if (cm_is_poison_(c, a) || cm_opaque_(c, "components") || !cm_arith_type(c, a->l.type)) return false;
    if (v < 0 || v >= a->l.V) return cm_fail_(c, CM_ERROR_SHAPE, "component %d: the matrix has %d", v, a->l.V), false;
    *part = word / words * spe_runs(words);
    *in_part = word % words;
    while (*in_part >= cm_part_words(&a->l, *part)) *in_part -= cm_part_words(&a->l, (*part)++);
    return true;
}

spe_id cm_component(cm_ctx *c, const cm_matrix *a, int v)
{
    int part, word, channels = cm_channels_(&a->l);
    if (!cm_find_component_(c, a, v, &part, &word)) return 0;
    if (channels == 1) return cm_bitcast(c, cm_storage_type(c, a->l.type), cm_slice_(c, a->part[part], word, 1));
    return spe_extract(c->m, cm_unpack_(c, &a->l, a->part[part], word, 1), (uint32_t)(v % channels));
}

cm_matrix cm_insert(cm_ctx *c, const cm_matrix *a, int v, spe_id scalar)
{
    int part, word, channels = cm_channels_(&a->l);
    spe_id one = scalar;
    cm_matrix d;
    if (!cm_find_component_(c, a, v, &part, &word)) return cm_poison();
    if (spe_type_of(c->m, scalar) != cm_storage_type(c, a->l.type)) {
        cm_fail_(c, CM_ERROR_SCALAR, "the scalar is not of the storage type of %s", cm_type_info(a->l.type)->name);
        return cm_poison();
    }
    d = cm_new_(c, &a->l);
    if (!d.parts) return d;
    memcpy(d.part, a->part, (size_t)a->parts * sizeof *d.part);
    if (channels > 1)
        one = spe_insert(c->m, cm_unpack_(c, &a->l, a->part[part], word, 1), scalar, (uint32_t)(v % channels));
    one = cm_pack_(c, &a->l, one, 1);
    d.part[part] = cm_part_words(&a->l, part) == 1 ? one : spe_insert(c->m, a->part[part], one, (uint32_t)word);
    return d;
}

cm_matrix cm_from_components(cm_ctx *c, const cm_layout *l, const spe_id *components)
{
    cm_matrix a = cm_new_(c, l);
    int part, first, v = 0, channels = cm_channels_(l);
    if (!a.parts || cm_opaque_(c, "components") || !cm_arith_type(c, l->type)) return cm_poison();
    for (part = 0; part < a.parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), pieces = 0;
        spe_id piece[8], elem = cm_storage_type(c, l->type);
        for (first = 0; first < words; first += group, v += group * channels) {
            spe_id whole = cm_join_(c, elem, components + v, group * channels, 1);
            piece[pieces++] = cm_pack_(c, l, whole, group);
        }
        a.part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    return a;
}

/* ---- conversion of vectors --------------------------------------------------------------------------------------- */

static spe_id cm_like_(cm_ctx *c, spe_id elem, spe_id v) /* elem, as many as v has */
{
    return spe_vec(c->m, elem, spe_count(c->m, spe_type_of(c->m, v)));
}

static spe_id cm_bf16_to_f32_(cm_ctx *c, spe_id v)
{
    spe_id i32 = cm_like_(c, spe_int(c->m, 32), v);
    spe_id wide = spe_shl(c->m, spe_uconvert(c->m, i32, v), spe_const_u(c->m, i32, 16));
    return spe_bitcast(c->m, cm_like_(c, spe_float(c->m, 32), v), wide);
}

/* To nearest, ties to even; NaN stays NaN. By hand where Intel's conversion instruction need not be known. */
spe_id cm_f32_to_bf16(cm_ctx *c, spe_id v)
{
    spe_id i32 = cm_like_(c, spe_int(c->m, 32), v), i16 = cm_like_(c, spe_int(c->m, 16), v), bits, odd, sum;
    if (c->lowering == CM_INTEL) return spe_f32_to_bf16(c->m, v);
    bits = spe_bitcast(c->m, i32, v);
    odd = spe_and(c->m, spe_shr(c->m, bits, spe_const_u(c->m, i32, 16)), spe_const_u(c->m, i32, 1));
    sum = spe_iadd(c->m, spe_iadd(c->m, bits, odd), spe_const_u(c->m, i32, 0x7fff));
    sum = spe_select(c->m, spe_isnan(c->m, v), spe_or(c->m, bits, spe_const_u(c->m, i32, 0x400000)), sum);
    return spe_uconvert(c->m, i16, spe_shr(c->m, sum, spe_const_u(c->m, i32, 16)));
}

/* The constant `bits` for every component of v's i32 (or f32) vector type. */
static spe_id cm_bits_(cm_ctx *c, spe_id type, uint64_t bits) { return spe_const_u(c->m, type, bits); }

/* bf16 towards zero, and tf32 (held as f32) to nearest or towards zero: the bits that do not fit are cut off, after
 * half a unit has been added when rounding to nearest. */
static spe_id cm_cut_(cm_ctx *c, spe_id v, int cut, bool nearest)
{
    spe_module *m = c->m;
    spe_id i32 = cm_like_(c, spe_int(m, 32), v), bits = spe_bitcast(m, i32, v), sum = bits, odd;
    uint32_t unit = (uint32_t)1 << cut;
    if (nearest) {
        odd = spe_and(m, spe_shr(m, bits, cm_bits_(c, i32, (uint64_t)cut)), cm_bits_(c, i32, 1));
        sum = spe_iadd(m, spe_iadd(m, bits, odd), cm_bits_(c, i32, unit / 2 - 1));
    }
    sum = spe_select(m, spe_isnan(m, v), spe_or(m, bits, cm_bits_(c, i32, 0x400000)), sum);
    return spe_bitcast(m, cm_like_(c, spe_float(m, 32), v), spe_and(m, sum, cm_bits_(c, i32, 0u - unit)));
}

/* What the 8-bit floats are made of: the f32 exponent field's low bits that go, the largest number, the smallest normal
 * one, and the f32 whose last place is the smallest subnormal one. */
typedef struct {
    cm_type type;
    int cut, rebias;
    double largest, normal, magic;
} cm_f8_;

static const cm_f8_ *cm_f8_row_(cm_type type)
{
    static const cm_f8_ rows[] = {{CM_E4M3, 20, (127 - 7) << 3, 448, 0x1p-6, 0x1p14},
                                  {CM_E5M2, 21, (127 - 15) << 2, 57344, 0x1p-14, 0x1p7}};
    return type == CM_E4M3 ? &rows[0] : type == CM_E5M2 ? &rows[1] : NULL;
}

/* Both are the upper bits of an f16, e4m3 after a scaling by 2^8 that f32 does exactly. */
static spe_id cm_f8_to_f32_(cm_ctx *c, cm_type type, spe_id v)
{
    spe_module *m = c->m;
    spe_id i16 = cm_like_(c, spe_int(m, 16), v), f32 = cm_like_(c, spe_float(m, 32), v), sign, rest, half;
    spe_id wide = spe_uconvert(m, i16, v);
    if (type == CM_E5M2) {
        half = spe_bitcast(m, cm_like_(c, spe_float(m, 16), v), spe_shl(m, wide, cm_bits_(c, i16, 8)));
        return spe_fconvert(m, f32, half);
    }
    rest = spe_and(m, wide, cm_bits_(c, i16, 0x7f));
    sign = spe_shl(m, spe_and(m, wide, cm_bits_(c, i16, 0x80)), cm_bits_(c, i16, 8));
    half = spe_bitcast(m, cm_like_(c, spe_float(m, 16), v), spe_or(m, sign, spe_shl(m, rest, cm_bits_(c, i16, 7))));
    half = spe_fmul(m, spe_fconvert(m, f32, half), spe_const_f(m, f32, 256));
    return spe_select(m, spe_ieq(m, rest, cm_bits_(c, i16, 0x7f)),
                      spe_bitcast(m, f32, cm_bits_(c, cm_like_(c, spe_int(m, 32), v), 0x7fc00000)), half);
}

/* To nearest even, the largest number for what is larger (infinity too); NaN stays NaN. */
static spe_id cm_f32_to_f8_(cm_ctx *c, cm_type type, spe_id v)
{
    const cm_f8_ *f = cm_f8_row_(type);
    spe_module *m = c->m;
    spe_id f32 = spe_type_of(m, v), i32 = cm_like_(c, spe_int(m, 32), v), magic = spe_const_f(m, f32, f->magic);
    spe_id size = spe_math2(m, SPE_FMIN, spe_math1(m, SPE_FABS, v), spe_const_f(m, f32, f->largest));
    spe_id bits = spe_bitcast(m, i32, size), normal, tiny, sign, odd;
    odd = spe_and(m, spe_shr(m, bits, cm_bits_(c, i32, (uint64_t)f->cut)), cm_bits_(c, i32, 1));
    normal = spe_iadd(m, spe_iadd(m, bits, odd), cm_bits_(c, i32, ((uint64_t)1 << f->cut) / 2 - 1));
    normal = spe_shr(m, normal, cm_bits_(c, i32, (uint64_t)f->cut));
    normal = spe_isub(m, normal, cm_bits_(c, i32, (uint64_t)f->rebias));
    tiny = spe_isub(m, spe_bitcast(m, i32, spe_fadd(m, size, magic)), spe_bitcast(m, i32, magic));
    bits = spe_select(m, spe_flt(m, size, spe_const_f(m, f32, f->normal)), tiny, normal);
    bits = spe_select(m, spe_isnan(m, v), cm_bits_(c, i32, 0x7f), bits);
    sign = spe_and(m, spe_shr(m, spe_bitcast(m, i32, v), cm_bits_(c, i32, 24)), cm_bits_(c, i32, 0x80));
    return spe_uconvert(m, cm_like_(c, spe_int(m, 8), v), spe_or(m, bits, sign));
}

/* Between the storage type and the type that arithmetic is done in. */
spe_id cm_to_arith(cm_ctx *c, cm_type type, spe_id v)
{
    if (!cm_arith_type(c, type)) return 0;
    if (cm_f8_row_(type)) return cm_f8_to_f32_(c, type, v);
    return type == CM_BF16 ? cm_bf16_to_f32_(c, v) : v;
}
spe_id cm_from_arith(cm_ctx *c, cm_type type, spe_id v)
{
    bool small = type == CM_BF16 || type == CM_TF32 || cm_f8_row_(type) != NULL;
    bool zero = c->rounding == CM_ROUND_ZERO;
    if (!small) return v;
    if (c->rounding > CM_ROUND_ZERO || (zero && cm_f8_row_(type)))
        return cm_fail_(c, CM_ERROR_CONVERT, "no such rounding to %s", cm_type_info(type)->name);
    if (type == CM_TF32) return cm_cut_(c, v, 13, !zero);
    if (type != CM_BF16) return cm_f32_to_f8_(c, type, v);
    if (!zero) return cm_f32_to_bf16(c, v);
    v = spe_bitcast(c->m, cm_like_(c, spe_int(c->m, 32), v), cm_cut_(c, v, 16, false));
    return spe_uconvert(c->m, cm_like_(c, spe_int(c->m, 16), v),
                        spe_shr(c->m, v, cm_bits_(c, spe_type_of(c->m, v), 16)));
}

/* The instruction between arithmetic types, without rounding or saturation asked for. */
static spe_id cm_convert_plainly_(cm_ctx *c, const cm_type_row *f, const cm_type_row *t, spe_id type, spe_id v)
{
    if (f->kind == CM_KIND_FLOAT && t->kind == CM_KIND_FLOAT) return spe_fconvert(c->m, type, v);
    if (f->kind == CM_KIND_FLOAT) return t->is_signed ? spe_f_to_s(c->m, type, v) : spe_f_to_u(c->m, type, v);
    if (t->kind == CM_KIND_FLOAT) return f->is_signed ? spe_s_to_f(c->m, type, v) : spe_u_to_f(c->m, type, v);
    if (c->saturate && f->is_signed != t->is_signed)
        return spe_op(c->m, t->is_signed ? SPE_OpSatConvertUToS : SPE_OpSatConvertSToU, type, 1, &v);
    return f->is_signed ? spe_sconvert(c->m, type, v) : spe_uconvert(c->m, type, v);
}

/* Arithmetic values of one type to those of another: to nearest between floats, towards zero to integers, the low bits
 * between integers, unless cm_convert_as has asked for something else. */
static spe_id cm_convert_arith_(cm_ctx *c, cm_type from, cm_type to, spe_id v)
{
    static const uint32_t modes[] = {0, SPE_FPRoundingModeRTE, SPE_FPRoundingModeRTZ, SPE_FPRoundingModeRTP,
                                     SPE_FPRoundingModeRTN};
    const cm_type_row *f = cm_type_info(from), *t = cm_type_info(to);
    spe_id type = cm_arith_type(c, to), same = cm_arith_type(c, from), id;
    bool clamped;
    if (!type || !same) return 0;
    if (type == same && !(c->saturate && f->is_signed != t->is_signed)) return v;
    id = cm_convert_plainly_(c, f, t, cm_like_(c, type, v), v);
    clamped = c->saturate && t->kind == CM_KIND_INT && (f->kind != CM_KIND_INT || f->is_signed == t->is_signed);
    if (!id || id == v) return id;
    if (c->rounding && (f->kind == CM_KIND_FLOAT || t->kind == CM_KIND_FLOAT))
        spe_decorate(c->m, id, SPE_DecorationFPRoundingMode, 1, &modes[c->rounding]);
    if (clamped) spe_decorate(c->m, id, SPE_DecorationSaturatedConversion, 0, NULL);
    return id;
}

spe_id cm_convert_vector_(cm_ctx *c, cm_type from, cm_type to, spe_id v)
{
    if (from == to) return v;
    return cm_from_arith(c, to, cm_convert_arith_(c, from, to, cm_to_arith(c, from, v)));
}

/* All V components of this lane as scalars of the storage type of `type`, converted to it; in the arena, NULL on error.
 */
spe_id *cm_component_ids(cm_ctx *c, const cm_matrix *a, cm_type type)
{
    int part, first, i, v = 0, channels = cm_channels_(&a->l);
    spe_id *out = (spe_id *)spe_alloc(c->m, (size_t)a->l.V * sizeof(spe_id));
    if (cm_opaque_(c, "this operation") || !cm_arith_type(c, a->l.type)) return NULL;
    for (part = 0; out && part < a->parts; part++) {
        int words = cm_part_words(&a->l, part), group = cm_group_(&a->l, words);
        for (first = 0; first < words; first += group) {
            spe_id vector = cm_convert_vector_(c, a->l.type, type, cm_unpack_(c, &a->l, a->part[part], first, group));
            for (i = 0; i < group * channels; i++)
                out[v++] = group * channels == 1 ? vector : spe_extract(c->m, vector, (uint32_t)i);
        }
    }
    return out;
}

/* ---- construction, component-wise operations --------------------------------------------------------------------- */

/* CM_KHR: every part is made of one component. (Intel's compiler does not survive an OpConstantNull here.) */
static cm_matrix cm_splat_khr_(cm_ctx *c, cm_matrix a, spe_id scalar)
{
    spe_id value = scalar ? scalar : spe_null(c->m, cm_storage_type(c, a.l.type));
    int i;
    for (i = 0; i < a.parts; i++) a.part[i] = spe_construct(c->m, cm_part_type(c, &a.l, i), 1, &value);
    return a;
}

cm_matrix cm_splat(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, spe_id scalar)
{
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    cm_matrix a = cm_new_(c, &l);
    spe_id copies[16], word = 0;
    int i;
    if (!a.parts) return a;
    if (scalar && spe_type_of(c->m, scalar) != cm_storage_type(c, type)) {
        cm_fail_(c, CM_ERROR_SCALAR, "the scalar of a %s matrix is not of its storage type", cm_type_info(type)->name);
        return cm_poison();
    }
    if (c->lowering == CM_KHR) return cm_splat_khr_(c, a, scalar);
    for (i = 0; i < 16; i++) copies[i] = scalar;
    if (scalar) word = cm_pack_(c, &l, cm_join_(c, cm_storage_type(c, type), copies, cm_channels_(&l), 1), 1);
    for (i = 0; i < a.parts; i++) {
        spe_id vector = cm_part_type(c, &l, i);
        if (!scalar || (cm_is_complex(type) && i >= a.parts / 2))
            a.part[i] = spe_null(c->m, vector);
        else
            a.part[i] = cm_part_words(&l, i) == 1 ? word : spe_splat(c->m, vector, word);
    }
    return a;
}

/* fn on every group of components of a (and b, when given), the result converted to the type of l. */
cm_matrix cm_map_(cm_ctx *c, const cm_layout *l, const cm_matrix *a, const cm_matrix *b, cm_fn fn, void *user)
{
    cm_matrix d = cm_new_(c, l);
    cm_type type = a->l.type;
    int part, first;
    if (cm_opaque_(c, "component-wise operations") || !cm_arith_type(c, type) || !cm_arith_type(c, l->type))
        return cm_poison();
    for (part = 0; part < d.parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), pieces = 0;
        spe_id piece[8];
        for (first = 0; first < words; first += group) {
            spe_id x = cm_unpack_(c, &a->l, a->part[part], first, group), y = 0;
            if (b) y = cm_to_arith(c, type, cm_unpack_(c, &b->l, b->part[part], first, group));
            if (fn) x = cm_from_arith(c, type, fn(c, type, cm_to_arith(c, type, x), y, user));
            piece[pieces++] = cm_pack_(c, l, cm_convert_vector_(c, type, l->type, x), group);
        }
        d.part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    return spe_ok(c->m) ? d : cm_poison();
}

cm_matrix cm_map1(cm_ctx *c, const cm_matrix *a, cm_fn fn, void *user)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_map_(c, &a->l, a, NULL, fn, user);
}

cm_matrix cm_map2(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, cm_fn fn, void *user)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b)) return cm_poison();
    if (a->l.type != b->l.type) {
        cm_fail_(c, CM_ERROR_COMPONENT, "component types differ: %s and %s", cm_type_info(a->l.type)->name,
                 cm_type_info(b->l.type)->name);
        return cm_poison();
    }
    if (!cm_same_layout_(&a->l, &b->l)) {
        cm_fail_(c, CM_ERROR_SHAPE, "matrices differ: %d x %d %s and %d x %d %s", a->l.rows, a->l.cols,
                 cm_use_name(a->l.use), b->l.rows, b->l.cols, cm_use_name(b->l.use));
        return cm_poison();
    }
    return cm_map_(c, &a->l, a, b, fn, user);
}

/* Column of the tables by kind of type. */
int cm_kind_column_(cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    return t->kind == CM_KIND_FLOAT ? 0 : t->is_signed ? 1 : 2;
}

spe_id cm_apply_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    cm_op op = *(const cm_op *)user;
    spe_id r;
    if (!a || !b) return 0;
    r = spe_arith(c->m, (spe_arith_op)op, (spe_number_kind)cm_kind_column_(type), a, b);
    if (r || !spe_ok(c->m)) return r;
    return cm_fail_(c, CM_ERROR_EMIT_TYPE, "there is no operation %s on %s", spe_arith_name((spe_arith_op)op),
                    cm_type_info(type)->name);
}

/* a b or a / b of complex matrices, by their parts: for a quotient a conj(b) / |b|^2. */
static cm_matrix cm_multiply_complex_(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, bool divide)
{
    cm_matrix x = cm_re(c, a), y = cm_im(c, a), u = cm_re(c, b), v = cm_im(c, b);
    cm_matrix xu = cm_binary(c, CM_MUL, &x, &u), yv = cm_binary(c, CM_MUL, &y, &v);
    cm_matrix xv = cm_binary(c, CM_MUL, &x, &v), yu = cm_binary(c, CM_MUL, &y, &u);
    cm_matrix re = cm_binary(c, divide ? CM_ADD : CM_SUB, &xu, &yv);
    cm_matrix im = divide ? cm_binary(c, CM_SUB, &yu, &xv) : cm_binary(c, CM_ADD, &xv, &yu);
    if (divide) {
        cm_matrix uu = cm_binary(c, CM_MUL, &u, &u), vv = cm_binary(c, CM_MUL, &v, &v);
        cm_matrix norm = cm_binary(c, CM_ADD, &uu, &vv);
        re = cm_binary(c, CM_DIV, &re, &norm);
        im = cm_binary(c, CM_DIV, &im, &norm);
    }
    return cm_complex(c, &re, &im);
}

static cm_matrix cm_binary_complex_(cm_ctx *c, cm_op op, const cm_matrix *a, const cm_matrix *b)
{
    cm_matrix re, im, p, q;
    if (a->l.type != b->l.type) {
        cm_fail_(c, CM_ERROR_COMPONENT, "component types differ: %s and %s", cm_type_info(a->l.type)->name,
                 cm_type_info(b->l.type)->name);
        return cm_poison();
    }
    if (op > CM_DIV) {
        cm_fail_(c, CM_ERROR_EMIT_TYPE, "there is no operation %s on %s", spe_arith_name((spe_arith_op)op),
                 cm_type_info(a->l.type)->name);
        return cm_poison();
    }
    if (op == CM_MUL || op == CM_DIV) return cm_multiply_complex_(c, a, b, op == CM_DIV);
    re = cm_re(c, a), p = cm_re(c, b), im = cm_im(c, a), q = cm_im(c, b);
    re = cm_binary(c, op, &re, &p);
    im = cm_binary(c, op, &im, &q);
    return cm_complex(c, &re, &im);
}

cm_matrix cm_binary(cm_ctx *c, cm_op op, const cm_matrix *a, const cm_matrix *b)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b)) return cm_poison();
    if ((unsigned)op > (unsigned)CM_SHR) {
        cm_fail_(c, CM_ERROR_OPERATION, "cm_binary: there is no operation %d", (int)op);
        return cm_poison();
    }
    if (cm_is_complex(a->l.type)) return cm_binary_complex_(c, op, a, b);
    return cm_map2(c, a, b, cm_apply_, &op);
}

cm_matrix cm_add(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_ADD, a, b); }
cm_matrix cm_sub(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_SUB, a, b); }
cm_matrix cm_mul(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_MUL, a, b); }

static const char *cm_unary_name_(cm_unary_op op)
{
    static const char *const names[] = {"CM_NEG", "CM_NOT", "CM_CONJ",
#define CM_ROW_(name, function) "CM_" #name,
                                        CM_UNARY_OPS_(CM_ROW_)
#undef CM_ROW_
    };
    return names[op];
}

static spe_id cm_apply_unary_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    static const spe_math_op functions[] = {SPE_FABS, SPE_FABS, SPE_FABS,
#define CM_ROW_(name, function) SPE_##function,
                                            CM_UNARY_OPS_(CM_ROW_)
#undef CM_ROW_
    };
    cm_unary_op op = *(const cm_unary_op *)user;
    int kind = cm_kind_column_(type);
    (void)b;
    if (!a) return 0;
    if (op == CM_NEG) return kind == 0 ? spe_fneg(c->m, a) : spe_ineg(c->m, a);
    if (op == CM_NOT && kind > 0) return spe_not(c->m, a);
    if (op == CM_ABS && kind > 0) return kind == 1 ? spe_math1(c->m, SPE_SABS, a) : a;
    if (op > CM_CONJ && kind == 0) return spe_math1(c->m, functions[op], a);
    return cm_fail_(c, CM_ERROR_EMIT_TYPE, "there is no operation %s on %s", cm_unary_name_(op),
                    cm_type_info(type)->name);
}

/* |z| is a matrix of reals; exp z = e^x (cos y + i sin y), exp2 and the native ones alike. */
static cm_matrix cm_unary_complex_(cm_ctx *c, cm_unary_op op, const cm_matrix *a)
{
    cm_matrix x = cm_re(c, a), y = cm_im(c, a), p, q;
    bool two = op == CM_EXP2 || op == CM_NATIVE_EXP2, native = op == CM_NATIVE_EXP || op == CM_NATIVE_EXP2;
    if (op == CM_NEG || op == CM_CONJ) {
        x = op == CM_NEG ? cm_unary(c, CM_NEG, &x) : x;
        y = cm_unary(c, CM_NEG, &y);
        return cm_complex(c, &x, &y);
    }
    if (op == CM_ABS) {
        p = cm_binary(c, CM_MUL, &x, &x);
        q = cm_binary(c, CM_MUL, &y, &y);
        p = cm_add(c, &p, &q);
        return cm_unary(c, CM_SQRT, &p);
    }
    if (op != CM_EXP && !two && !native) {
        cm_fail_(c, CM_ERROR_EMIT_TYPE, "there is no operation %s on %s", cm_unary_name_(op),
                 cm_type_info(a->l.type)->name);
        return cm_poison();
    }
    if (two) {
        spe_id ln2 = spe_const_f(c->m, cm_storage_type(c, y.l.type), 0.69314718055994530942);
        q = cm_splat(c, y.l.rows, y.l.cols, y.l.type, y.l.use, ln2);
        y = cm_mul(c, &y, &q);
    }
    x = cm_unary(c, op, &x);
    p = cm_unary(c, native ? CM_NATIVE_COS : CM_COS, &y);
    q = cm_unary(c, native ? CM_NATIVE_SIN : CM_SIN, &y);
    p = cm_mul(c, &x, &p);
    q = cm_mul(c, &x, &q);
    return cm_complex(c, &p, &q);
}

cm_matrix cm_unary(cm_ctx *c, cm_unary_op op, const cm_matrix *a)
{
    if (cm_is_poison_(c, a)) return cm_poison();
    if ((unsigned)op >= (unsigned)CM_UNARY_COUNT_) {
        cm_fail_(c, CM_ERROR_OPERATION, "cm_unary: there is no operation %d", (int)op);
        return cm_poison();
    }
    return cm_is_complex(a->l.type) ? cm_unary_complex_(c, op, a) : cm_map1(c, a, cm_apply_unary_, &op);
}

cm_matrix cm_scale(cm_ctx *c, const cm_matrix *a, spe_id scalar)
{
    cm_matrix s, re, im;
    if (cm_is_poison_(c, a)) return cm_poison();
    if (cm_is_complex(a->l.type)) {
        re = cm_re(c, a), im = cm_im(c, a);
        re = cm_scale(c, &re, scalar);
        im = cm_scale(c, &im, scalar);
        return cm_complex(c, &re, &im);
    }
    s = cm_splat(c, a->l.rows, a->l.cols, a->l.type, a->l.use, scalar);
    return cm_mul(c, a, &s);
}

/* ---- where a component is, in the kernel ------------------------------------------------------------------------- */

spe_id cm_i32_(cm_ctx *c, int v) { return spe_i32(c->m, v); }

/* v * factor and v / divisor without instructions that do nothing; divisor a power of two, v >= 0. */
spe_id cm_times_(cm_ctx *c, spe_id v, int factor)
{
    return factor == 1 ? v : spe_imul(c->m, v, cm_i32_(c, factor));
}
spe_id cm_plus_(cm_ctx *c, spe_id v, int n) { return n == 0 ? v : spe_iadd(c->m, v, cm_i32_(c, n)); }
spe_id cm_mod_(cm_ctx *c, spe_id v, int n) { return spe_and(c->m, v, cm_i32_(c, n - 1)); }
spe_id cm_shr_(cm_ctx *c, spe_id v, int divisor)
{
    int shift = 0;
    while (1 << shift < divisor) shift++;
    return shift == 0 ? v : spe_shr(c->m, v, cm_i32_(c, shift));
}

spe_id cm_shr_signed_(cm_ctx *c, spe_id v, int divisor) /* rounds down */
{
    int shift = 0;
    while (1 << shift < divisor) shift++;
    return shift == 0 ? v : spe_sar(c->m, v, cm_i32_(c, shift));
}

cm_lane cm_lane_(cm_ctx *c, const cm_layout *l)
{
    spe_id p = spe_builtin(c->m, SPE_SUBGROUP_LANE, 0);
    cm_lane lane;
    lane.i = l->I == l->S ? p : cm_mod_(c, p, l->I);
    lane.j0 = l->I == l->S ? cm_i32_(c, 0) : cm_shr_(c, p, l->I);
    return lane;
}

/* Component v = (word, channel) of the vector: the row and the first lane's column that it stands for. */
cm_element cm_first_element_(const cm_layout *l, int v)
{
    cm_slot s;
    s.lane = 0;
    s.component = v / l->omega;
    s.channel = v % l->omega;
    return cm_element_of(l, s);
}

spe_id cm_row_index(cm_ctx *c, const cm_layout *l, int v)
{
    cm_lane lane = cm_lane_(c, l);
    return cm_plus_(c, cm_times_(c, lane.i, l->interleaved ? l->K1 : 1), cm_first_element_(l, v).row);
}

spe_id cm_col_index(cm_ctx *c, const cm_layout *l, int v)
{
    cm_lane lane = cm_lane_(c, l);
    return cm_plus_(c, cm_times_(c, lane.j0, l->omega), cm_first_element_(l, v).col);
}

/* Component v of the vector -> its row and column among the axes: v = (w1 + u K1 + w2 K1 V/K), u with its channels. */
void cm_axes_of_(const cm_layout *l, int v, int *row, int *col)
{
    int per_block = l->V / l->K2, in_block = v % per_block;
    *row = in_block % l->K1 + v / per_block * l->K1;
    *col = in_block / l->K1;
}
