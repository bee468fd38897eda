/* decoder.c - a language model that runs on the device as a whole: a decoder-only transformer (RMSNorm, RoPE,
 * grouped-query attention with a cache in f16, SwiGLU) with weights of f16, int8 or int4, made up or from a file of
 * safetensors. Tokens are numbers. One to eight sequences begin with the same prompt and are sampled apart.
 *
 *     cc -std=c11 decoder.c -lm && ./a.out --weights int4 --sequences 4 --svg times.svg
 *
 * The prompt is one batch of launches, and so is every token: which position it has, and how many keys there are, lies
 * in the device's memory, where the last kernel of a batch, which samples the next token, advances it. So the batch is
 * recorded once. The kernels, in one module, are in decoder_kernels.h. All logits of every step are checked against the
 * model in f64 (decoder_model.h), and every sampled token against the logits. See `decoder --help`.
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "decoder"
#include "example.h"
#include "decoder_kernels.h"
#include "decoder_model.h"

/* ---- the program's options ---- */

static const char *const weight_names[] = {"f16", "int8", "int4", NULL}, *const yes_no[] = {"no", "yes", NULL};
static int dim = 128, hidden = 256, layers = 2, heads = 4, kv_heads = 2, vocabulary = 512, theta = 10000;
static int prompt_length = 20, steps = 6, sequences = 2, weight_kind, seed = 1, checked = 1;
static const char *prompt_text, *temperature_text = "0.8", *svg, *save, *cache_folder, *file[1];
static double temperature;

/* ---- kernels by their role ---- */

typedef enum {
    EMBED,
    NORM,
    LINEAR,
    PROMPT_LINEAR,
    ROTATE,
    ATTEND,
    PROMPT_ATTEND,
    QUANTIZE,
    SWIGLU,
    CHOOSE,
    ROLES
} role;

static const xt_kernel *kernel_of(role r, int kind)
{
    static const xt_kernel *const kernels[ROLES][2] = {
        {&embed, &embed},
        {&norm_f16, &norm_int},
        {&linear_f16, &linear_int},
        {&prompt_linear_f16, &prompt_linear_int},
        {&rotate, &rotate},
        {&attend, &attend},
        {&prompt_attend, &prompt_attend},
        {NULL, &quantize}, /* f16: there is nothing to quantize */
        {&swiglu_f16, &swiglu_int},
        {&choose, &choose},
    };
    return kernels[r][kind != F16];
}

/* The tiles of a kernel that multiplies weights; NULL: of another. */
static const xt_tiles *tiles_of(const xt_kernel *kernel, const xt_target *target)
{
    static xt_tiles of_step, of_prompt;
    const bool bytes = kernel == &linear_int || kernel == &prompt_linear_int;
    const int type = bytes ? XT_TYPE(i8) : XT_TYPE(f16);
    const xt_product step = step_product(target, type), prompt = prompt_product(type);
    if (kernel == &linear_f16 || kernel == &linear_int) return of_step = xt_tiles_for(target, &step), &of_step;
    if (kernel != &prompt_linear_f16 && kernel != &prompt_linear_int) return NULL;
    of_prompt = xt_tiles_for(target, &prompt);
    /* three sums are live in the loop: bmg's compiler takes 256 registers then, ptl's 160, of which it spills two */
    const cm_target *row = cm_target_row(target->name);
    if (row && row->build_flags[0] && made.weights == INT4) of_prompt.registers = 256;
    return &of_prompt;
}

/* All rows and bases suit block messages: dimensions are multiples of 64. */
static xt_build_desc description(const xt_kernel *kernel, const xt_target *target)
{
    xt_build_desc d = XT_DESC(*kernel, target, .pitch = XT_PITCH_ALIGNED);
    const xt_tiles *t = tiles_of(kernel, target);
    const cm_target *row = cm_target_row(target->name);
    made.few_registers = row && has_few_registers(row);
    if (kernel == &attend) d.subgroups = attend_subgroups();
    if (kernel == &attend || kernel == &prompt_attend) d.subgroup_size = fit_attention(target);
    if (t) d.user = t, d.subgroup_size = t->subgroup_size, d.registers = t->registers;
    return d;
}

/* All kernels for these weights, in one module. Returns their number, 0 after an error. */
static int build_all(int kind, const xt_target *target, xt_module modules[ROLES])
{
    xt_build_desc list[ROLES];
    int count = 0;
    for (int r = 0; r < ROLES; r++)
        if (kernel_of((role)r, kind)) list[count++] = description(kernel_of((role)r, kind), target);
    if (xt_build_all(modules, list, count)) return count;
    fail_build(&modules[0]);
    while (count--) xt_free(&modules[count]);
    return 0;
}

