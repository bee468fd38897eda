/* properties.c - what is supported. */
#include "internal.h"

cv_tier cv_get_tier(const cm_target *target) { return target ? CV_TIER_1_1 : CV_TIER_NOT_SUPPORTED; }

bool cv_supports_mul(int input, int interpretation, int matrix, int bias, int output)
{
    bool packed =
        (input == CV_PACKED_S8X32 && interpretation == CV_I8) || (input == CV_PACKED_U8X32 && interpretation == CV_U8);
    return (packed || cv_interprets_(input, interpretation)) && cv_is_memory_type_(matrix) &&
           cv_is_memory_type_(bias) && cv_is_vector_type_(output);
}

static const cv_properties_accumulate *cv_outer_products_(uint32_t *count)
{
    static const cv_properties_accumulate rows[] = {{CV_F16, CV_F16}, {CV_F16, CV_F32}, {CV_F32, CV_F32}};
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

static const cv_properties_accumulate *cv_vector_accumulates_(uint32_t *count)
{
    static const cv_properties_accumulate rows[] = {
        {CV_F16, CV_F16}, {CV_F16, CV_F32}, {CV_F32, CV_F32}, {CV_I32, CV_I32}, {CV_U32, CV_U32}};
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

static bool cv_accumulates_(const cv_properties_accumulate *rows, uint32_t count, int input, int type)
{
    uint32_t i;
    for (i = 0; i < count; i++)
        if ((int)rows[i].input_type == input && (int)rows[i].accumulation_type == type) return true;
    return false;
}
bool cv_supports_outer_product(int input, int type)
{
    uint32_t n;
    const cv_properties_accumulate *rows = cv_outer_products_(&n);
    return cv_accumulates_(rows, n, input, type);
}
bool cv_supports_vector_accumulate(int input, int type)
{
    uint32_t n;
    const cv_properties_accumulate *rows = cv_vector_accumulates_(&n);
    return cv_accumulates_(rows, n, input, type);
}

/* Writes the rows of multiply-add that begin with this input and interpretation (when out is not NULL); how many. */
static uint32_t cv_list_mul_from_(int input, int interpretation, cv_properties_mul *out)
{
    uint32_t n = 0;
    int m, b, o;
    for (m = 0; m < CV_TYPE_COUNT_; m++)
        for (b = 0; b < CV_TYPE_COUNT_; b++)
            for (o = 0; o < CV_TYPE_COUNT_; o++) {
                cv_type tm = cv_type_at_(m)->type, tb = cv_type_at_(b)->type, to = cv_type_at_(o)->type;
                if (!cv_supports_mul(input, interpretation, tm, tb, to)) continue;
                if (out) {
                    out[n].input_type = (cv_type)input;
                    out[n].input_interpretation = (cv_type)interpretation;
                    out[n].matrix_interpretation = tm;
                    out[n].bias_interpretation = tb;
                    out[n].output_type = to;
                    out[n].transpose_supported = true;
                }
                n++;
            }
    return n;
}

static uint32_t cv_list_mul_(cv_properties_mul *out)
{
    uint32_t n = 0;
    int i, j;
    for (i = 0; i < CV_TYPE_COUNT_; i++)
        for (j = 0; j < CV_TYPE_COUNT_; j++)
            n += cv_list_mul_from_(cv_type_at_(i)->type, cv_type_at_(j)->type, out ? out + n : NULL);
    return n;
}

static void cv_copy_rows_(const cv_properties_accumulate *rows, uint32_t n, cv_properties_accumulate *out,
                                 uint32_t *count)
{
    if (out) memcpy(out, rows, n * sizeof *rows);
    *count = n;
}

cv_result cv_check_feature_support(const cm_target *target, cv_feature_data *d)
{
    uint32_t mul = cv_list_mul_(NULL), outer, vector;
    const cv_properties_accumulate *outer_rows = cv_outer_products_(&outer),
                                   *vector_rows = cv_vector_accumulates_(&vector);
    if (!d || cv_get_tier(target) == CV_TIER_NOT_SUPPORTED) return CV_E_INVALIDARG;
    if (d->matrix_vector_mul_add_properties && d->matrix_vector_mul_add_prop_count < mul) return CV_E_INVALIDARG;
    if (d->outer_product_accumulate_properties && d->outer_product_accumulate_prop_count < outer)
        return CV_E_INVALIDARG;
    if (d->vector_accumulate_properties && d->vector_accumulate_prop_count < vector) return CV_E_INVALIDARG;
    d->matrix_vector_mul_add_prop_count = mul;
    if (d->matrix_vector_mul_add_properties) cv_list_mul_(d->matrix_vector_mul_add_properties);
    cv_copy_rows_(outer_rows, outer, d->outer_product_accumulate_properties, &d->outer_product_accumulate_prop_count);
    cv_copy_rows_(vector_rows, vector, d->vector_accumulate_properties, &d->vector_accumulate_prop_count);
    return CV_S_OK;
}
