/* quantized_linear.c - the linear layer of a language model with 4- or 8-bit weights: y = x W, f16 activations of a
 * batch of 1 to 16, and a scale for every 64 weights of an output.
 *
 *     w[k][n] = q[k][n] * scale[k / 64][n]          q: -8 to 7, or -128 to 127
 *
 *     cc -std=c11 quantized_linear.c -lm && ./a.out model.safetensors --tensor fc.weight
 *
 * A group's sum of x q is a product of tiles, in which only additions round; the scale multiplies the sum. Two 4-bit
 * weights share a byte: weights r and r + 32 of a group, so that the low halves of 32 rows of bytes are one operand of
 * the product and the high halves the next, without moving data between lanes. Every result is checked against f64 with
 * the same q; the quantisation error is printed, and drawn with --svg. See `quantized_linear --help`.
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "quantized_linear"
#include "example.h"
#include "example_matrices.h"

/* A work-group computes 64 outputs of the whole batch, one group of weights per iteration: few rows, so that pieces are
 * small to have many of them. A group's halves are multiplied in slices of the step that suits the device. Beside the
 * sums are those of a group; where registers are few, a slice's weights as they were stored count, too. */
enum { BATCH = 16, COLUMNS = 64, GROUP = 64, HALF = GROUP / 2 };
static const xt_product whole_batch = {.a = XT_TYPE(f16), .b = XT_TYPE(f16), .live = 1, .rows = BATCH,
                                       .cols = COLUMNS, .sg_rows = BATCH, .sg_cols = COLUMNS / 4};
static const xt_product in_few = {.a = XT_TYPE(f16), .b = XT_TYPE(f16), .live = 1, .extra = 256, .rows = BATCH,
                                  .cols = COLUMNS, .sg_rows = BATCH};

/* ---- the kernels ---- */

static void linear(XT_CONTEXT, int bits, xt_val X, xt_val W, xt_val SCALE, xt_val Y, xt_val M, xt_val N, xt_val K)
{
    const int slice = tiles.k < HALF ? tiles.k : HALF;
    const xt_map map = tiles.c, map_x = xt_map_mma_a(&map, slice), map_w = xt_map_mma_b(&map, slice);
    const xt_map map_scale = {{1, map.sg_layout[1]}, {1, map.sg_data[1]}};
    xt_val j = XT_MUL(XT_GROUP_ID(0), COLUMNS), groups = XT_DIV(XT_ADD(K, GROUP - 1), GROUP);
    xt_val rows = XT_MUL(groups, bits == 4 ? HALF : GROUP); /* of bytes */

    xt_tile x = XT_INIT_TILE(X, f16, BATCH, slice, .shape = XT_AT(M, K), .map = map_x);
    xt_tile w = XT_INIT_TILE(W, of(W), slice, COLUMNS, .offset = XT_AT(0, j), .shape = XT_AT(rows, N), .map = map_w);
    xt_tile scale =
        XT_INIT_TILE(SCALE, f16, 1, COLUMNS, .offset = XT_AT(0, j), .shape = XT_AT(groups, N), .map = map_scale);
    xt_tile y = XT_INIT_TILE(Y, f16, BATCH, COLUMNS, .offset = XT_AT(0, j), .shape = XT_AT(M, N), .map = map);
    xt_vec sum = XT_SPLAT(f32, BATCH, COLUMNS, 0, .map = map);

    XT_FOR(group, 0, groups, 1, &sum, &x, &w, &scale)
    {
        xt_vec part = XT_SPLAT(f32, BATCH, COLUMNS, 0, .map = map);
        for (int k = 0; k < HALF; k += slice) {
            xt_vec low, high, bytes = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(w, k, 0));
            if (bits == 4) { /* stored as 0 to 15 */
                low = XT_SUB(XT_CAST(f16, XT_AND(bytes, 15)), 8);
                high = XT_SUB(XT_CAST(f16, XT_SHR(bytes, 4)), 8);
            } else {
                low = XT_CAST(f16, bytes);
                high = XT_CAST(f16, XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(w, HALF + k, 0)));
            }
            part = XT_TILE_MMA(XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(x, 0, k)), low, part);
            part = XT_TILE_MMA(XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(x, 0, HALF + k)), high, part);
        }
        sum = XT_FMA(part, XT_BROADCAST(XT_CAST(f32, XT_LOAD_TILE(scale)), 0, BATCH, .map = map), sum);
        x = XT_UPDATE_TILE_OFFSET(x, 0, GROUP);
        w = XT_UPDATE_TILE_OFFSET(w, bits == 4 ? HALF : GROUP, 0);
        scale = XT_UPDATE_TILE_OFFSET(scale, 1, 0);
        (void)group;
    }
    XT_STORE_TILE(XT_CAST(f16, sum), y);
}

