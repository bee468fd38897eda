/* test_xetile_transposed.c - products whose operands are transposed in the kernel, immediately or after their tiles
 * have moved, under maps where the transpose stays in its subgroup or goes to another; and matrices selected by a loop,
 * some of which do not exist. */
#include "xetile_case.h"

typedef struct {
    int type, result;
    xt_map map;   /* of C, 64 x 64 or what a subgroup has */
    int m, n, k;  /* tiles */
    int M, N, K;  /* of each matrix */
    int first;    /* number of the first matrix; the loop goes over 4, of 3 */
} turned_case;

static turned_case now;
static chosen element, sum;
enum { MATRICES = 3, TURNS = 4 };

XT_KERNEL (turned, u64(A), u64(B), u64(C), i32(FIRST), i32(LAST), u32(M), u32(N), u32(K))
{
    bool mapped = now.map.sg_layout[0] > 0;
    xt_map a_map = mapped ? xt_map_mma_a(&now.map, now.k) : now.map,
           b_map = mapped ? xt_map_mma_b(&now.map, now.k) : now.map;
    XT_FOR (z, FIRST, LAST, 1) {
        xt_tile a = XT_INIT_TILE(A, of(element), now.k, now.m, .offset = XT_AT(z, 0, 0),
                                 .shape = XT_AT(MATRICES, K, M), .map = xt_map_transpose(&a_map));
        xt_tile b = XT_INIT_TILE(B, of(element), now.n, now.k, .offset = XT_AT(z, 0, 0),
                                 .shape = XT_AT(MATRICES, N, K), .map = xt_map_transpose(&b_map));
        xt_tile c = XT_INIT_TILE(C, of(sum), now.m, now.n, .offset = XT_AT(z, 0, 0), .shape = XT_AT(MATRICES, M, N),
                                 .map = now.map);
        xt_vec acc = XT_SPLAT(of(sum), now.m, now.n, 0, .map = now.map);
        XT_FOR (k, 0, K, now.k, &a, &b, &acc) {
            xt_vec va = XT_TRANSPOSE(XT_LOAD_TILE(a)), vb = XT_LOAD_TILE(b);
            a = XT_UPDATE_TILE_OFFSET(a, now.k, 0);
            b = XT_UPDATE_TILE_OFFSET(b, 0, now.k);
            acc = XT_TILE_MMA(va, XT_TRANSPOSE(vb), acc);
        }
        XT_STORE_TILE(acc, c);
    }
}

/* Integers are exact. Floats: products are exact in f32, (K + 2) roundings of a sum of magnitudes. */
static void compare(const void *a, const void *b, const void *c)
{
    const turned_case *t = &now;
    int wrong = 0;
    for (int z = 0; z < MATRICES; z++)
        for (int i = 0; i < t->M; i++)
            for (int j = 0; j < t->N; j++) {
                size_t at = ((size_t)z * (size_t)t->M + (size_t)i) * (size_t)t->N + (size_t)j;
                double want = 0, size = 0;
                bool there = z >= t->first && i < t->m && j < t->n;
                for (int k = 0; k < t->K; k++) {
                    double p = get(t->type, a, ((size_t)z * (size_t)t->K + (size_t)k) * (size_t)t->M + (size_t)i) *
                               get(t->type, b, ((size_t)z * (size_t)t->N + (size_t)j) * (size_t)t->K + (size_t)k);
                    want += p;
                    size += fabs(p);
                }
                if (there)
                    wrong += !(fabs(get(t->result, c, at) - want) <=
                               (is_float(t->result) ? (t->K + 2) * 0x1p-24 * size : 0));
                else
                    wrong += !poisoned(t->result, c, at);
            }
    CHECK_MSG(wrong == 0, "%s %d x %d x %d of %d x %d x %d: %d elements are wrong", type_name(t->type), t->m, t->n,
              t->k, t->M, t->N, t->K, wrong);
}

/* In the sample, in one of the two variants by turns. */
static void check(const turned_case *c, int turn)
{
    void *a = new_matrix(c->type, (size_t)(MATRICES * c->M * c->K)),
         *b = new_matrix(c->type, (size_t)(MATRICES * c->K * c->N));
    now = *c;
    element.type = c->type;
    sum.type = c->result;
    for (int v = 0; v < 2; v++) {
        void *out = new_poison(c->result, (size_t)(MATRICES * c->M * c->N));
        if (test_takes(v + turn, 2) && target_has(&variants[v]) &&
            RUN_KERNEL(turned, &variants[v], ONE_GROUP, ADDRESS(a), ADDRESS(b), ADDRESS(out), ZED_ARG(c->first),
                       ZED_ARG(c->first + TURNS), ZED_ARG(c->M), ZED_ARG(c->N), ZED_ARG(c->K)))
            compare(a, b, out);
        zed_free(&device, out);
    }
    zed_free(&device, a);
    zed_free(&device, b);
}

static const int types[][2] = {{CM_F16, CM_F32}, {CM_BF16, CM_F32}, {CM_I8, CM_I32}, {CM_F32, CM_F32}};
#define MAP(a, b, c, d) {{a, b}, {c, d}}

TEST(a_subgroup)
{
    for (int t = 0; t < 4; t++) {
        turned_case c = {types[t][0], types[t][1], MAP(0, 0, 0, 0), 16, 32, 32, 64, 64, 64, t / 2};
        if (t % 2) c.M = 61, c.K = 53; /* lines unsuitable for messages */
        check(&c, t + t / 2);
    }
}

TEST(a_work_group)
{
    static const xt_map maps[] = {MAP(2, 4, 32, 16), MAP(4, 2, 16, 32), MAP(2, 2, 16, 16), MAP(8, 1, 16, 64)};
    for (int t = 0; t < 4; t++)
        for (int i = t % 2; i < 4; i += 2) {
            turned_case c = {types[t][0], types[t][1], maps[i], 64, 64, 32, 64, 64, 64, i % 2};
            if (i / 2) c.N = 75, c.K = 37;
            check(&c, t / 2 + i / 2);
        }
}

/* A subgroup's piece comes from another subgroup, and has sides that are no multiple of 4 bytes. */
enum { SIDE = 15 };
XT_KERNEL (exchanged, ptr(f16, A), ptr(f16, B))
{
    const xt_map map = XT_MAP(.sg_layout = {3, 3}, .sg_data = {5, 5});
    xt_tile a = XT_INIT_TILE(A, f16, SIDE, SIDE, .shape = XT_AT(SIDE, SIDE), .map = map);
    xt_tile b = XT_INIT_TILE(B, f16, SIDE, SIDE, .shape = XT_AT(SIDE, SIDE), .map = map);
    XT_STORE_TILE(XT_TRANSPOSE(XT_LOAD_TILE(a)), b);
}

TEST(odd_pieces_of_other_subgroups)
{
    void *a = new_matrix(CM_F16, SIDE * SIDE), *b = new_poison(CM_F16, SIDE * SIDE);
    int wrong = 0;
    if (RUN_KERNEL(exchanged, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(b)))
        for (size_t i = 0; i < SIDE; i++)
            for (size_t j = 0; j < SIDE; j++) wrong += get(CM_F16, b, i * SIDE + j) != get(CM_F16, a, j * SIDE + i);
    CHECK_INT(wrong, 0);
    zed_free(&device, a);
    zed_free(&device, b);
}

int main(void)
{
    if (!zed_open(&device, NULL)) {
        printf("%s\n", zed_get_error(&device)->text);
        return 1;
    }
    RUN(a_subgroup);
    RUN(a_work_group);
    RUN(odd_pieces_of_other_subgroups);
    zed_close(&device);
    return test_report();
}
