/* errors.c - the text of the last error; waiting with a timeout; descriptors. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "ze_soft.h"

/* ---- errors */

static _Thread_local char last_error[2048];

static void keep_error(const char *format, va_list args, bool print)
{
    unsigned char *c = (unsigned char *)last_error;
    vsnprintf(last_error, sizeof last_error, format, args);
    for (; *c; c++) /* names in a module may contain any bytes: replaces control characters */
        if ((*c < 32 && *c != '\n' && *c != '\t') || *c == 127) *c = '?';
    if (print) fprintf(stderr, "xetile software device: %s\n", last_error);
}

ze_result_t soft_fail(ze_result_t result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    keep_error(format, args, getenv("XETILE_SOFT_DEBUG") != NULL);
    va_end(args);
    return result;
}

ze_result_t soft_fail_loudly(ze_result_t result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    keep_error(format, args, true);
    va_end(args);
    return result;
}

const char *soft_last_error(void) { return last_error; }

/* ---- condition variables */

bool soft_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attr;
    bool ok;
    if (pthread_condattr_init(&attr) != 0) return false;
    ok = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 && pthread_cond_init(condition, &attr) == 0;
    pthread_condattr_destroy(&attr);
    return ok;
}

/* These locks are held for less time than a thread takes to fall asleep, so who finds one taken first spins. */
static bool init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;
    bool made;
    if (pthread_mutexattr_init(&attributes) != 0) return false;
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    made = pthread_mutex_init(lock, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    return made;
}

bool soft_signal_init(struct soft_signal *s)
{
    if (!soft_condition_init(&s->changed)) return false;
    if (init_lock(&s->lock)) return true;
    pthread_cond_destroy(&s->changed);
    return false;
}

void soft_signal_free(struct soft_signal *s)
{
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
}

bool soft_signal_is(struct soft_signal *s, const bool *set)
{
    bool answer;
    pthread_mutex_lock(&s->lock);
    answer = *set;
    pthread_mutex_unlock(&s->lock);
    return answer;
}

/* The system may end a wait 50 us late to save wake-ups, which matters for short waits. Sets the thread's timer slack
 * and returns the previous one. */
static unsigned long set_slack(unsigned long ns)
{
#ifdef PR_SET_TIMERSLACK
    int before = prctl(PR_GET_TIMERSLACK);
    if (before > 0 && (unsigned long)before != ns) prctl(PR_SET_TIMERSLACK, ns, 0ul, 0ul, 0ul);
    return before > 0 ? (unsigned long)before : ns;
#else
    return ns;
#endif
}

bool soft_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t deadline)
{
    struct timespec t;
    unsigned long slack;
    bool in_time;
    if (deadline == UINT64_MAX) return pthread_cond_wait(condition, lock) == 0;
    if (soft_now() >= deadline) return false;
    t.tv_sec = (time_t)(deadline / 1000000000u);
    t.tv_nsec = (long)(deadline % 1000000000u);
    slack = set_slack(1);
    in_time = pthread_cond_timedwait(condition, lock, &t) != ETIMEDOUT;
    set_slack(slack);
    return in_time;
}

/* ---- descriptors */

static const struct {
    uint32_t stype;
    const char *what;
} refused_chains[] = {
    {ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC, "this is not exported"}, /* memory is exported by memory_ipc.c */
    {ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD, "this is not imported"},
    {ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_WIN32, "this is not imported"},
    {ZE_STRUCTURE_TYPE_EXTERNAL_MEMMAP_SYSMEM_EXT_DESC,
     "only host memory is made of the program's"}, /* by zeMemAllocHost */
    {ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION_DESC, "no event counts in memory of the program"},
    {ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_AGGREGATE_STORAGE_DESC, "no event counts in memory of the program"},
};

ze_result_t soft_check_link(const ze_base_desc_t *d)
{
    for (size_t i = 0; i < sizeof refused_chains / sizeof refused_chains[0]; i++)
        if ((uint32_t)d->stype == refused_chains[i].stype)
            return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "%s", refused_chains[i].what);
    if (d->stype == ZE_STRUCTURE_TYPE_MEMORY_COMPRESSION_HINTS_EXT_DESC) {
        const ze_memory_compression_hints_ext_desc_t *h = (const void *)d; /* one of two */
        if (h->flags != ZE_MEMORY_COMPRESSION_HINTS_EXT_FLAG_COMPRESSED &&
            h->flags != ZE_MEMORY_COMPRESSION_HINTS_EXT_FLAG_UNCOMPRESSED)
            return soft_fail(ZE_RESULT_ERROR_INVALID_ENUMERATION, "compression hint 0x%x", h->flags);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t soft_check_chain(const void *next)
{
    for (const ze_base_desc_t *d = next; d; d = d->pNext) SOFT_TRY(soft_check_link(d));
    return ZE_RESULT_SUCCESS;
}
