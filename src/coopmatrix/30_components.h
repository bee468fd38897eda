
/* ---- parts <-> components ---------------------------------------------------------------------------------------- */

static inline spe_id cm_bitcast_(cm_ctx *c, spe_id type, spe_id v)
{
    return spe_type_of(c->m, v) == type ? v : spe_bitcast(c->m, type, v);
}

/* Words of a part that are handled at once: a vector has at most 16 components. */
static inline int cm_group_(const cm_layout *l, int words)
{
    int most = 16 / cm_channels_(l);
    return words < most ? words : most;
}

/* `count` neighbours of a vector, from the first on. */
static inline spe_id cm_slice_(cm_ctx *c, spe_id v, int first, int count)
{
    uint32_t index[16], i, all = spe_count(c->m, spe_type_of(c->m, v));
    if ((uint32_t)count == all) return v;
    if (count == 1) return spe_extract(c->m, v, (uint32_t)first);
    for (i = 0; i < (uint32_t)count; i++) index[i] = (uint32_t)first + i;
    return spe_shuffle(c->m, v, v, (uint32_t)count, index);
}

/* One vector of n scalars, or of one or two vectors of `each` components. */
static inline spe_id cm_join_(cm_ctx *c, spe_id elem, const spe_id *piece, int n, int each)
{
    uint32_t index[16], i;
    if (n == 1) return piece[0];
    if (each == 1) return spe_construct(c->m, spe_vec(c->m, elem, (uint32_t)n), (uint32_t)n, piece);
    for (i = 0; i < (uint32_t)(n * each); i++) index[i] = i;
    return spe_shuffle(c->m, piece[0], piece[1], (uint32_t)(n * each), index);
}

/* Words first .. first + words of a part as a vector of components of the storage type. */
static inline spe_id cm_unpack_(cm_ctx *c, const cm_layout *l, spe_id part, int first, int words)
{
    spe_id type = spe_vec(c->m, cm_storage_type(c, l->type), (uint32_t)(words * cm_channels_(l)));
    return cm_bitcast_(c, type, cm_slice_(c, part, first, words));
}

/* A vector of components back to `words` words. */
static inline spe_id cm_pack_(cm_ctx *c, const cm_layout *l, spe_id components, int words)
{
    return cm_bitcast_(c, spe_vec(c->m, cm_word_type_(c, l), (uint32_t)words), components);
}

/* This lane's component v, 0 <= v < V (channels of a word follow one another), of the storage type. */
static inline spe_id cm_component(cm_ctx *c, const cm_matrix *a, int v)
{
    int channels = cm_channels_(&a->l), words = cm_block_words_(&a->l), word = v / channels, part, in_block;
    if (cm_is_poison_(c, a)) return 0;
    if (v < 0 || v >= a->l.V) return cm_fail_(c, CM_ERROR_SHAPE, "component %d: the matrix has %d", v, a->l.V);
    part = word / words * cm_runs_(words);
    in_block = word % words;
    while (in_block >= cm_part_words(&a->l, part)) in_block -= cm_part_words(&a->l, part++);
    if (channels == 1) {
        spe_id one = cm_slice_(c, a->part[part], in_block, 1);
        return cm_bitcast_(c, cm_storage_type(c, a->l.type), one);
    }
    return spe_extract(c->m, cm_unpack_(c, &a->l, a->part[part], in_block, 1), (uint32_t)(v % channels));
}

