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
 * For headers that build on this one, such as xetile.h and coopvec.h: cm_choose_target cm_poison cm_to_arith
 * cm_from_arith cm_f32_to_bf16 cm_bitcast cm_component_ids cm_cached_pointer cm_prefetch_block; see below.
 *
 * LIMITS. Rows are a power of two, rows and columns at most 16384, S a power of two, at most 1024 for layouts;
 * operations take a size of the target's. Positions, extents and strides are 32 bits.
 *
 * Errors have ids from 1000 on (one list, CM_ERRORS_). Names ending in _ are not for users.
 *
 * TO USE IT  include it, and that is all: the bodies come along, static. Or define XETILE_DECLARATIONS for all files of
 * a program, and XETILE_IMPLEMENTATION before the include in the one that has the bodies; or link with libxetile
 * instead. "How functions are declared" below tells more.
 */
#ifndef XETILE_COOPMATRIX_H
#define XETILE_COOPMATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- how functions are declared ------------------------------------------------------------------------------------
 *
 * Three ways to use a header:
 *   include and go            nothing to define: the bodies are here, static, in each file that includes it
 *   XETILE_DECLARATIONS       declarations only: for all files of a program that has the bodies in one place. That is
 *   XETILE_IMPLEMENTATION     one of its files, which defines this and then includes all the headers that are in use,
 *                             or libxetile (-lxetile; `pkg-config xetile` knows)
 * XETILE_IMPLEMENTATION may also come later, when the declarations were there before: include the headers once more.
 * Two files that have it are an error of the linker that says so: it names a symbol that is there for this alone, while
 * the functions are weak.
 *
 * Static bodies are compiled without optimisation but for a small core, on purpose: a program spends no time in them
 * worth mention, and its author waits for the compiler. gemm.c at -O2 takes, in user seconds of gcc 12 and of clang 14,
 * which need 2.0 for all of stb_image.h: optimised 4.4, 4.7; cold and noinline 3.6, 2.8; for size 3.8, 4.6; at -Og 1.9;
 * unoptimised 1.3, 1.2. In gcc the attribute optimize("O0") costs more than twice what the pragma does. A program that
 * converts large matrices on the host may want XETILE_OPTIMIZE: the bodies are then compiled as the rest of the file.
 * With XETILE_IMPLEMENTATION they always are.
 *
 * The same lines stand in every header that can be used alone; the first one included counts.
 */
#ifndef XETILE_API
#if defined(__GNUC__)
#define XETILE_UNUSED_ __attribute__((__unused__))
#define XETILE_WEAK_ __attribute__((__weak__))
#define XETILE_HIDDEN_ __attribute__((__visibility__("hidden")))
#else
#define XETILE_UNUSED_
#define XETILE_WEAK_
#define XETILE_HIDDEN_
#endif
#if defined(__cplusplus)
#define XETILE_EXTERN_ extern "C"
#else
#define XETILE_EXTERN_ extern
#endif
#if defined(XETILE_SEPARATE_) /* src/ is compiled file by file */
#define XETILE_API XETILE_EXTERN_
#define XETILE_PRIVATE XETILE_EXTERN_
#elif defined(XETILE_IMPLEMENTATION)
#define XETILE_WEAKLY_
#define XETILE_API XETILE_EXTERN_ XETILE_WEAK_
#define XETILE_PRIVATE static XETILE_UNUSED_
#elif defined(XETILE_DECLARATIONS)
#define XETILE_API XETILE_EXTERN_
#define XETILE_PRIVATE static XETILE_UNUSED_
#else
#define XETILE_STATIC_
#if defined(XETILE_OPTIMIZE)
#define XETILE_API static XETILE_UNUSED_
#else /* inline: what is not optimised, gcc compiles even where it is unused, unless it is inline */
#define XETILE_API static inline XETILE_UNUSED_
#endif
#define XETILE_PRIVATE XETILE_API
#endif
#define XE_FN_ XETILE_PRIVATE /* what is `static` in a source, in as many columns */
#endif

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
XETILE_API const cm_type_row *cm_type_info(cm_type type);

/* As the text calls it: matrix_acc, matrix_a, matrix_b. */
XETILE_API const char *cm_use_name(cm_use use);

/* What an error id of this header means; "no error" for 0. */
XETILE_API const char *cm_error_text(int id);

/* The name of an error id, as in CM_ERROR_SHAPE. */
XETILE_API const char *cm_error_name(int id);

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

/* Sections "General layout", "Matrix A", "Matrix B". Returns 0 or an error id, and then *l is all zero. */
XETILE_API int cm_layout_init(cm_layout *l, int rows, int cols, cm_type type, cm_use use, int subgroup_size);

/* Not of the text: what a hardware product wants of its CM_B operand. K1 becomes `k1` (a power of two that divides K),
 * and a work-item holds k1 NEIGHBOURING rows: row = k1 + i K1 + k2 I K1 instead of i + k1 I + k2 I K1. Everything else,
 * the numbering L included, stays. With k1 = 1 it is the text's layout. */
XETILE_API int cm_layout_interleave(cm_layout *l, int k1);

/* 32-bit entries (packed) or components that a work-item holds. */
XETILE_API int cm_components(const cm_layout *l);

/* Section "Work-item mapping": the number of an entry of A*. Of a packed matrix it is the entry of A**, whose third
 * coordinate is j / omega. */
XETILE_API int cm_linear(const cm_layout *l, cm_index x);

/* Section "Mapping properties": the inverse; for a packed matrix j is that of channel 0. */
XETILE_API cm_index cm_unlinear(const cm_layout *l, int number);

/* The row of A that an entry of A* comes from. */
XETILE_API int cm_row_of(const cm_layout *l, cm_index x);

/* Where element (row, col) is held; 0 <= row < rows and 0 <= col < J. */
XETILE_API cm_slot cm_slot_of(const cm_layout *l, int row, int col);

/* What a slot holds. Slots beyond column N are padding (row and col still tell where they lie). */
XETILE_API cm_element cm_element_of(const cm_layout *l, cm_slot s);

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

/* Section "Load pseudo-code": memory -> the vectors of all work-items, S x V components. l must be a valid layout. */
XETILE_API void cm_distribute(const cm_layout *l, void *vectors, const cm_host_mem *from);

/* The inverse: the vectors of all work-items -> memory; padding and what the checks exclude is not written. */
XETILE_API void cm_gather(const cm_layout *l, const void *vectors, const cm_host_mem *to);

#ifndef CM_LAYOUT_ONLY
#include "spirv_emit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ==== Part 2: operations that emit ================================================================================ */

/* ---- targets ----------------------------------------------------------------------------------------------------- */

/* What a device can do. A row of the table below, which the caller may copy and change (a smaller local memory, another
 * subgroup size of those it has). */
typedef struct {
    const char *name;
    int subgroup_size;       /* the size that kernels get unless they ask for another */
    uint32_t subgroup_sizes; /* every size the device has, or-ed: 8 | 16 | 32 */
    uint32_t dpas_sizes;     /* subgroup sizes at which the matrix instruction works; 0: there is none */
    uint32_t block2d_sizes;  /* the same for 2D block messages */
    bool coop_khr;           /* takes SPV_KHR_cooperative_matrix */
    int local_memory;        /* bytes of a work-group */
    int max_group_size;      /* work-items of a work-group */
    int registers;           /* bytes of registers of one subgroup, in the larger of the two modes */
    const char *build_flags; /* that the device's compiler needs for large tiles; "" elsewhere */
} cm_target;

/* NULL when unknown; lnl-m is lnl. */
XETILE_API const cm_target *cm_target_row(const char *name);

/* ---- context, values, memory ------------------------------------------------------------------------------------- */

typedef enum {
    CM_AUTO,  /* what the target's row has: matrix instruction and 2D block messages, else plain */
    CM_PLAIN, /* loads a lane, subgroup broadcasts, FMA: works on everything */
    CM_INTEL, /* insist on the matrix instruction; an error where the target lacks it */
    CM_KHR    /* matrices of SPV_KHR_cooperative_matrix, on request: see the manual for what they can do */
} cm_lowering;

/* Rounding of a conversion; CM_ROUND_AUTO: to nearest even between floats, towards zero from float to integer. */
typedef enum { CM_ROUND_AUTO, CM_ROUND_NEAREST, CM_ROUND_ZERO, CM_ROUND_UP, CM_ROUND_DOWN } cm_rounding;

/* One per kernel that is being written. Plain data: copy it as you like. */
typedef struct {
    spe_module *m;
    cm_target target;
    cm_lowering lowering; /* CM_AUTO resolved */
    cm_rounding rounding; /* of the conversion that is being written; zero between operations */
    bool saturate;        /* the same */
} cm_ctx;

/* A matrix held by a subgroup: SPIR-V vectors ("parts"), block by block (k2), each block's words cut greedily into runs
 * of 8, 4, 2, 1. A word is a 32-bit entry of a packed matrix, the K1 components of one (j, k2) of a CM_B matrix, or one
 * component; its low bits come first. parts == 0 is poison: every operation takes it and gives poison.
 * Copy it by assignment; part[] may be replaced by an array of other ids of the same types (phis). */
typedef struct {
    cm_layout l;
    int parts;
    spe_id *part; /* in the module's arena */
} cm_matrix;

typedef enum {
    CM_BLOCK2D_AUTO, /* 2D block messages only when constants prove that they may be used */
    CM_BLOCK2D_YES,  /* promised by the caller: see cm_block2d_test */
    CM_BLOCK2D_NO
} cm_block2d;

/* A matrix in memory. Element (r, c) of the cooperative matrix is ptr[(row + r) * stride_row + (col + c) * stride_col].
 * All of it must be the same for every lane. Memory outside the extents is never touched. */
typedef struct {
    spe_id ptr;                    /* to the component's storage type (cm_storage_type); any storage class */
    spe_id rows, cols;             /* extents for the bounds tests, i32; 0: that direction is not checked */
    spe_id row, col;               /* position of the matrix, i32, may be negative; 0: the constant 0 */
    spe_id stride_row, stride_col; /* in elements, i32; stride_row 0: 1; stride_col 0: rows */
    bool transposed;               /* swaps the extents and the strides, as in the text */
    cm_block2d block2d;
    /* bytes that ptr is known to be aligned to; 0: nothing is known (for CM_BLOCK2D_AUTO, and local memory whose
     * extents are not checked and whose row and col are 0: it is accessed in large pieces) */
    uint32_t align;
    spe_id padding; /* scalar of the storage type for what lies outside; 0: zero */
} cm_mem;

/* A component-wise operation: gets vectors (or scalars) of the arithmetic type (cm_arith_type) and returns one of the
 * same. */
typedef spe_id (*cm_fn)(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user);

/* Starts using a target; target may be a row of cm_target_row or a changed copy, lowering zero (CM_AUTO) for the best.
 */
XETILE_API bool cm_begin(cm_ctx *c, spe_module *m, const cm_target *target, cm_lowering lowering);

/* ---- what products there are ------------------------------------------------------------------------------------- */

/* Component types of A and B, of which one must promote to the other (cm_promotes), the type that is accumulated in,
 * and the operands word of the matrix instruction (0: it has no such product). There the roles are swapped (our A is
 * its B): its A flags describe our B. */
typedef struct {
    cm_type a, b, acc;
    uint32_t dpas;
} cm_product;

/* The row of a product A B; NULL when neither type promotes to the other. */
XETILE_API const cm_product *cm_product_row(cm_type a, cm_type b);

/* The promotion rule of TinyTC's scalar types: every value of `from` is one of `to`. Types that the text does not have
 * follow its sense: unsigned ones go with the signed one of their size, tf32 is between the 16-bit floats and f32. */
XETILE_API bool cm_promotes(cm_type from, cm_type to);

/* C of a product with this row: what both A and B promote to (and, as the types of f32 sums go, bf16 and f16 alike). */
XETILE_API bool cm_product_takes(const cm_product *row, cm_type c);

/* ---- layouts as a context holds them ----------------------------------------------------------------------------- */

/* The layout that values of this context have: the text's, but where the matrix instruction wants more than one row of
 * its CM_B operand in a lane (8-bit types, and 16-bit ones at subgroup size 8), neighbouring rows
 * (cm_layout_interleave). Everything here asks the layout where an element is, so this shows only in which component
 * holds what. On an error the result has rows == 0. */
XETILE_API cm_layout cm_layout_for(cm_ctx *c, int rows, int cols, cm_type type, cm_use use);

/* c32 or c64? */
XETILE_API bool cm_is_complex(cm_type type);

/* How many parts a matrix of this layout has; of a complex one the real parts come first, then the imaginary. */
XETILE_API int cm_part_count(const cm_layout *l);

/* How many words part `part` has. */
XETILE_API int cm_part_words(const cm_layout *l, int part);

/* The type of a component in memory and in parts: bf16 and 8-bit floats are integers, a complex component is two floats
 * and this the type of one. */
XETILE_API spe_id cm_storage_type(cm_ctx *c, cm_type type);

/* The type that cm_fn works on: the storage type, but f32 for bf16 and the 8-bit floats. 0 and an error for complex
 * types, whose operations are made of those on cm_re and cm_im. */
XETILE_API spe_id cm_arith_type(cm_ctx *c, cm_type type);

/* The SPIR-V type of part `part`: a vector, or under CM_KHR a cooperative matrix. */
XETILE_API spe_id cm_part_type(cm_ctx *c, const cm_layout *l, int part);

/* A matrix of parts that come from elsewhere, for example phis. They must have the types that cm_part_type tells. */
XETILE_API cm_matrix cm_from_parts(cm_ctx *c, const cm_layout *l, const spe_id *parts);

/* ---- complex matrices -------------------------------------------------------------------------------------------- */

/* A complex matrix is two real ones of the same shape and use, side by side in one list of parts. */

/* The real and the imaginary part of a complex matrix (TinyTC: re, im), matrices of f32 or f64. */
XETILE_API cm_matrix cm_re(cm_ctx *c, const cm_matrix *a);
XETILE_API cm_matrix cm_im(cm_ctx *c, const cm_matrix *a);

/* re + i im, of two matrices alike of f32 (gives c32) or f64 (gives c64). */
XETILE_API cm_matrix cm_complex(cm_ctx *c, const cm_matrix *re, const cm_matrix *im);

/* ---- parts <-> components ---------------------------------------------------------------------------------------- */

/* This lane's component v, 0 <= v < V (channels of a word follow one another), of the storage type (TinyTC: extract).
 */
XETILE_API spe_id cm_component(cm_ctx *c, const cm_matrix *a, int v);

/* A copy with component v of every lane replaced by a scalar of the storage type (TinyTC: insert). */
XETILE_API cm_matrix cm_insert(cm_ctx *c, const cm_matrix *a, int v, spe_id scalar);

/* The inverse of cm_component: a matrix of V scalars of the storage type, the order as there. */
XETILE_API cm_matrix cm_from_components(cm_ctx *c, const cm_layout *l, const spe_id *components);

/* ---- construction, component-wise operations --------------------------------------------------------------------- */

/* Every element is `scalar`, a value of the storage type (TinyTC: construct); 0 for zero. Of a complex matrix it is the
 * real part of every element and the imaginary part is zero; cm_complex makes others. */
XETILE_API cm_matrix cm_splat(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, spe_id scalar);

/* fn(c, type, a, 0, user) on every component. Padding is mapped too; it is never stored. */
XETILE_API cm_matrix cm_map1(cm_ctx *c, const cm_matrix *a, cm_fn fn, void *user);

/* fn(c, type, a, b, user) on every pair of components of two matrices alike. */
XETILE_API cm_matrix cm_map2(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, cm_fn fn, void *user);

/* Operations on pairs of components: those of spe_arith that are no comparisons. REM has the sign of the first operand;
 * SHR keeps the sign of signed types. */
typedef enum {
    CM_ADD = SPE_ARITH_ADD,
    CM_SUB = SPE_ARITH_SUB,
    CM_MUL = SPE_ARITH_MUL,
    CM_DIV = SPE_ARITH_DIV,
    CM_MIN = SPE_ARITH_MIN,
    CM_MAX = SPE_ARITH_MAX,
    CM_REM = SPE_ARITH_REM,
    CM_AND = SPE_ARITH_AND,
    CM_OR = SPE_ARITH_OR,
    CM_XOR = SPE_ARITH_XOR,
    CM_SHL = SPE_ARITH_SHL,
    CM_SHR = SPE_ARITH_SHR
} cm_op;

/* a op b, component by component; both of one type, shape and use. Types below 32 bits that are no integers nor f16 are
 * computed in f32 and rounded to nearest. Complex types have add, sub, mul and div; floats no and, or, xor, shl, shr.
 */
XETILE_API cm_matrix cm_binary(cm_ctx *c, cm_op op, const cm_matrix *a, const cm_matrix *b);

XETILE_API cm_matrix cm_add(cm_ctx *c, const cm_matrix *a, const cm_matrix *b);
XETILE_API cm_matrix cm_sub(cm_ctx *c, const cm_matrix *a, const cm_matrix *b);
XETILE_API cm_matrix cm_mul(cm_ctx *c, const cm_matrix *a, const cm_matrix *b);

/* Operations on one component. All take floats; NEG and ABS integers too, NOT integers only. */
#define CM_UNARY_OPS_(X)                                                                                               \
    X(ABS, FABS)                                                                                                       \
    X(EXP, EXP)                                                                                                        \
    X(EXP2, EXP2)                                                                                                      \
    X(EXP10, EXP10) X(EXPM1, EXPM1) X(LOG, LOG) X(LOG2, LOG2) X(LOG10, LOG10) X(LOG1P, LOG1P) X(SQRT, SQRT)            \
        X(RSQRT, RSQRT) X(CBRT, CBRT) X(SIN, SIN) X(COS, COS) X(TAN, TAN) X(ASIN, ASIN) X(ACOS, ACOS) X(ATAN, ATAN)    \
            X(SINH, SINH) X(COSH, COSH) X(TANH, TANH) X(ERF, ERF) X(ERFC, ERFC) X(CEIL, CEIL) X(FLOOR, FLOOR)          \
                X(TRUNC, TRUNC) X(ROUND, ROUND) X(RINT, RINT) X(SIGN, SIGN) X(NATIVE_EXP, NATIVE_EXP)                  \
                    X(NATIVE_EXP2, NATIVE_EXP2) X(NATIVE_LOG, NATIVE_LOG) X(NATIVE_LOG2, NATIVE_LOG2)                  \
                        X(NATIVE_SIN, NATIVE_SIN) X(NATIVE_COS, NATIVE_COS)
typedef enum {
    CM_NEG,
    CM_NOT,
    CM_CONJ, /* of complex matrices only */
#define CM_ROW_(name, function) CM_##name,
    CM_UNARY_OPS_(CM_ROW_)
#undef CM_ROW_
        CM_UNARY_COUNT_
} cm_unary_op;

/* op a, component by component; of a type, shape and use with a (but CM_ABS of a complex matrix is real). Precision is
 * that of OpenCL.std; bf16 and the 8-bit floats are computed in f32. Complex: NEG, CONJ, ABS, EXP, EXP2, NATIVE_EXP[2].
 */
XETILE_API cm_matrix cm_unary(cm_ctx *c, cm_unary_op op, const cm_matrix *a);

/* scalar * a; the scalar is of the storage type of a (of a complex matrix: a real factor). */
XETILE_API cm_matrix cm_scale(cm_ctx *c, const cm_matrix *a, spe_id scalar);

/* ---- where a component is, in the kernel ------------------------------------------------------------------------- */

/* What a lane knows of itself: i and the first column j0, section "Mapping properties". Where I == S, j0 is 0. */
typedef struct {
    spe_id i, j0;
} cm_lane;

/* The row in the matrix of component v in this lane, i32; needed by callers that compute with positions. */
XETILE_API spe_id cm_row_index(cm_ctx *c, const cm_layout *l, int v);

/* The column; lanes hold columns that are omega apart when several columns fit a row of lanes. */
XETILE_API spe_id cm_col_index(cm_ctx *c, const cm_layout *l, int v);

/* ---- conversion of matrices -------------------------------------------------------------------------------------- */

/* The same matrix with components of another type (TinyTC: cast): to nearest even between floats, towards zero from
 * float to integer (what does not fit is undefined), the low bits between integers; to an 8-bit float the largest one
 * where a number does not fit. bf16, tf32 and the 8-bit floats are reached through f32, so what f32 does not hold is
 * rounded twice. A real matrix becomes the real part of a complex one; the other direction is cm_re. Lanes exchange
 * components when the layouts ask for it. */
XETILE_API cm_matrix cm_convert(cm_ctx *c, const cm_matrix *a, cm_type type);

/* The same with a stated rounding, wherever a float is read or written, and, when `saturate` is set, integers that do
 * not fit becoming the nearest one that does (NaN: 0). bf16 and tf32 know CM_ROUND_NEAREST and CM_ROUND_ZERO, the 8-bit
 * floats CM_ROUND_NEAREST; the rest all four. */
XETILE_API cm_matrix cm_convert_as(cm_ctx *c, const cm_matrix *a, cm_type type, cm_rounding rounding, bool saturate);

/* The same matrix for another use: 16-bit accumulators become operands inside each lane, 8-bit CM_B may need shuffles.
 */
XETILE_API cm_matrix cm_convert_use(cm_ctx *c, const cm_matrix *a, cm_use use);

/* ---- transposing, repeating -------------------------------------------------------------------------------------- */

/* The transpose, a matrix of cols x rows in the given use; cols must be a power of two, since it becomes the number of
 * rows. Lanes exchange components: about S V shuffles, so small matrices only; memory transposes for nothing. */
XETILE_API cm_matrix cm_transpose(cm_ctx *c, const cm_matrix *a, cm_use use);

/* A matrix of rows x cols whose element (r, c) is that of `a` at (r mod rows of a, c mod columns of a): copies side by
 * side, so a column M x 1 becomes a matrix of equal columns, and a smaller one a part of `a`. Inside each lane where
 * rows of a are a multiple of the subgroup size. */
XETILE_API cm_matrix cm_repeat(cm_ctx *c, const cm_matrix *a, int rows, int cols);

