/* matrix.c - matrices: the layouts of a context, their parts, halves and components; splats. */
#include "internal.h"

/* Makes blocks of `depth` rows, fewer than lanes, so that lanes hold several adjacent columns. */
XE_ONCE_
static void cm_layout_pair_(cm_layout *l, int depth)
{
    int across = l->lanes / depth;
    l->size_i = depth;
    l->size_k = l->size_k2 = l->rows / depth;
    l->size_j = (l->cols + across - 1) / across * across;
    l->size_v = l->rows * l->size_j / l->lanes;
    l->needs_mask = l->size_j > l->cols;
}

/* Are products of this type sums of four bytes by one instruction? Then lanes have four neighbours along k together. */
XE_FN_ bool cm_dots_(const cm_ctx *c, cm_type type)
{
    return c->lowering == CM_PLAIN && c->target.block1d && (type == CM_I8 || type == CM_U8);
}

cm_layout cm_layout_for(cm_ctx *c, int rows, int cols, cm_type type, cm_use use)
{
    cm_layout l;
    if (use >= CM_OPAQUE_ACC && use <= CM_OPAQUE_B) return cm_opaque_layout_(c, rows, cols, type, use);
    int error = cm_layout_init(&l, rows, cols, type, use, c->target.subgroup_size);
    if (error) {
        spe_fail(c->module, error, cm_error_name(error), "%s: %d x %d, type %d, use %d, subgroup size %d",
                 cm_error_text(error), rows, cols, (int)type, (int)use, c->target.subgroup_size);
        return l;
    }
    if (use == CM_B && cm_dots_(c, type) && rows >= 4 * l.lanes) cm_layout_interleave(&l, 4);
    if (use != CM_B || c->lowering == CM_PLAIN || !cm_has_dpas(&c->target, cm_product_row(type, type))) return l;
    int depth = cm_dpas_depth_(type);
    if (depth > l.lanes && rows >= depth) cm_layout_interleave(&l, depth / l.lanes);
    if (depth < l.lanes && rows > depth && c->lowering == CM_INTEL) cm_layout_pair_(&l, depth);
    return l;
}

/* Components per word, words per block, bits per word. */
XE_FN_ int cm_channels_(const cm_layout *l) { return l->packed ? l->omega : l->size_k1; }
XE_FN_ int cm_block_words_(const cm_layout *l) { return l->size_v / (l->size_k2 * cm_channels_(l)); }
XE_FN_ int cm_word_bits_(const cm_layout *l) { return cm_channels_(l) * cm_type_info(l->type)->storage_bits; }

bool cm_is_complex(cm_type type) { return type == CM_C32 || type == CM_C64; }

/* Number of halves, for code that treats the halves of complex matrices alike; a real matrix is its only half. */
XE_FN_ int cm_halves_(cm_type type) { return cm_is_complex(type) ? 2 : 1; }
XE_FN_ cm_type cm_half_type_(cm_type type) { return type == CM_C32 ? CM_F32 : type == CM_C64 ? CM_F64 : type; }

int cm_part_count(const cm_layout *l)
{
    if (cm_is_opaque_(l)) return l->rows / l->size_i * (l->cols / l->size_j);
    return l->rows ? l->size_k2 * spe_part_count(cm_block_words_(l)) * cm_halves_(l->type) : 0;
}

int cm_part_words(const cm_layout *l, int part)
{
    int words = l->rows ? cm_block_words_(l) : 0;
    return words ? spe_part_length(words, part % spe_part_count(words)) : 0;
}

/* The words of a part: their block, the first word in it, and their number. */
XE_FN_ cm_span_ cm_span_of_(const cm_layout *l, int part)
{
    int all = cm_block_words_(l), runs = spe_part_count(all), run = part % runs;
    cm_span_ s = {part / runs, run * 8, spe_part_length(all, run)};
    if (s.words < 8) s.first = all & -2 * s.words; /* the larger ones come first */
    return s;
}

