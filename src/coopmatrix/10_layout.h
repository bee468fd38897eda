/* coopmatrix.h - cooperative matrices: how a matrix is spread over the work-items of a subgroup, and kernels using it.
 *
 * A cooperative matrix of M rows and N columns is held by the S work-items ("lanes") of a subgroup together; each has
 * an equal share of it, a vector of V components. This header knows which element sits where, and writes SPIR-V that
 * makes, loads, stores, prefetches and multiplies such matrices through spirv_emit.h.
 *
 * Part 1, LAYOUT: host code only, no module, no emitter. `#define CM_LAYOUT_ONLY` before the include to have just that.
 *
 *     cm_layout l;
 *     int error = cm_layout_init(&l, 32, 48, CM_F16, CM_A, 16);   // 0, or an id: cm_error_text(error)
 *     cm_slot s = cm_slot_of(&l, 5, 7);                           // where (5, 7) is: s.lane, s.component, s.channel
 *     cm_element e = cm_element_of(&l, s);                        // and back; e.padding: the slot holds nothing
 *     _Static_assert(CM_V(32, 48, CM_F16, CM_A, 16) == 96, "V as an integer constant expression");
 *
 * The definition (section "General layout" of the layout text): I = min(M, S); J is the smallest n >= N with I n a
 * multiple of S; K = M / I = K1 K2; A is padded with zeros to the tensor A*[i, k1, j, k2] = A[i + k1 I + k2 I K1, j];
 * L = i + k1 I + j I K1 + k2 I K1 J numbers its entries, and work-item p holds the entries p, p + S, p + 2S, ...
 *
 *     use       K1                                      also
 *     CM_ACC    1                                       accumulators and results
 *     CM_A      1                                       below 32 bits: packed when N is a multiple of omega = 4 / size
 *     CM_B      max(1, 2 / size) when M > S, else 1
 *
 * Packed means: omega neighbours of a row share one 32-bit component ("channel" 0 in the low bits), and the tensor that
 * is numbered is that of the 32-bit entries. The text leaves open what happens when those do not divide evenly over the
 * work-items (possible only for M < S): here J grows to omega times the smallest n >= N / omega with I n a multiple of
 * S. needs_mask is true when J > N, that is when there are columns which exist only as padding.
 *
 *     cm_distribute  cm_gather            memory (cm_host_mem) into the vectors of all work-items, and back
 *     cm_linear  cm_unlinear  cm_row_of   entries of A* (cm_index) by number, and the rows they come from
 *     cm_components                       entries of a work-item: dwords or components
 *     cm_layout_interleave                the order that hardware wants: see 8-bit CM_B below
 *     cm_type_info  cm_use_name  cm_error_text  cm_error_name   what is known of a type, a use, an error id
 *     the formulas as constants           CM_I CM_J CM_K CM_K1 CM_K2 CM_V CM_PACKED CM_CHANNELS CM_NEEDS_MASK CM_OMEGA
 *                                         CM_OMEGA_B CM_BYTES
 *
 * Part 2, OPERATIONS: kernels through spirv_emit.h. A whole one: C = A B, 16 x 8 times 8 x 16, column-major,
 *
 *     spe_module m;
 *     spe_begin(&m, NULL);
 *     spe_param params[3];
 *     memset(params, 0, sizeof params);
 *     for (int i = 0; i < 3; i++) params[i].type = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, spe_float(&m, 32));
 *     spe_kernel k;
 *     memset(&k, 0, sizeof k);
 *     k.name = "product"; k.params = params; k.param_count = 3;
 *     k.subgroup_size = k.local_size[0] = 16; k.local_size[1] = k.local_size[2] = 1;
 *     spe_kernel_begin(&m, &k);
 *
 *     cm_ctx c;
 *     cm_begin(&c, &m, cm_target_row("bmg"), CM_AUTO);           // the target gives subgroup size and lowering
 *     cm_mem at[3];                                              // pointer, extents, position, strides
 *     memset(at, 0, sizeof at);
 *     for (int i = 0; i < 3; i++) at[i].ptr = spe_param_id(&m, i), at[i].stride_col = spe_i32(&m, i == 1 ? 8 : 16);
 *     cm_matrix a = cm_load(&c, 16, 8, CM_F32, CM_A, &at[0]);
 *     cm_matrix b = cm_load(&c, 8, 16, CM_F32, CM_B, &at[1]);
 *     cm_matrix d = cm_mul_add(&c, CM_F32, &a, &b, NULL);        // or a C to add instead of NULL
 *     cm_store(&c, &d, &at[2]);
 *
 *     spe_kernel_end(&m);
 *     spe_words w = spe_finish(&m);                              // w.data, w.count; until spe_free(&m)
 *     if (!w.data) spe_print_error(spe_get_error(&m), stderr);
 *
 *     make       cm_splat  cm_load  cm_from_components  cm_from_parts  cm_complex
 *     memory     cm_load  cm_store  cm_prefetch; cm_block2d_test tells whether 2D block messages may be used
 *     atomic     cm_atomic_load  cm_atomic_store  cm_atomic_add  cm_atomic_min  cm_atomic_max (scope and semantics)
 *     multiply   cm_mul_add  cm_mul_add_saturating  cm_scale
 *     a op b     cm_binary: CM_ADD SUB MUL DIV REM MIN MAX AND OR XOR SHL SHR; cm_add cm_sub cm_mul
 *     op a       cm_unary: CM_NEG NOT ABS CONJ EXP LOG SQRT RSQRT SIN COS TANH ERF ... (CM_UNARY_OPS_)
 *     your own   CM_APPLY (a statement for every component, with its row and column)  cm_apply  cm_map1  cm_map2
 *     reduce     cm_reduce (M x 1 or 1 x N)  cm_reduce_spread (the total in every place)
 *     change     cm_convert (type)  cm_convert_as (with rounding and saturation)  cm_convert_use  cm_transpose
 *                cm_repeat
 *     look in    cm_component  cm_insert  cm_row_index  cm_col_index  cm_re  cm_im
 *                cm_visit (element by element in memory)
 *     types      cm_storage_type (in memory and parts)  cm_arith_type (what cm_fn sees)  cm_is_complex
 *     parts      cm_part_count  cm_part_type  cm_part_words
 *     tables     cm_target_row(name)  cm_product_row(a, b): the product of two types, NULL when there is none
 *                cm_product_takes(row, c)  cm_block_shape_row: a legal 2D block message
 *                cm_binary_row: an operation's row
 *
 * A matrix is a list of ids, so it goes round a loop by
 *     spe_for(&m, lo, hi, step, acc.parts, acc.part) ... spe_endfor(&m, acc.parts, acc.part)
 *
 * All of it for all component types. bf16, tf32 and the 8-bit floats are computed with in f32 and rounded to nearest
 * after every operation; complex matrices (c32, c64: pairs of floats in memory) are two real ones inside. Memory is
 * global or local (any storage class), with any strides in both directions. A product takes any two types of which one
 * promotes to the other (cm_promotes), and C of a type that both promote to. dg2 has no f64: Intel's compiler emulates
 * it there when the module is built with -ze-fp64-gen-emu.
 *
 * A matrix may be larger than the hardware's: the products are chained here. Lowerings, a row each of cm_methods_of_:
 *
 *     CM_INTEL   the matrix instruction where the table of products and the shape allow it (M >= S, K a multiple of its
 *                depth); 2D block messages where the table of block shapes and cm_mem.block2d allow them
 *     CM_PLAIN   everything else: loads and stores a lane at a time, subgroup broadcasts and FMA, straight-line code of
 *                about K N (1 + M / (8 S)) instructions, so keep tiles small for it
 *     CM_KHR     on request: parts are matrices of SPV_KHR_cooperative_matrix, whose components no lane can see. They
 *                can be made (cm_splat), loaded and stored (M >= S, unchecked, one stride the constant 1) and
 *                multiplied (f16, and 8-bit integers); all else is an error. This is what Intel's compiler (2.40)
 *                takes: it crashes on component-wise instructions with such matrices and knows no bf16 ones
 *
 * What CM_INTEL cannot do, CM_PLAIN does; results agree within rounding. CM_AUTO takes what the target has.
 *
 * In row-major terms. The text spreads ROWS over lanes and stride_row is 1 by default, so a row-major tile of r rows
 * and c columns is a cooperative matrix of c rows and r columns, and C = A B becomes C' = B' A' (' for transposed):
 * the row-major B is the CM_A here, A is the CM_B and C the CM_ACC. Then parts are the matrix instruction's operands as
 * they stand.
 *
 * 8-bit CM_B. The text lets a lane hold rows p and p + S; the matrix instruction wants rows 2p and 2p + 1 (16-bit types
 * at subgroup size 8 likewise). Under CM_INTEL such operands are held that way (cm_layout_for, l.interleaved). Loads,
 * stores, conversions and products ask the layout, so only code that looks at components by number notices.
 *
 * xetile.h and coopvec.h write whole kernels from C functions; what both need stands here, most of it under names
 * ending in _. Users meet it under theirs: cm_device is xt_target and cv_target, cm_module is xt_module and cv_module,
 * and cm_module_free(&module) is xt_free and cv_free.
 *
 * LIMITS. Rows are a power of two, rows and columns at most 16384, S a power of two, at most 1024 for layouts;
 * operations take a size of the target's. Positions, extents and strides are 32 bits.
 *
 * Errors have ids from 1000 on (one list, CM_ERRORS_). Names ending in _ are not for users.
 */
