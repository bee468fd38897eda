/* test_xetile_errors.c - bad input to xetile.h: each mistake has its own error id, the user's file and line, and both
 * values. */
#include "test.h"
#include "xetile.h"

#include <limits.h>

static int marked; /* the line of the mistake */
#define MARK marked = __LINE__;

/* `lines`: the lines of the statement; compilers differ in which of them __LINE__ gives inside a macro's arguments.
 */
static void expect_in(xt_module *mod, int id, int line, int lines, const char *one, const char *other)
{
    CHECK(mod->words == NULL);
    CHECK_MSG(mod->error->id == id, "got %s (%s), want %s", mod->error->name ? mod->error->name : "no error",
              mod->error->text, xt_error_name(id));
    CHECK_STR(mod->error->name, xt_error_name(id));
    CHECK_HAS(mod->error->text, xt_error_text(id));
    CHECK_HAS(mod->error->text, one);
    CHECK_HAS(mod->error->text, other);
    CHECK_HAS(mod->error->file, "test_xetile_errors.c");
    for (const spe_error *e = mod->error->next; e; e = e->next)
        CHECK_MSG(e->file && e->line, "an error that follows has no place: %s", e->text);
    CHECK_MSG(abs(mod->error->line - line) < lines, "line %d, want %d", mod->error->line, line);
    xt_free(mod);
    CHECK(mod->owner_ == NULL);
    xt_free(mod);
}

static void expect(xt_module *mod, int id, int line, const char *one, const char *other)
{
    expect_in(mod, id, line, 1, one, other);
}

static void expect_bad(const xt_kernel *kernel, int id, const char *one, const char *other)
{
    xt_module mod = XT_BUILD(*kernel, &(xt_target){.name = "bmg"});
    expect_in(&mod, id, marked, 5, one, other);
}

