/* matrix.c - Matrix hardware, 2D blocks, cache control. */
#include "internal.h"

spe_id spe_dpas(spe_module *m, spe_id result_type, uint32_t k_dim, spe_id a, spe_id b, spe_id c, uint32_t operands)
{
    spe_id tc = spe_operand_(m, "spe_dpas", c);
    uint32_t w[5];
    if (!tc || !spe_operand_(m, "spe_dpas", a) || !spe_operand_(m, "spe_dpas", b)) return 0;
    if (!spe_want_type_(m, "spe_dpas", result_type)) return 0;
    if (spe_count(m, tc) != spe_count(m, result_type)) return spe_disagree_(m, "spe_dpas", result_type, tc);
    w[0] = spe_u32(m, k_dim);
    w[1] = a;
    w[2] = b;
    w[3] = c;
    w[4] = operands;
    return spe_emit_(m, SPE_OpSubgroupMatrixMultiplyAccumulateINTEL, result_type, operands ? 5 : 4, w);
}

static void spe_block2d_(spe_module *m, const char *fn, uint32_t op, const spe_block2d *b, spe_id private_ptr)
{
    uint32_t w[10], n = 0, i;
    spe_id i32 = spe_int(m, 32), xy[2], values[5];
    bool store = op == SPE_OpSubgroup2DBlockStoreINTEL;
    if (!spe_pointee_(m, fn, b->ptr) || (private_ptr && !spe_pointee_(m, fn, private_ptr))) return;
    if (b->elem_bytes != 1 && b->elem_bytes != 2 && b->elem_bytes != 4 && b->elem_bytes != 8) {
        spe_error_(m, SPE_ERR_RANGE, "%s: elements of %u bytes; there are 1, 2, 4 and 8", fn, b->elem_bytes);
        return;
    }
    if (!b->width || !b->height || !b->count) {
        spe_error_(m, SPE_ERR_RANGE, "%s: %u blocks of %u x %u elements", fn, b->count, b->height, b->width);
        return;
    }
    values[0] = b->mem_width;
    values[1] = b->mem_height;
    values[2] = b->pitch;
    values[3] = xy[0] = b->x;
    values[4] = xy[1] = b->y;
    for (i = 0; i < 5; i++) {
        spe_id t = spe_operand_(m, fn, values[i]);
        if (!t) return;
        if (t != i32) {
            spe_disagree_(m, fn, i32, t);
            return;
        }
    }
    w[n++] = spe_u32(m, b->elem_bytes);
    w[n++] = spe_u32(m, b->width);
    w[n++] = spe_u32(m, b->height);
    w[n++] = spe_u32(m, b->count);
    if (store) w[n++] = private_ptr;
    w[n++] = b->ptr;
    for (i = 0; i < 3; i++) w[n++] = values[i];
    w[n++] = spe_construct(m, spe_vec(m, i32, 2), 2, xy);
    if (private_ptr && !store) w[n++] = private_ptr;
    spe_emit_(m, op, 0, n, w);
}

void spe_block2d_load(spe_module *m, const spe_block2d *b, spe_id dst_ptr)
{
    if (spe_operand_(m, "spe_block2d_load", dst_ptr))
        spe_block2d_(m, "spe_block2d_load", SPE_OpSubgroup2DBlockLoadINTEL, b, dst_ptr);
}
void spe_block2d_load_transform(spe_module *m, const spe_block2d *b, spe_id dst_ptr)
{
    if (spe_operand_(m, "spe_block2d_load_transform", dst_ptr))
        spe_block2d_(m, "spe_block2d_load_transform", SPE_OpSubgroup2DBlockLoadTransformINTEL, b, dst_ptr);
}
void spe_block2d_load_transpose(spe_module *m, const spe_block2d *b, spe_id dst_ptr)
{
    if (spe_operand_(m, "spe_block2d_load_transpose", dst_ptr))
        spe_block2d_(m, "spe_block2d_load_transpose", SPE_OpSubgroup2DBlockLoadTransposeINTEL, b, dst_ptr);
}
void spe_block2d_prefetch(spe_module *m, const spe_block2d *b)
{
    spe_block2d_(m, "spe_block2d_prefetch", SPE_OpSubgroup2DBlockPrefetchINTEL, b, 0);
}
void spe_block2d_store(spe_module *m, const spe_block2d *b, spe_id src_ptr)
{
    if (spe_operand_(m, "spe_block2d_store", src_ptr))
        spe_block2d_(m, "spe_block2d_store", SPE_OpSubgroup2DBlockStoreINTEL, b, src_ptr);
}

void spe_cache_load(spe_module *m, spe_id ptr, uint32_t level, uint32_t control)
{
    uint32_t w[2];
    w[0] = level;
    w[1] = control;
    if (spe_pointee_(m, "spe_cache_load", ptr)) spe_decorate(m, ptr, SPE_DecorationCacheControlLoadINTEL, 2, w);
}
void spe_cache_store(spe_module *m, spe_id ptr, uint32_t level, uint32_t control)
{
    uint32_t w[2];
    w[0] = level;
    w[1] = control;
    if (spe_pointee_(m, "spe_cache_store", ptr)) spe_decorate(m, ptr, SPE_DecorationCacheControlStoreINTEL, 2, w);
}

