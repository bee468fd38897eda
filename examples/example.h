/* example.h - what the examples share, so that each file is about its kernel: messages, the command line, random
 * numbers. hello.c and gemm.c do without it, so that they can be copied alone. Include the library's headers and
 * `#define EXAMPLE "name"` first; main then describes the program and leaves the rest to example_main:
 *
 *     static int m = 300;
 *     static const example_option options[] = {NUMBER("--m", "rows of C", &m, 1, 65536), OPTIONS_END};
 *     static const example_form forms[] = {{.kernel = &add, .run = run}, FORMS_END};
 *     int main(int argc, char **argv)
 *     {
 *         return example_main(argc, argv, &(example){.about = "adds two vectors", .options = options, .forms = forms});
 *     }
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
    return ok || fail("%s: cannot write it: %s", path, strerror(errno));
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

/* ---- the command line */

/* An option with a value: a number from `least` to `most`; one of `names`, of which the number becomes the index; or a
 * text. What they are before is the default. */
typedef struct {
    const char *name, *value, *help;
    int *number, least, most;
    const char *const *names; /* up to NULL */
    const char **text;
} example_option;

#define NUMBER(name, help, number, least, most)                                                                        \
    {                                                                                                                  \
        name, "N", help, number, least, most, NULL, NULL                                                               \
    }
#define CHOICE(name, help, number, names)                                                                              \
    {                                                                                                                  \
        name, "NAME", help, number, 0, 0, names, NULL                                                                  \
    }
#define TEXT(name, value, help, text)                                                                                  \
    {                                                                                                                  \
        name, value, help, NULL, 0, 0, NULL, text                                                                      \
    }
#define OPTIONS_END                                                                                                    \
    {                                                                                                                  \
        NULL, NULL, NULL, NULL, 0, 0, NULL, NULL                                                                       \
    }

enum { SIZE_MAX_ = 65536 };
#define SIZE(name, help, number) NUMBER(name, help, number, 1, SIZE_MAX_)

static inline void print_option(const example_option *o)
{
    int width = 20 - (int)strlen(o->name);
    printf("  %s %-*s %s", o->name, width, o->value, o->help);
    for (int i = 0; o->names && o->names[i]; i++) printf("%s%s", i ? " " : ": ", o->names[i]);
    if (o->names && *o->number >= 0)
        printf(" (%s)", o->names[*o->number]);
    else if (o->number && !o->names && *o->number)
        printf(" (%d)", *o->number);
    else if (o->text && *o->text)
        printf(" (%s)", *o->text);
    printf("\n");
}

static inline bool not_a_choice(const example_option *o, const char *value)
{
    char all[256] = "";
    size_t used = 0;
    for (int i = 0; o->names[i] && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
                                 !i                ? ""
                                 : o->names[i + 1] ? ", "
                                                   : " or ",
                                 o->names[i]);
    return fail("%s %s: %s", o->name, value, all);
}

static inline bool set_option(const example_option *o, const char *value)
{
    char *end;
    long v;
    if (o->text) return *o->text = value, true;
    for (int i = 0; o->names && o->names[i]; i++)
        if (!strcmp(value, o->names[i])) return *o->number = i, true;
    if (o->names) return not_a_choice(o, value);
    v = strtol(value, &end, 10);
    if (end == value || *end || v < o->least || v > o->most)
        return fail("%s %s: not a number from %d to %d", o->name, value, o->least, o->most);
    *o->number = (int)v;
    return true;
}

/* Sets the option argv[*i] of the table to argv[*i + 1], and advances *i; `found` tells whether it is in the table. */
static inline bool take_option(const example_option *table, char **argv, int *i, bool *found)
{
    for (; table && table->name && !*found; table++) {
        if (strcmp(argv[*i], table->name) != 0) continue;
        *found = true;
        if (!argv[*i + 1]) return fail("%s needs a value, %s", table->name, table->value);
        return set_option(table, argv[++*i]);
    }
    return true;
}

/* ---- the API. A program is compiled for Level Zero or, with -Ivulkan, from the same source for Vulkan. The Makefile
 * does both: build/kmeans and build/vulkan/kmeans. Each gives way to the other where --api asks for that. */

