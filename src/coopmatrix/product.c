/* product.c - products by matrix instruction and by broadcasts; complex and saturating ones. */
#include "internal.h"

/* Columns first .. first + n of our B in block k; a word holds one or two of them. */
XE_FN_ spe_id cm_dpas_operand_(cm_ctx *c, const cm_matrix *b, int k, int first, int n)
{
    const cm_layout *l = &b->layout;
    int across = l->lanes / l->size_i, runs = spe_part_count(cm_block_words_(l));
    first /= across;
    n = (n + across - 1) / across;
    for (int part = k * runs; part < (k + 1) * runs; part++) {
        cm_span_ s = cm_span_of_(l, part);
        if (first == s.first && n == s.words) return b->part[part]; /* always so for CM_KHR */
        if (first >= s.first && first + n <= s.first + s.words) return cm_slice_(c, b->part[part], first - s.first, n);
    }
    return 0;
}

/* The instruction's operand bits: of the operands' types, and of sums in bf16. */
XE_ONCE_
XE_FN_ uint32_t cm_dpas_flags_(const cm_job_ *job)
{
    const uint32_t sums = SPE_MatrixMultiplyAccumulateOperandsMatrixCBFloat16INTEL |
                          SPE_MatrixMultiplyAccumulateOperandsMatrixResultBFloat16INTEL;
    return job->row->dpas | (job->acc.layout.type == CM_BF16 ? sums : 0);
}

/* The instruction for one step of k (`depth` rows of our B, one part of our A) and one run of columns. */
static spe_id cm_dpas_step_(cm_ctx *c, const cm_job_ *job, int k, int run, int block, spe_id acc)
{
    const cm_layout *la = &job->a->layout;
    cm_span_ columns = cm_span_of_(&job->acc.layout, run);
    spe_id a = job->a->part[block * spe_part_count(cm_block_words_(la)) + k];
    spe_id b = cm_dpas_operand_(c, job->b, k, columns.first, columns.words);
    uint32_t flags = cm_dpas_flags_(job), values = (uint32_t)cm_dpas_values_(la->type);
    if (c->lowering != CM_KHR) return spe_dpas(c->module, spe_type_of(c->module, acc), values, b, a, acc, flags);
    flags &= SPE_CooperativeMatrixOperandsMatrixASignedComponentsKHR |
             SPE_CooperativeMatrixOperandsMatrixBSignedComponentsKHR;
    if (job->row->acc == CM_I32)
        flags |= SPE_CooperativeMatrixOperandsMatrixCSignedComponentsKHR |
                 SPE_CooperativeMatrixOperandsMatrixResultSignedComponentsKHR;
    return spe_coop_mma(c->module, b, a, acc, flags);
}

static bool cm_dpas_fits_(const cm_ctx *c, const cm_job_ *job)
{
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout;
    int depth = cm_dpas_depth_(la->type);
    if (!cm_has_dpas(&c->target, job->row) || la->size_i != la->lanes) return false;
    if (la->type == CM_TF32) return la->lanes == 16 && lb->size_i == depth && c->lowering == CM_INTEL;
    return la->packed && lb->rows >= depth && lb->size_k1 * lb->lanes == depth && (lb->size_k1 == 1 || lb->interleaved);
}

/* Can the instruction sum in this type? With 16 lanes, sums may have the type of its 16-bit operands, and those of
 * smaller floats be of bf16. */
XE_FN_ bool cm_dpas_takes_(const cm_ctx *c, const cm_job_ *job, cm_type sum)
{
    bool same = job->a->layout.type == sum && job->b->layout.type == sum && cm_type_info(sum)->bytes == 2;
    if (sum == CM_BF16 && job->row->acc == CM_F32) same = same || cm_type_info(job->a->layout.type)->bytes == 1;
    return (sum == job->row->acc || (same && c->lowering == CM_INTEL && job->a->layout.lanes == 16)) &&
           cm_dpas_fits_(c, job);
}

/* Method: the matrix instruction. Its B operand is a part of our A unchanged (eight 32-bit entries of a lane's row),
 * its A operand a part of our B (up to eight columns), and its accumulators are our parts. K is the outer loop, to keep
 * dependent products far apart. For CM_KHR: the KHR instruction on the same parts, or an error. */
