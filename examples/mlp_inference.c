/* mlp_inference.c - the neural shader of the cooperative vector specification: a network 64 -> 64 -> 64 -> 3 evaluated
 * by each of a million work-items, with f16, FP8 (e4m3) or 8-bit integer weights.
 *
 *     cc -std=c11 mlp_inference.c -lm && ./a.out
 *
 * The weights are converted to the mul-optimal layout (and to FP8) on the device. Where the device has cooperative
 * vectors (Vulkan on NVIDIA), these compute the products, of matrices in the device's own layout. Every output is
 * compared with a reference in f64 on the host. mlp_inference --help lists the options. */
#include "coopvec.h"
#include "ze_dispatch.h"

#define EXAMPLE "mlp_inference"
#include "example.h"

/* ---- the kernels. Each work-item evaluates `rounds` inputs; row i of the inputs is that of item i modulo a power of
 * two. */

enum { IN = 64, HIDDEN = 64, OUT = 3, LAYERS = 3, LOCAL = 64, ROUNDS = 16, BIAS_BYTES = 256, LAYER_BYTES = 1 << 14 };
static const int layer_rows[LAYERS] = {HIDDEN, HIDDEN, OUT}, layer_cols[LAYERS] = {IN, HIDDEN, HIDDEN};

/* A layer's matrix, in the layout that the kernel is built for, which CV_USER tells. */
static cv_matrix_ref layer_matrix(CV_CONTEXT, cv_val weights, int layer)
{
    return CV_MATRIX_REF(weights, of(weights), layer_rows[layer], layer_cols[layer],
                         .layout = *(const cv_layout *)CV_USER(), .offset = CV_AT(layer * LAYER_BYTES));
}

static cv_vector_ref layer_bias(CV_CONTEXT, cv_val biases, int layer)
{
    return CV_VECTOR_REF(biases, of(biases), .offset = CV_AT(layer * BIAS_BYTES));
}

/* The input row and output of a work-item in a round. */
static cv_val item_of(CV_CONTEXT, cv_val round)
{
    return CV_ADD(CV_MUL(round, CV_GLOBAL_SIZE()), CV_GLOBAL_ID());
}

/* What a layer's input is multiplied as: where the device's own layout has FP8, with vectors of FP8. */
static cv_interpreted_vector layer_input(CV_CONTEXT, cv_vec v, cv_val weights)
{
    const bool fp8 = *(const cv_layout *)CV_USER() == CV_DEVICE_MUL_OPTIMAL && weights.type == CV_E4M3;
    return fp8 ? CV_INTERPRET(v, e4m3) : CV_INTERPRET(v, f16);
}

/* Weights of any float type: vectors are f16, sums f32. */
static void float_network(CV_CONTEXT, cv_val weights, cv_val biases, cv_val in, cv_val out, cv_val mask, cv_val rounds)
{
    CV_FOR (round, 0, rounds, 1) {
        cv_val i = item_of(CV_SELF, round);
        cv_vec v = CV_LOAD(in, IN, CV_MUL(CV_AND(i, mask), IN));
        for (int layer = 0; layer < LAYERS - 1; layer++)
            v = CV_RELU(CV_MUL_ADD(f16, layer_matrix(CV_SELF, weights, layer), layer_input(CV_SELF, v, weights),
                                   layer_bias(CV_SELF, biases, layer)));
        v = CV_MUL_ADD(f32, layer_matrix(CV_SELF, weights, LAYERS - 1), layer_input(CV_SELF, v, weights),
                       layer_bias(CV_SELF, biases, LAYERS - 1));
        CV_STORE(v, out, CV_MUL(i, OUT));
    }
}

CV_KERNEL (mlp_f16, ptr(f16, weights), ptr(f16, biases), ptr(f16, in), ptr(f32, out), u32(mask), u32(rounds))
{
    float_network(CV_SELF, weights, biases, in, out, mask, rounds);
}

CV_KERNEL (mlp_e4m3, ptr(e4m3, weights), ptr(f16, biases), ptr(f16, in), ptr(f32, out), u32(mask), u32(rounds))
{
    float_network(CV_SELF, weights, biases, in, out, mask, rounds);
}

/* 8-bit integers: vectors are f32, rounded and saturated when they enter a product. Scales are powers of two. */
static const double input_scale = 32, hidden_scale = 1.0 / 512, output_scale = 1.0 / 4096;

