/* vulkan_module.h - modules that tests write for Vulkan; the test includes spirv_emit.h before. */
#ifndef XETILE_TEST_VULKAN_MODULE_H
#define XETILE_TEST_VULKAN_MODULE_H

#include "test.h"

/* Ends the kernel and the module, which is saved for spirv-val; a failed check if it has an error. */
static spe_words finish(spe_module *m, const char *name)
{
    char file[64];
    spe_kernel_end(m);
    spe_words w = spe_finish(m);
    snprintf(file, sizeof file, "vulkan_%s", name);
    if (w.data) test_save_spv(file, w.data, w.count * 4);
    else test_fail(__FILE__, __LINE__, "%s: %s", name, spe_get_error(m)->text);
    return w;
}

#endif
