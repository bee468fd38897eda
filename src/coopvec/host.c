/* host.c - errors, component types, supported combinations, and matrices in memory. */
#include "internal.h"

XE_FN_ const spe_reporter *cv_errors_(void)
{
#define CV_ERROR_ROW_(name, text) {"CV_ERROR_" #name, text},
    static const spe_error_row rows[] = {CV_ERRORS_(CV_ERROR_ROW_)};
    static const spe_reporter errors = SPE_REPORTER(CV, "coopvec.h", rows);
    return &errors;
}

const char *cv_error_text(int id) { return spe_reporter_text(cv_errors_(), id); }
const char *cv_error_name(int id) { return spe_reporter_name(cv_errors_(), id); }

/* Row i, 0 to 11, in ascending order of type numbers. */
XE_FN_ const cv_type_row *cv_type_at_(int i)
{
#define CV_TYPE_ROW_(name, token, number, ...) {CV_##name, #token, __VA_ARGS__},
    static const cv_type_row rows[] = {CV_TYPES_(CV_TYPE_ROW_)};
    return &rows[i];
}

const cv_type_row *cv_type_info(int type)
{
    for (int i = 0; i < CV_TYPE_COUNT_; i++)
        if ((int)cv_type_at_(i)->type == type) return cv_type_at_(i);
    return NULL;
}

const char *cv_type_name(int type) { return cv_type_info(type) ? cv_type_info(type)->name : "(no type)"; }
XE_FN_ bool cv_is_packed_(int type) { return type == CV_PACKED_S8X32 || type == CV_PACKED_U8X32; }
XE_FN_ bool cv_is_fp8_(int type) { return type == CV_E4M3 || type == CV_E5M2; }
XE_FN_ bool cv_is_vector_type_(int type) { return cv_type_info(type) && cv_type_info(type)->vector; }
XE_FN_ bool cv_is_memory_type_(int type) { return cv_type_info(type) && cv_type_info(type)->memory; }
XE_FN_ bool cv_is_float_(int type) { return cv_type_info(type) && cv_type_info(type)->is_float; }
XE_FN_ bool cv_is_signed_(int type) { return cv_type_info(type) && cv_type_info(type)->is_signed; }
XE_FN_ int cv_bytes_(int type) { return cv_type_info(type)->bits / 8; }

/* Can a vector of this type be interpreted so? Packed: 32-bit unsigned only; others: 16 and 32 bits. */
XE_FN_ bool cv_interprets_(int input, int interpretation)
{
    if (!cv_is_vector_type_(input) || !cv_type_info(interpretation)) return false;
    return !cv_is_packed_(interpretation) || input == CV_U32;
}

XE_FN_ bool cv_is_device_layout_(int layout)
{
    return layout == CV_DEVICE_MUL_OPTIMAL || layout == CV_DEVICE_OUTER_PRODUCT_OPTIMAL;
}

XE_FN_ bool cv_is_optimal_(int layout)
{
    return layout == CV_MUL_OPTIMAL || layout == CV_OUTER_PRODUCT_OPTIMAL || cv_is_device_layout_(layout);
}

const char *cv_layout_name(int layout)
{
    static const char *const names[] = {"row-major", "column-major", "mul-optimal", "outer-product-optimal",
                                        "device-mul-optimal", "device-outer-product-optimal"};
    return layout >= 0 && layout <= CV_DEVICE_OUTER_PRODUCT_OPTIMAL ? names[layout] : "(no layout)";
}

cv_tier cv_get_tier(const cm_target *target) { return target ? CV_TIER_1_1 : CV_TIER_NOT_SUPPORTED; }

bool cv_supports_mul(int input, int interpretation, int matrix, int bias, int output)
{
    bool packed =
        (input == CV_PACKED_S8X32 && interpretation == CV_I8) || (input == CV_PACKED_U8X32 && interpretation == CV_U8);
    return (packed || cv_interprets_(input, interpretation)) && cv_is_memory_type_(matrix) &&
           cv_is_memory_type_(bias) && cv_is_vector_type_(output);
}

