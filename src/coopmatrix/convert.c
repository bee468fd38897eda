/* convert.c - conversion of component types, for scalars, vectors and matrices, and rearrangements that move components
 * between lanes: another use, transposition, repetition. */
#include "internal.h"

/* A type with as many components as v. */
static spe_id cm_like_int_(spe_module *m, uint32_t bits, spe_id v) { return spe_vec_like(m, spe_int(m, bits), v); }
static spe_id cm_like_float_(spe_module *m, uint32_t bits, spe_id v) { return spe_vec_like(m, spe_float(m, bits), v); }

/* Rounds floats to nearest even, as bits, so that the lowest `cut` bits can be dropped. */
static spe_id cm_round_bits_(cm_ctx *c, spe_id i32, spe_id bits, int cut)
{
    spe_module *m = c->module;
    spe_id odd = spe_and(m, spe_shr(m, bits, spe_const_u(m, i32, (uint64_t)cut)), spe_const_u(m, i32, 1));
    return spe_iadd(m, spe_iadd(m, bits, odd), spe_const_u(m, i32, ((uint64_t)1 << cut) / 2 - 1));
}

/* Likewise for f32 values, to nearest or towards zero; NaNs become quiet. */
static spe_id cm_round_f32_(cm_ctx *c, spe_id i32, spe_id v, int cut, bool nearest)
{
    spe_id bits = spe_bitcast(c->module, i32, v), rounded = nearest ? cm_round_bits_(c, i32, bits, cut) : bits;
    return spe_select(c->module, spe_isnan(c->module, v),
                      spe_or(c->module, bits, spe_const_u(c->module, i32, 0x400000)), rounded);
}

/* In integer operations where Intel's conversion instruction may be missing. */
static spe_id cm_round_bf16_(cm_ctx *c, spe_id v, bool nearest)
{
    spe_id i32 = cm_like_int_(c->module, 32, v), i16 = cm_like_int_(c->module, 16, v);
    if (nearest && c->lowering == CM_INTEL) return spe_f32_to_bf16(c->module, v);
    v = cm_round_f32_(c, i32, v, 16, nearest);
    return spe_uconvert(c->module, i16, spe_shr(c->module, v, spe_const_u(c->module, i32, 16)));
}

spe_id cm_f32_to_bf16(cm_ctx *c, spe_id v) { return cm_round_bf16_(c, v, true); }

/* tf32 is stored as f32. */
static spe_id cm_round_tf32_(cm_ctx *c, spe_id v, bool nearest)
{
    enum { CUT = 13 }; /* mantissa bits of f32 that tf32 lacks */
    spe_id i32 = cm_like_int_(c->module, 32, v), bits = cm_round_f32_(c, i32, v, CUT, nearest);
    bits = spe_and(c->module, bits, spe_const_u(c->module, i32, 0u - (1u << CUT)));
    return spe_bitcast(c->module, cm_like_float_(c->module, 32, v), bits);
}

/* The 8-bit floats: mantissa bits of f32 to drop, the bias difference in units of the result, the encoding above the
 * largest number (NaN or infinity), the largest number, the largest f32 that rounds to it, the smallest normal number,
 * and the f32 whose last place is the smallest subnormal. */
typedef struct {
    cm_type type;
    int cut, rebias, beyond;
    double largest, limit, normal, magic;
} cm_f8_;

static const cm_f8_ *cm_f8_row_(cm_type type)
{
    static const cm_f8_ rows[] = {{CM_E4M3, 20, (127 - 7) << 3, 0x7f, 448, 464, 0x1p-6, 0x1p14},
                                  {CM_E5M2, 21, (127 - 15) << 2, 0x7c, 57344, 61440 - 0x1p-8, 0x1p-14, 0x1p7}};
    return type == CM_E4M3 ? &rows[0] : type == CM_E5M2 ? &rows[1] : NULL;
}

