/* targets.c - the GPUs whose machine code is executed. */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

/* ---- targets */

static const struct xe_target targets[] = {
    {"bmg", "bmg", 0xe20b, "Arc B580", 8},
    {"pvc", "pvc", 0x0bd5, "Data Center GPU Max 1550", 4},
    {"lnl", "lnl-m", 0x64a0, "Arc 140V", 8},
    {"ptl", "ptl", 0xb080, "Arc B390", 8},
    {"wcl", "wcl", 0xfd80, "Wildcat Lake", 8},
    {"nvl", "nvl-s", 0xd740, "Nova Lake S", 8},
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
