/* products.c - matrices and vectors in memory, products and accumulation. */
#include "internal.h"

static bool cv_check_offset_(cv_where_ w, const cv_val *offset, int multiple, int error)
{
    return !spe_val_is_set(offset) || offset->kind != SPE_INT ||
           (offset->integer >= 0 && offset->integer % multiple == 0) ||
           cv_fail_(w, error, "offset %lld", (long long)offset->integer);
}

/* Checks the stride, or sets it to the minimum. */
static void cv_check_stride_(cv_where_ w, cv_matrix_ref *r)
{
    cv_stored_ s = {r->layout, r->interpretation, (uint32_t)r->rows, (uint32_t)r->cols, 0};
    uint32_t line = (uint32_t)cv_line_bytes_(&s);
    bool constant = r->stride.kind == SPE_INT;
    if (!spe_val_is_set(&r->stride)) r->stride = spe_val_int(cv_round_up_(line, 16));
    else if (cv_is_optimal_(r->layout) && !(constant && r->stride.integer == 0))
        cv_fail_(w, CV_ERROR_STRIDE_NOT_ZERO, "%s, stride %s", cv_layout_name(r->layout), cv_describe_(&r->stride).s);
    else if (constant && r->stride.integer < (int64_t)line)
        cv_fail_(w, CV_ERROR_STRIDE, "%lld, the length is %u", (long long)r->stride.integer, (unsigned)line);
    else if (constant && r->stride.integer % 16)
        cv_fail_(w, CV_ERROR_STRIDE_MULTIPLE, "%lld", (long long)r->stride.integer);
}

/* Checks and completes a reference. */
cv_matrix_ref cv_matrix_ref_(cv_where_ w, cv_matrix_ref r)
{
    if (!cv_enter_(w) || !cv_check_pointer_(w, &r.base, "the matrix")) return r;
    if (!cv_is_memory_type_(r.interpretation))
        cv_fail_(w, CV_ERROR_MATRIX_INTERPRETATION, "got %s", cv_type_name(r.interpretation));
    else if (r.rows < 1 || r.cols < 1 || r.rows > CV_VECTOR_MAX_ || r.cols > 4 * CV_VECTOR_MAX_)
        cv_fail_(w, CV_ERROR_SHAPE, "M %d, K %d: at least 1, at most %d and %d in a kernel", r.rows, r.cols,
                 (int)CV_VECTOR_MAX_, 4 * CV_VECTOR_MAX_);
    else if ((int)r.layout < 0 || r.layout > CV_DEVICE_OUTER_PRODUCT_OPTIMAL)
        cv_fail_(w, CV_ERROR_LAYOUT, "got %d; there are 0 to %d", (int)r.layout, (int)CV_DEVICE_OUTER_PRODUCT_OPTIMAL);
    else if (cv_is_device_layout_(r.layout) && !w.x->vulkan)
        cv_fail_(w, CV_ERROR_LAYOUT, "got %d, %s; %s has no cooperative vectors, or they are not used", (int)r.layout,
                 cv_layout_name(r.layout), w.x->target.name);
    else if (r.transpose && !cv_is_optimal_(r.layout))
        cv_fail_(w, CV_ERROR_TRANSPOSE, "%s, transposed", cv_layout_name(r.layout));
    else if (cv_is_fp8_(r.interpretation) && !cv_is_optimal_(r.layout))
        cv_fail_(w, CV_ERROR_FP8_LAYOUT, "%s in %s", cv_type_name(r.interpretation), cv_layout_name(r.layout));
    else if (cv_check_offset_(w, &r.offset, 128, CV_ERROR_MATRIX_ALIGNMENT)) cv_check_stride_(w, &r);
    return r;
}

cv_vector_ref cv_vector_ref_(cv_where_ w, cv_vector_ref r)
{
    if (!cv_enter_(w) || !cv_check_pointer_(w, &r.base, "the vector")) return r;
    if (!cv_is_memory_type_(r.interpretation))
        cv_fail_(w, CV_ERROR_BIAS_INTERPRETATION, "got %s", cv_type_name(r.interpretation));
    else cv_check_offset_(w, &r.offset, 64, CV_ERROR_VECTOR_ALIGNMENT);
    return r;
}

/* A loop over 0, step, 2 step ... below n. And element `index` of an array variable. */
static spe_id cv_loop_(spe_module *m, int n, int step)
{
    spe_id by = spe_i32(m, step), end = spe_i32(m, n);
    return spe_for(m, spe_i32(m, 0), end, by, 0, NULL);
}

static spe_id cv_at_(spe_module *m, spe_id variable, spe_id index) { return spe_element(m, variable, 1, &index); }

/* base + offset as a pointer to bytes. */
static spe_id cv_bytes_at_(cv_where_ w, const cv_val *base, const cv_val *offset)
{
    spe_module *m = &w.x->m;
    spe_id p = spe_ptr_cast(m, base->id, spe_int(m, 8));
    if (!spe_val_is_set(offset) || (offset->kind == SPE_INT && offset->integer == 0)) return p;
    return spe_index(m, p, cv_index_(w, offset, "the offset"));
}

static cv_surface_ cv_surface_of_(cv_where_ w, const cv_matrix_ref *r)
{
    spe_id base = cv_bytes_at_(w, &r->base, &r->offset);
    spe_id stride = cv_is_optimal_(r->layout) ? 0 : cv_index_(w, &r->stride, "the stride");
    cv_surface_ s = {w.x, base, stride, r->interpretation, cv_bytes_(r->interpretation), r->rows, r->cols,
                     r->transpose ? r->cols : r->rows, r->layout, r->transpose,
                     r->transpose || r->layout == CV_COLUMN_MAJOR};
    return s;
}

/* Byte offset of the product's element (m, k), i32 ids, as in cv_element_offset. */
static spe_id cv_offset_(const cv_surface_ *s, spe_id row, spe_id col)
{
    spe_module *m = &s->x->m;
    spe_id r = s->transpose ? col : row, c = s->transpose ? row : col, along = spe_imul(m, c, spe_i32(m, s->bytes));
    int panel = (int)cv_optimal_rows_((uint32_t)s->rows) * 64;
    if (s->layout == CV_ROW_MAJOR) return spe_iadd(m, spe_imul(m, r, s->stride), along);
    if (s->layout == CV_COLUMN_MAJOR) {
        spe_id down = spe_imul(m, r, spe_i32(m, s->bytes));
        return spe_iadd(m, spe_imul(m, c, s->stride), down);
    }
    spe_id in_panel = spe_and(m, along, spe_i32(m, 63));
    in_panel = spe_iadd(m, spe_imul(m, r, spe_i32(m, 64)), in_panel);
    spe_id size = spe_i32(m, panel);
    return spe_iadd(m, spe_imul(m, spe_shr(m, along, spe_i32(m, 6)), size), in_panel);
}

/* That element as a pointer to n elements of SPIR-V type `scalar`. */
static spe_id cv_address_(const cv_surface_ *s, spe_id row, spe_id col, spe_id scalar, int n)
{
    spe_id at = cv_offset_(s, row, col), type = spe_vec(&s->x->m, scalar, (uint32_t)n);
    return spe_ptr_cast(&s->x->m, spe_index(&s->x->m, s->base, at), type);
}

