/* floating_modes.h - the floating-point states that a program may be in: rounding modes, and subnormal numbers flushed
 * to 0 as operands and results (FTZ and DAZ), as in any program of which a part was linked with -ffast-math. */
#ifndef TEST_FLOATING_MODES_H
#define TEST_FLOATING_MODES_H

#include <fenv.h>

#include "test.h"

enum { MODE_DEFAULT, MODE_FLUSH, MODE_UPWARD, MODE_DOWNWARD, MODE_TOWARDZERO, MODES };

TEST_UNUSED_ static const char *mode_name(int mode)
{
    static const char *const names[MODES] = {"the default", "flushing subnormals", "rounding up", "rounding down",
                                             "rounding to zero"};
    return names[mode];
}

TEST_UNUSED_ static void flush_subnormals(bool flush)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~0x8040u) | (flush ? 0x8040u : 0));
#else
    (void)flush;
#endif
}

TEST_UNUSED_ static void mode_set(int mode)
{
    static const int rounding[MODES] = {FE_TONEAREST, FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    fesetround(rounding[mode]);
    flush_subnormals(mode == MODE_FLUSH);
}

#endif