/* ---- apply ------------------------------------------------------------------------------------------------------- */

/* The state of CM_APPLY: which component is due, where it is, and the results so far. */
typedef struct {
    cm_ctx *c;
    const cm_matrix *a;
    spe_id *value; /* of the storage type; NULL: something is wrong */
    cm_lane lane;
    int v;
    spe_id row, col, component;
} cm_walk_;

XETILE_API cm_walk_ cm_walk_begin_(cm_ctx *c, const cm_matrix *a);

/* Keeps what the body left in `component`, and goes to the next. */
XETILE_API bool cm_walk_next_(cm_walk_ *w);

XETILE_API bool cm_walk_end_(cm_walk_ *w, cm_matrix *out);

/* The statement that follows is written into the kernel once for every component of matrix `in`, with spe_ids `i` (row,
 * i32), `j` (column, i32) and `v` (component, of cm_arith_type); what it leaves in v is that component of `out`
 * (TinyTC: apply). With s of f32, exp below the diagonal and zero above:
 *
 *     CM_APPLY (&c, p, s, i, j, v) v = spe_select(&m, spe_sle(&m, j, i), spe_math1(&m, SPE_EXP, v), zero);
 *
 * in and out are cm_matrix variables and may be the same one. Padding is visited too (j beyond the last column) and is
 * never stored. Leave the statement by its end only. */
#define CM_APPLY(ctx, out, in, i, j, v)                                                                                \
    for (cm_walk_ cm_w_##v = cm_walk_begin_((ctx), &(in));                                                             \
         cm_walk_next_(&cm_w_##v) || cm_walk_end_(&cm_w_##v, &(out));)                                                 \
        for (spe_id i = cm_w_##v.row, j = cm_w_##v.col, v = cm_w_##v.component, cm_once_##v = 1;                       \
             (void)i, (void)j, cm_once_##v; cm_w_##v.component = v, cm_once_##v = 0)

/* What cm_apply calls: a scalar of cm_arith_type and where it is; returns the new one. */
typedef spe_id (*cm_apply_fn)(cm_ctx *c, spe_id row, spe_id col, spe_id component, void *user);

/* CM_APPLY as a function. */
XETILE_API cm_matrix cm_apply(cm_ctx *c, const cm_matrix *a, cm_apply_fn fn, void *user);

/* ---- reductions -------------------------------------------------------------------------------------------------- */

typedef enum {
    CM_BY_ROW,   /* along each row: M x N becomes M x 1 */
    CM_BY_COLUMN /* along each column: M x N becomes 1 x N */
} cm_direction;

/* CM_ADD, CM_MIN or CM_MAX along rows or columns, the total in every place: a matrix of M x extent (CM_BY_ROW) of equal
 * columns, or extent x N (CM_BY_COLUMN) of equal rows, in the type and use of `a`. Cheapest when extent is that of `a`
 * or, by columns, a multiple of the subgroup size as M is: then nothing moves. f16 and smaller floats are summed in
 * f32. */
XETILE_API cm_matrix cm_reduce_spread(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a, int extent);

/* CM_ADD, CM_MIN or CM_MAX along rows (M x N becomes M x 1) or columns (1 x N), in the type and use of `a` (TinyTC:
 * reduce). f16 and smaller floats are summed in f32, and the order of a sum is not stated. */
XETILE_API cm_matrix cm_reduce(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a);

/* ---- 2D block messages: what is legal ---------------------------------------------------------------------------- */

typedef enum { CM_BLOCK_LOAD, CM_BLOCK_TRANSFORM, CM_BLOCK_TRANSPOSE, CM_BLOCK_STORE, CM_BLOCK_PREFETCH } cm_block_op;

/* Legal shapes (cl_intel_subgroup_2d_block_io, all at subgroup size 16): bytes of an element, elements across, and the
 * heights and block counts as or-ed values. */
typedef struct {
    cm_block_op op;
    int elem, width;
    uint32_t heights, counts;
} cm_block_shape;

/* The row of a block `width` elements across; NULL when there is no such message. */
XETILE_API const cm_block_shape *cm_block_shape_row(cm_block_op op, int elem, int width, uint32_t count);

/* Bool (i1): whether 2D block messages may be used on this memory, so that CM_BLOCK2D_YES may be promised: base address
 * a multiple of 64, pitch a multiple of 16 bytes and not below the width, width at least 64 bytes and a multiple of 4
 * (all up to 2^24), x a multiple of 4 bytes, memory global and contiguous in one direction; of 8-bit types along
 * columns also x >= 0 and pitch up to 2^23. Folded to a constant where it can be. A loop that moves the position tests
 * the first one and its steps. */
XETILE_API spe_id cm_block2d_test(cm_ctx *c, cm_type type, const cm_mem *mem);

/* ---- atomic operations ------------------------------------------------------------------------------------------- */

/* Atomic load, store and update, component by component (there is no atomicity of the matrix; of a complex component,
 * each half by itself). scope: SPE_ScopeWorkgroup, SPE_ScopeDevice, ...; semantics: SPE_MemorySemantics... bits, 0 for
 * relaxed. Types of 32 and 64 bits, and f16 for add, min and max. Everything else is as with cm_load and cm_store.
 * The updates return the values that memory held before. */
XETILE_API cm_matrix cm_atomic_load(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, const cm_mem *from,
                                    uint32_t scope, uint32_t semantics);
XETILE_API void cm_atomic_store(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics);
XETILE_API cm_matrix cm_atomic_add(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics);
XETILE_API cm_matrix cm_atomic_min(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics);
XETILE_API cm_matrix cm_atomic_max(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics);

/* ---- element by element in memory: atomic operations and the like ------------------------------------------------ */

/* What cm_visit calls for an element: where it is in memory and what the matrix holds (storage types). Returns what the
 * result holds. */
typedef spe_id (*cm_visit_fn)(cm_ctx *c, cm_type type, spe_id ptr, spe_id v, void *user);

/* Calls fn once for every element of `a` that lies inside the memory; outside, the result is the padding. */
XETILE_API cm_matrix cm_visit(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, cm_visit_fn fn, void *user);

/* ---- load, store, prefetch, multiply and add --------------------------------------------------------------------- */

/* Loads a matrix (section "Load pseudo-code"); what lies outside checked extents is the padding. */
XETILE_API cm_matrix cm_load(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, const cm_mem *from);

/* Stores a matrix; what lies outside checked extents is not written. */
XETILE_API void cm_store(cm_ctx *c, const cm_matrix *a, const cm_mem *to);

/* Asks for rows x cols elements (any numbers) to be brought nearer; level 0: wherever the device likes, 1: all caches,
 * 2: all but the first, 3: it only streams through the first. Emits nothing where there are no 2D block messages for
 * it: a prefetch never changes a result. */
XETILE_API void cm_prefetch(cm_ctx *c, int rows, int cols, cm_type type, const cm_mem *from, int level);

/* D = A B + C of type_d: A is M x K (CM_A), B is K x N (CM_B), C is M x N (CM_ACC) or NULL for none. The text's rule:
 * A and B must promote to the type of C (cm_promotes; 16-bit floats are taken as C of each other too), and D may be
 * what C can be converted to. Sums are f32 for floats below 64 bits, i32 for 8- and 16-bit integers (which wrap), a
 * wider type when C has it; cm_product_row is the table. */
XETILE_API cm_matrix cm_mul_add(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
                                const cm_matrix *acc);

/* D = A B + C with integers that do not wrap: the exact result, or the largest or smallest number of type_d where it
 * does not fit. A and B are of 8 or 16 bits (the sum of up to 2^16 products of 8 bits is exact in i32, of 16 bits in
 * i64). */
XETILE_API cm_matrix cm_mul_add_saturating(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
                                           const cm_matrix *acc);

/* ---- for headers that build on this one -------------------------------------------------------------------------- */

/* The device's row with what the caller knows better, and a subgroup size it has (0: the row's). False and an error of
 * the header that is built for (spe_reporter). */
XETILE_API bool cm_choose_target(spe_blame at, const spe_device *d, int size, cm_target *target);

/* No matrix: what an operation gives after an error. */
XETILE_API cm_matrix cm_poison(void);

/* A vector or scalar of the storage type as one of the arithmetic type (cm_arith_type), and back. */
XETILE_API spe_id cm_to_arith(cm_ctx *c, cm_type type, spe_id v);
XETILE_API spe_id cm_from_arith(cm_ctx *c, cm_type type, spe_id v);

/* f32, scalar or vector, rounded to the 16 bits of a bf16. */
XETILE_API spe_id cm_f32_to_bf16(cm_ctx *c, spe_id v);

/* The same bits as another type; none when it is of the type. */
XETILE_API spe_id cm_bitcast(cm_ctx *c, spe_id type, spe_id v);

/* All V components of this lane as scalars of the storage type of `type`, converted to it; NULL after an error. */
XETILE_API spe_id *cm_component_ids(cm_ctx *c, const cm_matrix *a, cm_type type);

/* The pointer with the cache controls of a prefetch's level (cm_prefetch). */
XETILE_API spe_id cm_cached_pointer(cm_ctx *c, spe_id ptr, int level);

/* Prefetches `across` x `down` elements by 2D block messages where the lowering has them; false where it has none. */
XETILE_API bool cm_prefetch_block(cm_ctx *c, cm_type type, int across, int down, const spe_block2d *surface);

#endif /* CM_LAYOUT_ONLY */

#endif /* XETILE_COOPMATRIX_H */

/* ==== bodies: nothing from here on is for users ================================================================== */

#if defined(XETILE_COOPMATRIX_BODIES_)
#if defined(XETILE_STATIC_) && defined(XETILE_IMPLEMENTATION)
#error "XETILE_IMPLEMENTATION comes before the first header of xetile: one was included without"
#endif
#elif defined(XETILE_STATIC_) && (defined(XETILE_DECLARATIONS) || defined(XETILE_IMPLEMENTATION))
#error "XETILE_DECLARATIONS or XETILE_IMPLEMENTATION come before the first header of xetile: one was included without"
#elif defined(XETILE_WEAKLY_) && !defined(XETILE_IMPLEMENTATION)
#error "XETILE_IMPLEMENTATION stays defined until the last header of xetile has been included"
#elif defined(XETILE_IMPLEMENTATION) || !defined(XETILE_DECLARATIONS)
#define XETILE_COOPMATRIX_BODIES_
#include "spirv_emit.h" /* its bodies come first */
#if defined(XETILE_IMPLEMENTATION)
/* The linker names this when two files of a program have the bodies. */
XETILE_EXTERN_ XETILE_HIDDEN_ const char XETILE_IMPLEMENTATION_belongs_in_one_file__coopmatrix[];
const char XETILE_IMPLEMENTATION_belongs_in_one_file__coopmatrix[] = "";
#endif

#if defined(XETILE_IMPLEMENTATION) || defined(XETILE_OPTIMIZE)
#elif defined(__clang__)
#pragma clang optimize off
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("O0")
#endif

/* internal.h - what the bodies of coopmatrix.h share with each other and with nobody else. */

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

/* layout.c - types, uses, errors. */

const cm_type_row *cm_type_info(cm_type type)
{
    static const cm_type_row rows[] = {
#define CM_ROW_(name, bytes, kind, sign, bits, fp, text) {text, bytes, CM_KIND_##kind, sign, bits, fp},
        CM_TYPES_(CM_ROW_)
#undef CM_ROW_
    };
    return (unsigned)type < (unsigned)CM_TYPE_COUNT ? &rows[type] : NULL;
}

const char *cm_use_name(cm_use use)
{
    static const char *const names[] = {"matrix_acc", "matrix_a", "matrix_b"};
    return (unsigned)use <= (unsigned)CM_B ? names[use] : "no use";
}

const char *cm_error_text(int id)
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

const char *cm_error_name(int id)
{
    static const char *const names[] = {
#define CM_ROW_(name, text) "CM_ERROR_" #name,
        CM_ERRORS_(CM_ROW_)
#undef CM_ROW_
    };
    return id > CM_ERROR_FIRST_ && id < CM_ERROR_END_ ? names[id - CM_ERROR_FIRST_ - 1] : "";
}

/* ---- layout as integer constant expressions ---------------------------------------------------------------------- */

/* ---- layout ------------------------------------------------------------------------------------------------------ */

bool cm_power_of_two_(int n) { return n > 0 && (n & (n - 1)) == 0; }

int cm_layout_init(cm_layout *l, int rows, int cols, cm_type type, cm_use use, int subgroup_size)
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

int cm_layout_interleave(cm_layout *l, int k1)
{
    if (!cm_power_of_two_(k1) || l->rows < 1 || l->K % k1 != 0) return CM_ERROR_ROWS;
    l->K1 = k1;
    l->K2 = l->K / k1;
    l->interleaved = k1 > 1;
    return 0;
}

int cm_components(const cm_layout *l) { return l->V / l->omega; }

int cm_linear(const cm_layout *l, cm_index x)
{
    return x.i + l->I * (x.k1 + l->K1 * (x.j / l->omega + l->J / l->omega * x.k2));
}

cm_index cm_unlinear(const cm_layout *l, int number)
{
    cm_index x;
    int j = l->J / l->omega;
    x.i = number % l->I;
    x.k1 = number / l->I % l->K1;
    x.j = number / (l->I * l->K1) % j * l->omega;
    x.k2 = number / (l->I * l->K1 * j);
    return x;
}

int cm_row_of(const cm_layout *l, cm_index x)
{
    int inner = l->interleaved ? x.k1 + x.i * l->K1 : x.i + x.k1 * l->I;
    return inner + x.k2 * l->I * l->K1;
}

cm_slot cm_slot_of(const cm_layout *l, int row, int col)
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

cm_element cm_element_of(const cm_layout *l, cm_slot s)
{
    cm_index x = cm_unlinear(l, s.lane + s.component * l->S);
    cm_element e;
    e.row = cm_row_of(l, x);
    e.col = x.j + s.channel;
    e.padding = e.row >= l->rows || e.col >= l->cols;
    return e;
}

/* ---- a whole matrix on the host ---------------------------------------------------------------------------------- */

/* Where the memory holds the element of a slot; NULL for padding and for what a check excludes. */
XE_FN_ unsigned char *cm_host_address_(const cm_layout *l, const cm_host_mem *m, cm_slot s)
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
XE_FN_ void cm_host_walk_(const cm_layout *l, unsigned char *vectors, const cm_host_mem *m, bool store)
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

void cm_distribute(const cm_layout *l, void *vectors, const cm_host_mem *from)
{
    cm_host_walk_(l, (unsigned char *)vectors, from, false);
}

void cm_gather(const cm_layout *l, const void *vectors, const cm_host_mem *to)
{
    cm_host_walk_(l, (unsigned char *)(uintptr_t)vectors, to, true);
}

#ifndef CM_LAYOUT_ONLY

#include "spirv_emit.h" /* its bodies come first */

/* context.c - targets. */

const cm_target *cm_target_row(const char *name)
{
    static const char large[] = "-ze-opt-large-register-file";
    static const cm_target rows[] = {
        {"pvc", 16, 16 | 32, 16, 16, true, 128 << 10, 1024, 16 << 10, large},
        {"bmg", 16, 16 | 32, 16, 16, true, 128 << 10, 1024, 16 << 10, large},
        {"lnl", 16, 16 | 32, 16, 16, true, 128 << 10, 1024, 16 << 10, large},
        {"ptl", 16, 16 | 32, 16, 16, true, 128 << 10, 1024, 16 << 10, large},
        {"dg2", 8, 8 | 16 | 32, 8, 0, true, 64 << 10, 1024, 8 << 10, large},
        {"generic", 16, 8 | 16 | 32, 0, 0, false, 32 << 10, 1024, 8 << 10, ""},
        {"soft", 16, 8 | 16 | 32, 8 | 16, 16, true, 64 << 10, 1024, 16 << 10, ""},
    };
    size_t i;
    if (!name) return NULL;
    if (strcmp(name, "lnl-m") == 0) name = "lnl";
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

/* ---- context, values, memory ------------------------------------------------------------------------------------- */

/* Reports an error of this header to the module, which keeps the first. Returns 0, the poison id. */
spe_id cm_fail_(cm_ctx *c, int id, const char *format, ...)
{
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    spe_fail(c->m, id, cm_error_name(id), "%s", text);
    return 0;
}

cm_matrix cm_poison(void)
{
    cm_matrix a;
    memset(&a, 0, sizeof a);
    return a;
}

bool cm_is_poison_(const cm_ctx *c, const cm_matrix *a) { return !spe_ok(c->m) || a->parts == 0; }

bool cm_choose_target(spe_blame at, const spe_device *d, int size, cm_target *target)
{
    const cm_target *row = d ? cm_target_row(d->name) : NULL;
    if (!row) {
        spe_report(at, at.errors->target, "\"%s\"; known are " CM_TARGET_NAMES_, d && d->name ? d->name : "(none)");
        return false;
    }
    *target = *row;
    if (d->subgroup_sizes) target->subgroup_sizes = d->subgroup_sizes;
    if (d->local_memory) target->local_memory = (int)d->local_memory;
    if (d->max_group_size) target->max_group_size = (int)d->max_group_size;
    if (!size) {
        size = row->subgroup_size;
        if (!(target->subgroup_sizes & (uint32_t)size)) /* the row's is not there: the smallest */
            size = (int)(target->subgroup_sizes & (~target->subgroup_sizes + 1u));
    }
    if (!cm_power_of_two_(size) || !(target->subgroup_sizes & (uint32_t)size)) {
        spe_report(at, at.errors->subgroup_size, "wanted %d, %s has (a bit each) 0x%x", size, row->name,
                   (unsigned)target->subgroup_sizes);
        return false;
    }
    target->subgroup_size = size;
    return true;
}

bool cm_begin(cm_ctx *c, spe_module *m, const cm_target *target, cm_lowering lowering)
{
    bool dpas;
    memset(c, 0, sizeof *c);
    c->m = m;
    if (!target) {
        cm_fail_(c, CM_ERROR_TARGET, "there is no target of this name; known are " CM_TARGET_NAMES_);
        return false;
    }
    c->target = *target;
    dpas = (target->dpas_sizes & (uint32_t)target->subgroup_size) != 0;
    c->lowering = lowering == CM_AUTO ? (dpas ? CM_INTEL : CM_PLAIN) : lowering;
    if (!cm_power_of_two_(target->subgroup_size) || !(target->subgroup_sizes & (uint32_t)target->subgroup_size))
        cm_fail_(c, CM_ERROR_TARGET_SUBGROUP, "subgroup size %d: target %s has the sizes in mask 0x%x",
                 target->subgroup_size, target->name, (unsigned)target->subgroup_sizes);
    else if (c->lowering == CM_INTEL && !dpas)
        cm_fail_(c, CM_ERROR_LOWERING, "CM_INTEL: target %s has no matrix instruction at subgroup size %d",
                 target->name, target->subgroup_size);
    else if (c->lowering == CM_KHR && !target->coop_khr)
        cm_fail_(c, CM_ERROR_LOWERING, "CM_KHR: target %s does not take SPV_KHR_cooperative_matrix", target->name);
    return spe_ok(m);
}

/* ---- what products there are ------------------------------------------------------------------------------------- */

const cm_product *cm_product_row(cm_type a, cm_type b)
{
    enum { A_SIGNED = 1, B_SIGNED = 2, I8 = 0x10 | 0x20, TF32 = 0x100 | 0x200, F16 = 0x400 | 0x800 };
    enum { BF16 = 0x1000 | 0x2000 };
    static const cm_product rows[] = {
        {CM_F16, CM_F16, CM_F32, F16},
        {CM_BF16, CM_BF16, CM_F32, BF16},
        {CM_TF32, CM_TF32, CM_F32, TF32},
        {CM_I8, CM_I8, CM_I32, I8 | A_SIGNED | B_SIGNED},
        {CM_U8, CM_U8, CM_I32, I8},
        {CM_I8, CM_U8, CM_I32, I8 | B_SIGNED},
        {CM_U8, CM_I8, CM_I32, I8 | A_SIGNED},
#define CM_BOTH_(narrow, wide, acc) {CM_##narrow, CM_##wide, CM_##acc, 0}, {CM_##wide, CM_##narrow, CM_##acc, 0}
        {CM_F64, CM_F64, CM_F64, 0}, CM_BOTH_(F32, F64, F64), CM_BOTH_(TF32, F64, F64), CM_BOTH_(F16, F64, F64),
        CM_BOTH_(BF16, F64, F64), CM_BOTH_(E4M3, F64, F64), CM_BOTH_(E5M2, F64, F64), CM_BOTH_(I32, F64, F64),
        CM_BOTH_(U32, F64, F64), CM_BOTH_(I16, F64, F64), CM_BOTH_(U16, F64, F64), CM_BOTH_(I8, F64, F64),
        CM_BOTH_(U8, F64, F64),
        {CM_F32, CM_F32, CM_F32, 0}, CM_BOTH_(TF32, F32, F32), CM_BOTH_(F16, F32, F32), CM_BOTH_(BF16, F32, F32),
        CM_BOTH_(E4M3, F32, F32), CM_BOTH_(E5M2, F32, F32), CM_BOTH_(I16, F32, F32), CM_BOTH_(U16, F32, F32),
        CM_BOTH_(I8, F32, F32), CM_BOTH_(U8, F32, F32), CM_BOTH_(F16, TF32, F32), CM_BOTH_(BF16, TF32, F32),
        CM_BOTH_(E4M3, TF32, F32), CM_BOTH_(E5M2, TF32, F32), CM_BOTH_(I8, TF32, F32), CM_BOTH_(U8, TF32, F32),
        CM_BOTH_(E4M3, F16, F32), CM_BOTH_(E5M2, F16, F32), CM_BOTH_(I8, F16, F32), CM_BOTH_(U8, F16, F32),
        CM_BOTH_(E4M3, BF16, F32), CM_BOTH_(E5M2, BF16, F32), CM_BOTH_(I8, BF16, F32), CM_BOTH_(U8, BF16, F32),
        {CM_E4M3, CM_E4M3, CM_F32, 0},
        {CM_E5M2, CM_E5M2, CM_F32, 0},
        {CM_I64, CM_I64, CM_I64, 0}, CM_BOTH_(I32, I64, I64), CM_BOTH_(U32, I64, I64), CM_BOTH_(I16, I64, I64),
        CM_BOTH_(U16, I64, I64), CM_BOTH_(I8, I64, I64), CM_BOTH_(U8, I64, I64),
        {CM_U64, CM_U64, CM_U64, 0}, CM_BOTH_(U32, U64, U64), CM_BOTH_(U16, U64, U64), CM_BOTH_(U8, U64, U64),
        {CM_I32, CM_I32, CM_I32, 0}, CM_BOTH_(I16, I32, I32), CM_BOTH_(U16, I32, I32), CM_BOTH_(I8, I32, I32),
        CM_BOTH_(U8, I32, I32),
        {CM_U32, CM_U32, CM_U32, 0}, CM_BOTH_(I32, U32, U32), CM_BOTH_(U16, U32, U32), CM_BOTH_(U8, U32, U32),
        {CM_I16, CM_I16, CM_I32, 0}, CM_BOTH_(I8, I16, I32), CM_BOTH_(U8, I16, I32),
        {CM_U16, CM_U16, CM_I32, 0}, CM_BOTH_(U8, U16, I32),
#undef CM_BOTH_
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].a == a && rows[i].b == b) return &rows[i];
    return NULL;
}

bool cm_promotes(cm_type from, cm_type to)
{
#define CM_BIT_(t) (1u << (t))
    enum { ALL_COMPLEX = 1 << CM_C32 | 1 << CM_C64, WIDE = 1 << CM_F64 | 1 << CM_C64 };
    enum { FROM_F32 = 1 << CM_F32 | WIDE | ALL_COMPLEX, FROM_SMALL = 1 << CM_TF32 | FROM_F32 };
    static const struct {
        cm_type from;
        uint32_t to;
    } rows[] = {
        {CM_I8, FROM_SMALL | CM_BIT_(CM_I8) | CM_BIT_(CM_I16) | CM_BIT_(CM_I32) | CM_BIT_(CM_I64) | CM_BIT_(CM_BF16) |
                    CM_BIT_(CM_F16)},
        {CM_U8, FROM_SMALL | CM_BIT_(CM_U8) | CM_BIT_(CM_U16) | CM_BIT_(CM_U32) | CM_BIT_(CM_U64) | CM_BIT_(CM_I16) |
                    CM_BIT_(CM_I32) | CM_BIT_(CM_I64) | CM_BIT_(CM_BF16) | CM_BIT_(CM_F16)},
        {CM_I16, FROM_F32 | CM_BIT_(CM_I16) | CM_BIT_(CM_I32) | CM_BIT_(CM_I64)},
        {CM_U16, FROM_F32 | CM_BIT_(CM_U16) | CM_BIT_(CM_U32) | CM_BIT_(CM_U64) | CM_BIT_(CM_I32) | CM_BIT_(CM_I64)},
        {CM_I32, CM_BIT_(CM_I32) | CM_BIT_(CM_U32) | CM_BIT_(CM_I64) | WIDE | CM_BIT_(CM_C32)},
        {CM_U32, CM_BIT_(CM_U32) | CM_BIT_(CM_U64) | CM_BIT_(CM_I64) | WIDE},
        {CM_I64, CM_BIT_(CM_I64)},
        {CM_U64, CM_BIT_(CM_U64)},
        {CM_E4M3, FROM_SMALL | CM_BIT_(CM_E4M3) | CM_BIT_(CM_BF16) | CM_BIT_(CM_F16)},
        {CM_E5M2, FROM_SMALL | CM_BIT_(CM_E5M2) | CM_BIT_(CM_BF16) | CM_BIT_(CM_F16)},
        {CM_BF16, FROM_SMALL | CM_BIT_(CM_BF16)},
        {CM_F16, FROM_SMALL | CM_BIT_(CM_F16)},
        {CM_TF32, FROM_SMALL},
        {CM_F32, FROM_F32},
        {CM_F64, WIDE},
        {CM_C32, ALL_COMPLEX},
        {CM_C64, CM_BIT_(CM_C64)},
    };
#undef CM_BIT_
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].from == from) return (rows[i].to >> to & 1) != 0;
    return false;
}

bool cm_product_takes(const cm_product *row, cm_type c)
{
    if (row->acc == CM_F32 && (c == CM_F16 || c == CM_BF16)) return row->a != CM_F32 && row->b != CM_F32;
    if (row->acc == CM_I32 && c == CM_U32) return true; /* the same bits */
    return cm_promotes(row->a, c) && cm_promotes(row->b, c);
}

/* What is accumulated in when C has type c: the row's type, or a larger one of C. */
cm_type cm_product_acc_(const cm_product *row, cm_type c)
{
    static const struct {
        cm_type acc, c, wider;
    } rows[] = {{CM_F32, CM_F64, CM_F64},  {CM_I32, CM_I64, CM_I64},  {CM_I32, CM_U64, CM_U64},
                {CM_I32, CM_F64, CM_F64},  {CM_I32, CM_F32, CM_F32},  {CM_I32, CM_F16, CM_F32},
                {CM_I32, CM_BF16, CM_F32}, {CM_I32, CM_TF32, CM_F32}, {CM_U32, CM_U64, CM_U64},
                {CM_U32, CM_I64, CM_I64},  {CM_U32, CM_F64, CM_F64}};
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].acc == row->acc && rows[i].c == c) return rows[i].wider;
    return row->acc;
}

