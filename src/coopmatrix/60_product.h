
/* ---- product: matrix instruction --------------------------------------------------------------------------------- */

/* What a product method gets: D = A B + C, all of C and D in the type that is accumulated in. */
typedef struct {
    const cm_product *row;
    const cm_matrix *a, *b;
    cm_matrix acc; /* C going in, D coming out; its part array is the method's own */
} cm_job_;

/* Method: the matrix instruction. Its B operand is a part of ours as it stands (eight 32-bit entries of a lane's row),
 * its A operand a part of our B (up to eight columns), its accumulators the parts of ours. K outermost, so that
 * products which depend on one another are far apart. */
static inline bool cm_mul_add_dpas_(cm_ctx *c, cm_job_ *job)
{
    const cm_layout *la = &job->a->l, *lb = &job->b->l, *ld = &job->acc.l;
    int bytes = cm_type_info(la->type)->bytes, depth = cm_dpas_depth_(bytes);
    int rows_a = cm_runs_(cm_block_words_(la)), runs = cm_runs_(cm_block_words_(ld)), k, block, run;
    if (!job->row->dpas || !la->packed || la->I != la->S || lb->rows < depth || lb->K1 * lb->S != depth) return false;
    if (lb->K1 > 1 && !lb->interleaved) return false;
    for (k = 0; k < lb->K2; k++)
        for (block = 0; block < ld->K2; block++)
            for (run = 0; run < runs; run++) {
                spe_id *d = &job->acc.part[block * runs + run];
                *d = spe_dpas(c->m, cm_part_type(c, ld, block * runs + run), (uint32_t)depth,
                              job->b->part[k * runs + run], job->a->part[block * rows_a + k], *d, job->row->dpas);
            }
    return true;
}

/* ---- product: plain ---------------------------------------------------------------------------------------------- */

/* acc + x y in the type that is accumulated in. */
static inline spe_id cm_fma_(cm_ctx *c, cm_type acc, spe_id x, spe_id y, spe_id sum)
{
    spe_id args[3];
    if (cm_type_info(acc)->kind != CM_KIND_FLOAT) return spe_iadd(c->m, spe_imul(c->m, x, y), sum);
    args[0] = x;
    args[1] = y;
    args[2] = sum;
    return spe_math(c->m, SPE_FMA, 3, args);
}

/* Element (k, m) of B, whose components are given, in every lane. */
static inline spe_id cm_broadcast_b_(cm_ctx *c, const cm_layout *l, const spe_id *b, int k, int m)
{
    cm_slot s = cm_slot_of(l, k, m);
    return spe_sg_broadcast(c->m, b[s.component * l->omega + s.channel], cm_i32_(c, s.lane));
}

/* M >= S: a lane has whole rows of A and D, so one broadcast of B serves all its rows, and eight columns are one
 * vector. The broadcasts of a k and run of columns come first, then their products. */
static inline void cm_mul_add_rows_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    const cm_layout *la = &job->a->l, *lb = &job->b->l, *ld = &job->acc.l;
    int runs = cm_runs_(cm_block_words_(ld)), k, run, block, i, first;
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
static inline spe_id cm_choose_b_(cm_ctx *c, const cm_job_ *job, const spe_id *b, int k, int v)
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
static inline bool cm_mul_add_spread_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    const cm_layout *la = &job->a->l, *lb = &job->b->l, *ld = &job->acc.l;
    spe_id *d = cm_components_(c, &job->acc, ld->type),
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
static inline bool cm_mul_add_plain_(cm_ctx *c, cm_job_ *job)
{
    cm_type acc = job->row->acc;
    spe_id *a = cm_components_(c, job->a, acc), *b = cm_components_(c, job->b, acc);
    if (!a || !b) return true;
    if (job->acc.l.I < job->acc.l.S) return cm_mul_add_spread_(c, job, a, b);
    cm_mul_add_rows_(c, job, a, b);
    return true;
}

/* ---- the lowerings: what to try first; what says no leaves it to the plain method -------------------------------- */

typedef struct {
    bool (*load)(cm_ctx *, const cm_layout *, const cm_mem *, const cm_surface_ *, cm_matrix *);
    bool (*store)(cm_ctx *, const cm_matrix *, const cm_mem *, const cm_surface_ *);
    bool (*prefetch)(cm_ctx *, cm_type, int, int, const spe_block2d *);
    bool (*mul_add)(cm_ctx *, cm_job_ *);
} cm_methods_;

static inline bool cm_prefetch_nothing_(cm_ctx *c, cm_type type, int across, int down, const spe_block2d *b)
{
    (void)c, (void)type, (void)across, (void)down, (void)b;
    return true;
}

