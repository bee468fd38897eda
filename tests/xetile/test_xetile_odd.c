/* test_xetile_odd.c - products of pieces whose sides are not multiples of the sizes of memory messages and matrix
 * instructions: elements beside a piece in its matrix, here NaNs, must neither enter sums and reductions nor be
 * overwritten. */
#include "xetile_case.h"

/* An operand's form: as stored, transposed in the kernel, stored by columns, through local memory. */
typedef enum { PLAIN, TURNED, COLUMNS, LOCAL } form;

typedef struct {
    int type, result;
    int m, n, k; /* of a piece; the matrices are wider */
    form a, b;
    xt_map map; /* of C */
    int whole;  /* 1: the matrices are no larger than what the kernel uses, and tiles declare it */
} odd_case;

static odd_case now;
static chosen element, sum, rounded;
enum { STEPS = 2 };

static xt_vec operand(XT_CONTEXT, form how, xt_val base, int rows, int cols, xt_val i, xt_val j, xt_val height,
                      xt_val width, xt_map map)
{
    if (how == TURNED)
        return XT_TRANSPOSE(XT_LOAD_TILE(XT_INIT_TILE(base, of(element), cols, rows, .offset = XT_AT(j, i),
                                                      .shape = XT_AT(width, height), .map = xt_map_transpose(&map))));
    xt_tile t = how == COLUMNS ? XT_INIT_TILE(base, of(element), rows, cols, .offset = XT_AT(i, j), .map = map,
                                              .shape = XT_AT(height, width), .order = {0, 1})
                               : XT_INIT_TILE(base, of(element), rows, cols, .offset = XT_AT(i, j), .map = map,
                                              .shape = XT_AT(height, width), .inside = now.whole == 1);
    xt_vec v = XT_LOAD_TILE(t);
    if (how != LOCAL) return v;
    xt_tile local = XT_INIT_TILE(XT_LOCAL(of(element), rows * cols), of(element), rows, cols, .map = map,
                                 .shape = XT_AT(rows, cols), .inside = true);
    XT_BARRIER();
    XT_STORE_TILE(v, local);
    XT_BARRIER();
    return XT_LOAD_TILE(local);
}

XT_KERNEL (odd, u64(A), u64(B), u64(C), u64(R), u64(S), u64(H), u32(M), u32(N), u32(K))
{
    const int m = now.m, n = now.n, k = now.k;
    const bool mapped = now.map.sg_layout[0] > 0;
    const xt_map none = {{0, 0}, {0, 0}}, a_map = mapped ? xt_map_mma_a(&now.map, k) : none,
                 b_map = mapped ? xt_map_mma_b(&now.map, k) : none;
    xt_val zero = XT_ADD(0, 0);
    xt_vec acc = XT_SPLAT(of(sum), m, n, 0, .map = now.map);
    XT_FOR (z, 0, STEPS * k, k, &acc) {
        xt_vec a = operand(XT_SELF, now.a, A, m, k, zero, z, M, K, a_map);
        xt_vec b = operand(XT_SELF, now.b, B, k, n, z, zero, K, N, b_map);
        acc = XT_TILE_MMA(a, b, acc);
    }
    XT_STORE_TILE(acc, XT_INIT_TILE(C, of(sum), m, n, .shape = XT_AT(M, N), .map = now.map));
    XT_STORE_TILE(XT_CAST(of(rounded), acc), XT_INIT_TILE(H, of(rounded), m, n, .shape = XT_AT(M, N), .map = now.map));
    if (mapped) return;
    acc = XT_SUB(acc, XT_BROADCAST(XT_SPLAT(of(sum), m, 1, 3), 1, n));
    XT_STORE_TILE(XT_REDUCTION(add, acc, 1), XT_INIT_TILE(R, of(sum), m, 1, .shape = XT_AT(m, 1)));
    XT_STORE_TILE(XT_REDUCTION(add, acc, 0), XT_INIT_TILE(S, of(sum), 1, n, .shape = XT_AT(1, n)));
}

/* A matrix wider than a piece, with rows that messages support: a multiple of 16 bytes, at least 64. */
static int side_of(int n) { return now.whole ? n : n < 48 ? 64 : n / 16 * 16 + 16; }

/* rows x cols elements, those from (used_rows, used_cols) on NaNs, or for integers anything; by columns where asked. */
static void *new_operand(int rows, int cols, int used_rows, int used_cols, bool by_columns)
{
    void *p = new_matrix(now.type, (size_t)(rows * cols));
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols && is_float(now.type); j++)
            if (i >= used_rows || j >= used_cols)
                put(now.type, p, (size_t)(by_columns ? j * rows + i : i * cols + j), (double)NAN);
    return p;
}

static double at(const void *p, int i, int j, int rows, int cols, bool by_columns)
{
    return get(now.type, p, (size_t)(by_columns ? j * rows + i : i * cols + j));
}

static double rounding(int type, double v) { return type == CM_F16 ? (fabs(v) + 0x1p-14) * 0x1p-11 : 0; }

/* Integers are exact. Floats: products are exact in f32, (K + 2) roundings of a sum of magnitudes; of sums of sums as
 * many more as there are. */
