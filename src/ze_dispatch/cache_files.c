/* cache_files.c - files that keep what a driver compiled. */

/* An entry is named after a hash of its key and contains the key, so that two keys with one hash are told apart: a line
 * of text (format, device, driver and what else matters), the SPIR-V, then the driver's binary and a checksum. It is
 * written under another name and renamed, so that readers never see half of one. */
#include "internal.h"

/* FNV-1a, 64 bits; continues from `hash`, which begins as _HASH_START_ in internal.h. */
XE_FN_ uint64_t zed_hash_(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

XE_FN_ void zed_cache_note_(zed_device *d, const char *what, const char *path, const char *why)
{
    snprintf(d->cache_, sizeof d->cache_, "%s %s%s%s", what, path, *why ? ": " : "", why);
}

const char *zed_cache_log(const zed_device *d) { return d->cache_; }

/* The file's contents, or NULL. */
XE_FN_ unsigned char *zed_read_file_(const char *path, size_t *bytes)
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
XE_FN_ const unsigned char *zed_binary_in_(const zed_entry_ *e, const unsigned char *file, size_t size, size_t *bytes)
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

/* A number that other processes do not have, for the names of files that are being written. */
XE_ONCE_
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

/* Writes an entry, replacing the one there. A folder that cannot be written is no error. */
XE_FN_ void zed_replace_file_(zed_device *d, const zed_entry_ *e, const uint8_t *binary, size_t bytes)
{
    char name[sizeof e->path + 48];
    snprintf(name, sizeof name, "%s.%" PRIxPTR ".%lx", e->path, (uintptr_t)binary, (unsigned long)zed_process_());
    bool ok = zed_write_parts_(name, e, binary, bytes);
#if defined(_WIN32) /* where rename does not replace */
    if (ok) remove(e->path);
#endif
    ok = ok && rename(name, e->path) == 0;
    zed_cache_note_(d, ok ? "stored" : "not stored", e->path, ok ? "" : strerror(errno));
    if (!ok) remove(name);
}
