/* test_soft_sched.c - the scheduler alone, with hand-written kernels for abi.h. */
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "run/coroutine.h"
#include "run/pool.h"
#include "run/scheduler.h"
#include "test.h"

#define STACK (64u << 10)

static struct sched_launch launch(const struct xs_kernel *k, const void *args, uint32_t gx, uint32_t gy, uint32_t gz,
                                  uint32_t lx, uint32_t ly, uint32_t lz)
{
    struct sched_launch l;
    memset(&l, 0, sizeof l);
    l.kernel = k;
    l.args = args;
    l.group_count[0] = gx;
    l.group_count[1] = gy;
    l.group_count[2] = gz;
    l.local_size[0] = lx;
    l.local_size[1] = ly;
    l.local_size[2] = lz;
    l.work_dim = 3;
    return l;
}

static const struct xs_param one_pointer[] = {{"out", XS_PARAM_GLOBAL, 8, 0, 8}};

/* NAME_kernel, whose argument is the result's address. */
#define KERNEL(NAME, ...)                                                                                              \
    {                                                                                                                  \
        .name = #NAME, .run = NAME##_kernel, .params = one_pointer, .param_count = 1, .args_bytes = 8, __VA_ARGS__     \
    }

/* ---- every subgroup of every work-group, once */

struct seen {
    _Atomic uint32_t runs[7 * 5 * 3 * 4];
    _Atomic uint32_t lanes, bad;
};

static void count_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    struct seen *s;
    uint32_t group = (self->group_id[2] * 5 + self->group_id[1]) * 7 + self->group_id[0];
    memcpy(&s, args, sizeof s);
    if (self->group_id[0] >= 7 || self->group_id[1] >= 5 || self->group_id[2] >= 3 || self->subgroup_id >= 4 ||
        self->subgroup_count != 4 || self->local_size[1] != 5 || self->group_count[2] != 3 || !self->local ||
        self->global_offset[1] != 9 || self->work_dim != 3) {
        atomic_fetch_add(&s->bad, 1);
        return;
    }
    atomic_fetch_add(&s->runs[group * 4 + self->subgroup_id], 1);
    atomic_fetch_add(&s->lanes, self->lanes);
}

TEST(every_subgroup_once)
{
    static const struct xs_kernel k = KERNEL(count, .subgroup_size = 16, .stack_bytes = STACK);
    static struct seen s;
    struct seen *p = &s;
    struct sched_launch l = launch(&k, &p, 7, 5, 3, 11, 5, 1); /* 55 work-items: 16, 16, 16 and 7 */
    uint32_t i;
    l.global_offset[1] = 9;
    CHECK_INT(sched_run(&l), SCHED_OK);
    CHECK_INT(s.bad, 0);
    CHECK_INT(s.lanes, 7 * 5 * 3 * 55);
    for (i = 0; i < 7 * 5 * 3 * 4; i++) CHECK_INT(s.runs[i], 1);
}

TEST(no_work_groups)
{
    static const struct xs_kernel k = {.name = "none", .run = NULL, .subgroup_size = 16, .stack_bytes = STACK};
    struct sched_launch l = launch(&k, NULL, 5, 0, 3, 16, 1, 1);
    CHECK_INT(sched_run(&l), SCHED_OK); /* would jump to NULL if it ran one */
}

/* ---- barriers */

/* Each round, a subgroup writes its number and reads its neighbour's, with a barrier on each side. */
static void ring_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    uint32_t *local = (uint32_t *)(void *)self->local, *out, round, sum = 0;
    uint32_t next = (self->subgroup_id + 1) % self->subgroup_count;
    memcpy(&out, args, sizeof out);
    for (round = 0; round < 50; round++) {
        local[self->subgroup_id] = round * 1000 + self->subgroup_id;
        self->barrier(self, XS_BARRIER_FULL);
        sum += local[next];
        self->barrier(self, XS_BARRIER_FULL);
    }
    out[self->group_id[0] * self->subgroup_count + self->subgroup_id] = sum;
}

