/* payload.c - a thread's initial state: r0 with its position in the launch, r1 with the first arguments, and in memory
 * the other arguments and its local ids, which the code loads itself. `.ze_info` describes the layout.
 */
#include <string.h>

#include "machine.h"

enum { PAYLOAD_AT = 0x40 }; /* address of the payload: its lowest bits are not part of r0.0 */

void xe_payload_size(struct xe_kernel *k)
{
    const struct xe_info *info = &k->info;
    uint32_t bytes = 0;
    for (uint32_t n = 0; n < info->argument_count; n++) {
        uint32_t end = info->arguments[n].offset + info->arguments[n].size;
        if (bytes < end) bytes = end;
    }
    bytes = bytes > info->inline_bytes ? bytes - info->inline_bytes : 0;
    k->payload_bytes = PAYLOAD_AT + (bytes + 31) / 32 * 32; /* then per-thread data, as the code expects */
    for (uint32_t n = 0; n < info->thread_argument_count; n++) {
        uint32_t end = info->thread_arguments[n].offset + info->thread_arguments[n].size;
        if (k->thread_bytes < end) k->thread_bytes = end;
    }
    k->thread_bytes = (k->thread_bytes + GRF_BYTES - 1) / GRF_BYTES * GRF_BYTES;
}

/* ---- arguments */

static void put_vector(uint8_t *to, uint32_t bytes, const uint32_t v[3]) { memcpy(to, v, bytes < 12 ? bytes : 12); }

static void put_address(uint8_t *to, uint32_t bytes, const void *p)
{
    uint64_t address = (uint64_t)(uintptr_t)p;
    memcpy(to, &address, bytes < 8 ? bytes : 8);
}

static bool put_explicit(const struct xe_group *g, const struct xe_argument *a, uint8_t *to, const uint8_t *args)
{
    const struct xs_kernel *face = &g->kernel->face;
    const struct xs_param *p;
    uint64_t address;
    if (a->index < 0 || (uint32_t)a->index >= face->param_count) return false;
    p = &face->params[a->index];
    if (p->kind == XS_PARAM_LOCAL) {
        memcpy(&address, args + p->offset, sizeof address);
        address -= (uint64_t)(uintptr_t)g->local;
        memcpy(to, &address, a->size < 8 ? a->size : 8);
        return true;
    }
    if (a->source > p->size || a->size > p->size - a->source) return false;
    memcpy(to, args + p->offset + a->source, a->size);
    return true;
}

enum implicit {
    GLOBAL_OFFSET,
    LOCAL_SIZE,
    GLOBAL_SIZE,
    GROUP_COUNT,
    DIMENSIONS,
    PRIVATE,
    CONSTANTS,
    VARIABLES,
    UNKNOWN
};

