/* flash_attention.c - O = softmax(Q K' / sqrt(D)) V for each head, without ever storing the scores. Q, K, V and O are
 * f16 [heads, length, D], D 64 or 128; sums and the softmax are f32; causal or not; any length.
 *
 *     cc -std=c11 flash_attention.c -lm && ./a.out
 *
 * The kernel is written twice. With coopmatrix.h, a subgroup owns some queries (columns) and iterates over blocks of
 * keys (rows, distributed over the work-items): with ' for transposed, S' = K Q', P' = exp(S' - max), O' = O' alpha +
 * V' P'. P' becomes an operand within each lane. How many of them depends on the device's registers: see sizes_for.
 * With xetile.h, queries are rows, and the library decides what the work-items hold: on Vulkan's devices with matrices,
 * S, P and O are such matrices, and keys and values go through local memory.
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "flash_attention"
#include "example.h"
#include "example_coopmatrix.h"

enum { SUBGROUPS = 4 }; /* per work-group */

typedef struct {
    int head_size, length, heads;
    bool causal;
    uint16_t *q, *k, *v, *o; /* f16 */
    void *there[4];          /* the same in the device's own memory */
} problem;

/* ---- the kernel, with coopmatrix.h */

/* Of a subgroup: its queries, and the keys of a block. K and V are loaded in slices: `depth` of D, and `rows` of V'. */
typedef struct {
    int queries, keys, depth, rows;
} sizes;

/* With 16 KiB of registers a block's K and V fit whole. With fewer, O' takes a quarter of 4 KiB, and a slice is what an
 * instruction multiplies. Sizes are what Intel's compiler spills nothing for (scripts/intel_devices.sh). Drivers for
 * CPUs (lavapipe has 8 lanes) compile one query in seconds, 16 not in half an hour. */
static sizes sizes_for(const cm_target *t, int head_size)
{
    if (t->vulkan && t->subgroup_size == 8) return (sizes){1, 8, 8, 8};
    if (!has_few_registers(t)) return (sizes){16, head_size > 64 ? 16 : 32, head_size, head_size};
    if (t->dpas_sizes) return (sizes){4, 16, 16, 8};
    return (sizes){256 / head_size, 8, 8, 8};
}

enum { SLICES = 16 };

/* The kernel's parameters, and the state of a step over a block of keys. */
typedef struct {
    spe_module *m;
    cm_ctx c;
    int head_size; /* D */
    sizes fit;
    bool causal;
    spe_id query;        /* the subgroup's first one */
    spe_id scale;        /* of the scores, for powers of two */
    cm_mem q, k, v;
    cm_matrix largest, sum; /* so far, a column per query; their rows are equal */
    cm_matrix out[SLICES];  /* O' in slices of rows */
} attention;

/* Scores of keys from `first` on; exp2 of masked ones is 0. */
static cm_matrix scores(attention *a, spe_id first, bool masked)
{
    spe_module *m = a->m;
    spe_id never = spe_f32(m, -INFINITY);
    cm_matrix x, y, s;
    const sizes *t = &a->fit;
    a->k.row = first;
    for (int d = 0; d < a->head_size; d += t->depth) {
        a->k.col = a->q.row = d ? spe_i32(m, d) : 0;
        x = cm_load(&a->c, t->keys, t->depth, CM_F16, CM_A, &a->k);
        y = cm_load(&a->c, t->depth, t->queries, CM_F16, CM_B, &a->q);
        s = cm_mul_add(&a->c, CM_F32, &x, &y, d ? &s : NULL);
    }
    s = cm_scale(&a->c, &s, a->scale);
    if (!masked) return s;
    CM_APPLY (&a->c, s, s, i, j, v) {
        spe_id key = spe_iadd(m, first, i), hidden = spe_sge(m, key, a->k.rows);
        if (a->causal) hidden = spe_lor(m, hidden, spe_sgt(m, key, spe_iadd(m, a->query, j)));
        v = spe_select(m, hidden, never, v);
    }
    return s;
}

/* A block of keys in the online softmax. The sum of weights is a product with ones, so that it uses the weights exactly
 * as they multiply V. */
