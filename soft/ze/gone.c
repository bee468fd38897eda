/* gone.c - what a program has destroyed while submitted work may still use it: events, fences, images, samplers, memory
 * that it frees "later". GPU drivers allow it. It is kept until everything submitted before is done.
 */
#include "ze_soft.h"

static struct {
    pthread_mutex_t lock;
    struct soft_gone *first, **last; /* in order of `until` */
    _Atomic uint32_t count;
} gone = {.lock = PTHREAD_MUTEX_INITIALIZER, .last = &gone.first};

bool soft_gone_waits(void) { return atomic_load(&gone.count) != 0; }

void soft_gone_collect(uint64_t (*first_of_queues)(void))
{
    struct soft_gone *done, **end = &done, *g;
    uint64_t first;
    pthread_mutex_lock(&gone.lock);
    first = first_of_queues(); /* including what was submitted since the latest was added */
    for (done = gone.first; *end && (*end)->until < first; end = &(*end)->next) atomic_fetch_sub(&gone.count, 1);
    gone.first = *end;
    if (!gone.first) gone.last = &gone.first;
    *end = NULL;
    pthread_mutex_unlock(&gone.lock);
    while ((g = done) != NULL) {
        done = g->next;
        g->end(g);
    }
}

void soft_gone_add(struct soft_gone *g, void (*end)(struct soft_gone *), uint64_t (*last)(void))
{
    pthread_mutex_lock(&gone.lock);
    *g = (struct soft_gone){.until = last(), .end = end};
    *gone.last = g;
    gone.last = &g->next;
    atomic_fetch_add(&gone.count, 1);
    pthread_mutex_unlock(&gone.lock);
}
