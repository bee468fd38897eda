/* cache.c - modules as the driver compiled them, in files (cache_files.c). The line of text of a key: format, device,
 * driver, flags, spec constants. */
#include "internal.h"

#define ZED_CACHE_FORMAT_ "xetile-native-1"

/* Fills the key and the path; false if they do not fit, or the driver does not tell its version. */
static bool zed_entry_of_(zed_device *d, const zed_source *s, const zed_constants_ *c, const char *folder,
                          zed_entry_ *e)
{
    ze_driver_properties_t p;
    ZED_CLEAR_(p, DRIVER_PROPERTIES);
    if (d->ze_->zeDriverGetProperties(d->driver, &p) != ZE_RESULT_SUCCESS) {
        zed_cache_note_(d, "not used", folder, "the driver has no version");
        return false;
    }
    int n =
        snprintf(e->head, sizeof e->head, ZED_CACHE_FORMAT_ " %s %08" PRIx32 ":%08" PRIx32 " driver %08" PRIx32 " %s",
                 d->name, d->target.vendor_id, d->target.device_id, p.driverVersion, s->flags ? s->flags : "");
    for (uint32_t i = 0; i < c->list.numConstants && n > 0 && (size_t)n < sizeof e->head - 1; i++)
        n += snprintf(e->head + n, sizeof e->head - (size_t)n, " %" PRIu32 "=%" PRIx64, c->ids[i], c->values[i].as.u);
    bool fits = n > 0 && (size_t)n < sizeof e->head - 1;
    if (fits) e->head[n++] = '\n';
    e->head_size = fits ? (size_t)n : 0;
    e->words = s->words;
    e->bytes = s->bytes;
    e->hash = zed_hash_(zed_hash_(ZED_HASH_START_, e->head, e->head_size), s->words, s->bytes);
    int m = snprintf(e->path, sizeof e->path, "%s/%016" PRIx64 ".zebin", folder, e->hash);
    if (fits && m > 0 && (size_t)m < sizeof e->path - 40) return true;
    zed_cache_note_(d, "not used", folder, "flags, constants or path are too long");
    return false;
}

static bool zed_load_entry_(zed_module *module, zed_device *d, const zed_entry_ *e, const char *flags)
{
    size_t size = 0, bytes = 0;
    unsigned char *file = zed_read_file_(e->path, &size);
    const unsigned char *binary = file ? zed_binary_in_(e, file, size, &bytes) : NULL;
    bool ok = binary && zed_module_make_(module, d, true, binary, bytes, flags, NULL, false);
    free(file);
    if (ok) zed_cache_note_(d, "loaded", e->path, "");
    return ok;
}

/* Stores what the driver compiled. A folder that cannot be written is no error: the module is loaded. */
static void zed_store_entry_(const zed_module *module, const zed_entry_ *e)
{
    zed_device *d = module->device;
    size_t bytes = 0;
    uint8_t *binary = NULL;
    if (d->ze_->zeModuleGetNativeBinary(module->handle, &bytes, NULL) == ZE_RESULT_SUCCESS && bytes)
        binary = (uint8_t *)malloc(bytes);
    if (!binary || d->ze_->zeModuleGetNativeBinary(module->handle, &bytes, binary) != ZE_RESULT_SUCCESS) {
        free(binary);
        zed_cache_note_(d, "not stored", e->path, "the driver gave no binary");
        return;
    }
    zed_replace_file_(d, e, binary, bytes);
    free(binary);
}

/* Loads a source's module; `constants_of` reads its values for spec constants, NULL: it has none. Programs that give
 * none compile without it. */
XE_FN_ bool zed_module_load_with_(zed_module *module, zed_device *d, const zed_source *s, const char *folder,
                                  zed_constants_of_fn_ constants_of)
{
    zed_entry_ e;
    zed_constants_ c;
    if (!module) return d ? zed_usable_(d) && zed_fail_(d, ZED_NULL_POINTER, "zed_module_load: module is NULL") : false;
    memset(module, 0, sizeof *module);
    module->device = d;
    if (d) d->cache_[0] = 0;
    if (!zed_usable_(d)) return false;
    if (!s) return zed_fail_(d, ZED_NULL_POINTER, "zed_module_load_source: the source is NULL");
    if (!zed_module_words_ok_(d, s->words, s->bytes)) return false;
    memset(&c, 0, sizeof c);
    bool ok = !constants_of || constants_of(d, s, &c), cached = ok && folder && *folder;
    cached = cached && zed_entry_of_(d, s, &c, folder, &e);
    bool loaded = cached && zed_load_entry_(module, d, &e, s->flags);
    ok = ok && !d->error.id &&
         (loaded || zed_module_make_(module, d, false, s->words, s->bytes, s->flags, &c, true));
    if (ok && cached && !loaded) zed_store_entry_(module, &e);
    zed_constants_free_(&c);
    return ok;
}

bool zed_module_load_source_(zed_module *module, zed_device *d, const zed_source *s, const char *folder)
{
    return zed_module_load_with_(module, d, s, folder, zed_constants_of_);
}

bool zed_module_load_cached_(zed_module *module, zed_device *d, const void *words, size_t bytes, const char *flags,
                             const char *folder)
{
    zed_source s = {words, bytes, NULL, NULL, flags, {0, 0, 0}, NULL, 0};
    return zed_module_load_with_(module, d, &s, folder, NULL);
}

bool zed_module_load_(zed_module *module, zed_device *d, const void *words, size_t bytes, const char *flags)
{
    return zed_module_load_cached_(module, d, words, bytes, flags, NULL);
}