CV_KERNEL (mlp_i8, ptr(i8, weights), ptr(i32, biases), ptr(f16, in), ptr(f32, out), u32(mask), u32(rounds))
{
    CV_FOR (round, 0, rounds, 1) {
        cv_val i = item_of(CV_SELF, round);
        cv_vec v = CV_MUL(CV_LOAD(in, IN, CV_MUL(CV_AND(i, mask), IN)), input_scale);
        v = CV_CAST(f32, v);
        for (int layer = 0; layer < LAYERS; layer++) {
            v = CV_MUL_ADD(f32, layer_matrix(CV_SELF, weights, layer), CV_INTERPRET(v, i8),
                           layer_bias(CV_SELF, biases, layer));
            v = layer < LAYERS - 1 ? CV_MUL(CV_RELU(v), hidden_scale) : CV_MUL(v, output_scale);
        }
        CV_STORE(v, out, CV_MUL(i, OUT));
    }
}

typedef struct {
    const char *name;
    const cv_kernel *kernel;
    cv_type weights, biases;
} network;
static const network networks[] = {
    {"f16", &mlp_f16, CV_F16, CV_F16}, {"e4m3", &mlp_e4m3, CV_E4M3, CV_F16}, {"i8", &mlp_i8, CV_I8, CV_I32}};
static const char *const network_names[] = {"f16", "e4m3", "i8", NULL};

/* ---- the program */

static int items = 1048576, only = -1, launches = 1; /* only: index of a network */

/* How products are computed; default: by cooperative vectors, where the device has them. */
enum { PLAIN, NV };
static int with = -1;
static const char *const with_names[] = {"plain", "nv", NULL};

/* ---- data: random numbers, weights as every layer's rows */

static uint64_t random_state = 20;

static double normal(void) { return (double)random_normal(&random_state); }

typedef struct {
    double w[LAYERS][HIDDEN][IN], b[LAYERS][HIDDEN]; /* the values as seen by the device */
} reference;

enum { ROWS = 4096 }; /* distinct inputs */

typedef struct {
    zed_device *dev;
    cv_module mod, conversion;
    zed_kernel kernel, convert;
    cv_layout layout;
    /* on the host, and the same (weights: converted) in the device's own memory */
    char source[LAYERS][HIDDEN * IN * 4], biases[LAYERS * BIAS_BYTES];
    uint16_t in[ROWS * IN];
    float *out;
    void *weights_there, *biases_there, *source_there, *in_there, *out_there;
    reference ref;
} session;

/* ---- weights: f32 (or i8) rows on the host, converted on the device */

/* A weight rounded to the type. */
static double representable(cv_type type, double v)
{
    if (type == CV_I8) return fmin(fmax(nearbyint(v), -127), 127);
    return type == CV_F16 ? (double)spe_f16_bits_to_f32(spe_f32_to_f16_bits((float)v))
                          : (double)spe_e4m3_bits_to_f32(spe_f32_to_e4m3_bits((float)v, true));
}

static void make_weights(session *s, const network *n)
{
    for (int l = 0; l < LAYERS; l++)
        for (int r = 0; r < layer_rows[l]; r++) {
            double b = n->weights == CV_I8 ? nearbyint(normal() * 2000) : normal() * 0.1;
            const int32_t whole = (int32_t)b;
            const uint16_t half = spe_f32_to_f16_bits((float)b);
            if (n->biases == CV_I32)
                memcpy(s->biases + l * BIAS_BYTES + 4 * r, &whole, 4);
            else
                memcpy(s->biases + l * BIAS_BYTES + 2 * r, &half, 2);
            s->ref.b[l][r] = n->biases == CV_I32 ? b : representable(CV_F16, b);
            for (int c = 0; c < layer_cols[l]; c++) {
                float w =
                    (float)(n->weights == CV_I8 ? fmin(fmax(nearbyint(normal() * 40), -127), 127) : normal() * 0.18);
                char *at = s->source[l] + (r * layer_cols[l] + c) * (n->weights == CV_I8 ? 1 : 4);
                if (n->weights == CV_I8)
                    *at = (char)(int8_t)w;
                else
                    memcpy(at, &w, 4);
                s->ref.w[l][r][c] = representable(n->weights, (double)w);
            }
        }
}

