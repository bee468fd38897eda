/* payload.c - a thread's initial state: r0 with its position in the launch, r1 with the first arguments, and in memory
 * the other arguments and its local ids, which the code loads itself; or all of them in registers. `.ze_info` describes
 * the layout.
 */
#include <string.h>

#include "message.h"

enum {
    PAYLOAD_AT = 0x40,      /* address of the payload: its lowest bits are not part of r0.0 */
    BUFFER_ALIGN = 64,      /* of a surface */
    BUFFER_BEFORE = 1 << 20 /* how far before an argument its surface begins, for negative offsets */
};

static const struct xe_family *family_of(const struct xe_kernel *k) { return k->machine->target->family; }

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
    uint32_t grf = family_of(k)->grf_bytes;
    k->thread_bytes = (k->thread_bytes + grf - 1) / grf * grf;
}

/* ---- arguments */

static void put_vector(uint8_t *to, uint32_t bytes, const uint32_t v[3]) { memcpy(to, v, bytes < 12 ? bytes : 12); }

static void put_handle(uint8_t *to, uint32_t bytes, uint32_t buffer)
{
    uint32_t handle = (buffer + 1) << XE_HANDLE_SHIFT;
    memcpy(to, &handle, bytes < sizeof handle ? bytes : sizeof handle);
}

static void put_address(uint8_t *to, uint32_t bytes, const void *p)
{
    uint64_t address = (uint64_t)(uintptr_t)p;
    memcpy(to, &address, bytes < 8 ? bytes : 8);
}

static const struct xs_param *param_of(const struct xe_group *g, const struct xe_argument *a)
{
    const struct xs_kernel *face = &g->kernel->face;
    return a->index < 0 || (uint32_t)a->index >= face->param_count ? NULL : &face->params[a->index];
}

/* Where the surface of an argument at this address begins. */
static uint64_t buffer_at(uint64_t address)
{
    uint64_t base = address / BUFFER_ALIGN * BUFFER_ALIGN;
    return base > BUFFER_BEFORE ? base - BUFFER_BEFORE : 0;
}

/* Does the code add the distance between an argument and its surface? Else the surface begins at the argument. */
static bool takes_distance(const struct xe_info *info, int32_t argument)
{
    for (uint32_t n = 0; n < info->argument_count; n++)
        if (info->arguments[n].index == argument && !strcmp(info->arguments[n].kind, "buffer_offset")) return true;
    return false;
}

static bool put_explicit(struct xe_group *g, const struct xe_argument *a, uint8_t *to, const uint8_t *args)
{
    const struct xs_param *p = param_of(g, a);
    uint64_t address;
    if (!p) return false;
    if (p->kind == XS_PARAM_LOCAL) {
        memcpy(&address, args + p->offset, sizeof address);
        address -= (uint64_t)(uintptr_t)g->local;
        memcpy(to, &address, a->size < 8 ? a->size : 8);
        return true;
    }
    if (a->stateful) {
        memcpy(&address, args + p->offset, sizeof address);
        g->buffers[a->index] = takes_distance(&g->kernel->info, a->index) ? buffer_at(address) : address;
        put_handle(to, a->size, (uint32_t)a->index);
        return true;
    }
    if (a->source > p->size || a->size > p->size - a->source) return false;
    memcpy(to, args + p->offset + a->source, a->size);
    return true;
}

/* The address of an argument, or its distance from the beginning of its surface. */
static bool put_buffer(const struct xe_group *g, const struct xe_argument *a, bool distance, uint8_t *to,
                       const uint8_t *args)
{
    const struct xs_param *p = param_of(g, a);
    uint64_t value;
    if (!p || p->size < sizeof value) return false;
    memcpy(&value, args + p->offset, sizeof value);
    if (distance) value -= buffer_at(value);
    memcpy(to, &value, a->size < sizeof value ? a->size : sizeof value);
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
    BUFFER_ADDRESS,
    BUFFER_OFFSET,
    ARGUMENTS,
    SCRATCH,
    UNKNOWN
};

static enum implicit kind_of(const struct xe_argument *a)
{
    static const struct {
        const char *name;
        enum implicit kind;
    } kinds[] = {
        {"global_id_offset", GLOBAL_OFFSET}, {"local_size", LOCAL_SIZE},       {"enqueued_local_size", LOCAL_SIZE},
        {"global_size", GLOBAL_SIZE},        {"group_count", GROUP_COUNT},     {"work_dimensions", DIMENSIONS},
        {"private_base_stateless", PRIVATE}, {"const_base", CONSTANTS},        {"global_base", VARIABLES},
        {"buffer_address", BUFFER_ADDRESS},  {"buffer_offset", BUFFER_OFFSET}, {"indirect_data_pointer", ARGUMENTS},
        {"scratch_pointer", SCRATCH},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (!strcmp(a->kind, kinds[k].name)) return kinds[k].kind;
    return UNKNOWN;
}

/* The address of the module's constants or variables (1 + their number; 0: there are none), or a handle of their
 * surface. */
static void put_globals(struct xe_group *g, const struct xe_argument *a, uint8_t *to, uint32_t number, uint32_t buffer)
{
    const void *there = number ? g->place->globals[number - 1] : NULL;
    g->buffers[buffer] = (uint64_t)(uintptr_t)there;
    if (a->stateful)
        put_handle(to, a->size, buffer);
    else
        put_address(to, a->size, there);
}

static bool put_implicit(struct xe_group *g, const struct xe_argument *a, uint8_t *to, const uint8_t *args)
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
    case CONSTANTS: put_globals(g, a, to, m->global_constant, XE_OF_CONSTANTS); return true;
    case VARIABLES: put_globals(g, a, to, m->global_variable, XE_OF_VARIABLES); return true;
    case ARGUMENTS: put_address(to, a->size, g->payload + PAYLOAD_AT); return true;
    case SCRATCH: put_address(to, a->size, g->scratch); return true;
    case BUFFER_ADDRESS: return put_buffer(g, a, false, to, args);
    case BUFFER_OFFSET: return put_buffer(g, a, true, to, args);
    default: return false;
    }
}

