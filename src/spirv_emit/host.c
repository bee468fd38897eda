/* host.c - numbers on the host: conversions between the float types, and arithmetic of C constants. All of it works on
 * bits, so that neither the program's rounding mode, nor its flushing of subnormals (which -ffast-math turns on), nor
 * what its compiler assumes about infinities and NaNs (-ffinite-math-only) changes a result.
 */
#include "internal.h"

typedef struct {
    uint32_t exponent, mantissa; /* bits */
    uint64_t largest;            /* bits of the largest finite value */
    uint64_t infinity, nan;      /* bits above it; infinity == nan: no infinity */
} spe_format_;

/* The first four are in the order of spe_encoding, where IEEE with 16 bits is f16. */
enum {
    SPE_FORMAT_F16_,
    SPE_FORMAT_BF16_,
    SPE_FORMAT_E4M3_,
    SPE_FORMAT_E5M2_,
    SPE_FORMAT_TF32_,
    SPE_FORMAT_F32_,
    SPE_FORMAT_F64_,
    SPE_FORMAT_E2M1_
};

static const spe_format_ *spe_format_of_(int which)
{
    static const spe_format_ formats[] = {
        {5, 10, 0x7bff, 0x7c00, 0x7e00},
        {8, 7, 0x7f7f, 0x7f80, 0x7fc0},
        {4, 3, 0x7e, 0x7f, 0x7f},
        {5, 2, 0x7b, 0x7c, 0x7e},
        {8, 10, 0x3fbff, 0x3fc00, 0x3fe00},
        {8, 23, 0x7f7fffff, 0x7f800000, 0x7fc00000},
        {11, 52, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000},
        {2, 1, 0x7, 0x7, 0x7},
    };
    return &formats[which];
}

/* The format of a type: -1 if there is none. A width of 19 bits is tf32. */
static int spe_format_for_(spe_encoding encoding, uint32_t bits)
{
    if (encoding == SPE_BF16) return bits == 16 ? (int)SPE_FORMAT_BF16_ : -1;
    if (encoding != SPE_IEEE) return bits == 8 ? (int)encoding : -1;
    return bits == 16   ? (int)SPE_FORMAT_F16_
           : bits == 19 ? (int)SPE_FORMAT_TF32_
           : bits == 32 ? (int)SPE_FORMAT_F32_
           : bits == 64 ? (int)SPE_FORMAT_F64_
                        : -1;
}

/* ---- numbers in their parts -------------------------------------------------------------------------------------- */

enum { SPE_FINITE_, SPE_INFINITE_, SPE_NAN_ };

/* A finite number is 0, or mantissa * 2^(exponent - 63) where the mantissa's highest bit is set; its lowest is also set
 * if bits below it were cut off, which is enough to round correctly later. A NaN's mantissa is its payload. Its 16
 * bytes are passed in registers, which conversions of large matrices need. */
typedef struct {
    uint64_t mantissa;
    int exponent;
    bool negative;
    uint8_t kind;
} spe_parts_;

static spe_parts_ spe_normal_(spe_parts_ p)
{
    for (; p.mantissa && !(p.mantissa >> 63); p.exponent--) p.mantissa <<= 1;
    return p;
}

static spe_parts_ spe_decode_(int format, uint64_t bits)
{
    const spe_format_ *f = spe_format_of_(format);
    uint64_t sign = (uint64_t)1 << (f->exponent + f->mantissa), magnitude = bits & (sign - 1);
    int biased = (int)(magnitude >> f->mantissa), bias = (1 << (f->exponent - 1)) - 1;
    spe_parts_ p = {magnitude << (64 - f->mantissa), biased - bias, (bits & sign) != 0, SPE_FINITE_};
    if (magnitude > f->largest) {
        p.kind = magnitude == f->infinity && f->infinity != f->nan ? SPE_INFINITE_ : SPE_NAN_;
        return p;
    }
    p.mantissa >>= 1;
    if (biased) {
        p.mantissa |= (uint64_t)1 << 63;
        return p;
    }
    p.exponent = 1 - bias;
    return spe_normal_(p);
}

