/* loader.c - finds the functions of the Level Zero loader when a device is opened; programs need not link with it. */
#include "internal.h"

#if defined(_WIN32)
#define ZED_LOADER_NAME_ "ze_loader.dll"

/* The loader's handle; if it cannot be opened, NULL and the reason. From the program's folder or the system's, where
 * drivers install it, and not from the current one, whose files may be somebody else's. */
XE_ONCE_
static void *zed_library_(char *why, size_t size)
{
    const unsigned long search_default_dirs = 0x1000;
    void *library = (void *)LoadLibraryExA(ZED_LOADER_NAME_, NULL, search_default_dirs);
    if (!library) snprintf(why, size, "error %lu", GetLastError());
    return library;
}

/* Stores a function's address in a pointer to it. */
XE_ONCE_
static bool zed_find_function_(void *library, const char *name, void *address)
{
    zed_procedure_ found = GetProcAddress((struct HINSTANCE__ *)library, name);
    memcpy(address, &found, sizeof found);
    return found != NULL;
}
#else
#define ZED_LOADER_NAME_ "libze_loader.so.1"

/* The program itself, if it has the functions, as one that is linked with the loader has; else the loader. It stays
 * open until the program ends: it has threads and handlers of its own. */
XE_ONCE_
static void *zed_library_(char *why, size_t size)
{
    void *library = dlopen(NULL, RTLD_NOW);
    const char *error;
    if (library && dlsym(library, "zeInit")) return library;
    library = dlopen(ZED_LOADER_NAME_, RTLD_NOW);
    if (library) return library;
    error = dlerror();
    snprintf(why, size, "%s", error ? error : "the dynamic linker does not say why");
    return NULL;
}

XE_ONCE_
static bool zed_find_function_(void *library, const char *name, void *address)
{
    void *found = dlsym(library, name);
    memcpy(address, &found, sizeof found);
    return found != NULL;
}
#endif

/* Fills d->ze_, which zed_close frees. */
XE_FN_ bool zed_find_functions_(zed_device *d)
{
#define ZED_X_(function) "ze" #function,
    static const char *const names[] = {ZED_FUNCTIONS_(ZED_X_) "zelLoaderTranslateHandle"};
#undef ZED_X_
    char why[512] = "", *at;
    void *library = zed_library_(why, sizeof why);
    size_t count = sizeof names / sizeof names[0];
    if (!library)
        return zed_fail_(d, ZED_NO_LOADER, "no Level Zero driver: " ZED_LOADER_NAME_ " cannot be opened (%s)", why);
    d->ze_ = (zed_functions_ *)calloc(1, sizeof *d->ze_);
    if (!d->ze_) return zed_fail_(d, ZED_OUT_OF_MEMORY, "no room for %zu addresses of functions", count);
    at = (char *)d->ze_;
    for (size_t i = 0; i < count; i++, at += sizeof d->ze_->zeInit) {
        if (!zed_find_function_(library, names[i], at))
            return zed_fail_(d, ZED_NO_LOADER, "the Level Zero loader has no function %s", names[i]);
    }
#if defined(ZED_HAS_DRIVER_TEXT_)
    zed_find_function_(library, "zeDriverGetLastErrorDescription", &d->ze_->zeDriverGetLastErrorDescription);
#endif
    return true;
}
