/* internal.h - what the bodies of coopmatrix.h share with each other and with nobody else. */
#define XETILE_SEPARATE_
#include "../coopmatrix.h"

XETILE_PRIVATE bool cm_power_of_two_(int n);

#ifndef CM_LAYOUT_ONLY

#define CM_TARGET_NAMES_ "pvc, bmg, lnl, ptl, dg2, generic and soft"

XETILE_PRIVATE SPE_PRINTF(3, 4) spe_id cm_fail_(cm_ctx *c, int id, const char *format, ...);

XETILE_PRIVATE bool cm_is_poison_(const cm_ctx *c, const cm_matrix *a);
XETILE_PRIVATE cm_type cm_product_acc_(const cm_product *row, cm_type c);
XETILE_PRIVATE int cm_dpas_depth_(int bytes);
XETILE_PRIVATE int cm_channels_(const cm_layout *l);
XETILE_PRIVATE int cm_block_words_(const cm_layout *l);
XETILE_PRIVATE int cm_word_bits_(const cm_layout *l);
XETILE_PRIVATE spe_id cm_word_type_(cm_ctx *c, const cm_layout *l);
XETILE_PRIVATE bool cm_opaque_(cm_ctx *c, const char *what);
XETILE_PRIVATE cm_matrix cm_new_(cm_ctx *c, const cm_layout *l);
XETILE_PRIVATE bool cm_same_layout_(const cm_layout *a, const cm_layout *b);
XETILE_PRIVATE cm_matrix cm_half_(cm_ctx *c, const cm_matrix *a, int which);
XETILE_PRIVATE int cm_group_(const cm_layout *l, int words);
XETILE_PRIVATE spe_id cm_slice_(cm_ctx *c, spe_id v, int first, int count);
XETILE_PRIVATE spe_id cm_join_(cm_ctx *c, spe_id elem, const spe_id *piece, int n, int each);
XETILE_PRIVATE spe_id cm_unpack_(cm_ctx *c, const cm_layout *l, spe_id part, int first, int words);
XETILE_PRIVATE spe_id cm_pack_(cm_ctx *c, const cm_layout *l, spe_id components, int words);
XETILE_PRIVATE spe_id cm_convert_vector_(cm_ctx *c, cm_type from, cm_type to, spe_id v);
XETILE_PRIVATE cm_matrix cm_map_(cm_ctx *c, const cm_layout *l, const cm_matrix *a, const cm_matrix *b, cm_fn fn,
                                 void *user);
XETILE_PRIVATE int cm_kind_column_(cm_type type);
XETILE_PRIVATE spe_id cm_apply_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user);
XETILE_PRIVATE spe_id cm_i32_(cm_ctx *c, int v);
XETILE_PRIVATE spe_id cm_times_(cm_ctx *c, spe_id v, int factor);
XETILE_PRIVATE spe_id cm_plus_(cm_ctx *c, spe_id v, int n);
XETILE_PRIVATE spe_id cm_mod_(cm_ctx *c, spe_id v, int n);
XETILE_PRIVATE spe_id cm_shr_(cm_ctx *c, spe_id v, int divisor);
XETILE_PRIVATE spe_id cm_shr_signed_(cm_ctx *c, spe_id v, int divisor) /* rounds down */;
XETILE_PRIVATE cm_lane cm_lane_(cm_ctx *c, const cm_layout *l);
XETILE_PRIVATE cm_element cm_first_element_(const cm_layout *l, int v);
XETILE_PRIVATE void cm_axes_of_(const cm_layout *l, int v, int *row, int *col);
XETILE_PRIVATE cm_matrix cm_relayout_(cm_ctx *c, const cm_matrix *a, const cm_layout *to, bool transposed);

/* cm_mem with the defaults filled in and, for a transposed matrix, extents and strides swapped. Strides are never 0. */
typedef struct {
    spe_id ptr, rows, cols, row, col, down, right; /* down: stride_row, right: stride_col */
    spe_id padding;
    bool zero_padding;
    uint32_t storage; /* class of ptr */
} cm_surface_;

XETILE_PRIVATE bool cm_constant_(const cm_ctx *c, spe_id id, int64_t *value);
XETILE_PRIVATE bool cm_is_constant_(const cm_ctx *c, spe_id id, int64_t want);
XETILE_PRIVATE bool cm_check_i32_(cm_ctx *c, const char *what, spe_id id);
XETILE_PRIVATE bool cm_surface_init_(cm_ctx *c, cm_surface_ *s, cm_type type, const cm_mem *mem);
XETILE_PRIVATE bool cm_block2d_wanted_(cm_ctx *c, cm_type type, const cm_mem *mem, const cm_surface_ *s,
                                       spe_block2d *b, bool *transposed);
XETILE_PRIVATE bool cm_load_block2d_(cm_ctx *c, const cm_layout *l, const cm_mem *mem, const cm_surface_ *s,
                                     cm_matrix *out);
XETILE_PRIVATE bool cm_store_block2d_(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, const cm_surface_ *s);
XETILE_PRIVATE bool cm_prefetch_block2d_(cm_ctx *c, cm_type type, int across, int down, const spe_block2d *surface);
XETILE_PRIVATE spe_id cm_and_(cm_ctx *c, spe_id a, spe_id b);

/* A row of the matrix in this lane: the address of its element in column 0 of the memory. A column: how many elements
 * further. inside: whether a test says so, 0 when there is no test. Outside, both are those of position 0, which is
 * safe to read. */
typedef struct {
    spe_id at, inside;
} cm_axis_;

/* The rows (one for each k1, k2) and columns (one for each word and channel of a block) that a lane accesses. */
typedef struct {
    cm_axis_ *row, *col;
    int rows, cols;
} cm_axes_;

XETILE_PRIVATE spe_id cm_distance_(cm_ctx *c, spe_id at, spe_id stride);
XETILE_PRIVATE bool cm_axes_init_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, cm_axes_ *a);
XETILE_PRIVATE spe_id cm_inside_(cm_ctx *c, const cm_layout *l, const cm_axes_ *axes, int v, int n);
XETILE_PRIVATE bool cm_load_lanes_(cm_ctx *c, const cm_layout *l, const cm_mem *mem, const cm_surface_ *s,
                                   cm_matrix *out);
XETILE_PRIVATE bool cm_store_lanes_(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, const cm_surface_ *s);
XETILE_PRIVATE cm_mem cm_half_mem_(cm_ctx *c, cm_type type, const cm_mem *mem, int which);
XETILE_PRIVATE bool cm_load_khr_(cm_ctx *c, const cm_layout *l, const cm_mem *mem, const cm_surface_ *s,
                                 cm_matrix *out);
XETILE_PRIVATE bool cm_store_khr_(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, const cm_surface_ *s);
XETILE_PRIVATE bool cm_local_(cm_ctx *c, const cm_layout *l, const cm_mem *mem, const cm_surface_ *s, cm_matrix *out,
                              bool store);

/* What a product method gets: D = A B + C, all of C and D in the type that is accumulated in. */
typedef struct {
    const cm_product *row;
    const cm_matrix *a, *b;
    cm_matrix acc; /* C going in, D coming out; its part array is the method's own */
} cm_job_;

typedef struct {
    bool (*load)(cm_ctx *, const cm_layout *, const cm_mem *, const cm_surface_ *, cm_matrix *);
    bool (*store)(cm_ctx *, const cm_matrix *, const cm_mem *, const cm_surface_ *);
    bool (*prefetch)(cm_ctx *, cm_type, int, int, const spe_block2d *);
    bool (*mul_add)(cm_ctx *, cm_job_ *);
} cm_methods_;


#endif