spe_id cm_storage_type(cm_ctx *c, cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    if (!t) return CM_FAIL_(c, EMIT_TYPE, "there is no type %d", (int)type);
    return t->storage_float ? spe_float(c->module, (uint32_t)t->storage_bits)
                            : spe_int(c->module, (uint32_t)t->storage_bits);
}

spe_id cm_arith_type(cm_ctx *c, cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    if (cm_is_complex(type)) return CM_FAIL_(c, EMIT_TYPE, "not an operation on %s: use cm_re and cm_im", t->name);
    bool small = t && (t->kind == CM_KIND_FLOAT || t->kind == CM_KIND_MX) && !t->storage_float;
    return small ? spe_float(c->module, 32) : cm_storage_type(c, type);
}

XE_FN_ const char *cm_name_(cm_type type) { return cm_type_info(type) ? cm_type_info(type)->name : "(none)"; }
XE_FN_ spe_id cm_vec_(cm_ctx *c, spe_id elem, int n) { return spe_vec(c->module, elem, (uint32_t)n); }

/* Accumulators have the storage type; operands below 32 bits are integers, as the matrix instruction requires. */
XE_FN_ spe_id cm_word_type_(cm_ctx *c, const cm_layout *l)
{
    int bits = cm_word_bits_(l);
    if (l->use == CM_ACC || (bits >= 32 && cm_channels_(l) == 1)) return cm_storage_type(c, l->type);
    return spe_int(c->module, (uint32_t)bits);
}

/* The type of an opaque part: our columns are its rows. */
XE_ONCE_
static spe_id cm_opaque_type_(cm_ctx *c, const cm_layout *l)
{
    static const uint32_t uses[] = {SPE_CooperativeMatrixUseMatrixAccumulatorKHR, SPE_CooperativeMatrixUseMatrixBKHR,
                                    SPE_CooperativeMatrixUseMatrixAKHR};
    spe_id component = l->type == CM_BF16 ? spe_bf16(c->module) : cm_storage_type(c, l->type);
    return spe_coopmat(c->module, component, SPE_ScopeSubgroup, (uint32_t)l->size_j, (uint32_t)l->size_i,
                       uses[l->use - CM_OPAQUE_ACC]);
}

/* Under CM_KHR a part is a KHR matrix, transposed: words (our columns) by lanes. */
spe_id cm_part_type(cm_ctx *c, const cm_layout *l, int part)
{
    static const uint32_t uses[] = {SPE_CooperativeMatrixUseMatrixAccumulatorKHR, SPE_CooperativeMatrixUseMatrixBKHR,
                                    SPE_CooperativeMatrixUseMatrixAKHR};
    const cm_type_row *t = cm_type_info(l->type);
    if (cm_is_opaque_(l)) return cm_opaque_type_(c, l);
    if (c->lowering != CM_KHR) return cm_vec_(c, cm_word_type_(c, l), cm_part_words(l, part));
    spe_id component = cm_storage_type(c, l->type);
    if (t->kind == CM_KIND_FLOAT && !t->storage_float)
        return CM_FAIL_(c, LOWERING, "there are no matrices of %s under CM_KHR", t->name);
    return spe_coopmat(c->module, component, SPE_ScopeSubgroup, (uint32_t)(cm_part_words(l, part) * l->omega),
                       (uint32_t)(l->size_i * l->size_k1), uses[l->use]);
}

cm_matrix cm_poison(void)
{
    cm_matrix a;
    memset(&a, 0, sizeof a);
    return a;
}


/* Is there no matrix to compute with? It is an error if it is opaque. */
XE_FN_ bool cm_is_poison_(const cm_ctx *c, const cm_matrix *a)
{
    if (!spe_ok(c->module) || a->parts == 0) return true;
    if (!cm_is_opaque_(&a->layout)) return false;
    return !CM_FAIL_(c, LOWERING, "not an operation on an %s", cm_use_name(a->layout.use));
}

XE_FN_ spe_id *cm_ids_(cm_ctx *c, int n) { return (spe_id *)spe_alloc(c->module, (size_t)n * sizeof(spe_id)); }