/* Loads n elements of a vector from element `first` on, as one SPIR-V vector of the sums' type. */
static spe_id cv_load_bias_(spe_module *m, spe_id base, int type, spe_id first, int n, bool real)
{
    int bytes = cv_bytes_(type);
    spe_id at = spe_index(m, base, spe_imul(m, first, spe_i32(m, bytes))), scalar = cv_spe_type_(m, type);
    at = spe_load(m, spe_ptr_cast(m, at, spe_vec(m, scalar, (uint32_t)n)), (uint32_t)bytes);
    return cv_to_sum_(m, cv_decode_(m, at, type), type, real);
}

/* A float bias is added to an integer sum after conversion to f32; other biases are the sum's initial value. */
XE_FN_ bool cv_bias_in_sum_(const cv_product_ *p) { return p->bias && (p->real || !cv_is_float_(p->bias_type)); }

static spe_id cv_sum_scalar_(const cv_product_ *p) { return p->real ? spe_float(p->m, 32) : spe_int(p->m, 32); }

/* The initial value of the sums of rows first .. first + n. */
XE_FN_ spe_id cv_sum_start_(const cv_product_ *p, spe_id first, int n)
{
    if (cv_bias_in_sum_(p)) return cv_load_bias_(p->m, p->bias, p->bias_type, first, n, p->real);
    return spe_null(p->m, spe_vec(p->m, cv_sum_scalar_(p), (uint32_t)n));
}

/* Converts sums of rows first .. to elements of the output. */
XE_FN_ spe_id cv_finish_sum_(const cv_product_ *p, spe_id sum, spe_id first, int n)
{
    if (!p->bias || cv_bias_in_sum_(p)) return cv_convert_value_(p->m, sum, p->sum_type, p->out.type);
    sum = cv_convert_value_(p->m, sum, p->sum_type, CV_F32);
    sum = spe_fadd(p->m, sum, cv_load_bias_(p->m, p->bias, p->bias_type, first, n, true));
    return cv_convert_value_(p->m, sum, CV_F32, p->out.type);
}

/* Are four products of bytes and their sum one instruction, along K? */
static bool cv_has_dots_(const cv_product_ *p)
{
    const int in = p->in.interpretation, a = p->a.type;
    return p->x->target.block1d && !p->a.across && p->a.k % 4 == 0 && (a == CV_I8 || a == CV_U8) &&
           (in == CV_I8 || in == CV_U8 || cv_is_packed_(in));
}

/* Makes the matrix and the input ones of dwords, of four bytes each. */
static bool cv_input_dwords_(cv_product_ *p, spe_id *out)
{
    spe_module *m = p->m;
    const int type = p->in.interpretation;
    const bool packed = cv_is_packed_(type);
    const cv_vec v = packed ? p->in.vec : cv_convert_vec_(p->x, &p->in.vec, type);
    spe_id byte = spe_int(m, 8), dword = spe_int(m, 32);
    p->dots = true;
    p->a.type = p->a.type == CV_I8 ? CV_I32 : CV_U32;
    p->a.bytes = 4;
    p->a.k /= 4;
    for (int i = 0; v.parts && i < p->a.k; i++) {
        spe_id four[4];
        for (int j = 0; !packed && j < 4; j++) four[j] = cv_get_(m, &v, 4 * i + j);
        spe_id bytes = packed ? 0 : cv_join_(m, byte, 4, four);
        out[i] = packed ? cv_get_(m, &v, i) : spe_bitcast(m, dword, bytes);
    }
    return spe_ok(m);
}

/* The input's K elements, interpreted, in the type of the sums. */
static bool cv_input_lanes_(const cv_product_ *p, spe_id *out)
{
    spe_module *m = p->m;
    int type = p->in.interpretation;
    bool packed = cv_is_packed_(type), sign = cv_is_signed_(type);
    for (int i = 0; i < p->a.k; i++) {
        spe_id up = packed ? spe_i32(m, 24 - i % 4 * 8) : 0;
        spe_id v = packed ? spe_shl(m, cv_get_(m, &p->in.vec, i / 4), up)
                          : cv_convert_value_(m, cv_get_(m, &p->in.vec, i), p->in.vec.type, type);
        if (packed) v = sign ? spe_sar(m, v, spe_i32(m, 24)) : spe_shr(m, v, spe_i32(m, 24));
        out[i] = cv_to_sum_(m, v, packed ? sign ? CV_I32 : CV_U32 : type, p->real);
    }
    return spe_ok(m);
}

/* One run of n (8, 4, 2 or 1) neighbours in memory, from A[row][col] on. Along k: sums[0] += A[row][col + j] v[j];
 * across: sums[j] += A[row + j][col] v[0]. Rows are aligned to 16, but the position within the row may be unknown. */
static void cv_lanes_neighbours_(const cv_product_ *p, spe_id row, spe_id col, int n, const spe_id *v, spe_id *sums)
{
    spe_module *m = p->m;
    spe_id at = cv_address_(&p->a, row, col, cv_spe_type_(m, p->a.type), n), a[8];
    at = cv_decode_(m, spe_load(m, at, (uint32_t)p->a.bytes), p->a.type);
    for (int i = 0; i < n; i++) a[i] = spe_extract(m, at, (uint32_t)i);
    for (int i = 0; i < n; i++) {
        spe_id *sum = &sums[p->a.across ? i : 0], x = v[p->a.across ? 0 : i];
        if (p->dots) {
            bool with_signs = cv_is_signed_(p->in.interpretation);
            *sum = spe_iadd(m, *sum, spe_dot_bytes(m, x, with_signs, a[i], p->a.type == CV_I32));
            continue;
        }
        spe_id e = cv_to_sum_(m, a[i], p->a.type, p->real);
        /* compilers fuse; sums come first, see cm_mul_add_plain_ */
        *sum = p->real ? spe_fadd(m, *sum, spe_fmul(m, e, x)) : spe_iadd(m, *sum, spe_imul(m, e, x));
    }
}

/* Sums of `rows` rows (more than one only if rows are neighbours in memory) over all of K. input: a variable with K
 * elements, for a loop over K; 0: unrolled, with the ids in v. */
static void cv_lanes_rows_(const cv_product_ *p, spe_id row, int rows, const spe_id *v, spe_id input, spe_id *sums)
{
    spe_module *m = p->m;
    spe_id start = cv_sum_start_(p, row, rows), x[8], k;
    int step = p->a.across ? 1 : 8, full = input ? p->a.k / step * step : 0;
    for (int i = 0; i < rows; i++) sums[i] = spe_extract(m, start, (uint32_t)i);
    if (full) {
        spe_id by = spe_i32(m, step), end = spe_i32(m, full);
        k = spe_for(m, spe_i32(m, 0), end, by, (uint32_t)rows, sums);
        for (int i = 0; i < step; i++) x[i] = spe_load(m, cv_at_(m, input, spe_iadd(m, k, spe_i32(m, i))), 0);
        cv_lanes_neighbours_(p, row, k, p->a.across ? rows : 8, x, sums);
        spe_endfor(m, (uint32_t)rows, sums);
    }
    for (int i = full, n; i < p->a.k; i += p->a.across ? 1 : n) {
        n = spe_part_length(p->a.k - i, 0);
        cv_lanes_neighbours_(p, row, spe_i32(m, i), p->a.across ? rows : n, v + i, sums);
    }
    start = cv_finish_sum_(p, cv_join_(m, cv_sum_scalar_(p), rows, sums), row, rows);
    for (int i = 0; i < rows; i++) sums[i] = spe_extract(m, start, (uint32_t)i);
}

