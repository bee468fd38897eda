/* product.c - product: matrix instruction. */
#include "internal.h"

/* tf32 at subgroup size 16: the instruction's A operand is 8 deep and has two columns of our B side by side in one
 * component, the first in lanes 0 to 7, where our B has 16 rows of one column. One exchange between the halves of the
 * subgroup makes the operands of both depths: `half` 0 for rows 0 to 7, 1 for 8 to 15. */
static spe_id cm_tf32_operand_(cm_ctx *c, spe_id part, int words, int half)
{
    spe_module *m = c->m;
    spe_id low = spe_ult(m, spe_builtin(m, SPE_SUBGROUP_LANE, 0), cm_i32_(c, 8)), piece[4];
    int i, n = (words + 1) / 2;
    for (i = 0; i < n; i++) {
        spe_id x = cm_slice_(c, part, 2 * i, 1), y = 2 * i + 1 < words ? cm_slice_(c, part, 2 * i + 1, 1) : x;
        spe_id swapped = spe_sg_shuffle_xor(m, spe_select(m, low, y, x), cm_i32_(c, 8));
        piece[i] = half == 0 ? spe_select(m, low, x, swapped) : spe_select(m, low, swapped, y);
    }
    return cm_join_(c, spe_float(m, 32), piece, n, 1);
}

/* The instruction for one step of k (`depth` rows of our B, one part of our A) and one run of columns. */
static spe_id cm_dpas_step_(cm_ctx *c, const cm_job_ *job, int k, int run, int block, spe_id acc, int runs)
{
    const cm_layout *la = &job->a->l, *lb = &job->b->l;
    int rows_a = spe_runs(cm_block_words_(la)), bytes = cm_type_info(la->type)->bytes;
    int depth = cm_dpas_depth_(bytes), halves = bytes == 4 ? 2 : 1;
    spe_id a = job->a->part[block * rows_a + k], b = job->b->part[k / halves * runs + run],
           type = spe_type_of(c->m, acc);
    uint32_t flags = job->row->dpas;
    if (halves == 2) b = cm_tf32_operand_(c, b, cm_part_words(lb, run), k % 2);
    if (c->lowering != CM_KHR) return spe_dpas(c->m, type, (uint32_t)depth, b, a, acc, flags);
    flags &= SPE_CooperativeMatrixOperandsMatrixASignedComponentsKHR |
             SPE_CooperativeMatrixOperandsMatrixBSignedComponentsKHR;
    if (job->row->acc == CM_I32)
        flags |= SPE_CooperativeMatrixOperandsMatrixCSignedComponentsKHR |
                 SPE_CooperativeMatrixOperandsMatrixResultSignedComponentsKHR;
    return spe_coop_mma(c->m, b, a, acc, flags);
}

/* Whether the matrix instruction can do this product. */
static bool cm_dpas_fits_(const cm_ctx *c, const cm_job_ *job)
{
    const cm_layout *la = &job->a->l, *lb = &job->b->l;
    int bytes = cm_type_info(la->type)->bytes, depth = cm_dpas_depth_(bytes);
    if (!job->row->dpas || job->acc.l.type != (job->row->acc == CM_I32 ? CM_I32 : CM_F32) || la->I != la->S)
        return false;
    if (bytes == 4) return la->S == 16 && lb->rows >= 16 && c->lowering == CM_INTEL;
    if (!la->packed || lb->rows < depth || lb->K1 * lb->S != depth) return false;
    return lb->K1 == 1 || lb->interleaved;
}

/* Method: the matrix instruction. Its B operand is a part of ours as it stands (eight 32-bit entries of a lane's row),
 * its A operand a part of our B (up to eight columns), its accumulators the parts of ours. K outermost, so that
 * products which depend on one another are far apart. Of CM_KHR: the KHR instruction on the same parts. */
