/* arguments.c - checking and converting arguments. */
#include "internal.h"

static zed_arg zed_arg_make_(char kind, int code)
{
    zed_arg a;
    memset(&a, 0, sizeof a);
    a.kind = kind;
    a.pointed = (char)(code >> 8);
    a.size = (unsigned char)(code & 255);
    return a;
}

/* A float as a double, exactly: C's conversion gives 0 for a subnormal where the program flushes those. */
static double zed_widen_(float v)
{
    uint32_t word;
    uint64_t bits, fraction;
    int exponent;
    double wide;
    memcpy(&word, &v, sizeof word);
    exponent = (int)(word >> 23 & 0xff);
    fraction = word & 0x7fffff;
    bits = (uint64_t)(word >> 31) << 63;
    if (exponent == 0xff) exponent = 0x7ff;
    else if (exponent || fraction) exponent += 1023 - 127;
    if (!(word & 0x7f800000) && fraction) { /* subnormal: its leading one moves out of the fraction */
        for (exponent++; !(fraction >> 23); exponent--) fraction <<= 1;
        fraction &= 0x7fffff;
    }
    bits |= (uint64_t)exponent << 52 | fraction << 29;
    memcpy(&wide, &bits, sizeof wide);
    return wide;
}

#define ZED_MAKE_ARG_(how, type, letter, member, value)                                                                \
    zed_arg zed_arg_##how##_(type v, int code)                                                                         \
    {                                                                                                                  \
        zed_arg a = zed_arg_make_(letter, code);                                                                       \
        a.as.member = value;                                                                                           \
        return a;                                                                                                      \
    }
ZED_MAKE_ARG_(int, int64_t, 'i', sint, v)
ZED_MAKE_ARG_(uint, uint64_t, 'u', uint, v)
ZED_MAKE_ARG_(double, double, 'f', real, v)
ZED_MAKE_ARG_(float, float, 'f', real, zed_widen_(v))
ZED_MAKE_ARG_(pointer, const volatile void *, 'p', ptr, (const void *)(uintptr_t)v)
ZED_MAKE_ARG_(local, zed_local, 'l', uint, v.bytes)

zed_arg zed_arg_same_(zed_arg a, int code)
{
    (void)code;
    return a;
}

zed_arg zed_arg_text_(zed_arg a, const char *text)
{
    a.text = text;
    return a;
}

zed_arg zed_arg_i(int64_t v) { return zed_arg_int_(v, 8); }
zed_arg zed_arg_u(uint64_t v) { return zed_arg_uint_(v, 8); }
zed_arg zed_arg_f(double v) { return zed_arg_double_(v, 8); }
zed_arg zed_arg_ptr(const volatile void *p) { return zed_arg_pointer_(p, 'v' << 8); }
zed_arg zed_arg_local(size_t bytes)
{
    zed_local v;
    v.bytes = bytes;
    return zed_arg_local_(v, 0);
}

/* "kernel gemm, argument 4 (n + 1) for parameter u32 M" */
static const char *zed_arg_where_(const zed_kernel *k, const zed_arg *a, uint32_t i, char *text, size_t size)
{
    char type[32];
    snprintf(text, size, "kernel %s, argument %" PRIu32 "%s%.200s%s for parameter %s %s", k->name, i + 1,
             a->text ? " (" : "", a->text ? a->text : "", a->text ? ")" : "",
             zed_param_name_(&k->params[i], type, sizeof type), k->params[i].name);
    return text;
}

typedef struct {
    char s[40];
} zed_decimal_text_;

/* printf's %.9g with a point in every locale: others have a comma, or two bytes. */
static zed_decimal_text_ zed_decimal_(double v)
{
    zed_decimal_text_ t;
    char *to = t.s;
    snprintf(t.s, sizeof t.s, "%.9g", v);
    for (const char *at = t.s; *at; at++) {
        if (strchr("0123456789+-aefin", *at)) *to++ = *at;
        else if (to == t.s || to[-1] != '.') *to++ = '.';
    }
    *to = 0;
    return t;
}

