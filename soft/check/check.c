/* check.c - the checked mode at run time: accesses, barriers, reports. See check.h. */
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TWICE = 32 }; /* per instruction: one per lane */

enum fault { FAULT_BOUNDS, FAULT_UNWRITTEN, FAULT_RACE, FAULT_BARRIER, FAULT_SURFACE };

struct report {
    const struct xs_site *site;
    enum fault fault;
};

struct check_launch {
    struct check_table table;
    pthread_mutex_t lock; /* for the following */
    struct report report[CHECK_REPORTS];
    uint32_t reports;
    uint64_t faults;
};

/* A range of memory that an access must stay in. */
struct object {
    uint64_t base, size;
    struct check_memory *memory; /* NULL: local, private, or a variable */
    const char *name;
    uint32_t argument; /* 1 + the argument whose local memory it is */
};

/* Two subgroups have stored to a byte: a race unless the second stores the value already there. */
struct twice {
    struct check_subgroup *subgroup;
    const struct xs_site *site;
    struct xs_access access;
    struct check_conflict conflict;
    struct object object;
    uint32_t bytes;
    uint8_t before[512];
};

struct check_subgroup {
    struct xs_check calls;
    struct check_worker *worker;
    struct xs_subgroup *self;    /* set by its first call */
    const struct xs_site *waits; /* the barrier it is at */
    struct check_stack stack;
    uint32_t id, epoch;          /* barriers passed ... */
    uint32_t fences[2];          /* ... that are fences for local, for global memory */
};

struct check_worker {
    const struct sched_launch *launch;
    struct check_launch *check;
    const uint8_t *args;
    uint8_t *local, *local_written;
    uint64_t local_bytes;
    const struct xs_local *locals; /* static variables */
    uint32_t local_count;
    struct check_blocks blocks;
    struct check_subgroup *subgroup;
    uint32_t subgroups;
    const struct xs_site *barrier; /* barrier number barrier_epoch of the work-group */
    uint32_t barrier_epoch, barrier_subgroup;
    size_t last; /* the row of the table found last */
    struct twice twice[MAX_TWICE];
    uint32_t twice_count;
};

/* ---- reports */

struct line {
    char text[1024];
    size_t size;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *l, const char *format, ...)
{
    va_list args;
    int n;
    va_start(args, format);
    n = vsnprintf(l->text + l->size, sizeof l->text - l->size, format, args);
    va_end(args);
    if (n > 0) l->size += (size_t)n;
    if (l->size >= sizeof l->text) l->size = sizeof l->text - 1;
}

/* Kernel names may contain any bytes, so control characters are replaced. */
static void print_line(struct line *l)
{
    for (size_t i = 0; i < l->size; i++)
        if ((unsigned char)l->text[i] < 32 || l->text[i] == 127) l->text[i] = '?';
    if (l->size > sizeof l->text - 2) l->size = sizeof l->text - 2;
    l->text[l->size++] = '\n';
    if (write(STDERR_FILENO, l->text, l->size) < 0) return; /* nothing can be done */
}

/* Begins a line with kernel and work-item; false if a similar one was printed before, or too many. */
static bool begin_report(struct line *l, const struct check_subgroup *s, const struct xs_site *site, enum fault fault,
                         uint32_t lane)
{
    const struct check_worker *w = s->worker;
    const struct sched_launch *launch = w->launch;
    struct check_launch *c = w->check;
    const uint32_t *size = launch->local_size;
    uint32_t linear = s->id * launch->kernel->subgroup_size + lane, at[3], i = 0;
    bool is_new;
    pthread_mutex_lock(&c->lock);
    c->faults++;
    while (i < c->reports && (c->report[i].site != site || c->report[i].fault != fault)) i++;
    is_new = i == c->reports && i < CHECK_REPORTS;
    if (is_new) c->report[c->reports++] = (struct report){site, fault};
    pthread_mutex_unlock(&c->lock);
    if (!is_new) return false;
    at[0] = linear % size[0];
    at[1] = linear / size[0] % size[1];
    at[2] = linear / size[0] / size[1];
    for (i = 0; i < 3; i++) at[i] += s->self->group_id[i] * size[i] + launch->global_offset[i];
    l->size = 0;
    add(l, "libze_soft: check: kernel %.200s: work-item (%u,%u,%u): %.300s", launch->kernel->name, at[0], at[1], at[2],
        site->text);
    return true;
}