/* ---- the device's memory ---- */

typedef struct {
    void *packed;
    uint16_t *scale;
} device_weights;

typedef struct {
    device_weights product[PRODUCTS];
    float *norm[2];
    uint16_t *k, *v; /* the layer's cache */
} device_layer;

typedef struct {
    zed_device *dev;
    const model *m;
    zed_kernel kernel[ROLES];
    device_layer layer[LAYERS_MAX];
    device_weights head;
    uint16_t *embedding, *q, *attended;
    float *last_norm, *cosine, *sine, *x, *wide, *logits, *act_scale; /* wide: results of products */
    void *act;                                                        /* what products multiply, f16 or i8 */
    int32_t *prompt, *prompt_position, *token, *position, *history;
} decoder;

/* Memory of the device with these contents, or with bytes of 255, which are no numbers. */
static void *device_memory(decoder *d, const void *from, size_t bytes)
{
    void *p = zed_alloc(d->dev, ZED_DEVICE, bytes, 0);
    if (p && from)
        zed_copy(d->dev, p, from, bytes);
    else if (p)
        zed_fill(d->dev, p, 255, bytes);
    return p;
}

static float *device_floats(decoder *d, const double *from, size_t count)
{
    float *rounded = (float *)malloc(count * sizeof *rounded), *p = NULL;
    for (size_t i = 0; rounded && i < count; i++) rounded[i] = (float)from[i];
    if (rounded) p = (float *)device_memory(d, rounded, count * sizeof *rounded);
    free(rounded);
    return p;
}

static uint16_t *device_halves(decoder *d, const float *from, size_t count)
{
    uint16_t *rounded = (uint16_t *)malloc(count * sizeof *rounded), *p = NULL;
    for (size_t i = 0; rounded && i < count; i++) rounded[i] = spe_f32_to_f16_bits(from[i]);
    if (rounded) p = (uint16_t *)device_memory(d, rounded, count * sizeof *rounded);
    free(rounded);
    return p;
}

static void copy_weights(decoder *d, const weights *w, device_weights *to)
{
    to->packed = device_memory(d, w->packed, packed_bytes(w, d->m->kind));
    if (d->m->kind != F16) to->scale = (uint16_t *)device_memory(d, w->scale, scale_bytes(w, d->m->kind));
}

static size_t cache_bytes(const model *m) /* of one sequence, and of keys or values */
{
    return 2 * (size_t)m->kv_heads * (size_t)m->context * (size_t)m->head_size;
}

static void copy_layer(decoder *d, const layer_weights *w, device_layer *to)
{
    for (int i = 0; i < PRODUCTS; i++) copy_weights(d, &w->product[i], &to->product[i]);
    for (int i = 0; i < 2; i++) to->norm[i] = (float *)device_memory(d, w->norm[i], (size_t)d->m->dim * 4);
    to->k = (uint16_t *)device_memory(d, NULL, (size_t)d->m->sequences * cache_bytes(d->m));
    to->v = (uint16_t *)device_memory(d, NULL, (size_t)d->m->sequences * cache_bytes(d->m));
}

static int largest(int a, int b) { return a > b ? a : b; }

static bool allocate(decoder *d)
{
    const model *m = d->m;
    const size_t rows = (size_t)largest(prompt_length, m->sequences), q_size = (size_t)(m->heads * m->head_size),
                 table = (size_t)m->context * (size_t)m->head_size / 2,
                 act = (size_t)largest(largest(m->dim, m->hidden), m->heads * m->head_size),
                 wide = (size_t)largest(heads_of(m) * m->head_size, 2 * m->hidden);
    for (int l = 0; l < m->layers; l++) copy_layer(d, &m->layer[l], &d->layer[l]);
    copy_weights(d, &m->head, &d->head);
    d->embedding = device_halves(d, m->embedding, (size_t)m->vocabulary * (size_t)m->dim);
    d->last_norm = (float *)device_memory(d, m->last_norm, (size_t)m->dim * 4);
    d->cosine = device_floats(d, m->cosine, table);
    d->sine = device_floats(d, m->sine, table);
    d->x = (float *)device_memory(d, NULL, rows * (size_t)m->dim * 4);
    d->act = device_memory(d, NULL, rows * act * 2);
    d->act_scale = (float *)device_memory(d, NULL, rows * 4);
    d->wide = (float *)device_memory(d, NULL, rows * wide * 4);
    d->q = (uint16_t *)device_memory(d, NULL, rows * q_size * 2);
    d->attended = (uint16_t *)device_memory(d, NULL, rows * q_size * 2);
    d->logits = (float *)zed_alloc(d->dev, ZED_SHARED, SEQUENCES_MAX * (size_t)m->vocabulary * 4, 0);
    d->prompt = (int32_t *)zed_alloc(d->dev, ZED_SHARED, (size_t)prompt_length * 4, 0);
    d->prompt_position = (int32_t *)zed_alloc(d->dev, ZED_SHARED, (size_t)prompt_length * 4, 0);
    d->token = (int32_t *)zed_alloc(d->dev, ZED_SHARED, SEQUENCES_MAX * 4, 0);
    d->position = (int32_t *)zed_alloc(d->dev, ZED_SHARED, SEQUENCES_MAX * 4, 0);
    d->history = (int32_t *)zed_alloc(d->dev, ZED_SHARED, (size_t)m->sequences * (size_t)m->context * 4, 0);
    return !zed_get_error(d->dev)->id || fail_device(d->dev);
}

