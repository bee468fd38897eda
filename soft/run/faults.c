/* faults.c - see faults.h. */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* its longjmp check fails on coroutine stacks */
#include "faults.h"

#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "coroutine.h"
#include "pool.h"

#if defined(CO_ASAN) || defined(CO_TSAN)

void fault_run(struct fault *f, void (*body)(void *), void *user)
{
    f->happened = f->late = false;
    body(user);
}

void fault_explain(bool (*explain)(const void *address)) { (void)explain; } /* the sanitizer reports it */

#else

struct guard {
    sigjmp_buf back;
    struct fault *fault;
    struct guard *outer;
    struct guard *next; /* list of guards with deadlines */
    struct thread *thread;
    atomic_bool late;
};

/* The application's handlers may also run on it, and the registers of a CPU with tiles take 11 KiB. */
#define ALTERNATE_STACK ((size_t)64 << 10)

/* A thread's state from its first launch on. */
struct thread {
    struct guard *innermost;
    void *alternate; /* its signal stack, if provided by us */
    pid_t number;    /* this and the next, once it has had a deadline */
    const void *code_of; /* a function of the code that may be interrupted */
    uintptr_t code, code_end;
};

static const int signals[] = {SIGSEGV, SIGBUS};
enum { SIGNALS = 2 };
static struct sigaction before[SIGNALS];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool active;
static bool (*_Atomic explanation)(const void *address);

/* Not our signal: does what would happen without us. */
static void pass_on(int signal_number, siginfo_t *info, void *context)
{
    const struct sigaction *old = &before[signal_number == signals[0] ? 0 : 1];
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(signal_number, info, context);
    } else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(signal_number);
    } else if (old->sa_handler == SIG_DFL || info->si_code > 0) {
        signal(signal_number, SIG_DFL); /* the fault then repeats */
        if (info->si_code <= 0) raise(signal_number);
    }
}

/* The interrupted program counter; 0: unknown on this CPU. */
static uintptr_t place(const void *context)
{
    const ucontext_t *u = context;
#if defined(__x86_64__)
    return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)u->uc_mcontext.pc;
#elif defined(__riscv)
    return (uintptr_t)u->uc_mcontext.__gregs[REG_PC];
#else
    return u ? 0 : 0;
#endif
}

static char too_late; /* its address is the value that our own signals carry */

static void handle(int signal_number, siginfo_t *info, void *context)
{
    struct thread *t = pthread_getspecific(key);
    struct guard *g = t ? t->innermost : NULL;
    struct fault *f = g ? g->fault : NULL;
    bool ours = info->si_code == SI_QUEUE && info->si_value.sival_ptr == &too_late;
    if (ours && (!f || !atomic_load(&g->late) || place(context) - t->code >= t->code_end - t->code)) return;
    if (!f || (info->si_code <= 0 && !ours)) { /* or the signal was sent */
        if (info->si_code > 0 && explanation && explanation(info->si_addr)) return;
        pass_on(signal_number, info, context);
        return;
    }
    f->happened = true;
    f->late = ours;
    if (f->subgroup) memcpy(f->group_id, f->subgroup->group_id, sizeof f->group_id);
    f->address = info->si_addr;
    siglongjmp(g->back, 1);
}

/* ---- a thread's signal stack */

static void thread_ends(void *pointer)
{
    struct thread *t = pointer;
    stack_t now, none = {.ss_flags = SS_DISABLE};
    if (t->alternate) {
        if (sigaltstack(NULL, &now) == 0 && now.ss_sp == t->alternate) sigaltstack(&none, NULL);
        munmap(t->alternate, ALTERNATE_STACK);
    }
    free(t);
}

/* Without one, a kernel's stack overflow ends the process. */
static void give_signal_stack(struct thread *t)
{
    stack_t now, ours = {.ss_size = ALTERNATE_STACK};
    if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
    ours.ss_sp = mmap(NULL, ALTERNATE_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ours.ss_sp == MAP_FAILED) return;
    t->alternate = ours.ss_sp;
    if (sigaltstack(&ours, NULL) == 0) return;
    munmap(t->alternate, ALTERNATE_STACK);
    t->alternate = NULL;
}

static struct thread *this_thread(void)
{
    struct thread *t = pthread_getspecific(key);
    if (t) return t;
    t = calloc(1, sizeof *t);
    if (!t || pthread_setspecific(key, t) != 0) {
        free(t);
        return NULL;
    }
    give_signal_stack(t);
    return t;
}

/* ---- the process's handlers */

