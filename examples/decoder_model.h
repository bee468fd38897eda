/* decoder_model.h - the model of decoder.c on the host: its weights, made up or from a file, rounded and packed as the
 * kernels take them, and the model itself in f64, against which the device's logits are checked.
 */
#ifndef DECODER_MODEL_H
#define DECODER_MODEL_H

#include "decoder_kernels.h"
#include "example_matrices.h"

enum { LAYERS_MAX = 128 };

/* Weights of a layer: queries, keys and values together; likewise gate and up. */
enum { QKV, OUT, GATE_UP, DOWN, PRODUCTS };

typedef struct {
    int outputs, inputs;
    float *at;       /* outputs x inputs, as a checkpoint has them; then rounded to what the device has */
    uint8_t *packed; /* panels of f16 or bytes, see decoder_kernels.h */
    uint16_t *scale; /* of 8 and 4 bits: panels of f16, a row for each group of inputs */
} weights;

typedef struct {
    weights product[PRODUCTS];
    float *norm[2]; /* before attention, and before the rest */
} layer_weights;

typedef struct {
    int dim, hidden, layers, heads, kv_heads, head_size, vocabulary, context, sequences, kind;
    layer_weights layer[LAYERS_MAX];
    weights head;                 /* the logits' */
    float *embedding, *last_norm; /* embedding: f16 values */
    double *cosine, *sine;        /* context x head_size / 2 */
    double epsilon;
} model;

static int heads_of(const model *m) { return m->heads + 2 * m->kv_heads; }
static int groups_of(const weights *w) { return (w->inputs + GROUP - 1) / GROUP; }
static int panels_of(const weights *w) { return (w->outputs + PANEL - 1) / PANEL; }

static size_t packed_bytes(const weights *w, int kind)
{
    size_t elements = (size_t)panels_of(w) * PANEL * (size_t)groups_of(w) * GROUP;
    return kind == F16 ? 2 * elements : kind == INT8 ? elements : elements / 2;
}

static size_t scale_bytes(const weights *w, int kind)
{
    return kind == F16 ? 0 : 2 * (size_t)panels_of(w) * PANEL * (size_t)groups_of(w);
}

/* ---- rounding and packing ---- */

static float *weight_at(const weights *w, int output, int input)
{
    return &w->at[(size_t)output * (size_t)w->inputs + (size_t)input];
}

/* Row and column of a panel's element, as an index of `rows` rows. */
static size_t panel_index(int output, int row, int rows)
{
    return ((size_t)(output / PANEL) * (size_t)rows + (size_t)row) * PANEL + (size_t)(output % PANEL);
}

/* Rounds a group of an output's weights to multiples of a scale, whose largest is 127 or 7, and packs them. */
static void round_group(weights *w, int kind, int output, int group)
{
    const int first = group * GROUP, most = kind == INT8 ? 127 : 7, groups = groups_of(w);
    int count = w->inputs - first < GROUP ? w->inputs - first : GROUP;
    float largest = 0;
    for (int i = 0; i < count; i++) largest = fmaxf(largest, fabsf(*weight_at(w, output, first + i)));
    uint16_t bits = spe_f32_to_f16_bits(largest / (float)most);
    float step = spe_f16_bits_to_f32(bits);
    w->scale[panel_index(output, group, groups)] = bits;
    for (int i = 0; i < GROUP; i++) {
        float *x = i < count ? weight_at(w, output, first + i) : NULL;
        int q = x && step > 0 ? (int)fmaxf(fminf(roundf(*x / step), (float)most), (float)-most) : 0;
        if (x) *x = (float)q * step;
        if (kind == INT8) w->packed[panel_index(output, first + i, groups * GROUP)] = (uint8_t)q;
        uint8_t *byte = &w->packed[panel_index(output, group * HALF + i % HALF, groups * HALF)];
        if (kind == INT4) *byte = i < HALF ? (uint8_t)(q + 8) : (uint8_t)(*byte | (unsigned)q << 4);
    }
}

