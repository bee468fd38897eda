/* loader.c - finds Vulkan's functions when a device is opened; programs need not link with the loader. */
#include "internal.h"

#if defined(_WIN32)
#define VKD_LOADER_NAME_ "vulkan-1.dll"

/* The loader's first function; if it cannot be opened, NULL and the reason. */
static PFN_vkGetInstanceProcAddr vkd_first_function_(char *why, size_t size)
{
    const unsigned long search_default_dirs = 0x1000;
    struct HINSTANCE__ *library = LoadLibraryExA(VKD_LOADER_NAME_, NULL, search_default_dirs);
    vkd_procedure_ found = library ? GetProcAddress(library, "vkGetInstanceProcAddr") : NULL;
    PFN_vkGetInstanceProcAddr first = NULL;
    if (found) memcpy(&first, &found, sizeof first);
    else snprintf(why, size, "error %lu", GetLastError());
    return first;
}
#else
#define VKD_LOADER_NAME_ "libvulkan.so.1"

/* It stays open until the program ends: drivers have threads of their own. */
static PFN_vkGetInstanceProcAddr vkd_first_function_(char *why, size_t size)
{
    void *library = dlopen(VKD_LOADER_NAME_, RTLD_NOW);
    void *found = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
    PFN_vkGetInstanceProcAddr first = NULL;
    const char *error = found ? NULL : dlerror();
    if (found) memcpy(&first, &found, sizeof first);
    else snprintf(why, size, "%s", error ? error : "the dynamic linker does not say why");
    return first;
}
#endif

/* Fills n addresses of functions in d->vk_ from `at` on, from the loader (instance NULL), the instance or the device.
 * */
static bool vkd_find_(vkd_device *d, const char *const *names, size_t n, void *at)
{
    for (size_t i = 0; i < n; i++) {
        PFN_vkVoidFunction found = d->device ? d->vk_->vkGetDeviceProcAddr(d->device, names[i])
                                             : d->vk_->vkGetInstanceProcAddr(d->instance, names[i]);
        if (!found) return vkd_fail_(d, VKD_NO_LOADER, "Vulkan has no function %s", names[i]);
        memcpy((char *)at + i * sizeof found, &found, sizeof found);
    }
    return true;
}

#define VKD_X_(function) "vk" #function,
XE_FN_ bool vkd_find_loader_(vkd_device *d)
{
    static const char *const names[] = {VKD_OF_LOADER_(VKD_X_)};
    char why[512] = "";
    d->vk_ = (vkd_functions_ *)calloc(1, sizeof *d->vk_);
    if (!d->vk_) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for the addresses of functions");
    d->vk_->vkGetInstanceProcAddr = vkd_first_function_(why, sizeof why);
    if (!d->vk_->vkGetInstanceProcAddr)
        return vkd_fail_(d, VKD_NO_LOADER, VKD_LOADER_NAME_ " cannot be opened (%s)", why);
    return vkd_find_(d, names, sizeof names / sizeof *names, &d->vk_->vkCreateInstance);
}

XE_FN_ bool vkd_find_instance_(vkd_device *d)
{
    static const char *const names[] = {VKD_OF_INSTANCE_(VKD_X_)};
    return vkd_find_(d, names, sizeof names / sizeof *names, &d->vk_->vkDestroyInstance);
}

XE_FN_ bool vkd_find_device_(vkd_device *d)
{
    static const char *const names[] = {VKD_OF_DEVICE_(VKD_X_)};
    return vkd_find_(d, names, sizeof names / sizeof *names, &d->vk_->vkDestroyDevice);
}
#undef VKD_X_