/* Rounds to nearest, ties to even. NaNs become quiet; those of f32 and f64 keep their payload. */
static uint64_t spe_encode_(int format, spe_parts_ p, bool saturate)
{
    const spe_format_ *f = spe_format_of_(format);
    uint64_t sign = (uint64_t)p.negative << (f->exponent + f->mantissa), half, rest, bits;
    int exponent = p.exponent + (1 << (f->exponent - 1)) - 1, shift = 63 - (int)f->mantissa;
    if (p.kind == SPE_NAN_) return sign | f->nan | (f->mantissa > 20 ? p.mantissa >> (64 - f->mantissa) : 0);
    if (p.kind == SPE_INFINITE_) return sign | (saturate ? f->largest : f->infinity);
    if (exponent < 1) shift += 1 - exponent; /* subnormal */
    if (!p.mantissa || shift > 64) return sign;
    half = (uint64_t)1 << (shift - 1);
    rest = p.mantissa & (half | (half - 1));
    bits = p.mantissa >> (shift - 1) >> 1;
    if (rest > half || (rest == half && (bits & 1))) bits++;
    if (exponent > 1) bits += (uint64_t)(exponent - 1) << f->mantissa; /* the leading 1 adds one to the exponent */
    if (bits > f->largest) bits = saturate ? f->largest : f->infinity;
    return sign | bits;
}

static spe_parts_ spe_parts_of_int_(uint64_t magnitude, bool negative)
{
    spe_parts_ p = {magnitude, 63, negative, SPE_FINITE_};
    return spe_normal_(p);
}

static spe_parts_ spe_parts_of_(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return spe_decode_(SPE_FORMAT_F64_, bits);
}

static double spe_double_of_(spe_parts_ p)
{
    uint64_t bits = spe_encode_(SPE_FORMAT_F64_, p, false);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

static uint64_t spe_from_f32_(int format, float v, bool saturate)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return spe_encode_(format, spe_decode_(SPE_FORMAT_F32_, bits), saturate);
}

static float spe_to_f32_(int format, uint64_t bits)
{
    uint32_t word = (uint32_t)spe_encode_(SPE_FORMAT_F32_, spe_decode_(format, bits), false);
    float v;
    memcpy(&v, &word, sizeof v);
    return v;
}

uint16_t spe_f32_to_f16_bits(float v) { return (uint16_t)spe_from_f32_(SPE_FORMAT_F16_, v, false); }
float spe_f16_bits_to_f32(uint16_t bits) { return spe_to_f32_(SPE_FORMAT_F16_, bits); }
uint16_t spe_f32_to_bf16_bits(float v) { return (uint16_t)spe_from_f32_(SPE_FORMAT_BF16_, v, false); }
float spe_bf16_bits_to_f32(uint16_t bits) { return spe_to_f32_(SPE_FORMAT_BF16_, bits); }
uint8_t spe_f32_to_e4m3_bits(float v, bool sat) { return (uint8_t)spe_from_f32_(SPE_FORMAT_E4M3_, v, sat); }
float spe_e4m3_bits_to_f32(uint8_t bits) { return spe_to_f32_(SPE_FORMAT_E4M3_, bits); }
uint8_t spe_f32_to_e5m2_bits(float v, bool sat) { return (uint8_t)spe_from_f32_(SPE_FORMAT_E5M2_, v, sat); }
float spe_e5m2_bits_to_f32(uint8_t bits) { return spe_to_f32_(SPE_FORMAT_E5M2_, bits); }
uint8_t spe_f32_to_e2m1_bits(float v) { return (uint8_t)spe_from_f32_(SPE_FORMAT_E2M1_, v, true); }
float spe_e2m1_bits_to_f32(uint8_t bits) { return spe_to_f32_(SPE_FORMAT_E2M1_, bits & 0xf); }
float spe_f32_to_tf32(float v) { return spe_to_f32_(SPE_FORMAT_TF32_, spe_from_f32_(SPE_FORMAT_TF32_, v, false)); }

/* The exponent of an f32, plus 1 beyond the middle of two powers of two, or at the middle if that is even. The middle
 * of 2^-127 and 2^-126 is a subnormal. */
uint8_t spe_f32_to_e8m0_bits(float v)
{
    uint32_t bits, least_half = 0x1fffff, half = 0x3fffff;
    memcpy(&bits, &v, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000 || bits > 0x80000000) return SPE_E8M0_NAN;
    bits &= 0x7fffffff;
    bits = (bits + (bits >> 23 ? half + (bits >> 23 & 1) : least_half)) >> 23;
    return (uint8_t)(bits < SPE_E8M0_NAN ? bits : SPE_E8M0_NAN - 1);
}

