/* lower/strips.c - vectors as matrices that only the device can look into (passes/opaque.c), how they become vectors of
 * lanes, and how these become such matrices: through a strip of local memory for each subgroup. */
#include "../internal.h"

XE_FN_ xt_opaque_strip_ xt_opaque_strip_of_(xt_ctx *x, const cm_layout *l)
{
    spe_module *m = &x->m;
    int bytes = xt_bytes_((int)l->type);
    xt_opaque_strip_ s = XT_ZERO_;
    s.rows = l->size_j;
    s.cols = xt_least_(l->rows, x->S);
    s.pitch = s.rows + 16 / bytes;
    s.plain = cm_layout_for(&x->cm, s.cols, s.rows, l->type, CM_ACC);
    s.parts = cm_part_count(&s.plain);
    cm_layout whole = cm_layout_for(&x->cm, l->rows, l->cols, l->type, CM_ACC);
    s.band = cm_part_count(&whole) / (l->rows / s.cols);
    spe_id zero = spe_u32(m, 0), vectors = spe_element(m, x->panel_memory, 1, &zero);
    s.vector = spe_u32(m, (uint32_t)x->strips_at);
    if (x->subgroups > 1) {
        spe_id first = spe_builtin(m, SPE_SUBGROUP_ID, 0);
        first = spe_imul(m, first, spe_u32(m, (uint32_t)xt_strip_words_(x) / 4));
        s.vector = spe_iadd(m, first, s.vector);
    }
    spe_id type = xt_spe_type_(x, (int)l->type);
    s.ptr = spe_ptr_cast(m, spe_index(m, vectors, s.vector), type);
    return s;
}

static cm_mem xt_opaque_strip_mem_(xt_ctx *x, const xt_opaque_strip_ *s)
{
    cm_mem mem = XT_ZERO_;
    mem.ptr = s->ptr;
    mem.row = mem.col = spe_i32(&x->m, 0);
    mem.stride_row = spe_i32(&x->m, s->pitch);
    mem.stride_col = spe_i32(&x->m, 1);
    mem.align = 16;
    mem.block2d = CM_BLOCK2D_NO;
    return mem;
}

/* Columns of the matrices of sums in f32, and the rows of all. */
static int xt_opaque_side_(const xt_ctx *x) { return cm_coop_shape_of(&x->target, CM_F16, CM_F32)->n; }

/* Have operands of this use matrices of the shape that sums have? */
static bool xt_is_opaque_operand_like_(xt_ctx *x, const cm_layout *sums, cm_use use)
{
    const cm_coop_shape *s = use == CM_OPAQUE_ACC ? NULL : xt_operand_shape_(x, sums->type);
    return s && sums->size_j == (use == CM_OPAQUE_A ? s->k : s->m) &&
           sums->size_i == (use == CM_OPAQUE_B ? s->k : s->n);
}

/* Stores the matrices of the strip that begins at this row and column of the block, or loads them. */
static void xt_opaque_strip_move_(xt_ctx *x, const xt_opaque_strip_ *s, cm_matrix *a, int row, int col, bool store)
{
    spe_module *m = &x->m;
    spe_id pitch = spe_i32(m, s->pitch), type = cm_part_type(&x->cm, &a->layout, 0);
    int wide = a->layout.size_i, across = a->layout.rows / wide;
    for (int j = 0; j < s->cols / wide; j++) {
        spe_id *part = &a->part[row / s->rows * across + col / wide + j];
        spe_id ptr = spe_index(m, s->ptr, spe_i32(m, j * wide * s->pitch));
        if (store) spe_coop_store(m, ptr, *part, SPE_CooperativeMatrixLayoutColumnMajorKHR, pitch);
        else *part = spe_coop_load(m, type, ptr, SPE_CooperativeMatrixLayoutColumnMajorKHR, pitch);
    }
}

/* A strip of a block as a vector of lanes. */
XE_FN_ cm_matrix xt_opaque_strip_get_(xt_ctx *x, const xt_opaque_strip_ *s, cm_matrix *opaque, int row, int col)
{
    cm_mem mem = xt_opaque_strip_mem_(x, s);
    spe_sg_barrier(&x->m);
    xt_opaque_strip_move_(x, s, opaque, row, col, true);
    spe_sg_barrier(&x->m);
    return cm_load(&x->cm, s->cols, s->rows, s->plain.type, CM_ACC, &mem);
}

