/* coopmatrix.h - cooperative matrices: how a matrix is distributed over a subgroup, and operations on it.
 *
 * Files: coopmatrix.h spirv_emit.h, 785 KB in all. Version: XETILE_VERSION. License: MIT, see LICENSE.
 *
 * A cooperative matrix of M rows and N columns is held jointly by the S work-items ("lanes") of a subgroup. Each holds
 * an equal share, a vector of V components. This header computes which element is where, and uses spirv_emit.h to write
 * SPIR-V that makes, loads, stores, prefetches and multiplies such matrices.
 *
 * Part 1, LAYOUT: host code only, no module, no emitter. For this part alone, define CM_LAYOUT_ONLY before the include.
 *
 *     cm_layout l;
 *     int error = cm_layout_init(&l, 32, 48, CM_F16, CM_A, 16);   // 0, or an id: cm_error_text(error)
 *     cm_slot s = cm_slot_of(&l, 5, 7);                           // where (5, 7) is: s.lane, s.component, s.channel
 *     cm_element e = cm_element_of(&l, s);                        // and back; e.padding: the slot holds no element
 *     _Static_assert(CM_V(32, 48, CM_F16, CM_A, 16) == 96, "V as an integer constant expression");
 *
 * The definition, from section "General layout" of TinyTC's specification of coopmatrix layout, here called the spec:
 * I = min(M, S); J is the smallest n >= N with I n a multiple of S; K = M / I = K1 K2; A is padded with zeros to the
 * tensor A*[i, k1, j, k2] = A[i + k1 I + k2 I K1, j]; L = i + k1 I + j I K1 + k2 I K1 J numbers its entries;
 * work-item p holds the entries p, p + S, p + 2S, ...
 *
 *     use       K1                                      also
 *     CM_ACC    1                                       accumulators and results
 *     CM_A      1                                       below 32 bits: packed when N is a multiple of omega = 4 / size
 *     CM_B      max(1, 2 / size) when M > S, else 1
 *
 * Packed means that omega neighbours in a row share one 32-bit component ("channel" 0 in the low bits), and that the
 * 32-bit entries are what L numbers. The spec does not say what happens if those cannot be divided evenly among the
 * work-items (possible only for M < S); here J becomes omega times the smallest n >= N / omega with I n a multiple of
 * S. needs_mask is true if J > N, so that some columns exist only as padding.
 *
 *     cm_distribute  cm_gather            memory (cm_host_mem) into the vectors of all work-items, and back
 *     cm_linear  cm_unlinear  cm_row_of   numbers of entries of A* (cm_index), and their rows
 *     cm_components                       dwords (packed) or components per work-item
 *     cm_layout_interleave                the order hardware requires: see 8-bit CM_B below
 *     cm_type_info  cm_use_name  cm_error_text  cm_error_name   descriptions of types, uses and error ids
 *     the formulas as constants           CM_I CM_J CM_K CM_K1 CM_K2 CM_V CM_PACKED CM_CHANNELS CM_NEEDS_MASK CM_OMEGA
 *                                         CM_OMEGA_B CM_BYTES
 *
 * Part 2, OPERATIONS: written to a spirv_emit.h module. A complete example: C = A B, 16 x 8 times 8 x 16, column-major.
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
 *     cm_begin(&c, &m, cm_target_row("bmg"), CM_AUTO);           // the target determines subgroup size and lowering
 *     cm_mem at[3];                                              // pointer, extents, position, strides
 *     memset(at, 0, sizeof at);
 *     for (int i = 0; i < 3; i++) at[i].ptr = spe_param_id(&m, i), at[i].stride_col = spe_i32(&m, i == 1 ? 8 : 16);
 *     cm_matrix a = cm_load(&c, 16, 8, CM_F32, CM_A, &at[0]);
 *     cm_matrix b = cm_load(&c, 8, 16, CM_F32, CM_B, &at[1]);
 *     cm_matrix d = cm_mul_add(&c, CM_F32, &a, &b, NULL);        // a matrix to add may replace NULL
 *     cm_store(&c, &d, &at[2]);
 *
 *     spe_kernel_end(&m);
 *     spe_words w = spe_finish(&m);                              // w.data, w.count; valid until spe_free(&m)
 *     if (!w.data) spe_print_error(spe_get_error(&m), stderr);
 *
 *     make       cm_splat  cm_load  cm_from_components  cm_from_parts  cm_complex
 *     memory     cm_load  cm_store  cm_prefetch; cm_block2d_test tells whether 2D block messages may be used,
 *                cm_block2d_covers whether there are any for a layout
 *     atomic     cm_atomic_load  cm_atomic_store  cm_atomic_add  cm_atomic_min  cm_atomic_max (scope and semantics)
 *     multiply   cm_mul_add  cm_mul_add_real  cm_mul_add_saturating  cm_mul_add_scaled  cm_scale
 *     a op b     cm_binary: CM_ADD SUB MUL DIV REM MIN MAX AND OR XOR SHL SHR; cm_add cm_sub cm_mul  cm_shift
 *     op a       cm_unary: CM_NEG NOT ABS CONJ EXP LOG SQRT RSQRT SIN COS TANH ERF ... (CM_UNARY_OPS_)
 *     your own   CM_APPLY (a statement per component, which knows its row and column)  cm_apply  cm_map1  cm_map2
 *     reduce     cm_reduce (M x 1 or 1 x N)  cm_reduce_broadcast (the result in every element)
 *     change     cm_convert  cm_convert_as (with rounding, saturation)  cm_convert_plus (a number)  cm_convert_use
 *                cm_convert_upper (e2m1)  cm_transpose  cm_repeat  cm_submatrix
 *     access     cm_component  cm_insert  cm_row_index  cm_col_index  cm_re  cm_im  cm_visit (elements in memory)
 *     types      cm_storage_type (in memory and parts)  cm_arith_type (what cm_fn sees)  cm_is_complex
 *                CM_REAL_TYPES(X) lists all but the complex ones and those of MX, which CM_MX_TYPES(X) lists
 *     parts      cm_part_count  cm_part_type  cm_part_words  cm_layout_for (their layout)
 *     tables     cm_target_row(name)  CM_TARGET_NAMES (a text)  cm_has_two_register_modes(row)
 *                cm_product_row(a, b): the product of two types, NULL if there is none; cm_has_dpas(target, row)
 *                cm_product_takes(row, c)  cm_promotes(a, b)  cm_block_shape_row: a legal 2D block message
 *                cm_coop_shape_of(row, type, sum): of opaque matrices, NULL if there is none
 *
 * Loops carry the ids of a matrix: spe_for(&m, lo, hi, step, a.parts, a.part) ... spe_endfor(&m, a.parts, a.part).
 *
 * Every operation supports every component type unless stated otherwise. bf16, tf32 and 8-bit floats are computed in
 * f32 and rounded to nearest after every operation; in f16, f32 and f64 the sum of a product of elements may be
 * contracted into one rounding by the device's compiler, unless the kernel says .contract = SPE_CONTRACT_OFF. Complex
 * matrices (c32, c64: pairs of floats in memory) are represented by two real ones. Memory is global or local (any
 * storage class), with any strides in both directions. A matrix may be larger than the hardware's, as products are
 * chained. On dg2, f64 requires building with -ze-fp64-gen-emu. Lowerings:
 *
 *     CM_INTEL   the matrix instruction if the table of products and the shape allow it (M >= S, K a multiple of its
 *                depth); 2D block messages if the table of block shapes and cm_mem.block2d allow them
 *     CM_PLAIN   everything else: loads and stores per lane, subgroup broadcasts and FMA, in straight-line code of
 *                about K N (1 + M / (8 S)) instructions, so keep tiles small
 *     CM_KHR     on request: parts are matrices of SPV_KHR_cooperative_matrix, with no access to components. They
 *                can be made (cm_splat), loaded and stored (M >= S, unchecked, one stride the constant 1) and
 *                multiplied (f16, and 8-bit integers); all else is an error. This is what Intel's compiler (2.40)
 *                supports: it crashes on component-wise instructions on such matrices and lacks bf16
 *
 * OCP's Microscaling Formats (MX 1.0). An e2m1 component is a byte, of two values that are neighbours along k: A of M
 * x K values is an M x K / 2 matrix, B a K / 2 x N one, the lower four bits first. e8m0 is a scale, 2^(bits - 127) or
 * NaN. Both are loaded, stored, moved, converted (spe_f32_to_e2m1_bits and spe_f32_to_e8m0_bits say how) and
 * multiplied; other operations report EMIT_TYPE. The matrix instructions of nvl-p and cri take e4m3, e5m2 and e2m1, and
 * scales where B has a multiple of 8 columns. Elsewhere they are converted to f16 for the instruction, or to f32:
 * products are exact, and sums are rounded to f32, in another order from device to device.
 *
 * Opaque matrices. Uses CM_OPAQUE_ACC, CM_OPAQUE_A and CM_OPAQUE_B are for targets of Vulkan whose drivers list shapes
 * of SPV_KHR_cooperative_matrix (cm_coop_shape_of), beside the other uses under CM_PLAIN. They have a layout
 * (cm_layout_for) and parts, matrices of such a shape each, which cm_splat and cm_from_parts make; spe_coop_load,
 * spe_coop_store and spe_coop_mma work on parts. All else reports LOWERING: no lane knows which elements it holds.
 *
 * CM_AUTO uses what the target has. CM_PLAIN does what CM_INTEL cannot; results agree within rounding.
 *
 * Row-major matrices. The spec distributes ROWS over lanes, and stride_row is 1 by default; so a row-major tile of r
 * rows and c columns is a cooperative matrix of c rows and r columns, and C = A B becomes C' = B' A' (' is the
 * transpose): the row-major B is CM_A here, A is CM_B and C is CM_ACC. Parts are then the instruction's operands.
 *
 * 8-bit and tf32 CM_B. In the spec, a lane holds rows p and p + S of 8-bit types, but the matrix instruction needs 2p
 * and 2p + 1 (likewise of 16-bit types at subgroup size 8). CM_INTEL holds them that way (cm_layout_for,
 * l.interleaved), and tf32 at subgroup size 16 as blocks of 8 rows with two columns side by side (size_i 8). Loads,
 * stores, conversions and products use the layout, so this affects only code that accesses components by number.
 *
 * For headers that build on this one, such as xetile.h and coopvec.h: cm_choose_target cm_environment cm_poison
 * cm_to_arith cm_from_arith cm_f32_to_bf16 cm_bitcast cm_component_ids cm_cached_pointer cm_prefetch_block
 * cm_picker_init cm_pick; see below.
 *
 * LIMITS. Rows are a power of two, rows and columns at most 16384, S a power of two, at most 1024 for layouts;
 * operations take a size the target has. Positions, extents and strides are 32 bits. Names ending in _ are private.
 *
 * ERRORS have ids from 1000 on (one list, CM_ERRORS_) and are recorded in the module (spe_get_error), which keeps the
 * first. From then on every function emits nothing and returns poison: a matrix without parts, id 0, false or NULL.
 * Brackets after a function's description list the errors it reports: [SHAPE] is CM_ERROR_SHAPE, [layout] those of
 * cm_layout_init for a shape, type and use, [mem] POINTER, POSITION and SCALAR for a cm_mem. Functions that access
 * components report LOWERING under CM_KHR; real operations on a complex type report EMIT_TYPE.
 *
 * TO USE IT  just include it: this compiles the bodies too, as static functions. Or define XETILE_DECLARATIONS for all
 * files of a program and XETILE_IMPLEMENTATION before the include in one of them, which then gets the bodies; or link
 * with libxetile. "How functions are declared" below has the details.
 */
#define XETILE_COMMON_ONLY_ /* the part of it that all headers begin with */
#include "spirv_emit.h"
#undef XETILE_COMMON_ONLY_

#ifndef XETILE_COOPMATRIX_H
#define XETILE_COOPMATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- types, uses, errors ----------------------------------------------------------------------------------------- */

/* All types but the complex ones and those of MX: cm_type without CM_, bytes, kind, signed, bits of the storage type,
 * storage is a float, name as written in kernels. */
#define CM_REAL_TYPES(X)                                                                                               \
    X(F64, 8, FLOAT, true, 64, true, f64)        X(F32, 4, FLOAT, true, 32, true, f32)                                 \
    X(TF32, 4, FLOAT, true, 32, true, tf32)      X(F16, 2, FLOAT, true, 16, true, f16)                                 \
    X(BF16, 2, FLOAT, true, 16, false, bf16)     X(E4M3, 1, FLOAT, true, 8, false, e4m3)                               \
    X(E5M2, 1, FLOAT, true, 8, false, e5m2)                                                                            \
    X(I64, 8, INT, true, 64, false, i64)         X(I32, 4, INT, true, 32, false, i32)                                  \
    X(I16, 2, INT, true, 16, false, i16)         X(I8, 1, INT, true, 8, false, i8)                                     \
    X(U8, 1, INT, false, 8, false, u8)           X(U16, 2, INT, false, 16, false, u16)                                 \
    X(U32, 4, INT, false, 32, false, u32)        X(U64, 8, INT, false, 64, false, u64)
/* Types of OCP's Microscaling Formats: of elements, two a byte, and of scales. */
#define CM_MX_TYPES(X) X(E2M1, 1, MX, true, 8, false, e2m1) X(E8M0, 1, MX, false, 8, false, e8m0)
#define CM_TYPES_(X)                                                                                                   \
    CM_REAL_TYPES(X)                                                                                                   \
    X(C32, 8, COMPLEX, true, 32, true, c32)      X(C64, 16, COMPLEX, true, 64, true, c64)                              \
    CM_MX_TYPES(X)

#define CM_TYPE_ENUM_(name, bytes, kind, sign, bits, fp, token) CM_##name,
/* CM_NO_TYPE_ makes the enum signed with every compiler: types are also stored in ints. */
typedef enum {
    CM_NO_TYPE_ = -1, CM_TYPES_(CM_TYPE_ENUM_) CM_TYPE_COUNT
} cm_type;

typedef enum { CM_ACC, CM_A, CM_B, CM_OPAQUE_ACC, CM_OPAQUE_A, CM_OPAQUE_B } cm_use;
typedef enum { CM_KIND_FLOAT, CM_KIND_INT, CM_KIND_COMPLEX, CM_KIND_MX } cm_kind; /* MX: not computed with */

