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
    s.runs = cm_part_count(&whole) / (l->rows / s.cols);
    spe_id zero = spe_u32(m, 0), words = spe_element(m, x->opaque, 1, &zero), first = zero;
    words = spe_ptr_cast(m, words, spe_int(m, 32));
    if (x->subgroups > 1) {
        first = spe_builtin(m, SPE_SUBGROUP_ID, 0);
        first = spe_imul(m, first, spe_u32(m, (uint32_t)xt_strip_words_(x)));
    }
    spe_id type = xt_spe_type_(x, (int)l->type);
    s.ptr = spe_ptr_cast(m, spe_index(m, words, first), type);
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
            spe_id *parts = plain->part + col / s.cols * s.runs + row / s.rows * s.parts;
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

/* A matrix of this use like a block, without values yet. */
static cm_matrix xt_opaque_room_(xt_ctx *x, const cm_matrix *like, cm_use use)
{
    cm_matrix a = XT_ZERO_;
    a.layout = cm_layout_for(&x->cm, like->layout.rows, like->layout.cols, like->layout.type, use);
    a.parts = a.layout.rows ? cm_part_count(&a.layout) : 0;
    a.part = (spe_id *)xt_memory_(x, (size_t)(a.parts ? a.parts : 1) * sizeof *a.part);
    if (!a.part) a.parts = 0;
    return a;
}

/* Converts a block to another layout, of which at least one is opaque. */
XE_FN_ cm_matrix xt_opaque_convert_(xt_ctx *x, const cm_matrix *a, cm_use use)
{
    cm_matrix from = *a, to;
    if (xt_is_opaque_(a->layout.use)) {
        to = xt_opaque_room_(x, a, CM_ACC);
        if (to.parts) xt_opaque_move_(x, &from, &to, true);
        return xt_is_opaque_(use) ? xt_opaque_convert_(x, &to, use) : cm_convert_use(&x->cm, &to, use);
    }
    if (a->layout.use != CM_ACC) from = cm_convert_use(&x->cm, a, CM_ACC);
    to = xt_opaque_room_(x, a, use);
    if (to.parts && from.parts) xt_opaque_move_(x, &to, &from, false);
    return to;
}

/* A vector like v, with room for its matrices. */
XE_FN_ xt_vec xt_opaque_vec_(xt_ctx *x, const xt_vec *v)
{
    xt_vec r = *v;
    r.use = CM_OPAQUE_ACC;
    xt_block_ b = xt_blocks_(x, &r.dist);
    r.block = (cm_matrix *)xt_memory_(x, (size_t)b.grid.blocks * sizeof *r.block);
    r.blocks = r.block ? b.grid.blocks : 0;
    while (r.blocks && xt_next_block_(&b)) {
        cm_matrix like = XT_ZERO_;
        like.layout.rows = b.cols;
        like.layout.cols = b.rows;
        like.layout.type = r.type;
        r.block[b.i] = xt_opaque_room_(x, &like, CM_OPAQUE_ACC);
    }
    return r;
}

/* The number of its matrices. */
XE_FN_ int xt_opaque_parts_(xt_ctx *x, const xt_vec *v)
{
    xt_vec r = xt_opaque_vec_(x, v);
    int n = 0;
    for (int i = 0; i < r.blocks; i++) n += r.block[i].parts;
    return n;
}

/* A vector with the same number in each element. */
XE_FN_ xt_vec xt_opaque_splat_(xt_ctx *x, const xt_vec *v, spe_id scalar)
{
    xt_vec r = xt_opaque_vec_(x, v);
    for (int i = 0; i < r.blocks; i++)
        r.block[i] = cm_splat(&x->cm, r.block[i].layout.rows, r.block[i].layout.cols, r.type, r.use, scalar);
    return r;
}
