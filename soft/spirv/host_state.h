/* host_state.h - what a program may have set for its process or thread, and the device must not depend on: the locale
 * (setlocale, uselocale), whose decimal point may be a comma, and the floating-point state: rounding mode, flushing of
 * subnormal numbers, traps. New threads inherit both.
 */
#ifndef XETILE_SOFT_HOST_STATE_H
#define XETILE_SOFT_HOST_STATE_H

#include <fenv.h>
#include <locale.h>
#include <stdbool.h>

struct sp_floating_state {
    bool changed;
    fenv_t before; /* only if it was changed */
};

/* Gives this thread the default floating-point state, and back what it had. In the usual case, that it has the default
 * state already, both take a nanosecond. */
void sp_floating_enter(struct sp_floating_state *s);
void sp_floating_leave(const struct sp_floating_state *s);

struct sp_host_state {
    struct sp_floating_state floating;
    locale_t locale;
};

/* The same with the locale "C" too. */
void sp_host_enter(struct sp_host_state *s);
void sp_host_leave(const struct sp_host_state *s);

/* strtod and printf's %g in the default state. Elsewhere in soft/, neither is used (tests/project/test_locale.sh). */
double sp_real_read(const char *text, const char **end); /* `end` may be NULL */
struct sp_real_text {
    char s[32];
};
struct sp_real_text sp_real_text(double value);

#endif