static void step(attention *a, spe_id first, bool masked)
{
    cm_ctx *c = &a->c;
    const sizes *t = &a->fit;
    cm_matrix s = scores(a, first, masked), top, alpha, wide, p, x;
    top = cm_reduce_broadcast(c, CM_MAX, CM_BY_COLUMN, &s, c->target.subgroup_size);
    top = cm_binary(c, CM_MAX, &top, &a->largest);
    alpha = cm_sub(c, &a->largest, &top);
    alpha = cm_unary(c, CM_NATIVE_EXP2, &alpha);
    wide = cm_repeat(c, &top, t->keys, t->queries);
    s = cm_sub(c, &s, &wide);
    s = cm_unary(c, CM_NATIVE_EXP2, &s);
    p = cm_convert(c, &s, CM_F16);
    p = cm_convert_use(c, &p, CM_B);

    x = cm_splat(c, c->target.subgroup_size, t->keys, CM_F16, CM_A, spe_const_f(a->m, spe_float(a->m, 16), 1));
    a->sum = cm_mul(c, &a->sum, &alpha);
    a->sum = cm_mul_add(c, CM_F32, &x, &p, &a->sum);

    a->v.col = first;
    wide = cm_repeat(c, &alpha, t->rows, t->queries);
    for (int d = 0; d < a->head_size; d += t->rows) {
        cm_matrix *out = &a->out[d / t->rows];
        a->v.row = d ? spe_i32(a->m, d) : 0;
        x = cm_load(c, t->rows, t->keys, CM_F16, CM_A, &a->v);
        *out = cm_mul(c, out, &wide);
        *out = cm_mul_add(c, CM_F32, &x, &p, out);
    }
    a->largest = top;
}

/* Converts all carried values to a list, or back. */
static int carry(attention *a, spe_id *values, bool back)
{
    int n = 0;
    for (int i = 0; i < 2 + a->head_size / a->fit.rows; i++) {
        cm_matrix *one = i == 0 ? &a->largest : i == 1 ? &a->sum : &a->out[i - 2];
        if (back) *one = cm_from_parts(&a->c, &one->layout, values + n); /* separate arrays */
        else memcpy(values + n, one->part, (size_t)one->parts * sizeof *values);
        n += one->parts;
    }
    return n;
}

static void loop(attention *a, spe_id from, spe_id to, bool masked)
{
    spe_id values[128], first;
    int n = carry(a, values, false);
    first = spe_for(a->m, from, to, spe_i32(a->m, a->fit.keys), (uint32_t)n, values);
    carry(a, values, true);
    step(a, first, masked);
    carry(a, values, false);
    spe_endfor(a->m, (uint32_t)n, values);
    carry(a, values, true);
}

/* A head's matrix: element (d, token) at token * D + d, or (token, d) if `tokens_down`. */
static cm_mem head_memory(attention *a, spe_id base, spe_id length, bool tokens_down)
{
    spe_module *m = a->m;
    spe_id i64 = spe_int(m, 64), size = spe_i32(m, a->head_size);
    spe_id head = spe_sconvert(m, i64, spe_builtin(m, SPE_GROUP_ID, 1));
    cm_mem mem;
    memset(&mem, 0, sizeof mem);
    mem.ptr = spe_index(m, base, spe_imul(m, head, spe_sconvert(m, i64, spe_imul(m, length, size))));
    mem.rows = tokens_down ? length : size;
    mem.cols = tokens_down ? size : length;
    mem.stride_row = tokens_down ? size : spe_i32(m, 1);
    mem.stride_col = tokens_down ? spe_i32(m, 1) : size;
    mem.block2d = CM_BLOCK2D_YES; /* rows of 128 or 256 bytes, and the arrays are aligned to 64 */
    return mem;
}

