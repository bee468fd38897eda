/* neural_texture.c - trains a small neural network to reproduce a picture, and writes the result.
 *
 *     cc -std=c11 neural_texture.c -lm && ./a.out
 *
 * The picture is generated. Fourier features of a pixel's position (64, f16) go through a network 64 -> 32 -> 32 -> 3;
 * gradients are summed by the outer product and vector accumulation of cooperative vectors, Adam runs on the device,
 * and the trained f32 matrices are converted to f16 for the next step in the same batch. Where the device has
 * cooperative vectors (Vulkan on NVIDIA), they compute the products, of matrices in its own layout. Then every pixel is
 * evaluated, compared with a reference in f64, and written: PREFIX_target.png, PREFIX_result.png, and the loss curve
 * PREFIX_loss.svg. See neural_texture --help. */
#include "coopvec.h"
#include "ze_dispatch.h"

#define EXAMPLE "neural_texture"
#include "example.h"
#include "example_png.h"


enum { SIDE = 128, PIXELS = SIDE * SIDE, FEATURES = 64, HIDDEN = 32, COLORS = 3 };
enum { LAYERS = 3, LOCAL = 64, BATCH = 2048, BIAS_BYTES = 128 };
static const int layer_rows[LAYERS] = {HIDDEN, HIDDEN, COLORS}, layer_cols[LAYERS] = {FEATURES, HIDDEN, HIDDEN};

/* ---- memory layout. Parameters, gradients and Adam's two moments have the same offsets: matrices in the
 * outer-product-optimal layout, then biases, all f32. The f16 matrices for the products are mul-optimal. */

static uint32_t matrix_size(cv_type type, int layer)
{
    cv_conversion_dest_info d = {.dest_layout = CV_MUL_OPTIMAL, .num_rows = (uint32_t)layer_rows[layer],
                                 .num_columns = (uint32_t)layer_cols[layer], .dest_data_type = type};
    cv_get_conversion_dest_info(&d, NULL);
    return d.dest_size;
}

static uint32_t matrix_offset(cv_type type, int layer)
{
    return layer ? matrix_offset(type, layer - 1) + matrix_size(type, layer - 1) : 0;
}

static uint32_t bias_offset(int layer) { return matrix_offset(CV_F32, LAYERS) + (uint32_t)layer * BIAS_BYTES; }

/* The host's input to the kernels for each step, in shared memory. */
enum { STATE_RATE, STATE_FIRST, STATE_SECOND, STATE_LOSS = 16, STATE_SIZE = 32 };

/* ---- the kernels */

/* Features of pixel i: sines and cosines of 32 random frequencies. */
CV_KERNEL (encode, ptr(f32, frequencies), ptr(f16, features))
{
    cv_val i = CV_GLOBAL_ID();
    cv_val x = CV_MUL(CV_CAST(f32, CV_AND(i, SIDE - 1)), 1.0 / SIDE),
           y = CV_MUL(CV_CAST(f32, CV_SHR(i, 7)), 1.0 / SIDE);
    cv_vec phase = CV_FMA(x, CV_LOAD(frequencies, FEATURES / 2, 0), 0.0);
    phase = CV_FMA(y, CV_LOAD(frequencies, FEATURES / 2, FEATURES / 2), phase);
    CV_STORE(CV_CAST(f16, CV_CONCAT(CV_SIN(phase), CV_COS(phase))), features, CV_MUL(i, FEATURES));
}

/* A layer's matrix, in the layout that the kernel is built for, which CV_USER tells. */
static cv_matrix_ref weights_of(CV_CONTEXT, cv_val weights, int layer)
{
    return CV_MATRIX_REF(weights, f16, layer_rows[layer], layer_cols[layer], .layout = *(const cv_layout *)CV_USER(),
                         .offset = CV_AT(matrix_offset(CV_F16, layer)));
}

/* The same matrix, transposed for back-propagation. */
static cv_matrix_ref transposed_of(CV_CONTEXT, cv_val weights, int layer)
{
    return CV_MATRIX_REF(weights, f16, layer_cols[layer], layer_rows[layer], .layout = *(const cv_layout *)CV_USER(),
                         .transpose = true, .offset = CV_AT(matrix_offset(CV_F16, layer)));
}

