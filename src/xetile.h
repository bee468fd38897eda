/* xetile.h - tile kernels in plain C: describe a kernel with macros, get SPIR-V.
 *
 * Files: xetile.h coopmatrix.h spirv_emit.h, 1420 KB in all. Version: XETILE_VERSION. License: MIT, see LICENSE.
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
 * HOW A KERNEL IS MADE. The body is ordinary C that XT_BUILD runs once. Each macro checks its operands and records an
 * operation. XT_BUILD then determines the work-group's size and the layout of each vector, and writes the record as
 * SPIR-V. If row pitches are known only at launch it writes two versions, with and without 2D block messages, and the
 * kernel picks one at run time (.pitch). On Intel's devices the version without them copies operands of products to
 * local memory first. C variables and C loops exist at build time: a C `for` unrolls. The bodies of XT_FOR and XT_WHILE
 * run a second time without recording anything, to detect that an iteration uses what the previous one
 * left in an unlisted variable. Kernel values are xt_val (scalars), xt_tile (a place in memory) and xt_vec (a
 * two-dimensional vector); assign them and pass them to functions like any C value. A function that uses the macros
 * takes XT_CONTEXT as its first parameter and is called with XT_SELF:
 *     static xt_vec twice(XT_CONTEXT, xt_vec v) { return XT_ADD(v, v); }           ...   v = twice(XT_SELF, v);
 *
 * KERNEL PARAMETERS, at most 32: ptr(TYPE, NAME), or one of f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8 (NAME)
 * (PARAMETER_TEXT). A bf16 number is an f32 where it is computed with, cast or compared.
 * Wherever a T is expected below, of(x) is the element type of a pointer parameter, tile or vector, so that one
 * function serves many types.
 *
 * WORK-GROUPS AND MAPS. Without a map an operation is at subgroup level: every subgroup has the whole tile. With
 *     xt_map m = XT_MAP(.sg_layout = {8, 4}, .sg_data = {32, 64});
 * it is at work-group level: 8 x 4 subgroups (linear id row-major in sg_layout) share the tile in pieces of 32 x 64. In
 * each dimension, if sg_layout * sg_data is less than the tile, the rest is assigned round robin, starting again with
 * the first subgroup; if it is more, it wraps around and subgroups share pieces. One must divide the other. All maps of
 * a kernel have the same number of subgroups; that number times the subgroup size is the work-group's size. On the
 * host, xt_dist_init, xt_dist_pieces, xt_dist_offset and xt_dist_owns compute the distribution.
 *
 * THE TEXTS are two versions of the specification of XeTile, an MLIR dialect of IMEX: the older one, with its own names
 * and with blocked vectors, and the newer one, whose names are used here. docs/rules.md lists the rules of both.
 *
 * OPERATIONS (number: a C integer or floating value, or an xt_val; T: a type name as above, also tf32). Capitalised
 * words in brackets name errors, XT_ERROR_...; any operation may report UNSET: a value that was never set.
 *   Tiles and memory, at both levels (at work-group level with .map). T may also be tf32 e4m3 e5m2 e2m1 e8m0, or i1 for
 *   masks: a byte each in memory (0 is false; ptr(u8, X) or ptr(i8, X)), 0 or 1 in vectors. Nothing outside a base
 *   matrix is ever read or written; tiles of any size may lie anywhere. Offsets, extents and strides are 32 bits
 *   (INDEX).
 *     XT_INIT_TILE(base, T, rows, cols, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .strides = XT_AT(N, 1),
 *                  .order = {1, 0}, .inner_blocks = {a, b}, .map = m, .inside = false)
 *         base             a pointer parameter to T, a 64-bit integer (an address), XT_LOCAL (TILE_BASE, TILE_TYPE)
 *         .shape           of the base matrix, required. With three to eight dimensions, the leading ones select one
 *                          of several matrices; if their offset is outside, so is the whole tile (TILE_SHAPE)
 *         .offset          one for each dimension; default 0
 *         .strides         one for each dimension, in elements; default: contiguous. The inner one is 1 or another C
 *                          integer, for example 3 for one colour of RGB pixels, which rules out wide accesses
 *         .order           {1, 0}: memory is row-major, strides (pitch, 1). {0, 1}: column-major, (1, pitch). Must
 *                          agree with the strides (TILE_ORDER, ORDER_STRIDES, TILE_STRIDES)
 *         .inner_blocks    see Blocked vectors (INNER_BLOCKS)
 *         .inside          you promise that the tile never leaves the base matrix, so no bounds are tested. Local
 *                          memory is then accessed in wide blocks if the pitch (a constant) and the offsets are
 *                          multiples of 16 bytes: f16, bf16, f32 row by row, all types column-major; rows of 16 are
 *                          best, see gemm_slm.c
 *         .map             (MAP_VALUES, MAP_FIT, MAP_SUBGROUPS, TILE_SIZE)
 *     XT_INIT_TILE(base, T, rows, cols, .scatter = v, .shape = XT_AT(n))      a scatter tile: element (i, j) is
 *                          base[v(i, j)], v a vector of i32 u32 i64 u64, 1 x n or two-dimensional, base n elements
 *                          (SCATTER_TYPE, SCATTER_SHAPE, SCATTER_MAP). XT_LOAD_GATHER, XT_STORE_SCATTER,
 *                          XT_ATOMIC_RMW and XT_UPDATE_TILE_OFFSET take it (SCATTER)
 *     XT_LOCAL(T, elements)              an array in local memory, one for the work-group, uninitialised. The total is
 *                                        checked and reported in mod.local_memory; a matrix of constant extents must
 *                                        fit in the array (LOCAL_SIZE, LOCAL_MEMORY)
 *     XT_LOAD_TILE(tile, .padding = 0)   elements outside the base matrix get the padding, a C constant that T can
 *                                        represent (for integers a whole number, exact up to 2^53; SCALAR_RANGE).
 *                                        .border = XT_BORDER_CLAMP: they get the nearest element inside instead;
 *                                        XT_BORDER_MIRROR: element -1 is element 1, -2 is 2, n is n - 2, and so on,
 *                                        back and forth. An empty matrix yields zeros
 *     XT_STORE_TILE(vec, tile)           elements outside the base matrix are dropped. Vector and tile must agree in
 *                                        shape, type, map and blocks (STORE_SHAPE, STORE_TYPE, STORE_MAP, STORE_BLOCKS)
 *                                        A piece that several subgroups share is stored by the first of them, unless
 *                                        they may load it again before an XT_BARRIER
 *     XT_PREFETCH_TILE(tile, .locality = 3)       3: into all caches; 2 and 1: not into the first level; 0: streamed
 *                                        through the first level (LOCALITY). No effect on local memory. Two in a row,
 *                                        of tiles with maps, may be merged: some subgroups then fetch one tile, the
 *                                        rest the other, with one message each. Within a loop, prefetch before
 *                                        loading: Intel's compiler then needs fewer instructions
 *     XT_UPDATE_TILE_OFFSET(tile, rows, cols)     a new tile, moved by that many elements. In XT_FOR, moving a tile by
 *                                        the loop's step costs one addition per iteration
 *     XT_UPDATE_TILE_OFFSET(tile, by)    for a scatter tile: adds `by`, a number or a vector, to its offsets
 *     XT_ATOMIC_RMW(kind, vec, tile)     memory becomes memory `kind` vec, atomically for each element; returns the
 *                                        previous contents (0 outside). Errors as for XT_STORE_TILE, and ATOMIC_SHARED
 *                                        if the map makes subgroups share pieces. XT_ATOMIC_RMW_TILE is the same
 *         kind                                                    elements (ATOMIC_TYPE)
 *         addf mulf                                               f16 bf16 f32 f64; bf16 in f32, rounded
 *         maximumf minimumf (NaN wins), maxnumf minnumf (a        f16 bf16 f32 f64; -0 is less than 0
 *         number wins over NaN)
 *         addi muli andi ori xori maxs mins (signed) maxu minu    all integers, whatever their own sign
 *         assign                                                  all but i1
 *         Scatter tiles also take a mask, XT_ATOMIC_RMW(kind, vec, tile, mask), as XT_LOAD_GATHER does; elements with
 *         equal offsets all take effect, one after the other.
 *         Operations for which there is no instruction become a compare-exchange loop; elements below 32 bits are
 *         exchanged together with the aligned 32 bits that contain them, whose other bits keep their value
 *     XT_LOAD_GATHER(tile, mask, .padding = 0)    loads a scatter tile; the optional mask is a vector of i1 of the same
 *                                        shape. Elements with a false mask, or an offset outside the base, get the
 *                                        padding
 *     XT_STORE_SCATTER(vec, tile, mask)  drops such elements; of equal offsets one wins (NO_SCATTER, MASK_TYPE,
 *                                        MASK_SHAPE, MASK_MAP, STORE_SHAPE, STORE_TYPE, STORE_MAP)
 *     XT_LOAD(base, index)               one element as a number, from a pointer parameter or XT_LOCAL, at a 32- or
 *                                        64-bit index that must be inside. bf16, e4m3, e5m2 become f32
 *     XT_STORE(number, base, index)      the reverse; XT_STORE(base, index, number) is the same. Every lane of every
 *                                        subgroup loads and stores for itself, so the index may depend on XT_LANE_ID();
 *                                        among lanes with equal indices, one wins (POINTER, SCALAR_TYPE, INDEX)
 *
 *   Products, constants.
 *     XT_TILE_MMA(a, b, c) or (a, b)     a * b + c; options .map (checked against the map that a and b imply), .type
 *                                        (without c; default f32, i32 for 8-bit integers, f64). A type in an option
 *                                        is written XT_TYPE(f16): C expects an expression there, and f16 is no name
 *                                        (MMA_SHAPE, MMA_TYPE, MMA_MAP)
 *         a x b               result                   a x b                      result
 *         f16 x f16           f32, f16                 f32 x f32, tf32 x tf32     f32
 *         bf16 x bf16         f32, bf16                f64 x f64                  f64
 *         i8|u8 x i8|u8       i32                      others: what cm_product_row of coopmatrix.h has
 *         e4m3|e5m2 x e4m3|e5m2                         e2m1 x e2m1 (a of rows x k / 2 bytes)        f32, bf16
 *                                        .a_map .b_map .c_map: the operands' maps, to be checked
 *     XT_TILE_MMA_SCALED(a, scale_a, b, scale_b, c) or without c: OCP's MX products. Each element counts as it is
 *                                        times the scale of its 32 values along k: scale_a is rows x k / 32, scale_b
 *                                        k / 32 x cols, of e8m0, with the maps of operands that long (xt_map_mma_a,
 *                                        xt_map_mma_b). a and b as above, or both f16, or both bf16; k is a multiple
 *                                        of 32, of e2m1 32 or a multiple of 64. Sums are f32, the result is f32 or
 *                                        bf16 (c, or .type). Where no instruction does it, 32 products are summed in
 *                                        f32, scaled exactly and added to the sum; that of nvl-p and cri (for pieces
 *                                        of 8 rows and 32 bytes along k, or multiples) adds scaled products, 64 of
 *                                        e2m1 at a time, to a sum of f32, or of bf16 if c and the result are
 *                                        (MMA_SHAPE, MMA_TYPE, MMA_MAP, BLOCKED)
 *     XT_QUANTIZE(T, v, dim, .scales = &s)        v of f32, f16 or bf16 in blocks of 32 along dim (1: of a, 0: of b),
 *                                        as OCP's MX 1.0 says: the scale is 2^(floor(log2(largest |v|)) - exponent of
 *                                        the largest T), at least 2^-127, and elements v / scale are rounded to nearest
 *                                        even and saturate. T is e4m3, e5m2 or e2m1 (then half as many along dim). s:
 *                                        an xt_vec that receives the scales, one for each block. A block with infinity
 *                                        or NaN gets the scale NaN (VEC_TYPE, VEC_DIM, VEC_SHAPE, BLOCKED)
 *     XT_TO_E2M1(v, dim) XT_FROM_E2M1(T, v, dim)  pairs along dim of f32, f16 or bf16 become e2m1, the first in the
 *                                        lower four bits, and back; errors as above. e2m1 has neither infinity nor
 *                                        NaN: what is larger, and NaN, becomes 6
 *     XT_SPLAT(T, rows, cols, number, .map = m)   every element the same. For bf16, tf32, e4m3 and e5m2 the number
 *                                        is an f32, which is rounded; also where one is mixed with a vector
 *     XT_TABLE(T, rows, cols, values, .map = m)   rows * cols C constants, row after row: an array of double, float,
 *                                        int, unsigned or long long (SCALAR_RANGE, SCALAR_TYPE)
 *     XT_IOTA(T, rows, cols, dim, .map = m)       every element its row (dim 0) or column (dim 1)
 *
 *   Element by element, at both levels. Operands are numbers, or vectors that agree in type, shape, map and
 *   inner_blocks, or vectors mixed with numbers (C constants, xt_val), which then act as vectors. A vector of one row,
 *   one column or one element is repeated to match a larger one, as by XT_BROADCAST. bf16 is computed in f32, then
 *   rounded.
 *     operation                                        elements                        errors
 *     XT_ADD XT_SUB XT_MUL XT_DIV XT_MIN XT_MAX (x, y) all but i1, e4m3, e5m2          VEC_OP, VEC_TYPE, VEC_SHAPE,
 *     XT_NEG(x)                                        all but i1, e4m3, e5m2, unsigned  MAP_DIFFERS, BLOCKED
 *                                                      MIN, MAX: a number wins over NaN; of -0 and 0 either
 *     XT_CLAMP(x, low, high)                           as XT_MIN(XT_MAX(x, low), high)
 *     XT_SHL XT_SHR (x, y)  XT_MOD(x, y)               integers; XT_MOD also floats: x - y trunc(x / y), exact
 *                                                      Integer XT_DIV rounds toward zero, and XT_MOD has the sign of x:
 *                                                      -7 / 2 is -3, -7 mod 2 is -1. XT_SHR shifts in the sign if x
 *                                                      is signed, zeros if it is unsigned.
 *                                                      The sum of a product of floats may be contracted into one
 *                                                      rounding by the device's compiler; XT_FMA always is one.
 *                                                      XT_MUL is not a matrix product: that is XT_TILE_MMA, or CV_MUL
 *                                                      of coopvec.h
 *     XT_AND XT_OR XT_XOR (x, y)                       integers, i1
 *     XT_EQ XT_NE XT_LT XT_LE XT_GT XT_GE (x, y)       as XT_ADD; EQ, NE also i1. Of vectors: a vector of i1; of
 *                                                      numbers: a condition, for XT_IF
 *     XT_NOT(x)                                        x == 0
 *     XT_SELECT(condition, x, y)                       any x, y of one type; a vector of i1  CONDITION, VEC_TYPE
 *     XT_EXP XT_EXP2 XT_LOG XT_LOG2 XT_SQRT XT_RSQRT   f16 bf16 f32 f64                MATH_TYPE
 *     XT_TANH XT_SIN XT_COS XT_ERF XT_CEIL XT_FLOOR    f16 bf16 f32 f64
 *     XT_ROUND XT_TRUNC (x)  XT_POW(x, y)  XT_FMA(x, y, z) = x y + z
 *                                                      docs/costs.md has the instructions of each on bmg and pvc
 *     XT_NATIVE_EXP2(x)                                the device's instruction for f32, as accurate as that is (2
 *                                                      units in the last place on Intel's and NVIDIA's; no results
 *                                                      below the normal range on some); of other types XT_EXP2
 *     XT_ABS(x)                                        floats, integers
 *     XT_CAST(T, x)                                    to nearest between floats, towards zero to integers (what does
 *                                                      not fit is undefined), low bits between integers; the source's
 *                                                      sign decides extension; i1 is 0 or 1, to i1: x != 0
 *     XT_CAST(T, x, .saturate = false)                 what is beyond e4m3 (448) becomes NaN, beyond e5m2 (57344)
 *                                                      infinity, as NVIDIA's hardware converts matrices; by default
 *                                                      both become the largest number
 *     XT_BITCAST(T, x)                                 all but i1. Numbers: types of one size. Of vectors n neighbours
 *                                                      in a row become one element n times as large, the first its low
 *                                                      bits, or one element n: rows x 4 i8 are rows x 1 u32. sg_data
 *                                                      changes with the columns; n divides both (BITCAST, BLOCKED)
 *     XT_RANDOM(seed, index)                           32-bit integers; a u32, each as likely: word 0 of Philox2x32-10
 *                                                      with key `seed` and counter {index, 0}. The host has the same,
 *                                                      xt_random(seed, index). A float in [0, 1): of f32
 *                                                      XT_MUL(XT_CAST(f32, XT_SHR(random, 8)), 0x1p-24)
 *
 *   Vectors as a whole. .map is the result's map. .source states the operand's map (the older text's first map); it is
 *   an error if the operand has another one (SOURCE_MAP). If both are given, data may move between any two maps.
 *   Elements that a subgroup needs but does not hold go through local memory, with barriers, so all subgroups must take
 *   part. All such operations share the local memory that XT_LOCAL leaves free, in passes over rows if it is smaller
 *   than the vector (LOCAL_MEMORY if not even a row fits); mod.local_memory reports the total. A vector without a map
 *   that gets a map must be the same in every subgroup (NOT_UNIFORM).
 *     XT_REDUCTION(kind, v, dim, .reduction_size = n, .map, .source)      groups of n (default: all) neighbours along
 *                                        dim become one. kind: add mul (all types), minsi minui maxsi maxui and or xor
 *                                        (integers), minnumf maxnumf (a number wins over NaN), minimumf maximumf (NaN
 *                                        wins, -0 < 0) (floats). f16 and bf16 are summed in f32. n divides the
 *                                        dimension (REDUCTION_SIZE). Result map: like v's, with sg_data / n along
 *                                        dim; if several subgroups share a group, any sg_data (default 1)
 *                                        (REDUCTION_KIND, REDUCTION_MAP, VEC_DIM)
 *     XT_BROADCAST(v, dim, size, .broadcast_size = n, .map, .source)      repeats each element n times along dim, to
 *                                        `size` elements in all; without n the dimension is 1. v's map must be like
 *                                        the result's, with sg_data / n (at least 1) along dim. .map is optional if
 *                                        sg_layout[dim] is 1 (BROADCAST_SIZE, BROADCAST_MAP, MAP_MISSING)
 *     XT_SCAN(kind, v, dim, .exclusive = false)   element i along dim becomes elements 0 to i combined by a kind of
 *                                        XT_REDUCTION. Exclusive: elements 0 to i - 1, and first the kind's neutral
 *                                        element (0, 1, the type's largest or least; NaN where a number wins over
 *                                        NaN). Map and shape are v's
 *     XT_ARGMAX(v, dim, .value = &best, .map)     and XT_ARGMIN: for each row (dim 1) or column (dim 0) the index, as
 *                                        i32, of its first largest (least) element, ignoring NaNs; of NaNs alone the
 *                                        last index and a NaN. -0 equals 0. .value: an xt_vec that receives those
 *                                        elements. Map: as of XT_REDUCTION's result, or .map
 *     XT_TOP(v, k, .value = &largest)    for each row of floats the indices of its k largest elements, rows x k of i32,
 *                                        the largest first, of equals the first; NaNs after all numbers, as the last
 *                                        column. .value: an xt_vec that receives those elements. It takes k times what
 *                                        XT_ARGMAX takes (VEC_TYPE, VEC_SHAPE, BLOCKED)
 *     XT_LOGSUMEXP(v, dim)               log(sum of exp(x)) of each row (dim 1) or column (dim 0) of floats, in which
 *                                        no exponential overflows: inf if an element is, -inf if all are, NaN if one
 *                                        is. Shape and map are those of XT_REDUCTION's result (VEC_TYPE)
 *     XT_TRANSPOSE(v, .map, .source)     any .map; default: v's with its dimensions swapped. Not for 4-D vectors
 *     XT_CONVERT_LAYOUT(v, .map = m, .source)     the same vector under another map (MAP_MISSING)
 *     XT_SLICE(v, row, col, rows, cols, .map)     a part of v; at work-group level with .map (SLICE, MAP_MISSING)
 *     XT_SHAPE_CAST(v, rows, cols, .map) the same elements in row-major order in another shape; at work-group level
 *                                        with .map, as a whole through local memory (VEC_SHAPE, BLOCKED, MAP_MISSING)
 *     XT_ELEMENT(v, row, col)            one element as a number, the same in all lanes; row and col are C integers
 *                                        (SLICE). If a vector without a map differs between subgroups, for example
 *                                        because XT_SUBGROUP_ID() chose what to load, each subgroup gets its own
 *     XT_ALL(mask) XT_ANY(mask)          whether all elements (any element) of the whole vector are true: a condition,
 *                                        for XT_IF (CONDITION)
 *     These stay in registers if each subgroup already holds what it needs (section 2.3 of the newer text).
 *     Maps can be derived from others: those of a product's operands, rows x k and k x cols, from the product's map by
 *     xt_map_mma_a(&m, k) and xt_map_mma_b(&m, k); a result's from its operand's by xt_map_reduction(&m, dim, n) and
 *     xt_map_transpose(&m); the operand's from the result's by xt_map_broadcast(&m, dim, n). n: as .reduction_size and
 *     .broadcast_size.
 *
 *   Blocked vectors, from the older text. .inner_blocks = {a, b} of a tile or XT_TILE_PACK makes a rows x cols vector
 *   count as 4-D, rows / a x cols / b x a x b; blocks must divide a subgroup's piece. All operations above accept them,
 *   except XT_TRANSPOSE and XT_SLICE. Operands must agree in blocks: a x k, k x b, a x b in XT_TILE_MMA (BLOCKED).
 *   Dimensions are then pairs: XT_DIMS(1, 3) for columns, XT_DIMS(0, 2) for rows.
 *     XT_TILE_PACK(v, .inner_blocks = {a, b})   XT_TILE_UNPACK(v, .inner_blocks = {a, b})
 *     XT_BROADCAST(.., .inner_blocks)    the block size of the broadcast dimension in the result
 *   Older names: XT_TILE_REDUCE XT_TILE_BROADCAST XT_TILE_TRANSPOSE XT_TILE_CONV_LAYOUT XT_TILE_CONVERT_LAYOUT
 *   XT_CONV_LAYOUT XT_VADD XT_VSUB XT_VMUL XT_VDIV XT_VMIN XT_VMAX.
 *
 *     XT_NUMBER(x)                       a C number as an xt_val, for variables of the kernel
 *     XT_PARAM("name")                   a parameter by its name, for functions (UNKNOWN_PARAMETER)
 *     XT_USER()                          the `.user` of XT_BUILD, a const void *: what the body reads to decide what it
 *                                        records, instead of global variables. NULL if there is none
 *     XT_GROUP_ID(d) XT_GROUP_COUNT(d) XT_LOCAL_ID(d) XT_GLOBAL_ID(d)   d = 0, 1, 2 (DIMENSION)
 *     XT_SUBGROUP_ID() XT_LANE_ID()
 *     XT_BARRIER()                       waits for all subgroups of the work-group; memory written before it is visible
 *                                        after it
 *     XT_BARRIER_ARRIVE("name") XT_BARRIER_WAIT("name")    the same in two halves; one at a time (SPLIT_BARRIER)
 *     XT_FOR (k, lo, hi, step, &x, &y, ...) { }       for (k = lo; k < hi; k += step), or with a negative step
 *                                        for (k = lo; k > hi; k += step). A computed step may have either sign, but
 *                                        must not be 0 (LOOP_STEP), and costs a division before the loop; u32
 *                                        parameters count as positive. The listed variables (xt_val, xt_tile, xt_vec:
 *                                        CARRIED) are carried from one iteration to the next and out of the loop;
 *                                        their type, shape and map must not change (CARRIED_TYPE). What the body
 *                                        leaves in other variables must not be used by the next iteration or after
 *                                        the loop (UNLISTED).
 *                                        Values that differ between lanes (XT_LANE_ID, XT_LOCAL_ID, XT_GLOBAL_ID)
 *                                        cannot be tile offsets or vector elements. Under a condition or bound that
 *                                        differs between lanes, only numbers, XT_LOAD and XT_STORE are allowed; under
 *                                        one that differs between subgroups, no barriers, and nothing
 *                                        that goes through local memory (NOT_UNIFORM).
 *                                        A loop must have a body (EMPTY)
 *     XT_WHILE (condition, &x, ...) { }  the same without k; each iteration evaluates the condition on carried values
 *     XT_IF (condition, &x, ...) { } XT_ELSE { }      the same; XT_ELSE is optional
 *                                        Never leave these bodies by break, continue, return or goto (UNCLOSED)
 *   Whatever is missing can be written one layer below, with spirv_emit.h and coopmatrix.h. XT_BUILD calls fn when it
 *   writes the kernel, once for each version, after the body has run; `user` must remain valid until then.
 *     XT_EMIT(T, fn, user, XT_AT(x, y))  a number of type T, whose id fn returns: xt_emit_fn
 *     XT_EMIT_VEC(T, fn, user, v, u, w)  a vector of T from one to three of one shape and map: xt_emit_block_fn
 * Integer numbers: a C integer takes the other operand's type and must fit it, so that one less than a u32 N is
 * XT_SUB(N, 1), not XT_ADD(N, -1). i32 and u32 may be mixed; the result is i32 (an index) (SCALAR_TYPE, SCALAR_RANGE;
 * DIVISION by the constant 0). A kernel's u32 sizes are read as i32: at most 2^31 - 1. A matrix with a larger extent,
 * like one with a negative extent or pitch, has no elements: loads give the padding, and stores nothing.
 *
 * XT_BUILD(kernel, &target, options...): target.name is a row of coopmatrix.h (CM_TARGET_NAMES); its
 * other fields, where not zero, override the row. Options, zero being the default:
 *     .subgroup_size      a size the target has; default the row's
 *     .lowering           CM_PLAIN, CM_INTEL ... of coopmatrix.h; default the best the target has
 *     .pitch              XT_PITCH_AUTO: if 2D block messages could load a tile, of a matrix whose pitch or base
 *                         address is known only at launch, both versions are written and the kernel picks one.
 *                         The number of lines of a matrix may be computed in the body, as from XT_LOAD; a base,
 *                         pitch or length of lines that is rules messages out, unless you promise.
 *                         XT_PITCH_ALIGNED: you promise that bases are 64-byte aligned, pitches multiples of 16 bytes
 *                         and at least 64, row lengths multiples of 4 bytes and at least 64, column offsets multiples
 *                         of 4 bytes (with .order {0, 1}, row offsets, not negative for 8-bit elements), and, for
 *                         bases with leading dimensions, that those offsets are inside and that matrices are a
 *                         multiple of 64 bytes apart. XT_PITCH_ANY: only the version for any pitch. The software
 *                         device's messages take any base, pitch and row length: see cm_block2d_test. As another
 *                         device, in its checked mode, it reports a broken promise (soft/README.md)
 *     .registers          128 or 256 per thread; default 256 if the accumulators of a subgroup need more than 4 KiB, or
 *                         if what a loop carries, with both operands of a product, needs more than 6 KiB and the
 *                         work-group still fits; else 128, or 256 where Intel's compiler would spill and it fits
 *     .subgroups          subgroups of a work-group in kernels without maps; default 1. Maps must agree (MAP_SUBGROUPS)
 *     .version            SPIR-V version, SPE_VERSION(1, 4);   .names, .lines: OpName, OpLine
 *     .user               a pointer that the body gets by XT_USER(), for kernels that depend on what a program chooses
 * TILES OF A PRODUCT that suit a device: xt_tiles tiles = xt_tiles_for(&target, &(xt_product){.a = XT_TYPE(f16), .b =
 * XT_TYPE(f16)}) proposes sizes, maps, the step along K, prefetch distance, subgroup size and registers, with reasons
 * (tiles.why); sizes that you give are kept. examples/gemm.c passes it to its kernel as .user.
 * It returns a module. After an error, its words are NULL, and its error says what was wrong, where in your source, and
 * both values; error->next is another, independent mistake, and so on, and spe_print_error prints them all. Always call
 * xt_free. xt_print(&mod, stdout) prints the kernel in the notation of the texts, three times: as recorded, with the
 * map of every vector, and as a subgroup executes it: its share, the layouts of vectors, and which accesses are 2D
 * block messages, under which condition, or why not.
 * SEVERAL KERNELS IN ONE MODULE, one file of SPIR-V for a program:
 *     const xt_build_desc list[] = {XT_DESC(add, &target), XT_DESC(scale, &target, .subgroups = 4)};
 *     xt_module mods[2];
 *     if (!xt_build_all(mods, list, 2)) spe_print_error(mods[0].error, stderr);
 *     ...                            each has the same words and flags, and its own kernel, parameters and local size:
 *                                    ZED_LOAD, zed_load_all and xt_print take them like any other
 *     xt_free(&mods[1]), xt_free(&mods[0]);       the first owns the words: it is the last to be freed
 * The first list entry's .version, .names and .lines count for all. Names must differ, targets must not; if a kernel
 * needs 256 registers per thread, all get them (ONE_MODULE).
 *
 * XT_BUILD fills an xt_build_desc and calls xt_build; xt_error_name and xt_error_text describe an error id.
 * Errors of the build: TARGET, SUBGROUP_SIZE, GROUP_SIZE, REGISTERS, MEMORY. A module that was built may have a warning
 * (mod.warning, as mod.error; id 0: none), which spe_print_error and xt_print print: SPILL, a product whose sums, with
 * what one step of the matrix instruction takes of both operands, are larger than the registers of a thread.
 *
 * LIMITS  a subgroup's piece of a tile: 1024 x 1024. Errors: ids 2000.. in XT_ERRORS_ below.
 *
 * TO USE IT  just include it: this compiles the bodies too, as static functions. Or define XETILE_DECLARATIONS for all
 * files of a program and XETILE_IMPLEMENTATION before the include in one of them, which then gets the bodies; or link
 * with libxetile. "How functions are declared" in spirv_emit.h has the details.
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
    X(TILE_SIZE, "not a valid tile size")                                                                              \
    X(TILE_BASE, "a tile's base is a pointer parameter or a 64-bit address")                                           \
    X(TILE_TYPE, "tile and base have different types")                                                                 \
    X(TILE_SHAPE, "a tile needs the shape of its base matrix")                                                         \
    X(TILE_STRIDES, "a tile cannot have these strides")                                                                \
    X(TILE_ORDER, "an order is {1, 0} or {0, 1}")                                                                      \
    X(ORDER_STRIDES, "order and strides disagree")                                                                     \
    X(INNER_BLOCKS, "inner blocks must divide a subgroup's piece")                                                     \
    X(LOCAL_SIZE, "not a valid size for a local array")                                                                \
    X(LOCAL_MEMORY, "more local memory than the target has")                                                           \
    X(SCATTER, "not possible with a scatter tile")                                                                     \
    X(SCATTER_TYPE, "offsets of a scatter tile are integers of 32 or 64 bits")                                         \
    X(SCATTER_SHAPE, "a scatter tile has the shape of its offsets, its base one dimension")                            \
    X(SCATTER_MAP, "a scatter tile has the map of its offsets")                                                        \
    X(NO_SCATTER, "this needs a scatter tile")                                                                         \
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
    X(SCALAR_TYPE, "numbers of incompatible types")                                                                    \
    X(SCALAR_RANGE, "a constant that the type cannot hold")                                                            \
    X(DIVISION, "division by zero")                                                                                    \
    X(INDEX, "not a 32-bit integer")                                                                                   \
    X(DIMENSION, "dimensions are 0, 1 and 2")                                                                          \
    X(POINTER, "not a pointer parameter")                                                                              \
    X(UNSET, "a value that was never set")                                                                             \
    X(CONDITION, "not a condition; compare, as in XT_NE(x, 0)")                                                        \
    X(LOOP_STEP, "a loop's step must not be 0")                                                                        \
    X(CARRIED, "only xt_val, xt_vec and xt_tile can be carried")                                                       \
    X(CARRIED_TYPE, "a carried value changed its type")                                                                \
    X(EMPTY, "the body of a region does nothing")                                                                      \
    X(NOT_UNIFORM, "values that differ between lanes or subgroups are not allowed here")                               \
    X(UNLISTED, "a region changes a variable that it does not list")                                                   \
    X(UNCLOSED, "left open: its body was left by break, return or goto")                                               \
    X(PARAMETER_TEXT, "a parameter list that cannot be read")                                                          \
    X(UNKNOWN_PARAMETER, "the kernel has no such parameter")                                                           \
    X(TARGET, "no such target")                                                                                        \
    X(SUBGROUP_SIZE, "the target does not have this subgroup size")                                                    \
    X(GROUP_SIZE, "the work-group is larger than the target allows")                                                   \
    X(REGISTERS, "a thread cannot have this number of registers")                                                      \
    X(SPILL, "sums and a slice of operands do not fit in a thread's registers: make the subgroup's piece smaller")     \
    X(ONE_MODULE, "kernels that cannot be in one module")                                                              \
    X(MATH_TYPE, "not a type for this function")                                                                       \
    X(BITCAST, "a bitcast keeps the size of an element")                                                               \
    X(VEC_DIM, "not a dimension of the vector")                                                                        \
    X(REDUCTION_KIND, "this reduction does not take the type")                                                         \
    X(REDUCTION_SIZE, "reduction_size must divide the dimension")                                                      \
    X(REDUCTION_MAP, "the map of a reduction does not follow from its operand")                                        \
    X(BROADCAST_SIZE, "sizes of a broadcast do not fit")                                                               \
    X(BROADCAST_MAP, "the operand of a broadcast is not distributed as its result requires")                           \
    X(SOURCE_MAP, "the operand's map differs from the stated one")                                                     \
    X(MAP_MISSING, "a map is needed")                                                                                  \
    X(SLICE, "a slice reaches outside its vector")                                                                     \
    X(BLOCKED, "inner blocks do not fit the operation")                                                                \
    X(SPLIT_BARRIER, "arriving and waiting at a split barrier must alternate, under one name")                         \
    X(MEMORY, "out of memory")

#define XT_ERROR_ENUM_(name, text) XT_ERROR_##name,
enum { XT_ERROR_FIRST_ = 1999, XT_ERRORS_(XT_ERROR_ENUM_) XT_ERROR_END_ };

/* The general meaning of an error id of this header; "no error" for 0. */
XETILE_API const char *xt_error_text(int id);