typedef struct {
    const char *name;
    int bytes; /* of a component in memory; a complex component is a pair */
    cm_kind kind;
    bool is_signed;
    int storage_bits;   /* of the scalar that holds it (of one half of a pair) */
    bool storage_float; /* bf16 and smaller floats are held as integers */
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
    X(ATOMIC, "no atomic operations on this type")

#define CM_ERROR_ENUM_(name, text) CM_ERROR_##name,
enum { CM_ERROR_FIRST_ = 999, CM_ERRORS_(CM_ERROR_ENUM_) CM_ERROR_END_ };

/* The row of a type, NULL if there is none; the spec's name of a use (matrix_acc, matrix_a, matrix_b). */
XETILE_API const cm_type_row *cm_type_info(cm_type type);
XETILE_API const char *cm_use_name(cm_use use);

/* The meaning of an error id of this header ("no error" for 0), and its name: "CM_ERROR_SHAPE". */
XETILE_API const char *cm_error_text(int id);
XETILE_API const char *cm_error_name(int id);

/* ---- layout ------------------------------------------------------------------------------------------------------ */

/* The formulas as integer constant expressions. M, N: shape; T: type; U: use; S: subgroup size. */
#define CM_BYTES(T)                                                                                                    \
    (((T) == CM_F64 || (T) == CM_I64 || (T) == CM_U64 || (T) == CM_C32)    ? 8                                         \
     : ((T) == CM_F32 || (T) == CM_TF32 || (T) == CM_I32 || (T) == CM_U32) ? 4                                         \
     : ((T) == CM_F16 || (T) == CM_BF16 || (T) == CM_I16 || (T) == CM_U16) ? 2                                         \
     : ((T) == CM_E4M3 || (T) == CM_E5M2 || (T) == CM_I8 || (T) == CM_U8)  ? 1                                         \
     : ((T) == CM_E2M1 || (T) == CM_E8M0)                                  ? 1                                         \
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

/* V counts components of the type; in a packed matrix each work-item has V / omega 32-bit entries. `interleaved` is
 * false for all layouts of the spec; see cm_layout_interleave. */
typedef struct {
    int rows, cols;
    cm_type type;
    cm_use use;
    int lanes;                                                      /* the spec's S, the subgroup size */
    int size_i, size_j, size_k, size_k1, size_k2, size_v;           /* the spec's I, J, K, K1, K2, V */
    int omega; /* channels per component: 4 / size if packed, else 1 */
    bool packed, needs_mask, interleaved;
} cm_layout;

/* Coordinates in A*; an element of the matrix (padding: no such element; row and col are where it would be). */
typedef struct {
    int at_i, at_k1, at_j, at_k2;
} cm_index;
typedef struct {
    int row, col;
    bool padding;
} cm_element;

/* Where an element is held: work-item, component of its vector (a 32-bit entry if packed), channel in that. */
typedef struct {
    int lane, component, channel;
} cm_slot;

/* Sections "General layout", "Matrix Accumulator", "Matrix A", "Matrix B". Returns 0; or ROWS, COLUMNS, TYPE, USE,
 * SUBGROUP or TOO_LARGE, with *l all zero. All other functions here take a valid layout and cannot fail. */
XETILE_API int cm_layout_init(cm_layout *l, int rows, int cols, cm_type type, cm_use use, int subgroup_size);

/* Not in the spec: the order that a hardware product requires of its CM_B operand. K1 becomes `k1`, a power of two that
 * divides K (else this returns ROWS and changes nothing), and each work-item holds k1 NEIGHBOURING rows: row = k1 + i
 * K1 + k2 I K1 instead of i + k1 I + k2 I K1. All else, including the numbering L, stays. k1 = 1 gives the spec's
 * order. */
XETILE_API int cm_layout_interleave(cm_layout *l, int k1);

/* 32-bit entries (packed) or components per work-item. */
XETILE_API int cm_components(const cm_layout *l);

/* Section "Work-item mapping": the number of an entry of A* (if packed, of A**, whose third coordinate is j / omega).
 * Section "Mapping properties": the inverse (if packed, j is that of channel 0), and the row of A an entry comes
 * from. */
XETILE_API int cm_linear(const cm_layout *l, cm_index x);
XETILE_API cm_index cm_unlinear(const cm_layout *l, int number);
XETILE_API int cm_row_of(const cm_layout *l, cm_index x);

/* Where element (row, col) is held, 0 <= row < rows and 0 <= col < J, and what a slot holds. */
XETILE_API cm_slot cm_slot_of(const cm_layout *l, int row, int col);
XETILE_API cm_element cm_element_of(const cm_layout *l, cm_slot s);

/* The arguments of the spec's load pseudo-code. Element (r, c) of memory is at base + r * stride_row + c * stride_col
 * (in elements). `transposed` swaps the two extents and the two strides, as in the spec. In a checked direction,
 * elements outside the extent read as 0; an unchecked direction is trusted. */
typedef struct {
    void *base;
    int pos_row, pos_col;
    int extent_rows, extent_cols;
    ptrdiff_t stride_row, stride_col;
    bool transposed, rows_checked, cols_checked;
} cm_host_mem;

/* Section "Load pseudo-code": memory to the vectors of all work-items, S x V components; and the inverse, which writes
 * neither padding nor what the checks exclude. */
XETILE_API void cm_distribute(const cm_layout *l, void *vectors, const cm_host_mem *from);
XETILE_API void cm_gather(const cm_layout *l, const void *vectors, const cm_host_mem *to);

#ifndef CM_LAYOUT_ONLY
#include "spirv_emit.h"

#include <math.h>

/* ==== Part 2: operations that emit ================================================================================ */

/* What 2D block messages require, in bytes: the base address, the pitch and the length of a row are multiples of these,
 * and a row has at least `row_least`. offsets: messages take offsets from the position in their header, so that several
 * share one; Intel's compiler otherwise copies it for each of them, in each iteration of a loop. */
typedef struct {
    int base, pitch, row, row_least;
    bool offsets;
} cm_block2d_rules;

/* What a device can do. A row may be copied and changed (less local memory, another of its subgroup sizes). */
typedef struct {
    const char *name;
    int subgroup_size;       /* the size that kernels get unless they ask for another */
    uint32_t subgroup_sizes; /* the sizes the device has, or-ed: 8 | 16 | 32, and 64 for Vulkan */
    uint32_t dpas_sizes;     /* those at which the matrix instruction works; 0: it has none */
    uint32_t dpas_operands;  /* the bits of its operands word that it takes: the types that it multiplies */
    uint32_t block2d_sizes;  /* the same for 2D block messages */
    cm_block2d_rules block2d;
    bool coop_khr;           /* takes SPV_KHR_cooperative_matrix */
    int local_memory;        /* bytes per work-group */
    int max_group_size;      /* work-items per work-group */
    int registers;           /* bytes of registers per subgroup, in the larger of two modes if it has two */
    const char *build_flags; /* needed by the device's compiler for large tiles; or "" */
    bool stages_rows;        /* rows of arbitrary pitch are faster through local memory than read by lanes (xetile.h) */
    bool igc;                /* modules avoid bugs of Intel's compiler (docs/machine-code.md) */
    bool vulkan;             /* takes modules of SPE_ENV_VULKAN */
    bool block1d;            /* plain loads of lines are block messages of one dimension where they can */
} cm_target;

/* The names of all rows, for messages. */
#define CM_TARGET_NAMES \
    "tgl, dg1, mtl, arl-h, dg2, pvc, bmg, lnl, ptl, wcl, nvl, nvl-p, cri, generic, soft, vulkan and hopper"

/* The row of a name; NULL for others. ocloc's other names of Intel's devices are taken as well: rkl, adl-s, rpl-p
 * ... (tgl), mtl-u, mtl-h, arl-u, arl-s (mtl), acm-g10 ... (dg2), bmg-g21, lnl-m, ptl-h, nvl-s, nvl-u, nvl-h (nvl):
 * what stands before the `-` decides. vulkan is any device; its figures are the least that they have. */
XETILE_API const cm_target *cm_target_row(const char *name);

/* A shape of SPV_KHR_cooperative_matrix that a target's Vulkan driver lists: sums of m x n of products of m x k and
 * k x n, as the extension writes them. Matrices here are transposes of these: CM_OPAQUE_B is m x k there. */
typedef struct {
    const char *target;
    cm_type type, sum; /* of both operands; of sums */
    int m, n, k;
} cm_coop_shape;
/* The target's shape for operands and sums of these types; NULL if it has none. */
XETILE_API const cm_coop_shape *cm_coop_shape_of(const cm_target *target, cm_type type, cm_type sum);

/* Does a subgroup of the device have twice as many registers if a kernel's build flags ask for them? */
XETILE_API bool cm_has_two_register_modes(const cm_target *t);

/* See the manual. CM_AUTO: CM_INTEL if the target has it, else CM_PLAIN; CM_INTEL fails without it. */
typedef enum { CM_AUTO, CM_PLAIN, CM_INTEL, CM_KHR } cm_lowering;

/* Rounding of a conversion; CM_ROUND_AUTO: to nearest even between floats, towards zero from float to integer. */
typedef enum { CM_ROUND_AUTO, CM_ROUND_NEAREST, CM_ROUND_ZERO, CM_ROUND_UP, CM_ROUND_DOWN } cm_rounding;

/* One per kernel being written. Plain data, may be copied. */
typedef struct {
    spe_module *module;
    cm_target target;
    cm_lowering lowering; /* CM_AUTO resolved */
    cm_rounding rounding; /* of the conversion being emitted; zero between operations */
    bool saturate;        /* likewise: for integers */
    bool overflow;        /* likewise: 8-bit floats overflow; otherwise they saturate */
    double plus;          /* likewise: bytes become f16, plus this */
    bool upper;           /* likewise: of e2m1 the upper four bits of a byte */
    int separate_headers; /* 1, before a matrix is loaded in a loop: its messages, but for the first, have headers of
                           * their own where messages take no offsets. Then their number and 1; 0: they share one */
    uint32_t headers;     /* how many have their own */
    int written;          /* products of single elements that are written out so far */
} cm_ctx;

/* Starts using a target, a row of cm_target_row or a changed copy. NULL is an error, so the result of cm_target_row
 * need not be tested. lowering 0 is CM_AUTO. Returns false on an error [TARGET, TARGET_SUBGROUP, LOWERING]. */
XETILE_API bool cm_begin(cm_ctx *c, spe_module *m, const cm_target *target, cm_lowering lowering);

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* A matrix held by a subgroup: SPIR-V vectors ("parts"), block by block (k2), with each block's words split greedily
 * into vectors of 8, 4, 2, 1. A word is a 32-bit entry of a packed matrix, the K1 components of one (j, k2) of a CM_B
 * matrix, or one component, low bits first. In a complex matrix, the real parts precede the imaginary ones. parts == 0
 * is poison. Copy by assignment; part[] may be replaced by an array of ids of the same types (phis). */
typedef struct {
    cm_layout layout;
    int parts;
    spe_id *part; /* in the module's arena */
    bool in_words; /* bytes that were loaded or computed several at a time: operations may take words. Only a hint */
} cm_matrix;

/* The layout of values of this context: the spec's, or that of cm_layout_interleave if the matrix instruction needs
 * neighbouring rows of CM_B in a lane (see 8-bit CM_B above). rows is 0 after an error [layout]. */
XETILE_API cm_layout cm_layout_for(cm_ctx *c, int rows, int cols, cm_type type, cm_use use);

/* The number of parts of a matrix of this layout, the words of a part, and its type (under CM_KHR: [LOWERING]). */
XETILE_API int cm_part_count(const cm_layout *l);
XETILE_API int cm_part_words(const cm_layout *l, int part);
XETILE_API spe_id cm_part_type(cm_ctx *c, const cm_layout *l, int part);

/* Is it c32 or c64? The type of a component in memory and in parts: integers for bf16 and 8-bit floats, the type of one
 * half for complex types. The type that cm_fn works on: the same, except f32 for floats stored as integers; complex
 * types have none, as their operations are composed of those on cm_re and cm_im [EMIT_TYPE]. */
XETILE_API bool cm_is_complex(cm_type type);
XETILE_API spe_id cm_storage_type(cm_ctx *c, cm_type type);
XETILE_API spe_id cm_arith_type(cm_ctx *c, cm_type type);

/* Every element is `scalar`, a value of the storage type (TinyTC: construct), or zero if it is 0. For a complex matrix
 * it is the real part and the imaginary part is zero; see also cm_complex [layout, SCALAR]. */
XETILE_API cm_matrix cm_splat(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, spe_id scalar);

/* A matrix from parts made elsewhere, for example phis; their types must be those of cm_part_type [COMPONENT]. */
XETILE_API cm_matrix cm_from_parts(cm_ctx *c, const cm_layout *l, const spe_id *parts);

/* This lane's component v, 0 <= v < V (channels of a word follow one another), of the storage type (TinyTC: extract); a
 * copy with component v of every lane replaced by a scalar of that type (TinyTC: insert) [SHAPE, SCALAR]; a matrix from
 * all V components in this order [SCALAR]. Not for complex matrices [EMIT_TYPE]. */
XETILE_API spe_id cm_component(cm_ctx *c, const cm_matrix *a, int v);
XETILE_API cm_matrix cm_insert(cm_ctx *c, const cm_matrix *a, int v, spe_id scalar);
XETILE_API cm_matrix cm_from_components(cm_ctx *c, const cm_layout *l, const spe_id *components);

/* The row and the column of this lane's component v, as i32 [SHAPE]. */
XETILE_API spe_id cm_row_index(cm_ctx *c, const cm_layout *l, int v);
XETILE_API spe_id cm_col_index(cm_ctx *c, const cm_layout *l, int v);

/* Numbers that each lane has one of, or vectors, from which cm_pick makes others. What was moved is used again, so the
 * values must not change in between. Returns false and an error without memory. */
enum { CM_LANES = 64 };
typedef struct {
    const spe_id *value;
    int *moved_first; /* by value; 0: none was moved */
    spe_list moved;
} cm_picker;
XETILE_API bool cm_picker_init(cm_ctx *c, cm_picker *p, const spe_id *values, int count);
/* In lane p what value number from[p] / CM_LANES is in lane from[p] % CM_LANES; -1: anything. `from` has a number for
 * each lane of the subgroup. */
XETILE_API spe_id cm_pick(cm_ctx *c, cm_picker *p, const int *from);

/* The real and the imaginary part of a complex matrix, as matrices of f32 or f64 (TinyTC: re, im); re + i im from two
 * matrices of f32 (gives c32) or f64 (gives c64) of equal layout [COMPONENT, SHAPE]. These emit no code. */
XETILE_API cm_matrix cm_re(cm_ctx *c, const cm_matrix *a);
XETILE_API cm_matrix cm_im(cm_ctx *c, const cm_matrix *a);
XETILE_API cm_matrix cm_complex(cm_ctx *c, const cm_matrix *re, const cm_matrix *im);

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* 2D block messages: used if constants prove them legal; promised legal by the caller (cm_block2d_test); never. */
typedef enum { CM_BLOCK2D_AUTO, CM_BLOCK2D_YES, CM_BLOCK2D_NO } cm_block2d;

/* What is loaded in place of elements outside: the padding; the nearest element inside; or a mirror's: element 1 for
 * -1, 2 for -2, n - 2 for n, and so on, back and forth. */
typedef enum { CM_BORDER_PADDING, CM_BORDER_CLAMP, CM_BORDER_MIRROR } cm_border;

/* A matrix in memory. Element (r, c) of the cooperative matrix is ptr[(row + r) * stride_row + (col + c) * stride_col].
 * All fields must be uniform over the subgroup. Memory outside the extents is never accessed. */
typedef struct {
    spe_id ptr;                    /* to the component's storage type (cm_storage_type); any storage class */
    spe_id rows, cols;             /* extents for bounds checks, i32; 0: direction not checked. Memory of an extent of
                                    * 0 or less has no elements */
    spe_id row, col;               /* position of the matrix, i32, may be negative; 0: the constant 0 */
    spe_id stride_row, stride_col; /* in elements, i32; stride_row 0: 1; stride_col 0: rows */
    bool transposed;               /* swaps the extents and the strides, as in the spec */
    cm_block2d block2d;
    uint32_t align; /* known alignment of ptr in bytes; 0: unknown. Used by CM_BLOCK2D_AUTO, and by unchecked local
                     * memory whose row and col are 0, which is then accessed in large pieces */
    uint32_t band;  /* such local memory only: every `lanes` rows begin so many elements after those before; 0: as
                     * stride_row says. stride_row is 1 and stride_col the number of lanes */
    spe_id padding; /* value of elements outside, a scalar of the storage type; 0: zero */
    cm_border border; /* of cm_load; others than CM_BORDER_PADDING load element by element, and memory without elements
                       * yields the padding */
} cm_mem;

/* Loads a matrix (section "Load pseudo-code"), with padding outside checked extents; stores one, dropping what lies
 * outside [layout, mem, BLOCK2D]. All lanes load together: not where they have diverged. */
XETILE_API cm_matrix cm_load(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, const cm_mem *from);
XETILE_API void cm_store(cm_ctx *c, const cm_matrix *a, const cm_mem *to);

/* Prefetches rows x cols elements. level 0: wherever the device likes, 1: into all caches, 2: all but the first, 3:
 * streaming through the first. Emits nothing if no 2D block message can do it [SHAPE, mem, BLOCK2D]. */
XETILE_API void cm_prefetch(cm_ctx *c, int rows, int cols, cm_type type, const cm_mem *from, int level);

/* A bool (i1): may this memory be accessed by 2D block messages, so that CM_BLOCK2D_YES can be promised? Requires: base
 * address a multiple of 64; pitch a multiple of 16 bytes and >= width; width >= 64 bytes and a multiple of 4 (all up to
 * 2^24); x a multiple of 4 bytes; memory global and contiguous in one direction; for 8-bit types by columns also x >= 0
 * and pitch up to 2^23. The software device takes any base, and any pitch and width (for 8-bit types by columns, a
 * pitch that is a multiple of 4). A constant if possible. Loops test the first position and their steps [mem]. */
/* Are there messages that load, or store, such a matrix? by_columns: each of its columns is spread over memory, as
 * stride_row is not 1. */
XETILE_API bool cm_block2d_covers(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, bool by_columns, bool store);
XETILE_API spe_id cm_block2d_test(cm_ctx *c, cm_type type, const cm_mem *mem);

typedef enum { CM_BLOCK_LOAD, CM_BLOCK_TRANSFORM, CM_BLOCK_TRANSPOSE, CM_BLOCK_STORE, CM_BLOCK_PREFETCH } cm_block_op;

/* Legal shapes (cl_intel_subgroup_2d_block_io, all at subgroup size 16): bytes per element, elements across, and or-ed
 * values for heights and block counts. */
typedef struct {
    cm_block_op op;
    int elem, width;
    uint32_t heights, counts;
} cm_block_shape;

/* The row of blocks `width` elements across, `count` of them; NULL if there is no such message. */
XETILE_API const cm_block_shape *cm_block_shape_row(cm_block_op op, int elem, int width, uint32_t count);

/* Called by cm_visit for an element: its address in memory and its value in the matrix (storage types). Returns the
 * result's element; or always 0, for no result. */
typedef spe_id (*cm_visit_fn)(cm_ctx *c, cm_type type, spe_id ptr, spe_id v, void *user);

/* Calls fn once for every element of `a` that lies inside the memory. The result is a matrix like a, with padding
 * outside. The halves of a complex matrix are visited one after the other, as matrices of f32 or f64 [mem, SCALAR]. */
XETILE_API cm_matrix cm_visit(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, cm_visit_fn fn, void *user);

/* Atomic load, store and update of each component (not of the whole matrix; each half of a complex component is
 * separate). scope: SPE_ScopeWorkgroup, SPE_ScopeDevice, ...; semantics: SPE_MemorySemantics... bits, 0 for relaxed.
 * Types of 32 and 64 bits except tf32, and f16 for add, min and max; complex types have no min and max. Otherwise as
 * cm_load and cm_store. Updates return the previous values in memory [ATOMIC, mem]. */
XETILE_API cm_matrix cm_atomic_load(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, const cm_mem *from,
                                    uint32_t scope, uint32_t semantics);
XETILE_API void cm_atomic_store(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics);
XETILE_API cm_matrix cm_atomic_add(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics);
XETILE_API cm_matrix cm_atomic_min(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics);
XETILE_API cm_matrix cm_atomic_max(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics);

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* Component types of A and B, one of which promotes to the other (cm_promotes), or both 8-bit floats, or both e2m1; the
 * accumulation type; the operands word of the matrix instruction (0: none), whose A flags describe our B, because its A
 * is our B. */
typedef struct {
    cm_type type_a, type_b, acc;
    uint32_t dpas;
} cm_product;

/* The row for A B; NULL if neither type promotes to the other, and for complex types. */
XETILE_API const cm_product *cm_product_row(cm_type a, cm_type b);

/* Has the target's matrix instruction this product? Of NULL (no row) false. At which subgroup sizes it works, and so
 * whether the target has it at all, is in target->dpas_sizes. */
XETILE_API bool cm_has_dpas(const cm_target *target, const cm_product *row);

/* TinyTC's promotion rule for scalar types: every value of `from` is a value of `to`. Types that the spec lacks follow
 * its sense: unsigned types behave like signed ones of their size, and tf32 is between the 16-bit floats and f32. The
 * types of C in a product: those to which both A and B promote (f32 sums take bf16 and f16 alike). */
XETILE_API bool cm_promotes(cm_type from, cm_type to);
XETILE_API bool cm_product_takes(const cm_product *row, cm_type c);

/* D = A B + C of type_d: A is M x K (CM_A), B is K x N (CM_B), C is M x N (CM_ACC) or NULL for none. As in the spec, A
 * and B must promote to the type of C (cm_promotes; 16-bit floats also accept each other as C), and D can be any type
 * that C converts to. Sums are f32 for floats below 64 bits, i32 for 8- and 16-bit integers (which wrap), or a wider
 * type if C has it; cm_product_row is the table. If A, B, C and D are all f16 or all bf16, the matrix instruction
 * rounds to that type after every 16 products; if C and D are bf16 and A and B e4m3, e5m2 or e2m1, that of nvl-p, cri
 * rounds to bf16 after every 32 (e2m1: 64) [OPERAND_USE, SHAPE, MUL_TYPES]. */
XETILE_API cm_matrix cm_mul_add(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
                                const cm_matrix *acc);
/* The same for types that are not complex (which are errors). Programs that only call this one compile faster. */
XETILE_API cm_matrix cm_mul_add_real(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
                                     const cm_matrix *acc);

/* Scales of a product, one for CM_SCALED elements along k: of A's rows, M x K / 32, and of B's columns, K / 32 x N;
 * both matrices of e8m0 with the use CM_ACC. */
enum { CM_SCALED = 32 };
typedef struct {
    const cm_matrix *a, *b;
} cm_scales;

/* D = A B + C, where each element of A and B counts as it is times the scale of its 32: OCP's MX products of e4m3 and
 * e5m2 (also mixed) and e2m1; f16 and bf16 as well. C and D are f32 or bf16; sums are f32. Each 32 products are summed,
 * exactly scaled (only results outside f32's normal numbers may round or flush again) and added to the sum. NaN, also
 * of a scale, makes NaN. The matrix instruction with scales adds 16 (f16, bf16), 32 or 64 (e2m1) scaled products to the
 * sum as it likes, and to a sum of bf16 if C and D are: as above [OPERAND_USE, SHAPE, MUL_TYPES]. */
XETILE_API cm_matrix cm_mul_add_scaled(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
                                       const cm_matrix *acc, const cm_scales *scales);

/* The same as cm_mul_add, saturating: integers are the exact result clamped to the range of type_d. A and B have 8 or
 * 16 bits (their sums are exact in i32 and i64) [as cm_mul_add]. */
XETILE_API cm_matrix cm_mul_add_saturating(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
                                           const cm_matrix *acc);

/* ---- component by component -------------------------------------------------------------------------------------- */

/* A component-wise operation on vectors or scalars of the arithmetic type (cm_arith_type); returns the same type. */
typedef spe_id (*cm_fn)(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user);

/* fn(c, type, a, 0, user) on every component; fn(c, type, a, b, user) on every pair of components of two matrices of
 * equal type, shape and use [COMPONENT, SHAPE; SCALAR if fn returns another type, or 0]. Returns a matrix like a.
 * Padding is mapped too, but never stored. */
XETILE_API cm_matrix cm_map1(cm_ctx *c, const cm_matrix *a, cm_fn fn, void *user);
XETILE_API cm_matrix cm_map2(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, cm_fn fn, void *user);

/* Operations on pairs of components. REM has the sign of the first operand; SHR keeps the sign of signed types. */
typedef enum {
    CM_ADD = SPE_ARITH_ADD, CM_SUB = SPE_ARITH_SUB, CM_MUL = SPE_ARITH_MUL, CM_DIV = SPE_ARITH_DIV,
    CM_MIN = SPE_ARITH_MIN, CM_MAX = SPE_ARITH_MAX, CM_REM = SPE_ARITH_REM, CM_AND = SPE_ARITH_AND,
    CM_OR = SPE_ARITH_OR, CM_XOR = SPE_ARITH_XOR, CM_SHL = SPE_ARITH_SHL, CM_SHR = SPE_ARITH_SHR
} cm_op;

/* a op b, component by component, on two matrices of equal type, shape and use; the result is like them. Types below 32
 * bits other than integers and f16 are computed in f32 and rounded to nearest. Complex types have add, sub, mul and
 * div; floats lack and, or, xor, shl, shr [OPERATION, COMPONENT, SHAPE, EMIT_TYPE]. */
XETILE_API cm_matrix cm_binary(cm_ctx *c, cm_op op, const cm_matrix *a, const cm_matrix *b);
/* SHL or SHR by a constant from 0 to the bits of an integer less one [OPERATION, EMIT_TYPE]. On Intel's GPUs, bytes in
 * whole words take an instruction or two for four of them, and by cm_binary three for each. */
XETILE_API cm_matrix cm_shift(cm_ctx *c, cm_op op, const cm_matrix *a, int count);
XETILE_API cm_matrix cm_add(cm_ctx *c, const cm_matrix *a, const cm_matrix *b);
XETILE_API cm_matrix cm_sub(cm_ctx *c, const cm_matrix *a, const cm_matrix *b);
XETILE_API cm_matrix cm_mul(cm_ctx *c, const cm_matrix *a, const cm_matrix *b);

/* scalar * a; the scalar has the storage type of a (for complex matrices: a real factor) [SCALAR]. */
XETILE_API cm_matrix cm_scale(cm_ctx *c, const cm_matrix *a, spe_id scalar);

/* Operations on one component. All take floats; NEG and ABS integers too, NOT integers only, CONJ complex ones. */
#define CM_UNARY_OPS_(X)                                                                                               \
    X(EXP) X(EXP2) X(EXP10) X(EXPM1) X(LOG) X(LOG2) X(LOG10) X(LOG1P) X(SQRT) X(RSQRT) X(CBRT) X(SIN) X(COS) X(TAN)    \
    X(ASIN) X(ACOS) X(ATAN) X(SINH) X(COSH) X(TANH) X(ERF) X(ERFC) X(CEIL) X(FLOOR) X(TRUNC) X(ROUND) X(RINT) X(SIGN)  \
    X(NATIVE_EXP) X(NATIVE_EXP2) X(NATIVE_LOG) X(NATIVE_LOG2) X(NATIVE_SIN) X(NATIVE_COS)
#define CM_UNARY_ENUM_(name) CM_##name,
typedef enum {
    CM_NEG, CM_NOT, CM_CONJ, CM_ABS, CM_UNARY_OPS_(CM_UNARY_ENUM_) CM_UNARY_COUNT_
} cm_unary_op;

/* op a, component by component; returns a matrix like a (CM_ABS of a complex one is real). Precision is that of
 * OpenCL.std. Complex: NEG, CONJ, ABS, EXP, EXP2, NATIVE_EXP, NATIVE_EXP2 [OPERATION, EMIT_TYPE]. */
XETILE_API cm_matrix cm_unary(cm_ctx *c, cm_unary_op op, const cm_matrix *a);

/* A lane's position, section "Mapping properties": i as row and the first column j0 as col. If I == S, col is 0. */
typedef struct {
    spe_id row, col;
} cm_lane;

/* The state of CM_APPLY: the current component, its position, and the results so far. */
typedef struct {
    cm_ctx *c;
    const cm_matrix *a;
    spe_id *value; /* of the storage type; NULL: after an error */
    cm_lane lane;
    int v;
    spe_id row, col, component;
} cm_walk_;

XETILE_API cm_walk_ cm_walk_begin_(cm_ctx *c, const cm_matrix *a);
XETILE_API bool cm_walk_next_(cm_walk_ *w);
XETILE_API bool cm_walk_end_(cm_walk_ *w, cm_matrix *out);

/* The statement that follows is emitted once for every component of matrix `in`, with spe_ids `i` (row, i32), `j`
 * (column, i32) and `v` (component, of cm_arith_type); the value it leaves in v becomes that component of `out`
 * (TinyTC: apply) [SCALAR]. With s of f32, exp below the diagonal and zero above:
 *
 *     CM_APPLY (&c, p, s, i, j, v) v = spe_select(&m, spe_sle(&m, j, i), spe_math1(&m, SPE_EXP, v), zero);
 *
 * in and out are cm_matrix variables and may be the same. Padding is visited too (j beyond the last column) but never
 * stored. Do not leave the statement by break, goto or return. */
#define CM_APPLY(ctx, out, in, i, j, v)                                                                                \
    for (cm_walk_ cm_w_##v = cm_walk_begin_((ctx), &(in));                                                             \
         cm_walk_next_(&cm_w_##v) || cm_walk_end_(&cm_w_##v, &(out));)                                                 \
        for (spe_id i = cm_w_##v.row, j = cm_w_##v.col, v = cm_w_##v.component, cm_once_##v = 1;                       \
             (void)i, (void)j, cm_once_##v; cm_w_##v.component = v, cm_once_##v = 0)

/* CM_APPLY as a function: fn gets a scalar of cm_arith_type and its position, and returns the new scalar. */
typedef spe_id (*cm_apply_fn)(cm_ctx *c, spe_id row, spe_id col, spe_id component, void *user);
XETILE_API cm_matrix cm_apply(cm_ctx *c, const cm_matrix *a, cm_apply_fn fn, void *user);

/* Along each row, M x N becomes M x 1; along each column, 1 x N. */
typedef enum { CM_BY_ROW, CM_BY_COLUMN } cm_direction;

/* CM_ADD, CM_MIN or CM_MAX along rows or columns, with the type and use of `a` (TinyTC: reduce). f16 and smaller floats
 * are summed in f32, in unspecified order. Complex types have only add [OPERATION]. */
XETILE_API cm_matrix cm_reduce(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a);

/* The same with the result in every element: a matrix of M x extent (CM_BY_ROW) of equal columns, or extent x N
 * (CM_BY_COLUMN) of equal rows. Cheapest if extent is that of `a`, or, by columns, if extent and M are multiples of the
 * subgroup size: then no data moves between lanes [OPERATION, layout]. */
XETILE_API cm_matrix cm_reduce_broadcast(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a, int extent);

/* ---- another type, use or shape ---------------------------------------------------------------------------------- */

/* The same matrix with another component type (TinyTC: cast). Floats round to nearest even; float to integer rounds
 * towards zero (undefined if it does not fit); integers keep the low bits; 8-bit floats saturate. bf16, tf32 and the
 * 8-bit floats are converted through f32, so wider types round twice. A real matrix becomes the real part of a complex
 * one; use cm_re for the opposite. Lanes exchange components if the layouts require it [TYPE, CONVERT]. */
XETILE_API cm_matrix cm_convert(cm_ctx *c, const cm_matrix *a, cm_type type);

/* The same with a given rounding, wherever a float is read or written. saturate: integers and 8-bit floats that do not
 * fit become the nearest value that does (NaN as an integer: 0); otherwise such integers are undefined, and 8-bit
 * floats become NaN (e4m3, which has no infinity) or infinity (e5m2), as in NVIDIA's matrix conversions. bf16 and tf32
 * support CM_ROUND_NEAREST and CM_ROUND_ZERO, 8-bit floats CM_ROUND_NEAREST, other types all four [TYPE, CONVERT]. */
XETILE_API cm_matrix cm_convert_as(cm_ctx *c, const cm_matrix *a, cm_type type, cm_rounding rounding, bool saturate);

/* cm_convert of e2m1, or to it, takes the value in the lower four bits of each byte, and sets the upper ones to 0; this
 * takes that in the upper four, and sets the lower ones to 0. CM_OR joins two such halves [CONVERT]. */
XETILE_API cm_matrix cm_convert_upper(cm_ctx *c, const cm_matrix *a, cm_type type);

/* cm_convert of bytes (i8, u8) to f16, and their sum with a number, rounded once. A number that is whole and small
 * costs nothing where the bytes are in whole words [CONVERT: other types]. */
XETILE_API cm_matrix cm_convert_plus(cm_ctx *c, const cm_matrix *a, cm_type type, double number);

/* The same matrix with another use [USE]. 16-bit accumulators become operands within lanes; 8-bit CM_B may shuffle. */
XETILE_API cm_matrix cm_convert_use(cm_ctx *c, const cm_matrix *a, cm_use use);

/* The transpose, cols x rows (cols a power of two) in the given use [layout]. Takes about S V shuffles, so only for
 * small matrices; transposing through memory costs nothing extra. */
XETILE_API cm_matrix cm_transpose(cm_ctx *c, const cm_matrix *a, cm_use use);

/* rows x cols (rows a power of two) of `a`, from element (row, col) on [SHAPE, layout]. Within lanes where both begin
 * at a multiple of what the lanes hold together. */
XETILE_API cm_matrix cm_submatrix(cm_ctx *c, const cm_matrix *a, int row, int col, int rows, int cols);

/* rows x cols, where element (r, c) is that of `a` at (r mod rows of a, c mod columns of a): copies side by side, or a
 * part of `a` [layout]. Stays within lanes if the rows of a are a multiple of the subgroup size. */
XETILE_API cm_matrix cm_repeat(cm_ctx *c, const cm_matrix *a, int rows, int cols);

/* ---- for headers that build on this one -------------------------------------------------------------------------- */

/* The device's row with the caller's values in place of the row's, and one of its subgroup sizes (0: the row's). On
 * failure returns false and reports an error of the header in at->errors. cm_poison: the result after an error. */
XETILE_API bool cm_choose_target(spe_site at, const spe_device *d, int size, cm_target *target);
XETILE_API cm_matrix cm_poison(void);
/* The environment of a device's modules. */
XETILE_API spe_env cm_environment(const spe_device *d);

/* A vector or scalar of the storage type as the arithmetic type (cm_arith_type) [EMIT_TYPE], and back; f32 rounded to
 * bf16, as 16 bits; the same bits as another type (emits nothing if v has that type). */
XETILE_API spe_id cm_to_arith(cm_ctx *c, cm_type type, spe_id v);
XETILE_API spe_id cm_from_arith(cm_ctx *c, cm_type type, spe_id v);
XETILE_API spe_id cm_f32_to_bf16(cm_ctx *c, spe_id v);
XETILE_API spe_id cm_bitcast(cm_ctx *c, spe_id type, spe_id v);

/* All V components of this lane, converted to the storage type of `type`; NULL after an error [EMIT_TYPE]. */
XETILE_API spe_id *cm_component_ids(cm_ctx *c, const cm_matrix *a, cm_type type);

/* The pointer decorated with the cache controls of a cm_prefetch level, 1 to 3. Emits prefetch messages, if the
 * lowering has them, for `across` elements in the contiguous direction and `down` in the other; false if none. */
XETILE_API spe_id cm_cached_pointer(cm_ctx *c, spe_id ptr, int level);
XETILE_API bool cm_prefetch_block(cm_ctx *c, cm_type type, int across, int down, const spe_block2d *surface);

#endif /* CM_LAYOUT_ONLY */

#elif !defined(CM_LAYOUT_ONLY) && !defined(SPIRV_EMIT_H)
#error "coopmatrix.h was included with CM_LAYOUT_ONLY before; now all of it is needed"
#endif /* XETILE_COOPMATRIX_H */

/* ==== bodies: nothing from here on is for users ================================================================== */

#if defined(XETILE_STATIC_) && (defined(XETILE_IMPLEMENTATION) || \
                                (defined(XETILE_DECLARATIONS) && !defined(XETILE_COOPMATRIX_BODIES_)))
#error "XETILE_DECLARATIONS or XETILE_IMPLEMENTATION come before the first header of xetile: one was included without"
#elif defined(XETILE_WEAKLY_) && !defined(XETILE_IMPLEMENTATION) && !defined(XETILE_COOPMATRIX_BODIES_)
#error "XETILE_IMPLEMENTATION stays defined until the last header of xetile has been included"
#elif !defined(XETILE_COOPMATRIX_BODIES_) && (defined(XETILE_IMPLEMENTATION) || !defined(XETILE_DECLARATIONS))
#define XETILE_COOPMATRIX_BODIES_
#ifndef CM_LAYOUT_ONLY
#include "spirv_emit.h" /* its bodies come first */
#endif
#if defined(XETILE_IMPLEMENTATION)
/* The linker names this when two files of a program have the bodies, and first, as it is the first function. */
XETILE_EXTERN_ XETILE_HIDDEN_ void XETILE_IMPLEMENTATION_belongs_in_one_file__coopmatrix(void);
void XETILE_IMPLEMENTATION_belongs_in_one_file__coopmatrix(void) {}
#endif

/* internal.h - declarations shared by the bodies of coopmatrix.h only. */

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

XETILE_COLD_

/* layout.c - which work-item holds which element: types, the spec's layout, whole matrices on the host. */

const cm_type_row *cm_type_info(cm_type type)
{
#define CM_TYPE_ROW_(name, bytes, kind, sign, bits, fp, token) {#token, bytes, CM_KIND_##kind, sign, bits, fp},
    static const cm_type_row rows[] = {CM_TYPES_(CM_TYPE_ROW_)};
    return (unsigned)type < (unsigned)CM_TYPE_COUNT ? &rows[type] : NULL;
}

const char *cm_use_name(cm_use use)
{
    static const char *const names[] = {"matrix_acc", "matrix_a", "matrix_b", "opaque matrix_acc", "opaque matrix_a",
                                        "opaque matrix_b"};
    return (unsigned)use <= (unsigned)CM_OPAQUE_B ? names[use] : "no use";
}

/* Name and text of an error id; NULL if it is not of this header. */
XE_FN_ const char *const *cm_error_row_(int id)
{
#define CM_ERROR_ROW_(name, text) {"CM_ERROR_" #name, text},
    static const char *const rows[][2] = {CM_ERRORS_(CM_ERROR_ROW_)};
    return id > CM_ERROR_FIRST_ && id < CM_ERROR_END_ ? rows[id - CM_ERROR_FIRST_ - 1] : NULL;
}

const char *cm_error_name(int id) { return cm_error_row_(id) ? cm_error_row_(id)[0] : ""; }

const char *cm_error_text(int id)
{
    if (id == 0) return "no error";
    return cm_error_row_(id) ? cm_error_row_(id)[1] : "not an error of coopmatrix.h";
}

XE_FN_ bool cm_power_of_two_(int n) { return n > 0 && (n & (n - 1)) == 0; }

int cm_layout_init(cm_layout *l, int rows, int cols, cm_type type, cm_use use, int subgroup_size)
{
    enum { EXTENT_MAX = 1 << 14, SUBGROUP_MAX = 1 << 10 };
    memset(l, 0, sizeof *l);
    if (!cm_power_of_two_(rows)) return CM_ERROR_ROWS;
    if (cols < 1) return CM_ERROR_COLUMNS;
    if (!cm_type_info(type)) return CM_ERROR_TYPE;
    if ((unsigned)use > (unsigned)CM_B) return CM_ERROR_USE;
    if (!cm_power_of_two_(subgroup_size)) return CM_ERROR_SUBGROUP;
    if (rows > EXTENT_MAX || cols > EXTENT_MAX || subgroup_size > SUBGROUP_MAX) return CM_ERROR_TOO_LARGE;
    /* the formulas of CM_CHANNELS, CM_K1 and CM_J, each part computed once */
    int bytes = cm_type_info(type)->bytes, omega = bytes < 4 ? 4 / bytes : 1;
    int I = CM_I(rows, subgroup_size), K1 = use == CM_B && rows > subgroup_size && bytes < 2 ? 2 / bytes : 1;
    if (use != CM_A || cols % omega != 0) omega = 1;
    int J = CM_ROUND_J_(rows, cols / omega, subgroup_size) * omega, V = rows * J / subgroup_size;
    cm_layout valid = {rows, cols, type, use, subgroup_size, I, J, rows / I, K1, rows / I / K1, V,
                       omega, omega > 1, J > cols, false};
    *l = valid;
    return 0;
}

int cm_layout_interleave(cm_layout *l, int k1)
{
    if (!cm_power_of_two_(k1) || l->rows < 1 || l->size_k % k1 != 0) return CM_ERROR_ROWS;
    l->size_k1 = k1;
    l->size_k2 = l->size_k / k1;
    l->interleaved = k1 > 1;
    return 0;
}

int cm_components(const cm_layout *l) { return l->omega ? l->size_v / l->omega : 0; }

int cm_linear(const cm_layout *l, cm_index x)
{
    return x.at_i + l->size_i * (x.at_k1 + l->size_k1 * (x.at_j / l->omega + l->size_j / l->omega * x.at_k2));
}

cm_index cm_unlinear(const cm_layout *l, int number)
{
    int j = l->size_j / l->omega;
    cm_index x = {number % l->size_i, number / l->size_i % l->size_k1, number / (l->size_i * l->size_k1) % j * l->omega,
                  number / (l->size_i * l->size_k1 * j)};
    return x;
}

int cm_row_of(const cm_layout *l, cm_index x)
{
    int inner = l->interleaved ? x.at_k1 + x.at_i * l->size_k1 : x.at_i + x.at_k1 * l->size_i;
    return inner + x.at_k2 * l->size_i * l->size_k1;
}

cm_slot cm_slot_of(const cm_layout *l, int row, int col)
{
    int block = l->size_i * l->size_k1, inner = row % block;
    cm_index plain = {inner % l->size_i, inner / l->size_i, col, row / block};
    cm_index neighbours = {inner / l->size_k1, inner % l->size_k1, col, row / block};
    int number = cm_linear(l, l->interleaved ? neighbours : plain);
    cm_slot s = {number % l->lanes, number / l->lanes, col % l->omega};
    return s;
}

cm_element cm_element_of(const cm_layout *l, cm_slot s)
{
    cm_index x = cm_unlinear(l, s.lane + s.component * l->lanes);
    cm_element e = {cm_row_of(l, x), x.at_j + s.channel, false};
    e.padding = e.row >= l->rows || e.col >= l->cols;
    return e;
}

/* The address of a slot's element; NULL for padding and for what a check excludes. */
XE_FN_ unsigned char *cm_host_address_(const cm_layout *l, const cm_host_mem *m, cm_slot s)
{
    cm_element e = cm_element_of(l, s);
    int row = m->pos_row + e.row, col = m->pos_col + e.col, rows = m->extent_rows, cols = m->extent_cols;
    ptrdiff_t down = m->stride_row, right = m->stride_col;
    if (m->transposed) rows = m->extent_cols, cols = m->extent_rows, down = m->stride_col, right = m->stride_row;
    if (e.padding || (m->rows_checked && (row < 0 || row >= rows)) || (m->cols_checked && (col < 0 || col >= cols)))
        return NULL;
    return (unsigned char *)m->base + (row * down + col * right) * cm_type_info(l->type)->bytes;
}

/* Copies every slot from memory to the vectors, or back (store). The vector of work-item p starts at component p * V;
 * channels of a packed component are adjacent, low bits first. */
XE_FN_ void cm_host_walk_(const cm_layout *l, unsigned char *vectors, const cm_host_mem *m, bool store)
{
    size_t bytes = (size_t)cm_type_info(l->type)->bytes;
    for (int n = 0; n < l->lanes * l->size_v; n++) {
        cm_slot s = {n / l->size_v, n % l->size_v / l->omega, n % l->omega};
        unsigned char *slot = vectors + (size_t)n * bytes, *at = cm_host_address_(l, m, s);
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

/* targets.c - targets, their subgroup sizes, and contexts. */

/* Messages of Intel's GPUs; those of the software device, which copies bytes. */
#define CM_BLOCK2D_XE_ {64, 16, 4, 64, true}
#define CM_BLOCK2D_PVC_ {64, 16, 4, 64, false}
#define CM_BLOCK2D_ANY_ {1, 1, 1, 1, true}

/* Where the figures come from: Intel's compiler (ocloc 26.27, IGC 2.40: the extensions and subgroup sizes that it takes
 * for a device; 128 registers of 32 or 64 bytes a thread, or twice as many with the build flag) and Intel's driver
 * (local memory; threads of a subslice times 8 work-items, as a power of two). Nothing here was tried on a device.
 * tgl to arl-h: no matrix instruction that the compiler accepts (that of arl-h exists, but its extension is disabled),
 * and messages of one dimension only. wcl, nvl, nvl-p and cri take modules of bmg as they are. */
const cm_target *cm_target_row(const char *name)
{
    static const char large[] = "-ze-opt-large-register-file";
    enum { K = 1 << 10, ALL = 8 | 16 | 32, ANY = ALL | 64, BOTH = 16 | 32 };
    enum { XE = 0x3fff, XE3P = 0x3fffff }; /* bits of SPE_MatrixMultiplyAccumulateOperands... */
    static const cm_target rows[] = {
        {"tgl", 16, ALL, 0, XE, 0, CM_BLOCK2D_XE_, false, 64 * K, 512, 4 * K, "", false, true, false, true},
        {"dg1", 16, ALL, 0, XE, 0, CM_BLOCK2D_XE_, false, 64 * K, 512, 4 * K, "", false, true, false, true},
        {"mtl", 16, ALL, 0, XE, 0, CM_BLOCK2D_XE_, false, 64 * K, 1024, 8 * K, large, false, true, false, true},
        {"arl-h", 16, ALL, 0, XE, 0, CM_BLOCK2D_XE_, false, 64 * K, 1024, 8 * K, large, false, true, false, true},
        {"dg2", 8, ALL, 8, XE, 0, CM_BLOCK2D_XE_, true, 64 * K, 1024, 8 * K, large, false, true, false, false},
        {"pvc", 16, BOTH, 16, XE, 16, CM_BLOCK2D_PVC_, true, 128 * K, 1024, 16 * K, large, true, true, false, false},
        {"bmg", 16, BOTH, 16, XE, 16, CM_BLOCK2D_XE_, true, 128 * K, 1024, 16 * K, large, true, true, false, false},
        {"lnl", 16, BOTH, 16, XE, 16, CM_BLOCK2D_XE_, true, 128 * K, 1024, 16 * K, large, true, true, false, false},
        {"ptl", 16, BOTH, 16, XE, 16, CM_BLOCK2D_XE_, true, 128 * K, 1024, 16 * K, large, true, true, false, false},
        {"wcl", 16, BOTH, 16, XE, 16, CM_BLOCK2D_XE_, true, 128 * K, 1024, 16 * K, large, true, true, false, false},
        {"nvl", 16, BOTH, 16, XE, 16, CM_BLOCK2D_XE_, true, 128 * K, 1024, 16 * K, large, true, true, false, false},
        {"nvl-p", 16, BOTH, 16, XE3P, 16, CM_BLOCK2D_XE_, true, 192 * K, 1024, 16 * K, large, true, true, false, false},
        {"cri", 16, BOTH, 16, XE3P, 16, CM_BLOCK2D_XE_, true, 384 * K, 1024, 16 * K, large, true, true, false, false},
        {"generic", 16, ALL, 0, XE, 0, CM_BLOCK2D_XE_, false, 32 * K, 1024, 4 * K, "", false, true, false, false},
        {"soft", 16, ALL, 8 | 16, XE, 16, CM_BLOCK2D_ANY_, true, 64 * K, 1024, 16 * K, "", false, false, false, false},
        {"vulkan", 32, ANY, 0, XE, 0, CM_BLOCK2D_ANY_, false, 32 * K, 256, 8 * K, "", false, false, true, false},
        {"hopper", 32, 32, 0, XE, 0, CM_BLOCK2D_ANY_, false, 48 * K, 1024, 32 * K, "", false, false, true, false},
    };
    static const char *const families[][2] = { /* what stands before the `-` of other names */
        {"rkl", "tgl"}, {"adl", "tgl"}, {"rpl", "tgl"}, {"tgllp", "tgl"}, {"mtl", "mtl"}, {"arl", "mtl"},
        {"dg2", "dg2"}, {"acm", "dg2"}, {"ats", "dg2"}, {"pvc", "pvc"},   {"bmg", "bmg"}, {"lnl", "lnl"},
        {"ptl", "ptl"}, {"nvl", "nvl"},
    };
    if (!name) return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    const size_t length = strcspn(name, "-");
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strlen(families[i][0]) == length && !strncmp(families[i][0], name, length))
            return cm_target_row(families[i][1]);
    return NULL;
}

/* Targets that are not Intel's have no such flag either: their figures are of 256 registers like Intel's, as their
 * compilers see to registers themselves. */
bool cm_has_two_register_modes(const cm_target *t) { return !t->igc || t->build_flags[0]; }

spe_env cm_environment(const spe_device *d)
{
    const cm_target *row = d ? cm_target_row(d->name) : NULL;
    return row && row->vulkan ? SPE_ENV_VULKAN : SPE_ENV_OPENCL;
}

enum { CM_SIZES_ = 8 | 16 | 32 | 64 }; /* of subgroups: more lanes do not fit where one bit stands for each */

XE_FN_ bool cm_has_size_(const cm_target *t, int size)
{
    return cm_power_of_two_(size) && (t->subgroup_sizes & CM_SIZES_ & (uint32_t)size);
}

/* The sizes of a mask as text, "16 and 32". */
typedef struct {
    char s[24];
} cm_sizes_text_;

XE_ONCE_
XE_FN_ cm_sizes_text_ cm_sizes_of_(uint32_t sizes)
{
    cm_sizes_text_ t = {"none"};
    int n = 0;
    for (uint32_t size = 8; size <= 64; size *= 2) {
        if (!(sizes & size)) continue;
        sizes &= ~size;
        n += snprintf(t.s + n, sizeof t.s - (size_t)n, "%s%u", n == 0 ? "" : sizes & CM_SIZES_ ? ", " : " and ", size);
    }
    return t;
}

bool cm_choose_target(spe_site at, const spe_device *d, int size, cm_target *target)
{
    const cm_target *row = d ? cm_target_row(d->name) : NULL;
    if (!row) {
        spe_report(at, at.errors->target, "\"%s\"; known are " CM_TARGET_NAMES, d && d->name ? d->name : "(none)");
        return false;
    }
    *target = *row;
    if (d->subgroup_sizes) target->subgroup_sizes = d->subgroup_sizes;
    if (d->local_memory) target->local_memory = d->local_memory < INT32_MAX ? (int)d->local_memory : INT32_MAX;
    if (d->max_group_size) target->max_group_size = d->max_group_size < INT32_MAX ? (int)d->max_group_size : INT32_MAX;
    if (!size && cm_has_size_(target, row->subgroup_size)) size = row->subgroup_size;
    for (int s = 8; !size && s <= 64; s *= 2) size = cm_has_size_(target, s) ? s : 0; /* the smallest */
    target->subgroup_size = size;
    if (cm_has_size_(target, size)) return true;
    spe_report(at, at.errors->subgroup_size, "wanted %d, %s has %s", size, row->name,
               cm_sizes_of_(target->subgroup_sizes).s);
    return false;
}

bool cm_begin(cm_ctx *c, spe_module *m, const cm_target *target, cm_lowering lowering)
{
    memset(c, 0, sizeof *c);
    c->module = m;
    if (!target) return CM_FAIL_(c, TARGET, "there is no target of this name; known are " CM_TARGET_NAMES);
    int size = target->subgroup_size;
    bool dpas = (target->dpas_sizes & (uint32_t)size) != 0;
    c->target = *target;
    m->options.verbatim = !target->igc;
    m->options.subgroup_sizes = target->subgroup_sizes;
    m->options.local_memory = (uint32_t)target->local_memory;
    m->options.max_group_size = (uint32_t)target->max_group_size;
    c->lowering = lowering == CM_AUTO ? (dpas ? CM_INTEL : CM_PLAIN) : lowering;
    if (!cm_has_size_(target, size))
        return CM_FAIL_(c, TARGET_SUBGROUP, "subgroup size %d: target %s has the sizes in mask 0x%x", size,
                        target->name, (unsigned)target->subgroup_sizes);
    if ((unsigned)lowering > (unsigned)CM_KHR)
        return CM_FAIL_(c, LOWERING, "target %s: there is no lowering %d", target->name, (int)lowering);
    if (c->lowering == CM_INTEL && !dpas)
        return CM_FAIL_(c, LOWERING, "CM_INTEL: target %s has no matrix instruction at subgroup size %d",
                        target->name, size);
    if (c->lowering == CM_KHR && !target->coop_khr)
        return CM_FAIL_(c, LOWERING, "CM_KHR: target %s does not take SPV_KHR_cooperative_matrix", target->name);
    return spe_ok(m);
}

/* promotions.c - which types have products, in which type they are summed, and what promotes to what. */

/* The promotion rule: all pairs of distinct types. Pairs of real types have products, in either order. */
#define CM_PROMOTIONS_(X)                                                                                              \
    X(I8, I16) X(I8, I32) X(I8, I64) X(I8, BF16) X(I8, F16) X(I8, TF32) X(I8, F32) X(I8, F64) X(U8, I16) X(U8, I32)    \
    X(U8, I64) X(U8, U16) X(U8, U32) X(U8, U64) X(U8, BF16) X(U8, F16) X(U8, TF32) X(U8, F32) X(U8, F64) X(I16, I32)   \
    X(I16, I64) X(I16, F32) X(I16, F64) X(U16, I32) X(U16, I64) X(U16, U32) X(U16, U64) X(U16, F32) X(U16, F64)        \
    X(I32, U32) X(I32, I64) X(I32, F64) X(U32, U64) X(U32, I64) X(U32, F64) X(E4M3, BF16) X(E4M3, F16) X(E4M3, TF32)   \
    X(E4M3, F32) X(E4M3, F64) X(E5M2, BF16) X(E5M2, F16) X(E5M2, TF32) X(E5M2, F32) X(E5M2, F64) X(BF16, TF32)         \
    X(BF16, F32) X(BF16, F64) X(F16, TF32) X(F16, F32) X(F16, F64) X(TF32, F32) X(TF32, F64) X(F32, F64)
#define CM_COMPLEX_PROMOTIONS_(X)                                                                                      \
    X(I8, C32) X(I8, C64) X(U8, C32) X(U8, C64) X(I16, C32) X(I16, C64) X(U16, C32) X(U16, C64) X(I32, C32) X(I32, C64)\
    X(U32, C64) X(E4M3, C32) X(E4M3, C64) X(E5M2, C32) X(E5M2, C64) X(BF16, C32) X(BF16, C64) X(F16, C32) X(F16, C64)  \
    X(TF32, C32) X(TF32, C64) X(F32, C32) X(F32, C64) X(F64, C64) X(C32, C64)

const cm_product *cm_product_row(cm_type a, cm_type b)
{
    enum { A_SIGNED = 1, B_SIGNED = 2, I8 = 0x10 | 0x20, TF32 = 0x100 | 0x200, F16 = 0x400 | 0x800 };
    enum { BF16 = 0x1000 | 0x2000, E4M3_A = 0x4000, E4M3_B = 0x8000, E5M2_A = 0x10000, E5M2_B = 0x20000 };
    enum { E2M1 = 0x40000 | 0x80000 }; /* bits of SPE_MatrixMultiplyAccumulateOperands... */
    enum { /* once each, as they are long expressions */
#define CM_SUM_OF_(t) SUM_##t = CM_SUM_(CM_##t)
        CM_SUM_OF_(I16), CM_SUM_OF_(U16), CM_SUM_OF_(I32), CM_SUM_OF_(U32), CM_SUM_OF_(I64), CM_SUM_OF_(U64),
        CM_SUM_OF_(BF16), CM_SUM_OF_(F16), CM_SUM_OF_(TF32),
        CM_SUM_OF_(F32), CM_SUM_OF_(F64)
    };
#define CM_BOTH_WAYS_(a, b) {CM_##a, CM_##b, (cm_type)SUM_##b, 0}, {CM_##b, CM_##a, (cm_type)SUM_##b, 0},
    static const cm_product rows[] = {
        {CM_F16, CM_F16, CM_F32, F16},         {CM_BF16, CM_BF16, CM_F32, BF16},
        {CM_TF32, CM_TF32, CM_F32, TF32},      {CM_I8, CM_I8, CM_I32, I8 | A_SIGNED | B_SIGNED},
        {CM_U8, CM_U8, CM_I32, I8},            {CM_I8, CM_U8, CM_I32, I8 | B_SIGNED},
        {CM_U8, CM_I8, CM_I32, I8 | A_SIGNED},
#define CM_SQUARE_(t) {CM_##t, CM_##t, (cm_type)SUM_##t, 0}
        {CM_E4M3, CM_E4M3, CM_F32, E4M3_A | E4M3_B}, {CM_E5M2, CM_E5M2, CM_F32, E5M2_A | E5M2_B},
        {CM_E4M3, CM_E5M2, CM_F32, E5M2_A | E4M3_B}, {CM_E5M2, CM_E4M3, CM_F32, E4M3_A | E5M2_B},
        {CM_E2M1, CM_E2M1, CM_F32, E2M1},
        CM_SQUARE_(F64), CM_SQUARE_(F32), CM_SQUARE_(I64), CM_SQUARE_(U64), CM_SQUARE_(I32), CM_SQUARE_(U32),
        CM_SQUARE_(I16), CM_SQUARE_(U16), CM_PROMOTIONS_(CM_BOTH_WAYS_)
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].type_a == a && rows[i].type_b == b) return &rows[i];
    return NULL;
}

bool cm_has_dpas(const cm_target *target, const cm_product *row)
{
    return row && row->dpas && !(row->dpas & ~target->dpas_operands);
}

bool cm_promotes(cm_type from, cm_type to)
{
#define CM_PAIR_(from, to) {CM_##from, CM_##to},
    static const cm_type pairs[][2] = {CM_PROMOTIONS_(CM_PAIR_) CM_COMPLEX_PROMOTIONS_(CM_PAIR_)};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i][0] == from && pairs[i][1] == to) return true;
    return from == to && cm_type_info(to);
}

bool cm_product_takes(const cm_product *row, cm_type c)
{
    if (row->acc == CM_F32 && (c == CM_F16 || c == CM_BF16)) return row->type_a != CM_F32 && row->type_b != CM_F32;
    if (row->acc == CM_I32 && c == CM_U32) return true; /* same bits */
    if (row->type_a == CM_E2M1) return c == CM_F32;
    return cm_promotes(row->type_a, c) && cm_promotes(row->type_b, c);
}

/* Values of a component. */
XE_ONCE_
XE_FN_ int cm_per_(cm_type type) { return type == CM_E2M1 ? 2 : 1; }

/* Depth of one matrix instruction, in components of this type: eight dwords. */
XE_FN_ int cm_dpas_depth_(cm_type type) { return 32 / cm_type_info(type)->bytes; }

/* The same in values. */
XE_ONCE_
XE_FN_ int cm_dpas_values_(cm_type type) { return cm_dpas_depth_(type) * cm_per_(type); }

/* indices.c - numbers at run time: small arithmetic, this lane's rows and columns. */

XE_FN_ spe_id cm_i32_(cm_ctx *c, int v) { return spe_i32(c->module, v); }
/* v * n, v + n, v % n, v / n, omitting no-ops. For the last two, n is a power of two and v >= 0, except that
 * cm_shr_signed_ takes any v and rounds down. */
XE_FN_ spe_id cm_times_(cm_ctx *c, spe_id v, int n) { return n == 1 ? v : spe_imul(c->module, v, cm_i32_(c, n)); }
XE_FN_ spe_id cm_plus_(cm_ctx *c, spe_id v, int n) { return n == 0 ? v : spe_iadd(c->module, v, cm_i32_(c, n)); }
XE_FN_ spe_id cm_mod_(cm_ctx *c, spe_id v, int n) { return spe_and(c->module, v, cm_i32_(c, n - 1)); }

XE_FN_ spe_id cm_log2_(cm_ctx *c, int n)
{
    int shift = 0;
    while (1 << shift < n) shift++;
    return cm_i32_(c, shift);
}
XE_FN_ spe_id cm_shr_(cm_ctx *c, spe_id v, int n) { return n == 1 ? v : spe_shr(c->module, v, cm_log2_(c, n)); }
XE_FN_ spe_id cm_shr_signed_(cm_ctx *c, spe_id v, int n) { return n == 1 ? v : spe_sar(c->module, v, cm_log2_(c, n)); }

XE_FN_ cm_lane cm_lane_(cm_ctx *c, const cm_layout *l)
{
    spe_id p = spe_builtin(c->module, SPE_SUBGROUP_LANE, 0);
    bool whole = l->size_i == l->lanes;
    spe_id i = whole ? p : cm_mod_(c, p, l->size_i), j0 = whole ? cm_i32_(c, 0) : cm_shr_(c, p, l->size_i);
    cm_lane lane = {i, j0};
    return lane;
}

/* The component number, counting channels, of a slot; the element in component v of a lane. */
XE_FN_ int cm_number_of_(const cm_layout *l, cm_slot s) { return s.component * l->omega + s.channel; }
XE_FN_ cm_element cm_element_at_(const cm_layout *l, int lane, int v)
{
    cm_slot s = {lane, v / l->omega, v % l->omega};
    return cm_element_of(l, s);
}

/* The row and column of component v in this lane: those of the first lane plus this lane's distance. */
XE_ONCE_
XE_FN_ spe_id cm_row_at_(cm_ctx *c, const cm_layout *l, cm_lane lane, int v)
{
    return cm_plus_(c, cm_times_(c, lane.row, l->interleaved ? l->size_k1 : 1), cm_element_at_(l, 0, v).row);
}

XE_ONCE_
XE_FN_ spe_id cm_col_at_(cm_ctx *c, const cm_layout *l, cm_lane lane, int v)
{
    return cm_plus_(c, cm_times_(c, lane.col, l->omega), cm_element_at_(l, 0, v).col);
}

XE_FN_ bool cm_has_component_(cm_ctx *c, const cm_layout *l, int v)
{
    if (!spe_ok(c->module)) return false;
    return (v >= 0 && v < l->size_v) || CM_FAIL_(c, SHAPE, "component %d; there are %d", v, l->size_v);
}

spe_id cm_row_index(cm_ctx *c, const cm_layout *l, int v)
{
    return cm_has_component_(c, l, v) ? cm_row_at_(c, l, cm_lane_(c, l), v) : 0;
}
spe_id cm_col_index(cm_ctx *c, const cm_layout *l, int v)
{
    return cm_has_component_(c, l, v) ? cm_col_at_(c, l, cm_lane_(c, l), v) : 0;
}

/* Row and column axis of component v of the vector: v = (w1 + u K1 + w2 K1 V/K), where u includes channels. */
XE_FN_ void cm_axes_of_(const cm_layout *l, int v, int *row, int *col)
{
    int per_block = l->size_v / l->size_k2, in_block = v % per_block;
    *row = in_block % l->size_k1 + v / per_block * l->size_k1;
    *col = in_block / l->size_k1;
}

/* opaque.c - matrices whose components only the device can find: those of SPV_KHR_cooperative_matrix, in the shapes
 * that the target lists. A part is one of them, transposed: our columns are its rows. Parts follow one another along
 * our rows, then along our columns. */

/* What NVIDIA's driver 580.159.04 lists for an H200, as far as it is used here. */
static const cm_coop_shape cm_coop_shapes_[] = {
    {"hopper", CM_F16, CM_F32, 16, 16, 16}, {"hopper", CM_F16, CM_F16, 16, 16, 16},
    {"hopper", CM_BF16, CM_F32, 16, 16, 16}, {"hopper", CM_I8, CM_I32, 16, 16, 32},
    {"hopper", CM_U8, CM_I32, 16, 16, 32}, /* the driver's sums are u32: the same bits */
};

/* The first shape with these types; -1: any. */
XE_FN_ const cm_coop_shape *cm_find_shape_(const char *target, int type, int sum)
{
    for (size_t i = 0; target && i < sizeof cm_coop_shapes_ / sizeof *cm_coop_shapes_; i++) {
        const cm_coop_shape *s = &cm_coop_shapes_[i];
        if (strcmp(s->target, target)) continue;
        if ((type < 0 || (int)s->type == type) && (sum < 0 || (int)s->sum == sum)) return s;
    }
    return NULL;
}

const cm_coop_shape *cm_coop_shape_of(const cm_target *target, cm_type type, cm_type sum)
{
    return cm_find_shape_(target->name, (int)type, (int)sum);
}

XE_FN_ bool cm_is_opaque_(const cm_layout *l) { return l->use >= CM_OPAQUE_ACC; }

/* size_i and size_j are the rows and columns of a part. No lane has components that it could find. */
XE_FN_ cm_layout cm_opaque_layout_(cm_ctx *c, int rows, int cols, cm_type type, cm_use use)
{
    cm_layout l;
    bool sum = use == CM_OPAQUE_ACC;
    const cm_coop_shape *s = cm_find_shape_(c->target.name, sum ? -1 : (int)type, sum ? (int)type : -1);
    memset(&l, 0, sizeof l);
    int i = !s ? 0 : use == CM_OPAQUE_B ? s->k : s->n, j = !s ? 0 : use == CM_OPAQUE_A ? s->k : s->m;
    if (!s || rows < 1 || cols < 1 || rows % i || cols % j)
        return CM_FAIL_(c, LOWERING, "target %s has no opaque %s of %d x %d %s", c->target.name, cm_use_name(use), rows,
                        cols, cm_type_info(type) ? cm_type_info(type)->name : "(none)"), l;
    l.rows = rows;
    l.cols = cols;
    l.type = type;
    l.use = use;
    l.lanes = c->target.subgroup_size;
    l.size_i = i;
    l.size_j = j;
    l.size_k = l.size_k1 = l.size_k2 = l.omega = 1;
    return l;
}

/* matrix.c - matrices: the layouts of a context, their parts, halves and components; splats. */

/* Makes blocks of `depth` rows, fewer than lanes, so that lanes hold several adjacent columns. */
XE_ONCE_
XE_FN_ void cm_layout_pair_(cm_layout *l, int depth)
{
    int across = l->lanes / depth;
    l->size_i = depth;
    l->size_k = l->size_k2 = l->rows / depth;
    l->size_j = (l->cols + across - 1) / across * across;
    l->size_v = l->rows * l->size_j / l->lanes;
    l->needs_mask = l->size_j > l->cols;
}

/* Are products of this type sums of four bytes by one instruction? Then lanes have four neighbours along k together. */
XE_FN_ bool cm_dots_(const cm_ctx *c, cm_type type)
{
    return c->lowering == CM_PLAIN && c->target.block1d && (type == CM_I8 || type == CM_U8);
}

cm_layout cm_layout_for(cm_ctx *c, int rows, int cols, cm_type type, cm_use use)
{
    cm_layout l;
    if (use >= CM_OPAQUE_ACC && use <= CM_OPAQUE_B) return cm_opaque_layout_(c, rows, cols, type, use);
    int error = cm_layout_init(&l, rows, cols, type, use, c->target.subgroup_size);
    if (error) {
        spe_fail(c->module, error, cm_error_name(error), "%s: %d x %d, type %d, use %d, subgroup size %d",
                 cm_error_text(error), rows, cols, (int)type, (int)use, c->target.subgroup_size);
        return l;
    }
    if (use == CM_B && cm_dots_(c, type) && rows >= 4 * l.lanes) cm_layout_interleave(&l, 4);
    if (use != CM_B || c->lowering == CM_PLAIN || !cm_has_dpas(&c->target, cm_product_row(type, type))) return l;
    int depth = cm_dpas_depth_(type);
    if (depth > l.lanes && rows >= depth) cm_layout_interleave(&l, depth / l.lanes);
    if (depth < l.lanes && rows > depth && c->lowering == CM_INTEL) cm_layout_pair_(&l, depth);
    return l;
}

/* Components per word, words per block, bits per word. */
XE_FN_ int cm_channels_(const cm_layout *l) { return l->packed ? l->omega : l->size_k1; }
XE_FN_ int cm_block_words_(const cm_layout *l) { return l->size_v / (l->size_k2 * cm_channels_(l)); }
XE_FN_ int cm_word_bits_(const cm_layout *l) { return cm_channels_(l) * cm_type_info(l->type)->storage_bits; }

bool cm_is_complex(cm_type type) { return type == CM_C32 || type == CM_C64; }

/* Number of halves, for code that treats the halves of complex matrices alike; a real matrix is its only half. */
XE_FN_ int cm_halves_(cm_type type) { return cm_is_complex(type) ? 2 : 1; }
XE_FN_ cm_type cm_half_type_(cm_type type) { return type == CM_C32 ? CM_F32 : type == CM_C64 ? CM_F64 : type; }

int cm_part_count(const cm_layout *l)
{
    if (cm_is_opaque_(l)) return l->rows / l->size_i * (l->cols / l->size_j);
    return l->rows ? l->size_k2 * spe_part_count(cm_block_words_(l)) * cm_halves_(l->type) : 0;
}

int cm_part_words(const cm_layout *l, int part)
{
    int words = l->rows ? cm_block_words_(l) : 0;
    return words ? spe_part_length(words, part % spe_part_count(words)) : 0;
}

/* The words of a part: their block, the first word in it, and their number. */
XE_FN_ cm_span_ cm_span_of_(const cm_layout *l, int part)
{
    int all = cm_block_words_(l), runs = spe_part_count(all), run = part % runs;
    cm_span_ s = {part / runs, run * 8, spe_part_length(all, run)};
    if (s.words < 8) s.first = all & -2 * s.words; /* the larger ones come first */
    return s;
}

spe_id cm_storage_type(cm_ctx *c, cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    if (!t) return CM_FAIL_(c, EMIT_TYPE, "there is no type %d", (int)type);
    return t->storage_float ? spe_float(c->module, (uint32_t)t->storage_bits)
                            : spe_int(c->module, (uint32_t)t->storage_bits);
}

spe_id cm_arith_type(cm_ctx *c, cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    if (cm_is_complex(type)) return CM_FAIL_(c, EMIT_TYPE, "not an operation on %s: use cm_re and cm_im", t->name);
    bool small = t && (t->kind == CM_KIND_FLOAT || t->kind == CM_KIND_MX) && !t->storage_float;
    return small ? spe_float(c->module, 32) : cm_storage_type(c, type);
}

XE_FN_ const char *cm_name_(cm_type type) { return cm_type_info(type) ? cm_type_info(type)->name : "(none)"; }
XE_FN_ spe_id cm_vec_(cm_ctx *c, spe_id elem, int n) { return spe_vec(c->module, elem, (uint32_t)n); }

/* Accumulators have the storage type; operands below 32 bits are integers, as the matrix instruction requires. */
XE_FN_ spe_id cm_word_type_(cm_ctx *c, const cm_layout *l)
{
    int bits = cm_word_bits_(l);
    if (l->use == CM_ACC || (bits >= 32 && cm_channels_(l) == 1)) return cm_storage_type(c, l->type);
    return spe_int(c->module, (uint32_t)bits);
}

/* The type of an opaque part: our columns are its rows. */
XE_ONCE_
XE_FN_ spe_id cm_opaque_type_(cm_ctx *c, const cm_layout *l)
{
    static const uint32_t uses[] = {SPE_CooperativeMatrixUseMatrixAccumulatorKHR, SPE_CooperativeMatrixUseMatrixBKHR,
                                    SPE_CooperativeMatrixUseMatrixAKHR};
    spe_id component = l->type == CM_BF16 ? spe_bf16(c->module) : cm_storage_type(c, l->type);
    return spe_coopmat(c->module, component, SPE_ScopeSubgroup, (uint32_t)l->size_j, (uint32_t)l->size_i,
                       uses[l->use - CM_OPAQUE_ACC]);
}

/* Under CM_KHR a part is a KHR matrix, transposed: words (our columns) by lanes. */
spe_id cm_part_type(cm_ctx *c, const cm_layout *l, int part)
{
    static const uint32_t uses[] = {SPE_CooperativeMatrixUseMatrixAccumulatorKHR, SPE_CooperativeMatrixUseMatrixBKHR,
                                    SPE_CooperativeMatrixUseMatrixAKHR};
    const cm_type_row *t = cm_type_info(l->type);
    if (cm_is_opaque_(l)) return cm_opaque_type_(c, l);
    if (c->lowering != CM_KHR) return cm_vec_(c, cm_word_type_(c, l), cm_part_words(l, part));
    spe_id component = cm_storage_type(c, l->type);
    if (t->kind == CM_KIND_FLOAT && !t->storage_float)
        return CM_FAIL_(c, LOWERING, "there are no matrices of %s under CM_KHR", t->name);
    return spe_coopmat(c->module, component, SPE_ScopeSubgroup, (uint32_t)(cm_part_words(l, part) * l->omega),
                       (uint32_t)(l->size_i * l->size_k1), uses[l->use]);
}

cm_matrix cm_poison(void)
{
    cm_matrix a;
    memset(&a, 0, sizeof a);
    return a;
}

/* Is there no matrix to compute with? It is an error if it is opaque. */
XE_FN_ bool cm_is_poison_(const cm_ctx *c, const cm_matrix *a)
{
    if (!spe_ok(c->module) || a->parts == 0) return true;
    if (!cm_is_opaque_(&a->layout)) return false;
    return !CM_FAIL_(c, LOWERING, "not an operation on an %s", cm_use_name(a->layout.use));
}

XE_FN_ spe_id *cm_ids_(cm_ctx *c, int n) { return (spe_id *)spe_alloc(c->module, (size_t)n * sizeof(spe_id)); }

/* Under CM_KHR lanes cannot access components: returns true and reports an error of `what`, which needs them. */
XE_FN_ bool cm_opaque_(cm_ctx *c, const char *what)
{
    if (c->lowering == CM_KHR) CM_FAIL_(c, LOWERING, "%s: not possible with matrices of CM_KHR", what);
    return c->lowering == CM_KHR;
}

/* A matrix of this layout with room for its parts; poison after an error. */
XE_FN_ cm_matrix cm_new_(cm_ctx *c, const cm_layout *l)
{
    cm_matrix a = cm_poison();
    int parts = cm_part_count(l);
    if (!spe_ok(c->module) || parts == 0 || !cm_storage_type(c, l->type)) return a;
    a.layout = *l;
    a.part = cm_ids_(c, parts);
    a.parts = a.part ? parts : 0;
    return a;
}

cm_matrix cm_from_parts(cm_ctx *c, const cm_layout *l, const spe_id *parts)
{
    cm_matrix a = cm_new_(c, l);
    for (int i = 0; i < a.parts; i++) {
        a.part[i] = parts[i];
        if (spe_type_of(c->module, parts[i]) != cm_part_type(c, l, i))
            return CM_POISON_(c, COMPONENT, "part %d of a %d x %d %s %s has another type", i, l->rows, l->cols,
                              cm_name_(l->type), cm_use_name(l->use));
    }
    return a;
}

/* Do they have the same type and layout? Else an error. */
XE_FN_ bool cm_alike_(cm_ctx *c, const cm_matrix *a, const cm_matrix *b)
{
    const cm_layout *x = &a->layout, *y = &b->layout;
    if (x->type != y->type)
        return CM_FAIL_(c, COMPONENT, "component types differ: %s and %s", cm_name_(x->type), cm_name_(y->type));
    if (x->rows == y->rows && x->cols == y->cols && x->use == y->use && x->lanes == y->lanes &&
        x->interleaved == y->interleaved)
        return true;
    return CM_FAIL_(c, SHAPE, "matrices differ: %d x %d %s and %d x %d %s", x->rows, x->cols, cm_use_name(x->use),
                    y->rows, y->cols, cm_use_name(y->use));
}

XE_FN_ cm_matrix cm_half_(const cm_matrix *a, int which)
{
    cm_matrix half = *a;
    half.layout.type = cm_half_type_(a->layout.type);
    half.parts = a->parts / cm_halves_(a->layout.type);
    half.part = a->part + which * half.parts;
    return half;
}

XE_ONCE_
XE_FN_ cm_matrix cm_of_halves_(cm_ctx *c, cm_type type, const cm_matrix half[2])
{
    return cm_is_complex(type) ? cm_complex(c, &half[0], &half[1]) : half[0];
}

XE_FN_ cm_matrix cm_half_of_complex_(cm_ctx *c, const cm_matrix *a, int which)
{
    if (cm_is_poison_(c, a)) return cm_poison();
    if (cm_is_complex(a->layout.type)) return cm_half_(a, which);
    return CM_POISON_(c, COMPONENT, "a matrix of %s has no imaginary part", cm_name_(a->layout.type));
}

cm_matrix cm_re(cm_ctx *c, const cm_matrix *a) { return cm_half_of_complex_(c, a, 0); }
cm_matrix cm_im(cm_ctx *c, const cm_matrix *a) { return cm_half_of_complex_(c, a, 1); }

cm_matrix cm_complex(cm_ctx *c, const cm_matrix *re, const cm_matrix *im)
{
    if (cm_is_poison_(c, re) || cm_is_poison_(c, im) || !cm_alike_(c, re, im)) return cm_poison();
    cm_layout l = re->layout;
    if (l.type != CM_F32 && l.type != CM_F64)
        return CM_POISON_(c, COMPONENT, "a complex matrix is of f32 or f64, not of %s", cm_name_(l.type));
    l.type = l.type == CM_F32 ? CM_C32 : CM_C64;
    cm_matrix z = cm_new_(c, &l);
    if (!z.parts) return z;
    memcpy(z.part, re->part, (size_t)re->parts * sizeof *z.part);
    memcpy(z.part + re->parts, im->part, (size_t)im->parts * sizeof *z.part);
    return z;
}

spe_id cm_bitcast(cm_ctx *c, spe_id type, spe_id v) { return spe_bitcast(c->module, type, v); }

/* Words of a part to process at once: a vector has at most 16 components. */
XE_FN_ int cm_group_(const cm_layout *l, int words)
{
    int most = 16 / cm_channels_(l);
    return words < most ? words : most;
}

/* n copies of a scalar as a vector; the scalar when n is 1. */
XE_FN_ spe_id cm_copies_(cm_ctx *c, spe_id scalar, int n)
{
    return spe_splat(c->module, cm_vec_(c, spe_type_of(c->module, scalar), n), scalar);
}

/* `count` adjacent components of a vector, starting at `first`. */
XE_FN_ spe_id cm_slice_(cm_ctx *c, spe_id v, int first, int count)
{
    uint32_t index[16];
    if ((uint32_t)count == spe_count(c->module, spe_type_of(c->module, v))) return v;
    for (int i = 0; i < count; i++) index[i] = (uint32_t)(first + i);
    return spe_shuffle(c->module, v, v, (uint32_t)count, index);
}

/* Joins n scalars, or one or two vectors of `each` components, to a vector. */
XE_FN_ spe_id cm_join_(cm_ctx *c, spe_id elem, const spe_id *piece, int n, int each)
{
    uint32_t index[16], all = (uint32_t)(n * each);
    if (n == 1) return piece[0];
    if (each == 1) return spe_construct(c->module, cm_vec_(c, elem, n), (uint32_t)n, piece);
    for (uint32_t i = 0; i < all; i++) index[i] = i;
    return spe_shuffle(c->module, piece[0], piece[1], all, index);
}

/* Words first .. first + words of a part as a vector of components of the storage type. */
XE_FN_ spe_id cm_unpack_(cm_ctx *c, const cm_layout *l, spe_id part, int first, int words)
{
    spe_id type = cm_vec_(c, cm_storage_type(c, l->type), words * cm_channels_(l));
    return cm_bitcast(c, type, cm_slice_(c, part, first, words));
}

/* The inverse: a vector of components as `words` words. */
XE_FN_ spe_id cm_pack_(cm_ctx *c, const cm_layout *l, spe_id components, int words)
{
    return cm_bitcast(c, cm_vec_(c, cm_word_type_(c, l), words), components);
}

/* Component v: its part, and the word in it. False and an error if there is no such component. */
XE_FN_ bool cm_find_component_(cm_ctx *c, const cm_matrix *a, int v, int *part, int *word)
{
    if (cm_is_poison_(c, a) || cm_opaque_(c, "components") || !cm_arith_type(c, a->layout.type)) return false;
    if (v < 0 || v >= a->layout.size_v)
        return CM_FAIL_(c, SHAPE, "component %d: the matrix has %d", v, a->layout.size_v);
    int words = cm_block_words_(&a->layout), all = v / cm_channels_(&a->layout);
    *part = all / words * spe_part_count(words);
    *word = all % words;
    while (*word >= cm_part_words(&a->layout, *part)) *word -= cm_part_words(&a->layout, (*part)++);
    return true;
}

spe_id cm_component(cm_ctx *c, const cm_matrix *a, int v)
{
    int part = 0, word = 0;
    if (!cm_find_component_(c, a, v, &part, &word)) return 0;
    return spe_extract(c->module, cm_unpack_(c, &a->layout, a->part[part], word, 1),
                       (uint32_t)(v % cm_channels_(&a->layout)));
}

cm_matrix cm_insert(cm_ctx *c, const cm_matrix *a, int v, spe_id scalar)
{
    int part = 0, word = 0;
    if (!cm_find_component_(c, a, v, &part, &word)) return cm_poison();
    if (spe_type_of(c->module, scalar) != cm_storage_type(c, a->layout.type))
        return CM_POISON_(c, SCALAR, "the scalar is not of the storage type of %s", cm_name_(a->layout.type));
    cm_matrix d = cm_new_(c, &a->layout);
    if (!d.parts) return d;
    memcpy(d.part, a->part, (size_t)a->parts * sizeof *d.part);
    int channels = cm_channels_(&a->layout);
    if (channels > 1)
        scalar =
            spe_insert(c->module, cm_unpack_(c, &a->layout, a->part[part], word, 1), scalar, (uint32_t)(v % channels));
    scalar = cm_pack_(c, &a->layout, scalar, 1);
    d.part[part] =
        cm_part_words(&a->layout, part) == 1 ? scalar : spe_insert(c->module, a->part[part], scalar, (uint32_t)word);
    return d;
}

cm_matrix cm_from_components(cm_ctx *c, const cm_layout *l, const spe_id *components)
{
    cm_matrix a = cm_new_(c, l);
    if (!a.parts || cm_opaque_(c, "components") || !cm_arith_type(c, l->type)) return cm_poison();
    for (int v = 0; v < l->size_v; v++)
        if (spe_type_of(c->module, components[v]) != cm_storage_type(c, l->type))
            return CM_POISON_(c, SCALAR, "component %d is not of the storage type of %s", v, cm_name_(l->type));
    for (int part = 0; part < a.parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), n = group * cm_channels_(l), pieces = 0;
        spe_id piece[8], elem = cm_storage_type(c, l->type);
        for (int first = 0; first < words; first += group, components += n)
            piece[pieces++] = cm_pack_(c, l, cm_join_(c, elem, components, n, 1), group);
        a.part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    return a;
}

/* The words of a matrix: those of each block after another. */
XE_FN_ spe_id *cm_words_of_(cm_ctx *c, const cm_matrix *a)
{
    int n = 0;
    spe_id *words = cm_ids_(c, a->layout.size_v / cm_channels_(&a->layout));
    for (int part = 0; words && part < a->parts; part++)
        for (int i = 0, count = cm_part_words(&a->layout, part); i < count; i++)
            words[n++] = count == 1 ? a->part[part] : spe_extract(c->module, a->part[part], (uint32_t)i);
    return words;
}

/* The inverse: a matrix of these words. */
XE_FN_ cm_matrix cm_from_words_(cm_ctx *c, const cm_layout *l, const spe_id *words)
{
    cm_matrix a = cm_new_(c, l);
    for (int part = 0; part < a.parts; words += cm_part_words(l, part++))
        a.part[part] = cm_join_(c, cm_word_type_(c, l), words, cm_part_words(l, part), 1);
    return a;
}

cm_matrix cm_splat(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, spe_id scalar)
{
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    cm_matrix a = cm_new_(c, &l);
    if (!a.parts) return a;
    spe_id elem = cm_storage_type(c, type), word = 0;
    if (scalar && spe_type_of(c->module, scalar) != elem)
        return CM_POISON_(c, SCALAR, "the scalar of a %s matrix is not of its storage type", cm_name_(type));
    bool opaque = c->lowering == CM_KHR || cm_is_opaque_(&l);
    if (scalar && !opaque) word = cm_pack_(c, &l, cm_copies_(c, scalar, cm_channels_(&l)), 1);
    for (int i = 0; i < a.parts; i++) {
        bool zero = !scalar || i >= a.parts / cm_halves_(type);
        spe_id one = zero && opaque ? spe_null(c->module, elem) : scalar, part = cm_part_type(c, &l, i);
        if (opaque) /* Intel's compiler crashes on an OpConstantNull of such a type */
            a.part[i] = spe_construct(c->module, part, 1, &one);
        else if (zero) a.part[i] = spe_null(c->module, part);
        else a.part[i] = spe_splat(c->module, part, word);
    }
    return a;
}

/* convert.c - conversion of component types: of scalars and vectors, of all components, and of what a function makes of
 * them. */

/* A type with as many components as v. */
XE_FN_ spe_id cm_like_int_(spe_module *m, uint32_t bits, spe_id v) { return spe_vec_like(m, spe_int(m, bits), v); }
XE_FN_ spe_id cm_like_float_(spe_module *m, uint32_t bits, spe_id v) { return spe_vec_like(m, spe_float(m, bits), v); }

/* Rounds floats to nearest even, as bits, so that the lowest `cut` bits can be dropped. */
XE_FN_ spe_id cm_round_bits_(cm_ctx *c, spe_id i32, spe_id bits, int cut)
{
    spe_module *m = c->module;
    spe_id one = spe_const_u(m, i32, 1);
    spe_id odd = spe_and(m, spe_shr(m, bits, spe_const_u(m, i32, (uint64_t)cut)), one);
    spe_id half = spe_const_u(m, i32, ((uint64_t)1 << cut) / 2 - 1);
    return spe_iadd(m, spe_iadd(m, bits, odd), half);
}

/* Likewise for f32 values, to nearest or towards zero; NaNs become quiet. */
XE_FN_ spe_id cm_round_f32_(cm_ctx *c, spe_id i32, spe_id v, int cut, bool nearest)
{
    spe_id bits = spe_bitcast(c->module, i32, v), rounded = nearest ? cm_round_bits_(c, i32, bits, cut) : bits;
    spe_id quiet = spe_or(c->module, bits, spe_const_u(c->module, i32, 0x400000));
    return spe_select(c->module, spe_isnan(c->module, v), quiet, rounded);
}

/* In integer operations where Intel's conversion instruction may be missing. */
XE_FN_ spe_id cm_round_bf16_(cm_ctx *c, spe_id v, bool nearest)
{
    spe_id i32 = cm_like_int_(c->module, 32, v), i16 = cm_like_int_(c->module, 16, v);
    if (nearest && c->lowering == CM_INTEL) return spe_f32_to_bf16(c->module, v);
    v = cm_round_f32_(c, i32, v, 16, nearest);
    return spe_uconvert(c->module, i16, spe_shr(c->module, v, spe_const_u(c->module, i32, 16)));
}

spe_id cm_f32_to_bf16(cm_ctx *c, spe_id v) { return cm_round_bf16_(c, v, true); }

/* tf32 is stored as f32. */
XE_ONCE_
XE_FN_ spe_id cm_round_tf32_(cm_ctx *c, spe_id v, bool nearest)
{
    enum { CUT = 13 }; /* mantissa bits of f32 that tf32 lacks */
    spe_id i32 = cm_like_int_(c->module, 32, v), bits = cm_round_f32_(c, i32, v, CUT, nearest);
    bits = spe_and(c->module, bits, spe_const_u(c->module, i32, 0u - (1u << CUT)));
    return spe_bitcast(c->module, cm_like_float_(c->module, 32, v), bits);
}

/* The 8-bit floats, and e2m1 in the low four bits of a byte: mantissa bits of f32 to drop, the bias difference in units
 * of the result, the encoding above the largest number (NaN or infinity) and that of NaN, the bit of the sign, the
 * largest number, the largest f32 that rounds to it, the smallest normal number, and the f32 whose last place is the
 * smallest subnormal. Their bits without the sign, shifted to those of an f16, are off by the factor `scale`. */
typedef struct {
    cm_type type;
    int cut, rebias, beyond, nan, sign, shift;
    double largest, limit, normal, magic, scale;
} cm_f8_;

XE_FN_ const cm_f8_ *cm_f8_row_(cm_type type)
{
    static const cm_f8_ rows[] = {
        {CM_E4M3, 20, (127 - 7) << 3, 0x7f, 0x7f, 7, 7, 448, 464, 0x1p-6, 0x1p14, 0x1p8},
        {CM_E5M2, 21, (127 - 15) << 2, 0x7c, 0x7f, 7, 8, 57344, 61440 - 0x1p-8, 0x1p-14, 0x1p7, 1},
        {CM_E2M1, 22, (127 - 1) << 1, 0x7, 0x7, 3, 9, 6, 7, 1, 0x1p22, 0x1p14},
    };
    return type == CM_E4M3 ? &rows[0] : type == CM_E5M2 ? &rows[1] : type == CM_E2M1 ? &rows[2] : NULL;
}

/* To f16 or f32, both exact. */
XE_FN_ spe_id cm_f8_to_float_(cm_ctx *c, cm_type type, spe_id v, uint32_t bits)
{
    const cm_f8_ *f = cm_f8_row_(type);
    spe_module *m = c->module;
    spe_id i16 = cm_like_int_(m, 16, v), f16 = cm_like_float_(m, 16, v), to = cm_like_float_(m, bits, v);
    spe_id wide = spe_uconvert(m, i16, v);
    if (c->upper) wide = spe_shr(m, wide, spe_const_u(m, i16, 4));
    if (type == CM_E5M2) {
        spe_id same = spe_bitcast(m, f16, spe_shl(m, wide, spe_const_u(m, i16, 8)));
        return bits == 16 ? same : spe_fconvert(m, to, same);
    }
    spe_id rest = spe_and(m, wide, spe_const_u(m, i16, (1u << f->sign) - 1));
    spe_id up = spe_const_u(m, i16, (uint64_t)(15 - f->sign));
    spe_id sign = spe_shl(m, spe_and(m, wide, spe_const_u(m, i16, 1u << f->sign)), up);
    spe_id half = spe_or(m, sign, spe_shl(m, rest, spe_const_u(m, i16, (uint64_t)f->shift)));
    half = spe_bitcast(m, f16, half);
    if (bits != 16) half = spe_fconvert(m, to, half);
    spe_id scaled = spe_fmul(m, half, spe_const_f(m, to, f->scale));
    if (type == CM_E2M1) return scaled;
    spe_id nan = spe_const_u(m, cm_like_int_(m, bits, v), bits == 16 ? 0x7e00 : 0x7fc00000);
    nan = spe_bitcast(m, to, nan);
    return spe_select(m, spe_ieq(m, rest, spe_const_u(m, i16, 0x7f)), nan, scaled);
}

/* Scales: the exponent of an f32, but for 2^-127, which is subnormal, and NaN. */
XE_FN_ spe_id cm_e8m0_to_f32_(cm_ctx *c, spe_id v)
{
    spe_module *m = c->module;
    spe_id i32 = cm_like_int_(m, 32, v), wide = spe_uconvert(m, i32, v), zero = spe_const_u(m, i32, 0);
    spe_id power = spe_shl(m, wide, spe_const_u(m, i32, 23)), least = spe_ieq(m, wide, zero);
    spe_id special = spe_lor(m, least, spe_ieq(m, wide, spe_const_u(m, i32, SPE_E8M0_NAN)));
    spe_id half = spe_select(m, special, spe_const_u(m, i32, 0x400000), zero);
    power = spe_or(m, power, half);
    return spe_bitcast(m, cm_like_float_(m, 32, v), power);
}

/* To the nearest power of two, of two the even one: see spe_f32_to_e8m0_bits. */
XE_FN_ spe_id cm_f32_to_e8m0_(cm_ctx *c, spe_id v)
{
    spe_module *m = c->module;
    spe_id i32 = cm_like_int_(m, 32, v), word = spe_bitcast(m, i32, v);
    spe_id bits = spe_and(m, word, spe_const_u(m, i32, 0x7fffffff)), down = spe_const_u(m, i32, 23);
    spe_id tiny = spe_ult(m, bits, spe_const_u(m, i32, 0x800000));
    spe_id low = spe_iadd(m, bits, spe_const_u(m, i32, 0x1fffff)), high = cm_round_bits_(c, i32, bits, 23);
    spe_id scale = spe_shr(m, spe_select(m, tiny, low, high), down);
    scale = spe_math2(m, SPE_UMIN, scale, spe_const_u(m, i32, SPE_E8M0_NAN - 1));
    spe_id negative = spe_ugt(m, word, spe_const_u(m, i32, 0x80000000));
    spe_id none = spe_lor(m, negative, spe_isnan(m, v));
    scale = spe_select(m, none, spe_const_u(m, i32, SPE_E8M0_NAN), scale);
    return spe_uconvert(m, cm_like_int_(m, 8, v), scale);
}

/* To nearest even. Larger values, even infinity, become the largest number, or on overflow `beyond`. NaN stays NaN. */
XE_FN_ spe_id cm_f32_to_f8_(cm_ctx *c, cm_type type, spe_id v)
{
    const cm_f8_ *f = cm_f8_row_(type);
    spe_module *m = c->module;
    spe_id f32 = spe_type_of(m, v), i32 = cm_like_int_(m, 32, v), magic = spe_const_f(m, f32, f->magic);
    spe_id exact = spe_math1(m, SPE_FABS, v), size = spe_math2(m, SPE_FMIN, exact, spe_const_f(m, f32, f->largest));
    spe_id normal = cm_round_bits_(c, i32, spe_bitcast(m, i32, size), f->cut);
    normal = spe_shr(m, normal, spe_const_u(m, i32, (uint64_t)f->cut));
    normal = spe_isub(m, normal, spe_const_u(m, i32, (uint64_t)f->rebias));
    spe_id none = spe_bitcast(m, i32, magic), tiny = spe_isub(m, spe_bitcast(m, i32, spe_fadd(m, size, magic)), none);
    spe_id bits = spe_select(m, spe_flt(m, size, spe_const_f(m, f32, f->normal)), tiny, normal);
    if (c->overflow) {
        spe_id beyond = spe_const_u(m, i32, (uint64_t)f->beyond);
        bits = spe_select(m, spe_fgt(m, exact, spe_const_f(m, f32, f->limit)), beyond, bits);
    }
    spe_id nan = spe_const_u(m, i32, (uint64_t)f->nan);
    bits = spe_select(m, spe_isnan(m, v), nan, bits);
    spe_id high = spe_const_u(m, i32, 1u << f->sign), down = spe_const_u(m, i32, (uint64_t)(31 - f->sign));
    spe_id sign = spe_and(m, spe_shr(m, spe_bitcast(m, i32, v), down), high);
    bits = spe_or(m, bits, sign);
    if (c->upper) bits = spe_shl(m, bits, spe_const_u(m, i32, 4));
    return spe_uconvert(m, cm_like_int_(m, 8, v), bits);
}

spe_id cm_to_arith(cm_ctx *c, cm_type type, spe_id v)
{
    if (!cm_arith_type(c, type)) return 0;
    if (cm_f8_row_(type)) return cm_f8_to_float_(c, type, v, 32);
    if (type == CM_E8M0) return cm_e8m0_to_f32_(c, v);
    if (type != CM_BF16) return v;
    if (c->lowering == CM_INTEL) return spe_bf16_to_f32(c->module, v);
    spe_id i32 = cm_like_int_(c->module, 32, v), up = spe_const_u(c->module, i32, 16);
    spe_id wide = spe_shl(c->module, spe_uconvert(c->module, i32, v), up);
    return spe_bitcast(c->module, cm_like_float_(c->module, 32, v), wide);
}

spe_id cm_from_arith(cm_ctx *c, cm_type type, spe_id v)
{
    bool f8 = cm_f8_row_(type) != NULL, zero = c->rounding == CM_ROUND_ZERO;
    if (type != CM_BF16 && type != CM_TF32 && type != CM_E8M0 && !f8) return v;
    if (c->rounding > CM_ROUND_ZERO || (zero && (f8 || type == CM_E8M0)))
        return CM_FAIL_(c, CONVERT, "no such rounding to %s", cm_name_(type));
    if (type == CM_E8M0) return cm_f32_to_e8m0_(c, v);
    if (f8) return cm_f32_to_f8_(c, type, v);
    return type == CM_TF32 ? cm_round_tf32_(c, v, !zero) : cm_round_bf16_(c, v, !zero);
}

/* Converts values between arithmetic types: to nearest between floats, towards zero to integers, the low bits between
 * integers, unless cm_convert_as requests otherwise. */
XE_FN_ spe_id cm_convert_arith_(cm_ctx *c, cm_type from, cm_type to, spe_id v)
{
    static const uint32_t modes[] = {0, SPE_FPRoundingModeRTE, SPE_FPRoundingModeRTZ, SPE_FPRoundingModeRTP,
                                     SPE_FPRoundingModeRTN};
    spe_id type = cm_arith_type(c, to);
    if (!type || !cm_arith_type(c, from)) return 0;
    spe_conversion how = {cm_type_info(from)->is_signed, cm_type_info(to)->is_signed, c->saturate, c->rounding != 0,
                          modes[c->rounding]};
    return spe_cast_as(c->module, spe_vec_like(c->module, type, v), v, &how);
}

/* Bytes in words, as f16 plus c->plus. The bits of f16 1024 + u are 0x6400 | u, for u from 0 to 1023, and so are those
 * of 1152 + i with the sign of a byte flipped; what is subtracted is whole, so that only the sum rounds. Two bytes of
 * a word take seven instructions with Intel's compiler, as many as two conversions. */
XE_FN_ spe_id cm_words_to_f16_(cm_ctx *c, bool is_signed, spe_id v)
{
    spe_module *m = c->module;
    uint32_t n = spe_count(m, spe_type_of(m, v)), index[16];
    spe_id words = cm_vec_(c, spe_int(m, 16), (int)n / 2), halves = cm_vec_(c, spe_float(m, 16), (int)n / 2), part[2];
    spe_id bias = spe_const_u(m, words, is_signed ? 0x6480 : 0x6400), eight = spe_const_u(m, words, 8);
    spe_id word = spe_bitcast(m, words, v), first = spe_const_f(m, halves, (is_signed ? 1152 : 1024) - c->plus);
    part[0] = spe_and(m, word, spe_const_u(m, words, 0xff));
    part[1] = spe_shr(m, word, eight);
    for (int i = 0; i < 2; i++) {
        part[i] = is_signed ? spe_xor(m, part[i], bias) : spe_or(m, part[i], bias);
        part[i] = spe_fsub(m, spe_bitcast(m, halves, part[i]), first);
    }
    for (uint32_t i = 0; i < n; i++) index[i] = i / 2 + i % 2 * (n / 2);
    return n == 2 ? cm_join_(c, spe_float(m, 16), part, 2, 1) : spe_shuffle(m, part[0], part[1], n, index);
}

/* Converts values from the storage type of `from` to that of `to`. */
XE_FN_ spe_id cm_convert_vector_(cm_ctx *c, cm_type from, cm_type to, spe_id v)
{
    if (from == to) return v;
    if (to == CM_F16 && cm_f8_row_(from)) return cm_f8_to_float_(c, from, v, 16);
    return cm_from_arith(c, to, cm_convert_arith_(c, from, to, cm_to_arith(c, from, v)));
}

/* Converts components of a matrix to the storage type of `to`. Is 1152 less c->plus whole, and an f16? */
XE_FN_ spe_id cm_convert_components_(cm_ctx *c, const cm_matrix *a, cm_type to, spe_id v)
{
    cm_type from = a->layout.type;
    bool bytes = from == CM_I8 || from == CM_U8, pairs = spe_count(c->module, spe_type_of(c->module, v)) % 2 == 0;
    bool exact = c->plus >= -896 && c->plus <= 3072 && c->plus == (int)c->plus;
    if (a->in_words && bytes && to == CM_F16 && pairs && exact) return cm_words_to_f16_(c, from == CM_I8, v);
    v = cm_convert_vector_(c, from, to, v);
    return c->plus != 0 ? spe_fadd(c->module, v, spe_const_f(c->module, spe_type_of(c->module, v), c->plus)) : v;
}

spe_id *cm_component_ids(cm_ctx *c, const cm_matrix *a, cm_type type)
{
    if (cm_is_poison_(c, a) || cm_opaque_(c, "this operation") || !cm_arith_type(c, a->layout.type)) return NULL;
    spe_id *out = cm_ids_(c, a->layout.size_v);
    for (int part = 0, v = 0; out && part < a->parts; part++) {
        int words = cm_part_words(&a->layout, part), group = cm_group_(&a->layout, words),
            n = group * cm_channels_(&a->layout);
        for (int first = 0; first < words; first += group) {
            spe_id vector = cm_convert_components_(c, a, type, cm_unpack_(c, &a->layout, a->part[part], first, group));
            for (int i = 0; i < n; i++) out[v++] = spe_extract(c->module, vector, (uint32_t)i);
        }
    }
    return out;
}

/* What the function makes of components, which must be of their type. */
XE_FN_ spe_id cm_applied_(cm_ctx *c, cm_type type, spe_id a, spe_id b, cm_fn fn, void *user)
{
    spe_id r = fn(c, type, a, b, user);
    char got[64], want[64];
    if (!spe_ok(c->module) || spe_type_of(c->module, r) == spe_type_of(c->module, a)) return r;
    return CM_FAIL_(c, SCALAR, "a function on %s returned %s",
                    spe_type_text(c->module, spe_type_of(c->module, a), want, sizeof want),
                    spe_type_text(c->module, spe_type_of(c->module, r), got, sizeof got));
}

/* Applies fn to every group of components of a (and b, if given) and converts the results to the type of l. */
XE_FN_ cm_matrix cm_map_(cm_ctx *c, const cm_layout *l, const cm_matrix *a, const cm_matrix *b, cm_fn fn, void *user)
{
    cm_matrix d = cm_new_(c, l);
    cm_type type = a->layout.type;
    if (cm_opaque_(c, "component-wise operations") || !cm_arith_type(c, type) || !cm_arith_type(c, l->type))
        return cm_poison();
    for (int part = 0; part < d.parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), pieces = 0;
        spe_id piece[8];
        for (int first = 0; first < words; first += group) {
            spe_id x = cm_unpack_(c, &a->layout, a->part[part], first, group), y = 0;
            if (b) y = cm_to_arith(c, type, cm_unpack_(c, &b->layout, b->part[part], first, group));
            if (fn) x = cm_from_arith(c, type, cm_applied_(c, type, cm_to_arith(c, type, x), y, fn, user));
            x = fn ? cm_convert_vector_(c, type, l->type, x) : cm_convert_components_(c, a, l->type, x);
            piece[pieces++] = cm_pack_(c, l, x, group);
        }
        d.part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    return spe_ok(c->module) ? d : cm_poison();
}

/* pick.c - values that move between lanes as tables say. */

/* A value that was moved: `from` tells which lane each lane has it from. */
typedef struct {
    spe_id from, id;
    int next;
} cm_moved_;

/* Moves a value: lane p gets that of lane table[p]. What was moved so before is used again. */
XE_FN_ spe_id cm_move_value_(cm_ctx *c, cm_picker *p, int which, const unsigned char *table)
{
    spe_module *m = c->module;
    int lanes = c->target.subgroup_size;
    spe_id from = spe_lane_number(m, table, lanes), id;
    bool same = true;
    for (int i = p->moved_first[which]; i;) {
        const cm_moved_ *moved = (const cm_moved_ *)p->moved.items + i;
        if (moved->from == from) return moved->id;
        i = moved->next;
    }
    for (int lane = 1; lane < lanes; lane++) same = same && table[lane] == table[0];
    if (!spe_ok(m)) return 0;
    if (same) id = spe_sg_broadcast(m, p->value[which], cm_i32_(c, (int)table[0]));
    else id = spe_sg_shuffle(m, p->value[which], from);
    cm_moved_ *moved = (cm_moved_ *)spe_list_add(m, &p->moved, sizeof *moved);
    if (!moved) return id;
    moved->from = from;
    moved->id = id;
    moved->next = p->moved_first[which];
    p->moved_first[which] = p->moved.count - 1;
    return id;
}

bool cm_picker_init(cm_ctx *c, cm_picker *p, const spe_id *values, int count)
{
    memset(p, 0, sizeof *p);
    p->value = values;
    p->moved_first = (int *)spe_alloc(c->module, (size_t)count * sizeof *p->moved_first);
    if (!p->moved_first) return false;
    memset(p->moved_first, 0, (size_t)count * sizeof *p->moved_first);
    return spe_list_add(c->module, &p->moved, sizeof(cm_moved_)) != NULL; /* the first is none */
}

spe_id cm_pick(cm_ctx *c, cm_picker *p, const int *from)
{
    unsigned char table[CM_LANES];
    const int lanes = c->target.subgroup_size;
    uint64_t done = 0, mask;
    spe_id got = 0, one;
    int q;
    for (int lane = 0; lane < lanes; lane++) {
        bool in_place = true;
        int first = from[lane] % CM_LANES;
        if (from[lane] < 0 || (done >> lane & 1)) continue;
        for (mask = 0, q = lane; q < lanes; q++) {
            if (from[q] < 0 || from[q] / CM_LANES != from[lane] / CM_LANES) continue;
            mask |= (uint64_t)1 << q;
            in_place = in_place && from[q] % CM_LANES == q;
        }
        for (q = 0; q < lanes; q++) table[q] = (unsigned char)(mask >> q & 1 ? from[q] % CM_LANES : first);
        one = in_place ? p->value[from[lane] / CM_LANES] : cm_move_value_(c, p, from[lane] / CM_LANES, table);
        got = got ? spe_select(c->module, spe_lane_bit(c->module, mask, lanes), one, got) : one;
        done |= mask;
    }
    return got ? got : p->value[0];
}

/* rearrange.c - components that move between lanes: another use, transposition, repetition; another type as well. */

/* How elements move: element (r, c) of the result is (r + row, c + col) of the source, or (c, r) if transposed, modulo
 * the source's extents. */
typedef struct {
    bool transposed;
    int row, col;
} cm_way_;

/* Where component v of layout `to` comes from, for cm_pick. Returns the component that it is in every lane, if it is
 * one; else -1, or -2 if it is an element in no lane. */
XE_FN_ int cm_origins_(const cm_layout *from, const cm_layout *to, const cm_way_ *way, int v, int *origin)
{
    int only = -2;
    for (int lane = 0; lane < to->lanes; lane++) {
        cm_element e = cm_element_at_(to, lane, v);
        origin[lane] = -1;
        if (e.padding) continue;
        cm_slot have = cm_slot_of(from, ((way->transposed ? e.col : e.row) + way->row) % from->rows,
                                  ((way->transposed ? e.row : e.col) + way->col) % from->cols);
        int number = cm_number_of_(from, have);
        origin[lane] = number * CM_LANES + have.lane;
        bool in_place = have.lane == lane && (only == -2 || only == number);
        only = in_place ? number : -1;
    }
    return only;
}

/* The elements of `a`, converted to the type of layout `to` and rearranged for it. */
XE_FN_ cm_matrix cm_relayout_(cm_ctx *c, const cm_matrix *a, const cm_layout *to, const cm_way_ *way)
{
    spe_id *from = cm_component_ids(c, a, to->type), *v = cm_ids_(c, to->size_v);
    int origin[CM_LANES];
    cm_picker picker;
    if (!from || !v || !cm_picker_init(c, &picker, from, a->layout.size_v)) return cm_poison();
    for (int i = 0; i < to->size_v; i++) {
        int only = cm_origins_(&a->layout, to, way, i, origin);
        if (only == -2) v[i] = spe_null(c->module, cm_storage_type(c, to->type));
        else if (only < 0) v[i] = cm_pick(c, &picker, origin);
        else v[i] = only == i ? from[i] : spe_reload(c->module, from[only]);
    }
    return cm_from_components(c, to, v);
}

/* `rows` x `cols` in the given use. */
XE_FN_ cm_matrix cm_rearrange_(cm_ctx *c, const cm_matrix *a, int rows, int cols, cm_use use, cm_way_ way)
{
    cm_matrix half[2];
    for (int i = 0; i < cm_halves_(a->layout.type); i++) {
        half[i] = cm_half_(a, i);
        cm_layout l = cm_layout_for(c, rows, cols, half[i].layout.type, use);
        half[i] = l.rows ? cm_relayout_(c, &half[i], &l, &way) : cm_poison();
    }
    return cm_of_halves_(c, a->layout.type, half);
}

cm_matrix cm_transpose(cm_ctx *c, const cm_matrix *a, cm_use use)
{
    const cm_way_ turned = {true, 0, 0};
    return cm_is_poison_(c, a) ? cm_poison() : cm_rearrange_(c, a, a->layout.cols, a->layout.rows, use, turned);
}

cm_matrix cm_repeat(cm_ctx *c, const cm_matrix *a, int rows, int cols)
{
    const cm_way_ plain = {false, 0, 0};
    return cm_is_poison_(c, a) ? cm_poison() : cm_rearrange_(c, a, rows, cols, a->layout.use, plain);
}

cm_matrix cm_submatrix(cm_ctx *c, const cm_matrix *a, int row, int col, int rows, int cols)
{
    const cm_layout *l = &a->layout;
    const cm_way_ from = {false, row, col};
    if (cm_is_poison_(c, a)) return cm_poison();
    if (row < 0 || col < 0 || rows < 1 || cols < 1 || rows > l->rows - row || cols > l->cols - col)
        return CM_POISON_(c, SHAPE, "%d x %d from (%d, %d) of %d x %d", rows, cols, row, col, l->rows, l->cols);
    return rows == l->rows && cols == l->cols ? *a : cm_rearrange_(c, a, rows, cols, l->use, from);
}

/* Changes type and use: of both halves of a complex matrix; a real one may become the real half of one. */
XE_FN_ cm_matrix cm_change_(cm_ctx *c, const cm_matrix *a, cm_type type, cm_use use)
{
    if (cm_is_poison_(c, a)) return cm_poison();
    if (type == a->layout.type && use == a->layout.use) return *a;
    cm_layout l = cm_layout_for(c, a->layout.rows, a->layout.cols, type, use);
    bool is_complex = cm_is_complex(a->layout.type);
    if (!l.rows) return cm_poison();
    if (cm_is_complex(type)) {
        cm_type part = cm_half_type_(type);
        cm_matrix half[2] = {cm_half_(a, 0), is_complex ? cm_half_(a, 1) : cm_splat(c, l.rows, l.cols, part, use, 0)};
        if (is_complex) half[1] = cm_change_(c, &half[1], part, use);
        half[0] = cm_change_(c, &half[0], part, use);
        return cm_of_halves_(c, type, half);
    }
    if (is_complex)
        return CM_POISON_(c, CONVERT, "%s to %s: take cm_re or cm_im", cm_name_(a->layout.type), cm_name_(type));
    if (use != a->layout.use && cm_opaque_(c, "cm_convert_use")) return cm_poison();
    bool in_place = l.size_v == a->layout.size_v && l.omega == a->layout.omega && l.size_k1 == a->layout.size_k1 &&
                    l.interleaved == a->layout.interleaved && l.size_i == a->layout.size_i;
    const cm_way_ plain = {false, 0, 0};
    return in_place ? cm_map_(c, &l, a, NULL, NULL, NULL) : cm_relayout_(c, a, &l, &plain);
}

cm_matrix cm_convert(cm_ctx *c, const cm_matrix *a, cm_type type) { return cm_change_(c, a, type, a->layout.use); }

cm_matrix cm_convert_upper(cm_ctx *c, const cm_matrix *a, cm_type type)
{
    if (cm_is_poison_(c, a) || cm_opaque_(c, "cm_convert_upper")) return cm_poison();
    if ((a->layout.type == CM_E2M1) == (type == CM_E2M1))
        return CM_POISON_(c, CONVERT, "cm_convert_upper: %s to %s; one of them is e2m1", cm_name_(a->layout.type),
                          cm_name_(type));
    c->upper = true;
    cm_matrix d = cm_change_(c, a, type, a->layout.use);
    c->upper = false;
    return d;
}

cm_matrix cm_convert_plus(cm_ctx *c, const cm_matrix *a, cm_type type, double number)
{
    bool bytes = a->layout.type == CM_I8 || a->layout.type == CM_U8;
    if (cm_is_poison_(c, a) || cm_opaque_(c, "cm_convert_plus")) return cm_poison();
    if (!bytes || type != CM_F16)
        return CM_POISON_(c, CONVERT, "cm_convert_plus: %s to %s; bytes become f16", cm_name_(a->layout.type),
                          cm_name_(type));
    c->plus = number;
    cm_matrix d = cm_change_(c, a, type, a->layout.use);
    c->plus = 0;
    return d;
}

cm_matrix cm_convert_use(cm_ctx *c, const cm_matrix *a, cm_use use) { return cm_change_(c, a, a->layout.type, use); }

cm_matrix cm_convert_as(cm_ctx *c, const cm_matrix *a, cm_type type, cm_rounding rounding, bool saturate)
{
    if (cm_is_poison_(c, a) || cm_opaque_(c, "cm_convert_as")) return cm_poison();
    if ((unsigned)rounding > (unsigned)CM_ROUND_DOWN)
        return CM_POISON_(c, CONVERT, "cm_convert_as: there is no rounding %d", (int)rounding);
    c->rounding = rounding;
    c->saturate = saturate;
    c->overflow = !saturate;
    cm_matrix d = cm_change_(c, a, type, a->layout.use);
    c->rounding = CM_ROUND_AUTO;
    c->saturate = c->overflow = false;
    return d;
}

/* arithmetic.c - component-wise operations. */

cm_matrix cm_map1(cm_ctx *c, const cm_matrix *a, cm_fn fn, void *user)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_map_(c, &a->layout, a, NULL, fn, user);
}

cm_matrix cm_map2(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, cm_fn fn, void *user)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || !cm_alike_(c, a, b)) return cm_poison();
    return cm_map_(c, &a->layout, a, b, fn, user);
}

