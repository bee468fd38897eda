/* example.h - shared by the examples, so that each file is about its kernel: messages, options, random numbers. hello.c
 * and gemm.c do without it, so that they can be copied alone. Include the library's headers and `#define EXAMPLE
 * "name"` first.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages: one line `FAILED name ...`, and false, so that callers can return it */

#ifndef EXAMPLE_OWN_FAIL /* for programs that must do more */
static inline bool fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("FAILED " EXAMPLE " ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    return false;
}
#else
static bool fail(const char *format, ...);
#endif

/* For atexit: output that cannot be written is an error too. */
static inline void flush_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return;
    fprintf(stderr, "FAILED standard output: cannot write it\n");
    _Exit(1);
}

static inline bool write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(data, 1, size, f) == size;
    if (f && fclose(f) != 0) ok = false;
    return ok || fail("%s: cannot write it", path);
}

/* Refuses an unwritable path before the work begins; does not modify an existing file. */
static inline bool check_output(const char *path)
{
    FILE *there = fopen(path, "rb"), *f = fopen(path, "ab");
    if (there) fclose(there);
    if (!f) return fail("%s: cannot write it: %s", path, strerror(errno));
    fclose(f);
    if (!there) remove(path);
    return true;
}

#ifdef ZE_DISPATCH_H
static inline bool fail_device(const zed_device *dev)
{
    const zed_error *e = zed_get_error(dev);
    return fail("%s:%d: %s", e->file, e->line, e->text);
}

static inline bool open_device(zed_device *dev, const char *asked)
{
    return zed_open(dev, &(zed_options){.device = asked}) || fail_device(dev);
}
#endif

#ifdef XETILE_XETILE_H
static inline bool fail_build(const xt_module *mod)
{
    return fail("%s:%d: %s", mod->error->file, mod->error->line, mod->error->text);
}

/* The output of --emit; --print is --emit with this path. */
#define PRINTED "standard output"
static inline bool write_module(const char *path, const xt_module *mod)
{
    if (strcmp(path, PRINTED)) return write_file(path, mod->words, mod->size);
    xt_print(mod, stdout);
    return true;
}
#else
#define PRINTED "standard output"
#endif

/* ---- the command line */

typedef struct {
    const char *name, **value; /* the value is unchanged if the option is not given */
} example_option;

/* Parses the option at argv[*i]: one with a value, to which *i advances, or --list or --help. */
static inline bool parse_one(const example_option *table, size_t count, bool *list, bool *help, char **argv, int *i)
{
    for (size_t j = 0; j < count; j++) {
        if (strcmp(argv[*i], table[j].name)) continue;
        if (!argv[*i + 1]) return fail("%s needs a value", argv[*i]);
        *table[j].value = argv[++*i];
        return true;
    }
    for (size_t j = 0; j < count && !strcmp(argv[*i], "--print"); j++)
        if (!strcmp(table[j].name, "--emit")) return *table[j].value = PRINTED, true;
    if (!strcmp(argv[*i], "--list")) return *list = true;
    if (!strcmp(argv[*i], "--help")) return *help = true;
    return fail("%s: no such option; --help lists them", argv[*i]);
}

static inline bool parse_number(const char *name, const char *text, int least, int most, int *value)
{
    char *end;
    long v = strtol(text, &end, 10);
    if (end == text || *end || v < least || v > most)
        return fail("%s %s: not a number from %d to %d", name, text, least, most);
    *value = (int)v;
    return true;
}

/* A size from the command line, or `otherwise` if not given. */
static inline bool parse_size(const char *name, const char *text, int otherwise, int *size)
{
    char *end = NULL;
    long v = text ? strtol(text, &end, 10) : otherwise;
    if (text && (end == text || *end || v < 1 || v > 65536))
        return fail("%s %s: not a size from 1 to 65536", name, text);
    *size = (int)v;
    return true;
}

/* Options of programs where all have a value, in a table that --help also prints; the first ones are sizes. */
typedef struct {
    const char *name, *help;
    int size; /* default */
} example_row;

/* Parses all options to strings; NULL: not given. */
static inline bool parse_pairs(const example_row *table, int count, const char **values, char **argv)
{
    for (int at = 1; argv[at]; at++) {
        bool print = !strcmp(argv[at], "--print");
        int i = 0;
        while (i < count && strcmp(print ? "--emit" : argv[at], table[i].name) != 0) i++;
        if (i == count || !(print || argv[at + 1]))
            return fail("%s is not an option, or its value is missing; " EXAMPLE " --help lists them", argv[at]);
        values[i] = print ? PRINTED : argv[++at];
    }
    return true;
}

static inline bool parse_sizes(const example_row *table, int count, const char *const *values, int *size)
{
    for (int i = 0; i < count; i++)
        if (!parse_size(table[i].name, values[i], table[i].size, &size[i])) return false;
    return true;
}

/* ---- random numbers: splitmix64, and from it the normal distribution (Box and Muller) */

static inline double random_uniform(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * (1.0 / 9007199254740992.0);
}

static inline float random_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(1 - random_uniform(state)));
    return (float)(radius * cos(6.283185307179586 * random_uniform(state)));
}

#ifdef SPIRV_EMIT_H
static inline void fill_normal(uint16_t *x, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) x[i] = spe_f32_to_f16_bits(random_normal(state));
}
#endif

#endif