static bool cm_mul_add_dpas_(cm_ctx *c, cm_job_ *job)
{
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout, *ld = &job->acc.layout;
    int runs = spe_part_count(cm_block_words_(ld));
    if (!cm_dpas_takes_(c, job, ld->type))
        return c->lowering == CM_KHR &&
               !CM_FAIL_(c, LOWERING, "CM_KHR: no product of %d x %d %s and %d x %d %s", la->rows, la->cols,
                         cm_name_(la->type), lb->rows, lb->cols, cm_name_(lb->type));
    for (int k = 0; k < lb->rows / cm_dpas_depth_(lb->type); k++)
        for (int block = 0; block < ld->size_k2; block++)
            for (int run = 0; run < runs; run++) {
                spe_id *d = &job->acc.part[block * runs + run];
                *d = cm_dpas_step_(c, job, k, run, block, *d);
            }
    return true;
}

/* Broadcasts element (k, m) of B, given as components. */
static spe_id cm_broadcast_b_(cm_ctx *c, const cm_layout *l, const spe_id *b, int k, int m)
{
    cm_slot s = cm_slot_of(l, k, m);
    return spe_sg_broadcast(c->module, b[cm_number_of_(l, s)], cm_i32_(c, s.lane));
}

/* M >= S: a lane has whole rows of A and D, so one broadcast of B serves all its rows, and eight columns make a vector.
 * The broadcasts for one k and run of columns precede their products. */
static void cm_mul_add_rows_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout, *ld = &job->acc.layout;
    int runs = spe_part_count(cm_block_words_(ld));
    spe_id elem = cm_storage_type(c, ld->type);
    for (int k = 0; k < lb->rows; k++)
        for (int run = 0, first = 0; run < runs; first += cm_part_words(ld, run++)) {
            int words = cm_part_words(ld, run);
            spe_id one[8];
            for (int i = 0; i < words; i++) one[i] = cm_broadcast_b_(c, lb, b, k, first + i);
            spe_id vector = cm_join_(c, elem, one, words, 1);
            for (int block = 0; block < ld->size_k2; block++) {
                spe_id *d = &job->acc.part[block * runs + run];
                spe_id x = cm_copies_(c, a[cm_number_of_(la, cm_slot_of(la, block * la->size_i, k))], words);
                *d = spe_add(c->module, *d, spe_mul(c->module, x, vector));
            }
        }
}

/* The iteration of a loop over k, 0: of none; element k + iteration * step is wanted in the place of k. */
typedef struct {
    spe_id iteration;
    int step;
} cm_iteration_;

/* Element (k, m) of B of an iteration: its lane moves by as many as at the first one. */
static spe_id cm_iterated_b_(cm_ctx *c, const cm_layout *l, const spe_id *b, int k, int m, cm_iteration_ t)
{
    if (!t.iteration) return cm_broadcast_b_(c, l, b, k, m);
    cm_slot s = cm_slot_of(l, k, m);
    spe_id moved = cm_times_(c, t.iteration, cm_slot_of(l, k + t.step, m).lane - s.lane);
    return spe_sg_shuffle(c->module, b[cm_number_of_(l, s)], cm_plus_(c, moved, s.lane));
}

/* Element (k, column of component v of D in this lane) of B: for one component, the lanes have S / I columns. */
static spe_id cm_choose_b_(cm_ctx *c, const cm_job_ *job, const spe_id *b, int k, int v, cm_iteration_ t)
{
    const cm_layout *ld = &job->acc.layout, *lb = &job->b->layout;
    int across = ld->lanes / ld->size_i, first = v * across;
    cm_lane lane = cm_lane_(c, ld);
    spe_id got = 0;
    for (int q = 0; q < across && first + q < lb->cols; q++) {
        spe_id one = cm_iterated_b_(c, lb, b, k, first + q, t);
        got = q == 0 ? one : spe_select(c->module, spe_ieq(c->module, lane.col, cm_i32_(c, q)), one, got);
    }
    return got;
}

