/* zebin.c - Intel's binaries are ELF files: sections, symbols, relocations, each checked before it is used. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

enum { MACHINE_INTEL = 205, MOST_SECTIONS = 8192, MOST_SYMBOLS = 1 << 20 };

static bool bad(struct sp_text *log, const char *what)
{
    sp_text_add(log, "zebin: %s\n", what);
    return false;
}

static bool inside(const struct xe_elf *e, uint64_t at, uint64_t bytes)
{
    return at <= e->size && bytes <= e->size - at;
}

/* A string of the string table; NULL if it is not terminated within it. */
static const char *text_at(const struct xe_section *table, uint64_t at)
{
    if (at >= table->size || !memchr(table->data + at, 0, (size_t)(table->size - at))) return NULL;
    return (const char *)table->data + at;
}

static bool read_section(struct xe_elf *e, const uint8_t *at, struct xe_section *s, uint32_t *name)
{
    Elf64_Shdr h;
    memcpy(&h, at, sizeof h);
    *name = h.sh_name;
    *s = (struct xe_section){.name = "",
                             .type = h.sh_type,
                             .info = h.sh_info,
                             .link = h.sh_link,
                             .size = h.sh_size,
                             .align = h.sh_addralign};
    if (h.sh_type == SHT_NULL || h.sh_type == SHT_NOBITS) {
        if (h.sh_type == SHT_NULL) s->size = 0;
        return s->size <= UINT32_MAX;
    }
    s->data = e->data + (inside(e, h.sh_offset, 0) ? h.sh_offset : 0);
    return inside(e, h.sh_offset, h.sh_size);
}

static bool read_sections(struct xe_elf *e, const Elf64_Ehdr *h, struct sp_text *log)
{
    uint32_t *names;
    bool good = true;
    if (h->e_shentsize != sizeof(Elf64_Shdr) || !h->e_shnum || h->e_shnum > MOST_SECTIONS ||
        h->e_shstrndx >= h->e_shnum || !inside(e, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
        return bad(log, "its table of sections is damaged");
    e->section_count = h->e_shnum;
    e->sections = calloc(h->e_shnum, sizeof *e->sections);
    names = calloc(h->e_shnum, sizeof *names);
    for (uint32_t n = 0; e->sections && names && good && n < h->e_shnum; n++)
        good = read_section(e, e->data + h->e_shoff + n * sizeof(Elf64_Shdr), &e->sections[n], &names[n]);
    for (uint32_t n = 0; e->sections && names && good && n < h->e_shnum; n++) {
        const struct xe_section *table = &e->sections[h->e_shstrndx];
        const char *name = table->data ? text_at(table, names[n]) : NULL;
        good = name != NULL;
        if (good) e->sections[n].name = name;
    }
    good = good && names && e->sections;
    free(names);
    return good || bad(log, "a section is damaged");
}

static bool read_symbol(struct xe_elf *e, const struct xe_section *table, const Elf64_Sym *from, struct xe_symbol *to)
{
    const struct xe_section *names = &e->sections[table->link];
    const char *name = names->data ? text_at(names, from->st_name) : NULL;
    if (!name || (from->st_shndx >= e->section_count && from->st_shndx < SHN_LORESERVE)) return false;
    *to = (struct xe_symbol){
        .name = name, .type = ELF64_ST_TYPE(from->st_info), .value = from->st_value, .size = from->st_size};
    if (from->st_shndx < e->section_count) to->section = from->st_shndx;
    return true;
}

static bool read_symbols(struct xe_elf *e, struct sp_text *log)
{
    const struct xe_section *table = xe_elf_section(e, ".symtab");
    uint64_t count = table ? table->size / sizeof(Elf64_Sym) : 0;
    if (!count) return true;
    if (!table->data || table->link >= e->section_count || count > MOST_SYMBOLS)
        return bad(log, "its symbols are damaged");
    e->symbols = calloc((size_t)count, sizeof *e->symbols);
    for (; e->symbols && e->symbol_count < count; e->symbol_count++) {
        Elf64_Sym s;
        memcpy(&s, table->data + e->symbol_count * sizeof s, sizeof s);
        if (!read_symbol(e, table, &s, &e->symbols[e->symbol_count])) return bad(log, "a symbol is damaged");
    }
    return e->symbols != NULL;
}

bool xe_elf_read(const void *data, size_t size, struct xe_elf *e, struct sp_text *log)
{
    Elf64_Ehdr h;
    memset(e, 0, sizeof *e);
    e->data = data;
    e->size = size;
    if (size < sizeof h) return bad(log, "it is too short");
    memcpy(&h, data, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_machine != MACHINE_INTEL)
        return bad(log, "it is not a binary for Intel graphics");
    return read_sections(e, &h, log) && read_symbols(e, log);
}

void xe_elf_free(struct xe_elf *e)
{
    free(e->sections);
    free(e->symbols);
    memset(e, 0, sizeof *e);
}

const struct xe_section *xe_elf_section(const struct xe_elf *e, const char *name)
{
    for (uint32_t n = 0; n < e->section_count; n++)
        if (!strcmp(e->sections[n].name, name)) return &e->sections[n];
    return NULL;
}

static bool read_relocation(const struct xe_elf *e, const struct xe_section *s, uint64_t n, struct xe_relocation *to)
{
    Elf64_Rela r = {0};
    size_t bytes = s->type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    memcpy(&r, s->data + n * bytes, bytes);
    *to = (struct xe_relocation){r.r_offset, ELF64_R_TYPE(r.r_info), ELF64_R_SYM(r.r_info), r.r_addend};
    return to->symbol < e->symbol_count;
}

bool xe_elf_relocations(const struct xe_elf *e, uint32_t of, struct xe_relocation **list, uint32_t *count,
                        struct sp_text *log)
{
    for (uint32_t n = 0; n < e->section_count; n++) {
        const struct xe_section *s = &e->sections[n];
        size_t bytes = s->type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
        uint64_t more = s->size / bytes;
        struct xe_relocation *bigger;
        if ((s->type != SHT_REL && s->type != SHT_RELA) || s->info != of || !more) continue;
        if (more > MOST_SYMBOLS || *count > MOST_SYMBOLS) return bad(log, "too many relocations");
        bigger = realloc(*list, (*count + (size_t)more) * sizeof **list);
        if (!bigger) return false;
        *list = bigger;
        for (uint64_t k = 0; k < more; k++)
            if (!read_relocation(e, s, k, &(*list)[(*count)++])) return bad(log, "a relocation is damaged");
    }
    return true;
}