XT_KERNEL(linear_int4, ptr(f16, X), ptr(u8, W), ptr(f16, SCALE), ptr(f16, Y), u32(M), u32(N), u32(K))
{
    linear(XT_SELF, 4, X, W, SCALE, Y, M, N, K);
}

XT_KERNEL(linear_int8, ptr(f16, X), ptr(i8, W), ptr(f16, SCALE), ptr(f16, Y), u32(M), u32(N), u32(K))
{
    linear(XT_SELF, 8, X, W, SCALE, Y, M, N, K);
}

/* ---- the program */

static int batch, outputs, inputs, bits;    /* 0: not given; bits: index of their names */
static const char *tensor, *svg, *files[3]; /* NULL: not given */
static const char *const bit_names[] = {"4", "8", NULL};

/* ---- the layer ---- */

typedef struct {
    int m, n, k, bits, groups;
    matrix w, x;
    int8_t *q;       /* K x N */
    uint16_t *scale; /* groups x N */
} layer;

static bool random_matrix(matrix *x, int rows, int cols, double deviation, uint64_t *state)
{
    if (!matrix_init(x, rows, cols)) return false;
    for (size_t i = 0; i < (size_t)rows * (size_t)cols; i++) x->at[i] = (float)deviation * random_normal(state);
    return true;
}

static bool read_matrix(const char *path, matrix *x)
{
    return is_safetensors(path) ? safetensors_read(path, NULL, x) : npy_read(path, x);
}

/* PyTorch stores a row per output. */
static bool read_weights(const char *path, matrix *w)
{
    matrix rows = {0, 0, NULL};
    bool ok = true;
    if (!is_safetensors(path)) return tensor ? fail("%s: --tensor is of a safetensors file", path) : npy_read(path, w);
    if (!safetensors_read(path, tensor, &rows) || !matrix_init(w, rows.cols, rows.rows)) ok = false;
    for (size_t i = 0; ok && i < (size_t)rows.rows; i++)
        for (size_t j = 0; j < (size_t)rows.cols; j++)
            w->at[j * (size_t)rows.rows + i] = rows.at[i * (size_t)rows.cols + j];
    free(rows.at);
    return ok;
}

static bool choose_layer(layer *l)
{
    uint64_t state = 2024;
    l->bits = bits ? 8 : 4;
    l->m = batch ? batch : 4;
    l->n = outputs ? outputs : 1024;
    l->k = inputs ? inputs : 768;
    if (files[0] && (outputs || inputs)) return fail("%s: its shape is --n and --k already", files[0]);
    if (files[1] && batch) return fail("%s: its rows are --batch already", files[1]);
    if (!files[0] && tensor) return fail("--tensor requires a file");
    if (files[0] && !read_weights(files[0], &l->w)) return false;
    if (!files[0] && !random_matrix(&l->w, l->k, l->n, 1 / sqrt(l->k), &state)) return false;
    l->k = l->w.rows;
    l->n = l->w.cols;
    if (files[1] ? !read_matrix(files[1], &l->x) : !random_matrix(&l->x, l->m, l->k, 1, &state)) return false;
    l->m = l->x.rows;
    l->groups = (l->k + GROUP - 1) / GROUP;
    if (l->x.cols != l->k)
        return fail("%s: it has %d columns, but the weights have %d rows", files[1], l->x.cols, l->k);
    return l->m <= BATCH || fail("%s: it has %d rows; a batch has at most %d", files[1], l->m, (int)BATCH);
}

/* Rounds to the 16 or 256 multiples of a group's scale, chosen so that its largest weight is one of them. */
static bool quantize(layer *l)
{
    size_t n = (size_t)l->n;
    int most = l->bits == 4 ? 7 : 127;
    l->q = (int8_t *)malloc((size_t)l->k * n);
    l->scale = (uint16_t *)malloc((size_t)l->groups * n * sizeof *l->scale);
    if (!l->q || !l->scale) return fail("out of memory for %d x %d weights", l->k, l->n);
    for (size_t g = 0; g < (size_t)l->groups; g++)
        for (size_t j = 0; j < n; j++) {
            size_t first = g * GROUP, end = first + GROUP < (size_t)l->k ? first + GROUP : (size_t)l->k;
            float largest = 0, step;
            for (size_t k = first; k < end; k++) largest = fmaxf(largest, fabsf(l->w.at[k * n + j]));
            l->scale[g * n + j] = spe_f32_to_f16_bits(largest / (float)most);
            step = spe_f16_bits_to_f32(l->scale[g * n + j]);
            if (!isfinite(step))
                return fail("column %zu: a weight of %g is too large for an f16 scale", j, (double)largest);
            for (size_t k = first; k < end; k++) {
                float q = step > 0 ? nearbyintf(l->w.at[k * n + j] / step) : 0;
                l->q[k * n + j] = (int8_t)fminf(fmaxf(q, (float)-most - 1), (float)most);
            }
        }
    return true;
}

