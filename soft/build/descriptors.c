/* descriptors.c - descriptors that must not outlive their use in another process: a copy in a child of fork would keep
 * a lock locked, and a pipe from ending, for as long as the child runs. (Programs that are executed do not get them:
 * O_CLOEXEC.) They are opened while no other thread can fork, and children close them.
 */
#define _GNU_SOURCE
#include "jit.h"

#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* forks wait for it; a sanitizer's vfork forks */
static struct jit_descriptor *all;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void in_parent(void) { pthread_mutex_unlock(&lock); }

static void in_child(void)
{
    static const pthread_mutex_t unlocked = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    for (struct jit_descriptor *d = all; d; d = d->next) close(d->fd);
    all = NULL;
    lock = unlocked; /* its owner was the parent's thread */
}

static void watch_forks(void) { pthread_atfork(before_fork, in_parent, in_child); }

void jit_descriptors_begin(void)
{
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
}

void jit_descriptors_end(void) { pthread_mutex_unlock(&lock); }

void jit_descriptor_add(struct jit_descriptor *d, int fd)
{
    *d = (struct jit_descriptor){.fd = fd, .next = all, .link = &all};
    if (fd < 0) return;
    if (all) all->link = &d->next;
    all = d;
}

void jit_descriptor_close(struct jit_descriptor *d)
{
    if (d->fd < 0) return;
    pthread_mutex_lock(&lock);
    *d->link = d->next;
    if (d->next) d->next->link = d->link;
    close(d->fd);
    pthread_mutex_unlock(&lock);
    d->fd = -1;
}