/* All modules at once, in threads, kept in the folder of --cache; through Vulkan one after the other. */
static bool load_modules(decoder *d, xt_module *modules, zed_kernel *loaded, int count)
{
#if defined(ZE_DISPATCH_VULKAN_)
    bool ok = !cache_folder || fail("--cache: nothing is kept of what Vulkan's driver compiles");
    for (int i = 0; ok && i < count; i++) ok = ZED_LOAD(&loaded[i], d->dev, modules[i]) || fail_device(d->dev);
    return ok;
#else
    zed_source sources[ROLES];
    for (int i = 0; i < count; i++) sources[i] = (zed_source)ZED_SOURCE(modules[i]);
    return zed_load_all(loaded, d->dev, sources, count, cache_folder) || fail_device(d->dev);
#endif
}

static bool load_kernels(decoder *d)
{
    xt_module modules[ROLES];
    zed_kernel loaded[ROLES];
    const xt_target target = {ZED_TARGET(d->dev)};
    int count = build_all(d->m->kind, &target, modules), at = 0;
    bool ok = count && load_modules(d, modules, loaded, count);
    for (int r = 0; r < ROLES && ok; r++)
        if (kernel_of((role)r, d->m->kind)) d->kernel[r] = loaded[at++];
    while (count--) xt_free(&modules[count]);
    return ok;
}

/* ---- recording ---- */

/* A batch that is being recorded, of the prompt or of a step; `rows` tokens. The launches' roles are kept for the table
 * of times. */
typedef struct {
    decoder *d;
    zed_batch batch;
    bool prompt;
    uint32_t rows;
    role launched[32 * LAYERS_MAX];
    int launches;
} recording;

static zed_kernel *next(recording *r, role which)
{
    r->launched[r->launches++] = which;
    return &r->d->kernel[which];
}

static void record_linear(recording *r, const weights *w, const device_weights *at, float *to, uint32_t rows, bool add)
{
    decoder *d = r->d;
    bool many = rows > (uint32_t)d->m->sequences;
    zed_kernel *kernel = next(r, many ? PROMPT_LINEAR : LINEAR);
    uint32_t per_group = many ? 64 : (uint32_t)d->m->sequences, n = (uint32_t)w->outputs, k = (uint32_t)w->inputs;
    zed_groups groups = {(uint32_t)panels_of(w), (rows + per_group - 1) / per_group, 1};
    if (d->m->kind == F16)
        zed_batch_launch(&r->batch, kernel, groups, d->act, at->packed, to, rows, n, k, add);
    else
        zed_batch_launch(&r->batch, kernel, groups, d->act, d->act_scale, at->packed, at->scale, to, rows, n, k, add);
}

static void record_norm(recording *r, const float *x, const float *norm, uint32_t rows)
{
    decoder *d = r->d;
    zed_groups groups = {1, rows, 1};
    zed_kernel *kernel = next(r, NORM);
    uint32_t n = (uint32_t)d->m->dim;
    float epsilon = (float)d->m->epsilon;
    if (d->m->kind == F16)
        zed_batch_launch(&r->batch, kernel, groups, x, norm, d->act, rows, n, epsilon);
    else
        zed_batch_launch(&r->batch, kernel, groups, x, norm, d->act, d->act_scale, rows, n, epsilon);
}

