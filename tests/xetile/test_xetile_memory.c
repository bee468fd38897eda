/* test_xetile_memory.c - tiles: bases of three and four dimensions, orders and strides, local memory, masks and 8-bit
 * floats, gather and scatter, paddings; and no access outside a base. */
#include "xetile_case.h"

static struct {
    chosen type, offsets;
    int rows, cols, row, col; /* of the tile; its position */
    int at[2], extent[2];     /* leading offsets and extents */
    int m, n, dims;
    bool column_major, strided, with_mask, scatter_map;
    double padding;
    xt_map map;
} now;

static void reset(int type, int rows, int cols, int m, int n)
{
    memset(&now, 0, sizeof now);
    now.type.type = type;
    now.rows = rows;
    now.cols = cols;
    now.m = m;
    now.n = n;
    now.dims = 2;
    now.extent[0] = now.extent[1] = 1;
}

/* ---- bases of more dimensions ---- */

/* Rows of memory are 3 longer than the matrix when strided, and matrices 5 elements further apart. */
static int pitch(void) { return (now.column_major ? now.m : now.n) + (now.strided ? 3 : 0); }
static int lines(void) { return now.column_major ? now.n : now.m; }
static int distance(void) { return pitch() * lines() + (now.strided ? 5 : 0); }
static size_t base_size(void) { return (size_t)(distance() * now.extent[0] * now.extent[1]); }

static size_t element(int r, int s)
{
    int matrix = now.at[0] * now.extent[1] + now.at[1];
    return (size_t)(matrix * distance() + (now.column_major ? s * pitch() + r : r * pitch() + s));
}

/* The tile of the base as the test describes it; extents and strides are values of the kernel. */
static xt_tile base_tile(XT_CONTEXT, xt_val A, xt_val P, xt_val Q, xt_val M, xt_val N)
{
    xt_val line = XT_PARAM("PITCH"), inner = XT_MUL(line, now.column_major ? N : M);
    xt_index offset = XT_AT(P, Q, now.row, now.col), shape = XT_AT(now.extent[0], now.extent[1], M, N), strides;
    if (now.strided) inner = XT_ADD(inner, 5);
    strides = XT_AT(XT_MUL(inner, now.extent[1]), inner, line, 1);
    if (now.column_major) strides = XT_AT(XT_MUL(inner, now.extent[1]), inner, 1, line);
    if (now.dims < 4) {
        offset = XT_AT(Q, now.row, now.col);
        shape = XT_AT(now.extent[1], M, N);
        strides = now.column_major ? XT_AT(inner, 1, line) : XT_AT(inner, line, 1);
    }
    if (!now.strided) memset(&strides, 0, sizeof strides);
    return XT_INIT_TILE(A, of(now.type), now.rows, now.cols, .offset = offset, .shape = shape, .strides = strides,
                        .order = {!now.column_major, now.column_major}, .map = now.map);
}

/* A tile of A to all of C, and all of FULL to a tile of OUT. */
XT_KERNEL(both_ways, u64(A), u64(C), u64(OUT), u64(FULL), i32(P), i32(Q), i32(M), i32(N), i32(PITCH))
{
    (void)PITCH;
    xt_tile c = XT_INIT_TILE(C, of(now.type), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols), .map = now.map);
    xt_tile full =
        XT_INIT_TILE(FULL, of(now.type), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols), .map = now.map);
    XT_STORE_TILE(XT_LOAD_TILE(base_tile(XT_SELF, A, P, Q, M, N), .padding = now.padding), c);
    XT_STORE_TILE(XT_LOAD_TILE(full), base_tile(XT_SELF, OUT, P, Q, M, N));
}

static bool inside(int i, int j)
{
    int r = now.row + i, s = now.col + j;
    return r >= 0 && r < now.m && s >= 0 && s < now.n && now.at[0] >= 0 && now.at[0] < now.extent[0] &&
           now.at[1] >= 0 && now.at[1] < now.extent[1];
}

static int differs(int type, const void *a, size_t i, const void *b, size_t j)
{
    return memcmp((const char *)a + i * size_of(type), (const char *)b + j * size_of(type), size_of(type)) != 0;
}

static void check_base(const variant *v)
{
    int t = now.type.type, wrong = 0;
    size_t tile = (size_t)(now.rows * now.cols), all = base_size();
    void *a = new_matrix(t, all), *c = new_poison(t, tile), *full = new_matrix(t, tile), *out = new_poison(t, all);
    unsigned char *written = (unsigned char *)calloc(all, 1);
    unsigned char outside[8];
    put(t, outside, 0, now.padding);
    if (a && c && full && out && written &&
        RUN_KERNEL(both_ways, v, ONE_GROUP, ADDRESS(a), ADDRESS(c), ADDRESS(out), ADDRESS(full), ZED_ARG(now.at[0]),
                   ZED_ARG(now.at[1]), ZED_ARG(now.m), ZED_ARG(now.n), ZED_ARG(pitch()))) {
        for (int i = 0; i < now.rows; i++)
            for (int j = 0; j < now.cols; j++) {
                size_t here = (size_t)(i * now.cols + j);
                if (!inside(i, j)) {
                    wrong += differs(t, c, here, outside, 0);
                    continue;
                }
                wrong += differs(t, c, here, a, element(now.row + i, now.col + j));
                wrong += differs(t, out, element(now.row + i, now.col + j), full, here);
                written[element(now.row + i, now.col + j)] = 1;
            }
        for (size_t k = 0; k < all; k++) wrong += !written[k] && !poisoned(t, out, k);
    }
    CHECK_MSG(wrong == 0, "%s %s %d x %d of (%d, %d) of (%d, %d) %d x %d: %d wrong", v->name, type_name(t), now.rows,
              now.cols, now.at[0], now.at[1], now.extent[0], now.extent[1], now.m, now.n, wrong);
    zed_free(&device, a);
    zed_free(&device, c);
    zed_free(&device, full);
    zed_free(&device, out);
    free(written);
}

TEST(bases_of_three_and_four_dimensions)
{
    static const struct {
        int type, dims, extent[2], at[2], row, col, variant;
        bool column_major, strided;
    } cases[] = {
        {CM_F32, 4, {3, 4}, {2, 1}, 0, 0, 0, false, false},  {CM_F16, 4, {3, 2}, {1, 1}, -1, 5, 0, false, true},
        {CM_BF16, 3, {1, 5}, {0, 4}, 2, -2, 1, true, false}, {CM_I32, 4, {2, 2}, {1, 0}, 0, 3, 0, true, true},
        {CM_F64, 3, {1, 3}, {0, 3}, 0, 0, 0, false, false},  {CM_I8, 4, {2, 3}, {-1, 2}, 0, 0, 0, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!has_type(cases[i].type)) continue;
        reset(cases[i].type, 5, 20, 7, 19);
        now.dims = cases[i].dims;
        memcpy(now.extent, cases[i].extent, sizeof now.extent);
        memcpy(now.at, cases[i].at, sizeof now.at);
        now.row = cases[i].row;
        now.col = cases[i].col;
        now.column_major = cases[i].column_major;
        now.strided = cases[i].strided;
        now.padding = (int)i;
        if (i == 3) now.map = XT_MAP(.sg_layout = {1, 2}, .sg_data = {5, 10});
        check_base(&variants[cases[i].variant]);
    }
}