/* Depth of one matrix instruction, in components of this size: eight dwords. */
int cm_dpas_depth_(int bytes) { return 32 / bytes; }

/* ---- layouts as a context holds them ----------------------------------------------------------------------------- */

cm_layout cm_layout_for(cm_ctx *c, int rows, int cols, cm_type type, cm_use use)
{
    cm_layout l;
    const cm_product *row;
    int depth, error = cm_layout_init(&l, rows, cols, type, use, c->target.subgroup_size);
    if (error) {
        spe_fail(c->m, error, cm_error_name(error), "%s: %d x %d, type %d, use %d, subgroup size %d",
                 cm_error_text(error), rows, cols, (int)type, (int)use, c->target.subgroup_size);
        return l;
    }
    row = cm_product_row(type, type);
    if (use != CM_B || c->lowering == CM_PLAIN || !row || !row->dpas) return l;
    depth = cm_dpas_depth_(cm_type_info(type)->bytes);
    if (depth > l.S && rows >= depth) cm_layout_interleave(&l, depth / l.S);
    return l;
}

/* Components in a word, words a block, bits of a word. */
int cm_channels_(const cm_layout *l) { return l->packed ? l->omega : l->K1; }
int cm_block_words_(const cm_layout *l) { return l->V / (l->K2 * cm_channels_(l)); }
int cm_word_bits_(const cm_layout *l) { return cm_channels_(l) * cm_type_info(l->type)->storage_bits; }

bool cm_is_complex(cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    return t && t->kind == CM_KIND_COMPLEX;
}

int cm_part_count(const cm_layout *l)
{
    return l->rows ? l->K2 * spe_runs(cm_block_words_(l)) * (cm_is_complex(l->type) ? 2 : 1) : 0;
}

int cm_part_words(const cm_layout *l, int part)
{
    int words = cm_block_words_(l);
    return spe_run(words, part % spe_runs(words));
}

spe_id cm_storage_type(cm_ctx *c, cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    if (!t) return cm_fail_(c, CM_ERROR_EMIT_TYPE, "there is no type %d", (int)type);
    return t->storage_float ? spe_float(c->m, (uint32_t)t->storage_bits) : spe_int(c->m, (uint32_t)t->storage_bits);
}

spe_id cm_arith_type(cm_ctx *c, cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    if (t && t->kind == CM_KIND_COMPLEX)
        return cm_fail_(c, CM_ERROR_EMIT_TYPE, "not an operation on %s: use cm_re and cm_im", t->name);
    return t && t->kind == CM_KIND_FLOAT && !t->storage_float ? spe_float(c->m, 32) : cm_storage_type(c, type);
}

/* Accumulators are of the storage type; operands below 32 bits are integers, as the matrix instruction takes them. */
spe_id cm_word_type_(cm_ctx *c, const cm_layout *l)
{
    int bits = cm_word_bits_(l);
    if (l->use == CM_ACC || (bits >= 32 && cm_channels_(l) == 1)) return cm_storage_type(c, l->type);
    return spe_int(c->m, (uint32_t)bits);
}

/* CM_KHR: a part is a KHR matrix, the transpose of ours: words (columns of ours) by lanes. */
XE_FN_ spe_id cm_khr_type_(cm_ctx *c, const cm_layout *l, int part)
{
    static const uint32_t uses[] = {SPE_CooperativeMatrixUseMatrixAccumulatorKHR, SPE_CooperativeMatrixUseMatrixBKHR,
                                    SPE_CooperativeMatrixUseMatrixAKHR};
    spe_id component = cm_storage_type(c, l->type);
    if (cm_type_info(l->type)->kind == CM_KIND_FLOAT && !cm_type_info(l->type)->storage_float)
        return cm_fail_(c, CM_ERROR_LOWERING, "there are no matrices of %s under CM_KHR", cm_type_info(l->type)->name);
    return spe_coopmat(c->m, component, SPE_ScopeSubgroup, (uint32_t)(cm_part_words(l, part) * l->omega),
                       (uint32_t)(l->I * l->K1), uses[l->use]);
}

spe_id cm_part_type(cm_ctx *c, const cm_layout *l, int part)
{
    if (c->lowering == CM_KHR) return cm_khr_type_(c, l, part);
    return spe_vec(c->m, cm_word_type_(c, l), (uint32_t)cm_part_words(l, part));
}

/* Under CM_KHR a lane does not know its components: true, and an error, when `what` needs them. */
bool cm_opaque_(cm_ctx *c, const char *what)
{
    if (c->lowering != CM_KHR) return false;
    cm_fail_(c, CM_ERROR_LOWERING, "%s: not possible with matrices of CM_KHR", what);
    return true;
}

/* A matrix of this layout with room for its parts; poison when something is wrong. */
cm_matrix cm_new_(cm_ctx *c, const cm_layout *l)
{
    cm_matrix a = cm_poison();
    int parts = cm_part_count(l);
    if (!spe_ok(c->m) || parts == 0 || !cm_storage_type(c, l->type)) return a;
    a.l = *l;
    a.part = (spe_id *)spe_alloc(c->m, (size_t)parts * sizeof(spe_id));
    a.parts = a.part ? parts : 0;
    return a;
}

cm_matrix cm_from_parts(cm_ctx *c, const cm_layout *l, const spe_id *parts)
{
    cm_matrix a = cm_new_(c, l);
    int i;
    for (i = 0; i < a.parts; i++) {
        a.part[i] = parts[i];
        if (spe_type_of(c->m, parts[i]) != cm_part_type(c, l, i)) {
            cm_fail_(c, CM_ERROR_COMPONENT, "part %d of a %d x %d %s %s has another type", i, l->rows, l->cols,
                     cm_type_info(l->type)->name, cm_use_name(l->use));
            return cm_poison();
        }
    }
    return a;
}

bool cm_same_layout_(const cm_layout *a, const cm_layout *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->type == b->type && a->use == b->use && a->S == b->S &&
           a->interleaved == b->interleaved;
}

/* ---- complex matrices -------------------------------------------------------------------------------------------- */

cm_matrix cm_half_(cm_ctx *c, const cm_matrix *a, int which)
{
    cm_matrix half = *a;
    if (cm_is_poison_(c, a)) return cm_poison();
    if (!cm_is_complex(a->l.type)) {
        cm_fail_(c, CM_ERROR_COMPONENT, "a matrix of %s has no imaginary part", cm_type_info(a->l.type)->name);
        return cm_poison();
    }
    half.l.type = a->l.type == CM_C32 ? CM_F32 : CM_F64;
    half.parts = a->parts / 2;
    half.part = a->part + which * half.parts;
    return half;
}

cm_matrix cm_re(cm_ctx *c, const cm_matrix *a) { return cm_half_(c, a, 0); }
cm_matrix cm_im(cm_ctx *c, const cm_matrix *a) { return cm_half_(c, a, 1); }

cm_matrix cm_complex(cm_ctx *c, const cm_matrix *re, const cm_matrix *im)
{
    cm_matrix z;
    cm_layout l = re->l;
    if (cm_is_poison_(c, re) || cm_is_poison_(c, im)) return cm_poison();
    if (!cm_same_layout_(&re->l, &im->l) || (l.type != CM_F32 && l.type != CM_F64)) {
        cm_fail_(c, CM_ERROR_COMPONENT, "cm_complex takes two matrices alike of f32 or f64, not of %s and %s",
                 cm_type_info(l.type)->name, cm_type_info(im->l.type)->name);
        return cm_poison();
    }
    l.type = l.type == CM_F32 ? CM_C32 : CM_C64;
    z = cm_new_(c, &l);
    if (!z.parts) return z;
    memcpy(z.part, re->part, (size_t)re->parts * sizeof *z.part);
    memcpy(z.part + re->parts, im->part, (size_t)im->parts * sizeof *z.part);
    return z;
}

/* components.c - parts <-> components. */

spe_id cm_bitcast(cm_ctx *c, spe_id type, spe_id v)
{
    return spe_type_of(c->m, v) == type ? v : spe_bitcast(c->m, type, v);
}

/* Words of a part that are handled at once: a vector has at most 16 components. */
int cm_group_(const cm_layout *l, int words)
{
    int most = 16 / cm_channels_(l);
    return words < most ? words : most;
}

/* `count` neighbours of a vector, from the first on. */
spe_id cm_slice_(cm_ctx *c, spe_id v, int first, int count)
{
    uint32_t index[16], i, all = spe_count(c->m, spe_type_of(c->m, v));
    if ((uint32_t)count == all) return v;
    if (count == 1) return spe_extract(c->m, v, (uint32_t)first);
    for (i = 0; i < (uint32_t)count; i++) index[i] = (uint32_t)first + i;
    return spe_shuffle(c->m, v, v, (uint32_t)count, index);
}

/* One vector of n scalars, or of one or two vectors of `each` components. */
spe_id cm_join_(cm_ctx *c, spe_id elem, const spe_id *piece, int n, int each)
{
    uint32_t index[16], i;
    if (n == 1) return piece[0];
    if (each == 1) return spe_construct(c->m, spe_vec(c->m, elem, (uint32_t)n), (uint32_t)n, piece);
    for (i = 0; i < (uint32_t)(n * each); i++) index[i] = i;
    return spe_shuffle(c->m, piece[0], piece[1], (uint32_t)(n * each), index);
}

/* Words first .. first + words of a part as a vector of components of the storage type. */
spe_id cm_unpack_(cm_ctx *c, const cm_layout *l, spe_id part, int first, int words)
{
    spe_id type = spe_vec(c->m, cm_storage_type(c, l->type), (uint32_t)(words * cm_channels_(l)));
    return cm_bitcast(c, type, cm_slice_(c, part, first, words));
}

/* A vector of components back to `words` words. */
spe_id cm_pack_(cm_ctx *c, const cm_layout *l, spe_id components, int words)
{
    return cm_bitcast(c, spe_vec(c->m, cm_word_type_(c, l), (uint32_t)words), components);
}

/* Component v: its part, and the word in it. False and an error when there is no such component. */
XE_FN_ bool cm_find_component_(cm_ctx *c, const cm_matrix *a, int v, int *part, int *in_part)
{
    int words = cm_block_words_(&a->l), word = v / cm_channels_(&a->l);
    if (cm_is_poison_(c, a) || cm_opaque_(c, "components") || !cm_arith_type(c, a->l.type)) return false;
    if (v < 0 || v >= a->l.V) return cm_fail_(c, CM_ERROR_SHAPE, "component %d: the matrix has %d", v, a->l.V), false;
    *part = word / words * spe_runs(words);
    *in_part = word % words;
    while (*in_part >= cm_part_words(&a->l, *part)) *in_part -= cm_part_words(&a->l, (*part)++);
    return true;
}

spe_id cm_component(cm_ctx *c, const cm_matrix *a, int v)
{
    int part, word, channels = cm_channels_(&a->l);
    if (!cm_find_component_(c, a, v, &part, &word)) return 0;
    if (channels == 1) return cm_bitcast(c, cm_storage_type(c, a->l.type), cm_slice_(c, a->part[part], word, 1));
    return spe_extract(c->m, cm_unpack_(c, &a->l, a->part[part], word, 1), (uint32_t)(v % channels));
}

cm_matrix cm_insert(cm_ctx *c, const cm_matrix *a, int v, spe_id scalar)
{
    int part, word, channels = cm_channels_(&a->l);
    spe_id one = scalar;
    cm_matrix d;
    if (!cm_find_component_(c, a, v, &part, &word)) return cm_poison();
    if (spe_type_of(c->m, scalar) != cm_storage_type(c, a->l.type)) {
        cm_fail_(c, CM_ERROR_SCALAR, "the scalar is not of the storage type of %s", cm_type_info(a->l.type)->name);
        return cm_poison();
    }
    d = cm_new_(c, &a->l);
    if (!d.parts) return d;
    memcpy(d.part, a->part, (size_t)a->parts * sizeof *d.part);
    if (channels > 1)
        one = spe_insert(c->m, cm_unpack_(c, &a->l, a->part[part], word, 1), scalar, (uint32_t)(v % channels));
    one = cm_pack_(c, &a->l, one, 1);
    d.part[part] = cm_part_words(&a->l, part) == 1 ? one : spe_insert(c->m, a->part[part], one, (uint32_t)word);
    return d;
}

cm_matrix cm_from_components(cm_ctx *c, const cm_layout *l, const spe_id *components)
{
    cm_matrix a = cm_new_(c, l);
    int part, first, v = 0, channels = cm_channels_(l);
    if (!a.parts || cm_opaque_(c, "components") || !cm_arith_type(c, l->type)) return cm_poison();
    for (part = 0; part < a.parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), pieces = 0;
        spe_id piece[8], elem = cm_storage_type(c, l->type);
        for (first = 0; first < words; first += group, v += group * channels) {
            spe_id whole = cm_join_(c, elem, components + v, group * channels, 1);
            piece[pieces++] = cm_pack_(c, l, whole, group);
        }
        a.part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    return a;
}

/* ---- conversion of vectors --------------------------------------------------------------------------------------- */

XE_FN_ spe_id cm_like_(cm_ctx *c, spe_id elem, spe_id v) /* elem, as many as v has */
{
    return spe_vec(c->m, elem, spe_count(c->m, spe_type_of(c->m, v)));
}

XE_FN_ spe_id cm_bf16_to_f32_(cm_ctx *c, spe_id v)
{
    spe_id i32 = cm_like_(c, spe_int(c->m, 32), v);
    spe_id wide = spe_shl(c->m, spe_uconvert(c->m, i32, v), spe_const_u(c->m, i32, 16));
    return spe_bitcast(c->m, cm_like_(c, spe_float(c->m, 32), v), wide);
}

/* To nearest, ties to even; NaN stays NaN. By hand where Intel's conversion instruction need not be known. */
spe_id cm_f32_to_bf16(cm_ctx *c, spe_id v)
{
    spe_id i32 = cm_like_(c, spe_int(c->m, 32), v), i16 = cm_like_(c, spe_int(c->m, 16), v), bits, odd, sum;
    if (c->lowering == CM_INTEL) return spe_f32_to_bf16(c->m, v);
    bits = spe_bitcast(c->m, i32, v);
    odd = spe_and(c->m, spe_shr(c->m, bits, spe_const_u(c->m, i32, 16)), spe_const_u(c->m, i32, 1));
    sum = spe_iadd(c->m, spe_iadd(c->m, bits, odd), spe_const_u(c->m, i32, 0x7fff));
    sum = spe_select(c->m, spe_isnan(c->m, v), spe_or(c->m, bits, spe_const_u(c->m, i32, 0x400000)), sum);
    return spe_uconvert(c->m, i16, spe_shr(c->m, sum, spe_const_u(c->m, i32, 16)));
}

/* The constant `bits` for every component of v's i32 (or f32) vector type. */
XE_FN_ spe_id cm_bits_(cm_ctx *c, spe_id type, uint64_t bits) { return spe_const_u(c->m, type, bits); }

/* bf16 towards zero, and tf32 (held as f32) to nearest or towards zero: the bits that do not fit are cut off, after
 * half a unit has been added when rounding to nearest. */
XE_FN_ spe_id cm_cut_(cm_ctx *c, spe_id v, int cut, bool nearest)
{
    spe_module *m = c->m;
    spe_id i32 = cm_like_(c, spe_int(m, 32), v), bits = spe_bitcast(m, i32, v), sum = bits, odd;
    uint32_t unit = (uint32_t)1 << cut;
    if (nearest) {
        odd = spe_and(m, spe_shr(m, bits, cm_bits_(c, i32, (uint64_t)cut)), cm_bits_(c, i32, 1));
        sum = spe_iadd(m, spe_iadd(m, bits, odd), cm_bits_(c, i32, unit / 2 - 1));
    }
    sum = spe_select(m, spe_isnan(m, v), spe_or(m, bits, cm_bits_(c, i32, 0x400000)), sum);
    return spe_bitcast(m, cm_like_(c, spe_float(m, 32), v), spe_and(m, sum, cm_bits_(c, i32, 0u - unit)));
}

/* What the 8-bit floats are made of: the f32 exponent field's low bits that go, the largest number, the smallest normal
 * one, and the f32 whose last place is the smallest subnormal one. */
typedef struct {
    cm_type type;
    int cut, rebias;
    double largest, normal, magic;
} cm_f8_;

XE_FN_ const cm_f8_ *cm_f8_row_(cm_type type)
{
    static const cm_f8_ rows[] = {{CM_E4M3, 20, (127 - 7) << 3, 448, 0x1p-6, 0x1p14},
                                  {CM_E5M2, 21, (127 - 15) << 2, 57344, 0x1p-14, 0x1p7}};
    return type == CM_E4M3 ? &rows[0] : type == CM_E5M2 ? &rows[1] : NULL;
}