static const char *verb(const struct xs_site *site)
{
    return !(site->flags & XS_WRITES) ? "reads" : site->flags & XS_READS ? "updates" : "writes";
}

static void add_access(struct line *l, const struct xs_site *site, uint64_t address, uint64_t bytes)
{
    add(l, " %s %llu byte%s at 0x%llx", verb(site), (unsigned long long)bytes, bytes == 1 ? "" : "s",
        (unsigned long long)address);
}

/* ---- finding the object of an address */

static uint64_t argument_bytes(const struct check_worker *w, const struct xs_param *p)
{
    uint64_t size;
    memcpy(&size, w->launch->args + p->offset, sizeof size);
    return size;
}

/* The static local variables, or a local argument. */
static bool find_local(const struct check_worker *w, uint64_t address, struct object *o)
{
    const struct xs_kernel *k = w->launch->kernel;
    for (uint32_t i = 0; i < w->local_count; i++) {
        const struct xs_local *v = &w->locals[i];
        *o = (struct object){(uint64_t)(uintptr_t)w->local + v->offset, v->bytes, NULL, v->name, 0};
        if (v->offset < k->local_bytes && address - o->base < o->size) return true;
    }
    *o = (struct object){(uint64_t)(uintptr_t)w->local, 0, NULL, "", 0};
    for (uint32_t i = 0; i < k->param_count; i++) {
        if (k->params[i].kind != XS_PARAM_LOCAL) continue;
        memcpy(&o->base, w->args + k->params[i].offset, sizeof o->base);
        o->size = argument_bytes(w, &k->params[i]);
        o->name = k->params[i].name;
        o->argument = i + 1;
        if (address - o->base < o->size) return true;
    }
    *o = (struct object){(uint64_t)(uintptr_t)w->local, w->local_bytes, NULL, "local memory", 0};
    return address - o->base < o->size; /* false between two of them */
}

static bool find_private(const struct check_worker *w, const struct xs_subgroup *self, uint64_t address,
                         struct object *o)
{
    uint64_t frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    *o = (struct object){frame, self->stack_top - frame, NULL, "private memory", 0};
    if (self->stack_top > frame && address - frame < o->size) return true;
    *o = (struct object){(uint64_t)(uintptr_t)w->args, w->launch->kernel->args_bytes, NULL, "arguments", 0};
    return address - o->base < o->size;
}

static bool find_global(struct check_worker *w, uint64_t address, struct object *o)
{
    const struct check_table *t = &w->check->table;
    struct check_memory *m = w->last < t->count ? t->row[w->last] : NULL;
    if (!m || address - m->base >= m->size) {
        size_t i = check_table_upto(t, address);
        m = i ? t->row[i - 1] : NULL;
        if (!m || address - m->base >= m->size) return false;
        w->last = i - 1;
    }
    *o = (struct object){m->base, m->size, m, check_kind_name(m->kind), 0};
    return true;
}

static bool find_in_space(struct check_subgroup *s, struct xs_subgroup *self, uint32_t space, uint64_t address,
                          struct object *o)
{
    switch (space) {
    case XS_SPACE_GLOBAL: return find_global(s->worker, address, o);
    case XS_SPACE_LOCAL: return find_local(s->worker, address, o);
    case XS_SPACE_PRIVATE: return find_private(s->worker, self, address, o);
    default:
        return find_local(s->worker, address, o) || find_private(s->worker, self, address, o) ||
               find_global(s->worker, address, o);
    }
}