/* The inverse of cm_component: a matrix of V scalars of the storage type, the order as there. */
static inline cm_matrix cm_from_components(cm_ctx *c, const cm_layout *l, const spe_id *components)
{
    cm_matrix a = cm_new_(c, l);
    int part, first, v = 0, channels = cm_channels_(l);
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

static inline spe_id cm_like_(cm_ctx *c, spe_id elem, spe_id v) /* elem, as many as v has */
{
    return spe_vec(c->m, elem, spe_count(c->m, spe_type_of(c->m, v)));
}

static inline spe_id cm_bf16_to_f32_(cm_ctx *c, spe_id v)
{
    spe_id i32 = cm_like_(c, spe_int(c->m, 32), v);
    spe_id wide = spe_shl(c->m, spe_uconvert(c->m, i32, v), spe_const_u(c->m, i32, 16));
    return spe_bitcast(c->m, cm_like_(c, spe_float(c->m, 32), v), wide);
}

/* To nearest, ties to even; NaN stays NaN. By hand where Intel's conversion instruction need not be known. */
static inline spe_id cm_f32_to_bf16_(cm_ctx *c, spe_id v)
{
    spe_id i32 = cm_like_(c, spe_int(c->m, 32), v), i16 = cm_like_(c, spe_int(c->m, 16), v), bits, odd, sum;
    if (c->lowering == CM_INTEL) return spe_f32_to_bf16(c->m, v);
    bits = spe_bitcast(c->m, i32, v);
    odd = spe_and(c->m, spe_shr(c->m, bits, spe_const_u(c->m, i32, 16)), spe_const_u(c->m, i32, 1));
    sum = spe_iadd(c->m, spe_iadd(c->m, bits, odd), spe_const_u(c->m, i32, 0x7fff));
    sum = spe_select(c->m, spe_isnan(c->m, v), spe_or(c->m, bits, spe_const_u(c->m, i32, 0x400000)), sum);
    return spe_uconvert(c->m, i16, spe_shr(c->m, sum, spe_const_u(c->m, i32, 16)));
}

/* Between the storage type and the type that arithmetic is done in. */
static inline spe_id cm_to_arith_(cm_ctx *c, cm_type type, spe_id v)
{
    if (!cm_arith_type(c, type)) return 0;
    return type == CM_BF16 ? cm_bf16_to_f32_(c, v) : v;
}
static inline spe_id cm_from_arith_(cm_ctx *c, cm_type type, spe_id v)
{
    return type == CM_BF16 ? cm_f32_to_bf16_(c, v) : v;
}

/* Arithmetic values of one type to those of another: to nearest between floats, towards zero to integers, the low bits
 * between integers. */
static inline spe_id cm_convert_arith_(cm_ctx *c, cm_type from, cm_type to, spe_id v)
{
    const cm_type_row *f = cm_type_info(from), *t = cm_type_info(to);
    spe_id type = cm_arith_type(c, to), same = cm_arith_type(c, from);
    if (!type || !same) return 0;
    if (to == CM_TF32 && from != CM_TF32)
        return cm_fail_(c, CM_ERROR_CONVERT, "%s to %s: not available", f->name, t->name);
    if (type == same) return v;
    type = cm_like_(c, type, v);
    if (f->kind == CM_KIND_FLOAT && t->kind == CM_KIND_FLOAT) return spe_fconvert(c->m, type, v);
    if (f->kind == CM_KIND_FLOAT) return t->is_signed ? spe_f_to_s(c->m, type, v) : spe_f_to_u(c->m, type, v);
    if (t->kind == CM_KIND_FLOAT) return f->is_signed ? spe_s_to_f(c->m, type, v) : spe_u_to_f(c->m, type, v);
    return f->is_signed ? spe_sconvert(c->m, type, v) : spe_uconvert(c->m, type, v);
}

static inline spe_id cm_convert_vector_(cm_ctx *c, cm_type from, cm_type to, spe_id v)
{
    if (from == to) return v;
    return cm_from_arith_(c, to, cm_convert_arith_(c, from, to, cm_to_arith_(c, from, v)));
}

/* All V components of this lane as scalars of the storage type of `type`, converted to it; in the arena, NULL on error.
 */
static inline spe_id *cm_components_(cm_ctx *c, const cm_matrix *a, cm_type type)
{
    int part, first, i, v = 0, channels = cm_channels_(&a->l);
    spe_id *out = (spe_id *)spe_alloc(c->m, (size_t)a->l.V * sizeof(spe_id));
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

/* Every element is `scalar`, a value of the storage type (TinyTC: construct); 0 for zero. */
static inline cm_matrix cm_splat(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, spe_id scalar)
{
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    cm_matrix a = cm_new_(c, &l);
    spe_id copies[16], word = 0;
    int i;
    if (!a.parts) return a;
    if (scalar && spe_type_of(c->m, scalar) != cm_storage_type(c, type)) {
        cm_fail_(c, CM_ERROR_SCALAR, "the scalar of a %s matrix is not of its storage type", cm_type_info(type)->name);
        return cm_poison_();
    }
    for (i = 0; i < 16; i++) copies[i] = scalar;
    if (scalar) word = cm_pack_(c, &l, cm_join_(c, cm_storage_type(c, type), copies, cm_channels_(&l), 1), 1);
    for (i = 0; i < a.parts; i++) {
        spe_id vector = cm_part_type(c, &l, i);
        if (!scalar)
            a.part[i] = spe_null(c->m, vector);
        else
            a.part[i] = cm_part_words(&l, i) == 1 ? word : spe_splat(c->m, vector, word);
    }
    return a;
}

/* fn on every group of components of a (and b, when given), the result converted to the type of l. */
static inline cm_matrix cm_map_(cm_ctx *c, const cm_layout *l, const cm_matrix *a, const cm_matrix *b, cm_fn fn,
                                void *user)
{
    cm_matrix d = cm_new_(c, l);
    cm_type type = a->l.type;
    int part, first;
    for (part = 0; part < d.parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), pieces = 0;
        spe_id piece[8];
        for (first = 0; first < words; first += group) {
            spe_id x = cm_unpack_(c, &a->l, a->part[part], first, group), y = 0;
            if (b) y = cm_to_arith_(c, type, cm_unpack_(c, &b->l, b->part[part], first, group));
            if (fn) x = cm_from_arith_(c, type, fn(c, type, cm_to_arith_(c, type, x), y, user));
            piece[pieces++] = cm_pack_(c, l, cm_convert_vector_(c, type, l->type, x), group);
        }
        d.part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    return spe_ok(c->m) ? d : cm_poison_();
}

/* fn(c, type, a, 0, user) on every component. Padding is mapped too; it is never stored. */
static inline cm_matrix cm_map1(cm_ctx *c, const cm_matrix *a, cm_fn fn, void *user)
{
    return cm_is_poison_(c, a) ? cm_poison_() : cm_map_(c, &a->l, a, NULL, fn, user);
}

/* fn(c, type, a, b, user) on every pair of components of two matrices alike. */
static inline cm_matrix cm_map2(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, cm_fn fn, void *user)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b)) return cm_poison_();
    if (a->l.type != b->l.type) {
        cm_fail_(c, CM_ERROR_COMPONENT, "component types differ: %s and %s", cm_type_info(a->l.type)->name,
                 cm_type_info(b->l.type)->name);
        return cm_poison_();
    }
    if (!cm_same_layout_(&a->l, &b->l)) {
        cm_fail_(c, CM_ERROR_SHAPE, "matrices differ: %d x %d %s and %d x %d %s", a->l.rows, a->l.cols,
                 cm_use_name(a->l.use), b->l.rows, b->l.cols, cm_use_name(b->l.use));
        return cm_poison_();
    }
    return cm_map_(c, &a->l, a, b, fn, user);
}