static inline const cm_methods_ *cm_methods_of_(const cm_ctx *c)
{
    static const cm_methods_ plain = {cm_load_lanes_, cm_store_lanes_, cm_prefetch_nothing_, cm_mul_add_plain_};
    static const cm_methods_ intel = {cm_load_block2d_, cm_store_block2d_, cm_prefetch_block2d_, cm_mul_add_dpas_};
    static const cm_methods_ *const rows[] = {&plain, &plain, &intel, &plain}; /* by cm_lowering */
    return rows[c->lowering];
}

/* ---- load, store, prefetch, multiply and add --------------------------------------------------------------------- */

/* Loads a matrix (section "Load pseudo-code"); what lies outside checked extents is the padding. */
static inline cm_matrix cm_load(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, const cm_mem *from)
{
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    cm_matrix a = cm_poison_();
    cm_surface_ s;
    if (!l.rows || !cm_surface_init_(c, &s, type, from)) return a;
    if (!cm_methods_of_(c)->load(c, &l, from, &s, &a)) cm_load_lanes_(c, &l, from, &s, &a);
    return spe_ok(c->m) ? a : cm_poison_();
}

/* Stores a matrix; what lies outside checked extents is not written. */
static inline void cm_store(cm_ctx *c, const cm_matrix *a, const cm_mem *to)
{
    cm_surface_ s;
    if (cm_is_poison_(c, a) || !cm_surface_init_(c, &s, a->l.type, to)) return;
    if (!cm_methods_of_(c)->store(c, a, to, &s)) cm_store_lanes_(c, a, to, &s);
}

/* Asks for rows x cols elements (any numbers) to be brought nearer; level 0: wherever the device likes, 1: all caches,
 * 2: all but the first. Emits nothing where there are no 2D block messages for it: a prefetch never changes a result.
 */
static inline void cm_prefetch(cm_ctx *c, int rows, int cols, cm_type type, const cm_mem *from, int level)
{
    cm_surface_ s;
    spe_block2d b;
    bool transposed;
    if (!spe_ok(c->m) || !cm_surface_init_(c, &s, type, from)) return;
    if (rows < 1 || cols < 1 || level < 0 || level > 2) {
        cm_fail_(c, CM_ERROR_SHAPE, "cm_prefetch: %d x %d, level %d: at least 1 x 1, level 0 to 2", rows, cols, level);
        return;
    }
    if (!cm_block2d_wanted_(c, type, from, &s, &b, &transposed)) return;
    if (level) b.ptr = cm_cached_pointer_(c, b.ptr, level);
    cm_methods_of_(c)->prefetch(c, type, transposed ? cols : rows, transposed ? rows : cols, &b);
}

static inline bool cm_check_product_(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
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
    else if (!cm_type_info(type_d) || !cm_product_takes(row->acc, type_d))
        cm_fail_(c, CM_ERROR_MUL_TYPES, "a product of %s and %s cannot have the type %s", ta, tb,
                 cm_type_info(type_d) ? cm_type_info(type_d)->name : "(none)");
    else if (acc && !cm_product_takes(row->acc, acc->l.type))
        cm_fail_(c, CM_ERROR_MUL_TYPES, "a product of %s and %s cannot be added to %s", ta, tb,
                 cm_type_info(acc->l.type)->name);
    return spe_ok(c->m);
}

/* The accumulators a product starts from: C in the accumulating type, or zeros, in a part array of its own. */
static inline cm_matrix cm_start_(cm_ctx *c, cm_type type, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    cm_matrix from = acc ? cm_convert(c, acc, type) : cm_splat(c, a->l.rows, b->l.cols, type, CM_ACC, 0);
    return from.parts ? cm_from_parts(c, &from.l, from.part) : from;
}

/* D = A B + C of type_d: A is M x K (CM_A), B is K x N (CM_B), C is M x N (CM_ACC) or NULL for none. The table
 * cm_product_row says which types go together and what is accumulated in: f32 for 16-bit floats, i32 for 8- and 16-bit
 * integers (which wrap). */
static inline cm_matrix cm_mul_add(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
                                   const cm_matrix *acc)
{
    cm_job_ job;
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || (acc && acc->parts == 0)) return cm_poison_();
    job.row = cm_product_row(a->l.type, b->l.type);
    job.a = a;
    job.b = b;
    if (!cm_check_product_(c, type_d, a, b, acc, job.row)) return cm_poison_();
    job.acc = cm_start_(c, job.row->acc, a, b, acc);
    if (!job.acc.parts) return cm_poison_();
    if (!cm_methods_of_(c)->mul_add(c, &job)) cm_mul_add_plain_(c, &job);
    return spe_ok(c->m) ? cm_convert(c, &job.acc, type_d) : cm_poison_();
}

#endif /* CM_LAYOUT_ONLY */
#endif /* XETILE_COOPMATRIX_H */