/* The name of an error id: "XT_ERROR_MAP_FIT". */
XETILE_API const char *xt_error_name(int id);

/* ---- maps: which subgroup owns which part of a tile (host only) -------------------------------------------------- */

/* The specification's wg_map. All zero: no map, each subgroup has the whole tile. */
typedef struct {
    int sg_layout[2], sg_data[2];
} xt_map;

/* A tile of `shape` under a map. In each dimension the tile consists of `count` pieces of `data` elements; each of the
 * `layout` subgroup coordinates owns `rounds` of them: number r of coordinate s is piece (s + r * layout) % count. */
typedef struct {
    int shape[2], layout[2], data[2], count[2], rounds[2];
    int subgroups; /* layout[0] * layout[1]; 0 without a map */
} xt_dist;

/* Computes how a map distributes a rows x cols tile (NULL or all zero: not at all). Returns 0 or an error id. */
XETILE_API int xt_dist_init(xt_dist *d, int rows, int cols, const xt_map *map);

/* The number of pieces each subgroup owns. */
XETILE_API int xt_dist_pieces(const xt_dist *d);

/* Offset of a subgroup's piece `number` (row-major in rounds) in the tile. */
XETILE_API void xt_dist_offset(const xt_dist *d, int subgroup, int number, int *row, int *col);

