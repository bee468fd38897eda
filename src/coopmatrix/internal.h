/* internal.h - declarations shared by the bodies of coopmatrix.h only. */
#define XETILE_SEPARATE_
#include "../coopmatrix.h"

#ifndef CM_LAYOUT_ONLY


/* Records error CM_ERROR_<id> with a printf text, and returns false; the next one returns a poison matrix. */
#define CM_FAIL_(c, id, ...) (spe_fail((c)->module, CM_ERROR_##id, "CM_ERROR_" #id, __VA_ARGS__), spe_ok((c)->module))
#define CM_POISON_(c, id, ...) (spe_fail((c)->module, CM_ERROR_##id, "CM_ERROR_" #id, __VA_ARGS__), cm_poison())

/* The accumulation type of sums: f32 for floats below 64 bits, i32 for integers below 32. */
#define CM_SUM_(T)                                                                                                     \
    (((T) > CM_F64 && (T) <= CM_E5M2) || (T) >= CM_E2M1 ? CM_F32 : CM_BYTES(T) < 4 ? CM_I32 : (T))

typedef struct {
    int block, first, words;
} cm_span_;

/* The cm_mem of a real matrix or of one half, with defaults filled in; for a transposed matrix, extents and strides are
 * swapped. Strides are never 0. */
typedef struct {
    spe_id ptr, rows, cols, row, col, down, right; /* down: stride_row, right: stride_col */
    spe_id padding;
    bool zero_padding;
    uint32_t storage, align, band; /* storage: class of ptr */
    cm_block2d block2d;
    cm_border border;
} cm_surface_;
enum { CM_WHOLE_ = -1 };

/* A row of the matrix in this lane: the address of its element in column 0 of the memory. A column: its distance in
 * elements. inside: the bounds check's result, 0 without a check; or mask: the same as all bits of an i32, or
 * none, and then a column's distance is in bytes. If it fails, both are those of position 0, which is safe to read. */
typedef struct {
    spe_id at, inside, mask;
} cm_axis_;

/* The rows (for each k1, k2) and columns (for each word and channel of a block) that a lane accesses. */
typedef struct {
    cm_axis_ *row, *col;
} cm_axes_;

/* The input of a product method: D = A B + C, with C and D in the accumulation type. */
typedef struct {
    const cm_product *row;
    const cm_matrix *a, *b;
    cm_matrix acc; /* C going in, D coming out; its part array belongs to the method */
} cm_job_;

/* dot_products.c: a method, given the components of A and B, that only modules for Vulkan need: programs that include
 * nothing of Vulkan compile without it. False where it is not for this product. */
typedef bool cm_method_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b);

#if defined(XETILE_STATIC_) && !defined(__cplusplus) /* a tentative definition: NULL unless dot_products.c follows */
static cm_method_ *const cm_vulkan_here_;
#define CM_VULKAN_METHOD_ cm_vulkan_here_
#else
XETILE_PRIVATE cm_method_ *cm_vulkan_(void);
#define CM_VULKAN_METHOD_ cm_vulkan_()
#endif
#endif

#include "prototypes.h"
