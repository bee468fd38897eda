/* test_soft_image_kernels.c - kernels of tests/opencl/images.cl on images filled by hand, in every format, against the
 * OpenCL specification's formulas in double precision: addressing, decoding and filtering of texels.
 */
#include "abi.h"
#include "run/image.h"
#include "run/scheduler.h"
#include "build/build.h"
#include "c/generate.h"
#include "test.h"

#include <math.h>

/* ---- the test's formats: components from the lowest bit on */

struct format {
    uint32_t layout;
    const char *parts;
    const char *types; /* of u i n s f: unsigned, signed, unorm, snorm, float */
};
static const struct format formats[] = {
    {0, "r8", "uins"},
    {1, "r16", "uinsf"},
    {2, "r32", "uinsf"},
    {3, "r8g8", "uins"},
    {4, "r8g8b8a8", "uins"},
    {5, "r16g16", "uinsf"},
    {6, "r16g16b16a16", "uinsf"},
    {7, "r32g32", "uinsf"},
    {8, "r32g32b32a32", "uinsf"},
    {9, "r10g10b10a2", "uins"},
    {10, "r11g11b10", "f"},
    {11, "b5g6r5", "n"},
    {12, "b5g5r5a1", "n"},
    {13, "b4g4r4a4", "n"},
    {43, "r8g8b8", "uins"},
    {44, "r16g16b16", "uinsf"},
    {45, "r32g32b32", "uinsf"},
};
enum { FORMATS = sizeof formats / sizeof *formats };
static const char type_letters[] = "uinsf"; /* in the order of ze_image_format_type_t */
static const char swizzle_letters[] = "rgba01xd";

/* A component's first bit, and its number of bits; 0: none. */
static uint32_t find_part(const char *parts, char letter, uint32_t *bits)
{
    uint32_t at = 0;
    while (*parts) {
        char name = *parts++;
        *bits = (uint32_t)strtoul(parts, (char **)&parts, 10);
        if (name == letter) return at;
        at += *bits;
    }
    *bits = 0;
    return at;
}

static uint32_t texel_bits(const char *parts)
{
    uint32_t none;
    return find_part(parts, '?', &none);
}

static uint64_t bits_at(const uint8_t *p, uint32_t at, uint32_t count)
{
    uint64_t v = 0;
    for (uint32_t k = 0; k < count; k++) v |= (uint64_t)(p[(at + k) / 8] >> (at + k) % 8 & 1) << k;
    return v;
}

/* ---- images */

enum kind { ONE, BUFFER, ONES, TWO, TWOS, THREE, KINDS };
static const char *const kind_names[] = {"1d", "buffer", "1d_array", "2d", "2d_array", "3d"};
enum { MOST = 1 << 15, FIRST = 240, ITEMS = 77, GROUPS = 7 };

static uint8_t memory[MOST], before[MOST];
static struct xs_image image;
static const struct format *format;
static char type; /* of format->types */

static void set_swizzle(const char *letters)
{
    for (int k = 0; k < 4; k++) image.swizzle[k] = (uint8_t)(strchr(swizzle_letters, letters[k]) - swizzle_letters);
}

/* Random bits; floats are finite. */
static void fill_memory(void)
{
    uint32_t bits, all = texel_bits(format->parts);
    for (int i = 0; i < MOST; i++) memory[i] = (uint8_t)(test_random() >> 3);
    for (int i = 0; type == 'f' && i + 16 <= MOST; i += all / 8)
        for (const char *c = "rgba"; *c; c++) {
            uint32_t at = find_part(format->parts, *c, &bits), top = at + bits - (bits >= 16 ? 2 : 1);
            if (bits) memory[i + top / 8] &= (uint8_t) ~(1u << top % 8); /* the exponent's top bit: below 2 */
        }
}

static void make_image(const struct format *f, char t, enum kind kind)
{
    static const char *const swizzles[] = {"rgba", "bgra", "r001", "rgb1", "rg01", "rrr1", "rrrr",
                                           "gbar", "abgr", "000r", "r00g", "1b0x", "d001", "aabb"};
    uint32_t bytes = texel_bits(f->parts) / 8;
    format = f;
    type = t;
    image = (struct xs_image){.data = memory + FIRST,
                              .width = 3 + test_random() % 15,
                              .height = kind >= TWO ? 2 + test_random() % 9 : 1,
                              .depth = kind == THREE ? 2 + test_random() % 5 : 1,
                              .layers = kind == ONES || kind == TWOS ? 2 + test_random() % 4 : 0,
                              .dims = kind >= THREE ? 3
                                      : kind >= TWO ? 2
                                                    : 1,
                              .layout = (uint8_t)f->layout,
                              .type = (uint8_t)(strchr(type_letters, t) - type_letters)};
    set_swizzle(swizzles[test_random() % (sizeof swizzles / sizeof *swizzles)]);
    image.row_pitch = (image.width + test_random() % 5) * bytes;
    image.slice_pitch = image.row_pitch * image.height + test_random() % 9 * bytes;
    fill_memory();
    memcpy(before, memory, MOST);
}

static const uint8_t *texel_in(const uint8_t *base, const int64_t at[3], int64_t layer)
{
    int64_t bytes = texel_bits(format->parts) / 8;
    if (at[0] < 0 || at[0] >= image.width || at[1] < 0 || at[1] >= image.height || at[2] < 0 || at[2] >= image.depth)
        return NULL;
    return base + FIRST + at[0] * bytes + at[1] * (int64_t)image.row_pitch +
           (image.layers ? layer : at[2]) * (int64_t)image.slice_pitch;
}

