/* context.c - targets. */
#include "internal.h"

const cm_target *cm_target_row(const char *name)
{
    static const char large[] = "-ze-opt-large-register-file";
    static const cm_target rows[] = {
        {"pvc", 16, 16 | 32, 16, 16, true, 128 << 10, 1024, 16 << 10, large},
        {"bmg", 16, 16 | 32, 16, 16, true, 128 << 10, 1024, 16 << 10, large},
        {"lnl", 16, 16 | 32, 16, 16, true, 128 << 10, 1024, 16 << 10, large},
        {"ptl", 16, 16 | 32, 16, 16, true, 128 << 10, 1024, 16 << 10, large},
        {"dg2", 8, 8 | 16 | 32, 8, 0, true, 64 << 10, 1024, 8 << 10, large},
        {"generic", 16, 8 | 16 | 32, 0, 0, false, 32 << 10, 1024, 8 << 10, ""},
        {"soft", 16, 8 | 16 | 32, 8 | 16, 16, true, 64 << 10, 1024, 16 << 10, ""},
    };
    size_t i;
    if (!name) return NULL;
    if (strcmp(name, "lnl-m") == 0) name = "lnl";
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

/* ---- context, values, memory ------------------------------------------------------------------------------------- */

/* Reports an error of this header to the module, which keeps the first. Returns 0, the poison id. */
spe_id cm_fail_(cm_ctx *c, int id, const char *format, ...)
{
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    spe_fail(c->m, id, cm_error_name(id), "%s", text);
    return 0;
}

cm_matrix cm_poison(void)
{
    cm_matrix a;
    memset(&a, 0, sizeof a);
    return a;
}

bool cm_is_poison_(const cm_ctx *c, const cm_matrix *a) { return !spe_ok(c->m) || a->parts == 0; }

bool cm_choose_target(spe_blame at, const spe_device *d, int size, cm_target *target)
{
    const cm_target *row = d ? cm_target_row(d->name) : NULL;
    if (!row) {
        spe_report(at, at.errors->target, "\"%s\"; known are " CM_TARGET_NAMES_, d && d->name ? d->name : "(none)");
        return false;
    }
    *target = *row;
    if (d->subgroup_sizes) target->subgroup_sizes = d->subgroup_sizes;
    if (d->local_memory) target->local_memory = (int)d->local_memory;
    if (d->max_group_size) target->max_group_size = (int)d->max_group_size;
    if (!size) {
        size = row->subgroup_size;
        if (!(target->subgroup_sizes & (uint32_t)size)) /* the row's is not there: the smallest */
            size = (int)(target->subgroup_sizes & (~target->subgroup_sizes + 1u));
    }
    if (!cm_power_of_two_(size) || !(target->subgroup_sizes & (uint32_t)size)) {
        spe_report(at, at.errors->subgroup_size, "wanted %d, %s has (a bit each) 0x%x", size, row->name,
                   (unsigned)target->subgroup_sizes);
        return false;
    }
    target->subgroup_size = size;
    return true;
}

bool cm_begin(cm_ctx *c, spe_module *m, const cm_target *target, cm_lowering lowering)
{
    bool dpas;
    memset(c, 0, sizeof *c);
    c->m = m;
    if (!target) {
        cm_fail_(c, CM_ERROR_TARGET, "there is no target of this name; known are " CM_TARGET_NAMES_);
        return false;
    }
    c->target = *target;
    dpas = (target->dpas_sizes & (uint32_t)target->subgroup_size) != 0;
    c->lowering = lowering == CM_AUTO ? (dpas ? CM_INTEL : CM_PLAIN) : lowering;
    if (!cm_power_of_two_(target->subgroup_size) || !(target->subgroup_sizes & (uint32_t)target->subgroup_size))
        cm_fail_(c, CM_ERROR_TARGET_SUBGROUP, "subgroup size %d: target %s has the sizes in mask 0x%x",
                 target->subgroup_size, target->name, (unsigned)target->subgroup_sizes);
    else if (c->lowering == CM_INTEL && !dpas)
        cm_fail_(c, CM_ERROR_LOWERING, "CM_INTEL: target %s has no matrix instruction at subgroup size %d",
                 target->name, target->subgroup_size);
    else if (c->lowering == CM_KHR && !target->coop_khr)
        cm_fail_(c, CM_ERROR_LOWERING, "CM_KHR: target %s does not take SPV_KHR_cooperative_matrix", target->name);
    return spe_ok(m);
}

/* ---- what products there are ------------------------------------------------------------------------------------- */

const cm_product *cm_product_row(cm_type a, cm_type b)
{
    enum { A_SIGNED = 1, B_SIGNED = 2, I8 = 0x10 | 0x20, TF32 = 0x100 | 0x200, F16 = 0x400 | 0x800 };
    enum { BF16 = 0x1000 | 0x2000 };
    static const cm_product rows[] = {
        {CM_F16, CM_F16, CM_F32, F16},
        {CM_BF16, CM_BF16, CM_F32, BF16},
        {CM_TF32, CM_TF32, CM_F32, TF32},
        {CM_I8, CM_I8, CM_I32, I8 | A_SIGNED | B_SIGNED},
        {CM_U8, CM_U8, CM_I32, I8},
        {CM_I8, CM_U8, CM_I32, I8 | B_SIGNED},
        {CM_U8, CM_I8, CM_I32, I8 | A_SIGNED},
#define CM_BOTH_(narrow, wide, acc) {CM_##narrow, CM_##wide, CM_##acc, 0}, {CM_##wide, CM_##narrow, CM_##acc, 0}
        {CM_F64, CM_F64, CM_F64, 0}, CM_BOTH_(F32, F64, F64), CM_BOTH_(TF32, F64, F64), CM_BOTH_(F16, F64, F64),
        CM_BOTH_(BF16, F64, F64), CM_BOTH_(E4M3, F64, F64), CM_BOTH_(E5M2, F64, F64), CM_BOTH_(I32, F64, F64),
        CM_BOTH_(U32, F64, F64), CM_BOTH_(I16, F64, F64), CM_BOTH_(U16, F64, F64), CM_BOTH_(I8, F64, F64),
        CM_BOTH_(U8, F64, F64),
        {CM_F32, CM_F32, CM_F32, 0}, CM_BOTH_(TF32, F32, F32), CM_BOTH_(F16, F32, F32), CM_BOTH_(BF16, F32, F32),
        CM_BOTH_(E4M3, F32, F32), CM_BOTH_(E5M2, F32, F32), CM_BOTH_(I16, F32, F32), CM_BOTH_(U16, F32, F32),
        CM_BOTH_(I8, F32, F32), CM_BOTH_(U8, F32, F32), CM_BOTH_(F16, TF32, F32), CM_BOTH_(BF16, TF32, F32),
        CM_BOTH_(E4M3, TF32, F32), CM_BOTH_(E5M2, TF32, F32), CM_BOTH_(I8, TF32, F32), CM_BOTH_(U8, TF32, F32),
        CM_BOTH_(E4M3, F16, F32), CM_BOTH_(E5M2, F16, F32), CM_BOTH_(I8, F16, F32), CM_BOTH_(U8, F16, F32),
        CM_BOTH_(E4M3, BF16, F32), CM_BOTH_(E5M2, BF16, F32), CM_BOTH_(I8, BF16, F32), CM_BOTH_(U8, BF16, F32),
        {CM_E4M3, CM_E4M3, CM_F32, 0},
        {CM_E5M2, CM_E5M2, CM_F32, 0},
        {CM_I64, CM_I64, CM_I64, 0}, CM_BOTH_(I32, I64, I64), CM_BOTH_(U32, I64, I64), CM_BOTH_(I16, I64, I64),
        CM_BOTH_(U16, I64, I64), CM_BOTH_(I8, I64, I64), CM_BOTH_(U8, I64, I64),
        {CM_U64, CM_U64, CM_U64, 0}, CM_BOTH_(U32, U64, U64), CM_BOTH_(U16, U64, U64), CM_BOTH_(U8, U64, U64),
        {CM_I32, CM_I32, CM_I32, 0}, CM_BOTH_(I16, I32, I32), CM_BOTH_(U16, I32, I32), CM_BOTH_(I8, I32, I32),
        CM_BOTH_(U8, I32, I32),
        {CM_U32, CM_U32, CM_U32, 0}, CM_BOTH_(I32, U32, U32), CM_BOTH_(U16, U32, U32), CM_BOTH_(U8, U32, U32),
        {CM_I16, CM_I16, CM_I32, 0}, CM_BOTH_(I8, I16, I32), CM_BOTH_(U8, I16, I32),
        {CM_U16, CM_U16, CM_I32, 0}, CM_BOTH_(U8, U16, I32),
#undef CM_BOTH_
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].a == a && rows[i].b == b) return &rows[i];
    return NULL;
}