/* All layers; v[l] is the input of layer l. The result is f32. */
static cv_vec evaluate(CV_CONTEXT, cv_val weights, cv_val parameters, cv_vec features, cv_vec v[LAYERS])
{
    v[0] = features;
    for (int l = 0; l < LAYERS - 1; l++)
        v[l + 1] = CV_RELU(CV_MUL_ADD(f16, weights_of(CV_SELF, weights, l), v[l],
                                      CV_VECTOR_REF(parameters, f32, .offset = CV_AT(bias_offset(l)))));
    return CV_MUL_ADD(f32, weights_of(CV_SELF, weights, LAYERS - 1), v[LAYERS - 1],
                      CV_VECTOR_REF(parameters, f32, .offset = CV_AT(bias_offset(LAYERS - 1))));
}

CV_KERNEL (infer, ptr(f16, weights), ptr(f32, parameters), ptr(f16, features), ptr(f32, out))
{
    cv_val i = CV_GLOBAL_ID();
    cv_vec v[LAYERS];
    CV_STORE(evaluate(CV_SELF, weights, parameters, CV_LOAD(features, FEATURES, CV_MUL(i, FEATURES)), v), out,
             CV_MUL(i, COLORS));
}

/* One random pixel per work-item. */
CV_KERNEL (train, ptr(f16, weights), ptr(f32, parameters), ptr(f32, gradients), ptr(f16, features), ptr(f32, target),
           ptr(f32, state), ptr(i32, seed))
{
    cv_val h = CV_ADD(CV_MUL(CV_GLOBAL_ID(), -1640531535), CV_ELEMENT(CV_LOAD(seed, 1, 0), 0));
    cv_vec v[LAYERS], error, squares;
    h = CV_MUL(CV_XOR(h, CV_AND(CV_SHR(h, 15), 0x1ffff)), -2048144777);
    h = CV_AND(CV_XOR(h, CV_AND(CV_SHR(h, 13), 0x7ffff)), PIXELS - 1);
    error = evaluate(CV_SELF, weights, parameters, CV_LOAD(features, FEATURES, CV_MUL(h, FEATURES)), v);
    error = CV_SUB(error, CV_LOAD(target, COLORS, CV_MUL(h, COLORS)));
    squares = CV_MUL(error, error);
    CV_VECTOR_ACCUMULATE(squares, CV_VECTOR_REF(state, f32, .offset = CV_AT(STATE_LOSS * 4)));
    for (int l = LAYERS - 1; l >= 0; l--) {
        CV_VECTOR_ACCUMULATE(error, CV_VECTOR_REF(gradients, f32, .offset = CV_AT(bias_offset(l))));
        cv_vec small = CV_CAST(f16, error);
        if (l == 0) v[0] = CV_LOAD(features, FEATURES, CV_MUL(h, FEATURES)); /* again: they need not be held so long */
        CV_OUTER_PRODUCT_ACCUMULATE(small, v[l],
                                    CV_MATRIX_REF(gradients, f32, layer_rows[l], layer_cols[l],
                                                  .layout = CV_OUTER_PRODUCT_OPTIMAL,
                                                  .offset = CV_AT(matrix_offset(CV_F32, l))));
        if (l > 0)
            error = CV_SELECT(CV_GT(v[l], 0), CV_MUL(f32, transposed_of(CV_SELF, weights, l), small), 0);
    }
}

/* Adam, one work-item per parameter; zeroes the gradient for the next step. */
CV_KERNEL (adam, ptr(f32, parameters), ptr(f32, gradients), ptr(f32, first), ptr(f32, second), ptr(f32, state))
{
    cv_val i = CV_GLOBAL_ID(), step;
    cv_vec s = CV_LOAD(state, 3, 0), g = CV_MUL(CV_LOAD(gradients, 1, i), 1.0 / BATCH), m, v;
    m = CV_ADD(CV_MUL(CV_LOAD(first, 1, i), 0.9), CV_MUL(g, 0.1));
    v = CV_ADD(CV_MUL(CV_LOAD(second, 1, i), 0.999), CV_MUL(CV_MUL(g, g), 0.001));
    CV_STORE(m, first, i);
    CV_STORE(v, second, i);
    CV_STORE(CV_SPLAT(f32, 1, 0), gradients, i);
    step = CV_DIV(CV_MUL(CV_ELEMENT(s, STATE_RATE), CV_MUL(CV_ELEMENT(m, 0), CV_ELEMENT(s, STATE_FIRST))),
                  CV_ADD(CV_SQRT(CV_MUL(CV_ELEMENT(v, 0), CV_ELEMENT(s, STATE_SECOND))), 1e-8));
    CV_STORE(CV_SUB(CV_LOAD(parameters, 1, i), step), parameters, i);
}