typedef enum { CM_ADD, CM_SUB, CM_MUL, CM_DIV, CM_MIN, CM_MAX } cm_op;

/* The instruction of an operation: a table by kind of type. */
static inline spe_id cm_apply_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    typedef spe_id (*instruction)(spe_module *, spe_id, spe_id);
    static const instruction table[4][3] = {{spe_fadd, spe_iadd, spe_iadd},
                                            {spe_fsub, spe_isub, spe_isub},
                                            {spe_fmul, spe_imul, spe_imul},
                                            {spe_fdiv, spe_sdiv, spe_udiv}};
    static const spe_math_op math[2][3] = {{SPE_FMIN, SPE_SMIN, SPE_UMIN}, {SPE_FMAX, SPE_SMAX, SPE_UMAX}};
    const cm_type_row *t = cm_type_info(type);
    int kind = t->kind == CM_KIND_FLOAT ? 0 : t->is_signed ? 1 : 2;
    cm_op op = *(const cm_op *)user;
    spe_id both[2];
    if (op < CM_MIN) return table[op][kind](c->m, a, b);
    both[0] = a;
    both[1] = b;
    return spe_math(c->m, math[op - CM_MIN][kind], 2, both);
}

/* a op b, component by component; both of one type, shape and use. bf16 is computed in f32 and rounded to nearest. */
static inline cm_matrix cm_binary(cm_ctx *c, cm_op op, const cm_matrix *a, const cm_matrix *b)
{
    return cm_map2(c, a, b, cm_apply_, &op);
}

