/* faults.c - see faults.h. */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* its longjmp refuses to leave a coroutine's stack */
#include "faults.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "coroutine.h"

#if defined(CO_ASAN) || defined(CO_TSAN)

void fault_run(struct fault *f, void (*body)(void *), void *user)
{
    f->happened = false;
    body(user);
}

#else

struct guard {
    sigjmp_buf back;
    struct fault *fault;
    struct guard *outer;
};

/* Handlers of the application may come to run on it, and the registers of a CPU with tiles take 11 KiB. */
#define ALTERNATE_STACK ((size_t)64 << 10)

/* What a thread has from its first launch on. */
struct thread {
    struct guard *innermost;
    void *alternate; /* its signal stack, where that is ours */
};

static const int signals[] = {SIGSEGV, SIGBUS};
enum { SIGNALS = 2 };
static struct sigaction before[SIGNALS];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool active;

/* Nothing of ours: as if we were not there. */
static void pass_on(int signal_number, siginfo_t *info, void *context)
{
    const struct sigaction *old = &before[signal_number == signals[0] ? 0 : 1];
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(signal_number, info, context);
    } else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(signal_number);
    } else if (old->sa_handler == SIG_DFL || info->si_code > 0) {
        signal(signal_number, SIG_DFL); /* and the same again */
        if (info->si_code <= 0) raise(signal_number);
    }
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    struct thread *t = pthread_getspecific(key);
    struct guard *g = t ? t->innermost : NULL;
    struct fault *f = g ? g->fault : NULL;
    if (!f || info->si_code <= 0) { /* or somebody sent the signal */
        pass_on(signal_number, info, context);
        return;
    }
    f->happened = true;
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

/* Without one, a kernel that runs out of stack ends the process. */
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
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER; /* so that nothing is blocked after the jump */
    sigemptyset(&ours.sa_mask);
    for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &ours, &before[i]);
    active = true;
}

/* Unloaded: the signals go to whom they went before, unless somebody has taken them since. */
__attribute__((destructor)) static void uninstall(void)
{
    struct sigaction now;
    for (int i = 0; active && i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle)
            sigaction(signals[i], &before[i], NULL);
}

void fault_run(struct fault *f, void (*body)(void *), void *user)
{
    struct thread *t;
    struct guard g;
    pthread_once(&once, install);
    f->happened = false;
    f->subgroup = NULL;
    t = active ? this_thread() : NULL;
    if (!t) {
        body(user);
        return;
    }
    g.fault = f;
    g.outer = t->innermost;
    t->innermost = &g;
    if (sigsetjmp(g.back, 0) == 0) body(user);
    t->innermost = g.outer;
}

#endif