static int weight(const layer *l, size_t k, size_t j) { return k < (size_t)l->k ? l->q[k * (size_t)l->n + j] : 0; }

/* The kernels' format: rows of bytes; for 4 bits, weights r and r + 32 of a group in one byte; the last group is
 * padded. */
static void pack(const layer *l, uint8_t *to)
{
    size_t n = (size_t)l->n;
    for (size_t g = 0; g < (size_t)l->groups; g++)
        for (size_t r = 0; r < (l->bits == 4 ? HALF : GROUP); r++)
            for (size_t j = 0; j < n; j++) {
                int low = weight(l, g * GROUP + r, j), high = weight(l, g * GROUP + HALF + r, j);
                if (l->bits == 4)
                    to[(g * HALF + r) * n + j] = (uint8_t)((low + 8) | (high + 8) << 4);
                else
                    to[(g * GROUP + r) * n + j] = (uint8_t)low;
            }
}

/* ---- the check ---- */

/* In f64: with quantized weights, the sum of the magnitudes of its terms, and with the original weights. */
static void reference(const layer *l, const uint16_t *x, int i, int j, double *want, double *size, double *unquantized)
{
    size_t n = (size_t)l->n, k = (size_t)l->k;
    *want = *size = *unquantized = 0;
    for (size_t a = 0; a < k; a++) {
        double v = (double)spe_f16_bits_to_f32(x[(size_t)i * k + a]);
        double w = (double)spe_f16_bits_to_f32(l->scale[a / GROUP * n + (size_t)j]) * l->q[a * n + (size_t)j];
        *want += v * w;
        *size += fabs(v * w);
        *unquantized += v * (double)l->w.at[a * n + (size_t)j];
    }
}

/* Products x q are exact in f32. Each of K additions in groups, and of two roundings per group, is off by at most 2^-24
 * of the sum of all magnitudes; then the result is rounded to f16. points: for the drawing, two numbers per output. */
static bool check(const layer *l, const uint16_t *x, const uint16_t *y, float *points)
{
    double signal = 0, noise = 0, worst = 0;
    size_t wrong = 0, at = 0;
    for (int i = 0; i < l->m; i++)
        for (int j = 0; j < l->n; j++) {
            double want, size, unquantized, bound, error, got = (double)spe_f16_bits_to_f32(y[at++]);
            reference(l, x, i, j, &want, &size, &unquantized);
            bound = (l->k + 2 * l->groups + 2) * 0x1p-24 * size;
            bound += (fabs(want) + bound) * 0x1p-11 + 0x1p-25;
            error = fabs(got - want);
            if (!(error <= bound) && wrong++ == 0)
                printf("row %d, column %d: %.7g, want %.7g within %.2g\n", i, j, got, want, bound);
            if (error / bound > worst) worst = error / bound;
            signal += unquantized * unquantized;
            noise += (got - unquantized) * (got - unquantized);
            points[2 * at - 2] = (float)unquantized;
            points[2 * at - 1] = (float)got;
        }
    printf("weights  %d bits: results are %.2f%% from those of the original weights\n", l->bits,
           100 * sqrt(noise / fmax(signal, 1e-300)));
    print_error(worst);
    return wrong == 0 || fail("%d x %d x %d: %zu elements are wrong", l->m, l->n, l->k, wrong);
}

/* ---- the picture: each output against the one with unquantized weights ---- */

static bool draw(const char *path, const layer *l, const float *points)
{
    size_t count = (size_t)l->m * (size_t)l->n;
    size_t step = count / 2000 + 1;
    float reach = 1e-6f;
    FILE *f = fopen(path, "w");
    if (!f) return fail("%s: cannot write it: %s", path, strerror(errno));
    for (size_t i = 0; i < 2 * count; i++) reach = fmaxf(reach, fabsf(points[i]));
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"420\" height=\"420\" viewBox=\"0 0 420 420\" "
            "font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<path d=\"M50 370V20M50 370H400\" stroke=\"#333\"/><path d=\"M50 370L400 20\" stroke=\"#c44\"/>\n"
            "<text x=\"225\" y=\"408\">output of the original weights</text>\n"
            "<text transform=\"translate(14 195) rotate(-90)\">output of int%d weights</text>\n",
            l->bits);
    for (int tick = -2; tick <= 2; tick++) {
        int at = 225 + tick * 87;
        fprintf(f, "<text x=\"%d\" y=\"386\">%.2g</text><text x=\"46\" y=\"%d\" text-anchor=\"end\">%.2g</text>\n", at,
                (double)reach * tick / 2, 424 - at, (double)reach * tick / 2);
    }
    fprintf(f, "<g fill=\"#26c\" fill-opacity=\".5\">\n");
    for (size_t i = 0; i < count; i += step)
        fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.5\"/>\n", (double)(225 + points[2 * i] / reach * 174),
                (double)(195 - points[2 * i + 1] / reach * 174));
    fprintf(f, "</g>\n</svg>\n");
    bool ok = !ferror(f);
    if (fclose(f) != 0) ok = false;
    return ok || fail("%s: cannot write it", path);
}

