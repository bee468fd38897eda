/* coopvec.h - cooperative vectors: matrix-vector operations on the vectors of work-items, for kernels in plain C.
 *
 * A small neural network in a kernel, one work-item a pixel:
 *
 *     #include "coopvec.h"
 *
 *     CV_KERNEL (shade, ptr(f16, weights), ptr(f16, in), ptr(f16, out))
 *     {
 *         cv_val i = CV_GLOBAL_ID();
 *         cv_vec x = CV_LOAD(in, 64, CV_TIMES(i, 64));
 *         cv_matrix_ref w0 = CV_MATRIX_REF(weights, f16, 64, 64, .layout = CV_MUL_OPTIMAL);
 *         cv_matrix_ref w1 = CV_MATRIX_REF(weights, f16, 3, 64, .layout = CV_MUL_OPTIMAL, .offset = CV_AT(8192));
 *         cv_vec h = CV_RELU(CV_MUL(f16, w0, x));
 *         cv_vec y = CV_MUL_ADD(f16, w1, h, CV_VECTOR_REF(weights, f16, .offset = CV_AT(9216)));
 *         CV_STORE(y, out, CV_TIMES(i, 3));
 *     }
 *
 *     cv_module mod = CV_BUILD(shade, &(cv_target){.name = "bmg"});
 *     if (!mod.words) spe_print_error(mod.error, stderr);
 *     ...                                                  mod.words, mod.size, mod.kernel, mod.params, mod.local_size
 *     cv_free(&mod);
 *
 * HOW A KERNEL IS MADE. The body is ordinary C that CV_BUILD runs once to write it. C variables and C loops are compile
 * time: a C `for` unrolls. Kernel values are cv_val (numbers) and cv_vec (a work-item's vector of 1 to 1024 elements of
 * f16 f32 i16 u16 i32 u32); assign them, pass them to functions. A function that uses the macros takes CV_CONTEXT first
 * and is called with CV_SELF. Parameters: ptr(TYPE, NAME), or f32 f16 i32 u32 i16 u16 i8 u8 (NAME); at most 32. TYPE
 * also e4m3 e5m2.
 *
 * MATRICES AND VECTORS IN MEMORY
 *     CV_MATRIX_REF(base, T, M, K, options)   an M x K matrix interpreted as T: i16 u16 i32 u32 f16 f32 u8 i8 e4m3
 *                     e5m2. base is a pointer parameter of any type.
 *         .layout     CV_ROW_MAJOR (default), CV_COLUMN_MAJOR, CV_MUL_OPTIMAL, CV_OUTER_PRODUCT_OPTIMAL
 *         .offset     CV_AT(bytes): a C integer or a cv_val; base + offset is a multiple of 128. Default 0
 *         .stride     CV_AT(bytes) from a row (or column) to the next, a multiple of 16; optimal layouts have none.
 *                     Default: the least there can be
 *         .transpose  the matrix is stored as K rows of M columns (optimal layouts only): M and K are always those of
 *                     the product
 *         .uniform    CV_UNIFORM_AUTO (default): the matrix instruction is used where it is certain that all work-items
 *                     of a subgroup come there together with the same matrix, that is outside of a CV_IF or CV_FOR that
 *                     depends on the work-item, with offset, stride and bias made of constants, parameters, group
 *                     numbers and CV_UNIFORM. CV_UNIFORM_YES: you promise it. CV_UNIFORM_NO: a lane at a time
 *     CV_VECTOR_REF(base, T, .offset = CV_AT(bytes))   a bias or an accumulated vector; base + offset is a multiple of
 *                     64
 *     CV_INTERPRET(vector, T)                 how an input vector's elements are read: the types above, or
 *                     packed_s8x32, packed_u8x32 (of u32: four 8-bit integers an element). A plain cv_vec is read as
 *                     its own type
 *
 * OPERATIONS (number: a C number or a cv_val; T: a type name)
 *     CV_MUL(T, matrix, input)            Mul: a vector of M elements of T
 *     CV_MUL_ADD(T, matrix, input, bias)  MulAdd
 *     CV_OUTER_PRODUCT_ACCUMULATE(v1, v2, matrix)   matrix += v1 transpose(v2), atomically; layout
 *                     CV_OUTER_PRODUCT_OPTIMAL
 *     CV_VECTOR_ACCUMULATE(v, vector_ref)     vector += v, atomically (vector_ref also takes .uniform)
 *     CV_LOAD(pointer, n, index)  CV_STORE(vector, pointer, index)    n elements of the type pointed to; index in
 *                     elements; option .stride = CV_AT(elements) from one to the next, default 1
 *     CV_SPLAT(T, n, number)  CV_VEC(T, numbers...)  CV_ELEMENT(v, i)  CV_SET_ELEMENT(v, i, number)
 *     CV_CONCAT(a, b)  CV_SLICE(v, first, n)
 *     CV_ADD CV_SUB CV_TIMES CV_DIV CV_MIN CV_MAX (x, y)    numbers, vectors of one type and length, a vector and a
 *                     number
 *     CV_MOD CV_AND CV_OR CV_XOR CV_SHL CV_SHR            integers
 *     CV_FMA(a, b, c)  CV_CLAMP(v, low, high)  CV_CHOOSE_GT(a, b, c, d): a > b ? c : d, element by element
 *     CV_EXP CV_LOG CV_SQRT CV_RSQRT CV_SIN CV_COS CV_ABS CV_FLOOR   f16 is computed in f32 and rounded
 *     CV_RELU(v)  CV_LEAKY_RELU(v, slope)  CV_SIGMOID  CV_TANH  CV_GELU (the tanh form)
 *     CV_CAST(T, x)                           by the conversion rules below
 *     CV_EQ CV_NE CV_LT CV_LE CV_GT CV_GE (x, y)  CV_SELECT(condition, x, y)     numbers
 *     CV_GROUP_ID() CV_GROUP_COUNT() CV_LOCAL_ID() CV_GLOBAL_ID() CV_GLOBAL_SIZE() CV_SUBGROUP_ID() CV_LANE_ID()   i32,
 *                     dimension 0
 *     CV_UNIFORM(number)                      the first active work-item's, for all of the subgroup
 *     CV_FOR (k, lo, hi, step, &x, &y, ...) { }   CV_IF (condition, &x, ...) { } CV_ELSE { }     the listed variables
 *                     (cv_val, cv_vec) leave the region changed, others must not. Never leave a body by break,
 *                     continue, return or goto
 *     CV_BARRIER()
 *
 * WHAT A PRODUCT IS. Input and matrix both of integers: 32-bit integers modulo 2^32, exact in any order, bias included;
 * then converted to T (the sum is signed when input, matrix or an integer bias is). Otherwise: f32, each product
 * rounded or not, summed in any order; then converted to T. A float bias of an integer product is added in f32. Both
 * ways, the matrix instruction and a lane at a time, keep to this.
 *
 * CONVERSION RULES. Integer to integer saturates; float to integer rounds to nearest even and saturates (NaN becomes
 * 0); integer to float rounds to nearest even; packed is a bitcast; FP8 rounds to nearest even, saturates to the
 * largest finite value (448, 57344), and NaN stays NaN. A matrix is never converted, only interpreted.
 *
 * THE OPTIMAL LAYOUTS, both alike: panels of 64 bytes of each row. With P = 64 / size elements a panel and rows padded
 * to R, a multiple of 8, element (r, c) is at byte
 *     (c / P) 64 R + 64 r + (c mod P) size
 * and the whole has ceil(columns / P) 64 R bytes. Padding is zero (a conversion writes it; zero an accumulated matrix
 * whole). Mul-optimal: eight rows are two A operands of DPAS side by side, and one 2D block message (which wants rows
 * of 64 bytes) brings four times two. Outer-product-optimal: eight rows of f32 are an accumulator block of 16 lanes, so
 * that each atomic message of a subgroup is a whole cache line. That they are alike means: trained matrices can be used
 * at once.
 *
 * The macros call cv_build, cv_mul, cv_mul_add, cv_outer_product_accumulate, cv_vector_accumulate and functions ending
 * in _.
 *
 * THE HOST. cv_get_tier, cv_check_feature_support (counts and property lists); cv_get_conversion_dest_info,
 * cv_check_conversion, cv_convert_matrix; cv_check_matrix_memory, cv_check_vector_memory; cv_element_offset. The
 * structures are those of D3D12 with C names; results are CV_S_OK or CV_E_INVALIDARG. cv_supports_mul,
 * cv_supports_outer_product and cv_supports_vector_accumulate ask for one combination; cv_type_info, cv_type_name and
 * cv_layout_name tell of a type or layout, cv_error_name and cv_error_text of an error id. cv_conversion_arguments_of
 * gives the kernel's arguments for other runtimes. On the device: build cv_conversion_module(&target), load it, then in
 * a batch of ze_dispatch.h
 *     CV_CONVERT_MATRICES(&batch, &kernel, infos, count, &error);       error.id is not 0 when a descriptor was refused
 *
 * CV_BUILD(kernel, &target, options...): .local_size (default four subgroups; a multiple of the subgroup size, or the
 * matrix instruction is not used), .subgroup_size, .lowering (CM_PLAIN: no matrix instruction), .large_registers,
 * .version, .names, .lines. It returns a module; words is NULL when something was wrong, and error says what, where in
 * your source, and both values. Errors: ids 3000.. in CV_ERRORS_ below.
 *
 * LIMITS  in a kernel M is at most 1024 and K, counted as matrix elements, 4096; a matrix in memory has less than 2
 * GiB. Kernel indices and offsets are 32 bits. One kernel a module.
 *
 * License: MIT, see LICENSE.
 */
#ifndef XETILE_COOPVEC_H
#define XETILE_COOPVEC_H

#include "coopmatrix.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