/* A variable for n results, which are read from it before the next product. Intel's compiler keeps the address of each
 * element in a register, where registers have room for these beside the results; then products of the same type and
 * number share one variable. An even number: where a 16-bit array ends within a dword, it spills registers over it. */
static spe_id cv_results_(const cv_product_ *p, int n)
{
    spe_module *m = p->m;
    spe_id type = spe_array(m, cv_spe_type_(m, p->out.type), cv_round_up_((uint32_t)n, 2)), *last = &p->x->results;
    const bool room = n * p->x->S * (cv_bytes_(p->out.type) + 4) < p->x->target.registers;
    if (!room) return spe_local_var(m, type);
    if (!*last || spe_type_of(m, *last) != spe_ptr(m, SPE_StorageClassFunction, type)) *last = spe_local_var(m, type);
    return *last;
}

/* Rolled: the output is a variable, and a loop goes over blocks of rows (one row, or eight neighbours); the input is a
 * variable too, unless a row is short enough to unroll. Small products are fully unrolled. */
static void cv_mul_lanes_(cv_product_ *p)
{
    spe_module *m = p->m;
    bool rolled = p->a.m * p->a.k > 64;
    int step = p->a.across ? 8 : 1, full = rolled ? p->a.m / step * step : 0;
    spe_id *v = cv_ids_(m, p->a.k), *out = cv_ids_(m, p->a.m), input = 0, output, row, sums[8];
    if (!v || !out || !(cv_has_dots_(p) ? cv_input_dwords_(p, v) : cv_input_lanes_(p, v))) return;
    if (rolled && (p->a.across || p->a.k > 64)) {
        input = spe_local_var(m, spe_array(m, cv_sum_scalar_(p), (uint32_t)p->a.k));
        for (int i = 0; i < p->a.k; i++) spe_store(m, cv_at_(m, input, spe_i32(m, i)), v[i], 0);
    }
    if (full) {
        output = cv_results_(p, full);
        row = cv_loop_(m, full, step);
        cv_lanes_rows_(p, row, step, v, input, sums);
        for (int i = 0; i < step; i++) spe_store(m, cv_at_(m, output, spe_iadd(m, row, spe_i32(m, i))), sums[i], 0);
        spe_endfor(m, 0, NULL);
        for (int i = 0; i < full; i++) out[i] = spe_load(m, cv_at_(m, output, spe_i32(m, i)), 0);
    }
    for (int i = full, n; i < p->a.m; i += n) {
        n = p->a.across ? spe_part_length(p->a.m - i, 0) : 1;
        cv_lanes_rows_(p, spe_i32(m, i), n, v, input, out + i);
    }
    p->out = cv_from_scalars_(p->x, p->out.type, p->a.m, out);
}

/* ---- the matrix instruction --------------------------------------------------------------------------------------
 *
 * A lane's own vector, packed to dwords, is that lane's column of the instruction's B operand, and the resulting sums
 * are the lane's own. The matrix is A: eight rows, 32 bytes of k, where lane l holds bytes l 32 / S ... of each row.
 * One product serves all lanes. FP8 becomes f16 in registers, where the instruction lacks it: 32 bytes of a row then
 * make two operands, one from half of each dword's elements, one from the other (subgroup size 16: even and odd k), and
 * the vector is packed with the same permutation of k.
 */

enum { CV_DPAS_NONE_, CV_DPAS_F16_, CV_DPAS_I8_, CV_DPAS_FP8_ };

/* Combines two vec8 as the lower and upper halves of a vec8 of integers twice as wide. */
static spe_id cv_zip_(spe_module *m, spe_id low, spe_id high, int bits)
{
    static const uint32_t order[16] = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
    spe_id mixed = spe_shuffle(m, low, high, 16, order);
    return spe_bitcast(m, spe_vec(m, spe_int(m, (uint32_t)bits * 2), 8), mixed);
}

/* For neighbours along m: each lane loads the runs of its own rows of k. FP8 becomes f16 for products of that. */
static spe_id cv_a_across_(const cv_product_ *p, int block, int k0)
{
    const cv_surface_ *s = &p->a;
    spe_module *m = p->m;
    spe_id v[4], row = spe_i32(m, block * 8), scalar = spe_int(m, (uint32_t)s->bytes * 8);
    for (int i = 0; i < p->R; i++) {
        spe_id first = spe_i32(m, k0 + i), k = spe_iadd(m, spe_imul(m, p->lane, spe_i32(m, p->R)), first), inside = 0;
        if (k0 + p->depth > s->k) {
            inside = spe_slt(m, k, spe_i32(m, s->k));
            k = spe_math2(m, SPE_SMIN, k, spe_i32(m, s->k - 1));
        }
        v[i] = spe_load(m, cv_address_(s, row, k, scalar, 8), (uint32_t)(8 * s->bytes));
        if (cv_is_fp8_(s->type) && p->kind == CV_DPAS_F16_) {
            v[i] = cv_decode_(m, v[i], s->type);
            v[i] = spe_bitcast(m, spe_vec(m, spe_int(m, 16), 8), v[i]);
        }
        if (inside) v[i] = spe_select(m, inside, v[i], spe_null(m, spe_type_of(m, v[i])));
    }
    for (int n = p->R, bits = p->kind == CV_DPAS_F16_ ? 16 : 8; n > 1; n /= 2, bits *= 2)
        for (int j = 0; j < n / 2; j++) v[j] = cv_zip_(m, v[2 * j], v[2 * j + 1], bits);
    return v[0];
}

/* For neighbours along k: each lane loads its part of eight rows. Rows past the last one repeat it and are unused. */
static spe_id cv_a_along_(const cv_product_ *p, int block, int raw)
{
    const cv_surface_ *s = &p->a;
    spe_module *m = p->m;
    int each = 32 / p->x->S, elements = each / s->bytes, k0 = raw * 32 / s->bytes;
    spe_id scalar = spe_int(m, (uint32_t)each * 8), v[8], inside = 0;
    spe_id first = spe_i32(m, k0), k = spe_iadd(m, spe_imul(m, p->lane, spe_i32(m, elements)), first), a;
    if (!cv_is_optimal_(s->layout) && k0 + 32 / s->bytes > s->k) {
        inside = spe_slt(m, k, spe_i32(m, s->k));
        k = spe_math2(m, SPE_SMIN, k, spe_i32(m, s->k - elements));
    }
    for (int i = 0; i < 8; i++) {
        int row = block * 8 + i;
        if (!cv_is_optimal_(s->layout) && row >= s->m) row = s->m - 1;
        v[i] = spe_load(m, cv_address_(s, spe_i32(m, row), k, scalar, 1), (uint32_t)each);
    }
    a = cv_join_(m, scalar, 8, v);
    return inside ? spe_select(m, inside, a, spe_null(m, spe_type_of(m, a))) : a;
}

/* The eight rows of raw operands raw, raw + 1 by two messages of one dimension, where rows of both adjoin in memory: an
 * optimal layout, and subgroups of 8, whose lanes have a dword each of an operand's 32 bytes of a row. */
