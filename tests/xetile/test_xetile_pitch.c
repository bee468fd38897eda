/* test_xetile_pitch.c - products with pitches that no 2D block message supports, built for an Intel device, where
 * operands then go through local memory: every type and order, edges, bases at odd elements, tiles at any offset,
 * pitches that no surface can have, nested loops, and NaNs beside every line. Elements outside are zeros, also where a
 * kernel uses the whole product. */
#include "xetile_case.h"

typedef struct {
    int type, result;
    xt_map map;                      /* of C; none: one subgroup */
    int m, n, k;                     /* tiles */
    bool by_columns[2];              /* A, B */
    int M, N, K;
    int beyond[2], before[2]; /* elements between lines, before the first */
    int from;                 /* the first row and column of C's tile */
} pitch_case;

static pitch_case now;
static chosen element, sum, held[2]; /* held: in memory */
static bool converted[2];            /* A, B: f32 in memory, converted after loading */
static bool turned;                  /* B's columns are lines that the kernel loads as rows, and transposes */
/* What the kernel copies to local memory itself: A, between barriers; A and B, to two buffers in turn; A, read back by
 * the subgroup that wrote it. */
static enum { NOTHING, BETWEEN, BUFFERS, OWN } copied;
static bool kept;                    /* the sum before a product is used after it, too */
static bool whole;                   /* C has all of the tile, and sums of its rows and columns follow */
enum { TURNS = 2 };