/* Memory from malloc is not tracked: accepts anything outside allocations, except pages near null. */
static bool find_system(uint64_t address, struct object *o)
{
    const uint64_t first = 1u << 16;
    *o = (struct object){first, (uint64_t)1 << 47, NULL, "the system's memory", 0};
    return check_takes_system_memory() && address >= first && address >> 47 == 0;
}

/* The object that the access must stay in; false: none. */
static bool find_object(struct check_subgroup *s, struct xs_subgroup *self, const struct xs_site *site,
                        const struct xs_access *a, struct object *o)
{
    if (site->object_bytes) {
        *o = (struct object){a->root, site->object_bytes, NULL, site->object, 0};
        return true;
    }
    return (a->root && find_in_space(s, self, site->space, a->root, o)) ||
           find_in_space(s, self, site->space, a->address, o) ||
           (site->space != XS_SPACE_LOCAL && site->space != XS_SPACE_PRIVATE && find_system(a->address, o));
}

static uint64_t distance(const struct object *o, uint64_t address)
{
    if (address < o->base) return o->base - address;
    return address - o->base > o->size ? address - o->base - o->size : 0;
}

/* The object nearest to an address, for the report. */
static bool find_nearest(const struct check_worker *w, uint32_t space, uint64_t address, struct object *o)
{
    const struct check_table *t = &w->check->table;
    const struct object local = {(uint64_t)(uintptr_t)w->local, w->local_bytes, NULL, "local memory", 0};
    bool found = space != XS_SPACE_GLOBAL && distance(&local, address) <= 4096;
    size_t i = check_table_upto(t, address);
    *o = local;
    for (size_t k = i ? i - 1 : 0; space != XS_SPACE_LOCAL && k <= i && k < t->count; k++) {
        struct check_memory *m = t->row[k];
        const struct object memory = {m->base, m->size, m, check_kind_name(m->kind), 0};
        uint64_t apart = distance(&memory, address);
        if (apart > m->size + (1u << 20) || (found && apart > distance(o, address))) continue;
        *o = memory;
        found = true;
    }
    return found;
}

static void add_object(struct line *l, const struct object *o)
{
    add(l, "the %llu-byte ", (unsigned long long)o->size);
    if (o->argument) add(l, "local argument %u%s", o->argument - 1, *o->name ? " " : "");
    add(l, "%.80s at 0x%llx", o->name, (unsigned long long)o->base);
}

static void report_bounds(struct check_subgroup *s, const struct xs_site *site, const struct xs_access *a,
                          const struct object *o)
{
    struct line l;
    struct object nearest;
    uint64_t address = a->address, end;
    if (!begin_report(&l, s, site, FAULT_BOUNDS, a->lane)) return;
    add_access(&l, site, address, a->bytes);
    if (address < 4096) {
        add(&l, ": a null pointer");
    } else if (o && o->memory && atomic_load(&o->memory->gone)) {
        add(&l, ": in memory that was freed while the kernel runs");
    } else if (o || find_nearest(s->worker, site->space, address, &nearest)) {
        if (!o) o = &nearest;
        end = o->base + o->size;
        if (address < o->base)
            add(&l, ", %llu bytes before ", (unsigned long long)(o->base - address));
        else if (address >= end)
            add(&l, ", %llu bytes past the end of ", (unsigned long long)(address - end));
        else
            add(&l, ", the last %llu of them past the end of ", (unsigned long long)(address + a->bytes - end));
        add_object(&l, o);
    } else {
        add(&l, ", which is not in any %s",
            site->space == XS_SPACE_LOCAL ? "local memory of this work-group" : "allocation");
    }
    print_line(&l);
}

/* ---- one access */

static uint64_t find_unwritten(const struct check_subgroup *s, const struct object *o, uint64_t address, uint64_t bytes)
{
    const struct check_worker *w = s->worker;
    uint64_t local = address - (uint64_t)(uintptr_t)w->local, i = 0;
    if (o->memory) return check_find_unwritten(o->memory, address - o->base, bytes);
    if (local >= w->local_bytes) return check_stack_find(&s->stack, s->self->stack_top, address, bytes);
    while (i < bytes && w->local_written[local + i]) i++;
    return i;
}