static bool cm_mul_add_dpas_(cm_ctx *c, cm_job_ *job)
{
    const cm_layout *lb = &job->b->l, *ld = &job->acc.l;
    int runs = spe_runs(cm_block_words_(ld)), k, block, run, steps;
    if (!cm_dpas_fits_(c, job)) return false;
    steps = lb->rows / cm_dpas_depth_(cm_type_info(lb->type)->bytes);
    for (k = 0; k < steps; k++)
        for (block = 0; block < ld->K2; block++)
            for (run = 0; run < runs; run++) {
                spe_id *d = &job->acc.part[block * runs + run];
                *d = cm_dpas_step_(c, job, k, run, block, *d, runs);
            }
    return true;
}

static bool cm_mul_add_khr_(cm_ctx *c, cm_job_ *job)
{
    if (!cm_mul_add_dpas_(c, job))
        cm_fail_(c, CM_ERROR_LOWERING, "CM_KHR: no product of %d x %d %s and %d x %d %s", job->a->l.rows,
                 job->a->l.cols, cm_type_info(job->a->l.type)->name, job->b->l.rows, job->b->l.cols,
                 cm_type_info(job->b->l.type)->name);
    return true;
}

/* ---- product: plain ---------------------------------------------------------------------------------------------- */

/* acc + x y in the type that is accumulated in. Compilers make one instruction of it where that is faster. */
static spe_id cm_fma_(cm_ctx *c, cm_type acc, spe_id x, spe_id y, spe_id sum)
{
    if (cm_type_info(acc)->kind != CM_KIND_FLOAT) return spe_iadd(c->m, spe_imul(c->m, x, y), sum);
    return spe_fadd(c->m, spe_fmul(c->m, x, y), sum);
}

/* Element (k, m) of B, whose components are given, in every lane. */
static spe_id cm_broadcast_b_(cm_ctx *c, const cm_layout *l, const spe_id *b, int k, int m)
{
    cm_slot s = cm_slot_of(l, k, m);
    return spe_sg_broadcast(c->m, b[s.component * l->omega + s.channel], cm_i32_(c, s.lane));
}

/* M >= S: a lane has whole rows of A and D, so one broadcast of B serves all its rows, and eight columns are one
 * vector. The broadcasts of a k and run of columns come first, then their products. */
static void cm_mul_add_rows_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    const cm_layout *la = &job->a->l, *lb = &job->b->l, *ld = &job->acc.l;
    int runs = spe_runs(cm_block_words_(ld)), k, run, block, i, first;
    spe_id elem = cm_storage_type(c, ld->type);
    for (k = 0; k < lb->rows; k++)
        for (run = 0, first = 0; run < runs; first += cm_part_words(ld, run++)) {
            int words = cm_part_words(ld, run);
            spe_id one[8], vector;
            for (i = 0; i < words; i++) one[i] = cm_broadcast_b_(c, lb, b, k, first + i);
            vector = cm_join_(c, elem, one, words, 1);
            for (block = 0; block < ld->K2; block++) {
                cm_slot s = cm_slot_of(la, block * la->I, k);
                spe_id x = a[s.component * la->omega + s.channel], *d = &job->acc.part[block * runs + run];
                if (words > 1) x = spe_splat(c->m, spe_vec(c->m, elem, (uint32_t)words), x);
                *d = cm_fma_(c, ld->type, x, vector, *d);
            }
        }
}

/* Element (k, column of component v of D in this lane) of B: lanes of one component have S / I columns, in turns. */
static spe_id cm_choose_b_(cm_ctx *c, const cm_job_ *job, const spe_id *b, int k, int v)
{
    const cm_layout *ld = &job->acc.l, *lb = &job->b->l;
    int across = ld->S / ld->I, first = v * across, q;
    cm_lane lane = cm_lane_(c, ld);
    spe_id got = 0;
    for (q = 0; q < across && first + q < lb->cols; q++) {
        spe_id one = cm_broadcast_b_(c, lb, b, k, first + q);
        got = q == 0 ? one : spe_select(c->m, spe_ieq(c->m, lane.j0, cm_i32_(c, q)), one, got);
    }
    return got;
}

/* M < S: the lanes of one row of D are I apart and each has its own column; A's element comes from the lane that has
 * it. */