/* Both are the upper bits of an f16; e4m3 is off by a factor of 2^8, which f32 corrects exactly. */
static spe_id cm_f8_to_f32_(cm_ctx *c, cm_type type, spe_id v)
{
    spe_module *m = c->module;
    spe_id i16 = cm_like_int_(m, 16, v), f32 = cm_like_float_(m, 32, v), wide = spe_uconvert(m, i16, v);
    if (type == CM_E5M2) {
        spe_id half = spe_bitcast(m, cm_like_float_(m, 16, v), spe_shl(m, wide, spe_const_u(m, i16, 8)));
        return spe_fconvert(m, f32, half);
    }
    spe_id rest = spe_and(m, wide, spe_const_u(m, i16, 0x7f));
    spe_id sign = spe_shl(m, spe_and(m, wide, spe_const_u(m, i16, 0x80)), spe_const_u(m, i16, 8));
    spe_id half = spe_or(m, sign, spe_shl(m, rest, spe_const_u(m, i16, 7)));
    half = spe_bitcast(m, cm_like_float_(m, 16, v), half);
    spe_id scaled = spe_fmul(m, spe_fconvert(m, f32, half), spe_const_f(m, f32, 256));
    spe_id nan = spe_bitcast(m, f32, spe_const_u(m, cm_like_int_(m, 32, v), 0x7fc00000));
    return spe_select(m, spe_ieq(m, rest, spe_const_u(m, i16, 0x7f)), nan, scaled);
}

/* To nearest even. Larger values, even infinity, become the largest number, or on overflow `beyond`. NaN stays NaN. */
static spe_id cm_f32_to_f8_(cm_ctx *c, cm_type type, spe_id v)
{
    const cm_f8_ *f = cm_f8_row_(type);
    spe_module *m = c->module;
    spe_id f32 = spe_type_of(m, v), i32 = cm_like_int_(m, 32, v), magic = spe_const_f(m, f32, f->magic);
    spe_id exact = spe_math1(m, SPE_FABS, v), size = spe_math2(m, SPE_FMIN, exact, spe_const_f(m, f32, f->largest));
    spe_id normal = cm_round_bits_(c, i32, spe_bitcast(m, i32, size), f->cut);
    normal = spe_shr(m, normal, spe_const_u(m, i32, (uint64_t)f->cut));
    normal = spe_isub(m, normal, spe_const_u(m, i32, (uint64_t)f->rebias));
    spe_id tiny = spe_isub(m, spe_bitcast(m, i32, spe_fadd(m, size, magic)), spe_bitcast(m, i32, magic));
    spe_id bits = spe_select(m, spe_flt(m, size, spe_const_f(m, f32, f->normal)), tiny, normal);
    if (c->overflow)
        bits = spe_select(m, spe_fgt(m, exact, spe_const_f(m, f32, f->limit)),
                          spe_const_u(m, i32, (uint64_t)f->beyond), bits);
    bits = spe_select(m, spe_isnan(m, v), spe_const_u(m, i32, 0x7f), bits);
    spe_id sign = spe_and(m, spe_shr(m, spe_bitcast(m, i32, v), spe_const_u(m, i32, 24)), spe_const_u(m, i32, 0x80));
    return spe_uconvert(m, cm_like_int_(m, 8, v), spe_or(m, bits, sign));
}

spe_id cm_to_arith(cm_ctx *c, cm_type type, spe_id v)
{
    if (!cm_arith_type(c, type)) return 0;
    if (cm_f8_row_(type)) return cm_f8_to_f32_(c, type, v);
    if (type != CM_BF16) return v;
    if (c->lowering == CM_INTEL) return spe_bf16_to_f32(c->module, v);
    spe_id i32 = cm_like_int_(c->module, 32, v),
           wide = spe_shl(c->module, spe_uconvert(c->module, i32, v), spe_const_u(c->module, i32, 16));
    return spe_bitcast(c->module, cm_like_float_(c->module, 32, v), wide);
}

spe_id cm_from_arith(cm_ctx *c, cm_type type, spe_id v)
{
    bool f8 = cm_f8_row_(type) != NULL, zero = c->rounding == CM_ROUND_ZERO;
    if (type != CM_BF16 && type != CM_TF32 && !f8) return v;
    if (c->rounding > CM_ROUND_ZERO || (zero && f8))
        return CM_FAIL_(c, CONVERT, "no such rounding to %s", cm_name_(type));
    if (f8) return cm_f32_to_f8_(c, type, v);
    return type == CM_TF32 ? cm_round_tf32_(c, v, !zero) : cm_round_bf16_(c, v, !zero);
}

/* Makes NaNs of f64 quiet, as converting them to f32 or f16 does anyway. Doing it in bits keeps Intel's compiler (IGC
 * 2.40) from converting whole vectors of doubles, in which it reads only every second register. */
