/* matrix.c - matrix hardware: 2D blocks, cache control, products of cooperative matrices and vectors. */
#include "internal.h"

static void spe_block2d_(spe_module *m, const char *name, uint32_t op, const spe_block2d *b, spe_id private_ptr)
{
    uint32_t w[10] = {b->elem_bytes, b->width, b->height, b->count}, n;
    spe_id xy[2] = {b->pos_x, b->pos_y};
    bool prefetch = op == SPE_OpSubgroup2DBlockPrefetchINTEL, store = op == SPE_OpSubgroup2DBlockStoreINTEL;
    if (!spe_check_(m, name, prefetch ? "p" : "pp", b->ptr, private_ptr)) return;
    if (b->elem_bytes != 1 && b->elem_bytes != 2 && b->elem_bytes != 4 && b->elem_bytes != 8)
        spe_error_(m, SPE_ERR_RANGE, "elements of %u bytes; there are 1, 2, 4 and 8", b->elem_bytes);
    if (!b->width || !b->height || !b->count)
        spe_error_(m, SPE_ERR_RANGE, "%u blocks of %u x %u elements", b->count, b->height, b->width);
    if (!spe_check_(m, name, "xxxxx", b->mem_width, b->mem_height, b->pitch, b->pos_x, b->pos_y)) return;
    for (n = 0; n < 4; n++) w[n] = spe_u32(m, w[n]);
    if (store) w[n++] = private_ptr;
    w[n++] = b->ptr;
    w[n++] = b->mem_width;
    w[n++] = b->mem_height;
    w[n++] = b->pitch;
    w[n++] = spe_construct(m, spe_vec(m, spe_int(m, 32), 2), 2, xy);
    if (!prefetch && !store) w[n++] = private_ptr;
    spe_emit_(m, op, 0, n, w);
}
#define SPE_BLOCK_(name, op, ptr, ...)                                                                                 \
    void name(spe_module *m, __VA_ARGS__)                                                                              \
    {                                                                                                                  \
        SPE_DO_WITHIN_(m, spe_block2d_(m, #name, SPE_OpSubgroup2DBlock##op##INTEL, b, ptr));                           \
    }
SPE_BLOCK_(spe_block2d_load, Load, ptr, const spe_block2d *b, spe_id ptr)
SPE_BLOCK_(spe_block2d_load_transform, LoadTransform, ptr, const spe_block2d *b, spe_id ptr)
SPE_BLOCK_(spe_block2d_load_transpose, LoadTranspose, ptr, const spe_block2d *b, spe_id ptr)
SPE_BLOCK_(spe_block2d_store, Store, ptr, const spe_block2d *b, spe_id ptr)
SPE_BLOCK_(spe_block2d_prefetch, Prefetch, 0, const spe_block2d *b)

#define SPE_CACHE_(name, decoration)                                                                                   \
    void name(spe_module *m, spe_id ptr, uint32_t level, uint32_t control)                                             \
    {                                                                                                                  \
        uint32_t w[] = {level, control};                                                                               \
        if (spe_check_(m, #name, "p", ptr))                                                                            \
            SPE_DO_WITHIN_(m, spe_decorate(m, ptr, SPE_Decoration##decoration, 2, w));                                 \
    }
SPE_CACHE_(spe_cache_load, CacheControlLoadINTEL)
SPE_CACHE_(spe_cache_store, CacheControlStoreINTEL)

spe_id spe_coop_mma(spe_module *m, spe_id a, spe_id b, spe_id c, uint32_t operands)
{
    uint32_t w[] = {a, b, c, operands};
    if (!spe_check_(m, __func__, "mmm", c, a, b)) return 0;
    if (!spe_has_bits_(m, SPE_OpCooperativeMatrixMulAddKHR, operands)) return 0;
    const spe_type_info *x = spe_info_(m, spe_type_of(m, a));
    const spe_type_info *y = spe_info_(m, spe_type_of(m, b));
    const spe_type_info *z = spe_info_(m, spe_type_of(m, c));
    if (x->use != SPE_CooperativeMatrixUseMatrixAKHR || y->use != SPE_CooperativeMatrixUseMatrixBKHR ||
        z->use != SPE_CooperativeMatrixUseMatrixAccumulatorKHR || x->cols != y->rows || x->rows != z->rows ||
        y->cols != z->cols)
        return SPE_ERROR_(m, TYPE, "a %u x %u (use %u), b %u x %u (use %u) and c %u x %u (use %u) do not multiply",
                          x->rows, x->cols, x->use, y->rows, y->cols, y->use, z->rows, z->cols, z->use);
    return spe_emit_(m, SPE_OpCooperativeMatrixMulAddKHR, spe_type_of(m, c), operands ? 4 : 3, w);
}

spe_id spe_coopvec_mul(spe_module *m, spe_id type, const spe_coopvec_product *p)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    if (!t) return 0;
    if (t->count != p->rows) return SPE_ERROR_(m, TYPE, "a result of %u components from %u rows", t->count, p->rows);
    if (p->operands && !p->stride) return SPE_ERROR_(m, NO_VALUE, "operands without a stride");
    if (p->bias) {
        uint32_t w[] = {p->input, p->input_type, p->matrix, p->offset, p->matrix_type, p->bias, p->bias_offset,
                        p->bias_type, p->rows, p->cols, p->layout, p->transpose, p->stride, p->operands, type};
        return spe_instruction_(m, __func__, SPE_OpCooperativeVectorMatrixMulAddNV, "wkpIkpIkkkkTo?C:t", w);
    } else {
        uint32_t w[] = {p->input, p->input_type, p->matrix, p->offset, p->matrix_type, p->rows, p->cols, p->layout,
                        p->transpose, p->stride, p->operands, type};
        return spe_instruction_(m, __func__, SPE_OpCooperativeVectorMatrixMulNV, "wkpIkkkkTo?C:t", w);
    }
}

void spe_coopvec_outer_accumulate(spe_module *m, spe_id ptr, spe_id offset, spe_id a, spe_id b, uint32_t layout,
                                  uint32_t matrix_type, spe_id stride)
{
    uint32_t w[] = {ptr, offset, a, b, layout, matrix_type, stride};
    if (!spe_check_(m, __func__, "cIww", ptr, offset, a, b)) return;
    if (spe_scalar_of(m, spe_type_of(m, a)) != spe_scalar_of(m, spe_type_of(m, b)))
        spe_disagree_(m, spe_type_of(m, a), spe_type_of(m, b));
    spe_instruction_(m, __func__, SPE_OpCooperativeVectorOuterProductAccumulateNV, "cIwwkko:-", w);
}