XT_KERNEL (pitched, u64(A), u64(B), u64(C), u32(M), u32(N), u32(K), u32(PITCH_A), u32(PITCH_B), i32(FROM))
{
    bool mapped = now.map.sg_layout[0] > 0;
    xt_val from = whole ? XT_MUL(FROM, 32) : now.from ? FROM : XT_ADD(0, 0); /* a known multiple, or not */
    xt_map a_map = mapped ? xt_map_mma_a(&now.map, now.k) : now.map,
           b_map = mapped ? xt_map_mma_b(&now.map, now.k) : now.map;
    xt_tile c = XT_INIT_TILE(C, of(sum), now.m, now.n, .offset = XT_AT(from, from), .shape = XT_AT(M, N),
                             .map = now.map);
    xt_vec acc = XT_SPLAT(of(sum), now.m, now.n, 0, .map = now.map);
    xt_map a_in = a_map, b_in = b_map; /* with buffers, each element is copied by one subgroup */
    xt_tile local[4] = {0};
    if (copied == BETWEEN || copied == OWN)
        local[0] = XT_INIT_TILE(XT_LOCAL(of(element), now.m * now.k), of(element), now.m, now.k,
                                .shape = XT_AT(now.m, now.k), .map = a_map, .inside = true);
    if (copied == BUFFERS) {
        xt_val buffer[] = {XT_LOCAL(of(element), 2 * now.m * now.k), XT_LOCAL(of(element), 2 * now.k * now.n)};
        a_in = XT_MAP(.sg_layout = {4, 1}, .sg_data = {now.m / 4, now.k});
        b_in = XT_MAP(.sg_layout = {1, 4}, .sg_data = {now.k, now.n / 4});
        for (int i = 0; i < 2; i++) {
            local[i] = XT_INIT_TILE(buffer[0], of(element), now.m, now.k, .shape = XT_AT(2 * now.m, now.k),
                                    .map = i ? a_map : a_in, .inside = true);
            local[2 + i] = XT_INIT_TILE(buffer[1], of(element), now.k, now.n, .shape = XT_AT(now.k, 2 * now.n),
                                        .strides = XT_AT(1, now.k), .order = {0, 1}, .map = i ? b_map : b_in,
                                        .inside = true);
        }
    }
    XT_FOR (turn, 0, TURNS, 1, &acc) {
        xt_tile a = window(XT_SELF, held[0], A, now.by_columns[0], now.m, now.k, XT_AT(from, 0), XT_AT(M, K), PITCH_A,
                           a_in);
        xt_tile b = window(XT_SELF, held[1], B, now.by_columns[1], now.k, now.n, XT_AT(0, from), XT_AT(K, N), PITCH_B,
                           b_in);
        if (turned)
            b = window(XT_SELF, held[1], B, false, now.n, now.k, XT_AT(from, 0), XT_AT(N, K), PITCH_B,
                       xt_map_transpose(&b_in));
        XT_FOR (k, 0, K, now.k, &a, &b, &acc) {
            xt_vec va = XT_LOAD_TILE(a), vb = XT_LOAD_TILE(b);
            if (turned) vb = XT_TRANSPOSE(vb);
            if (converted[0]) va = XT_CAST(of(element), va);
            if (converted[1]) vb = XT_CAST(of(element), vb);
            if (copied == BETWEEN || copied == OWN) {
                if (copied == BETWEEN) XT_BARRIER();
                XT_STORE_TILE(va, local[0]);
                if (copied == BETWEEN) XT_BARRIER();
                va = XT_LOAD_TILE(local[0]);
            }
            if (copied == BUFFERS) {
                xt_val buffer = XT_MOD(XT_ADD(XT_DIV(k, now.k), XT_MUL(turn, XT_DIV(XT_ADD(K, now.k - 1), now.k))), 2);
                XT_STORE_TILE(va, XT_UPDATE_TILE_OFFSET(local[0], XT_MUL(buffer, now.m), 0));
                XT_STORE_TILE(vb, XT_UPDATE_TILE_OFFSET(local[2], 0, XT_MUL(buffer, now.n)));
                XT_BARRIER();
                va = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(local[1], XT_MUL(buffer, now.m), 0));
                vb = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(local[3], 0, XT_MUL(buffer, now.n)));
            }
            xt_vec before = acc;
            acc = XT_TILE_MMA(va, vb, acc);
            if (kept) acc = XT_SUB(XT_ADD(acc, before), before);
            a = XT_UPDATE_TILE_OFFSET(a, 0, now.k);
            b = XT_UPDATE_TILE_OFFSET(b, turned ? 0 : now.k, turned ? now.k : 0);
        }
    }
    if (whole) {
        chosen t = {sum.type};
        xt_val rows = XT_ADD(C, now.m * now.n * 4), columns = XT_ADD(rows, now.m * 4);
        c = XT_INIT_TILE(C, of(t), now.m, now.n, .shape = XT_AT(now.m, now.n));
        XT_STORE_TILE(XT_REDUCTION(add, acc, 1), XT_INIT_TILE(rows, of(t), now.m, 1, .shape = XT_AT(now.m, 1)));
        XT_STORE_TILE(XT_REDUCTION(add, acc, 0), XT_INIT_TILE(columns, of(t), 1, now.n, .shape = XT_AT(1, now.n)));
    }
    XT_STORE_TILE(acc, c);
}

/* A matrix in memory: `lines` of `along` elements, with NaN or random values between them. at: element (row, col). */
typedef struct {
    unsigned char *memory, *first;
    bool by_columns;
    int pitch;
} stored;

static size_t place(const stored *s, int row, int col)
{
    return s->by_columns ? (size_t)col * (size_t)s->pitch + (size_t)row : (size_t)row * (size_t)s->pitch + (size_t)col;
}

static stored store(int which, int rows, int cols)
{
    const pitch_case *t = &now;
    int lines = t->by_columns[which] ? cols : rows, along = t->by_columns[which] ? rows : cols;
    stored s = {NULL, NULL, t->by_columns[which], along + t->beyond[which]};
    int type = held[which].type;
    size_t count = (size_t)t->before[which] + (size_t)(lines - 1) * (size_t)s.pitch + (size_t)along;
    s.memory = (unsigned char *)zed_alloc(&device, ZED_SHARED, count * size_of(type), 0);
    memset(s.memory, 0xff, count * size_of(type));
    s.first = s.memory + (size_t)t->before[which] * size_of(type);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) put(type, s.first, place(&s, i, j), sample(type));
    return s;
}

