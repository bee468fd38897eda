/* matrix.c - Matrix hardware: 2D blocks, cache control, products of cooperative matrices and vectors. */
#include "internal.h"

static void spe_block2d_(spe_module *m, const char *name, uint32_t op, const spe_block2d *b, spe_id private_ptr)
{
    uint32_t w[10], n = 0;
    spe_id xy[2] = {b->x, b->y};
    bool prefetch = op == SPE_OpSubgroup2DBlockPrefetchINTEL, store = op == SPE_OpSubgroup2DBlockStoreINTEL;
    if (!spe_check_(m, name, prefetch ? "p" : "pp", b->ptr, private_ptr)) return;
    if (b->elem_bytes != 1 && b->elem_bytes != 2 && b->elem_bytes != 4 && b->elem_bytes != 8)
        spe_error_(m, SPE_ERR_RANGE, "elements of %u bytes; there are 1, 2, 4 and 8", b->elem_bytes);
    if (!b->width || !b->height || !b->count)
        spe_error_(m, SPE_ERR_RANGE, "%u blocks of %u x %u elements", b->count, b->height, b->width);
    if (!spe_check_(m, name, "xxxxx", b->mem_width, b->mem_height, b->pitch, b->x, b->y)) return;
    w[n++] = spe_u32(m, b->elem_bytes);
    w[n++] = spe_u32(m, b->width);
    w[n++] = spe_u32(m, b->height);
    w[n++] = spe_u32(m, b->count);
    if (store) w[n++] = private_ptr;
    w[n++] = b->ptr;
    w[n++] = b->mem_width;
    w[n++] = b->mem_height;
    w[n++] = b->pitch;
    w[n++] = spe_construct(m, spe_vec(m, spe_int(m, 32), 2), 2, xy);
    if (!prefetch && !store) w[n++] = private_ptr;
    spe_emit_(m, op, 0, n, w);
}
void spe_block2d_load(spe_module *m, const spe_block2d *b, spe_id dst_ptr)
{
    spe_block2d_(m, __func__, SPE_OpSubgroup2DBlockLoadINTEL, b, dst_ptr);
}
void spe_block2d_load_transform(spe_module *m, const spe_block2d *b, spe_id dst_ptr)
{
    spe_block2d_(m, __func__, SPE_OpSubgroup2DBlockLoadTransformINTEL, b, dst_ptr);
}
void spe_block2d_load_transpose(spe_module *m, const spe_block2d *b, spe_id dst_ptr)
{
    spe_block2d_(m, __func__, SPE_OpSubgroup2DBlockLoadTransposeINTEL, b, dst_ptr);
}
void spe_block2d_prefetch(spe_module *m, const spe_block2d *b)
{
    spe_block2d_(m, __func__, SPE_OpSubgroup2DBlockPrefetchINTEL, b, 0);
}
void spe_block2d_store(spe_module *m, const spe_block2d *b, spe_id src_ptr)
{
    spe_block2d_(m, __func__, SPE_OpSubgroup2DBlockStoreINTEL, b, src_ptr);
}

void spe_cache_load(spe_module *m, spe_id ptr, uint32_t level, uint32_t control)
{
    uint32_t w[] = {level, control};
    if (spe_check_(m, __func__, "p", ptr)) spe_decorate(m, ptr, SPE_DecorationCacheControlLoadINTEL, 2, w);
}
void spe_cache_store(spe_module *m, spe_id ptr, uint32_t level, uint32_t control)
{
    uint32_t w[] = {level, control};
    if (spe_check_(m, __func__, "p", ptr)) spe_decorate(m, ptr, SPE_DecorationCacheControlStoreINTEL, 2, w);
}

spe_id spe_coop_mma(spe_module *m, spe_id a, spe_id b, spe_id c, uint32_t operands)
{
    uint32_t w[] = {a, b, c, operands};
    const spe_type_info *x, *y, *z;
    if (!spe_check_(m, __func__, "mmm", c, a, b)) return 0;
    x = spe_info_(m, spe_type_of(m, a));
    y = spe_info_(m, spe_type_of(m, b));
    z = spe_info_(m, spe_type_of(m, c));
    if (x->use != SPE_CooperativeMatrixUseMatrixAKHR || y->use != SPE_CooperativeMatrixUseMatrixBKHR ||
        z->use != SPE_CooperativeMatrixUseMatrixAccumulatorKHR || x->cols != y->rows || x->rows != z->rows ||
        y->cols != z->cols)
        return SPE_ERROR_(m, TYPE, "a %u x %u (use %u), b %u x %u (use %u) and c %u x %u (use %u) do not multiply",
                          x->rows, x->cols, x->use, y->rows, y->cols, y->use, z->rows, z->cols, z->use);
    return spe_emit_(m, SPE_OpCooperativeMatrixMulAddKHR, spe_type_of(m, c), operands ? 4 : 3, w);
}

spe_id spe_coopvec_mul(spe_module *m, spe_id type, const spe_coopvec_product *p)
{
    uint32_t op = p->bias ? SPE_OpCooperativeVectorMatrixMulAddNV : SPE_OpCooperativeVectorMatrixMulNV, n = 0, w[15];
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    if (!t) return 0;
    if (t->count != p->rows) return SPE_ERROR_(m, TYPE, "a result of %u components from %u rows", t->count, p->rows);
    if (p->operands && !p->stride) return SPE_ERROR_(m, NO_VALUE, "operands without a stride");
    w[n++] = p->input;
    w[n++] = p->input_type;
    w[n++] = p->matrix;
    w[n++] = p->offset;
    w[n++] = p->matrix_type;
    if (p->bias) {
        w[n++] = p->bias;
        w[n++] = p->bias_offset;
        w[n++] = p->bias_type;
    }
    w[n++] = p->rows;
    w[n++] = p->cols;
    w[n++] = p->layout;
    w[n++] = p->transpose;
    w[n++] = p->stride;
    w[n++] = p->operands;
    w[n++] = type;
    return spe_instruction_(m, __func__, op, p->bias ? "wkpIkpIkkkkTo?C:t" : "wkpIkkkkTo?C:t", w);
}
