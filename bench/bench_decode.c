/* bench_decode.c - the matrix products of a small language model (width 512, hidden 1408, 8000 tokens; f16 weights, f32
 * sums) for 1, 4, 8 and 128 tokens at a time, in the forms that xetile.h has for them, against plain C compiled with
 * -O3 -march=native -ffast-math and against OpenBLAS with f32 weights, if installed. Each product is done with the
 * weights of each layer, which do not fit the first caches; `model` is all of them.
 * One thread each, processor time, the shortest of RUNS turns: other load on the machine then matters little. The last
 * results of a pass are compared with sums in f64.
 */
#define _POSIX_C_SOURCE 200809L /* the clock of a process */
#if defined(__OPTIMIZE__) /* otherwise it is only checked that it works, which the library is enough for */
#undef XETILE_DECLARATIONS
#endif
#include "xetile.h"
#include "ze_dispatch.h"
#include "bench.h"
#include "blas.h"

#include <math.h>

enum { RUNS = 15, LAYERS = 4, MAX_TOKENS = 128, MAX_OUT = 8000, MAX_IN = 1408 };

/* y = W x: `out` rows of `in` weights. */
typedef struct {
    const char *name;
    int out, in, layers;
    uint16_t *weights[LAYERS];
    float *wide[LAYERS]; /* the same in f32 */
} linear;
enum { ATTENTION, UP, DOWN, HEAD, LINEARS };
static linear linears[LINEARS] = {{.name = "512x512", .out = 512, .in = 512, .layers = LAYERS},
                                  {.name = "512x1408", .out = 1408, .in = 512, .layers = LAYERS},
                                  {.name = "1408x512", .out = 512, .in = 1408, .layers = LAYERS},
                                  {.name = "512x8000", .out = 8000, .in = 512, .layers = 1}};

static uint16_t *x_half; /* MAX_TOKENS x MAX_IN, read with the pitch of the product */
static float *x_wide, *y;

/* ---- the forms --------------------------------------------------------------------------------------------------- */

enum { FORM_SUBGROUPS = 8 };

/* Row form: each subgroup multiplies four rows of weights with the token, element by element, and sums along rows. */
static void rows(XT_CONTEXT, xt_val W, xt_val X, xt_val Y, xt_val N, xt_val K, bool inside)
{
    enum { ROWS = 4, STEP = 128, ALL = FORM_SUBGROUPS * ROWS };
    const xt_map map = XT_MAP(.sg_layout = {FORM_SUBGROUPS, 1}, .sg_data = {ROWS, STEP});
    const xt_map map_x = XT_MAP(.sg_layout = {FORM_SUBGROUPS, 1}, .sg_data = {1, STEP});
    const xt_map map_y = XT_MAP(.sg_layout = {FORM_SUBGROUPS, 1}, .sg_data = {ROWS, 1});
    xt_val first = XT_MUL(XT_GROUP_ID(0), ALL);
    xt_tile w = XT_INIT_TILE(W, f16, ALL, STEP, .offset = XT_AT(first, 0), .shape = XT_AT(N, K), .map = map,
                             .inside = inside);
    xt_tile x = XT_INIT_TILE(X, f16, 1, STEP, .shape = XT_AT(1, K), .map = map_x, .inside = inside);
    xt_tile out = XT_INIT_TILE(Y, f32, ALL, 1, .offset = XT_AT(first, 0), .shape = XT_AT(N, 1), .map = map_y);
    xt_vec sums = XT_SPLAT(f32, ALL, STEP, 0, .map = map);
    XT_FOR (k, 0, K, STEP, &w, &x, &sums) {
        sums = XT_FMA(XT_CAST(f32, XT_LOAD_TILE(w)), XT_CAST(f32, XT_LOAD_TILE(x)), sums);
        w = XT_UPDATE_TILE_OFFSET(w, 0, STEP);
        x = XT_UPDATE_TILE_OFFSET(x, 0, STEP);
    }
    XT_STORE_TILE(XT_REDUCTION(add, sums, 1), out);
}

