/* package.c - loads a package as a module: kernels with their code and their descriptions for the rest of the device,
 * and variables with their initial values.
 *
 * A package: a header, the binary, then for each kernel's disassembly its name and text, both with their lengths.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "spirv/host_state.h"

enum { PACKAGE_VERSION = 1, STACK = 256 << 10 };
static const char magic[8] = {'X', 'E', 'T', 'I', 'L', 'E', 'X', 'E'};

struct package_header {
    char magic[8];
    uint32_t version, texts;
    char target[16];
    uint64_t binary_bytes;
};
struct text_header {
    uint64_t name_bytes, bytes;
};

/* ---- writing */

void *xe_package_make(const struct xe_target *target, const void *binary, size_t bytes, const struct xe_text *texts,
                      uint32_t count, size_t *size)
{
    struct package_header h = {.version = PACKAGE_VERSION, .texts = count, .binary_bytes = bytes};
    size_t all = sizeof h + bytes;
    uint8_t *package, *to;
    memcpy(h.magic, magic, sizeof magic);
    strncpy(h.target, target->name, sizeof h.target - 1);
    for (uint32_t n = 0; n < count; n++) all += sizeof(struct text_header) + strlen(texts[n].name) + texts[n].size;
    package = to = malloc(all);
    if (!package) return NULL;
    memcpy(to, &h, sizeof h);
    memcpy(to + sizeof h, binary, bytes);
    to += sizeof h + bytes;
    for (uint32_t n = 0; n < count; n++) {
        const struct text_header t = {strlen(texts[n].name), texts[n].size};
        memcpy(to, &t, sizeof t);
        memcpy(to + sizeof t, texts[n].name, t.name_bytes);
        memcpy(to + sizeof t + t.name_bytes, texts[n].data, texts[n].size);
        to += sizeof t + t.name_bytes + t.bytes;
    }
    *size = all;
    return package;
}

bool xe_is_package(const void *data, size_t size)
{
    return size >= sizeof(struct package_header) && memcmp(data, magic, sizeof magic) == 0;
}

/* ---- reading */

struct loader {
    struct xe_machine *m;
    const uint8_t *texts, *end;
    uint32_t text_count;
    struct sp_text *log;
};

static bool find_text(const struct loader *l, const char *name, const char **text, size_t *size)
{
    const uint8_t *at = l->texts;
    for (uint32_t n = 0; n < l->text_count; n++) {
        struct text_header h;
        if ((size_t)(l->end - at) < sizeof h) return false;
        memcpy(&h, at, sizeof h);
        at += sizeof h;
        if (h.name_bytes > (size_t)(l->end - at) || h.bytes > (size_t)(l->end - at) - h.name_bytes) return false;
        if (h.name_bytes == strlen(name) && !memcmp(at, name, h.name_bytes)) {
            *text = (const char *)at + h.name_bytes;
            *size = (size_t)h.bytes;
            return true;
        }
        at += h.name_bytes + h.bytes;
    }
    return false;
}

static uint32_t count_arguments(const struct xe_info *i)
{
    int32_t most = -1;
    for (uint32_t n = 0; n < i->argument_count; n++)
        if (i->arguments[n].index > most) most = i->arguments[n].index;
    for (uint32_t n = 0; n < i->name_count; n++)
        if (i->names[n].index > most) most = i->names[n].index;
    return (uint32_t)(most + 1);
}

/* Describes parameters as in the payload; for those that the code does not use, as far as known. */
static void describe(const struct xe_info *i, struct xs_param *p)
{
    for (uint32_t n = 0; n < i->name_count; n++) {
        struct xs_param *to = &p[i->names[n].index];
        to->name = i->names[n].name;
        to->kind = i->names[n].space;
        to->size = to->kind == XS_PARAM_VALUE ? i->names[n].bytes : 8;
    }
    for (uint32_t n = 0; n < i->argument_count; n++) {
        const struct xe_argument *a = &i->arguments[n];
        struct xs_param *to = a->index >= 0 ? &p[a->index] : NULL;
        if (!to || strncmp(a->kind, "arg_by", 6) != 0) continue;
        if (!strcmp(a->kind, "arg_bypointer"))
            to->kind = a->is_local      ? XS_PARAM_LOCAL
                       : a->is_constant ? XS_PARAM_CONSTANT
                                        : XS_PARAM_GLOBAL,
            to->size = 8;
        else if (to->size < a->source + a->size)
            to->size = a->source + a->size;
    }
}

static bool make_parameters(struct xe_kernel *k)
{
    uint32_t count = count_arguments(&k->info), at = 0;
    struct xs_param *p = calloc(count + 1, sizeof *p);
    if (!p) return false;
    for (uint32_t n = 0; n < count; n++) p[n].name = "";
    describe(&k->info, p);
    for (uint32_t n = 0; n < count; n++) {
        if (!p[n].size) p[n].size = 4;
        p[n].align = 16;
        p[n].offset = at;
        at += (p[n].size + 15) / 16 * 16;
    }
    k->face.params = p;
    k->face.param_count = count;
    k->face.args_bytes = at;
    return true;
}

