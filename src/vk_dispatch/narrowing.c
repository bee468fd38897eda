/* narrowing.c - matrices that change their type, and those of FP8: converted in the host's memory. The driver's
 * function for the host changes the layout, as the command of NVIDIA's driver 580 writes FP8 as bytes where products
 * read f16; f32 and f16 become smaller floats here, rounded once, where the command rounds f32 to f16 before FP8. */
#include "internal.h"

/* A float type: the bits of its mantissa, its exponents' bias, the codes of infinity (or what stands for it) and NaN,
 * and its sign's bit. */
typedef struct vkd_small_float_ {
    uint32_t mantissa, bias, infinity, nan, sign;
} vkd_small_float_;

/* Of a type that f32 can be rounded to. */
static const vkd_small_float_ *vkd_small_float_of_(const vkd_element_ *e)
{
    static const vkd_small_float_ f16 = {10, 15, 0x7c00, 0x7e00, 0x8000}, e4m3 = {3, 7, 0x7f, 0x7f, 0x80},
                                  e5m2 = {2, 15, 0x7c, 0x7e, 0x80};
    return e->bytes == 2 ? &f16 : e == vkd_element_of_("e4m3") ? &e4m3 : &e5m2;
}

/* f32 to the nearest, ties to even; beyond the range it becomes infinity, or NaN, where the type has none. */
static uint32_t vkd_round_(const vkd_small_float_ *f, uint32_t bits)
{
    uint32_t sign = bits >> 31 ? f->sign : 0, exponent = bits >> 23 & 0xff, least = 128 - f->bias;
    uint32_t shift = 23 - f->mantissa, m = exponent ? (bits & 0x7fffff) | 0x800000 : 0; /* smaller ones become 0 */
    if ((bits & 0x7fffffff) > 0x7f800000) return sign | f->nan;
    if (exponent < least) shift += least - exponent, exponent = least;
    if (shift > 25) return sign;
    uint32_t half = 1u << (shift - 1), rest = m & (2 * half - 1), q = m >> shift;
    q += rest > half || (rest == half && (q & 1));
    q += (exponent - least) << f->mantissa; /* carries into the exponent */
    return sign | (q < f->infinity ? q : f->infinity);
}

/* f16 as f32. */
static uint32_t vkd_half_as_f32_(uint32_t half)
{
    uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, m = half & 0x3ff;
    if (exponent == 31) return sign | 0x7f800000 | m << 13;
    if (!exponent && !m) return sign;
    for (exponent += !exponent; !(m & 0x400) && !(half & 0x7c00); exponent--) m <<= 1;
    return sign | (exponent + 112) << 23 | (m & 0x3ff) << 13;
}

/* Rows or columns of f32 or f16 as smaller floats without gaps between these. */
static void vkd_round_lines_(const vkd_conversion *c, const char *from, char *to)
{
    const vkd_element_ *to_type = vkd_element_of_(c->to_type);
    const vkd_small_float_ *f = vkd_small_float_of_(to_type);
    const bool by_rows = c->from_layout == VKD_ROW_MAJOR;
    const size_t lines = by_rows ? c->rows : c->columns, length = by_rows ? c->columns : c->rows;
    const size_t each = vkd_element_of_(c->from_type)->bytes, bytes = to_type->bytes;
    for (size_t i = 0; i < lines; i++)
        for (size_t k = 0; k < length; k++) {
            uint32_t bits = 0;
            uint16_t half;
            memcpy(&half, from + i * c->from_stride + each * k, 2);
            if (each == 2) bits = vkd_half_as_f32_(half);
            else memcpy(&bits, from + i * c->from_stride + each * k, 4);
            half = (uint16_t)vkd_round_(f, bits);
            const uint8_t byte = (uint8_t)half;
            memcpy(to + (i * length + k) * bytes, bytes == 2 ? (const void *)&half : &byte, bytes);
        }
}

/* Converts the host's copy of the source to that of the destination; rounded: room for numbers of the latter's type. */
static bool vkd_convert_copies_(vkd_device *d, const vkd_conversion *c, vkd_vector_conversion_ described,
                                const char *from, char *rounded, char *to)
{
    const uint32_t bytes = vkd_element_of_(c->to_type)->bytes;
    if (bytes < vkd_element_of_(c->from_type)->bytes && c->from_layout <= VKD_COLUMN_MAJOR) {
        vkd_round_lines_(c, from, rounded);
        from = rounded;
        described.from_type = described.to_type;
        described.from_stride = (size_t)(c->from_layout == VKD_ROW_MAJOR ? c->columns : c->rows) * bytes;
        described.from_bytes = (size_t)c->rows * c->columns * bytes;
    }
    described.from.host = from;
    described.to.host = to;
    return vkd_convert_by_driver_(d, &described);
}

/* One conversion. What lies between the destination's rows or columns is left as it is. */
static bool vkd_convert_on_host_(vkd_device *d, const vkd_conversion *c)
{
    vkd_vector_conversion_ described;
    size_t bytes = 0;
    if (!vkd_locate_conversion_(d, c, &described, &bytes)) return false;
    size_t source = described.from_bytes = vkd_source_bytes_(d, c, described);
    char *from = (char *)malloc(source), *to = (char *)calloc(1, bytes);
    char *rounded = (char *)malloc((size_t)c->rows * c->columns * vkd_element_of_(c->to_type)->bytes);
    bool ok = from && to && rounded;
    if (!ok) vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a conversion of %zu bytes", source + bytes);
    ok = ok && vkd_copy_(d, from, c->from, source) &&
         (c->to_layout > VKD_COLUMN_MAJOR || vkd_copy_(d, to, c->to, bytes)) &&
         vkd_convert_copies_(d, c, described, from, rounded, to) && vkd_copy_(d, c->to, to, bytes);
    free(from), free(to), free(rounded);
    return ok;
}

/* Does only the layout change, of a type that the command knows? */
static bool vkd_is_for_command_(const vkd_conversion *c)
{
    const vkd_element_ *from = vkd_element_of_(c->from_type);
    return !from || (from == vkd_element_of_(c->to_type) && !vkd_is_fp8_(from->number));
}

bool vkd_convert_matrices_(vkd_device *d, const vkd_conversion *conversions, uint32_t count)
{
    bool ok = vkd_usable_(d) && vkd_are_described_(d, conversions, count);
    for (uint32_t i = 0, run; ok && i < count; i += run ? run : 1) {
        for (run = 0; i + run < count && vkd_is_for_command_(&conversions[i + run]);) run++;
        ok = run ? vkd_convert_by_command_(d, conversions + i, run) : vkd_convert_on_host_(d, conversions + i);
    }
    return ok;
}