/* A matrix product: `tokens` x step and step x columns. */
static void product(XT_CONTEXT, xt_val W, xt_val X, xt_val Y, xt_val M, xt_val N, xt_val K, xt_map map, int step)
{
    const xt_map map_x = xt_map_mma_a(&map, step), map_w = xt_map_mma_b(&map, step);
    int height = map.sg_layout[0] * map.sg_data[0], width = map.sg_layout[1] * map.sg_data[1];
    xt_val row = XT_MUL(XT_GROUP_ID(1), height), column = XT_MUL(XT_GROUP_ID(0), width);
    xt_tile x = XT_INIT_TILE(X, f16, height, step, .offset = XT_AT(row, 0), .shape = XT_AT(M, K), .map = map_x);
    xt_tile w = XT_INIT_TILE(W, f16, step, width, .offset = XT_AT(0, column), .shape = XT_AT(K, N),
                             .strides = XT_AT(1, K), .order = {0, 1}, .map = map_w);
    xt_tile out = XT_INIT_TILE(Y, f32, height, width, .offset = XT_AT(row, column), .shape = XT_AT(M, N), .map = map);
    xt_vec sums = XT_SPLAT(f32, height, width, 0, .map = map);
    XT_FOR (k, 0, K, step, &w, &x, &sums) {
        sums = XT_TILE_MMA(XT_LOAD_TILE(x), XT_LOAD_TILE(w), sums);
        x = XT_UPDATE_TILE_OFFSET(x, 0, step);
        w = XT_UPDATE_TILE_OFFSET(w, step, 0);
    }
    XT_STORE_TILE(sums, out);
}

#define FORM(NAME) XT_KERNEL (NAME, ptr(f16, W), ptr(f16, X), ptr(f32, Y), u32(M), u32(N), u32(K))
#define NARROW(TOKENS) XT_MAP(.sg_layout = {1, FORM_SUBGROUPS}, .sg_data = {TOKENS, 16})
FORM(rows_of_one) { (void)M, rows(XT_SELF, W, X, Y, N, K, false); }
FORM(rows_inside) { (void)M, rows(XT_SELF, W, X, Y, N, K, true); }
FORM(product_of_1) { product(XT_SELF, W, X, Y, M, N, K, NARROW(1), 64); }
FORM(product_of_4) { product(XT_SELF, W, X, Y, M, N, K, NARROW(4), 64); }
FORM(product_of_8) { product(XT_SELF, W, X, Y, M, N, K, NARROW(8), 64); }
FORM(product_of_128)
{
    product(XT_SELF, W, X, Y, M, N, K, XT_MAP(.sg_layout = {4, 2}, .sg_data = {32, 64}), 32);
}

typedef struct {
    const char *name;
    int tokens, height, width; /* of a work-group */
    zed_kernel kernel;
} form;
enum { ROWS_OF_ONE, ROWS_INSIDE, PRODUCT_1, PRODUCT_4, PRODUCT_8, PRODUCT_128, FORMS };
static form forms[FORMS] = {
    [ROWS_OF_ONE] = {.name = "rows", .tokens = 1, .height = 1, .width = 32},
    [ROWS_INSIDE] = {.name = "rows_inside", .tokens = 1, .height = 1, .width = 32},
    [PRODUCT_1] = {.name = "product", .tokens = 1, .height = 1, .width = 128},
    [PRODUCT_4] = {.name = "product", .tokens = 4, .height = 4, .width = 128},
    [PRODUCT_8] = {.name = "product", .tokens = 8, .height = 8, .width = 128},
    [PRODUCT_128] = {.name = "product", .tokens = 128, .height = 128, .width = 128},
};

static bool load_forms(zed_device *dev)
{
    const xt_target target = {ZED_TARGET(dev)};
    xt_module mods[FORMS] = {XT_BUILD(rows_of_one, &target),  XT_BUILD(rows_inside, &target),
                             XT_BUILD(product_of_1, &target), XT_BUILD(product_of_4, &target),
                             XT_BUILD(product_of_8, &target), XT_BUILD(product_of_128, &target)};
    bool ok = true;
    for (int i = 0; i < FORMS; i++) {
        if (!mods[i].words) ok = false, spe_print_error(mods[i].error, stderr);
        else ok = ZED_LOAD(&forms[i].kernel, dev, mods[i]) && ok;
        xt_free(&mods[i]);
    }
    return ok;
}

/* ---- the peers --------------------------------------------------------------------------------------------------- */

typedef void linear_fn(const void *weights, const float *in, float *out, int tokens, int n, int k);
/* gcc 12 does not vectorise sums of _Float16 (it takes 15 times as long as clang), so its peer has f32 weights. */
enum { PLAIN_F16, PLAIN_F32, OPENBLAS, PEERS };
static struct {
    const char *name, *compiler, *function;
    linear_fn *run;
} peers[PEERS] = {{"plain_c_by_clang", "clang", "plain_f16", NULL},
                  {"plain_c_by_gcc_f32_weights", "gcc", "plain_f32", NULL},
                  {"openblas_sgemm_f32_weights", NULL, NULL, NULL}};
