/* image_filter.c - a Gaussian blur of a picture, along its rows and then along its columns, with three kinds of
 * borders: beyond an edge, pixels equal the edge, mirror the picture, or are black.
 *
 *     cc -std=c11 image_filter.c -lm && ./a.out picture.png blurred.png
 *
 * Both passes blur along lines in memory, and store the transpose. A lane has a line: the neighbours of a pixel are in
 * the lane's other registers. Near the edges, elements outside the picture follow the border mode.
 * Every pixel is checked against f64. See `image_filter --help`.
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "image_filter"
#include "example.h"
#include "example_png.h"
#include "example_registers.h"

#include <ctype.h>

/* A pixel is one to four neighbouring bytes. A work-group of four subgroups takes some pixels of 64 lines at a time,
 * and in each turn some neighbours of each. */
enum { LINES = 64, RADIUS_MAX = 32, TAPS_MAX = 8 };
#define MAP(rows) XT_MAP(.sg_layout = {1, 4}, .sg_data = {rows, LINES / 4})

enum { CLAMP, MIRROR, BLACK };
static const char *const border_names[] = {"clamp", "mirror", "black", NULL};

/* What the kernels are built for; the weights are a parameter, with zeros after them. */
static struct {
    int channels, radius, border;
    bool few_registers;
    float weight[2 * RADIUS_MAX + TAPS_MAX];
} blur = {3, 6, CLAMP, false, {0}};

/* Multiples of 4, so that block messages begin at multiples of four bytes. */
static int pixels_for(int channels) { return blur.few_registers && channels > 1 ? 4 : 16; }
static int taps_for(int channels) { return blur.few_registers && channels > 1 ? 4 : TAPS_MAX; }

/* ---- the kernels ---- */

/* The sums of `count` elements of each line and their neighbours, which are `step` elements apart: the first neighbour
 * of the first element is `skip` elements after the tile's begin. */
static xt_vec blurred(XT_CONTEXT, xt_tile lines, int skip, int count, int step, int taps, xt_border border)
{
    xt_val weights = XT_PARAM("WEIGHTS");
    xt_vec sum = XT_SPLAT(f32, count, LINES, 0, .map = MAP(count));
    XT_FOR (t, 0, 2 * blur.radius + 1, taps, &sum, &lines) {
        xt_vec v = XT_CAST(f32, XT_LOAD_TILE(lines, .border = border));
        for (int i = 0; i < taps; i++) {
            xt_vec neighbours = XT_SLICE(v, skip + i * step, 0, count, LINES, .map = MAP(count));
            sum = XT_FMA(neighbours, XT_LOAD(weights, XT_ADD(t, i)), sum);
        }
        lines = XT_UPDATE_TILE_OFFSET(lines, taps * step, 0);
    }
    return sum;
}

static void store(XT_CONTEXT, xt_vec sum, xt_tile to)
{
    if (to.type == CM_U8) sum = XT_ADD(XT_MIN(sum, 255), 0.5); /* the cast rounds towards zero */
    XT_STORE_TILE(XT_CAST(of(to), sum), to);
}

/* Pixels that have all of their neighbours: channels need not be told apart, as whole lines are loaded. Block messages
 * begin at multiples of four bytes. */
static void blur_inside(XT_CONTEXT, xt_val from, xt_val to, xt_val pixel, xt_val line, int channels)
{
    int before = blur.radius * channels, aligned = (before + 3) / 4 * 4, skip = aligned - before;
    int count = pixels_for(channels) * channels, taps = taps_for(channels);
    int all = (skip + count + (taps - 1) * channels + 3) / 4 * 4;
    xt_val pitch = XT_PARAM("PITCH"), at = XT_MUL(pixel, channels);
    xt_tile in = XT_INIT_TILE(from, of(from), all, LINES, .offset = XT_AT(XT_SUB(at, aligned), line),
                              .shape = XT_AT(pitch, XT_PARAM("COUNT")), .strides = XT_AT(1, pitch), .order = {0, 1},
                              .map = MAP(all));
    xt_tile out = XT_INIT_TILE(to, of(to), count, LINES, .offset = XT_AT(at, line),
                               .shape = XT_AT(XT_MUL(XT_PARAM("LENGTH"), channels), XT_PARAM("PITCH_TO")),
                               .map = MAP(count));
    store(XT_SELF, blurred(XT_SELF, in, skip, count, channels, taps, XT_BORDER_PADDING), out);
}

