/* mul.c - Mul, MulAdd. */
#include "internal.h"

/* One product being written. */
typedef struct {
    cv_ctx *x;
    cv_surface_ a;
    cv_interpreted_vector in;
    bool real;    /* summed in f32; else in 32-bit integers, which wrap */
    int sum_type; /* CV_F32, CV_I32 or CV_U32 */
    spe_id bias;  /* bytes; 0: none */
    int bias_type;
    cv_vec out;
} cv_product_;

/* An integer sum takes a float bias only after it has become f32; any other joins the sum at its start. */
static bool cv_bias_in_sum_(const cv_product_ *p) { return p->bias && (p->real || !cv_is_float_(p->bias_type)); }

static spe_id cv_sum_scalar_(const cv_product_ *p) { return p->real ? spe_float(&p->x->m, 32) : spe_int(&p->x->m, 32); }

/* What the sums of rows first .. first + n start from. */
static spe_id cv_sum_start_(const cv_product_ *p, spe_id first, int n)
{
    if (cv_bias_in_sum_(p)) return cv_load_bias_(p->x, p->bias, p->bias_type, first, n, p->real);
    return spe_null(&p->x->m, spe_vec(&p->x->m, cv_sum_scalar_(p), (uint32_t)n));
}

/* Sums of rows first .. as elements of the output. */
static spe_id cv_finish_sum_(const cv_product_ *p, spe_id sum, spe_id first, int n)
{
    if (!p->bias || cv_bias_in_sum_(p)) return cv_convert_value_(p->x, sum, p->sum_type, p->out.type);
    sum = cv_convert_value_(p->x, sum, p->sum_type, CV_F32);
    sum = spe_fadd(&p->x->m, sum, cv_load_bias_(p->x, p->bias, p->bias_type, first, n, true));
    return cv_convert_value_(p->x, sum, CV_F32, p->out.type);
}

/* ---- a lane at a time -------------------------------------------------------------------------------------------- */

/* The input's K elements, interpreted, in the type of the sums. */
static bool cv_input_lanes_(const cv_product_ *p, spe_id *out)
{
    spe_module *m = &p->x->m;
    int type = p->in.interpretation;
    bool sign = type == CV_PACKED_S8X32;
    for (int i = 0; i < p->a.k; i++) {
        if (cv_is_packed_(type)) {
            spe_id v = spe_shl(m, cv_get_(p->x, &p->in.vec, i / 4), spe_i32(m, 24 - i % 4 * 8));
            v = sign ? spe_sar(m, v, spe_i32(m, 24)) : spe_shr(m, v, spe_i32(m, 24));
            out[i] = cv_to_sum_(p->x, v, sign ? CV_I32 : CV_U32, p->real);
        } else {
            out[i] = cv_to_sum_(p->x, cv_convert_value_(p->x, cv_get_(p->x, &p->in.vec, i), p->in.vec.type, type), type,
                                p->real);
        }
    }
    return spe_ok(m);
}

/* One run of n neighbours in memory, at most 8, from A[row][col] on. Along k: sums[0] += A[row][col + j] v[j]; across:
 * sums[j] += A[row + j][col] v[0]. */
static void cv_lanes_run_(const cv_product_ *p, spe_id row, spe_id col, int n, const spe_id *v, spe_id *sums)
{
    spe_module *m = &p->x->m;
    spe_id a[8];
    cv_load_run_(&p->a, row, col, n, a);
    for (int i = 0; i < n; i++) {
        spe_id e = cv_to_sum_(p->x, a[i], p->a.type, p->real), *sum = &sums[p->a.across ? i : 0],
               x = v[p->a.across ? 0 : i];
        *sum =
            p->real ? spe_fadd(m, spe_fmul(m, e, x), *sum) : spe_iadd(m, spe_imul(m, e, x), *sum); /* compilers fuse */
    }
}

/* Sums of `rows` rows (one, unless neighbours in memory are rows) over all of K. input: a variable of K elements, so
 * that a loop can go over K; 0: unrolled, with the ids in v. */
