/* test_xetile_vector_errors.c - bad input to operations on vectors, layouts and control flow: each mistake has its own
 * error id, the user's file and line, and both values. */
#include "test.h"
#include "xetile.h"

#include <limits.h>

static int marked; /* the line of the mistake */
#define MARK marked = __LINE__;

static void expect(xt_module *mod, int id, const char *one, const char *other)
{
    CHECK(mod->words == NULL);
    CHECK_MSG(mod->error->id == id, "got %s (%s), want %s", mod->error->name ? mod->error->name : "no error",
              mod->error->text, xt_error_name(id));
    CHECK_HAS(mod->error->text, xt_error_text(id));
    CHECK_HAS(mod->error->text, one);
    CHECK_HAS(mod->error->text, other);
    CHECK_HAS(mod->error->file, "test_xetile_vector_errors.c");
    CHECK_MSG(abs(mod->error->line - marked) < 5, "line %d, want %d", mod->error->line, marked); /* of one statement */
    xt_free(mod);
}

static void expect_bad(const xt_kernel *kernel, int id, const char *one, const char *other)
{
    xt_module mod = XT_BUILD(*kernel, &(xt_target){.name = "bmg"});
    expect(&mod, id, one, other);
}

#define BAD(name, id, one, other, ...)                                                                                 \
    XT_KERNEL (kernel_##name, ptr(f32, A), u32(N), f32(F))                                                             \
    {                                                                                                                  \
        (void)A, (void)N, (void)F;                                                                                     \
        MARK __VA_ARGS__                                                                                               \
    }                                                                                                                  \
    TEST(name) { expect_bad(&kernel_##name, XT_ERROR_##id, one, other); }

#define V(T, rows, cols) XT_SPLAT(T, rows, cols, 1)
#define W(T, rows, cols, a, b, c, d) XT_SPLAT(T, rows, cols, 1, .map = M(a, b, c, d))
#define M(a, b, c, d) XT_MAP(.sg_layout = {a, b}, .sg_data = {c, d})

/* element by element */
BAD(math_of_integers, MATH_TYPE, "XT_EXP", "i32", XT_EXP(V(i32, 4, 16));)
BAD(math_of_f8, MATH_TYPE, "XT_ABS", "e4m3", XT_ABS(V(e4m3, 4, 16));)
BAD(math_of_conditions, MATH_TYPE, "XT_SQRT", "i1", XT_SQRT(V(i1, 4, 16));)
BAD(math_of_a_number, MATH_TYPE, "XT_TANH", "u32", XT_TANH(N);)
BAD(math_of_a_pointer, MATH_TYPE, "XT_ABS", "pointer", XT_ABS(A);)
BAD(math_shapes, VEC_SHAPE, "XT_POW of 4 x 16", "8 x 16", XT_POW(V(f32, 4, 16), V(f32, 8, 16));)
BAD(math_types, VEC_TYPE, "XT_FMA of f32", "f16", XT_FMA(V(f32, 4, 16), V(f32, 4, 16), V(f16, 4, 16));)
BAD(comparison_of_types, VEC_TYPE, "XT_LT of f32", "i32", XT_LT(V(f32, 4, 16), V(i32, 4, 16));)
BAD(comparison_of_maps, MAP_DIFFERS, "{2, 1} sg_data {2, 16}", "{1, 2} sg_data {4, 8}",
    XT_EQ(W(f32, 4, 16, 2, 1, 2, 16), W(f32, 4, 16, 1, 2, 4, 8));)
BAD(sum_of_conditions, VEC_OP, "XT_ADD", "i1", XT_ADD(V(i1, 4, 16), V(i1, 4, 16));)
BAD(sum_of_f8, VEC_OP, "XT_ADD", "e5m2", XT_ADD(V(e5m2, 4, 16), V(e5m2, 4, 16));)
BAD(bits_of_floats, VEC_OP, "XT_AND", "f32", XT_AND(V(f32, 4, 16), V(f32, 4, 16));)
BAD(select_by_a_number, CONDITION, "a number", "XT_IF", XT_SELECT(1, V(f32, 4, 16), 0);)
BAD(select_numbers_by_a_number, CONDITION, "XT_SELECT got u32", "XT_NE", XT_SELECT(N, 1, 2);)
BAD(select_by_numbers, CONDITION, "vector of f32", "", XT_SELECT(V(f32, 4, 16), V(f32, 4, 16), 0);)
BAD(select_of_numbers, VEC_TYPE, "two numbers", "XT_SPLAT", XT_SELECT(V(i1, 4, 16), 1, 0);)
BAD(select_of_types, VEC_TYPE, "f32", "f16", XT_SELECT(V(i1, 4, 16), V(f32, 4, 16), V(f16, 4, 16));)
BAD(select_of_shapes, VEC_SHAPE, "4 x 16", "8 x 16", XT_SELECT(V(i1, 4, 16), V(f32, 8, 16), 0);)
BAD(bitcast_of_odd_columns, BITCAST, "from i8 to u16", "15 columns: not a multiple of 2",
    XT_BITCAST(u16, V(i8, 4, 15));)
BAD(bitcast_across_subgroups, BITCAST, "from i8 to u32", "sg_data {4, 2}", XT_BITCAST(u32, W(i8, 4, 16, 1, 8, 4, 2));)
BAD(bitcast_of_blocks, BLOCKED, "from f16 to f32", "XT_TILE_UNPACK",
    XT_BITCAST(f32, XT_TILE_PACK(V(f16, 8, 16), .inner_blocks = {4, 4}));)
BAD(bitcast_of_a_number, BITCAST, "from f32", "to i64", XT_BITCAST(i64, F);)
BAD(bitcast_of_conditions, BITCAST, "from i1", "to u8", XT_BITCAST(u8, V(i1, 4, 16));)
BAD(iota_dimension, VEC_DIM, "XT_IOTA along dimension 2", "", XT_IOTA(i32, 4, 16, 2);)
BAD(iota_type, VEC_TYPE, "XT_IOTA of", "e4m3", XT_IOTA(e4m3, 4, 16, 0);)

BAD(top_of_integers, VEC_TYPE, "XT_TOP of i32", "floats", XT_TOP(V(i32, 4, 16), 2);)
BAD(logsumexp_of_integers, VEC_TYPE, "XT_LOGSUMEXP of i32", "floats", XT_LOGSUMEXP(V(i32, 4, 16), 1);)
BAD(top_of_too_many, VEC_SHAPE, "XT_TOP: 17", "16 columns", XT_TOP(V(f32, 4, 16), 17);)

/* reduction */
BAD(reduction_dimension, VEC_DIM, "XT_REDUCTION along dimension 2", "2-D", XT_REDUCTION(add, V(f32, 4, 16), 2);)
BAD(reduction_dimension_negative, VEC_DIM, "dimension -2147483648", "2-D",
    XT_REDUCTION(add, V(f32, 4, 16), INT_MIN);)
BAD(reduction_pair, VEC_DIM, "dimensions 1 and 3", "2-D", XT_REDUCTION(add, V(f32, 4, 16), XT_DIMS(1, 3));)
BAD(reduction_kind_of_floats, REDUCTION_KIND, "minsi", "f32", XT_REDUCTION(minsi, V(f32, 4, 16), 1);)
BAD(reduction_kind_of_integers, REDUCTION_KIND, "maximumf", "i32", XT_REDUCTION(maximumf, V(i32, 4, 16), 1);)
BAD(reduction_of_conditions, REDUCTION_KIND, "and", "i1", XT_REDUCTION(and, V(i1, 4, 16), 1);)
BAD(reduction_size, REDUCTION_SIZE, "reduction_size 5", "16", XT_REDUCTION(add, V(f32, 4, 16), 1, .reduction_size = 5);)
BAD(reduction_size_negative, REDUCTION_SIZE, "-4", "16", XT_REDUCTION(add, V(f32, 4, 16), 1, .reduction_size = -4);)
BAD(reduction_layout, REDUCTION_MAP, "{1, 4}", "{4, 1}",
    XT_REDUCTION(add, W(f32, 32, 16, 4, 1, 8, 16), 1, .map = M(1, 4, 32, 1));)
BAD(reduction_does_not_fit, MAP_FIT, "tile 6 x 8", "sg_data {1, 1} is 4 x 2",
    XT_REDUCTION(add, W(i32, 24, 8, 4, 2, 1, 1), 0, .reduction_size = 4);)
BAD(reduction_other_dimension, REDUCTION_MAP, "{16, 1}", "{8, 1}",
    XT_REDUCTION(add, W(f32, 32, 16, 4, 1, 8, 16), 1, .map = M(4, 1, 16, 1));)
BAD(reduction_reduced_dimension, REDUCTION_MAP, "{8, 1}", "{8, 2}",
    XT_REDUCTION(add, W(f32, 32, 16, 4, 1, 8, 16), 1, .reduction_size = 8, .map = M(4, 1, 8, 1));)
BAD(reduction_source, SOURCE_MAP, "{4, 1} sg_data {8, 16}", "{2, 2} sg_data {16, 8}",
    XT_REDUCTION(add, W(f32, 32, 16, 4, 1, 8, 16), 1, .map = M(4, 1, 8, 1), .source = M(2, 2, 16, 8));)

/* broadcast */
BAD(broadcast_of_many, BROADCAST_SIZE, "has 4 elements", "wanted 1", XT_BROADCAST(V(f32, 4, 16), 0, 8);)
BAD(broadcast_size, BROADCAST_SIZE, "4 elements times broadcast_size 3", "8",
    XT_BROADCAST(V(f32, 4, 16), 0, 8, .broadcast_size = 3);)
BAD(broadcast_size_too_large, BROADCAST_SIZE, "16 elements times broadcast_size 268435456", "is not 0",
    XT_BROADCAST(V(f32, 4, 16), 1, 0, .broadcast_size = 1 << 28);)
BAD(broadcast_dimension, VEC_DIM, "XT_BROADCAST along dimension -1", "", XT_BROADCAST(V(f32, 1, 16), -1, 8);)
BAD(broadcast_layout, BROADCAST_MAP, "{4, 1} sg_data {8, 1}", "{2, 2} sg_data {8, 1}",
    XT_BROADCAST(W(f32, 32, 1, 4, 1, 8, 1), 1, 16, .map = M(2, 2, 8, 16));)
BAD(broadcast_other_dimension, BROADCAST_MAP, "{8, 1}", "{16, 1}",
    XT_BROADCAST(W(f32, 32, 1, 4, 1, 8, 1), 1, 16, .map = M(4, 1, 16, 16));)
BAD(broadcast_map_missing, MAP_MISSING, "dimension 1", "sg_layout is 2",
    XT_BROADCAST(W(f32, 32, 1, 2, 2, 16, 1), 1, 16);)
BAD(broadcast_shared_pieces, BROADCAST_MAP, "{4, 16}", "broadcast_size 8",
    XT_BROADCAST(W(f32, 4, 16, 4, 1, 1, 16), 0, 32, .broadcast_size = 8, .map = M(4, 1, 4, 16));)

/* layouts */
BAD(transpose_source, SOURCE_MAP, "{4, 1} sg_data {8, 16}", "{1, 4} sg_data {32, 4}",
    XT_TRANSPOSE(W(f32, 32, 16, 4, 1, 8, 16), .source = M(1, 4, 32, 4));)
BAD(transpose_map, MAP_FIT, "tile 16 x 32", "sg_data {5, 8}",
    XT_TRANSPOSE(W(f32, 32, 16, 4, 1, 8, 16), .map = M(1, 4, 5, 8));)
BAD(transpose_blocked, BLOCKED, "4-D", "{8, 16}", XT_TRANSPOSE(XT_TILE_PACK(V(f32, 16, 16), .inner_blocks = {8, 16}));)
BAD(convert_source, SOURCE_MAP, "{4, 1} sg_data {8, 16}", "{2, 2} sg_data {16, 8}",
    XT_CONVERT_LAYOUT(W(f32, 32, 16, 4, 1, 8, 16), .map = M(1, 4, 32, 4), .source = M(2, 2, 16, 8));)
BAD(convert_without_map, MAP_MISSING, "32 x 16", ".map", XT_CONVERT_LAYOUT(W(f32, 32, 16, 4, 1, 8, 16));)
BAD(convert_other_subgroups, MAP_SUBGROUPS, "{1, 8}", "has 4",
    XT_CONVERT_LAYOUT(W(f32, 32, 16, 4, 1, 8, 16), .map = M(1, 8, 32, 2));)
BAD(slice_outside, SLICE, "8 x 8 at (10, 0)", "16 x 16", XT_SLICE(V(f32, 16, 16), 10, 0, 8, 8);)
BAD(slice_negative, SLICE, "(0, -1)", "16 x 16", XT_SLICE(V(f32, 16, 16), 0, -1, 8, 8);)
BAD(slice_without_map, MAP_MISSING, "XT_SLICE", "32 x 16", XT_SLICE(W(f32, 32, 16, 4, 1, 8, 16), 0, 0, 16, 16);)

/* blocked vectors */
BAD(pack_size, BLOCKED, "{5, 16}", "32 x 16", XT_TILE_PACK(V(f32, 32, 16), .inner_blocks = {5, 16});)
BAD(pack_of_a_piece, BLOCKED, "{16, 16}", "8 x 16",
    XT_TILE_PACK(W(f32, 32, 16, 4, 1, 8, 16), .inner_blocks = {16, 16});)
BAD(pack_twice, BLOCKED, "has inner_blocks {8, 8}", "",
    XT_TILE_PACK(XT_TILE_PACK(V(f32, 32, 16), .inner_blocks = {8, 8}), .inner_blocks = {8, 8});)
BAD(unpack_other, BLOCKED, "{16, 8}", "{8, 8}",
    XT_TILE_UNPACK(XT_TILE_PACK(V(f32, 32, 16), .inner_blocks = {8, 8}), .inner_blocks = {16, 8});)
BAD(unpack_of_2d, BLOCKED, "{0, 0}", "XT_TILE_UNPACK", XT_TILE_UNPACK(V(f32, 32, 16));)
BAD(sum_of_blocked, BLOCKED, "{8, 8}", "{0, 0}",
    XT_ADD(XT_TILE_PACK(V(f32, 32, 16), .inner_blocks = {8, 8}), V(f32, 32, 16));)
BAD(reduction_of_blocked, VEC_DIM, "4-D", "XT_DIMS(1, 3)",
    XT_REDUCTION(add, XT_TILE_PACK(V(f32, 32, 16), .inner_blocks = {8, 8}), 1);)
BAD(mma_of_blocked, BLOCKED, "{8, 8}", "{16, 16}",
    XT_TILE_MMA(XT_TILE_PACK(V(f16, 32, 32), .inner_blocks = {8, 8}),
                XT_TILE_PACK(V(f16, 32, 32), .inner_blocks = {16, 16}));)
BAD(mma_given_operand_map, MMA_MAP, "a has sg_layout {4, 1} sg_data {8, 32}", "{4, 1} sg_data {8, 16}",
    XT_TILE_MMA(W(f16, 32, 32, 4, 1, 8, 32), W(f16, 32, 32, 4, 1, 32, 32), .a_map = M(4, 1, 8, 16));)

/* control flow */
BAD(while_of_a_number, CONDITION, "XT_WHILE got u32", "", XT_WHILE (N) {})
BAD(arrive_twice, SPLIT_BARRIER, "\"b\"", "\"a\"", XT_BARRIER_ARRIVE("a"); XT_BARRIER_ARRIVE("b");)
BAD(wait_for_another, SPLIT_BARRIER, "waiting for \"b\"", "arrived at: a", XT_BARRIER_ARRIVE("a");
    XT_BARRIER_WAIT("b");)
BAD(wait_for_none, SPLIT_BARRIER, "waiting for \"a\"", "none", XT_BARRIER_WAIT("a");)

XT_KERNEL (carried_by_while, ptr(f32, A), u32(N))
{
    xt_vec v = V(f32, 4, 16);
    (void)A, (void)N;
    MARK XT_WHILE (XT_LT(N, 3), &v) { v = V(f32, 8, 16); }
}
TEST(while_changes_a_type) { expect_bad(&carried_by_while, XT_ERROR_CARRIED_TYPE, "4 x 16", "8 x 16"); }

XT_KERNEL (left_by_break, ptr(f32, A), u32(N))
{
    (void)A;
    MARK XT_WHILE (XT_LT(N, 3)) { break; }
}
TEST(while_left_by_break) { expect_bad(&left_by_break, XT_ERROR_UNCLOSED, "XT_WHILE", "break"); }

/* Local memory that is full or too small for one row. */
XT_KERNEL (too_wide, ptr(f32, A))
{
    (void)A;
    MARK XT_CONVERT_LAYOUT(W(f64, 4, 256, 2, 2, 2, 128), .map = M(4, 1, 1, 256));
}
TEST(local_memory)
{
    xt_module mod = XT_BUILD(too_wide, &(xt_target){.name = "bmg", .local_memory = 2000});
    expect(&mod, XT_ERROR_LOCAL_MEMORY, "a row of 2048 bytes", "2000");
    mod = XT_BUILD(too_wide, &(xt_target){.name = "bmg", .local_memory = 3000});
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    CHECK_INT(mod.local_memory, 3000);
    xt_free(&mod);
    mod = XT_BUILD(too_wide, &(xt_target){.name = "bmg"});
    CHECK_INT(mod.local_memory, 8192);
    xt_free(&mod);
}

static void run_elements(void)
{
    RUN(math_of_integers);
    RUN(math_of_f8);
    RUN(math_of_conditions);
    RUN(math_of_a_number);
    RUN(math_of_a_pointer);
    RUN(math_shapes);
    RUN(math_types);
    RUN(comparison_of_types);
    RUN(comparison_of_maps);
    RUN(sum_of_conditions);
    RUN(sum_of_f8);
    RUN(bits_of_floats);
    RUN(select_by_a_number);
    RUN(select_numbers_by_a_number);
    RUN(select_by_numbers);
    RUN(select_of_numbers);
    RUN(select_of_types);
    RUN(select_of_shapes);
    RUN(bitcast_of_odd_columns);
    RUN(bitcast_across_subgroups);
    RUN(bitcast_of_blocks);
    RUN(top_of_integers);
    RUN(logsumexp_of_integers);
    RUN(top_of_too_many);
    RUN(bitcast_of_a_number);
    RUN(bitcast_of_conditions);
    RUN(iota_dimension);
    RUN(iota_type);
}

static void run_reductions_and_broadcasts(void)
{
    RUN(reduction_dimension);
    RUN(reduction_dimension_negative);
    RUN(reduction_pair);
    RUN(reduction_kind_of_floats);
    RUN(reduction_kind_of_integers);
    RUN(reduction_of_conditions);
    RUN(reduction_size);
    RUN(reduction_size_negative);
    RUN(reduction_layout);
    RUN(reduction_does_not_fit);
    RUN(reduction_other_dimension);
    RUN(reduction_reduced_dimension);
    RUN(reduction_source);
    RUN(broadcast_of_many);
    RUN(broadcast_size);
    RUN(broadcast_size_too_large);
    RUN(broadcast_dimension);
    RUN(broadcast_layout);
    RUN(broadcast_other_dimension);
    RUN(broadcast_map_missing);
    RUN(broadcast_shared_pieces);
}

static void run_moves_and_regions(void)
{
    RUN(transpose_source);
    RUN(transpose_map);
    RUN(transpose_blocked);
    RUN(convert_source);
    RUN(convert_without_map);
    RUN(convert_other_subgroups);
    RUN(slice_outside);
    RUN(slice_negative);
    RUN(slice_without_map);
    RUN(pack_size);
    RUN(pack_of_a_piece);
    RUN(pack_twice);
    RUN(unpack_other);
    RUN(unpack_of_2d);
    RUN(sum_of_blocked);
    RUN(reduction_of_blocked);
    RUN(mma_of_blocked);
    RUN(mma_given_operand_map);
    RUN(while_of_a_number);
    RUN(arrive_twice);
    RUN(wait_for_another);
    RUN(wait_for_none);
    RUN(while_changes_a_type);
    RUN(while_left_by_break);
    RUN(local_memory);
}

int main(void)
{
    run_elements();
    run_reductions_and_broadcasts();
    run_moves_and_regions();
    return test_report();
}