static bool cm_mul_add_spread_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    const cm_layout *la = &job->a->l, *lb = &job->b->l, *ld = &job->acc.l;
    spe_id *d = cm_component_ids(c, &job->acc, ld->type),
           *x = (spe_id *)spe_alloc(c->m, (size_t)lb->rows * sizeof(spe_id));
    cm_lane lane = cm_lane_(c, ld);
    int k, v;
    if (!d || !x) return false;
    for (k = 0; k < lb->rows; k++) {
        cm_slot s = cm_slot_of(la, 0, k);
        x[k] = spe_sg_shuffle(c->m, a[s.component * la->omega + s.channel], cm_plus_(c, lane.i, s.lane));
    }
    for (v = 0; v < ld->V; v++)
        for (k = 0; k < lb->rows && v * (ld->S / ld->I) < lb->cols; k++)
            d[v] = cm_fma_(c, ld->type, x[k], cm_choose_b_(c, job, b, k, v), d[v]);
    job->acc = cm_from_components(c, ld, d);
    return true;
}

/* Method: broadcasts and FMA in the type that is accumulated in, straight-line: K N broadcasts and K N M / S products
 * of a lane (in vectors of up to eight). Works for every layout, interleaved ones too. */
static bool cm_mul_add_plain_(cm_ctx *c, cm_job_ *job)
{
    cm_type acc = job->acc.l.type;
    spe_id *a = cm_component_ids(c, job->a, acc), *b = cm_component_ids(c, job->b, acc);
    if (!a || !b) return true;
    if (job->acc.l.I < job->acc.l.S) return cm_mul_add_spread_(c, job, a, b);
    cm_mul_add_rows_(c, job, a, b);
    return true;
}

/* ---- the lowerings: what to try first; what says no leaves it to the plain method -------------------------------- */

static bool cm_prefetch_nothing_(cm_ctx *c, cm_type type, int across, int down, const spe_block2d *b)
{
    (void)c, (void)type, (void)across, (void)down, (void)b;
    return true;
}

static const cm_methods_ *cm_methods_of_(const cm_ctx *c)
{
    static const cm_methods_ plain = {cm_load_lanes_, cm_store_lanes_, cm_prefetch_nothing_, cm_mul_add_plain_};
    static const cm_methods_ intel = {cm_load_block2d_, cm_store_block2d_, cm_prefetch_block2d_, cm_mul_add_dpas_};
    static const cm_methods_ khr = {cm_load_khr_, cm_store_khr_, cm_prefetch_nothing_, cm_mul_add_khr_};
    static const cm_methods_ *const rows[] = {&plain, &plain, &intel, &khr}; /* by cm_lowering */
    return rows[c->lowering];
}

bool cm_prefetch_block(cm_ctx *c, cm_type type, int across, int down, const spe_block2d *surface)
{
    return cm_methods_of_(c)->prefetch(c, type, across, down, surface);
}

/* ---- load, store, prefetch, multiply and add --------------------------------------------------------------------- */

cm_matrix cm_load(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, const cm_mem *from)
{
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    cm_matrix a = cm_poison();
    cm_surface_ s;
    if (cm_is_complex(type)) {
        cm_mem re = cm_half_mem_(c, type, from, 0), im = cm_half_mem_(c, type, from, 1);
        cm_type half = type == CM_C32 ? CM_F32 : CM_F64;
        cm_matrix x = cm_load(c, rows, cols, half, use, &re), y = cm_load(c, rows, cols, half, use, &im);
        return cm_complex(c, &x, &y);
    }
    if (!l.rows || !cm_surface_init_(c, &s, type, from)) return a;
    if (!cm_methods_of_(c)->load(c, &l, from, &s, &a) && !cm_local_(c, &l, from, &s, &a, false))
        cm_load_lanes_(c, &l, from, &s, &a);
    return spe_ok(c->m) ? a : cm_poison();
}

void cm_store(cm_ctx *c, const cm_matrix *a, const cm_mem *to)
{
    cm_surface_ s;
    cm_matrix copy = *a;
    int i;
    if (cm_is_poison_(c, a)) return;
    if (cm_is_complex(a->l.type)) {
        for (i = 0; i < 2; i++) {
            cm_mem mem = cm_half_mem_(c, a->l.type, to, i);
            cm_matrix half = cm_half_(c, a, i);
            cm_store(c, &half, &mem);
        }
        return;
    }
    if (!cm_surface_init_(c, &s, a->l.type, to)) return;
    if (!cm_methods_of_(c)->store(c, a, to, &s) && !cm_local_(c, &a->l, to, &s, &copy, true))
        cm_store_lanes_(c, a, to, &s);
}

