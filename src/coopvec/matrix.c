/* matrix.c - matrices and vectors in memory. */
#include "internal.h"

bool cv_is_set_(const cv_val *v) { return v->magic == CV_VAL_MAGIC_ && v->kind != CV_NONE_; }

static bool cv_check_offset_(cv_where_ w, const cv_val *offset, int multiple, int error)
{
    if (cv_is_set_(offset) && offset->kind == CV_INT_ && (offset->i < 0 || offset->i % multiple))
        cv_fail_(w, error, "offset %lld", (long long)offset->i);
    return spe_ok(&w.x->m);
}

static void cv_check_stride_(cv_where_ w, const cv_matrix_ref *r)
{
    uint64_t line = cv_line_bytes_(r->layout, r->interpretation, (uint32_t)r->m, (uint32_t)r->k);
    if (!cv_is_set_(&r->stride)) return;
    if (cv_is_optimal_(r->layout)) {
        char text[48];
        if (r->stride.kind != CV_INT_ || r->stride.i != 0)
            cv_fail_(w, CV_ERROR_STRIDE_NOT_ZERO, "%s, stride %s", cv_layout_name(r->layout),
                     cv_describe_(&r->stride, text, sizeof text));
        return;
    }
    if (r->stride.kind != CV_INT_) return;
    if (r->stride.i < (int64_t)line)
        cv_fail_(w, CV_ERROR_STRIDE, "%lld, the length is %llu", (long long)r->stride.i, (unsigned long long)line);
    else if (r->stride.i % 16)
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
    if (spe_ok(&w.x->m) && !cv_is_set_(&r.stride))
        r.stride = cv_int_(
            cv_round_up_((uint32_t)cv_line_bytes_(r.layout, r.interpretation, (uint32_t)r.m, (uint32_t)r.k), 16));
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

/* base + offset as a pointer to bytes. */
spe_id cv_bytes_at_(cv_where_ w, const cv_val *base, const cv_val *offset)
{
    spe_module *m = &w.x->m;
    spe_id p = spe_ptr_cast(m, base->id, spe_int(m, 8));
    if (!cv_is_set_(offset) || (offset->kind == CV_INT_ && offset->i == 0)) return p;
    return spe_index(m, p, cv_index_(w, offset, "the offset"));
}

cv_surface_ cv_surface_of_(cv_where_ w, const cv_matrix_ref *r)
{
    cv_surface_ s;
    memset(&s, 0, sizeof s);
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

/* The address of the product's element (m, k), i32 ids, as a pointer to n elements of SPIR-V type `scalar`. */
spe_id cv_address_(const cv_surface_ *s, spe_id row, spe_id col, spe_id scalar, int n)
{
    spe_module *m = &s->x->m;
    spe_id r = s->transpose ? col : row, c = s->transpose ? row : col, at, along;
    along = spe_imul(m, c, spe_i32(m, s->bytes));
    if (s->layout == CV_ROW_MAJOR)
        at = spe_iadd(m, spe_imul(m, r, s->stride), along);
    else if (s->layout == CV_COLUMN_MAJOR)
        at = spe_iadd(m, spe_imul(m, c, s->stride), spe_imul(m, r, spe_i32(m, s->bytes)));
    else {
        int panel = (int)cv_optimal_rows_((uint32_t)s->rows);
        at = spe_iadd(m, spe_imul(m, spe_shr(m, along, spe_i32(m, 6)), spe_i32(m, panel * 64)),
                      spe_iadd(m, spe_imul(m, r, spe_i32(m, 64)), spe_and(m, along, spe_i32(m, 63))));
    }
    return spe_ptr_cast(m, spe_index(m, s->base, at), spe_vec(m, scalar, (uint32_t)n));
}

/* n neighbours in memory from element (row, col) on, decoded; up to 8, into separate ids. */
void cv_load_run_(const cv_surface_ *s, spe_id row, spe_id col, int n, spe_id *out)
{
    spe_module *m = &s->x->m;
    spe_id scalar = cv_spe_type_(s->x, s->type), p, v;
    int i;
    if (n == 8 || n == 4 || n == 2) {
        uint32_t align =
            (uint32_t)s->bytes; /* rows are aligned to 16, but where in a row this begins may not be known */
        v = cv_decode_(s->x, spe_load(m, cv_address_(s, row, col, scalar, n), align), s->type);
        for (i = 0; i < n; i++) out[i] = spe_extract(m, v, (uint32_t)i);
        return;
    }
    p = cv_address_(s, row, col, scalar, 1);
    for (i = 0; i < n; i++)
        out[i] = cv_decode_(s->x, spe_load(m, i ? spe_index(m, p, spe_i32(m, i)) : p, (uint32_t)s->bytes), s->type);
}

/* n elements of a vector in memory from element `first` on, as one SPIR-V vector of the sums' type. */
spe_id cv_load_bias_(cv_ctx *x, spe_id base, int type, spe_id first, int n, bool real)
{
    spe_module *m = &x->m;
    int bytes = cv_bytes_(type), i;
    spe_id at = spe_index(m, base, spe_imul(m, first, spe_i32(m, bytes))), v[8], scalar = cv_spe_type_(x, type);
    if (n == 8 || n == 4 || n == 2) {
        at = spe_load(m, spe_ptr_cast(m, at, spe_vec(m, scalar, (uint32_t)n)), (uint32_t)bytes);
        return cv_to_sum_(x, cv_decode_(x, at, type), type, real);
    }
    at = spe_ptr_cast(m, at, scalar);
    for (i = 0; i < n; i++)
        v[i] = cv_to_sum_(
            x, cv_decode_(x, spe_load(m, i ? spe_index(m, at, spe_i32(m, i)) : at, (uint32_t)bytes), type), type, real);
    return cv_join_(x, real ? spe_float(m, 32) : spe_int(m, 32), n, v);
}