/* By the library's kernel, to its layout. */
static bool convert_weights(session *s, const network *n)
{
    cv_conversion_info infos[LAYERS];
    cv_type from = n->weights == CV_I8 ? CV_I8 : CV_F32;
    spe_error error;
    zed_batch batch;
    memset(infos, 0, sizeof infos);
    for (int l = 0; l < LAYERS; l++) {
        cv_conversion_info *i = &infos[l];
        i->dest_info = (cv_conversion_dest_info){.dest_layout = CV_MUL_OPTIMAL,
                                                 .num_rows = (uint32_t)layer_rows[l],
                                                 .num_columns = (uint32_t)layer_cols[l],
                                                 .dest_data_type = n->weights};
        cv_get_conversion_dest_info(&i->dest_info, NULL);
        i->src_info.src_data_type = from;
        i->src_info.src_layout = CV_ROW_MAJOR;
        i->src_info.src_stride = (uint32_t)layer_cols[l] * (from == CV_I8 ? 1 : 4);
        i->src_info.src_size = i->src_info.src_stride * (uint32_t)layer_rows[l];
        i->data_desc.src = (char *)s->source_there + l * LAYER_BYTES;
        i->data_desc.dest = (char *)s->weights_there + l * LAYER_BYTES;
    }
    zed_batch_begin(&batch, s->dev);
    CV_CONVERT_MATRICES(&batch, &s->convert, infos, LAYERS, &error);
    if (error.id) return fail("%s", error.text);
    zed_batch_end(&batch);
    zed_batch_free(&batch);
    return zed_get_error(s->dev)->id == 0 || fail_device(s->dev);
}

/* By the device's command, to its own layout. */
static bool convert_weights_for_nv(session *s, const network *n)
{
#if defined(ZE_DISPATCH_VULKAN_)
    zed_conversion layers[LAYERS];
    memset(layers, 0, sizeof layers);
    for (int l = 0; l < LAYERS; l++) {
        zed_conversion *c = &layers[l];
        c->from = (char *)s->source_there + l * LAYER_BYTES;
        c->to = (char *)s->weights_there + l * LAYER_BYTES;
        c->to_bytes = c->from_bytes = LAYER_BYTES;
        c->from_type = n->weights == CV_I8 ? "i8" : "f32";
        c->to_type = cv_type_name(n->weights);
        c->from_stride = (size_t)layer_cols[l] * (n->weights == CV_I8 ? 1 : 4);
        c->to_layout = ZED_MUL_OPTIMAL;
        c->rows = (uint32_t)layer_rows[l];
        c->columns = (uint32_t)layer_cols[l];
    }
    return zed_convert_matrices(s->dev, layers, LAYERS) || fail_device(s->dev);
#else
    (void)s, (void)n;
    return false;
#endif
}

/* Makes them, and brings them to the device in the session's layout. */
static bool set_weights(session *s, const network *n)
{
    make_weights(s, n);
    if (!zed_copy(s->dev, s->source_there, s->source, sizeof s->source) ||
        !zed_copy(s->dev, s->biases_there, s->biases, sizeof s->biases))
        return fail_device(s->dev);
    return s->layout == CV_DEVICE_MUL_OPTIMAL ? convert_weights_for_nv(s, n) : convert_weights(s, n);
}

/* ---- the reference, and the allowed error */

/* Half of the distance between f16 numbers at v. */
static double half_ulp_f16(double v)
{
    int e;
    frexp(v, &e);
    return ldexp(1, (e < -13 ? -13 : e) - 12);
}

/* Exact values, and bounds of the difference: f32 sums of 65 terms, vectors rounded to f16 between the layers. NVIDIA's
 * cooperative vectors round sums to f16 after every 16 products, and the bias's. With FP8, vectors are rounded to it: a
 * number so far from a tie that the difference does not matter becomes the same. */
