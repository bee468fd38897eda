/* jit.c - C text becomes a loaded shared object: finding and running the compiler, loading what it made. */
#define _GNU_SOURCE
#include "jit.h"

#include "abi.h"
#include "xe/xe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 40, DEFAULT_SECONDS = 120, DEFAULT_MEBIBYTES = 4096, PATH_BYTES = 4096, CONTRACT_WITHIN = 256 };

/* ---- the compiler */

/* Fills identity when `path` is a program: of which file, as it is now. */
static bool is_program(struct jit_compiler *c)
{
    struct stat s;
    struct jit_sha256 h;
    uint8_t hash[32];
    uint64_t facts[4];
    if (stat(c->path, &s) != 0 || !S_ISREG(s.st_mode) || access(c->path, X_OK) != 0) return false;
    facts[0] = (uint64_t)s.st_size;
    facts[1] = (uint64_t)s.st_mtim.tv_sec;
    facts[2] = (uint64_t)s.st_mtim.tv_nsec;
    facts[3] = (uint64_t)s.st_ino;
    jit_sha256_begin(&h);
    jit_sha256_add(&h, c->path, strlen(c->path));
    jit_sha256_add(&h, facts, sizeof facts);
    jit_sha256_end(&h, hash);
    memcpy(&c->identity, hash, sizeof c->identity);
    return true;
}

static bool find_in_path(struct jit_compiler *c, const char *name)
{
    const char *dirs = getenv("PATH");
    if (strchr(name, '/')) {
        snprintf(c->path, sizeof c->path, "%s", name);
        return is_program(c);
    }
    if (!dirs) dirs = "/usr/local/bin:/usr/bin:/bin";
    while (*dirs) {
        size_t length = strcspn(dirs, ":");
        if (length && *dirs == '/' &&
            snprintf(c->path, sizeof c->path, "%.*s/%s", (int)length, dirs, name) < (int)sizeof c->path &&
            is_program(c))
            return true;
        dirs += length + (dirs[length] == ':');
    }
    return false;
}

void jit_find_compiler(struct jit_compiler *c)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    const char *own = getenv("XETILE_CC");
    size_t i;
    memset(c, 0, sizeof *c);
    if (own && *own) {
        if (find_in_path(c, own)) return;
    } else {
        for (i = 0; i < sizeof names / sizeof names[0]; i++)
            if (find_in_path(c, names[i])) return;
    }
    memset(c, 0, sizeof *c);
}

/* ---- what it may take */

static double limit(const char *variable, double otherwise)
{
    const char *text = getenv(variable);
    double v = text ? strtod(text, NULL) : 0;
    return v > 0 && v < 1e6 ? v : otherwise;
}

static struct jit_limits limits(void)
{
    struct jit_limits l;
    l.seconds = limit("XETILE_SOFT_TIME_LIMIT", DEFAULT_SECONDS);
    l.mebibytes = limit("XETILE_SOFT_MEMORY_LIMIT", DEFAULT_MEBIBYTES);
    return l;
}

double jit_time_limit(void) { return JIT_CROWDED * limits().seconds; }

bool jit_compiler_works(const struct jit_compiler *c)
{
    char path[PATH_BYTES];
    char version[] = "--version";
    char *argv[] = {path, version, NULL};
    struct sp_text said = {NULL, 0, 0, false};
    const struct jit_limits brief = {10, DEFAULT_MEBIBYTES};
    bool good;
    if (!c->path[0]) return false;
    snprintf(path, sizeof path, "%s", c->path);
    good = jit_run(argv, "/tmp", brief, &said, NULL) == 0 && said.size > 0;
    sp_text_free(&said);
    return good;
}

/* ---- keys */

/* The file this code is in: a rebuilt driver or test compiles anew. */
static void hash_own_file(struct jit_sha256 *h)
{
    uint64_t facts[4] = {0, 0, 0, 0};
    struct stat s;
    Dl_info info;
    if ((dladdr((void *)(uintptr_t)&jit_key, &info) && info.dli_fname && stat(info.dli_fname, &s) == 0) ||
        stat("/proc/self/exe", &s) == 0) {
        facts[0] = (uint64_t)s.st_size;
        facts[1] = (uint64_t)s.st_mtim.tv_sec;
        facts[2] = (uint64_t)s.st_mtim.tv_nsec;
        facts[3] = (uint64_t)s.st_ino;
    }
    jit_sha256_add(h, facts, sizeof facts);
}

