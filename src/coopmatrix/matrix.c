/* matrix.c - targets and contexts, the table of products, and matrices: their parts, halves and components. */
#include "internal.h"

/* Messages of Intel's GPUs; those of the software device, which copies bytes. */
#define CM_BLOCK2D_XE_ {64, 16, 4, 64}
#define CM_BLOCK2D_ANY_ {1, 1, 1, 1}

const cm_target *cm_target_row(const char *name)
{
    static const char large[] = "-ze-opt-large-register-file";
    static const cm_target rows[] = {
        {"pvc", 16, 16 | 32, 16, 16, CM_BLOCK2D_XE_, true, 128 << 10, 1024, 16 << 10, large, true, true},
        {"bmg", 16, 16 | 32, 16, 16, CM_BLOCK2D_XE_, true, 128 << 10, 1024, 16 << 10, large, true, true},
        {"lnl", 16, 16 | 32, 16, 16, CM_BLOCK2D_XE_, true, 128 << 10, 1024, 16 << 10, large, true, true},
        {"ptl", 16, 16 | 32, 16, 16, CM_BLOCK2D_XE_, true, 128 << 10, 1024, 16 << 10, large, true, true},
        {"dg2", 8, 8 | 16 | 32, 8, 0, CM_BLOCK2D_XE_, true, 64 << 10, 1024, 8 << 10, large, false, true},
        {"generic", 16, 8 | 16 | 32, 0, 0, CM_BLOCK2D_XE_, false, 32 << 10, 1024, 8 << 10, "", false, true},
        {"soft", 16, 8 | 16 | 32, 8 | 16, 16, CM_BLOCK2D_ANY_, true, 64 << 10, 1024, 16 << 10, "", false, false},
    };
    if (!name) return NULL;
    if (strcmp(name, "lnl-m") == 0) name = "lnl";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

enum { CM_SIZES_ = 8 | 16 | 32 }; /* of subgroups: more lanes than 32 do not fit where one bit stands for each */

static bool cm_has_size_(const cm_target *t, int size)
{
    return cm_power_of_two_(size) && (t->subgroup_sizes & CM_SIZES_ & (uint32_t)size);
}

/* The sizes of a mask as text, "16 and 32". */
typedef struct {
    char s[16];
} cm_sizes_text_;

static cm_sizes_text_ cm_sizes_of_(uint32_t sizes)
{
    cm_sizes_text_ t = {"none"};
    int n = 0;
    for (uint32_t size = 8; size <= 32; size *= 2) {
        if (!(sizes & size)) continue;
        sizes &= ~size;
        n += snprintf(t.s + n, sizeof t.s - (size_t)n, "%s%u", n == 0 ? "" : sizes & 56 ? ", " : " and ", size);
    }
    return t;
}

bool cm_choose_target(spe_blame at, const spe_device *d, int size, cm_target *target)
{
    const cm_target *row = d ? cm_target_row(d->name) : NULL;
    if (!row) {
        spe_report(at, at.errors->target, "\"%s\"; known are " CM_TARGET_NAMES_, d && d->name ? d->name : "(none)");
        return false;
    }
    *target = *row;
    if (d->subgroup_sizes) target->subgroup_sizes = d->subgroup_sizes;
    if (d->local_memory) target->local_memory = d->local_memory < INT32_MAX ? (int)d->local_memory : INT32_MAX;
    if (d->max_group_size) target->max_group_size = d->max_group_size < INT32_MAX ? (int)d->max_group_size : INT32_MAX;
    if (!size && cm_has_size_(target, row->subgroup_size)) size = row->subgroup_size;
    for (int s = 8; !size && s <= 32; s *= 2) size = cm_has_size_(target, s) ? s : 0; /* the smallest */
    target->subgroup_size = size;
    if (cm_has_size_(target, size)) return true;
    spe_report(at, at.errors->subgroup_size, "wanted %d, %s has %s", size, row->name,
               cm_sizes_of_(target->subgroup_sizes).s);
    return false;
}

bool cm_begin(cm_ctx *c, spe_module *m, const cm_target *target, cm_lowering lowering)
{
    memset(c, 0, sizeof *c);
    c->module = m;
    if (!target) return CM_FAIL_(c, TARGET, "there is no target of this name; known are " CM_TARGET_NAMES_);
    int size = target->subgroup_size;
    bool dpas = (target->dpas_sizes & (uint32_t)size) != 0;
    c->target = *target;
    m->options.verbatim = !target->igc;
    c->lowering = lowering == CM_AUTO ? (dpas ? CM_INTEL : CM_PLAIN) : lowering;
    if (!cm_has_size_(target, size))
        return CM_FAIL_(c, TARGET_SUBGROUP, "subgroup size %d: target %s has the sizes in mask 0x%x", size,
                        target->name, (unsigned)target->subgroup_sizes);
    if ((unsigned)lowering > (unsigned)CM_KHR)
        return CM_FAIL_(c, LOWERING, "target %s: there is no lowering %d", target->name, (int)lowering);
    if (c->lowering == CM_INTEL && !dpas)
        return CM_FAIL_(c, LOWERING, "CM_INTEL: target %s has no matrix instruction at subgroup size %d",
                        target->name, size);
    if (c->lowering == CM_KHR && !target->coop_khr)
        return CM_FAIL_(c, LOWERING, "CM_KHR: target %s does not take SPV_KHR_cooperative_matrix", target->name);
    return spe_ok(m);
}

/* The promotion rule: all pairs of distinct types. Pairs of real types have products, in either order. */
#define CM_PROMOTIONS_(X)                                                                                              \
    X(I8, I16) X(I8, I32) X(I8, I64) X(I8, BF16) X(I8, F16) X(I8, TF32) X(I8, F32) X(I8, F64) X(U8, I16) X(U8, I32)    \
    X(U8, I64) X(U8, U16) X(U8, U32) X(U8, U64) X(U8, BF16) X(U8, F16) X(U8, TF32) X(U8, F32) X(U8, F64) X(I16, I32)   \
    X(I16, I64) X(I16, F32) X(I16, F64) X(U16, I32) X(U16, I64) X(U16, U32) X(U16, U64) X(U16, F32) X(U16, F64)        \
    X(I32, U32) X(I32, I64) X(I32, F64) X(U32, U64) X(U32, I64) X(U32, F64) X(E4M3, BF16) X(E4M3, F16) X(E4M3, TF32)   \
    X(E4M3, F32) X(E4M3, F64) X(E5M2, BF16) X(E5M2, F16) X(E5M2, TF32) X(E5M2, F32) X(E5M2, F64) X(BF16, TF32)         \
    X(BF16, F32) X(BF16, F64) X(F16, TF32) X(F16, F32) X(F16, F64) X(TF32, F32) X(TF32, F64) X(F32, F64)
#define CM_COMPLEX_PROMOTIONS_(X)                                                                                      \
    X(I8, C32) X(I8, C64) X(U8, C32) X(U8, C64) X(I16, C32) X(I16, C64) X(U16, C32) X(U16, C64) X(I32, C32) X(I32, C64)\
    X(U32, C64) X(E4M3, C32) X(E4M3, C64) X(E5M2, C32) X(E5M2, C64) X(BF16, C32) X(BF16, C64) X(F16, C32) X(F16, C64)  \
    X(TF32, C32) X(TF32, C64) X(F32, C32) X(F32, C64) X(F64, C64) X(C32, C64)

const cm_product *cm_product_row(cm_type a, cm_type b)
{
    enum { A_SIGNED = 1, B_SIGNED = 2, I8 = 0x10 | 0x20, TF32 = 0x100 | 0x200, F16 = 0x400 | 0x800 };
    enum { BF16 = 0x1000 | 0x2000 }; /* bits of SPE_MatrixMultiplyAccumulateOperands... */
#define CM_BOTH_WAYS_(a, b) {CM_##a, CM_##b, CM_SUM_(CM_##b), 0}, {CM_##b, CM_##a, CM_SUM_(CM_##b), 0},
    static const cm_product rows[] = {
        {CM_F16, CM_F16, CM_F32, F16},         {CM_BF16, CM_BF16, CM_F32, BF16},
        {CM_TF32, CM_TF32, CM_F32, TF32},      {CM_I8, CM_I8, CM_I32, I8 | A_SIGNED | B_SIGNED},
        {CM_U8, CM_U8, CM_I32, I8},            {CM_I8, CM_U8, CM_I32, I8 | B_SIGNED},
        {CM_U8, CM_I8, CM_I32, I8 | A_SIGNED},
#define CM_SQUARE_(t) {CM_##t, CM_##t, CM_SUM_(CM_##t), 0}
        CM_SQUARE_(F64), CM_SQUARE_(F32), CM_SQUARE_(E4M3), CM_SQUARE_(E5M2), CM_SQUARE_(I64), CM_SQUARE_(U64),
        CM_SQUARE_(I32), CM_SQUARE_(U32), CM_SQUARE_(I16), CM_SQUARE_(U16), CM_PROMOTIONS_(CM_BOTH_WAYS_)
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].type_a == a && rows[i].type_b == b) return &rows[i];
    return NULL;
}