static void cv_lanes_rows_(const cv_product_ *p, spe_id row, int rows, const spe_id *v, spe_id input, spe_id *sums)
{
    spe_module *m = &p->x->m;
    spe_id start = cv_sum_start_(p, row, rows), x[8], k;
    int step = p->a.across ? 1 : 8, full = input ? p->a.k / step * step : 0;
    for (int i = 0; i < rows; i++) sums[i] = spe_extract(m, start, (uint32_t)i);
    if (full) {
        k = spe_for(m, spe_i32(m, 0), spe_i32(m, full), spe_i32(m, step), (uint32_t)rows, sums);
        for (int i = 0; i < step; i++) x[i] = spe_load(m, cv_at_(m, input, spe_iadd(m, k, spe_i32(m, i))), 0);
        cv_lanes_run_(p, row, k, p->a.across ? rows : 8, x, sums);
        spe_endfor(m, (uint32_t)rows, sums);
    }
    for (int i = full, n; i < p->a.k; i += p->a.across ? 1 : n) {
        n = spe_run(p->a.k - i, 0);
        cv_lanes_run_(p, row, spe_i32(m, i), p->a.across ? rows : n, v + i, sums);
    }
    start = cv_finish_sum_(p, cv_join_(p->x, cv_sum_scalar_(p), rows, sums), row, rows);
    for (int i = 0; i < rows; i++) sums[i] = spe_extract(m, start, (uint32_t)i);
}

/* Rolled: the output is in a variable, blocks of rows (one row, or eight neighbours) in a loop. So is the input, unless
 * a row is short enough to be written out. Small products are unrolled. */
static void cv_mul_lanes_(cv_product_ *p)
{
    spe_module *m = &p->x->m;
    bool rolled = p->a.m * p->a.k > 64;
    int step = p->a.across ? 8 : 1, full = rolled ? p->a.m / step * step : 0;
    spe_id *v = cv_ids_(p->x, p->a.k), *out = cv_ids_(p->x, p->a.m), input = 0, output, row, sums[8];
    if (!v || !out || !cv_input_lanes_(p, v)) return;
    if (rolled && (p->a.across || p->a.k > 64)) {
        input = spe_local_var(m, spe_array(m, cv_sum_scalar_(p), (uint32_t)p->a.k));
        for (int i = 0; i < p->a.k; i++) spe_store(m, cv_at_(m, input, spe_i32(m, i)), v[i], 0);
    }
    if (full) {
        output = spe_local_var(m, spe_array(m, cv_spe_type_(p->x, p->out.type), (uint32_t)full));
        row = cv_loop_(m, full, step);
        cv_lanes_rows_(p, row, step, v, input, sums);
        for (int i = 0; i < step; i++) spe_store(m, cv_at_(m, output, spe_iadd(m, row, spe_i32(m, i))), sums[i], 0);
        spe_endfor(m, 0, NULL);
        for (int i = 0; i < full; i++) out[i] = spe_load(m, cv_at_(m, output, spe_i32(m, i)), 0);
    }
    for (int i = full, n; i < p->a.m; i += n) {
        n = p->a.across ? spe_run(p->a.m - i, 0) : 1;
        cv_lanes_rows_(p, spe_i32(m, i), n, v, input, out + i);
    }
    p->out = cv_from_scalars_(p->x, p->out.type, p->a.m, out);
}

/* ---- the matrix instruction --------------------------------------------------------------------------------------
 *
 * A lane's own vector, packed to dwords, is that lane's column of the instruction's B operand, and the sums that come
 * out are that lane's own. The matrix is A: eight rows, 32 bytes of k, lane l holding bytes l 32 / S ... of each row.
 * One product serves all lanes. FP8 becomes f16 in registers: 32 bytes of a row are then two operands, one of the even
 * dwords' halves and one of the odd (subgroup size 16: of even and odd k), and the vector is packed with the same
 * permutation of k.
 */

enum { CV_DPAS_NONE_, CV_DPAS_F16_, CV_DPAS_I8_ };

static int cv_dpas_kind_(int interpretation, int matrix)
{
    bool f = interpretation == CV_F16 || cv_is_fp8_(interpretation);
    bool i = interpretation == CV_I8 || interpretation == CV_U8 || cv_is_packed_(interpretation);
    if (f && (matrix == CV_F16 || cv_is_fp8_(matrix))) return CV_DPAS_F16_;
    return i && (matrix == CV_I8 || matrix == CV_U8) ? CV_DPAS_I8_ : CV_DPAS_NONE_;
}