/* Contraction is off unless the text asks for it: every ISA then gives the same bits. */
static const char *const fixed_flags[] = {"-std=gnu11",
                                          "-O2",
                                          "-fPIC",
                                          "-shared",
                                          "-w",
                                          "-Wno-psabi",
                                          "-fno-math-errno",
                                          "-fno-trapping-math",
                                          "-fwrapv",
                                          "-fno-strict-aliasing",
                                          "-fvisibility=hidden",
                                          /* gcc 12 passes an over-aligned vector of a sibling call in the caller's own
                                           * argument area, which is not aligned enough */
                                          "-fno-optimize-sibling-calls",
                                          /* most of gcc's time on large kernels went into asking which stores may
                                           * alias; these bound it and leave the code as it was (clang ignores them) */
                                          "--param=sccvn-max-alias-queries-per-access=30",
                                          "--param=dse-max-alias-queries-per-store=16",
                                          "-fno-semantic-interposition"};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void jit_key(struct jit_key *key, const struct jit_part *parts, size_t count)
{
    struct jit_sha256 h;
    uint8_t cpu[32];
    uint32_t version = XS_ABI_VERSION;
    size_t i;
    jit_sha256_begin(&h);
    jit_sha256_add(&h, &version, sizeof version);
    hash_own_file(&h);
    jit_cpu_hash(cpu);
    jit_sha256_add(&h, cpu, sizeof cpu);
    for (i = 0; i < COUNT(fixed_flags); i++) jit_sha256_add(&h, fixed_flags[i], strlen(fixed_flags[i]) + 1);
    for (i = 0; i < count; i++) {
        uint64_t size = parts[i].size;
        jit_sha256_add(&h, &size, sizeof size);
        if (parts[i].size) jit_sha256_add(&h, parts[i].data, parts[i].size);
    }
    jit_sha256_end(&h, key->hash);
}

/* ---- loading */

static const char *check_module(const struct xs_module *m)
{
    uint32_t i;
    if (!m) return "it has no xs_module";
    if (m->version != XS_ABI_VERSION) return "it was made for another version of this device";
    if ((m->kernel_count && !m->kernels) || (m->global_count && !m->globals)) return "its tables are missing";
    for (i = 0; i < m->kernel_count; i++)
        if (!m->kernels[i].name || !m->kernels[i].run) return "a kernel is without name or code";
    return NULL;
}

static bool open_object(const char *path, struct jit_object *out, struct sp_text *log)
{
    const char *why;
    out->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!out->handle) {
        why = dlerror();
        sp_text_add(log, "loading the compiled kernels: %s\n", why ? why : "failed");
        return false;
    }
    out->module = dlsym(out->handle, "xs_module");
    why = check_module(out->module);
    if (!why) return true;
    sp_text_add(log, "loading the compiled kernels: %s\n", why);
    dlclose(out->handle);
    out->handle = NULL;
    out->module = NULL;
    return false;
}

/* Without a directory to write to (or with none that allows execution): from anonymous memory. The descriptor stays
 * open meanwhile, because the loader knows objects by path and the number must not be used again. */
static bool open_from_memory(const void *so, size_t size, struct jit_object *out, struct sp_text *log)
{
    const uint8_t *p = so;
    char path[64];
    int fd = memfd_create("xetile", MFD_CLOEXEC);
    while (fd >= 0 && size) {
        ssize_t n = write(fd, p, size);
        if (n <= 0 && errno != EINTR) break;
        if (n > 0) p += n, size -= (size_t)n;
    }
    if (fd < 0 || size) {
        sp_text_add(log, "loading the compiled kernels: no memory file: %s\n", strerror(errno));
        if (fd >= 0) close(fd);
        return false;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!open_object(path, out, log)) {
        close(fd);
        return false;
    }
    out->kept_fd = fd + 1;
    return true;
}

static bool open_from_file(const void *so, size_t size, struct jit_object *out)
{
    char directory[PATH_BYTES], path[PATH_BYTES + 16];
    bool good;
    if (!jit_private_directory(directory, sizeof directory, NULL)) return false;
    snprintf(path, sizeof path, "%s/k.so", directory);
    good = jit_write_file(path, so, size) && open_object(path, out, NULL);
    jit_remove_directory(directory);
    return good;
}

bool jit_load_image(const void *image, size_t size, struct jit_object *out, struct sp_text *log)
{
    const char *why = jit_image_check(image, size);
    const uint8_t *so = image;
    void *copy;
    memset(out, 0, sizeof *out);
    if (why) {
        sp_text_add(log, "%s\n", why);
        return false;
    }
    copy = malloc(size);
    if (!copy) {
        sp_text_add(log, "out of memory\n");
        return false;
    }
    memcpy(copy, image, size);
    so += sizeof(struct jit_image_header);
    size -= sizeof(struct jit_image_header);
    if (xe_is_package(so, size) ? !xe_load(so, size, out, log)
                                : !open_from_file(so, size, out) && !open_from_memory(so, size, out, log)) {
        free(copy);
        return false;
    }
    out->image = copy;
    out->image_size = size + sizeof(struct jit_image_header);
    return true;
}

