/* test_xetile_texts.c - the examples of each operation in the two XeTile specifications, with their shapes, types and
 * maps. (Their appendices are the programs of examples/; test_wg_map.c has their table of a map.) */
#include "xetile_case.h"

/* What the kernel of a test reads and writes: operands of any type, results one behind the other in `out`. */
static void *a, *b, *c, *out;
static int type_a, type_out;

static double of_a(size_t at) { return get(type_a, a, at); }

/* The expected element (i, j) of a result. */
typedef double (*reference)(int i, int j);

/* Compares a rows x cols result that begins at element `first`; `bound` is for |want| up to 1 and grows with it. */
static void expect(const char *what, size_t first, int rows, int cols, reference want, double bound)
{
    int wrong = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double got = get(type_out, out, first + (size_t)(i * cols + j)), w = want(i, j);
            if (!(fabs(got - w) <= bound * fmax(1, fabs(w))) && wrong++ == 0)
                test_fail(__FILE__, __LINE__, "%s: (%d, %d) is %.9g, want %.9g", what, i, j, got, w);
        }
    CHECK_MSG(wrong == 0, "%s: %d elements are wrong", what, wrong);
}

static void free_all(void)
{
    zed_free(&device, a);
    zed_free(&device, b);
    zed_free(&device, c);
    zed_free(&device, out);
    a = b = c = out = NULL;
}

/* Stores a vector as a separate matrix, `first` elements after R. */
static void keep(XT_CONTEXT, xt_vec v, xt_val R, int first)
{
    const int *s = v.dist.shape;
    chosen t = {(int)v.type};
    XT_STORE_TILE(v, XT_INIT_TILE(XT_ADD(R, first * (int)size_of(t.type)), of(t), s[0], s[1],
                                  .shape = XT_AT(s[0], s[1]), .map = v.map, .inner_blocks = {v.inner[0], v.inner[1]}));
}

#define LAUNCH(kernel, ...) RUN_KERNEL(kernel, &variants[0], ONE_GROUP, __VA_ARGS__)
#define MAP(p, q, r, s) XT_MAP(.sg_layout = {p, q}, .sg_data = {r, s})

/* ---- init_tile, load_tile, store_tile, prefetch_tile, update_tile_offset: bf16 ---- */

enum { ROW = 17, COL = 34, SMALL = 8 * 16, WIDE = 64 * 32, LARGE = 64 * 64 };

XT_KERNEL(read_forms, ptr(bf16, A), u64(ADDRESS), u64(R), i32(H), i32(W))
{
    xt_index at = XT_AT(ROW, COL), four = XT_AT(2, 1, ROW, COL), base = XT_AT(4, 4, 128, 128);
    xt_tile dynamic = XT_INIT_TILE(A, bf16, 8, 16, .offset = at, .shape = XT_AT(H, W), .strides = XT_AT(W, 1));
    xt_tile edge = XT_INIT_TILE(A, bf16, 64, 64, .offset = XT_AT(100, 90), .shape = XT_AT(128, 128));
    keep(XT_SELF, XT_LOAD_TILE(XT_INIT_TILE(A, bf16, 8, 16, .offset = at, .shape = XT_AT(128, 128))), R, 0);
    keep(XT_SELF, XT_LOAD_TILE(dynamic), R, SMALL);
    keep(XT_SELF,
         XT_LOAD_TILE(XT_INIT_TILE(ADDRESS, bf16, 8, 16, .offset = at, .shape = XT_AT(H, W), .strides = XT_AT(W, 1))),
         R, 2 * SMALL);
    keep(XT_SELF, XT_LOAD_TILE(XT_INIT_TILE(A, bf16, 8, 16, .offset = four, .shape = base)), R, 3 * SMALL);
    keep(XT_SELF, XT_LOAD_TILE(XT_INIT_TILE(A, bf16, 64, 32, .offset = at, .shape = XT_AT(128, 128), .order = {0, 1})),
         R, 4 * SMALL);
    keep(XT_SELF, XT_LOAD_TILE(XT_INIT_TILE(A, bf16, 64, 32, .offset = four, .shape = base, .order = {0, 1})), R,
         4 * SMALL + WIDE);
    keep(XT_SELF, XT_LOAD_TILE(edge, .padding = 1.0), R, 4 * SMALL + 2 * WIDE);
    XT_PREFETCH_TILE(XT_INIT_TILE(A, bf16, 8, 32, .shape = XT_AT(128, 128)), .locality = 3);
    keep(XT_SELF, XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(edge, -50, -31)), R, 4 * SMALL + 2 * WIDE + LARGE);
}

