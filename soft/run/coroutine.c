/* coroutine.c - see coroutine.h. */
#define _GNU_SOURCE
#include "coroutine.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__has_include) && !defined(NVALGRIND)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif

#ifdef CO_ASAN
void __sanitizer_start_switch_fiber(void **fake_save, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *fake, const void **bottom_old, size_t *size_old);
#endif
#ifdef CO_TSAN
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
#endif

#ifndef CO_UCONTEXT
/* Stores the callee-saved state on the stack and its address in *save, then restores the state at `to`. */
void xetile_co_swap(void **save, void *to);
/* A new coroutine's first switch returns here. */
void xetile_co_entry(void);
#endif

#if defined(CO_UCONTEXT)
/* uses swapcontext */
#elif defined(__x86_64__)
__asm__(".text\n"
        ".hidden xetile_co_swap\n.globl xetile_co_swap\n.type xetile_co_swap,@function\n"
        "xetile_co_swap:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    subq $8, %rsp\n    stmxcsr (%rsp)\n    fnstcw 4(%rsp)\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    ldmxcsr (%rsp)\n    fldcw 4(%rsp)\n    addq $8, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size xetile_co_swap,.-xetile_co_swap\n"
        ".hidden xetile_co_entry\n.globl xetile_co_entry\n.type xetile_co_entry,@function\n"
        "xetile_co_entry:\n"
        "    xorl %ebp, %ebp\n    movq %r12, %rdi\n    call *%r13\n    ud2\n"
        ".size xetile_co_entry,.-xetile_co_entry\n");

/* The frame that xetile_co_swap restores: control words, r15 r14 r13 r12 rbx rbp, return address. */
static void *first_frame(uint8_t *top, void (*call)(void *), void *argument)
{
    uint64_t *frame = (uint64_t *)(void *)top - 10; /* at entry the stack is a multiple of 16 */
    uint32_t control[2] = {0, 0};
    memset(frame, 0, 10 * sizeof *frame);
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(control[0]), "=m"(control[1]));
    memcpy(frame, control, sizeof control);
    frame[3] = (uint64_t)(uintptr_t)call;
    frame[4] = (uint64_t)(uintptr_t)argument;
    frame[7] = (uint64_t)(uintptr_t)xetile_co_entry;
    return frame;
}
#elif defined(__aarch64__)
__asm__(".text\n"
        ".hidden xetile_co_swap\n.globl xetile_co_swap\n.type xetile_co_swap,%function\n"
        "xetile_co_swap:\n"
        "    sub sp, sp, #176\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n    mrs x9, fpcr\n    str x9, [sp, #160]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldr x9, [sp, #160]\n    msr fpcr, x9\n"
        "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n    add sp, sp, #176\n    ret\n"
        ".size xetile_co_swap,.-xetile_co_swap\n"
        ".hidden xetile_co_entry\n.globl xetile_co_entry\n.type xetile_co_entry,%function\n"
        "xetile_co_entry:\n"
        "    mov x29, xzr\n    mov x30, xzr\n    mov x0, x19\n    blr x20\n    brk #1\n"
        ".size xetile_co_entry,.-xetile_co_entry\n");

static void *first_frame(uint8_t *top, void (*call)(void *), void *argument)
{
    uint64_t *frame = (uint64_t *)(void *)(top - 176), control;
    memset(frame, 0, 176);
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    frame[0] = (uint64_t)(uintptr_t)argument;
    frame[1] = (uint64_t)(uintptr_t)call;
    frame[11] = (uint64_t)(uintptr_t)xetile_co_entry;
    frame[20] = control;
    return frame;
}
#endif

/* Page sizes do not exceed CO_GUARD. */
static size_t round_up(size_t bytes) { return (bytes + CO_GUARD - 1) / CO_GUARD * CO_GUARD; }