/* Pixels near a border: channel by channel, each a matrix of every third element for RGB. */
static void blur_border(XT_CONTEXT, xt_val from, xt_val to, xt_val pixel, xt_val line, int channels)
{
    static const xt_border borders[] = {XT_BORDER_CLAMP, XT_BORDER_MIRROR, XT_BORDER_PADDING};
    int pixels = pixels_for(channels), taps = taps_for(channels), all = pixels + taps - 1;
    xt_val pitch = XT_PARAM("PITCH"), pitch_to = XT_PARAM("PITCH_TO"), length = XT_PARAM("LENGTH");
    XT_FOR (c, 0, channels, 1) {
        xt_tile in = XT_INIT_TILE(from, of(from), all, LINES, .offset = XT_AT(c, XT_SUB(pixel, blur.radius), line),
                                  .shape = XT_AT(channels, length, XT_PARAM("COUNT")),
                                  .strides = XT_AT(1, channels, pitch), .order = {0, 1}, .map = MAP(all));
        xt_tile out = XT_INIT_TILE(to, of(to), pixels, LINES, .offset = XT_AT(c, pixel, line),
                                   .shape = XT_AT(channels, length, pitch_to),
                                   .strides = XT_AT(pitch_to, XT_MUL(pitch_to, channels), 1), .map = MAP(pixels));
        store(XT_SELF, blurred(XT_SELF, in, 0, pixels, 1, taps, borders[blur.border]), out);
    }
}

/* Blurs along COUNT lines of LENGTH pixels, and stores the transpose. In registers a line is a column, so that one lane
 * has a pixel and all its neighbours. */
static void blur_lines(XT_CONTEXT, xt_val from, xt_val to, int channels)
{
    int pixels = pixels_for(channels);
    xt_val pixel = XT_MUL(XT_GROUP_ID(0), pixels), line = XT_MUL(XT_GROUP_ID(1), LINES);
    xt_val most = XT_SUB(XT_PARAM("LENGTH"), pixels + blur.radius);
    XT_IF (XT_AND(XT_GE(pixel, blur.radius), XT_LE(pixel, most))) {
        blur_inside(XT_SELF, from, to, pixel, line, channels);
    } XT_ELSE {
        blur_border(XT_SELF, from, to, pixel, line, channels);
    }
}

XT_KERNEL(along_rows, ptr(u8, FROM), ptr(f32, TO), u32(LENGTH), u32(COUNT), u32(PITCH), u32(PITCH_TO),
          ptr(f32, WEIGHTS))
{
    blur_lines(XT_SELF, FROM, TO, blur.channels);
    (void)LENGTH, (void)COUNT, (void)PITCH, (void)PITCH_TO, (void)WEIGHTS;
}

/* The lines of the transpose: one for each byte of a row, of as many elements as there are rows. */
XT_KERNEL(along_columns, ptr(f32, FROM), ptr(u8, TO), u32(LENGTH), u32(COUNT), u32(PITCH), u32(PITCH_TO),
          ptr(f32, WEIGHTS))
{
    blur_lines(XT_SELF, FROM, TO, 1);
    (void)LENGTH, (void)COUNT, (void)PITCH, (void)PITCH_TO, (void)WEIGHTS;
}

/* ---- the program */

static const char *files[2]; /* IN and OUT, NULL: not given */

/* A Gaussian cut off at 2.5 deviations, with weights that add up to 1. */
static bool choose_blur(void)
{
    double sum = 0;
    for (int t = -blur.radius; t <= blur.radius; t++) sum += exp(-0.5 * pow(2.5 * t / blur.radius, 2));
    for (int t = -blur.radius; t <= blur.radius; t++)
        blur.weight[t + blur.radius] = (float)(exp(-0.5 * pow(2.5 * t / blur.radius, 2)) / sum);
    return true;
}

/* ---- pictures ---- */

/* Draws rings that become finer to the right, and a frame that shows the effect of the border. */
static bool draw(png_picture *p)
{
    if (!png_init(p, 270, 479, 3)) return false;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            uint8_t *at = p->at + ((size_t)y * (size_t)p->width + (size_t)x) * 3;
            double r = hypot(x - 150, y - 135), ring = 0.5 + 0.5 * cos(r * r / 250);
            bool frame = x < 6 || y < 6 || x >= p->width - 6 || y >= p->height - 6;
            at[0] = (uint8_t)(frame ? 255 : 230 * ring);
            at[1] = (uint8_t)(frame ? 200 : 60 + 120.0 * x / p->width);
            at[2] = (uint8_t)(frame ? 40 : 200 * (1 - ring));
        }
    return true;
}