static enum implicit kind_of(const struct xe_argument *a)
{
    static const struct {
        const char *name;
        enum implicit kind;
    } kinds[] = {
        {"global_id_offset", GLOBAL_OFFSET}, {"local_size", LOCAL_SIZE},   {"enqueued_local_size", LOCAL_SIZE},
        {"global_size", GLOBAL_SIZE},        {"group_count", GROUP_COUNT}, {"work_dimensions", DIMENSIONS},
        {"private_base_stateless", PRIVATE}, {"const_base", CONSTANTS},    {"global_base", VARIABLES},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (!strcmp(a->kind, kinds[k].name)) return kinds[k].kind;
    return UNKNOWN;
}

static bool put_implicit(const struct xe_group *g, const struct xe_argument *a, uint8_t *to)
{
    const struct xs_subgroup *s = g->place;
    const struct xe_machine *m = g->kernel->machine;
    uint32_t whole[3];
    for (int k = 0; k < 3; k++) whole[k] = s->group_count[k] * s->local_size[k];
    switch (kind_of(a)) {
    case GLOBAL_OFFSET: put_vector(to, a->size, s->global_offset); return true;
    case LOCAL_SIZE: put_vector(to, a->size, s->local_size); return true;
    case GLOBAL_SIZE: put_vector(to, a->size, whole); return true;
    case GROUP_COUNT: put_vector(to, a->size, s->group_count); return true;
    case DIMENSIONS: memcpy(to, &s->work_dim, a->size < 4 ? a->size : 4); return true;
    case PRIVATE: put_address(to, a->size, g->private); return true;
    case CONSTANTS:
        put_address(to, a->size, m->global_constant ? s->globals[m->global_constant - 1] : NULL);
        return true;
    case VARIABLES:
        put_address(to, a->size, m->global_variable ? s->globals[m->global_variable - 1] : NULL);
        return true;
    default: return false;
    }
}

bool xe_payload_fill(struct xe_group *g, const uint8_t *args)
{
    const struct xe_info *info = &g->kernel->info;
    memset(g->payload, 0, g->kernel->payload_bytes);
    for (uint32_t n = 0; n < info->argument_count; n++) {
        const struct xe_argument *a = &info->arguments[n];
        uint8_t *to = g->payload + PAYLOAD_AT - info->inline_bytes + a->offset; /* preceded by r1 */
        if (!strncmp(a->kind, "arg_by", 6) ? put_explicit(g, a, to, args) : put_implicit(g, a, to)) continue;
        g->place->error = "an argument of its payload that is not supported";
        return false;
    }
    return true;
}

/* ---- local ids ----------- */

static void put_local_ids(struct xe_group *g, uint32_t thread, uint8_t *to, uint32_t bytes)
{
    const uint32_t *size = g->place->local_size, simd = g->kernel->info.simd;
    uint32_t stride = (simd * 2 + GRF_BYTES - 1) / GRF_BYTES * GRF_BYTES;
    for (uint32_t lane = 0; lane < simd; lane++) {
        uint32_t item = thread * simd + lane;
        const uint16_t id[3] = {(uint16_t)(item % size[0]), (uint16_t)(item / size[0] % size[1]),
                                (uint16_t)(item / size[0] / size[1])};
        for (uint32_t k = 0; k < 3 && (k + 1) * stride <= bytes; k++) memcpy(to + k * stride + lane * 2, &id[k], 2);
    }
}

void xe_payload_place(struct xe_group *g)
{
    const struct xe_kernel *k = g->kernel;
    uint8_t *to = g->payload + k->payload_bytes;
    for (uint32_t t = 0; t < g->thread_count; t++, to += k->thread_bytes)
        for (uint32_t n = 0; n < k->info.thread_argument_count; n++)
            put_local_ids(g, t, to + k->info.thread_arguments[n].offset, k->info.thread_arguments[n].size);
}

/* ---- registers */

void xe_thread_begin(struct xe_thread *t, uint32_t number)
{
    const struct xe_group *g = t->group;
    const uint32_t *id = g->place->group_id;
    uint32_t items = g->place->local_size[0] * g->place->local_size[1] * g->place->local_size[2],
             simd = g->kernel->info.simd;
    uint32_t left = items - number * simd, lanes = left < simd ? left : simd,
             gap = g->kernel->machine->target->thread_gap;
    const uint32_t r0[8] = {PAYLOAD_AT, id[0], number, 0, 0, 0, id[1], id[2]};
    uint32_t state = (number & 7) | (number >> 3 & (gap - 1)) << 4 | (number >> 3) / gap << 8;
    t->number = number;
    t->present = t->active = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
    memcpy(t->file, r0, sizeof r0);
    xe_define(t, 0, GRF_BYTES);
    memcpy(t->file + GRF_BYTES, g->payload + PAYLOAD_AT - g->kernel->info.inline_bytes, g->kernel->info.inline_bytes);
    xe_define(t, GRF_BYTES, g->kernel->info.inline_bytes);
    memcpy(t->file + AT_STATE, &state, sizeof state);
    memset(t->file + AT_STATE + 4, 0, FILE_BYTES - AT_STATE - 4);
    memset(t->file + AT_FLAG, 0xa5, AT_CONTROL - AT_FLAG);
}
