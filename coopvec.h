/* coopvec.h - cooperative vectors: matrix-vector operations on work-items' vectors, for kernels in plain C.
 *
 * Files: coopvec.h coopmatrix.h spirv_emit.h, 981 KB in all. Version: XETILE_VERSION. License: MIT, see LICENSE.
 *
 * A small neural network in a kernel, one work-item per pixel:
 *
 *     #include "coopvec.h"
 *
 *     CV_KERNEL (shade, ptr(f16, weights), ptr(f16, in), ptr(f16, out))
 *     {
 *         cv_val i = CV_GLOBAL_ID();
 *         cv_vec x = CV_LOAD(in, 64, CV_MUL(i, 64));
 *         cv_matrix_ref w0 = CV_MATRIX_REF(weights, f16, 64, 64, .layout = CV_MUL_OPTIMAL);
 *         cv_matrix_ref w1 = CV_MATRIX_REF(weights, f16, 3, 64, .layout = CV_MUL_OPTIMAL, .offset = CV_AT(8192));
 *         cv_vec h = CV_RELU(CV_MUL(f16, w0, x));
 *         cv_vec y = CV_MUL_ADD(f16, w1, h, CV_VECTOR_REF(weights, f16, .offset = CV_AT(9216)));
 *         CV_STORE(y, out, CV_MUL(i, 3));
 *     }
 *
 *     cv_module mod = CV_BUILD(shade, &(cv_target){.name = "bmg"});
 *     if (!mod.words) spe_print_error(mod.error, stderr);
 *     ...                                                  mod.words, mod.size, mod.kernel, mod.params, mod.local_size
 *     cv_free(&mod);
 *
 * HOW A KERNEL IS MADE. The body is ordinary C that CV_BUILD runs once to write the kernel. A body with a CV_FOR also
 * runs beforehand, with each loop body twice, only to check that all changed variables are listed. C variables and C
 * loops exist at build time: a C `for` unrolls. Kernel values are cv_val (numbers) and cv_vec (a work-item's vector of
 * 1 to 1024 elements of f16 f32 i16 u16 i32 u32); assign them and pass them to functions like any C value. A function
 * that uses the macros takes CV_CONTEXT as its first parameter and is called with CV_SELF. A kernel has at most 32
 * parameters: f32 f16 i32 u32 i16 u16 i8 u8 (NAME), ptr(TYPE, NAME), where TYPE may also be e4m3 or e5m2.
 *
 * MATRICES AND VECTORS IN MEMORY
 *     CV_MATRIX_REF(base, T, M, K, options)   an M x K matrix interpreted as T: i16 u16 i32 u32 f16 f32 u8 i8 e4m3 e5m2
 *         base        a pointer parameter of any type
 *         .layout     CV_ROW_MAJOR (default), CV_COLUMN_MAJOR, CV_MUL_OPTIMAL, CV_OUTER_PRODUCT_OPTIMAL; the device's
 *                     own, where it has cooperative vectors: CV_DEVICE_MUL_OPTIMAL, CV_DEVICE_OUTER_PRODUCT_OPTIMAL
 *         .offset     CV_AT(bytes): a C integer or a cv_val; base + offset is a multiple of 128. Default 0
 *         .stride     CV_AT(bytes) from a row (or column) to the next, a multiple of 16; optimal layouts have none.
 *                     Default: the least there can be
 *         .transpose  stored as K rows of M columns (optimal layouts only); M and K are always those of the product
 *         .uniform    CV_UNIFORM_AUTO (default): the matrix instruction is used wherever all work-items of a subgroup
 *                     are certain to arrive together with the same matrix: outside any CV_IF or CV_FOR that depends on
 *                     the work-item, with offset, stride and bias computed from constants, parameters, group ids and
 *                     CV_UNIFORM. CV_UNIFORM_YES: you promise that they do. CV_UNIFORM_NO: one lane at a time
 *     CV_VECTOR_REF(base, T, .offset = CV_AT(bytes))   a bias or accumulated vector; base + offset a multiple of 64
 *     CV_INTERPRET(vector, T)   how an input vector's elements are read (default: as its own type): the types above
 *                     (e4m3 and e5m2 round and saturate, unlike NVIDIA's hardware: see CONVERSION RULES),
 *                     packed_s8x32 packed_u8x32 (of u32: four 8-bit integers an element)
 *
 * OPERATIONS (number: a C number or a cv_val; T: a type name)
 *     CV_MATVEC_MUL(T, matrix, input)     the matrix times the vector: M elements of T. The specification's matvecmul,
 *                     HLSL's Mul: CV_MUL(T, matrix, input), with three arguments, is the same
 *     CV_MATVEC_MUL_ADD(T, matrix, input, bias)  the same plus a bias: matvecmuladd, HLSL's MulAdd, CV_MUL_ADD
 *     CV_OUTER_PRODUCT_ACCUMULATE(v1, v2, m)   m (CV_OUTER_PRODUCT_OPTIMAL) += v1 transpose(v2), atomically
 *     CV_VECTOR_ACCUMULATE(v, vector_ref)     vector += v, atomically (vector_ref also takes .uniform)
 *     CV_LOAD(pointer, n, index)  CV_STORE(vector, pointer, index)    n elements of the type pointed to; index in
 *                     elements; option .stride = CV_AT(elements) from one to the next, default 1. As in xetile.h, what
 *                     is stored comes first
 *     CV_NUMBER(x)                            a C number as a cv_val, for variables of the kernel
 *     CV_SPLAT(T, n, number)  CV_VEC(T, numbers...)  CV_ELEMENT(v, i)  CV_SET_ELEMENT(v, i, number)
 *     CV_CONCAT(a, b)  CV_SLICE(v, first, n)
 *     CV_ADD CV_SUB CV_MUL CV_DIV CV_MIN CV_MAX (x, y)   numbers, vectors of one type and length, or one of each,
 *                     element by element: with two arguments CV_MUL is what XT_MUL is in xetile.h and * in HLSL
 *     CV_MOD CV_AND CV_OR CV_XOR CV_SHL CV_SHR            integers
 *                     Integer CV_DIV rounds toward zero, and CV_MOD has the sign of x; CV_SHR shifts in the sign if x
 *                     is signed, zeros if it is unsigned. The sum of a product of floats may be contracted into
 *                     one rounding by the device's compiler; CV_FMA always is one
 *     CV_FMA(a, b, c)  CV_CLAMP(v, low, high)
 *     CV_EXP CV_LOG CV_SQRT CV_RSQRT CV_SIN CV_COS CV_ABS CV_FLOOR   f16 is computed in f32 and rounded
 *     CV_RELU(v)  CV_LEAKY_RELU(v, slope)  CV_SIGMOID  CV_TANH  CV_GELU (the tanh form)
 *     CV_CAST(T, x)                           by the conversion rules below
 *     CV_EQ CV_NE CV_LT CV_LE CV_GT CV_GE (x, y)   as CV_ADD. Of numbers: a condition, for CV_IF; of vectors: a mask,
 *                     which CV_SELECT, CV_AND, CV_OR, CV_XOR, CV_EQ, CV_NE and CV_ELEMENT take, and the operations on
 *                     elements as a whole; it has no type in memory
 *     CV_SELECT(condition, x, y)              x where the condition holds, else y: of numbers, or of vectors, by one
 *                     condition or by a mask of their length
 *     CV_GROUP_ID CV_GROUP_COUNT CV_LOCAL_ID CV_GLOBAL_ID CV_GLOBAL_SIZE CV_SUBGROUP_ID CV_LANE_ID ()   i32, along x
 *     CV_UNIFORM(number)                      the first active work-item's, for all of the subgroup
 *     CV_FOR (k, lo, hi, step, &x, &y, ...) { }   for (k = lo; k < hi; k += step), or with a negative step
 *                     for (k = lo; k > hi; k += step). A computed step may have either sign, but must not be 0
 *                     (LOOP_STEP), and costs a division before the loop; u32 parameters count as positive
 *     CV_WHILE (condition, &x, ...) { }       each iteration evaluates the condition on the listed variables. It is
 *                     uniform only if it is one of CV_UNIFORM(...): listed variables may differ between work-items
 *     CV_IF (condition, &x, ...) { } CV_ELSE { }   CV_BARRIER()
 *                     Only the listed variables (cv_val, cv_vec) may leave the region changed; using another one that
 *                     changed is an error that names the region whose list it is missing from (UNLISTED). An empty
 *                     body, CV_FOR (...);, is an error (EMPTY). Never leave a body by break, continue, return or goto
 *
 * WHAT A PRODUCT IS. If input and matrix are both integers, it is computed in 32-bit integers modulo 2^32, exact in any
 * order, bias included, then converted to T (the sum is signed if the input, the matrix or an integer bias is).
 * Otherwise it is computed in f32, with or without rounding each product, summed in any order, then converted to T. A
 * float bias of an integer product is added in f32. This holds for both ways, the matrix instruction and one lane at a
 * time.
 * FP8 by FP8 is one product of the instruction on nvl-p and cri; elsewhere both become f16 for it, which is exact, too.
 *
 * THE DEVICE'S COOPERATIVE VECTORS (VK_NV_cooperative_vector: NVIDIA's GPUs through Vulkan). VKD_TARGET(&dev) lists the
 * products that the device has. It computes those of a kernel that are listed, with M and K up to its limit (512):
 *     integers    with the same results. Matrices are in rows, in columns, in CV_MUL_OPTIMAL with rows of at most 64
 *                 bytes, or in the device's own layouts
 *     floats      if CV_BUILD has .f16_sums = true, or the matrix is in the device's own layout (FP8 only there): the
 *                 sum has the precision of f16, whatever T is. Vectors are rounded to FP8 first, as elsewhere
 *     outer products of f16, if the device sums the matrix's type and it is CV_DEVICE_OUTER_PRODUCT_OPTIMAL
 *     vectors that are accumulated, if .f16_sums = true, and the device sums their type
 * Everything else is computed one lane at a time; of a matrix in the device's own layout that is an error
 * (DEVICE_PRODUCT), as such a layout is where there are no cooperative vectors, or .lowering is CM_PLAIN, which does
 * without them (LAYOUT). CV_ADD, CV_SUB, CV_MUL, CV_DIV, CV_MIN, CV_MAX, CV_CLAMP, CV_RELU and CV_FMA of floats are
 * computed on whole vectors, too. Matrices get into the device's own layouts, of which only it knows the size, by
 * vkd_convert_matrices of vk_dispatch.h. Vectors need not be uniform for it.
 *
 * CONVERSION RULES. Integer to integer saturates; float to integer rounds to nearest even and saturates (NaN becomes
 * 0); integer to float rounds to nearest even; packed is a bitcast; FP8 rounds to nearest even, saturates to the
 * largest finite value (448, 57344), and NaN stays NaN. A matrix is never converted, only interpreted.
 *     NVIDIA's hardware differs in two places (an H100 with driver 580, measured): an f16 vector that is interpreted as
 * e4m3 or e5m2 enters the product unrounded, where ours is rounded and saturated first; and weights beyond the range
 * become NaN (e4m3) or infinity (e5m2) when a matrix is converted, which `.overflow = CV_NO_SATURATE` in
 * cv_conversion_info gives here, too. Integers, conversions to integers, products of FP8 and of f16 that is exact in
 * FP8, and single accumulations were found to be the same bits; other f16 products are nearer to the exact value here.
 *
 * THE OPTIMAL LAYOUTS are the same: panels of 64 bytes of each row. With P = 64 / size elements per panel and the
 * number of rows rounded up to R, a multiple of 8, element (r, c) is at byte
 *     (c / P) 64 R + 64 r + (c mod P) size
 * and the matrix has ceil(columns / P) 64 R bytes. Padding is zero: a conversion writes it, and a matrix to accumulate
 * into must be zeroed whole. Mul-optimal: eight rows are two A operands of DPAS side by side, and one 2D block message
 * (which requires rows of 64 bytes) loads four times two. Outer-product-optimal: eight rows of f32 are an accumulator
 * block of 16 lanes, so each atomic message of a subgroup is a whole cache line. Since both are the same, trained
 * matrices need no conversion.
 *
 * Macros call cv_build, cv_mul, cv_mul_add, cv_outer_product_accumulate, cv_vector_accumulate and names ending in _.
 *
 * THE HOST. cv_get_tier, cv_check_feature_support (counts and property lists); cv_get_conversion_dest_info,
 * cv_check_conversion, cv_convert_matrix; cv_check_matrix_memory, cv_check_vector_memory; cv_element_offset. The
 * structures are those of D3D12 with C names; results are CV_S_OK or CV_E_INVALIDARG. cv_supports_mul,
 * cv_supports_outer_product and cv_supports_vector_accumulate ask for one combination; cv_type_info, cv_type_name and
 * cv_layout_name describe a type or layout, cv_error_name and cv_error_text an error id. cv_conversion_arguments_of
 * returns the kernel's arguments for other runtimes. On the device: build cv_conversion_module(&target), load it, then,
 * in a batch of ze_dispatch.h,
 *     CV_CONVERT_MATRICES(&batch, &kernel, infos, count, &error);       error.id is not 0 if a descriptor was refused
 *
 * CV_BUILD(kernel, &target, options...): .subgroups of a work-group (default 4), or .local_size, its work-items, if
 * they are no multiple of the subgroup size (the matrix instruction is not used then); .subgroup_size, .lowering
 * (CM_PLAIN: no matrix instruction), .registers (128 or 256 per thread; default 128, or 256 where Intel's compiler
 * would spill and the work-group fits), .f16_sums (see THE DEVICE'S COOPERATIVE VECTORS), .version, .names, .lines,
 * .user (a pointer that the body gets by CV_USER(), a const void *, to decide what it records, instead of global
 * variables). It returns a module; after an error, words is NULL, and error says what is wrong, where in your source,
 * and both values. Errors: ids 3000.. in CV_ERRORS_ below; the same mistake has the same name in xetile.h.
 *
 * LIMITS  in a kernel M is at most 1024 and K, counted as matrix elements, 4096; a matrix in memory has less than 2
 * GiB. Kernel indices and offsets are 32 bits. One kernel per module.
 *
 * TO USE IT  just include it: this compiles the bodies too, as static functions. Or define XETILE_DECLARATIONS for all
 * files of a program and XETILE_IMPLEMENTATION before the include in one of them, which then gets the bodies; or link
 * with libxetile. "How functions are declared" in spirv_emit.h has the details.
 */
#if defined(CM_LAYOUT_ONLY) || (defined(XETILE_COOPMATRIX_H) && !defined(SPIRV_EMIT_H))
#error "coopvec.h needs all of coopmatrix.h: without CM_LAYOUT_ONLY, and before any include of it that had it"
#else
#define XETILE_COMMON_ONLY_ /* the part of it that all headers begin with */
#include "spirv_emit.h"
#undef XETILE_COMMON_ONLY_

#ifndef XETILE_COOPVEC_H
#define XETILE_COOPVEC_H

#include "coopmatrix.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- errors ------------------------------------------------------------------------------------------------------ */

#define CV_ERRORS_(X)                                                                                                  \
    X(INPUT_INTERPRETATION, "not an interpretation of this input vector")                                              \
    X(MATRIX_INTERPRETATION, "not an interpretation of a matrix")                                                      \
    X(BIAS_INTERPRETATION, "not an interpretation of a bias vector")                                                   \
    X(OUTPUT_TYPE, "not a type of an output vector")                                                                   \
    X(LAYOUT, "no such matrix layout")                                                                                 \
    X(SHAPE, "a matrix has 1 to 65536 rows and columns")                                                               \
    X(TOO_LARGE, "a matrix has less than 2 GiB")                                                                       \
    X(SRC_STRIDE, "SrcStride is less than the length of a row (row-major) or column (column-major)")                   \
    X(SRC_STRIDE_MULTIPLE, "SrcStride is not a multiple of the element size")                                          \
    X(DEST_STRIDE, "DestStride is less than the length of a row (row-major) or column (column-major)")                 \
    X(DEST_STRIDE_MULTIPLE, "DestStride is not a multiple of 16")                                                      \
    X(SRC_TYPE, "SrcDataType is not a matrix interpretation")                                                          \
    X(DEST_TYPE, "DestDataType is not a matrix interpretation")                                                        \
    X(CONVERSION_TYPES, "types that differ must be f32 or f16 on one side, a lower-precision float on the other")      \
    X(DEST_LAYOUT, "e4m3 and e5m2 are converted to the optimal layouts only")                                          \
    X(SRC_SIZE, "SrcSize is less than the size of the source matrix")                                                  \
    X(DEST_SIZE, "DestSize is less than the size that the query returned")                                             \
    X(ADDRESS, "an address is missing")                                                                                \
    X(DEST_ALIGNMENT, "the destination's address is not a multiple of 128")                                            \
    X(SRC_ALIGNMENT, "the source's address is not a multiple of the element size")                                     \
    X(OVERLAP, "source and destination overlap")                                                                       \
    X(MATRIX_ALIGNMENT, "a matrix's base address and offset are multiples of 128")                                     \
    X(VECTOR_ALIGNMENT, "a vector's base address and offset are multiples of 64")                                      \
    X(ALLOCATION_SIZE, "the size of the allocation is not a multiple of 16")                                           \
    X(OUT_OF_BOUNDS, "it does not fit into the allocation")                                                            \
    X(STRIDE_NOT_ZERO, "the stride of an optimal layout must be zero")                                                 \
    X(STRIDE, "the stride is less than the length of a row (row-major) or column (column-major)")                      \
    X(STRIDE_MULTIPLE, "the stride is not a multiple of 16")                                                           \
    X(TRANSPOSE, "row-major and column-major matrices cannot be transposed")                                           \
    X(FP8_LAYOUT, "e4m3 and e5m2 matrices have optimal layouts only")                                                  \
    X(OUTER_PRODUCT_LAYOUT, "the layout of an outer product's matrix must be CV_OUTER_PRODUCT_OPTIMAL")                \
    X(INPUT_LENGTH, "the input vector's length does not match the matrix")                                             \
    X(DEVICE_PRODUCT, "the device lists no such product of a matrix in its own layout")                                \
    X(ACCUMULATE_TYPES, "no accumulation of this input type into this type")                                           \
    X(VECTOR_TYPE, "a vector cannot have this type here")                                                              \
    X(VECTOR_LENGTH, "a vector has 1 to 1024 elements")                                                                \
    X(VEC_TYPE, "vectors of different types")                                                                          \
    X(VEC_SHAPE, "vectors of different lengths")                                                                       \
    X(STORE_TYPE, "vector and memory have different types")                                                            \
    X(ELEMENT, "the vector has no such element")                                                                       \
    X(OPERATION, "not an operation on this type")                                                                      \
    X(POINTER, "not a pointer parameter")                                                                              \
    X(INDEX, "not a 32-bit integer")                                                                                   \
    X(SCALAR_TYPE, "numbers of incompatible types")                                                                    \
    X(SCALAR_RANGE, "a constant that the type cannot hold")                                                            \
    X(UNSET, "a value that was never set")                                                                             \
    X(UNIFORM, "promised to be uniform, but it cannot be")                                                             \
    X(CONDITION, "not a condition; compare, as in CV_NE(x, 0)")                                                        \
    X(LOOP_STEP, "a loop's step must not be 0")                                                                        \
    X(CARRIED, "only cv_val and cv_vec can be carried")                                                                \
    X(CARRIED_TYPE, "a carried value changed its type or length")                                                      \
    X(UNLISTED, "a region changes a variable that it does not list")                                                   \
    X(EMPTY, "the body of a region does nothing")                                                                      \
    X(UNCLOSED, "left open: its body was left by break, return or goto")                                               \
    X(PARAMETER_TEXT, "a parameter list that cannot be read")                                                          \
    X(TARGET, "no such target")                                                                                        \
    X(SUBGROUP_SIZE, "the target does not have this subgroup size")                                                    \
    X(GROUP_SIZE, "the work-group is larger than the target allows")                                                   \
    X(REGISTERS, "a thread cannot have this number of registers")                                                      \
    X(MEMORY, "out of memory")

#define CV_ERROR_ENUM_(name, text) CV_ERROR_##name,
enum { CV_ERROR_FIRST_ = 2999, CV_ERRORS_(CV_ERROR_ENUM_) CV_ERROR_END_ };

/* The general meaning of an error id of this header, "no error" for 0; its name: "CV_ERROR_TRANSPOSE". */
XETILE_API const char *cv_error_text(int id), *cv_error_name(int id);

/* ---- component types --------------------------------------------------------------------------------------------- */

/* name as written in a kernel (CV_TYPE_f16 ...), number (ComponentType and D3D12_LINEAR_ALGEBRA_DATATYPE), bits per
 * component, float, signed, may be the type of a vector in a kernel, may interpret memory */
#define CV_TYPES_(X)                                                                                                   \
    X(I16, i16, 2, 16, false, true, true, true)                                                                        \
    X(U16, u16, 3, 16, false, false, true, true)                                                                       \
    X(I32, i32, 4, 32, false, true, true, true)                                                                        \
    X(U32, u32, 5, 32, false, false, true, true)                                                                       \
    X(F16, f16, 8, 16, true, true, true, true)                                                                         \
    X(F32, f32, 9, 32, true, true, true, true)                                                                         \
    X(PACKED_S8X32, packed_s8x32, 17, 8, false, true, false, false)                                                    \
    X(PACKED_U8X32, packed_u8x32, 18, 8, false, false, false, false)                                                   \
    X(U8, u8, 19, 8, false, false, false, true)                                                                        \
    X(I8, i8, 20, 8, false, true, false, true)                                                                         \
    X(E4M3, e4m3, 21, 8, true, true, false, true)                                                                      \
    X(E5M2, e5m2, 22, 8, true, true, false, true)

#define CV_TYPE_ENUM_(name, token, number, bits, fp, sign, vector, memory) CV_##name = number, CV_TYPE_##token = number,
typedef enum {
    CV_NO_TYPE_ = -1, /* makes the enum signed with every compiler: types are also stored in ints */
    CV_INVALID = 0,
    CV_TYPES_(CV_TYPE_ENUM_)
} cv_type;

enum { CV_TYPE_COUNT_ = 12 };
typedef struct {
    cv_type type;
    const char *name;
    int bits; /* per component; a packed component is a quarter of 32 bits */
    bool is_float, is_signed;
    bool vector; /* can be the type of a vector in a kernel */
    bool memory; /* can interpret matrices and vectors in memory */
} cv_type_row;

/* The description of a component type, NULL for unknown numbers; its name: f16, packed_s8x32 ... */
XETILE_API const cv_type_row *cv_type_info(int type);
XETILE_API const char *cv_type_name(int type);

typedef enum {
    CV_NO_LAYOUT_ = -1,
    CV_ROW_MAJOR,
    CV_COLUMN_MAJOR,
    CV_MUL_OPTIMAL,
    CV_OUTER_PRODUCT_OPTIMAL,
    CV_DEVICE_MUL_OPTIMAL,
    CV_DEVICE_OUTER_PRODUCT_OPTIMAL
} cv_layout;
/* row-major, mul-optimal ... */
XETILE_API const char *cv_layout_name(int layout);

/* ==== Part 1: the host ============================================================================================ */

/* ---- what is supported ------------------------------------------------------------------------------------------- */

typedef enum { CV_TIER_NOT_SUPPORTED, CV_TIER_1_0, CV_TIER_1_1 } cv_tier;

/* A supported combination for multiply and multiply-add. */
typedef struct {
    cv_type input_type, input_interpretation, matrix_interpretation, bias_interpretation, output_type;
    bool transpose_supported; /* in optimal layouts; never for row-major and column-major */
} cv_properties_mul;

/* A supported combination for outer product accumulate or vector accumulate. */
typedef struct {
    cv_type input_type, accumulation_type;
} cv_properties_accumulate;

typedef struct {
    uint32_t matrix_vector_mul_add_prop_count;
    cv_properties_mul *matrix_vector_mul_add_properties;
    uint32_t outer_product_accumulate_prop_count;
    cv_properties_accumulate *outer_product_accumulate_properties;
    uint32_t vector_accumulate_prop_count;
    cv_properties_accumulate *vector_accumulate_properties;
} cv_feature_data;

typedef int32_t cv_result;
#define CV_S_OK 0
#define CV_E_INVALIDARG (-2147024809) /* 0x80070057 */

/* The same for every target: features that the hardware lacks run one lane at a time. */
XETILE_API cv_tier cv_get_tier(const cm_target *target);
/* Is the combination supported? The specification's minimum set also writes a packed input as InputType PackedS8x32
 * with interpretation I8; that is treated like the spelling of its operations (u32 vector, interpretation
 * PackedS8x32). */
XETILE_API bool cv_supports_mul(int input, int interpretation, int matrix, int bias, int output);
/* May vectors of `input` be accumulated into a matrix, or a vector, of `type`? */
XETILE_API bool cv_supports_outer_product(int input, int type), cv_supports_vector_accumulate(int input, int type);
/* The query. If a list is NULL, its count is set. Otherwise the count is the list's capacity, and becomes the number of
 * entries written; if a list is too short, this returns CV_E_INVALIDARG and writes nothing. */
XETILE_API cv_result cv_check_feature_support(const cm_target *target, cv_feature_data *d);
/* Byte offset of element (row, col) in a matrix; the layouts are documented at the top of this header. */
XETILE_API size_t cv_element_offset(cv_layout layout, cv_type type, uint32_t rows, uint32_t stride, uint32_t row,
                                    uint32_t col);

/* ---- conversion of matrices -------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t dest_size; /* bytes of the destination: set by cv_get_conversion_dest_info */
    cv_layout dest_layout;
    uint32_t dest_stride; /* bytes from a row to the next (row-major), from a column to the next (column-major). 0: the
                             query sets the minimum. Optimal layouts: ignored */
    uint32_t num_rows, num_columns;
    cv_type dest_data_type;
} cv_conversion_dest_info;

typedef struct {
    uint32_t src_size; /* bytes */
    cv_type src_data_type;
    cv_layout src_layout;
    uint32_t src_stride;
} cv_conversion_src_info;

typedef struct {
    void *dest;
    const void *src;
} cv_conversion_data;

/* The e4m3 or e5m2 value of numbers beyond its range: the largest finite one, or NaN (e4m3) and infinity (e5m2), as
 * NVIDIA's driver converts. */
typedef enum { CV_SATURATE, CV_NO_SATURATE } cv_overflow;

typedef struct {
    cv_conversion_dest_info dest_info;
    cv_conversion_src_info src_info;
    cv_conversion_data data_desc;
    cv_overflow overflow; /* not in D3D12 */
} cv_conversion_info;

/* The macros pass the caller's file and line to functions of the same name. These set *error (may be NULL) to the
 * outcome: id 0 if all is well. They return true on success. */
#define cv_get_conversion_dest_info(...) cv_get_conversion_dest_info_(__FILE__, __LINE__, __VA_ARGS__)
#define cv_check_conversion(...) cv_check_conversion_(__FILE__, __LINE__, __VA_ARGS__)
#define cv_convert_matrix(...) cv_convert_matrix_(__FILE__, __LINE__, __VA_ARGS__)
#define cv_check_matrix_memory(...) cv_check_matrix_memory_(__FILE__, __LINE__, __VA_ARGS__)
#define cv_check_vector_memory(...) cv_check_vector_memory_(__FILE__, __LINE__, __VA_ARGS__)

/* Fills dest_size (a multiple of 16), and dest_stride if it is 0 and the layout has one. */
XETILE_API bool cv_get_conversion_dest_info_(const char *file, int line, cv_conversion_dest_info *d, spe_error *error);
/* Checks each rule of the specification's valid usage; each has its own error. */
XETILE_API bool cv_check_conversion_(const char *file, int line, const cv_conversion_info *info, spe_error *error);
/* Converts `count` matrices on the host, in order. All are checked before the first is written. */
XETILE_API bool cv_convert_matrix_(const char *file, int line, const cv_conversion_info *infos, uint32_t count,
                                   spe_error *error);
/* Checks what the operations assume of a matrix's memory: base and offset are multiples of 128, and the allocation is a
 * multiple of 16 bytes and holds the matrix. `size`: of the allocation that begins at base. */
XETILE_API bool cv_check_matrix_memory_(const char *file, int line, const void *base, uint64_t size, uint64_t offset,
                                        cv_layout layout, cv_type type, uint32_t rows, uint32_t cols, uint32_t stride,
                                        spe_error *error);