/* Does the subgroup own element (row, col) of the tile? */
XETILE_API bool xt_dist_owns(const xt_dist *d, int subgroup, int row, int col);

/* The maps of tile_mma's operands for a result map: same layout, the result's m or n, all of k. */
XETILE_API xt_map xt_map_mma_a(const xt_map *result, int k);
XETILE_API xt_map xt_map_mma_b(const xt_map *result, int k);

/* "sg_layout must be same, sg_data for the dimension being reduced must be same as the input vector, and the other
 * dimension must be same": the result's map. If subgroups share a group, each has 1 element along dim. */
XETILE_API xt_map xt_map_reduction(const xt_map *source, int dim, int reduction_size);

/* "sg_layout must be same, sg_data for the dimension being broadcast must be 1, and the other dimension must be same":
 * the operand's map. If the result's piece exceeds broadcast_size, sg_data is their quotient. */
XETILE_API xt_map xt_map_broadcast(const xt_map *result, int dim, int broadcast_size);

/* "The two dimension of sg_layout and sg_data must be swapped." */
XETILE_API xt_map xt_map_transpose(const xt_map *map);

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Types as written in kernels: XT_TYPE_f16 ... XT_BOOL_ is that of conditions, next to the cm_type values. */
#define XT_TYPE_ENUM_(name, bytes, kind, sign, bits, fp, token) XT_TYPE_##token = CM_##name,
enum { CM_REAL_TYPES(XT_TYPE_ENUM_) CM_MX_TYPES(XT_TYPE_ENUM_) XT_BOOL_ = CM_TYPE_COUNT, XT_TYPE_i1 = XT_BOOL_ };