static void ring(uint32_t subgroups, uint32_t groups, uint32_t stack)
{
    const struct xs_kernel k =
        KERNEL(ring, .subgroup_size = 8, .local_bytes = 4 * subgroups, .stack_bytes = stack, .has_barrier = 1);
    uint32_t *out = calloc((size_t)groups * subgroups, sizeof *out), i;
    struct sched_launch l = launch(&k, &out, groups, 1, 1, 8 * subgroups, 1, 1);
    CHECK_INT(sched_run(&l), SCHED_OK);
    for (i = 0; i < groups * subgroups; i++)
        CHECK_INT(out[i], 50 * 49 / 2 * 1000 + 50 * ((i % subgroups + 1) % subgroups));
    free(out);
}

TEST(barriers_order_local_memory)
{
    ring(1, 10, STACK);
    ring(2, 100, STACK);
    ring(7, 33, STACK);
    ring(128, 9, STACK);
    ring(3, 9, 4u << 20); /* larger stacks than the fibers have so far */
}

/* With split barriers the work between arrival and wait overlaps; what was written before is there afterwards. */
static void split_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    uint32_t *local = (uint32_t *)(void *)self->local, *out, i, round, sum = 0;
    memcpy(&out, args, sizeof out);
    for (round = 0; round < 20; round++) {
        local[round % 2 * 16 + self->subgroup_id] = round + self->subgroup_id;
        self->barrier(self, XS_BARRIER_ARRIVE);
        sum += 1;
        self->barrier(self, XS_BARRIER_WAIT);
        for (i = 0; i < self->subgroup_count; i++) sum += local[round % 2 * 16 + i];
    }
    out[self->subgroup_id] = sum;
}

TEST(split_barriers)
{
    const struct xs_kernel k =
        KERNEL(split, .subgroup_size = 32, .local_bytes = 128, .stack_bytes = STACK, .has_barrier = 1);
    uint32_t out[16] = {0}, *p = out, i;
    struct sched_launch l = launch(&k, &p, 1, 1, 1, 32 * 16, 1, 1);
    CHECK_INT(sched_run(&l), SCHED_OK);
    for (i = 0; i < 16; i++) CHECK_INT(out[i], 20 + 16 * 190 + 20 * 120);
}

enum { MISS_LAST, MISS_FIRST, NO_ARRIVAL, TWO_ARRIVALS, NO_WAIT, FULL_BETWEEN };

static void wrong_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    uint64_t how;
    memcpy(&how, args, sizeof how);
    if (self->group_id[0] != 2) { /* the other work-groups have no error */
        self->barrier(self, XS_BARRIER_FULL);
        return;
    }
    switch (how) {
    case MISS_LAST:
        if (self->subgroup_id + 1 < self->subgroup_count) self->barrier(self, XS_BARRIER_FULL);
        break;
    case MISS_FIRST:
        if (self->subgroup_id) self->barrier(self, XS_BARRIER_FULL);
        break;
    case NO_ARRIVAL: self->barrier(self, XS_BARRIER_WAIT); break;
    case TWO_ARRIVALS:
        self->barrier(self, XS_BARRIER_ARRIVE);
        self->barrier(self, XS_BARRIER_ARRIVE);
        break;
    case NO_WAIT: self->barrier(self, XS_BARRIER_ARRIVE); break;
    case FULL_BETWEEN:
        self->barrier(self, XS_BARRIER_ARRIVE);
        self->barrier(self, XS_BARRIER_FULL);
        self->barrier(self, XS_BARRIER_WAIT);
        break;
    default: break;
    }
}

TEST(wrong_barriers_are_reported)
{
    static const struct xs_param value[] = {{"how", XS_PARAM_VALUE, 8, 0, 8}};
    static const struct xs_kernel k = {.name = "wrong",
                                       .run = wrong_kernel,
                                       .params = value,
                                       .param_count = 1,
                                       .args_bytes = 8,
                                       .subgroup_size = 16,
                                       .stack_bytes = STACK,
                                       .has_barrier = 1};
    static const char *const text[] = {"some subgroups",      "some subgroups", "has not arrived",
                                       "between the arrival", "ends between",   "between the arrival"};
    uint64_t how;
    for (how = MISS_LAST; how <= FULL_BETWEEN; how++) {
        struct sched_launch l = launch(&k, &how, 4, 1, 1, 64, 1, 1);
        CHECK_INT(sched_run(&l), SCHED_BARRIER);
        CHECK_HAS(l.error, "kernel wrong, work-group (2, 0, 0)");
        CHECK_HAS(l.error, text[how]);
        ring(4, 5, STACK); /* the same threads continue */
    }
}