/* Every type through memory as its bits, with the paddings it can have. */
TEST(types_and_paddings)
{
    static const struct {
        int type;
        double padding;
    } cases[] = {
        {I1, 1},           {CM_E4M3, -1.5}, {CM_E5M2, 0.25},     {CM_TF32, 3},     {CM_I64, -9007199254740992.0},
        {CM_U64, 1 << 20}, {CM_F32, -0.0},  {CM_BF16, INFINITY}, {CM_F16, -65504}, {CM_U16, 65535},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reset(cases[i].type, 3, 18, 3, 17);
        now.dims = 3;
        now.row = (int)(i % 3) - 1;
        now.padding = cases[i].padding;
        if (i % 3 == 0) now.map = XT_MAP(.sg_layout = {3, 1}, .sg_data = {1, 18});
        check_base(&variants[i == 1 && target_has(&variants[3]) ? 3 : 0]);
    }
}

/* ---- a product from batches ---- */

/* C[b] = A[b] B[b]; the version with 2D block messages is taken where the matrices are aligned. */
XT_KERNEL(batched, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(BATCH), u32(M), u32(N), u32(K))
{
    xt_val b = XT_GROUP_ID(0), j = XT_MUL(XT_GROUP_ID(1), 16);
    xt_tile ta = XT_INIT_TILE(A, f16, 8, 16, .offset = XT_AT(b, 0, 0), .shape = XT_AT(BATCH, M, K));
    xt_tile tb = XT_INIT_TILE(B, f16, 16, 16, .offset = XT_AT(b, 0, j), .shape = XT_AT(BATCH, K, N));
    xt_tile tc = XT_INIT_TILE(C, f32, 8, 16, .offset = XT_AT(b, 0, j), .shape = XT_AT(BATCH, M, N));
    xt_vec sum = XT_SPLAT(f32, 8, 16, 0.0);
    XT_FOR(k, 0, K, 16, &ta, &tb, &sum)
    {
        sum = XT_TILE_MMA(XT_LOAD_TILE(ta), XT_LOAD_TILE(tb), sum);
        ta = XT_UPDATE_TILE_OFFSET(ta, 0, 16);
        tb = XT_UPDATE_TILE_OFFSET(tb, 16, 0);
    }
    XT_STORE_TILE(sum, tc);
}

/* One work-group more than batches: it has nothing to do. */
static void check_batches(const variant *v, int m, int n, int k)
{
    enum { BATCH = 3 };
    uint16_t *a = (uint16_t *)new_matrix(CM_F16, (size_t)(BATCH * m * k)),
             *b = (uint16_t *)new_matrix(CM_F16, (size_t)(BATCH * k * n));
    float *c = (float *)new_poison(CM_F32, (size_t)((BATCH + 1) * m * n));
    int wrong = 0;
    if (a && b && c &&
        RUN_KERNEL(batched, v, ((zed_groups){BATCH + 1, (uint32_t)(n + 15) / 16, 1}), ZED_ARG(a), ZED_ARG(b),
                   ZED_ARG(c), ZED_ARG(3u), ZED_ARG((uint32_t)m), ZED_ARG((uint32_t)n), ZED_ARG((uint32_t)k))) {
        for (int i = 0; i < BATCH * m; i++)
            for (int j = 0; j < n; j++) {
                double want = 0, size = 0;
                for (int p = 0; p < k; p++) {
                    double x = get(CM_F16, a, (size_t)(i * k + p)),
                           y = get(CM_F16, b, (size_t)((i / m * k + p) * n + j));
                    want += x * y;
                    size += fabs(x * y);
                }
                wrong += !(fabs((double)c[i * n + j] - want) <= size * k * 0x1p-23); /* k roundings in f32 */
            }
        for (int i = BATCH * m * n; i < (BATCH + 1) * m * n; i++) wrong += !poisoned(CM_F32, c, (size_t)i);
    }
    CHECK_MSG(wrong == 0, "%s %d x %d x %d: %d wrong", v->name, m, n, k, wrong);
    zed_free(&device, a);
    zed_free(&device, b);
    zed_free(&device, c);
}

TEST(products_of_batches)
{
    check_batches(&variants[0], 8, 32, 32);
    check_batches(&variants[0], 7, 13, 35);
    check_batches(&variants[1], 5, 32, 32);
}

/* ---- local memory ---- */

/* Stored by rows of subgroups, loaded by columns, shifted by one: elements outside the local matrix are padding. */
XT_KERNEL(through_local, u64(A), u64(C))
{
    xt_map rows = XT_MAP(.sg_layout = {4, 1}, .sg_data = {4, 20}),
           cols = XT_MAP(.sg_layout = {2, 2}, .sg_data = {8, 10});
    xt_val base = XT_LOCAL(of(now.type), 16 * 20);
    xt_tile a = XT_INIT_TILE(A, of(now.type), 16, 20, .shape = XT_AT(16, 20), .map = rows);
    xt_tile in = XT_INIT_TILE(base, of(now.type), 16, 20, .shape = XT_AT(16, 20), .map = rows,
                              .order = {!now.column_major, now.column_major});
    xt_tile out = XT_INIT_TILE(base, of(now.type), 16, 20, .offset = XT_AT(0, 1), .shape = XT_AT(16, 20), .map = cols,
                               .order = {!now.column_major, now.column_major});
    xt_tile c = XT_INIT_TILE(C, of(now.type), 16, 20, .shape = XT_AT(16, 20), .map = cols);
    XT_STORE_TILE(XT_LOAD_TILE(a), in);
    XT_PREFETCH_TILE(out); /* does nothing */
    XT_BARRIER();
    XT_STORE_TILE(XT_LOAD_TILE(out, .padding = 1), c);
}