/* M < S: lanes with the same row of D are I apart, each with its own column; A's element is shuffled. */
static void cm_mul_add_by_lanes_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    const cm_layout *la = &job->a->layout, *ld = &job->acc.layout;
    const cm_iteration_ none = {0, 0};
    int depth = job->b->layout.rows;
    spe_id *d = cm_component_ids(c, &job->acc, ld->type), *x = cm_ids_(c, depth);
    cm_lane lane = cm_lane_(c, ld);
    if (!d || !x) return;
    for (int k = 0; k < depth; k++) {
        cm_slot s = cm_slot_of(la, 0, k);
        x[k] = spe_sg_shuffle(c->module, a[cm_number_of_(la, s)], cm_plus_(c, lane.row, s.lane));
    }
    for (int v = 0; v < ld->size_v; v++)
        for (int k = 0; k < depth && v * (ld->lanes / ld->size_i) < job->b->layout.cols; k++)
            d[v] = spe_add(c->module, d[v], spe_mul(c->module, x[k], cm_choose_b_(c, job, b, k, v, none)));
    job->acc = cm_from_components(c, ld, d);
}

/* Is slot `at` where a loop comes in this iteration that begins at slot `first` and then at `second`? */
static bool cm_in_step_(cm_slot first, cm_slot second, cm_slot at, int iteration)
{
    return at.component == first.component && at.channel == first.channel &&
           at.lane == first.lane + iteration * (second.lane - first.lane);
}

/* How many iterations a loop over k can take from `first` on by this step: all take the elements from the same
 * components, and from lanes at equal distances. */
static int cm_iterations_(const cm_job_ *job, int first, int step)
{
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout;
    for (int iteration = 1;; iteration++)
        for (int k = first; k < first + step; k++) {
            const int at = k + iteration * step, next = k + step;
            if (at >= lb->rows ||
                !cm_in_step_(cm_slot_of(la, 0, k), cm_slot_of(la, 0, next), cm_slot_of(la, 0, at), iteration))
                return iteration;
            for (int m = 0; m < lb->cols; m++)
                if (!cm_in_step_(cm_slot_of(lb, k, m), cm_slot_of(lb, next, m), cm_slot_of(lb, at, m), iteration))
                    return iteration;
        }
}

/* The products of A's and B's elements of one k, of an iteration. */
static void cm_add_step_(cm_ctx *c, const cm_job_ *job, const spe_id *a, const spe_id *b, int k, cm_iteration_ t,
                         spe_id *d)
{
    const cm_layout *la = &job->a->layout, *ld = &job->acc.layout;
    const int across = ld->lanes / ld->size_i;
    cm_slot s = cm_slot_of(la, 0, k);
    spe_id from = cm_plus_(c, cm_lane_(c, ld).row, s.lane), x;
    if (t.iteration)
        from = spe_iadd(c->module, from, cm_times_(c, t.iteration, cm_slot_of(la, 0, k + t.step).lane - s.lane));
    x = spe_sg_shuffle(c->module, a[cm_number_of_(la, s)], from);
    for (int v = 0; v < ld->size_v && v * across < job->b->layout.cols; v++)
        d[v] = spe_add(c->module, d[v], spe_mul(c->module, x, cm_choose_b_(c, job, b, k, v, t)));
}

/* The same as cm_mul_add_by_lanes_, in loops over k: compilers take minutes for tens of thousands of products of single
 * elements. */
static void cm_mul_add_iterations_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    const cm_layout *ld = &job->acc.layout;
    const uint32_t n = (uint32_t)ld->size_v;
    spe_id *d = cm_component_ids(c, &job->acc, ld->type), zero = cm_i32_(c, 0), one = cm_i32_(c, 1);
    for (int k = 0, iterations, step; d && k < job->b->layout.rows; k += iterations * step) {
        cm_iteration_ t = {0, 0};
        step = 1;
        for (int by = 2; by <= 4; by *= 2)
            if (k + by <= job->b->layout.rows && cm_iterations_(job, k, by) * by > cm_iterations_(job, k, step) * step)
                step = by;
        iterations = cm_iterations_(job, k, step);
        t.step = step;
        if (iterations > 1) t.iteration = spe_for(c->module, zero, cm_i32_(c, iterations), one, n, d);
        for (int i = 0; i < step; i++) cm_add_step_(c, job, a, b, k + i, t, d);
        if (iterations > 1) spe_endfor(c->module, n, d);
    }
    if (d) job->acc = cm_from_components(c, ld, d);
}

