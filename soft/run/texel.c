/* texel.c - formats of images: positions, encodings and channels of a texel's components.
 *
 * Components are R, G, B, A in the order of the layout's name, from the lowest bits on; if several share a 16-bit word,
 * blue is lowest, as on Intel's devices. Values are rounded to nearest even and saturated.
 */
#include "image.h"

#include <math.h>
#include <string.h>

#include "spirv/tokens.h"

struct component {
    uint8_t shift, bits;
};
struct layout {
    uint8_t bytes, count, types; /* types: a bit per image_type */
    struct component part[4];
};
enum {
    INTEGERS = 1 << IMAGE_UINT | 1 << IMAGE_SINT,
    NORMALIZED = 1 << IMAGE_UNORM | 1 << IMAGE_SNORM,
    NUMBERS = INTEGERS | NORMALIZED,
    FLOATS = 1 << IMAGE_FLOAT,
    LAYOUTS = 46
};

/* By ze_image_format_layout_t. Media layouts are missing; the last three are from newer API versions. */
static const struct layout layouts[LAYOUTS] = {
    [0] = {1, 1, NUMBERS, {{0, 8}}},
    [1] = {2, 1, NUMBERS | FLOATS, {{0, 16}}},
    [2] = {4, 1, NUMBERS | FLOATS, {{0, 32}}},
    [3] = {2, 2, NUMBERS, {{0, 8}, {8, 8}}},
    [4] = {4, 4, NUMBERS, {{0, 8}, {8, 8}, {16, 8}, {24, 8}}},
    [5] = {4, 2, NUMBERS | FLOATS, {{0, 16}, {16, 16}}},
    [6] = {8, 4, NUMBERS | FLOATS, {{0, 16}, {16, 16}, {32, 16}, {48, 16}}},
    [7] = {8, 2, NUMBERS | FLOATS, {{0, 32}, {32, 32}}},
    [8] = {16, 4, NUMBERS | FLOATS, {{0, 32}, {32, 32}, {64, 32}, {96, 32}}},
    [9] = {4, 4, NUMBERS, {{0, 10}, {10, 10}, {20, 10}, {30, 2}}},
    [10] = {4, 3, FLOATS, {{0, 11}, {11, 11}, {22, 10}}},
    [11] = {2, 3, 1 << IMAGE_UNORM, {{11, 5}, {5, 6}, {0, 5}}},
    [12] = {2, 4, 1 << IMAGE_UNORM, {{10, 5}, {5, 5}, {0, 5}, {15, 1}}},
    [13] = {2, 4, 1 << IMAGE_UNORM, {{8, 4}, {4, 4}, {0, 4}, {12, 4}}},
    [43] = {3, 3, NUMBERS, {{0, 8}, {8, 8}, {16, 8}}},
    [44] = {6, 3, NUMBERS | FLOATS, {{0, 16}, {16, 16}, {32, 16}}},
    [45] = {12, 3, NUMBERS | FLOATS, {{0, 32}, {32, 32}, {64, 32}}},
};

uint32_t image_texel_bytes(uint32_t layout, uint32_t type)
{
    bool known = layout < LAYOUTS && type <= IMAGE_FLOAT && layouts[layout].types >> type & 1;
    return known ? layouts[layout].bytes : 0;
}

/* ---- numbers of few bits */

static uint32_t ones(uint32_t bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }

