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
#if defined(CM_LAYOUT_ONLY) || (defined(XETILE_COOPMATRIX_H) && !defined(SPIRV_EMIT_H))
#error "xetile.h needs all of coopmatrix.h: without CM_LAYOUT_ONLY, and before any include of it that had it"
#else
#define XETILE_COMMON_ONLY_ /* the part of it that all headers begin with */
#include "spirv_emit.h"
#undef XETILE_COMMON_ONLY_

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
/* calls.h - written by join.sh from the functions of xetile.h's sources. */
XETILE_API xt_any_ xt_any_val_(xt_val v);
XETILE_API xt_any_ xt_any_vec_(xt_vec v);
XETILE_API xt_any_ xt_any_int_(long long i);
XETILE_API xt_any_ xt_any_uint_(unsigned long long u);
XETILE_API xt_any_ xt_any_real_(double d);
XETILE_API xt_any_ xt_any_float_(float f);
XETILE_API xt_index xt_at_(int n, const xt_val *at);
XETILE_API xt_val xt_cast_scalar_(xt_where_ w, int type, xt_any_ v, xt_cast_desc_ d);
XETILE_API xt_val xt_select_scalar_(xt_where_ w, const xt_any_ *given);
XETILE_API xt_val xt_builtin_(xt_where_ w, spe_builtin_name name, int dim);
XETILE_API xt_val xt_param_by_name_(xt_where_ w, const char *name);
XETILE_API xt_vec xt_splat_(xt_where_ w, int type, xt_val number, xt_vec_desc_ d);
XETILE_API xt_vec xt_iota_(xt_where_ w, int type, int dim, xt_vec_desc_ d);
XETILE_API xt_vec xt_table_(xt_where_ w, int type, int of, const void *values, xt_vec_desc_ d);
XETILE_API xt_vec xt_broadcast_(xt_where_ w, xt_broadcast_desc_ d);
XETILE_API xt_vec xt_transpose_(xt_where_ w, xt_layout_desc_ d);
XETILE_API xt_vec xt_convert_layout_(xt_where_ w, xt_layout_desc_ d);
XETILE_API xt_vec xt_slice_(xt_where_ w, xt_slice_desc_ d);
XETILE_API xt_vec xt_shape_cast_(xt_where_ w, xt_slice_desc_ d);
XETILE_API xt_vec xt_tile_pack_(xt_where_ w, xt_pack_desc_ d);
XETILE_API xt_vec xt_tile_unpack_(xt_where_ w, xt_pack_desc_ d);
XETILE_API xt_vec xt_binary_vec_(xt_where_ w, int op, const xt_any_ *given);
XETILE_API xt_val xt_binary_scalar_(xt_where_ w, int op, const xt_any_ *given);
XETILE_API xt_vec xt_select_vec_(xt_where_ w, const xt_any_ *given);
XETILE_API xt_vec xt_math_vec_(xt_where_ w, int op, const xt_any_ *given);
XETILE_API xt_val xt_math_scalar_(xt_where_ w, int op, const xt_any_ *given);
XETILE_API xt_vec xt_cast_vec_(xt_where_ w, int type, xt_any_ a, xt_cast_desc_ d);
XETILE_API xt_val xt_bitcast_scalar_(xt_where_ w, int type, xt_any_ a);
XETILE_API xt_val xt_local_(xt_where_ w, int type, int64_t elements);
XETILE_API xt_tile xt_init_tile_(xt_where_ w, xt_tile_desc_ d);
XETILE_API xt_tile xt_update_tile_offset_(xt_where_ w, xt_update_ d);
XETILE_API xt_tile xt_update_offsets_(xt_where_ w, xt_update_by_ given);
XETILE_API xt_vec xt_load_tile_(xt_where_ w, xt_load_desc_ d);
XETILE_API void xt_store_tile_(xt_where_ w, xt_scattered_ d);
XETILE_API xt_vec xt_load_gather_(xt_where_ w, xt_gather_desc_ d);
XETILE_API void xt_store_scatter_(xt_where_ w, xt_scattered_ d);
XETILE_API void xt_prefetch_tile_(xt_where_ w, xt_prefetch_desc_ d);
XETILE_API xt_vec xt_tile_mma_(xt_where_ w, xt_mma_desc_ d);
XETILE_API xt_vec xt_tile_mma_scaled_(xt_where_ w, xt_scaled_desc_ d);
XETILE_API xt_vec xt_atomic_rmw_(xt_where_ w, xt_rmw_kind_ kind, xt_scattered_ d);
XETILE_API xt_vec xt_reduction_(xt_where_ w, int kind, xt_reduction_desc_ d);
XETILE_API xt_vec xt_scan_vec_(xt_where_ w, int kind, xt_scan_desc_ d);
XETILE_API xt_vec xt_arg_(xt_where_ w, bool largest, xt_arg_desc_ d);
XETILE_API xt_vec xt_top_(xt_where_ w, xt_top_desc_ d);
XETILE_API xt_vec xt_logsumexp_(xt_where_ w, xt_vec v, int dim);
XETILE_API xt_vec xt_bitcast_vec_(xt_where_ w, int type, xt_any_ a);
XETILE_API xt_vec xt_to_e2m1_(xt_where_ w, xt_vec v, int dim);
XETILE_API xt_vec xt_from_e2m1_(xt_where_ w, int type, xt_vec v, int dim);
XETILE_API xt_vec xt_quantize_(xt_where_ w, int type, xt_quantize_desc_ d);
XETILE_API xt_val xt_emit_(xt_where_ w, int type, xt_emit_fn fn, void *user, xt_index operands);
XETILE_API xt_vec xt_emit_vec_(xt_where_ w, int type, xt_emit_block_fn fn, void *user, const xt_vec operands[3]);
XETILE_API xt_val xt_load_(xt_where_ w, const xt_val *given);
XETILE_API void xt_store_(xt_where_ w, const xt_val *given);
XETILE_API xt_val xt_element_(xt_where_ w, xt_vec v, int row, int col);
XETILE_API xt_val xt_all_(xt_where_ w, xt_vec v, bool all);
XETILE_API xt_val xt_random_scalar_(xt_where_ w, const xt_any_ *given);
XETILE_API xt_vec xt_random_vec_(xt_where_ w, const xt_any_ *given);
XETILE_API spe_region xt_for_begin_(xt_where_ w, const xt_val *given, void *const *objects);
XETILE_API spe_region xt_while_begin_(xt_where_ w, void *const *objects);
XETILE_API spe_region *xt_while_test_(xt_where_ w, spe_region *loop, xt_val condition);
XETILE_API spe_region xt_if_begin_(xt_where_ w, xt_val condition, void *const *objects);
XETILE_API bool xt_region_next_(spe_region *r);
XETILE_API void xt_barrier_(xt_where_ w, xt_barrier_kind_ kind, const char *name);

#endif /* XETILE_XETILE_H */

/* ==== bodies: nothing from here on is for users ================================================================== */

#if defined(XETILE_STATIC_) && (defined(XETILE_IMPLEMENTATION) || \
                                (defined(XETILE_DECLARATIONS) && !defined(XETILE_XETILE_BODIES_)))
#error "XETILE_DECLARATIONS or XETILE_IMPLEMENTATION come before the first header of xetile: one was included without"
#elif defined(XETILE_WEAKLY_) && !defined(XETILE_IMPLEMENTATION) && !defined(XETILE_XETILE_BODIES_)
#error "XETILE_IMPLEMENTATION stays defined until the last header of xetile has been included"
#elif !defined(XETILE_XETILE_BODIES_) && (defined(XETILE_IMPLEMENTATION) || !defined(XETILE_DECLARATIONS))
#define XETILE_XETILE_BODIES_
#include "coopmatrix.h" /* its bodies come first */
/* ops.h - the table of operations, the only place that tells what each one is. */

/* What an operation does, as far as passes and checks ask. Each is a set of effects. */
enum {
    XT_DIVERGES_ = 1, /* may stand where lanes diverge: it concerns numbers, or opens or closes a region */
    XT_COMPUTES_ = 2, /* computes a vector, which takes time */
    XT_EACH_ = 4,     /* element by element, so that it can be computed in strips */
    XT_MOVES_ = 8,    /* moves elements, perhaps between subgroups */
    XT_READS_ = 16,   /* of a tile's memory */
    XT_CHANGES_ = 32, /* memory, or anything as far as is known */
    XT_BOUNDS_ = 64,  /* opens or closes a region or a side of it, or decides about it */
    XT_WAITS_ = 128,  /* at a barrier */
    XT_RENAMES_ = 256 /* what its parts compute, in the same layout */
};
#define XT_DOES_numbers XT_DIVERGES_
#define XT_DOES_loads XT_READS_
#define XT_DOES_makes 0
#define XT_DOES_product 0
#define XT_DOES_each (XT_COMPUTES_ | XT_EACH_)
#define XT_DOES_whole XT_COMPUTES_
#define XT_DOES_renames (XT_COMPUTES_ | XT_RENAMES_)
#define XT_DOES_moves (XT_COMPUTES_ | XT_MOVES_)
#define XT_DOES_stores XT_CHANGES_
#define XT_DOES_stores_number (XT_DIVERGES_ | XT_CHANGES_)
#define XT_DOES_bounds (XT_DIVERGES_ | XT_BOUNDS_)
#define XT_DOES_waits XT_WAITS_
#define XT_DOES_users XT_CHANGES_
#define XT_DOES_users_number (XT_DIVERGES_ | XT_CHANGES_)

/* name; the function that writes it (xt_write_..., `nothing`: its parts do that, `same`: its result is that of its
 * parts); what it does; its attributes, and how xt_print shows them and its operands, see print.c. */
#define XT_OPERATIONS_(X)                                                                                              \
    X(ARGUMENT, argument, numbers, none, "")                                                                           \
    X(BUILTIN, builtin, numbers, none, "$= $k : index")                                                                \
    X(BINARY_NUMBER, binary_number, numbers, none, "$= $k $a0, $a1 : $A")                                              \
    X(CAST_NUMBER, cast_number, numbers, none, "$= $k $n0 : $N0 to $A")                                                \
    X(SELECT_NUMBER, select_number, numbers, none, "$= arith.select $n0, $a1, $a2 : $A")                               \
    X(BITCAST_NUMBER, bitcast_number, numbers, none, "$= arith.bitcast $n0 : $N0 to $A")                               \
    X(MATH_NUMBER, math_number, numbers, none, "$= $k$M : $A")                                                         \
    X(LOCAL, local, numbers, local, "$= memref.alloc() : memref<$d0x$E, slm>")                                         \
    X(PIECE_OFFSET, piece_offset, numbers, piece_offset, "$= piece_offset [$K] of $P0 x $P1 : index")                  \
    X(POINTER, pointer, numbers, none, "$= pointer $n0 : $N0 to memref<?x$E>")                                         \
    X(MATRIX, matrix, numbers, none, "$= matrix $n1, $n2")                                                             \
    X(LOAD, load, numbers, none, "$= memref.load $n0[$n1] : $A")                                                       \
    X(INIT_TILE, init_tile, numbers, none, "$= xetile.init_tile $b -> $r")                                             \
    X(UPDATE_TILE_OFFSET, nothing, numbers, none, "$= xetile.update_tile_offset $t0$u : $T0")                          \
    X(LOAD_TILE, load_tile, loads, outside, "$= xetile.load_tile $t0$p0$w1 : $T0 -> $r")                               \
    X(PREFETCH_TILE, prefetch_tile, loads, locality, "xetile.prefetch_tile $t0$l0 : $T0")                              \
    X(LOAD_GATHER, load_gather, loads, outside, "$= xetile.load_gather $t0$o1$p0 : $T0$O1 -> $r")                      \
    X(ELEMENT, element, product, none, "$= vector.extract $v0 : $V0")                                                  \
    X(TILE_MMA, tile_mma, product, maps, "$= xetile.tile_mma $v1, $v2$o0$m0 : $V1, $V2$O0 -> $r")                      \
    X(TILE_MMA_SCALED, tile_mma_scaled, product, maps,                                                                 \
      "$= xetile.tile_mma_scaled $v1, $v3, $v2, $v4$o0 : $V1, $V3, $V2, $V4$O0 -> $r")                                 \
    X(SPLAT, splat, makes, none, "$= vector.splat $#0$m : $r")                                                         \
    X(TABLE, table, makes, none, "$= arith.constant dense<...>$m : $r")                                                \
    X(IOTA, iota, makes, none, "$= vector.step [$K]$m : $r")                                                           \
    X(BINARY_VECTOR, binary_vector, each, none, "$= $k $v0$o1$m : $V0")                                                \
    X(CAST_VECTOR, cast_vector, each, none, "$= $k $v0$m : $V0 to $r")                                                 \
    X(SELECT_VECTOR, select_vector, each, none, "$= arith.select $v0$o1$o2$m : $V0, $r")                               \
    X(BITCAST_VECTOR, bitcast_vector, each, none, "$= arith.bitcast $v0$m : $V0 to $r")                                \
    X(MATH_VECTOR, math_vector, each, none, "$= $k $v0$o1$o2$m : $r")                                                  \
    X(REDUCE, reduce, whole, move, "$= xetile.reduction <$k> $v0 [$d1] {reduction_size = $d2} : $V0 -> $r")            \
    X(REDUCTION, same, renames, move, "$= xetile.reduction <$k> $v0 [$D1]$z$m5 : $V0 -> $r")                           \
    X(SCAN, scan, whole, move, "$= vector.scan <$k> $v0 [$D1]$e4$m : $V0 -> $r")                                       \
    X(BROADCAST, move, moves, move, "$= xetile.broadcast $v0 [$D1]$z$m5 : $V0 -> $r")                                  \
    X(TRANSPOSE, move, moves, move, "$= xetile.transpose $v0 [1, 0]$m5 : $V0 -> $r")                                   \
    X(CONVERT_LAYOUT, move, moves, move, "$= xetile.convert_layout $v0$m5 : $V0")                                      \
    X(SHAPE_CAST, move, moves, move, "$= vector.shape_cast $v0$m5 : $V0 to $r")                                        \
    X(SLICE, move, moves, move, "$= vector.extract_strided_slice $v0 {offsets = $P3}$m5 : $V0 to $r")                  \
    X(BITCAST_WIDTH, same, renames, move, "$= vector.bitcast $v0$m : $V0 to $r")                                       \
    X(TILE_PACK, same, renames, move, "$= xetile.tile_pack $v0 inner_blocks = $B$m : $V0 -> $r")                       \
    X(TILE_UNPACK, same, renames, move, "$= xetile.tile_unpack $v0 inner_blocks = $B$m : $V0 -> $r")                   \
    X(STORE_TILE, store_tile, stores, none, "xetile.store_tile $v2, $t0 : $V2, $T0")                                   \
    X(STORE_SCATTER, store_scatter, stores, none, "xetile.store_scatter $v2$o1, $t0 : $V2$O1, $T0")                    \
    X(STORE, store, stores_number, none, "memref.store $a2, $n0[$n1] : $A")                                            \
    X(ATOMIC_RMW, atomic_rmw, stores, none, "$= xetile.atomic_rmw <$k> $v2$o1, $t0 : $V2$O1, $T0 -> $r")               \
    X(FOR, for, bounds, none, "$(")                                                                                    \
    X(WHILE, for, bounds, none, "$(")                                                                                  \
    X(WHILE_TEST, while_test, bounds, none, "scf.condition($n0) do")                                                   \
    X(IF, if, bounds, none, "$(")                                                                                      \
    X(ELSE, else, bounds, none, "")                                                                                    \
    X(END, end, bounds, none, "")                                                                                      \
    X(BARRIER, barrier, waits, none, "gpu.barrier")                                                                    \
    X(BARRIER_ARRIVE, barrier, waits, none, "gpu.barrier arrive \"$s0\"")                                              \
    X(BARRIER_WAIT, barrier, waits, none, "gpu.barrier wait \"$s0\"")                                                  \
    X(EMIT, emit, users_number, none, "$= emit $x : $A")                                                               \
    X(EMIT_VEC, emit_vec, users, none, "$= emit $v0$o1$o2$m : $V0 -> $r")
#define XT_OPERATION_ENUM_(name, ...) XT_OP_##name##_,
typedef enum {
    XT_OPERATIONS_(XT_OPERATION_ENUM_)
        XT_OP_COUNT_
} xt_op_;

/* internal.h - declarations shared by the bodies of xetile.h only. */

#if defined(__cplusplus)
#define XT_ZERO_ {} /* all members zero */
#else
#define XT_ZERO_ {0}
#endif

/* A value, map or carried variable as text, for messages. */
typedef struct {
    char s[112];
} xt_text_;

/* How a side of a piece is cut into powers of two, the largest first, each at most 64: coopmatrix.h takes these as
 * rows. The last may extend beyond the end: sides are rounded up to multiples of `unit`, smaller ones to powers of
 * two. */
enum { XT_CUT_MAX_ = 24, XT_CUT_LARGEST_ = 64, XT_SIDE_MAX_ = 1024 };
typedef struct {
    int n;
    int size[XT_CUT_MAX_], at[XT_CUT_MAX_];
} xt_cut_;

enum { XT_VEC_MAGIC_ = 0x58745632, XT_TILE_MAGIC_ = 0x58745633 };

/* ---- the record: ir/record.c
 *
 * The body runs once. Each operation becomes a node, and each number, vector or tile that it produces or takes a value;
 * the user's xt_val, xt_vec and xt_tile refer to values by id, and so do nodes and regions. Regions have nodes at their
 * beginning and end. Passes read the nodes in order, see xt_make_module_. */

typedef struct xt_node_ xt_node_;

/* An operation and the function that writes it. What is recorded names these objects, see lower/lower.c, and no table
 * has all of them: so compilers leave out what would write the operations that a program does not use. */
typedef struct {
    xt_op_ op;
    void (*write)(xt_ctx *x, const xt_node_ *n);
} xt_operation_;
#define XT_AS_(name) (&xt_operation_##name##_)
#if defined(XETILE_SEPARATE_)
#define XT_SHARED_
#define XT_OPERATION_DECLARE_(name, ...) extern const xt_operation_ xt_operation_##name##_;
XT_OPERATIONS_(XT_OPERATION_DECLARE_)
#else
#define XT_SHARED_ static XETILE_ATTR_(__unused__)
#endif

/* What a value is: a number, a vector or a tile; its magic tells which. */
typedef union {
    uint32_t magic;
    xt_val val;
    xt_vec vec;
    xt_tile tile;
} xt_object_;

/* A node's operands, values by id, as they are recorded; type: see xt_node_. */
enum { XT_OPERANDS_MAX_ = 32 };
typedef struct {
    int type, count;
    uint32_t id[XT_OPERANDS_MAX_];
} xt_ids_;

/* A vector in the version that is written: its blocks, piece by piece, row-major within a piece; blocks 0: none. */
typedef struct {
    uint32_t id;
    cm_type type;
    xt_dist dist;
    cm_use use;
    int blocks;
    cm_matrix *block;
} xt_fragments_;

/* Computes a block of an element-wise operation, or a strip of one, from those of the operands. */
typedef cm_matrix (*xt_each_fn_)(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a);

typedef struct {
    const xt_object_ *is; /* as it was when an operation first took it */
    int node;   /* that produces it */
    int scope;  /* where it is defined */
    bool hoistable; /* a number that can be computed before the body: from constants, parameters and group ids only */
    int divergence; /* what a number or vector may differ between: 0, nothing in the work-group; 1, subgroups; 2, lanes
                     */
    spe_id hoisted_id;
    /* vectors; those that must share a layout form a class (union-find) */
    uint32_t parent;
    bool need[3]; /* of the root: the uses that products need, by cm_use */
    bool shares_layout; /* with others of its class */
    int last_use;       /* in x->uses; 0: none */
    bool unused;  /* a sum that only ends an iteration, in which a loop adds it to its index instead */
    int stage;    /* 1 + its index among loads through local memory, see passes/local_operands.c; 0: not one */
    bool deferred;    /* computed strip by strip where it is stored, see xt_find_deferred_ */
    bool unmade;  /* during writing: some strips are not computed yet */
    xt_each_fn_ each; /* computes them, if the operation is element-wise */
    int repeated; /* 1: all lanes are known to hold the same; -1: they are not; 0: see xt_is_repeated_ */
    uint32_t tied; /* those that are opaque together form a class, see passes/opaque.c */
    bool opaque, carried; /* of its root: opaque; it has other members */
    bool multiplies, reached; /* of its root: a product is one of these; a product is among what it is computed from */
    int panel; /* 1 + its index among operands in local memory, see passes/opaque.c; 0: not one */
    cm_matrix *unrolled; /* during writing: its blocks for several iterations of a loop, see lower/unroll.c */
    /* during writing. A number that advances with the loop index is start + advance of the index. */
    spe_id start, advance;
    union {
        xt_val number;
        xt_fragments_ vec;
    } now;
} xt_value_;

/* A use of a value as a node's operand, or by the region that the node begins or ends. */
typedef struct {
    int node;
    int before; /* the use of the same value before it; 0: none */
} xt_use_;

typedef struct {
    int node;
    const char *text;
} xt_remark_of_;

/* ---- regions: front/carried.c, front/control.c */

/* One carried variable: its value before the region, at the top of a loop's body, at the end of XT_IF's first side, at
 * the end of the body or second side, and after the region. mask: its scalars that change, a bit each. */
typedef struct {
    void *object; /* the user's variable */
    uint32_t start, body, now, result, mask;
} xt_slot_;

struct xt_frame_ {
    xt_op_ op;           /* XT_OP_FOR_, XT_OP_WHILE_, XT_OP_IF_ */
    uint32_t lo, hi, step; /* values: of a loop, as written; lo: the condition of XT_IF */
    uint32_t index;
    uint32_t given[4];     /* the user's lo, hi, step and index */
    xt_frame_ *in;          /* the region around it; NULL: none */
    int begin, end;         /* its nodes */
    int divergence;             /* of the enclosing regions */
    int first;              /* the first node after those of the loop's head */
    int outer, scope, side; /* scopes: enclosing the region, of the region, of the open side */
    int tile_count;         /* before a second walk */
    int64_t local_bytes;
    const char *arrived;
    bool has_barrier; /* a barrier precedes it, see passes/local_operands.c */
    int per_copy; /* iterations whose operands are copied together, see passes/local_operands.c; 0: not decided */
    bool counts;  /* some scalars advance with the index */
    bool changes; /* memory, or waits for that, see passes/opaque.c */
    int slots;
    xt_slot_ *slot;
    /* during writing */
    spe_id *ids;
    int id_count;
    int copies, copy; /* XT_FOR: of the body, per iteration of this loop; the current one, from 0 */
    int per_load; /* copies that share their loads, see lower/unroll.c */
    spe_id side_before; /* the side that the region is on */
    spe_id from, iteration;    /* the first index; of this iteration */
    int panel_ids;        /* vectors of panels that it carries behind the others */
    bool inner; /* the loop that is written has those iterations in which all its panels are, see lower/panels.c */
};

/* The operands of XT_INIT_TILE: the tile of the matrix that leading dimensions select from, the base as given, the
 * offsets of a scatter tile, the offset of this subgroup's first piece, the distance to the selected matrix in
 * elements; and, see xt_given_, what the user gave for each dimension. Those that it lacks are 0. */
enum { XT_INIT_MATRIX_, XT_INIT_BASE_, XT_INIT_SCATTER_, XT_INIT_PIECE_, XT_INIT_DISTANCE_ = 5, XT_INIT_GIVEN_ };
typedef enum { XT_GIVEN_OFFSET_, XT_GIVEN_SHAPE_, XT_GIVEN_STRIDES_ } xt_given_list_;

/* The operands of accesses. Those that they lack are 0. */
enum { XT_ACCESS_TILE_, XT_ACCESS_MASK_, XT_ACCESS_VEC_ };

/* Those of products. */
enum { XT_MMA_SUM_, XT_MMA_LEFT_, XT_MMA_RIGHT_, XT_MMA_SCALE_A_, XT_MMA_SCALE_B_, XT_MMA_OPERANDS_ };

/* What a load has outside of the matrix, or where the mask is 0. */
typedef struct {
    double padding;
    xt_border border;
} xt_outside_;

/* An array in local memory; id: set by the first version of the body, used by all. */
typedef struct {
    int elements;
    spe_id id;
} xt_local_array_;

/* XT_TABLE. */
typedef struct {
    const double *reals; /* of a float type; else the other one */
    const int64_t *integers;
    spe_id *array; /* set by the first version of the body, used by all */
} xt_table_of_;

/* XT_EMIT and XT_EMIT_VEC. */
typedef struct {
    xt_emit_fn number;
    xt_emit_block_fn block;
    void *user;
} xt_users_fn_;

/* ---- results of passes for tiles: passes/block2d.c */

enum { XT_COMPONENTS_ = 6 }; /* scalars of a tile: offset, shape, pitch, base */

typedef struct {
    int parent; /* tiles that may replace each other form a class */
    bool used;
    bool differs_by_subgroup;          /* subgroups may have it at different positions */
    bool lines_in_body;     /* the number of lines of its matrix is computed in the body */
    bool shared_addresses; /* in a class with others, or its elements are accessed by their addresses */
    int band;            /* elements between bands of an array in local memory, see passes/bands.c; 0: it has rows */
    int align[2];        /* divisors of the tile's offset at all times */
    const char *why_not; /* NULL: 2D block messages can access it */
    const xt_node_ *of;  /* the XT_INIT_TILE */
    spe_id extent_id[2], pitch_id, test; /* 0 until written */
    /* in this version: offset, shape, pitch and base */
    spe_id made[XT_COMPONENTS_];
} xt_plan_tile_;

/* A requirement of 2D block messages: (value & mask) == 0, or value < below (bound: <=). narrow: of the low 32 bits
 * only. */
typedef struct {
    int tile;
    uint32_t value, below; /* below 0: use the mask */
    int mask;
    bool narrow, bound;
} xt_plan_offset_;

/* Alignment of arrays in local memory, in bytes. All versions of the body use the same arrays. */
enum { XT_LOCAL_ALIGN_ = 64 };

/* The most lanes of a subgroup, and a set of lanes, one bit for each. */
enum { XT_LANES_MAX_ = CM_LANES };
typedef uint64_t xt_lanes_;

/* Values that depend only on the subgroup. Each is computed once, before the body, and found by its key. */
typedef enum { XT_ONCE_PIECE_OFFSET_, XT_ONCE_FIRST_ } xt_once_kind_;
typedef struct {
    xt_once_kind_ kind;
    unsigned char key[32];
    spe_id id; /* 0: not yet */
} xt_once_;

XETILE_PRIVATE SPE_PRINTF(3, 4) bool xt_fail_(xt_where_ w, int id, const char *format, ...);
/* The same, returning a lost number or vector instead of false. */
#define XT_FAIL_NUMBER_(...) (xt_fail_(__VA_ARGS__), xt_nothing_())
#define XT_FAIL_VEC_(...) (xt_fail_(__VA_ARGS__), xt_no_vec_())

/* ---- passes/local_operands.c, lower/copy_in.c, lower/local_operands.c */

/* Dwords along k in a plane; dwords of a message per lane. Up to so many units of a subgroup are all loaded before the
 * first one is stored; more would take too many registers. */
enum { XT_PLANE_ = 8, XT_STAGE_MOST_ = 16, XT_EAGER_ = 4 };

/* How an operand, or its transpose, is loaded through local memory. Lines are those of memory. Positions and sizes in
 * local memory are in dwords. */
typedef struct {
    int node;
    const xt_tile *from;
    const xt_tile *to;      /* of a copy: the tile in local memory that it is stored to; else NULL */
    bool transposed, converts;  /* the vector is the tile's transpose; f32 converted to 16 bits */
    cm_type type;           /* of the operand */
    uint32_t loaded;        /* the vector that it is of, or itself */
    bool first, last;       /* among the loads that share a barrier */
    bool again, shared;     /* in a region that may repeat; uses the memory for moves between subgroups */
    const xt_frame_ *loop;  /* the innermost one, if it counts, unless the operand is sliced; NULL: none */
    cm_use use;
    int bytes, local_bytes;  /* per element, in memory and in local memory */
    int subgroups;           /* number that copy the tile */
    int slices;              /* of k, each loaded and multiplied after the other; 1: all at once */
    int parts;               /* iterations of a loop that are copied together, one part of the operand each */
    xt_dist dist;            /* of the vector, or of a slice of it */
    bool along_k;            /* lines run along k; */
    int weave;               /* otherwise, lines that share a dword */
    int classes, wide, high; /* classes of lines; a message's dwords and lines */
    int chunks[2], units;    /* messages per class, down and across; per tile (`weave` of them count as one) */
    bool from_first_class, aligned;    /* the tile begins at a multiple of the classes; and of a dword along lines */
    bool by_lines;           /* a lane holds a line of a message; otherwise, a dword of each line */
    bool mixed;              /* dwords along k are stored in another order, see xt_stage_slot_ */
    int line, plane, depth;  /* dwords of a row in a plane; distance between planes; size along k, in dwords */
    int across;              /* rows or columns, these rounded up to whole operands */
    int rows_per_read, gap;  /* rows that one read covers; unused dwords after them */
    int at, dwords, buffers; /* of its first buffer; their number */
    /* during writing */
    spe_id slice; /* its distance along k; 0: the first */
    xt_tile tile;
    spe_id address, lines, width, pitch, pitch_of_class; /* of its matrix, in bytes; see xt_stage_matrix_ */
    spe_id pitch_again; /* the same for Intel's compiler to take for another: a line's second message has a header of
                         * its own then */
    spe_id *got;
} xt_stage_;

/* ---- passes/opaque.c, lower/panels.c */

enum { XT_PANEL_BLOCKS_ = 32 }; /* that a lane copies at most */

/* An operand of the device's matrices that the work-group copies to local memory, as its lines lie in memory. */
typedef struct {
    int node;               /* the load */
    const xt_tile *from;
    const xt_frame_ *loop;  /* whose iterations fetch the tile of the next; NULL: the load fetches */
    int lines, chunks;      /* of memory; vectors of 16 bytes in a line */
    int pitch, at;          /* in local memory, in vectors: from line to line, and where the first begins */
    int units;              /* vectors that a lane copies */
    int burst, blocks;       /* if lines are not aligned: those that follow one another; blocks in which all lie */
    bool ends_unseen;       /* what is outside of the matrix where the loop does not move it, see passes/outside.c */
    bool kept;              /* from the load on it is matrices, of which local memory keeps no copy */
    cm_use use;             /* of these */
    spe_id *got;            /* during writing: what was fetched, and room for the vectors of these */
    const spe_id *vectors;  /* these */
} xt_panel_;

/* ---- lower/strips.c */

/* A strip of a block: rows and columns of the tile's, in whole matrices; in local memory column by column. */
typedef struct {
    int rows, cols, pitch; /* elements from column to column */
    cm_layout plain;       /* of the strip as a vector of lanes */
    int parts, band;        /* its parts, and those of a block's band of columns */
    spe_id ptr, vector;    /* to its first element in local memory; the number of the vector with it */
} xt_opaque_strip_;

/* ---- ir/vectors.c */

/* A piece is cut along both sides into powers of two, columns in multiples of the lanes, as memory accesses and
 * products need them; a subgroup's vector consists of the blocks of its pieces in order. */
typedef struct {
    xt_cut_ cut[2];
    int rounds[2], data[2], stride[2], blocks; /* stride: from one piece of a subgroup to the next */
} xt_grid_;

/* An iterator over blocks: for (xt_block_ b = xt_blocks_(x, &dist); xt_next_block_(&b);) ... */
typedef struct {
    xt_grid_ grid;
    int i;
    int row, col, rows, cols; /* relative to the subgroup's first piece */
    int valid;                /* columns inside the piece; the others are undefined and never stored */
    int packed[2];            /* its row and column in the concatenation of the subgroup's pieces */
} xt_block_;

/* A block of a product's result: of rounds of m and n, and blocks of m and n; v: the operands; c: what is added, or
 * NULL. */
typedef cm_matrix (*xt_product_fn_)(xt_ctx *x, const xt_fragments_ *v, const xt_grid_ *ga, const xt_grid_ *gb,
                                    const int at[4], cm_type type, const cm_matrix *c);

/* Errors to report if two vectors differ in one of these; 0: they may differ. */
typedef struct {
    int shape, type, blocks, map;
} xt_same_errors_;

/* ---- lower/chooser.c */

/* Accesses other than loads, which are numbered by the layout they load, cm_use. */
enum { XT_STORED_ = CM_OPAQUE_B + 1, XT_FETCHED_, XT_VISITED_ };

/* Blocks of a tile; of them, those accessed by messages; why not all. */
typedef struct {
    int blocks, by_messages;
    const char *why;
} xt_access_;

/* ---- ir/operations.c */

typedef struct {
    const char *name;
    int operands, on_float; /* instruction on floats */
} xt_math_row_;

/* ---- lower/lanes.c */

/* The part of a vector that a subgroup holds, as one rows x cols array (its pieces concatenated): for each element, the
 * component (a scalar per lane) and the lane that hold it. */
typedef struct {
    int rows, cols, comps, capacity;
    int type; /* the arithmetic type of the components: xt_wide_type_ of the vector's */
    spe_id *comp;
    int *where; /* as for cm_pick */
    cm_picker picker;
} xt_field_;

/* Where elements of a result come from: (i, j) is the operand's (i / divisor[0] + shift[0], j / divisor[1] + shift[1]),
 * with rows and columns swapped if transposed. */
typedef struct {
    bool transposed;
    int divisor[2], shift[2];
    bool in_order; /* instead: another shape, with elements in row-major order */
} xt_source_;
#define XT_SAME_ELEMENT_ {false, {1, 1}, {0, 0}, false}

/* A kind of reduction: the operation, and for integers, how it reads them. */
typedef struct {
    const char *name;
    spe_arith_op op;
    spe_number_kind number;
    int takes; /* XT_RMW_INT_, XT_RMW_FLOAT_ */
    bool nan_wins; /* and -0 is less than 0 */
} xt_red_row_;

/* A kind of atomic operation. */
typedef struct {
    const char *name;
    int takes, op; /* op: spe_atomic_op, or XT_RMW_LOOP_ */
    int combine;   /* an xt_red_ (for floats, -0 is less than 0); XT_RED_COUNT_: the operand */
} xt_rmw_row_;

/* XT_ATOMIC_RMW. */
typedef struct {
    xt_rmw_kind_ kind;
    uint32_t scope;
} xt_rmw_;

/* The elements that are reduced to one: `size` neighbours along dim, by a kind of reduction. */
typedef struct {
    int kind, dim, size;
    spe_id (*combine)(spe_module *m, int kind, int type, spe_id a, spe_id b);
} xt_group_;

/* ---- lower/scratch.c */

/* The operands of an operation on a vector as a whole: the vector; the same result, as computed by parts, or of a scan
 * the totals before each piece (0: none). */
enum { XT_MOVE_VEC_, XT_MOVE_PART_ };

/* Such an operation. A step of a reduction has groups of `size` within each subgroup's pieces; scans
 * are of each piece separately. Elements move within registers if each subgroup holds what it needs. */
typedef struct {
    int dim, size;
    xt_map given, source; /* the maps as written by the user */
    bool exclusive;
    xt_source_ from;
    const int *origin; /* see xt_origins_; NULL: elements move between subgroups */
    bool reloaded;        /* then the operand is loaded again, see passes/reloads.c */
} xt_move_;

/* One buffer serves all such operations of a kernel; vectors that do not fit take several passes over rows. */
typedef struct {
    xt_source_ from;                /* a divisor other than 1 repeats a single row or column */
    int pitch, bytes, height, rows; /* bytes: per element; rows: of the source's height, per pass */
} xt_scratch_;

/* The vector that a value is or contains (the offsets of a scatter tile); NULL if there is none. In masks of changes it
 * is bit XT_VEC_CHANGES_; bits from XT_COUNTS_SHIFT_ on are scalars that advance with the loop index. */
enum { XT_VEC_CHANGES_ = 1 << XT_COMPONENTS_, XT_COUNTS_SHIFT_ = 16 };

/* ---- nodes */

struct xt_node_ {
    xt_op_ op;
    void (*write)(xt_ctx *x, const xt_node_ *n); /* in this version */
    int kind;        /* which of the operations that share the name: spe_arith_op, xt_math_op_, ... */
    bool part;       /* part of a larger operation, whose node follows its parts */
    int divergence;      /* of the enclosing regions, see xt_value_ */
    xt_frame_ *in;   /* the innermost of these, or the one that the node begins or ends; NULL: none */
    uint32_t result; /* the value it produces; 0: none, or those of a region */
    const char *file;
    int line;
    int type;        /* the common type of operands, or that of the result; the number of dimensions of XT_INIT_TILE */
    int operands;
    const uint32_t *operand; /* values */
    union { /* attributes */
        void *about;
        const xt_outside_ *outside;
        const int *locality;
        xt_move_ *move;
        const xt_map *maps; /* of a product: as given for a, b, c and the result */
        const xt_users_fn_ *users;
        xt_local_array_ *local;
        const xt_table_of_ *table;
        xt_frame_ *frame;
        const xt_dist *dist;
    };
};

/* ---- passes/vulkan.c */

/* What only the matrices of Vulkan's devices need, and calls through x->vulkan: programs that include nothing of Vulkan
 * compile without it. */
typedef struct xt_vulkan_part_ {
    void (*find)(xt_ctx *x);
    bool (*is_product)(xt_ctx *x, const xt_node_ *n);
    void (*make_memory)(xt_ctx *x);
    bool (*write)(xt_ctx *x, const xt_node_ *n);
    bool (*write_load)(xt_ctx *x, const xt_node_ *n);
    bool (*store)(xt_ctx *x, const xt_tile *t, const xt_fragments_ *v);
    cm_matrix (*convert)(xt_ctx *x, const xt_fragments_ *v, int block, cm_use use);
    xt_fragments_ (*splat)(xt_ctx *x, uint32_t id, cm_use use, spe_id scalar);
    xt_fragments_ (*vec)(xt_ctx *x, uint32_t id);
    int (*parts)(xt_ctx *x, uint32_t id);
    int (*panel_ids)(xt_ctx *x, const xt_frame_ *f);
    void (*carry)(xt_ctx *x, const xt_frame_ *f, bool to_ids);
    spe_id (*enter)(xt_ctx *x, xt_frame_ *f, spe_id from, spe_id to);
    void (*iterate)(xt_ctx *x, const xt_frame_ *f, spe_id to);
    void (*wait)(xt_ctx *x);
} xt_vulkan_part_;

#if defined(XETILE_STATIC_) && !defined(__cplusplus) /* a tentative definition: NULL unless passes/vulkan.c follows */
static const xt_vulkan_part_ *const xt_vulkan_here_;
#define XT_VULKAN_PART_ xt_vulkan_here_
#else
XETILE_PRIVATE const xt_vulkan_part_ *xt_vulkan_(void);
#define XT_VULKAN_PART_ xt_vulkan_()
#endif

XETILE_COLD_

/* ir/context.c - a build: errors, memory, types and properties of values. */

XE_FN_ const spe_reporter *xt_errors_(void)
{
#define XT_ERROR_ROW_(name, text) {"XT_ERROR_" #name, text},
    static const spe_error_row rows[] = {XT_ERRORS_(XT_ERROR_ROW_)};
    static const spe_reporter errors = SPE_REPORTER(XT, "xetile.h", rows);
    return &errors;
}

const char *xt_error_text(int id) { return spe_reporter_text(xt_errors_(), id); }
const char *xt_error_name(int id) { return spe_reporter_name(xt_errors_(), id); }

XE_FN_ spe_site xt_site_(xt_where_ w) { return spe_site_of(&w.x->m, xt_errors_(), w.at->file, w.at->line); }

XE_FN_ void *xt_memory_(xt_ctx *x, size_t bytes) { return spe_alloc(&x->m, bytes); }

/* Records an error at the user's line, at most one of a kind per line, and not too many. Operations on the result of a
 * failed operation are silent, see xt_is_lost_. Returns false, for the caller to return. */
XE_FN_ bool xt_fail_(xt_where_ w, int id, const char *format, ...)
{
    enum { MOST = 20 };
    spe_list *list = &w.x->errors;
    spe_error none = w.x->m.error, found, *e;
    va_list args;
    for (int i = 0; i < list->count; i++) {
        e = (spe_error *)list->items + i;
        if (e->id == id && e->line == w.at->line && strcmp(e->file, w.at->file) == 0) return false;
    }
    if (!spe_ok(&w.x->m) || list->count == MOST ||
        (w.x->again && id != XT_ERROR_UNLISTED && id != XT_ERROR_NOT_UNIFORM))
        return false;
    va_start(args, format);
    spe_vreport(xt_site_(w), id, format, args);
    va_end(args);
    found = w.x->m.error;
    w.x->m.error = none;
    e = (spe_error *)spe_list_add(&w.x->m, list, sizeof *e);
    if (e) *e = found;
    return false;
}

/* Moves the errors to the module, in order. False if there were any. */
XE_FN_ bool xt_report_(xt_ctx *x)
{
    spe_error *all = (spe_error *)x->errors.items;
    int n = x->errors.count;
    if (n && spe_ok(&x->m)) {
        for (int i = 1; i < n; i++) all[i - 1].next = &all[i];
        x->m.error = all[0];
    }
    return spe_ok(&x->m);
}

/* Called at the start of every operation: errors of the lower headers get the user's line. False if out of memory. */
XE_FN_ bool xt_enter_(xt_where_ w)
{
    spe_at(&w.x->m, w.at->file, w.at->line);
    return spe_ok(&w.x->m);
}

XE_FN_ int xt_least_(int a, int b) { return a < b ? a : b; }

/* The contiguous dimension. */
XE_FN_ int xt_inner_(const xt_tile *t) { return t->column_major ? 0 : 1; }

/* NULL for conditions. A C constant counts as i32 or f32. */
XE_FN_ const cm_type_row *xt_type_row_(int type)
{
    return cm_type_info((cm_type)(type == -SPE_INT ? CM_I32 : type == -SPE_REAL ? CM_F32 : type));
}

XE_FN_ const char *xt_type_name_(int type)
{
    return type == XT_BOOL_ ? "i1" : xt_type_row_(type) ? xt_type_row_(type)->name : "no type";
}

XE_FN_ bool xt_is_float_(int type) { return type < XT_BOOL_ && xt_type_row_(type)->kind == CM_KIND_FLOAT; }
/* Floats that are only moved, cast and multiplied as matrices. */
XE_FN_ bool xt_is_small_(int type)
{
    return type == CM_E4M3 || type == CM_E5M2 || type == CM_E2M1 || type == CM_E8M0;
}
XE_FN_ bool xt_is_int_(int type) { return type < XT_BOOL_ && xt_type_row_(type)->kind == CM_KIND_INT; }
XE_FN_ bool xt_is_signed_(int type) { return type < XT_BOOL_ && xt_type_row_(type)->is_signed; }
XE_FN_ int xt_bits_(int type) { return type == XT_BOOL_ ? 1 : xt_type_row_(type)->bytes * 8; }

/* The type of a vector's or tile's elements in coopmatrix.h: an i1 is a byte, 0 or 1. */
XE_FN_ cm_type xt_storage_type_(int type) { return type == XT_BOOL_ ? CM_U8 : (cm_type)type; }

/* Bytes of such an element. */
XE_FN_ int xt_bytes_(int type) { return cm_type_info(xt_storage_type_(type))->bytes; }

/* The type of a number for an element type of memory or vectors: f32 for floats stored as bits. */
XE_ONCE_
XE_FN_ int xt_number_type_(int type)
{
    return type == CM_BF16 || xt_is_small_(type) || type == CM_TF32 ? (int)CM_F32 : type;
}

/* The SPIR-V type that holds a scalar of this type. */
XE_FN_ spe_id xt_spe_type_(xt_ctx *x, int type)
{
    return type == XT_BOOL_ ? spe_bool(&x->m) : cm_storage_type(&x->cm, (cm_type)type);
}

xt_any_ xt_any_val_(xt_val v)
{
    xt_any_ a = XT_ZERO_;
    a.val = v;
    return a;
}

xt_any_ xt_any_vec_(xt_vec v)
{
    xt_any_ a = XT_ZERO_;
    a.is_vec = true;
    a.vec = v;
    return a;
}

xt_any_ xt_any_int_(long long i) { return xt_any_val_(spe_val_int(i)); }
xt_any_ xt_any_uint_(unsigned long long u) { return xt_any_val_(spe_val_uint(u)); }
xt_any_ xt_any_real_(double d) { return xt_any_val_(spe_val_real(d)); }
xt_any_ xt_any_float_(float f) { return xt_any_val_(spe_val_float(f)); }

/* Too large a count is reported by the operation that receives the index. */
xt_index xt_at_(int n, const xt_val *at)
{
    xt_index x;
    int most = (int)(sizeof x.at / sizeof *x.at);
    memset(&x, 0, sizeof x);
    x.count = n;
    memcpy(x.at, at, (size_t)(n < most ? n : most) * sizeof *at);
    return x;
}

/* The type for sums of a type: floats below 32 bits are summed in f32. */
XE_FN_ int xt_wide_type_(int type)
{
    return type == CM_F16 || type == CM_BF16 ? CM_F32 : (int)xt_storage_type_((cm_type)type);
}

/* Bytes of registers of a subgroup, with those per thread that were chosen. */
XE_FN_ int xt_register_bytes_(const xt_ctx *x)
{
    return cm_has_two_register_modes(&x->target) && x->registers <= 128 ? x->target.registers / 2 : x->target.registers;
}

/* Work-items per work-group. */
XE_FN_ int xt_group_size_(const xt_ctx *x) { return x->S * (x->subgroups ? x->subgroups : 1); }

/* ir/maps.c - maps: the part of a tile that each subgroup owns (host only). */

XE_FN_ bool xt_has_map_(const xt_map *map)
{
    return map->sg_layout[0] || map->sg_layout[1] || map->sg_data[0] || map->sg_data[1];
}

XE_FN_ bool xt_same_map_(const xt_map *a, const xt_map *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* One dimension. "sg_layout times sg_data must be divisible by the tile or vice versa." */
XE_FN_ int xt_dist_dim_(xt_dist *d, int dim, int tile, int layout, int data)
{
    if (tile < 1) return XT_ERROR_TILE_SIZE;
    if (layout < 1 || data < 1) return XT_ERROR_MAP_VALUES;
    if (layout > 1 << 12 || data > 1 << 15 || tile > 1 << 20) return XT_ERROR_TILE_SIZE;
    if (tile % data || (tile % (layout * data) && layout * data % tile)) return XT_ERROR_MAP_FIT;
    d->shape[dim] = tile;
    d->layout[dim] = layout;
    d->data[dim] = data;
    d->count[dim] = tile / data;
    d->rounds[dim] = layout * data < tile ? tile / (layout * data) : 1;
    return 0;
}

int xt_dist_init(xt_dist *d, int rows, int cols, const xt_map *map)
{
    bool mapped = map && xt_has_map_(map);
    memset(d, 0, sizeof *d);
    int error = xt_dist_dim_(d, 0, rows, mapped ? map->sg_layout[0] : 1, mapped ? map->sg_data[0] : rows);
    if (!error) error = xt_dist_dim_(d, 1, cols, mapped ? map->sg_layout[1] : 1, mapped ? map->sg_data[1] : cols);
    d->subgroups = mapped && !error ? d->layout[0] * d->layout[1] : 0;
    return error;
}

int xt_dist_pieces(const xt_dist *d) { return d->rounds[0] * d->rounds[1]; }

void xt_dist_offset(const xt_dist *d, int subgroup, int number, int *row, int *col)
{
    int s0 = subgroup / d->layout[1] % d->layout[0], s1 = subgroup % d->layout[1];
    int r0 = number / d->rounds[1], r1 = number % d->rounds[1];
    *row = (s0 + r0 * d->layout[0]) % d->count[0] * d->data[0];
    *col = (s1 + r1 * d->layout[1]) % d->count[1] * d->data[1];
}

bool xt_dist_owns(const xt_dist *d, int subgroup, int row, int col)
{
    int r, c;
    for (int n = 0; n < xt_dist_pieces(d); n++) {
        xt_dist_offset(d, subgroup, n, &r, &c);
        if (row >= r && row < r + d->data[0] && col >= c && col < c + d->data[1]) return true;
    }
    return false;
}

/* A map with other pieces along one dimension. */
XE_FN_ xt_map xt_map_with_(xt_map m, int dim, int data)
{
    m.sg_data[dim] = data;
    return m;
}

xt_map xt_map_mma_a(const xt_map *result, int k) { return xt_map_with_(*result, 1, k); }
xt_map xt_map_mma_b(const xt_map *result, int k) { return xt_map_with_(*result, 0, k); }

xt_map xt_map_reduction(const xt_map *source, int dim, int reduction_size)
{
    int data = source->sg_data[dim];
    if (!xt_has_map_(source)) return *source;
    return xt_map_with_(*source, dim, data % reduction_size ? 1 : data / reduction_size);
}

xt_map xt_map_broadcast(const xt_map *result, int dim, int broadcast_size)
{
    int data = result->sg_data[dim];
    if (!xt_has_map_(result)) return *result;
    return xt_map_with_(*result, dim, data < broadcast_size ? 1 : data / broadcast_size);
}

xt_map xt_map_transpose(const xt_map *map)
{
    xt_map m = {{map->sg_layout[1], map->sg_layout[0]}, {map->sg_data[1], map->sg_data[0]}};
    return m;
}

/* A map as text, for messages. */
XE_FN_ xt_text_ xt_map_text_(const xt_map *m)
{
    xt_text_ t = {"no map"};
    if (xt_has_map_(m))
        snprintf(t.s, sizeof t.s, "sg_layout {%d, %d} sg_data {%d, %d}", m->sg_layout[0], m->sg_layout[1],
                 m->sg_data[0], m->sg_data[1]);
    return t;
}

XE_FN_ void xt_cut_side_(xt_cut_ *cut, int side, int unit)
{
    int at = 0, size = XT_CUT_LARGEST_;
    while (unit / 2 >= side) unit /= 2;
    side = (side + unit - 1) / unit * unit;
    cut->n = 0;
    while (at < side && cut->n < XT_CUT_MAX_) {
        while (size > side - at) size /= 2;
        cut->size[cut->n] = size;
        cut->at[cut->n++] = at;
        at += size;
    }
}

/* ir/proposals.c - tiles for a product on a target (host only): a row of a table for each kind of device, made smaller
 * until work-group, registers and matrices fit. Every decision leaves a reason. */

/* A large product: subgroups of a work-group, rows and columns of C of each, step along K. */
typedef struct {
    int layout[2], data[2], k, prefetch;
    const char *why;
} xt_shape_;

enum { XT_WORDS_, XT_HALVES_, XT_BYTES_ }; /* sums of 16 bits are XT_HALVES_, products of bytes XT_BYTES_ */

/* Devices that load lines by block messages: what Intel's compiler makes the fewest instructions of without a spill,
 * with 128 registers and with 256, for tiles that are inside of their matrices, and for tiles that are checked, where
 * each lane has an address and a test of its own (`make check-intel-shapes` counts). */
typedef struct {
    bool large, inside;
    int kind;
    xt_shape_ shape;
} xt_lines_shape_;

XE_ONCE_
XE_FN_ const xt_shape_ *xt_lines_shape_for_(bool large, bool inside, int kind)
{
    static const char fma[] = "FMA with lines by block messages in subgroups of 8",
                      dp4a[] = "dp4a with lines by block messages in subgroups of 8",
                      checked_fma[] = "FMA in subgroups of 8, each access checked",
                      checked_dp4a[] = "dp4a in subgroups of 8, each access checked";
    static const xt_lines_shape_ shapes[] = {
        {false, true, XT_WORDS_, {{4, 4}, {16, 32}, 8, 0, fma}},
        {false, true, XT_HALVES_, {{4, 4}, {16, 32}, 8, 0, fma}},
        {false, true, XT_BYTES_, {{4, 4}, {32, 16}, 32, 0, dp4a}},
        {false, false, XT_WORDS_, {{4, 4}, {16, 16}, 8, 0, checked_fma}},
        {false, false, XT_HALVES_, {{4, 4}, {8, 16}, 8, 0, checked_fma}},
        {false, false, XT_BYTES_, {{4, 4}, {8, 8}, 32, 0, checked_dp4a}},
        {true, true, XT_WORDS_, {{4, 4}, {32, 32}, 16, 0, fma}},
        {true, true, XT_HALVES_, {{4, 4}, {16, 32}, 16, 0, fma}},
        {true, true, XT_BYTES_, {{4, 4}, {48, 32}, 32, 0, dp4a}},
        {true, false, XT_WORDS_, {{4, 4}, {16, 32}, 8, 0, checked_fma}},
        {true, false, XT_HALVES_, {{4, 4}, {16, 16}, 8, 0, checked_fma}},
        {true, false, XT_BYTES_, {{4, 4}, {16, 32}, 32, 0, checked_dp4a}},
    };
    const xt_lines_shape_ *s = shapes;
    while (s->large != large || s->inside != inside || s->kind != kind) s++;
    return &s->shape;
}

XE_FN_ const xt_shape_ *xt_shape_for_(const cm_target *t, const xt_product *p, bool dpas, bool opaque)
{
    static const xt_shape_ with_matrices = {{2, 2}, {64, 64}, 32, 0, "cooperative matrices and local memory"};
    static const xt_shape_ with_messages = {{8, 4}, {32, 64}, 32, 3, "matrix instruction and 2D block messages"};
    static const xt_shape_ with_dpas = {{8, 4}, {16, 16}, 32, 0, "matrix instruction, operands loaded by lanes"};
    static const xt_shape_ plain = {{4, 4}, {8, 32}, 16, 0, "no matrix instruction for these types: FMA"};
    static const xt_shape_ plain_large = {{4, 4}, {16, 32}, 16, 0, "no matrix instruction for these types: FMA"};
    static const xt_shape_ other = {{4, 2}, {16, 32}, 16, 0, "a device that is not Intel's: FMA"};
    const bool bytes = xt_bytes_(p->a - 1) == 1 && xt_bytes_(p->b - 1) == 1 && xt_is_int_(p->a - 1);
    if (dpas) return t->block2d_sizes ? &with_messages : &with_dpas;
    if (opaque) return &with_matrices;
    if (t->block1d && xt_bytes_(p->a - 1) <= 4)
        return xt_lines_shape_for_(cm_has_two_register_modes(t), p->inside,
                                   bytes                                ? XT_BYTES_
                                   : p->c && xt_bytes_(p->c - 1) == 2 ? XT_HALVES_
                                                                        : XT_WORDS_);
    return t->vulkan ? &other : t->registers >= 1 << 14 ? &plain_large : &plain;
}

SPE_PRINTF(2, 3)
XE_FN_ void xt_because_(xt_tiles *t, const char *format, ...)
{
    size_t used = strlen(t->why);
    va_list args;
    va_start(args, format);
    vsnprintf(t->why + used, sizeof t->why - used, format, args);
    va_end(args);
}

/* Are operands loaded by lanes that have addresses and tests of their own, by a device that multiplies f32? */
XE_FN_ bool xt_is_checked_(const xt_product *p, const cm_target *target) { return target->block1d && !p->inside; }

/* Bytes of registers that a subgroup needs: its sums, what it holds beside them, and one step of both operands, of f32
 * where these are multiplied. Lines of A that block messages load are read as they are used. */
XE_FN_ int64_t xt_piece_bytes_(const xt_product *p, const cm_target *target, const int data[2], int k)
{
    int a = xt_bytes_(p->a - 1), b = xt_bytes_(p->b - 1), sum = p->c ? xt_bytes_(p->c - 1) : 4;
    if (xt_is_checked_(p, target) && !xt_is_int_(p->a - 1)) a = a < 4 ? 4 : a, b = b < 4 ? 4 : b;
    int rows = target->block1d && p->inside && data[0] > 8 ? 8 : data[0];
    return (int64_t)data[0] * data[1] * (sum < 4 ? 4 : sum) * (1 + p->live) + (int64_t)k * (rows * a + data[1] * b) +
           p->extra;
}

XE_FN_ bool xt_halve_(int *what, int least)
{
    if (*what / 2 < least) return false;
    *what /= 2;
    return true;
}

/* Fewer subgroups and smaller pieces where the matrix is smaller than the tile. */
XE_FN_ void xt_fit_matrix_(xt_tiles *t, xt_shape_ *s, const int size[2], const int least[2])
{
    for (int d = 0; d < 2; d++) {
        const int before = s->layout[d] * s->data[d];
        while (size[d] && s->layout[d] * s->data[d] / 2 >= size[d])
            if (!xt_halve_(&s->layout[d], 1) && !xt_halve_(&s->data[d], least[d])) break;
        if (s->layout[d] * s->data[d] < before)
            xt_because_(t, "; %d %s of %d, as C has %d", s->layout[d] * s->data[d], d ? "columns" : "rows", before,
                        size[d]);
    }
}

/* Fewer rows or columns of a subgroup, unless they are given; of a given work-group, more subgroups. */
XE_FN_ bool xt_halve_piece_(xt_shape_ *s, const xt_product *p, int d, int least)
{
    if ((d ? p->sg_cols : p->sg_rows) || !xt_halve_(&s->data[d], least)) return false;
    if (d ? p->cols : p->rows) s->layout[d] *= 2;
    return true;
}

/* A smaller piece, if registers have no room for this one. What the caller gave stays. */
XE_FN_ bool xt_shrink_(xt_shape_ *s, const xt_product *p, const int least[2])
{
    const int d = s->data[1] > s->data[0] && s->data[1] > least[1];
    return xt_halve_piece_(s, p, d, least[d]) || xt_halve_piece_(s, p, !d, least[!d]) ||
           (!p->step && xt_halve_(&s->k, 8));
}

XE_FN_ void xt_fit_device_(xt_tiles *t, xt_shape_ *s, const xt_product *p, const cm_target *target, const int least[2])
{
    /* addresses and tests of lanes take a quarter of 4 KB; of 8 KB, three eighths, as pieces and so lines are more */
    const int eighths = !xt_is_checked_(p, target) ? 8 : target->registers > 4096 ? 5 : 6;
    const int bytes = target->registers / 8 * eighths;
    bool shrunk = false;
    while (xt_piece_bytes_(p, target, s->data, s->k) > bytes && xt_shrink_(s, p, least)) shrunk = true;
    xt_product loop = *p;
    loop.live = 0; /* what else is live comes after the loop */
    bool large = target->block1d || xt_piece_bytes_(&loop, target, s->data, s->k) > bytes / 2;
    t->registers = large && target->build_flags[0] ? 256 : 0;
    int most = target->max_group_size / t->subgroup_size / (t->registers ? 2 : 1);
    if (p->max_subgroups && p->max_subgroups < most) most = p->max_subgroups;
    const int before = s->layout[0] * s->layout[1];
    while (s->layout[0] * s->layout[1] > most) { /* towards a square */
        bool wide = s->layout[1] * s->data[1] > s->layout[0] * s->data[0];
        if (!xt_halve_(&s->layout[wide], 1)) xt_halve_(&s->layout[!wide], 1);
    }
    xt_because_(t, "; a piece of %d x %d and a step of %d take %d of %d bytes of registers%s", s->data[0], s->data[1],
                s->k, (int)xt_piece_bytes_(p, target, s->data, s->k), bytes,
                shrunk ? ", a larger one does not fit" : "");
    if (s->layout[0] * s->layout[1] < before)
        xt_because_(t, "; %d subgroups of %d, as a work-group has room for %d", s->layout[0] * s->layout[1], before,
                    most);
}

/* What the caller decided. */
XE_FN_ void xt_take_explicit_(xt_tiles *t, xt_shape_ *s, const xt_product *p)
{
    if (p->sg_rows) s->data[0] = p->sg_rows;
    if (p->sg_cols) s->data[1] = p->sg_cols;
    if (p->step) s->k = p->step;
    if (p->rows && s->data[0] > p->rows && !p->sg_rows) s->data[0] = p->rows;
    if (p->cols && s->data[1] > p->cols && !p->sg_cols) s->data[1] = p->cols;
    if (p->rows) s->layout[0] = p->rows < s->data[0] ? 1 : p->rows / s->data[0];
    if (p->cols) s->layout[1] = p->cols < s->data[1] ? 1 : p->cols / s->data[1];
    if (p->rows || p->cols || p->sg_rows || p->sg_cols || p->step) xt_because_(t, "; sizes as given");
}

XE_FN_ xt_map xt_map_of_(int layout0, int layout1, int data0, int data1)
{
    xt_map map = {{layout0, layout1}, {data0, data1}};
    return map;
}

/* Each subgroup fetches an equal part: whole lines of A; of B, bands of eight lines, or of fewer where the parts would
 * be narrower than 16 columns. */
XE_FN_ void xt_make_maps_(xt_tiles *t, const xt_shape_ *s)
{
    int all = s->layout[0] * s->layout[1], bands = s->k / 8;
    t->rows = s->layout[0] * s->data[0];
    t->cols = s->layout[1] * s->data[1];
    t->k = s->k;
    t->a = xt_map_of_(s->layout[0], s->layout[1], s->data[0], s->k);
    t->b = xt_map_of_(s->layout[0], s->layout[1], s->k, s->data[1]);
    t->c = xt_map_of_(s->layout[0], s->layout[1], s->data[0], s->data[1]);
    while (bands > 1 && (all % bands || s->k % bands)) bands--;
    while (bands > 0 && t->cols / (all / bands) < 16 && all % (2 * bands) == 0 && s->k % (2 * bands) == 0) bands *= 2;
    bool fits = t->rows % all == 0 && bands > 0 && all % bands == 0 && t->cols % (all / bands) == 0;
    t->prefetch = fits ? s->prefetch : 0;
    t->fetch_a = fits ? xt_map_of_(all, 1, t->rows / all, s->k) : t->a;
    t->fetch_b = fits ? xt_map_of_(bands, all / bands, s->k / bands, t->cols / (all / bands)) : t->b;
}

/* The target's usual subgroup size, or where the device lacks that, the least that it has. */
XE_ONCE_
XE_FN_ int xt_usual_size_(const cm_target *row, uint32_t sizes)
{
    if (!sizes || (sizes & (uint32_t)row->subgroup_size)) return row->subgroup_size;
    for (int size = 8; size <= 64; size *= 2) {
        if (sizes & (uint32_t)size) return size;
    }
    return row->subgroup_size;
}

xt_tiles xt_tiles_for(const xt_target *target, const xt_product *p)
{
    xt_tiles t;
    cm_target row;
    memset(&t, 0, sizeof t);
    const bool typed = p && p->a >= 1 && p->b >= 1;
    if (!typed || !target || !cm_target_row(target->name)) {
        xt_because_(&t, "no proposal: %s", typed ? "an unknown target" : "a product without types");
        return t;
    }
    row = *cm_target_row(target->name);
    if (target->max_group_size) row.max_group_size = (int)target->max_group_size;
    if (row.block1d) row.subgroup_size = 8;
    t.subgroup_size = p->subgroup_size ? p->subgroup_size : xt_usual_size_(&row, target->subgroup_sizes);
    const cm_product *product = cm_product_row((cm_type)(p->a - 1), (cm_type)(p->b - 1));
    bool dpas = cm_has_dpas(&row, product) && (row.dpas_sizes & (uint32_t)t.subgroup_size);
    const cm_type sum = p->c ? (cm_type)(p->c - 1) : product ? product->acc : CM_F32;
    const bool opaque = p->a == p->b && cm_coop_shape_of(&row, (cm_type)(p->a - 1), sum);
    xt_shape_ s = *xt_shape_for_(&row, p, dpas, opaque);
    const int size[2] = {p->m, p->n}, least[2] = {dpas || opaque ? 8 : 2, t.subgroup_size};
    if (s.data[1] < t.subgroup_size) s.data[1] = t.subgroup_size;
    xt_because_(&t, "%s: %s", row.name, s.why);
    if (product && product->type_a == CM_TF32) s.k = 16;
    xt_take_explicit_(&t, &s, p);
    if (!p->sg_rows && !p->sg_cols && !p->rows && !p->cols) xt_fit_matrix_(&t, &s, size, least);
    xt_fit_device_(&t, &s, p, &row, least);
    xt_make_maps_(&t, &s);
    if (t.prefetch) xt_because_(&t, "; prefetches %d steps ahead", t.prefetch);
    return t;
}

/* ir/operations.c - what is known of each operation and of the kinds that share one. */

/* Is it a product, whose operands begin with an xt_mma_desc_? */
XE_FN_ bool xt_is_mma_(xt_op_ op) { return op == XT_OP_TILE_MMA_ || op == XT_OP_TILE_MMA_SCALED_; }

/* As users write it. */
XE_FN_ const char *xt_operation_name_(xt_op_ op)
{
#define XT_OPERATION_NAME_(name, ...) "XT_" #name,
    static const char *const names[] = {XT_OPERATIONS_(XT_OPERATION_NAME_)};
    return names[op];
}

/* Has it one of these effects? */
XE_FN_ bool xt_does_(xt_op_ op, int effects)
{
#define XT_OPERATION_DOES_(name, function, does, ...) XT_DOES_##does,
    static const unsigned short all[] = {XT_OPERATIONS_(XT_OPERATION_DOES_)};
    return (all[op] & effects) != 0;
}

XE_FN_ const char *xt_op_name_(int op)
{
    static const char *const names[] = {"XT_ADD", "XT_SUB", "XT_MUL", "XT_DIV", "XT_MIN", "XT_MAX",
                                        "XT_MOD", "XT_AND", "XT_OR",  "XT_XOR", "XT_SHL", "XT_SHR",
                                        "XT_EQ",  "XT_NE",  "XT_LT",  "XT_LE",  "XT_GT",  "XT_GE"};
    return names[op]; /* indexed by spe_arith_op */
}

XE_FN_ bool xt_is_compare_(int op) { return op >= SPE_ARITH_EQ; }

XE_FN_ bool xt_is_shift_(int op) { return op == SPE_ARITH_SHL || op == SPE_ARITH_SHR; }
XE_FN_ bool xt_is_bitwise_(int op) { return op == SPE_ARITH_AND || op == SPE_ARITH_OR || op == SPE_ARITH_XOR; }

XE_FN_ const xt_math_row_ *xt_math_info_(int op)
{
#define XT_MATH_ROW_(name, n, instruction) {"XT_" #name, n, (int)SPE_##instruction},
    static const xt_math_row_ rows[] = {XT_MATH_(XT_MATH_ROW_)};
    return &rows[op];
}

/* 0: none. */
XE_FN_ int xt_math_instruction_(int op, int type)
{
    if (xt_is_small_(type) || type >= (int)CM_C32) return 0;
    if (op == XT_MATH_NATIVE_EXP2_ && type != CM_F32) op = XT_MATH_EXP2_;
    if (xt_is_float_(type)) return xt_math_info_(op)->on_float;
    return op != XT_MATH_ABS_ ? 0 : xt_is_signed_(type) ? (int)SPE_SABS : (int)SPE_UABS;
}

XE_ONCE_
XE_FN_ const xt_red_row_ *xt_red_info_(int kind)
{
#define XT_RED_ROW_(name, op, number, takes, nan_wins) {#name, SPE_##op, SPE_##number, XT_RMW_##takes, nan_wins},
    static const xt_red_row_ rows[] = {XT_RED_KINDS_(XT_RED_ROW_)};
    return &rows[kind];
}

XE_ONCE_
XE_FN_ const xt_rmw_row_ *xt_rmw_row_of_(xt_rmw_kind_ kind)
{
#define XT_RMW_ROW_(name, takes, op, combine) {#name, XT_RMW_##takes, (int)op, (int)combine},
    static const xt_rmw_row_ rows[] = {XT_RMW_KINDS_(XT_RMW_ROW_)};
    return &rows[kind];
}

/* ir/record.c - records a body as nodes and values. */

XE_FN_ xt_node_ *xt_node_at_(xt_ctx *x, int i) { return (xt_node_ *)x->nodes.items + i; }
XE_FN_ xt_value_ *xt_value_at_(xt_ctx *x, uint32_t id) { return (xt_value_ *)x->values.items + id; }

/* What a value is that is not set, or that nothing has used. */
static const xt_object_ xt_unset_ = XT_ZERO_;

/* Id 0 means no value; it is also returned if out of memory. */
XE_FN_ uint32_t xt_new_value_(xt_ctx *x)
{
    xt_value_ *v = (xt_value_ *)spe_list_add(&x->m, &x->values, sizeof *v);
    if (!v) return 0;
    v->is = &xt_unset_;
    v->parent = (uint32_t)x->values.count - 1;
    v->scope = x->scope;
    return v->parent;
}

/* Scalar i of a tile: offset, shape, pitch, base; then NULL. */
XE_FN_ const xt_val *xt_tile_scalar_(const xt_tile *t, int i)
{
    if (i < 4) return i < 2 ? &t->offset[i] : &t->shape[i - 2];
    return i == 4 ? &t->pitch : i == 5 ? &t->base : NULL;
}

/* ---- values as operands ------------------------------------------------------------------------------------------ */

/* The size of a number, vector or tile, from its first word; 0 if it is none. */
XE_FN_ size_t xt_object_size_(uint32_t magic)
{
    if (magic == XT_TILE_MAGIC_) return sizeof(xt_tile);
    return magic == SPE_VAL_MAGIC ? sizeof(xt_val) : magic == XT_VEC_MAGIC_ ? sizeof(xt_vec) : 0;
}

/* The value that a number, vector or tile is; 0 if it is not set, or NULL. C constants, and what failed operations
 * return, become values here. */
XE_FN_ uint32_t xt_value_of_(xt_ctx *x, const void *object)
{
    const xt_object_ *o = (const xt_object_ *)object;
    size_t size = o ? xt_object_size_(o->magic) : 0;
    if (!size || (o->magic == SPE_VAL_MAGIC && o->val.kind == SPE_NOTHING)) return 0;
    uint32_t id = o->magic == XT_TILE_MAGIC_ ? o->tile.id : o->magic == XT_VEC_MAGIC_ ? o->vec.id : o->val.id;
    if (!id) id = xt_new_value_(x);
    xt_value_ *value = xt_value_at_(x, id);
    if (!id || value->is != &xt_unset_) return id;
    void *copy = xt_memory_(x, size);
    if (copy) value->is = (const xt_object_ *)memcpy(copy, object, size);
    return id;
}

/* A vector that is not recorded yet is another one. */
XE_ONCE_
XE_FN_ void xt_redefine_(xt_ctx *x, const xt_vec *v)
{
    xt_value_at_(x, v->id)->is = &xt_unset_;
    xt_value_of_(x, v);
}

/* What a value is; of value 0 nothing is set. */
XE_FN_ const xt_object_ *xt_object_of_(xt_ctx *x, uint32_t id) { return ((xt_value_ *)x->values.items)[id].is; }
XE_FN_ const xt_val *xt_number_(xt_ctx *x, uint32_t id) { return &xt_object_of_(x, id)->val; }
XE_FN_ const xt_vec *xt_vector_(xt_ctx *x, uint32_t id) { return &xt_object_of_(x, id)->vec; }
XE_FN_ const xt_tile *xt_tile_(xt_ctx *x, uint32_t id) { return &xt_object_of_(x, id)->tile; }

/* Adds an operand: a number, vector or tile, which may be unset; or NULL. */
XE_FN_ void xt_take_(xt_ctx *x, xt_ids_ *to, const void *object)
{
    if (!x->again && to->count < XT_OPERANDS_MAX_) to->id[to->count++] = xt_value_of_(x, object);
}

/* The transpose of a tile, with its elements where they are. */
XE_FN_ xt_tile xt_transposed_(const xt_tile *t)
{
    xt_tile r = *t;
    for (int i = 0; i < 2; i++) r.offset[i] = t->offset[1 - i], r.shape[i] = t->shape[1 - i];
    r.column_major = !t->column_major;
    return r;
}

/* ---- uses -------------------------------------------------------------------------------------------------------- */

XE_FN_ void xt_add_use_(xt_ctx *x, uint32_t id, int node)
{
    xt_value_ *v = xt_value_at_(x, id);
    xt_use_ *u = id ? (xt_use_ *)spe_list_add(&x->m, &x->uses, sizeof *u) : NULL;
    if (!u) return;
    u->node = node;
    u->before = v->last_use;
    v->last_use = x->uses.count - 1;
}

/* A node uses a value; of a tile also its numbers, but for the base, which the node uses that made the tile. */
XE_FN_ void xt_note_use_(xt_ctx *x, uint32_t id, int node)
{
    const xt_object_ *o = xt_object_of_(x, id);
    if (x->again) return;
    xt_add_use_(x, id, node);
    for (int i = 0; o->magic == XT_TILE_MAGIC_ && i < XT_COMPONENTS_ - 1; i++) {
        const xt_val *v = xt_tile_scalar_(&o->tile, i);
        if (v->kind >= SPE_SCALAR) xt_add_use_(x, v->id, node);
    }
}

/* The last use of a value, and the one before; NULL: there is none. */
XE_FN_ const xt_use_ *xt_use_before_(xt_ctx *x, const xt_use_ *u)
{
    return u->before ? (const xt_use_ *)x->uses.items + u->before : NULL;
}
XE_FN_ const xt_use_ *xt_last_use_(xt_ctx *x, uint32_t id)
{
    int at = xt_value_at_(x, id)->last_use;
    return at ? (const xt_use_ *)x->uses.items + at : NULL;
}

/* Has it one use, and need no other vector share its layout? */
XE_FN_ bool xt_is_used_once_(xt_ctx *x, uint32_t id)
{
    const xt_use_ *u = xt_last_use_(x, id);
    return u && !u->before && !xt_value_at_(x, id)->shares_layout;
}

/* ---- scopes of values -------------------------------------------------------------------------------------------- */

typedef struct {
    xt_op_ op;
    spe_line at;
} xt_scope_;

/* Begins the record: the first value, use and scope stand for none. */
XE_ONCE_
XE_FN_ bool xt_begin_record_(xt_ctx *x)
{
    xt_new_value_(x);
    return spe_list_add(&x->m, &x->uses, sizeof(xt_use_)) && spe_list_add(&x->m, &x->scopes, sizeof(xt_scope_));
}

/* A new scope, of a region or a side of it. Scope 0 is the kernel's. */
XE_FN_ int xt_new_scope_(xt_where_ w, xt_op_ op)
{
    xt_scope_ *s = (xt_scope_ *)spe_list_add(&w.x->m, &w.x->scopes, sizeof *s);
    if (!s) return 0;
    s->op = op;
    s->at = *w.at;
    return w.x->scopes.count - 1;
}

/* Values of a region may be used in it, in the same iteration; afterwards, only listed variables may be used. */
XE_FN_ bool xt_check_scope_(xt_where_ w, int scope, const char *what)
{
    const xt_ctx *x = w.x;
    const xt_scope_ *s;
    if (scope == 0 || scope == x->scope) return true;
    for (int i = x->regions.depth - 1; i >= 0; i--)
        if (x->frames[i]->scope == scope || x->frames[i]->side == scope) return true;
    s = (const xt_scope_ *)x->scopes.items + scope;
    return xt_fail_(w, XT_ERROR_UNLISTED, "%s was made in the %s of %s:%d; to use it %s, list its variable there", what,
                    xt_operation_name_(s->op), s->at.file, s->at.line, x->again ? "in the next iteration" : "outside");
}

XE_FN_ bool xt_is_lost_(const xt_val *v) { return v->magic == SPE_VAL_MAGIC && v->kind >= SPE_SCALAR && !v->id; }

/* The same for a number; false without an error if its operation failed. Folded constants have a scope too. */
XE_FN_ bool xt_check_value_(xt_where_ w, const xt_val *v, const char *what)
{
    return !xt_is_lost_(v) &&
           xt_check_scope_(w, v->kind >= SPE_SCALAR ? xt_value_at_(w.x, v->id)->scope : v->note, what);
}

/* ---- uniformity -------------------------------------------------------------------------------------------------- */

XE_FN_ int xt_divergence_of_(xt_ctx *x, const xt_val *v)
{
    return v->kind < SPE_SCALAR ? 0 : xt_value_at_(x, v->id)->divergence;
}

XE_FN_ void xt_diverges_at_least_(xt_ctx *x, uint32_t id, int divergence)
{
    xt_value_ *v = xt_value_at_(x, id);
    if (id && divergence > v->divergence) v->divergence = divergence;
}

/* Values computed from a vector, or taken from it, differ between subgroups if the vector does. */
XE_FN_ void xt_diverges_like_(xt_ctx *x, uint32_t id, const xt_vec *v)
{
    xt_diverges_at_least_(x, id, xt_value_at_(x, v->id)->divergence);
}

/* A loaded value differs as the tile's position does. With a map, each subgroup has its own part of one vector. */
XE_ONCE_
XE_FN_ void xt_diverges_like_tile_(xt_ctx *x, uint32_t id, const xt_tile *t)
{
    const xt_val *v;
    if (t->scatter) xt_diverges_like_(x, id, &t->offsets);
    for (int i = 0; !xt_has_map_(&t->map) && (v = xt_tile_scalar_(t, i)) != NULL; i++)
        xt_diverges_at_least_(x, id, xt_divergence_of_(x, v));
}

/* Tile offsets and vector elements must be uniform over the subgroup. */
XE_FN_ bool xt_check_uniform_(xt_where_ w, const xt_val *v, const char *what)
{
    return xt_divergence_of_(w.x, v) < 2 ||
           xt_fail_(w, XT_ERROR_NOT_UNIFORM, "%s depends on XT_LANE_ID, XT_LOCAL_ID or XT_GLOBAL_ID", what);
}

/* Checks that the open regions allow the operation. Numbers, XT_LOAD and XT_STORE may diverge by lane; all subgroups
 * take part in a barrier, and where elements go through local memory. */
XE_FN_ bool xt_check_divergence_(xt_where_ w, xt_op_ op, const void *about)
{
    const spe_regions *r = &w.x->regions;
    bool waits = xt_does_(op, XT_WAITS_) || (xt_does_(op, XT_MOVES_) && !((const xt_move_ *)about)->origin);
    if (w.x->divergence < 1 || (w.x->part && !waits) || xt_does_(op, XT_DIVERGES_)) return true;
    return (w.x->divergence < 2 && !waits) ||
           xt_fail_(w, XT_ERROR_NOT_UNIFORM, "%s in the %s of line %d, in which %s diverge", xt_operation_name_(op),
                    r->open[r->depth - 1].name, r->open[r->depth - 1].line,
                    w.x->divergence < 2 ? "subgroups" : "lanes");
}

/* A copy; NULL: there is nothing to copy. */
XE_FN_ void *xt_copied_(xt_ctx *x, const void *from, size_t size)
{
    void *copy = size ? xt_memory_(x, size) : NULL;
    if (copy) memcpy(copy, from, size);
    return copy;
}

/* Appends a node. operands: NULL, none. Of its attributes, too, it has a copy; size 0: it keeps these themselves. */
XE_FN_ void xt_record_(xt_where_ w, const xt_operation_ *as, int kind, uint32_t result, const xt_ids_ *operands,
                       const void *about, size_t size)
{
    xt_ctx *x = w.x;
    if (x->again) return;
    void *copy = xt_copied_(x, about, size);
    void *ids = operands ? xt_copied_(x, operands->id, (size_t)operands->count * sizeof *operands->id) : NULL;
    xt_node_ *n = spe_ok(&x->m) ? (xt_node_ *)spe_list_add(&x->m, &x->nodes, sizeof *n) : NULL;
    if (!n) return;
    xt_check_divergence_(w, as->op, about);
    for (int i = 0; ids && i < operands->count; i++) xt_note_use_(x, operands->id[i], x->nodes.count - 1);
    n->op = as->op;
    n->write = as->write;
    n->kind = kind;
    n->part = x->part > 0;
    n->divergence = x->divergence;
    n->in = x->regions.depth ? x->frames[x->regions.depth - 1] : NULL;
    n->result = result;
    n->file = w.at->file;
    n->line = w.at->line;
    n->type = operands ? operands->type : 0;
    n->operands = operands ? operands->count : 0;
    n->operand = (const uint32_t *)ids;
    n->about = copy ? copy : (void *)(uintptr_t)about; /* writing it may store something there */
    xt_value_at_(x, result)->node = x->nodes.count - 1;
}

/* A node that makes a number. */
XE_FN_ xt_val xt_record_number_(xt_where_ w, const xt_operation_ *as, int kind, int type, int align,
                                const xt_ids_ *operands)
{
    xt_val v = spe_val_of(SPE_SCALAR, type, xt_new_value_(w.x));
    v.align = align;
    for (int i = 0; i < operands->count; i++)
        xt_diverges_at_least_(w.x, v.id, xt_value_at_(w.x, operands->id[i])->divergence);
    xt_record_(w, as, kind, v.id, operands, NULL, 0);
    return v;
}

/* A further value of the node that was recorded last. */
XE_FN_ uint32_t xt_further_value_(xt_ctx *x)
{
    uint32_t id = xt_new_value_(x);
    xt_value_at_(x, id)->node = x->nodes.count - 1;
    return id;
}

/* Do two nodes have no branch, barrier or write to memory between them, as for elements that move through it? */
XE_FN_ bool xt_is_straight_(xt_ctx *x, int from, int to)
{
    for (from++; from < to; from++) {
        const xt_node_ *n = xt_node_at_(x, from);
        if (xt_does_(n->op, XT_MOVES_) && !n->move->origin && !n->move->reloaded) return false;
        if (xt_does_(n->op, XT_CHANGES_ | XT_BOUNDS_ | XT_WAITS_)) return false;
    }
    return true;
}

/* The tile of the load that produced a vector, if memory has not changed before node `at`; else NULL. */
XE_FN_ const xt_tile *xt_loaded_(xt_ctx *x, uint32_t id, int at)
{
    int i = xt_value_at_(x, id)->node;
    const xt_node_ *load = xt_node_at_(x, i);
    const xt_outside_ *d = load->outside;
    if (load->op != XT_OP_LOAD_TILE_ || d->padding != 0 || d->border != XT_BORDER_PADDING) return NULL;
    const xt_tile *t = xt_tile_(x, load->operand[XT_ACCESS_TILE_]);
    return t->type != (cm_type)XT_BOOL_ && xt_is_straight_(x, i, at) ? t : NULL;
}

/* ir/numbers.c - what is known of numbers before they are written: types, constants, alignment, distances. */

XE_FN_ bool xt_is_constant_(const xt_val *v) { return v->kind == SPE_INT || v->kind == SPE_REAL; }

/* The type of a carried scalar; i32 or f32 for a C constant. */
XE_FN_ int xt_carried_type_(const xt_val *start)
{
    return start->kind == SPE_INT ? CM_I32 : start->kind == SPE_REAL ? CM_F32 : start->type;
}

/* Describes a value for error messages: "f32", "the constant 5", "the floating constant 5", "pointer to f16". */
XE_FN_ xt_text_ xt_describe_(const xt_val *v)
{
    xt_text_ t = {"nothing"};
    if (!spe_val_is_set(v)) return t;
    if (v->kind == SPE_INT)
        snprintf(t.s, sizeof t.s, "the constant %lld", (long long)v->integer);
    else if (v->kind == SPE_REAL)
        snprintf(t.s, sizeof t.s, "the floating constant %s", spe_decimal_of(v->real, 'g', 6).s);
    else
        snprintf(t.s, sizeof t.s, "%s%s", v->kind == SPE_POINTER ? "pointer to " : "", xt_type_name_(v->type));
    return t;
}

/* The largest power of two that divides a constant. */
XE_FN_ int xt_align_of_(int64_t i)
{
    int align = 1;
    if (i == 0) return 1 << 20;
    while (align < 1 << 20 && i % (align * 2) == 0) align *= 2;
    return align;
}

XE_FN_ int xt_val_align_(const xt_val *v) { return v->kind == SPE_INT ? xt_align_of_(v->integer) : v->align; }

/* A number already written. */
XE_FN_ xt_val xt_scalar_(int type, spe_id id, int align)
{
    xt_val v = spe_val_of(SPE_SCALAR, type, id);
    v.align = align;
    return v;
}

/* The result of a failed operation. */
XE_FN_ xt_val xt_nothing_(void) { return spe_val_of(SPE_SCALAR, CM_I32, 0); }

XE_FN_ bool xt_int_fits_(int type, int64_t i) { return spe_int_fits(i, xt_bits_(type), xt_is_signed_(type)); }

XE_FN_ spe_encoding xt_encoding_(int type)
{
    return type == CM_BF16 ? SPE_BF16 : type == CM_E4M3 ? SPE_E4M3 : type == CM_E5M2 ? SPE_E5M2 : SPE_IEEE;
}
XE_FN_ uint32_t xt_float_width_(int type) { return type == CM_TF32 ? 19 : (uint32_t)xt_bits_(type); }

/* Folds two constants: integers in 64 bits, unless one of them is floating. */
XE_FN_ xt_val xt_fold_(int op, const xt_val *a, const xt_val *b)
{
    bool whole = a->kind == SPE_INT && b->kind == SPE_INT;
    int64_t i = a->integer, j = b->integer;
    uint64_t u = (uint64_t)i, v = (uint64_t)j;
    double p = a->real, q = b->real;
    int order = whole ? (i > j) - (i < j) : spe_real_compare(p, q);
    bool less = order == -1, more = order == 1, equal = order == 0;
    if (!whole && op <= SPE_ARITH_DIV) return spe_val_real(spe_real_arith((spe_arith_op)op, p, q));
    switch (op) {
    case SPE_ARITH_ADD: i = (int64_t)(u + v); break;
    case SPE_ARITH_SUB: i = (int64_t)(u - v); break;
    case SPE_ARITH_MUL: i = (int64_t)(u * v); break;
    case SPE_ARITH_DIV: i = j == -1 ? (int64_t)(0 - u) : i / j; break;
    case SPE_ARITH_REM: i = j == -1 ? 0 : i % j; break;
    case SPE_ARITH_MIN: i = less ? i : j, p = less ? p : q; break;
    case SPE_ARITH_MAX: i = less ? j : i, p = less ? q : p; break;
    case SPE_ARITH_AND: i &= j; break;
    case SPE_ARITH_OR: i |= j; break;
    case SPE_ARITH_XOR: i ^= j; break;
    case SPE_ARITH_SHL: i = (int64_t)(u << (v & 63)); break;
    case SPE_ARITH_SHR: i >>= v & 63; break;
    case SPE_ARITH_EQ: i = equal; break;
    case SPE_ARITH_NE: i = !equal; break;
    case SPE_ARITH_LT: i = less; break;
    case SPE_ARITH_LE: i = less || equal; break;
    case SPE_ARITH_GT: i = more; break;
    default: i = more || equal;
    }
    return whole || op > SPE_ARITH_MAX ? spe_val_int(i) : spe_val_real(p);
}

/* Can the result be folded? Remainders of floats are left to the device. */
XE_FN_ bool xt_folds_(int op, const xt_val *a, const xt_val *b)
{
    return xt_is_constant_(a) && xt_is_constant_(b) &&
           (op != SPE_ARITH_REM || (a->kind == SPE_INT && b->kind == SPE_INT));
}

/* A power of two known to divide the result. */
XE_FN_ int xt_align_result_(int op, const xt_val *a, const xt_val *b)
{
    int p = xt_val_align_(a), q = xt_val_align_(b);
    if (op == SPE_ARITH_MUL) return p > (1 << 20) / q ? 1 << 20 : p * q;
    if (op == SPE_ARITH_AND) return p < q ? q : p;
    if (op == SPE_ARITH_DIV || op > SPE_ARITH_XOR || (op == SPE_ARITH_REM && b->kind != SPE_INT)) return 1;
    return p < q ? p : q;
}

/* x + 0, x - 0, x * 1, x / 1, 0 + x, 1 * x, x * 0: need no instruction. */
XE_FN_ const xt_val *xt_neutral_(int op, const xt_val *a, const xt_val *b)
{
    bool sum = op == SPE_ARITH_ADD, product = op == SPE_ARITH_MUL;
    if (b->kind == SPE_INT &&
        ((b->integer == 0 && (sum || op == SPE_ARITH_SUB)) || (b->integer == 1 && (product || op == SPE_ARITH_DIV))))
        return a;
    if (a->kind == SPE_INT && ((a->integer == 0 && sum) || (a->integer == 1 && product))) return b;
    if (product && b->kind == SPE_INT && b->integer == 0 && xt_is_int_(a->type)) return b;
    if (product && a->kind == SPE_INT && a->integer == 0 && xt_is_int_(b->type)) return a;
    return NULL;
}

/* Can the number be computed before the body? */
XE_FN_ bool xt_is_hoistable_(xt_ctx *x, const xt_val *v)
{
    return v->kind == SPE_INT || (v->kind >= SPE_SCALAR && xt_value_at_(x, v->id)->hoistable);
}

/* The number to which XT_ADD and XT_SUB of constants added *sum to make v. */
XE_FN_ xt_val xt_base_number_(xt_ctx *x, xt_val v, int64_t *sum)
{
    for (*sum = 0; v.kind == SPE_SCALAR;) {
        const xt_node_ *n = xt_node_at_(x, xt_value_at_(x, v.id)->node);
        bool add = n->kind == SPE_ARITH_ADD;
        if (n->op != XT_OP_BINARY_NUMBER_ || (!add && n->kind != SPE_ARITH_SUB)) break;
        bool second = xt_number_(x, n->operand[1])->kind == SPE_INT;
        const xt_val *constant = xt_number_(x, n->operand[second]), *other = xt_number_(x, n->operand[!second]);
        if (constant->kind != SPE_INT || other->type != v.type || (!add && !second)) break;
        *sum += add ? constant->integer : -constant->integer;
        v = *other;
    }
    if (v.kind == SPE_INT) *sum += v.integer;
    return v;
}

/* Do two numbers have a distance that is known: *delta = v - from? */
XE_FN_ bool xt_moves_by_(xt_ctx *x, const xt_val *v, const xt_val *from, int64_t *delta)
{
    int64_t sum[2];
    xt_val a = xt_base_number_(x, *v, &sum[0]), b = xt_base_number_(x, *from, &sum[1]);
    *delta = sum[0] - sum[1];
    return a.kind == b.kind && (a.kind == SPE_INT || (a.kind == SPE_SCALAR && a.id == b.id));
}

/* ir/vectors.c - vectors: their form, layout, and the blocks that a subgroup holds. */

XE_FN_ void xt_grid_init_(const xt_ctx *x, xt_grid_ *g, const xt_dist *d)
{
    for (int i = 0; i < 2; i++) {
        xt_cut_side_(&g->cut[i], d->data[i], i ? x->S : 1);
        g->rounds[i] = d->rounds[i];
        g->data[i] = d->data[i];
        g->stride[i] = d->layout[i] * d->data[i];
    }
    g->blocks = g->rounds[0] * g->rounds[1] * g->cut[0].n * g->cut[1].n;
}

XE_FN_ int xt_block_number_(const xt_grid_ *g, int round0, int round1, int i, int j)
{
    return ((round0 * g->rounds[1] + round1) * g->cut[0].n + i) * g->cut[1].n + j;
}

XE_FN_ xt_block_ xt_blocks_(const xt_ctx *x, const xt_dist *d)
{
    xt_block_ b = XT_ZERO_;
    xt_grid_init_(x, &b.grid, d);
    b.i = -1;
    return b;
}

XE_FN_ bool xt_next_block_(xt_block_ *b)
{
    const xt_grid_ *g = &b->grid;
    int n = ++b->i, j = n % g->cut[1].n, i = n / g->cut[1].n % g->cut[0].n;
    int piece = n / (g->cut[1].n * g->cut[0].n), down = piece / g->rounds[1], across = piece % g->rounds[1];
    if (n >= g->blocks) return false;
    b->rows = g->cut[0].size[i];
    b->cols = g->cut[1].size[j];
    b->valid = xt_least_(b->cols, g->data[1] - g->cut[1].at[j]);
    b->row = down * g->stride[0] + g->cut[0].at[i];
    b->col = across * g->stride[1] + g->cut[1].at[j];
    b->packed[0] = down * g->data[0] + g->cut[0].at[i];
    b->packed[1] = across * g->data[1] + g->cut[1].at[j];
    return true;
}

XE_FN_ bool xt_has_piece_offset_(const xt_dist *d, int dim) { return d->layout[dim] > 1 && d->count[dim] > 1; }

XE_FN_ xt_vec xt_no_vec_(void)
{
    xt_vec v = XT_ZERO_;
    v.magic = XT_VEC_MAGIC_;
    return v;
}

/* The vector of a tile's elements. */
XE_FN_ xt_vec xt_vec_of_tile_(const xt_tile *t)
{
    xt_vec v = xt_no_vec_();
    v.type = t->type;
    v.dist = t->dist;
    v.map = t->map;
    memcpy(v.inner, t->inner, sizeof v.inner);
    return v;
}

/* A new vector with another's shape, map and inner blocks, to be defined by the next node. */
XE_FN_ xt_vec xt_new_vec_(xt_ctx *x, cm_type type, const xt_vec *like)
{
    xt_vec v = *like;
    v.type = type;
    v.id = xt_new_value_(x);
    xt_value_of_(x, &v);
    xt_diverges_like_(x, v.id, like);
    return v;
}

/* Bytes of a vector per subgroup. */
XE_FN_ size_t xt_vec_bytes_(const xt_vec *v)
{
    return (size_t)xt_dist_pieces(&v->dist) * (size_t)v->dist.data[0] * (size_t)v->dist.data[1] *
           (size_t)xt_bytes_((int)v->type);
}

XE_FN_ uint32_t xt_class_(xt_ctx *x, uint32_t id)
{
    while (xt_value_at_(x, id)->parent != id) id = xt_value_at_(x, id)->parent;
    return id;
}

/* Classes with an accumulator have its layout; else an operand's, preferably the packed one, which costs most. */
XE_FN_ cm_use xt_lane_layout_(xt_ctx *x, uint32_t id)
{
    const bool *need = xt_value_at_(x, xt_class_(x, id))->need;
    return need[CM_ACC] ? CM_ACC : need[CM_A] ? CM_A : need[CM_B] ? CM_B : CM_ACC;
}

/* ir/opaque.c - which vectors are matrices of Vulkan's devices, which only the device can look into. */

XE_FN_ bool xt_is_opaque_(cm_use use) { return use >= CM_OPAQUE_ACC; }

/* The shape that operands of this type have, whatever the sums are. */
XE_ONCE_
XE_FN_ const cm_coop_shape *xt_operand_shape_(const xt_ctx *x, cm_type type)
{
    const cm_coop_shape *s = cm_coop_shape_of(&x->target, type, CM_F32);
    return s ? s : cm_coop_shape_of(&x->target, type, CM_I32);
}

/* Words of local memory through which a subgroup's matrices become vectors, and these become matrices: a strip, of
 * columns as in coopmatrix.h, with a gap after each. Whole vectors of 16 bytes. */
XE_FN_ int xt_strip_words_(const xt_ctx *x)
{
    enum { COLUMN = 16 * 4, GAP = 16 }; /* bytes: 16 sums, or 32 operands of 8 bits or 16 of 16 */
    return x->S * (COLUMN + GAP) / 4;
}

XE_ONCE_
XE_FN_ uint32_t xt_tied_(xt_ctx *x, uint32_t id)
{
    while (xt_value_at_(x, id)->tied != id) id = xt_value_at_(x, id)->tied;
    return id;
}

XE_FN_ bool xt_value_is_opaque_(xt_ctx *x, uint32_t id)
{
    return x->opaque_words && xt_value_at_(x, xt_tied_(x, id))->opaque;
}

/* The layout in which regions carry a vector. */
XE_FN_ cm_use xt_layout_(xt_ctx *x, uint32_t id)
{
    return xt_value_is_opaque_(x, id) ? CM_OPAQUE_ACC : xt_lane_layout_(x, id);
}

/* ir/tiles.c - what passes have found out about tiles. */

XE_FN_ xt_plan_tile_ *xt_plan_tile_at_(xt_ctx *x, int i) { return (xt_plan_tile_ *)x->tiles.items + i; }

XE_FN_ int xt_tile_root_(xt_ctx *x, int i)
{
    while (xt_plan_tile_at_(x, i)->parent != i) i = xt_plan_tile_at_(x, i)->parent;
    return i;
}

/* Why 2D block messages cannot access a tile; NULL if they can under the condition. */
XE_FN_ const char *xt_why_not_block2d_(xt_ctx *x, const xt_tile *t)
{
    return xt_plan_tile_at_(x, xt_tile_root_(x, t->number))->why_not;
}

/* Does this version access the tile by 2D block messages? */
XE_FN_ bool xt_by_block2d_(xt_ctx *x, const xt_tile *t) { return x->block2d && !xt_why_not_block2d_(x, t); }

/* The tile an operation accesses, if 2D block messages could do it; else NULL. */
XE_FN_ const xt_tile *xt_accessed_(xt_ctx *x, const xt_node_ *n)
{
    bool accesses = n->op == XT_OP_LOAD_TILE_ || n->op == XT_OP_STORE_TILE_ || n->op == XT_OP_PREFETCH_TILE_;
    return accesses ? xt_tile_(x, n->operand[XT_ACCESS_TILE_]) : NULL;
}

/* The tile of a matrix that a node makes; NULL: none. */
XE_FN_ const xt_tile *xt_made_by_(xt_ctx *x, const xt_node_ *n)
{
    bool makes = n->op == XT_OP_INIT_TILE_ && n->operand[XT_INIT_MATRIX_];
    return makes ? xt_tile_(x, n->result) : NULL;
}

/* What the user gave an XT_INIT_TILE for dimension i; NULL: no strides. */
XE_FN_ const xt_val *xt_given_(xt_ctx *x, const xt_node_ *init, xt_given_list_ list, int i)
{
    int at = XT_INIT_GIVEN_ + (int)list * init->type + i;
    return at < init->operands ? xt_number_(x, init->operand[at]) : NULL;
}

/* The padding as a number of the type. */
XE_FN_ xt_val xt_padding_(int type, double padding)
{
    if (xt_is_float_(type)) return spe_val_real(padding);
    int64_t whole;
    spe_real_to_int(padding, &whole);
    return spe_val_int(whole);
}

/* ir/regions.c - carried values, and how a loop moves tiles. */

XE_FN_ void xt_copy_object_(void *to, const xt_object_ *t) { memcpy(to, t, xt_object_size_(t->magic)); }

/* Scalar i of a value: six in a tile, one in an xt_val, none in a vector. */
XE_FN_ const xt_val *xt_scalar_of_(const xt_object_ *t, int i)
{
    if (t->magic == XT_TILE_MAGIC_) return xt_tile_scalar_(&t->tile, i);
    return t->magic == SPE_VAL_MAGIC && i == 0 ? &t->val : NULL;
}

/* The vector that it is, or that a scatter tile has; NULL: none. */
XE_FN_ const xt_vec *xt_vec_in_(const xt_object_ *t)
{
    if (t->magic == XT_TILE_MAGIC_ && t->tile.scatter) return &t->tile.offsets;
    return t->magic == XT_VEC_MAGIC_ ? &t->vec : NULL;
}

/* Joins all values that a carried variable can have, in pairs. */
XE_FN_ void xt_join_carried_(xt_ctx *x, const xt_frame_ *f, void (*join)(xt_ctx *, uint32_t, uint32_t))
{
    for (int i = 0; i < f->slots; i++) {
        const xt_slot_ *s = &f->slot[i];
        const uint32_t all[3] = {s->body, s->now, s->result};
        const xt_vec *start = xt_vec_in_(xt_object_of_(x, s->start));
        for (int j = 0; start && j < 3; j++) join(x, start->id, xt_vec_in_(xt_object_of_(x, all[j]))->id);
    }
}

XE_FN_ bool xt_same_scalar_(const xt_val *a, const xt_val *b)
{
    if (a->kind != b->kind || a->type != b->type) return false;
    if (a->kind == SPE_INT) return a->integer == b->integer;
    if (a->kind == SPE_REAL) return memcmp(&a->real, &b->real, sizeof a->real) == 0;
    return a->id == b->id;
}

/* The base of a tile, or the number or pointer itself; NULL: it is neither. */
XE_FN_ const xt_val *xt_base_in_(const xt_object_ *o)
{
    if (o->magic == XT_TILE_MAGIC_) return &o->tile.base;
    return o->magic == SPE_VAL_MAGIC ? &o->val : NULL;
}

/* The variable of a region in whose body, or after which, it has this base; NULL: none. */
XE_ONCE_
XE_FN_ const xt_slot_ *xt_slot_with_(xt_ctx *x, const xt_frame_ *f, uint32_t base)
{
    for (int i = 0; i < f->slots; i++) {
        const xt_slot_ *s = &f->slot[i];
        const xt_val *body = xt_base_in_(xt_object_of_(x, s->body)), *result = xt_base_in_(xt_object_of_(x, s->result));
        if ((body && body->id == base) || (result && result->id == base)) return s;
    }
    return NULL;
}

/* The pointer or address from which regions and leading dimensions have made this one; 0: it may be one of several. */
XE_FN_ uint32_t xt_origin_(xt_ctx *x, uint32_t pointer)
{
    const xt_slot_ *s;
    while (pointer) {
        const xt_node_ *n = xt_node_at_(x, xt_value_at_(x, pointer)->node);
        if (n->op == XT_OP_MATRIX_ || n->op == XT_OP_POINTER_) {
            pointer = n->operand[n->op == XT_OP_MATRIX_];
        } else if (xt_does_(n->op, XT_BOUNDS_) && n->frame && (s = xt_slot_with_(x, n->frame, pointer)) != NULL) {
            const xt_object_ *start = xt_object_of_(x, s->start);
            bool changes = s->mask >> (start->magic == XT_TILE_MAGIC_ ? XT_COMPONENTS_ - 1 : 0) & 1;
            pointer = changes ? 0 : xt_base_in_(start)->id;
        } else {
            break;
        }
    }
    return pointer;
}

/* Is a node in this loop, if it is one? */
XE_FN_ bool xt_is_within_(const xt_frame_ *loop, int node) { return loop && node > loop->begin && node < loop->end; }

/* A number or pointer like the initial one, with another id. */
XE_FN_ xt_val xt_carried_as_(const xt_val *start, uint32_t id)
{
    xt_val v = spe_val_of(start->kind == SPE_POINTER ? SPE_POINTER : SPE_SCALAR, xt_carried_type_(start), id);
    v.local = start->local;
    return v;
}

XE_FN_ bool xt_same_offsets_(const xt_tile *a, const xt_tile *b)
{
    return xt_same_scalar_(&a->offset[0], &b->offset[0]) && xt_same_scalar_(&a->offset[1], &b->offset[1]);
}

/* Does a tile that a loop carries move along one dimension by so much in each iteration, and in no other way? */
XE_FN_ bool xt_advances_(xt_ctx *x, const xt_tile *of, const xt_frame_ *f, int dim, int by)
{
    const xt_val *step = xt_number_(x, f->step);
    if (step->kind != SPE_INT || step->integer != by) return false;
    for (int i = 0; i < f->slots; i++) {
        const xt_tile *t = xt_tile_(x, f->slot[i].body);
        if (t->magic == XT_TILE_MAGIC_ && !t->scatter && t->number == of->number && xt_same_offsets_(t, of))
            return f->slot[i].mask == 1u << (XT_COUNTS_SHIFT_ + dim);
    }
    return false;
}

/* lower/arithmetic.c - instructions on components: a scalar per lane, or a vector of them. */

/* One instruction on numbers or vectors of a type. */
XE_FN_ spe_id xt_emit_arith_(spe_module *m, int op, int type, spe_id a, spe_id b)
{
    bool is_signed = xt_is_signed_(type);
    if (xt_is_float_(type)) return spe_arith(m, (spe_arith_op)op, SPE_NUMBER_FLOAT, a, b);
    if (op == SPE_ARITH_MIN || op == SPE_ARITH_MAX) {
        spe_id less = is_signed ? spe_slt(m, a, b) : spe_ult(m, a, b);
        return op == SPE_ARITH_MIN ? spe_select(m, less, a, b) : spe_select(m, less, b, a);
    }
    return spe_arith(m, (spe_arith_op)op, is_signed ? SPE_NUMBER_SIGNED : SPE_NUMBER_UNSIGNED, a, b);
}

/* Conditions are stored as bytes 0 and 1. */
XE_FN_ spe_id xt_from_condition_(xt_ctx *x, spe_id condition)
{
    spe_id type = spe_vec_like(&x->m, spe_int(&x->m, 8), condition), no = spe_null(&x->m, type);
    return spe_select(&x->m, condition, spe_const_u(&x->m, type, 1), no);
}

XE_FN_ spe_id xt_binary_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    spe_id r = xt_emit_arith_(&x->m, n->kind, n->type, v[0], v[1]);
    return xt_is_compare_(n->kind) ? xt_from_condition_(x, r) : r;
}

XE_FN_ spe_id xt_select_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    spe_module *m = &x->m;
    (void)n;
    return spe_select(m, spe_ine(m, v[0], spe_null(m, spe_type_of(m, v[0]))), v[1], v[2]);
}

/* e to the x as 2^n 2^r, n + r = x / ln 2, n whole: Intel's compiler does the same, but takes 12 instructions instead
 * of 9, since it tests for x that are too large. Here r is limited, and so a number, where 2^n is infinite or 0; of a
 * NaN n is one. The quotient 1 / ln 2 is the sum of two floats. */
XE_FN_ spe_id xt_exp_(spe_module *m, spe_id v)
{
    spe_id type = spe_type_of(m, v), part[2];
    spe_id quotient[2] = {spe_const_f(m, type, 0x1.715476p+0), spe_const_f(m, type, 0x1.4ae0cp-26)};
    spe_id one = spe_const_f(m, type, 1), least = spe_const_f(m, type, -1);
    part[0] = spe_math1(m, SPE_TRUNC, spe_fmul(m, v, quotient[0]));
    part[1] = spe_math3(m, SPE_FMA, v, quotient[0], spe_fneg(m, part[0]));
    part[1] = spe_math3(m, SPE_FMA, v, quotient[1], part[1]);
    part[1] = spe_math2(m, SPE_FMAX, spe_math2(m, SPE_FMIN, part[1], one), least);
    for (int i = 0; i < 2; i++) part[i] = spe_math1(m, SPE_EXP2, part[i]);
    return spe_fmul(m, part[0], part[1]);
}

/* The logarithm of x = 2^e (1 + t), 1 + t between sqrt(1/2) and sqrt(2), as e + t p(t): Intel's compiler takes 92
 * instructions for it. `bits` are those of x, or of a number 2^n as large, n 2^23 being `more`; k is e times 2^23. p
 * is found at nodes of Chebyshev's. Of 0, infinite and negative x and NaN, the device's instruction knows the
 * logarithm. */
XE_FN_ spe_id xt_log2_by_(spe_module *m, spe_id x, spe_id bits, spe_id more, const float *p, int terms)
{
    spe_id type = spe_type_of(m, x), words = spe_type_of(m, bits), y = spe_const_f(m, type, (double)p[terms - 1]);
    spe_id usual = spe_isub(m, bits, spe_const_u(m, words, 1));
    usual = spe_ult(m, usual, spe_const_u(m, words, 0x7f7fffff));
    spe_id k = spe_isub(m, bits, spe_const_u(m, words, 0x3f3504f3));
    k = spe_and(m, k, spe_const_u(m, words, 0xff800000));
    spe_id one_and_t = spe_bitcast(m, type, spe_isub(m, bits, k));
    spe_id t = spe_fsub(m, one_and_t, spe_const_f(m, type, 1));
    for (int i = terms - 1; i-- > 0;) y = spe_math3(m, SPE_FMA, t, y, spe_const_f(m, type, (double)p[i]));
    y = spe_fmul(m, t, y);
    k = spe_s_to_f(m, type, more ? spe_isub(m, k, more) : k);
    y = spe_math3(m, SPE_FMA, k, spe_const_f(m, type, 0x1p-23), y);
    return spe_select(m, usual, y, spe_math1(m, SPE_NATIVE_LOG2, x));
}

/* Within 0.76 units in the last place. Subnormal x are scaled. */
XE_FN_ spe_id xt_log2_f32_(spe_module *m, spe_id x)
{
    static const float p[] = {0x1.715476p+0f,  -0x1.715474p-1f, 0x1.ec73dep-2f,  -0x1.715994p-2f, 0x1.26d01cp-2f,
                              -0x1.e9d1e6p-3f, 0x1.ba8738p-3f,  -0x1.a59aeap-3f, 0x1.f841dcp-4f};
    enum { SCALE = 23 };
    spe_id type = spe_type_of(m, x), words = spe_vec_like(m, spe_int(m, 32), x);
    spe_id small = spe_flt(m, x, spe_const_f(m, type, 0x1p-126));
    spe_id scaled = spe_fmul(m, x, spe_const_f(m, type, 0x1p23)), no = spe_null(m, words);
    spe_id bits = spe_bitcast(m, words, spe_select(m, small, scaled, x));
    spe_id more = spe_select(m, small, spe_const_u(m, words, SCALE << 23), no);
    return xt_log2_by_(m, x, bits, more, p, sizeof p / sizeof *p);
}

/* Within 0.58 units in the last place of f16; as an f32, no x is subnormal. */
XE_FN_ spe_id xt_log2_f16_(spe_module *m, spe_id half)
{
    static const float p[] = {0x1.7150e2p+0f, -0x1.70f65p-1f, 0x1.f16542p-2f, -0x1.8f0706p-2f, 0x1.004b76p-2f};
    spe_id x = spe_fconvert(m, spe_vec_like(m, spe_float(m, 32), half), half);
    spe_id bits = spe_bitcast(m, spe_vec_like(m, spe_int(m, 32), half), x);
    return spe_fconvert(m, spe_type_of(m, half), xt_log2_by_(m, x, bits, 0, p, sizeof p / sizeof *p));
}

XE_FN_ spe_id xt_math_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    int type = n->type;
    spe_math_op op = (spe_math_op)xt_math_instruction_(n->kind, type);
    if (op == SPE_EXP && x->target.igc && (type == CM_F32 || type == CM_BF16)) return xt_exp_(&x->m, v[0]);
    if (op == SPE_LOG2 && x->target.igc && type == CM_F16) return xt_log2_f16_(&x->m, v[0]);
    if (op == SPE_LOG2 && x->target.igc && (type == CM_F32 || type == CM_BF16)) return xt_log2_f32_(&x->m, v[0]);
    return spe_math(&x->m, op, (uint32_t)xt_math_info_(n->kind)->operands, v);
}

/* A cast to i1; other casts are of blocks. */
XE_FN_ spe_id xt_truth_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    spe_id zero = spe_null(&x->m, spe_type_of(&x->m, v[0]));
    bool real = xt_is_float_((int)xt_vector_(x, n->operand[0])->type);
    return xt_from_condition_(x, real ? spe_fune(&x->m, v[0], zero) : spe_ine(&x->m, v[0], zero));
}

XE_FN_ spe_id xt_bitcast_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    return cm_bitcast(&x->cm, spe_vec_like(&x->m, xt_spe_type_(x, n->type), v[0]), v[0]);
}

/* The larger or smaller of two floats; -0 is less than 0. A NaN wins or loses, by nan_wins. */
XE_FN_ spe_id xt_extreme_(spe_module *m, bool larger, bool nan_wins, spe_id a, spe_id b)
{
    spe_id type = spe_type_of(m, a), elem = spe_info(m, type).elem ? spe_info(m, type).elem : type, nan = 0;
    spe_id bits = spe_vec(m, spe_int(m, spe_width(m, elem)), spe_count(m, type));
    spe_id p = spe_bitcast(m, bits, a), q = spe_bitcast(m, bits, b);
    spe_id r = spe_math2(m, larger ? SPE_FMAX : SPE_FMIN, a, b);
    spe_id zeros = spe_bitcast(m, type, larger ? spe_and(m, p, q) : spe_or(m, p, q));
    if (nan_wins) nan = spe_isnan(m, b);
    if (nan_wins) nan = spe_lor(m, spe_isnan(m, a), nan);
    r = spe_select(m, spe_feq(m, a, b), zeros, r);
    return nan_wins ? spe_select(m, nan, spe_fadd(m, a, b), r) : r;
}

XE_FN_ spe_id xt_combine_(spe_module *m, int kind, int type, spe_id a, spe_id b)
{
    const xt_red_row_ *row = xt_red_info_(kind);
    if (row->nan_wins) return xt_extreme_(m, row->op == SPE_ARITH_MAX, true, a, b);
    return spe_arith(m, row->op, xt_is_float_(type) ? SPE_NUMBER_FLOAT : row->number, a, b);
}

/* lower/components.c - element-wise operations on a block or a strip of one. */

/* Computes a component of the result from the operands'. */
typedef spe_id (*xt_part_fn_)(xt_ctx *x, const xt_node_ *n, const spe_id *v);

typedef struct {
    const xt_node_ *node;
    xt_part_fn_ part;
} xt_component_of_;

/* Callback of coopmatrix.h. */
XE_FN_ spe_id xt_component_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    const xt_component_of_ *of = (const xt_component_of_ *)user;
    const spe_id v[2] = {a, b};
    (void)type;
    return of->part((xt_ctx *)(void *)c->module, of->node, v);
}

/* A block of one or two operands, in any layout that these share. */
XE_FN_ cm_matrix xt_map_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a, xt_part_fn_ part)
{
    xt_component_of_ of = {n, part};
    return a[1] ? cm_map2(&x->cm, a[0], a[1], xt_component_, &of) : cm_map1(&x->cm, a[0], xt_component_, &of);
}

/* A block in the accumulator's layout, in which the parts of matrices of any two types correspond. They are computed
 * with in their arithmetic types or, with `bits`, as they are stored. */
XE_FN_ cm_matrix xt_parts_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a, xt_part_fn_ part, bool bits)
{
    cm_type to = xt_storage_type_(xt_vector_(x, n->result)->type);
    cm_layout l = cm_layout_for(&x->cm, a[0]->layout.rows, a[0]->layout.cols, to, CM_ACC);
    spe_id *out = (spe_id *)xt_memory_(x, (size_t)a[0]->parts * sizeof *out);
    for (int i = 0; out && i < a[0]->parts; i++) {
        spe_id v[3] = {0, 0, 0};
        for (int j = 0; j < n->operands && i < a[j]->parts; j++)
            v[j] = bits ? a[j]->part[i] : cm_to_arith(&x->cm, a[j]->layout.type, a[j]->part[i]);
        v[0] = part(x, n, v);
        out[i] = bits ? v[0] : cm_from_arith(&x->cm, to, v[0]);
    }
    return out && spe_ok(&x->m) ? cm_from_parts(&x->cm, &l, out) : cm_poison();
}

XE_FN_ bool xt_is_repeated_(xt_ctx *x, uint32_t id);

XE_FN_ bool xt_makes_repeated_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op == XT_OP_BROADCAST_)
        return n->move->from.divisor[1] > 1 && xt_vector_(x, n->operand[XT_MOVE_VEC_])->dist.shape[1] == 1;
    if (!xt_does_(n->op, XT_EACH_)) return n->op == XT_OP_SPLAT_;
    for (int i = 0; i < n->operands; i++)
        if (!xt_is_repeated_(x, n->operand[i])) return false;
    return true;
}

/* Are all columns of a vector known to be equal, so that all lanes hold the same? Each value is asked once. */
XE_FN_ bool xt_is_repeated_(xt_ctx *x, uint32_t id)
{
    xt_value_ *value = xt_value_at_(x, id);
    if (!value->repeated) value->repeated = xt_makes_repeated_(x, xt_node_at_(x, value->node)) ? 1 : -1;
    return value->repeated > 0;
}

/* A block of a vector, which Intel's compiler takes to differ by lane, see spe_differ_by_lane. */
XE_FN_ cm_matrix xt_varied_(xt_ctx *x, uint32_t id, const cm_matrix *block)
{
    cm_matrix a = *block;
    if (!x->target.igc || !xt_is_repeated_(x, id)) return a;
    a.part = (spe_id *)xt_memory_(x, (size_t)a.parts * sizeof *a.part);
    if (!a.part) return *block;
    for (int i = 0; i < a.parts; i++) a.part[i] = spe_differ_by_lane(&x->m, block->part[i]);
    return a;
}

XE_FN_ cm_matrix xt_cast_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a)
{
    const xt_vec *from = xt_vector_(x, n->operand[0]);
    if ((int)from->type == n->type) return *a[0];
    if (n->type == XT_BOOL_) return xt_parts_block_(x, n, a, xt_truth_part_, false);
    cm_matrix varied = n->type == CM_F16 && from->type == CM_F32 ? xt_varied_(x, from->id, a[0]) : *a[0];
    return n->kind ? cm_convert_as(&x->cm, &varied, (cm_type)n->type, CM_ROUND_AUTO, false)
                   : cm_convert(&x->cm, &varied, (cm_type)n->type);
}

/* The constant that a vector repeats; NULL: it is no such vector. */
XE_FN_ const xt_val *xt_repeated_constant_(xt_ctx *x, uint32_t id)
{
    const xt_node_ *n = xt_node_at_(x, xt_value_at_(x, id)->node);
    const xt_val *number = n->op == XT_OP_SPLAT_ ? xt_number_(x, n->operand[0]) : NULL;
    return number && xt_is_constant_(number) ? number : NULL;
}

/* Bit operations take whole words, see coopmatrix.h, unless these leave it to us. */
XE_FN_ cm_matrix xt_binary_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a)
{
    const xt_val *by = xt_is_shift_(n->kind) ? xt_repeated_constant_(x, n->operand[1]) : NULL;
    bool within = by && by->integer >= 0 && by->integer < xt_bits_((int)xt_vector_(x, n->operand[0])->type);
    cm_matrix bits = within ? cm_shift(&x->cm, (cm_op)n->kind, a[0], (int)by->integer) : cm_poison();
    if (xt_is_bitwise_(n->kind)) bits = cm_binary(&x->cm, (cm_op)n->kind, a[0], a[1]);
    if (bits.parts) return bits;
    return xt_is_compare_(n->kind) ? xt_parts_block_(x, n, a, xt_binary_part_, false)
                                   : xt_map_block_(x, n, a, xt_binary_part_);
}

XE_FN_ cm_matrix xt_math_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a)
{
    return xt_math_info_(n->kind)->operands == 1 ? xt_map_block_(x, n, a, xt_math_part_)
                                                 : xt_parts_block_(x, n, a, xt_math_part_, false);
}

XE_FN_ cm_matrix xt_select_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a)
{
    return xt_parts_block_(x, n, a, xt_select_part_, true);
}

XE_FN_ cm_matrix xt_bitcast_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a)
{
    return xt_parts_block_(x, n, a, xt_bitcast_part_, true);
}

XE_FN_ cm_matrix xt_users_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a)
{
    return n->users->block(&x->cm, a, n->users->user);
}

/* The number of strips of a block. A message stores a strip: up to eight rows, as wide as a subgroup. */
XE_FN_ int xt_strips_(const cm_matrix *a) { return a->layout.size_i == a->layout.lanes ? a->parts : 1; }

/* A strip of a block, computed on demand. */
XE_FN_ cm_matrix xt_strip_(xt_ctx *x, uint32_t of, int block, int strip)
{
    const xt_value_ *value = xt_value_at_(x, of);
    const cm_matrix *whole = &value->now.vec.block[block];
    cm_layout l = whole->layout;
    spe_id *part = whole->part + strip;
    if (xt_strips_(whole) > 1) l = cm_layout_for(&x->cm, l.lanes, cm_part_words(&whole->layout, strip), l.type, CM_ACC);
    if (value->unmade && spe_ok(&x->m) && !part[0]) {
        const xt_node_ *n = xt_node_at_(x, value->node);
        const cm_matrix *a[3] = {NULL, NULL, NULL};
        cm_matrix strips[3];
        for (int j = 0; j < n->operands; j++) {
            strips[j] = xt_strip_(x, n->operand[j], block, strip);
            a[j] = &strips[j];
        }
        spe_at(&x->m, n->file, n->line);
        cm_matrix r = value->each(x, n, a);
        if (!r.parts) return r;
        memcpy(part, r.part, (size_t)r.parts * sizeof *part);
    }
    return spe_ok(&x->m) ? cm_from_parts(&x->cm, &l, part) : cm_poison();
}

/* Computes everything, for a use before the store. */
XE_ONCE_
XE_FN_ void xt_make_strips_(xt_ctx *x, uint32_t id)
{
    const xt_fragments_ *now = &xt_value_at_(x, id)->now.vec;
    for (int i = 0; i < now->blocks; i++)
        for (int k = 0; k < xt_strips_(&now->block[i]); k++) xt_strip_(x, id, i, k);
    xt_value_at_(x, id)->unmade = false;
}

/* lower/values.c - what recorded values are in the version that is being written. */

/* A recorded number's value in this version. */
XE_FN_ xt_val xt_now_(xt_ctx *x, const xt_val *v)
{
    return v->kind == SPE_SCALAR || v->kind == SPE_POINTER ? xt_value_at_(x, v->id)->now.number : *v;
}

/* The same for a vector. */
XE_FN_ xt_fragments_ xt_now_vec_(xt_ctx *x, uint32_t id)
{
    if (xt_value_at_(x, id)->unmade) xt_make_strips_(x, id);
    return xt_value_at_(x, id)->now.vec;
}

XE_FN_ xt_tile xt_now_tile_(xt_ctx *x, const xt_tile *t)
{
    xt_tile r = *t;
    for (int i = 0; i < 2; i++) r.offset[i] = xt_now_(x, &t->offset[i]), r.shape[i] = xt_now_(x, &t->shape[i]);
    r.pitch = xt_now_(x, &t->pitch);
    r.base = xt_now_(x, &t->base);
    return r;
}

XE_FN_ void xt_define_(xt_ctx *x, uint32_t id, xt_val number)
{
    xt_value_ *v = xt_value_at_(x, id);
    v->now.number = number;
    v->start = v->advance = 0;
}

/* A vector without blocks yet. */
XE_FN_ xt_fragments_ xt_form_of_(xt_ctx *x, uint32_t id)
{
    const xt_vec *v = xt_vector_(x, id);
    xt_fragments_ f = {id, v->type, v->dist, CM_ACC, 0, NULL};
    return f;
}

XE_FN_ void xt_define_vec_(xt_ctx *x, uint32_t id, xt_fragments_ f)
{
    xt_value_ *v = xt_value_at_(x, id);
    v->now.vec = f;
    v->now.vec.id = id;
    v->unmade = false;
}

XE_FN_ void xt_write_nothing_(xt_ctx *x, const xt_node_ *n) { (void)x, (void)n; }

XE_FN_ void xt_write_same_(xt_ctx *x, const xt_node_ *n)
{
    xt_define_vec_(x, n->result, xt_now_vec_(x, n->operand[XT_MOVE_PART_]));
}

/* Sets the text that xt_print adds to the current node. */
XE_FN_ void xt_remark_(xt_ctx *x, const char *text)
{
    xt_remark_of_ *r = (xt_remark_of_ *)spe_list_add(&x->m, &x->remarks, sizeof *r);
    if (!r) return;
    r->node = x->at;
    r->text = text;
}

/* lower/numbers.c - writes operations on numbers. */

/* The id of a scalar constant of a type, in coopmatrix.h's storage type (bf16 and 8-bit floats as bits). */
XE_FN_ spe_id xt_constant_(xt_ctx *x, int type, const xt_val *v)
{
    spe_id t = xt_spe_type_(x, type);
    double real = v->real;
    if (type == XT_BOOL_) return spe_const_bool(&x->m, v->integer != 0);
    if (type == CM_BF16 || xt_is_small_(type))
        return spe_const_u(&x->m, t,
                           spe_real_bits(xt_encoding_(type), xt_float_width_(type), real, xt_is_small_(type)));
    if (type == CM_TF32) real = spe_real_of_bits(SPE_IEEE, 19, spe_real_bits(SPE_IEEE, 19, real, false));
    if (xt_is_float_(type)) return spe_const_f(&x->m, t, real);
    return xt_is_signed_(type) ? spe_const_i(&x->m, t, v->integer) : spe_const_u(&x->m, t, (uint64_t)v->integer);
}

/* The id of a number already written, or of a constant of `type`. */
XE_FN_ spe_id xt_id_(xt_ctx *x, const xt_val *v, int type)
{
    return xt_is_constant_(v) ? xt_constant_(x, type, v) : v->id;
}

/* The id of a recorded number in this version; of a constant as `type`. */
XE_FN_ spe_id xt_now_id_(xt_ctx *x, const xt_val *v, int type)
{
    xt_val now = xt_now_(x, v);
    return xt_id_(x, &now, type);
}

XE_FN_ spe_id xt_index_id_(xt_ctx *x, const xt_val *v) { return xt_id_(x, v, CM_I32); }

/* The number of a matrix's lines. Pitches are read as i32: with one of 2^31 or more, whose lines would lie before the
 * matrix, it has none. A pitch that is the extent along a line needs no test, since that is as negative. */
XE_FN_ spe_id xt_lines_id_(xt_ctx *x, const xt_tile *t)
{
    spe_module *m = &x->m;
    int along = xt_inner_(t);
    spe_id lines = xt_index_id_(x, &t->shape[!along]);
    if (t->pitch.kind == SPE_INT || t->pitch.id == t->shape[along].id || t->base.local) return lines;
    spe_id zero = spe_i32(m, 0);
    return spe_select(m, spe_slt(m, xt_index_id_(x, &t->pitch), zero), zero, lines);
}

/* A constant as an integer of the type: its low bits, as of other numbers; a floating one is truncated first. */
XE_ONCE_
XE_FN_ xt_val xt_integer_constant_(int type, const xt_val *v)
{
    int unused = 64 - xt_bits_(type);
    uint64_t bits = (uint64_t)v->integer;
    int64_t integer;
    if (v->kind == SPE_REAL) {
        spe_real_to_int(v->real, &integer);
        bits = (uint64_t)integer;
    }
    bits <<= unused;
    return spe_val_int(xt_is_signed_(type) ? (int64_t)bits >> unused : (int64_t)(bits >> unused));
}

XE_FN_ spe_id xt_emit_cast_(xt_ctx *x, int type, const xt_val *v)
{
    spe_id t = xt_spe_type_(x, type);
    xt_val c = *v, one = spe_val_int(1), zero = spe_val_int(0);
    if (xt_is_constant_(v) && !xt_is_float_(type)) c = xt_integer_constant_(type, v);
    if (xt_is_constant_(v)) return xt_constant_(x, type, &c);
    if (v->type == XT_BOOL_) {
        spe_id otherwise = xt_constant_(x, type, &zero);
        return spe_select(&x->m, v->id, xt_constant_(x, type, &one), otherwise);
    }
    spe_id id = v->type == CM_BF16 ? cm_to_arith(&x->cm, CM_BF16, v->id) : v->id;
    return spe_cast(&x->m, t, id, xt_is_signed_(xt_is_float_(v->type) ? type : v->type));
}

/* Writes a number in the prologue. Constants take the other operand's type. */
XE_FN_ spe_id xt_emit_hoisted_(xt_ctx *x, const xt_val *v, int type)
{
    if (v->kind == SPE_INT) return xt_constant_(x, type, v);
    xt_value_ *value = xt_value_at_(x, v->id);
    if (value->hoisted_id) return value->hoisted_id;
    const xt_node_ *n = xt_node_at_(x, value->node);
    const xt_val *a = xt_number_(x, n->operands > 0 ? n->operand[0] : 0);
    if (n->op == XT_OP_ARGUMENT_)
        value->hoisted_id = spe_param_id(&x->m, (uint32_t)n->kind);
    else if (n->op == XT_OP_BUILTIN_)
        value->hoisted_id = spe_builtin(&x->m, (spe_builtin_name)n->kind, (uint32_t)n->type);
    else if (n->op == XT_OP_CAST_NUMBER_) {
        spe_id id = xt_emit_hoisted_(x, a, n->type);
        value->hoisted_id = spe_cast(&x->m, xt_spe_type_(x, n->type), id, xt_is_signed_(xt_carried_type_(a)));
    } else {
        spe_id p = xt_emit_hoisted_(x, a, n->type), q = xt_emit_hoisted_(x, xt_number_(x, n->operand[1]), n->type);
        value->hoisted_id = xt_emit_arith_(&x->m, n->kind, n->type, p, q);
    }
    return value->hoisted_id;
}

/* Of what nothing uses only the type is known: to write a use of it is an error (id 0). */
XE_FN_ void xt_define_unused_(xt_ctx *x, uint32_t value, int type) { xt_define_(x, value, xt_scalar_(type, 0, 1)); }

XE_FN_ void xt_write_argument_(xt_ctx *x, const xt_node_ *n)
{
    xt_val v = x->args[n->kind];
    v.id = spe_param_id(&x->m, (uint32_t)n->kind);
    xt_define_(x, n->result, v);
}

XE_FN_ void xt_write_builtin_(xt_ctx *x, const xt_node_ *n)
{
    spe_id id = spe_builtin(&x->m, (spe_builtin_name)n->kind, (uint32_t)n->type);
    xt_define_(x, n->result, xt_scalar_(CM_I32, id, 1));
}

/* Values a loop carries unchanged may prove to be constants. */
XE_FN_ void xt_write_binary_number_(xt_ctx *x, const xt_node_ *n)
{
    const xt_val *operand[2] = {xt_number_(x, n->operand[0]), xt_number_(x, n->operand[1])};
    xt_val a = xt_now_(x, operand[0]), b = xt_now_(x, operand[1]);
    const xt_val *same = xt_neutral_(n->kind, &a, &b);
    int result = xt_is_compare_(n->kind) ? XT_BOOL_ : n->type;
    if (xt_value_at_(x, n->result)->unused) {
        xt_define_unused_(x, n->result, result);
        return;
    }
    if (xt_folds_(n->kind, &a, &b)) {
        xt_define_(x, n->result, xt_fold_(n->kind, &a, &b));
        return;
    }
    if (same && (xt_is_constant_(same) || same->type == n->type)) {
        const xt_val *from = operand[same != &a];
        xt_define_(x, n->result, *same);
        if (from->kind != SPE_SCALAR) return;
        xt_value_at_(x, n->result)->start = xt_value_at_(x, from->id)->start;
        xt_value_at_(x, n->result)->advance = xt_value_at_(x, from->id)->advance;
        return;
    }
    spe_id p = xt_id_(x, &a, n->type);
    spe_id q = xt_id_(x, &b, n->type);
    if (n->type != XT_BOOL_)
        p = xt_emit_arith_(&x->m, n->kind, n->type, p, q);
    else
        p = n->kind == SPE_ARITH_AND ? spe_land(&x->m, p, q) : spe_lor(&x->m, p, q);
    xt_define_(x, n->result, xt_scalar_(result, p, xt_is_int_(n->type) ? xt_align_result_(n->kind, &a, &b) : 1));
}

XE_FN_ void xt_write_cast_number_(xt_ctx *x, const xt_node_ *n)
{
    xt_val v = xt_now_(x, xt_number_(x, n->operand[0]));
    xt_define_(x, n->result, xt_scalar_(n->type, xt_emit_cast_(x, n->type, &v), xt_val_align_(&v)));
}

XE_FN_ void xt_write_select_number_(xt_ctx *x, const xt_node_ *n)
{
    xt_val v[3];
    for (int i = 0; i < 3; i++) v[i] = xt_now_(x, xt_number_(x, n->operand[i]));
    if (v[0].kind == SPE_INT) {
        xt_define_(x, n->result, v[0].integer ? v[1] : v[2]);
        return;
    }
    spe_id a = xt_id_(x, &v[1], n->type);
    spe_id b = xt_id_(x, &v[2], n->type);
    xt_define_(x, n->result, xt_scalar_(n->type, spe_select(&x->m, v[0].id, a, b), 1));
}

/* lower/vectors.c - writes vectors: positions of subgroups, layouts, constants. */

/* Finds or adds the row of a key, at most XT_LANES_MAX_ bytes, whose id the caller computes; NULL without memory. */
XE_FN_ xt_once_ *xt_once_at_(xt_ctx *x, xt_once_kind_ kind, const void *key, size_t size)
{
    xt_once_ row = XT_ZERO_, *found;
    row.kind = kind;
    memcpy(row.key, key, size);
    for (int i = 0; i < x->once.count; i++) {
        found = (xt_once_ *)x->once.items + i;
        if (found->kind == kind && memcmp(found->key, row.key, sizeof row.key) == 0) return found;
    }
    found = (xt_once_ *)spe_list_add(&x->m, &x->once, sizeof *found);
    if (found) *found = row;
    return found;
}

/* A subgroup's position: ((id / across or id % layout) % count) * data. */
XE_FN_ spe_id xt_piece_offset_id_(xt_ctx *x, const xt_dist *d, int dim)
{
    const int across = d->layout[1], layout = d->layout[dim], count = d->count[dim], data = d->data[dim];
    const int key[] = {dim, across, layout, count, data};
    spe_module *m = &x->m;
    if (!xt_has_piece_offset_(d, dim)) return spe_i32(m, 0);
    xt_once_ *row = xt_once_at_(x, XT_ONCE_PIECE_OFFSET_, key, sizeof key);
    if (!row || row->id) return row ? row->id : 0;
    spe_prologue_begin(m);
    row->id = spe_builtin(m, SPE_SUBGROUP_ID, 0);
    if (dim == 0 && across > 1) row->id = spe_udiv(m, row->id, spe_u32(m, (uint32_t)across));
    if (dim == 1 && d->layout[0] > 1) row->id = spe_umod(m, row->id, spe_u32(m, (uint32_t)layout));
    if (count < layout) row->id = spe_umod(m, row->id, spe_u32(m, (uint32_t)count));
    if (data > 1) row->id = spe_imul(m, row->id, spe_u32(m, (uint32_t)data));
    spe_prologue_end(m);
    return row->id;
}

/* Is this the first of the subgroups that share its pieces? 0: none are shared. */
XE_FN_ spe_id xt_is_first_(xt_ctx *x, const xt_dist *d)
{
    const int key[] = {d->layout[0], d->layout[1], d->count[0], d->count[1]};
    spe_module *m = &x->m;
    if (!d->subgroups || (d->count[0] >= d->layout[0] && d->count[1] >= d->layout[1])) return 0;
    xt_once_ *row = xt_once_at_(x, XT_ONCE_FIRST_, key, sizeof key);
    if (!row || row->id) return row ? row->id : 0;
    spe_prologue_begin(m);
    spe_id id = spe_builtin(m, SPE_SUBGROUP_ID, 0), across = spe_u32(m, (uint32_t)d->layout[1]);
    spe_id at[2] = {d->layout[1] > 1 ? spe_udiv(m, id, across) : id, d->layout[0] > 1 ? spe_umod(m, id, across) : id};
    for (int i = 0; i < 2; i++) {
        if (d->count[i] >= d->layout[i]) continue;
        spe_id below = spe_ult(m, at[i], spe_u32(m, (uint32_t)d->count[i]));
        row->id = row->id ? spe_land(m, row->id, below) : below;
    }
    spe_prologue_end(m);
    return row->id;
}

/* A tile in its current state, from the first of the work-group's pieces on. */
XE_FN_ xt_tile xt_group_tile_(xt_ctx *x, const xt_tile *of)
{
    xt_tile t = xt_now_tile_(x, of);
    for (int i = 0; i < 2; i++) {
        spe_id place = xt_piece_offset_id_(x, &t.dist, i), at = spe_isub(&x->m, xt_index_id_(x, &t.offset[i]), place);
        t.offset[i] = xt_scalar_(CM_I32, at, 1);
    }
    return t;
}

XE_FN_ void xt_write_piece_offset_(xt_ctx *x, const xt_node_ *n)
{
    const xt_dist *d = n->dist;
    xt_define_(x, n->result, xt_scalar_(CM_I32, xt_piece_offset_id_(x, d, n->kind), xt_align_of_(d->data[n->kind])));
}

/* A node's vector, in its chosen layout, with blocks allocated. */
XE_FN_ xt_fragments_ xt_make_vec_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ v = xt_form_of_(x, n->result);
    xt_grid_ g;
    v.use = xt_lane_layout_(x, n->result);
    xt_grid_init_(x, &g, &v.dist);
    v.block = (cm_matrix *)xt_memory_(x, (size_t)g.blocks * sizeof *v.block);
    v.blocks = v.block ? g.blocks : 0;
    return v;
}

/* The ids that a vector consists of; ids NULL: only their number. */
XE_FN_ int xt_vec_ids_(const xt_fragments_ *v, spe_id *ids)
{
    int n = 0;
    for (int i = 0; i < v->blocks; n += v->block[i++].parts)
        if (ids) memcpy(ids + n, v->block[i].part, (size_t)v->block[i].parts * sizeof *ids);
    return n;
}

/* A vector like another, of ids in that order. */
XE_FN_ xt_fragments_ xt_vec_from_ids_(xt_ctx *x, const xt_fragments_ *like, const spe_id *ids)
{
    xt_fragments_ v = *like;
    int n = 0;
    v.block = (cm_matrix *)xt_memory_(x, (size_t)v.blocks * sizeof *v.block);
    if (!v.block) v.blocks = 0;
    for (int i = 0; i < v.blocks; n += like->block[i++].parts)
        v.block[i] = cm_from_parts(&x->cm, &like->block[i].layout, ids + n);
    return v;
}

/* Converts a vector to the layout of a use, if necessary. */
XE_FN_ xt_fragments_ xt_as_use_(xt_ctx *x, const xt_fragments_ *v, cm_use use)
{
    xt_fragments_ r = *v;
    if (v->use == use || !v->blocks) return r;
    r.use = use;
    r.block = (cm_matrix *)xt_memory_(x, (size_t)v->blocks * sizeof *r.block);
    if (!r.block) return *v;
    bool opaque = xt_is_opaque_(use) || xt_is_opaque_(v->use);
    for (int i = 0; i < v->blocks; i++)
        r.block[i] = opaque ? x->vulkan->convert(x, v, i, use) : cm_convert_use(&x->cm, &v->block[i], use);
    return r;
}

/* The number of XT_SPLAT, in the vector's storage type. */
XE_FN_ spe_id xt_splat_scalar_(xt_ctx *x, const xt_node_ *n)
{
    const xt_val *number = xt_number_(x, n->operand[0]);
    cm_type storage = xt_storage_type_(xt_vector_(x, n->result)->type);
    spe_id scalar = xt_now_id_(x, number, (int)storage);
    if (number->kind == SPE_SCALAR && number->type != (int)storage) scalar = cm_from_arith(&x->cm, storage, scalar);
    return scalar;
}

/* A recorded vector in this version, in a given layout. */
XE_FN_ xt_fragments_ xt_now_as_(xt_ctx *x, uint32_t id, cm_use use)
{
    xt_fragments_ now = xt_now_vec_(x, id);
    const xt_node_ *n = xt_node_at_(x, xt_value_at_(x, id)->node);
    if (xt_is_opaque_(use) && now.use != use && n->op == XT_OP_SPLAT_ && n->result == id)
        return x->vulkan->splat(x, id, use, xt_splat_scalar_(x, n));
    return xt_as_use_(x, &now, use);
}

/* Results are computed in the accumulator's layout, then converted to the planned one. */
XE_FN_ xt_fragments_ xt_finish_vec_(xt_ctx *x, xt_fragments_ r)
{
    cm_use use = r.use;
    r.use = CM_ACC;
    return xt_as_use_(x, &r, use);
}

XE_FN_ void xt_write_splat_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ v = xt_make_vec_(x, n);
    cm_type storage = xt_storage_type_(v.type);
    spe_id scalar = xt_splat_scalar_(x, n);
    if (xt_value_is_opaque_(x, n->result)) {
        xt_define_vec_(x, n->result, x->vulkan->splat(x, n->result, CM_OPAQUE_ACC, scalar));
        return;
    }
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_next_block_(&b);)
        v.block[b.i] = cm_splat(&x->cm, b.cols, b.rows, storage, v.use, scalar);
    xt_define_vec_(x, n->result, v);
}

/* An i32 converted to a type's storage type. */
XE_FN_ spe_id xt_from_i32_(xt_ctx *x, int type, spe_id v)
{
    spe_id f32 = spe_float(&x->m, 32);
    if (type == CM_BF16) return cm_f32_to_bf16(&x->cm, spe_s_to_f(&x->m, f32, v));
    if (xt_is_float_(type)) return spe_s_to_f(&x->m, xt_spe_type_(x, type), v);
    return xt_bits_(type) == 32 ? v : spe_sconvert(&x->m, xt_spe_type_(x, type), v);
}

XE_FN_ cm_matrix xt_iota_block_(xt_ctx *x, int type, const xt_block_ *b, int dim, spe_id place)
{
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, (cm_type)type, CM_ACC);
    spe_id *v = (spe_id *)xt_memory_(x, (size_t)l.size_v * sizeof *v);
    int first = dim ? b->col : b->row;
    for (int i = 0; v && i < l.size_v; i++) {
        spe_id at = dim ? cm_row_index(&x->cm, &l, i) : cm_col_index(&x->cm, &l, i);
        at = spe_iadd(&x->m, at, spe_iadd(&x->m, place, spe_i32(&x->m, first)));
        v[i] = xt_from_i32_(x, type, at);
    }
    return v && spe_ok(&x->m) ? cm_from_components(&x->cm, &l, v) : cm_poison();
}

XE_FN_ void xt_write_iota_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ r = xt_make_vec_(x, n);
    spe_id at = xt_piece_offset_id_(x, &r.dist, n->kind);
    for (xt_block_ b = xt_blocks_(x, &r.dist); r.blocks && xt_next_block_(&b);)
        r.block[b.i] = xt_iota_block_(x, (int)r.type, &b, n->kind, at);
    xt_define_vec_(x, n->result, xt_finish_vec_(x, r));
}

/* Puts the numbers in a constant array of the module. */
XE_FN_ spe_id xt_emit_table_(xt_ctx *x, cm_type storage, const xt_table_of_ *t, int n)
{
    spe_id *ids = (spe_id *)xt_memory_(x, (size_t)n * sizeof *ids);
    for (int i = 0; ids && i < n; i++) {
        xt_val v = t->reals ? spe_val_real(t->reals[i]) : spe_val_int(t->integers[i]);
        ids[i] = xt_constant_(x, (int)storage, &v);
    }
    if (!ids) return 0;
    spe_id array = spe_array(&x->m, xt_spe_type_(x, (int)storage), (uint32_t)n);
    return spe_global_var(&x->m, SPE_StorageClassUniformConstant, array,
                          spe_composite_const(&x->m, array, (uint32_t)n, ids));
}

XE_FN_ cm_matrix xt_table_block_(xt_ctx *x, const xt_fragments_ *r, const xt_block_ *b, spe_id array)
{
    spe_module *m = &x->m;
    cm_type storage = xt_storage_type_(r->type);
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, storage, CM_ACC);
    spe_id *v = (spe_id *)xt_memory_(x, (size_t)l.size_v * sizeof *v), place[2], at[2];
    int first[2] = {b->row, b->col};
    for (int j = 0; j < 2; j++) {
        spe_id from = spe_i32(m, first[j]);
        place[j] = spe_iadd(m, xt_piece_offset_id_(x, &r->dist, j), from);
    }
    spe_id last = spe_i32(m, r->dist.shape[0] * r->dist.shape[1] - 1);
    for (int i = 0; v && i < l.size_v; i++) {
        at[0] = spe_iadd(m, cm_col_index(&x->cm, &l, i), place[0]);
        at[1] = spe_iadd(m, cm_row_index(&x->cm, &l, i), place[1]);
        at[0] = spe_iadd(m, spe_imul(m, at[0], spe_i32(m, r->dist.shape[1])), at[1]);
        if (l.size_i < l.lanes || b->valid < b->cols) at[0] = spe_math2(m, SPE_SMIN, at[0], last); /* padding */
        v[i] = spe_load(m, spe_element(m, array, 1, at), (uint32_t)xt_bytes_(r->type));
    }
    return v && spe_ok(m) ? cm_from_components(&x->cm, &l, v) : cm_poison();
}

XE_FN_ void xt_write_table_(xt_ctx *x, const xt_node_ *n)
{
    const xt_table_of_ *t = n->table;
    xt_fragments_ r = xt_make_vec_(x, n);
    if (!*t->array)
        *t->array = xt_emit_table_(x, xt_storage_type_(r.type), t, r.dist.shape[0] * r.dist.shape[1]);
    for (xt_block_ b = xt_blocks_(x, &r.dist); r.blocks && xt_next_block_(&b);)
        r.block[b.i] = xt_table_block_(x, &r, &b, *t->array);
    xt_define_vec_(x, n->result, xt_finish_vec_(x, r));
}

/* lower/condition.c - the condition for 2D block messages, computed before the body. */

/* An address as a pointer to elements of a type. */
XE_FN_ spe_id xt_emit_pointer_(xt_ctx *x, int type, spe_id address)
{
    return spe_u_to_ptr(&x->m, spe_ptr(&x->m, SPE_StorageClassCrossWorkgroup, xt_spe_type_(x, type)), address);
}

/* The base of a tile's matrix as a pointer, in the prologue. */
XE_FN_ spe_id xt_emit_base_(xt_ctx *x, const xt_plan_tile_ *p)
{
    const xt_val *base = xt_number_(x, p->of->operand[XT_INIT_BASE_]);
    spe_id id = xt_emit_hoisted_(x, base, base->type);
    return base->kind == SPE_POINTER ? id : xt_emit_pointer_(x, (int)xt_tile_(x, p->of->result)->type, id);
}

/* Can 2D block messages access this tile's matrix? */
XE_FN_ spe_id xt_emit_tile_test_(xt_ctx *x, const xt_plan_tile_ *p)
{
    const xt_tile *t = xt_tile_(x, p->of->operand[XT_INIT_MATRIX_]);
    cm_mem mem = XT_ZERO_;
    mem.ptr = xt_emit_base_(x, p);
    mem.rows = p->extent_id[1];
    mem.cols = p->extent_id[0];
    mem.stride_row = t->column_major ? xt_emit_hoisted_(x, &t->pitch, CM_I32) : spe_i32(&x->m, 1);
    mem.stride_col = t->column_major ? spe_i32(&x->m, 1) : xt_emit_hoisted_(x, &t->pitch, CM_I32);
    return cm_block2d_test(&x->cm, t->type, &mem);
}

XE_ONCE_
XE_FN_ bool xt_same_matrix_(xt_ctx *x, const xt_plan_tile_ *p, const xt_plan_tile_ *q)
{
    const xt_tile *t = xt_tile_(x, p->of->result), *u = xt_tile_(x, q->of->result);
    return p->of->operand[XT_INIT_BASE_] == q->of->operand[XT_INIT_BASE_] && p->extent_id[0] == q->extent_id[0] &&
           p->extent_id[1] == q->extent_id[1] && p->pitch_id == q->pitch_id && t->type == u->type &&
           t->column_major == u->column_major;
}

XE_FN_ spe_id xt_both_(xt_ctx *x, spe_id a, spe_id b) { return a ? spe_land(&x->m, a, b) : b; }

XE_FN_ spe_id xt_emit_need_(xt_ctx *x, const xt_plan_offset_ *o)
{
    spe_id v = xt_emit_hoisted_(x, xt_number_(x, o->value), CM_I32);
    if (o->narrow) v = spe_cast(&x->m, spe_int(&x->m, 32), v, true);
    if (o->below) {
        spe_id below = xt_emit_hoisted_(x, xt_number_(x, o->below), CM_I32);
        return o->bound ? spe_ule(&x->m, v, below) : spe_ult(&x->m, v, below);
    }
    spe_id zero = spe_i32(&x->m, 0);
    return spe_ieq(&x->m, spe_and(&x->m, v, spe_i32(&x->m, o->mask)), zero);
}

XE_FN_ bool xt_is_false_(xt_ctx *x, spe_id condition)
{
    uint64_t bits;
    return spe_const_bits(&x->m, condition, &bits) && bits == 0;
}

/* The condition for the version with 2D block messages, in the prologue; 0 if no tile can use them. */
XE_FN_ spe_id xt_emit_condition_(xt_ctx *x)
{
    spe_id all = 0;
    spe_prologue_begin(&x->m);
    for (int i = 0; i < x->tiles.count; i++) {
        xt_plan_tile_ *p = xt_plan_tile_at_(x, i), *root = xt_plan_tile_at_(x, xt_tile_root_(x, i));
        const xt_tile *matrix = xt_tile_(x, p->of->operand[XT_INIT_MATRIX_]);
        if (!root->used || root->why_not) continue;
        for (int j = 0; j < 2; j++) { /* any number of lines is legal if the body computes it: xt_make_lines_legal_ */
            const xt_val *extent = &matrix->shape[j];
            p->extent_id[j] = xt_is_hoistable_(x, extent) ? xt_emit_hoisted_(x, extent, CM_I32) : spe_i32(&x->m, 1);
        }
        p->pitch_id = xt_emit_hoisted_(x, &matrix->pitch, CM_I32);
        for (int j = 0; j < i && !p->test; j++)
            if (xt_plan_tile_at_(x, j)->test && xt_same_matrix_(x, xt_plan_tile_at_(x, j), p))
                p->test = xt_plan_tile_at_(x, j)->test;
        if (!p->test) p->test = xt_emit_tile_test_(x, p);
        if (xt_is_false_(x, p->test)) root->why_not = "a matrix that is known not to qualify";
    }
    for (int i = 0; i < x->tiles.count; i++) {
        xt_plan_tile_ *p = xt_plan_tile_at_(x, i);
        bool seen = false;
        if (xt_plan_tile_at_(x, xt_tile_root_(x, i))->why_not) p->test = 0;
        if (!p->test) continue;
        for (int j = 0; j < i; j++) seen = seen || xt_plan_tile_at_(x, j)->test == p->test;
        if (!seen) all = xt_both_(x, all, p->test);
    }
    for (int i = 0; i < x->offsets.count && all; i++) {
        const xt_plan_offset_ *o = (const xt_plan_offset_ *)x->offsets.items + i;
        const xt_plan_tile_ *root = xt_plan_tile_at_(x, xt_tile_root_(x, o->tile));
        if (!root->used || root->why_not) continue;
        all = xt_both_(x, all, xt_emit_need_(x, o));
    }
    spe_prologue_end(&x->m);
    return all;
}

/* lower/tiles.c - writes local memory and tiles. */

/* An array in local memory. */
XE_FN_ spe_id xt_shared_array_(spe_module *m, spe_id type, int64_t elements)
{
    spe_id array = spe_shared_var(m, spe_array(m, type, (uint32_t)elements));
    uint32_t align = XT_LOCAL_ALIGN_;
    spe_decorate(m, array, SPE_DecorationAlignment, 1, &align);
    return array;
}

/* The pointer to the first element is made before the body, so that all versions can use it. */
XE_FN_ void xt_write_local_(xt_ctx *x, const xt_node_ *n)
{
    xt_local_array_ *array = n->local;
    spe_id zero = spe_u32(&x->m, 0), of = xt_spe_type_(x, xt_storage_type_(n->type));
    spe_prologue_begin(&x->m);
    if (!array->id) array->id = spe_element(&x->m, xt_shared_array_(&x->m, of, array->elements), 1, &zero);
    spe_prologue_end(&x->m);
    xt_val v = spe_val_of(SPE_POINTER, n->type, array->id);
    v.local = true;
    xt_define_(x, n->result, v);
}

XE_FN_ void xt_write_pointer_(xt_ctx *x, const xt_node_ *n)
{
    spe_id address = xt_now_id_(x, xt_number_(x, n->operand[0]), CM_I64);
    address = xt_emit_pointer_(x, (int)xt_storage_type_((cm_type)n->type), address);
    xt_define_(x, n->result, spe_val_of(SPE_POINTER, n->type, address));
}

XE_FN_ void xt_write_matrix_(xt_ctx *x, const xt_node_ *n)
{
    xt_tile before = xt_now_tile_(x, xt_tile_(x, n->operand[0]));
    int across = 1 - xt_inner_(&before);
    spe_id lines = xt_index_id_(x, &before.shape[across]), inside = 0;
    /* with 2D block messages, this version's condition has tested it, or the caller has promised it */
    bool known = xt_by_block2d_(x, &before) &&
                 (x->desc->pitch == XT_PITCH_ALIGNED || !xt_plan_tile_at_(x, before.number)->lines_in_body);
    for (int i = 3; i < n->operands && !known; i += 2) { /* pairs of offset and extent */
        spe_id p = xt_now_id_(x, xt_number_(x, n->operand[i]), CM_I32);
        spe_id one = spe_ult(&x->m, p, spe_extent(&x->m, xt_now_id_(x, xt_number_(x, n->operand[i + 1]), CM_I32)));
        inside = inside ? spe_land(&x->m, inside, one) : one;
    }
    if (inside) lines = spe_select(&x->m, inside, lines, spe_i32(&x->m, 0));
    before.base.id = spe_index(&x->m, before.base.id, xt_now_id_(x, xt_number_(x, n->operand[2]), CM_I64));
    xt_define_(x, n->result, before.base);
    xt_define_(x, n->result + 1, xt_scalar_(CM_I32, lines, 1));
}

/* The scalars of a tile as ids, in the order of xt_plan_tile_.made; of an offset that a loop advances, the start. */
XE_FN_ void xt_tile_ids_(xt_ctx *x, const xt_tile *t, spe_id ids[XT_COMPONENTS_])
{
    xt_tile now = xt_now_tile_(x, t);
    for (int i = 0; i < 2; i++) {
        spe_id start = t->offset[i].kind == SPE_SCALAR ? xt_value_at_(x, t->offset[i].id)->start : 0;
        ids[i] = start ? start : xt_index_id_(x, &now.offset[i]);
        ids[2 + i] = xt_index_id_(x, &now.shape[i]);
    }
    ids[4] = xt_index_id_(x, &now.pitch);
    ids[5] = now.base.id;
}

/* Records a tile's scalars in this version, so that tiles moved only by loops can be recognised. */
XE_FN_ void xt_write_init_tile_(xt_ctx *x, const xt_node_ *n)
{
    const xt_tile *t = xt_tile_(x, n->result);
    if (!t->scatter && t->dist.subgroups > 1 && !t->base.local)
        xt_tile_ids_(x, t, xt_plan_tile_at_(x, t->number)->made);
}

/* lower/chooser.c - how an access to a tile is made: by 2D block messages or element by element. Passes, what is
 * written and xt_print all ask here. */

/* Why a block cannot be accessed by messages even in a matrix that qualifies; NULL if it can. access: the layout in
 * which it is loaded, a cm_use, or XT_STORED_ ... */
XE_FN_ const char *xt_why_not_block_(xt_ctx *x, const xt_tile *t, const xt_block_ *b, int access)
{
    int bytes = xt_bytes_(t->type), in = t->column_major ? b->row : b->col;
    bool store = access == XT_STORED_;
    if (access == XT_VISITED_) return "each element by itself";
    if (in * bytes % 4) return "blocks that begin within 4 bytes";
    if (access == XT_FETCHED_) return NULL;
    if (store && b->valid < b->cols) return "pieces narrower than whole subgroups are stored";
    if (store && t->column_major) return "there are no messages that store columns";
    return cm_block2d_covers(&x->cm, b->cols, b->rows, xt_storage_type_(t->type), store ? CM_ACC : (cm_use)access,
                             t->column_major, store)
               ? NULL
               : "no message has such a block";
}

/* Does a load pad with what messages read outside, all bits zero? -0.0 is not. */
XE_FN_ bool xt_pads_with_zero_(int type, double padding)
{
    const double zero = 0;
    return xt_is_float_(type) ? memcmp(&padding, &zero, sizeof zero) == 0 : padding == 0;
}

/* How the blocks of a node's tile are accessed in the version with messages. */
XE_FN_ xt_access_ xt_access_by_(xt_ctx *x, const xt_node_ *n)
{
    const xt_tile *t = xt_accessed_(x, n);
    xt_access_ a = {0, 0, NULL};
    if (!t) return a;
    int access = n->op == XT_OP_STORE_TILE_ ? XT_STORED_ : XT_FETCHED_;
    if (n->op == XT_OP_LOAD_TILE_) access = (int)xt_layout_(x, n->result);
    a.why = xt_why_not_block2d_(x, t);
    for (xt_block_ b = xt_blocks_(x, &t->dist); xt_next_block_(&b); a.blocks++) {
        const char *why = a.why && !a.by_messages ? a.why : xt_why_not_block_(x, t, &b, access);
        if (why) a.why = why;
        else a.by_messages++;
    }
    return a;
}

/* lower/access.c - blocks of tiles in memory. */

/* Adds a block's position to the address if nothing is checked, so that coopmatrix.h can access several elements at
 * once where the alignment allows. The position is a multiple of `line` elements across lines and of `along` within a
 * line. */
XE_FN_ void xt_fold_offset_(xt_ctx *x, cm_mem *mem, int bytes, int64_t line, int64_t along)
{
    spe_module *m = &x->m;
    int64_t align = XT_LOCAL_ALIGN_;
    if (line * bytes < align) align = line * bytes;
    if (along * bytes < align) align = along * bytes;
    spe_id at = spe_imul(m, mem->col, mem->stride_col);
    at = spe_iadd(m, spe_imul(m, mem->row, mem->stride_row), at);
    mem->ptr = spe_index(m, mem->ptr, at);
    mem->row = mem->col = spe_i32(m, 0);
    mem->align = (uint32_t)align;
}

/* Excludes columns of a block beyond its piece: they must not be written, and may read as anything. 2D block messages
 * read up to the end of the matrix, whose width is known to be legal. extent: of columns. */
XE_FN_ void xt_leave_out_(xt_ctx *x, cm_mem *mem, const xt_block_ *b, const xt_val *extent)
{
    spe_module *m = &x->m;
    if (b->valid == b->cols) return;
    spe_id end = spe_iadd(m, mem->row, spe_i32(m, b->valid));
    if (mem->rows) {
        spe_id zero = spe_i32(m, 0);
        end = spe_math2(m, SPE_SMAX, spe_math2(m, SPE_SMIN, end, mem->rows), zero);
    }
    mem->rows = mem->block2d == CM_BLOCK2D_YES ? xt_index_id_(x, extent) : end;
}

/* A surface's address, of its own on each side of an XT_IF: see spe_differ. */
XE_FN_ spe_id xt_side_address_(xt_ctx *x, spe_id address)
{
    if (x->side) spe_differ(&x->m, x->side, 1, &address);
    return address;
}

XE_ONCE_
XE_FN_ spe_id xt_side_pointer_(xt_ctx *x, spe_id ptr)
{
    spe_id i64 = spe_int(&x->m, 64), type = spe_type_of(&x->m, ptr);
    if (!x->side || !x->target.igc) return ptr;
    return spe_u_to_ptr(&x->m, type, xt_side_address_(x, spe_ptr_to_u(&x->m, i64, ptr)));
}

/* Makes the number of lines of a surface legal where it was not known before the body: if there are none, the position
 * is beyond the only line. */
XE_FN_ void xt_make_lines_legal_(spe_module *m, spe_id *lines, spe_id *at)
{
    spe_id most = spe_i32(m, 1 << 24), one = spe_i32(m, 1);
    *at = spe_select(m, spe_slt(m, *lines, one), most, *at);
    *lines = spe_math2(m, SPE_SMIN, spe_math2(m, SPE_SMAX, *lines, one), most);
}

/* A block of a tile as memory for coopmatrix.h, transposed: its rows are our columns. */
XE_FN_ cm_mem xt_mem_(xt_ctx *x, const xt_tile *t, const xt_block_ *b, int access)
{
    cm_mem mem = XT_ZERO_;
    spe_id row = xt_index_id_(x, &t->offset[0]), col = xt_index_id_(x, &t->offset[1]),
           pitch = xt_index_id_(x, &t->pitch);
    int bytes = xt_bytes_(t->type), in = t->column_major ? b->row : b->col, out = t->column_major ? b->col : b->row;
    bool messages = xt_by_block2d_(x, t) && !xt_why_not_block_(x, t, b, access);
    mem.ptr = t->base.id;
    mem.rows = t->inside ? 0 : xt_index_id_(x, &t->shape[1]);
    mem.cols = t->inside ? 0 : xt_index_id_(x, &t->shape[0]);
    mem.row = b->col ? spe_iadd(&x->m, col, spe_i32(&x->m, b->col)) : col;
    mem.col = b->row ? spe_iadd(&x->m, row, spe_i32(&x->m, b->row)) : row;
    mem.stride_row = t->column_major ? pitch : spe_i32(&x->m, t->step);
    mem.stride_col = t->column_major ? spe_i32(&x->m, t->step) : pitch;
    mem.block2d = messages ? CM_BLOCK2D_YES : CM_BLOCK2D_NO;
    if (messages) mem.ptr = xt_side_pointer_(x, mem.ptr);
    else if (!t->inside) *(t->column_major ? &mem.rows : &mem.cols) = xt_lines_id_(x, t);
    if (messages && !t->inside && xt_plan_tile_at_(x, xt_tile_root_(x, t->number))->lines_in_body) {
        if (t->column_major) xt_make_lines_legal_(&x->m, &mem.rows, &mem.row);
        else xt_make_lines_legal_(&x->m, &mem.cols, &mem.col);
    }
    mem.band = t->base.local ? (uint32_t)xt_plan_tile_at_(x, t->number)->band : 0;
    if (mem.band) {
        mem.stride_row = spe_u32(&x->m, mem.band / (uint32_t)x->S);
        mem.stride_col = spe_i32(&x->m, x->S);
        xt_fold_offset_(x, &mem, bytes, x->S, x->S);
        mem.stride_row = spe_i32(&x->m, 1);
    } else if (t->base.local && t->inside && t->pitch.kind == SPE_INT && t->step == 1)
        xt_fold_offset_(x, &mem, bytes,
                       (int64_t)xt_align_of_(t->pitch.integer) *
                           xt_least_(xt_val_align_(&t->offset[1 - xt_inner_(t)]), xt_align_of_(out)),
                       xt_least_(xt_val_align_(&t->offset[xt_inner_(t)]), xt_align_of_(in)));
    else if (x->desc->pitch == XT_PITCH_ALIGNED && !t->base.local && in * bytes % 4 == 0)
        mem.align = in * bytes % 16 || xt_val_align_(&t->offset[xt_inner_(t)]) * bytes % 16 ? 4 : 16;
    xt_leave_out_(x, &mem, b, &t->shape[1]);
    return mem;
}

/* lower/borders.c - loads beyond the edges of a matrix, clamped or mirrored. */

/* Are `count` elements from `at` on inside 0 .. n - 1? Offsets near 2^31 are not. */
XE_FN_ spe_id xt_is_inside_(spe_module *m, spe_id at, int count, spe_id n)
{
    spe_id zero = spe_i32(m, 0), room = spe_isub(m, n, spe_i32(m, count));
    spe_id before = spe_sle(m, at, room);
    return spe_land(m, spe_sge(m, at, zero), before);
}

/* Loads a block: directly if all of it is inside, else element by element. */
XE_FN_ cm_matrix xt_load_bordered_(xt_ctx *x, const xt_tile *t, const xt_block_ *b, xt_border border, cm_use use)
{
    spe_module *m = &x->m;
    cm_mem mem = xt_mem_(x, t, b, (int)use), edge = mem;
    edge.rows = xt_index_id_(x, &t->shape[1]);
    edge.cols = xt_index_id_(x, &t->shape[0]);
    edge.border = border == XT_BORDER_CLAMP ? CM_BORDER_CLAMP : CM_BORDER_MIRROR;
    spe_id inside = xt_is_inside_(m, mem.row, b->valid, edge.rows);
    inside = spe_land(m, xt_is_inside_(m, mem.col, b->rows, edge.cols), inside);
    if (mem.block2d == CM_BLOCK2D_NO) mem.rows = mem.cols = 0; /* no checks */
    if (mem.block2d == CM_BLOCK2D_NO) xt_leave_out_(x, &mem, b, NULL);
    spe_if(m, inside);
    cm_matrix whole = cm_load(&x->cm, b->cols, b->rows, xt_storage_type_(t->type), use, &mem);
    spe_else(m, (uint32_t)whole.parts, whole.part);
    cm_matrix outside = cm_load(&x->cm, b->cols, b->rows, xt_storage_type_(t->type), use, &edge);
    if (!spe_ok(m) || outside.parts != whole.parts) return cm_poison();
    spe_endif(m, (uint32_t)whole.parts, outside.part, outside.part);
    return cm_from_parts(&x->cm, &whole.layout, outside.part);
}

/* lower/unroll.c - operands of products for several iterations of a loop, loaded by one message: where a tile advances
 * by its size along k in each iteration, the operands of the next iterations lie beside it. */

/* How many of a loop's iterations share their loads, so that registers have room for them: a divisor of the copies of
 * its body. */
XE_ONCE_
XE_FN_ int xt_iterations_per_load_(const xt_ctx *x, int copies)
{
    size_t room = (size_t)xt_register_bytes_(x) / 8 * 5;
    while (copies > 1 && x->accumulator_bytes + (x->product_bytes - x->accumulator_bytes) * (size_t)copies > room)
        copies /= 2;
    return copies;
}

/* The layout of a block for so many iterations; rows of the block are columns of the matrix. */
XE_FN_ cm_layout xt_unrolled_layout_(xt_ctx *x, const xt_fragments_ *v, const xt_block_ *b, int iterations)
{
    bool left = v->use == CM_B;
    return cm_layout_for(&x->cm, left ? b->cols * iterations : b->cols, left ? b->rows : b->rows * iterations, v->type,
                         v->use);
}

/* Does the layout for several iterations consist of theirs, one after the other along k? */
XE_FN_ bool xt_unrolled_fits_(xt_ctx *x, const xt_fragments_ *v, int iterations)
{
    int k = v->use == CM_B;
    xt_block_ b = xt_blocks_(x, &v->dist);
    if (v->use == CM_ACC || b.grid.cut[k].n > 1 || b.grid.rounds[k] > 1 || v->dist.data[k] != v->dist.shape[k] ||
        v->dist.data[1] % x->S || v->dist.data[k] * iterations > XT_CUT_LARGEST_)
        return false;
    while (xt_next_block_(&b)) {
        cm_layout one = xt_unrolled_layout_(x, v, &b, 1), all = xt_unrolled_layout_(x, v, &b, iterations);
        if (cm_part_count(&all) != iterations * cm_part_count(&one) ||
            all.size_k2 != one.size_k2 * (k ? iterations : 1))
            return false;
    }
    return spe_ok(&x->m);
}

/* An iteration's part of what was loaded for several. */
XE_FN_ cm_matrix xt_iteration_of_(xt_ctx *x, const cm_matrix *all, const cm_layout *l, int iteration)
{
    int n = cm_part_count(l), per_block = n / l->size_k2, all_per_block = all->parts / all->layout.size_k2;
    spe_id *part = all->parts ? (spe_id *)xt_memory_(x, (size_t)n * sizeof *part) : NULL;
    if (!part) return cm_poison();
    for (int i = 0; i < n; i++)
        part[i] = all->part[l->use == CM_B ? iteration * n + i
                                           : i / per_block * all_per_block + iteration * per_block + i % per_block];
    return cm_from_parts(&x->cm, l, part);
}

/* Loads v for the iterations that share their loads, in the first of them, or takes this iteration's part. False if the
 * iterations cannot share it. */
XE_FN_ bool xt_load_unrolled_(xt_ctx *x, const xt_node_ *n, const xt_tile *t, xt_fragments_ *v)
{
    const xt_frame_ *f = x->unrolled;
    xt_value_ *value = xt_value_at_(x, n->result);
    int k = v->use == CM_B, iteration = f ? f->copy % f->per_load : 0;
    if (!f || f->per_load == 1 || !xt_by_block2d_(x, t) || !xt_unrolled_fits_(x, v, f->per_load) ||
        !xt_advances_(x, xt_accessed_(x, n), f, k, v->dist.shape[k]))
        return false;
    if (!iteration) value->unrolled = (cm_matrix *)xt_memory_(x, (size_t)v->blocks * sizeof *v->block);
    for (xt_block_ b = xt_blocks_(x, &v->dist); value->unrolled && v->blocks && xt_next_block_(&b);) {
        cm_layout one = xt_unrolled_layout_(x, v, &b, 1), all = xt_unrolled_layout_(x, v, &b, f->per_load);
        cm_mem mem = xt_mem_(x, t, &b, (int)v->use);
        if (!iteration) value->unrolled[b.i] = cm_load(&x->cm, all.rows, all.cols, v->type, v->use, &mem);
        v->block[b.i] = xt_iteration_of_(x, &value->unrolled[b.i], &one, iteration);
    }
    return true;
}

/* How often the body of a loop is written for each iteration. Products of a few matrix instructions leave most of the
 * time to the loop itself and to waiting for loads; a second loop then makes the iterations that are left. */
XE_FN_ int xt_copies_(xt_ctx *x, const xt_frame_ *f, int most)
{
    enum { SUM = 8 * 16 * 4, DEEP = 32 }; /* bytes of the sum of a matrix instruction, and of its k */
    size_t products = 0, others = 0;
    int copies = 1;
    const xt_val *lo = xt_number_(x, f->lo), *step = xt_number_(x, f->step);
    if (lo->kind != SPE_INT || lo->integer < 0 || step->kind != SPE_INT || step->integer > 1 << 24) return 1;
    for (const xt_node_ *n = xt_node_at_(x, f->begin + 1); n->op != XT_OP_END_; n++) {
        if (xt_does_(n->op, XT_CHANGES_ | XT_BOUNDS_ | XT_WAITS_)) return 1;
        const xt_vec *left = n->op == XT_OP_TILE_MMA_ ? xt_vector_(x, n->operand[XT_MMA_LEFT_]) : NULL;
        if (!left && !xt_does_(n->op, XT_COMPUTES_)) continue;
        size_t size = (xt_vec_bytes_(xt_vector_(x, n->result)) + SUM - 1) / SUM;
        if (left) products += size * (size_t)((left->dist.data[1] * xt_bytes_((int)left->type) + DEEP - 1) / DEEP);
        else others += size;
    }
    while (products && copies < 4 && (products + others) * (size_t)copies * 2 <= (size_t)most) copies *= 2;
    return copies;
}

/* lower/prefetch.c - writes prefetch_tile. */

/* Two tiles in pieces of one shape: `across` elements of a line of memory, `down` lines. */
typedef struct {
    xt_tile tile[2];
    int across, down, pieces[2];
} xt_share_;

static const int xt_prefetch_levels_[] = {3, 2, 2, 0}; /* cm_prefetch's level by locality */

/* The messages that a subgroup needs for its pieces of `in` x `out` elements along and across lines of memory. */
XE_FN_ int xt_fetches_(const xt_dist *d, int in, int line)
{
    return xt_dist_pieces(d) * ((d->data[in] + line - 1) / line) * ((d->data[1 - in] + 31) / 32);
}

/* Which subgroup fetches which part of a tile does not matter: takes the pieces that need the fewest messages. */
XE_FN_ void xt_fewest_fetches_(xt_ctx *x, xt_tile *t)
{
    const int in = xt_inner_(t), out = 1 - in, line = 64 / xt_bytes_(t->type), *shape = t->dist.shape;
    xt_map map;
    xt_dist dist;
    map.sg_data[in] = xt_least_(shape[in], line);
    map.sg_layout[in] = xt_least_(shape[in] / map.sg_data[in], t->dist.subgroups);
    map.sg_layout[out] = t->dist.subgroups / map.sg_layout[in];
    map.sg_data[out] = xt_least_(shape[out], 32);
    while (map.sg_data[out] > 1 && shape[out] * 2 <= map.sg_data[out] * map.sg_layout[out]) map.sg_data[out] /= 2;
    if (xt_dist_init(&dist, shape[0], shape[1], &map) || dist.subgroups != t->dist.subgroups ||
        xt_fetches_(&dist, in, line) >= xt_fetches_(&t->dist, in, line))
        return;
    for (int i = 0; i < 2; i++) {
        spe_id from = xt_piece_offset_id_(x, &t->dist, i),
               move = spe_isub(&x->m, xt_piece_offset_id_(x, &dist, i), from);
        t->offset[i] = xt_scalar_(CM_I32, spe_iadd(&x->m, xt_index_id_(x, &t->offset[i]), move), 1);
    }
    t->dist = dist;
    xt_remark_(x, "other pieces than the map's: fewer messages per subgroup");
}

XE_FN_ void xt_prefetch_alone_(xt_ctx *x, const xt_node_ *n)
{
    xt_tile t = xt_now_tile_(x, xt_accessed_(x, n));
    if (t.dist.subgroups > 1 && xt_by_block2d_(x, &t)) xt_fewest_fetches_(x, &t);
    for (xt_block_ b = xt_blocks_(x, &t.dist); t.step == 1 && xt_next_block_(&b);) {
        cm_mem mem = xt_mem_(x, &t, &b, XT_FETCHED_);
        mem.ptr = t.base.id; /* for messages that share no payload, on any side of an XT_IF */
        cm_prefetch(&x->cm, b.cols, b.rows, xt_storage_type_(t.type), &mem, xt_prefetch_levels_[*n->locality]);
    }
}

/* Can its address be computed before the body? The tile must come from XT_INIT_TILE, advanced only by loops. */
XE_FN_ bool xt_may_share_(xt_ctx *x, const xt_tile *t)
{
    const xt_plan_tile_ *p = xt_plan_tile_at_(x, t->number);
    spe_id ids[XT_COMPONENTS_];
    const xt_tile *matrix = xt_tile_(x, p->of->operand[XT_INIT_MATRIX_]);
    const xt_val *needed[] = {xt_number_(x, p->of->operand[XT_INIT_BASE_]), &matrix->shape[0], &matrix->shape[1],
                             &matrix->pitch, xt_given_(x, p->of, XT_GIVEN_OFFSET_, 0),
                             xt_given_(x, p->of, XT_GIVEN_OFFSET_, 1)};
    if (t->dist.subgroups < 2 || p->of->type != 2 || !xt_by_block2d_(x, t)) return false;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!xt_is_hoistable_(x, needed[i])) return false;
    xt_tile_ids_(x, t, ids);
    return memcmp(ids, p->made, sizeof ids) == 0;
}

/* The number of pieces of a tile; 0 if they do not divide it. */
XE_FN_ int xt_share_pieces_(const xt_share_ *s, int which)
{
    const xt_tile *t = &s->tile[which];
    int across = t->dist.shape[xt_inner_(t)], down = t->dist.shape[1 - xt_inner_(t)];
    return across % s->across || down % s->down ? 0 : across / s->across * (down / s->down);
}

/* Finds the smallest height of pieces so that there are enough subgroups; false if there is none, or too few pieces. */
XE_FN_ bool xt_share_init_(xt_share_ *s, const xt_tile *a, const xt_tile *b)
{
    int bytes = xt_bytes_(a->type), n = a->dist.subgroups;
    /* the larger one gets at least half of the subgroups */
    bool swap = a->dist.shape[0] * a->dist.shape[1] < b->dist.shape[0] * b->dist.shape[1];
    s->tile[swap] = *a;
    s->tile[!swap] = *b;
    s->across = xt_least_(a->dist.shape[xt_inner_(a)], xt_least_(b->dist.shape[xt_inner_(b)], 64 / bytes));
    if (a->type != b->type || s->across * bytes < 32 || (s->across & (s->across - 1))) return false;
    for (s->down = 1; s->down <= 32; s->down *= 2) {
        s->pieces[0] = xt_share_pieces_(s, 0);
        s->pieces[1] = xt_share_pieces_(s, 1);
        if (!s->pieces[0] || !s->pieces[1]) return false;
        if (s->pieces[0] + s->pieces[1] <= n) return 2 * (s->pieces[0] + s->pieces[1]) > n;
    }
    return false;
}

/* In the prologue: the position of piece `number` of a tile before any loop, across (0) or down (1). */
XE_FN_ spe_id xt_share_start_(xt_ctx *x, const xt_share_ *s, int which, spe_id number, int down)
{
    spe_module *m = &x->m;
    const xt_tile *t = &s->tile[which];
    int dim = down ? 1 - xt_inner_(t) : xt_inner_(t), size = down ? s->down : s->across;
    spe_id row = spe_u32(m, (uint32_t)(t->dist.shape[xt_inner_(t)] / s->across));
    spe_id place = down ? spe_udiv(m, number, row) : spe_umod(m, number, row);
    const xt_val *at = xt_given_(x, xt_plan_tile_at_(x, t->number)->of, XT_GIVEN_OFFSET_, dim);
    spe_id origin = xt_emit_hoisted_(x, at, CM_I32);
    return spe_iadd(m, origin, spe_imul(m, place, spe_i32(m, size)));
}

/* Values computed before the body: the surface of this subgroup's tile and the start of its piece. of[0]: 1 for the
 * first tile, else 0, of 16 bits so that Intel's compiler multiplies and adds at once; of[1]: all bits set for the
 * second tile, else 0. Both come from a division, as compilers would move a condition's comparison into the loop. */
typedef struct {
    spe_block2d surface;
    spe_id of[2];
} xt_shared_;

/* The number of this subgroup's piece in its tile, in the prologue; *first: is it the first tile? */
XE_FN_ spe_id xt_share_number_(xt_ctx *x, const xt_share_ *s, xt_shared_ *r, spe_id *first)
{
    spe_module *m = &x->m;
    int all = s->pieces[0] + s->pieces[1];
    spe_id subgroup = spe_builtin(m, SPE_SUBGROUP_ID, 0), beyond;
    if (all < s->tile[0].dist.subgroups) subgroup = spe_umod(m, subgroup, spe_u32(m, (uint32_t)all));
    beyond = spe_isub(m, subgroup, spe_i32(m, s->pieces[0]));
    spe_id second = spe_udiv(m, subgroup, spe_u32(m, (uint32_t)s->pieces[0])), u16 = spe_int(m, 16);
    r->of[0] = spe_uconvert(m, u16, second);
    r->of[0] = spe_isub(m, spe_const_u(m, u16, 1), r->of[0]);
    r->of[0] = spe_uconvert(m, spe_int(m, 32), r->of[0]);
    r->of[1] = spe_isub(m, spe_i32(m, 0), second);
    *first = spe_slt(m, beyond, spe_i32(m, 0));
    return spe_select(m, *first, subgroup, beyond);
}

XE_FN_ xt_shared_ xt_share_surface_(xt_ctx *x, const xt_share_ *s)
{
    spe_module *m = &x->m;
    spe_id bytes = spe_i32(m, xt_bytes_(s->tile[0].type)), number, first, id[2][6];
    xt_shared_ r = XT_ZERO_;
    spe_prologue_begin(m);
    number = xt_share_number_(x, s, &r, &first);
    for (int i = 0; i < 2; i++) {
        const xt_plan_tile_ *p = xt_plan_tile_at_(x, s->tile[i].number);
        const xt_tile *t = xt_tile_(x, p->of->operand[XT_INIT_MATRIX_]);
        id[i][0] = xt_emit_base_(x, p);
        id[i][1] = spe_imul(m, xt_emit_hoisted_(x, &t->shape[xt_inner_(t)], CM_I32), bytes);
        id[i][2] = xt_emit_hoisted_(x, &t->shape[1 - xt_inner_(t)], CM_I32);
        id[i][3] = spe_imul(m, xt_emit_hoisted_(x, &t->pitch, CM_I32), bytes);
        id[i][4] = xt_share_start_(x, s, i, number, 0);
        id[i][5] = xt_share_start_(x, s, i, number, 1);
    }
    for (int i = 0; i < 6; i++) id[0][i] = spe_select(m, first, id[0][i], id[1][i]);
    spe_prologue_end(m);
    r.surface.elem_bytes = (uint32_t)xt_bytes_(s->tile[0].type);
    r.surface.ptr = id[0][0];
    r.surface.mem_width = id[0][1];
    r.surface.mem_height = id[0][2];
    r.surface.pitch = id[0][3];
    r.surface.pos_x = id[0][4];
    r.surface.pos_y = id[0][5];
    return r;
}

/* A coordinate plus what enclosing loops have added to it in this subgroup's tile. */
XE_FN_ spe_id xt_share_advance_(xt_ctx *x, const xt_share_ *s, const xt_shared_ *r, int down, spe_id at)
{
    for (int i = 0; i < 2; i++) {
        const xt_tile *t = &s->tile[i];
        const xt_val *offset = &t->offset[down ? 1 - xt_inner_(t) : xt_inner_(t)];
        spe_id by = offset->kind == SPE_SCALAR ? xt_value_at_(x, offset->id)->advance : 0;
        if (by) at = spe_iadd(&x->m, at, i ? spe_and(&x->m, by, r->of[1]) : spe_imul(&x->m, by, r->of[0]));
    }
    return at;
}

XE_FN_ void xt_prefetch_both_(xt_ctx *x, const xt_share_ *s, int locality)
{
    xt_shared_ r = xt_share_surface_(x, s);
    int level = xt_prefetch_levels_[locality];
    if (!spe_ok(&x->m)) return;
    r.surface.pos_x = xt_share_advance_(x, s, &r, 0, r.surface.pos_x);
    r.surface.pos_y = xt_share_advance_(x, s, &r, 1, r.surface.pos_y);
    if (level) r.surface.ptr = cm_cached_pointer(&x->cm, r.surface.ptr, level);
    cm_prefetch_block(&x->cm, xt_storage_type_(s->tile[0].type), s->across, s->down, &r.surface);
}

XE_FN_ void xt_write_prefetch_tile_(xt_ctx *x, const xt_node_ *n)
{
    const xt_tile *t = xt_accessed_(x, n), *next;
    xt_share_ s;
    if (t->base.local) return;
    if (x->block2d && x->at + 1 < x->nodes.count && n[1].op == XT_OP_PREFETCH_TILE_ && xt_may_share_(x, t)) {
        next = xt_accessed_(x, &n[1]);
        if (!next->base.local && *n[1].locality == *n->locality && xt_may_share_(x, next) &&
            xt_share_init_(&s, t, next)) {
            xt_remark_(x, "with the next one: each by some of the subgroups, with one message per subgroup");
            xt_prefetch_both_(x, &s, *n->locality);
            x->at++;
            return;
        }
    }
    xt_prefetch_alone_(x, n);
}

/* lower/lanes.c - moving elements between lanes. */

XE_FN_ bool xt_field_init_(xt_ctx *x, xt_field_ *f, int rows, int cols, int comps, int type)
{
    memset(f, 0, sizeof *f);
    f->rows = rows;
    f->cols = cols;
    f->capacity = comps;
    f->type = type;
    f->comp = (spe_id *)xt_memory_(x, (size_t)comps * sizeof *f->comp);
    f->where = (int *)xt_memory_(x, (size_t)rows * (size_t)cols * sizeof *f->where);
    return f->comp && f->where && cm_picker_init(&x->cm, &f->picker, f->comp, comps);
}

/* The element in component v of a lane. */
XE_FN_ cm_element xt_element_at_(const cm_layout *l, int lane, int v)
{
    cm_slot s = {lane, v / l->omega, v % l->omega};
    return cm_element_of(l, s);
}

/* Adds a block's components and the positions of its elements. Rows of the block are columns of the matrix. */
XE_FN_ void xt_field_add_(xt_ctx *x, xt_field_ *f, const cm_matrix *a, const xt_block_ *b)
{
    spe_id *v = cm_component_ids(&x->cm, a, (cm_type)f->type);
    for (int i = 0; v && i < a->layout.size_v && f->comps < f->capacity; i++, f->comps++) {
        f->comp[f->comps] = v[i];
        for (int p = 0; p < a->layout.lanes; p++) {
            cm_element e = xt_element_at_(&a->layout, p, i);
            if (e.padding || e.row >= b->valid) continue;
            f->where[(b->packed[0] + e.col) * f->cols + b->packed[1] + e.row] = f->comps * CM_LANES + p;
        }
    }
}

/* All elements of v that this subgroup holds. */
XE_FN_ bool xt_field_of_(xt_ctx *x, xt_field_ *f, const xt_fragments_ *v, int type)
{
    xt_fragments_ a = xt_as_use_(x, v, CM_ACC);
    int comps = 0;
    for (int i = 0; i < a.blocks; i++) comps += a.block[i].layout.size_v;
    if (!xt_field_init_(x, f, a.dist.rounds[0] * a.dist.data[0], a.dist.rounds[1] * a.dist.data[1], comps, type))
        return false;
    for (xt_block_ b = xt_blocks_(x, &a.dist); a.blocks && xt_next_block_(&b);) {
        cm_matrix varied = xt_varied_(x, v->id, &a.block[b.i]);
        xt_field_add_(x, f, &varied, &b);
    }
    return spe_ok(&x->m);
}

/* The mask of lanes whose number has this bit. */
XE_FN_ xt_lanes_ xt_lanes_with_(const xt_ctx *x, int bit)
{
    xt_lanes_ mask = 0;
    for (int i = 0; i < x->S; i++) mask |= i & bit ? (xt_lanes_)1 << i : 0;
    return mask;
}

/* A condition that holds in the lanes of a set. */
XE_FN_ spe_id xt_lane_bit_(xt_ctx *x, xt_lanes_ mask) { return spe_lane_bit(&x->m, mask, x->S); }

/* A value that is the element at from[p] in lane p (as in xt_field_.where; -1: don't care). */
XE_FN_ spe_id xt_pick_(xt_ctx *x, xt_field_ *f, const int *from) { return cm_pick(&x->cm, &f->picker, from); }

/* The same with zeros where there is none. */
XE_FN_ spe_id xt_pick_or_zero_(xt_ctx *x, xt_field_ *f, const int *from)
{
    xt_lanes_ there = 0, all = 0;
    spe_id zero = spe_null(&x->m, spe_type_of(&x->m, f->comp[0]));
    for (int p = 0; p < x->S; p++) all |= (xt_lanes_)1 << p, there |= (xt_lanes_)(from[p] >= 0) << p;
    if (!there) return zero;
    spe_id picked = xt_pick_(x, f, from);
    return there == all ? picked : spe_select(&x->m, xt_lane_bit_(x, there), picked, zero);
}

/* A block of the result, from the components of a field, converted back to the vector's type; zeros beyond the ends of
 * pieces, or anything. */
XE_FN_ cm_matrix xt_pick_block_(xt_ctx *x, xt_field_ *f, const int *origin, const xt_group_ *g, const xt_block_ *b,
                                cm_type type, cm_use use, bool zeros)
{
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, (cm_type)f->type, use);
    spe_id *v = (spe_id *)xt_memory_(x, (size_t)l.size_v * sizeof *v), one;
    int from[XT_LANES_MAX_], height = b->grid.data[0], width = b->grid.rounds[1] * b->grid.data[1];
    if (!l.rows || !v) return cm_poison();
    for (int i = 0; i < l.size_v; i++)
        for (int k = 0; k < (g ? g->size : 1); k++) {
            for (int p = 0; p < x->S; p++) {
                cm_element e = xt_element_at_(&l, p, i);
                from[p] = -1;
                if (e.padding || e.row >= b->valid || b->packed[0] % height + e.col >= height) continue;
                int row = b->packed[0] + e.col, col = b->packed[1] + e.row, at = row * width + col;
                if (g) at = g->dim ? at * g->size + k : (row * g->size + k) * width + col; /* element k of its group */
                from[p] = f->where[origin ? origin[at] : at];
            }
            one = zeros ? xt_pick_or_zero_(x, f, from) : xt_pick_(x, f, from);
            v[i] = k ? g->combine(&x->m, g->kind, f->type, v[i], one) : one;
        }
    cm_matrix a = cm_from_components(&x->cm, &l, v);
    return cm_convert(&x->cm, &a, type);
}

/* Fills all blocks of r from a field: with elements from their origins (NULL: the same place) or with groups. */
XE_FN_ xt_fragments_ xt_pick_all_(xt_ctx *x, xt_field_ *f, const int *origin, const xt_group_ *g, xt_fragments_ r)
{
    for (xt_block_ b = xt_blocks_(x, &r.dist); xt_next_block_(&b);)
        r.block[b.i] = xt_pick_block_(x, f, origin, g, &b, xt_storage_type_(r.type), CM_ACC, false);
    return xt_finish_vec_(x, r);
}

/* v in the blocks of a grid that is cut like its own or more coarsely; zeros beyond the ends of its pieces. */
XE_FN_ xt_fragments_ xt_fill_up_(xt_ctx *x, const xt_fragments_ *v, const xt_grid_ *g, cm_use use)
{
    xt_fragments_ r = *v;
    xt_block_ b = xt_blocks_(x, &v->dist);
    xt_field_ f;
    b.grid = *g;
    b.grid.blocks = r.blocks = g->rounds[0] * g->rounds[1] * g->cut[0].n * g->cut[1].n;
    r.block = (cm_matrix *)xt_memory_(x, (size_t)r.blocks * sizeof *r.block);
    if (!r.block || !xt_field_of_(x, &f, v, (int)xt_storage_type_(v->type))) return *v;
    while (xt_next_block_(&b))
        r.block[b.i] = xt_pick_block_(x, &f, NULL, NULL, &b, xt_storage_type_(v->type), use, true);
    return r;
}

/* lower/scratch.c - moving elements between subgroups through local memory. */

XE_ONCE_
XE_FN_ xt_scratch_ xt_scratch_init_(cm_type type, const xt_dist *d, const xt_source_ *from)
{
    int bytes = xt_bytes_(type), pad = from->transposed ? 16 / bytes : 0; /* spreads over the banks */
    xt_scratch_ s = {*from, d->shape[1] + pad, bytes, d->shape[0], 0};
    return s;
}

/* The rows of one pass: whole pieces of the source if possible. */
XE_FN_ int xt_scratch_rows_(const xt_ctx *x, const xt_scratch_ *s, const xt_fragments_ *v)
{
    int rows = (int)(x->scratch_bytes / ((size_t)s->pitch * (size_t)s->bytes)), piece = v->dist.data[0];
    if (rows >= s->height) return s->height;
    return rows > piece ? rows - rows % piece : rows < 1 ? 1 : rows;
}

XE_ONCE_
XE_FN_ spe_id xt_scratch_pointer_(xt_ctx *x, cm_type type)
{
    spe_id zero = spe_u32(&x->m, 0), pointee = xt_spe_type_(x, (int)type);
    return spe_ptr_cast(&x->m, spe_element(&x->m, x->scratch, 1, &zero), pointee);
}

/* A block's first row and column in the whole vector. */
XE_FN_ void xt_scratch_position_(xt_ctx *x, const xt_dist *d, int row, int col, spe_id at[2])
{
    for (int i = 0; i < 2; i++) {
        spe_id place = xt_piece_offset_id_(x, d, i);
        at[i] = spe_iadd(&x->m, place, spe_i32(&x->m, i ? col : row));
    }
}

/* An index of elements of other sizes than 32 bits, which Intel's compiler does not take for one of 32 bits: from the
 * address of element i of an array of halves in local memory it computes that of element i + 5 of floats there. */
XE_FN_ spe_id xt_scratch_index_(xt_ctx *x, const xt_scratch_ *s, spe_id index)
{
    if (s->bytes != 4) spe_differ(&x->m, (uint32_t)s->bytes, 1, &index);
    return index;
}

/* The memory of a block in the pass that starts at row `low`, and the block's first row. */
XE_FN_ cm_mem xt_scratch_mem_(xt_ctx *x, const xt_scratch_ *s, const xt_dist *d, const xt_block_ *b, cm_type type,
                              int low, spe_id *first)
{
    spe_module *m = &x->m;
    const xt_source_ *from = &s->from;
    bool rows = from->divisor[0] == 1, cols = from->divisor[1] == 1;
    int down = from->transposed, known[2], i; /* down: the dimension that counts the source's rows */
    spe_id at[2], row, col, line, step;
    cm_mem mem = XT_ZERO_;
    xt_scratch_position_(x, d, b->row, b->col, at);
    *first = at[down];
    row = rows ? spe_iadd(m, at[down], spe_i32(m, from->shift[0] - low)) : spe_i32(m, 0);
    col = cols ? spe_iadd(m, at[!down], spe_i32(m, from->shift[1])) : spe_i32(m, 0);
    mem.ptr = xt_scratch_pointer_(x, type);
    step = spe_i32(m, cols);
    line = spe_i32(m, rows ? s->pitch : 0);
    row = xt_scratch_index_(x, s, row);
    col = xt_scratch_index_(x, s, col);
    mem.row = down ? row : col;
    mem.col = down ? col : row;
    mem.stride_row = down ? line : step;
    mem.stride_col = down ? step : line;
    mem.block2d = CM_BLOCK2D_NO;
    for (i = 0; i < 2; i++) {
        int place = xt_align_of_(d->layout[i] == 1 || d->count[i] == 1 ? 0 : d->data[i]);
        known[i] = xt_least_(xt_least_(place, xt_align_of_(i ? b->col : b->row)), xt_align_of_(from->shift[i ^ down]));
    }
    if (s->rows >= s->height && rows && cols)
        xt_fold_offset_(x, &mem, s->bytes, (int64_t)xt_align_of_(s->pitch) * known[down], known[!down]);
    xt_leave_out_(x, &mem, b, NULL);
    return mem;
}

/* With several passes: opens a branch for blocks with rows in the current one. */
XE_FN_ void xt_scratch_open_(xt_ctx *x, const xt_scratch_ *s, const xt_block_ *b, cm_mem *mem, spe_id first, int low)
{
    spe_module *m = &x->m;
    spe_id row = spe_iadd(m, first, spe_i32(m, s->from.shift[0])), below;
    *(s->from.transposed ? &mem->rows : &mem->cols) = spe_i32(m, s->rows);
    below = spe_slt(m, row, spe_i32(m, low + s->rows));
    row = spe_iadd(m, row, spe_i32(m, s->from.transposed ? b->cols : b->rows));
    spe_if(m, spe_land(m, below, spe_sgt(m, row, spe_i32(m, low))));
}

XE_FN_ void xt_scratch_write_(xt_ctx *x, const xt_scratch_ *s, const xt_fragments_ *v, int low)
{
    const xt_scratch_ plain = {XT_SAME_ELEMENT_, s->pitch, s->bytes, s->height, s->rows};
    bool whole = s->rows >= s->height;
    for (xt_block_ b = xt_blocks_(x, &v->dist); xt_next_block_(&b);) {
        spe_id first;
        cm_mem mem = xt_scratch_mem_(x, &plain, &v->dist, &b, xt_storage_type_(v->type), 0, &first);
        if (!whole) mem.col = spe_isub(&x->m, mem.col, spe_i32(&x->m, low));
        if (!whole) xt_scratch_open_(x, &plain, &b, &mem, first, low);
        cm_store(&x->cm, &v->block[b.i], &mem);
        if (!whole) spe_endif(&x->m, 0, NULL, NULL);
    }
}

/* Elements outside a pass are read as zero bits, so or-ing merges the passes. */
XE_FN_ spe_id xt_merge_part_(xt_ctx *x, cm_type of, spe_id a, spe_id b)
{
    const cm_type_row *row = cm_type_info(of);
    if (!row->storage_float) return spe_or(&x->m, a, b);
    spe_id bits = spe_vec_like(&x->m, spe_int(&x->m, (uint32_t)row->storage_bits), a);
    b = spe_bitcast(&x->m, bits, b);
    bits = spe_or(&x->m, spe_bitcast(&x->m, bits, a), b);
    return spe_bitcast(&x->m, spe_type_of(&x->m, a), bits);
}

XE_FN_ void xt_scratch_read_(xt_ctx *x, const xt_scratch_ *s, xt_fragments_ *r, int low)
{
    cm_type type = xt_storage_type_(r->type);
    bool whole = s->rows >= s->height;
    for (xt_block_ b = xt_blocks_(x, &r->dist); xt_next_block_(&b);) {
        cm_matrix *to = &r->block[b.i], now;
        spe_id first;
        cm_mem mem = xt_scratch_mem_(x, s, &r->dist, &b, type, low, &first);
        if (!whole && low == 0) *to = cm_splat(&x->cm, b.cols, b.rows, type, CM_ACC, 0);
        if (!whole) xt_scratch_open_(x, s, &b, &mem, first, low);
        now = cm_load(&x->cm, b.cols, b.rows, type, whole ? r->use : CM_ACC, &mem);
        if (!now.parts) return;
        for (int i = 0; i < now.parts && !whole; i++) now.part[i] = xt_merge_part_(x, type, to->part[i], now.part[i]);
        if (!whole) spe_endif_from(&x->m, (uint32_t)now.parts, now.part, to->part, now.part);
        *to = now;
    }
}

/* ---- passes over columns, in each of which every subgroup writes and reads a part of its vector------------------- */

/* The number of passes so that each takes the same columns of every piece. Then registers of written elements are free
 * while the rest is read, and nothing depends on the subgroup. 0: not possible. */
XE_FN_ int xt_slabs_(const xt_ctx *x, const xt_scratch_ *s, const xt_fragments_ *v, const xt_fragments_ *r)
{
    int width = v->dist.data[1];
    size_t all = (size_t)v->dist.shape[0] * (size_t)v->dist.shape[1] * (size_t)s->bytes;
    const xt_source_ *from = &s->from;
    if (from->transposed || from->in_order || from->divisor[0] != 1 || from->divisor[1] != 1 || from->shift[0] ||
        from->shift[1] || width % x->S || r->dist.data[1] % width || all <= x->scratch_bytes)
        return 0;
    for (int n = 2; n <= width / x->S; n++)
        if (width / x->S % n == 0 && all / (size_t)n <= x->scratch_bytes) return n;
    return 0;
}

/* The memory of columns c .. c + S of a subgroup's pieces, in their pass. */
XE_FN_ cm_mem xt_slab_mem_(xt_ctx *x, const xt_scratch_ *s, const xt_fragments_ *v, int width, int passes, int row,
                           int c)
{
    int part = width / passes, pitch = v->dist.shape[1] / passes;
    spe_id at[2];
    cm_mem mem = XT_ZERO_;
    xt_scratch_position_(x, &v->dist, row, 0, at);
    spe_id col = spe_udiv(&x->m, at[1], spe_i32(&x->m, passes)); /* exact: positions are multiples of the width */
    mem.ptr = xt_scratch_pointer_(x, xt_storage_type_(v->type));
    mem.row = spe_iadd(&x->m, col, spe_i32(&x->m, c / width * part + c % width % part));
    mem.col = at[0];
    mem.stride_row = spe_i32(&x->m, 1);
    mem.stride_col = spe_i32(&x->m, pitch);
    mem.block2d = CM_BLOCK2D_NO;
    xt_fold_offset_(x, &mem, s->bytes, xt_align_of_(pitch), x->S); /* parts are multiples of S wide */
    return mem;
}

/* Writes (store) or reads a pass's strips of S columns. A strip is `per_strip` consecutive parts. */
XE_FN_ void xt_slab_(xt_ctx *x, const xt_scratch_ *s, const xt_fragments_ *v, int width, int passes, int pass,
                     bool store)
{
    cm_type type = xt_storage_type_(v->type);
    for (xt_block_ b = xt_blocks_(x, &v->dist); xt_next_block_(&b);) {
        cm_layout l = cm_layout_for(&x->cm, x->S, b.rows, type, CM_ACC);
        int per_strip = cm_part_count(&l);
        for (int strip = 0; strip < b.cols / x->S; strip++) {
            spe_id *parts = v->block[b.i].part + strip * per_strip;
            int c = b.col + strip * x->S;
            cm_matrix one;
            if (c % width / (width / passes) != pass) continue;
            cm_mem mem = xt_slab_mem_(x, s, v, width, passes, b.row, c);
            one = store ? cm_from_parts(&x->cm, &l, parts) : cm_load(&x->cm, x->S, b.rows, type, CM_ACC, &mem);
            if (store) cm_store(&x->cm, &one, &mem);
            for (int i = 0; !store && i < per_strip && i < one.parts; i++) parts[i] = one.part[i];
        }
    }
}

XE_FN_ void xt_through_slabs_(xt_ctx *x, const xt_scratch_ *s, const xt_fragments_ *v, int passes, xt_fragments_ *r)
{
    int width = v->dist.data[1];
    for (xt_block_ b = xt_blocks_(x, &r->dist); xt_next_block_(&b);)
        r->block[b.i] = cm_splat(&x->cm, b.cols, b.rows, xt_storage_type_(r->type), CM_ACC, 0);
    for (int pass = 0; pass < passes && spe_ok(&x->m); pass++) {
        spe_barrier(&x->m);
        xt_slab_(x, s, v, width, passes, pass, true);
        spe_barrier(&x->m);
        xt_slab_(x, s, r, width, passes, pass, false);
    }
}

/* Moves all of v through local memory into r, already allocated. All subgroups of the work-group take part. */
XE_FN_ xt_fragments_ xt_through_scratch_(xt_ctx *x, const xt_fragments_ *v, const xt_source_ *from, xt_fragments_ r)
{
    xt_scratch_ s = xt_scratch_init_(v->type, &v->dist, from);
    xt_fragments_ a = xt_as_use_(x, v, CM_ACC);
    int passes = xt_slabs_(x, &s, v, &r);
    if (!a.blocks || !spe_ok(&x->m)) return r;
    if (passes) {
        xt_through_slabs_(x, &s, &a, passes, &r);
        return xt_finish_vec_(x, r);
    }
    s.rows = xt_scratch_rows_(x, &s, v);
    for (int low = 0; low < s.height && spe_ok(&x->m); low += s.rows) {
        spe_barrier(&x->m);
        xt_scratch_write_(x, &s, &a, low);
        spe_barrier(&x->m);
        if (from->in_order) { /* in one pass, reading the memory with another row length */
            s.pitch = r.dist.shape[1];
            s.height = s.rows = r.dist.shape[0];
        }
        xt_scratch_read_(x, &s, &r, low);
    }
    return s.rows >= s.height ? r : xt_finish_vec_(x, r);
}

/* lower/mma.c - writes tile_mma: products of blocks. */

/* A block of the result: a chain of products along k. In coopmatrix.h, b is the left operand and a the right one. */
XE_FN_ cm_matrix xt_mma_block_(xt_ctx *x, const xt_fragments_ *v, const xt_grid_ *ga, const xt_grid_ *gb,
                               const int at[4], cm_type type, const cm_matrix *c)
{
    cm_matrix sum = XT_ZERO_;
    for (int k = 0; k < ga->cut[1].n; k++) {
        const cm_matrix *left = &v[XT_MMA_RIGHT_].block[xt_block_number_(gb, 0, at[1], k, at[3])];
        const cm_matrix *right = &v[XT_MMA_LEFT_].block[xt_block_number_(ga, at[0], 0, at[2], k)];
        sum = cm_mul_add_real(&x->cm, type, left, right, k ? &sum : c);
    }
    return sum;
}

/* If a's pieces end within a block, cuts b like a and fills the rest with zeros: of both if they are floats, because
 * the elements beyond a's end may be NaN; of one if they are integers. */
XE_FN_ void xt_mma_fill_(xt_ctx *x, xt_fragments_ *v, const xt_grid_ *ga, xt_grid_ *gb)
{
    const xt_cut_ *k = &ga->cut[1];
    if (k->at[k->n - 1] + k->size[k->n - 1] == ga->data[1]) return;
    gb->cut[0] = *k;
    v[XT_MMA_RIGHT_] = xt_fill_up_(x, &v[XT_MMA_RIGHT_], gb, CM_A);
    if (xt_is_float_((int)v[XT_MMA_LEFT_].type)) v[XT_MMA_LEFT_] = xt_fill_up_(x, &v[XT_MMA_LEFT_], ga, CM_B);
}

/* Writes the blocks of r, a product of operands v. */
XE_FN_ void xt_emit_mma_(xt_ctx *x, xt_fragments_ *v, bool with_c, xt_fragments_ *r, xt_product_fn_ block)
{
    xt_grid_ ga, gb, gr;
    cm_matrix c = XT_ZERO_;
    int at[4], n; /* round of m, round of n, block of m, block of n */
    xt_grid_init_(x, &ga, &v[XT_MMA_LEFT_].dist);
    xt_grid_init_(x, &gb, &v[XT_MMA_RIGHT_].dist);
    xt_grid_init_(x, &gr, &r->dist);
    if (v[XT_MMA_LEFT_].blocks != ga.blocks || v[XT_MMA_RIGHT_].blocks != gb.blocks) return;
    if (with_c && v[XT_MMA_SUM_].blocks != gr.blocks) return;
    xt_mma_fill_(x, v, &ga, &gb);
    for (at[0] = 0; at[0] < gr.rounds[0]; at[0]++)
        for (at[1] = 0; at[1] < gr.rounds[1]; at[1]++)
            for (at[2] = 0; at[2] < gr.cut[0].n; at[2]++)
                for (at[3] = 0; at[3] < gr.cut[1].n; at[3]++) {
                    n = xt_block_number_(&gr, at[0], at[1], at[2], at[3]);
                    if (with_c) c = xt_varied_(x, v[XT_MMA_SUM_].id, &v[XT_MMA_SUM_].block[n]);
                    r->block[n] = block(x, v, &ga, &gb, at, r->type, with_c ? &c : NULL);
                }
}

/* Writes a product, of operands in these layouts. */
XE_FN_ void xt_write_product_(xt_ctx *x, const xt_node_ *n, xt_product_fn_ block)
{
    static const cm_use uses[XT_MMA_OPERANDS_] = {CM_ACC, CM_B, CM_A, CM_ACC, CM_ACC};
    xt_fragments_ r = xt_make_vec_(x, n), v[XT_MMA_OPERANDS_];
    bool all = r.blocks > 0;
    for (int i = n->operand[XT_MMA_SUM_] ? 0 : 1; i < n->operands; i++) {
        v[i] = xt_now_as_(x, n->operand[i], uses[i]);
        all = all && v[i].blocks;
    }
    if (all) xt_emit_mma_(x, v, n->operand[XT_MMA_SUM_] != 0, &r, block);
    xt_define_vec_(x, n->result, r);
}

XE_FN_ void xt_write_tile_mma_(xt_ctx *x, const xt_node_ *n) { xt_write_product_(x, n, xt_mma_block_); }

/* lower/scaled.c - writes tile_mma_scaled: products of blocks with their scales. */

/* Scales first .. first + n along dimension `dim`, of the block whose number in the other dimension is at[2 + !dim]. */
XE_FN_ cm_matrix xt_scales_(xt_ctx *x, const xt_fragments_ *v, int dim, const int at[4], int first, int n)
{
    xt_grid_ g;
    int i = 0, where[4] = {at[0], at[1], at[2], at[3]};
    xt_grid_init_(x, &g, &v->dist);
    const xt_cut_ *cut = &g.cut[dim];
    while (i + 1 < cut->n && cut->at[i + 1] <= first) i++;
    where[dim] = 0;
    where[2 + dim] = i;
    const cm_matrix *block = &v->block[xt_block_number_(&g, where[0], where[1], where[2], where[3])];
    const int from = first - cut->at[i]; /* in coopmatrix.h, rows are columns */
    return dim ? cm_submatrix(&x->cm, block, from, 0, n, block->layout.cols)
               : cm_submatrix(&x->cm, block, 0, from, block->layout.rows, n);
}

/* A block of the result. In coopmatrix.h, b is the left operand and a the right one. */
XE_FN_ cm_matrix xt_scaled_block_(xt_ctx *x, const xt_fragments_ *v, const xt_grid_ *ga, const xt_grid_ *gb,
                                  const int at[4], cm_type type, const cm_matrix *c)
{
    const int per = v[XT_MMA_LEFT_].type == CM_E2M1 ? 2 : 1;
    cm_matrix sum = XT_ZERO_;
    for (int k = 0; k < ga->cut[1].n; k++) {
        const int first = ga->cut[1].at[k] * per / CM_SCALED, n = ga->cut[1].size[k] * per / CM_SCALED;
        const cm_matrix *left = &v[XT_MMA_RIGHT_].block[xt_block_number_(gb, 0, at[1], k, at[3])];
        const cm_matrix *right = &v[XT_MMA_LEFT_].block[xt_block_number_(ga, at[0], 0, at[2], k)];
        cm_matrix scales_a = xt_scales_(x, &v[XT_MMA_SCALE_A_], 1, at, first, n);
        cm_matrix scales_b = xt_scales_(x, &v[XT_MMA_SCALE_B_], 0, at, first, n);
        const cm_scales scales = {&scales_b, &scales_a};
        sum = cm_mul_add_scaled(&x->cm, type, left, right, k ? &sum : c, &scales);
    }
    return sum;
}

XE_FN_ void xt_write_tile_mma_scaled_(xt_ctx *x, const xt_node_ *n) { xt_write_product_(x, n, xt_scaled_block_); }

/* lower/copy_in.c - copies a tile to local memory from rows of any pitch, with all subgroups. */

/* The position along k of dword k: if the order is changed, dwords k, k + 4, ... of an iteration's part are adjacent.
 */
XE_FN_ int xt_stage_slot_(const xt_stage_ *s, int k)
{
    int part = s->depth / s->parts, in = k % part;
    return s->mixed ? k - in + in % 4 * (part / 4) + in / 4 : k;
}

/* The position of dword `slot` of row p (for a right operand: column p), in dwords. */
XE_FN_ int xt_stage_position_(const xt_stage_ *s, int p, int slot)
{
    return slot / s->line * s->plane + p * s->line + p / s->rows_per_read * s->gap + slot % s->line;
}

/* The number of units of a subgroup. */
XE_FN_ int xt_stage_rounds_(const xt_stage_ *s) { return (s->units + s->subgroups - 1) / s->subgroups; }

XE_FN_ xt_stage_ *xt_stage_at_(xt_ctx *x, int i) { return (xt_stage_ *)x->stages.items + i; }

/* ---- the condition ----------------------------------------------------------------------------------------------- */

/* Finds the condition for surfaces of all classes to be legal: lines of at least 64 bytes, and a pitch of at most 2^24
 * that holds one plus up to 64 bytes before it. Elsewhere, elements are copied one by one. */
XE_FN_ void xt_write_stage_condition_(xt_ctx *x)
{
    spe_module *m = &x->m;
    spe_id all = 0;
    spe_prologue_begin(m);
    for (int i = 0; i < x->stages.count; i++) {
        const xt_stage_ *s = xt_stage_at_(x, i);
        const xt_tile *t = xt_tile_(x, xt_plan_tile_at_(x, s->from->number)->of->operand[XT_INIT_MATRIX_]);
        int inner = xt_inner_(t);
        const xt_val *of[] = {&t->pitch, &t->shape[inner], &t->shape[!inner]};
        static const int bits[] = {20, 22, 24};
        spe_id is[3];
        for (int j = 0; j < 3; j++) {
            is[j] = xt_emit_hoisted_(x, of[j], CM_I32);
            spe_id most = spe_i32(m, 1 << bits[j]);
            all = xt_both_(x, all, spe_ult(m, spe_iadd(m, is[j], spe_i32(m, -1)), most));
        }
        spe_id line = spe_imul(m, is[1], spe_i32(m, s->bytes));
        all = xt_both_(x, all, spe_uge(m, line, spe_i32(m, x->target.block2d.row_least)));
        line = spe_iadd(m, line, spe_i32(m, 66));
        all = xt_both_(x, all, spe_uge(m, spe_imul(m, is[0], spe_i32(m, 16)), line));
    }
    spe_prologue_end(m);
    x->stages_fit = all;
}

/* ---- from memory to registers ------------------------------------------------------------------------------------ */

/* The surface of the lines of one class, and where a message begins in it; shift: offset of its elements in their
 * dword, in bits. */
typedef struct {
    spe_block2d block;
    spe_id shift;
} xt_surface_;

/* A subgroup's share of one round: its first line (of the first class), its first dword along a line. */
typedef struct {
    spe_id line_class, chunk, along; /* chunk: in lines of its class */
} xt_unit_;

XE_FN_ xt_unit_ xt_stage_unit_(xt_ctx *x, const xt_stage_ *s, int round)
{
    spe_module *m = &x->m;
    int groups = s->classes / s->weave;
    xt_unit_ u;
    spe_id n = s->subgroups > 1 ? spe_builtin(m, SPE_SUBGROUP_ID, 0) : spe_i32(m, 0);
    if (round) n = spe_iadd(m, n, spe_i32(m, round * s->subgroups));
    if ((round + 1) * s->subgroups > s->units) n = spe_umod(m, n, spe_i32(m, s->units));
    spe_id wide = spe_i32(m, s->wide);
    u.along = spe_imul(m, spe_umod(m, n, spe_i32(m, s->chunks[1])), wide);
    n = spe_udiv(m, n, spe_i32(m, s->chunks[1]));
    spe_id weave = spe_i32(m, s->weave);
    u.line_class = spe_imul(m, spe_umod(m, n, spe_i32(m, groups)), weave);
    spe_id high = spe_i32(m, s->high);
    u.chunk = spe_imul(m, spe_udiv(m, n, spe_i32(m, groups)), high);
    return u;
}

XE_FN_ spe_id xt_log2_(xt_ctx *x, int n)
{
    int bits = 0;
    while (1 << bits < n) bits++;
    return spe_i32(&x->m, bits);
}

/* The whole work-group's tile in its current state, or the current slice of it; transposed if the vector is. */
XE_FN_ xt_tile xt_stage_tile_(xt_ctx *x, const xt_stage_ *s)
{
    xt_tile t = xt_group_tile_(x, s->from);
    xt_val *k = &t.offset[(s->use == CM_B) ^ s->transposed];
    if (s->slice) *k = xt_scalar_(CM_I32, spe_iadd(&x->m, xt_index_id_(x, k), s->slice), 1);
    return s->transposed ? xt_transposed_(&t) : t;
}

XE_FN_ spe_id xt_stage_offset_(xt_ctx *x, const xt_tile *t, int dim) { return xt_index_id_(x, &t->offset[dim]); }

/* What the surfaces of all classes share. If leading offsets are outside, the current matrix has no lines, and the
 * address of the first matrix is used because it is valid. */
XE_FN_ void xt_stage_matrix_(xt_ctx *x, xt_stage_ *s)
{
    spe_module *m = &x->m;
    const xt_tile *t = &s->tile;
    const xt_plan_tile_ *p = xt_plan_tile_at_(x, t->number);
    const xt_tile *matrix = xt_tile_(x, p->of->operand[XT_INIT_MATRIX_]);
    spe_id bytes = spe_i32(m, s->bytes), i64 = spe_int(m, 64), classes = spe_i32(m, s->classes);
    s->lines = xt_index_id_(x, &t->shape[!xt_inner_(t)]);
    s->address = spe_ptr_to_u(m, i64, t->base.id);
    if (p->of->type > 2) {
        spe_id first = spe_ptr_to_u(m, i64, xt_now_(x, &matrix->base).id);
        s->address = spe_select(m, spe_ieq(m, s->lines, spe_i32(m, 0)), first, s->address);
    }
    s->width = spe_imul(m, xt_emit_hoisted_(x, &matrix->shape[xt_inner_(matrix)], CM_I32), bytes);
    s->pitch = spe_imul(m, xt_emit_hoisted_(x, &matrix->pitch, CM_I32), bytes);
    s->pitch_of_class = s->pitch_again = spe_imul(m, s->pitch, classes);
    if (!x->target.block2d.offsets && s->subgroups == 1) spe_differ(m, 0, 1, &s->pitch_again);
}

/* The surface of class `number`. */
XE_FN_ xt_surface_ xt_stage_class_(xt_ctx *x, const xt_stage_ *s, spe_id number)
{
    spe_module *m = &x->m;
    spe_id i64 = spe_int(m, 64), zero = spe_i32(m, 0), most = spe_i32(m, s->classes - 1);
    spe_id none = spe_ule(m, s->lines, number), before = spe_imul(m, spe_select(m, none, zero, number), s->pitch);
    spe_id address = spe_iadd(m, s->address, spe_uconvert(m, i64, before));
    spe_id line = spe_i32(m, 63), rest = spe_and(m, spe_uconvert(m, spe_int(m, 32), address), line);
    spe_id beyond = spe_iadd(m, rest, spe_i32(m, 3)), up = spe_isub(m, most, number);
    xt_surface_ r = XT_ZERO_;
    r.block.elem_bytes = 4;
    r.block.width = (uint32_t)s->wide;
    r.block.height = (uint32_t)s->high;
    r.block.count = 1;
    r.block.ptr = spe_and(m, address, spe_u64(m, ~(uint64_t)63));
    r.block.mem_width = spe_iadd(m, s->width, beyond);
    r.block.mem_width = spe_and(m, r.block.mem_width, spe_i32(m, -4));
    r.block.mem_height = spe_iadd(m, s->lines, up);
    r.block.mem_height = spe_udiv(m, r.block.mem_height, spe_i32(m, s->classes));
    r.block.mem_height = spe_select(m, none, spe_i32(m, 1), r.block.mem_height);
    r.block.pitch = s->pitch_of_class;
    r.block.pos_y = spe_select(m, none, spe_i32(m, 1 << 24), zero); /* beyond the last line */
    r.block.pos_x = rest;
    return r;
}

/* The surface of a unit's first message. Where class (whole) and shift (aligned) do not depend on the tile's offset, a
 * loop that moves the tile only adds to the position. */
XE_FN_ xt_surface_ xt_stage_surface_(xt_ctx *x, const xt_stage_ *s, const xt_unit_ *u, int i)
{
    spe_module *m = &x->m;
    const xt_tile *t = &s->tile;
    int inner = xt_inner_(t);
    spe_id number = spe_iadd(m, u->line_class, spe_i32(m, i)), three = spe_i32(m, 3);
    spe_id line = xt_stage_offset_(x, t, !inner), along = xt_stage_offset_(x, t, inner);
    if (!s->from_first_class) {
        line = spe_iadd(m, line, number);
        number = spe_and(m, line, spe_i32(m, s->classes - 1));
    }
    xt_surface_ r = xt_stage_class_(x, s, number);
    spe_id rest = r.block.pos_x;
    if (!s->aligned) rest = spe_iadd(m, rest, spe_imul(m, along, spe_i32(m, s->bytes)));
    r.shift = spe_shl(m, spe_and(m, rest, three), three);
    r.block.pos_x = spe_iadd(m, spe_sar(m, rest, spe_i32(m, 2)), u->along);
    if (s->aligned && s->bytes < 4) along = spe_sar(m, along, xt_log2_(x, 4 / s->bytes));
    if (s->aligned) r.block.pos_x = spe_iadd(m, r.block.pos_x, along);
    r.block.pos_y = spe_iadd(m, r.block.pos_y, u->chunk);
    r.block.pos_y = spe_iadd(m, r.block.pos_y, spe_sar(m, line, xt_log2_(x, s->classes)));
    r.block.ptr = xt_emit_pointer_(x, CM_I32, xt_side_address_(x, r.block.ptr));
    return r;
}

/* The dwords a message loads per lane: a scalar or a vector. */
XE_FN_ spe_id xt_stage_message_(xt_ctx *x, const xt_stage_ *s, const spe_block2d *b)
{
    spe_module *m = &x->m;
    uint32_t words = (uint32_t)(s->high * s->wide / 16);
    spe_id type = spe_vec(m, spe_int(m, 32), words), variable = spe_local_var(m, type);
    if (s->by_lines) spe_block2d_load_transpose(m, b, variable);
    else spe_block2d_load(m, b, variable);
    return spe_load(m, variable, 0);
}

XE_FN_ spe_id xt_splat_word_(xt_ctx *x, spe_id like, spe_id word)
{
    return spe_splat(&x->m, spe_type_of(&x->m, like), word);
}

/* A number for each of a lane's dwords. If lanes hold lines, dword i takes it from lane i. */
XE_ONCE_
XE_FN_ spe_id xt_stage_repeat_(xt_ctx *x, const xt_stage_ *s, spe_id like, spe_id number)
{
    spe_module *m = &x->m;
    spe_id each[XT_PLANE_];
    if (!s->by_lines) return xt_splat_word_(x, like, number);
    for (int i = 0; i < XT_PLANE_; i++) each[i] = spe_sg_broadcast(m, number, spe_i32(m, i));
    return spe_construct(m, spe_type_of(m, like), XT_PLANE_, each);
}

/* A mask of the bytes that are elements of the matrix, in the lane's dword along the lines. 0: all are, or none. */
XE_FN_ spe_id xt_stage_mask_(xt_ctx *x, const xt_stage_ *s, const xt_unit_ *u)
{
    spe_module *m = &x->m;
    const xt_tile *t = &s->tile;
    int inner = xt_inner_(t), per = 4 / s->bytes;
    if (per == 1) return 0;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), mask = 0;
    spe_id extent = spe_extent(m, xt_index_id_(x, &t->shape[inner]));
    if (s->wide == 8) lane = spe_and(m, lane, spe_i32(m, 7));
    spe_id elements = spe_i32(m, per), first = spe_imul(m, spe_iadd(m, u->along, lane), elements);
    first = spe_iadd(m, first, xt_stage_offset_(x, t, inner));
    for (int i = 0; i < per; i++) {
        spe_id bits = spe_u32(m, ((1u << 8 * s->bytes) - 1) << 8 * s->bytes * i);
        spe_id none = spe_i32(m, 0);
        spe_id one = spe_select(m, spe_ult(m, spe_iadd(m, first, spe_i32(m, i)), extent), bits, none);
        mask = mask ? spe_or(m, mask, one) : one;
    }
    return mask;
}

/* Loads one of this subgroup's units: for each line of it, the low and high message, and the shift. */
XE_FN_ void xt_stage_fetch_(xt_ctx *x, const xt_stage_ *s, int round)
{
    spe_module *m = &x->m;
    xt_unit_ u = xt_stage_unit_(x, s, round);
    for (int i = 0; i < s->weave; i++) {
        spe_id *got = s->got + (round * s->weave + i) * 3, one = spe_i32(m, 1), zero = spe_i32(m, 0);
        xt_surface_ r = xt_stage_surface_(x, s, &u, i);
        got[0] = got[1] = xt_stage_message_(x, s, &r.block);
        got[2] = r.shift;
        if (s->bytes == 4) continue;
        r.block.pos_x = spe_iadd(m, r.block.pos_x, spe_select(m, spe_ieq(m, got[2], zero), zero, one));
        r.block.pitch = s->pitch_again;
        got[1] = xt_stage_message_(x, s, &r.block);
    }
}

/* ---- from registers to local memory ------------------------------------------------------------------------------ */

/* Shifts elements to dword boundaries, if they are smaller. */
XE_FN_ spe_id xt_stage_align_(xt_ctx *x, const xt_stage_ *s, const spe_id got[3], spe_id mask)
{
    spe_module *m = &x->m;
    if (s->bytes == 4 || !mask) return got[0];
    spe_id bits = spe_i32(m, 31), back = spe_and(m, spe_isub(m, spe_i32(m, 0), got[2]), bits);
    spe_id low = spe_shr(m, got[0], xt_splat_word_(x, got[0], got[2]));
    spe_id high = spe_shl(m, got[1], xt_splat_word_(x, low, back));
    mask = xt_stage_repeat_(x, s, low, mask);
    return spe_and(m, spe_or(m, low, high), mask);
}

/* Transposes elements of two dwords, or (bits 8, twice) of four: swaps bits of a with those of b below them. */
XE_FN_ void xt_stage_swap_(xt_ctx *x, uint32_t mask, int bits, spe_id *a, spe_id *b)
{
    spe_module *m = &x->m;
    spe_id by = xt_splat_word_(x, *a, spe_i32(m, bits)), up = spe_shl(m, *b, by), down = spe_shr(m, *a, by);
    spe_id low = xt_splat_word_(x, *a, spe_u32(m, mask)), high = spe_not(m, low);
    up = spe_and(m, up, high);
    *a = spe_or(m, spe_and(m, *a, low), up);
    *b = spe_and(m, *b, high);
    *b = spe_or(m, spe_and(m, down, low), *b);
}

/* Interleaves lines to dwords along k: v[q] becomes element q of each line's dword. */
XE_ONCE_
XE_FN_ void xt_stage_weave_(xt_ctx *x, spe_id v[4])
{
    xt_stage_swap_(x, 0x00ff00ff, 8, &v[0], &v[1]);
    xt_stage_swap_(x, 0x00ff00ff, 8, &v[2], &v[3]);
    xt_stage_swap_(x, 0xffff, 16, &v[0], &v[2]);
    xt_stage_swap_(x, 0xffff, 16, &v[1], &v[3]);
}

/* Both at once for two lines of 16-bit elements: v[i] has element i of each line's dword, the first line's in its low
 * half. Outside the matrix, no bits of the first line are extracted and none of the second are kept. */
XE_FN_ void xt_stage_pair_(xt_ctx *x, const spe_id got[6], spe_id mask, spe_id v[2])
{
    spe_module *m = &x->m;
    spe_id half = spe_i32(m, 16);
    for (int i = 0; i < 2; i++) {
        spe_id bits = spe_and(m, i ? spe_shr(m, mask, half) : mask, half), low, high;
        spe_id upper = spe_u32(m, 0xffff0000), keep = spe_and(m, i ? mask : spe_shl(m, mask, half), upper);
        low = spe_bits_extract(m, got[i], i ? spe_xor(m, got[2], half) : got[2], bits, false);
        high = xt_splat_word_(x, got[3 + i], i ? got[5] : spe_xor(m, got[5], half));
        high = spe_math2(m, SPE_ROTATE, got[3 + i], high);
        v[i] = spe_or(m, low, spe_and(m, high, xt_splat_word_(x, high, keep)));
    }
}

/* f32, two for each dword of the result, as 16-bit floats. */
XE_FN_ spe_id xt_stage_narrow_(xt_ctx *x, const xt_stage_ *s, uint32_t count, const spe_id *v)
{
    spe_module *m = &x->m;
    spe_id all = spe_construct(m, spe_vec(m, spe_int(m, 32), count), count, v);
    all = spe_bitcast(m, spe_vec(m, spe_float(m, 32), count), all);
    all = s->type == CM_BF16 ? cm_from_arith(&x->cm, CM_BF16, all)
                             : spe_fconvert(m, spe_vec(m, spe_float(m, 16), count), all);
    return spe_bitcast(m, spe_vec(m, spe_int(m, 32), count / 2), all);
}

/* Converts two lines of f32 to dwords along k; or, if each lane holds a line, its dwords in twos. */
XE_FN_ spe_id xt_stage_convert_(xt_ctx *x, const xt_stage_ *s, const spe_id line[2])
{
    spe_id each[2 * XT_PLANE_];
    int lines = s->weave, n = s->high * s->wide / 16;
    for (int i = 0; i < n * lines; i++)
        each[i] = n == 1 ? line[i] : spe_extract(&x->m, line[i % lines], (uint32_t)(i / lines));
    return xt_stage_narrow_(x, s, (uint32_t)(n * lines), each);
}

/* The same for numbers that are known only at run time: where row p begins, and where its dword k lies. */
XE_FN_ spe_id xt_stage_row_(xt_ctx *x, const xt_stage_ *s, spe_id p)
{
    spe_module *m = &x->m;
    spe_id gap = spe_i32(m, s->gap), gaps = spe_imul(m, spe_udiv(m, p, spe_i32(m, s->rows_per_read)), gap);
    return spe_iadd(m, spe_imul(m, p, spe_i32(m, s->line)), gaps);
}

XE_FN_ spe_id xt_stage_position_id_(xt_ctx *x, const xt_stage_ *s, spe_id p, spe_id k)
{
    spe_module *m = &x->m;
    int part = s->depth / s->parts;
    spe_id line = spe_i32(m, s->line);
    if (s->mixed) {
        spe_id fourth = spe_i32(m, part / 4), every = spe_imul(m, spe_and(m, k, spe_i32(m, 3)), fourth);
        if (s->parts > 1) every = spe_iadd(m, every, spe_and(m, k, spe_i32(m, -part)));
        if (s->parts > 1) k = spe_and(m, k, spe_i32(m, part - 1));
        k = spe_iadd(m, every, spe_shr(m, k, spe_i32(m, 2)));
    }
    spe_id in_plane = spe_umod(m, k, line), plane = spe_i32(m, s->plane);
    k = spe_iadd(m, spe_imul(m, spe_udiv(m, k, line), plane), in_plane);
    return spe_iadd(m, k, xt_stage_row_(x, s, p));
}

/* The position of a lane's first dword. */
XE_FN_ spe_id xt_stage_lane_(xt_ctx *x, const xt_stage_ *s, const xt_unit_ *u)
{
    spe_module *m = &x->m;
    int groups = s->classes / s->weave;
    spe_id down = u->chunk, across = spe_builtin(m, SPE_SUBGROUP_LANE, 0);
    if (s->by_lines) {
        down = spe_iadd(m, down, across);
        across = spe_i32(m, 0);
    } else if (s->wide == 8) {
        down = spe_iadd(m, down, spe_shr(m, across, spe_i32(m, 3)));
        across = spe_and(m, across, spe_i32(m, 7));
    }
    across = spe_iadd(m, u->along, across);
    across = s->along_k ? spe_udiv(m, across, spe_i32(m, s->bytes / s->local_bytes))
                        : spe_imul(m, across, spe_i32(m, 4 / s->bytes));
    down = spe_imul(m, down, spe_i32(m, groups));
    down = spe_iadd(m, spe_udiv(m, u->line_class, spe_i32(m, s->weave)), down);
    return xt_stage_position_id_(x, s, s->along_k ? down : across, s->along_k ? across : down);
}

/* Dword `at` of the buffer for this iteration, or slice; or of the tile that a copy is stored to. */
XE_FN_ spe_id xt_stage_pointer_(xt_ctx *x, const xt_stage_ *s, spe_id at)
{
    spe_module *m = &x->m;
    if (s->to) {
        xt_tile t = xt_group_tile_(x, s->to);
        int inner = xt_inner_(&t);
        spe_id each = spe_i32(m, 4 / s->local_bytes), k = spe_udiv(m, xt_stage_offset_(x, &t, inner), each);
        at = spe_iadd(m, at, xt_stage_position_id_(x, s, xt_stage_offset_(x, &t, !inner), k));
        return spe_index(m, spe_ptr_cast(m, t.base.id, spe_int(m, 32)), at);
    }
    spe_id index = s->loop ? xt_value_at_(x, s->loop->index)->now.number.id : s->slice;
    int step = s->loop ? (int)xt_number_(x, s->loop->step)->integer : s->dist.shape[s->use == CM_B];
    at = spe_iadd(m, at, spe_i32(m, s->at));
    if (index && s->buffers > 1) {
        spe_id two = spe_i32(m, 2), buffer = spe_umod(m, spe_udiv(m, index, spe_i32(m, step)), two);
        at = spe_iadd(m, at, spe_imul(m, buffer, spe_i32(m, s->dwords)));
    }
    if (s->shared) return spe_index(m, xt_scratch_pointer_(x, CM_I32), at);
    return spe_element(m, x->staging, 1, &at);
}

/* Stores a lane's dwords of one of the interleaved lines; adjacent ones at once. */
XE_FN_ void xt_stage_store_(xt_ctx *x, const xt_stage_ *s, spe_id to, spe_id v, int q)
{
    spe_module *m = &x->m;
    int at[XT_STAGE_MOST_], n = (int)spe_count(m, spe_type_of(m, v)), i, j, run;
    int down = 16 / s->wide * s->classes / s->weave;
    spe_id one[XT_STAGE_MOST_], word[XT_PLANE_];
    for (i = 0; i < n; i++) {
        one[i] = n == 1 ? v : spe_extract(m, v, (uint32_t)i);
        at[i] = s->by_lines  ? xt_stage_position_(s, 0, xt_stage_slot_(s, i))
                : s->along_k ? xt_stage_position_(s, i * down, 0)
                             : xt_stage_position_(s, q, xt_stage_slot_(s, i * down));
    }
    for (i = 0; i < n; i++) {
        if (at[i] < 0) continue;
        for (run = 0, j = i; j < n && run < XT_PLANE_; j++) {
            if (at[j] != at[i] + run) continue;
            word[run++] = one[j];
            if (j > i) at[j] = -1;
        }
        spe_id type = spe_vec(m, spe_int(m, 32), (uint32_t)run), all = spe_construct(m, type, (uint32_t)run, word);
        spe_store(m, spe_ptr_cast(m, spe_index(m, to, spe_i32(m, at[i])), type), all, run < 4 ? (uint32_t)run * 4 : 16);
    }
}

XE_FN_ void xt_stage_put_(xt_ctx *x, const xt_stage_ *s)
{
    int rounds = xt_stage_rounds_(s), outputs = s->along_k ? 1 : 4 / s->bytes; /* columns of a dword */
    spe_id mask = 0, v[4];
    for (int round = 0; round < rounds && s->got; round++) {
        xt_unit_ u = xt_stage_unit_(x, s, round);
        const spe_id *got = s->got + round * s->weave * 3;
        if (!round || s->chunks[1] > 1) mask = xt_stage_mask_(x, s, &u);
        bool pair = s->weave == 2 && !s->converts;
        if (rounds > XT_EAGER_) xt_stage_fetch_(x, s, round);
        for (int i = 0; i < s->weave && !pair; i++) v[i] = xt_stage_align_(x, s, got + i * 3, mask);
        if (pair) xt_stage_pair_(x, got, mask, v);
        if (s->weave == 4) xt_stage_weave_(x, v);
        if (s->converts) v[0] = xt_stage_convert_(x, s, v);
        spe_id to = xt_stage_pointer_(x, s, xt_stage_lane_(x, s, &u));
        for (int i = 0; i < outputs; i++) xt_stage_store_(x, s, to, v[i], i);
    }
}

/* ---- element by element, where surfaces are not legal ------------------------------------------------------------ */

/* Element (row, col) of the tile in the low bits of a dword; 0 outside, where lanes load the first element: a branch,
 * or a choice of distances in 64 bits (spe_load_inside), would take Intel's compiler more registers. extent: of the
 * matrix, not negative. */
XE_FN_ spe_id xt_stage_element_(xt_ctx *x, const xt_stage_ *s, spe_id row, spe_id col, const spe_id *extent)
{
    spe_module *m = &x->m;
    const xt_tile *t = &s->tile;
    int inner = xt_inner_(t);
    spe_id at[2] = {spe_iadd(m, xt_stage_offset_(x, t, 0), row), spe_iadd(m, xt_stage_offset_(x, t, 1), col)};
    spe_id i64 = spe_int(m, 64), pitch = spe_uconvert(m, i64, xt_index_id_(x, &t->pitch)), zero = spe_i32(m, 0);
    spe_id inside = spe_ult(m, at[inner], extent[inner]);
    inside = spe_land(m, spe_ult(m, at[!inner], extent[!inner]), inside);
    for (int i = 0; i < 2; i++) at[i] = spe_uconvert(m, i64, spe_select(m, inside, at[i], zero));
    spe_id distance = spe_iadd(m, spe_imul(m, at[!inner], pitch), at[inner]);
    spe_id v = spe_load(m, spe_index(m, t->base.id, distance), 0), word = spe_int(m, 8 * (uint32_t)s->bytes);
    v = spe_select(m, inside, v, spe_null(m, spe_type_of(m, v)));
    v = spe_bitcast(m, word, v);
    return spe_cast(m, spe_int(m, 32), v, false);
}

/* Dword k of row p (for a right operand: column p), in the order of the tile. */
XE_FN_ spe_id xt_stage_dword_(xt_ctx *x, const xt_stage_ *s, spe_id p, spe_id k)
{
    spe_module *m = &x->m;
    int per = 4 / s->local_bytes, inner = xt_inner_(&s->tile);
    spe_id one[4], extent[2], v = 0;
    extent[inner] = spe_extent(m, xt_index_id_(x, &s->tile.shape[inner]));
    extent[!inner] = spe_extent(m, xt_lines_id_(x, &s->tile));
    for (int q = 0; q < per; q++) {
        spe_id number = spe_i32(m, q), e = spe_iadd(m, spe_imul(m, k, spe_i32(m, per)), number);
        one[q] = xt_stage_element_(x, s, s->use == CM_A ? e : p, s->use == CM_A ? p : e, extent);
        v = q ? spe_or(m, v, spe_shl(m, one[q], spe_i32(m, 8 * s->local_bytes * q))) : one[q];
    }
    return s->converts ? xt_stage_narrow_(x, s, 2, one) : v;
}

/* Has the matrix any element? */
XE_FN_ spe_id xt_stage_has_any_(xt_ctx *x, const xt_stage_ *s)
{
    const xt_tile *t = &s->tile;
    spe_module *m = &x->m;
    spe_id zero = spe_i32(m, 0), some = spe_ine(m, xt_index_id_(x, &t->shape[xt_inner_(t)]), zero);
    return spe_land(m, spe_ine(m, xt_lines_id_(x, t), zero), some);
}

/* Each lane assembles a dword per iteration. */
XE_FN_ void xt_stage_elements_(xt_ctx *x, const xt_stage_ *s)
{
    spe_module *m = &x->m;
    int dwords = s->across * s->depth, step = s->subgroups * x->S;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), any = xt_stage_has_any_(x, s), i, p, k, v, by, none;
    if (s->subgroups > 1) {
        spe_id size = spe_i32(m, x->S);
        lane = spe_iadd(m, lane, spe_imul(m, spe_builtin(m, SPE_SUBGROUP_ID, 0), size));
    }
    if (dwords > 2 * step) spe_loop_hint(m, SPE_LoopControlDontUnroll, 0); /* for fewer registers */
    spe_id zero = spe_i32(m, 0), end = spe_i32(m, dwords), each = spe_i32(m, step);
    i = spe_iadd(m, spe_for(m, zero, end, each, 0, NULL), lane);
    if (dwords % step) i = spe_umod(m, i, end); /* some are copied twice */
    by = spe_i32(m, s->along_k ? s->depth : s->across);
    k = s->along_k ? spe_umod(m, i, by) : spe_udiv(m, i, by);
    p = s->along_k ? spe_udiv(m, i, by) : spe_umod(m, i, by);
    spe_if(m, any);
    v = xt_stage_dword_(x, s, p, k);
    none = spe_null(m, spe_type_of(m, v));
    spe_endif_from(m, 1, &v, &none, &v);
    spe_store(m, xt_stage_pointer_(x, s, xt_stage_position_id_(x, s, p, k)), v, 4);
    spe_endfor(m, 0, NULL);
}

/* ---- the whole of it --------------------------------------------------------------------------------------------- */

/* Finds the tile, or the current slice of it, of which this subgroup copies a share. */
XE_FN_ void xt_stage_begin_(xt_ctx *x, xt_stage_ *s)
{
    s->tile = xt_stage_tile_(x, s);
    xt_stage_matrix_(x, s);
    s->got = (spe_id *)xt_memory_(x, (size_t)(xt_stage_rounds_(s) * s->weave * 3) * sizeof *s->got);
}

/* Begins to load the share, unless it is too much to load before some of it is stored. */
XE_FN_ void xt_stage_fetch_all_(xt_ctx *x, const xt_stage_ *s)
{
    int rounds = xt_stage_rounds_(s);
    for (int round = 0; s->got && round < rounds && rounds <= XT_EAGER_; round++) xt_stage_fetch_(x, s, round);
}

/* Opens a branch for messages, unless they are known to be legal. */
XE_FN_ bool xt_stage_if_fit_(xt_ctx *x)
{
    uint64_t known = 0;
    if (spe_const_bits(&x->m, x->stages_fit, &known) && known) return false;
    spe_if(&x->m, x->stages_fit);
    return true;
}

/* Copies the data of a group of loads, fetched before or not. */
XE_FN_ void xt_stage_fill_(xt_ctx *x, xt_stage_ *first, xt_stage_ *last, bool fetched)
{
    bool branch = xt_stage_if_fit_(x);
    for (xt_stage_ *s = first; s <= last && !fetched; s++) xt_stage_fetch_all_(x, s);
    for (xt_stage_ *s = first; s <= last; s++) xt_stage_put_(x, s);
    if (!branch) return;
    spe_else(&x->m, 0, NULL);
    for (xt_stage_ *s = first; s <= last; s++) xt_stage_elements_(x, s);
    spe_endif(&x->m, 0, NULL, NULL);
}

/* Begins to load what a copy will store. */
XE_FN_ void xt_stage_copy_(xt_ctx *x, xt_stage_ *s)
{
    int n = xt_stage_rounds_(s) * s->weave * 3;
    spe_id *none = (spe_id *)xt_memory_(x, (size_t)n * sizeof *none);
    bool branch = none && s->got && xt_stage_if_fit_(x);
    xt_stage_fetch_all_(x, s);
    if (!branch) return;
    for (int i = 0; i < n; i++) none[i] = spe_null(&x->m, spe_type_of(&x->m, s->got[i]));
    spe_endif_from(&x->m, (uint32_t)n, s->got, none, s->got);
}

/* lower/local_operands.c - writes the loads that go through local memory, as passes/local_operands.c has planned. */

/* Reads a block, part by part: consecutive rows of a left operand, or dwords along k of a lane's column. */
XE_FN_ cm_matrix xt_stage_block_(xt_ctx *x, const xt_stage_ *s, spe_id from, const xt_block_ *b)
{
    spe_module *m = &x->m;
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, s->type, s->use);
    bool right = s->use == CM_A;
    int count = cm_part_count(&l), p = right ? b->col : b->row, k = (right ? b->row : b->col) * s->local_bytes / 4;
    int per_block = l.size_k2 ? count / l.size_k2 : 1, first = 0;
    spe_id *parts = (spe_id *)xt_memory_(x, (size_t)(count ? count : 1) * sizeof *parts), v;
    for (int part = 0; parts && part < count; part++) {
        int block = part / per_block, words = cm_part_words(&l, part);
        if (part % per_block == 0) first = 0;
        int at = right ? xt_stage_position_(s, p + block * 16, k + first)
                       : xt_stage_position_(s, p + first * (l.lanes / l.size_i), k + block * XT_PLANE_);
        spe_id word = spe_int(m, right || s->local_bytes == 4 ? 32 : 16), all = spe_vec(m, word, (uint32_t)words);
        uint32_t ptr = spe_ptr_cast(m, spe_index(m, from, spe_i32(m, at)), right ? all : word);
        if (right) v = spe_load(m, ptr, words < 4 ? (uint32_t)words * 4 : 16);
        else v = spe_op(m, SPE_OpSubgroupBlockReadINTEL, all, 1, &ptr);
        parts[part] = cm_bitcast(&x->cm, cm_part_type(&x->cm, &l, part), v);
        first += words;
    }
    return parts ? cm_from_parts(&x->cm, &l, parts) : cm_poison();
}

/* A part of what was copied: the vector, or a slice of it. */
XE_FN_ xt_fragments_ xt_stage_get_(xt_ctx *x, const xt_stage_ *s, int part)
{
    xt_fragments_ v = xt_make_vec_(x, xt_node_at_(x, s->node));
    xt_block_ b = xt_blocks_(x, &s->dist);
    int along = s->use == CM_A; /* the dimension other than k */
    spe_id row = xt_piece_offset_id_(x, &v.dist, along), from;
    if (s->use == CM_A) row = spe_iadd(&x->m, row, spe_builtin(&x->m, SPE_SUBGROUP_LANE, 0));
    spe_id before = spe_i32(&x->m, part * (s->dwords / s->parts));
    row = spe_iadd(&x->m, xt_stage_row_(x, s, row), before);
    from = xt_stage_pointer_(x, s, row);
    v.dist = s->dist;
    v.use = s->use;
    if (v.blocks > b.grid.blocks) v.blocks = b.grid.blocks;
    while (v.blocks && xt_next_block_(&b)) v.block[b.i] = xt_stage_block_(x, s, from, &b);
    return v;
}

XE_FN_ void xt_stage_barrier_(xt_ctx *x)
{
    uint32_t scope = x->subgroups > 1 ? SPE_ScopeWorkgroup : SPE_ScopeSubgroup;
    spe_control_barrier(&x->m, scope, scope,
                        SPE_MemorySemanticsAcquireRelease | SPE_MemorySemanticsWorkgroupMemory);
}

XE_FN_ void xt_stage_end_(xt_ctx *x, xt_stage_ *first, xt_stage_ *last)
{
    bool before = false; /* others may still be reading the buffer */
    for (xt_stage_ *s = first; s <= last; s++) before = before || s->shared || (s->again && s->buffers == 1);
    if (before) xt_stage_barrier_(x);
    xt_stage_fill_(x, first, last, false);
    xt_stage_barrier_(x);
}

XE_FN_ xt_stage_ *xt_stage_of_(xt_ctx *x, uint32_t id)
{
    int number = xt_value_at_(x, id)->stage;
    return x->staged && number ? xt_stage_at_(x, number - 1) : NULL;
}

/* Writes a load: with the last load of its group; slices with their product; a copy when it is stored. False if the
 * node has nothing to do with what goes through local memory. */
XE_FN_ bool xt_write_staged_(xt_ctx *x, const xt_node_ *n)
{
    bool store = n->op == XT_OP_STORE_TILE_;
    xt_stage_ *s = xt_stage_of_(x, store ? n->operand[XT_ACCESS_VEC_] : n->result), *first = s, *one;
    if (store && s && s->to) xt_stage_fill_(x, s, s, true);
    if (store) return s && s->to;
    /* a repeated loop's last iteration may still be reading the buffer that the first one fills */
    if ((n->op == XT_OP_FOR_ || n->op == XT_OP_WHILE_) && n->frame->has_barrier) xt_stage_barrier_(x);
    if (!s) return false;
    if (s->node != n - xt_node_at_(x, 0)) return true; /* only loaded for that node */
    xt_remark_(x, s->to ? "copied with all subgroups" : "through local memory, where rows have any pitch");
    if (s->slices > 1) return true;
    int part = s->loop ? s->loop->copy : 0; /* of what the first of several iterations has copied */
    if (!part) xt_stage_begin_(x, s);
    if (s->to) xt_stage_copy_(x, s);
    if (!s->last || s->to) return true;
    while (!first->first) first--;
    if (!part) xt_stage_end_(x, first, s);
    for (one = first; one <= s; one++) {
        uint32_t id = xt_node_at_(x, one->node)->result;
        xt_fragments_ v = xt_stage_get_(x, one, part);
        xt_define_vec_(x, id, xt_as_use_(x, &v, xt_layout_(x, id)));
    }
    return true;
}

/* lower/slices.c - writes products whose operands go through local memory slice by slice of k. */

/* Adds the product of the slices at `slice` of k (0: the first) to the sum, or makes it. */
XE_FN_ void xt_emit_slice_(xt_ctx *x, xt_stage_ *left, xt_stage_ *right, const xt_fragments_ *sum, xt_fragments_ *r,
                           spe_id slice)
{
    xt_fragments_ v[XT_MMA_OPERANDS_];
    left->slice = right->slice = slice;
    xt_stage_begin_(x, left);
    xt_stage_begin_(x, right);
    xt_stage_end_(x, left, right);
    if (sum) v[XT_MMA_SUM_] = *sum;
    v[XT_MMA_LEFT_] = xt_stage_get_(x, left, 0);
    v[XT_MMA_RIGHT_] = xt_stage_get_(x, right, 0);
    xt_emit_mma_(x, v, sum != NULL, r, xt_mma_block_);
    left->slice = right->slice = 0;
}

/* Computes a product in a loop over slices, from a sum unless that is NULL. */
XE_FN_ void xt_emit_sliced_(xt_ctx *x, xt_stage_ *left, xt_stage_ *right, const xt_fragments_ *sum, xt_fragments_ *r)
{
    spe_module *m = &x->m;
    int size = left->dist.shape[1];
    if (!sum) xt_emit_slice_(x, left, right, NULL, r, 0);
    xt_fragments_ all = sum ? *sum : *r;
    uint32_t n = (uint32_t)xt_vec_ids_(&all, NULL);
    spe_id *ids = (spe_id *)xt_memory_(x, n * sizeof *ids), slice;
    if (!ids) return;
    xt_vec_ids_(&all, ids);
    spe_id by = spe_i32(m, size), end = spe_i32(m, size * left->slices);
    slice = spe_for(m, spe_i32(m, sum ? 0 : size), end, by, n, ids);
    all = xt_vec_from_ids_(x, &all, ids);
    if (!all.blocks) return;
    xt_emit_slice_(x, left, right, &all, r, slice);
    xt_vec_ids_(r, ids);
    spe_endfor(m, n, ids);
    *r = xt_vec_from_ids_(x, r, ids);
}

/* Writes a product, if its operands are sliced. */
XE_FN_ bool xt_write_sliced_(xt_ctx *x, const xt_node_ *n)
{
    xt_stage_ *left = n->op == XT_OP_TILE_MMA_ ? xt_stage_of_(x, n->operand[XT_MMA_LEFT_]) : NULL;
    if (!left || left->slices == 1) return false;
    xt_fragments_ r = xt_make_vec_(x, n), sum;
    bool with_c = n->operand[XT_MMA_SUM_] != 0;
    if (with_c) sum = xt_now_as_(x, n->operand[XT_MMA_SUM_], CM_ACC);
    if (r.blocks) xt_emit_sliced_(x, left, xt_stage_of_(x, n->operand[XT_MMA_RIGHT_]), with_c ? &sum : NULL, &r);
    xt_define_vec_(x, n->result, r);
    return true;
}

/* lower/elements.c - writes element-wise operations and casts. */

/* Bytes cast to f16, plus or minus a constant: both at once. False, with nothing written, if it is no such sum. */
XE_FN_ bool xt_write_cast_plus_(xt_ctx *x, const xt_node_ *n)
{
    if (n->type != CM_F16 || (n->kind != SPE_ARITH_ADD && n->kind != SPE_ARITH_SUB)) return false;
    const xt_value_ *value = xt_value_at_(x, n->operand[0]);
    const xt_node_ *cast = xt_node_at_(x, value->node);
    const xt_val *constant = xt_repeated_constant_(x, n->operand[1]);
    if (cast->op != XT_OP_CAST_VECTOR_ || cast->kind || value->stage || !constant) return false;
    const xt_vec *from = xt_vector_(x, cast->operand[0]);
    if (from->type != CM_I8 && from->type != CM_U8) return false;
    double number = constant->kind == SPE_INT ? (double)constant->integer : constant->real;
    xt_fragments_ r = xt_make_vec_(x, n), bytes = xt_now_as_(x, from->id, CM_ACC);
    for (int i = 0; i < r.blocks && spe_ok(&x->m); i++)
        r.block[i] = cm_convert_plus(&x->cm, &bytes.block[i], CM_F16, n->kind == SPE_ARITH_ADD ? number : -number);
    xt_define_vec_(x, n->result, xt_finish_vec_(x, r));
    return true;
}

/* Is it left to a store in this version, which computes it strip by strip? */
XE_FN_ bool xt_is_deferred_(xt_ctx *x, const xt_node_ *n)
{
    return xt_value_at_(x, n->result)->deferred && (x->block2d || x->staged);
}

/* Allocates all blocks, for a store to request strips of. */
XE_FN_ void xt_leave_each_(xt_ctx *x, const xt_node_ *n, xt_each_fn_ each)
{
    xt_fragments_ r = xt_make_vec_(x, n);
    for (xt_block_ b = xt_blocks_(x, &r.dist); r.blocks && xt_next_block_(&b);) {
        cm_matrix *block = &r.block[b.i];
        *block = cm_splat(&x->cm, b.cols, b.rows, xt_storage_type_(r.type), CM_ACC, 0);
        if (block->part) memset(block->part, 0, (size_t)block->parts * sizeof *block->part);
    }
    xt_define_vec_(x, n->result, r);
    xt_value_at_(x, n->result)->unmade = true;
    xt_value_at_(x, n->result)->each = each;
}

/* Computes all blocks, unless that is left to a store; `any`: in any layout that the operands share, not the
 * accumulator's. */
XE_FN_ void xt_write_each_(xt_ctx *x, const xt_node_ *n, bool any, xt_each_fn_ each)
{
    int count = n->operands;
    xt_fragments_ v[3];
    if (xt_is_deferred_(x, n)) {
        xt_leave_each_(x, n, each);
        return;
    }
    xt_fragments_ r = xt_make_vec_(x, n);
    for (int j = 0; j < count; j++) v[j] = xt_now_as_(x, n->operand[j], any ? r.use : CM_ACC);
    for (int i = 0; i < r.blocks && spe_ok(&x->m); i++) {
        const cm_matrix *a[3] = {NULL, NULL, NULL};
        for (int j = 0; j < count; j++) a[j] = &v[j].block[i];
        r.block[i] = each(x, n, a);
    }
    xt_define_vec_(x, n->result, any ? r : xt_finish_vec_(x, r));
}

XE_FN_ void xt_write_binary_vector_(xt_ctx *x, const xt_node_ *n)
{
    if (!xt_is_deferred_(x, n) && xt_write_cast_plus_(x, n)) return;
    xt_write_each_(x, n, !xt_is_compare_(n->kind), xt_binary_block_);
}

XE_FN_ void xt_write_math_vector_(xt_ctx *x, const xt_node_ *n)
{
    xt_write_each_(x, n, xt_math_info_(n->kind)->operands == 1, xt_math_block_);
}

XE_FN_ void xt_write_cast_vector_(xt_ctx *x, const xt_node_ *n) { xt_write_each_(x, n, false, xt_cast_block_); }
XE_FN_ void xt_write_select_vector_(xt_ctx *x, const xt_node_ *n) { xt_write_each_(x, n, false, xt_select_block_); }
XE_FN_ void xt_write_bitcast_vector_(xt_ctx *x, const xt_node_ *n) { xt_write_each_(x, n, false, xt_bitcast_block_); }
XE_FN_ void xt_write_emit_vec_(xt_ctx *x, const xt_node_ *n) { xt_write_each_(x, n, false, xt_users_block_); }

XE_FN_ void xt_write_math_number_(xt_ctx *x, const xt_node_ *n)
{
    spe_id id[3];
    for (int i = 0; i < n->operands; i++) id[i] = xt_now_id_(x, xt_number_(x, n->operand[i]), n->type);
    xt_define_(x, n->result, xt_scalar_(n->type, xt_math_part_(x, n, id), 1));
}

XE_FN_ void xt_write_bitcast_number_(xt_ctx *x, const xt_node_ *n)
{
    const xt_val *v = xt_number_(x, n->operand[0]);
    spe_id id = xt_now_id_(x, v, xt_carried_type_(v));
    xt_define_(x, n->result, xt_scalar_(n->type, xt_bitcast_part_(x, n, &id), 1));
}

/* lower/loads.c - writes load_tile and store_tile. */

/* In memory an i1 is any byte; in vectors it is 0 or 1. */
XE_FN_ spe_id xt_truth_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    spe_id t = spe_type_of(c->module, a), one = spe_const_u(c->module, t, 1), zero = spe_const_u(c->module, t, 0);
    (void)type, (void)b, (void)user;
    return spe_select(c->module, spe_ine(c->module, a, zero), one, zero);
}

/* Is there room in registers for headers of messages, beside sums and operands? With 256, operands that are large are
 * loaded and multiplied one after the other. */
XE_ONCE_
XE_FN_ bool xt_has_room_(const xt_ctx *x)
{
    size_t room = (size_t)xt_register_bytes_(x);
    return x->accumulator_bytes <= room / 2 && (x->registers > 128 || x->product_bytes <= room * 5 / 8);
}

XE_FN_ void xt_write_load_tile_(xt_ctx *x, const xt_node_ *n)
{
    const xt_outside_ *d = n->outside;
    xt_value_ *value = xt_value_at_(x, n->result);
    if (value->deferred && x->at == value->node) { /* left for its only use, which may load it transposed instead */
        value->unmade = true;
        return;
    }
    if (x->vulkan && x->vulkan->write_load(x, n)) return;
    xt_tile t = xt_now_tile_(x, xt_accessed_(x, n));
    cm_type storage = xt_storage_type_(t.type);
    xt_fragments_ v = xt_make_vec_(x, n);
    xt_val padding = xt_padding_(t.type, d->padding);
    bool zero = xt_pads_with_zero_(t.type, d->padding);
    bool plain = zero && d->border == XT_BORDER_PADDING && storage == v.type;
    x->cm.separate_headers = x->block2d && x->loops_around && xt_has_room_(x);
    if (x->unrolled && plain && xt_load_unrolled_(x, n, &t, &v)) {
        xt_define_vec_(x, n->result, v);
        return;
    }
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_next_block_(&b);) {
        cm_mem mem = xt_mem_(x, &t, &b, (int)v.use);
        if (!zero) mem.padding = xt_constant_(x, storage, &padding);
        if (d->border != XT_BORDER_PADDING)
            v.block[b.i] = xt_load_bordered_(x, &t, &b, d->border, v.use);
        else
            v.block[b.i] = cm_load(&x->cm, b.cols, b.rows, storage, v.use, &mem);
        if (storage != v.type) v.block[b.i] = cm_map1(&x->cm, &v.block[b.i], xt_truth_, NULL);
    }
    x->cm.separate_headers = 0;
    xt_define_vec_(x, n->result, v);
}

/* May a node load from what this points to? 0: from anywhere. */
XE_FN_ bool xt_reads_from_(xt_ctx *x, const xt_node_ *n, uint32_t origin)
{
    bool tile = n->op == XT_OP_LOAD_TILE_ || n->op == XT_OP_LOAD_GATHER_;
    bool numbers = n->op == XT_OP_LOAD_ || n->op == XT_OP_EMIT_, reads = false;
    for (int i = 0; i < n->operands && (tile || numbers) && !reads; i++) {
        const xt_val *base = xt_base_in_(xt_object_of_(x, n->operand[i]));
        if (!base || base->kind != SPE_POINTER) continue;
        uint32_t from = xt_origin_(x, base->id);
        reads = !from || !origin || from == origin;
    }
    return reads;
}

/* May a subgroup load what it stores at the node before a barrier? In straight-line code, what precedes the barrier
 * tells; else, in a loop for example, whether the kernel loads from there at all. */
XE_FN_ bool xt_reads_its_store_(xt_ctx *x, int store)
{
    const uint32_t origin = xt_origin_(x, xt_accessed_(x, xt_node_at_(x, store))->base.id);
    for (int i = store + 1; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (n->op == XT_OP_BARRIER_) return false;
        if (xt_reads_from_(x, n, origin)) return true;
        if (xt_does_(n->op, XT_BOUNDS_)) break;
    }
    for (int i = 0; i < x->nodes.count; i++)
        if (xt_reads_from_(x, xt_node_at_(x, i), origin)) return true;
    return false;
}

/* Who stores the pieces of the store that is written: the first of the subgroups that share them, if this is not 0. A
 * subgroup that may load what it stored must store it itself. */
XE_FN_ spe_id xt_only_first_(xt_ctx *x, const xt_tile *t)
{
    spe_id first = xt_is_first_(x, &t->dist);
    return first && !xt_reads_its_store_(x, x->at) ? first : 0;
}

/* Stores a block. Only the store is in the branch: values that are computed for it may be used again. */
XE_FN_ void xt_store_block_(xt_ctx *x, const xt_tile *t, const xt_block_ *at, const cm_matrix *block, spe_id first)
{
    uint32_t side = x->side;
    if (first) x->side = x->m.block;
    cm_mem mem = xt_mem_(x, t, at, XT_STORED_);
    x->side = side;
    if (first) spe_if(&x->m, first);
    cm_store(&x->cm, block, &mem);
    if (first) spe_endif(&x->m, 0, NULL, NULL);
}

/* Stores each strip as soon as it is computed. */
XE_FN_ void xt_store_strips_(xt_ctx *x, const xt_node_ *n)
{
    xt_value_ *value = xt_value_at_(x, n->operand[XT_ACCESS_VEC_]);
    xt_tile t = xt_now_tile_(x, xt_accessed_(x, n));
    const spe_id first = xt_only_first_(x, &t);
    for (xt_block_ b = xt_blocks_(x, &t.dist); spe_ok(&x->m) && xt_next_block_(&b);) {
        xt_block_ at = b;
        int i, strips = xt_strips_(&value->now.vec.block[b.i]);
        for (i = 0; i < strips; i++, at.row += at.rows) {
            cm_matrix strip = xt_strip_(x, n->operand[XT_ACCESS_VEC_], b.i, i);
            if (at.row == b.row + b.rows) at.row = b.row, at.col += at.cols;
            at.rows = strip.layout.cols;
            at.cols = strip.layout.rows;
            at.valid = xt_least_(at.cols, b.col + b.valid - at.col);
            spe_at(&x->m, n->file, n->line);
            xt_store_block_(x, &t, &at, &strip, first);
        }
    }
    value->unmade = false;
}

XE_FN_ void xt_write_store_tile_(xt_ctx *x, const xt_node_ *n)
{
    xt_tile t = xt_now_tile_(x, xt_accessed_(x, n));
    if (xt_value_at_(x, n->operand[XT_ACCESS_VEC_])->unmade) {
        xt_store_strips_(x, n);
        return;
    }
    xt_fragments_ v = xt_now_vec_(x, n->operand[XT_ACCESS_VEC_]);
    if (v.blocks && xt_is_opaque_(v.use) && x->vulkan->store(x, &t, &v)) return;
    v = xt_as_use_(x, &v, CM_ACC);
    const spe_id first = xt_only_first_(x, &t);
    for (xt_block_ b = xt_blocks_(x, &t.dist); v.blocks && xt_next_block_(&b);)
        xt_store_block_(x, &t, &b, &v.block[b.i], first);
}

/* lower/scattered.c - writes load_gather and store_scatter. */

/* The state of accessing a scatter tile block by block. */
typedef struct {
    xt_ctx *x;
    const xt_tile *t;
    xt_fragments_ all, allowed;             /* offsets and mask, in one layout; allowed.blocks 0: no mask */
    const cm_matrix *offsets, *mask; /* of the block; mask may be NULL */
    spe_id count;                    /* elements of the base, i64, not negative */
    int valid;                       /* columns of the block */
} xt_scattered_access_;

/* The offset of component v as i64, and whether that element may be accessed. */
XE_FN_ spe_id xt_scattered_inside_(const xt_scattered_access_ *s, int v, spe_id *offset)
{
    cm_ctx *c = &s->x->cm;
    spe_module *m = c->module;
    const cm_layout *l = &s->offsets->layout;
    spe_id inside, i64 = spe_int(m, 64), lane;
    *offset = spe_cast(m, i64, cm_component(c, s->offsets, v), xt_is_signed_(s->t->offsets.type));
    inside = spe_ult(m, *offset, s->count);
    if (l->size_i < l->lanes) { /* not padding */
        spe_id cols = spe_i32(m, l->cols);
        inside = spe_land(m, inside, spe_ult(m, cm_col_index(c, l, v), cols));
    }
    if (s->valid < l->rows) {
        spe_id rows = spe_i32(m, s->valid);
        inside = spe_land(m, inside, spe_ult(m, cm_row_index(c, l, v), rows));
    }
    if (!s->mask) return inside;
    lane = cm_component(c, s->mask, v);
    return spe_land(m, inside, spe_ine(m, lane, spe_null(m, spe_type_of(m, lane))));
}

/* Elements that must not be read are padding; a branch skips an empty base. */
XE_FN_ cm_matrix xt_gather_block_(const xt_scattered_access_ *s, const cm_layout *l, spe_id padding)
{
    spe_module *m = &s->x->m;
    spe_id *got = (spe_id *)xt_memory_(s->x, 2 * (size_t)l->size_v * sizeof *got), some;
    uint64_t known = 0;
    if (!got) return cm_poison();
    some = spe_sgt(m, s->count, spe_const_i(m, spe_int(m, 64), 0));
    if (spe_const_bits(m, some, &known) && known) some = 0;
    if (some) spe_if(m, some);
    for (int v = 0; v < l->size_v; v++) {
        spe_id offset, inside = xt_scattered_inside_(s, v, &offset);
        got[v] = spe_load_inside(m, s->t->base.id, offset, inside, padding, (uint32_t)cm_type_info(l->type)->bytes);
        got[l->size_v + v] = padding;
    }
    if (some) spe_endif_from(m, (uint32_t)l->size_v, got, got + l->size_v, got);
    return cm_from_components(&s->x->cm, l, got);
}

/* Calls fn for each element that may be accessed, with its address; its results form the block `got`, 0 elsewhere. got
 * NULL: no results. */
XE_FN_ void xt_visit_block_(const xt_scattered_access_ *s, const cm_matrix *a, cm_visit_fn fn, void *user,
                            cm_matrix *got)
{
    cm_ctx *c = &s->x->cm;
    spe_id *out = (spe_id *)xt_memory_(s->x, (size_t)(a->layout.size_v ? a->layout.size_v : 1) * sizeof *out);
    spe_diverged(c->module);
    for (int v = 0; out && v < a->layout.size_v; v++) {
        spe_id offset, inside = xt_scattered_inside_(s, v, &offset), value = cm_component(c, a, v), none;
        none = spe_null(c->module, spe_type_of(c->module, value));
        spe_if(c->module, inside);
        value = fn(c, a->layout.type, spe_index(c->module, s->t->base.id, offset), value, user);
        spe_endif_from(c->module, got ? 1 : 0, &value, &none, &out[v]);
    }
    if (got) *got = out ? cm_from_components(c, &a->layout, out) : cm_poison();
}

XE_FN_ spe_id xt_store_element_(cm_ctx *c, cm_type type, spe_id ptr, spe_id v, void *user)
{
    (void)user;
    spe_store(c->module, ptr, v, (uint32_t)cm_type_info(type)->bytes);
    return 0;
}

/* Sets up an access. A base of negative size is empty. t: the tile's current state. mask: a value, or 0. */
XE_FN_ xt_scattered_access_ xt_scattered_init_(xt_ctx *x, const xt_tile *t, uint32_t mask)
{
    spe_module *m = &x->m;
    spe_id n = xt_index_id_(x, &t->shape[1]), zero = spe_i32(m, 0);
    xt_scattered_access_ s = XT_ZERO_;
    s.x = x;
    s.t = t;
    n = spe_select(m, spe_sgt(m, n, zero), n, zero);
    s.count = spe_sconvert(m, spe_int(m, 64), n);
    s.all = xt_now_as_(x, t->offsets.id, CM_ACC);
    if (mask) s.allowed = xt_now_as_(x, mask, CM_ACC);
    return s;
}

XE_FN_ bool xt_scattered_next_(xt_scattered_access_ *s, xt_block_ *b)
{
    if (!s->all.blocks || !xt_next_block_(b)) return false;
    s->offsets = &s->all.block[b->i];
    s->mask = s->allowed.blocks ? &s->allowed.block[b->i] : NULL;
    s->valid = b->valid;
    return true;
}

XE_FN_ void xt_write_load_gather_(xt_ctx *x, const xt_node_ *n)
{
    xt_tile t = xt_now_tile_(x, xt_tile_(x, n->operand[XT_ACCESS_TILE_]));
    cm_type storage = xt_storage_type_(t.type);
    xt_fragments_ v = xt_make_vec_(x, n);
    xt_scattered_access_ s = xt_scattered_init_(x, &t, n->operand[XT_ACCESS_MASK_]);
    xt_val padding = xt_padding_(t.type, n->outside->padding);
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_scattered_next_(&s, &b);) {
        cm_layout l = cm_layout_for(&x->cm, s.offsets->layout.rows, s.offsets->layout.cols, storage, CM_ACC);
        v.block[b.i] = xt_gather_block_(&s, &l, xt_constant_(x, storage, &padding));
        if (storage != v.type) v.block[b.i] = cm_map1(&x->cm, &v.block[b.i], xt_truth_, NULL);
    }
    xt_define_vec_(x, n->result, xt_finish_vec_(x, v));
}

/* Accesses all blocks; r receives fn's results, unless NULL. */
XE_FN_ void xt_visit_scattered_(xt_ctx *x, const xt_node_ *n, cm_visit_fn fn, void *user, xt_fragments_ *r)
{
    xt_tile t = xt_now_tile_(x, xt_tile_(x, n->operand[XT_ACCESS_TILE_]));
    xt_fragments_ v = xt_now_as_(x, n->operand[XT_ACCESS_VEC_], CM_ACC);
    xt_scattered_access_ s = xt_scattered_init_(x, &t, n->operand[XT_ACCESS_MASK_]);
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_scattered_next_(&s, &b);)
        xt_visit_block_(&s, &v.block[b.i], fn, user, r ? &r->block[b.i] : NULL);
}

XE_FN_ void xt_write_store_scatter_(xt_ctx *x, const xt_node_ *n)
{
    xt_visit_scattered_(x, n, xt_store_element_, NULL, NULL);
}

/* lower/atomics.c - writes atomic_rmw. */

/* The new value from the old one and the operand. */
XE_FN_ spe_id xt_rmw_combine_(cm_ctx *c, xt_rmw_kind_ kind, cm_type type, spe_id old, spe_id v)
{
    const xt_rmw_row_ *row = xt_rmw_row_of_(kind);
    spe_id a = cm_to_arith(c, type, old), b = cm_to_arith(c, type, v);
    if (row->combine == XT_RED_minnumf_ || row->combine == XT_RED_maxnumf_)
        a = xt_extreme_(c->module, row->combine == XT_RED_maxnumf_, false, a, b);
    else
        a = xt_combine_(c->module, row->combine, type, a, b);
    return cm_from_arith(c, type, a);
}

/* The word to exchange for an element: its own bits, or the aligned 32 bits that contain it. */
typedef struct {
    spe_id ptr, type, shift; /* shift: 0 if the word is the element */
} xt_word_;

XE_FN_ xt_word_ xt_rmw_word_(spe_module *m, spe_id ptr, uint32_t bits)
{
    xt_word_ word = {ptr, spe_int(m, bits < 32 ? 32 : bits), 0};
    if (bits < 32) {
        spe_id address = spe_ptr_to_u(m, spe_int(m, 64), ptr);
        word.shift = spe_uconvert(m, word.type, spe_and(m, address, spe_u64(m, 3)));
        word.shift = spe_shl(m, word.shift, spe_u32(m, 3));
        address = spe_and(m, address, spe_u64(m, ~(uint64_t)3));
        word.ptr = spe_u_to_ptr(m, spe_ptr(m, spe_info(m, spe_type_of(m, ptr)).storage, word.type), address);
    } else
        word.ptr = spe_ptr_cast(m, ptr, word.type);
    return word;
}

/* The element's bits in a word, as its storage type. */
XE_FN_ spe_id xt_word_get_(spe_module *m, const xt_word_ *word, spe_id from, spe_id type)
{
    spe_id bits = spe_int(m, spe_width(m, type));
    if (word->shift) from = spe_uconvert(m, bits, spe_shr(m, from, word->shift));
    return bits == type ? from : spe_bitcast(m, type, from);
}

/* The word with other bits for the element. */
XE_FN_ spe_id xt_word_put_(spe_module *m, const xt_word_ *word, spe_id into, spe_id v)
{
    uint32_t bits = spe_width(m, spe_type_of(m, v));
    if (spe_type_of(m, v) != spe_int(m, bits)) v = spe_bitcast(m, spe_int(m, bits), v);
    if (!word->shift) return v;
    spe_id mask = spe_shl(m, spe_u32(m, bits == 8 ? 0xffu : 0xffffu), word->shift);
    v = spe_shl(m, spe_uconvert(m, word->type, v), word->shift);
    return spe_or(m, spe_and(m, into, spe_not(m, mask)), v);
}

/* A compare-exchange loop. */
XE_FN_ spe_id xt_rmw_loop_(cm_ctx *c, const xt_rmw_ *r, cm_type type, spe_id ptr, spe_id v)
{
    spe_module *m = c->module;
    spe_id storage = spe_type_of(m, v), carried[2];
    xt_word_ word = xt_rmw_word_(m, ptr, spe_width(m, storage));
    carried[0] = spe_atomic_load(m, word.ptr, r->scope, 0);
    carried[1] = spe_const_bool(m, true);
    spe_while(m, 2, carried);
    spe_id old = carried[0];
    spe_while_test(m, carried[1]);
    spe_id next = xt_word_get_(m, &word, old, storage);
    next = r->kind == XT_RMW_assign_ ? v : xt_rmw_combine_(c, r->kind, type, next, v);
    next = xt_word_put_(m, &word, old, next);
    spe_id got = spe_atomic_cas(m, word.ptr, old, next, r->scope, 0);
    carried[0] = got;
    carried[1] = spe_ine(m, got, old);
    spe_endwhile(m, 2, carried);
    return xt_word_get_(m, &word, carried[0], storage);
}

/* Callback of cm_visit: one element. */
XE_FN_ spe_id xt_rmw_element_(cm_ctx *c, cm_type type, spe_id ptr, spe_id v, void *user)
{
    const xt_rmw_ *r = (const xt_rmw_ *)user;
    int op = xt_rmw_row_of_(r->kind)->op;
    bool whole = spe_width(c->module, spe_type_of(c->module, v)) >= 32;
    if (op == XT_RMW_LOOP_ || !whole) return xt_rmw_loop_(c, r, type, ptr, v);
    return spe_atomic(c->module, (spe_atomic_op)op, ptr, v, r->scope, 0);
}

XE_FN_ void xt_write_atomic_rmw_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ r = xt_make_vec_(x, n), v = xt_now_as_(x, n->operand[XT_ACCESS_VEC_], CM_ACC);
    xt_tile t = xt_now_tile_(x, xt_tile_(x, n->operand[XT_ACCESS_TILE_]));
    xt_rmw_ rmw = {(xt_rmw_kind_)n->kind, (uint32_t)(t.base.local ? SPE_ScopeWorkgroup : SPE_ScopeDevice)};
    if (t.scatter) xt_visit_scattered_(x, n, xt_rmw_element_, &rmw, r.blocks ? &r : NULL);
    for (xt_block_ b = xt_blocks_(x, &t.dist); !t.scatter && v.blocks && r.blocks && xt_next_block_(&b);) {
        cm_mem mem = xt_mem_(x, &t, &b, XT_VISITED_);
        r.block[b.i] = cm_visit(&x->cm, &v.block[b.i], &mem, xt_rmw_element_, &rmw);
    }
    xt_define_vec_(x, n->result, xt_finish_vec_(x, r));
}

/* lower/moves.c - writes moves of elements: transpose, broadcast, convert_layout, slice, shape_cast. */

/* Transposes a[]: register i, lane p becomes register p, lane i. In each step, pairs of lanes swap half their data. */
XE_FN_ void xt_transpose_square_(xt_ctx *x, spe_id *a)
{
    spe_module *m = &x->m;
    for (int h = x->S / 2; h > 0; h /= 2) {
        spe_id bit = xt_lane_bit_(x, xt_lanes_with_(x, h));
        for (int i = 0; i < x->S; i++) {
            if (i & h) continue;
            spe_id low = a[i], high = a[i + h], other = spe_u32(m, (uint32_t)h);
            spe_id got = spe_sg_shuffle_xor(m, spe_select(m, bit, low, high), other);
            a[i] = spe_select(m, bit, got, low);
            a[i + h] = spe_select(m, bit, high, got);
        }
    }
}

/* The same elements with rows in place of columns across the lanes, square by square of S x S. */
XE_FN_ bool xt_transpose_field_(xt_ctx *x, xt_field_ *f, xt_field_ *out)
{
    int S = x->S, across = (f->cols + S - 1) / S, down = (f->rows + S - 1) / S, from[XT_LANES_MAX_];
    if (!xt_field_init_(x, out, f->rows, f->cols, across * down * S, f->type)) return false;
    for (int r = 0; r < f->rows; r += S)
        for (int c = 0; c < f->cols; c += S) {
            spe_id a[XT_LANES_MAX_];
            for (int i = 0; i < S; i++) {
                for (int p = 0; p < S; p++)
                    from[p] = r + i < f->rows && c + p < f->cols ? f->where[(r + i) * f->cols + c + p] : -1;
                a[i] = r + i < f->rows ? xt_pick_(x, f, from) : a[0];
            }
            xt_transpose_square_(x, a);
            for (int i = 0; i < S; i++, out->comps++) {
                out->comp[out->comps] = a[i];
                for (int p = 0; p < S; p++)
                    if (c + i < f->cols && r + p < f->rows)
                        out->where[(r + p) * f->cols + c + i] = out->comps * CM_LANES + p;
            }
        }
    return spe_ok(&x->m);
}

/* The transpose of a loaded vector's tile, as if memory had the other order; to: another distribution, or NULL. */
XE_FN_ xt_tile xt_transposed_tile_(xt_ctx *x, const xt_tile *of, const xt_dist *to)
{
    xt_tile t = xt_now_tile_(x, of), r = xt_transposed_(&t);
    for (int i = 0; to && i < 2; i++) {
        spe_id before = xt_piece_offset_id_(x, &of->dist, i), now = xt_piece_offset_id_(x, to, 1 - i);
        spe_id move = spe_isub(&x->m, now, before), at = xt_index_id_(x, &t.offset[i]);
        r.offset[1 - i] = xt_scalar_(CM_I32, spe_iadd(&x->m, at, move), 1);
    }
    return r;
}

/* Loads a vector transposed instead of transposing it: a single message for a product's operand or 32-bit elements, and
 * no worse per lane. */
XE_FN_ bool xt_move_by_loading_(xt_ctx *x, const xt_node_ *n, xt_fragments_ *r)
{
    const xt_move_ *how = n->move;
    const xt_vec *v = xt_vector_(x, n->operand[XT_MOVE_VEC_]);
    const xt_tile *from = n->op == XT_OP_TRANSPOSE_ ? xt_loaded_(x, v->id, x->at) : NULL;
    if (!from || !(how->reloaded || how->origin)) return false;
    if (!how->reloaded && (xt_dist_pieces(&v->dist) != 1 || v->dist.data[0] != r->dist.data[1])) return false;
    if (!how->reloaded && x->block2d && r->use == CM_ACC && xt_bytes_(v->type) != 4) return false;
    xt_remark_(x, "loaded transposed");
    xt_tile t = xt_transposed_tile_(x, from, how->reloaded ? &r->dist : NULL);
    for (xt_block_ b = xt_blocks_(x, &r->dist); xt_next_block_(&b);) {
        cm_mem mem = xt_mem_(x, &t, &b, (int)r->use);
        r->block[b.i] = cm_load(&x->cm, b.cols, b.rows, r->type, r->use, &mem);
    }
    return true;
}

/* The operand in this version; writes a load that was left to its transpose, which did not load it transposed. */
XE_FN_ xt_fragments_ xt_moved_vec_(xt_ctx *x, uint32_t id)
{
    const xt_value_ *value = xt_value_at_(x, id);
    const xt_node_ *n = xt_node_at_(x, value->node);
    if (value->unmade && n->op == XT_OP_LOAD_TILE_) xt_write_load_tile_(x, n);
    return xt_now_vec_(x, id);
}

/* Within a subgroup: transposes of more than two rows and columns square by square, all else element by element. */
XE_FN_ xt_fragments_ xt_move_within_(xt_ctx *x, const xt_node_ *n, const xt_fragments_ *v, xt_fragments_ r)
{
    const xt_dist *d = &v->dist;
    bool squares = n->op == XT_OP_TRANSPOSE_ && d->rounds[0] * d->data[0] > 2 && d->rounds[1] * d->data[1] > 2;
    xt_field_ f, t;
    if (!xt_field_of_(x, &f, v, (int)xt_storage_type_(v->type)) || (squares && !xt_transpose_field_(x, &f, &t)))
        return r;
    for (int i = 0; i < f.comps && !squares; i++) f.comp[i] = spe_reload(&x->m, f.comp[i]);
    return xt_pick_all_(x, squares ? &t : &f, n->move->origin, NULL, r);
}

/* Moves elements by the first way that suits: loading them again, through local memory between subgroups, by lanes. */
XE_FN_ void xt_write_move_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ r = xt_make_vec_(x, n);
    if (r.blocks && !xt_move_by_loading_(x, n, &r)) {
        xt_fragments_ v = xt_moved_vec_(x, n->operand[XT_MOVE_VEC_]);
        if (v.blocks && n->move->origin) r = xt_move_within_(x, n, &v, r);
        else if (v.blocks) r = xt_through_scratch_(x, &v, &n->move->from, r);
    }
    xt_define_vec_(x, n->result, r);
}

/* lower/reduction.c - writes steps of reductions. */

typedef struct {
    xt_field_ f;
    xt_group_ group;
    int outer, groups;           /* results along the other dimension, along this one */
    int width, per_register, strips; /* lanes per group, groups per register, registers per group */
} xt_reduce_;

/* One outer index: folds the registers of its groups into one. Lane p then has the partial result of group p / width,
 * counted from `first`. If the kind is idempotent (a combined with a is a), lanes without an element use one twice. */
XE_FN_ spe_id xt_reduce_fold_(xt_ctx *x, xt_reduce_ *r, int o, int first)
{
    const spe_arith_op op = xt_red_info_(r->group.kind)->op;
    const bool twice = op != SPE_ARITH_ADD && op != SPE_ARITH_MUL && op != SPE_ARITH_XOR;
    xt_val neutral = spe_val_int(r->group.kind == XT_RED_mul_ ? 1 : 0);
    spe_id sum = 0;
    int size = r->group.size, from[XT_LANES_MAX_];
    for (int strip = 0; strip < r->strips; strip++) {
        xt_lanes_ absent = 0;
        for (int p = 0; p < x->S; p++) {
            int g = first + p / r->width, k = strip * r->width + p % r->width, at = g * size + k % size;
            from[p] = -1;
            if (g >= r->groups) continue;
            if (k >= size && !twice)
                absent |= (xt_lanes_)1 << p;
            else
                from[p] = r->f.where[r->group.dim ? o * r->f.cols + at : at * r->f.cols + o];
        }
        spe_id one = xt_pick_(x, &r->f, from);
        if (absent) {
            spe_id none = xt_constant_(x, r->f.type, &neutral);
            one = spe_select(&x->m, xt_lane_bit_(x, absent), none, one);
        }
        sum = sum ? xt_combine_(&x->m, r->group.kind, r->f.type, sum, one) : one;
    }
    return sum;
}

/* Combines `count` registers of different outer indices (at most width) into one, whose lane p has outer index p %
 * width. Each step halves both the registers and the lanes left to combine. */
XE_FN_ spe_id xt_reduce_halve_(xt_ctx *x, const xt_reduce_ *r, spe_id *a, int count)
{
    spe_module *m = &x->m;
    for (int h = r->width / 2; h > 0; h /= 2) {
        spe_id bit = 0, by = spe_u32(m, (uint32_t)h);
        if (count > h) bit = xt_lane_bit_(x, xt_lanes_with_(x, h));
        for (int i = 0; i < h && i < count; i++) {
            spe_id keep = a[i], send = a[i];
            if (i + h < count) {
                keep = spe_select(m, bit, a[i + h], a[i]);
                send = spe_select(m, bit, a[i], a[i + h]);
            }
            a[i] = xt_combine_(m, r->group.kind, r->f.type, keep, spe_sg_shuffle_xor(m, send, by));
        }
        if (count > h) count = h;
    }
    return a[0];
}

/* For elements in adjacent lanes: reduces registers, then lanes. The results are a field. */
XE_FN_ bool xt_reduce_lanes_(xt_ctx *x, xt_reduce_ *r, xt_field_ *out)
{
    int dim = r->group.dim, rows = dim ? r->outer : r->groups, cols = dim ? r->groups : r->outer;
    int batches = (r->outer + r->width - 1) / r->width, bundles = (r->groups + r->per_register - 1) / r->per_register;
    if (!xt_field_init_(x, out, rows, cols, batches * bundles, r->f.type)) return false;
    for (int group = 0; group < r->groups; group += r->per_register)
        for (int o = 0; o < r->outer; o += r->width) {
            spe_id a[XT_LANES_MAX_];
            int count = xt_least_(r->outer - o, r->width);
            for (int i = 0; i < count; i++) a[i] = xt_reduce_fold_(x, r, o + i, group);
            for (int p = 0; p < x->S; p++) {
                int to = o + p % r->width, g = group + p / r->width;
                if (to < r->outer && g < r->groups)
                    out->where[dim ? to * cols + g : g * cols + to] = out->comps * CM_LANES + p;
            }
            out->comp[out->comps++] = xt_reduce_halve_(x, r, a, count);
        }
    return spe_ok(&x->m);
}

/* Each subgroup reduces its part: groups of elements along dim, which must not cross pieces. */
XE_FN_ xt_fragments_ xt_reduce_local_(xt_ctx *x, const xt_fragments_ *v, xt_group_ group, xt_fragments_ result)
{
    xt_reduce_ r = XT_ZERO_;
    xt_field_ out;
    int size = group.size;
    if (!xt_field_of_(x, &r.f, v, xt_wide_type_((int)v->type))) return result;
    r.group = group;
    r.outer = group.dim ? r.f.rows : r.f.cols;
    r.groups = (group.dim ? r.f.cols : r.f.rows) / size;
    bool across = size * 2 >= x->S ? group.dim || r.f.cols < x->S : group.dim && r.f.cols >= x->S;
    if (size == 1 || !across) return xt_pick_all_(x, &r.f, NULL, &group, result);
    r.width = size < x->S && (size & (size - 1)) == 0 ? size : x->S;
    r.per_register = x->S / r.width;
    r.strips = (size + r.width - 1) / r.width;
    return xt_reduce_lanes_(x, &r, &out) ? xt_pick_all_(x, &out, NULL, NULL, result) : result;
}

XE_FN_ void xt_write_reduce_(xt_ctx *x, const xt_node_ *n)
{
    const xt_group_ group = {n->kind, n->move->dim, n->move->size, xt_combine_};
    xt_fragments_ v = xt_now_vec_(x, n->operand[XT_MOVE_VEC_]), r = xt_make_vec_(x, n);
    xt_define_vec_(x, n->result, r.blocks && v.blocks ? xt_reduce_local_(x, &v, group, r) : r);
}

/* lower/scan.c - writes scans. */

/* The state of writing a scan. */
typedef struct {
    xt_ctx *x;
    xt_field_ f;
    int kind;
    const xt_node_ *of;
    int *element; /* element[c * CM_LANES + p]: the element in lane p of component c, -1: none */
    int span;     /* elements of a piece along the dimension */
} xt_scan_;

/* The neutral element, as a constant of the type. Where a number wins over NaN it is NaN: an infinity would win over
 * the NaNs of a piece that has no number. */
XE_FN_ spe_id xt_scan_neutral_(xt_ctx *x, int kind, int type)
{
    uint32_t half = !xt_red_info_(kind)->nan_wins ? 0x7e00 : kind == XT_RED_minimumf_ ? 0x7c00 : 0xfc00;
    xt_val v = spe_val_real(spe_real_of_bits(SPE_IEEE, 16, half));
    int unused = 64 - xt_bits_(type);
    uint64_t ones = UINT64_MAX >> unused, bits = kind == XT_RED_mul_;
    if (kind == XT_RED_and_ || kind == XT_RED_minui_) bits = ones;
    if (kind == XT_RED_minsi_) bits = ones >> 1;
    if (kind == XT_RED_maxsi_) bits = ones ^ (ones >> 1);
    if (kind >= XT_RED_minnumf_) return xt_constant_(x, type, &v);
    v = spe_val_int(xt_is_signed_(type) && !xt_is_float_(type) ? (long long)(bits << unused) >> unused
                                                               : (long long)bits);
    return xt_constant_(x, type, &v);
}

/* An element's position along the dimension, in its piece. */
XE_FN_ int xt_scan_at_(const xt_scan_ *s, int element)
{
    return (s->of->move->dim ? element % s->f.cols : element / s->f.cols) % s->span;
}

XE_FN_ bool xt_scan_init_(xt_scan_ *s, xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ v = xt_now_vec_(x, n->operand[XT_MOVE_VEC_]);
    s->x = x;
    s->kind = n->kind;
    s->of = n;
    s->span = v.dist.data[n->move->dim];
    if (!xt_field_of_(x, &s->f, &v, xt_wide_type_((int)v.type))) return false;
    s->element = (int *)xt_memory_(x, (size_t)s->f.comps * CM_LANES * sizeof *s->element);
    if (!s->element) return false;
    for (int i = 0; i < s->f.comps * CM_LANES; i++) s->element[i] = -1;
    for (int i = 0; i < s->f.rows * s->f.cols; i++) s->element[s->f.where[i]] = i;
    return true;
}

/* The element `by` positions before each one of component c, from f; mask[0]: the lanes whose element has one, mask[1]:
 * those whose element has none. */
XE_FN_ spe_id xt_scan_before_(const xt_scan_ *s, xt_field_ *f, int c, int by, xt_lanes_ mask[2])
{
    int from[XT_LANES_MAX_], step = by * (s->of->move->dim ? 1 : f->cols);
    mask[0] = mask[1] = 0;
    for (int p = 0; p < s->x->S; p++) {
        int e = s->element[c * CM_LANES + p];
        from[p] = e >= 0 && xt_scan_at_(s, e) >= by ? f->where[e - step] : -1;
        if (e >= 0) mask[from[p] < 0] |= (xt_lanes_)1 << p;
    }
    return mask[0] ? xt_pick_(s->x, f, from) : 0;
}

/* a in the lanes of mask[0], b in those of mask[1]. */
XE_FN_ spe_id xt_scan_choose_(const xt_scan_ *s, const xt_lanes_ mask[2], spe_id a, spe_id b)
{
    if (!mask[0]) return b;
    return mask[1] ? spe_select(&s->x->m, xt_lane_bit_(s->x, mask[0]), a, b) : a;
}

/* A copy of f with its own components. */
XE_FN_ bool xt_scan_copy_(const xt_scan_ *s, const xt_field_ *f, xt_field_ *to)
{
    if (!xt_field_init_(s->x, to, f->rows, f->cols, f->comps, f->type)) return false;
    memcpy(to->where, f->where, (size_t)f->rows * (size_t)f->cols * sizeof *f->where);
    memcpy(to->comp, f->comp, (size_t)f->comps * sizeof *f->comp);
    to->comps = f->comps;
    return true;
}

enum { XT_SCAN_NONE_ = -1, XT_SCAN_SEVERAL_ = -2 };

/* The position along the dimension of a component's elements. */
XE_FN_ int xt_scan_position_(const xt_scan_ *s, int c)
{
    int at = XT_SCAN_NONE_;
    for (int p = 0; p < s->x->S; p++) {
        int e = s->element[c * CM_LANES + p];
        if (e >= 0 && at >= 0 && xt_scan_at_(s, e) != at) return XT_SCAN_SEVERAL_;
        if (e >= 0) at = xt_scan_at_(s, e);
    }
    return at;
}

XE_FN_ void xt_scan_one_by_one_(xt_scan_ *s)
{
    xt_lanes_ mask[2];
    for (int at = 1; at < s->span; at++)
        for (int c = 0; c < s->f.comps; c++)
            if (xt_scan_position_(s, c) == at)
                s->f.comp[c] = xt_combine_(&s->x->m, s->kind, s->f.type, xt_scan_before_(s, &s->f, c, 1, mask),
                                           s->f.comp[c]);
}

/* Scans in steps of 1, 2, 4 ..., each adding partial results. */
XE_FN_ bool xt_scan_doubling_(xt_scan_ *s)
{
    for (int by = 1; by < s->span; by *= 2) {
        xt_field_ old;
        if (!xt_scan_copy_(s, &s->f, &old)) return false;
        for (int c = 0; c < old.comps; c++) {
            xt_lanes_ mask[2];
            spe_id before = xt_scan_before_(s, &old, c, by, mask);
            if (!before) continue;
            before = xt_combine_(&s->x->m, s->kind, old.type, before, old.comp[c]);
            s->f.comp[c] = xt_scan_choose_(s, mask, before, old.comp[c]);
        }
    }
    return true;
}

/* For an exclusive scan, shifts by one element; then combines with the carry. */
XE_FN_ bool xt_scan_finish_(xt_scan_ *s, xt_field_ *out)
{
    spe_id neutral = xt_scan_neutral_(s->x, s->kind, s->f.type);
    xt_field_ carry;
    if (!xt_scan_copy_(s, &s->f, out)) return false;
    for (int c = 0; s->of->move->exclusive && c < out->comps; c++) {
        xt_lanes_ mask[2];
        spe_id before = xt_scan_before_(s, &s->f, c, 1, mask);
        out->comp[c] = xt_scan_choose_(s, mask, before, neutral);
    }
    if (s->of->operand[XT_MOVE_PART_]) {
        xt_fragments_ v = xt_now_vec_(s->x, s->of->operand[XT_MOVE_PART_]);
        if (!xt_field_of_(s->x, &carry, &v, s->f.type)) return false;
        for (int c = 0; c < out->comps; c++)
            out->comp[c] = xt_combine_(&s->x->m, s->kind, out->type, carry.comp[c], out->comp[c]);
    }
    return true;
}

XE_FN_ void xt_write_scan_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ r = xt_make_vec_(x, n);
    xt_scan_ s;
    xt_field_ out;
    int c = 0;
    if (!r.blocks || !xt_scan_init_(&s, x, n)) return;
    while (c < s.f.comps && xt_scan_position_(&s, c) != XT_SCAN_SEVERAL_) c++;
    if (c == s.f.comps) /* each element's predecessor is in its own lane */
        xt_scan_one_by_one_(&s);
    else if (!xt_scan_doubling_(&s))
        return;
    if (!xt_scan_finish_(&s, &out)) return;
    xt_define_vec_(x, n->result, xt_pick_all_(x, &out, NULL, NULL, r));
}

/* lower/carried.c - writes carried values. */

/* The ids of one vector, in the layout `use`; ids NULL: only their number. */
XE_FN_ int xt_carried_ids_(xt_ctx *x, uint32_t id, cm_use use, spe_id *ids)
{
    if (!ids && xt_is_opaque_(use)) return x->vulkan->parts(x, id);
    xt_fragments_ now = xt_now_as_(x, id, use);
    return xt_vec_ids_(&now, ids);
}

/* Does a variable get, at the end of a side, the vector that another had when the side began? */
XE_FN_ bool xt_is_rotated_(xt_ctx *x, const xt_frame_ *f, const xt_slot_ *s, const xt_vec *v)
{
    const xt_vec *first;
    for (int i = 0; i < f->slots; i++) {
        first = xt_vec_in_(xt_object_of_(x, f->op == XT_OP_IF_ ? f->slot[i].start : f->slot[i].body));
        if (&f->slot[i] != s && first && first->id == v->id) return true;
    }
    return false;
}

/* Collects the ids that change, with their values before the region or at the end of a side (second: of the last side),
 * and returns their number. Allocates the frame's array if necessary. */
XE_FN_ int xt_gather_(xt_ctx *x, xt_frame_ *f, bool at_end, bool second)
{
    int at = 0;
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        const xt_object_ *start = xt_object_of_(x, s->start);
        const xt_object_ *t = !at_end ? start : xt_object_of_(x, second ? s->now : s->body);
        for (int j = 0; j < XT_COMPONENTS_; j++) {
            if (!(s->mask >> j & 1)) continue;
            if (f->ids) f->ids[at] = xt_now_id_(x, xt_scalar_of_(t, j), xt_carried_type_(xt_scalar_of_(start, j)));
            at++;
        }
        if (!(s->mask & XT_VEC_CHANGES_)) continue;
        spe_id *ids = f->ids ? f->ids + at : NULL;
        int n = xt_carried_ids_(x, xt_vec_in_(t)->id, xt_layout_(x, xt_vec_in_(start)->id), ids);
        if (ids && (!at_end || xt_is_rotated_(x, f, s, xt_vec_in_(t)))) spe_differ(&x->m, 0, (uint32_t)n, ids);
        at += n;
    }
    return at;
}

/* Makes a vector like the one before the region from these ids. Returns their number. */
XE_FN_ int xt_set_carried_(xt_ctx *x, uint32_t start, uint32_t id, const spe_id *ids)
{
    xt_fragments_ now = xt_value_is_opaque_(x, id) ? x->vulkan->vec(x, start) : xt_now_vec_(x, start);
    now = xt_vec_from_ids_(x, &now, ids);
    xt_define_vec_(x, id, now);
    return xt_vec_ids_(&now, NULL);
}

/* How far the index is from its start after the loop: the smallest multiple of the step that is not below hi - lo. */
XE_FN_ spe_id xt_for_distance_(xt_ctx *x, const xt_frame_ *f)
{
    spe_module *m = &x->m;
    const xt_val *by = xt_number_(x, f->step);
    spe_id lo = xt_now_id_(x, xt_number_(x, f->lo), CM_I32), hi = xt_now_id_(x, xt_number_(x, f->hi), CM_I32);
    spe_id step = xt_index_id_(x, by), iterations = spe_isub(m, hi, lo);
    iterations = spe_udiv(m, spe_iadd(m, iterations, spe_i32(m, (int32_t)by->integer - 1)), step);
    iterations = spe_imul(m, iterations, step);
    spe_id zero = spe_i32(m, 0);
    return spe_select(m, spe_slt(m, lo, hi), iterations, zero);
}

/* Sets carried values at the top of a loop's body or after the region: to the frame's ids if they change, to the sum of
 * start and advance if they advance with the index, else to their values before it. advance: of this iteration; after
 * the loop, it is computed for those that are used. */
XE_FN_ void xt_scatter_(xt_ctx *x, xt_frame_ *f, bool result, spe_id advance)
{
    int at = 0;
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        const xt_object_ *start = xt_object_of_(x, s->start), *t = xt_object_of_(x, result ? s->result : s->body);
        const xt_vec *v = xt_vec_in_(t), *before = xt_vec_in_(start);
        const xt_val *first;
        for (int j = 0; (first = xt_scalar_of_(start, j)) != NULL; j++) {
            bool changes = s->mask >> j & 1, counts = s->mask >> XT_COUNTS_SHIFT_ >> j & 1;
            if (result && !changes && !counts) continue;
            uint32_t id = xt_scalar_of_(t, j)->id;
            if (counts && result && !xt_last_use_(x, id)) {
                xt_define_unused_(x, id, xt_carried_type_(first));
                continue;
            }
            if (counts && !advance) advance = xt_for_distance_(x, f);
            xt_define_(x, id, changes ? xt_carried_as_(first, f->ids[at++]) : xt_now_(x, first));
            if (!counts) continue;
            xt_value_ *value = xt_value_at_(x, id);
            value->start = xt_id_(x, &value->now.number, xt_carried_type_(first));
            value->advance = advance;
            value->now.number = xt_scalar_(xt_carried_type_(first), spe_iadd(&x->m, value->start, advance), 1);
        }
        if (!v) continue;
        if (s->mask & XT_VEC_CHANGES_)
            at += xt_set_carried_(x, before->id, v->id, f->ids + at);
        else if (!result)
            xt_define_vec_(x, v->id, xt_now_vec_(x, before->id));
    }
}

/* lower/control.c - writes regions and barriers. */

/* Allocates the ids of a region's carried values. */
XE_FN_ bool xt_make_ids_(xt_ctx *x, xt_frame_ *f)
{
    f->ids = NULL;
    f->id_count = xt_gather_(x, f, false, false);
    f->panel_ids = x->vulkan ? x->vulkan->panel_ids(x, f) : 0;
    f->ids = (spe_id *)xt_memory_(x, (size_t)(f->id_count + 2 * f->panel_ids) * sizeof *f->ids);
    f->inner = f->panel_ids > 0;
    return f->ids != NULL;
}

/* Sets the values at the top of the body, or of a copy of it, from the frame's ids. */
XE_FN_ void xt_write_iteration_(xt_ctx *x, xt_frame_ *f)
{
    const xt_val *step = xt_number_(x, f->step);
    int align = xt_least_(xt_val_align_(xt_number_(x, f->lo)), xt_val_align_(step));
    spe_id k =
        f->copy ? spe_iadd(&x->m, f->iteration, spe_i32(&x->m, f->copy * (int32_t)step->integer)) : f->iteration;
    xt_scatter_(x, f, false, f->counts ? spe_isub(&x->m, k, f->from) : 0);
    xt_define_(x, f->index, xt_scalar_(CM_I32, k, align));
}

/* What a loop carries. */
XE_FN_ uint32_t xt_loop_ids_(const xt_frame_ *f) { return (uint32_t)(f->id_count + f->panel_ids); }

/* Begins a loop with so many copies of the body, whose index begins at `from`. */
XE_FN_ void xt_write_loop_(xt_ctx *x, xt_frame_ *f, spe_id from, int copies)
{
    spe_module *m = &x->m;
    xt_val lo = xt_now_(x, xt_number_(x, f->lo)), hi = xt_now_(x, xt_number_(x, f->hi)),
           step = xt_now_(x, xt_number_(x, f->step));
    spe_id to = xt_index_id_(x, &hi), by = xt_index_id_(x, &step);
    if (copies > 1) { /* no iteration begins that the loop would end within */
        spe_id others = spe_imul(m, by, spe_i32(m, copies - 1));
        to = spe_isub(m, spe_math2(m, SPE_SMAX, to, xt_index_id_(x, &lo)), others);
        by = spe_imul(m, by, spe_i32(m, copies));
        xt_remark_(x, "several iterations at a time, while so many are left");
    }
    f->copies = copies;
    f->copy = 0;
    f->per_load = x->block2d && copies > 1 ? xt_iterations_per_load_(x, copies) : 1;
    x->unrolled = copies > 1 ? f : NULL;
    if (f->panel_ids) {
        xt_scatter_(x, f, false, spe_isub(m, from, f->from));
        to = x->vulkan->enter(x, f, from, to);
    }
    f->iteration = spe_for(m, from, to, by, xt_loop_ids_(f), f->ids);
    xt_write_iteration_(x, f);
    if (f->panel_ids) x->vulkan->iterate(x, f, to);
}

/* XT_FOR or XT_WHILE. */
XE_FN_ void xt_write_for_(xt_ctx *x, const xt_node_ *n)
{
    xt_frame_ *f = n->frame;
    xt_val lo = xt_now_(x, xt_number_(x, f->lo));
    if (!xt_make_ids_(x, f)) return;
    f->side_before = x->side;
    x->side = 0;
    xt_gather_(x, f, false, false);
    if (x->block2d && n->divergence < 2) spe_reconverge(&x->m); /* not in the loop */
    x->loops_around++;
    if (f->op == XT_OP_WHILE_) {
        spe_while(&x->m, (uint32_t)f->id_count, f->ids);
        xt_scatter_(x, f, false, 0);
        return;
    }
    f->from = xt_index_id_(x, &lo);
    int staged = x->staged && f->per_copy ? f->per_copy : 1;
    xt_write_loop_(x, f, f->from, x->block2d ? xt_copies_(x, f, 24) : staged);
}

/* At the end of a body: continues with its next copy, or with the loop for the iterations that are left. */
XE_FN_ bool xt_write_next_(xt_ctx *x, xt_frame_ *f)
{
    if (f->copies == 1 && !f->inner) return false;
    if (++f->copy < f->copies) {
        xt_write_iteration_(x, f);
    } else {
        spe_endfor(&x->m, xt_loop_ids_(f), f->ids);
        f->inner = false;
        xt_write_loop_(x, f, f->iteration, 1);
    }
    x->at = f->begin;
    return true;
}

XE_FN_ void xt_write_while_test_(xt_ctx *x, const xt_node_ *n)
{
    spe_while_test(&x->m, xt_now_id_(x, xt_number_(x, n->operand[0]), XT_BOOL_));
}

XE_FN_ void xt_write_if_(xt_ctx *x, const xt_node_ *n)
{
    xt_frame_ *f = n->frame;
    if (xt_make_ids_(x, f)) spe_if(&x->m, xt_now_id_(x, xt_number_(x, f->lo), XT_BOOL_));
    f->side_before = x->side;
    x->side = x->m.block;
}

XE_FN_ void xt_write_else_(xt_ctx *x, const xt_node_ *n)
{
    xt_frame_ *f = n->frame;
    xt_gather_(x, f, true, false);
    spe_else(&x->m, (uint32_t)f->id_count, f->ids);
    x->side = x->m.block;
}

XE_FN_ void xt_write_end_(xt_ctx *x, const xt_node_ *node)
{
    xt_frame_ *f = node->frame;
    uint32_t n = (uint32_t)f->id_count;
    xt_gather_(x, f, true, true);
    if (f->panel_ids) x->vulkan->carry(x, f, true);
    if (x->block2d && f->op != XT_OP_IF_ && node->divergence < 2) spe_reconverge(&x->m);
    if (f->op == XT_OP_FOR_ && xt_write_next_(x, f)) return;
    x->loops_around -= f->op != XT_OP_IF_;
    x->side = f->side_before;
    if (node->divergence > 1) spe_diverged(&x->m);
    if (f->op == XT_OP_WHILE_)
        spe_endwhile(&x->m, n, f->ids);
    else if (f->op == XT_OP_FOR_)
        spe_endfor(&x->m, xt_loop_ids_(f), f->ids);
    else
        spe_endif(&x->m, n, f->ids, f->ids);
    if (f->panel_ids && x->strips_in_panels) x->vulkan->wait(x);
    xt_scatter_(x, f, true, 0);
}

XE_FN_ void xt_write_barrier_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op == XT_OP_BARRIER_ARRIVE_) spe_barrier_arrive(&x->m);
    else if (n->op == XT_OP_BARRIER_WAIT_) spe_barrier_wait(&x->m);
    else spe_barrier(&x->m);
}

/* lower/user_operations.c - writes users' own operations. */

XE_FN_ void xt_write_emit_(xt_ctx *x, const xt_node_ *n)
{
    spe_id ids[8];
    for (int i = 0; i < n->operands; i++) {
        const xt_val *v = xt_number_(x, n->operand[i]);
        ids[i] = xt_now_id_(x, v, xt_carried_type_(v));
    }
    xt_define_(x, n->result, xt_scalar_(n->type, n->users->number(&x->cm, ids, n->users->user), 1));
}

/* lower/random.c - random numbers: Philox2x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1,
 * 2, 3). */

enum { XT_PHILOX_ROUNDS_ = 10 };
#define XT_PHILOX_TIMES_ 0xd256d193u
#define XT_PHILOX_STEP_ 0x9e3779b9u

uint32_t xt_random(uint32_t seed, uint32_t index)
{
    uint32_t low = index, high = 0;
    for (int i = 0; i < XT_PHILOX_ROUNDS_; i++, seed += XT_PHILOX_STEP_) {
        uint64_t product = (uint64_t)low * XT_PHILOX_TIMES_;
        low = (uint32_t)(product >> 32) ^ seed ^ high;
        high = (uint32_t)product;
    }
    return low;
}

XE_FN_ spe_id xt_random_one_(cm_ctx *c, cm_type type, spe_id index, spe_id seed, void *user)
{
    spe_module *m = c->module;
    spe_id u32 = spe_type_of(m, index), u64 = spe_vec(m, spe_int(m, 64), spe_count(m, u32)), low = index,
           high = spe_null(m, u32);
    (void)type, (void)user;
    for (int i = 0; i < XT_PHILOX_ROUNDS_; i++) {
        spe_id times = spe_const_u(m, u64, XT_PHILOX_TIMES_), product = spe_imul(m, spe_uconvert(m, u64, low), times);
        low = spe_uconvert(m, u32, spe_shr(m, product, spe_const_u(m, u64, 32)));
        low = spe_xor(m, spe_xor(m, low, seed), high);
        high = spe_uconvert(m, u32, product);
        seed = spe_iadd(m, seed, spe_const_u(m, u32, XT_PHILOX_STEP_));
    }
    return low;
}

XE_FN_ spe_id xt_random_id_(cm_ctx *c, const spe_id *v, void *user)
{
    return xt_random_one_(c, CM_U32, v[1], v[0], user);
}

XE_FN_ cm_matrix xt_random_block_(cm_ctx *c, const cm_matrix *const *v, void *user)
{
    return cm_map2(c, v[1], v[0], xt_random_one_, user);
}

/* lower/element.c - writes single numbers. */

/* Of operands 0, the base, and 1. */
XE_FN_ spe_id xt_element_pointer_(xt_ctx *x, const xt_node_ *n)
{
    spe_id base = xt_now_(x, xt_number_(x, n->operand[0])).id;
    return spe_index(&x->m, base, xt_now_id_(x, xt_number_(x, n->operand[1]), CM_I32));
}

XE_FN_ void xt_write_load_(xt_ctx *x, const xt_node_ *n)
{
    cm_type type = (cm_type)xt_number_(x, n->operand[0])->type;
    spe_id v = spe_load(&x->m, xt_element_pointer_(x, n), (uint32_t)xt_bytes_(type));
    xt_define_(x, n->result, xt_scalar_(n->type, cm_to_arith(&x->cm, type, v), 1));
}

XE_FN_ void xt_write_store_(xt_ctx *x, const xt_node_ *n)
{
    cm_type type = (cm_type)xt_number_(x, n->operand[0])->type;
    spe_id id = cm_from_arith(&x->cm, type, xt_now_id_(x, xt_number_(x, n->operand[2]), n->type));
    spe_store(&x->m, xt_element_pointer_(x, n), id, (uint32_t)xt_bytes_(type));
}

XE_FN_ void xt_write_element_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ v = xt_now_vec_(x, n->operand[0]);
    int type = xt_number_type_((int)v.type);
    xt_field_ f;
    if (!v.blocks || !xt_field_of_(x, &f, &v, (int)xt_storage_type_((cm_type)type))) return;
    spe_id one = spe_sg_broadcast(&x->m, f.comp[f.where[0] / CM_LANES], spe_i32(&x->m, f.where[0] % CM_LANES));
    if (type == XT_BOOL_) one = spe_ine(&x->m, one, spe_null(&x->m, spe_type_of(&x->m, one)));
    xt_define_(x, n->result, xt_scalar_(type, one, 1));
}

/* lower/lower.c - writes a recorded body, node by node, in one version or two. */

/* The table's operations, each an object of its own. */
#define XT_OPERATION_OBJECT_(name, function, ...)                                                                      \
    XT_SHARED_ const xt_operation_ xt_operation_##name##_ = {XT_OP_##name##_, xt_write_##function##_};
XT_OPERATIONS_(XT_OPERATION_OBJECT_)

/* Writes the body, in one version; in that for any pitch, what goes through local memory otherwise. */
XE_FN_ void xt_write_nodes_(xt_ctx *x)
{
    for (x->at = 0; x->at < x->nodes.count && spe_ok(&x->m); x->at++) {
        const xt_node_ *n = xt_node_at_(x, x->at);
        spe_at(&x->m, n->file, n->line);
        if (x->staged && (xt_write_sliced_(x, n) || xt_write_staged_(x, n))) continue;
        if (!x->vulkan || !x->vulkan->write(x, n)) n->write(x, n);
    }
}

XE_FN_ bool xt_begin_kernel_(xt_ctx *x)
{
    spe_param params[SPE_PARAMS_MAX];
    for (int i = 0; i < x->param_count; i++)
        params[i] = spe_param_of(&x->m, &x->params[i], xt_spe_type_(x, x->params[i].type));
    if (!spe_build_kernel(&x->m, x->kernel->name, x->S, xt_group_size_(x), x->param_count, params)) return false;
    if (x->vulkan) x->vulkan->make_memory(x);
    if (x->scratch_bytes) x->scratch = xt_shared_array_(&x->m, spe_int(&x->m, 64), (int64_t)x->scratch_bytes / 8);
    if (x->stage_dwords) x->staging = xt_shared_array_(&x->m, spe_int(&x->m, 32), (int64_t)x->stage_dwords);
    return true;
}

/* Writes the body with 2D block messages. */
XE_FN_ void xt_write_block2d_(xt_ctx *x)
{
    x->block2d = true;
    xt_write_nodes_(x);
    x->block2d = false;
}

/* Writes it without. Operands of products may go through local memory, copied by messages or element by element: a
 * branch around each copying decides. */
XE_FN_ void xt_write_any_(xt_ctx *x)
{
    x->staged = x->stages.count > 0;
    if (x->staged) xt_write_stage_condition_(x);
    xt_write_nodes_(x);
    x->staged = false;
}

/* Writes one version, or two with a branch on the condition, unless it is known. */
XE_FN_ void xt_write_versions_(xt_ctx *x)
{
    bool has = (x->target.block2d_sizes & (uint32_t)x->S) && x->cm.lowering != CM_PLAIN;
    spe_id condition = 0;
    uint64_t known = 0;
    x->versions = !has                                 ? "without 2D block messages: target or lowering have none"
                  : x->desc->pitch == XT_PITCH_ANY     ? "without 2D block messages, as .pitch requests"
                  : x->desc->pitch == XT_PITCH_ALIGNED ? "with 2D block messages, as .pitch promises"
                                                       : NULL;
    x->messages = has && x->desc->pitch != XT_PITCH_ANY;
    bool with = x->versions && x->messages, without = x->versions && !x->messages;
    if (!x->versions) {
        condition = x->loads ? xt_emit_condition_(x) : 0; /* a second version only for stores is not worth it */
        without = !condition || xt_is_false_(x, condition);
        with = !without && spe_const_bits(&x->m, condition, &known);
        x->versions = without ? "without 2D block messages: no load qualifies"
                      : with  ? "with 2D block messages, as all matrices are known to qualify"
                              : "with 2D block messages, where";
    }
    x->messages = !without;
    if (with) {
        xt_write_block2d_(x);
    } else if (without) {
        xt_write_any_(x);
    } else {
        spe_if(&x->m, condition);
        xt_write_block2d_(x);
        spe_else(&x->m, 0, NULL);
        xt_write_any_(x);
        spe_endif(&x->m, 0, NULL, NULL);
    }
}

/* passes/resources.c - a pass: the work-group's size and the registers per thread, within the target's limits. */

/* Subgroups that a work-group may have with 256 registers per thread, which halve the hardware's threads. */
XE_FN_ int xt_most_with_256_(const xt_ctx *x) { return x->target.max_group_size / x->S / 2; }

/* Chooses the work-group size and registers per thread, within the target's limits. */
XE_FN_ bool xt_choose_resources_(xt_ctx *x)
{
    spe_line at = {x->desc->file, x->desc->line};
    xt_where_ w = {x, &at};
    int subgroups = x->subgroups ? x->subgroups : 1, registers = x->desc->registers;
    if (registers && registers != 128 && registers != 256)
        return xt_fail_(w, XT_ERROR_REGISTERS, ".registers is %d, wanted 128 or 256", registers);
    if (x->subgroups) at = x->subgroups_at;
    if (subgroups < 0 || subgroups > x->target.max_group_size / x->S)
        return xt_fail_(w, XT_ERROR_GROUP_SIZE, "%d subgroups of %d are %lld work-items, %s has %d", subgroups, x->S,
                        (long long)subgroups * x->S, x->target.name, x->target.max_group_size);
    int most = xt_most_with_256_(x);
    x->registers = x->accumulator_bytes > 4096 || (x->product_bytes > 6144 && subgroups <= most) ? 256 : 128;
    if (registers) x->registers = registers;
    if (x->target.vulkan) x->registers = 128; /* there, compilers choose */
    if (!cm_has_two_register_modes(&x->target)) x->registers = 128;
    return x->registers == 128 || subgroups <= most ||
           xt_fail_(w, XT_ERROR_REGISTERS,
                    "256 for %d subgroups, %s has room for %d; .registers = 128 takes more and may spill", subgroups,
                    x->target.name, most);
}

/* passes/products.c - a pass that finds the register needs of products. */

/* Bytes of the vectors that a region carries, per subgroup. */
XE_ONCE_
XE_FN_ size_t xt_carried_bytes_(xt_ctx *x, const xt_frame_ *f)
{
    size_t all = 0;
    for (int i = 0; i < f->slots; i++) {
        const xt_object_ *start = xt_object_of_(x, f->slot[i].start);
        if (start->magic == XT_VEC_MAGIC_) all += xt_vec_bytes_(&start->vec);
    }
    return all;
}

/* Finds the register needs of products: besides a product's operands, its sum or all that the region carries. */
XE_FN_ void xt_find_products_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (!xt_is_mma_(n->op)) continue;
        const xt_vec *left = xt_vector_(x, n->operand[XT_MMA_LEFT_]), *right = xt_vector_(x, n->operand[XT_MMA_RIGHT_]);
        size_t sum = xt_vec_bytes_(xt_vector_(x, n->result));
        size_t carried = n->in ? xt_carried_bytes_(x, n->in) : 0;
        size_t all = (sum > carried ? sum : carried) + xt_vec_bytes_(left) + xt_vec_bytes_(right);
        if (sum > x->accumulator_bytes) x->accumulator_bytes = sum;
        if (all > x->product_bytes) x->product_bytes = all;
        int lines = left->dist.data[0];
        if (x->target.block1d && lines > 8) lines = 8; /* they are loaded as they are used */
        size_t slice = sum + (size_t)(lines + right->dist.data[1]) * 32; /* eight dwords per line */
        if (slice <= x->slice_bytes) continue;
        x->slice_bytes = slice;
        x->largest = i;
    }
}

/* passes/reloads.c - a pass that finds transposes of what can be loaded again. */

/* A pass: a loaded vector whose transpose is held by other subgroups is loaded again, transposed, instead of going
 * through local memory. Not on devices without 2D block messages, where many more loads are open at once then. A load
 * that is only transposed is left to the transpose. */
XE_FN_ void xt_find_reloads_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        xt_move_ *d = n->move;
        if (n->op != XT_OP_TRANSPOSE_ || !xt_loaded_(x, n->operand[XT_MOVE_VEC_], i)) continue;
        const xt_vec *v = xt_vector_(x, n->operand[XT_MOVE_VEC_]);
        const int *data = v->dist.data;
        int bytes = xt_bytes_(v->type);
        d->reloaded = x->target.block2d_sizes && !d->origin && data[0] * bytes % 4 == 0 && data[1] * bytes % 4 == 0;
        xt_value_at_(x, v->id)->deferred = xt_is_used_once_(x, v->id);
    }
}

/* passes/scratch.c - a pass that places the memory for moves between subgroups. */

/* Gives the remaining local memory to these operations, as far as they can use it. */
XE_FN_ bool xt_find_scratch_(xt_ctx *x)
{
    int64_t left = (x->target.local_memory - (x->local_bytes + 63) / 64 * 64) / 8 * 8; /* negative: reported before */
    size_t wanted = 0, least = 0;
    spe_line at = {NULL, 0};
    xt_where_ w = {x, &at};
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        const xt_move_ *d = n->move;
        if (!xt_does_(n->op, XT_MOVES_) || d->origin || d->reloaded) continue;
        const xt_vec *v = xt_vector_(x, n->operand[XT_MOVE_VEC_]);
        xt_scratch_ s = xt_scratch_init_(v->type, &v->dist, &d->from);
        size_t row = (size_t)s.pitch * (size_t)s.bytes, all = row * (size_t)s.height;
        if (d->from.in_order) row = all;
        if (all > wanted) wanted = all;
        if (row <= least) continue;
        least = row;
        at.file = n->file;
        at.line = n->line;
    }
    if (left < 0) left = 0;
    if (xt_operand_shape_(x, CM_F16) && left / 2 >= (int64_t)least) left = left / 16 * 8; /* products need some, too */
    if (left < (int64_t)least)
        return xt_fail_(w, XT_ERROR_LOCAL_MEMORY,
                        "a row of %lld bytes goes through local memory; %lld of %s's %d are left", (long long)least,
                        (long long)left, x->target.name, x->target.local_memory);
    x->scratch_bytes = (wanted + 7) / 8 * 8;
    if ((int64_t)x->scratch_bytes > left) x->scratch_bytes = (size_t)left;
    return true;
}

/* passes/vector_layouts.c - a pass that chooses each vector's layout, to avoid rearranging between operations. */

/* Puts two vectors in one class: they must have the same layout. */
XE_FN_ void xt_same_layout_(xt_ctx *x, uint32_t a, uint32_t b)
{
    a = xt_class_(x, a);
    b = xt_class_(x, b);
    if (a == b) return;
    xt_value_ *p = xt_value_at_(x, a);
    xt_value_ *q = xt_value_at_(x, b);
    q->parent = a;
    p->shares_layout = q->shares_layout = true;
    for (int i = 0; i < 3; i++) p->need[i] = p->need[i] || q->need[i];
}

XE_FN_ void xt_need_layout_(xt_ctx *x, uint32_t id, cm_use use) { xt_value_at_(x, xt_class_(x, id))->need[use] = true; }

XE_FN_ void xt_product_layouts_(xt_ctx *x, const xt_node_ *n)
{
    if (x->vulkan && x->vulkan->is_product(x, n)) return;
    xt_need_layout_(x, n->operand[XT_MMA_LEFT_], CM_B);
    xt_need_layout_(x, n->operand[XT_MMA_RIGHT_], CM_A);
    xt_need_layout_(x, n->result, CM_ACC);
    if (n->operand[XT_MMA_SUM_]) xt_same_layout_(x, n->result, n->operand[XT_MMA_SUM_]);
    for (int i = XT_MMA_SCALE_A_; i < n->operands; i++) xt_need_layout_(x, n->operand[i], CM_ACC);
}

XE_FN_ void xt_find_layouts_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (xt_is_mma_(n->op)) xt_product_layouts_(x, n);
        if (n->op == XT_OP_END_) xt_join_carried_(x, n->frame, xt_same_layout_);
        if (xt_does_(n->op, XT_RENAMES_)) xt_same_layout_(x, n->operand[XT_MOVE_PART_], n->result);
        if (n->op == XT_OP_SPLAT_ && n->operands > 1) xt_same_layout_(x, n->operand[1], n->result);
        if (n->op == XT_OP_MATH_VECTOR_ || (n->op == XT_OP_BINARY_VECTOR_ && !xt_is_compare_(n->kind)))
            for (int j = 0; j < n->operands; j++) xt_same_layout_(x, n->operand[j], n->result);
    }
}

/* passes/block2d.c - a pass that finds the tiles that 2D block messages can access, and under which condition. */

/* Why they are ruled out at build time: pieces narrower than a subgroup, unsuitable constants. */
XE_FN_ const char *xt_never_block2d_(xt_ctx *x, const xt_tile *t)
{
    const cm_block2d_rules *rules = &x->target.block2d;
    const xt_val *row = &t->shape[xt_inner_(t)];
    int bytes = xt_bytes_(t->type);
    if (t->base.local) return "local memory";
    if (t->step != 1) return "columns that are not contiguous";
    if (t->type == (cm_type)XT_BOOL_ || bytes > 4) return "elements of i1 or 64 bits";
    if (t->dist.data[1] <= x->S / 2) return "pieces narrower than a subgroup";
    if (t->pitch.kind == SPE_INT && t->pitch.integer * bytes % rules->pitch != 0)
        return "a pitch not a multiple of 16 bytes";
    if (row->kind == SPE_INT && (row->integer * bytes < rules->row_least || row->integer * bytes % rules->row != 0))
        return "rows shorter than 64 bytes or not a multiple of 4";
    return NULL;
}

/* Requires a value to be a multiple (mask) or below another. A value that is not hoistable rules messages out, unless
 * the caller promises that they are legal. */
XE_FN_ xt_plan_offset_ *xt_need_(xt_ctx *x, const xt_tile *t, const xt_val *value, int mask)
{
    xt_plan_tile_ *p = xt_plan_tile_at_(x, t->number);
    xt_plan_offset_ *o;
    if (!xt_is_hoistable_(x, value)) {
        if (!p->why_not && x->desc->pitch != XT_PITCH_ALIGNED) p->why_not = "a position computed in the body";
        return NULL;
    }
    o = (xt_plan_offset_ *)spe_list_add(&x->m, &x->offsets, sizeof *o);
    if (!o) return NULL;
    o->tile = t->number;
    o->value = xt_value_of_(x, value);
    o->mask = mask;
    return o;
}

/* A tile starts at, or moves by, this much along its contiguous dimension, which must be a multiple of 4 bytes. 8-bit
 * elements stored by columns are read two rows of memory at a time, so no tile may start before its matrix: start and
 * moves must not be negative (forward: known to hold). */
XE_FN_ void xt_need_step_(xt_ctx *x, const xt_tile *t, const xt_val *step, bool forward)
{
    int bytes = xt_bytes_(t->type), per = bytes < 4 ? 4 / bytes : 1;
    xt_val value = step->kind == SPE_INT ? xt_nothing_() : *step; /* an unsuitable constant rules them out */
    if (xt_val_align_(step) < per) xt_need_(x, t, &value, per - 1);
    if (t->column_major && bytes == 1 && !forward && !(step->kind == SPE_INT && step->integer >= 0))
        xt_need_(x, t, &value, INT32_MIN);
}

/* Requires a distance to be a multiple. If only part of it is hoistable: each term, and one factor of a product. */
XE_FN_ void xt_need_multiple_(xt_ctx *x, const xt_tile *t, const xt_val *v, int of)
{
    const xt_node_ *n = v->kind == SPE_SCALAR ? xt_node_at_(x, xt_value_at_(x, v->id)->node) : NULL;
    bool sum = n && n->op == XT_OP_BINARY_NUMBER_ && !xt_is_hoistable_(x, v);
    const xt_val *a = sum ? xt_number_(x, n->operand[0]) : NULL, *b = sum ? xt_number_(x, n->operand[1]) : NULL;
    xt_val known = n ? *v : xt_nothing_(); /* an unsuitable constant rules them out */
    if (xt_val_align_(v) >= of) return;
    if (sum && n->kind == SPE_ARITH_ADD) {
        xt_need_multiple_(x, t, a, of);
        xt_need_multiple_(x, t, b, of);
    } else if (sum && n->kind == SPE_ARITH_MUL) {
        xt_need_multiple_(x, t, xt_is_hoistable_(x, a) ? a : b, of);
    } else {
        xt_plan_offset_ *o = xt_need_(x, t, &known, of - 1);
        if (o) o->narrow = true;
    }
}

/* Requires an offset to be inside its extent; for a loop index, its bounds. False if that is not hoistable. */
XE_FN_ bool xt_need_inside_(xt_ctx *x, const xt_tile *t, const xt_val *at, const xt_val *extent)
{
    const xt_node_ *n = at->kind == SPE_SCALAR ? xt_node_at_(x, xt_value_at_(x, at->id)->node) : NULL;
    const xt_frame_ *f = n && n->op == XT_OP_FOR_ ? n->frame : NULL;
    if (at->kind == SPE_INT && extent->kind == SPE_INT && at->integer >= 0 && at->integer < extent->integer)
        return true;
    if (f && f->index == at->id && xt_number_(x, f->step)->kind == SPE_INT) {
        const xt_val *lo = xt_number_(x, f->lo);
        at = xt_number_(x, f->hi);
        if (!xt_is_hoistable_(x, lo)) return false;
        if (lo->kind != SPE_INT || lo->integer < 0) xt_need_(x, t, lo, INT32_MIN);
    } else {
        f = NULL;
    }
    if (!xt_is_hoistable_(x, extent) || !xt_is_hoistable_(x, at)) return false;
    xt_plan_offset_ *o = xt_need_(x, t, at, 0);
    if (!o) return true;
    o->below = xt_value_of_(x, extent);
    o->bound = f != NULL;
    return true;
}

/* Leading dimensions must select a matrix of the base that is aligned like the base. If they might not select any, the
 * body finds out: the matrix then has no lines. */
XE_FN_ void xt_need_leading_(xt_ctx *x, const xt_node_ *init)
{
    const xt_tile *t = xt_tile_(x, init->operand[XT_INIT_MATRIX_]);
    bool known = x->desc->pitch == XT_PITCH_ALIGNED;
    for (int i = 0; i < init->type - 2 && !known; i++) {
        const xt_val *at = xt_given_(x, init, XT_GIVEN_OFFSET_, i);
        if (!xt_need_inside_(x, t, at, xt_given_(x, init, XT_GIVEN_SHAPE_, i)))
            xt_plan_tile_at_(x, t->number)->lines_in_body = true;
    }
    int elements = x->target.block2d.base / xt_bytes_(t->type);
    if (init->type > 2 && elements > 1)
        xt_need_multiple_(x, t, xt_number_(x, init->operand[XT_INIT_DISTANCE_]), elements);
}

XE_FN_ void xt_find_tile_(xt_ctx *x, const xt_node_ *init)
{
    const xt_tile *t = xt_tile_(x, init->operand[XT_INIT_MATRIX_]);
    const xt_val *base = xt_number_(x, init->operand[XT_INIT_BASE_]);
    xt_plan_tile_ *p = (xt_plan_tile_ *)spe_list_add(&x->m, &x->tiles, sizeof *p);
    int inner = xt_inner_(t), first = init->type - 2, i;
    if (!p) return;
    p->parent = t->number;
    p->of = init;
    p->differs_by_subgroup = xt_divergence_of_(x, base) > 0;
    for (i = 0; i < 2; i++) p->align[i] = xt_val_align_(xt_given_(x, init, XT_GIVEN_OFFSET_, first + i));
    for (i = 0; i < init->type; i++)
        p->differs_by_subgroup =
            p->differs_by_subgroup || xt_divergence_of_(x, xt_given_(x, init, XT_GIVEN_OFFSET_, i)) > 0;
    p->why_not = xt_never_block2d_(x, t);
    if (!p->why_not && x->desc->pitch != XT_PITCH_ALIGNED &&
        (!xt_is_hoistable_(x, base) || !xt_is_hoistable_(x, &t->shape[inner]) || !xt_is_hoistable_(x, &t->pitch)))
        p->why_not = "a base, pitch or length of lines computed in the body";
    p->lines_in_body = !xt_is_hoistable_(x, &t->shape[1 - inner]);
    xt_need_leading_(x, init);
    xt_need_step_(x, t, xt_given_(x, init, XT_GIVEN_OFFSET_, first + inner), false);
    xt_need_step_(x, t, xt_number_(x, init->operand[XT_INIT_PIECE_ + inner]), true);
}

/* Tiles that may replace each other in a region are treated alike. */
XE_FN_ void xt_join_tiles_(xt_ctx *x, uint32_t first, uint32_t second)
{
    const xt_object_ *a = xt_object_of_(x, first), *b = xt_object_of_(x, second);
    if (a->magic == XT_TILE_MAGIC_ && !a->tile.scatter && a->tile.number != b->tile.number) {
        int root = xt_tile_root_(x, a->tile.number);
        xt_plan_tile_at_(x, xt_tile_root_(x, b->tile.number))->parent = root;
    }
}

XE_FN_ void xt_find_region_tiles_(xt_ctx *x, const xt_node_ *n)
{
    const xt_frame_ *f = n->frame;
    for (int i = 0; i < f->slots; i++) {
        const xt_object_ *t = xt_object_of_(x, f->slot[i].start);
        bool tile = t->magic == XT_TILE_MAGIC_ && !t->tile.scatter;
        if (n->divergence && tile) xt_plan_tile_at_(x, t->tile.number)->differs_by_subgroup = true;
        if (f->op == XT_OP_IF_) xt_join_tiles_(x, f->slot[i].start, f->slot[i].body);
        xt_join_tiles_(x, f->slot[i].start, f->slot[i].now);
    }
}

/* A class of tiles is used if one member is, and possible if all are. */
XE_FN_ void xt_decide_tiles_(xt_ctx *x)
{
    for (int i = 0; i < x->tiles.count; i++) {
        xt_plan_tile_ *p = xt_plan_tile_at_(x, i), *root = xt_plan_tile_at_(x, xt_tile_root_(x, i));
        root->used = root->used || p->used;
        if (p != root) p->shared_addresses = root->shared_addresses = true;
        root->differs_by_subgroup = root->differs_by_subgroup || p->differs_by_subgroup;
        root->lines_in_body = root->lines_in_body || p->lines_in_body;
        for (int j = 0; j < 2; j++) root->align[j] = xt_least_(root->align[j], p->align[j]);
        if (!root->why_not) root->why_not = p->why_not;
    }
}

/* A tile of a matrix moves. */
XE_ONCE_
XE_FN_ void xt_find_update_(xt_ctx *x, const xt_node_ *n)
{
    const xt_tile *t = xt_tile_(x, n->operand[0]);
    if (t->scatter) return;
    xt_need_step_(x, t, xt_number_(x, n->operand[1 + xt_inner_(t)]), false);
    xt_plan_tile_ *p = xt_plan_tile_at_(x, t->number);
    for (int i = 0; i < 2; i++) {
        const xt_val *by = xt_number_(x, n->operand[1 + i]);
        p->differs_by_subgroup = p->differs_by_subgroup || n->divergence || xt_divergence_of_(x, by);
        p->align[i] = xt_least_(p->align[i], xt_val_align_(by));
    }
}

XE_FN_ void xt_find_block2d_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count && spe_ok(&x->m); i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        const xt_tile *t = xt_accessed_(x, n);
        if (xt_made_by_(x, n)) xt_find_tile_(x, n);
        if (n->op == XT_OP_UPDATE_TILE_OFFSET_) xt_find_update_(x, n);
        if (n->op == XT_OP_END_) xt_find_region_tiles_(x, n);
        if (t) xt_plan_tile_at_(x, t->number)->used = true;
    }
    if (!spe_ok(&x->m)) return;
    xt_decide_tiles_(x);
    for (int i = 0; i < x->nodes.count && !x->loads; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        x->loads = xt_is_mma_(n->op) || (n->op == XT_OP_LOAD_TILE_ && xt_access_by_(x, n).by_messages);
    }
}

/* passes/defer.c - a pass that defers element-wise operations to the store of their result. */

/* Defers a vector until the store at a node, if only straight-line code is in between. */
XE_FN_ void xt_defer_(xt_ctx *x, uint32_t id, int store)
{
    xt_value_ *value = xt_value_at_(x, id);
    const xt_node_ *n = xt_node_at_(x, value->node);
    if (value->deferred || !xt_does_(n->op, XT_EACH_) || xt_layout_(x, id) != CM_ACC) return;
    for (int i = value->node; i < store; i++)
        if (xt_does_(xt_node_at_(x, i)->op, XT_BOUNDS_)) return;
    for (int i = 0; i < n->operands; i++)
        if (xt_layout_(x, n->operand[i]) != CM_ACC) return;
    value->deferred = true;
    for (int i = 0; i < n->operands; i++) xt_defer_(x, n->operand[i], store);
}

/* A pass: vectors stored by 2D block messages are computed strip by strip at the store, along with their element-wise
 * operands, so that registers need not hold all intermediate results. */
XE_ONCE_
XE_FN_ void xt_find_deferred_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count && spe_ok(&x->m); i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (n->op == XT_OP_STORE_TILE_ && !xt_why_not_block2d_(x, xt_accessed_(x, n)))
            xt_defer_(x, n->operand[XT_ACCESS_VEC_], i);
    }
}

/* passes/bands.c - a pass: an array in local memory that only tiles access is stored in bands as wide as a subgroup,
 * each with all rows, so that whole parts of operands are contiguous and one message moves them. */

/* The tile whose elements a node accesses by their addresses; else NULL. */
XE_ONCE_
XE_FN_ const xt_tile *xt_addressed_(xt_ctx *x, int i)
{
    const xt_node_ *n = xt_node_at_(x, i);
    if (n->op == XT_OP_TRANSPOSE_) return xt_loaded_(x, n->operand[XT_MOVE_VEC_], i);
    const xt_tile *t = n->op == XT_OP_ATOMIC_RMW_ ? xt_tile_(x, n->operand[XT_ACCESS_TILE_]) : NULL;
    return t && !t->scatter ? t : NULL;
}

/* Does a tile consist of bands? Elements outside are not tested, and its class has no other member. */
XE_FN_ bool xt_has_bands_(xt_ctx *x, const xt_plan_tile_ *p)
{
    const xt_tile *t = xt_tile_(x, p->of->result);
    int bytes = xt_bytes_(t->type);
    return t->inside && t->step == 1 && !t->column_major && (bytes == 2 || bytes == 4) && p->of->type == 2 &&
           !p->shared_addresses && t->shape[0].kind == SPE_INT && t->pitch.kind == SPE_INT &&
           t->pitch.integer % x->S == 0 && t->pitch.integer > x->S && t->dist.data[1] % x->S == 0 &&
           p->align[1] % x->S == 0;
}

/* Bands, if tiles of one form are all that uses the array. */
XE_FN_ void xt_find_band_(xt_ctx *x, const xt_node_ *array)
{
    const xt_use_ *last = xt_last_use_(x, array->result), *u;
    const xt_tile *first = NULL;
    for (u = last; u; u = xt_use_before_(x, u)) {
        const xt_tile *t = xt_made_by_(x, xt_node_at_(x, u->node));
        if (!first) first = t;
        if (!t || !xt_has_bands_(x, xt_plan_tile_at_(x, t->number)) ||
            t->shape[0].integer != first->shape[0].integer || t->pitch.integer != first->pitch.integer)
            return;
    }
    if (!first || first->shape[0].integer * first->pitch.integer > array->local->elements) return;
    for (u = last; u; u = xt_use_before_(x, u)) {
        const xt_tile *t = xt_made_by_(x, xt_node_at_(x, u->node));
        xt_plan_tile_at_(x, t->number)->band = (int)first->shape[0].integer * x->S;
    }
}

XE_FN_ void xt_find_bands_(xt_ctx *x)
{
    if (x->cm.lowering != CM_INTEL) return;
    if (!(x->target.block2d_sizes & (uint32_t)x->S)) return; /* there, operands do not have whole rows of lanes */
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_tile *t = xt_addressed_(x, i);
        if (t) xt_plan_tile_at_(x, t->number)->shared_addresses = true;
    }
    for (int i = 0; i < x->nodes.count; i++)
        if (xt_node_at_(x, i)->op == XT_OP_LOCAL_) xt_find_band_(x, xt_node_at_(x, i));
}

/* passes/local_operands.c - a pass: operands of products from rows of arbitrary pitch, on Intel's devices: the
 * work-group copies a tile to local memory together, and each subgroup reads its operands from there by block reads.
 *
 * 2D block messages require a pitch that is a multiple of 16 bytes. If bytes have pitch p, lines n, n + 16, ... have
 * pitch 16 p; for 16-bit elements it is every eighth line, for 32 bits every fourth. These lines form a class. If a
 * class does not begin at a multiple of 64 bytes, its surface begins at the multiple below, and x makes up for that,
 * except for the bytes within a dword: lanes shift what two messages, a dword apart, have loaded. Elements outside are
 * zero: whole dwords by the bounds of the surface, the rest by a mask. The edges of a matrix cost nothing extra. A
 * tile that begins before its matrix may read up to 63 bytes before it, of the same 64; no others outside it. Where
 * lines are shorter than the least width of a surface, or a matrix is too large for one, elements are copied one by
 * one.
 *
 * In local memory, an operand consists of planes of eight dwords along k, for each row of a left one (M x K) and each
 * column of a right one (K x N); this is what the matrix instruction reads at a time. Lines of memory that run across
 * k and share a dword are interleaved on the way. A lane then holds every fourth dword along k. It stores them side by
 * side, which changes the order along k, provided that the product's other operand is stored in the same order.
 *
 * What a kernel loads only to store it in local memory is copied there in the same way, without an extra barrier. */

/* Divides the tile into messages of `wide` dwords by `high` lines of a class, equally many per subgroup; if that is not
 * possible, some subgroups repeat messages of others. Where lines run along k and there is enough work for all
 * subgroups, each lane loads a line. */
XE_FN_ bool xt_stage_deal_(xt_stage_ *s, int lines, int dwords)
{
    int high, units, n = s->subgroups;
    s->by_lines = s->along_k && lines % (s->classes * 16) == 0 && (s->converts || lines * dwords >= n * 128);
    s->wide = dwords % 16 || s->by_lines ? 8 : 16;
    s->chunks[1] = dwords / s->wide;
    for (high = 128 / s->wide; high >= (s->by_lines ? 16 : 16 / s->wide); high /= 2) {
        if (dwords % s->wide || lines % (s->classes * high)) continue;
        units = lines / high / s->weave * s->chunks[1];
        if (s->units && (s->units % n == 0 || units % n != 0) && s->units >= n) continue;
        s->units = units;
        s->high = high;
        s->chunks[0] = lines / (s->classes * high);
    }
    return s->units > 0 && (s->by_lines || !s->along_k || !s->converts);
}

/* Do each subgroup's pieces consist of whole operands of the matrix instruction, with all of k? Columns that a piece
 * lacks may hold anything if no other piece follows. */
XE_ONCE_
XE_FN_ bool xt_stage_fills_(const xt_stage_ *s, const xt_dist *d)
{
    int k = s->use == CM_B, across = s->use == CM_A && d->subgroups ? 16 : 1;
    return d->data[!k] % across == 0 && d->data[k] % (XT_PLANE_ * 4 / s->local_bytes) == 0 && d->count[k] == 1;
}

/* Is it a conversion of f32 to 16-bit floats? */
XE_FN_ bool xt_stage_converts_(xt_ctx *x, const xt_node_ *n)
{
    return n->op == XT_OP_CAST_VECTOR_ && (n->type == CM_F16 || n->type == CM_BF16) &&
           xt_vector_(x, n->operand[0])->type == CM_F32;
}

/* The tile of a node that is a load, or the transpose or conversion of one; NULL if it is not, or if elements outside
 * are not zero. */
XE_FN_ const xt_tile *xt_stage_from_(xt_ctx *x, int node)
{
    const xt_node_ *n = xt_node_at_(x, node);
    if (n->op == XT_OP_TRANSPOSE_ || xt_stage_converts_(x, n)) return xt_loaded_(x, n->operand[0], node);
    bool zero = n->op == XT_OP_LOAD_TILE_ && n->outside->padding == 0 && n->outside->border == XT_BORDER_PADDING;
    return zero ? xt_accessed_(x, n) : NULL;
}

/* Divides k into slices, each multiplied after the other; or copies `parts` iterations of a loop, each with all of k.
 * False if messages and operands do not divide the shape. */
XE_FN_ bool xt_stage_divide_(xt_ctx *x, xt_stage_ *s, int slices, int parts)
{
    xt_dist *d = &s->dist;
    int k = s->use == CM_B, elements;
    *d = xt_vector_(x, xt_node_at_(x, s->node)->result)->dist;
    d->shape[k] /= slices;
    d->data[k] /= slices;
    s->slices = slices;
    s->parts = parts;
    elements = d->shape[k] * parts;
    s->depth = elements * s->local_bytes / 4;
    s->across = s->use == CM_A && !s->to ? (d->shape[!k] + 15) / 16 * 16 : d->shape[!k];
    s->units = 0;
    if (!s->to) {
        s->gap = d->data[!k] % s->rows_per_read ? 0 : 4; /* to spread over all banks */
        s->plane = xt_stage_position_(s, s->across, 0);
        s->dwords = s->depth / XT_PLANE_ * s->plane;
        if (!xt_stage_fills_(s, d)) return false;
    }
    return s->along_k ? xt_stage_deal_(s, s->across, elements * s->bytes / 4)
                      : xt_stage_deal_(s, elements, s->across * s->bytes / 4);
}

/* The lines of the tile that a copy is stored to, in dwords. False if they cannot be stored in pieces of 16 bytes. */
XE_FN_ bool xt_copy_lies_(xt_ctx *x, xt_stage_ *s)
{
    const xt_plan_tile_ *p = xt_plan_tile_at_(x, s->to->number);
    int line = (p->band ? x->S : (int)s->to->pitch.integer) * s->local_bytes;
    s->line = line / 4;
    s->plane = p->band ? p->band * s->local_bytes / 4 : s->line;
    p = xt_plan_tile_at_(x, xt_tile_root_(x, s->to->number));
    return line % 16 == 0 && p->align[xt_inner_(s->to)] * s->local_bytes % 16 == 0;
}

/* Plans the loading of a vector this way; to: the tile that it is copied to, or NULL. False if it is neither a copy nor
 * an operand of a product, has another type, pads with something other than zero, is in local memory, in a matrix
 * computed in the body or in columns that are not contiguous; if subgroups load different tiles; or if messages do not
 * divide the shape. */
XE_FN_ bool xt_stage_init_(xt_ctx *x, int node, const xt_tile *to, xt_stage_ *s)
{
    const xt_node_ *n = xt_node_at_(x, node);
    const xt_tile *t = xt_stage_from_(x, node), *m;
    if (!t) return false;
    cm_type type = xt_storage_type_(xt_vector_(x, n->result)->type);
    memset(s, 0, sizeof *s);
    if (!cm_has_dpas(&x->target, cm_product_row(type, type))) return false;
    s->node = node;
    s->from = t;
    s->to = to;
    s->transposed = n->op == XT_OP_TRANSPOSE_;
    s->converts = xt_stage_converts_(x, n);
    s->type = type;
    s->loaded = s->transposed || s->converts ? n->operand[0] : n->result;
    s->use = to ? (to->column_major ? CM_A : CM_B) : xt_layout_(x, n->result);
    if (s->use == CM_ACC && xt_bytes_((int)type) == 2) s->use = CM_B; /* rearranged within lanes */
    const xt_plan_tile_ *p = xt_plan_tile_at_(x, xt_tile_root_(x, t->number));
    m = xt_tile_(x, xt_plan_tile_at_(x, t->number)->of->operand[XT_INIT_MATRIX_]);
    if (s->use == CM_ACC || t->base.local || t->step != 1 || n->divergence > 0 || p->differs_by_subgroup ||
        (x->subgroups > 1 && !t->dist.subgroups) || !xt_is_hoistable_(x, &m->shape[0]) ||
        !xt_is_hoistable_(x, &m->shape[1]) || !xt_is_hoistable_(x, &m->pitch))
        return false;
    int inner = xt_inner_(t);
    s->bytes = xt_bytes_(t->type);
    s->local_bytes = xt_bytes_((int)type);
    s->subgroups = x->subgroups > 1 ? x->subgroups : 1;
    s->along_k = (inner ^ s->transposed) == (s->use == CM_B);
    s->weave = s->along_k ? 1 : 4 / s->local_bytes;
    s->classes = 16 / s->bytes;
    s->from_first_class = p->align[!inner] % s->classes == 0;
    s->aligned = p->align[inner] * s->bytes % 4 == 0;
    s->rows_per_read = s->local_bytes < 4 ? 8 : 16;
    s->line = XT_PLANE_;
    return to ? xt_copy_lies_(x, s) && xt_stage_divide_(x, s, 1, 1) && xt_stage_rounds_(s) <= XT_EAGER_
              : xt_stage_divide_(x, s, 1, 1);
}

/* Keeps a plan for its values. Returns its number, or -1. */
XE_FN_ int xt_stage_keep_(xt_ctx *x, const xt_stage_ *s)
{
    xt_stage_ *kept = (xt_stage_ *)spe_list_add(&x->m, &x->stages, sizeof *kept);
    if (!kept) return -1;
    *kept = *s;
    xt_value_at_(x, xt_node_at_(x, s->node)->result)->stage = x->stages.count;
    if (xt_is_used_once_(x, s->loaded)) xt_value_at_(x, s->loaded)->stage = x->stages.count;
    return x->stages.count - 1;
}

/* The dwords of local memory that are left. */
XE_FN_ int xt_stage_room_(const xt_ctx *x)
{
    int room = x->target.local_memory - (int)((x->local_bytes + 63) / 64 * 64) - (int)x->scratch_bytes;
    return room / 4 - (int)x->stage_dwords;
}

/* Adds a load of region f if there is room; it shares the barrier of load `before` (-1: none). Returns its number, or
 * -1. It has two buffers if several subgroups can alternate between them, by slices or by a loop's index; else one, and
 * another barrier if the load repeats. Without room for it, it uses the scratch memory. */
XE_FN_ int xt_stage_add_(xt_ctx *x, xt_stage_ *s, const xt_frame_ *f, int before)
{
    const xt_val *by = f ? xt_number_(x, f->step) : NULL;
    int64_t step = by && by->kind == SPE_INT ? by->integer : 0;
    s->loop = f && f->op == XT_OP_FOR_ && s->slices == 1 ? f : NULL;
    s->again = f || s->slices > 1;
    s->buffers = s->subgroups > 1 && s->parts == 1 && (s->slices > 1 || (s->loop && !(step & (step - 1)))) ? 2 : 1;
    s->shared = s->dwords * s->buffers > xt_stage_room_(x);
    if (s->shared) s->buffers = 1;
    size_t *used = s->shared ? &x->shared_dwords : &x->stage_dwords;
    if (s->shared && *used + (size_t)s->dwords > x->scratch_bytes / 4) return -1;
    s->at = (int)*used;
    s->first = before < 0;
    s->last = true;
    if (before >= 0) xt_stage_at_(x, before)->last = false;
    *used += (size_t)(s->dwords * s->buffers);
    return xt_stage_keep_(x, s);
}

/* Both operands of a product may be stored in another order along k if nothing else uses them. */
XE_FN_ void xt_stage_mix_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (n->op != XT_OP_TILE_MMA_) continue;
        uint32_t left = n->operand[XT_MMA_LEFT_], right = n->operand[XT_MMA_RIGHT_];
        int p = xt_value_at_(x, left)->stage, q = xt_value_at_(x, right)->stage;
        if (!p || !q || !xt_is_used_once_(x, left) || !xt_is_used_once_(x, right)) continue;
        xt_stage_ *a = xt_stage_at_(x, p - 1), *b = xt_stage_at_(x, q - 1);
        if ((a->along_k && b->along_k) || a->converts || b->converts || a->parts != b->parts) continue;
        a->mixed = b->mixed = a->depth == b->depth && (a->depth & (a->depth - 1)) == 0;
    }
}

/* The plan of a vector; NULL: none. */
XE_FN_ xt_stage_ *xt_stage_plan_(xt_ctx *x, const spe_list *plans, uint32_t id)
{
    for (int i = 0; i < plans->count; i++) {
        xt_stage_ *s = (xt_stage_ *)plans->items + i;
        if (xt_node_at_(x, s->node)->result == id) return s;
    }
    return NULL;
}

/* Lists operands that can go through local memory, and other loads in loops. The transpose of a load replaces it. */
XE_FN_ void xt_list_stages_(xt_ctx *x, spe_list *plans)
{
    bool arrived = false;
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        xt_stage_ s, *kept;
        if (n->op == XT_OP_BARRIER_ARRIVE_ || n->op == XT_OP_BARRIER_WAIT_) arrived = n->op == XT_OP_BARRIER_ARRIVE_;
        if (arrived || xt_value_at_(x, n->result)->stage || !xt_stage_init_(x, i, NULL, &s) ||
            (xt_layout_(x, n->result) != s.use && !n->in))
            continue;
        kept = xt_stage_plan_(x, plans, s.loaded);
        if (!kept) kept = (xt_stage_ *)spe_list_add(&x->m, plans, sizeof *kept);
        if (kept) *kept = s;
    }
}

/* If the operands of a product and its sum do not fit in the registers, slices them; each slice is copied right before
 * its part of the product. */
XE_FN_ void xt_slice_product_(xt_ctx *x, const spe_list *plans, int mma)
{
    const xt_node_ *n = xt_node_at_(x, mma);
    const xt_vec *left = xt_vector_(x, n->operand[XT_MMA_LEFT_]), *right = xt_vector_(x, n->operand[XT_MMA_RIGHT_]);
    xt_stage_ *a = xt_stage_plan_(x, plans, left->id), *b = xt_stage_plan_(x, plans, right->id);
    size_t all = xt_vec_bytes_(left) + xt_vec_bytes_(right);
    size_t sum = xt_vec_bytes_(xt_vector_(x, n->result));
    size_t room = (size_t)x->target.registers / (x->registers <= 128 ? 2 : 1) / 8 * 7;
    if (!a || !b || !xt_is_used_once_(x, left->id) || !xt_is_used_once_(x, right->id)) return;
    if (sum + all <= room || !xt_is_straight_(x, a->node, mma) || !xt_is_straight_(x, b->node, mma)) return;
    for (int slices = 2; left->dist.data[1] % slices == 0; slices *= 2) {
        bool divides = xt_stage_divide_(x, a, slices, 1) && xt_stage_divide_(x, b, slices, 1);
        if (divides && sum + all / (size_t)slices <= room && (a->dwords + b->dwords) * 2 <= xt_stage_room_(x)) return;
    }
    xt_stage_divide_(x, a, 1, 1);
    xt_stage_divide_(x, b, 1, 1);
}

/* Products of a few matrix instructions leave most of the time to barriers and small messages. If the operands of a
 * loop's iterations lie side by side in memory, a work-group copies those of several iterations together. */
XE_FN_ void xt_unroll_copies_(xt_ctx *x, const spe_list *plans, xt_frame_ *f)
{
    xt_stage_ *s = (xt_stage_ *)plans->items;
    int iterations = x->subgroups > 1 ? xt_copies_(x, f, 48) : 1, dwords = 0;
    bool joins = iterations > 1;
    for (int i = 0; joins && i < plans->count; i++) {
        if (!xt_is_within_(f, s[i].node)) continue;
        int k = s[i].use == CM_B;
        joins = s[i].slices == 1 && xt_advances_(x, s[i].from, f, k ^ s[i].transposed, s[i].dist.shape[k]);
        dwords += s[i].dwords;
    }
    while (iterations > 2 && iterations * dwords > 4096) iterations /= 2;
    if (!joins || !dwords || iterations * dwords > xt_stage_room_(x)) return;
    for (int i = 0; joins && i < plans->count; i++)
        joins = !xt_is_within_(f, s[i].node) || xt_stage_divide_(x, &s[i], 1, iterations);
    for (int i = 0; !joins && i < plans->count; i++)
        if (xt_is_within_(f, s[i].node)) xt_stage_divide_(x, &s[i], 1, 1);
    if (joins) f->per_copy = iterations;
}

/* ---- copies: vectors that are loaded only to be stored in local memory ------------------------------------------- */

/* Does a barrier follow a node on every way to a later one? */
XE_FN_ bool xt_has_barrier_(xt_ctx *x, int from, int to)
{
    int depth = 0, met = -1; /* regions that were opened on the way; those around the barrier */
    for (int i = from + 1; i < to; i++) {
        xt_op_ op = xt_node_at_(x, i)->op;
        if (op == XT_OP_FOR_ || op == XT_OP_WHILE_ || op == XT_OP_IF_) depth++;
        if (op == XT_OP_BARRIER_ && (met < 0 || met > depth)) met = depth;
        if (op == XT_OP_ELSE_ && depth && met >= depth) met = -1;
        if (op == XT_OP_ELSE_ && !depth) depth = 1; /* the node is in the other branch */
        if (op == XT_OP_END_ && depth) depth--;
        if (met > depth) met = -1; /* the way may lead past it */
    }
    return met >= 0;
}

/* The same in both directions: in the order of the nodes, and round each loop that contains both. */
XE_FN_ bool xt_are_separate_(xt_ctx *x, int first, int second)
{
    if (first < second && !xt_has_barrier_(x, first, second)) return false;
    for (int loop = 0; loop < first; loop++) {
        const xt_node_ *n = xt_node_at_(x, loop);
        if (n->op != XT_OP_FOR_ && n->op != XT_OP_WHILE_) continue;
        if (n->in->end > second && !xt_has_barrier_(x, second, n->in->end) && !xt_has_barrier_(x, loop, first))
            return false;
    }
    return true;
}

/* Is a tile one of an array in local memory? */
XE_FN_ bool xt_is_of_array_(xt_ctx *x, int number, uint32_t array)
{
    const xt_val *base = xt_number_(x, xt_plan_tile_at_(x, number)->of->operand[XT_INIT_BASE_]);
    return base->kind == SPE_POINTER && base->id == array;
}

/* Does a node store a vector that has no other use, as it was loaded? */
XE_FN_ bool xt_is_copy_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op != XT_OP_STORE_TILE_) return false;
    uint32_t vec = n->operand[XT_ACCESS_VEC_];
    return xt_is_used_once_(x, vec) && xt_stage_from_(x, xt_value_at_(x, vec)->node);
}

/* Does each element of a tile belong to one subgroup only? */
XE_FN_ bool xt_is_owned_(const xt_ctx *x, const xt_dist *d)
{
    int elements = xt_dist_pieces(d) * d->data[0] * d->data[1];
    return elements * (x->subgroups ? x->subgroups : 1) == d->shape[0] * d->shape[1];
}

/* Are two tiles known to be disjoint: one tile, moved by at least its size? */
XE_FN_ bool xt_are_disjoint_(xt_ctx *x, const xt_tile *a, const xt_tile *b)
{
    const xt_node_ *m = xt_node_at_(x, xt_value_at_(x, a->id)->node), *n = xt_node_at_(x, xt_value_at_(x, b->id)->node);
    int64_t by;
    if (m->op != XT_OP_UPDATE_TILE_OFFSET_ || n->op != m->op || m->operand[0] != n->operand[0]) return false;
    for (int i = 0; i < 2; i++)
        if (xt_moves_by_(x, xt_number_(x, m->operand[1 + i]), xt_number_(x, n->operand[1 + i]), &by) &&
            (by < 0 ? -by : by) >= a->dist.shape[i])
            return true;
    return false;
}

/* Subgroups copy elements that others own, so a barrier must separate a copy from other accesses to its array. It does,
 * or the program has a race, if each element of the copy has one owner and each of the other access several. */
XE_FN_ bool xt_is_in_order_(xt_ctx *x, int copy, const xt_tile *to)
{
    uint32_t array = to->base.id;
    if (xt_node_at_(x, xt_value_at_(x, array)->node)->op != XT_OP_LOCAL_) return false;
    for (const xt_use_ *u = xt_last_use_(x, array); u; u = xt_use_before_(x, u)) {
        const xt_node_ *n = xt_node_at_(x, u->node);
        if (!xt_made_by_(x, n) && n->op != XT_OP_MATRIX_) return false;
    }
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        const xt_tile *t = n->op == XT_OP_ATOMIC_RMW_ ? xt_tile_(x, n->operand[XT_ACCESS_TILE_]) : xt_accessed_(x, n);
        if (!t || t->scatter || !xt_is_of_array_(x, t->number, array)) continue;
        bool both = xt_is_copy_(x, n);
        if (!both && xt_is_owned_(x, &to->dist) && !xt_is_owned_(x, &t->dist)) continue;
        if (xt_are_separate_(x, xt_least_(i, copy), i > copy ? i : copy)) continue;
        /* in one iteration of a loop at least */
        if (!both || !xt_are_disjoint_(x, t, to) || !xt_are_separate_(x, i, i) || !xt_are_separate_(x, copy, copy))
            return false;
    }
    return true;
}

/* Copies are stored to their places by the subgroups that have loaded them for staging, without a barrier. */
XE_FN_ void xt_find_copies_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (!xt_is_copy_(x, n)) continue;
        const xt_tile *to = xt_accessed_(x, n);
        const xt_value_ *v = xt_value_at_(x, n->operand[XT_ACCESS_VEC_]);
        xt_stage_ s;
        if (!to->base.local || !to->inside || to->step != 1 || to->pitch.kind != SPE_INT || n->divergence ||
            xt_plan_tile_at_(x, to->number)->of->type > 2 ||
            xt_plan_tile_at_(x, xt_tile_root_(x, to->number))->differs_by_subgroup || !xt_is_in_order_(x, i, to) ||
            !xt_stage_init_(x, v->node, to, &s))
            continue;
        xt_stage_keep_(x, &s);
    }
}

/* Is it only about numbers, or loads or prefetches a tile? */
XE_ONCE_
XE_FN_ bool xt_is_quiet_(xt_op_ op)
{
    return op == XT_OP_LOAD_TILE_ || op == XT_OP_PREFETCH_TILE_ ||
           (xt_does_(op, XT_DIVERGES_) && !xt_does_(op, XT_CHANGES_ | XT_BOUNDS_));
}

/* Chooses the operands that go through local memory, and other loads in loops. Consecutive ones share a barrier. A
 * subgroup alone that has only a matrix instruction or two for what it copies gains nothing. */
XE_FN_ void xt_find_stages_(xt_ctx *x)
{
    int last = -1, now; /* last: the latest load, if only numbers and tiles have followed */
    spe_list plans = XT_ZERO_;
    if (!x->target.stages_rows || x->cm.lowering != CM_INTEL || x->S != 16) return;
    if (x->subgroups <= 1 && x->product_bytes < 2048) return;
    if (x->local_bytes) xt_find_copies_(x);
    xt_list_stages_(x, &plans);
    for (int i = 0; plans.count && i < x->nodes.count; i++)
        if (xt_node_at_(x, i)->op == XT_OP_TILE_MMA_) xt_slice_product_(x, &plans, i);
    for (int i = 0; plans.count && i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        xt_stage_ *s = xt_stage_from_(x, i) ? xt_stage_plan_(x, &plans, n->result) : NULL;
        if (n->op == XT_OP_FOR_) xt_unroll_copies_(x, &plans, n->frame);
        now = s && s->slices == 1 ? xt_stage_add_(x, s, n->in, last) : -1;
        if (now >= 0 && n->in && n->in->in && s->buffers > 1) n->in->has_barrier = true;
        if (now >= 0 || !xt_is_quiet_(n->op)) last = now;
        s = n->op == XT_OP_TILE_MMA_ ? xt_stage_plan_(x, &plans, n->operand[XT_MMA_LEFT_]) : NULL;
        if (!s || s->slices == 1) continue;
        now = xt_stage_add_(x, s, n->in, -1);
        xt_stage_add_(x, xt_stage_plan_(x, &plans, n->operand[XT_MMA_RIGHT_]), n->in, now);
    }
    xt_stage_mix_(x);
}

/* front/numbers.c - records operations on numbers. */

/* Checks that the number is set, and that a constant fits the type: a finite one, a float type's range. */
XE_FN_ bool xt_check_number_(xt_where_ w, const xt_val *v, int type, const char *what)
{
    if (!xt_check_value_(w, v, what)) return false;
    if (!spe_val_is_set(v)) return xt_fail_(w, XT_ERROR_UNSET, "%s", what);
    if (v->kind == SPE_POINTER || (v->kind == SPE_REAL && !xt_is_float_(type)))
        return xt_fail_(w, XT_ERROR_SCALAR_TYPE, "%s is %s, wanted %s", what, xt_describe_(v).s, xt_type_name_(type));
    if (v->kind == SPE_INT && xt_is_int_(type) && !xt_int_fits_(type, v->integer))
        return xt_fail_(w, XT_ERROR_SCALAR_RANGE, "%s is %lld, wanted %s", what, (long long)v->integer,
                        xt_type_name_(type));
    return v->kind >= SPE_SCALAR || !xt_is_float_(type) ||
           spe_real_fits(xt_encoding_(type), xt_float_width_(type), v->real) ||
           xt_fail_(w, XT_ERROR_SCALAR_RANGE, "%s is %s, wanted %s", what, spe_decimal_of(v->real, 'g', 6).s,
                    xt_type_name_(type));
}

/* Checks that it can be used as a number of the type. Integers of equal width are interchangeable. */
XE_FN_ bool xt_check_type_(xt_where_ w, const xt_val *v, int type, const char *what)
{
    if (!xt_check_number_(w, v, type, what)) return false;
    return v->kind != SPE_SCALAR || v->type == type ||
           (xt_is_int_(type) && xt_is_int_(v->type) && xt_bits_(type) == xt_bits_(v->type)) ||
           xt_fail_(w, XT_ERROR_SCALAR_TYPE, "%s is %s, wanted %s", what, xt_type_name_(v->type), xt_type_name_(type));
}

/* Checks that it can be an offset, extent or stride. */
XE_FN_ bool xt_check_index_(xt_where_ w, const xt_val *v, const char *what)
{
    if (xt_is_lost_(v)) return false;
    if (spe_val_is_set(v) && (v->kind == SPE_REAL || v->kind == SPE_POINTER ||
                              (v->kind == SPE_SCALAR && !(xt_is_int_(v->type) && xt_bits_(v->type) == 32)) ||
                              (v->kind == SPE_INT && !xt_int_fits_(CM_I32, v->integer))))
        return xt_fail_(w, XT_ERROR_INDEX, "%s is %s", what, xt_describe_(v).s);
    return xt_check_type_(w, v, CM_I32, what);
}

/* The common type of two numbers; -1 if there is none. A constant takes the other's type. */
XE_FN_ int xt_common_type_(const xt_val *a, const xt_val *b)
{
    if (xt_is_constant_(a) && xt_is_constant_(b)) return a->kind == SPE_REAL || b->kind == SPE_REAL ? CM_F32 : CM_I32;
    if (xt_is_constant_(a)) return b->type;
    if (xt_is_constant_(b) || a->type == b->type) return a->type;
    int s = a->type;
    int t = b->type;
    if (!xt_is_int_(s) || !xt_is_int_(t)) return -1;
    if (xt_bits_(s) == 64 || xt_bits_(t) == 64) return xt_bits_(s) == 64 ? s : t;
    return CM_I32;
}

XE_FN_ bool xt_stored_as_bits_(int type) { return type == CM_BF16 || xt_is_small_(type); }

XE_FN_ bool xt_binary_allowed_(xt_where_ w, int op, const xt_val *a, const xt_val *b, int type)
{
    bool integers_only = op > SPE_ARITH_REM && op <= SPE_ARITH_SHR;
    bool logic = type == XT_BOOL_ && (op == SPE_ARITH_AND || op == SPE_ARITH_OR);
    if (!xt_check_value_(w, a, "the first operand") || !xt_check_value_(w, b, "the second operand")) return false;
    if (!spe_val_is_set(a) || !spe_val_is_set(b))
        return xt_fail_(w, XT_ERROR_UNSET, "an operand of %s", xt_op_name_(op));
    if (a->kind == SPE_POINTER || b->kind == SPE_POINTER || type < 0 || xt_stored_as_bits_(type) ||
        (type == XT_BOOL_ && !logic) || (integers_only && !xt_is_int_(type) && !logic))
        return xt_fail_(w, XT_ERROR_SCALAR_TYPE, "%s of %s and %s", xt_op_name_(op), xt_describe_(a).s,
                        xt_describe_(b).s);
    if ((op == SPE_ARITH_DIV || op == SPE_ARITH_REM) && b->kind == SPE_INT && b->integer == 0 && !xt_is_float_(type))
        return xt_fail_(w, XT_ERROR_DIVISION, "%s of %s and 0", xt_op_name_(op), xt_describe_(a).s);
    return true;
}

/* A number converted to another type; constants too become values of the kernel. */
XE_FN_ xt_val xt_cast_number_(xt_where_ w, int type, const xt_val *v)
{
    xt_ids_ n = XT_ZERO_;
    if (xt_stored_as_bits_(type) || xt_is_small_(v->type))
        return XT_FAIL_NUMBER_(w, XT_ERROR_SCALAR_TYPE, "XT_CAST of a number from %s to %s", xt_type_name_(v->type),
                               xt_type_name_(type));
    if (!xt_check_value_(w, v, "the operand of XT_CAST")) return xt_nothing_();
    if (!spe_val_is_set(v) || v->kind == SPE_POINTER || type == XT_BOOL_)
        return XT_FAIL_NUMBER_(w, v->kind == SPE_POINTER ? XT_ERROR_SCALAR_TYPE : XT_ERROR_UNSET,
                               "the operand of XT_CAST");
    n.type = type;
    xt_take_(w.x, &n, v);
    xt_val r = xt_record_number_(w, XT_AS_(CAST_NUMBER), 0, type, xt_val_align_(v), &n);
    xt_value_at_(w.x, r.id)->hoistable =
        xt_is_int_(type) && xt_is_int_(xt_carried_type_(v)) && xt_is_hoistable_(w.x, v);
    return r;
}

/* A bf16 number, which is a parameter's, as the f32 that it is computed with. */
XE_FN_ xt_val xt_unrounded_(xt_where_ w, xt_val v)
{
    return v.kind == SPE_SCALAR && v.type == CM_BF16 ? xt_cast_number_(w, CM_F32, &v) : v;
}

/* Converts an integer to the common type if its width differs. */
XE_FN_ xt_val xt_widened_(xt_where_ w, int type, xt_val v)
{
    return xt_is_int_(type) && v.kind == SPE_SCALAR && xt_bits_(v.type) != xt_bits_(type) ? xt_cast_number_(w, type, &v)
                                                                                          : v;
}

XE_FN_ xt_val xt_binary_number_(xt_where_ w, int op, xt_val a, xt_val b)
{
    xt_ids_ n = XT_ZERO_;
    xt_val r;
    if (!xt_enter_(w)) return xt_nothing_();
    a = xt_unrounded_(w, a);
    b = xt_unrounded_(w, b);
    int type = xt_common_type_(&a, &b);
    if (!xt_binary_allowed_(w, op, &a, &b, type)) return xt_nothing_();
    if (xt_folds_(op, &a, &b)) {
        r = xt_fold_(op, &a, &b);
        r.note = w.x->scope;
        if (w.x->regions.depth > 0) w.x->frames[w.x->regions.depth - 1]->first = -1; /* its body is not empty */
        return r;
    }
    const xt_val *same = xt_neutral_(op, &a, &b);
    if (same && (xt_is_constant_(same) || same->type == type)) return *same;
    n.type = type;
    a = xt_widened_(w, type, a);
    b = xt_widened_(w, type, b);
    if (!xt_check_type_(w, &a, type, "the first operand") || !xt_check_type_(w, &b, type, "the second operand"))
        return xt_nothing_();
    xt_take_(w.x, &n, &a);
    xt_take_(w.x, &n, &b);
    r = xt_record_number_(w, XT_AS_(BINARY_NUMBER), op, xt_is_compare_(op) ? XT_BOOL_ : type,
                          xt_is_int_(type) ? xt_align_result_(op, &a, &b) : 1, &n);
    xt_value_at_(w.x, r.id)->hoistable =
        xt_is_int_(type) && !xt_is_compare_(op) && xt_is_hoistable_(w.x, &a) && xt_is_hoistable_(w.x, &b);
    return r;
}

xt_val xt_cast_scalar_(xt_where_ w, int type, xt_any_ v, xt_cast_desc_ d)
{
    (void)d; /* only for 8-bit floats, which numbers cannot be */
    return xt_enter_(w) ? xt_cast_number_(w, type, &v.val) : xt_nothing_();
}

xt_val xt_select_scalar_(xt_where_ w, const xt_any_ *given)
{
    const xt_val condition = given[0].val, a = given[1].val, b = given[2].val;
    int type = xt_common_type_(&a, &b);
    const xt_val *const all[] = {&condition, &a, &b};
    xt_ids_ n = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_value_(w, &condition, "the condition") || !xt_check_value_(w, &a, "an operand") ||
        !xt_check_value_(w, &b, "an operand"))
        return xt_nothing_();
    if (condition.kind == SPE_INT) return condition.integer ? a : b;
    if (condition.type != XT_BOOL_)
        return XT_FAIL_NUMBER_(w, XT_ERROR_CONDITION, "XT_SELECT got %s", xt_describe_(&condition).s);
    if (condition.kind != SPE_SCALAR || type < 0)
        return XT_FAIL_NUMBER_(w, XT_ERROR_SCALAR_TYPE, "XT_SELECT of %s and %s", xt_describe_(&a).s,
                               xt_describe_(&b).s);
    if (!xt_check_type_(w, &a, type, "the second operand of XT_SELECT") ||
        !xt_check_type_(w, &b, type, "the third operand of XT_SELECT"))
        return xt_nothing_();
    n.type = type;
    for (int i = 0; i < 3; i++) xt_take_(w.x, &n, all[i]);
    return xt_record_number_(w, XT_AS_(SELECT_NUMBER), 0, type, 1, &n);
}

xt_val xt_builtin_(xt_where_ w, spe_builtin_name name, int dim)
{
    xt_ids_ n = XT_ZERO_;
    n.type = dim;
    if (!xt_enter_(w)) return xt_nothing_();
    if (dim < 0 || dim > 2) return XT_FAIL_NUMBER_(w, XT_ERROR_DIMENSION, "got %d", dim);
    xt_val r = xt_record_number_(w, XT_AS_(BUILTIN), (int)name, CM_I32, 1, &n);
    xt_value_at_(w.x, r.id)->hoistable = name == SPE_GROUP_ID || name == SPE_GROUP_COUNT;
    if (name == SPE_SUBGROUP_ID) xt_value_at_(w.x, r.id)->divergence = 1;
    if (name == SPE_SUBGROUP_LANE || ((name == SPE_LOCAL_ID || name == SPE_GLOBAL_ID) && dim == 0))
        xt_value_at_(w.x, r.id)->divergence = 2; /* work-groups are one-dimensional */
    return r;
}

xt_val xt_param_by_name_(xt_where_ w, const char *name)
{
    if (!xt_enter_(w)) return xt_nothing_();
    for (int i = 0; i < w.x->param_count; i++)
        if (strcmp(w.x->params[i].name, name) == 0) return w.x->args[i];
    xt_fail_(w, XT_ERROR_UNKNOWN_PARAMETER, "\"%s\"; they are: %s", name, w.x->kernel->params);
    return xt_nothing_();
}

/* front/vectors.c - records vectors: distribution, comparison of operands, constants. */

/* Distributes a tile or vector by a map; false after an error. All maps of a kernel have the same number of
 * subgroups. */
XE_FN_ bool xt_distribute_(xt_where_ w, xt_dist *d, int rows, int cols, const xt_map *map)
{
    xt_ctx *x = w.x;
    int error = xt_dist_init(d, rows, cols, map);
    if (error && !xt_has_map_(map))
        return xt_fail_(w, error, "tile %d x %d, the largest without a map is %d x %d", rows, cols, (int)XT_SIDE_MAX_,
                        (int)XT_SIDE_MAX_);
    if (error)
        return xt_fail_(w, error, "tile %d x %d, %s is %lld x %lld", rows, cols, xt_map_text_(map).s,
                        (long long)map->sg_layout[0] * map->sg_data[0], (long long)map->sg_layout[1] * map->sg_data[1]);
    if (d->data[0] > XT_SIDE_MAX_ || d->data[1] > XT_SIDE_MAX_)
        return xt_fail_(w, XT_ERROR_TILE_SIZE, "a subgroup's piece is %d x %d, the largest is %d x %d", d->data[0],
                        d->data[1], (int)XT_SIDE_MAX_, (int)XT_SIDE_MAX_);
    if (!d->subgroups) return true;
    if (!x->subgroups) {
        x->subgroups = d->subgroups;
        x->subgroups_map = *map;
        x->subgroups_at = *w.at;
    }
    return x->subgroups == d->subgroups ||
           xt_fail_(w, XT_ERROR_MAP_SUBGROUPS, "%s has %d, %s of %s:%d has %d", xt_map_text_(map).s, d->subgroups,
                    xt_has_map_(&x->subgroups_map) ? xt_map_text_(&x->subgroups_map).s : ".subgroups",
                    x->subgroups_at.file, x->subgroups_at.line, x->subgroups);
}

/* The offset of this subgroup's first piece in a dimension. */
XE_FN_ xt_val xt_record_piece_offset_(xt_where_ w, const xt_dist *d, int dim)
{
    if (!xt_has_piece_offset_(d, dim)) return spe_val_int(0);
    xt_val v = spe_val_of(SPE_SCALAR, CM_I32, xt_new_value_(w.x));
    v.align = xt_align_of_(d->data[dim]);
    xt_value_at_(w.x, v.id)->divergence = 1;
    xt_record_(w, XT_AS_(PIECE_OFFSET), dim, v.id, NULL, d, sizeof *d);
    return v;
}

/* The same vector with inner blocks, before it is recorded. */
XE_FN_ xt_vec xt_blocked_(xt_ctx *x, xt_vec v, int rows, int cols)
{
    v.inner[0] = rows;
    v.inner[1] = cols;
    if (v.id) xt_redefine_(x, &v);
    return v;
}

/* A vector of a given shape and map; empty after an error. */
XE_FN_ xt_vec xt_mapped_vec_(xt_where_ w, cm_type type, int rows, int cols, const xt_map *map)
{
    xt_vec form = xt_no_vec_();
    form.map = *map;
    return xt_distribute_(w, &form.dist, rows, cols, map) ? xt_new_vec_(w.x, type, &form) : form;
}

XE_FN_ bool xt_check_vec_(xt_where_ w, const xt_vec *v, const char *what)
{
    if (v->magic != XT_VEC_MAGIC_) return xt_fail_(w, XT_ERROR_UNSET, "%s", what);
    /* id 0: of a failed operation */
    return v->id && xt_check_scope_(w, xt_value_at_(w.x, v->id)->scope, what);
}

XE_FN_ bool xt_map_agrees_(xt_where_ w, int error, const char *what, const xt_map *has, const xt_map *wanted)
{
    return xt_same_map_(has, wanted) ||
           xt_fail_(w, error, "%s has %s, wanted %s", what, xt_map_text_(has).s, xt_map_text_(wanted).s);
}

XE_FN_ bool xt_check_same_(xt_where_ w, const xt_same_errors_ *e, const char *first, const xt_vec *a,
                           const char *second, const xt_vec *b)
{
    const int *p = a->dist.shape, *q = b->dist.shape, *s = a->inner, *t = b->inner;
    if (p[0] != q[0] || p[1] != q[1])
        return xt_fail_(w, e->shape, "%s of %d x %d, %s of %d x %d", first, p[0], p[1], second, q[0], q[1]);
    if (e->blocks && (s[0] != t[0] || s[1] != t[1]))
        return xt_fail_(w, e->blocks, "%s of inner_blocks {%d, %d}, %s of {%d, %d}", first, s[0], s[1], second, t[0],
                        t[1]);
    if (e->type && a->type != b->type)
        return xt_fail_(w, e->type, "%s of %s, %s of %s", first, xt_type_name_(a->type), second,
                        xt_type_name_(b->type));
    return xt_same_map_(&a->map, &b->map) || xt_fail_(w, e->map, "%s of %s, %s of %s", first,
                                                      xt_map_text_(&a->map).s, second, xt_map_text_(&b->map).s);
}

/* Checks the operand of an operation on whole vectors. source: the map that .source states, or NULL. */
XE_FN_ bool xt_check_operand_(xt_where_ w, const char *of, const xt_vec *v, const xt_map *source)
{
    char text[48];
    snprintf(text, sizeof text, "the vector of %s", of);
    return xt_enter_(w) && xt_check_vec_(w, v, text) &&
           (!source || !xt_has_map_(source) || xt_map_agrees_(w, XT_ERROR_SOURCE_MAP, text, &v->map, source));
}

/* A dimension as written by users: 0, 1, or for blocked vectors XT_DIMS(0, 2), XT_DIMS(1, 3). -1 after an error. */
XE_FN_ int xt_dimension_(xt_where_ w, const char *what, int dim, const xt_vec *v)
{
    int pair = dim >= XT_DIMS_PAIR_ ? dim - XT_DIMS_PAIR_ : -1, blocked = v->inner[0] > 0;
    if (!blocked && (dim == 0 || dim == 1)) return dim;
    if (blocked && (pair == 0 * 4 + 2 || pair == 1 * 4 + 3)) return pair / 4;
    if (pair >= 0)
        xt_fail_(w, XT_ERROR_VEC_DIM, "%s along dimensions %d and %d of a %s vector", what, pair / 4, pair % 4,
                 blocked ? "4-D" : "2-D");
    else
        xt_fail_(w, XT_ERROR_VEC_DIM, "%s along dimension %d of a %s vector%s", what, dim, blocked ? "4-D" : "2-D",
                 blocked ? ": XT_DIMS(1, 3) or XT_DIMS(0, 2)" : "");
    return -1;
}

/* A vector of one number; like: one whose layout it shares, or NULL. */
XE_FN_ xt_vec xt_fill_(xt_where_ w, xt_vec v, const xt_val *number, const xt_vec *like)
{
    xt_ids_ of = XT_ZERO_;
    int type = (int)xt_storage_type_(v.type), arith = xt_number_type_(type);
    bool is_rounded = number->kind == SPE_SCALAR && number->type == arith;
    if (xt_check_type_(w, number, is_rounded ? arith : type, "the element") &&
        xt_check_uniform_(w, number, "the element")) {
        xt_take_(w.x, &of, number);
        if (like) xt_take_(w.x, &of, like);
        xt_record_(w, XT_AS_(SPLAT), 0, v.id, &of, NULL, 0);
    }
    xt_diverges_at_least_(w.x, v.id, xt_divergence_of_(w.x, number));
    return v;
}

xt_vec xt_splat_(xt_where_ w, int type, xt_val number, xt_vec_desc_ d)
{
    if (!xt_enter_(w)) return xt_no_vec_();
    xt_vec v = xt_mapped_vec_(w, (cm_type)type, d.rows, d.cols, &d.map);
    return v.id ? xt_fill_(w, v, &number, NULL) : v;
}

/* Makes a vector like `like` from a number; a vector stays as it is. */
XE_FN_ xt_vec xt_like_(xt_where_ w, const xt_any_ *a, const xt_vec *like)
{
    return a->is_vec ? a->vec : xt_fill_(w, xt_new_vec_(w.x, like->type, like), &a->val, like);
}

xt_vec xt_iota_(xt_where_ w, int type, int dim, xt_vec_desc_ d)
{
    if (!xt_enter_(w)) return xt_no_vec_();
    if (dim != 0 && dim != 1) return XT_FAIL_VEC_(w, XT_ERROR_VEC_DIM, "XT_IOTA along dimension %d", dim);
    if (type == XT_BOOL_ || xt_is_small_(type))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_IOTA of %s", xt_type_name_(type));
    xt_vec r = xt_mapped_vec_(w, (cm_type)type, d.rows, d.cols, &d.map);
    xt_record_(w, XT_AS_(IOTA), dim, r.id, NULL, NULL, 0);
    return r;
}

/* For operations made of others: the positions along dim of a vector's elements. */
XE_FN_ xt_vec xt_positions_(xt_where_ w, int type, int dim, const xt_vec *of)
{
    const xt_vec_desc_ form = {of->dist.shape[0], of->dist.shape[1], of->map, 0};
    return xt_iota_(w, type, dim, form);
}

/* A C number of type `of` for an element of another type. */
XE_ONCE_
XE_FN_ xt_val xt_table_number_(int type, int of, const void *values, int i)
{
    int64_t whole;
    if (of == CM_F64 || of == CM_F32) {
        double v = of == CM_F64 ? ((const double *)values)[i] : spe_real_of_f32(((const float *)values)[i]);
        return spe_real_to_int(v, &whole) && xt_is_int_(type) ? spe_val_int(whole) : spe_val_real(v);
    }
    return spe_val_int(of == CM_I64   ? ((const long long *)values)[i]
                       : of == CM_U32 ? (long long)((const unsigned *)values)[i]
                                      : (long long)((const int *)values)[i]);
}

/* values: C numbers of type `of`. */
xt_vec xt_table_(xt_where_ w, int type, int of, const void *values, xt_vec_desc_ d)
{
    xt_table_of_ t = XT_ZERO_;
    int n = d.rows * d.cols;
    char what[48];
    if (!xt_enter_(w)) return xt_no_vec_();
    xt_vec r = xt_mapped_vec_(w, (cm_type)type, d.rows, d.cols, &d.map);
    if (!r.id) return r;
    double *reals = (double *)xt_memory_(w.x, (size_t)n * sizeof *reals);
    int64_t *integers = (int64_t *)xt_memory_(w.x, (size_t)n * sizeof *integers);
    t.array = (spe_id *)xt_memory_(w.x, sizeof *t.array);
    if (!reals || !integers || !t.array) return r;
    for (int i = 0; i < n; i++) {
        xt_val number = xt_table_number_(type, of, values, i);
        snprintf(what, sizeof what, "element (%d, %d) of XT_TABLE", i / d.cols, i % d.cols);
        if (!xt_check_number_(w, &number, type, what)) return xt_no_vec_();
        reals[i] = number.real;
        integers[i] = number.integer;
    }
    if (xt_is_float_(type)) t.reals = reals;
    else t.integers = integers;
    xt_record_(w, XT_AS_(TABLE), 0, r.id, NULL, &t, sizeof t);
    return r;
}

/* front/origins.c - does each subgroup hold what a move of elements needs? */

/* The position of index `at` among the indices that subgroup coordinate `s` holds; -1 if it is not held. */
XE_FN_ int xt_local_index_(const xt_dist *d, int dim, int s, int at)
{
    int piece = at / d->data[dim];
    for (int r = 0; r < d->rounds[dim]; r++)
        if ((s + r * d->layout[dim]) % d->count[dim] == piece) return r * d->data[dim] + at % d->data[dim];
    return -1;
}

XE_FN_ int xt_subgroup_coordinate_(const xt_dist *d, int dim, int subgroup)
{
    return dim ? subgroup % d->layout[1] : subgroup / d->layout[1] % d->layout[0];
}

/* For dimension `to_dim` of `to`, where element i comes from element i / divisor + shift of dimension `from_dim` of
 * `from`: fills origin[] for a subgroup's part. False unless all subgroups hold them, at the same positions. */
XE_FN_ bool xt_local_origin_(const xt_dist *to, int to_dim, const xt_dist *from, int from_dim, int divisor, int shift,
                             int *origin)
{
    int n = to->subgroups > from->subgroups ? to->subgroups : from->subgroups;
    for (int s = 0; s < (n ? n : 1); s++) {
        int a = xt_subgroup_coordinate_(to, to_dim, s), b = xt_subgroup_coordinate_(from, from_dim, s);
        for (int r = 0, count = 0; r < to->rounds[to_dim]; r++)
            for (int i = 0; i < to->data[to_dim]; i++, count++) {
                int at = (a + r * to->layout[to_dim]) % to->count[to_dim] * to->data[to_dim] + i;
                int have = xt_local_index_(from, from_dim, b, at / divisor + shift);
                if (have < 0 || (s > 0 && have != origin[count])) return false;
                origin[count] = have;
            }
    }
    return true;
}

/* Does each subgroup hold what it needs? Then, for each element of its part of `to`, the number of its source in its
 * part of `from`, both counted row after row; else NULL. */
XE_FN_ const int *xt_origins_(xt_ctx *x, const xt_dist *to, const xt_dist *from, const xt_source_ *s)
{
    int size[2], *at[2], *origin, width = from->rounds[1] * from->data[1];
    if (s->in_order && (to->subgroups || from->subgroups)) return NULL;
    for (int i = 0; i < 2; i++) {
        size[i] = to->rounds[i] * to->data[i];
        at[i] = (int *)xt_memory_(x, (size_t)size[i] * sizeof *at[i]);
        if (!at[i] || (!s->in_order && !xt_local_origin_(to, i, from, s->transposed ? 1 - i : i, s->divisor[i],
                                                         s->shift[i], at[i])))
            return NULL;
    }
    origin = (int *)xt_memory_(x, (size_t)size[0] * (size_t)size[1] * sizeof *origin);
    for (int n = 0; origin && n < size[0] * size[1]; n++) {
        int row = at[0][n / size[1]], col = at[1][n % size[1]];
        origin[n] = s->in_order ? n : s->transposed ? col * width + row : row * width + col;
    }
    return origin;
}

/* front/moves.c - records moves of elements: broadcast, transpose, convert_layout, slice, shape_cast; blocked vectors.
 * */

/* Records r from v: in registers if each subgroup holds what it needs, else through local memory. */
XE_FN_ xt_vec xt_rearrange_(xt_where_ w, const xt_operation_ *as, const xt_vec *v, const xt_map *given,
                            const xt_map *source, const xt_source_ *from, xt_vec r)
{
    int dim = from->divisor[1] > 1;
    xt_move_ d = XT_ZERO_;
    xt_ids_ of = XT_ZERO_;
    if (!r.id) return r;
    xt_take_(w.x, &of, v);
    d.given = *given;
    d.source = *source;
    d.dim = dim;
    d.from = *from;
    if (xt_value_at_(w.x, v->id)->divergence && xt_has_map_(&r.map) && !xt_has_map_(&v->map))
        xt_fail_(w, XT_ERROR_NOT_UNIFORM, "subgroups share the result, and each has a vector %d x %d of its own",
                 v->dist.shape[0], v->dist.shape[1]);
    xt_diverges_like_(w.x, r.id, v);
    d.origin = xt_origins_(w.x, &r.dist, &v->dist, from);
    if (d.origin || from->divisor[dim] == 1 || v->dist.shape[dim] == 1)
        xt_record_(w, as, 0, r.id, &of, &d, sizeof d);
    else
        xt_fail_(w, XT_ERROR_BROADCAST_MAP, "sg_data {%d, %d} and broadcast_size %d: pieces share elements",
                 r.dist.data[0], r.dist.data[1], from->divisor[dim]);
    return r;
}

XE_FN_ bool xt_check_broadcast_(xt_where_ w, xt_broadcast_desc_ *d)
{
    if (!xt_check_operand_(w, "XT_BROADCAST", &d->vec, &d->source)) return false;
    d->dim = xt_dimension_(w, "XT_BROADCAST", d->dim, &d->vec);
    if (d->dim < 0) return false;
    int n = d->vec.dist.shape[d->dim];
    if (d->broadcast_size == 0 && n != 1)
        return xt_fail_(w, XT_ERROR_BROADCAST_SIZE, "dimension %d has %d elements, wanted 1 (or .broadcast_size)",
                        d->dim, n);
    if (d->broadcast_size == 0) d->broadcast_size = d->size;
    return (d->broadcast_size > 0 && d->size == (int64_t)n * d->broadcast_size) ||
           xt_fail_(w, XT_ERROR_BROADCAST_SIZE, "%d elements times broadcast_size %d is not %d", n, d->broadcast_size,
                    d->size);
}

XE_FN_ bool xt_broadcast_map_(xt_where_ w, xt_broadcast_desc_ *d)
{
    if (!xt_has_map_(&d->map)) {
        d->map = d->vec.map;
        if (d->vec.dist.shape[d->dim] == 1 && d->map.sg_layout[d->dim] > 1)
            return xt_fail_(w, XT_ERROR_MAP_MISSING,
                            "XT_BROADCAST along dimension %d, where sg_layout is %d: say which .map", d->dim,
                            d->map.sg_layout[d->dim]);
        d->map.sg_data[d->dim] *= d->broadcast_size;
    }
    if (xt_has_map_(&d->source)) return true;
    xt_map derived = xt_map_broadcast(&d->map, d->dim, d->broadcast_size);
    return xt_map_agrees_(w, XT_ERROR_BROADCAST_MAP, "the vector of XT_BROADCAST", &d->vec.map, &derived);
}

xt_vec xt_broadcast_(xt_where_ w, xt_broadcast_desc_ d)
{
    const int *n = d.vec.dist.shape;
    xt_source_ from = XT_SAME_ELEMENT_;
    xt_map given = d.map;
    if (!xt_check_broadcast_(w, &d) || !xt_broadcast_map_(w, &d)) return xt_no_vec_();
    xt_vec r = xt_mapped_vec_(w, d.vec.type, d.dim ? n[0] : d.size, d.dim ? d.size : n[1], &d.map);
    int inner[2] = {d.vec.inner[0], d.vec.inner[1]};
    if (inner[0]) inner[d.dim] = d.inner_blocks[d.dim] ? d.inner_blocks[d.dim] : 1;
    r = xt_blocked_(w.x, r, inner[0], inner[1]);
    from.divisor[d.dim] = d.broadcast_size;
    return xt_rearrange_(w, XT_AS_(BROADCAST), &d.vec, &given, &d.source, &from, r);
}

/* For operations made of others: each element `copies` times along dim (0: the only one, `size` times). */
XE_FN_ xt_vec xt_repeat_(xt_where_ w, const xt_vec *v, int dim, int size, int copies, const xt_map *map)
{
    xt_broadcast_desc_ d = XT_ZERO_;
    d.vec = *v;
    d.dim = dim;
    d.size = size;
    d.broadcast_size = copies;
    d.map = *map;
    return xt_broadcast_(w, d);
}

xt_vec xt_transpose_(xt_where_ w, xt_layout_desc_ d)
{
    static const xt_source_ from = {true, {1, 1}, {0, 0}, false};
    xt_map given = d.map;
    if (!xt_check_operand_(w, "XT_TRANSPOSE", &d.vec, &d.source)) return xt_no_vec_();
    if (d.vec.inner[0])
        return XT_FAIL_VEC_(w, XT_ERROR_BLOCKED,
                            "XT_TRANSPOSE has no 4-D form: inner_blocks {%d, %d}; XT_TILE_UNPACK first", d.vec.inner[0],
                            d.vec.inner[1]);
    if (!xt_has_map_(&d.map)) d.map = xt_map_transpose(&d.vec.map);
    return xt_rearrange_(w, XT_AS_(TRANSPOSE), &d.vec, &given, &d.source, &from,
                         xt_mapped_vec_(w, d.vec.type, d.vec.dist.shape[1], d.vec.dist.shape[0], &d.map));
}

XE_FN_ xt_vec xt_convert_to_(xt_where_ w, const xt_vec *v, const xt_map *map, const xt_map *source)
{
    static const xt_source_ from = XT_SAME_ELEMENT_;
    if (xt_same_map_(&v->map, map)) return *v;
    xt_vec r = xt_mapped_vec_(w, v->type, v->dist.shape[0], v->dist.shape[1], map);
    r = xt_blocked_(w.x, r, v->inner[0], v->inner[1]);
    return xt_rearrange_(w, XT_AS_(CONVERT_LAYOUT), v, map, source, &from, r);
}

xt_vec xt_convert_layout_(xt_where_ w, xt_layout_desc_ d)
{
    if (!xt_check_operand_(w, "XT_CONVERT_LAYOUT", &d.vec, &d.source)) return xt_no_vec_();
    if (xt_has_map_(&d.map)) return xt_convert_to_(w, &d.vec, &d.map, &d.source);
    return XT_FAIL_VEC_(w, XT_ERROR_MAP_MISSING, "XT_CONVERT_LAYOUT of a %d x %d vector needs .map",
                        d.vec.dist.shape[0], d.vec.dist.shape[1]);
}

/* Rearranges a vector into another shape. At work-group level its map must be given, since none follows. */
XE_FN_ xt_vec xt_reshaped_(xt_where_ w, const xt_operation_ *as, const char *what, const xt_slice_desc_ *d,
                           const xt_source_ *from)
{
    static const xt_map none = {{0, 0}, {0, 0}};
    const int *n = d->vec.dist.shape;
    if (xt_has_map_(&d->vec.map) && !xt_has_map_(&d->map))
        return XT_FAIL_VEC_(w, XT_ERROR_MAP_MISSING, "%s of a %d x %d vector at work-group level needs .map", what,
                            n[0], n[1]);
    return xt_rearrange_(w, as, &d->vec, &d->map, &none, from,
                         xt_mapped_vec_(w, d->vec.type, d->rows, d->cols, &d->map));
}

xt_vec xt_slice_(xt_where_ w, xt_slice_desc_ d)
{
    const xt_source_ from = {false, {1, 1}, {d.row, d.col}, false};
    const int *n = d.vec.dist.shape;
    if (!xt_check_operand_(w, "XT_SLICE", &d.vec, NULL)) return xt_no_vec_();
    if (d.vec.inner[0] || d.row < 0 || d.col < 0 || d.rows < 1 || d.cols < 1 || d.row > n[0] - d.rows ||
        d.col > n[1] - d.cols)
        return XT_FAIL_VEC_(w, d.vec.inner[0] ? XT_ERROR_BLOCKED : XT_ERROR_SLICE, "%d x %d at (%d, %d) of %d x %d",
                            d.rows, d.cols, d.row, d.col, n[0], n[1]);
    return xt_reshaped_(w, XT_AS_(SLICE), "XT_SLICE", &d, &from);
}

xt_vec xt_shape_cast_(xt_where_ w, xt_slice_desc_ d)
{
    static const xt_source_ from = {false, {1, 1}, {0, 0}, true};
    const int *n = d.vec.dist.shape;
    if (!xt_check_operand_(w, "XT_SHAPE_CAST", &d.vec, NULL)) return xt_no_vec_();
    if (d.vec.inner[0] || (int64_t)d.rows * d.cols != (int64_t)n[0] * n[1])
        return XT_FAIL_VEC_(w, d.vec.inner[0] ? XT_ERROR_BLOCKED : XT_ERROR_VEC_SHAPE,
                            "XT_SHAPE_CAST of %d x %d to %d x %d", n[0], n[1], d.rows, d.cols);
    return xt_reshaped_(w, XT_AS_(SHAPE_CAST), "XT_SHAPE_CAST", &d, &from);
}

/* ---- blocked vectors: no data moves, as registers already hold blocks ------------------------------------------- */

/* What parts have computed from v, as a new value. */
XE_FN_ xt_vec xt_rename_(xt_where_ w, const xt_operation_ *as, int kind, const xt_vec *v, const xt_vec *part,
                         const xt_move_ *d, const int inner[2])
{
    xt_ids_ of = XT_ZERO_;
    xt_vec r = *part;
    if (!r.id) return xt_no_vec_();
    memcpy(r.inner, inner, sizeof r.inner);
    r = xt_new_vec_(w.x, r.type, &r);
    xt_take_(w.x, &of, v);
    xt_take_(w.x, &of, part);
    xt_record_(w, as, kind, r.id, &of, d, sizeof *d);
    return r;
}

XE_FN_ xt_vec xt_reblocked_(xt_where_ w, const xt_operation_ *as, const xt_vec *v, const int inner[2])
{
    const xt_move_ d = XT_ZERO_;
    return xt_rename_(w, as, 0, v, v, &d, inner);
}

/* "out_dim[0] = in_dim[0] / inner_blocks[0]": each subgroup's piece consists of whole blocks. */
xt_vec xt_tile_pack_(xt_where_ w, xt_pack_desc_ d)
{
    const int *b = d.inner_blocks, *data = d.vec.dist.data, *has = d.vec.inner;
    if (!xt_check_operand_(w, "XT_TILE_PACK", &d.vec, NULL)) return xt_no_vec_();
    if (has[0])
        return XT_FAIL_VEC_(w, XT_ERROR_BLOCKED, "XT_TILE_PACK of a vector that has inner_blocks {%d, %d}", has[0],
                            has[1]);
    if (b[0] <= 0 || b[1] <= 0 || data[0] % b[0] || data[1] % b[1])
        return XT_FAIL_VEC_(w, XT_ERROR_BLOCKED, "XT_TILE_PACK: inner_blocks {%d, %d} of %d x %d", b[0], b[1], data[0],
                            data[1]);
    return xt_reblocked_(w, XT_AS_(TILE_PACK), &d.vec, b);
}

xt_vec xt_tile_unpack_(xt_where_ w, xt_pack_desc_ d)
{
    static const int none[2] = {0, 0};
    const int *b = d.inner_blocks, *has = d.vec.inner;
    if (!xt_check_operand_(w, "XT_TILE_UNPACK", &d.vec, NULL)) return xt_no_vec_();
    if (!has[0] || (b[0] && (b[0] != has[0] || b[1] != has[1])))
        return XT_FAIL_VEC_(w, XT_ERROR_BLOCKED, "XT_TILE_UNPACK with inner_blocks {%d, %d} of a vector with {%d, %d}",
                            b[0], b[1], has[0], has[1]);
    return xt_reblocked_(w, XT_AS_(TILE_UNPACK), &d.vec, none);
}

/* front/elements.c - records element-wise operations and casts. */

XE_FN_ bool xt_check_alike_(xt_where_ w, const char *what, const xt_vec *a, const xt_vec *b, bool types)
{
    const xt_same_errors_ errors = {XT_ERROR_VEC_SHAPE, types ? XT_ERROR_VEC_TYPE : 0, XT_ERROR_BLOCKED,
                                    XT_ERROR_MAP_DIFFERS};
    return xt_check_vec_(w, a, "the first operand") && xt_check_vec_(w, b, "the second operand") &&
           xt_check_same_(w, &errors, what, a, "the other", b);
}

XE_FN_ bool xt_has_shape_(const xt_vec *v, int dim, const xt_vec *like)
{
    return v->dist.shape[dim] == like->dist.shape[dim] || v->dist.shape[dim] == 1;
}

/* Repeats a single row, column or element to the shape of a larger vector; returns anything else unchanged. */
XE_FN_ xt_vec xt_repeated_(xt_where_ w, const xt_vec *v, const xt_vec *like)
{
    xt_vec r = *v;
    if (!v->id || !like->id || !xt_has_shape_(v, 0, like) || !xt_has_shape_(v, 1, like) || v->inner[0] ||
        like->inner[0])
        return r;
    for (int dim = 0; dim < 2 && r.id; dim++) {
        xt_map map = r.map;
        if (xt_has_map_(&map)) map.sg_data[dim] = like->map.sg_data[dim];
        if (r.dist.shape[dim] != like->dist.shape[dim]) r = xt_repeat_(w, &r, dim, like->dist.shape[dim], 0, &map);
    }
    return r;
}

/* The largest vector among operands; NULL if there is none. */
XE_FN_ const xt_vec *xt_largest_(int n, const xt_any_ *given)
{
    const xt_vec *most = NULL;
    for (int i = 0; i < n; i++) {
        const int *s = given[i].vec.dist.shape;
        if (!given[i].is_vec) continue;
        if (!most || s[0] * s[1] > most->dist.shape[0] * most->dist.shape[1]) most = &given[i].vec;
    }
    return most;
}

/* Checks that operands agree; numbers become vectors like `like`. */
XE_FN_ bool xt_operands_(xt_where_ w, const char *what, int n, const xt_any_ *given, const xt_vec *like, xt_vec *v)
{
    for (int i = 0; i < n; i++)
        v[i] = given[i].is_vec ? xt_repeated_(w, &given[i].vec, like) : xt_like_(w, &given[i], like);
    for (int i = 0; i < n; i++)
        if (!xt_check_alike_(w, what, &v[0], &v[i], true)) return false;
    return true;
}

/* Arithmetic takes all types except i1 and 8-bit floats; bit operations integers and i1; shifts integers. */
XE_FN_ bool xt_vec_op_allowed_(xt_where_ w, int op, int type)
{
    bool bits = xt_is_bitwise_(op), truth = bits || op == SPE_ARITH_EQ || op == SPE_ARITH_NE;
    bool whole = bits || op == SPE_ARITH_SHL || op == SPE_ARITH_SHR;
    return (type == XT_BOOL_ ? truth : !xt_is_small_(type) && (!whole || xt_is_int_(type))) ||
           xt_fail_(w, XT_ERROR_VEC_OP, "%s of vectors of %s", xt_op_name_(op), xt_type_name_(type));
}

/* Records an element-wise operation. */
XE_FN_ xt_vec xt_record_vecs_(xt_where_ w, const xt_operation_ *as, int kind, cm_type type, int n,
                              const xt_vec *v, int meeting)
{
    xt_ids_ d = XT_ZERO_;
    xt_vec r = xt_new_vec_(w.x, type, v);
    d.type = meeting;
    for (int i = 0; i < n; i++) xt_take_(w.x, &d, &v[i]);
    while (n-- > 1) xt_diverges_like_(w.x, r.id, &v[n]);
    xt_record_(w, as, kind, r.id, &d, NULL, 0);
    return r;
}

xt_vec xt_binary_vec_(xt_where_ w, int op, const xt_any_ *given)
{
    const xt_vec *like = xt_largest_(2, given);
    xt_vec v[2];
    if (!xt_enter_(w) || !xt_check_vec_(w, like, "an operand") || !xt_vec_op_allowed_(w, op, (int)like->type) ||
        !xt_operands_(w, xt_op_name_(op), 2, given, like, v))
        return xt_no_vec_();
    return xt_record_vecs_(w, XT_AS_(BINARY_VECTOR), op, xt_is_compare_(op) ? (cm_type)XT_BOOL_ : v[0].type, 2, v,
                           (int)like->type);
}

XE_FN_ xt_vec xt_binary_pair_(xt_where_ w, int op, xt_any_ a, xt_any_ b)
{
    const xt_any_ both[2] = {a, b};
    return xt_binary_vec_(w, op, both);
}

xt_val xt_binary_scalar_(xt_where_ w, int op, const xt_any_ *given)
{
    return xt_binary_number_(w, op, given[0].val, given[1].val);
}

XE_FN_ bool xt_check_select_(xt_where_ w, const xt_any_ *condition, const xt_vec *like)
{
    if (!condition->is_vec)
        return xt_fail_(w, XT_ERROR_CONDITION,
                        "the condition of XT_SELECT is a number, its operands are vectors: use XT_IF");
    if (!xt_check_vec_(w, &condition->vec, "the condition of XT_SELECT")) return false;
    if ((int)condition->vec.type != XT_BOOL_)
        return xt_fail_(w, XT_ERROR_CONDITION, "XT_SELECT got a vector of %s", xt_type_name_((int)condition->vec.type));
    if (!like)
        return xt_fail_(w, XT_ERROR_VEC_TYPE,
                        "XT_SELECT of two numbers: make one a vector of the type you want (XT_SPLAT)");
    return xt_check_vec_(w, like, "an operand of XT_SELECT");
}

xt_vec xt_select_vec_(xt_where_ w, const xt_any_ *given)
{
    const xt_vec *condition = &given[0].vec, *like = xt_largest_(2, given + 1);
    xt_vec v[3];
    if (!xt_enter_(w) || !xt_check_select_(w, &given[0], like)) return xt_no_vec_();
    xt_vec whole = xt_repeated_(w, like, condition);
    v[0] = xt_repeated_(w, condition, &whole);
    if (!xt_operands_(w, "XT_SELECT", 2, given + 1, &whole, v + 1) ||
        !xt_check_alike_(w, "XT_SELECT", &v[0], &v[1], false))
        return xt_no_vec_();
    return xt_record_vecs_(w, XT_AS_(SELECT_VECTOR), 0, v[1].type, 3, v, 0);
}

XE_FN_ bool xt_math_allowed_(xt_where_ w, int op, int type)
{
    return (type < XT_BOOL_ && xt_math_instruction_(op, type)) ||
           xt_fail_(w, XT_ERROR_MATH_TYPE, "%s of %s", xt_math_info_(op)->name, xt_type_name_(type));
}

xt_vec xt_math_vec_(xt_where_ w, int op, const xt_any_ *given)
{
    const xt_math_row_ *row = xt_math_info_(op);
    const xt_vec *like = xt_largest_(row->operands, given);
    xt_vec v[3];
    if (!xt_enter_(w) || !xt_check_vec_(w, like, row->name) || !xt_math_allowed_(w, op, (int)like->type) ||
        !xt_operands_(w, row->name, row->operands, given, like, v))
        return xt_no_vec_();
    return xt_record_vecs_(w, XT_AS_(MATH_VECTOR), op, like->type, row->operands, v, (int)like->type);
}

xt_val xt_math_scalar_(xt_where_ w, int op, const xt_any_ *given)
{
    const xt_math_row_ *row = xt_math_info_(op);
    const xt_val *a = &given[0].val;
    xt_ids_ n = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_value_(w, a, row->name)) return xt_nothing_();
    n.type = a->kind == SPE_INT && op != XT_MATH_ABS_ ? CM_F32 : xt_carried_type_(a);
    for (int i = 1; i < row->operands; i++)
        if (!xt_is_constant_(&given[i].val)) n.type = given[i].val.type;
    if (a->kind == SPE_POINTER || n.type == CM_BF16)
        return XT_FAIL_NUMBER_(w, XT_ERROR_MATH_TYPE, "%s of %s%s", row->name,
                               a->kind == SPE_POINTER ? "a pointer to " : "the number ", xt_type_name_(n.type));
    if (!xt_math_allowed_(w, op, n.type)) return xt_nothing_();
    for (int i = 0; i < row->operands; i++) {
        if (!xt_check_type_(w, &given[i].val, n.type, row->name)) return xt_nothing_();
        xt_take_(w.x, &n, &given[i].val);
    }
    return xt_record_number_(w, XT_AS_(MATH_NUMBER), op, n.type, 1, &n);
}

/* A cast to e2m1 makes bytes with a value in the lower four bits; one from e2m1 takes that. */
XE_FN_ xt_vec xt_cast_each_(xt_where_ w, int type, const xt_vec *v)
{
    return xt_record_vecs_(w, XT_AS_(CAST_VECTOR), 0, (cm_type)type, 1, v, type);
}

xt_vec xt_cast_vec_(xt_where_ w, int type, xt_any_ a, xt_cast_desc_ d)
{
    if (!xt_enter_(w) || !xt_check_vec_(w, &a.vec, "the operand of XT_CAST")) return xt_no_vec_();
    if ((type == CM_E2M1) != (a.vec.type == CM_E2M1))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_CAST from %s to %s: use XT_TO_E2M1 or XT_FROM_E2M1",
                            xt_type_name_((int)a.vec.type), xt_type_name_(type));
    return xt_record_vecs_(w, XT_AS_(CAST_VECTOR), !d.saturate, (cm_type)type, 1, &a.vec, type);
}

/* The same bits as another type of the same size. */
XE_FN_ xt_vec xt_reinterpret_(xt_where_ w, int type, const xt_vec *v)
{
    return xt_record_vecs_(w, XT_AS_(BITCAST_VECTOR), 0, (cm_type)type, 1, v, type);
}

xt_val xt_bitcast_scalar_(xt_where_ w, int type, xt_any_ a)
{
    const xt_val *v = &a.val;
    xt_ids_ n = XT_ZERO_;
    int from = xt_carried_type_(v);
    if (!xt_enter_(w) || !xt_check_value_(w, v, "the operand of XT_BITCAST")) return xt_nothing_();
    if (type == XT_BOOL_ || v->magic != SPE_VAL_MAGIC || v->kind == SPE_NOTHING || v->kind == SPE_POINTER ||
        from == XT_BOOL_ || xt_bits_(type) != xt_bits_(from))
        return XT_FAIL_NUMBER_(w, XT_ERROR_BITCAST, "from %s to %s", xt_describe_(v).s, xt_type_name_(type));
    if (!xt_check_type_(w, v, from, "the operand of XT_BITCAST")) return xt_nothing_();
    n.type = type;
    xt_take_(w.x, &n, v);
    return xt_record_number_(w, XT_AS_(BITCAST_NUMBER), 0, type, 1, &n);
}

/* front/tiles.c - records tiles: local memory, init_tile, update_tile_offset. */

XE_FN_ xt_tile xt_no_tile_(void)
{
    xt_tile t = XT_ZERO_;
    t.magic = XT_TILE_MAGIC_;
    t.number = -1; /* the result of a failed operation */
    return t;
}

/* Checks that the tile is set and of the required kind. */
XE_FN_ bool xt_check_tile_(xt_where_ w, const xt_tile *t, bool scatter, const char *what)
{
    if (t->magic != XT_TILE_MAGIC_) return xt_fail_(w, XT_ERROR_UNSET, "%s", what);
    if (t->number < 0 || !xt_check_scope_(w, t->scope, what)) return false;
    return t->scatter == scatter ||
           xt_fail_(w, scatter ? XT_ERROR_NO_SCATTER : XT_ERROR_SCATTER, "%s is a %stile %d x %d%s", what,
                    scatter ? "" : "scatter ", t->dist.shape[0], t->dist.shape[1],
                    scatter ? " made without .scatter" : "");
}

/* ---- local memory ------------------------------------------------------------------------------------------------ */

xt_val xt_local_(xt_where_ w, int type, int64_t elements)
{
    xt_ctx *x = w.x;
    xt_ids_ of = XT_ZERO_;
    if (!xt_enter_(w)) return xt_nothing_();
    if (elements < 1 || elements > 1 << 24)
        return XT_FAIL_NUMBER_(w, XT_ERROR_LOCAL_SIZE, "got %lld elements of %s", (long long)elements,
                               xt_type_name_(type));
    x->local_bytes = (x->local_bytes + 63) / 64 * 64 + elements * xt_bytes_(type);
    if (x->local_bytes > x->target.local_memory)
        return XT_FAIL_NUMBER_(w, XT_ERROR_LOCAL_MEMORY, "%lld bytes with this one, %s has %d",
                               (long long)x->local_bytes, x->target.name, x->target.local_memory);
    xt_val v = spe_val_of(SPE_POINTER, type, xt_new_value_(x));
    v.local = true;
    xt_local_array_ *array = (xt_local_array_ *)xt_memory_(x, sizeof *array);
    if (!array) return v;
    of.type = type;
    array->elements = (int)elements;
    xt_record_(w, XT_AS_(LOCAL), 0, v.id, &of, array, 0);
    return v;
}

/* ---- init_tile: its arguments ------------------------------------------------------------------------------------ */

/* inner_blocks divide each subgroup's piece: the vector of such a tile is 4-D. */
XE_FN_ bool xt_tile_blocks_(xt_where_ w, xt_tile *t, const int blocks[2])
{
    const int *data = t->dist.data;
    memcpy(t->inner, blocks, sizeof t->inner);
    if (!blocks[0] && !blocks[1]) return true;
    return (blocks[0] > 0 && blocks[1] > 0 && data[0] % blocks[0] == 0 && data[1] % blocks[1] == 0) ||
           xt_fail_(w, XT_ERROR_INNER_BLOCKS, "{%d, %d} of a subgroup's %d x %d", blocks[0], blocks[1], data[0],
                    data[1]);
}

/* Checks that all offsets, extents and strides are 32-bit integers. */
XE_FN_ bool xt_tile_indices_(xt_where_ w, const xt_tile_desc_ *d)
{
#define XT_PLACES_(of)                                                                                                 \
    {of ", first", of ", second", of ", third",   of ", fourth",                                                       \
     of ", fifth", of ", sixth",  of ", seventh", of ", eighth"}
    static const char *const names[3][8] = {XT_PLACES_(".offset"), XT_PLACES_(".shape"), XT_PLACES_(".strides")};
#undef XT_PLACES_
    const xt_index *lists[3] = {&d->offset, &d->shape, &d->strides};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < lists[i]->count; j++)
            if (!xt_check_index_(w, &lists[i]->at[j], names[i][j]) ||
                !xt_check_uniform_(w, &lists[i]->at[j], names[i][j]))
                return false;
    return true;
}

/* Checks that a matrix in local memory is inside its array, as far as constants tell. */
XE_FN_ bool xt_check_array_(xt_where_ w, const xt_val *base, const xt_index *shape, const xt_index *strides)
{
    const xt_node_ *n = base->kind == SPE_POINTER ? xt_node_at_(w.x, xt_value_at_(w.x, base->id)->node) : NULL;
    int64_t last = 0, stride = 1, elements;
    if (!n || n->op != XT_OP_LOCAL_) return true;
    for (int i = shape->count - 1; i >= 0 && last <= INT32_MAX; i--) { /* beyond, products could overflow */
        if (strides->count) stride = strides->at[i].integer;
        if (shape->at[i].kind != SPE_INT || (strides->count && strides->at[i].kind != SPE_INT) || stride < 0 ||
            shape->at[i].integer < 1)
            return true;
        last += (shape->at[i].integer - 1) * stride;
        stride *= shape->at[i].integer;
    }
    elements = n->local->elements;
    return last < elements ||
           xt_fail_(w, XT_ERROR_LOCAL_SIZE, "the matrix has elements up to number %lld, XT_LOCAL %lld",
                    (long long)last + 1, (long long)elements);
}

/* The order attribute: zero means row-major. */
XE_FN_ bool xt_tile_order_(xt_where_ w, xt_tile *t, const int order[2])
{
    t->column_major = order[0] == 0 && order[1] == 1;
    return t->column_major || (order[1] == 0 && (order[0] == 0 || order[0] == 1)) ||
           xt_fail_(w, XT_ERROR_TILE_ORDER, "got {%d, %d}", order[0], order[1]);
}

enum { XT_STEP_MAX_ = 1 << 16 }; /* maximum stride of the inner dimension */

/* The contiguous dimension's stride must be 1, and the order must match the strides. */
XE_FN_ bool xt_tile_strides_(xt_where_ w, xt_tile *t, const xt_index *strides)
{
    int last = strides->count - 2, contiguous = last + xt_inner_(t), other = last + 1 - xt_inner_(t);
    const xt_val *inner = &strides->at[contiguous], *outer = &strides->at[other];
    t->pitch = *outer;
    if (inner->kind == SPE_INT && inner->integer == 1) return true;
    if (inner->kind == SPE_INT && inner->integer > 1 && inner->integer <= XT_STEP_MAX_ &&
        !(outer->kind == SPE_INT && outer->integer == 1)) {
        t->step = (int)inner->integer;
        return true;
    }
    if (outer->kind == SPE_INT && outer->integer == 1)
        return xt_fail_(w, XT_ERROR_ORDER_STRIDES,
                        "order {%d, %d} needs stride 1 in dimension %d; it is %s, in dimension %d %s", !t->column_major,
                        t->column_major, contiguous, xt_describe_(inner).s, other, xt_describe_(outer).s);
    return xt_fail_(w, XT_ERROR_TILE_STRIDES, "stride of dimension %d is %s, wanted a C integer from 1 to %d",
                    contiguous, xt_describe_(inner).s, (int)XT_STEP_MAX_);
}

/* Shape and strides of the innermost two dimensions: 1, and by default the extent of the contiguous one. */
XE_FN_ bool xt_tile_shape_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    int n = d->shape.count;
    if (n < 2 || n > 8) return xt_fail_(w, XT_ERROR_TILE_SHAPE, ".shape has %d dimensions, wanted 2 to 8", n);
    if (d->offset.count != n || (d->strides.count && d->strides.count != n))
        return xt_fail_(w, XT_ERROR_TILE_SHAPE, "%s has %d dimensions, wanted %d as .shape",
                        d->offset.count != n ? ".offset" : ".strides",
                        d->offset.count != n ? d->offset.count : d->strides.count, n);
    t->shape[0] = d->shape.at[n - 2];
    t->shape[1] = d->shape.at[n - 1];
    t->pitch = t->shape[xt_inner_(t)];
    return d->strides.count == 0 || xt_tile_strides_(w, t, &d->strides);
}

/* The base: a pointer parameter to the tile's type, or an address, which is converted to a pointer. */
XE_FN_ bool xt_tile_base_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    const xt_val *base = &d->base;
    xt_ids_ n = XT_ZERO_;
    t->base = *base;
    if (!xt_check_value_(w, base, "the base")) return false;
    if (base->kind == SPE_POINTER && base->magic == SPE_VAL_MAGIC)
        return base->type == (int)t->type || (base->type == CM_F32 && t->type == CM_TF32) ||
               (t->type == (cm_type)XT_BOOL_ && xt_bits_(base->type) == 8 && xt_is_int_(base->type)) ||
               xt_fail_(w, XT_ERROR_TILE_TYPE, "tile of %s, base %s", xt_type_name_(t->type), xt_describe_(base).s);
    if (base->kind != SPE_SCALAR || !xt_is_int_(base->type) || xt_bits_(base->type) != 64)
        return xt_fail_(w, XT_ERROR_TILE_BASE, "got %s", xt_describe_(base).s);
    t->base = spe_val_of(SPE_POINTER, (int)t->type, xt_new_value_(w.x));
    n.type = (int)t->type;
    xt_take_(w.x, &n, base);
    xt_record_(w, XT_AS_(POINTER), 0, t->base.id, &n, NULL, 0);
    return true;
}

/* ---- init_tile: leading dimensions select one of several matrices ------------------------------------------------ */

/* Distances are computed in 64 bits. */
XE_FN_ xt_val xt_wide_(xt_where_ w, xt_val v)
{
    return v.kind == SPE_SCALAR && xt_bits_(v.type) < 64 ? xt_cast_number_(w, CM_I64, &v) : v;
}

/* The distance of matrix (offset[0], ...) of a base with leading dimensions from the first one, in elements. */
XE_FN_ xt_val xt_leading_distance_(xt_where_ w, const xt_tile *t, const xt_tile_desc_ *d)
{
    xt_val sum = spe_val_int(0), stride = xt_wide_(w, t->pitch);
    stride = xt_binary_number_(w, SPE_ARITH_MUL, stride, xt_wide_(w, t->shape[1 - xt_inner_(t)]));
    for (int i = d->shape.count - 3; i >= 0; i--) {
        if (d->strides.count) stride = xt_wide_(w, d->strides.at[i]);
        xt_val term = xt_binary_number_(w, SPE_ARITH_MUL, stride, xt_wide_(w, d->offset.at[i]));
        sum = xt_binary_number_(w, SPE_ARITH_ADD, sum, term);
        if (!d->strides.count) stride = xt_binary_number_(w, SPE_ARITH_MUL, stride, xt_wide_(w, d->shape.at[i]));
    }
    return sum;
}

/* Records the selected matrix: its base, and the number of its lines, the next value, zero if the offsets are out of
 * range. Returns the distance to it. */
XE_FN_ xt_val xt_leading_(xt_where_ w, xt_tile *t, const xt_tile_desc_ *d)
{
    xt_ids_ of = XT_ZERO_;
    xt_val distance = XT_ZERO_;
    of.type = d->shape.count - 2;
    if (of.type < 1) return distance;
    distance = xt_leading_distance_(w, t, d);
    xt_take_(w.x, &of, t);
    xt_take_(w.x, &of, &t->base);
    xt_take_(w.x, &of, &distance);
    for (int i = 0; i < of.type; i++) {
        xt_take_(w.x, &of, &d->offset.at[i]);
        xt_take_(w.x, &of, &d->shape.at[i]);
    }
    t->base.id = xt_new_value_(w.x);
    xt_record_(w, XT_AS_(MATRIX), 0, t->base.id, &of, NULL, 0);
    t->shape[1 - xt_inner_(t)] = spe_val_of(SPE_SCALAR, CM_I32, xt_further_value_(w.x));
    return distance;
}

/* ---- init_tile --------------------------------------------------------------------------------------------------- */

XE_FN_ bool xt_check_scatter_(xt_where_ w, const xt_tile_desc_ *d)
{
    const xt_vec *v = &d->scatter;
    if (!xt_is_int_(v->type) || xt_bits_(v->type) < 32)
        return xt_fail_(w, XT_ERROR_SCATTER_TYPE, "got %s", xt_type_name_(v->type));
    if (d->rows != v->dist.shape[0] || d->cols != v->dist.shape[1] || d->shape.count != 1)
        return xt_fail_(w, XT_ERROR_SCATTER_SHAPE, "tile %d x %d, offsets %d x %d, .shape of %d dimensions", d->rows,
                        d->cols, v->dist.shape[0], v->dist.shape[1], d->shape.count);
    return !xt_has_map_(&d->map) || xt_map_agrees_(w, XT_ERROR_SCATTER_MAP, "the tile", &d->map, &v->map);
}

/* A scatter tile, whose elements have individual offsets. */
XE_FN_ xt_tile xt_init_scatter_(xt_where_ w, xt_tile t, const xt_tile_desc_ *d)
{
    const xt_vec *v = &d->scatter;
    if (!xt_check_vec_(w, v, ".scatter") || !xt_tile_base_(w, &t, d) || !xt_check_scatter_(w, d)) return xt_no_tile_();
    if (!xt_check_index_(w, &d->shape.at[0], ".shape") || !xt_check_array_(w, &d->base, &d->shape, &d->strides))
        return xt_no_tile_();
    t.scatter = true;
    t.number = 0;
    t.map = v->map;
    t.dist = v->dist;
    t.offsets = *v;
    t.offset[0] = t.offset[1] = t.pitch = spe_val_int(0);
    t.shape[0] = spe_val_int(1);
    t.shape[1] = d->shape.at[0];
    return t;
}

/* Records a tile that has been made from what the user gave. matrix, piece, distance: NULL for a scatter tile. */
XE_FN_ xt_tile xt_record_tile_(xt_where_ w, xt_tile t, const xt_tile_desc_ *d, const xt_tile *matrix,
                               const xt_val piece[2], const xt_val *distance)
{
    const xt_index *lists[3] = {&d->offset, &d->shape, &d->strides};
    xt_ids_ of = XT_ZERO_;
    of.type = d->shape.count;
    xt_take_(w.x, &of, matrix);
    xt_take_(w.x, &of, &d->base);
    xt_take_(w.x, &of, &d->scatter);
    for (int i = 0; i < 2; i++) xt_take_(w.x, &of, piece ? &piece[i] : NULL);
    xt_take_(w.x, &of, distance);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < lists[i]->count; j++) xt_take_(w.x, &of, &lists[i]->at[j]);
    t.id = xt_new_value_(w.x);
    xt_value_of_(w.x, &t);
    xt_record_(w, XT_AS_(INIT_TILE), 0, t.id, &of, NULL, 0);
    return t;
}

/* Records what a tile consists of. t: that of the matrix that leading dimensions select from. */
XE_ONCE_
XE_FN_ xt_tile xt_position_tile_(xt_where_ w, xt_tile t, const xt_tile_desc_ *d, xt_val piece[2], xt_val *distance)
{
    const xt_val *at = &d->offset.at[d->offset.count - 2];
    *distance = xt_leading_(w, &t, d);
    for (int i = 0; i < 2; i++) {
        piece[i] = xt_record_piece_offset_(w, &t.dist, i);
        t.offset[i] = xt_binary_number_(w, SPE_ARITH_ADD, at[i], piece[i]);
    }
    return t;
}

xt_tile xt_init_tile_(xt_where_ w, xt_tile_desc_ d)
{
    xt_tile t = xt_no_tile_(), matrix = t;
    xt_val piece[2], distance;
    if (!xt_enter_(w)) return t;
    t.type = (cm_type)d.type;
    t.map = d.map;
    t.inside = d.inside;
    t.step = 1;
    t.scope = w.x->scope;
    if (d.offset.count == 0) {
        d.offset.count = d.shape.count ? d.shape.count : 2;
        for (int i = 0; i < 8; i++) d.offset.at[i] = spe_val_int(0);
    }
    w.x->part++;
    if (d.scatter.magic) {
        t = xt_init_scatter_(w, t, &d);
    } else if (!xt_distribute_(w, &t.dist, d.rows, d.cols, &d.map) || !xt_tile_blocks_(w, &t, d.inner_blocks) ||
             !xt_tile_order_(w, &t, d.order) || !xt_tile_shape_(w, &t, &d) || !xt_tile_base_(w, &t, &d) ||
             !xt_tile_indices_(w, &d) || !xt_check_array_(w, &d.base, &d.shape, &d.strides)) {
        t = xt_no_tile_();
    } else {
        t.number = w.x->tile_count++;
        t.id = xt_new_value_(w.x);
        matrix = t;
        t = xt_position_tile_(w, t, &d, piece, &distance);
    }
    w.x->part--;
    if (t.number < 0) return t;
    return t.scatter ? xt_record_tile_(w, t, &d, NULL, NULL, NULL)
                     : xt_record_tile_(w, t, &d, &matrix, piece, &distance);
}

/* Records a moved tile. */
XE_ONCE_
XE_FN_ xt_tile xt_moved_tile_(xt_where_ w, xt_tile t, const xt_ids_ *of)
{
    t.scope = w.x->scope;
    t.id = xt_new_value_(w.x);
    xt_value_of_(w.x, &t);
    xt_record_(w, XT_AS_(UPDATE_TILE_OFFSET), 0, t.id, of, NULL, 0);
    return t;
}

xt_tile xt_update_tile_offset_(xt_where_ w, xt_update_ d)
{
    xt_tile t = d.tile;
    const xt_val *rows = &d.by[0], *cols = &d.by[1];
    xt_ids_ of = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_tile_(w, &t, false, "the tile of XT_UPDATE_TILE_OFFSET") ||
        !xt_check_index_(w, rows, "the row offset") || !xt_check_index_(w, cols, "the column offset") ||
        !xt_check_uniform_(w, rows, "the row offset") || !xt_check_uniform_(w, cols, "the column offset"))
        return xt_no_tile_();
    w.x->part++;
    t.offset[0] = xt_binary_number_(w, SPE_ARITH_ADD, t.offset[0], *rows);
    t.offset[1] = xt_binary_number_(w, SPE_ARITH_ADD, t.offset[1], *cols);
    w.x->part--;
    xt_take_(w.x, &of, &d.tile);
    xt_take_(w.x, &of, rows);
    xt_take_(w.x, &of, cols);
    return xt_moved_tile_(w, t, &of);
}

/* Moves a scatter tile's offsets, all by one number or each by its own. */
xt_tile xt_update_offsets_(xt_where_ w, xt_update_by_ given)
{
    xt_tile t = given.tile;
    const xt_any_ *by = &given.by;
    xt_ids_ of = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_tile_(w, &t, true, "the tile of XT_UPDATE_TILE_OFFSET with one offset"))
        return xt_no_tile_();
    w.x->part++;
    const xt_any_ sum[2] = {xt_any_vec_(t.offsets), *by};
    t.offsets = xt_binary_vec_(w, SPE_ARITH_ADD, sum);
    w.x->part--;
    xt_take_(w.x, &of, &given.tile);
    xt_take_(w.x, &of, by->is_vec ? (const void *)&by->vec : &by->val);
    return xt_moved_tile_(w, t, &of);
}

/* front/access.c - records load_tile, store_tile, prefetch_tile, load_gather, store_scatter. */

/* The type must be able to represent it. */
XE_FN_ bool xt_check_padding_(xt_where_ w, int type, double padding)
{
    xt_val number = xt_padding_(type, padding);
    int64_t integer;
    bool whole = spe_real_to_int(padding, &integer) && (type != XT_BOOL_ || integer == 0 || integer == 1);
    if (xt_is_float_(type) || whole) return xt_check_number_(w, &number, type, ".padding");
    return xt_fail_(w, XT_ERROR_SCALAR_RANGE, ".padding is %s, wanted %s", spe_decimal_of(padding, 'g', 6).s,
                    xt_type_name_(type));
}

/* mask, vec, outside: NULL, none. */
XE_FN_ void xt_record_access_(xt_where_ w, const xt_operation_ *as, int kind, uint32_t result, const xt_tile *t,
                              const xt_vec *mask, const xt_vec *vec, const xt_outside_ *outside)
{
    xt_ids_ of = XT_ZERO_;
    xt_take_(w.x, &of, t);
    xt_take_(w.x, &of, mask);
    xt_take_(w.x, &of, vec);
    xt_record_(w, as, kind, result, &of, outside, outside ? sizeof *outside : 0);
}

xt_vec xt_load_tile_(xt_where_ w, xt_load_desc_ d)
{
    xt_vec form = xt_vec_of_tile_(&d.tile);
    if (!xt_enter_(w) || !xt_check_tile_(w, &d.tile, false, "the tile of XT_LOAD_TILE") ||
        !xt_check_padding_(w, d.tile.type, d.padding))
        return xt_no_vec_();
    const xt_outside_ outside = {d.padding, d.tile.inside ? XT_BORDER_PADDING : d.border};
    xt_vec v = xt_new_vec_(w.x, d.tile.type, &form);
    xt_diverges_like_tile_(w.x, v.id, &d.tile);
    xt_record_access_(w, XT_AS_(LOAD_TILE), 0, v.id, &d.tile, NULL, NULL, &outside);
    return v;
}

/* Can the vector be stored to the tile? */
XE_ONCE_
XE_FN_ bool xt_check_store_(xt_where_ w, const xt_vec *v, const xt_tile *t)
{
    static const xt_same_errors_ errors = {XT_ERROR_STORE_SHAPE, XT_ERROR_STORE_TYPE, XT_ERROR_STORE_BLOCKS,
                                           XT_ERROR_STORE_MAP};
    xt_vec form = xt_vec_of_tile_(t);
    return xt_check_same_(w, &errors, "vector", v, "tile", &form);
}

/* Overlapping rows can be loaded, but storing to them is undefined. */
XE_FN_ bool xt_check_rows_(xt_where_ w, const xt_tile *t)
{
    const xt_val *along = &t->shape[xt_inner_(t)], *lines = &t->shape[1 - xt_inner_(t)];
    return t->pitch.kind != SPE_INT || along->kind != SPE_INT || (lines->kind == SPE_INT && lines->integer < 2) ||
           t->pitch.integer >= along->integer ||
           xt_fail_(w, XT_ERROR_TILE_STRIDES, "rows of %lld elements, %lld apart, overlap and cannot be stored to",
                    (long long)along->integer, (long long)t->pitch.integer);
}

void xt_store_tile_(xt_where_ w, xt_scattered_ d)
{
    if (xt_enter_(w) && xt_check_vec_(w, &d.vec, "the vector of XT_STORE_TILE") &&
        xt_check_tile_(w, &d.access.tile, false, "the tile of XT_STORE_TILE") &&
        xt_check_store_(w, &d.vec, &d.access.tile) && xt_check_rows_(w, &d.access.tile))
        xt_record_access_(w, XT_AS_(STORE_TILE), 0, 0, &d.access.tile, NULL, &d.vec, NULL);
}

XE_FN_ bool xt_check_mask_(xt_where_ w, const xt_vec *mask, const xt_tile *t)
{
    static const xt_same_errors_ errors = {XT_ERROR_MASK_SHAPE, 0, 0, XT_ERROR_MASK_MAP};
    xt_vec form = xt_vec_of_tile_(t);
    if (!mask->magic) return true;
    if (!xt_check_vec_(w, mask, "the mask")) return false;
    if (mask->type != (cm_type)XT_BOOL_) return xt_fail_(w, XT_ERROR_MASK_TYPE, "got %s", xt_type_name_(mask->type));
    return xt_check_same_(w, &errors, "mask", mask, "tile", &form);
}

xt_vec xt_load_gather_(xt_where_ w, xt_gather_desc_ d)
{
    const xt_outside_ outside = {d.padding, XT_BORDER_PADDING};
    xt_vec form = xt_vec_of_tile_(&d.tile);
    if (!xt_enter_(w) || !xt_check_tile_(w, &d.tile, true, "the tile of XT_LOAD_GATHER") ||
        !xt_check_mask_(w, &d.mask, &d.tile) || !xt_check_padding_(w, d.tile.type, d.padding))
        return xt_no_vec_();
    xt_vec v = xt_new_vec_(w.x, d.tile.type, &form);
    xt_diverges_like_tile_(w.x, v.id, &d.tile);
    xt_diverges_like_(w.x, v.id, &d.mask);
    xt_record_access_(w, XT_AS_(LOAD_GATHER), 0, v.id, &d.tile, &d.mask, NULL, &outside);
    return v;
}

void xt_store_scatter_(xt_where_ w, xt_scattered_ d)
{
    const xt_tile *t = &d.access.tile;
    if (xt_enter_(w) && xt_check_vec_(w, &d.vec, "the vector of XT_STORE_SCATTER") &&
        xt_check_tile_(w, t, true, "the tile of XT_STORE_SCATTER") && xt_check_store_(w, &d.vec, t) &&
        xt_check_mask_(w, &d.access.mask, t))
        xt_record_access_(w, XT_AS_(STORE_SCATTER), 0, 0, t, &d.access.mask, &d.vec, NULL);
}

void xt_prefetch_tile_(xt_where_ w, xt_prefetch_desc_ d)
{
    xt_ids_ of = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_tile_(w, &d.tile, false, "the tile of XT_PREFETCH_TILE")) return;
    xt_take_(w.x, &of, &d.tile);
    if (d.locality < 0 || d.locality > 3)
        xt_fail_(w, XT_ERROR_LOCALITY, "got %d", d.locality);
    else
        xt_record_(w, XT_AS_(PREFETCH_TILE), 0, 0, &of, &d.locality, sizeof d.locality);
}

/* front/mma.c - records tile_mma. */

XE_FN_ bool xt_mma_check_shapes_(xt_where_ w, const xt_mma_desc_ *d, bool with_c)
{
    const int *a = d->left.dist.shape, *b = d->right.dist.shape, *c = d->sum.dist.shape;
    if (!xt_check_vec_(w, &d->left, "a of XT_TILE_MMA") || !xt_check_vec_(w, &d->right, "b of XT_TILE_MMA"))
        return false;
    if (with_c && !xt_check_vec_(w, &d->sum, "c of XT_TILE_MMA")) return false;
    if (a[1] == b[0] && (!with_c || (c[0] == a[0] && c[1] == b[1]))) return true;
    if (!with_c) return xt_fail_(w, XT_ERROR_MMA_SHAPE, "a %d x %d, b %d x %d", a[0], a[1], b[0], b[1]);
    return xt_fail_(w, XT_ERROR_MMA_SHAPE, "a %d x %d, b %d x %d, c %d x %d", a[0], a[1], b[0], b[1], c[0], c[1]);
}

/* The possible types of a x b: the accumulation type in coopmatrix.h, or f16 and bf16 for operands of that type. */
XE_FN_ bool xt_mma_result_(const xt_mma_desc_ *d, bool with_c, cm_type *result)
{
    const cm_product *row = cm_product_row(d->left.type, d->right.type);
    cm_type own = d->left.type;
    if (!row || d->type < 0) return false;
    *result = with_c ? d->sum.type : d->type ? (cm_type)(d->type - 1) : row->acc;
    if (d->type && d->type - 1 != (int)*result) return false;
    if (xt_is_small_((int)own) && xt_is_small_((int)d->right.type) && *result == CM_BF16) return true;
    return *result == row->acc || (own == d->right.type && *result == own && (own == CM_F16 || own == CM_BF16));
}

XE_FN_ bool xt_mma_check_types_(xt_where_ w, const xt_mma_desc_ *d, bool with_c, cm_type *result)
{
    return xt_mma_result_(d, with_c, result) ||
           xt_fail_(w, XT_ERROR_MMA_TYPE, "a of %s, b of %s%s%s%s%s", xt_type_name_(d->left.type),
                    xt_type_name_(d->right.type), with_c ? ", c of " : "", with_c ? xt_type_name_(d->sum.type) : "",
                    d->type ? ", result " : "", d->type ? xt_type_name_(d->type < 0 ? d->type : d->type - 1) : "");
}

XE_FN_ bool xt_mma_has_map_(xt_where_ w, const char *what, const xt_map *has, const xt_map *wanted)
{
    return xt_map_agrees_(w, XT_ERROR_MMA_MAP, what, has, wanted);
}

/* The result's map is c's, else the given one, else derived from a and b. The operands' maps must agree with it, and
 * with those given as options, as in the older specification. */
XE_FN_ bool xt_mma_check_maps_(xt_where_ w, const xt_mma_desc_ *d, bool with_c, xt_map *map)
{
    xt_map a = XT_ZERO_;
    *map = d->left.map;
    map->sg_data[1] = d->right.map.sg_data[1];
    if (xt_has_map_(&d->map)) *map = d->map;
    if (with_c) *map = d->sum.map;
    if (with_c && xt_has_map_(&d->map) && !xt_mma_has_map_(w, ".map", &d->map, map)) return false;
    xt_map b = a;
    if (xt_has_map_(map)) {
        a = xt_map_mma_a(map, d->left.dist.shape[1]);
        b = xt_map_mma_b(map, d->right.dist.shape[0]);
    }
    return xt_mma_has_map_(w, "a", &d->left.map, &a) && xt_mma_has_map_(w, "b", &d->right.map, &b) &&
           (!xt_has_map_(&d->a_map) || xt_mma_has_map_(w, "a", &d->left.map, &d->a_map)) &&
           (!xt_has_map_(&d->b_map) || xt_mma_has_map_(w, "b", &d->right.map, &d->b_map)) &&
           (!with_c || !xt_has_map_(&d->c_map) || xt_mma_has_map_(w, "c", &d->sum.map, &d->c_map));
}

/* Blocked operands: m x k, k x n and m x n blocks. */
XE_FN_ bool xt_mma_check_blocks_(xt_where_ w, const xt_mma_desc_ *d, bool with_c)
{
    const int *a = d->left.inner, *b = d->right.inner, *c = d->sum.inner;
    if (a[1] == b[0] && (a[0] > 0) == (b[1] > 0) && (!with_c || (c[0] == a[0] && c[1] == b[1]))) return true;
    return xt_fail_(w, XT_ERROR_BLOCKED, "XT_TILE_MMA: a has inner_blocks {%d, %d}, b {%d, %d}, c {%d, %d}", a[0], a[1],
                    b[0], b[1], c[0], c[1]);
}

/* The result of a product, after all checks; to be recorded. */
XE_FN_ xt_vec xt_product_vec_(xt_where_ w, const xt_mma_desc_ *d)
{
    bool with_c = d->sum.magic != 0;
    cm_type type = CM_F32;
    xt_map map;
    if (!xt_enter_(w) || !xt_mma_check_shapes_(w, d, with_c) || !xt_mma_check_types_(w, d, with_c, &type) ||
        !xt_mma_check_maps_(w, d, with_c, &map) || !xt_mma_check_blocks_(w, d, with_c))
        return xt_no_vec_();
    xt_vec r = xt_mapped_vec_(w, type, d->left.dist.shape[0], d->right.dist.shape[1], &map);
    xt_diverges_like_(w.x, r.id, &d->left);
    xt_diverges_like_(w.x, r.id, &d->right);
    xt_diverges_like_(w.x, r.id, &d->sum);
    return xt_blocked_(w.x, r, d->left.inner[0], d->right.inner[1]);
}

/* scales: of a and b, or NULL. */
XE_FN_ void xt_record_product_(xt_where_ w, const xt_operation_ *as, uint32_t result, const xt_mma_desc_ *d,
                               const xt_vec *const *scales)
{
    const xt_map maps[] = {d->a_map, d->b_map, d->c_map, d->map};
    xt_ids_ of = XT_ZERO_;
    xt_take_(w.x, &of, &d->sum);
    xt_take_(w.x, &of, &d->left);
    xt_take_(w.x, &of, &d->right);
    for (int i = 0; scales && i < 2; i++) xt_take_(w.x, &of, scales[i]);
    xt_record_(w, as, 0, result, &of, maps, sizeof maps);
}

xt_vec xt_tile_mma_(xt_where_ w, xt_mma_desc_ d)
{
    xt_vec r = xt_product_vec_(w, &d);
    if (r.id) xt_record_product_(w, XT_AS_(TILE_MMA), r.id, &d, NULL);
    return r;
}

/* front/scaled.c - records tile_mma_scaled, a product of blocks with scales. */

/* Scales of an operand: one for CM_SCALED values along k, distributed like it. */
XE_FN_ bool xt_check_scales_(xt_where_ w, const char *what, const xt_vec *v, int rows, int cols, const xt_map *map)
{
    char text[48];
    snprintf(text, sizeof text, "the scales of %s", what);
    if (!xt_check_vec_(w, v, text)) return false;
    if (v->type != CM_E8M0)
        return xt_fail_(w, XT_ERROR_MMA_TYPE, "%s are of %s, wanted e8m0", text, xt_type_name_((int)v->type));
    if (v->dist.shape[0] != rows || v->dist.shape[1] != cols)
        return xt_fail_(w, XT_ERROR_MMA_SHAPE, "%s are %d x %d, wanted %d x %d", text, v->dist.shape[0],
                        v->dist.shape[1], rows, cols);
    return v->inner[0] ? xt_fail_(w, XT_ERROR_BLOCKED, "%s are blocked", text)
                       : xt_map_agrees_(w, XT_ERROR_MMA_MAP, text, &v->map, map);
}

/* Values along k: an e2m1 has two. */
XE_FN_ int xt_values_(const xt_vec *left) { return left->dist.shape[1] * (left->type == CM_E2M1 ? 2 : 1); }

/* A subgroup's pieces of the operands are cut at multiples of 32 elements, but for one that is smaller. */
XE_FN_ bool xt_check_scaled_types_(xt_where_ w, const xt_vec *a, const xt_vec *b)
{
    const int values = xt_values_(a), deep = a->dist.shape[1];
    const bool small = xt_is_small_((int)a->type) && xt_is_small_((int)b->type);
    const bool half = a->type == b->type && (a->type == CM_F16 || a->type == CM_BF16);
    if (!small && !half)
        return xt_fail_(w, XT_ERROR_MMA_TYPE, "XT_TILE_MMA_SCALED: a of %s, b of %s", xt_type_name_((int)a->type),
                        xt_type_name_((int)b->type));
    return (values % CM_SCALED == 0 && (deep % CM_SCALED == 0 || values == CM_SCALED)) ||
           xt_fail_(w, XT_ERROR_MMA_SHAPE, "XT_TILE_MMA_SCALED: %d values along k, wanted a multiple of %d%s", values,
                    (int)CM_SCALED, a->type == CM_E2M1 ? ", beyond 32 of 64" : "");
}

xt_vec xt_tile_mma_scaled_(xt_where_ w, xt_scaled_desc_ d)
{
    xt_map none = XT_ZERO_, map_a = none, map_b = none;
    d.mma.sum = d.sum;
    d.mma.type = d.type;
    d.mma.map = d.map;
    xt_vec r = xt_product_vec_(w, &d.mma);
    const xt_vec *a = &d.mma.left, *b = &d.mma.right;
    if (!r.id || !xt_check_scaled_types_(w, a, b)) return xt_no_vec_();
    if (r.type != CM_F32 && r.type != CM_BF16)
        return XT_FAIL_VEC_(w, XT_ERROR_MMA_TYPE, "XT_TILE_MMA_SCALED: a result of %s", xt_type_name_((int)r.type));
    const int blocks = xt_values_(a) / CM_SCALED;
    if (xt_has_map_(&r.map)) map_a = xt_map_mma_a(&r.map, blocks), map_b = xt_map_mma_b(&r.map, blocks);
    if (!xt_check_scales_(w, "a", &d.scale_a, a->dist.shape[0], blocks, &map_a) ||
        !xt_check_scales_(w, "b", &d.scale_b, blocks, b->dist.shape[1], &map_b))
        return xt_no_vec_();
    xt_diverges_like_(w.x, r.id, &d.scale_a);
    xt_diverges_like_(w.x, r.id, &d.scale_b);
    const xt_vec *const scales[2] = {&d.scale_a, &d.scale_b};
    xt_record_product_(w, XT_AS_(TILE_MMA_SCALED), r.id, &d.mma, scales);
    return r;
}

/* front/atomics.c - records atomic_rmw. */

/* Checks types and maps: a piece shared by several subgroups would be modified several times. */
XE_FN_ bool xt_check_rmw_(xt_where_ w, xt_rmw_kind_ kind, const xt_tile *t)
{
    const xt_rmw_row_ *row = xt_rmw_row_of_(kind);
    const xt_dist *d = &t->dist;
    int takes = xt_is_float_(t->type) ? XT_RMW_FLOAT_ : xt_is_int_(t->type) ? XT_RMW_INT_ : 0;
    if (!(row->takes & takes) || (xt_is_small_(t->type) && kind != XT_RMW_assign_))
        return xt_fail_(w, XT_ERROR_ATOMIC_TYPE, "%s of %s", row->name, xt_type_name_(t->type));
    return (d->count[0] >= d->layout[0] && d->count[1] >= d->layout[1]) ||
           xt_fail_(w, XT_ERROR_ATOMIC_SHARED, "tile %d x %d of %s", d->shape[0], d->shape[1], xt_map_text_(&t->map).s);
}

xt_vec xt_atomic_rmw_(xt_where_ w, xt_rmw_kind_ kind, xt_scattered_ d)
{
    const xt_tile *t = &d.access.tile;
    const xt_vec *mask = &d.access.mask;
    xt_vec form = xt_vec_of_tile_(t);
    if (!xt_enter_(w) || !xt_check_vec_(w, &d.vec, "the vector of XT_ATOMIC_RMW") ||
        !xt_check_tile_(w, t, t->scatter || mask->magic, "the tile of XT_ATOMIC_RMW") ||
        !xt_check_store_(w, &d.vec, t) || !xt_check_mask_(w, mask, t) || !xt_check_rmw_(w, kind, t))
        return xt_no_vec_();
    xt_vec r = xt_new_vec_(w.x, t->type, &form);
    xt_diverges_at_least_(w.x, r.id, 1); /* each subgroup may see the results of others */
    xt_record_access_(w, XT_AS_(ATOMIC_RMW), (int)kind, r.id, t, mask, &d.vec, NULL);
    return r;
}

/* front/reduction.c - records reductions. */

/* For XT_REDUCTION and other operations along a dimension. */
XE_FN_ bool xt_check_reduction_(xt_where_ w, const char *what, int kind, xt_reduction_desc_ *d)
{
    const xt_red_row_ *row = xt_red_info_(kind);
    int type = (int)d->vec.type;
    if (!xt_check_operand_(w, what, &d->vec, &d->source)) return false;
    d->dim = xt_dimension_(w, what, d->dim, &d->vec);
    if (d->dim < 0) return false;
    int n = d->vec.dist.shape[d->dim];
    if (type == XT_BOOL_ || xt_is_small_(type) || !(row->takes & (xt_is_float_(type) ? XT_RMW_FLOAT_ : XT_RMW_INT_)))
        return xt_fail_(w, XT_ERROR_REDUCTION_KIND, "%s of %s", row->name, xt_type_name_(type));
    if (d->reduction_size == 0) d->reduction_size = n;
    return (d->reduction_size > 0 && n % d->reduction_size == 0) ||
           xt_fail_(w, XT_ERROR_REDUCTION_SIZE, "reduction_size %d, the dimension has %d", d->reduction_size, n);
}

XE_FN_ int xt_common_divisor_(int a, int b) { return b ? xt_common_divisor_(b, a % b) : a; }

/* The result's map: given or derived; it must fit the result. If .source is given too, data may move; else given and
 * derived must agree. */
XE_FN_ bool xt_reduction_map_(xt_where_ w, xt_reduction_desc_ *d)
{
    xt_map derived = xt_map_reduction(&d->vec.map, d->dim, d->reduction_size);
    bool split = d->vec.dist.data[d->dim] % d->reduction_size != 0;
    int shape[2] = {d->vec.dist.shape[0], d->vec.dist.shape[1]};
    xt_dist fit;
    if (!xt_has_map_(&d->map)) d->map = derived;
    if (split) derived.sg_data[d->dim] = d->map.sg_data[d->dim];
    shape[d->dim] /= d->reduction_size;
    return (xt_has_map_(&d->source) ||
            xt_map_agrees_(w, XT_ERROR_REDUCTION_MAP, ".map of XT_REDUCTION", &d->map, &derived)) &&
           xt_distribute_(w, &fit, shape[0], shape[1], &d->map);
}

XE_FN_ xt_vec xt_reduction_step_(xt_where_ w, const xt_vec *v, int kind, int dim, int size, const xt_map *map,
                                 int type)
{
    const int *n = v->dist.shape;
    xt_vec r = xt_mapped_vec_(w, (cm_type)type, dim ? n[0] : n[0] / size, dim ? n[1] / size : n[1], map);
    xt_move_ d = XT_ZERO_;
    xt_ids_ of = XT_ZERO_;
    d.dim = dim;
    d.size = size;
    xt_diverges_like_(w.x, r.id, v);
    xt_take_(w.x, &of, v);
    if (r.id) xt_record_(w, XT_AS_(REDUCE), kind, r.id, &of, &d, sizeof d);
    return r;
}

/* Groups within a subgroup's pieces are reduced there. Otherwise each subgroup reduces its part of them; then the parts
 * are redistributed, so that each subgroup has whole groups, and reduced. Until then sums and products stay f32. */
xt_vec xt_reduction_(xt_where_ w, int kind, xt_reduction_desc_ d)
{
    xt_move_ move = XT_ZERO_;
    int inner[2];
    move.given = d.map;
    move.source = d.source;
    if (!xt_check_reduction_(w, "XT_REDUCTION", kind, &d) || !xt_reduction_map_(w, &d)) return xt_no_vec_();
    move.dim = d.dim;
    move.size = d.reduction_size;
    w.x->part++;
    int part = xt_common_divisor_(d.vec.dist.data[d.dim], d.reduction_size);
    int rest = d.reduction_size / part, type = (int)d.vec.type;
    spe_arith_op op = xt_red_info_(kind)->op;
    int part_type = rest > 1 && (op == SPE_ARITH_ADD || op == SPE_ARITH_MUL) ? xt_wide_type_(type) : type;
    xt_map map = xt_map_reduction(&d.vec.map, d.dim, part);
    xt_vec result = xt_reduction_step_(w, &d.vec, kind, d.dim, part, &map, part_type);
    if (rest > 1 || !xt_same_map_(&map, &d.map)) {
        map = d.map;
        if (xt_has_map_(&map)) map.sg_data[d.dim] *= rest;
        if (result.id) result = xt_convert_to_(w, &result, &map, &result.map);
        if (rest > 1 && result.id) result = xt_reduction_step_(w, &result, kind, d.dim, rest, &d.map, type);
    }
    w.x->part--;
    for (int i = 0; i < 2; i++) inner[i] = d.vec.inner[0] ? (i == d.dim ? 1 : d.vec.inner[i]) : 0;
    return xt_rename_(w, XT_AS_(REDUCTION), kind, &d.vec, &result, &move, inner);
}

/* For operations made of others: with `size` neighbours along dim in each group (0: all), and the map that follows. */
XE_FN_ xt_vec xt_reduced_(xt_where_ w, int kind, const xt_vec *v, int dim, int size)
{
    xt_reduction_desc_ d = XT_ZERO_;
    d.vec = *v;
    d.dim = dim;
    d.reduction_size = size;
    return xt_reduction_(w, kind, d);
}

/* front/scan.c - records scans, XT_ARGMAX and XT_ARGMIN. */

/* For each element, the total of all pieces before its own: reduces pieces, scans the totals, and broadcasts them. */
XE_FN_ xt_vec xt_scan_carry_(xt_where_ w, int kind, const xt_vec *v, int dim)
{
    int size = v->dist.data[dim];
    xt_scan_desc_ scan = {xt_reduced_(w, kind, v, dim, size), dim, true};
    if (!scan.vec.id) return scan.vec;
    xt_map each = scan.vec.map, whole = each;
    whole.sg_data[dim] = scan.vec.dist.shape[dim];
    scan.vec = xt_convert_to_(w, &scan.vec, &whole, &each);
    xt_vec carry = xt_scan_vec_(w, kind, scan);
    if (!carry.id) return carry;
    carry = xt_convert_to_(w, &carry, &each, &carry.map);
    return xt_repeat_(w, &carry, dim, v->dist.shape[dim], size, &v->map);
}

xt_vec xt_scan_vec_(xt_where_ w, int kind, xt_scan_desc_ d)
{
    const xt_cast_desc_ as_usual = {true};
    xt_reduction_desc_ check = XT_ZERO_;
    xt_move_ of = XT_ZERO_;
    int type = (int)d.vec.type;
    xt_vec plain = d.vec, before = XT_ZERO_;
    xt_ids_ operands = XT_ZERO_;
    check.vec = d.vec;
    check.dim = d.dim;
    if (!xt_check_reduction_(w, "XT_SCAN", kind, &check)) return xt_no_vec_();
    if (d.vec.dist.data[check.dim] < d.vec.dist.shape[check.dim]) {
        if (xt_wide_type_(type) != (int)xt_storage_type_((cm_type)type)) { /* rounded once */
            d.vec = xt_cast_vec_(w, xt_wide_type_(type), xt_any_vec_(d.vec), as_usual);
            return xt_cast_vec_(w, type, xt_any_vec_(xt_scan_vec_(w, kind, d)), as_usual);
        }
        plain.inner[0] = plain.inner[1] = 0;
        before = xt_scan_carry_(w, kind, &plain, check.dim);
        if (!before.id) return xt_no_vec_();
    }
    xt_take_(w.x, &operands, &d.vec);
    xt_take_(w.x, &operands, &before);
    of.dim = check.dim;
    of.exclusive = d.exclusive;
    plain = xt_new_vec_(w.x, d.vec.type, &d.vec);
    xt_record_(w, XT_AS_(SCAN), kind, plain.id, &operands, &of, sizeof of);
    return plain;
}

/* Finds the extreme value, then the first element equal to it. If there is none, all are NaN: takes the last, which is
 * where the search for the least index begins. */
xt_vec xt_arg_(xt_where_ w, bool largest, xt_arg_desc_ d)
{
    int type = (int)d.vec.type, kind = largest ? XT_RED_maxnumf_ : XT_RED_minnumf_;
    xt_reduction_desc_ check = XT_ZERO_;
    if (type < XT_BOOL_ && xt_is_int_(type))
        kind =
            xt_is_signed_(type) ? (largest ? XT_RED_maxsi_ : XT_RED_minsi_) : (largest ? XT_RED_maxui_ : XT_RED_minui_);
    check.vec = d.vec;
    check.dim = d.dim;
    if (!xt_check_reduction_(w, largest ? "XT_ARGMAX" : "XT_ARGMIN", kind, &check)) return xt_no_vec_();
    if (d.vec.inner[0])
        return XT_FAIL_VEC_(w, XT_ERROR_BLOCKED, "%s of a 4-D vector: XT_TILE_UNPACK first",
                            largest ? "XT_ARGMAX" : "XT_ARGMIN");
    int size = d.vec.dist.shape[d.dim];
    xt_vec best = xt_reduced_(w, kind, &d.vec, d.dim, 0), back = xt_repeat_(w, &best, d.dim, size, 0, &d.vec.map);
    xt_any_ all[3] = {xt_any_vec_(d.vec), xt_any_vec_(xt_positions_(w, CM_I32, d.dim, &d.vec)), xt_any_int_(size - 1)};
    all[0] = xt_any_vec_(xt_binary_pair_(w, SPE_ARITH_EQ, all[0], xt_any_vec_(back)));
    xt_vec at = xt_select_vec_(w, all);
    at = xt_reduced_(w, XT_RED_minsi_, &at, d.dim, 0);
    if (xt_has_map_(&d.map) && at.id) at = xt_convert_to_(w, &at, &d.map, &at.map);
    if (xt_has_map_(&d.map) && best.id) best = xt_convert_to_(w, &best, &d.map, &best.map);
    if (d.value) *d.value = best;
    return at;
}

/* front/top.c - records XT_TOP: made of XT_ARGMAX, one after the other, each without what the others found. */

/* `count` columns: in column i what `one`, a column, has; elsewhere what `all` has; all.id 0: nothing yet. */
XE_FN_ xt_vec xt_with_column_(xt_where_ w, xt_vec all, xt_vec one, int count, int i)
{
    xt_map map = one.map;
    map.sg_data[1] = xt_has_map_(&map) ? count : 0;
    one = xt_repeat_(w, &one, 1, count, 0, &map);
    if (i == 0 || !one.id) return one;
    xt_vec here = xt_positions_(w, CM_I32, 1, &one);
    here = xt_binary_pair_(w, SPE_ARITH_EQ, xt_any_vec_(here), xt_any_int_(i));
    const xt_any_ sides[3] = {xt_any_vec_(here), xt_any_vec_(one), xt_any_vec_(all)};
    return xt_select_vec_(w, sides);
}

xt_vec xt_top_(xt_where_ w, xt_top_desc_ d)
{
    xt_vec left = d.vec, found = xt_no_vec_(), values = xt_no_vec_(), best;
    xt_arg_desc_ next = XT_ZERO_;
    if (!xt_check_operand_(w, "XT_TOP", &d.vec, NULL)) return xt_no_vec_();
    if (!xt_is_float_((int)d.vec.type))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_TOP of %s, wanted floats", xt_type_name_((int)d.vec.type));
    if (d.count < 1 || d.count > d.vec.dist.shape[1])
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_SHAPE, "XT_TOP: %d of %d columns", d.count, d.vec.dist.shape[1]);
    xt_any_ nan = xt_any_real_(spe_real_of_bits(SPE_IEEE, 16, 0x7e00)); /* which XT_ARGMAX ignores */
    next.dim = 1;
    next.value = &best;
    xt_vec columns = xt_positions_(w, CM_I32, 1, &d.vec);
    for (int i = 0; i < d.count; i++) {
        next.vec = left;
        xt_vec at = xt_arg_(w, true, next);
        if (!at.id) return at;
        found = xt_with_column_(w, found, at, d.count, i);
        values = xt_with_column_(w, values, best, d.count, i);
        xt_vec taken = xt_binary_pair_(w, SPE_ARITH_EQ, xt_any_vec_(columns), xt_any_vec_(at));
        const xt_any_ sides[3] = {xt_any_vec_(taken), nan, xt_any_vec_(left)};
        left = xt_select_vec_(w, sides);
    }
    if (d.value) *d.value = values;
    return found;
}

/* front/logsumexp.c - records XT_LOGSUMEXP: made of reductions and elementwise operations. */

xt_vec xt_logsumexp_(xt_where_ w, xt_vec v, int dim)
{
    if (!xt_check_operand_(w, "XT_LOGSUMEXP", &v, NULL)) return xt_no_vec_();
    if (!xt_is_float_((int)v.type))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_LOGSUMEXP of %s, wanted floats", xt_type_name_((int)v.type));
    xt_any_ most = xt_any_vec_(xt_reduced_(w, XT_RED_maxnumf_, &v, dim, 0));
    if (!most.vec.id) return most.vec;
    /* The largest element is taken out, so that no exponential overflows; not if it is infinite: inf - inf is NaN. */
    xt_any_ size = xt_any_vec_(xt_math_vec_(w, XT_MATH_ABS_, &most));
    xt_any_ infinite = xt_any_real_(spe_real_of_bits(SPE_IEEE, 16, 0x7c00));
    const xt_any_ sides[3] = {xt_any_vec_(xt_binary_pair_(w, SPE_ARITH_LT, size, infinite)), most, xt_any_real_(0)};
    xt_any_ out = xt_any_vec_(xt_select_vec_(w, sides));
    xt_any_ power = xt_any_vec_(xt_binary_pair_(w, SPE_ARITH_SUB, xt_any_vec_(v), out));
    xt_vec powers = xt_math_vec_(w, XT_MATH_EXP_, &power);
    xt_any_ sum = xt_any_vec_(xt_reduced_(w, XT_RED_add_, &powers, dim, 0));
    return xt_binary_pair_(w, SPE_ARITH_ADD, out, xt_any_vec_(xt_math_vec_(w, XT_MATH_LOG_, &sum)));
}

/* front/widths.c - records XT_BITCAST, also between elements of different sizes: neighbours in a row become one, or an
 * element becomes several. It is made of other operations, on unsigned integers. */

XE_FN_ int xt_unsigned_of_(int bits) { return bits == 8 ? CM_U8 : bits == 16 ? CM_U16 : bits == 32 ? CM_U32 : CM_U64; }

/* For each element of a vector, in its type: the position, in bits, among `count` neighbours along dim that make one
 * element, of `bits` bits each. */
XE_FN_ xt_vec xt_bit_positions_(xt_where_ w, const xt_vec *like, int dim, int count, int bits)
{
    xt_vec at = xt_positions_(w, (int)like->type, dim, like);
    at = xt_binary_pair_(w, SPE_ARITH_AND, xt_any_vec_(at), xt_any_int_(count - 1));
    return xt_binary_pair_(w, SPE_ARITH_MUL, xt_any_vec_(at), xt_any_int_(bits));
}

/* Makes one element of `count` neighbours along dim: each is shifted to its place, and they are or-ed. */
XE_FN_ xt_vec xt_join_neighbours_(xt_where_ w, const xt_vec *v, int dim, int type, int count)
{
    const xt_cast_desc_ as_usual = {true};
    xt_vec wide = xt_cast_vec_(w, type, xt_any_vec_(*v), as_usual);
    xt_vec places = xt_bit_positions_(w, &wide, dim, count, xt_bits_(type) / count);
    wide = xt_binary_pair_(w, SPE_ARITH_SHL, xt_any_vec_(wide), xt_any_vec_(places));
    return xt_reduced_(w, XT_RED_or_, &wide, dim, count);
}

/* Takes each element apart into `count` neighbours along dim: it is repeated, and each copy shifted to its part. */
XE_FN_ xt_vec xt_split_elements_(xt_where_ w, const xt_vec *v, int dim, int type, int count)
{
    const xt_cast_desc_ as_usual = {true};
    xt_map map = v->map;
    map.sg_data[dim] *= count;
    xt_vec all = xt_repeat_(w, v, dim, v->dist.shape[dim] * count, count, &map);
    if (!all.id) return all;
    xt_vec places = xt_bit_positions_(w, &all, dim, count, xt_bits_((int)v->type) / count);
    all = xt_binary_pair_(w, SPE_ARITH_SHR, xt_any_vec_(all), xt_any_vec_(places));
    return xt_cast_vec_(w, type, xt_any_vec_(all), as_usual);
}

/* Whole elements: in the vector, and in each subgroup's piece of it. */
XE_FN_ bool xt_check_widths_(xt_where_ w, const xt_vec *v, int type, int count)
{
    const char *from = xt_type_name_((int)v->type), *to = xt_type_name_(type);
    if (v->inner[0])
        return xt_fail_(w, XT_ERROR_BLOCKED, "XT_BITCAST from %s to %s of a 4-D vector: XT_TILE_UNPACK first", from,
                        to);
    if (v->dist.shape[1] % count)
        return xt_fail_(w, XT_ERROR_BITCAST, "from %s to %s, %d columns: not a multiple of %d", from, to,
                        v->dist.shape[1], count);
    return v->dist.data[1] % count == 0 ||
           xt_fail_(w, XT_ERROR_BITCAST, "from %s to %s, sg_data {%d, %d}: columns not a multiple of %d", from, to,
                    v->dist.data[0], v->dist.data[1], count);
}

xt_vec xt_bitcast_vec_(xt_where_ w, int type, xt_any_ a)
{
    static const int whole[2] = {0, 0};
    int from = (int)a.vec.type;
    const xt_move_ d = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_vec_(w, &a.vec, "the operand of XT_BITCAST")) return xt_no_vec_();
    if (type == XT_BOOL_ || from == XT_BOOL_)
        return XT_FAIL_VEC_(w, XT_ERROR_BITCAST, "from %s to %s", xt_type_name_(from), xt_type_name_(type));
    int has = xt_bits_(from), wanted = xt_bits_(type);
    if (has == wanted) return xt_reinterpret_(w, type, &a.vec);
    if (has < wanted && !xt_check_widths_(w, &a.vec, type, wanted / has)) return xt_no_vec_();
    if (has > wanted && !xt_check_widths_(w, &a.vec, type, 1)) return xt_no_vec_();
    w.x->part++;
    xt_vec r = xt_reinterpret_(w, xt_unsigned_of_(has), &a.vec);
    r = has < wanted ? xt_join_neighbours_(w, &r, 1, xt_unsigned_of_(wanted), wanted / has)
                     : xt_split_elements_(w, &r, 1, xt_unsigned_of_(wanted), has / wanted);
    if (r.id) r = xt_reinterpret_(w, type, &r);
    w.x->part--;
    return xt_rename_(w, XT_AS_(BITCAST_WIDTH), 0, &a.vec, &r, &d, whole);
}

/* front/quantize.c - records the operations of OCP's Microscaling Formats that others make up: two e2m1 a byte, and
 * blocks of elements with a scale. */

XE_FN_ bool xt_check_pairs_(xt_where_ w, const char *what, const xt_vec *v, int dim, int count)
{
    if (!xt_check_operand_(w, what, v, NULL)) return false;
    if (dim != 0 && dim != 1) return xt_fail_(w, XT_ERROR_VEC_DIM, "%s along dimension %d", what, dim);
    if (v->inner[0]) return xt_fail_(w, XT_ERROR_BLOCKED, "%s of a 4-D vector: XT_TILE_UNPACK first", what);
    return v->dist.data[dim] % count == 0 ||
           xt_fail_(w, XT_ERROR_VEC_SHAPE, "%s along dimension %d, where a subgroup has %d: not a multiple of %d", what,
                    dim, v->dist.data[dim], count);
}

XE_FN_ bool xt_is_real_(cm_type type) { return type == CM_F32 || type == CM_F16 || type == CM_BF16; }

xt_vec xt_to_e2m1_(xt_where_ w, xt_vec v, int dim)
{
    if (!xt_check_pairs_(w, "XT_TO_E2M1", &v, dim, 2)) return xt_no_vec_();
    if (!xt_is_real_(v.type))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_TO_E2M1 of %s", xt_type_name_((int)v.type));
    xt_vec half = xt_cast_each_(w, CM_E2M1, &v);
    half = xt_reinterpret_(w, CM_U8, &half);
    xt_vec both = xt_join_neighbours_(w, &half, dim, CM_U8, 2);
    return both.id ? xt_reinterpret_(w, CM_E2M1, &both) : both;
}

xt_vec xt_from_e2m1_(xt_where_ w, int type, xt_vec v, int dim)
{
    if (!xt_check_pairs_(w, "XT_FROM_E2M1", &v, dim, 1)) return xt_no_vec_();
    if (v.type != CM_E2M1 || !xt_is_real_((cm_type)type))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_FROM_E2M1 from %s to %s", xt_type_name_((int)v.type),
                            xt_type_name_(type));
    xt_vec bytes = xt_reinterpret_(w, CM_U8, &v), halves = xt_split_elements_(w, &bytes, dim, CM_U8, 2);
    if (!halves.id) return halves;
    halves = xt_reinterpret_(w, CM_E2M1, &halves);
    return xt_cast_each_(w, type, &halves);
}

XE_FN_ xt_vec xt_by_int_(xt_where_ w, int op, const xt_vec *v, int number)
{
    return xt_binary_pair_(w, op, xt_any_vec_(*v), xt_any_int_(number));
}

/* e8m0 of the largest |x| of each block, as i32: its exponent less that of the type's largest number, at least 0; 255,
 * NaN, of infinity and NaN. */
XE_FN_ xt_vec xt_block_scales_(xt_where_ w, const xt_vec *v, int dim, int exponent)
{
    const xt_any_ operand = xt_any_vec_(*v);
    xt_vec most = xt_math_vec_(w, XT_MATH_ABS_, &operand);
    most = xt_reduced_(w, XT_RED_maximumf_, &most, dim, CM_SCALED);
    if (!most.id) return most;
    xt_vec bits = xt_reinterpret_(w, CM_I32, &most);
    xt_vec scale = xt_by_int_(w, SPE_ARITH_SHR, &bits, 23);
    scale = xt_by_int_(w, SPE_ARITH_SUB, &scale, exponent);
    scale = xt_by_int_(w, SPE_ARITH_MAX, &scale, 0);
    const xt_any_ sides[3] = {xt_any_vec_(xt_by_int_(w, SPE_ARITH_GE, &bits, 0x7f800000)), xt_any_int_(SPE_E8M0_NAN),
                              xt_any_vec_(scale)};
    return xt_select_vec_(w, sides);
}

/* x / 2^(scale - 127), by two factors, each a normal number. */
XE_FN_ xt_vec xt_unscaled_(xt_where_ w, xt_vec x, const xt_vec *scale, int dim)
{
    xt_vec inverse = xt_binary_pair_(w, SPE_ARITH_SUB, xt_any_int_(254), xt_any_vec_(*scale));
    for (int i = 0; i < 2; i++) {
        xt_vec part = xt_by_int_(w, SPE_ARITH_ADD, &inverse, i);
        part = xt_by_int_(w, SPE_ARITH_SHR, &part, 1);
        part = xt_by_int_(w, SPE_ARITH_ADD, &part, 64 - i);
        part = xt_by_int_(w, SPE_ARITH_SHL, &part, 23);
        part = xt_reinterpret_(w, CM_F32, &part);
        part = xt_repeat_(w, &part, dim, x.dist.shape[dim], CM_SCALED, &x.map);
        x = xt_binary_pair_(w, SPE_ARITH_MUL, xt_any_vec_(x), xt_any_vec_(part));
        if (!x.id) return x;
    }
    return x;
}

xt_vec xt_quantize_(xt_where_ w, int type, xt_quantize_desc_ d)
{
    const int exponent = type == CM_E4M3 ? 8 : type == CM_E5M2 ? 15 : 2; /* of the type's largest number */
    const xt_cast_desc_ saturating = {true};
    if (!xt_check_pairs_(w, "XT_QUANTIZE", &d.vec, d.dim, CM_SCALED)) return xt_no_vec_();
    if (!xt_is_real_(d.vec.type) || !(type == CM_E4M3 || type == CM_E5M2 || type == CM_E2M1))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_QUANTIZE from %s to %s", xt_type_name_((int)d.vec.type),
                            xt_type_name_(type));
    xt_vec x = xt_cast_vec_(w, CM_F32, xt_any_vec_(d.vec), saturating);
    xt_vec scale = xt_block_scales_(w, &x, d.dim, exponent);
    if (!scale.id) return scale;
    xt_vec bytes = xt_cast_vec_(w, CM_U8, xt_any_vec_(scale), saturating);
    if (d.scales) *d.scales = xt_reinterpret_(w, CM_E8M0, &bytes);
    x = xt_unscaled_(w, x, &scale, d.dim);
    if (!x.id) return x;
    return type == CM_E2M1 ? xt_to_e2m1_(w, x, d.dim) : xt_cast_vec_(w, type, xt_any_vec_(x), saturating);
}

/* front/user_operations.c - records users' own operations, written with the lower headers. */

xt_val xt_emit_(xt_where_ w, int type, xt_emit_fn fn, void *user, xt_index operands)
{
    const xt_users_fn_ users = {fn, NULL, user};
    xt_ids_ d = XT_ZERO_;
    if (!xt_enter_(w)) return xt_nothing_();
    if (operands.count > 8)
        return XT_FAIL_NUMBER_(w, XT_ERROR_SCALAR_TYPE, "XT_EMIT of %d numbers, at most 8", operands.count);
    for (int i = 0; i < operands.count; i++)
        if (!xt_check_value_(w, &operands.at[i], "an operand of XT_EMIT"))
            return xt_nothing_();
        else if (!spe_val_is_set(&operands.at[i]))
            return XT_FAIL_NUMBER_(w, XT_ERROR_UNSET, "an operand of XT_EMIT");
    xt_val v = spe_val_of(SPE_SCALAR, type, xt_new_value_(w.x));
    d.type = type;
    for (int i = 0; i < operands.count; i++) {
        xt_take_(w.x, &d, &operands.at[i]);
        xt_diverges_at_least_(w.x, v.id, xt_divergence_of_(w.x, &operands.at[i]));
    }
    xt_record_(w, XT_AS_(EMIT), 0, v.id, &d, &users, sizeof users);
    return v;
}

xt_vec xt_emit_vec_(xt_where_ w, int type, xt_emit_block_fn fn, void *user, const xt_vec operands[3])
{
    static const xt_same_errors_ errors = {XT_ERROR_VEC_SHAPE, 0, XT_ERROR_BLOCKED, XT_ERROR_MAP_DIFFERS};
    const xt_users_fn_ users = {NULL, fn, user};
    xt_ids_ d = XT_ZERO_;
    int n;
    if (!xt_enter_(w)) return xt_no_vec_();
    for (n = 0; n == 0 || (n < 3 && operands[n].magic); n++)
        if (!xt_check_vec_(w, &operands[n], "an operand of XT_EMIT_VEC") ||
            !xt_check_same_(w, &errors, "XT_EMIT_VEC", &operands[0], "the other", &operands[n]))
            return xt_no_vec_();
    for (int i = 0; i < n; i++) xt_take_(w.x, &d, &operands[i]);
    xt_vec v = xt_new_vec_(w.x, (cm_type)type, operands);
    while (n-- > 1) xt_diverges_like_(w.x, v.id, &operands[n]);
    xt_record_(w, XT_AS_(EMIT_VEC), 0, v.id, &d, &users, sizeof users);
    return v;
}

/* front/element.c - records single numbers: load, store, elements of vectors; any and all of a mask; random numbers. */

XE_FN_ bool xt_check_element_(xt_where_ w, const xt_val *base, const xt_val *index, const char *what)
{
    if (xt_is_lost_(base) || xt_is_lost_(index)) return false;
    if (base->magic != SPE_VAL_MAGIC || base->kind != SPE_POINTER)
        return xt_fail_(w, XT_ERROR_POINTER, "the base of %s is %s", what, xt_describe_(base).s);
    return xt_check_value_(w, base, "the base") &&
           ((index->kind == SPE_SCALAR && xt_is_int_(index->type) && xt_bits_(index->type) == 64) ||
            xt_check_index_(w, index, "the index"));
}

/* given: the base and the index. */
xt_val xt_load_(xt_where_ w, const xt_val *given)
{
    xt_ids_ n = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_element_(w, &given[0], &given[1], "XT_LOAD")) return xt_nothing_();
    n.type = xt_number_type_(given[0].type);
    for (int i = 0; i < 2; i++) xt_take_(w.x, &n, &given[i]);
    return xt_record_number_(w, XT_AS_(LOAD), 0, n.type, 1, &n);
}

/* given: the number, the base and the index, or the base first, which tells itself by being a pointer. */
void xt_store_(xt_where_ w, const xt_val *given)
{
    int base = given[0].magic == SPE_VAL_MAGIC && given[0].kind == SPE_POINTER ? 0 : 1;
    xt_val v[3] = {given[base], given[base + 1], given[base ? 0 : 2]};
    xt_ids_ n = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_element_(w, &v[0], &v[1], "XT_STORE")) return;
    n.type = xt_number_type_(v[0].type);
    if (v[0].type == CM_BF16) v[2] = xt_unrounded_(w, v[2]);
    if (!xt_check_type_(w, &v[2], n.type, "the number of XT_STORE")) return;
    for (int i = 0; i < 3; i++) xt_take_(w.x, &n, &v[i]);
    xt_record_(w, XT_AS_(STORE), 0, 0, &n, NULL, 0);
}

/* Broadcasts the element to all subgroups first, then to all their lanes. */
xt_val xt_element_(xt_where_ w, xt_vec v, int row, int col)
{
    xt_ids_ d = XT_ZERO_;
    xt_slice_desc_ s = {v, row, col, 1, 1, v.map};
    if (xt_has_map_(&s.map)) s.map.sg_data[0] = s.map.sg_data[1] = 1;
    const xt_vec one = xt_slice_(w, s);
    if (!one.id) return xt_nothing_();
    xt_take_(w.x, &d, &one);
    return xt_record_number_(w, XT_AS_(ELEMENT), 0, xt_number_type_((int)v.type), 1, &d);
}

xt_val xt_all_(xt_where_ w, xt_vec v, bool all)
{
    const xt_cast_desc_ as_usual = {true};
    if (!xt_enter_(w) || !xt_check_vec_(w, &v, all ? "the mask of XT_ALL" : "the mask of XT_ANY")) return xt_nothing_();
    if ((int)v.type != XT_BOOL_)
        return XT_FAIL_NUMBER_(w, XT_ERROR_CONDITION, "%s of a vector of %s", all ? "XT_ALL" : "XT_ANY",
                               xt_type_name_((int)v.type));
    v.inner[0] = v.inner[1] = 0;
    v = xt_cast_vec_(w, CM_I32, xt_any_vec_(v), as_usual);
    for (int dim = 0; dim < 2; dim++) v = xt_reduced_(w, all ? XT_RED_and_ : XT_RED_or_, &v, dim, 0);
    return v.id ? xt_binary_number_(w, SPE_ARITH_NE, xt_element_(w, v, 0, 0), spe_val_int(0)) : xt_nothing_();
}

/* ---- random numbers: Philox2x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3) ----- */

/* given: the seed and the index. */
xt_val xt_random_scalar_(xt_where_ w, const xt_any_ *given)
{
    xt_val v[2];
    if (!xt_enter_(w) || !xt_check_index_(w, &given[0].val, "the seed of XT_RANDOM") ||
        !xt_check_index_(w, &given[1].val, "the index of XT_RANDOM"))
        return xt_nothing_();
    for (int i = 0; i < 2; i++) v[i] = xt_cast_number_(w, CM_U32, &given[i].val);
    return xt_emit_(w, CM_U32, xt_random_id_, NULL, xt_at_(2, v));
}

XE_FN_ xt_any_ xt_as_u32_(xt_where_ w, const xt_any_ *v)
{
    return v->is_vec ? xt_any_vec_(xt_bitcast_vec_(w, CM_U32, *v)) : xt_any_val_(xt_cast_number_(w, CM_U32, &v->val));
}

xt_vec xt_random_vec_(xt_where_ w, const xt_any_ *given)
{
    const xt_vec *like = given[0].is_vec ? &given[0].vec : &given[1].vec;
    xt_vec v[3];
    memset(v, 0, sizeof v);
    if (!xt_enter_(w) || !xt_check_vec_(w, like, "an operand of XT_RANDOM")) return xt_no_vec_();
    xt_any_ seed = xt_as_u32_(w, &given[0]);
    xt_any_ index = xt_as_u32_(w, &given[1]);
    like = seed.is_vec ? &seed.vec : &index.vec;
    if (!like->id) return xt_no_vec_();
    v[0] = xt_like_(w, &seed, like);
    v[1] = xt_like_(w, &index, like);
    return xt_emit_vec_(w, CM_U32, xt_random_block_, NULL, v);
}

/* front/carried.c - carried values: the &x arguments of XT_FOR, XT_WHILE and XT_IF. */

/* The value of the variable at a carried pointer, which must be set and in scope; 0 after an error. The next node uses
 * it. */
XE_FN_ uint32_t xt_read_(xt_where_ w, const void *object, int number)
{
    char what[40];
    xt_object_ t;
    bool good;
    memcpy(&t.magic, object, sizeof t.magic);
    memcpy(&t, object, xt_object_size_(t.magic));
    snprintf(what, sizeof what, "number %d of the list", number + 1);
    switch (t.magic) {
    case XT_TILE_MAGIC_: good = t.tile.number < 0 || xt_check_scope_(w, t.tile.scope, what); break;
    case XT_VEC_MAGIC_: good = !t.vec.id || xt_check_vec_(w, &t.vec, what); break;
    case SPE_VAL_MAGIC: good = xt_is_lost_(&t.val) || xt_check_value_(w, &t.val, what); break;
    default: good = xt_fail_(w, XT_ERROR_CARRIED, "%s is something else, or was never set", what);
    }
    if (!good) return 0;
    uint32_t id = xt_value_of_(w.x, object);
    xt_note_use_(w.x, id, w.x->nodes.count);
    return id;
}

XE_FN_ xt_text_ xt_describe_carried_(const xt_object_ *t)
{
    bool vec = t->magic == XT_VEC_MAGIC_;
    xt_vec v = vec ? t->vec : xt_vec_of_tile_(&t->tile);
    xt_text_ text;
    if (t->magic == SPE_VAL_MAGIC)
        snprintf(text.s, sizeof text.s, "%s", xt_type_name_(xt_carried_type_(&t->val)));
    else
        snprintf(text.s, sizeof text.s, "%s %d x %d of %s%s%.79s", vec ? "vector" : "tile", v.dist.shape[0],
                 v.dist.shape[1], xt_type_name_((int)v.type), xt_has_map_(&v.map) ? " with " : "",
                 xt_has_map_(&v.map) ? xt_map_text_(&v.map).s : "");
    return text;
}

XE_FN_ bool xt_same_shape_(const xt_vec *a, const xt_vec *b)
{
    return a->type == b->type && xt_same_map_(&a->map, &b->map) &&
           memcmp(a->dist.shape, b->dist.shape, sizeof a->dist.shape) == 0;
}

XE_FN_ bool xt_same_kind_(const xt_object_ *a, const xt_object_ *b)
{
    if (a->magic != b->magic) return false;
    if (a->magic == XT_VEC_MAGIC_) return xt_same_shape_(&a->vec, &b->vec);
    if (a->magic == XT_TILE_MAGIC_) {
        xt_vec p = xt_vec_of_tile_(&a->tile), q = xt_vec_of_tile_(&b->tile);
        return xt_same_shape_(&p, &q) && memcmp(p.inner, q.inner, sizeof p.inner) == 0 &&
               a->tile.column_major == b->tile.column_major && a->tile.scatter == b->tile.scatter &&
               a->tile.inside == b->tile.inside && a->tile.step == b->tile.step &&
               a->tile.base.local == b->tile.base.local &&
               (!a->tile.scatter || a->tile.offsets.type == b->tile.offsets.type);
    }
    int s = xt_carried_type_(&a->val);
    int t = xt_carried_type_(&b->val);
    if (a->val.kind == SPE_POINTER || b->val.kind == SPE_POINTER) return a->val.kind == b->val.kind && s == t;
    if (s == t || (b->val.kind == SPE_INT && xt_is_float_(s))) return true;
    return xt_is_int_(s) && xt_is_int_(t) && (b->val.kind == SPE_INT || xt_bits_(s) == xt_bits_(t));
}

XE_FN_ bool xt_is_lost_carried_(const xt_object_ *t)
{
    if (t->magic == XT_TILE_MAGIC_) return t->tile.number < 0;
    return t->magic == XT_VEC_MAGIC_ ? !t->vec.id : xt_is_lost_(&t->val);
}

/* "a carried value whose type changes" */
XE_FN_ bool xt_check_carried_(xt_where_ w, uint32_t before, uint32_t at_end, int number)
{
    const xt_object_ *start = xt_object_of_(w.x, before), *now = xt_object_of_(w.x, at_end);
    if (xt_is_lost_carried_(start) || xt_is_lost_carried_(now) || xt_same_kind_(start, now)) return true;
    return xt_fail_(w, XT_ERROR_CARRIED_TYPE, "number %d of the list came in as %s, is %s at the end", number + 1,
                    xt_describe_carried_(start).s, xt_describe_carried_(now).s);
}

/* A mask of the scalars that differ, and of the vector if it does. */
XE_FN_ uint32_t xt_differences_(xt_ctx *x, uint32_t first, uint32_t second)
{
    const xt_object_ *a = xt_object_of_(x, first), *b = xt_object_of_(x, second);
    const xt_vec *v = xt_vec_in_(a), *u = xt_vec_in_(b);
    uint32_t mask = v && u && v->id != u->id ? XT_VEC_CHANGES_ : 0;
    const xt_val *p;
    for (int i = 0; (p = xt_scalar_of_(a, i)) != NULL; i++)
        if (!xt_same_scalar_(p, xt_scalar_of_(b, i))) mask |= 1u << i;
    return mask;
}

/* Makes a new value of a scalar that changes. Folded constants have a scope instead. */
XE_FN_ void xt_renew_number_(xt_ctx *x, xt_val *v, bool changes)
{
    if (!changes && v->kind < SPE_SCALAR) v->note = x->scope;
    if (!changes || !spe_ok(&x->m)) return;
    int divergence = xt_divergence_of_(x, v);
    *v = xt_carried_as_(v, xt_further_value_(x));
    xt_value_at_(x, v->id)->divergence = divergence;
}

XE_FN_ void xt_renew_vec_(xt_ctx *x, xt_vec *v)
{
    int divergence = xt_value_at_(x, v->id)->divergence;
    v->id = xt_further_value_(x);
    xt_diverges_at_least_(x, v->id, divergence);
    xt_value_of_(x, v);
}

/* Sets a variable to a carried value in which the scalars and the vector in the mask are new ones. Returns what it is
 * then. */
XE_FN_ uint32_t xt_renew_(xt_ctx *x, void *object, uint32_t of, uint32_t mask)
{
    xt_object_ t;
    xt_copy_object_(&t, xt_object_of_(x, of));
    if (t.magic == SPE_VAL_MAGIC) xt_renew_number_(x, &t.val, mask & 1);
    if (t.magic == XT_VEC_MAGIC_ && (mask & XT_VEC_CHANGES_)) xt_renew_vec_(x, &t.vec);
    if (t.magic == XT_TILE_MAGIC_) {
        xt_val *const all[XT_COMPONENTS_] = {&t.tile.offset[0], &t.tile.offset[1], &t.tile.shape[0],
                                             &t.tile.shape[1],  &t.tile.pitch,     &t.tile.base};
        if (mask) t.tile.id = xt_further_value_(x);
        for (int i = 0; i < XT_COMPONENTS_; i++) xt_renew_number_(x, all[i], mask >> i & 1);
        t.tile.scope = x->scope;
        if (t.tile.scatter && (mask & XT_VEC_CHANGES_)) xt_renew_vec_(x, &t.tile.offsets);
    }
    xt_copy_object_(object, &t);
    return xt_value_of_(x, &t);
}

/* front/control.c - records regions and barriers. */

/* Records the beginning of a region and reads its carried values. */
XE_FN_ xt_frame_ *xt_open_(xt_where_ w, spe_region *r, const xt_operation_ *as, void *const *objects)
{
    xt_op_ op = as->op;
    xt_ctx *x = w.x;
    if (!spe_region_open(r, xt_operation_name_(op), w.at->file, w.at->line)) return NULL;
    xt_frame_ *f = x->frames[r->depth - 1] = (xt_frame_ *)xt_memory_(x, sizeof *f);
    if (!f) return NULL;
    f->op = op;
    f->in = r->depth > 1 ? x->frames[r->depth - 2] : NULL;
    f->begin = x->nodes.count;
    f->divergence = x->divergence;
    while (objects[f->slots]) f->slots++;
    f->slot = (xt_slot_ *)xt_memory_(x, (size_t)f->slots * sizeof *f->slot);
    for (int i = 0; f->slot && i < f->slots; i++) {
        f->slot[i].object = objects[i];
        f->slot[i].start = xt_read_(w, objects[i], i);
        if (!f->slot[i].start) f->slots = i;
    }
    xt_record_(w, as, 0, 0, NULL, f, 0);
    if (op != XT_OP_IF_ && !x->again) { /* see xt_walk_again_ */
        r->twice = true;
        r->sides = 2;
    }
    f->outer = x->scope;
    f->scope = x->scope = xt_new_scope_(w, op);
    return spe_ok(&x->m) ? f : NULL;
}

/* Control flow in a region depends on this number. */
XE_FN_ void xt_depends_on_(xt_ctx *x, const xt_val *v)
{
    if (xt_divergence_of_(x, v) > x->divergence) x->divergence = xt_divergence_of_(x, v);
}

/* From here on, values belong to one side of the region, or to one walk through a loop's body. */
XE_FN_ void xt_side_begins_(xt_where_ w, xt_frame_ *f)
{
    w.x->scope = f->side = xt_new_scope_(w, f->op);
    f->first = w.x->nodes.count;
}

/* Reads the carried values at the end of a side and checks their types; after an error, restores them. */
XE_FN_ void xt_read_now_(xt_where_ w, xt_frame_ *f)
{
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        s->now = xt_read_(w, s->object, i);
        if (!s->now || !xt_check_carried_(w, s->start, s->now, i)) s->now = s->start;
    }
}

enum { XT_ALL_CHANGES_ = XT_VEC_CHANGES_ * 2 - 1 };

/* Sets a region's variable to one of its values. */
XE_FN_ void xt_set_variable_(xt_ctx *x, const xt_slot_ *s, uint32_t value)
{
    xt_copy_object_(s->object, xt_object_of_(x, value));
}

/* At the top of a loop's body, carried values are unknown. */
XE_FN_ void xt_loop_values_(xt_ctx *x, xt_frame_ *f)
{
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        s->body = xt_renew_(x, s->object, s->start, XT_ALL_CHANGES_);
    }
}

/* ---- XT_FOR ------------------------------------------------------------------------------------------------------ */

/* Rewrites a loop that may count down to count its (hi - lo + step -+ 1) / step iterations from 0. */
XE_FN_ void xt_count_iterations_(xt_where_ w, xt_val *lo, xt_val *hi, xt_val *step)
{
    xt_val from = *lo, to = *hi, by = *step, one = spe_val_int(-1);
    if (from.kind == SPE_SCALAR) from = xt_cast_number_(w, CM_I32, &from);
    if (to.kind == SPE_SCALAR) to = xt_cast_number_(w, CM_I32, &to);
    if (by.kind == SPE_SCALAR) { /* 1 or -1 */
        one = xt_binary_number_(w, SPE_ARITH_SHR, by, spe_val_int(31));
        one = xt_binary_number_(w, SPE_ARITH_OR, one, spe_val_int(1));
    }
    to = xt_binary_number_(w, SPE_ARITH_SUB, to, from);
    by = xt_binary_number_(w, SPE_ARITH_SUB, by, one);
    to = xt_binary_number_(w, SPE_ARITH_ADD, to, by);
    *hi = xt_binary_number_(w, SPE_ARITH_DIV, to, *step);
    *lo = spe_val_int(0);
    *step = spe_val_int(1);
}

/* given: start, end and step. */
spe_region xt_for_begin_(xt_where_ w, const xt_val *given, void *const *objects)
{
    xt_ctx *x = w.x;
    spe_region loop = spe_region_of(&x->regions, 1);
    xt_val lo = given[0], hi = given[1], step = given[2];
    bool counted = step.kind == SPE_INT ? step.integer < 0 : step.kind == SPE_SCALAR && xt_is_signed_(step.type);
    int p = xt_val_align_(&lo), q = xt_val_align_(&step);
    loop.index = xt_nothing_();
    if (!xt_enter_(w) || !xt_check_index_(w, &lo, "the loop's start") || !xt_check_index_(w, &hi, "the loop's end") ||
        !xt_check_index_(w, &step, "the loop's step"))
        return loop;
    if (step.kind == SPE_INT && step.integer == 0) return xt_fail_(w, XT_ERROR_LOOP_STEP, "got 0"), loop;
    x->part++;
    if (counted) xt_count_iterations_(w, &lo, &hi, &step);
    x->part--;
    xt_frame_ *f = xt_open_(w, &loop, XT_AS_(FOR), objects);
    if (!f) return loop;
    f->lo = xt_value_of_(x, &lo);
    f->hi = xt_value_of_(x, &hi);
    f->step = xt_value_of_(x, &step);
    xt_note_use_(x, f->lo, f->begin);
    xt_note_use_(x, f->hi, f->begin);
    xt_note_use_(x, f->step, f->begin);
    xt_depends_on_(x, &lo);
    xt_depends_on_(x, &hi);
    xt_depends_on_(x, &step);
    for (int i = 0; i < 3; i++) f->given[i] = xt_value_of_(x, &given[i]);
    xt_loop_values_(x, f);
    f->index = xt_further_value_(x);
    loop.index = xt_scalar_(CM_I32, f->index, counted ? 1 : p < q ? p : q);
    if (counted) {
        x->part++;
        loop.index = xt_binary_number_(w, SPE_ARITH_MUL, loop.index, given[2]);
        loop.index = xt_binary_number_(w, SPE_ARITH_ADD, given[0], loop.index);
        x->part--;
    }
    f->given[3] = xt_value_of_(x, &loop.index);
    xt_side_begins_(w, f);
    return loop;
}

/* Scalars that advance by the loop's step need no phi, since they are start + (index - lo). */
XE_FN_ uint32_t xt_counts_(xt_ctx *x, const xt_frame_ *f, xt_slot_ *s, uint32_t changed)
{
    uint32_t counts = 0;
    int64_t by;
    const xt_object_ *body = xt_object_of_(x, s->body), *at_end = xt_object_of_(x, s->now);
    const xt_val *p, *step = xt_number_(x, f->step);
    for (int i = 0; f->op == XT_OP_FOR_ && step->kind == SPE_INT && (p = xt_scalar_of_(body, i)) != NULL; i++)
        if ((changed >> i & 1) && p->kind == SPE_SCALAR && xt_is_int_(p->type) && xt_bits_(p->type) == 32 &&
            xt_moves_by_(x, xt_scalar_of_(at_end, i), p, &by) && by == step->integer) {
            uint32_t now = xt_scalar_of_(at_end, i)->id;
            xt_value_at_(x, now)->unused = xt_is_used_once_(x, now); /* this once */
            counts |= 1u << i;
        }
    return counts;
}

/* ---- XT_WHILE ---------------------------------------------------------------------------------------------------- */

XE_FN_ bool xt_check_condition_(xt_where_ w, const char *of, const xt_val *condition)
{
    return !xt_check_value_(w, condition, of) || spe_val_is_condition(condition, XT_BOOL_) ||
           xt_fail_(w, XT_ERROR_CONDITION, "%s got %s", of, xt_describe_(condition).s);
}

/* XT_WHILE is XT_FOR without an index: the condition is computed in each iteration from the carried values. */
spe_region xt_while_begin_(xt_where_ w, void *const *objects)
{
    spe_region loop = spe_region_of(&w.x->regions, 1);
    xt_frame_ *f = xt_enter_(w) ? xt_open_(w, &loop, XT_AS_(WHILE), objects) : NULL;
    if (!f) return loop;
    xt_loop_values_(w.x, f);
    xt_side_begins_(w, f);
    return loop;
}

spe_region *xt_while_test_(xt_where_ w, spe_region *loop, xt_val condition)
{
    if (!xt_enter_(w) || !xt_check_condition_(w, "XT_WHILE", &condition)) return loop;
    xt_ids_ of = XT_ZERO_;
    xt_take_(w.x, &of, &condition);
    xt_record_(w, XT_AS_(WHILE_TEST), 0, 0, &of, NULL, 0);
    xt_depends_on_(w.x, &condition);
    if (w.x->regions.depth > 0) w.x->frames[w.x->regions.depth - 1]->first = w.x->nodes.count;
    return loop;
}

/* ---- XT_IF ------------------------------------------------------------------------------------------------------- */

spe_region xt_if_begin_(xt_where_ w, xt_val condition, void *const *objects)
{
    spe_region r = spe_region_of(&w.x->regions, 2);
    if (!xt_enter_(w) || !xt_check_condition_(w, "XT_IF", &condition)) return r;
    xt_frame_ *f = xt_open_(w, &r, XT_AS_(IF), objects);
    if (!f) return r;
    f->lo = xt_value_of_(w.x, &condition);
    xt_note_use_(w.x, f->lo, f->begin);
    xt_depends_on_(w.x, &condition);
    xt_side_begins_(w, f);
    return r;
}

/* ---- the end of a region ----------------------------------------------------------------------------------------- */

/* The value id of a carried value's scalar i, or of its vector after those; 0: a constant, or none. */
XE_FN_ uint32_t xt_part_id_(xt_ctx *x, uint32_t of, int i)
{
    const xt_object_ *t = xt_object_of_(x, of);
    const xt_vec *v = xt_vec_in_(t);
    const xt_val *n = xt_scalar_of_(t, i);
    if (i == XT_COMPONENTS_) return v ? v->id : 0;
    return n && n->kind >= SPE_SCALAR ? n->id : 0;
}

/* A carried value differs between lanes if one of its possible values, or the control flow to it, does. */
XE_FN_ void xt_diverges_as_carried_(xt_ctx *x, uint32_t t, uint32_t mask, uint32_t a, uint32_t b)
{
    for (int i = 0; i <= XT_COMPONENTS_; i++) {
        uint32_t id = mask >> i & 1 ? xt_part_id_(x, t, i) : 0;
        if (!id) continue;
        xt_diverges_at_least_(x, id, xt_value_at_(x, xt_part_id_(x, a, i))->divergence);
        xt_diverges_at_least_(x, id, xt_value_at_(x, xt_part_id_(x, b, i))->divergence);
        xt_diverges_at_least_(x, id, x->divergence);
    }
}

/* Finds what a region changes; for a loop, values that equal neither the initial one nor the one at the top of the
 * body. In a second walk it may be everything. */
XE_FN_ void xt_find_changes_(xt_where_ w, xt_frame_ *f)
{
    xt_ctx *x = w.x;
    x->scope = f->outer;
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        uint32_t mask = x->again ? (uint32_t)XT_ALL_CHANGES_ : xt_differences_(x, s->body, s->now), counts = 0;
        if (f->op != XT_OP_IF_ && !x->again) {
            mask &= xt_differences_(x, s->start, s->now);
            counts = xt_counts_(x, f, s, mask);
            f->counts = f->counts || counts;
        }
        s->mask = (mask & ~counts) | counts << XT_COUNTS_SHIFT_;
        s->result = f->op == XT_OP_IF_ ? s->now : s->start;
        uint32_t magic = xt_object_of_(x, s->result)->magic;
        if (mask && x->divergence > 1 && magic != SPE_VAL_MAGIC)
            xt_fail_(w, XT_ERROR_NOT_UNIFORM, "number %d of the list is a %s, and lanes diverge", i + 1,
                     magic == XT_VEC_MAGIC_ ? "vector" : "tile");
        s->result = xt_renew_(x, s->object, s->result, mask);
        xt_diverges_as_carried_(x, s->result, mask, s->body, s->now);
    }
}

/* Runs a loop's body a second time, as the C loop, without recording. The first walk's values are then out of scope:
 * one found in a variable was left there by the previous iteration, and the variable is not listed. */
XE_FN_ void xt_walk_again_(xt_where_ w, xt_frame_ *f)
{
    xt_ctx *x = w.x;
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        xt_diverges_as_carried_(x, s->body, XT_ALL_CHANGES_, s->body, s->now);
        xt_set_variable_(x, s, s->body);
    }
    xt_side_begins_(w, f);
    f->tile_count = x->tile_count;
    f->local_bytes = x->local_bytes;
    f->arrived = x->arrived;
    x->again++;
}

XE_FN_ void xt_walked_again_(xt_ctx *x, xt_frame_ *f)
{
    for (int i = 0; i < f->slots; i++) xt_set_variable_(x, &f->slot[i], f->slot[i].result);
    x->scope = f->outer;
    x->tile_count = f->tile_count;
    x->local_bytes = f->local_bytes;
    x->arrived = f->arrived;
    x->again--;
}

/* Refuses XT_FOR (...); whose body is empty. */
XE_FN_ void xt_check_body_(xt_where_ w, xt_frame_ *f)
{
    for (int i = 0; i < f->slots; i++)
        if (xt_differences_(w.x, f->slot[i].body, f->slot[i].now)) return;
    if (f->first == w.x->nodes.count && w.x->errors.count == 0)
        xt_fail_(w, XT_ERROR_EMPTY, "is there a semicolon after the %s?", xt_operation_name_(f->op));
}

XE_FN_ void xt_region_end_(const spe_region *r)
{
    xt_ctx *x = (xt_ctx *)(void *)r->in->module;
    xt_frame_ *f = x->frames[r->depth - 1];
    spe_line at = {r->in->open[r->depth - 1].file, r->in->open[r->depth - 1].line};
    xt_where_ w = {x, &at};
    bool last = r->calls > r->sides;
    if (!xt_enter_(w)) return;
    if (last && r->twice) {
        xt_walked_again_(x, f);
    } else if (last || r->twice) {
        xt_read_now_(w, f);
        if (r->twice) xt_check_body_(w, f);
        f->end = x->nodes.count;
        xt_record_(w, XT_AS_(END), 0, 0, NULL, f, 0);
        xt_find_changes_(w, f);
        if (!last) xt_walk_again_(w, f);
    } else {
        xt_read_now_(w, f);
        xt_record_(w, XT_AS_(ELSE), 0, 0, NULL, f, 0);
        for (int i = 0; i < f->slots; i++) { /* keeps the first side's values and restores the variables */
            f->slot[i].body = f->slot[i].now;
            xt_set_variable_(x, &f->slot[i], f->slot[i].start);
        }
        xt_side_begins_(w, f);
    }
    if (!last) return;
    x->divergence = f->divergence;
    x->regions.depth--;
}

/* The condition of the C loop of a region. */
bool xt_region_next_(spe_region *r)
{
    if (spe_region_ended(r)) xt_region_end_(r);
    return spe_region_next(r);
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

/* Arriving and waiting alternate, under one name. */
void xt_barrier_(xt_where_ w, xt_barrier_kind_ kind, const char *name)
{
    static const xt_operation_ *const all[] = {XT_AS_(BARRIER), XT_AS_(BARRIER_ARRIVE), XT_AS_(BARRIER_WAIT)};
    xt_ctx *x = w.x;
    if (!xt_enter_(w)) return;
    if (kind == XT_BARRIER_ARRIVES_ && x->arrived)
        xt_fail_(w, XT_ERROR_SPLIT_BARRIER, "arriving at \"%s\" while \"%s\" is not waited for", name, x->arrived);
    if (kind == XT_BARRIER_WAITS_ && (!x->arrived || strcmp(x->arrived, name) != 0))
        xt_fail_(w, XT_ERROR_SPLIT_BARRIER, "waiting for \"%s\"; arrived at: %s", name,
                 x->arrived ? x->arrived : "none");
    if (name) x->arrived = kind == XT_BARRIER_ARRIVES_ ? name : NULL;
    xt_record_(w, all[kind], 0, 0, NULL, name, 0);
}

/* build.c - building a module: the passes, in order. */

/* The type of a parameter by its name; -1 if there is none. */
XE_FN_ int xt_type_of_(const char *name, const spe_kernel_param *p)
{
    (void)p;
    for (int i = 0; i < CM_TYPE_COUNT; i++)
        if (strcmp(cm_type_info((cm_type)i)->name, name) == 0 && !cm_is_complex((cm_type)i)) return i;
    return -1;
}

/* The line of the kernel's head. */
XE_FN_ xt_where_ xt_kernel_where_(xt_ctx *x)
{
    xt_where_ w = {x, &x->head};
    return w;
}

/* Runs and records the body. Parameters are the first nodes. */
XE_FN_ void xt_record_body_(xt_ctx *x)
{
    xt_where_ w = xt_kernel_where_(x);
    if (!xt_begin_record_(x)) return;
    for (int i = 0; i < x->param_count; i++) {
        const spe_kernel_param *p = &x->params[i];
        x->args[i] = spe_val_of(p->pointer || p->local ? SPE_POINTER : SPE_SCALAR, p->type, xt_new_value_(x));
        xt_record_(w, XT_AS_(ARGUMENT), i, x->args[i].id, NULL, NULL, 0);
        if (!spe_ok(&x->m)) return;
        xt_value_at_(x, x->args[i].id)->hoistable = !p->local;
    }
    x->kernel->body(x);
    spe_region_fail(&x->regions, "");
    if (x->arrived && spe_ok(&x->m))
        xt_fail_(w, XT_ERROR_SPLIT_BARRIER, "the kernel ends while \"%s\" is not waited for", x->arrived);
}

/* The register count is known only for Intel's devices, which have a build flag for the larger register file. */
XE_FN_ void xt_warn_(xt_ctx *x, xt_module *mod)
{
    const xt_node_ *n = xt_node_at_(x, x->largest);
    int bytes = xt_register_bytes_(x);
    spe_error *w = &x->warning;
    if (!x->target.build_flags[0] || x->slice_bytes <= (size_t)bytes) return;
    w->id = XT_ERROR_SPILL;
    w->name = xt_error_name(w->id);
    w->file = n->file;
    w->line = n->line;
    snprintf(w->text, sizeof w->text, "%s: %d bytes, %s has %d in %d registers", xt_error_text(w->id),
             (int)x->slice_bytes, x->target.name, bytes, x->registers);
    mod->warning = w;
}

/* With 128 registers by default, Intel's compiler may take 256 if it would spill, where the work-group then fits. Of 32
 * bytes each (devices without 2D block messages), it spilled some and stayed with 128: they get 256. */
XE_ONCE_
XE_FN_ const char *xt_build_flags_(const xt_ctx *x)
{
    int subgroups = x->subgroups ? x->subgroups : 1;
    if (x->registers > 128) return "-ze-opt-large-register-file";
    if (!x->target.build_flags[0] || x->desc->registers || subgroups > xt_most_with_256_(x)) return "";
    return x->target.block2d_sizes ? "-ze-intel-enable-auto-large-GRF-mode" : x->target.build_flags;
}

/* Finds what the matrices of Vulkan's devices compute. */
XE_ONCE_
XE_FN_ void xt_find_for_vulkan_(xt_ctx *x)
{
    const xt_vulkan_part_ *part = x->m.options.env ? XT_VULKAN_PART_ : NULL;
    if (!part) return;
    part->find(x);
    if (x->opaque_words) x->vulkan = part;
}

/* The passes, in order. */
XE_FN_ void xt_make_module_(xt_ctx *x, xt_module *mod)
{
    xt_record_body_(x); /* also checks operations, derives and checks maps */
    xt_find_products_(x);
    xt_choose_resources_(x);
    xt_find_reloads_(x);
    xt_find_scratch_(x);
    if (!xt_report_(x)) return;
    xt_find_for_vulkan_(x);
    xt_find_layouts_(x);
    spe_at(&x->m, x->desc->file, x->desc->line);
    if (!cm_begin(&x->cm, &x->m, &x->target, x->desc->lowering)) return;
    xt_find_block2d_(x);
    xt_find_deferred_(x);
    if (x->local_bytes) xt_find_bands_(x);
    if (x->product_bytes && spe_ok(&x->m)) xt_find_stages_(x);
    if (!xt_begin_kernel_(x)) return;
    xt_write_versions_(x);
    spe_at(&x->m, x->kernel->file, x->kernel->line);
    if (!spe_build_end(mod, x->kernel->name, x->kernel->params, x->S, xt_group_size_(x))) return;
    mod->local_memory = (uint32_t)((x->local_bytes + 63) / 64 * 64 + (int64_t)(x->scratch_bytes + x->stage_dwords * 4));
    mod->local_memory += (uint32_t)(x->panel_vectors * 16);
    xt_warn_(x, mod);
    mod->build_flags = xt_build_flags_(x);
}

/* Does a kernel fit to those before it? Errors are of the last one. */
XE_FN_ bool xt_check_one_module_(const xt_module *mods, const xt_build_desc *descs, int last)
{
    const xt_build_desc *b = &descs[last];
    spe_line at = {b->file, b->line};
    xt_where_ w = {(xt_ctx *)(void *)mods[last].owner_, &at};
    for (int i = 0; i < last; i++) {
        const xt_build_desc *a = &descs[i];
        const xt_ctx *x = (const xt_ctx *)(const void *)mods[i].owner_;
        if (!strcmp(a->kernel->name, b->kernel->name))
            return xt_fail_(w, XT_ERROR_ONE_MODULE, "two kernels called %s, of %s:%d and %s:%d", a->kernel->name,
                            a->kernel->file, a->kernel->line, b->kernel->file, b->kernel->line);
        if (strcmp(x->target.name, w.x->target.name))
            return xt_fail_(w, XT_ERROR_ONE_MODULE, "%s is for %s, %s for %s", a->kernel->name, x->target.name,
                            b->kernel->name, w.x->target.name);
    }
    return true;
}

/* One kernel, in a module of its own or in that of the builds before. */
XE_FN_ bool xt_build_kernel_(xt_module *mods, const xt_build_desc *descs, int i)
{
    const xt_build_desc *desc = &descs[i];
    xt_module *mod = &mods[i];
    spe_line at = {desc->file, desc->line}, head = {desc->kernel->file, desc->kernel->line};
    xt_where_ w = {NULL, &at};
    xt_ctx *x = (xt_ctx *)(i ? spe_build_next(mod, mod - 1, xt_errors_(), sizeof *x)
                             : spe_build_begin(mod, xt_errors_(), sizeof *x, desc->version,
                                               cm_environment(desc->target), desc->names, desc->lines,
                                               desc->kernel->file, at));
    if (!x || !spe_ok(&x->m)) return false;
    x->desc = desc;
    w.x = x;
    x->kernel = desc->kernel;
    x->head = head;
    x->regions.module = &x->m;
    x->regions.errors = xt_errors_();
    spe_at(&x->m, desc->file, desc->line);
    x->param_count = spe_parse_params(xt_site_(xt_kernel_where_(x)), desc->kernel->params, xt_type_of_, x->params);
    if (x->param_count >= 0 && cm_choose_target(xt_site_(w), desc->target, desc->subgroup_size, &x->target)) {
        x->S = x->target.subgroup_size;
        x->subgroups = desc->subgroups;
        x->subgroups_at = at;
        if (xt_check_one_module_(mods, descs, i)) xt_make_module_(x, mod);
    }
    x->desc = NULL; /* belongs to the caller and may disappear */
    return xt_report_(x);
}

/* Flags are a module's: if a kernel needs 256 registers per thread, all have them; 128 are left to the compiler only if
 * all kernels leave them. */
XE_FN_ bool xt_share_flags_(xt_module *mods, const xt_build_desc *descs, int count)
{
    const xt_ctx *large = NULL;
    const char *flags = mods[0].build_flags;
    for (int i = 0; i < count; i++) {
        const xt_ctx *x = (const xt_ctx *)(const void *)mods[i].owner_;
        if (x->registers > 128 && !large) large = x, flags = mods[i].build_flags;
        if (!large && strcmp(flags, mods[i].build_flags)) flags = "";
    }
    for (int i = 0; i < count; i++) {
        xt_ctx *x = (xt_ctx *)(void *)mods[i].owner_, *last = (xt_ctx *)(void *)mods[count - 1].owner_;
        spe_line at = {descs[i].file, descs[i].line};
        xt_where_ w = {last, &at};
        mods[i].build_flags = flags;
        if (large && xt_group_size_(x) / x->S > xt_most_with_256_(x))
            return xt_fail_(
                w, XT_ERROR_ONE_MODULE, "%s has 256 registers per thread, and %s %d subgroups, %s has room for %d",
                large->kernel->name, x->kernel->name, xt_group_size_(x) / x->S, x->target.name, xt_most_with_256_(x));
    }
    return true;
}

bool xt_build_all(xt_module *mods, const xt_build_desc *descs, int count)
{
    int made = 0;
    bool ok = true;
    memset(mods, 0, (size_t)count * sizeof *mods);
    while (made < count && ok) {
        ok = xt_build_kernel_(mods, descs, made);
        made++;
    }
    xt_ctx *last = (xt_ctx *)(void *)mods[made - 1].owner_;
    if (ok) ok = xt_share_flags_(mods, descs, count);
    if (last) xt_report_(last);
    ok = spe_build_finish(mods, made) && ok;
    for (int i = 0; i < count; i++) {
        xt_ctx *x = (xt_ctx *)(void *)mods[i].owner_;
        if (x) x->shared_module = mods[0].owner_;
        if (i >= made) mods[i].error = mods[made - 1].error;
    }
    return ok;
}

xt_module xt_build(const xt_build_desc *desc)
{
    xt_module mod;
    xt_build_all(&mod, desc, 1);
    return mod;
}

void xt_free(xt_module *mod) { spe_built_free(mod); }

/* print.c - xt_print: the record in the notation of the XeTile specification. The table of operations gives the form of
 * each. Types of carried values are omitted, as they appear where the values are defined. */

#include <ctype.h>
#include <stdarg.h>

/* The name of a value. */
typedef struct {
    uint32_t number;    /* 0: it has no name yet */
    int part;           /* which of a tile's scalars, from 1 on; 0: the whole */
    const xt_val *same; /* a value carried unchanged has its outer name */
} xt_named_;

enum { XT_AS_RECORDED_, XT_WITH_MAPS_, XT_OF_A_SUBGROUP_, XT_FORMS_ }; /* the printed forms */

typedef struct {
    xt_ctx *x;
    FILE *f; /* NULL: collect constants, print nothing */
    int form, depth, type; /* type: of constants; -1: their own */
    uint32_t count;        /* of names */
    xt_named_ *names;
    spe_list constants; /* xt_val */
} xt_printer_;

XE_FN_ SPE_PRINTF(2, 3) void xt_put_(xt_printer_ *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (p->f) vfprintf(p->f, format, list);
    va_end(list);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* The type of a number, for which 32-bit integers are indices, or of an element. */
XE_FN_ const char *xt_type_text_(int type, bool number)
{
    if (xt_is_small_(type))
        return type == CM_E4M3 ? "f8E4M3FN" : type == CM_E5M2 ? "f8E5M2" : type == CM_E2M1 ? "f4E2M1FNx2" : "f8E8M0FNU";
    if (type == XT_BOOL_ || !xt_is_int_(type) || xt_is_signed_(type))
        return number && type == CM_I32 ? "index" : xt_type_name_(type);
    return type == CM_U64 ? "ui64" : type == CM_U32 ? (number ? "index" : "ui32") : type == CM_U16 ? "ui16" : "ui8";
}

XE_FN_ void xt_put_map_(xt_printer_ *p, const char *before, const xt_map *m)
{
    xt_put_(p, "%s#xetile.wg_map<sg_layout = [%d, %d], sg_data = [%d, %d]>", before, m->sg_layout[0], m->sg_layout[1],
            m->sg_data[0], m->sg_data[1]);
}

XE_FN_ void xt_put_vec_type_(xt_printer_ *p, const xt_vec *v)
{
    const int *n = v->dist.shape, *b = v->inner;
    xt_put_(p, "vector<%dx%dx", b[0] ? n[0] / b[0] : n[0], b[0] ? n[1] / b[1] : n[1]);
    if (b[0]) xt_put_(p, "%dx%dx", b[0], b[1]);
    xt_put_(p, "%s>", xt_type_text_((int)v->type, false));
}

XE_FN_ void xt_put_tile_type_(xt_printer_ *p, const xt_tile *t)
{
    const char *between = ", #xetile.tile_attr<", *end = ">";
    xt_put_(p, "!xetile.tile<%dx%dx%s", t->dist.shape[0], t->dist.shape[1], xt_type_text_((int)t->type, false));
    if (xt_has_map_(&t->map)) {
        xt_put_(p, "%swg_map = ", between);
        xt_put_map_(p, "", &t->map);
        between = ", ", end = ">>";
    }
    if (t->column_major) xt_put_(p, "%sorder = [0, 1]", between), between = ", ", end = ">>";
    if (t->inner[0]) xt_put_(p, "%sinner_blocks = [%d, %d]", between, t->inner[0], t->inner[1]), end = ">>";
    if (t->scatter) xt_put_(p, "%sscatter = true", between), end = ">>";
    xt_put_(p, "%s", end);
}

/* The matrix of a tile, with constant extents; or an address. */
XE_FN_ void xt_put_memref_(xt_printer_ *p, const xt_node_ *init)
{
    const xt_val *base = xt_number_(p->x, init->operand[XT_INIT_BASE_]);
    for (int i = 0; i < init->type && base->kind == SPE_POINTER; i++) {
        const xt_val *n = xt_given_(p->x, init, XT_GIVEN_SHAPE_, i);
        xt_put_(p, n->kind == SPE_INT ? "%s%lldx" : "%s?x", i ? "" : "memref<", (long long)n->integer);
    }
    bool columns = xt_tile_(p->x, init->result)->column_major && base->kind == SPE_POINTER;
    xt_put_(p, "%s%s%s%s", xt_type_text_(base->type, base->kind != SPE_POINTER),
            columns ? ", affine_map=<(d0, d1)->(d1, d0)>" : "",
            base->local ? ", slm" : "", base->kind == SPE_POINTER ? ">" : "");
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

XE_FN_ void xt_name_(xt_printer_ *p, uint32_t id) { p->names[id].number = ++p->count; }

XE_FN_ void xt_put_id_(xt_printer_ *p, uint32_t id)
{
    static const char *const parts[] = {"", "_row", "_col", "_rows", "_cols", "_pitch", "_base", "_offsets"};
    const xt_node_ *n = xt_node_at_(p->x, xt_value_at_(p->x, id)->node);
    if (n->op == XT_OP_ARGUMENT_)
        xt_put_(p, "%%%s", p->x->params[n->kind].name);
    else
        xt_put_(p, "%%%u%s", (unsigned)p->names[id].number, parts[p->names[id].part]);
}

/* %c256 and the like; while collecting, adds each once. */
XE_FN_ void xt_put_constant_(xt_printer_ *p, xt_val v)
{
    const xt_val *known = (const xt_val *)p->constants.items;
    int type = p->type < 0 ? xt_carried_type_(&v) : p->type;
    bool index = type == CM_U32 || type == CM_I32;
    if (xt_is_float_(type) && v.kind == SPE_INT) v = spe_val_real(v.real);
    v.type = index ? (int)CM_I32 : type;
    if (v.kind == SPE_REAL)
        xt_put_(p, "%%cst_%s", spe_decimal_of(v.real, 'g', 9).s);
    else
        xt_put_(p, "%%c%lld", (long long)v.integer);
    if (!index) xt_put_(p, "_%s", xt_type_text_(type, false));
    for (int i = 0; i < p->constants.count; i++)
        if (known[i].type == v.type && known[i].integer == v.integer && !memcmp(&known[i].real, &v.real, sizeof v.real))
            return;
    xt_val *added = (xt_val *)spe_list_add(&p->x->m, &p->constants, sizeof v);
    if (added) *added = v;
}

XE_FN_ void xt_put_number_(xt_printer_ *p, const xt_val *v)
{
    while (!xt_is_constant_(v) && p->names[v->id].same) v = p->names[v->id].same;
    if (xt_is_constant_(v))
        xt_put_constant_(p, *v);
    else
        xt_put_id_(p, v->id);
}

/* "[a, b]" */
XE_FN_ void xt_put_list_(xt_printer_ *p, int count, const uint32_t *ids)
{
    for (int i = 0; i < count; i++) xt_put_(p, i ? ", " : "["), xt_put_number_(p, xt_number_(p->x, ids[i]));
    xt_put_(p, count ? "]" : "[]");
}

/* An operand or attribute, by a letter: lower case for values and attributes, upper case for types. */
XE_FN_ void xt_put_field_(xt_printer_ *p, char letter, const void *field)
{
    const xt_vec *v = (const xt_vec *)field;
    const int *number = (const int *)field;
    const double *real = (const double *)field;
    switch (letter) {
    case 'n': xt_put_number_(p, (const xt_val *)field); return;
    case 'N': xt_put_(p, "%s", xt_type_text_(xt_carried_type_((const xt_val *)field), true)); return;
    case 't': xt_put_id_(p, ((const xt_tile *)field)->id); return;
    case 'T': xt_put_tile_type_(p, (const xt_tile *)field); return;
    case 'v': xt_put_id_(p, v->id); return;
    case 'V': xt_put_vec_type_(p, v); return;
    case 'o': if (v->id) xt_put_(p, ", "), xt_put_id_(p, v->id); return; /* o, O: optional */
    case 'O': if (v->id) xt_put_(p, ", "), xt_put_vec_type_(p, v); return;
    case 'd': xt_put_(p, "%d", *number); return;
    case 'P': xt_put_(p, "[%d, %d]", number[0], number[1]); return;
    case 'l': if (*number != 3) xt_put_(p, " locality<%d>", *number); return;
    case 'p':
        if (spe_real_compare(*real, 0)) xt_put_(p, " {padding = %s}", spe_decimal_of(*real, 'g', 6).s);
        return;
    case 's': xt_put_(p, "%s", (const char *)field); return;
    case 'w': if (*number) xt_put_(p, " {border = %s}", *number == XT_BORDER_CLAMP ? "clamp" : "mirror"); return;
    case 'e': if (*(const bool *)field) xt_put_(p, " {exclusive}"); return;
    }
}

/* "$n to $n": prints fields by their letters. */
XE_FN_ void xt_say_(xt_printer_ *p, const char *text, ...)
{
    va_list list;
    va_start(list, text);
    for (; *text; text++)
        if (*text == '$')
            xt_put_field_(p, *++text, va_arg(list, const void *));
        else
            xt_put_(p, "%c", *text);
    va_end(list);
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

/* Names a carried value and its scalars in a region; those in the mask get new names. */
XE_FN_ void xt_name_carried_(xt_printer_ *p, uint32_t value, uint32_t from, uint32_t mask)
{
    const xt_object_ *t = xt_object_of_(p->x, value), *before = xt_object_of_(p->x, from);
    const xt_vec *v = xt_vec_in_(t);
    uint32_t changes = mask | mask >> XT_COUNTS_SHIFT_, number = mask ? ++p->count : 0;
    const xt_val *now, *old;
    for (int i = 0; (now = xt_scalar_of_(t, i)) && (old = xt_scalar_of_(before, i)); i++) {
        xt_named_ name = {number, t->magic == XT_TILE_MAGIC_ ? i + 1 : 0, NULL};
        if (!(changes >> i & 1)) name.same = old;
        if (now->id != old->id) p->names[now->id] = name;
    }
    if (v && mask) {
        p->names[v->id].number = number;
        p->names[v->id].part = t->magic == XT_TILE_MAGIC_ ? XT_COMPONENTS_ + 1 : 0;
    } else if (v)
        p->names[v->id] = p->names[xt_vec_in_(before)->id];
    if (t->magic == XT_TILE_MAGIC_) p->names[t->tile.id].number = mask ? number : p->names[before->tile.id].number;
}

/* The carried values that change, at an offset in their slots: "a, b", or "a = c, b = d" with a second offset. */
XE_FN_ bool xt_put_slots_(xt_printer_ *p, const char *before, const xt_frame_ *f, size_t which, size_t value)
{
    int n = 0;
    for (int i = 0; i < f->slots; i++) {
        const char *slot = (const char *)&f->slot[i];
        const size_t offset[2] = {which, value};
        if (!f->slot[i].mask) continue;
        xt_put_(p, "%s", n++ ? ", " : before);
        for (int j = 0; j < 1 + (value != which); j++) {
            const xt_object_ *t = xt_object_of_(p->x, *(const uint32_t *)(const void *)(slot + offset[j]));
            xt_say_(p, t->magic == SPE_VAL_MAGIC ? "$s$n" : t->magic == XT_TILE_MAGIC_ ? "$s$t" : "$s$v",
                    j ? " = " : "", t);
        }
    }
    return n > 0;
}

XE_FN_ void xt_put_begin_(xt_printer_ *p, const xt_node_ *n)
{
    const xt_frame_ *f = n->frame;
    const size_t start = offsetof(xt_slot_, start), body = offsetof(xt_slot_, body), end = offsetof(xt_slot_, result);
    bool real = p->form == XT_OF_A_SUBGROUP_; /* loops that count down are written as counting iterations */
    const uint32_t own[4] = {f->lo, f->hi, f->step, f->index}, *limits = real ? own : f->given;
    for (int i = 0; i < f->slots; i++) xt_name_carried_(p, f->slot[i].result, f->slot[i].start, f->slot[i].mask);
    for (int i = 0; i < f->slots && n->op != XT_OP_IF_; i++)
        xt_name_carried_(p, f->slot[i].body, f->slot[i].start, f->slot[i].mask);
    if (xt_put_slots_(p, "", f, end, end)) xt_put_(p, " = ");
    if (n->op == XT_OP_FOR_) {
        xt_name_(p, limits[3]);
        xt_put_(p, "scf.for ");
        xt_put_id_(p, limits[3]);
        xt_say_(p, " = $n to $n step $n", xt_number_(p->x, limits[0]), xt_number_(p->x, limits[1]),
                xt_number_(p->x, limits[2]));
    } else
        xt_say_(p, n->op == XT_OP_IF_ ? "scf.if $n" : "scf.while", xt_number_(p->x, f->lo));
    if (n->op != XT_OP_IF_ && xt_put_slots_(p, n->op == XT_OP_FOR_ ? " iter_args(" : " (", f, body, start))
        xt_put_(p, ")");
    xt_put_(p, " {");
    p->depth++;
}

/* The end of a side. A missing XT_ELSE is not printed. */
XE_FN_ bool xt_put_end_(xt_printer_ *p, const xt_node_ *n)
{
    const xt_frame_ *f = n->frame;
    const size_t which = n->op == XT_OP_END_ ? offsetof(xt_slot_, now) : offsetof(xt_slot_, body);
    bool last = n->op == XT_OP_END_, any = false;
    for (int i = 0; i < f->slots; i++) any = any || f->slot[i].mask;
    if (!last && !any && n[1].op == XT_OP_END_) return false;
    if (any) xt_put_(p, "%*sscf.yield", p->depth * 2, "");
    if (xt_put_slots_(p, " ", f, which, which)) xt_put_(p, "\n");
    if (last) p->depth--;
    xt_put_(p, last ? "%*s}" : "%*s} else {", (p->depth - !last) * 2, "");
    return true;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

XE_FN_ void xt_put_arith_(xt_printer_ *p, int op, int type)
{
    const char *name = spe_arith_name((spe_arith_op)op);
    bool real = xt_is_float_(type), extreme = op == SPE_ARITH_MIN || op == SPE_ARITH_MAX;
    bool two = extreme || op == SPE_ARITH_DIV || op == SPE_ARITH_REM || op == SPE_ARITH_SHR || op > SPE_ARITH_NE;
    const char *sign = real || !two ? "" : xt_is_signed_(type) ? "s" : "u";
    if (xt_is_compare_(op))
        xt_put_(p, "arith.cmp%s %s%s,", real ? "f" : "i", real ? (op == SPE_ARITH_NE ? "u" : "o") : sign, name);
    else
        xt_put_(p, "arith.%s%s%s%s", name, real && extreme ? "num" : "", sign, real ? "f" : "i");
}

XE_FN_ void xt_put_math_(xt_printer_ *p, int op, int type)
{
    xt_put_(p, "math.");
    for (const char *at = xt_math_info_(op)->name + strlen("XT_"); *at; at++)
        xt_put_(p, "%c", *at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at); /* in every locale */
    if (op == XT_MATH_ABS_ || op == XT_MATH_POW_) xt_put_(p, xt_is_float_(type) ? "f" : "i");
}

XE_FN_ void xt_put_cast_(xt_printer_ *p, int from, int to, bool number)
{
    bool real = xt_is_float_(from), reals = xt_is_float_(to), wider = xt_bits_(to) > xt_bits_(from);
    const char *sign = xt_is_signed_(real ? to : from) ? "s" : "u";
    if (real || reals)
        xt_put_(p, !reals ? "arith.fpto%si" : !real ? "arith.%sitofp" : wider ? "arith.extf" : "arith.truncf", sign);
    else if (number && (xt_bits_(from) == 32 || xt_bits_(to) == 32))
        xt_put_(p, sign[0] == 'u' ? "arith.index_castui" : "arith.index_cast");
    else
        xt_put_(p, wider ? "arith.ext%si" : "arith.trunci", sign);
}

/* The name of an operation that has several. */
XE_FN_ void xt_put_kind_(xt_printer_ *p, const xt_node_ *n)
{
    static const char *const builtins[] = {"global_id", "thread_id", "block_id", "", "", "grid_dim", "", "",
                                           "",          "",          "",         "subgroup_id", "", "", "lane_id"};
    const xt_object_ *from = xt_object_of_(p->x, n->operands > 0 ? n->operand[0] : 0);
    switch (n->op) {
    case XT_OP_BINARY_NUMBER_:
    case XT_OP_BINARY_VECTOR_: xt_put_arith_(p, n->kind, n->type); return;
    case XT_OP_MATH_NUMBER_:
    case XT_OP_MATH_VECTOR_: xt_put_math_(p, n->kind, n->type); return;
    case XT_OP_CAST_NUMBER_: xt_put_cast_(p, xt_carried_type_(&from->val), n->type, true); return;
    case XT_OP_CAST_VECTOR_:
        xt_put_cast_(p, (int)from->vec.type, n->type, false);
        if (n->kind) xt_put_(p, " {saturate = false}");
        return;
    case XT_OP_BUILTIN_:
        xt_put_(p, "gpu.%s", builtins[n->kind]);
        if (n->kind < SPE_GLOBAL_LINEAR_ID) xt_put_(p, " %c", 'x' + n->type);
        return;
    case XT_OP_ATOMIC_RMW_: xt_put_(p, "%s", xt_rmw_row_of_((xt_rmw_kind_)n->kind)->name); return;
    default: xt_put_(p, "%s", xt_red_info_(n->kind)->name);
    }
}

/* Base and offset of a tile: %A[%i, %j] : memref<...>; and shape and strides if known only at launch. */
XE_FN_ void xt_put_base_(xt_printer_ *p, const xt_node_ *init)
{
    const xt_val *base = xt_number_(p->x, init->operand[XT_INIT_BASE_]);
    const xt_vec *scatter = xt_vector_(p->x, init->operand[XT_INIT_SCATTER_]);
    const uint32_t *given = init->operand + XT_INIT_GIVEN_;
    int n = init->type, lists = (init->operands - XT_INIT_GIVEN_) / n; /* see xt_given_list_ */
    bool known = base->kind == SPE_POINTER && lists <= XT_GIVEN_STRIDES_;
    for (int i = 0; i < n; i++) known = known && xt_given_(p->x, init, XT_GIVEN_SHAPE_, i)->kind == SPE_INT;
    xt_say_(p, scatter->id ? "$n$o" : known ? "$n" : "$n, ", base, scatter);
    if (!scatter->id) xt_put_list_(p, n, given);
    for (int i = known ? XT_GIVEN_STRIDES_ : XT_GIVEN_SHAPE_; i < lists; i++) {
        xt_put_(p, ", ");
        xt_put_list_(p, n, given + i * n);
    }
    xt_put_(p, " : ");
    xt_put_memref_(p, init);
    xt_say_(p, "$O", scatter);
}

/* {#map #map}: the user's, from the given field on, or the result's. */
XE_FN_ void xt_put_maps_(xt_printer_ *p, const xt_vec *result, const char *about, const size_t *field)
{
    const char *between = " {";
    for (; p->form == XT_AS_RECORDED_ && *field; field++) {
        const xt_map *map = (const xt_map *)(const void *)(about + *field - 1);
        if (!xt_has_map_(map)) continue;
        xt_put_map_(p, between, map);
        between = " ";
    }
    if (p->form != XT_AS_RECORDED_ && xt_has_map_(&result->map)) xt_put_map_(p, between, &result->map), between = " ";
    if (!between[1]) xt_put_(p, "}");
}

/* How an operation is shown. $, a letter and a digit is an operand or an attribute, see xt_put_field_: $a an operand
 * whose constants have the operation's type, $# one whose constants have the result's; $m the maps from an attribute
 * on.
 * Without a digit: $= the result, $r its type, $A and $E the operation's type, as that of a number or of an element, $k
 * and $K the kind's name and number, $x all operands, $( a region, $b a tile's base, $z sizes, $B blocks. Empty: the
 * end of a region's side. */
typedef struct {
    const char *text;
    size_t field[8]; /* where attributes are, from 1 on; 0: there are no more */
} xt_row_;

#define XT_F_(structure, field) (offsetof(xt_##structure##_, field) + 1)
#define XT_FIELDS_none {0}
#define XT_FIELDS_locality {1}
#define XT_FIELDS_local {XT_F_(local_array, elements)}
#define XT_FIELDS_piece_offset {offsetof(xt_dist, layout) + 1, offsetof(xt_dist, data) + 1}
#define XT_FIELDS_outside {XT_F_(outside, padding), XT_F_(outside, border)}
#define XT_FIELDS_maps {1, 1 + sizeof(xt_map), 1 + 2 * sizeof(xt_map), 1 + 3 * sizeof(xt_map)}
#define XT_FIELDS_move                                                                                                 \
    {0, XT_F_(move, dim), XT_F_(move, size), XT_F_(move, from.shift), XT_F_(move, exclusive), XT_F_(move, source),     \
     XT_F_(move, given)}

XE_ONCE_
XE_FN_ const xt_row_ *xt_row_of_(xt_op_ op)
{
#define XT_ROW_(name, write, does, fields, text) {text, XT_FIELDS_##fields},
    static const xt_row_ rows[] = {XT_OPERATIONS_(XT_ROW_)};
    return &rows[op];
}

/* The size of a reduction or broadcast, unless it is the whole dimension. */
XE_ONCE_
XE_FN_ void xt_put_size_(xt_printer_ *p, const xt_node_ *n)
{
    const xt_move_ *d = n->move;
    int size = xt_vector_(p->x, n->operand[XT_MOVE_VEC_])->dist.shape[d->dim];
    if (n->op == XT_OP_REDUCTION_ && d->size != size) xt_put_(p, " {reduction_size = %d}", d->size);
    if (n->op == XT_OP_BROADCAST_ && size != 1) xt_put_(p, " {broadcast_size = %d}", d->from.divisor[d->dim]);
}

/* The distances by which a tile moves. */
XE_ONCE_
XE_FN_ void xt_put_update_(xt_printer_ *p, const xt_node_ *n)
{
    const xt_object_ *by = xt_object_of_(p->x, n->operand[1]);
    if (by->magic == XT_VEC_MAGIC_) xt_say_(p, ", $v", by);
    for (int i = 1; i < n->operands && by->magic != XT_VEC_MAGIC_; i++)
        xt_say_(p, ", $n", xt_number_(p->x, n->operand[i]));
}

/* The parts that have no digit. False if it is another one. */
XE_FN_ bool xt_put_whole_(xt_printer_ *p, const xt_node_ *n, char letter)
{
    const xt_object_ *result = xt_object_of_(p->x, n->result);
    switch (letter) {
    case '=': xt_name_(p, n->result), xt_put_id_(p, n->result), xt_put_(p, " ="); return true;
    case '(': xt_put_begin_(p, n); return true;
    case 'k': xt_put_kind_(p, n); return true;
    case 'K': xt_put_(p, "%d", n->kind); return true;
    case 'A': xt_put_(p, "%s", xt_type_text_(n->type, true)); return true;
    case 'E': xt_put_(p, "%s", xt_type_text_(n->type, false)); return true;
    case 'r': xt_put_field_(p, result->magic == XT_TILE_MAGIC_ ? 'T' : 'V', result); return true;
    case 'b': xt_put_base_(p, n); return true;
    case 'u': xt_put_update_(p, n); return true;
    case 'x': xt_put_list_(p, n->operands, n->operand); return true;
    case 'z': xt_put_size_(p, n); return true;
    default: return false;
    }
}

XE_FN_ void xt_put_part_(xt_printer_ *p, const xt_node_ *n, const xt_row_ *row, const char *at)
{
    int i = isdigit((unsigned char)at[1]) ? at[1] - '0' : 7;
    const char *about = row->field[i] ? (const char *)n->about + row->field[i] - 1 : NULL;
    const xt_object_ *operand = xt_object_of_(p->x, i < n->operands ? n->operand[i] : 0);
    const xt_vec *result = xt_vector_(p->x, n->result), *v;
    const int *dim = (const int *)(const void *)about;
    if (xt_put_whole_(p, n, *at)) return;
    switch (*at) {
    case 'm': xt_put_maps_(p, result, (const char *)n->about, &row->field[i]); return;
    case 'B':
        v = xt_vector_(p->x, n->operand[0]);
        xt_put_(p, "[%d, %d]", result->inner[0] + v->inner[0], result->inner[1] + v->inner[1]);
        return;
    case 'D': xt_put_(p, result->inner[0] ? "%d, %d" : "%d", *dim, *dim + 2); return;
    case 's': xt_put_(p, "%s", (const char *)n->about); return;
    case 'M':
        for (i = 0; i < n->operands; i++)
            p->type = n->type, xt_say_(p, i ? ", $n" : " $n", xt_number_(p->x, n->operand[i]));
        break;
    case 'a':
    case '#': p->type = *at == 'a' ? n->type : (int)result->type, xt_put_field_(p, 'n', operand); break;
    default: xt_put_field_(p, *at, strchr("nNtTvVoO", *at) ? (const void *)operand : about);
    }
    p->type = -1;
}

/* ---- results of passes ------------------------------------------------------------------------------------------- */

/* A vector's blocks and layout; whether an access uses 2D block messages, or why not. */
XE_FN_ void xt_put_remark_(xt_printer_ *p, const xt_node_ *n)
{
    static const char *const uses[] = {"an accumulator", "a product's right side", "a product's left side",
                                       "the device's matrices"}; /* by cm_use */
    xt_ctx *x = p->x;
    const xt_tile *t = xt_accessed_(x, n);
    const xt_vec *v = xt_vector_(x, n->result);
    const xt_remark_of_ *r = (const xt_remark_of_ *)x->remarks.items;
    const xt_access_ a = xt_access_by_(x, n);
    xt_grid_ g;
    if (!t && v->magic != XT_VEC_MAGIC_) return;
    xt_grid_init_(x, &g, t ? &t->dist : &v->dist);
    xt_put_(p, "  // %d x %d", g.blocks, g.cut[0].size[0]);
    xt_put_(p, "x%d", g.cut[1].size[0]);
    const bool panel = xt_value_at_(x, n->result)->panel != 0;
    if (v->magic == XT_VEC_MAGIC_)
        xt_put_(p, ", %s", panel ? "an operand in local memory" : uses[xt_layout_(x, n->result)]);
    if (t && x->messages && a.by_messages && a.why)
        xt_put_(p, ", 2D block messages for %d of %d blocks: %s", a.by_messages, a.blocks, a.why);
    else if (t && x->messages)
        xt_put_(p, a.why ? ", no 2D block messages: %s" : ", 2D block messages", a.why);
    if (xt_does_(n->op, XT_MOVES_))
        xt_put_(p, n->move->origin ? ", in registers" : ", through local memory");
    for (int i = 0; i < x->remarks.count; i++)
        if (r[i].node == (int)(n - xt_node_at_(x, 0))) {
            xt_put_(p, ", %s", r[i].text);
            break;
        }
}

/* The work-group, and the condition for the version with 2D block messages. */
XE_FN_ void xt_put_summary_(xt_printer_ *p)
{
    xt_ctx *x = p->x;
    uint64_t known;
    int j;
    xt_put_(p, "// %s: %d subgroups of %d, %d registers per thread, ", x->target.name, x->subgroups ? x->subgroups : 1,
            x->S, x->registers);
    xt_put_(p, "%lld bytes of local memory, %lld more to move vectors", (long long)x->local_bytes,
            (long long)x->scratch_bytes);
    if (x->stages.count) xt_put_(p, ", %lld for operands at any pitch", (long long)x->stage_dwords * 4);
    xt_put_(p, "\n");
    xt_put_(p, "// %s\n", x->versions);
    if (x->warning.id) xt_put_(p, "// %s\n", x->warning.text);
    for (int i = 0; i < x->tiles.count; i++) {
        const xt_plan_tile_ *t = xt_plan_tile_at_(x, i);
        const xt_tile *m = xt_tile_(x, t->of->operand[XT_INIT_MATRIX_]);
        for (j = 0; j < i && xt_plan_tile_at_(x, j)->test != t->test;) j++;
        if (t->test && j == i && !spe_const_bits(&x->m, t->test, &known))
            xt_say_(p, "//   $n in bytes divides by 64, pitch $n by 16, rows of $n by 4 and not below 64\n",
                    xt_number_(x, t->of->operand[XT_INIT_BASE_]), &m->pitch, &m->shape[xt_inner_(m)]);
    }
    for (int i = 0; i < x->offsets.count; i++) {
        const xt_plan_offset_ *o = (const xt_plan_offset_ *)x->offsets.items + i;
        if (!xt_plan_tile_at_(x, o->tile)->test) continue;
        xt_say_(p, o->below ? "//   $n < $n" : o->mask < 0 ? "//   $n >= 0" : "//   $n", xt_number_(x, o->value),
                xt_number_(x, o->below));
        xt_put_(p, !o->below && o->mask > 0 ? " divides by %d\n" : "\n", o->mask + 1);
    }
}

/* ---- the whole text ---------------------------------------------------------------------------------------------- */

XE_FN_ void xt_put_node_(xt_printer_ *p, const xt_node_ *n)
{
    const xt_row_ *row = xt_row_of_(n->op);
    const char *at = row->text;
    if (n->op == XT_OP_ARGUMENT_ || (n->part && p->form != XT_OF_A_SUBGROUP_)) return;
    if (*at)
        xt_put_(p, "%*s", p->depth * 2, "");
    else if (!xt_put_end_(p, n))
        return;
    for (; *at; at++)
        if (*at == '$') {
            xt_put_part_(p, n, row, ++at);
            at += isdigit((unsigned char)at[1]) != 0;
        } else
            xt_put_(p, "%c", *at);
    if (p->form == XT_OF_A_SUBGROUP_) xt_put_remark_(p, n);
    xt_put_(p, "\n");
}

/* A parameter's type is that of the first tile initialised from it. */
XE_FN_ void xt_put_param_(xt_printer_ *p, int number)
{
    const xt_val *v = &p->x->args[number];
    const xt_node_ *tile = NULL;
    for (int i = 0; i < p->x->nodes.count && !tile; i++) {
        const xt_node_ *n = xt_node_at_(p->x, i);
        if (n->op == XT_OP_INIT_TILE_ && n->operand[XT_INIT_BASE_] == v->id) tile = n;
    }
    xt_put_(p, "%s%%%s: ", number ? ", " : "", p->x->params[number].name);
    if (tile)
        xt_put_memref_(p, tile);
    else
        xt_put_(p, v->kind == SPE_POINTER ? "memref<?x%s>" : "%s", xt_type_text_(v->type, v->kind != SPE_POINTER));
}

XE_FN_ void xt_put_constants_(xt_printer_ *p)
{
    const xt_val *v = (const xt_val *)p->constants.items;
    for (int left = p->constants.count; left; left--, v++) {
        p->type = v->type;
        xt_say_(p, "  $n = arith.constant ", v);
        if (v->kind == SPE_REAL)
            xt_put_(p, "%s", spe_decimal_of(v->real, 'e', 6).s);
        else
            xt_put_(p, "%lld", (long long)v->integer);
        xt_put_(p, " : %s\n", xt_type_text_(v->type, true));
    }
    p->type = -1;
}

XE_FN_ void xt_put_body_(xt_printer_ *p, FILE *f)
{
    p->f = f;
    p->count = 0;
    p->depth = 1;
    memset(p->names, 0, (size_t)p->x->values.count * sizeof *p->names);
    for (int i = 0; i < p->x->nodes.count; i++) xt_put_node_(p, xt_node_at_(p->x, i));
}

XE_FN_ void xt_print_(xt_ctx *x, FILE *f)
{
    static const char *const titles[] = {"as recorded", "with the maps that follow", "what a subgroup does"};
    xt_printer_ p = XT_ZERO_;
    p.x = x;
    p.type = -1;
    p.names = (xt_named_ *)xt_memory_(p.x, (size_t)p.x->values.count * sizeof *p.names);
    for (; p.names && p.form < XT_FORMS_; p.form++) {
        xt_put_body_(&p, NULL);
        p.f = f;
        xt_put_(&p, "%s// %s: %s\n", p.form ? "\n" : "", p.x->kernel->name, titles[p.form]);
        if (p.form == XT_OF_A_SUBGROUP_) xt_put_summary_(&p);
        xt_put_(&p, "func.func @%s(", p.x->kernel->name);
        for (int i = 0; i < p.x->param_count; i++) xt_put_param_(&p, i);
        xt_put_(&p, ") {\n");
        xt_put_constants_(&p);
        xt_put_body_(&p, f);
        xt_put_(&p, "}\n");
    }
}

/* Of several kernels in a module, the first has it; the one that is printed borrows it. */
void xt_print(const xt_module *mod, FILE *f)
{
    xt_ctx *x = (xt_ctx *)(void *)mod->owner_;
    if (!mod->words && mod->error) spe_print_error(mod->error, f);
    if (!mod->words) return;
    spe_module own = x->m, *all = x->shared_module;
    x->m = *all;
    xt_print_(x, f);
    *all = x->m;
    if (all != &x->m) x->m = own;
}

XETILE_AS_BEFORE_
#endif /* XETILE_XETILE_BODIES_ */

/* Bodies that only modules for Vulkan need: vk_dispatch.h includes this again for them. */
#if defined(XETILE_XETILE_BODIES_) && !defined(XETILE_XETILE_VULKAN_BODIES_) && \
    (defined(SPE_VULKAN) || !defined(XETILE_STATIC_) || defined(__cplusplus))
#define XETILE_XETILE_VULKAN_BODIES_
XETILE_COLD_

/* ir/opaque_steps.c - what the matrices of Vulkan's devices can compute. */

/* Does a side of a piece consist of whole matrices of this size, in blocks as coopmatrix.h has them? */
XE_FN_ bool xt_side_fits_(const xt_ctx *x, int columns, int size)
{
    return columns % size == 0 && (columns % x->S == 0 || columns == x->S / 2);
}

/* Do the device's matrices compute a product? */
XE_FN_ bool xt_is_opaque_product_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op != XT_OP_TILE_MMA_ || !x->opaque_words || n->divergence > 1) return false;
    const xt_vec *left = xt_vector_(x, n->operand[XT_MMA_LEFT_]), *right = xt_vector_(x, n->operand[XT_MMA_RIGHT_]);
    if (left->type != right->type) return false;
    const cm_coop_shape *s = cm_coop_shape_of(&x->target, left->type, xt_vector_(x, n->result)->type);
    return s && left->dist.data[0] % s->m == 0 && xt_side_fits_(x, left->dist.data[1], s->k) &&
           xt_side_fits_(x, right->dist.data[1], s->n);
}

/* Is it a sum, or a number in each element, which is made as one? */
XE_FN_ bool xt_may_be_opaque_(xt_ctx *x, uint32_t id)
{
    return xt_value_is_opaque_(x, id) || xt_node_at_(x, xt_value_at_(x, id)->node)->op == XT_OP_SPLAT_;
}

/* Is it an instruction on whole matrices? */
XE_FN_ bool xt_is_opaque_instruction_(xt_ctx *x, const xt_node_ *n)
{
    bool real = xt_is_float_((int)xt_vector_(x, n->operand[0])->type);
    if (n->op == XT_OP_CAST_VECTOR_) return true;
    return n->op == XT_OP_BINARY_VECTOR_ && (n->kind == SPE_ARITH_ADD || n->kind == SPE_ARITH_SUB ||
                                             n->kind == SPE_ARITH_MUL || (n->kind == SPE_ARITH_DIV && real));
}

/* Can this element-wise operation be one on matrices, or on their components? */
XE_FN_ bool xt_can_be_opaque_(xt_ctx *x, const xt_node_ *n)
{
    int from = (int)xt_vector_(x, n->operand[0])->type;
    switch (n->op) {
    case XT_OP_BINARY_VECTOR_:
        return xt_is_opaque_instruction_(x, n) ||
               (from == CM_F32 && (n->kind == SPE_ARITH_MIN || n->kind == SPE_ARITH_MAX));
    case XT_OP_CAST_VECTOR_:
        return (from == CM_F16 || from == CM_F32) && (n->type == CM_F16 || n->type == CM_F32);
    case XT_OP_MATH_VECTOR_: return n->type == CM_F32;
    case XT_OP_SELECT_VECTOR_: return xt_vector_(x, n->operand[1])->type == CM_F32;
    default: return false;
    }
}

/* Can an element-wise operation be one on the device's matrices? Its operands may be opaque; a condition comes from
 * lanes. */
XE_FN_ bool xt_is_opaque_each_(xt_ctx *x, const xt_node_ *n)
{
    bool some = false;
    if (!xt_does_(n->op, XT_EACH_) || !xt_can_be_opaque_(x, n)) return false;
    for (int i = n->op == XT_OP_SELECT_VECTOR_; i < n->operands; i++) {
        if (!xt_may_be_opaque_(x, n->operand[i])) return false;
        some = some || xt_value_is_opaque_(x, n->operand[i]);
    }
    return some;
}

/* Has each subgroup one column? Each column of its matrices is that one. */
XE_FN_ bool xt_is_opaque_column_(const xt_dist *d) { return d->data[1] == 1 && d->rounds[1] == 1; }

/* Are the rows of matrices reduced to a column? */
XE_FN_ bool xt_is_opaque_reduce_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op != XT_OP_REDUCE_) return false;
    const xt_vec *v = xt_vector_(x, n->operand[XT_MOVE_VEC_]);
    if (n->move->dim != 1 || n->move->size < 2 || n->move->size != v->dist.data[1]) return false;
    return v->type == CM_F32 && v->dist.rounds[1] == 1 && xt_value_is_opaque_(x, v->id);
}

/* Is a column of matrices repeated, so that these are the result? */
XE_FN_ bool xt_is_opaque_broadcast_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op != XT_OP_BROADCAST_ || !n->move->origin || n->move->from.divisor[1] < 2) return false;
    const xt_vec *v = xt_vector_(x, n->operand[XT_MOVE_VEC_]);
    const xt_dist *r = &xt_vector_(x, n->result)->dist;
    const cm_coop_shape *s = cm_coop_shape_of(&x->target, CM_F16, CM_F32);
    return s && v->type == CM_F32 && xt_is_opaque_column_(&v->dist) && r->data[0] == v->dist.data[0] &&
           r->rounds[0] == v->dist.rounds[0] && xt_side_fits_(x, r->data[1], s->n) && xt_value_is_opaque_(x, v->id);
}

/* lower/strips.c - vectors as matrices that only the device can look into (passes/opaque.c), how they become vectors of
 * lanes, and how these become such matrices: through a strip of local memory for each subgroup. */

XE_FN_ xt_opaque_strip_ xt_opaque_strip_of_(xt_ctx *x, const cm_layout *l)
{
    spe_module *m = &x->m;
    int bytes = xt_bytes_((int)l->type);
    xt_opaque_strip_ s = XT_ZERO_;
    s.rows = l->size_j;
    s.cols = xt_least_(l->rows, x->S);
    s.pitch = s.rows + 16 / bytes;
    s.plain = cm_layout_for(&x->cm, s.cols, s.rows, l->type, CM_ACC);
    s.parts = cm_part_count(&s.plain);
    cm_layout whole = cm_layout_for(&x->cm, l->rows, l->cols, l->type, CM_ACC);
    s.band = cm_part_count(&whole) / (l->rows / s.cols);
    spe_id zero = spe_u32(m, 0), vectors = spe_element(m, x->panel_memory, 1, &zero);
    s.vector = spe_u32(m, (uint32_t)x->strips_at);
    if (x->subgroups > 1) {
        spe_id first = spe_builtin(m, SPE_SUBGROUP_ID, 0);
        first = spe_imul(m, first, spe_u32(m, (uint32_t)xt_strip_words_(x) / 4));
        s.vector = spe_iadd(m, first, s.vector);
    }
    spe_id type = xt_spe_type_(x, (int)l->type);
    s.ptr = spe_ptr_cast(m, spe_index(m, vectors, s.vector), type);
    return s;
}

XE_FN_ cm_mem xt_opaque_strip_mem_(xt_ctx *x, const xt_opaque_strip_ *s)
{
    cm_mem mem = XT_ZERO_;
    mem.ptr = s->ptr;
    mem.row = mem.col = spe_i32(&x->m, 0);
    mem.stride_row = spe_i32(&x->m, s->pitch);
    mem.stride_col = spe_i32(&x->m, 1);
    mem.align = 16;
    mem.block2d = CM_BLOCK2D_NO;
    return mem;
}

/* Columns of the matrices of sums in f32, and the rows of all. */
XE_FN_ int xt_opaque_side_(const xt_ctx *x) { return cm_coop_shape_of(&x->target, CM_F16, CM_F32)->n; }

/* Have operands of this use matrices of the shape that sums have? */
XE_FN_ bool xt_is_opaque_operand_like_(xt_ctx *x, const cm_layout *sums, cm_use use)
{
    const cm_coop_shape *s = use == CM_OPAQUE_ACC ? NULL : xt_operand_shape_(x, sums->type);
    return s && sums->size_j == (use == CM_OPAQUE_A ? s->k : s->m) &&
           sums->size_i == (use == CM_OPAQUE_B ? s->k : s->n);
}

/* Stores the matrices of the strip that begins at this row and column of the block, or loads them. */
XE_FN_ void xt_opaque_strip_move_(xt_ctx *x, const xt_opaque_strip_ *s, cm_matrix *a, int row, int col, bool store)
{
    spe_module *m = &x->m;
    spe_id pitch = spe_i32(m, s->pitch), type = cm_part_type(&x->cm, &a->layout, 0);
    int wide = a->layout.size_i, across = a->layout.rows / wide;
    for (int j = 0; j < s->cols / wide; j++) {
        spe_id *part = &a->part[row / s->rows * across + col / wide + j];
        spe_id ptr = spe_index(m, s->ptr, spe_i32(m, j * wide * s->pitch));
        if (store) spe_coop_store(m, ptr, *part, SPE_CooperativeMatrixLayoutColumnMajorKHR, pitch);
        else *part = spe_coop_load(m, type, ptr, SPE_CooperativeMatrixLayoutColumnMajorKHR, pitch);
    }
}

/* A strip of a block as a vector of lanes. */
XE_FN_ cm_matrix xt_opaque_strip_get_(xt_ctx *x, const xt_opaque_strip_ *s, cm_matrix *opaque, int row, int col)
{
    cm_mem mem = xt_opaque_strip_mem_(x, s);
    spe_sg_barrier(&x->m);
    xt_opaque_strip_move_(x, s, opaque, row, col, true);
    spe_sg_barrier(&x->m);
    return cm_load(&x->cm, s->cols, s->rows, s->plain.type, CM_ACC, &mem);
}

/* Moves a block strip by strip, from matrices to a vector of lanes or back; `to` has room for its parts. */
XE_FN_ void xt_opaque_move_(xt_ctx *x, cm_matrix *opaque, cm_matrix *plain, bool to_plain)
{
    xt_opaque_strip_ s = xt_opaque_strip_of_(x, &opaque->layout);
    cm_mem mem = xt_opaque_strip_mem_(x, &s);
    for (int col = 0; col < opaque->layout.rows; col += s.cols)
        for (int row = 0; row < opaque->layout.cols && spe_ok(&x->m); row += s.rows) {
            spe_id *parts = plain->part + col / s.cols * s.band + row / s.rows * s.parts;
            cm_matrix strip;
            if (to_plain) {
                strip = xt_opaque_strip_get_(x, &s, opaque, row, col);
                for (int i = 0; i < strip.parts; i++) parts[i] = strip.part[i];
            } else {
                spe_sg_barrier(&x->m);
                strip = cm_from_parts(&x->cm, &s.plain, parts);
                cm_store(&x->cm, &strip, &mem);
                spe_sg_barrier(&x->m);
                xt_opaque_strip_move_(x, &s, opaque, row, col, false);
            }
        }
}

/* A matrix of this size and use, in our terms of coopmatrix.h, without values yet. */
XE_FN_ cm_matrix xt_opaque_room_(xt_ctx *x, int rows, int cols, cm_type type, cm_use use)
{
    cm_matrix a = XT_ZERO_;
    a.layout = cm_layout_for(&x->cm, rows, cols, type, use);
    a.parts = a.layout.rows ? cm_part_count(&a.layout) : 0;
    a.part = (spe_id *)xt_memory_(x, (size_t)(a.parts ? a.parts : 1) * sizeof *a.part);
    if (!a.part) a.parts = 0;
    return a;
}

/* Sums as operands, whose matrices have the same shape: line after line through local memory, as many columns at a time
 * as there is room for. */
XE_FN_ cm_matrix xt_opaque_as_operand_(xt_ctx *x, const cm_matrix *a, cm_use use)
{
    const uint32_t order = SPE_CooperativeMatrixLayoutRowMajorKHR;
    const cm_layout *l = &a->layout;
    spe_module *m = &x->m;
    cm_matrix to = xt_opaque_room_(x, l->rows, l->cols, l->type, use);
    xt_opaque_strip_ s = xt_opaque_strip_of_(x, l);
    int each = 16 / xt_bytes_((int)l->type), wide = l->size_i, across = l->rows / wide, side_by_side = 1;
    while (side_by_side < across && across % (2 * side_by_side) == 0 &&
           (2 * side_by_side * wide + each) * l->size_j <= xt_strip_words_(x) / 4 * each)
        side_by_side *= 2;
    int line = side_by_side * wide / each + 1; /* vectors */
    spe_id type = cm_part_type(&x->cm, &to.layout, 0), pitch = spe_i32(m, line * each), vectors = spe_i32(m, line);
    for (int i = 0; i < to.parts && spe_ok(m); i += side_by_side) {
        spe_sg_barrier(m);
        for (int j = 0; j < side_by_side; j++)
            spe_coop_store(m, spe_index(m, s.ptr, spe_i32(m, j * wide)), a->part[i + j], order, pitch);
        spe_sg_barrier(m);
        for (int j = 0; j < side_by_side; j++) {
            spe_id at = spe_iadd(m, s.vector, spe_u32(m, (uint32_t)(j * wide / each)));
            to.part[i + j] = spe_vectors_coop_load(m, type, x->panel_memory, at, order, vectors);
        }
    }
    return to;
}

/* A column, of which opaque matrices have a copy in each of theirs, from matrices to lanes. */
XE_FN_ cm_matrix xt_opaque_column_get_(xt_ctx *x, const cm_matrix *a)
{
    spe_module *m = &x->m;
    const cm_layout *l = &a->layout;
    xt_opaque_strip_ s = xt_opaque_strip_of_(x, l);
    cm_mem mem = xt_opaque_strip_mem_(x, &s);
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), pitch = spe_i32(m, s.pitch), rows = spe_i32(m, s.rows);
    mem.ptr = spe_index(m, s.ptr, spe_i32(m, l->size_i * s.pitch));
    for (int i = 0; i < a->parts && spe_ok(m); i++) {
        spe_sg_barrier(m);
        spe_coop_store(m, s.ptr, a->part[i], SPE_CooperativeMatrixLayoutColumnMajorKHR, pitch);
        spe_sg_barrier(m);
        spe_if(m, spe_ult(m, lane, rows));
        spe_id one = spe_load(m, spe_index(m, s.ptr, lane), 0), at = spe_iadd(m, lane, spe_i32(m, i * s.rows));
        spe_store(m, spe_index(m, mem.ptr, at), one, 0);
        spe_endif(m, 0, NULL, NULL);
    }
    spe_sg_barrier(m);
    return cm_load(&x->cm, 1, l->cols, l->type, CM_ACC, &mem);
}

/* The same, from lanes to matrices. */
XE_FN_ cm_matrix xt_opaque_column_put_(xt_ctx *x, const cm_matrix *a)
{
    spe_module *m = &x->m;
    cm_matrix to = xt_opaque_room_(x, xt_opaque_side_(x), a->layout.cols, a->layout.type, CM_OPAQUE_ACC);
    xt_opaque_strip_ s = xt_opaque_strip_of_(x, &to.layout);
    cm_mem mem = xt_opaque_strip_mem_(x, &s);
    spe_id type = cm_part_type(&x->cm, &to.layout, 0), none = spe_i32(m, 0);
    spe_sg_barrier(m);
    cm_store(&x->cm, a, &mem);
    spe_sg_barrier(m);
    for (int i = 0; i < to.parts && spe_ok(m); i++) {
        spe_id ptr = spe_index(m, s.ptr, spe_i32(m, i * s.rows));
        to.part[i] = spe_coop_load(m, type, ptr, SPE_CooperativeMatrixLayoutColumnMajorKHR, none);
    }
    return to;
}

/* Converts a block of a vector to another layout, of which at least one is opaque. */
XE_FN_ cm_matrix xt_opaque_convert_(xt_ctx *x, const xt_fragments_ *v, int block, cm_use use)
{
    cm_matrix from = v->block[block], to;
    bool column = xt_is_opaque_column_(&v->dist);
    const cm_layout l = from.layout;
    if (l.use == CM_OPAQUE_ACC && xt_is_opaque_(use) && xt_is_opaque_operand_like_(x, &l, use))
        return xt_opaque_as_operand_(x, &from, use);
    if (xt_is_opaque_(l.use)) {
        xt_fragments_ plain = *v;
        if (column) to = xt_opaque_column_get_(x, &from);
        else to = xt_opaque_room_(x, l.rows, l.cols, l.type, CM_ACC);
        if (!column && to.parts) xt_opaque_move_(x, &from, &to, true);
        plain.block = &to;
        return xt_is_opaque_(use) ? xt_opaque_convert_(x, &plain, 0, use) : cm_convert_use(&x->cm, &to, use);
    }
    if (l.use != CM_ACC) from = cm_convert_use(&x->cm, &v->block[block], CM_ACC);
    if (column) return xt_opaque_column_put_(x, &from);
    to = xt_opaque_room_(x, l.rows, l.cols, l.type, use);
    if (to.parts && from.parts) xt_opaque_move_(x, &to, &from, false);
    return to;
}

/* A vector like v, with room for its matrices of this use. */
XE_FN_ xt_fragments_ xt_opaque_like_(xt_ctx *x, uint32_t id, cm_use use)
{
    xt_fragments_ r = xt_form_of_(x, id);
    r.use = use;
    xt_block_ b = xt_blocks_(x, &r.dist);
    r.block = (cm_matrix *)xt_memory_(x, (size_t)b.grid.blocks * sizeof *r.block);
    r.blocks = r.block ? b.grid.blocks : 0;
    while (r.blocks && xt_next_block_(&b)) {
        int cols = xt_is_opaque_column_(&r.dist) ? xt_opaque_side_(x) : b.cols;
        r.block[b.i] = xt_opaque_room_(x, cols, b.rows, r.type, use);
    }
    return r;
}

XE_FN_ xt_fragments_ xt_opaque_vec_(xt_ctx *x, uint32_t id) { return xt_opaque_like_(x, id, CM_OPAQUE_ACC); }

/* The number of its matrices. */
XE_FN_ int xt_opaque_parts_(xt_ctx *x, uint32_t id)
{
    xt_fragments_ r = xt_opaque_vec_(x, id);
    int n = 0;
    for (int i = 0; i < r.blocks; i++) n += r.block[i].parts;
    return n;
}

/* A vector like v with the same number in each element, as matrices of this use. */
XE_FN_ xt_fragments_ xt_opaque_splat_(xt_ctx *x, uint32_t id, cm_use use, spe_id scalar)
{
    xt_fragments_ r = xt_opaque_like_(x, id, use);
    for (int i = 0; i < r.blocks; i++)
        r.block[i] = cm_splat(&x->cm, r.block[i].layout.rows, r.block[i].layout.cols, r.type, use, scalar);
    return r;
}

/* The matrix that begins at this row and column of a piece of a vector. */
XE_FN_ spe_id *xt_opaque_at_(xt_ctx *x, const xt_fragments_ *v, int round0, int round1, int row, int col)
{
    xt_grid_ g;
    int i = 0, j = 0;
    xt_grid_init_(x, &g, &v->dist);
    while (i + 1 < g.cut[0].n && g.cut[0].at[i + 1] <= row) i++;
    while (j + 1 < g.cut[1].n && g.cut[1].at[j + 1] <= col) j++;
    const cm_matrix *b = &v->block[xt_block_number_(&g, round0, round1, i, j)];
    const cm_layout *l = &b->layout;
    int part = (row - g.cut[0].at[i]) / l->size_j * (l->rows / l->size_i) + (col - g.cut[1].at[j]) / l->size_i;
    return &b->part[part];
}

/* lower/panels.c - operands of the device's matrices in local memory (passes/opaque.c): the work-group copies a tile as
 * it lies in memory, 16 bytes a lane. In a loop each iteration fetches the tile of the next, while its own is
 * multiplied. */

enum { XT_VECTOR_ = 16 };

/* How a lane copies its part: in bursts, vectors that follow one another in a line. In a loop's inner iterations lines
 * begin at multiples of 16 bytes, so that a vector is a block of memory, and the tile is inside of its matrix along the
 * dimension in which the loop moves it; else a burst lies in one block more than it has vectors. */
typedef struct {
    bool inner;
    int burst, bursts, blocks; /* vectors of a burst; bursts; blocks of a burst */
} xt_panel_copy_;

XE_FN_ xt_panel_copy_ xt_panel_copy_of_(const xt_panel_ *p, bool inner)
{
    xt_panel_copy_ copy;
    copy.inner = inner;
    copy.burst = inner ? 1 : p->burst;
    copy.bursts = p->units / copy.burst;
    copy.blocks = inner ? 1 : copy.burst + 1;
    return copy;
}

/* Does the panel's loop move the tile along this dimension? */
XE_FN_ bool xt_panel_moves_(xt_ctx *x, const xt_panel_ *p, int dim)
{
    return p->loop && xt_advances_(x, p->from, p->loop, dim, (int)xt_number_(x, p->loop->step)->integer);
}

/* How many lines below a lane's first burst another is, if that is the same for all lanes; else 0. */
XE_FN_ int xt_panel_down_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, int burst)
{
    int group = xt_group_size_(x), in_line = p->chunks / copy->burst;
    bool even = group % in_line == 0 && p->units * group == p->lines * p->chunks;
    return even ? burst * group / in_line : 0;
}

/* The line in which a burst lies, and its first vector there. */
typedef struct {
    spe_id line, chunk;
} xt_panel_unit_;

/* Those of a lane's burst. Several lanes may have the same. */
XE_FN_ xt_panel_unit_ xt_panel_unit_of_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, int burst)
{
    spe_module *m = &x->m;
    int group = xt_group_size_(x), all = p->lines * p->chunks / copy->burst, down = xt_panel_down_(x, p, copy, burst);
    spe_id n = spe_builtin(m, SPE_LOCAL_ID, 0), in_line = spe_u32(m, (uint32_t)(p->chunks / copy->burst));
    xt_panel_unit_ u;
    if (!down) n = spe_iadd(m, n, spe_i32(m, burst * group));
    if (copy->bursts * group > all) n = spe_umod(m, n, spe_i32(m, all));
    u.line = spe_udiv(m, n, in_line);
    if (down) u.line = spe_iadd(m, u.line, spe_i32(m, down));
    u.chunk = spe_umod(m, n, in_line);
    u.chunk = spe_imul(m, u.chunk, spe_i32(m, copy->burst));
    return u;
}

/* Where a burst is in local memory; *first: where burst 0 is, which is found before others. */
XE_FN_ spe_id xt_panel_index_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, int burst, spe_id *first)
{
    spe_module *m = &x->m;
    int down = xt_panel_down_(x, p, copy, burst);
    if (down) return spe_iadd(m, *first, spe_i32(m, down * p->pitch));
    xt_panel_unit_ u = xt_panel_unit_of_(x, p, copy, burst);
    spe_id at = spe_imul(m, u.line, spe_i32(m, p->pitch));
    at = spe_iadd(m, at, u.chunk);
    at = spe_iadd(m, at, spe_i32(m, p->at));
    if (!burst) *first = at;
    return at;
}

/* ---- from memory ------------------------------------------------------------------------------------------------- */

/* Does each line of the tile begin at a multiple of 16 bytes? */
XE_FN_ spe_id xt_panel_aligned_(xt_ctx *x, const xt_tile *t)
{
    spe_module *m = &x->m;
    spe_id bytes = spe_i32(m, xt_bytes_(t->type)), zero = spe_i32(m, 0), all, one;
    all = spe_ptr_to_u(m, spe_int(m, 64), t->base.id);
    all = spe_uconvert(m, spe_int(m, 32), all);
    one = spe_imul(m, xt_index_id_(x, &t->pitch), bytes);
    all = spe_or(m, all, one);
    one = spe_imul(m, xt_index_id_(x, &t->offset[xt_inner_(t)]), bytes);
    all = spe_or(m, all, one);
    all = spe_and(m, all, spe_i32(m, XT_VECTOR_ - 1));
    return spe_ieq(m, all, zero);
}

/* How far `size` rows or columns from the tile's offset on are from its matrix's end; negative: some are outside. */
XE_FN_ spe_id xt_panel_left_(xt_ctx *x, const xt_tile *t, int dim, int size)
{
    spe_module *m = &x->m;
    spe_id extent = dim == xt_inner_(t) ? xt_index_id_(x, &t->shape[dim]) : xt_lines_id_(x, t);
    extent = spe_isub(m, extent, spe_i32(m, size));
    return spe_isub(m, extent, xt_index_id_(x, &t->offset[dim]));
}

/* Are they in its matrix? */
XE_FN_ spe_id xt_panel_inside_(xt_ctx *x, const xt_tile *t, int dim, int size)
{
    spe_module *m = &x->m;
    spe_id zero = spe_i32(m, 0), left = xt_panel_left_(x, t, dim, size);
    left = spe_or(m, left, xt_index_id_(x, &t->offset[dim]));
    return spe_sge(m, left, zero); /* neither is negative */
}

/* Can vectors be stored as they are? What is outside need not be zero if nobody sees it. */
XE_FN_ spe_id xt_panel_needs_no_zeros_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t)
{
    spe_module *m = &x->m;
    spe_id yes = spe_const_bool(m, true), all = yes;
    for (int dim = 0; dim < 2 && !t->inside; dim++) {
        if (copy->inner && (p->ends_unseen || xt_panel_moves_(x, p, dim))) continue;
        spe_id one = xt_panel_inside_(x, t, dim, t->dist.shape[dim]);
        all = all == yes ? one : spe_land(m, all, one);
    }
    return all;
}

/* Where a vector of a tile lies in the matrix: its line, and its first element there. */
typedef struct {
    spe_id line, along;
} xt_panel_position_;

XE_FN_ xt_panel_position_ xt_panel_position_of_(xt_ctx *x, const xt_tile *t, const xt_panel_unit_ *u)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t);
    xt_panel_position_ at;
    at.line = spe_iadd(m, xt_index_id_(x, &t->offset[!inner]), u->line);
    at.along = spe_imul(m, u->chunk, spe_i32(m, XT_VECTOR_ / xt_bytes_(t->type)));
    at.along = spe_iadd(m, xt_index_id_(x, &t->offset[inner]), at.along);
    return at;
}

XE_FN_ spe_id xt_panel_read_(xt_ctx *x, spe_id address)
{
    spe_module *m = &x->m;
    spe_id vector = spe_vec(m, spe_int(m, 32), 4);
    return spe_load(m, spe_u_to_ptr(m, spe_ptr(m, SPE_StorageClassCrossWorkgroup, vector), address), XT_VECTOR_);
}

/* The first byte of an element, from the block of 16 bytes in which its matrix begins. */
XE_FN_ spe_id xt_panel_byte_(xt_ctx *x, const xt_tile *t, spe_id line, spe_id along)
{
    spe_module *m = &x->m;
    spe_id i64 = spe_int(m, 64), size = spe_i32(m, xt_bytes_(t->type)), at, more;
    at = spe_uconvert(m, i64, spe_imul(m, xt_index_id_(x, &t->pitch), size));
    at = spe_imul(m, spe_sconvert(m, i64, line), at);
    more = spe_sconvert(m, i64, spe_imul(m, along, size));
    at = spe_iadd(m, at, more);
    more = spe_u64(m, XT_VECTOR_ - 1);
    more = spe_and(m, spe_ptr_to_u(m, i64, t->base.id), more);
    return spe_iadd(m, at, more);
}

/* The block in which it is. */
XE_FN_ spe_id xt_panel_block_(xt_ctx *x, const xt_tile *t, spe_id line, spe_id along)
{
    spe_module *m = &x->m;
    spe_id four = spe_u64(m, 4), byte = xt_panel_byte_(x, t, line, along);
    byte = spe_shr(m, byte, four);
    return spe_uconvert(m, spe_int(m, 32), byte);
}

/* The last of so many, or the first if there are none. */
XE_FN_ spe_id xt_panel_last_(xt_ctx *x, spe_id n)
{
    spe_module *m = &x->m;
    spe_id one = spe_i32(m, 1), zero = spe_i32(m, 0);
    return spe_math2(m, SPE_SMAX, spe_isub(m, n, one), zero);
}

/* The block of a lane's vector in an inner iteration, for which 32 bits are enough; *first: of vector 0, which is found
 * before others. Instead of lines and columns outside the last is read, without a branch, and the same in all
 * iterations. */
XE_FN_ spe_id xt_panel_inner_block_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t, int i,
                                    spe_id *first)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t), bytes = xt_bytes_(t->type), down = xt_panel_down_(x, p, copy, i);
    spe_id in_block = spe_u32(m, (uint32_t)(XT_VECTOR_ / bytes)), size = spe_i32(m, bytes), four = spe_u32(m, 4);
    spe_id pitch = spe_udiv(m, xt_index_id_(x, &t->pitch), in_block);
    if (down && xt_panel_moves_(x, p, !inner)) return spe_iadd(m, *first, spe_imul(m, pitch, spe_i32(m, down)));
    xt_panel_unit_ u = xt_panel_unit_of_(x, p, copy, i);
    xt_panel_position_ at = xt_panel_position_of_(x, t, &u);
    at.along = spe_sar(m, spe_imul(m, at.along, size), four);
    if (xt_panel_moves_(x, p, inner)) {
        at.line = spe_math2(m, SPE_UMIN, at.line, xt_panel_last_(x, xt_lines_id_(x, t)));
    } else {
        spe_id last = xt_panel_last_(x, xt_index_id_(x, &t->shape[inner]));
        last = spe_sar(m, spe_imul(m, last, size), four);
        at.along = spe_math2(m, SPE_UMIN, at.along, last);
    }
    spe_id block = spe_iadd(m, spe_imul(m, at.line, pitch), at.along);
    if (!i) *first = block;
    return block;
}

/* The block with the last element of a matrix. */
XE_FN_ spe_id xt_panel_last_block_(xt_ctx *x, const xt_tile *t)
{
    spe_id line = xt_panel_last_(x, xt_lines_id_(x, t));
    spe_id along = xt_panel_last_(x, xt_index_id_(x, &t->shape[xt_inner_(t)]));
    return xt_panel_block_(x, t, line, along);
}

/* The first block of a lane's burst. */
XE_FN_ spe_id xt_panel_burst_block_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t,
                                    int burst)
{
    xt_panel_unit_ u = xt_panel_unit_of_(x, p, copy, burst);
    xt_panel_position_ at = xt_panel_position_of_(x, t, &u);
    return xt_panel_block_(x, t, at.line, at.along);
}

/* Fetches the blocks in which a lane's bursts lie. Those from the block with the matrix's first byte to that with its
 * last can be read; instead of others, whose bytes are not used, the last is. */
XE_FN_ void xt_panel_fetch_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t)
{
    spe_module *m = &x->m;
    spe_id i64 = spe_int(m, 64), mask = spe_u64(m, ~(uint64_t)(XT_VECTOR_ - 1)), size = spe_u64(m, XT_VECTOR_);
    spe_id base = spe_and(m, spe_ptr_to_u(m, i64, t->base.id), mask), first = 0, *got = p->got;
    spe_id last = copy->inner ? 0 : xt_panel_last_block_(x, t), from, at;
    for (int i = 0; i < copy->bursts; i++) {
        if (copy->inner) from = xt_panel_inner_block_(x, p, copy, t, i, &first);
        else from = xt_panel_burst_block_(x, p, copy, t, i);
        for (int j = 0; j < copy->blocks; j++) {
            at = j ? spe_iadd(m, from, spe_i32(m, j)) : from;
            if (!copy->inner) at = spe_math2(m, SPE_UMIN, at, last);
            at = spe_imul(m, spe_uconvert(m, i64, at), size);
            *got++ = xt_panel_read_(x, spe_iadd(m, base, at));
        }
    }
}

/* Makes room for what is fetched. */
XE_FN_ bool xt_panel_room_for_(xt_ctx *x, xt_panel_ *p)
{
    if (!p->got) p->got = (spe_id *)xt_memory_(x, 2 * (size_t)p->blocks * sizeof *p->got);
    return p->got != NULL;
}

/* ---- what was fetched, as it is in local memory ------------------------------------------------------------------ */

/* Those of `n` words that begin so many words later if a bit of the address is set. */
XE_FN_ void xt_panel_skip_(xt_ctx *x, spe_id address, int bit, spe_id *words, int n)
{
    spe_module *m = &x->m;
    spe_id set = spe_and(m, address, spe_u32(m, 1u << bit));
    set = spe_ine(m, set, spe_u32(m, 0));
    for (int i = 0; i < n; i++) words[i] = spe_select(m, set, words[i + (1 << bit) / 4], words[i]);
}

/* The vectors of a burst that begins at any address, of the blocks in which it lies. */
XE_FN_ void xt_panel_shift_(xt_ctx *x, spe_id address, const spe_id *block, int burst, spe_id *vectors)
{
    enum { MOST = 4 * (XT_PANEL_BLOCKS_ + 1) };
    spe_module *m = &x->m;
    spe_id i64 = spe_int(m, 64), word = spe_int(m, 32), words[MOST], bits, high = spe_u64(m, 32);
    for (int i = 0; i < 4 * (burst + 1); i++) words[i] = spe_extract(m, block[i / 4], (uint32_t)i % 4);
    address = spe_uconvert(m, word, address);
    xt_panel_skip_(x, address, 3, words, 4 * burst + 2);
    xt_panel_skip_(x, address, 2, words, 4 * burst + 1);
    bits = spe_and(m, address, spe_u32(m, 3));
    bits = spe_uconvert(m, i64, spe_shl(m, bits, spe_u32(m, 3)));
    for (int i = 0; i < 4 * burst; i++) {
        spe_id both = spe_shl(m, spe_uconvert(m, i64, words[i + 1]), high);
        both = spe_or(m, both, spe_uconvert(m, i64, words[i]));
        words[i] = spe_uconvert(m, word, spe_shr(m, both, bits));
    }
    for (int i = 0; i < burst; i++) vectors[i] = spe_construct(m, spe_vec(m, word, 4), 4, words + 4 * i);
}

/* A number, at least 0 and at most `most`. */
XE_FN_ spe_id xt_panel_clamp_(xt_ctx *x, spe_id n, int most)
{
    n = spe_math2(&x->m, SPE_SMAX, n, spe_i32(&x->m, 0));
    return spe_math2(&x->m, SPE_SMIN, n, spe_i32(&x->m, most));
}

/* The lowest bits of word i of a vector, of whose bits so many are meant. */
XE_FN_ spe_id xt_panel_bits_(xt_ctx *x, spe_id bits, int i)
{
    spe_module *m = &x->m;
    spe_id all = spe_i32(m, -1), zero = spe_u32(m, 0);
    bits = xt_panel_clamp_(x, spe_isub(m, bits, spe_i32(m, 32 * i)), 32);
    return spe_bits_extract(m, all, zero, bits, false);
}

/* The bits of a vector's words whose elements are within the extent of lines. In inner iterations, no vector has
 * elements before the first and others after it. */
XE_FN_ void xt_panel_within_(xt_ctx *x, const xt_tile *t, bool inner, spe_id along, spe_id words[4])
{
    spe_module *m = &x->m;
    int bits = 8 * xt_bytes_(t->type), elements = XT_VECTOR_ / xt_bytes_(t->type);
    spe_id none = spe_i32(m, 0), size = spe_i32(m, bits), extent, first, end;
    extent = spe_extent(m, xt_index_id_(x, &t->shape[xt_inner_(t)]));
    end = xt_panel_clamp_(x, spe_isub(m, extent, along), elements);
    if (inner) end = spe_select(m, spe_slt(m, along, none), none, end);
    end = spe_imul(m, end, size);
    for (int i = 0; i < 4; i++) words[i] = xt_panel_bits_(x, end, i);
    if (inner) return;
    first = xt_panel_clamp_(x, spe_isub(m, none, along), elements);
    first = spe_imul(m, first, size);
    for (int i = 0; i < 4; i++) {
        spe_id before = spe_not(m, xt_panel_bits_(x, first, i));
        words[i] = spe_and(m, words[i], before);
    }
}

/* A vector of a line, of whose words these bits are meant; zero if the line is not in the matrix. */
XE_FN_ spe_id xt_panel_mask_(xt_ctx *x, const xt_tile *t, spe_id line, const spe_id within[4], spe_id vector)
{
    spe_module *m = &x->m;
    spe_id all = spe_i32(m, -1), none = spe_i32(m, 0), words[4];
    spe_id lines = spe_select(m, spe_ult(m, line, spe_extent(m, xt_lines_id_(x, t))), all, none);
    for (int i = 0; i < 4; i++) {
        words[i] = spe_and(m, spe_extract(m, vector, (uint32_t)i), within[i]);
        words[i] = spe_and(m, words[i], lines);
    }
    return spe_construct(m, spe_vec(m, spe_int(m, 32), 4), 4, words);
}

/* Returns a lane's vectors, of the blocks that were fetched. */
XE_FN_ const spe_id *xt_panel_join_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t)
{
    spe_id *vectors = copy->inner ? p->got : p->got + p->blocks;
    for (int i = 0; i < copy->bursts && !copy->inner; i++) {
        xt_panel_unit_ u = xt_panel_unit_of_(x, p, copy, i);
        xt_panel_position_ at = xt_panel_position_of_(x, t, &u);
        spe_id byte = xt_panel_byte_(x, t, at.line, at.along);
        xt_panel_shift_(x, byte, p->got + i * copy->blocks, copy->burst, vectors + i * copy->burst);
    }
    return vectors;
}

/* Stores a lane's vectors as they are, or with zero for elements that are not in the matrix. */
XE_FN_ void xt_panel_put_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t, bool masked,
                          const spe_id *vectors)
{
    spe_module *m = &x->m;
    spe_id first = 0, within[4 * XT_PANEL_BLOCKS_];
    for (int i = 0; i < copy->bursts; i++) {
        xt_panel_unit_ u = xt_panel_unit_of_(x, p, copy, i);
        spe_id at = xt_panel_index_(x, p, copy, i, &first);
        bool below = xt_panel_down_(x, p, copy, i) > 0; /* the same part of another line */
        for (int j = 0; j < copy->burst; j++) {
            spe_id to = j ? spe_iadd(m, at, spe_i32(m, j)) : at, vector = vectors[i * copy->burst + j];
            if (masked) {
                xt_panel_unit_ v = u;
                v.chunk = spe_iadd(m, u.chunk, spe_i32(m, j));
                xt_panel_position_ place = xt_panel_position_of_(x, t, &v);
                if (!below) xt_panel_within_(x, t, copy->inner, place.along, within + 4 * j);
                vector = xt_panel_mask_(x, t, place.line, within + 4 * j, vector);
            }
            spe_vectors_store(m, x->panel_memory, to, vector);
        }
    }
}

/* The same, as the tile needs it. No values leave the sides: compilers would wait for them. */
XE_FN_ void xt_panel_put_any_(xt_ctx *x, const xt_panel_ *p, const xt_panel_copy_ *copy, const xt_tile *t,
                              const spe_id *vectors)
{
    spe_module *m = &x->m;
    spe_id as_they_are = xt_panel_needs_no_zeros_(x, p, copy, t);
    bool always = as_they_are == spe_const_bool(m, true);
    if (!always) spe_if(m, as_they_are);
    xt_panel_put_(x, p, copy, t, false, vectors);
    if (always) return;
    spe_else(m, 0, NULL);
    xt_panel_put_(x, p, copy, t, true, vectors);
    spe_endif(m, 0, NULL, NULL);
}

/* Waits for the other subgroups' accesses to local memory; those to other memory may go on. */
XE_FN_ void xt_panels_wait_(xt_ctx *x)
{
    const uint32_t order = SPE_MemorySemanticsAcquireRelease | SPE_MemorySemanticsWorkgroupMemory;
    spe_control_barrier(&x->m, SPE_ScopeWorkgroup, SPE_ScopeWorkgroup, order);
}

/* The matrix that begins so many rows and columns after this subgroup's first piece. */
XE_FN_ spe_id xt_panel_matrix_(xt_ctx *x, const xt_panel_ *p, cm_use use, int row, int col)
{
    spe_module *m = &x->m;
    const xt_tile *t = p->from;
    int inner = xt_inner_(t), bytes = xt_bytes_(t->type), place[2] = {row, col};
    uint32_t order = inner ? SPE_CooperativeMatrixLayoutRowMajorKHR : SPE_CooperativeMatrixLayoutColumnMajorKHR;
    spe_id at[2];
    for (int i = 0; i < 2; i++) {
        spe_id more = spe_i32(m, place[i]);
        at[i] = spe_iadd(m, xt_piece_offset_id_(x, &t->dist, i), more);
    }
    spe_id pitch = spe_i32(m, p->pitch), first = spe_i32(m, p->at), line = spe_imul(m, at[!inner], pitch);
    spe_id chunk = spe_udiv(m, at[inner], spe_u32(m, (uint32_t)(XT_VECTOR_ / bytes)));
    line = spe_iadd(m, line, chunk);
    line = spe_iadd(m, line, first);
    const cm_coop_shape *s = xt_operand_shape_(x, (cm_type)t->type);
    bool left = use == CM_OPAQUE_B;
    cm_layout l = cm_layout_for(&x->cm, left ? s->k : s->n, left ? s->m : s->k, (cm_type)t->type, use);
    spe_id type = cm_part_type(&x->cm, &l, 0);
    return spe_vectors_coop_load(m, type, x->panel_memory, line, order, pitch);
}

/* ---- when -------------------------------------------------------------------------------------------------------- */

XE_FN_ xt_panel_ *xt_panel_at_(xt_ctx *x, int i) { return (xt_panel_ *)x->panels.items + i; }

/* Loads all of this subgroup's matrices of a panel, whose place in local memory is then free. */
XE_FN_ void xt_hold_panel_(xt_ctx *x, const xt_panel_ *p, uint32_t id)
{
    xt_fragments_ v = xt_opaque_like_(x, id, p->use);
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_next_block_(&b);) {
        cm_matrix *a = &v.block[b.i];
        int across = a->parts ? a->layout.rows / a->layout.size_i : 1;
        for (int i = 0; i < a->parts; i++)
            a->part[i] = xt_panel_matrix_(x, p, p->use, b.row + i / across * a->layout.size_j,
                                          b.col + i % across * a->layout.size_i);
    }
    spe_barrier(&x->m);
    xt_define_vec_(x, id, v);
}

/* A load outside of such loops: copies its tile at once. False if the vector is not a panel. */
XE_FN_ bool xt_write_panel_(xt_ctx *x, const xt_node_ *n)
{
    int number = xt_value_at_(x, n->result)->panel;
    if (!number) return false;
    xt_panel_ *p = xt_panel_at_(x, number - 1);
    if (p->loop) return true; /* it lies there since the iteration began */
    xt_tile t = xt_group_tile_(x, p->from);
    if (!xt_panel_room_for_(x, p)) return true;
    xt_panel_copy_ copy = xt_panel_copy_of_(p, false);
    xt_panel_fetch_(x, p, &copy, &t);
    const spe_id *vectors = xt_panel_join_(x, p, &copy, &t);
    spe_barrier(&x->m);
    xt_panel_put_any_(x, p, &copy, &t, vectors);
    spe_barrier(&x->m);
    if (p->kept) xt_hold_panel_(x, p, n->result);
    return true;
}

/* The blocks that a lane fetches of a panel in a loop's iteration for the next one. */
XE_FN_ int xt_panel_carried_(const xt_frame_ *f, const xt_panel_ *p) { return f->inner ? p->units : p->blocks; }

/* The number of all. */
XE_FN_ int xt_panel_ids_(xt_ctx *x, const xt_frame_ *f)
{
    int n = 0;
    for (int i = 0; i < x->panels.count; i++)
        if (xt_panel_at_(x, i)->loop == f) n += xt_panel_carried_(f, xt_panel_at_(x, i));
    return n;
}

/* Copies them behind the ids that the loop carries, or from there. */
XE_FN_ void xt_panels_carry_(xt_ctx *x, const xt_frame_ *f, bool to_ids)
{
    spe_id *ids = f->ids + f->id_count;
    for (int i = 0; i < x->panels.count; i++) {
        xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !p->got) continue;
        int n = xt_panel_carried_(f, p);
        memcpy(to_ids ? ids : p->got, to_ids ? p->got : ids, (size_t)n * sizeof *ids);
        ids += n;
    }
}

/* Have the lines of all panels of a loop aligned places in all its iterations? */
XE_FN_ spe_id xt_panels_aligned_(xt_ctx *x, const xt_frame_ *f)
{
    spe_module *m = &x->m;
    spe_id all = spe_const_bool(m, true);
    for (int i = 0; i < x->panels.count; i++) {
        const xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f) continue;
        xt_tile t = xt_group_tile_(x, p->from);
        bool along = xt_panel_moves_(x, p, xt_inner_(&t));
        if (along && xt_number_(x, f->step)->integer * xt_bytes_(t.type) % XT_VECTOR_) return spe_const_bool(m, false);
        all = spe_land(m, all, xt_panel_aligned_(x, &t));
    }
    return all;
}

/* Where the loop's inner iterations end, all of which come first; the values are those of the iteration `from`. */
XE_FN_ spe_id xt_panels_inner_end_(xt_ctx *x, const xt_frame_ *f, spe_id from, spe_id to)
{
    spe_module *m = &x->m;
    const int32_t by = (int32_t)xt_number_(x, f->step)->integer;
    spe_id some = xt_panels_aligned_(x, f), step = spe_i32(m, by), most = spe_isub(m, to, from);
    for (int i = 0; i < x->panels.count; i++) {
        const xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f) continue;
        xt_tile t = xt_group_tile_(x, p->from);
        int dim = xt_panel_moves_(x, p, 0) ? 0 : 1;
        int size = t.dist.shape[dim];
        spe_id inside = xt_panel_inside_(x, &t, dim, size), left = xt_panel_left_(x, &t, dim, size);
        spe_id others = spe_udiv(m, left, step);
        some = spe_land(m, some, inside);
        most = spe_math2(m, SPE_SMIN, most, spe_iadd(m, spe_imul(m, others, step), step));
    }
    return spe_select(m, some, spe_iadd(m, from, most), from);
}

/* The tile of the iteration that is so much later. */
XE_FN_ xt_tile xt_panel_later_(xt_ctx *x, const xt_panel_ *p, spe_id by)
{
    xt_tile t = xt_group_tile_(x, p->from);
    for (int i = 0; i < 2; i++) {
        if (!xt_panel_moves_(x, p, i)) continue;
        t.offset[i] = xt_scalar_(CM_I32, spe_iadd(&x->m, t.offset[i].id, by), 1);
    }
    return t;
}

/* Fetches the tiles of the iteration that is so much later, if there is one; else what the loop carries remains. The
 * branch keeps them in a block of their own: compilers move them to where they are stored otherwise. */
XE_FN_ void xt_panels_fetch_(xt_ctx *x, const xt_frame_ *f, spe_id condition, spe_id by)
{
    spe_module *m = &x->m;
    uint32_t n = (uint32_t)f->panel_ids;
    spe_id *ids = f->ids + f->id_count, *before = ids + n;
    memcpy(before, ids, n * sizeof *ids);
    spe_if(m, condition);
    for (int i = 0; i < x->panels.count; i++) {
        xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !xt_panel_room_for_(x, p)) continue;
        xt_tile t = xt_panel_later_(x, p, by);
        xt_panel_copy_ copy = xt_panel_copy_of_(p, f->inner);
        xt_panel_fetch_(x, p, &copy, &t);
    }
    xt_panels_carry_(x, f, true);
    spe_endif_from(m, n, ids, before, ids);
    xt_panels_carry_(x, f, false);
}

/* Before a loop, with the values of its first iteration: fetches that iteration's tiles. Returns where the loop ends.
 */
XE_FN_ spe_id xt_panels_enter_(xt_ctx *x, xt_frame_ *f, spe_id from, spe_id to)
{
    spe_module *m = &x->m;
    spe_id *ids = f->ids + f->id_count, none = spe_null(m, spe_vec(m, spe_int(m, 32), 4));
    f->panel_ids = xt_panel_ids_(x, f);
    for (int i = 0; i < f->panel_ids; i++) ids[i] = none;
    if (f->inner) to = xt_panels_inner_end_(x, f, from, to);
    spe_id now = spe_i32(m, 0);
    xt_panels_fetch_(x, f, spe_slt(m, from, to), now);
    return to;
}

/* At the beginning of an iteration: puts its tiles in local memory, and fetches the next ones, which lie before `to`.
 */
XE_FN_ void xt_panels_iterate_(xt_ctx *x, const xt_frame_ *f, spe_id to)
{
    spe_module *m = &x->m;
    spe_id by = spe_i32(m, (int32_t)xt_number_(x, f->step)->integer), next = spe_iadd(m, f->iteration, by);
    xt_panels_carry_(x, f, false);
    for (int i = 0; i < x->panels.count; i++) {
        xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !p->got) continue;
        xt_tile t = xt_group_tile_(x, p->from);
        xt_panel_copy_ copy = xt_panel_copy_of_(p, f->inner);
        p->vectors = xt_panel_join_(x, p, &copy, &t);
    }
    xt_panels_wait_(x);
    for (int i = 0; i < x->panels.count; i++) {
        const xt_panel_ *p = xt_panel_at_(x, i);
        if (p->loop != f || !p->got) continue;
        xt_tile t = xt_group_tile_(x, p->from);
        xt_panel_copy_ copy = xt_panel_copy_of_(p, f->inner);
        xt_panel_put_any_(x, p, &copy, &t, p->vectors);
    }
    xt_panels_wait_(x);
    xt_panels_fetch_(x, f, spe_slt(m, next, to), by);
}

/* lower/opaque_each.c - element-wise operations, reductions of rows and broadcasts of columns on matrices that only the
 * device can look into, see passes/opaque.c. Components of matrices of one type correspond, wherever they are. */

/* ---- component by component -------------------------------------------------------------------------------------- */

/* Computes a component of the result from those of `count` matrices. */
typedef spe_id (*xt_opaque_fn_)(xt_ctx *x, const xt_node_ *n, int count, const spe_id *v);

/* The variable for a matrix of sums in f32 whose components are accessed. */
XE_FN_ spe_id xt_opaque_box_(xt_ctx *x, int i, spe_id type)
{
    if (!x->opaque_box[i]) x->opaque_box[i] = spe_local_var(&x->m, type);
    return x->opaque_box[i];
}

/* What the function makes of the components of matrices. Only the device knows how many a lane has. */
XE_FN_ spe_id xt_by_component_(xt_ctx *x, const xt_node_ *n, int count, const spe_id *part, xt_opaque_fn_ fn)
{
    enum { MOST = sizeof x->opaque_box / sizeof *x->opaque_box };
    spe_module *m = &x->m;
    spe_id type = spe_type_of(m, part[0]), v[MOST], place[MOST], none = 0, at;
    for (int i = 0; i < count; i++) spe_store(m, xt_opaque_box_(x, i, type), part[i], 0);
    spe_id first = spe_i32(m, 0), length = spe_coop_length(m, type), step = spe_i32(m, 1);
    spe_loop_hint(m, SPE_LoopControlUnroll, 0);
    at = spe_for(m, first, length, step, 0, &none);
    for (int i = 0; i < count && spe_ok(m); i++) {
        place[i] = spe_element(m, x->opaque_box[i], 1, &at);
        v[i] = spe_load(m, place[i], 0);
    }
    if (spe_ok(m)) spe_store(m, place[0], fn(x, n, count, v), 0);
    spe_endfor(m, 0, &none);
    return spe_load(m, xt_opaque_box_(x, 0, type), 0);
}

XE_FN_ spe_id xt_opaque_component_(xt_ctx *x, const xt_node_ *n, int count, const spe_id *v)
{
    (void)count;
    if (n->op == XT_OP_MATH_VECTOR_) return xt_math_part_(x, n, v);
    if (n->op == XT_OP_BINARY_VECTOR_) return xt_binary_part_(x, n, v);
    spe_id zero = spe_f32(&x->m, 0);
    return spe_select(&x->m, spe_fune(&x->m, v[0], zero), v[1], v[2]);
}

XE_FN_ spe_id xt_opaque_fold_(xt_ctx *x, const xt_node_ *n, int count, const spe_id *v)
{
    spe_id all = v[0];
    for (int i = 1; i < count; i++) all = xt_combine_(&x->m, n->kind, CM_F32, all, v[i]);
    return all;
}

/* ---- element-wise operations ------------------------------------------------------------------------------------- */

/* An operand as matrices; conditions are 1 or 0 there. */
XE_FN_ xt_fragments_ xt_opaque_operand_as_(xt_ctx *x, uint32_t id)
{
    if (xt_vector_(x, id)->type != (cm_type)XT_BOOL_) return xt_now_as_(x, id, CM_OPAQUE_ACC);
    xt_fragments_ now = xt_now_as_(x, id, CM_ACC), real = now;
    real.type = CM_F32;
    real.block = (cm_matrix *)xt_memory_(x, (size_t)now.blocks * sizeof *real.block);
    real.blocks = real.block ? now.blocks : 0;
    for (int i = 0; i < real.blocks; i++) real.block[i] = cm_convert(&x->cm, &now.block[i], CM_F32);
    return xt_as_use_(x, &real, CM_OPAQUE_ACC);
}

/* Writes an element-wise operation on the device's matrices, part by part. */
XE_FN_ void xt_write_opaque_each_(xt_ctx *x, const xt_node_ *n)
{
    int count = n->operands, from = (int)xt_vector_(x, n->operand[0])->type;
    xt_fragments_ r = xt_opaque_vec_(x, n->result), v[3];
    for (int j = 0; j < count; j++) v[j] = xt_opaque_operand_as_(x, n->operand[j]);
    for (int i = 0; i < r.blocks; i++)
        for (int p = 0; p < r.block[i].parts && spe_ok(&x->m); p++) {
            spe_id part[3] = {0, 0, 0};
            for (int j = 0; j < count; j++) part[j] = v[j].block[i].part[p];
            if (!xt_is_opaque_instruction_(x, n))
                part[0] = xt_by_component_(x, n, count, part, xt_opaque_component_);
            else if (n->op == XT_OP_BINARY_VECTOR_)
                part[0] = xt_emit_arith_(&x->m, n->kind, n->type, part[0], part[1]);
            else if (n->type != from)
                part[0] = spe_fconvert(&x->m, cm_part_type(&x->cm, &r.block[i].layout, 0), part[0]);
            r.block[i].part[p] = part[0];
        }
    xt_define_vec_(x, n->result, r);
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

/* A lane's share of the row that it reduces: every second group of four columns, for instance, so that the lanes of a
 * subgroup read from different banks. */
XE_FN_ spe_id xt_opaque_row_(xt_ctx *x, const xt_node_ *n, const xt_opaque_strip_ *s, int columns, spe_id lane)
{
    enum { NEXT = 4 };
    spe_module *m = &x->m;
    int lanes = x->S / s->rows; /* that share a row */
    spe_id rows = spe_u32(m, (uint32_t)s->rows), apart = spe_u32(m, (uint32_t)(NEXT * s->pitch)), all = 0;
    spe_id first = spe_imul(m, spe_udiv(m, lane, rows), apart);
    first = spe_iadd(m, first, spe_umod(m, lane, rows));
    for (int i = 0; i < columns / lanes; i++) {
        spe_id at = spe_u32(m, (uint32_t)((i / NEXT * NEXT * lanes + i % NEXT) * s->pitch));
        at = spe_iadd(m, first, at);
        spe_id one = spe_load(m, spe_index(m, s->ptr, at), 0);
        all = all ? xt_combine_(m, n->kind, CM_F32, all, one) : one;
    }
    for (int by = s->rows; by < x->S; by *= 2) {
        spe_id other = spe_sg_shuffle_xor(m, all, spe_u32(m, (uint32_t)by));
        all = xt_combine_(m, n->kind, CM_F32, all, other);
    }
    return all;
}

/* A matrix with the reduction of each row of another in all of its columns. */
XE_FN_ spe_id xt_opaque_reduced_(xt_ctx *x, const xt_node_ *n, const xt_opaque_strip_ *s, int columns, spe_id part)
{
    const uint32_t order = SPE_CooperativeMatrixLayoutColumnMajorKHR;
    spe_module *m = &x->m;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), pitch = spe_i32(m, s->pitch), rows = spe_i32(m, s->rows);
    spe_id column = spe_index(m, s->ptr, spe_i32(m, columns * s->pitch));
    spe_sg_barrier(m);
    spe_coop_store(m, s->ptr, part, order, pitch);
    spe_sg_barrier(m);
    spe_id all = xt_opaque_row_(x, n, s, columns, lane);
    spe_if(m, spe_ult(m, lane, rows));
    spe_store(m, spe_index(m, column, lane), all, 0);
    spe_endif(m, 0, NULL, NULL);
    spe_sg_barrier(m);
    spe_id none = spe_i32(m, 0);
    return spe_coop_load(m, spe_type_of(m, part), column, order, none);
}

/* Writes a reduction of rows: of matrices beside one another first, component by component. */
XE_FN_ void xt_write_opaque_reduce_(xt_ctx *x, const xt_node_ *n)
{
    enum { MOST = sizeof x->opaque_box / sizeof *x->opaque_box };
    xt_fragments_ v = xt_now_as_(x, n->operand[XT_MOVE_VEC_], CM_OPAQUE_ACC);
    xt_fragments_ r = xt_opaque_vec_(x, n->result);
    if (!v.blocks || !r.blocks) return;
    const cm_layout l = v.block[0].layout;
    xt_opaque_strip_ s = xt_opaque_strip_of_(x, &l);
    for (int round = 0; round < v.dist.rounds[0]; round++)
        for (int row = 0; row < v.dist.data[0] && spe_ok(&x->m); row += l.size_j) {
            spe_id part[MOST];
            int count = 0;
            for (int col = 0; col < v.dist.data[1]; col += l.size_i) {
                part[count++] = *xt_opaque_at_(x, &v, round, 0, row, col);
                bool full = count == MOST || col + l.size_i >= v.dist.data[1];
                if (full && count > 1) part[0] = xt_by_component_(x, n, count, part, xt_opaque_fold_);
                if (full) count = 1;
            }
            *xt_opaque_at_(x, &r, round, 0, row, 0) = xt_opaque_reduced_(x, n, &s, l.size_i, part[0]);
        }
    xt_define_vec_(x, n->result, r);
}

/* ---- broadcasts -------------------------------------------------------------------------------------------------- */

/* Writes a broadcast of a column, whose matrices have it in each of their columns already. */
XE_FN_ void xt_write_opaque_broadcast_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ v = xt_now_as_(x, n->operand[XT_MOVE_VEC_], CM_OPAQUE_ACC);
    xt_fragments_ r = xt_opaque_vec_(x, n->result);
    if (!v.blocks || !r.blocks) return;
    const cm_layout l = r.block[0].layout;
    for (int round0 = 0; round0 < r.dist.rounds[0]; round0++)
        for (int round1 = 0; round1 < r.dist.rounds[1]; round1++)
            for (int row = 0; row < r.dist.data[0]; row += l.size_j)
                for (int col = 0; col < r.dist.data[1]; col += l.size_i)
                    *xt_opaque_at_(x, &r, round0, round1, row, col) = *xt_opaque_at_(x, &v, round0, 0, row, 0);
    xt_define_vec_(x, n->result, r);
}

/* lower/opaque.c - products, element-wise operations and stores of matrices that only the device can look into, see
 * passes/opaque.c. */

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* An operand: a panel in local memory, or matrices. */
typedef struct {
    xt_fragments_ v;
    const xt_panel_ *panel;
} xt_opaque_operand_;

XE_FN_ xt_opaque_operand_ xt_opaque_operand_of_(xt_ctx *x, uint32_t id, cm_use use)
{
    xt_opaque_operand_ o = XT_ZERO_;
    int panel = xt_value_at_(x, id)->panel;
    if (panel) o.panel = (const xt_panel_ *)x->panels.items + panel - 1;
    if (panel && o.panel->kept) o.panel = NULL;
    o.v = o.panel ? xt_form_of_(x, id) : xt_now_as_(x, id, use);
    return o;
}

/* The matrix that begins at a row and column of a piece of an operand: rounds, row, column. */
XE_FN_ spe_id xt_opaque_load_(xt_ctx *x, const xt_opaque_operand_ *o, cm_use use, const int at[4])
{
    if (!o->panel) return *xt_opaque_at_(x, &o->v, at[0], at[1], at[2], at[3]);
    const xt_dist *d = &o->v.dist;
    int row = at[0] * d->layout[0] * d->data[0] + at[2], col = at[1] * d->layout[1] * d->data[1] + at[3];
    return xt_panel_matrix_(x, o->panel, use, row, col);
}

XE_FN_ uint32_t xt_opaque_flags_(cm_type operands)
{
    if (operands != CM_I8) return 0;
    return SPE_CooperativeMatrixOperandsMatrixASignedComponentsKHR |
           SPE_CooperativeMatrixOperandsMatrixBSignedComponentsKHR |
           SPE_CooperativeMatrixOperandsMatrixCSignedComponentsKHR |
           SPE_CooperativeMatrixOperandsMatrixResultSignedComponentsKHR;
}

/* The products of one piece of the result and one step of k: each operand is loaded once. */
XE_FN_ void xt_opaque_step_(xt_ctx *x, const xt_opaque_operand_ operand[2], const xt_fragments_ *r,
                            const cm_coop_shape *s, int round0, int round1, int k)
{
    enum { MOST = XT_SIDE_MAX_ / 8 };
    spe_id left[MOST];
    int rows = r->dist.data[0], cols = r->dist.data[1];
    for (int i = 0; i < rows && i / s->m < MOST; i += s->m) {
        const int at[4] = {round0, 0, i, k};
        left[i / s->m] = xt_opaque_load_(x, &operand[0], CM_OPAQUE_B, at);
    }
    for (int j = 0; j < cols; j += s->n) {
        const int at[4] = {0, round1, k, j};
        spe_id right = xt_opaque_load_(x, &operand[1], CM_OPAQUE_A, at);
        for (int i = 0; i < rows && i / s->m < MOST; i += s->m) {
            spe_id *sum = xt_opaque_at_(x, r, round0, round1, i, j);
            *sum = spe_coop_mma(&x->m, left[i / s->m], right, *sum, xt_opaque_flags_(operand[0].v.type));
        }
    }
}

/* Writes a product by the device's matrices. */
XE_FN_ void xt_write_opaque_mma_(xt_ctx *x, const xt_node_ *n)
{
    const xt_vec *left = xt_vector_(x, n->operand[XT_MMA_LEFT_]);
    bool with_c = n->operand[XT_MMA_SUM_] != 0;
    xt_fragments_ r = xt_opaque_vec_(x, n->result), sum = XT_ZERO_;
    const cm_coop_shape *s = cm_coop_shape_of(&x->target, left->type, r.type);
    if (with_c) sum = xt_now_as_(x, n->operand[XT_MMA_SUM_], CM_OPAQUE_ACC);
    for (int i = 0; i < r.blocks && spe_ok(&x->m); i++) {
        cm_matrix zero = XT_ZERO_;
        if (!with_c) zero = cm_splat(&x->cm, r.block[i].layout.rows, r.block[i].layout.cols, r.type, r.use, 0);
        const spe_id *from = with_c ? sum.block[i].part : zero.part;
        if (from) memcpy(r.block[i].part, from, (size_t)r.block[i].parts * sizeof *from);
    }
    xt_opaque_operand_ operand[2];
    operand[0] = xt_opaque_operand_of_(x, left->id, CM_OPAQUE_B);
    operand[1] = xt_opaque_operand_of_(x, n->operand[XT_MMA_RIGHT_], CM_OPAQUE_A);
    for (int i = 0; i < r.dist.rounds[0]; i++)
        for (int j = 0; j < r.dist.rounds[1]; j++)
            for (int k = 0; k < left->dist.data[1] && spe_ok(&x->m); k += s->k)
                xt_opaque_step_(x, operand, &r, s, i, j, k);
    xt_define_vec_(x, n->result, r);
}

/* Writes what the device's matrices compute. */
XE_FN_ bool xt_write_opaque_(xt_ctx *x, const xt_node_ *n)
{
    bool opaque = n->result && xt_value_is_opaque_(x, n->result);
    if (xt_is_opaque_product_(x, n)) xt_write_opaque_mma_(x, n);
    else if (opaque && xt_is_opaque_each_(x, n)) xt_write_opaque_each_(x, n);
    else if (opaque && xt_is_opaque_reduce_(x, n)) xt_write_opaque_reduce_(x, n);
    else if (opaque && xt_is_opaque_broadcast_(x, n)) xt_write_opaque_broadcast_(x, n);
    else return false;
    return true;
}

/* Makes the memory of panels and strips. */
XE_FN_ void xt_opaque_memory_(xt_ctx *x)
{
    x->panel_memory = spe_shared_vectors(&x->m, (uint32_t)x->panel_vectors);
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

/* Are all elements of a vector in the tile's matrix, and its lines aligned as matrices must be? */
XE_FN_ spe_id xt_opaque_fits_(xt_ctx *x, const xt_tile *t, const xt_fragments_ *v)
{
    const xt_dist *d = &v->dist;
    spe_id all = xt_panel_aligned_(x, t);
    for (int i = 0; i < 2 && !t->inside; i++) {
        int size = (d->rounds[i] - 1) * d->layout[i] * d->data[i] + d->data[i];
        all = spe_land(&x->m, all, xt_panel_inside_(x, t, i, size));
    }
    return all;
}

/* Stores all matrices where they lie. The pitch is masked to the alignment that it has, since compilers look for it. */
XE_FN_ void xt_opaque_store_matrices_(xt_ctx *x, const xt_tile *t, const xt_fragments_ *v)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t), bytes = xt_bytes_(t->type);
    uint32_t order = inner ? SPE_CooperativeMatrixLayoutRowMajorKHR : SPE_CooperativeMatrixLayoutColumnMajorKHR;
    spe_id i64 = spe_int(m, 64), pitch = xt_index_id_(x, &t->pitch);
    pitch = spe_and(m, pitch, spe_i32(m, -(16 / bytes)));
    spe_id wide = spe_uconvert(m, i64, pitch);
    for (xt_block_ b = xt_blocks_(x, &v->dist); xt_next_block_(&b);) {
        const cm_matrix *a = &v->block[b.i];
        int across = a->layout.rows / a->layout.size_i;
        for (int i = 0; i < a->parts && spe_ok(m); i++) {
            int place[2] = {b.row + i / across * a->layout.size_j, b.col + i % across * a->layout.size_i};
            spe_id down = spe_i32(m, place[!inner]), right = spe_i32(m, place[inner]);
            spe_id line = spe_iadd(m, xt_index_id_(x, &t->offset[!inner]), down);
            line = spe_imul(m, spe_uconvert(m, i64, line), wide);
            spe_id along = spe_iadd(m, xt_index_id_(x, &t->offset[inner]), right);
            along = spe_uconvert(m, i64, along);
            spe_id ptr = spe_index(m, t->base.id, spe_iadd(m, line, along));
            spe_coop_store(m, ptr, a->part[i], order, pitch);
        }
    }
}

/* Stores a block of matrices as vectors of lanes, strip by strip, so that few are held at once. */
XE_FN_ void xt_opaque_store_strips_(xt_ctx *x, const xt_tile *t, const xt_block_ *b, cm_matrix *a)
{
    xt_opaque_strip_ s = xt_opaque_strip_of_(x, &a->layout);
    xt_block_ at = *b;
    at.rows = s.rows;
    at.cols = at.valid = s.cols;
    for (int col = 0; col < b->cols; col += s.cols)
        for (int row = 0; row < b->rows && spe_ok(&x->m); row += s.rows) {
            cm_matrix strip = xt_opaque_strip_get_(x, &s, a, row, col);
            at.row = b->row + row;
            at.col = b->col + col;
            cm_mem mem = xt_mem_(x, t, &at, XT_STORED_);
            cm_store(&x->cm, &strip, &mem);
        }
}

/* Stores a vector of matrices in global memory: as matrices where they fit, else as vectors of lanes. False: it is a
 * column, which lanes store. */
XE_FN_ bool xt_store_opaque_(xt_ctx *x, const xt_tile *t, const xt_fragments_ *v)
{
    if (xt_is_opaque_column_(&v->dist)) return false;
    bool may_fit = !t->base.local && t->step == 1;
    if (may_fit) spe_if(&x->m, xt_opaque_fits_(x, t, v));
    if (may_fit) xt_opaque_store_matrices_(x, t, v);
    if (may_fit) spe_else(&x->m, 0, NULL);
    for (xt_block_ b = xt_blocks_(x, &t->dist); xt_next_block_(&b);)
        xt_opaque_store_strips_(x, t, &b, &v->block[b.i]);
    if (may_fit) spe_endif(&x->m, 0, NULL, NULL);
    return true;
}

/* passes/outside.c - operands of the device's matrices of which elements outside of the base need not be zero. Such a
 * row of the left operand makes a row of the result; where only element-wise operations and stores to tiles that end
 * in the same row follow, nobody sees it. Of the right operand, the same holds for columns. */

/* How a tile was made, if it is that one still, but for what this loop (NULL: none) adds to it in each iteration. */
XE_FN_ const xt_node_ *xt_made_as_(xt_ctx *x, const xt_tile *t, const xt_frame_ *loop)
{
    const xt_tile *first = t;
    if (t->scatter) return NULL;
    for (int i = 0; loop && i < loop->slots; i++) {
        const xt_tile *body = xt_tile_(x, loop->slot[i].body);
        if (body->magic == XT_TILE_MAGIC_ && body->number == t->number && xt_same_offsets_(body, t))
            first = xt_tile_(x, loop->slot[i].start);
    }
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        const xt_tile *made = xt_made_by_(x, n);
        if (made && made->number == t->number) return xt_same_offsets_(first, made) ? n : NULL;
    }
    return NULL;
}

/* Are the offsets and extents of two tiles the same in this of their dimensions? */
XE_FN_ bool xt_same_dimension_(xt_ctx *x, const xt_node_ *a, int i, const xt_node_ *b, int j)
{
    const xt_val *p = xt_given_(x, a, XT_GIVEN_OFFSET_, i), *q = xt_given_(x, b, XT_GIVEN_OFFSET_, j);
    const xt_val *m = xt_given_(x, a, XT_GIVEN_SHAPE_, i), *n = xt_given_(x, b, XT_GIVEN_SHAPE_, j);
    return xt_same_scalar_(p, q) && xt_same_scalar_(m, n);
}

/* Is the row (dim 0) or column (dim 1) of a result outside of its tile's base if that of the operand is? */
XE_FN_ bool xt_ends_with_(xt_ctx *x, const xt_node_ *operand, const xt_node_ *result, int dim)
{
    if (!operand || !result || xt_tile_(x, result->result)->inside) return false;
    int n = operand->type, m = result->type;
    if (n > 2 && n != m) return false;
    for (int i = 0; i < n - 2; i++)
        if (!xt_same_dimension_(x, operand, i, result, i)) return false;
    return xt_same_dimension_(x, operand, n - 2 + dim, result, m - 2 + dim);
}

XE_FN_ xt_value_ *xt_root_of_(xt_ctx *x, uint32_t id) { return xt_value_at_(x, xt_tied_(x, id)); }

XE_FN_ bool xt_is_reached_(xt_ctx *x, uint32_t id) { return xt_root_of_(x, id)->reached; }

XE_FN_ bool xt_is_each_(xt_ctx *x, const xt_node_ *n) { return (void)x, xt_does_(n->op, XT_EACH_); }

/* From what is reached, goes on to what these nodes compute from it: element-wise operations, and ones on whole
 * vectors. */
XE_FN_ void xt_reach_through_(xt_ctx *x, bool (*through)(xt_ctx *x, const xt_node_ *n))
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < x->nodes.count; i++) {
            const xt_node_ *n = xt_node_at_(x, i);
            if (!through(x, n) || xt_is_reached_(x, n->result)) continue;
            int count = xt_does_(n->op, XT_EACH_) ? n->operands : 1;
            bool reached = false;
            for (int j = 0; j < count; j++) reached = reached || xt_is_reached_(x, n->operand[j]);
            xt_root_of_(x, n->result)->reached = reached;
            more = more || reached;
        }
    }
}

/* Finds what is computed element by element from products with this vector as the left (dim 0) or right operand. False
 * if it is the other one somewhere. */
XE_FN_ bool xt_reach_from_operand_(xt_ctx *x, uint32_t id, int dim)
{
    for (int i = 1; i < x->values.count; i++) xt_value_at_(x, (uint32_t)i)->reached = false;
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (!xt_is_opaque_product_(x, n)) continue;
        if (n->operand[dim ? XT_MMA_LEFT_ : XT_MMA_RIGHT_] == id) return false;
        if (n->operand[dim ? XT_MMA_RIGHT_ : XT_MMA_LEFT_] == id) xt_root_of_(x, n->result)->reached = true;
    }
    xt_reach_through_(x, xt_is_each_);
    return true;
}

/* Does a node compute with rows (or columns) each for itself, and store none that is outside of the operand's base? */
XE_FN_ bool xt_keeps_lines_separate_(xt_ctx *x, const xt_node_ *n, const xt_node_ *operand, int dim)
{
    if (xt_does_(n->op, XT_EACH_)) return true;
    if (xt_does_(n->op, XT_COMPUTES_)) return !xt_is_reached_(x, n->operand[XT_MOVE_VEC_]);
    switch (n->op) {
    case XT_OP_TILE_MMA_:
        return !xt_is_reached_(x, n->operand[XT_MMA_LEFT_]) && !xt_is_reached_(x, n->operand[XT_MMA_RIGHT_]);
    case XT_OP_STORE_TILE_:
        return !xt_is_reached_(x, n->operand[XT_ACCESS_VEC_]) ||
               xt_ends_with_(x, operand, xt_made_as_(x, xt_accessed_(x, n), NULL), dim);
    case XT_OP_INIT_TILE_: return xt_made_by_(x, n) != NULL;
    case XT_OP_LOAD_TILE_:
    case XT_OP_PREFETCH_TILE_:
    case XT_OP_SPLAT_:
    case XT_OP_TABLE_:
    case XT_OP_IOTA_: return true;
    default: return xt_does_(n->op, XT_DIVERGES_ | XT_WAITS_); /* without vectors */
    }
}

/* Need elements of a loaded operand be zero that are outside along the dimension in which its loop does not move it? */
XE_FN_ bool xt_outside_matters_(xt_ctx *x, uint32_t id, const xt_tile *from, const xt_frame_ *loop)
{
    int dim = xt_advances_(x, from, loop, 0, (int)xt_number_(x, loop->step)->integer) ? 1 : 0;
    const xt_node_ *made = xt_made_as_(x, from, loop);
    if (!made || !xt_reach_from_operand_(x, id, dim)) return true;
    for (int i = 0; i < x->nodes.count; i++)
        if (!xt_keeps_lines_separate_(x, xt_node_at_(x, i), made, dim)) return true;
    return false;
}

/* passes/opaque.c - a pass that finds what the matrices of Vulkan's devices compute: products, the sums of loops, and
 * element-wise operations on these; and which operands go through local memory. */

/* ---- values: those that must be opaque if one of them is -------------------------------------------------------- */

XE_FN_ void xt_tie_(xt_ctx *x, uint32_t a, uint32_t b)
{
    a = xt_tied_(x, a);
    b = xt_tied_(x, b);
    if (a == b) return;
    xt_value_at_(x, b)->tied = a;
    xt_value_at_(x, a)->carried = true;
    xt_value_at_(x, a)->opaque |= xt_value_at_(x, b)->opaque;
    xt_value_at_(x, a)->multiplies |= xt_value_at_(x, b)->multiplies;
}

/* ---- operands: panels -------------------------------------------------------------------------------------------- */

/* Are opaque products all that uses a loaded vector? */
XE_FN_ bool xt_only_multiplied_(xt_ctx *x, uint32_t id)
{
    for (const xt_use_ *u = xt_last_use_(x, id); u; u = xt_use_before_(x, u))
        if (!xt_is_opaque_product_(x, xt_node_at_(x, u->node))) return false;
    return !xt_value_at_(x, xt_tied_(x, id))->carried;
}

/* Bytes of local memory that panels may take. */
XE_FN_ int64_t xt_panel_room_(const xt_ctx *x)
{
    return x->target.local_memory - (x->local_bytes + 63) / 64 * 64 - (int64_t)x->scratch_bytes - 64 -
           (int64_t)x->opaque_words * 4;
}

/* Do iterations of the region around a load fetch the tile of the next one? It contains nothing that changes memory. */
XE_FN_ bool xt_fetches_next_(xt_ctx *x, const xt_frame_ *around, const xt_tile *t)
{
    if (!around || around->op != XT_OP_FOR_ || around->changes || t->inside) return false;
    const xt_val *step = xt_number_(x, around->step);
    int by = (int)step->integer;
    return step->kind == SPE_INT && (xt_advances_(x, t, around, 0, by) || xt_advances_(x, t, around, 1, by));
}

/* Is local memory needed for both of two panels at a time? A panel of a loop is needed in that, one that is held while
 * it is loaded, others from then on. */
XE_FN_ bool xt_panels_meet_(const xt_panel_ *p, const xt_panel_ *q)
{
    if ((!p->loop && !p->kept) || (!q->loop && !q->kept)) return true;
    return xt_is_within_(p->loop, q->node) || xt_is_within_(q->loop, p->node);
}

/* The first vector for a panel: after those of others that are multiplied with it. */
XE_FN_ int xt_panel_begins_(xt_ctx *x, const xt_panel_ *p)
{
    int at = 0;
    for (int i = 0; i < x->panels.count; i++) {
        const xt_panel_ *q = (const xt_panel_ *)x->panels.items + i;
        int end = q->at + q->lines * q->pitch;
        if (end > at && xt_panels_meet_(p, q)) at = end;
    }
    return at;
}

XE_FN_ bool xt_is_in_loop_(const xt_node_ *n)
{
    const xt_frame_ *f = n->in;
    while (f && f->op == XT_OP_IF_) f = f->in;
    return f != NULL;
}

/* Which operand a vector is that is loaded outside of loops, before one whose iterations all multiply it: it is held as
 * matrices. CM_ACC: it is not; the first product is not in a loop, or it would take too many registers. */
XE_ONCE_
XE_FN_ cm_use xt_kept_use_(xt_ctx *x, const xt_node_ *load)
{
    const xt_node_ *first = NULL;
    bool large = xt_vec_bytes_(xt_vector_(x, load->result)) > (size_t)x->target.registers / 4;
    for (const xt_use_ *u = xt_last_use_(x, load->result); u; u = xt_use_before_(x, u))
        if (xt_node_at_(x, u->node)->op == XT_OP_TILE_MMA_) first = xt_node_at_(x, u->node);
    if (!first || large || xt_is_in_loop_(load) || !xt_is_in_loop_(first)) return CM_ACC;
    return first->operand[XT_MMA_LEFT_] == load->result ? CM_OPAQUE_B : CM_OPAQUE_A;
}

/* around: the region that the load belongs to; NULL: none. use: see xt_kept_use_. */
XE_FN_ void xt_find_panel_(xt_ctx *x, int node, const xt_frame_ *around, cm_use use)
{
    enum { VECTOR = 16 };
    const xt_node_ *n = xt_node_at_(x, node);
    const xt_tile *t = xt_accessed_(x, n);
    int bytes = xt_bytes_(t->type), inner = xt_inner_(t), line = t->dist.shape[inner] * bytes;
    if (t->scatter || t->step != 1 || t->base.local || n->divergence || line % VECTOR ||
        xt_storage_type_(t->type) != t->type || n->outside->border != XT_BORDER_PADDING ||
        !xt_pads_with_zero_(t->type, n->outside->padding) || !xt_only_multiplied_(x, n->result))
        return;
    xt_panel_ p = XT_ZERO_;
    p.node = node;
    p.from = t;
    p.lines = t->dist.shape[!inner];
    p.chunks = line / VECTOR;
    p.pitch = p.chunks + 1; /* so that lines do not begin in the same bank */
    p.use = use;
    p.kept = xt_is_opaque_(use);
    p.units = (p.lines * p.chunks + xt_group_size_(x) - 1) / xt_group_size_(x);
    p.burst = p.units % 2 == 0 && p.chunks % 2 == 0 ? 2 : 1;
    p.blocks = p.units / p.burst * (p.burst + 1);
    p.loop = xt_fetches_next_(x, around, t) ? around : NULL;
    p.ends_unseen = p.loop && !xt_outside_matters_(x, n->result, t, p.loop);
    p.at = xt_panel_begins_(x, &p);
    int64_t end = (int64_t)(p.at + p.lines * p.pitch) * VECTOR;
    if (p.blocks > XT_PANEL_BLOCKS_ || end > xt_panel_room_(x)) return;
    xt_panel_ *added = (xt_panel_ *)spe_list_add(&x->m, &x->panels, sizeof *added);
    if (!added) return;
    *added = p;
    if (x->panel_vectors < (int)(end / VECTOR)) x->panel_vectors = (int)(end / VECTOR);
    xt_value_at_(x, n->result)->panel = x->panels.count;
}

/* Does a node of a loop leave strips alone? Products of panels and what is computed with their sums do. */
XE_FN_ bool xt_needs_no_strip_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op == XT_OP_LOAD_TILE_) return xt_value_at_(x, n->result)->panel != 0;
    if (n->op == XT_OP_TILE_MMA_)
        return xt_is_opaque_product_(x, n) && xt_value_at_(x, n->operand[XT_MMA_LEFT_])->panel &&
               xt_value_at_(x, n->operand[XT_MMA_RIGHT_])->panel;
    if (xt_does_(n->op, XT_EACH_))
        return n->op != XT_OP_SELECT_VECTOR_ && xt_value_is_opaque_(x, n->result) && xt_is_opaque_each_(x, n);
    return xt_does_(n->op, XT_DIVERGES_) || n->op == XT_OP_SPLAT_ || n->op == XT_OP_PREFETCH_TILE_;
}

/* Can strips lie where panels do? All of these must belong to loops that need no strips. */
XE_FN_ bool xt_strips_are_disjoint_(xt_ctx *x)
{
    const xt_frame_ *in = NULL;
    for (int i = 0; i < x->panels.count; i++) {
        const xt_panel_ *p = (const xt_panel_ *)x->panels.items + i;
        if (!p->loop && !p->kept) return false;
    }
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        for (int j = 0; j < x->panels.count && !in && n->op == XT_OP_FOR_; j++)
            if (((const xt_panel_ *)x->panels.items)[j].loop == n->frame) in = n->frame;
        if (in && !xt_needs_no_strip_(x, n)) return false;
        if (n->op == XT_OP_END_ && n->frame == in) in = NULL;
    }
    return x->panels.count > 0;
}

/* Finds which regions change memory. */
XE_FN_ void xt_look_at_regions_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        for (xt_frame_ *f = xt_does_(n->op, XT_CHANGES_ | XT_WAITS_) ? n->in : NULL; f; f = f->in) f->changes = true;
    }
}

/* Finds the panels of loads: last those that are held, whose memory is used again. */
XE_FN_ void xt_find_each_panel_(xt_ctx *x, bool kept)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (n->op != XT_OP_LOAD_TILE_) continue;
        cm_use use = xt_kept_use_(x, n);
        if (xt_is_opaque_(use) == kept) xt_find_panel_(x, i, n->in, use);
    }
}

/* Finds all, and where strips lie. */
XE_FN_ void xt_find_panels_(xt_ctx *x)
{
    xt_look_at_regions_(x);
    xt_find_each_panel_(x, false);
    xt_find_each_panel_(x, true);
    x->strips_in_panels = xt_strips_are_disjoint_(x);
    x->strips_at = x->strips_in_panels ? 0 : x->panel_vectors;
    const int end = x->strips_at + x->opaque_words / 4;
    if (x->panel_vectors < end) x->panel_vectors = end;
}

/* ---- what is computed from products ------------------------------------------------------------------------------ */

XE_FN_ bool xt_makes_vector_(xt_ctx *x, const xt_node_ *n)
{
    return xt_object_of_(x, n->result)->magic == XT_VEC_MAGIC_;
}

/* Is what a node makes a vector, computed from opaque ones by the device's matrices? */
XE_FN_ bool xt_is_opaque_step_(xt_ctx *x, const xt_node_ *n)
{
    if (!xt_makes_vector_(x, n)) return false;
    return xt_is_opaque_each_(x, n) || xt_is_opaque_reduce_(x, n) || xt_is_opaque_broadcast_(x, n);
}

/* Can a node's vector be opaque as all of its class are? */
XE_FN_ bool xt_keeps_opaque_(xt_ctx *x, const xt_node_ *n)
{
    return n->op == XT_OP_SPLAT_ || xt_does_(n->op, XT_RENAMES_) || xt_is_opaque_product_(x, n) ||
           xt_is_opaque_step_(x, n);
}

/* Takes all that regions carry for opaque, and what is computed from that and from products. */
XE_FN_ void xt_suppose_opaque_(xt_ctx *x)
{
    for (int i = 1; i < x->values.count; i++) {
        const xt_vec *of = xt_vector_(x, (uint32_t)i);
        if (of->magic != XT_VEC_MAGIC_ || of->type != CM_F32) continue;
        xt_value_ *v = xt_root_of_(x, (uint32_t)i);
        v->opaque = v->opaque || v->carried;
    }
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (!xt_is_opaque_step_(x, n)) continue;
        xt_value_ *value = xt_root_of_(x, n->result);
        if (value->carried && xt_vector_(x, xt_tied_(x, n->result))->type != CM_F32 && !value->opaque) continue;
        if (cm_coop_shape_of(&x->target, CM_F16, xt_vector_(x, n->result)->type)) value->opaque = true;
    }
}

/* Keeps of what is supposed to be opaque only what is computed from products, and by matrices throughout. */
XE_FN_ void xt_decide_opaque_(xt_ctx *x)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 1; i < x->values.count; i++) {
            xt_value_ *v = xt_value_at_(x, (uint32_t)i);
            v->reached = v->multiplies;
        }
        xt_reach_through_(x, xt_is_opaque_step_);
        for (int i = 0; i < x->nodes.count; i++) {
            const xt_node_ *n = xt_node_at_(x, i);
            if (!xt_makes_vector_(x, n)) continue;
            xt_value_ *value = xt_root_of_(x, n->result);
            if (!value->opaque || value->multiplies || (value->reached && xt_keeps_opaque_(x, n))) continue;
            value->opaque = false;
            changed = true;
        }
    }
}

XE_FN_ void xt_find_opaque_(xt_ctx *x)
{
    int subgroups = x->subgroups ? x->subgroups : 1;
    bool any = false;
    if (!xt_operand_shape_(x, CM_F16) || x->desc->lowering != CM_AUTO || !x->accumulator_bytes) return;
    for (int i = 1; i < x->values.count; i++) xt_value_at_(x, (uint32_t)i)->tied = (uint32_t)i;
    x->opaque_words = subgroups * xt_strip_words_(x);
    if (xt_panel_room_(x) < 0) x->opaque_words = 0;
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (n->op == XT_OP_END_) xt_join_carried_(x, n->frame, xt_tie_);
        if (xt_does_(n->op, XT_RENAMES_)) xt_tie_(x, n->operand[XT_MOVE_PART_], n->result);
        if (!xt_is_opaque_product_(x, n)) continue;
        if (n->operand[XT_MMA_SUM_]) xt_tie_(x, n->operand[XT_MMA_SUM_], n->result);
        xt_value_ *value = xt_root_of_(x, n->result);
        value->opaque = value->multiplies = any = true;
    }
    if (!any) x->opaque_words = 0;
    if (any) xt_suppose_opaque_(x);
    if (any) xt_decide_opaque_(x);
    if (any) xt_find_panels_(x);
}

/* passes/vulkan.c - what only the matrices of Vulkan's devices need, in one object, as spirv_emit.h has it. */

static const xt_vulkan_part_ xt_vulkan_all_ = {
    xt_find_opaque_, xt_is_opaque_product_, xt_opaque_memory_, xt_write_opaque_,   xt_write_panel_,
    xt_store_opaque_, xt_opaque_convert_,   xt_opaque_splat_,  xt_opaque_vec_,     xt_opaque_parts_,
    xt_panel_ids_,   xt_panels_carry_,      xt_panels_enter_,  xt_panels_iterate_,    xt_panels_wait_};

#if defined(XETILE_STATIC_) && !defined(__cplusplus)
static const xt_vulkan_part_ *const xt_vulkan_here_ = &xt_vulkan_all_;
#else
XE_FN_ const xt_vulkan_part_ *xt_vulkan_(void) { return &xt_vulkan_all_; }
#endif

XETILE_AS_BEFORE_
#endif /* XETILE_XETILE_VULKAN_BODIES_ */

#ifndef XETILE_XETILE_MACROS_
#define XETILE_XETILE_MACROS_
#if defined(__INCLUDE_LEVEL__) && __INCLUDE_LEVEL__ > 0
#pragma GCC system_header
#endif

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

/* cpp.h - the macros of kernels in C++20, which has no compound literals and no _Generic: overloads and templates
 * instead, with the same names and the same modules. Options are given in the order of their declaration.
 */
#if __cplusplus >= 202002L

/* ---- overloads for _Generic */
inline spe_cpp_operand<xt_any_, true> xt_any_cpp_(const xt_vec &v) { return {xt_any_vec_(v)}; }
template <class T> requires(!spe_cpp_is_number<T>)
spe_cpp_operand<xt_any_, false> xt_any_cpp_(const T &) = delete; /* neither a number nor a vector */
template <class T> requires(spe_cpp_is_number<T>) spe_cpp_operand<xt_any_, false> xt_any_cpp_(const T &x)
{
    return {xt_any_val_(spe_cpp_number_of(x))};
}
template <class T> constexpr int xt_table_of_cpp_(const T *)
{
    if constexpr (std::is_same_v<T, double>) return CM_F64;
    else if constexpr (std::is_same_v<T, float>) return CM_F32;
    else if constexpr (std::is_same_v<T, int>) return CM_I32;
    else if constexpr (std::is_same_v<T, unsigned>) return CM_U32;
    else {
        static_assert(std::is_same_v<T, long long>, "a table of double, float, int, unsigned or long long");
        return CM_I64;
    }
}
#undef XT_ANY_
#define XT_ANY_(x) xt_any_cpp_(x)
#undef XT_BY_
#define XT_BY_(name, a, b, c) spe_cpp_choose(xt_##name##_vec_, xt_##name##_scalar_)
#undef XT_TABLE_OF_
#define XT_TABLE_OF_(v) xt_table_of_cpp_(v)

/* ---- compound literals */
#undef XT_KERNEL
#define XT_KERNEL(name_, ...) SPE_KERNEL(xt, XT, name_, __VA_ARGS__)
#undef XT_HERE_
#define XT_HERE_ (xt_where_{xt_context_, SPE_CPP_LINE})
#undef XT_OPERANDS_
#define XT_OPERANDS_(...) (spe_cpp_operands{__VA_ARGS__})
#undef XT_NUMBERS_
#define XT_NUMBERS_(...) spe_cpp_listed<xt_val>({__VA_ARGS__})
#undef XT_MAP
#define XT_MAP(...) (xt_map{__VA_ARGS__})
#undef XT_BUILD
#define XT_BUILD(kernel_, target_, ...)                                                                                \
    xt_build(&(const xt_build_desc &)xt_build_desc{.kernel = &(kernel_), .file = __FILE__, .line = __LINE__,           \
                                                   .target = (target_), __VA_ARGS__})
#undef XT_DESC
#define XT_DESC(kernel_, target_, ...)                                                                                 \
    {.kernel = &(kernel_), .file = __FILE__, .line = __LINE__, .target = (target_), __VA_ARGS__}
#undef XT_CAST_2
#define XT_CAST_2(T, x, saturate_) XT_BY_(cast, x, 0, 0)(XT_HERE_, XT_ID_(T), XT_ANY_(x), xt_cast_desc_{saturate_})
#undef XT_IOTA
#define XT_IOTA(T, rows_, cols_, ...)                                                                                  \
    xt_iota_(XT_HERE_, XT_ID_(T), SPE_FIRST(__VA_ARGS__, 0),                                                           \
             xt_vec_desc_{.rows = (rows_), .cols = (cols_), SPE_REST(__VA_ARGS__, .end_ = 0)})
#undef XT_SPLAT
#define XT_SPLAT(T, rows_, cols_, ...)                                                                                 \
    xt_splat_(XT_HERE_, XT_ID_(T), XT_NUMBER(SPE_FIRST(__VA_ARGS__, 0)),                                               \
              xt_vec_desc_{.rows = (rows_), .cols = (cols_), SPE_REST(__VA_ARGS__, .end_ = 0)})
#undef XT_TABLE
#define XT_TABLE(T, rows_, cols_, ...)                                                                                 \
    xt_table_(XT_HERE_, XT_ID_(T), XT_TABLE_OF_(SPE_FIRST(__VA_ARGS__, 0)), SPE_FIRST(__VA_ARGS__, 0),                 \
              xt_vec_desc_{.rows = (rows_), .cols = (cols_), SPE_REST(__VA_ARGS__, .end_ = 0)})
#undef XT_REDUCTION
#define XT_REDUCTION(kind, vec_, dim_, ...)                                                                            \
    xt_reduction_(XT_HERE_, XT_RED_##kind##_, xt_reduction_desc_{.vec = (vec_), .dim = (dim_), __VA_ARGS__})
#undef XT_BROADCAST
#define XT_BROADCAST(vec_, dim_, size_, ...)                                                                           \
    xt_broadcast_(XT_HERE_, xt_broadcast_desc_{.vec = (vec_), .dim = (dim_), .size = (size_), __VA_ARGS__})
#undef XT_TRANSPOSE
#define XT_TRANSPOSE(vec_, ...) xt_transpose_(XT_HERE_, xt_layout_desc_{.vec = (vec_), __VA_ARGS__})
#undef XT_CONVERT_LAYOUT
#define XT_CONVERT_LAYOUT(vec_, ...) xt_convert_layout_(XT_HERE_, xt_layout_desc_{.vec = (vec_), __VA_ARGS__})
#undef XT_SLICE
#define XT_SLICE(vec_, row_, col_, rows_, cols_, ...)                                                                  \
    xt_slice_(XT_HERE_, xt_slice_desc_{.vec = (vec_), .row = (row_), .col = (col_), .rows = (rows_), .cols = (cols_),  \
                                       __VA_ARGS__})
#undef XT_SHAPE_CAST
#define XT_SHAPE_CAST(vec_, rows_, cols_, ...)                                                                         \
    xt_shape_cast_(XT_HERE_, xt_slice_desc_{.vec = (vec_), .rows = (rows_), .cols = (cols_), __VA_ARGS__})
#undef XT_SCAN
#define XT_SCAN(kind, vec_, dim_, ...)                                                                                 \
    xt_scan_vec_(XT_HERE_, XT_RED_##kind##_, xt_scan_desc_{.vec = (vec_), .dim = (dim_), __VA_ARGS__})
#undef XT_ARGMAX
#define XT_ARGMAX(vec_, dim_, ...) xt_arg_(XT_HERE_, true, xt_arg_desc_{.vec = (vec_), .dim = (dim_), __VA_ARGS__})
#undef XT_TOP
#define XT_TOP(vec_, count_, ...) xt_top_(XT_HERE_, xt_top_desc_{.vec = (vec_), .count = (count_), __VA_ARGS__})
#undef XT_ARGMIN
#define XT_ARGMIN(vec_, dim_, ...) xt_arg_(XT_HERE_, false, xt_arg_desc_{.vec = (vec_), .dim = (dim_), __VA_ARGS__})
#undef XT_TILE_PACK
#define XT_TILE_PACK(vec_, ...) xt_tile_pack_(XT_HERE_, xt_pack_desc_{.vec = (vec_), __VA_ARGS__})
#undef XT_TILE_UNPACK
#define XT_TILE_UNPACK(vec_, ...) xt_tile_unpack_(XT_HERE_, xt_pack_desc_{.vec = (vec_), __VA_ARGS__})
#undef XT_INIT_TILE
#define XT_INIT_TILE(base_, T, rows_, cols_, ...)                                                                      \
    xt_init_tile_(XT_HERE_, xt_tile_desc_{.base = (base_), .type = (cm_type)XT_ID_(T), .rows = (rows_),                \
                                          .cols = (cols_), __VA_ARGS__})
#undef XT_LOAD_TILE
#define XT_LOAD_TILE(tile_, ...) xt_load_tile_(XT_HERE_, xt_load_desc_{.tile = (tile_), __VA_ARGS__})
#undef XT_PREFETCH_1
#define XT_PREFETCH_1(tile_) xt_prefetch_tile_(XT_HERE_, xt_prefetch_desc_{.tile = (tile_), .locality = 3})
#undef XT_PREFETCH_2
#define XT_PREFETCH_2(tile_, locality_) xt_prefetch_tile_(XT_HERE_, xt_prefetch_desc_{.tile = (tile_), locality_})
#undef XT_TILE_MMA /* (a, b), (a, b, sum), (a, b, sum, options...); not (a, b, options...) */
#define XT_TILE_MMA(left_, right_, ...)                                                                                \
    xt_tile_mma_(XT_HERE_, xt_mma_desc_{.left = (left_), .right = (right_), __VA_OPT__(.sum = __VA_ARGS__)})
#undef XT_TILE_MMA_SCALED
#define XT_TILE_MMA_SCALED(left_, scale_left_, right_, scale_right_, ...)                                              \
    xt_tile_mma_scaled_(XT_HERE_, xt_scaled_desc_{.mma = {.left = (left_), .right = (right_)},                         \
                                                  .scale_a = (scale_left_), .scale_b = (scale_right_),                 \
                                                  __VA_OPT__(.sum = __VA_ARGS__)})
#undef XT_QUANTIZE
#define XT_QUANTIZE(T, vec_, dim_, ...)                                                                                \
    xt_quantize_(XT_HERE_, XT_ID_(T), xt_quantize_desc_{.vec = (vec_), .dim = (dim_), __VA_ARGS__})
#undef XT_ATOMIC_RMW
#define XT_ATOMIC_RMW(kind_, vec_, tile_, ...)                                                                         \
    xt_atomic_rmw_(XT_HERE_, XT_RMW_##kind_##_,                                                                        \
                   xt_scattered_{.vec = (vec_), .access = {.tile = (tile_), __VA_OPT__(.mask = __VA_ARGS__)}})
#undef XT_LOAD_GATHER
#define XT_LOAD_GATHER(tile_, ...)                                                                                     \
    xt_load_gather_(XT_HERE_, xt_gather_desc_{.tile = (tile_), __VA_OPT__(.mask = __VA_ARGS__)})
#undef XT_STORE_SCATTER
#define XT_STORE_SCATTER(vec_, tile_, ...)                                                                             \
    xt_store_scatter_(XT_HERE_, xt_scattered_{.vec = (vec_), .access = {.tile = (tile_),                               \
                                                                        __VA_OPT__(.mask = __VA_ARGS__)}})
#undef XT_STORE_TILE
#define XT_STORE_TILE(vec_, tile_) xt_store_tile_(XT_HERE_, xt_scattered_{.vec = (vec_), .access = {.tile = (tile_)}})
#undef XT_UPDATE_1
#define XT_UPDATE_1(tile_, by_) xt_update_offsets_(XT_HERE_, xt_update_by_{.tile = (tile_), .by = XT_ANY_(by_)})
#undef XT_UPDATE_2
#define XT_UPDATE_2(tile_, rows_, cols_)                                                                               \
    xt_update_tile_offset_(XT_HERE_, xt_update_{.tile = (tile_), .by = {XT_NUMBER(rows_), XT_NUMBER(cols_)}})
#undef XT_EMIT_VEC
#define XT_EMIT_VEC(T, fn_, user_, ...) xt_emit_vec_(XT_HERE_, XT_ID_(T), fn_, user_, xt_vecs_{__VA_ARGS__}.all)
struct xt_vecs_ { xt_vec all[3]; };
#endif /* C++20 */

#endif /* XETILE_XETILE_MACROS_ */

#if defined(__GNUC__)
SPE_LETTERS_(XETILE_POP_)
#endif

#endif /* CM_LAYOUT_ONLY */