static void record_attention(recording *r, int l)
{
    decoder *d = r->d;
    const model *m = d->m;
    const device_layer *w = &d->layer[l];
    const int32_t *position = r->prompt ? d->prompt_position : d->position;
    const uint32_t block = (uint32_t)made.queries;
    uint32_t context = (uint32_t)m->context, queries = (uint32_t)m->heads, size = queries * (uint32_t)m->head_size;
    zed_batch_launch(&r->batch, next(r, ROTATE), ((zed_groups){(uint32_t)heads_of(m), r->rows, 1}), d->wide, d->cosine,
                     d->sine, position, d->q, w->k, w->v, r->rows, !r->prompt, context);
    if (r->prompt)
        zed_batch_launch(&r->batch, next(r, PROMPT_ATTEND),
                         ((zed_groups){(r->rows + block - 1) / block, queries, 1}), d->q, w->k, w->v, d->attended,
                         r->rows, context);
    else
        zed_batch_launch(&r->batch, next(r, ATTEND), ((zed_groups){(uint32_t)m->kv_heads, r->rows, 1}), d->q, w->k,
                         w->v, d->attended, position, r->rows, context);
    if (m->kind == F16)
        zed_batch_copy(&r->batch, d->act, d->attended, 2 * (size_t)r->rows * size);
    else
        zed_batch_launch(&r->batch, next(r, QUANTIZE), ((zed_groups){1, r->rows, 1}), d->attended, d->act, d->act_scale,
                         r->rows, size);
}

static void record_layer(recording *r, int l)
{
    decoder *d = r->d;
    const layer_weights *w = &d->m->layer[l];
    const device_layer *at = &d->layer[l];
    zed_groups rows = {1, r->rows, 1};
    uint32_t inner = (uint32_t)d->m->hidden;
    record_norm(r, d->x, at->norm[0], r->rows);
    record_linear(r, &w->product[QKV], &at->product[QKV], d->wide, r->rows, false);
    record_attention(r, l);
    record_linear(r, &w->product[OUT], &at->product[OUT], d->x, r->rows, true);
    record_norm(r, d->x, at->norm[1], r->rows);
    record_linear(r, &w->product[GATE_UP], &at->product[GATE_UP], d->wide, r->rows, false);
    if (d->m->kind == F16)
        zed_batch_launch(&r->batch, next(r, SWIGLU), rows, d->wide, d->act, r->rows, inner);
    else
        zed_batch_launch(&r->batch, next(r, SWIGLU), rows, d->wide, d->act, d->act_scale, r->rows, inner);
    record_linear(r, &w->product[DOWN], &at->product[DOWN], d->x, r->rows, true);
}

/* The prompt's last token has logits; its keys and values are every sequence's. */
static void record(recording *r, decoder *d, bool prompt)
{
    const model *m = d->m;
    uint32_t n = (uint32_t)m->dim, all = (uint32_t)m->vocabulary, rows;
    *r = (recording){.d = d, .prompt = prompt, .rows = (uint32_t)(prompt ? prompt_length : m->sequences)};
    rows = prompt ? 1 : r->rows;
    zed_batch_begin_timed(&r->batch, d->dev);
    zed_batch_launch(&r->batch, next(r, EMBED), ((zed_groups){1, r->rows, 1}), d->embedding,
                     prompt ? d->prompt : d->token, d->x, r->rows, all, n);
    for (int l = 0; l < m->layers; l++) {
        record_layer(r, l);
        for (int s = 1; prompt && s < m->sequences; s++) {
            size_t at = (size_t)s * cache_bytes(m) / 2;
            zed_batch_copy(&r->batch, d->layer[l].k + at, d->layer[l].k, cache_bytes(m));
            zed_batch_copy(&r->batch, d->layer[l].v + at, d->layer[l].v, cache_bytes(m));
        }
    }
    record_norm(r, d->x + (prompt ? (size_t)(prompt_length - 1) * n : 0), d->last_norm, rows);
    record_linear(r, &m->head, &d->head, d->logits, rows, false);
    zed_batch_launch(&r->batch, next(r, CHOOSE), ((zed_groups){(uint32_t)m->sequences, 1, 1}), d->logits, d->token,
                     d->position, d->history, rows, all, !prompt, (uint32_t)m->context, (uint32_t)seed,
                     (float)temperature);
}

/* ---- the check ---- */

/* How far logits may be off, in units of their root mean square: the standard deviation of the error that is expected.
 * f16: seven roundings a layer to 11 bits (activations, q, k, v, weights of attention) each move what follows by 2^-11
 * of its size at most; they are independent, so their squares add up. Integers: each of four products a layer rounds
 * activations to steps of a 127th of the row's largest, some four times its root mean square. The device rounds numbers
 * that are off by an f16's rounding already, and what falls to the other side moves others, so that the two differ by
 * up to what rounding changes: 0.29 steps of 1/32, 1 %. */
