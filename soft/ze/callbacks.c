/* callbacks.c - the program's functions that are called when an object goes, in the order in which it gave them. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "ze_soft.h"

struct soft_callback {
    struct soft_callback *next;
    void (*call)(void *user);
    void *user;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for all lists: nobody waits long */

ze_result_t soft_callback_add(struct soft_callback **list, void (*call)(void *user), void *user)
{
    struct soft_callback *c = malloc(sizeof *c);
    if (!c) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    *c = (struct soft_callback){NULL, call, user};
    pthread_mutex_lock(&lock);
    while (*list) list = &(*list)->next;
    *list = c;
    pthread_mutex_unlock(&lock);
    return ZE_RESULT_SUCCESS;
}

void soft_callbacks_run(struct soft_callback *list)
{
    for (struct soft_callback *c; (c = list) != NULL;) {
        list = c->next;
        c->call(c->user);
        free(c);
    }
}
