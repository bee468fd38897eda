/* scaled.c - products of blocks of 32 elements along k with a scale each, as in OCP's Microscaling Formats. */
#include "internal.h"

/* One of the two factors of a scale s: 2^ceil(log2(s) / 2) or 2^floor(log2(s) / 2). Both are normal numbers of f32. */
static spe_id cm_scale_factor_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    spe_module *m = c->module;
    const int second = *(const int *)user;
    spe_id f32 = spe_type_of(m, a), i32 = spe_vec_like(m, spe_int(m, 32), a), bits = spe_bitcast(m, i32, a);
    (void)type, (void)b;
    bits = spe_shr(m, bits, spe_const_u(m, i32, 23)); /* the exponent plus 127; 0 for 2^-127, which is subnormal */
    if (!second) bits = spe_iadd(m, bits, spe_const_u(m, i32, 1));
    bits = spe_shr(m, bits, spe_const_u(m, i32, 1));
    bits = spe_iadd(m, bits, spe_const_u(m, i32, second ? 64 : 63));
    bits = spe_shl(m, bits, spe_const_u(m, i32, 23));
    spe_id factor = spe_bitcast(m, f32, bits);
    return spe_select(m, spe_isnan(m, a), a, factor);
}

/* Column `at` of row scales, or row `at` of column scales, in every element of an m x n accumulator of f32. */
static cm_matrix cm_repeat_scale_(cm_ctx *c, const cm_matrix *scales, bool of_rows, int at, int m, int n)
{
    cm_layout l = cm_layout_for(c, m, n, CM_F32, CM_ACC);
    if (of_rows || l.size_i < l.lanes) {
        cm_matrix one = of_rows ? cm_submatrix(c, scales, 0, at, m, 1) : cm_submatrix(c, scales, at, 0, 1, n);
        return cm_repeat(c, &one, m, n);
    }
    spe_id *from = cm_component_ids(c, scales, CM_F32), *v = cm_ids_(c, l.size_v);
    if (!from || !v) return cm_poison();
    for (int i = 0; i < l.size_v; i++) {
        int col = cm_element_at_(&l, 0, i).col;
        cm_slot s = cm_slot_of(&scales->layout, at, col);
        v[i] = i < l.size_v / l.size_k2
                   ? spe_sg_broadcast(c->module, from[cm_number_of_(&scales->layout, s)], cm_i32_(c, s.lane))
                   : v[i % (l.size_v / l.size_k2)];
    }
    return cm_from_components(c, &l, v);
}

static bool cm_check_scales_(cm_ctx *c, const cm_matrix *scales, const char *what, int rows, int cols)
{
    const cm_layout *l = &scales->layout;
    if (l->use != CM_ACC)
        return CM_FAIL_(c, OPERAND_USE, "the scales of %s are a %s, not a matrix_acc", what, cm_use_name(l->use));
    if (l->type != CM_E8M0)
        return CM_FAIL_(c, MUL_TYPES, "the scales of %s are of %s, not of e8m0", what, cm_name_(l->type));
    return (l->rows == rows && l->cols == cols) ||
           CM_FAIL_(c, SHAPE, "the scales of %s are %d x %d, wanted %d x %d", what, l->rows, l->cols, rows, cols);
}

/* Values along k. */
static int cm_values_(const cm_matrix *b) { return b->layout.rows * cm_per_(b->layout.type); }

