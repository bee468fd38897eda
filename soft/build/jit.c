/* jit.c - compiles C text to a shared object and loads it. */
#define _GNU_SOURCE
#include "jit.h"

#include "abi.h"
#include "spirv/host_state.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 40 + JIT_MOST_HELPERS, WISHES_WITHIN = 256 };

/* What a text asks for at its beginning, see build.h. */
static bool wants(const char *text, size_t size, const char *wish)
{
    return memmem(text, size < WISHES_WITHIN ? size : WISHES_WITHIN, wish, strlen(wish)) != NULL;
}

/* The path of the mathematical library in use. Linking with it alone takes half as long as with all the libraries that
 * compilers add; on this CPU generated code needs none of those, and the process has loaded the C library. NULL: link
 * as usual. */
static const char *math_library(void)
{
#if defined(__x86_64__)
    Dl_info info;
    double (*fmod_)(double, double) = fmod;
    const char *name = dladdr((void *)(uintptr_t)fmod_, &info) ? info.dli_fname : NULL, *file;
    file = name ? strrchr(name, '/') : NULL;
    return file && !strncmp(file, "/libm", 5) && access(name, R_OK) == 0 ? name : NULL;
#else
    return NULL;
#endif
}

static size_t add_libraries(const char **argv, size_t n)
{
    const char *math = math_library();
    if (math) argv[n++] = "-nostdlib";
    argv[n++] = math ? math : "-lm";
#if defined(__riscv)
    argv[n++] = "-latomic"; /* atomics of 8 and 16 bits are calls there */
#endif
    return n;
}

static void no_compiler(struct sp_text *log)
{
    const char *own = jit_setting("XETILE_CC");
    if (own && *own)
        sp_text_add(log, "no C compiler: XETILE_CC names \"%s\", which is not a program. ", own);
    else
        sp_text_add(log, "no C compiler: none of cc, gcc, clang is in PATH. ");
    sp_text_add(log, "The software device compiles kernels with it: install one (Debian, Ubuntu: apt install gcc; "
                     "Fedora: dnf install gcc; "
                     "Alpine: apk add gcc musl-dev) or name one in XETILE_CC\n");
}

/* Does the compiler's output report being out of memory, or a crash that suggests it? (In English: see process.c.) */
static bool speaks_of_memory(const struct sp_text *said)
{
    static const char *const words[] = {"out of memory", "memory exhausted",      "Cannot allocate memory",
                                        "bad_alloc",     "failed to map segment", "signal terminated program"};
    for (size_t i = 0; said->data && i < sizeof words / sizeof *words; i++)
        if (strstr(said->data, words[i])) return true;
    return false;
}

/* Reports the stack that functions take, see usage.c; clang knows it since 13. */
static const char stack_usage[] = "-fstack-usage";

/* What is asked of the compiler. Of two levels of optimisation, it takes the last. */
struct request {
    const struct jit_compiler *c;
    const char *isa[JIT_ISA_FLAGS], *what;
    bool contract, quick;
};

/* What to make of a text: all of it, or in two parts (helpers.c). */
struct part {
    enum { WHOLE, HELPERS, KERNELS } of;
    size_t objects; /* with the helpers, that kernels are linked with */
};

static size_t add_part(const char **argv, size_t n, const struct part *part)
{
    static const char *const helpers[] = {"-c", "-ffunction-sections", NULL};
    static const char *const kernels[] = {"-DXS_KERNELS_ONLY", "-Wl,-z,muldefs", "-Wl,--gc-sections", NULL};
    const char *const *flags = part->of == HELPERS ? helpers : kernels;
    for (size_t i = 0; part->of != WHOLE && flags[i]; i++) argv[n++] = flags[i];
    for (size_t i = 0; i < part->objects; i++) argv[n++] = jit_helper_files[i];
    return part->of == HELPERS ? n : add_libraries(argv, n);
}