#define BAD(name, id, one, other, ...)                                                                                 \
    XT_KERNEL (kernel_##name, ptr(f32, A), ptr(f16, B), u32(N), f32(F), u64(P))                                        \
    {                                                                                                                  \
        (void)A, (void)B, (void)N, (void)F, (void)P;                                                                   \
        MARK __VA_ARGS__                                                                                               \
    }                                                                                                                  \
    TEST(name) { expect_bad(&kernel_##name, XT_ERROR_##id, one, other); }

#define TILE(T, ...) XT_INIT_TILE(A, T, __VA_ARGS__, .shape = XT_AT(64, N))
#define FULL .map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 16})

/* maps */
BAD(map_does_not_fit, MAP_FIT, "tile 32 x 48", "sg_data {16, 16} is 32 x 32", XT_SPLAT(f32, 32, 48, 0.0, FULL);)
BAD(map_larger_piece_than_tile, MAP_FIT, "tile 4 x 16", "is 32 x 32", XT_SPLAT(f32, 4, 16, 0.0, FULL);)
BAD(map_without_layout, MAP_VALUES, "{0, 0}", "{16, 16}", XT_SPLAT(f32, 32, 32, 0.0, .map = {.sg_data = {16, 16}});)
BAD(map_other_subgroups, MAP_SUBGROUPS, "{2, 2} sg_data {16, 16} of", "has 8", XT_SPLAT(f32, 32, 32, 0.0, FULL);
    XT_SPLAT(f32, 32, 32, 0.0, .map = XT_MAP(.sg_layout = {4, 2}, .sg_data = {8, 16}));)
BAD(map_differs, MAP_DIFFERS, "{2, 2}", "{1, 4}",
    XT_ADD(XT_SPLAT(f32, 32, 32, 0.0, FULL),
           XT_SPLAT(f32, 32, 32, 0.0, .map = XT_MAP(.sg_layout = {1, 4}, .sg_data = {32, 8})));)

/* tiles */
BAD(tile_of_no_size, TILE_SIZE, "tile 0 x 16", "largest without a map", TILE(f32, 0, 16);)
BAD(tile_too_large, TILE_SIZE, "2048 x 8", "1024 x 1024", TILE(f32, 2048, 8);)
BAD(tile_base_is_a_number, TILE_BASE, "u32", "", XT_INIT_TILE(N, f32, 8, 8, .shape = XT_AT(8, 8));)
BAD(tile_base_is_a_constant, TILE_BASE, "the constant 4096", "",
    XT_INIT_TILE(spe_val_int(4096), f32, 8, 8, .shape = XT_AT(8, 8));)
BAD(tile_of_another_type, TILE_TYPE, "tile of f16", "pointer to f32", TILE(f16, 8, 8);)
BAD(tile_without_shape, TILE_SHAPE, "0 dimensions", "wanted 2", XT_INIT_TILE(A, f32, 8, 8);)
BAD(tile_offset_dimensions, TILE_SHAPE, "3 dimensions", "wanted 2 as", TILE(f32, 8, 8, .offset = XT_AT(1, 2, 3));)
BAD(tile_inner_stride, TILE_STRIDES, "dimension 1 is the constant 0", "wanted a C integer from 1",
    TILE(f32, 8, 8, .strides = XT_AT(N, 0));)
BAD(tile_inner_stride_of_order, TILE_STRIDES, "dimension 0 is u32", "wanted a C integer",
    TILE(f32, 8, 8, .strides = XT_AT(N, N), .order = {0, 1});)
BAD(tile_row_major_of_column_major, ORDER_STRIDES, "order {1, 0}",
    "dimension 1; it is u32, in dimension 0 the constant 1", TILE(f32, 8, 8, .strides = XT_AT(1, N));)
BAD(tile_column_major_of_row_major, ORDER_STRIDES, "order {0, 1}",
    "dimension 0; it is u32, in dimension 1 the constant 1", TILE(f32, 8, 8, .strides = XT_AT(N, 1), .order = {0, 1});)
BAD(tile_of_five_dimensions, TILE_SHAPE, ".strides has 2 dimensions", "wanted 3",
    XT_INIT_TILE(A, f32, 8, 8, .shape = XT_AT(4, 8, N), .strides = XT_AT(N, 1));)
BAD(inner_blocks_do_not_divide, INNER_BLOCKS, "{3, 8}", "8 x 8", TILE(f32, 8, 8, .inner_blocks = {3, 8});)
BAD(inner_blocks_do_not_divide_a_piece, INNER_BLOCKS, "{32, 16}", "16 x 16",
    TILE(f32, 32, 32, .inner_blocks = {32, 16}, FULL);)
BAD(store_of_other_blocks, STORE_BLOCKS, "vector of inner_blocks {0, 0}", "tile of {8, 8}",
    XT_STORE_TILE(XT_SPLAT(f32, 8, 8, 0.0), TILE(f32, 8, 8, .inner_blocks = {8, 8}));)
BAD(local_size, LOCAL_SIZE, "got 0 elements of f16", "", XT_LOCAL(f16, 0);)
BAD(local_memory_is_full, LOCAL_MEMORY, "131136 bytes with this one", "bmg has 131072", XT_LOCAL(i8, 1);
    XT_LOCAL(f32, 16 << 10); XT_LOCAL(f32, 16 << 10);)
BAD(padding_of_integers_is_whole, SCALAR_RANGE, "0.5", "i8",
    XT_LOAD_TILE(XT_INIT_TILE(P, i8, 8, 8, .shape = XT_AT(8, 8)), .padding = 0.5);)
BAD(padding_of_masks, SCALAR_RANGE, ".padding is 2", "i1",
    XT_LOAD_TILE(XT_INIT_TILE(P, i1, 8, 8, .shape = XT_AT(8, 8)), .padding = 2);)
BAD(scatter_offsets_are_floating, SCATTER_TYPE, "got f32", "",
    TILE(f32, 1, 16, .scatter = XT_SPLAT(f32, 1, 16, 0.0));)
BAD(scatter_offsets_are_short, SCATTER_TYPE, "got i16", "", TILE(f32, 1, 16, .scatter = XT_SPLAT(i16, 1, 16, 0));)
BAD(scatter_of_another_shape, SCATTER_SHAPE, "tile 1 x 16, offsets 1 x 32", "1 dimensions",
    XT_INIT_TILE(A, f32, 1, 16, .scatter = XT_SPLAT(i32, 1, 32, 0), .shape = XT_AT(N));)
BAD(scatter_of_a_matrix, SCATTER_SHAPE, "tile 1 x 16", "2 dimensions",
    TILE(f32, 1, 16, .scatter = XT_SPLAT(i32, 1, 16, 0));)
BAD(scatter_of_another_map, SCATTER_MAP, "{2, 2}", "{4, 1}",
    XT_INIT_TILE(A, f32, 32, 32, .shape = XT_AT(N), FULL,
                 .scatter = XT_SPLAT(i32, 32, 32, 0, .map = XT_MAP(.sg_layout = {4, 1}, .sg_data = {8, 32})));)
#define MASK(...) XT_LOAD_TILE(XT_INIT_TILE(P, i1, __VA_ARGS__, .shape = XT_AT(64, 64)))
#define SCATTER_TILE XT_INIT_TILE(A, f32, 1, 16, .scatter = XT_SPLAT(i32, 1, 16, 0), .shape = XT_AT(N))
BAD(scatter_tile_loaded, SCATTER, "XT_LOAD_TILE", "scatter tile 1 x 16", XT_LOAD_TILE(SCATTER_TILE);)
BAD(scatter_tile_stored, SCATTER, "XT_STORE_TILE", "1 x 16", XT_STORE_TILE(XT_SPLAT(f32, 1, 16, 0.0), SCATTER_TILE);)
BAD(scatter_tile_prefetched, SCATTER, "XT_PREFETCH_TILE", "1 x 16", XT_PREFETCH_TILE(SCATTER_TILE);)
BAD(scatter_tile_moved, SCATTER, "XT_UPDATE_TILE_OFFSET", "1 x 16", XT_UPDATE_TILE_OFFSET(SCATTER_TILE, 0, 1);)
BAD(tile_moved_by_one_number, NO_SCATTER, "XT_UPDATE_TILE_OFFSET", "tile 8 x 8",
    XT_UPDATE_TILE_OFFSET(TILE(f32, 8, 8), 1);)
BAD(offsets_moved_by_others, VEC_SHAPE, "XT_ADD of 1 x 16", "1 x 8",
    XT_UPDATE_TILE_OFFSET(SCATTER_TILE, XT_SPLAT(i32, 1, 8, 0));)
BAD(mask_of_a_regular_tile, NO_SCATTER, "XT_ATOMIC_RMW", "tile 8 x 8",
    XT_ATOMIC_RMW(addf, XT_SPLAT(f32, 8, 8, 0.0), TILE(f32, 8, 8), MASK(8, 8));)
BAD(gather_of_a_regular_tile, NO_SCATTER, "XT_LOAD_GATHER", "tile 8 x 8", XT_LOAD_GATHER(TILE(f32, 8, 8));)
BAD(scatter_to_a_regular_tile, NO_SCATTER, "XT_STORE_SCATTER", "tile 1 x 8",
    XT_STORE_SCATTER(XT_SPLAT(f32, 1, 8, 0.0), TILE(f32, 1, 8));)
BAD(mask_of_numbers, MASK_TYPE, "got u8", "", XT_LOAD_GATHER(SCATTER_TILE, .mask = XT_SPLAT(u8, 1, 16, 1));)
BAD(mask_of_another_shape, MASK_SHAPE, "mask of 1 x 32", "tile of 1 x 16",
    XT_LOAD_GATHER(SCATTER_TILE, .mask = MASK(1, 32));)
BAD(mask_of_another_map, MASK_MAP, "{1, 4} sg_data {1, 4}", "tile of no map",
    XT_LOAD_GATHER(SCATTER_TILE, .mask = MASK(1, 16, .map = XT_MAP(.sg_layout = {1, 4}, .sg_data = {1, 4})));)
BAD(scatter_of_another_type, STORE_TYPE, "vector of f16", "tile of f32",
    XT_STORE_SCATTER(XT_SPLAT(f16, 1, 16, 0.0), SCATTER_TILE);)
BAD(scatter_of_a_vector_of_another_shape, STORE_SHAPE, "vector of 1 x 32", "tile of 1 x 16",
    XT_STORE_SCATTER(XT_SPLAT(f32, 1, 32, 0.0), SCATTER_TILE);)

/* atomic_rmw */
BAD(atomic_integer_of_floats, ATOMIC_TYPE, "addi of f32", "",
    XT_ATOMIC_RMW(addi, XT_SPLAT(f32, 8, 8, 0.0), TILE(f32, 8, 8));)
BAD(atomic_float_of_integers, ATOMIC_TYPE, "maxnumf of i32", "",
    XT_ATOMIC_RMW(maxnumf, XT_SPLAT(i32, 8, 8, 0), XT_INIT_TILE(P, i32, 8, 8, .shape = XT_AT(8, 8)));)
BAD(atomic_of_short_floats, ATOMIC_TYPE, "mulf of e4m3", "",
    XT_ATOMIC_RMW(mulf, XT_SPLAT(e4m3, 8, 8, 0.0), XT_INIT_TILE(P, e4m3, 8, 8, .shape = XT_AT(8, 8)));)
BAD(atomic_of_masks, ATOMIC_TYPE, "ori of i1", "",
    XT_ATOMIC_RMW(ori, MASK(8, 8), XT_INIT_TILE(P, i1, 8, 8, .shape = XT_AT(8, 8)));)
BAD(atomic_of_shared_pieces, ATOMIC_SHARED, "tile 16 x 32", "sg_layout {2, 2} sg_data {16, 16}",
    XT_ATOMIC_RMW(addf, XT_SPLAT(f32, 16, 32, 0.0, FULL), TILE(f32, 16, 32, FULL));)
BAD(atomic_of_another_shape, STORE_SHAPE, "vector of 8 x 8", "tile of 8 x 16",
    XT_ATOMIC_RMW(addf, XT_SPLAT(f32, 8, 8, 0.0), TILE(f32, 8, 16));)
BAD(tile_order, TILE_ORDER, "{1, 1}", "", TILE(f32, 8, 8, .order = {1, 1});)
BAD(tile_shape_is_floating, INDEX, "f32", ".shape, second", XT_INIT_TILE(A, f32, 8, 8, .shape = XT_AT(8, F));)
BAD(tile_offset_is_64_bit, INDEX, "u64", ".offset, first", TILE(f32, 8, 8, .offset = XT_AT(P, 0));)
BAD(tile_offset_too_large, INDEX, "4294967296", ".offset, second", TILE(f32, 8, 8, .offset = XT_AT(0, 4294967296LL));)
BAD(tile_never_set, UNSET, "XT_LOAD_TILE", "", xt_tile t; memset(&t, 0, sizeof t); XT_LOAD_TILE(t);)
BAD(prefetch_locality, LOCALITY, "got 4", "", XT_PREFETCH_TILE(TILE(f32, 8, 8), .locality = 4);)
BAD(padding_out_of_range, SCALAR_RANGE, "300", "i8",
    XT_LOAD_TILE(XT_INIT_TILE(P, i8, 8, 8, .shape = XT_AT(8, 8)), .padding = 300);)

/* stores */
BAD(store_shape, STORE_SHAPE, "vector of 8 x 16", "tile of 16 x 8",
    XT_STORE_TILE(XT_SPLAT(f32, 8, 16, 0.0), TILE(f32, 16, 8));)
/* the order does not swap the tile's shape */
BAD(store_shape_of_order, STORE_SHAPE, "vector of 16 x 8", "tile of 8 x 16",
    XT_STORE_TILE(XT_SPLAT(f32, 16, 8, 0.0), TILE(f32, 8, 16, .order = {0, 1}));)
BAD(atomic_of_other_blocks, STORE_BLOCKS, "vector of inner_blocks {0, 0}", "tile of {8, 8}",
    XT_ATOMIC_RMW(addf, XT_SPLAT(f32, 8, 8, 0.0), TILE(f32, 8, 8, .inner_blocks = {8, 8}));)
BAD(atomic_of_another_map, STORE_MAP, "vector of no map", "tile of sg_layout {2, 2}",
    XT_ATOMIC_RMW(addf, XT_SPLAT(f32, 32, 32, 0.0), TILE(f32, 32, 32, FULL));)
BAD(store_type, STORE_TYPE, "vector of f16", "tile of f32", XT_STORE_TILE(XT_SPLAT(f16, 8, 8, 0.0), TILE(f32, 8, 8));)
BAD(store_map, STORE_MAP, "vector of sg_layout {2, 2}", "tile of no map",
    XT_STORE_TILE(XT_SPLAT(f32, 32, 32, 0.0, FULL), TILE(f32, 32, 32));)

/* products */
#define F16(rows, cols) XT_SPLAT(f16, rows, cols, 0.0)
#define MAPPED(T, rows, cols, l0, l1, d0, d1)                                                                          \
    XT_SPLAT(T, rows, cols, 0.0, .map = {.sg_layout = {l0, l1}, .sg_data = {d0, d1}})
BAD(mma_shapes, MMA_SHAPE, "a 8 x 16", "b 32 x 16", XT_TILE_MMA(F16(8, 16), F16(32, 16));)
BAD(mma_shape_of_c, MMA_SHAPE, "a 8 x 16, b 16 x 16", "c 8 x 8",
    XT_TILE_MMA(F16(8, 16), F16(16, 16), XT_SPLAT(f32, 8, 8, 0.0));)
BAD(mma_types, MMA_TYPE, "a of f16", "b of bf16", XT_TILE_MMA(F16(8, 16), XT_SPLAT(bf16, 16, 16, 0.0));)
BAD(mma_type_of_c, MMA_TYPE, "b of f16", "c of i32", XT_TILE_MMA(F16(8, 16), F16(16, 16), XT_SPLAT(i32, 8, 16, 0));)
BAD(mma_type_option, MMA_TYPE, "a of f16", "result i8", XT_TILE_MMA(F16(8, 16), F16(16, 16), .type = XT_TYPE(i8));)
BAD(mma_type_out_of_range, MMA_TYPE, "a of f16", "result no type",
    XT_TILE_MMA(F16(8, 16), F16(16, 16), .type = INT_MIN);)
BAD(mma_map_of_a, MMA_MAP, "a has sg_layout {4, 1} sg_data {8, 16}", "wanted sg_layout {2, 2} sg_data {16, 16}",
    XT_TILE_MMA(MAPPED(f16, 32, 16, 4, 1, 8, 16), MAPPED(f16, 16, 32, 2, 2, 16, 16),
                MAPPED(f32, 32, 32, 2, 2, 16, 16));)
BAD(mma_map_of_b, MMA_MAP, "b has sg_layout {2, 2} sg_data {8, 16}", "wanted sg_layout {2, 2} sg_data {16, 16}",
    XT_TILE_MMA(MAPPED(f16, 32, 16, 2, 2, 16, 16), MAPPED(f16, 16, 32, 2, 2, 8, 16),
                MAPPED(f32, 32, 32, 2, 2, 16, 16));)
BAD(mma_k_is_split, MMA_MAP, "a has sg_layout {2, 2} sg_data {16, 16}", "wanted sg_layout {2, 2} sg_data {16, 32}",
    XT_TILE_MMA(MAPPED(f16, 32, 32, 2, 2, 16, 16), MAPPED(f16, 32, 32, 2, 2, 32, 16),
                MAPPED(f32, 32, 32, 2, 2, 16, 16));)
BAD(mma_given_map, MMA_MAP, ".map has sg_layout {4, 1}", "wanted sg_layout {2, 2}",
    XT_TILE_MMA(MAPPED(f16, 32, 16, 2, 2, 16, 16), MAPPED(f16, 16, 32, 2, 2, 16, 16), MAPPED(f32, 32, 32, 2, 2, 16, 16),
                .map = {.sg_layout = {4, 1}, .sg_data = {8, 32}});)

/* vectors and numbers */
BAD(vector_shapes, VEC_SHAPE, "8 x 16", "16 x 8", XT_ADD(F16(8, 16), F16(16, 8));)
BAD(vector_types, VEC_TYPE, "f16", "f32", XT_MUL(F16(8, 8), XT_SPLAT(f32, 8, 8, 0.0));)
BAD(vector_operation, VEC_OP, "XT_SHL", "", XT_SHL(F16(8, 8), 2);)
BAD(vector_and_wrong_number, SCALAR_TYPE, "u32", "f16", XT_ADD(F16(8, 8), N);)
BAD(vector_never_set, UNSET, "an operand", "", xt_vec v; memset(&v, 0, sizeof v); XT_ADD(v, v);)
BAD(splat_of_a_fraction, SCALAR_TYPE, "0.5", "i32", XT_SPLAT(i32, 8, 8, 0.5);)
BAD(splat_out_of_range, SCALAR_RANGE, "256", "u8", XT_SPLAT(u8, 8, 8, 256);)
BAD(number_types, SCALAR_TYPE, "u32", "f32", XT_ADD(N, F);)
BAD(number_is_a_pointer, SCALAR_TYPE, "pointer to f32", "1", XT_ADD(A, 1);)
BAD(number_out_of_range, SCALAR_RANGE, "-1", "u32", XT_SUB(-1, N);)
BAD(number_never_set, UNSET, "XT_MUL", "", xt_val v; memset(&v, 0, sizeof v); XT_MUL(v, 2);)
BAD(shift_of_a_float, SCALAR_TYPE, "XT_SHL of f32", "2", XT_SHL(F, 2);)
BAD(nine_dimensions, TILE_SHAPE, ".shape has 9 dimensions", "2 to 8",
    XT_INIT_TILE(A, f32, 8, 8, .shape = XT_AT(1, 1, 1, 1, 1, 1, 1, 8, 8));)
BAD(number_loaded_from_a_number, POINTER, "the base of XT_LOAD is u32", "", XT_LOAD(N, 0);)
BAD(number_loaded_at_a_float, INDEX, "the index is f32", "", XT_LOAD(A, F);)
BAD(number_of_another_type_stored, SCALAR_TYPE, "the number of XT_STORE is u32", "wanted f32", XT_STORE(N, A, 0);)
BAD(any_of_numbers, CONDITION, "XT_ANY of a vector of f32", "", XT_ANY(XT_SPLAT(f32, 8, 8, 0.0));)
BAD(element_outside, SLICE, "1 x 1 at (8, 0) of 8 x 8", "", XT_ELEMENT(XT_SPLAT(f32, 8, 8, 0.0), 8, 0);)
BAD(table_out_of_range, SCALAR_RANGE, "element (0, 1) of XT_TABLE is 300", "u8",
    XT_TABLE(u8, 1, 2, ((const int[]){3, 300}));)
BAD(table_of_fractions, SCALAR_TYPE, "element (1, 0) of XT_TABLE is the floating constant 0.5", "i32",
    XT_TABLE(i32, 2, 1, ((const float[]){3, 0.5f}));)
BAD(shape_cast_of_another_size, VEC_SHAPE, "XT_SHAPE_CAST of 8 x 8 to 4 x 17", "", XT_SHAPE_CAST(F16(8, 8), 4, 17);)
BAD(scan_of_bits_of_floats, REDUCTION_KIND, "xor of f16", "", XT_SCAN(xor, F16(8, 8), 0);)
BAD(scan_along_nothing, VEC_DIM, "XT_SCAN along dimension 2", "", XT_SCAN(add, F16(8, 8), 2);)
BAD(argmax_of_a_mask, REDUCTION_KIND, "of i1", "", XT_ARGMAX(MASK(8, 8), 1);)
BAD(rows_that_do_not_fit, VEC_SHAPE, "8 x 16", "2 x 16", XT_ADD(F16(8, 16), F16(2, 16));)
BAD(row_and_column, VEC_SHAPE, "XT_ADD of 8 x 1", "1 x 16", XT_ADD(F16(8, 1), F16(1, 16));)
BAD(row_of_another_map, MAP_DIFFERS, "XT_ADD", "no map",
    XT_ADD(XT_SPLAT(f32, 8, 16, 0.0, .map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {4, 8})),
           XT_SPLAT(f32, 1, 16, 0.0));)
BAD(random_number_of_a_lane_as_an_offset, NOT_UNIFORM, "XT_LANE_ID", "",
    XT_LOAD_TILE(TILE(f32, 8, 8, .offset = XT_AT(XT_CAST(i32, XT_RANDOM(1, XT_LANE_ID())), 0)));)
BAD(random_of_floats, INDEX, "the index of XT_RANDOM is f32", "", XT_RANDOM(1, F);)
BAD(division_by_zero, DIVISION, "u32", "and 0", XT_DIV(N, 0);)
BAD(dimension, DIMENSION, "got 3", "", XT_GROUP_ID(3);)
BAD(unknown_parameter, UNKNOWN_PARAMETER, "\"Q\"", "ptr<f32> A, ptr<f16> B, u32 N, f32 F, u64 P", XT_PARAM("Q");)

/* control flow */
BAD(condition_is_a_number, CONDITION, "u32", "XT_IF", XT_IF (N){})
BAD(loop_step, LOOP_STEP, "got 0", "", XT_FOR (k, 0, N, 0){})
BAD(loop_end_is_floating, INDEX, "f32", "the loop's end", XT_FOR (k, 0, F, 1){})
BAD(carried_is_something_else, CARRIED, "number 2", "", int i = 5; xt_val v = spe_val_int(1);
    XT_FOR (k, 0, N, 1, &v, &i){})
BAD(
    carried_vector_changes_shape, CARRIED_TYPE, "number 1 of the list came in as vector 8 x 8 of f16",
    "is vector 8 x 16 of f16", xt_vec v = F16(8, 8);
    XT_FOR (k, 0, N, 1, &v) { v = F16(8, 16); })
BAD(
    carried_vector_changes_type, CARRIED_TYPE, "vector 8 x 8 of f16", "vector 8 x 8 of f32", xt_vec v = F16(8, 8);
    XT_FOR (k, 0, N, 1, &v) { v = XT_CAST(f32, v); })
BAD(
    carried_vector_changes_map, CARRIED_TYPE, "sg_layout {2, 1}", "sg_layout {1, 2}",
    xt_vec v = MAPPED(f16, 8, 8, 2, 1, 4, 8);
    XT_FOR (k, 0, N, 1, &v) { v = MAPPED(f16, 8, 8, 1, 2, 8, 4); })
BAD(
    carried_tile_changes_size, CARRIED_TYPE, "tile 8 x 8 of f32", "tile 8 x 4 of f32", xt_tile t = TILE(f32, 8, 8);
    XT_FOR (k, 0, N, 1, &t) { t = TILE(f32, 8, 4); })
BAD(
    carried_number_changes_type, CARRIED_TYPE, "u32", "f32", xt_val v = N; XT_FOR (k, 0, N, 1, &v) { v = F; })
BAD(
    if_value_changes_type, CARRIED_TYPE, "number 2 of the list came in as f32", "is u32", xt_val v = N, f = F;
    XT_IF (XT_LT(N, 5), &v, &f) { v = XT_ADD(v, 1); } XT_ELSE { f = N; })
BAD(
    loop_left_by_break, UNCLOSED, "XT_FOR", "break", XT_FOR (k, 0, N, 1) { break; })
BAD(
    loop_left_by_return, UNCLOSED, "the XT_FOR of line", "", XT_FOR (k, 0, N, 1) { return; })
BAD(
    if_left_by_return, UNCLOSED, "the XT_IF of line", "", XT_IF (XT_LT(N, 5)) { return; })
BAD(if_left_by_break, UNCLOSED, "the XT_IF of line", "", XT_FOR (k, 0, N, 1) { XT_IF (XT_LT(k, 5)) { break;
}
})
#undef F16

/* XT_IF is on another line than the XT_FOR around it: the error must name the inner one. */
XT_KERNEL (inner_left_open, u32(N))
{
    XT_FOR (k, 0, N, 1)
    {
        MARK XT_IF (XT_LT(k, 5)) { break; }
    }
}
TEST(inner_region_is_named) { expect_bad(&inner_left_open, XT_ERROR_UNCLOSED, "the XT_IF", ""); }

/* The first mistake is reported, and code after it neither crashes nor loops. */
XT_KERNEL (after_an_error, ptr(f32, A), u32(N))
{
    MARK xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, f16, 8, 8, .shape = XT_AT(N, N)));
    xt_tile t = XT_INIT_TILE(A, f32, 7, 8, .shape = XT_AT(N, N));
    xt_val n = XT_DIV(N, 0);
    XT_FOR (k, 0, n, 1, &v, &t, &n)
    {
        v = XT_ADD(v, XT_LOAD_TILE(t));
        XT_IF (XT_LT(k, n), &v) { v = XT_TILE_MMA(v, v, v); }
        XT_ELSE { XT_STORE_TILE(v, t); }
        t = XT_UPDATE_TILE_OFFSET(t, 1, n);
        XT_PREFETCH_TILE(t);
    }
    XT_STORE_TILE(XT_CAST(f32, v), t);
}
TEST(first_error_wins) { expect_bad(&after_an_error, XT_ERROR_TILE_TYPE, "tile of f16", "pointer to f32"); }