/* The same for bias and accumulated vectors of n elements: multiples of 64. */
XETILE_API bool cv_check_vector_memory_(const char *file, int line, const void *base, uint64_t size, uint64_t offset,
                                        cv_type type, uint32_t n, spe_error *error);

/* ==== Part 2: kernels ============================================================================================= */

typedef spe_val cv_val; /* types: cv_type */

/* A work-item's vector, as SPIR-V vectors ("parts") of 8, then 4, 2, 1. */
typedef struct {
    SPE_FIRST_MEMBER(cv_vec_wanted_, uint32_t magic);
    cv_type type;
    int length, parts;
    spe_id *part; /* in the module's arena */
    int side;     /* the side of a region it was made in: see cv_ctx */
    spe_id cooperative; /* the same as a cooperative vector of the device; 0: none */
} cv_vec;

/* A number or a vector; its magic tells which. */
typedef union {
    uint32_t magic;
    cv_val val;
    cv_vec vec;
} cv_any_;

/* A vector and the interpretation of its elements (CV_INTERPRET). */
typedef struct {
    cv_vec vec;
    int interpretation;
} cv_interpreted_vector;

/* ---- one build --------------------------------------------------------------------------------------------------- */

typedef struct cv_ctx cv_ctx;

typedef struct {
    const char *name, *params, *file;
    int line;
    void (*body)(cv_ctx *);
} cv_kernel; /* defined by CV_KERNEL; params is text such as "ptr<f16> weights, u32 n" */

typedef spe_device cv_target;
typedef spe_built cv_module; /* the result of CV_BUILD */

typedef struct {
    const cv_kernel *kernel;
    const char *file; /* the CV_BUILD call, for errors of the build as a whole */
    int line;
    const cv_target *target;
    int local_size;    /* work-items per work-group; 0: .subgroups */
    int subgroup_size; /* 0: that of the target row */
    cm_lowering lowering;
    int registers; /* per thread: 128, 256; 0: 128, or 256 where Intel's compiler would spill and the work-group fits */
    uint32_t version;
    bool names, lines;
    const void *user; /* for the body: CV_USER */
    int subgroups;    /* per work-group; 0: four, or what .local_size says */
    bool f16_sums;    /* products of f16 may be summed in f16, where the device's cooperative vectors do */
} cv_build_desc;

typedef struct {
    cv_ctx *x;
    const spe_line *at;
} cv_where_; /* the context and the user's line, passed to every function by its macro, in two registers */

typedef struct { /* an open region */
    void *const *objects; /* the user's variables */
    cv_any_ *start;       /* their values at the beginning */
    int count, id_count;
    spe_id *ids, *first; /* current ids; those at the beginning of a side */
    bool divergent, loop, tested; /* tested: CV_WHILE, whose condition is computed in each iteration */
    bool busy;                    /* the body has emitted something */
    int side;
    uint32_t operations; /* operation count at the beginning */
} cv_frame_;

struct cv_ctx {
    spe_module m; /* first: see spe_build_begin */
    cm_ctx cm;
    cm_target target;
    const cv_kernel *kernel;
    const cv_build_desc *desc;
    int S, local_size;
    bool dpas, block2d; /* may the matrix instruction, 2D block messages be used? */
    const struct cv_vulkan_part_ *vulkan; /* NULL: without the device's cooperative vectors */
    const uint32_t (*products)[6];        /* what it lists of them, as in spe_device */
    uint32_t product_count, vector_sums;
    int max_vector;
    spe_id results;     /* the variable to which the last product's loop wrote its rows, for the next one's */
    bool full;          /* all subgroups are full */
    int divergent;      /* number of open regions that work-items of a subgroup may enter or leave separately */
    spe_kernel_param params[SPE_PARAMS_MAX];
    int param_count;
    cv_val args[SPE_PARAMS_MAX];
    spe_regions regions;
    cv_frame_ frames[SPE_REGIONS_MAX]; /* one per open region */
    /* Where walks through the body of a region began, numbered from 1. Values record the side they were made in (note
     * of a cv_val; 0 is outside all regions). If a value is used after its side is over, it was left in a variable that
     * the region does not list. */
    spe_list sides; /* of spe_region_line */
    int loops;
    uint32_t operations;
    /* Writing the kernel into a scratch module, with two walks through the body of each loop: the second finds what the
     * first left in variables that are not listed. */
    bool probing;
};

/* Called by CV_BUILD. Always pass the result to cv_free. */
XETILE_API cv_module cv_build(const cv_build_desc *desc);
/* Frees a module. It may be zeroed or already freed. */
XETILE_API void cv_free(cv_module *mod);

/* ---- numbers and vectors ----------------------------------------------------------------------------------------- */

typedef struct {
    cv_vec vec; /* that is stored */
    cv_val ptr;
    int count;
    cv_val index;  /* in elements; default 0 */
    cv_val stride; /* distance between elements, in elements; default 1 */
    int end_;
} cv_memory_;

enum { CV_SIGMOID_ = 1000, CV_GELU_ }; /* functions not in spe_math_op */

/* ---- matrices and vectors in memory ------------------------------------------------------------------------------ */

typedef enum { CV_UNIFORM_AUTO, CV_UNIFORM_YES, CV_UNIFORM_NO } cv_uniformity;

/* The result of CV_MATRIX_REF. m, k: those of the product; a transposed matrix is stored as k rows of m columns. */
typedef struct {
    cv_val base;
    cv_type interpretation;
    int rows, cols;
    cv_layout layout;
    bool transpose;
    cv_val offset; /* bytes; default 0 */
    cv_val stride; /* bytes from a row (or column) to the next; default: the minimum */
    cv_uniformity uniform;
} cv_matrix_ref;

typedef struct {
    cv_val base;
    cv_type interpretation;
    cv_val offset;         /* bytes; default 0 */
    cv_uniformity uniform; /* of CV_VECTOR_ACCUMULATE */
    int end_;
} cv_vector_ref;

/* The operands of CV_MUL and CV_MUL_ADD, CV_OUTER_PRODUCT_ACCUMULATE, CV_VECTOR_ACCUMULATE. */
typedef struct {
    cv_matrix_ref matrix;
    cv_interpreted_vector input;
    cv_vector_ref bias;
} cv_multiply_desc_;
typedef struct {
    cv_vec vecs[2];
    cv_matrix_ref matrix;
} cv_outer_desc_;
typedef struct {
    cv_vec vec;
    cv_vector_ref vector;
} cv_accumulate_desc_;

/* Mul, MulAdd; with bias->base unset, MulAdd is Mul. */
XETILE_API cv_vec cv_mul(cv_where_ w, int out_type, const cv_matrix_ref *a, const cv_interpreted_vector *in);
XETILE_API cv_vec cv_mul_add(cv_where_ w, int out_type, const cv_matrix_ref *a, const cv_interpreted_vector *in,
                             const cv_vector_ref *bias);
/* Adds v1 transpose(v2) to the matrix; adds v to the array. */
XETILE_API void cv_outer_product_accumulate(cv_where_ w, cv_vec v1, cv_vec v2, const cv_matrix_ref *c);
XETILE_API void cv_vector_accumulate(cv_where_ w, cv_vec v, const cv_vector_ref *r);

/* ---- conversion of matrices on the device ------------------------------------------------------------------------ */

/* The arguments of one conversion on the device. */
typedef struct {
    void *dest;
    const void *src;
    uint32_t groups, slots, rows, cols, dest_type, dest_layout, dest_stride, src_type, src_layout, src_stride,
        dest_shift, src_shift, overflow;
} cv_conversion_arguments;

/* The conversion kernel's arguments for a descriptor. */
XETILE_API cv_conversion_arguments cv_conversion_arguments_of(const cv_conversion_info *info);
/* Iterates over the descriptors of a call; over none of them if one is invalid. */
typedef struct {
    spe_line at;
    const cv_conversion_info *infos;
    uint32_t count;
    spe_error *error;
    uint32_t next;
    cv_conversion_arguments now;
} cv_conversions_;
XETILE_API bool cv_conversions_next_(cv_conversions_ *c);
/* The module that converts matrices on a device: see CV_CONVERT_MATRICES. */
XETILE_API cv_module cv_conversion_module(const cv_target *target);

/* Functions that only the macros call. */
/* calls.h - written by join.sh from the functions of coopvec.h's sources. */
XETILE_API cv_val cv_here_(cv_ctx *x, cv_val v);
XETILE_API cv_any_ cv_any_val_(cv_val v);
XETILE_API cv_any_ cv_any_vec_(cv_vec v);
XETILE_API cv_any_ cv_any_int_(long long i);
XETILE_API cv_any_ cv_any_uint_(unsigned long long u);
XETILE_API cv_any_ cv_any_real_(double d);
XETILE_API cv_any_ cv_any_float_(float f);
XETILE_API cv_val cv_binary_scalar_(cv_where_ w, int op, const char *name, const cv_any_ *given);
XETILE_API cv_val cv_select_scalar_(cv_where_ w, const cv_any_ *given);
XETILE_API cv_val cv_builtin_(cv_where_ w, spe_builtin_name name);
XETILE_API cv_val cv_uniform_(cv_where_ w, cv_val v);
XETILE_API cv_vec cv_splat_(cv_where_ w, int type, int n, cv_val value);
XETILE_API cv_vec cv_vec_of_(cv_where_ w, int type, int n, const cv_val *values);
XETILE_API cv_vec cv_load_(cv_where_ w, cv_memory_ d);
XETILE_API void cv_store_(cv_where_ w, cv_memory_ d);
XETILE_API cv_val cv_element_(cv_where_ w, const cv_any_ *given);
XETILE_API cv_vec cv_set_element_(cv_where_ w, const cv_any_ *given);
XETILE_API cv_vec cv_concat_(cv_where_ w, const cv_vec *given);
XETILE_API cv_vec cv_slice_(cv_where_ w, cv_vec v, int first, int n);
XETILE_API cv_interpreted_vector cv_same_input_(cv_interpreted_vector v);
XETILE_API cv_interpreted_vector cv_plain_input_(cv_vec v);
XETILE_API cv_vec cv_binary_vec_(cv_where_ w, int op, const char *name, const cv_any_ *given);
XETILE_API cv_vec cv_select_vec_(cv_where_ w, const cv_any_ *given);
XETILE_API cv_vec cv_fma_(cv_where_ w, const cv_any_ *given);
XETILE_API cv_vec cv_function_vec_(cv_where_ w, int fn, const char *name, cv_any_ a);
XETILE_API cv_val cv_function_scalar_(cv_where_ w, int fn, const char *name, cv_any_ a);
XETILE_API cv_vec cv_leaky_relu_(cv_where_ w, const cv_any_ *given);
XETILE_API cv_vec cv_cast_vec_(cv_where_ w, int type, cv_any_ a);
XETILE_API cv_val cv_cast_scalar_(cv_where_ w, int type, cv_any_ a);
XETILE_API cv_matrix_ref cv_matrix_ref_(cv_where_ w, cv_matrix_ref r);
XETILE_API cv_vector_ref cv_vector_ref_(cv_where_ w, cv_vector_ref r);
XETILE_API cv_vec cv_multiply_(cv_where_ w, int out_type, cv_multiply_desc_ d);
XETILE_API void cv_accumulate_outer_(cv_where_ w, cv_outer_desc_ d);
XETILE_API void cv_accumulate_(cv_where_ w, cv_accumulate_desc_ d);
XETILE_API bool cv_region_next_(spe_region *r);
XETILE_API spe_region cv_for_begin_(cv_where_ w, const cv_val *given, void *const *objects);
XETILE_API spe_region cv_while_begin_(cv_where_ w, void *const *objects);
XETILE_API spe_region *cv_while_test_(cv_where_ w, spe_region *r, cv_val condition);
XETILE_API spe_region cv_if_begin_(cv_where_ w, cv_val condition, void *const *objects);
XETILE_API void cv_barrier_(cv_where_ w);

#endif /* XETILE_COOPVEC_H */

/* ==== bodies: nothing from here on is for users ================================================================== */

#if defined(XETILE_STATIC_) && (defined(XETILE_IMPLEMENTATION) || \
                                (defined(XETILE_DECLARATIONS) && !defined(XETILE_COOPVEC_BODIES_)))
#error "XETILE_DECLARATIONS or XETILE_IMPLEMENTATION come before the first header of xetile: one was included without"
#elif defined(XETILE_WEAKLY_) && !defined(XETILE_IMPLEMENTATION) && !defined(XETILE_COOPVEC_BODIES_)
#error "XETILE_IMPLEMENTATION stays defined until the last header of xetile has been included"
#elif !defined(XETILE_COOPVEC_BODIES_) && (defined(XETILE_IMPLEMENTATION) || !defined(XETILE_DECLARATIONS))
#define XETILE_COOPVEC_BODIES_
#include "coopmatrix.h" /* its bodies come first */
/* internal.h - declarations shared by the bodies of coopvec.h only. */

enum { CV_BOOL_ = 1 }; /* the type of conditions, next to the cv_type values */
enum { CV_VEC_MAGIC_ = 0x43765632, CV_VECTOR_MAX_ = 1024 };
enum { CV_DPAS_MOST_ = 4096 }; /* maximum instructions of a product; larger ones run one lane at a time */
enum { CV_LANES_MAX_ = 64 }; /* of a subgroup */

/* Reports an error at the user's line, and returns false; a vector without parts. */
#define cv_fail_(w, ...) spe_report(cv_site_(w), __VA_ARGS__)
#define CV_FAIL_VEC_(...) (cv_fail_(__VA_ARGS__), cv_no_vec_())

typedef struct {
    char s[48];
} cv_text_;

/* host.c: a matrix in memory. stride: bytes from a row (or column) to the next; unused in optimal layouts. */
typedef struct {
    cv_layout layout;
    cv_type type;
    uint32_t rows, cols, stride;
} cv_stored_;

/* products.c: a matrix operand of a product, ready to be addressed. */
typedef struct {
    cv_ctx *x;
    spe_id base, stride;         /* base: bytes */
    int type, bytes, m, k, rows; /* rows: stored ones, without padding */
    cv_layout layout;
    bool transpose;
    bool across; /* neighbours in memory are neighbours in m; otherwise in k */
} cv_surface_;

/* products.c: one product being written. */
typedef struct {
    cv_ctx *x;
    spe_module *m;
    cv_surface_ a;
    cv_interpreted_vector in;
    bool real;    /* summed in f32; else in 32-bit integers, which wrap */
    int sum_type; /* CV_F32, CV_I32 or CV_U32 */
    spe_id bias;  /* bytes; 0: none */
    int bias_type;
    cv_vec out;
    bool dots; /* elements of the matrix are dwords of four bytes, as are the input's */
    /* for the matrix instruction */
    int kind, R; /* R: elements of k that a lane holds of a row per operand */
    int depth;   /* elements of k per operand */
    int halves;  /* operands per raw operand: 2 for FP8 along k, whose raw operands have 32 elements */
    int raws;    /* raw operands along k */
    int blocks;  /* of eight rows */
    spe_id lane;
    spe_id *b; /* B operands, in the order of A's operands */
} cv_product_;

/* cooperative.c: what only the cooperative vectors of Vulkan's devices need, and calls through x->vulkan: programs that
 * include nothing of Vulkan compile without it. Each returns false where they do not do this. */
typedef struct cv_vulkan_part_ {
    bool (*takes)(int op, int type); /* may operands of `binary` be cooperative vectors? */
    void (*repeat)(cv_ctx *x, cv_vec *v, spe_id like); /* of a number: makes it one, as another is */
    cv_vec (*binary)(cv_ctx *x, int op, const cv_vec *p, const cv_vec *q);
    cv_vec (*multiply_add)(cv_ctx *x, const cv_vec *p, const cv_vec *q, const cv_vec *r);
    bool (*multiply)(cv_product_ *p);
    bool (*outer_product)(const cv_surface_ *c, const cv_vec *v1, const cv_vec *v2);
    bool (*accumulate)(cv_ctx *x, const cv_vec *v, spe_id base, int type);
} cv_vulkan_part_;

#if defined(XETILE_STATIC_) && !defined(__cplusplus) /* a tentative definition: NULL unless cooperative.c follows */
static const cv_vulkan_part_ *const cv_vulkan_here_;
#define CV_VULKAN_PART_ cv_vulkan_here_
#else
XETILE_PRIVATE const cv_vulkan_part_ *cv_vulkan_(void);
#define CV_VULKAN_PART_ cv_vulkan_()
#endif

XE_FN_ spe_site cv_site_(cv_where_ w);
XE_FN_ cv_vec cv_no_vec_(void);

XETILE_COLD_

/* host.c - errors, component types, supported combinations, and matrices in memory. */

XE_FN_ const spe_reporter *cv_errors_(void)
{
#define CV_ERROR_ROW_(name, text) {"CV_ERROR_" #name, text},
    static const spe_error_row rows[] = {CV_ERRORS_(CV_ERROR_ROW_)};
    static const spe_reporter errors = SPE_REPORTER(CV, "coopvec.h", rows);
    return &errors;
}

const char *cv_error_text(int id) { return spe_reporter_text(cv_errors_(), id); }
const char *cv_error_name(int id) { return spe_reporter_name(cv_errors_(), id); }

/* Row i, 0 to 11, in ascending order of type numbers. */
XE_FN_ const cv_type_row *cv_type_at_(int i)
{
#define CV_TYPE_ROW_(name, token, number, ...) {CV_##name, #token, __VA_ARGS__},
    static const cv_type_row rows[] = {CV_TYPES_(CV_TYPE_ROW_)};
    return &rows[i];
}

const cv_type_row *cv_type_info(int type)
{
    for (int i = 0; i < CV_TYPE_COUNT_; i++)
        if ((int)cv_type_at_(i)->type == type) return cv_type_at_(i);
    return NULL;
}

const char *cv_type_name(int type) { return cv_type_info(type) ? cv_type_info(type)->name : "(no type)"; }
XE_FN_ bool cv_is_packed_(int type) { return type == CV_PACKED_S8X32 || type == CV_PACKED_U8X32; }
XE_FN_ bool cv_is_fp8_(int type) { return type == CV_E4M3 || type == CV_E5M2; }
XE_FN_ bool cv_is_vector_type_(int type) { return cv_type_info(type) && cv_type_info(type)->vector; }
XE_FN_ bool cv_is_memory_type_(int type) { return cv_type_info(type) && cv_type_info(type)->memory; }
XE_FN_ bool cv_is_float_(int type) { return cv_type_info(type) && cv_type_info(type)->is_float; }
XE_FN_ bool cv_is_signed_(int type) { return cv_type_info(type) && cv_type_info(type)->is_signed; }
XE_FN_ int cv_bytes_(int type) { return cv_type_info(type)->bits / 8; }

/* Can a vector of this type be interpreted so? Packed: 32-bit unsigned only; others: 16 and 32 bits. */
XE_FN_ bool cv_interprets_(int input, int interpretation)
{
    if (!cv_is_vector_type_(input) || !cv_type_info(interpretation)) return false;
    return !cv_is_packed_(interpretation) || input == CV_U32;
}

XE_FN_ bool cv_is_device_layout_(int layout)
{
    return layout == CV_DEVICE_MUL_OPTIMAL || layout == CV_DEVICE_OUTER_PRODUCT_OPTIMAL;
}

XE_FN_ bool cv_is_optimal_(int layout)
{
    return layout == CV_MUL_OPTIMAL || layout == CV_OUTER_PRODUCT_OPTIMAL || cv_is_device_layout_(layout);
}

const char *cv_layout_name(int layout)
{
    static const char *const names[] = {"row-major", "column-major", "mul-optimal", "outer-product-optimal",
                                        "device-mul-optimal", "device-outer-product-optimal"};
    return layout >= 0 && layout <= CV_DEVICE_OUTER_PRODUCT_OPTIMAL ? names[layout] : "(no layout)";
}

cv_tier cv_get_tier(const cm_target *target) { return target ? CV_TIER_1_1 : CV_TIER_NOT_SUPPORTED; }

bool cv_supports_mul(int input, int interpretation, int matrix, int bias, int output)
{
    bool packed =
        (input == CV_PACKED_S8X32 && interpretation == CV_I8) || (input == CV_PACKED_U8X32 && interpretation == CV_U8);
    return (packed || cv_interprets_(input, interpretation)) && cv_is_memory_type_(matrix) &&
           cv_is_memory_type_(bias) && cv_is_vector_type_(output);
}

/* Combinations that accumulate into vectors; only the first of them also into matrices. */
enum { CV_OUTER_ROWS_ = 3, CV_VECTOR_ROWS_ = 5 };
XE_FN_ const cv_properties_accumulate *cv_accumulate_rows_(void)
{
    static const cv_properties_accumulate rows[CV_VECTOR_ROWS_] = {
        {CV_F16, CV_F16}, {CV_F16, CV_F32}, {CV_F32, CV_F32}, {CV_I32, CV_I32}, {CV_U32, CV_U32}};
    return rows;
}

/* Is it one of the first `count`? */
XE_FN_ bool cv_accumulates_(uint32_t count, int input, int type)
{
    const cv_properties_accumulate *rows = cv_accumulate_rows_();
    for (uint32_t i = 0; i < count; i++)
        if ((int)rows[i].input_type == input && (int)rows[i].accumulation_type == type) return true;
    return false;
}

bool cv_supports_outer_product(int input, int type) { return cv_accumulates_(CV_OUTER_ROWS_, input, type); }
bool cv_supports_vector_accumulate(int input, int type) { return cv_accumulates_(CV_VECTOR_ROWS_, input, type); }

/* Writes the rows of multiply-add (if out is not NULL); returns their number. The digits of i are the five types. */
XE_FN_ uint32_t cv_list_mul_(cv_properties_mul *out)
{
    const int n = CV_TYPE_COUNT_;
    uint32_t count = 0;
    for (int i = 0; i < n * n * n * n * n; i++) {
        cv_type t[5];
        for (int k = 4, rest = i; k >= 0; k--, rest /= n) t[k] = cv_type_at_(rest % n)->type;
        if (!cv_supports_mul(t[0], t[1], t[2], t[3], t[4])) continue;
        if (out) {
            cv_properties_mul row = {t[0], t[1], t[2], t[3], t[4], true};
            out[count] = row;
        }
        count++;
    }
    return count;
}

cv_result cv_check_feature_support(const cm_target *target, cv_feature_data *d)
{
    if (!d || cv_get_tier(target) == CV_TIER_NOT_SUPPORTED) return CV_E_INVALIDARG;
    const cv_properties_accumulate *rows = cv_accumulate_rows_();
    cv_properties_accumulate *sums[] = {d->outer_product_accumulate_properties, d->vector_accumulate_properties};
    const void *lists[] = {d->matrix_vector_mul_add_properties, sums[0], sums[1]};
    uint32_t *lengths[] = {&d->matrix_vector_mul_add_prop_count, &d->outer_product_accumulate_prop_count,
                           &d->vector_accumulate_prop_count};
    uint32_t wanted[] = {cv_list_mul_(NULL), CV_OUTER_ROWS_, CV_VECTOR_ROWS_};
    for (int i = 0; i < 3; i++)
        if (lists[i] && *lengths[i] < wanted[i]) return CV_E_INVALIDARG;
    for (int i = 0; i < 3; i++) *lengths[i] = wanted[i];
    if (lists[0]) cv_list_mul_(d->matrix_vector_mul_add_properties);
    for (int i = 0; i < 2; i++)
        if (sums[i]) memcpy(sums[i], rows, wanted[i + 1] * sizeof *rows);
    return CV_S_OK;
}

/* Sets the caller's location and no error. */
XE_FN_ spe_error *cv_error_at_(spe_error *error, const char *file, int line)
{
    if (!error) return NULL;
    memset(error, 0, sizeof *error);
    error->file = file;
    error->line = line;
    return error;
}

/* Fills *error (may be NULL; already has the caller's location) and returns false. */
SPE_PRINTF(3, 4) static bool cv_refuse_(spe_error *error, int id, const char *format, ...)
{
    va_list args;
    if (!error) return false;
    error->id = id;
    error->name = cv_error_name(id);
    int n = snprintf(error->text, sizeof error->text, "%s: ", cv_error_text(id));
    va_start(args, format);
    vsnprintf(error->text + n, sizeof error->text - (size_t)n, format, args);
    va_end(args);
    return false;
}