TEST(local_memory)
{
    static const int types[] = {CM_F32, CM_F16, CM_I8, CM_F64, I1};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        if (!has_type(types[t])) continue;
        void *a = new_matrix(types[t], 320), *c = new_poison(types[t], 320);
        int wrong = 0;
        reset(types[t], 16, 20, 16, 20);
        now.column_major = t % 2 == 1;
        if (a && c && RUN_KERNEL(through_local, &variants[t == 2 ? 1 : 0], ONE_GROUP, ADDRESS(a), ADDRESS(c)))
            for (int i = 0; i < 16; i++)
                for (int j = 0; j < 20; j++)
                    wrong += get(types[t], c, (size_t)(i * 20 + j)) !=
                             (j < 19 ? get(types[t], a, (size_t)(i * 20 + j + 1)) : 1);
        CHECK_MSG(wrong == 0, "%s: %d wrong", type_name(types[t]), wrong);
        zed_free(&device, a);
        zed_free(&device, c);
    }
}

/* Tiles that never leave their array, whose pieces are accessed at once: stored under one map, loaded under another, as
 * they are, moved by a number of the launch, and as operands of a product with themselves. */
typedef struct {
    int type, pitch; /* 0: the tile's */
    bool column_major;
    int first;    /* column of the array where the tile begins */
    bool one;     /* also load one element as a number, for which the array must be as its tiles say */
    int messages; /* block messages that a subgroup stores 8 x 32 elements by; 0: not checked */
} pieces_case;
static pieces_case pieces;

XT_KERNEL(in_large_pieces, u64(A), u64(C), u64(D), u64(One), u32(shift))
{
    const xt_map rows = XT_MAP(.sg_layout = {4, 1}, .sg_data = {8, 32}),
                 blocks = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 16});
    const xt_map left = XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 32}),
                 right = XT_MAP(.sg_layout = {2, 2}, .sg_data = {32, 16});
    xt_val base = XT_LOCAL(of(now.type), 2 * 32 * 64);
    int pitch = pieces.pitch ? pieces.pitch : 32, extra = pieces.column_major ? 64 : pitch;
    const int order[] = {!pieces.column_major, pieces.column_major};
    xt_index shape = pieces.column_major ? XT_AT(pitch, extra) : XT_AT(64, pitch);
    xt_index strides = pieces.column_major ? XT_AT(1, pitch) : XT_AT(pitch, 1);
#define INSIDE(map_)                                                                                                   \
    XT_INIT_TILE(base, of(now.type), 32, 32, .offset = XT_AT(0, pieces.first), .shape = shape, .strides = strides,     \
                 .order = {order[0], order[1]}, .map = map_, .inside = true)
    xt_tile in = INSIDE(rows), out = INSIDE(blocks), a = INSIDE(left), b = INSIDE(right);
    xt_val down = pieces.column_major ? spe_val_int(0) : shift, across = pieces.column_major ? shift : spe_val_int(0);
    XT_STORE_TILE(XT_LOAD_TILE(XT_INIT_TILE(A, of(now.type), 32, 32, .shape = XT_AT(32, 32), .map = rows)),
                  XT_UPDATE_TILE_OFFSET(in, down, across));
    XT_BARRIER();
    XT_STORE_TILE(XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(out, down, across)),
                  XT_INIT_TILE(C, of(now.type), 32, 32, .shape = XT_AT(32, 32), .map = blocks));
    a = XT_UPDATE_TILE_OFFSET(a, down, across);
    b = XT_UPDATE_TILE_OFFSET(b, down, across);
    XT_STORE_TILE(XT_CAST(f32, XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b))),
                  XT_INIT_TILE(D, f32, 32, 32, .shape = XT_AT(32, 32), .map = blocks));
    if (pieces.one)
        XT_STORE_TILE(XT_SPLAT(f32, 1, 1, XT_CAST(f32, XT_LOAD(base, XT_ADD(XT_MUL(shift, pitch), pieces.first + 7)))),
                      XT_INIT_TILE(One, f32, 1, 1, .shape = XT_AT(1, 1)));
}

static int count_block_writes(const xt_module *mod)
{
    int count = 0;
    for (size_t i = 5; i < mod->size / 4; i += mod->words[i] >> 16)
        count += (mod->words[i] & 0xffff) == SPE_OpSubgroupBlockWriteINTEL;
    return count;
}

static void check_pieces(const pieces_case *c, const variant *v)
{
    void *a = new_matrix(c->type, 1024), *copy = new_poison(c->type, 1024);
    float *d = (float *)new_poison(CM_F32, 1024), *one = (float *)new_poison(CM_F32, 1);
    int wrong = 0;
    pieces = *c;
    now.type.type = c->type;
    if (c->messages) {
        xt_module mod = XT_BUILD(in_large_pieces, &(xt_target){.name = "bmg"}, .pitch = XT_PITCH_ALIGNED);
        CHECK_INT(mod.words ? count_block_writes(&mod) : -1, c->messages);
        xt_free(&mod);
    }
    if (target_has(v) &&
        RUN_KERNEL(in_large_pieces, v, ONE_GROUP, ADDRESS(a), ADDRESS(copy), ADDRESS(d), ADDRESS(one), ZED_ARG(5))) {
        if (c->one) wrong += (double)one[0] != get(c->type, a, 7);
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 32; j++) {
                double want = 0, size = 0, x;
                for (int k = 0; k < 32; k++) {
                    x = get(c->type, a, (size_t)(i * 32 + k)) * get(c->type, a, (size_t)(k * 32 + j));
                    want += x;
                    size += fabs(x);
                }
                wrong += get(c->type, copy, (size_t)(i * 32 + j)) != get(c->type, a, (size_t)(i * 32 + j));
                wrong += !(fabs((double)d[i * 32 + j] - want) <= size * 32 * 0x1p-23); /* 32 roundings in f32 */
            }
    }
    CHECK_MSG(wrong == 0, "%s %s, pitch %d, %s-major: %d wrong", v->name, type_name(c->type), c->pitch,
              c->column_major ? "column" : "row", wrong);
    zed_free(&device, one);
    zed_free(&device, a);
    zed_free(&device, copy);
    zed_free(&device, d);
}