/* The part of a row for several lanes that belongs to the lane with this byte. */
static struct xs_access lane_of(const struct xs_access *a, uint64_t byte)
{
    struct xs_access one = *a;
    if (!a->each) return one;
    one.lane = a->lane + (uint32_t)((byte - a->address) / a->each);
    one.address = a->address + (one.lane - a->lane) * a->each;
    one.bytes = a->each;
    one.each = 0;
    return one;
}

static void report_unwritten(struct check_subgroup *s, const struct xs_site *site, const struct xs_access *a,
                             const struct object *o)
{
    struct line l;
    uint64_t first = find_unwritten(s, o, a->address, a->bytes);
    bool is_local = a->address - (uint64_t)(uintptr_t)s->worker->local < s->worker->local_bytes;
    bool named = o->memory || site->object_bytes || is_local;
    if (first == a->bytes || !begin_report(&l, s, site, FAULT_UNWRITTEN, a->lane)) return;
    add_access(&l, site, a->address, a->bytes);
    if (named) first += a->address - o->base;
    add(&l, " of which nothing has written byte %llu%s", (unsigned long long)first,
        named ? " of " : ", of private memory");
    if (named) add_object(&l, o);
    print_line(&l);
}

static void check_unwritten(struct check_subgroup *s, const struct xs_site *site, const struct xs_access *a,
                            const struct object *o)
{
    if (find_unwritten(s, o, a->address, a->bytes) == a->bytes) return;
    for (uint64_t i = 0; site->flags & XS_HOLES && i < a->bytes; i++)
        if (find_unwritten(s, o, a->address + i, 1)) return;
    for (uint64_t at = 0; at < a->bytes; at += a->each ? a->each : a->bytes) {
        struct xs_access one = lane_of(a, a->address + at);
        report_unwritten(s, site, &one, o);
    }
}

static void report_race(struct check_subgroup *s, const struct xs_site *site, const struct xs_access *row,
                        const struct object *o, const struct check_conflict *c)
{
    struct line l;
    struct xs_access a = lane_of(row, c->address);
    if (!begin_report(&l, s, site, FAULT_RACE, a.lane)) return;
    add_access(&l, site, a.address, a.bytes);
    add(&l, ": a data race: since the last barrier ");
    if (c->subgroup == CHECK_SEVERAL)
        add(&l, "other subgroups");
    else
        add(&l, "subgroup %u", c->subgroup - 1u);
    add(&l, " of the work-group %s byte %llu of ", c->wrote ? "wrote" : "read",
        (unsigned long long)(c->address - o->base));
    add_object(&l, o);
    add(&l, " by %.200s", c->site->text);
    print_line(&l);
}

static void check_race(struct check_subgroup *s, const struct xs_site *site, const struct xs_access *row,
                       const struct object *o, uint32_t fences)
{
    struct check_worker *w = s->worker;
    struct check_conflict c;
    struct twice *t;
    if (w->subgroups < 2) return;
    c = check_touch(&w->blocks, site, s->id, fences, row->address, row->bytes);
    if (!c.site) return;
    if (!c.wrote || check_level() > 2 || (site->flags & (XS_WRITES | XS_ATOMIC)) != XS_WRITES) {
        report_race(s, site, row, o, &c);
    } else if (w->twice_count < MAX_TWICE) {
        uint64_t bytes = row->address + row->bytes - c.address;
        t = &w->twice[w->twice_count++];
        *t = (struct twice){s, site, *row, c, *o, bytes < sizeof t->before ? (uint32_t)bytes : sizeof t->before, {0}};
        memcpy(t->before, (const void *)(uintptr_t)c.address, t->bytes);
    }
}