static bool pack(weights *w, int kind)
{
    w->packed = (uint8_t *)calloc(1, packed_bytes(w, kind));
    w->scale = (uint16_t *)calloc(1, scale_bytes(w, kind) + 1);
    if (!w->packed || !w->scale) return fail("out of memory for %d x %d weights", w->outputs, w->inputs);
    for (int output = 0; output < w->outputs; output++) {
        for (int group = 0; kind != F16 && group < groups_of(w); group++) round_group(w, kind, output, group);
        for (int input = 0; kind == F16 && input < w->inputs; input++) {
            float *x = weight_at(w, output, input);
            uint16_t bits = spe_f32_to_f16_bits(*x);
            memcpy(&w->packed[2 * panel_index(output, input, groups_of(w) * GROUP)], &bits, 2);
            *x = spe_f16_bits_to_f32(bits);
        }
    }
    return true;
}

static bool pack_model(model *m)
{
    bool ok = pack(&m->head, m->kind);
    for (int l = 0; l < m->layers; l++)
        for (int i = 0; i < PRODUCTS; i++) ok = ok && pack(&m->layer[l].product[i], m->kind);
    for (size_t i = 0; i < (size_t)m->vocabulary * (size_t)m->dim; i++)
        m->embedding[i] = spe_f16_bits_to_f32(spe_f32_to_f16_bits(m->embedding[i]));
    return ok;
}

static void free_weights(weights *w) { free(w->at), free(w->packed), free(w->scale); }

static void free_model(model *m)
{
    free_weights(&m->head);
    for (int l = 0; l < m->layers; l++) {
        for (int i = 0; i < PRODUCTS; i++) free_weights(&m->layer[l].product[i]);
        free(m->layer[l].norm[0]), free(m->layer[l].norm[1]);
    }
    free(m->embedding), free(m->last_norm), free(m->cosine), free(m->sine);
}

/* ---- where weights come from: a name in a file of safetensors, or random numbers ---- */

/* The tensors of a model, called as those of a Llama checkpoint of Hugging Face. */
typedef struct {
    const char *from, *to; /* files; NULL: random numbers, and not written */
    uint64_t random;
    tensor_file out;
} tensor_source;

/* A rows x cols tensor; rows 0: a vector. Made-up ones are 0.1 apart from 1, or of a size that keeps activations' size.
 */
static bool get_tensor(tensor_source *s, const char *name, int rows, int cols, float *to)
{
    size_t count = (size_t)(rows ? rows : 1) * (size_t)cols;
    matrix x = {0, 0, NULL};
    if (!s->from) {
        double size = rows ? 1 / sqrt(cols) : 0.1;
        for (size_t i = 0; i < count; i++) to[i] = (rows ? 0 : 1) + (float)size * random_normal(&s->random);
        return !s->to || tensor_write(&s->out, name, rows, cols, to);
    }
    if (!safetensors_read(s->from, name, &x)) return false;
    bool fits = x.rows == (rows ? rows : 1) && x.cols == cols;
    if (fits) memcpy(to, x.at, count * sizeof *to);
    free(x.at);
    return fits || fail("%s: %s is %d x %d, expected %d x %d", s->from, name, x.rows, x.cols, rows ? rows : 1, cols);
}

static float *floats(size_t rows, size_t cols)
{
    float *p = (float *)calloc(rows * cols, sizeof *p);
    if (!p) fail("out of memory for %zu x %zu floats", rows, cols);
    return p;
}

/* A product's weights, from one to three tensors of a layer, one below the other. */
static bool get_product(tensor_source *s, int l, weights *w, int inputs, int count, const char *const *names,
                        const int *outputs)
{
    int row = 0;
    w->inputs = inputs;
    for (int i = 0; i < count; i++) w->outputs += outputs[i];
    w->at = floats((size_t)w->outputs, (size_t)inputs);
    for (int i = 0; i < count && w->at; i++) {
        char name[100];
        snprintf(name, sizeof name, "model.layers.%d.%s.weight", l, names[i]);
        if (!get_tensor(s, name, outputs[i], inputs, weight_at(w, row, 0))) return false;
        row += outputs[i];
    }
    return w->at != NULL;
}