XE_FN_ uint32_t cv_round_up_(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

/* The stored rows of an optimal layout: blocks of eight. */
XE_FN_ uint32_t cv_optimal_rows_(uint32_t rows) { return cv_round_up_(rows, 8); }

size_t cv_element_offset(cv_layout layout, cv_type type, uint32_t rows, uint32_t stride, uint32_t row, uint32_t col)
{
    size_t bytes = (size_t)cv_bytes_(type), along = col * bytes;
    if (layout == CV_ROW_MAJOR) return (size_t)row * stride + along;
    if (layout == CV_COLUMN_MAJOR) return (size_t)col * stride + row * bytes;
    return along / 64 * cv_optimal_rows_(rows) * 64 + (size_t)row * 64 + along % 64;
}

XE_FN_ cv_stored_ cv_dest_of_(const cv_conversion_dest_info *d)
{
    cv_stored_ s = {d->dest_layout, d->dest_data_type, d->num_rows, d->num_columns, d->dest_stride};
    return s;
}

XE_FN_ cv_stored_ cv_src_of_(const cv_conversion_info *info)
{
    cv_stored_ s = {info->src_info.src_layout, info->src_info.src_data_type, info->dest_info.num_rows,
                    info->dest_info.num_columns, info->src_info.src_stride};
    return s;
}

/* Bytes of a row (row-major) or column (column-major); 0 for optimal layouts. */
XE_FN_ uint64_t cv_line_bytes_(const cv_stored_ *s)
{
    uint64_t bytes = (uint64_t)cv_bytes_(s->type);
    return s->layout == CV_ROW_MAJOR ? s->cols * bytes : s->layout == CV_COLUMN_MAJOR ? s->rows * bytes : 0;
}

/* The size in bytes: from the first to the last element; for optimal layouts including padding. */
XE_FN_ uint64_t cv_stored_bytes_(const cv_stored_ *s)
{
    uint64_t lines = s->layout == CV_ROW_MAJOR ? s->rows : s->cols;
    if (!cv_is_optimal_(s->layout)) return (lines - 1) * s->stride + cv_line_bytes_(s);
    return (s->cols * (uint64_t)cv_bytes_(s->type) + 63) / 64 * cv_optimal_rows_(s->rows) * 64;
}

/* Checks layout, shape and type; an unsuitable type is error `bad_type`. */
XE_FN_ bool cv_check_stored_(const cv_stored_ *s, int bad_type, spe_error *error)
{
    int type = s->type, layout = s->layout;
    if (layout < CV_ROW_MAJOR || layout > CV_OUTER_PRODUCT_OPTIMAL)
        return cv_refuse_(error, CV_ERROR_LAYOUT, "got %d; the host knows 0 to 3", layout);
    if (s->rows < 1 || s->cols < 1 || s->rows > 65536 || s->cols > 65536)
        return cv_refuse_(error, CV_ERROR_SHAPE, "%u x %u", (unsigned)s->rows, (unsigned)s->cols);
    return cv_is_memory_type_(type) || cv_refuse_(error, bad_type, "got %s (%d), use f32", cv_type_name(type), type);
}

enum { CV_MATRIX_LIMIT_ = 0x7fffffc0 }; /* bytes */

XE_FN_ bool cv_check_dest_(const cv_stored_ *s, spe_error *error)
{
    if (!cv_check_stored_(s, CV_ERROR_DEST_TYPE, error)) return false;
    unsigned line = (unsigned)cv_line_bytes_(s), stride = (unsigned)s->stride;
    if (cv_is_fp8_(s->type) && !cv_is_optimal_(s->layout))
        return cv_refuse_(error, CV_ERROR_DEST_LAYOUT, "%s in %s", cv_type_name(s->type), cv_layout_name(s->layout));
    if (stride < line) return cv_refuse_(error, CV_ERROR_DEST_STRIDE, "%u, the length is %u", stride, line);
    if (line && stride % 16) return cv_refuse_(error, CV_ERROR_DEST_STRIDE_MULTIPLE, "%u", stride);
    return cv_stored_bytes_(s) < CV_MATRIX_LIMIT_ ||
           cv_refuse_(error, CV_ERROR_TOO_LARGE, "%u x %u %s with stride %u", (unsigned)s->rows, (unsigned)s->cols,
                      cv_type_name(s->type), stride);
}

/* The size that the query returns. */
XE_FN_ uint32_t cv_dest_size_(const cv_conversion_dest_info *d)
{
    cv_stored_ s = cv_dest_of_(d);
    if (cv_is_optimal_(s.layout)) return (uint32_t)cv_stored_bytes_(&s);
    return (s.layout == CV_ROW_MAJOR ? s.rows : s.cols) * s.stride;
}

bool cv_get_conversion_dest_info_(const char *file, int line, cv_conversion_dest_info *d, spe_error *error)
{
    cv_stored_ s = cv_dest_of_(d);
    error = cv_error_at_(error, file, line);
    if (!s.stride && cv_is_memory_type_(s.type)) s.stride = cv_round_up_((uint32_t)cv_line_bytes_(&s), 16);
    if (!cv_check_dest_(&s, error)) return false;
    if (!cv_is_optimal_(s.layout)) d->dest_stride = s.stride;
    d->dest_size = cv_dest_size_(d);
    return true;
}

XE_FN_ bool cv_check_src_(const cv_conversion_info *info, spe_error *error)
{
    cv_stored_ s = cv_src_of_(info);
    int to = info->dest_info.dest_data_type;
    if (!cv_check_stored_(&s, CV_ERROR_SRC_TYPE, error)) return false;
    unsigned line = (unsigned)cv_line_bytes_(&s), stride = (unsigned)s.stride;
    unsigned given = (unsigned)info->src_info.src_size;
    unsigned long long size = cv_stored_bytes_(&s);
    if (line && stride < line) return cv_refuse_(error, CV_ERROR_SRC_STRIDE, "%u, the length is %u", stride, line);
    if (line && stride % (unsigned)cv_bytes_(s.type))
        return cv_refuse_(error, CV_ERROR_SRC_STRIDE_MULTIPLE, "%u, an element of %s has %d bytes", stride,
                          cv_type_name(s.type), cv_bytes_(s.type));
    if ((int)s.type != to && !(cv_is_float_(s.type) && cv_is_float_(to) && cv_bytes_(s.type) != cv_bytes_(to)))
        return cv_refuse_(error, CV_ERROR_CONVERSION_TYPES, "%s to %s", cv_type_name(s.type), cv_type_name(to));
    if (given < size) return cv_refuse_(error, CV_ERROR_SRC_SIZE, "%u, the matrix has %llu", given, size);
    return size < CV_MATRIX_LIMIT_ || cv_refuse_(error, CV_ERROR_TOO_LARGE, "the source has %llu bytes", size);
}

XE_FN_ bool cv_check_conversion_memory_(const cv_conversion_info *info, spe_error *error)
{
    const cv_conversion_dest_info *d = &info->dest_info;
    const cv_conversion_src_info *s = &info->src_info;
    unsigned long long dest = (uintptr_t)info->data_desc.dest, src = (uintptr_t)info->data_desc.src;
    unsigned bytes = (unsigned)cv_bytes_(s->src_data_type), size = cv_dest_size_(d);
    if (!dest || !src) return cv_refuse_(error, CV_ERROR_ADDRESS, "of the %s", dest ? "source" : "destination");
    if (d->dest_size < size)
        return cv_refuse_(error, CV_ERROR_DEST_SIZE, "%u, the query returns %u", (unsigned)d->dest_size, size);
    if (dest % 128) return cv_refuse_(error, CV_ERROR_DEST_ALIGNMENT, "0x%llx", dest);
    if (src % bytes) return cv_refuse_(error, CV_ERROR_SRC_ALIGNMENT, "0x%llx, an element has %u bytes", src, bytes);
    if (dest < src + s->src_size && src < dest + size)
        return cv_refuse_(error, CV_ERROR_OVERLAP, "%u bytes at 0x%llx and %u at 0x%llx", (unsigned)s->src_size, src,
                          size, dest);
    return true;
}

bool cv_check_conversion_(const char *file, int line, const cv_conversion_info *info, spe_error *error)
{
    cv_stored_ dest = cv_dest_of_(&info->dest_info);
    error = cv_error_at_(error, file, line);
    return cv_check_dest_(&dest, error) && cv_check_src_(info, error) && cv_check_conversion_memory_(info, error);
}

/* A float element's value, exactly. */
XE_FN_ float cv_get_float_(cv_type type, const void *at)
{
    float f = 0;
    uint16_t h = 0;
    uint8_t b = 0;
    memcpy(type == CV_F32 ? (void *)&f : type == CV_F16 ? (void *)&h : &b, at, (size_t)cv_bytes_(type));
    if (type == CV_F32 || type == CV_F16) return type == CV_F32 ? f : spe_f16_bits_to_f32(h);
    return type == CV_E4M3 ? spe_e4m3_bits_to_f32(b) : spe_e5m2_bits_to_f32(b);
}

/* Rounds to nearest even; NaN stays NaN. */
XE_FN_ void cv_put_float_(cv_type type, bool saturate, void *at, float f)
{
    uint16_t h = spe_f32_to_f16_bits(f);
    uint8_t b = type == CV_E4M3 ? spe_f32_to_e4m3_bits(f, saturate) : spe_f32_to_e5m2_bits(f, saturate);
    memcpy(at, type == CV_F32 ? (const void *)&f : type == CV_F16 ? (const void *)&h : &b, (size_t)cv_bytes_(type));
}

XE_FN_ void cv_convert_one_(const cv_conversion_info *info)
{
    cv_stored_ s = cv_src_of_(info), d = cv_dest_of_(&info->dest_info);
    if (cv_is_optimal_(d.layout)) memset(info->data_desc.dest, 0, cv_dest_size_(&info->dest_info)); /* the padding */
    for (uint32_t r = 0; r < d.rows; r++)
        for (uint32_t c = 0; c < d.cols; c++) {
            size_t from = cv_element_offset(s.layout, s.type, s.rows, s.stride, r, c);
            const char *src = (const char *)info->data_desc.src + from;
            char *dest = (char *)info->data_desc.dest + cv_element_offset(d.layout, d.type, d.rows, d.stride, r, c);
            if (s.type == d.type) memcpy(dest, src, (size_t)cv_bytes_(s.type));
            else cv_put_float_(d.type, info->overflow == CV_SATURATE, dest, cv_get_float_(s.type, src));
        }
}

XE_FN_ bool cv_check_conversions_(const char *file, int line, const cv_conversion_info *infos, uint32_t count,
                                  spe_error *error)
{
    error = cv_error_at_(error, file, line);
    for (uint32_t i = 0; i < count; i++)
        if (!cv_check_conversion_(file, line, &infos[i], error)) return false;
    return true;
}

bool cv_convert_matrix_(const char *file, int line, const cv_conversion_info *infos, uint32_t count, spe_error *error)
{
    if (!cv_check_conversions_(file, line, infos, count, error)) return false;
    for (uint32_t i = 0; i < count; i++) cv_convert_one_(&infos[i]);
    return true;
}

/* Checks that an allocation of `size` bytes at base holds `bytes` bytes of `what` at offset. */
XE_FN_ bool cv_check_memory_(const void *base, uint64_t size, uint64_t offset, const char *what, uint64_t bytes,
                             unsigned multiple, int misaligned, spe_error *error)
{
    if (!base) return cv_refuse_(error, CV_ERROR_ADDRESS, "of the %s", what);
    if ((uintptr_t)base % multiple || offset % multiple)
        return cv_refuse_(error, misaligned, "0x%llx + %llu", (unsigned long long)(uintptr_t)base,
                          (unsigned long long)offset);
    if (size % 16) return cv_refuse_(error, CV_ERROR_ALLOCATION_SIZE, "%llu", (unsigned long long)size);
    if (bytes > size || offset > size - bytes)
        return cv_refuse_(error, CV_ERROR_OUT_OF_BOUNDS, "%llu bytes at %llu of %llu", (unsigned long long)bytes,
                          (unsigned long long)offset, (unsigned long long)size);
    return true;
}

bool cv_check_matrix_memory_(const char *file, int line, const void *base, uint64_t size, uint64_t offset,
                             cv_layout layout, cv_type type, uint32_t rows, uint32_t cols, uint32_t stride,
                             spe_error *error)
{
    cv_stored_ s = {layout, type, rows, cols, stride};
    error = cv_error_at_(error, file, line);
    return cv_check_stored_(&s, CV_ERROR_MATRIX_INTERPRETATION, error) &&
           cv_check_memory_(base, size, offset, "matrix", cv_stored_bytes_(&s), 128, CV_ERROR_MATRIX_ALIGNMENT, error);
}

bool cv_check_vector_memory_(const char *file, int line, const void *base, uint64_t size, uint64_t offset, cv_type type,
                             uint32_t n, spe_error *error)
{
    error = cv_error_at_(error, file, line);
    if (!cv_is_memory_type_(type)) return cv_refuse_(error, CV_ERROR_BIAS_INTERPRETATION, "%s", cv_type_name(type));
    return cv_check_memory_(base, size, offset, "vector", (uint64_t)n * (uint64_t)cv_bytes_(type), 64,
                            CV_ERROR_VECTOR_ALIGNMENT, error);
}

/* values.c - numbers and vectors. A value is held as a SPIR-V scalar or vector of its type; FP8 from memory as f16 of
 * the same value. */

XE_FN_ spe_site cv_site_(cv_where_ w) { return spe_site_of(&w.x->m, cv_errors_(), w.at->file, w.at->line); }

/* Called at the start of every operation: further errors get the user's line. False after an error. */
XE_FN_ bool cv_enter_(cv_where_ w)
{
    w.x->operations++;
    return spe_ok(spe_at(&w.x->m, w.at->file, w.at->line));
}

/* The side of a region that is being written. */
XE_FN_ int cv_side_now_(const cv_ctx *x) { return x->regions.depth ? x->frames[x->regions.depth - 1].side : 0; }

/* Checks that a value made in `side` is in scope here. */
XE_FN_ bool cv_live_(cv_where_ w, int side)
{
    if (!side || !spe_ok(&w.x->m)) return spe_ok(&w.x->m);
    for (int i = 0; i < w.x->regions.depth; i++)
        if (w.x->frames[i].side == side) return true;
    const spe_region_line *at = (const spe_region_line *)w.x->sides.items + side - 1;
    return cv_fail_(w, CV_ERROR_UNLISTED,
                    "the %s of %s:%d left a value in a variable that is used here; list that variable there",
                    at->name, at->file, at->line);
}

/* Records in a constant the side it was written in. */
cv_val cv_here_(cv_ctx *x, cv_val v)
{
    x->operations++;
    if ((v.kind == SPE_INT || v.kind == SPE_REAL) && !v.note) v.note = cv_side_now_(x);
    return v;
}

XE_FN_ cv_val cv_nothing_(void) { return spe_val_of(SPE_NOTHING, CV_I32, 0); }

XE_FN_ cv_val cv_scalar_(const cv_ctx *x, int type, spe_id id, bool uniform)
{
    cv_val v = spe_val_of(id ? SPE_SCALAR : SPE_NOTHING, type, id);
    v.uniform = uniform;
    v.note = cv_side_now_(x);
    return v;
}

cv_any_ cv_any_val_(cv_val v)
{
    cv_any_ a;
    a.val = v;
    return a;
}

cv_any_ cv_any_vec_(cv_vec v)
{
    cv_any_ a;
    a.vec = v.magic == CV_VEC_MAGIC_ ? v : cv_no_vec_();
    return a;
}

XE_FN_ bool cv_is_vec_(const cv_any_ *a) { return a->magic == CV_VEC_MAGIC_; }

cv_any_ cv_any_int_(long long i) { return cv_any_val_(spe_val_int(i)); }
cv_any_ cv_any_uint_(unsigned long long u) { return cv_any_val_(spe_val_uint(u)); }
cv_any_ cv_any_real_(double d) { return cv_any_val_(spe_val_real(d)); }
cv_any_ cv_any_float_(float f) { return cv_any_val_(spe_val_float(f)); }

XE_FN_ const char *cv_type_text_(int type) { return type == CV_BOOL_ ? "condition" : cv_type_name(type); }

/* The SPIR-V scalar that holds a type. FP8 is held as its bits. */
XE_FN_ spe_id cv_spe_type_(spe_module *m, int type)
{
    if (type == CV_BOOL_) return spe_bool(m);
    if (type == CV_F16 || type == CV_F32) return spe_float(m, (uint32_t)cv_type_info(type)->bits);
    return spe_int(m, (uint32_t)cv_type_info(type)->bits);
}

/* Describes a value, for error texts. */
XE_FN_ cv_text_ cv_describe_(const cv_val *v)
{
    cv_text_ t = {"a value that was never set"};
    if (!spe_val_is_set(v)) return t;
    if (v->kind == SPE_INT) snprintf(t.s, sizeof t.s, "%lld", (long long)v->integer);
    else if (v->kind == SPE_REAL) snprintf(t.s, sizeof t.s, "%s", spe_decimal_of(v->real, 'g', 6).s);
    else snprintf(t.s, sizeof t.s, v->kind == SPE_POINTER ? "ptr<%s>" : "%s", cv_type_text_(v->type));
    return t;
}

/* A number as an id of this type. Constants are converted; scalars must have it, or be integers of equal width. */
XE_FN_ spe_id cv_id_(cv_where_ w, int type, const cv_val *v)
{
    spe_module *m = &w.x->m;
    const cv_type_row *want = cv_type_info(type), *has = cv_type_info(v->type);
    bool both = want && has && !want->is_float && !has->is_float && want->bits == has->bits;
    if (!spe_val_is_set(v)) return cv_fail_(w, CV_ERROR_UNSET, "an operand"), 0;
    if (!cv_live_(w, v->note)) return 0;
    if (v->kind == SPE_SCALAR && (v->type == type || both)) return v->id;
    if (v->kind == SPE_INT && type == CV_BOOL_) return spe_const_bool(m, v->integer != 0);
    if (v->kind == SPE_INT && want && !want->is_float) {
        if (spe_int_fits(v->integer, want->bits, want->is_signed))
            return spe_const_i(m, cv_spe_type_(m, type), v->integer);
        return cv_fail_(w, CV_ERROR_SCALAR_RANGE, "%lld as %s", (long long)v->integer, cv_type_name(type)), 0;
    }
    if ((v->kind == SPE_INT || v->kind == SPE_REAL) && cv_is_float_(type)) {
        if (spe_real_fits(SPE_IEEE, (uint32_t)want->bits, v->real))
            return spe_const_f(m, cv_spe_type_(m, type), v->real);
        return cv_fail_(w, CV_ERROR_SCALAR_RANGE, "%s as %s", spe_decimal_of(v->real, 'g', 6).s, cv_type_name(type)), 0;
    }
    return cv_fail_(w, CV_ERROR_SCALAR_TYPE, "%s where %s is wanted", cv_describe_(v).s, cv_type_text_(type)), 0;
}

/* A number as an i32 index. */
XE_FN_ spe_id cv_index_(cv_where_ w, const cv_val *v, const char *what)
{
    bool set = spe_val_is_set(v);
    if (set && !cv_live_(w, v->note)) return 0;
    if (set && v->kind == SPE_INT && spe_int_fits(v->integer, 32, true)) return spe_i32(&w.x->m, (int32_t)v->integer);
    if (set && v->kind == SPE_SCALAR && (v->type == CV_I32 || v->type == CV_U32)) return v->id;
    return cv_fail_(w, CV_ERROR_INDEX, "%s is %s", what, cv_describe_(v).s), 0;
}

/* One instruction on scalars or vectors of a type; 0 without an error if there is none. */
XE_FN_ spe_id cv_emit_(spe_module *m, int op, int type, spe_id a, spe_id b)
{
    if (type == CV_BOOL_)
        switch (op) {
        case SPE_ARITH_AND: return spe_land(m, a, b);
        case SPE_ARITH_OR: return spe_lor(m, a, b);
        case SPE_ARITH_XOR: case SPE_ARITH_NE: return spe_lne(m, a, b);
        case SPE_ARITH_EQ: return spe_leq(m, a, b);
        default: return 0;
        }
    if (cv_is_float_(type)) return op == SPE_ARITH_REM ? 0 : spe_arith(m, (spe_arith_op)op, SPE_NUMBER_FLOAT, a, b);
    return spe_arith(m, (spe_arith_op)op, cv_is_signed_(type) ? SPE_NUMBER_SIGNED : SPE_NUMBER_UNSIGNED, a, b);
}

/* The common type of two numbers: a scalar's; of i32 and u32, i32; of two constants i32 or f32. */
XE_FN_ int cv_common_type_(const cv_val *a, const cv_val *b)
{
    if (a->kind == SPE_SCALAR) return b->kind == SPE_SCALAR && b->type == CV_I32 ? (int)CV_I32 : a->type;
    if (b->kind == SPE_SCALAR) return b->type;
    return a->kind == SPE_REAL || b->kind == SPE_REAL ? CV_F32 : CV_I32;
}

cv_val cv_binary_scalar_(cv_where_ w, int op, const char *name, const cv_any_ *given)
{
    const cv_val *a = &given[0].val, *b = &given[1].val;
    int type = cv_common_type_(a, b);
    if (!cv_enter_(w)) return cv_nothing_();
    spe_id p = cv_id_(w, type, a);
    spe_id q = cv_id_(w, type, b);
    spe_id r = p && q ? cv_emit_(&w.x->m, op, type, p, q) : 0;
    if (!r) cv_fail_(w, CV_ERROR_OPERATION, "%s on %s", name, cv_type_text_(type));
    return cv_scalar_(w.x, op >= SPE_ARITH_EQ ? (int)CV_BOOL_ : type, r, a->uniform && b->uniform);
}

XE_FN_ bool cv_check_condition_(cv_where_ w, const char *of, const cv_val *c)
{
    return spe_val_is_condition(c, CV_BOOL_) || cv_fail_(w, CV_ERROR_CONDITION, "%s got %s", of, cv_describe_(c).s);
}

/* given: the condition, and what it chooses from. */
cv_val cv_select_scalar_(cv_where_ w, const cv_any_ *given)
{
    const cv_val c = given[0].val, a = given[1].val, b = given[2].val;
    int type = cv_common_type_(&a, &b);
    if (!cv_enter_(w) || !cv_check_condition_(w, "CV_SELECT", &c) || !cv_live_(w, c.note)) return cv_nothing_();
    if (c.kind == SPE_INT) return c.integer ? a : b;
    spe_id p = cv_id_(w, type, &a);
    spe_id q = cv_id_(w, type, &b);
    return cv_scalar_(w.x, type, p && q ? spe_select(&w.x->m, c.id, p, q) : 0, c.uniform && a.uniform && b.uniform);
}

cv_val cv_builtin_(cv_where_ w, spe_builtin_name name)
{
    bool uniform = name != SPE_LOCAL_ID && name != SPE_GLOBAL_ID && name != SPE_SUBGROUP_LANE;
    return cv_enter_(w) ? cv_scalar_(w.x, CV_I32, spe_builtin(&w.x->m, name, 0), uniform) : cv_nothing_();
}

/* The first active work-item's value for the whole subgroup, which makes it uniform. */
cv_val cv_uniform_(cv_where_ w, cv_val v)
{
    if (!cv_enter_(w) || !cv_live_(w, v.note) || v.kind != SPE_SCALAR || v.uniform || v.type == CV_BOOL_) return v;
    return cv_scalar_(w.x, v.type, spe_sg_broadcast_first(&w.x->m, v.id), true);
}

XE_FN_ cv_vec cv_no_vec_(void)
{
    cv_vec v = {{NULL}, CV_INVALID, 0, 0, NULL, 0, 0};
    v.magic = CV_VEC_MAGIC_;
    return v;
}

/* Room for n ids. */
XE_FN_ spe_id *cv_ids_(spe_module *m, int n) { return (spe_id *)spe_alloc(m, (size_t)n * sizeof(spe_id)); }

/* A vector with room for its parts; without parts after an error. */
XE_FN_ cv_vec cv_new_(cv_ctx *x, int type, int n)
{
    cv_vec v = cv_no_vec_();
    if (!spe_ok(&x->m)) return v;
    v.type = (cv_type)type;
    v.length = n;
    v.side = cv_side_now_(x);
    v.part = cv_ids_(&x->m, spe_part_count(n));
    v.parts = v.part ? spe_part_count(n) : 0;
    return v;
}

XE_FN_ cv_vec cv_from_parts_(cv_ctx *x, int type, int n, const spe_id *parts)
{
    cv_vec v = cv_new_(x, type, n);
    if (v.parts) memcpy(v.part, parts, (size_t)v.parts * sizeof *parts);
    return v;
}

XE_FN_ bool cv_check_length_(cv_where_ w, int n)
{
    return (n >= 1 && n <= CV_VECTOR_MAX_) || cv_fail_(w, CV_ERROR_VECTOR_LENGTH, "got %d", n);
}

XE_FN_ bool cv_check_type_(cv_where_ w, int type)
{
    return cv_is_vector_type_(type) || cv_fail_(w, CV_ERROR_VECTOR_TYPE, "got %s; f16 f32 i16 u16 i32 u32 are possible",
                                                cv_type_name(type));
}

/* Checks that a vector is set and in scope. */
XE_FN_ bool cv_check_vec_(cv_where_ w, const cv_vec *v)
{
    if (v->magic != CV_VEC_MAGIC_ || !v->parts) return cv_fail_(w, CV_ERROR_UNSET, "a vector");
    return cv_live_(w, v->side);
}

/* The part of element i, and its component there. */
XE_FN_ int cv_part_of_(int n, int i, int *component)
{
    int part = 0;
    for (*component = i; *component >= spe_part_length(n, part); part++) *component -= spe_part_length(n, part);
    return part;
}

XE_FN_ spe_id cv_get_(spe_module *m, const cv_vec *v, int i)
{
    int component, part = cv_part_of_(v->length, i, &component);
    return spe_extract(m, v->part[part], (uint32_t)component);
}

/* A number that may stand anywhere, see spe_reload; conditions do anyway. */
XE_FN_ spe_id cv_reload_(cv_ctx *x, int type, spe_id id)
{
    return type == CV_BOOL_ ? id : spe_reload(&x->m, id);
}

XE_FN_ spe_id cv_take_(cv_ctx *x, const cv_vec *v, int i) { return cv_reload_(x, v->type, cv_get_(&x->m, v, i)); }

XE_FN_ void cv_take_all_(cv_ctx *x, const cv_vec *v, int first, int n, spe_id *ids)
{
    for (int i = 0; i < n; i++) ids[i] = cv_take_(x, v, first + i);
}

/* A SPIR-V vector (or scalar) of n scalars. */
XE_FN_ spe_id cv_join_(spe_module *m, spe_id scalar_type, int n, const spe_id *ids)
{
    return spe_construct(m, spe_vec(m, scalar_type, (uint32_t)n), (uint32_t)n, ids);
}

XE_FN_ cv_vec cv_from_scalars_(cv_ctx *x, int type, int n, const spe_id *ids)
{
    cv_vec v = cv_new_(x, type, n);
    for (int i = 0; i < v.parts; ids += spe_part_length(n, i), i++)
        v.part[i] = cv_join_(&x->m, cv_spe_type_(&x->m, type), spe_part_length(n, i), ids);
    return v;
}

/* n of a number, or of a condition. */
XE_FN_ cv_vec cv_repeat_(cv_where_ w, int type, int n, const cv_val *value)
{
    spe_id id = cv_id_(w, type, value);
    cv_vec v = cv_new_(w.x, type, n);
    for (int i = 0; i < v.parts; i++)
        v.part[i] =
            spe_splat(&w.x->m, spe_vec(&w.x->m, cv_spe_type_(&w.x->m, type), (uint32_t)spe_part_length(n, i)), id);
    return v;
}

cv_vec cv_splat_(cv_where_ w, int type, int n, cv_val value)
{
    if (!cv_enter_(w) || !cv_check_type_(w, type) || !cv_check_length_(w, n)) return cv_no_vec_();
    return cv_repeat_(w, type, n, &value);
}

cv_vec cv_vec_of_(cv_where_ w, int type, int n, const cv_val *values)
{
    spe_id ids[32];
    if (!cv_enter_(w) || !cv_check_type_(w, type) || !cv_check_length_(w, n > 32 ? 0 : n)) return cv_no_vec_();
    for (int i = 0; i < n; i++) ids[i] = cv_id_(w, type, &values[i]);
    return cv_from_scalars_(w.x, type, n, ids);
}

XE_FN_ bool cv_check_pointer_(cv_where_ w, const cv_val *v, const char *what)
{
    return (spe_val_is_set(v) && v->kind == SPE_POINTER) ||
           cv_fail_(w, CV_ERROR_POINTER, "%s is %s", what, cv_describe_(v).s);
}

/* The pointer's element `index`; the stride, or 0 if it is 1. */
XE_FN_ bool cv_locate_(cv_where_ w, const cv_memory_ *d, spe_id *at, spe_id *stride)
{
    bool strided = d->stride.magic && !(d->stride.kind == SPE_INT && d->stride.integer == 1);
    if (!cv_enter_(w) || !cv_check_pointer_(w, &d->ptr, "the first argument") || !cv_check_type_(w, d->ptr.type))
        return false;
    *at = d->index.magic ? spe_index(&w.x->m, d->ptr.id, cv_index_(w, &d->index, "the index")) : d->ptr.id;
    *stride = strided ? cv_index_(w, &d->stride, "the stride") : 0;
    return spe_ok(&w.x->m);
}

/* Element i from where cv_locate_ says, as a pointer to `width` elements. */
XE_FN_ spe_id cv_pointer_to_(spe_module *m, spe_id at, spe_id stride, int type, int i, int width)
{
    spe_id offset = stride ? spe_imul(m, stride, spe_i32(m, i)) : spe_i32(m, i);
    spe_id p = i ? spe_index(m, at, offset) : at;
    return width > 1 ? spe_ptr_cast(m, p, spe_vec(m, cv_spe_type_(m, type), (uint32_t)width)) : p;
}

cv_vec cv_load_(cv_where_ w, cv_memory_ d)
{
    spe_module *m = &w.x->m;
    int type = d.ptr.type;
    spe_id at, stride;
    if (!cv_locate_(w, &d, &at, &stride) || !cv_check_length_(w, d.count)) return cv_no_vec_();
    cv_vec v = cv_new_(w.x, type, d.count);
    spe_id *ids = stride ? cv_ids_(m, d.count) : v.part;
    for (int i = 0, part = 0, width; ids && i < d.count; i += width, part++) {
        width = stride ? 1 : spe_part_length(d.count, part);
        ids[part] = spe_load(m, cv_pointer_to_(m, at, stride, type, i, width), (uint32_t)cv_bytes_(type));
    }
    return stride && ids ? cv_from_scalars_(w.x, type, d.count, ids) : v;
}

void cv_store_(cv_where_ w, cv_memory_ d)
{
    spe_module *m = &w.x->m;
    const cv_vec v = d.vec;
    int type = d.ptr.type;
    spe_id at, stride;
    if (!cv_enter_(w) || !cv_check_vec_(w, &v) || !cv_locate_(w, &d, &at, &stride)) return;
    if (type != (int)v.type)
        cv_fail_(w, CV_ERROR_STORE_TYPE, "a vector of %s to a ptr<%s>; %s converts it", cv_type_text_(v.type),
                 cv_type_name(type), (int)v.type == CV_BOOL_ ? "CV_SELECT" : "CV_CAST");
    for (int i = 0, part = 0, width; spe_ok(m) && i < v.length; i += width, part++) {
        spe_id id = stride ? cv_get_(m, &v, i) : v.part[part];
        width = stride ? 1 : spe_part_length(v.length, part);
        spe_store(m, cv_pointer_to_(m, at, stride, type, i, width), id, (uint32_t)cv_bytes_(type));
    }
}

/* Is the constant i a valid element index? */
XE_FN_ bool cv_check_element_(cv_where_ w, const cv_vec *v, const cv_val *i)
{
    return cv_check_vec_(w, v) &&
           ((i->kind == SPE_INT && i->integer >= 0 && i->integer < v->length) ||
            cv_fail_(w, CV_ERROR_ELEMENT, "%s of a vector of %d", cv_describe_(i).s, v->length));
}

/* Element i, which may be computed by the kernel. */
cv_val cv_element_(cv_where_ w, const cv_any_ *given)
{
    const cv_vec v = given[0].vec;
    const cv_val i = given[1].val;
    spe_module *m = &w.x->m;
    spe_id got = 0;
    if (!cv_enter_(w) || !cv_check_vec_(w, &v)) return cv_nothing_();
    if (i.kind == SPE_INT) {
        if (cv_check_element_(w, &v, &i)) got = cv_take_(w.x, &v, (int)i.integer);
        return cv_scalar_(w.x, v.type, got, false);
    }
    spe_id at = cv_index_(w, &i, "the element's number");
    for (int part = 0, start = 0, n; at && part < v.parts; start += n, part++) {
        spe_id one = v.part[part], first = spe_i32(m, start);
        n = spe_part_length(v.length, part);
        if (n > 1) { /* masked, as lanes that need another part must not index outside this one */
            spe_id mask = spe_i32(m, n - 1);
            one = spe_extract_dyn(m, one, spe_and(m, spe_isub(m, at, first), mask));
        }
        got = got ? spe_select(m, spe_sge(m, at, first), one, got) : one;
    }
    return cv_scalar_(w.x, v.type, cv_reload_(w.x, v.type, got), false);
}

/* The vector with element i, a constant, replaced. */
cv_vec cv_set_element_(cv_where_ w, const cv_any_ *given)
{
    const cv_vec v = given[0].vec;
    const cv_val i = given[1].val, *value = &given[2].val;
    int component;
    if (!cv_enter_(w) || !cv_check_element_(w, &v, &i)) return cv_no_vec_();
    cv_vec out = cv_from_parts_(w.x, v.type, v.length, v.part);
    int part = cv_part_of_(v.length, (int)i.integer, &component);
    if (out.parts) out.part[part] = spe_insert(&w.x->m, v.part[part], cv_id_(w, v.type, value), (uint32_t)component);
    return out;
}

cv_vec cv_concat_(cv_where_ w, const cv_vec *given)
{
    const cv_vec a = given[0], b = given[1];
    spe_id ids[CV_VECTOR_MAX_];
    if (!cv_enter_(w) || !cv_check_vec_(w, &a) || !cv_check_vec_(w, &b)) return cv_no_vec_();
    if (a.type != b.type) cv_fail_(w, CV_ERROR_VEC_TYPE, "%s and %s", cv_type_text_(a.type), cv_type_text_(b.type));
    if (!cv_check_length_(w, a.length + b.length)) return cv_no_vec_();
    if (a.length % 8 == 0) {
        memcpy(ids, a.part, (size_t)a.parts * sizeof *ids);
        memcpy(ids + a.parts, b.part, (size_t)b.parts * sizeof *ids);
        return cv_from_parts_(w.x, a.type, a.length + b.length, ids);
    }
    cv_take_all_(w.x, &b, 0, b.length, ids + a.length);
    cv_take_all_(w.x, &a, 0, a.length, ids);
    return cv_from_scalars_(w.x, a.type, a.length + b.length, ids);
}

cv_vec cv_slice_(cv_where_ w, cv_vec v, int first, int n)
{
    spe_id ids[CV_VECTOR_MAX_];
    if (!cv_enter_(w) || !cv_check_vec_(w, &v) || !cv_check_length_(w, n)) return cv_no_vec_();
    if (first < 0 || first > v.length - n)
        return CV_FAIL_VEC_(w, CV_ERROR_ELEMENT, "%d to %lld of a vector of %d", first, (long long)first + n - 1,
                            v.length);
    if (first % 8 == 0 && (n % 8 == 0 || first + n == v.length))
        return cv_from_parts_(w.x, v.type, n, v.part + first / 8);
    cv_take_all_(w.x, &v, first, n, ids);
    return cv_from_scalars_(w.x, v.type, n, ids);
}

cv_interpreted_vector cv_same_input_(cv_interpreted_vector v) { return v; }
cv_interpreted_vector cv_plain_input_(cv_vec v)
{
    cv_interpreted_vector in = {v, v.type};
    return in;
}

/* Are both vectors of one type and length? */
XE_FN_ bool cv_check_alike_(cv_where_ w, const cv_vec *p, const cv_vec *q)
{
    if (!cv_check_vec_(w, p) || !cv_check_vec_(w, q)) return false;
    if (p->type != q->type)
        return cv_fail_(w, CV_ERROR_VEC_TYPE, "%s and %s", cv_type_text_(p->type), cv_type_text_(q->type));
    return p->length == q->length ||
           cv_fail_(w, CV_ERROR_VEC_SHAPE, "%d elements and %d", p->length, q->length);
}

/* Two operands as vectors of one type and length; a number is repeated. */
XE_FN_ bool cv_match_(cv_where_ w, const cv_any_ *a, const cv_any_ *b, cv_vec *p, cv_vec *q)
{
    const cv_vec *shape = cv_is_vec_(a) ? &a->vec : &b->vec;
    if (!cv_enter_(w) || !cv_check_vec_(w, shape)) return false;
    *p = cv_is_vec_(a) ? a->vec : cv_repeat_(w, shape->type, shape->length, &a->val);
    *q = cv_is_vec_(b) ? b->vec : cv_repeat_(w, shape->type, shape->length, &b->val);
    if (shape->cooperative && p->parts && q->parts && !(cv_is_vec_(a) && cv_is_vec_(b)))
        w.x->vulkan->repeat(w.x, shape == &a->vec ? q : p, shape->cooperative);
    return cv_check_alike_(w, p, q);
}

cv_vec cv_binary_vec_(cv_where_ w, int op, const char *name, const cv_any_ *given)
{
    cv_vec p, q;
    if (!cv_match_(w, &given[0], &given[1], &p, &q)) return cv_no_vec_();
    if ((p.cooperative || q.cooperative) && w.x->vulkan->takes(op, p.type)) return w.x->vulkan->binary(w.x, op, &p, &q);
    cv_vec v = cv_new_(w.x, op < SPE_ARITH_EQ ? (int)p.type : (int)CV_BOOL_, p.length);
    for (int i = 0; i < v.parts; i++) {
        v.part[i] = cv_emit_(&w.x->m, op, p.type, p.part[i], q.part[i]);
        if (!v.part[i]) cv_fail_(w, CV_ERROR_OPERATION, "%s on a vector of %s", name, cv_type_text_(p.type));
    }
    return v;
}

/* The operands of a choice by `c` as vectors; of two numbers, their common type. */
XE_FN_ bool cv_choices_(cv_where_ w, const cv_any_ *c, const cv_any_ *a, const cv_any_ *b, cv_vec *p, cv_vec *q)
{
    if (cv_is_vec_(a) || cv_is_vec_(b)) return cv_match_(w, a, b, p, q);
    int type = cv_common_type_(&a->val, &b->val);
    *p = cv_repeat_(w, type, c->vec.length, &a->val);
    *q = cv_repeat_(w, type, c->vec.length, &b->val);
    return cv_check_alike_(w, p, q);
}

/* given: the condition or mask, and what it chooses from; not all of them are numbers. */
cv_vec cv_select_vec_(cv_where_ w, const cv_any_ *given)
{
    cv_vec p, q;
    const cv_any_ *c = &given[0];
    bool mask = cv_is_vec_(c);
    if (!cv_enter_(w) || (mask && !cv_check_vec_(w, &c->vec))) return cv_no_vec_();
    if (mask && (int)c->vec.type != CV_BOOL_)
        return CV_FAIL_VEC_(w, CV_ERROR_CONDITION, "CV_SELECT got a vector of %s", cv_type_name(c->vec.type));
    if ((!mask && !cv_check_condition_(w, "CV_SELECT", &c->val)) || !cv_choices_(w, c, &given[1], &given[2], &p, &q))
        return cv_no_vec_();
    if (mask && c->vec.length != p.length)
        return CV_FAIL_VEC_(w, CV_ERROR_VEC_SHAPE, "a mask of %d elements and vectors of %d", c->vec.length, p.length);
    spe_id one = mask ? 0 : cv_id_(w, CV_BOOL_, &c->val);
    cv_vec v = cv_new_(w.x, p.type, p.length);
    for (int i = 0; i < v.parts; i++)
        v.part[i] = spe_select(&w.x->m, mask ? c->vec.part[i] : one, p.part[i], q.part[i]);
    return v;
}

/* Checks that a function of floats takes this type. */
XE_FN_ bool cv_check_real_(cv_where_ w, const char *function, const char *on, int type)
{
    return cv_is_float_(type) || cv_fail_(w, CV_ERROR_OPERATION, "%s on %s%s", function, on, cv_type_text_(type));
}

/* a b + c, rounded once. */
cv_vec cv_fma_(cv_where_ w, const cv_any_ *given)
{
    cv_vec p, q, r, v;
    if (!cv_match_(w, &given[0], &given[1], &p, &q) || !cv_match_(w, &given[2], &given[1], &r, &q) ||
        !cv_check_real_(w, "CV_FMA", "a vector of ", p.type))
        return cv_no_vec_();
    if (p.cooperative || q.cooperative || r.cooperative) return w.x->vulkan->multiply_add(w.x, &p, &q, &r);
    v = cv_new_(w.x, p.type, p.length);
    for (int i = 0; i < v.parts; i++) v.part[i] = spe_math3(&w.x->m, SPE_FMA, p.part[i], q.part[i], r.part[i]);
    return v;
}

/* Emits a function on f32 scalars or vectors. */
XE_FN_ spe_id cv_emit_function_(spe_module *m, int fn, spe_id v)
{
    spe_id type = spe_type_of(m, v), one = spe_const_f(m, type, 1.0), cube;
    if (fn < CV_SIGMOID_) return spe_math1(m, (spe_math_op)fn, v);
    if (fn == CV_SIGMOID_) return spe_fdiv(m, one, spe_fadd(m, one, spe_math1(m, SPE_EXP, spe_fneg(m, v))));
    /* x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) */
    cube = spe_fmul(m, v, spe_const_f(m, type, 0.044715));
    cube = spe_fmul(m, spe_fmul(m, v, v), cube);
    spe_id scale = spe_const_f(m, type, 0.7978845608028654);
    cube = spe_fmul(m, spe_fadd(m, v, cube), scale);
    one = spe_fadd(m, one, spe_math1(m, SPE_TANH, cube));
    return spe_fmul(m, spe_fmul(m, v, spe_const_f(m, type, 0.5)), one);
}

/* f16 is computed in f32 and rounded once. */
XE_FN_ spe_id cv_function_of_(spe_module *m, int fn, int type, spe_id v)
{
    spe_id wide = spe_vec_like(m, spe_float(m, 32), v);
    if (type == CV_F32 || fn == SPE_FABS || fn == SPE_FLOOR) return cv_emit_function_(m, fn, v);
    return spe_fconvert(m, spe_type_of(m, v), cv_emit_function_(m, fn, spe_fconvert(m, wide, v)));
}

cv_vec cv_function_vec_(cv_where_ w, int fn, const char *name, cv_any_ a)
{
    if (!cv_enter_(w) || !cv_check_vec_(w, &a.vec) || !cv_check_real_(w, name, "a vector of ", a.vec.type))
        return cv_no_vec_();
    cv_vec v = cv_new_(w.x, a.vec.type, a.vec.length);
    for (int i = 0; i < v.parts; i++) v.part[i] = cv_function_of_(&w.x->m, fn, v.type, a.vec.part[i]);
    return v;
}

cv_val cv_function_scalar_(cv_where_ w, int fn, const char *name, cv_any_ a)
{
    int type = a.val.kind == SPE_SCALAR ? a.val.type : CV_F32;
    if (!cv_enter_(w) || !cv_check_real_(w, name, "", type)) return cv_nothing_();
    spe_id id = cv_id_(w, type, &a.val);
    return cv_scalar_(w.x, type, id ? cv_function_of_(&w.x->m, fn, type, id) : 0, a.val.uniform);
}

/* given: the vector and the slope. */
cv_vec cv_leaky_relu_(cv_where_ w, const cv_any_ *given)
{
    spe_module *m = &w.x->m;
    cv_vec p, q;
    if (!cv_match_(w, &given[0], &given[1], &p, &q)) return cv_no_vec_();
    cv_vec v = cv_new_(w.x, p.type, p.length);
    for (int i = 0; i < v.parts; i++) {
        spe_id zero = spe_null(m, spe_type_of(m, p.part[i]));
        spe_id below = cv_emit_(m, SPE_ARITH_MUL, p.type, p.part[i], q.part[i]);
        v.part[i] = spe_select(m, cv_emit_(m, SPE_ARITH_GT, p.type, p.part[i], zero), p.part[i], below);
    }
    return v;
}

/* The bounds of an integer type. */
XE_FN_ int64_t cv_least_(int bits, bool is_signed) { return is_signed ? -((int64_t)1 << (bits - 1)) : 0; }
XE_FN_ int64_t cv_most_(int bits, bool is_signed) { return ((int64_t)1 << (bits - is_signed)) - 1; }

/* Between lo and hi, in v's own type. */
XE_FN_ spe_id cv_clamp_int_(spe_module *m, spe_id v, bool is_signed, int64_t lo, int64_t hi)
{
    spe_id type = spe_type_of(m, v);
    int bits = (int)spe_width(m, type);
    if (lo > cv_least_(bits, is_signed)) v = spe_math2(m, is_signed ? SPE_SMAX : SPE_UMAX, v, spe_const_i(m, type, lo));
    if (hi < cv_most_(bits, is_signed)) v = spe_math2(m, is_signed ? SPE_SMIN : SPE_UMIN, v, spe_const_i(m, type, hi));
    return v;
}

XE_FN_ spe_id cv_int_to_int_(spe_module *m, spe_id v, int from, int to)
{
    const cv_type_row *t = cv_type_info(to);
    bool sign = cv_is_signed_(from);
    spe_id type = spe_vec_like(m, cv_spe_type_(m, to), v);
    v = cv_clamp_int_(m, v, sign, cv_least_(t->bits, t->is_signed), cv_most_(t->bits, t->is_signed));
    return spe_cast(m, type, v, sign);
}

XE_FN_ spe_id cv_float_to_int_(spe_module *m, spe_id v, int to)
{
    spe_id wide = spe_vec_like(m, spe_float(m, 32), v), integer = spe_vec_like(m, spe_int(m, 32), v),
           type = spe_vec_like(m, cv_spe_type_(m, to), v);
    const cv_type_row *t = cv_type_info(to);
    v = spe_math1(m, SPE_RINT, spe_fconvert(m, wide, v));
    if (t->bits < 32) { /* the bounds are exact in f32; fmax turns NaN into the lower bound, so NaN is replaced first */
        double lo = (double)cv_least_(t->bits, t->is_signed), hi = (double)cv_most_(t->bits, t->is_signed);
        spe_id zero = spe_const_f(m, wide, 0);
        v = spe_select(m, spe_isnan(m, v), zero, v);
        spe_id most = spe_const_f(m, wide, hi);
        v = spe_math2(m, SPE_FMIN, spe_math2(m, SPE_FMAX, v, spe_const_f(m, wide, lo)), most);
        return spe_uconvert(m, type, spe_f_to_s(m, integer, v));
    }
    spe_conversion saturating = {true, t->is_signed, true, false, 0};
    return spe_cast_as(m, type, v, &saturating);
}

/* f32 rounded to an FP8 value, still f32: to a multiple of the last place, 2^(exponent - mantissa bits). */
XE_FN_ spe_id cv_round_fp8_(spe_module *m, spe_id v, int to)
{
    spe_id real = spe_vec_like(m, spe_float(m, 32), v), word = spe_vec_like(m, spe_int(m, 32), v), e, place, inverse, r;
    int mantissa = to == CV_E4M3 ? 3 : 2, least = to == CV_E4M3 ? 127 - 6 : 127 - 14; /* of normal numbers, biased */
    double largest = to == CV_E4M3 ? 448 : 57344;
    spe_id exponents = spe_const_u(m, word, 255), shift = spe_const_u(m, word, 23);
    e = spe_and(m, spe_shr(m, spe_bitcast(m, word, v), shift), exponents);
    e = spe_math2(m, SPE_UMAX, e, spe_const_i(m, word, least));
    place = spe_bitcast(m, real, spe_shl(m, spe_isub(m, e, spe_const_i(m, word, mantissa)), shift));
    inverse = spe_bitcast(m, real, spe_shl(m, spe_isub(m, spe_const_i(m, word, 254 + mantissa), e), shift));
    r = spe_fmul(m, spe_math1(m, SPE_RINT, spe_fmul(m, v, inverse)), place);
    spe_id most = spe_const_f(m, real, largest);
    r = spe_math2(m, SPE_FMIN, spe_math2(m, SPE_FMAX, r, spe_const_f(m, real, -largest)), most);
    return spe_select(m, spe_isnan(m, v), v, r);
}

/* FP8 in the upper halves of 16-bit integers (the lower are ignored) as f16 of the same value. E5M2 needs no change;
 * E4M3 has one more mantissa bit, and its exponent bias is 8 less. Only its NaN, all ones, becomes a power of two when
 * one is added below the mantissa, and the resulting bit makes it a NaN in f16. */
XE_FN_ spe_id cv_decode_fp8_high_(spe_module *m, spe_id v, int type)
{
    spe_id half = spe_vec_like(m, spe_float(m, 16), v), word = spe_type_of(m, v), nan;
    if (type == CV_E5M2) return spe_bitcast(m, half, spe_and(m, v, spe_const_u(m, word, 0xff00)));
    spe_id kept = spe_const_u(m, word, 0xbf80);
    v = spe_and(m, spe_sar(m, v, spe_const_u(m, word, 1)), kept);
    spe_id top = spe_const_u(m, word, 0x4000);
    nan = spe_and(m, spe_iadd(m, v, spe_const_u(m, word, 0x80)), top);
    spe_id scale = spe_const_f(m, half, 256);
    return spe_fmul(m, spe_bitcast(m, half, spe_or(m, v, nan)), scale);
}

/* Converts a value in memory to the form it is held in. */
XE_FN_ spe_id cv_decode_(spe_module *m, spe_id v, int type)
{
    if (!cv_is_fp8_(type)) return v;
    spe_id word = spe_vec_like(m, spe_int(m, 16), v), eight = spe_const_u(m, word, 8);
    return cv_decode_fp8_high_(m, spe_shl(m, spe_uconvert(m, word, v), eight), type);
}

XE_FN_ spe_id cv_float_to_float_(spe_module *m, spe_id v, int from, int to)
{
    spe_id real = spe_vec_like(m, spe_float(m, 32), v), half = spe_vec_like(m, spe_float(m, 16), v);
    if (!cv_is_fp8_(to)) return spe_fconvert(m, to == CV_F32 ? real : half, v);
    return from == to ? v : spe_fconvert(m, half, cv_round_fp8_(m, spe_fconvert(m, real, v), to));
}

/* 32-bit integers are converted to floats of 16 bits and less through f32, which is exact after clamping those that
 * become infinity or the maximum anyway. */
XE_FN_ spe_id cv_int_to_float_(spe_module *m, spe_id v, int from, int to)
{
    spe_id real = spe_vec_like(m, spe_float(m, 32), v);
    bool sign = cv_is_signed_(from);
    if (to != CV_F32) v = cv_clamp_int_(m, v, sign, sign ? -65536 : 0, 65536);
    return cv_float_to_float_(m, spe_cast(m, real, v, sign), CV_F32, to);
}

/* Converts a held scalar or vector to another type. Neither is packed. */
XE_FN_ spe_id cv_convert_value_(spe_module *m, spe_id v, int from, int to)
{
    if (!spe_ok(m) || from == to) return v;
    if (cv_is_float_(from)) return cv_is_float_(to) ? cv_float_to_float_(m, v, from, to) : cv_float_to_int_(m, v, to);
    return cv_is_float_(to) ? cv_int_to_float_(m, v, from, to) : cv_int_to_int_(m, v, from, to);
}

/* Converts a held value to the type of sums: f32, or a 32-bit integer. Exact except for 32-bit integers to f32. */
XE_FN_ spe_id cv_to_sum_(spe_module *m, spe_id v, int type, bool real)
{
    return spe_cast(m, spe_vec_like(m, real ? spe_float(m, 32) : spe_int(m, 32), v), v, cv_is_signed_(type));
}

/* Converts a vector to another type. */
XE_FN_ cv_vec cv_convert_vec_(cv_ctx *x, const cv_vec *v, int type)
{
    cv_vec r = cv_new_(x, type, v->length);
    for (int i = 0; i < r.parts; i++) r.part[i] = cv_convert_value_(&x->m, v->part[i], v->type, type);
    return r;
}

cv_vec cv_cast_vec_(cv_where_ w, int type, cv_any_ a)
{
    if (!cv_enter_(w) || !cv_check_vec_(w, &a.vec) || !cv_check_type_(w, type)) return cv_no_vec_();
    if ((int)a.vec.type == CV_BOOL_)
        return CV_FAIL_VEC_(w, CV_ERROR_SCALAR_TYPE, "a mask to %s; CV_SELECT converts it", cv_type_name(type));
    return cv_convert_vec_(w.x, &a.vec, type);
}

cv_val cv_cast_scalar_(cv_where_ w, int type, cv_any_ a)
{
    int from = cv_common_type_(&a.val, &a.val);
    if (!cv_enter_(w)) return cv_nothing_();
    if (!cv_type_info(type) || cv_is_packed_(type) || cv_is_fp8_(type) || from == CV_BOOL_)
        cv_fail_(w, CV_ERROR_SCALAR_TYPE, "%s to %s", cv_type_text_(from), cv_type_text_(type));
    spe_id id = spe_ok(&w.x->m) ? cv_id_(w, from, &a.val) : 0;
    return cv_scalar_(w.x, type, id ? cv_convert_value_(&w.x->m, id, from, type) : 0, a.val.uniform);
}

/* products.c - matrices and vectors in memory, products and accumulation. */

XE_FN_ bool cv_check_offset_(cv_where_ w, const cv_val *offset, int multiple, int error)
{
    return !spe_val_is_set(offset) || offset->kind != SPE_INT ||
           (offset->integer >= 0 && offset->integer % multiple == 0) ||
           cv_fail_(w, error, "offset %lld", (long long)offset->integer);
}

/* Checks the stride, or sets it to the minimum. */
XE_FN_ void cv_check_stride_(cv_where_ w, cv_matrix_ref *r)
{
    cv_stored_ s = {r->layout, r->interpretation, (uint32_t)r->rows, (uint32_t)r->cols, 0};
    uint32_t line = (uint32_t)cv_line_bytes_(&s);
    bool constant = r->stride.kind == SPE_INT;
    if (!spe_val_is_set(&r->stride)) r->stride = spe_val_int(cv_round_up_(line, 16));
    else if (cv_is_optimal_(r->layout) && !(constant && r->stride.integer == 0))
        cv_fail_(w, CV_ERROR_STRIDE_NOT_ZERO, "%s, stride %s", cv_layout_name(r->layout), cv_describe_(&r->stride).s);
    else if (constant && r->stride.integer < (int64_t)line)
        cv_fail_(w, CV_ERROR_STRIDE, "%lld, the length is %u", (long long)r->stride.integer, (unsigned)line);
    else if (constant && r->stride.integer % 16)
        cv_fail_(w, CV_ERROR_STRIDE_MULTIPLE, "%lld", (long long)r->stride.integer);
}

/* Checks and completes a reference. */
cv_matrix_ref cv_matrix_ref_(cv_where_ w, cv_matrix_ref r)
{
    if (!cv_enter_(w) || !cv_check_pointer_(w, &r.base, "the matrix")) return r;
    if (!cv_is_memory_type_(r.interpretation))
        cv_fail_(w, CV_ERROR_MATRIX_INTERPRETATION, "got %s", cv_type_name(r.interpretation));
    else if (r.rows < 1 || r.cols < 1 || r.rows > CV_VECTOR_MAX_ || r.cols > 4 * CV_VECTOR_MAX_)
        cv_fail_(w, CV_ERROR_SHAPE, "M %d, K %d: at least 1, at most %d and %d in a kernel", r.rows, r.cols,
                 (int)CV_VECTOR_MAX_, 4 * CV_VECTOR_MAX_);
    else if ((int)r.layout < 0 || r.layout > CV_DEVICE_OUTER_PRODUCT_OPTIMAL)
        cv_fail_(w, CV_ERROR_LAYOUT, "got %d; there are 0 to %d", (int)r.layout, (int)CV_DEVICE_OUTER_PRODUCT_OPTIMAL);
    else if (cv_is_device_layout_(r.layout) && !w.x->vulkan)
        cv_fail_(w, CV_ERROR_LAYOUT, "got %d, %s; %s has no cooperative vectors, or they are not used", (int)r.layout,
                 cv_layout_name(r.layout), w.x->target.name);
    else if (r.transpose && !cv_is_optimal_(r.layout))
        cv_fail_(w, CV_ERROR_TRANSPOSE, "%s, transposed", cv_layout_name(r.layout));
    else if (cv_is_fp8_(r.interpretation) && !cv_is_optimal_(r.layout))
        cv_fail_(w, CV_ERROR_FP8_LAYOUT, "%s in %s", cv_type_name(r.interpretation), cv_layout_name(r.layout));
    else if (cv_check_offset_(w, &r.offset, 128, CV_ERROR_MATRIX_ALIGNMENT)) cv_check_stride_(w, &r);
    return r;
}

cv_vector_ref cv_vector_ref_(cv_where_ w, cv_vector_ref r)
{
    if (!cv_enter_(w) || !cv_check_pointer_(w, &r.base, "the vector")) return r;
    if (!cv_is_memory_type_(r.interpretation))
        cv_fail_(w, CV_ERROR_BIAS_INTERPRETATION, "got %s", cv_type_name(r.interpretation));
    else cv_check_offset_(w, &r.offset, 64, CV_ERROR_VECTOR_ALIGNMENT);
    return r;
}

/* A loop over 0, step, 2 step ... below n. And element `index` of an array variable. */
XE_FN_ spe_id cv_loop_(spe_module *m, int n, int step)
{
    spe_id by = spe_i32(m, step), end = spe_i32(m, n);
    return spe_for(m, spe_i32(m, 0), end, by, 0, NULL);
}

XE_FN_ spe_id cv_at_(spe_module *m, spe_id variable, spe_id index) { return spe_element(m, variable, 1, &index); }

/* base + offset as a pointer to bytes. */
XE_FN_ spe_id cv_bytes_at_(cv_where_ w, const cv_val *base, const cv_val *offset)
{
    spe_module *m = &w.x->m;
    spe_id p = spe_ptr_cast(m, base->id, spe_int(m, 8));
    if (!spe_val_is_set(offset) || (offset->kind == SPE_INT && offset->integer == 0)) return p;
    return spe_index(m, p, cv_index_(w, offset, "the offset"));
}

XE_FN_ cv_surface_ cv_surface_of_(cv_where_ w, const cv_matrix_ref *r)
{
    spe_id base = cv_bytes_at_(w, &r->base, &r->offset);
    spe_id stride = cv_is_optimal_(r->layout) ? 0 : cv_index_(w, &r->stride, "the stride");
    cv_surface_ s = {w.x, base, stride, r->interpretation, cv_bytes_(r->interpretation), r->rows, r->cols,
                     r->transpose ? r->cols : r->rows, r->layout, r->transpose,
                     r->transpose || r->layout == CV_COLUMN_MAJOR};
    return s;
}

/* Byte offset of the product's element (m, k), i32 ids, as in cv_element_offset. */
XE_FN_ spe_id cv_offset_(const cv_surface_ *s, spe_id row, spe_id col)
{
    spe_module *m = &s->x->m;
    spe_id r = s->transpose ? col : row, c = s->transpose ? row : col, along = spe_imul(m, c, spe_i32(m, s->bytes));
    int panel = (int)cv_optimal_rows_((uint32_t)s->rows) * 64;
    if (s->layout == CV_ROW_MAJOR) return spe_iadd(m, spe_imul(m, r, s->stride), along);
    if (s->layout == CV_COLUMN_MAJOR) {
        spe_id down = spe_imul(m, r, spe_i32(m, s->bytes));
        return spe_iadd(m, spe_imul(m, c, s->stride), down);
    }
    spe_id in_panel = spe_and(m, along, spe_i32(m, 63));
    in_panel = spe_iadd(m, spe_imul(m, r, spe_i32(m, 64)), in_panel);
    spe_id size = spe_i32(m, panel);
    return spe_iadd(m, spe_imul(m, spe_shr(m, along, spe_i32(m, 6)), size), in_panel);
}

/* That element as a pointer to n elements of SPIR-V type `scalar`. */
XE_FN_ spe_id cv_address_(const cv_surface_ *s, spe_id row, spe_id col, spe_id scalar, int n)
{
    spe_id at = cv_offset_(s, row, col), type = spe_vec(&s->x->m, scalar, (uint32_t)n);
    return spe_ptr_cast(&s->x->m, spe_index(&s->x->m, s->base, at), type);
}

/* Loads n elements of a vector from element `first` on, as one SPIR-V vector of the sums' type. */
XE_FN_ spe_id cv_load_bias_(spe_module *m, spe_id base, int type, spe_id first, int n, bool real)
{
    int bytes = cv_bytes_(type);
    spe_id at = spe_index(m, base, spe_imul(m, first, spe_i32(m, bytes))), scalar = cv_spe_type_(m, type);
    at = spe_load(m, spe_ptr_cast(m, at, spe_vec(m, scalar, (uint32_t)n)), (uint32_t)bytes);
    return cv_to_sum_(m, cv_decode_(m, at, type), type, real);
}

/* A float bias is added to an integer sum after conversion to f32; other biases are the sum's initial value. */
XE_FN_ bool cv_bias_in_sum_(const cv_product_ *p) { return p->bias && (p->real || !cv_is_float_(p->bias_type)); }

XE_FN_ spe_id cv_sum_scalar_(const cv_product_ *p) { return p->real ? spe_float(p->m, 32) : spe_int(p->m, 32); }

/* The initial value of the sums of rows first .. first + n. */
XE_FN_ spe_id cv_sum_start_(const cv_product_ *p, spe_id first, int n)
{
    if (cv_bias_in_sum_(p)) return cv_load_bias_(p->m, p->bias, p->bias_type, first, n, p->real);
    return spe_null(p->m, spe_vec(p->m, cv_sum_scalar_(p), (uint32_t)n));
}

/* Converts sums of rows first .. to elements of the output. */
XE_FN_ spe_id cv_finish_sum_(const cv_product_ *p, spe_id sum, spe_id first, int n)
{
    if (!p->bias || cv_bias_in_sum_(p)) return cv_convert_value_(p->m, sum, p->sum_type, p->out.type);
    sum = cv_convert_value_(p->m, sum, p->sum_type, CV_F32);
    sum = spe_fadd(p->m, sum, cv_load_bias_(p->m, p->bias, p->bias_type, first, n, true));
    return cv_convert_value_(p->m, sum, CV_F32, p->out.type);
}

/* Are four products of bytes and their sum one instruction, along K? */
XE_FN_ bool cv_has_dots_(const cv_product_ *p)
{
    const int in = p->in.interpretation, a = p->a.type;
    return p->x->target.block1d && !p->a.across && p->a.k % 4 == 0 && (a == CV_I8 || a == CV_U8) &&
           (in == CV_I8 || in == CV_U8 || cv_is_packed_(in));
}

/* Makes the matrix and the input ones of dwords, of four bytes each. */
XE_FN_ bool cv_input_dwords_(cv_product_ *p, spe_id *out)
{
    spe_module *m = p->m;
    const int type = p->in.interpretation;
    const bool packed = cv_is_packed_(type);
    const cv_vec v = packed ? p->in.vec : cv_convert_vec_(p->x, &p->in.vec, type);
    spe_id byte = spe_int(m, 8), dword = spe_int(m, 32);
    p->dots = true;
    p->a.type = p->a.type == CV_I8 ? CV_I32 : CV_U32;
    p->a.bytes = 4;
    p->a.k /= 4;
    for (int i = 0; v.parts && i < p->a.k; i++) {
        spe_id four[4];
        for (int j = 0; !packed && j < 4; j++) four[j] = cv_get_(m, &v, 4 * i + j);
        spe_id bytes = packed ? 0 : cv_join_(m, byte, 4, four);
        out[i] = packed ? cv_get_(m, &v, i) : spe_bitcast(m, dword, bytes);
    }
    return spe_ok(m);
}

/* The input's K elements, interpreted, in the type of the sums. */
XE_FN_ bool cv_input_lanes_(const cv_product_ *p, spe_id *out)
{
    spe_module *m = p->m;
    int type = p->in.interpretation;
    bool packed = cv_is_packed_(type), sign = cv_is_signed_(type);
    for (int i = 0; i < p->a.k; i++) {
        spe_id up = packed ? spe_i32(m, 24 - i % 4 * 8) : 0;
        spe_id v = packed ? spe_shl(m, cv_get_(m, &p->in.vec, i / 4), up)
                          : cv_convert_value_(m, cv_get_(m, &p->in.vec, i), p->in.vec.type, type);
        if (packed) v = sign ? spe_sar(m, v, spe_i32(m, 24)) : spe_shr(m, v, spe_i32(m, 24));
        out[i] = cv_to_sum_(m, v, packed ? sign ? CV_I32 : CV_U32 : type, p->real);
    }
    return spe_ok(m);
}

/* One run of n (8, 4, 2 or 1) neighbours in memory, from A[row][col] on. Along k: sums[0] += A[row][col + j] v[j];
 * across: sums[j] += A[row + j][col] v[0]. Rows are aligned to 16, but the position within the row may be unknown. */
XE_FN_ void cv_lanes_neighbours_(const cv_product_ *p, spe_id row, spe_id col, int n, const spe_id *v, spe_id *sums)
{
    spe_module *m = p->m;
    spe_id at = cv_address_(&p->a, row, col, cv_spe_type_(m, p->a.type), n), a[8];
    at = cv_decode_(m, spe_load(m, at, (uint32_t)p->a.bytes), p->a.type);
    for (int i = 0; i < n; i++) a[i] = spe_extract(m, at, (uint32_t)i);
    for (int i = 0; i < n; i++) {
        spe_id *sum = &sums[p->a.across ? i : 0], x = v[p->a.across ? 0 : i];
        if (p->dots) {
            bool with_signs = cv_is_signed_(p->in.interpretation);
            *sum = spe_iadd(m, *sum, spe_dot_bytes(m, x, with_signs, a[i], p->a.type == CV_I32));
            continue;
        }
        spe_id e = cv_to_sum_(m, a[i], p->a.type, p->real);
        /* compilers fuse; sums come first, see cm_mul_add_plain_ */
        *sum = p->real ? spe_fadd(m, *sum, spe_fmul(m, e, x)) : spe_iadd(m, *sum, spe_imul(m, e, x));
    }
}

/* Sums of `rows` rows (more than one only if rows are neighbours in memory) over all of K. input: a variable with K
 * elements, for a loop over K; 0: unrolled, with the ids in v. */
XE_FN_ void cv_lanes_rows_(const cv_product_ *p, spe_id row, int rows, const spe_id *v, spe_id input, spe_id *sums)
{
    spe_module *m = p->m;
    spe_id start = cv_sum_start_(p, row, rows), x[8], k;
    int step = p->a.across ? 1 : 8, full = input ? p->a.k / step * step : 0;
    for (int i = 0; i < rows; i++) sums[i] = spe_extract(m, start, (uint32_t)i);
    if (full) {
        spe_id by = spe_i32(m, step), end = spe_i32(m, full);
        k = spe_for(m, spe_i32(m, 0), end, by, (uint32_t)rows, sums);
        for (int i = 0; i < step; i++) x[i] = spe_load(m, cv_at_(m, input, spe_iadd(m, k, spe_i32(m, i))), 0);
        cv_lanes_neighbours_(p, row, k, p->a.across ? rows : 8, x, sums);
        spe_endfor(m, (uint32_t)rows, sums);
    }
    for (int i = full, n; i < p->a.k; i += p->a.across ? 1 : n) {
        n = spe_part_length(p->a.k - i, 0);
        cv_lanes_neighbours_(p, row, spe_i32(m, i), p->a.across ? rows : n, v + i, sums);
    }
    start = cv_finish_sum_(p, cv_join_(m, cv_sum_scalar_(p), rows, sums), row, rows);
    for (int i = 0; i < rows; i++) sums[i] = spe_extract(m, start, (uint32_t)i);
}

/* A variable for n results, which are read from it before the next product. Intel's compiler keeps the address of each
 * element in a register, where registers have room for these beside the results; then products of the same type and
 * number share one variable. An even number: where a 16-bit array ends within a dword, it spills registers over it. */
XE_FN_ spe_id cv_results_(const cv_product_ *p, int n)
{
    spe_module *m = p->m;
    spe_id type = spe_array(m, cv_spe_type_(m, p->out.type), cv_round_up_((uint32_t)n, 2)), *last = &p->x->results;
    const bool room = n * p->x->S * (cv_bytes_(p->out.type) + 4) < p->x->target.registers;
    if (!room) return spe_local_var(m, type);
    if (!*last || spe_type_of(m, *last) != spe_ptr(m, SPE_StorageClassFunction, type)) *last = spe_local_var(m, type);
    return *last;
}

/* Rolled: the output is a variable, and a loop goes over blocks of rows (one row, or eight neighbours); the input is a
 * variable too, unless a row is short enough to unroll. Small products are fully unrolled. */
XE_FN_ void cv_mul_lanes_(cv_product_ *p)
{
    spe_module *m = p->m;
    bool rolled = p->a.m * p->a.k > 64;
    int step = p->a.across ? 8 : 1, full = rolled ? p->a.m / step * step : 0;
    spe_id *v = cv_ids_(m, p->a.k), *out = cv_ids_(m, p->a.m), input = 0, output, row, sums[8];
    if (!v || !out || !(cv_has_dots_(p) ? cv_input_dwords_(p, v) : cv_input_lanes_(p, v))) return;
    if (rolled && (p->a.across || p->a.k > 64)) {
        input = spe_local_var(m, spe_array(m, cv_sum_scalar_(p), (uint32_t)p->a.k));
        for (int i = 0; i < p->a.k; i++) spe_store(m, cv_at_(m, input, spe_i32(m, i)), v[i], 0);
    }
    if (full) {
        output = cv_results_(p, full);
        row = cv_loop_(m, full, step);
        cv_lanes_rows_(p, row, step, v, input, sums);
        for (int i = 0; i < step; i++) spe_store(m, cv_at_(m, output, spe_iadd(m, row, spe_i32(m, i))), sums[i], 0);
        spe_endfor(m, 0, NULL);
        for (int i = 0; i < full; i++) out[i] = spe_load(m, cv_at_(m, output, spe_i32(m, i)), 0);
    }
    for (int i = full, n; i < p->a.m; i += n) {
        n = p->a.across ? spe_part_length(p->a.m - i, 0) : 1;
        cv_lanes_rows_(p, spe_i32(m, i), n, v, input, out + i);
    }
    p->out = cv_from_scalars_(p->x, p->out.type, p->a.m, out);
}

/* ---- the matrix instruction --------------------------------------------------------------------------------------
 *
 * A lane's own vector, packed to dwords, is that lane's column of the instruction's B operand, and the resulting sums
 * are the lane's own. The matrix is A: eight rows, 32 bytes of k, where lane l holds bytes l 32 / S ... of each row.
 * One product serves all lanes. FP8 becomes f16 in registers, where the instruction lacks it: 32 bytes of a row then
 * make two operands, one from half of each dword's elements, one from the other (subgroup size 16: even and odd k), and
 * the vector is packed with the same permutation of k.
 */

enum { CV_DPAS_NONE_, CV_DPAS_F16_, CV_DPAS_I8_, CV_DPAS_FP8_ };

/* Combines two vec8 as the lower and upper halves of a vec8 of integers twice as wide. */
XE_FN_ spe_id cv_zip_(spe_module *m, spe_id low, spe_id high, int bits)
{
    static const uint32_t order[16] = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
    spe_id mixed = spe_shuffle(m, low, high, 16, order);
    return spe_bitcast(m, spe_vec(m, spe_int(m, (uint32_t)bits * 2), 8), mixed);
}

/* For neighbours along m: each lane loads the runs of its own rows of k. FP8 becomes f16 for products of that. */
XE_FN_ spe_id cv_a_across_(const cv_product_ *p, int block, int k0)
{
    const cv_surface_ *s = &p->a;
    spe_module *m = p->m;
    spe_id v[4], row = spe_i32(m, block * 8), scalar = spe_int(m, (uint32_t)s->bytes * 8);
    for (int i = 0; i < p->R; i++) {
        spe_id first = spe_i32(m, k0 + i), k = spe_iadd(m, spe_imul(m, p->lane, spe_i32(m, p->R)), first), inside = 0;
        if (k0 + p->depth > s->k) {
            inside = spe_slt(m, k, spe_i32(m, s->k));
            k = spe_math2(m, SPE_SMIN, k, spe_i32(m, s->k - 1));
        }
        v[i] = spe_load(m, cv_address_(s, row, k, scalar, 8), (uint32_t)(8 * s->bytes));
        if (cv_is_fp8_(s->type) && p->kind == CV_DPAS_F16_) {
            v[i] = cv_decode_(m, v[i], s->type);
            v[i] = spe_bitcast(m, spe_vec(m, spe_int(m, 16), 8), v[i]);
        }
        if (inside) v[i] = spe_select(m, inside, v[i], spe_null(m, spe_type_of(m, v[i])));
    }
    for (int n = p->R, bits = p->kind == CV_DPAS_F16_ ? 16 : 8; n > 1; n /= 2, bits *= 2)
        for (int j = 0; j < n / 2; j++) v[j] = cv_zip_(m, v[2 * j], v[2 * j + 1], bits);
    return v[0];
}

/* For neighbours along k: each lane loads its part of eight rows. Rows past the last one repeat it and are unused. */
XE_FN_ spe_id cv_a_along_(const cv_product_ *p, int block, int raw)
{
    const cv_surface_ *s = &p->a;
    spe_module *m = p->m;
    int each = 32 / p->x->S, elements = each / s->bytes, k0 = raw * 32 / s->bytes;
    spe_id scalar = spe_int(m, (uint32_t)each * 8), v[8], inside = 0;
    spe_id first = spe_i32(m, k0), k = spe_iadd(m, spe_imul(m, p->lane, spe_i32(m, elements)), first), a;
    if (!cv_is_optimal_(s->layout) && k0 + 32 / s->bytes > s->k) {
        inside = spe_slt(m, k, spe_i32(m, s->k));
        k = spe_math2(m, SPE_SMIN, k, spe_i32(m, s->k - elements));
    }
    for (int i = 0; i < 8; i++) {
        int row = block * 8 + i;
        if (!cv_is_optimal_(s->layout) && row >= s->m) row = s->m - 1;
        v[i] = spe_load(m, cv_address_(s, spe_i32(m, row), k, scalar, 1), (uint32_t)each);
    }
    a = cv_join_(m, scalar, 8, v);
    return inside ? spe_select(m, inside, a, spe_null(m, spe_type_of(m, a))) : a;
}

/* The eight rows of raw operands raw, raw + 1 by two messages of one dimension, where rows of both adjoin in memory: an
 * optimal layout, and subgroups of 8, whose lanes have a dword each of an operand's 32 bytes of a row. */
XE_FN_ void cv_a_lines_(const cv_product_ *p, int block, int raw, spe_id out[2])
{
    static const uint32_t order[2][8] = {{0, 2, 4, 6, 8, 10, 12, 14}, {1, 3, 5, 7, 9, 11, 13, 15}};
    const cv_surface_ *s = &p->a;
    spe_module *m = p->m;
    const int rows = (int)cv_optimal_rows_((uint32_t)s->m), first = (raw / 2 * rows + block * 8) * 64;
    spe_id word = spe_int(m, 32), half[2];
    for (int i = 0; i < 2; i++) {
        spe_id at = spe_index(m, s->base, spe_i32(m, first + i * 256));
        const uint32_t from = spe_ptr_cast(m, at, word);
        half[i] = spe_op(m, SPE_OpSubgroupBlockReadINTEL, spe_vec(m, word, 8), 1, &from);
    }
    for (int j = 0; j < 2; j++) out[j] = spe_shuffle(m, half[0], half[1], 8, order[j]);
}

/* Loads row blocks block .. block + 4 of raw operands raw, raw + 1 by one message. */
XE_FN_ void cv_a_message_(const cv_product_ *p, int block, int raw, spe_id out[4][2])
{
    const cv_surface_ *s = &p->a;
    spe_module *m = p->m;
    bool optimal = cv_is_optimal_(s->layout);
    int rows = (int)cv_optimal_rows_((uint32_t)s->m), blocks = p->blocks - block < 4 ? p->blocks - block : 4;
    int panels = (s->k * s->bytes + 63) / 64, height = blocks == 3 ? 32 : blocks * 8;
    spe_id word = spe_int(m, 16), variable, zero = spe_i32(m, 0);
    spe_block2d b = {
        2, 16, (uint32_t)height, 2, spe_ptr_cast(m, s->base, word), spe_i32(m, optimal ? 64 : s->k * s->bytes),
        spe_i32(m, optimal ? rows * panels : s->m), optimal ? spe_i32(m, 64) : s->stride,
        spe_i32(m, optimal ? 0 : raw * 16), spe_i32(m, optimal ? raw / 2 * rows + block * 8 : block * 8)};
    variable = spe_local_var(m, spe_array(m, word, (uint32_t)(height * 2)));
    spe_block2d_load(m, &b, cv_at_(m, variable, zero));
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < blocks; i++) {
            spe_id at = cv_at_(m, variable, spe_i32(m, j * height + i * 8));
            out[i][j] = spe_load(m, spe_ptr_cast(m, at, spe_vec(m, word, 8)), 2);
        }
}

