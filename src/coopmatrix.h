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
#ifndef XETILE_COOPMATRIX_H
#define XETILE_COOPMATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "linkage.h"

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