/* As the product takes it: rounded, if it was converted. */
static double operand(const stored *s, int which, size_t at)
{
    unsigned char rounded[4];
    double v = get(held[which].type, s->first, at);
    put(now.type, rounded, 0, v);
    return get(now.type, rounded, 0);
}

/* Integers are exact. Floats: products are exact in f32, (TURNS K + 2) roundings of a sum of magnitudes. */
static void compare(const stored *a, const stored *b, const void *c)
{
    const pitch_case *t = &now;
    int wrong = 0;
    for (int i = 0; i < t->M; i++)
        for (int j = 0; j < t->N; j++) {
            size_t at = (size_t)i * (size_t)t->N + (size_t)j;
            bool there = i >= t->from && j >= t->from && i < t->from + t->m && j < t->from + t->n;
            double want = 0, size = 0;
            for (int k = 0; there && k < t->K; k++) {
                double p = operand(a, 0, place(a, i, k)) * operand(b, 1, place(b, k, j));
                want += TURNS * p;
                size += TURNS * fabs(p);
            }
            if (there)
                wrong += !(fabs(get(t->result, c, at) - want) <=
                           (is_float(t->result) ? (TURNS * t->K + 2) * 0x1p-24 * size : 0));
            else
                wrong += !poisoned(t->result, c, at);
        }
    CHECK_MSG(wrong == 0, "%s %d x %d x %d, pitches %d and %d: %d elements are wrong", type_name(t->type), t->M, t->N,
              t->K, a->pitch, b->pitch, wrong);
}

/* The same for all of the tile and its sums: zero outside. */
static void compare_whole(const stored *a, const stored *b, const void *c)
{
    const pitch_case *t = &now;
    double want[96] = {0}, size[96] = {0}; /* sums of rows, then of columns */
    const double unit = is_float(t->result) ? 0x1p-24 : 0;
    int wrong = 0;
    for (int i = 0; i < t->m; i++)
        for (int j = 0; j < t->n; j++) {
            double v = 0, of = 0;
            for (int k = 0; i + t->from < t->M && j + t->from < t->N && k < t->K; k++) {
                double p = operand(a, 0, place(a, i + t->from, k)) * operand(b, 1, place(b, k, j + t->from));
                v += TURNS * p;
                of += TURNS * fabs(p);
            }
            wrong += !(fabs(get(t->result, c, (size_t)(i * t->n + j)) - v) <= (t->K * TURNS + 2) * unit * of);
            want[i] += v, want[t->m + j] += v;
            size[i] += of, size[t->m + j] += of;
        }
    for (int i = 0; i < t->m + t->n; i++) {
        double got = get(t->result, c, (size_t)(t->m * t->n + i));
        wrong += !(fabs(got - want[i]) <= (TURNS * t->K + t->m + t->n) * unit * size[i]);
    }
    CHECK_MSG(wrong == 0, "%s %d x %d x %d, pitches %d and %d: %d elements of the whole tile are wrong",
              type_name(t->type), t->M, t->N, t->K, a->pitch, b->pitch, wrong);
}

/* Software devices that model no other get a module built for another target. */
static bool load(zed_kernel *kernel, const xt_kernel *body, xt_pitch pitch)
{
    xt_target target = {ZED_TARGET(&device)};
    bool soft = strcmp(target.name, "soft") == 0;
    if (soft) target.name = "bmg";
    if (soft) target.subgroup_sizes = 16;
    xt_module mod = XT_BUILD(*body, &target, .pitch = pitch);
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    if (!mod.words) return false;
    test_save_spv("xetile_pitched", mod.words, mod.size);
    ZED_LOAD(kernel, &device, mod);
    xt_free(&mod);
    return true;
}

