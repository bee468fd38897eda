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
#include "coopvec/calls.h"

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

#endif /* XETILE_COOPVEC_H */