/* ---- the meaning of bits */

static double meaning(uint64_t v, uint32_t bits)
{
    uint32_t m = bits == 32 ? 23 : bits == 16 ? 10 : bits - 5, e = bits == 32 ? 8 : 5, bias = (1u << (e - 1)) - 1;
    double s = v >> (bits - 1) & 1 ? (double)v - ldexp(1, (int)bits) : (double)v, most = ldexp(1, (int)bits) - 1;
    switch (type) {
    case 'u': return (double)v;
    case 'i': return s;
    case 'n': return (double)v / most;
    case 's': return fmax(-1, s / (ldexp(1, (int)bits - 1) - 1));
    default: {
        double fraction = (double)(v & (((uint64_t)1 << m) - 1)) / ldexp(1, (int)m);
        int exponent = (int)(v >> m & ((1u << e) - 1));
        double x = exponent ? ldexp(1 + fraction, exponent - (int)bias) : ldexp(fraction, 1 - (int)bias);
        if (exponent == (1 << e) - 1) x = fraction != 0 ? NAN : INFINITY;
        return bits >= 16 && v >> (bits - 1) ? -x : x;
    }
    }
}

/* A channel of a texel; NULL: of the border, which is transparent. */
static double channel_of(const uint8_t *texel, uint32_t k)
{
    char letter = swizzle_letters[image.swizzle[k]];
    uint32_t bits, at;
    if (letter == '1') return 1;
    if (letter == '0' || letter == 'x' || !texel) return 0;
    at = find_part(format->parts, letter == 'd' ? 'r' : letter, &bits);
    if (!bits) return letter == 'a';
    return meaning(bits_at(texel, at, bits), bits);
}

/* ---- kernels */

struct program {
    const char *name;
    struct jit_object object;
};
static struct program plain = {.name = "images"}, unoptimised = {.name = "images_unoptimised"}, *program;

/* In the sample, one of the two in the quick tier. */
static bool build(struct program *p)
{
    static uint32_t words[1 << 16];
    char path[256];
    struct sp_text log = {0}, text = {0};
    struct cg_options options = {.default_subgroup_size = 16, .quick = p == &unoptimised && !test_thorough()};
    snprintf(path, sizeof path, "tests/opencl/%s.spv", p->name);
    FILE *f = fopen(path, "rb");
    size_t count = f ? fread(words, 4, sizeof words / 4, f) : 0;
    struct sp_module *m = sp_parse(words, count, NULL, 0, true, &log);
    bool good = m && cg_generate(m, &options, &text, &log) &&
                jit_compile(text.data, text.size, NULL, NULL, &p->object, &log);
    CHECK_MSG(good, "%s: %s", path, log.data ? log.data : "");
    if (f) fclose(f);
    sp_free(m);
    sp_text_free(&log);
    sp_text_free(&text);
    return good;
}

static const struct xs_kernel *kernel_of(const char *name)
{
    for (uint32_t i = 0; program->object.module && i < program->object.module->kernel_count; i++)
        if (!strcmp(program->object.module->kernels[i].name, name)) return &program->object.module->kernels[i];
    test_fail(__FILE__, __LINE__, "no kernel %s", name);
    return NULL;
}

/* Every argument is an address. */
static void launch3(const char *name, const uint32_t groups[3], const uint32_t local[3], uint32_t n,
                    const void *const *args)
{
    const struct xs_kernel *k = kernel_of(name);
    uint8_t block[256] = {0};
    if (!k) return;
    CHECK_INT(k->param_count, n);
    for (uint32_t i = 0; i < n && i < k->param_count; i++) memcpy(block + k->params[i].offset, &args[i], 8);
    struct sched_launch l = {.kernel = k,
                             .args = block,
                             .group_count = {groups[0], groups[1], groups[2]},
                             .local_size = {local[0], local[1], local[2]},
                             .work_dim = 3};
    CHECK_MSG(sched_run(&l) == SCHED_OK, "%s: %s", name, l.error);
}

#define LAUNCH(name, groups, local, ...)                                                                               \
    do {                                                                                                               \
        const void *args_[] = {__VA_ARGS__};                                                                           \
        launch3(name, (const uint32_t[]){groups, 1, 1}, (const uint32_t[]){local, 1, 1}, sizeof args_ / sizeof *args_, \
                args_);                                                                                                \
    } while (0)

static const char *named(const char *what, enum kind kind)
{
    static char name[64];
    snprintf(name, sizeof name, "%s_%s", what, kind_names[kind]);
    return name;
}

static const char *described(void)
{
    static char text[128];
    snprintf(text, sizeof text, "%s %c, swizzle %c%c%c%c, %u x %u x %u, %u layers", format->parts, type,
             swizzle_letters[image.swizzle[0]], swizzle_letters[image.swizzle[1]], swizzle_letters[image.swizzle[2]],
             swizzle_letters[image.swizzle[3]], image.width, image.height, image.depth, image.layers);
    return text;
}

/* ---- results */

union texel {
    float f[4];
    int32_t i[4];
    uint32_t u[4];
};
static union texel result[4 * ITEMS];
static int32_t at[ITEMS][4];
static float real_at[ITEMS][4];