/* Describes an argument's type and value in the terms of the parameter text. */
XE_FN_ const char *zed_arg_name_(const zed_arg *a, char *text, size_t size)
{
    int bits = 8 * a->size;
    if (a->kind == 'i') snprintf(text, size, "i%d %" PRId64, bits, a->as.sint);
    else if (a->kind == 'u') snprintf(text, size, "u%d %" PRIu64, bits, a->as.uint);
    else if (a->kind == 'f') snprintf(text, size, "f%d %s", bits, zed_decimal_(a->as.real).s);
    else if (a->kind == 'l') snprintf(text, size, "%" PRIu64 " bytes of local memory", a->as.uint);
    else if (a->pointed == 'c') snprintf(text, size, "a pointer to char");
    else if (a->pointed == 'v') snprintf(text, size, "a pointer");
    else snprintf(text, size, "a pointer to %c%d", a->pointed, bits);
    return text;
}

static bool zed_arg_type_error_(const zed_kernel *k, const zed_arg *a, uint32_t i, const char *what)
{
    char where[512], got[64];
    return zed_fail_(k->device, ZED_ARG_TYPE, "%s: got %s%s", zed_arg_where_(k, a, i, where, sizeof where),
                     zed_arg_name_(a, got, sizeof got), what);
}

static bool zed_arg_range_error_(const zed_kernel *k, const zed_arg *a, uint32_t i, const char *low, const char *high)
{
    char where[512], got[64];
    return zed_fail_(k->device, ZED_ARG_RANGE, "%s: %s is not in %s .. %s",
                     zed_arg_where_(k, a, i, where, sizeof where), zed_arg_name_(a, got, sizeof got), low, high);
}

/* Rounds to a float of so many exponent and fraction bits, ties to even; NaNs become quiet. False: finite, but too
 * large. On bits, so that no mode of the program changes the result. */
static bool zed_to_float_(double v, int exponent_bits, int fraction_bits, uint32_t *out)
{
    const int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
    uint64_t bits, fraction, rest, half;
    uint32_t result, sign;
    int exponent, shift = 52 - fraction_bits;
    memcpy(&bits, &v, sizeof bits);
    sign = (uint32_t)(bits >> 63) << (exponent_bits + fraction_bits);
    exponent = (int)((bits >> 52) & 0x7ff);
    fraction = bits & 0xfffffffffffffu;
    if (exponent == 0x7ff) {
        result = (uint32_t)top << fraction_bits | (uint32_t)(fraction >> shift);
        if (fraction) result |= 1u << (fraction_bits - 1);
        *out = sign | result;
        return true;
    }
    if (exponent) fraction |= (uint64_t)1 << 52;
    exponent += bias - 1023;
    if (exponent < 1) { /* subnormal: the leading one moves into the fraction */
        shift += 1 - exponent;
        exponent = 0;
    }
    if (shift > 62) shift = 62;
    if (exponent > top) exponent = top;
    half = (uint64_t)1 << (shift - 1);
    rest = fraction & (((uint64_t)1 << shift) - 1);
    fraction >>= shift;
    fraction += rest > half || (rest == half && (fraction & 1));
    result = exponent ? ((uint32_t)(exponent - 1) << fraction_bits) + (uint32_t)fraction : (uint32_t)fraction;
    *out = sign | result;
    return result < (uint32_t)top << fraction_bits;
}

static bool zed_fit_float_(const zed_type_ *t, double v, zed_bound_ *b, char low[32], char high[32])
{
    uint32_t bits = 0;
    const char *most;
    bool fits;
    if (t->kind == 'f' && t->size == 8) {
        b->as.f64 = v;
        return true;
    }
    if (t->kind == 'f') {
        fits = zed_to_float_(v, 8, 23, &b->as.u32);
        most = "3.40282347e+38";
    } else {
        fits = t->kind == 'h' ? zed_to_float_(v, 5, 10, &bits) : zed_to_float_(v, 8, 7, &bits);
        most = t->kind == 'h' ? "65504" : "3.38953139e+38";
        b->as.u16 = (uint16_t)bits;
    }
    snprintf(low, 32, "-%s", most);
    snprintf(high, 32, "%s", most);
    return fits;
}