/* ---- a fiber's state across a barrier */

static void rounding_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    uint32_t *out, i;
    memcpy(&out, args, sizeof out);
    fesetround(modes[self->subgroup_id % 4]);
    for (i = 0; i < 4; i++) {
        self->barrier(self, XS_BARRIER_FULL);
        out[self->subgroup_id] += fegetround() == modes[self->subgroup_id % 4];
    }
    fesetround(FE_TONEAREST);
}

TEST(a_switch_keeps_the_rounding_mode)
{
    const struct xs_kernel k = KERNEL(rounding, .subgroup_size = 16, .stack_bytes = STACK, .has_barrier = 1);
    uint32_t out[8] = {0}, *p = out, i;
    struct sched_launch l = launch(&k, &p, 1, 1, 1, 128, 1, 1);
    CHECK_INT(sched_run(&l), SCHED_OK);
    for (i = 0; i < 8; i++) CHECK_INT(out[i], 4);
    CHECK_INT(fegetround(), FE_TONEAREST);
}

/* A program's modes for denormals and rounding do not affect its kernels. */
static void tiny_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    volatile float small = 1e-38f, third = 1, three = 3;
    float *out;
    memcpy(&out, args, sizeof out);
    out[2 * self->group_id[0]] = small / 16;
    out[2 * self->group_id[0] + 1] = third / three;
}

TEST(the_program_rounds_as_it_likes)
{
    const struct xs_kernel k = KERNEL(tiny, .subgroup_size = 16, .stack_bytes = 4096);
    volatile float one = 1, three = 3;
    float out[2 * 64] = {0}, *p = out, downward;
    struct sched_launch l = launch(&k, &p, 64, 1, 1, 16, 1, 1);
    fesetround(FE_DOWNWARD);
#ifdef __x86_64__
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); /* set by -ffast-math at program start */
#endif
    CHECK_INT(sched_run(&l), SCHED_OK);
    CHECK_INT(fegetround(), FE_DOWNWARD);
    downward = one / three;
#ifdef __x86_64__
    CHECK_INT(__builtin_ia32_stmxcsr() & 0x8040, 0x8040);
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x8040u);
#endif
    fesetround(FE_TONEAREST);
    for (int i = 0; i < 64; i++) {
        CHECK(out[2 * i] == 1e-38f / 16);
        CHECK(out[2 * i + 1] == 1.0f / 3.0f && out[2 * i + 1] > downward);
    }
}

/* ---- stacks */

static uint32_t use_stack(uint32_t bytes)
{
    volatile uint8_t block[4096];
    block[bytes % 4096] = (uint8_t)bytes;
    return bytes > 8192 ? use_stack(bytes - 4096) + block[bytes % 4096] : block[bytes % 4096];
}

static void deep_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    uint32_t *out;
    memcpy(&out, args, sizeof out);
    out[self->group_id[0] * 2 + self->subgroup_id] = use_stack(6u << 20) + 1;
    self->barrier(self, XS_BARRIER_FULL);
}

TEST(deep_stacks)
{
    struct xs_kernel k = KERNEL(deep, .subgroup_size = 16, .stack_bytes = 16u << 20);
    uint32_t out[64], *p = out, i, want = use_stack(6u << 20) + 1;
    for (k.has_barrier = 0; k.has_barrier < 2; k.has_barrier++) {
        struct sched_launch l = launch(&k, &p, 32, 1, 1, k.has_barrier ? 32 : 16, 1, 1);
        memset(out, 0, sizeof out);
        CHECK_INT(sched_run(&l), SCHED_OK);
        for (i = 0; i < 64; i++) CHECK_INT(out[i], k.has_barrier || i % 2 == 0 ? want : 0);
    }
}

/* Threads of the program may have less stack than a kernel needs, and may have switched to another one. */
static void modest_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    uint32_t *out;
    memcpy(&out, args, sizeof out);
    out[self->group_id[0]] = use_stack(28u << 10) + 1;
}

static void launch_modest(void)
{
    const struct xs_kernel k = KERNEL(modest, .subgroup_size = 16, .stack_bytes = 30u << 10);
    uint32_t out[8] = {0}, *p = out, i;
    struct sched_launch l = launch(&k, &p, 8, 1, 1, 16, 1, 1);
    CHECK_INT(sched_run(&l), SCHED_OK);
    for (i = 0; i < 8; i++) CHECK(out[i] != 0);
}