static void make_face(struct xe_kernel *k)
{
    const struct xe_info *i = &k->info;
    k->face.name = k->info.name;
    k->face.subgroup_size = i->simd;
    k->face.subgroup_size_required = 1;
    memcpy(k->face.local_size, i->required, sizeof i->required);
    k->face.local_bytes = i->local_bytes;
    k->face.private_bytes = i->private_bytes;
    k->face.spill_bytes = i->scratch_bytes;
    k->face.stack_bytes = STACK;
    k->face.max_work_dim = 3;
    k->face.attributes = "";
    k->face.run_groups = xe_run_groups;
    k->face.frame_bytes = 64; /* run_groups handles barriers itself */
}

static bool read_code(struct loader *l, struct xe_kernel *k)
{
    char section[256];
    const char *text;
    size_t size;
    snprintf(section, sizeof section, ".text.%s", k->info.name);
    for (uint32_t n = 0; n < l->m->elf.section_count; n++)
        if (!strcmp(l->m->elf.sections[n].name, section)) k->text_section = n;
    if (!k->text_section || !find_text(l, section, &text, &size)) {
        sp_text_add(l->log, "kernel %.200s: it has no code, or no disassembly\n", k->info.name);
        return false;
    }
    if (!xe_parse(text, size, l->m->target->family, &k->code, l->log)) return false;
    for (uint32_t n = 0; n < k->code.count; n++) xe_describe_site(&k->code.list[n]);
    if (k->code.bytes > l->m->elf.sections[k->text_section].size) {
        sp_text_add(l->log, "kernel %.200s: its disassembly is longer than its code\n", k->info.name);
        return false;
    }
    return xe_link(k, l->log) &&
           xe_elf_relocations(&l->m->elf, k->text_section, &k->relocations, &k->relocation_count, l->log);
}

static bool take_kernel(void *user, const struct xe_info *info)
{
    struct loader *l = user;
    struct xe_machine *m = l->m;
    struct xe_kernel **bigger = realloc(m->kernels, (m->kernel_count + 1) * sizeof *bigger), *k;
    if (!bigger) return false;
    m->kernels = bigger;
    k = calloc(1, sizeof *k);
    if (!k) return false;
    m->kernels[m->kernel_count++] = k;
    k->machine = m;
    k->info = *info;
    make_face(k);
    xe_payload_size(k);
    if (!strcmp(info->name, "Intel_Symbol_Table_Void_Program")) return true; /* in modules that export functions */
    return make_parameters(k) && read_code(l, k);
}

/* ---- variables */

/* One variable contains a data section, followed by the zeros of a separate section. */
static bool make_global(struct xe_machine *m, const char *data_name, const char *zeros_name, uint32_t *number)
{
    const struct xe_section *data = xe_elf_section(&m->elf, data_name), *zeros = xe_elf_section(&m->elf, zeros_name);
    uint64_t bytes = data && data->data ? data->size : 0, all = bytes + (zeros ? zeros->size : 0);
    uint8_t *initial;
    if (!all) return true;
    initial = all < 1u << 30 ? calloc(1, (size_t)all) : NULL;
    if (!initial) return false;
    if (bytes) memcpy(initial, data->data, (size_t)bytes);
    m->globals[m->face.global_count] = (struct xs_global){"", all, 64, initial};
    *number = ++m->face.global_count;
    return true;
}

/* The addend is the value at the relocated place, as the binary's relocations have none. */
static bool add_pointer(struct xe_machine *m, uint32_t in, const struct xe_relocation *r)
{
    uint64_t there = 0;
    const struct xe_symbol *s = &m->elf.symbols[r->symbol];
    const char *name = m->elf.sections[s->section].name;
    uint32_t to = !strncmp(name, ".data.const", 11)    ? m->global_constant
                  : !strncmp(name, ".data.global", 12) ? m->global_variable
                                                       : 0;
    if (!to || r->type != 1 || r->offset > m->globals[in].size || m->globals[in].size - r->offset < 8) return false;
    if (m->globals[in].initial) memcpy(&there, (const uint8_t *)m->globals[in].initial + r->offset, sizeof there);
    m->pointers[m->face.pointer_count++] =
        (struct xs_pointer){in, to - 1, r->offset, (int64_t)(s->value + there) + r->addend};
    return true;
}

