/* counter.c - counters of counter-based events in memory that others see.
 *
 * Those of the program are looked at from time to time by who waits for them, because nobody tells when they change.
 *
 * Processes share a board, on which each moment of an event is a point: a row, and the number that the row's count
 * reaches when the moment is set. Until then the row is for that moment only. The board also has the latest point,
 * which is what the event refers to in every process.
 */
#define _GNU_SOURCE
#include "counter.h"

#include <stdlib.h>

#include "run/faults.h"

/* ---- boards */

/* The most moments of an event that are not set, and the bits of a number. */
enum { ROWS = 32768, NUMBER_BITS = 48 };

struct row {
    _Atomic uint64_t begun, done; /* numbers of moments */
    _Atomic uint32_t result;      /* of the moment that is done */
};
struct face {
    uint32_t counts, signal, wait; /* of the event */
    _Atomic uint64_t latest;       /* point; 0: none */
    struct row rows[ROWS];         /* most of them are never touched and take no memory */
};

struct soft_board {
    struct soft_pages pages;
    _Atomic uint32_t references; /* of the event, and of moments */
    _Atomic uint32_t next;       /* the row to be tried first */
};

static struct face *face_of(const struct soft_board *b) { return (struct face *)(void *)b->pages.base; }

static struct row *row_of(const struct soft_board *b, uint64_t point)
{
    return &face_of(b)->rows[(point >> NUMBER_BITS) % ROWS]; /* whatever another process wrote */
}

static uint64_t number_of(uint64_t point) { return point & (((uint64_t)1 << NUMBER_BITS) - 1); }

/* Takes ownership of the pages. */
static struct soft_board *board_of(struct soft_pages *pages)
{
    struct soft_board *b = calloc(1, sizeof *b);
    if (!b) {
        soft_pages_free(pages);
        return NULL;
    }
    b->pages = *pages;
    atomic_init(&b->references, 1);
    return b;
}

struct soft_board *soft_board_new(const struct _ze_event_handle_t *event)
{
    struct soft_pages pages;
    if (!soft_pages_new(&pages, sizeof(struct face), 0)) return NULL;
    if (!soft_pages_share(&pages)) {
        soft_pages_free(&pages);
        return NULL;
    }
    struct face *f = (struct face *)(void *)pages.base;
    f->counts = event->counts;
    f->signal = event->desc.signal;
    f->wait = event->desc.wait;
    return board_of(&pages);
}

void soft_board_release(struct soft_board *b)
{
    if (atomic_fetch_sub(&b->references, 1) != 1) return;
    soft_pages_free(&b->pages);
    free(b);
}

/* A point for a moment to come; 0: there are too many. */
static uint64_t take_point(struct soft_board *b)
{
    uint32_t first = atomic_load(&b->next);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t row = (first + i) % ROWS;
        struct row *r = &face_of(b)->rows[row];
        uint64_t number = atomic_load(&r->begun);
        if (atomic_load(&r->done) != number || !atomic_compare_exchange_strong(&r->begun, &number, number + 1))
            continue;
        atomic_store(&b->next, row);
        return (uint64_t)row << NUMBER_BITS | (number + 1);
    }
    return 0;
}

/* Lets the moment stand for the point. */
static void set_point(struct soft_counter *c, uint64_t point)
{
    c->at = c->host = &row_of(c->board, point)->done;
    c->value = number_of(point);
    atomic_store(&c->point, point);
}

static struct soft_counter *counter_new(struct soft_board *b, uint64_t point)
{
    struct soft_counter *c = point ? calloc(1, sizeof *c) : NULL;
    if (!c) return NULL;
    atomic_fetch_add(&b->references, 1);
    c->board = b;
    set_point(c, point);
    return c;
}

bool soft_board_publish(struct soft_board *b, ze_event_handle_t moment)
{
    moment->outside = counter_new(b, take_point(b));
    if (!moment->outside) return false;
    moment->outside->increment = 1;
    atomic_store(&face_of(b)->latest, moment->outside->point);
    return true;
}