/* A type's kind of number for spe_arith and the tables. */
XE_FN_ spe_number_kind cm_number_kind_(cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    return t->kind == CM_KIND_FLOAT ? SPE_NUMBER_FLOAT : t->is_signed ? SPE_NUMBER_SIGNED : SPE_NUMBER_UNSIGNED;
}

XE_FN_ spe_id cm_no_operation_(cm_ctx *c, const char *name, cm_type type)
{
    return CM_FAIL_(c, EMIT_TYPE, "there is no operation %s on %s", name, cm_name_(type));
}

/* Is it computed with? Those of MX are only moved, converted and multiplied as matrices. */
XE_FN_ bool cm_computes_(cm_ctx *c, const char *name, cm_type type)
{
    return cm_type_info(type)->kind != CM_KIND_MX || cm_no_operation_(c, name, type);
}

XE_FN_ spe_id cm_apply_binary_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    spe_arith_op op = (spe_arith_op)*(const cm_op *)user;
    if (!a || !b) return 0;
    spe_id r = spe_arith(c->module, op, cm_number_kind_(type), a, b);
    return r || !spe_ok(c->module) ? r : cm_no_operation_(c, spe_arith_name(op), type);
}

/* a b or a / b of complex matrices, computed on their halves; the quotient is a conj(b) / |b|^2. */
XE_FN_ cm_matrix cm_multiply_complex_(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, bool divide)
{
    cm_matrix x = cm_half_(a, 0), y = cm_half_(a, 1), u = cm_half_(b, 0), v = cm_half_(b, 1);
    cm_matrix xu = cm_mul(c, &x, &u), yv = cm_mul(c, &y, &v), xv = cm_mul(c, &x, &v), yu = cm_mul(c, &y, &u);
    cm_matrix re = cm_binary(c, divide ? CM_ADD : CM_SUB, &xu, &yv);
    cm_matrix im = divide ? cm_sub(c, &yu, &xv) : cm_add(c, &xv, &yu);
    if (divide) {
        cm_matrix uu = cm_mul(c, &u, &u), vv = cm_mul(c, &v, &v), norm = cm_add(c, &uu, &vv);
        re = cm_binary(c, CM_DIV, &re, &norm);
        im = cm_binary(c, CM_DIV, &im, &norm);
    }
    return cm_complex(c, &re, &im);
}