static double result_of(uint32_t item, uint32_t k)
{
    return type == 'u' ? result[item].u[k] : type == 'i' ? (double)result[item].i[k] : (double)result[item].f[k];
}

/* Integers and floats are exact; normalised values are rounded to f32: 1 ulp is allowed. */
static bool is_read(double got, double want)
{
    if (isnan(want)) return isnan(got);
    return got == want || ((type == 'n' || type == 's') && fabs(got - want) <= 0x1p-23 * fabs(want));
}

static const char *read_name(const char *base, enum kind kind)
{
    static char name[64];
    snprintf(name, sizeof name, "%s_%s", base, type == 'u' ? "ui" : type == 'i' ? "i" : "f");
    return named(name, kind);
}

#define EACH_FORMAT(f, t)                                                                                              \
    for (const struct format *f = formats; f < formats + FORMATS; f++)                                                 \
        for (const char *t = f->types; *t; t++)

/* Coordinates in the image, and around it. */
static void random_coordinates(enum kind kind)
{
    const uint32_t sizes[] = {image.width, kind == ONES ? image.layers : image.height,
                              kind == TWOS ? image.layers : image.depth};
    for (uint32_t i = 0; i < ITEMS; i++)
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t size = k < 3 ? sizes[k] : 9;
            at[i][k] = (int32_t)(test_random() % (size + 4)) - (i % 3 ? 0 : 2);
            if (i % 3 && at[i][k] >= (int32_t)size) at[i][k] = (int32_t)size - 1;
            if (i == 5) at[i][k] = INT32_MIN + (int32_t)k;
            if (i == 7) at[i][k] = INT32_MAX - (int32_t)k;
        }
}

static int64_t clamped(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

/* Texel and layer of integer coordinates; unused ones are whatever they are. */
static int64_t split(const int32_t *c, int64_t to[3])
{
    for (uint32_t k = 0; k < 3; k++) to[k] = k < image.dims ? c[k] : 0;
    return image.layers ? clamped(c[image.dims], 0, image.layers - 1) : 0;
}

static void compare_reads(const char *name)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < ITEMS; i++) {
        int64_t to[3], layer = split(at[i], to);
        const uint8_t *texel = texel_in(before, to, layer);
        for (uint32_t k = 0; k < 4; k++) {
            double want = channel_of(texel, k), got = result_of(i, k);
            if (is_read(got, want) || wrong++) continue;
            CHECK_MSG(false, "%s of %s: (%d, %d, %d) channel %u: %.9g, not %.9g", name, described(), at[i][0], at[i][1],
                      at[i][2], k, got, want);
        }
    }
}

TEST(reads)
{
    EACH_FORMAT(f, t)
    for (enum kind kind = ONE; kind < KINDS; kind++) {
        make_image(f, *t, kind);
        random_coordinates(kind);
        memset(result, 0xa5, sizeof result);
        const char *name = read_name("read", kind);
        LAUNCH(name, GROUPS, ITEMS / GROUPS, &image, at, result);
        compare_reads(name);
    }
}

/* ---- writes */

static double number_to_write(uint32_t *bits)
{
    static const double strange[] = {0,        -0.0,      1,   -1,    0.5,   2,    -2,   1e9,  -1e9,
                                     INFINITY, -INFINITY, NAN, 65519, 65520, 3e-8, 6e-8, -1.01,
                                     0x1.000002p-1}; /* of 2^32 - 1 not quite a half more than an odd number */
    uint32_t r = test_random();
    float x = (float)(r % 5 ? test_normal() * (r % 7 ? 0.6 : 40) : strange[r / 5 % 18]);
    if (type == 'u' || type == 'i') {
        *bits = test_random() >> test_random() % 32;
        if (type == 'i' && r % 2) *bits = ~*bits;
        return type == 'u' ? (double)*bits : (double)(int32_t)*bits;
    }
    memcpy(bits, &x, 4);
    return x;
}

/* Whether `got` is a correct encoding of `x`: the nearest value, or either of two equally near. */
static bool is_stored(uint64_t got, uint32_t bits, double x)
{
    double low = type == 'i' || type == 's' ? -ldexp(1, (int)bits - 1) : 0;
    double high = type == 'i' || type == 's' ? -low - 1 : ldexp(1, (int)bits) - 1;
    long double scaled = type == 'n' || type == 's' ? (long double)x * high : x; /* a double would be rounded */
    double stored = got >> (bits - 1) & 1 && low < 0 ? (double)got - ldexp(1, (int)bits) : (double)got, d;
    if (type != 'f') {
        if (isnan(x)) return got == 0;
        return fabsl(stored - fminl(fmaxl(scaled, low), high)) <= 0.5L;
    }
    if (bits < 16 && x < 0) x = 0;
    stored = meaning(got, bits);
    if (isnan(x) || isinf(x) || isinf(stored) || bits == 32) {
        double above = bits == 16   ? 65520
                       : bits == 11 ? 65280
                                    : 65024; /* halfway from the largest to the next power of 2 */
        return isnan(x) ? isnan(stored) : isinf(stored) ? fabs(x) >= above && stored * x > 0 : stored == x;
    }
    d = fabs(stored - x);
    return d <= fabs(meaning(got + 1, bits) - x) && (!(got & 0x7fff) || d <= fabs(meaning(got - 1, bits) - x));
}