static int32_t with_sign(uint32_t v, uint32_t bits)
{
    uint32_t sign = 1u << (bits - 1);
    return (int32_t)((v ^ sign) - sign);
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

/* Floats of 16, 11 and 10 bits have 5 exponent bits; the latter two have no sign. */
static uint32_t mantissa_of(uint32_t bits) { return bits == 16 ? 10 : bits - 5; }

static uint32_t from_small(uint32_t v, uint32_t bits)
{
    uint32_t m = mantissa_of(bits), exponent = v >> m & 31, fraction = v & ones(m), sign = (v & 0x8000) << 16;
    if (exponent == 31) return sign | 0x7f800000 | fraction << (23 - m);
    if (exponent) return sign | (exponent + 112) << 23 | fraction << (23 - m);
    return sign | bits_of((float)fraction * (m == 10 ? 0x1p-24f : m == 6 ? 0x1p-20f : 0x1p-19f));
}

static uint32_t to_small(float x, uint32_t bits)
{
    uint32_t m = mantissa_of(bits), sign = signbit(x) && bits == 16 ? 0x8000 : 0, infinity = 31u << m, v;
    double a = fabs((double)x);
    int exponent;
    if (isnan(x)) return infinity | 1u << (m - 1);
    if (signbit(x) && bits != 16) return 0;
    if (a >= 65536) return sign | infinity;
    (void)frexp(a, &exponent);
    if (a == 0 || exponent < -13) exponent = -13;                                           /* denormal */
    v = (uint32_t)rint(ldexp(a, 1 + (int)m - exponent)) + ((uint32_t)(exponent + 13) << m); /* the leading 1 counts */
    return sign | (v < infinity ? v : infinity);
}

/* ---- components */

/* The unit of a normalised component of `bits` bits: 1 / the largest number. */
static double unit(uint32_t bits)
{
    static const double units[33] = {
        [1] = 1.0,          [2] = 1.0 / 3,           [4] = 1.0 / 15,          [5] = 1.0 / 31,    [6] = 1.0 / 63,
        [7] = 1.0 / 127,    [8] = 1.0 / 255,         [9] = 1.0 / 511,         [10] = 1.0 / 1023, [15] = 1.0 / 32767,
        [16] = 1.0 / 65535, [31] = 1.0 / 2147483647, [32] = 1.0 / 4294967295u};
    return units[bits];
}

static uint32_t decode(uint32_t v, uint32_t bits, uint32_t type)
{
    double x;
    switch (type) {
    case IMAGE_UINT: return v;
    case IMAGE_SINT: return (uint32_t)with_sign(v, bits);
    case IMAGE_UNORM: return bits_of((float)(v * unit(bits)));
    case IMAGE_SNORM: x = with_sign(v, bits) * unit(bits - 1); return bits_of(x < -1 ? -1 : (float)x);
    default: return bits == 32 ? v : from_small(v, bits);
    }
}

static double clamp(double x, double low, double high) { return !(x > low) ? low : x < high ? x : high; }

/* x times `most`, rounded to the nearest integer, even if the product needs more bits than a double has. */
static double parts_of(double x, double most)
{
    return most < 0x1p24 ? rint(x * most) : (double)rintl((long double)x * (long double)most);
}

static uint32_t encode(uint32_t channel, uint32_t bits, uint32_t type)
{
    double x = type == IMAGE_SINT ? (int32_t)channel : type == IMAGE_UINT ? channel : (double)float_of(channel);
    double most = ones(type == IMAGE_SINT || type == IMAGE_SNORM ? bits - 1 : bits);
    if (isnan(x) && type != IMAGE_FLOAT) return 0;
    switch (type) {
    case IMAGE_UINT: return (uint32_t)clamp(x, 0, most);
    case IMAGE_SINT: return (uint32_t)(int32_t)clamp(x, -most - 1, most) & ones(bits);
    case IMAGE_UNORM: return (uint32_t)clamp(parts_of(x, most), 0, most);
    case IMAGE_SNORM: return (uint32_t)(int32_t)clamp(parts_of(x, most), -most - 1, most) & ones(bits);
    default: return bits == 32 ? channel : to_small((float)x, bits);
    }
}

/* ---- sRGB, by the formulas of the OpenCL specification: of bits of f32 */

static uint32_t to_linear(uint32_t channel)
{
    double x = float_of(channel);
    return bits_of((float)(x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)));
}

static uint32_t from_linear(uint32_t channel)
{
    double x = clamp((double)float_of(channel), 0, 1);
    return bits_of((float)(x < 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055));
}

/* ---- texels */

static uint32_t one_of(uint32_t type) { return type <= IMAGE_SINT ? 1 : bits_of(1); }

/* Sizes known to the compiler are copied by one instruction. */
static void copy(void *to, const void *from, uint32_t bytes)
{
    switch (bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    case 16: memcpy(to, from, 16); break;
    default: memcpy(to, from, bytes);
    }
}

