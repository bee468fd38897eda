/* group.c - work-groups: each thread runs until it ends or waits at a barrier, then the next one runs. Registers and
 * local memory are filled with a pattern, to reveal kernels that rely on zeros.
 */
#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

enum { PATTERN = 0xfff5 }; /* a NaN of every float type */

/* State kept per host thread, since a fault may end a launch anywhere. */
struct kept {
    struct xe_group group;
    struct xe_thread *threads;
    uint8_t *memory; /* payload, scratch, private */
    size_t thread_room, memory_room;
};

static pthread_key_t kept_key;
static pthread_once_t kept_once = PTHREAD_ONCE_INIT;

static void kept_free(void *p)
{
    struct kept *k = p;
    free(k->threads);
    free(k->memory);
    free(k);
}

static void kept_make(void) { pthread_key_create(&kept_key, kept_free); }

static struct kept *kept_get(void)
{
    struct kept *k;
    pthread_once(&kept_once, kept_make);
    k = pthread_getspecific(kept_key);
    if (k) return k;
    k = calloc(1, sizeof *k);
    if (k && pthread_setspecific(kept_key, k) == 0) return k;
    free(k);
    return NULL;
}

/* Has not every thread arrived at the barrier that this one waits for? */
static bool waits(const struct xe_thread *t)
{
    const uint32_t at = t->waits_at;
    return t->stop == XE_AT_BARRIER && t->barriers[at].phase == t->group->barriers[at].phase;
}

/* Runs a round; did any thread make progress? */
static bool run_round(struct xe_group *g)
{
    bool moved = false;
    for (uint32_t n = 0; n < g->thread_count; n++) {
        struct xe_thread *t = &g->threads[n];
        if (t->stop == XE_ENDED || waits(t)) continue;
        moved = true;
        xe_execute(t);
        if (t->stop == XE_FAILED) return false;
        if (t->stop != XE_ENDED) continue;
        xe_count_thread(g->kernel, t);
        g->running--;
    }
    return moved;
}

/* ---- a work-group's memory */

static size_t rounded(uint64_t bytes) { return (size_t)((bytes + 4095) / 4096 * 4096); }

static bool grow(void **p, size_t *room, size_t bytes)
{
    void *bigger;
    if (bytes <= *room) return true;
    if (posix_memalign(&bigger, 4096, bytes) != 0) return false;
    free(*p);
    *p = bigger;
    *room = bytes;
    return true;
}

static bool make_room(struct kept *k, struct xe_group *g)
{
    const struct xe_info *info = &g->kernel->info;
    uint32_t lanes = info->private_is_a_lane ? info->simd : 1;
    size_t payload = rounded(g->kernel->payload_bytes + (uint64_t)g->kernel->thread_bytes * g->thread_count), all;
    size_t scratch = rounded(info->scratch_bytes), private = rounded((uint64_t)info->private_bytes * lanes);
    if (g->thread_count > MAX_THREADS || info->scratch_bytes > 1u << 24 || info->private_bytes > 1u << 24) return false;
    all = payload + (scratch + private) * MAX_THREADS;
    if (!grow((void **)&k->threads, &k->thread_room, g->thread_count * sizeof *k->threads) ||
        !grow((void **)&k->memory, &k->memory_room, all))
        return false;
    g->threads = k->threads;
    g->payload = k->memory;
    g->payload_bytes = payload;
    g->scratch = k->memory + payload;
    g->private = g->scratch + scratch * MAX_THREADS;
    g->scratch_bytes = scratch;
    g->private_bytes = private;
    return true;
}

static void fill(void *to, size_t bytes)
{
    static const uint16_t pattern = PATTERN;
    for (size_t n = 0; n + sizeof pattern <= bytes; n += sizeof pattern)
        memcpy((uint8_t *)to + n, &pattern, sizeof pattern);
}

static void begin(struct xe_group *g)
{
    memset(g->barriers, 0, sizeof g->barriers);
    g->running = g->thread_count;
    fill(g->local, (size_t)g->local_bytes);
    fill(g->scratch, g->scratch_bytes * g->thread_count);
    xe_payload_place(g);
    for (uint32_t n = 0; n < g->thread_count; n++) {
        struct xe_thread *t = &g->threads[n];
        memset(t, 0, sizeof *t);
        fill(t->file, AT_FLAG);
        t->group = g;
        t->scratch = g->scratch + g->scratch_bytes * n;
        t->rounding = FE_TONEAREST;
        xe_thread_begin(t, n);
    }
}

static bool has_local_arguments(const struct xs_kernel *k)
{
    for (uint32_t i = 0; i < k->param_count; i++)
        if (k->params[i].kind == XS_PARAM_LOCAL) return true;
    return false;
}

static uint32_t switches(void)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } all[] = {{"vnni", XE_BREAK_VNNI}, {"dpas", XE_BREAK_DPAS}, {"transpose", XE_BREAK_TRANSPOSE}};
    const char *wish = getenv("XETILE_SOFT_XE_BREAK");
    for (size_t k = 0; wish && k < sizeof all / sizeof all[0]; k++)
        if (!strcmp(wish, all[k].name)) return all[k].bit;
    return 0;
}

static bool prepare(struct kept *k, struct xs_subgroup *self, const uint8_t *args)
{
    struct xe_group *g = &k->group;
    struct xe_kernel *kernel = (struct xe_kernel *)(uintptr_t)self->kernel->body;
    uint32_t items = self->local_size[0] * self->local_size[1] * self->local_size[2];
    memset(g, 0, sizeof *g);
    g->kernel = kernel;
    g->place = self;
    g->thread_count = (items + kernel->info.simd - 1) / kernel->info.simd;
    g->local = self->local;
    g->local_bytes = has_local_arguments(&kernel->face) ? self->local_bytes : kernel->info.local_bytes;
    g->switches = switches();
    if (!xe_link_globals(kernel, self->globals)) {
        self->error = "an address in its code that is not supported";
        return false;
    }
    if (make_room(k, g)) return xe_payload_fill(g, args);
    self->error = "no memory for its registers, or more than 64 threads";
    return false;
}

static void next_group(struct xs_subgroup *self)
{
    if (++self->group_id[0] < self->group_count[0]) return;
    self->group_id[0] = 0;
    if (++self->group_id[1] < self->group_count[1]) return;
    self->group_id[1] = 0;
    self->group_id[2]++;
}

int xe_run_groups(struct xs_subgroup *self, const uint8_t *args, uint64_t groups)
{
    struct kept *k = kept_get();
    if (!k) {
        self->error = "no memory";
        return 1;
    }
    if (!prepare(k, self, args)) return 1;
    for (; groups; groups--, next_group(self)) {
        begin(&k->group);
        while (k->group.running && run_round(&k->group)) continue;
        if (k->group.running) return 1; /* without an error: a barrier that not all threads reach */
    }
    return 0;
}