/* A part of bytes in whole words as dwords; of others, as it is. */
XE_FN_ spe_id cm_as_dwords_(cm_ctx *c, const cm_matrix *a, int part, spe_id v)
{
    int bits = cm_part_words(&a->layout, part) * cm_word_bits_(&a->layout);
    if (!a->in_words) return v;
    return spe_bitcast(c->module, cm_vec_(c, spe_int(c->module, 32), bits / 32), v);
}

/* Bit operations take whole words: taking a word of bytes apart costs an instruction or more for each of them. */
XE_FN_ cm_matrix cm_combine_words_(cm_ctx *c, cm_op op, const cm_matrix *a, const cm_matrix *b)
{
    cm_matrix d = cm_new_(c, &a->layout);
    d.in_words = a->in_words || b->in_words;
    if (cm_opaque_(c, "component-wise operations")) return cm_poison();
    for (int i = 0; i < d.parts; i++) {
        spe_id x = cm_as_dwords_(c, &d, i, a->part[i]), y = cm_as_dwords_(c, &d, i, b->part[i]);
        x = spe_arith(c->module, (spe_arith_op)op, SPE_NUMBER_UNSIGNED, x, y);
        d.part[i] = spe_bitcast(c->module, cm_part_type(c, &d.layout, i), x);
    }
    return spe_ok(c->module) ? d : cm_poison();
}