static bool make_pointers(struct loader *l, uint32_t section, uint32_t in)
{
    struct xe_relocation *list = NULL;
    uint32_t count = 0;
    bool good = xe_elf_relocations(&l->m->elf, section, &list, &count, l->log);
    struct xs_pointer *bigger = realloc(l->m->pointers, (l->m->face.pointer_count + count + 1) * sizeof *bigger);
    if (bigger) l->m->pointers = bigger;
    for (uint32_t n = 0; good && bigger && n < count; n++) good = add_pointer(l->m, in, &list[n]);
    free(list);
    if (!good) sp_text_add(l->log, "an address in a variable that is not supported\n");
    return good && bigger;
}

static bool make_globals(struct loader *l)
{
    struct xe_machine *m = l->m;
    m->globals = calloc(2, sizeof *m->globals);
    if (!m->globals || !make_global(m, ".data.const", ".bss.const", &m->global_constant) ||
        !make_global(m, ".data.global", ".bss.global", &m->global_variable))
        return false;
    for (uint32_t n = 1; n < m->elf.section_count; n++) {
        const char *name = m->elf.sections[n].name;
        uint32_t number = !strcmp(name, ".data.const")    ? m->global_constant
                          : !strcmp(name, ".data.global") ? m->global_variable
                                                          : 0;
        if (number && !make_pointers(l, n, number - 1)) return false;
    }
    return true;
}

/* ---- modules */

static bool make_module(struct xe_machine *m)
{
    m->faces = calloc(m->kernel_count + 1, sizeof *m->faces);
    if (!m->faces) return false;
    m->face.version = XS_ABI_VERSION;
    m->face.globals = m->globals;
    m->face.pointers = m->pointers;
    for (uint32_t n = 0; n < m->kernel_count; n++) {
        m->kernels[n]->face.body = m->kernels[n];
        if (m->kernels[n]->code.count) m->faces[m->face.kernel_count++] = m->kernels[n]->face;
    }
    m->face.kernels = m->faces;
    return true;
}

static bool read_package(struct loader *l, size_t size)
{
    struct xe_machine *m = l->m;
    struct package_header h;
    const struct xe_section *info;
    memcpy(&h, m->binary, sizeof h);
    h.target[sizeof h.target - 1] = 0;
    m->target = xe_target_named(h.target);
    if (h.version != PACKAGE_VERSION || !m->target || h.binary_bytes > size - sizeof h) {
        sp_text_add(l->log, "a package of another version, for another target, or cut short\n");
        return false;
    }
    l->texts = (const uint8_t *)m->binary + sizeof h + h.binary_bytes;
    l->end = (const uint8_t *)m->binary + size;
    l->text_count = h.texts;
    if (!xe_elf_read((const uint8_t *)m->binary + sizeof h, (size_t)h.binary_bytes, &m->elf, l->log)) return false;
    info = xe_elf_section(&m->elf, ".ze_info");
    if (!info || !info->data) {
        sp_text_add(l->log, "zebin: it has no .ze_info\n");
        return false;
    }
    return xe_read_info((const char *)info->data, (size_t)info->size, take_kernel, l, l->log) && make_globals(l) &&
           make_module(m);
}

const void *xe_kernel_code(const struct xs_kernel *kernel, size_t *size)
{
    const struct xe_kernel *k = kernel->body;
    const struct xe_section *text = &k->machine->elf.sections[k->text_section];
    *size = (size_t)text->size;
    return text->data;
}

bool xe_load(const void *package, size_t size, struct jit_object *out, struct sp_text *log)
{
    struct loader l = {.m = calloc(1, sizeof *l.m), .log = log};
    struct sp_host_state program;
    if (!l.m) return false;
    if (!xe_is_package(package, size) || !(l.m->binary = malloc(size))) {
        free(l.m);
        return false;
    }
    memcpy(l.m->binary, package, size);
    sp_host_enter(&program); /* immediate operands are decimal numbers */
    bool good = read_package(&l, size);
    sp_host_leave(&program);
    if (!good) {
        xe_unload(l.m);
        return false;
    }
    out->machine = l.m;
    out->module = &l.m->face;
    return true;
}

void xe_unload(void *machine)
{
    struct xe_machine *m = machine;
    if (!m) return;
    xe_report(m);
    for (uint32_t n = 0; n < m->kernel_count; n++) {
        struct xe_kernel *k = m->kernels[n];
        xe_code_free(&k->code);
        free(k->relocations);
        free((void *)(uintptr_t)k->face.params);
        free(k);
    }
    free(m->kernels);
    free(m->faces);
    for (uint32_t n = 0; n < m->face.global_count; n++) free((void *)(uintptr_t)m->globals[n].initial);
    free(m->globals);
    free(m->pointers);
    xe_elf_free(&m->elf);
    free(m->binary);
    free(m);
}

__attribute__((constructor)) static void offer(void)
{
    static const struct jit_machine machine = {xe_is_package, xe_load, xe_unload};
    jit_machine_is(&machine);
}
