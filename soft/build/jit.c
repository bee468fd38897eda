/* jit.c - compiles C text to a shared object and loads it. */
#define _GNU_SOURCE
#include "jit.h"

#include "abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 40, CONTRACT_WITHIN = 256 };

static bool wants_contraction(const char *text, size_t size)
{
    return memmem(text, size < CONTRACT_WITHIN ? size : CONTRACT_WITHIN, "xs: contract", 12) != NULL;
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

static int run_compiler(const struct jit_compiler *c, const char *const isa[JIT_ISA_FLAGS], bool contract,
                        const char *what, bool usage, const char *directory, struct sp_text *said, struct sp_text *log)
{
    char source[JIT_PATH_BYTES + 16], object[JIT_PATH_BYTES + 16];
    const char *argv[MAX_ARGUMENTS];
    struct jit_limits bounds = jit_own_limits();
    size_t n = 0, i;
    bounds.what = what;
    bounds.inside = true; /* old versions of gcc leave reports there */
    snprintf(source, sizeof source, "%s/k.c", directory);
    snprintf(object, sizeof object, "%s/k.so", directory);
    argv[n++] = c->path;
    for (i = 0; jit_fixed_flags[i]; i++) argv[n++] = jit_fixed_flags[i];
    argv[n++] = contract ? "-ffp-contract=fast" : "-ffp-contract=off";
    for (i = 0; i < JIT_ISA_FLAGS; i++)
        if (isa[i]) argv[n++] = isa[i];
    if (usage) argv[n++] = stack_usage;
    argv[n++] = "-o";
    argv[n++] = object;
    argv[n++] = source;
    n = add_libraries(argv, n);
    argv[n] = NULL;
    return jit_run((char *const *)(uintptr_t)argv, directory, bounds, said, log);
}

static bool compile_to(const struct jit_compiler *c, const char *const isa[JIT_ISA_FLAGS], bool contract,
                       const char *what, const char *directory, struct sp_text *log)
{
    struct sp_text said = {NULL, 0, 0, false};
    int status = run_compiler(c, isa, contract, what, true, directory, &said, log);
    if (status > 0 && said.data && strstr(said.data, stack_usage)) {
        sp_text_free(&said);
        status = run_compiler(c, isa, contract, what, false, directory, &said, log);
    }
    if (status > 0)
        sp_text_add(log, "compiler: %s ended with status %d:\n%s\n", c->path, status,
                    said.data ? said.data : "(it said nothing)");
    if (status > 0 && speaks_of_memory(&said))
        sp_text_add(log, "compiler: it may take %g MiB of memory (XETILE_SOFT_MEMORY_LIMIT)\n",
                    jit_own_limits().mebibytes);
    sp_text_free(&said);
    return status == 0;
}

/* Reads and loads the .so, and makes its image. */
static bool take_object(const char *directory, const struct jit_key *key, struct jit_object *out, struct sp_text *log)
{
    char path[JIT_PATH_BYTES + 16];
    size_t size = 0;
    void *so;
    int fd;
    snprintf(path, sizeof path, "%s/k.so", directory);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    so = fd >= 0 ? jit_read_descriptor(fd, &size) : NULL;
    if (!so) {
        sp_text_add(log, "compiler: it ended well but left no object\n");
        return false;
    }
    so = jit_usage_add(so, &size, directory);
    out->image = jit_image_make(so, size, key, &out->image_size);
    if (!out->image) {
        sp_text_add(log, "out of memory\n");
    } else if (!jit_open_object(path, out, NULL) && !jit_open_from_memory(so, size, out, log)) {
        free(out->image);
        memset(out, 0, sizeof *out);
    }
    free(so);
    return out->handle != NULL;
}

bool jit_compile(const char *c_text, size_t size, const struct jit_key *key, const char *what,
                 struct jit_object *out, struct sp_text *log)
{
    char directory[JIT_PATH_BYTES], path[JIT_PATH_BYTES + 16];
    struct jit_compiler c;
    const char *isa[JIT_ISA_FLAGS];
    bool good;
    memset(out, 0, sizeof *out);
    if (!jit_isa_flags(isa, log)) return false;
    jit_find_compiler(&c);
    if (!c.path[0]) {
        no_compiler(log);
        return false;
    }
    if (!jit_private_directory(directory, sizeof directory, log)) return false;
    snprintf(path, sizeof path, "%s/k.c", directory);
    good = jit_write_file(path, c_text, size);
    if (!good) sp_text_add(log, "compiler: %s cannot be written: %s\n", path, strerror(errno));
    good = good && compile_to(&c, isa, wants_contraction(c_text, size), what, directory, log) &&
           take_object(directory, key, out, log);
    jit_remove_directory(directory);
    if (good && key) jit_cache_store(key, &c, out->image, out->image_size, log);
    return good;
}