/* Both are the upper bits of an f16, e4m3 after a scaling by 2^8 that f32 does exactly. */
XE_FN_ spe_id cm_f8_to_f32_(cm_ctx *c, cm_type type, spe_id v)
{
    spe_module *m = c->m;
    spe_id i16 = cm_like_(c, spe_int(m, 16), v), f32 = cm_like_(c, spe_float(m, 32), v), sign, rest, half;
    spe_id wide = spe_uconvert(m, i16, v);
    if (type == CM_E5M2) {
        half = spe_bitcast(m, cm_like_(c, spe_float(m, 16), v), spe_shl(m, wide, cm_bits_(c, i16, 8)));
        return spe_fconvert(m, f32, half);
    }
    rest = spe_and(m, wide, cm_bits_(c, i16, 0x7f));
    sign = spe_shl(m, spe_and(m, wide, cm_bits_(c, i16, 0x80)), cm_bits_(c, i16, 8));
    half = spe_bitcast(m, cm_like_(c, spe_float(m, 16), v), spe_or(m, sign, spe_shl(m, rest, cm_bits_(c, i16, 7))));
    half = spe_fmul(m, spe_fconvert(m, f32, half), spe_const_f(m, f32, 256));
    return spe_select(m, spe_ieq(m, rest, cm_bits_(c, i16, 0x7f)),
                      spe_bitcast(m, f32, cm_bits_(c, cm_like_(c, spe_int(m, 32), v), 0x7fc00000)), half);
}

/* To nearest even, the largest number for what is larger (infinity too); NaN stays NaN. */
XE_FN_ spe_id cm_f32_to_f8_(cm_ctx *c, cm_type type, spe_id v)
{
    const cm_f8_ *f = cm_f8_row_(type);
    spe_module *m = c->m;
    spe_id f32 = spe_type_of(m, v), i32 = cm_like_(c, spe_int(m, 32), v), magic = spe_const_f(m, f32, f->magic);
    spe_id size = spe_math2(m, SPE_FMIN, spe_math1(m, SPE_FABS, v), spe_const_f(m, f32, f->largest));
    spe_id bits = spe_bitcast(m, i32, size), normal, tiny, sign, odd;
    odd = spe_and(m, spe_shr(m, bits, cm_bits_(c, i32, (uint64_t)f->cut)), cm_bits_(c, i32, 1));
    normal = spe_iadd(m, spe_iadd(m, bits, odd), cm_bits_(c, i32, ((uint64_t)1 << f->cut) / 2 - 1));
    normal = spe_shr(m, normal, cm_bits_(c, i32, (uint64_t)f->cut));
    normal = spe_isub(m, normal, cm_bits_(c, i32, (uint64_t)f->rebias));
    tiny = spe_isub(m, spe_bitcast(m, i32, spe_fadd(m, size, magic)), spe_bitcast(m, i32, magic));
    bits = spe_select(m, spe_flt(m, size, spe_const_f(m, f32, f->normal)), tiny, normal);
    bits = spe_select(m, spe_isnan(m, v), cm_bits_(c, i32, 0x7f), bits);
    sign = spe_and(m, spe_shr(m, spe_bitcast(m, i32, v), cm_bits_(c, i32, 24)), cm_bits_(c, i32, 0x80));
    return spe_uconvert(m, cm_like_(c, spe_int(m, 8), v), spe_or(m, bits, sign));
}

/* Between the storage type and the type that arithmetic is done in. */
spe_id cm_to_arith(cm_ctx *c, cm_type type, spe_id v)
{
    if (!cm_arith_type(c, type)) return 0;
    if (cm_f8_row_(type)) return cm_f8_to_f32_(c, type, v);
    return type == CM_BF16 ? cm_bf16_to_f32_(c, v) : v;
}
spe_id cm_from_arith(cm_ctx *c, cm_type type, spe_id v)
{
    bool small = type == CM_BF16 || type == CM_TF32 || cm_f8_row_(type) != NULL;
    bool zero = c->rounding == CM_ROUND_ZERO;
    if (!small) return v;
    if (c->rounding > CM_ROUND_ZERO || (zero && cm_f8_row_(type)))
        return cm_fail_(c, CM_ERROR_CONVERT, "no such rounding to %s", cm_type_info(type)->name);
    if (type == CM_TF32) return cm_cut_(c, v, 13, !zero);
    if (type != CM_BF16) return cm_f32_to_f8_(c, type, v);
    if (!zero) return cm_f32_to_bf16(c, v);
    v = spe_bitcast(c->m, cm_like_(c, spe_int(c->m, 32), v), cm_cut_(c, v, 16, false));
    return spe_uconvert(c->m, cm_like_(c, spe_int(c->m, 16), v),
                        spe_shr(c->m, v, cm_bits_(c, spe_type_of(c->m, v), 16)));
}

/* The instruction between arithmetic types, without rounding or saturation asked for. */
XE_FN_ spe_id cm_convert_plainly_(cm_ctx *c, const cm_type_row *f, const cm_type_row *t, spe_id type, spe_id v)
{
    if (f->kind == CM_KIND_FLOAT && t->kind == CM_KIND_FLOAT) return spe_fconvert(c->m, type, v);
    if (f->kind == CM_KIND_FLOAT) return t->is_signed ? spe_f_to_s(c->m, type, v) : spe_f_to_u(c->m, type, v);
    if (t->kind == CM_KIND_FLOAT) return f->is_signed ? spe_s_to_f(c->m, type, v) : spe_u_to_f(c->m, type, v);
    if (c->saturate && f->is_signed != t->is_signed)
        return spe_op(c->m, t->is_signed ? SPE_OpSatConvertUToS : SPE_OpSatConvertSToU, type, 1, &v);
    return f->is_signed ? spe_sconvert(c->m, type, v) : spe_uconvert(c->m, type, v);
}

/* Arithmetic values of one type to those of another: to nearest between floats, towards zero to integers, the low bits
 * between integers, unless cm_convert_as has asked for something else. */
XE_FN_ spe_id cm_convert_arith_(cm_ctx *c, cm_type from, cm_type to, spe_id v)
{
    static const uint32_t modes[] = {0, SPE_FPRoundingModeRTE, SPE_FPRoundingModeRTZ, SPE_FPRoundingModeRTP,
                                     SPE_FPRoundingModeRTN};
    const cm_type_row *f = cm_type_info(from), *t = cm_type_info(to);
    spe_id type = cm_arith_type(c, to), same = cm_arith_type(c, from), id;
    bool clamped;
    if (!type || !same) return 0;
    if (type == same && !(c->saturate && f->is_signed != t->is_signed)) return v;
    id = cm_convert_plainly_(c, f, t, cm_like_(c, type, v), v);
    clamped = c->saturate && t->kind == CM_KIND_INT && (f->kind != CM_KIND_INT || f->is_signed == t->is_signed);
    if (!id || id == v) return id;
    if (c->rounding && (f->kind == CM_KIND_FLOAT || t->kind == CM_KIND_FLOAT))
        spe_decorate(c->m, id, SPE_DecorationFPRoundingMode, 1, &modes[c->rounding]);
    if (clamped) spe_decorate(c->m, id, SPE_DecorationSaturatedConversion, 0, NULL);
    return id;
}

spe_id cm_convert_vector_(cm_ctx *c, cm_type from, cm_type to, spe_id v)
{
    if (from == to) return v;
    return cm_from_arith(c, to, cm_convert_arith_(c, from, to, cm_to_arith(c, from, v)));
}

/* All V components of this lane as scalars of the storage type of `type`, converted to it; in the arena, NULL on error.
 */
spe_id *cm_component_ids(cm_ctx *c, const cm_matrix *a, cm_type type)
{
    int part, first, i, v = 0, channels = cm_channels_(&a->l);
    spe_id *out = (spe_id *)spe_alloc(c->m, (size_t)a->l.V * sizeof(spe_id));
    if (cm_opaque_(c, "this operation") || !cm_arith_type(c, a->l.type)) return NULL;
    for (part = 0; out && part < a->parts; part++) {
        int words = cm_part_words(&a->l, part), group = cm_group_(&a->l, words);
        for (first = 0; first < words; first += group) {
            spe_id vector = cm_convert_vector_(c, a->l.type, type, cm_unpack_(c, &a->l, a->part[part], first, group));
            for (i = 0; i < group * channels; i++)
                out[v++] = group * channels == 1 ? vector : spe_extract(c->m, vector, (uint32_t)i);
        }
    }
    return out;
}

/* ---- construction, component-wise operations --------------------------------------------------------------------- */

/* CM_KHR: every part is made of one component. (Intel's compiler does not survive an OpConstantNull here.) */
XE_FN_ cm_matrix cm_splat_khr_(cm_ctx *c, cm_matrix a, spe_id scalar)
{
    spe_id value = scalar ? scalar : spe_null(c->m, cm_storage_type(c, a.l.type));
    int i;
    for (i = 0; i < a.parts; i++) a.part[i] = spe_construct(c->m, cm_part_type(c, &a.l, i), 1, &value);
    return a;
}

cm_matrix cm_splat(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, spe_id scalar)
{
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    cm_matrix a = cm_new_(c, &l);
    spe_id copies[16], word = 0;
    int i;
    if (!a.parts) return a;
    if (scalar && spe_type_of(c->m, scalar) != cm_storage_type(c, type)) {
        cm_fail_(c, CM_ERROR_SCALAR, "the scalar of a %s matrix is not of its storage type", cm_type_info(type)->name);
        return cm_poison();
    }
    if (c->lowering == CM_KHR) return cm_splat_khr_(c, a, scalar);
    for (i = 0; i < 16; i++) copies[i] = scalar;
    if (scalar) word = cm_pack_(c, &l, cm_join_(c, cm_storage_type(c, type), copies, cm_channels_(&l), 1), 1);
    for (i = 0; i < a.parts; i++) {
        spe_id vector = cm_part_type(c, &l, i);
        if (!scalar || (cm_is_complex(type) && i >= a.parts / 2))
            a.part[i] = spe_null(c->m, vector);
        else
            a.part[i] = cm_part_words(&l, i) == 1 ? word : spe_splat(c->m, vector, word);
    }
    return a;
}

/* fn on every group of components of a (and b, when given), the result converted to the type of l. */
cm_matrix cm_map_(cm_ctx *c, const cm_layout *l, const cm_matrix *a, const cm_matrix *b, cm_fn fn, void *user)
{
    cm_matrix d = cm_new_(c, l);
    cm_type type = a->l.type;
    int part, first;
    if (cm_opaque_(c, "component-wise operations") || !cm_arith_type(c, type) || !cm_arith_type(c, l->type))
        return cm_poison();
    for (part = 0; part < d.parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), pieces = 0;
        spe_id piece[8];
        for (first = 0; first < words; first += group) {
            spe_id x = cm_unpack_(c, &a->l, a->part[part], first, group), y = 0;
            if (b) y = cm_to_arith(c, type, cm_unpack_(c, &b->l, b->part[part], first, group));
            if (fn) x = cm_from_arith(c, type, fn(c, type, cm_to_arith(c, type, x), y, user));
            piece[pieces++] = cm_pack_(c, l, cm_convert_vector_(c, type, l->type, x), group);
        }
        d.part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    return spe_ok(c->m) ? d : cm_poison();
}

cm_matrix cm_map1(cm_ctx *c, const cm_matrix *a, cm_fn fn, void *user)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_map_(c, &a->l, a, NULL, fn, user);
}

cm_matrix cm_map2(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, cm_fn fn, void *user)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b)) return cm_poison();
    if (a->l.type != b->l.type) {
        cm_fail_(c, CM_ERROR_COMPONENT, "component types differ: %s and %s", cm_type_info(a->l.type)->name,
                 cm_type_info(b->l.type)->name);
        return cm_poison();
    }
    if (!cm_same_layout_(&a->l, &b->l)) {
        cm_fail_(c, CM_ERROR_SHAPE, "matrices differ: %d x %d %s and %d x %d %s", a->l.rows, a->l.cols,
                 cm_use_name(a->l.use), b->l.rows, b->l.cols, cm_use_name(b->l.use));
        return cm_poison();
    }
    return cm_map_(c, &a->l, a, b, fn, user);
}

/* Column of the tables by kind of type. */
int cm_kind_column_(cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    return t->kind == CM_KIND_FLOAT ? 0 : t->is_signed ? 1 : 2;
}

spe_id cm_apply_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    cm_op op = *(const cm_op *)user;
    spe_id r;
    if (!a || !b) return 0;
    r = spe_arith(c->m, (spe_arith_op)op, (spe_number_kind)cm_kind_column_(type), a, b);
    if (r || !spe_ok(c->m)) return r;
    return cm_fail_(c, CM_ERROR_EMIT_TYPE, "there is no operation %s on %s", spe_arith_name((spe_arith_op)op),
                    cm_type_info(type)->name);
}

/* a b or a / b of complex matrices, by their parts: for a quotient a conj(b) / |b|^2. */
XE_FN_ cm_matrix cm_multiply_complex_(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, bool divide)
{
    cm_matrix x = cm_re(c, a), y = cm_im(c, a), u = cm_re(c, b), v = cm_im(c, b);
    cm_matrix xu = cm_binary(c, CM_MUL, &x, &u), yv = cm_binary(c, CM_MUL, &y, &v);
    cm_matrix xv = cm_binary(c, CM_MUL, &x, &v), yu = cm_binary(c, CM_MUL, &y, &u);
    cm_matrix re = cm_binary(c, divide ? CM_ADD : CM_SUB, &xu, &yv);
    cm_matrix im = divide ? cm_binary(c, CM_SUB, &yu, &xv) : cm_binary(c, CM_ADD, &xv, &yu);
    if (divide) {
        cm_matrix uu = cm_binary(c, CM_MUL, &u, &u), vv = cm_binary(c, CM_MUL, &v, &v);
        cm_matrix norm = cm_binary(c, CM_ADD, &uu, &vv);
        re = cm_binary(c, CM_DIV, &re, &norm);
        im = cm_binary(c, CM_DIV, &im, &norm);
    }
    return cm_complex(c, &re, &im);
}

XE_FN_ cm_matrix cm_binary_complex_(cm_ctx *c, cm_op op, const cm_matrix *a, const cm_matrix *b)
{
    cm_matrix re, im, p, q;
    if (a->l.type != b->l.type) {
        cm_fail_(c, CM_ERROR_COMPONENT, "component types differ: %s and %s", cm_type_info(a->l.type)->name,
                 cm_type_info(b->l.type)->name);
        return cm_poison();
    }
    if (op > CM_DIV) {
        cm_fail_(c, CM_ERROR_EMIT_TYPE, "there is no operation %s on %s", spe_arith_name((spe_arith_op)op),
                 cm_type_info(a->l.type)->name);
        return cm_poison();
    }
    if (op == CM_MUL || op == CM_DIV) return cm_multiply_complex_(c, a, b, op == CM_DIV);
    re = cm_re(c, a), p = cm_re(c, b), im = cm_im(c, a), q = cm_im(c, b);
    re = cm_binary(c, op, &re, &p);
    im = cm_binary(c, op, &im, &q);
    return cm_complex(c, &re, &im);
}

cm_matrix cm_binary(cm_ctx *c, cm_op op, const cm_matrix *a, const cm_matrix *b)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b)) return cm_poison();
    if ((unsigned)op > (unsigned)CM_SHR) {
        cm_fail_(c, CM_ERROR_OPERATION, "cm_binary: there is no operation %d", (int)op);
        return cm_poison();
    }
    if (cm_is_complex(a->l.type)) return cm_binary_complex_(c, op, a, b);
    return cm_map2(c, a, b, cm_apply_, &op);
}

cm_matrix cm_add(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_ADD, a, b); }
cm_matrix cm_sub(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_SUB, a, b); }
cm_matrix cm_mul(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_MUL, a, b); }

XE_FN_ const char *cm_unary_name_(cm_unary_op op)
{
    static const char *const names[] = {"CM_NEG", "CM_NOT", "CM_CONJ",
#define CM_ROW_(name, function) "CM_" #name,
                                        CM_UNARY_OPS_(CM_ROW_)
#undef CM_ROW_
    };
    return names[op];
}

XE_FN_ spe_id cm_apply_unary_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    static const spe_math_op functions[] = {SPE_FABS, SPE_FABS, SPE_FABS,
#define CM_ROW_(name, function) SPE_##function,
                                            CM_UNARY_OPS_(CM_ROW_)
#undef CM_ROW_
    };
    cm_unary_op op = *(const cm_unary_op *)user;
    int kind = cm_kind_column_(type);
    (void)b;
    if (!a) return 0;
    if (op == CM_NEG) return kind == 0 ? spe_fneg(c->m, a) : spe_ineg(c->m, a);
    if (op == CM_NOT && kind > 0) return spe_not(c->m, a);
    if (op == CM_ABS && kind > 0) return kind == 1 ? spe_math1(c->m, SPE_SABS, a) : a;
    if (op > CM_CONJ && kind == 0) return spe_math1(c->m, functions[op], a);
    return cm_fail_(c, CM_ERROR_EMIT_TYPE, "there is no operation %s on %s", cm_unary_name_(op),
                    cm_type_info(type)->name);
}

/* |z| is a matrix of reals; exp z = e^x (cos y + i sin y), exp2 and the native ones alike. */
XE_FN_ cm_matrix cm_unary_complex_(cm_ctx *c, cm_unary_op op, const cm_matrix *a)
{
    cm_matrix x = cm_re(c, a), y = cm_im(c, a), p, q;
    bool two = op == CM_EXP2 || op == CM_NATIVE_EXP2, native = op == CM_NATIVE_EXP || op == CM_NATIVE_EXP2;
    if (op == CM_NEG || op == CM_CONJ) {
        x = op == CM_NEG ? cm_unary(c, CM_NEG, &x) : x;
        y = cm_unary(c, CM_NEG, &y);
        return cm_complex(c, &x, &y);
    }
    if (op == CM_ABS) {
        p = cm_binary(c, CM_MUL, &x, &x);
        q = cm_binary(c, CM_MUL, &y, &y);
        p = cm_add(c, &p, &q);
        return cm_unary(c, CM_SQRT, &p);
    }
    if (op != CM_EXP && !two && !native) {
        cm_fail_(c, CM_ERROR_EMIT_TYPE, "there is no operation %s on %s", cm_unary_name_(op),
                 cm_type_info(a->l.type)->name);
        return cm_poison();
    }
    if (two) {
        spe_id ln2 = spe_const_f(c->m, cm_storage_type(c, y.l.type), 0.69314718055994530942);
        q = cm_splat(c, y.l.rows, y.l.cols, y.l.type, y.l.use, ln2);
        y = cm_mul(c, &y, &q);
    }
    x = cm_unary(c, op, &x);
    p = cm_unary(c, native ? CM_NATIVE_COS : CM_COS, &y);
    q = cm_unary(c, native ? CM_NATIVE_SIN : CM_SIN, &y);
    p = cm_mul(c, &x, &p);
    q = cm_mul(c, &x, &q);
    return cm_complex(c, &p, &q);
}

cm_matrix cm_unary(cm_ctx *c, cm_unary_op op, const cm_matrix *a)
{
    if (cm_is_poison_(c, a)) return cm_poison();
    if ((unsigned)op >= (unsigned)CM_UNARY_COUNT_) {
        cm_fail_(c, CM_ERROR_OPERATION, "cm_unary: there is no operation %d", (int)op);
        return cm_poison();
    }
    return cm_is_complex(a->l.type) ? cm_unary_complex_(c, op, a) : cm_map1(c, a, cm_apply_unary_, &op);
}

cm_matrix cm_scale(cm_ctx *c, const cm_matrix *a, spe_id scalar)
{
    cm_matrix s, re, im;
    if (cm_is_poison_(c, a)) return cm_poison();
    if (cm_is_complex(a->l.type)) {
        re = cm_re(c, a), im = cm_im(c, a);
        re = cm_scale(c, &re, scalar);
        im = cm_scale(c, &im, scalar);
        return cm_complex(c, &re, &im);
    }
    s = cm_splat(c, a->l.rows, a->l.cols, a->l.type, a->l.use, scalar);
    return cm_mul(c, a, &s);
}

/* ---- where a component is, in the kernel ------------------------------------------------------------------------- */

spe_id cm_i32_(cm_ctx *c, int v) { return spe_i32(c->m, v); }

/* v * factor and v / divisor without instructions that do nothing; divisor a power of two, v >= 0. */
spe_id cm_times_(cm_ctx *c, spe_id v, int factor)
{
    return factor == 1 ? v : spe_imul(c->m, v, cm_i32_(c, factor));
}
spe_id cm_plus_(cm_ctx *c, spe_id v, int n) { return n == 0 ? v : spe_iadd(c->m, v, cm_i32_(c, n)); }
spe_id cm_mod_(cm_ctx *c, spe_id v, int n) { return spe_and(c->m, v, cm_i32_(c, n - 1)); }
spe_id cm_shr_(cm_ctx *c, spe_id v, int divisor)
{
    int shift = 0;
    while (1 << shift < divisor) shift++;
    return shift == 0 ? v : spe_shr(c->m, v, cm_i32_(c, shift));
}

spe_id cm_shr_signed_(cm_ctx *c, spe_id v, int divisor) /* rounds down */
{
    int shift = 0;
    while (1 << shift < divisor) shift++;
    return shift == 0 ? v : spe_sar(c->m, v, cm_i32_(c, shift));
}

cm_lane cm_lane_(cm_ctx *c, const cm_layout *l)
{
    spe_id p = spe_builtin(c->m, SPE_SUBGROUP_LANE, 0);
    cm_lane lane;
    lane.i = l->I == l->S ? p : cm_mod_(c, p, l->I);
    lane.j0 = l->I == l->S ? cm_i32_(c, 0) : cm_shr_(c, p, l->I);
    return lane;
}

/* Component v = (word, channel) of the vector: the row and the first lane's column that it stands for. */
cm_element cm_first_element_(const cm_layout *l, int v)
{
    cm_slot s;
    s.lane = 0;
    s.component = v / l->omega;
    s.channel = v % l->omega;
    return cm_element_of(l, s);
}

