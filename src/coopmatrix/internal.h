/* internal.h - declarations shared by the bodies of coopmatrix.h only. */
#define XETILE_SEPARATE_
#include "../coopmatrix.h"

XETILE_PRIVATE bool cm_power_of_two_(int n);

#ifndef CM_LAYOUT_ONLY

#define CM_TARGET_NAMES_ "pvc, bmg, lnl, ptl, dg2, generic and soft"

/* Records error CM_ERROR_<id> with a printf text, and returns false; the next one returns a poison matrix. */
#define CM_FAIL_(c, id, ...) (spe_fail((c)->module, CM_ERROR_##id, "CM_ERROR_" #id, __VA_ARGS__), spe_ok((c)->module))
#define CM_POISON_(c, id, ...) (spe_fail((c)->module, CM_ERROR_##id, "CM_ERROR_" #id, __VA_ARGS__), cm_poison())

/* The accumulation type of sums: f32 for floats below 64 bits, i32 for integers below 32. */
#define CM_SUM_(T) ((T) > CM_F64 && (T) <= CM_E5M2 ? CM_F32 : CM_BYTES(T) < 4 ? CM_I32 : (T))

/* ---- matrix.c */
XETILE_PRIVATE int cm_dpas_depth_(cm_type type);
XETILE_PRIVATE int cm_channels_(const cm_layout *l);
XETILE_PRIVATE int cm_block_words_(const cm_layout *l);
XETILE_PRIVATE int cm_word_bits_(const cm_layout *l);

typedef struct {
    int block, first, words;
} cm_span_;

XETILE_PRIVATE cm_span_ cm_span_of_(const cm_layout *l, int part);
XETILE_PRIVATE const char *cm_name_(cm_type type);
XETILE_PRIVATE spe_id cm_vec_(cm_ctx *c, spe_id elem, int n);
XETILE_PRIVATE spe_id cm_word_type_(cm_ctx *c, const cm_layout *l);
XETILE_PRIVATE bool cm_is_poison_(const cm_ctx *c, const cm_matrix *a);
XETILE_PRIVATE spe_id *cm_ids_(cm_ctx *c, int n);
XETILE_PRIVATE bool cm_opaque_(cm_ctx *c, const char *what);
XETILE_PRIVATE cm_matrix cm_new_(cm_ctx *c, const cm_layout *l);
XETILE_PRIVATE bool cm_alike_(cm_ctx *c, const cm_matrix *a, const cm_matrix *b);
XETILE_PRIVATE int cm_halves_(cm_type type);
XETILE_PRIVATE cm_type cm_half_type_(cm_type type);
XETILE_PRIVATE cm_matrix cm_half_(const cm_matrix *a, int which);
XETILE_PRIVATE cm_matrix cm_of_halves_(cm_ctx *c, cm_type type, const cm_matrix half[2]);
XETILE_PRIVATE int cm_group_(const cm_layout *l, int words);
XETILE_PRIVATE spe_id cm_copies_(cm_ctx *c, spe_id scalar, int n);
XETILE_PRIVATE spe_id cm_slice_(cm_ctx *c, spe_id v, int first, int count);
XETILE_PRIVATE spe_id cm_join_(cm_ctx *c, spe_id elem, const spe_id *piece, int n, int each);
XETILE_PRIVATE spe_id cm_unpack_(cm_ctx *c, const cm_layout *l, spe_id part, int first, int words);
XETILE_PRIVATE spe_id cm_pack_(cm_ctx *c, const cm_layout *l, spe_id components, int words);
XETILE_PRIVATE spe_id cm_i32_(cm_ctx *c, int v);
XETILE_PRIVATE spe_id cm_times_(cm_ctx *c, spe_id v, int factor);
XETILE_PRIVATE spe_id cm_plus_(cm_ctx *c, spe_id v, int n);
XETILE_PRIVATE spe_id cm_mod_(cm_ctx *c, spe_id v, int n);
XETILE_PRIVATE spe_id cm_shr_(cm_ctx *c, spe_id v, int n);
XETILE_PRIVATE spe_id cm_shr_signed_(cm_ctx *c, spe_id v, int n);
XETILE_PRIVATE cm_lane cm_lane_(cm_ctx *c, const cm_layout *l);
XETILE_PRIVATE int cm_number_of_(const cm_layout *l, cm_slot s);
XETILE_PRIVATE cm_element cm_element_at_(const cm_layout *l, int lane, int v);
XETILE_PRIVATE spe_id cm_row_at_(cm_ctx *c, const cm_layout *l, cm_lane lane, int v);
XETILE_PRIVATE spe_id cm_col_at_(cm_ctx *c, const cm_layout *l, cm_lane lane, int v);
XETILE_PRIVATE void cm_axes_of_(const cm_layout *l, int v, int *row, int *col);

/* ---- convert.c, arithmetic.c */
XETILE_PRIVATE spe_id cm_convert_vector_(cm_ctx *c, cm_type from, cm_type to, spe_id v);
XETILE_PRIVATE spe_number_kind cm_number_kind_(cm_type type);
XETILE_PRIVATE cm_matrix cm_map_(cm_ctx *c, const cm_layout *l, const cm_matrix *a, const cm_matrix *b, cm_fn fn,
                                 void *user);

/* The cm_mem of a real matrix or of one half, with defaults filled in; for a transposed matrix, extents and strides are
 * swapped. Strides are never 0. */
typedef struct {
    spe_id ptr, rows, cols, row, col, down, right; /* down: stride_row, right: stride_col */
    spe_id padding;
    bool zero_padding;
    uint32_t storage, align; /* storage: class of ptr */
    cm_block2d block2d;
} cm_surface_;
enum { CM_WHOLE_ = -1 };

/* ---- memory.c */
XETILE_PRIVATE bool cm_constant_(const cm_ctx *c, spe_id id, int64_t *value);
XETILE_PRIVATE bool cm_is_constant_(const cm_ctx *c, spe_id id, int64_t want);
XETILE_PRIVATE bool cm_surface_init_(cm_ctx *c, cm_surface_ *s, cm_type type, const cm_mem *mem, int half);

/* The input of a product method: D = A B + C, with C and D in the accumulation type. */
typedef struct {
    const cm_product *row;
    const cm_matrix *a, *b;
    cm_matrix acc; /* C going in, D coming out; its part array belongs to the method */
} cm_job_;

/* The methods of a lowering, to load or store and to multiply. One that cannot do it returns false. */
typedef struct {
    bool (*move)(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store);
    bool (*mul_add)(cm_ctx *c, cm_job_ *job);
} cm_methods_;

XETILE_PRIVATE bool cm_move_pieces_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store);
XETILE_PRIVATE bool cm_move_block2d_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store);
XETILE_PRIVATE bool cm_move_khr_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store);
XETILE_PRIVATE bool cm_move_lanes_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store);
XETILE_PRIVATE const cm_methods_ *cm_methods_of_(const cm_ctx *c);
#endif