static double deviation(const model *m)
{
    return m->kind == F16 ? 0x1p-11 * sqrt(7 * m->layers + 1) : 0.01 * sqrt(4 * m->layers + 1);
}

/* Six deviations for each logit, which is never met by chance, and two for all of them. */
static bool check_logits(const model *m, const float *got, const double *want, int position, double worst[2])
{
    double size = 0, squares = 0, most = 0, all;
    int at = 0;
    for (int i = 0; i < m->vocabulary; i++) size += want[i] * want[i];
    size = sqrt(size / m->vocabulary);
    for (int i = 0; i < m->vocabulary; i++) {
        double error = fabs((double)got[i] - want[i]) / size;
        if (!(error <= most)) most = error, at = i; /* also if it is no number */
        squares += error * error;
    }
    all = sqrt(squares / m->vocabulary);
    worst[0] = fmax(worst[0], most);
    worst[1] = fmax(worst[1], all);
    if (!(most <= 6 * deviation(m)))
        return fail("position %d, logit %d: %g, want %g within %g", position, at, (double)got[at], want[at],
                    6 * deviation(m) * size);
    return all <= 2 * deviation(m) ||
           fail("position %d: logits are off by %g of their size, allowed %g", position, all, 2 * deviation(m));
}

/* As the kernel does, in f64: the chosen token's logit with its noise is the largest, but for roundings. */
static bool check_choice(const model *m, const float *logits, int sequence, int position, int token)
{
    uint32_t key = (uint32_t)seed ^ ((uint32_t)(sequence * 65536 + position) * 40503u);
    double best = -INFINITY, chosen = -INFINITY;
    for (int i = 0; i < m->vocabulary; i++) {
        double u = ((double)(xt_random(key, (uint32_t)i) >> 9) + 0.5) * 0x1p-23;
        double v = (double)logits[i] - temperature * log(-log(u));
        best = fmax(best, v);
        if (i == token) chosen = v;
    }
    return chosen >= best - 1e-4 * (1 + fabs(best)) ||
           fail("position %d, sequence %d: token %d has %g, the best %g", position, sequence, token, chosen, best);
}

typedef struct {
    const model *m;
    host_cache cache[SEQUENCES_MAX];
    double *logits, worst[2];
} reference;

static bool reference_begin(reference *r, const model *m, const int32_t *prompt)
{
    bool ok = true;
    r->m = m;
    r->logits = (double *)malloc((size_t)m->vocabulary * sizeof *r->logits);
    for (int s = 0; s < m->sequences; s++) {
        r->cache[s].k = (double *)malloc(host_cache_size(m) * sizeof(double));
        r->cache[s].v = (double *)malloc(host_cache_size(m) * sizeof(double));
        ok = ok && r->cache[s].k && r->cache[s].v;
    }
    if (!r->logits || !ok) return fail("out of memory for the check");
    for (int i = 0; i < prompt_length && ok; i++)
        ok = reference_token(m, &r->cache[0], prompt[i], i, i == prompt_length - 1 ? r->logits : NULL);
    for (int s = 1; s < m->sequences && ok; s++) {
        memcpy(r->cache[s].k, r->cache[0].k, host_cache_size(m) * sizeof(double));
        memcpy(r->cache[s].v, r->cache[0].v, host_cache_size(m) * sizeof(double));
    }
    return ok;
}

static void reference_end(reference *r)
{
    free(r->logits);
    for (int s = 0; s < SEQUENCES_MAX; s++) free(r->cache[s].k), free(r->cache[s].v);
}

/* After a batch: the logits, and the tokens that they led to. `before`: the tokens that the step began with. */
static bool check_step(reference *r, const decoder *d, bool prompt, const int32_t *before, int position)
{
    const model *m = r->m;
    bool ok = true;
    for (int s = 0; s < m->sequences && ok; s++) {
        const float *got = d->logits + (prompt ? 0 : (size_t)s * (size_t)m->vocabulary);
        if (!prompt) ok = reference_token(m, &r->cache[s], before[s], position, r->logits);
        ok =
            ok && check_logits(m, got, r->logits, position, r->worst) && check_choice(m, got, s, position, d->token[s]);
        if (ok && (d->position[s] != position + 1 || d->history[s * m->context + position + 1] != d->token[s]))
            ok = fail("sequence %d: position %d after %d", s, d->position[s], position);
    }
    return ok;
}

/* ---- times: a table and a picture ---- */

typedef struct {
    double ns[2][ROLES]; /* of the prompt's batch, and of all steps */
    int launches[2][ROLES];
    double seconds[2];
} times;