TEST(local_memory_in_large_pieces)
{
    static const pieces_case cases[] = {
        {CM_F16, 0, false, 0, false, 2},
        {CM_F16, 40, true, 0, false, 0},
        {CM_BF16, 33, false, 0, false, 0},
        {CM_BF16, 34, true, 0, false, 0},
        {CM_F32, 36, false, 0, false, 16},
        {CM_F32, 0, true, 0, false, 0},
        {CM_I8, 48, false, 0, false, 0},
        {CM_I8, 36, true, 0, false, 0},
        /* in bands; and not: a number is loaded from the array, a tile begins within a band */
        {CM_BF16, 64, false, 32, false, 2},
        {CM_F32, 48, false, 16, false, 2},
        {CM_F16, 64, false, 16, true, 16},
        {CM_F16, 64, false, 8, false, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) check_pieces(&cases[i], &variants[0]);
    for (int i = 0; i < 2; i++) {
        check_pieces(&cases[i], &variants[1]);
        check_pieces(&cases[i], &variants[3]);
    }
}

/* ---- gather and scatter ---- */

static xt_tile scatter_tile(XT_CONTEXT, xt_val base, xt_val n, xt_vec offsets)
{
    return XT_INIT_TILE(base, of(now.type), now.rows, now.cols, .scatter = offsets, .shape = XT_AT(n));
}

/* C = A[offsets] where mask, else padding; and B[offsets] = V where mask. */
XT_KERNEL(gather_scatter, u64(A), u64(B), u64(Offsets), u64(Mask), u64(V), u64(C), i32(N))
{
    int rows = now.rows, cols = now.cols;
    xt_vec offsets =
        XT_LOAD_TILE(XT_INIT_TILE(Offsets, of(now.offsets), rows, cols, .shape = XT_AT(rows, cols), .map = now.map));
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(V, of(now.type), rows, cols, .shape = XT_AT(rows, cols), .map = now.map)), got;
    xt_tile from = scatter_tile(XT_SELF, A, N, offsets), to = scatter_tile(XT_SELF, B, N, offsets);
    if (now.with_mask) {
        xt_vec mask = XT_LOAD_TILE(XT_INIT_TILE(Mask, i1, rows, cols, .shape = XT_AT(rows, cols), .map = now.map));
        got = XT_LOAD_GATHER(from, mask, .padding = now.padding);
        XT_STORE_SCATTER(v, to, mask);
    } else {
        got = XT_LOAD_GATHER(from, .padding = now.padding);
        XT_STORE_SCATTER(v, to);
    }
    XT_STORE_TILE(got, XT_INIT_TILE(C, of(now.type), rows, cols, .shape = XT_AT(rows, cols), .map = now.map));
}

/* Offsets are different, some far outside; A and B are between inaccessible pages if the device accepts such memory. */
static void check_gather(const variant *variant, int n)
{
    int type = now.type.type, wrong = 0, count = now.rows * now.cols;
    bool soft = strcmp(device.target.name, "soft") == 0;
    size_t bytes = (size_t)n * size_of(type);
    guarded ga = {0}, gb = {0};
    void *a, *b, *offsets = new_poison(now.offsets.type, (size_t)count), *v = new_matrix(type, (size_t)count);
    void *c = new_poison(type, (size_t)count);
    unsigned char *mask = (unsigned char *)new_matrix(CM_U8, (size_t)count),
                  *written = (unsigned char *)calloc((size_t)n + 1, 1);
    if (soft) ga = guarded_new(bytes, true), gb = guarded_new(bytes, false);
    a = soft ? ga.data : new_poison(type, (size_t)n);
    b = soft ? gb.data : new_poison(type, (size_t)n);
    for (int i = 0; i < n; i++) put(type, a, (size_t)i, sample(type));
    for (int i = 0; i < count; i++) { /* n is odd and larger than count, so these differ */
        static const double far[] = {-1, -2147483648.0, 2147483647, 1e6};
        put(now.offsets.type, offsets, (size_t)i, i % 5 == 4 ? far[i / 5 % 4] : (i * 8 + 3) % (n ? n : 1));
        if (i % 5 == 4 && i / 5 % 5 == 4) put(now.offsets.type, offsets, (size_t)i, n);
        mask[i] = test_random() % 3 ? (unsigned char)(1 + test_random() % 255) : 0; /* any byte but 0 is true */
    }
    if (RUN_KERNEL(gather_scatter, variant, ONE_GROUP, ADDRESS(a), ADDRESS(b), ADDRESS(offsets), ADDRESS(mask),
                   ADDRESS(v), ADDRESS(c), ZED_ARG(n)))
        for (int i = 0; i < count; i++) {
            double at = get(now.offsets.type, offsets, (size_t)i);
            bool active = at >= 0 && at < n && (mask[i] || !now.with_mask);
            wrong += get(type, c, (size_t)i) != (active ? get(type, a, (size_t)at) : now.padding);
            if (active) wrong += differs(type, b, (size_t)at, v, (size_t)i);
            if (active) written[(size_t)at] = 1;
        }
    for (int i = 0; i < n; i++) wrong += !written[i] && !poisoned(type, b, (size_t)i);
    CHECK_MSG(wrong == 0, "%s %s %d x %d: %d wrong", variant->name, type_name(type), now.rows, now.cols, wrong);
    if (soft) {
        CHECK(guarded_free(&ga));
        CHECK(guarded_free(&gb));
    } else {
        zed_free(&device, a);
        zed_free(&device, b);
    }
    zed_free(&device, offsets);
    zed_free(&device, v);
    zed_free(&device, c);
    zed_free(&device, mask);
    free(written);
}

