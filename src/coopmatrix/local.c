/* local.c - local memory in large pieces. */
#include "internal.h"
/* If nothing is checked and the alignment of element (0, 0) is known (cm_mem.align), local memory is accessed in large
 * pieces: by block messages if the lanes' elements are adjacent (rows contiguous), or a lane's words as vectors if
 * columns are contiguous. */
typedef struct {
    const cm_layout *l;
    spe_id ptr;
    bool across;       /* lanes are adjacent: block messages; else a lane's words are */
    int stride, align; /* in elements, of the other dimension; in bytes, of the matrix's address */
    int next;          /* from a block of lanes to the next, in elements */
} cm_pieces_;

static int cm_divides_(int align, int64_t bytes)
{
    while (align > 1 && bytes % align) align /= 2;
    return align;
}

/* Is this possible for an access? Each piece must be aligned to 16 bytes (block messages) or to a word. */
static bool cm_pieces_init_(cm_ctx *c, cm_pieces_ *p, const cm_layout *l, const cm_surface_ *s)
{
    enum { BLOCK_ALIGN = 16, STRIDE_MAX = 1 << 20 };
    int bytes = cm_type_info(l->type)->bytes;
    int64_t down, right;
    if (s->storage != SPE_StorageClassWorkgroup || s->align < 4 || s->rows || s->cols || l->size_i != l->lanes ||
        l->size_k1 != 1 || !cm_is_constant_(c, s->row, 0) || !cm_is_constant_(c, s->col, 0) ||
        !cm_constant_(c, s->down, &down) || !cm_constant_(c, s->right, &right) || down < 1 || right < 1 ||
        down > STRIDE_MAX || right > STRIDE_MAX)
        return false;
    p->l = l;
    p->ptr = s->ptr;
    p->across = down == 1 && !l->packed && (bytes == 2 || bytes == 4) && c->lowering == CM_INTEL;
    if (!p->across && (right != 1 || s->band)) return false;
    p->stride = (int)(p->across ? right : down);
    p->next = s->band ? (int)s->band : p->across ? l->size_i : l->size_i * p->stride;
    p->align = cm_divides_((int)s->align, (int64_t)p->stride * bytes);
    if (l->size_k2 > 1) p->align = cm_divides_(p->align, (int64_t)p->next * bytes);
    return p->align >= (p->across ? BLOCK_ALIGN : cm_word_bits_(l) / 8);
}

/* Accesses the words of a span in one piece: loads if v is 0, else stores v. */
static spe_id cm_move_piece_(cm_ctx *c, const cm_pieces_ *p, cm_span_ at, spe_id v)
{
    const cm_layout *l = p->l;
    spe_module *m = c->module;
    spe_id word = p->across ? spe_int(m, (uint32_t)cm_word_bits_(l)) : cm_word_type_(c, l); /* messages take integers */
    spe_id type = cm_vec_(c, word, at.words), part = cm_vec_(c, cm_word_type_(c, l), at.words);
    if (p->across) {
        spe_id first = cm_i32_(c, at.block * p->next + at.first * p->stride);
        uint32_t operand[2] = {spe_ptr_cast(m, spe_index(m, p->ptr, first), word), 0};
        if (!v) return spe_bitcast(m, part, spe_op(m, SPE_OpSubgroupBlockReadINTEL, type, 1, operand));
        operand[1] = spe_bitcast(m, type, v);
        spe_op_void(m, SPE_OpSubgroupBlockWriteINTEL, 2, operand);
        return v;
    }
    uint32_t align = (uint32_t)cm_divides_(p->align, (int64_t)at.first * cm_word_bits_(l) / 8);
    spe_id first = cm_i32_(c, at.block * p->next + at.first * cm_channels_(l));
    first = spe_iadd(m, cm_times_(c, cm_lane_(c, l).row, p->stride), first);
    spe_id ptr = spe_ptr_cast(m, spe_index(m, p->ptr, first), type);
    if (!v) return spe_load(m, ptr, align);
    spe_store(m, ptr, v, align);
    return v;
}

/* Method: load or store in pieces, of a part if its words are contiguous, else of a word. False if impossible. */
XE_FN_ bool cm_move_pieces_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store)
{
    cm_pieces_ p;
    if (!cm_pieces_init_(c, &p, &a->layout, s)) return false;
    bool whole = !p.across || p.stride == a->layout.size_i, wide = whole && p.across && cm_word_bits_(p.l) == 16;
    for (int part = 0, parts = 1; part < a->parts; part += parts) {
        cm_span_ at = cm_span_of_(&a->layout, part);
        spe_id one[8], type = cm_word_type_(c, &a->layout), v;
        /* two parts that follow one another, if a message moves both */
        parts = wide && at.words == 8 && cm_span_of_(&a->layout, part + 1).first == at.first + 8 ? 2 : 1;
        v = store ? cm_join_(c, type, &a->part[part], parts, 8) : 0;
        for (int i = 0; i < (whole ? 1 : at.words); i++) {
            cm_span_ piece = {at.block, at.first + i, whole ? at.words * parts : 1};
            one[i] = cm_move_piece_(c, &p, piece, v && !whole ? cm_slice_(c, v, i, 1) : v);
        }
        if (!store && !whole) one[0] = cm_join_(c, type, one, at.words, 1);
        for (int i = 0; i < parts && !store; i++)
            a->part[part + i] = parts > 1 ? cm_slice_(c, one[0], i * 8, 8) : one[0];
    }
    return true;
}