static bool cm_check_scaled_(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc,
                             const cm_scales *s)
{
    const cm_layout *la = &a->layout, *lb = &b->layout;
    const bool takes = cm_product_row(la->type, lb->type) && cm_type_info(la->type)->bytes <= 2 &&
                       cm_type_info(lb->type)->bytes <= 2 && cm_product_row(la->type, lb->type)->acc == CM_F32;
    int blocks = cm_values_(b) / CM_SCALED;
    if (la->use != CM_A || lb->use != CM_B || (acc && acc->layout.use != CM_ACC))
        return CM_FAIL_(c, OPERAND_USE, "a scaled product of a %s and a %s", cm_use_name(la->use),
                        cm_use_name(lb->use));
    if (!takes || (type_d != CM_F32 && type_d != CM_BF16) ||
        (acc && acc->layout.type != CM_F32 && acc->layout.type != CM_BF16))
        return CM_FAIL_(c, MUL_TYPES, "no scaled product of %s and %s, plus %s, has the type %s", cm_name_(la->type),
                        cm_name_(lb->type), acc ? cm_name_(acc->layout.type) : "nothing", cm_name_(type_d));
    if (la->cols != lb->rows || cm_values_(b) % CM_SCALED)
        return CM_FAIL_(c, SHAPE, "A is %d x %d and B is %d x %d; scales are of %d elements along k", la->rows,
                        la->cols, lb->rows, lb->cols, CM_SCALED);
    if (acc && (acc->layout.rows != la->rows || acc->layout.cols != lb->cols))
        return CM_FAIL_(c, SHAPE, "A B is %d x %d and C is %d x %d", la->rows, lb->cols, acc->layout.rows,
                        acc->layout.cols);
    return cm_check_scales_(c, s->a, "A", la->rows, blocks) && cm_check_scales_(c, s->b, "B", blocks, lb->cols);
}

/* A block's product times both scales: first times about the root of their product, then times the rest. So a large
 * scale and a small one cancel out, and what is between the product and the result is in f32's range if these are. */
static cm_matrix cm_scaled_block_(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, const cm_matrix fa[2],
                                  const cm_matrix fb[2], int block)
{
    const int m = a->layout.rows, n = b->layout.cols, deep = b->layout.rows / (cm_values_(b) / CM_SCALED);
    cm_matrix x = cm_submatrix(c, a, 0, block * deep, m, deep), y = cm_submatrix(c, b, block * deep, 0, deep, n);
    cm_matrix sum = cm_mul_add_real(c, CM_F32, &x, &y, NULL);
    for (int i = 0; i < 2; i++) {
        cm_matrix of_a = cm_repeat_scale_(c, &fa[i], true, block, m, n);
        cm_matrix of_b = cm_repeat_scale_(c, &fb[i], false, block, m, n), root = cm_mul(c, &of_a, &of_b);
        sum = cm_mul(c, &sum, &root);
    }
    return sum;
}

enum {
    CM_SCALE_FLAGS_ = SPE_MatrixMultiplyAccumulateOperandsScaleAFloat8E8M0INTEL |
                      SPE_MatrixMultiplyAccumulateOperandsScaleBFloat8E8M0INTEL
};

/* Has the matrix instruction this product with scales? It has whole rows of eight of our columns only. */
static bool cm_dpas_scales_(const cm_ctx *c, const cm_job_ *job, cm_type sum)
{
    return c->lowering == CM_INTEL && !(CM_SCALE_FLAGS_ & ~c->target.dpas_operands) && job->a->layout.lanes == 16 &&
           job->b->layout.cols % 8 == 0 && cm_dpas_takes_(c, job, sum);
}

/* The instruction's scales of lines first .. first + 16 (of A's rows) or 8 (of B's columns), for step k: bytes of lane
 * i belong to line i. */
static spe_id cm_dpas_scale_(cm_ctx *c, const cm_matrix *scales, bool of_rows, int first, int k, cm_type type)
{
    const int values = cm_dpas_values_(type), n = values > CM_SCALED ? values / CM_SCALED : 1;
    spe_id byte[2];
    for (int i = 0; i < n; i++) {
        const int block = k * values / CM_SCALED + i;
        cm_matrix one = of_rows ? cm_submatrix(c, scales, first, block, 16, 1)
                                : cm_submatrix(c, scales, block, first, 1, 8);
        byte[i] = one.parts ? cm_component(c, &one, 0) : 0;
    }
    return n == 1 ? byte[0] : spe_construct(c->module, cm_vec_(c, spe_int(c->module, 8), n), (uint32_t)n, byte);
}

