/* test_soft_faults.c - kernels that read or write unmapped memory: the launch ends with an error that gives the
 * location, and the process, the thread pool and the application's own SIGSEGV handler continue.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/coroutine.h"
#include "run/faults.h"
#include "run/scheduler.h"
#include "test.h"

#define STACK (64u << 10)
#if defined(CO_ASAN) || defined(CO_TSAN)
#define NOT_SANITIZED() SKIP("the sanitizer has the signals")
#else
#define NOT_SANITIZED() (void)0
#endif

enum { GROUPS = 64, BAD = 41 };

struct arguments {
    uint64_t address, write;
    uint32_t *runs;
};

/* Work-group BAD faults in its last subgroup, after a barrier. */
__attribute__((no_sanitize("undefined"), noinline)) static void kernel(struct xs_subgroup *self, const uint8_t *args)
{
    struct arguments a;
    memcpy(&a, args, sizeof a);
    self->barrier(self, XS_BARRIER_FULL);
    if (self->group_id[0] == BAD && self->subgroup_id + 1 == self->subgroup_count) {
        volatile uint32_t *p = (volatile uint32_t *)(uintptr_t)a.address;
        if (a.write)
            *p = 1;
        else
            a.runs[0] += *p;
    }
    __atomic_fetch_add(a.runs, 1, __ATOMIC_RELAXED);
}

static int all_groups(struct xs_subgroup *self, const uint8_t *args, uint64_t groups)
{
    for (; groups; groups--, self->group_id[0]++) kernel(self, args);
    return 0;
}

static enum sched_result run(struct sched_launch *l, const struct xs_kernel *k, const struct arguments *a)
{
    memset(l, 0, sizeof *l);
    l->kernel = k;
    l->args = (const uint8_t *)a;
    l->group_count[0] = GROUPS;
    l->group_count[1] = l->group_count[2] = 1;
    l->local_size[0] = k->has_barrier ? 64 : 16;
    l->local_size[1] = l->local_size[2] = 1;
    l->work_dim = 1;
    return sched_run(l);
}

static const struct xs_param params[] = {{"a", XS_PARAM_VALUE, sizeof(struct arguments), 0, 8}};
static const struct xs_kernel kernels[] = {
    {.name = "plain", .run = kernel, .stack_bytes = STACK},
    {.name = "groups", .run = kernel, .run_groups = all_groups, .stack_bytes = STACK},
    {.name = "fibers", .run = kernel, .stack_bytes = STACK, .has_barrier = 1},
    {.name = "deep", .run = kernel, .stack_bytes = 8u << 20},
};

static void *no_memory(void) { return mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

TEST(a_launch_ends_and_the_next_one_runs)
{
    NOT_SANITIZED();
    const uint64_t wild = (uint64_t)(uintptr_t)no_memory(), addresses[] = {0, wild, 0xdead000000000000u};
    char place[32];
    for (size_t i = 0; i < 4 * 3 * 2; i++) {
        uint32_t runs = 0;
        struct arguments a = {addresses[i / 2 % 3], i % 2, &runs};
        struct xs_kernel k = kernels[i / 6];
        struct sched_launch l;
        k.params = params, k.param_count = 1, k.args_bytes = sizeof a, k.subgroup_size = 16;
        snprintf(place, sizeof place, "(%d, 0, 0)", BAD);
        CHECK_INT(run(&l, &k, &a), SCHED_FAULT);
        CHECK_HAS(l.error, k.name);
        CHECK_HAS(l.error, place);
        snprintf(place, sizeof place, "%p", (void *)(uintptr_t)wild);
        CHECK_HAS(l.error, a.address == wild ? place : "null or wild pointer");
        a.address = (uint64_t)(uintptr_t)&place, a.write = runs = 0;
        a.address &= ~(uint64_t)15;
        CHECK_INT(run(&l, &k, &a), SCHED_OK);
        CHECK_MSG(runs >= GROUPS, "%u runs", runs);
    }
}

/* ---- kernels that use more stack than declared */

/* Frames of less than a page: larger ones step over the single guard page of a thread that the application made, into
 * whatever is mapped below it. */
__attribute__((noinline)) static uint32_t down(volatile uint32_t *depth)
{
    volatile uint8_t block[2048];
    block[*depth % sizeof block] = 1;
    if (++*depth == 1u << 16) return 0;
    return down(depth) + block[*depth % sizeof block];
}

static void bottomless(struct xs_subgroup *self, const uint8_t *args)
{
    volatile uint32_t depth = 0;
    kernel(self, args);
    if (self->group_id[0] == BAD && self->subgroup_id + 1 == self->subgroup_count) down(&depth);
}

static int bottomless_groups(struct xs_subgroup *self, const uint8_t *args, uint64_t groups)
{
    for (; groups; groups--, self->group_id[0]++) bottomless(self, args);
    return 0;
}

static void run_out_of_stack(void)
{
    static const struct xs_kernel list[] = {
        {.name = "plain", .run = bottomless, .stack_bytes = 1024},
        {.name = "groups", .run = bottomless, .run_groups = bottomless_groups, .stack_bytes = STACK},
        {.name = "fibers", .run = bottomless, .stack_bytes = STACK, .has_barrier = 1},
        {.name = "deep", .run = bottomless, .stack_bytes = 8u << 20},
    };
    char place[32];
    snprintf(place, sizeof place, "(%d, 0, 0)", BAD);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        uint32_t runs = 0, there[4];
        struct arguments a = {(uint64_t)(uintptr_t)there, 1, &runs};
        struct xs_kernel k = list[i];
        struct sched_launch l;
        k.params = params, k.param_count = 1, k.args_bytes = sizeof a, k.subgroup_size = 16;
        CHECK_INT(run(&l, &k, &a), SCHED_FAULT);
        CHECK_HAS(l.error, k.name);
        CHECK_HAS(l.error, place);
        CHECK_HAS(l.error, "ran out of stack");
        k.run = kernel, k.run_groups = NULL, runs = 0;
        CHECK_INT(run(&l, &k, &a), SCHED_OK);
        CHECK_MSG(runs >= GROUPS, "%u runs", runs);
    }
}