enum { MATRIX = 2 * 4 + 1 }; /* number (2, 1) of 4 x 4 */
static double row_major(int i, int j) { return of_a((size_t)((ROW + i) * 128 + COL + j)); }
static double of_four(int i, int j) { return of_a((size_t)((MATRIX * 128 + ROW + i) * 128 + COL + j)); }
static double column_major(int i, int j) { return of_a((size_t)((COL + j) * 128 + ROW + i)); }
static double column_major_of_four(int i, int j) { return of_a((size_t)((MATRIX * 128 + COL + j) * 128 + ROW + i)); }
static double padded(int i, int j) { return i < 28 && j < 38 ? of_a((size_t)((100 + i) * 128 + 90 + j)) : 1; }
static double moved(int i, int j) { return of_a((size_t)((50 + i) * 128 + 59 + j)); }

TEST(tiles_are_read)
{
    type_a = type_out = CM_BF16;
    a = new_matrix(CM_BF16, 16 * 128 * 128);
    out = new_poison(CM_BF16, 4 * SMALL + 2 * WIDE + 2 * LARGE);
    if (LAUNCH(read_forms, ZED_ARG((uint16_t *)a), ADDRESS(a), ADDRESS(out), ZED_ARG(128), ZED_ARG(128))) {
        expect("memref<128x128> into tile<8x16>", 0, 8, 16, row_major, 0);
        expect("memref<?x?>", SMALL, 8, 16, row_major, 0);
        expect("an address", 2 * SMALL, 8, 16, row_major, 0);
        expect("memref<4x4x128x128>", 3 * SMALL, 8, 16, of_four, 0);
        expect("order [0, 1]", 4 * SMALL, 64, 32, column_major, 0);
        expect("order [0, 1] of memref<4x4x128x128>", 4 * SMALL + WIDE, 64, 32, column_major_of_four, 0);
        expect("padding = 1.0", 4 * SMALL + 2 * WIDE, 64, 64, padded, 0);
        expect("update_tile_offset", 4 * SMALL + 2 * WIDE + LARGE, 64, 64, moved, 0);
    }
    free_all();
}

/* A 64 x 64 and a column-major 64 x 32 store, side by side in 128 x 128 poisoned elements. */
XT_KERNEL(write_forms, ptr(bf16, A), ptr(bf16, R))
{
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, bf16, 64, 64, .shape = XT_AT(64, 64)));
    XT_STORE_TILE(v, XT_INIT_TILE(R, bf16, 64, 64, .offset = XT_AT(3, 5), .shape = XT_AT(128, 128)));
    XT_STORE_TILE(XT_LOAD_TILE(XT_INIT_TILE(A, bf16, 64, 32, .shape = XT_AT(64, 64))),
                  XT_INIT_TILE(R, bf16, 64, 32, .offset = XT_AT(60, 80), .shape = XT_AT(128, 128), .order = {0, 1}));
}

