/* narrow_floats.h - what every f32 becomes as a float of fewer bits, by definition: the nearest value of the format, of
 * two that are equally near the one whose pattern is even. Values are ldexp's, in f64; inputs are walked through in the
 * order of their magnitude, from one middle of two values to the next, so that all 2^32 take a minute. */
#ifndef NARROW_FLOATS_H
#define NARROW_FLOATS_H

#include "test.h"

#include <math.h>

typedef struct {
    const char *name;
    int bytes, exponent, mantissa; /* of a pattern in memory; bits of e8m0: no mantissa and no zero */
    uint32_t finite;               /* patterns below this one are finite, without sign */
    uint32_t beyond;               /* of numbers that are too large, and of infinity */
    uint32_t nan;                  /* the least pattern that is NaN; 0: NaN becomes the largest value */
} narrow_float;

enum { NARROW_F16, NARROW_BF16, NARROW_E4M3, NARROW_E4M3_OPEN, NARROW_E5M2, NARROW_E5M2_OPEN, NARROW_E2M1, NARROW_E8M0,
       NARROWS };
static const narrow_float narrow_floats[NARROWS] = {
    {"f16", 2, 5, 10, 0x7c00, 0x7c00, 0x7c01},
    {"bf16", 2, 8, 7, 0x7f80, 0x7f80, 0x7f81},
    {"e4m3, saturated", 1, 4, 3, 0x7f, 0x7e, 0x7f},
    {"e4m3", 1, 4, 3, 0x7f, 0x7f, 0x7f},
    {"e5m2, saturated", 1, 5, 2, 0x7c, 0x7b, 0x7d},
    {"e5m2", 1, 5, 2, 0x7c, 0x7c, 0x7d},
    {"e2m1", 1, 2, 1, 8, 7, 0},
    {"e8m0", 1, 8, 0, 0xff, 0xfe, 0xff},
};

static uint32_t narrow_sign(const narrow_float *f) { return f->mantissa ? 1u << (f->exponent + f->mantissa) : 0; }

/* The value of a pattern without sign; `finite` gives the value after the largest. */
static double narrow_value(const narrow_float *f, uint32_t pattern)
{
    const int bias = (1 << (f->exponent - 1)) - 1, e = (int)(pattern >> f->mantissa);
    const double m = (double)(pattern & ((1u << f->mantissa) - 1));
    if (!f->mantissa) return ldexp(1, (int)pattern - bias);
    return e ? ldexp(m + (double)(1u << f->mantissa), e - bias - f->mantissa) : ldexp(m, 1 - bias - f->mantissa);
}

static double narrow_middle(const narrow_float *f, uint32_t pattern)
{
    return (narrow_value(f, pattern) + narrow_value(f, pattern + 1)) / 2; /* exact */
}

/* Is this what a NaN may become? */
static bool narrow_is_nan(const narrow_float *f, uint32_t got, bool negative)
{
    const uint32_t sign = narrow_sign(f);
    if (!f->nan) return got == (f->beyond | (negative ? sign : 0));
    return (got & ~sign) >= f->nan && (got & ~sign) < (sign ? sign : 0x100);
}

static uint32_t narrow_read(const narrow_float *f, const void *patterns, uint32_t at)
{
    return f->bytes == 1 ? ((const uint8_t *)patterns)[at] : ((const uint16_t *)patterns)[at];
}

/* Of `count` f32 whose bits are first, first + 1, ... of one sign: is what they became right? If not, *where is the
 * first that is wrong, and *want what is wanted (NaN: the least). */
static bool narrow_check(const narrow_float *f, uint32_t first, uint32_t count, const void *patterns,
                         uint32_t *where, uint32_t *want)
{
    const bool negative = first >> 31;
    uint32_t nearest = 0;
    double middle = narrow_middle(f, 0);
    for (uint32_t at = 0; at < count; at++) {
        const uint32_t bits = first + at, magnitude = bits & 0x7fffffff, got = narrow_read(f, patterns, at);
        float v;
        memcpy(&v, &magnitude, sizeof v);
        *where = bits, *want = f->nan;
        if (magnitude > 0x7f800000) {
            if (!narrow_is_nan(f, got, negative)) return false;
            continue;
        }
        while (nearest < f->finite && ((double)v > middle || ((double)v == middle && nearest % 2)))
            middle = narrow_middle(f, ++nearest);
        *want = magnitude == 0x7f800000 || nearest >= f->finite ? f->beyond : nearest;
        if (negative && !narrow_sign(f) && magnitude) *want = f->nan;
        if (negative) *want |= narrow_sign(f);
        if (got != *want) return false;
    }
    return true;
}

/* Blocks of consecutive f32, and which of them a run takes: all, or a few from every range of exponents. */
enum { NARROW_BLOCK = 1 << 16, NARROW_BLOCKS = 1 << 16 };
static bool narrow_takes(int block) { return test_takes(block, 1023); }

#endif