/* Each texel is written once at most. */
static void different_coordinates(enum kind kind)
{
    const uint32_t sizes[] = {image.width, kind == ONES ? image.layers : image.height,
                              kind == TWOS ? image.layers : image.depth};
    const uint32_t all = sizes[0] * sizes[1] * sizes[2], first = test_random() % all;
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t n = (first + i) % all;
        at[i][0] = (int32_t)(n % sizes[0]);
        at[i][1] = (int32_t)(n / sizes[0] % sizes[1]);
        at[i][2] = (int32_t)(n / sizes[0] / sizes[1]);
        at[i][3] = -5;
        if (i >= all || i % 8 == 3)
            at[i][i % (image.dims + !!image.layers)] = i % 16 == 3 ? -1 - (int32_t)(i % 5) : 1000;
    }
}

static bool check_written(const uint8_t *texel, const double x[4], uint32_t *part_bits)
{
    for (const char *c = "rgba"; *c; c++) {
        uint32_t bits, from = 0, begin = find_part(format->parts, *c, &bits);
        if (!bits) continue;
        while (from < 4 && swizzle_letters[image.swizzle[from]] != *c &&
               !(*c == 'r' && swizzle_letters[image.swizzle[from]] == 'd'))
            from++;
        *part_bits = bits;
        if (!(from < 4 ? is_stored(bits_at(texel, begin, bits), bits, x[from]) : !bits_at(texel, begin, bits)))
            return false;
    }
    return true;
}

TEST(writes)
{
    EACH_FORMAT(f, t)
    for (enum kind kind = ONE; kind < KINDS; kind++) {
        static double x[ITEMS][4];
        uint32_t bytes = texel_bits(f->parts) / 8, bits = 0;
        make_image(f, *t, kind);
        different_coordinates(kind);
        for (uint32_t i = 0; i < ITEMS; i++)
            for (uint32_t k = 0; k < 4; k++) x[i][k] = number_to_write(&result[i].u[k]);
        const char *name = read_name("write", kind);
        LAUNCH(name, GROUPS, ITEMS / GROUPS, &image, at, result);
        for (uint32_t i = 0; i < ITEMS; i++) {
            int64_t to[3], layer = split(at[i], to);
            const uint8_t *texel = texel_in(memory, to, layer);
            if (!texel || (image.layers && layer != at[i][image.dims])) continue;
            CHECK_MSG(check_written(texel, x[i], &bits), "%s to %s: %g %g %g %g", name, described(), x[i][0], x[i][1],
                      x[i][2], x[i][3]);
            memcpy((uint8_t *)before + (texel - memory), texel, bytes);
        }
        CHECK_MSG(!memcmp(before, memory, MOST), "%s to %s: other memory was written", name, described());
    }
}

/* ---- samplers */

static const struct xs_sampler *sampler_of(uint32_t address, uint32_t filter, uint32_t normalized)
{
    static struct xs_sampler s;
    s = (struct xs_sampler){(uint8_t)address, (uint8_t)filter, (uint8_t)normalized};
    return &s;
}

/* The formulas of OpenCL C 3.0, 8.2: coordinates that are integers, or not normalised. */
static int64_t address_mode(uint32_t mode, int64_t coordinate, int64_t size)
{
    if (mode == IMAGE_CLAMP) return clamped(coordinate, 0, size - 1);
    return mode == IMAGE_BORDER ? clamped(coordinate, -1, size) : coordinate;
}

/* The texel or two texels along a dimension; the second's weight. */
static double neighbours(const struct xs_sampler *s, double c, int64_t size, int64_t to[2])
{
    double w = (double)size, u = s->normalized ? c * w : c, n = s->normalized ? c : c / w;
    int64_t i0, i1;
    if (s->address == IMAGE_REPEAT) u = (n - floor(n)) * w;
    if (s->address == IMAGE_MIRROR) u = fabs(n - 2 * rint(0.5 * n)) * w;
    if (!s->filter) {
        i0 = (int64_t)floor(u);
        if (s->address == IMAGE_REPEAT && i0 > size - 1) i0 -= size;
        if (s->address == IMAGE_MIRROR && i0 > size - 1) i0 = size - 1;
        to[0] = to[1] = address_mode(s->address, i0, size);
        return 0;
    }
    i0 = (int64_t)floor(u - 0.5);
    i1 = i0 + 1;
    if (s->address == IMAGE_REPEAT) {
        if (i0 < 0) i0 += size;
        if (i1 > size - 1) i1 -= size;
    }
    if (s->address == IMAGE_MIRROR) {
        i0 = i0 < 0 ? 0 : i0;
        i1 = i1 > size - 1 ? size - 1 : i1;
    }
    to[0] = address_mode(s->address, i0, size);
    to[1] = address_mode(s->address, i1, size);
    return (u - 0.5) - floor(u - 0.5);
}