static void launch(zed_kernel *kernel, const zed_arg *args, uint32_t count)
{
    zed_launch_n(kernel, ONE_GROUP, args, count);
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s", zed_get_error(&device)->text);
    zed_clear_error(&device);
}

static void launch_pitched(const stored *a, const stored *b, void *out)
{
    zed_kernel kernel;
    const int from = whole ? now.from / 32 : now.from;
    const zed_arg args[] = {ADDRESS(a->first), ADDRESS(b->first), ADDRESS(out),
                            ZED_ARG(now.M),    ZED_ARG(now.N),    ZED_ARG(now.K),
                            ZED_ARG(a->pitch), ZED_ARG(b->pitch), ZED_ARG(from)};
    if (load(&kernel, &pitched, XT_PITCH_ANY)) launch(&kernel, args, sizeof args / sizeof args[0]);
}

static void check(pitch_case c)
{
    stored a, b;
    void *out;
    now = c;
    element.type = c.type;
    for (int i = 0; i < 2; i++) held[i].type = converted[i] ? CM_F32 : c.type;
    sum.type = c.result;
    a = store(0, c.M, c.K);
    b = store(1, c.K, c.N);
    out = new_poison(c.result, whole ? (size_t)(c.m * c.n + c.m + c.n) : (size_t)(c.M * c.N));
    launch_pitched(&a, &b, out);
    if (whole) compare_whole(&a, &b, out);
    else compare(&a, &b, out);
    zed_free(&device, a.memory);
    zed_free(&device, b.memory);
    zed_free(&device, out);
}

/* What differs from other cases only in how their parts are combined is not in the sample. */
static void rarely(pitch_case c)
{
    if (test_thorough()) check(c);
}

#define MAP(a, b, c, d) {{a, b}, {c, d}}
#define WHOLE MAP(0, 0, 0, 0)
#define GROUP MAP(2, 2, 32, 32)
#define TALL MAP(2, 2, 64, 32)
#define BROAD MAP(2, 2, 32, 64)

TEST(rows)
{
    check((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {0, 0}, 70, 67, 45, {0, 0}, {0, 0}, 0});
    rarely((pitch_case){CM_BF16, CM_F32, GROUP, 64, 64, 32, {0, 0}, 61, 63, 75, {3, 2}, {1, 3}, 0});
    rarely((pitch_case){CM_I8, CM_I32, WHOLE, 32, 64, 32, {0, 0}, 33, 61, 71, {0, 0}, {1, 2}, 0});
    check((pitch_case){CM_U8, CM_I32, GROUP, 64, 64, 64, {0, 0}, 67, 66, 77, {1, 4}, {3, 0}, 0});
    rarely((pitch_case){CM_TF32, CM_F32, GROUP, 64, 64, 16, {0, 0}, 50, 41, 37, {0, 1}, {1, 3}, 0});
}

TEST(columns)
{
    rarely((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {1, 0}, 67, 70, 45, {0, 0}, {1, 0}, 0});
    rarely((pitch_case){CM_BF16, CM_F32, WHOLE, 32, 64, 32, {0, 1}, 30, 67, 45, {0, 0}, {0, 1}, 0});
    check((pitch_case){CM_I8, CM_I32, GROUP, 64, 64, 32, {1, 1}, 61, 66, 45, {2, 0}, {0, 3}, 0});
    rarely((pitch_case){CM_TF32, CM_F32, GROUP, 64, 64, 16, {1, 1}, 66, 61, 21, {0, 0}, {0, 1}, 0});
}

/* Enough lines along k for each lane to load one. */
TEST(a_line_for_each_lane)
{
    rarely((pitch_case){CM_F16, CM_F32, TALL, 128, 64, 32, {0, 0}, 131, 61, 75, {0, 0}, {1, 0}, 0});
    check((pitch_case){CM_BF16, CM_F32, BROAD, 64, 128, 64, {0, 1}, 65, 127, 85, {0, 1}, {3, 1}, 0});
    check((pitch_case){CM_TF32, CM_F32, TALL, 128, 64, 16, {0, 1}, 131, 61, 37, {0, 1}, {1, 3}, 5});
}