static bool add_times(times *t, recording *r)
{
    for (int i = 0; i < r->launches; i++) {
        double ns = zed_batch_ns(&r->batch, i);
        if (ns < 0) return fail_device(r->d->dev);
        t->ns[!r->prompt][r->launched[i]] += ns;
        t->launches[!r->prompt][r->launched[i]]++;
    }
    return true;
}

static double all_ns(const times *t, int which)
{
    double sum = 0;
    for (int r = 0; r < ROLES; r++) sum += t->ns[which][r];
    return sum;
}

static void print_times(const times *t, int kind)
{
    printf("kernel                  prompt: launches, us, share     step: launches, us, share\n");
    for (int r = 0; r < ROLES; r++) {
        if (!kernel_of((role)r, kind)) continue;
        printf("%-20s", kernel_of((role)r, kind)->name);
        for (int i = 0; i < 2; i++) {
            int each = i && steps ? steps : 1;
            double us = t->ns[i][r] / 1000 / each, all = all_ns(t, i);
            printf("   %6d %12.1f %5.1f %%", t->launches[i][r] / each, us, all > 0 ? 100 * t->ns[i][r] / all : 0);
        }
        printf("\n");
    }
}

/* A bar for each kernel: its share of a step, and of the prompt. */
static bool draw_times(const char *path, const times *t, int kind)
{
    static const char *const title[] = {"prompt", "each token"}, *const colour[] = {"#8ab", "#26c"};
    FILE *f = fopen(path, "w");
    int y = 50;
    if (!f) return fail("%s: cannot write it: %s", path, strerror(errno));
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            60 + ROLES * 40);
    for (int i = 0; i < 2; i++)
        fprintf(f, "<text x=\"%d\" y=\"24\" fill=\"%s\">%s: %.0f us in kernels</text>\n", 150 + 220 * i, colour[i],
                title[i], all_ns(t, i) / 1000 / (i && steps ? steps : 1));
    for (int r = 0; r < ROLES; r++) {
        if (!kernel_of((role)r, kind)) continue;
        fprintf(f, "<text x=\"140\" y=\"%d\" text-anchor=\"end\">%s</text>\n", y + 14, kernel_of((role)r, kind)->name);
        for (int i = 0; i < 2; i++) {
            double all = all_ns(t, i), share = all > 0 ? t->ns[i][r] / all : 0;
            fprintf(f, "<rect x=\"150\" y=\"%d\" width=\"%.1f\" height=\"14\" fill=\"%s\"/>", y + 15 * i, 400 * share,
                    colour[i]);
            fprintf(f, "<text x=\"%.1f\" y=\"%d\">%.1f %%</text>\n", 155 + 400 * share, y + 15 * i + 12, 100 * share);
        }
        y += 40;
    }
    fprintf(f, "</svg>\n");
    bool ok = !ferror(f);
    if (fclose(f) != 0) ok = false;
    return ok || fail("%s: cannot write it", path);
}

/* ---- the run ---- */

static bool run_batch(recording *r, times *t, bool first)
{
    double begin = seconds_now();
    bool ok = first ? zed_batch_end(&r->batch) : zed_batch_run(&r->batch);
    t->seconds[!r->prompt] += seconds_now() - begin;
    return (ok || fail_device(r->d->dev)) && add_times(t, r);
}

static bool generate(decoder *d, reference *ref, times *t)
{
    static recording prompt, step;
    const model *m = d->m;
    int32_t before[SEQUENCES_MAX];
    bool ok;
    record(&prompt, d, true);
    record(&step, d, false);
    ok = run_batch(&prompt, t, true) && (!checked || check_step(ref, d, true, NULL, prompt_length - 1));
    for (int i = 0; i < steps && ok; i++) {
        memcpy(before, d->token, sizeof before);
        ok = run_batch(&step, t, i == 0) && (!checked || check_step(ref, d, false, before, prompt_length + i));
    }
    for (int s = 0; s < m->sequences && ok; s++) {
        printf("tokens  ");
        for (int i = 0; i <= steps; i++) printf(" %d", d->history[s * m->context + prompt_length + i]);
        printf("\n");
    }
    return ok;
}

static bool report(const model *m, const times *t, const reference *r)
{
    double rate = steps ? steps * m->sequences / t->seconds[1] : 0;
    print_times(t, m->kind);
    printf("prompt   %d tokens in %.2f ms: %.0f tokens a second\n", prompt_length, t->seconds[0] * 1e3,
           prompt_length / t->seconds[0]);
    if (steps) printf("step     %.3f ms: %.0f tokens a second\n", t->seconds[1] * 1e3 / steps, rate);
    if (checked)
        printf("error    of a logit %.4f of their root mean square at most, allowed %.4f; of all %.4f, allowed %.4f\n",
               r->worst[0], 6 * deviation(m), r->worst[1], 2 * deviation(m));
    if (svg && !draw_times(svg, t, m->kind)) return false;
    printf("ok decoder %s, %d layers of %d, %d + %d tokens, %d sequences\n", weight_names[m->kind], m->layers, m->dim,
           prompt_length, steps, m->sequences);
    return true;
}