/* Under CM_KHR lanes cannot access components: returns true and reports an error of `what`, which needs them. */
XE_FN_ bool cm_opaque_(cm_ctx *c, const char *what)
{
    if (c->lowering == CM_KHR) CM_FAIL_(c, LOWERING, "%s: not possible with matrices of CM_KHR", what);
    return c->lowering == CM_KHR;
}

/* A matrix of this layout with room for its parts; poison after an error. */
XE_FN_ cm_matrix cm_new_(cm_ctx *c, const cm_layout *l)
{
    cm_matrix a = cm_poison();
    int parts = cm_part_count(l);
    if (!spe_ok(c->module) || parts == 0 || !cm_storage_type(c, l->type)) return a;
    a.layout = *l;
    a.part = cm_ids_(c, parts);
    a.parts = a.part ? parts : 0;
    return a;
}

cm_matrix cm_from_parts(cm_ctx *c, const cm_layout *l, const spe_id *parts)
{
    cm_matrix a = cm_new_(c, l);
    for (int i = 0; i < a.parts; i++) {
        a.part[i] = parts[i];
        if (spe_type_of(c->module, parts[i]) != cm_part_type(c, l, i))
            return CM_POISON_(c, COMPONENT, "part %d of a %d x %d %s %s has another type", i, l->rows, l->cols,
                              cm_name_(l->type), cm_use_name(l->use));
    }
    return a;
}

/* Do they have the same type and layout? Else an error. */
XE_FN_ bool cm_alike_(cm_ctx *c, const cm_matrix *a, const cm_matrix *b)
{
    const cm_layout *x = &a->layout, *y = &b->layout;
    if (x->type != y->type)
        return CM_FAIL_(c, COMPONENT, "component types differ: %s and %s", cm_name_(x->type), cm_name_(y->type));
    if (x->rows == y->rows && x->cols == y->cols && x->use == y->use && x->lanes == y->lanes &&
        x->interleaved == y->interleaved)
        return true;
    return CM_FAIL_(c, SHAPE, "matrices differ: %d x %d %s and %d x %d %s", x->rows, x->cols, cm_use_name(x->use),
                    y->rows, y->cols, cm_use_name(y->use));
}

XE_FN_ cm_matrix cm_half_(const cm_matrix *a, int which)
{
    cm_matrix half = *a;
    half.layout.type = cm_half_type_(a->layout.type);
    half.parts = a->parts / cm_halves_(a->layout.type);
    half.part = a->part + which * half.parts;
    return half;
}

XE_ONCE_
XE_FN_ cm_matrix cm_of_halves_(cm_ctx *c, cm_type type, const cm_matrix half[2])
{
    return cm_is_complex(type) ? cm_complex(c, &half[0], &half[1]) : half[0];
}

static cm_matrix cm_half_of_complex_(cm_ctx *c, const cm_matrix *a, int which)
{
    if (cm_is_poison_(c, a)) return cm_poison();
    if (cm_is_complex(a->layout.type)) return cm_half_(a, which);
    return CM_POISON_(c, COMPONENT, "a matrix of %s has no imaginary part", cm_name_(a->layout.type));
}

cm_matrix cm_re(cm_ctx *c, const cm_matrix *a) { return cm_half_of_complex_(c, a, 0); }
cm_matrix cm_im(cm_ctx *c, const cm_matrix *a) { return cm_half_of_complex_(c, a, 1); }

cm_matrix cm_complex(cm_ctx *c, const cm_matrix *re, const cm_matrix *im)
{
    if (cm_is_poison_(c, re) || cm_is_poison_(c, im) || !cm_alike_(c, re, im)) return cm_poison();
    cm_layout l = re->layout;
    if (l.type != CM_F32 && l.type != CM_F64)
        return CM_POISON_(c, COMPONENT, "a complex matrix is of f32 or f64, not of %s", cm_name_(l.type));
    l.type = l.type == CM_F32 ? CM_C32 : CM_C64;
    cm_matrix z = cm_new_(c, &l);
    if (!z.parts) return z;
    memcpy(z.part, re->part, (size_t)re->parts * sizeof *z.part);
    memcpy(z.part + re->parts, im->part, (size_t)im->parts * sizeof *z.part);
    return z;
}