/* Combinations that accumulate into vectors; only the first of them also into matrices. */
enum { CV_OUTER_ROWS_ = 3, CV_VECTOR_ROWS_ = 5 };
static const cv_properties_accumulate *cv_accumulate_rows_(void)
{
    static const cv_properties_accumulate rows[CV_VECTOR_ROWS_] = {
        {CV_F16, CV_F16}, {CV_F16, CV_F32}, {CV_F32, CV_F32}, {CV_I32, CV_I32}, {CV_U32, CV_U32}};
    return rows;
}

/* Is it one of the first `count`? */
static bool cv_accumulates_(uint32_t count, int input, int type)
{
    const cv_properties_accumulate *rows = cv_accumulate_rows_();
    for (uint32_t i = 0; i < count; i++)
        if ((int)rows[i].input_type == input && (int)rows[i].accumulation_type == type) return true;
    return false;
}

bool cv_supports_outer_product(int input, int type) { return cv_accumulates_(CV_OUTER_ROWS_, input, type); }
bool cv_supports_vector_accumulate(int input, int type) { return cv_accumulates_(CV_VECTOR_ROWS_, input, type); }

/* Writes the rows of multiply-add (if out is not NULL); returns their number. The digits of i are the five types. */
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

cv_result cv_check_feature_support(const cm_target *target, cv_feature_data *d)
{
    if (!d || cv_get_tier(target) == CV_TIER_NOT_SUPPORTED) return CV_E_INVALIDARG;
    const cv_properties_accumulate *rows = cv_accumulate_rows_();
    cv_properties_accumulate *sums[] = {d->outer_product_accumulate_properties, d->vector_accumulate_properties};
    const void *lists[] = {d->matrix_vector_mul_add_properties, sums[0], sums[1]};
    uint32_t *lengths[] = {&d->matrix_vector_mul_add_prop_count, &d->outer_product_accumulate_prop_count,
                           &d->vector_accumulate_prop_count};
    uint32_t wanted[] = {cv_list_mul_(NULL), CV_OUTER_ROWS_, CV_VECTOR_ROWS_};
    for (int i = 0; i < 3; i++)
        if (lists[i] && *lengths[i] < wanted[i]) return CV_E_INVALIDARG;
    for (int i = 0; i < 3; i++) *lengths[i] = wanted[i];
    if (lists[0]) cv_list_mul_(d->matrix_vector_mul_add_properties);
    for (int i = 0; i < 2; i++)
        if (sums[i]) memcpy(sums[i], rows, wanted[i + 1] * sizeof *rows);
    return CV_S_OK;
}

/* Sets the caller's location and no error. */
XE_FN_ spe_error *cv_error_at_(spe_error *error, const char *file, int line)
{
    if (!error) return NULL;
    memset(error, 0, sizeof *error);
    error->file = file;
    error->line = line;
    return error;
}

/* Fills *error (may be NULL; already has the caller's location) and returns false. */
SPE_PRINTF(3, 4) static bool cv_refuse_(spe_error *error, int id, const char *format, ...)
{
    va_list args;
    if (!error) return false;
    error->id = id;
    error->name = cv_error_name(id);
    int n = snprintf(error->text, sizeof error->text, "%s: ", cv_error_text(id));
    va_start(args, format);
    vsnprintf(error->text + n, sizeof error->text - (size_t)n, format, args);
    va_end(args);
    return false;
}