/* Raw operands for up to four blocks of rows and two steps along k. 2D block messages require rows of at least 64
 * bytes, a multiple of 4; that is why optimal layouts have rows of 64 bytes. */
XE_FN_ void cv_a_load_(const cv_product_ *p, int block, int raw, spe_id out[4][2])
{
    const cv_surface_ *s = &p->a;
    int bytes = cv_is_optimal_(s->layout) ? 64 : s->k * s->bytes;
    bool message = p->x->block2d && !s->across && bytes >= 64 && bytes % 4 == 0;
    bool lines = p->x->S == 8 && !s->across && cv_is_optimal_(s->layout);
    if (message) cv_a_message_(p, block, raw, out);
    for (int i = 0; !message && i < 4 && block + i < p->blocks; i++) {
        if (lines) cv_a_lines_(p, block + i, raw, out[i]);
        for (int j = 0; !lines && j < 2 && raw + j < p->raws; j++)
            out[i][j] =
                s->across ? cv_a_across_(p, block + i, (raw + j) * p->depth) : cv_a_along_(p, block + i, raw + j);
    }
}

/* Byte `i` of each integer, `bits` wide, as f16 in 16-bit integers. */
XE_FN_ spe_id cv_byte_as_f16_(spe_module *m, spe_id v, int bits, int i, int type)
{
    spe_id own = spe_type_of(m, v), word = spe_vec(m, spe_int(m, 16), 8);
    v = i > 1 ? spe_shr(m, v, spe_const_u(m, own, 16)) : v;
    v = bits == 32 ? spe_uconvert(m, word, v) : v;
    if (i % 2 == 0) v = spe_shl(m, v, spe_const_u(m, word, 8));
    return spe_bitcast(m, word, cv_decode_fp8_high_(m, v, type));
}