bool cm_promotes(cm_type from, cm_type to)
{
#define CM_PAIR_(from, to) {CM_##from, CM_##to},
    static const cm_type pairs[][2] = {CM_PROMOTIONS_(CM_PAIR_) CM_COMPLEX_PROMOTIONS_(CM_PAIR_)};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i][0] == from && pairs[i][1] == to) return true;
    return from == to && cm_type_info(to);
}

bool cm_product_takes(const cm_product *row, cm_type c)
{
    if (row->acc == CM_F32 && (c == CM_F16 || c == CM_BF16)) return row->type_a != CM_F32 && row->type_b != CM_F32;
    if (row->acc == CM_I32 && c == CM_U32) return true; /* same bits */
    return cm_promotes(row->type_a, c) && cm_promotes(row->type_b, c);
}

/* Depth of one matrix instruction, in components of this type: eight dwords. */
XE_FN_ int cm_dpas_depth_(cm_type type) { return 32 / cm_type_info(type)->bytes; }

/* Makes blocks of `depth` rows, fewer than lanes, so that lanes hold several adjacent columns. */
static void cm_layout_pair_(cm_layout *l, int depth)
{
    int across = l->lanes / depth;
    l->size_i = depth;
    l->size_k = l->size_k2 = l->rows / depth;
    l->size_j = (l->cols + across - 1) / across * across;
    l->size_v = l->rows * l->size_j / l->lanes;
    l->needs_mask = l->size_j > l->cols;
}