typedef struct {
    cv_product_ *p;
    cv_ctx *x;
    spe_module *m;
    const cv_surface_ *a;
    int kind, R; /* R: elements of k a lane holds of a row in one operand */
    int depth;   /* elements of k in one operand */
    int halves;  /* operands a raw one makes: 2 for FP8 along k, whose raw operands have 32 elements */
    int raws;    /* raw operands along k */
    int blocks;  /* of eight rows */
    spe_id lane;
    spe_id *b; /* B operands, in the order of the operands made of A */
} cv_dpas_;

/* Two vec8 as the lower and upper halves of a vec8 of integers twice as wide. */
static spe_id cv_zip_(spe_module *m, spe_id low, spe_id high, int bits)
{
    static const uint32_t order[16] = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
    return spe_bitcast(m, spe_vec(m, spe_int(m, (uint32_t)bits * 2), 8), spe_shuffle(m, low, high, 16, order));
}

/* Neighbours along m: each lane loads the runs of its own rows of k. Held f16 for FP8. */
static spe_id cv_a_across_(const cv_dpas_ *d, int block, int k0)
{
    const cv_surface_ *s = d->a;
    spe_module *m = d->m;
    spe_id v[4], row = spe_i32(m, block * 8), scalar = spe_int(m, (uint32_t)s->bytes * 8);
    for (int i = 0; i < d->R; i++) {
        spe_id k = spe_iadd(m, spe_imul(m, d->lane, spe_i32(m, d->R)), spe_i32(m, k0 + i)), inside = 0;
        if (k0 + d->depth > s->k) {
            inside = spe_slt(m, k, spe_i32(m, s->k));
            k = spe_math2(m, SPE_SMIN, k, spe_i32(m, s->k - 1));
        }
        v[i] = spe_load(m, cv_address_(s, row, k, scalar, 8), (uint32_t)(8 * s->bytes));
        if (cv_is_fp8_(s->type))
            v[i] = spe_bitcast(m, spe_vec(m, spe_int(m, 16), 8), cv_decode_fp8_(d->x, v[i], s->type));
        if (inside) v[i] = spe_select(m, inside, v[i], spe_null(m, spe_type_of(m, v[i])));
    }
    for (int n = d->R, bits = d->kind == CV_DPAS_F16_ ? 16 : 8; n > 1; n /= 2, bits *= 2)
        for (int j = 0; j < n / 2; j++) v[j] = cv_zip_(m, v[2 * j], v[2 * j + 1], bits);
    return v[0];
}

/* Neighbours along k: each lane loads its part of eight rows. Rows past the last are the last again, which nobody
 * reads. */
static spe_id cv_a_along_(const cv_dpas_ *d, int block, int raw)
{
    const cv_surface_ *s = d->a;
    spe_module *m = d->m;
    int each = 32 / d->x->S, elements = each / s->bytes, k0 = raw * 32 / s->bytes;
    spe_id scalar = spe_int(m, (uint32_t)each * 8), v[8], inside = 0;
    spe_id k = spe_iadd(m, spe_imul(m, d->lane, spe_i32(m, elements)), spe_i32(m, k0)), a;
    if (!cv_is_optimal_(s->layout) && k0 + 32 / s->bytes > s->k) {
        inside = spe_slt(m, k, spe_i32(m, s->k));
        k = spe_math2(m, SPE_SMIN, k, spe_i32(m, s->k - elements));
    }
    for (int i = 0; i < 8; i++) {
        int row = block * 8 + i;
        if (!cv_is_optimal_(s->layout) && row >= s->m) row = s->m - 1;
        v[i] = spe_load(m, cv_address_(s, spe_i32(m, row), k, scalar, 1), (uint32_t)each);
    }
    a = cv_join_(d->x, scalar, 8, v);
    return inside ? spe_select(m, inside, a, spe_null(m, spe_type_of(m, a))) : a;
}

/* May 2D block messages load it? The optimal layouts are rows of 64 bytes for their sake. */
static bool cv_block_loads_(const cv_dpas_ *d)
{
    if (!d->x->block2d || d->a->across) return false;
    return cv_is_optimal_(d->a->layout) || (d->a->k * d->a->bytes >= 64 && d->a->k * d->a->bytes % 4 == 0);
}