static void evaluate_float(const reference *f, bool nv, bool fp8, const uint16_t *in, double *out, double *bound)
{
    double v[IN], e[IN];
    for (int k = 0; k < IN; k++) {
        v[k] = (double)spe_f16_bits_to_f32(in[k]);
        if (fp8) v[k] = representable(CV_E4M3, v[k]);
        e[k] = 0;
    }
    for (int l = 0; l < LAYERS; l++) {
        double y[HIDDEN], d[HIDDEN];
        for (int r = 0; r < layer_rows[l]; r++) {
            double size = fabs(f->b[l][r]);
            y[r] = f->b[l][r];
            d[r] = 0;
            for (int k = 0; k < layer_cols[l]; k++) {
                y[r] += f->w[l][r][k] * v[k];
                size += fabs(f->w[l][r][k]) * (fabs(v[k]) + e[k]);
                d[r] += fabs(f->w[l][r][k]) * e[k];
            }
            d[r] += nv ? size * (IN / 16 + 1) * 0x1p-11 : size * 68 * 0x1p-24;
        }
        for (int r = 0; r < layer_rows[l]; r++) {
            bool last = l == LAYERS - 1;
            v[r] = last || y[r] > 0 ? y[r] : 0;
            e[r] = d[r] + (last && !nv ? 0 : half_ulp_f16(fabs(v[r]) + d[r]));
            if (fp8 && !last) {
                double low = representable(CV_E4M3, v[r] - e[r]), high = representable(CV_E4M3, v[r] + e[r]);
                v[r] = representable(CV_E4M3, v[r]);
                e[r] = fmax(high - v[r], v[r] - low);
            }
        }
    }
    memcpy(out, v, OUT * sizeof *out);
    memcpy(bound, e, OUT * sizeof *bound);
}

/* Integers: nothing differs. */
static void evaluate_i8(const reference *f, const uint16_t *in, double *out, double *bound)
{
    double v[IN];
    for (int k = 0; k < IN; k++)
        v[k] = (double)spe_f16_bits_to_f32(spe_f32_to_f16_bits((float)(spe_f16_bits_to_f32(in[k]) * input_scale)));
    for (int l = 0; l < LAYERS; l++) {
        double y[HIDDEN];
        for (int k = 0; k < layer_cols[l]; k++) v[k] = fmin(fmax(nearbyint(v[k]), -128), 127);
        for (int r = 0; r < layer_rows[l]; r++) {
            y[r] = f->b[l][r];
            for (int k = 0; k < layer_cols[l]; k++) y[r] += f->w[l][r][k] * v[k];
        }
        for (int r = 0; r < layer_rows[l]; r++)
            v[r] = l < LAYERS - 1 ? fmax(y[r], 0) * hidden_scale : y[r] * output_scale;
    }
    for (int r = 0; r < OUT; r++) {
        out[r] = v[r];
        bound[r] = 0;
    }
}

/* Every output of every item. Returns the largest part of its bound that a difference had, in *worst. */
static bool check(const session *s, const network *n, double *worst)
{
    double out[OUT], bound[OUT];
    const bool nv = s->layout == CV_DEVICE_MUL_OPTIMAL;
    *worst = 0;
    for (uint32_t row = 0; row < ROWS; row++) {
        if (n->weights == CV_I8)
            evaluate_i8(&s->ref, s->in + row * IN, out, bound);
        else
            evaluate_float(&s->ref, nv, nv && n->weights == CV_E4M3, s->in + row * IN, out, bound);
        for (uint32_t i = row; i < (uint32_t)items; i += ROWS)
            for (int r = 0; r < OUT; r++) {
                double got = (double)s->out[i * OUT + (uint32_t)r], difference = fabs(got - out[r]);
                if (!(difference <= bound[r]))
                    return fail("%s: item %u, output %d is %.9g, want %.9g within %.3g", n->name, (unsigned)i, r, got,
                                out[r], bound[r]);
                if (bound[r] > 0) *worst = fmax(*worst, difference / bound[r]);
            }
    }
    return true;
}

/* ---- running */

/* Where there is no matrix instruction each lane holds its vectors, in registers of 32 bytes: 8 lanes of them fit. */
static cv_module build(const network *n, const cv_target *target, cv_layout layout)
{
    const cm_target *row = cm_target_row(target->name);
    const int lanes = row && row->block1d ? 8 : 0;
    return CV_BUILD(*n->kernel, target, .local_size = LOCAL, .subgroup_size = lanes,
                    .lowering = with == PLAIN ? CM_PLAIN : CM_AUTO, .registers = 256, .user = &layout);
}

static size_t out_bytes(void) { return (size_t)(uint32_t)items * OUT * sizeof(float); }

static bool allocate(session *s)
{
    s->weights_there = zed_alloc(s->dev, ZED_DEVICE, LAYERS * LAYER_BYTES, 128);
    s->biases_there = zed_alloc(s->dev, ZED_DEVICE, sizeof s->biases, 64);
    s->source_there = zed_alloc(s->dev, ZED_DEVICE, sizeof s->source, 64);
    s->in_there = zed_alloc(s->dev, ZED_DEVICE, sizeof s->in, 64);
    s->out_there = zed_alloc(s->dev, ZED_DEVICE, out_bytes(), 64);
    s->out = (float *)malloc(out_bytes());
    if (!s->out) return fail("out of memory");
    for (int i = 0; i < ROWS * IN; i++) s->in[i] = spe_f32_to_f16_bits((float)normal());
    return zed_copy(s->dev, s->in_there, s->in, sizeof s->in) || fail_device(s->dev);
}

