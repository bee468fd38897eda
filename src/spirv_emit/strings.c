/* strings.c - texts in constant memory, and printf. */
#include "internal.h"

static spe_id spe_string_(spe_module *m, const char *text)
{
    spe_id zero = spe_i32(m, 0), i8 = spe_int(m, 8), type, *bytes;
    uint32_t w[3] = {0, SPE_StorageClassUniformConstant, 0};
    size_t n = text ? strlen(text) + 1 : 0;
    if (m->error.id) return 0;
    if (!n || n > 65000) return SPE_ERROR_(m, LIMIT, "a text of %zu bytes; there may be 1 to 65000", n);
    type = spe_array(m, i8, (uint32_t)n);
    bytes = (spe_id *)spe_alloc(m, n * sizeof *bytes);
    for (size_t i = 0; i < n && bytes; i++) bytes[i] = spe_const_scalar_(m, i8, (unsigned char)text[i]);
    if (!bytes || m->error.id) return 0;
    w[0] = spe_ptr(m, SPE_StorageClassUniformConstant, type);
    w[2] = spe_composite_const(m, type, (uint32_t)n, bytes);
    spe_id variable = spe_unique_(m, SPE_OpVariable, SPE_ID_GLOBAL_, 3, w);
    return variable ? spe_element(m, variable, 1, &zero) : 0;
}
spe_id spe_string(spe_module *m, const char *text) { return SPE_WITHIN_(m, spe_string_(m, text)); }

/* A conversion of a format. */
typedef struct {
    uint32_t lanes, bits; /* bits: those of the length; 0: none was given */
    char letter;          /* 0: the format has ended */
    const char *begin, *end;
} spe_conversion_;

/* The next conversion at or behind `at`; %% is none. */
static spe_conversion_ spe_next_conversion_(const char *at)
{
    static const struct {
        const char *name;
        uint32_t bits;
    } lengths[] = {{"hh", 8}, {"hl", 32}, {"h", 16}, {"l", 64}};
    static const char digits[] = "0123456789";
    spe_conversion_ c = {1, 0, 0, at, at};
    while (*at && !(*at == '%' && at[1] != '%')) at += *at == '%' ? 2 : 1;
    c.begin = at;
    if (!*at++) return c;
    at += strspn(at, "-+ #0");
    at += strspn(at, digits);
    if (*at == '.') at += 1 + strspn(at + 1, digits);
    if (*at == 'v') {
        for (c.lanes = 0, at++; *at >= '0' && *at <= '9' && c.lanes < 100; at++)
            c.lanes = 10 * c.lanes + (uint32_t)(*at - '0');
    }
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths && !c.bits; i++) {
        if (strncmp(at, lengths[i].name, strlen(lengths[i].name))) continue;
        c.bits = lengths[i].bits;
        at += strlen(lengths[i].name);
    }
    c.letter = *at ? *at : '%';
    c.end = *at ? at + 1 : at;
    return c;
}

/* The argument of a conversion as printf takes it: numbers of less than 32 bits extended. 0 and an error if it is of
 * another type. */
static spe_id spe_printed_(spe_module *m, const spe_conversion_ *c, spe_id v)
{
    spe_id type = spe_check_(m, "spe_printf", "v", v);
    const spe_type_info *t = spe_info_(m, spe_scalar_of(m, type));
    spe_kind kind = strchr("diouxXc", c->letter)    ? SPE_KIND_INT
                    : strchr("aAeEfFgG", c->letter) ? SPE_KIND_FLOAT
                    : strchr("sp", c->letter)       ? SPE_KIND_POINTER
                                                    : SPE_KIND_NONE;
    uint32_t lanes = spe_count(m, type), bits = c->bits ? c->bits : 32;
    if (!type) return 0;
    if (c->lanes == 1 && bits < 32) bits = 32;
    bool fits = t->kind == kind && c->lanes == (lanes ? lanes : 1);
    if (kind == SPE_KIND_POINTER) {
        fits = fits && !c->bits && (c->letter == 'p' || (spe_info_(m, t->elem)->kind == SPE_KIND_INT &&
                                                         t->storage == SPE_StorageClassUniformConstant));
    } else if (lanes > 1) {
        fits = fits && t->bits == bits;
    } else {
        fits = fits && (t->bits == bits || (t->bits < bits && bits == 32) || (kind == SPE_KIND_FLOAT && !c->bits));
    }
    if (!fits)
        return spe_error_(m, SPE_ERR_TYPE, "conversion %.*s does not take %s", (int)(c->end - c->begin), c->begin,
                          spe_text_(m, type));
    if (kind == SPE_KIND_POINTER || lanes > 1 || t->bits >= bits) return v;
    return spe_cast(m, kind == SPE_KIND_INT ? spe_int(m, 32) : spe_float(m, 32), v, strchr("di", c->letter) != NULL);
}

static spe_id spe_printf_(spe_module *m, const char *format, uint32_t n, const spe_id *args)
{
    enum { PRINTF = 184, MOST = 7 }; /* of OpenCL.std; arguments besides the format, see spe_ext */
    spe_id w[MOST + 1] = {spe_string(m, format)};
    const char *at = format;
    uint32_t i = 0;
    if (m->error.id) return 0;
    if (n > MOST) return SPE_ERROR_(m, RANGE, "%u arguments; at most %d", n, (int)MOST);
    for (;; i++) {
        spe_conversion_ c = spe_next_conversion_(at);
        if (!c.letter) break;
        at = c.end;
        if (i < n) w[i + 1] = spe_printed_(m, &c, args[i]);
        if (m->error.id) return 0;
    }
    if (i != n) return SPE_ERROR_(m, TYPE, "%u arguments for %u conversions of \"%.60s\"", n, i, format);
    return spe_ext(m, spe_int(m, 32), PRINTF, n + 1, w);
}
spe_id spe_printf(spe_module *m, const char *format, uint32_t n, const spe_id *args)
{
    return SPE_WITHIN_(m, spe_printf_(m, format, n, args));
}