/* Independent mistakes are reported together; their consequences are not. */
static int first_line;
XT_KERNEL (three_mistakes, ptr(f16, A), ptr(f32, B), u32(N))
{
    xt_tile a, b;
    xt_vec v, u;
    first_line = __LINE__;
    a = XT_INIT_TILE(A, f32, 32, 32, .shape = XT_AT(N, N));                     /* 1 */
    b = XT_INIT_TILE(B, f32, 32, 32, .shape = XT_AT(N, N), .order = {2, 5});    /* 2 */
    v = XT_LOAD_TILE(a);
    u = XT_ADD(XT_LOAD_TILE(b), v);
    XT_FOR (k, 0, N, 0, &v) {                                                   /* 5 */
        v = XT_ADD(u, v);
        XT_STORE_TILE(v, a);
    }
    XT_IF (XT_LT(XT_MAX(N, XT_PARAM("M")), 1)) {                                /* 9 */
        XT_STORE_TILE(XT_EXP(v), b);
    }
}
TEST(several_errors)
{
    static const int ids[] = {XT_ERROR_TILE_TYPE, XT_ERROR_TILE_ORDER, XT_ERROR_LOOP_STEP, XT_ERROR_UNKNOWN_PARAMETER};
    static const int lines[] = {1, 2, 5, 9};
    xt_module mod = XT_BUILD(three_mistakes, &(xt_target){.name = "bmg"});
    const spe_error *e = mod.error;
    CHECK(!mod.words);
    for (int i = 0; i < 4; i++, e = e ? e->next : NULL) {
        CHECK_MSG(e && e->id == ids[i], "number %d is %s", i + 1, e ? e->text : "none");
        if (e) CHECK_INT(e->line, first_line + lines[i]);
    }
    CHECK_MSG(!e, "one more: %s", e ? e->text : "");
    xt_free(&mod);
}