void cm_prefetch(cm_ctx *c, int rows, int cols, cm_type type, const cm_mem *from, int level)
{
    cm_surface_ s;
    spe_block2d b;
    bool transposed;
    if (!spe_ok(c->m) || !cm_surface_init_(c, &s, type, from)) return;
    if (rows < 1 || cols < 1 || level < 0 || level > 3) {
        cm_fail_(c, CM_ERROR_SHAPE, "cm_prefetch: %d x %d, level %d: at least 1 x 1, level 0 to 3", rows, cols, level);
        return;
    }
    if (c->lowering != CM_INTEL || !cm_block2d_wanted_(c, type, from, &s, &b, &transposed)) return;
    if (level) b.ptr = cm_cached_pointer(c, b.ptr, level);
    cm_prefetch_block(c, type, transposed ? cols : rows, transposed ? rows : cols, &b);
}

static bool cm_check_product_(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
                                     const cm_matrix *acc, const cm_product *row)
{
    const char *ta = cm_type_info(a->l.type)->name, *tb = cm_type_info(b->l.type)->name;
    if (a->l.use != CM_A)
        cm_fail_(c, CM_ERROR_OPERAND_USE, "A of a product is a %s, not a matrix_a", cm_use_name(a->l.use));
    else if (b->l.use != CM_B)
        cm_fail_(c, CM_ERROR_OPERAND_USE, "B of a product is a %s, not a matrix_b", cm_use_name(b->l.use));
    else if (acc && acc->l.use != CM_ACC)
        cm_fail_(c, CM_ERROR_OPERAND_USE, "C of a product is a %s, not a matrix_acc", cm_use_name(acc->l.use));
    else if (a->l.cols != b->l.rows)
        cm_fail_(c, CM_ERROR_SHAPE, "A is %d x %d and B is %d x %d", a->l.rows, a->l.cols, b->l.rows, b->l.cols);
    else if (acc && (acc->l.rows != a->l.rows || acc->l.cols != b->l.cols))
        cm_fail_(c, CM_ERROR_SHAPE, "A B is %d x %d and C is %d x %d", a->l.rows, b->l.cols, acc->l.rows, acc->l.cols);
    else if (!row)
        cm_fail_(c, CM_ERROR_MUL_TYPES, "no product of %s and %s", ta, tb);
    else if (!cm_type_info(type_d) || cm_is_complex(type_d))
        cm_fail_(c, CM_ERROR_MUL_TYPES, "a product of %s and %s cannot have the type %s", ta, tb,
                 cm_type_info(type_d) ? cm_type_info(type_d)->name : "(none)");
    else if (acc && !cm_product_takes(row, acc->l.type))
        cm_fail_(c, CM_ERROR_MUL_TYPES, "a product of %s and %s cannot be added to %s", ta, tb,
                 cm_type_info(acc->l.type)->name);
    return spe_ok(c->m);
}

/* The accumulators a product starts from: C in the accumulating type, or zeros, in a part array of its own. */
static cm_matrix cm_start_(cm_ctx *c, cm_type type, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    cm_matrix from = acc ? cm_convert(c, acc, type) : cm_splat(c, a->l.rows, b->l.cols, type, CM_ACC, 0);
    return from.parts ? cm_from_parts(c, &from.l, from.part) : from;
}