float spe_e8m0_bits_to_f32(uint8_t bits)
{
    uint32_t word = (uint32_t)bits << 23 | (bits == 0 || bits == SPE_E8M0_NAN ? 0x400000u : 0);
    float v;
    memcpy(&v, &word, sizeof v);
    return v;
}

double spe_real_of_f32(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return spe_double_of_(spe_decode_(SPE_FORMAT_F32_, bits));
}

double spe_real_of_bits(spe_encoding encoding, uint32_t width, uint64_t bits)
{
    int format = spe_format_for_(encoding, width);
    return spe_double_of_(spe_decode_(format < 0 ? (int)SPE_FORMAT_F64_ : format, format < 0 ? 0 : bits));
}

uint64_t spe_real_bits(spe_encoding encoding, uint32_t width, double v, bool saturate)
{
    int format = spe_format_for_(encoding, width);
    return format < 0 ? 0 : spe_encode_(format, spe_parts_of_(v), saturate);
}

bool spe_real_fits(spe_encoding encoding, uint32_t width, double v)
{
    int format = spe_format_for_(encoding, width);
    spe_parts_ p = spe_parts_of_(v);
    if (format < 0 || p.kind != SPE_FINITE_) return format >= 0;
    p.negative = false;
    return spe_encode_(format, p, false) <= spe_format_of_(format)->largest;
}

bool spe_real_to_int(double v, int64_t *integer)
{
    spe_parts_ p = spe_parts_of_(v);
    bool least = p.negative && p.exponent == 63 && p.mantissa == (uint64_t)1 << 63;
    *integer = p.negative || p.kind == SPE_NAN_ ? INT64_MIN : -1; /* as unsigned, -1 is the largest number */
    if (p.kind != SPE_FINITE_ || p.exponent > 63 || (p.negative && p.exponent == 63)) return least;
    uint64_t magnitude = p.exponent < 0 ? 0 : p.mantissa >> (63 - p.exponent);
    bool exact = p.exponent < 0 ? !p.mantissa : magnitude << (63 - p.exponent) == p.mantissa;
    *integer = (int64_t)(p.negative ? 0 - magnitude : magnitude);
    return exact && p.exponent < 63;
}

/* The bits of a number, or of an integer, as a constant of float type t; false if t is not supported. */
XE_ONCE_
XE_FN_ bool spe_encode_scalar_(const spe_type_info *t, double value, uint64_t *bits)
{
    int format = spe_format_for_(t->encoding, t->bits);
    if (format >= 0) *bits = spe_encode_(format, spe_parts_of_(value), false);
    return format >= 0;
}

XE_ONCE_
XE_FN_ bool spe_encode_int_(const spe_type_info *t, uint64_t magnitude, bool negative, uint64_t *bits)
{
    int format = spe_format_for_(t->encoding, t->bits);
    if (format >= 0) *bits = spe_encode_(format, spe_parts_of_int_(magnitude, negative), false);
    return format >= 0;
}

XE_ONCE_
XE_FN_ double spe_real_of_int_(uint64_t magnitude, bool negative)
{
    return spe_double_of_(spe_parts_of_int_(magnitude, negative));
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

static bool spe_is_zero_(const spe_parts_ *p) { return p->kind == SPE_FINITE_ && !p->mantissa; }

static spe_parts_ spe_sum_(spe_parts_ a, spe_parts_ b)
{
    bool swap = !a.mantissa || (b.mantissa && (b.exponent > a.exponent ||
                                               (b.exponent == a.exponent && b.mantissa > a.mantissa)));
    spe_parts_ large = swap ? b : a, small = swap ? a : b;
    if (!small.mantissa) {
        if (!large.mantissa) large.negative = a.negative && b.negative;
        return large;
    }
    int shift = large.exponent - small.exponent + 1; /* one bit is left for the carry */
    uint64_t part = shift < 64 ? small.mantissa >> shift : 0;
    if (shift > 63 || part << shift != small.mantissa) part |= 1;
    large.exponent++;
    large.mantissa = (large.mantissa >> 1) + (large.negative == small.negative ? part : 0 - part);
    if (!large.mantissa) large.negative = false;
    return spe_normal_(large);
}

static spe_parts_ spe_product_(spe_parts_ a, spe_parts_ b)
{
    uint64_t a0 = a.mantissa & 0xffffffff, a1 = a.mantissa >> 32, b0 = b.mantissa & 0xffffffff, b1 = b.mantissa >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), carry = a0 * b1 + (middle & 0xffffffff);
    a.negative = a.negative != b.negative;
    a.exponent += b.exponent + 1;
    a.mantissa = (a1 * b1 + (middle >> 32) + (carry >> 32)) | (a.mantissa * b.mantissa != 0);
    return spe_normal_(a);
}