static void write_attention(attention *a)
{
    spe_module *m = a->m;
    cm_ctx *c = &a->c;
    const sizes *t = &a->fit;
    spe_id length = spe_param_id(m, 4), zero = spe_i32(m, 0), whole, end, mask = spe_i32(m, -t->keys);
    cm_mem o;
    cm_matrix wide;
    a->scale = spe_param_id(m, 5);
    spe_id group = spe_builtin(m, SPE_GROUP_ID, 0), subgroup = spe_builtin(m, SPE_SUBGROUP_ID, 0);
    a->query = spe_iadd(m, spe_imul(m, group, spe_i32(m, SUBGROUPS)), subgroup);
    a->query = spe_imul(m, a->query, spe_i32(m, t->queries));
    a->q = head_memory(a, spe_param_id(m, 0), length, false);
    a->k = head_memory(a, spe_param_id(m, 1), length, true);
    a->v = head_memory(a, spe_param_id(m, 2), length, false);
    o = head_memory(a, spe_param_id(m, 3), length, false);
    a->q.col = o.col = a->query;
    a->largest = cm_splat(c, c->target.subgroup_size, t->queries, CM_F32, CM_ACC, spe_f32(m, -INFINITY));
    a->sum = cm_splat(c, c->target.subgroup_size, t->queries, CM_F32, CM_ACC, 0);
    for (int i = 0; i < a->head_size / t->rows; i++) a->out[i] = cm_splat(c, t->rows, t->queries, CM_F32, CM_ACC, 0);
    end = a->causal ? spe_math2(m, SPE_SMIN, length, spe_iadd(m, a->query, spe_i32(m, t->queries))) : length;
    whole = spe_and(m, a->causal ? spe_math2(m, SPE_SMIN, length, a->query) : length, mask); /* blocks without a mask */
    spe_if(m, spe_slt(m, a->query, length));
    loop(a, zero, whole, false);
    loop(a, whole, end, true);
    wide = cm_repeat(c, &a->sum, t->rows, t->queries);
    for (int d = 0; d < a->head_size; d += t->rows) {
        cm_matrix out = cm_binary(c, CM_DIV, &a->out[d / t->rows], &wide);
        out = cm_convert(c, &out, CM_F16);
        o.row = d ? spe_i32(m, d) : 0;
        cm_store(c, &out, &o);
    }
    spe_endif(m, 0, NULL, NULL);
}

static void write_body(cm_ctx *c, const void *asked_for)
{
    const problem *p = (const problem *)asked_for;
    attention a;
    memset(&a, 0, sizeof a);
    a.m = c->module;
    a.c = *c;
    a.head_size = p->head_size;
    a.fit = sizes_for(&c->target, p->head_size);
    a.causal = p->causal;
    write_attention(&a);
}

static const example_kernel kernel = {
    "attention", "ptr<f16> Q, ptr<f16> K, ptr<f16> V, ptr<f16> O, i32 length, f32 scale", SUBGROUPS, true, write_body};

/* ---- the same, with xetile.h */

static struct {
    int head_size, keys; /* D, and keys per block */
    bool causal;
} built; /* for these the kernel is built */

/* A work-group's vectors; keys and values are those of the next block. */
typedef struct {
    xt_vec q, largest, sum, out;
    xt_tile keys, values;
    xt_val query, length, scale; /* the work-group's first query */
} rows;

enum { QUERIES = 16, ROWS = QUERIES * SUBGROUPS }; /* of a subgroup, of a work-group */

/* Each subgroup has 16 rows of this many columns; or all rows of an operand. */
static xt_map rows_of(int columns) { return XT_MAP(.sg_layout = {SUBGROUPS, 1}, .sg_data = {QUERIES, columns}); }
static xt_map shared_of(int lines, int columns)
{
    return XT_MAP(.sg_layout = {SUBGROUPS, 1}, .sg_data = {lines, columns});
}

static xt_tile tile_of(XT_CONTEXT, xt_val base, const rows *r, int lines, xt_val from, xt_map map)
{
    xt_val head = XT_GROUP_ID(1), heads = XT_ADD(head, 1);
    return XT_INIT_TILE(base, f16, lines, built.head_size, .offset = XT_AT(head, from, 0),
                        .shape = XT_AT(heads, r->length, built.head_size), .map = map);
}

/* The tile of K', whose columns are keys. */
static xt_tile keys_of(XT_CONTEXT, xt_val base, const rows *r)
{
    xt_val head = XT_GROUP_ID(1), heads = XT_ADD(head, 1);
    return XT_INIT_TILE(base, f16, built.head_size, built.keys, .offset = XT_AT(head, 0, 0),
                        .shape = XT_AT(heads, built.head_size, r->length),
                        .strides = XT_AT(XT_MUL(r->length, built.head_size), 1, built.head_size), .order = {0, 1},
                        .map = shared_of(built.head_size, built.keys));
}

static xt_vec hide(XT_CONTEXT, const rows *r, xt_vec scores, xt_val first)
{
    xt_map map = rows_of(built.keys);
    xt_vec key = XT_ADD(XT_IOTA(i32, ROWS, built.keys, 1, .map = map), first), hidden = XT_GE(key, r->length);
    if (built.causal)
        hidden = XT_OR(hidden, XT_GT(key, XT_ADD(XT_IOTA(i32, ROWS, built.keys, 0, .map = map), r->query)));
    return XT_SELECT(hidden, -INFINITY, scores);
}