/* Blocks block .. block + 4 of rows by raw operands raw, raw + 1, by one message. */
static void cv_a_message_(const cv_dpas_ *d, int block, int raw, spe_id out[4][2])
{
    const cv_surface_ *s = d->a;
    spe_module *m = d->m;
    spe_block2d b;
    bool optimal = cv_is_optimal_(s->layout);
    int rows = (int)cv_optimal_rows_((uint32_t)s->m), blocks = d->blocks - block < 4 ? d->blocks - block : 4;
    int panels = (s->k * s->bytes + 63) / 64, height = blocks == 3 ? 32 : blocks * 8;
    spe_id word = spe_int(m, 16), variable, zero = spe_i32(m, 0);
    memset(&b, 0, sizeof b);
    b.elem_bytes = 2;
    b.width = 16;
    b.height = (uint32_t)height;
    b.count = 2;
    b.ptr = spe_ptr_cast(m, s->base, word);
    b.mem_width = spe_i32(m, optimal ? 64 : s->k * s->bytes);
    b.mem_height = spe_i32(m, optimal ? rows * panels : s->m);
    b.pitch = optimal ? spe_i32(m, 64) : s->stride;
    b.x = spe_i32(m, optimal ? 0 : raw * 16);
    b.y = spe_i32(m, optimal ? raw / 2 * rows + block * 8 : block * 8);
    variable = spe_local_var(m, spe_array(m, word, (uint32_t)(height * 2)));
    spe_block2d_load(m, &b, cv_at_(m, variable, zero));
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < blocks; i++) {
            spe_id p = cv_at_(m, variable, spe_i32(m, j * height + i * 8));
            out[i][j] = spe_load(m, spe_ptr_cast(m, p, spe_vec(m, word, 8)), 2);
        }
}

/* Raw operands of up to four blocks of rows and two steps along k. */
static void cv_a_load_(const cv_dpas_ *d, int block, int raw, spe_id out[4][2])
{
    if (cv_block_loads_(d)) {
        cv_a_message_(d, block, raw, out);
        return;
    }
    for (int i = 0; i < 4 && block + i < d->blocks; i++)
        for (int j = 0; j < 2 && raw + j < d->raws; j++)
            out[i][j] = d->a->across ? cv_a_across_(d, block + i, (raw + j) * d->depth)
                                     : cv_a_along_(d, block + i, raw + j);
}

/* Byte `i` of each integer, `bits` wide, as f16 in 16-bit integers. */
static spe_id cv_byte_as_f16_(cv_ctx *x, spe_id v, int bits, int i, int type)
{
    spe_module *m = &x->m;
    spe_id own = spe_type_of(m, v), word = spe_vec(m, spe_int(m, 16), 8);
    v = i > 1 ? spe_shr(m, v, spe_const_u(m, own, 16)) : v;
    v = bits == 32 ? spe_uconvert(m, word, v) : v;
    if (i % 2 == 0) v = spe_shl(m, v, spe_const_u(m, word, 8));
    return spe_bitcast(m, word, cv_decode_fp8_high_(x, v, type));
}

/* Operand `half` of a raw operand: itself, or a half of its FP8 as f16: of each lane's 2 bytes (subgroup size 16) one,
 * of its 4 (subgroup size 8) two. */
static spe_id cv_a_operand_(const cv_dpas_ *d, spe_id raw, int half)
{
    cv_ctx *x = d->x;
    int type = d->a->type;
    if (d->halves == 1) return raw;
    if (x->S == 16) return cv_byte_as_f16_(x, raw, 16, half, type);
    return cv_zip_(&x->m, cv_byte_as_f16_(x, raw, 32, 2 * half, type), cv_byte_as_f16_(x, raw, 32, 2 * half + 1, type),
                   16);
}

/* Which k, counted from the raw operand's first, operand `half` has at place i. */
static int cv_paired_k_(int S, int half, int i) { return S == 16 ? 2 * i + half : i / 2 * 4 + 2 * half + i % 2; }