static bool get_layer(tensor_source *s, const model *m, int l, layer_weights *to)
{
    static const char *const attention[] = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"},
                             *const out[] = {"self_attn.o_proj"}, *const gate_up[] = {"mlp.gate_proj", "mlp.up_proj"},
                             *const down[] = {"mlp.down_proj"},
                             *const norms[] = {"input_layernorm", "post_attention_layernorm"};
    const int q = m->heads * m->head_size, kv = m->kv_heads * m->head_size;
    const int qkv_rows[] = {q, kv, kv}, gate_up_rows[] = {m->hidden, m->hidden};
    bool ok = get_product(s, l, &to->product[QKV], m->dim, 3, attention, qkv_rows) &&
              get_product(s, l, &to->product[OUT], q, 1, out, &m->dim) &&
              get_product(s, l, &to->product[GATE_UP], m->dim, 2, gate_up, gate_up_rows) &&
              get_product(s, l, &to->product[DOWN], m->hidden, 1, down, &m->dim);
    for (int i = 0; i < 2 && ok; i++) {
        char name[100];
        snprintf(name, sizeof name, "model.layers.%d.%s.weight", l, norms[i]);
        to->norm[i] = floats(1, (size_t)m->dim);
        ok = to->norm[i] && get_tensor(s, name, 0, m->dim, to->norm[i]);
    }
    return ok;
}

/* Without a tensor of their own, the logits' weights are those of the embedding. */
static bool get_model(tensor_source *s, model *m, double theta)
{
    size_t dim = (size_t)m->dim, half = (size_t)m->head_size / 2;
    bool ok, tied = s->from && !safetensors_has(s->from, "lm_head.weight");
    m->embedding = floats((size_t)m->vocabulary, dim);
    m->last_norm = floats(1, dim);
    m->head = (weights){m->vocabulary, m->dim, floats((size_t)m->vocabulary, dim), NULL, NULL};
    m->cosine = (double *)calloc((size_t)m->context * half, sizeof(double));
    m->sine = (double *)calloc((size_t)m->context * half, sizeof(double));
    ok = m->embedding && m->last_norm && m->head.at && m->cosine && m->sine;
    for (size_t i = 0; ok && i < (size_t)m->context * half; i++) {
        double angle = (double)(i / half) * pow(theta, -(double)(i % half) / (double)half);
        m->cosine[i] = cos(angle);
        m->sine[i] = sin(angle);
    }
    ok = ok && get_tensor(s, "model.embed_tokens.weight", m->vocabulary, m->dim, m->embedding) &&
         get_tensor(s, "model.norm.weight", 0, m->dim, m->last_norm) &&
         get_tensor(s, tied ? "model.embed_tokens.weight" : "lm_head.weight", m->vocabulary, m->dim, m->head.at);
    for (int l = 0; l < m->layers && ok; l++) ok = get_layer(s, m, l, &m->layer[l]);
    return ok;
}

/* ---- the model in f64 ---- */

/* A sequence's keys and values, as they are before they are rounded: [layer][position][kv head][head size]. */
typedef struct {
    double *k, *v;
} host_cache;

static size_t host_cache_size(const model *m)
{
    return (size_t)m->layers * (size_t)m->context * (size_t)(m->kv_heads * m->head_size);
}

/* Activations that are multiplied with integers become integers: multiples of a 127th of the largest. */
static void reference_product(const model *m, const weights *w, const double *x, double *y)
{
    double largest = 1e-30, *rounded = (double *)x;
    for (int i = 0; i < w->inputs; i++) largest = fmax(largest, fabs(x[i]));
    if (m->kind != F16) rounded = (double *)malloc((size_t)w->inputs * sizeof *rounded);
    for (int i = 0; m->kind != F16 && rounded && i < w->inputs; i++)
        rounded[i] = round(x[i] * 127 / largest) * largest / 127;
    for (int output = 0; output < w->outputs; output++) {
        const float *row = weight_at(w, output, 0);
        double sum = rounded ? 0 : NAN;
        for (int i = 0; rounded && i < w->inputs; i++) sum += rounded[i] * (double)row[i];
        y[output] = sum;
    }
    if (rounded != x) free(rounded);
}

static void reference_norm(const model *m, const double *x, const float *g, double *y)
{
    double sum = 0;
    for (int i = 0; i < m->dim; i++) sum += x[i] * x[i];
    for (int i = 0; i < m->dim; i++) y[i] = x[i] / sqrt(sum / m->dim + m->epsilon) * (double)g[i];
}

