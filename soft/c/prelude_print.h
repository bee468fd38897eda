/* prelude_print.h - printf of OpenCL C, only for kernels that print. A call prints for one lane. */

/* The types in `values`: three bytes per argument: its kind ('i', 'f' or 'p'), the size and the number of its
 * components. */
struct print_state {
    struct xs_subgroup *self;
    const u8 *kinds;
    const u64 *values;
    u32 left, used; /* arguments left; characters used of `out` */
    char out[1024];
};

XS_FUNCTION void print_put(struct print_state *p, const char *text, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        if (p->used == sizeof p->out) {
            p->self->print(p->self, p->out, p->used);
            p->used = 0;
        }
        p->out[p->used++] = text[i];
    }
}

/* Reads a width or precision, limited to what fits in the buffer of print_one. */
XS_FUNCTION u32 print_number(const char **f)
{
    u32 n = 0;
    for (; **f >= '0' && **f <= '9'; ++*f) n = n < 100 ? n * 10 + (u32)(**f - '0') : n;
    return n < 400 ? n : 400;
}

/* Prints a component. form: the conversion without its letter; bytes: the size of an integer. */
XS_FUNCTION void print_one(struct print_state *p, const char *form, char letter, u32 bytes, u64 value)
{
    char piece[1200], spec[48];
    int n = 0;
    u32 unused = 64 - 8 * bytes;
    if (letter == 'd' || letter == 'i') value = (u64)((i64)(value << unused) >> unused);
    else if (bytes < 8 && __builtin_strchr("uoxXc", letter)) value &= ((u64)1 << 8 * bytes) - 1;
    switch (letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        __builtin_snprintf(spec, sizeof spec, "%sll%c", form, letter);
        n = __builtin_snprintf(piece, sizeof piece, spec, (unsigned long long)value);
        break;
    case 'c':
        __builtin_snprintf(spec, sizeof spec, "%sc", form);
        n = __builtin_snprintf(piece, sizeof piece, spec, (int)(u8)value);
        break;
    case 'p': n = __builtin_snprintf(piece, sizeof piece, "0x%llx", (unsigned long long)value); break;
    case 's':
        __builtin_snprintf(spec, sizeof spec, "%ss", form);
        n = __builtin_snprintf(piece, sizeof piece, spec, value ? (const char *)(uintptr_t)value : "(null)");
        break;
    default:
        __builtin_snprintf(spec, sizeof spec, "%s%c", form, letter);
        n = __builtin_snprintf(piece, sizeof piece, spec, f64_bits(value));
    }
    if (n > 0) print_put(p, piece, n < (int)sizeof piece ? (u32)n : (u32)sizeof piece - 1);
}

/* Handles a conversion, after its '%'; false if OpenCL has no such conversion or its argument is missing. */
XS_FUNCTION int print_conversion(struct print_state *p, const char **format)
{
    const char *f = *format, *found;
    char form[32] = "%", letter;
    u32 at = 1, count = 1, bytes = 4, is_float;
    while (*f && __builtin_strchr("-+ #0", *f)) {
        if (at < 8) form[at++] = *f;
        f++;
    }
    if (*f >= '1' && *f <= '9') at += (u32)__builtin_snprintf(form + at, 8, "%u", print_number(&f));
    if (*f == '.') {
        f++;
        at += (u32)__builtin_snprintf(form + at, 8, ".%u", print_number(&f));
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
    found = letter ? __builtin_strchr("diuoxXcspfFeEgGaA", letter) : 0;
    if (!found || !p->left || count > p->kinds[2]) return 0;
    *format = f + 1;
    is_float = __builtin_strchr("fFeEgGaA", letter) != 0;
    if (is_float != (p->kinds[0] == 'f') || (letter == 's' && p->kinds[0] != 'p')) return 0;
    for (u32 k = 0; k < count; k++) {
        if (k) print_put(p, ",", 1);
        print_one(p, form, letter, bytes, p->values[k]);
    }
    p->values += p->kinds[2];
    p->kinds += 3;
    p->left--;
    return 1;
}

XS_FUNCTION void print_format(struct xs_subgroup *self, u64 format, const u8 *kinds, u32 n, const u64 *values)
{
    struct print_state p = {self, kinds, values, n, 0, {0}};
    const char *f = (const char *)(uintptr_t)format;
    while (*f) {
        if (*f == '%' && f[1] == '%') {
            print_put(&p, "%", 1);
            f += 2;
        } else if (*f == '%') {
            f++;
            if (!print_conversion(&p, &f)) break;
        } else {
            print_put(&p, f++, 1);
        }
    }
    if (p.used) self->print(self, p.out, p.used);
}