bool cm_promotes(cm_type from, cm_type to)
{
#define CM_BIT_(t) (1u << (t))
    enum { ALL_COMPLEX = 1 << CM_C32 | 1 << CM_C64, WIDE = 1 << CM_F64 | 1 << CM_C64 };
    enum { FROM_F32 = 1 << CM_F32 | WIDE | ALL_COMPLEX, FROM_SMALL = 1 << CM_TF32 | FROM_F32 };
    static const struct {
        cm_type from;
        uint32_t to;
    } rows[] = {
        {CM_I8, FROM_SMALL | CM_BIT_(CM_I8) | CM_BIT_(CM_I16) | CM_BIT_(CM_I32) | CM_BIT_(CM_I64) | CM_BIT_(CM_BF16) |
                    CM_BIT_(CM_F16)},
        {CM_U8, FROM_SMALL | CM_BIT_(CM_U8) | CM_BIT_(CM_U16) | CM_BIT_(CM_U32) | CM_BIT_(CM_U64) | CM_BIT_(CM_I16) |
                    CM_BIT_(CM_I32) | CM_BIT_(CM_I64) | CM_BIT_(CM_BF16) | CM_BIT_(CM_F16)},
        {CM_I16, FROM_F32 | CM_BIT_(CM_I16) | CM_BIT_(CM_I32) | CM_BIT_(CM_I64)},
        {CM_U16, FROM_F32 | CM_BIT_(CM_U16) | CM_BIT_(CM_U32) | CM_BIT_(CM_U64) | CM_BIT_(CM_I32) | CM_BIT_(CM_I64)},
        {CM_I32, CM_BIT_(CM_I32) | CM_BIT_(CM_U32) | CM_BIT_(CM_I64) | WIDE | CM_BIT_(CM_C32)},
        {CM_U32, CM_BIT_(CM_U32) | CM_BIT_(CM_U64) | CM_BIT_(CM_I64) | WIDE},
        {CM_I64, CM_BIT_(CM_I64)},
        {CM_U64, CM_BIT_(CM_U64)},
        {CM_E4M3, FROM_SMALL | CM_BIT_(CM_E4M3) | CM_BIT_(CM_BF16) | CM_BIT_(CM_F16)},
        {CM_E5M2, FROM_SMALL | CM_BIT_(CM_E5M2) | CM_BIT_(CM_BF16) | CM_BIT_(CM_F16)},
        {CM_BF16, FROM_SMALL | CM_BIT_(CM_BF16)},
        {CM_F16, FROM_SMALL | CM_BIT_(CM_F16)},
        {CM_TF32, FROM_SMALL},
        {CM_F32, FROM_F32},
        {CM_F64, WIDE},
        {CM_C32, ALL_COMPLEX},
        {CM_C64, CM_BIT_(CM_C64)},
    };
#undef CM_BIT_
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].from == from) return (rows[i].to >> to & 1) != 0;
    return false;
}