static void check_one(const variant *v)
{
    const odd_case *t = &now;
    int M = side_of(t->m), N = side_of(t->n), K = side_of(STEPS * t->k), wrong = 0;
    bool ac = t->a == COLUMNS, bt = t->b == TURNED, at_ = t->a == TURNED, bc = t->b == COLUMNS;
    void *a = new_operand(M, K, t->m, STEPS * t->k, ac || at_), *b = new_operand(K, N, STEPS * t->k, t->n, bc || bt);
    void *c = new_poison(t->result, (size_t)(M * N)), *h = new_poison(rounded.type, (size_t)(M * N));
    void *r = new_poison(t->result, (size_t)t->m), *s = new_poison(t->result, (size_t)t->n);
    double rows[128] = {0}, cols[128] = {0}, row_size[128] = {0}, col_size[128] = {0},
           unit = is_float(t->result) ? 0x1p-24 : 0;
    bool ran = RUN_KERNEL(odd, v, ONE_GROUP, ADDRESS(a), ADDRESS(b), ADDRESS(c), ADDRESS(r), ADDRESS(s), ADDRESS(h),
                          ZED_ARG(M), ZED_ARG(N), ZED_ARG(K));
    for (int i = 0; ran && i < M; i++)
        for (int j = 0; j < N; j++) {
            double want = 0, size = 0, allowed;
            size_t e = (size_t)i * (size_t)N + (size_t)j;
            if (i >= t->m || j >= t->n) {
                wrong += !poisoned(t->result, c, e) + !poisoned(rounded.type, h, e);
                continue;
            }
            for (int k = 0; k < STEPS * t->k; k++) {
                double p = at(a, i, k, M, K, ac || at_) * at(b, k, j, K, N, bc || bt);
                want += p, size += fabs(p);
            }
            allowed = (STEPS * t->k + 2) * unit * size;
            wrong += !(fabs(get(t->result, c, e) - want) <= allowed);
            wrong += !(fabs(get(rounded.type, h, e) - want) <= allowed + rounding(rounded.type, want));
            rows[i] += want - 3, cols[j] += want - 3;
            row_size[i] += size + 3, col_size[j] += size + 3;
        }
    for (int i = 0; ran && !t->map.sg_layout[0] && i < t->m; i++)
        wrong += !(fabs(get(t->result, r, (size_t)i) - rows[i]) <= (STEPS * t->k + t->n + 2) * unit * row_size[i]);
    for (int j = 0; ran && !t->map.sg_layout[0] && j < t->n; j++)
        wrong += !(fabs(get(t->result, s, (size_t)j) - cols[j]) <= (STEPS * t->k + t->m + 2) * unit * col_size[j]);
    CHECK_MSG(wrong == 0, "%s %s %d x %d x %d, forms %d and %d: %d elements are wrong", v->name, type_name(t->type),
              t->m, t->n, t->k, (int)t->a, (int)t->b, wrong);
    zed_free(&device, a), zed_free(&device, b), zed_free(&device, c);
    zed_free(&device, r), zed_free(&device, s), zed_free(&device, h);
}

static void check(const odd_case *c, int variant)
{
    now = *c;
    element.type = c->type;
    sum.type = c->result;
    rounded.type = is_float(c->type) ? CM_F16 : CM_I32;
    if (target_has(&variants[variant])) check_one(&variants[variant]);
}

#define ALONE {{0, 0}, {0, 0}}

TEST(sides)
{
    static const int sides[][3] = {{32, 30, 32}, {24, 54, 30}, {9, 22, 43}, {90, 22, 22}, {1, 12, 62}, {3, 5, 7}};
    for (int i = 0; i < 6; i++)
        for (int v = 0; v < 3; v += 2) {
            odd_case c = {v ? CM_BF16 : CM_F16, CM_F32, sides[i][0], sides[i][1], sides[i][2], PLAIN, PLAIN, ALONE, 0};
            if (test_takes(i + v / 2, 2)) check(&c, v);
        }
}

TEST(types)
{
    static const int types[][2] = {{CM_I8, CM_I32}, {CM_U8, CM_I32}, {CM_TF32, CM_F32}, {CM_F32, CM_F32}};
    for (int i = 0; i < 4; i++) {
        odd_case c = {types[i][0], types[i][1], 10, 38, i < 2 ? 59 : 27, PLAIN, PLAIN, ALONE, 0};
        check(&c, i % 2 * 2);
    }
}

TEST(forms)
{
    static const form forms[][2] = {{PLAIN, TURNED}, {TURNED, PLAIN}, {COLUMNS, COLUMNS}, {LOCAL, LOCAL}};
    for (int i = 0; i < 4; i++) {
        odd_case c = {CM_F16, CM_F32, 22, 22, 54, forms[i][0], forms[i][1], ALONE, 0};
        check(&c, 0);
    }
}

TEST(other_subgroups)
{
    odd_case c = {CM_F16, CM_F32, 12, 30, 40, PLAIN, PLAIN, ALONE, 0};
    check(&c, 1);
    check(&c, 3);
    check(&c, 4);
}

/* Tiles that fill their matrices and declare that they are inside: nothing after the last row may be read. */
TEST(to_the_end_of_memory)
{
    odd_case c = {CM_F16, CM_F32, 16, 44, 20, PLAIN, PLAIN, ALONE, 1};
    check(&c, 0);
    if (test_thorough()) check(&c, 2); /* at any pitch */
}

TEST(pieces_of_a_work_group)
{
    static const odd_case cases[] = {
        {CM_F16, CM_F32, 40, 44, 54, PLAIN, PLAIN, {{2, 2}, {20, 22}}, 0},
        {CM_I8, CM_I32, 24, 22, 38, PLAIN, PLAIN, {{2, 1}, {6, 22}}, 0}, /* distributed round-robin */
    };
    for (int i = 0; i < 2; i++) check(&cases[i], 0);
}

int main(void)
{
    if (!zed_open(&device, NULL)) {
        printf("%s\n", zed_get_error(&device)->text);
        return 1;
    }
    RUN(sides);
    RUN(types);
    RUN(forms);
    RUN(other_subgroups);
    RUN(to_the_end_of_memory);
    RUN(pieces_of_a_work_group);
    zed_close(&device);
    return test_report();
}