static void *modest_thread(void *unused)
{
    launch_modest();
    return unused;
}

static ucontext_t program, made;
static void on_made_stack(void)
{
    launch_modest();
    swapcontext(&made, &program);
}

TEST(stacks_of_the_program)
{
    enum { PAGE = 4096, SMALL = 32 << 10 };
#if defined(CO_TSAN) || defined(CO_ASAN)
    SKIP("the sanitizer wants more stack, and to be told of it");
#endif
    pthread_attr_t attr;
    pthread_t thread;
    uint8_t *stack = mmap(NULL, PAGE + SMALL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(mprotect(stack + PAGE, SMALL, PROT_READ | PROT_WRITE) == 0);
    CHECK(getcontext(&made) == 0);
    made.uc_stack.ss_sp = stack + PAGE;
    made.uc_stack.ss_size = SMALL;
    makecontext(&made, on_made_stack, 0);
    CHECK(swapcontext(&program, &made) == 0);
    CHECK(pthread_attr_init(&attr) == 0 && pthread_attr_setstack(&attr, stack + PAGE, SMALL) == 0);
    CHECK(pthread_create(&thread, &attr, modest_thread, NULL) == 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    munmap(stack, PAGE + SMALL);
}

TEST(impossible_stacks_are_refused)
{
    static const struct xs_kernel k = {.name = "vast",
                                       .run = deep_kernel,
                                       .params = one_pointer,
                                       .param_count = 1,
                                       .args_bytes = 8,
                                       .subgroup_size = 16,
                                       .stack_bytes = UINT32_MAX};
    uint32_t *p = NULL;
    struct sched_launch l = launch(&k, &p, 2, 1, 1, 16, 1, 1);
    CHECK_INT(sched_run(&l), SCHED_NO_MEMORY);
    CHECK_HAS(l.error, "vast");
    struct xs_kernel many = k; /* there is room for one such stack, but not for 1024 */
    many.stack_bytes = 1u << 30, many.has_barrier = 1;
    l = launch(&many, &p, 2, 1, 1, 1024 * 16, 1, 1);
    CHECK_INT(sched_run(&l), SCHED_NO_MEMORY);
}

/* ---- local memory given as an argument */

static const struct xs_param two_locals[] = {{"out", XS_PARAM_GLOBAL, 8, 0, 8},
                                             {"a", XS_PARAM_LOCAL, 8, 8, 8},
                                             {"n", XS_PARAM_VALUE, 4, 16, 4},
                                             {"b", XS_PARAM_LOCAL, 8, 24, 8}};

static void local_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    uint64_t *out, a, b;
    memcpy(&out, args, sizeof out);
    memcpy(&a, args + 8, sizeof a);
    memcpy(&b, args + 24, sizeof b);
    memset((void *)(uintptr_t)a, 1, 1000);
    memset((void *)(uintptr_t)b, 2, 5000);
    memset(self->local, 3, 100);
    out += 5 * self->group_id[0];
    out[0] = a - (uint64_t)(uintptr_t)self->local;
    out[1] = b - (uint64_t)(uintptr_t)self->local;
    out[2] = (a | b | (uint64_t)(uintptr_t)self->local) % 128;
    out[3] = *(uint8_t *)(uintptr_t)(a + 999) * 100u + *(uint8_t *)(uintptr_t)b * 10u + self->local[99];
    memcpy(&out[4], args + 16, 4);
}

TEST(local_arguments)
{
    static const struct xs_kernel k = {.name = "local",
                                       .run = local_kernel,
                                       .params = two_locals,
                                       .param_count = 4,
                                       .args_bytes = 32,
                                       .subgroup_size = 16,
                                       .local_bytes = 100,
                                       .stack_bytes = STACK};
    uint64_t out[5 * 40] = {0}, args[4] = {0, 1000, 77, 5000};
    struct sched_launch l = launch(&k, args, 40, 1, 1, 16, 1, 1);
    uint32_t i;
    args[0] = (uint64_t)(uintptr_t)out;
    CHECK_INT(sched_local_bytes(&k, (const uint8_t *)args), 1152 + 5000); /* 100 -> 128, 1128 -> 1152 */
    CHECK_INT(sched_run(&l), SCHED_OK);
    for (i = 0; i < 40; i++) {
        CHECK_INT(out[5 * i], 128);
        CHECK_INT(out[5 * i + 1], 1152);
        CHECK_INT(out[5 * i + 2], 0);
        CHECK_INT(out[5 * i + 3], 123);
        CHECK_INT(out[5 * i + 4], 77);
    }
    CHECK_INT(args[1], 1000); /* the caller's block is unchanged */
}

/* ---- concurrency */

static void *many_launches(void *failures)
{
    uint32_t i;
    for (i = 0; i < 60; i++) {
        const struct xs_kernel k =
            KERNEL(ring, .subgroup_size = 8, .local_bytes = 64, .stack_bytes = STACK, .has_barrier = 1);
        uint32_t out[80] = {0}, *p = out, j;
        struct sched_launch l = launch(&k, &p, 20, 1, 1, 32, 1, 1);
        if (sched_run(&l) != SCHED_OK) atomic_fetch_add((_Atomic uint32_t *)failures, 1);
        for (j = 0; j < 80; j++)
            if (out[j] != 1225000 + 50 * ((j % 4 + 1) % 4)) atomic_fetch_add((_Atomic uint32_t *)failures, 1);
    }
    return NULL;
}

TEST(launches_from_several_threads)
{
    static _Atomic uint32_t failures;
    pthread_t threads[4];
    uint32_t i;
    for (i = 0; i < 4; i++) pthread_create(&threads[i], NULL, many_launches, &failures);
    for (i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    CHECK_INT(failures, 0);
}

/* All work-groups wait for each other in global memory: they have to run at the same time. */
static void together_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    _Atomic uint32_t *arrived;
    memcpy(&arrived, args, sizeof arrived);
    atomic_fetch_add(arrived, 1);
    while (atomic_load(arrived) < self->group_count[0]) continue;
}

static void *cooperative_launches(void *unused)
{
    static const struct xs_kernel k = KERNEL(together, .subgroup_size = 16, .stack_bytes = STACK);
    uint32_t i;
    (void)unused;
    for (i = 0; i < 10; i++) {
        _Atomic uint32_t arrived = 0, *p = &arrived;
        struct sched_launch l = launch(&k, &p, sched_threads(), 1, 1, 16, 1, 1);
        l.cooperative = true;
        if (sched_run(&l) != SCHED_OK || arrived != sched_threads()) return unused;
    }
    return NULL;
}

TEST(cooperative_launches_do_not_starve_each_other)
{
    pthread_t threads[3];
    char bad;
    uint32_t i;
    void *result;
    for (i = 0; i < 3; i++) pthread_create(&threads[i], NULL, cooperative_launches, &bad);
    for (i = 0; i < 3; i++) {
        pthread_join(threads[i], &result);
        CHECK(result == NULL);
    }
}

/* ---- threads preempted by other programs */

struct guests {
    struct pool_task task;
    _Atomic unsigned joined;
    uint64_t offered_late; /* 0: at once */
    bool stay_away;        /* they do not run while they are inside */
};

static void be_a_guest(struct pool_task *task, unsigned part)
{
    struct guests *g = (struct guests *)task;
    if (part) {
        atomic_fetch_add(&g->joined, 1);
        if (g->stay_away) usleep(5000);
        return;
    }
    g->offered_late = task->offer_at;
    for (int i = 0; i < 10000 && !atomic_load(&g->joined); i++) {
        pool_between(task, part);
        usleep(100);
    }
    atomic_store(&task->given_out, true);
}

/* When they were invited; 0: immediately. */
static uint64_t invite(bool stay_away)
{
    struct guests g;
    memset(&g, 0, sizeof g);
    g.task.take_part = be_a_guest;
    g.task.threads = 4;
    g.stay_away = stay_away;
    CHECK(pool_run(&g.task, false));
    CHECK(atomic_load(&g.joined) > 0); /* late, perhaps */
    return g.offered_late;
}

TEST(a_caller_is_alone_for_a_while_after_waiting_for_threads_that_did_not_run)
{
    uint64_t late;
    int tries = 0;
    do { /* this test may itself be pushed aside for longer than that lasts, which becomes twice as long each time */
        invite(true);
        late = invite(false);
    } while (!late && ++tries < 10);
    CHECK(late != 0);
    for (tries = 0; late && tries < 50; tries++) {
        usleep(100000);
        late = invite(false);
    }
    CHECK_INT(late, 0);
}

/* ---- fewer threads than asked for: a process of its own, whose address space ends soon */

static bool limit_space(rlim_t more)
{
    struct rlimit limit;
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lu", &pages) != 1 || getrlimit(RLIMIT_AS, &limit) != 0) return false;
    fclose(f);
    limit.rlim_cur = more ? pages * (rlim_t)sysconf(_SC_PAGESIZE) + more : limit.rlim_max;
    return setrlimit(RLIMIT_AS, &limit) == 0;
}

/* 0 on success. */
static int child_with_few_threads(void)
{
    static const struct xs_kernel k = KERNEL(together, .subgroup_size = 16, .stack_bytes = 1024);
    static const struct xs_kernel counting = KERNEL(count, .subgroup_size = 16, .stack_bytes = 1024);
    static struct seen s;
    struct seen *to = &s;
    _Atomic uint32_t arrived = 0, *p = &arrived;
    struct sched_launch l = launch(&k, &p, sched_threads(), 1, 1, 16, 1, 1);
    struct sched_launch plain = launch(&counting, &to, 7, 5, 3, 11, 5, 1);
    l.cooperative = true;
    plain.global_offset[1] = 9;
    alarm(300); /* in case it hangs */
    if (!limit_space(4 * POOL_THREAD_STACK)) return 2;
    if (sched_run(&l) != SCHED_NO_THREADS || arrived || !strstr(l.error, "kernel together")) return 3;
    if (sched_run(&plain) != SCHED_OK || s.bad || s.lanes != 7 * 5 * 3 * 55) return 4;
    if (!limit_space(0)) return 5;
    return sched_run(&l) != SCHED_OK || arrived != sched_threads() ? 6 : 0;
}

static void in_a_process(const char *what, const char *threads)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (threads) setenv("XETILE_SOFT_THREADS", threads, 1);
        else unsetenv("XETILE_SOFT_THREADS");
        execl("/proc/self/exe", "test_soft_sched", what, (char *)NULL);
        _exit(99);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status %x", what, (unsigned)status);
}

