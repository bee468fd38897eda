/* test_xetile_by_columns.c - products whose A (or A and B) is stored by columns: every type, at both levels, in pieces
 * of odd sizes, before, across and beyond the edges, with pitches that 2D block messages support and with others. On
 * the software device an inaccessible page follows each operand. */
#include "xetile_case.h"

typedef struct {
    int type, result;    /* of A and B; of C */
    int m, n, k, steps;  /* the tile of C; k values a step */
    bool b_too;          /* B is stored by columns as well */
    xt_map map;          /* of C */
    int row, col, from;  /* where the product starts: row of A, column of B, k */
    int M, N, K, extra;  /* of the matrices; elements behind each line of memory */
} product_case;

static product_case now;
static chosen element, sum;

XT_KERNEL(multiply, u64(A), u64(B), u64(C), i32(ROW), i32(COL), i32(FROM), i32(M), i32(N), i32(K), i32(LINE_A),
          i32(LINE_B))
{
    bool mapped = now.map.sg_layout[0] > 0;
    xt_map map_a = mapped ? xt_map_mma_a(&now.map, now.k) : now.map,
           map_b = mapped ? xt_map_mma_b(&now.map, now.k) : now.map;
    xt_tile a = window(XT_SELF, element, A, true, now.m, now.k, XT_AT(ROW, FROM), XT_AT(M, K), LINE_A, map_a);
    xt_tile b = window(XT_SELF, element, B, now.b_too, now.k, now.n, XT_AT(FROM, COL), XT_AT(K, N), LINE_B, map_b);
    xt_vec acc = XT_SPLAT(of(sum), now.m, now.n, 0, .map = now.map);
    XT_FOR (turn, 0, now.steps, 1, &a, &b, &acc) {
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, now.k);
        b = XT_UPDATE_TILE_OFFSET(b, now.k, 0);
    }
    XT_STORE_TILE(acc, XT_INIT_TILE(C, of(sum), now.m, now.n, .shape = XT_AT(now.m, now.n), .map = now.map));
}

/* Element (i, j) of a matrix of that shape, 0 outside. */
static double at(const void *base, bool by_columns, int line, int rows, int cols, int i, int j)
{
    if (i < 0 || j < 0 || i >= rows || j >= cols) return 0;
    return get(now.type, base, (size_t)(by_columns ? j : i) * (size_t)line + (size_t)(by_columns ? i : j));
}

/* Integers are exact. Floats: products are exact in f32, (k + 2) roundings of a sum of magnitudes. (tf32 has 10 bits,
 * so its products are exact too.) */
static void compare(const void *a, int line_a, const void *b, int line_b, const void *c)
{
    int wrong = 0, k = now.k * now.steps;
    for (int i = 0; i < now.m; i++)
        for (int j = 0; j < now.n; j++) {
            double want = 0, size = 0, got = get(now.result, c, (size_t)i * (size_t)now.n + (size_t)j), bound;
            for (int q = now.from; q < now.from + k; q++) {
                double p = at(a, true, line_a, now.M, now.K, now.row + i, q) *
                           at(b, now.b_too, line_b, now.K, now.N, q, now.col + j);
                want += p;
                size += fabs(p);
            }
            bound = is_float(now.result) ? (k + 2) * 0x1p-24 * size : 0;
            if (!(fabs(got - want) <= bound) && wrong++ == 0)
                test_fail(__FILE__, __LINE__, "%s %d x %d x %d x %d at %d,%d,%d: (%d, %d) is %.9g, want %.9g +- %.3g",
                          type_name(now.type), now.m, now.n, now.k, now.steps, now.row, now.col, now.from, i, j,
                          got, want, bound);
        }
    CHECK_MSG(wrong == 0, "%d elements are wrong", wrong);
}

/* Random elements, followed by an inaccessible page if the device accepts that (the base stays aligned to 64 bytes,
 * as block messages require). */
typedef struct {
    guarded g;
    void *data;
} operand;

static operand new_operand(size_t count)
{
    operand o = {{NULL, NULL, 0, 0}, NULL};
    size_t bytes = (count * size_of(now.type) + 63) / 64 * 64;
    if (!strcmp(device.target.name, "soft")) {
        o.g = guarded_new(bytes, true);
        o.data = o.g.data;
    } else {
        o.data = new_poison(now.type, count);
    }
    for (size_t i = 0; o.data && i < count; i++) put(now.type, o.data, i, sample(now.type));
    return o;
}

static void free_operand(operand *o)
{
    if (o->g.data)
        guarded_free(&o->g);
    else
        zed_free(&device, o->data);
}

static void check(const product_case *c)
{
    int line_a = c->M + c->extra, line_b = (c->b_too ? c->K : c->N) + c->extra;
    operand a, b;
    void *out;
    now = *c;
    element.type = c->type;
    sum.type = c->result;
    a = new_operand((size_t)line_a * (size_t)c->K - (size_t)c->extra);
    b = new_operand((size_t)line_b * (size_t)(c->b_too ? c->N : c->K) - (size_t)c->extra);
    out = new_poison(c->result, (size_t)(c->m * c->n));
    if (a.data && b.data && out &&
        RUN_KERNEL(multiply, &variants[0], ONE_GROUP, ADDRESS(a.data), ADDRESS(b.data), ADDRESS(out), ZED_ARG(c->row),
                   ZED_ARG(c->col), ZED_ARG(c->from), ZED_ARG(c->M), ZED_ARG(c->N), ZED_ARG(c->K), ZED_ARG(line_a),
                   ZED_ARG(line_b)))
        compare(a.data, line_a, b.data, line_b, out);
    free_operand(&a);
    free_operand(&b);
    zed_free(&device, out);
}

