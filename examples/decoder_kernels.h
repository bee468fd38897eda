/* decoder_kernels.h - the kernels of decoder.c. Rows of activations are tokens: one for each sequence in a step of the
 * decoder, which its prompt has too, in tiles of 64.
 *
 * Weights lie in panels of 64 outputs, [outputs / 64][inputs][64], so that a work-group reads one run of memory, by
 * block messages that bring elements where the matrix instruction takes them. One to eight tokens cost it the same.
 * Weights of 8 and 4 bits are multiplied with activations of 8 bits, exactly, in groups of 128 inputs; each group of an
 * output has a scale, and so has each row of activations. Two weights of 4 bits are a byte: the lower four bits plus 8
 * of inputs 0 to 63 of a group, and above them those of inputs 64 to 127.
 */
#ifndef DECODER_KERNELS_H
#define DECODER_KERNELS_H

#include "xetile.h"

#include "example_registers.h"

enum { F16, INT8, INT4 };
enum { PANEL = 64, GROUP = 128, HALF = GROUP / 2, PART = 256, SEQUENCES_MAX = 8 };

/* What kernels are made for. */
static struct {
    int weights, sequences, heads, kv_heads, head_size;
    int keys, queries; /* of a block of attention, for a subgroup: see fit_attention */
    bool few_registers; /* see has_few_registers */
} made;

/* Sets the sizes of attention's blocks, and gives the size of its subgroups, 0: the target's. Where registers are few,
 * they are what Intel's compiler spills nothing for. */
static int fit_attention(const xt_target *target)
{
    const cm_target *row = cm_target_row(target->name);
    bool few = row && has_few_registers(row);
    made.keys = few ? 8 : 32;
    made.queries = few ? 4 : 16;
    return few ? 8 : 0;
}

static int heads_together(void) { return made.heads / made.kv_heads; }

/* ---- y = x W, or y += x W ---- */

/* A work-group's part: a tile of y, of one panel, and the shape of all. */
typedef struct {
    xt_map map;
    int rows, step; /* along K */
    xt_val first, panel, M, N, K;
} product;

/* What tiles have to suit: 64 rows of a prompt, or all of a step, which is read by two subgroups, to have many of them;
 * a panel; and what is live beside the sums: the rows to which they are added, or with weights of 4 bits a group's two
 * sums, and these weights taken apart, whose registers are as many as sums'. */
static xt_product prompt_product(int type)
{
    return (xt_product){.a = type, .b = type, .live = made.weights == INT4 ? 4 : 1, .rows = 64, .cols = PANEL};
}

/* Where registers have room for the weights of a whole group, a step takes them at once: their messages then differ by
 * constants from one address. They have not beside the three sums that eight tokens have with weights of 4 bits. */
static xt_product step_product(const xt_target *target, int type)
{
    const cm_target *row = cm_target_row(target->name);
    const bool many_sums = made.weights == INT4 && made.sequences > 4;
    const bool whole = row && row->igc && !has_few_registers(row) && !many_sums;
    return (xt_product){.a = type, .b = type, .live = 1, .rows = made.sequences, .cols = PANEL,
                        .sg_rows = made.sequences, .sg_cols = PANEL / 2,
                        .step = !whole ? 0 : made.weights == INT4 ? HALF : GROUP};
}

static product product_of(XT_CONTEXT, xt_val M, xt_val N, xt_val K)
{
    const xt_tiles *t = (const xt_tiles *)XT_USER();
    product p = {.map = t->c, .rows = t->rows, .step = t->k, .M = M, .N = N, .K = K};
    p.first = XT_MUL(XT_GROUP_ID(1), p.rows);
    p.panel = XT_GROUP_ID(0);
    return p;
}

/* `steps` of `depth` inputs; the last one may reach beyond the activations, where zeros are. */
static xt_tile activations(XT_CONTEXT, const product *p, xt_val X, int depth)
{
    return XT_INIT_TILE(X, of(X), p->rows, depth, .offset = XT_AT(p->first, 0), .shape = XT_AT(p->M, p->K),
                        .map = xt_map_mma_a(&p->map, depth));
}

