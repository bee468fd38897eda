/* elf.c - whether a shared object is whole. A compiler may end well and leave a part of one: on a full disk, for
 * example. The dynamic loader would map what is not there, and end the process.
 */
#define _GNU_SOURCE
#include "jit.h"

#include <elf.h>
#include <string.h>

struct file {
    const uint8_t *bytes;
    size_t size;
    Elf64_Ehdr head;
    bool dynamic; /* one of its segments says what the loader needs */
};

static bool is_within(const struct file *f, uint64_t at, uint64_t bytes)
{
    return at <= f->size && bytes <= f->size - at;
}

static Elf64_Half own_machine(void)
{
#if defined(__x86_64__)
    return EM_X86_64;
#elif defined(__aarch64__)
    return EM_AARCH64;
#elif defined(__riscv)
    return EM_RISCV;
#else
    return EM_NONE; /* any */
#endif
}

static const char *check_head(const struct file *f)
{
    const Elf64_Ehdr *h = &f->head;
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0) return "it is not an ELF file";
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_type != ET_DYN)
        return "it is not a shared object of 64 bits";
    if (own_machine() != EM_NONE && h->e_machine != own_machine()) return "it is for another kind of CPU";
    if (!h->e_phnum || h->e_phentsize != sizeof(Elf64_Phdr)) return "it has no segments";
    if (!is_within(f, h->e_phoff, (uint64_t)h->e_phnum * h->e_phentsize) ||
        !is_within(f, h->e_shoff, (uint64_t)h->e_shnum * h->e_shentsize)) /* the sections are at its end */
        return "it is cut off";
    return NULL;
}

static Elf64_Phdr segment(const struct file *f, uint32_t i)
{
    Elf64_Phdr p;
    memcpy(&p, f->bytes + f->head.e_phoff + i * sizeof p, sizeof p);
    return p;
}

/* Is this address in what a segment takes from the file? */
static bool is_loaded(const struct file *f, uint64_t address)
{
    for (uint32_t i = 0; i < f->head.e_phnum; i++) {
        const Elf64_Phdr p = segment(f, i);
        if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz) return true;
    }
    return false;
}

/* A file that was extended but not written has zeros in place of its tables. */
static const char *check_dynamic(const struct file *f, const Elf64_Phdr *p)
{
    bool strings = false, symbols = false;
    for (uint64_t at = 0; p->p_filesz - at >= sizeof(Elf64_Dyn); at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn d;
        memcpy(&d, f->bytes + p->p_offset + at, sizeof d);
        if (d.d_tag == DT_NULL) break;
        strings = strings || (d.d_tag == DT_STRTAB && is_loaded(f, d.d_un.d_ptr));
        symbols = symbols || (d.d_tag == DT_SYMTAB && is_loaded(f, d.d_un.d_ptr));
    }
    return strings && symbols ? NULL : "it has no table of symbols";
}

static const char *check_segment(struct file *f, const Elf64_Phdr *p)
{
    if (p->p_type != PT_LOAD && p->p_type != PT_DYNAMIC) return NULL;
    if (!is_within(f, p->p_offset, p->p_filesz)) return "it is cut off";
    if (p->p_filesz > p->p_memsz || p->p_vaddr > INT64_MAX || p->p_memsz > INT64_MAX / 2 ||
        (p->p_align > 1 && ((p->p_align & (p->p_align - 1)) || (p->p_vaddr - p->p_offset) % p->p_align)))
        return "its segments are malformed";
    if (p->p_type == PT_LOAD) return NULL;
    f->dynamic = true;
    return check_dynamic(f, p);
}

const char *jit_elf_check(const void *so, size_t size)
{
    struct file f = {.bytes = so, .size = size};
    const char *why;
    if (size < sizeof f.head) return "it is too short";
    memcpy(&f.head, so, sizeof f.head);
    why = check_head(&f);
    for (uint32_t i = 0; !why && i < f.head.e_phnum; i++) {
        const Elf64_Phdr p = segment(&f, i);
        why = check_segment(&f, &p);
    }
    return why || f.dynamic ? why : "it has no table of symbols";
}