/* Numbers between commas, or random ones. */
static bool read_prompt(const model *m, int32_t *to)
{
    uint64_t random = (uint64_t)seed + 77;
    const char *at = prompt_text;
    for (int i = 0; i < prompt_length; i++) {
        char *end = NULL;
        long v = at ? strtol(at, &end, 10) : (long)(random_uniform(&random) * m->vocabulary);
        if (at && (end == at || (*end && *end != ',')))
            return fail("--prompt %s: token numbers, with commas between them", prompt_text);
        if (v < 0 || v >= m->vocabulary)
            return fail("--prompt %s: token %ld, but the vocabulary has %d", prompt_text, v, m->vocabulary);
        to[i] = (int32_t)v;
        if (at) at = *end ? end + 1 : end;
    }
    return true;
}

static bool run_model(zed_device *dev, const model *m)
{
    static decoder d;
    static reference r;
    times t = {{{0}}, {{0}}, {0}};
    bool ok;
    memset(&d, 0, sizeof d);
    d.dev = dev;
    d.m = m;
    ok = allocate(&d) && read_prompt(m, d.prompt);
    for (int i = 0; i < prompt_length && ok; i++) d.prompt_position[i] = i;
    for (int i = 0; i < m->sequences && ok; i++) d.position[i] = prompt_length - 1;
    ok = ok && load_kernels(&d) && (!checked || reference_begin(&r, m, d.prompt)) && generate(&d, &r, &t) &&
         report(m, &t, &r);
    reference_end(&r);
    return ok;
}

/* ---- the model's shape: from the options, or from the file ---- */

static bool set_shape(model *m)
{
    *m = (model){.dim = dim,
                 .hidden = hidden,
                 .layers = layers,
                 .heads = heads,
                 .kv_heads = kv_heads,
                 .vocabulary = vocabulary,
                 .sequences = sequences,
                 .kind = weight_kind,
                 .epsilon = 1e-5};
    m->context = (prompt_length + steps + 16) / 16 * 16;
    m->head_size = dim / heads;
    made.weights = m->kind;
    made.sequences = m->sequences;
    made.heads = m->heads;
    made.kv_heads = m->kv_heads;
    made.head_size = m->head_size;
    return true;
}

static bool check_shape(void)
{
    int size = dim / heads;
    char *end;
    temperature = strtod(temperature_text, &end);
    if (end == temperature_text || *end || !(temperature >= 0 && temperature <= 100))
        return fail("--temperature %s: a number from 0 to 100", temperature_text);
    if (dim % 64 || hidden % 64) return fail("--dim %d, --hidden %d: multiples of 64", dim, hidden);
    if (vocabulary % 16) return fail("--vocabulary %d: a multiple of 16", vocabulary);
    if (dim % heads || (size != 32 && size != 64 && size != 128))
        return fail("--dim %d, --heads %d: heads of 32, 64 or 128 elements", dim, heads);
    if (heads % kv_heads || heads / kv_heads > 8)
        return fail("--heads %d, --kv-heads %d: one to eight heads for each", heads, kv_heads);
    if (prompt_text) {
        prompt_length = 1;
        for (const char *c = prompt_text; *c; c++) prompt_length += *c == ',';
    }
    return file[0] && save ? fail("--save writes made-up weights, not those of %s", file[0]) : true;
}

static bool run(zed_device *dev)
{
    static model m;
    tensor_source source = {.from = file[0], .to = save, .random = (uint64_t)seed};
    bool ok = (!svg || check_output(svg)) && (!save || check_output(save)) && set_shape(&m);
    if (ok && save) ok = tensor_begin(&source.out);
    ok = ok && get_model(&source, &m, theta);
    if (save && source.out.data) ok = tensor_end(&source.out, ok ? save : NULL) && ok;
    ok = ok && pack_model(&m) && run_model(dev, &m);
    free_model(&m);
    return ok;
}

/* ---- modules in files, and the options ---- */

#define FORM(kernel_, what_)                                                                                           \
    {                                                                                                                  \
        .name = #kernel_, .what = what_, .kernel = &kernel_                                                            \
    }