/* T = (1 - a) (1 - b) (1 - c) T000 + a (1 - b) (1 - c) T100 + ...; `scale`: the largest of the eight. */
static void sampled(const struct xs_sampler *s, const float *c, double want[4], double *scale)
{
    const int64_t sizes[] = {image.width, image.height, image.depth};
    int64_t to[3][2] = {{0}}, layer = image.layers ? clamped((int64_t)rint(c[image.dims]), 0, image.layers - 1) : 0;
    double weight[3] = {0};
    for (uint32_t d = 0; d < image.dims; d++) weight[d] = neighbours(s, c[d], sizes[d], to[d]);
    *scale = 0;
    for (uint32_t k = 0; k < 4; k++) {
        double sum = 0;
        for (uint32_t n = 0; n < 8; n++) {
            const uint32_t b[] = {n & 1, n >> 1 & 1, n >> 2};
            const int64_t which[] = {to[0][b[0]], to[1][b[1]], to[2][b[2]]};
            double part = (b[0] ? weight[0] : 1 - weight[0]) * (b[1] ? weight[1] : 1 - weight[1]) *
                          (b[2] ? weight[2] : 1 - weight[2]);
            double x = part != 0 ? channel_of(texel_in(before, which, layer), k) : 0;
            sum += part * x;
            *scale = fmax(*scale, fabs(x));
        }
        want[k] = sum;
    }
}

/* Not so near to a border between two texels that rounding matters. */
static float random_coordinate(const struct xs_sampler *s, uint32_t size)
{
    for (;;) {
        double u = (test_random() % 100000 / 100000.0 * 3 - 1) * size;
        float c = (float)(s->normalized ? u / size : u);
        u = s->normalized ? (double)c * size : c;
        if (fabs(u - rint(u)) > 1e-3) return c;
    }
}

static void compare_samples(const struct xs_sampler *s, const char *name)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < ITEMS; i++) {
        double want[4], scale;
        sampled(s, real_at[i], want, &scale);
        for (uint32_t k = 0; k < 4; k++) {
            double got = result_of(i, k);
            /* nearest is a read; a weighted sum is as exact as its largest texel */
            bool good = s->filter ? fabs(got - want[k]) <= 1e-6 * scale : is_read(got, want[k]);
            if (good || wrong++) continue;
            CHECK_MSG(false,
                      "%s of %s, address %u filter %u normalised %u: (%.9g, %.9g, %.9g) channel %u: %.9g, not %.9g",
                      name, described(), s->address, s->filter, s->normalized, real_at[i][0], real_at[i][1],
                      real_at[i][2], k, got, want[k]);
        }
    }
}

static void sample_once(const struct format *f, char t, enum kind kind, const struct xs_sampler *s)
{
    make_image(f, t, kind);
    const uint32_t sizes[] = {image.width, image.height, image.depth};
    for (uint32_t i = 0; i < ITEMS; i++)
        for (uint32_t k = 0; k < 4; k++)
            real_at[i][k] = k < image.dims ? random_coordinate(s, sizes[k]) : (float)(test_random() % 100) * 0.07f - 1;
    memset(result, 0xa5, sizeof result);
    const char *name = named(t == 'i' ? "sample_i" : "sample_f", kind);
    LAUNCH(name, GROUPS, ITEMS / GROUPS, &image, s, real_at, result);
    compare_samples(s, name);
}

TEST(samples)
{
    EACH_FORMAT(f, t)
    for (enum kind kind = ONE; kind < KINDS; kind++) {
        if (kind == BUFFER || *t == 'u') continue; /* there is one kernel for integers */
        for (uint32_t mode = 0; mode < 20; mode++)
            if (*t != 'i' || mode % 2 == 0) sample_once(f, *t, kind, sampler_of(mode / 4, mode % 2, mode / 2 % 2));
    }
}

/* Integer coordinates, with a sampler. */
TEST(fetches)
{
    EACH_FORMAT(f, t)
    for (enum kind kind = ONE; kind < KINDS; kind++) {
        if (kind == BUFFER || *t == 'i') continue;
        for (uint32_t mode = IMAGE_CLAMP; mode <= IMAGE_BORDER; mode++) {
            make_image(f, *t, kind);
            random_coordinates(kind);
            memset(result, 0xa5, sizeof result);
            const char *name = read_name("fetch", kind);
            LAUNCH(name, GROUPS, ITEMS / GROUPS, &image, sampler_of(mode, 0, 0), at, result);
            const uint32_t sizes[] = {image.width, image.height, image.depth};
            for (uint32_t i = 0; i < ITEMS; i++)
                for (uint32_t d = 0; d < image.dims; d++) at[i][d] = (int32_t)address_mode(mode, at[i][d], sizes[d]);
            compare_reads(name);
        }
    }
}

/* NaN coordinates, or ones beyond integers, give some texel or the border. */
TEST(wild_coordinates)
{
    static const float strange[] = {NAN,   INFINITY, -INFINITY, 3e38f,     -3e38f,
                                    1e20f, -0.0f,    0x1p31f,   0x1p-140f, 2147483520.0f};
    for (uint32_t mode = 0; mode < 20; mode++)
        for (enum kind kind = ONE; kind < KINDS; kind++) {
            if (kind == BUFFER) continue;
            make_image(&formats[4], 'n', kind);
            for (uint32_t i = 0; i < ITEMS; i++)
                for (uint32_t k = 0; k < 4; k++) real_at[i][k] = strange[test_random() % 10];
            memset(result, 0xa5, sizeof result);
            LAUNCH(named("sample_f", kind), GROUPS, ITEMS / GROUPS, &image,
                   sampler_of(mode / 4, mode % 2, mode / 2 % 2), real_at, result);
            for (uint32_t i = 0; i < ITEMS; i++)
                for (uint32_t k = 0; k < 4; k++) CHECK(result[i].f[k] >= 0 && result[i].f[k] <= 1);
        }
}