TEST(tiles_are_written)
{
    int wrong = 0;
    type_a = type_out = CM_BF16;
    a = new_matrix(CM_BF16, LARGE);
    out = new_poison(CM_BF16, 128 * 128);
    if (LAUNCH(write_forms, ZED_ARG((uint16_t *)a), ZED_ARG((uint16_t *)out)))
        for (int i = 0; i < 128; i++)
            for (int j = 0; j < 128; j++) { /* memory's row and column */
                size_t at = (size_t)(i * 128 + j);
                bool first = i >= 3 && i < 67 && j >= 5 && j < 69, second = j >= 60 && j < 124 && i >= 80 && i < 112;
                if (first)
                    wrong += get(CM_BF16, out, at) != of_a((size_t)((i - 3) * 64 + j - 5));
                else if (second)
                    wrong += get(CM_BF16, out, at) != of_a((size_t)((j - 60) * 64 + i - 80));
                else
                    wrong += !poisoned(CM_BF16, out, at);
            }
    CHECK_INT(wrong, 0);
    free_all();
}

/* ---- atomic_rmw, load_gather, store_scatter: bf16 ---- */

XT_KERNEL(modify, ptr(bf16, A), ptr(bf16, B), ptr(bf16, R), u64(OLD))
{
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, bf16, 8, 16, .shape = XT_AT(64, 64)));
    xt_tile blocks = XT_INIT_TILE(B, bf16, 64, 64, .shape = XT_AT(64, 64), .inner_blocks = {8, 16});
    keep(XT_SELF, XT_ATOMIC_RMW(addf, v, XT_INIT_TILE(R, bf16, 8, 16, .shape = XT_AT(8, 16))), OLD, 0);
    keep(
        XT_SELF,
        XT_ATOMIC_RMW_TILE(
            addf, XT_LOAD_TILE(XT_INIT_TILE(A, bf16, 64, 64, .shape = XT_AT(64, 64), .inner_blocks = {8, 16})), blocks),
        OLD, SMALL);
}

static void *before; /* of B */
static double sums(int i, int j) { return of_a((size_t)(i * 64 + j)) + get(CM_BF16, before, (size_t)(i * 64 + j)); }
static double small_sums(int i, int j) { return of_a((size_t)(i * 64 + j)) + 2; }
static double twos(int i, int j) { return (void)i, (void)j, 2; }
static double old_of_b(int i, int j) { return get(CM_BF16, before, (size_t)(i * 64 + j)); }

TEST(atomic_operations)
{
    type_a = type_out = CM_BF16;
    a = new_matrix(CM_BF16, LARGE);
    b = new_matrix(CM_BF16, LARGE);
    before = new_matrix(CM_BF16, LARGE);
    c = new_matrix(CM_BF16, SMALL);
    out = new_poison(CM_BF16, SMALL + LARGE);
    memcpy(before, b, LARGE * 2);
    for (size_t i = 0; i < SMALL; i++) put(CM_BF16, c, i, 2);
    if (LAUNCH(modify, ZED_ARG((uint16_t *)a), ZED_ARG((uint16_t *)b), ZED_ARG((uint16_t *)c), ADDRESS(out))) {
        void *old = out;
        expect("what was there", 0, 8, 16, twos, 0);
        expect("what was there, 4-D", SMALL, 64, 64, old_of_b, 0);
        out = c; /* a sum of two is rounded once: half a unit of bf16 */
        expect("atomic_rmw addf", 0, 8, 16, small_sums, 0x1p-8);
        out = b;
        expect("atomic_rmw_tile add, 4-D", 0, 64, 64, sums, 0x1p-8);
        out = old;
    }
    zed_free(&device, before);
    free_all();
}

XT_KERNEL(scattered, ptr(bf16, A), ptr(i32, AT), ptr(bf16, R), u64(GOT))
{
    xt_vec line = XT_LOAD_TILE(XT_INIT_TILE(AT, i32, 1, 256, .shape = XT_AT(1, 256)));
    xt_vec square = XT_LOAD_TILE(XT_INIT_TILE(AT, i32, 8, 64, .shape = XT_AT(8, 64)));
    xt_vec mask = XT_GE(line, 100);
    keep(XT_SELF,
         XT_LOAD_GATHER(XT_INIT_TILE(A, bf16, 1, 256, .scatter = line, .shape = XT_AT(2048)), mask, .padding = 1.0),
         GOT, 0);
    keep(XT_SELF, XT_LOAD_GATHER(XT_INIT_TILE(A, bf16, 8, 64, .scatter = square, .shape = XT_AT(2048))), GOT, 256);
    XT_STORE_SCATTER(XT_LOAD_TILE(XT_INIT_TILE(A, bf16, 1, 256, .shape = XT_AT(1, 256))),
                     XT_INIT_TILE(R, bf16, 1, 256, .scatter = line, .shape = XT_AT(2048)), mask);
}