static const example_form forms[] = {
    FORM(linear_f16, "the product of a step"),
    FORM(linear_int, "the same with weights of 8 or 4 bits"),
    FORM(prompt_linear_f16, "the product of a prompt"),
    FORM(prompt_linear_int, "the same with weights of 8 or 4 bits"),
    FORM(attend, "attention of a step"),
    FORM(prompt_attend, "flash attention of a prompt"),
    FORM(rotate, "RoPE, and the cache"),
    FORM(norm_f16, "RMSNorm"),
    FORM(norm_int, "the same to 8 bits"),
    FORM(swiglu_f16, "SwiGLU"),
    FORM(swiglu_int, "the same to 8 bits"),
    FORM(quantize, "rows of f16 to 8 bits"),
    FORM(embed, "the tokens' rows of the embedding"),
    FORM(choose, "sampling"),
    FORMS_END,
};

/* The kernel of --kernel in a module of its own. */
static bool emit_kernel(const char *path, const char *target)
{
    const example_form *f = forms;
    while (!is_asked_for(f)) f++;
    if ((f->kernel == &linear_int || f->kernel == &prompt_linear_int) && made.weights == F16) made.weights = INT8;
    const xt_target for_target = {.name = target};
    xt_build_desc d = description(f->kernel, &for_target);
    xt_module mod = xt_build(&d);
    if (mod.words && asked.print) xt_print(&mod, stdout);
    bool ok = emit_built(path, f->name, &mod);
    xt_free(&mod);
    return ok;
}

/* All kernels of the program in one file, or the asked one. */
static bool emit(const char *path, const char *target)
{
    xt_module modules[ROLES];
    model m;
    if (file[0] || save) return fail("%s: --emit takes no weights", file[0] ? file[0] : save);
    set_shape(&m);
    if (asked.form) return emit_kernel(path, target);
    const xt_target for_target = {.name = target};
    int count = build_all(m.kind, &for_target, modules);
    for (int i = 0; i < count; i++) {
        if (asked.print) xt_print(&modules[i], stdout);
        printf("kernel   %s, %u work-items: %s\n", modules[i].kernel, modules[i].local_size[0], modules[i].params);
    }
    bool ok = count && (asked.print || write_file(path, modules[0].words, modules[0].size));
    if (ok) printf("flags    %s\nok " EXAMPLE ": %s, %zu bytes\n", modules[0].build_flags, path, modules[0].size);
    while (count-- > 0) xt_free(&modules[count]);
    return ok;
}

static const example_option options[] = {
    CHOICE("--weights", "of the products", &weight_kind, weight_names),
    NUMBER("--sequences", "sampled apart, after one prompt", &sequences, 1, SEQUENCES_MAX),
    NUMBER("--prompt-length", "random tokens before the first sampled one", &prompt_length, 1, 65536),
    TEXT("--prompt", "N,N...", "these tokens instead", &prompt_text),
    NUMBER("--tokens", "steps after the prompt", &steps, 0, 65536),
    TEXT("--temperature", "T", "of sampling; 0: the largest logit", &temperature_text),
    NUMBER("--seed", "of made-up weights, prompts and sampling", &seed, 1, 1 << 30),
    NUMBER("--dim", "elements of a token", &dim, 64, 16384),
    NUMBER("--hidden", "elements between gate, up and down", &hidden, 64, 65536),
    NUMBER("--layers", "of attention and SwiGLU", &layers, 1, LAYERS_MAX),
    NUMBER("--heads", "of queries", &heads, 1, 256),
    NUMBER("--kv-heads", "of keys and values", &kv_heads, 1, 256),
    NUMBER("--vocabulary", "tokens", &vocabulary, 64, 65536),
    NUMBER("--theta", "RoPE's base", &theta, 1, 1 << 30),
    CHOICE("--check", "logits of every step against f64", &checked, yes_no),
    TEXT("--cache", "FOLDER", "keep what the driver compiles there", &cache_folder),
    TEXT("--svg", "FILE", "draw the kernels' times", &svg),
    TEXT("--save", "FILE", "write the made-up weights as safetensors", &save),
    OPTIONS_END,
};

int main(int argc, char **argv)
{
    const example e = {
        .about = "a decoder-only transformer; without a file, of made-up weights\n"
                 "MODEL.safetensors (F16, BF16 or F32) has the tensors of a Llama checkpoint of Hugging Face without\n"
                 "biases, in one file; its shapes are given by the options.",
        .options = options,
        .files_help = "[MODEL.safetensors]",
        .files = file,
        .most_files = 1,
        .forms = forms,
        .form_option = "--kernel",
        .check = check_shape,
        .run = run,
        .emit = emit};
    return example_main(argc, argv, &e);
}