TEST(cooperative_launches_need_their_threads)
{
    if (TEST_SANITIZED) SKIP("the sanitizer wants the address space");
    in_a_process("few", "32");
}

/* ---- processors */

enum { SEEN = 64 };
static cpu_set_t seen_sets[SEEN]; /* of the pool's threads that took part, by work-group */
static pthread_t caller;

static void look_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    (void)args;
    if (!pthread_equal(pthread_self(), caller))
        sched_getaffinity(0, sizeof *seen_sets, &seen_sets[self->group_id[0] % SEEN]);
    usleep(500);
}

static bool within(const cpu_set_t *some, const cpu_set_t *all)
{
    cpu_set_t both;
    CPU_AND(&both, some, all);
    return CPU_COUNT(some) && CPU_EQUAL(&both, some);
}

/* All, or all but one, and that is the caller's when it has but one. */
static bool may_be(const cpu_set_t *set, const cpu_set_t *own, const cpu_set_t *all)
{
    cpu_set_t rest;
    CPU_XOR(&rest, all, own);
    if (CPU_EQUAL(own, all)) return within(set, all) && CPU_COUNT(set) >= CPU_COUNT(all) - 1;
    return CPU_EQUAL(set, &rest) || (CPU_COUNT(all) > 9 && within(set, all)); /* if many, not all avoid it */
}

