/* local.c - local memory in large pieces. */
#include "internal.h"

/* Where nothing is checked and the address of element (0, 0) is known to be aligned (cm_mem.align), local memory is
 * read and written in pieces: by block messages when the lanes' elements lie side by side (rows contiguous), a lane's
 * words as vectors when columns are. */
typedef struct {
    bool across;       /* lanes side by side: block messages; else a lane's words are */
    int stride, align; /* of the other dimension in elements; of the matrix's address in bytes */
} cm_local_plan_;

static int cm_divides_(int align, int64_t bytes)
{
    while (align > 1 && bytes % align) align /= 2;
    return align;
}

/* Can this access go so? Each piece must be aligned to 16 bytes (block messages) or to a word. */
static bool cm_local_plan_init_(cm_ctx *c, cm_local_plan_ *p, const cm_layout *l, const cm_mem *mem,
                                       const cm_surface_ *s)
{
    int bytes = cm_type_info(l->type)->bytes, least;
    int64_t down, right;
    if (s->storage != SPE_StorageClassWorkgroup || mem->align < 4 || s->rows || s->cols || l->I != l->S || l->K1 != 1 ||
        !cm_is_constant_(c, s->row, 0) || !cm_is_constant_(c, s->col, 0) || !cm_constant_(c, s->down, &down) ||
        !cm_constant_(c, s->right, &right) || down < 1 || right < 1 || down > 1 << 20 || right > 1 << 20)
        return false;
    p->across = down == 1 && !l->packed && (bytes == 2 || bytes == 4) && c->lowering == CM_INTEL;
    if (!p->across && right != 1) return false;
    p->stride = (int)(p->across ? right : down);
    p->align = cm_divides_((int)mem->align, (int64_t)p->stride * bytes);
    if (l->K2 > 1) p->align = cm_divides_(p->align, (int64_t)(p->across ? l->I : l->I * p->stride) * bytes);
    least = p->across ? 16 : cm_word_bits_(l) / 8;
    return p->align >= least;
}

/* The address of `words` words of a part from word `first` of block k2 on: of all lanes', or of this lane's. */
static spe_id cm_local_address_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_local_plan_ *p,
                                       int k2, int first, spe_id type)
{
    spe_module *m = c->m;
    spe_id at;
    if (p->across)
        at = cm_i32_(c, k2 * l->I + first * p->stride);
    else
        at = spe_iadd(m, cm_times_(c, cm_lane_(c, l).i, p->stride),
                      cm_i32_(c, k2 * l->I * p->stride + first * cm_channels_(l)));
    return spe_ptr_cast(m, spe_index(m, s->ptr, at), type);
}

/* Words first .. first + words of a part by one piece: read when v is 0, else v is written. */
static spe_id cm_local_piece_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_local_plan_ *p,
                                     int k2, int first, int words, spe_id v)
{
    spe_module *m = c->m;
    /* messages are of integers */
    spe_id word = p->across ? spe_int(m, (uint32_t)cm_word_bits_(l)) : cm_word_type_(c, l);
    spe_id type = spe_vec(m, word, (uint32_t)words), part = spe_vec(m, cm_word_type_(c, l), (uint32_t)words), ptr;
    uint32_t operand[2];
    int align = cm_divides_(p->align, (int64_t)first * cm_word_bits_(l) / 8);
    ptr = cm_local_address_(c, l, s, p, k2, first, p->across ? word : type);
    if (!p->across && v) spe_store(m, ptr, v, (uint32_t)align);
    if (!p->across) return v ? v : spe_load(m, ptr, (uint32_t)align);
    operand[0] = ptr;
    if (!v) return spe_bitcast(m, part, spe_op(m, SPE_OpSubgroupBlockReadINTEL, type, 1, operand));
    operand[1] = spe_bitcast(m, type, v);
    spe_op_void(m, SPE_OpSubgroupBlockWriteINTEL, 2, operand);
    return v;
}

/* Words of one part: at once when they lie in a row, else one by one. */
static spe_id cm_local_part_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_local_plan_ *p,
                                    int k2, int first, int words, spe_id v)
{
    spe_id one[16];
    int i;
    if (!p->across || p->stride == l->I || words == 1) return cm_local_piece_(c, l, s, p, k2, first, words, v);
    for (i = 0; i < words; i++)
        one[i] = cm_local_piece_(c, l, s, p, k2, first + i, 1, v ? spe_extract(c->m, v, (uint32_t)i) : 0);
    return v ? v : spe_construct(c->m, spe_vec(c->m, cm_word_type_(c, l), (uint32_t)words), (uint32_t)words, one);
}

/* Method: load (out is made) or store (out is the matrix) in pieces. False when it cannot be. */
bool cm_local_(cm_ctx *c, const cm_layout *l, const cm_mem *mem, const cm_surface_ *s, cm_matrix *out, bool store)
{
    cm_local_plan_ p;
    int part, first = 0, runs = spe_runs(cm_block_words_(l));
    if (!cm_local_plan_init_(c, &p, l, mem, s)) return false;
    if (!store) *out = cm_new_(c, l);
    for (part = 0; part < out->parts; part++) {
        int words = cm_part_words(l, part);
        spe_id v;
        if (part % runs == 0) first = 0;
        v = cm_local_part_(c, l, s, &p, part / runs, first, words, store ? out->part[part] : 0);
        if (!store) out->part[part] = v;
        first += words;
    }
    return true;
}
