/* ocloc.c - finds Intel's compiler, runs it on a module, and disassembles its binary. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/jit.h"
#include "machine.h"

enum { MOST_WORDS = 16, MOST_TEXTS = 4096, PATH_BYTES = 4096 };

/* ---- the command: words of XETILE_SOFT_OCLOC, or ocloc from PATH */

struct command {
    char text[PATH_BYTES], program[PATH_BYTES];
    char *words[MOST_WORDS + 16];
    uint32_t count;
};

static bool find_program(const char *name, char *to)
{
    const char *path = jit_setting("PATH"), *end;
    struct stat s;
    if (strchr(name, '/')) {
        snprintf(to, PATH_BYTES, "%s", name);
        return stat(to, &s) == 0;
    }
    for (; path && *path; path = *end ? end + 1 : end) {
        end = path + strcspn(path, ":");
        snprintf(to, PATH_BYTES, "%.*s/%s", (int)(end - path), path, name);
        if (access(to, X_OK) == 0 && stat(to, &s) == 0 && S_ISREG(s.st_mode)) return true;
    }
    return false;
}

static bool find_command(struct command *c)
{
    const char *wish = jit_setting("XETILE_SOFT_OCLOC");
    char *rest = NULL, *word;
    c->count = 0;
    snprintf(c->text, sizeof c->text, "%s", wish && *wish ? wish : "ocloc");
    for (word = strtok_r(c->text, " ", &rest); word && c->count < MOST_WORDS; word = strtok_r(NULL, " ", &rest))
        c->words[c->count++] = word;
    if (!c->count || !find_program(c->words[0], c->program)) return false;
    c->words[0] = c->program;
    return true;
}

bool xe_has_compiler(void)
{
    struct command c;
    return find_command(&c);
}

/* The identity changes if the compiler is replaced. */
void xe_identify(const struct xe_target *t, struct xe_identity *to)
{
    struct command c;
    struct stat s;
    memset(to, 0, sizeof *to);
    if (!t) return;
    snprintf(to->target, sizeof to->target, "%s", t->name);
    if (!find_command(&c) || stat(c.program, &s) != 0) return;
    snprintf(to->compiler, sizeof to->compiler, "%.200s", c.program);
    to->size = (uint64_t)s.st_size;
    to->changed = (uint64_t)s.st_mtim.tv_sec;
}

static bool run(const struct command *c, char *const *arguments, const char *directory, struct sp_text *log)
{
    const struct jit_limits limits = {.seconds = jit_time_limit() / JIT_CROWDED, .mebibytes = 16384};
    char *argv[MOST_WORDS + 16];
    struct sp_text said = {0};
    uint32_t n = 0;
    int status;
    for (; n < c->count; n++) argv[n] = c->words[n];
    for (; *arguments && n + 1 < sizeof argv / sizeof argv[0]; arguments++) argv[n++] = *arguments;
    argv[n] = NULL;
    status = jit_run(argv, directory, limits, &said, log);
    if (status != 0) sp_text_add(log, "%s", said.data ? said.data : "");
    sp_text_free(&said);
    return status == 0;
}

/* ---- a module */

struct paths {
    char directory[PATH_BYTES], module[PATH_BYTES + 16], binary[PATH_BYTES + 16], dump[PATH_BYTES + 16];
};

static bool compile_and_dump(const struct command *c, const struct xe_target *t, const char *options, struct paths *p,
                             struct sp_text *log)
{
    char device[16], flags[1024];
    char *compile[] = {"compile",
                       "-spirv_input",
                       "-file",
                       p->module,
                       "-device",
                       device,
                       "-output",
                       "m",
                       "-output_no_suffix",
                       "-out_dir",
                       p->directory,
                       options && *options ? "-options" : NULL,
                       flags,
                       NULL};
    char *disassemble[] = {"disasm", "-file", p->binary, "-device", device, "-dump", p->dump, NULL};
    snprintf(device, sizeof device, "%s", t->device);
    snprintf(flags, sizeof flags, "%s", options ? options : "");
    if (!run(c, compile, p->directory, log) || access(p->binary, R_OK) != 0) {
        sp_text_add(log, "Intel's compiler refused the module\n");
        return false;
    }
    if (mkdir(p->dump, 0700) == 0 && run(c, disassemble, p->directory, log)) return true;
    sp_text_add(log, "the binary cannot be disassembled\n");
    return false;
}

static void *read_file(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    return fd >= 0 ? jit_read_descriptor(fd, size) : NULL;
}

static bool take_text(const char *directory, const char *name, struct xe_text *t)
{
    char path[2 * PATH_BYTES];
    size_t n = strlen(name);
    if (n < 5 || strcmp(name + n - 4, ".asm") != 0 || n >= sizeof t->name) return false;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    t->data = read_file(path, &t->size);
    snprintf(t->name, sizeof t->name, "%.*s", (int)(n - 4), name);
    return t->data != NULL;
}

static uint32_t read_texts(const char *directory, struct xe_text *texts)
{
    struct dirent *e;
    DIR *d = opendir(directory);
    uint32_t count = 0;
    while (d && count < MOST_TEXTS && (e = readdir(d)))
        if (take_text(directory, e->d_name, &texts[count])) count++;
    if (d) closedir(d);
    return count;
}

static bool pack(const struct paths *p, const struct xe_target *t, void **package, size_t *size, struct sp_text *log)
{
    struct xe_text *texts = calloc(MOST_TEXTS, sizeof *texts);
    size_t bytes = 0;
    void *binary = read_file(p->binary, &bytes);
    uint32_t count = texts ? read_texts(p->dump, texts) : 0;
    *package = binary && texts ? xe_package_make(t, binary, bytes, texts, count, size) : NULL;
    if (!*package) sp_text_add(log, "the output of Intel's compiler cannot be read\n");
    for (uint32_t n = 0; n < count; n++) free(texts[n].data);
    free(texts);
    free(binary);
    return *package != NULL;
}

bool xe_compile(const struct xe_target *t, const uint32_t *words, size_t count, const char *options, void **package,
                size_t *size, struct sp_text *log)
{
    struct command c;
    struct paths p;
    bool good;
    if (!find_command(&c)) {
        sp_text_add(
            log,
            "XETILE_SOFT_ISA needs Intel's compiler: there is no ocloc in PATH, and XETILE_SOFT_OCLOC names none\n");
        return false;
    }
    if (!jit_private_directory(p.directory, sizeof p.directory, log)) return false;
    snprintf(p.module, sizeof p.module, "%s/m.spv", p.directory);
    snprintf(p.binary, sizeof p.binary, "%s/m.bin", p.directory);
    snprintf(p.dump, sizeof p.dump, "%s/dump", p.directory);
    good = jit_write_file(p.module, words, count * sizeof *words) && compile_and_dump(&c, t, options, &p, log) &&
           pack(&p, t, package, size, log);
    jit_remove_directory(p.directory);
    return good;
}