static int run_compiler(const struct request *r, const struct part *part, bool usage, const char *directory,
                        struct sp_text *said, struct sp_text *log)
{
    static const char source[] = "k.c", object[] = "k.so"; /* in the directory */
    const char *argv[MAX_ARGUMENTS];
    struct jit_limits bounds = jit_own_limits();
    size_t n = 0, i;
    bounds.what = r->what;
    bounds.inside = true; /* old versions of gcc leave reports there */
    argv[n++] = r->c->path;
    for (i = 0; jit_fixed_flags[i]; i++) argv[n++] = jit_fixed_flags[i];
    argv[n++] = r->contract ? "-ffp-contract=fast" : "-ffp-contract=off";
    if (r->quick) argv[n++] = "-O1";
    for (i = 0; i < JIT_ISA_FLAGS; i++)
        if (r->isa[i]) argv[n++] = r->isa[i];
    if (usage) argv[n++] = stack_usage;
    argv[n++] = "-o";
    argv[n++] = object;
    argv[n++] = source;
    n = add_part(argv, n, part);
    argv[n] = NULL;
    return jit_run((char *const *)(uintptr_t)argv, directory, bounds, said, log);
}

/* What may have made the compiler fail, if its output says so. */
static void add_hint(const struct sp_text *said, struct sp_text *log)
{
    struct rlimit files;
    if (said->data && strstr(said->data, "File size limit") && getrlimit(RLIMIT_FSIZE, &files) == 0)
        sp_text_add(log, "compiler: files may have %llu bytes in this process (RLIMIT_FSIZE)\n",
                    (unsigned long long)files.rlim_cur);
    else if (speaks_of_memory(said))
        sp_text_add(log, "compiler: it may take %s MiB of memory (XETILE_SOFT_MEMORY_LIMIT)\n",
                    sp_real_text(jit_own_limits().mebibytes).s);
}

/* The object in the directory, to be freed; NULL, with the reason in `log`. */
static void *read_object(const char *directory, bool shared, size_t *so_bytes, struct sp_text *log)
{
    char *path = jit_text("%s/k.so", directory);
    void *so = jit_read_file(path, so_bytes);
    const char *why = so && shared ? jit_elf_check(so, *so_bytes) : NULL;
    free(path);
    if (!so) sp_text_add(log, "compiler: it left no object\n");
    if (!why) return so;
    sp_text_add(log, "compiler: it left an unsound object: %s\n", why);
    free(so);
    return NULL;
}

/* The compiler's object, to be freed; NULL: it failed, or was stopped. If its status is lost, its object decides. */
static void *compile_to(const struct request *r, const struct part *part, const char *directory, size_t *so_bytes,
                        struct sp_text *log, bool *stopped)
{
    struct sp_text said = {NULL, 0, 0, false};
    int status = run_compiler(r, part, true, directory, &said, log);
    if (status > 0 && said.data && strstr(said.data, stack_usage)) {
        sp_text_free(&said);
        status = run_compiler(r, part, false, directory, &said, log);
    }
    bool made = status == 0 || status == JIT_UNKNOWN;
    *stopped = status < 0;
    void *so = made ? read_object(directory, part->of != HELPERS, so_bytes, log) : NULL;
    if (!so && status >= 0) {
        sp_text_add(log, status == JIT_UNKNOWN ? "compiler: %s ended:\n" : "compiler: %s ended with status %d:\n",
                    r->c->path, status);
        sp_text_add(log, "%s\n", said.data ? said.data : "(it said nothing)");
        add_hint(&said, log);
    }
    sp_text_free(&said);
    return so;
}

/* Loads the .so, which it frees, and makes its image. */
static bool take_object(void *so, size_t size, const char *directory, const struct sp_text *helpers_usage,
                        const struct jit_key *key, struct jit_object *out, struct sp_text *log)
{
    if (!so) return false;
    so = jit_usage_add(so, &size, directory, helpers_usage);
    out->image = jit_image_make(so, size, key, &out->image_size);
    if (!out->image) {
        sp_text_add(log, "out of memory\n");
    } else if (!jit_open_object(so, size, out, log)) {
        free(out->image);
        memset(out, 0, sizeof *out);
    }
    free(so);
    return out->handle != NULL;
}