static void install(void)
{
    const char *setting = getenv("XETILE_SOFT_FAULTS");
    struct sigaction ours;
    if ((setting && strcmp(setting, "off") == 0) || pthread_key_create(&key, thread_ends) != 0) return;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER; /* so that no signal is blocked after the jump */
    sigemptyset(&ours.sa_mask);
    for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &ours, &before[i]);
    active = true;
}

/* On unloading, restores the previous handlers, unless others have been installed since. */
__attribute__((destructor)) static void uninstall(void)
{
    struct sigaction now;
    for (int i = 0; active && i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle)
            sigaction(signals[i], &before[i], NULL);
}

/* ---- deadlines */

enum { AGAIN_NS = 20000000, IDLE_TURNS = 50 }; /* interval of checks; idle ones before sleep */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct guard *first;
    bool started, asleep;
} late = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Called under late.lock, so the thread still exists. */
static void tell(struct guard *g)
{
    struct sigaction now;
    siginfo_t info;
    if (sigaction(SIGSEGV, NULL, &now) != 0 || !(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != handle) return;
    memset(&info, 0, sizeof info);
    info.si_signo = SIGSEGV;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = &too_late;
    atomic_store(&g->late, true);
    syscall(SYS_rt_tgsigqueueinfo, getpid(), g->thread->number, SIGSEGV, &info);
}

static void *watch(void *unused)
{
    unsigned idle = 0;
    (void)unused;
    pthread_mutex_lock(&late.lock);
    for (;;) {
        uint64_t now = now_ns(), next = now + AGAIN_NS;
        const struct timespec t = {(time_t)(next / 1000000000u), (long)(next % 1000000000u)};
        for (struct guard *g = late.first; g; g = g->next)
            if (g->fault->deadline <= now) tell(g);
        idle = late.first ? 0 : idle + 1;
        late.asleep = idle > IDLE_TURNS;
        if (!late.asleep) {
            pthread_cond_timedwait(&late.changed, &late.lock, &t);
            continue;
        }
        pthread_cond_wait(&late.changed, &late.lock);
        idle = 0;
    }
    return NULL;
}

static bool start_watch(void)
{
    pthread_condattr_t attr;
    pthread_t thread;
    if (pthread_condattr_init(&attr) != 0) return false;
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&late.changed, &attr);
    pthread_condattr_destroy(&attr);
    return pool_start_thread(&thread, watch, NULL) && pthread_detach(thread) == 0;
}

/* Finds the code segment that contains g->fault->code. */
static int find_code(struct dl_phdr_info *object, size_t size, void *guard)
{
    const struct guard *g = guard;
    uintptr_t at = (uintptr_t)g->fault->code;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        uintptr_t begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (object->dlpi_phdr[i].p_type != PT_LOAD || at - begin >= object->dlpi_phdr[i].p_memsz) continue;
        g->thread->code = begin;
        g->thread->code_end = begin + object->dlpi_phdr[i].p_memsz;
        return 1;
    }
    return 0;
}

static void deadline_begins(struct thread *t, struct guard *g)
{
    if (t->code_of != g->fault->code) {
        t->number = (pid_t)syscall(SYS_gettid);
        t->code = t->code_end = 0;
        dl_iterate_phdr(find_code, g);
        t->code_of = g->fault->code;
    }
    pthread_mutex_lock(&late.lock);
    if (!late.started) late.started = start_watch();
    g->next = late.first;
    late.first = g;
    if (late.asleep) pthread_cond_signal(&late.changed);
    late.asleep = false;
    pthread_mutex_unlock(&late.lock);
}

static void deadline_ends(struct guard *g)
{
    struct guard **link;
    pthread_mutex_lock(&late.lock);
    for (link = &late.first; *link != g; link = &(*link)->next) continue;
    *link = g->next;
    pthread_mutex_unlock(&late.lock);
}

void fault_explain(bool (*explain)(const void *address))
{
    explanation = explain;
    pthread_once(&once, install);
}

void fault_run(struct fault *f, void (*body)(void *), void *user)
{
    struct thread *t;
    struct guard g;
    pthread_once(&once, install);
    f->happened = f->late = false;
    f->subgroup = NULL;
    t = active ? this_thread() : NULL;
    if (!t) {
        body(user);
        return;
    }
    g.fault = f;
    g.outer = t->innermost;
    g.thread = t;
    atomic_init(&g.late, false);
    if (sigsetjmp(g.back, 0) == 0) {
        t->innermost = &g;
        if (f->deadline) deadline_begins(t, &g);
        body(user);
    }
    if (f->deadline) deadline_ends(&g);
    t->innermost = g.outer;
}

#endif