spe_id cm_row_index(cm_ctx *c, const cm_layout *l, int v)
{
    cm_lane lane = cm_lane_(c, l);
    return cm_plus_(c, cm_times_(c, lane.i, l->interleaved ? l->K1 : 1), cm_first_element_(l, v).row);
}

spe_id cm_col_index(cm_ctx *c, const cm_layout *l, int v)
{
    cm_lane lane = cm_lane_(c, l);
    return cm_plus_(c, cm_times_(c, lane.j0, l->omega), cm_first_element_(l, v).col);
}

/* Component v of the vector -> its row and column among the axes: v = (w1 + u K1 + w2 K1 V/K), u with its channels. */
void cm_axes_of_(const cm_layout *l, int v, int *row, int *col)
{
    int per_block = l->V / l->K2, in_block = v % per_block;
    *row = in_block % l->K1 + v / per_block * l->K1;
    *col = in_block / l->K1;
}

/* convert.c - conversion of matrices. */

XE_FN_ cm_matrix cm_change_(cm_ctx *c, const cm_matrix *a, cm_type type, cm_use use);

/* ---- conversion of matrices -------------------------------------------------------------------------------------- */

/* Where component v of each lane of layout `to` comes from in layout `from`: the distinct components, and whether no
 * lane needs another's. At most one row or column of sources a lane, so S is enough room. */
typedef struct {
    int source[64], count;
    bool in_lane;
} cm_sources_;

/* Element (r, c) of `to` is element (r, c) of `from`, or (c, r) when `transposed`, both modulo the extents of `from`.
 */
XE_FN_ void cm_find_sources_(const cm_layout *from, const cm_layout *to, bool transposed, int v,
                                    cm_sources_ *out)
{
    int p, i, row, col;
    out->count = 0;
    out->in_lane = true;
    for (p = 0; p < to->S; p++) {
        cm_slot want = {0, 0, 0}, have;
        cm_element e;
        want.lane = p;
        want.component = v / to->omega;
        want.channel = v % to->omega;
        e = cm_element_of(to, want);
        if (e.padding) continue;
        row = (transposed ? e.col : e.row) % from->rows;
        col = (transposed ? e.row : e.col) % from->cols;
        have = cm_slot_of(from, row, col);
        if (have.lane != p) out->in_lane = false;
        for (i = 0; i < out->count && out->source[i] != have.component * from->omega + have.channel; i++) continue;
        if (i == out->count && i < 64) out->source[out->count++] = have.component * from->omega + have.channel;
    }
}

/* cm_slot_of in the kernel: lane and component number (channels counted) of an element in layout l. */
XE_FN_ void cm_find_slot_(cm_ctx *c, const cm_layout *l, spe_id row, spe_id col, spe_id *lane, spe_id *v)
{
    spe_module *m = c->m;
    spe_id inner = cm_mod_(c, row, l->I * l->K1), k2 = cm_shr_(c, row, l->I * l->K1);
    spe_id i = l->interleaved ? cm_shr_(c, inner, l->K1) : cm_mod_(c, inner, l->I);
    spe_id k1 = l->interleaved ? cm_mod_(c, inner, l->K1) : cm_shr_(c, inner, l->I);
    spe_id j = spe_iadd(m, cm_shr_(c, col, l->omega), cm_times_(c, k2, l->J / l->omega));
    spe_id number = spe_iadd(m, i, cm_times_(c, spe_iadd(m, k1, cm_times_(c, j, l->K1)), l->I));
    *lane = cm_mod_(c, number, l->S);
    *v = spe_iadd(m, cm_times_(c, cm_shr_(c, number, l->S), l->omega), cm_mod_(c, col, l->omega));
}

/* Component v of layout `to`, for which lanes need others' components: a shuffle for each source, then a choice. */
XE_FN_ spe_id cm_fetch_(cm_ctx *c, const cm_layout *from, const cm_layout *to, bool transposed, int v,
                               const cm_sources_ *s, const spe_id *components)
{
    spe_id lane, number, got = 0, row = cm_row_index(c, to, v), col = cm_col_index(c, to, v), swap = row;
    int i, rows = transposed ? to->cols : to->rows, cols = transposed ? to->rows : to->cols;
    if (transposed) row = col, col = swap;
    if (rows > from->rows) row = cm_mod_(c, row, from->rows);
    if (cols > from->cols) col = spe_umod(c->m, col, cm_i32_(c, from->cols));
    cm_find_slot_(c, from, row, col, &lane, &number);
    for (i = 0; i < s->count; i++) {
        spe_id one = components[s->source[i]];
        if (!s->in_lane) one = spe_sg_shuffle(c->m, one, lane);
        got = i == 0 ? one : spe_select(c->m, spe_ieq(c->m, number, cm_i32_(c, s->source[i])), one, got);
    }
    return got;
}

/* The elements of `a`, converted to the type of layout `to`, where that layout wants them (see cm_find_sources_). */
cm_matrix cm_relayout_(cm_ctx *c, const cm_matrix *a, const cm_layout *to, bool transposed)
{
    spe_id *from = cm_component_ids(c, a, to->type), *v = (spe_id *)spe_alloc(c->m, (size_t)to->V * sizeof(spe_id));
    spe_id zero = spe_null(c->m, cm_storage_type(c, to->type));
    int i;
    if (!from || !v) return cm_poison();
    for (i = 0; i < to->V; i++) {
        cm_sources_ s;
        cm_find_sources_(&a->l, to, transposed, i, &s);
        if (s.count == 0)
            v[i] = zero;
        else if (s.count == 1 && s.in_lane)
            v[i] = from[s.source[0]];
        else
            v[i] = cm_fetch_(c, &a->l, to, transposed, i, &s, from);
    }
    return cm_from_components(c, to, v);
}

/* Component v of one layout is component v of the other. */
XE_FN_ bool cm_aligned_(const cm_layout *a, const cm_layout *b)
{
    return a->V == b->V && a->omega == b->omega && a->K1 == b->K1 && a->interleaved == b->interleaved;
}

/* Of a complex matrix: both parts change. A real one becomes the real part. */
XE_FN_ cm_matrix cm_change_complex_(cm_ctx *c, const cm_matrix *a, cm_type type, cm_use use)
{
    cm_type part = type == CM_C32 ? CM_F32 : CM_F64;
    cm_matrix re = *a, im;
    if (!cm_is_complex(type)) {
        cm_fail_(c, CM_ERROR_CONVERT, "%s to %s: take cm_re or cm_im", cm_type_info(a->l.type)->name,
                 cm_type_info(type)->name);
        return cm_poison();
    }
    if (cm_is_complex(a->l.type)) {
        re = cm_re(c, a);
        im = cm_im(c, a);
        im = cm_change_(c, &im, part, use);
    } else {
        im = cm_splat(c, a->l.rows, a->l.cols, part, use, 0);
    }
    re = cm_change_(c, &re, part, use);
    return cm_complex(c, &re, &im);
}

XE_FN_ cm_matrix cm_change_(cm_ctx *c, const cm_matrix *a, cm_type type, cm_use use)
{
    cm_layout l;
    if (cm_is_poison_(c, a)) return cm_poison();
    if (type == a->l.type && use == a->l.use) return *a;
    l = cm_layout_for(c, a->l.rows, a->l.cols, type, use);
    if (!l.rows) return cm_poison();
    if (cm_is_complex(type) || cm_is_complex(a->l.type)) return cm_change_complex_(c, a, type, use);
    if (c->lowering == CM_KHR && use != a->l.use) return cm_opaque_(c, "cm_convert_use"), cm_poison();
    return cm_aligned_(&l, &a->l) ? cm_map_(c, &l, a, NULL, NULL, NULL) : cm_relayout_(c, a, &l, false);
}

cm_matrix cm_convert(cm_ctx *c, const cm_matrix *a, cm_type type)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_change_(c, a, type, a->l.use);
}

cm_matrix cm_convert_as(cm_ctx *c, const cm_matrix *a, cm_type type, cm_rounding rounding, bool saturate)
{
    cm_matrix d;
    if (cm_is_poison_(c, a) || cm_opaque_(c, "cm_convert_as")) return cm_poison();
    if ((unsigned)rounding > (unsigned)CM_ROUND_DOWN) {
        cm_fail_(c, CM_ERROR_CONVERT, "cm_convert_as: there is no rounding %d", (int)rounding);
        return cm_poison();
    }
    c->rounding = rounding;
    c->saturate = saturate;
    d = cm_change_(c, a, type, a->l.use);
    c->rounding = CM_ROUND_AUTO;
    c->saturate = false;
    return d;
}

cm_matrix cm_convert_use(cm_ctx *c, const cm_matrix *a, cm_use use)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_change_(c, a, a->l.type, use);
}

/* shape.c - transposing, repeating. */

/* `rows` x `cols` in the given use, element (r, c) from (r, c) of `a`, or (c, r), modulo the extents of a. */
XE_FN_ cm_matrix cm_rearrange_(cm_ctx *c, const cm_matrix *a, int rows, int cols, cm_use use, bool transposed)
{
    cm_layout l;
    cm_matrix re, im;
    if (cm_is_poison_(c, a)) return cm_poison();
    if (cm_is_complex(a->l.type)) {
        re = cm_re(c, a), im = cm_im(c, a);
        re = cm_rearrange_(c, &re, rows, cols, use, transposed);
        im = cm_rearrange_(c, &im, rows, cols, use, transposed);
        return cm_complex(c, &re, &im);
    }
    l = cm_layout_for(c, rows, cols, a->l.type, use);
    return l.rows ? cm_relayout_(c, a, &l, transposed) : cm_poison();
}

cm_matrix cm_transpose(cm_ctx *c, const cm_matrix *a, cm_use use)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_rearrange_(c, a, a->l.cols, a->l.rows, use, true);
}

cm_matrix cm_repeat(cm_ctx *c, const cm_matrix *a, int rows, int cols)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_rearrange_(c, a, rows, cols, a->l.use, false);
}

/* ---- apply ------------------------------------------------------------------------------------------------------- */

cm_walk_ cm_walk_begin_(cm_ctx *c, const cm_matrix *a)
{
    cm_walk_ w;
    memset(&w, 0, sizeof w);
    w.c = c;
    w.a = a;
    w.v = -1;
    if (cm_is_poison_(c, a)) return w;
    w.value = cm_component_ids(c, a, a->l.type);
    if (w.value) w.lane = cm_lane_(c, &a->l);
    return w;
}

bool cm_walk_next_(cm_walk_ *w)
{
    const cm_layout *l = &w->a->l;
    cm_ctx *c = w->c;
    cm_element e;
    if (!w->value) return false;
    if (w->v >= 0) {
        spe_id want = cm_arith_type(c, l->type);
        if (w->component && spe_type_of(c->m, w->component) != want)
            cm_fail_(c, CM_ERROR_SCALAR, "CM_APPLY: the component is not of the arithmetic type of %s any more",
                     cm_type_info(l->type)->name);
        w->value[w->v] = spe_ok(c->m) ? cm_from_arith(c, l->type, w->component) : 0;
    }
    if (!spe_ok(c->m) || ++w->v >= l->V) return false;
    e = cm_first_element_(l, w->v);
    w->row = cm_plus_(c, cm_times_(c, w->lane.i, l->interleaved ? l->K1 : 1), e.row);
    w->col = cm_plus_(c, cm_times_(c, w->lane.j0, l->omega), e.col);
    w->component = cm_to_arith(c, l->type, w->value[w->v]);
    return true;
}

bool cm_walk_end_(cm_walk_ *w, cm_matrix *out)
{
    *out = w->value && spe_ok(w->c->m) ? cm_from_components(w->c, &w->a->l, w->value) : cm_poison();
    return false;
}

cm_matrix cm_apply(cm_ctx *c, const cm_matrix *a, cm_apply_fn fn, void *user)
{
    cm_walk_ w = cm_walk_begin_(c, a);
    cm_matrix d;
    while (cm_walk_next_(&w)) w.component = fn(c, w.row, w.col, w.component, user);
    cm_walk_end_(&w, &d);
    return d;
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

/* Floats below 32 bits are reduced in f32. */
XE_FN_ cm_type cm_reduce_type_(cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    return t->kind == CM_KIND_FLOAT && (t->bytes < 4 || type == CM_TF32) ? CM_F32 : type;
}

/* What changes nothing: 0, the smallest or the largest number, of the storage type (which `type` has for arithmetic).
 */
XE_FN_ spe_id cm_neutral_(cm_ctx *c, cm_op op, cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    spe_id id = cm_storage_type(c, type);
    uint64_t top = (uint64_t)1 << (t->storage_bits - 1), all = top | (top - 1);
    if (op == CM_ADD) return spe_null(c->m, id);
    if (t->kind == CM_KIND_FLOAT) return spe_const_f(c->m, id, op == CM_MIN ? (double)INFINITY : -(double)INFINITY);
    if (t->is_signed) return spe_const_u(c->m, id, op == CM_MIN ? top - 1 : top);
    return spe_const_u(c->m, id, op == CM_MIN ? all : 0);
}

/* What this lane gets to know: with CM_BY_ROW the total of each of its rows (K of them), with CM_BY_COLUMN of each of
 * its columns (V / K), in the arena. First inside the lane, then between the lanes that have the same row or column. */
XE_FN_ spe_id *cm_totals_(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a)
{
    const cm_layout *l = &a->l;
    cm_type type = cm_reduce_type_(l->type);
    spe_id *v = cm_component_ids(c, a, type), neutral = cm_neutral_(c, op, type);
    int n = by == CM_BY_ROW ? l->K : l->V / l->K, i, row, col, mask;
    int first = by == CM_BY_ROW ? l->I : 1, last = by == CM_BY_ROW ? l->S : l->I;
    spe_id *total = (spe_id *)spe_alloc(c->m, (size_t)n * sizeof(spe_id));
    for (i = 0; v && total && i < l->V; i++) {
        spe_id one = v[i];
        int at;
        if (by == CM_BY_ROW && l->needs_mask)
            one = spe_select(c->m, spe_slt(c->m, cm_col_index(c, l, i), cm_i32_(c, l->cols)), one, neutral);
        cm_axes_of_(l, i, &row, &col);
        at = by == CM_BY_ROW ? row : col;
        total[at] = total[at] ? cm_apply_(c, type, total[at], one, &op) : one;
    }
    for (i = 0; v && total && i < n; i++)
        for (mask = first; mask < last; mask *= 2)
            total[i] = cm_apply_(c, type, total[i], spe_sg_shuffle_xor(c->m, total[i], cm_i32_(c, mask)), &op);
    for (i = 0; v && total && i < n; i++) total[i] = cm_convert_vector_(c, type, l->type, total[i]);
    return v && spe_ok(c->m) ? total : NULL;
}

XE_FN_ bool cm_check_reduce_(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a)
{
    bool complex_order = cm_is_complex(a->l.type) && op != CM_ADD;
    if (cm_opaque_(c, "a reduction")) return false;
    if ((op == CM_ADD || op == CM_MIN || op == CM_MAX) && (unsigned)by <= (unsigned)CM_BY_COLUMN && !complex_order)
        return true;
    cm_fail_(c, CM_ERROR_OPERATION, "a reduction of %s by operation %d in direction %d", cm_type_info(a->l.type)->name,
             (int)op, (int)by);
    return false;
}

cm_matrix cm_reduce_spread(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a, int extent)
{
    cm_layout l;
    cm_matrix d, im;
    spe_id *total, *v;
    int i, row, col;
    if (cm_is_poison_(c, a) || !cm_check_reduce_(c, op, by, a)) return cm_poison();
    if (cm_is_complex(a->l.type)) {
        d = cm_re(c, a), im = cm_im(c, a);
        d = cm_reduce_spread(c, op, by, &d, extent);
        im = cm_reduce_spread(c, op, by, &im, extent);
        return cm_complex(c, &d, &im);
    }
    l = cm_layout_for(c, by == CM_BY_ROW ? a->l.rows : extent, by == CM_BY_ROW ? extent : a->l.cols, a->l.type,
                      a->l.use);
    if (!l.rows) return cm_poison();
    if (l.I != a->l.I) { /* other lanes have the columns: reduce in place, then move */
        d = cm_reduce_spread(c, op, by, a, a->l.rows);
        return cm_repeat(c, &d, extent, a->l.cols);
    }
    total = cm_totals_(c, op, by, a);
    v = (spe_id *)spe_alloc(c->m, (size_t)l.V * sizeof(spe_id));
    for (i = 0; total && v && i < l.V; i++) {
        cm_axes_of_(&l, i, &row, &col);
        v[i] = total[by == CM_BY_ROW ? row : col];
    }
    return total && v ? cm_from_components(c, &l, v) : cm_poison();
}

cm_matrix cm_reduce(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a)
{
    return cm_reduce_spread(c, op, by, a, 1);
}

/* memory.c - memory: what all paths share. */

bool cm_constant_(const cm_ctx *c, spe_id id, int64_t *value)
{
    uint64_t bits = 0;
    if (!id || !spe_const_bits(c->m, id, &bits)) return false;
    *value = (int32_t)(uint32_t)bits;
    return true;
}

bool cm_is_constant_(const cm_ctx *c, spe_id id, int64_t want)
{
    int64_t value = 0;
    return cm_constant_(c, id, &value) && value == want;
}

bool cm_check_i32_(cm_ctx *c, const char *what, spe_id id)
{
    if (!id || spe_type_of(c->m, id) == spe_int(c->m, 32)) return true;
    cm_fail_(c, CM_ERROR_POSITION, "cm_mem.%s is not a 32-bit integer", what);
    return false;
}

bool cm_surface_init_(cm_ctx *c, cm_surface_ *s, cm_type type, const cm_mem *mem)
{
    spe_type_info pointer = spe_info(c->m, spe_type_of(c->m, mem->ptr));
    spe_id storage = cm_storage_type(c, type), swap;
    memset(s, 0, sizeof *s);
    if (!spe_ok(c->m)) return false;
    if (pointer.kind != SPE_KIND_POINTER || pointer.elem != storage) {
        cm_fail_(c, CM_ERROR_POINTER, "cm_mem.ptr is not a pointer to the storage type of %s",
                 cm_type_info(type)->name);
        return false;
    }
    if (!cm_check_i32_(c, "rows", mem->rows) || !cm_check_i32_(c, "cols", mem->cols) ||
        !cm_check_i32_(c, "row", mem->row) || !cm_check_i32_(c, "col", mem->col) ||
        !cm_check_i32_(c, "stride_row", mem->stride_row) || !cm_check_i32_(c, "stride_col", mem->stride_col))
        return false;
    if (mem->padding && spe_type_of(c->m, mem->padding) != storage) {
        cm_fail_(c, CM_ERROR_SCALAR, "cm_mem.padding is not of the storage type of %s", cm_type_info(type)->name);
        return false;
    }
    s->ptr = mem->ptr;
    s->storage = pointer.storage;
    s->rows = mem->rows;
    s->cols = mem->cols;
    s->row = mem->row ? mem->row : cm_i32_(c, 0);
    s->col = mem->col ? mem->col : cm_i32_(c, 0);
    s->down = mem->stride_row ? mem->stride_row : cm_i32_(c, 1);
    s->right = mem->stride_col ? mem->stride_col : mem->rows;
    s->padding = mem->padding ? mem->padding : spe_null(c->m, storage);
    if (!s->right) {
        cm_fail_(c, CM_ERROR_POSITION, "cm_mem.stride_col may be 0 only when rows is given");
        return false;
    }
    if (mem->transposed) {
        swap = s->rows, s->rows = s->cols, s->cols = swap;
        swap = s->down, s->down = s->right, s->right = swap;
    }
    s->zero_padding = !mem->padding;
    if (mem->padding) {
        uint64_t bits;
        s->zero_padding = spe_const_bits(c->m, mem->padding, &bits) && bits == 0;
    }
    return true;
}

/* ---- 2D block messages: what is legal ---------------------------------------------------------------------------- */

const cm_block_shape *cm_block_shape_row(cm_block_op op, int elem, int width, uint32_t count)
{
    static const cm_block_shape rows[] = {
        {CM_BLOCK_LOAD, 1, 32, 63, 1 | 2},
        {CM_BLOCK_LOAD, 1, 16, 8 | 16 | 32, 4},
        {CM_BLOCK_LOAD, 2, 16, 63, 1 | 2},
        {CM_BLOCK_LOAD, 4, 8, 63, 1 | 2},
        {CM_BLOCK_LOAD, 4, 16, 63, 1},
        {CM_BLOCK_TRANSFORM, 1, 16, 32, 1 | 2 | 4},
        {CM_BLOCK_TRANSFORM, 2, 16, 16 | 32, 1 | 2},
        {CM_BLOCK_TRANSPOSE, 4, 8, 16 | 32, 1},
        {CM_BLOCK_STORE, 1, 16, 15, 1},
        {CM_BLOCK_STORE, 1, 32, 15, 1},
        {CM_BLOCK_STORE, 2, 16, 15, 1},
        {CM_BLOCK_STORE, 4, 16, 15, 1},
        {CM_BLOCK_PREFETCH, 1, 32, 63, 1 | 2},
        {CM_BLOCK_PREFETCH, 1, 16, 32, 1 | 2},
        {CM_BLOCK_PREFETCH, 1, 16, 8 | 16 | 32, 4},
        {CM_BLOCK_PREFETCH, 2, 16, 63, 1 | 2},
        {CM_BLOCK_PREFETCH, 4, 8, 63, 1 | 2},
        {CM_BLOCK_PREFETCH, 4, 16, 63, 1},
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].op == op && rows[i].elem == elem && rows[i].width == width && (rows[i].counts & count))
            return &rows[i];
    return NULL;
}

/* The largest block count that is legal and at most `blocks`; 0 when there is none. */
XE_FN_ int cm_block_count_(cm_block_op op, int elem, int width, int blocks)
{
    int n;
    for (n = 4; n > 0; n /= 2)
        if (n <= blocks && cm_block_shape_row(op, elem, width, (uint32_t)n)) return n;
    return 0;
}