TEST(gather_and_scatter)
{
    static const struct {
        int type, offsets, rows, cols, n, variant;
        bool mask;
        double padding;
        xt_map map;
    } cases[] = {
        {CM_F32, CM_I32, 1, 64, 101, 0, true, 1.5, {{0, 0}, {0, 0}}},
        {CM_BF16, CM_I64, 1, 37, 53, 0, true, -1, {{0, 0}, {0, 0}}},
        {CM_F16, CM_U32, 5, 24, 201, 4, false, 0, {{0, 0}, {0, 0}}},
        {CM_I8, CM_U64, 3, 3, 11, 1, true, 9, {{0, 0}, {0, 0}}},
        {CM_F64, CM_I32, 8, 32, 401, 0, true, 2, {{2, 2}, {4, 8}}},
        {CM_I64, CM_I32, 1, 64, 71, 0, false, -5, {{1, 4}, {1, 16}}},
        {CM_I32, CM_I32, 2, 16, 0, 0, true, 7, {{0, 0}, {0, 0}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const variant *v = &variants[cases[i].variant];
        if (!has_type(cases[i].type)) continue;
        reset(cases[i].type, cases[i].rows, cases[i].cols, 0, 0);
        now.offsets.type = cases[i].offsets;
        now.with_mask = cases[i].mask;
        now.padding = cases[i].padding;
        now.map = cases[i].map;
        check_gather(target_has(v) ? v : &variants[0], cases[i].n);
    }
}

/* A scatter tile carried through a loop: each iteration advances the offsets by 3. */
XT_KERNEL(walk, ptr(i32, A), ptr(i32, Offsets), ptr(i32, C), i32(N))
{
    xt_vec offsets = XT_LOAD_TILE(XT_INIT_TILE(Offsets, i32, 1, 20, .shape = XT_AT(1, 20)));
    xt_vec sum = XT_SPLAT(i32, 1, 20, 0);
    xt_tile t = XT_INIT_TILE(A, i32, 1, 20, .scatter = offsets, .shape = XT_AT(N));
    XT_FOR(k, 0, 4, 1, &t, &offsets, &sum)
    {
        (void)k;
        sum = XT_ADD(sum, XT_LOAD_GATHER(t));
        offsets = XT_ADD(offsets, 3);
        t = XT_INIT_TILE(A, i32, 1, 20, .scatter = offsets, .shape = XT_AT(N));
    }
    XT_STORE_TILE(sum, XT_INIT_TILE(C, i32, 1, 20, .shape = XT_AT(1, 20)));
}

TEST(scatter_tiles_are_carried)
{
    enum { N = 30 };
    int32_t *a = (int32_t *)new_matrix(CM_I32, N), *o = (int32_t *)new_poison(CM_I32, 20);
    int32_t *c = (int32_t *)new_poison(CM_I32, 20);
    int wrong = 0;
    for (int i = 0; i < 20; i++) o[i] = (i * 7) % N - 2;
    if (RUN_KERNEL(walk, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(o), ZED_ARG(c), ZED_ARG(N)))
        for (int i = 0; i < 20; i++) {
            int32_t want = 0;
            for (int k = 0; k < 4; k++) want += o[i] + 3 * k >= 0 && o[i] + 3 * k < N ? a[o[i] + 3 * k] : 0;
            wrong += c[i] != want;
        }
    CHECK_INT(wrong, 0);
    zed_free(&device, a);
    zed_free(&device, o);
    zed_free(&device, c);
}

/* ---- values that advance with a loop's index ---- */

/* Sums of a counter and of elements in the loop; the counters afterwards. */
XT_KERNEL(counters, ptr(i32, A), ptr(i32, Out), i32(LO), i32(HI), i32(START))
{
    xt_val up = START, other = spe_val_int(100), seen = spe_val_int(0), minus = START;
    xt_tile row = XT_INIT_TILE(A, i32, 1, 16, .offset = XT_AT(0, START), .shape = XT_AT(1, 200));
    xt_tile out = XT_INIT_TILE(Out, i32, 1, 16, .shape = XT_AT(6, 16));
    xt_vec sum = XT_SPLAT(i32, 1, 16, 0);
    XT_FOR(k, LO, HI, 3, &up, &other, &seen, &minus, &row, &sum)
    {
        seen = XT_ADD(seen, XT_ADD(XT_MUL(up, 1000), XT_ADD(k, other)));
        sum = XT_ADD(sum, XT_LOAD_TILE(row));
        up = XT_ADD(2, XT_ADD(up, 1));
        minus = XT_SUB(minus, -3);
        other = XT_ADD(other, 5);
        row = XT_UPDATE_TILE_OFFSET(row, 0, 3);
    }
    XT_STORE_TILE(sum, out);
    XT_STORE_TILE(XT_LOAD_TILE(row), XT_UPDATE_TILE_OFFSET(out, 1, 0));
    XT_STORE_TILE(XT_ADD(XT_SPLAT(i32, 1, 16, 0), up), XT_UPDATE_TILE_OFFSET(out, 2, 0));
    XT_STORE_TILE(XT_ADD(XT_SPLAT(i32, 1, 16, 0), other), XT_UPDATE_TILE_OFFSET(out, 3, 0));
    XT_STORE_TILE(XT_ADD(XT_SPLAT(i32, 1, 16, 0), seen), XT_UPDATE_TILE_OFFSET(out, 4, 0));
    XT_STORE_TILE(XT_ADD(XT_SPLAT(i32, 1, 16, 0), minus), XT_UPDATE_TILE_OFFSET(out, 5, 0));
}

static void check_counters(int lo, int hi, int start)
{
    int32_t *a = (int32_t *)new_matrix(CM_I32, 200), *out = (int32_t *)new_poison(CM_I32, 96);
    int up = start, other = 100, wrong = 0;
    uint32_t seen = 0; /* wraps, like the device's sum */
    int32_t sum[16] = {0};
    for (int k = lo; k < hi; k += 3, up += 3, other += 5) {
        seen += (uint32_t)(up * 1000 + other) + (uint32_t)k;
        for (int j = 0; j < 16; j++) sum[j] += up + j >= 0 && up + j < 200 ? a[up + j] : 0;
    }
    if (RUN_KERNEL(counters, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(out), ZED_ARG(lo), ZED_ARG(hi),
                   ZED_ARG(start)))
        for (int j = 0; j < 16; j++)
            wrong += out[j] != sum[j] || out[16 + j] != (up + j >= 0 && up + j < 200 ? a[up + j] : 0) ||
                     out[32 + j] != up || out[48 + j] != other || (uint32_t)out[64 + j] != seen || out[80 + j] != up;
    CHECK_MSG(wrong == 0, "%d .. %d from %d: %d wrong", lo, hi, start, wrong);
    zed_free(&device, a);
    zed_free(&device, out);
}

TEST(values_that_advance_with_the_index)
{
    check_counters(0, 30, 0);
    check_counters(-7, 20, 5);
    check_counters(4, 4, 9); /* no iteration */
    check_counters(10, 3, -2);
    check_counters(2147483640, 2147483644, 0);
}

/* ---- prefetch ---- */

static int locality;

XT_KERNEL(prefetched, ptr(f16, A), ptr(f32, C))
{
    xt_tile a = XT_INIT_TILE(A, f16, 32, 32, .offset = XT_AT(-8, 16), .shape = XT_AT(64, 64));
    if (locality < 4)
        XT_PREFETCH_TILE(a, .locality = locality);
    else
        XT_PREFETCH_TILE(a);
    a = XT_UPDATE_TILE_OFFSET(a, 8, -16);
    xt_tile b = XT_INIT_TILE(A, f16, 32, 16, .shape = XT_AT(64, 64)); /* 32 x 32 sums would be all registers of tgl */
    XT_STORE_TILE(XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b)), XT_INIT_TILE(C, f32, 32, 16, .shape = XT_AT(32, 16)));
}

/* Cache controls of loads in a module: how many, and the last one's level and control. */
static int cache_controls(const xt_module *mod, uint32_t last[2])
{
    enum { OpDecorate = 71, CacheControlLoad = 6442 };
    int count = 0;
    for (size_t i = 5; i < mod->size / 4; i += mod->words[i] >> 16) {
        const uint32_t *w = mod->words + i;
        if ((w[0] & 0xffff) != OpDecorate || w[2] != CacheControlLoad) continue;
        memcpy(last, w + 3, 8);
        count++;
    }
    return count;
}

TEST(localities_are_cache_controls)
{
    static const int control[] = {2 /* streams through the first level */, 0 /* not in the first */, 0};
    for (locality = 0; locality < 5; locality++) {
        xt_module mod = XT_BUILD(prefetched, &(xt_target){.name = "bmg"});
        uint32_t last[2] = {9, 9};
        int count = mod.words ? cache_controls(&mod, last) : -1;
        CHECK_INT(count > 0, locality < 3); /* 3, the default, is the hardware's default: all levels */
        if (locality < 3) CHECK_INT(last[0], 0);
        if (locality < 3) CHECK_INT(last[1], control[locality]);
        xt_free(&mod);
    }
}

