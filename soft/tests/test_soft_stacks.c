/* test_soft_stacks.c - kernels that need much stack, in a program whose thread-local variables take most of the stack
 * of every thread.
 */
#include <stdatomic.h>

#include "run/scheduler.h"
#include "test.h"

enum { THREADS = 4, USED = 420 << 10, NEEDED = 440 << 10, OF_THE_PROGRAM = 700 << 10 };

static _Thread_local volatile uint8_t thread_local_variable[OF_THE_PROGRAM];

typedef struct {
    _Atomic uint32_t arrived;
    uint32_t sum[THREADS];
} result;

static uint32_t use_stack(uint32_t bytes)
{
    volatile uint8_t block[USED];
    for (uint32_t i = 0; i < bytes; i += 1024) block[i] = (uint8_t)(i / 1024);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < bytes; i += 1024) sum += block[i];
    return sum;
}

/* All work-groups meet first, so each runs on a thread of its own. */
static void wide_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    result *r;
    memcpy(&r, args, sizeof r);
    atomic_fetch_add(&r->arrived, 1);
    while (atomic_load(&r->arrived) < THREADS) continue;
    thread_local_variable[0] = 1;
    r->sum[self->group_id[0]] = use_stack(USED);
}

TEST(thread_local_variables_of_the_program)
{
    static const struct xs_param parameter[] = {{"out", XS_PARAM_GLOBAL, 8, 0, 8}};
    static const struct xs_kernel k = {.name = "wide",
                                       .run = wide_kernel,
                                       .params = parameter,
                                       .param_count = 1,
                                       .args_bytes = 8,
                                       .subgroup_size = 16,
                                       .stack_bytes = NEEDED};
    static result r;
    result *p = &r;
    uint32_t want = use_stack(USED);
    struct sched_launch l = {.kernel = &k,
                             .args = (const uint8_t *)&p,
                             .group_count = {THREADS, 1, 1},
                             .local_size = {16, 1, 1},
                             .work_dim = 1,
                             .cooperative = true};
    CHECK_INT(sched_run(&l), SCHED_OK);
    for (int i = 0; i < THREADS; i++) CHECK_INT(r.sum[i], want);
}

int main(void)
{
    setenv("XETILE_SOFT_THREADS", "4", 1); /* also on a machine with one CPU */
    RUN(thread_local_variables_of_the_program);
    return test_report();
}