static void after_store(struct xs_subgroup *self)
{
    struct check_worker *w = ((struct check_subgroup *)self->check)->worker;
    for (uint32_t i = 0; i < w->twice_count; i++) {
        struct twice *t = &w->twice[i];
        const uint8_t *now = (const uint8_t *)(uintptr_t)t->conflict.address;
        uint32_t same = 0;
        while (same < t->bytes && now[same] == t->before[same]) same++;
        t->conflict.address += same;
        if (same < t->bytes) report_race(t->subgroup, t->site, &t->access, &t->object, &t->conflict);
    }
    w->twice_count = 0;
}

static void note_cleared(struct xs_subgroup *self, uint64_t address, uint64_t bytes)
{
    struct check_worker *w = ((struct check_subgroup *)self->check)->worker;
    uint64_t local = address - (uint64_t)(uintptr_t)w->local;
    if (local < w->local_bytes && bytes <= w->local_bytes - local) memset(w->local_written + local, 1, (size_t)bytes);
}

static void set_locals(struct xs_subgroup *self, const struct xs_local *table, uint32_t count)
{
    struct check_worker *w = ((struct check_subgroup *)self->check)->worker;
    w->locals = table;
    w->local_count = count;
}

static void begin_variable(struct xs_subgroup *self, uint64_t address, uint64_t bytes, int written)
{
    struct check_subgroup *s = self->check;
    check_stack_mark(&s->stack, self->stack_top, address, bytes, written);
}

static void note_unwritten(struct xs_subgroup *self, const struct xs_site *site, const uint64_t *written,
                           uint32_t count, uint32_t size, uint32_t first, uint64_t lanes)
{
    struct check_subgroup *s = self->check;
    s->self = self;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(lanes), i = 0;
        struct line l;
        while (i < count - 1 && written[i] >> lane & 1) i++;
        if (!begin_report(&l, s, site, FAULT_UNWRITTEN, lane)) continue;
        add(&l, " reads %u byte%s of which nothing has written byte %u of the %llu-byte %.80s", count * size,
            count * size == 1 ? "" : "s", (first + i) * size, (unsigned long long)site->object_bytes, site->object);
        print_line(&l);
    }
}

/* Unread rows are checked apart: their message was reported with the others. */
static void check_surface(struct xs_subgroup *self, const struct xs_site *site, const struct xs_surface *surface,
                          uint32_t lane)
{
    struct check_subgroup *s = self->check;
    char text[120];
    struct line l;
    s->self = self;
    if (site->flags & XS_UNUSED || !check_minds_surfaces() || !check_surface_breaks(surface, text, sizeof text)) return;
    if (!begin_report(&l, s, site, FAULT_SURFACE, lane)) return;
    add(&l, " is a message that %s does not have: %s", getenv("XETILE_SOFT_DEVICE"), text);
    print_line(&l);
}

/* Tracks an access that is within bounds. */
static void watch(struct check_subgroup *s, const struct xs_site *site, const struct xs_access *a,
                  const struct object *o)
{
    struct check_worker *w = s->worker;
    uint64_t local = a->address - (uint64_t)(uintptr_t)w->local;
    bool is_local = local < w->local_bytes;
    bool own = !is_local && (site->space == XS_SPACE_PRIVATE || (!o->memory && site->space == XS_SPACE_ANY));
    bool quiet = site->flags & XS_PARTS || (own && site->flags & XS_COPY);
    if (site->flags & XS_UNUSED) return;
    if (site->flags & XS_READS && !quiet) check_unwritten(s, site, a, o);
    if (!own) check_race(s, site, a, o, s->fences[is_local ? 0 : 1]);
    if (!(site->flags & XS_WRITES)) return;
    if (o->memory)
        check_mark_written(o->memory, a->address - o->base, a->bytes);
    else if (is_local)
        memset(w->local_written + local, 1, (size_t)a->bytes);
    else
        check_stack_mark(&s->stack, s->self->stack_top, a->address, a->bytes, true);
}

