/* compiler.c - the C compiler: finding it, its limits, and the keys of its output. */
#define _GNU_SOURCE
#include "jit.h"

#include "abi.h"
#include "spirv/host_state.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_SECONDS = 120, DEFAULT_MEBIBYTES = 4096 };

/* ---- the compiler */

/* Sets identity, which depends on the current file. */
static bool identify(struct jit_compiler *c)
{
    struct stat s;
    struct jit_sha256 h;
    uint8_t hash[32];
    uint64_t facts[4];
    if (stat(c->path, &s) != 0) return false;
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

/* The path, or NULL, with the path freed, if it is not that of a program. */
static char *unless_no_program(char *path)
{
    struct stat s;
    if (path && stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0) return path;
    free(path);
    return NULL;
}

/* The program may run in another folder. */
static char *absolute(const char *name)
{
    char *folder = *name == '/' ? NULL : getcwd(NULL, 0), *path;
    if (*name == '/') return strdup(name);
    path = folder ? jit_text("%s/%s", folder, name) : NULL;
    free(folder);
    return path;
}

char *jit_find_program(const char *name)
{
    const char *dirs = jit_search_path();
    char *path = strchr(name, '/') ? unless_no_program(absolute(name)) : NULL;
    if (strchr(name, '/')) return path;
    while (!path && *dirs) {
        size_t length = strcspn(dirs, ":");
        if (*dirs == '/') path = unless_no_program(jit_text("%.*s/%s", (int)length, dirs, name));
        dirs += length + (dirs[length] == ':');
    }
    return path;
}

void jit_find_compiler(struct jit_compiler *c)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    const char *own = jit_setting("XETILE_CC");
    memset(c, 0, sizeof *c);
    if (own && *own) c->path = jit_find_program(own);
    for (size_t i = 0; !(own && *own) && !c->path && i < sizeof names / sizeof names[0]; i++)
        c->path = jit_find_program(names[i]);
    if (c->path && !identify(c)) jit_forget_compiler(c);
}

void jit_forget_compiler(struct jit_compiler *c)
{
    free(c->path);
    memset(c, 0, sizeof *c);
}

/* ---- limits --------- */

static double limit(const char *variable, double otherwise)
{
    const char *text = jit_setting(variable);
    double v = text ? sp_real_read(text, NULL) : 0;
    return v > 0 && v < 1e6 ? v : otherwise;
}

struct jit_limits jit_own_limits(void)
{
    struct jit_limits l = {0};
    l.seconds = limit("XETILE_SOFT_TIME_LIMIT", DEFAULT_SECONDS);
    l.mebibytes = limit("XETILE_SOFT_MEMORY_LIMIT", DEFAULT_MEBIBYTES);
    return l;
}

double jit_time_limit(void) { return JIT_CROWDED * jit_own_limits().seconds; }

bool jit_compiler_works(const struct jit_compiler *c)
{
    char version[] = "--version";
    char *argv[] = {c->path, version, NULL};
    struct sp_text said = {NULL, 0, 0, false};
    const struct jit_limits brief = {.seconds = 10, .mebibytes = DEFAULT_MEBIBYTES};
    if (!c->path) return false;
    int status = jit_run(argv, "/tmp", brief, &said, NULL);
    bool good = (status == 0 || status == JIT_UNKNOWN) && said.size > 0;
    sp_text_free(&said);
    return good;
}

/* ---- keys */

/* Hashes the file that contains this code, so that a rebuilt driver or test compiles again. */
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

/* Contraction is off unless the text requests it, so that every ISA gives the same bits. */
const char *const jit_fixed_flags[] = {"-std=gnu11",
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
                                           * argument area, which is insufficiently aligned */
                                          "-fno-optimize-sibling-calls",
                                          /* most of gcc's time on large kernels went into alias queries; these limit
                                           * them without changing the code (clang ignores the options) */
                                          "--param=sccvn-max-alias-queries-per-access=30",
                                          "--param=dse-max-alias-queries-per-store=16",
                                          /* Registers are allocated for whole functions. gcc's way, loop by loop, put
                                           * masks of hot loops into memory, depending on code far from them. */
                                          "--param=ira-max-loops-num=0",
                                          "-fno-semantic-interposition",
                                          NULL};

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
    for (i = 0; jit_fixed_flags[i]; i++) jit_sha256_add(&h, jit_fixed_flags[i], strlen(jit_fixed_flags[i]) + 1);
    for (i = 0; i < count; i++) {
        uint64_t size = parts[i].size;
        jit_sha256_add(&h, &size, sizeof size);
        if (parts[i].size) jit_sha256_add(&h, parts[i].data, parts[i].size);
    }
    jit_sha256_end(&h, key->hash);
}