/* The height to use for `rest` rows: the largest legal one that fits, else the smallest legal one (it reads too much).
 */
XE_FN_ int cm_block_height_(const cm_block_shape *shape, int rest)
{
    int h;
    for (h = 32; h > 0; h /= 2)
        if ((shape->heights & (uint32_t)h) && h <= rest) return h;
    for (h = 1; h <= 32; h *= 2)
        if (shape->heights & (uint32_t)h) return h;
    return 0;
}

/* Bytes of the surface: its width, rows of memory, and pitch. The direction whose stride is 1 is its width; one that is
 * not checked is taken as the largest there can be. */
XE_FN_ bool cm_block_surface_(cm_ctx *c, cm_type type, const cm_surface_ *s, spe_block2d *b, bool *transposed)
{
    int bytes = cm_type_info(type)->bytes;
    bool across = cm_is_constant_(c, s->right, 1), along = cm_is_constant_(c, s->down, 1);
    spe_id width, height, pitch;
    memset(b, 0, sizeof *b);
    if (!across && !along) return false;
    *transposed = !along;
    width = along ? s->rows : s->cols;
    height = along ? s->cols : s->rows;
    pitch = along ? s->right : s->down;
    b->elem_bytes = (uint32_t)bytes;
    b->ptr = s->ptr;
    b->pitch = cm_times_(c, pitch, bytes);
    b->mem_width = width ? cm_times_(c, width, bytes) : b->pitch;
    b->mem_height = height ? height : cm_i32_(c, 1 << 24);
    b->x = along ? s->row : s->col;
    b->y = along ? s->col : s->row;
    return true;
}

spe_id cm_block2d_test(cm_ctx *c, cm_type type, const cm_mem *mem)
{
    spe_module *m = c->m;
    cm_surface_ s;
    spe_block2d b;
    bool transposed;
    spe_id ok, base, bytes = 0;
    if (!cm_surface_init_(c, &s, type, mem)) return 0;
    if (s.storage != SPE_StorageClassCrossWorkgroup || cm_type_info(type)->bytes > 4 ||
        !cm_block_surface_(c, type, &s, &b, &transposed))
        return spe_const_bool(m, false);
    bytes = cm_times_(c, b.x, cm_type_info(type)->bytes);
    base = spe_uconvert(m, spe_int(m, 32), spe_ptr_to_u(m, spe_int(m, 64), s.ptr));
    ok = spe_ieq(m, cm_mod_(c, b.pitch, 16), cm_i32_(c, 0));
    ok = spe_land(m, ok, spe_uge(m, b.pitch, b.mem_width));
    ok = spe_land(m, ok, spe_uge(m, b.mem_width, cm_i32_(c, 64)));
    ok = spe_land(m, ok, spe_ule(m, b.pitch, cm_i32_(c, 1 << 24)));
    ok = spe_land(m, ok, spe_ule(m, transposed ? s.down : s.right, cm_i32_(c, 1 << 24))); /* elements: bytes may wrap */
    if (transposed ? s.cols : s.rows)
        ok = spe_land(m, ok, spe_ule(m, transposed ? s.cols : s.rows, cm_i32_(c, 1 << 24)));
    ok = spe_land(m, ok, spe_ieq(m, cm_mod_(c, spe_or(m, b.mem_width, bytes), 4), cm_i32_(c, 0)));
    ok = spe_land(m, ok, spe_ult(m, cm_plus_(c, b.mem_height, -1), cm_i32_(c, 1 << 24)));
    if (transposed && cm_type_info(type)->bytes == 1) { /* read as rows of twice the pitch: cm_every_second_row_ */
        ok = spe_land(m, ok, spe_ule(m, b.pitch, cm_i32_(c, 1 << 23)));
        ok = spe_land(m, ok, spe_sge(m, b.x, cm_i32_(c, 0)));
    }
    if (mem->align % 64 == 0 && mem->align > 0) return ok;
    return spe_land(m, ok, spe_ieq(m, cm_mod_(c, base, 64), cm_i32_(c, 0)));
}

/* CM_BLOCK2D_AUTO: everything that cm_block2d_test tests is known from constants. */
XE_FN_ bool cm_block2d_proven_(cm_ctx *c, cm_type type, const cm_mem *mem, const spe_block2d *b,
                                      bool transposed)
{
    int64_t pitch, width, height, x;
    int bytes = cm_type_info(type)->bytes;
    bool pairs = bytes == 1 && transposed; /* cm_every_second_row_ */
    return mem->align >= 64 && mem->align % 64 == 0 && cm_constant_(c, b->pitch, &pitch) &&
           cm_constant_(c, b->mem_width, &width) && cm_constant_(c, b->mem_height, &height) &&
           cm_constant_(c, b->x, &x) && pitch % 16 == 0 && width >= 64 && width % 4 == 0 && pitch >= width &&
           pitch <= (pairs ? 1 << 23 : 1 << 24) && height > 0 && height <= 1 << 24 && x * bytes % 4 == 0 &&
           (!pairs || x >= 0);
}

/* Whether this access is to use block messages, and with what surface. */
bool cm_block2d_wanted_(cm_ctx *c, cm_type type, const cm_mem *mem, const cm_surface_ *s, spe_block2d *b,
                        bool *transposed)
{
    if (mem->block2d == CM_BLOCK2D_NO || !(c->target.block2d_sizes & (uint32_t)c->target.subgroup_size)) return false;
    if (s->storage != SPE_StorageClassCrossWorkgroup) {
        if (mem->block2d == CM_BLOCK2D_YES)
            cm_fail_(c, CM_ERROR_BLOCK2D, "CM_BLOCK2D_YES: 2D block messages need global memory");
        return false;
    }
    if (!cm_block_surface_(c, type, s, b, transposed)) {
        if (mem->block2d == CM_BLOCK2D_YES)
            cm_fail_(c, CM_ERROR_BLOCK2D, "CM_BLOCK2D_YES: neither stride is the constant 1");
        return false;
    }
    return mem->block2d == CM_BLOCK2D_YES || cm_block2d_proven_(c, type, mem, b, *transposed);
}

/* ---- 2D block messages: load, store, prefetch -------------------------------------------------------------------- */

/* How one layout is covered: the message, elements across (a block of rows, or with TRANSPOSE of dwords), how far a
 * word advances in y, and the legal shape. share: with TRANSPOSE, how many words of a lane lie in one dword of
 * memory. */
typedef struct {
    cm_block_op op;
    int elem, width, count, step, share;
    const cm_block_shape *shape;
} cm_block_plan_;

/* Only dwords are transposed: narrower elements come several columns at once, and a lane takes them apart. Where a lane
 * has two rows of 8-bit elements, each of them is a message of every second row of memory. */
XE_FN_ bool cm_block_plan_load_(const cm_layout *l, bool transposed, cm_block_plan_ *p)
{
    int bytes = cm_type_info(l->type)->bytes;
    memset(p, 0, sizeof *p);
    if (l->I != l->S || (l->K1 > 1 && !l->interleaved)) return false;
    if (transposed && l->K1 > 1 && (l->K1 != 2 || bytes != 1)) return false;
    p->op = transposed ? CM_BLOCK_TRANSPOSE : l->packed ? CM_BLOCK_TRANSFORM : CM_BLOCK_LOAD;
    p->share = transposed && !l->packed && bytes < 4 ? 4 / bytes : 1;
    p->elem = !transposed ? bytes : p->share > 1 ? 4 : cm_word_bits_(l) / 8;
    p->width = transposed ? 8 : l->I * l->K1;
    p->step = l->omega;
    p->count = cm_block_count_(p->op, p->elem, p->width, l->K2);
    if (p->count == 0 || l->K2 % p->count != 0) return false;
    p->shape = cm_block_shape_row(p->op, p->elem, p->width, (uint32_t)p->count);
    return true;
}

/* Parts of block k2 whose words lie in first .. first + words, read back from the variable that a message filled; the
 * block starts there at element `at`. */
XE_FN_ void cm_block_read_(cm_ctx *c, cm_matrix *a, int k2, int first, int words, spe_id variable, int at)
{
    int all = cm_block_words_(&a->l), runs = spe_runs(all), run, word = 0;
    for (run = 0; run < runs; word += spe_run(all, run++)) {
        int part = k2 * runs + run;
        spe_id index, ptr, type;
        if (word < first || word >= first + words) continue;
        index = cm_i32_(c, at + word - first);
        ptr = spe_element(c->m, variable, 1, &index);
        type = cm_part_type(c, &a->l, part);
        a->part[part] = spe_load(c->m, spe_ptr_cast(c->m, ptr, type), (uint32_t)cm_word_bits_(&a->l) / 8);
    }
}

/* One message: blocks k2 .. k2 + count of the matrix, words first .. of each. Returns how many words it brought. */
XE_FN_ int cm_block_message_(cm_ctx *c, cm_matrix *a, const cm_block_plan_ *p, const spe_block2d *surface,
                                    int k2, int first)
{
    spe_module *m = c->m;
    spe_block2d b = *surface;
    bool transpose = p->op == CM_BLOCK_TRANSPOSE;
    int rest = cm_block_words_(&a->l) - first, words, i;
    int height = transpose ? a->l.S : cm_block_height_(p->shape, rest * p->step);
    spe_id variable, zero = cm_i32_(c, 0), ptr;
    words = transpose ? p->width : height / p->step;
    b.elem_bytes = (uint32_t)p->elem;
    b.width = (uint32_t)p->width;
    b.height = (uint32_t)height;
    b.count = (uint32_t)p->count;
    if (transpose) {
        b.x = cm_plus_(c, cm_shr_signed_(c, b.x, a->l.omega), first);
        b.y = cm_plus_(c, b.y, k2 * a->l.I);
    } else {
        b.x = cm_plus_(c, b.x, k2 * a->l.I * a->l.K1);
        b.y = cm_plus_(c, b.y, first * p->step);
    }
    variable = spe_local_var(m, spe_array(m, spe_int(m, (uint32_t)cm_word_bits_(&a->l)), (uint32_t)(words * p->count)));
    ptr = spe_element(m, variable, 1, &zero);
    if (transpose)
        spe_block2d_load_transpose(m, &b, ptr);
    else if (p->op == CM_BLOCK_TRANSFORM)
        spe_block2d_load_transform(m, &b, ptr);
    else
        spe_block2d_load(m, &b, ptr);
    for (i = 0; i < p->count; i++) cm_block_read_(c, a, k2 + i, first, words, variable, i * words);
    return words;
}

/* Rows y, y + 2, y + 4, ... as if nothing lay between them: two rows of memory are one of twice the pitch, whose second
 * half is the odd row. x counts dwords, and is not negative. */
XE_FN_ void cm_every_second_row_(cm_ctx *c, spe_block2d *b)
{
    spe_module *m = c->m;
    spe_id odd = cm_mod_(c, b->y, 2), half = spe_imul(m, odd, b->pitch), none;
    spe_id rows = spe_shr(m, spe_isub(m, cm_plus_(c, b->mem_height, 1), odd), cm_i32_(c, 1));
    none = spe_ieq(m, rows, cm_i32_(c, 0));
    b->mem_width = spe_iadd(m, b->mem_width, half);
    b->x = spe_iadd(m, b->x, cm_shr_(c, half, 4));
    b->y = spe_select(m, none, cm_i32_(c, 1 << 23), cm_shr_signed_(c, b->y, 2));
    b->mem_height = spe_select(m, none, cm_i32_(c, 1), rows);
    b->pitch = cm_times_(c, b->pitch, 2);
}

/* What the messages brought (eight dwords of a lane's row, or of each of its two rows of bytes) as two vectors of
 * sixteen words: 16-bit elements, bytes, or a byte of one row with that of the other. Masks are what Intel's compiler
 * makes fewest instructions of. */
XE_FN_ void cm_dwords_to_words_(cm_ctx *c, const cm_layout *l, int share, spe_id got[2])
{
    spe_module *m = c->m;
    spe_id word = spe_vec(m, spe_int(m, l->K1 == 2 ? 16 : (uint32_t)(32 / share)), 16), all = got[0];
    if (l->K1 == 2) {
        spe_id type = spe_type_of(m, all), low = spe_const_u(m, type, 0x00ff00ff),
               high = spe_const_u(m, type, 0xff00ff00);
        spe_id eight = spe_const_u(m, type, 8), even, odd;
        even = spe_or(m, spe_and(m, all, low), spe_and(m, spe_shl(m, got[1], eight), high));
        odd = spe_or(m, spe_and(m, spe_shr(m, all, eight), low), spe_and(m, got[1], high));
        got[0] = spe_bitcast(m, word, even);
        got[1] = spe_bitcast(m, word, odd);
    } else if (share == 2) {
        got[0] = got[1] = spe_bitcast(m, word, all);
    } else {
        got[0] = spe_bitcast(m, word, cm_slice_(c, all, 0, 4));
        got[1] = spe_bitcast(m, word, cm_slice_(c, all, 4, 4));
    }
}

/* Words first .. first + n of those, as a part. */
XE_FN_ spe_id cm_dwords_part_(cm_ctx *c, const cm_layout *l, const spe_id words[2], int first, int n,
                                     spe_id type)
{
    uint32_t index[8];
    int i;
    for (i = 0; i < n; i++) {
        int w = first + i;
        index[i] = (uint32_t)(l->K1 == 2 ? w / 4 * 2 + w % 4 / 2 + w % 2 * 16 : w);
    }
    if (n == 1) return cm_bitcast(c, type, spe_extract(c->m, words[index[0] / 16], index[0] % 16));
    return cm_bitcast(c, type, spe_shuffle(c->m, words[0], words[1], (uint32_t)n, index));
}

/* The same as cm_block_message_ for TRANSPOSE of elements narrower than a dword. */
XE_FN_ int cm_block_dwords_(cm_ctx *c, cm_matrix *a, const cm_block_plan_ *p, const spe_block2d *surface, int k2,
                                   int first)
{
    const cm_layout *l = &a->l;
    spe_module *m = c->m;
    int runs = spe_runs(cm_block_words_(l)), words = p->width * p->share, i, run, word = 0;
    spe_id dwords = spe_vec(m, spe_int(m, 32), (uint32_t)p->width), got[2];
    for (i = 0; i < l->K1; i++) {
        spe_block2d b = *surface;
        spe_id variable = spe_local_var(m, dwords);
        b.elem_bytes = 4;
        b.width = (uint32_t)p->width;
        b.height = (uint32_t)l->S;
        b.count = 1;
        b.x = cm_plus_(c, cm_shr_signed_(c, b.x, p->share), first / p->share);
        b.y = cm_plus_(c, b.y, k2 * l->I * l->K1 + i);
        if (l->K1 > 1) cm_every_second_row_(c, &b);
        spe_block2d_load_transpose(m, &b, variable);
        got[i] = spe_load(m, variable, 0);
    }
    cm_dwords_to_words_(c, l, p->share, got);
    for (run = 0; run < runs; word += spe_run(cm_block_words_(l), run++)) {
        int part = k2 * runs + run, n = cm_part_words(l, part);
        if (word >= first && word < first + words)
            a->part[part] = cm_dwords_part_(c, l, got, word - first, n, cm_part_type(c, l, part));
    }
    return words;
}

/* Method: load by 2D block messages. False when they cannot do it (nothing has been emitted then). */
bool cm_load_block2d_(cm_ctx *c, const cm_layout *l, const cm_mem *mem, const cm_surface_ *s, cm_matrix *out)
{
    cm_block_plan_ plan;
    spe_block2d b;
    bool transposed;
    int k2, first;
    if (!s->zero_padding || !cm_block2d_wanted_(c, l->type, mem, s, &b, &transposed)) return false;
    if (!cm_block_plan_load_(l, transposed, &plan)) return false;
    *out = cm_new_(c, l);
    for (k2 = 0; out->parts && k2 < l->K2; k2 += plan.count)
        for (first = 0; first < cm_block_words_(l);)
            first += plan.share > 1 ? cm_block_dwords_(c, out, &plan, &b, k2, first)
                                    : cm_block_message_(c, out, &plan, &b, k2, first);
    return true;
}

/* Method: store by 2D block messages, a message a part. */
bool cm_store_block2d_(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, const cm_surface_ *s)
{
    const cm_layout *l = &a->l;
    int bytes = cm_type_info(l->type)->bytes, width = l->I * l->K1, runs = spe_runs(cm_block_words_(l)), part;
    int word = 0;
    spe_block2d b;
    bool transposed;
    if (l->packed || l->I != l->S || (l->K1 > 1 && !l->interleaved)) return false;
    if (!cm_block_shape_row(CM_BLOCK_STORE, bytes, width, 1)) return false;
    if (!cm_block2d_wanted_(c, l->type, mem, s, &b, &transposed) || transposed) return false;
    for (part = 0; part < a->parts; part++) {
        spe_block2d one = b;
        int words = cm_part_words(l, part);
        spe_id zero = cm_i32_(c, 0), variable, ptr;
        if (part % runs == 0) word = 0;
        one.elem_bytes = (uint32_t)bytes;
        one.width = (uint32_t)width;
        one.height = (uint32_t)words;
        one.count = 1;
        one.x = cm_plus_(c, b.x, part / runs * width);
        one.y = cm_plus_(c, b.y, word);
        variable = spe_local_var(c->m, spe_array(c->m, spe_int(c->m, (uint32_t)cm_word_bits_(l)), (uint32_t)words));
        ptr = spe_element(c->m, variable, 1, &zero);
        spe_store(c->m, spe_ptr_cast(c->m, ptr, cm_part_type(c, l, part)), a->part[part],
                  (uint32_t)cm_word_bits_(l) / 8);
        spe_block2d_store(c->m, &one, ptr);
        word += words;
    }
    return true;
}

/* Method: prefetch by 2D block messages; across and down count elements along and across the contiguous direction. */
bool cm_prefetch_block2d_(cm_ctx *c, cm_type type, int across, int down, const spe_block2d *surface)
{
    int elem = cm_type_info(type)->bytes, width = elem == 1 && across >= 32 ? 32 : 16, x, y, count, height;
    const cm_block_shape *shape;
    for (x = 0; x < across; x += width * count) {
        count = cm_block_count_(CM_BLOCK_PREFETCH, elem, width, (across - x + width - 1) / width);
        if (count == 0) return false;
        shape = cm_block_shape_row(CM_BLOCK_PREFETCH, elem, width, (uint32_t)count);
        for (y = 0; y < down; y += height) {
            spe_block2d b = *surface;
            height = cm_block_height_(shape, down - y);
            b.width = (uint32_t)width;
            b.height = (uint32_t)height;
            b.count = (uint32_t)count;
            b.x = cm_plus_(c, b.x, x);
            b.y = cm_plus_(c, b.y, y);
            spe_block2d_prefetch(c->m, &b);
        }
    }
    return true;
}

/* The same pointer, asking for a cache policy: 1 caches in the first level too, 2 does not, 3 streams through it. (One
 * decoration an id: spirv-val takes no second, so the other levels keep their default, which is to cache.) */
spe_id cm_cached_pointer(cm_ctx *c, spe_id ptr, int level)
{
    static const uint32_t controls[] = {SPE_LoadCacheControlCachedINTEL, SPE_LoadCacheControlUncachedINTEL,
                                        SPE_LoadCacheControlStreamingINTEL};
    spe_id copy = spe_copy(c->m, ptr);
    spe_cache_load(c->m, copy, 0, controls[level - 1]);
    return copy;
}

/* ---- memory a lane at a time ------------------------------------------------------------------------------------- */

/* A test that constants decide to be true is no test. */
XE_FN_ spe_id cm_unless_true_(cm_ctx *c, spe_id test)
{
    uint64_t bits;
    return test && spe_const_bits(c->m, test, &bits) && bits ? 0 : test;
}

spe_id cm_and_(cm_ctx *c, spe_id a, spe_id b) { return a && b ? spe_land(c->m, a, b) : a ? a : b; }

/* n copies of a scalar as a vector; the scalar when n is 1. */
XE_FN_ spe_id cm_copies_(cm_ctx *c, spe_id scalar, int n)
{
    return n == 1 ? scalar : spe_splat(c->m, spe_vec(c->m, spe_type_of(c->m, scalar), (uint32_t)n), scalar);
}

/* position + index and whether that is inside; scalars or vectors. */
XE_FN_ cm_axis_ cm_position_(cm_ctx *c, spe_id position, spe_id index, spe_id extent)
{
    cm_axis_ a;
    a.at = spe_iadd(c->m, position, index);
    a.inside = extent ? cm_unless_true_(c, spe_ult(c->m, a.at, extent)) : 0;
    return a;
}

/* A position as a distance in elements, i64. */
spe_id cm_distance_(cm_ctx *c, spe_id at, spe_id stride)
{
    spe_id i64 = spe_int(c->m, 64);
    at = spe_sconvert(c->m, i64, at);
    return cm_is_constant_(c, stride, 1) ? at : spe_imul(c->m, at, spe_sconvert(c->m, i64, stride));
}

/* The value when the test allows, else zero. */
XE_FN_ spe_id cm_or_zero_(cm_ctx *c, spe_id inside, spe_id v)
{
    return inside ? spe_select(c->m, inside, v, spe_null(c->m, spe_type_of(c->m, v))) : v;
}

XE_FN_ void cm_rows_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, cm_axes_ *a)
{
    spe_id lane = cm_times_(c, cm_lane_(c, l).i, l->interleaved ? l->K1 : 1);
    int i;
    for (i = 0; i < a->rows; i++) {
        int k1 = i % l->K1, k2 = i / l->K1, first = (l->interleaved ? k1 : k1 * l->I) + k2 * l->I * l->K1;
        a->row[i] = cm_position_(c, s->row, cm_plus_(c, lane, first), s->rows);
        a->row[i].at =
            spe_index(c->m, s->ptr, cm_distance_(c, cm_or_zero_(c, a->row[i].inside, a->row[i].at), s->down));
    }
}

/* M >= S: columns are the same for all lanes. Tests are vectors of up to 16; distances grow by the stride, since 64-bit
 * multiplication is slow on many devices. */