static bool is_inside(const struct object *o, const struct xs_access *a)
{
    if (o->memory && atomic_load_explicit(&o->memory->gone, memory_order_relaxed)) return false;
    return a->address >= o->base && a->address - o->base <= o->size && a->bytes <= o->size - (a->address - o->base);
}

/* Removes up to three bytes at either end that are outside or unwritten: see XS_DWORDS. */
static void trim_dwords(const struct check_subgroup *s, const struct object *o, struct xs_access *row)
{
    uint64_t beyond = row->address - o->base + row->bytes - o->size;
    if (beyond - 1 < 3 && beyond < row->bytes) row->bytes -= beyond;
    if (!is_inside(o, row)) return;
    for (int i = 0; i < 3 && row->bytes > 1; i++)
        if (!find_unwritten(s, o, row->address + row->bytes - 1, 1)) row->bytes--;
    for (int i = 0; i < 3 && row->bytes > 1 && !find_unwritten(s, o, row->address, 1); i++) {
        row->bytes--;
        row->address++;
    }
}

/* The first illegal row makes all of them illegal. */
static int check_access(struct xs_subgroup *self, const struct xs_site *site, const struct xs_access *a)
{
    struct check_subgroup *s = self->check;
    struct xs_access row = *a;
    struct object o;
    s->self = self;
    if (a->each && site->flags & XS_ATOMIC) return -1;
    for (uint64_t i = 0; i < a->rows && a->bytes; i++) {
        row.address = a->address + i * a->step;
        row.bytes = a->bytes;
        bool found = find_object(s, self, site, &row, &o);
        if (found && site->flags & XS_DWORDS) trim_dwords(s, &o, &row);
        if (found && is_inside(&o, &row)) {
            if (a->each && site->flags & XS_HOLES && find_unwritten(s, &o, row.address, row.bytes) < row.bytes)
                return -1;
            watch(s, site, &row, &o);
        } else {
            if (a->each) return -1;
            report_bounds(s, site, &row, found ? &o : NULL);
            return 0;
        }
    }
    return 1;
}

/* ---- barriers */

static void meet_barrier(struct xs_subgroup *self, const struct xs_site *site, uint64_t bits)
{
    struct check_subgroup *s = self->check;
    struct check_worker *w = s->worker;
    uint64_t all = self->lanes >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << self->lanes) - 1, missing = all & ~bits;
    struct line l;
    s->self = self;
    s->waits = site;
    if (missing && begin_report(&l, s, site, FAULT_BARRIER, (uint32_t)__builtin_ctzll(bits ? bits : 1))) {
        add(&l, " is a barrier that %d of the %u work-items of its subgroup do not reach with it, lane %d the first",
            __builtin_popcountll(missing), self->lanes, __builtin_ctzll(missing));
        print_line(&l);
    }
    if (site->flags & XS_WAIT) return; /* checked when it arrived */
    if (w->barrier_epoch != s->epoch || !w->barrier) {
        w->barrier_epoch = s->epoch;
        w->barrier = site;
        w->barrier_subgroup = s->id;
    } else if (w->barrier != site && w->barrier_subgroup != s->id && begin_report(&l, s, site, FAULT_BARRIER, 0)) {
        add(&l, " is not the barrier that subgroup %u of the work-group waits at: %.200s", w->barrier_subgroup,
            w->barrier->text);
        print_line(&l);
    }
}

static void barrier_passed(struct xs_subgroup *self)
{
    struct check_subgroup *s = self->check;
    for (uint32_t i = 0; i < 2; i++)
        if (!s->waits || !(s->waits->flags & (i ? XS_NO_GLOBAL : XS_NO_LOCAL))) s->fences[i]++;
    s->waits = NULL;
    s->epoch++;
}