/* Operands that do not fit in the registers: they are loaded slice by slice. */
TEST(deep_tiles)
{
    rarely((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 256, {0, 0}, 67, 70, 301, {0, 0}, {1, 0}, 0});
    check((pitch_case){CM_BF16, CM_F32, GROUP, 64, 64, 256, {1, 1}, 61, 66, 265, {1, 0}, {0, 1}, 3});
    rarely((pitch_case){CM_I8, CM_I32, WHOLE, 32, 64, 128, {0, 1}, 33, 61, 171, {0, 0}, {1, 2}, 0});
    rarely((pitch_case){CM_TF32, CM_F32, GROUP, 64, 64, 128, {0, 0}, 50, 41, 137, {0, 1}, {1, 3}, 0});
    check((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 256, {0, 0}, 9, 5, 3, {0, 0}, {0, 0}, 0});
    kept = true;
    check((pitch_case){CM_I8, CM_I32, WHOLE, 32, 64, 256, {0, 0}, 33, 61, 271, {0, 0}, {1, 2}, 0});
    kept = false;
}

/* Loops that copy the operands of several iterations together, and iterations that are left; slices, two at a time. */
TEST(several_turns)
{
    check((pitch_case){CM_F16, CM_F32, WHOLE, 8, 16, 16, {0, 0}, 9, 17, 173, {0, 0}, {1, 0}, 0});
    rarely((pitch_case){CM_BF16, CM_F32, WHOLE, 16, 32, 16, {1, 0}, 16, 33, 97, {1, 0}, {0, 1}, 0});
    check((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {0, 1}, 65, 67, 165, {0, 0}, {1, 0}, 0});
    rarely((pitch_case){CM_U8, CM_I32, GROUP, 64, 64, 32, {0, 0}, 67, 66, 229, {1, 4}, {3, 0}, 0});
    rarely((pitch_case){CM_TF32, CM_F32, GROUP, 64, 64, 8, {0, 0}, 50, 41, 77, {0, 1}, {1, 3}, 3});
    check((pitch_case){CM_F16, CM_F32, WHOLE, 32, 64, 128, {0, 0}, 33, 65, 300, {0, 0}, {1, 0}, 0});
    turned = true;
    rarely((pitch_case){CM_F16, CM_F32, WHOLE, 16, 32, 16, {0, 1}, 17, 33, 75, {0, 1}, {0, 1}, 0});
    turned = false;
    rarely((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {0, 0}, 9, 5, 3, {0, 0}, {0, 0}, 0});
    check((pitch_case){CM_F16, CM_F32, WHOLE, 8, 16, 16, {0, 0}, 5, 7, 3, {0, 0}, {1, 0}, 0});
}

/* Columns that are no multiple of sixteen, along lines and across them. */
TEST(narrow_tiles)
{
    rarely((pitch_case){CM_F16, CM_F32, WHOLE, 32, 30, 32, {0, 0}, 33, 61, 75, {0, 0}, {1, 0}, 0});
    check((pitch_case){CM_BF16, CM_F32, WHOLE, 32, 24, 32, {0, 1}, 33, 23, 35, {0, 1}, {0, 1}, 0});
    check((pitch_case){CM_I8, CM_I32, WHOLE, 12, 40, 32, {0, 0}, 33, 61, 45, {0, 0}, {1, 2}, 3});
}