/* Eight elements of a vector as one SPIR-V vector, zeros past its end; step 2: every second one. */
spe_id cv_eight_(cv_ctx *x, const cv_vec *v, int first, int step)
{
    static const uint32_t even[8] = {0, 2, 4, 6, 8, 10, 12, 14}, odd[8] = {1, 3, 5, 7, 9, 11, 13, 15};
    spe_id scalar = cv_spe_type_(x, v->type), ids[8];
    if (step == 1 && first % 8 == 0 && first + 8 <= v->n) return v->part[first / 8];
    if (step == 2 && first % 8 < 2 && first / 8 * 8 + 16 <= v->n)
        return spe_shuffle(&x->m, v->part[first / 8], v->part[first / 8 + 1], 8, first % 8 ? odd : even);
    for (int i = 0; i < 8; i++)
        ids[i] = first + i * step < v->n ? cv_get_(x, v, first + i * step) : spe_null(&x->m, scalar);
    return cv_join_(x, scalar, 8, ids);
}

static const uint32_t *cv_in_order_(void)
{
    static const uint32_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    return order;
}

static spe_id cv_join_words_(cv_ctx *x, spe_id a, spe_id b, int n) /* two u32 vectors of n as one of 2n */
{
    return spe_shuffle(&x->m, a, b, (uint32_t)(2 * n), cv_in_order_());
}

spe_id cv_words_(cv_ctx *x, spe_id v, int n)
{
    return spe_bitcast(&x->m, spe_vec(&x->m, spe_int(&x->m, 32), (uint32_t)n), v);
}

/* Sixteen f16 in the order operand `half` of the paired operands wants them; not paired: as they are. */
static spe_id cv_b_f16_(const cv_dpas_ *d, const cv_vec *v, int k0, int half)
{
    cv_ctx *x = d->x;
    spe_id e[2], ids[8];
    for (int i = 0; i < 2; i++) {
        if (d->halves == 1)
            e[i] = cv_eight_(x, v, k0 + 8 * i, 1);
        else if (x->S == 16)
            e[i] = cv_eight_(x, v, k0 + 16 * i + half, 2);
        else {
            for (int j = 0; j < 8; j++) {
                int k = k0 + cv_paired_k_(x->S, half, 8 * i + j);
                ids[j] = k < v->n ? cv_get_(x, v, k) : spe_null(&x->m, spe_float(&x->m, 16));
            }
            e[i] = cv_join_(x, spe_float(&x->m, 16), 8, ids);
        }
        e[i] = cv_words_(x, e[i], 4);
    }
    return cv_join_words_(x, e[0], e[1], 4);
}

/* 32 eight-bit elements, or 8 packed dwords. */
static spe_id cv_b_i8_(const cv_dpas_ *d, const cv_vec *v, int k0)
{
    cv_ctx *x = d->x;
    spe_id e[4];
    if (cv_is_packed_(d->p->in.interpretation)) return cv_eight_(x, v, k0 / 4, 1);
    for (int i = 0; i < 4; i++) e[i] = cv_words_(x, cv_eight_(x, v, k0 + 8 * i, 1), 2);
    return cv_join_words_(x, cv_join_words_(x, e[0], e[1], 2), cv_join_words_(x, e[2], e[3], 2), 4);
}

/* The B operands, of the input interpreted: f16, or 8-bit integers, of packed ones the dwords. */
static bool cv_pack_b_(cv_dpas_ *d)
{
    int type = d->p->in.interpretation;
    cv_vec v = d->p->in.vec;
    if (!cv_is_packed_(type)) v = cv_convert_vec_(d->x, &v, type);
    if (d->kind == CV_DPAS_F16_) v.type = CV_F16; /* as which FP8 is held */
    d->b = cv_ids_(d->x, d->raws * d->halves);
    if (!d->b || !v.parts) return false;
    for (int i = 0; i < d->raws; i++)
        for (int h = 0; h < d->halves; h++)
            d->b[i * d->halves + h] =
                d->kind == CV_DPAS_I8_ ? cv_b_i8_(d, &v, i * 32) : cv_b_f16_(d, &v, i * d->depth * d->halves, h);
    return spe_ok(d->m);
}

static spe_id cv_dpas_once_(const cv_dpas_ *d, spe_id a, spe_id b, spe_id sums)
{
    uint32_t operands = 0x400 | 0x800; /* packed f16 */
    if (d->kind == CV_DPAS_I8_)
        operands = 0x10u | 0x20u | (d->a->type == CV_I8 ? 1u : 0u) | (cv_is_signed_(d->p->in.interpretation) ? 2u : 0u);
    return spe_dpas(d->m, spe_vec(d->m, cv_sum_scalar_(d->p), 8), d->kind == CV_DPAS_F16_ ? 16 : 32, a, b, sums,
                    operands);
}

