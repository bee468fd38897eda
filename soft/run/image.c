/* image.c - reading, sampling and writing images by the formulas of the OpenCL C specification (image addressing and
 * filtering), in double precision. All accesses are defined: reads outside an image give its border, writes outside are
 * dropped, layers are clamped.
 */
#include "image.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- addresses of texels */

/* Maps a coordinate to 0 .. size - 1; -1: outside. */
static int64_t address(uint32_t mode, int64_t at, int64_t size)
{
    int64_t around = mode == IMAGE_MIRROR ? 2 * size : size;
    if (at >= 0 && at < size) return at;
    switch (mode) {
    case IMAGE_CLAMP: return at < 0 ? 0 : size - 1;
    case IMAGE_REPEAT:
    case IMAGE_MIRROR: at = (at % around + around) % around; return at < size ? at : around - 1 - at;
    default: return -1;
    }
}

/* NULL: outside. */
static uint8_t *texel_at(const struct xs_image *i, const int64_t at[3], int64_t layer)
{
    if (at[0] < 0 || at[1] < 0 || at[2] < 0 || layer < 0) return NULL;
    return i->data + (uint64_t)at[0] * image_texel_bytes(i->layout, i->type) + (uint64_t)at[1] * i->row_pitch +
           (uint64_t)(at[2] + layer) * i->slice_pitch;
}

static uint32_t dims_of(const struct xs_image *i) { return i->dims & 3; } /* 1 to 3, even for an invalid handle */

static uint32_t size_of(const struct xs_image *i, uint32_t d)
{
    return d == 0 ? i->width : d == 1 ? i->height : i->depth;
}

/* ---- an instruction, lane by lane */

static const struct xs_image *image_of(const struct xs_image_access *a, uint32_t lane)
{
    return (const struct xs_image *)(uintptr_t)a->image[lane];
}

static void put(const struct xs_image_access *a, uint32_t lane, image_channels channel)
{
    for (uint32_t k = 0; k < 4; k++) a->texel[k * a->S + lane] = channel[k];
}

#define EACH_LANE(a, lane)                                                                                             \
    for (uint64_t lanes_ = (a)->lanes, lane; lanes_ && (lane = (uint64_t)__builtin_ctzll(lanes_), 1);                  \
         lanes_ &= lanes_ - 1)

static void fetch(const struct xs_image_access *a)
{
    EACH_LANE(a, lane)
    {
        const struct xs_image *i = image_of(a, (uint32_t)lane);
        uint32_t mode = a->sampler ? ((const struct xs_sampler *)(uintptr_t)a->sampler[lane])->address : IMAGE_NONE;
        int64_t at[3] = {0}, layer = i->layers ? (int32_t)a->at[dims_of(i) * a->S + lane] : 0;
        for (uint32_t d = 0; d < dims_of(i); d++) at[d] = address(mode, (int32_t)a->at[d * a->S + lane], size_of(i, d));
        if (i->layers) layer = address(IMAGE_CLAMP, layer, i->layers);
        put(a, (uint32_t)lane, texel_load(i, texel_at(i, at, layer)));
    }
}

static void write(const struct xs_image_access *a)
{
    EACH_LANE(a, lane)
    {
        const struct xs_image *i = image_of(a, (uint32_t)lane);
        int64_t at[3] = {0}, layer = 0;
        image_channels channel;
        uint8_t *to;
        for (uint32_t d = 0; d < dims_of(i); d++)
            at[d] = address(IMAGE_NONE, (int32_t)a->at[d * a->S + lane], size_of(i, d));
        if (i->layers) layer = address(IMAGE_NONE, (int32_t)a->at[dims_of(i) * a->S + lane], i->layers);
        for (uint32_t k = 0; k < 4; k++) channel[k] = a->texel[k * a->S + lane];
        to = texel_at(i, at, layer);
        if (to) texel_store(i, to, channel);
    }
}