#ifndef XETILE_COOPMATRIX_H
#define XETILE_COOPMATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- types, uses, errors ----------------------------------------------------------------------------------------- */

/* name, bytes, kind, signed, bits of the storage type, storage is floating point, text */
#define CM_TYPES_(X)                                                                                                   \
    X(F64, 8, FLOAT, true, 64, true, "f64")                                                                            \
    X(F32, 4, FLOAT, true, 32, true, "f32")                                                                            \
    X(TF32, 4, FLOAT, true, 32, true, "tf32")                                                                          \
    X(F16, 2, FLOAT, true, 16, true, "f16")                                                                            \
    X(BF16, 2, FLOAT, true, 16, false, "bf16")                                                                         \
    X(E4M3, 1, FLOAT, true, 8, false, "e4m3")                                                                          \
    X(E5M2, 1, FLOAT, true, 8, false, "e5m2")                                                                          \
    X(I64, 8, INT, true, 64, false, "i64")                                                                             \
    X(I32, 4, INT, true, 32, false, "i32")                                                                             \
    X(I16, 2, INT, true, 16, false, "i16")                                                                             \
    X(I8, 1, INT, true, 8, false, "i8")                                                                                \
    X(U8, 1, INT, false, 8, false, "u8")                                                                               \
    X(U16, 2, INT, false, 16, false, "u16")                                                                            \
    X(U32, 4, INT, false, 32, false, "u32")                                                                            \
    X(U64, 8, INT, false, 64, false, "u64")                                                                            \
    X(C32, 8, COMPLEX, true, 32, true, "c32")                                                                          \
    X(C64, 16, COMPLEX, true, 64, true, "c64")