static sgemm_fn *sgemm;

static void blas_linear(const void *weights, const float *in, float *out, int tokens, int n, int k)
{
    sgemm(BLAS_ROWS, BLAS_PLAIN, BLAS_TRANSPOSED, tokens, n, k, 1, in, k, (const float *)weights, k, 0, out, n);
}

/* Plain C is no contestant for many tokens: it fetches the weights for each of them. */
static bool takes_part(int peer, int tokens) { return peers[peer].run && (peer == OPENBLAS || tokens < 128); }

static bool is_wide(int peer) { return peer != PLAIN_F16; }

static void find_peers(void)
{
    const char *build = getenv("BUILD");
    char object[256], command[512];
    for (int i = 0; i < PEERS; i++) {
        void *found = NULL;
        if (!peers[i].compiler) continue;
        snprintf(object, sizeof object, "%s/plain_linear_%s.so", build ? build : "build", peers[i].compiler);
        snprintf(command, sizeof command, "%s -O3 -march=native -ffast-math -fPIC -shared -o %s bench/plain_linear.c",
                 peers[i].compiler, object);
        if (system(command) == 0) found = dlopen(strchr(object, '/') ? object : "", RTLD_NOW);
        if (found) *(void **)&peers[i].run = dlsym(found, peers[i].function);
        else printf("bench/plain_linear.c: not compiled by %s\n", peers[i].compiler);
    }
    sgemm = find_sgemm("decode");
    if (!sgemm) return;
    void (*set_threads)(int) = NULL;
    *(void **)&set_threads = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    peers[OPENBLAS].run = blas_linear;
    if (set_threads) set_threads(1);
}

/* ---- contests ---------------------------------------------------------------------------------------------------- */

/* Products that are measured as one, each with the weights of every layer. */
typedef struct {
    const char *name;
    int count, linear[7];
} pass;
static const pass passes[] = {{"512x512", 1, {ATTENTION}},
                              {"512x1408", 1, {UP}},
                              {"1408x512", 1, {DOWN}},
                              {"512x8000", 1, {HEAD}},
                              {"model", 7, {ATTENTION, ATTENTION, ATTENTION, UP, UP, DOWN, HEAD}}};

typedef struct {
    const linear *of;
    int layer;
} step;
enum { MAX_STEPS = 7 * LAYERS, CONTESTANTS = FORMS + PEERS };

