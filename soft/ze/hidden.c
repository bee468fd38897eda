/* hidden.c - device memory that the host cannot access, as on a discrete GPU: in the checked mode, and while the device
 * imitates one (XETILE_SOFT_DEVICE). Its pages are inaccessible while no command runs that may access memory. A host
 * access then ends in a report that names the allocation; at level 1 of the checked mode the memory becomes accessible
 * and the program goes on, otherwise it ends with SIGSEGV.
 *
 * Not detected: accesses while such a command runs, on whichever queue; accesses to imported memory, to memory exported
 * to other processes, and to virtual mappings.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "check/check.h"
#include "run/faults.h"
#include "ze_soft.h"

struct soft_hidden {
    struct soft_hidden *next, **link;
    uint8_t *base;
    size_t size, pages; /* what the program asked for; bytes of whole pages */
    bool revealed;      /* for good */
};

static struct {
    pthread_mutex_t lock;
    struct soft_hidden *first;
    unsigned running; /* commands */
} hidden = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_on(void)
{
    static _Atomic int on; /* 1: no, 2: yes */
    if (!on) on = check_level() || (soft_model() && !soft_model()->integrated) ? 2 : 1;
    return on == 2;
}

static void protect(const struct soft_hidden *h, bool accessible)
{
    if (h->revealed) return;
    mprotect(h->base, h->pages, accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
}

static void protect_all(bool accessible)
{
    for (const struct soft_hidden *h = hidden.first; h; h = h->next) protect(h, accessible);
}

static void reveal(struct soft_hidden *h)
{
    protect(h, true);
    h->revealed = true;
}

/* In a signal handler, of a thread that holds no lock of ours. True: the access may be repeated. */
static bool explain(const void *address)
{
    const uint8_t *at = address;
    bool again = false;
    pthread_mutex_lock(&hidden.lock);
    struct soft_hidden *h = hidden.first;
    while (h && (at < h->base || at >= h->base + h->pages)) h = h->next;
    if (h && (hidden.running || h->revealed)) { /* it has become accessible meanwhile */
        again = true;
    } else if (h) {
        char line[300];
        int n = snprintf(line, sizeof line,
                         "libze_soft: check: the host accesses byte %zu of the %zu-byte device allocation at %p: on a "
                         "discrete GPU only kernels and copies can; allocate shared or host memory, or copy\n",
                         (size_t)(at - h->base), h->size, (void *)h->base);
        again = write(STDERR_FILENO, line, (size_t)n) == n && check_level() == 1;
        if (again) reveal(h);
    }
    pthread_mutex_unlock(&hidden.lock);
    return again;
}

struct soft_hidden *soft_hide(void *base, size_t size, size_t pages)
{
    struct soft_hidden *h = is_on() ? calloc(1, sizeof *h) : NULL;
    if (!h) return NULL; /* without memory it stays accessible */
    fault_explain(explain);
    *h = (struct soft_hidden){.base = base, .size = size, .pages = pages, .link = &hidden.first};
    pthread_mutex_lock(&hidden.lock);
    h->next = hidden.first;
    if (h->next) h->next->link = &h->next;
    hidden.first = h;
    if (!hidden.running) protect(h, false);
    pthread_mutex_unlock(&hidden.lock);
    return h;
}

void soft_hidden_reveal(struct soft_hidden *h)
{
    if (!h) return;
    pthread_mutex_lock(&hidden.lock);
    reveal(h);
    pthread_mutex_unlock(&hidden.lock);
}

void soft_hidden_free(struct soft_hidden *h)
{
    if (!h) return;
    pthread_mutex_lock(&hidden.lock);
    *h->link = h->next;
    if (h->next) h->next->link = h->link;
    pthread_mutex_unlock(&hidden.lock);
    free(h);
}

void soft_hidden_open(void)
{
    if (!is_on()) return;
    pthread_mutex_lock(&hidden.lock);
    if (!hidden.running++) protect_all(true);
    pthread_mutex_unlock(&hidden.lock);
}

void soft_hidden_close(void)
{
    if (!is_on()) return;
    pthread_mutex_lock(&hidden.lock);
    if (!--hidden.running) protect_all(false);
    pthread_mutex_unlock(&hidden.lock);
}