static int offset_at(int i) { return i * 611 % 2048; } /* 611 is odd: all differ */
static double gathered_line(int i, int j) { return (void)i, offset_at(j) >= 100 ? of_a((size_t)offset_at(j)) : 1; }
static double gathered_square(int i, int j) { return of_a((size_t)offset_at(i * 64 + j)); }

TEST(scatter_tiles)
{
    int wrong = 0, stored = 0;
    type_a = type_out = CM_BF16;
    a = new_matrix(CM_BF16, 2048);
    b = new_matrix(CM_I32, 512);
    c = new_poison(CM_BF16, 2048);
    out = new_poison(CM_BF16, 256 + 512);
    for (int i = 0; i < 512; i++) ((int32_t *)b)[i] = offset_at(i);
    if (LAUNCH(scattered, ZED_ARG((uint16_t *)a), ZED_ARG((int32_t *)b), ZED_ARG((uint16_t *)c), ADDRESS(out))) {
        expect("load_gather tile<1x256>", 0, 1, 256, gathered_line, 0);
        expect("load_gather tile<8x64>", 256, 8, 64, gathered_square, 0);
        for (int i = 0; i < 256; i++)
            if (offset_at(i) >= 100) wrong += get(CM_BF16, c, (size_t)offset_at(i)) != of_a((size_t)i), stored++;
        for (size_t i = 0; i < 2048; i++) stored -= !poisoned(CM_BF16, c, i);
        CHECK_MSG(wrong == 0 && stored == 0, "store_scatter: %d wrong, %d too few", wrong, stored);
    }
    free_all();
}

/* ---- tile_mma: bf16 to f32 ---- */

static int high, depth, across; /* of A; of A and of B; of B */

XT_KERNEL(products, ptr(bf16, A), ptr(bf16, B), ptr(f32, C), u64(R))
{
    const int m = high, n = across;
    xt_vec va = XT_LOAD_TILE(XT_INIT_TILE(A, bf16, m, 32, .shape = XT_AT(m, 32)));
    xt_vec vb = XT_LOAD_TILE(XT_INIT_TILE(B, bf16, 32, n, .shape = XT_AT(32, n)));
    xt_vec vc = XT_LOAD_TILE(XT_INIT_TILE(C, f32, m, n, .shape = XT_AT(m, n)));
    keep(XT_SELF, XT_TILE_MMA(va, vb, vc), R, 0);
    keep(XT_SELF, XT_TILE_MMA(va, vb), R, m * n);
    va = XT_TILE_PACK(va, .inner_blocks = {8, 8});  /* of 64 x 32: 8 x 4 x 8 x 8 */
    vb = XT_TILE_PACK(vb, .inner_blocks = {8, 16}); /* 4 x 8 x 8 x 16 */
    vc = XT_TILE_PACK(vc, .inner_blocks = {8, 16}); /* 8 x 8 x 8 x 16 */
    keep(XT_SELF, XT_TILE_UNPACK(XT_TILE_MMA(va, vb, vc)), R, 2 * m * n);
}

/* The specification's 64 x 32 x 128 are 16,384 multiply-adds of 16 lanes for each of the three, and 32 KB of sums.
 * Without a matrix instruction, that takes Intel's compiler more than minutes, and its messages do not reach all that
 * it spills (docs/machine-code.md, 18). */