/* Moves a block strip by strip, from matrices to a vector of lanes or back; `to` has room for its parts. */
static void xt_opaque_move_(xt_ctx *x, cm_matrix *opaque, cm_matrix *plain, bool to_plain)
{
    xt_opaque_strip_ s = xt_opaque_strip_of_(x, &opaque->layout);
    cm_mem mem = xt_opaque_strip_mem_(x, &s);
    for (int col = 0; col < opaque->layout.rows; col += s.cols)
        for (int row = 0; row < opaque->layout.cols && spe_ok(&x->m); row += s.rows) {
            spe_id *parts = plain->part + col / s.cols * s.band + row / s.rows * s.parts;
            cm_matrix strip;
            if (to_plain) {
                strip = xt_opaque_strip_get_(x, &s, opaque, row, col);
                for (int i = 0; i < strip.parts; i++) parts[i] = strip.part[i];
            } else {
                spe_sg_barrier(&x->m);
                strip = cm_from_parts(&x->cm, &s.plain, parts);
                cm_store(&x->cm, &strip, &mem);
                spe_sg_barrier(&x->m);
                xt_opaque_strip_move_(x, &s, opaque, row, col, false);
            }
        }
}

/* A matrix of this size and use, in our terms of coopmatrix.h, without values yet. */
XE_FN_ cm_matrix xt_opaque_room_(xt_ctx *x, int rows, int cols, cm_type type, cm_use use)
{
    cm_matrix a = XT_ZERO_;
    a.layout = cm_layout_for(&x->cm, rows, cols, type, use);
    a.parts = a.layout.rows ? cm_part_count(&a.layout) : 0;
    a.part = (spe_id *)xt_memory_(x, (size_t)(a.parts ? a.parts : 1) * sizeof *a.part);
    if (!a.part) a.parts = 0;
    return a;
}

/* Sums as operands, whose matrices have the same shape: line after line through local memory, as many columns at a time
 * as there is room for. */
static cm_matrix xt_opaque_as_operand_(xt_ctx *x, const cm_matrix *a, cm_use use)
{
    const uint32_t order = SPE_CooperativeMatrixLayoutRowMajorKHR;
    const cm_layout *l = &a->layout;
    spe_module *m = &x->m;
    cm_matrix to = xt_opaque_room_(x, l->rows, l->cols, l->type, use);
    xt_opaque_strip_ s = xt_opaque_strip_of_(x, l);
    int each = 16 / xt_bytes_((int)l->type), wide = l->size_i, across = l->rows / wide, side_by_side = 1;
    while (side_by_side < across && across % (2 * side_by_side) == 0 &&
           (2 * side_by_side * wide + each) * l->size_j <= xt_strip_words_(x) / 4 * each)
        side_by_side *= 2;
    int line = side_by_side * wide / each + 1; /* vectors */
    spe_id type = cm_part_type(&x->cm, &to.layout, 0), pitch = spe_i32(m, line * each), vectors = spe_i32(m, line);
    for (int i = 0; i < to.parts && spe_ok(m); i += side_by_side) {
        spe_sg_barrier(m);
        for (int j = 0; j < side_by_side; j++)
            spe_coop_store(m, spe_index(m, s.ptr, spe_i32(m, j * wide)), a->part[i + j], order, pitch);
        spe_sg_barrier(m);
        for (int j = 0; j < side_by_side; j++) {
            spe_id at = spe_iadd(m, s.vector, spe_u32(m, (uint32_t)(j * wide / each)));
            to.part[i + j] = spe_vectors_coop_load(m, type, x->panel_memory, at, order, vectors);
        }
    }
    return to;
}

/* A column, of which opaque matrices have a copy in each of theirs, from matrices to lanes. */
static cm_matrix xt_opaque_column_get_(xt_ctx *x, const cm_matrix *a)
{
    spe_module *m = &x->m;
    const cm_layout *l = &a->layout;
    xt_opaque_strip_ s = xt_opaque_strip_of_(x, l);
    cm_mem mem = xt_opaque_strip_mem_(x, &s);
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), pitch = spe_i32(m, s.pitch), rows = spe_i32(m, s.rows);
    mem.ptr = spe_index(m, s.ptr, spe_i32(m, l->size_i * s.pitch));
    for (int i = 0; i < a->parts && spe_ok(m); i++) {
        spe_sg_barrier(m);
        spe_coop_store(m, s.ptr, a->part[i], SPE_CooperativeMatrixLayoutColumnMajorKHR, pitch);
        spe_sg_barrier(m);
        spe_if(m, spe_ult(m, lane, rows));
        spe_id one = spe_load(m, spe_index(m, s.ptr, lane), 0), at = spe_iadd(m, lane, spe_i32(m, i * s.rows));
        spe_store(m, spe_index(m, mem.ptr, at), one, 0);
        spe_endif(m, 0, NULL, NULL);
    }
    spe_sg_barrier(m);
    return cm_load(&x->cm, 1, l->cols, l->type, CM_ACC, &mem);
}