static spe_id cm_quiet_(cm_ctx *c, spe_id v)
{
    uint32_t bits = spe_width(c->module, spe_type_of(c->module, v));
    spe_id i = cm_like_int_(c->module, bits, v), as_bits = spe_bitcast(c->module, i, v);
    spe_id quiet = spe_or(c->module, as_bits, spe_const_u(c->module, i, bits == 16 ? 0x200 : 0x400000));
    quiet = spe_select(c->module, spe_isnan(c->module, v), quiet, as_bits);
    return spe_bitcast(c->module, spe_type_of(c->module, v), quiet);
}

/* Converts values between arithmetic types: to nearest between floats, towards zero to integers, the low bits between
 * integers, unless cm_convert_as requests otherwise. */
static spe_id cm_convert_arith_(cm_ctx *c, cm_type from, cm_type to, spe_id v)
{
    static const uint32_t modes[] = {0, SPE_FPRoundingModeRTE, SPE_FPRoundingModeRTZ, SPE_FPRoundingModeRTP,
                                     SPE_FPRoundingModeRTN};
    const cm_type_row *f = cm_type_info(from), *t = cm_type_info(to);
    spe_id type = cm_arith_type(c, to), same = cm_arith_type(c, from), id;
    if (!type || !same) return 0;
    bool float_from = f->kind == CM_KIND_FLOAT, float_to = t->kind == CM_KIND_FLOAT;
    bool other_sign = c->saturate && !float_from && !float_to && f->is_signed != t->is_signed;
    if (type == same && !other_sign) return v;
    type = spe_vec_like(c->module, type, v);
    if (other_sign) id = spe_op(c->module, t->is_signed ? SPE_OpSatConvertUToS : SPE_OpSatConvertSToU, type, 1, &v);
    else id = spe_cast(c->module, type, v, float_from ? t->is_signed : f->is_signed);
    if (!id || id == v) return id;
    if (c->rounding && (float_from || float_to))
        spe_decorate(c->module, id, SPE_DecorationFPRoundingMode, 1, &modes[c->rounding]);
    if (c->saturate && !float_to && !other_sign)
        spe_decorate(c->module, id, SPE_DecorationSaturatedConversion, 0, NULL);
    return from == CM_F64 && float_to ? cm_quiet_(c, id) : id;
}

/* Converts values from the storage type of `from` to that of `to`. */
XE_FN_ spe_id cm_convert_vector_(cm_ctx *c, cm_type from, cm_type to, spe_id v)
{
    if (from == to) return v;
    return cm_from_arith(c, to, cm_convert_arith_(c, from, to, cm_to_arith(c, from, v)));
}

spe_id *cm_component_ids(cm_ctx *c, const cm_matrix *a, cm_type type)
{
    if (cm_is_poison_(c, a) || cm_opaque_(c, "this operation") || !cm_arith_type(c, a->layout.type)) return NULL;
    spe_id *out = cm_ids_(c, a->layout.size_v);
    for (int part = 0, v = 0; out && part < a->parts; part++) {
        int words = cm_part_words(&a->layout, part), group = cm_group_(&a->layout, words),
            n = group * cm_channels_(&a->layout);
        for (int first = 0; first < words; first += group) {
            spe_id vector =
                cm_convert_vector_(c, a->layout.type, type, cm_unpack_(c, &a->layout, a->part[part], first, group));
            for (int i = 0; i < n; i++) out[v++] = spe_extract(c->module, vector, (uint32_t)i);
        }
    }
    return out;
}

/* What the function makes of components, which must be of their type. */
static spe_id cm_applied_(cm_ctx *c, cm_type type, spe_id a, spe_id b, cm_fn fn, void *user)
{
    spe_id r = fn(c, type, a, b, user);
    char got[64], want[64];
    if (!spe_ok(c->module) || spe_type_of(c->module, r) == spe_type_of(c->module, a)) return r;
    return CM_FAIL_(c, SCALAR, "a function on %s returned %s",
                    spe_type_text(c->module, spe_type_of(c->module, a), want, sizeof want),
                    spe_type_text(c->module, spe_type_of(c->module, r), got, sizeof got));
}

