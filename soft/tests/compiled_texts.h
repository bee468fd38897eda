/* compiled_texts.h - for tests of soft/build: a kernel's C text, compiling it, and a folder of their own with an empty
 * cache.
 */
#ifndef XETILE_TEST_COMPILED_TEXTS_H
#define XETILE_TEST_COMPILED_TEXTS_H

#include "test.h"

#include "abi.h"
#include "build/jit.h"
#include "spirv/spirv.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char base[1024]; /* a private folder for all of this; the cache is base/cache unless a test says otherwise */
static char cache[1100];

/* A kernel that writes `value` where its first argument points. */
static void make_text(struct sp_text *t, int value)
{
    sp_text_add(
        t,
        "#include <stdint.h>\n"
        "struct xs_kernel { const char *name; void (*run)(void *, const uint8_t *); const void *params;\n"
        "    uint32_t param_count, args_bytes, subgroup_size, subgroup_size_required, local_size[3], local_bytes, "
        "private_bytes,\n"
        "    stack_bytes, has_barrier, max_work_dim; const char *attributes; uint64_t rest[8]; };\n"
        "struct xs_module { uint32_t version, kernel_count, global_count; struct xs_kernel *kernels; const void "
        "*globals; uint64_t rest[8]; };\n"
        "static void run(void *s, const uint8_t *a) { int *p; (void)s; __builtin_memcpy(&p, a, 8); *p = %d; }\n"
        "static struct xs_kernel kernels[1] = {{\"k\", run, 0, 0, 8, 16, 0, {0, 0, 0}, 0, 0, 0, 0, 3, \"\"}};\n"
        "__attribute__((visibility(\"default\"))) const struct xs_module xs_module = {%d, 1, 0, kernels, 0};\n",
        value, XS_ABI_VERSION);
}

static int call(const struct jit_object *o)
{
    int result = -1, *p = &result;
    uint8_t args[8];
    memcpy(args, &p, 8);
    o->module->kernels[0].run(NULL, args);
    return result;
}

TEST_UNUSED_ static struct jit_key key_of(int n)
{
    struct jit_key k;
    struct jit_part part = {&n, sizeof n};
    jit_key(&k, &part, 1);
    return k;
}

TEST_UNUSED_ static bool compile(int value, const struct jit_key *key, struct jit_object *o, struct sp_text *log)
{
    struct sp_text t = {0};
    bool good;
    make_text(&t, value);
    good = jit_compile(t.data, t.size, key, "kernel of test_soft_jit", o, log);
    sp_text_free(&t);
    return good;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *where)
{
    (void)s;
    (void)kind;
    (void)where;
    return remove(path);
}

static void remove_tree(const char *path)
{
    chmod(path, 0700);
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TEST_UNUSED_ static int count_files(const char *path, const char *ending)
{
    DIR *d = opendir(path);
    struct dirent *e;
    int n = 0;
    if (!d) return -1;
    while ((e = readdir(d)) != NULL) {
        size_t have = strlen(e->d_name), want = strlen(ending);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && have >= want &&
            strcmp(e->d_name + have - want, ending) == 0)
            n++;
    }
    closedir(d);
    return n;
}

/* Every test starts with an empty cache and a plain environment. */
static void fresh(void)
{
    remove_tree(cache);
    setenv("XETILE_SOFT_CACHE", cache, 1);
    setenv("TMPDIR", base, 1);
    unsetenv("XETILE_CC");
    unsetenv("XETILE_SOFT_ISA");
    unsetenv("XETILE_SOFT_TIME_LIMIT");
    unsetenv("XETILE_SOFT_MEMORY_LIMIT");
    unsetenv("XETILE_SOFT_CACHE_LIMIT");
}

TEST_UNUSED_ static void write_program(const char *name, const char *text, char *path, size_t size)
{
    int fd;
    snprintf(path, size, "%s/%s", base, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

/* Makes the folder; false, with a message, if that fails. */
static bool begin(const char *name)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(base, sizeof base, "%s/%s-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp", name);
    if (!mkdtemp(base)) printf("no folder to work in\n");
    snprintf(cache, sizeof cache, "%s/cache", base);
    return access(base, W_OK) == 0;
}

#endif
