/* targets.c - the GPUs whose machine code is executed, and what their generations differ in. */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct xe_family
    xe_lp = {.grf_bytes = 32, .grfs = 128, .thread_bits = {0, 1, 2, 4, 5, 8}, .arguments_in_registers = true,
             .scratch_has_addresses = true, .mach_is_macl = true},
    xe_hpg = {.grf_bytes = 32, .grfs = 256, .thread_bits = {0, 1, 2, 4, 5, 7}, .mach_is_macl = true},
    xe_hpc = {.grf_bytes = 64, .grfs = 256, .thread_bits = {0, 1, 2, 4, 5, 8}},
    xe2 = {.grf_bytes = 64, .grfs = 256, .thread_bits = {0, 1, 2, 4, 5, 6}},
    xe3p = {.grf_bytes = 64, .grfs = 512, .thread_bits = {0, 1, 2, 4, 5, 6}, .pointers = true,
            .named_apart = true};

static const struct xe_target targets[] = {
    {"tgl", "tgl", &xe_lp},
    {"dg1", "dg1", &xe_lp},
    {"mtl", "mtl-h", &xe_hpg},
    {"arl-h", "arl-h", &xe_hpg},
    {"dg2", "dg2", &xe_hpg},
    {"pvc", "pvc", &xe_hpc},
    {"bmg", "bmg", &xe2},
    {"lnl", "lnl-m", &xe2},
    {"ptl", "ptl", &xe2},
    {"wcl", "wcl", &xe2},
    {"nvl", "nvl-s", &xe2},
    {"nvl-p", "nvl-p", &xe3p},
    {"cri", "cri", &xe3p},
};
/* clang-format on */

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