static int list_steps(const pass *p, step steps[MAX_STEPS])
{
    int count = 0;
    for (int i = 0; i < p->count; i++)
        for (int layer = 0; layer < linears[p->linear[i]].layers; layer++)
            steps[count++] = (step){&linears[p->linear[i]], layer};
    return count;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool record(zed_batch *b, zed_device *dev, const step *steps, int count, form *f)
{
    bool ok = zed_batch_begin(b, dev);
    for (int i = 0; ok && i < count; i++) {
        const linear *l = steps[i].of;
        zed_groups groups = {(uint32_t)((l->out + f->width - 1) / f->width),
                             (uint32_t)((f->tokens + f->height - 1) / f->height), 1};
        ok = zed_batch_launch(b, &f->kernel, groups, l->weights[steps[i].layer], x_half, y, f->tokens, l->out, l->in);
    }
    return ok && zed_batch_end(b);
}

static void run_peer(int peer, const step *steps, int count, int tokens)
{
    for (int i = 0; i < count; i++) {
        const linear *l = steps[i].of;
        const void *weights = l->weights[steps[i].layer];
        if (is_wide(peer)) weights = l->wide[steps[i].layer];
        peers[peer].run(weights, x_wide, y, tokens, l->out, l->in);
    }
}

/* Compares what y contains: the last product. An f32 sum of n products is off by n eps / 2 of their sizes at most. */
static bool is_right(const char *who, const step *last, int tokens)
{
    const linear *l = last->of;
    for (int t = 0; t < tokens; t++)
        for (int i = 0; i < l->out; i++) {
            const float *w = l->wide[last->layer] + (size_t)i * (size_t)l->in, *x = x_wide + t * l->in;
            double sum = 0, size = 0, result = (double)y[t * l->out + i];
            for (int j = 0; j < l->in; j++) {
                double term = (double)w[j] * (double)x[j];
                sum += term;
                size += fabs(term);
            }
            if (!(fabs(result - sum) <= l->in * 6e-8 * size))
                return printf("FAILED %s of %s: y[%d][%d] is %g, not %g\n", who, l->name, t, i, result, sum), false;
        }
    return true;
}

static void poison(void)
{
    for (size_t i = 0; i < (size_t)MAX_TOKENS * MAX_OUT; i++) y[i] = NAN;
}

static void report(const pass *p, int tokens, const double best[CONTESTANTS])
{
    char name[96];
    for (int f = 0; f < FORMS; f++)
        for (int peer = 0; best[f] < HUGE_VAL && peer < PEERS; peer++) {
            snprintf(name, sizeof name, "decode_%s_of_%d_%s", p->name, tokens, forms[f].name);
            if (best[FORMS + peer] < HUGE_VAL)
                bench_peer_line(name, best[f] * 1e6, "us", peers[peer].name, best[FORMS + peer] * 1e6);
        }
}

/* One pass with so many tokens: all forms and all peers in turns. */
static bool contest(zed_device *dev, const pass *p, int tokens)
{
    step steps[MAX_STEPS];
    int count = list_steps(p, steps);
    zed_batch batches[FORMS];
    double best[CONTESTANTS];
    bool ok = true;
    for (int c = 0; c < CONTESTANTS; c++) best[c] = HUGE_VAL;
    for (int run = 0; ok && run < RUNS; run++)
        for (int c = 0; ok && c < CONTESTANTS; c++) {
            bool ours = c < FORMS;
            if (ours ? forms[c].tokens != tokens : !takes_part(c - FORMS, tokens)) continue;
            if (run == 0) poison();
            if (run == 0 && ours) ok = record(&batches[c], dev, steps, count, &forms[c]);
            for (int turn = 0; ok && turn < 4; turn++) { /* the first finds the caches as others left them */
                double start = seconds();
                if (ours) ok = zed_batch_run(&batches[c]);
                else run_peer(c - FORMS, steps, count, tokens);
                if (turn) best[c] = fmin(best[c], seconds() - start);
            }
            if (run == 0) ok = ok && is_right(ours ? forms[c].name : peers[c - FORMS].name, &steps[count - 1], tokens);
        }
    for (int f = 0; f < FORMS; f++)
        if (best[f] < HUGE_VAL) zed_batch_free(&batches[f]);
    if (ok) report(p, tokens, best);
    return ok;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* Numbers in [-1, 1), as halves and as floats. */
static void fill(uint16_t *half, float *wide, size_t count)
{
    static uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        half[i] = spe_f32_to_f16_bits((float)(state >> 8) * 0x1p-23f - 1);
        wide[i] = spe_f16_bits_to_f32(half[i]);
    }
}

static bool allocate(zed_device *dev)
{
    x_half = (uint16_t *)zed_alloc(dev, ZED_SHARED, (size_t)MAX_TOKENS * MAX_IN * 2, 0);
    x_wide = (float *)zed_alloc(dev, ZED_SHARED, (size_t)MAX_TOKENS * MAX_IN * 4, 0);
    y = (float *)zed_alloc(dev, ZED_SHARED, (size_t)MAX_TOKENS * MAX_OUT * 4, 0);
    for (int i = 0; y && i < LINEARS; i++) {
        linear *l = &linears[i];
        for (int layer = 0; layer < l->layers; layer++) {
            size_t count = (size_t)l->out * (size_t)l->in;
            l->weights[layer] = (uint16_t *)zed_alloc(dev, ZED_SHARED, count * 2, 0);
            l->wide[layer] = (float *)zed_alloc(dev, ZED_SHARED, count * 4, 0);
            if (!l->wide[layer]) return false;
            fill(l->weights[layer], l->wide[layer], count);
        }
    }
    if (y) fill(x_half, x_wide, (size_t)MAX_TOKENS * MAX_IN);
    return y != NULL;
}

/* An argument selects one number of tokens. */
int main(int argc, char **argv)
{
    static const int tokens[] = {1, 4, 8, 128};
    int only = argc > 1 ? atoi(argv[1]) : 0;
    zed_device dev;
    setenv("XETILE_SOFT_THREADS", "1", 1);
    bool ok = zed_open(&dev, NULL) && allocate(&dev) && load_forms(&dev);
    if (ok) find_peers();
    for (size_t t = 0; ok && t < sizeof tokens / sizeof *tokens; t++)
        for (size_t p = 0; ok && (!only || only == tokens[t]) && p < sizeof passes / sizeof *passes; p++)
            ok = contest(&dev, &passes[p], tokens[t]);
    if (zed_get_error(&dev)->id) zed_print_error(&dev, stderr);
    zed_close(&dev);
    return !ok;
}
