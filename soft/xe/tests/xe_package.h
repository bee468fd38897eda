/* xe_package.h - for tests of the interpreter: packages made of machine code in IGA's syntax, and how they run. */
#ifndef XETILE_SOFT_XE_PACKAGE_H
#define XETILE_SOFT_XE_PACKAGE_H

#include "test.h"

#include <elf.h>

#include "xe/machine.h"

static char told[1024]; /* the reason for a refused package or a failed launch */

static size_t put(uint8_t *elf, size_t at, const void *data, size_t size)
{
    memcpy(elf + at, data, size);
    return at + (size + 7) / 8 * 8;
}

/* Null, .text.k of `bytes`, .ze_info, the names. */
static size_t make_elf(uint8_t *elf, size_t bytes, const char *info)
{
    static const char names[] = "\0.text.k\0.ze_info\0.strtab";
    Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, 1, 1},
                    .e_type = ET_REL,
                    .e_machine = 205,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = 4,
                    .e_shstrndx = 3};
    Elf64_Shdr s[4] = {{0},
                       {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = sizeof h, .sh_size = bytes},
                       {.sh_name = 9, .sh_type = SHT_PROGBITS, .sh_size = strlen(info)},
                       {.sh_name = 18, .sh_type = SHT_STRTAB, .sh_size = sizeof names}};
    size_t at = sizeof h + bytes;
    s[2].sh_offset = at;
    at = put(elf, at, info, strlen(info));
    s[3].sh_offset = at;
    at = put(elf, at, names, sizeof names);
    h.e_shoff = at;
    at = put(elf, at, s, sizeof s);
    memcpy(elf, &h, sizeof h);
    return at;
}

/* Of this kernel for this target, as `.ze_info` describes it. */
static void *make_package_for(const char *target, const char *info, const char *code, size_t *size)
{
    static uint8_t elf[65536];
    size_t lines = 1;
    struct xe_text text = {".text.k", (void *)(uintptr_t)code, strlen(code)};
    for (const char *c = code; *c; c++) lines += *c == '\n';
    memset(elf, 0, sizeof elf);
    return xe_package_make(xe_target_named(target), elf, make_elf(elf, lines * 16, info), &text, 1, size);
}

static void *load(const void *package, size_t size)
{
    struct jit_object o = {0};
    struct sp_text log = {0};
    told[0] = 0;
    if (!xe_load(package, size, &o, &log)) snprintf(told, sizeof told, "%s", log.data ? log.data : "");
    sp_text_free(&log);
    return o.machine;
}

/* Runs one work-group of this many work-items on `out`; returns 0 if the launch succeeded. */
static int run_loaded(const struct xe_machine *m, void *out, uint32_t items)
{
    static _Alignas(64) uint8_t local[8192];
    uint8_t args[16] = {0};
    struct xs_subgroup s = {.group_count = {1, 1, 1},
                            .local_size = {items, 1, 1},
                            .work_dim = 1,
                            .local = local,
                            .local_bytes = sizeof local,
                            .kernel = &m->face.kernels[0]};
    int missed;
    memcpy(args, &out, sizeof out);
    missed = xe_run_groups(&s, args, 1);
    if (missed) snprintf(told, sizeof told, "%s", s.error ? s.error : "a barrier is missed");
    return missed;
}

static int run_for(const char *target, const char *info, const char *code, void *out, uint32_t items)
{
    size_t size;
    void *package = make_package_for(target, info, code, &size), *machine = load(package, size);
    int missed = machine ? run_loaded(machine, out, items) : -1;
    xe_unload(machine);
    free(package);
    return missed;
}

#endif