TEST(a_kernel_that_runs_out_of_stack_loses_its_launch)
{
    NOT_SANITIZED();
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        SKIP("the main thread's stack has no end");
    for (int i = 0; i < 20; i++) run_out_of_stack(); /* on this thread's stack, and on the pool's */
}

static void *from_a_thread(void *user)
{
    run_out_of_stack();
    return user;
}

TEST(threads_with_and_without_signal_stacks)
{
    NOT_SANITIZED();
    static uint8_t own_stack[65536];
    stack_t mine = {.ss_sp = own_stack, .ss_size = sizeof own_stack}, none = {.ss_flags = SS_DISABLE}, now;
    pthread_t thread;
    CHECK_INT(pthread_create(&thread, NULL, from_a_thread, NULL), 0);
    pthread_join(thread, NULL);
    CHECK_INT(sigaltstack(&mine, NULL), 0);
    run_out_of_stack();
    CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == own_stack); /* the application's stays */
    sigaltstack(&none, NULL);
}

/* ---- the application's own handler */

static sigjmp_buf own;
static volatile sig_atomic_t own_faults;

static void own_handler(int signal_number)
{
    (void)signal_number;
    own_faults++;
    siglongjmp(own, 1);
}

TEST(other_faults_go_to_the_handler_that_was_there)
{
    NOT_SANITIZED();
    static volatile uint32_t *volatile nowhere;
    nowhere = (volatile uint32_t *)no_memory();
    own_faults = 0;
    if (sigsetjmp(own, 1) == 0) *nowhere = 1;
    CHECK_INT(own_faults, 1);
    if (sigsetjmp(own, 1) == 0) raise(SIGSEGV);
    CHECK_INT(own_faults, 2);
}

/* ---- several threads, each with launches of its own, all of which fault */

static void *faults_again_and_again(void *failures)
{
    struct xs_kernel k = kernels[0];
    uint32_t runs = 0;
    struct arguments a = {0, 1, &runs};
    k.params = params, k.param_count = 1, k.args_bytes = sizeof a, k.subgroup_size = 16;
    for (int i = 0; i < 100; i++) {
        struct sched_launch l;
        if (run(&l, &k, &a) != SCHED_FAULT) __atomic_fetch_add((int *)failures, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

TEST(threads_fault_at_once)
{
    NOT_SANITIZED();
    pthread_t threads[4];
    int failures = 0;
    for (int i = 0; i < 4; i++) CHECK_INT(pthread_create(&threads[i], NULL, faults_again_and_again, &failures), 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    CHECK_INT(failures, 0);
}

/* ---- switched off; without an application handler */

static const char *self;

static int status_of(const char *what, const char *setting)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        setenv("XETILE_SOFT_FAULTS", setting, 1);
        execl(self, self, what, (char *)NULL);
        _exit(99);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

/* In the child: a launch that faults, then optionally a fault of the host. */
static int child(const char *what)
{
    struct xs_kernel k = kernels[1];
    uint32_t runs = 0;
    struct arguments a = {0, 1, &runs};
    struct sched_launch l;
    volatile uint32_t *volatile nowhere = (volatile uint32_t *)no_memory();
    k.params = params, k.param_count = 1, k.args_bytes = sizeof a, k.subgroup_size = 16;
    if (run(&l, &k, &a) != SCHED_FAULT) return 1;
    if (strcmp(what, "own") != 0) return 0;
    alarm(300); /* in case the signal recurs forever */
    *nowhere = 1;
    return 2;
}

TEST(a_process_without_a_handler_ends_by_its_own_faults_only)
{
    NOT_SANITIZED();
    int status = status_of("launch", "on");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    status = status_of("own", "on");
    CHECK(WIFSIGNALED(status));
    CHECK_INT(WTERMSIG(status), SIGSEGV);
}

TEST(switched_off)
{
    NOT_SANITIZED();
    int status = status_of("launch", "off");
    CHECK(WIFSIGNALED(status));
    CHECK_INT(WTERMSIG(status), SIGSEGV);
}

int main(int argc, char **argv)
{
    struct sigaction mine;
    self = argv[0];
    setenv("XETILE_SOFT_THREADS", "4", 1);
    if (argc > 1) return child(argv[1]);
    memset(&mine, 0, sizeof mine);
    mine.sa_handler = own_handler;
    sigemptyset(&mine.sa_mask);
    sigaction(SIGSEGV, &mine, NULL);
    RUN(a_launch_ends_and_the_next_one_runs);
    RUN(a_kernel_that_runs_out_of_stack_loses_its_launch);
    RUN(threads_with_and_without_signal_stacks);
    RUN(other_faults_go_to_the_handler_that_was_there);
    RUN(threads_fault_at_once);
    RUN(a_process_without_a_handler_ends_by_its_own_faults_only);
    RUN(switched_off);
    sched_shutdown();
    return test_report();
}
