/* lower/opaque_each.c - element-wise operations, reductions of rows and broadcasts of columns on matrices that only the
 * device can look into, see passes/opaque.c. Components of matrices of one type correspond, wherever they are. */
#include "../internal.h"

/* ---- component by component -------------------------------------------------------------------------------------- */

/* Computes a component of the result from those of `count` matrices. */
typedef spe_id (*xt_opaque_fn_)(xt_ctx *x, const xt_node_ *n, int count, const spe_id *v);

/* The variable for a matrix of sums in f32 whose components are accessed. */
static spe_id xt_opaque_box_(xt_ctx *x, int i, spe_id type)
{
    if (!x->opaque_box[i]) x->opaque_box[i] = spe_local_var(&x->m, type);
    return x->opaque_box[i];
}

/* What the function makes of the components of matrices. Only the device knows how many a lane has. */
static spe_id xt_by_component_(xt_ctx *x, const xt_node_ *n, int count, const spe_id *part, xt_opaque_fn_ fn)
{
    enum { MOST = sizeof x->opaque_box / sizeof *x->opaque_box };
    spe_module *m = &x->m;
    spe_id type = spe_type_of(m, part[0]), v[MOST], place[MOST], none = 0, at;
    for (int i = 0; i < count; i++) spe_store(m, xt_opaque_box_(x, i, type), part[i], 0);
    spe_id first = spe_i32(m, 0), length = spe_coop_length(m, type), step = spe_i32(m, 1);
    spe_loop_hint(m, SPE_LoopControlUnroll, 0);
    at = spe_for(m, first, length, step, 0, &none);
    for (int i = 0; i < count && spe_ok(m); i++) {
        place[i] = spe_element(m, x->opaque_box[i], 1, &at);
        v[i] = spe_load(m, place[i], 0);
    }
    if (spe_ok(m)) spe_store(m, place[0], fn(x, n, count, v), 0);
    spe_endfor(m, 0, &none);
    return spe_load(m, xt_opaque_box_(x, 0, type), 0);
}

static spe_id xt_opaque_component_(xt_ctx *x, const xt_node_ *n, int count, const spe_id *v)
{
    (void)count;
    if (n->op == XT_OP_MATH_VECTOR_) return xt_math_part_(x, n, v);
    if (n->op == XT_OP_BINARY_VECTOR_) return xt_binary_part_(x, n, v);
    spe_id zero = spe_f32(&x->m, 0);
    return spe_select(&x->m, spe_fune(&x->m, v[0], zero), v[1], v[2]);
}

static spe_id xt_opaque_fold_(xt_ctx *x, const xt_node_ *n, int count, const spe_id *v)
{
    spe_id all = v[0];
    for (int i = 1; i < count; i++) all = xt_combine_(&x->m, n->kind, CM_F32, all, v[i]);
    return all;
}

/* ---- element-wise operations ------------------------------------------------------------------------------------- */

/* An operand as matrices; conditions are 1 or 0 there. */
static xt_fragments_ xt_opaque_operand_as_(xt_ctx *x, uint32_t id)
{
    if (xt_vector_(x, id)->type != (cm_type)XT_BOOL_) return xt_now_as_(x, id, CM_OPAQUE_ACC);
    xt_fragments_ now = xt_now_as_(x, id, CM_ACC), real = now;
    real.type = CM_F32;
    real.block = (cm_matrix *)xt_memory_(x, (size_t)now.blocks * sizeof *real.block);
    real.blocks = real.block ? now.blocks : 0;
    for (int i = 0; i < real.blocks; i++) real.block[i] = cm_convert(&x->cm, &now.block[i], CM_F32);
    return xt_as_use_(x, &real, CM_OPAQUE_ACC);
}