/* Shifts each byte of dwords by 1 to 7. What crosses into the next byte is masked; where a sign moves in, the upper
 * `count` bits of a byte are 0x100 - (0x100 >> count), which takes nothing from its neighbours. */
XE_FN_ spe_id cm_shift_bytes_(cm_ctx *c, cm_op op, bool is_signed, spe_id v, int count)
{
    spe_module *m = c->module;
    spe_id type = spe_type_of(m, v), by = spe_const_u(m, type, (uint64_t)count);
    uint32_t keep = op == CM_SHL ? 0xffu << count & 0xff : 0xffu >> count;
    spe_id shifted = op == CM_SHL ? spe_shl(m, v, by) : spe_shr(m, v, by);
    shifted = spe_and(m, shifted, spe_const_u(m, type, keep * 0x01010101u));
    if (op == CM_SHL || !is_signed) return shifted;
    spe_id sign = spe_and(m, v, spe_const_u(m, type, 0x80808080u)), one = spe_const_u(m, type, 1);
    spe_id above = spe_shl(m, sign, one), below = spe_shr(m, sign, spe_const_u(m, type, (uint64_t)count - 1));
    return spe_or(m, shifted, spe_isub(m, above, below));
}

XE_FN_ spe_id cm_apply_shift_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    const int *shift = (const int *)user; /* the operation, and by how many bits */
    (void)b;
    b = spe_const_u(c->module, spe_type_of(c->module, a), (uint64_t)shift[1]);
    return spe_arith(c->module, (spe_arith_op)shift[0], cm_number_kind_(type), a, b);
}

cm_matrix cm_shift(cm_ctx *c, cm_op op, const cm_matrix *a, int count)
{
    int shift[2] = {(int)op, count};
    if (cm_is_poison_(c, a)) return cm_poison();
    const cm_type_row *t = cm_type_info(a->layout.type);
    if (op != CM_SHL && op != CM_SHR) return CM_POISON_(c, OPERATION, "cm_shift: operation %d is no shift", (int)op);
    if (t->kind != CM_KIND_INT)
        return cm_no_operation_(c, spe_arith_name((spe_arith_op)op), a->layout.type), cm_poison();
    if (count < 0 || count >= t->bytes * 8)
        return CM_POISON_(c, OPERATION, "cm_shift: %s by %d bits: 0 to %d", t->name, count, t->bytes * 8 - 1);
    if (!a->in_words || count == 0) return cm_map1(c, a, cm_apply_shift_, shift);
    cm_matrix d = cm_new_(c, &a->layout);
    d.in_words = true;
    for (int i = 0; i < d.parts; i++) {
        spe_id x = cm_as_dwords_(c, a, i, a->part[i]);
        x = cm_shift_bytes_(c, op, t->is_signed, x, count);
        d.part[i] = spe_bitcast(c->module, cm_part_type(c, &d.layout, i), x);
    }
    return spe_ok(c->module) ? d : cm_poison();
}

cm_matrix cm_binary(cm_ctx *c, cm_op op, const cm_matrix *a, const cm_matrix *b)
{
    cm_matrix half[2];
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b)) return cm_poison();
    cm_type type = a->layout.type;
    if ((unsigned)op > (unsigned)CM_SHR)
        return CM_POISON_(c, OPERATION, "cm_binary: there is no operation %d", (int)op);
    if (!cm_alike_(c, a, b)) return cm_poison();
    if (cm_is_complex(type) && op > CM_DIV)
        return cm_no_operation_(c, spe_arith_name((spe_arith_op)op), type), cm_poison();
    if (cm_is_complex(type) && (op == CM_MUL || op == CM_DIV)) return cm_multiply_complex_(c, a, b, op == CM_DIV);
    if ((op == CM_AND || op == CM_OR || op == CM_XOR) && cm_type_info(type)->kind != CM_KIND_FLOAT)
        return cm_combine_words_(c, op, a, b);
    if (!cm_computes_(c, spe_arith_name((spe_arith_op)op), type)) return cm_poison();
    for (int i = 0; i < cm_halves_(type); i++) {
        cm_matrix x = cm_half_(a, i), y = cm_half_(b, i);
        half[i] = cm_map_(c, &x.layout, &x, &y, cm_apply_binary_, &op);
    }
    return cm_of_halves_(c, type, half);
}

cm_matrix cm_add(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_ADD, a, b); }
cm_matrix cm_sub(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_SUB, a, b); }
cm_matrix cm_mul(cm_ctx *c, const cm_matrix *a, const cm_matrix *b) { return cm_binary(c, CM_MUL, a, b); }

cm_matrix cm_scale(cm_ctx *c, const cm_matrix *a, spe_id scalar)
{
    cm_matrix half[2];
    if (cm_is_poison_(c, a)) return cm_poison();
    for (int i = 0; i < cm_halves_(a->layout.type); i++) {
        cm_matrix x = cm_half_(a, i),
                  s = cm_splat(c, x.layout.rows, x.layout.cols, x.layout.type, x.layout.use, scalar);
        half[i] = cm_mul(c, &x, &s);
    }
    return cm_of_halves_(c, a->layout.type, half);
}

/* Name and float function of each operation; NEG, NOT and CONJ have no function. */
typedef struct {
    const char *name;
    spe_math_op function;
} cm_unary_row_;

XE_FN_ const cm_unary_row_ *cm_unary_row_of_(cm_unary_op op)
{
#define CM_UNARY_ROW_(name) {"CM_" #name, SPE_##name},
    static const cm_unary_row_ rows[] = {{"CM_NEG", SPE_FABS}, {"CM_NOT", SPE_FABS}, {"CM_CONJ", SPE_FABS},
                                         {"CM_ABS", SPE_FABS}, CM_UNARY_OPS_(CM_UNARY_ROW_)};
    return &rows[op];
}

XE_FN_ spe_id cm_apply_unary_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    cm_unary_op op = *(const cm_unary_op *)user;
    spe_number_kind kind = cm_number_kind_(type);
    (void)b;
    if (!a) return 0;
    if (op == CM_NEG) return kind == SPE_NUMBER_FLOAT ? spe_fneg(c->module, a) : spe_ineg(c->module, a);
    if (op == CM_NOT && kind != SPE_NUMBER_FLOAT) return spe_not(c->module, a);
    if (op == CM_ABS && kind != SPE_NUMBER_FLOAT)
        return kind == SPE_NUMBER_SIGNED ? spe_math1(c->module, SPE_SABS, a) : a;
    if (op >= CM_ABS && kind == SPE_NUMBER_FLOAT) return spe_math1(c->module, cm_unary_row_of_(op)->function, a);
    return cm_no_operation_(c, cm_unary_row_of_(op)->name, type);
}

/* |z| is real; exp z = e^x (cos y + i sin y); exp2 (2^iy = e^(iy ln 2)) and the native ones are similar. */
XE_FN_ cm_matrix cm_unary_complex_(cm_ctx *c, cm_unary_op op, const cm_matrix *a)
{
    cm_matrix x = cm_half_(a, 0), y = cm_half_(a, 1), p, q;
    bool two = op == CM_EXP2 || op == CM_NATIVE_EXP2, native = op == CM_NATIVE_EXP || op == CM_NATIVE_EXP2;
    if (op == CM_NEG || op == CM_CONJ) {
        if (op == CM_NEG) x = cm_unary(c, CM_NEG, &x);
        y = cm_unary(c, CM_NEG, &y);
        return cm_complex(c, &x, &y);
    }
    if (op == CM_ABS) {
        p = cm_mul(c, &x, &x), q = cm_mul(c, &y, &y);
        p = cm_add(c, &p, &q);
        return cm_unary(c, CM_SQRT, &p);
    }
    if (op != CM_EXP && !two && !native)
        return cm_no_operation_(c, cm_unary_row_of_(op)->name, a->layout.type), cm_poison();
    if (two) y = cm_scale(c, &y, spe_const_f(c->module, cm_storage_type(c, y.layout.type), 0.6931471805599453));
    x = cm_unary(c, op, &x);
    p = cm_unary(c, native ? CM_NATIVE_COS : CM_COS, &y);
    q = cm_unary(c, native ? CM_NATIVE_SIN : CM_SIN, &y);
    p = cm_mul(c, &x, &p), q = cm_mul(c, &x, &q);
    return cm_complex(c, &p, &q);
}

cm_matrix cm_unary(cm_ctx *c, cm_unary_op op, const cm_matrix *a)
{
    if (cm_is_poison_(c, a)) return cm_poison();
    if ((unsigned)op >= (unsigned)CM_UNARY_COUNT_)
        return CM_POISON_(c, OPERATION, "cm_unary: there is no operation %d", (int)op);
    if (!cm_computes_(c, cm_unary_row_of_(op)->name, a->layout.type)) return cm_poison();
    return cm_is_complex(a->layout.type) ? cm_unary_complex_(c, op, a) : cm_map1(c, a, cm_apply_unary_, &op);
}

cm_walk_ cm_walk_begin_(cm_ctx *c, const cm_matrix *a)
{
    cm_walk_ w = {c, a, cm_component_ids(c, a, a->layout.type), {0, 0}, -1, 0, 0, 0};
    if (w.value) w.lane = cm_lane_(c, &a->layout);
    return w;
}

bool cm_walk_next_(cm_walk_ *w)
{
    const cm_layout *l = &w->a->layout;
    cm_ctx *c = w->c;
    if (!w->value) return false;
    if (w->v >= 0) {
        if (spe_ok(c->module) && spe_type_of(c->module, w->component) != cm_arith_type(c, l->type))
            return CM_FAIL_(c, SCALAR, "CM_APPLY: the component is not of the arithmetic type of %s any more",
                            cm_name_(l->type));
        w->value[w->v] = spe_ok(c->module) ? cm_from_arith(c, l->type, w->component) : 0;
    }
    if (!spe_ok(c->module) || ++w->v >= l->size_v) return false;
    w->row = cm_row_at_(c, l, w->lane, w->v);
    w->col = cm_col_at_(c, l, w->lane, w->v);
    w->component = cm_to_arith(c, l->type, w->value[w->v]);
    return true;
}

bool cm_walk_end_(cm_walk_ *w, cm_matrix *out)
{
    *out = w->value && spe_ok(w->c->module) ? cm_from_components(w->c, &w->a->layout, w->value) : cm_poison();
    return false;
}

cm_matrix cm_apply(cm_ctx *c, const cm_matrix *a, cm_apply_fn fn, void *user)
{
    cm_matrix d = cm_poison();
    CM_APPLY (c, d, *a, row, col, v) v = fn(c, row, col, v, user);
    return d;
}

/* reduce.c - reductions of rows and columns. */

/* The neutral element: 0, the smallest or the largest number of the storage type (here the arithmetic type too). */
XE_FN_ spe_id cm_neutral_(cm_ctx *c, cm_op op, cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    spe_id id = cm_storage_type(c, type);
    uint64_t top = (uint64_t)1 << (t->storage_bits - 1), all = top | (top - 1);
    if (op == CM_ADD) return spe_null(c->module, id);
    if (t->kind == CM_KIND_FLOAT)
        return spe_const_f(c->module, id, spe_real_of_bits(SPE_IEEE, 16, op == CM_MIN ? 0x7c00 : 0xfc00));
    if (t->is_signed) return spe_const_u(c->module, id, op == CM_MIN ? top - 1 : top);
    return spe_const_u(c->module, id, op == CM_MIN ? all : 0);
}

/* The results this lane computes, in the arena: CM_BY_ROW, of each of its rows (K of them); CM_BY_COLUMN, of each of
 * its columns (V / K). Reduces first within the lane, then across the lanes with the same row or column. */
XE_FN_ spe_id *cm_totals_(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a)
{
    const cm_layout *l = &a->layout;
    cm_type type = cm_number_kind_(l->type) == SPE_NUMBER_FLOAT ? CM_SUM_(l->type) : l->type;
    spe_id *v = cm_component_ids(c, a, type), neutral = cm_neutral_(c, op, type);
    int n = by == CM_BY_ROW ? l->size_k : l->size_v / l->size_k, row, col;
    int first = by == CM_BY_ROW ? l->size_i : 1, last = by == CM_BY_ROW ? l->lanes : l->size_i;
    spe_id *total = cm_ids_(c, n);
    if (!v || !total) return NULL;
    for (int i = 0; i < l->size_v; i++) {
        spe_id one = v[i];
        if (by == CM_BY_ROW && l->needs_mask) {
            spe_id cols = cm_i32_(c, l->cols);
            one = spe_select(c->module, spe_slt(c->module, cm_col_index(c, l, i), cols), one, neutral);
        }
        cm_axes_of_(l, i, &row, &col);
        spe_id *to = &total[by == CM_BY_ROW ? row : col];
        *to = *to ? cm_apply_binary_(c, type, *to, one, &op) : one;
    }
    for (int i = 0; i < n; i++)
        for (int mask = first; mask < last; mask *= 2)
            total[i] =
                cm_apply_binary_(c, type, total[i], spe_sg_shuffle_xor(c->module, total[i], cm_i32_(c, mask)), &op);
    for (int i = 0; i < n; i++) total[i] = spe_reload(c->module, cm_convert_vector_(c, type, l->type, total[i]));
    return spe_ok(c->module) ? total : NULL;
}

/* cm_reduce_broadcast of a real matrix, in the result's layout. */
XE_FN_ cm_matrix cm_repeat_totals_(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a, int extent)
{
    bool rows = by == CM_BY_ROW;
    cm_layout l =
        cm_layout_for(c, rows ? a->layout.rows : extent, rows ? extent : a->layout.cols, a->layout.type, a->layout.use);
    if (!l.rows) return cm_poison();
    if (l.size_i != a->layout.size_i) { /* other lanes hold the columns: reduce in place, then move */
        cm_matrix d = cm_repeat_totals_(c, op, by, a, a->layout.rows);
        return cm_repeat(c, &d, extent, a->layout.cols);
    }
    spe_id *total = cm_totals_(c, op, by, a), *v = cm_ids_(c, l.size_v);
    for (int i = 0, row, col; total && v && i < l.size_v; i++) {
        cm_axes_of_(&l, i, &row, &col);
        v[i] = total[rows ? row : col];
    }
    return total && v ? cm_from_components(c, &l, v) : cm_poison();
}

cm_matrix cm_reduce_broadcast(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a, int extent)
{
    cm_matrix half[2];
    if (cm_is_poison_(c, a) || cm_opaque_(c, "a reduction")) return cm_poison();
    if (!cm_computes_(c, "a reduction", a->layout.type)) return cm_poison();
    if ((op != CM_ADD && op != CM_MIN && op != CM_MAX) || (unsigned)by > (unsigned)CM_BY_COLUMN ||
        (cm_is_complex(a->layout.type) && op != CM_ADD))
        return CM_POISON_(c, OPERATION, "a reduction of %s by operation %d in direction %d",
                          cm_name_(a->layout.type), (int)op, (int)by);
    for (int i = 0; i < cm_halves_(a->layout.type); i++) {
        half[i] = cm_half_(a, i);
        half[i] = cm_repeat_totals_(c, op, by, &half[i], extent);
    }
    return cm_of_halves_(c, a->layout.type, half);
}

cm_matrix cm_reduce(cm_ctx *c, cm_op op, cm_direction by, const cm_matrix *a)
{
    return cm_reduce_broadcast(c, op, by, a, 1);
}

/* surface.c - the memory of a matrix: checks and defaults. */

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
XE_FN_ bool cm_check_mem_(cm_ctx *c, cm_type type, const cm_mem *mem)
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

/* lanes.c - access to memory element by element, each lane its own. */

/* Drops a test that is constant true: returns 0. */
XE_FN_ spe_id cm_unless_true_(cm_ctx *c, spe_id test)
{
    uint64_t bits;
    return test && spe_const_bits(c->module, test, &bits) && bits ? 0 : test;
}

XE_FN_ spe_id cm_and_(cm_ctx *c, spe_id a, spe_id b) { return a && b ? spe_land(c->module, a, b) : a ? a : b; }

/* Of stores and visits, which leave out what is outside. */
XE_ONCE_
XE_FN_ cm_surface_ cm_with_extents_(cm_ctx *c, const cm_surface_ *s)
{
    cm_surface_ bounded = *s;
    bounded.rows = spe_extent(c->module, s->rows);
    bounded.cols = spe_extent(c->module, s->cols);
    bounded.border = CM_BORDER_PADDING;
    return bounded;
}

/* Where a border brings a position outside 0 .. n - 1 to; n is positive. A mirrored row of n repeats after 2 (n - 1)
 * elements, which may need all 32 bits. */
XE_FN_ spe_id cm_bring_inside_(cm_ctx *c, cm_border border, spe_id at, spe_id n)
{
    spe_module *m = c->module;
    spe_id type = spe_type_of(m, at), zero = spe_const_u(m, type, 0), one = spe_const_u(m, type, 1);
    spe_id last = spe_isub(m, n, one);
    if (border == CM_BORDER_CLAMP) return spe_math2(m, SPE_SMIN, spe_math2(m, SPE_SMAX, at, zero), last);
    spe_id there = spe_math2(m, SPE_UMAX, spe_shl(m, last, one), one); /* and back */
    at = spe_umod(m, spe_math1(m, SPE_SABS, at), there);
    return spe_math2(m, SPE_UMIN, at, spe_isub(m, there, at));
}

/* position + index, and whether it is inside; or, with a border, where that is brought to. Scalars or vectors. The
 * extent is not negative. */
XE_FN_ cm_axis_ cm_position_(cm_ctx *c, const cm_surface_ *s, spe_id position, spe_id index, spe_id extent)
{
    cm_axis_ a = {spe_iadd(c->module, position, index), 0, 0};
    if (extent && s->border) a.at = cm_bring_inside_(c, s->border, a.at, extent);
    else if (extent) a.inside = cm_unless_true_(c, spe_ult(c->module, a.at, extent));
    return a;
}

/* A position as a distance in elements, i64. */
XE_FN_ spe_id cm_distance_(cm_ctx *c, spe_id at, spe_id stride)
{
    spe_id i64 = spe_int(c->module, 64);
    at = spe_sconvert(c->module, i64, at);
    return cm_is_constant_(c, stride, 1) ? at : spe_imul(c->module, at, spe_sconvert(c->module, i64, stride));
}

/* The value if the test holds, else zero. */
XE_FN_ spe_id cm_or_zero_(cm_ctx *c, spe_id inside, spe_id v)
{
    return inside ? spe_select(c->module, inside, v, spe_null(c->module, spe_type_of(c->module, v))) : v;
}

/* Finds addresses and tests of rows; only tests if the surface has no pointer, as do the functions of columns. */
XE_FN_ bool cm_rows_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, cm_axes_ *a)
{
    spe_id lane = cm_times_(c, cm_lane_(c, l).row, l->interleaved ? l->size_k1 : 1);
    a->row = (cm_axis_ *)spe_alloc(c->module, (size_t)l->size_k * sizeof(cm_axis_));
    for (int i = 0; a->row && i < l->size_k; i++) {
        int k1 = i % l->size_k1, k2 = i / l->size_k1,
            first = (l->interleaved ? k1 : k1 * l->size_i) + k2 * l->size_i * l->size_k1;
        cm_axis_ one = cm_position_(c, s, s->row, cm_plus_(c, lane, first), s->rows);
        a->row[i].inside = one.inside;
        if (s->ptr)
            a->row[i].at = spe_index(c->module, s->ptr, cm_distance_(c, cm_or_zero_(c, one.inside, one.at), s->down));
    }
    return a->row != NULL;
}

/* M >= S, with checked columns, for Intel's compiler: each lane finds one of up to 16 columns, for all. There, an
 * element of a register is an operand like a number, and finding each column for itself takes instructions for each.
 * Distances are in bytes, and broadcast by halves: the compiler joins halves of 64 bits by shifting. */
XE_FN_ void cm_columns_by_lane_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, int cols, cm_axis_ *col)
{
    spe_module *m = c->module;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), none = cm_i32_(c, -1);
    spe_id i32 = spe_int(m, 32), i64 = spe_int(m, 64), pair = spe_vec(m, i32, 2);
    spe_id bytes = spe_const_i(m, i64, cm_type_info(l->type)->bytes), word = spe_const_u(m, i64, 32);
    for (int first = 0; first < cols; first += l->lanes) {
        cm_axis_ all = cm_position_(c, s, s->col, cm_plus_(c, lane, first), s->cols);
        spe_id distance = cm_distance_(c, cm_or_zero_(c, all.inside, all.at), s->right), of[2], half[2];
        distance = spe_imul(m, distance, bytes);
        of[0] = spe_uconvert(m, i32, distance);
        of[1] = spe_uconvert(m, i32, spe_shr(m, distance, word));
        spe_id mask = all.inside ? cm_or_zero_(c, all.inside, none) : none;
        for (int i = 0; i < l->lanes && first + i < cols; i++) {
            spe_id number = cm_i32_(c, i);
            for (int j = 0; j < 2; j++) half[j] = spe_sg_broadcast(m, of[j], number);
            col[first + i].at = spe_bitcast(m, i64, spe_construct(m, pair, 2, half));
            col[first + i].mask = spe_sg_broadcast(m, mask, number);
        }
    }
}

/* M >= S: all lanes have the same columns. Tests are vectors of up to 16. Distances are sums of strides, as 64-bit
 * multiplication is slow on many devices. */
XE_FN_ void cm_columns_(cm_ctx *c, const cm_surface_ *s, int cols, cm_axis_ *col)
{
    spe_module *m = c->module;
    spe_id distance = s->ptr ? cm_distance_(c, s->col, s->right) : 0;
    spe_id step = s->ptr ? cm_distance_(c, s->right, cm_i32_(c, 1)) : 0;
    for (int first = 0, n = 16; first < cols; first += n) {
        spe_id numbers[16], vector;
        cm_axis_ all = {0, 0, 0};
        while (n > cols - first) n /= 2;
        vector = cm_vec_(c, spe_int(m, 32), n);
        for (int i = 0; i < n; i++) numbers[i] = cm_i32_(c, first + i);
        vector = n == 1 ? numbers[0] : spe_composite_const(m, vector, (uint32_t)n, numbers);
        if (s->cols) {
            spe_id extents = cm_copies_(c, s->cols, n);
            all = cm_position_(c, s, cm_copies_(c, s->col, n), vector, extents);
        }
        for (int i = 0; i < n; i++) {
            cm_axis_ *one = &col[first + i];
            if (s->border && s->cols) distance = cm_distance_(c, cm_slice_(c, all.at, i, 1), s->right);
            else if (s->ptr && first + i > 0) distance = spe_iadd(m, distance, step);
            one->inside = all.inside ? cm_slice_(c, all.inside, i, 1) : 0;
            if (s->ptr) one->at = cm_or_zero_(c, one->inside, distance);
        }
    }
}

/* M < S: lanes have different columns, and some may be padding. */
XE_FN_ void cm_columns_over_lanes_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, int cols, cm_axis_ *col)
{
    int across = l->lanes / l->size_i;
    spe_id j0 = cm_times_(c, cm_lane_(c, l).col, l->omega);
    for (int i = 0; i < cols; i++) {
        int first = i / l->omega * across * l->omega + i % l->omega, last = first + (across - 1) * l->omega;
        spe_id index = cm_plus_(c, j0, first);
        cm_axis_ one = cm_position_(c, s, s->col, index, s->cols);
        if (last >= l->cols) one.inside = cm_and_(c, one.inside, spe_ult(c->module, index, cm_i32_(c, l->cols)));
        col[i].inside = one.inside;
        if (s->ptr) col[i].at = cm_distance_(c, cm_or_zero_(c, one.inside, one.at), s->right);
    }
}

/* Are elements outside made zeros by masks? Intel's compiler takes many instructions to combine vectors of bools. */
XE_FN_ bool cm_masks_(const cm_layout *l, const cm_surface_ *s)
{
    return s->zero_padding && cm_type_info(l->type)->bytes <= 4;
}

/* Do loads find columns by lane? Columns that are adjacent in memory are loaded together otherwise. */
XE_ONCE_
XE_FN_ bool cm_finds_by_lane_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, int cols)
{
    return c->target.igc && l->lanes == 16 && l->size_i == l->lanes && cols >= 4 && s->cols && cm_masks_(l, s) &&
           !cm_is_constant_(c, s->right, 1) && !s->border;
}

XE_FN_ bool cm_axes_init_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, bool loads, cm_axes_ *a)
{
    int cols = l->size_v / l->size_k;
    a->col = (cm_axis_ *)spe_alloc(c->module, (size_t)cols * sizeof(cm_axis_));
    if (!a->col || !cm_rows_(c, l, s, a)) return false;
    if (loads && cm_finds_by_lane_(c, l, s, cols)) cm_columns_by_lane_(c, l, s, cols, a->col);
    else if (l->size_i == l->lanes) cm_columns_(c, s, cols, a->col);
    else cm_columns_over_lanes_(c, l, s, cols, a->col);
    return spe_ok(c->module);
}

/* A vector of components, or the padding in place of those outside in one direction, which `test` tells: masks, or
 * bools. */
XE_FN_ spe_id cm_keep_inside_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const spe_id *test, spe_id vector)
{
    spe_module *m = c->module;
    spe_id type = spe_type_of(m, vector), elem = spe_int(m, (uint32_t)cm_type_info(l->type)->storage_bits);
    int n = (int)spe_count(m, type);
    bool masks = cm_masks_(l, s), same = true;
    for (int i = 0; i < n; i++) same = same && test[i] == test[0];
    spe_id all = same ? cm_copies_(c, test[0], n) : cm_join_(c, masks ? elem : spe_bool(m), test, n, 1);
    if (!masks) return spe_select(m, all, vector, cm_copies_(c, s->padding, n));
    return cm_bitcast(c, type, spe_and(m, cm_bitcast(c, spe_type_of(m, all), vector), all));
}