/* Operand `half` of a raw operand: itself, or half of its FP8 as f16: one of each lane's 2 bytes (subgroup size 16),
 * two of its 4 (subgroup size 8). */
XE_FN_ spe_id cv_a_operand_(const cv_product_ *p, spe_id raw, int half)
{
    int type = p->a.type;
    if (p->halves == 1) return raw;
    if (p->x->S == 16) return cv_byte_as_f16_(p->m, raw, 16, half, type);
    spe_id high = cv_byte_as_f16_(p->m, raw, 32, 2 * half + 1, type);
    return cv_zip_(p->m, cv_byte_as_f16_(p->m, raw, 32, 2 * half, type), high, 16);
}

/* The k of element i of operand `half`, relative to the raw operand's first. */
XE_FN_ int cv_operand_k_(const cv_product_ *p, int half, int i)
{
    return p->halves == 1 ? i : p->x->S == 16 ? 2 * i + half : i / 2 * 4 + 2 * half + i % 2;
}

/* Eight elements of a vector as one SPIR-V vector, zeros past its end. */
XE_FN_ spe_id cv_pick_(cv_ctx *x, const cv_vec *v, const int k[8])
{
    spe_module *m = &x->m;
    static const uint32_t even[8] = {0, 2, 4, 6, 8, 10, 12, 14}, odd[8] = {1, 3, 5, 7, 9, 11, 13, 15};
    spe_id scalar = cv_spe_type_(m, v->type), ids[8];
    int part = k[0] / 8, apart = k[7] - k[0];
    if (apart == 7 && k[0] % 8 == 0 && k[7] < v->length) return v->part[part];
    if (apart == 14 && k[0] % 8 < 2 && part * 8 + 16 <= v->length)
        return spe_shuffle(m, v->part[part], v->part[part + 1], 8, k[0] % 8 ? odd : even);
    for (int i = 0; i < 8; i++) ids[i] = k[i] < v->length ? cv_take_(x, v, k[i]) : spe_null(m, scalar);
    return cv_join_(m, scalar, 8, ids);
}

/* The eight from `first` on. */
XE_FN_ spe_id cv_eight_(cv_ctx *x, const cv_vec *v, int first)
{
    int k[8];
    for (int i = 0; i < 8; i++) k[i] = first + i;
    return cv_pick_(x, v, k);
}

XE_FN_ spe_id cv_words_(spe_module *m, spe_id v, int n)
{
    return spe_bitcast(m, spe_vec(m, spe_int(m, 32), (uint32_t)n), v);
}

/* Operand `half` of k from k0 on, as eight dwords: sixteen f16, 32 bytes, or packed dwords. */
XE_FN_ spe_id cv_b_operand_(const cv_product_ *p, const cv_vec *v, int k0, int half)
{
    static const uint32_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    bool packed = cv_is_packed_(p->in.interpretation);
    int pieces = packed ? 1 : p->kind == CV_DPAS_F16_ ? 2 : 4, k[8];
    spe_id e[7], *piece = e + pieces - 1; /* a tree: e[0] combines e[1] and e[2], these e[3] to e[6] */
    for (int i = 0; i < pieces; i++) {
        for (int j = 0; j < 8; j++) k[j] = (packed ? k0 / 4 : k0) + cv_operand_k_(p, half, 8 * i + j);
        piece[i] = cv_pick_(p->x, v, k);
        if (!packed) piece[i] = cv_words_(p->m, piece[i], 8 / pieces);
    }
    for (int i = pieces - 2; i >= 0; i--)
        e[i] = spe_shuffle(p->m, e[2 * i + 1], e[2 * i + 2], i ? 4 : 8, order);
    return e[0];
}

/* f16 of FP8's values as its bytes: E5M2 is f16's upper half; 2^-8 times E4M3 has the same exponent bits. */
XE_FN_ spe_id cv_bytes_of_fp8_(spe_module *m, spe_id v, int type)
{
    spe_id half = spe_type_of(m, v), word = spe_vec_like(m, spe_int(m, 16), v), bits = spe_bitcast(m, word, v);
    spe_id eight = spe_const_u(m, word, 8), high = spe_shr(m, bits, eight);
    if (type == CV_E4M3) {
        spe_id scaled = spe_bitcast(m, word, spe_fmul(m, v, spe_const_f(m, half, 1.0 / 256)));
        spe_id seven = spe_const_u(m, word, 7), rest = spe_const_u(m, word, 0x7f), sign = spe_const_u(m, word, 0x80);
        scaled = spe_and(m, spe_shr(m, scaled, seven), rest);
        high = spe_or(m, spe_and(m, high, sign), scaled);
        high = spe_select(m, spe_isnan(m, v), rest, high);
    }
    return spe_uconvert(m, spe_vec_like(m, spe_int(m, 8), v), high);
}

/* Makes the B operands from the interpreted input: f16, bytes, or packed dwords. */
XE_FN_ bool cv_pack_b_(cv_product_ *p)
{
    int type = p->in.interpretation;
    cv_vec v = p->in.vec;
    if (!cv_is_packed_(type)) v = cv_convert_vec_(p->x, &v, type);
    if (p->kind == CV_DPAS_F16_) v.type = CV_F16; /* FP8 is held as f16 */
    if (p->kind == CV_DPAS_FP8_) v.type = CV_U8;
    for (int i = 0; p->kind == CV_DPAS_FP8_ && i < v.parts; i++) v.part[i] = cv_bytes_of_fp8_(p->m, v.part[i], type);
    p->b = cv_ids_(p->m, p->raws * p->halves);
    if (!p->b || !v.parts) return false;
    for (int i = 0; i < p->raws; i++)
        for (int h = 0; h < p->halves; h++)
            p->b[i * p->halves + h] = cv_b_operand_(p, &v, i * p->depth * p->halves, h);
    return spe_ok(p->m);
}

XE_FN_ spe_id cv_dpas_once_(const cv_product_ *p, spe_id a, spe_id b, spe_id sums)
{
    uint32_t operands = 0x400 | 0x800; /* packed f16 */
    if (p->kind == CV_DPAS_I8_)
        operands = 0x10u | 0x20u | (p->a.type == CV_I8 ? 1u : 0u) | (cv_is_signed_(p->in.interpretation) ? 2u : 0u);
    if (p->kind == CV_DPAS_FP8_)
        operands = (p->a.type == CV_E4M3 ? 0x4000u : 0x10000u) | (p->in.interpretation == CV_E4M3 ? 0x8000u : 0x20000u);
    return spe_dpas(p->m, spe_vec(p->m, cv_sum_scalar_(p), 8), p->kind == CV_DPAS_F16_ ? 16 : 32, a, b, sums, operands);
}

/* The sums of four blocks of rows over all of K. */
XE_FN_ void cv_dpas_blocks_(const cv_product_ *p, int block, spe_id sums[4])
{
    for (int raw = 0; raw < p->raws; raw += 2) {
        spe_id a[4][2];
        memset(a, 0, sizeof a);
        cv_a_load_(p, block, raw, a);
        for (int j = 0; j < 2 && raw + j < p->raws; j++)
            for (int h = 0; h < p->halves; h++) {
                if (p->halves > 1 && (raw + j) * 32 + cv_operand_k_(p, h, 0) >= p->a.k) continue;
                for (int i = 0; i < 4 && block + i < p->blocks; i++)
                    sums[i] = cv_dpas_once_(p, cv_a_operand_(p, a[i][j], h), p->b[(raw + j) * p->halves + h], sums[i]);
            }
    }
}

/* Sets the parts of the output in the four blocks. */
XE_FN_ void cv_dpas_finish_(const cv_product_ *p, int block, const spe_id sums[4])
{
    static const uint32_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int first = 0, part = 0, n; part < p->out.parts; first += n, part++) {
        int i = first / 8 - block;
        spe_id sum, at;
        n = spe_part_length(p->a.m, part);
        if (i < 0 || i >= 4) continue;
        at = spe_i32(p->m, first);
        sum = n == 8 ? sums[i] : spe_shuffle(p->m, sums[i], sums[i], (uint32_t)n, order + first % 8);
        p->out.part[part] = cv_finish_sum_(p, sum, at, n);
    }
}

/* The initial value of a block's sums; in the last block, the bias may have fewer rows. */
XE_FN_ spe_id cv_dpas_start_(const cv_product_ *p, int block)
{
    spe_id first = spe_i32(p->m, block * 8), ids[8], part;
    int rows = p->a.m - block * 8, at_once = rows == 4 || rows == 2 ? rows : 1;
    if (rows >= 8 || !cv_bias_in_sum_(p)) return cv_sum_start_(p, first, 8);
    part = cv_sum_start_(p, first, at_once);
    for (int i = 0; i < 8; i++) {
        if (i >= rows) ids[i] = spe_null(p->m, cv_sum_scalar_(p));
        else if (i < at_once) ids[i] = spe_extract(p->m, part, (uint32_t)i);
        else ids[i] = cv_sum_start_(p, spe_i32(p->m, block * 8 + i), 1);
    }
    return cv_join_(p->m, cv_sum_scalar_(p), 8, ids);
}