static void cv_a_lines_(const cv_product_ *p, int block, int raw, spe_id out[2])
{
    static const uint32_t order[2][8] = {{0, 2, 4, 6, 8, 10, 12, 14}, {1, 3, 5, 7, 9, 11, 13, 15}};
    const cv_surface_ *s = &p->a;
    spe_module *m = p->m;
    const int rows = (int)cv_optimal_rows_((uint32_t)s->m), first = (raw / 2 * rows + block * 8) * 64;
    spe_id word = spe_int(m, 32), half[2];
    for (int i = 0; i < 2; i++) {
        spe_id at = spe_index(m, s->base, spe_i32(m, first + i * 256));
        const uint32_t from = spe_ptr_cast(m, at, word);
        half[i] = spe_op(m, SPE_OpSubgroupBlockReadINTEL, spe_vec(m, word, 8), 1, &from);
    }
    for (int j = 0; j < 2; j++) out[j] = spe_shuffle(m, half[0], half[1], 8, order[j]);
}

/* Loads row blocks block .. block + 4 of raw operands raw, raw + 1 by one message. */
static void cv_a_message_(const cv_product_ *p, int block, int raw, spe_id out[4][2])
{
    const cv_surface_ *s = &p->a;
    spe_module *m = p->m;
    bool optimal = cv_is_optimal_(s->layout);
    int rows = (int)cv_optimal_rows_((uint32_t)s->m), blocks = p->blocks - block < 4 ? p->blocks - block : 4;
    int panels = (s->k * s->bytes + 63) / 64, height = blocks == 3 ? 32 : blocks * 8;
    spe_id word = spe_int(m, 16), variable, zero = spe_i32(m, 0);
    spe_block2d b = {
        2, 16, (uint32_t)height, 2, spe_ptr_cast(m, s->base, word), spe_i32(m, optimal ? 64 : s->k * s->bytes),
        spe_i32(m, optimal ? rows * panels : s->m), optimal ? spe_i32(m, 64) : s->stride,
        spe_i32(m, optimal ? 0 : raw * 16), spe_i32(m, optimal ? raw / 2 * rows + block * 8 : block * 8)};
    variable = spe_local_var(m, spe_array(m, word, (uint32_t)(height * 2)));
    spe_block2d_load(m, &b, cv_at_(m, variable, zero));
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < blocks; i++) {
            spe_id at = cv_at_(m, variable, spe_i32(m, j * height + i * 8));
            out[i][j] = spe_load(m, spe_ptr_cast(m, at, spe_vec(m, word, 8)), 2);
        }
}

/* Raw operands for up to four blocks of rows and two steps along k. 2D block messages require rows of at least 64
 * bytes, a multiple of 4; that is why optimal layouts have rows of 64 bytes. */
static void cv_a_load_(const cv_product_ *p, int block, int raw, spe_id out[4][2])
{
    const cv_surface_ *s = &p->a;
    int bytes = cv_is_optimal_(s->layout) ? 64 : s->k * s->bytes;
    bool message = p->x->block2d && !s->across && bytes >= 64 && bytes % 4 == 0;
    bool lines = p->x->S == 8 && !s->across && cv_is_optimal_(s->layout);
    if (message) cv_a_message_(p, block, raw, out);
    for (int i = 0; !message && i < 4 && block + i < p->blocks; i++) {
        if (lines) cv_a_lines_(p, block + i, raw, out[i]);
        for (int j = 0; !lines && j < 2 && raw + j < p->raws; j++)
            out[i][j] =
                s->across ? cv_a_across_(p, block + i, (raw + j) * p->depth) : cv_a_along_(p, block + i, raw + j);
    }
}

/* Byte `i` of each integer, `bits` wide, as f16 in 16-bit integers. */
static spe_id cv_byte_as_f16_(spe_module *m, spe_id v, int bits, int i, int type)
{
    spe_id own = spe_type_of(m, v), word = spe_vec(m, spe_int(m, 16), 8);
    v = i > 1 ? spe_shr(m, v, spe_const_u(m, own, 16)) : v;
    v = bits == 32 ? spe_uconvert(m, word, v) : v;
    if (i % 2 == 0) v = spe_shl(m, v, spe_const_u(m, word, 8));
    return spe_bitcast(m, word, cv_decode_fp8_high_(m, v, type));
}

/* Operand `half` of a raw operand: itself, or half of its FP8 as f16: one of each lane's 2 bytes (subgroup size 16),
 * two of its 4 (subgroup size 8). */
static spe_id cv_a_operand_(const cv_product_ *p, spe_id raw, int half)
{
    int type = p->a.type;
    if (p->halves == 1) return raw;
    if (p->x->S == 16) return cv_byte_as_f16_(p->m, raw, 16, half, type);
    spe_id high = cv_byte_as_f16_(p->m, raw, 32, 2 * half + 1, type);
    return cv_zip_(p->m, cv_byte_as_f16_(p->m, raw, 32, 2 * half, type), high, 16);
}

/* The k of element i of operand `half`, relative to the raw operand's first. */
static int cv_operand_k_(const cv_product_ *p, int half, int i)
{
    return p->halves == 1 ? i : p->x->S == 16 ? 2 * i + half : i / 2 * 4 + 2 * half + i % 2;
}

/* Eight elements of a vector as one SPIR-V vector, zeros past its end. */
static spe_id cv_pick_(cv_ctx *x, const cv_vec *v, const int k[8])
{
    spe_module *m = &x->m;
    static const uint32_t even[8] = {0, 2, 4, 6, 8, 10, 12, 14}, odd[8] = {1, 3, 5, 7, 9, 11, 13, 15};
    spe_id scalar = cv_spe_type_(m, v->type), ids[8];
    int part = k[0] / 8, apart = k[7] - k[0];
    if (apart == 7 && k[0] % 8 == 0 && k[7] < v->length) return v->part[part];
    if (apart == 14 && k[0] % 8 < 2 && part * 8 + 16 <= v->length)
        return spe_shuffle(m, v->part[part], v->part[part + 1], 8, k[0] % 8 ? odd : even);
    for (int i = 0; i < 8; i++) ids[i] = k[i] < v->length ? cv_take_(x, v, k[i]) : spe_null(m, scalar);
    return cv_join_(m, scalar, 8, ids);
}

/* The eight from `first` on. */
static spe_id cv_eight_(cv_ctx *x, const cv_vec *v, int first)
{
    int k[8];
    for (int i = 0; i < 8; i++) k[i] = first + i;
    return cv_pick_(x, v, k);
}

static spe_id cv_words_(spe_module *m, spe_id v, int n)
{
    return spe_bitcast(m, spe_vec(m, spe_int(m, 32), (uint32_t)n), v);
}

/* Operand `half` of k from k0 on, as eight dwords: sixteen f16, 32 bytes, or packed dwords. */
static spe_id cv_b_operand_(const cv_product_ *p, const cv_vec *v, int k0, int half)
{
    static const uint32_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    bool packed = cv_is_packed_(p->in.interpretation);
    int pieces = packed ? 1 : p->kind == CV_DPAS_F16_ ? 2 : 4, k[8];
    spe_id e[7], *piece = e + pieces - 1; /* a tree: e[0] combines e[1] and e[2], these e[3] to e[6] */
    for (int i = 0; i < pieces; i++) {
        for (int j = 0; j < 8; j++) k[j] = (packed ? k0 / 4 : k0) + cv_operand_k_(p, half, 8 * i + j);
        piece[i] = cv_pick_(p->x, v, k);
        if (!packed) piece[i] = cv_words_(p->m, piece[i], 8 / pieces);
    }
    for (int i = pieces - 2; i >= 0; i--)
        e[i] = spe_shuffle(p->m, e[2 * i + 1], e[2 * i + 2], i ? 4 : 8, order);
    return e[0];
}