XE_FN_ void cm_columns_(cm_ctx *c, const cm_surface_ *s, cm_axes_ *a)
{
    spe_module *m = c->m;
    spe_id distance = cm_distance_(c, s->col, s->right), step = cm_distance_(c, s->right, cm_i32_(c, 1));
    int first, n, i;
    for (first = 0; first < a->cols; first += n) {
        spe_id numbers[16], vector;
        cm_axis_ all = {0, 0};
        n = a->cols - first >= 16  ? 16
            : a->cols - first >= 8 ? 8
            : a->cols - first >= 4 ? 4
            : a->cols - first >= 2 ? 2
                                   : 1;
        vector = spe_vec(m, spe_int(m, 32), (uint32_t)n);
        for (i = 0; i < n; i++) numbers[i] = cm_i32_(c, first + i);
        vector = n == 1 ? numbers[0] : spe_composite_const(m, vector, (uint32_t)n, numbers);
        if (s->cols) all = cm_position_(c, cm_copies_(c, s->col, n), vector, cm_copies_(c, s->cols, n));
        for (i = 0; i < n; i++) {
            cm_axis_ *one = &a->col[first + i];
            if (first + i > 0) distance = spe_iadd(m, distance, step);
            one->inside = all.inside ? cm_slice_(c, all.inside, i, 1) : 0;
            one->at = cm_or_zero_(c, one->inside, distance);
        }
    }
}

/* M < S: lanes have different columns, and some may be padding. */
XE_FN_ void cm_columns_spread_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, cm_axes_ *a)
{
    int i, across = l->S / l->I;
    spe_id j0 = cm_times_(c, cm_lane_(c, l).j0, l->omega);
    for (i = 0; i < a->cols; i++) {
        int first = i / l->omega * across * l->omega + i % l->omega, last = first + (across - 1) * l->omega;
        spe_id index = cm_plus_(c, j0, first);
        cm_axis_ one = cm_position_(c, s->col, index, s->cols);
        if (last >= l->cols) one.inside = cm_and_(c, one.inside, spe_ult(c->m, index, cm_i32_(c, l->cols)));
        a->col[i].inside = one.inside;
        a->col[i].at = cm_distance_(c, cm_or_zero_(c, one.inside, one.at), s->right);
    }
}

bool cm_axes_init_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, cm_axes_ *a)
{
    a->rows = l->K;
    a->cols = l->V / l->K;
    a->row = (cm_axis_ *)spe_alloc(c->m, (size_t)a->rows * sizeof(cm_axis_));
    a->col = (cm_axis_ *)spe_alloc(c->m, (size_t)a->cols * sizeof(cm_axis_));
    if (!a->row || !a->col) return false;
    cm_rows_(c, l, s, a);
    if (l->I == l->S)
        cm_columns_(c, s, a);
    else
        cm_columns_spread_(c, l, s, a);
    return spe_ok(c->m);
}

/* Is there any memory at all? Clamped loads read element (0, 0) of it. 0: nothing is checked. */
XE_FN_ spe_id cm_not_empty_(cm_ctx *c, const cm_surface_ *s)
{
    spe_id rows = s->rows ? spe_sgt(c->m, s->rows, cm_i32_(c, 0)) : 0;
    spe_id cols = s->cols ? spe_sgt(c->m, s->cols, cm_i32_(c, 0)) : 0;
    return cm_and_(c, cm_unless_true_(c, rows), cm_unless_true_(c, cols));
}

/* Bools for components v .. v + n: inside in both directions; 0 when nothing is tested. */
spe_id cm_inside_(cm_ctx *c, const cm_layout *l, const cm_axes_ *axes, int v, int n)
{
    spe_id rows[16], cols[16], whole[2] = {0, 0}, elem = spe_bool(c->m);
    int i, row = 0, col = 0;
    for (i = 0; i < n; i++) {
        cm_axes_of_(l, v + i, &row, &col);
        rows[i] = axes->row[row].inside;
        cols[i] = axes->col[col].inside;
        if (!rows[i])
            rows[i] = spe_const_bool(c->m, true);
        else
            whole[0] = rows[i];
        if (!cols[i])
            cols[i] = spe_const_bool(c->m, true);
        else
            whole[1] = cols[i];
    }
    if (whole[0]) whole[0] = l->K1 == 1 ? cm_copies_(c, rows[0], n) : cm_join_(c, elem, rows, n, 1);
    if (whole[1]) whole[1] = cm_join_(c, elem, cols, n, 1);
    return cm_and_(c, whole[0], whole[1]);
}

/* `words` words of a part, from component v on, packed as they are read so that few values are alive at a time. */
XE_FN_ spe_id cm_load_words_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_axes_ *axes, int v,
                                    int words)
{
    spe_id read[16], vector, inside, elem = cm_storage_type(c, l->type);
    int i, row, col, n = words * cm_channels_(l);
    for (i = 0; i < n; i++) {
        cm_axes_of_(l, v + i, &row, &col);
        read[i] = spe_load(c->m, spe_index(c->m, axes->row[row].at, axes->col[col].at),
                           (uint32_t)cm_type_info(l->type)->bytes);
    }
    vector = cm_join_(c, elem, read, n, 1);
    inside = cm_inside_(c, l, axes, v, n);
    if (inside) vector = spe_select(c->m, inside, vector, cm_copies_(c, s->padding, n));
    return cm_pack_(c, l, vector, words);
}

/* Method: load component by component, section "Load pseudo-code". What is outside reads an element inside and takes
 * the padding instead, so there is no branch a component; one branch around everything is for memory without elements.
 */
bool cm_load_lanes_(cm_ctx *c, const cm_layout *l, const cm_mem *mem, const cm_surface_ *s, cm_matrix *out)
{
    spe_id some = cm_not_empty_(c, s);
    cm_matrix none = cm_poison();
    cm_axes_ axes;
    int part, first, v = 0;
    (void)mem;
    *out = cm_new_(c, l);
    if (some) {
        none = cm_splat(c, l->rows, l->cols, l->type, l->use, s->zero_padding ? 0 : s->padding);
        spe_if(c->m, some);
    }
    if (!out->parts || !cm_axes_init_(c, l, s, &axes)) return true;
    for (part = 0; part < out->parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), pieces = 0;
        spe_id piece[8];
        for (first = 0; first < words; first += group, v += group * cm_channels_(l))
            piece[pieces++] = cm_load_words_(c, l, s, &axes, v, group);
        out->part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    if (some) spe_endif_from(c->m, (uint32_t)out->parts, out->part, none.part, out->part);
    return true;
}

/* Stores the components of one row of the axes (its test has been made). */
XE_FN_ void cm_store_row_(cm_ctx *c, const cm_layout *l, const cm_axes_ *axes, int wanted, const spe_id *v)
{
    spe_module *m = c->m;
    uint32_t size = (uint32_t)cm_type_info(l->type)->bytes;
    int i, row, col;
    for (i = 0; i < l->V; i++) {
        cm_axes_of_(l, i, &row, &col);
        if (row != wanted) continue;
        if (axes->col[col].inside) spe_if(m, axes->col[col].inside);
        spe_store(m, spe_index(m, axes->row[row].at, axes->col[col].at), v[i], size);
        if (axes->col[col].inside) spe_endif(m, 0, NULL, NULL);
    }
}

/* A branch a row of the lane, inside it one a column where lanes have different columns. */
XE_FN_ void cm_store_straight_(cm_ctx *c, const cm_matrix *a, const cm_surface_ *s)
{
    cm_axes_ axes;
    spe_id *v = cm_component_ids(c, a, a->l.type);
    int row;
    if (!v || !cm_axes_init_(c, &a->l, s, &axes)) return;
    for (row = 0; row < axes.rows; row++) {
        if (axes.row[row].inside) spe_if(c->m, axes.row[row].inside);
        cm_store_row_(c, &a->l, &axes, row, v);
        if (axes.row[row].inside) spe_endif(c->m, 0, NULL, NULL);
    }
}

/* Column `number` + i of the matrix, i a value: its rows (k1, k2) from the vectors of each block, i K1 + k1 in each. */
XE_FN_ void cm_store_column_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_axis_ *rows,
                                    int number, spe_id i, const spe_id *vectors)
{
    spe_module *m = c->m;
    spe_id far = cm_distance_(c, spe_iadd(m, cm_plus_(c, s->col, number), i), s->right);
    int row;
    for (row = 0; row < l->K; row++) {
        spe_id vector = vectors[row / l->K1], v = vector;
        if (spe_count(m, spe_type_of(m, vector)) > 1)
            v = spe_extract_dyn(m, vector, cm_plus_(c, cm_times_(c, i, l->K1), row % l->K1));
        if (rows[row].inside) spe_if(m, rows[row].inside);
        spe_store(m, spe_index(m, rows[row].at, far), v, (uint32_t)cm_type_info(l->type)->bytes);
        if (rows[row].inside) spe_endif(m, 0, NULL, NULL);
    }
}

/* M >= S with columns checked: loops over those columns of up to 16 components that are inside. */
XE_FN_ bool cm_store_loops_(cm_ctx *c, const cm_matrix *a, const cm_surface_ *s)
{
    const cm_layout *l = &a->l;
    int runs = spe_runs(cm_block_words_(l)), run, first, k2, number = 0;
    spe_id *vectors = (spe_id *)spe_alloc(c->m, (size_t)l->K2 * sizeof(spe_id));
    cm_axes_ axes;
    axes.rows = l->K;
    axes.row = (cm_axis_ *)spe_alloc(c->m, (size_t)l->K * sizeof(cm_axis_));
    if (!vectors || !axes.row) return true;
    cm_rows_(c, l, s, &axes);
    for (run = 0; run < runs; run++) {
        int words = cm_part_words(l, run), group = cm_group_(l, words), columns = group * l->omega;
        for (first = 0; first < words; first += group, number += columns) {
            spe_id ends[2][2], i;
            for (k2 = 0; k2 < l->K2; k2++) vectors[k2] = cm_unpack_(c, l, a->part[k2 * runs + run], first, group);
            ends[0][0] = spe_isub(c->m, cm_i32_(c, -number), s->col);
            ends[0][1] = cm_i32_(c, 0);
            ends[1][0] = spe_isub(c->m, spe_isub(c->m, s->cols, s->col), cm_i32_(c, number));
            ends[1][1] = cm_i32_(c, columns);
            i = spe_for(c->m, spe_math(c->m, SPE_SMAX, 2, ends[0]), spe_math(c->m, SPE_SMIN, 2, ends[1]), cm_i32_(c, 1),
                        0, NULL);
            cm_store_column_(c, l, s, axes.row, number, i, vectors);
            spe_endfor(c->m, 0, NULL);
        }
    }
    return true;
}

/* Method: store component by component. */
bool cm_store_lanes_(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, const cm_surface_ *s)
{
    (void)mem;
    if (a->l.I == a->l.S && s->cols) return cm_store_loops_(c, a, s);
    cm_store_straight_(c, a, s);
    return true;
}

/* atomic.c - complex matrices in memory. */

/* The memory of the real (0) or imaginary (1) halves of complex components: every second element. */
cm_mem cm_half_mem_(cm_ctx *c, cm_type type, const cm_mem *mem, int which)
{
    cm_mem half = *mem;
    spe_id right = mem->stride_col ? mem->stride_col : mem->rows;
    half.block2d = CM_BLOCK2D_NO;
    if (!spe_ok(c->m)) return half;
    if (!cm_check_i32_(c, "stride_row", mem->stride_row) || !cm_check_i32_(c, "stride_col", right)) return half;
    if (which && spe_info(c->m, spe_type_of(c->m, mem->ptr)).elem != cm_storage_type(c, type))
        cm_fail_(c, CM_ERROR_POINTER, "cm_mem.ptr is not a pointer to the storage type of %s",
                 cm_type_info(type)->name);
    if (which && spe_ok(c->m)) half.ptr = spe_index(c->m, mem->ptr, spe_u64(c->m, 1));
    half.stride_row = mem->stride_row ? cm_times_(c, mem->stride_row, 2) : cm_i32_(c, 2);
    half.stride_col = right ? cm_times_(c, right, 2) : 0;
    if (which) half.padding = 0;
    return half;
}

/* ---- KHR matrices in memory -------------------------------------------------------------------------------------- */

/* Pointer to a part's first element and its layout: a KHR matrix is the transpose of ours, so rows that are contiguous
 * here are KHR's row-major. False (an error) for what KHR matrices cannot do. */
XE_FN_ bool cm_khr_place_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, int k2, int col, spe_id *ptr,
                                 uint32_t *layout, spe_id *stride)
{
    bool along = cm_is_constant_(c, s->down, 1), across = cm_is_constant_(c, s->right, 1);
    spe_id at;
    if (s->rows || s->cols || !(along || across) || l->I != l->S ||
        (l->use == CM_A && l->omega * cm_type_info(l->type)->bytes < 4)) {
        cm_fail_(c, CM_ERROR_LOWERING,
                 "CM_KHR loads and stores matrices of at least S rows (CM_A: columns in multiples "
                 "of 32 bits), unchecked, with a stride that is the constant 1");
        return false;
    }
    at = cm_distance_(c, cm_plus_(c, s->row, k2 * l->I * l->K1), s->down);
    at = spe_iadd(c->m, at, cm_distance_(c, cm_plus_(c, s->col, col), s->right));
    *ptr = spe_index(c->m, s->ptr, at);
    *layout = along ? SPE_CooperativeMatrixLayoutRowMajorKHR : SPE_CooperativeMatrixLayoutColumnMajorKHR;
    *stride = along ? s->right : s->down;
    return true;
}

/* Methods of CM_KHR: an instruction a part. With `in` a load, else a store of `a`. */
XE_FN_ bool cm_move_khr_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, spe_id *parts, bool load)
{
    int runs = spe_runs(cm_block_words_(l)), part, col = 0;
    for (part = 0; part < l->K2 * runs; part++) {
        spe_id ptr, stride;
        uint32_t layout;
        if (part % runs == 0) col = 0;
        if (!cm_khr_place_(c, l, s, part / runs, col, &ptr, &layout, &stride)) return true;
        if (load)
            parts[part] = spe_coop_load(c->m, cm_part_type(c, l, part), ptr, layout, stride);
        else
            spe_coop_store(c->m, ptr, parts[part], layout, stride);
        col += cm_part_words(l, part) * l->omega;
    }
    return true;
}

bool cm_load_khr_(cm_ctx *c, const cm_layout *l, const cm_mem *mem, const cm_surface_ *s, cm_matrix *out)
{
    (void)mem;
    *out = cm_new_(c, l);
    return !out->parts || cm_move_khr_(c, l, s, out->part, true);
}

bool cm_store_khr_(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, const cm_surface_ *s)
{
    (void)mem;
    return cm_move_khr_(c, &a->l, s, a->part, false);
}

/* ---- atomic operations ------------------------------------------------------------------------------------------- */

typedef enum { CM_ATOMIC_LOAD_, CM_ATOMIC_STORE_, CM_ATOMIC_ADD_, CM_ATOMIC_MIN_, CM_ATOMIC_MAX_ } cm_atomic_;

typedef struct {
    cm_atomic_ what;
    uint32_t scope, semantics;
} cm_atomic_how_;

/* 32 and 64 bits; f16 may be added and compared. */
XE_FN_ bool cm_check_atomic_(cm_ctx *c, cm_type type, cm_atomic_how_ how)
{
    const cm_type_row *t = cm_type_info(type);
    if (!t || cm_opaque_(c, "atomics")) return false;
    if (t->bytes >= 4 && type != CM_TF32) return true;
    if (type == CM_F16 && how.what >= CM_ATOMIC_ADD_) return true;
    cm_fail_(c, CM_ERROR_ATOMIC, "there are no such atomic operations on %s", t->name);
    return false;
}

/* One component; returns what memory held (nothing, 0, for a store). */
XE_FN_ spe_id cm_atomic_one_(cm_ctx *c, cm_type type, cm_atomic_how_ how, spe_id ptr, spe_id v)
{
    static const spe_atomic_op ops[3][3] = {{SPE_ATOMIC_FADD, SPE_ATOMIC_IADD, SPE_ATOMIC_IADD},
                                            {SPE_ATOMIC_FMIN, SPE_ATOMIC_SMIN, SPE_ATOMIC_UMIN},
                                            {SPE_ATOMIC_FMAX, SPE_ATOMIC_SMAX, SPE_ATOMIC_UMAX}};
    if (how.what == CM_ATOMIC_LOAD_) return spe_atomic_load(c->m, ptr, how.scope, how.semantics);
    if (how.what != CM_ATOMIC_STORE_)
        return spe_atomic(c->m, ops[how.what - CM_ATOMIC_ADD_][cm_kind_column_(type)], ptr, v, how.scope,
                          how.semantics);
    spe_atomic_store(c->m, ptr, v, how.scope, how.semantics);
    return 0;
}

/* Every component that is inside: v[i] goes to memory, what was there comes back in v[i] (the padding where nothing
 * is). */
XE_FN_ bool cm_atomic_walk_(cm_ctx *c, const cm_layout *l, const cm_mem *mem, cm_atomic_how_ how, spe_id *v)
{
    cm_surface_ s;
    cm_axes_ axes;
    int i, row, col;
    if (!v || !cm_surface_init_(c, &s, l->type, mem) || !cm_axes_init_(c, l, &s, &axes)) return false;
    for (i = 0; i < l->V; i++) {
        spe_id test, old;
        cm_axes_of_(l, i, &row, &col);
        test = cm_and_(c, axes.row[row].inside, axes.col[col].inside);
        if (test) spe_if(c->m, test);
        old = cm_atomic_one_(c, l->type, how, spe_index(c->m, axes.row[row].at, axes.col[col].at), v[i]);
        if (test && old)
            spe_endif_from(c->m, 1, &old, &s.padding, &v[i]);
        else if (test)
            spe_endif(c->m, 0, NULL, NULL);
        if (!test) v[i] = old;
    }
    return spe_ok(c->m);
}

/* Stores and updates; returns the old values, for a store poison. */
XE_FN_ cm_matrix cm_atomic_put_(cm_ctx *c, const cm_matrix *a, const cm_mem *to, cm_atomic_how_ how)
{
    cm_matrix half[2];
    spe_id *v;
    int i;
    if (cm_is_poison_(c, a) || !cm_check_atomic_(c, a->l.type, how)) return cm_poison();
    if (cm_is_complex(a->l.type)) {
        if (how.what > CM_ATOMIC_ADD_) {
            cm_fail_(c, CM_ERROR_ATOMIC, "complex numbers have no order");
            return cm_poison();
        }
        for (i = 0; i < 2; i++) {
            cm_mem mem = cm_half_mem_(c, a->l.type, to, i);
            half[i] = cm_half_(c, a, i);
            half[i] = cm_atomic_put_(c, &half[i], &mem, how);
        }
        return how.what == CM_ATOMIC_STORE_ ? cm_poison() : cm_complex(c, &half[0], &half[1]);
    }
    v = cm_component_ids(c, a, a->l.type);
    if (!cm_atomic_walk_(c, &a->l, to, how, v) || how.what == CM_ATOMIC_STORE_) return cm_poison();
    return cm_from_components(c, &a->l, v);
}

XE_FN_ cm_atomic_how_ cm_atomic_how_make_(cm_atomic_ what, uint32_t scope, uint32_t semantics)
{
    cm_atomic_how_ how;
    how.what = what;
    how.scope = scope;
    how.semantics = semantics;
    return how;
}

cm_matrix cm_atomic_load(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, const cm_mem *from, uint32_t scope,
                         uint32_t semantics)
{
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    cm_atomic_how_ how = cm_atomic_how_make_(CM_ATOMIC_LOAD_, scope, semantics);
    spe_id *v;
    if (!l.rows || !cm_check_atomic_(c, type, how)) return cm_poison();
    if (cm_is_complex(type)) {
        cm_mem re = cm_half_mem_(c, type, from, 0), im = cm_half_mem_(c, type, from, 1);
        cm_type half = type == CM_C32 ? CM_F32 : CM_F64;
        cm_matrix x = cm_atomic_load(c, rows, cols, half, use, &re, scope, semantics);
        cm_matrix y = cm_atomic_load(c, rows, cols, half, use, &im, scope, semantics);
        return cm_complex(c, &x, &y);
    }
    v = (spe_id *)spe_alloc(c->m, (size_t)l.V * sizeof(spe_id));
    return cm_atomic_walk_(c, &l, from, how, v) ? cm_from_components(c, &l, v) : cm_poison();
}
void cm_atomic_store(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics)
{
    cm_atomic_put_(c, a, to, cm_atomic_how_make_(CM_ATOMIC_STORE_, scope, semantics));
}
cm_matrix cm_atomic_add(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics)
{
    return cm_atomic_put_(c, a, to, cm_atomic_how_make_(CM_ATOMIC_ADD_, scope, semantics));
}
cm_matrix cm_atomic_min(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics)
{
    return cm_atomic_put_(c, a, to, cm_atomic_how_make_(CM_ATOMIC_MIN_, scope, semantics));
}
cm_matrix cm_atomic_max(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics)
{
    return cm_atomic_put_(c, a, to, cm_atomic_how_make_(CM_ATOMIC_MAX_, scope, semantics));
}

/* visit.c - element by element in memory: atomic operations and the like. */

/* One element, under a branch of the lane where a test is needed. */
XE_FN_ spe_id cm_visit_one_(cm_ctx *c, const cm_matrix *a, const cm_surface_ *s, const cm_axes_ *axes, int v,
                                   spe_id value, cm_visit_fn fn, void *user)
{
    spe_id inside = cm_inside_(c, &a->l, axes, v, 1), got, outside = s->padding;
    int row, col;
    cm_axes_of_(&a->l, v, &row, &col);
    if (inside) spe_if(c->m, inside);
    got = fn(c, a->l.type, spe_index(c->m, axes->row[row].at, axes->col[col].at), value, user);
    if (inside) spe_endif_from(c->m, 1, &got, &outside, &got);
    return got;
}