/* Panels are whole, and groups are: no tile of weights reaches beyond them. Said where it matters, as on pvc Intel's
 * compiler makes more instructions of messages that are known to be inside. */
static xt_tile panel_rows(XT_CONTEXT, const product *p, xt_val W, int depth, xt_val all)
{
    xt_val panels = XT_DIV(XT_ADD(p->N, PANEL - 1), PANEL);
    return XT_INIT_TILE(W, of(W), depth, PANEL, .offset = XT_AT(p->panel, 0, 0), .shape = XT_AT(panels, all, PANEL),
                        .map = xt_map_mma_b(&p->map, depth), .inside = made.few_registers);
}

static void store_product(XT_CONTEXT, const product *p, xt_vec sum, xt_val Y, xt_val add)
{
    xt_tile y = XT_INIT_TILE(Y, f32, p->rows, PANEL, .offset = XT_AT(p->first, XT_MUL(p->panel, PANEL)),
                             .shape = XT_AT(p->M, p->N), .map = p->map);
    XT_IF(XT_NE(add, 0), &sum) sum = XT_ADD(sum, XT_LOAD_TILE(y));
    XT_STORE_TILE(sum, y);
}

/* y = x W in f16. A group of inputs is multiplied in slices of the step that suits the device. */
static void linear_f16_of(XT_CONTEXT, xt_val X, xt_val W, xt_val Y, xt_val M, xt_val N, xt_val K, xt_val add)
{
    product p = product_of(XT_SELF, M, N, K);
    xt_val groups = XT_DIV(XT_ADD(K, GROUP - 1), GROUP);
    xt_tile x = activations(XT_SELF, &p, X, p.step), w = panel_rows(XT_SELF, &p, W, p.step, XT_MUL(groups, GROUP));
    xt_vec sum = XT_SPLAT(f32, p.rows, PANEL, 0, .map = p.map);
    XT_FOR(group, 0, groups, 1, &x, &w, &sum)
    {
        for (int k = 0; k < GROUP; k += p.step) {
            xt_vec of_w = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(w, k, 0));
            sum = XT_TILE_MMA(XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(x, 0, k)), of_w, sum);
        }
        x = XT_UPDATE_TILE_OFFSET(x, 0, GROUP);
        w = XT_UPDATE_TILE_OFFSET(w, GROUP, 0);
    }
    store_product(XT_SELF, &p, sum, Y, add);
}

/* A group's sum in f32. The upper four bits are weights as they are, 16 times as large; the lower ones are too large by
 * 8, of which a product with eights takes the excess away. */
static xt_vec group_sum(XT_CONTEXT, const product *p, xt_tile x, xt_tile w)
{
    const int depth = made.weights == INT8 ? GROUP : HALF; /* rows of bytes */
    const xt_vec minus_8 = XT_SPLAT(i8, p->step, PANEL, -8, .map = xt_map_mma_b(&p->map, p->step));
    xt_vec lower = XT_SPLAT(i32, p->rows, PANEL, 0, .map = p->map), upper = lower;
    for (int k = 0; k < depth; k += p->step) {
        xt_vec bytes = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(w, k, 0));
        xt_vec first = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(x, 0, k));
        if (made.weights == INT8) {
            lower = XT_TILE_MMA(first, bytes, lower);
            continue;
        }
        xt_vec second = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(x, 0, HALF + k));
        lower = XT_TILE_MMA(first, minus_8, lower);
        lower = XT_TILE_MMA(first, XT_AND(bytes, 15), lower);
        upper = XT_TILE_MMA(second, XT_AND(bytes, -16), upper);
    }
    if (made.weights == INT8) return XT_CAST(f32, lower);
    return XT_FMA(XT_CAST(f32, upper), 1.0 / 16, XT_CAST(f32, lower));
}

