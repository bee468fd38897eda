/* print.c - printf of OpenCL C, with texts, widths and precisions of any length. A call prints for one lane, in one
 * write unless its text is long, so that lines of different threads do not mix. Nothing is locked while the text is put
 * together: a pointer to text may be wild.
 */
#include "print.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "spirv/host_state.h"

struct printer {
    const uint8_t *kinds;
    const uint64_t *values;
    uint32_t left, used; /* arguments left; characters used of `out` */
    char out[1024];
};

static void print_now(struct printer *p)
{
    fwrite(p->out, 1, p->used, stdout);
    p->used = 0;
}

static void print_put(struct printer *p, const char *text, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (p->used == sizeof p->out) print_now(p);
        p->out[p->used++] = text[i];
    }
}

static void put_repeated(struct printer *p, char c, uint32_t n)
{
    while (n--) print_put(p, &c, 1);
}

/* ---- a conversion: %[flags][width][.precision][vector][length]letter */

struct conversion {
    bool left, plus, space, alternate, zeros, has_precision;
    uint32_t width, precision;
    uint32_t components, bytes; /* bytes: of an integer */
    char letter;
};

/* What is printed of a value, between the padding: `head` (sign, 0x), zeros, `body`, more zeros, `tail` (exponent). */
struct field {
    char head[4];
    const char *body, *tail;
    uint32_t zeros, body_size, more_zeros;
    bool fills; /* padded with zeros instead of spaces, if the flag 0 says so */
};

static void put_field(struct printer *p, const struct conversion *c, const struct field *f)
{
    uint32_t head = (uint32_t)strlen(f->head), tail = f->tail ? (uint32_t)strlen(f->tail) : 0;
    uint64_t size = (uint64_t)head + f->zeros + f->body_size + f->more_zeros + tail;
    uint32_t padding = size < c->width ? c->width - (uint32_t)size : 0;
    const bool fills = f->fills && c->zeros && !c->left;
    if (!fills && !c->left) put_repeated(p, ' ', padding);
    print_put(p, f->head, head);
    put_repeated(p, '0', f->zeros + (fills ? padding : 0));
    print_put(p, f->body, f->body_size);
    put_repeated(p, '0', f->more_zeros);
    print_put(p, f->tail, tail);
    if (c->left) put_repeated(p, ' ', padding);
}

/* The sign of a signed number, or what the flags put in its place. */
static const char *sign(const struct conversion *c, bool negative)
{
    return negative ? "-" : c->plus ? "+" : c->space ? " " : "";
}

static void put_integer(struct printer *p, const struct conversion *c, uint64_t value)
{
    const uint32_t unused = 64 - 8 * c->bytes;
    const bool is_signed = c->letter == 'd' || c->letter == 'i';
    const bool negative = is_signed && (int64_t)(value << unused) < 0;
    char digits[32];
    struct field f = {.body = digits, .fills = !c->has_precision};
    value = negative ? -(uint64_t)((int64_t)(value << unused) >> unused) : value << unused >> unused;
    if (is_signed) strcpy(f.head, sign(c, negative));
    else if (c->alternate && value && (c->letter | 0x20) == 'x') strcpy(f.head, c->letter == 'x' ? "0x" : "0X");
    f.body_size = (uint32_t)snprintf(digits, sizeof digits,
                                     c->letter == 'o'   ? "%llo"
                                     : c->letter == 'x' ? "%llx"
                                     : c->letter == 'X' ? "%llX"
                                                        : "%llu",
                                     (unsigned long long)value);
    if (!value && c->has_precision && !c->precision) f.body_size = 0;
    if (c->has_precision && c->precision > f.body_size) f.zeros = c->precision - f.body_size;
    if (c->letter == 'o' && c->alternate && !f.zeros && (value || !f.body_size)) f.zeros = 1;
    put_field(p, c, &f);
}

/* No double has more decimal digits after its point: a larger precision adds zeros only. Longer texts would need more
 * of the C library's stack than a kernel has. */
enum { MOST_DIGITS = 1074, LONGEST_REAL = 400 + MOST_DIGITS };