/* f32 in memory, converted on the way to local memory: a line for each lane, lines across k, and both from columns. */
TEST(conversions)
{
    converted[0] = true, converted[1] = true;
    rarely((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {0, 0}, 70, 67, 45, {0, 0}, {1, 0}, 0});
    check((pitch_case){CM_BF16, CM_F32, GROUP, 64, 64, 32, {0, 0}, 61, 63, 75, {3, 2}, {1, 3}, 5});
    rarely((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {1, 1}, 67, 70, 45, {1, 0}, {1, 0}, 0});
    converted[0] = false, converted[1] = true;
    rarely((pitch_case){CM_BF16, CM_F32, BROAD, 64, 128, 32, {0, 0}, 65, 127, 85, {1, 1}, {3, 1}, 0});
    converted[0] = true, converted[1] = false;
    check((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 256, {0, 0}, 67, 70, 301, {0, 0}, {1, 0}, 0});
    converted[0] = true, converted[1] = true;
    rarely((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {0, 0}, 9, 5, 3, {0, 0}, {0, 0}, 0});
    converted[0] = converted[1] = false;
}

/* Loads in a loop that are no operands: stored in local memory by the kernel. */
TEST(copies)
{
    copied = BETWEEN;
    check((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {0, 0}, 70, 67, 45, {0, 0}, {1, 0}, 0});
    rarely((pitch_case){CM_BF16, CM_F32, TALL, 128, 64, 32, {1, 0}, 131, 61, 75, {0, 0}, {1, 0}, 5});
    rarely((pitch_case){CM_BF16, CM_F32, WHOLE, 12, 40, 32, {0, 1}, 33, 61, 45, {0, 0}, {1, 2}, 3});
    rarely((pitch_case){CM_I8, CM_I32, GROUP, 64, 64, 32, {0, 0}, 70, 67, 45, {0, 0}, {1, 0}, 0});
    rarely((pitch_case){CM_TF32, CM_F32, GROUP, 64, 64, 32, {0, 0}, 70, 67, 45, {0, 0}, {1, 0}, 0});
    copied = OWN;
    check((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {0, 0}, 70, 67, 45, {0, 0}, {1, 0}, 0});
    copied = BUFFERS;
    rarely((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {0, 0}, 70, 67, 75, {0, 0}, {1, 0}, 0});
    check((pitch_case){CM_BF16, CM_F32, GROUP, 64, 64, 32, {1, 1}, 61, 66, 101, {1, 0}, {0, 1}, 5});
    check((pitch_case){CM_I8, CM_I32, GROUP, 64, 64, 32, {0, 1}, 67, 66, 77, {1, 4}, {3, 0}, 0});
    rarely((pitch_case){CM_U8, CM_I32, GROUP, 64, 64, 64, {1, 0}, 67, 66, 177, {1, 4}, {3, 0}, 3});
    rarely((pitch_case){CM_TF32, CM_F32, GROUP, 64, 64, 16, {0, 0}, 50, 41, 37, {0, 1}, {1, 3}, 0});
    rarely((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {0, 0}, 9, 5, 3, {0, 0}, {0, 0}, 0});
    turned = true;
    check((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {0, 1}, 70, 67, 75, {0, 0}, {1, 0}, 0});
    turned = false;
    converted[0] = converted[1] = true;
    rarely((pitch_case){CM_BF16, CM_F32, GROUP, 64, 64, 32, {0, 0}, 61, 63, 75, {3, 2}, {1, 3}, 5});
    converted[0] = converted[1] = false;
    copied = NOTHING;
}

TEST(transposed_by_the_kernel)
{
    turned = true;
    rarely((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {0, 1}, 70, 67, 45, {0, 0}, {1, 0}, 0});
    check((pitch_case){CM_BF16, CM_F32, WHOLE, 32, 64, 32, {0, 1}, 33, 61, 75, {0, 1}, {0, 1}, 3});
    turned = false;
}