static bool has_room(void)
{
    const cm_target *row = cm_target_row(device.target.name);
    return !row || !row->igc || row->dpas_sizes;
}

static double product(int i, int j)
{
    double sum = 0;
    for (int k = 0; k < depth; k++) sum += of_a((size_t)(i * depth + k)) * get(CM_BF16, b, (size_t)(k * across + j));
    return sum;
}
static double product_and_c(int i, int j) { return product(i, j) + get(CM_F32, c, (size_t)(i * across + j)); }

/* A product of two bf16 is exact in f32; 33 terms of normal numbers, |x y| below 25, each addition rounds a sum below
 * 2^8: 33 2^8 2^-24 is less than 2^-10. */
#define PRODUCT_BOUND 0x1p-10

TEST(products_of_a_subgroup)
{
    type_a = CM_BF16, type_out = CM_F32, high = has_room() ? 64 : 16, depth = 32, across = has_room() ? 128 : 32;
    const size_t sums = (size_t)(high * across);
    a = new_matrix(CM_BF16, (size_t)(high * depth));
    b = new_matrix(CM_BF16, (size_t)(depth * across));
    c = new_matrix(CM_F32, sums);
    out = new_poison(CM_F32, 3 * sums);
    if (LAUNCH(products, ZED_ARG((uint16_t *)a), ZED_ARG((uint16_t *)b), ZED_ARG((float *)c), ADDRESS(out))) {
        expect("tile_mma a, b, c", 0, high, across, product_and_c, PRODUCT_BOUND);
        expect("tile_mma a, b", sums, high, across, product, PRODUCT_BOUND);
        expect("tile_mma, 4-D", 2 * sums, high, across, product_and_c, PRODUCT_BOUND);
    }
    free_all();
}

XT_KERNEL(group_products, ptr(bf16, A), ptr(bf16, B), ptr(f32, C), u64(R))
{
    xt_map map_a = MAP(8, 4, 32, 32), map_b = MAP(8, 4, 32, 64), map_d = MAP(8, 4, 32, 64);
    xt_vec va = XT_LOAD_TILE(XT_INIT_TILE(A, bf16, 256, 32, .shape = XT_AT(256, 32), .map = map_a));
    xt_vec vb = XT_LOAD_TILE(XT_INIT_TILE(B, bf16, 32, 256, .shape = XT_AT(32, 256), .map = map_b));
    xt_vec vc = XT_LOAD_TILE(XT_INIT_TILE(C, f32, 256, 256, .shape = XT_AT(256, 256), .map = map_d));
    vc = XT_TILE_MMA(va, vb, vc, .map = map_d);
    /* the older specification gives the maps of all four */
    vc = XT_TILE_MMA(va, vb, vc, .a_map = map_a, .b_map = map_b, .c_map = map_d, .map = map_d);
    keep(XT_SELF, vc, R, 0);
}

static double twice_and_c(int i, int j) { return 2 * product(i, j) + get(CM_F32, c, (size_t)(i * across + j)); }

TEST(products_of_a_work_group)
{
    type_a = CM_BF16, type_out = CM_F32, depth = 32, across = 256;
    a = new_matrix(CM_BF16, 256 * 32);
    b = new_matrix(CM_BF16, 32 * 256);
    c = new_matrix(CM_F32, 256 * 256);
    out = new_poison(CM_F32, 256 * 256);
    if (LAUNCH(group_products, ZED_ARG((uint16_t *)a), ZED_ARG((uint16_t *)b), ZED_ARG((float *)c), ADDRESS(out)))
        expect("tile_mma {#wg_map_d}", 0, 256, 256, twice_and_c, 2 * PRODUCT_BOUND);
    free_all();
}

/* ---- transpose, reduction, broadcast, tile_pack, tile_unpack of a subgroup: f32 ---- */