/* Applies fn to every group of components of a (and b, if given) and converts the results to the type of l. */
XE_FN_ cm_matrix cm_map_(cm_ctx *c, const cm_layout *l, const cm_matrix *a, const cm_matrix *b, cm_fn fn, void *user)
{
    cm_matrix d = cm_new_(c, l);
    cm_type type = a->layout.type;
    if (cm_opaque_(c, "component-wise operations") || !cm_arith_type(c, type) || !cm_arith_type(c, l->type))
        return cm_poison();
    for (int part = 0; part < d.parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), pieces = 0;
        spe_id piece[8];
        for (int first = 0; first < words; first += group) {
            spe_id x = cm_unpack_(c, &a->layout, a->part[part], first, group), y = 0;
            if (b) y = cm_to_arith(c, type, cm_unpack_(c, &b->layout, b->part[part], first, group));
            if (fn) x = cm_from_arith(c, type, cm_applied_(c, type, cm_to_arith(c, type, x), y, fn, user));
            piece[pieces++] = cm_pack_(c, l, cm_convert_vector_(c, type, l->type, x), group);
        }
        d.part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    return spe_ok(c->module) ? d : cm_poison();
}

/* The components of layout `from` that component v of layout `to` comes from, over all lanes, and whether no lane needs
 * another's. A lane needs at most one row or column, so there are at most as many as the largest subgroup has lanes. */
typedef struct {
    int source[64], count;
    bool in_lane;
} cm_sources_;

/* Element (r, c) of `to` is element (r, c) of `from`, or (c, r) if transposed, modulo the extents of `from`. */
static cm_sources_ cm_sources_of_(const cm_layout *from, const cm_layout *to, bool transposed, int v)
{
    cm_sources_ s;
    s.count = 0;
    s.in_lane = true;
    for (int lane = 0; lane < to->lanes; lane++) {
        cm_element e = cm_element_at_(to, lane, v);
        if (e.padding) continue;
        cm_slot have = cm_slot_of(from, (transposed ? e.col : e.row) % from->rows,
                                  (transposed ? e.row : e.col) % from->cols);
        int number = cm_number_of_(from, have), i = 0;
        if (have.lane != lane) s.in_lane = false;
        while (i < s.count && s.source[i] != number) i++;
        if (i == s.count && i < (int)(sizeof s.source / sizeof s.source[0])) s.source[s.count++] = number;
    }
    return s;
}

/* cm_slot_of at run time: lane and component number (counting channels) of an element in layout l. */
static void cm_find_slot_(cm_ctx *c, const cm_layout *l, spe_id row, spe_id col, spe_id *lane, spe_id *v)
{
    spe_module *m = c->module;
    spe_id inner = cm_mod_(c, row, l->size_i * l->size_k1), k2 = cm_shr_(c, row, l->size_i * l->size_k1);
    spe_id i = l->interleaved ? cm_shr_(c, inner, l->size_k1) : cm_mod_(c, inner, l->size_i);
    spe_id k1 = l->interleaved ? cm_mod_(c, inner, l->size_k1) : cm_shr_(c, inner, l->size_i);
    spe_id j = spe_iadd(m, cm_shr_(c, col, l->omega), cm_times_(c, k2, l->size_j / l->omega));
    spe_id number = spe_iadd(m, i, cm_times_(c, spe_iadd(m, k1, cm_times_(c, j, l->size_k1)), l->size_i));
    *lane = cm_mod_(c, number, l->lanes);
    *v = spe_iadd(m, cm_times_(c, cm_shr_(c, number, l->lanes), l->omega), cm_mod_(c, col, l->omega));
}

/* Component v of layout `to` if lanes need others' components: a shuffle for each source, then a select. */
static spe_id cm_fetch_(cm_ctx *c, const cm_layout *from, const cm_layout *to, bool transposed, int v,
                        const cm_sources_ *s, const spe_id *components)
{
    spe_id lane, number, got = 0, at_row = cm_row_index(c, to, v), at_col = cm_col_index(c, to, v);
    spe_id row = transposed ? at_col : at_row, col = transposed ? at_row : at_col;
    if ((transposed ? to->cols : to->rows) > from->rows) row = cm_mod_(c, row, from->rows);
    if ((transposed ? to->rows : to->cols) > from->cols) col = spe_umod(c->module, col, cm_i32_(c, from->cols));
    cm_find_slot_(c, from, row, col, &lane, &number);
    for (int i = 0; i < s->count; i++) {
        spe_id one = components[s->source[i]];
        if (!s->in_lane) one = spe_sg_shuffle(c->module, one, lane);
        got = i == 0 ? one : spe_select(c->module, spe_ieq(c->module, number, cm_i32_(c, s->source[i])), one, got);
    }
    return got;
}

