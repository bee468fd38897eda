/* image_filter.c - a Gaussian blur of a picture, along its rows and then along its columns, with three kinds of
 * borders: beyond an edge, pixels equal the edge, mirror the picture, or are black.
 *
 *     cc -std=c11 image_filter.c -lm && ./a.out picture.png blurred.png
 *
 * The kernels are built for one blur: its weights are constants, and a C loop writes a load and a multiplication for
 * each weight: loads of the same tile, moved by a pixel, whose elements outside the picture follow the border mode.
 * Every pixel is checked against f64. See `image_filter --help`.
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "image_filter"
#include "example.h"
#include "example_png.h"

#include <ctype.h>

/* A pixel is one to four neighbouring bytes. A work-group of four subgroups processes a channel of 16 x 64 pixels. */
enum { ROWS = 16, COLUMNS = 64, RADIUS_MAX = 32 };
#define MAP XT_MAP(.sg_layout = {4, 1}, .sg_data = {4, COLUMNS})

enum { CLAMP, MIRROR, BLACK };
static const char *const border_names[] = {"clamp", "mirror", "black", NULL};

/* The kernels' parameters at build time. */
static struct {
    int channels, radius, border;
    float weight[2 * RADIUS_MAX + 1];
} blur = {3, 6, CLAMP, {0}};

/* ---- the kernels ---- */

/* A channel of a part of the picture: for RGB, every third byte. Between the passes, each channel is a separate
 * matrix. */
static xt_tile channel(XT_CONTEXT, xt_val base, bool bytes, xt_val height, xt_val width)
{
    xt_val c = XT_GROUP_ID(2), i = XT_MUL(XT_GROUP_ID(1), ROWS), j = XT_MUL(XT_GROUP_ID(0), COLUMNS);
    if (!bytes)
        return XT_INIT_TILE(base, f32, ROWS, COLUMNS, .offset = XT_AT(c, i, j),
                            .shape = XT_AT(blur.channels, height, width), .map = MAP);
    return XT_INIT_TILE(base, u8, ROWS, COLUMNS, .offset = XT_AT(c, i, j),
                        .shape = XT_AT(blur.channels, height, width),
                        .strides = XT_AT(1, XT_MUL(width, blur.channels), blur.channels), .map = MAP);
}

/* The sum over the neighbours of each pixel: the same tile, moved by a pixel at a time. */
static xt_vec blurred(XT_CONTEXT, xt_tile tile, bool down)
{
    static const xt_border borders[] = {XT_BORDER_CLAMP, XT_BORDER_MIRROR, XT_BORDER_PADDING};
    xt_vec sum = XT_SPLAT(f32, ROWS, COLUMNS, 0, .map = MAP);
    for (int t = -blur.radius; t <= blur.radius; t++) {
        xt_tile moved = XT_UPDATE_TILE_OFFSET(tile, down ? t : 0, down ? 0 : t);
        xt_vec v = XT_LOAD_TILE(moved, .border = borders[blur.border]);
        sum = XT_FMA(XT_CAST(f32, v), blur.weight[t + blur.radius], sum);
    }
    return sum;
}

XT_KERNEL(along_rows, ptr(u8, FROM), ptr(f32, TO), u32(HEIGHT), u32(WIDTH))
{
    xt_vec sum = blurred(XT_SELF, channel(XT_SELF, FROM, true, HEIGHT, WIDTH), false);
    XT_STORE_TILE(sum, channel(XT_SELF, TO, false, HEIGHT, WIDTH));
}

XT_KERNEL(along_columns, ptr(f32, FROM), ptr(u8, TO), u32(HEIGHT), u32(WIDTH))
{
    xt_vec sum = blurred(XT_SELF, channel(XT_SELF, FROM, false, HEIGHT, WIDTH), true);
    sum = XT_ADD(XT_MIN(sum, 255), 0.5); /* the cast rounds towards zero */
    XT_STORE_TILE(XT_CAST(u8, sum), channel(XT_SELF, TO, true, HEIGHT, WIDTH));
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

static const example_form forms[] = {
    {.name = "rows", .what = "the first pass", .kernel = &along_rows},
    {.name = "columns", .what = "the second pass", .kernel = &along_columns},
    FORMS_END,
};

static bool filter(zed_device *dev, const png_picture *p, const char *path)
{
    size_t count = (size_t)p->height * (size_t)p->width * (size_t)p->channels;
    uint32_t height = (uint32_t)p->height, width = (uint32_t)p->width;
    zed_groups groups = {(width + COLUMNS - 1) / COLUMNS, (height + ROWS - 1) / ROWS, (uint32_t)p->channels};
    uint8_t *in = (uint8_t *)new_array(dev, count), *out = (uint8_t *)new_array(dev, count);
    float *between = (float *)zed_alloc(dev, ZED_DEVICE, count * sizeof *between, 0);
    png_picture result = *p;
    zed_kernel kernel[2];
    double ns[2];
    if (!in || !out || !between) return fail_device(dev);
    if (!load_form(&forms[0], dev, &kernel[0]) || !load_form(&forms[1], dev, &kernel[1])) return false;
    memcpy(in, p->at, count);
    memset(out, 0xff, count);
    copy_to_device(dev);
    ns[0] = zed_launch_timed(&kernel[0], groups, on_device(in), between, height, width);
    ns[1] = zed_launch_timed(&kernel[1], groups, between, on_device(out), height, width);
    if (ns[0] < 0 || ns[1] < 0 || !copy_from_device(dev, out)) return fail_device(dev);
    printf("time     %.3f ms along rows, %.3f ms along columns\n", ns[0] * 1e-6, ns[1] * 1e-6);
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