/* The same, from lanes to matrices. */
static cm_matrix xt_opaque_column_put_(xt_ctx *x, const cm_matrix *a)
{
    spe_module *m = &x->m;
    cm_matrix to = xt_opaque_room_(x, xt_opaque_side_(x), a->layout.cols, a->layout.type, CM_OPAQUE_ACC);
    xt_opaque_strip_ s = xt_opaque_strip_of_(x, &to.layout);
    cm_mem mem = xt_opaque_strip_mem_(x, &s);
    spe_id type = cm_part_type(&x->cm, &to.layout, 0), none = spe_i32(m, 0);
    spe_sg_barrier(m);
    cm_store(&x->cm, a, &mem);
    spe_sg_barrier(m);
    for (int i = 0; i < to.parts && spe_ok(m); i++) {
        spe_id ptr = spe_index(m, s.ptr, spe_i32(m, i * s.rows));
        to.part[i] = spe_coop_load(m, type, ptr, SPE_CooperativeMatrixLayoutColumnMajorKHR, none);
    }
    return to;
}

/* Converts a block of a vector to another layout, of which at least one is opaque. */
XE_FN_ cm_matrix xt_opaque_convert_(xt_ctx *x, const xt_fragments_ *v, int block, cm_use use)
{
    cm_matrix from = v->block[block], to;
    bool column = xt_is_opaque_column_(&v->dist);
    const cm_layout l = from.layout;
    if (l.use == CM_OPAQUE_ACC && xt_is_opaque_(use) && xt_is_opaque_operand_like_(x, &l, use))
        return xt_opaque_as_operand_(x, &from, use);
    if (xt_is_opaque_(l.use)) {
        xt_fragments_ plain = *v;
        if (column) to = xt_opaque_column_get_(x, &from);
        else to = xt_opaque_room_(x, l.rows, l.cols, l.type, CM_ACC);
        if (!column && to.parts) xt_opaque_move_(x, &from, &to, true);
        plain.block = &to;
        return xt_is_opaque_(use) ? xt_opaque_convert_(x, &plain, 0, use) : cm_convert_use(&x->cm, &to, use);
    }
    if (l.use != CM_ACC) from = cm_convert_use(&x->cm, &v->block[block], CM_ACC);
    if (column) return xt_opaque_column_put_(x, &from);
    to = xt_opaque_room_(x, l.rows, l.cols, l.type, use);
    if (to.parts && from.parts) xt_opaque_move_(x, &to, &from, false);
    return to;
}

/* A vector like v, with room for its matrices of this use. */
XE_FN_ xt_fragments_ xt_opaque_like_(xt_ctx *x, uint32_t id, cm_use use)
{
    xt_fragments_ r = xt_form_of_(x, id);
    r.use = use;
    xt_block_ b = xt_blocks_(x, &r.dist);
    r.block = (cm_matrix *)xt_memory_(x, (size_t)b.grid.blocks * sizeof *r.block);
    r.blocks = r.block ? b.grid.blocks : 0;
    while (r.blocks && xt_next_block_(&b)) {
        int cols = xt_is_opaque_column_(&r.dist) ? xt_opaque_side_(x) : b.cols;
        r.block[b.i] = xt_opaque_room_(x, cols, b.rows, r.type, use);
    }
    return r;
}

XE_FN_ xt_fragments_ xt_opaque_vec_(xt_ctx *x, uint32_t id) { return xt_opaque_like_(x, id, CM_OPAQUE_ACC); }

/* The number of its matrices. */
XE_FN_ int xt_opaque_parts_(xt_ctx *x, uint32_t id)
{
    xt_fragments_ r = xt_opaque_vec_(x, id);
    int n = 0;
    for (int i = 0; i < r.blocks; i++) n += r.block[i].parts;
    return n;
}

/* A vector like v with the same number in each element, as matrices of this use. */
XE_FN_ xt_fragments_ xt_opaque_splat_(xt_ctx *x, uint32_t id, cm_use use, spe_id scalar)
{
    xt_fragments_ r = xt_opaque_like_(x, id, use);
    for (int i = 0; i < r.blocks; i++)
        r.block[i] = cm_splat(&x->cm, r.block[i].layout.rows, r.block[i].layout.cols, r.type, use, scalar);
    return r;
}

/* The matrix that begins at this row and column of a piece of a vector. */
XE_FN_ spe_id *xt_opaque_at_(xt_ctx *x, const xt_fragments_ *v, int round0, int round1, int row, int col)
{
    xt_grid_ g;
    int i = 0, j = 0;
    xt_grid_init_(x, &g, &v->dist);
    while (i + 1 < g.cut[0].n && g.cut[0].at[i + 1] <= row) i++;
    while (j + 1 < g.cut[1].n && g.cut[1].at[j + 1] <= col) j++;
    const cm_matrix *b = &v->block[xt_block_number_(&g, round0, round1, i, j)];
    const cm_layout *l = &b->layout;
    int part = (row - g.cut[0].at[i]) / l->size_j * (l->rows / l->size_i) + (col - g.cut[1].at[j]) / l->size_i;
    return &b->part[part];
}
