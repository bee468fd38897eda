/* device_conversion.c - conversion of matrices on the device. */
#include "internal.h"

/* Bits of a float type, from f32. NaN becomes the quiet NaN of the host's conversion. */
static spe_id cv_encode_(cv_ctx *x, spe_id v, int type)
{
    spe_module *m = &x->m;
    spe_id word = spe_int(m, 16), byte = spe_int(m, 8), half = spe_float(m, 16), sign, nan, r;
    if (type == CV_F32) return v;
    nan = spe_isnan(m, v);
    sign = spe_and(m, spe_uconvert(m, word, spe_shr(m, spe_bitcast(m, spe_int(m, 32), v), spe_i32(m, 16))),
                   spe_const_u(m, word, 0x8000));
    if (type == CV_F16) {
        r = spe_bitcast(m, word, spe_fconvert(m, half, v));
        return spe_select(m, nan, spe_or(m, sign, spe_const_u(m, word, 0x7e00)), r);
    }
    r = cv_round_fp8_(x, v, type);
    if (type == CV_E4M3) r = spe_fmul(m, r, spe_f32(m, 1.0f / 256));
    r = spe_bitcast(m, word, spe_fconvert(m, half, r));
    r = spe_and(m, spe_shr(m, r, spe_const_u(m, word, type == CV_E4M3 ? 7 : 8)), spe_const_u(m, word, 0x7f));
    r = spe_select(m, nan, spe_const_u(m, word, type == CV_E4M3 ? 0x7f : 0x7e), r);
    return spe_uconvert(m, byte, spe_or(m, r, spe_shr(m, sign, spe_const_u(m, word, 8))));
}

enum {
    CV_CONVERT_DEST_,
    CV_CONVERT_SRC_,
    CV_CONVERT_SLOTS_,
    CV_CONVERT_ROWS_,
    CV_CONVERT_COLS_,
    CV_CONVERT_DEST_TYPE_,
    CV_CONVERT_DEST_LAYOUT_,
    CV_CONVERT_DEST_STRIDE_,
    CV_CONVERT_SRC_TYPE_,
    CV_CONVERT_SRC_LAYOUT_,
    CV_CONVERT_SRC_STRIDE_,
    CV_CONVERT_DEST_SHIFT_,
    CV_CONVERT_SRC_SHIFT_
};

static spe_id cv_convert_arg_(cv_ctx *x, int which) { return x->args[which].id; }

/* cv_element_offset, of layout, stride and size (as a shift) known only when the kernel runs. */
static spe_id cv_convert_offset_(cv_ctx *x, int layout_arg, spe_id r, spe_id c)
{
    spe_module *m = &x->m;
    spe_id layout = cv_convert_arg_(x, layout_arg), stride = cv_convert_arg_(x, layout_arg + 1);
    spe_id shift =
        cv_convert_arg_(x, layout_arg == CV_CONVERT_DEST_LAYOUT_ ? CV_CONVERT_DEST_SHIFT_ : CV_CONVERT_SRC_SHIFT_);
    spe_id padded = spe_and(m, spe_iadd(m, cv_convert_arg_(x, CV_CONVERT_ROWS_), spe_i32(m, 7)), spe_i32(m, ~7));
    spe_id along = spe_shl(m, c, shift), optimal, row_major, column_major;
    optimal = spe_iadd(m, spe_imul(m, spe_imul(m, spe_shr(m, along, spe_i32(m, 6)), padded), spe_i32(m, 64)),
                       spe_iadd(m, spe_imul(m, r, spe_i32(m, 64)), spe_and(m, along, spe_i32(m, 63))));
    row_major = spe_iadd(m, spe_imul(m, r, stride), along);
    column_major = spe_iadd(m, spe_imul(m, c, stride), spe_shl(m, r, shift));
    return spe_select(m, spe_ieq(m, layout, spe_i32(m, CV_ROW_MAJOR)), row_major,
                      spe_select(m, spe_ieq(m, layout, spe_i32(m, CV_COLUMN_MAJOR)), column_major, optimal));
}

static spe_id cv_convert_pointer_(cv_ctx *x, int arg, spe_id at, spe_id type)
{
    return spe_ptr_cast(&x->m, spe_index(&x->m, cv_convert_arg_(x, arg), at), type);
}

/* Types that are equal: the bits are copied. */
static void cv_convert_copy_(cv_ctx *x, spe_id dest, spe_id src, spe_id inside)
{
    spe_module *m = &x->m;
    int shift;
    for (shift = 0; shift < 3; shift++) {
        spe_id type = spe_int(m, 8u << shift), zero = spe_const_u(m, type, 0), v;
        spe_if(m, spe_ieq(m, cv_convert_arg_(x, CV_CONVERT_DEST_SHIFT_), spe_i32(m, shift)));
        spe_if(m, inside);
        v = spe_load(m, cv_convert_pointer_(x, CV_CONVERT_SRC_, src, type), 1u << shift);
        spe_endif_from(m, 1, &v, &zero, &v);
        spe_store(m, cv_convert_pointer_(x, CV_CONVERT_DEST_, dest, type), v, 1u << shift);
        spe_endif(m, 0, NULL, NULL);
    }
}