/* ---- typical uses of images */

static void make_2d(const char *swizzle, uint32_t width, uint32_t height)
{
    make_image(&formats[8], 'f', TWO);
    set_swizzle(swizzle);
    image.width = width;
    image.height = height;
    image.row_pitch = width * 16;
    image.slice_pitch = image.row_pitch * height;
}

static float texel_2d(const uint8_t *from, int64_t x, int64_t y, uint32_t k)
{
    return (float)channel_of(texel_in(from, (const int64_t[]){x, y, 0}, 0), k);
}

/* Whether it is the nearest f16: within half a unit in its last place. */
static bool is_half(uint16_t got, double want)
{
    type = 'f';
    if (isnan(want)) return isnan(meaning(got, 16));
    if (isinf(meaning(got, 16))) return fabs(want) >= 65520;
    return fabs(meaning(got, 16) - want) <= fmax(ldexp(fabs(want), -11), 0x1p-25);
}

TEST(halves)
{
    static uint16_t half[ITEMS][4];
    static const char types[] = "nsf";
    for (const char *t = types; *t; t++) {
        const struct format *f = &formats[6];
        const struct xs_sampler *s = sampler_of(IMAGE_CLAMP, 1, 1);
        make_image(f, *t, TWO);
        random_coordinates(TWO);
        for (uint32_t i = 0; i < ITEMS; i++)
            for (uint32_t k = 0; k < 2; k++) real_at[i][k] = random_coordinate(s, k ? image.height : image.width);
        for (uint32_t sampling = 0; sampling < 2; sampling++) {
            memset(half, 0xa5, sizeof half);
            if (sampling)
                LAUNCH("sample_h_2d", GROUPS, ITEMS / GROUPS, &image, s, real_at, half);
            else
                LAUNCH("read_h_2d", GROUPS, ITEMS / GROUPS, &image, at, half);
            for (uint32_t i = 0; i < ITEMS; i++) {
                double want[4], scale;
                int64_t to[3], layer = split(at[i], to);
                type = *t;
                if (sampling) sampled(s, real_at[i], want, &scale);
                for (uint32_t k = 0; k < 4 && !sampling; k++) want[k] = channel_of(texel_in(before, to, layer), k);
                for (uint32_t k = 0; k < 4; k++) CHECK(is_half(half[i][k], want[k]));
            }
        }
        different_coordinates(TWO);
        for (uint32_t i = 0; i < ITEMS * 4; i++) half[i / 4][i % 4] = (uint16_t)test_random();
        LAUNCH("write_h_2d", GROUPS, ITEMS / GROUPS, &image, at, half);
        for (uint32_t i = 0; i < ITEMS; i++) {
            double x[4];
            uint32_t bits;
            int64_t to[3], layer = split(at[i], to);
            const uint8_t *texel = texel_in(memory, to, layer);
            type = 'f';
            for (uint32_t k = 0; k < 4; k++) x[k] = meaning(half[i][k], 16);
            type = *t;
            CHECK(!texel || check_written(texel, x, &bits));
        }
    }
}

TEST(depth)
{
    static float depth[ITEMS];
    static const struct format *const depths[] = {&formats[2], &formats[1]};
    for (uint32_t n = 0; n < 2; n++) {
        char t = n ? 'n' : 'f';
        const struct xs_sampler *s = sampler_of(IMAGE_BORDER, 1, 0);
        make_image(depths[n], t, TWO);
        set_swizzle("d001");
        random_coordinates(TWO);
        LAUNCH("read_depth", GROUPS, ITEMS / GROUPS, &image, at, depth);
        for (uint32_t i = 0; i < ITEMS; i++) {
            int64_t to[3], layer = split(at[i], to);
            CHECK(is_read(depth[i], channel_of(texel_in(before, to, layer), 0)));
        }
        make_image(depths[n], t, TWOS);
        set_swizzle("r001");
        for (uint32_t i = 0; i < ITEMS; i++)
            for (uint32_t k = 0; k < 3; k++)
                real_at[i][k] = k < 2 ? random_coordinate(s, k ? image.height : image.width) : (float)(i % 7) - 1.2f;
        LAUNCH("sample_depth", GROUPS, ITEMS / GROUPS, &image, s, real_at, depth);
        for (uint32_t i = 0; i < ITEMS; i++) {
            double want[4], scale;
            sampled(s, real_at[i], want, &scale);
            CHECK(fabs(depth[i] - want[0]) <= 1e-6 * scale);
        }
        different_coordinates(TWOS);
        for (uint32_t i = 0; i < ITEMS; i++) depth[i] = (float)test_normal();
        LAUNCH("write_depth", GROUPS, ITEMS / GROUPS, &image, at, depth);
        for (uint32_t i = 0; i < ITEMS; i++) {
            int64_t to[3], layer = split(at[i], to);
            const uint8_t *texel = texel_in(memory, to, layer);
            uint32_t bits = texel_bits(format->parts);
            if (texel && layer == at[i][2]) CHECK(is_stored(bits_at(texel, 0, bits), bits, depth[i]));
        }
    }
}