bool co_create(struct coroutine *c, size_t stack_bytes)
{
    size_t size = round_up(stack_bytes), guard = round_up(size / 2);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    uint8_t *map;
    memset(c, 0, sizeof *c);
    map = mmap(NULL, guard + size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (map == MAP_FAILED) return false;
    if (mprotect(map, guard, PROT_NONE) != 0) {
        munmap(map, guard + size);
        return false;
    }
    c->map = map;
    c->map_bytes = guard + size;
    c->stack = map + guard;
    c->guard_bytes = guard;
    c->stack_bytes = size;
#ifdef CO_TSAN
    c->fiber = __tsan_create_fiber(0);
#endif
#ifdef VALGRIND_STACK_REGISTER
    c->valgrind_id = VALGRIND_STACK_REGISTER(map + guard, map + guard + size);
#endif
    return true;
}

bool co_overflowed(const struct coroutine *c, const void *address)
{
    uintptr_t at = (uintptr_t)address, low = (uintptr_t)c->stack;
    return c->map && at < low && low - at <= c->guard_bytes;
}

void co_destroy(struct coroutine *c)
{
    if (!c->map) return;
#ifdef CO_TSAN
    __tsan_destroy_fiber(c->fiber);
#endif
#ifdef VALGRIND_STACK_DEREGISTER
    VALGRIND_STACK_DEREGISTER(c->valgrind_id);
#endif
    munmap(c->map, c->map_bytes);
    c->map = NULL;
}

static void first_call(void *argument)
{
    struct coroutine *c = argument;
#ifdef CO_ASAN
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
#endif
    c->body(c->user);
    __builtin_trap(); /* bodies leave by switching away, never by returning */
}

#ifdef CO_UCONTEXT
/* makecontext passes ints: the pointer goes in two halves. */
static void first_call_halves(unsigned high, unsigned low)
{
    first_call((void *)(uintptr_t)((uint64_t)high << 32 | low));
}
#endif

void co_start(struct coroutine *c, void (*body)(void *), void *user)
{
    c->body = body;
    c->user = user;
#ifdef CO_ASAN
    c->fake = NULL;
#endif
#ifdef CO_TSAN
    /* Bodies never return, so the sanitizer's call stack of a fiber would overflow after some 10,000 starts. */
    __tsan_destroy_fiber(c->fiber);
    c->fiber = __tsan_create_fiber(0);
#endif
#ifdef CO_UCONTEXT
    getcontext(&c->context);
    c->context.uc_stack.ss_sp = (void *)(uintptr_t)c->stack;
    c->context.uc_stack.ss_size = c->stack_bytes;
    c->context.uc_link = NULL;
    makecontext(&c->context, (void (*)(void))first_call_halves, 2, (unsigned)((uint64_t)(uintptr_t)c >> 32),
                (unsigned)(uintptr_t)c);
#else
    c->sp = first_frame((uint8_t *)(uintptr_t)c->stack + c->stack_bytes, first_call, c);
#endif
}

void co_adopt(struct coroutine *c)
{
    memset(c, 0, sizeof *c);
#ifdef CO_ASAN
    pthread_attr_t attr;
    void *low = NULL;
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstack(&attr, &low, &c->stack_bytes);
        pthread_attr_destroy(&attr);
    }
    c->stack = low;
#endif
#ifdef CO_TSAN
    c->fiber = __tsan_get_current_fiber();
#endif
}

void co_switch(struct coroutine *from, struct coroutine *to)
{
#ifdef CO_ASAN
    __sanitizer_start_switch_fiber(&from->fake, to->stack, to->stack_bytes);
#endif
#ifdef CO_TSAN
    __tsan_switch_to_fiber(to->fiber, 0);
#endif
#ifdef CO_UCONTEXT
    swapcontext(&from->context, &to->context);
#else
    xetile_co_swap(&from->sp, to->sp);
#endif
#ifdef CO_ASAN
    __sanitizer_finish_switch_fiber(from->fake, NULL, NULL);
#endif
}