static void linear_int_of(XT_CONTEXT, xt_val X, xt_val XS, xt_val W, xt_val WS, xt_val Y, xt_val M, xt_val N, xt_val K,
                          xt_val add)
{
    const int depth = made.weights == INT8 ? GROUP : HALF; /* rows of bytes in a group */
    product p = product_of(XT_SELF, M, N, K);
    xt_val groups = XT_DIV(XT_ADD(K, GROUP - 1), GROUP);
    const xt_map row = {{p.map.sg_layout[0], p.map.sg_layout[1]}, {1, p.map.sg_data[1]}},
                 column = {{p.map.sg_layout[0], p.map.sg_layout[1]}, {p.map.sg_data[0], 1}};
    xt_tile x = activations(XT_SELF, &p, X, p.step), w = panel_rows(XT_SELF, &p, W, p.step, XT_MUL(groups, depth));
    xt_tile scale = panel_rows(XT_SELF, &p, WS, 1, groups);
    xt_tile row_scale =
        XT_INIT_TILE(XS, f32, p.rows, 1, .offset = XT_AT(p.first, 0), .shape = XT_AT(M, 1), .map = column);
    xt_vec sum = XT_SPLAT(f32, p.rows, PANEL, 0, .map = p.map);
    scale.map = row;
    XT_FOR(group, 0, groups, 1, &x, &w, &scale, &sum)
    {
        xt_vec of_group = XT_CAST(f32, XT_LOAD_TILE(scale));
        sum = XT_FMA(group_sum(XT_SELF, &p, x, w), XT_BROADCAST(of_group, 0, p.rows, .map = p.map), sum);
        x = XT_UPDATE_TILE_OFFSET(x, 0, GROUP);
        w = XT_UPDATE_TILE_OFFSET(w, depth, 0);
        scale = XT_UPDATE_TILE_OFFSET(scale, 1, 0);
    }
    sum = XT_MUL(sum, XT_BROADCAST(XT_LOAD_TILE(row_scale), 1, PANEL, .map = p.map));
    store_product(XT_SELF, &p, sum, Y, add);
}

XT_KERNEL(linear_f16, ptr(f16, X), ptr(f16, W), ptr(f32, Y), u32(M), u32(N), u32(K), u32(add))
{
    linear_f16_of(XT_SELF, X, W, Y, M, N, K, add);
}

XT_KERNEL(prompt_linear_f16, ptr(f16, X), ptr(f16, W), ptr(f32, Y), u32(M), u32(N), u32(K), u32(add))
{
    linear_f16_of(XT_SELF, X, W, Y, M, N, K, add);
}

XT_KERNEL(linear_int, ptr(i8, X), ptr(f32, XS), ptr(i8, W), ptr(f16, WS), ptr(f32, Y), u32(M), u32(N), u32(K), u32(add))
{
    linear_int_of(XT_SELF, X, XS, W, WS, Y, M, N, K, add);
}

XT_KERNEL(prompt_linear_int, ptr(i8, X), ptr(f32, XS), ptr(i8, W), ptr(f16, WS), ptr(f32, Y), u32(M), u32(N), u32(K),
          u32(add))
{
    linear_int_of(XT_SELF, X, XS, W, WS, Y, M, N, K, add);
}

/* ---- rows of activations: a work-group of four subgroups has one, 256 elements at a time ---- */

static xt_map part_map(void) { return XT_MAP(.sg_layout = {1, 4}, .sg_data = {1, PART / 4}); }

static xt_tile row_part(XT_CONTEXT, xt_val base, xt_val row, xt_val at, xt_val M, xt_val N)
{
    return XT_INIT_TILE(base, of(base), 1, PART, .offset = XT_AT(row, at), .shape = XT_AT(M, N), .map = part_map());
}

/* What a row holds before it is stored, in f32: X; X times G; or, of the halves of X, silu(first) times second. */
typedef enum { PLAIN, WEIGHTED, GATED } row_kind;
typedef struct {
    row_kind kind;
    xt_val X, G, M, N;
} row_source;

