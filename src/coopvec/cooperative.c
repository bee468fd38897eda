/* cooperative.c - the cooperative vectors of Vulkan's devices (SPV_NV_cooperative_vector): a work-item's vector as one
 * value, which the device multiplies with matrices in memory. */
#include "internal.h"

/* Columns of a row of spe_device's vector_products. */
enum { CV_OF_INPUT_, CV_OF_READING_, CV_OF_MATRIX_, CV_OF_BIAS_, CV_OF_RESULT_, CV_OF_TRANSPOSE_ };

/* The SPIR-V component type. */
static uint32_t cv_component_type_(int type)
{
    switch (type) {
    case CV_I16: return SPE_ComponentTypeSignedInt16NV;
    case CV_U16: return SPE_ComponentTypeUnsignedInt16NV;
    case CV_I32: return SPE_ComponentTypeSignedInt32NV;
    case CV_U32: return SPE_ComponentTypeUnsignedInt32NV;
    case CV_F16: return SPE_ComponentTypeFloat16NV;
    case CV_F32: return SPE_ComponentTypeFloat32NV;
    case CV_PACKED_S8X32: return SPE_ComponentTypeSignedInt8PackedNV;
    case CV_PACKED_U8X32: return SPE_ComponentTypeUnsignedInt8PackedNV;
    case CV_U8: return SPE_ComponentTypeUnsignedInt8NV;
    case CV_I8: return SPE_ComponentTypeSignedInt8NV;
    case CV_E4M3: return SPE_ComponentTypeFloatE4M3NV;
    default: return SPE_ComponentTypeFloatE5M2NV;
    }
}

/* The type that an input is converted to when it is interpreted so: FP8 is held as f16. */
static int cv_storage_type_(int interpretation)
{
    return cv_is_fp8_(interpretation) ? CV_F16 : cv_is_packed_(interpretation) ? CV_U32 : interpretation;
}

/* The device's product of such an input: of several the one with this bias, then one with a result of f32. NULL: it has
 * none. */
static const uint32_t *cv_find_product_(const cv_product_ *p, int input)
{
    const uint32_t *best = NULL;
    uint32_t best_score = 0, bias = p->bias ? cv_component_type_(p->bias_type) : UINT32_MAX;
    for (uint32_t i = 0; i < p->x->product_count; i++) {
        const uint32_t *row = p->x->products[i];
        if (row[CV_OF_INPUT_] != cv_component_type_(input) || row[CV_OF_MATRIX_] != cv_component_type_(p->a.type) ||
            row[CV_OF_READING_] != cv_component_type_(p->in.interpretation))
            continue;
        if (p->a.transpose && cv_is_optimal_(p->a.layout) && !row[CV_OF_TRANSPOSE_]) continue;
        uint32_t score = row[CV_OF_RESULT_] == SPE_ComponentTypeFloat32NV ? 2 : 1;
        if (row[CV_OF_BIAS_] == bias) score += 2;
        if (score > best_score) best = row, best_score = score;
    }
    return best;
}

/* How the device finds the matrix: its layout, and its stride; 0: none. A panel of ours is a matrix of rows. */
static bool cv_find_layout_(const cv_product_ *p, spe_coopvec_product *to)
{
    const cv_surface_ *a = &p->a;
    int stored_cols = a->transpose ? a->m : a->k;
    switch (a->layout) {
    case CV_ROW_MAJOR: to->layout = SPE_CooperativeVectorMatrixLayoutRowMajorNV, to->stride = a->stride; break;
    case CV_COLUMN_MAJOR: to->layout = SPE_CooperativeVectorMatrixLayoutColumnMajorNV, to->stride = a->stride; break;
    case CV_DEVICE_MUL_OPTIMAL: to->layout = SPE_CooperativeVectorMatrixLayoutInferencingOptimalNV; break;
    case CV_DEVICE_OUTER_PRODUCT_OPTIMAL: to->layout = SPE_CooperativeVectorMatrixLayoutTrainingOptimalNV; break;
    default:
        if (stored_cols * a->bytes > 64 || cv_is_fp8_(a->type)) return false;
        to->layout = a->transpose ? SPE_CooperativeVectorMatrixLayoutColumnMajorNV
                                  : SPE_CooperativeVectorMatrixLayoutRowMajorNV;
        to->stride = spe_i32(p->m, 64);
        break;
    }
    to->transpose = a->transpose && cv_is_device_layout_(a->layout);
    return true;
}

/* Memory as the device takes it: an array whose length says nothing. */
static spe_id cv_array_at_(spe_module *m, spe_id base)
{
    return spe_ptr_cast(m, base, spe_array(m, spe_vec(m, spe_int(m, 32), 4), 1 << 26));
}

