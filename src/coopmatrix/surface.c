/* surface.c - the memory of a matrix: checks and defaults. */
#include "internal.h"

XE_FN_ bool cm_constant_(const cm_ctx *c, spe_id id, int64_t *value)
{
    uint64_t bits = 0;
    if (!id || !spe_const_bits(c->module, id, &bits)) return false;
    *value = (int32_t)(uint32_t)bits;
    return true;
}

XE_FN_ bool cm_is_constant_(const cm_ctx *c, spe_id id, int64_t want)
{
    int64_t value = 0;
    return cm_constant_(c, id, &value) && value == want;
}

/* Checks the types of pointer, padding, positions, extents and strides. */
static bool cm_check_mem_(cm_ctx *c, cm_type type, const cm_mem *mem)
{
    static const char *const names[] = {"rows", "cols", "row", "col", "stride_row", "stride_col"};
    const spe_id numbers[] = {mem->rows, mem->cols, mem->row, mem->col, mem->stride_row, mem->stride_col};
    spe_type_info pointer = spe_info(c->module, spe_type_of(c->module, mem->ptr));
    spe_id storage = cm_storage_type(c, type);
    if (!spe_ok(c->module)) return false;
    if (pointer.kind != SPE_KIND_POINTER || pointer.elem != storage)
        return CM_FAIL_(c, POINTER, "cm_mem.ptr is not a pointer to the storage type of %s", cm_name_(type));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i] && spe_type_of(c->module, numbers[i]) != spe_int(c->module, 32))
            return CM_FAIL_(c, POSITION, "cm_mem.%s is not a 32-bit integer", names[i]);
    if (mem->padding && spe_type_of(c->module, mem->padding) != storage)
        return CM_FAIL_(c, SCALAR, "cm_mem.padding is not of the storage type of %s", cm_name_(type));
    if (!mem->stride_col && !mem->rows)
        return CM_FAIL_(c, POSITION, "cm_mem.stride_col may be 0 only when rows is given");
    return true;
}

/* half: 0 or 1 for the halves of a complex matrix, which are every second element; 0 for real ones; CM_WHOLE_ for
 * memory of any type that is not accessed by halves. The padding is a real number. */
XE_FN_ bool cm_surface_init_(cm_ctx *c, cm_surface_ *s, cm_type type, const cm_mem *mem, int half)
{
    int step = half == CM_WHOLE_ ? 1 : cm_halves_(type);
    uint64_t bits = 0;
    memset(s, 0, sizeof *s);
    if (!cm_check_mem_(c, type, mem)) return false;
    spe_id padding = half == 1 ? 0 : mem->padding;
    s->ptr = half == 1 ? spe_index(c->module, mem->ptr, spe_u64(c->module, 1)) : mem->ptr;
    s->storage = spe_info(c->module, spe_type_of(c->module, mem->ptr)).storage;
    s->row = mem->row ? mem->row : cm_i32_(c, 0);
    s->col = mem->col ? mem->col : cm_i32_(c, 0);
    spe_id down = mem->stride_row ? cm_times_(c, mem->stride_row, step) : cm_i32_(c, step);
    spe_id right = cm_times_(c, mem->stride_col ? mem->stride_col : mem->rows, step);
    s->padding = padding ? padding : spe_null(c->module, cm_storage_type(c, type));
    s->zero_padding = !padding || (spe_const_bits(c->module, padding, &bits) && bits == 0);
    s->rows = mem->transposed ? mem->cols : mem->rows;
    s->cols = mem->transposed ? mem->rows : mem->cols;
    s->down = mem->transposed ? right : down;
    s->right = mem->transposed ? down : right;
    s->block2d = cm_is_complex(type) || mem->border ? CM_BLOCK2D_NO : mem->block2d;
    s->border = mem->border;
    s->align = mem->align;
    s->band = mem->band;
    return true;
}