TEST(queries)
{
    struct xs_image images[7];
    int32_t got[20];
    for (int i = 0; i < 7; i++) {
        static const enum kind kinds[] = {ONE, BUFFER, ONES, TWO, TWOS, THREE, TWO};
        make_image(&formats[i == 3 ? 4 : 6], i == 3 ? 'n' : 'f', kinds[i]);
        set_swizzle(i == 3 ? "bgra" : i == 6 ? "r001" : "rgba");
        images[i] = image;
    }
    memset(got, 0xa5, sizeof got);
    LAUNCH("query", 1, 20, &images[0], &images[1], &images[2], &images[3], &images[4], &images[5], &images[6], got);
    const int64_t want[] = {images[0].width,
                            images[1].width,
                            images[2].width,
                            images[2].layers,
                            images[3].width,
                            images[3].height,
                            images[4].width,
                            images[4].height,
                            images[4].layers,
                            images[5].width,
                            images[5].height,
                            images[5].depth,
                            0x10d2 /* CL_UNORM_INT8 */,
                            0x10b6 /* CL_BGRA */,
                            0x10dd /* CL_HALF_FLOAT */,
                            0x10b5 /* CL_RGBA */,
                            0x10bd /* CL_DEPTH */,
                            images[6].height,
                            1};
    for (int i = 0; i < 19; i++) CHECK_INT(got[i], want[i]);
}

/* Each format that OpenCL has by the name it has there. */
TEST(names_of_formats)
{
    static const struct {
        uint8_t layout, type;
        const char *swizzle;
        int32_t data_type, order;
    } names[] = {
        {0, 2, "r001", 0x10d2, 0x10b0},  {0, 3, "r001", 0x10d0, 0x10b0},  {0, 1, "rg01", 0x10d7, 0x10b0},
        {0, 0, "r001", 0x10da, 0x10b0},  {0, 2, "000r", 0x10d2, 0x10b1},  {1, 2, "rrrr", 0x10d3, 0x10b8},
        {1, 3, "rrr1", 0x10d1, 0x10b9},  {1, 4, "r001", 0x10dd, 0x10b0},  {2, 4, "d001", 0x10de, 0x10bd},
        {3, 2, "rg01", 0x10d2, 0x10b2},  {3, 2, "r00g", 0x10d2, 0x10b3},  {5, 1, "rg01", 0x10d8, 0x10b2},
        {4, 2, "rgba", 0x10d2, 0x10b5},  {4, 2, "bgra", 0x10d2, 0x10b6},  {4, 2, "gbar", 0x10d2, 0x10b7},
        {4, 2, "abgr", 0x10d2, 0x10c3},  {6, 0, "rgba", 0x10db, 0x10b5},  {7, 1, "rg01", 0x10d9, 0x10b2},
        {8, 0, "rgba", 0x10dc, 0x10b5},  {8, 4, "rgba", 0x10de, 0x10b5},  {9, 2, "rgba", 0x10e0, 0x10b5},
        {11, 2, "rgb1", 0x10d4, 0x10b4}, {12, 2, "rgbx", 0x10d5, 0x10bc},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        image.layout = names[i].layout;
        image.type = names[i].type;
        set_swizzle(names[i].swizzle);
        CHECK_INT(texel_data_type(&image) + 0x10d0, names[i].data_type);
        CHECK_INT(texel_order(&image) + 0x10b0, names[i].order);
    }
    set_swizzle("bgra");
    image.srgb = 1;
    CHECK_INT(texel_order(&image) + 0x10b0, 0x10c2 /* CL_sBGRA */);
    image.srgb = 0;
}

TEST(samplers_of_the_module)
{
    make_2d("rgba", 19, 11);
    for (uint32_t i = 0; i < ITEMS; i++)
        for (uint32_t k = 0; k < 2; k++) real_at[i][k] = (float)(test_random() % 30001) * 1e-3f - 7.00031f;
    memset(result, 0xa5, sizeof result);
    LAUNCH("literal_samplers", GROUPS, ITEMS / GROUPS, &image, real_at, result);
    const struct xs_sampler how[] = {
        {IMAGE_BORDER, 0, 0}, {IMAGE_CLAMP, 1, 0}, {IMAGE_REPEAT, 0, 1}, {IMAGE_MIRROR, 1, 1}};
    for (uint32_t i = 0; i < 4 * ITEMS; i++) {
        double want[4], scale;
        sampled(&how[i % 4], real_at[i / 4], want, &scale);
        for (uint32_t k = 0; k < 4; k++) CHECK(fabs(result[i].f[k] - want[k]) <= 1e-6 * scale);
    }
}

TEST(levels_of_detail)
{
    const struct xs_sampler *s = sampler_of(IMAGE_REPEAT, 1, 1);
    make_2d("bgra", 9, 14);
    for (uint32_t i = 0; i < ITEMS * 4; i++) real_at[i / 4][i % 4] = random_coordinate(s, 9);
    LAUNCH("sample_level", GROUPS, ITEMS / GROUPS, &image, s, real_at, result);
    for (uint32_t i = 0; i < 2 * ITEMS; i++) {
        double want[4], scale;
        sampled(s, real_at[i / 2], want, &scale);
        for (uint32_t k = 0; k < 4; k++) CHECK(fabs(result[i].f[k] - want[k]) <= 1e-6 * scale);
    }
}