typedef spe_val xt_val; /* types: cm_type or XT_BOOL_ */

typedef struct {
    SPE_FIRST_MEMBER(xt_at_wanted_, int count);
    xt_val at[8];
} xt_index; /* the result of XT_AT */

/* A vector. In the kernel, it is a cm_matrix for each block of each piece this subgroup owns. */
typedef struct {
    SPE_FIRST_MEMBER(xt_vec_wanted_, uint32_t magic);
    cm_type type;
    uint32_t id; /* its number among the recorded values */
    xt_map map;
    xt_dist dist;
    int inner[2]; /* inner_blocks of a 4-D vector; 0: 2-D */
} xt_vec;

/* A tile: a rows x cols window of a matrix in memory. */
typedef struct {
    SPE_FIRST_MEMBER(xt_tile_wanted_, uint32_t magic);
    cm_type type;
    int number; /* of the XT_INIT_TILE it comes from */
    int scope;  /* the scope it was made in */
    uint32_t id; /* its number among the recorded values */
    bool column_major;
    int step;    /* stride of the inner dimension, in elements */
    bool inside; /* promised never to reach outside the base matrix */
    bool scatter; /* element offsets are in `offsets`; the base has shape[1] elements */
    xt_map map;
    xt_dist dist;
    int inner[2];                            /* inner_blocks; 0: none */
    xt_val base, offset[2], shape[2], pitch; /* offset: of this subgroup's first piece */
    xt_vec offsets;
} xt_tile;