static void block_of_keys(XT_CONTEXT, rows *r, xt_val first, bool masked)
{
    const xt_map one = rows_of(1);
    xt_vec s = XT_MUL(XT_TILE_MMA(r->q, XT_LOAD_TILE(r->keys)), r->scale), top, alpha, p;
    if (masked) s = hide(XT_SELF, r, s, first);
    top = XT_MAX(r->largest, XT_REDUCTION(maxnumf, s, 1, .map = one));
    alpha = XT_NATIVE_EXP2(XT_SUB(r->largest, top));
    p = XT_NATIVE_EXP2(XT_SUB(s, XT_BROADCAST(top, 1, built.keys, .map = rows_of(built.keys))));
    r->sum = XT_FMA(r->sum, alpha, XT_REDUCTION(add, p, 1, .map = one));
    r->out = XT_MUL(r->out, XT_BROADCAST(alpha, 1, built.head_size, .map = rows_of(built.head_size)));
    r->out = XT_TILE_MMA(XT_CAST(f16, p), XT_LOAD_TILE(r->values), r->out);
    r->largest = top;
    r->keys = XT_UPDATE_TILE_OFFSET(r->keys, 0, built.keys);
    r->values = XT_UPDATE_TILE_OFFSET(r->values, built.keys, 0);
}

static void blocks_of_keys(XT_CONTEXT, rows *r, xt_val from, xt_val to, bool masked)
{
    XT_FOR (first, from, to, built.keys, &r->largest, &r->sum, &r->out, &r->keys, &r->values) {
        block_of_keys(XT_SELF, r, first, masked);
    }
}

XT_KERNEL (attention_by_tiles, ptr(f16, Q), ptr(f16, K), ptr(f16, V), ptr(f16, O), i32(length), f32(scale))
{
    const xt_map map = rows_of(built.head_size);
    rows r = {.query = XT_MUL(XT_GROUP_ID(0), ROWS), .length = length, .scale = scale};
    r.q = XT_LOAD_TILE(tile_of(XT_SELF, Q, &r, ROWS, r.query, map));
    r.keys = keys_of(XT_SELF, K, &r);
    r.values = tile_of(XT_SELF, V, &r, built.keys, XT_CAST(i32, 0), shared_of(built.keys, built.head_size));
    r.largest = XT_SPLAT(f32, ROWS, 1, -INFINITY, .map = rows_of(1));
    r.sum = XT_SPLAT(f32, ROWS, 1, 0, .map = rows_of(1));
    r.out = XT_SPLAT(f32, ROWS, built.head_size, 0, .map = map);
    xt_val end = built.causal ? XT_MIN(length, XT_ADD(r.query, ROWS)) : length;
    xt_val whole = XT_AND(built.causal ? XT_MIN(length, r.query) : length, -built.keys); /* blocks without a mask */
    blocks_of_keys(XT_SELF, &r, XT_CAST(i32, 0), whole, false);
    blocks_of_keys(XT_SELF, &r, whole, end, true);
    XT_STORE_TILE(XT_CAST(f16, XT_DIV(r.out, XT_BROADCAST(r.sum, 1, built.head_size, .map = map))),
                  tile_of(XT_SELF, O, &r, ROWS, r.query, map));
}

/* ---- which of the two */

static int with = -1; /* -1: as the target asks for */
static const char *const with_names[] = {"coopmatrix", "xetile", NULL};

static bool has_matrices(const char *target) /* of Vulkan's */
{
    const cm_target *row = cm_target_row(target);
    return row && cm_coop_shape_of(row, CM_F16, CM_F32);
}

static bool is_by_tiles(const char *target) { return with < 0 ? has_matrices(target) : with == 1; }

static xt_module build_by_tiles(const xt_target *target, const problem *p)
{
    built.head_size = p->head_size;
    built.causal = p->causal;
    built.keys = p->head_size <= 64 ? 32 : has_matrices(target->name) ? 64 : 16; /* as many as fit in registers */
    return XT_BUILD(attention_by_tiles, target);
}

static bool load_attention(zed_device *dev, zed_kernel *loaded, const problem *p)
{
    const xt_target target = {ZED_TARGET(dev)};
    if (!is_by_tiles(target.name)) return load_kernel(&kernel, dev, loaded, p);
    xt_module mod = build_by_tiles(&target, p);
    bool ok = mod.words ? ZED_LOAD(loaded, dev, mod) || fail_device(dev) : fail_build(&mod);
    xt_free(&mod);
    return ok;
}

