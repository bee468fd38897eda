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