XE_FN_ void cv_mul_dpas_(cv_product_ *p)
{
    p->depth = p->kind == CV_DPAS_F16_ ? 16 : 32;
    p->R = p->depth / p->x->S;
    p->halves = p->kind == CV_DPAS_F16_ && cv_is_fp8_(p->a.type) && !p->a.across ? 2 : 1;
    p->raws = (p->a.k + p->depth * p->halves - 1) / (p->depth * p->halves);
    p->blocks = (p->a.m + 7) / 8;
    p->lane = spe_builtin(p->m, SPE_SUBGROUP_LANE, 0);
    if (!cv_pack_b_(p)) return;
    for (int block = 0; block < p->blocks; block += 4) {
        spe_id sums[4] = {0, 0, 0, 0};
        for (int i = 0; i < 4 && block + i < p->blocks; i++) sums[i] = cv_dpas_start_(p, block + i);
        cv_dpas_blocks_(p, block, sums);
        cv_dpas_finish_(p, block, sums);
    }
}

/* Do all work-items of the subgroup arrive together, with equal numbers a and b (NULL: none)? */
XE_FN_ bool cv_is_uniform_(cv_where_ w, cv_uniformity said, const cv_val *a, const cv_val *b)
{
    cv_ctx *x = w.x;
    bool same = (!a || !spe_val_is_set(a) || a->uniform) && (!b || !spe_val_is_set(b) || b->uniform);
    if (said == CV_UNIFORM_YES && !x->full)
        cv_fail_(w, CV_ERROR_UNIFORM, "work-groups of %d leave work-items of a subgroup of %d switched off",
                 x->local_size, x->S);
    return said != CV_UNIFORM_NO && x->full && (said == CV_UNIFORM_YES || (same && x->divergent == 0));
}

/* The matrix instruction to use, if there is one for these types and lanes can load the matrix for it; CV_DPAS_NONE_:
 * one lane at a time. */
XE_FN_ int cv_choose_dpas_(const cv_product_ *p)
{
    const cv_surface_ *s = &p->a;
    int in = p->in.interpretation, each = 32 / p->x->S / s->bytes, blocks = (s->m + 7) / 8;
    bool f = (in == CV_F16 || cv_is_fp8_(in)) && (s->type == CV_F16 || cv_is_fp8_(s->type));
    bool i = (in == CV_I8 || in == CV_U8 || cv_is_packed_(in)) && (s->type == CV_I8 || s->type == CV_U8);
    if (!p->x->dpas || (int64_t)blocks * (s->k * (f ? 2 : 1) / 32 + 1) > CV_DPAS_MOST_) return CV_DPAS_NONE_;
    if (s->layout == CV_ROW_MAJOR && s->k % (each ? each : 1)) return CV_DPAS_NONE_;
    if (cv_is_fp8_(in) && cv_is_fp8_(s->type) && cm_has_dpas(&p->x->target, cm_product_row(CM_E4M3, CM_E5M2)))
        return CV_DPAS_FP8_;
    return f ? CV_DPAS_F16_ : i ? CV_DPAS_I8_ : CV_DPAS_NONE_;
}

XE_FN_ bool cv_check_product_(cv_where_ w, int out_type, const cv_interpreted_vector *in, const cv_matrix_ref *a)
{
    int want = cv_is_packed_(in->interpretation) ? (a->cols + 3) / 4 : a->cols;
    if (!cv_check_vec_(w, &in->vec)) return false;
    if (!cv_interprets_(in->vec.type, in->interpretation))
        cv_fail_(w, CV_ERROR_INPUT_INTERPRETATION, "a vector of %s as %s", cv_type_text_(in->vec.type),
                 cv_type_name(in->interpretation));
    else if (in->vec.length != want)
        cv_fail_(w, CV_ERROR_INPUT_LENGTH, "%d elements of %s, K is %d, which takes %d", in->vec.length,
                 cv_type_name(in->interpretation), a->cols, want);
    else if (!cv_is_vector_type_(out_type)) cv_fail_(w, CV_ERROR_OUTPUT_TYPE, "got %s", cv_type_name(out_type));
    return spe_ok(&w.x->m);
}

/* Reports a product that the device does not have, of a matrix that only it can read. */
XE_FN_ cv_vec cv_no_such_product_(cv_where_ w, const cv_product_ *p)
{
    return CV_FAIL_VEC_(w, CV_ERROR_DEVICE_PRODUCT, "%d x %d %s in %s%s, input %s as %s", p->a.m, p->a.k,
                        cv_type_name(p->a.type), cv_layout_name(p->a.layout), p->a.transpose ? ", transposed" : "",
                        cv_type_name(p->in.vec.type), cv_type_name(p->in.interpretation));
}

cv_vec cv_mul_add(cv_where_ w, int out_type, const cv_matrix_ref *a, const cv_interpreted_vector *in,
                  const cv_vector_ref *bias)
{
    cv_product_ p;
    bool added = bias && spe_val_is_set(&bias->base);
    int of = in->interpretation, by = a->interpretation, plus = added ? (int)bias->interpretation : 0;
    bool sign = cv_is_signed_(of) || cv_is_signed_(by) || (cv_is_signed_(plus) && !cv_is_float_(plus));
    if (!cv_enter_(w) || !cv_check_product_(w, out_type, in, a)) return cv_no_vec_();
    memset(&p, 0, sizeof p);
    p.x = w.x;
    p.m = &w.x->m;
    p.in = *in;
    p.a = cv_surface_of_(w, a);
    p.real = cv_is_float_(of) || cv_is_float_(by);
    p.sum_type = p.real ? CV_F32 : sign ? CV_I32 : CV_U32;
    p.bias = added ? cv_bytes_at_(w, &bias->base, &bias->offset) : 0;
    p.bias_type = plus;
    p.out = cv_new_(w.x, out_type, a->rows);
    if (!p.out.parts) return p.out;
    if (cv_is_uniform_(w, a->uniform, &a->offset, &a->stride) &&
        (!added || cv_is_uniform_(w, a->uniform, &bias->offset, NULL)))
        p.kind = cv_choose_dpas_(&p);
    if (w.x->vulkan && w.x->vulkan->multiply(&p)) return spe_ok(&w.x->m) ? p.out : cv_no_vec_();
    if (cv_is_device_layout_(a->layout)) return cv_no_such_product_(w, &p);
    if (p.kind != CV_DPAS_NONE_) cv_mul_dpas_(&p);
    else cv_mul_lanes_(&p);
    return spe_ok(&w.x->m) ? p.out : cv_no_vec_();
}

cv_vec cv_mul(cv_where_ w, int out_type, const cv_matrix_ref *a, const cv_interpreted_vector *in)
{
    return cv_mul_add(w, out_type, a, in, NULL);
}

cv_vec cv_multiply_(cv_where_ w, int out_type, cv_multiply_desc_ d)
{
    return cv_mul_add(w, out_type, &d.matrix, &d.input, &d.bias);
}

/* Adds two f16 to the two in a word, atomically. Not every device has an instruction for that, so this is a
 * compare-exchange loop. */
XE_FN_ void cv_atomic_add_f16_(spe_module *m, spe_id word_ptr, spe_id pair)
{
    spe_id carried[2], half2 = spe_vec(m, spe_float(m, 16), 2), u32 = spe_int(m, 32), next, seen;
    carried[0] = spe_atomic_load(m, word_ptr, SPE_ScopeDevice, 0);
    carried[1] = spe_const_bool(m, true);
    spe_while(m, 2, carried);
    spe_while_test(m, carried[1]);
    next = spe_bitcast(m, u32, spe_fadd(m, spe_bitcast(m, half2, carried[0]), pair));
    seen = spe_atomic_cas(m, word_ptr, carried[0], next, SPE_ScopeDevice, 0);
    carried[1] = spe_ine(m, seen, carried[0]);
    carried[0] = seen;
    spe_endwhile(m, 2, carried);
}

/* Adds a value (f32, or a 32-bit integer) to an element of memory, `at` bytes after base. f16: rounds first. */
XE_FN_ void cv_atomic_add_(spe_module *m, spe_id base, spe_id at, int type, spe_id v)
{
    spe_id half = spe_float(m, 16), two[2];
    if (type != CV_F16) {
        spe_id pointee = cv_spe_type_(m, type), p = spe_ptr_cast(m, spe_index(m, base, at), pointee);
        spe_atomic(m, type == CV_F32 ? SPE_ATOMIC_FADD : SPE_ATOMIC_IADD, p, v, SPE_ScopeDevice, 0);
        return;
    }
    v = spe_fconvert(m, half, v);
    spe_id zero = spe_const_f(m, half, -0.0); /* the neutral element */
    spe_id none = spe_i32(m, 0), odd = spe_ine(m, spe_and(m, at, spe_i32(m, 2)), none);
    two[0] = spe_select(m, odd, zero, v);
    two[1] = spe_select(m, odd, v, zero);
    spe_id dword = spe_int(m, 32), word = spe_ptr_cast(m, spe_index(m, base, spe_and(m, at, spe_i32(m, ~3))), dword);
    cv_atomic_add_f16_(m, word, cv_join_(m, half, 2, two));
}

/* Adds the values of the first n lanes, or of all, to elements, each to the one at `at`. Those of an even lane and the
 * next adjoin. */
XE_FN_ void cv_atomic_add_lanes_(cv_ctx *x, spe_id base, spe_id at, int type, spe_id v, int n)
{
    spe_module *m = &x->m;
    if (n > x->S) n = x->S;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), half = spe_float(m, 16), two[2], mine = 0;
    if (type == CV_F16) { /* even lanes also add for their neighbour */
        two[0] = spe_fconvert(m, half, v);
        two[1] = spe_sg_shuffle_xor(m, two[0], spe_i32(m, 1));
        spe_id none = spe_i32(m, 0), neutral = n % 2 ? spe_const_f(m, half, -0.0) : 0;
        mine = spe_ieq(m, spe_and(m, lane, spe_i32(m, 1)), none);
        if (n % 2) two[1] = spe_select(m, spe_slt(m, lane, spe_i32(m, n - 1)), two[1], neutral);
    }
    if (n < x->S) {
        spe_id inside = spe_slt(m, lane, spe_i32(m, n));
        mine = mine ? spe_land(m, mine, inside) : inside;
    }
    if (mine) spe_if(m, mine);
    if (type == CV_F16) {
        spe_id both = cv_join_(m, half, 2, two), word = spe_int(m, 32);
        cv_atomic_add_f16_(m, spe_ptr_cast(m, spe_index(m, base, at), word), both);
    } else {
        cv_atomic_add_(m, base, at, type, v);
    }
    if (mine) spe_endif(m, 0, NULL, NULL);
}

/* Is bit `bit` of the lane's number set? */
XE_FN_ spe_id cv_lane_bit_(spe_module *m, int bit)
{
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), zero = spe_i32(m, 0);
    return spe_ine(m, spe_and(m, lane, spe_i32(m, bit)), zero);
}

/* w[i] of lane l becomes w[l] of lane i, bit by bit of both numbers, for n words and lanes that differ in the log2(n)
 * bits from `unit` on. */
XE_FN_ void cv_transpose_lanes_(spe_module *m, spe_id *w, int n, int unit)
{
    for (int bit = 1; bit < n && spe_ok(m); bit *= 2) {
        spe_id set = cv_lane_bit_(m, bit * unit);
        for (int i = 0; i < n; i++) {
            if (i & bit) continue;
            spe_id other = spe_i32(m, bit * unit);
            spe_id got = spe_sg_shuffle_xor(m, spe_select(m, set, w[i], w[i | bit]), other);
            w[i] = spe_select(m, set, got, w[i]);
            w[i | bit] = spe_select(m, set, w[i | bit], got);
        }
    }
}

/* Lane l gets the sum over all lanes of element first + l of v: each step exchanges half of what is left. */
XE_FN_ spe_id cv_sum_lanes_(cv_ctx *x, const cv_vec *v, int first)
{
    spe_module *m = &x->m;
    bool real = cv_is_float_(v->type);
    spe_id w[CV_LANES_MAX_], type = real ? spe_float(m, 32) : spe_int(m, 32);
    for (int i = 0; i < x->S; i++)
        w[i] = first + i < v->length ? cv_to_sum_(m, cv_get_(m, v, first + i), v->type, real) : spe_null(m, type);
    for (int bit = x->S / 2; bit && spe_ok(m); bit /= 2) {
        spe_id set = cv_lane_bit_(m, bit);
        for (int i = 0; i < bit; i++) {
            spe_id other = spe_i32(m, bit), got = spe_sg_shuffle_xor(m, spe_select(m, set, w[i], w[i + bit]), other);
            spe_id kept = spe_select(m, set, w[i + bit], w[i]);
            w[i] = real ? spe_fadd(m, kept, got) : spe_iadd(m, kept, got);
        }
    }
    return w[0];
}

/* The B operand of sixteen f16 elements of each of sixteen lanes: lane l gets element l of all lanes, two to a word. */
XE_FN_ spe_id cv_gather_lanes_f16_(cv_ctx *x, const cv_vec *v, int first)
{
    spe_module *m = &x->m;
    spe_id word = spe_int(m, 32), w[8], odd = cv_lane_bit_(m, 1), low = spe_i32(m, 0xffff), high = spe_i32(m, ~0xffff);
    spe_id sixteen = spe_i32(m, 16), eight[2];
    for (int i = 0; i < 2; i++) eight[i] = cv_words_(m, cv_eight_(x, v, first + 8 * i), 4);
    for (int i = 0; i < 8; i++) {
        spe_id other;
        w[i] = spe_extract(m, eight[i / 4], (uint32_t)(i % 4));
        other = spe_sg_shuffle_xor(m, w[i], spe_i32(m, 1));
        spe_id up = spe_shl(m, other, sixteen), even = spe_or(m, spe_and(m, w[i], low), up);
        spe_id stay = spe_and(m, w[i], high);
        w[i] = spe_select(m, odd, spe_or(m, spe_shr(m, other, sixteen), stay), even);
    }
    cv_transpose_lanes_(m, w, 8, 2);
    return cv_join_(m, word, 8, w);
}

/* A vector in a variable of f32, so that a loop can index it. */
XE_FN_ spe_id cv_spill_(spe_module *m, const cv_vec *v)
{
    spe_id real = spe_float(m, 32), variable = spe_local_var(m, spe_array(m, real, (uint32_t)v->length));
    for (int i = 0; i < v->length; i++) {
        spe_id at = spe_i32(m, i), value = spe_fconvert(m, real, cv_get_(m, v, i));
        spe_store(m, cv_at_(m, variable, at), value, 0);
    }
    return variable;
}

/* Each lane separately. */
XE_FN_ void cv_outer_lanes_(const cv_surface_ *c, const cv_vec *v1, const cv_vec *v2)
{
    spe_module *m = &c->x->m;
    spe_id a = cv_spill_(m, v1), b = cv_spill_(m, v2), row = cv_loop_(m, c->m, 1);
    spe_id v = spe_load(m, cv_at_(m, a, row), 0), col = cv_loop_(m, c->k, 1);
    v = spe_fmul(m, v, spe_load(m, cv_at_(m, b, col), 0));
    cv_atomic_add_(m, c->base, cv_offset_(c, row, col), c->type, v);
    spe_endfor(m, 0, NULL);
    spe_endfor(m, 0, NULL);
}

/* Where lane l's element (row, col + l) is; col is a multiple of the subgroup size. Lanes beyond the width of a panel
 * continue in the next one. */
XE_FN_ spe_id cv_lane_offset_(const cv_surface_ *s, spe_id row, int col)
{
    spe_module *m = &s->x->m;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), at = cv_offset_(s, row, spe_i32(m, col));
    return spe_iadd(m, at, s->x->S * s->bytes > 64 ? cv_offset_(s, spe_i32(m, 0), lane)
                                                   : spe_imul(m, lane, spe_i32(m, s->bytes)));
}

/* Adds the sums of up to eight rows from `row` on (lane l: column col + l). f16 takes a loop over rows, because its
 * exchange loops are long. */
XE_FN_ void cv_outer_add_rows_(const cv_surface_ *c, int row, int col, spe_id sums)
{
    spe_module *m = &c->x->m;
    int rows = c->m - row < 8 ? c->m - row : 8;
    if (c->type == CV_F16) {
        spe_id r = cv_loop_(m, rows, 1);
        spe_id sum = spe_extract_dyn(m, sums, r);
        spe_id at = cv_lane_offset_(c, spe_iadd(m, r, spe_i32(m, row)), col);
        cv_atomic_add_lanes_(c->x, c->base, at, CV_F16, sum, c->k - col);
        spe_endfor(m, 0, NULL);
        return;
    }
    for (int i = 0; i < rows; i++) {
        spe_id sum = spe_extract(m, sums, (uint32_t)i), at = cv_lane_offset_(c, spe_i32(m, row + i), col);
        cv_atomic_add_lanes_(c->x, c->base, at, c->type, sum, c->k - col);
    }
}

/* f16, subgroup size 16: the matrix instruction with K = lanes sums over the lanes. v1 is its A operand unchanged. */
XE_FN_ void cv_outer_dpas_(const cv_surface_ *c, const cv_vec *v1, const cv_vec *v2)
{
    spe_module *m = &c->x->m;
    spe_id sums = spe_vec(m, spe_float(m, 32), 8), words = spe_vec(m, spe_int(m, 16), 8);
    int blocks = (c->m + 7) / 8;
    spe_id *a = cv_ids_(m, blocks);
    for (int i = 0; a && i < blocks; i++) a[i] = spe_bitcast(m, words, cv_eight_(c->x, v1, i * 8));
    for (int col = 0; a && col < c->k; col += 16) {
        spe_id b = cv_gather_lanes_f16_(c->x, v2, col);
        for (int i = 0; i < blocks; i++)
            cv_outer_add_rows_(c, i * 8, col, spe_dpas(m, sums, 16, a[i], b, spe_null(m, sums), 0x400 | 0x800));
    }
}

/* Any type and subgroup size: lane l keeps column l of all lanes' v2; each element of v1 is broadcast from each
 * lane. */
XE_FN_ void cv_outer_broadcast_(const cv_surface_ *c, const cv_vec *v1, const cv_vec *v2)
{
    spe_module *m = &c->x->m;
    spe_id real = spe_float(m, 32), all[CV_LANES_MAX_], a = cv_spill_(m, v1);
    int S = c->x->S, blocks = (c->k + S - 1) / S;
    spe_id *b = cv_ids_(m, blocks * S);
    if (!b) return;
    for (int i = 0; i < blocks * S; i++)
        b[i] = i < c->k ? spe_fconvert(m, real, cv_get_(m, v2, i)) : spe_null(m, real);
    for (int i = 0; i < blocks; i++) cv_transpose_lanes_(m, b + i * S, S, 1);
    spe_id row = cv_loop_(m, c->m, 1), mine = spe_load(m, cv_at_(m, a, row), 0);
    for (int i = 0; i < S; i++) all[i] = spe_sg_broadcast(m, mine, spe_i32(m, i));
    for (int i = 0; i < blocks; i++) {
        spe_id sum = spe_fmul(m, all[0], b[i * S]);
        for (int j = 1; j < S; j++) sum = spe_fadd(m, spe_fmul(m, all[j], b[i * S + j]), sum);
        cv_atomic_add_lanes_(c->x, c->base, cv_lane_offset_(c, row, i * S), c->type, sum, c->k - i * S);
    }
    spe_endfor(m, 0, NULL);
}

XE_FN_ bool cv_check_outer_(cv_where_ w, const cv_vec *v1, const cv_vec *v2, const cv_matrix_ref *c)
{
    if (!cv_check_vec_(w, v1) || !cv_check_vec_(w, v2)) return false;
    if (v1->type != v2->type)
        cv_fail_(w, CV_ERROR_VEC_TYPE, "%s and %s", cv_type_text_(v1->type), cv_type_text_(v2->type));
    else if (c->layout != CV_OUTER_PRODUCT_OPTIMAL && c->layout != CV_DEVICE_OUTER_PRODUCT_OPTIMAL)
        cv_fail_(w, CV_ERROR_OUTER_PRODUCT_LAYOUT, "got %s", cv_layout_name(c->layout));
    else if (c->transpose) cv_fail_(w, CV_ERROR_TRANSPOSE, "an outer product's matrix, transposed");
    else if (!cv_supports_outer_product(v1->type, c->interpretation))
        cv_fail_(w, CV_ERROR_ACCUMULATE_TYPES, "outer product of %s into %s", cv_type_name(v1->type),
                 cv_type_name(c->interpretation));
    else if (v1->length != c->rows || v2->length != c->cols)
        cv_fail_(w, CV_ERROR_INPUT_LENGTH, "vectors of %d and %d, a matrix of %d x %d", v1->length, v2->length, c->rows,
                 c->cols);
    return spe_ok(&w.x->m);
}

void cv_outer_product_accumulate(cv_where_ w, cv_vec v1, cv_vec v2, const cv_matrix_ref *c)
{
    if (!cv_enter_(w) || !cv_check_outer_(w, &v1, &v2, c)) return;
    cv_surface_ s = cv_surface_of_(w, c);
    if (w.x->vulkan && w.x->vulkan->outer_product(&s, &v1, &v2)) return;
    if (cv_is_device_layout_(c->layout))
        cv_fail_(w, CV_ERROR_DEVICE_PRODUCT, "an outer product of %s into %s in %s", cv_type_name(v1.type),
                 cv_type_name(c->interpretation), cv_layout_name(c->layout));
    else if (!cv_is_uniform_(w, c->uniform, &c->offset, NULL)) cv_outer_lanes_(&s, &v1, &v2);
    else if (w.x->dpas && w.x->S == 16 && v1.type == CV_F16 && c->rows * c->cols <= 16 * CV_DPAS_MOST_)
        cv_outer_dpas_(&s, &v1, &v2);
    else cv_outer_broadcast_(&s, &v1, &v2);
}

void cv_accumulate_outer_(cv_where_ w, cv_outer_desc_ d)
{
    cv_outer_product_accumulate(w, d.vecs[0], d.vecs[1], &d.matrix);
}

void cv_vector_accumulate(cv_where_ w, cv_vec v, const cv_vector_ref *r)
{
    cv_ctx *x = w.x;
    spe_module *m = &x->m;
    int type = r->interpretation;
    if (!cv_enter_(w) || !cv_check_vec_(w, &v)) return;
    if (!cv_supports_vector_accumulate(v.type, type)) {
        cv_fail_(w, CV_ERROR_ACCUMULATE_TYPES, "vector of %s into %s", cv_type_name(v.type), cv_type_name(type));
        return;
    }
    int bytes = cv_bytes_(type);
    spe_id base = cv_bytes_at_(w, &r->base, &r->offset);
    if (x->vulkan && x->vulkan->accumulate(x, &v, base, type)) return;
    if (cv_is_uniform_(w, r->uniform, &r->offset, NULL)) {
        spe_id size = spe_i32(m, bytes), at = spe_imul(m, spe_builtin(m, SPE_SUBGROUP_LANE, 0), size);
        for (int i = 0; i < v.length; i += x->S) {
            spe_id sum = cv_sum_lanes_(x, &v, i);
            cv_atomic_add_lanes_(x, base, spe_iadd(m, spe_i32(m, i * bytes), at), type, sum, v.length - i);
        }
    } else if (type == CV_F16) { /* in a loop: see cv_outer_add_rows_ */
        spe_id variable = cv_spill_(m, &v), k = cv_loop_(m, v.length, 1);
        spe_id value = spe_load(m, cv_at_(m, variable, k), 0);
        cv_atomic_add_(m, base, spe_imul(m, k, spe_i32(m, bytes)), CV_F16, value);
        spe_endfor(m, 0, NULL);
    } else {
        for (int i = 0; i < v.length; i++) {
            spe_id value = cv_to_sum_(m, cv_get_(m, &v, i), v.type, cv_is_float_(v.type));
            cv_atomic_add_(m, base, spe_i32(m, i * bytes), type, value);
        }
    }
}

void cv_accumulate_(cv_where_ w, cv_accumulate_desc_ d) { cv_vector_accumulate(w, d.vec, &d.vector); }

/* kernels.c - control flow, building a module, and the kernel that converts matrices. */

/* The size of a carried value, from its first word; 0 if it is not one. */
XE_FN_ size_t cv_size_(uint32_t magic)
{
    return magic == SPE_VAL_MAGIC ? sizeof(cv_val) : magic == CV_VEC_MAGIC_ ? sizeof(cv_vec) : 0;
}

/* Reads the variable at a carried pointer. */
XE_FN_ bool cv_read_(cv_where_ w, const void *object, cv_any_ *a, int number)
{
    memset(a, 0, sizeof *a);
    memcpy(&a->magic, object, sizeof a->magic);
    memcpy(a, object, cv_size_(a->magic));
    if (cv_is_vec_(a) ? a->vec.parts < 1 : !spe_val_is_set(&a->val) || a->val.kind == SPE_POINTER)
        return cv_fail_(w, CV_ERROR_CARRIED, "number %d of the list is something else, or was never set", number + 1);
    return cv_live_(w, cv_is_vec_(a) ? a->vec.side : a->val.note);
}

/* The type of a carried value; its numbers of elements and ids. */
XE_FN_ int cv_carried_type_(const cv_any_ *a)
{
    return cv_is_vec_(a) ? (int)a->vec.type : cv_common_type_(&a->val, &a->val);
}

XE_FN_ int cv_carried_length_(const cv_any_ *a) { return cv_is_vec_(a) ? a->vec.length : 1; }
XE_FN_ int cv_carried_ids_(const cv_any_ *a) { return cv_is_vec_(a) ? a->vec.parts : 1; }

/* Reads the current ids of all carried values, which must still have their initial types. */
XE_FN_ bool cv_gather_(cv_where_ w, cv_frame_ *f)
{
    for (int i = 0, at = 0; i < f->count; i++) {
        cv_any_ now, *start = &f->start[i];
        if (!cv_read_(w, f->objects[i], &now, i)) return false;
        int type = cv_carried_type_(start), length = cv_carried_length_(start);
        int other = now.magic == SPE_VAL_MAGIC && now.val.kind != SPE_SCALAR ? type : cv_carried_type_(&now);
        if (now.magic != start->magic || other != type || cv_carried_length_(&now) != length)
            return cv_fail_(w, CV_ERROR_CARRIED_TYPE, "number %d of the list was %s, %d, and is %s, %d", i + 1,
                            cv_type_text_(type), length, cv_type_text_(other), cv_carried_length_(&now));
        if (cv_is_vec_(&now)) memcpy(f->ids + at, now.vec.part, (size_t)now.vec.parts * sizeof(spe_id));
        else f->ids[at] = cv_id_(w, type, &now.val);
        at += cv_carried_ids_(start);
    }
    return spe_ok(&w.x->m);
}

/* Writes f->ids back into the user's variables, as values of the side that begins. */
XE_FN_ void cv_scatter_(cv_ctx *x, cv_frame_ *f)
{
    for (int i = 0, at = 0; i < f->count; i++) {
        cv_any_ a = f->start[i];
        if (cv_is_vec_(&a)) a.vec = cv_from_parts_(x, a.vec.type, a.vec.length, f->ids + at);
        else a.val = cv_scalar_(x, cv_carried_type_(&a), f->ids[at], false);
        memcpy(f->objects[i], &a, cv_size_(a.magic));
        at += cv_carried_ids_(&f->start[i]);
    }
}

/* Begins a side of the innermost region, which ends the scope of the last side's values. */
XE_FN_ bool cv_side_begin_(cv_ctx *x, cv_frame_ *f)
{
    spe_region_line *at = (spe_region_line *)spe_list_add(&x->m, &x->sides, sizeof *at);
    if (!at) return false;
    *at = x->regions.open[x->regions.depth - 1];
    f->side = x->sides.count;
    return true;
}