static bool emit_attention(const char *path, const char *name, const problem *p)
{
    const xt_target target = {.name = name};
    if (!is_by_tiles(name)) return emit_kernel(&kernel, path, name, p);
    xt_module mod = build_by_tiles(&target, p);
    bool ok = emit_built(path, NULL, &mod);
    xt_free(&mod);
    return ok;
}

/* ---- input */

static size_t elements(const problem *p) { return (size_t)p->heads * (size_t)p->length * (size_t)p->head_size; }

static bool make_input(zed_device *dev, problem *p)
{
    uint16_t **array[3];
    uint64_t state = 1;
    size_t n = elements(p);
    array[0] = &p->q, array[1] = &p->k, array[2] = &p->v;
    for (int i = 0; i < 3; i++) {
        *array[i] = (uint16_t *)zed_alloc(dev, ZED_HOST, n * 2, 64);
        for (size_t e = 0; *array[i] && e < n; e++) (*array[i])[e] = spe_f32_to_f16_bits((float)random_normal(&state));
        p->there[i] = zed_alloc(dev, ZED_DEVICE, n * 2, 64);
        zed_copy(dev, p->there[i], *array[i], n * 2);
    }
    p->o = (uint16_t *)zed_alloc(dev, ZED_HOST, n * 2, 64);
    p->there[3] = zed_alloc(dev, ZED_DEVICE, n * 2, 64);
    return zed_get_error(dev)->id == 0 || fail_device(dev);
}

static void free_input(zed_device *dev, problem *p)
{
    for (int i = 0; i < 4; i++) zed_free(dev, p->there[i]);
    zed_free(dev, p->q), zed_free(dev, p->k), zed_free(dev, p->v), zed_free(dev, p->o);
}

/* ---- the check
 *
 * With exact weights p, let w = sum of p |v| / sum of p. The weights are rounded to f16 (relative error 2^-11; below
 * 2^-14 absolute error 2^-25 of the largest weight, 1), and so is the result; scores are off by D roundings of f32 of
 * the sum of magnitudes, which exp2 turns into a relative error, and native_exp2 may be off by another 2^-10.
 */

typedef struct {
    double error, bound; /* at the largest error / bound */
    size_t wrong;
} verdict;

static void check_query(const problem *p, int head, int query, float *const f[3], double *weight, verdict *v)
{
    size_t D = (size_t)p->head_size, base = (size_t)head * (size_t)p->length * D;
    int keys = p->causal ? query + 1 : p->length;
    double top = -INFINITY, sum = 0, off = 0, scale = 1 / sqrt((double)D);
    for (int k = 0; k < keys; k++) {
        double s = 0, size = 0;
        for (size_t d = 0; d < D; d++) {
            double x = (double)f[0][base + (size_t)query * D + d] * f[1][base + (size_t)k * D + d];
            s += x;
            size += fabs(x);
        }
        weight[k] = s * scale;
        top = fmax(top, weight[k]);
        off = fmax(off, (double)(D + 4) * 0x1p-24 * size * scale);
    }
    for (int k = 0; k < keys; k++) sum += weight[k] = exp(weight[k] - top);
    for (size_t d = 0; d < D; d++) {
        double want = 0, size = 0, tiny = 0, bound, got, error;
        for (int k = 0; k < keys; k++) {
            double x = f[2][base + (size_t)k * D + d];
            want += weight[k] * x;
            size += weight[k] * fabs(x);
            tiny += 0x1p-25 * fabs(x);
        }
        bound = (0x1p-10 + 0x1p-10 + 4 * off) * size / sum + 2 * tiny / sum + 0x1p-11 * fabs(want / sum) + 0x1p-24;
        got = spe_f16_bits_to_f32(p->o[base + (size_t)query * D + d]);
        error = fabs(got - want / sum);
        if (!(error <= bound) && v->wrong++ == 0)
            printf("O(%d, %d, %d) is %.6g, want %.6g within %.2g\n", head, query, (int)d, got, want / sum, bound);
        if (v->bound == 0 || !(error * v->bound <= v->error * bound)) v->error = error, v->bound = bound;
    }
}

static bool check(const problem *p, verdict *v)
{
    const uint16_t *half[3];
    float *f[3] = {NULL, NULL, NULL};
    double *weight = (double *)malloc((size_t)p->length * sizeof *weight);
    bool ok = weight != NULL;
    half[0] = p->q, half[1] = p->k, half[2] = p->v;
    memset(v, 0, sizeof *v);
    for (int i = 0; i < 3; i++) {
        f[i] = (float *)malloc(elements(p) * sizeof(float));
        if (!f[i]) ok = false;
        for (size_t e = 0; ok && e < elements(p); e++) f[i][e] = spe_f16_bits_to_f32(half[i][e]);
    }
    for (int head = 0; ok && head < p->heads; head++)
        for (int query = 0; query < p->length; query++) check_query(p, head, query, f, weight, v);
    for (int i = 0; i < 3; i++) free(f[i]);
    free(weight);
    return ok || fail("out of memory for the check");
}

