/* surfaces.c - surfaces that messages name instead of giving whole addresses: an argument that needs one has a surface.
 */
#include <string.h>

#include "message.h"

enum { NUMBER_BINDLESS = 252, NUMBER_STATELESS_TOO, NUMBER_LOCAL, NUMBER_STATELESS };

static bool buffer(struct xe_thread *t, uint32_t argument, struct xe_message *m)
{
    m->memory = XE_BUFFER;
    m->base = argument < XE_BUFFERS ? t->group->buffers[argument] : 0;
    if (!m->base) xe_fail(t, "a message to a surface that no argument has");
    return m->base != 0;
}

/* Bindless: the surface of the thread's scratch memory has the number 0, those of arguments follow (payload.c). */
bool xe_surface_by_address(struct xe_thread *t, const struct xe_instruction *i, struct xe_message *m)
{
    uint32_t handle = i->send.extended;
    if (i->send.from_address) memcpy(&handle, t->file + AT_ADDRESS + i->send.from_address - 1, sizeof handle);
    if (handle >> XE_HANDLE_SHIFT) return buffer(t, (handle >> XE_HANDLE_SHIFT) - 1, m);
    m->memory = XE_SCRATCH;
    return true;
}

bool xe_surface_by_number(struct xe_thread *t, const struct xe_instruction *i, uint32_t number, struct xe_message *m)
{
    const struct xe_info *info = &t->group->kernel->info;
    switch (number) { /* those that no table has */
    case NUMBER_BINDLESS: return xe_surface_by_address(t, i, m);
    case NUMBER_LOCAL: m->memory = XE_LOCAL; return true;
    case NUMBER_STATELESS:
    case NUMBER_STATELESS_TOO: return true;
    default: break;
    }
    for (uint32_t k = 0; k < info->surface_count; k++)
        if (info->surfaces[k].number == number) return buffer(t, info->surfaces[k].index, m);
    return buffer(t, XE_NO_BUFFER, m);
}
