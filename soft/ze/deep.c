/* deep.c - calls on a stack of their own: reading, translating and loading a module takes more than a program's thread
 * may have. The thread stays the same, and with it all that is kept by thread.
 */
#include "run/coroutine.h"
#include "ze_soft.h"

enum { DEEP_BYTES = 8 << 20 }; /* as a program's first thread has; pages that nobody touches take no memory */

struct call {
    ze_result_t (*body)(void *user);
    void *user;
    ze_result_t result;
    struct coroutine own, deep;
};

static _Thread_local bool is_deep;

static void run(void *pointer)
{
    struct call *c = pointer;
    c->result = c->body(c->user);
    co_switch(&c->deep, &c->own);
}

ze_result_t soft_deeply(ze_result_t (*body)(void *user), void *user)
{
    struct call c = {.body = body, .user = user};
    if (is_deep || !co_create(&c.deep, DEEP_BYTES)) return body(user); /* or little address space is left */
    is_deep = true;
    co_adopt(&c.own);
    co_start(&c.deep, run, &c);
    co_switch(&c.own, &c.deep);
    co_destroy(&c.deep);
    is_deep = false;
    return c.result;
}