bool cm_product_takes(const cm_product *row, cm_type c)
{
    if (row->acc == CM_F32 && (c == CM_F16 || c == CM_BF16)) return row->a != CM_F32 && row->b != CM_F32;
    if (row->acc == CM_I32 && c == CM_U32) return true; /* the same bits */
    return cm_promotes(row->a, c) && cm_promotes(row->b, c);
}

/* What is accumulated in when C has type c: the row's type, or a larger one of C. */
cm_type cm_product_acc_(const cm_product *row, cm_type c)
{
    static const struct {
        cm_type acc, c, wider;
    } rows[] = {{CM_F32, CM_F64, CM_F64},  {CM_I32, CM_I64, CM_I64},  {CM_I32, CM_U64, CM_U64},
                {CM_I32, CM_F64, CM_F64},  {CM_I32, CM_F32, CM_F32},  {CM_I32, CM_F16, CM_F32},
                {CM_I32, CM_BF16, CM_F32}, {CM_I32, CM_TF32, CM_F32}, {CM_U32, CM_U64, CM_U64},
                {CM_U32, CM_I64, CM_I64},  {CM_U32, CM_F64, CM_F64}};
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].acc == row->acc && rows[i].c == c) return rows[i].wider;
    return row->acc;
}

/* Depth of one matrix instruction, in components of this size: eight dwords. */
int cm_dpas_depth_(int bytes) { return 32 / bytes; }