/* A number of a PPM header, after blanks and comments. */
static bool ppm_number(FILE *f, int *value)
{
    int c = fgetc(f);
    for (; c == '#' || isspace(c); c = fgetc(f))
        if (c == '#')
            while (c != '\n' && c != EOF) c = fgetc(f);
    for (*value = 0; c >= '0' && c <= '9' && *value < 100000; c = fgetc(f)) *value = *value * 10 + (c - '0');
    return isspace(c); /* one blank ends it */
}

static bool read_ppm(const char *path, png_picture *p)
{
    FILE *f = fopen(path, "rb");
    int height = 0, width = 0, most = 0;
    const char *wrong = NULL;
    if (!f) return fail("%s: cannot read it: %s", path, strerror(errno));
    if (fgetc(f) != 'P' || fgetc(f) != '6')
        wrong = "it is not a binary PPM (P6)";
    else if (!ppm_number(f, &width) || !ppm_number(f, &height) || !ppm_number(f, &most))
        wrong = "its header is malformed";
    else if (most != 255)
        wrong = "it does not have 8 bits a channel";
    else if (height < 1 || height > PNG_SIDE_MAX || width < 1 || width > PNG_SIDE_MAX)
        wrong = "it is not of 1 to 32768 pixels a side";
    if (!wrong && !png_init(p, height, width, 3)) return fclose(f), false;
    if (!wrong && fread(p->at, (size_t)width * 3, (size_t)height, f) != (size_t)height) wrong = "it ends too early";
    fclose(f);
    return !wrong || fail("%s: %s", path, wrong);
}

static bool write_ppm(const char *path, const png_picture *p)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fprintf(f, "P6\n%d %d\n255\n", p->width, p->height) > 0 &&
              fwrite(p->at, (size_t)p->width * 3, (size_t)p->height, f) == (size_t)p->height;
    if (f && fclose(f) != 0) ok = false;
    return ok || fail("%s: cannot write it: %s", path, strerror(errno));
}

static bool is_ppm(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && !strcmp(path + n - 4, ".ppm");
}

/* Loads or draws the picture, after checking that the result can be written. */
static bool take_picture(png_picture *p)
{
    const char *in = files[0], *out = files[1];
    if ((out && !check_output(out)) || !(!in ? draw(p) : is_ppm(in) ? read_ppm(in, p) : png_read(in, p))) return false;
    blur.channels = p->channels;
    return !out || !is_ppm(out) || p->channels == 3 ||
           fail("%s: a PPM file has 3 channels, %s has %d; write a PNG", out, in, p->channels);
}

/* ---- the check: both passes in f64 */

static int host_bordered(int at, int count)
{
    int around = count > 1 ? 2 * (count - 1) : 1; /* back and forth */
    if (blur.border == MIRROR) at = (at % around + around) % around, at = at < count ? at : around - at;
    return at < 0 ? 0 : at >= count ? count - 1 : at;
}

static double host_sum(const double *row, int at, int count, int stride)
{
    double sum = 0;
    for (int t = -blur.radius; t <= blur.radius; t++) {
        bool black = blur.border == BLACK && (at + t < 0 || at + t >= count);
        if (!black)
            sum += (double)blur.weight[t + blur.radius] * row[(size_t)host_bordered(at + t, count) * (size_t)stride];
    }
    return sum;
}

/* A pixel is right if it is the exact value rounded, where "exact" allows for roundings of f32: each of 2 (2 R + 1)
 * multiply-adds, and the weights' sum, by 2^-24 of at most 255. */
static bool check(const png_picture *p, const uint8_t *got)
{
    size_t step = (size_t)p->channels, across = (size_t)p->width * step, count = across * (size_t)p->height, wrong = 0;
    double *in = (double *)malloc(count * sizeof *in), *rows = (double *)malloc(count * sizeof *rows);
    double most = 0.5 + (4 * blur.radius + 6) * 255 * 0x1p-24, largest = 0;
    for (size_t i = 0; in && i < count; i++) in[i] = p->at[i];
    for (size_t i = 0; in && rows && i < count; i++) {
        size_t byte = i % across, line = i - byte;
        rows[i] = host_sum(in + line + byte % step, (int)(byte / step), p->width, p->channels);
    }
    for (size_t i = 0; in && rows && i < count; i++) {
        double want = fmin(host_sum(rows + i % across, (int)(i / across), p->height, (int)across), 255);
        double error = fabs(got[i] - want);
        if (error > largest) largest = error;
        if (error > most && wrong++ == 0)
            printf("row %zu, column %zu, channel %zu: %d, want %.6f\n", i / across, i % across / step, i % step, got[i],
                   want);
    }
    bool ok = in && rows;
    free(in);
    free(rows);
    if (!ok) return fail("out of memory for the check");
    printf("error    %.6f of at most %.6f\n", largest, most);
    return wrong == 0 || fail("%d x %d: %zu elements are wrong", p->height, p->width, wrong);
}