void jit_unload(struct jit_object *o)
{
    if (o->handle) dlclose(o->handle);
    xe_unload(o->machine);
    if (o->kept_fd) close(o->kept_fd - 1);
    free(o->image);
    memset(o, 0, sizeof *o);
}

/* ---- compiling */

static bool wants_contraction(const char *text, size_t size)
{
    return memmem(text, size < CONTRACT_WITHIN ? size : CONTRACT_WITHIN, "xs: contract", 12) != NULL;
}

static void no_compiler(struct sp_text *log)
{
    const char *own = getenv("XETILE_CC");
    if (own && *own)
        sp_text_add(log, "no C compiler: XETILE_CC names \"%s\", which is not a program. ", own);
    else
        sp_text_add(log, "no C compiler: none of cc, gcc, clang is in PATH. ");
    sp_text_add(log, "The software device compiles kernels with it: install one (Debian, Ubuntu: apt install gcc; "
                     "Fedora: dnf install gcc; "
                     "Alpine: apk add gcc musl-dev) or name one in XETILE_CC\n");
}

/* Does a compiler, or what it starts, say that memory ran out, or crash as if it had? (In English: see process.c.) */
static bool speaks_of_memory(const struct sp_text *said)
{
    static const char *const words[] = {"out of memory", "memory exhausted",      "Cannot allocate memory",
                                        "bad_alloc",     "failed to map segment", "signal terminated program"};
    for (size_t i = 0; said->data && i < COUNT(words); i++)
        if (strstr(said->data, words[i])) return true;
    return false;
}

static bool compile_to(const struct jit_compiler *c, const char *isa, bool contract, const char *directory,
                       struct sp_text *log)
{
    char source[PATH_BYTES + 16], object[PATH_BYTES + 16];
    const char *argv[MAX_ARGUMENTS];
    struct sp_text said = {NULL, 0, 0, false};
    const struct jit_limits bounds = limits();
    size_t n = 0, i;
    int status;
    snprintf(source, sizeof source, "%s/k.c", directory);
    snprintf(object, sizeof object, "%s/k.so", directory);
    argv[n++] = c->path;
    for (i = 0; i < COUNT(fixed_flags); i++) argv[n++] = fixed_flags[i];
    argv[n++] = contract ? "-ffp-contract=fast" : "-ffp-contract=off";
    if (isa) argv[n++] = isa;
    argv[n++] = "-o";
    argv[n++] = object;
    argv[n++] = source;
    argv[n++] = "-lm";
#if defined(__riscv)
    argv[n++] = "-latomic"; /* atomics of 8 and 16 bits are calls there */
#endif
    argv[n] = NULL;
    status = jit_run((char *const *)(uintptr_t)argv, directory, bounds, &said, log);
    if (status > 0)
        sp_text_add(log, "compiler: %s ended with status %d:\n%s\n", c->path, status,
                    said.data ? said.data : "(it said nothing)");
    if (status > 0 && speaks_of_memory(&said))
        sp_text_add(log, "compiler: it may take %g MiB of memory (XETILE_SOFT_MEMORY_LIMIT)\n", bounds.mebibytes);
    sp_text_free(&said);
    return status == 0;
}

/* Reads the .so, loads it, and makes its image. */
static bool take_object(const char *directory, const struct jit_key *key, struct jit_object *out, struct sp_text *log)
{
    char path[PATH_BYTES + 16];
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
    out->image = jit_image_make(so, size, key, &out->image_size);
    if (!out->image) {
        sp_text_add(log, "out of memory\n");
    } else if (!open_object(path, out, NULL) && !open_from_memory(so, size, out, log)) {
        free(out->image);
        memset(out, 0, sizeof *out);
    }
    free(so);
    return out->handle != NULL;
}

bool jit_compile(const char *c_text, size_t size, const struct jit_key *key, struct jit_object *out,
                 struct sp_text *log)
{
    char directory[PATH_BYTES], path[PATH_BYTES + 16];
    struct jit_compiler c;
    const char *isa;
    bool good;
    memset(out, 0, sizeof *out);
    if (!jit_isa_flag(&isa, log)) return false;
    jit_find_compiler(&c);
    if (!c.path[0]) {
        no_compiler(log);
        return false;
    }
    if (!jit_private_directory(directory, sizeof directory, log)) return false;
    snprintf(path, sizeof path, "%s/k.c", directory);
    good = jit_write_file(path, c_text, size);
    if (!good) sp_text_add(log, "compiler: %s cannot be written: %s\n", path, strerror(errno));
    good = good && compile_to(&c, isa, wants_contraction(c_text, size), directory, log) &&
           take_object(directory, key, out, log);
    jit_remove_directory(directory);
    if (good && key) jit_cache_store(key, &c, out->image, out->image_size, log);
    return good;
}