/* Reports which subgroup waits where. */
static void barrier_missed(void *state)
{
    const struct check_worker *w = state;
    const struct check_subgroup *waits = NULL, *gone = NULL;
    struct line l;
    for (uint32_t i = 0; i < w->subgroups; i++) {
        if (w->subgroup[i].waits && !waits) waits = &w->subgroup[i];
        if (!w->subgroup[i].waits && !gone) gone = &w->subgroup[i];
    }
    if (!waits || !begin_report(&l, waits, waits->waits, FAULT_BARRIER, 0)) return;
    add(&l, " is a barrier at which its subgroup waits in vain");
    if (gone) add(&l, ": subgroup %u of the work-group has ended without it", gone->id);
    print_line(&l);
}

/* ---- threads, work-groups */

static void free_subgroups(struct check_worker *w)
{
    for (uint32_t i = 0; w->subgroup && i < w->subgroups; i++) free(w->subgroup[i].stack.unwritten);
    free(w->subgroup);
}

static bool worker_begin(void **state, const struct sched_launch *l, const uint8_t *args, uint8_t *local,
                         uint32_t subgroups)
{
    struct check_worker *w = *state;
    uint64_t local_bytes = sched_local_bytes(l->kernel, l->args);
    if (!w) w = *state = calloc(1, sizeof *w);
    if (!w) return false;
    free_subgroups(w);
    free(w->local_written);
    w->subgroup = calloc(subgroups, sizeof *w->subgroup);
    w->local_written = calloc((size_t)local_bytes + 1, 1);
    w->launch = l;
    w->check = l->observed;
    w->args = args;
    w->local = local;
    w->local_bytes = local_bytes;
    w->local_count = 0;
    w->subgroups = subgroups;
    w->last = 0;
    for (uint32_t i = 0; w->subgroup && i < subgroups; i++) {
        w->subgroup[i].calls = (struct xs_check){check_access, meet_barrier,   after_store,   note_cleared,
                                                   set_locals,   begin_variable, note_unwritten, check_surface};
        w->subgroup[i].worker = w;
        w->subgroup[i].id = i;
    }
    return w->subgroup && w->local_written;
}

static void worker_free(void *state)
{
    struct check_worker *w = state;
    if (!w) return;
    check_blocks_free(&w->blocks);
    free_subgroups(w);
    free(w->local_written);
    free(w);
}

static void group_begin(void *state)
{
    struct check_worker *w = state;
    check_blocks_begin(&w->blocks);
    memset(w->local_written, 0, (size_t)w->local_bytes);
    w->barrier = NULL;
    for (uint32_t i = 0; i < w->subgroups; i++) {
        w->subgroup[i].waits = NULL;
        w->subgroup[i].epoch = w->subgroup[i].fences[0] = w->subgroup[i].fences[1] = 0;
    }
}

static void *subgroup_of(void *state, uint32_t id) { return &((struct check_worker *)state)->subgroup[id]; }

/* ---- launches */

static const struct sched_observer observer = {worker_begin, worker_free,    group_begin,
                                               subgroup_of,  barrier_passed, barrier_missed};

bool check_launch_begin(struct sched_launch *l)
{
    struct check_launch *c;
    l->observer = NULL;
    if (!check_level()) return true;
    c = calloc(1, sizeof *c);
    if (!c) return false;
    if (!check_table_copy(&c->table)) {
        free(c);
        return false;
    }
    pthread_mutex_init(&c->lock, NULL);
    l->observer = &observer;
    l->observed = c;
    return true;
}

uint64_t check_launch_end(struct sched_launch *l)
{
    struct check_launch *c = l->observer ? l->observed : NULL;
    struct line line = {"", 0};
    uint64_t faults;
    if (!c) return 0;
    faults = c->faults;
    if (faults > c->reports) {
        add(&line, "libze_soft: check: kernel %.200s: %llu faults in all, the first of each kind and instruction shown",
            l->kernel->name, (unsigned long long)faults);
        print_line(&line);
    }
    pthread_mutex_destroy(&c->lock);
    check_table_free(&c->table);
    free(c);
    l->observer = NULL;
    return faults;
}