/* ---- the run ---- */

static bool compute(zed_device *dev, zed_kernel *kernel, const layer *l)
{
    size_t m = (size_t)l->m, n = (size_t)l->n, k = (size_t)l->k;
    size_t bytes = (size_t)l->groups * n * (l->bits == 4 ? HALF : GROUP), scales = (size_t)l->groups * n * 2;
    uint16_t *x = (uint16_t *)new_array(dev, m * k * 2), *y = (uint16_t *)new_array(dev, m * n * 2);
    uint16_t *scale = (uint16_t *)new_array(dev, scales);
    uint8_t *w = (uint8_t *)new_array(dev, bytes);
    float *points = (float *)malloc(m * n * 2 * sizeof *points);
    zed_groups groups = {(uint32_t)(l->n + COLUMNS - 1) / COLUMNS, 1, 1};
    double ns;
    bool ok;
    if (!x || !y || !scale || !w) return free(points), fail_device(dev);
    if (!points) return fail("out of memory for the check");
    for (size_t i = 0; i < m * k; i++) x[i] = spe_f32_to_f16_bits(l->x.at[i]);
    for (size_t i = 0; i < m * k; i++)
        if (!isfinite(spe_f16_bits_to_f32(x[i])))
            return free(points),
                   fail("activation (%zu, %zu) is %g: f16 ends at 65504", i / k, i % k, (double)l->x.at[i]);
    memcpy(scale, l->scale, scales);
    pack(l, w);
    memset(y, 0xff, m * n * 2); /* NaN */
    copy_to_device(dev);
    ns = zed_launch_timed(kernel, groups, on_device(x), on_device(w), on_device(scale), on_device(y), (uint32_t)m,
                          (uint32_t)n, (uint32_t)k);
    ok = (ns >= 0 && copy_from_device(dev, y)) || fail_device(dev);
    if (ok) printf("time     %.3f ms, %.2f GB/s of weights\n", ns * 1e-6, (double)(bytes + scales) / ns);
    ok = ok && check(l, x, y, points) && (!svg || draw(svg, l, points));
    ok = ok && (!files[2] || npy_write(files[2], l->m, l->n, y));
    free(points);
    if (ok) printf("ok quantized_linear int%d, batch %d, %d x %d\n", l->bits, l->m, l->k, l->n);
    return ok;
}

static const example_form forms[] = {
    {.kernel = &linear_int4, .product = &whole_batch, .few = &in_few},
    {.kernel = &linear_int8, .product = &whole_batch, .few = &in_few},
    FORMS_END};

static bool run(zed_device *dev)
{
    layer l;
    zed_kernel kernel;
    bool ok;
    memset(&l, 0, sizeof l);
    ok = (!files[2] || check_output(files[2])) && (!svg || check_output(svg)) && choose_layer(&l) && quantize(&l) &&
         load_form(&forms[bits], dev, &kernel) && compute(dev, &kernel, &l);
    free(l.w.at), free(l.x.at), free(l.q), free(l.scale);
    return ok;
}

static bool emit(const char *path, const char *target)
{
    if (files[0]) return fail("%s: --emit takes no matrices", files[0]);
    return emit_form(&forms[bits], path, target);
}

static const example_option options[] = {
    CHOICE("--bits", "of a weight", &bits, bit_names),
    NUMBER("--batch", "rows of x (4)", &batch, 1, BATCH),
    SIZE("--n", "outputs (1024)", &outputs),
    SIZE("--k", "inputs (768)", &inputs),
    TEXT("--tensor", "NAME", "the tensor of a safetensors file with several", &tensor),
    TEXT("--svg", "FILE", "draw the outputs against those of the original weights", &svg),
    OPTIONS_END,
};

int main(int argc, char **argv)
{
    const example e = {
        .about = "y = x W with quantized W; without files, of random ones\n"
                 "W is K x N and X is batch x K: .npy (NumPy, version 1, C order; f16 or f32), or .safetensors (F16,\n"
                 "BF16 or F32), where W is N x K as in PyTorch's Linear; Y.npy is written, f16.",
        .options = options,
        .files_help = "[W [X [Y.npy]]]",
        .files = files,
        .most_files = 3,
        .forms = forms,
        .run = run,
        .emit = emit};
    return example_main(argc, argv, &e);
}