enum {
    TRANSPOSED = 0,
    REDUCED = WIDE,
    BY_ROWS = REDUCED + 64,
    BY_COLUMNS = BY_ROWS + 128,
    SPREAD = BY_COLUMNS + 128,
    DOWN = SPREAD + WIDE,
    RIGHT = DOWN + LARGE,
    REDUCED4 = RIGHT + LARGE,
    SPREAD4 = REDUCED4 + 64,
    PACKED = SPREAD4 + LARGE,
    ALL = PACKED + WIDE
};

XT_KERNEL(vectors, ptr(f32, A), u64(R))
{
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, f32, 64, 32, .shape = XT_AT(64, 64)));
    xt_vec w = XT_LOAD_TILE(XT_INIT_TILE(A, f32, 64, 64, .shape = XT_AT(64, 64))), s;
    keep(XT_SELF, XT_TRANSPOSE(v), R, TRANSPOSED);
    keep(XT_SELF, XT_REDUCTION(add, v, 1), R, REDUCED);
    keep(XT_SELF, XT_REDUCTION(add, w, 0, .reduction_size = 32), R, BY_ROWS);
    keep(XT_SELF, XT_REDUCTION(add, w, 1, .reduction_size = 32), R, BY_COLUMNS);
    keep(XT_SELF, XT_BROADCAST(XT_SLICE(v, 0, 0, 1, 32), 0, 64), R, SPREAD);
    keep(XT_SELF, XT_BROADCAST(XT_SLICE(w, 0, 0, 2, 64), 0, 64, .broadcast_size = 32), R, DOWN);
    keep(XT_SELF, XT_BROADCAST(XT_SLICE(w, 0, 0, 64, 2), 1, 64, .broadcast_size = 32), R, RIGHT);
    s = XT_TILE_REDUCE(add, XT_TILE_PACK(w, .inner_blocks = {8, 16}), XT_DIMS(1, 3)); /* 8x4x8x16 to 8x1x8x1 */
    keep(XT_SELF, s, R, REDUCED4);
    keep(XT_SELF, XT_TILE_BROADCAST(s, XT_DIMS(1, 3), 64, .inner_blocks = {8, 16}), R, SPREAD4);
    v = XT_TILE_UNPACK(XT_TILE_PACK(v, .inner_blocks = {16, 16}), .inner_blocks = {16, 16}); /* 4x2x16x16 */
    keep(XT_SELF, XT_TILE_UNPACK(XT_TILE_PACK(v, .inner_blocks = {64, 16}), .inner_blocks = {64, 16}), R, PACKED);
}

static double one_of(int i, int j) { return of_a((size_t)(i * 64 + j)); }
static double turned(int i, int j) { return one_of(j, i); }
static double sum_of(int row, int col, int rows, int cols)
{
    double sum = 0;
    for (int i = row; i < row + rows; i++)
        for (int j = col; j < col + cols; j++) sum += one_of(i, j);
    return sum;
}
static double row_sum(int i, int j) { return (void)j, sum_of(i, 0, 1, 32); }
static double whole_row_sum(int i, int j) { return (void)j, sum_of(i, 0, 1, 64); }
static double sum_of_32_rows(int i, int j) { return sum_of(32 * i, j, 32, 1); }
static double sum_of_32_columns(int i, int j) { return sum_of(i, 32 * j, 1, 32); }
static double first_row(int i, int j) { return (void)i, one_of(0, j); }
static double two_rows(int i, int j) { return one_of(i / 32, j); }
static double two_columns(int i, int j) { return one_of(i, j / 32); }

/* 64 normal numbers: partial sums below 2^6, 64 roundings. */
#define SUM_BOUND 0x1p-12