static spe_parts_ spe_quotient_(spe_parts_ a, spe_parts_ b)
{
    uint64_t rest = a.mantissa >> 1, by = b.mantissa >> 1, quotient = 0;
    for (int bit = 0; bit < 64; bit++) {
        bool one = rest >= by;
        quotient = quotient << 1 | one;
        rest = (one ? rest - by : rest) << 1;
    }
    a.negative = a.negative != b.negative;
    a.exponent -= b.exponent;
    a.mantissa = quotient | (rest != 0);
    return spe_normal_(a);
}

/* The results that no finite calculation gives: of NaN and infinity, and division by 0. */
static bool spe_special_(spe_arith_op op, const spe_parts_ *a, const spe_parts_ *b, spe_parts_ *result)
{
    bool negative = a->negative != b->negative;
    spe_parts_ nan = {0, 0, false, SPE_NAN_}, infinite = {0, 0, negative, SPE_INFINITE_};
    spe_parts_ zero = {0, 0, negative, SPE_FINITE_};
    *result = a->kind == SPE_NAN_ ? *a : b->kind == SPE_NAN_ ? *b : nan;
    if (a->kind == SPE_NAN_ || b->kind == SPE_NAN_) return true;
    bool a_ends = a->kind == SPE_INFINITE_, b_ends = b->kind == SPE_INFINITE_;
    if (op == SPE_ARITH_DIV && spe_is_zero_(b)) {
        if (!spe_is_zero_(a)) *result = infinite;
        return true;
    }
    if (!a_ends && !b_ends) return false;
    if (op == SPE_ARITH_MUL) {
        if (!spe_is_zero_(a) && !spe_is_zero_(b)) *result = infinite;
    } else if (op == SPE_ARITH_DIV) {
        if (a_ends != b_ends) *result = a_ends ? infinite : zero;
    } else if (!a_ends || !b_ends || a->negative == b->negative)
        *result = a_ends ? *a : *b;
    return true;
}

double spe_real_arith(spe_arith_op op, double x, double y)
{
    spe_parts_ a = spe_parts_of_(x), b = spe_parts_of_(y), result;
    if (op == SPE_ARITH_SUB && b.kind != SPE_NAN_) b.negative = !b.negative;
    if (spe_special_(op, &a, &b, &result)) return spe_double_of_(result);
    if (op == SPE_ARITH_MUL) return spe_double_of_(spe_product_(a, b));
    return spe_double_of_(op == SPE_ARITH_DIV ? spe_quotient_(a, b) : spe_sum_(a, b));
}

int spe_real_compare(double x, double y)
{
    spe_parts_ a = spe_parts_of_(x), b = spe_parts_of_(y);
    int64_t u, v;
    if (a.kind == SPE_NAN_ || b.kind == SPE_NAN_) return 2;
    memcpy(&u, &x, sizeof u);
    memcpy(&v, &y, sizeof v);
    if (u < 0) u = INT64_MIN - u; /* negative numbers in order; -0 is 0 */
    if (v < 0) v = INT64_MIN - v;
    return (u > v) - (u < v);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* printf's decimal point is the locale's, which is a comma in many, and two bytes in some. */
spe_decimal spe_decimal_of(double v, char form, int digits)
{
    spe_decimal t;
    char *to = t.s;
    snprintf(t.s, sizeof t.s, form == 'e' ? "%.*e" : "%.*g", digits, v);
    for (const char *at = t.s; *at; at++) {
        if (strchr("0123456789+-aefin", *at)) *to++ = *at;
        else if (to == t.s || to[-1] != '.') *to++ = '.';
    }
    *to = 0;
    return t;
}