cm_layout cm_layout_for(cm_ctx *c, int rows, int cols, cm_type type, cm_use use)
{
    cm_layout l;
    int error = cm_layout_init(&l, rows, cols, type, use, c->target.subgroup_size);
    if (error) {
        spe_fail(c->module, error, cm_error_name(error), "%s: %d x %d, type %d, use %d, subgroup size %d",
                 cm_error_text(error), rows, cols, (int)type, (int)use, c->target.subgroup_size);
        return l;
    }
    const cm_product *row = cm_product_row(type, type);
    if (use != CM_B || c->lowering == CM_PLAIN || !row || !row->dpas) return l;
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
    return l->rows ? l->size_k2 * spe_runs(cm_block_words_(l)) * cm_halves_(l->type) : 0;
}

int cm_part_words(const cm_layout *l, int part)
{
    int words = l->rows ? cm_block_words_(l) : 0;
    return words ? spe_run(words, part % spe_runs(words)) : 0;
}

/* The words of a part: their block, the first word in it, and their number. */
XE_FN_ cm_span_ cm_span_of_(const cm_layout *l, int part)
{
    int all = cm_block_words_(l), runs = spe_runs(all), run = part % runs;
    cm_span_ s = {part / runs, run * 8, spe_run(all, run)};
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
    return t && t->kind == CM_KIND_FLOAT && !t->storage_float ? spe_float(c->module, 32) : cm_storage_type(c, type);
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

/* Under CM_KHR a part is a KHR matrix, transposed: words (our columns) by lanes. */
spe_id cm_part_type(cm_ctx *c, const cm_layout *l, int part)
{
    static const uint32_t uses[] = {SPE_CooperativeMatrixUseMatrixAccumulatorKHR, SPE_CooperativeMatrixUseMatrixBKHR,
                                    SPE_CooperativeMatrixUseMatrixAKHR};
    const cm_type_row *t = cm_type_info(l->type);
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

XE_FN_ bool cm_is_poison_(const cm_ctx *c, const cm_matrix *a) { return !spe_ok(c->module) || a->parts == 0; }
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
    *part = all / words * spe_runs(words);
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

XE_FN_ spe_id cm_i32_(cm_ctx *c, int v) { return spe_i32(c->module, v); }
/* v * n, v + n, v % n, v / n, omitting no-ops. For the last two, n is a power of two and v >= 0, except that
 * cm_shr_signed_ takes any v and rounds down. */
XE_FN_ spe_id cm_times_(cm_ctx *c, spe_id v, int n) { return n == 1 ? v : spe_imul(c->module, v, cm_i32_(c, n)); }
XE_FN_ spe_id cm_plus_(cm_ctx *c, spe_id v, int n) { return n == 0 ? v : spe_iadd(c->module, v, cm_i32_(c, n)); }
XE_FN_ spe_id cm_mod_(cm_ctx *c, spe_id v, int n) { return spe_and(c->module, v, cm_i32_(c, n - 1)); }

static spe_id cm_log2_(cm_ctx *c, int n)
{
    int shift = 0;
    while (1 << shift < n) shift++;
    return cm_i32_(c, shift);
}
XE_FN_ spe_id cm_shr_(cm_ctx *c, spe_id v, int n) { return n == 1 ? v : spe_shr(c->module, v, cm_log2_(c, n)); }
XE_FN_ spe_id cm_shr_signed_(cm_ctx *c, spe_id v, int n) { return n == 1 ? v : spe_sar(c->module, v, cm_log2_(c, n)); }

XE_FN_ cm_lane cm_lane_(cm_ctx *c, const cm_layout *l)
{
    spe_id p = spe_builtin(c->module, SPE_SUBGROUP_LANE, 0);
    bool whole = l->size_i == l->lanes;
    spe_id i = whole ? p : cm_mod_(c, p, l->size_i), j0 = whole ? cm_i32_(c, 0) : cm_shr_(c, p, l->size_i);
    cm_lane lane = {i, j0};
    return lane;
}

/* The component number, counting channels, of a slot; the element in component v of a lane. */
XE_FN_ int cm_number_of_(const cm_layout *l, cm_slot s) { return s.component * l->omega + s.channel; }
XE_FN_ cm_element cm_element_at_(const cm_layout *l, int lane, int v)
{
    cm_slot s = {lane, v / l->omega, v % l->omega};
    return cm_element_of(l, s);
}

/* The row and column of component v in this lane: those of the first lane plus this lane's distance. */
XE_FN_ spe_id cm_row_at_(cm_ctx *c, const cm_layout *l, cm_lane lane, int v)
{
    return cm_plus_(c, cm_times_(c, lane.row, l->interleaved ? l->size_k1 : 1), cm_element_at_(l, 0, v).row);
}

XE_FN_ spe_id cm_col_at_(cm_ctx *c, const cm_layout *l, cm_lane lane, int v)
{
    return cm_plus_(c, cm_times_(c, lane.col, l->omega), cm_element_at_(l, 0, v).col);
}

static bool cm_has_component_(cm_ctx *c, const cm_layout *l, int v)
{
    if (!spe_ok(c->module)) return false;
    return (v >= 0 && v < l->size_v) || CM_FAIL_(c, SHAPE, "component %d; there are %d", v, l->size_v);
}

spe_id cm_row_index(cm_ctx *c, const cm_layout *l, int v)
{
    return cm_has_component_(c, l, v) ? cm_row_at_(c, l, cm_lane_(c, l), v) : 0;
}
spe_id cm_col_index(cm_ctx *c, const cm_layout *l, int v)
{
    return cm_has_component_(c, l, v) ? cm_col_at_(c, l, cm_lane_(c, l), v) : 0;
}

/* Row and column axis of component v of the vector: v = (w1 + u K1 + w2 K1 V/K), where u includes channels. */
XE_FN_ void cm_axes_of_(const cm_layout *l, int v, int *row, int *col)
{
    int per_block = l->size_v / l->size_k2, in_block = v % per_block;
    *row = in_block % l->size_k1 + v / per_block * l->size_k1;
    *col = in_block / l->size_k1;
}