TEST(vectors_of_a_subgroup)
{
    type_a = type_out = CM_F32;
    a = new_matrix(CM_F32, LARGE);
    out = new_poison(CM_F32, ALL);
    if (LAUNCH(vectors, ZED_ARG((float *)a), ADDRESS(out))) {
        expect("transpose", TRANSPOSED, 32, 64, turned, 0);
        expect("reduction [1]", REDUCED, 64, 1, row_sum, SUM_BOUND);
        expect("reduction [0], 32", BY_ROWS, 2, 64, sum_of_32_rows, SUM_BOUND);
        expect("reduction [1], 32", BY_COLUMNS, 64, 2, sum_of_32_columns, SUM_BOUND);
        expect("broadcast [0]", SPREAD, 64, 32, first_row, 0);
        expect("broadcast [0], 32", DOWN, 64, 64, two_rows, 0);
        expect("broadcast [1], 32", RIGHT, 64, 64, two_columns, 0);
        expect("tile_reduce [1, 3]", REDUCED4, 64, 1, whole_row_sum, SUM_BOUND);
        expect("tile_broadcast [1, 3]", SPREAD4, 64, 64, whole_row_sum, SUM_BOUND);
        expect("tile_pack, tile_unpack", PACKED, 64, 32, one_of, 0);
    }
    free_all();
}

/* ---- the same of a work-group ---- */

/* The text's first map: order [0, 1], inner_blocks [32, 16], 2 x 2 subgroups, of which two share each piece. */
XT_KERNEL(first_map, ptr(f16, A), u64(R), u32(m))
{
    xt_tile t = XT_INIT_TILE(A, f16, 128, 128, .offset = XT_AT(m, 0), .shape = XT_AT(1024, 1024), .order = {0, 1},
                             .map = MAP(2, 2, 32, 128), .inner_blocks = {32, 16});
    xt_vec v = XT_LOAD_TILE(t);
    CHECK(v.dist.rounds[0] == 2 && v.dist.rounds[1] == 1 && v.inner[0] == 32 && v.inner[1] == 16);
    keep(XT_SELF, v, R, 0);
}

static double of_first_map(int i, int j) { return of_a((size_t)(j * 1024 + 384 + i)); }

TEST(the_first_map)
{
    type_a = type_out = CM_F16;
    a = new_matrix(CM_F16, 1024 * 1024);
    out = new_poison(CM_F16, 128 * 128);
    if (LAUNCH(first_map, ZED_ARG((uint16_t *)a), ADDRESS(out), ZED_ARG(384)))
        expect("wg_map", 0, 128, 128, of_first_map, 0);
    free_all();
}

static int columns; /* of A */
XT_KERNEL(group_sums, ptr(f32, A), u64(R))
{
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, f32, 256, 128, .shape = XT_AT(256, 128), .map = MAP(32, 1, 8, 128)));
    xt_vec e = XT_EXP(XT_LOAD_TILE(XT_INIT_TILE(A, f32, 256, 128, .shape = XT_AT(256, 128), .map = MAP(8, 4, 32, 32))));
    keep(XT_SELF, XT_REDUCTION(add, v, 1, .map = MAP(32, 1, 8, 1)), R, 0);
    keep(XT_SELF, XT_REDUCTION(add, e, 0, .reduction_size = 32, .map = MAP(8, 4, 1, 32)), R, 256);
    keep(XT_SELF, XT_TILE_REDUCE(add, v, 1, .source = MAP(32, 1, 8, 128), .map = MAP(32, 1, 8, 1)), R, 256 + 8 * 128);
}

static double in_line(int i, int j) { return of_a((size_t)(i * columns + j)); }
static double line_sum(int i, int j)
{
    double sum = 0;
    for (j = 0; j < columns; j++) sum += in_line(i, j);
    return sum;
}
static double sum_of_32_exponentials(int i, int j)
{
    double sum = 0;
    for (int k = 0; k < 32; k++) sum += exp(in_line(32 * i + k, j));
    return sum;
}