static void put_real(struct printer *p, const struct conversion *c, double value)
{
    const bool finite = isfinite(value), hexadecimal = (c->letter | 0x20) == 'a';
    const int precision = !c->has_precision              ? -1
                          : c->precision > MOST_DIGITS ? MOST_DIGITS
                                                       : (int)c->precision;
    char form[8], text[LONGEST_REAL];
    struct sp_host_state host;
    struct field f = {.body = text, .fills = finite};
    snprintf(form, sizeof form, "%%%s.*%c", c->alternate ? "#" : "", c->letter);
    sp_host_enter(&host); /* the thread may be the program's, which may have a decimal comma */
    int n = snprintf(text, sizeof text, form, precision, value);
    sp_host_leave(&host);
    strcpy(f.head, sign(c, text[0] == '-'));
    if (text[0] == '-') f.body++;
    if (finite && hexadecimal) {
        strcat(f.head, c->letter == 'a' ? "0x" : "0X");
        f.body += 2;
    }
    f.body_size = (uint32_t)(text + n - f.body);
    if (finite && c->has_precision && c->precision > MOST_DIGITS && ((c->letter | 0x20) != 'g' || c->alternate)) {
        f.more_zeros = c->precision - MOST_DIGITS;
        f.tail = strpbrk(f.body, hexadecimal ? "pP" : "eE");
        if (f.tail) f.body_size = (uint32_t)(f.tail - f.body);
    }
    put_field(p, c, &f);
}

static void put_text(struct printer *p, const struct conversion *c, const char *text)
{
    struct field f = {.body = text ? text : "(null)"};
    f.body_size = (uint32_t)strnlen(f.body, c->has_precision ? c->precision : INT32_MAX);
    put_field(p, c, &f);
}

static void put_component(struct printer *p, const struct conversion *c, uint64_t value)
{
    const union {
        uint64_t bits;
        double value;
    } real = {value};
    const char character = (char)value;
    char address[24];
    struct field f = {.body = &character, .body_size = 1};
    switch (c->letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': put_integer(p, c, value); break;
    case 'c': put_field(p, c, &f); break;
    case 'p':
        f.body = address;
        f.body_size = (uint32_t)snprintf(address, sizeof address, "0x%llx", (unsigned long long)value);
        put_field(p, c, &f);
        break;
    case 's': put_text(p, c, (const char *)(uintptr_t)value); break;
    default: put_real(p, c, real.value);
    }
}

/* Reads a number; all above INT32_MAX are this. */
static uint32_t read_number(const char **f)
{
    uint32_t n = 0;
    for (; **f >= '0' && **f <= '9'; ++*f) {
        uint32_t digit = (uint32_t)(**f - '0');
        n = n > (INT32_MAX - digit) / 10 ? INT32_MAX : n * 10 + digit;
    }
    return n;
}

static const char *read_flags(struct conversion *c, const char *f)
{
    for (;; f++) {
        switch (*f) {
        case '-': c->left = true; break;
        case '+': c->plus = true; break;
        case ' ': c->space = true; break;
        case '#': c->alternate = true; break;
        case '0': c->zeros = true; break;
        default: return f;
        }
    }
}

/* After the '%'; returns the rest of the format, or NULL if OpenCL has no such conversion. */
static const char *read_conversion(struct conversion *c, const char *f)
{
    *c = (struct conversion){.components = 1, .bytes = 4};
    f = read_flags(c, f);
    c->width = read_number(&f);
    c->has_precision = *f == '.';
    if (c->has_precision) {
        f++;
        c->precision = read_number(&f);
    }
    if (*f == 'v') {
        f++;
        c->components = read_number(&f);
    }
    if (*f == 'h') {
        f++;
        c->bytes = *f == 'h' ? 1 : *f == 'l' ? 4 : 2;
        if (*f == 'h' || *f == 'l') f++;
    } else if (*f == 'l') {
        f += f[1] == 'l' ? 2 : 1;
        c->bytes = 8;
    }
    c->letter = *f;
    return c->letter && strchr("diuoxXcspfFeEgGaA", c->letter) ? f + 1 : NULL;
}

/* Handles a conversion, after its '%'; false if OpenCL has no such conversion or its argument is missing. */
static bool print_conversion(struct printer *p, const char **format)
{
    struct conversion c;
    const char *rest = read_conversion(&c, *format);
    if (!rest || !p->left || c.components > p->kinds[2]) return false;
    *format = rest;
    bool is_float = strchr("fFeEgGaA", c.letter) != 0;
    if (is_float != (p->kinds[0] == 'f') || (c.letter == 's' && p->kinds[0] != 'p')) return false;
    for (uint32_t k = 0; k < c.components; k++) {
        if (k) print_put(p, ",", 1);
        put_component(p, &c, p->values[k]);
    }
    p->values += p->kinds[2];
    p->kinds += 3;
    p->left--;
    return true;
}

void print_format(struct xs_subgroup *self, uint64_t format, const uint8_t *kinds, uint32_t n, const uint64_t *values)
{
    struct printer p = {.kinds = kinds, .values = values, .left = n};
    (void)self;
    for (const char *f = (const char *)(uintptr_t)format; *f;) {
        if (*f == '%' && f[1] != '%') {
            f++;
            if (!print_conversion(&p, &f)) break;
        } else {
            print_put(&p, f, 1);
            f += *f == '%' ? 2 : 1;
        }
    }
    print_now(&p);
}
