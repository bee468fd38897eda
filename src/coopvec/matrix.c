/* matrix.c - matrices and vectors in memory. */
#include "internal.h"

static bool cv_check_offset_(cv_where_ w, const cv_val *offset, int multiple, int error)
{
    if (spe_val_is_set(offset) && offset->kind == SPE_INT && (offset->i < 0 || offset->i % multiple))
        cv_fail_(w, error, "offset %lld", (long long)offset->i);
    return spe_ok(&w.x->m);
}

/* Checks the stride, or chooses the least there can be. */
static void cv_check_stride_(cv_where_ w, cv_matrix_ref *r)
{
    uint32_t line = (uint32_t)cv_line_bytes_(r->layout, r->interpretation, (uint32_t)r->m, (uint32_t)r->k);
    bool constant = r->stride.kind == SPE_INT;
    char text[48];
    if (!spe_val_is_set(&r->stride))
        r->stride = spe_val_int(cv_round_up_(line, 16));
    else if (cv_is_optimal_(r->layout) && !(constant && r->stride.i == 0))
        cv_fail_(w, CV_ERROR_STRIDE_NOT_ZERO, "%s, stride %s", cv_layout_name(r->layout),
                 cv_describe_(&r->stride, text, sizeof text));
    else if (constant && r->stride.i < (int64_t)line)
        cv_fail_(w, CV_ERROR_STRIDE, "%lld, the length is %u", (long long)r->stride.i, (unsigned)line);
    else if (constant && r->stride.i % 16)
        cv_fail_(w, CV_ERROR_STRIDE_MULTIPLE, "%lld", (long long)r->stride.i);
}

cv_matrix_ref cv_matrix_ref_(cv_where_ w, cv_matrix_ref r)
{
    if (!cv_enter_(w) || !cv_check_pointer_(w, &r.base, "the matrix")) return r;
    if (!cv_is_memory_type_(r.interpretation))
        cv_fail_(w, CV_ERROR_MATRIX_INTERPRETATION, "got %s", cv_type_name(r.interpretation));
    else if (r.m < 1 || r.k < 1 || r.m > CV_VECTOR_MAX_ || r.k > 4 * CV_VECTOR_MAX_)
        cv_fail_(w, CV_ERROR_SHAPE, "M %d, K %d: at least 1, at most %d and %d in a kernel", r.m, r.k,
                 (int)CV_VECTOR_MAX_, 4 * CV_VECTOR_MAX_);
    else if ((int)r.layout < 0 || (int)r.layout > 3)
        cv_fail_(w, CV_ERROR_LAYOUT, "got %d; there are 0 to 3", (int)r.layout);
    else if (r.transpose && !cv_is_optimal_(r.layout))
        cv_fail_(w, CV_ERROR_TRANSPOSE, "%s, transposed", cv_layout_name(r.layout));
    else if (cv_is_fp8_(r.interpretation) && !cv_is_optimal_(r.layout))
        cv_fail_(w, CV_ERROR_FP8_LAYOUT, "%s in %s", cv_type_name(r.interpretation), cv_layout_name(r.layout));
    else if (cv_check_offset_(w, &r.offset, 128, CV_ERROR_MATRIX_ALIGNMENT))
        cv_check_stride_(w, &r);
    return r;
}

cv_vector_ref cv_vector_ref_(cv_where_ w, cv_vector_ref r)
{
    if (!cv_enter_(w) || !cv_check_pointer_(w, &r.base, "the vector")) return r;
    if (!cv_is_memory_type_(r.interpretation))
        cv_fail_(w, CV_ERROR_BIAS_INTERPRETATION, "got %s", cv_type_name(r.interpretation));
    else
        cv_check_offset_(w, &r.offset, 64, CV_ERROR_VECTOR_ALIGNMENT);
    return r;
}

/* A loop over 0, step, 2 step ... below n; element `index` of a variable that is an array. */
spe_id cv_loop_(spe_module *m, int n, int step)
{
    return spe_for(m, spe_i32(m, 0), spe_i32(m, n), spe_i32(m, step), 0, NULL);
}