/* ---- the run ---- */

static void choose_sizes(const xt_target *target, int local_memory)
{
    const cm_target *row = cm_target_row(target->name);
    blur.few_registers = row && has_few_registers(row);
    (void)local_memory;
}

static const example_form forms[] = {
    {.name = "rows", .what = "the first pass", .kernel = &along_rows, .fit = choose_sizes},
    {.name = "columns", .what = "the second pass", .kernel = &along_columns, .fit = choose_sizes},
    FORMS_END,
};

/* Lines lie `pitch` bytes apart, as block messages want. */
static uint32_t pitch_of(uint32_t bytes) { return (bytes + 63) / 64 * 64; }

static zed_groups groups_for(uint32_t length, uint32_t count, int channels)
{
    const uint32_t pixels = (uint32_t)pixels_for(channels);
    const zed_groups groups = {(length + pixels - 1) / pixels, (count + LINES - 1) / LINES, 1};
    return groups;
}

static bool filter(zed_device *dev, const png_picture *p, const char *path)
{
    uint32_t height = (uint32_t)p->height, width = (uint32_t)p->width, bytes = width * (uint32_t)p->channels;
    uint32_t pitch = pitch_of(bytes), turned = pitch_of(height * 4) / 4;
    uint8_t *in = (uint8_t *)new_array(dev, (size_t)pitch * height),
            *out = (uint8_t *)new_array(dev, (size_t)pitch * height);
    float *between = (float *)zed_alloc(dev, ZED_DEVICE, (size_t)turned * bytes * sizeof *between, 64),
          *weights = (float *)new_array(dev, sizeof blur.weight);
    zed_kernel kernel[2];
    double ns[2];
    if (!in || !out || !between || !weights) return fail_device(dev);
    if (!load_form(&forms[0], dev, &kernel[0]) || !load_form(&forms[1], dev, &kernel[1])) return false;
    for (size_t i = 0; i < height; i++) memcpy(in + i * pitch, p->at + i * bytes, bytes);
    memcpy(weights, blur.weight, sizeof blur.weight);
    memset(out, 0xff, (size_t)pitch * height);
    copy_to_device(dev);
    ns[0] = zed_launch_timed(&kernel[0], groups_for(width, height, p->channels), on_device(in), between, width, height,
                             pitch, turned, on_device(weights));
    ns[1] = zed_launch_timed(&kernel[1], groups_for(height, bytes, 1), between, on_device(out), height, bytes, turned,
                             pitch, on_device(weights));
    if (ns[0] < 0 || ns[1] < 0 || !copy_from_device(dev, out)) return fail_device(dev);
    printf("time     %.3f ms along rows, %.3f ms along columns\n", ns[0] * 1e-6, ns[1] * 1e-6);
    for (size_t i = 1; i < height; i++) memmove(out + i * bytes, out + i * pitch, bytes);
    png_picture result = *p;
    result.at = out;
    if (!check(p, out) || (path && !(is_ppm(path) ? write_ppm(path, &result) : png_write(path, &result)))) return false;
    printf("ok image_filter %d x %d, radius %d, %s, %.1f Mpixel/s%s%s\n", p->width, p->height, blur.radius,
           border_names[blur.border], (double)height * width / (ns[0] + ns[1]) * 1e3, path ? "; wrote " : "",
           path ? path : "");
    return true;
}

static bool run(zed_device *dev)
{
    png_picture p = {0, 0, 0, NULL};
    bool ok = take_picture(&p) && filter(dev, &p, files[1]);
    free(p.at);
    return ok;
}

static const example_option options[] = {
    NUMBER("--radius", "pixels on either side, up to 32", &blur.radius, 1, RADIUS_MAX),
    CHOICE("--border", "what lies beyond the picture", &blur.border, border_names),
    OPTIONS_END,
};

int main(int argc, char **argv)
{
    const example e = {
        .about = "a Gaussian blur; without a file, of a picture that it draws\n"
                 "IN and OUT are PNG files (grey or RGB, with alpha or without, 8 bits, not interlaced) or, if the\n"
                 "name ends in .ppm, PPM files (binary: P6, 8 bits). Alpha is blurred like the colours.",
        .options = options,
        .files_help = "[IN [OUT]]",
        .files = files,
        .most_files = 2,
        .forms = forms,
        .form_option = "--pass",
        .check = choose_blur,
        .run = run};
    return example_main(argc, argv, &e);
}