/* A vector, each of whose components is converted to another type, as one value. */
static spe_id cv_cooperative_(cv_ctx *x, const cv_vec *v, int type)
{
    spe_module *m = &x->m;
    if (v->cooperative && (int)v->type == type) return v->cooperative;
    const cv_vec as = cv_convert_vec_(x, v, type);
    spe_id *parts = cv_ids_(m, v->length), scalar = cv_spe_type_(m, cv_storage_type_(type));
    for (int i = 0; parts && i < v->length; i++) parts[i] = cv_get_(m, &as, i);
    return parts ? spe_construct(m, spe_coopvec(m, scalar, (uint32_t)v->length), (uint32_t)v->length, parts) : 0;
}

/* The vector that is such a value; what uses none of its parts leaves these to the device's compiler, to drop. */
static cv_vec cv_of_cooperative_(cv_ctx *x, int type, int n, spe_id all)
{
    spe_id *ids = cv_ids_(&x->m, n);
    for (int i = 0; ids && i < n; i++) ids[i] = spe_extract(&x->m, all, (uint32_t)i);
    cv_vec v = ids ? cv_from_scalars_(x, type, n, ids) : cv_no_vec_();
    v.cooperative = all;
    return v;
}

static bool cv_takes_cooperative_(int op, int type)
{
    return cv_is_float_(type) && (op == SPE_ARITH_ADD || op == SPE_ARITH_SUB || op == SPE_ARITH_MUL ||
                                  op == SPE_ARITH_DIV || op == SPE_ARITH_MIN || op == SPE_ARITH_MAX);
}

static void cv_repeat_cooperative_(cv_ctx *x, cv_vec *v, spe_id like)
{
    v->cooperative = spe_splat(&x->m, spe_type_of(&x->m, like), cv_get_(&x->m, v, 0));
}

static cv_vec cv_binary_cooperative_(cv_ctx *x, int op, const cv_vec *p, const cv_vec *q)
{
    spe_id a = cv_cooperative_(x, p, p->type), b = cv_cooperative_(x, q, q->type);
    return cv_of_cooperative_(x, p->type, p->length, cv_emit_(&x->m, op, p->type, a, b));
}

static cv_vec cv_fma_cooperative_(cv_ctx *x, const cv_vec *p, const cv_vec *q, const cv_vec *r)
{
    spe_id a = cv_cooperative_(x, p, p->type), b = cv_cooperative_(x, q, q->type), c = cv_cooperative_(x, r, r->type);
    return cv_of_cooperative_(x, p->type, p->length, spe_math3(&x->m, SPE_FMA, a, b, c));
}

/* Converts the device's results to the output, a part at a time, with a bias that the device did not add. */
static void cv_take_results_(cv_product_ *p, spe_id results, const uint32_t *row, bool with_bias)
{
    spe_module *m = p->m;
    spe_id scalar = spe_scalar_of(m, spe_type_of(m, results)), ids[8];
    bool done = !p->bias || with_bias;
    if (done && cv_component_type_(p->out.type) == row[CV_OF_RESULT_]) {
        p->out = cv_of_cooperative_(p->x, p->out.type, p->out.length, results);
        return;
    }
    for (int part = 0, first = 0, n; part < p->out.parts; part++, first += n) {
        n = spe_part_length(p->out.length, part);
        for (int i = 0; i < n; i++) ids[i] = spe_extract(m, results, (uint32_t)(first + i));
        spe_id at = spe_i32(m, first), v = cv_join_(m, scalar, n, ids);
        if (p->real) v = spe_fconvert(m, spe_vec_like(m, spe_float(m, 32), v), v);
        if (!done && cv_bias_in_sum_(p)) {
            spe_id start = cv_sum_start_(p, at, n);
            v = p->real ? spe_fadd(m, v, start) : spe_iadd(m, v, start);
        }
        p->out.part[part] = cv_finish_sum_(p, v, at, n);
    }
}

/* Which of the row's integers are signed, as types of SPIR-V do not say; then there is a stride, if a meaningless
 * one. */
static void cv_say_signs_(cv_product_ *p, const uint32_t *row, spe_coopvec_product *by)
{
    uint32_t input = row[CV_OF_INPUT_];
    if (p->real) return;
    if (input >= SPE_ComponentTypeSignedInt8NV && input <= SPE_ComponentTypeSignedInt64NV)
        by->operands |= SPE_CooperativeMatrixOperandsMatrixBSignedComponentsKHR;
    if (row[CV_OF_RESULT_] == SPE_ComponentTypeSignedInt32NV)
        by->operands |= SPE_CooperativeMatrixOperandsMatrixResultSignedComponentsKHR;
    if (by->operands && !by->stride) by->stride = spe_i32(p->m, 0);
}