static xt_vec row_values(XT_CONTEXT, const row_source *r, xt_val at)
{
    xt_val row = XT_GROUP_ID(1);
    if (r->kind != GATED) {
        xt_vec v = XT_CAST(f32, XT_LOAD_TILE(row_part(XT_SELF, r->X, row, at, r->M, r->N)));
        if (r->kind == PLAIN) return v;
        xt_val zero = XT_MUL(row, 0), one = XT_CAST(i32, 1);
        return XT_MUL(v, XT_LOAD_TILE(row_part(XT_SELF, r->G, zero, at, one, r->N)));
    }
    xt_tile gate =
        XT_INIT_TILE(r->X, f32, 1, PART, .offset = XT_AT(row, 0, at), .shape = XT_AT(r->M, 2, r->N), .map = part_map());
    xt_vec g = XT_LOAD_TILE(gate), up = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(gate, 1, 0));
    return XT_MUL(XT_DIV(g, XT_ADD(XT_EXP(XT_NEG(g)), 1.0)), up);
}

/* One number of a whole row, repeated. */
static xt_vec repeated(XT_CONTEXT, xt_vec one)
{
    const xt_map map = part_map(), from = xt_map_broadcast(&map, 1, PART);
    return XT_BROADCAST(XT_CONVERT_LAYOUT(one, .map = from), 1, PART, .map = map);
}

static xt_vec row_largest(XT_CONTEXT, const row_source *r)
{
    xt_vec most = XT_SPLAT(f32, 1, PART, 1e-30, .map = part_map());
    XT_FOR(at, 0, r->N, PART, &most) most = XT_MAX(most, XT_ABS(row_values(XT_SELF, r, at)));
    return repeated(XT_SELF, XT_REDUCTION(maxnumf, most, 1));
}

static xt_vec row_norm(XT_CONTEXT, const row_source *r, xt_val epsilon)
{
    row_source plain = *r;
    plain.kind = PLAIN;
    xt_vec sum = XT_SPLAT(f32, 1, PART, 0, .map = part_map());
    XT_FOR(at, 0, r->N, PART, &sum)
    {
        xt_vec v = row_values(XT_SELF, &plain, at);
        sum = XT_FMA(v, v, sum);
    }
    sum = repeated(XT_SELF, XT_REDUCTION(add, sum, 1));
    return XT_RSQRT(XT_ADD(XT_DIV(sum, XT_CAST(f32, r->N)), epsilon));
}

/* Stores the row times `factor`, which may be unset, as f16. */
static void store_halves(XT_CONTEXT, const row_source *r, const xt_vec *factor, xt_val Y)
{
    XT_FOR(at, 0, r->N, PART)
    {
        xt_vec v = row_values(XT_SELF, r, at);
        if (factor) v = XT_MUL(v, *factor);
        XT_STORE_TILE(XT_CAST(f16, v), row_part(XT_SELF, Y, XT_GROUP_ID(1), at, r->M, r->N));
    }
}

/* The same as numbers of 8 bits, the largest being 127, and what one of them is worth. */
static void store_bytes(XT_CONTEXT, const row_source *r, const xt_vec *factor, xt_val Y, xt_val YS)
{
    xt_vec most = row_largest(XT_SELF, r), steps = XT_DIV(127.0, most), worth = XT_DIV(most, 127.0);
    if (factor) worth = XT_MUL(worth, *factor);
    XT_FOR(at, 0, r->N, PART)
    {
        xt_vec v = XT_ROUND(XT_MUL(row_values(XT_SELF, r, at), steps));
        XT_STORE_TILE(XT_CAST(i8, v), row_part(XT_SELF, Y, XT_GROUP_ID(1), at, r->M, r->N));
    }
    xt_val each = XT_ELEMENT(worth, 0, 0);
    XT_IF(XT_EQ(XT_SUBGROUP_ID(), 0)) XT_STORE(each, YS, XT_GROUP_ID(1));
}