/* Method for bytes whose neighbours along k share a word in both operands: four products an instruction. */
static bool cm_mul_add_dots_(cm_ctx *c, cm_job_ *job)
{
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout, *ld = &job->acc.layout;
    bool a_signed = la->type == CM_I8, b_signed = lb->type == CM_I8;
    if (!cm_dots_(c, la->type) || !cm_dots_(c, lb->type) || ld->type != CM_I32 || !la->packed || !lb->interleaved ||
        lb->size_k1 != 4 || ld->size_i != ld->lanes)
        return false;
    spe_id *a = cm_words_of_(c, job->a), *b = cm_words_of_(c, job->b), *d = cm_component_ids(c, &job->acc, CM_I32);
    const int deep = lb->rows / 4, across = lb->cols;
    for (int k = 0; a && b && d && k < deep; k++)
        for (int m = 0; m < across; m++) {
            spe_id one = spe_sg_broadcast(c->module, b[k / lb->lanes * across + m], cm_i32_(c, k % lb->lanes));
            for (int block = 0; block < ld->size_k2; block++) {
                spe_id *sum = &d[block * across + m];
                spe_id four = spe_dot_bytes(c->module, a[block * deep + k], a_signed, one, b_signed);
                *sum = spe_iadd(c->module, *sum, four);
            }
        }
    if (d) job->acc = cm_from_components(c, ld, d);
    return true;
}

/* So many products of elements of a kernel, where A has few rows, are written out before others become loops. Intel's
 * compiler takes more. */
XE_ONCE_
static int cm_written_most_(const cm_ctx *c) { return c->target.igc ? 8192 : 1024; }

/* Method, for every layout: broadcasts, products and sums in the accumulation type (compilers fuse them if that is
 * faster), in straight-line code but for what is beyond cm_written_most_: per lane K N broadcasts and K N M / S
 * products, in vectors of up to eight. Sums come first in additions: Intel's compiler makes dp4a of chains of four
 * products of bytes, and if the first addition of a chain has the second product first, it may pair that one's factors
 * wrongly. */
static void cm_mul_add_plain_(cm_ctx *c, cm_job_ *job)
{
    cm_type acc = job->acc.layout.type;
    if (cm_mul_add_dots_(c, job)) return;
    spe_id *a = cm_component_ids(c, job->a, acc), *b = cm_component_ids(c, job->b, acc);
    for (int i = 0; a && i < job->a->layout.size_v; i++) a[i] = spe_reload(c->module, a[i]);
    cm_method_ *dots = c->target.vulkan ? CM_VULKAN_METHOD_ : NULL;
    if (a && b && dots && dots(c, job, a, b)) return;
    if (a && b && job->acc.layout.size_i < job->acc.layout.lanes) {
        c->written += job->b->layout.rows * job->b->layout.cols;
        if (c->written <= cm_written_most_(c)) cm_mul_add_by_lanes_(c, job, a, b);
        else cm_mul_add_iterations_(c, job, a, b);
    }
    if (a && b && job->acc.layout.size_i == job->acc.layout.lanes) cm_mul_add_rows_(c, job, a, b);
}