/* A row's or column's mask for elements of this type, or a bool. */
XE_FN_ spe_id cm_test_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_axis_ *a)
{
    spe_module *m = c->module;
    spe_id elem = spe_int(m, (uint32_t)cm_type_info(l->type)->storage_bits);
    if (a->mask) return spe_cast(m, elem, a->mask, false);
    if (!cm_masks_(l, s)) return a->inside ? a->inside : spe_const_bool(m, true);
    spe_id all = spe_const_i(m, elem, -1), none = spe_null(m, elem);
    return a->inside ? spe_select(m, a->inside, all, none) : all;
}

/* Masks of the padding's bits for rows or columns: all of them outside, none inside. */
XE_FN_ void cm_padding_masks_(cm_ctx *c, spe_id bits, cm_axis_ *axis, int count)
{
    spe_id none = spe_null(c->module, spe_type_of(c->module, bits));
    for (int i = 0; i < count; i++)
        if (axis[i].inside) axis[i].mask = spe_select(c->module, axis[i].inside, none, bits);
}

/* Puts the padding in place of elements outside, which are zeros: its bits are added by OR. */
XE_FN_ void cm_pad_outside_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a)
{
    const cm_layout *l = &a->layout;
    spe_module *m = c->module;
    spe_id word = spe_int(m, (uint32_t)cm_type_info(l->type)->storage_bits), *v = cm_component_ids(c, a, l->type);
    cm_surface_ tests = *s;
    cm_axes_ axes;
    tests.ptr = 0;
    if (!v || !cm_axes_init_(c, l, &tests, false, &axes)) return;
    spe_id padding = spe_bitcast(m, word, s->padding);
    cm_padding_masks_(c, padding, axes.row, l->size_k);
    cm_padding_masks_(c, padding, axes.col, l->size_v / l->size_k);
    for (int i = 0, row, col; i < l->size_v; i++) {
        cm_axes_of_(l, i, &row, &col);
        spe_id masks[] = {axes.row[row].mask, axes.col[col].mask}, one = spe_bitcast(m, word, v[i]);
        for (int d = 0; d < 2; d++)
            if (masks[d]) one = spe_or(m, one, masks[d]);
        v[i] = spe_bitcast(m, cm_storage_type(c, l->type), one);
    }
    cm_matrix padded = cm_from_components(c, l, v);
    if (padded.parts) memcpy(a->part, padded.part, (size_t)a->parts * sizeof *a->part);
    a->in_words = false;
}

/* Loads `words` words of a part from component v on, packing them at once so that few values are live. */
XE_FN_ spe_id cm_load_words_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_axes_ *axes, int v,
                             int words)
{
    spe_id read[16], test[2][16], elem = cm_storage_type(c, l->type);
    int n = words * cm_channels_(l);
    bool tested[2] = {false, false};
    for (int i = 0, at[2]; i < n; i++) {
        cm_axes_of_(l, v + i, &at[0], &at[1]);
        const cm_axis_ *row = &axes->row[at[0]], *col = &axes->col[at[1]];
        spe_id ptr = col->mask ? spe_ptr_cast(c->module, row->at, spe_int(c->module, 8)) : row->at;
        ptr = spe_index(c->module, ptr, col->at);
        if (col->mask) ptr = spe_ptr_cast(c->module, ptr, elem);
        read[i] = spe_load(c->module, ptr, (uint32_t)cm_type_info(l->type)->bytes);
        for (int d = 0; d < 2; d++) {
            test[d][i] = cm_test_(c, l, s, d ? col : row);
            tested[d] = tested[d] || (d ? col : row)->inside || (d ? col : row)->mask;
        }
    }
    spe_id vector = cm_join_(c, elem, read, n, 1);
    for (int d = 0; d < 2; d++)
        if (tested[d]) vector = cm_keep_inside_(c, l, s, test[d], vector);
    return cm_pack_(c, l, vector, words);
}

/* A branch of the lanes that are inside. */
XE_FN_ void cm_if_inside_(cm_ctx *c, spe_id inside)
{
    spe_diverged(c->module);
    spe_if(c->module, inside);
}

/* Stores, under a test if there is one. */
XE_FN_ void cm_store_inside_(cm_ctx *c, const cm_layout *l, spe_id inside, spe_id row, spe_id distance, spe_id v)
{
    if (inside) cm_if_inside_(c, inside);
    spe_store(c->module, spe_index(c->module, row, distance), v, (uint32_t)cm_type_info(l->type)->bytes);
    if (inside) spe_endif(c->module, 0, NULL, NULL);
}

/* M >= S with checked columns: loops over those of up to 16 columns that are inside. Column `number` + i of the matrix
 * has its rows (k1, k2) in the vectors of each block, at i K1 + k1. */
XE_FN_ bool cm_store_loops_(cm_ctx *c, const cm_surface_ *s, const cm_matrix *a)
{
    const cm_layout *l = &a->layout;
    spe_module *m = c->module;
    int runs = spe_part_count(cm_block_words_(l)), number = 0;
    spe_id *vectors = cm_ids_(c, l->size_k2);
    cm_axes_ axes;
    if (!vectors || !cm_rows_(c, l, s, &axes)) return true;
    for (int run = 0; run < runs; run++) {
        int words = cm_part_words(l, run), group = cm_group_(l, words), columns = group * l->omega;
        for (int first = 0; first < words; first += group, number += columns) {
            for (int k2 = 0; k2 < l->size_k2; k2++)
                vectors[k2] = cm_unpack_(c, l, a->part[k2 * runs + run], first, group);
            spe_id from[2] = {spe_isub(m, cm_i32_(c, -number), s->col), cm_i32_(c, 0)};
            spe_id before = cm_i32_(c, number);
            spe_id to[2] = {spe_isub(m, spe_isub(m, s->cols, s->col), before), cm_i32_(c, columns)};
            spe_id high = spe_math(m, SPE_SMIN, 2, to), low = spe_math(m, SPE_SMAX, 2, from);
            spe_id i = spe_for(m, low, high, cm_i32_(c, 1), 0, NULL);
            spe_id distance = cm_distance_(c, spe_iadd(m, cm_plus_(c, s->col, number), i), s->right);
            for (int row = 0; row < l->size_k; row++) {
                spe_id v = vectors[row / l->size_k1];
                if (spe_count(m, spe_type_of(m, v)) > 1)
                    v = spe_extract_dyn(m, v, cm_plus_(c, cm_times_(c, i, l->size_k1), row % l->size_k1));
                cm_store_inside_(c, l, axes.row[row].inside, axes.row[row].at, distance, v);
            }
            spe_endfor(m, 0, NULL);
        }
    }
    return true;
}

/* A branch per row of the lane, containing one per column if lanes have different columns. */
XE_FN_ bool cm_store_straight_(cm_ctx *c, const cm_surface_ *s, const cm_matrix *a)
{
    const cm_layout *l = &a->layout;
    cm_axes_ axes;
    spe_id *v = cm_component_ids(c, a, l->type);
    if (!v || !cm_axes_init_(c, l, s, false, &axes)) return true;
    for (int wanted = 0, row, col; wanted < l->size_k; wanted++) {
        const cm_axis_ *in_row = &axes.row[wanted];
        if (in_row->inside) cm_if_inside_(c, in_row->inside);
        for (int i = 0; i < l->size_v; i++) {
            cm_axes_of_(l, i, &row, &col);
            if (row == wanted) cm_store_inside_(c, l, axes.col[col].inside, in_row->at, axes.col[col].at, v[i]);
        }
        if (in_row->inside) spe_endif(c->module, 0, NULL, NULL);
    }
    return true;
}

/* Method: component by component, section "Load pseudo-code". Elements outside read an element inside and select the
 * padding, without a branch; one branch around everything handles memory without elements. */
XE_FN_ bool cm_move_lanes_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store)
{
    const cm_layout *l = &a->layout;
    if (store) {
        const cm_surface_ to = cm_with_extents_(c, s);
        return l->size_i == l->lanes && s->cols ? cm_store_loops_(c, &to, a) : cm_store_straight_(c, &to, a);
    }
    spe_id rows = s->rows ? spe_sgt(c->module, s->rows, cm_i32_(c, 0)) : 0;
    spe_id cols = s->cols ? spe_sgt(c->module, s->cols, cm_i32_(c, 0)) : 0;
    cols = cm_unless_true_(c, cols);
    spe_id some = cm_and_(c, cm_unless_true_(c, rows), cols);
    cm_matrix none = cm_poison();
    cm_axes_ axes;
    if (some) {
        none = cm_splat(c, l->rows, l->cols, l->type, l->use, s->zero_padding ? 0 : s->padding);
        spe_if(c->module, some);
    }
    if (!cm_axes_init_(c, l, s, true, &axes)) return true;
    for (int part = 0, v = 0; part < a->parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), pieces = 0;
        spe_id piece[8];
        for (int first = 0; first < words; first += group, v += group * cm_channels_(l))
            piece[pieces++] = cm_load_words_(c, l, s, &axes, v, group);
        a->part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    if (some) spe_endif_from(c->module, (uint32_t)a->parts, a->part, none.part, a->part);
    return true;
}

/* visit.c - a function called for each element in memory; atomics. */

/* May the function of cm_visit return this after it returned `first`: a value of the storage type, or always 0? */
XE_FN_ bool cm_is_result_(cm_ctx *c, cm_type type, spe_id v, spe_id first)
{
    if (!spe_ok(c->module)) return false;
    if (!v != !first) return CM_FAIL_(c, SCALAR, "the function of cm_visit returns 0 for some elements only");
    return !v || spe_type_of(c->module, v) == cm_storage_type(c, type) ||
           CM_FAIL_(c, SCALAR, "the result of cm_visit's function is not of the storage type of %s", cm_name_(type));
}

/* Calls fn for every element of layout l inside the memory, with the value in `a` (0 if a is NULL). */
XE_FN_ cm_matrix cm_visit_(cm_ctx *c, const cm_layout *l, const cm_matrix *a, const cm_mem *mem, cm_visit_fn fn,
                           void *user)
{
    cm_matrix half[2];
    for (int h = 0; h < cm_halves_(l->type); h++) {
        cm_layout part = *l;
        cm_surface_ s;
        cm_axes_ axes;
        part.type = cm_half_type_(l->type);
        if (!cm_surface_init_(c, &s, l->type, mem, h)) return cm_poison();
        s = cm_with_extents_(c, &s);
        if (a) half[h] = cm_half_(a, h);
        spe_id *v = a ? cm_component_ids(c, &half[h], part.type) : cm_ids_(c, l->size_v);
        if (!v || !cm_axes_init_(c, &part, &s, false, &axes)) return cm_poison();
        for (int i = 0, row, col; i < l->size_v; i++) {
            cm_axes_of_(&part, i, &row, &col);
            spe_id inside = cm_and_(c, axes.row[row].inside, axes.col[col].inside);
            if (inside) cm_if_inside_(c, inside);
            v[i] = fn(c, part.type, spe_index(c->module, axes.row[row].at, axes.col[col].at), v[i], user);
            if (!cm_is_result_(c, part.type, v[i], i ? v[0] : v[i])) return cm_poison();
            if (inside && v[i]) spe_endif_from(c->module, 1, &v[i], &s.padding, &v[i]);
            if (inside && !v[i]) spe_endif(c->module, 0, NULL, NULL);
        }
        half[h] = v[0] ? cm_from_components(c, &part, v) : cm_poison();
    }
    return cm_of_halves_(c, l->type, half);
}

cm_matrix cm_visit(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, cm_visit_fn fn, void *user)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_visit_(c, &a->layout, a, mem, fn, user);
}

typedef enum { CM_ATOMIC_LOAD_, CM_ATOMIC_STORE_, CM_ATOMIC_ADD_, CM_ATOMIC_MIN_, CM_ATOMIC_MAX_ } cm_atomic_;

typedef struct {
    cm_atomic_ what;
    uint32_t scope, semantics;
} cm_atomic_how_;

/* 32 and 64 bits; f16 has add, min and max; complex types have no order. */
XE_FN_ bool cm_check_atomic_(cm_ctx *c, cm_type type, cm_atomic_ what)
{
    const cm_type_row *t = cm_type_info(type);
    if (!t || cm_opaque_(c, "atomics")) return false;
    if (cm_is_complex(type) && what > CM_ATOMIC_ADD_) return CM_FAIL_(c, ATOMIC, "complex numbers have no order");
    if (t->bytes >= 4 && type != CM_TF32) return true;
    if (type == CM_F16 && what >= CM_ATOMIC_ADD_) return true;
    return CM_FAIL_(c, ATOMIC, "there are no such atomic operations on %s", t->name);
}

/* One component; returns the old value (0 for a store). */
XE_FN_ spe_id cm_atomic_one_(cm_ctx *c, cm_type type, spe_id ptr, spe_id v, void *user)
{
    static const spe_atomic_op ops[3][3] = {{SPE_ATOMIC_FADD, SPE_ATOMIC_IADD, SPE_ATOMIC_IADD},
                                            {SPE_ATOMIC_FMIN, SPE_ATOMIC_SMIN, SPE_ATOMIC_UMIN},
                                            {SPE_ATOMIC_FMAX, SPE_ATOMIC_SMAX, SPE_ATOMIC_UMAX}};
    const cm_atomic_how_ *how = (const cm_atomic_how_ *)user;
    if (how->what == CM_ATOMIC_LOAD_) return spe_atomic_load(c->module, ptr, how->scope, how->semantics);
    if (how->what != CM_ATOMIC_STORE_)
        return spe_atomic(c->module, ops[how->what - CM_ATOMIC_ADD_][cm_number_kind_(type)], ptr, v, how->scope,
                          how->semantics);
    spe_atomic_store(c->module, ptr, v, how->scope, how->semantics);
    return 0;
}

cm_matrix cm_atomic_load(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, const cm_mem *from, uint32_t scope,
                         uint32_t semantics)
{
    cm_atomic_how_ how = {CM_ATOMIC_LOAD_, scope, semantics};
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    if (!l.rows || !cm_check_atomic_(c, type, how.what)) return cm_poison();
    return cm_visit_(c, &l, NULL, from, cm_atomic_one_, &how);
}

/* Stores and updates; returns the old values (poison for a store). */
XE_FN_ cm_matrix cm_atomic_put_(cm_ctx *c, const cm_matrix *a, const cm_mem *to, cm_atomic_ what, uint32_t scope,
                                uint32_t semantics)
{
    cm_atomic_how_ how = {what, scope, semantics};
    if (cm_is_poison_(c, a) || !cm_check_atomic_(c, a->layout.type, what)) return cm_poison();
    return cm_visit_(c, &a->layout, a, to, cm_atomic_one_, &how);
}

void cm_atomic_store(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics)
{
    cm_atomic_put_(c, a, to, CM_ATOMIC_STORE_, scope, semantics);
}

#define CM_ATOMIC_UPDATE_(name, what)                                                                                  \
    cm_matrix name(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics)                \
    {                                                                                                                  \
        return cm_atomic_put_(c, a, to, what, scope, semantics);                                                       \
    }
CM_ATOMIC_UPDATE_(cm_atomic_add, CM_ATOMIC_ADD_)
CM_ATOMIC_UPDATE_(cm_atomic_min, CM_ATOMIC_MIN_)
CM_ATOMIC_UPDATE_(cm_atomic_max, CM_ATOMIC_MAX_)

/* block2d.c - 2D block messages on global memory: legality, load, store and prefetch. */

const cm_block_shape *cm_block_shape_row(cm_block_op op, int elem, int width, uint32_t count)
{
    static const cm_block_shape rows[] = {
        {CM_BLOCK_LOAD, 1, 32, 63, 1 | 2},          {CM_BLOCK_LOAD, 1, 16, 8 | 16 | 32, 4},
        {CM_BLOCK_LOAD, 2, 16, 63, 1 | 2},          {CM_BLOCK_LOAD, 4, 8, 63, 1 | 2},
        {CM_BLOCK_LOAD, 4, 16, 63, 1},              {CM_BLOCK_TRANSFORM, 1, 16, 32, 1 | 2 | 4},
        {CM_BLOCK_TRANSFORM, 2, 16, 16 | 32, 1 | 2}, {CM_BLOCK_TRANSPOSE, 4, 8, 16 | 32, 1},
        {CM_BLOCK_STORE, 1, 16, 15, 1},             {CM_BLOCK_STORE, 1, 32, 15, 1},
        {CM_BLOCK_STORE, 2, 16, 15, 1},             {CM_BLOCK_STORE, 4, 16, 15, 1},
        {CM_BLOCK_PREFETCH, 1, 32, 63, 1 | 2},      {CM_BLOCK_PREFETCH, 1, 16, 32, 1 | 2},
        {CM_BLOCK_PREFETCH, 1, 16, 8 | 16 | 32, 4}, {CM_BLOCK_PREFETCH, 2, 16, 63, 1 | 2},
        {CM_BLOCK_PREFETCH, 4, 8, 63, 1 | 2},       {CM_BLOCK_PREFETCH, 4, 16, 63, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].op == op && rows[i].elem == elem && rows[i].width == width && (rows[i].counts & count))
            return &rows[i];
    return NULL;
}

/* The largest legal block count that is at most `blocks`; 0 if there is none. */
XE_FN_ int cm_block_count_(cm_block_op op, int elem, int width, int blocks)
{
    for (int n = 4; n > 0; n /= 2)
        if (n <= blocks && cm_block_shape_row(op, elem, width, (uint32_t)n)) return n;
    return 0;
}

/* The height to use for `rest` rows: the largest legal one that fits, else the smallest (which reads too much). */
XE_FN_ int cm_block_height_(const cm_block_shape *shape, int rest)
{
    uint32_t h = 32;
    while (h > 1 && (!(shape->heights & h) || h > (uint32_t)rest)) h /= 2;
    while (!(shape->heights & h)) h *= 2;
    return (int)h;
}

/* The maximum of a row, in bytes, of the pitch and of the number of rows; rows are read in dwords. */
enum { CM_BLOCK_LIMIT_ = 1 << 24, CM_BLOCK_DWORD_ = 4 };

/* The divisor of the pitch. 8-bit elements by columns are read as rows of twice the pitch: cm_every_second_row_ */
XE_FN_ int cm_block_pitch_(const cm_ctx *c, bool pairs)
{
    int pitch = c->target.block2d.pitch;
    return pairs && pitch < CM_BLOCK_DWORD_ ? CM_BLOCK_DWORD_ : pitch;
}

/* Is the base address known to be aligned? */
XE_FN_ bool cm_base_fits_(const cm_ctx *c, const cm_surface_ *s)
{
    uint32_t base = (uint32_t)c->target.block2d.base;
    return base == 1 || (s->align > 0 && s->align % base == 0);
}

/* A bool: is a number a multiple of a power of two? */
XE_FN_ spe_id cm_is_multiple_(cm_ctx *c, spe_id v, int n)
{
    if (n == 1) return spe_const_bool(c->module, true);
    spe_id zero = cm_i32_(c, 0);
    return spe_ieq(c->module, cm_mod_(c, v, n), zero);
}

/* The surface in bytes: width, rows of memory, pitch. Its width is the direction with stride 1; an unchecked direction
 * gets the largest possible extent. */
XE_FN_ bool cm_block_surface_(cm_ctx *c, int bytes, const cm_surface_ *s, spe_block2d *b, bool *transposed)
{
    bool across = cm_is_constant_(c, s->right, 1), along = cm_is_constant_(c, s->down, 1);
    memset(b, 0, sizeof *b);
    if (!across && !along) return false;
    *transposed = !along;
    spe_id width = along ? s->rows : s->cols, height = along ? s->cols : s->rows;
    b->elem_bytes = (uint32_t)bytes;
    b->ptr = s->ptr;
    b->pitch = cm_times_(c, along ? s->right : s->down, bytes);
    b->mem_width = width ? cm_times_(c, width, bytes) : b->pitch;
    b->mem_height = height ? height : cm_i32_(c, CM_BLOCK_LIMIT_);
    b->pos_x = along ? s->row : s->col;
    b->pos_y = along ? s->col : s->row;
    return true;
}

spe_id cm_block2d_test(cm_ctx *c, cm_type type, const cm_mem *mem)
{
    spe_module *m = c->module;
    cm_surface_ s;
    spe_block2d b;
    bool transposed;
    if (!cm_surface_init_(c, &s, type, mem, CM_WHOLE_)) return 0;
    int size = cm_type_info(type)->bytes;
    if (s.storage != SPE_StorageClassCrossWorkgroup || size > 4 || !cm_block_surface_(c, size, &s, &b, &transposed))
        return spe_const_bool(m, false);
    const cm_block2d_rules *rules = &c->target.block2d;
    bool pairs = transposed && size == 1, fits = cm_base_fits_(c, &s);
    spe_id bytes = cm_times_(c, b.pos_x, size), elements = transposed ? s.cols : s.rows;
    spe_id base = fits ? 0 : spe_ptr_to_u(m, spe_int(m, 64), s.ptr);
    if (base) base = spe_uconvert(m, spe_int(m, 32), base);
    spe_id ok = cm_is_multiple_(c, b.pitch, cm_block_pitch_(c, pairs));
    ok = spe_land(m, ok, spe_uge(m, b.pitch, b.mem_width));
    ok = spe_land(m, ok, spe_uge(m, b.mem_width, cm_i32_(c, rules->row_least)));
    spe_id limit = cm_i32_(c, CM_BLOCK_LIMIT_);
    ok = spe_land(m, ok, spe_ule(m, b.pitch, limit));
    ok = spe_land(m, ok, spe_ule(m, transposed ? s.down : s.right, limit)); /* in elements, as bytes may wrap */
    if (elements) ok = spe_land(m, ok, spe_ule(m, elements, limit));
    if (rules->row == CM_BLOCK_DWORD_) bytes = spe_or(m, b.mem_width, bytes);
    else ok = spe_land(m, ok, cm_is_multiple_(c, b.mem_width, rules->row));
    ok = spe_land(m, ok, cm_is_multiple_(c, bytes, CM_BLOCK_DWORD_));
    ok = spe_land(m, ok, spe_ult(m, cm_plus_(c, b.mem_height, -1), limit));
    if (pairs) {
        ok = spe_land(m, ok, spe_ule(m, b.pitch, cm_i32_(c, CM_BLOCK_LIMIT_ / 2)));
        ok = spe_land(m, ok, spe_sge(m, b.pos_x, cm_i32_(c, 0)));
    }
    return fits ? ok : spe_land(m, ok, cm_is_multiple_(c, base, rules->base));
}

/* CM_BLOCK2D_AUTO: do constants prove everything that cm_block2d_test tests, and that unchecked rows of `across`
 * elements do not overlap? */
XE_FN_ bool cm_block2d_proven_(cm_ctx *c, int bytes, const cm_surface_ *s, const spe_block2d *b, bool transposed,
                               int across)
{
    int64_t pitch, width, height, x;
    const cm_block2d_rules *rules = &c->target.block2d;
    bool pairs = bytes == 1 && transposed;
    if (!cm_base_fits_(c, s) || !cm_constant_(c, b->pitch, &pitch) || !cm_constant_(c, b->mem_width, &width) ||
        !cm_constant_(c, b->mem_height, &height) || !cm_constant_(c, b->pos_x, &x))
        return false;
    if (!(transposed ? s->cols : s->rows) && (x + across) * bytes > pitch) return false;
    return pitch % cm_block_pitch_(c, pairs) == 0 && width >= rules->row_least && width % rules->row == 0 &&
           pitch >= width && pitch <= (pairs ? CM_BLOCK_LIMIT_ / 2 : CM_BLOCK_LIMIT_) && height > 0 &&
           height <= CM_BLOCK_LIMIT_ && x * bytes % CM_BLOCK_DWORD_ == 0 && (!pairs || x >= 0);
}

/* Should this access of rows x cols elements use block messages? If so, computes the surface. */
XE_FN_ bool cm_block2d_wanted_(cm_ctx *c, cm_type type, const cm_surface_ *s, int rows, int cols, spe_block2d *b,
                               bool *transposed)
{
    bool promised = s->block2d == CM_BLOCK2D_YES;
    int bytes = cm_type_info(type)->bytes;
    if (s->block2d == CM_BLOCK2D_NO || !(c->target.block2d_sizes & (uint32_t)c->target.subgroup_size)) return false;
    if (s->storage != SPE_StorageClassCrossWorkgroup)
        return promised && CM_FAIL_(c, BLOCK2D, "CM_BLOCK2D_YES: 2D block messages need global memory");
    if (!cm_block_surface_(c, bytes, s, b, transposed))
        return promised && CM_FAIL_(c, BLOCK2D, "CM_BLOCK2D_YES: neither stride is the constant 1");
    return promised || cm_block2d_proven_(c, bytes, s, b, *transposed, *transposed ? cols : rows);
}

/* ---- load, store, prefetch --------------------------------------------------------------------------------------- */

/* How a layout is covered: the message, elements across (a block of rows, or with TRANSPOSE of dwords), how far a word
 * advances in y, the legal shape. share: with TRANSPOSE, how many of a lane's words share a dword of memory. */
typedef struct {
    cm_block_op op;
    int elem, width, count, step, share;
    const cm_block_shape *shape;
} cm_block_plan_;

/* Do lanes hold the elements of several columns in turn? Transposing messages have whole rows of lanes, so cm_load then
 * loads another layout. */
XE_FN_ bool cm_has_pairs_(const cm_layout *l) { return l->size_k > 1 && l->size_i < l->lanes; }

/* Are lanes adjacent in rows of memory? That is, full rows of lanes, and the rows of a word adjacent. */
XE_FN_ bool cm_rows_of_lanes_(const cm_layout *l)
{
    return l->size_i == l->lanes && (l->size_k1 == 1 || l->interleaved);
}

/* Rows of 16 or 32 bytes have no message of their own, but the one that packs four rows to a lane's dword leaves a
 * lane's bytes in the order of rows. Only dwords can be transposed: of narrower elements, a dword brings several
 * columns, which the lane separates. If a lane holds two rows of 8-bit elements, each is a message of every second row
 * of memory. */
XE_FN_ bool cm_block_plan_load_(const cm_layout *l, bool transposed, cm_block_plan_ *p)
{
    int bytes = cm_type_info(l->type)->bytes, across = l->lanes / l->size_i;
    bool pairs = cm_has_pairs_(l) && !transposed;
    memset(p, 0, sizeof *p);
    if (!pairs && !cm_rows_of_lanes_(l)) return false;
    if (transposed && l->size_k1 > 1 && (l->size_k1 != 2 || bytes != 1)) return false;
    p->op = transposed ? CM_BLOCK_TRANSPOSE : l->packed ? CM_BLOCK_TRANSFORM : CM_BLOCK_LOAD;
    p->share = transposed && !l->packed && bytes < 4 ? 4 / bytes : 1;
    p->elem = !transposed ? bytes : p->share > 1 ? 4 : cm_word_bits_(l) / 8;
    p->width = transposed ? 8 : l->size_i * l->size_k1;
    p->step = l->omega * across;
    p->count = cm_block_count_(p->op, p->elem, p->width, l->size_k2);
    if (p->op == CM_BLOCK_LOAD && bytes == 1 && (p->count == 0 || l->size_k2 % p->count != 0)) {
        p->op = CM_BLOCK_TRANSFORM;
        p->count = cm_block_count_(p->op, p->elem, p->width, l->size_k2);
    }
    if (p->count == 0 || l->size_k2 % p->count != 0) return false;
    p->shape = cm_block_shape_row(p->op, p->elem, p->width, (uint32_t)p->count);
    return true;
}

XE_FN_ bool cm_block_stores_(const cm_layout *l)
{
    int width = l->size_i * l->size_k1;
    return !l->packed && cm_rows_of_lanes_(l) &&
           cm_block_shape_row(CM_BLOCK_STORE, cm_type_info(l->type)->bytes, width, 1);
}

bool cm_block2d_covers(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, bool by_columns, bool store)
{
    cm_block_plan_ plan;
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    if (store) return !by_columns && cm_block_stores_(&l);
    if (by_columns && cm_has_pairs_(&l)) l = cm_layout_for(c, rows, cols, type, CM_ACC);
    return cm_block_plan_load_(&l, by_columns, &plan);
}

/* `count` blocks of width x height elements of `elem` bytes, this far right and down from the surface's position. */
XE_FN_ spe_block2d cm_blocks_(cm_ctx *c, const spe_block2d *surface, int elem, int width, int height, int count,
                              int right, int down)
{
    spe_block2d b = *surface;
    b.elem_bytes = (uint32_t)elem;
    b.width = (uint32_t)width;
    b.height = (uint32_t)height;
    b.count = (uint32_t)count;
    b.pos_x = cm_plus_(c, b.pos_x, right);
    b.pos_y = cm_plus_(c, b.pos_y, down);
    return b;
}

/* A variable for this many words of a layout, which a message fills or stores; returns a pointer to the first. */
XE_FN_ spe_id cm_block_words_var_(cm_ctx *c, const cm_layout *l, int words, spe_id *variable)
{
    spe_id zero = cm_i32_(c, 0);
    *variable =
        spe_local_var(c->module, spe_array(c->module, spe_int(c->module, (uint32_t)cm_word_bits_(l)), (uint32_t)words));
    return spe_element(c->module, *variable, 1, &zero);
}

/* Gives a message that loads a header of its own: its surface differs, for the compiler, from those of others. */
XE_FN_ void cm_separate_header_(cm_ctx *c, spe_block2d *b)
{
    spe_id *of = spe_is_const(c->module, b->pitch) ? &b->mem_height : &b->pitch;
    if (!c->separate_headers || c->target.block2d.offsets) return;
    if (c->separate_headers++ > 1) spe_differ(c->module, c->headers++, 1, of);
}

/* Loads blocks k2 .. k2 + count of the matrix by one message, words first .. of each. Returns the words loaded. */
XE_FN_ int cm_block_message_(cm_ctx *c, cm_matrix *a, const cm_block_plan_ *p, const spe_block2d *surface, int k2,
                             int first)
{
    const cm_layout *l = &a->layout;
    spe_module *m = c->module;
    bool transpose = p->op == CM_BLOCK_TRANSPOSE;
    int height = transpose ? l->lanes : cm_block_height_(p->shape, (cm_block_words_(l) - first) * p->step);
    int words = transpose ? p->width : height / p->step, across = k2 * l->size_i * l->size_k1;
    int runs = spe_part_count(cm_block_words_(l));
    spe_block2d b = *surface;
    spe_id variable;
    if (transpose) b.pos_x = cm_shr_signed_(c, b.pos_x, l->omega);
    b = cm_blocks_(c, &b, p->elem, p->width, height, p->count, transpose ? first : across,
                   transpose ? k2 * l->size_i : first * p->step);
    cm_separate_header_(c, &b);
    spe_id ptr = cm_block_words_var_(c, l, words * p->count, &variable);
    if (transpose) spe_block2d_load_transpose(m, &b, ptr);
    else if (p->op == CM_BLOCK_TRANSFORM) spe_block2d_load_transform(m, &b, ptr);
    else spe_block2d_load(m, &b, ptr);
    for (int part = k2 * runs; part < (k2 + p->count) * runs; part++) {
        cm_span_ s = cm_span_of_(l, part);
        if (s.first < first || s.first >= first + words) continue;
        spe_id index = cm_i32_(c, (s.block - k2) * words + s.first - first);
        spe_id at = spe_element(m, variable, 1, &index);
        a->part[part] = spe_load(m, spe_ptr_cast(m, at, cm_part_type(c, l, part)), (uint32_t)cm_word_bits_(l) / 8);
    }
    return words;
}

/* The surface of rows y, y + 2, y + 4, ...: two rows of memory become one of twice the pitch, whose second half is the
 * odd row. x counts dwords and is not negative. */