/* The steps along k as in cm_mul_add_dpas_. */
static cm_matrix cm_mul_add_dpas_scaled_(cm_ctx *c, cm_job_ *job, const cm_scales *s)
{
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout, *ld = &job->acc.layout;
    const int depth = cm_dpas_depth_(lb->type), runs = lb->cols / 8, parts = spe_part_count(cm_block_words_(la));
    const uint32_t flags = cm_dpas_flags_(job) | CM_SCALE_FLAGS_;
    spe_id *of_b = cm_ids_(c, runs);
    for (int k = 0; of_b && k < lb->rows / depth; k++) {
        for (int run = 0; run < runs; run++) of_b[run] = cm_dpas_scale_(c, s->b, false, 8 * run, k, lb->type);
        for (int block = 0; block < ld->size_k2; block++) {
            spe_id of_a = cm_dpas_scale_(c, s->a, true, 16 * block, k, lb->type), a = job->a->part[block * parts + k];
            for (int run = 0; run < runs; run++) {
                spe_id *d = &job->acc.part[block * runs + run], b = cm_dpas_operand_(c, job->b, k, 8 * run, 8);
                *d = spe_dpas_scaled(c->module, spe_type_of(c->module, *d), (uint32_t)cm_dpas_values_(lb->type), b, a,
                                     *d, of_b[run], of_a, flags);
            }
        }
    }
    return of_b ? job->acc : cm_poison();
}

static spe_id cm_apply_reload_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    (void)type, (void)b, (void)user;
    return spe_reload(c->module, a);
}

/* Method: broadcasts, or the matrix instruction without scales, for each block. LLVM moves chains of element-wise
 * operations behind the choice of an element (a checked store's) if they begin with a constant, such as the 0 of a
 * block's product by broadcasts: all operands would be kept for it. So those sums are values of their own. */
static cm_matrix cm_mul_add_blocks_(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc,
                                    const cm_scales *s)
{
    cm_matrix fa[2], fb[2], one, sum = acc ? cm_convert(c, acc, CM_F32) : cm_poison();
    cm_matrix scales_a = cm_convert(c, s->a, CM_F32), scales_b = cm_convert(c, s->b, CM_F32);
    for (int i = 0; i < 2; i++) { /* the larger factor of A's with the smaller one of B's */
        int other = !i;
        fa[i] = cm_map1(c, &scales_a, cm_scale_factor_, &i);
        fb[i] = cm_map1(c, &scales_b, cm_scale_factor_, &other);
    }
    for (int block = 0; block < cm_values_(b) / CM_SCALED; block++) {
        one = cm_scaled_block_(c, a, b, fa, fb, block);
        sum = sum.parts ? cm_add(c, &one, &sum) : one;
    }
    return c->target.igc && c->lowering == CM_PLAIN ? cm_map1(c, &sum, cm_apply_reload_, NULL) : sum;
}

cm_matrix cm_mul_add_scaled(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc,
                            const cm_scales *s)
{
    cm_matrix sum;
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || (acc && acc->parts == 0)) return cm_poison();
    if (cm_is_poison_(c, s->a) || cm_is_poison_(c, s->b) || cm_opaque_(c, "scaled products")) return cm_poison();
    if (!cm_check_scaled_(c, type_d, a, b, acc, s)) return cm_poison();
    cm_job_ job = {cm_product_row(a->layout.type, b->layout.type), a, b, cm_poison()};
    cm_type type = acc && type_d == CM_BF16 ? acc->layout.type : CM_F32;
    if (cm_dpas_scales_(c, &job, type)) {
        sum = acc ? cm_convert(c, acc, type) : cm_splat(c, a->layout.rows, b->layout.cols, type, CM_ACC, 0);
        if (!sum.parts) return cm_poison();
        job.acc = cm_from_parts(c, &sum.layout, sum.part);
        sum = cm_mul_add_dpas_scaled_(c, &job, s);
    } else {
        sum = cm_mul_add_blocks_(c, a, b, acc, s);
    }
    return cm_convert(c, &sum, type_d);
}