XT_KERNEL(norm_f16, ptr(f32, X), ptr(f32, G), ptr(f16, Y), u32(M), u32(N), f32(epsilon))
{
    row_source r = {WEIGHTED, X, G, M, N};
    xt_vec factor = row_norm(XT_SELF, &r, epsilon);
    store_halves(XT_SELF, &r, &factor, Y);
}

XT_KERNEL(norm_int, ptr(f32, X), ptr(f32, G), ptr(i8, Y), ptr(f32, YS), u32(M), u32(N), f32(epsilon))
{
    row_source r = {WEIGHTED, X, G, M, N};
    xt_vec factor = row_norm(XT_SELF, &r, epsilon);
    store_bytes(XT_SELF, &r, &factor, Y, YS);
}

XT_KERNEL(swiglu_f16, ptr(f32, X), ptr(f16, Y), u32(M), u32(N))
{
    row_source r = {.kind = GATED, .X = X, .M = M, .N = N};
    store_halves(XT_SELF, &r, NULL, Y);
}

XT_KERNEL(swiglu_int, ptr(f32, X), ptr(i8, Y), ptr(f32, YS), u32(M), u32(N))
{
    row_source r = {.kind = GATED, .X = X, .M = M, .N = N};
    store_bytes(XT_SELF, &r, NULL, Y, YS);
}

XT_KERNEL(quantize, ptr(f16, X), ptr(i8, Y), ptr(f32, YS), u32(M), u32(N))
{
    row_source r = {.kind = PLAIN, .X = X, .M = M, .N = N};
    store_bytes(XT_SELF, &r, NULL, Y, YS);
}

XT_KERNEL(embed, ptr(f16, E), ptr(i32, tokens), ptr(f32, X), u32(M), u32(vocabulary), u32(N))
{
    xt_val row = XT_GROUP_ID(1), token = XT_LOAD(tokens, row);
    XT_FOR(at, 0, N, PART)
    {
        xt_vec v = XT_LOAD_TILE(row_part(XT_SELF, E, token, at, vocabulary, N));
        XT_STORE_TILE(XT_CAST(f32, v), row_part(XT_SELF, X, row, at, M, N));
    }
}

/* ---- RoPE: turns heads of queries and keys by their position, and stores keys and values in the cache ----
 *
 * QKV has the heads of queries, keys and values of a token, one after the other. The cache is [sequence][kv head]
 * [position][head size]; own: 1 if each row is a sequence of its own, 0 if all are one.
 */