TEST(a_prefetch_changes_nothing)
{
    uint16_t *a = (uint16_t *)new_matrix(CM_F16, 64 * 64);
    float *c = (float *)new_poison(CM_F32, 32 * 16);
    int wrong = 0;
    locality = 1;
    if (RUN_KERNEL(prefetched, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(c)))
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 16; j++) {
                double want = 0, size = 0;
                for (int k = 0; k < 32; k++) {
                    double x = get(CM_F16, a, (size_t)(i * 64 + k)) * get(CM_F16, a, (size_t)(k * 64 + j));
                    want += x;
                    size += fabs(x);
                }
                wrong += !(fabs((double)c[i * 16 + j] - want) <= size * 32 * 0x1p-23); /* 32 roundings in f32 */
            }
    CHECK_INT(wrong, 0);
    zed_free(&device, a);
    zed_free(&device, c);
}

/* ---- 2D block messages between stores by some lanes, to which Intel's compiler must not move them ---- */

enum { SOME = 12, ALL = 16, FEW = 4, LINES = 8 };

/* Lanes have one of SOME columns, or one of FEW columns of several rows. The product only makes the kernel use
 * messages. */
XT_KERNEL(blocks_between, ptr(f32, A), ptr(f32, B), ptr(i32, C), ptr(i32, D), ptr(i8, E))
{
    const xt_index lines = XT_AT(LINES, ALL), less = XT_AT(LINES, SOME), few = XT_AT(LINES, FEW);
    xt_vec some = XT_IOTA(i32, 2, SOME, 1), all = XT_IOTA(i32, 3, ALL, 1), bytes = XT_IOTA(i8, LINES, FEW, 1);
    xt_vec b = XT_LOAD_TILE(XT_INIT_TILE(B, f32, ALL, ALL, .shape = XT_AT(ALL, ALL)));
    xt_vec a = XT_TILE_MMA(XT_LOAD_TILE(XT_INIT_TILE(A, f32, LINES, ALL, .shape = lines)), b);
    XT_STORE_TILE(a, XT_INIT_TILE(A, f32, LINES, ALL, .shape = lines));
    XT_STORE_TILE(some, XT_INIT_TILE(D, i32, 2, SOME, .shape = less));
    XT_STORE_TILE(XT_ADD(all, 1), XT_INIT_TILE(C, i32, 3, ALL, .shape = lines));
    XT_STORE_TILE(bytes, XT_INIT_TILE(E, i8, LINES, FEW, .shape = few));
    XT_FOR(i, 2, LINES, 2)
    {
        XT_STORE_TILE(XT_ADD(all, i), XT_INIT_TILE(C, i32, 3, ALL, .offset = XT_AT(i, 0), .shape = lines));
        XT_STORE_TILE(some, XT_INIT_TILE(D, i32, 2, SOME, .offset = XT_AT(i, 0), .shape = less));
    }
}

TEST(blocks_between_stores_by_some_lanes)
{
    float *a = (float *)new_matrix(CM_F32, LINES * ALL), *b = (float *)new_matrix(CM_F32, ALL * ALL);
    int32_t *c = (int32_t *)new_poison(CM_I32, LINES * ALL), *d = (int32_t *)new_poison(CM_I32, LINES * SOME);
    int8_t *e = (int8_t *)new_poison(CM_I8, LINES * FEW);
    if (RUN_KERNEL(blocks_between, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(b), ZED_ARG(c), ZED_ARG(d),
                   ZED_ARG(e))) {
        for (int i = 0; i < LINES * ALL; i++) CHECK_INT(c[i], i % ALL + (i < 2 * ALL ? 1 : i / ALL / 2 * 2));
        for (int i = 0; i < LINES * SOME; i++) CHECK_INT(d[i], i % SOME);
        for (int i = 0; i < LINES * FEW; i++) CHECK_INT(e[i], i % FEW);
    }
    zed_free(&device, a);
    zed_free(&device, b);
    zed_free(&device, c);
    zed_free(&device, d);
    zed_free(&device, e);
}

/* ---- nothing outside ---- */

static void check_guarded(int type, int rows, int cols, int m, int n, int row, int col, bool at_end)
{
    size_t bytes = (size_t)(m * n) * size_of(type), tile = (size_t)(rows * cols);
    guarded a = guarded_new(bytes, at_end), out = guarded_new(bytes, at_end);
    void *c = new_poison(type, tile), *full = new_matrix(type, tile);
    int wrong = 0;
    reset(type, rows, cols, m, n);
    now.dims = 3;
    now.row = row;
    now.col = col;
    for (int i = 0; i < m * n; i++) put(type, a.data, (size_t)i, sample(type));
    if (RUN_KERNEL(both_ways, &variants[0], ONE_GROUP, ADDRESS(a.data), ADDRESS(c), ADDRESS(out.data), ADDRESS(full),
                   ZED_ARG(0), ZED_ARG(0), ZED_ARG(m), ZED_ARG(n), ZED_ARG(n)))
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) {
                size_t here = (size_t)(i * cols + j);
                wrong += inside(i, j) ? differs(type, c, here, a.data, element(row + i, col + j)) ||
                                            differs(type, out.data, element(row + i, col + j), full, here)
                                      : get(type, c, here) != 0;
            }
    CHECK_MSG(wrong == 0, "%s %d x %d of %d x %d: %d wrong", type_name(type), rows, cols, m, n, wrong);
    CHECK(guarded_free(&a));
    CHECK(guarded_free(&out));
    zed_free(&device, c);
    zed_free(&device, full);
}

TEST(nothing_outside_is_touched)
{
    if (strcmp(device.target.name, "soft")) SKIP("only the software device takes memory of the program's own");
    check_guarded(CM_F32, 16, 33, 3, 5, -1, -2, true);
    check_guarded(CM_I8, 3, 40, 2, 7, 0, 0, true);
    check_guarded(CM_F64, 7, 1, 5, 1, 1, 0, false);
    check_guarded(CM_F16, 1, 70, 1, 64, 0, 0, true);
    check_guarded(CM_BF16, 9, 17, 9, 17, 9, 0, false); /* all of it is below the matrix */
}

/* ---- extents that are negative, or too large to be i32 ---- */

enum { APRON = 1 << 16, APRON_PITCH = 64 };