typedef enum {
    CM_NO_TYPE_ = -1, /* makes it a signed type everywhere: types are kept in ints too */
#define CM_ROW_(name, bytes, kind, sign, bits, fp, text) CM_##name,
    CM_TYPES_(CM_ROW_)
#undef CM_ROW_
        CM_TYPE_COUNT
} cm_type;

typedef enum { CM_ACC, CM_A, CM_B } cm_use;
typedef enum { CM_KIND_FLOAT, CM_KIND_INT, CM_KIND_COMPLEX } cm_kind;

typedef struct {
    const char *name;
    int bytes; /* of a component in memory; a complex component is a pair */
    cm_kind kind;
    bool is_signed;
    int storage_bits;   /* of the scalar that holds it (of one half of a pair) */
    bool storage_float; /* bf16 and the 8-bit floats are held as integers */
} cm_type_row;

#define CM_ERRORS_(X)                                                                                                  \
    X(ROWS, "rows must be a power of two, at least 1")                                                                 \
    X(COLUMNS, "columns must be at least 1")                                                                           \
    X(TYPE, "no such component type")                                                                                  \
    X(USE, "no such use: CM_ACC, CM_A and CM_B are the uses")                                                          \
    X(SUBGROUP, "the subgroup size must be a power of two, at least 1")                                                \
    X(TOO_LARGE, "the matrix is too large")                                                                            \
    X(TARGET, "unknown target")                                                                                        \
    X(TARGET_SUBGROUP, "the target does not have this subgroup size")                                                  \
    X(LOWERING, "the target cannot do this lowering")                                                                  \
    X(EMIT_TYPE, "operations on this component type are not available")                                                \
    X(OPERAND_USE, "a matrix of the wrong use")                                                                        \
    X(SHAPE, "shapes disagree")                                                                                        \
    X(COMPONENT, "component types disagree")                                                                           \
    X(MUL_TYPES, "no product is defined for these types")                                                              \
    X(POINTER, "not a pointer to the component's storage type")                                                        \
    X(BLOCK2D, "a 2D block message was promised but cannot be used")                                                   \
    X(SCALAR, "a scalar of the wrong type")                                                                            \
    X(POSITION, "positions, extents and strides must be 32-bit integers")                                              \
    X(CONVERT, "no conversion between these types")                                                                    \
    X(OPERATION, "no such operation")                                                                                  \
    X(ATOMIC, "no atomic operations on this type")                                                                     \