/* ---- layouts as a context holds them ----------------------------------------------------------------------------- */

cm_layout cm_layout_for(cm_ctx *c, int rows, int cols, cm_type type, cm_use use)
{
    cm_layout l;
    const cm_product *row;
    int depth, error = cm_layout_init(&l, rows, cols, type, use, c->target.subgroup_size);
    if (error) {
        spe_fail(c->m, error, cm_error_name(error), "%s: %d x %d, type %d, use %d, subgroup size %d",
                 cm_error_text(error), rows, cols, (int)type, (int)use, c->target.subgroup_size);
        return l;
    }
    row = cm_product_row(type, type);
    if (use != CM_B || c->lowering == CM_PLAIN || !row || !row->dpas) return l;
    depth = cm_dpas_depth_(cm_type_info(type)->bytes);
    if (depth > l.S && rows >= depth) cm_layout_interleave(&l, depth / l.S);
    return l;
}

/* Components in a word, words a block, bits of a word. */
int cm_channels_(const cm_layout *l) { return l->packed ? l->omega : l->K1; }
int cm_block_words_(const cm_layout *l) { return l->V / (l->K2 * cm_channels_(l)); }
int cm_word_bits_(const cm_layout *l) { return cm_channels_(l) * cm_type_info(l->type)->storage_bits; }

bool cm_is_complex(cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    return t && t->kind == CM_KIND_COMPLEX;
}

int cm_part_count(const cm_layout *l)
{
    return l->rows ? l->K2 * spe_runs(cm_block_words_(l)) * (cm_is_complex(l->type) ? 2 : 1) : 0;
}

int cm_part_words(const cm_layout *l, int part)
{
    int words = cm_block_words_(l);
    return spe_run(words, part % spe_runs(words));
}

spe_id cm_storage_type(cm_ctx *c, cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    if (!t) return cm_fail_(c, CM_ERROR_EMIT_TYPE, "there is no type %d", (int)type);
    return t->storage_float ? spe_float(c->m, (uint32_t)t->storage_bits) : spe_int(c->m, (uint32_t)t->storage_bits);
}

spe_id cm_arith_type(cm_ctx *c, cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    if (t && t->kind == CM_KIND_COMPLEX)
        return cm_fail_(c, CM_ERROR_EMIT_TYPE, "not an operation on %s: use cm_re and cm_im", t->name);
    return t && t->kind == CM_KIND_FLOAT && !t->storage_float ? spe_float(c->m, 32) : cm_storage_type(c, type);
}

/* Accumulators are of the storage type; operands below 32 bits are integers, as the matrix instruction takes them. */
spe_id cm_word_type_(cm_ctx *c, const cm_layout *l)
{
    int bits = cm_word_bits_(l);
    if (l->use == CM_ACC || (bits >= 32 && cm_channels_(l) == 1)) return cm_storage_type(c, l->type);
    return spe_int(c->m, (uint32_t)bits);
}

/* CM_KHR: a part is a KHR matrix, the transpose of ours: words (columns of ours) by lanes. */
static spe_id cm_khr_type_(cm_ctx *c, const cm_layout *l, int part)
{
    static const uint32_t uses[] = {SPE_CooperativeMatrixUseMatrixAccumulatorKHR, SPE_CooperativeMatrixUseMatrixBKHR,
                                    SPE_CooperativeMatrixUseMatrixAKHR};
    spe_id component = cm_storage_type(c, l->type);
    if (cm_type_info(l->type)->kind == CM_KIND_FLOAT && !cm_type_info(l->type)->storage_float)
        return cm_fail_(c, CM_ERROR_LOWERING, "there are no matrices of %s under CM_KHR", cm_type_info(l->type)->name);
    return spe_coopmat(c->m, component, SPE_ScopeSubgroup, (uint32_t)(cm_part_words(l, part) * l->omega),
                       (uint32_t)(l->I * l->K1), uses[l->use]);
}

