/* find_soft.c - finds the software device. */
#include "internal.h"

#if !defined(_WIN32)
/* The first readable libze_soft.so among the documented locations, else its bare name. */
static void zed_soft_path_(char *path, size_t size)
{
    static const char *const near_program[] = {"", "build/", "../", "../build/"};
    static const char *const near_us[] = {"./build/", "./"};
    char program[1024];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash;
    program[length > 0 ? length : 0] = 0;
    slash = strrchr(program, '/');
    if (slash) {
        slash[1] = 0;
        for (size_t i = 0; i < sizeof near_program / sizeof near_program[0]; i++) {
            int n = snprintf(path, size, "%s%slibze_soft.so", program, near_program[i]);
            if (n > 0 && (size_t)n < size && !strchr(path, ',') && access(path, R_OK) == 0) return;
        }
    }
    for (size_t i = 0; i < sizeof near_us / sizeof near_us[0]; i++) {
        snprintf(path, size, "%slibze_soft.so", near_us[i]);
        if (access(path, R_OK) == 0) return;
    }
    snprintf(path, size, "libze_soft.so");
}

/* Appends the software device to Intel's drivers. The list below contains the loader's defaults. */
XE_FN_ bool zed_name_drivers_(zed_device *d)
{
    char path[2048], value[2200];
    const char *soft = getenv("XETILE_SOFT");
    if (getenv("ZE_ENABLE_ALT_DRIVERS")) return true; /* the user's, or set by an earlier zed_open */
    if (soft && !*soft) return true;
    if (soft) {
        int n = snprintf(path, sizeof path, "%s", soft);
        if (n < 0 || (size_t)n >= sizeof path || strchr(path, ',') || access(path, R_OK) != 0)
            return zed_fail_(d, ZED_SOFT_MISSING, "XETILE_SOFT is \"%s\", which cannot be read or has a comma", soft);
    } else {
        zed_soft_path_(path, sizeof path);
    }
    snprintf(value, sizeof value, "libze_intel_gpu.so.1,libze_intel_gpu_legacy1.so.1,%s", path);
    if (setenv("ZE_ENABLE_ALT_DRIVERS", value, 0) != 0)
        return zed_fail_(d, ZED_OUT_OF_MEMORY, "setenv of ZE_ENABLE_ALT_DRIVERS failed");
    return true;
}
#else
XE_FN_ bool zed_name_drivers_(zed_device *d)
{
    (void)d;
    return true;
}
#endif