XT_KERNEL(rotate, ptr(f32, QKV), ptr(f32, cosines), ptr(f32, sines), ptr(i32, positions), ptr(f16, Q), ptr(f16, K),
          ptr(f16, V), u32(M), u32(own), u32(context))
{
    const int half = made.head_size / 2, heads = made.heads, all = made.heads + 2 * made.kv_heads;
    xt_val row = XT_GROUP_ID(1), head = XT_GROUP_ID(0), position = XT_LOAD(positions, row), at[2];
    xt_vec v[2], c, s;
    for (int i = 0; i < 2; i++) {
        at[i] = XT_ADD(XT_MUL(head, made.head_size), i * half);
        v[i] = XT_LOAD_TILE(
            XT_INIT_TILE(QKV, f32, 1, half, .offset = XT_AT(row, at[i]), .shape = XT_AT(M, all * made.head_size)));
    }
    XT_IF(XT_LT(head, heads + made.kv_heads), &v[0], &v[1])
    {
        c = XT_LOAD_TILE(
            XT_INIT_TILE(cosines, f32, 1, half, .offset = XT_AT(position, 0), .shape = XT_AT(context, half)));
        s = XT_LOAD_TILE(
            XT_INIT_TILE(sines, f32, 1, half, .offset = XT_AT(position, 0), .shape = XT_AT(context, half)));
        xt_vec turned = XT_SUB(XT_MUL(v[0], c), XT_MUL(v[1], s));
        v[1] = XT_FMA(v[1], c, XT_MUL(v[0], s));
        v[0] = turned;
    }
    for (int i = 0; i < 2; i++) {
        xt_vec x = XT_CAST(f16, v[i]);
        xt_val sequence = XT_MUL(row, own), key = XT_SUB(head, heads), value = XT_SUB(key, made.kv_heads);
        XT_IF(XT_LT(head, heads))
        {
            XT_STORE_TILE(x, XT_INIT_TILE(Q, f16, 1, half, .offset = XT_AT(row, at[i]),
                                          .shape = XT_AT(M, heads * made.head_size)));
        }
        XT_IF(XT_AND(XT_GE(key, 0), XT_LT(value, 0)))
        {
            XT_STORE_TILE(x, XT_INIT_TILE(K, f16, 1, half, .offset = XT_AT(sequence, key, position, i * half),
                                          .shape = XT_AT(made.sequences, made.kv_heads, context, made.head_size)));
        }
        XT_IF(XT_GE(value, 0))
        {
            XT_STORE_TILE(x, XT_INIT_TILE(V, f16, 1, half, .offset = XT_AT(sequence, value, position, i * half),
                                          .shape = XT_AT(made.sequences, made.kv_heads, context, made.head_size)));
        }
    }
}

/* ---- attention: softmax(q K' / sqrt(head size)) V over the first `length` keys, a block at a time ----
 *
 * The largest score so far, the sum of weights, and their sum of values are carried; what was summed before is scaled
 * when a larger score comes. Weights are powers of two of scores times log2(e) / sqrt(head size).
 */
typedef struct {
    int rows;
    xt_vec q, last; /* queries, and the last key that each may see */
    xt_vec most, sum, out;
    xt_tile keys, values;
} attention;

static attention attention_of(XT_CONTEXT, int rows, xt_vec q, xt_val K, xt_val V, xt_val sequence, xt_val head,
                              xt_val from, xt_val length, xt_val context)
{
    attention a = {.rows = rows, .q = q};
    xt_val size = XT_MUL(context, made.head_size);
    a.keys = XT_INIT_TILE(K, f16, made.head_size, made.keys, .offset = XT_AT(sequence, head, 0, from),
                          .shape = XT_AT(made.sequences, made.kv_heads, made.head_size, length),
                          .strides = XT_AT(XT_MUL(size, made.kv_heads), size, 1, made.head_size), .order = {0, 1});
    a.values = XT_INIT_TILE(V, f16, made.keys, made.head_size, .offset = XT_AT(sequence, head, from, 0),
                            .shape = XT_AT(made.sequences, made.kv_heads, length, made.head_size),
                            .strides = XT_AT(XT_MUL(size, made.kv_heads), size, made.head_size, 1));
    a.most = XT_SPLAT(f32, rows, 1, -INFINITY);
    a.sum = XT_SPLAT(f32, rows, 1, 0);
    a.out = XT_SPLAT(f32, rows, made.head_size, 0);
    return a;
}

static void attend_keys(XT_CONTEXT, attention *a, xt_val from, int step)
{
    xt_vec s = XT_MUL(XT_TILE_MMA(a->q, XT_LOAD_TILE(a->keys)), 1.4426950408889634 / sqrt(made.head_size));
    xt_vec key = XT_ADD(XT_IOTA(i32, a->rows, made.keys, 1), from);
    s = XT_SELECT(XT_LE(key, a->last), s, -INFINITY);
    xt_vec most = XT_MAX(a->most, XT_REDUCTION(maxnumf, s, 1)), before = XT_EXP2(XT_SUB(a->most, most));
    xt_vec weight = XT_EXP2(XT_SUB(s, most));
    a->sum = XT_FMA(a->sum, before, XT_REDUCTION(add, weight, 1));
    a->out = XT_TILE_MMA(XT_CAST(f16, weight), XT_LOAD_TILE(a->values), XT_MUL(a->out, before));
    a->most = most;
    a->keys = XT_UPDATE_TILE_OFFSET(a->keys, 0, step);
    a->values = XT_UPDATE_TILE_OFFSET(a->values, step, 0);
}

