/* cache.c - modules as the driver compiled them, kept in files.
 *
 * An entry is named after a hash of its key and contains the key, so that two keys with one hash are told apart: a line
 * of text (format, device, driver, flags, spec constants), the SPIR-V, then the driver's binary and a checksum. It is
 * written under another name and renamed, so that readers never see half of one. */
#include "internal.h"

#define ZED_CACHE_FORMAT_ "xetile-native-1"

/* FNV-1a, 64 bits; continues from `hash`. */
static uint64_t zed_hash_(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

static const uint64_t zed_hash_start_ = 0xcbf29ce484222325u;

typedef struct zed_entry_ {
    char head[2048]; /* the line of text, without zeroes behind it */
    size_t head_size;
    const void *words;
    size_t bytes;
    uint64_t hash;
    char path[1100];
} zed_entry_;

static void zed_cache_note_(zed_device *d, const char *what, const char *path, const char *why)
{
    snprintf(d->cache_, sizeof d->cache_, "%s %s%s%s", what, path, *why ? ": " : "", why);
}

const char *zed_cache_log(const zed_device *d) { return d->cache_; }

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
    e->hash = zed_hash_(zed_hash_(zed_hash_start_, e->head, e->head_size), s->words, s->bytes);
    int m = snprintf(e->path, sizeof e->path, "%s/%016" PRIx64 ".zebin", folder, e->hash);
    if (fits && m > 0 && (size_t)m < sizeof e->path - 40) return true;
    zed_cache_note_(d, "not used", folder, "flags, constants or path are too long");
    return false;
}

/* The file's contents, or NULL. */
static unsigned char *zed_read_file_(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    unsigned char *data = NULL;
    long size = -1;
    if (!f) return NULL;
    if (fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    if (size > 0 && fseek(f, 0, SEEK_SET) == 0) data = (unsigned char *)malloc((size_t)size);
    *bytes = data ? fread(data, 1, (size_t)size, f) : 0;
    fclose(f);
    if (data && *bytes == (size_t)size) return data;
    free(data);
    return NULL;
}

/* The part of an entry's file that is the binary; NULL if the file is damaged, or of another key. */
static const unsigned char *zed_binary_in_(const zed_entry_ *e, const unsigned char *file, size_t size, size_t *bytes)
{
    size_t key = e->head_size + e->bytes;
    uint64_t sum;
    if (size <= key + sizeof sum || memcmp(file, e->head, e->head_size) != 0 ||
        memcmp(file + e->head_size, e->words, e->bytes) != 0)
        return NULL;
    *bytes = size - key - sizeof sum;
    memcpy(&sum, file + size - sizeof sum, sizeof sum);
    return zed_hash_(e->hash, file + key, *bytes) == sum ? file + key : NULL;
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

/* A number that other processes do not have, for the names of files that are being written. */
static unsigned long zed_process_(void)
{
#if defined(_WIN32)
    return (unsigned long)_getpid();
#else
    return (unsigned long)getpid();
#endif
}

/* Writes the entry to the file; false if something could not be written. */
static bool zed_write_parts_(const char *path, const zed_entry_ *e, const uint8_t *binary, size_t bytes)
{
    uint64_t sum = zed_hash_(e->hash, binary, bytes);
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    bool ok = fwrite(e->head, 1, e->head_size, f) == e->head_size && fwrite(e->words, 1, e->bytes, f) == e->bytes &&
              fwrite(binary, 1, bytes, f) == bytes && fwrite(&sum, 1, sizeof sum, f) == sizeof sum;
    return fclose(f) == 0 && ok;
}

/* Stores what the driver compiled. A folder that cannot be written is no error: the module is loaded. */
static void zed_store_entry_(const zed_module *module, const zed_entry_ *e)
{
    zed_device *d = module->device;
    char name[sizeof e->path + 48];
    size_t bytes = 0;
    uint8_t *binary = NULL;
    if (d->ze_->zeModuleGetNativeBinary(module->handle, &bytes, NULL) == ZE_RESULT_SUCCESS && bytes)
        binary = (uint8_t *)malloc(bytes);
    if (!binary || d->ze_->zeModuleGetNativeBinary(module->handle, &bytes, binary) != ZE_RESULT_SUCCESS) {
        free(binary);
        zed_cache_note_(d, "not stored", e->path, "the driver gave no binary");
        return;
    }
    snprintf(name, sizeof name, "%s.%" PRIxPTR ".%lx", e->path, (uintptr_t)binary, (unsigned long)zed_process_());
    bool ok = zed_write_parts_(name, e, binary, bytes);
#if defined(_WIN32) /* where rename does not replace */
    if (ok) remove(e->path);
#endif
    ok = ok && rename(name, e->path) == 0;
    zed_cache_note_(d, ok ? "stored" : "not stored", e->path, ok ? "" : strerror(errno));
    if (!ok) remove(name);
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
