/* coroutine.h - stacks that a thread can switch between in a few nanoseconds.
 *
 * The switch is our own assembly on x86-64 and AArch64, and ucontext elsewhere. It preserves what the calling
 * conventions require, including the floating-point control words. AddressSanitizer and ThreadSanitizer are notified of
 * every switch.
 */
#ifndef XETILE_SOFT_COROUTINE_H
#define XETILE_SOFT_COROUTINE_H

#include <stdbool.h>
#include <stddef.h>

/* -DCO_UCONTEXT selects the portable version on any machine. */
#if !defined(CO_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define CO_UCONTEXT 1
#endif
#ifdef CO_UCONTEXT
#include <ucontext.h>
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CO_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define CO_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define CO_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define CO_TSAN 1
#endif

struct coroutine {
    void *sp;             /* saved while another one runs */
    void (*body)(void *); /* called once; must not return */
    void *user;
    void *map; /* NULL: the thread's own stack */
    size_t map_bytes;
    const void *stack; /* lowest usable byte */
    size_t stack_bytes, guard_bytes;
#ifdef CO_UCONTEXT
    ucontext_t context;
#endif
#ifdef CO_ASAN
    void *fake; /* the sanitizer's fake stack */
#endif
#ifdef CO_TSAN
    void *fiber;
#endif
    unsigned valgrind_id;
};

/* At least this many bytes below each stack are inaccessible, to catch overflows. */
#define CO_GUARD ((size_t)64 << 10)
/* Maps a stack, and a guard of half its size, because a large frame may step over a small guard. False if out of
 * memory. */
bool co_create(struct coroutine *c, size_t stack_bytes);
/* Did an access to this address overflow its stack? */
bool co_overflowed(const struct coroutine *c, const void *address);
/* Makes the next switch to it call body(user), wherever it was before. */
void co_start(struct coroutine *c, void (*body)(void *), void *user);
void co_destroy(struct coroutine *c);

/* Makes `c` represent the stack the caller is running on. */
void co_adopt(struct coroutine *c);

void co_switch(struct coroutine *from, struct coroutine *to);

#endif
