/* print.c - printf of OpenCL C. A call prints for one lane, in one write unless its text is long, so that lines of
 * different threads do not mix. Nothing is locked while the text is put together: a pointer to text may be wild.
 */
#include "print.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* Reads a width or precision, limited to what fits in the buffer of print_one. */
static uint32_t print_number(const char **f)
{
    uint32_t n = 0;
    for (; **f >= '0' && **f <= '9'; ++*f) n = n < 100 ? n * 10 + (uint32_t)(**f - '0') : n;
    return n < 400 ? n : 400;
}

/* Prints a component. form: the conversion without its letter; bytes: the size of an integer. */
static void print_one(struct printer *p, const char *form, char letter, uint32_t bytes, uint64_t value)
{
    const union {
        uint64_t bits;
        double value;
    } real = {value};
    char piece[1200], spec[48];
    int n = 0;
    uint32_t unused = 64 - 8 * bytes;
    if (letter == 'd' || letter == 'i') value = (uint64_t)((int64_t)(value << unused) >> unused);
    else if (bytes < 8 && strchr("uoxXc", letter)) value &= ((uint64_t)1 << 8 * bytes) - 1;
    switch (letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        snprintf(spec, sizeof spec, "%sll%c", form, letter);
        n = snprintf(piece, sizeof piece, spec, (unsigned long long)value);
        break;
    case 'c':
        snprintf(spec, sizeof spec, "%sc", form);
        n = snprintf(piece, sizeof piece, spec, (int)(uint8_t)value);
        break;
    case 'p': n = snprintf(piece, sizeof piece, "0x%llx", (unsigned long long)value); break;
    case 's':
        snprintf(spec, sizeof spec, "%ss", form);
        n = snprintf(piece, sizeof piece, spec, value ? (const char *)(uintptr_t)value : "(null)");
        break;
    default:
        snprintf(spec, sizeof spec, "%s%c", form, letter);
        n = snprintf(piece, sizeof piece, spec, real.value);
    }
    if (n > 0) print_put(p, piece, n < (int)sizeof piece ? (uint32_t)n : (uint32_t)sizeof piece - 1);
}

/* Handles a conversion, after its '%'; false if OpenCL has no such conversion or its argument is missing. */
static bool print_conversion(struct printer *p, const char **format)
{
    const char *f = *format, *found;
    char form[32] = "%", letter;
    uint32_t at = 1, count = 1, bytes = 4;
    while (*f && strchr("-+ #0", *f)) {
        if (at < 8) form[at++] = *f;
        f++;
    }
    if (*f >= '1' && *f <= '9') at += (uint32_t)snprintf(form + at, 8, "%u", print_number(&f));
    if (*f == '.') {
        f++;
        at += (uint32_t)snprintf(form + at, 8, ".%u", print_number(&f));
    }
    if (*f == 'v') {
        f++;
        count = print_number(&f);
    }
    if (*f == 'h') {
        f++;
        bytes = *f == 'h' ? 1 : *f == 'l' ? 4 : 2;
        if (*f == 'h' || *f == 'l') f++;
    } else if (*f == 'l') {
        f += f[1] == 'l' ? 2 : 1;
        bytes = 8;
    }
    letter = *f;
    found = letter ? strchr("diuoxXcspfFeEgGaA", letter) : 0;
    if (!found || !p->left || count > p->kinds[2]) return false;
    *format = f + 1;
    bool is_float = strchr("fFeEgGaA", letter) != 0;
    if (is_float != (p->kinds[0] == 'f') || (letter == 's' && p->kinds[0] != 'p')) return false;
    for (uint32_t k = 0; k < count; k++) {
        if (k) print_put(p, ",", 1);
        print_one(p, form, letter, bytes, p->values[k]);
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