TEST(reductions_of_a_work_group)
{
    type_a = type_out = CM_F32, columns = 128;
    a = new_matrix(CM_F32, 256 * 128);
    out = new_poison(CM_F32, 512 + 8 * 128);
    if (LAUNCH(group_sums, ZED_ARG((float *)a), ADDRESS(out))) {
        expect("reduction {#wg_map_a}", 0, 256, 1, line_sum, 2 * SUM_BOUND);
        /* exp within 3 units in the last place, 31 roundings */
        expect("reduction_size {#wg_map_b}", 256, 8, 128, sum_of_32_exponentials, 35 * 0x1p-24);
        expect("tile_reduce {#wg_map_a #wg_map_a2}", 256 + 8 * 128, 256, 1, line_sum, 2 * SUM_BOUND);
    }
    free_all();
}

XT_KERNEL(group_broadcasts, ptr(f32, A), u64(R))
{
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, f32, 256, 1, .shape = XT_AT(256, 1), .map = MAP(16, 1, 16, 1)));
    keep(XT_SELF, XT_BROADCAST(v, 1, 256, .map = MAP(16, 1, 16, 256)), R, 0);
    keep(XT_SELF, XT_TILE_BROADCAST(v, 1, 256, .source = MAP(16, 1, 16, 1), .map = MAP(4, 4, 64, 64)), R, 256 * 256);
}

static double first_of_line(int i, int j) { return (void)j, of_a((size_t)i); }

TEST(broadcasts_of_a_work_group)
{
    type_a = type_out = CM_F32;
    a = new_matrix(CM_F32, 256);
    out = new_poison(CM_F32, 2 * 256 * 256);
    if (LAUNCH(group_broadcasts, ZED_ARG((float *)a), ADDRESS(out))) {
        expect("broadcast {#wg_map_a}", 0, 256, 256, first_of_line, 0);
        expect("tile_broadcast {#wg_map_b #wg_map_a}", 256 * 256, 256, 256, first_of_line, 0);
    }
    free_all();
}

XT_KERNEL(group_moves, ptr(f32, A), u64(R))
{
    xt_map map_b = MAP(8, 4, 32, 64), map_a = MAP(32, 1, 8, 256);
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, f32, 512, 128, .shape = XT_AT(512, 128), .map = MAP(8, 4, 64, 32)));
    xt_vec w = XT_LOAD_TILE(XT_INIT_TILE(A, f32, 256, 256, .shape = XT_AT(256, 256), .map = map_b));
    keep(XT_SELF, XT_TRANSPOSE(v, .map = MAP(4, 8, 32, 64)), R, 0);
    keep(XT_SELF, XT_CONVERT_LAYOUT(w, .map = map_a, .source = map_b), R, 128 * 512);
    keep(XT_SELF, XT_CONVERT_LAYOUT(w, .map = map_a), R, 128 * 512 + 256 * 256);
}

static double turned_line(int i, int j) { return in_line(j, i); }

TEST(layouts_of_a_work_group)
{
    type_a = type_out = CM_F32, columns = 128;
    a = new_matrix(CM_F32, 512 * 128);
    out = new_poison(CM_F32, 3 * 256 * 256);
    if (LAUNCH(group_moves, ZED_ARG((float *)a), ADDRESS(out))) {
        expect("transpose {#wg_map_a}", 0, 128, 512, turned_line, 0);
        columns = 256;
        expect("convert_layout {#wg_map_a #wg_map_b}", 128 * 512, 256, 256, in_line, 0);
        expect("convert_layout {#wg_map_a}", 128 * 512 + 256 * 256, 256, 256, in_line, 0);
    }
    free_all();
}

int main(void)
{
    if (!zed_open(&device, NULL)) {
        printf("%s\n", zed_get_error(&device)->text);
        return 1;
    }
    RUN(tiles_are_read);
    RUN(tiles_are_written);
    RUN(atomic_operations);
    RUN(scatter_tiles);
    RUN(products_of_a_subgroup);
    RUN(products_of_a_work_group);
    RUN(vectors_of_a_subgroup);
    RUN(the_first_map);
    RUN(reductions_of_a_work_group);
    RUN(broadcasts_of_a_work_group);
    RUN(layouts_of_a_work_group);
    zed_close(&device);
    return test_report();
}