/* f16 of FP8's values as its bytes: E5M2 is f16's upper half; 2^-8 times E4M3 has the same exponent bits. */
static spe_id cv_bytes_of_fp8_(spe_module *m, spe_id v, int type)
{
    spe_id half = spe_type_of(m, v), word = spe_vec_like(m, spe_int(m, 16), v), bits = spe_bitcast(m, word, v);
    spe_id eight = spe_const_u(m, word, 8), high = spe_shr(m, bits, eight);
    if (type == CV_E4M3) {
        spe_id scaled = spe_bitcast(m, word, spe_fmul(m, v, spe_const_f(m, half, 1.0 / 256)));
        spe_id seven = spe_const_u(m, word, 7), rest = spe_const_u(m, word, 0x7f), sign = spe_const_u(m, word, 0x80);
        scaled = spe_and(m, spe_shr(m, scaled, seven), rest);
        high = spe_or(m, spe_and(m, high, sign), scaled);
        high = spe_select(m, spe_isnan(m, v), rest, high);
    }
    return spe_uconvert(m, spe_vec_like(m, spe_int(m, 8), v), high);
}

/* Makes the B operands from the interpreted input: f16, bytes, or packed dwords. */
static bool cv_pack_b_(cv_product_ *p)
{
    int type = p->in.interpretation;
    cv_vec v = p->in.vec;
    if (!cv_is_packed_(type)) v = cv_convert_vec_(p->x, &v, type);
    if (p->kind == CV_DPAS_F16_) v.type = CV_F16; /* FP8 is held as f16 */
    if (p->kind == CV_DPAS_FP8_) v.type = CV_U8;
    for (int i = 0; p->kind == CV_DPAS_FP8_ && i < v.parts; i++) v.part[i] = cv_bytes_of_fp8_(p->m, v.part[i], type);
    p->b = cv_ids_(p->m, p->raws * p->halves);
    if (!p->b || !v.parts) return false;
    for (int i = 0; i < p->raws; i++)
        for (int h = 0; h < p->halves; h++)
            p->b[i * p->halves + h] = cv_b_operand_(p, &v, i * p->depth * p->halves, h);
    return spe_ok(p->m);
}

static spe_id cv_dpas_once_(const cv_product_ *p, spe_id a, spe_id b, spe_id sums)
{
    uint32_t operands = 0x400 | 0x800; /* packed f16 */
    if (p->kind == CV_DPAS_I8_)
        operands = 0x10u | 0x20u | (p->a.type == CV_I8 ? 1u : 0u) | (cv_is_signed_(p->in.interpretation) ? 2u : 0u);
    if (p->kind == CV_DPAS_FP8_)
        operands = (p->a.type == CV_E4M3 ? 0x4000u : 0x10000u) | (p->in.interpretation == CV_E4M3 ? 0x8000u : 0x20000u);
    return spe_dpas(p->m, spe_vec(p->m, cv_sum_scalar_(p), 8), p->kind == CV_DPAS_F16_ ? 16 : 32, a, b, sums, operands);
}

/* The sums of four blocks of rows over all of K. */
static void cv_dpas_blocks_(const cv_product_ *p, int block, spe_id sums[4])
{
    for (int raw = 0; raw < p->raws; raw += 2) {
        spe_id a[4][2];
        memset(a, 0, sizeof a);
        cv_a_load_(p, block, raw, a);
        for (int j = 0; j < 2 && raw + j < p->raws; j++)
            for (int h = 0; h < p->halves; h++) {
                if (p->halves > 1 && (raw + j) * 32 + cv_operand_k_(p, h, 0) >= p->a.k) continue;
                for (int i = 0; i < 4 && block + i < p->blocks; i++)
                    sums[i] = cv_dpas_once_(p, cv_a_operand_(p, a[i][j], h), p->b[(raw + j) * p->halves + h], sums[i]);
            }
    }
}

/* Sets the parts of the output in the four blocks. */
static void cv_dpas_finish_(const cv_product_ *p, int block, const spe_id sums[4])
{
    static const uint32_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int first = 0, part = 0, n; part < p->out.parts; first += n, part++) {
        int i = first / 8 - block;
        spe_id sum, at;
        n = spe_part_length(p->a.m, part);
        if (i < 0 || i >= 4) continue;
        at = spe_i32(p->m, first);
        sum = n == 8 ? sums[i] : spe_shuffle(p->m, sums[i], sums[i], (uint32_t)n, order + first % 8);
        p->out.part[part] = cv_finish_sum_(p, sum, at, n);
    }
}

/* The initial value of a block's sums; in the last block, the bias may have fewer rows. */
static spe_id cv_dpas_start_(const cv_product_ *p, int block)
{
    spe_id first = spe_i32(p->m, block * 8), ids[8], part;
    int rows = p->a.m - block * 8, at_once = rows == 4 || rows == 2 ? rows : 1;
    if (rows >= 8 || !cv_bias_in_sum_(p)) return cv_sum_start_(p, first, 8);
    part = cv_sum_start_(p, first, at_once);
    for (int i = 0; i < 8; i++) {
        if (i >= rows) ids[i] = spe_null(p->m, cv_sum_scalar_(p));
        else if (i < at_once) ids[i] = spe_extract(p->m, part, (uint32_t)i);
        else ids[i] = cv_sum_start_(p, spe_i32(p->m, block * 8 + i), 1);
    }
    return cv_join_(p->m, cv_sum_scalar_(p), 8, ids);
}

static void cv_mul_dpas_(cv_product_ *p)
{
    p->depth = p->kind == CV_DPAS_F16_ ? 16 : 32;
    p->R = p->depth / p->x->S;
    p->halves = p->kind == CV_DPAS_F16_ && cv_is_fp8_(p->a.type) && !p->a.across ? 2 : 1;
    p->raws = (p->a.k + p->depth * p->halves - 1) / (p->depth * p->halves);
    p->blocks = (p->a.m + 7) / 8;
    p->lane = spe_builtin(p->m, SPE_SUBGROUP_LANE, 0);
    if (!cv_pack_b_(p)) return;
    for (int block = 0; block < p->blocks; block += 4) {
        spe_id sums[4] = {0, 0, 0, 0};
        for (int i = 0; i < 4 && block + i < p->blocks; i++) sums[i] = cv_dpas_start_(p, block + i);
        cv_dpas_blocks_(p, block, sums);
        cv_dpas_finish_(p, block, sums);
    }
}

/* Do all work-items of the subgroup arrive together, with equal numbers a and b (NULL: none)? */
static bool cv_is_uniform_(cv_where_ w, cv_uniformity said, const cv_val *a, const cv_val *b)
{
    cv_ctx *x = w.x;
    bool same = (!a || !spe_val_is_set(a) || a->uniform) && (!b || !spe_val_is_set(b) || b->uniform);
    if (said == CV_UNIFORM_YES && !x->full)
        cv_fail_(w, CV_ERROR_UNIFORM, "work-groups of %d leave work-items of a subgroup of %d switched off",
                 x->local_size, x->S);
    return said != CV_UNIFORM_NO && x->full && (said == CV_UNIFORM_YES || (same && x->divergent == 0));
}

/* The matrix instruction to use, if there is one for these types and lanes can load the matrix for it; CV_DPAS_NONE_:
 * one lane at a time. */
