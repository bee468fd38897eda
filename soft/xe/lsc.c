/* lsc.c - descriptors of messages to the load-store unit, whose fields are those of Intel's programmer's manual
 * ("LSC"). */
#include "message.h"

enum { FLAT, BINDLESS, SCRATCH, NUMBERED }; /* kinds of addresses */

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

bool xe_lsc_read(struct xe_thread *t, const struct xe_instruction *i, struct xe_message *m)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 1, 2, 2, 0}, slots[] = {1, 2, 4, 8, 4, 4, 4, 0};
    static const uint8_t counts[] = {1, 2, 3, 4, 8, 16, 32, 64};
    uint32_t d = i->send.descriptor;
    if (m->operation == XE_LOAD_2D || m->operation == XE_STORE_2D) return true;
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
    m->stride = m->block ? m->slot : (i->lanes * m->slot + t->grf_bytes - 1) / t->grf_bytes * t->grf_bytes;
    if (m->bytes && m->address_bytes > 1 && (!m->block || i->lanes == 1)) return find_memory(t, i, m);
    xe_fail(t, "a message with a descriptor that is not supported");
    return false;
}
