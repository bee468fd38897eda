/* device_conversion.c - conversion of matrices on the device. */
#include "internal.h"

/* The parameters of the kernel, in their order: CV_CONVERT_PARAMS_. */
typedef struct {
    spe_id dest, src, slots, rows, cols, dest_type, dest_layout, dest_stride, src_type, src_layout, src_stride,
        dest_shift, src_shift;
} cv_convert_args_;
#define CV_CONVERT_PARAMS_                                                                                             \
    "ptr<u8> dest, ptr<u8> src, u32 slots, u32 rows, u32 cols, u32 dest_type, u32 dest_layout, u32 dest_stride, "      \
    "u32 src_type, u32 src_layout, u32 src_stride, u32 dest_shift, u32 src_shift"

enum { CV_CONVERT_GROUP_ = 128 };

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

/* cv_element_offset, of layout, stride and size (as a shift) known only when the kernel runs. */
static spe_id cv_convert_offset_(spe_module *m, spe_id layout, spe_id stride, spe_id shift, spe_id rows, spe_id r,
                                 spe_id c)
{
    spe_id padded = spe_and(m, spe_iadd(m, rows, spe_i32(m, 7)), spe_i32(m, ~7));
    spe_id along = spe_shl(m, c, shift), optimal, row_major, column_major;
    optimal = spe_iadd(m, spe_imul(m, spe_imul(m, spe_shr(m, along, spe_i32(m, 6)), padded), spe_i32(m, 64)),
                       spe_iadd(m, spe_imul(m, r, spe_i32(m, 64)), spe_and(m, along, spe_i32(m, 63))));
    row_major = spe_iadd(m, spe_imul(m, r, stride), along);
    column_major = spe_iadd(m, spe_imul(m, c, stride), spe_shl(m, r, shift));
    return spe_select(m, spe_ieq(m, layout, spe_i32(m, CV_ROW_MAJOR)), row_major,
                      spe_select(m, spe_ieq(m, layout, spe_i32(m, CV_COLUMN_MAJOR)), column_major, optimal));
}

/* Types that are equal: the bits are copied. dest and src: pointers to bytes, of the element. */
static void cv_convert_copy_(cv_ctx *x, const cv_convert_args_ *a, spe_id dest, spe_id src, spe_id inside)
{
    spe_module *m = &x->m;
    for (int shift = 0; shift < 3; shift++) {
        spe_id type = spe_int(m, 8u << shift), zero = spe_const_u(m, type, 0), v;
        spe_if(m, spe_ieq(m, a->dest_shift, spe_i32(m, shift)));
        spe_if(m, inside);
        v = spe_load(m, spe_ptr_cast(m, spe_index(m, a->src, src), type), 1u << shift);
        spe_endif_from(m, 1, &v, &zero, &v);
        spe_store(m, spe_ptr_cast(m, spe_index(m, a->dest, dest), type), v, 1u << shift);
        spe_endif(m, 0, NULL, NULL);
    }
}

/* Float types that differ, by way of f32. */
static void cv_convert_float_(cv_ctx *x, const cv_convert_args_ *a, spe_id dest, spe_id src, spe_id inside)
{
    static const cv_type types[] = {CV_F32, CV_F16, CV_E4M3, CV_E5M2};
    spe_module *m = &x->m;
    spe_id real = spe_float(m, 32), zero = spe_f32(m, 0), value = zero, v;
    for (int i = 0; i < 4; i++) {
        spe_if(m, spe_land(m, inside, spe_ieq(m, a->src_type, spe_i32(m, types[i]))));
        v = spe_load(m, spe_ptr_cast(m, spe_index(m, a->src, src), cv_spe_type_(x, types[i])),
                     (uint32_t)cv_bytes_(types[i]));
        v = spe_fconvert(m, real, cv_decode_(x, v, types[i]));
        spe_endif_from(m, 1, &v, &value, &value);
    }
    for (int i = 0; i < 4; i++) {
        spe_if(m, spe_ieq(m, a->dest_type, spe_i32(m, types[i])));
        v = cv_encode_(x, value, types[i]);
        spe_store(m, spe_ptr_cast(m, spe_index(m, a->dest, dest), spe_type_of(m, v)), v,
                  (uint32_t)cv_bytes_(types[i]));
        spe_endif(m, 0, NULL, NULL);
    }
}