static int cv_choose_dpas_(const cv_product_ *p)
{
    const cv_surface_ *s = &p->a;
    int in = p->in.interpretation, each = 32 / p->x->S / s->bytes, blocks = (s->m + 7) / 8;
    bool f = (in == CV_F16 || cv_is_fp8_(in)) && (s->type == CV_F16 || cv_is_fp8_(s->type));
    bool i = (in == CV_I8 || in == CV_U8 || cv_is_packed_(in)) && (s->type == CV_I8 || s->type == CV_U8);
    if (!p->x->dpas || (int64_t)blocks * (s->k * (f ? 2 : 1) / 32 + 1) > CV_DPAS_MOST_) return CV_DPAS_NONE_;
    if (s->layout == CV_ROW_MAJOR && s->k % (each ? each : 1)) return CV_DPAS_NONE_;
    if (cv_is_fp8_(in) && cv_is_fp8_(s->type) && cm_has_dpas(&p->x->target, cm_product_row(CM_E4M3, CM_E5M2)))
        return CV_DPAS_FP8_;
    return f ? CV_DPAS_F16_ : i ? CV_DPAS_I8_ : CV_DPAS_NONE_;
}

static bool cv_check_product_(cv_where_ w, int out_type, const cv_interpreted_vector *in, const cv_matrix_ref *a)
{
    int want = cv_is_packed_(in->interpretation) ? (a->cols + 3) / 4 : a->cols;
    if (!cv_check_vec_(w, &in->vec)) return false;
    if (!cv_interprets_(in->vec.type, in->interpretation))
        cv_fail_(w, CV_ERROR_INPUT_INTERPRETATION, "a vector of %s as %s", cv_type_text_(in->vec.type),
                 cv_type_name(in->interpretation));
    else if (in->vec.length != want)
        cv_fail_(w, CV_ERROR_INPUT_LENGTH, "%d elements of %s, K is %d, which takes %d", in->vec.length,
                 cv_type_name(in->interpretation), a->cols, want);
    else if (!cv_is_vector_type_(out_type)) cv_fail_(w, CV_ERROR_OUTPUT_TYPE, "got %s", cv_type_name(out_type));
    return spe_ok(&w.x->m);
}

/* Reports a product that the device does not have, of a matrix that only it can read. */
static cv_vec cv_no_such_product_(cv_where_ w, const cv_product_ *p)
{
    return CV_FAIL_VEC_(w, CV_ERROR_DEVICE_PRODUCT, "%d x %d %s in %s%s, input %s as %s", p->a.m, p->a.k,
                        cv_type_name(p->a.type), cv_layout_name(p->a.layout), p->a.transpose ? ", transposed" : "",
                        cv_type_name(p->in.vec.type), cv_type_name(p->in.interpretation));
}

cv_vec cv_mul_add(cv_where_ w, int out_type, const cv_matrix_ref *a, const cv_interpreted_vector *in,
                  const cv_vector_ref *bias)
{
    cv_product_ p;
    bool added = bias && spe_val_is_set(&bias->base);
    int of = in->interpretation, by = a->interpretation, plus = added ? (int)bias->interpretation : 0;
    bool sign = cv_is_signed_(of) || cv_is_signed_(by) || (cv_is_signed_(plus) && !cv_is_float_(plus));
    if (!cv_enter_(w) || !cv_check_product_(w, out_type, in, a)) return cv_no_vec_();
    memset(&p, 0, sizeof p);
    p.x = w.x;
    p.m = &w.x->m;
    p.in = *in;
    p.a = cv_surface_of_(w, a);
    p.real = cv_is_float_(of) || cv_is_float_(by);
    p.sum_type = p.real ? CV_F32 : sign ? CV_I32 : CV_U32;
    p.bias = added ? cv_bytes_at_(w, &bias->base, &bias->offset) : 0;
    p.bias_type = plus;
    p.out = cv_new_(w.x, out_type, a->rows);
    if (!p.out.parts) return p.out;
    if (cv_is_uniform_(w, a->uniform, &a->offset, &a->stride) &&
        (!added || cv_is_uniform_(w, a->uniform, &bias->offset, NULL)))
        p.kind = cv_choose_dpas_(&p);
    if (w.x->vulkan && w.x->vulkan->multiply(&p)) return spe_ok(&w.x->m) ? p.out : cv_no_vec_();
    if (cv_is_device_layout_(a->layout)) return cv_no_such_product_(w, &p);
    if (p.kind != CV_DPAS_NONE_) cv_mul_dpas_(&p);
    else cv_mul_lanes_(&p);
    return spe_ok(&w.x->m) ? p.out : cv_no_vec_();
}

cv_vec cv_mul(cv_where_ w, int out_type, const cv_matrix_ref *a, const cv_interpreted_vector *in)
{
    return cv_mul_add(w, out_type, a, in, NULL);
}

cv_vec cv_multiply_(cv_where_ w, int out_type, cv_multiply_desc_ d)
{
    return cv_mul_add(w, out_type, &d.matrix, &d.input, &d.bias);
}

/* Adds two f16 to the two in a word, atomically. Not every device has an instruction for that, so this is a
 * compare-exchange loop. */
static void cv_atomic_add_f16_(spe_module *m, spe_id word_ptr, spe_id pair)
{
    spe_id carried[2], half2 = spe_vec(m, spe_float(m, 16), 2), u32 = spe_int(m, 32), next, seen;
    carried[0] = spe_atomic_load(m, word_ptr, SPE_ScopeDevice, 0);
    carried[1] = spe_const_bool(m, true);
    spe_while(m, 2, carried);
    spe_while_test(m, carried[1]);
    next = spe_bitcast(m, u32, spe_fadd(m, spe_bitcast(m, half2, carried[0]), pair));
    seen = spe_atomic_cas(m, word_ptr, carried[0], next, SPE_ScopeDevice, 0);
    carried[1] = spe_ine(m, seen, carried[0]);
    carried[0] = seen;
    spe_endwhile(m, 2, carried);
}

/* Adds a value (f32, or a 32-bit integer) to an element of memory, `at` bytes after base. f16: rounds first. */
static void cv_atomic_add_(spe_module *m, spe_id base, spe_id at, int type, spe_id v)
{
    spe_id half = spe_float(m, 16), two[2];
    if (type != CV_F16) {
        spe_id pointee = cv_spe_type_(m, type), p = spe_ptr_cast(m, spe_index(m, base, at), pointee);
        spe_atomic(m, type == CV_F32 ? SPE_ATOMIC_FADD : SPE_ATOMIC_IADD, p, v, SPE_ScopeDevice, 0);
        return;
    }
    v = spe_fconvert(m, half, v);
    spe_id zero = spe_const_f(m, half, -0.0); /* the neutral element */
    spe_id none = spe_i32(m, 0), odd = spe_ine(m, spe_and(m, at, spe_i32(m, 2)), none);
    two[0] = spe_select(m, odd, zero, v);
    two[1] = spe_select(m, odd, v, zero);
    spe_id dword = spe_int(m, 32), word = spe_ptr_cast(m, spe_index(m, base, spe_and(m, at, spe_i32(m, ~3))), dword);
    cv_atomic_add_f16_(m, word, cv_join_(m, half, 2, two));
}

/* Adds the values of the first n lanes, or of all, to elements, each to the one at `at`. Those of an even lane and the
 * next adjoin. */
