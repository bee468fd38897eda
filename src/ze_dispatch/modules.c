/* modules.c - modules and kernels. */
#include "internal.h"

/* The functions for reading a build log. */
typedef struct zed_log_calls_ {
    ze_result_t(ZE_APICALL *get)(ze_module_build_log_handle_t, size_t *, char *);
    ze_result_t(ZE_APICALL *destroy)(ze_module_build_log_handle_t);
} zed_log_calls_;

/* A loader that wraps handles (as with several drivers) does not wrap the log of a module that failed to build, and
 * would take the driver's object for its own. Then only the driver's own functions work, if it provides them. */
static bool zed_log_functions_(zed_device *d, bool failed, zed_log_calls_ *calls)
{
    void *own = d->context, *get = NULL, *destroy = NULL;
    calls->get = d->ze_->zeModuleBuildLogGetString;
    calls->destroy = d->ze_->zeModuleBuildLogDestroy;
    if (!failed || (d->ze_->zelLoaderTranslateHandle(ZEL_HANDLE_CONTEXT, d->context, &own) == ZE_RESULT_SUCCESS &&
                    own == (void *)d->context))
        return true;
    ze_pfnDriverGetExtensionFunctionAddress_t find = d->ze_->zeDriverGetExtensionFunctionAddress;
    if (find(d->driver, "zeModuleBuildLogGetString", &get) != ZE_RESULT_SUCCESS ||
        find(d->driver, "zeModuleBuildLogDestroy", &destroy) != ZE_RESULT_SUCCESS)
        return false;
    memcpy(&calls->get, &get, sizeof get);
    memcpy(&calls->destroy, &destroy, sizeof destroy);
    return get && destroy;
}

/* Stores the whole build log in the device. */
static void zed_keep_log_(zed_device *d, ze_module_build_log_handle_t log, bool failed)
{
    static const char lost[] = "the loader passes no log on while it has several drivers; name one in "
                               "ZE_ENABLE_ALT_DRIVERS to see it. ";
    zed_log_calls_ calls;
    size_t size = 0;
    if (!log) return;
    if (!zed_log_functions_(d, failed, &calls)) {
        const char *text = zed_driver_text_(d);
        size = sizeof lost + strlen(text);
        d->log_ = (char *)malloc(size);
        if (d->log_) snprintf(d->log_, size, "%s%s", lost, text);
        return;
    }
    if (calls.get(log, &size, NULL) == ZE_RESULT_SUCCESS && size) d->log_ = (char *)calloc(size + 1, 1);
    if (d->log_ && calls.get(log, &size, d->log_) != ZE_RESULT_SUCCESS) d->log_[0] = 0;
    for (size = d->log_ ? strlen(d->log_) : 0; size && isspace((unsigned char)d->log_[size - 1]);) d->log_[--size] = 0;
    calls.destroy(log);
}

const char *zed_build_log(const zed_device *d) { return d->log_ ? d->log_ : ""; }

XE_ONCE_
XE_FN_ bool zed_module_words_ok_(zed_device *d, const void *words, size_t bytes)
{
    uint32_t magic = 0;
    if (!words) return zed_fail_(d, ZED_MODULE_WORDS, "the module is NULL (%zu bytes)", bytes);
    if (bytes < 20 || bytes % 4)
        return zed_fail_(d, ZED_MODULE_WORDS, "a module of %zu bytes: SPIR-V is 5 or more words of 4 bytes", bytes);
    memcpy(&magic, words, 4);
    if (magic != 0x07230203u)
        return zed_fail_(d, ZED_MODULE_WORDS, "the module begins with 0x%08" PRIx32 ", SPIR-V with 0x07230203", magic);
    return true;
}

/* Creates a module from SPIR-V and values for its spec constants, or from a binary of the driver's own. A refusal is an
 * error only if `must`. */
XE_FN_ bool zed_module_make_(zed_module *module, zed_device *d, bool native, const void *data, size_t bytes,
                             const char *flags, const zed_constants_ *constants, bool must)
{
    ze_module_desc_t desc;
    ze_module_build_log_handle_t log = NULL;
    ZED_CLEAR_(desc, MODULE_DESC);
    desc.format = native ? ZE_MODULE_FORMAT_NATIVE : ZE_MODULE_FORMAT_IL_SPIRV;
    desc.inputSize = bytes;
    desc.pInputModule = (const uint8_t *)data;
    desc.pBuildFlags = flags && *flags ? flags : NULL;
    desc.pConstants = !native && constants->list.numConstants ? &constants->list : NULL;
    free(d->log_);
    d->log_ = NULL;
    ze_result_t result = d->ze_->zeModuleCreate(d->context, d->device, &desc, &module->handle, &log);
    if (result != ZE_RESULT_SUCCESS) module->handle = NULL;
    zed_keep_log_(d, log, result != ZE_RESULT_SUCCESS);
    if (result != ZE_RESULT_SUCCESS && !must) return false;
    if (result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE) {
        zed_fail_(d, ZED_MODULE_BUILD, "\"%s\" refused a module of %zu bytes (flags \"%s\"): %.1500s", d->name, bytes,
                  flags ? flags : "", d->log_ ? d->log_ : "no build log");
        d->error.result = result;
        return false;
    }
    if (!zed_check_(d, result, "zeModuleCreate", "(%zu bytes, flags \"%s\") %.1000s", bytes, flags ? flags : "",
                    zed_build_log(d)))
        return false;
    if (zed_keep_(d, ZED_RES_MODULE_, module->handle, 0)) return true;
    module->handle = NULL;
    return false;
}