/* Launches from any processor of the process's, then from the first one, the last one and so on. */
static int child_with_processors(bool one)
{
    static const struct xs_kernel k = {.name = "look", .run = look_kernel, .subgroup_size = 16, .stack_bytes = 1024};
    cpu_set_t all, own; /* the caller's */
    int first = 0, last = CPU_SETSIZE - 1;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return 2;
    while (!CPU_ISSET(first, &all)) first++;
    while (!CPU_ISSET(last, &all)) last--;
    CPU_ZERO(&own);
    CPU_SET(first, &own);
    if (one) all = own;
    if (one && sched_setaffinity(0, sizeof own, &own) != 0) return 3;
    own = all;
    caller = pthread_self();
    if ((int)sched_threads() != CPU_COUNT(&all)) return 4;
    for (int i = 0; i < 10; i++) {
        struct sched_launch l = launch(&k, NULL, SEEN, 1, 1, 16, 1, 1);
        if (sched_run(&l) != SCHED_OK) return 5;
        for (int j = 0; j < SEEN; j++)
            if (CPU_COUNT(&seen_sets[j]) && !may_be(&seen_sets[j], &own, &all)) return 6;
        CPU_ZERO(&own); /* once the first launch has started the threads, which would inherit this */
        CPU_SET(i % 2 || one ? first : last, &own);
        if (sched_setaffinity(0, sizeof own, &own) != 0) return 7;
        memset(seen_sets, 0, sizeof seen_sets);
    }
    return 0;
}