#if defined(ZE_DISPATCH_VULKAN_)
#define OWN_API "vulkan"
#define OWN_TARGET "vulkan"
#define OTHER_PLACE "../"
#else
#define OWN_API "level_zero"
#define OWN_TARGET "bmg"
#define OTHER_PLACE "vulkan/"
#endif

#if defined(_WIN32)
#include <process.h>
#define execv(path, argv) (void)_execv(path, (const char *const *)(argv))
#else
#include <unistd.h>
#endif

/* Nothing if `api` is this program's; else runs the other program in its place. Returns only if there is none, as of
 * programs that define EXAMPLE_SHARES_CONTEXT. */
static inline bool use_api(const char *api, char **argv)
{
    if (!api || !strcmp(api, OWN_API)) return true;
    if (strcmp(api, "vulkan") != 0 && strcmp(api, "level_zero") != 0)
        return fail("--api %s: level_zero or vulkan", api);
#if defined(EXAMPLE_SHARES_CONTEXT)
    (void)argv;
    return fail("--api %s: only through Level Zero do several devices share one context (docs/vulkan.md)", api);
#else
    char path[1024];
    const char *slash = strrchr(argv[0], '/');
    int folder = slash ? (int)(slash + 1 - argv[0]) : 0;
    snprintf(path, sizeof path, "%.*s" OTHER_PLACE "%s", folder, argv[0], argv[0] + folder);
    fflush(stdout);
    execv(path, argv);
    return fail("--api %s: this program is compiled for " OWN_API ", and %s is not there (make examples)", api, path);
#endif
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

/* ---- a program that runs kernels on a device */

#ifdef ZE_DISPATCH_H
#include <time.h>
#if defined(__MINGW32__)
#include <sys/time.h>
#endif

static inline bool fail_device(const zed_device *dev)
{
    const zed_error *e = zed_get_error(dev);
    return fail("%s:%d: %s", e->file, e->line, e->text);
}

static inline bool open_device(zed_device *dev, const char *asked)
{
    zed_options options = {.device = asked};
    return zed_open(dev, &options) || fail_device(dev);
}

static inline bool fail_build(const spe_built *mod)
{
    return fail("%s:%d: %s", mod->error->file, mod->error->line, mod->error->text);
}

static inline double seconds_now(void)
{
#if defined(__MINGW32__) /* whose C library need not have timespec_get */
    struct timeval t;
    gettimeofday(&t, NULL);
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
#else
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
#endif
}

/* ---- memory. What kernels use lies on the device, as a GPU reaches the host's memory many times slower. Beside each
 * array there the host has one of its own, to fill and to check:
 *
 *     float *x = (float *)new_array(dev, bytes);
 *     ...
 *     copy_to_device(dev);
 *     zed_launch(kernel, groups, on_device(x), n);
 *     copy_from_device(dev, x);
 *
 * zed_close frees both. Errors are the device's: zed_get_error. */

enum { ARRAYS_MAX = 64 };
static struct {
    void *host, *device;
    size_t bytes;
} arrays[ARRAYS_MAX];

static inline int number_of_array(const void *host)
{
    int i = 0;
    while (i < ARRAYS_MAX && arrays[i].host != host) i++;
    return i;
}

/* The host's side of a new array; NULL on failure. */
static inline void *new_array(zed_device *dev, size_t bytes)
{
    const int i = number_of_array(NULL);
    if (i == ARRAYS_MAX) return fail("more than %d arrays", ARRAYS_MAX), (void *)NULL;
    arrays[i].bytes = bytes;
    arrays[i].device = zed_alloc(dev, ZED_DEVICE, bytes, 128);
    arrays[i].host = arrays[i].device ? zed_alloc(dev, ZED_HOST, bytes, 128) : NULL;
    return arrays[i].host;
}

static inline void free_array(zed_device *dev, void *host)
{
    const int i = number_of_array(host);
    if (!host || i == ARRAYS_MAX) return;
    zed_free(dev, arrays[i].device);
    zed_free(dev, host);
    arrays[i].host = NULL;
}

/* The device's side of an array, for a launch. */
static inline void *on_device(const void *host)
{
    const int i = number_of_array(host);
    return host && i < ARRAYS_MAX ? arrays[i].device : NULL;
}

/* Copies every array to the device. */
static inline bool copy_to_device(zed_device *dev)
{
    bool ok = true;
    for (int i = 0; ok && i < ARRAYS_MAX; i++)
        if (arrays[i].host) ok = zed_copy(dev, arrays[i].device, arrays[i].host, arrays[i].bytes);
    return ok;
}

static inline bool copy_from_device(zed_device *dev, void *host)
{
    const int i = number_of_array(host);
    return i < ARRAYS_MAX && zed_copy(dev, host, arrays[i].device, arrays[i].bytes);
}

/* What every program says of its check: the largest error, as a part of what is allowed there. */
static inline void print_error(double worst) { printf("error    at most %.3g of what is allowed\n", worst); }

#ifdef XETILE_XETILE_H
#include "example_registers.h"

/* A kernel of xetile.h. `run` launches it and checks the result; without it, the program's own `run` does. */
typedef struct example_form {
    const char *name, *what; /* NULL: the only one */
    const xt_kernel *kernel;
    int registers;                 /* per thread on the GPU; 0: chosen by xetile.h */
    const xt_product *product;     /* whose tiles the kernel takes from `tiles`; or NULL */
    const xt_product *few;         /* the same where registers are few (has_few_registers); NULL: no other */
    void (*fit)(const xt_target *target, int local_memory); /* called before the kernel is built; may be NULL */
    bool (*run)(zed_device *dev, zed_kernel *kernel, const struct example_form *form);
} example_form;
#define FORMS_END                                                                                                      \
    {                                                                                                                  \
        .kernel = NULL                                                                                                 \
    }
#else
typedef void example_form;
#endif

typedef struct {
    const char *about; /* what --help begins with */
    const example_option *options;
    const char *files_help, **files; /* arguments that are not options: "[IN [OUT]]", and their places */
    int most_files;
    bool tiled;                      /* takes --tile, even if its first form has no product */
    const example_form *forms;
    const char *form_option;                            /* chooses a form ("--form") */
    bool (*check)(void);                                /* refuses options that do not fit together */
    bool (*run)(zed_device *dev);                       /* with an open device; may be NULL if the forms have theirs */
    bool (*run_alone)(int argc, char **argv);           /* instead of `run`: opens its devices itself */
    bool (*emit)(const char *path, const char *target); /* writes a module; may be NULL if there are forms */
    bool (*list)(void);                                 /* instead of zed_print_list */
} example;

/* What every program can be asked for. */
static struct {
    const char *api, *device, *emit, *target, *form, *tile;
    int files;
    bool print, list, help;
} asked;

#ifdef XETILE_COOPMATRIX_H
#define TARGET_NAMES CM_TARGET_NAMES
#else
#define TARGET_NAMES "any device"
#endif

static const example_option common_options[] = {
    TEXT("--api", "NAME", "level_zero or vulkan (" OWN_API ")", &asked.api),
    TEXT("--device", "NAME", "number or part of the name of a device; --list prints them", &asked.device),
    TEXT("--emit", "FILE", "write the SPIR-V module, and touch no device", &asked.emit),
    TEXT("--target", "NAME", "... for (" OWN_TARGET ") " TARGET_NAMES, &asked.target),
    OPTIONS_END,
};

#ifdef XETILE_XETILE_H
static const example_option tile_option[] = {
    TEXT("--tile", "SIZES", "RxC,rxc,K: of a work-group, of a subgroup, the step along K (what suits the device)",
         &asked.tile),
    OPTIONS_END,
};
#endif

/* Writes the words of a module and prints what a host needs to launch it; `form` can be NULL. */
static inline bool emit_words(const char *path, const char *form, const char *params, const char *flags,
                              const void *words, size_t size)
{
    if (!asked.print && !write_file(path, words, size)) return false;
    printf("params   %s\nflags    %s\nok " EXAMPLE "%s%s: %s, %zu bytes\n", params, flags, form ? " " : "",
           form ? form : "", path, size);
    return true;
}

static inline bool emit_built(const char *path, const char *form, const spe_built *mod)
{
    if (!mod->words) return fail_build(mod);
    return emit_words(path, form, mod->params, mod->build_flags, mod->words, mod->size);
}

#ifdef XETILE_XETILE_H
/* What suits the device, but for what --tile gives: set before a form's kernel is built, for the kernel and its launch.
 */
static xt_tiles tiles;

/* Takes what --tile gives; false if it is malformed, or if the kernel is made for other sizes. */
static inline bool take_sizes(xt_product *p)
{
    static const char *const names[] = {"rows", "columns", "rows of a subgroup", "columns of a subgroup", "step"};
    int *const to[] = {&p->rows, &p->cols, &p->sg_rows, &p->sg_cols, &p->step}, n[5] = {0};
    if (!asked.tile) return true;
    const int read = sscanf(asked.tile, "%dx%d,%dx%d,%d", &n[0], &n[1], &n[2], &n[3], &n[4]);
    for (int i = 0; i < 5; i++)
        if (read < 5 || n[i] < 1 || n[i] > 1024)
            return fail("--tile %s: RxC,rxc,K of a work-group, of a subgroup, and the step along K", asked.tile);
    for (int i = 0; i < 5; i++) {
        if (*to[i] && *to[i] != n[i])
            return fail("--tile %s: %d %s; the kernel is made for %d", asked.tile, n[i], names[i], *to[i]);
        *to[i] = n[i];
    }
    return true;
}

static inline xt_tiles propose_tiles(const xt_product *product, const xt_target *target)
{
    xt_product p = *product;
    return xt_tiles_for(target, take_sizes(&p) ? &p : NULL);
}

/* Work-groups for a product of m x n elements. */
static inline zed_groups groups_of_tiles(const xt_tiles *t, int m, int n)
{
    const uint32_t rows = (uint32_t)t->rows, cols = (uint32_t)t->cols;
    const zed_groups groups = {((uint32_t)n + cols - 1) / cols, ((uint32_t)m + rows - 1) / rows, 1};
    return groups;
}

static inline xt_module build_form(const example_form *f, const xt_target *target, int local_memory)
{
    const cm_target *row = cm_target_row(target->name);
    if (f->product) tiles = propose_tiles(f->few && row && has_few_registers(row) ? f->few : f->product, target);
    if (f->fit) f->fit(target, local_memory);
    if (!f->product) return XT_BUILD(*f->kernel, target, .registers = f->registers);
    return XT_BUILD(*f->kernel, target, .subgroup_size = tiles.subgroup_size,
                    .registers = f->registers ? f->registers : tiles.registers, .user = &tiles);
}

static inline bool emit_form(const example_form *f, const char *path, const char *target)
{
    const cm_target *row = cm_target_row(target);
    const xt_target for_target = {.name = target};
    xt_module mod = build_form(f, &for_target, row ? row->local_memory : 0);
    bool ok;
    if (mod.words && asked.print && f->product) printf("// tiles: %s\n", tiles.why);
    if (mod.words && asked.print) xt_print(&mod, stdout);
    ok = emit_built(path, f->name, &mod);
    xt_free(&mod);
    return ok;
}

static inline bool load_form(const example_form *f, zed_device *dev, zed_kernel *kernel)
{
    const xt_target target = {ZED_TARGET(dev)};
    xt_module mod = build_form(f, &target, dev->target.local_memory);
    bool ok = mod.words ? ZED_LOAD(kernel, dev, mod) || fail_device(dev) : fail_build(&mod);
    xt_free(&mod);
    return ok;
}

static inline bool is_asked_for(const example_form *f) { return !asked.form || !strcmp(asked.form, f->name); }

static inline bool run_forms(const example *e, zed_device *dev)
{
    zed_kernel kernel;
    bool ok = true;
    for (const example_form *f = e->forms; f && f->kernel && ok; f++)
        if (is_asked_for(f) && f->run) ok = load_form(f, dev, &kernel) && f->run(dev, &kernel, f);
    return ok;
}

static inline bool emit_asked(const example *e, const char *path, const char *target)
{
    const example_form *f = e->forms;
    if (e->emit) return e->emit(path, target);
    while (!is_asked_for(f)) f++; /* there is one: check_form */
    return emit_form(f, path, target);
}

/* Can all kernels that are asked for have the tile of --tile? */
static inline bool check_tile(const example *e)
{
    bool ok = true;
    for (const example_form *f = e->forms; f && f->kernel && ok; f++) {
        if (!f->product || !is_asked_for(f)) continue;
        xt_product p = *f->product;
        ok = take_sizes(&p);
    }
    return ok;
}

static inline bool check_form(const example *e)
{
    for (const example_form *f = e->forms; asked.form && f->kernel; f++)
        if (is_asked_for(f)) return true;
    return !asked.form || fail("%s %s: --help lists them", e->form_option, asked.form);
}

static inline bool is_tiled(const example *e) { return e->tiled || (e->forms && e->forms->product); }

static inline void print_forms(const example *e)
{
    const example_option form = TEXT(e->form_option, "NAME", "one of", NULL);
    if (e->form_option) print_option(&form);
    for (const example_form *f = e->forms; e->form_option && f->kernel; f++)
        printf("      %-13s %s\n", f->name, f->what);
    if (is_tiled(e)) print_option(tile_option);
    if (e->forms)
        printf("  %-21s print the kernel: as recorded, its maps, what a subgroup does\n", "--print");
}
#else
static inline bool run_forms(const example *e, zed_device *dev) { return (void)e, (void)dev, true; }
static inline bool emit_asked(const example *e, const char *path, const char *target) { return e->emit(path, target); }
static inline bool check_form(const example *e) { return (void)e, true; }
static inline bool check_tile(const example *e) { return (void)e, true; }
static inline void print_forms(const example *e) { (void)e; }
#endif

static inline void print_help(const example *e)
{
    printf(EXAMPLE " [options]%s%s: %s\n", e->files_help ? " " : "", e->files_help ? e->files_help : "", e->about);
    for (const example_option *o = e->options; o->name; o++) print_option(o);
    for (const example_option *o = common_options; o->name; o++) print_option(o);
    print_forms(e);
    printf("  --list, --help\nThe last line is `ok " EXAMPLE " ...` or `FAILED " EXAMPLE " ...`.\n");
}

static inline bool take_argument(const example *e, char **argv, int *i)
{
    const example_option form[] = {TEXT(e->form_option, "NAME", "", &asked.form), OPTIONS_END};
    bool found = false;
    if (argv[*i][0] != '-' && asked.files < e->most_files) return e->files[asked.files++] = argv[*i], true;
    if (argv[*i][0] != '-') return fail("%s: at most %d files", argv[*i], e->most_files);
    if (!strcmp(argv[*i], "--list")) return asked.list = true;
    if (!strcmp(argv[*i], "--help")) return asked.help = true;
    if (!strcmp(argv[*i], "--print") && e->forms) return asked.print = true;
    if (!take_option(e->options, argv, i, &found) || !take_option(common_options, argv, i, &found) ||
        !take_option(form, argv, i, &found))
        return false;
#ifdef XETILE_XETILE_H
    xt_product sizes;
    memset(&sizes, 0, sizeof sizes);
    if (!found && is_tiled(e) && (!take_option(tile_option, argv, i, &found) || !take_sizes(&sizes)))
        return false;
#endif
    return found || fail("%s: no such option; --help lists them", argv[*i]);
}

static inline bool open_and_run(const example *e)
{
    zed_device dev;
    bool ok = open_device(&dev, asked.device);
    if (ok) printf("device   %s\ntarget   %s\n", dev.name, zed_target_log(&dev));
    ok = ok && run_forms(e, &dev) && (!e->run || e->run(&dev));
    zed_close(&dev); /* frees its memory too */
    return ok;
}

static inline int example_main(int argc, char **argv, const example *e)
{
    const char *path;
    bool ok = true;
    atexit(flush_output);
    for (int i = 1; argv[i] && ok; i++) {
        ok = take_argument(e, argv, &i);
        if (ok && asked.help) return print_help(e), 0;
    }
    ok = ok && use_api(asked.api, argv);
    if (ok && asked.list) return !(e->list ? e->list() : zed_print_list(stdout));
    path = asked.print ? "standard output" : asked.emit;
    if (ok && asked.target && !path) ok = fail("--target requires --emit or --print");
    ok = ok && check_form(e) && (!e->check || e->check()) && check_tile(e);
    if (ok && path)
        ok = emit_asked(e, path, asked.target ? asked.target : OWN_TARGET);
    else if (ok)
        ok = e->run_alone ? e->run_alone(argc, argv) : open_and_run(e);
    return ok ? 0 : 1;
}
#endif

#endif
