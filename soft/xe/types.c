/* types.c - element types; conversion of floats of every width to doubles and back. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "machine.h"

const struct xe_type_info xe_types[XE_TYPES] = {
    [XE_UB] = {"ub", 8, XE_UNSIGNED, 0, 0},       [XE_B] = {"b", 8, XE_SIGNED, 0, 0},
    [XE_UW] = {"uw", 16, XE_UNSIGNED, 0, 0},      [XE_W] = {"w", 16, XE_SIGNED, 0, 0},
    [XE_UD] = {"ud", 32, XE_UNSIGNED, 0, 0},      [XE_D] = {"d", 32, XE_SIGNED, 0, 0},
    [XE_UQ] = {"uq", 64, XE_UNSIGNED, 0, 0},      [XE_Q] = {"q", 64, XE_SIGNED, 0, 0},
    [XE_HF] = {"hf", 16, XE_FLOAT, 11, -14},      [XE_BF] = {"bf", 16, XE_FLOAT, 8, -126},
    [XE_F] = {"f", 32, XE_FLOAT, 24, -126},       [XE_DF] = {"df", 64, XE_FLOAT, 53, -1022},
    [XE_TF32] = {"tf32", 32, XE_FLOAT, 11, -126}, [XE_HF8] = {"hf8", 8, XE_FLOAT, 4, -6},
    [XE_BF8] = {"bf8", 8, XE_FLOAT, 3, -14},      [XE_E2M1] = {"e2m1", 4, XE_FLOAT, 2, 0},
    [XE_U4] = {"u4", 4, XE_UNSIGNED, 0, 0},       [XE_S4] = {"s4", 4, XE_SIGNED, 0, 0},
    [XE_U2] = {"u2", 2, XE_UNSIGNED, 0, 0},       [XE_S2] = {"s2", 2, XE_SIGNED, 0, 0},
    [XE_V] = {"v", 32, XE_SIGNED, 0, 0},          [XE_UV] = {"uv", 32, XE_UNSIGNED, 0, 0},
    [XE_VF] = {"vf", 32, XE_FLOAT, 5, -2},
};

static double from_bits32(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Keeps the payload of NaNs. */
static double from_half(uint32_t bits)
{
    uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, part = bits & 0x3ff;
    if (exponent == 31) return from_bits32(sign | 0x7f800000 | part << 13);
    if (exponent) return from_bits32(sign | (exponent + 112) << 23 | part << 13);
    return sign ? -(double)part * 0x1p-24 : (double)part * 0x1p-24;
}

/* E4M3: without infinities, and with one NaN of each sign. */
static double from_hf8(uint32_t bits)
{
    double part = bits & 7, size;
    if ((bits & 0x7f) == 0x7f) return bits & 0x80 ? -NAN : NAN;
    size = bits & 0x78 ? ldexp(8 + part, (int)(bits >> 3 & 15) - 10) : ldexp(part, -9);
    return bits & 0x80 ? -size : size;
}

static double from_e2m1(uint32_t bits)
{
    static const float sizes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    return bits & 8 ? -(double)sizes[bits & 7] : (double)sizes[bits & 7];
}

double xe_decode(uint8_t type, uint64_t bits)
{
    double d;
    switch (type) {
    case XE_HF: return from_half((uint32_t)bits & 0xffff);
    case XE_BF: return from_bits32((uint32_t)bits << 16);
    case XE_TF32: return from_bits32((uint32_t)bits & 0xffffe000u);
    case XE_F: return from_bits32((uint32_t)bits);
    case XE_HF8: return from_hf8((uint32_t)bits & 0xff);
    case XE_BF8: return from_half((uint32_t)(bits & 0xff) << 8);
    case XE_E2M1: return from_e2m1((uint32_t)bits & 15);
    default: memcpy(&d, &bits, sizeof d); return d;
    }
}

/* Rounds in the thread's mode to this many digits; fewer below exponent `least`. */
static double rounded(double value, int digits, int least)
{
    int exponent;
    if (value == 0 || !isfinite(value)) return value;
    frexp(value, &exponent);
    if (exponent - 1 < least) exponent = least + 1;
    return ldexp(nearbyint(ldexp(value, digits - exponent)), exponent - digits);
}

static uint64_t encode_single(double value)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint64_t encode_half(double value)
{
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(rounded(value, 11, -14));
    int exponent;
    if (isnan(value)) return sign | 0x7e00 | (encode_single(value) >> 13 & 0x1ff);
    if (size > 65504) {
        bool stays = fabs(value) < INFINITY &&
                     (fegetround() == FE_TOWARDZERO || fegetround() == (sign ? FE_UPWARD : FE_DOWNWARD));
        return sign | (stays ? 0x7bff : 0x7c00);
    }
    if (size < 0x1p-14) return sign | (uint64_t)ldexp(size, 24);
    frexp(size, &exponent);
    return sign | (uint64_t)(exponent + 14) << 10 | ((uint64_t)ldexp(size, 11 - exponent) & 0x3ff);
}

/* To nearest even; E4M3 has no infinity, so that what is too large is NaN, as without saturation elsewhere. */
static uint64_t encode_hf8(double value)
{
    uint64_t sign = signbit(value) ? 0x80 : 0;
    double size = fabs(rounded(value, 4, -6));
    int exponent;
    if (isnan(value) || size > 448) return sign | 0x7f;
    if (size < 0x1p-6) return sign | (uint64_t)ldexp(size, 9);
    frexp(size, &exponent);
    return sign | (uint64_t)(exponent + 6) << 3 | ((uint64_t)ldexp(size, 4 - exponent) & 7);
}

static uint64_t encode_bf8(double value)
{
    uint64_t sign = signbit(value) ? 0x80 : 0;
    double size = fabs(rounded(value, 3, -14));
    int exponent;
    if (isnan(value)) return sign | 0x7e;
    if (size > 57344) return sign | 0x7c;
    if (size < 0x1p-14) return sign | (uint64_t)ldexp(size, 16);
    frexp(size, &exponent);
    return sign | (uint64_t)(exponent + 14) << 2 | ((uint64_t)ldexp(size, 3 - exponent) & 3);
}

uint64_t xe_encode(uint8_t type, double value, bool saturate)
{
    uint64_t bits;
    if (saturate) value = value >= 1 ? 1 : value > 0 ? value : 0; /* NaN becomes 0 too */
    switch (type) {
    case XE_HF: return encode_half(value);
    case XE_F: return encode_single(value);
    case XE_HF8: return encode_hf8(value);
    case XE_BF8: return encode_bf8(value);
    case XE_BF: return isnan(value) ? encode_single(value) >> 16 | 0x40 : encode_single(rounded(value, 8, -126)) >> 16;
    case XE_TF32: return isnan(value) ? encode_single(value) : encode_single(rounded(value, 11, -126));
    default: memcpy(&bits, &value, sizeof bits); return bits;
    }
}