/* ---- sampling */

/* In one dimension: the two texels, and the weight of the second. */
struct axis {
    int64_t at[2];
    double weight;
};

static struct axis place(const struct xs_sampler *s, float coordinate, uint32_t size, bool linear)
{
    double u = coordinate, first;
    struct axis x;
    if (s->address == IMAGE_REPEAT || s->address == IMAGE_MIRROR) {
        if (!s->normalized) u /= size;
        u = s->address == IMAGE_REPEAT ? u - floor(u) : fabs(u - 2 * rint(0.5 * u));
        u *= size;
    } else if (s->normalized) {
        u *= size;
    }
    if (!(fabs(u) < 0x1p40)) u = u > 0 ? 0x1p40 : -0x1p40; /* also NaN */
    if (linear) u -= 0.5;
    first = floor(u);
    x.at[0] = address(s->address, (int64_t)first, size);
    x.at[1] = address(s->address, (int64_t)first + 1, size);
    x.weight = linear ? u - first : 0;
    return x;
}

typedef float floats __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(32)));

/* The weighted sum of the surrounding texels. Texels with weight 0 may be infinite. */
static image_channels mix(const struct xs_image *i, const struct axis *x, int64_t layer)
{
    doubles sum = {0};
    for (uint32_t corner = 0; corner < 1u << dims_of(i); corner++) {
        int64_t at[3] = {0};
        double weight = 1;
        for (uint32_t d = 0; d < dims_of(i); d++) {
            uint32_t second = corner >> d & 1;
            at[d] = x[d].at[second];
            weight *= second ? x[d].weight : 1 - x[d].weight;
        }
        if (weight != 0)
            sum += weight * __builtin_convertvector((floats)texel_load(i, texel_at(i, at, layer)), doubles);
    }
    return (image_channels) __builtin_convertvector(sum, floats);
}

/* Integers are not filtered: takes the nearest texel. */
static void sample(const struct xs_image_access *a)
{
    EACH_LANE(a, lane)
    {
        const struct xs_image *i = image_of(a, (uint32_t)lane);
        const struct xs_sampler *s = (const struct xs_sampler *)(uintptr_t)a->sampler[lane];
        bool linear = s->filter && i->type > IMAGE_SINT;
        struct axis x[3] = {{{0}, 0}};
        float coordinate[4];
        int64_t layer = 0;
        for (uint32_t k = 0; k < 4; k++) memcpy(&coordinate[k], &a->at[k * a->S + lane], sizeof *coordinate);
        for (uint32_t d = 0; d < dims_of(i); d++) x[d] = place(s, coordinate[d], size_of(i, d), linear);
        if (i->layers) layer = (int64_t)fmin(fmax(rint(coordinate[dims_of(i)]), 0), i->layers - 1.0);
        const int64_t at[] = {x[0].at[0], x[1].at[0], x[2].at[0]};
        put(a, (uint32_t)lane, linear ? mix(i, x, layer) : texel_load(i, texel_at(i, at, layer)));
    }
}

/* ---- queries */

static void size(const struct xs_image_access *a)
{
    EACH_LANE(a, lane)
    {
        const struct xs_image *i = image_of(a, (uint32_t)lane);
        image_channels sizes = {0};
        uint32_t d = 0;
        for (; d < dims_of(i); d++) sizes[d] = size_of(i, d);
        if (i->layers) sizes[d] = i->layers;
        put(a, (uint32_t)lane, sizes);
    }
}

static void format(const struct xs_image_access *a)
{
    EACH_LANE(a, lane)
    {
        const struct xs_image *i = image_of(a, (uint32_t)lane);
        put(a, (uint32_t)lane, (image_channels){texel_data_type(i), texel_order(i), 0, 0});
    }
}

const struct xs_image_functions image_functions = {
    .fetch = fetch, .sample = sample, .write = write, .size = size, .format = format};
