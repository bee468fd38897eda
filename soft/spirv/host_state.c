/* host_state.c - see host_state.h. */
#define _GNU_SOURCE
#include "host_state.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Whether the thread has the default state; flags of past exceptions do not matter. */
static bool floating_is_default(void)
{
#if defined(__x86_64__)
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (__builtin_ia32_stmxcsr() & 0xffc0) == 0x1f80 && (x87 & 0xf3f) == 0x33f;
#elif defined(__aarch64__)
    unsigned long fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return !(fpcr & 0x7ffffff);
#else
    return false;
#endif
}

void sp_floating_enter(struct sp_floating_state *s)
{
    s->changed = !floating_is_default();
    if (!s->changed) return;
    fegetenv(&s->before);
    fesetenv(FE_DFL_ENV);
}

void sp_floating_leave(const struct sp_floating_state *s)
{
    if (s->changed) fesetenv(&s->before);
}

/* The locale "C" is static in glibc and musl: making it takes no memory. */
void sp_host_enter(struct sp_host_state *s)
{
    sp_floating_enter(&s->floating);
    s->locale = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void sp_host_leave(const struct sp_host_state *s)
{
    uselocale(s->locale);
    sp_floating_leave(&s->floating);
}

double sp_real_read(const char *text, const char **end)
{
    struct sp_host_state host;
    char *stop;
    sp_host_enter(&host);
    double value = strtod(text, &stop);
    sp_host_leave(&host);
    if (end) *end = stop;
    return value;
}

struct sp_real_text sp_real_text(double value)
{
    struct sp_host_state host;
    struct sp_real_text text;
    sp_host_enter(&host);
    snprintf(text.s, sizeof text.s, "%.10g", value);
    sp_host_leave(&host);
    return text;
}