spe_id cm_part_type(cm_ctx *c, const cm_layout *l, int part)
{
    if (c->lowering == CM_KHR) return cm_khr_type_(c, l, part);
    return spe_vec(c->m, cm_word_type_(c, l), (uint32_t)cm_part_words(l, part));
}

/* Under CM_KHR a lane does not know its components: true, and an error, when `what` needs them. */
bool cm_opaque_(cm_ctx *c, const char *what)
{
    if (c->lowering != CM_KHR) return false;
    cm_fail_(c, CM_ERROR_LOWERING, "%s: not possible with matrices of CM_KHR", what);
    return true;
}

/* A matrix of this layout with room for its parts; poison when something is wrong. */
cm_matrix cm_new_(cm_ctx *c, const cm_layout *l)
{
    cm_matrix a = cm_poison();
    int parts = cm_part_count(l);
    if (!spe_ok(c->m) || parts == 0 || !cm_storage_type(c, l->type)) return a;
    a.l = *l;
    a.part = (spe_id *)spe_alloc(c->m, (size_t)parts * sizeof(spe_id));
    a.parts = a.part ? parts : 0;
    return a;
}

cm_matrix cm_from_parts(cm_ctx *c, const cm_layout *l, const spe_id *parts)
{
    cm_matrix a = cm_new_(c, l);
    int i;
    for (i = 0; i < a.parts; i++) {
        a.part[i] = parts[i];
        if (spe_type_of(c->m, parts[i]) != cm_part_type(c, l, i)) {
            cm_fail_(c, CM_ERROR_COMPONENT, "part %d of a %d x %d %s %s has another type", i, l->rows, l->cols,
                     cm_type_info(l->type)->name, cm_use_name(l->use));
            return cm_poison();
        }
    }
    return a;
}

bool cm_same_layout_(const cm_layout *a, const cm_layout *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->type == b->type && a->use == b->use && a->S == b->S &&
           a->interleaved == b->interleaved;
}

/* ---- complex matrices -------------------------------------------------------------------------------------------- */

cm_matrix cm_half_(cm_ctx *c, const cm_matrix *a, int which)
{
    cm_matrix half = *a;
    if (cm_is_poison_(c, a)) return cm_poison();
    if (!cm_is_complex(a->l.type)) {
        cm_fail_(c, CM_ERROR_COMPONENT, "a matrix of %s has no imaginary part", cm_type_info(a->l.type)->name);
        return cm_poison();
    }
    half.l.type = a->l.type == CM_C32 ? CM_F32 : CM_F64;
    half.parts = a->parts / 2;
    half.part = a->part + which * half.parts;
    return half;
}

cm_matrix cm_re(cm_ctx *c, const cm_matrix *a) { return cm_half_(c, a, 0); }
cm_matrix cm_im(cm_ctx *c, const cm_matrix *a) { return cm_half_(c, a, 1); }

cm_matrix cm_complex(cm_ctx *c, const cm_matrix *re, const cm_matrix *im)
{
    cm_matrix z;
    cm_layout l = re->l;
    if (cm_is_poison_(c, re) || cm_is_poison_(c, im)) return cm_poison();
    if (!cm_same_layout_(&re->l, &im->l) || (l.type != CM_F32 && l.type != CM_F64)) {
        cm_fail_(c, CM_ERROR_COMPONENT, "cm_complex takes two matrices alike of f32 or f64, not of %s and %s",
                 cm_type_info(l.type)->name, cm_type_info(im->l.type)->name);
        return cm_poison();
    }
    l.type = l.type == CM_F32 ? CM_C32 : CM_C64;
    z = cm_new_(c, &l);
    if (!z.parts) return z;
    memcpy(z.part, re->part, (size_t)re->parts * sizeof *z.part);
    memcpy(z.part + re->parts, im->part, (size_t)im->parts * sizeof *z.part);
    return z;
}
