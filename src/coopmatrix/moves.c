/* moves.c - loads and stores: KHR matrices, and the method of each lowering. */
#include "internal.h"

/* Method of CM_KHR: an instruction per part. KHR matrices are transposed: contiguous rows are row-major. */
XE_FN_ bool cm_move_khr_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store)
{
    const cm_layout *l = &a->layout;
    bool along = cm_is_constant_(c, s->down, 1), across = cm_is_constant_(c, s->right, 1);
    uint32_t layout = along ? SPE_CooperativeMatrixLayoutRowMajorKHR : SPE_CooperativeMatrixLayoutColumnMajorKHR;
    if (s->rows || s->cols || !(along || across) || l->size_i != l->lanes ||
        (l->use == CM_A && l->omega * cm_type_info(l->type)->bytes < 4))
        return !CM_FAIL_(c, LOWERING, "CM_KHR loads and stores matrices of at least S rows (CM_A: columns in multiples "
                                      "of 32 bits), unchecked, with a stride that is the constant 1");
    for (int part = 0; part < a->parts; part++) {
        cm_span_ at = cm_span_of_(l, part);
        spe_id row = cm_distance_(c, cm_plus_(c, s->row, at.block * l->size_i * l->size_k1), s->down);
        spe_id col = cm_distance_(c, cm_plus_(c, s->col, at.first * l->omega), s->right);
        spe_id ptr = spe_index(c->module, s->ptr, spe_iadd(c->module, row, col)), stride = along ? s->right : s->down;
        if (store) spe_coop_store(c->module, ptr, a->part[part], layout, stride);
        else a->part[part] = spe_coop_load(c->module, cm_part_type(c, l, part), ptr, layout, stride);
    }
    return true;
}

/* Method of CM_PLAIN: block messages of lines, or each lane its own elements. */
static bool cm_move_plain_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store)
{
    return cm_move_lines_(c, s, a, store) || cm_move_lanes_(c, s, a, store);
}

/* Loads or stores each half of the matrix by the first method that can. */
static void cm_move_(cm_ctx *c, cm_matrix *a, const cm_mem *mem, bool store)
{
    static bool (*const first[])(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store) = {
        cm_move_plain_, cm_move_plain_, cm_move_block2d_, cm_move_khr_}; /* by cm_lowering */
    for (int i = 0; i < cm_halves_(a->layout.type); i++) {
        cm_matrix half = cm_half_(a, i);
        cm_surface_ s;
        if (!cm_surface_init_(c, &s, a->layout.type, mem, i)) return;
        bool moved = first[c->lowering](c, &s, &half, store) || cm_move_pieces_(c, &s, &half, store);
        a->in_words = half.in_words;
        if (moved) continue;
        if (s.band) CM_FAIL_(c, POSITION, "cm_mem.band: memory that is not accessed in large pieces");
        cm_move_lanes_(c, &s, &half, store);
    }
}

cm_matrix cm_load(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, const cm_mem *from)
{
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    cm_matrix a = cm_new_(c, &l);
    bool pairs = cm_has_pairs_(&l), bands = from->band && (pairs || l.packed || l.size_k1 > 1);
    cm_surface_ s;
    if (a.parts && cm_is_opaque_(&l)) return cm_is_poison_(c, &a), cm_poison();
    if (bands || (pairs && cm_surface_init_(c, &s, type, from, 0) && !cm_is_constant_(c, s.down, 1))) {
        /* bands have whole rows of lanes, too */
        a = cm_load(c, rows, cols, type, CM_ACC, from);
        return cm_convert_use(c, &a, use);
    }
    if (a.parts) cm_move_(c, &a, from, false);
    return spe_ok(c->module) ? a : cm_poison();
}

void cm_store(cm_ctx *c, const cm_matrix *a, const cm_mem *to)
{
    cm_matrix from = *a;
    if (!cm_is_poison_(c, a)) cm_move_(c, &from, to, true);
}