enum {
    CM_ERROR_FIRST_ = 999,
#define CM_ROW_(name, text) CM_ERROR_##name,
    CM_ERRORS_(CM_ROW_)
#undef CM_ROW_
        CM_ERROR_END_
};

/* The row of a type; NULL when there is no such type. */
static inline const cm_type_row *cm_type_info(cm_type type)
{
    static const cm_type_row rows[] = {
#define CM_ROW_(name, bytes, kind, sign, bits, fp, text) {text, bytes, CM_KIND_##kind, sign, bits, fp},
        CM_TYPES_(CM_ROW_)
#undef CM_ROW_
    };
    return (unsigned)type < (unsigned)CM_TYPE_COUNT ? &rows[type] : NULL;
}

/* As the text calls it: matrix_acc, matrix_a, matrix_b. */
static inline const char *cm_use_name(cm_use use)
{
    static const char *const names[] = {"matrix_acc", "matrix_a", "matrix_b"};
    return (unsigned)use <= (unsigned)CM_B ? names[use] : "no use";
}

/* What an error id of this header means; "no error" for 0. */
static inline const char *cm_error_text(int id)
{
    static const char *const texts[] = {
#define CM_ROW_(name, text) text,
        CM_ERRORS_(CM_ROW_)
#undef CM_ROW_
    };
    if (id == 0) return "no error";
    return id > CM_ERROR_FIRST_ && id < CM_ERROR_END_ ? texts[id - CM_ERROR_FIRST_ - 1]
                                                      : "not an error of coopmatrix.h";
}

/* The name of an error id, as in CM_ERROR_SHAPE. */
static inline const char *cm_error_name(int id)
{
    static const char *const names[] = {
#define CM_ROW_(name, text) "CM_ERROR_" #name,
        CM_ERRORS_(CM_ROW_)
#undef CM_ROW_
    };
    return id > CM_ERROR_FIRST_ && id < CM_ERROR_END_ ? names[id - CM_ERROR_FIRST_ - 1] : "";
}

/* ---- layout as integer constant expressions ---------------------------------------------------------------------- */

/* The same formulas for static arrays and _Static_assert. M, N: shape; T: type; U: use; S: subgroup size. */
#define CM_BYTES(T)                                                                                                    \
    (((T) == CM_F64 || (T) == CM_I64 || (T) == CM_U64 || (T) == CM_C32)    ? 8                                         \
     : ((T) == CM_F32 || (T) == CM_TF32 || (T) == CM_I32 || (T) == CM_U32) ? 4                                         \
     : ((T) == CM_F16 || (T) == CM_BF16 || (T) == CM_I16 || (T) == CM_U16) ? 2                                         \
     : ((T) == CM_E4M3 || (T) == CM_E5M2 || (T) == CM_I8 || (T) == CM_U8)  ? 1                                         \
     : (T) == CM_C64                                                       ? 16                                        \
                                                                           : 0)
#define CM_OMEGA(T) (CM_BYTES(T) < 4 ? 4 / CM_BYTES(T) : 1)
#define CM_OMEGA_B(T) (CM_BYTES(T) < 2 ? 2 / CM_BYTES(T) : 1)
#define CM_I(M, S) ((M) < (S) ? (M) : (S))
#define CM_K(M, S) ((M) / CM_I(M, S))
#define CM_PACKED(N, T, U) ((U) == CM_A && CM_OMEGA(T) > 1 && (N) % CM_OMEGA(T) == 0)
#define CM_CHANNELS(N, T, U) (CM_PACKED(N, T, U) ? CM_OMEGA(T) : 1)
#define CM_ROUND_J_(M, n, S) ((CM_I(M, S) * (n) + (S)-1) / (S) * (S) / CM_I(M, S))
#define CM_J(M, N, T, U, S) (CM_ROUND_J_(M, (N) / CM_CHANNELS(N, T, U), S) * CM_CHANNELS(N, T, U))
#define CM_K1(M, T, U, S) ((U) == CM_B && (M) > (S) ? CM_OMEGA_B(T) : 1)
#define CM_K2(M, T, U, S) (CM_K(M, S) / CM_K1(M, T, U, S))
#define CM_V(M, N, T, U, S) (CM_I(M, S) * CM_K(M, S) * CM_J(M, N, T, U, S) / (S))
#define CM_NEEDS_MASK(M, N, T, U, S) (CM_J(M, N, T, U, S) > (N))