static bool cm_check_product_(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc,
                              const cm_product *row)
{
    const cm_layout *la = &a->layout, *lb = &b->layout, *lc = acc ? &acc->layout : NULL;
    const char *ta = cm_name_(la->type), *tb = cm_name_(lb->type);
    if (la->use != CM_A)
        return CM_FAIL_(c, OPERAND_USE, "A of a product is a %s, not a matrix_a", cm_use_name(la->use));
    if (lb->use != CM_B)
        return CM_FAIL_(c, OPERAND_USE, "B of a product is a %s, not a matrix_b", cm_use_name(lb->use));
    if (lc && lc->use != CM_ACC)
        return CM_FAIL_(c, OPERAND_USE, "C of a product is a %s, not a matrix_acc", cm_use_name(lc->use));
    if (la->cols != lb->rows)
        return CM_FAIL_(c, SHAPE, "A is %d x %d and B is %d x %d", la->rows, la->cols, lb->rows, lb->cols);
    if (lc && (lc->rows != la->rows || lc->cols != lb->cols))
        return CM_FAIL_(c, SHAPE, "A B is %d x %d and C is %d x %d", la->rows, lb->cols, lc->rows, lc->cols);
    if (!row) return CM_FAIL_(c, MUL_TYPES, "no product of %s and %s", ta, tb);
    if (!cm_type_info(type_d) || cm_is_complex(type_d))
        return CM_FAIL_(c, MUL_TYPES, "a product of %s and %s cannot have the type %s", ta, tb, cm_name_(type_d));
    if (lc && !cm_product_takes(row, lc->type))
        return CM_FAIL_(c, MUL_TYPES, "a product of %s and %s cannot be added to %s", ta, tb, cm_name_(lc->type));
    return spe_ok(c->module);
}

/* The accumulation type if C has type c: the row's type, or that of C's own sums if wider. */
static cm_type cm_product_acc_(const cm_product *row, cm_type c)
{
    cm_type own = CM_SUM_(c);
    return cm_type_info(own)->kind == CM_KIND_FLOAT || cm_type_info(own)->bytes == 8 ? own : row->acc;
}

/* The type in which small floats are multiplied where no instruction takes them; CM_NO_TYPE_: others, or as they are
 * by broadcasts, which convert to f32. */
static cm_type cm_decoded_(const cm_ctx *c, const cm_job_ *job, cm_type sum)
{
    const cm_type a = job->a->layout.type, b = job->b->layout.type;
    if (c->lowering == CM_INTEL && cm_dpas_takes_(c, job, sum)) return CM_NO_TYPE_;
    bool small = a == CM_E4M3 || a == CM_E5M2 || b == CM_E4M3 || b == CM_E5M2;
    if (a == CM_E2M1) return c->lowering == CM_INTEL ? CM_F16 : CM_F32;
    return c->lowering == CM_INTEL && small && cm_promotes(a, CM_F16) && cm_promotes(b, CM_F16) ? CM_F16 : CM_NO_TYPE_;
}

/* The product of operands converted to `type`, which has all their values. Along k, e2m1 has the lower and the upper
 * values in the same places of both operands. */
static cm_matrix cm_mul_add_as_(cm_ctx *c, cm_type type, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    cm_matrix sum = acc ? cm_convert(c, acc, CM_F32) : cm_poison();
    cm_matrix x = cm_convert(c, a, type), y = cm_convert(c, b, type);
    sum = cm_mul_add_real(c, CM_F32, &x, &y, acc ? &sum : NULL);
    if (a->layout.type != CM_E2M1) return sum;
    x = cm_convert_upper(c, a, type);
    y = cm_convert_upper(c, b, type);
    return cm_mul_add_real(c, CM_F32, &x, &y, &sum);
}

cm_matrix cm_mul_add_real(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || (acc && acc->parts == 0)) return cm_poison();
    cm_job_ job = {cm_product_row(a->layout.type, b->layout.type), a, b, cm_poison()};
    if (!cm_check_product_(c, type_d, a, b, acc, job.row)) return cm_poison();
    cm_type sum = acc ? acc->layout.type : job.row->acc;
    if (sum != type_d || !cm_dpas_takes_(c, &job, sum)) sum = cm_product_acc_(job.row, sum);
    cm_type decoded = cm_decoded_(c, &job, sum);
    if (decoded != CM_NO_TYPE_ && sum == CM_F32) {
        cm_matrix d = cm_mul_add_as_(c, decoded, a, b, acc);
        return cm_convert(c, &d, type_d);
    }
    cm_matrix from = acc ? cm_convert(c, acc, sum) : cm_splat(c, a->layout.rows, b->layout.cols, sum, CM_ACC, 0);
    if (!from.parts) return cm_poison();
    job.acc = cm_from_parts(c, &from.layout, from.part);
    bool hardware = c->lowering == CM_INTEL || c->lowering == CM_KHR;
    if (job.acc.parts && !(hardware && cm_mul_add_dpas_(c, &job))) cm_mul_add_plain_(c, &job);
    return cm_convert(c, &job.acc, type_d);
}