/* May the device's product stand for ours, in which floats are summed in f32? */
static bool cv_is_exact_enough_(const cv_product_ *p)
{
    return !p->real || p->x->desc->f16_sums || cv_is_device_layout_(p->a.layout);
}

static bool cv_multiply_cooperatively_(cv_product_ *p)
{
    spe_module *m = p->m;
    spe_coopvec_product by;
    const cv_vec *v = &p->in.vec;
    int as = p->in.interpretation, input = cv_is_fp8_(as) ? as : v->type; /* rounded to FP8 here: devices may not */
    const uint32_t *row = cv_find_product_(p, cv_storage_type_(input));
    if (!row && !cv_is_packed_(as)) row = cv_find_product_(p, cv_storage_type_(input = as));
    memset(&by, 0, sizeof by);
    if (!row || p->a.m > p->x->max_vector || v->length > p->x->max_vector || !cv_is_exact_enough_(p) ||
        (cv_is_packed_(as) && p->a.k % 4) || !cv_find_layout_(p, &by))
        return false;
    bool with_bias = p->bias && row[CV_OF_BIAS_] == cv_component_type_(p->bias_type) &&
                     (p->real || !cv_is_float_(p->bias_type));
    by.input = cv_cooperative_(p->x, v, input);
    by.input_type = row[CV_OF_READING_];
    by.matrix = cv_array_at_(m, p->a.base);
    by.offset = by.bias_offset = spe_i32(m, 0);
    by.matrix_type = row[CV_OF_MATRIX_];
    if (with_bias) by.bias = cv_array_at_(m, p->bias);
    by.bias_type = row[CV_OF_BIAS_];
    by.rows = (uint32_t)p->a.m;
    by.cols = (uint32_t)p->a.k;
    cv_say_signs_(p, row, &by);
    bool half = row[CV_OF_RESULT_] == SPE_ComponentTypeFloat16NV;
    spe_id scalar = half ? spe_float(m, 16) : cv_spe_type_(m, p->sum_type);
    cv_take_results_(p, spe_coopvec_mul(m, spe_coopvec(m, scalar, by.rows), &by), row, with_bias);
    return true;
}

/* Does the device accumulate floats of this type? */
static bool cv_sums_(const cv_ctx *x, int type)
{
    return (type == CV_F16 && (x->vector_sums & 1)) || (type == CV_F32 && (x->vector_sums & 2));
}

static bool cv_outer_cooperatively_(const cv_surface_ *c, const cv_vec *v1, const cv_vec *v2)
{
    cv_ctx *x = c->x;
    if (c->layout != CV_DEVICE_OUTER_PRODUCT_OPTIMAL || v1->type != CV_F16 || !cv_sums_(x, c->type) ||
        v1->length > x->max_vector || v2->length > x->max_vector)
        return false;
    spe_id a = cv_cooperative_(x, v1, CV_F16), b = cv_cooperative_(x, v2, CV_F16);
    spe_id zero = spe_i32(&x->m, 0);
    spe_coopvec_outer_accumulate(&x->m, cv_array_at_(&x->m, c->base), zero, a, b,
                                 SPE_CooperativeVectorMatrixLayoutTrainingOptimalNV, cv_component_type_(c->type), 0);
    return true;
}

static bool cv_accumulate_cooperatively_(cv_ctx *x, const cv_vec *v, spe_id base, int type)
{
    if ((int)v->type != type || !cv_sums_(x, type) || v->length > x->max_vector || !x->desc->f16_sums) return false;
    spe_id all = cv_cooperative_(x, v, type), zero = spe_i32(&x->m, 0);
    spe_coopvec_sum_accumulate(&x->m, cv_array_at_(&x->m, base), zero, all);
    return true;
}

static const cv_vulkan_part_ cv_vulkan_all_ = {
    cv_takes_cooperative_,      cv_repeat_cooperative_,  cv_binary_cooperative_,       cv_fma_cooperative_,
    cv_multiply_cooperatively_, cv_outer_cooperatively_, cv_accumulate_cooperatively_};

#if defined(XETILE_STATIC_) && !defined(__cplusplus)
static const cv_vulkan_part_ *const cv_vulkan_here_ = &cv_vulkan_all_;
#else
XE_FN_ const cv_vulkan_part_ *cv_vulkan_(void) { return &cv_vulkan_all_; }
#endif
