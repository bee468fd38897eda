/* link.c - resolves labels to instruction indices, and relocations to addresses in immediates. A function's address is
 * its offset in the kernel's own code. */
#include <pthread.h>
#include <string.h>

#include "machine.h"

enum { WHOLE_ADDRESS = 1, LOW_HALF = 2, HIGH_HALF = 3, THREAD_PAYLOAD = 4, THREAD_PAYLOAD_16 = 7 };

static bool is_branch(const struct xe_instruction *i) { return i->operation >= XE_jmpi && i->operation <= XE_call; }

static bool link_label(struct xe_kernel *k, uint32_t *label)
{
    uint32_t to = xe_find(&k->code, *label, false);
    *label = to;
    return to != UINT32_MAX;
}

bool xe_link(struct xe_kernel *k, struct sp_text *log)
{
    for (uint32_t n = 0; n < k->code.count; n++) {
        struct xe_instruction *i = &k->code.list[n];
        if (!is_branch(i)) continue;
        if (link_label(k, &i->jump) &&
            (i->operation == XE_jmpi || i->operation == XE_call || link_label(k, &i->update)))
            continue;
        sp_text_add(log, "disassembly of %s: a jump to where no instruction begins: %.100s\n", k->face.name,
                    k->code.text + i->line);
        return false;
    }
    return true;
}

/* ---- addresses */

static bool address_of(const struct xe_kernel *k, uint8_t *const *globals, const struct xe_relocation *r,
                       uint64_t *address)
{
    const struct xe_machine *m = k->machine;
    const struct xe_symbol *s = &m->elf.symbols[r->symbol];
    const struct xe_section *in = &m->elf.sections[s->section];
    *address = s->value + (uint64_t)r->addend;
    if (!s->section) /* 0: r0.0 has the address, and the compiler's offset of a thread's data is right */
        return !strcmp(s->name, "__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0") ||
               !strcmp(s->name, "__INTEL_PER_THREAD_OFF");
    if (s->section == k->text_section) return true;
    if (!strncmp(in->name, ".data.const", 11) && m->global_constant)
        *address += (uint64_t)(uintptr_t)globals[m->global_constant - 1];
    else if (!strncmp(in->name, ".data.global", 12) && m->global_variable)
        *address += (uint64_t)(uintptr_t)globals[m->global_variable - 1];
    else
        return false;
    return true;
}

static bool patch(struct xe_kernel *k, uint8_t *const *globals, const struct xe_relocation *r)
{
    uint32_t at = r->offset < k->code.bytes ? xe_find(&k->code, (uint32_t)r->offset, true) : UINT32_MAX;
    struct xe_operand *o = NULL;
    uint64_t address;
    if (at == UINT32_MAX || !address_of(k, globals, r, &address)) return false;
    for (int n = 0; n < 3; n++)
        if (k->code.list[at].from[n].where == XE_IMMEDIATE) o = &k->code.list[at].from[n];
    if (o && (r->type == THREAD_PAYLOAD || r->type == THREAD_PAYLOAD_16)) return true;
    if (!o || r->type < WHOLE_ADDRESS || r->type > HIGH_HALF) return false;
    o->bits = r->type == WHOLE_ADDRESS ? address : r->type == LOW_HALF ? (uint32_t)address : address >> 32;
    return true;
}

bool xe_link_globals(struct xe_kernel *k, uint8_t *const *globals)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    bool good = true;
    if (atomic_load(&k->linked) == 0) {
        pthread_mutex_lock(&lock);
        for (uint32_t n = 0; atomic_load(&k->linked) == 0 && good && n < k->relocation_count; n++)
            good = patch(k, globals, &k->relocations[n]);
        if (atomic_load(&k->linked) == 0) atomic_store(&k->linked, good ? 1 : -1);
        pthread_mutex_unlock(&lock);
    }
    return atomic_load(&k->linked) == 1;
}