static bool zed_fit_int_(const zed_type_ *t, const zed_arg *a, zed_bound_ *b, char low[32], char high[32])
{
    const bool to_signed = t->kind == 'i';
    const uint64_t most = UINT64_MAX >> (64 - 8 * t->size + (to_signed ? 1 : 0));
    bool negative = a->kind == 'i' && a->as.sint < 0;
    uint64_t v = a->as.uint; /* same bits if signed */
    if (negative ? !to_signed || a->as.sint < -(int64_t)most - 1 : v > most) {
        snprintf(low, 32, "%" PRId64, to_signed ? -(int64_t)most - 1 : 0);
        snprintf(high, 32, "%" PRIu64, most);
        return false;
    }
    if (t->size == 8) b->as.u = v;
    else if (t->size == 4) b->as.u32 = (uint32_t)v;
    else if (t->size == 2) b->as.u16 = (uint16_t)v;
    else b->as.u8 = (uint8_t)v;
    return true;
}

/* Converts a number to a type of the same kind; false: it is not in low .. high, as text. */
XE_ONCE_
XE_FN_ bool zed_fit_number_(const zed_type_ *t, const zed_arg *a, zed_bound_ *b, char low[32], char high[32])
{
    return a->kind == 'f' ? zed_fit_float_(t, a->as.real, b, low, high) : zed_fit_int_(t, a, b, low, high);
}

/* The C type that a pointer to a parameter's elements usually has. */
XE_ONCE_
static const char *zed_c_type_(const zed_type_ *t, char *text, size_t size)
{
    const char *sign = strchr(t->pointed_kinds, 'u') ? "u" : "";
    if (!*sign && !strchr(t->pointed_kinds, 'i')) return t->pointed_size == 4 ? "float" : "double";
    snprintf(text, size, "%sint%d_t", sign, 8 * t->pointed_size);
    return text;
}

static bool zed_bind_pointer_(const zed_kernel *k, const zed_arg *a, uint32_t i, zed_bound_ *b)
{
    const zed_type_ *t = k->params[i].type;
    if (a->pointed != 'v' && (a->size != t->pointed_size || !strchr(t->pointed_kinds, a->pointed))) {
        char name[16], what[64];
        snprintf(what, sizeof what, ", wanted %s * or void *", zed_c_type_(t, name, sizeof name));
        return zed_arg_type_error_(k, a, i, what);
    }
    if (!zed_reachable_(k->device, a->as.ptr)) {
        char where[512];
        return zed_fail_(k->device, ZED_ARG_MEMORY, "%s: %p is not in memory that \"%s\" can reach",
                         zed_arg_where_(k, a, i, where, sizeof where), a->as.ptr, k->device->name);
    }
    b->as.p = a->as.ptr;
    b->size = sizeof b->as.p;
    b->no_value = !a->as.ptr;
    return true;
}

/* Checks argument i against its parameter and produces the bytes to pass. */
XE_FN_ bool zed_bind_(const zed_kernel *k, const zed_arg *a, uint32_t i, zed_bound_ *b)
{
    const zed_param *p = &k->params[i];
    const bool is_int = a->kind == 'i' || a->kind == 'u', wants_int = p->type->kind == 'i' || p->type->kind == 'u';
    char low[32], high[32];
    memset(b, 0, sizeof *b);
    b->size = p->type->size;
    if (p->kind == ZED_PARAM_PTR)
        return a->kind == 'p' ? zed_bind_pointer_(k, a, i, b) : zed_arg_type_error_(k, a, i, ", no pointer");
    if (p->kind == ZED_PARAM_LOCAL) {
        if (a->kind != 'l') return zed_arg_type_error_(k, a, i, ", no (zed_local){bytes}");
        if (!a->as.uint) return zed_arg_range_error_(k, a, i, "1", "the device's local memory");
        b->size = (size_t)a->as.uint;
        b->no_value = true;
        return true;
    }
    if (wants_int ? is_int : a->kind == 'f')
        return zed_fit_number_(p->type, a, b, low, high) || zed_arg_range_error_(k, a, i, low, high);
    return zed_arg_type_error_(k, a, i, is_int ? " (write 1.0f for a float)" : "");
}
