/* lsc.c - descriptors of messages to the load-store unit, whose fields are those of Intel's programmer's manual
 * ("LSC"). */
#include <string.h>

#include "message.h"

enum { FLAT, BINDLESS, SCRATCH, NUMBERED }; /* kinds of addresses */

static const uint8_t sizes[] = {1, 2, 4, 8, 1, 2, 2, 0}, slots[] = {1, 2, 4, 8, 4, 4, 4, 0},
                     counts[] = {1, 2, 3, 4, 8, 16, 32, 64}; /* elements */

uint32_t xe_lsc_operation(const struct xe_instruction *i) { return i->send.descriptor & 63; }

static bool find_memory(struct xe_thread *t, const struct xe_instruction *i, struct xe_message *m)
{
    uint32_t kind = i->send.descriptor >> 29 & 3;
    m->memory = kind == SCRATCH ? XE_SCRATCH : m->address_bytes == 8 ? XE_GLOBAL : XE_PAYLOAD;
    if (i->send.unit == XE_SLM) m->memory = XE_LOCAL;
    if (kind == NUMBERED) return xe_surface_by_number(t, i, i->send.extended >> 24, m);
    return kind != BINDLESS || xe_surface_by_address(t, i, m);
}

/* In the extended descriptor, behind what names the surface; there is none where that is in an address register. */
static int32_t offset_of(const struct xe_instruction *i)
{
    uint32_t e = i->send.extended;
    switch (i->send.descriptor >> 29 & 3) {
    case FLAT: return (int32_t)e >> 12;
    case NUMBERED: return (int32_t)(e << 8) >> 20;
    case BINDLESS: return i->send.from_address ? (int32_t)e >> 15 : 0;
    default: return (int32_t)e >> 15;
    }
}

/* Xe3P's descriptor: bits 7 to 9 count elements or name channels, 10: a block, 11 to 13 their size, 14 and 15 the
 * address, from 22 an offset in elements, 44 and 45: addresses count vectors of so many. A scalar register may add a
 * base. */
static bool read_wide(struct xe_thread *t, const struct xe_instruction *i, struct xe_message *m)
{
    enum { A32_UNSIGNED, A32_SIGNED, A64, SURFACE };
    uint64_t d = i->send.wide, base = 0;
    uint32_t address = d >> 14 & 3, size = d >> 11 & 7, scale = d >> 44 & 3;
    m->bytes = sizes[size];
    m->slot = slots[size];
    m->block = d >> 10 & 1;
    m->count = counts[d >> 7 & 7];
    if (m->operation == XE_LOAD_MASK || m->operation == XE_STORE_MASK) {
        static const uint8_t reversed[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
        m->mask = reversed[d >> 7 & 15]; /* the lowest bit is the last channel */
        m->count = (uint32_t)__builtin_popcount(m->mask);
        m->block = false;
    }
    m->address_bytes = address == A64 ? 8 : 4;
    m->signed_addresses = address == A32_SIGNED && i->send.unit != XE_SLM;
    m->unit_of_address = scale ? m->bytes * m->count : 1;
    if (i->send.base) memcpy(&base, t->file + AT_SCALAR + i->send.base - 1, sizeof base);
    m->offset = (int64_t)((uint64_t)((int64_t)(d << 20) >> 42) * m->bytes + base);
    m->memory = i->send.unit == XE_SLM ? XE_LOCAL : XE_GLOBAL;
    if (address == SURFACE && i->send.unit != XE_SLM) { /* the only one that a thread has; bits 22 to 26 number it */
        m->memory = XE_SCRATCH;
        m->offset = ((int64_t)(d << 20) >> 47) * m->bytes;
        if (base != (uintptr_t)t->group->scratch || (d >> 22 & 31)) m->bytes = 0;
    }
    m->stride = m->block ? m->slot : xe_whole_registers(t, i->lanes * m->slot);
    if (m->bytes && m->count && scale < 2 && (!m->block || i->lanes == 1)) return true;
    xe_fail(t, "a message with a descriptor that is not supported");
    return false;
}

bool xe_lsc_read(struct xe_thread *t, const struct xe_instruction *i, struct xe_message *m)
{
    uint32_t d = i->send.descriptor;
    if (m->operation == XE_LOAD_2D || m->operation == XE_STORE_2D) return true;
    if (i->send.is_wide) return read_wide(t, i, m);
    m->address_bytes = 1u << (d >> 7 & 3);
    m->bytes = sizes[d >> 9 & 7];
    m->slot = slots[d >> 9 & 7];
    m->block = d >> 15 & 1;
    m->count = counts[d >> 12 & 7];
    if (m->operation == XE_LOAD_MASK || m->operation == XE_STORE_MASK) {
        m->mask = d >> 12 & 15;
        m->count = (uint32_t)__builtin_popcount(m->mask);
        m->block = false;
    }
    m->offset = offset_of(i);
    m->stride = m->block ? m->slot : xe_whole_registers(t, i->lanes * m->slot);
    if (m->bytes && m->address_bytes > 1 && (!m->block || i->lanes == 1)) return find_memory(t, i, m);
    xe_fail(t, "a message with a descriptor that is not supported");
    return false;
}
