/* lower/opaque.c - products, element-wise operations and stores of matrices that only the device can look into, see
 * passes/opaque.c. */
#include "../internal.h"

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* An operand: a panel in local memory, or matrices. */
typedef struct {
    xt_fragments_ v;
    const xt_panel_ *panel;
} xt_opaque_operand_;

static xt_opaque_operand_ xt_opaque_operand_of_(xt_ctx *x, uint32_t id, cm_use use)
{
    xt_opaque_operand_ o = XT_ZERO_;
    int panel = xt_value_at_(x, id)->panel;
    if (panel) o.panel = (const xt_panel_ *)x->panels.items + panel - 1;
    if (panel && o.panel->kept) o.panel = NULL;
    o.v = o.panel ? xt_form_of_(x, id) : xt_now_as_(x, id, use);
    return o;
}

/* The matrix that begins at a row and column of a piece of an operand: rounds, row, column. */
static spe_id xt_opaque_load_(xt_ctx *x, const xt_opaque_operand_ *o, cm_use use, const int at[4])
{
    if (!o->panel) return *xt_opaque_at_(x, &o->v, at[0], at[1], at[2], at[3]);
    const xt_dist *d = &o->v.dist;
    int row = at[0] * d->layout[0] * d->data[0] + at[2], col = at[1] * d->layout[1] * d->data[1] + at[3];
    return xt_panel_matrix_(x, o->panel, use, row, col);
}

static uint32_t xt_opaque_flags_(cm_type operands)
{
    if (operands != CM_I8) return 0;
    return SPE_CooperativeMatrixOperandsMatrixASignedComponentsKHR |
           SPE_CooperativeMatrixOperandsMatrixBSignedComponentsKHR |
           SPE_CooperativeMatrixOperandsMatrixCSignedComponentsKHR |
           SPE_CooperativeMatrixOperandsMatrixResultSignedComponentsKHR;
}

/* The products of one piece of the result and one step of k: each operand is loaded once. */
static void xt_opaque_step_(xt_ctx *x, const xt_opaque_operand_ operand[2], const xt_fragments_ *r,
                            const cm_coop_shape *s, int round0, int round1, int k)
{
    enum { MOST = XT_SIDE_MAX_ / 8 };
    spe_id left[MOST];
    int rows = r->dist.data[0], cols = r->dist.data[1];
    for (int i = 0; i < rows && i / s->m < MOST; i += s->m) {
        const int at[4] = {round0, 0, i, k};
        left[i / s->m] = xt_opaque_load_(x, &operand[0], CM_OPAQUE_B, at);
    }
    for (int j = 0; j < cols; j += s->n) {
        const int at[4] = {0, round1, k, j};
        spe_id right = xt_opaque_load_(x, &operand[1], CM_OPAQUE_A, at);
        for (int i = 0; i < rows && i / s->m < MOST; i += s->m) {
            spe_id *sum = xt_opaque_at_(x, r, round0, round1, i, j);
            *sum = spe_coop_mma(&x->m, left[i / s->m], right, *sum, xt_opaque_flags_(operand[0].v.type));
        }
    }
}

/* Writes a product by the device's matrices. */
static void xt_write_opaque_mma_(xt_ctx *x, const xt_node_ *n)
{
    const xt_vec *left = xt_vector_(x, n->operand[XT_MMA_LEFT_]);
    bool with_c = n->operand[XT_MMA_SUM_] != 0;
    xt_fragments_ r = xt_opaque_vec_(x, n->result), sum = XT_ZERO_;
    const cm_coop_shape *s = cm_coop_shape_of(&x->target, left->type, r.type);
    if (with_c) sum = xt_now_as_(x, n->operand[XT_MMA_SUM_], CM_OPAQUE_ACC);
    for (int i = 0; i < r.blocks && spe_ok(&x->m); i++) {
        cm_matrix zero = XT_ZERO_;
        if (!with_c) zero = cm_splat(&x->cm, r.block[i].layout.rows, r.block[i].layout.cols, r.type, r.use, 0);
        const spe_id *from = with_c ? sum.block[i].part : zero.part;
        if (from) memcpy(r.block[i].part, from, (size_t)r.block[i].parts * sizeof *from);
    }
    xt_opaque_operand_ operand[2];
    operand[0] = xt_opaque_operand_of_(x, left->id, CM_OPAQUE_B);
    operand[1] = xt_opaque_operand_of_(x, n->operand[XT_MMA_RIGHT_], CM_OPAQUE_A);
    for (int i = 0; i < r.dist.rounds[0]; i++)
        for (int j = 0; j < r.dist.rounds[1]; j++)
            for (int k = 0; k < left->dist.data[1] && spe_ok(&x->m); k += s->k)
                xt_opaque_step_(x, operand, &r, s, i, j, k);
    xt_define_vec_(x, n->result, r);
}