/* The elements of `a`, converted to the type of layout `to` and rearranged for it (see cm_sources_of_). */
static cm_matrix cm_relayout_(cm_ctx *c, const cm_matrix *a, const cm_layout *to, bool transposed)
{
    spe_id *from = cm_component_ids(c, a, to->type), *v = cm_ids_(c, to->size_v);
    spe_id zero = spe_null(c->module, cm_storage_type(c, to->type));
    if (!from || !v) return cm_poison();
    for (int i = 0; i < to->size_v; i++) {
        cm_sources_ s = cm_sources_of_(&a->layout, to, transposed, i);
        if (s.count == 0) v[i] = zero;
        else if (s.count == 1 && s.in_lane) v[i] = s.source[0] == i ? from[i] : spe_reload(c->module, from[s.source[0]]);
        else v[i] = cm_fetch_(c, &a->layout, to, transposed, i, &s, from);
    }
    return cm_from_components(c, to, v);
}

/* `rows` x `cols` in the given use, element (r, c) from (r, c) of `a`, or (c, r), modulo the extents of a. */
static cm_matrix cm_rearrange_(cm_ctx *c, const cm_matrix *a, int rows, int cols, cm_use use, bool transposed)
{
    cm_matrix half[2];
    for (int i = 0; i < cm_halves_(a->layout.type); i++) {
        half[i] = cm_half_(a, i);
        cm_layout l = cm_layout_for(c, rows, cols, half[i].layout.type, use);
        half[i] = l.rows ? cm_relayout_(c, &half[i], &l, transposed) : cm_poison();
    }
    return cm_of_halves_(c, a->layout.type, half);
}

cm_matrix cm_transpose(cm_ctx *c, const cm_matrix *a, cm_use use)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_rearrange_(c, a, a->layout.cols, a->layout.rows, use, true);
}

cm_matrix cm_repeat(cm_ctx *c, const cm_matrix *a, int rows, int cols)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_rearrange_(c, a, rows, cols, a->layout.use, false);
}

/* Changes type and use: of both halves of a complex matrix; a real one may become the real half of one. */
static cm_matrix cm_change_(cm_ctx *c, const cm_matrix *a, cm_type type, cm_use use)
{
    if (cm_is_poison_(c, a)) return cm_poison();
    if (type == a->layout.type && use == a->layout.use) return *a;
    cm_layout l = cm_layout_for(c, a->layout.rows, a->layout.cols, type, use);
    bool is_complex = cm_is_complex(a->layout.type);
    if (!l.rows) return cm_poison();
    if (cm_is_complex(type)) {
        cm_type part = cm_half_type_(type);
        cm_matrix half[2] = {cm_half_(a, 0), is_complex ? cm_half_(a, 1) : cm_splat(c, l.rows, l.cols, part, use, 0)};
        if (is_complex) half[1] = cm_change_(c, &half[1], part, use);
        half[0] = cm_change_(c, &half[0], part, use);
        return cm_of_halves_(c, type, half);
    }
    if (is_complex)
        return CM_POISON_(c, CONVERT, "%s to %s: take cm_re or cm_im", cm_name_(a->layout.type), cm_name_(type));
    if (use != a->layout.use && cm_opaque_(c, "cm_convert_use")) return cm_poison();
    bool in_place = l.size_v == a->layout.size_v && l.omega == a->layout.omega && l.size_k1 == a->layout.size_k1 &&
                    l.interleaved == a->layout.interleaved && l.size_i == a->layout.size_i;
    return in_place ? cm_map_(c, &l, a, NULL, NULL, NULL) : cm_relayout_(c, a, &l, false);
}

cm_matrix cm_convert(cm_ctx *c, const cm_matrix *a, cm_type type) { return cm_change_(c, a, type, a->layout.use); }

cm_matrix cm_convert_use(cm_ctx *c, const cm_matrix *a, cm_use use) { return cm_change_(c, a, a->layout.type, use); }

cm_matrix cm_convert_as(cm_ctx *c, const cm_matrix *a, cm_type type, cm_rounding rounding, bool saturate)
{
    if (cm_is_poison_(c, a) || cm_opaque_(c, "cm_convert_as")) return cm_poison();
    if ((unsigned)rounding > (unsigned)CM_ROUND_DOWN)
        return CM_POISON_(c, CONVERT, "cm_convert_as: there is no rounding %d", (int)rounding);
    c->rounding = rounding;
    c->saturate = saturate;
    c->overflow = !saturate;
    cm_matrix d = cm_change_(c, a, type, a->layout.use);
    c->rounding = CM_ROUND_AUTO;
    c->saturate = c->overflow = false;
    return d;
}