/* A subgroup alone. Tiles inside, and partly outside: by an element, or by half a dword. */
TEST(a_subgroup_alone)
{
    static const int sizes[][2] = {{65, 97}, {64, 96}, {63, 95}, {37, 41}, {34, 96}, {64, 70}, {38, 46}};
    static const int beyond[][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 2}}, before[][2] = {{0, 0}, {2, 2}, {1, 0}};
    whole = true;
    for (int columns = 0; columns < 2; columns++)
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 5; j++) {
                pitch_case c = {CM_F16, CM_F32, WHOLE, 32, 64, 32, {columns, columns}, sizes[i][0], sizes[i][1],
                                j < 4 ? 45 : 46, {0, 0}, {0, 0}, j == 3 ? 0 : 32};
                for (int k = 0; k < 2; k++) {
                    int along = columns ? k ? c.K : c.M : k ? c.N : c.K;
                    c.beyond[k] = along % 2 + beyond[j][k]; /* even and odd pitches */
                    c.before[k] = before[(i + j) % 3][k];
                }
                check(c);
            }
    for (int i = 0; i < 5; i++)
        check((pitch_case){CM_I8, CM_I32, WHOLE, 32, 64, 64, {0, 0}, 36, 76, 72, {4 * beyond[i][0], i % 2},
                           {0, i < 4 ? 4 : 3}, 32});
    whole = false;
}

TEST(tiles_begin_anywhere)
{
    rarely((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {0, 0}, 70, 67, 45, {0, 0}, {0, 1}, 5});
    check((pitch_case){CM_I8, CM_I32, GROUP, 64, 64, 32, {0, 1}, 90, 85, 33, {0, 0}, {1, 0}, 11});
}

TEST(surfaces_cannot_have_these_pitches)
{
    check((pitch_case){CM_F16, CM_F32, GROUP, 64, 64, 32, {0, 0}, 9, 5, 3, {0, 0}, {0, 0}, 0});
    check((pitch_case){CM_I8, CM_I32, GROUP, 64, 64, 32, {0, 1}, 3, 2, 40, {1 << 20, 0}, {0, 0}, 0});
}

/* ---- operands next to inaccessible pages ---- */

enum { EDGE = 32 }; /* sides of the tiles */
static struct {
    chosen type, result;
    bool columns[2], group;
} edge;

/* Tiles that begin before their matrices along k, or end behind them. */
XT_KERNEL(at_the_edges, u64(A), u64(B), ptr(f32, C), ptr(i32, D), i32(M), i32(N), i32(K), i32(PA), i32(PB), i32(AT))
{
    const xt_map none = {{0, 0}, {0, 0}}, map = edge.group ? XT_MAP(.sg_layout = {2, 2}, .sg_data = {16, 16}) : none;
    xt_map map_a = edge.group ? xt_map_mma_a(&map, EDGE) : none, map_b = edge.group ? xt_map_mma_b(&map, EDGE) : none;
    xt_tile a = window(XT_SELF, edge.type, A, edge.columns[0], EDGE, EDGE, XT_AT(0, AT), XT_AT(M, K), PA, map_a);
    xt_tile b = window(XT_SELF, edge.type, B, edge.columns[1], EDGE, EDGE, XT_AT(AT, 0), XT_AT(K, N), PB, map_b);
    xt_vec c = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b));
    XT_STORE_TILE(c, XT_INIT_TILE(edge.result.type == CM_F32 ? C : D, of(edge.result), EDGE, EDGE,
                                  .shape = XT_AT(EDGE, EDGE), .map = map));
}

/* A rows x cols matrix of lines that are `pitch` apart. */
static guarded edge_matrix(int lines, int along, int pitch, bool at_end)
{
    size_t count = (size_t)(lines - 1) * (size_t)pitch + (size_t)along;
    guarded g = guarded_new(count * size_of(edge.type.type), at_end);
    for (size_t i = 0; i < count; i++) put(edge.type.type, g.data, i, sample(edge.type.type));
    return g;
}

static double edge_element(const guarded *g, bool columns, int row, int col, int rows, int cols, int pitch)
{
    if (row < 0 || row >= rows || col < 0 || col >= cols) return 0;
    return get(edge.type.type, g->data, (size_t)(columns ? col * pitch + row : row * pitch + col));
}