/* Writes what the device's matrices compute. */
XE_FN_ bool xt_write_opaque_(xt_ctx *x, const xt_node_ *n)
{
    bool opaque = n->result && xt_value_is_opaque_(x, n->result);
    if (xt_is_opaque_product_(x, n)) xt_write_opaque_mma_(x, n);
    else if (opaque && xt_is_opaque_each_(x, n)) xt_write_opaque_each_(x, n);
    else if (opaque && xt_is_opaque_reduce_(x, n)) xt_write_opaque_reduce_(x, n);
    else if (opaque && xt_is_opaque_broadcast_(x, n)) xt_write_opaque_broadcast_(x, n);
    else return false;
    return true;
}

/* Makes the memory of panels and strips. */
XE_FN_ void xt_opaque_memory_(xt_ctx *x)
{
    x->panel_memory = spe_shared_vectors(&x->m, (uint32_t)x->panel_vectors);
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

/* Are all elements of a vector in the tile's matrix, and its lines aligned as matrices must be? */
static spe_id xt_opaque_fits_(xt_ctx *x, const xt_tile *t, const xt_fragments_ *v)
{
    const xt_dist *d = &v->dist;
    spe_id all = xt_panel_aligned_(x, t);
    for (int i = 0; i < 2 && !t->inside; i++) {
        int size = (d->rounds[i] - 1) * d->layout[i] * d->data[i] + d->data[i];
        all = spe_land(&x->m, all, xt_panel_inside_(x, t, i, size));
    }
    return all;
}

/* Stores all matrices where they lie. The pitch is masked to the alignment that it has, since compilers look for it. */
static void xt_opaque_store_matrices_(xt_ctx *x, const xt_tile *t, const xt_fragments_ *v)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t), bytes = xt_bytes_(t->type);
    uint32_t order = inner ? SPE_CooperativeMatrixLayoutRowMajorKHR : SPE_CooperativeMatrixLayoutColumnMajorKHR;
    spe_id i64 = spe_int(m, 64), pitch = xt_index_id_(x, &t->pitch);
    pitch = spe_and(m, pitch, spe_i32(m, -(16 / bytes)));
    spe_id wide = spe_uconvert(m, i64, pitch);
    for (xt_block_ b = xt_blocks_(x, &v->dist); xt_next_block_(&b);) {
        const cm_matrix *a = &v->block[b.i];
        int across = a->layout.rows / a->layout.size_i;
        for (int i = 0; i < a->parts && spe_ok(m); i++) {
            int place[2] = {b.row + i / across * a->layout.size_j, b.col + i % across * a->layout.size_i};
            spe_id down = spe_i32(m, place[!inner]), right = spe_i32(m, place[inner]);
            spe_id line = spe_iadd(m, xt_index_id_(x, &t->offset[!inner]), down);
            line = spe_imul(m, spe_uconvert(m, i64, line), wide);
            spe_id along = spe_iadd(m, xt_index_id_(x, &t->offset[inner]), right);
            along = spe_uconvert(m, i64, along);
            spe_id ptr = spe_index(m, t->base.id, spe_iadd(m, line, along));
            spe_coop_store(m, ptr, a->part[i], order, pitch);
        }
    }
}

/* Stores a block of matrices as vectors of lanes, strip by strip, so that few are held at once. */
static void xt_opaque_store_strips_(xt_ctx *x, const xt_tile *t, const xt_block_ *b, cm_matrix *a)
{
    xt_opaque_strip_ s = xt_opaque_strip_of_(x, &a->layout);
    xt_block_ at = *b;
    at.rows = s.rows;
    at.cols = at.valid = s.cols;
    for (int col = 0; col < b->cols; col += s.cols)
        for (int row = 0; row < b->rows && spe_ok(&x->m); row += s.rows) {
            cm_matrix strip = xt_opaque_strip_get_(x, &s, a, row, col);
            at.row = b->row + row;
            at.col = b->col + col;
            cm_mem mem = xt_mem_(x, t, &at, XT_STORED_);
            cm_store(&x->cm, &strip, &mem);
        }
}

/* Stores a vector of matrices in global memory: as matrices where they fit, else as vectors of lanes. False: it is a
 * column, which lanes store. */
XE_FN_ bool xt_store_opaque_(xt_ctx *x, const xt_tile *t, const xt_fragments_ *v)
{
    if (xt_is_opaque_column_(&v->dist)) return false;
    bool may_fit = !t->base.local && t->step == 1;
    if (may_fit) spe_if(&x->m, xt_opaque_fits_(x, t, v));
    if (may_fit) xt_opaque_store_matrices_(x, t, v);
    if (may_fit) spe_else(&x->m, 0, NULL);
    for (xt_block_ b = xt_blocks_(x, &t->dist); xt_next_block_(&b);)
        xt_opaque_store_strips_(x, t, &b, &v->block[b.i]);
    if (may_fit) spe_endif(&x->m, 0, NULL, NULL);
    return true;
}