/* If there is no point left, other processes take the moment for set. */
static void repeat_point(struct soft_counter *c)
{
    uint64_t before = atomic_load(&c->point), point = take_point(c->board);
    if (!point) return;
    set_point(c, point);
    atomic_compare_exchange_strong(&face_of(c->board)->latest, &before, point);
}

static void tell_point(const struct soft_counter *c, ze_result_t result)
{
    struct row *r = row_of(c->board, atomic_load(&c->point));
    atomic_store(&r->result, (uint32_t)result);
    atomic_store(&r->done, c->value);
}

static bool has_reached(const struct soft_counter *c, ze_result_t *result)
{
    const struct row *r = row_of(c->board, atomic_load(&c->point));
    uint32_t last = atomic_load(&r->result);
    uint64_t done = atomic_load(&r->done);
    if (done < c->value) return false;
    if (done == c->value) *result = (ze_result_t)last; /* else it is already that of a later moment */
    return true;
}

struct soft_counter *soft_board_follow(struct soft_board *b, const struct soft_counter *last)
{
    uint64_t latest = atomic_load(&face_of(b)->latest);
    if (!latest || (last && atomic_load(&last->point) == latest)) return NULL;
    struct soft_counter *c = counter_new(b, latest);
    if (c) c->decides = true;
    return c;
}

bool soft_board_describe(const struct soft_board *b, struct soft_ipc *to)
{
    if (!soft_ipc_describe(to, b->pages.file, SOFT_IPC_COUNTER)) return false;
    to->size = sizeof(struct face);
    return true;
}

struct soft_board *soft_board_open(const struct soft_ipc *from, int file, ze_event_handle_t event)
{
    struct soft_pages pages;
    struct soft_board *b;
    if (from->size != sizeof(struct face) || !soft_pages_open(&pages, file, sizeof(struct face))) {
        close(file);
        return NULL;
    }
    b = board_of(&pages);
    if (!b) return NULL;
    event->counts = face_of(b)->counts;
    event->desc.signal = face_of(b)->signal;
    event->desc.wait = face_of(b)->wait;
    return b;
}

/* ---- counters */

struct access {
    const struct soft_counter *counter;
    uint64_t value;
};

static void read_counter(void *pointer)
{
    struct access *a = pointer;
    a->value = atomic_load(a->counter->at);
}

static void add_to_counter(void *pointer)
{
    const struct access *a = pointer;
    atomic_fetch_add(a->counter->at, a->counter->increment);
}

/* If the program has freed the memory, the moment is set for good, with an error. */
static uint64_t access_counter(ze_event_handle_t moment, void (*how)(void *))
{
    struct access a = {.counter = moment->outside};
    struct fault f = {0};
    soft_hidden_open();
    fault_run(&f, how, &a);
    soft_hidden_close();
    if (!f.happened) return a.value;
    moment->result = soft_fail_loudly(ZE_RESULT_ERROR_DEVICE_LOST, "the counter of an event: invalid access to %p",
                                      f.address);
    moment->outside->decides = false;
    moment->outside->increment = 0;
    return UINT64_MAX;
}

bool soft_counter_reached(ze_event_handle_t moment, bool by_host)
{
    const struct soft_counter *c = moment->outside;
    if (c->board) return has_reached(c, &moment->result);
    return (by_host ? atomic_load(c->host) : access_counter(moment, read_counter)) >= c->value;
}

void soft_counter_advance(ze_event_handle_t moment, ze_result_t result)
{
    if (moment->outside->board)
        tell_point(moment->outside, result);
    else
        access_counter(moment, add_to_counter);
}

void soft_counter_repeat(ze_event_handle_t moment)
{
    if (moment->outside->board && moment->set) repeat_point(moment->outside);
}

void soft_counter_free(struct soft_counter *c)
{
    if (c->board) soft_board_release(c->board);
    free(c);
}