XE_FN_ void cv_region_end_(spe_region *r)
{
    spe_module *m = r->in->module;
    cv_ctx *x = (cv_ctx *)(void *)m;
    cv_frame_ *f = &x->frames[r->depth - 1];
    spe_line at = {r->in->open[r->depth - 1].file, r->in->open[r->depth - 1].line};
    cv_where_ w = {x, &at};
    uint32_t n = (uint32_t)f->id_count;
    spe_at(m, at.file, at.line);
    if (!cv_gather_(w, f)) return;
    f->busy |= x->operations != f->operations || memcmp(f->ids, f->first, n * sizeof *f->ids) != 0;
    if (r->calls <= r->sides) {
        if (!cv_side_begin_(x, f)) return;
        if (f->loop) {
            cv_scatter_(x, f);
            r->index.note = f->side;
            return;
        }
        spe_else(m, n, f->ids); /* restore the variables */
        for (int i = 0; i < f->count; i++) memcpy(f->objects[i], &f->start[i], cv_size_(f->start[i].magic));
        return;
    }
    if (!f->busy)
        cv_fail_(w, CV_ERROR_EMPTY, "is there a semicolon after %s (...), or a variable that it should list?",
                 r->in->open[r->depth - 1].name);
    if (f->tested) spe_endwhile(m, n, f->ids);
    else if (f->loop) spe_endfor(m, n, f->ids);
    else spe_endif(m, n, f->ids, f->ids);
    x->regions.depth--;
    x->divergent -= f->divergent;
    cv_scatter_(x, f);
}

/* The condition of the C loop of a region. */
bool cv_region_next_(spe_region *r)
{
    if (spe_region_ended(r)) cv_region_end_(r);
    return spe_region_next(r);
}

XE_FN_ cv_frame_ *cv_open_(cv_where_ w, spe_region *r, const char *name, void *const *objects, bool uniform)
{
    cv_ctx *x = w.x;
    if (!spe_region_open(r, name, w.at->file, w.at->line)) return NULL;
    cv_frame_ *f = &x->frames[r->depth - 1];
    memset(f, 0, sizeof *f);
    f->divergent = !uniform;
    f->objects = objects;
    while (objects[f->count]) f->count++;
    f->start = (cv_any_ *)spe_alloc(&x->m, (size_t)f->count * sizeof *f->start);
    if (!f->start) return NULL;
    for (int i = 0; i < f->count; i++) {
        if (!cv_read_(w, objects[i], &f->start[i], i)) return NULL;
        f->id_count += cv_carried_ids_(&f->start[i]);
    }
    f->ids = cv_ids_(&x->m, f->id_count + 1);
    f->first = cv_ids_(&x->m, f->id_count + 1);
    f->operations = x->operations;
    if (!f->ids || !f->first || !cv_gather_(w, f) || !cv_side_begin_(x, f)) return NULL;
    memcpy(f->first, f->ids, (size_t)f->id_count * sizeof *f->ids);
    x->divergent += f->divergent;
    return f;
}

XE_FN_ cv_val cv_number_of_(cv_where_ w, int op, cv_val a, cv_val b)
{
    const cv_any_ both[2] = {cv_any_val_(a), cv_any_val_(b)};
    return cv_binary_scalar_(w, op, "CV_FOR", both);
}

/* The number of iterations, (hi - lo + step -+ 1) / step, of a loop whose step is computed and may be negative. */
XE_FN_ cv_val cv_iterations_(cv_where_ w, cv_val lo, cv_val hi, cv_val step)
{
    cv_val one = cv_number_of_(w, SPE_ARITH_SHR, step, spe_val_int(31)); /* 1 or -1, as the step's sign */
    one = cv_number_of_(w, SPE_ARITH_OR, one, spe_val_int(1));
    cv_val distance = cv_number_of_(w, SPE_ARITH_SUB, hi, lo), rest = cv_number_of_(w, SPE_ARITH_SUB, step, one);
    return cv_number_of_(w, SPE_ARITH_DIV, cv_number_of_(w, SPE_ARITH_ADD, distance, rest), step);
}

/* A loop's body begins: carried values are those of the iteration, `index` counts the iterations or is k. */
XE_FN_ void cv_body_begins_(cv_ctx *x, cv_frame_ *f)
{
    f->loop = true;
    x->loops++;
    cv_scatter_(x, f);
    memcpy(f->first, f->ids, (size_t)f->id_count * sizeof *f->ids);
}

/* given: start, end and step. */
spe_region cv_for_begin_(cv_where_ w, const cv_val *given, void *const *objects)
{
    const cv_val lo = given[0], hi = given[1], step = given[2];
    cv_ctx *x = w.x;
    spe_region r = spe_region_of(&x->regions, x->probing ? 2 : 1);
    if (!cv_enter_(w)) return r;
    spe_id from = cv_index_(w, &lo, "the loop's start");
    spe_id to = cv_index_(w, &hi, "the loop's end");
    spe_id by = cv_index_(w, &step, "the loop's step");
    if (step.kind == SPE_INT && step.integer == 0) cv_fail_(w, CV_ERROR_LOOP_STEP, "got 0");
    bool counted = step.kind == SPE_SCALAR && step.type == CV_I32;
    if (counted && spe_ok(&x->m)) {
        to = cv_iterations_(w, lo, hi, step).id;
        from = spe_i32(&x->m, 0);
        by = spe_i32(&x->m, 1);
    }
    cv_frame_ *f = spe_ok(&x->m) ? cv_open_(w, &r, "CV_FOR", objects, lo.uniform && hi.uniform && step.uniform) : NULL;
    if (!f) return r;
    r.index = cv_scalar_(x, CV_I32, spe_for(&x->m, from, to, by, (uint32_t)f->id_count, f->ids), !f->divergent);
    if (counted) {
        r.index = cv_number_of_(w, SPE_ARITH_MUL, r.index, step);
        r.index = cv_number_of_(w, SPE_ARITH_ADD, r.index, lo);
    }
    cv_body_begins_(x, f);
    f->operations = x->operations;
    return r;
}

/* Until its condition is known, it counts as divergent. */
spe_region cv_while_begin_(cv_where_ w, void *const *objects)
{
    cv_ctx *x = w.x;
    spe_region r = spe_region_of(&x->regions, x->probing ? 2 : 1);
    cv_frame_ *f = cv_enter_(w) ? cv_open_(w, &r, "CV_WHILE", objects, false) : NULL;
    if (!f) return r;
    f->tested = true;
    spe_while(&x->m, (uint32_t)f->id_count, f->ids);
    cv_body_begins_(x, f);
    return r;
}

spe_region *cv_while_test_(cv_where_ w, spe_region *r, cv_val condition)
{
    cv_ctx *x = w.x;
    if (!cv_enter_(w) || !r->depth || !cv_check_condition_(w, "CV_WHILE", &condition)) return r;
    cv_frame_ *f = &x->frames[r->depth - 1];
    spe_id id = cv_id_(w, CV_BOOL_, &condition);
    if (r->calls > 1) return r; /* a second walk through the body */
    spe_while_test(&x->m, id);
    if (condition.uniform) {
        f->divergent = false;
        x->divergent--;
    }
    f->operations = x->operations;
    return r;
}

spe_region cv_if_begin_(cv_where_ w, cv_val condition, void *const *objects)
{
    spe_region r = spe_region_of(&w.x->regions, 2);
    if (cv_enter_(w) && cv_check_condition_(w, "CV_IF", &condition) &&
        cv_open_(w, &r, "CV_IF", objects, condition.uniform))
        spe_if(&w.x->m, cv_id_(w, CV_BOOL_, &condition));
    return r;
}

void cv_barrier_(cv_where_ w)
{
    if (cv_enter_(w)) spe_barrier(&w.x->m);
}

/* See spe_type_by_name. Numbers cannot be 8-bit floats. */
XE_FN_ int cv_type_of_(const char *name, const spe_kernel_param *p)
{
    for (int i = 0; i < CV_TYPE_COUNT_; i++) {
        const cv_type_row *row = cv_type_at_(i);
        if (row->memory && strcmp(row->name, name) == 0)
            return p->local || (!p->pointer && cv_is_fp8_(row->type)) ? -1 : (int)row->type;
    }
    return -1;
}

/* Cooperative vectors, if the device has them. */
XE_FN_ void cv_use_device_(cv_ctx *x)
{
    const cv_target *t = x->desc->target;
    if (!x->m.options.env || x->desc->lowering == CM_PLAIN || !t->vector_product_count) return;
    x->vulkan = CV_VULKAN_PART_;
    x->products = t->vector_products;
    x->product_count = t->vector_product_count;
    x->vector_sums = t->vector_sums;
    x->max_vector = (int)t->max_vector;
}

XE_FN_ void cv_emit_module_(cv_ctx *x, cv_module *mod)
{
    spe_module *m = &x->m;
    spe_param params[SPE_PARAMS_MAX];
    spe_at(m, x->desc->file, x->desc->line);
    if (!cm_begin(&x->cm, m, &x->target, x->desc->lowering)) return;
    x->dpas = x->cm.lowering == CM_INTEL;
    cv_use_device_(x);
    x->block2d = x->dpas && (x->target.block2d_sizes & (uint32_t)x->S) && x->S == 16;
    for (int i = 0; i < x->param_count; i++)
        params[i] = spe_param_of(m, &x->params[i], cv_spe_type_(m, x->params[i].type));
    if (!spe_build_kernel(m, x->kernel->name, x->S, x->local_size, x->param_count, params)) return;
    for (int i = 0; i < x->param_count; i++) {
        x->args[i] = cv_scalar_(x, x->params[i].type, spe_param_id(m, (uint32_t)i), true);
        if (x->params[i].pointer) x->args[i].kind = SPE_POINTER;
    }
    x->kernel->body(x);
    spe_region_fail(&x->regions, "");
    spe_at(m, x->kernel->file, x->kernel->line);
    if (!spe_build_end(mod, x->kernel->name, x->kernel->params, x->S, x->local_size)) return;
    if (!spe_build_finish(mod, 1)) return;
    bool fits = x->local_size <= x->target.max_group_size / 2; /* with 256 registers, too */
    if (x->desc->registers == 256 || (!x->desc->registers && !x->target.block2d_sizes && fits))
        mod->build_flags = x->target.build_flags;
    else if (!x->desc->registers && x->target.build_flags[0] && fits)
        mod->build_flags = "-ze-intel-enable-auto-large-GRF-mode";
}

/* Does the target have the work-group's size and the registers that are asked for? */
XE_FN_ bool cv_check_resources_(cv_where_ w)
{
    const cv_build_desc *d = w.x->desc;
    int size = w.x->local_size, most = w.x->target.max_group_size;
    if (d->subgroups < 0 || d->subgroups > most || size < 1 || size > most)
        return cv_fail_(w, CV_ERROR_GROUP_SIZE, "%d work-items, %s takes %d", size, w.x->target.name, most);
    if (d->subgroups && d->local_size && d->subgroups * w.x->S != d->local_size)
        return cv_fail_(w, CV_ERROR_GROUP_SIZE, ".subgroups of %d are %d work-items, .local_size is %d", d->subgroups,
                        d->subgroups * w.x->S, d->local_size);
    return !d->registers || d->registers == 128 || d->registers == 256 ||
           cv_fail_(w, CV_ERROR_REGISTERS, ".registers is %d, wanted 128 or 256", d->registers);
}

/* One build; *loops: the number of loops in the kernel. */
XE_FN_ cv_module cv_build_once_(const cv_build_desc *desc, bool probing, int *loops)
{
    cv_module mod;
    const cv_kernel *k = desc->kernel;
    spe_line head_at = {k->file, k->line}, user_at = {desc->file, desc->line};
    cv_ctx *x = (cv_ctx *)spe_build_begin(&mod, cv_errors_(), sizeof *x, desc->version, cm_environment(desc->target),
                                          desc->names, desc->lines, k->file, user_at);
    cv_where_ head = {x, &head_at}, user = {x, &user_at};
    if (!x || !spe_ok(&x->m)) return mod;
    x->desc = desc;
    x->kernel = k;
    x->probing = probing;
    x->regions.module = &x->m;
    x->regions.errors = cv_errors_();
    x->param_count = spe_parse_params(cv_site_(head), k->params, cv_type_of_, x->params);
    if (x->param_count < 0 || !cm_choose_target(cv_site_(user), desc->target, desc->subgroup_size, &x->target))
        return mod;
    x->S = x->target.subgroup_size;
    x->local_size = desc->local_size ? desc->local_size : (desc->subgroups ? desc->subgroups : 4) * x->S;
    x->full = x->local_size % x->S == 0;
    if (cv_check_resources_(user)) cv_emit_module_(x, &mod);
    x->desc = NULL; /* belongs to the caller and may disappear */
    *loops = x->loops;
    return mod;
}

cv_module cv_build(const cv_build_desc *desc)
{
    int loops = 0;
    cv_module mod = cv_build_once_(desc, false, &loops), probe;
    if (!mod.words || !loops) return mod;
    probe = cv_build_once_(desc, true, &loops);
    if (probe.error->id == CV_ERROR_UNLISTED || probe.error->id == SPE_ERR_MEMORY ||
        probe.error->id == CV_ERROR_MEMORY) {
        cv_free(&mod);
        return probe;
    }
    cv_free(&probe);
    return mod;
}

void cv_free(cv_module *mod) { spe_built_free(mod); }

/* The parameters of the kernel, in their order: CV_CONVERT_PARAMS_. */
typedef struct {
    spe_id dest, src, slots, rows, cols, dest_type, dest_layout, dest_stride, src_type, src_layout, src_stride,
        dest_shift, src_shift, overflow;
} cv_convert_args_;
#define CV_CONVERT_PARAMS_                                                                                             \
    "ptr<u8> dest, ptr<u8> src, u32 slots, u32 rows, u32 cols, u32 dest_type, u32 dest_layout, u32 dest_stride, "      \
    "u32 src_type, u32 src_layout, u32 src_stride, u32 dest_shift, u32 src_shift, u32 overflow"

enum { CV_CONVERT_GROUP_ = 128 };

/* Converts f32 to the bits of a float type. NaN becomes the quiet NaN of the host's conversion. If `overflow` is set,
 * values beyond FP8's range become NaN (e4m3) or infinity (e5m2). */
XE_FN_ spe_id cv_encode_(cv_ctx *x, spe_id v, int type, spe_id overflow)
{
    spe_module *m = &x->m;
    spe_id bits = spe_int(m, (uint32_t)cv_bytes_(type) * 8);
    if (type == CV_F32) return v;
    spe_id r = type == CV_F16 ? spe_bitcast(m, bits, spe_fconvert(m, spe_float(m, 16), v))
                              : cm_from_arith(&x->cm, type == CV_E4M3 ? CM_E4M3 : CM_E5M2, v);
    spe_id sign = spe_and(m, r, spe_const_u(m, bits, type == CV_F16 ? 0x8000 : 0x80));
    spe_id nan = spe_const_u(m, bits, type == CV_F16 ? 0x7e00 : type == CV_E4M3 ? 0x7f : 0x7e);
    nan = spe_or(m, sign, nan);
    r = spe_select(m, spe_isnan(m, v), nan, r);
    if (type == CV_F16) return r;
    spe_id size = spe_math1(m, SPE_FABS, v);
    /* halfway beyond the largest number, which rounds to even: e4m3's largest is even, e5m2's is odd */
    spe_id beyond = type == CV_E4M3 ? spe_fgt(m, size, spe_f32(m, 464)) : spe_fge(m, size, spe_f32(m, 61440));
    beyond = spe_land(m, beyond, spe_ieq(m, overflow, spe_i32(m, CV_NO_SATURATE)));
    spe_id high = spe_const_u(m, bits, type == CV_E4M3 ? 0x7f : 0x7c);
    return spe_select(m, beyond, spe_or(m, spe_and(m, r, spe_const_u(m, bits, 0x80)), high), r);
}

/* cv_element_offset at run time; `shift` is the log2 of the element size. */
XE_FN_ spe_id cv_convert_offset_(spe_module *m, spe_id layout, spe_id stride, spe_id shift, spe_id rows, spe_id r,
                                 spe_id c)
{
    spe_id eights = spe_i32(m, ~7), padded = spe_and(m, spe_iadd(m, rows, spe_i32(m, 7)), eights);
    spe_id along = spe_shl(m, c, shift), in_panel = spe_and(m, along, spe_i32(m, 63)), panel = spe_i32(m, 64);
    in_panel = spe_iadd(m, spe_imul(m, r, panel), in_panel);
    spe_id optimal = spe_imul(m, spe_imul(m, spe_shr(m, along, spe_i32(m, 6)), padded), panel);
    optimal = spe_iadd(m, optimal, in_panel);
    spe_id row_major = spe_iadd(m, spe_imul(m, r, stride), along);
    spe_id down = spe_shl(m, r, shift), column_major = spe_iadd(m, spe_imul(m, c, stride), down);
    spe_id others = spe_select(m, spe_ieq(m, layout, spe_i32(m, CV_COLUMN_MAJOR)), column_major, optimal);
    return spe_select(m, spe_ieq(m, layout, spe_i32(m, CV_ROW_MAJOR)), row_major, others);
}

/* Equal types: copies the bits. dest, src: pointers to the element's bytes. */
XE_FN_ void cv_convert_copy_(spe_module *m, const cv_convert_args_ *a, spe_id dest, spe_id src, spe_id inside)
{
    for (int shift = 0; shift < 3; shift++) {
        spe_id type = spe_int(m, 8u << shift), zero = spe_const_u(m, type, 0), v;
        spe_if(m, spe_ieq(m, a->dest_shift, spe_i32(m, shift)));
        spe_if(m, inside);
        v = spe_load(m, spe_ptr_cast(m, spe_index(m, a->src, src), type), 1u << shift);
        spe_endif_from(m, 1, &v, &zero, &v);
        spe_store(m, spe_ptr_cast(m, spe_index(m, a->dest, dest), type), v, 1u << shift);
        spe_endif(m, 0, NULL, NULL);
    }
}

/* Different float types: converts through f32. */
XE_FN_ void cv_convert_float_(cv_ctx *x, const cv_convert_args_ *a, spe_id dest, spe_id src, spe_id inside)
{
    static const cv_type types[] = {CV_F32, CV_F16, CV_E4M3, CV_E5M2};
    spe_module *m = &x->m;
    spe_id real = spe_float(m, 32), zero = spe_f32(m, 0), value = zero, v;
    for (int i = 0; i < 4; i++) {
        spe_if(m, spe_land(m, inside, spe_ieq(m, a->src_type, spe_i32(m, types[i]))));
        spe_id type = cv_spe_type_(m, types[i]);
        v = spe_load(m, spe_ptr_cast(m, spe_index(m, a->src, src), type), (uint32_t)cv_bytes_(types[i]));
        v = spe_fconvert(m, real, cv_decode_(m, v, types[i]));
        spe_endif_from(m, 1, &v, &value, &value);
    }
    for (int i = 0; i < 4; i++) {
        spe_if(m, spe_ieq(m, a->dest_type, spe_i32(m, types[i])));
        v = cv_encode_(x, value, types[i], a->overflow);
        spe_store(m, spe_ptr_cast(m, spe_index(m, a->dest, dest), spe_type_of(m, v)), v, (uint32_t)cv_bytes_(types[i]));
        spe_endif(m, 0, NULL, NULL);
    }
}

/* One work-item per slot of the destination, including the padding of optimal layouts, which becomes zero. */
XE_FN_ void cv_convert_body_(cv_ctx *x)
{
    spe_module *m = &x->m;
    const cv_val *p = x->args;
    cv_convert_args_ a = {p[0].id, p[1].id, p[2].id, p[3].id,  p[4].id,  p[5].id, p[6].id,
                          p[7].id, p[8].id, p[9].id, p[10].id, p[11].id, p[12].id, p[13].id};
    spe_id i = spe_builtin(m, SPE_GLOBAL_ID, 0);
    spe_if(m, spe_ult(m, i, a.slots));
    spe_id optimal = spe_uge(m, a.dest_layout, spe_i32(m, CV_MUL_OPTIMAL));
    spe_id eights = spe_i32(m, ~7), padded = spe_and(m, spe_iadd(m, a.rows, spe_i32(m, 7)), eights);
    spe_id width = spe_select(m, optimal, spe_shr(m, spe_i32(m, 64), a.dest_shift), a.cols);
    padded = spe_select(m, optimal, padded, a.rows);
    spe_id panel = spe_udiv(m, i, spe_imul(m, padded, width));
    spe_id in_panel = spe_isub(m, i, spe_imul(m, panel, spe_imul(m, padded, width)));
    spe_id r = spe_udiv(m, in_panel, width);
    spe_id c = spe_isub(m, in_panel, spe_imul(m, r, width));
    c = spe_iadd(m, spe_imul(m, panel, width), c);
    spe_id inside = spe_ult(m, c, a.cols);
    inside = spe_land(m, spe_ult(m, r, a.rows), inside);
    spe_id dest = cv_convert_offset_(m, a.dest_layout, a.dest_stride, a.dest_shift, a.rows, r, c);
    spe_id src = cv_convert_offset_(m, a.src_layout, a.src_stride, a.src_shift, a.rows, r, c);
    spe_if(m, spe_ieq(m, a.dest_type, a.src_type));
    cv_convert_copy_(m, &a, dest, src, inside);
    spe_else(m, 0, NULL);
    cv_convert_float_(x, &a, dest, src, inside);
    spe_endif(m, 0, NULL, NULL);
    spe_endif(m, 0, NULL, NULL);
}

cv_module cv_conversion_module(const cv_target *target)
{
    static const cv_kernel kernel = {"cv_convert_matrix", CV_CONVERT_PARAMS_, __FILE__, __LINE__, cv_convert_body_};
    cv_build_desc desc = {&kernel, __FILE__, __LINE__, target, CV_CONVERT_GROUP_, 0, CM_AUTO, 0, 0,
                          false,   false,    NULL,     0,          false};
    return cv_build(&desc);
}

cv_conversion_arguments cv_conversion_arguments_of(const cv_conversion_info *info)
{
    const cv_conversion_dest_info *d = &info->dest_info;
    const cv_conversion_src_info *s = &info->src_info;
    uint32_t to = (uint32_t)cv_bytes_(d->dest_data_type), from = (uint32_t)cv_bytes_(s->src_data_type); /* 4, 2 or 1 */
    uint32_t slots = cv_is_optimal_(d->dest_layout) ? cv_dest_size_(d) / to : d->num_rows * d->num_columns;
    uint32_t groups = (slots + CV_CONVERT_GROUP_ - 1) / CV_CONVERT_GROUP_;
    cv_conversion_arguments a = {
        info->data_desc.dest, info->data_desc.src, groups, slots, d->num_rows, d->num_columns,
        (uint32_t)d->dest_data_type, (uint32_t)d->dest_layout, d->dest_stride,
        (uint32_t)s->src_data_type, (uint32_t)s->src_layout, s->src_stride, to / 2, from / 2,
        (uint32_t)info->overflow};
    return a;
}

bool cv_conversions_next_(cv_conversions_ *c)
{
    if (!c->next && !cv_check_conversions_(c->at.file, c->at.line, c->infos, c->count, c->error)) return false;
    if (c->next >= c->count) return false;
    c->now = cv_conversion_arguments_of(&c->infos[c->next++]);
    return true;
}

XETILE_AS_BEFORE_
#endif /* XETILE_COOPVEC_BODIES_ */

/* Bodies that only modules for Vulkan need: vk_dispatch.h includes this again for them. */
#if defined(XETILE_COOPVEC_BODIES_) && !defined(XETILE_COOPVEC_VULKAN_BODIES_) && \
    (defined(SPE_VULKAN) || !defined(XETILE_STATIC_) || defined(__cplusplus))
#define XETILE_COOPVEC_VULKAN_BODIES_
XETILE_COLD_

/* cooperative.c - the cooperative vectors of Vulkan's devices (SPV_NV_cooperative_vector): a work-item's vector as one
 * value, which the device multiplies with matrices in memory. */

/* Columns of a row of spe_device's vector_products. */
enum { CV_OF_INPUT_, CV_OF_READING_, CV_OF_MATRIX_, CV_OF_BIAS_, CV_OF_RESULT_, CV_OF_TRANSPOSE_ };

/* The SPIR-V component type. */
XE_FN_ uint32_t cv_component_type_(int type)
{
    switch (type) {
    case CV_I16: return SPE_ComponentTypeSignedInt16NV;
    case CV_U16: return SPE_ComponentTypeUnsignedInt16NV;
    case CV_I32: return SPE_ComponentTypeSignedInt32NV;
    case CV_U32: return SPE_ComponentTypeUnsignedInt32NV;
    case CV_F16: return SPE_ComponentTypeFloat16NV;
    case CV_F32: return SPE_ComponentTypeFloat32NV;
    case CV_PACKED_S8X32: return SPE_ComponentTypeSignedInt8PackedNV;
    case CV_PACKED_U8X32: return SPE_ComponentTypeUnsignedInt8PackedNV;
    case CV_U8: return SPE_ComponentTypeUnsignedInt8NV;
    case CV_I8: return SPE_ComponentTypeSignedInt8NV;
    case CV_E4M3: return SPE_ComponentTypeFloatE4M3NV;
    default: return SPE_ComponentTypeFloatE5M2NV;
    }
}

/* The type that an input is converted to when it is interpreted so: FP8 is held as f16. */
XE_FN_ int cv_storage_type_(int interpretation)
{
    return cv_is_fp8_(interpretation) ? CV_F16 : cv_is_packed_(interpretation) ? CV_U32 : interpretation;
}

/* The device's product of such an input: of several the one with this bias, then one with a result of f32. NULL: it has
 * none. */
XE_FN_ const uint32_t *cv_find_product_(const cv_product_ *p, int input)
{
    const uint32_t *best = NULL;
    uint32_t best_score = 0, bias = p->bias ? cv_component_type_(p->bias_type) : UINT32_MAX;
    for (uint32_t i = 0; i < p->x->product_count; i++) {
        const uint32_t *row = p->x->products[i];
        if (row[CV_OF_INPUT_] != cv_component_type_(input) || row[CV_OF_MATRIX_] != cv_component_type_(p->a.type) ||
            row[CV_OF_READING_] != cv_component_type_(p->in.interpretation))
            continue;
        if (p->a.transpose && cv_is_optimal_(p->a.layout) && !row[CV_OF_TRANSPOSE_]) continue;
        uint32_t score = row[CV_OF_RESULT_] == SPE_ComponentTypeFloat32NV ? 2 : 1;
        if (row[CV_OF_BIAS_] == bias) score += 2;
        if (score > best_score) best = row, best_score = score;
    }
    return best;
}

/* How the device finds the matrix: its layout, and its stride; 0: none. A panel of ours is a matrix of rows. */
XE_FN_ bool cv_find_layout_(const cv_product_ *p, spe_coopvec_product *to)
{
    const cv_surface_ *a = &p->a;
    int stored_cols = a->transpose ? a->m : a->k;
    switch (a->layout) {
    case CV_ROW_MAJOR: to->layout = SPE_CooperativeVectorMatrixLayoutRowMajorNV, to->stride = a->stride; break;
    case CV_COLUMN_MAJOR: to->layout = SPE_CooperativeVectorMatrixLayoutColumnMajorNV, to->stride = a->stride; break;
    case CV_DEVICE_MUL_OPTIMAL: to->layout = SPE_CooperativeVectorMatrixLayoutInferencingOptimalNV; break;
    case CV_DEVICE_OUTER_PRODUCT_OPTIMAL: to->layout = SPE_CooperativeVectorMatrixLayoutTrainingOptimalNV; break;
    default:
        if (stored_cols * a->bytes > 64 || cv_is_fp8_(a->type)) return false;
        to->layout = a->transpose ? SPE_CooperativeVectorMatrixLayoutColumnMajorNV
                                  : SPE_CooperativeVectorMatrixLayoutRowMajorNV;
        to->stride = spe_i32(p->m, 64);
        break;
    }
    to->transpose = a->transpose && cv_is_device_layout_(a->layout);
    return true;
}

/* Memory as the device takes it: an array whose length says nothing. */
XE_FN_ spe_id cv_array_at_(spe_module *m, spe_id base)
{
    return spe_ptr_cast(m, base, spe_array(m, spe_vec(m, spe_int(m, 32), 4), 1 << 26));
}

/* A vector, each of whose components is converted to another type, as one value. */
XE_FN_ spe_id cv_cooperative_(cv_ctx *x, const cv_vec *v, int type)
{
    spe_module *m = &x->m;
    if (v->cooperative && (int)v->type == type) return v->cooperative;
    const cv_vec as = cv_convert_vec_(x, v, type);
    spe_id *parts = cv_ids_(m, v->length), scalar = cv_spe_type_(m, cv_storage_type_(type));
    for (int i = 0; parts && i < v->length; i++) parts[i] = cv_get_(m, &as, i);
    return parts ? spe_construct(m, spe_coopvec(m, scalar, (uint32_t)v->length), (uint32_t)v->length, parts) : 0;
}

