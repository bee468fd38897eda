/* passes/resources.c - a pass: the work-group's size and the registers per thread, within the target's limits. */
#include "../internal.h"

/* Subgroups that a work-group may have with 256 registers per thread, which halve the hardware's threads. */
XE_FN_ int xt_most_with_256_(const xt_ctx *x) { return x->target.max_group_size / x->S / 2; }

/* Chooses the work-group size and registers per thread, within the target's limits. */
XE_FN_ bool xt_choose_resources_(xt_ctx *x)
{
    spe_line at = {x->desc->file, x->desc->line};
    xt_where_ w = {x, &at};
    int subgroups = x->subgroups ? x->subgroups : 1, registers = x->desc->registers;
    if (registers && registers != 128 && registers != 256)
        return xt_fail_(w, XT_ERROR_REGISTERS, ".registers is %d, wanted 128 or 256", registers);
    if (x->subgroups) at = x->subgroups_at;
    if (subgroups < 0 || subgroups > x->target.max_group_size / x->S)
        return xt_fail_(w, XT_ERROR_GROUP_SIZE, "%d subgroups of %d are %lld work-items, %s has %d", subgroups, x->S,
                        (long long)subgroups * x->S, x->target.name, x->target.max_group_size);
    int most = xt_most_with_256_(x);
    x->registers = x->accumulator_bytes > 4096 || (x->product_bytes > 6144 && subgroups <= most) ? 256 : 128;
    if (registers) x->registers = registers;
    if (x->target.vulkan) x->registers = 128; /* there, compilers choose */
    if (!cm_has_two_register_modes(&x->target)) x->registers = 128;
    return x->registers == 128 || subgroups <= most ||
           xt_fail_(w, XT_ERROR_REGISTERS,
                    "256 for %d subgroups, %s has room for %d; .registers = 128 takes more and may spill", subgroups,
                    x->target.name, most);
}