/* ---- more urgent launches */

struct urgent {
    _Atomic unsigned low, high;
    _Atomic unsigned first, last; /* progress of the low one, plus 1, as the high one sees it */
};

static void low_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    struct urgent *u;
    (void)self;
    memcpy(&u, args, sizeof u);
    usleep(1000);
    atomic_fetch_add(&u->low, 1);
}

static void high_kernel(struct xs_subgroup *self, const uint8_t *args)
{
    struct urgent *u;
    unsigned none = 0, now;
    (void)self;
    memcpy(&u, args, sizeof u);
    now = atomic_load(&u->low) + 1;
    atomic_compare_exchange_strong(&u->first, &none, now);
    atomic_store(&u->last, now);
    usleep(1000);
    atomic_fetch_add(&u->high, 1);
}

enum { LOW_GROUPS = 256, HIGH_GROUPS = 200 };

static void *launch_low(void *user)
{
    static const struct xs_kernel k = KERNEL(low, .subgroup_size = 16, .stack_bytes = STACK);
    struct sched_launch l = launch(&k, &user, LOW_GROUPS, 1, 1, 16, 1, 1);
    l.urgency = -1;
    return sched_run(&l) == SCHED_OK ? user : NULL;
}

/* No more of it is done meanwhile than its four threads had taken: 256 / 64 work-groups each. */
TEST(a_launch_waits_for_more_urgent_ones)
{
    static const struct xs_kernel k = KERNEL(high, .subgroup_size = 16, .stack_bytes = STACK);
    struct urgent u = {0}, *p = &u;
    struct sched_launch l = launch(&k, &p, HIGH_GROUPS, 1, 1, 16, 1, 1);
    pthread_t thread;
    void *result;
    pool_begin_ranking();
    if (pthread_create(&thread, NULL, launch_low, p) != 0) return;
    while (!atomic_load(&u.low)) usleep(100);
    CHECK_INT(sched_run(&l), SCHED_OK);
    CHECK_MSG(u.last - u.first <= 16 && u.last < LOW_GROUPS, "%u to %u of %d", u.first, u.last, LOW_GROUPS);
    pthread_join(thread, &result);
    CHECK(result == p);
    CHECK_INT(u.low, LOW_GROUPS);
    CHECK_INT(u.high, HIGH_GROUPS);
}

TEST(threads_stay_on_the_processors_of_the_process)
{
    in_a_process("all", NULL);
    in_a_process("one", NULL);
}

TEST(threads_end_and_start_again)
{
    CHECK_INT(sched_threads(), 4);
    sched_shutdown();
    ring(4, 40, STACK);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "few") == 0) return child_with_few_threads();
    if (argc > 1) return child_with_processors(strcmp(argv[1], "one") == 0);
    setenv("XETILE_SOFT_THREADS", "4", 1); /* also on a machine with one CPU */
    RUN(every_subgroup_once);
    RUN(no_work_groups);
    RUN(barriers_order_local_memory);
    RUN(split_barriers);
    RUN(wrong_barriers_are_reported);
    RUN(a_switch_keeps_the_rounding_mode);
    RUN(the_program_rounds_as_it_likes);
    RUN(deep_stacks);
    RUN(stacks_of_the_program);
    RUN(impossible_stacks_are_refused);
    RUN(local_arguments);
    RUN(launches_from_several_threads);
    RUN(cooperative_launches_do_not_starve_each_other);
    RUN(a_caller_is_alone_for_a_while_after_waiting_for_threads_that_did_not_run);
    RUN(cooperative_launches_need_their_threads);
    RUN(a_launch_waits_for_more_urgent_ones);
    RUN(threads_stay_on_the_processors_of_the_process);
    RUN(threads_end_and_start_again);
    return test_report();
}