/* The vector that is such a value; what uses none of its parts leaves these to the device's compiler, to drop. */
XE_FN_ cv_vec cv_of_cooperative_(cv_ctx *x, int type, int n, spe_id all)
{
    spe_id *ids = cv_ids_(&x->m, n);
    for (int i = 0; ids && i < n; i++) ids[i] = spe_extract(&x->m, all, (uint32_t)i);
    cv_vec v = ids ? cv_from_scalars_(x, type, n, ids) : cv_no_vec_();
    v.cooperative = all;
    return v;
}

XE_FN_ bool cv_takes_cooperative_(int op, int type)
{
    return cv_is_float_(type) && (op == SPE_ARITH_ADD || op == SPE_ARITH_SUB || op == SPE_ARITH_MUL ||
                                  op == SPE_ARITH_DIV || op == SPE_ARITH_MIN || op == SPE_ARITH_MAX);
}

XE_FN_ void cv_repeat_cooperative_(cv_ctx *x, cv_vec *v, spe_id like)
{
    v->cooperative = spe_splat(&x->m, spe_type_of(&x->m, like), cv_get_(&x->m, v, 0));
}

XE_FN_ cv_vec cv_binary_cooperative_(cv_ctx *x, int op, const cv_vec *p, const cv_vec *q)
{
    spe_id a = cv_cooperative_(x, p, p->type), b = cv_cooperative_(x, q, q->type);
    return cv_of_cooperative_(x, p->type, p->length, cv_emit_(&x->m, op, p->type, a, b));
}

XE_FN_ cv_vec cv_fma_cooperative_(cv_ctx *x, const cv_vec *p, const cv_vec *q, const cv_vec *r)
{
    spe_id a = cv_cooperative_(x, p, p->type), b = cv_cooperative_(x, q, q->type), c = cv_cooperative_(x, r, r->type);
    return cv_of_cooperative_(x, p->type, p->length, spe_math3(&x->m, SPE_FMA, a, b, c));
}

/* Converts the device's results to the output, a part at a time, with a bias that the device did not add. */
XE_FN_ void cv_take_results_(cv_product_ *p, spe_id results, const uint32_t *row, bool with_bias)
{
    spe_module *m = p->m;
    spe_id scalar = spe_scalar_of(m, spe_type_of(m, results)), ids[8];
    bool done = !p->bias || with_bias;
    if (done && cv_component_type_(p->out.type) == row[CV_OF_RESULT_]) {
        p->out = cv_of_cooperative_(p->x, p->out.type, p->out.length, results);
        return;
    }
    for (int part = 0, first = 0, n; part < p->out.parts; part++, first += n) {
        n = spe_part_length(p->out.length, part);
        for (int i = 0; i < n; i++) ids[i] = spe_extract(m, results, (uint32_t)(first + i));
        spe_id at = spe_i32(m, first), v = cv_join_(m, scalar, n, ids);
        if (p->real) v = spe_fconvert(m, spe_vec_like(m, spe_float(m, 32), v), v);
        if (!done && cv_bias_in_sum_(p)) {
            spe_id start = cv_sum_start_(p, at, n);
            v = p->real ? spe_fadd(m, v, start) : spe_iadd(m, v, start);
        }
        p->out.part[part] = cv_finish_sum_(p, v, at, n);
    }
}

/* Which of the row's integers are signed, as types of SPIR-V do not say; then there is a stride, if a meaningless
 * one. */
XE_FN_ void cv_say_signs_(cv_product_ *p, const uint32_t *row, spe_coopvec_product *by)
{
    uint32_t input = row[CV_OF_INPUT_];
    if (p->real) return;
    if (input >= SPE_ComponentTypeSignedInt8NV && input <= SPE_ComponentTypeSignedInt64NV)
        by->operands |= SPE_CooperativeMatrixOperandsMatrixBSignedComponentsKHR;
    if (row[CV_OF_RESULT_] == SPE_ComponentTypeSignedInt32NV)
        by->operands |= SPE_CooperativeMatrixOperandsMatrixResultSignedComponentsKHR;
    if (by->operands && !by->stride) by->stride = spe_i32(p->m, 0);
}

/* May the device's product stand for ours, in which floats are summed in f32? */
XE_FN_ bool cv_is_exact_enough_(const cv_product_ *p)
{
    return !p->real || p->x->desc->f16_sums || cv_is_device_layout_(p->a.layout);
}

XE_FN_ bool cv_multiply_cooperatively_(cv_product_ *p)
{
    spe_module *m = p->m;
    spe_coopvec_product by;
    const cv_vec *v = &p->in.vec;
    int as = p->in.interpretation, input = cv_is_fp8_(as) ? as : v->type; /* rounded to FP8 here: devices may not */
    const uint32_t *row = cv_find_product_(p, cv_storage_type_(input));
    if (!row && !cv_is_packed_(as)) row = cv_find_product_(p, cv_storage_type_(input = as));
    memset(&by, 0, sizeof by);
    if (!row || p->a.m > p->x->max_vector || v->length > p->x->max_vector || !cv_is_exact_enough_(p) ||
        (cv_is_packed_(as) && p->a.k % 4) || !cv_find_layout_(p, &by))
        return false;
    bool with_bias = p->bias && row[CV_OF_BIAS_] == cv_component_type_(p->bias_type) &&
                     (p->real || !cv_is_float_(p->bias_type));
    by.input = cv_cooperative_(p->x, v, input);
    by.input_type = row[CV_OF_READING_];
    by.matrix = cv_array_at_(m, p->a.base);
    by.offset = by.bias_offset = spe_i32(m, 0);
    by.matrix_type = row[CV_OF_MATRIX_];
    if (with_bias) by.bias = cv_array_at_(m, p->bias);
    by.bias_type = row[CV_OF_BIAS_];
    by.rows = (uint32_t)p->a.m;
    by.cols = (uint32_t)p->a.k;
    cv_say_signs_(p, row, &by);
    bool half = row[CV_OF_RESULT_] == SPE_ComponentTypeFloat16NV;
    spe_id scalar = half ? spe_float(m, 16) : cv_spe_type_(m, p->sum_type);
    cv_take_results_(p, spe_coopvec_mul(m, spe_coopvec(m, scalar, by.rows), &by), row, with_bias);
    return true;
}

/* Does the device accumulate floats of this type? */
XE_FN_ bool cv_sums_(const cv_ctx *x, int type)
{
    return (type == CV_F16 && (x->vector_sums & 1)) || (type == CV_F32 && (x->vector_sums & 2));
}

XE_FN_ bool cv_outer_cooperatively_(const cv_surface_ *c, const cv_vec *v1, const cv_vec *v2)
{
    cv_ctx *x = c->x;
    if (c->layout != CV_DEVICE_OUTER_PRODUCT_OPTIMAL || v1->type != CV_F16 || !cv_sums_(x, c->type) ||
        v1->length > x->max_vector || v2->length > x->max_vector)
        return false;
    spe_id a = cv_cooperative_(x, v1, CV_F16), b = cv_cooperative_(x, v2, CV_F16);
    spe_id zero = spe_i32(&x->m, 0);
    spe_coopvec_outer_accumulate(&x->m, cv_array_at_(&x->m, c->base), zero, a, b,
                                 SPE_CooperativeVectorMatrixLayoutTrainingOptimalNV, cv_component_type_(c->type), 0);
    return true;
}

XE_FN_ bool cv_accumulate_cooperatively_(cv_ctx *x, const cv_vec *v, spe_id base, int type)
{
    if ((int)v->type != type || !cv_sums_(x, type) || v->length > x->max_vector || !x->desc->f16_sums) return false;
    spe_id all = cv_cooperative_(x, v, type), zero = spe_i32(&x->m, 0);
    spe_coopvec_sum_accumulate(&x->m, cv_array_at_(&x->m, base), zero, all);
    return true;
}

static const cv_vulkan_part_ cv_vulkan_all_ = {
    cv_takes_cooperative_,      cv_repeat_cooperative_,  cv_binary_cooperative_,       cv_fma_cooperative_,
    cv_multiply_cooperatively_, cv_outer_cooperatively_, cv_accumulate_cooperatively_};

#if defined(XETILE_STATIC_) && !defined(__cplusplus)
static const cv_vulkan_part_ *const cv_vulkan_here_ = &cv_vulkan_all_;
#else
XE_FN_ const cv_vulkan_part_ *cv_vulkan_(void) { return &cv_vulkan_all_; }
#endif

XETILE_AS_BEFORE_
#endif /* XETILE_COOPVEC_VULKAN_BODIES_ */

#ifndef XETILE_COOPVEC_MACROS_
#define XETILE_COOPVEC_MACROS_
#if defined(__INCLUDE_LEVEL__) && __INCLUDE_LEVEL__ > 0
#pragma GCC system_header
#endif

/* ---- macros (C only) --------------------------------------------------------------------------------------------- */

/* of(x) as a type in a kernel: the type of a number or vector, or of a pointer's target. */
#define CV_TYPE_of(x) ((cv_type)((x).type == -SPE_INT ? CV_I32 : (x).type == -SPE_REAL ? CV_F32 : (int)(x).type))
#define CV_ID_(T) SPE_C_TYPE(CV_TYPE_, T)

/* A kernel's parameters as C parameters and as arguments. */
#define CV_DECLARE_(i, parameter) cv_val SPE_NAME_OF(parameter)
#define CV_ARGUMENT_(i, parameter) cv_context_->args[i]

/* Defines a constant of type cv_kernel, and begins the function that is its body. */
#if defined(__cplusplus)
#define CV_KERNEL(name_, ...) SPE_KERNEL_IN_CPP
#else
#define CV_KERNEL(name_, ...) SPE_KERNEL(cv, CV, name_, __VA_ARGS__)
#endif

/* CV_BUILD(kernel, &target, .option = value, ...) */
#define CV_BUILD(kernel_, ...)                                                                                         \
    cv_build(&(cv_build_desc){.kernel = &(kernel_), .file = __FILE__, .line = __LINE__, .target = __VA_ARGS__})

#define CV_CONTEXT SPE_UNUSED cv_ctx *cv_context_
#define CV_SELF cv_context_
#define CV_USER() (cv_context_->desc->user)
#define CV_HERE_ ((cv_where_){cv_context_, &(const spe_line){__FILE__, __LINE__}})

#define CV_AT(x) CV_NUMBER(x) /* where, in options: bytes or elements */
#define CV_NUMBER(x) cv_here_(cv_context_, SPE_NUMBER(x))
#define CV_ANY_(x)                                                                                                     \
    _Generic((x), cv_val: cv_any_val_, cv_vec: cv_any_vec_, float: cv_any_float_, double: cv_any_real_,                \
             unsigned long: cv_any_uint_, unsigned long long: cv_any_uint_, default: cv_any_int_)(x)
#define CV_ANY_VEC_(v) cv_any_vec_(v) /* a vector and nothing else */
/* Operands are members of one initialiser, see XT_OPERANDS_ of xetile.h. */
#define CV_OPERANDS_(...) ((const cv_any_[]){__VA_ARGS__})
#define CV_NUMBERS_(...) ((const cv_val[]){__VA_ARGS__})
#define CV_VECTORS_(...) ((const cv_vec[]){__VA_ARGS__})

/* -- matrices and vectors in memory */
#define CV_MATRIX_REF(base_, T, m_, ...)                                                                               \
    cv_matrix_ref_(CV_HERE_, (cv_matrix_ref){.base = (base_), .interpretation = CV_ID_(T), .rows = (m_),               \
                                             .cols = __VA_ARGS__})
#define CV_VECTOR_REF(base_, ...)                                                                                      \
    cv_vector_ref_(CV_HERE_, (cv_vector_ref){.base = (base_), .interpretation = CV_ID_(SPE_FIRST(__VA_ARGS__, 0)),     \
                                             SPE_REST(__VA_ARGS__, .end_ = 0)})
#define CV_INTERPRET(vec_, T) ((cv_interpreted_vector){(vec_), CV_ID_(T)})
#define CV_INPUT_(x) _Generic((x), cv_vec: cv_plain_input_, cv_interpreted_vector: cv_same_input_)(x)

/* Two operands: element by element; a type, a matrix and a vector: their product. */
#define CV_MUL(...) SPE_CAT(CV_MUL_, SPE_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define CV_MUL_3(T, matrix_, input_)                                                                                   \
    cv_multiply_(CV_HERE_, CV_ID_(T), (cv_multiply_desc_){.matrix = (matrix_), .input = CV_INPUT_(input_)})
#define CV_MUL_ADD(T, matrix_, input_, bias_)                                                                          \
    cv_multiply_(CV_HERE_, CV_ID_(T),                                                                                  \
                 (cv_multiply_desc_){.matrix = (matrix_), .input = CV_INPUT_(input_), .bias = (bias_)})
/* The same, as the specification's instructions are called. */
#define CV_MATVEC_MUL(T, matrix_, input_) CV_MUL_3(T, matrix_, input_)
#define CV_MATVEC_MUL_ADD(T, matrix_, input_, bias_) CV_MUL_ADD(T, matrix_, input_, bias_)
#define CV_OUTER_PRODUCT_ACCUMULATE(v1_, v2_, matrix_)                                                                 \
    cv_accumulate_outer_(CV_HERE_, (cv_outer_desc_){.vecs = {v1_, v2_}, .matrix = (matrix_)})
#define CV_VECTOR_ACCUMULATE(v_, ref_)                                                                                 \
    cv_accumulate_(CV_HERE_, (cv_accumulate_desc_){.vec = (v_), .vector = (ref_)})

/* -- vectors */
#define CV_LOAD(ptr_, n_, ...)                                                                                         \
    cv_load_(CV_HERE_, (cv_memory_){.ptr = (ptr_), .count = (n_), .index = CV_AT(SPE_FIRST(__VA_ARGS__, 0)),           \
                                    SPE_REST(__VA_ARGS__, .end_ = 0)})
#define CV_STORE(vec_, ptr_, ...)                                                                                      \
    cv_store_(CV_HERE_, (cv_memory_){.vec = (vec_), .ptr = (ptr_), .index = CV_AT(SPE_FIRST(__VA_ARGS__, 0)),          \
                                     SPE_REST(__VA_ARGS__, .end_ = 0)})
#define CV_SPLAT(T, n_, x) cv_splat_(CV_HERE_, CV_ID_(T), n_, CV_AT(x))
#define CV_NUMBER_I_(i, x) CV_AT(x)
#define CV_VEC(T, ...)                                                                                                 \
    cv_vec_of_(CV_HERE_, CV_ID_(T), SPE_COUNT(__VA_ARGS__),                                                            \
               CV_NUMBERS_(SPE_EACH(CV_NUMBER_I_, SPE_COMMA, __VA_ARGS__)))
#define CV_ELEMENT(vec_, i_) cv_element_(CV_HERE_, CV_OPERANDS_(CV_ANY_VEC_(vec_), CV_ANY_(CV_AT(i_))))
#define CV_SET_ELEMENT(vec_, i_, x)                                                                                    \
    cv_set_element_(CV_HERE_, CV_OPERANDS_(CV_ANY_VEC_(vec_), CV_ANY_(CV_AT(i_)), CV_ANY_(CV_AT(x))))
#define CV_CONCAT(a, b) cv_concat_(CV_HERE_, CV_VECTORS_(a, b))
#define CV_SLICE(vec_, first_, n_) cv_slice_(CV_HERE_, vec_, first_, n_)

/* -- arithmetic */
#define CV_BY_(name, a, b, c)                                                                                          \
    _Generic((a), cv_vec: cv_##name##_vec_,                                                                            \
             default: _Generic((b), cv_vec: cv_##name##_vec_,                                                          \
                               default: _Generic((c), cv_vec: cv_##name##_vec_, default: cv_##name##_scalar_)))
#define CV_BINARY_(op_, name_, a, b)                                                                                   \
    CV_BY_(binary, a, b, 0)(CV_HERE_, op_, name_, CV_OPERANDS_(CV_ANY_(a), CV_ANY_(b)))
#define CV_ADD(a, b) CV_BINARY_(SPE_ARITH_ADD, "CV_ADD", a, b)
#define CV_SUB(a, b) CV_BINARY_(SPE_ARITH_SUB, "CV_SUB", a, b)
#define CV_MUL_2(a, b) CV_BINARY_(SPE_ARITH_MUL, "CV_MUL", a, b)
#define CV_DIV(a, b) CV_BINARY_(SPE_ARITH_DIV, "CV_DIV", a, b)
#define CV_MIN(a, b) CV_BINARY_(SPE_ARITH_MIN, "CV_MIN", a, b)
#define CV_MAX(a, b) CV_BINARY_(SPE_ARITH_MAX, "CV_MAX", a, b)
#define CV_MOD(a, b) CV_BINARY_(SPE_ARITH_REM, "CV_MOD", a, b)
#define CV_AND(a, b) CV_BINARY_(SPE_ARITH_AND, "CV_AND", a, b)
#define CV_OR(a, b) CV_BINARY_(SPE_ARITH_OR, "CV_OR", a, b)
#define CV_XOR(a, b) CV_BINARY_(SPE_ARITH_XOR, "CV_XOR", a, b)
#define CV_SHL(a, b) CV_BINARY_(SPE_ARITH_SHL, "CV_SHL", a, b)
#define CV_SHR(a, b) CV_BINARY_(SPE_ARITH_SHR, "CV_SHR", a, b)
#define CV_EQ(a, b) CV_BINARY_(SPE_ARITH_EQ, "CV_EQ", a, b)
#define CV_NE(a, b) CV_BINARY_(SPE_ARITH_NE, "CV_NE", a, b)
#define CV_LT(a, b) CV_BINARY_(SPE_ARITH_LT, "CV_LT", a, b)
#define CV_LE(a, b) CV_BINARY_(SPE_ARITH_LE, "CV_LE", a, b)
#define CV_GT(a, b) CV_BINARY_(SPE_ARITH_GT, "CV_GT", a, b)
#define CV_GE(a, b) CV_BINARY_(SPE_ARITH_GE, "CV_GE", a, b)
#define CV_FMA(a, b, c) cv_fma_(CV_HERE_, CV_OPERANDS_(CV_ANY_(a), CV_ANY_VEC_(b), CV_ANY_(c)))
#define CV_CLAMP(x, low_, high_) CV_MIN(CV_MAX(x, low_), high_)
#define CV_FUNCTION_(fn_, name_, x) CV_BY_(function, x, 0, 0)(CV_HERE_, fn_, name_, CV_ANY_(x))
#define CV_EXP(x) CV_FUNCTION_(SPE_EXP, "CV_EXP", x)
#define CV_LOG(x) CV_FUNCTION_(SPE_LOG, "CV_LOG", x)
#define CV_SQRT(x) CV_FUNCTION_(SPE_SQRT, "CV_SQRT", x)
#define CV_RSQRT(x) CV_FUNCTION_(SPE_RSQRT, "CV_RSQRT", x)
#define CV_SIN(x) CV_FUNCTION_(SPE_SIN, "CV_SIN", x)
#define CV_COS(x) CV_FUNCTION_(SPE_COS, "CV_COS", x)
#define CV_ABS(x) CV_FUNCTION_(SPE_FABS, "CV_ABS", x)
#define CV_FLOOR(x) CV_FUNCTION_(SPE_FLOOR, "CV_FLOOR", x)
#define CV_TANH(x) CV_FUNCTION_(SPE_TANH, "CV_TANH", x)
#define CV_SIGMOID(x) CV_FUNCTION_(CV_SIGMOID_, "CV_SIGMOID", x)
#define CV_GELU(x) CV_FUNCTION_(CV_GELU_, "CV_GELU", x)
#define CV_RELU(x) CV_MAX(x, 0.0)
#define CV_LEAKY_RELU(x, slope_)                                                                                       \
    cv_leaky_relu_(CV_HERE_, CV_OPERANDS_(CV_ANY_VEC_(x), CV_ANY_(CV_AT(slope_))))
#define CV_CAST(T, x) CV_BY_(cast, x, 0, 0)(CV_HERE_, CV_ID_(T), CV_ANY_(x))
#define CV_SELECT(c, a, b) CV_BY_(select, c, a, b)(CV_HERE_, CV_OPERANDS_(CV_ANY_(c), CV_ANY_(a), CV_ANY_(b)))
#define CV_GROUP_ID() cv_builtin_(CV_HERE_, SPE_GROUP_ID)
#define CV_GROUP_COUNT() cv_builtin_(CV_HERE_, SPE_GROUP_COUNT)
#define CV_LOCAL_ID() cv_builtin_(CV_HERE_, SPE_LOCAL_ID)
#define CV_GLOBAL_ID() cv_builtin_(CV_HERE_, SPE_GLOBAL_ID)
#define CV_GLOBAL_SIZE() cv_builtin_(CV_HERE_, SPE_GLOBAL_SIZE)
#define CV_SUBGROUP_ID() cv_builtin_(CV_HERE_, SPE_SUBGROUP_ID)
#define CV_LANE_ID() cv_builtin_(CV_HERE_, SPE_SUBGROUP_LANE)
#define CV_UNIFORM(x) cv_uniform_(CV_HERE_, CV_AT(x))
#define CV_BARRIER() cv_barrier_(CV_HERE_)

/* -- control flow */
#define CV_FOR(k, lo, hi, ...)                                                                                         \
    SPE_FOR(cv_region_next_, k,                                                                                        \
            cv_for_begin_(CV_HERE_, CV_NUMBERS_(CV_AT(lo), CV_AT(hi), CV_AT(SPE_FIRST(__VA_ARGS__, 0))),               \
                          SPE_CARRIED(__VA_ARGS__)))
#define CV_WHILE(...)                                                                                                  \
    SPE_WHILE(cv_region_next_, cv_while_begin_(CV_HERE_, SPE_CARRIED(__VA_ARGS__)), cv_while_test_, CV_HERE_,          \
              CV_AT(SPE_FIRST(__VA_ARGS__, 0)))
#define CV_IF(...)                                                                                                     \
    SPE_IF(cv_region_next_, cv_if_begin_(CV_HERE_, CV_AT(SPE_FIRST(__VA_ARGS__, 0)), SPE_CARRIED(__VA_ARGS__)))
#define CV_ELSE else

/* -- on the host: appends conversions by the kernel of cv_conversion_module to a zed_batch */
#define CV_GROUPS_(n) ((zed_groups){n, 1, 1})
#define CV_CONVERT_MATRICES(batch_, kernel_, infos_, count_, error_)                                                   \
    for (cv_conversions_ cv_it_ = {.at = {__FILE__, __LINE__}, .infos = infos_, .count = count_, .error = error_};     \
         cv_conversions_next_(&cv_it_);)                                                                               \
        zed_batch_launch(batch_, kernel_, CV_GROUPS_(cv_it_.now.groups), cv_it_.now.dest,                              \
                         (void *)(uintptr_t)cv_it_.now.src, cv_it_.now.slots, cv_it_.now.rows, cv_it_.now.cols,        \
                         cv_it_.now.dest_type, cv_it_.now.dest_layout, cv_it_.now.dest_stride, cv_it_.now.src_type,    \
                         cv_it_.now.src_layout, cv_it_.now.src_stride, cv_it_.now.dest_shift, cv_it_.now.src_shift, \
                         cv_it_.now.overflow)

/* cpp.h - the macros of kernels in C++20, which has no compound literals and no _Generic: overloads and lists instead,
 * with the same names and the same modules. Options are given in the order of their declaration.
 */
#if __cplusplus >= 202002L

/* ---- overloads for _Generic */
inline spe_cpp_operand<cv_any_, true> cv_any_cpp_(const cv_vec &v) { return {cv_any_vec_(v)}; }
template <class T> requires(!spe_cpp_is_number<T>)
spe_cpp_operand<cv_any_, false> cv_any_cpp_(const T &) = delete; /* neither a number nor a vector */
template <class T> requires(spe_cpp_is_number<T>) spe_cpp_operand<cv_any_, false> cv_any_cpp_(const T &x)
{
    return {cv_any_val_(spe_cpp_number_of(x))};
}
inline cv_interpreted_vector cv_input_cpp_(const cv_vec &v) { return cv_plain_input_(v); }
inline cv_interpreted_vector cv_input_cpp_(const cv_interpreted_vector &v) { return v; }

#undef CV_ANY_
#define CV_ANY_(x) cv_any_cpp_(x)
#undef CV_ANY_VEC_
#define CV_ANY_VEC_(v) (spe_cpp_operand<cv_any_, true>{cv_any_vec_(v)})
#undef CV_BY_
#define CV_BY_(name, a, b, c) spe_cpp_choose(cv_##name##_vec_, cv_##name##_scalar_)
#undef CV_INPUT_
#define CV_INPUT_(x) cv_input_cpp_(x)

/* ---- compound literals */
#undef CV_KERNEL
#define CV_KERNEL(name_, ...) SPE_KERNEL(cv, CV, name_, __VA_ARGS__)
#undef CV_HERE_
#define CV_HERE_ (cv_where_{cv_context_, SPE_CPP_LINE})
#undef CV_OPERANDS_
#define CV_OPERANDS_(...) (spe_cpp_operands{__VA_ARGS__})
#undef CV_NUMBERS_
#define CV_NUMBERS_(...) spe_cpp_listed<cv_val>({__VA_ARGS__})
#undef CV_VECTORS_
#define CV_VECTORS_(...) spe_cpp_listed<cv_vec>({__VA_ARGS__})
#undef CV_BUILD
#define CV_BUILD(kernel_, target_, ...)                                                                                \
    cv_build(&(const cv_build_desc &)cv_build_desc{.kernel = &(kernel_), .file = __FILE__, .line = __LINE__,           \
                                                   .target = (target_), __VA_ARGS__})
#undef CV_MATRIX_REF
#define CV_MATRIX_REF(base_, T, m_, k_, ...)                                                                           \
    cv_matrix_ref_(CV_HERE_, cv_matrix_ref{.base = (base_), .interpretation = (cv_type)CV_ID_(T), .rows = (m_),        \
                                           .cols = (k_), __VA_ARGS__})
#undef CV_VECTOR_REF
#define CV_VECTOR_REF(base_, T, ...)                                                                                   \
    cv_vector_ref_(CV_HERE_, cv_vector_ref{.base = (base_), .interpretation = (cv_type)CV_ID_(T), __VA_ARGS__})
#undef CV_INTERPRET
#define CV_INTERPRET(vec_, T) (cv_interpreted_vector{(vec_), CV_ID_(T)})
#undef CV_MUL_3
#define CV_MUL_3(T, matrix_, input_)                                                                                   \
    cv_multiply_(CV_HERE_, CV_ID_(T), cv_multiply_desc_{.matrix = (matrix_), .input = CV_INPUT_(input_)})
#undef CV_MUL_ADD
#define CV_MUL_ADD(T, matrix_, input_, bias_)                                                                          \
    cv_multiply_(CV_HERE_, CV_ID_(T),                                                                                  \
                 cv_multiply_desc_{.matrix = (matrix_), .input = CV_INPUT_(input_), .bias = (bias_)})
#undef CV_OUTER_PRODUCT_ACCUMULATE
#define CV_OUTER_PRODUCT_ACCUMULATE(v1_, v2_, matrix_)                                                                 \
    cv_accumulate_outer_(CV_HERE_, cv_outer_desc_{.vecs = {v1_, v2_}, .matrix = (matrix_)})
#undef CV_VECTOR_ACCUMULATE
#define CV_VECTOR_ACCUMULATE(v_, ref_) cv_accumulate_(CV_HERE_, cv_accumulate_desc_{.vec = (v_), .vector = (ref_)})
#undef CV_LOAD
#define CV_LOAD(ptr_, n_, index_, ...)                                                                                 \
    cv_load_(CV_HERE_, cv_memory_{.ptr = (ptr_), .count = (n_), .index = CV_AT(index_), __VA_ARGS__})
#undef CV_STORE
#define CV_STORE(vec_, ptr_, index_, ...)                                                                              \
    cv_store_(CV_HERE_, cv_memory_{.vec = (vec_), .ptr = (ptr_), .index = CV_AT(index_), __VA_ARGS__})
#undef CV_GROUPS_
#define CV_GROUPS_(n) (zed_groups{n, 1, 1})
#endif /* C++20 */

#endif /* XETILE_COOPVEC_MACROS_ */

#if defined(__GNUC__)
SPE_LETTERS_(XETILE_POP_)
#endif

#endif /* CM_LAYOUT_ONLY */