spe_id spe_copy(spe_module *m, spe_id v)
{
    spe_id type = spe_operand_(m, "spe_copy", v);
    return type ? spe_emit_(m, SPE_OpCopyObject, type, 1, &v) : 0;
}

void spe_prefetch(spe_module *m, spe_id ptr, spe_id n)
{
    spe_id tn = spe_operand_(m, "spe_prefetch", n), args[2];
    if (!tn || !spe_pointee_(m, "spe_prefetch", ptr)) return;
    args[0] = ptr;
    args[1] = spe_uconvert(m, spe_int(m, 64), n);
    if (args[1]) spe_ext(m, spe_void(m), 185, 2, args);
}
void spe_sg_prefetch(spe_module *m, spe_id ptr, spe_id bytes)
{
    spe_id tb = spe_operand_(m, "spe_sg_prefetch", bytes);
    uint32_t w[2];
    if (!tb || !spe_takes_one_(m, "spe_sg_prefetch", SPE_TAKES_INT_, tb) || !spe_pointee_(m, "spe_sg_prefetch", ptr))
        return;
    w[0] = ptr;
    w[1] = bytes;
    spe_emit_(m, SPE_OpSubgroupBlockPrefetchINTEL, 0, 2, w);
}

/* -- cooperative matrices (SPV_KHR_cooperative_matrix) ----------------------------------------------------------- */

static const spe_type_info *spe_want_coop_(spe_module *m, const char *fn, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, fn, type);
    char text[80];
    if (t && t->kind != SPE_KIND_COOPMAT)
        return spe_error_(m, SPE_ERR_TYPE, "%s: %s is no cooperative matrix", fn,
                          spe_type_text(m, type, text, sizeof text)),
               (const spe_type_info *)NULL;
    return t;
}

spe_id spe_coop_load(spe_module *m, spe_id type, spe_id ptr, uint32_t layout, spe_id stride)
{
    spe_id ts = spe_operand_(m, "spe_coop_load", stride);
    uint32_t w[3];
    if (!ts || !spe_want_coop_(m, "spe_coop_load", type) || !spe_takes_one_(m, "spe_coop_load", SPE_TAKES_INT_, ts))
        return 0;
    if (!spe_pointee_(m, "spe_coop_load", ptr)) return 0;
    w[0] = ptr;
    w[1] = spe_u32(m, layout);
    w[2] = stride;
    return spe_emit_(m, SPE_OpCooperativeMatrixLoadKHR, type, 3, w);
}
void spe_coop_store(spe_module *m, spe_id ptr, spe_id v, uint32_t layout, spe_id stride)
{
    spe_id tv = spe_operand_(m, "spe_coop_store", v), ts = spe_operand_(m, "spe_coop_store", stride);
    uint32_t w[4];
    if (!tv || !ts || !spe_want_coop_(m, "spe_coop_store", tv) ||
        !spe_takes_one_(m, "spe_coop_store", SPE_TAKES_INT_, ts))
        return;
    if (!spe_pointee_(m, "spe_coop_store", ptr)) return;
    w[0] = ptr;
    w[1] = v;
    w[2] = spe_u32(m, layout);
    w[3] = stride;
    spe_emit_(m, SPE_OpCooperativeMatrixStoreKHR, 0, 4, w);
}
spe_id spe_coop_mma(spe_module *m, spe_id a, spe_id b, spe_id c, uint32_t operands)
{
    spe_id ta = spe_operand_(m, "spe_coop_mma", a), tb = spe_operand_(m, "spe_coop_mma", b);
    spe_id tc = spe_operand_(m, "spe_coop_mma", c);
    const spe_type_info *x, *y, *z;
    uint32_t w[4];
    if (!ta || !tb || !tc) return 0;
    x = spe_want_coop_(m, "spe_coop_mma", ta);
    y = spe_want_coop_(m, "spe_coop_mma", tb);
    z = spe_want_coop_(m, "spe_coop_mma", tc);
    if (!x || !y || !z) return 0;
    if (x->use != SPE_CooperativeMatrixUseMatrixAKHR || y->use != SPE_CooperativeMatrixUseMatrixBKHR ||
        z->use != SPE_CooperativeMatrixUseMatrixAccumulatorKHR || x->cols != y->rows || x->rows != z->rows ||
        y->cols != z->cols)
        return spe_error_(m, SPE_ERR_TYPE,
                          "spe_coop_mma: a %u x %u (use %u), b %u x %u (use %u) and c %u x %u (use %u) do "
                          "not multiply",
                          x->rows, x->cols, x->use, y->rows, y->cols, y->use, z->rows, z->cols, z->use);
    w[0] = a;
    w[1] = b;
    w[2] = c;
    w[3] = operands;
    return spe_emit_(m, SPE_OpCooperativeMatrixMulAddKHR, tc, operands ? 4 : 3, w);
}
spe_id spe_coop_length(spe_module *m, spe_id type)
{
    if (!spe_want_coop_(m, "spe_coop_length", type)) return 0;
    return spe_emit_(m, SPE_OpCooperativeMatrixLengthKHR, spe_int(m, 32), 1, &type);
}