#define MAP(a, b, c, d) {{a, b}, {c, d}}
static const xt_map none = {{0, 0}, {0, 0}};
static const int types[][2] = {
    {CM_F16, CM_F32}, {CM_BF16, CM_F32}, {CM_I8, CM_I32}, {CM_U8, CM_I32}, {CM_TF32, CM_F32}};
enum { TYPES = sizeof types / sizeof types[0] };

/* Lines of memory are multiples of 16 bytes, and k starts at even and odd places: 2D block messages wherever the piece
 * allows. The tiles begin before K, reach over M and K, and lie behind them; M starts at multiples of four. In the
 * sample each type has one place, each of them another. */
TEST(a_subgroup)
{
    static const int sizes[][4] = {{16, 16, 32, 2}, {32, 32, 32, 1}, {8, 16, 64, 1}, {23, 16, 32, 2}, {1, 16, 32, 3}};
    static const int places[][3] = {{0, 0, 0}, {4, 0, 1}, {60, 3, -3}, {68, 16, 62}, {128, 0, 7}};
    for (int t = 0; t < TYPES; t++)
        for (int i = 0; i < 5; i++) {
            const int *s = sizes[(i + t) % 5], *p = places[i];
            product_case c = {types[t][0], types[t][1], s[0], s[1], s[2], s[3], i / 2 == 1, none, p[0], p[1], p[2],
                              80, 96, i == 3 ? 65 : 64, 0};
            if (c.b_too) c.K = 80; /* it is the length of lines then */
            if (test_takes(t + i, 5)) check(&c);
        }
}

/* Pieces distributed round-robin, shared pieces, pieces of six rows, lines that are longer than the matrix. In the
 * sample each type has one map of two. */
TEST(a_work_group)
{
    static const xt_map maps[] = {MAP(2, 2, 16, 16), MAP(2, 1, 8, 32), MAP(4, 2, 8, 16), MAP(1, 2, 6, 16)};
    for (int t = 0; t < TYPES; t++)
        for (int i = t % 2; i < 4; i += 2) {
            product_case c = {
                types[t][0], types[t][1], i == 3 ? 24 : 32, 32, 32, 2, i % 2 == 0, maps[i], 16, 0, i, 96, 64, 64, 64};
            if (test_takes(t / 2 + i / 2, 2)) check(&c);
        }
}

/* Unsuitable for 2D blocks: pitches that are not a multiple of 16 bytes, rows before the first of bytes. */
TEST(other_pitches)
{
    for (int t = 0; t < TYPES; t++) {
        product_case c = {types[t][0], types[t][1], 16, 16, 32, 2, t % 2 == 1, none, 0, 0, 0, 77, 83, 61, 1};
        check(&c);
        c.row = -4;
        c.M = 80;
        c.N = c.K = 96;
        c.extra = 0;
        check(&c);
    }
}

static int count_of(const xt_module *mod, uint32_t opcode)
{
    int count = 0;
    for (size_t w = 5; w < mod->size / 4; w += mod->words[w] >> 16) count += (mod->words[w] & 0xffff) == opcode;
    return count;
}

/* On devices that have them, A is loaded by transposing messages: as many as its piece has runs of eight dwords, in
 * each copy of the loop's body. The number of matrix instructions tells how many copies there are. */
TEST(messages)
{
    static const char *const names[] = {"pvc", "bmg", "lnl", "ptl"};
    static const struct {
        int type, result, m, k, products, wanted; /* matrix instructions, and messages, of one copy */
    } cases[] = {{CM_F16, CM_F32, 32, 32, 8, 4}, {CM_BF16, CM_F32, 8, 16, 1, 1}, {CM_I8, CM_I32, 32, 32, 4, 2},
                 {CM_U8, CM_I32, 8, 64, 2, 4},   {CM_TF32, CM_F32, 8, 16, 2, 1}};
    for (size_t d = 0; d < 4; d++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            product_case c = {
                cases[i].type, cases[i].result, cases[i].m, 16, cases[i].k, 1, false, none, 0, 0, 0, 0, 0, 0, 0};
            xt_module mod;
            int count, products;
            now = c;
            element.type = c.type;
            sum.type = c.result;
            mod = XT_BUILD(multiply, &(xt_target){.name = names[d]}, .pitch = XT_PITCH_ALIGNED);
            CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
            count = count_of(&mod, SPE_OpSubgroup2DBlockLoadTransposeINTEL);
            products = count_of(&mod, SPE_OpSubgroupMatrixMultiplyAccumulateINTEL);
            CHECK_MSG(count > 0 && count * cases[i].products == products * cases[i].wanted,
                      "%s %s: %d messages, %d matrix instructions; want %d for %d", names[d], type_name(c.type), count,
                      products, cases[i].wanted, cases[i].products);
            if (mod.words) test_save_spv(type_name(c.type), mod.words, mod.size);
            xt_free(&mod);
        }
}

int main(void)
{
    setenv("XETILE_SOFT_SYSTEM_MEMORY", "on", 0); /* guarded memory is none of the device's; XETILE_SOFT_CHECK */
    if (!zed_open(&device, NULL)) {
        printf("%s\n", zed_get_error(&device)->text);
        return 1;
    }
    RUN(a_subgroup);
    RUN(a_work_group);
    RUN(other_pitches);
    RUN(messages);
    zed_close(&device);
    return test_report();
}