typedef struct {
    bool is_vec;
    xt_val val;
    xt_vec vec;
} xt_any_;

/* ---- tiles for a product ----------------------------------------------------------------------------------------- */

/* C (m x n) = A (m x k) B (k x n). */
typedef struct xt_product {
    int a, b, c;             /* types: XT_TYPE(f16) ...; c 0: 32 bits */
    int m, n;                /* 0: not known, or large */
    int subgroup_size;       /* this and the sizes below, where not 0, are taken as given */
    int max_subgroups;       /* of a work-group */
    int live;                /* vectors like C that are live beside the sums: a residual, an epilogue's */
    int extra;               /* bytes of registers of a subgroup for what else it holds: words that it decodes, say */
    bool inside;             /* all tiles are .inside of their matrices, and .pitch is XT_PITCH_ALIGNED */
    int rows, cols;          /* of C for a work-group */
    int sg_rows, sg_cols;    /* of C for a subgroup */
    int step;                /* along K */
} xt_product;

/* For XT_INIT_TILE (sizes and maps) and XT_BUILD (.subgroup_size, .registers); pass it to the body as .user. */
typedef struct xt_tiles {
    int rows, cols, k;       /* a work-group computes rows x cols of C, in steps of k along K; 0: see why */
    xt_map a, b, c;          /* of tiles of rows x k, k x cols, rows x cols */
    xt_map fetch_a, fetch_b; /* of the tiles that XT_PREFETCH_TILE fetches */
    int prefetch;            /* by so many steps ahead; 0: not at all */
    int subgroup_size, registers;
    char why[480];           /* reasons, for people */
} xt_tiles;

/* ---- one build --------------------------------------------------------------------------------------------------- */

typedef struct xt_ctx xt_ctx;

typedef struct {
    const char *name, *params, *file;
    int line;
    void (*body)(xt_ctx *);
} xt_kernel; /* defined by XT_KERNEL; params is text such as "ptr<f16> A, u32 N" */

typedef spe_device xt_target;
typedef spe_built xt_module; /* the result of XT_BUILD */

/* Proposes tiles for a product on a target: what its instructions, registers and work-groups have room for. If the
 * target or the types are unknown, .rows is 0 and .why says so. */
XETILE_API xt_tiles xt_tiles_for(const xt_target *target, const xt_product *product);

typedef enum { XT_PITCH_AUTO, XT_PITCH_ALIGNED, XT_PITCH_ANY } xt_pitch;

typedef struct {
    const xt_kernel *kernel;
    const char *file; /* the XT_BUILD call, for errors of the build as a whole */
    int line;
    const xt_target *target;
    int subgroup_size;
    cm_lowering lowering;
    xt_pitch pitch;
    int registers;
    int subgroups;
    uint32_t version;
    bool names, lines;
    const void *user; /* for the body: XT_USER */
} xt_build_desc;

typedef struct {
    xt_ctx *x;
    const spe_line *at;
} xt_where_; /* the context and the user's line, passed to every function by its macro, in two registers */

/* An open region: what XT_FOR, XT_WHILE and XT_IF record. */
typedef struct xt_frame_ xt_frame_;