static void cv_atomic_add_lanes_(cv_ctx *x, spe_id base, spe_id at, int type, spe_id v, int n)
{
    spe_module *m = &x->m;
    if (n > x->S) n = x->S;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), half = spe_float(m, 16), two[2], mine = 0;
    if (type == CV_F16) { /* even lanes also add for their neighbour */
        two[0] = spe_fconvert(m, half, v);
        two[1] = spe_sg_shuffle_xor(m, two[0], spe_i32(m, 1));
        spe_id none = spe_i32(m, 0), neutral = n % 2 ? spe_const_f(m, half, -0.0) : 0;
        mine = spe_ieq(m, spe_and(m, lane, spe_i32(m, 1)), none);
        if (n % 2) two[1] = spe_select(m, spe_slt(m, lane, spe_i32(m, n - 1)), two[1], neutral);
    }
    if (n < x->S) {
        spe_id inside = spe_slt(m, lane, spe_i32(m, n));
        mine = mine ? spe_land(m, mine, inside) : inside;
    }
    if (mine) spe_if(m, mine);
    if (type == CV_F16) {
        spe_id both = cv_join_(m, half, 2, two), word = spe_int(m, 32);
        cv_atomic_add_f16_(m, spe_ptr_cast(m, spe_index(m, base, at), word), both);
    } else {
        cv_atomic_add_(m, base, at, type, v);
    }
    if (mine) spe_endif(m, 0, NULL, NULL);
}

/* Is bit `bit` of the lane's number set? */
static spe_id cv_lane_bit_(spe_module *m, int bit)
{
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), zero = spe_i32(m, 0);
    return spe_ine(m, spe_and(m, lane, spe_i32(m, bit)), zero);
}

/* w[i] of lane l becomes w[l] of lane i, bit by bit of both numbers, for n words and lanes that differ in the log2(n)
 * bits from `unit` on. */
static void cv_transpose_lanes_(spe_module *m, spe_id *w, int n, int unit)
{
    for (int bit = 1; bit < n && spe_ok(m); bit *= 2) {
        spe_id set = cv_lane_bit_(m, bit * unit);
        for (int i = 0; i < n; i++) {
            if (i & bit) continue;
            spe_id other = spe_i32(m, bit * unit);
            spe_id got = spe_sg_shuffle_xor(m, spe_select(m, set, w[i], w[i | bit]), other);
            w[i] = spe_select(m, set, got, w[i]);
            w[i | bit] = spe_select(m, set, w[i | bit], got);
        }
    }
}

/* Lane l gets the sum over all lanes of element first + l of v: each step exchanges half of what is left. */
static spe_id cv_sum_lanes_(cv_ctx *x, const cv_vec *v, int first)
{
    spe_module *m = &x->m;
    bool real = cv_is_float_(v->type);
    spe_id w[CV_LANES_MAX_], type = real ? spe_float(m, 32) : spe_int(m, 32);
    for (int i = 0; i < x->S; i++)
        w[i] = first + i < v->length ? cv_to_sum_(m, cv_get_(m, v, first + i), v->type, real) : spe_null(m, type);
    for (int bit = x->S / 2; bit && spe_ok(m); bit /= 2) {
        spe_id set = cv_lane_bit_(m, bit);
        for (int i = 0; i < bit; i++) {
            spe_id other = spe_i32(m, bit), got = spe_sg_shuffle_xor(m, spe_select(m, set, w[i], w[i + bit]), other);
            spe_id kept = spe_select(m, set, w[i + bit], w[i]);
            w[i] = real ? spe_fadd(m, kept, got) : spe_iadd(m, kept, got);
        }
    }
    return w[0];
}

/* The B operand of sixteen f16 elements of each of sixteen lanes: lane l gets element l of all lanes, two to a word. */
static spe_id cv_gather_lanes_f16_(cv_ctx *x, const cv_vec *v, int first)
{
    spe_module *m = &x->m;
    spe_id word = spe_int(m, 32), w[8], odd = cv_lane_bit_(m, 1), low = spe_i32(m, 0xffff), high = spe_i32(m, ~0xffff);
    spe_id sixteen = spe_i32(m, 16), eight[2];
    for (int i = 0; i < 2; i++) eight[i] = cv_words_(m, cv_eight_(x, v, first + 8 * i), 4);
    for (int i = 0; i < 8; i++) {
        spe_id other;
        w[i] = spe_extract(m, eight[i / 4], (uint32_t)(i % 4));
        other = spe_sg_shuffle_xor(m, w[i], spe_i32(m, 1));
        spe_id up = spe_shl(m, other, sixteen), even = spe_or(m, spe_and(m, w[i], low), up);
        spe_id stay = spe_and(m, w[i], high);
        w[i] = spe_select(m, odd, spe_or(m, spe_shr(m, other, sixteen), stay), even);
    }
    cv_transpose_lanes_(m, w, 8, 2);
    return cv_join_(m, word, 8, w);
}

/* A vector in a variable of f32, so that a loop can index it. */
static spe_id cv_spill_(spe_module *m, const cv_vec *v)
{
    spe_id real = spe_float(m, 32), variable = spe_local_var(m, spe_array(m, real, (uint32_t)v->length));
    for (int i = 0; i < v->length; i++) {
        spe_id at = spe_i32(m, i), value = spe_fconvert(m, real, cv_get_(m, v, i));
        spe_store(m, cv_at_(m, variable, at), value, 0);
    }
    return variable;
}

/* Each lane separately. */
static void cv_outer_lanes_(const cv_surface_ *c, const cv_vec *v1, const cv_vec *v2)
{
    spe_module *m = &c->x->m;
    spe_id a = cv_spill_(m, v1), b = cv_spill_(m, v2), row = cv_loop_(m, c->m, 1);
    spe_id v = spe_load(m, cv_at_(m, a, row), 0), col = cv_loop_(m, c->k, 1);
    v = spe_fmul(m, v, spe_load(m, cv_at_(m, b, col), 0));
    cv_atomic_add_(m, c->base, cv_offset_(c, row, col), c->type, v);
    spe_endfor(m, 0, NULL);
    spe_endfor(m, 0, NULL);
}

/* Where lane l's element (row, col + l) is; col is a multiple of the subgroup size. Lanes beyond the width of a panel
 * continue in the next one. */
static spe_id cv_lane_offset_(const cv_surface_ *s, spe_id row, int col)
{
    spe_module *m = &s->x->m;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), at = cv_offset_(s, row, spe_i32(m, col));
    return spe_iadd(m, at, s->x->S * s->bytes > 64 ? cv_offset_(s, spe_i32(m, 0), lane)
                                                   : spe_imul(m, lane, spe_i32(m, s->bytes)));
}

/* Adds the sums of up to eight rows from `row` on (lane l: column col + l). f16 takes a loop over rows, because its
 * exchange loops are long. */
static void cv_outer_add_rows_(const cv_surface_ *c, int row, int col, spe_id sums)
{
    spe_module *m = &c->x->m;
    int rows = c->m - row < 8 ? c->m - row : 8;
    if (c->type == CV_F16) {
        spe_id r = cv_loop_(m, rows, 1);
        spe_id sum = spe_extract_dyn(m, sums, r);
        spe_id at = cv_lane_offset_(c, spe_iadd(m, r, spe_i32(m, row)), col);
        cv_atomic_add_lanes_(c->x, c->base, at, CV_F16, sum, c->k - col);
        spe_endfor(m, 0, NULL);
        return;
    }
    for (int i = 0; i < rows; i++) {
        spe_id sum = spe_extract(m, sums, (uint32_t)i), at = cv_lane_offset_(c, spe_i32(m, row + i), col);
        cv_atomic_add_lanes_(c->x, c->base, at, c->type, sum, c->k - col);
    }
}