spe_id cv_at_(spe_module *m, spe_id variable, spe_id index) { return spe_element(m, variable, 1, &index); }

/* base + offset as a pointer to bytes. */
spe_id cv_bytes_at_(cv_where_ w, const cv_val *base, const cv_val *offset)
{
    spe_module *m = &w.x->m;
    spe_id p = spe_ptr_cast(m, base->id, spe_int(m, 8));
    if (!spe_val_is_set(offset) || (offset->kind == SPE_INT && offset->i == 0)) return p;
    return spe_index(m, p, cv_index_(w, offset, "the offset"));
}

cv_surface_ cv_surface_of_(cv_where_ w, const cv_matrix_ref *r)
{
    cv_surface_ s;
    s.x = w.x;
    s.base = cv_bytes_at_(w, &r->base, &r->offset);
    s.stride = cv_is_optimal_(r->layout) ? 0 : cv_index_(w, &r->stride, "the stride");
    s.type = r->interpretation;
    s.bytes = cv_bytes_(s.type);
    s.m = r->m;
    s.k = r->k;
    s.rows = r->transpose ? r->k : r->m;
    s.layout = r->layout;
    s.transpose = r->transpose;
    s.across = r->transpose || r->layout == CV_COLUMN_MAJOR;
    return s;
}

/* Bytes to the product's element (m, k), i32 ids: cv_element_offset. */
spe_id cv_offset_(const cv_surface_ *s, spe_id row, spe_id col)
{
    spe_module *m = &s->x->m;
    spe_id r = s->transpose ? col : row, c = s->transpose ? row : col, along = spe_imul(m, c, spe_i32(m, s->bytes));
    int panel = (int)cv_optimal_rows_((uint32_t)s->rows) * 64;
    if (s->layout == CV_ROW_MAJOR) return spe_iadd(m, spe_imul(m, r, s->stride), along);
    if (s->layout == CV_COLUMN_MAJOR)
        return spe_iadd(m, spe_imul(m, c, s->stride), spe_imul(m, r, spe_i32(m, s->bytes)));
    return spe_iadd(m, spe_imul(m, spe_shr(m, along, spe_i32(m, 6)), spe_i32(m, panel)),
                    spe_iadd(m, spe_imul(m, r, spe_i32(m, 64)), spe_and(m, along, spe_i32(m, 63))));
}

/* That element as a pointer to n elements of SPIR-V type `scalar`. */
spe_id cv_address_(const cv_surface_ *s, spe_id row, spe_id col, spe_id scalar, int n)
{
    spe_id at = cv_offset_(s, row, col);
    return spe_ptr_cast(&s->x->m, spe_index(&s->x->m, s->base, at), spe_vec(&s->x->m, scalar, (uint32_t)n));
}

/* n neighbours in memory from element (row, col) on, decoded: 8, 4, 2 or 1, into separate ids. Rows are aligned to 16,
 * but where in a row this begins may not be known. */
void cv_load_run_(const cv_surface_ *s, spe_id row, spe_id col, int n, spe_id *out)
{
    spe_module *m = &s->x->m;
    spe_id at = cv_address_(s, row, col, cv_spe_type_(s->x, s->type), n);
    spe_id v = cv_decode_(s->x, spe_load(m, at, (uint32_t)s->bytes), s->type);
    for (int i = 0; i < n; i++) out[i] = spe_extract(m, v, (uint32_t)i);
}

/* So many elements of a vector in memory from element `first` on, as one SPIR-V vector of the sums' type. */
spe_id cv_load_bias_(cv_ctx *x, spe_id base, int type, spe_id first, int n, bool real)
{
    spe_module *m = &x->m;
    int bytes = cv_bytes_(type);
    spe_id at = spe_index(m, base, spe_imul(m, first, spe_i32(m, bytes))), scalar = cv_spe_type_(x, type);
    at = spe_load(m, spe_ptr_cast(m, at, spe_vec(m, scalar, (uint32_t)n)), (uint32_t)bytes);
    return cv_to_sum_(x, cv_decode_(x, at, type), type, real);
}