/* Four blocks of rows at a time: their sums, over all of K. */
static void cv_dpas_blocks_(const cv_dpas_ *d, int block, spe_id sums[4])
{
    for (int raw = 0; raw < d->raws; raw += 2) {
        spe_id a[4][2];
        memset(a, 0, sizeof a);
        cv_a_load_(d, block, raw, a);
        for (int j = 0; j < 2 && raw + j < d->raws; j++)
            for (int h = 0; h < d->halves; h++) {
                if (d->halves > 1 && (raw + j) * 32 + cv_paired_k_(d->x->S, h, 0) >= d->a->k) continue;
                for (int i = 0; i < 4 && block + i < d->blocks; i++)
                    sums[i] = cv_dpas_once_(d, cv_a_operand_(d, a[i][j], h), d->b[(raw + j) * d->halves + h], sums[i]);
            }
    }
}

/* The parts of the output that are in the four blocks. */
static void cv_dpas_finish_(const cv_dpas_ *d, int block, const spe_id sums[4])
{
    cv_product_ *p = d->p;
    for (int first = 0, part = 0, n; part < p->out.parts; first += n, part++) {
        int i = first / 8 - block;
        spe_id sum, at;
        n = spe_run(d->a->m, part);
        if (i < 0 || i >= 4) continue;
        at = spe_i32(d->m, first);
        sum = n == 8 ? sums[i] : spe_shuffle(d->m, sums[i], sums[i], (uint32_t)n, cv_in_order_() + first % 8);
        p->out.part[part] = cv_finish_sum_(p, sum, at, n);
    }
}

/* What a block's sums start from; of the last block the bias may have fewer rows. */
static spe_id cv_dpas_start_(const cv_dpas_ *d, int block)
{
    const cv_product_ *p = d->p;
    spe_id first = spe_i32(d->m, block * 8), ids[8], part;
    int rows = d->a->m - block * 8, at_once = rows == 4 || rows == 2 ? rows : 1;
    if (rows >= 8 || !cv_bias_in_sum_(p)) return cv_sum_start_(p, first, 8);
    part = cv_sum_start_(p, first, at_once);
    for (int i = 0; i < 8; i++) {
        if (i >= rows)
            ids[i] = spe_null(d->m, cv_sum_scalar_(p));
        else if (i < at_once)
            ids[i] = spe_extract(d->m, part, (uint32_t)i);
        else
            ids[i] = cv_sum_start_(p, spe_i32(d->m, block * 8 + i), 1);
    }
    return cv_join_(p->x, cv_sum_scalar_(p), 8, ids);
}