static void reference_rotate(const model *m, int position, double *head)
{
    const int half = m->head_size / 2;
    for (int i = 0; i < half; i++) {
        double c = m->cosine[(size_t)position * (size_t)half + (size_t)i],
               s = m->sine[(size_t)position * (size_t)half + (size_t)i], a = head[i], b = head[half + i];
        head[i] = a * c - b * s;
        head[half + i] = b * c + a * s;
    }
}

/* One head's query at a position; k and v: its layer's keys and values from position 0 on. */
static void reference_attend(const model *m, const double *q, const double *k, const double *v, int position,
                             double *out)
{
    const size_t size = (size_t)m->head_size, row = (size_t)m->kv_heads * size;
    double sum = 0, most = -INFINITY;
    for (size_t i = 0; i < size; i++) out[i] = 0;
    for (int t = 0; t <= position; t++) {
        double score = 0, scale, weight;
        for (size_t i = 0; i < size; i++) score += q[i] * k[(size_t)t * row + i];
        score /= sqrt((double)size);
        scale = score > most ? exp(most - score) : 1;
        if (score > most) most = score;
        weight = exp(score - most);
        sum = sum * scale + weight;
        for (size_t i = 0; i < size; i++) out[i] = out[i] * scale + weight * v[(size_t)t * row + i];
    }
    for (size_t i = 0; i < size; i++) out[i] /= sum;
}

/* x: the token's activations, of dim elements; room: for all other vectors of a layer. */
static void reference_layer(const model *m, int l, host_cache *cache, int position, double *x, double *room)
{
    const layer_weights *w = &m->layer[l];
    const int size = m->head_size, q_size = m->heads * size, kv_size = m->kv_heads * size;
    const size_t first = (size_t)l * (size_t)m->context * (size_t)kv_size,
                 here = first + (size_t)position * (size_t)kv_size;
    double *normed = room, *qkv = normed + m->dim, *out = qkv + heads_of(m) * size, *up = out + q_size;
    reference_norm(m, x, w->norm[0], normed);
    reference_product(m, &w->product[QKV], normed, qkv);
    for (int h = 0; h < m->heads + m->kv_heads; h++) reference_rotate(m, position, qkv + h * size);
    memcpy(cache->k + here, qkv + q_size, (size_t)kv_size * sizeof *qkv);
    memcpy(cache->v + here, qkv + q_size + kv_size, (size_t)kv_size * sizeof *qkv);
    for (int h = 0; h < m->heads; h++) {
        size_t kv = first + (size_t)(h / (m->heads / m->kv_heads) * size);
        reference_attend(m, qkv + h * size, cache->k + kv, cache->v + kv, position, out + h * size);
    }
    reference_product(m, &w->product[OUT], out, normed);
    for (int i = 0; i < m->dim; i++) x[i] += normed[i];
    reference_norm(m, x, w->norm[1], normed);
    reference_product(m, &w->product[GATE_UP], normed, up);
    for (int i = 0; i < m->hidden; i++) up[i] = up[i] / (1 + exp(-up[i])) * up[m->hidden + i];
    reference_product(m, &w->product[DOWN], up, normed);
    for (int i = 0; i < m->dim; i++) x[i] += normed[i];
}

/* The logits after a token at a position; logits may be NULL. */
static bool reference_token(const model *m, host_cache *cache, int token, int position, double *logits)
{
    size_t room = (size_t)(2 * m->dim + (heads_of(m) + m->heads) * m->head_size + 2 * m->hidden);
    double *x = (double *)calloc(room, sizeof *x);
    if (!x) return fail("out of memory for the check");
    for (int i = 0; i < m->dim; i++) x[i] = (double)m->embedding[(size_t)token * (size_t)m->dim + (size_t)i];
    for (int l = 0; l < m->layers; l++) reference_layer(m, l, cache, position, x, x + m->dim);
    if (logits) {
        reference_norm(m, x, m->last_norm, x + m->dim);
        reference_product(m, &m->head, x + m->dim, logits);
    }
    free(x);
    return true;
}

#endif