spe_id cm_bitcast(cm_ctx *c, spe_id type, spe_id v) { return spe_bitcast(c->module, type, v); }

/* Words of a part to process at once: a vector has at most 16 components. */
XE_FN_ int cm_group_(const cm_layout *l, int words)
{
    int most = 16 / cm_channels_(l);
    return words < most ? words : most;
}

/* n copies of a scalar as a vector; the scalar when n is 1. */
XE_FN_ spe_id cm_copies_(cm_ctx *c, spe_id scalar, int n)
{
    return spe_splat(c->module, cm_vec_(c, spe_type_of(c->module, scalar), n), scalar);
}

/* `count` adjacent components of a vector, starting at `first`. */
XE_FN_ spe_id cm_slice_(cm_ctx *c, spe_id v, int first, int count)
{
    uint32_t index[16];
    if ((uint32_t)count == spe_count(c->module, spe_type_of(c->module, v))) return v;
    for (int i = 0; i < count; i++) index[i] = (uint32_t)(first + i);
    return spe_shuffle(c->module, v, v, (uint32_t)count, index);
}

/* Joins n scalars, or one or two vectors of `each` components, to a vector. */
XE_FN_ spe_id cm_join_(cm_ctx *c, spe_id elem, const spe_id *piece, int n, int each)
{
    uint32_t index[16], all = (uint32_t)(n * each);
    if (n == 1) return piece[0];
    if (each == 1) return spe_construct(c->module, cm_vec_(c, elem, n), (uint32_t)n, piece);
    for (uint32_t i = 0; i < all; i++) index[i] = i;
    return spe_shuffle(c->module, piece[0], piece[1], all, index);
}

/* Words first .. first + words of a part as a vector of components of the storage type. */
XE_FN_ spe_id cm_unpack_(cm_ctx *c, const cm_layout *l, spe_id part, int first, int words)
{
    spe_id type = cm_vec_(c, cm_storage_type(c, l->type), words * cm_channels_(l));
    return cm_bitcast(c, type, cm_slice_(c, part, first, words));
}

/* The inverse: a vector of components as `words` words. */
XE_FN_ spe_id cm_pack_(cm_ctx *c, const cm_layout *l, spe_id components, int words)
{
    return cm_bitcast(c, cm_vec_(c, cm_word_type_(c, l), words), components);
}

/* Component v: its part, and the word in it. False and an error if there is no such component. */
static bool cm_find_component_(cm_ctx *c, const cm_matrix *a, int v, int *part, int *word)
{
    if (cm_is_poison_(c, a) || cm_opaque_(c, "components") || !cm_arith_type(c, a->layout.type)) return false;
    if (v < 0 || v >= a->layout.size_v)
        return CM_FAIL_(c, SHAPE, "component %d: the matrix has %d", v, a->layout.size_v);
    int words = cm_block_words_(&a->layout), all = v / cm_channels_(&a->layout);
    *part = all / words * spe_part_count(words);
    *word = all % words;
    while (*word >= cm_part_words(&a->layout, *part)) *word -= cm_part_words(&a->layout, (*part)++);
    return true;
}

spe_id cm_component(cm_ctx *c, const cm_matrix *a, int v)
{
    int part = 0, word = 0;
    if (!cm_find_component_(c, a, v, &part, &word)) return 0;
    return spe_extract(c->module, cm_unpack_(c, &a->layout, a->part[part], word, 1),
                       (uint32_t)(v % cm_channels_(&a->layout)));
}