bool zed_module_free_(zed_module *module, const char *file, int line)
{
    bool ok = module && zed_release_(module->device, ZED_RES_MODULE_, module->handle, file, line);
    if (module) module->handle = NULL;
    return ok;
}

static bool zed_no_such_kernel_(zed_device *d, ze_module_handle_t module, const char *name)
{
    uint32_t count = 0;
    size_t used = 0;
    char list[1200] = "";
    const char **names = NULL;
    if (d->ze_->zeModuleGetKernelNames(module, &count, NULL) == ZE_RESULT_SUCCESS && count) {
        names = (const char **)calloc(count, sizeof *names);
    }
    if (names && d->ze_->zeModuleGetKernelNames(module, &count, names) == ZE_RESULT_SUCCESS) {
        for (uint32_t i = 0; i < count && used < sizeof list; i++) {
            int n = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
            used += n > 0 ? (size_t)n : 0;
        }
    }
    free((void *)names);
    zed_fail_(d, ZED_KERNEL_NAME, "the module has no kernel \"%s\"; it has: %s", name, *list ? list : "none");
    d->error.result = ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
    return false;
}

/* 48 -> "16, 32" */
XE_ONCE_
static const char *zed_sizes_text_(uint32_t sizes, char *text, size_t room)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t size = 1; size && size <= sizes && used < room; size <<= 1) {
        int n = sizes & size ? snprintf(text + used, room - used, "%s%" PRIu32, used ? ", " : "", size) : 0;
        used += n > 0 ? (size_t)n : 0;
    }
    return text;
}

/* Checks the kernel's properties, as the driver reports them, against the parameter text and the device. */
static bool zed_kernel_properties_(zed_kernel *k)
{
    zed_device *d = k->device;
    ze_kernel_properties_t p;
    char sizes[64];
    ZED_CLEAR_(p, KERNEL_PROPERTIES);
    if (!zed_check_(d, d->ze_->zeKernelGetProperties(k->handle, &p), "zeKernelGetProperties", "of %s", k->name))
        return false;
    k->required_size[0] = k->local_size[0] = p.requiredGroupSizeX;
    k->required_size[1] = k->local_size[1] = p.requiredGroupSizeY;
    k->required_size[2] = k->local_size[2] = p.requiredGroupSizeZ;
    k->subgroup_size = p.requiredSubgroupSize;
    k->local_bytes = p.localMemSize;
    k->private_bytes = p.privateMemSize;
    k->spill_bytes = p.spillMemSize;
    if (p.numKernelArgs != k->param_count)
        return zed_fail_(d, ZED_PARAM_COUNT, "kernel %s takes %" PRIu32 " arguments, its parameter text lists %" PRIu32,
                         k->name, p.numKernelArgs, k->param_count);
    if (k->subgroup_size && d->target.subgroup_sizes && !(k->subgroup_size & d->target.subgroup_sizes))
        return zed_fail_(d, ZED_SUBGROUP_SIZE, "kernel %s requires subgroups of %" PRIu32 ", \"%s\" has sizes %s",
                         k->name, k->subgroup_size, d->name,
                         zed_sizes_text_(d->target.subgroup_sizes, sizes, sizeof sizes));
    if (k->local_bytes > (uint32_t)d->target.local_memory)
        return zed_fail_(d, ZED_LOCAL_MEMORY,
                         "kernel %s needs %" PRIu32 " bytes of local memory per group, \"%s\" has %d", k->name,
                         k->local_bytes, d->name, d->target.local_memory);
    return true;
}

static bool zed_local_size_ok_(zed_kernel *k, uint32_t x, uint32_t y, uint32_t z)
{
    zed_device *d = k->device;
    const uint32_t *r = k->required_size;
    const uint32_t size[3] = {x, y, z};
    uint64_t all = (uint64_t)x * y;
    if (!x || !y || !z)
        return zed_fail_(d, ZED_LOCAL_SIZE, "kernel %s: a work-group of " ZED_XYZ_ " has no work-item", k->name, x, y,
                         z);
    if (r[0] && (x != r[0] || y != r[1] || z != r[2]))
        return zed_fail_(d, ZED_LOCAL_SIZE, "kernel %s requires work-groups of " ZED_XYZ_ ", got " ZED_XYZ_, k->name,
                         r[0], r[1], r[2], x, y, z);
    if (all <= UINT32_MAX) all *= z;
    for (int i = 0; i < 3; i++) {
        if (d->target.max_group_dim[i] && size[i] > (uint32_t)d->target.max_group_dim[i]) all = UINT64_MAX;
    }
    if (all > (uint64_t)d->target.max_group_size)
        return zed_fail_(d, ZED_GROUP_TOO_LARGE,
                         "kernel %s: a work-group of " ZED_XYZ_ " work-items, \"%s\" allows %d (at most %d x %d x %d)",
                         k->name, x, y, z, d->name, d->target.max_group_size, d->target.max_group_dim[0],
                         d->target.max_group_dim[1], d->target.max_group_dim[2]);
    return true;
}

