/* xetile.h - tile kernels in plain C: describe a kernel with macros, get SPIR-V.
 *
 * The smallest program: every work-group adds one row of 256 elements.
 *
 *     #include "xetile.h"
 *
 *     XT_KERNEL (add, ptr(f32, A), ptr(f32, B), ptr(f32, C), u32(N))
 *     {
 *         xt_val at = XT_MUL(XT_GROUP_ID(0), 256);
 *         xt_tile a = XT_INIT_TILE(A, f32, 1, 256, .offset = XT_AT(0, at), .shape = XT_AT(1, N));
 *         xt_tile b = XT_INIT_TILE(B, f32, 1, 256, .offset = XT_AT(0, at), .shape = XT_AT(1, N));
 *         xt_tile c = XT_INIT_TILE(C, f32, 1, 256, .offset = XT_AT(0, at), .shape = XT_AT(1, N));
 *         XT_STORE_TILE(XT_ADD(XT_LOAD_TILE(a), XT_LOAD_TILE(b)), c);
 *     }
 *
 *     xt_module mod = XT_BUILD(add, &(xt_target){.name = "bmg"});
 *     if (!mod.words) spe_print_error(mod.error, stderr);
 *     ...                                                  mod.words, mod.size, mod.kernel, mod.params, mod.local_size
 *     xt_free(&mod);
 *
 * HOW A KERNEL IS MADE. The body is ordinary C that XT_BUILD runs: first once to plan (nothing is written; checks are
 * made, the work-group's size and each vector's layout are found), then to write it. It runs twice more where row
 * pitches are known only at launch: one version with 2D block messages, one without, and the kernel picks (.pitch).
 * So the body must do the same each time it is called (NOT_REPEATABLE). C variables and C loops are compile time: a C
 * `for` unrolls.
 * Kernel values are xt_val (scalars), xt_tile (a place in memory) and xt_vec (a two-dimensional vector); all are
 * values: assign them, pass them to functions. A function that uses the macros takes XT_CONTEXT as its first parameter
 * and is called with XT_SELF:
 *     static xt_vec twice(XT_CONTEXT, xt_vec v) { return XT_ADD(v, v); }           ...   v = twice(XT_SELF, v);
 *
 * KERNEL PARAMETERS, at most 32: ptr(TYPE, NAME), or one of f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8 (NAME)
 * (PARAMETER_TEXT).
 * As a T below, of(x) is the element type of a pointer parameter, a tile or a vector: one function serves many types.
 *
 * WORK-GROUPS AND MAPS. Without a map an operation is at subgroup level: every subgroup has the whole tile. With
 *     xt_map m = XT_MAP(.sg_layout = {8, 4}, .sg_data = {32, 64});
 * it is at work-group level: 8 x 4 subgroups (linear id row-major in sg_layout) share the tile in pieces of 32 x 64. In
 * each dimension, when sg_layout * sg_data is less than the tile the rest is dealt out again from the first subgroup on
 * (round robin); when it is more, it wraps around and subgroups share pieces. One must divide the other. Maps of one
 * kernel have the same number of subgroups; that number times the subgroup size is the work-group's size. The
 * distribution can be asked on the host: xt_dist_init, xt_dist_pieces, xt_dist_offset, xt_dist_owns.
 *
 * OPERATIONS (number: a C integer or floating value, or an xt_val; T: a type name as above, also tf32). Words in
 * capitals in brackets are errors, XT_ERROR_...; of all operations UNSET: a value that was never set.
 *   Tiles and memory, at both levels (at work-group level with .map). T also tf32 e4m3 e5m2, and i1: masks, a byte each
 *   in memory (0 is false; ptr(u8, X) or ptr(i8, X)), 0 or 1 in vectors. Nothing outside a base matrix is ever read or
 *   written; tiles of any size may lie anywhere. Offsets, extents and strides are 32 bits (INDEX).
 *     XT_INIT_TILE(base, T, rows, cols, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .strides = XT_AT(N, 1), .map = m,
 *                  .order = {1, 0}, .inner_blocks = {a, b}, .inside = false)
 *         base             a pointer parameter to T, a 64-bit integer (an address), XT_LOCAL (TILE_BASE, TILE_TYPE)
 *         .shape           of the base matrix, required. With three or four dimensions the first ones choose one matrix
 *                          of several; where their offset is outside, so is the whole tile (TILE_SHAPE)
 *         .offset          as many dimensions; default 0
 *         .strides         as many dimensions, in elements; default: contiguous
 *         .order           {1, 0}: memory is row-major, strides (pitch, 1). {0, 1}: column-major, (1, pitch). It must
 *                          be the order that the strides have (TILE_ORDER, ORDER_STRIDES, TILE_STRIDES)
 *         .inner_blocks    see Blocked vectors (INNER_BLOCKS)
 *         .inside          you promise that the tile never leaves the base matrix: no tests. Local memory is then
 *                          accessed in large pieces where pitch (constant) and offsets are multiples of 16 bytes: f16,
 *                          bf16, f32 row by row, all types column-major; best with rows of 16, see gemm_slm.c
 *         .map             (MAP_VALUES, MAP_FIT, MAP_SUBGROUPS, TILE_SIZE)
 *     XT_INIT_TILE(base, T, rows, cols, .scatter = v, .shape = XT_AT(n))      a scatter tile: element (i, j) is
 *                          base[v(i, j)], v a vector of i32 u32 i64 u64, 1 x n or two-dimensional, base n elements
 *                          (SCATTER_TYPE, SCATTER_SHAPE, SCATTER_MAP). Only XT_LOAD_GATHER and XT_STORE_SCATTER take
 *                          it (SCATTER)
 *     XT_LOCAL(T, elements)              an array in local memory, one for the work-group, with nothing in it at first.
 *                                        The sum is checked and in mod.local_memory (LOCAL_SIZE, LOCAL_MEMORY)
 *     XT_LOAD_TILE(tile, .padding = 0)   elements outside the base matrix are the padding, a C constant that T holds
 *                                        (whole for integers, exact up to 2^53; SCALAR_RANGE)
 *     XT_STORE_TILE(vec, tile)           elements outside the base matrix are dropped. Shape, type, map and blocks are
 *                                        the tile's (STORE_SHAPE, STORE_TYPE, STORE_MAP, STORE_BLOCKS)
 *     XT_PREFETCH_TILE(tile, .locality = 3)       3: kept in all caches; 2 and 1: not in the first level; 0: streams
 *                                        through the first level (LOCALITY). Local memory: nothing to do. Two in a
 *                                        row of tiles with maps may be divided otherwise: a part of the subgroups
 *                                        fetches the one, the rest the other, a message each. In a loop best before
 *                                        the loads: Intel's compiler needs fewer instructions then
 *     XT_UPDATE_TILE_OFFSET(tile, rows, cols)     a new tile, moved by so many elements. In XT_FOR a tile that moves by
 *                                        the loop's step costs one addition a turn, and nothing is made anew
 *     XT_ATOMIC_RMW(kind, vec, tile)     memory becomes memory `kind` vec, each element atomically; the result is what
 *                                        was there before (0 outside). Errors as of XT_STORE_TILE, ATOMIC_SHARED when a
 *                                        map makes subgroups share pieces. XT_ATOMIC_RMW_TILE is the same
 *         kind                                                    elements (ATOMIC_TYPE)
 *         addf mulf                                               f16 bf16 f32 f64; bf16 in f32, rounded
 *         maximumf minimumf (NaN wins), maxnumf minnumf (a        f16 bf16 f32 f64; -0 is less than 0
 *         number wins over NaN)
 *         addi muli andi ori xori maxs mins (signed) maxu minu    all integers, whatever their own sign
 *         assign                                                  all but i1
 *         What no instruction does is a compare-exchange loop; elements below 32 bits are exchanged with the aligned
 *         32 bits that hold them, whose other bits keep their value
 *     XT_LOAD_GATHER(tile, mask, .padding = 0)    of a scatter tile; mask: a vector of i1 like the tile, or left out.
 *                                        Where the offset is outside the base or the mask is false: the padding
 *     XT_STORE_SCATTER(vec, tile, mask)  those are dropped; of equal offsets one wins (NO_SCATTER, MASK_TYPE,
 *                                        MASK_SHAPE, MASK_MAP, STORE_SHAPE, STORE_TYPE, STORE_MAP)
 *
 *   Products, constants.
 *     XT_TILE_MMA(a, b, c) or (a, b)     a * b + c; options .map (checked against what follows from a and b), .type
 *                                        (without c: XT_TYPE(f16) ...; default f32, i32 for 8-bit integers, f64)
 *                                        (MMA_SHAPE, MMA_TYPE, MMA_MAP)
 *         a x b               result                   a x b                      result
 *         f16 x f16           f32, f16                 f32 x f32, tf32 x tf32     f32
 *         bf16 x bf16         f32, bf16                f64 x f64                  f64
 *         i8|u8 x i8|u8       i32                      others: what cm_product_row of coopmatrix.h has
 *                                        .a_map .b_map .c_map: the maps that the operands are said to have; checked
 *     XT_SPLAT(T, rows, cols, number, .map = m)   every element the same
 *     XT_IOTA(T, rows, cols, dim, .map = m)       every element its row (dim 0) or column (dim 1)
 *
 *   Element by element, at both levels. On numbers; on vectors of one type, shape, map and inner_blocks; on vectors and
 *   numbers (C constants, xt_val), which then count as vectors. bf16 is computed in f32 and rounded.
 *     operation                                        elements                        errors
 *     XT_ADD XT_SUB XT_MUL XT_DIV XT_MIN XT_MAX (x, y) all but i1, e4m3, e5m2          VEC_OP, VEC_TYPE, VEC_SHAPE,
 *     XT_NEG(x)                                        all but i1, e4m3, e5m2, unsigned  MAP_DIFFERS, BLOCKED
 *     XT_MOD XT_SHL XT_SHR (x, y)                      integers
 *     XT_AND XT_OR XT_XOR (x, y)                       integers, i1
 *     XT_EQ XT_NE XT_LT XT_LE XT_GT XT_GE (x, y)       as XT_ADD; EQ, NE also i1. Of vectors: a vector of i1; of
 *                                                      numbers: a condition, for XT_IF
 *     XT_NOT(x)                                        x == 0
 *     XT_SELECT(condition, x, y)                       any x, y of one type; a vector of i1  CONDITION, VEC_TYPE
 *     XT_EXP XT_EXP2 XT_LOG XT_LOG2 XT_SQRT XT_RSQRT   f16 bf16 f32 f64                MATH_TYPE
 *     XT_TANH XT_SIN XT_COS XT_ERF XT_CEIL XT_FLOOR    f16 bf16 f32 f64
 *     XT_ROUND XT_TRUNC (x)  XT_POW(x, y)  XT_FMA(x, y, z) = x y + z
 *     XT_ABS(x)                                        floats, integers
 *     XT_CAST(T, x)                                    to nearest between floats, towards zero to integers (what does
 *                                                      not fit is undefined), low bits between integers; the source's
 *                                                      sign decides extension; i1 is 0 or 1, to i1: x != 0
 *     XT_BITCAST(T, x)                                 types of one size               BITCAST
 *
 *   Vectors as a whole. .map: of the result. .source: the map that the operand is said to have (the older text's first
 *   map); an error when it has another (SOURCE_MAP), and with both given data may move between any two maps. Where
 *   subgroups do not hold what they need it goes through local memory, with barriers: all subgroups must get there.
 *   What local memory has left beside XT_LOCAL serves all such operations, in passes over rows when it is smaller than
 *   the vector (LOCAL_MEMORY when not even a row fits); mod.local_memory tells the sum. A vector without a map that
 *   becomes one with a map must be the same in every subgroup.
 *     XT_REDUCTION(kind, v, dim, .reduction_size = n, .map, .source)      groups of n (default: all) neighbours along
 *                                        dim become one. kind: add mul (all types), minsi minui maxsi maxui and or xor
 *                                        (integers), minnumf maxnumf (a number wins over NaN), minimumf maximumf (NaN
 *                                        wins, -0 < 0) (floats). f16 and bf16 are summed in f32. n divides the
 *                                        dimension (REDUCTION_SIZE). Result map: sg_layout and the other dimension
 *                                        as v's; along dim sg_data / n; where a group has several subgroups any
 *                                        (default 1)
 *                                        (REDUCTION_KIND, REDUCTION_MAP, VEC_DIM)
 *     XT_BROADCAST(v, dim, size, .broadcast_size = n, .map, .source)      each element n times along dim, size in all;
 *                                        without n the dimension is 1. v's map: sg_layout and the other dimension as
 *                                        the result's, along dim sg_data / n (at least 1). .map may be left out where
 *                                        sg_layout[dim] is 1 (BROADCAST_SIZE, BROADCAST_MAP, MAP_MISSING)
 *     XT_TRANSPOSE(v, .map, .source)     .map default: v's with both dimensions swapped; any other too. Not of 4-D ones
 *     XT_CONVERT_LAYOUT(v, .map = m, .source)     the same vector under another map (MAP_MISSING)
 *     XT_SLICE(v, row, col, rows, cols, .map)     a part of it; at work-group level with .map (SLICE, MAP_MISSING)
 *     In registers: whenever each subgroup holds what it needs, in the same place (the text's 2.3).
 *     On the host: xt_map_mma_a, xt_map_mma_b, xt_map_reduction, xt_map_broadcast, xt_map_transpose derive maps.
 *
 *   Blocked vectors, of the older text. .inner_blocks = {a, b} of a tile or XT_TILE_PACK makes a vector of rows x cols
 *   count as 4-D, rows / a x cols / b x a x b; blocks divide a subgroup's piece. All operations above take them (but
 *   XT_TRANSPOSE and XT_SLICE); operands agree in blocks: a x k, k x b, a x b in XT_TILE_MMA (BLOCKED). Dimensions are
 *   then pairs: XT_DIMS(1, 3) for columns, XT_DIMS(0, 2) for rows.
 *     XT_TILE_PACK(v, .inner_blocks = {a, b})   XT_TILE_UNPACK(v, .inner_blocks = {a, b})   XT_BROADCAST(..,
 *     .inner_blocks): what the broadcast dimension's block is in the result
 *   Older names: XT_TILE_REDUCE XT_TILE_BROADCAST XT_TILE_TRANSPOSE XT_TILE_CONV_LAYOUT XT_TILE_CONVERT_LAYOUT
 *   XT_CONV_LAYOUT XT_VADD XT_VSUB XT_VMUL XT_VDIV XT_VMIN XT_VMAX.
 *
 *     XT_PARAM("name")                   a parameter by its name, for functions (UNKNOWN_PARAMETER)
 *     XT_GROUP_ID(d) XT_GROUP_COUNT(d) XT_LOCAL_ID(d) XT_GLOBAL_ID(d)   d = 0, 1, 2 (DIMENSION)
 *     XT_SUBGROUP_ID() XT_LANE_ID()
 *     XT_BARRIER()                       all subgroups of the work-group; memory before it is seen after it
 *     XT_BARRIER_ARRIVE("name") XT_BARRIER_WAIT("name")    the same in two halves; one at a time (SPLIT_BARRIER)
 *     XT_FOR (k, lo, hi, step, &x, &y, ...) { }       for k = lo; k < hi; k += step; with a negative step for k = lo;
 *                                        k > hi; k += step. What is computed may have either sign, not 0 (LOOP_STEP;
 *                                        a division before the loop); u32 parameters are positive. The
 *                                        listed variables (xt_val, xt_tile, xt_vec: CARRIED) are carried round, of
 *                                        one type, shape and map all the time (CARRIED_TYPE): what the body leaves
 *                                        in them is what the next turn, and the code after the loop, finds. Others must
 *                                        not change in the body
 *     XT_WHILE (condition, &x, ...) { }  the same without k; the condition is computed each turn, of carried values
 *     XT_IF (condition, &x, ...) { } XT_ELSE { }      the same; XT_ELSE may be left out
 *                                        Never leave these bodies by break, continue, return or goto (UNCLOSED)
 * Integer numbers: C integers take the other operand's type. 32-bit i32 and u32 may meet; the result is i32 (an index)
 * (SCALAR_TYPE, SCALAR_RANGE; DIVISION by the constant 0).
 * A kernel's u32 sizes are read as i32: at most 2^31 - 1.
 *
 * XT_BUILD(kernel, &target, options...): target.name is a row of coopmatrix.h (pvc bmg lnl ptl dg2 generic soft); its
 * other fields, where not zero, override the row. Options, zero being the default:
 *     .subgroup_size      a size the target has; default the row's
 *     .lowering           CM_PLAIN, CM_INTEL ... of coopmatrix.h; default the best the target has
 *     .pitch              XT_PITCH_AUTO: when the kernel has a tile_mma and matrices whose pitch or base address is
 *                         known only at launch, both versions are written and the kernel picks. XT_PITCH_ALIGNED: you
 *                         promise that bases are 64-byte aligned, pitches multiples of 16 bytes, at least 64, row
 *                         lengths multiples of 4 bytes and at least 64, column offsets multiples of 4 bytes (with
 *                         .order {0, 1} row offsets; of 8-bit elements then none is negative); of bases
 *                         with leading dimensions that their offsets are inside and that matrices are multiples of 64
 *                         bytes apart. XT_PITCH_ANY: only the version for any pitch
 *     .registers          128 or 256 a thread; default 256 when the accumulators of a subgroup need more than 4 KiB, or
 *                         with both operands more than 6 KiB and the work-group has room for it
 *     .version            SPIR-V version, SPE_VERSION(1, 4);   .names, .lines: OpName, OpLine
 * It returns a module; words is NULL when something was wrong, and error then says what, where in your source, and both
 * values. Always call xt_free. XT_BUILD fills an xt_build_desc for xt_build; xt_error_name and xt_error_text are of an
 * id. Errors of the build: TARGET, SUBGROUP_SIZE, GROUP_SIZE, REGISTERS, MEMORY.
 *
 * LIMITS  a subgroup's piece of a tile: 1024 x 1024. One kernel a module. Errors: ids 2000.. in XT_ERRORS_ below.
 */