struct xt_ctx {
    spe_module m; /* first: see spe_build_begin */
    cm_ctx cm;
    cm_target target;
    const xt_kernel *kernel;
    const xt_build_desc *desc;
    spe_module *shared_module; /* the finished module: m, or that of another kernel in it */
    int S;
    spe_kernel_param params[SPE_PARAMS_MAX];
    int param_count;
    xt_val args[SPE_PARAMS_MAX];
    /* the recorded kernel */
    spe_list nodes, values, uses, errors;
    int part;         /* > 0 while recording parts of a larger operation */
    spe_list scopes;  /* one for each region and each of its sides */
    int scope, again; /* scope: the innermost one; again: > 0 during a second walk, see control.c */
    int divergence;       /* of the open regions' conditions and bounds, see xt_value_ */
    int tile_count;
    spe_regions regions;
    xt_frame_ *frames[SPE_REGIONS_MAX]; /* one per open region */
    const char *arrived;                /* the split barrier arrived at but not yet waited for */
    int subgroups;                      /* 0: no map yet */
    spe_line subgroups_at, head; /* head: of the kernel */
    xt_map subgroups_map;
    int64_t local_bytes;
    /* results of the passes */
    spe_list tiles, offsets, remarks, stages;
    const char *versions; /* which the first version is, and why */
    bool loads;           /* 2D block messages could load a tile, or there is a product */
    bool messages;        /* a version has 2D block messages */
    size_t scratch_bytes; /* local memory of operations between subgroups */
    size_t stage_dwords, shared_dwords; /* of staged operands: in their own memory, and within scratch_bytes */
    size_t accumulator_bytes, product_bytes; /* maximum per subgroup: of a sum; of what is carried and operands */
    size_t slice_bytes; /* maximum of a sum and one step of the matrix instruction, in node `largest` */
    int largest;
    spe_error warning;
    int registers;
    /* lowering */
    bool block2d; /* writing the version with 2D block messages */
    bool staged;  /* operands go through local memory in this version */
    spe_id stages_fit; /* there: whether surfaces of messages are legal */
    spe_id side; /* of the innermost XT_IF around which there is no nearer loop: its first label, or 0 */
    const xt_frame_ *unrolled; /* the loop whose body has several copies; NULL: none */
    int loops_around;         /* what is written */
    int at;       /* number of the node being written */
    spe_id scratch, staging;
    const struct xt_vulkan_part_ *vulkan; /* NULL: there is nothing of passes/vulkan.c in this kernel */
    spe_list panels; /* operands in local memory, see passes/opaque.c */
    int panel_vectors, opaque_words; /* vectors in local memory; words between opaque matrices and lanes, 0: none */
    int strips_at;                   /* the first vector of these; 0: when panels' vectors are no longer needed */
    bool strips_in_panels;           /* that is so */
    spe_id panel_memory, opaque_box[16];
    spe_list once; /* what has been computed before the body, see xt_once_ */
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* name, operand count, instruction on floats; ABS also takes integers */
#define XT_MATH_(X)                                                                                                    \
    X(EXP, 1, EXP) X(EXP2, 1, EXP2) X(LOG, 1, LOG) X(LOG2, 1, LOG2) X(SQRT, 1, SQRT) X(RSQRT, 1, RSQRT)                \
    X(TANH, 1, TANH) X(SIN, 1, SIN) X(COS, 1, COS) X(ERF, 1, ERF) X(ABS, 1, FABS) X(CEIL, 1, CEIL)                     \
    X(FLOOR, 1, FLOOR) X(ROUND, 1, ROUND) X(TRUNC, 1, TRUNC) X(POW, 2, POW) X(FMA, 3, FMA)                             \
    X(NATIVE_EXP2, 1, NATIVE_EXP2)
#define XT_MATH_ENUM_(name, n, instruction) XT_MATH_##name##_,
typedef enum { XT_MATH_(XT_MATH_ENUM_) XT_MATH_COUNT_ } xt_math_op_;

typedef struct {
    bool saturate;
} xt_cast_desc_;

/* ---- tiles and memory -------------------------------------------------------------------------------------------- */

typedef struct {
    xt_val base;
    int type; /* cm_type */
    int rows, cols;
    xt_vec scatter;
    xt_index offset, shape, strides;
    int order[2], inner_blocks[2];
    xt_map map;
    bool inside;
} xt_tile_desc_;

/* The value of loaded elements outside the base matrix. */
typedef enum { XT_BORDER_PADDING, XT_BORDER_CLAMP, XT_BORDER_MIRROR } xt_border;

typedef struct {
    xt_tile tile;
    double padding;
    xt_border border;
} xt_load_desc_;

typedef struct {
    xt_tile tile;
    xt_vec mask; /* mask.magic 0: every element */
    double padding;
} xt_gather_desc_;

/* A store, or an access to a scatter tile, with its mask. */
typedef struct {
    xt_vec vec; /* that is stored */
    xt_gather_desc_ access;
} xt_scattered_;

typedef struct {
    xt_tile tile;
    int locality;
} xt_prefetch_desc_;

typedef struct {
    xt_tile tile;
    xt_val by[2];
} xt_update_;

typedef struct {
    xt_tile tile;
    xt_any_ by;
} xt_update_by_;

enum { XT_RMW_INT_ = 1, XT_RMW_FLOAT_ = 2, XT_RMW_LOOP_ = -1 };

/* Kinds of reductions: the operation, how it reads integers, element types; does a NaN win (and is -0 less than 0)? */
#define XT_RED_KINDS_(X)                                                                                               \
    X(add, ARITH_ADD, NUMBER_SIGNED, INT_ | XT_RMW_FLOAT_, false)                                                      \
    X(mul, ARITH_MUL, NUMBER_SIGNED, INT_ | XT_RMW_FLOAT_, false) X(minsi, ARITH_MIN, NUMBER_SIGNED, INT_, false)      \
    X(minui, ARITH_MIN, NUMBER_UNSIGNED, INT_, false) X(maxsi, ARITH_MAX, NUMBER_SIGNED, INT_, false)                  \
    X(maxui, ARITH_MAX, NUMBER_UNSIGNED, INT_, false) X(and, ARITH_AND, NUMBER_UNSIGNED, INT_, false)                  \
    X(or, ARITH_OR, NUMBER_UNSIGNED, INT_, false) X(xor, ARITH_XOR, NUMBER_UNSIGNED, INT_, false)                      \
    X(minnumf, ARITH_MIN, NUMBER_FLOAT, FLOAT_, false) X(maxnumf, ARITH_MAX, NUMBER_FLOAT, FLOAT_, false)              \
    X(minimumf, ARITH_MIN, NUMBER_FLOAT, FLOAT_, true) X(maximumf, ARITH_MAX, NUMBER_FLOAT, FLOAT_, true)
#define XT_RED_ENUM_(name, op, number, takes, nan_wins) XT_RED_##name##_,
typedef enum { XT_RED_KINDS_(XT_RED_ENUM_) XT_RED_COUNT_ } xt_red_;

/* The specification's arith kinds: element types, the instruction for 32 and 64 bits (LOOP: compare and swap), and the
 * reduction that combines two values. */
#define XT_RMW_KINDS_(X)                                                                                               \
    X(assign, INT_ | XT_RMW_FLOAT_, SPE_ATOMIC_EXCHANGE, XT_RED_COUNT_)                                                \
    X(addf, FLOAT_, SPE_ATOMIC_FADD, XT_RED_add_) X(addi, INT_, SPE_ATOMIC_IADD, XT_RED_add_)                          \
    X(maximumf, FLOAT_, XT_RMW_LOOP_, XT_RED_maximumf_) X(maxnumf, FLOAT_, XT_RMW_LOOP_, XT_RED_maxnumf_)              \
    X(maxs, INT_, SPE_ATOMIC_SMAX, XT_RED_maxsi_) X(maxu, INT_, SPE_ATOMIC_UMAX, XT_RED_maxui_)                        \
    X(minimumf, FLOAT_, XT_RMW_LOOP_, XT_RED_minimumf_) X(minnumf, FLOAT_, XT_RMW_LOOP_, XT_RED_minnumf_)              \
    X(mins, INT_, SPE_ATOMIC_SMIN, XT_RED_minsi_) X(minu, INT_, SPE_ATOMIC_UMIN, XT_RED_minui_)                        \
    X(mulf, FLOAT_, XT_RMW_LOOP_, XT_RED_mul_) X(muli, INT_, XT_RMW_LOOP_, XT_RED_mul_)                                \
    X(ori, INT_, SPE_ATOMIC_OR, XT_RED_or_) X(andi, INT_, SPE_ATOMIC_AND, XT_RED_and_)                                 \
    X(xori, INT_, SPE_ATOMIC_XOR, XT_RED_xor_)

#define XT_RMW_ENUM_(name, takes, op, combine) XT_RMW_##name##_,
typedef enum { XT_RMW_KINDS_(XT_RMW_ENUM_) XT_RMW_COUNT_ } xt_rmw_kind_;

typedef enum { XT_BARRIER_WHOLE_, XT_BARRIER_ARRIVES_, XT_BARRIER_WAITS_ } xt_barrier_kind_;

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

typedef struct {
    int rows, cols;
    xt_map map;
    int end_;
} xt_vec_desc_;

typedef struct {
    xt_vec left, right, sum; /* sum.magic 0: without */
    xt_map map, a_map, b_map, c_map; /* map: the result's; the others are only checked against the operands */
    int type;                        /* XT_TYPE(T); 0: the default */
} xt_mma_desc_;
typedef struct {
    xt_mma_desc_ mma;
    xt_vec scale_a, scale_b, sum;
    int type;
    xt_map map;
} xt_scaled_desc_;
typedef struct {
    xt_vec vec;
    int dim;
    xt_vec *scales;
} xt_quantize_desc_;

enum { XT_DIMS_PAIR_ = 16 }; /* values of XT_DIMS start here */

typedef struct {
    xt_vec vec;
    int dim;
    int reduction_size; /* 0: the whole dimension */
    xt_map map, source;
} xt_reduction_desc_;

typedef struct {
    xt_vec vec;
    int dim, size;      /* size of that dimension in the result */
    int broadcast_size; /* copies of each element; 0: size / current size */
    xt_map map, source;
    int inner_blocks[2];
} xt_broadcast_desc_;

typedef struct {
    xt_vec vec;
    xt_map map, source;
} xt_layout_desc_;

typedef struct {
    xt_vec vec;
    int row, col, rows, cols;
    xt_map map;
} xt_slice_desc_;

typedef struct {
    xt_vec vec;
    int inner_blocks[2];
} xt_pack_desc_;

typedef struct {
    xt_vec vec;
    int dim;
    bool exclusive;
} xt_scan_desc_;

typedef struct {
    xt_vec vec;
    int dim;
    xt_vec *value; /* receives the extreme values */
    xt_map map;
} xt_arg_desc_;

typedef struct {
    xt_vec vec;
    int count;
    xt_vec *value; /* receives the elements */
} xt_top_desc_;

/* ---- users' own operations --------------------------------------------------------------------------------------- */

/* Emits a number computed from numbers, given as ids of their own types. c->module is the spe_module. */
typedef spe_id (*xt_emit_fn)(cm_ctx *c, const spe_id *operands, void *user);

/* Emits one block of a vector from the same block of one to three vectors, in the accumulator's layout (CM_ACC). The
 * block's rows are the cm_matrix's columns. */
typedef cm_matrix (*xt_emit_block_fn)(cm_ctx *c, const cm_matrix *const *operands, void *user);

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* The same number as XT_RANDOM in a kernel. */
XETILE_API uint32_t xt_random(uint32_t seed, uint32_t index);

/* Called by XT_BUILD. Always pass the result to xt_free. */
XETILE_API xt_module xt_build(const xt_build_desc *desc);

/* Builds `count` kernels, from 1, into one module, which the first of mods owns; pass all to xt_free, the first last.
 * False after an error: then none has words, and all have the error. */
XETILE_API bool xt_build_all(xt_module *mods, const xt_build_desc *descs, int count);

/* Prints a module's kernel in the notation of the XeTile specification; if it was not built, its errors. */
XETILE_API void xt_print(const xt_module *mod, FILE *f);

/* Frees a module. It may be zeroed or already freed. */
XETILE_API void xt_free(xt_module *mod);

/* Functions that only the macros call. */
#include "xetile/calls.h"

/* ---- macros of vectors (C only) ---------------------------------------------------------------------------------- */

/* Selects the function for vectors if any of three arguments is a vector, else the one for numbers. */
#define XT_BY_(name, a, b, c)                                                                                          \
    _Generic((a), xt_vec: xt_##name##_vec_,                                                                            \
             default: _Generic((b), xt_vec: xt_##name##_vec_,                                                          \
                               default: _Generic((c), xt_vec: xt_##name##_vec_, default: xt_##name##_scalar_)))
#define XT_MATH1_(op_, a) XT_BY_(math, a, 0, 0)(XT_HERE_, op_, XT_OPERANDS_(XT_ANY_(a)))
#define XT_EXP(a) XT_MATH1_(XT_MATH_EXP_, a)
#define XT_EXP2(a) XT_MATH1_(XT_MATH_EXP2_, a)
#define XT_NATIVE_EXP2(a) XT_MATH1_(XT_MATH_NATIVE_EXP2_, a)
#define XT_LOG(a) XT_MATH1_(XT_MATH_LOG_, a)
#define XT_LOG2(a) XT_MATH1_(XT_MATH_LOG2_, a)
#define XT_SQRT(a) XT_MATH1_(XT_MATH_SQRT_, a)
#define XT_RSQRT(a) XT_MATH1_(XT_MATH_RSQRT_, a)
#define XT_TANH(a) XT_MATH1_(XT_MATH_TANH_, a)
#define XT_SIN(a) XT_MATH1_(XT_MATH_SIN_, a)
#define XT_COS(a) XT_MATH1_(XT_MATH_COS_, a)
#define XT_ERF(a) XT_MATH1_(XT_MATH_ERF_, a)
#define XT_ABS(a) XT_MATH1_(XT_MATH_ABS_, a)
#define XT_CEIL(a) XT_MATH1_(XT_MATH_CEIL_, a)
#define XT_FLOOR(a) XT_MATH1_(XT_MATH_FLOOR_, a)
#define XT_ROUND(a) XT_MATH1_(XT_MATH_ROUND_, a)
#define XT_TRUNC(a) XT_MATH1_(XT_MATH_TRUNC_, a)
#define XT_POW(a, b) XT_BY_(math, a, b, 0)(XT_HERE_, XT_MATH_POW_, XT_OPERANDS_(XT_ANY_(a), XT_ANY_(b)))
#define XT_FMA(a, b, c) \
    XT_BY_(math, a, b, c)(XT_HERE_, XT_MATH_FMA_, XT_OPERANDS_(XT_ANY_(a), XT_ANY_(b), XT_ANY_(c)))
#define XT_NEG(a) XT_MUL(a, -1)
#define XT_NOT(a) XT_EQ(a, 0)
#define XT_SELECT(c, a, b) XT_BY_(select, c, a, b)(XT_HERE_, XT_OPERANDS_(XT_ANY_(c), XT_ANY_(a), XT_ANY_(b)))
#define XT_CAST(T, ...) SPE_CAT(XT_CAST_, SPE_COUNT(__VA_ARGS__))(T, __VA_ARGS__)
#define XT_CAST_1(T, x) XT_CAST_2(T, x, .saturate = true)
#define XT_CAST_2(T, x, saturate_) \
    XT_BY_(cast, x, 0, 0)(XT_HERE_, XT_ID_(T), XT_ANY_(x), (xt_cast_desc_){saturate_})
#define XT_BITCAST(T, x) XT_BY_(bitcast, x, 0, 0)(XT_HERE_, XT_ID_(T), XT_ANY_(x))
#define XT_IOTA(T, rows_, cols_, ...)                                                                                  \
    xt_iota_(XT_HERE_, XT_ID_(T), SPE_FIRST(__VA_ARGS__, 0),                                                    \
             (xt_vec_desc_){.rows = (rows_), .cols = (cols_), SPE_REST(__VA_ARGS__, .end_ = 0)})

#define XT_DIMS(first, second) (XT_DIMS_PAIR_ + (first) * 4 + (second))
#define XT_REDUCTION(kind, vec_, ...)                                                                                  \
    xt_reduction_(XT_HERE_, XT_RED_##kind##_, (xt_reduction_desc_){.vec = (vec_), .dim = __VA_ARGS__})
#define XT_BROADCAST(vec_, dim_, ...)                                                                                  \
    xt_broadcast_(XT_HERE_, (xt_broadcast_desc_){.vec = (vec_), .dim = (dim_), .size = __VA_ARGS__})
#define XT_TRANSPOSE(...) xt_transpose_(XT_HERE_, (xt_layout_desc_){.vec = __VA_ARGS__})
#define XT_CONVERT_LAYOUT(...) xt_convert_layout_(XT_HERE_, (xt_layout_desc_){.vec = __VA_ARGS__})
#define XT_SLICE(vec_, row_, col_, rows_, ...)                                                                         \
    xt_slice_(XT_HERE_,                                                                                                \
              (xt_slice_desc_){.vec = (vec_), .row = (row_), .col = (col_), .rows = (rows_), .cols = __VA_ARGS__})
#define XT_SHAPE_CAST(vec_, rows_, ...)                                                                                \
    xt_shape_cast_(XT_HERE_, (xt_slice_desc_){.vec = (vec_), .rows = (rows_), .cols = __VA_ARGS__})
#define XT_SCAN(kind, vec_, ...)                                                                                       \
    xt_scan_vec_(XT_HERE_, XT_RED_##kind##_, (xt_scan_desc_){.vec = (vec_), .dim = __VA_ARGS__})
#define XT_ARGMAX(vec_, ...) xt_arg_(XT_HERE_, true, (xt_arg_desc_){.vec = (vec_), .dim = __VA_ARGS__})
#define XT_TOP(vec_, ...) xt_top_(XT_HERE_, (xt_top_desc_){.vec = (vec_), .count = __VA_ARGS__})
#define XT_LOGSUMEXP(vec_, dim_) xt_logsumexp_(XT_HERE_, vec_, dim_)
#define XT_ARGMIN(vec_, ...) xt_arg_(XT_HERE_, false, (xt_arg_desc_){.vec = (vec_), .dim = __VA_ARGS__})
#define XT_TABLE(T, rows_, cols_, ...)                                                                                 \
    xt_table_(XT_HERE_, XT_ID_(T), XT_TABLE_OF_(SPE_FIRST(__VA_ARGS__, 0)), SPE_FIRST(__VA_ARGS__, 0),                 \
              (xt_vec_desc_){.rows = (rows_), .cols = (cols_), SPE_REST(__VA_ARGS__, .end_ = 0)})
#define XT_TABLE_OF_(v)                                                                                                \
    _Generic((v)[0], double: CM_F64, float: CM_F32, int: CM_I32, unsigned: CM_U32, long long: CM_I64)
#define XT_TILE_PACK(...) xt_tile_pack_(XT_HERE_, (xt_pack_desc_){.vec = __VA_ARGS__})
#define XT_TILE_UNPACK(...) xt_tile_unpack_(XT_HERE_, (xt_pack_desc_){.vec = __VA_ARGS__})

/* Names from the older specification. */
#define XT_TILE_REDUCE XT_REDUCTION
#define XT_TILE_BROADCAST(...) XT_BROADCAST(__VA_ARGS__)
#define XT_TILE_TRANSPOSE(...) XT_TRANSPOSE(__VA_ARGS__)
#define XT_TILE_CONV_LAYOUT(...) XT_CONVERT_LAYOUT(__VA_ARGS__)
#define XT_TILE_CONVERT_LAYOUT(...) XT_CONVERT_LAYOUT(__VA_ARGS__)
#define XT_CONV_LAYOUT(...) XT_CONVERT_LAYOUT(__VA_ARGS__)

#define XT_BARRIER_ARRIVE(name_) xt_barrier_(XT_HERE_, XT_BARRIER_ARRIVES_, name_)
#define XT_BARRIER_WAIT(name_) xt_barrier_(XT_HERE_, XT_BARRIER_WAITS_, name_)
#define XT_WHILE(...)                                                                                                  \
    SPE_WHILE(xt_region_next_, xt_while_begin_(XT_HERE_, SPE_CARRIED(__VA_ARGS__)), xt_while_test_, XT_HERE_,          \
              XT_NUMBER(SPE_FIRST(__VA_ARGS__, 0)))

/* ---- macros (C only) --------------------------------------------------------------------------------------------- */

/* The number of a type as written in kernels. of(x): the element type of a pointer parameter, a tile or a vector. */
#define XT_ID_(T) ((int)SPE_C_TYPE(XT_TYPE_, T))
#define XT_TYPE_of(x) ((x).type == -SPE_INT ? (int)CM_I32 : (x).type == -SPE_REAL ? (int)CM_F32 : (int)(x).type)

/* A kernel's parameters as C parameters and as arguments. */
#define XT_DECLARE_(i, parameter) xt_val SPE_NAME_OF(parameter)
#define XT_ARGUMENT_(i, parameter) xt_context_->args[i]

/* Defines a constant of type xt_kernel, and begins the function that is its body. */
#if defined(__cplusplus)
#define XT_KERNEL(name_, ...) SPE_KERNEL_IN_CPP
#else
#define XT_KERNEL(name_, ...) SPE_KERNEL(xt, XT, name_, __VA_ARGS__)
#endif

/* XT_BUILD(kernel, &target, .option = value, ...) */
#define XT_BUILD(kernel_, ...)                                                                                         \
    xt_build(&(xt_build_desc){.kernel = &(kernel_), .file = __FILE__, .line = __LINE__, .target = __VA_ARGS__})

/* XT_DESC(kernel, &target, .option = value, ...): the initialiser of an xt_build_desc, for xt_build_all */
#define XT_DESC(kernel_, ...) {.kernel = &(kernel_), .file = __FILE__, .line = __LINE__, .target = __VA_ARGS__}

#define XT_CONTEXT SPE_UNUSED xt_ctx *xt_context_
#define XT_SELF xt_context_
#define XT_HERE_ ((xt_where_){xt_context_, &(const spe_line){__FILE__, __LINE__}})

/* Operands, which are calls of other macros as often as not, are members of one initialiser: compilers evaluate those
 * in order, but arguments of a function in any. So a kernel is the same for all of them. */
#define XT_OPERANDS_(...) ((const xt_any_[]){__VA_ARGS__})
#define XT_NUMBERS_(...) ((const xt_val[]){__VA_ARGS__})
#define XT_NUMBER(x) SPE_NUMBER(x)
#define XT_ANY_(x)                                                                                                     \
    _Generic((x), xt_val: xt_any_val_, xt_vec: xt_any_vec_, float: xt_any_float_, double: xt_any_real_,                \
             unsigned long: xt_any_uint_, unsigned long long: xt_any_uint_, default: xt_any_int_)(x)

#define XT_TYPE(T) (1 + XT_ID_(T)) /* for .type options, whose default is 0 */
#define XT_MAP(...) ((xt_map){__VA_ARGS__})

/* One to eight C integers or xt_vals. */
#define XT_AT(...)                                                                                                     \
    xt_at_(SPE_COUNT(__VA_ARGS__), XT_NUMBERS_(SPE_EACH(XT_AT_ONE_, SPE_COMMA, __VA_ARGS__)))
#define XT_AT_ONE_(i, x) XT_NUMBER(x)

#define XT_BINARY_(op_, a, b) XT_BY_(binary, a, b, 0)(XT_HERE_, op_, XT_OPERANDS_(XT_ANY_(a), XT_ANY_(b)))
#define XT_ADD(a, b) XT_BINARY_(SPE_ARITH_ADD, a, b)
#define XT_SUB(a, b) XT_BINARY_(SPE_ARITH_SUB, a, b)
#define XT_MUL(a, b) XT_BINARY_(SPE_ARITH_MUL, a, b)
#define XT_DIV(a, b) XT_BINARY_(SPE_ARITH_DIV, a, b)
#define XT_MIN(a, b) XT_BINARY_(SPE_ARITH_MIN, a, b)
#define XT_MAX(a, b) XT_BINARY_(SPE_ARITH_MAX, a, b)
#define XT_MOD(a, b) XT_BINARY_(SPE_ARITH_REM, a, b)
#define XT_AND(a, b) XT_BINARY_(SPE_ARITH_AND, a, b)
#define XT_OR(a, b) XT_BINARY_(SPE_ARITH_OR, a, b)
#define XT_XOR(a, b) XT_BINARY_(SPE_ARITH_XOR, a, b)
#define XT_SHL(a, b) XT_BINARY_(SPE_ARITH_SHL, a, b)
#define XT_SHR(a, b) XT_BINARY_(SPE_ARITH_SHR, a, b)
#define XT_EQ(a, b) XT_BINARY_(SPE_ARITH_EQ, a, b)
#define XT_NE(a, b) XT_BINARY_(SPE_ARITH_NE, a, b)
#define XT_LT(a, b) XT_BINARY_(SPE_ARITH_LT, a, b)
#define XT_LE(a, b) XT_BINARY_(SPE_ARITH_LE, a, b)
#define XT_GT(a, b) XT_BINARY_(SPE_ARITH_GT, a, b)
#define XT_GE(a, b) XT_BINARY_(SPE_ARITH_GE, a, b)
#define XT_VADD(a, b) XT_ADD(a, b)
#define XT_VSUB(a, b) XT_SUB(a, b)
#define XT_VMUL(a, b) XT_MUL(a, b)
#define XT_VDIV(a, b) XT_DIV(a, b)
#define XT_VMIN(a, b) XT_MIN(a, b)
#define XT_VMAX(a, b) XT_MAX(a, b)

#define XT_GROUP_ID(d) xt_builtin_(XT_HERE_, SPE_GROUP_ID, d)
#define XT_GROUP_COUNT(d) xt_builtin_(XT_HERE_, SPE_GROUP_COUNT, d)
#define XT_LOCAL_ID(d) xt_builtin_(XT_HERE_, SPE_LOCAL_ID, d)
#define XT_GLOBAL_ID(d) xt_builtin_(XT_HERE_, SPE_GLOBAL_ID, d)
#define XT_SUBGROUP_ID() xt_builtin_(XT_HERE_, SPE_SUBGROUP_ID, 0)
#define XT_LANE_ID() xt_builtin_(XT_HERE_, SPE_SUBGROUP_LANE, 0)
#define XT_PARAM(name_) xt_param_by_name_(XT_HERE_, name_)
#define XT_USER() (xt_context_->desc->user)

#define XT_INIT_TILE(base_, T, rows_, ...)                                                                             \
    xt_init_tile_(XT_HERE_, (xt_tile_desc_){.base = (base_), .type = XT_ID_(T), .rows = (rows_), .cols = __VA_ARGS__})
#define XT_LOAD_TILE(...) xt_load_tile_(XT_HERE_, (xt_load_desc_){.tile = __VA_ARGS__})
#define XT_STORE_TILE(vec_, tile_) xt_store_tile_(XT_HERE_, (xt_scattered_){.vec = (vec_), .access = {.tile = (tile_)}})
#define XT_PREFETCH_TILE(...) SPE_CAT(XT_PREFETCH_, SPE_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define XT_PREFETCH_1(tile_) xt_prefetch_tile_(XT_HERE_, (xt_prefetch_desc_){.tile = (tile_), .locality = 3})
#define XT_PREFETCH_2(tile_, locality_) xt_prefetch_tile_(XT_HERE_, (xt_prefetch_desc_){.tile = (tile_), locality_})
#define XT_UPDATE_TILE_OFFSET(tile_, ...) SPE_CAT(XT_UPDATE_, SPE_COUNT(__VA_ARGS__))(tile_, __VA_ARGS__)
#define XT_UPDATE_1(tile_, by_)                                                                                        \
    xt_update_offsets_(XT_HERE_, (xt_update_by_){.tile = (tile_), .by = XT_ANY_(by_)})
#define XT_UPDATE_2(tile_, rows_, cols_)                                                                               \
    xt_update_tile_offset_(XT_HERE_, (xt_update_){.tile = (tile_), .by = {XT_NUMBER(rows_), XT_NUMBER(cols_)}})
#define XT_TILE_MMA(...) xt_tile_mma_(XT_HERE_, (xt_mma_desc_){.left = __VA_ARGS__})
#define XT_TILE_MMA_SCALED(left_, scale_left_, right_, ...)                                                            \
    xt_tile_mma_scaled_(XT_HERE_, (xt_scaled_desc_){.mma = {.left = (left_), .right = (right_)},                       \
                                                    .scale_a = (scale_left_), .scale_b = __VA_ARGS__})
#define XT_QUANTIZE(T, vec_, ...) \
    xt_quantize_(XT_HERE_, XT_ID_(T), (xt_quantize_desc_){.vec = (vec_), .dim = __VA_ARGS__})
#define XT_TO_E2M1(vec_, dim_) xt_to_e2m1_(XT_HERE_, vec_, dim_)
#define XT_FROM_E2M1(T, vec_, dim_) xt_from_e2m1_(XT_HERE_, XT_ID_(T), vec_, dim_)
#define XT_SPLAT(T, rows_, cols_, ...)                                                                                 \
    xt_splat_(XT_HERE_, XT_ID_(T), XT_NUMBER(SPE_FIRST(__VA_ARGS__, 0)),                                       \
              (xt_vec_desc_){.rows = (rows_), .cols = (cols_), SPE_REST(__VA_ARGS__, .end_ = 0)})
#define XT_ATOMIC_RMW(kind_, vec_, ...)                                                                                \
    xt_atomic_rmw_(XT_HERE_, XT_RMW_##kind_##_, (xt_scattered_){.vec = (vec_), .access = {.tile = __VA_ARGS__}})
#define XT_ATOMIC_RMW_TILE(kind_, ...) XT_ATOMIC_RMW(kind_, __VA_ARGS__)
#define XT_LOAD_GATHER(...) xt_load_gather_(XT_HERE_, (xt_gather_desc_){.tile = __VA_ARGS__})
#define XT_STORE_SCATTER(vec_, ...)                                                                                    \
    xt_store_scatter_(XT_HERE_, (xt_scattered_){.vec = (vec_), .access = {.tile = __VA_ARGS__}})
#define XT_LOCAL(T, elements_) xt_local_(XT_HERE_, XT_ID_(T), elements_)
#define XT_LOAD(base_, index_) xt_load_(XT_HERE_, XT_NUMBERS_(base_, XT_NUMBER(index_)))
#define XT_STORE(number_, base_, index_)                                                                               \
    xt_store_(XT_HERE_, XT_NUMBERS_(XT_NUMBER(number_), XT_NUMBER(base_), XT_NUMBER(index_)))
#define XT_ELEMENT(vec_, row_, col_) xt_element_(XT_HERE_, vec_, row_, col_)
#define XT_ALL(mask_) xt_all_(XT_HERE_, mask_, true)
#define XT_ANY(mask_) xt_all_(XT_HERE_, mask_, false)
#define XT_RANDOM(seed_, index_)                                                                                       \
    XT_BY_(random, seed_, index_, 0)(XT_HERE_, XT_OPERANDS_(XT_ANY_(seed_), XT_ANY_(index_)))
#define XT_CLAMP(x, low_, high_) XT_MIN(XT_MAX(x, low_), high_)
#define XT_BARRIER() xt_barrier_(XT_HERE_, XT_BARRIER_WHOLE_, NULL)
#define XT_EMIT(T, fn_, user_, operands_) xt_emit_(XT_HERE_, XT_ID_(T), fn_, user_, operands_)
#define XT_EMIT_VEC(T, fn_, user_, ...)                                                                                \
    xt_emit_vec_(XT_HERE_, XT_ID_(T), fn_, user_, (const xt_vec[3]){__VA_ARGS__})

#define XT_FOR(k, lo, hi, ...)                                                                                         \
    SPE_FOR(xt_region_next_, k, xt_for_begin_(                                                                         \
                   XT_HERE_, XT_NUMBERS_(XT_NUMBER(lo), XT_NUMBER(hi), XT_NUMBER(SPE_FIRST(__VA_ARGS__, 0))),       \
                   SPE_CARRIED(__VA_ARGS__)))
#define XT_IF(...)                                                                                                     \
    SPE_IF(xt_region_next_,                                                                                            \
           xt_if_begin_(XT_HERE_, XT_NUMBER(SPE_FIRST(__VA_ARGS__, 0)), SPE_CARRIED(__VA_ARGS__)))
#define XT_ELSE else

#endif /* XETILE_XETILE_H */