/* ---- layout ------------------------------------------------------------------------------------------------------ */

/* V counts components of the type; a packed matrix has V / omega 32-bit entries a work-item. `interleaved` is false for
 * every layout of the text; see cm_layout_interleave. */
typedef struct {
    int rows, cols;
    cm_type type;
    cm_use use;
    int S;
    int I, J, K, K1, K2, V;
    int omega; /* channels a component: 4 / size when packed, else 1 */
    bool packed, needs_mask, interleaved;
} cm_layout;

/* The coordinates of A*, and where an element is: its row and column, or padding. */
typedef struct {
    int i, k1, j, k2;
} cm_index;
typedef struct {
    int row, col;
    bool padding;
} cm_element;

/* Where it is held: work-item, component of its vector (a 32-bit entry when packed), channel in the component. */
typedef struct {
    int lane, component, channel;
} cm_slot;

static inline bool cm_power_of_two_(int n) { return n > 0 && (n & (n - 1)) == 0; }

/* Sections "General layout", "Matrix A", "Matrix B". Returns 0 or an error id, and then *l is all zero. */
static inline int cm_layout_init(cm_layout *l, int rows, int cols, cm_type type, cm_use use, int subgroup_size)
{
    const cm_type_row *t = cm_type_info(type);
    memset(l, 0, sizeof *l);
    if (!cm_power_of_two_(rows)) return CM_ERROR_ROWS;
    if (cols < 1) return CM_ERROR_COLUMNS;
    if (!t) return CM_ERROR_TYPE;
    if ((unsigned)use > (unsigned)CM_B) return CM_ERROR_USE;
    if (!cm_power_of_two_(subgroup_size)) return CM_ERROR_SUBGROUP;
    if (rows > 1 << 14 || cols > 1 << 14 || subgroup_size > 1 << 10) return CM_ERROR_TOO_LARGE;
    l->rows = rows;
    l->cols = cols;
    l->type = type;
    l->use = use;
    l->S = subgroup_size;
    l->I = CM_I(rows, subgroup_size);
    l->K = rows / l->I;
    l->K1 = use == CM_B && rows > subgroup_size && t->bytes < 2 ? 2 / t->bytes : 1;
    l->K2 = l->K / l->K1;
    l->omega = use == CM_A && t->bytes < 4 && cols % (4 / t->bytes) == 0 ? 4 / t->bytes : 1;
    l->packed = l->omega > 1;
    l->J = CM_ROUND_J_(rows, cols / l->omega, subgroup_size) * l->omega;
    l->V = l->I * l->K * l->J / subgroup_size;
    l->needs_mask = l->J > cols;
    return 0;
}

/* Not of the text: what a hardware product wants of its CM_B operand. K1 becomes `k1` (a power of two that divides K),
 * and a work-item holds k1 NEIGHBOURING rows: row = k1 + i K1 + k2 I K1 instead of i + k1 I + k2 I K1. Everything else,
 * the numbering L included, stays. With k1 = 1 it is the text's layout. */
static inline int cm_layout_interleave(cm_layout *l, int k1)
{
    if (!cm_power_of_two_(k1) || l->rows < 1 || l->K % k1 != 0) return CM_ERROR_ROWS;
    l->K1 = k1;
    l->K2 = l->K / k1;
    l->interleaved = k1 > 1;
    return 0;
}

/* 32-bit entries (packed) or components that a work-item holds. */
static inline int cm_components(const cm_layout *l) { return l->V / l->omega; }

/* Section "Work-item mapping": the number of an entry of A*. Of a packed matrix it is the entry of A**, whose third
 * coordinate is j / omega. */
static inline int cm_linear(const cm_layout *l, cm_index x)
{
    return x.i + l->I * (x.k1 + l->K1 * (x.j / l->omega + l->J / l->omega * x.k2));
}

/* Section "Mapping properties": the inverse; for a packed matrix j is that of channel 0. */
static inline cm_index cm_unlinear(const cm_layout *l, int number)
{
    cm_index x;
    int j = l->J / l->omega;
    x.i = number % l->I;
    x.k1 = number / l->I % l->K1;
    x.j = number / (l->I * l->K1) % j * l->omega;
    x.k2 = number / (l->I * l->K1 * j);
    return x;
}