bool xe_payload_fill(struct xe_group *g, const uint8_t *args)
{
    const struct xe_info *info = &g->kernel->info;
    memset(g->payload, 0, g->kernel->payload_bytes);
    memset(g->buffers, 0, sizeof g->buffers);
    for (uint32_t n = 0; n < info->argument_count; n++) {
        const struct xe_argument *a = &info->arguments[n];
        uint8_t *to = g->payload + PAYLOAD_AT - info->inline_bytes + a->offset; /* preceded by r1 */
        if (!strncmp(a->kind, "arg_by", 6) ? put_explicit(g, a, to, args) : put_implicit(g, a, to, args)) continue;
        g->place->error = "an argument of its payload that is not supported";
        return false;
    }
    return true;
}

/* ---- local ids ----------- */

static void put_local_ids(struct xe_group *g, uint32_t thread, uint8_t *to, uint32_t bytes)
{
    const uint32_t *size = g->place->local_size, simd = g->kernel->info.simd, grf = family_of(g->kernel)->grf_bytes;
    uint32_t stride = (simd * 2 + grf - 1) / grf * grf;
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

static void put(struct xe_thread *t, uint32_t at, const uint8_t *from, uint32_t bytes)
{
    if (at > t->grf_end || bytes > t->grf_end - at) bytes = 0; /* more arguments than registers, in a damaged binary */
    memcpy(t->file + at, from, bytes);
    xe_define(t, at, bytes);
}

/* Local ids and arguments where all of them are in registers, else the first arguments. */
static void put_arguments(struct xe_thread *t)
{
    const struct xe_group *g = t->group;
    const struct xe_kernel *k = g->kernel;
    uint32_t inlined = k->info.inline_bytes;
    const uint8_t *arguments = g->payload + PAYLOAD_AT - inlined;
    if (family_of(k)->arguments_in_registers) {
        uint32_t before = k->thread_bytes ? k->thread_bytes : t->grf_bytes; /* without local ids, r1 has nothing */
        put(t, t->grf_bytes, g->payload + k->payload_bytes + t->number * k->thread_bytes, k->thread_bytes);
        put(t, t->grf_bytes + before, arguments, k->payload_bytes - PAYLOAD_AT + inlined);
    } else {
        put(t, t->grf_bytes, arguments, inlined);
    }
}

uint64_t xe_scratch_address(const struct xe_thread *t)
{
    bool has = family_of(t->group->kernel)->scratch_has_addresses && t->group->scratch_bytes;
    return has ? (uint64_t)(t->scratch - t->group->payload) : UINT64_MAX;
}

static uint32_t state_of(const struct xe_family *family, uint32_t number)
{
    uint32_t state = 0;
    for (uint32_t bit = 0; bit < THREAD_BITS; bit++) state |= (number >> bit & 1) << family->thread_bits[bit];
    return state;
}

void xe_thread_begin(struct xe_thread *t, uint32_t number)
{
    const struct xe_group *g = t->group;
    const uint32_t *id = g->place->group_id;
    uint32_t items = g->place->local_size[0] * g->place->local_size[1] * g->place->local_size[2],
             simd = g->kernel->info.simd;
    uint32_t left = items - number * simd, lanes = left < simd ? left : simd;
    uint64_t scratch = xe_scratch_address(t);
    const uint32_t r0[8] = {PAYLOAD_AT, id[0], number | g->thread_count << 24, 0, 0,
                            scratch == UINT64_MAX ? 0 : (uint32_t)scratch, id[1], id[2]};
    /* the last byte of r0.2: how many threads meet at a barrier */
    uint32_t state = state_of(family_of(g->kernel), number);
    t->number = number;
    t->grf_bytes = family_of(g->kernel)->grf_bytes;
    t->grf_end = t->grf_bytes * family_of(g->kernel)->grfs;
    t->present = t->active = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
    memcpy(t->file, r0, sizeof r0);
    if (family_of(g->kernel)->pointers) put_address(t->file + 56, 8, g->payload + PAYLOAD_AT);
    xe_define(t, 0, t->grf_bytes);
    put_arguments(t);
    memcpy(t->file + AT_STATE, &state, sizeof state);
    memset(t->file + AT_STATE + 4, 0, FILE_BYTES - AT_STATE - 4);
    memset(t->file + AT_FLAG, 0xa5, AT_CONTROL - AT_FLAG);
}