/* Texels of lanes that do not exist must not change. */
TEST(lanes_that_go_different_ways)
{
    const uint32_t height = 13, width = 21;
    struct xs_image from, to;
    make_2d("rgba", width, height);
    from = image;
    random_coordinates(TWO);
    memset(result, 0xa5, sizeof result);
    LAUNCH("by_a_function", GROUPS, ITEMS / GROUPS, &image, sampler_of(IMAGE_CLAMP, 0, 0), at, result);
    for (uint32_t i = 0; i < ITEMS; i++)
        for (uint32_t k = 0; k < 4; k++) {
            int64_t x = at[i][0], y = clamped(at[i][1], 0, height - 1);
            double sum = 0;
            for (int64_t d = -1; d < 2; d++)
                sum += texel_2d(before, clamped((int32_t)((uint32_t)x + (uint32_t)d), 0, width - 1), y, k) *
                       (d ? 0.25 : 0.5);
            if (i % 3 == 1)
                CHECK(fabs(result[i].f[k] - sum) <= 1e-6);
            else
                CHECK_INT(result[i].u[k], 0xa5a5a5a5);
        }
    to = image;
    to.data = memory + MOST / 2;
    to.width = 8;
    to.height = 12;
    to.row_pitch = 8 * 16;
    memset(memory + MOST / 2, 0xa5, MOST / 2);
    LAUNCH("divergent", GROUPS, ITEMS / GROUPS, &from, &to);
    for (uint32_t i = 0; i < 96; i++)
        for (uint32_t k = 0; k < 4; k++) {
            float got, sum = 0;
            uint32_t bits;
            memcpy(&got, memory + MOST / 2 + i * 16 + k * 4, 4);
            memcpy(&bits, &got, 4);
            for (uint32_t n = 0; n < i % 7; n++) sum += texel_2d(before, n, i % height, k);
            if (i < ITEMS && i % 3)
                CHECK(fabsf(got - sum) <= 1e-5f);
            else
                CHECK_INT(bits, 0xa5a5a5a5);
        }
}

TEST(one_texel_for_all)
{
    const struct xs_sampler *s = sampler_of(IMAGE_CLAMP, 1, 0);
    make_2d("rgba", 11, 5);
    for (uint32_t i = 0; i < GROUPS; i++)
        for (uint32_t k = 0; k < 2; k++) real_at[i][k] = random_coordinate(s, k ? 5 : 11);
    LAUNCH("uniform_reads", GROUPS, ITEMS / GROUPS, &image, s, real_at, result);
    for (uint32_t i = 0; i < ITEMS; i++) {
        double want[4], scale;
        uint32_t group = i / (ITEMS / GROUPS);
        sampled(s, real_at[group], want, &scale);
        for (uint32_t k = 0; k < 4; k++) CHECK(fabs(result[i].f[k] - want[k] - texel_2d(before, group, 1, k)) <= 4e-6);
    }
    LAUNCH("uniform_writes", GROUPS, ITEMS / GROUPS, &image);
    for (uint32_t i = 0; i < 11; i++)
        for (uint32_t k = 0; k < 4; k++) {
            const double want[] = {i * 0.25, 0.5, -1, 2};
            CHECK(texel_2d(memory, i, 0, k) == (i < GROUPS ? (float)want[k] : texel_2d(before, i, 0, k)));
        }
}

TEST(in_place)
{
    const void *args[] = {&image};
    make_image(&formats[6], 'i', THREE);
    set_swizzle("rgba");
    launch3("in_place", (const uint32_t[]){image.width, image.height, image.depth}, (const uint32_t[]){1, 1, 1}, 1,
            args);
    for (int64_t z = 0; z < image.depth; z++)
        for (int64_t y = 0; y < image.height; y++)
            for (int64_t x = 0; x < image.width; x++)
                for (uint32_t k = 0; k < 4; k++) {
                    const int64_t where[] = {x, y, z};
                    double old = channel_of(texel_in(before, where, 0), k),
                           now = channel_of(texel_in(memory, where, 0), k);
                    CHECK(now == fmin(fmax(old * 3 - (double)x, -32768), 32767));
                }
}

TEST(across_a_barrier)
{
    enum { LOCAL = 40 };
    const struct xs_sampler *s = sampler_of(IMAGE_BORDER, 0, 0);
    make_2d("rgba", LOCAL, GROUPS);
    LAUNCH("with_barrier", GROUPS, LOCAL, &image, s, result);
    for (uint32_t i = 0; i < LOCAL * GROUPS; i++)
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t me = i % LOCAL, y = i / LOCAL;
            CHECK(result[i].f[k] == texel_2d(before, LOCAL - 1 - me, y, k) + texel_2d(before, me + 1, y, k));
        }
}

static void run_all(struct program *p)
{
    program = p;
    if (!build(p)) return;
    RUN(reads);
    RUN(writes);
    RUN(samples);
    RUN(fetches);
    RUN(wild_coordinates);
    RUN(halves);
    RUN(depth);
    RUN(queries);
    RUN(samplers_of_the_module);
    RUN(levels_of_detail);
    RUN(lanes_that_go_different_ways);
    RUN(one_texel_for_all);
    RUN(in_place);
    RUN(across_a_barrier);
    jit_unload(&p->object);
}

int main(void)
{
    run_all(&plain);
    run_all(&unoptimised);
    RUN(names_of_formats);
    return test_report();
}