static void check_edge(zed_kernel *kernel, int M, int N, int K, int pad, int at, bool at_end)
{
    int PA = (edge.columns[0] ? M : K) + pad, PB = (edge.columns[1] ? K : N) + pad, wrong = 0;
    guarded a = edge_matrix(edge.columns[0] ? K : M, edge.columns[0] ? M : K, PA, at_end);
    guarded b = edge_matrix(edge.columns[1] ? N : K, edge.columns[1] ? K : N, PB, at_end);
    int type = edge.result.type;
    void *c = new_poison(type, EDGE * EDGE);
    const zed_arg args[] = {ADDRESS(a.data), ADDRESS(b.data), ZED_ARG((float *)c), ZED_ARG((int32_t *)c), ZED_ARG(M),
                            ZED_ARG(N),      ZED_ARG(K),      ZED_ARG(PA),         ZED_ARG(PB),           ZED_ARG(at)};
    launch(kernel, args, sizeof args / sizeof args[0]);
    for (int i = 0; i < EDGE; i++)
        for (int j = 0; j < EDGE; j++) {
            double sum = 0, all = 0;
            for (int k = at; k < at + EDGE; k++) {
                double p = edge_element(&a, edge.columns[0], i, k, M, K, PA) *
                           edge_element(&b, edge.columns[1], k, j, K, N, PB);
                sum += p, all += fabs(p);
            }
            /* 32 sums in f32, of products that it holds exactly */
            wrong += !(fabs(get(type, c, (size_t)(i * EDGE + j)) - sum) <= all * EDGE * 0x1p-24);
        }
    CHECK_MSG(wrong == 0, "%d x %d x %d, pad %d, from %d, columns %d %d, group %d, end %d: %d wrong", M, N, K, pad, at,
              edge.columns[0], edge.columns[1], edge.group, at_end, wrong);
    CHECK(guarded_free(&a));
    CHECK(guarded_free(&b));
    zed_free(&device, c);
}

TEST(nothing_outside_of_operands_is_read)
{
    if (strcmp(device.target.name, "soft")) SKIP("only the software device takes memory of the program's own");
    static const int sizes[][3] = {{37, 41, 65}, {32, 64, 96}, {5, 3, 7}};
    for (int form = 0; form < 10; form++) { /* two types, four orders of f16, two of i8, alone and in a group */
        bool bytes = form >= 8;
        edge.type.type = bytes ? CM_I8 : CM_F16;
        edge.result.type = bytes ? CM_I32 : CM_F32;
        edge.columns[0] = form & 1;
        edge.columns[1] = bytes ? form & 1 : form >> 1 & 1;
        edge.group = bytes || form & 4;
        for (int version = 0; version < 2; version++) {
            zed_kernel kernel;
            if (!test_takes(form + version * 3, 6) ||
                !load(&kernel, &at_the_edges, version ? XT_PITCH_ANY : XT_PITCH_AUTO))
                continue;
            for (int i = 0; i < 3; i++)
                for (int at = -45; at < sizes[i][2]; at += 14)
                    for (int pad = version; pad < 3; pad++)
                        check_edge(&kernel, sizes[i][0], sizes[i][1], sizes[i][2], pad + (pad & at & 2), at,
                                   (at + pad + form) & 1);
        }
    }
}

int main(void)
{
    if (!zed_open(&device, NULL)) {
        printf("%s\n", zed_get_error(&device)->text);
        return 1;
    }
    RUN(rows);
    RUN(columns);
    RUN(a_line_for_each_lane);
    RUN(deep_tiles);
    RUN(several_turns);
    RUN(narrow_tiles);
    RUN(conversions);
    RUN(copies);
    RUN(transposed_by_the_kernel);
    RUN(a_subgroup_alone);
    RUN(tiles_begin_anywhere);
    RUN(surfaces_cannot_have_these_pitches);
    RUN(nothing_outside_of_operands_is_read);
    zed_close(&device);
    return test_report();
}
