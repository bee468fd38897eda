/* types.c - errors, component types, and what is supported. */
#include "internal.h"

const spe_reporter *cv_errors_(void)
{
    static const spe_error_row rows[] = {
#define CV_ROW_(name, text) {"CV_ERROR_" #name, text},
        CV_ERRORS_(CV_ROW_)
#undef CV_ROW_
    };
    static const spe_reporter errors = {"not an error of coopvec.h",
                                        rows,
                                        CV_ERROR_FIRST_ + 1,
                                        sizeof rows / sizeof rows[0],
                                        CV_ERROR_PARAMETER_TEXT,
                                        CV_ERROR_TARGET,
                                        CV_ERROR_SUBGROUP_SIZE,
                                        CV_ERROR_UNCLOSED,
                                        {CV_ERROR_MEMORY, "CV_ERROR_MEMORY", "out of memory", NULL, 0}};
    return &errors;
}

const char *cv_error_text(int id) { return spe_reporter_text(cv_errors_(), id); }
const char *cv_error_name(int id) { return spe_reporter_name(cv_errors_(), id); }

/* ---- component types --------------------------------------------------------------------------------------------- */

/* Row i, 0 to 11, in the order of the numbers. */
const cv_type_row *cv_type_at_(int i)
{
    static const cv_type_row rows[] = {
#define CV_ROW_(name, number, text, bits, fp, sign, vector, memory)                                                    \
    {CV_##name, text, bits, fp, sign, vector, memory},
        CV_TYPES_(CV_ROW_)
#undef CV_ROW_
    };
    return &rows[i];
}

const cv_type_row *cv_type_info(int type)
{
    for (int i = 0; i < CV_TYPE_COUNT_; i++)
        if ((int)cv_type_at_(i)->type == type) return cv_type_at_(i);
    return NULL;
}

const char *cv_type_name(int type) { return cv_type_info(type) ? cv_type_info(type)->name : "(no type)"; }
bool cv_is_packed_(int type) { return type == CV_PACKED_S8X32 || type == CV_PACKED_U8X32; }
bool cv_is_fp8_(int type) { return type == CV_E4M3 || type == CV_E5M2; }
bool cv_is_vector_type_(int type) { return cv_type_info(type) && cv_type_info(type)->vector; }
bool cv_is_memory_type_(int type) { return cv_type_info(type) && cv_type_info(type)->memory; }
bool cv_is_float_(int type) { return cv_type_info(type) && cv_type_info(type)->is_float; }
bool cv_is_signed_(int type) { return cv_type_info(type) && cv_type_info(type)->is_signed; }
int cv_bytes_(int type) { return cv_type_info(type)->bits / 8; }

/* May a vector of this type be interpreted so? Packed: 32-bit unsigned only, everything else: 16 and 32 bits. */
bool cv_interprets_(int input, int interpretation)
{
    if (!cv_is_vector_type_(input) || !cv_type_info(interpretation)) return false;
    return !cv_is_packed_(interpretation) || input == CV_U32;
}

bool cv_is_optimal_(int layout) { return layout == CV_MUL_OPTIMAL || layout == CV_OUTER_PRODUCT_OPTIMAL; }

const char *cv_layout_name(int layout)
{
    static const char *const names[] = {"row-major", "column-major", "mul-optimal", "outer-product-optimal"};
    return layout >= 0 && layout < 4 ? names[layout] : "(no layout)";
}

/* ---- what is supported ------------------------------------------------------------------------------------------- */

cv_tier cv_get_tier(const cm_target *target) { return target ? CV_TIER_1_1 : CV_TIER_NOT_SUPPORTED; }

bool cv_supports_mul(int input, int interpretation, int matrix, int bias, int output)
{
    bool packed =
        (input == CV_PACKED_S8X32 && interpretation == CV_I8) || (input == CV_PACKED_U8X32 && interpretation == CV_U8);
    return (packed || cv_interprets_(input, interpretation)) && cv_is_memory_type_(matrix) &&
           cv_is_memory_type_(bias) && cv_is_vector_type_(output);
}

/* What is accumulated into vectors; into matrices the first ones. */
enum { CV_OUTER_ROWS_ = 3, CV_VECTOR_ROWS_ = 5 };
static const cv_properties_accumulate *cv_accumulate_rows_(void)
{
    static const cv_properties_accumulate rows[CV_VECTOR_ROWS_] = {
        {CV_F16, CV_F16}, {CV_F16, CV_F32}, {CV_F32, CV_F32}, {CV_I32, CV_I32}, {CV_U32, CV_U32}};
    return rows;
}

static bool cv_accumulates_(const cv_properties_accumulate *rows, uint32_t count, int input, int type)
{
    for (uint32_t i = 0; i < count; i++)
        if ((int)rows[i].input_type == input && (int)rows[i].accumulation_type == type) return true;
    return false;
}

bool cv_supports_outer_product(int input, int type)
{
    return cv_accumulates_(cv_accumulate_rows_(), CV_OUTER_ROWS_, input, type);
}

bool cv_supports_vector_accumulate(int input, int type)
{
    return cv_accumulates_(cv_accumulate_rows_(), CV_VECTOR_ROWS_, input, type);
}

/* Writes the rows of multiply-add (when out is not NULL); how many. Combination i: its digits are the five types. */
static uint32_t cv_list_mul_(cv_properties_mul *out)
{
    const int n = CV_TYPE_COUNT_;
    uint32_t count = 0;
    for (int i = 0; i < n * n * n * n * n; i++) {
        cv_type t[5];
        for (int k = 4, rest = i; k >= 0; k--, rest /= n) t[k] = cv_type_at_(rest % n)->type;
        if (!cv_supports_mul(t[0], t[1], t[2], t[3], t[4])) continue;
        if (out) {
            cv_properties_mul row = {t[0], t[1], t[2], t[3], t[4], true};
            out[count] = row;
        }
        count++;
    }
    return count;
}

/* A list of `length`, or NULL: may n rows be written there? */
static bool cv_list_holds_(const void *list, uint32_t length, uint32_t n) { return !list || length >= n; }

cv_result cv_check_feature_support(const cm_target *target, cv_feature_data *d)
{
    const cv_properties_accumulate *rows = cv_accumulate_rows_();
    uint32_t mul = cv_list_mul_(NULL);
    if (!d || cv_get_tier(target) == CV_TIER_NOT_SUPPORTED ||
        !cv_list_holds_(d->matrix_vector_mul_add_properties, d->matrix_vector_mul_add_prop_count, mul) ||
        !cv_list_holds_(d->outer_product_accumulate_properties, d->outer_product_accumulate_prop_count,
                        CV_OUTER_ROWS_) ||
        !cv_list_holds_(d->vector_accumulate_properties, d->vector_accumulate_prop_count, CV_VECTOR_ROWS_))
        return CV_E_INVALIDARG;
    d->matrix_vector_mul_add_prop_count = mul;
    d->outer_product_accumulate_prop_count = CV_OUTER_ROWS_;
    d->vector_accumulate_prop_count = CV_VECTOR_ROWS_;
    if (d->matrix_vector_mul_add_properties) cv_list_mul_(d->matrix_vector_mul_add_properties);
    if (d->outer_product_accumulate_properties)
        memcpy(d->outer_product_accumulate_properties, rows, CV_OUTER_ROWS_ * sizeof *rows);
    if (d->vector_accumulate_properties)
        memcpy(d->vector_accumulate_properties, rows, CV_VECTOR_ROWS_ * sizeof *rows);
    return CV_S_OK;
}