/* Products with a complex matrix: everything becomes complex, and four real products do it. */
static cm_matrix cm_mul_add_complex_(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
                                            const cm_matrix *acc)
{
    cm_type type = CM_C32, real;
    cm_matrix x, y, z, ar, ai, br, bi, re, im, none = cm_poison();
    if (!cm_promotes(a->l.type, type) || !cm_promotes(b->l.type, type) || (acc && acc->l.type == CM_C64)) type = CM_C64;
    if (!cm_is_complex(type_d) || !cm_promotes(a->l.type, type) || !cm_promotes(b->l.type, type) ||
        (acc && (!cm_is_complex(acc->l.type) || !cm_promotes(acc->l.type, type)))) {
        cm_fail_(c, CM_ERROR_MUL_TYPES, "a product of %s and %s, plus %s, cannot have the type %s",
                 cm_type_info(a->l.type)->name, cm_type_info(b->l.type)->name,
                 acc ? cm_type_info(acc->l.type)->name : "nothing",
                 cm_type_info(type_d) ? cm_type_info(type_d)->name : "(none)");
        return none;
    }
    real = type == CM_C32 ? CM_F32 : CM_F64;
    x = cm_convert(c, a, type), y = cm_convert(c, b, type);
    z = acc ? cm_convert(c, acc, type) : cm_splat(c, a->l.rows, b->l.cols, type, CM_ACC, 0);
    ar = cm_re(c, &x), ai = cm_im(c, &x), br = cm_re(c, &y), bi = cm_im(c, &y), re = cm_re(c, &z), im = cm_im(c, &z);
    re = cm_mul_add(c, real, &ar, &br, &re);
    im = cm_mul_add(c, real, &ar, &bi, &im);
    im = cm_mul_add(c, real, &ai, &br, &im);
    bi = cm_unary(c, CM_NEG, &bi);
    re = cm_mul_add(c, real, &ai, &bi, &re);
    z = cm_complex(c, &re, &im);
    return z.parts ? cm_convert(c, &z, type_d) : none;
}

static bool cm_wants_complex_(cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    return cm_is_complex(type_d) || cm_is_complex(a->l.type) || cm_is_complex(b->l.type) ||
           (acc && cm_is_complex(acc->l.type));
}

cm_matrix cm_mul_add(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    cm_job_ job;
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || (acc && acc->parts == 0)) return cm_poison();
    if (cm_wants_complex_(type_d, a, b, acc) && a->l.use == CM_A && b->l.use == CM_B)
        return cm_mul_add_complex_(c, type_d, a, b, acc);
    job.row = cm_product_row(a->l.type, b->l.type);
    job.a = a;
    job.b = b;
    if (!cm_check_product_(c, type_d, a, b, acc, job.row)) return cm_poison();
    job.acc = cm_start_(c, cm_product_acc_(job.row, acc ? acc->l.type : job.row->acc), a, b, acc);
    if (!job.acc.parts) return cm_poison();
    if (!cm_methods_of_(c)->mul_add(c, &job)) cm_mul_add_plain_(c, &job);
    return spe_ok(c->m) ? cm_convert(c, &job.acc, type_d) : cm_poison();
}

cm_matrix cm_mul_add_saturating(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    const cm_type_row *ta, *tb;
    cm_matrix ab, sum, zero;
    bool small;
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || (acc && acc->parts == 0)) return cm_poison();
    ta = cm_type_info(a->l.type), tb = cm_type_info(b->l.type);
    if (ta->kind != CM_KIND_INT || tb->kind != CM_KIND_INT || ta->bytes > 2 || tb->bytes > 2 || !cm_type_info(type_d) ||
        cm_type_info(type_d)->kind != CM_KIND_INT || (acc && cm_type_info(acc->l.type)->kind != CM_KIND_INT)) {
        cm_fail_(c, CM_ERROR_MUL_TYPES, "cm_mul_add_saturating multiplies integers of 8 or 16 bits, not %s and %s",
                 ta->name, tb->name);
        return cm_poison();
    }
    small = ta->bytes == 1 && tb->bytes == 1 && a->l.cols <= 1 << 16;
    if (small) {
        ab = cm_mul_add(c, CM_I32, a, b, NULL);
        ab = cm_convert(c, &ab, CM_I64);
    } else {
        zero = cm_splat(c, a->l.rows, b->l.cols, CM_I64, CM_ACC, 0);
        ab = cm_mul_add(c, CM_I64, a, b, &zero);
    }
    sum = acc ? cm_convert(c, acc, CM_I64) : ab;
    if (acc) sum = cm_add(c, &ab, &sum);
    return cm_convert_as(c, &sum, type_d, CM_ROUND_AUTO, true);
}