/* Launches the network as often as asked; the least time in nanoseconds, < 0 after an error. */
static double run_often(session *s)
{
    uint32_t groups = (uint32_t)items / (LOCAL * ROUNDS);
    double least = -1;
    for (int i = 0; i < launches; i++) {
        double ns = zed_launch_timed(&s->kernel, (zed_groups){groups, 1, 1}, s->weights_there, s->biases_there,
                                     s->in_there, s->out_there, ROWS - 1, ROUNDS);
        if (ns < 0) return ns;
        if (least < 0 || ns < least) least = ns;
    }
    return least;
}

static bool run_network(session *s, const network *n)
{
    double ns, worst, flops = 2.0 * (IN * HIDDEN + HIDDEN * HIDDEN + HIDDEN * OUT) * (uint32_t)items;
    bool ok;
    const cv_target target = {ZED_TARGET(s->dev)};
    bool nv = s->layout == CV_DEVICE_MUL_OPTIMAL;
    s->mod = build(n, &target, s->layout);
    if (!s->mod.words) return fail_build(&s->mod);
    if (!set_weights(s, n)) return false;
    if (!ZED_LOAD(&s->kernel, s->dev, s->mod)) return fail_device(s->dev);
    zed_fill(s->dev, s->out_there, 0xff, out_bytes()); /* NaN, so that what is not written is noticed */
    ns = run_often(s);
    if (ns < 0 || !zed_copy(s->dev, s->out, s->out_there, out_bytes())) return fail_device(s->dev);
    ok = check(s, n, &worst);
    if (ok)
        printf("ok mlp_inference %s%s: %u items in %.2f ms, %.1f GFLOP/s, largest difference %.3f of its bound\n",
               n->name, nv ? " by cooperative vectors" : "", (unsigned)(uint32_t)items, ns * 1e-6, flops / ns, worst);
    cv_free(&s->mod);
    return ok;
}

static bool run_all(session *s)
{
    const cv_target target = {ZED_TARGET(s->dev)};
    s->conversion = cv_conversion_module(&target);
    s->layout = with != PLAIN && target.vector_product_count ? CV_DEVICE_MUL_OPTIMAL : CV_MUL_OPTIMAL;
    if (with == NV && !target.vector_product_count) return fail("--with nv: the device has no cooperative vectors");
    if (!s->conversion.words) return fail_build(&s->conversion);
    if (!ZED_LOAD(&s->convert, s->dev, s->conversion)) return fail_device(s->dev);
    if (!allocate(s)) return false;
    for (int i = 0; network_names[i]; i++)
        if ((only < 0 || only == i) && !run_network(s, &networks[i])) return false;
    return true;
}

static bool run(zed_device *dev)
{
    static session s;
    bool ok;
    s.dev = dev;
    ok = run_all(&s);
    cv_free(&s.mod);
    cv_free(&s.conversion);
    free(s.out);
    return ok;
}

static bool emit(const char *path, const char *name)
{
    const network *n = &networks[only < 0 ? 0 : only];
    const cv_target target = {.name = name};
    cv_module mod = build(n, &target, CV_MUL_OPTIMAL);
    bool ok = emit_built(path, n->name, &mod);
    cv_free(&mod);
    return ok;
}

static bool check_options(void)
{
    return items % (LOCAL * ROUNDS) == 0 || fail("--items %d: not a multiple of %d", items, LOCAL * ROUNDS);
}

static const example_option options[] = {
    NUMBER("--items", "work-items times rounds, a multiple of 1024", &items, LOCAL *ROUNDS, 1 << 28),
    NUMBER("--launches", "of each network, of which the fastest counts", &launches, 1, 1000),
    CHOICE("--with", "how products are computed; default: nv, cooperative vectors, if the device has them", &with,
           with_names),
    CHOICE("--type", "of the weights; default: all, one after the other", &only, network_names),
    OPTIONS_END,
};

int main(int argc, char **argv)
{
    const example e = {.about = "a network 64 -> 64 -> 64 -> 3 evaluated for every item, checked",
                       .options = options,
                       .check = check_options,
                       .run = run,
                       .emit = emit};
    return example_main(argc, argv, &e);
}
