/* event_ipc.c - events shared between processes. An event's state is in shared memory, with a count of its changes;
 * each process has its own events that follow it, so that they are waited for like any other. A thread per pool waits
 * for changes by other processes.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "run/pool.h"
#include "ze_soft.h"

/* Odd changes set it, even ones clear it. The other fields are written before the change they belong to. */
struct slot {
    _Atomic uint32_t change;
    uint32_t result;
    uint64_t start, end;
};
struct board {
    _Atomic uint32_t changes; /* of all events, to wait for */
    uint32_t count, flags;
    struct slot slot[];
};

struct soft_shared {
    struct soft_pages pages;
    struct board *board;
    soft_follow_fn *follow;
    pthread_mutex_t lock; /* for the list */
    ze_event_handle_t first;
    pthread_t thread;
    atomic_bool stop;
};

static void futex(_Atomic uint32_t *at, int operation, uint32_t value)
{
    syscall(SYS_futex, at, operation, value, NULL, NULL, 0);
}

static void tell_all(struct board *b)
{
    atomic_fetch_add(&b->changes, 1);
    futex(&b->changes, FUTEX_WAKE, INT_MAX);
}

struct soft_change soft_shared_look(const struct soft_shared *s, uint32_t index)
{
    const struct slot *slot = &s->board->slot[index];
    uint32_t number = atomic_load(&slot->change);
    if (number % 2 == 0) return (struct soft_change){.number = number};
    return (struct soft_change){number, true, (ze_result_t)slot->result, slot->start, slot->end};
}

static void *watch(void *pointer)
{
    struct soft_shared *s = pointer;
    pool_own_thread();
    while (!atomic_load(&s->stop)) {
        uint32_t changes = atomic_load(&s->board->changes);
        pthread_mutex_lock(&s->lock);
        for (ze_event_handle_t e = s->first; e; e = e->shared_next) s->follow(e);
        pthread_mutex_unlock(&s->lock);
        if (!atomic_load(&s->stop)) futex(&s->board->changes, FUTEX_WAIT, changes);
    }
    return NULL;
}

static size_t board_bytes(uint32_t count) { return sizeof(struct board) + count * sizeof(struct slot); }

/* Takes ownership of the pages. NULL if out of memory or threads; the pages are then freed. */
static struct soft_shared *begin(struct soft_pages *pages, soft_follow_fn *fn)
{
    struct soft_shared *s = calloc(1, sizeof *s);
    if (s && pthread_mutex_init(&s->lock, NULL) == 0) {
        s->pages = *pages;
        s->board = (struct board *)(void *)pages->base;
        s->follow = fn;
        if (pool_start_thread(&s->thread, watch, s)) return s;
        pthread_mutex_destroy(&s->lock);
    }
    soft_pages_free(pages);
    free(s);
    return NULL;
}

struct soft_shared *soft_shared_new(uint32_t count, uint32_t flags, soft_follow_fn *fn)
{
    struct soft_pages pages;
    struct board *b;
    if (!soft_pages_new(&pages, board_bytes(count), 0)) return NULL;
    if (!soft_pages_share(&pages)) {
        soft_pages_free(&pages);
        return NULL;
    }
    b = (struct board *)(void *)pages.base;
    b->count = count;
    b->flags = flags;
    return begin(&pages, fn);
}

struct soft_shared *soft_shared_open(const struct soft_ipc *from, int file, soft_follow_fn *fn, uint32_t *count,
                                     uint32_t *flags)
{
    struct soft_pages pages;
    const struct board *b;
    if (from->size < sizeof *b || !soft_pages_open(&pages, file, (size_t)from->size)) {
        close(file);
        return NULL;
    }
    b = (const struct board *)(const void *)pages.base;
    *count = b->count;
    *flags = b->flags;
    if (*count && from->size == board_bytes(*count)) return begin(&pages, fn);
    soft_pages_free(&pages);
    return NULL;
}

bool soft_shared_describe(const struct soft_shared *s, struct soft_ipc *to)
{
    if (!soft_ipc_describe(to, s->pages.file, SOFT_IPC_EVENTS)) return false;
    to->size = board_bytes(s->board->count);
    return true;
}

void soft_shared_free(struct soft_shared *s)
{
    atomic_store(&s->stop, true);
    tell_all(s->board);
    pthread_join(s->thread, NULL);
    pthread_mutex_destroy(&s->lock);
    soft_pages_free(&s->pages);
    free(s);
}

void soft_shared_attach(struct soft_shared *s, ze_event_handle_t e)
{
    pthread_mutex_lock(&s->lock);
    e->shared_next = s->first;
    s->first = e;
    pthread_mutex_unlock(&s->lock);
}

void soft_shared_detach(struct soft_shared *s, ze_event_handle_t e)
{
    ze_event_handle_t *link = &s->first;
    pthread_mutex_lock(&s->lock);
    while (*link && *link != e) link = &(*link)->shared_next;
    if (*link) *link = e->shared_next;
    pthread_mutex_unlock(&s->lock);
}

uint32_t soft_shared_change(struct soft_shared *s, uint32_t index, bool set, ze_result_t result, uint64_t start,
                            uint64_t end)
{
    struct slot *slot = &s->board->slot[index];
    uint32_t before = atomic_load(&slot->change), after;
    if (set) {
        slot->result = (uint32_t)result;
        slot->start = start;
        slot->end = end;
    }
    do after = before + ((before & 1) == set ? 2 : 1);
    while (!atomic_compare_exchange_weak(&slot->change, &before, after));
    tell_all(s->board);
    return after;
}