/* Loads a tile of X, and stores and adds another to it; X points into the middle of what the test watches. */
XT_KERNEL(beyond, u64(X), u64(Y), u64(Z), u32(M), u32(N), u32(S), i32(OI), i32(OJ))
{
    xt_tile x = XT_INIT_TILE(X, of(now.type), now.rows, now.cols, .offset = XT_AT(OI, OJ), .shape = XT_AT(M, N),
                             .strides = XT_AT(S, 1));
    xt_tile y = XT_INIT_TILE(Y, of(now.type), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols));
    xt_tile z = XT_INIT_TILE(Z, of(now.type), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols));
    xt_vec v = XT_LOAD_TILE(z);
    XT_STORE_TILE(XT_LOAD_TILE(x, .padding = 77), y);
    XT_STORE_TILE(v, x);
    if (now.type.type == CM_F32) XT_ATOMIC_RMW(addf, v, x);
    if (now.type.type == CM_I32) XT_ATOMIC_RMW(addi, v, x);
}

static void check_beyond(int type, int rows, int cols, uint32_t m, uint32_t n, uint32_t pitch, int row, int col)
{
    size_t tile = (size_t)(rows * cols);
    void *x = new_poison(type, 2 * APRON), *y = new_poison(type, tile), *z = new_matrix(type, tile);
    unsigned char padding[8];
    int wrong = 0;
    reset(type, rows, cols, 1, 1);
    put(type, padding, 0, 77);
    if (RUN_KERNEL(beyond, &variants[0], ONE_GROUP, ADDRESS((char *)x + APRON * size_of(type)), ADDRESS(y), ADDRESS(z),
                   ZED_ARG(m), ZED_ARG(n), ZED_ARG(pitch), ZED_ARG(row), ZED_ARG(col))) {
        for (size_t k = 0; k < tile; k++) wrong += differs(type, y, k, padding, 0);
        for (size_t k = 0; k < 2 * APRON; k++) wrong += !poisoned(type, x, k);
    }
    CHECK_MSG(wrong == 0, "%s %d x %d of %u x %u, pitch %u, at %d, %d: %d wrong", type_name(type), rows, cols,
              (unsigned)m, (unsigned)n, (unsigned)pitch, row, col, wrong);
    zed_free(&device, x);
    zed_free(&device, y);
    zed_free(&device, z);
}

/* They are read as i32, and a negative extent has no elements: loads give the padding, and stores nothing. In the
 * sample each tile has one type. */
TEST(extents_that_are_negative)
{
    static const uint32_t extents[][2] = {{8, 0xffffffff},          {0xffffffff, 8},          {0x80000000, 40},
                                          {40, 0x80000000},         {0xffffffff, 0xffffffff}, {0xb2d05e00, 0xb2d05e00},
                                          {0x80000000, 0x80000000}, {1, 0xffffff9c}};
    static const int tiles[][2] = {{8, 32}, {1, 17}, {12, 4}, {16, 16}}, types[] = {CM_F32, CM_I32, CM_U8, CM_F16};
    static const int places[][2] = {{0, 0}, {5, 100}, {-3, -5}, {0, INT32_MAX}, {INT32_MAX, 0}, {INT32_MIN, INT32_MIN}};
    int count = 0;
    for (size_t e = 0; e < sizeof extents / sizeof *extents; e++)
        for (size_t t = 0; t < 4; t++)
            for (size_t p = 0; p < sizeof places / sizeof *places; p++, count++)
                if (test_takes((int)(e + t + p), 4))
                    check_beyond(types[(e + p) % 4], tiles[t][0], tiles[t][1], extents[e][0], extents[e][1],
                                 APRON_PITCH, places[p][0], places[p][1]);
    CHECK(count > 100);
}

/* Lines that lie 2^31 elements and more apart, and would be addressed before the matrix. */
TEST(pitches_that_are_negative)
{
    static const uint32_t pitches[] = {0x80000000, 0xffffffff, 0xffffffc0, 0xb2d05e00};
    static const int tiles[][2] = {{8, 32}, {2, 17}, {12, 4}, {16, 16}}, types[] = {CM_F32, CM_I32, CM_U8, CM_F16};
    for (size_t i = 0; i < 4; i++)
        for (size_t t = 0; t < 4; t++)
            check_beyond(types[(i + t) % 4], tiles[t][0], tiles[t][1], 40, 100, pitches[i], (int)(t & 1), 0);
}

/* ---- mirrors of rows longer than 2^30, whose period needs 32 bits ---- */

enum { FAR = 1 << 30, EDGE = 64 };

XT_KERNEL(read_mirrored, u64(A), u64(C), i32(N), i32(At))
{
    xt_tile from = XT_INIT_TILE(A, u8, 1, EDGE, .offset = XT_AT(0, At), .shape = XT_AT(1, N));
    XT_STORE_TILE(XT_LOAD_TILE(from, .border = XT_BORDER_MIRROR),
                  XT_INIT_TILE(C, u8, 1, EDGE, .shape = XT_AT(1, EDGE)));
}

TEST(mirrors_of_long_rows)
{
    const int n = FAR + EDGE, places[] = {-EDGE / 2, FAR + EDGE / 2};
    uint8_t *a = (uint8_t *)zed_alloc(&device, ZED_SHARED, (size_t)n, 0), *c = (uint8_t *)new_poison(CM_U8, EDGE);
    if (!a) {
        zed_clear_error(&device);
        SKIP("the device allocates less than a gigabyte");
    }
    for (int i = 0; i < EDGE; i++) a[i] = (uint8_t)test_random(), a[FAR + i] = (uint8_t)test_random();
    for (int k = 0; k < 2; k++) {
        int at = places[k], wrong = 0;
        if (!RUN_KERNEL(read_mirrored, &variants[0], ONE_GROUP, ADDRESS(a), ADDRESS(c), ZED_ARG(n), ZED_ARG(at)))
            continue;
        for (int j = 0; j < EDGE; j++) {
            int from = at + j < 0 ? -(at + j) : at + j < n ? at + j : n - 2 - (at + j - n);
            wrong += c[j] != a[from];
        }
        CHECK_MSG(wrong == 0, "at %d: %d wrong", at, wrong);
        memset(c, 0xdb, EDGE);
    }
    zed_free(&device, a);
    zed_free(&device, c);
}

/* ---- extents and leading offsets that lie in memory, with messages and without ---- */

enum { LATE_ROWS = 16, LATE_COLS = 32, LATE_PITCH = 64, LATE_MATRICES = 3, LATE_LINES = 24 };