XE_FN_ bool zed_set_local_size_(zed_kernel *k, uint32_t x, uint32_t y, uint32_t z)
{
    if (!zed_local_size_ok_(k, x, y, z)) return false;
    k->local_size[0] = x;
    k->local_size[1] = y;
    k->local_size[2] = z;
    return zed_check_(k->device, k->device->ze_->zeKernelSetGroupSize(k->handle, x, y, z), "zeKernelSetGroupSize",
                      "(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ") of %s", x, y, z, k->name);
}

/* Is the kernel usable? The next error will name file:line. */
XE_ONCE_
XE_FN_ bool zed_kernel_usable_(zed_kernel *k, const char *file, int line)
{
    if (!k || !k->device) return zed_fail_alone_(ZED_KERNEL_NOT_LOADED, "a launch or local size", file, line);
    if (!zed_usable_(zed_at_(k->device, file, line))) return false;
    if (!k->handle) return zed_fail_(k->device, ZED_KERNEL_NOT_LOADED, "the kernel is not loaded");
    return true;
}

bool zed_local_size_(zed_kernel *k, uint32_t x, uint32_t y, uint32_t z, const char *file, int line)
{
    return zed_kernel_usable_(k, file, line) && zed_set_local_size_(k, x, y, z);
}

/* Creates the kernel's handle; device, module, name and parameters are set. */
static bool zed_kernel_create_(zed_kernel *k)
{
    zed_device *d = k->device;
    ze_kernel_desc_t desc;
    ZED_CLEAR_(desc, KERNEL_DESC);
    desc.pKernelName = k->name;
    ze_result_t result = d->ze_->zeKernelCreate(k->module, &desc, &k->handle);
    if (result != ZE_RESULT_SUCCESS) k->handle = NULL;
    if (result == ZE_RESULT_ERROR_INVALID_KERNEL_NAME) return zed_no_such_kernel_(d, k->module, k->name);
    if (!zed_check_(d, result, "zeKernelCreate", "of %s", k->name)) return false;
    if (zed_keep_(d, ZED_RES_KERNEL_, k->handle, 0)) {
        if (zed_kernel_properties_(k) &&
            (!k->local_size[0] || zed_set_local_size_(k, k->local_size[0], k->local_size[1], k->local_size[2])))
            return true;
        zed_drop_(d, ZED_RES_KERNEL_, k->handle);
    }
    k->handle = NULL;
    return false;
}

bool zed_kernel_get_(zed_kernel *k, zed_module *module, const char *name, const char *params, const char *file,
                     int line)
{
    zed_device *d = module ? module->device : NULL;
    if (k) memset(k, 0, sizeof *k);
    if (!d) return false;
    zed_at_(d, file, line);
    if (k) k->device = d;
    if (!zed_usable_(d)) return false;
    if (!k || !name) return zed_fail_(d, ZED_NULL_POINTER, "zed_kernel_get: %s is NULL", k ? "the name" : "the kernel");
    if (!module->handle) return zed_fail_(d, ZED_KERNEL_NOT_LOADED, "kernel %s: its module is not loaded", name);
    if (strlen(name) >= sizeof k->name) return zed_no_such_kernel_(d, module->handle, name);
    snprintf(k->name, sizeof k->name, "%s", name);
    k->module = module->handle;
    return zed_parse_params_(d, name, params, k->params, &k->param_count) && zed_kernel_create_(k);
}

bool zed_kernel_clone_(zed_kernel *k, const zed_kernel *from, zed_device *d)
{
    if (!k) return false;
    memset(k, 0, sizeof *k);
    k->device = d;
    if (!zed_usable_(d)) return false;
    if (!from || !from->handle) return zed_fail_(d, ZED_KERNEL_NOT_LOADED, "the kernel to clone is not loaded");
    if (from->device->context != d->context)
        return zed_fail_(d, ZED_OTHER_DEVICE, "kernel %s is of \"%s\" (%p), the clone of \"%s\" (%p)", from->name,
                         from->device->name, (const void *)from->device, d->name, (void *)d);
    *k = *from;
    k->device = d;
    k->handle = NULL;
    if (!zed_kernel_create_(k)) return false;
    if (!from->local_size[0]) return true;
    return zed_set_local_size_(k, from->local_size[0], from->local_size[1], from->local_size[2]);
}

bool zed_kernel_free_(zed_kernel *k, const char *file, int line)
{
    bool ok = k && zed_release_(k->device, ZED_RES_KERNEL_, k->handle, file, line);
    if (k) k->handle = NULL;
    return ok;
}
