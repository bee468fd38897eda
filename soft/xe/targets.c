/* targets.c - the GPUs whose machine code is executed, and what their generations differ in. */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

static const struct xe_family xe_lp = {32, 128, {0, 1, 2, 4, 5, 8}, true, true},
                              xe_hpg = {32, 256, {0, 1, 2, 4, 5, 7}, false, true},
                              xe_hpc = {64, 256, {0, 1, 2, 4, 5, 8}, false, false},
                              xe2 = {64, 256, {0, 1, 2, 4, 5, 6}, false, false};

static const struct xe_target targets[] = {
    {"tgl", "tgl", &xe_lp}, {"mtl", "mtl-h", &xe_hpg}, {"arl-h", "arl-h", &xe_hpg},
    {"bmg", "bmg", &xe2},   {"pvc", "pvc", &xe_hpc},   {"lnl", "lnl-m", &xe2},
    {"ptl", "ptl", &xe2},   {"wcl", "wcl", &xe2},      {"nvl", "nvl-s", &xe2},
};

const struct xe_target *xe_target_named(const char *name)
{
    for (size_t k = 0; k < sizeof targets / sizeof targets[0]; k++)
        if (!strcmp(name, targets[k].name) || !strcmp(name, targets[k].device)) return &targets[k];
    return NULL;
}

const struct xe_target *xe_target(void)
{
    const char *name = jit_setting("XETILE_SOFT_ISA");
    return name ? xe_target_named(name) : NULL;
}