/* Some queries of a prompt: a subgroup has them, for one head. */
XT_KERNEL(prompt_attend, ptr(f16, Q), ptr(f16, K), ptr(f16, V), ptr(f16, O), u32(M), u32(context))
{
    xt_val head = XT_GROUP_ID(1), row = XT_MUL(XT_GROUP_ID(0), made.queries), column = XT_MUL(head, made.head_size);
    xt_val length = XT_MIN(M, XT_ADD(row, made.queries)), all = XT_CAST(i32, made.heads * made.head_size);
    xt_tile q =
        XT_INIT_TILE(Q, f16, made.queries, made.head_size, .offset = XT_AT(row, column), .shape = XT_AT(M, all));
    xt_val zero = XT_CAST(i32, 0), kv_head = XT_DIV(head, heads_together());
    attention a = attention_of(XT_SELF, made.queries, XT_LOAD_TILE(q), K, V, zero, kv_head, zero, length, context);
    a.last = XT_ADD(XT_IOTA(i32, made.queries, 1, 0), row);
    XT_FOR(from, 0, length, made.keys, &a.most, &a.sum, &a.out, &a.keys, &a.values)
    {
        attend_keys(XT_SELF, &a, from, made.keys);
    }
    XT_STORE_TILE(XT_CAST(f16, XT_DIV(a.out, a.sum)),
                  XT_INIT_TILE(O, f16, made.queries, made.head_size, .offset = XT_AT(row, column),
                               .shape = XT_AT(M, all)));
}

/* One query of each head that shares keys: the subgroups of a work-group take turns with the keys, and put together
 * what they have in local memory, 16 columns each. */
static int attend_subgroups(void) { return made.head_size / 16; }

static xt_tile local_rows(XT_CONTEXT, xt_val local, xt_val subgroup, int rows, int cols, xt_val column, int width)
{
    return XT_INIT_TILE(local, f32, rows, width, .offset = XT_AT(XT_MUL(subgroup, rows), column),
                        .shape = XT_AT(attend_subgroups() * rows, cols));
}