/* Products with a complex matrix: both operands become complex, for four real products. */
static cm_matrix cm_mul_add_complex_(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
                                     const cm_matrix *acc)
{
    cm_type ta = a->layout.type, tb = b->layout.type, tc = acc ? acc->layout.type : CM_C32;
    cm_type type = cm_promotes(ta, CM_C32) && cm_promotes(tb, CM_C32) && tc != CM_C64 ? CM_C32 : CM_C64;
    if (!cm_is_complex(type_d) || !cm_promotes(ta, type) || !cm_promotes(tb, type) || !cm_is_complex(tc))
        return CM_POISON_(c, MUL_TYPES, "a product of %s and %s, plus %s, cannot have the type %s", cm_name_(ta),
                          cm_name_(tb), acc ? cm_name_(tc) : "nothing", cm_name_(type_d));
    cm_matrix x = cm_convert(c, a, type), y = cm_convert(c, b, type);
    cm_matrix z = acc ? cm_convert(c, acc, type) : cm_splat(c, a->layout.rows, b->layout.cols, type, CM_ACC, 0);
    cm_matrix ar = cm_re(c, &x), ai = cm_im(c, &x), br = cm_re(c, &y), bi = cm_im(c, &y);
    cm_matrix re = cm_re(c, &z), im = cm_im(c, &z);
    type = cm_half_type_(type);
    re = cm_mul_add_real(c, type, &ar, &br, &re);
    im = cm_mul_add_real(c, type, &ar, &bi, &im);
    im = cm_mul_add_real(c, type, &ai, &br, &im);
    bi = cm_unary(c, CM_NEG, &bi);
    re = cm_mul_add_real(c, type, &ai, &bi, &re);
    z = cm_complex(c, &re, &im);
    return cm_convert(c, &z, type_d);
}

cm_matrix cm_mul_add(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || (acc && acc->parts == 0)) return cm_poison();
    bool is_complex = cm_is_complex(type_d) || cm_is_complex(a->layout.type) || cm_is_complex(b->layout.type) ||
                      (acc && cm_is_complex(acc->layout.type));
    if (is_complex && a->layout.use == CM_A && b->layout.use == CM_B) return cm_mul_add_complex_(c, type_d, a, b, acc);
    return cm_mul_add_real(c, type_d, a, b, acc);
}

cm_matrix cm_mul_add_saturating(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || (acc && acc->parts == 0)) return cm_poison();
    const cm_type_row *ta = cm_type_info(a->layout.type), *tb = cm_type_info(b->layout.type),
                      *td = cm_type_info(type_d);
    if (ta->kind != CM_KIND_INT || tb->kind != CM_KIND_INT || ta->bytes > 2 || tb->bytes > 2 || !td ||
        td->kind != CM_KIND_INT || (acc && cm_type_info(acc->layout.type)->kind != CM_KIND_INT))
        return CM_POISON_(c, MUL_TYPES, "cm_mul_add_saturating multiplies integers of 8 or 16 bits, not %s and %s",
                          ta->name, tb->name);
    cm_matrix ab, sum;
    if (ta->bytes == 1 && tb->bytes == 1) { /* matrices are too small for i32 sums to overflow */
        ab = cm_mul_add(c, CM_I32, a, b, NULL);
        ab = cm_convert(c, &ab, CM_I64);
    } else {
        sum = cm_splat(c, a->layout.rows, b->layout.cols, CM_I64, CM_ACC, 0);
        ab = cm_mul_add(c, CM_I64, a, b, &sum);
    }
    if (acc) {
        sum = cm_convert(c, acc, CM_I64);
        ab = cm_add(c, &ab, &sum);
    }
    return cm_convert_as(c, &ab, type_d, CM_ROUND_AUTO, true);
}