/* f16, subgroup size 16: the matrix instruction with K = lanes sums over the lanes. v1 is its A operand unchanged. */
static void cv_outer_dpas_(const cv_surface_ *c, const cv_vec *v1, const cv_vec *v2)
{
    spe_module *m = &c->x->m;
    spe_id sums = spe_vec(m, spe_float(m, 32), 8), words = spe_vec(m, spe_int(m, 16), 8);
    int blocks = (c->m + 7) / 8;
    spe_id *a = cv_ids_(m, blocks);
    for (int i = 0; a && i < blocks; i++) a[i] = spe_bitcast(m, words, cv_eight_(c->x, v1, i * 8));
    for (int col = 0; a && col < c->k; col += 16) {
        spe_id b = cv_gather_lanes_f16_(c->x, v2, col);
        for (int i = 0; i < blocks; i++)
            cv_outer_add_rows_(c, i * 8, col, spe_dpas(m, sums, 16, a[i], b, spe_null(m, sums), 0x400 | 0x800));
    }
}

/* Any type and subgroup size: lane l keeps column l of all lanes' v2; each element of v1 is broadcast from each
 * lane. */
static void cv_outer_broadcast_(const cv_surface_ *c, const cv_vec *v1, const cv_vec *v2)
{
    spe_module *m = &c->x->m;
    spe_id real = spe_float(m, 32), all[CV_LANES_MAX_], a = cv_spill_(m, v1);
    int S = c->x->S, blocks = (c->k + S - 1) / S;
    spe_id *b = cv_ids_(m, blocks * S);
    if (!b) return;
    for (int i = 0; i < blocks * S; i++)
        b[i] = i < c->k ? spe_fconvert(m, real, cv_get_(m, v2, i)) : spe_null(m, real);
    for (int i = 0; i < blocks; i++) cv_transpose_lanes_(m, b + i * S, S, 1);
    spe_id row = cv_loop_(m, c->m, 1), mine = spe_load(m, cv_at_(m, a, row), 0);
    for (int i = 0; i < S; i++) all[i] = spe_sg_broadcast(m, mine, spe_i32(m, i));
    for (int i = 0; i < blocks; i++) {
        spe_id sum = spe_fmul(m, all[0], b[i * S]);
        for (int j = 1; j < S; j++) sum = spe_fadd(m, spe_fmul(m, all[j], b[i * S + j]), sum);
        cv_atomic_add_lanes_(c->x, c->base, cv_lane_offset_(c, row, i * S), c->type, sum, c->k - i * S);
    }
    spe_endfor(m, 0, NULL);
}

static bool cv_check_outer_(cv_where_ w, const cv_vec *v1, const cv_vec *v2, const cv_matrix_ref *c)
{
    if (!cv_check_vec_(w, v1) || !cv_check_vec_(w, v2)) return false;
    if (v1->type != v2->type)
        cv_fail_(w, CV_ERROR_VEC_TYPE, "%s and %s", cv_type_text_(v1->type), cv_type_text_(v2->type));
    else if (c->layout != CV_OUTER_PRODUCT_OPTIMAL && c->layout != CV_DEVICE_OUTER_PRODUCT_OPTIMAL)
        cv_fail_(w, CV_ERROR_OUTER_PRODUCT_LAYOUT, "got %s", cv_layout_name(c->layout));
    else if (c->transpose) cv_fail_(w, CV_ERROR_TRANSPOSE, "an outer product's matrix, transposed");
    else if (!cv_supports_outer_product(v1->type, c->interpretation))
        cv_fail_(w, CV_ERROR_ACCUMULATE_TYPES, "outer product of %s into %s", cv_type_name(v1->type),
                 cv_type_name(c->interpretation));
    else if (v1->length != c->rows || v2->length != c->cols)
        cv_fail_(w, CV_ERROR_INPUT_LENGTH, "vectors of %d and %d, a matrix of %d x %d", v1->length, v2->length, c->rows,
                 c->cols);
    return spe_ok(&w.x->m);
}

void cv_outer_product_accumulate(cv_where_ w, cv_vec v1, cv_vec v2, const cv_matrix_ref *c)
{
    if (!cv_enter_(w) || !cv_check_outer_(w, &v1, &v2, c)) return;
    cv_surface_ s = cv_surface_of_(w, c);
    if (w.x->vulkan && w.x->vulkan->outer_product(&s, &v1, &v2)) return;
    if (cv_is_device_layout_(c->layout))
        cv_fail_(w, CV_ERROR_DEVICE_PRODUCT, "an outer product of %s into %s in %s", cv_type_name(v1.type),
                 cv_type_name(c->interpretation), cv_layout_name(c->layout));
    else if (!cv_is_uniform_(w, c->uniform, &c->offset, NULL)) cv_outer_lanes_(&s, &v1, &v2);
    else if (w.x->dpas && w.x->S == 16 && v1.type == CV_F16 && c->rows * c->cols <= 16 * CV_DPAS_MOST_)
        cv_outer_dpas_(&s, &v1, &v2);
    else cv_outer_broadcast_(&s, &v1, &v2);
}

void cv_accumulate_outer_(cv_where_ w, cv_outer_desc_ d)
{
    cv_outer_product_accumulate(w, d.vecs[0], d.vecs[1], &d.matrix);
}

void cv_vector_accumulate(cv_where_ w, cv_vec v, const cv_vector_ref *r)
{
    cv_ctx *x = w.x;
    spe_module *m = &x->m;
    int type = r->interpretation;
    if (!cv_enter_(w) || !cv_check_vec_(w, &v)) return;
    if (!cv_supports_vector_accumulate(v.type, type)) {
        cv_fail_(w, CV_ERROR_ACCUMULATE_TYPES, "vector of %s into %s", cv_type_name(v.type), cv_type_name(type));
        return;
    }
    int bytes = cv_bytes_(type);
    spe_id base = cv_bytes_at_(w, &r->base, &r->offset);
    if (x->vulkan && x->vulkan->accumulate(x, &v, base, type)) return;
    if (cv_is_uniform_(w, r->uniform, &r->offset, NULL)) {
        spe_id size = spe_i32(m, bytes), at = spe_imul(m, spe_builtin(m, SPE_SUBGROUP_LANE, 0), size);
        for (int i = 0; i < v.length; i += x->S) {
            spe_id sum = cv_sum_lanes_(x, &v, i);
            cv_atomic_add_lanes_(x, base, spe_iadd(m, spe_i32(m, i * bytes), at), type, sum, v.length - i);
        }
    } else if (type == CV_F16) { /* in a loop: see cv_outer_add_rows_ */
        spe_id variable = cv_spill_(m, &v), k = cv_loop_(m, v.length, 1);
        spe_id value = spe_load(m, cv_at_(m, variable, k), 0);
        cv_atomic_add_(m, base, spe_imul(m, k, spe_i32(m, bytes)), CV_F16, value);
        spe_endfor(m, 0, NULL);
    } else {
        for (int i = 0; i < v.length; i++) {
            spe_id value = cv_to_sum_(m, cv_get_(m, &v, i), v.type, cv_is_float_(v.type));
            cv_atomic_add_(m, base, spe_i32(m, i * bytes), type, value);
        }
    }
}

void cv_accumulate_(cv_where_ w, cv_accumulate_desc_ d) { cv_vector_accumulate(w, d.vec, &d.vector); }