XT_KERNEL(attend, ptr(f16, Q), ptr(f16, K), ptr(f16, V), ptr(f16, O), ptr(i32, positions), u32(M), u32(context))
{
    const int rows = heads_together(), subgroups = attend_subgroups(), size = made.head_size;
    xt_val head = XT_GROUP_ID(0), sequence = XT_GROUP_ID(1), position = XT_LOAD(positions, sequence);
    xt_val length = XT_ADD(position, 1), mine = XT_SUBGROUP_ID(), first = XT_MUL(mine, made.keys);
    xt_val top = XT_MUL(head, rows);
    xt_tile q =
        XT_INIT_TILE(Q, f16, rows, size, .offset = XT_AT(sequence, top, 0), .shape = XT_AT(M, made.heads, size));
    attention a = attention_of(XT_SELF, rows, XT_LOAD_TILE(q), K, V, sequence, head, first, length, context);
    a.last = XT_ADD(XT_SPLAT(i32, rows, 1, 0), position);
    XT_FOR(from, first, length, subgroups * made.keys, &a.most, &a.sum, &a.out, &a.keys, &a.values)
    {
        attend_keys(XT_SELF, &a, from, subgroups * made.keys);
    }
    xt_val most_of = XT_LOCAL(f32, subgroups * rows), sum_of = XT_LOCAL(f32, subgroups * rows),
           out_of = XT_LOCAL(f32, subgroups * rows * size), none = XT_CAST(i32, 0), column = XT_MUL(mine, 16);
    XT_STORE_TILE(a.most, local_rows(XT_SELF, most_of, mine, rows, 1, none, 1));
    XT_STORE_TILE(a.sum, local_rows(XT_SELF, sum_of, mine, rows, 1, none, 1));
    XT_STORE_TILE(a.out, local_rows(XT_SELF, out_of, mine, rows, size, none, size));
    XT_BARRIER();
    xt_vec most = XT_SPLAT(f32, rows, 1, -INFINITY), sum = XT_SPLAT(f32, rows, 1, 0), out = XT_SPLAT(f32, rows, 16, 0);
    for (int i = 0; i < subgroups; i++)
        most = XT_MAX(most, XT_LOAD_TILE(local_rows(XT_SELF, most_of, XT_CAST(i32, i), rows, 1, none, 1)));
    for (int i = 0; i < subgroups; i++) {
        xt_val one = XT_CAST(i32, i);
        xt_vec scale = XT_EXP2(XT_SUB(XT_LOAD_TILE(local_rows(XT_SELF, most_of, one, rows, 1, none, 1)), most));
        sum = XT_FMA(XT_LOAD_TILE(local_rows(XT_SELF, sum_of, one, rows, 1, none, 1)), scale, sum);
        out = XT_FMA(XT_LOAD_TILE(local_rows(XT_SELF, out_of, one, rows, size, column, 16)), scale, out);
    }
    XT_STORE_TILE(XT_CAST(f16, XT_DIV(out, sum)), XT_INIT_TILE(O, f16, rows, 16, .offset = XT_AT(sequence, top, column),
                                                               .shape = XT_AT(M, made.heads, size)));
}

/* ---- sampling: the largest of logit + temperature * noise, which chooses with the softmax's probabilities if the
 * noise has Gumbel's distribution, -log(-log(u)). The host has the same random numbers (sampled in decoder.c). */
XT_KERNEL(choose, ptr(f32, logits), ptr(i32, tokens), ptr(i32, positions), ptr(i32, history), u32(M), u32(N), u32(own),
          u32(context), u32(seed), f32(temperature))
{
    const xt_map map = part_map();
    xt_val sequence = XT_GROUP_ID(0), row = XT_MUL(sequence, own), position = XT_LOAD(positions, sequence), key, token;
    xt_vec best = XT_SPLAT(f32, 1, PART, -INFINITY, .map = map), which = XT_SPLAT(i32, 1, PART, 0, .map = map);
    key = XT_XOR(seed, XT_MUL(XT_ADD(XT_MUL(sequence, 65536), position), 40503));
    XT_FOR(at, 0, N, PART, &best, &which)
    {
        xt_vec column = XT_ADD(XT_IOTA(i32, 1, PART, 1, .map = map), at);
        xt_vec u = XT_CAST(f32, XT_SHR(XT_RANDOM(key, column), 9));
        u = XT_LOG(XT_MUL(XT_ADD(u, 0.5), 0x1p-23));
        xt_vec v = XT_LOAD_TILE(row_part(XT_SELF, logits, row, at, M, N), .padding = -INFINITY);
        v = XT_SUB(v, XT_MUL(XT_LOG(XT_NEG(u)), temperature));
        which = XT_SELECT(XT_GT(v, best), column, which);
        best = XT_MAX(v, best);
    }
    xt_vec at = repeated(XT_SELF, XT_ARGMAX(best, 1)), here = XT_EQ(XT_IOTA(i32, 1, PART, 1, .map = map), at);
    token = XT_ELEMENT(repeated(XT_SELF, XT_REDUCTION(maxsi, XT_SELECT(here, which, -1), 1)), 0, 0);
    XT_IF(XT_EQ(XT_SUBGROUP_ID(), 0))
    {
        XT_STORE(token, tokens, sequence);
        XT_STORE(XT_ADD(position, 1), positions, sequence);
        XT_STORE(token, history, XT_ADD(XT_MUL(sequence, context), XT_ADD(position, 1)));
    }
}

#endif