XE_FN_ void cm_every_second_row_(cm_ctx *c, spe_block2d *b)
{
    spe_module *m = c->module;
    spe_id odd = cm_mod_(c, b->pos_y, 2), half = spe_imul(m, odd, b->pitch);
    spe_id one = cm_i32_(c, 1), rows = spe_shr(m, spe_isub(m, cm_plus_(c, b->mem_height, 1), odd), one);
    spe_id none = spe_ieq(m, rows, cm_i32_(c, 0));
    b->mem_width = spe_iadd(m, b->mem_width, half);
    b->pos_x = spe_iadd(m, b->pos_x, cm_shr_(c, half, 4));
    b->pos_y = cm_shr_signed_(c, b->pos_y, 2);
    b->pos_y = spe_select(m, none, cm_i32_(c, CM_BLOCK_LIMIT_ / 2), b->pos_y);
    b->mem_height = spe_select(m, none, cm_i32_(c, 1), rows);
    b->pitch = cm_times_(c, b->pitch, 2);
}

/* Splits the message's dwords (eight of a lane's row, or of each of its two rows of bytes) into two vectors of 16
 * words: 16-bit elements, bytes, or bytes of both rows. Masks make Intel's compiler emit the fewest instructions. */
XE_FN_ void cm_dwords_to_words_(cm_ctx *c, const cm_layout *l, int share, spe_id got[2])
{
    spe_module *m = c->module;
    spe_id word = cm_vec_(c, spe_int(m, l->size_k1 == 2 ? 16 : (uint32_t)(32 / share)), 16), all = got[0];
    if (l->size_k1 == 2) {
        spe_id type = spe_type_of(m, all), low = spe_const_u(m, type, 0x00ff00ff),
               high = spe_const_u(m, type, 0xff00ff00), eight = spe_const_u(m, type, 8);
        spe_id up = spe_and(m, spe_shl(m, got[1], eight), high), even = spe_or(m, spe_and(m, all, low), up);
        spe_id stay = spe_and(m, got[1], high), odd = spe_or(m, spe_and(m, spe_shr(m, all, eight), low), stay);
        got[0] = spe_bitcast(m, word, even);
        got[1] = spe_bitcast(m, word, odd);
    } else if (share == 2) {
        got[0] = got[1] = spe_bitcast(m, word, all);
    } else {
        got[0] = spe_bitcast(m, word, cm_slice_(c, all, 0, 4));
        got[1] = spe_bitcast(m, word, cm_slice_(c, all, 4, 4));
    }
}

/* Words first .. first + n of these vectors, as a part. */
XE_FN_ spe_id cm_dwords_part_(cm_ctx *c, const cm_layout *l, const spe_id words[2], int first, int n, spe_id type)
{
    uint32_t index[8];
    for (int i = 0; i < n; i++) {
        int w = first + i;
        index[i] = (uint32_t)(l->size_k1 == 2 ? w / 4 * 2 + w % 4 / 2 + w % 2 * 16 : w);
    }
    return cm_bitcast(c, type, spe_shuffle(c->module, words[0], words[1], (uint32_t)n, index));
}

/* cm_block_message_ for TRANSPOSE of elements narrower than a dword. */
XE_FN_ int cm_block_dwords_(cm_ctx *c, cm_matrix *a, const cm_block_plan_ *p, const spe_block2d *surface, int k2,
                            int first)
{
    const cm_layout *l = &a->layout;
    int runs = spe_part_count(cm_block_words_(l)), words = p->width * p->share;
    spe_id dwords = cm_vec_(c, spe_int(c->module, 32), p->width), got[2];
    for (int i = 0; i < l->size_k1; i++) {
        spe_id variable = spe_local_var(c->module, dwords);
        spe_block2d b = *surface;
        b.pos_x = cm_shr_signed_(c, b.pos_x, p->share);
        b = cm_blocks_(c, &b, 4, p->width, l->lanes, 1, first / p->share, k2 * l->size_i * l->size_k1 + i);
        if (l->size_k1 > 1) cm_every_second_row_(c, &b);
        cm_separate_header_(c, &b);
        spe_block2d_load_transpose(c->module, &b, variable);
        got[i] = spe_load(c->module, variable, 0);
    }
    cm_dwords_to_words_(c, l, p->share, got);
    for (int part = k2 * runs; part < (k2 + 1) * runs; part++) {
        cm_span_ s = cm_span_of_(l, part);
        if (s.first >= first && s.first < first + words)
            a->part[part] = cm_dwords_part_(c, l, got, s.first - first, s.words, cm_part_type(c, l, part));
    }
    return words;
}

/* Stores one message per part. */
XE_FN_ bool cm_store_block2d_(cm_ctx *c, const cm_surface_ *s, const cm_matrix *a)
{
    const cm_layout *l = &a->layout;
    int bytes = cm_type_info(l->type)->bytes, width = l->size_i * l->size_k1;
    spe_block2d b;
    bool transposed;
    if (!cm_block_stores_(l)) return false;
    if (!cm_block2d_wanted_(c, l->type, s, l->rows, l->cols, &b, &transposed) || transposed) return false;
    spe_reconverge(c->module);
    for (int part = 0; part < a->parts; part++) {
        cm_span_ at = cm_span_of_(l, part);
        spe_block2d one = cm_blocks_(c, &b, bytes, width, at.words, 1, at.block * width, at.first);
        spe_id variable, ptr = cm_block_words_var_(c, l, at.words, &variable);
        spe_id to = spe_ptr_cast(c->module, ptr, cm_part_type(c, l, part));
        spe_store(c->module, to, a->part[part], (uint32_t)cm_word_bits_(l) / 8);
        spe_block2d_store(c->module, &one, ptr);
    }
    return true;
}

/* Method: load or store by 2D block messages. False, with nothing emitted, if they cannot. */
XE_FN_ bool cm_move_block2d_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store)
{
    cm_block_plan_ plan;
    spe_block2d b;
    bool transposed;
    if (store) return cm_store_block2d_(c, s, a);
    const cm_layout *l = &a->layout;
    if (!cm_block2d_wanted_(c, l->type, s, l->rows, l->cols, &b, &transposed) ||
        !cm_block_plan_load_(l, transposed, &plan))
        return false;
    spe_reconverge(c->module);
    a->in_words = c->target.igc && cm_type_info(l->type)->bytes == 1 && cm_block_words_(l) * cm_word_bits_(l) % 32 == 0;
    for (int k2 = 0; k2 < l->size_k2; k2 += plan.count)
        for (int first = 0; first < cm_block_words_(l);)
            first += plan.share > 1 ? cm_block_dwords_(c, a, &plan, &b, k2, first)
                                    : cm_block_message_(c, a, &plan, &b, k2, first);
    if (!s->zero_padding) cm_pad_outside_(c, s, a);
    return true;
}

bool cm_prefetch_block(cm_ctx *c, cm_type type, int across, int down, const spe_block2d *surface)
{
    int elem = cm_type_info(type)->bytes, width = elem == 1 && across >= 32 ? 32 : 16;
    if (c->lowering != CM_INTEL) return true;
    for (int x = 0, count; x < across; x += width * count) {
        count = cm_block_count_(CM_BLOCK_PREFETCH, elem, width, (across - x + width - 1) / width);
        if (count == 0) return false;
        const cm_block_shape *shape = cm_block_shape_row(CM_BLOCK_PREFETCH, elem, width, (uint32_t)count);
        for (int y = 0, height; y < down; y += height) {
            height = cm_block_height_(shape, down - y);
            spe_block2d b = cm_blocks_(c, surface, (int)surface->elem_bytes, width, height, count, x, y);
            spe_block2d_prefetch(c->module, &b);
        }
    }
    return true;
}

/* spirv-val allows one decoration per id, so only the first level is set; the others default to caching. */
spe_id cm_cached_pointer(cm_ctx *c, spe_id ptr, int level)
{
    static const uint32_t controls[] = {SPE_LoadCacheControlCachedINTEL, SPE_LoadCacheControlUncachedINTEL,
                                        SPE_LoadCacheControlStreamingINTEL};
    spe_id copy = spe_copy(c->module, ptr);
    spe_cache_load(c->module, copy, 0, controls[level - 1]);
    return copy;
}

void cm_prefetch(cm_ctx *c, int rows, int cols, cm_type type, const cm_mem *from, int level)
{
    cm_surface_ s;
    spe_block2d b;
    bool transposed;
    if (!spe_ok(c->module) || !cm_surface_init_(c, &s, type, from, CM_WHOLE_)) return;
    if (rows < 1 || cols < 1 || level < 0 || level > 3)
        CM_FAIL_(c, SHAPE, "cm_prefetch: %d x %d, level %d: at least 1 x 1, level 0 to 3", rows, cols, level);
    if (!spe_ok(c->module) || c->lowering != CM_INTEL) return;
    if (!cm_block2d_wanted_(c, type, &s, rows, cols, &b, &transposed)) return;
    if (level) b.ptr = cm_cached_pointer(c, b.ptr, level);
    cm_prefetch_block(c, type, transposed ? cols : rows, transposed ? rows : cols, &b);
}

/* local.c - local memory in large pieces. */
/* If nothing is checked and the alignment of element (0, 0) is known (cm_mem.align), local memory is accessed in large
 * pieces: by block messages if the lanes' elements are adjacent (rows contiguous), or a lane's words as vectors if
 * columns are contiguous. */
typedef struct {
    const cm_layout *l;
    spe_id ptr;
    bool across;       /* lanes are adjacent: block messages; else a lane's words are */
    int stride, align; /* in elements, of the other dimension; in bytes, of the matrix's address */
    int next;          /* from a block of lanes to the next, in elements */
} cm_pieces_;

XE_FN_ int cm_divides_(int align, int64_t bytes)
{
    while (align > 1 && bytes % align) align /= 2;
    return align;
}

/* Is this possible for an access? Each piece must be aligned to 16 bytes (block messages) or to a word. */
XE_FN_ bool cm_pieces_init_(cm_ctx *c, cm_pieces_ *p, const cm_layout *l, const cm_surface_ *s)
{
    enum { BLOCK_ALIGN = 16, STRIDE_MAX = 1 << 20 };
    int bytes = cm_type_info(l->type)->bytes;
    int64_t down, right;
    if (s->storage != SPE_StorageClassWorkgroup || s->align < 4 || s->rows || s->cols || l->size_i != l->lanes ||
        l->size_k1 != 1 || !cm_is_constant_(c, s->row, 0) || !cm_is_constant_(c, s->col, 0) ||
        !cm_constant_(c, s->down, &down) || !cm_constant_(c, s->right, &right) || down < 1 || right < 1 ||
        down > STRIDE_MAX || right > STRIDE_MAX)
        return false;
    p->l = l;
    p->ptr = s->ptr;
    p->across = down == 1 && !l->packed && (bytes == 2 || bytes == 4) && c->lowering == CM_INTEL;
    if (!p->across && (right != 1 || s->band)) return false;
    p->stride = (int)(p->across ? right : down);
    p->next = s->band ? (int)s->band : p->across ? l->size_i : l->size_i * p->stride;
    p->align = cm_divides_((int)s->align, (int64_t)p->stride * bytes);
    if (l->size_k2 > 1) p->align = cm_divides_(p->align, (int64_t)p->next * bytes);
    return p->align >= (p->across ? BLOCK_ALIGN : cm_word_bits_(l) / 8);
}

/* Accesses the words of a span in one piece: loads if v is 0, else stores v. */
XE_FN_ spe_id cm_move_piece_(cm_ctx *c, const cm_pieces_ *p, cm_span_ at, spe_id v)
{
    const cm_layout *l = p->l;
    spe_module *m = c->module;
    spe_id word = p->across ? spe_int(m, (uint32_t)cm_word_bits_(l)) : cm_word_type_(c, l); /* messages take integers */
    spe_id type = cm_vec_(c, word, at.words), part = cm_vec_(c, cm_word_type_(c, l), at.words);
    if (p->across) {
        spe_id first = cm_i32_(c, at.block * p->next + at.first * p->stride);
        uint32_t operand[2] = {spe_ptr_cast(m, spe_index(m, p->ptr, first), word), 0};
        if (!v) return spe_bitcast(m, part, spe_op(m, SPE_OpSubgroupBlockReadINTEL, type, 1, operand));
        operand[1] = spe_bitcast(m, type, v);
        spe_op_void(m, SPE_OpSubgroupBlockWriteINTEL, 2, operand);
        return v;
    }
    uint32_t align = (uint32_t)cm_divides_(p->align, (int64_t)at.first * cm_word_bits_(l) / 8);
    spe_id first = cm_i32_(c, at.block * p->next + at.first * cm_channels_(l));
    first = spe_iadd(m, cm_times_(c, cm_lane_(c, l).row, p->stride), first);
    spe_id ptr = spe_ptr_cast(m, spe_index(m, p->ptr, first), type);
    if (!v) return spe_load(m, ptr, align);
    spe_store(m, ptr, v, align);
    return v;
}

/* Method: load or store in pieces, of a part if its words are contiguous, else of a word. False if impossible. */
XE_FN_ bool cm_move_pieces_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store)
{
    cm_pieces_ p;
    if (!cm_pieces_init_(c, &p, &a->layout, s)) return false;
    bool whole = !p.across || p.stride == a->layout.size_i, wide = whole && p.across && cm_word_bits_(p.l) == 16;
    for (int part = 0, parts = 1; part < a->parts; part += parts) {
        cm_span_ at = cm_span_of_(&a->layout, part);
        spe_id one[8], type = cm_word_type_(c, &a->layout), v;
        /* two parts that follow one another, if a message moves both */
        parts = wide && at.words == 8 && cm_span_of_(&a->layout, part + 1).first == at.first + 8 ? 2 : 1;
        v = store ? cm_join_(c, type, &a->part[part], parts, 8) : 0;
        for (int i = 0; i < (whole ? 1 : at.words); i++) {
            cm_span_ piece = {at.block, at.first + i, whole ? at.words * parts : 1};
            one[i] = cm_move_piece_(c, &p, piece, v && !whole ? cm_slice_(c, v, i, 1) : v);
        }
        if (!store && !whole) one[0] = cm_join_(c, type, one, at.words, 1);
        for (int i = 0; i < parts && !store; i++)
            a->part[part + i] = parts > 1 ? cm_slice_(c, one[0], i * 8, 8) : one[0];
    }
    return true;
}

/* lines.c - lines of a matrix by block messages of one dimension, for devices that have no other: a message for each
 * line of elements that lie side by side, instead of an address for each lane. */

/* Is this access made so: are the lanes side by side in memory, each with one element of a line in each block, or with
 * 32 bits of neighbours; is nothing checked, as a test for each load would double the code of loops; and are lines
 * known to begin at multiples of 4 bytes, those that are stored, and each block of theirs, of 16? Intel's compiler
 * refuses such loads in subgroups of 32. */
XE_FN_ bool cm_has_lines_(cm_ctx *c, const cm_surface_ *s, const cm_layout *l, bool store)
{
    int bytes = cm_type_info(l->type)->bytes;
    if (store && (s->align < 16 || l->lanes * l->size_k1 * bytes % 16 != 0)) return false;
    return c->target.block1d && l->lanes <= 16 && s->storage == SPE_StorageClassCrossWorkgroup && !s->rows &&
           !s->cols && bytes <= 4 && (bytes == 4 || s->align >= 4) && l->size_i == l->lanes &&
           !cm_is_complex(l->type) && (l->size_k1 == 1 || (l->interleaved && l->size_k1 * bytes == 4)) &&
           cm_is_constant_(c, s->down, 1);
}

/* Loads the words of a line in all blocks of lanes, to their places among those of all lines, or stores these. */
XE_FN_ void cm_move_line_(cm_ctx *c, const cm_layout *l, spe_id line, int column, spe_id *words, bool store)
{
    spe_module *m = c->module;
    int side = l->size_k1, blocks = l->size_k2, lines = l->size_v / (blocks * side);
    spe_id word = spe_int(m, (uint32_t)(cm_type_info(l->type)->storage_bits * side));
    for (int block = 0, n; block < blocks; block += n) {
        for (n = 8; n > blocks - block;) n /= 2;
        spe_id at = spe_ptr_cast(m, spe_index(m, line, spe_u64(m, (uint64_t)(block * l->lanes * side))), word);
        uint32_t operand[2] = {at, 0};
        if (store) {
            spe_id piece[8];
            for (int i = 0; i < n; i++) piece[i] = spe_bitcast(m, word, words[(block + i) * lines + column]);
            operand[1] = cm_join_(c, word, piece, n, 1);
            spe_op_void(m, SPE_OpSubgroupBlockWriteINTEL, 2, operand);
            continue;
        }
        spe_id read = spe_op(m, SPE_OpSubgroupBlockReadINTEL, cm_vec_(c, word, n), 1, operand);
        for (int i = 0; i < n; i++)
            words[(block + i) * lines + column] = n == 1 ? read : spe_extract(m, read, (uint32_t)i);
    }
}

/* What is stored, in the order of what is loaded: words of neighbours, or components. */
XE_FN_ spe_id *cm_lines_of_(cm_ctx *c, const cm_matrix *a)
{
    return a->layout.size_k1 > 1 ? cm_words_of_(c, a) : cm_component_ids(c, a, a->layout.type);
}

/* A matrix of lines: where a lane has neighbours of a line in a word, the words are those that were read. */
XE_FN_ cm_matrix cm_from_lines_(cm_ctx *c, const cm_layout *l, spe_id *read)
{
    if (l->size_k1 > 1) return cm_from_words_(c, l, read);
    spe_id elem = cm_storage_type(c, l->type);
    for (int v = 0; v < l->size_v; v++) read[v] = spe_bitcast(c->module, elem, read[v]);
    return cm_from_components(c, l, read);
}

/* Method: a message for each line. */
XE_FN_ bool cm_move_lines_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store)
{
    const cm_layout *l = &a->layout;
    spe_module *m = c->module;
    if (!cm_has_lines_(c, s, l, store)) return false;
    int lines = l->size_v / (l->size_k2 * l->size_k1);
    spe_id along = cm_distance_(c, s->col, s->right);
    spe_id start = spe_iadd(m, along, cm_distance_(c, s->row, cm_i32_(c, 1)));
    spe_id first = spe_index(m, s->ptr, start), *words = store ? cm_lines_of_(c, a) : cm_ids_(c, l->size_v);
    for (int column = 0; words && column < lines; column++) {
        spe_id line = spe_index(m, first, cm_distance_(c, s->right, cm_i32_(c, column)));
        cm_move_line_(c, l, line, column, words, store);
    }
    if (store) return true;
    cm_matrix whole = words ? cm_from_lines_(c, l, words) : cm_poison();
    if (whole.parts) memcpy(a->part, whole.part, (size_t)whole.parts * sizeof *a->part);
    return true;
}

/* moves.c - loads and stores: KHR matrices, and the method of each lowering. */

/* Method of CM_KHR: an instruction per part. KHR matrices are transposed: contiguous rows are row-major. */
XE_FN_ bool cm_move_khr_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store)
{
    const cm_layout *l = &a->layout;
    bool along = cm_is_constant_(c, s->down, 1), across = cm_is_constant_(c, s->right, 1);
    uint32_t layout = along ? SPE_CooperativeMatrixLayoutRowMajorKHR : SPE_CooperativeMatrixLayoutColumnMajorKHR;
    if (s->rows || s->cols || !(along || across) || l->size_i != l->lanes ||
        (l->use == CM_A && l->omega * cm_type_info(l->type)->bytes < 4))
        return !CM_FAIL_(c, LOWERING, "CM_KHR loads and stores matrices of at least S rows (CM_A: columns in multiples "
                                      "of 32 bits), unchecked, with a stride that is the constant 1");
    for (int part = 0; part < a->parts; part++) {
        cm_span_ at = cm_span_of_(l, part);
        spe_id row = cm_distance_(c, cm_plus_(c, s->row, at.block * l->size_i * l->size_k1), s->down);
        spe_id col = cm_distance_(c, cm_plus_(c, s->col, at.first * l->omega), s->right);
        spe_id ptr = spe_index(c->module, s->ptr, spe_iadd(c->module, row, col)), stride = along ? s->right : s->down;
        if (store) spe_coop_store(c->module, ptr, a->part[part], layout, stride);
        else a->part[part] = spe_coop_load(c->module, cm_part_type(c, l, part), ptr, layout, stride);
    }
    return true;
}

/* Method of CM_PLAIN: block messages of lines, or each lane its own elements. */
XE_FN_ bool cm_move_plain_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store)
{
    return cm_move_lines_(c, s, a, store) || cm_move_lanes_(c, s, a, store);
}

/* Loads or stores each half of the matrix by the first method that can. */
XE_FN_ void cm_move_(cm_ctx *c, cm_matrix *a, const cm_mem *mem, bool store)
{
    static bool (*const first[])(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store) = {
        cm_move_plain_, cm_move_plain_, cm_move_block2d_, cm_move_khr_}; /* by cm_lowering */
    for (int i = 0; i < cm_halves_(a->layout.type); i++) {
        cm_matrix half = cm_half_(a, i);
        cm_surface_ s;
        if (!cm_surface_init_(c, &s, a->layout.type, mem, i)) return;
        bool moved = first[c->lowering](c, &s, &half, store) || cm_move_pieces_(c, &s, &half, store);
        a->in_words = half.in_words;
        if (moved) continue;
        if (s.band) CM_FAIL_(c, POSITION, "cm_mem.band: memory that is not accessed in large pieces");
        cm_move_lanes_(c, &s, &half, store);
    }
}

cm_matrix cm_load(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, const cm_mem *from)
{
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    cm_matrix a = cm_new_(c, &l);
    bool pairs = cm_has_pairs_(&l), bands = from->band && (pairs || l.packed || l.size_k1 > 1);
    cm_surface_ s;
    if (a.parts && cm_is_opaque_(&l)) return cm_is_poison_(c, &a), cm_poison();
    if (bands || (pairs && cm_surface_init_(c, &s, type, from, 0) && !cm_is_constant_(c, s.down, 1))) {
        /* bands have whole rows of lanes, too */
        a = cm_load(c, rows, cols, type, CM_ACC, from);
        return cm_convert_use(c, &a, use);
    }
    if (a.parts) cm_move_(c, &a, from, false);
    return spe_ok(c->module) ? a : cm_poison();
}

void cm_store(cm_ctx *c, const cm_matrix *a, const cm_mem *to)
{
    cm_matrix from = *a;
    if (!cm_is_poison_(c, a)) cm_move_(c, &from, to, true);
}

#endif

#ifndef CM_LAYOUT_ONLY

/* product.c - products by matrix instruction and by broadcasts; complex and saturating ones. */

/* Columns first .. first + n of our B in block k; a word holds one or two of them. */
XE_FN_ spe_id cm_dpas_operand_(cm_ctx *c, const cm_matrix *b, int k, int first, int n)
{
    const cm_layout *l = &b->layout;
    int across = l->lanes / l->size_i, runs = spe_part_count(cm_block_words_(l));
    first /= across;
    n = (n + across - 1) / across;
    for (int part = k * runs; part < (k + 1) * runs; part++) {
        cm_span_ s = cm_span_of_(l, part);
        if (first == s.first && n == s.words) return b->part[part]; /* always so for CM_KHR */
        if (first >= s.first && first + n <= s.first + s.words) return cm_slice_(c, b->part[part], first - s.first, n);
    }
    return 0;
}

/* The instruction's operand bits: of the operands' types, and of sums in bf16. */
XE_ONCE_
XE_FN_ uint32_t cm_dpas_flags_(const cm_job_ *job)
{
    const uint32_t sums = SPE_MatrixMultiplyAccumulateOperandsMatrixCBFloat16INTEL |
                          SPE_MatrixMultiplyAccumulateOperandsMatrixResultBFloat16INTEL;
    return job->row->dpas | (job->acc.layout.type == CM_BF16 ? sums : 0);
}

/* The instruction for one step of k (`depth` rows of our B, one part of our A) and one run of columns. */
XE_FN_ spe_id cm_dpas_step_(cm_ctx *c, const cm_job_ *job, int k, int run, int block, spe_id acc)
{
    const cm_layout *la = &job->a->layout;
    cm_span_ columns = cm_span_of_(&job->acc.layout, run);
    spe_id a = job->a->part[block * spe_part_count(cm_block_words_(la)) + k];
    spe_id b = cm_dpas_operand_(c, job->b, k, columns.first, columns.words);
    uint32_t flags = cm_dpas_flags_(job), values = (uint32_t)cm_dpas_values_(la->type);
    if (c->lowering != CM_KHR) return spe_dpas(c->module, spe_type_of(c->module, acc), values, b, a, acc, flags);
    flags &= SPE_CooperativeMatrixOperandsMatrixASignedComponentsKHR |
             SPE_CooperativeMatrixOperandsMatrixBSignedComponentsKHR;
    if (job->row->acc == CM_I32)
        flags |= SPE_CooperativeMatrixOperandsMatrixCSignedComponentsKHR |
                 SPE_CooperativeMatrixOperandsMatrixResultSignedComponentsKHR;
    return spe_coop_mma(c->module, b, a, acc, flags);
}

XE_FN_ bool cm_dpas_fits_(const cm_ctx *c, const cm_job_ *job)
{
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout;
    int depth = cm_dpas_depth_(la->type);
    if (!cm_has_dpas(&c->target, job->row) || la->size_i != la->lanes) return false;
    if (la->type == CM_TF32) return la->lanes == 16 && lb->size_i == depth && c->lowering == CM_INTEL;
    return la->packed && lb->rows >= depth && lb->size_k1 * lb->lanes == depth && (lb->size_k1 == 1 || lb->interleaved);
}

/* Can the instruction sum in this type? With 16 lanes, sums may have the type of its 16-bit operands, and those of
 * smaller floats be of bf16. */
XE_FN_ bool cm_dpas_takes_(const cm_ctx *c, const cm_job_ *job, cm_type sum)
{
    bool same = job->a->layout.type == sum && job->b->layout.type == sum && cm_type_info(sum)->bytes == 2;
    if (sum == CM_BF16 && job->row->acc == CM_F32) same = same || cm_type_info(job->a->layout.type)->bytes == 1;
    return (sum == job->row->acc || (same && c->lowering == CM_INTEL && job->a->layout.lanes == 16)) &&
           cm_dpas_fits_(c, job);
}

/* Method: the matrix instruction. Its B operand is a part of our A unchanged (eight 32-bit entries of a lane's row),
 * its A operand a part of our B (up to eight columns), and its accumulators are our parts. K is the outer loop, to keep
 * dependent products far apart. For CM_KHR: the KHR instruction on the same parts, or an error. */
XE_FN_ bool cm_mul_add_dpas_(cm_ctx *c, cm_job_ *job)
{
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout, *ld = &job->acc.layout;
    int runs = spe_part_count(cm_block_words_(ld));
    if (!cm_dpas_takes_(c, job, ld->type))
        return c->lowering == CM_KHR &&
               !CM_FAIL_(c, LOWERING, "CM_KHR: no product of %d x %d %s and %d x %d %s", la->rows, la->cols,
                         cm_name_(la->type), lb->rows, lb->cols, cm_name_(lb->type));
    for (int k = 0; k < lb->rows / cm_dpas_depth_(lb->type); k++)
        for (int block = 0; block < ld->size_k2; block++)
            for (int run = 0; run < runs; run++) {
                spe_id *d = &job->acc.part[block * runs + run];
                *d = cm_dpas_step_(c, job, k, run, block, *d);
            }
    return true;
}

/* Broadcasts element (k, m) of B, given as components. */
XE_FN_ spe_id cm_broadcast_b_(cm_ctx *c, const cm_layout *l, const spe_id *b, int k, int m)
{
    cm_slot s = cm_slot_of(l, k, m);
    return spe_sg_broadcast(c->module, b[cm_number_of_(l, s)], cm_i32_(c, s.lane));
}

/* M >= S: a lane has whole rows of A and D, so one broadcast of B serves all its rows, and eight columns make a vector.
 * The broadcasts for one k and run of columns precede their products. */
XE_FN_ void cm_mul_add_rows_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout, *ld = &job->acc.layout;
    int runs = spe_part_count(cm_block_words_(ld));
    spe_id elem = cm_storage_type(c, ld->type);
    for (int k = 0; k < lb->rows; k++)
        for (int run = 0, first = 0; run < runs; first += cm_part_words(ld, run++)) {
            int words = cm_part_words(ld, run);
            spe_id one[8];
            for (int i = 0; i < words; i++) one[i] = cm_broadcast_b_(c, lb, b, k, first + i);
            spe_id vector = cm_join_(c, elem, one, words, 1);
            for (int block = 0; block < ld->size_k2; block++) {
                spe_id *d = &job->acc.part[block * runs + run];
                spe_id x = cm_copies_(c, a[cm_number_of_(la, cm_slot_of(la, block * la->size_i, k))], words);
                *d = spe_add(c->module, *d, spe_mul(c->module, x, vector));
            }
        }
}

/* The iteration of a loop over k, 0: of none; element k + iteration * step is wanted in the place of k. */
typedef struct {
    spe_id iteration;
    int step;
} cm_iteration_;

/* Element (k, m) of B of an iteration: its lane moves by as many as at the first one. */
XE_FN_ spe_id cm_iterated_b_(cm_ctx *c, const cm_layout *l, const spe_id *b, int k, int m, cm_iteration_ t)
{
    if (!t.iteration) return cm_broadcast_b_(c, l, b, k, m);
    cm_slot s = cm_slot_of(l, k, m);
    spe_id moved = cm_times_(c, t.iteration, cm_slot_of(l, k + t.step, m).lane - s.lane);
    return spe_sg_shuffle(c->module, b[cm_number_of_(l, s)], cm_plus_(c, moved, s.lane));
}

/* Element (k, column of component v of D in this lane) of B: for one component, the lanes have S / I columns. */
XE_FN_ spe_id cm_choose_b_(cm_ctx *c, const cm_job_ *job, const spe_id *b, int k, int v, cm_iteration_ t)
{
    const cm_layout *ld = &job->acc.layout, *lb = &job->b->layout;
    int across = ld->lanes / ld->size_i, first = v * across;
    cm_lane lane = cm_lane_(c, ld);
    spe_id got = 0;
    for (int q = 0; q < across && first + q < lb->cols; q++) {
        spe_id one = cm_iterated_b_(c, lb, b, k, first + q, t);
        got = q == 0 ? one : spe_select(c->module, spe_ieq(c->module, lane.col, cm_i32_(c, q)), one, got);
    }
    return got;
}

/* M < S: lanes with the same row of D are I apart, each with its own column; A's element is shuffled. */
XE_FN_ void cm_mul_add_by_lanes_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    const cm_layout *la = &job->a->layout, *ld = &job->acc.layout;
    const cm_iteration_ none = {0, 0};
    int depth = job->b->layout.rows;
    spe_id *d = cm_component_ids(c, &job->acc, ld->type), *x = cm_ids_(c, depth);
    cm_lane lane = cm_lane_(c, ld);
    if (!d || !x) return;
    for (int k = 0; k < depth; k++) {
        cm_slot s = cm_slot_of(la, 0, k);
        x[k] = spe_sg_shuffle(c->module, a[cm_number_of_(la, s)], cm_plus_(c, lane.row, s.lane));
    }
    for (int v = 0; v < ld->size_v; v++)
        for (int k = 0; k < depth && v * (ld->lanes / ld->size_i) < job->b->layout.cols; k++)
            d[v] = spe_add(c->module, d[v], spe_mul(c->module, x[k], cm_choose_b_(c, job, b, k, v, none)));
    job->acc = cm_from_components(c, ld, d);
}

/* Is slot `at` where a loop comes in this iteration that begins at slot `first` and then at `second`? */
XE_FN_ bool cm_in_step_(cm_slot first, cm_slot second, cm_slot at, int iteration)
{
    return at.component == first.component && at.channel == first.channel &&
           at.lane == first.lane + iteration * (second.lane - first.lane);
}