/* Missing components are 0, except alpha, which is 1. */
image_channels texel_load(const struct xs_image *i, const uint8_t *texel)
{
    const struct layout *l = &layouts[i->layout];
    uint32_t words[4] = {0}, part[IMAGE_D + 1] = {0};
    if (texel) {
        copy(words, texel, l->bytes);
        part[IMAGE_A] = one_of(i->type);
        for (uint32_t k = 0; k < l->count; k++) {
            const struct component *c = &l->part[k];
            part[k] = decode(words[c->shift / 32] >> c->shift % 32 & ones(c->bits), c->bits, i->type);
            if (i->srgb && k < IMAGE_A) part[k] = to_linear(part[k]);
        }
    }
    part[IMAGE_1] = one_of(i->type);
    part[IMAGE_D] = part[IMAGE_R];
    return (image_channels){part[i->swizzle[0]], part[i->swizzle[1]], part[i->swizzle[2]], part[i->swizzle[3]]};
}

/* Each component is taken from the first channel that shows it; 0 if none does. */
void texel_store(const struct xs_image *i, uint8_t *texel, image_channels channel)
{
    const struct layout *l = &layouts[i->layout];
    uint32_t words[4] = {0};
    for (uint32_t k = 0; k < l->count; k++) {
        const struct component *c = &l->part[k];
        uint32_t from = 0, v;
        while (from < 4 && i->swizzle[from] != k && !(k == IMAGE_R && i->swizzle[from] == IMAGE_D)) from++;
        if (from == 4) continue;
        v = i->srgb && k < IMAGE_A ? from_linear(channel[from]) : channel[from];
        words[c->shift / 32] |= encode(v, c->bits, i->type) << c->shift % 32;
    }
    copy(texel, words, l->bytes);
}

/* ---- OpenCL's names of the formats */

uint32_t texel_data_type(const struct xs_image *i)
{
    static const uint32_t by_bits[][3] = {
        [IMAGE_UINT] = {SP_CHANNEL_UnsignedInt8, SP_CHANNEL_UnsignedInt16, SP_CHANNEL_UnsignedInt32},
        [IMAGE_SINT] = {SP_CHANNEL_SignedInt8, SP_CHANNEL_SignedInt16, SP_CHANNEL_SignedInt32},
        [IMAGE_UNORM] = {SP_CHANNEL_UnormInt8, SP_CHANNEL_UnormInt16, ~0u},
        [IMAGE_SNORM] = {SP_CHANNEL_SnormInt8, SP_CHANNEL_SnormInt16, ~0u},
        [IMAGE_FLOAT] = {~0u, SP_CHANNEL_HalfFloat, SP_CHANNEL_Float},
    };
    const struct layout *l = &layouts[i->layout];
    switch (l->part[0].bits) {
    case 8: return by_bits[i->type][0];
    case 16: return by_bits[i->type][1];
    case 32: return by_bits[i->type][2];
    case 10: return i->type == IMAGE_UNORM ? SP_CHANNEL_UnormInt101010_2 : ~0u;
    case 5: return l->count == 3 ? SP_CHANNEL_UnormShort565 : SP_CHANNEL_UnormShort555;
    default: return ~0u;
    }
}

uint32_t texel_order(const struct xs_image *i)
{
    static const struct {
        char swizzle[6]; /* followed by s for sRGB */
        uint32_t order;
    } orders[] = {
        {"R001", SP_ORDER_R},         {"RG01", SP_ORDER_RG},        {"RGB1", SP_ORDER_RGB},
        {"RGBA", SP_ORDER_RGBA},      {"BGRA", SP_ORDER_BGRA},      {"GBAR", SP_ORDER_ARGB},
        {"ABGR", SP_ORDER_ABGR},      {"000R", SP_ORDER_A},         {"R00G", SP_ORDER_RA},
        {"RRRR", SP_ORDER_Intensity}, {"RRR1", SP_ORDER_Luminance}, {"RGBX", SP_ORDER_RGBx},
        {"D001", SP_ORDER_Depth},     {"RGB1s", SP_ORDER_sRGB},     {"RGBXs", SP_ORDER_sRGBx},
        {"RGBAs", SP_ORDER_sRGBA},    {"BGRAs", SP_ORDER_sBGRA},
    };
    char mine[6] = "";
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t s = i->swizzle[k];
        if (s < IMAGE_0 && s >= layouts[i->layout].count) s = s == IMAGE_A ? IMAGE_1 : IMAGE_0;
        mine[k] = "RGBA01XD"[s];
    }
    if (i->srgb) mine[4] = 's';
    for (uint32_t k = 0; k < sizeof orders / sizeof *orders; k++)
        if (!strcmp(mine, orders[k].swizzle)) return orders[k].order;
    return ~0u;
}
