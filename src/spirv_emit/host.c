/* host.c - conversions on the host: f16, bf16, tf32, E4M3, E5M2. */
#include "internal.h"

typedef struct {
    uint32_t exponent, mantissa; /* bits */
    uint32_t largest;            /* bits of the largest finite value */
    uint32_t infinity, nan;      /* bits above it; infinity == nan: no infinity */
} spe_format_;

/* The first four are in the order of spe_encoding, where IEEE with 16 bits is f16. */
enum { SPE_FORMAT_F16_, SPE_FORMAT_BF16_, SPE_FORMAT_E4M3_, SPE_FORMAT_E5M2_, SPE_FORMAT_TF32_ };

static const spe_format_ *spe_format_of_(int which)
{
    static const spe_format_ formats[] = {
        {5, 10, 0x7bff, 0x7c00, 0x7e00}, {8, 7, 0x7f7f, 0x7f80, 0x7fc0}, {4, 3, 0x7e, 0x7f, 0x7f},
        {5, 2, 0x7b, 0x7c, 0x7e}, {8, 10, 0x3fbff, 0x3fc00, 0x3fe00},
    };
    return &formats[which];
}

static uint32_t spe_encode_(int format, double value, bool saturate)
{
    const spe_format_ *f = spe_format_of_(format);
    uint64_t bits, mantissa, half, rest, r;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = (uint32_t)(bits >> 63) << (f->exponent + f->mantissa);
    int exponent = (int)(bits >> 52 & 0x7ff);
    mantissa = bits & (((uint64_t)1 << 52) - 1);
    if (exponent == 0x7ff) {
        if (mantissa) return sign | f->nan;
        return sign | (saturate ? f->largest : f->infinity);
    }
    if (!exponent) return sign; /* subnormal doubles round to zero in all these formats */
    mantissa |= (uint64_t)1 << 52;
    exponent += (1 << (f->exponent - 1)) - 1 - 1023;
    int shift = 52 - (int)f->mantissa + (exponent < 1 ? 1 - exponent : 0);
    if (shift > 54) return sign;
    half = (uint64_t)1 << (shift - 1);
    rest = mantissa & (2 * half - 1);
    r = mantissa >> shift;
    if (rest > half || (rest == half && (r & 1))) r++;
    if (exponent > 1) r += (uint64_t)(exponent - 1) << f->mantissa; /* the leading 1 adds one to the exponent */
    if (r > f->largest) r = saturate ? f->largest : f->infinity;
    return sign | (uint32_t)r;
}

static double spe_decode_(int format, uint32_t bits)
{
    const spe_format_ *f = spe_format_of_(format);
    uint32_t magnitude = bits & ((1u << (f->exponent + f->mantissa)) - 1), m = magnitude & ((1u << f->mantissa) - 1);
    int e = (int)(magnitude >> f->mantissa);
    uint64_t sign = (uint64_t)(bits >> (f->exponent + f->mantissa) & 1) << 63, out;
    double value;
    if (magnitude > f->largest) {
        out = sign | (uint64_t)0x7ff << 52;
        if (magnitude != f->infinity || f->infinity == f->nan)
            out |= (uint64_t)1 << 51 | (uint64_t)m << (52 - f->mantissa);
        memcpy(&value, &out, sizeof value);
        return value;
    }
    if (!e && !m)
        out = 0;
    else {
        if (!e) {
            for (e = 1; !(m >> f->mantissa); e--) m <<= 1;
            m &= (1u << f->mantissa) - 1;
        }
        out = (uint64_t)(e - ((1 << (f->exponent - 1)) - 1) + 1023) << 52 | (uint64_t)m << (52 - f->mantissa);
    }
    out |= sign;
    memcpy(&value, &out, sizeof value);
    return value;
}

uint16_t spe_f32_to_f16_bits(float v) { return (uint16_t)spe_encode_(SPE_FORMAT_F16_, (double)v, false); }
float spe_f16_bits_to_f32(uint16_t bits) { return (float)spe_decode_(SPE_FORMAT_F16_, bits); }
uint16_t spe_f32_to_bf16_bits(float v) { return (uint16_t)spe_encode_(SPE_FORMAT_BF16_, (double)v, false); }
float spe_bf16_bits_to_f32(uint16_t bits) { return (float)spe_decode_(SPE_FORMAT_BF16_, bits); }
uint8_t spe_f32_to_e4m3_bits(float v, bool sat) { return (uint8_t)spe_encode_(SPE_FORMAT_E4M3_, (double)v, sat); }
float spe_e4m3_bits_to_f32(uint8_t bits) { return (float)spe_decode_(SPE_FORMAT_E4M3_, bits); }
uint8_t spe_f32_to_e5m2_bits(float v, bool sat) { return (uint8_t)spe_encode_(SPE_FORMAT_E5M2_, (double)v, sat); }
float spe_e5m2_bits_to_f32(uint8_t bits) { return (float)spe_decode_(SPE_FORMAT_E5M2_, bits); }
float spe_f32_to_tf32(float v)
{
    return (float)spe_decode_(SPE_FORMAT_TF32_, spe_encode_(SPE_FORMAT_TF32_, (double)v, false));
}

/* The bits of a number as a constant of float type t; false if t is not supported. */
XE_FN_ bool spe_encode_scalar_(const spe_type_info *t, double value, uint64_t *bits)
{
    float single = (float)value;
    uint32_t word;
    if (t->encoding == SPE_IEEE && t->bits == 64) {
        memcpy(bits, &value, sizeof value);
        return true;
    }
    if (t->encoding == SPE_IEEE && t->bits == 32) {
        memcpy(&word, &single, sizeof word);
        *bits = word;
        return true;
    }
    if (t->bits != 16 && t->bits != 8) return false;
    *bits = spe_encode_((int)t->encoding, value, false);
    return true;
}