/* Float types that differ, by way of f32. */
static void cv_convert_float_(cv_ctx *x, spe_id dest, spe_id src, spe_id inside)
{
    static const cv_type types[] = {CV_F32, CV_F16, CV_E4M3, CV_E5M2};
    spe_module *m = &x->m;
    spe_id real = spe_float(m, 32), zero = spe_f32(m, 0), value = zero, v;
    int i;
    for (i = 0; i < 4; i++) {
        spe_if(m, spe_land(m, inside, spe_ieq(m, cv_convert_arg_(x, CV_CONVERT_SRC_TYPE_), spe_i32(m, types[i]))));
        v = spe_load(m, cv_convert_pointer_(x, CV_CONVERT_SRC_, src, cv_spe_type_(x, types[i])),
                     (uint32_t)cv_bytes_(types[i]));
        v = spe_fconvert(m, real, cv_decode_(x, v, types[i]));
        spe_endif_from(m, 1, &v, &value, &value);
    }
    for (i = 0; i < 4; i++) {
        spe_if(m, spe_ieq(m, cv_convert_arg_(x, CV_CONVERT_DEST_TYPE_), spe_i32(m, types[i])));
        v = cv_encode_(x, value, types[i]);
        spe_store(m, cv_convert_pointer_(x, CV_CONVERT_DEST_, dest, spe_type_of(m, v)), v,
                  (uint32_t)cv_bytes_(types[i]));
        spe_endif(m, 0, NULL, NULL);
    }
}

/* A work-item a slot of the destination: of an optimal layout the padding too, which becomes zero. */
void cv_convert_body_(cv_ctx *x)
{
    spe_module *m = &x->m;
    spe_id i = spe_builtin(m, SPE_GLOBAL_ID, 0), rows = cv_convert_arg_(x, CV_CONVERT_ROWS_),
           cols = cv_convert_arg_(x, CV_CONVERT_COLS_);
    spe_id shift = cv_convert_arg_(x, CV_CONVERT_DEST_SHIFT_), optimal, padded, panel, in_panel, width, r, c, inside,
           dest, src;
    spe_if(m, spe_ult(m, i, cv_convert_arg_(x, CV_CONVERT_SLOTS_)));
    optimal = spe_uge(m, cv_convert_arg_(x, CV_CONVERT_DEST_LAYOUT_), spe_i32(m, CV_MUL_OPTIMAL));
    padded = spe_and(m, spe_iadd(m, rows, spe_i32(m, 7)), spe_i32(m, ~7));
    width = spe_select(m, optimal, spe_shr(m, spe_i32(m, 64), shift), cols);
    padded = spe_select(m, optimal, padded, rows);
    panel = spe_udiv(m, i, spe_imul(m, padded, width));
    in_panel = spe_isub(m, i, spe_imul(m, panel, spe_imul(m, padded, width)));
    r = spe_udiv(m, in_panel, width);
    c = spe_iadd(m, spe_imul(m, panel, width), spe_isub(m, in_panel, spe_imul(m, r, width)));
    inside = spe_land(m, spe_ult(m, r, rows), spe_ult(m, c, cols));
    dest = cv_convert_offset_(x, CV_CONVERT_DEST_LAYOUT_, r, c);
    src = cv_convert_offset_(x, CV_CONVERT_SRC_LAYOUT_, r, c);
    spe_if(m, spe_ieq(m, cv_convert_arg_(x, CV_CONVERT_DEST_TYPE_), cv_convert_arg_(x, CV_CONVERT_SRC_TYPE_)));
    cv_convert_copy_(x, dest, src, inside);
    spe_else(m, 0, NULL);
    cv_convert_float_(x, dest, src, inside);
    spe_endif(m, 0, NULL, NULL);
    spe_endif(m, 0, NULL, NULL);
}

static uint32_t cv_shift_(int type) { return cv_bytes_(type) == 4 ? 2 : cv_bytes_(type) == 2 ? 1 : 0; }

cv_conversion_arguments cv_conversion_arguments_of(const cv_conversion_info *info)
{
    const cv_conversion_dest_info *d = &info->dest_info;
    cv_conversion_arguments a;
    memset(&a, 0, sizeof a);
    a.dest = info->data_desc.dest;
    a.src = info->data_desc.src;
    a.rows = d->num_rows;
    a.cols = d->num_columns;
    a.dest_type = (uint32_t)d->dest_data_type;
    a.dest_layout = (uint32_t)d->dest_layout;
    a.dest_stride = d->dest_stride;
    a.src_type = (uint32_t)info->src_info.src_data_type;
    a.src_layout = (uint32_t)info->src_info.src_layout;
    a.src_stride = info->src_info.src_stride;
    a.dest_shift = cv_shift_(d->dest_data_type);
    a.src_shift = cv_shift_(info->src_info.src_data_type);
    a.slots = cv_is_optimal_(d->dest_layout) ? cv_dest_size_(d, 0) >> a.dest_shift : a.rows * a.cols;
    a.groups = (a.slots + CV_CONVERT_GROUP_ - 1) / CV_CONVERT_GROUP_;
    return a;
}

cv_conversions_ cv_conversions_begin_(const cv_conversion_info *infos, uint32_t count, spe_error *error)
{
    cv_conversions_ c;
    uint32_t i;
    memset(&c, 0, sizeof c);
    c.infos = infos;
    c.count = count;
    if (error) memset(error, 0, sizeof *error);
    for (i = 0; i < count; i++)
        if (!cv_check_conversion(&infos[i], error)) c.count = 0;
    return c;
}

bool cv_conversions_next_(cv_conversions_ *c)
{
    if (c->next >= c->count) return false;
    c->now = cv_conversion_arguments_of(&c->infos[c->next++]);
    return true;
}