/* A tile of the matrix whose number, and number of lines, memory tells: stored as it is, and as what columns hold. */
XT_KERNEL(counted_in_memory, u64(A), u64(C), u64(D), ptr(i32, Numbers))
{
    xt_val which = XT_LOAD(Numbers, 0), lines = XT_LOAD(Numbers, 1), at = XT_LOAD(Numbers, 2);
    xt_index all = XT_AT(LATE_LINES * LATE_PITCH, LATE_PITCH, 1);
    xt_index columns = XT_AT(LATE_LINES * LATE_PITCH, 1, LATE_PITCH);
    xt_tile c = XT_INIT_TILE(C, f32, LATE_ROWS, LATE_COLS, .shape = XT_AT(LATE_ROWS, LATE_COLS));
    xt_tile d = XT_INIT_TILE(D, f32, LATE_COLS, LATE_ROWS, .shape = XT_AT(LATE_COLS, LATE_ROWS));
    xt_tile a = XT_INIT_TILE(A, f16, LATE_ROWS, LATE_COLS, .offset = XT_AT(which, at, 4), .strides = all,
                             .shape = XT_AT(LATE_MATRICES, lines, LATE_PITCH));
    xt_tile b = XT_INIT_TILE(A, f16, LATE_COLS, LATE_ROWS, .offset = XT_AT(which, 4, at), .strides = columns,
                             .shape = XT_AT(LATE_MATRICES, LATE_PITCH, lines), .order = {0, 1});
    XT_PREFETCH_TILE(a);
    XT_STORE_TILE(XT_CAST(f32, XT_LOAD_TILE(a)), c);
    XT_STORE_TILE(XT_CAST(f32, XT_LOAD_TILE(b)), d);
}

static void check_counted(const variant *v, int which, int lines, int at)
{
    uint16_t *a = (uint16_t *)new_matrix(CM_F16, LATE_MATRICES * LATE_LINES * LATE_PITCH);
    float *c = (float *)new_poison(CM_F32, LATE_ROWS * LATE_COLS);
    float *d = (float *)new_poison(CM_F32, LATE_ROWS * LATE_COLS);
    int32_t *numbers = (int32_t *)new_poison(CM_I32, 3), wrong = 0;
    numbers[0] = which, numbers[1] = lines, numbers[2] = at;
    if (RUN_KERNEL(counted_in_memory, v, ONE_GROUP, ADDRESS(a), ADDRESS(c), ADDRESS(d), ZED_ARG(numbers)))
        for (int i = 0; i < LATE_ROWS; i++)
            for (int j = 0; j < LATE_COLS; j++) {
                bool inside = which >= 0 && which < LATE_MATRICES && at + i >= 0 && at + i < lines;
                float want = 0;
                if (inside) want = (float)get(CM_F16, a, (size_t)((which * LATE_LINES + at + i) * LATE_PITCH + 4 + j));
                wrong += c[i * LATE_COLS + j] != want || d[j * LATE_ROWS + i] != want;
            }
    CHECK_MSG(wrong == 0, "%s: matrix %d, %d lines, from %d: %d wrong", v->name, which, lines, at, wrong);
    zed_free(&device, a), zed_free(&device, c), zed_free(&device, d), zed_free(&device, numbers);
}

TEST(lines_counted_in_memory)
{
    static const variant all[] = {{"default", 0, CM_AUTO, XT_PITCH_AUTO, 0},
                                  {"any_pitch", 0, CM_AUTO, XT_PITCH_ANY, 0}};
    static const variant aligned = {"aligned", 0, CM_AUTO, XT_PITCH_ALIGNED, 0};
    static const int lines[] = {-3, 0, 1, 7, LATE_LINES, INT32_MIN};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (int at = -5; at < LATE_LINES; at += 9) {
            for (int which = -1; which <= LATE_MATRICES; which++)
                for (int v = 0; v < 2; v++) check_counted(&all[v], which, lines[i], at);
            check_counted(&aligned, (int)i % LATE_MATRICES, lines[i], at); /* promises that there is such a matrix */
        }
    xt_module mod = XT_BUILD(counted_in_memory, &(xt_target){.name = "bmg"}, .pitch = XT_PITCH_AUTO);
    int messages = 0;
    for (size_t w = 5; w < mod.size / 4; w += mod.words[w] >> 16)
        messages += (mod.words[w] & 0xffff) == SPE_OpSubgroup2DBlockLoadINTEL ||
                    (mod.words[w] & 0xffff) == SPE_OpSubgroup2DBlockLoadTransposeINTEL;
    CHECK_MSG(messages >= 2, "%d messages load the tiles on bmg", messages);
    xt_free(&mod);
}

/* ---- a bf16 parameter is a number like others, computed with as an f32 ---- */

XT_KERNEL(bf16_numbers, ptr(f32, F), ptr(bf16, B), bf16(c))
{
    XT_STORE(XT_CAST(f32, c), F, 0);
    XT_STORE(XT_ADD(c, 0.001), F, 1);
    XT_STORE(F, 2, XT_MUL(c, c)); /* the other order */
    XT_IF (XT_GT(c, 1)) XT_STORE(5.0, F, 3);
    XT_STORE(c, B, 0);
    XT_STORE(XT_SUB(c, 0.001), B, 1); /* rounded */
}

TEST(bf16_parameters)
{
    const uint16_t given = 0x3fc9; /* 1.5703125 */
    const float c = 1.5703125f, want[] = {c, c + 0.001f, c * c, 5};
    float *f = (float *)new_poison(CM_F32, 4);
    uint16_t *b = (uint16_t *)new_poison(CM_BF16, 2);
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        if (!target_has(&variants[v])) continue;
        memset(f, 0xdb, 4 * sizeof *f), memset(b, 0xdb, 2 * sizeof *b);
        if (!RUN_KERNEL(bf16_numbers, &variants[v], ONE_GROUP, ZED_ARG(f), ZED_ARG(b), ZED_ARG(c))) continue;
        for (int i = 0; i < 4; i++) CHECK_MSG(f[i] == want[i], "%s: number %d is %g", variants[v].name, i, f[i]);
        CHECK_MSG(b[0] == given && b[1] == given, "%s: %x and %x", variants[v].name, b[0], b[1]);
    }
    zed_free(&device, f), zed_free(&device, b);
}

int main(void)
{
    if (!zed_open(&device, NULL)) {
        printf("%s\n", zed_get_error(&device)->text);
        return 1;
    }
    RUN(bases_of_three_and_four_dimensions);
    RUN(types_and_paddings);
    RUN(products_of_batches);
    RUN(local_memory);
    RUN(local_memory_in_large_pieces);
    RUN(gather_and_scatter);
    RUN(scatter_tiles_are_carried);
    RUN(values_that_advance_with_the_index);
    RUN(localities_are_cache_controls);
    RUN(a_prefetch_changes_nothing);
    RUN(blocks_between_stores_by_some_lanes);
    RUN(nothing_outside_is_touched);
    RUN(extents_that_are_negative);
    RUN(pitches_that_are_negative);
    RUN(mirrors_of_long_rows);
    RUN(lines_counted_in_memory);
    RUN(bf16_parameters);
    zed_close(&device);
    return test_report();
}