/* Writes an element-wise operation on the device's matrices, part by part. */
XE_FN_ void xt_write_opaque_each_(xt_ctx *x, const xt_node_ *n)
{
    int count = n->operands, from = (int)xt_vector_(x, n->operand[0])->type;
    xt_fragments_ r = xt_opaque_vec_(x, n->result), v[3];
    for (int j = 0; j < count; j++) v[j] = xt_opaque_operand_as_(x, n->operand[j]);
    for (int i = 0; i < r.blocks; i++)
        for (int p = 0; p < r.block[i].parts && spe_ok(&x->m); p++) {
            spe_id part[3] = {0, 0, 0};
            for (int j = 0; j < count; j++) part[j] = v[j].block[i].part[p];
            if (!xt_is_opaque_instruction_(x, n))
                part[0] = xt_by_component_(x, n, count, part, xt_opaque_component_);
            else if (n->op == XT_OP_BINARY_VECTOR_)
                part[0] = xt_emit_arith_(&x->m, n->kind, n->type, part[0], part[1]);
            else if (n->type != from)
                part[0] = spe_fconvert(&x->m, cm_part_type(&x->cm, &r.block[i].layout, 0), part[0]);
            r.block[i].part[p] = part[0];
        }
    xt_define_vec_(x, n->result, r);
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

/* A lane's share of the row that it reduces: every second group of four columns, for instance, so that the lanes of a
 * subgroup read from different banks. */
static spe_id xt_opaque_row_(xt_ctx *x, const xt_node_ *n, const xt_opaque_strip_ *s, int columns, spe_id lane)
{
    enum { NEXT = 4 };
    spe_module *m = &x->m;
    int lanes = x->S / s->rows; /* that share a row */
    spe_id rows = spe_u32(m, (uint32_t)s->rows), apart = spe_u32(m, (uint32_t)(NEXT * s->pitch)), all = 0;
    spe_id first = spe_imul(m, spe_udiv(m, lane, rows), apart);
    first = spe_iadd(m, first, spe_umod(m, lane, rows));
    for (int i = 0; i < columns / lanes; i++) {
        spe_id at = spe_u32(m, (uint32_t)((i / NEXT * NEXT * lanes + i % NEXT) * s->pitch));
        at = spe_iadd(m, first, at);
        spe_id one = spe_load(m, spe_index(m, s->ptr, at), 0);
        all = all ? xt_combine_(m, n->kind, CM_F32, all, one) : one;
    }
    for (int by = s->rows; by < x->S; by *= 2) {
        spe_id other = spe_sg_shuffle_xor(m, all, spe_u32(m, (uint32_t)by));
        all = xt_combine_(m, n->kind, CM_F32, all, other);
    }
    return all;
}

/* A matrix with the reduction of each row of another in all of its columns. */
static spe_id xt_opaque_reduced_(xt_ctx *x, const xt_node_ *n, const xt_opaque_strip_ *s, int columns, spe_id part)
{
    const uint32_t order = SPE_CooperativeMatrixLayoutColumnMajorKHR;
    spe_module *m = &x->m;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), pitch = spe_i32(m, s->pitch), rows = spe_i32(m, s->rows);
    spe_id column = spe_index(m, s->ptr, spe_i32(m, columns * s->pitch));
    spe_sg_barrier(m);
    spe_coop_store(m, s->ptr, part, order, pitch);
    spe_sg_barrier(m);
    spe_id all = xt_opaque_row_(x, n, s, columns, lane);
    spe_if(m, spe_ult(m, lane, rows));
    spe_store(m, spe_index(m, column, lane), all, 0);
    spe_endif(m, 0, NULL, NULL);
    spe_sg_barrier(m);
    spe_id none = spe_i32(m, 0);
    return spe_coop_load(m, spe_type_of(m, part), column, order, none);
}

/* Writes a reduction of rows: of matrices beside one another first, component by component. */
XE_FN_ void xt_write_opaque_reduce_(xt_ctx *x, const xt_node_ *n)
{
    enum { MOST = sizeof x->opaque_box / sizeof *x->opaque_box };
    xt_fragments_ v = xt_now_as_(x, n->operand[XT_MOVE_VEC_], CM_OPAQUE_ACC);
    xt_fragments_ r = xt_opaque_vec_(x, n->result);
    if (!v.blocks || !r.blocks) return;
    const cm_layout l = v.block[0].layout;
    xt_opaque_strip_ s = xt_opaque_strip_of_(x, &l);
    for (int round = 0; round < v.dist.rounds[0]; round++)
        for (int row = 0; row < v.dist.data[0] && spe_ok(&x->m); row += l.size_j) {
            spe_id part[MOST];
            int count = 0;
            for (int col = 0; col < v.dist.data[1]; col += l.size_i) {
                part[count++] = *xt_opaque_at_(x, &v, round, 0, row, col);
                bool full = count == MOST || col + l.size_i >= v.dist.data[1];
                if (full && count > 1) part[0] = xt_by_component_(x, n, count, part, xt_opaque_fold_);
                if (full) count = 1;
            }
            *xt_opaque_at_(x, &r, round, 0, row, 0) = xt_opaque_reduced_(x, n, &s, l.size_i, part[0]);
        }
    xt_define_vec_(x, n->result, r);
}

/* ---- broadcasts -------------------------------------------------------------------------------------------------- */

/* Writes a broadcast of a column, whose matrices have it in each of their columns already. */
XE_FN_ void xt_write_opaque_broadcast_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ v = xt_now_as_(x, n->operand[XT_MOVE_VEC_], CM_OPAQUE_ACC);
    xt_fragments_ r = xt_opaque_vec_(x, n->result);
    if (!v.blocks || !r.blocks) return;
    const cm_layout l = r.block[0].layout;
    for (int round0 = 0; round0 < r.dist.rounds[0]; round0++)
        for (int round1 = 0; round1 < r.dist.rounds[1]; round1++)
            for (int row = 0; row < r.dist.data[0]; row += l.size_j)
                for (int col = 0; col < r.dist.data[1]; col += l.size_i)
                    *xt_opaque_at_(x, &r, round0, round1, row, col) = *xt_opaque_at_(x, &v, round0, 0, row, 0);
    xt_define_vec_(x, n->result, r);
}