static void cv_mul_dpas_(cv_product_ *p, int kind)
{
    cv_dpas_ d;
    memset(&d, 0, sizeof d);
    d.p = p;
    d.x = p->x;
    d.m = &p->x->m;
    d.a = &p->a;
    d.kind = kind;
    d.depth = kind == CV_DPAS_F16_ ? 16 : 32;
    d.R = d.depth / d.x->S;
    d.halves = cv_is_fp8_(d.a->type) && !d.a->across ? 2 : 1;
    d.raws = (d.a->k + d.depth * d.halves - 1) / (d.depth * d.halves);
    d.blocks = (d.a->m + 7) / 8;
    d.lane = spe_builtin(d.m, SPE_SUBGROUP_LANE, 0);
    if (!cv_pack_b_(&d)) return;
    for (int block = 0; block < d.blocks; block += 4) {
        spe_id sums[4] = {0, 0, 0, 0};
        for (int i = 0; i < 4 && block + i < d.blocks; i++) sums[i] = cv_dpas_start_(&d, block + i);
        cv_dpas_blocks_(&d, block, sums);
        cv_dpas_finish_(&d, block, sums);
    }
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

/* Do all work-items of the subgroup come here together, with the same numbers a and b (NULL: none)? */
bool cv_is_uniform_(cv_where_ w, cv_uniformity said, const cv_val *a, const cv_val *b)
{
    cv_ctx *x = w.x;
    bool same = (!a || !spe_val_is_set(a) || a->uniform) && (!b || !spe_val_is_set(b) || b->uniform);
    if (said == CV_UNIFORM_YES && !x->full)
        cv_fail_(w, CV_ERROR_UNIFORM, "work-groups of %d leave work-items of a subgroup of %d switched off",
                 x->local_size, x->S);
    return said != CV_UNIFORM_NO && x->full && (said == CV_UNIFORM_YES || (same && x->divergent == 0));
}

/* The matrix instruction, when there is one for these types and lanes can load the matrix so; CV_DPAS_NONE_: a lane at
 * a time. */
static int cv_choose_dpas_(const cv_product_ *p)
{
    const cv_surface_ *s = &p->a;
    int kind = p->x->dpas ? cv_dpas_kind_(p->in.interpretation, s->type) : CV_DPAS_NONE_, each = 32 / p->x->S;
    if ((int64_t)((s->m + 7) / 8) * (s->k * (kind == CV_DPAS_F16_ ? 2 : 1) / 32 + 1) > CV_DPAS_MOST_)
        return CV_DPAS_NONE_;
    if (s->layout == CV_ROW_MAJOR && s->k % (each / s->bytes ? each / s->bytes : 1)) return CV_DPAS_NONE_;
    return kind;
}

static bool cv_check_product_(cv_where_ w, int out_type, const cv_interpreted_vector *in, const cv_matrix_ref *a)
{
    int want = cv_is_packed_(in->interpretation) ? (a->k + 3) / 4 : a->k;
    if (!cv_check_vec_(w, &in->vec)) return false;
    if (!cv_interprets_(in->vec.type, in->interpretation))
        cv_fail_(w, CV_ERROR_INPUT_INTERPRETATION, "a vector of %s as %s", cv_type_name(in->vec.type),
                 cv_type_name(in->interpretation));
    else if (in->vec.n != want)
        cv_fail_(w, CV_ERROR_INPUT_LENGTH, "%d elements of %s, K is %d, which takes %d", in->vec.n,
                 cv_type_name(in->interpretation), a->k, want);
    else if (!cv_is_vector_type_(out_type))
        cv_fail_(w, CV_ERROR_OUTPUT_TYPE, "got %s", cv_type_name(out_type));
    return spe_ok(&w.x->m);
}

cv_vec cv_mul_add(cv_where_ w, int out_type, const cv_matrix_ref *a, const cv_interpreted_vector *in,
                  const cv_vector_ref *bias)
{
    cv_product_ p;
    bool added = bias && spe_val_is_set(&bias->base), sign;
    int kind = CV_DPAS_NONE_;
    if (!cv_enter_(w) || !cv_check_product_(w, out_type, in, a)) return cv_no_vec_();
    memset(&p, 0, sizeof p);
    p.x = w.x;
    p.in = *in;
    p.a = cv_surface_of_(w, a);
    p.real = cv_is_float_(in->interpretation) || cv_is_float_(a->interpretation);
    sign = cv_is_signed_(in->interpretation) || cv_is_signed_(a->interpretation) ||
           (added && cv_is_signed_(bias->interpretation) && !cv_is_float_(bias->interpretation));
    p.sum_type = p.real ? CV_F32 : sign ? CV_I32 : CV_U32;
    p.bias = added ? cv_bytes_at_(w, &bias->base, &bias->offset) : 0;
    p.bias_type = added ? (int)bias->interpretation : 0;
    p.out = cv_new_(w.x, out_type, a->m);
    if (!p.out.parts) return p.out;
    if (cv_is_uniform_(w, a->uniform, &a->offset, &a->stride) &&
        (!added || cv_is_uniform_(w, a->uniform, &bias->offset, NULL)))
        kind = cv_choose_dpas_(&p);
    if (kind != CV_DPAS_NONE_)
        cv_mul_dpas_(&p, kind);
    else
        cv_mul_lanes_(&p);
    return spe_ok(&w.x->m) ? p.out : cv_no_vec_();
}

cv_vec cv_mul(cv_where_ w, int out_type, const cv_matrix_ref *a, const cv_interpreted_vector *in)
{
    return cv_mul_add(w, out_type, a, in, NULL);
}