/* ---- the run */

static int launches = 1;

/* Launches on a poisoned O, which comes back; nanoseconds of the fastest launch, negative on failure. */
static double launch(zed_device *dev, zed_kernel *loaded, const problem *p)
{
    cm_target row;
    int queries = SUBGROUPS * QUERIES;
    if (!is_by_tiles(dev->target.name) && choose_row(dev->target.name, dev->target.subgroup_sizes, kernel.narrow, &row))
        queries = SUBGROUPS * sizes_for(&row, p->head_size).queries;
    double best = -1;
    float scale = (float)(1.4426950408889634 / sqrt(p->head_size)); /* exp(x) = exp2(x log2 e) */
    uint32_t blocks = (uint32_t)((p->length + queries - 1) / queries);
    for (int i = 0; i < launches; i++) {
        zed_fill(dev, p->there[3], 0xff, elements(p) * 2); /* not a number */
        double ns = zed_launch_timed(loaded, (zed_groups){blocks, (uint32_t)p->heads, 1}, p->there[0], p->there[1],
                                     p->there[2], p->there[3], p->length, scale);
        if (ns < 0) return ns;
        if (best < 0 || ns < best) best = ns;
    }
    return zed_copy(dev, p->o, p->there[3], elements(p) * 2) ? best : -1;
}

/* Multiplications and additions; half for a causal run. */
static double flops(const problem *p)
{
    return 4.0 * p->heads * p->length * (p->causal ? (p->length + 1) / 2.0 : p->length) * p->head_size;
}

static bool run_one(zed_device *dev, problem *p)
{
    zed_kernel loaded;
    verdict v;
    double ns = 0;
    bool ok = make_input(dev, p) && load_attention(dev, &loaded, p);
    if (ok) ns = launch(dev, &loaded, p);
    if (ok && ns < 0) ok = fail_device(dev);
    ok = ok && check(p, &v);
    if (ok) printf("error    %.3g of at most %.3g\n", v.error, v.bound);
    if (ok && v.wrong)
        ok = fail("D %d, length %d%s: %zu elements are wrong", p->head_size, p->length, p->causal ? ", causal" : "",
                  v.wrong);
    if (ok)
        printf("ok flash_attention D %d, %d heads of length %d%s, %.1f GFLOP/s\n", p->head_size, p->heads, p->length,
               p->causal ? ", causal" : "", flops(p) / ns);
    free_input(dev, p);
    return ok;
}

/* ---- the command line */

static int head = -1, causal = -1, length = 333, heads = 3; /* -1: both */
static const char *const head_names[] = {"64", "128", NULL}, *const causal_names[] = {"0", "1", NULL};

static bool run(zed_device *dev)
{
    bool ok = true;
    for (int i = 0; i < 4 && ok; i++) {
        problem p = {i / 2 ? 128 : 64, length, heads, i % 2 == 1, NULL, NULL, NULL, NULL, {NULL, NULL, NULL, NULL}};
        if ((head < 0 || head == i / 2) && (causal < 0 || causal == i % 2)) ok = run_one(dev, &p);
    }
    return ok;
}

static bool emit(const char *path, const char *target)
{
    problem p = {head == 1 ? 128 : 64, length, heads, causal == 1, NULL, NULL, NULL, NULL, {NULL, NULL, NULL, NULL}};
    return emit_attention(path, target, &p);
}

static const example_option options[] = {
    CHOICE("--head", "D; default: both", &head, head_names),
    CHOICE("--causal", "1: each query sees only the keys up to its own; default: both", &causal, causal_names),
    SIZE("--length", "queries, and keys", &length),
    NUMBER("--heads", "of the model", &heads, 1, 1024),
    NUMBER("--launches", "of which the fastest is told", &launches, 1, 1000),
    CHOICE("--with", "the header that the kernel is written with; default: by the device", &with, with_names),
    OPTIONS_END,
};

int main(int argc, char **argv)
{
    const example e = {.about = "attention without storing the scores", .options = options, .run = run, .emit = emit};
    return example_main(argc, argv, &e);
}