static bool write_source(const char *directory, const char *c_text, size_t size, struct sp_text *log)
{
    char *path = jit_text("%s/k.c", directory);
    bool good = path && jit_write_file(path, c_text, size);
    if (!good) sp_text_add(log, "compiler: %s/k.c cannot be written: %s\n", directory, strerror(errno));
    free(path);
    return good;
}

/* In a folder of its own inside the directory. */
static void compile_helpers(const struct request *r, const struct jit_helpers *h, const char *inside)
{
    const struct part part = {HELPERS, 0};
    struct sp_text text = {NULL, 0, 0, false};
    char *directory = jit_text("%s/helpers", inside);
    size_t bytes = 0;
    bool stopped;
    jit_helpers_text(h, &text);
    bool good = directory && !text.failed && mkdir(directory, 0700) == 0 &&
                write_source(directory, text.data, text.size, NULL);
    void *object = good ? compile_to(r, &part, directory, &bytes, NULL, &stopped) : NULL;
    if (object) {
        object = jit_usage_add(object, &bytes, directory, NULL);
        jit_helpers_store(h, &text, object, bytes);
    }
    free(object);
    free(directory);
    sp_text_free(&text);
}

/* The number of objects with helpers for the text in the directory; 0: there are none for it. */
static size_t find_helpers(const struct request *r, const char *c_text, size_t size, const char *directory,
                           struct sp_text *usage)
{
    struct jit_helpers h;
    if (!r->quick || !jit_helpers_begin(&h, c_text, size, r->c)) return 0;
    size_t missing, n = jit_helpers_find(&h, directory, usage, &missing);
    if (missing) {
        compile_helpers(r, &h, directory);
        n = jit_helpers_find(&h, directory, usage, &missing);
    }
    jit_helpers_end(&h);
    return missing ? 0 : n;
}

/* Whatever is wrong with the helpers, or with linking them: the text as a whole does without. */
static bool compile_in(const char *directory, const struct request *r, const char *c_text, size_t size,
                       const struct jit_key *key, struct jit_object *out, struct sp_text *log)
{
    struct sp_text usage = {NULL, 0, 0, false}, said = {NULL, 0, 0, false};
    size_t so_bytes = 0;
    bool stopped = false;
    if (!write_source(directory, c_text, size, log)) return false;
    const struct part kernels = {KERNELS, find_helpers(r, c_text, size, directory, &usage)}, whole = {WHOLE, 0};
    void *so = kernels.objects ? compile_to(r, &kernels, directory, &so_bytes, &said, &stopped) : NULL;
    if (!so && stopped) {
        sp_text_add(log, "%s", said.data ? said.data : "");
    } else if (!so) {
        sp_text_free(&usage);
        so = compile_to(r, &whole, directory, &so_bytes, log, &stopped);
    }
    bool good = take_object(so, so_bytes, directory, &usage, key, out, log);
    sp_text_free(&usage);
    sp_text_free(&said);
    return good;
}

bool jit_compile(const char *c_text, size_t size, const struct jit_key *key, const char *what,
                 struct jit_object *out, struct sp_text *log)
{
    struct jit_compiler c;
    struct request r = {.c = &c, .what = what};
    char *directory;
    bool good = false;
    memset(out, 0, sizeof *out);
    if (!jit_isa_flags(r.isa, log)) return false;
    r.contract = wants(c_text, size, "xs: contract");
    r.quick = wants(c_text, size, "xs: quick");
    jit_find_compiler(&c);
    if (!c.path) {
        no_compiler(log);
        return false;
    }
    directory = jit_private_directory(log);
    if (directory) {
        good = compile_in(directory, &r, c_text, size, key, out, log);
        jit_remove_directory(directory);
    }
    if (good && key) jit_cache_store(key, &c, out->image, out->image_size, log);
    jit_forget_compiler(&c);
    return good;
}
