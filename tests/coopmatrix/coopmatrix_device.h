/* coopmatrix_device.h - the device of the tests of coopmatrix.h, and which targets' modules it runs. */
#ifndef COOPMATRIX_DEVICE_H
#define COOPMATRIX_DEVICE_H

#include "coopmatrix.h"
#include "test.h"
#include "ze_dispatch.h"

static zed_device device;
static bool have_device;

/* Whether the device runs what is made for the target: the software device everything; one that executes machine code,
 * or stands for a GPU, only what needs no message and no instruction beyond its own. */
TEST_UNUSED_ static bool device_runs(const cm_target *t, int S)
{
    const cm_target *own = cm_target_row(device.target.name);
    uint32_t size = (uint32_t)S;
    if (!have_device || !(device.target.subgroup_sizes & size)) return false;
    if (!strcmp(device.target.name, "soft") || t->vulkan) return true;
    return own && !(t->dpas_sizes & ~own->dpas_sizes & size) && !(t->block2d_sizes & ~own->block2d_sizes & size) &&
           !(t->dpas_sizes & size && t->dpas_operands & ~own->dpas_operands);
}

TEST_UNUSED_ static bool on_vulkan(void)
{
    return have_device && cm_environment(&(spe_device){.name = device.target.name}) == SPE_ENV_VULKAN;
}

/* The device's own target for what is meant for others: a Vulkan device runs nothing else. Gives the subgroup size. */
TEST_UNUSED_ static int adopt_vulkan(cm_target *target, int S, cm_lowering *lowering)
{
    uint32_t sizes = have_device ? device.target.subgroup_sizes & (8 | 16 | 32) : 0;
    if (!on_vulkan()) return S;
    *target = *cm_target_row(device.target.name);
    target->subgroup_sizes = device.target.subgroup_sizes;
    target->max_group_size = device.target.max_group_size;
    target->local_memory = device.target.local_memory;
    if (*lowering == CM_INTEL) *lowering = CM_AUTO;
    return sizes & (uint32_t)S ? S : (int)(sizes & (0 - sizes));
}

#endif