static inline cm_matrix cm_add(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_ADD, a, b); }
static inline cm_matrix cm_sub(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_SUB, a, b); }
static inline cm_matrix cm_mul(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_MUL, a, b); }

/* scalar * a; the scalar is of the storage type of a. */
static inline cm_matrix cm_scale(cm_ctx *c, const cm_matrix *a, spe_id scalar)
{
    cm_matrix s;
    if (cm_is_poison_(c, a)) return cm_poison_();
    s = cm_splat(c, a->l.rows, a->l.cols, a->l.type, a->l.use, scalar);
    return cm_mul(c, a, &s);
}

/* ---- where a component is, in the kernel ------------------------------------------------------------------------- */

static inline spe_id cm_i32_(cm_ctx *c, int v) { return spe_i32(c->m, v); }

/* v * factor and v / divisor without instructions that do nothing; divisor a power of two, v >= 0. */
static inline spe_id cm_times_(cm_ctx *c, spe_id v, int factor)
{
    return factor == 1 ? v : spe_imul(c->m, v, cm_i32_(c, factor));
}
static inline spe_id cm_plus_(cm_ctx *c, spe_id v, int n) { return n == 0 ? v : spe_iadd(c->m, v, cm_i32_(c, n)); }
static inline spe_id cm_mod_(cm_ctx *c, spe_id v, int n) { return spe_and(c->m, v, cm_i32_(c, n - 1)); }
static inline spe_id cm_shr_(cm_ctx *c, spe_id v, int divisor)
{
    int shift = 0;
    while (1 << shift < divisor) shift++;
    return shift == 0 ? v : spe_shr(c->m, v, cm_i32_(c, shift));
}

static inline spe_id cm_shr_signed_(cm_ctx *c, spe_id v, int divisor) /* rounds down */
{
    int shift = 0;
    while (1 << shift < divisor) shift++;
    return shift == 0 ? v : spe_sar(c->m, v, cm_i32_(c, shift));
}

/* What a lane knows of itself: i and the first column j0, section "Mapping properties". Where I == S, j0 is 0. */
typedef struct {
    spe_id i, j0;
} cm_lane;

static inline cm_lane cm_lane_(cm_ctx *c, const cm_layout *l)
{
    spe_id p = spe_builtin(c->m, SPE_SUBGROUP_LANE, 0);
    cm_lane lane;
    lane.i = l->I == l->S ? p : cm_mod_(c, p, l->I);
    lane.j0 = l->I == l->S ? cm_i32_(c, 0) : cm_shr_(c, p, l->I);
    return lane;
}

/* Component v = (word, channel) of the vector: the row and the first lane's column that it stands for. */
static inline cm_element cm_first_element_(const cm_layout *l, int v)
{
    cm_slot s;
    s.lane = 0;
    s.component = v / l->omega;
    s.channel = v % l->omega;
    return cm_element_of(l, s);
}

/* The row in the matrix of component v in this lane, i32; needed by callers that compute with positions. */
static inline spe_id cm_row_index(cm_ctx *c, const cm_layout *l, int v)
{
    cm_lane lane = cm_lane_(c, l);
    return cm_plus_(c, cm_times_(c, lane.i, l->interleaved ? l->K1 : 1), cm_first_element_(l, v).row);
}

/* The column; lanes hold columns that are omega apart when several columns fit a row of lanes. */
static inline spe_id cm_col_index(cm_ctx *c, const cm_layout *l, int v)
{
    cm_lane lane = cm_lane_(c, l);
    return cm_plus_(c, cm_times_(c, lane.j0, l->omega), cm_first_element_(l, v).col);
}