/* ---- the program */

static int steps; /* 0: not given */

/* How products are computed; default: by cooperative vectors, where the device has them. */
enum { PLAIN, NV };
static int with = -1;
static const char *const with_names[] = {"plain", "nv", NULL};
static const char *prefix = "neural_texture";

static bool write_png(const char *what, uint8_t *rgb)
{
    char path[512];
    snprintf(path, sizeof path, "%s_%s.png", prefix, what);
    const png_picture picture = {SIDE, SIDE, COLORS, rgb};
    return png_write(path, &picture);
}

/* ---- the picture: a sky, hills, a sun with rings and a chequered floor */

static double smooth(double from, double to, double v)
{
    double t = fmin(fmax((v - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

static void picture(double x, double y, float color[COLORS])
{
    double hill = 0.62 + 0.07 * sin(7 * x) + 0.03 * sin(17 * x + 1), ground = smooth(hill - 0.012, hill + 0.012, y);
    double r = hypot(x - 0.68, y - 0.28), sun = 1 - smooth(0.15, 0.17, r), rings = 0.5 + 0.5 * cos(70 * r);
    double checks = 0.5 + 0.5 * tanh(4 * sin(30 * x) * sin(30 * y));
    double sky[COLORS] = {0.25 + 0.5 * y, 0.45 + 0.35 * y, 0.85 - 0.1 * y},
           yellow[COLORS] = {0.98, 0.75 + 0.2 * rings, 0.25 + 0.3 * rings};
    double earth[COLORS] = {0.2 + 0.35 * checks, 0.42 + 0.2 * checks, 0.16 + 0.1 * (1 - checks)};
    for (int c = 0; c < COLORS; c++) {
        double above = sky[c] + sun * (yellow[c] - sky[c]);
        color[c] = (float)(above + ground * (earth[c] - above));
    }
}

static void to_bytes(const float *image, uint8_t *rgb)
{
    for (int i = 0; i < PIXELS * COLORS; i++) rgb[i] = (uint8_t)(255 * fmin(fmax((double)image[i], 0), 1) + 0.5);
}

/* ---- the loss curve */

enum { PLOT_W = 640, PLOT_H = 360, PLOT_LEFT = 56, PLOT_BOTTOM = 48, PLOT_TOP = 16 };

static double psnr(double mse) { return -10 * log10(fmax(mse, 1e-12)); }

/* A smoothed value of step i, in dB. */
static double curve_at(const float *loss, int count, int i)
{
    double sum = 0;
    int n = 0;
    for (int k = i - 8; k <= i + 8; k++)
        if (k >= 0 && k < count) {
            sum += (double)loss[k];
            n++;
        }
    return psnr(sum / n);
}

static double plot_x(int i, int count)
{
    return PLOT_LEFT + (PLOT_W - PLOT_LEFT - 16) * (double)i / (count > 1 ? count - 1 : 1);
}
static double plot_y(double db)
{
    return PLOT_H - PLOT_BOTTOM - (PLOT_H - PLOT_BOTTOM - PLOT_TOP) * fmin(fmax(db / 45, 0), 1);
}

static bool write_svg(const float *loss, int count)
{
    char path[512];
    FILE *f;
    snprintf(path, sizeof path, "%s_loss.svg", prefix);
    f = fopen(path, "w");
    if (!f) return fail("%s: cannot write it", path);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            PLOT_W, PLOT_H);
    for (int db = 0; db <= 45; db += 5)
        fprintf(f, "<path d=\"M%d %.1fH%d\" stroke=\"%s\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n",
                PLOT_LEFT, plot_y(db), PLOT_W - 16, db == 30 ? "#c44" : "#ddd", PLOT_LEFT - 6, plot_y(db) + 4, db);
    for (int tick = 0; tick <= 5; tick++) {
        int i = (count - 1) * tick / 5;
        fprintf(
            f,
            "<path d=\"M%.1f %.1fv5\" stroke=\"#333\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%d</text>\n",
            plot_x(i, count), plot_y(0), plot_x(i, count), plot_y(0) + 18, i + 1);
    }
    fprintf(f,
            "<path d=\"M%d %dV%.1fH%d\" fill=\"none\" stroke=\"#333\"/>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">training step</text>\n"
            "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">PSNR of a batch, dB</text>\n"
            "<text x=\"%d\" y=\"%.1f\" fill=\"#c44\">30 dB: what the picture must reach</text>\n"
            "<path fill=\"none\" stroke=\"#26c\" stroke-width=\"1.5\" d=\"",
            PLOT_LEFT, PLOT_TOP, plot_y(0), PLOT_W - 16, (PLOT_LEFT + PLOT_W - 16) / 2, PLOT_H - 8,
            (PLOT_TOP + PLOT_H - PLOT_BOTTOM) / 2, PLOT_LEFT + 6, plot_y(30) - 5); /* where the curve is low */
    for (int i = 0; i < count; i++)
        fprintf(f, "%c%.1f %.1f", i ? 'L' : 'M', plot_x(i, count), plot_y(curve_at(loss, count, i)));
    fprintf(f, "\"/>\n</svg>\n");
    return fclose(f) == 0 || fail("%s: cannot write it", path);
}

/* ---- the session */

enum { ENCODE, INFER, TRAIN, ADAM, CONVERT, KERNELS };

typedef struct {
    zed_device *dev;
    cv_module mod[KERNELS];
    zed_kernel kernel[KERNELS];
    zed_batch step;
    cv_layout layout; /* of weights */
    uint16_t *features, *weights, *rows; /* rows: the weights row-major, for the device's own layout */
    float *parameters, *gradients, *first, *second, *target, *image, *state, *frequencies, *loss;
    int32_t *seed;
    int steps;
} session;

static uint64_t random_state = 7;

static double normal(void) { return (double)random_normal(&random_state); }

static uint32_t parameter_count(void) { return (bias_offset(LAYERS) / 4 + LOCAL - 1) / LOCAL * LOCAL; }

static cv_module build(int which, const cv_target *target, cv_layout layout)
{
    static const cv_kernel *const kernels[] = {&encode, &infer, &train, &adam};
    if (which == CONVERT) return cv_conversion_module(target);
    const cm_target *row = cm_target_row(target->name);
    const int lanes = row && row->block1d ? 8 : 0; /* which hold their vectors in registers of 32 bytes */
    return CV_BUILD(*kernels[which], target, .local_size = LOCAL, .subgroup_size = lanes,
                    .lowering = with == PLAIN ? CM_PLAIN : CM_AUTO, .registers = 256, .user = &layout);
}

static bool build_all(session *s)
{
    const cv_target target = {ZED_TARGET(s->dev)};
    s->layout = with != PLAIN && target.vector_product_count ? CV_DEVICE_MUL_OPTIMAL : CV_MUL_OPTIMAL;
    if (with == NV && !target.vector_product_count) return fail("--with nv: the device has no cooperative vectors");
    for (int i = 0; i < KERNELS; i++) {
        s->mod[i] = build(i, &target, s->layout);
        if (!s->mod[i].words) return fail_build(&s->mod[i]);
        if (!ZED_LOAD(&s->kernel[i], s->dev, s->mod[i])) return fail_device(s->dev);
    }
    return true;
}

static float *floats(session *s, size_t n)
{
    float *p = (float *)zed_alloc(s->dev, ZED_SHARED, n * sizeof(float), 128);
    if (p) memset(p, 0, n * sizeof(float));
    return p;
}

static bool allocate(session *s)
{
    uint32_t n = parameter_count();
    s->features = (uint16_t *)zed_alloc(s->dev, ZED_SHARED, PIXELS * FEATURES * 2, 128);
    s->weights = (uint16_t *)zed_alloc(s->dev, ZED_SHARED, matrix_offset(CV_F16, LAYERS), 128);
    s->rows = (uint16_t *)zed_alloc(s->dev, ZED_SHARED, matrix_offset(CV_F16, LAYERS), 128);
    s->seed = (int32_t *)zed_alloc(s->dev, ZED_SHARED, 64, 64);
    s->parameters = floats(s, n);
    s->gradients = floats(s, n);
    s->first = floats(s, n);
    s->second = floats(s, n);
    s->target = floats(s, PIXELS * COLORS);
    s->image = floats(s, PIXELS * COLORS);
    s->state = floats(s, STATE_SIZE);
    s->frequencies = floats(s, FEATURES);
    s->loss = (float *)malloc((size_t)s->steps * sizeof *s->loss);
    if (!s->loss) return fail("out of memory");
    return s->frequencies != NULL || fail_device(s->dev);
}

static void start_values(session *s)
{
    for (int l = 0; l < LAYERS; l++)
        for (int r = 0; r < layer_rows[l]; r++)
            for (int c = 0; c < layer_cols[l]; c++) {
                size_t at = cv_element_offset(CV_OUTER_PRODUCT_OPTIMAL, CV_F32, (uint32_t)layer_rows[l], 0, (uint32_t)r,
                                              (uint32_t)c);
                s->parameters[(matrix_offset(CV_F32, l) + at) / 4] = (float)(normal() * sqrt(2.0 / layer_cols[l]));
            }
    memset(s->weights, 0, matrix_offset(CV_F16, LAYERS));
    for (int i = 0; i < FEATURES; i++) s->frequencies[i] = (float)(normal() * 6.283185307179586 * 2.5);
    for (int i = 0; i < PIXELS; i++)
        picture((double)(i % SIDE) / SIDE, (double)(i / SIDE) / SIDE, s->target + i * COLORS);
}

/* The weights to the device's own layout. */
static bool record_conversion_for_nv(session *s)
{
#if defined(ZE_DISPATCH_VULKAN_)
    zed_conversion layers[LAYERS];
    memset(layers, 0, sizeof layers);
    for (int l = 0; l < LAYERS; l++) {
        zed_conversion *c = &layers[l];
        c->from = (char *)s->rows + matrix_offset(CV_F16, l);
        c->to = (char *)s->weights + matrix_offset(CV_F16, l);
        c->from_bytes = c->to_bytes = matrix_size(CV_F16, l);
        c->from_type = c->to_type = "f16";
        c->from_stride = (size_t)layer_cols[l] * 2;
        c->to_layout = ZED_MUL_OPTIMAL;
        c->rows = (uint32_t)layer_rows[l];
        c->columns = (uint32_t)layer_cols[l];
    }
    return zed_batch_convert(&s->step, layers, LAYERS) || fail_device(s->dev);
#else
    (void)s;
    return false;
#endif
}

/* One step: gradients, Adam, and the new f16 matrices. Recorded once, run many times. */
static bool record_step(session *s)
{
    cv_conversion_info infos[LAYERS];
    spe_error error;
    const bool nv = s->layout == CV_DEVICE_MUL_OPTIMAL;
    memset(infos, 0, sizeof infos);
    for (int l = 0; l < LAYERS; l++) {
        infos[l].dest_info = (cv_conversion_dest_info){.dest_layout = nv ? CV_ROW_MAJOR : CV_MUL_OPTIMAL,
                                                       .num_rows = (uint32_t)layer_rows[l],
                                                       .num_columns = (uint32_t)layer_cols[l],
                                                       .dest_data_type = CV_F16};
        cv_get_conversion_dest_info(&infos[l].dest_info, NULL);
        infos[l].src_info = (cv_conversion_src_info){
            .src_size = matrix_size(CV_F32, l), .src_data_type = CV_F32, .src_layout = CV_OUTER_PRODUCT_OPTIMAL};
        infos[l].data_desc.dest = (char *)(nv ? s->rows : s->weights) + matrix_offset(CV_F16, l);
        infos[l].data_desc.src = (char *)s->parameters + matrix_offset(CV_F32, l);
    }
    zed_batch_begin(&s->step, s->dev);
    zed_batch_launch(&s->step, &s->kernel[TRAIN], (zed_groups){BATCH / LOCAL, 1, 1}, s->weights, s->parameters,
                     s->gradients, s->features, s->target, s->state, s->seed);
    zed_batch_launch(&s->step, &s->kernel[ADAM], (zed_groups){parameter_count() / LOCAL, 1, 1}, s->parameters,
                     s->gradients, s->first, s->second, s->state);
    CV_CONVERT_MATRICES(&s->step, &s->kernel[CONVERT], infos, LAYERS, &error);
    if (error.id) return fail("%s", error.text);
    if (nv && !record_conversion_for_nv(s)) return false;
    return zed_get_error(s->dev)->id == 0 || fail_device(s->dev);
}

static bool train_all(session *s)
{
    double begin = seconds_now(), shown = 0;
    for (int t = 0; t < s->steps; t++) {
        bool ran;
        /* step 0 only creates the first f16 matrices: the rate is zero */
        s->state[STATE_RATE] = t == 0 ? 0 : (float)(0.01 * 0.5 * (1.02 + cos(3.14159265 * t / s->steps)));
        s->state[STATE_FIRST] = (float)(1 / (1 - pow(0.9, t + 1)));
        s->state[STATE_SECOND] = (float)(1 / (1 - pow(0.999, t + 1)));
        memset(s->state + STATE_LOSS, 0, 4 * COLORS);
        *s->seed = (int32_t)(random_uniform(&random_state) * 0x7fffffff);
        ran = t == 0 ? zed_batch_end(&s->step) : zed_batch_run(&s->step);
        if (!ran) return fail_device(s->dev);
        s->loss[t] = (s->state[STATE_LOSS] + s->state[STATE_LOSS + 1] + s->state[STATE_LOSS + 2]) / (BATCH * COLORS);
        if (t == 0) { /* step 0 gathered gradients of zero matrices */
            memset(s->first, 0, parameter_count() * sizeof(float));
            memset(s->second, 0, parameter_count() * sizeof(float));
        }
        if (seconds_now() - shown > 0.5 || t == s->steps - 1) {
            shown = seconds_now();
            printf("\rstep %d of %d, %.1f dB, %.1f s ", t + 1, s->steps, psnr((double)s->loss[t]), shown - begin);
            fflush(stdout);
        }
    }
    printf("\n");
    s->loss[0] = s->loss[s->steps > 1];
    return true;
}

/* ---- checking: the network's output for every pixel, in f64 from the same f16 features and matrices */

static double half_ulp_f16(double v)
{
    int e;
    frexp(v, &e);
    return ldexp(1, (e < -13 ? -13 : e) - 12);
}

/* The bound of a sum's error: f32, or that of NVIDIA's cooperative vectors, f16. */
static double sum_error(const session *s, double size, int terms)
{
    if (s->layout != CV_DEVICE_MUL_OPTIMAL) return size * (terms + 4) * 0x1p-24;
    return size * (terms / 16 + 2) * 0x1p-11;
}

static void reference(const session *s, int pixel, double *out, double *bound)
{
    const bool nv = s->layout == CV_DEVICE_MUL_OPTIMAL;
    double v[FEATURES], e[FEATURES];
    for (int k = 0; k < FEATURES; k++) {
        v[k] = (double)spe_f16_bits_to_f32(s->features[pixel * FEATURES + k]);
        e[k] = 0;
    }
    for (int l = 0; l < LAYERS; l++) {
        double y[HIDDEN], d[HIDDEN];
        for (int r = 0; r < layer_rows[l]; r++) {
            double size;
            y[r] = (double)s->parameters[bias_offset(l) / 4 + (uint32_t)r];
            size = fabs(y[r]);
            d[r] = 0;
            for (int k = 0; k < layer_cols[l]; k++) {
                size_t at = cv_element_offset(nv ? CV_ROW_MAJOR : CV_MUL_OPTIMAL, CV_F16, (uint32_t)layer_rows[l],
                                              2 * (uint32_t)layer_cols[l], (uint32_t)r, (uint32_t)k);
                at = (matrix_offset(CV_F16, l) + at) / 2;
                double w = (double)spe_f16_bits_to_f32((nv ? s->rows : s->weights)[at]);
                y[r] += w * v[k];
                size += fabs(w) * (fabs(v[k]) + e[k]);
                d[r] += fabs(w) * e[k];
            }
            d[r] += sum_error(s, size, layer_cols[l]);
        }
        for (int r = 0; r < layer_rows[l]; r++) {
            bool last = l == LAYERS - 1;
            v[r] = last || y[r] > 0 ? y[r] : 0;
            e[r] = d[r] + (last ? 0 : half_ulp_f16(fabs(v[r]) + d[r]));
        }
    }
    memcpy(out, v, COLORS * sizeof *out);
    memcpy(bound, e, COLORS * sizeof *bound);
}

static bool check_features(const session *s)
{
    for (int i = 0; i < PIXELS; i++)
        for (int k = 0; k < FEATURES; k++) {
            double x = (double)(i % SIDE) / SIDE, y = (double)(i / SIDE) / SIDE;
            double phase = x * (double)s->frequencies[k % 32] + y * (double)s->frequencies[k % 32 + 32];
            double want = k < 32 ? sin(phase) : cos(phase),
                   got = (double)spe_f16_bits_to_f32(s->features[i * FEATURES + k]);
            /* half a unit of f16, plus the effect of rounding the phase to f32 */
            if (!(fabs(got - want) <= 0x1p-12 + 4 * (fabs(phase) + 1) * 0x1p-24))
                return fail("feature %d of pixel %d is %.7g, want %.7g", k, i, got, want);
        }
    return true;
}

static bool check_image(const session *s)
{
    double out[COLORS], bound[COLORS];
    for (int i = 0; i < PIXELS; i++) {
        reference(s, i, out, bound);
        for (int c = 0; c < COLORS; c++)
            if (!(fabs((double)s->image[i * COLORS + c] - out[c]) <= bound[c]))
                return fail("pixel %d, color %d is %.7g, want %.7g within %.2g", i, c, (double)s->image[i * COLORS + c],
                            out[c], bound[c]);
    }
    return true;
}

static bool write_files(const session *s)
{
    static uint8_t rgb[PIXELS * COLORS];
    to_bytes(s->target, rgb);
    if (!write_png("target", rgb)) return false;
    to_bytes(s->image, rgb);
    return write_png("result", rgb) && write_svg(s->loss, s->steps);
}

/* Refuses an unwritable path before training. */
static bool check_place(void)
{
    char path[512];
    snprintf(path, sizeof path, "%s_loss.svg", prefix);
    return check_output(path);
}

static bool finish(session *s, double seconds)
{
    double error = 0, db;
    memset(s->image, 0xff, PIXELS * COLORS * sizeof(float)); /* NaN, to detect unwritten elements */
    if (!zed_launch(&s->kernel[INFER], (zed_groups){PIXELS / LOCAL, 1, 1}, s->weights, s->parameters, s->features,
                    s->image))
        return fail_device(s->dev);
    if (!check_image(s)) return false;
    for (int i = 0; i < PIXELS * COLORS; i++) {
        double d = fmin(fmax((double)s->image[i], 0), 1) - (double)s->target[i];
        error += d * d;
    }
    db = psnr(error / (PIXELS * COLORS));
    if (!write_files(s)) return false;
    if (db < 30 && !steps) return fail("%.2f dB after %d steps, want 30", db, s->steps);
    printf("ok neural_texture: %.2f dB after %d steps in %.1f s; wrote %s_target.png, %s_result.png, %s_loss.svg\n", db,
           s->steps, seconds, prefix, prefix, prefix);
    return true;
}

static bool train_picture(session *s)
{
    double begin;
    if (!check_place() || !build_all(s) || !allocate(s)) return false;
    start_values(s);
    if (!zed_launch(&s->kernel[ENCODE], (zed_groups){PIXELS / LOCAL, 1, 1}, s->frequencies, s->features))
        return fail_device(s->dev);
    begin = seconds_now();
    return check_features(s) && record_step(s) && train_all(s) && finish(s, seconds_now() - begin);
}

static bool run(zed_device *dev)
{
    static session s;
    bool ok;
    s.dev = dev;
    s.steps = steps ? steps : 1500;
    ok = train_picture(&s);
    for (int i = 0; i < KERNELS; i++) cv_free(&s.mod[i]);
    free(s.loss);
    return ok;
}

static bool emit(const char *path, const char *name)
{
    const cv_target target = {.name = name};
    cv_module mod = build(TRAIN, &target, CV_MUL_OPTIMAL);
    bool ok = emit_built(path, NULL, &mod);
    cv_free(&mod);
    return ok;
}

static const example_option options[] = {
    NUMBER("--steps", "of training (1500)", &steps, 1, 1000000),
    CHOICE("--with", "how products are computed; default: nv, cooperative vectors, if the device has them", &with,
           with_names),
    TEXT("--out", "PREFIX", "of the files that are written", &prefix),
    OPTIONS_END,
};

int main(int argc, char **argv)
{
    const example e = {.about = "trains a network 64 -> 32 -> 32 -> 3 to be a picture, and draws it",
                       .options = options,
                       .run = run,
                       .emit = emit};
    return example_main(argc, argv, &e);
}