#ifndef XETILE_XETILE_H
#define XETILE_XETILE_H

#include "coopmatrix.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- errors ------------------------------------------------------------------------------------------------------ */

#define XT_ERRORS_(X)                                                                                                  \
    X(MAP_VALUES, "a map needs positive sg_layout and sg_data")                                                        \
    X(MAP_FIT, "sg_layout times sg_data does not fit the tile")                                                        \
    X(MAP_SUBGROUPS, "maps of one kernel have different numbers of subgroups")                                         \
    X(MAP_DIFFERS, "operands are distributed differently")                                                             \
    X(TILE_SIZE, "not a size of a tile")                                                                               \
    X(TILE_BASE, "a tile's base is a pointer parameter or a 64-bit address")                                           \
    X(TILE_TYPE, "a tile of another type than its base")                                                               \
    X(TILE_SHAPE, "a tile needs the shape of its base matrix")                                                         \
    X(TILE_STRIDES, "the innermost dimension must be contiguous")                                                      \
    X(TILE_ORDER, "an order is {1, 0} or {0, 1}")                                                                      \
    X(ORDER_STRIDES, "the order is not the one that the strides have")                                                 \
    X(INNER_BLOCKS, "inner blocks must divide a subgroup's piece")                                                     \
    X(LOCAL_SIZE, "not a size of a local array")                                                                       \
    X(LOCAL_MEMORY, "more local memory than the target has")                                                           \
    X(SCATTER, "not possible with a scatter tile")                                                                     \
    X(SCATTER_TYPE, "offsets of a scatter tile are integers of 32 or 64 bits")                                         \
    X(SCATTER_SHAPE, "a scatter tile has the shape of its offsets, its base one dimension")                            \
    X(SCATTER_MAP, "a scatter tile has the map of its offsets")                                                        \
    X(NO_SCATTER, "this wants a scatter tile")                                                                         \
    X(MASK_TYPE, "a mask is a vector of i1")                                                                           \
    X(MASK_SHAPE, "mask and tile have different shapes")                                                               \
    X(MASK_MAP, "mask and tile have different maps")                                                                   \
    X(ATOMIC_TYPE, "this kind of atomic operation does not take the type")                                             \
    X(ATOMIC_SHARED, "subgroups share pieces of the tile: they would be modified more than once")                      \
    X(STORE_BLOCKS, "vector and tile have different inner blocks")                                                     \
    X(LOCALITY, "locality is 0, 1, 2 or 3")                                                                            \
    X(STORE_SHAPE, "vector and tile have different shapes")                                                            \
    X(STORE_TYPE, "vector and tile have different types")                                                              \
    X(STORE_MAP, "vector and tile have different maps")                                                                \
    X(MMA_SHAPE, "shapes of tile_mma disagree")                                                                        \
    X(MMA_TYPE, "tile_mma does not have these types")                                                                  \
    X(MMA_MAP, "maps of tile_mma disagree")                                                                            \
    X(VEC_SHAPE, "vectors of different shapes")                                                                        \
    X(VEC_TYPE, "vectors of different types")                                                                          \
    X(VEC_OP, "not an operation on vectors")                                                                           \
    X(SCALAR_TYPE, "numbers of types that do not go together")                                                         \
    X(SCALAR_RANGE, "a constant that the type cannot hold")                                                            \
    X(DIVISION, "division by zero")                                                                                    \
    X(INDEX, "not a 32-bit integer")                                                                                   \
    X(DIMENSION, "dimensions are 0, 1 and 2")                                                                          \
    X(UNSET, "a value that was never set")                                                       \
    X(CONDITION, "not a condition")                                                                                    \
    X(LOOP_STEP, "a loop's step must not be 0")                                                                        \
    X(CARRIED, "only xt_val, xt_vec and xt_tile can be carried")                                                       \
    X(CARRIED_TYPE, "a carried value changed its type")                                                                \
    X(UNCLOSED, "left open: its body was left by break, return or goto")                                               \
    X(NOT_REPEATABLE, "the kernel's body did not do the same again")                                                   \
    X(PARAMETER_TEXT, "a parameter list that cannot be read")                                                          \
    X(UNKNOWN_PARAMETER, "the kernel has no such parameter")                                                           \
    X(TARGET, "no such target")                                                                                        \
    X(SUBGROUP_SIZE, "the target does not have this subgroup size")                                                    \
    X(GROUP_SIZE, "the work-group is larger than the target's largest")                                                \
    X(REGISTERS, "too many subgroups for 256 registers a thread")                                                      \
    X(MATH_TYPE, "not a type for this function")                                                                       \
    X(BITCAST, "a bitcast keeps the size of an element")                                                               \
    X(VEC_DIM, "not a dimension of the vector")                                                                        \
    X(REDUCTION_KIND, "a reduction of another type")                                                                   \
    X(REDUCTION_SIZE, "reduction_size must divide the dimension")                                                      \
    X(REDUCTION_MAP, "the map of a reduction does not follow from its operand")                                        \
    X(BROADCAST_SIZE, "sizes of a broadcast do not fit")                                                               \
    X(BROADCAST_MAP, "the operand of a broadcast is not distributed as its result asks")                               \
    X(SOURCE_MAP, "the operand has another map than is stated")                                                        \
    X(MAP_MISSING, "a map is needed")                                                                                  \
    X(SLICE, "a slice reaches outside its vector")                                                                     \
    X(BLOCKED, "inner blocks do not fit the operation")                                                                \
    X(SPLIT_BARRIER, "a split barrier is arrived at and waited for by turns, under one name")                          \
    X(MEMORY, "out of memory")

enum {
    XT_ERROR_FIRST_ = 1999,
#define XT_ROW_(name, text) XT_ERROR_##name,
    XT_ERRORS_(XT_ROW_)
#undef XT_ROW_
        XT_ERROR_END_
};

/* What an error id of this header means in general; "no error" for 0. */
static inline const char *xt_error_text(int id)
{
    static const char *const texts[] = {
#define XT_ROW_(name, text) text,
        XT_ERRORS_(XT_ROW_)
#undef XT_ROW_
    };
    if (id == 0) return "no error";
    return id > XT_ERROR_FIRST_ && id < XT_ERROR_END_ ? texts[id - XT_ERROR_FIRST_ - 1] : "not an error of xetile.h";
}

/* The name of an error id, as in XT_ERROR_MAP_FIT. */
static inline const char *xt_error_name(int id)
{
    static const char *const names[] = {
#define XT_ROW_(name, text) "XT_ERROR_" #name,
        XT_ERRORS_(XT_ROW_)
#undef XT_ROW_
    };
    return id > XT_ERROR_FIRST_ && id < XT_ERROR_END_ ? names[id - XT_ERROR_FIRST_ - 1] : "";
}

