/* ocloc.c - finds Intel's compiler, runs it on a module, and disassembles its binary. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/jit.h"
#include "machine.h"

enum { MOST_WORDS = 16, MOST_TEXTS = 4096 };

/* ---- the command: words of XETILE_SOFT_OCLOC, or ocloc from PATH */

struct command {
    char *text, *program;
    char *words[MOST_WORDS + 16];
    uint32_t count;
};

/* To be forgotten in either case. */
static bool find_command(struct command *c)
{
    const char *wish = jit_setting("XETILE_SOFT_OCLOC");
    char *rest = NULL, *word;
    memset(c, 0, sizeof *c);
    c->text = strdup(wish && *wish ? wish : "ocloc");
    if (!c->text) return false;
    for (word = strtok_r(c->text, " ", &rest); word && c->count < MOST_WORDS; word = strtok_r(NULL, " ", &rest))
        c->words[c->count++] = word;
    c->program = c->count ? jit_find_program(c->words[0]) : NULL;
    c->words[0] = c->program;
    return c->program != NULL;
}

static void forget_command(struct command *c)
{
    free(c->program);
    free(c->text);
}

bool xe_has_compiler(void)
{
    struct command c;
    bool found = find_command(&c);
    forget_command(&c);
    return found;
}

/* The identity changes if the compiler is replaced. */
void xe_identify(const struct xe_target *t, struct xe_identity *to)
{
    struct command c;
    struct stat s;
    memset(to, 0, sizeof *to);
    if (!t) return;
    snprintf(to->target, sizeof to->target, "%s", t->name);
    if (find_command(&c) && stat(c.program, &s) == 0) {
        snprintf(to->compiler, sizeof to->compiler, "%.200s", c.program);
        to->size = (uint64_t)s.st_size;
        to->changed = (uint64_t)s.st_mtim.tv_sec;
    }
    forget_command(&c);
}

/* If its status is lost, `result`, a file or folder that it makes, decides. */
static bool run(const struct command *c, char *const *arguments, const char *directory, const char *result,
                struct sp_text *log)
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
    if (status == JIT_UNKNOWN && access(result, R_OK) == 0) status = 0;
    if (status != 0) sp_text_add(log, "%s", said.data ? said.data : "");
    sp_text_free(&said);
    return status == 0;
}

/* ---- a module */

struct paths {
    char *directory, *module, *binary, *dump;
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
    if (!run(c, compile, p->directory, p->binary, log) || access(p->binary, R_OK) != 0) {
        sp_text_add(log, "Intel's compiler refused the module\n");
        return false;
    }
    if (mkdir(p->dump, 0700) == 0 && run(c, disassemble, p->directory, p->dump, log)) return true;
    sp_text_add(log, "the binary cannot be disassembled\n");
    return false;
}

static bool take_text(const char *directory, const char *name, struct xe_text *t)
{
    size_t n = strlen(name);
    if (n < 5 || strcmp(name + n - 4, ".asm") != 0 || n >= sizeof t->name) return false;
    char *path = jit_text("%s/%s", directory, name);
    t->data = jit_read_file(path, &t->size);
    free(path);
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
    void *binary = jit_read_file(p->binary, &bytes);
    uint32_t count = texts ? read_texts(p->dump, texts) : 0;
    *package = binary && count ? xe_package_make(t, binary, bytes, texts, count, size) : NULL;
    if (!*package) sp_text_add(log, "the output of Intel's compiler cannot be read\n");
    for (uint32_t n = 0; n < count; n++) free(texts[n].data);
    free(texts);
    free(binary);
    return *package != NULL;
}

static void free_paths(struct paths *p)
{
    if (p->directory) jit_remove_directory(p->directory);
    free(p->module);
    free(p->binary);
    free(p->dump);
}

/* To be freed in either case. */
static bool make_paths(struct paths *p, struct sp_text *log)
{
    *p = (struct paths){.directory = jit_private_directory(log)};
    if (!p->directory) return false;
    p->module = jit_text("%s/m.spv", p->directory);
    p->binary = jit_text("%s/m.bin", p->directory);
    p->dump = jit_text("%s/dump", p->directory);
    return p->module && p->binary && p->dump;
}

bool xe_compile(const struct xe_target *t, const uint32_t *words, size_t count, const char *options, void **package,
                size_t *size, struct sp_text *log)
{
    struct command c;
    struct paths p = {0};
    bool good = find_command(&c);
    if (!good)
        sp_text_add(
            log,
            "XETILE_SOFT_ISA needs Intel's compiler: there is no ocloc in PATH, and XETILE_SOFT_OCLOC names none\n");
    good = good && make_paths(&p, log) && jit_write_file(p.module, words, count * sizeof *words) &&
           compile_and_dump(&c, t, options, &p, log) && pack(&p, t, package, size, log);
    free_paths(&p);
    forget_command(&c);
    return good;
}