/* How many iterations a loop over k can take from `first` on by this step: all take the elements from the same
 * components, and from lanes at equal distances. */
XE_FN_ int cm_iterations_(const cm_job_ *job, int first, int step)
{
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout;
    for (int iteration = 1;; iteration++)
        for (int k = first; k < first + step; k++) {
            const int at = k + iteration * step, next = k + step;
            if (at >= lb->rows ||
                !cm_in_step_(cm_slot_of(la, 0, k), cm_slot_of(la, 0, next), cm_slot_of(la, 0, at), iteration))
                return iteration;
            for (int m = 0; m < lb->cols; m++)
                if (!cm_in_step_(cm_slot_of(lb, k, m), cm_slot_of(lb, next, m), cm_slot_of(lb, at, m), iteration))
                    return iteration;
        }
}

/* The products of A's and B's elements of one k, of an iteration. */
XE_FN_ void cm_add_step_(cm_ctx *c, const cm_job_ *job, const spe_id *a, const spe_id *b, int k, cm_iteration_ t,
                         spe_id *d)
{
    const cm_layout *la = &job->a->layout, *ld = &job->acc.layout;
    const int across = ld->lanes / ld->size_i;
    cm_slot s = cm_slot_of(la, 0, k);
    spe_id from = cm_plus_(c, cm_lane_(c, ld).row, s.lane), x;
    if (t.iteration)
        from = spe_iadd(c->module, from, cm_times_(c, t.iteration, cm_slot_of(la, 0, k + t.step).lane - s.lane));
    x = spe_sg_shuffle(c->module, a[cm_number_of_(la, s)], from);
    for (int v = 0; v < ld->size_v && v * across < job->b->layout.cols; v++)
        d[v] = spe_add(c->module, d[v], spe_mul(c->module, x, cm_choose_b_(c, job, b, k, v, t)));
}

/* The same as cm_mul_add_by_lanes_, in loops over k: compilers take minutes for tens of thousands of products of single
 * elements. */
XE_FN_ void cm_mul_add_iterations_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    const cm_layout *ld = &job->acc.layout;
    const uint32_t n = (uint32_t)ld->size_v;
    spe_id *d = cm_component_ids(c, &job->acc, ld->type), zero = cm_i32_(c, 0), one = cm_i32_(c, 1);
    for (int k = 0, iterations, step; d && k < job->b->layout.rows; k += iterations * step) {
        cm_iteration_ t = {0, 0};
        step = 1;
        for (int by = 2; by <= 4; by *= 2)
            if (k + by <= job->b->layout.rows && cm_iterations_(job, k, by) * by > cm_iterations_(job, k, step) * step)
                step = by;
        iterations = cm_iterations_(job, k, step);
        t.step = step;
        if (iterations > 1) t.iteration = spe_for(c->module, zero, cm_i32_(c, iterations), one, n, d);
        for (int i = 0; i < step; i++) cm_add_step_(c, job, a, b, k + i, t, d);
        if (iterations > 1) spe_endfor(c->module, n, d);
    }
    if (d) job->acc = cm_from_components(c, ld, d);
}

/* Method for bytes whose neighbours along k share a word in both operands: four products an instruction. */
XE_FN_ bool cm_mul_add_dots_(cm_ctx *c, cm_job_ *job)
{
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout, *ld = &job->acc.layout;
    bool a_signed = la->type == CM_I8, b_signed = lb->type == CM_I8;
    if (!cm_dots_(c, la->type) || !cm_dots_(c, lb->type) || ld->type != CM_I32 || !la->packed || !lb->interleaved ||
        lb->size_k1 != 4 || ld->size_i != ld->lanes)
        return false;
    spe_id *a = cm_words_of_(c, job->a), *b = cm_words_of_(c, job->b), *d = cm_component_ids(c, &job->acc, CM_I32);
    const int deep = lb->rows / 4, across = lb->cols;
    for (int k = 0; a && b && d && k < deep; k++)
        for (int m = 0; m < across; m++) {
            spe_id one = spe_sg_broadcast(c->module, b[k / lb->lanes * across + m], cm_i32_(c, k % lb->lanes));
            for (int block = 0; block < ld->size_k2; block++) {
                spe_id *sum = &d[block * across + m];
                spe_id four = spe_dot_bytes(c->module, a[block * deep + k], a_signed, one, b_signed);
                *sum = spe_iadd(c->module, *sum, four);
            }
        }
    if (d) job->acc = cm_from_components(c, ld, d);
    return true;
}

/* So many products of elements of a kernel, where A has few rows, are written out before others become loops. Intel's
 * compiler takes more. */
XE_ONCE_
XE_FN_ int cm_written_most_(const cm_ctx *c) { return c->target.igc ? 8192 : 1024; }

/* Method, for every layout: broadcasts, products and sums in the accumulation type (compilers fuse them if that is
 * faster), in straight-line code but for what is beyond cm_written_most_: per lane K N broadcasts and K N M / S
 * products, in vectors of up to eight. Sums come first in additions: Intel's compiler makes dp4a of chains of four
 * products of bytes, and if the first addition of a chain has the second product first, it may pair that one's factors
 * wrongly. */
XE_FN_ void cm_mul_add_plain_(cm_ctx *c, cm_job_ *job)
{
    cm_type acc = job->acc.layout.type;
    if (cm_mul_add_dots_(c, job)) return;
    spe_id *a = cm_component_ids(c, job->a, acc), *b = cm_component_ids(c, job->b, acc);
    for (int i = 0; a && i < job->a->layout.size_v; i++) a[i] = spe_reload(c->module, a[i]);
    cm_method_ *dots = c->target.vulkan ? CM_VULKAN_METHOD_ : NULL;
    if (a && b && dots && dots(c, job, a, b)) return;
    if (a && b && job->acc.layout.size_i < job->acc.layout.lanes) {
        c->written += job->b->layout.rows * job->b->layout.cols;
        if (c->written <= cm_written_most_(c)) cm_mul_add_by_lanes_(c, job, a, b);
        else cm_mul_add_iterations_(c, job, a, b);
    }
    if (a && b && job->acc.layout.size_i == job->acc.layout.lanes) cm_mul_add_rows_(c, job, a, b);
}

XE_FN_ bool cm_check_product_(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc,
                              const cm_product *row)
{
    const cm_layout *la = &a->layout, *lb = &b->layout, *lc = acc ? &acc->layout : NULL;
    const char *ta = cm_name_(la->type), *tb = cm_name_(lb->type);
    if (la->use != CM_A)
        return CM_FAIL_(c, OPERAND_USE, "A of a product is a %s, not a matrix_a", cm_use_name(la->use));
    if (lb->use != CM_B)
        return CM_FAIL_(c, OPERAND_USE, "B of a product is a %s, not a matrix_b", cm_use_name(lb->use));
    if (lc && lc->use != CM_ACC)
        return CM_FAIL_(c, OPERAND_USE, "C of a product is a %s, not a matrix_acc", cm_use_name(lc->use));
    if (la->cols != lb->rows)
        return CM_FAIL_(c, SHAPE, "A is %d x %d and B is %d x %d", la->rows, la->cols, lb->rows, lb->cols);
    if (lc && (lc->rows != la->rows || lc->cols != lb->cols))
        return CM_FAIL_(c, SHAPE, "A B is %d x %d and C is %d x %d", la->rows, lb->cols, lc->rows, lc->cols);
    if (!row) return CM_FAIL_(c, MUL_TYPES, "no product of %s and %s", ta, tb);
    if (!cm_type_info(type_d) || cm_is_complex(type_d))
        return CM_FAIL_(c, MUL_TYPES, "a product of %s and %s cannot have the type %s", ta, tb, cm_name_(type_d));
    if (lc && !cm_product_takes(row, lc->type))
        return CM_FAIL_(c, MUL_TYPES, "a product of %s and %s cannot be added to %s", ta, tb, cm_name_(lc->type));
    return spe_ok(c->module);
}

/* The accumulation type if C has type c: the row's type, or that of C's own sums if wider. */
XE_FN_ cm_type cm_product_acc_(const cm_product *row, cm_type c)
{
    cm_type own = CM_SUM_(c);
    return cm_type_info(own)->kind == CM_KIND_FLOAT || cm_type_info(own)->bytes == 8 ? own : row->acc;
}

/* The type in which small floats are multiplied where no instruction takes them; CM_NO_TYPE_: others, or as they are
 * by broadcasts, which convert to f32. */
XE_FN_ cm_type cm_decoded_(const cm_ctx *c, const cm_job_ *job, cm_type sum)
{
    const cm_type a = job->a->layout.type, b = job->b->layout.type;
    if (c->lowering == CM_INTEL && cm_dpas_takes_(c, job, sum)) return CM_NO_TYPE_;
    bool small = a == CM_E4M3 || a == CM_E5M2 || b == CM_E4M3 || b == CM_E5M2;
    if (a == CM_E2M1) return c->lowering == CM_INTEL ? CM_F16 : CM_F32;
    return c->lowering == CM_INTEL && small && cm_promotes(a, CM_F16) && cm_promotes(b, CM_F16) ? CM_F16 : CM_NO_TYPE_;
}

/* The product of operands converted to `type`, which has all their values. Along k, e2m1 has the lower and the upper
 * values in the same places of both operands. */
XE_FN_ cm_matrix cm_mul_add_as_(cm_ctx *c, cm_type type, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    cm_matrix sum = acc ? cm_convert(c, acc, CM_F32) : cm_poison();
    cm_matrix x = cm_convert(c, a, type), y = cm_convert(c, b, type);
    sum = cm_mul_add_real(c, CM_F32, &x, &y, acc ? &sum : NULL);
    if (a->layout.type != CM_E2M1) return sum;
    x = cm_convert_upper(c, a, type);
    y = cm_convert_upper(c, b, type);
    return cm_mul_add_real(c, CM_F32, &x, &y, &sum);
}

cm_matrix cm_mul_add_real(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || (acc && acc->parts == 0)) return cm_poison();
    cm_job_ job = {cm_product_row(a->layout.type, b->layout.type), a, b, cm_poison()};
    if (!cm_check_product_(c, type_d, a, b, acc, job.row)) return cm_poison();
    cm_type sum = acc ? acc->layout.type : job.row->acc;
    if (sum != type_d || !cm_dpas_takes_(c, &job, sum)) sum = cm_product_acc_(job.row, sum);
    cm_type decoded = cm_decoded_(c, &job, sum);
    if (decoded != CM_NO_TYPE_ && sum == CM_F32) {
        cm_matrix d = cm_mul_add_as_(c, decoded, a, b, acc);
        return cm_convert(c, &d, type_d);
    }
    cm_matrix from = acc ? cm_convert(c, acc, sum) : cm_splat(c, a->layout.rows, b->layout.cols, sum, CM_ACC, 0);
    if (!from.parts) return cm_poison();
    job.acc = cm_from_parts(c, &from.layout, from.part);
    bool hardware = c->lowering == CM_INTEL || c->lowering == CM_KHR;
    if (job.acc.parts && !(hardware && cm_mul_add_dpas_(c, &job))) cm_mul_add_plain_(c, &job);
    return cm_convert(c, &job.acc, type_d);
}

/* Products with a complex matrix: both operands become complex, for four real products. */
XE_FN_ cm_matrix cm_mul_add_complex_(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b,
                                     const cm_matrix *acc)
{
    cm_type ta = a->layout.type, tb = b->layout.type, tc = acc ? acc->layout.type : CM_C32;
    cm_type type = cm_promotes(ta, CM_C32) && cm_promotes(tb, CM_C32) && tc != CM_C64 ? CM_C32 : CM_C64;
    if (!cm_is_complex(type_d) || !cm_promotes(ta, type) || !cm_promotes(tb, type) || !cm_is_complex(tc))
        return CM_POISON_(c, MUL_TYPES, "a product of %s and %s, plus %s, cannot have the type %s", cm_name_(ta),
                          cm_name_(tb), acc ? cm_name_(tc) : "nothing", cm_name_(type_d));
    cm_matrix x = cm_convert(c, a, type), y = cm_convert(c, b, type);
    cm_matrix z = acc ? cm_convert(c, acc, type) : cm_splat(c, a->layout.rows, b->layout.cols, type, CM_ACC, 0);
    cm_matrix ar = cm_re(c, &x), ai = cm_im(c, &x), br = cm_re(c, &y), bi = cm_im(c, &y);
    cm_matrix re = cm_re(c, &z), im = cm_im(c, &z);
    type = cm_half_type_(type);
    re = cm_mul_add_real(c, type, &ar, &br, &re);
    im = cm_mul_add_real(c, type, &ar, &bi, &im);
    im = cm_mul_add_real(c, type, &ai, &br, &im);
    bi = cm_unary(c, CM_NEG, &bi);
    re = cm_mul_add_real(c, type, &ai, &bi, &re);
    z = cm_complex(c, &re, &im);
    return cm_convert(c, &z, type_d);
}

cm_matrix cm_mul_add(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || (acc && acc->parts == 0)) return cm_poison();
    bool is_complex = cm_is_complex(type_d) || cm_is_complex(a->layout.type) || cm_is_complex(b->layout.type) ||
                      (acc && cm_is_complex(acc->layout.type));
    if (is_complex && a->layout.use == CM_A && b->layout.use == CM_B) return cm_mul_add_complex_(c, type_d, a, b, acc);
    return cm_mul_add_real(c, type_d, a, b, acc);
}

cm_matrix cm_mul_add_saturating(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc)
{
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || (acc && acc->parts == 0)) return cm_poison();
    const cm_type_row *ta = cm_type_info(a->layout.type), *tb = cm_type_info(b->layout.type),
                      *td = cm_type_info(type_d);
    if (ta->kind != CM_KIND_INT || tb->kind != CM_KIND_INT || ta->bytes > 2 || tb->bytes > 2 || !td ||
        td->kind != CM_KIND_INT || (acc && cm_type_info(acc->layout.type)->kind != CM_KIND_INT))
        return CM_POISON_(c, MUL_TYPES, "cm_mul_add_saturating multiplies integers of 8 or 16 bits, not %s and %s",
                          ta->name, tb->name);
    cm_matrix ab, sum;
    if (ta->bytes == 1 && tb->bytes == 1) { /* matrices are too small for i32 sums to overflow */
        ab = cm_mul_add(c, CM_I32, a, b, NULL);
        ab = cm_convert(c, &ab, CM_I64);
    } else {
        sum = cm_splat(c, a->layout.rows, b->layout.cols, CM_I64, CM_ACC, 0);
        ab = cm_mul_add(c, CM_I64, a, b, &sum);
    }
    if (acc) {
        sum = cm_convert(c, acc, CM_I64);
        ab = cm_add(c, &ab, &sum);
    }
    return cm_convert_as(c, &ab, type_d, CM_ROUND_AUTO, true);
}

/* scaled.c - products of blocks of 32 elements along k with a scale each, as in OCP's Microscaling Formats. */

/* One of the two factors of a scale s: 2^ceil(log2(s) / 2) or 2^floor(log2(s) / 2). Both are normal numbers of f32. */
XE_FN_ spe_id cm_scale_factor_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    spe_module *m = c->module;
    const int second = *(const int *)user;
    spe_id f32 = spe_type_of(m, a), i32 = spe_vec_like(m, spe_int(m, 32), a), bits = spe_bitcast(m, i32, a);
    (void)type, (void)b;
    bits = spe_shr(m, bits, spe_const_u(m, i32, 23)); /* the exponent plus 127; 0 for 2^-127, which is subnormal */
    if (!second) bits = spe_iadd(m, bits, spe_const_u(m, i32, 1));
    bits = spe_shr(m, bits, spe_const_u(m, i32, 1));
    bits = spe_iadd(m, bits, spe_const_u(m, i32, second ? 64 : 63));
    bits = spe_shl(m, bits, spe_const_u(m, i32, 23));
    spe_id factor = spe_bitcast(m, f32, bits);
    return spe_select(m, spe_isnan(m, a), a, factor);
}

/* Column `at` of row scales, or row `at` of column scales, in every element of an m x n accumulator of f32. */
XE_FN_ cm_matrix cm_repeat_scale_(cm_ctx *c, const cm_matrix *scales, bool of_rows, int at, int m, int n)
{
    cm_layout l = cm_layout_for(c, m, n, CM_F32, CM_ACC);
    if (of_rows || l.size_i < l.lanes) {
        cm_matrix one = of_rows ? cm_submatrix(c, scales, 0, at, m, 1) : cm_submatrix(c, scales, at, 0, 1, n);
        return cm_repeat(c, &one, m, n);
    }
    spe_id *from = cm_component_ids(c, scales, CM_F32), *v = cm_ids_(c, l.size_v);
    if (!from || !v) return cm_poison();
    for (int i = 0; i < l.size_v; i++) {
        int col = cm_element_at_(&l, 0, i).col;
        cm_slot s = cm_slot_of(&scales->layout, at, col);
        v[i] = i < l.size_v / l.size_k2
                   ? spe_sg_broadcast(c->module, from[cm_number_of_(&scales->layout, s)], cm_i32_(c, s.lane))
                   : v[i % (l.size_v / l.size_k2)];
    }
    return cm_from_components(c, &l, v);
}

XE_FN_ bool cm_check_scales_(cm_ctx *c, const cm_matrix *scales, const char *what, int rows, int cols)
{
    const cm_layout *l = &scales->layout;
    if (l->use != CM_ACC)
        return CM_FAIL_(c, OPERAND_USE, "the scales of %s are a %s, not a matrix_acc", what, cm_use_name(l->use));
    if (l->type != CM_E8M0)
        return CM_FAIL_(c, MUL_TYPES, "the scales of %s are of %s, not of e8m0", what, cm_name_(l->type));
    return (l->rows == rows && l->cols == cols) ||
           CM_FAIL_(c, SHAPE, "the scales of %s are %d x %d, wanted %d x %d", what, l->rows, l->cols, rows, cols);
}

/* Values along k. */
XE_FN_ int cm_values_(const cm_matrix *b) { return b->layout.rows * cm_per_(b->layout.type); }

XE_FN_ bool cm_check_scaled_(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc,
                             const cm_scales *s)
{
    const cm_layout *la = &a->layout, *lb = &b->layout;
    const bool takes = cm_product_row(la->type, lb->type) && cm_type_info(la->type)->bytes <= 2 &&
                       cm_type_info(lb->type)->bytes <= 2 && cm_product_row(la->type, lb->type)->acc == CM_F32;
    int blocks = cm_values_(b) / CM_SCALED;
    if (la->use != CM_A || lb->use != CM_B || (acc && acc->layout.use != CM_ACC))
        return CM_FAIL_(c, OPERAND_USE, "a scaled product of a %s and a %s", cm_use_name(la->use),
                        cm_use_name(lb->use));
    if (!takes || (type_d != CM_F32 && type_d != CM_BF16) ||
        (acc && acc->layout.type != CM_F32 && acc->layout.type != CM_BF16))
        return CM_FAIL_(c, MUL_TYPES, "no scaled product of %s and %s, plus %s, has the type %s", cm_name_(la->type),
                        cm_name_(lb->type), acc ? cm_name_(acc->layout.type) : "nothing", cm_name_(type_d));
    if (la->cols != lb->rows || cm_values_(b) % CM_SCALED)
        return CM_FAIL_(c, SHAPE, "A is %d x %d and B is %d x %d; scales are of %d elements along k", la->rows,
                        la->cols, lb->rows, lb->cols, CM_SCALED);
    if (acc && (acc->layout.rows != la->rows || acc->layout.cols != lb->cols))
        return CM_FAIL_(c, SHAPE, "A B is %d x %d and C is %d x %d", la->rows, lb->cols, acc->layout.rows,
                        acc->layout.cols);
    return cm_check_scales_(c, s->a, "A", la->rows, blocks) && cm_check_scales_(c, s->b, "B", blocks, lb->cols);
}

/* A block's product times both scales: first times about the root of their product, then times the rest. So a large
 * scale and a small one cancel out, and what is between the product and the result is in f32's range if these are. */
XE_FN_ cm_matrix cm_scaled_block_(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, const cm_matrix fa[2],
                                  const cm_matrix fb[2], int block)
{
    const int m = a->layout.rows, n = b->layout.cols, deep = b->layout.rows / (cm_values_(b) / CM_SCALED);
    cm_matrix x = cm_submatrix(c, a, 0, block * deep, m, deep), y = cm_submatrix(c, b, block * deep, 0, deep, n);
    cm_matrix sum = cm_mul_add_real(c, CM_F32, &x, &y, NULL);
    for (int i = 0; i < 2; i++) {
        cm_matrix of_a = cm_repeat_scale_(c, &fa[i], true, block, m, n);
        cm_matrix of_b = cm_repeat_scale_(c, &fb[i], false, block, m, n), root = cm_mul(c, &of_a, &of_b);
        sum = cm_mul(c, &sum, &root);
    }
    return sum;
}

enum {
    CM_SCALE_FLAGS_ = SPE_MatrixMultiplyAccumulateOperandsScaleAFloat8E8M0INTEL |
                      SPE_MatrixMultiplyAccumulateOperandsScaleBFloat8E8M0INTEL
};

/* Has the matrix instruction this product with scales? It has whole rows of eight of our columns only. */
XE_FN_ bool cm_dpas_scales_(const cm_ctx *c, const cm_job_ *job, cm_type sum)
{
    return c->lowering == CM_INTEL && !(CM_SCALE_FLAGS_ & ~c->target.dpas_operands) && job->a->layout.lanes == 16 &&
           job->b->layout.cols % 8 == 0 && cm_dpas_takes_(c, job, sum);
}

/* The instruction's scales of lines first .. first + 16 (of A's rows) or 8 (of B's columns), for step k: bytes of lane
 * i belong to line i. */
XE_FN_ spe_id cm_dpas_scale_(cm_ctx *c, const cm_matrix *scales, bool of_rows, int first, int k, cm_type type)
{
    const int values = cm_dpas_values_(type), n = values > CM_SCALED ? values / CM_SCALED : 1;
    spe_id byte[2];
    for (int i = 0; i < n; i++) {
        const int block = k * values / CM_SCALED + i;
        cm_matrix one = of_rows ? cm_submatrix(c, scales, first, block, 16, 1)
                                : cm_submatrix(c, scales, block, first, 1, 8);
        byte[i] = one.parts ? cm_component(c, &one, 0) : 0;
    }
    return n == 1 ? byte[0] : spe_construct(c->module, cm_vec_(c, spe_int(c->module, 8), n), (uint32_t)n, byte);
}

/* The steps along k as in cm_mul_add_dpas_. */
XE_FN_ cm_matrix cm_mul_add_dpas_scaled_(cm_ctx *c, cm_job_ *job, const cm_scales *s)
{
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout, *ld = &job->acc.layout;
    const int depth = cm_dpas_depth_(lb->type), runs = lb->cols / 8, parts = spe_part_count(cm_block_words_(la));
    const uint32_t flags = cm_dpas_flags_(job) | CM_SCALE_FLAGS_;
    spe_id *of_b = cm_ids_(c, runs);
    for (int k = 0; of_b && k < lb->rows / depth; k++) {
        for (int run = 0; run < runs; run++) of_b[run] = cm_dpas_scale_(c, s->b, false, 8 * run, k, lb->type);
        for (int block = 0; block < ld->size_k2; block++) {
            spe_id of_a = cm_dpas_scale_(c, s->a, true, 16 * block, k, lb->type), a = job->a->part[block * parts + k];
            for (int run = 0; run < runs; run++) {
                spe_id *d = &job->acc.part[block * runs + run], b = cm_dpas_operand_(c, job->b, k, 8 * run, 8);
                *d = spe_dpas_scaled(c->module, spe_type_of(c->module, *d), (uint32_t)cm_dpas_values_(lb->type), b, a,
                                     *d, of_b[run], of_a, flags);
            }
        }
    }
    return of_b ? job->acc : cm_poison();
}

XE_FN_ spe_id cm_apply_reload_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    (void)type, (void)b, (void)user;
    return spe_reload(c->module, a);
}

/* Method: broadcasts, or the matrix instruction without scales, for each block. LLVM moves chains of element-wise
 * operations behind the choice of an element (a checked store's) if they begin with a constant, such as the 0 of a
 * block's product by broadcasts: all operands would be kept for it. So those sums are values of their own. */
XE_FN_ cm_matrix cm_mul_add_blocks_(cm_ctx *c, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc,
                                    const cm_scales *s)
{
    cm_matrix fa[2], fb[2], one, sum = acc ? cm_convert(c, acc, CM_F32) : cm_poison();
    cm_matrix scales_a = cm_convert(c, s->a, CM_F32), scales_b = cm_convert(c, s->b, CM_F32);
    for (int i = 0; i < 2; i++) { /* the larger factor of A's with the smaller one of B's */
        int other = !i;
        fa[i] = cm_map1(c, &scales_a, cm_scale_factor_, &i);
        fb[i] = cm_map1(c, &scales_b, cm_scale_factor_, &other);
    }
    for (int block = 0; block < cm_values_(b) / CM_SCALED; block++) {
        one = cm_scaled_block_(c, a, b, fa, fb, block);
        sum = sum.parts ? cm_add(c, &one, &sum) : one;
    }
    return c->target.igc && c->lowering == CM_PLAIN ? cm_map1(c, &sum, cm_apply_reload_, NULL) : sum;
}

cm_matrix cm_mul_add_scaled(cm_ctx *c, cm_type type_d, const cm_matrix *a, const cm_matrix *b, const cm_matrix *acc,
                            const cm_scales *s)
{
    cm_matrix sum;
    if (cm_is_poison_(c, a) || cm_is_poison_(c, b) || (acc && acc->parts == 0)) return cm_poison();
    if (cm_is_poison_(c, s->a) || cm_is_poison_(c, s->b) || cm_opaque_(c, "scaled products")) return cm_poison();
    if (!cm_check_scaled_(c, type_d, a, b, acc, s)) return cm_poison();
    cm_job_ job = {cm_product_row(a->layout.type, b->layout.type), a, b, cm_poison()};
    cm_type type = acc && type_d == CM_BF16 ? acc->layout.type : CM_F32;
    if (cm_dpas_scales_(c, &job, type)) {
        sum = acc ? cm_convert(c, acc, type) : cm_splat(c, a->layout.rows, b->layout.cols, type, CM_ACC, 0);
        if (!sum.parts) return cm_poison();
        job.acc = cm_from_parts(c, &sum.layout, sum.part);
        sum = cm_mul_add_dpas_scaled_(c, &job, s);
    } else {
        sum = cm_mul_add_blocks_(c, a, b, acc, s);
    }
    return cm_convert(c, &sum, type_d);
}

#endif

XETILE_AS_BEFORE_
#endif /* XETILE_COOPMATRIX_BODIES_ */

/* Bodies that only modules for Vulkan need: vk_dispatch.h includes this again for them. */
#if defined(XETILE_COOPMATRIX_BODIES_) && !defined(XETILE_COOPMATRIX_VULKAN_BODIES_) && \
    (defined(SPE_VULKAN) || !defined(XETILE_STATIC_) || defined(__cplusplus))
#define XETILE_COOPMATRIX_VULKAN_BODIES_
XETILE_COLD_

#ifndef CM_LAYOUT_ONLY

/* dot_products.c - products of few rows, as Vulkan's drivers like them. */

/* The elements of row `line` of A or of that column of B, a lane's worth of k in each of out. */
XE_FN_ void cm_along_k_(cm_ctx *c, cm_picker *picker, const cm_layout *l, int line, spe_id *out)
{
    const bool is_a = l->use == CM_A;
    const int deep = is_a ? l->cols : l->rows;
    int from[CM_LANES];
    for (int first = 0; first < deep; first += l->lanes) {
        for (int k = first; k < first + l->lanes; k++) {
            cm_slot s = cm_slot_of(l, is_a ? line : k, is_a ? k : line);
            from[k - first] = k < deep ? cm_number_of_(l, s) * CM_LANES + s.lane : -1;
        }
        *out++ = cm_pick(c, picker, from);
    }
}

/* The dot product: each lane multiplies elements of its own k, and the subgroup adds. */
XE_FN_ spe_id cm_dot_of_lanes_(cm_ctx *c, const spe_id *x, const spe_id *y, int deep)
{
    const int lanes = c->target.subgroup_size;
    spe_module *m = c->module;
    spe_id sum = 0;
    for (int first = 0; first < deep; first += lanes) {
        spe_id product = spe_mul(m, *x++, *y++);
        if (first + lanes > deep) {
            spe_id has = spe_lane_bit(m, ((uint64_t)1 << (deep - first)) - 1, lanes);
            product = spe_select(m, has, product, spe_null(m, spe_type_of(m, product)));
        }
        sum = sum ? spe_add(m, sum, product) : product;
    }
    return spe_sg_reduce(m, SPE_RED_ADD, sum);
}

/* The lanes that have element (row, col) of the layout as component v. */
XE_FN_ uint64_t cm_lanes_with_(const cm_layout *l, int row, int col, int v)
{
    uint64_t mask = 0;
    for (int lane = 0; lane < l->lanes; lane++) {
        cm_element e = cm_element_at_(l, lane, v);
        if (!e.padding && e.row == row && e.col == col) mask |= (uint64_t)1 << lane;
    }
    return mask;
}

/* Method for few rows: each element of D is a dot product. Drivers take minutes for the others of hundreds of such
 * products (an H200's more than six for 512 of 1 x 1 x 32). Not of bytes: that driver (580.159.04) took the second byte
 * of each word for 0 where lanes exchange all four. */
XE_FN_ bool cm_mul_add_dot_products_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    enum { COST = 8 }; /* instructions of a dot product, to those of one k */
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout, *ld = &job->acc.layout;
    const int rows = la->rows, deep = lb->rows, parts = (deep + lb->lanes - 1) / lb->lanes;
    cm_picker pick_a, pick_b;
    if (rows * COST > deep || rows > ld->lanes || CM_BYTES(la->type) < 2 || CM_BYTES(lb->type) < 2) return false;
    spe_id *d = cm_component_ids(c, &job->acc, ld->type), *x = cm_ids_(c, (rows + 1) * parts);
    if (!d || !x || !cm_picker_init(c, &pick_a, a, la->size_v) || !cm_picker_init(c, &pick_b, b, lb->size_v))
        return false;
    spe_id *y = x + rows * parts, sum;
    for (int i = 0; i < rows; i++) cm_along_k_(c, &pick_a, la, i, x + i * parts);
    for (int v = 0; v < ld->size_v; v++) {
        sum = 0;
        for (int j = 0; j < lb->cols; j++) {
            if (!cm_lanes_with_(ld, 0, j, v)) continue;
            cm_along_k_(c, &pick_b, lb, j, y);
            for (int i = 0; i < rows; i++) {
                spe_id one = cm_dot_of_lanes_(c, x + i * parts, y, deep);
                spe_id here = spe_lane_bit(c->module, cm_lanes_with_(ld, i, j, v), ld->lanes);
                sum = sum ? spe_select(c->module, here, one, sum) : one;
            }
        }
        if (sum) d[v] = spe_add(c->module, d[v], sum);
    }
    job->acc = cm_from_components(c, ld, d);
    return true;
}

#if defined(XETILE_STATIC_) && !defined(__cplusplus)
static cm_method_ *const cm_vulkan_here_ = cm_mul_add_dot_products_;
#else
XE_FN_ cm_method_ *cm_vulkan_(void) { return cm_mul_add_dot_products_; }
#endif

#endif

XETILE_AS_BEFORE_
#endif /* XETILE_COOPMATRIX_VULKAN_BODIES_ */

#if defined(__GNUC__)
SPE_LETTERS_(XETILE_POP_)
#endif