cm_matrix cm_visit(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, cm_visit_fn fn, void *user)
{
    spe_id *value;
    cm_surface_ s;
    cm_axes_ axes;
    int v;
    if (cm_is_poison_(c, a) || !cm_surface_init_(c, &s, a->l.type, mem)) return cm_poison();
    value = cm_component_ids(c, a, a->l.type);
    if (!value || !cm_axes_init_(c, &a->l, &s, &axes)) return cm_poison();
    for (v = 0; v < a->l.V; v++) value[v] = cm_visit_one_(c, a, &s, &axes, v, value[v], fn, user);
    return cm_from_components(c, &a->l, value);
}

/* local.c - local memory in large pieces. */

/* Where nothing is checked and the address of element (0, 0) is known to be aligned (cm_mem.align), local memory is
 * read and written in pieces: by block messages when the lanes' elements lie side by side (rows contiguous), a lane's
 * words as vectors when columns are. */
typedef struct {
    bool across;       /* lanes side by side: block messages; else a lane's words are */
    int stride, align; /* of the other dimension in elements; of the matrix's address in bytes */
} cm_local_plan_;

XE_FN_ int cm_divides_(int align, int64_t bytes)
{
    while (align > 1 && bytes % align) align /= 2;
    return align;
}

/* Can this access go so? Each piece must be aligned to 16 bytes (block messages) or to a word. */
XE_FN_ bool cm_local_plan_init_(cm_ctx *c, cm_local_plan_ *p, const cm_layout *l, const cm_mem *mem,
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
XE_FN_ spe_id cm_local_address_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_local_plan_ *p,
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
XE_FN_ spe_id cm_local_piece_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_local_plan_ *p,
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
XE_FN_ spe_id cm_local_part_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_local_plan_ *p,
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

/* product.c - product: matrix instruction. */

/* tf32 at subgroup size 16: the instruction's A operand is 8 deep and has two columns of our B side by side in one
 * component, the first in lanes 0 to 7, where our B has 16 rows of one column. One exchange between the halves of the
 * subgroup makes the operands of both depths: `half` 0 for rows 0 to 7, 1 for 8 to 15. */
XE_FN_ spe_id cm_tf32_operand_(cm_ctx *c, spe_id part, int words, int half)
{
    spe_module *m = c->m;
    spe_id low = spe_ult(m, spe_builtin(m, SPE_SUBGROUP_LANE, 0), cm_i32_(c, 8)), piece[4];
    int i, n = (words + 1) / 2;
    for (i = 0; i < n; i++) {
        spe_id x = cm_slice_(c, part, 2 * i, 1), y = 2 * i + 1 < words ? cm_slice_(c, part, 2 * i + 1, 1) : x;
        spe_id swapped = spe_sg_shuffle_xor(m, spe_select(m, low, y, x), cm_i32_(c, 8));
        piece[i] = half == 0 ? spe_select(m, low, x, swapped) : spe_select(m, low, swapped, y);
    }
    return cm_join_(c, spe_float(m, 32), piece, n, 1);
}

/* The instruction for one step of k (`depth` rows of our B, one part of our A) and one run of columns. */
XE_FN_ spe_id cm_dpas_step_(cm_ctx *c, const cm_job_ *job, int k, int run, int block, spe_id acc, int runs)
{
    const cm_layout *la = &job->a->l, *lb = &job->b->l;
    int rows_a = spe_runs(cm_block_words_(la)), bytes = cm_type_info(la->type)->bytes;
    int depth = cm_dpas_depth_(bytes), halves = bytes == 4 ? 2 : 1;
    spe_id a = job->a->part[block * rows_a + k], b = job->b->part[k / halves * runs + run],
           type = spe_type_of(c->m, acc);
    uint32_t flags = job->row->dpas;
    if (halves == 2) b = cm_tf32_operand_(c, b, cm_part_words(lb, run), k % 2);
    if (c->lowering != CM_KHR) return spe_dpas(c->m, type, (uint32_t)depth, b, a, acc, flags);
    flags &= SPE_CooperativeMatrixOperandsMatrixASignedComponentsKHR |
             SPE_CooperativeMatrixOperandsMatrixBSignedComponentsKHR;
    if (job->row->acc == CM_I32)
        flags |= SPE_CooperativeMatrixOperandsMatrixCSignedComponentsKHR |
                 SPE_CooperativeMatrixOperandsMatrixResultSignedComponentsKHR;
    return spe_coop_mma(c->m, b, a, acc, flags);
}

/* Whether the matrix instruction can do this product. */
XE_FN_ bool cm_dpas_fits_(const cm_ctx *c, const cm_job_ *job)
{
    const cm_layout *la = &job->a->l, *lb = &job->b->l;
    int bytes = cm_type_info(la->type)->bytes, depth = cm_dpas_depth_(bytes);
    if (!job->row->dpas || job->acc.l.type != (job->row->acc == CM_I32 ? CM_I32 : CM_F32) || la->I != la->S)
        return false;
    if (bytes == 4) return la->S == 16 && lb->rows >= 16 && c->lowering == CM_INTEL;
    if (!la->packed || lb->rows < depth || lb->K1 * lb->S != depth) return false;
    return lb->K1 == 1 || lb->interleaved;
}

/* Method: the matrix instruction. Its B operand is a part of ours as it stands (eight 32-bit entries of a lane's row),
 * its A operand a part of our B (up to eight columns), its accumulators the parts of ours. K outermost, so that
 * products which depend on one another are far apart. Of CM_KHR: the KHR instruction on the same parts. */
XE_FN_ bool cm_mul_add_dpas_(cm_ctx *c, cm_job_ *job)
{
    const cm_layout *lb = &job->b->l, *ld = &job->acc.l;
    int runs = spe_runs(cm_block_words_(ld)), k, block, run, steps;
    if (!cm_dpas_fits_(c, job)) return false;
    steps = lb->rows / cm_dpas_depth_(cm_type_info(lb->type)->bytes);
    for (k = 0; k < steps; k++)
        for (block = 0; block < ld->K2; block++)
            for (run = 0; run < runs; run++) {
                spe_id *d = &job->acc.part[block * runs + run];
                *d = cm_dpas_step_(c, job, k, run, block, *d, runs);
            }
    return true;
}

XE_FN_ bool cm_mul_add_khr_(cm_ctx *c, cm_job_ *job)
{
    if (!cm_mul_add_dpas_(c, job))
        cm_fail_(c, CM_ERROR_LOWERING, "CM_KHR: no product of %d x %d %s and %d x %d %s", job->a->l.rows,
                 job->a->l.cols, cm_type_info(job->a->l.type)->name, job->b->l.rows, job->b->l.cols,
                 cm_type_info(job->b->l.type)->name);
    return true;
}

/* ---- product: plain ---------------------------------------------------------------------------------------------- */

/* acc + x y in the type that is accumulated in. Compilers make one instruction of it where that is faster. */
XE_FN_ spe_id cm_fma_(cm_ctx *c, cm_type acc, spe_id x, spe_id y, spe_id sum)
{
    if (cm_type_info(acc)->kind != CM_KIND_FLOAT) return spe_iadd(c->m, spe_imul(c->m, x, y), sum);
    return spe_fadd(c->m, spe_fmul(c->m, x, y), sum);
}

/* Element (k, m) of B, whose components are given, in every lane. */
XE_FN_ spe_id cm_broadcast_b_(cm_ctx *c, const cm_layout *l, const spe_id *b, int k, int m)
{
    cm_slot s = cm_slot_of(l, k, m);
    return spe_sg_broadcast(c->m, b[s.component * l->omega + s.channel], cm_i32_(c, s.lane));
}

/* M >= S: a lane has whole rows of A and D, so one broadcast of B serves all its rows, and eight columns are one
 * vector. The broadcasts of a k and run of columns come first, then their products. */
XE_FN_ void cm_mul_add_rows_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    const cm_layout *la = &job->a->l, *lb = &job->b->l, *ld = &job->acc.l;
    int runs = spe_runs(cm_block_words_(ld)), k, run, block, i, first;
    spe_id elem = cm_storage_type(c, ld->type);
    for (k = 0; k < lb->rows; k++)
        for (run = 0, first = 0; run < runs; first += cm_part_words(ld, run++)) {
            int words = cm_part_words(ld, run);
            spe_id one[8], vector;
            for (i = 0; i < words; i++) one[i] = cm_broadcast_b_(c, lb, b, k, first + i);
            vector = cm_join_(c, elem, one, words, 1);
            for (block = 0; block < ld->K2; block++) {
                cm_slot s = cm_slot_of(la, block * la->I, k);
                spe_id x = a[s.component * la->omega + s.channel], *d = &job->acc.part[block * runs + run];
                if (words > 1) x = spe_splat(c->m, spe_vec(c->m, elem, (uint32_t)words), x);
                *d = cm_fma_(c, ld->type, x, vector, *d);
            }
        }
}

/* Element (k, column of component v of D in this lane) of B: lanes of one component have S / I columns, in turns. */
XE_FN_ spe_id cm_choose_b_(cm_ctx *c, const cm_job_ *job, const spe_id *b, int k, int v)
{
    const cm_layout *ld = &job->acc.l, *lb = &job->b->l;
    int across = ld->S / ld->I, first = v * across, q;
    cm_lane lane = cm_lane_(c, ld);
    spe_id got = 0;
    for (q = 0; q < across && first + q < lb->cols; q++) {
        spe_id one = cm_broadcast_b_(c, lb, b, k, first + q);
        got = q == 0 ? one : spe_select(c->m, spe_ieq(c->m, lane.j0, cm_i32_(c, q)), one, got);
    }
    return got;
}

/* M < S: the lanes of one row of D are I apart and each has its own column; A's element comes from the lane that has
 * it. */
XE_FN_ bool cm_mul_add_spread_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    const cm_layout *la = &job->a->l, *lb = &job->b->l, *ld = &job->acc.l;
    spe_id *d = cm_component_ids(c, &job->acc, ld->type),
           *x = (spe_id *)spe_alloc(c->m, (size_t)lb->rows * sizeof(spe_id));
    cm_lane lane = cm_lane_(c, ld);
    int k, v;
    if (!d || !x) return false;
    for (k = 0; k < lb->rows; k++) {
        cm_slot s = cm_slot_of(la, 0, k);
        x[k] = spe_sg_shuffle(c->m, a[s.component * la->omega + s.channel], cm_plus_(c, lane.i, s.lane));
    }
    for (v = 0; v < ld->V; v++)
        for (k = 0; k < lb->rows && v * (ld->S / ld->I) < lb->cols; k++)
            d[v] = cm_fma_(c, ld->type, x[k], cm_choose_b_(c, job, b, k, v), d[v]);
    job->acc = cm_from_components(c, ld, d);
    return true;
}

/* Method: broadcasts and FMA in the type that is accumulated in, straight-line: K N broadcasts and K N M / S products
 * of a lane (in vectors of up to eight). Works for every layout, interleaved ones too. */
XE_FN_ bool cm_mul_add_plain_(cm_ctx *c, cm_job_ *job)
{
    cm_type acc = job->acc.l.type;
    spe_id *a = cm_component_ids(c, job->a, acc), *b = cm_component_ids(c, job->b, acc);
    if (!a || !b) return true;
    if (job->acc.l.I < job->acc.l.S) return cm_mul_add_spread_(c, job, a, b);
    cm_mul_add_rows_(c, job, a, b);
    return true;
}

/* ---- the lowerings: what to try first; what says no leaves it to the plain method -------------------------------- */

XE_FN_ bool cm_prefetch_nothing_(cm_ctx *c, cm_type type, int across, int down, const spe_block2d *b)
{
    (void)c, (void)type, (void)across, (void)down, (void)b;
    return true;
}

XE_FN_ const cm_methods_ *cm_methods_of_(const cm_ctx *c)
{
    static const cm_methods_ plain = {cm_load_lanes_, cm_store_lanes_, cm_prefetch_nothing_, cm_mul_add_plain_};
    static const cm_methods_ intel = {cm_load_block2d_, cm_store_block2d_, cm_prefetch_block2d_, cm_mul_add_dpas_};
    static const cm_methods_ khr = {cm_load_khr_, cm_store_khr_, cm_prefetch_nothing_, cm_mul_add_khr_};
    static const cm_methods_ *const rows[] = {&plain, &plain, &intel, &khr}; /* by cm_lowering */
    return rows[c->lowering];
}

bool cm_prefetch_block(cm_ctx *c, cm_type type, int across, int down, const spe_block2d *surface)
{
    return cm_methods_of_(c)->prefetch(c, type, across, down, surface);
}

/* ---- load, store, prefetch, multiply and add --------------------------------------------------------------------- */

cm_matrix cm_load(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, const cm_mem *from)
{
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    cm_matrix a = cm_poison();
    cm_surface_ s;
    if (cm_is_complex(type)) {
        cm_mem re = cm_half_mem_(c, type, from, 0), im = cm_half_mem_(c, type, from, 1);
        cm_type half = type == CM_C32 ? CM_F32 : CM_F64;
        cm_matrix x = cm_load(c, rows, cols, half, use, &re), y = cm_load(c, rows, cols, half, use, &im);
        return cm_complex(c, &x, &y);
    }
    if (!l.rows || !cm_surface_init_(c, &s, type, from)) return a;
    if (!cm_methods_of_(c)->load(c, &l, from, &s, &a) && !cm_local_(c, &l, from, &s, &a, false))
        cm_load_lanes_(c, &l, from, &s, &a);
    return spe_ok(c->m) ? a : cm_poison();
}

void cm_store(cm_ctx *c, const cm_matrix *a, const cm_mem *to)
{
    cm_surface_ s;
    cm_matrix copy = *a;
    int i;
    if (cm_is_poison_(c, a)) return;
    if (cm_is_complex(a->l.type)) {
        for (i = 0; i < 2; i++) {
            cm_mem mem = cm_half_mem_(c, a->l.type, to, i);
            cm_matrix half = cm_half_(c, a, i);
            cm_store(c, &half, &mem);
        }
        return;
    }
    if (!cm_surface_init_(c, &s, a->l.type, to)) return;
    if (!cm_methods_of_(c)->store(c, a, to, &s) && !cm_local_(c, &a->l, to, &s, &copy, true))
        cm_store_lanes_(c, a, to, &s);
}

void cm_prefetch(cm_ctx *c, int rows, int cols, cm_type type, const cm_mem *from, int level)
{
    cm_surface_ s;
    spe_block2d b;
    bool transposed;
    if (!spe_ok(c->m) || !cm_surface_init_(c, &s, type, from)) return;
    if (rows < 1 || cols < 1 || level < 0 || level > 3) {
        cm_fail_(c, CM_ERROR_SHAPE, "cm_prefetch: %d x %d, level %d: at least 1 x 1, level 0 to 3", rows, cols, level);
        return;
    }
    if (c->lowering != CM_INTEL || !cm_block2d_wanted_(c, type, from, &s, &b, &transposed)) return;
    if (level) b.ptr = cm_cached_pointer(c, b.ptr, level);
    cm_prefetch_block(c, type, transposed ? cols : rows, transposed ? rows : cols, &b);
}

XE_FN_ bool cm_check_product_(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
                                     const cm_matrix *acc, const cm_product *row)
{
    const char *ta = cm_type_info(a->l.type)->name, *tb = cm_type_info(b->l.type)->name;
    if (a->l.use != CM_A)
        cm_fail_(c, CM_ERROR_OPERAND_USE, "A of a product is a %s, not a matrix_a", cm_use_name(a->l.use));
    else if (b->l.use != CM_B)
        cm_fail_(c, CM_ERROR_OPERAND_USE, "B of a product is a %s, not a matrix_b", cm_use_name(b->l.use));
    else if (acc && acc->l.use != CM_ACC)
        cm_fail_(c, CM_ERROR_OPERAND_USE, "C of a product is a %s, not a matrix_acc", cm_use_name(acc->l.use));
    else if (a->l.cols != b->l.rows)
        cm_fail_(c, CM_ERROR_SHAPE, "A is %d x %d and B is %d x %d", a->l.rows, a->l.cols, b->l.rows, b->l.cols);
    else if (acc && (acc->l.rows != a->l.rows || acc->l.cols != b->l.cols))
        cm_fail_(c, CM_ERROR_SHAPE, "A B is %d x %d and C is %d x %d", a->l.rows, b->l.cols, acc->l.rows, acc->l.cols);
    else if (!row)
        cm_fail_(c, CM_ERROR_MUL_TYPES, "no product of %s and %s", ta, tb);
    else if (!cm_type_info(type_d) || cm_is_complex(type_d))
        cm_fail_(c, CM_ERROR_MUL_TYPES, "a product of %s and %s cannot have the type %s", ta, tb,
                 cm_type_info(type_d) ? cm_type_info(type_d)->name : "(none)");
    else if (acc && !cm_product_takes(row, acc->l.type))
        cm_fail_(c, CM_ERROR_MUL_TYPES, "a product of %s and %s cannot be added to %s", ta, tb,
                 cm_type_info(acc->l.type)->name);
    return spe_ok(c->m);
}

/* The accumulators a product starts from: C in the accumulating type, or zeros, in a part array of its own. */
XE_FN_ cm_matrix cm_start_(cm_ctx *c, cm_type type, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    cm_matrix from = acc ? cm_convert(c, acc, type) : cm_splat(c, a->l.rows, b->l.cols, type, CM_ACC, 0);
    return from.parts ? cm_from_parts(c, &from.l, from.part) : from;
}

/* Products with a complex matrix: everything becomes complex, and four real products do it. */
XE_FN_ cm_matrix cm_mul_add_complex_(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
                                            const cm_matrix *acc)
{
    cm_type type = CM_C32, real;
    cm_matrix x, y, z, ar, ai, br, bi, re, im, none = cm_poison();
    if (!cm_promotes(a->l.type, type) || !cm_promotes(b->l.type, type) || (acc && acc->l.type == CM_C64)) type = CM_C64;
    if (!cm_is_complex(type_d) || !cm_promotes(a->l.type, type) || !cm_promotes(b->l.type, type) ||
        (acc && (!cm_is_complex(acc->l.type) || !cm_promotes(acc->l.type, type)))) {
        cm_fail_(c, CM_ERROR_MUL_TYPES, "a product of %s and %s, plus %s, cannot have the type %s",
                 cm_type_info(a->l.type)->name, cm_type_info(b->l.type)->name,
                 acc ? cm_type_info(acc->l.type)->name : "nothing",
                 cm_type_info(type_d) ? cm_type_info(type_d)->name : "(none)");
        return none;
    }
    real = type == CM_C32 ? CM_F32 : CM_F64;
    x = cm_convert(c, a, type), y = cm_convert(c, b, type);
    z = acc ? cm_convert(c, acc, type) : cm_splat(c, a->l.rows, b->l.cols, type, CM_ACC, 0);
    ar = cm_re(c, &x), ai = cm_im(c, &x), br = cm_re(c, &y), bi = cm_im(c, &y), re = cm_re(c, &z), im = cm_im(c, &z);
    re = cm_mul_add(c, real, &ar, &br, &re);
    im = cm_mul_add(c, real, &ar, &bi, &im);
    im = cm_mul_add(c, real, &ai, &br, &im);
    bi = cm_unary(c, CM_NEG, &bi);
    re = cm_mul_add(c, real, &ai, &bi, &re);
    z = cm_complex(c, &re, &im);
    return z.parts ? cm_convert(c, &z, type_d) : none;
}

XE_FN_ bool cm_wants_complex_(cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    return cm_is_complex(type_d) || cm_is_complex(a->l.type) || cm_is_complex(b->l.type) ||
           (acc && cm_is_complex(acc->l.type));
}

cm_matrix cm_mul_add(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    cm_job_ job;
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || (acc && acc->parts == 0)) return cm_poison();
    if (cm_wants_complex_(type_d, a, b, acc) && a->l.use == CM_A && b->l.use == CM_B)
        return cm_mul_add_complex_(c, type_d, a, b, acc);
    job.row = cm_product_row(a->l.type, b->l.type);
    job.a = a;
    job.b = b;
    if (!cm_check_product_(c, type_d, a, b, acc, job.row)) return cm_poison();
    job.acc = cm_start_(c, cm_product_acc_(job.row, acc ? acc->l.type : job.row->acc), a, b, acc);
    if (!job.acc.parts) return cm_poison();
    if (!cm_methods_of_(c)->mul_add(c, &job)) cm_mul_add_plain_(c, &job);
    return spe_ok(c->m) ? cm_convert(c, &job.acc, type_d) : cm_poison();
}

cm_matrix cm_mul_add_saturating(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    const cm_type_row *ta, *tb;
    cm_matrix ab, sum, zero;
    bool small;
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || (acc && acc->parts == 0)) return cm_poison();
    ta = cm_type_info(a->l.type), tb = cm_type_info(b->l.type);
    if (ta->kind != CM_KIND_INT || tb->kind != CM_KIND_INT || ta->bytes > 2 || tb->bytes > 2 || !cm_type_info(type_d) ||
        cm_type_info(type_d)->kind != CM_KIND_INT || (acc && cm_type_info(acc->l.type)->kind != CM_KIND_INT)) {
        cm_fail_(c, CM_ERROR_MUL_TYPES, "cm_mul_add_saturating multiplies integers of 8 or 16 bits, not %s and %s",
                 ta->name, tb->name);
        return cm_poison();
    }
    small = ta->bytes == 1 && tb->bytes == 1 && a->l.cols <= 1 << 16;
    if (small) {
        ab = cm_mul_add(c, CM_I32, a, b, NULL);
        ab = cm_convert(c, &ab, CM_I64);
    } else {
        zero = cm_splat(c, a->l.rows, b->l.cols, CM_I64, CM_ACC, 0);
        ab = cm_mul_add(c, CM_I64, a, b, &zero);
    }
    sum = acc ? cm_convert(c, acc, CM_I64) : ab;
    if (acc) sum = cm_add(c, &ab, &sum);
    return cm_convert_as(c, &sum, type_d, CM_ROUND_AUTO, true);
}

#endif

#if defined(XETILE_IMPLEMENTATION) || defined(XETILE_OPTIMIZE)
#elif defined(__clang__)
#pragma clang optimize on
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
#endif /* XETILE_COOPMATRIX_BODIES_ */