/* Variables that a region changes and does not list: each use of what it left there, behind it, in the next turn, or in
 * the other side, is told at its line with the line of the region. */
static int region_line;
static int line_told(const char *text)
{
    const char *at = strstr(text, "errors.c:"), *end = strstr(text, "; to use it");
    return at && end > at ? atoi(at + strlen("errors.c:")) : 0;
}
#define UNLISTED(case_, ...)                                                                                           \
    XT_KERNEL (unlisted_##case_, ptr(f32, A), u32(N))                                                                  \
    {                                                                                                                  \
        xt_tile t = XT_INIT_TILE(A, f32, 8, 16, .shape = XT_AT(N, N));                                                 \
        xt_vec v = XT_SPLAT(f32, 8, 16, 0.0);                                                                          \
        xt_val n = XT_ADD(N, 1), c = XT_ADD(1, 0);                                                                     \
        (void)t, (void)v, (void)n, (void)c;                                                                            \
        region_line = __LINE__;                                                                                        \
        __VA_ARGS__                                                                                                    \
    }                                                                                                                  \
    TEST(unlisted_##case_)                                                                                             \
    {                                                                                                                  \
        xt_module mod = XT_BUILD(unlisted_##case_, &(xt_target){.name = "bmg"});                                       \
        CHECK_MSG(abs(line_told(mod.error->text) - region_line) < 5, "%s, want %d", mod.error->text, region_line);     \
        expect_in(&mod, XT_ERROR_UNLISTED, region_line, 5, "; to use it", "list its");                                 \
    }
UNLISTED(vector_behind, XT_FOR (k, 0, N, 1) { v = XT_ADD(v, 1.0); } XT_STORE_TILE(v, t);)
UNLISTED(vector_next_iteration, XT_FOR (k, 0, N, 1) { v = XT_ADD(v, 1.0); XT_STORE_TILE(v, t); })
UNLISTED(vector_only_stored, XT_FOR (k, 0, N, 1) { XT_STORE_TILE(v, t); v = XT_LOAD_TILE(t); })
UNLISTED(tile_behind, XT_FOR (k, 0, N, 1) { t = XT_UPDATE_TILE_OFFSET(t, 0, 16); } XT_STORE_TILE(v, t);)
UNLISTED(tile_next_iteration, XT_FOR (k, 0, N, 1) { XT_STORE_TILE(v, t); t = XT_UPDATE_TILE_OFFSET(t, 0, 16); })
UNLISTED(tile_in_an_if, XT_IF (XT_LT(N, 5)) { t = XT_UPDATE_TILE_OFFSET(t, 0, 16); } XT_STORE_TILE(v, t);)
UNLISTED(tile_in_an_if_in_a_loop, XT_FOR (k, 0, N, 1, &v) { XT_IF (XT_LT(k, 5)) { t = XT_INIT_TILE(A, f32, 8, 16,
    .shape = XT_AT(N, N)); } XT_STORE_TILE(v, t); })
UNLISTED(number_behind, XT_FOR (k, 0, N, 1) { n = XT_ADD(n, 3); }
    XT_STORE_TILE(XT_SPLAT(f32, 8, 16, XT_CAST(f32, n)), t);)
UNLISTED(number_next_iteration, XT_FOR (k, 0, N, 1) {
    t = XT_INIT_TILE(A, f32, 8, 16, .shape = XT_AT(N, N), .offset = XT_AT(n, 0));
    XT_STORE_TILE(v, t); n = XT_ADD(n, 8); })
UNLISTED(constant_behind, XT_FOR (k, 0, N, 1) { c = XT_ADD(c, 3); } XT_STORE_TILE(XT_SPLAT(f32, 8, 16, c), t);)
UNLISTED(constant_next_iteration, XT_FOR (k, 0, N, 1) { XT_STORE_TILE(XT_SPLAT(f32, 8, 16, c), t); c = XT_ADD(c, 3); })
UNLISTED(while_next_iteration,
         XT_WHILE (XT_LT(n, 9), &n) { n = XT_ADD(n, 1); XT_STORE_TILE(v, t); v = XT_ADD(v, 1.0); })
UNLISTED(while_condition, XT_WHILE (XT_LT(n, 9)) { n = XT_ADD(n, 1); })
UNLISTED(inner_loop, XT_FOR (k, 0, N, 1) {
    XT_FOR (l, 0, N, 1, &t) { t = XT_UPDATE_TILE_OFFSET(t, 0, 16); XT_STORE_TILE(v, t); } })
UNLISTED(other_side, XT_IF (XT_LT(N, 5)) { n = XT_ADD(n, 8); } XT_ELSE { t = XT_UPDATE_TILE_OFFSET(t, n, 0); })

/* A body's temporaries, and values that it finds unchanged, may be in any variable. */
XT_KERNEL (temporaries, ptr(f32, A), u32(N))
{
    xt_tile t = XT_INIT_TILE(A, f32, 8, 16, .shape = XT_AT(N, N)), moved = t;
    xt_vec sum = XT_SPLAT(f32, 8, 16, 0.0), part, other;
    xt_val n = XT_MUL(N, 2), twice, five = XT_ADD(2, 3);
    XT_FOR (k, N, 0, -1, &sum, &moved) {
        twice = XT_MUL(k, 2);
        part = XT_MUL(XT_LOAD_TILE(moved), XT_CAST(f32, XT_ADD(twice, five)));
        XT_IF (XT_LT(k, n), &part) { part = XT_ADD(part, part); }
        XT_FOR (l, 0, 3, 1, &part) {
            other = XT_ADD(part, 1.0);
            part = XT_ADD(other, XT_CAST(f32, XT_ADD(l, XT_ADD(five, 1))));
        }
        sum = XT_ADD(sum, part);
        moved = XT_UPDATE_TILE_OFFSET(moved, 0, 16);
    }
    XT_STORE_TILE(sum, t);
}
XT_KERNEL (own_ways, ptr(f32, A), u32(N))
{
    xt_val i = XT_GLOBAL_ID(0), sum = XT_LOAD(A, i);
    XT_IF (XT_LT(i, N), &sum) {
        XT_FOR (k, 0, i, 1, &sum) sum = XT_ADD(sum, XT_LOAD(A, k));
        XT_STORE(sum, A, i);
    }
    XT_IF (XT_LT(XT_SUBGROUP_ID(), 1)) {
        xt_tile t = XT_INIT_TILE(A, f32, 8, 16, .shape = XT_AT(N, N), .offset = XT_AT(XT_SUBGROUP_ID(), 0));
        XT_STORE_TILE(XT_SPLAT(f32, 8, 16, 65504), t);
    }
    XT_IF (XT_GT(XT_ELEMENT(XT_LOAD_TILE(XT_INIT_TILE(A, f32, 8, 16, .shape = XT_AT(N, N))), 0, 0), 0.0)) XT_BARRIER();
    XT_SPLAT(f16, 1, 16, 65519);
    XT_SPLAT(f16, 1, 16, -1.0 / 0.0);
}
TEST(lanes_have_ways_of_their_own)
{
    xt_module mod = XT_BUILD(own_ways, &(xt_target){.name = "bmg"});
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    xt_free(&mod);
}

TEST(temporaries_are_free)
{
    xt_module mod = XT_BUILD(temporaries, &(xt_target){.name = "bmg"});
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    xt_free(&mod);
}

/* Values that differ between lanes or subgroups where they must not. */
BAD(offset_of_a_lane, NOT_UNIFORM, ".offset, second", "XT_LANE_ID",
    XT_INIT_TILE(A, f32, 8, 16, .shape = XT_AT(64, N), .offset = XT_AT(0, XT_MUL(XT_LANE_ID(), 4)));)
BAD(move_by_a_work_item, NOT_UNIFORM, "the row offset", "XT_LOCAL_ID",
    XT_UPDATE_TILE_OFFSET(TILE(f32, 8, 16), XT_ADD(XT_LOCAL_ID(0), N), 0);)
BAD(elements_of_a_lane, NOT_UNIFORM, "the element", "XT_LANE_ID", XT_SPLAT(f32, 8, 16, XT_CAST(f32, XT_LANE_ID()));)
BAD(load_in_an_if_of_lanes, NOT_UNIFORM, "XT_LOAD_TILE in the XT_IF of line", "lanes diverge",
    XT_IF (XT_LT(XT_LANE_ID(), 3)) { XT_LOAD_TILE(TILE(f32, 8, 16)); })
BAD(load_in_a_loop_of_lanes, NOT_UNIFORM, "XT_LOAD_TILE in the XT_FOR of line", "lanes diverge",
    XT_FOR (k, 0, XT_GLOBAL_ID(0), 1) { XT_LOAD_TILE(TILE(f32, 8, 16)); })
BAD(barrier_in_an_if_of_subgroups, NOT_UNIFORM, "XT_BARRIER in the XT_IF of line", "subgroups diverge",
    XT_IF (XT_EQ(XT_SUBGROUP_ID(), 0)) { XT_BARRIER(); })
BAD(what_lanes_choose, NOT_UNIFORM, ".offset, first", "XT_LANE_ID",
    xt_val at = XT_ADD(N, 0); XT_IF (XT_LT(XT_LANE_ID(), 3), &at) { at = XT_ADD(N, 8); }
    XT_INIT_TILE(A, f32, 8, 16, .shape = XT_AT(64, N), .offset = XT_AT(at, 0));)
BAD(what_an_iteration_leaves, NOT_UNIFORM, ".offset, first", "XT_LANE_ID",
    xt_val at = XT_ADD(N, 0); XT_FOR (k, 0, N, 1, &at) {
        XT_INIT_TILE(A, f32, 8, 16, .shape = XT_AT(64, N), .offset = XT_AT(at, 0)); at = XT_LANE_ID(); })

#define OF_A_SUBGROUP XT_LOAD_TILE(TILE(f32, 8, 16, .offset = XT_AT(XT_SUBGROUP_ID(), 0)))
BAD(barrier_where_elements_differ, NOT_UNIFORM, "XT_BARRIER in the XT_IF of line", "subgroups diverge",
    xt_vec v = XT_TRANSPOSE(XT_REDUCTION(add, XT_MUL(2.0, OF_A_SUBGROUP), 0));
    XT_IF (XT_LT(XT_ELEMENT(v, 3, 0), 1.0)) { XT_BARRIER(); })
BAD(barrier_where_masks_differ, NOT_UNIFORM, "XT_BARRIER in the XT_IF of line", "subgroups diverge",
    xt_vec v = XT_SPLAT(f32, 8, 16, 1.0); XT_FOR (k, 0, N, 1, &v) { v = XT_MAX(v, OF_A_SUBGROUP); }
    XT_IF (XT_ANY(XT_GT(v, 0.0))) { XT_BARRIER(); })
#define ROWS_OF_FOUR MAPPED(f32, 32, 32, 4, 1, 8, 32)
BAD(layout_where_subgroups_differ, NOT_UNIFORM, "XT_CONVERT_LAYOUT in the XT_IF of line", "subgroups diverge",
    XT_IF (XT_EQ(XT_SUBGROUP_ID(), 0)) {
        XT_CONVERT_LAYOUT(ROWS_OF_FOUR, .map = XT_MAP(.sg_layout = {1, 4}, .sg_data = {32, 8})); })
BAD(reduction_where_subgroups_differ, NOT_UNIFORM, "in the XT_IF of line", "subgroups diverge",
    XT_IF (XT_EQ(XT_SUBGROUP_ID(), 0)) { XT_REDUCTION(add, ROWS_OF_FOUR, 0); })
BAD(vectors_that_become_one, NOT_UNIFORM, "subgroups share the result", "vector 8 x 16 of its own",
    XT_CONVERT_LAYOUT(OF_A_SUBGROUP, .map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {4, 8}));)
BAD(vector_that_lanes_choose, NOT_UNIFORM, "number 1 of the list is a vector", "lanes diverge",
    xt_vec v = XT_SPLAT(f32, 8, 16, 1.0), u = XT_SPLAT(f32, 8, 16, 2.0);
    XT_IF (XT_LT(XT_LANE_ID(), 3), &v) { v = u; })
BAD(tile_that_lanes_choose, NOT_UNIFORM, "number 1 of the list is a tile", "lanes diverge",
    xt_tile t = TILE(f32, 8, 16); XT_IF (XT_LT(XT_LANE_ID(), 3), &t) { t = XT_UPDATE_TILE_OFFSET(t, 8, 0); })

/* A semicolon too many. */
BAD(for_without_body, EMPTY, "semicolon after", "XT_FOR", XT_FOR (k, 0, N, 1); XT_STORE_TILE(
    XT_SPLAT(f32, 8, 16, 0.0), TILE(f32, 8, 16));)
BAD(while_without_body, EMPTY, "semicolon after", "XT_WHILE", XT_WHILE (XT_LT(N, 3)); XT_STORE_TILE(
    XT_SPLAT(f32, 8, 16, 0.0), TILE(f32, 8, 16));)

/* Constants, local arrays and rows that cannot represent or contain the data. */
BAD(constant_beyond_f16, SCALAR_RANGE, "100000", "f16", XT_SPLAT(f16, 8, 16, 100000);)
BAD(constant_beyond_bf16, SCALAR_RANGE, "3.4e+38", "bf16", XT_SPLAT(bf16, 8, 16, 3.4e38);)
BAD(constant_beyond_e5m2, SCALAR_RANGE, "-62000", "e5m2", XT_SPLAT(e5m2, 8, 16, -62000.0);)
BAD(padding_beyond_f16, SCALAR_RANGE, "70000", "f16",
    XT_LOAD_TILE(XT_INIT_TILE(B, f16, 8, 16, .shape = XT_AT(64, N)), .padding = 70000);)
BAD(array_too_small, LOCAL_SIZE, "number 1024", "XT_LOCAL 1000",
    XT_INIT_TILE(XT_LOCAL(f32, 1000), f32, 8, 16, .shape = XT_AT(32, 32));)
BAD(array_too_small_for_strides, LOCAL_SIZE, "number 1272", "XT_LOCAL 1024",
    XT_INIT_TILE(XT_LOCAL(f32, 1024), f32, 8, 16, .shape = XT_AT(32, 32), .strides = XT_AT(40, 1));)
BAD(array_far_too_small, LOCAL_SIZE, "number 4294967296", "XT_LOCAL 64",
    XT_INIT_TILE(XT_LOCAL(f32, 64), f32, 1, 16, .shape = XT_AT(65536, 65536, 65536, 65536));)
BAD(array_too_small_for_scatter, LOCAL_SIZE, "number 65", "XT_LOCAL 64",
    XT_INIT_TILE(XT_LOCAL(f32, 64), f32, 1, 16, .scatter = XT_SPLAT(i32, 1, 16, 0), .shape = XT_AT(65));)
BAD(rows_overlap, TILE_STRIDES, "rows of 64 elements", "40 apart",
    XT_STORE_TILE(XT_SPLAT(f32, 8, 16, 0.0),
                  XT_INIT_TILE(A, f32, 8, 16, .shape = XT_AT(8, 64), .strides = XT_AT(40, 1)));)

/* A body runs once, so it may have side effects on the host. */
static int turns;
XT_KERNEL (moody, ptr(i32, A), u32(N))
{
    xt_tile t = XT_INIT_TILE(A, i32, 1, 16, .shape = XT_AT(1, N));
    for (int i = 0; i <= turns; i++) XT_STORE_TILE(XT_SPLAT(i32, 1, 16, i), t);
    turns++;
}
TEST(a_body_runs_once)
{
    size_t size[2];
    for (int i = 0; i < 2; i++) {
        xt_module mod = XT_BUILD(moody, &(xt_target){.name = "bmg"});
        CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
        CHECK_INT(turns, i + 1);
        size[i] = mod.size;
        xt_free(&mod);
    }
    CHECK(size[1] > size[0]);
}

/* The build as a whole. */
XT_KERNEL (bare, ptr(f32, A))
{
    xt_tile a = XT_INIT_TILE(A, f32, 1, 16, .shape = XT_AT(1, 16));
    XT_STORE_TILE(XT_LOAD_TILE(a), a);
}

XT_KERNEL (fine, ptr(f32, A), u32(N))
{
    xt_map map = XT_MAP(.sg_layout = {8, 4}, .sg_data = {4, 8});
    MARK xt_tile t = XT_INIT_TILE(A, f32, 32, 32, .shape = XT_AT(N, N), .map = map);
    XT_STORE_TILE(XT_SPLAT(f32, 32, 32, 1.0, .map = map), t);
}

TEST(build_options)
{
    int line;
    xt_module mod = XT_BUILD(fine, &(xt_target){.name = "bmg"});
    CHECK(mod.words != NULL);
    CHECK_INT(mod.error->id, 0);
    CHECK_INT(mod.local_size[0], 512);
    xt_free(&mod);
    line = __LINE__ + 1;
    mod = XT_BUILD(fine, &(xt_target){.name = "voodoo"});
    expect(&mod, XT_ERROR_TARGET, line, "voodoo", "known are " CM_TARGET_NAMES);
    line = __LINE__ + 1;
    mod = XT_BUILD(fine, &(xt_target){0});
    expect(&mod, XT_ERROR_TARGET, line, "(none)", "");
    line = __LINE__ + 1;
    mod = XT_BUILD(fine, &(xt_target){.name = "bmg"}, .subgroup_size = 8);
    expect(&mod, XT_ERROR_SUBGROUP_SIZE, line, "wanted 8", "bmg has 16 and 32");
    line = __LINE__ + 1;
    mod = XT_BUILD(fine, &(xt_target){.name = "dg2", .subgroup_sizes = 8}, .subgroup_size = 16);
    expect(&mod, XT_ERROR_SUBGROUP_SIZE, line, "wanted 16", "dg2 has 8");
    line = __LINE__ + 1;
    mod = XT_BUILD(fine, &(xt_target){.name = "bmg"}, .subgroup_size = 12);
    expect(&mod, XT_ERROR_SUBGROUP_SIZE, line, "wanted 12", "");
    line = __LINE__ + 1;
    mod = XT_BUILD(fine, &(xt_target){.name = "bmg", .subgroup_sizes = 128}, .subgroup_size = 128);
    expect(&mod, XT_ERROR_SUBGROUP_SIZE, line, "wanted 128", "bmg has none");
    line = __LINE__ + 1;
    mod = XT_BUILD(fine, &(xt_target){.name = "bmg", .subgroup_sizes = 128});
    expect(&mod, XT_ERROR_SUBGROUP_SIZE, line, "wanted 0", "bmg has none");
    line = __LINE__ + 1;
    mod = XT_BUILD(bare, &(xt_target){.name = "bmg"}, .subgroups = INT_MAX);
    expect(&mod, XT_ERROR_GROUP_SIZE, line, "2147483647 subgroups of 16 are 34359738352", "has 1024");
    mod = XT_BUILD(fine, &(xt_target){.name = "bmg", .max_group_size = 256});
    expect(&mod, XT_ERROR_GROUP_SIZE, marked, "32 subgroups of 16 are 512", "has 256");
}

/* The compiler may take 256 registers where it would spill, unless the work-group or the user wants 128. */
TEST(registers_are_left_to_the_compiler)
{
    static const struct {
        const char *target;
        int registers, subgroups;
        const char *flags;
    } cases[] = {{"bmg", 0, 32, "-ze-intel-enable-auto-large-GRF-mode"},
                 {"dg2", 0, 1, "-ze-opt-large-register-file"},
                 {"bmg", 0, 33, ""},
                 {"bmg", 128, 1, ""},
                 {"bmg", 256, 1, "-ze-opt-large-register-file"},
                 {"generic", 0, 1, ""},
                 {"soft", 0, 1, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        xt_module mod = XT_BUILD(bare, &(xt_target){.name = cases[i].target}, .registers = cases[i].registers,
                                 .subgroups = cases[i].subgroups);
        CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
        CHECK_STR(mod.build_flags, cases[i].flags);
        xt_free(&mod);
    }
}

XT_KERNEL (crowd, ptr(f32, A), u32(N))
{
    xt_map map = XT_MAP(.sg_layout = {8, 8}, .sg_data = {32, 64});
    MARK xt_vec v = XT_SPLAT(f16, 256, 32, 0.0, .map = {.sg_layout = {8, 8}, .sg_data = {32, 32}});
    xt_tile t = XT_INIT_TILE(A, f32, 256, 512, .shape = XT_AT(N, N), .map = map);
    XT_STORE_TILE(XT_TILE_MMA(v, XT_SPLAT(f16, 32, 512, 0.0, .map = {.sg_layout = {8, 8}, .sg_data = {32, 64}})), t);
}

/* 96 x 48 sums of f32 and 32 bytes of each of their lines: 18,432 + 4,608. */
XT_KERNEL (heavy, ptr(f32, A), u32(N))
{
    xt_tile t = XT_INIT_TILE(A, f32, 96, 48, .shape = XT_AT(N, N));
    MARK xt_vec sum = XT_TILE_MMA(XT_SPLAT(f16, 96, 32, 1.0), XT_SPLAT(f16, 32, 48, 1.0));
    XT_STORE_TILE(sum, t);
}

TEST(a_product_that_does_not_fit_in_registers)
{
    xt_module mod = XT_BUILD(heavy, &(xt_target){.name = "bmg"});
    CHECK(mod.words != NULL);
    CHECK_INT(mod.error->id, 0);
    CHECK_INT(mod.warning->id, XT_ERROR_SPILL);
    CHECK_INT(mod.warning->line, marked);
    CHECK_MSG(strstr(mod.warning->text, "23040 bytes, bmg has 16384 in 256 registers") != NULL, "%s",
              mod.warning->text);
    xt_free(&mod);
    mod = XT_BUILD(heavy, &(xt_target){.name = "soft"});
    CHECK_INT(mod.warning->id, 0);
    xt_free(&mod);
    mod = XT_BUILD(fine, &(xt_target){.name = "bmg"});
    CHECK_INT(mod.warning->id, 0);
    xt_free(&mod);
}

TEST(options_are_checked_where_they_are_given)
{
    int line = __LINE__ + 1;
    xt_module mod = XT_BUILD(crowd, &(xt_target){.name = "bmg"}, .registers = 100);
    expect(&mod, XT_ERROR_REGISTERS, line, ".registers is 100", "128 or 256");
    line = __LINE__ + 1;
    mod = XT_BUILD(crowd, &(xt_target){.name = "bmg"}, .version = SPE_VERSION(2, 0));
    CHECK_STR(mod.error->name, "SPE_ERR_OPTION");
    CHECK_STR(mod.error->file, __FILE__);
    CHECK_INT(mod.error->line, line);
    xt_free(&mod);
    line = __LINE__ + 1;
    mod = XT_BUILD(crowd, &(xt_target){.name = "bmg"}, .registers = 128, .lowering = 77);
    CHECK_STR(mod.error->name, "CM_ERROR_LOWERING");
    CHECK_INT(mod.error->line, line);
    xt_free(&mod);
}

TEST(too_many_subgroups_for_the_large_register_file)
{
    xt_module mod = XT_BUILD(crowd, &(xt_target){.name = "bmg"});
    expect(&mod, XT_ERROR_REGISTERS, marked, "64 subgroups", "has room for 32");
    mod = XT_BUILD(crowd, &(xt_target){.name = "bmg"}, .registers = 128);
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    CHECK_STR(mod.build_flags, "");
    xt_free(&mod);
}

static void nothing(XT_CONTEXT) { (void)XT_SELF; }

TEST(parameter_texts)
{
    static const struct {
        const char *text, *said;
    } bad[] = {
        {"ptr<f32> A, quux B", "parameter 2 at \"quux B\""},
        {"ptr<f33> A", "parameter 1"},
        {"u32", "parameter 1"},
        {"ptr<f32 A", "parameter 1"},
        {"u32 ", "0 characters"},
        {"c32 A", "parameter 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        xt_kernel k = {"k", NULL, __FILE__, 4711, nothing};
        xt_module mod;
        k.params = bad[i].text;
        mod = XT_BUILD(k, &(xt_target){.name = "bmg"});
        expect(&mod, XT_ERROR_PARAMETER_TEXT, 4711, bad[i].said, "");
    }
}

TEST(every_error_has_a_name_and_a_text)
{
    for (int id = XT_ERROR_FIRST_ + 1; id < XT_ERROR_END_; id++) {
        CHECK_HAS(xt_error_name(id), "XT_ERROR_");
        CHECK(strlen(xt_error_text(id)) > 10);
        CHECK(id >= 2000 && id < 3000);
    }
    CHECK_STR(xt_error_text(0), "no error");
    CHECK_STR(xt_error_name(1), "");
}

static void run_tiles(void)
{
    RUN(map_does_not_fit);
    RUN(map_larger_piece_than_tile);
    RUN(map_without_layout);
    RUN(map_other_subgroups);
    RUN(map_differs);
    RUN(tile_of_no_size);
    RUN(tile_too_large);
    RUN(tile_base_is_a_number);
    RUN(tile_base_is_a_constant);
    RUN(tile_of_another_type);
    RUN(tile_without_shape);
    RUN(tile_offset_dimensions);
    RUN(tile_inner_stride);
    RUN(tile_inner_stride_of_order);
    RUN(tile_row_major_of_column_major);
    RUN(tile_column_major_of_row_major);
    RUN(tile_of_five_dimensions);
    RUN(inner_blocks_do_not_divide);
    RUN(inner_blocks_do_not_divide_a_piece);
    RUN(store_of_other_blocks);
    RUN(local_size);
    RUN(local_memory_is_full);
    RUN(padding_of_integers_is_whole);
    RUN(padding_of_masks);
    RUN(scatter_offsets_are_floating);
    RUN(scatter_offsets_are_short);
    RUN(scatter_of_another_shape);
    RUN(scatter_of_a_matrix);
    RUN(scatter_of_another_map);
    RUN(scatter_tile_loaded);
    RUN(scatter_tile_stored);
    RUN(scatter_tile_prefetched);
    RUN(scatter_tile_moved);
    RUN(tile_moved_by_one_number);
    RUN(offsets_moved_by_others);
    RUN(mask_of_a_regular_tile);
    RUN(tile_order);
    RUN(tile_shape_is_floating);
    RUN(tile_offset_is_64_bit);
    RUN(tile_offset_too_large);
    RUN(tile_never_set);
    RUN(prefetch_locality);
    RUN(padding_out_of_range);
    RUN(store_shape);
    RUN(store_shape_of_order);
    RUN(atomic_of_other_blocks);
    RUN(atomic_of_another_map);
    RUN(store_type);
    RUN(store_map);
}

static void run_vectors_and_numbers(void)
{
    RUN(mma_shapes);
    RUN(mma_shape_of_c);
    RUN(mma_types);
    RUN(mma_type_of_c);
    RUN(mma_type_option);
    RUN(mma_type_out_of_range);
    RUN(mma_map_of_a);
    RUN(mma_map_of_b);
    RUN(mma_k_is_split);
    RUN(mma_given_map);
    RUN(vector_shapes);
    RUN(vector_types);
    RUN(vector_operation);
    RUN(vector_and_wrong_number);
    RUN(vector_never_set);
    RUN(splat_of_a_fraction);
    RUN(splat_out_of_range);
    RUN(number_types);
    RUN(number_is_a_pointer);
    RUN(number_out_of_range);
    RUN(number_never_set);
    RUN(shift_of_a_float);
    RUN(nine_dimensions);
    RUN(number_loaded_from_a_number);
    RUN(number_loaded_at_a_float);
    RUN(number_of_another_type_stored);
    RUN(any_of_numbers);
    RUN(element_outside);
    RUN(table_out_of_range);
    RUN(table_of_fractions);
    RUN(shape_cast_of_another_size);
    RUN(scan_of_bits_of_floats);
    RUN(scan_along_nothing);
    RUN(argmax_of_a_mask);
    RUN(rows_that_do_not_fit);
    RUN(row_and_column);
    RUN(row_of_another_map);
    RUN(random_number_of_a_lane_as_an_offset);
    RUN(random_of_floats);
    RUN(division_by_zero);
}

static void run_accesses_and_regions(void)
{
    RUN(dimension);
    RUN(unknown_parameter);
    RUN(gather_of_a_regular_tile);
    RUN(scatter_to_a_regular_tile);
    RUN(mask_of_numbers);
    RUN(mask_of_another_shape);
    RUN(mask_of_another_map);
    RUN(scatter_of_another_type);
    RUN(scatter_of_a_vector_of_another_shape);
    RUN(atomic_integer_of_floats);
    RUN(atomic_float_of_integers);
    RUN(atomic_of_short_floats);
    RUN(atomic_of_masks);
    RUN(atomic_of_shared_pieces);
    RUN(atomic_of_another_shape);
    RUN(condition_is_a_number);
    RUN(loop_step);
    RUN(loop_end_is_floating);
    RUN(carried_is_something_else);
    RUN(carried_vector_changes_shape);
    RUN(carried_vector_changes_type);
    RUN(carried_vector_changes_map);
    RUN(carried_tile_changes_size);
    RUN(carried_number_changes_type);
    RUN(if_value_changes_type);
    RUN(loop_left_by_break);
    RUN(loop_left_by_return);
    RUN(if_left_by_return);
    RUN(if_left_by_break);
    RUN(inner_region_is_named);
    RUN(first_error_wins);
    RUN(several_errors);
}

static void run_divergence(void)
{
    RUN(offset_of_a_lane);
    RUN(move_by_a_work_item);
    RUN(elements_of_a_lane);
    RUN(load_in_an_if_of_lanes);
    RUN(load_in_a_loop_of_lanes);
    RUN(barrier_in_an_if_of_subgroups);
    RUN(what_lanes_choose);
    RUN(what_an_iteration_leaves);
    RUN(barrier_where_elements_differ);
    RUN(barrier_where_masks_differ);
    RUN(layout_where_subgroups_differ);
    RUN(reduction_where_subgroups_differ);
    RUN(vectors_that_become_one);
    RUN(vector_that_lanes_choose);
    RUN(tile_that_lanes_choose);
    RUN(for_without_body);
    RUN(while_without_body);
}

static void run_sizes_and_lists(void)
{
    RUN(constant_beyond_f16);
    RUN(constant_beyond_bf16);
    RUN(constant_beyond_e5m2);
    RUN(padding_beyond_f16);
    RUN(array_too_small);
    RUN(array_too_small_for_strides);
    RUN(array_far_too_small);
    RUN(array_too_small_for_scatter);
    RUN(rows_overlap);
    RUN(unlisted_vector_behind);
    RUN(unlisted_vector_next_iteration);
    RUN(unlisted_vector_only_stored);
    RUN(unlisted_tile_behind);
    RUN(unlisted_tile_next_iteration);
    RUN(unlisted_tile_in_an_if);
    RUN(unlisted_tile_in_an_if_in_a_loop);
    RUN(unlisted_number_behind);
    RUN(unlisted_number_next_iteration);
    RUN(unlisted_constant_behind);
    RUN(unlisted_constant_next_iteration);
    RUN(unlisted_while_next_iteration);
    RUN(unlisted_while_condition);
    RUN(unlisted_inner_loop);
    RUN(unlisted_other_side);
}

static void run_builds(void)
{
    RUN(temporaries_are_free);
    RUN(lanes_have_ways_of_their_own);
    RUN(a_body_runs_once);
    RUN(build_options);
    RUN(registers_are_left_to_the_compiler);
    RUN(a_product_that_does_not_fit_in_registers);
    RUN(options_are_checked_where_they_are_given);
    RUN(too_many_subgroups_for_the_large_register_file);
    RUN(parameter_texts);
    RUN(every_error_has_a_name_and_a_text);
}

int main(void)
{
    run_tiles();
    run_vectors_and_numbers();
    run_accesses_and_regions();
    run_divergence();
    run_sizes_and_lists();
    run_builds();
    return test_report();
}