/* The row of A that an entry of A* comes from. */
static inline int cm_row_of(const cm_layout *l, cm_index x)
{
    int inner = l->interleaved ? x.k1 + x.i * l->K1 : x.i + x.k1 * l->I;
    return inner + x.k2 * l->I * l->K1;
}

/* Where element (row, col) is held; 0 <= row < rows and 0 <= col < J. */
static inline cm_slot cm_slot_of(const cm_layout *l, int row, int col)
{
    cm_index x;
    cm_slot s;
    int inner = row % (l->I * l->K1), number;
    x.i = l->interleaved ? inner / l->K1 : inner % l->I;
    x.k1 = l->interleaved ? inner % l->K1 : inner / l->I;
    x.j = col;
    x.k2 = row / (l->I * l->K1);
    number = cm_linear(l, x);
    s.lane = number % l->S;
    s.component = number / l->S;
    s.channel = col % l->omega;
    return s;
}

/* What a slot holds. Slots beyond column N are padding (row and col still tell where they lie). */
static inline cm_element cm_element_of(const cm_layout *l, cm_slot s)
{
    cm_index x = cm_unlinear(l, s.lane + s.component * l->S);
    cm_element e;
    e.row = cm_row_of(l, x);
    e.col = x.j + s.channel;
    e.padding = e.row >= l->rows || e.col >= l->cols;
    return e;
}

/* ---- a whole matrix on the host ---------------------------------------------------------------------------------- */

/* The arguments of the text's load pseudo-code. Element (r, c) of memory is at base + r * stride_row + c * stride_col
 * (in elements). `transposed` swaps the two extents and the two strides, as the text does. A checked direction gives 0
 * for what lies outside the extent; an unchecked one is trusted. */
typedef struct {
    void *base;
    int pos_row, pos_col;
    int extent_rows, extent_cols;
    ptrdiff_t stride_row, stride_col;
    bool transposed, rows_checked, cols_checked;
} cm_host_mem;

/* Where the memory holds the element of a slot; NULL for padding and for what a check excludes. */
static inline unsigned char *cm_host_address_(const cm_layout *l, const cm_host_mem *m, cm_slot s)
{
    cm_element e = cm_element_of(l, s);
    int row = m->pos_row + e.row, col = m->pos_col + e.col;
    int rows = m->transposed ? m->extent_cols : m->extent_rows, cols = m->transposed ? m->extent_rows : m->extent_cols;
    ptrdiff_t down = m->transposed ? m->stride_col : m->stride_row,
              right = m->transposed ? m->stride_row : m->stride_col;
    if (e.padding || (m->rows_checked && (row < 0 || row >= rows)) || (m->cols_checked && (col < 0 || col >= cols)))
        return NULL;
    return (unsigned char *)m->base + (row * down + col * right) * cm_type_info(l->type)->bytes;
}

/* Walks every slot: into the vectors (store false) or back to memory (true). The vector of work-item p starts at
 * component p * V; channels of a packed component follow one another, low bits first. */
static inline void cm_host_walk_(const cm_layout *l, unsigned char *vectors, const cm_host_mem *m, bool store)
{
    size_t bytes = (size_t)cm_type_info(l->type)->bytes;
    cm_slot s;
    for (s.lane = 0; s.lane < l->S; s.lane++)
        for (s.component = 0; s.component < cm_components(l); s.component++)
            for (s.channel = 0; s.channel < l->omega; s.channel++) {
                unsigned char *slot = vectors + (size_t)(s.lane * l->V + s.component * l->omega + s.channel) * bytes;
                unsigned char *at = cm_host_address_(l, m, s);
                if (store && at) memcpy(at, slot, bytes);
                if (!store && at) memcpy(slot, at, bytes);
                if (!store && !at) memset(slot, 0, bytes);
            }
}

/* Section "Load pseudo-code": memory -> the vectors of all work-items, S x V components. l must be a valid layout. */
static inline void cm_distribute(const cm_layout *l, void *vectors, const cm_host_mem *from)
{
    cm_host_walk_(l, (unsigned char *)vectors, from, false);
}

/* The inverse: the vectors of all work-items -> memory; padding and what the checks exclude is not written. */
static inline void cm_gather(const cm_layout *l, const void *vectors, const cm_host_mem *to)
{
    cm_host_walk_(l, (unsigned char *)(uintptr_t)vectors, to, true);
}