XE_FN_ uint32_t cv_round_up_(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

/* The stored rows of an optimal layout: blocks of eight. */
XE_FN_ uint32_t cv_optimal_rows_(uint32_t rows) { return cv_round_up_(rows, 8); }

size_t cv_element_offset(cv_layout layout, cv_type type, uint32_t rows, uint32_t stride, uint32_t row, uint32_t col)
{
    size_t bytes = (size_t)cv_bytes_(type), along = col * bytes;
    if (layout == CV_ROW_MAJOR) return (size_t)row * stride + along;
    if (layout == CV_COLUMN_MAJOR) return (size_t)col * stride + row * bytes;
    return along / 64 * cv_optimal_rows_(rows) * 64 + (size_t)row * 64 + along % 64;
}

static cv_stored_ cv_dest_of_(const cv_conversion_dest_info *d)
{
    cv_stored_ s = {d->dest_layout, d->dest_data_type, d->num_rows, d->num_columns, d->dest_stride};
    return s;
}

static cv_stored_ cv_src_of_(const cv_conversion_info *info)
{
    cv_stored_ s = {info->src_info.src_layout, info->src_info.src_data_type, info->dest_info.num_rows,
                    info->dest_info.num_columns, info->src_info.src_stride};
    return s;
}

/* Bytes of a row (row-major) or column (column-major); 0 for optimal layouts. */
XE_FN_ uint64_t cv_line_bytes_(const cv_stored_ *s)
{
    uint64_t bytes = (uint64_t)cv_bytes_(s->type);
    return s->layout == CV_ROW_MAJOR ? s->cols * bytes : s->layout == CV_COLUMN_MAJOR ? s->rows * bytes : 0;
}

/* The size in bytes: from the first to the last element; for optimal layouts including padding. */
static uint64_t cv_stored_bytes_(const cv_stored_ *s)
{
    uint64_t lines = s->layout == CV_ROW_MAJOR ? s->rows : s->cols;
    if (!cv_is_optimal_(s->layout)) return (lines - 1) * s->stride + cv_line_bytes_(s);
    return (s->cols * (uint64_t)cv_bytes_(s->type) + 63) / 64 * cv_optimal_rows_(s->rows) * 64;
}

/* Checks layout, shape and type; an unsuitable type is error `bad_type`. */
static bool cv_check_stored_(const cv_stored_ *s, int bad_type, spe_error *error)
{
    int type = s->type, layout = s->layout;
    if (layout < CV_ROW_MAJOR || layout > CV_OUTER_PRODUCT_OPTIMAL)
        return cv_refuse_(error, CV_ERROR_LAYOUT, "got %d; the host knows 0 to 3", layout);
    if (s->rows < 1 || s->cols < 1 || s->rows > 65536 || s->cols > 65536)
        return cv_refuse_(error, CV_ERROR_SHAPE, "%u x %u", (unsigned)s->rows, (unsigned)s->cols);
    return cv_is_memory_type_(type) || cv_refuse_(error, bad_type, "got %s (%d), use f32", cv_type_name(type), type);
}

enum { CV_MATRIX_LIMIT_ = 0x7fffffc0 }; /* bytes */

static bool cv_check_dest_(const cv_stored_ *s, spe_error *error)
{
    if (!cv_check_stored_(s, CV_ERROR_DEST_TYPE, error)) return false;
    unsigned line = (unsigned)cv_line_bytes_(s), stride = (unsigned)s->stride;
    if (cv_is_fp8_(s->type) && !cv_is_optimal_(s->layout))
        return cv_refuse_(error, CV_ERROR_DEST_LAYOUT, "%s in %s", cv_type_name(s->type), cv_layout_name(s->layout));
    if (stride < line) return cv_refuse_(error, CV_ERROR_DEST_STRIDE, "%u, the length is %u", stride, line);
    if (line && stride % 16) return cv_refuse_(error, CV_ERROR_DEST_STRIDE_MULTIPLE, "%u", stride);
    return cv_stored_bytes_(s) < CV_MATRIX_LIMIT_ ||
           cv_refuse_(error, CV_ERROR_TOO_LARGE, "%u x %u %s with stride %u", (unsigned)s->rows, (unsigned)s->cols,
                      cv_type_name(s->type), stride);
}

/* The size that the query returns. */
XE_FN_ uint32_t cv_dest_size_(const cv_conversion_dest_info *d)
{
    cv_stored_ s = cv_dest_of_(d);
    if (cv_is_optimal_(s.layout)) return (uint32_t)cv_stored_bytes_(&s);
    return (s.layout == CV_ROW_MAJOR ? s.rows : s.cols) * s.stride;
}

bool cv_get_conversion_dest_info_(const char *file, int line, cv_conversion_dest_info *d, spe_error *error)
{
    cv_stored_ s = cv_dest_of_(d);
    error = cv_error_at_(error, file, line);
    if (!s.stride && cv_is_memory_type_(s.type)) s.stride = cv_round_up_((uint32_t)cv_line_bytes_(&s), 16);
    if (!cv_check_dest_(&s, error)) return false;
    if (!cv_is_optimal_(s.layout)) d->dest_stride = s.stride;
    d->dest_size = cv_dest_size_(d);
    return true;
}

static bool cv_check_src_(const cv_conversion_info *info, spe_error *error)
{
    cv_stored_ s = cv_src_of_(info);
    int to = info->dest_info.dest_data_type;
    if (!cv_check_stored_(&s, CV_ERROR_SRC_TYPE, error)) return false;
    unsigned line = (unsigned)cv_line_bytes_(&s), stride = (unsigned)s.stride;
    unsigned given = (unsigned)info->src_info.src_size;
    unsigned long long size = cv_stored_bytes_(&s);
    if (line && stride < line) return cv_refuse_(error, CV_ERROR_SRC_STRIDE, "%u, the length is %u", stride, line);
    if (line && stride % (unsigned)cv_bytes_(s.type))
        return cv_refuse_(error, CV_ERROR_SRC_STRIDE_MULTIPLE, "%u, an element of %s has %d bytes", stride,
                          cv_type_name(s.type), cv_bytes_(s.type));
    if ((int)s.type != to && !(cv_is_float_(s.type) && cv_is_float_(to) && cv_bytes_(s.type) != cv_bytes_(to)))
        return cv_refuse_(error, CV_ERROR_CONVERSION_TYPES, "%s to %s", cv_type_name(s.type), cv_type_name(to));
    if (given < size) return cv_refuse_(error, CV_ERROR_SRC_SIZE, "%u, the matrix has %llu", given, size);
    return size < CV_MATRIX_LIMIT_ || cv_refuse_(error, CV_ERROR_TOO_LARGE, "the source has %llu bytes", size);
}

static bool cv_check_conversion_memory_(const cv_conversion_info *info, spe_error *error)
{
    const cv_conversion_dest_info *d = &info->dest_info;
    const cv_conversion_src_info *s = &info->src_info;
    unsigned long long dest = (uintptr_t)info->data_desc.dest, src = (uintptr_t)info->data_desc.src;
    unsigned bytes = (unsigned)cv_bytes_(s->src_data_type), size = cv_dest_size_(d);
    if (!dest || !src) return cv_refuse_(error, CV_ERROR_ADDRESS, "of the %s", dest ? "source" : "destination");
    if (d->dest_size < size)
        return cv_refuse_(error, CV_ERROR_DEST_SIZE, "%u, the query returns %u", (unsigned)d->dest_size, size);
    if (dest % 128) return cv_refuse_(error, CV_ERROR_DEST_ALIGNMENT, "0x%llx", dest);
    if (src % bytes) return cv_refuse_(error, CV_ERROR_SRC_ALIGNMENT, "0x%llx, an element has %u bytes", src, bytes);
    if (dest < src + s->src_size && src < dest + size)
        return cv_refuse_(error, CV_ERROR_OVERLAP, "%u bytes at 0x%llx and %u at 0x%llx", (unsigned)s->src_size, src,
                          size, dest);
    return true;
}

bool cv_check_conversion_(const char *file, int line, const cv_conversion_info *info, spe_error *error)
{
    cv_stored_ dest = cv_dest_of_(&info->dest_info);
    error = cv_error_at_(error, file, line);
    return cv_check_dest_(&dest, error) && cv_check_src_(info, error) && cv_check_conversion_memory_(info, error);
}

/* A float element's value, exactly. */
static float cv_get_float_(cv_type type, const void *at)
{
    float f = 0;
    uint16_t h = 0;
    uint8_t b = 0;
    memcpy(type == CV_F32 ? (void *)&f : type == CV_F16 ? (void *)&h : &b, at, (size_t)cv_bytes_(type));
    if (type == CV_F32 || type == CV_F16) return type == CV_F32 ? f : spe_f16_bits_to_f32(h);
    return type == CV_E4M3 ? spe_e4m3_bits_to_f32(b) : spe_e5m2_bits_to_f32(b);
}

/* Rounds to nearest even; NaN stays NaN. */
static void cv_put_float_(cv_type type, bool saturate, void *at, float f)
{
    uint16_t h = spe_f32_to_f16_bits(f);
    uint8_t b = type == CV_E4M3 ? spe_f32_to_e4m3_bits(f, saturate) : spe_f32_to_e5m2_bits(f, saturate);
    memcpy(at, type == CV_F32 ? (const void *)&f : type == CV_F16 ? (const void *)&h : &b, (size_t)cv_bytes_(type));
}

static void cv_convert_one_(const cv_conversion_info *info)
{
    cv_stored_ s = cv_src_of_(info), d = cv_dest_of_(&info->dest_info);
    if (cv_is_optimal_(d.layout)) memset(info->data_desc.dest, 0, cv_dest_size_(&info->dest_info)); /* the padding */
    for (uint32_t r = 0; r < d.rows; r++)
        for (uint32_t c = 0; c < d.cols; c++) {
            size_t from = cv_element_offset(s.layout, s.type, s.rows, s.stride, r, c);
            const char *src = (const char *)info->data_desc.src + from;
            char *dest = (char *)info->data_desc.dest + cv_element_offset(d.layout, d.type, d.rows, d.stride, r, c);
            if (s.type == d.type) memcpy(dest, src, (size_t)cv_bytes_(s.type));
            else cv_put_float_(d.type, info->overflow == CV_SATURATE, dest, cv_get_float_(s.type, src));
        }
}

XE_FN_ bool cv_check_conversions_(const char *file, int line, const cv_conversion_info *infos, uint32_t count,
                                  spe_error *error)
{
    error = cv_error_at_(error, file, line);
    for (uint32_t i = 0; i < count; i++)
        if (!cv_check_conversion_(file, line, &infos[i], error)) return false;
    return true;
}

bool cv_convert_matrix_(const char *file, int line, const cv_conversion_info *infos, uint32_t count, spe_error *error)
{
    if (!cv_check_conversions_(file, line, infos, count, error)) return false;
    for (uint32_t i = 0; i < count; i++) cv_convert_one_(&infos[i]);
    return true;
}

/* Checks that an allocation of `size` bytes at base holds `bytes` bytes of `what` at offset. */
static bool cv_check_memory_(const void *base, uint64_t size, uint64_t offset, const char *what, uint64_t bytes,
                             unsigned multiple, int misaligned, spe_error *error)
{
    if (!base) return cv_refuse_(error, CV_ERROR_ADDRESS, "of the %s", what);
    if ((uintptr_t)base % multiple || offset % multiple)
        return cv_refuse_(error, misaligned, "0x%llx + %llu", (unsigned long long)(uintptr_t)base,
                          (unsigned long long)offset);
    if (size % 16) return cv_refuse_(error, CV_ERROR_ALLOCATION_SIZE, "%llu", (unsigned long long)size);
    if (bytes > size || offset > size - bytes)
        return cv_refuse_(error, CV_ERROR_OUT_OF_BOUNDS, "%llu bytes at %llu of %llu", (unsigned long long)bytes,
                          (unsigned long long)offset, (unsigned long long)size);
    return true;
}

bool cv_check_matrix_memory_(const char *file, int line, const void *base, uint64_t size, uint64_t offset,
                             cv_layout layout, cv_type type, uint32_t rows, uint32_t cols, uint32_t stride,
                             spe_error *error)
{
    cv_stored_ s = {layout, type, rows, cols, stride};
    error = cv_error_at_(error, file, line);
    return cv_check_stored_(&s, CV_ERROR_MATRIX_INTERPRETATION, error) &&
           cv_check_memory_(base, size, offset, "matrix", cv_stored_bytes_(&s), 128, CV_ERROR_MATRIX_ALIGNMENT, error);
}

bool cv_check_vector_memory_(const char *file, int line, const void *base, uint64_t size, uint64_t offset, cv_type type,
                             uint32_t n, spe_error *error)
{
    error = cv_error_at_(error, file, line);
    if (!cv_is_memory_type_(type)) return cv_refuse_(error, CV_ERROR_BIAS_INTERPRETATION, "%s", cv_type_name(type));
    return cv_check_memory_(base, size, offset, "vector", (uint64_t)n * (uint64_t)cv_bytes_(type), 64,
                            CV_ERROR_VECTOR_ALIGNMENT, error);
}