cm_matrix cm_insert(cm_ctx *c, const cm_matrix *a, int v, spe_id scalar)
{
    int part = 0, word = 0;
    if (!cm_find_component_(c, a, v, &part, &word)) return cm_poison();
    if (spe_type_of(c->module, scalar) != cm_storage_type(c, a->layout.type))
        return CM_POISON_(c, SCALAR, "the scalar is not of the storage type of %s", cm_name_(a->layout.type));
    cm_matrix d = cm_new_(c, &a->layout);
    if (!d.parts) return d;
    memcpy(d.part, a->part, (size_t)a->parts * sizeof *d.part);
    int channels = cm_channels_(&a->layout);
    if (channels > 1)
        scalar =
            spe_insert(c->module, cm_unpack_(c, &a->layout, a->part[part], word, 1), scalar, (uint32_t)(v % channels));
    scalar = cm_pack_(c, &a->layout, scalar, 1);
    d.part[part] =
        cm_part_words(&a->layout, part) == 1 ? scalar : spe_insert(c->module, a->part[part], scalar, (uint32_t)word);
    return d;
}

cm_matrix cm_from_components(cm_ctx *c, const cm_layout *l, const spe_id *components)
{
    cm_matrix a = cm_new_(c, l);
    if (!a.parts || cm_opaque_(c, "components") || !cm_arith_type(c, l->type)) return cm_poison();
    for (int v = 0; v < l->size_v; v++)
        if (spe_type_of(c->module, components[v]) != cm_storage_type(c, l->type))
            return CM_POISON_(c, SCALAR, "component %d is not of the storage type of %s", v, cm_name_(l->type));
    for (int part = 0; part < a.parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), n = group * cm_channels_(l), pieces = 0;
        spe_id piece[8], elem = cm_storage_type(c, l->type);
        for (int first = 0; first < words; first += group, components += n)
            piece[pieces++] = cm_pack_(c, l, cm_join_(c, elem, components, n, 1), group);
        a.part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    return a;
}

/* The words of a matrix: those of each block after another. */
XE_FN_ spe_id *cm_words_of_(cm_ctx *c, const cm_matrix *a)
{
    int n = 0;
    spe_id *words = cm_ids_(c, a->layout.size_v / cm_channels_(&a->layout));
    for (int part = 0; words && part < a->parts; part++)
        for (int i = 0, count = cm_part_words(&a->layout, part); i < count; i++)
            words[n++] = count == 1 ? a->part[part] : spe_extract(c->module, a->part[part], (uint32_t)i);
    return words;
}

/* The inverse: a matrix of these words. */
XE_FN_ cm_matrix cm_from_words_(cm_ctx *c, const cm_layout *l, const spe_id *words)
{
    cm_matrix a = cm_new_(c, l);
    for (int part = 0; part < a.parts; words += cm_part_words(l, part++))
        a.part[part] = cm_join_(c, cm_word_type_(c, l), words, cm_part_words(l, part), 1);
    return a;
}

cm_matrix cm_splat(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, spe_id scalar)
{
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    cm_matrix a = cm_new_(c, &l);
    if (!a.parts) return a;
    spe_id elem = cm_storage_type(c, type), word = 0;
    if (scalar && spe_type_of(c->module, scalar) != elem)
        return CM_POISON_(c, SCALAR, "the scalar of a %s matrix is not of its storage type", cm_name_(type));
    bool opaque = c->lowering == CM_KHR || cm_is_opaque_(&l);
    if (scalar && !opaque) word = cm_pack_(c, &l, cm_copies_(c, scalar, cm_channels_(&l)), 1);
    for (int i = 0; i < a.parts; i++) {
        bool zero = !scalar || i >= a.parts / cm_halves_(type);
        spe_id one = zero && opaque ? spe_null(c->module, elem) : scalar, part = cm_part_type(c, &l, i);
        if (opaque) /* Intel's compiler crashes on an OpConstantNull of such a type */
            a.part[i] = spe_construct(c->module, part, 1, &one);
        else if (zero) a.part[i] = spe_null(c->module, part);
        else a.part[i] = spe_splat(c->module, part, word);
    }
    return a;
}