/* A work-item a slot of the destination: of an optimal layout the padding too, which becomes zero. */
static void cv_convert_body_(cv_ctx *x)
{
    spe_module *m = &x->m;
    const cv_val *p = x->args;
    cv_convert_args_ a = {p[0].id, p[1].id, p[2].id, p[3].id,  p[4].id,  p[5].id, p[6].id,
                          p[7].id, p[8].id, p[9].id, p[10].id, p[11].id, p[12].id};
    spe_id i = spe_builtin(m, SPE_GLOBAL_ID, 0), optimal, padded, panel, in_panel, width, r, c, inside, dest, src;
    spe_if(m, spe_ult(m, i, a.slots));
    optimal = spe_uge(m, a.dest_layout, spe_i32(m, CV_MUL_OPTIMAL));
    padded = spe_and(m, spe_iadd(m, a.rows, spe_i32(m, 7)), spe_i32(m, ~7));
    width = spe_select(m, optimal, spe_shr(m, spe_i32(m, 64), a.dest_shift), a.cols);
    padded = spe_select(m, optimal, padded, a.rows);
    panel = spe_udiv(m, i, spe_imul(m, padded, width));
    in_panel = spe_isub(m, i, spe_imul(m, panel, spe_imul(m, padded, width)));
    r = spe_udiv(m, in_panel, width);
    c = spe_iadd(m, spe_imul(m, panel, width), spe_isub(m, in_panel, spe_imul(m, r, width)));
    inside = spe_land(m, spe_ult(m, r, a.rows), spe_ult(m, c, a.cols));
    dest = cv_convert_offset_(m, a.dest_layout, a.dest_stride, a.dest_shift, a.rows, r, c);
    src = cv_convert_offset_(m, a.src_layout, a.src_stride, a.src_shift, a.rows, r, c);
    spe_if(m, spe_ieq(m, a.dest_type, a.src_type));
    cv_convert_copy_(x, &a, dest, src, inside);
    spe_else(m, 0, NULL);
    cv_convert_float_(x, &a, dest, src, inside);
    spe_endif(m, 0, NULL, NULL);
    spe_endif(m, 0, NULL, NULL);
}

cv_module cv_conversion_module(const cv_target *target)
{
    static const cv_kernel kernel = {"cv_convert_matrix", CV_CONVERT_PARAMS_, __FILE__, __LINE__, cv_convert_body_};
    cv_build_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.kernel = &kernel;
    desc.file = __FILE__;
    desc.line = __LINE__;
    desc.target = target;
    desc.local_size = CV_CONVERT_GROUP_;
    return cv_build(&desc);
}

static uint32_t cv_shift_(int type) { return (uint32_t)cv_bytes_(type) / 2; } /* of 4, 2 or 1 bytes */

cv_conversion_arguments cv_conversion_arguments_of(const cv_conversion_info *info)
{
    const cv_conversion_dest_info *d = &info->dest_info;
    const cv_conversion_src_info *s = &info->src_info;
    cv_conversion_arguments a;
    a.dest = info->data_desc.dest;
    a.src = info->data_desc.src;
    a.rows = d->num_rows;
    a.cols = d->num_columns;
    a.dest_type = (uint32_t)d->dest_data_type;
    a.dest_layout = (uint32_t)d->dest_layout;
    a.dest_stride = d->dest_stride;
    a.src_type = (uint32_t)s->src_data_type;
    a.src_layout = (uint32_t)s->src_layout;
    a.src_stride = s->src_stride;
    a.dest_shift = cv_shift_(d->dest_data_type);
    a.src_shift = cv_shift_(s->src_data_type);
    a.slots = cv_is_optimal_(d->dest_layout) ? cv_dest_size_(d, 0) >> a.dest_shift : a.rows * a.cols;
    a.groups = (a.slots + CV_CONVERT_GROUP_ - 1) / CV_CONVERT_GROUP_;
    return a;
}

cv_conversions_ cv_conversions_begin_(const cv_conversion_info *infos, uint32_t count, spe_error *error)
{
    cv_conversions_ c;
    memset(&c, 0, sizeof c);
    c.infos = infos;
    c.count = count;
    if (error) memset(error, 0, sizeof *error);
    for (uint32_t i = 0; i < count; i++)
        if (!cv_check_conversion(&infos[i], error)) c.count = 0;
    return c;
}

bool cv_conversions_next_(cv_conversions_ *c)
{
    if (c->next >= c->count) return false;
    c->now = cv_conversion_arguments_of(&c->infos[c->next++]);
    return true;
}
