/* cache.c - compiled objects on disk: lookup, waiting for others' compilations, storage, limiting the size.
 *
 * An entry is a file `<key>-<compiler>.xso` created by rename, so readers see it completely or not at all; its hash
 * detects damage from a full disk or a crash.
 */
#define _GNU_SOURCE
#include "jit.h"

#include "abi.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_BYTES = 128, STALE_SECONDS = 3600 };
static const uint64_t default_limit = (uint64_t)512 << 20; /* bytes of all entries; see $XETILE_SOFT_CACHE_LIMIT */

/* ---- lookup */

static void hex(char *to, const uint8_t *from, size_t bytes)
{
    size_t i;
    for (i = 0; i < bytes; i++) snprintf(to + 2 * i, 3, "%02x", from[i]);
}

static void entry_name(char name[NAME_BYTES], const struct jit_key *key, const struct jit_compiler *c)
{
    char text[65];
    hex(text, key->hash, sizeof key->hash);
    snprintf(name, NAME_BYTES, "%s-%016llx.xso", text, (unsigned long long)c->identity);
}

/* Reads an entry if it is ours and intact; removes a damaged one. */
static void *read_entry(int dir, const char *name, const struct jit_key *key, size_t *size)
{
    struct jit_image_header h;
    struct stat s;
    void *image;
    int fd = jit_open_regular(dir, name);
    if (fd < 0) return NULL;
    if (fstat(fd, &s) != 0 || s.st_uid != geteuid() || (s.st_mode & 022)) {
        close(fd);
        return NULL;
    }
    futimens(fd, NULL); /* marks it as recently used */
    image = jit_read_descriptor(fd, size);
    bool good = image && !jit_image_check(image, *size);
    if (good) memcpy(&h, image, sizeof h);
    if (good && memcmp(h.key, key->hash, sizeof h.key) == 0) return image;
    free(image);
    unlinkat(dir, name, 0);
    return NULL;
}

static bool load_entry(int dir, const char *name, const struct jit_key *key, struct jit_object *out)
{
    size_t size = 0;
    void *image = read_entry(dir, name, key, &size);
    bool good = image && jit_load_image(image, size, out, NULL);
    if (image && !good) unlinkat(dir, name, 0);
    free(image);
    return good;
}

void *jit_cache_read(const struct jit_key *key, const struct jit_compiler *c, size_t *size)
{
    char name[NAME_BYTES];
    int dir = jit_cache_open(NULL);
    if (dir < 0) return NULL;
    entry_name(name, key, c);
    void *image = read_entry(dir, name, key, size);
    close(dir);
    return image;
}

/* An entry with the same key by any compiler, for use without a working compiler. */
static bool load_any(int dir, const struct jit_key *key, struct jit_object *out)
{
    char prefix[65];
    struct dirent *e;
    DIR *d;
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = false;
    d = copy >= 0 ? fdopendir(copy) : NULL;
    if (copy >= 0 && !d) close(copy);
    hex(prefix, key->hash, sizeof key->hash);
    while (!good && d && (e = readdir(d)) != NULL)
        if (strncmp(e->d_name, prefix, 64) == 0 && e->d_name[64] == '-') {
            struct jit_compiler c;
            jit_find_compiler(&c);
            bool works = jit_compiler_works(&c);
            jit_forget_compiler(&c);
            if (works) break;
            good = load_entry(dir, e->d_name, key, out);
        }
    if (d) closedir(d);
    return good;
}

bool jit_cache_find(const struct jit_key *key, struct jit_object *out)
{
    char name[NAME_BYTES];
    struct jit_compiler c;
    int dir = jit_cache_open(NULL);
    bool good;
    memset(out, 0, sizeof *out);
    if (dir < 0) return false;
    jit_find_compiler(&c);
    entry_name(name, key, &c);
    jit_forget_compiler(&c);
    good = load_entry(dir, name, key, out) || load_any(dir, key, out);
    close(dir);
    return good;
}

/* ---- one compiles, the others wait
 *
 * Each key locks a byte of one file. The locks belong to the descriptor, so they vanish with a process that dies, and
 * threads exclude each other as processes do. Copies of it, which children of the process may have, keep the lock, so
 * it is released before it is closed. Without such locks everyone compiles, which is harmless.
 */

static int open_locks(void)
{
    int dir = jit_cache_open(NULL), fd;
    struct stat s;
    if (dir < 0) return -1;
    fd = openat(dir, "locks", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    close(dir);
    if (fd >= 0 && (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != geteuid())) {
        close(fd);
        return -1;
    }
    return fd;
}

bool jit_cache_lock(const struct jit_key *key, struct jit_descriptor *lock)
{
    const struct timespec nap = {0, 5 * 1000 * 1000};
    struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    struct timespec now, start;
    uint64_t at;
    memcpy(&at, key->hash, sizeof at);
    byte.l_start = (off_t)(at >> 2);
    jit_descriptors_begin();
    jit_descriptor_add(lock, open_locks());
    jit_descriptors_end();
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (lock->fd >= 0 && fcntl(lock->fd, F_OFD_SETLK, &byte) != 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((errno != EAGAIN && errno != EACCES && errno != EINTR) ||
            (double)(now.tv_sec - start.tv_sec) > jit_time_limit())
            jit_descriptor_close(lock);
        else
            nanosleep(&nap, NULL);
    }
    return lock->fd >= 0;
}

void jit_cache_unlock(struct jit_descriptor *lock)
{
    struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    if (lock->fd >= 0) fcntl(lock->fd, F_OFD_SETLK, &whole);
    jit_descriptor_close(lock);
}

/* ---- storing, limiting the size */

struct entry {
    char name[NAME_BYTES];
    uint64_t bytes;
    struct timespec used;
};

static int by_age(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static uint64_t size_limit(void)
{
    const char *text = jit_setting("XETILE_SOFT_CACHE_LIMIT");
    char *end = NULL;
    unsigned long long mib = text ? strtoull(text, &end, 10) : 0;
    return text && end != text && *end == 0 && mib < (1u << 24) ? mib << 20 : default_limit;
}

/* Removes leftovers of killed processes: working directories and partial entries more than an hour old. */
static void sweep_stale(int dir, const char *name, const struct stat *s)
{
    if (strncmp(name, "xetile-", 7) != 0 && strncmp(name, "new-", 4) != 0) return;
    if (time(NULL) - s->st_mtime < STALE_SECONDS) return;
    if (S_ISDIR(s->st_mode))
        jit_remove_at(dir, name, 4);
    else
        unlinkat(dir, name, 0);
}

/* An object, or a list of objects (helpers.c). */
static bool is_entry(const char *name)
{
    size_t length = strlen(name);
    if (length < 5 || length >= NAME_BYTES) return false;
    return strcmp(name + length - 4, ".xso") == 0 || strncmp(name, "helpers-", 8) == 0;
}

static size_t list_entries(int dir, struct entry **list, uint64_t *total)
{
    size_t count = 0, capacity = 0;
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
    struct dirent *e;
    struct stat s;
    if (copy >= 0 && !d) close(copy);
    while (d && (e = readdir(d)) != NULL) {
        if (fstatat(dir, e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0) continue;
        sweep_stale(dir, e->d_name, &s);
        if (!is_entry(e->d_name)) continue;
        if (count == capacity) {
            size_t more = capacity ? 2 * capacity : 64;
            struct entry *grown = realloc(*list, more * sizeof **list);
            if (!grown) break;
            *list = grown;
            capacity = more;
        }
        memset(&(*list)[count], 0, sizeof **list);
        strcpy((*list)[count].name, e->d_name);
        (*list)[count].bytes = (uint64_t)s.st_size;
        (*list)[count++].used = s.st_mtim;
        *total += (uint64_t)s.st_size;
    }
    if (d) closedir(d);
    return count;
}

static void trim(int dir)
{
    uint64_t total = 0, limit = size_limit();
    struct entry *list = NULL;
    size_t count = list_entries(dir, &list, &total), i;
    if (total > limit) {
        qsort(list, count, sizeof *list, by_age);
        for (i = 0; i < count && total > limit / 4 * 3; i++)
            if (unlinkat(dir, list[i].name, 0) == 0) total -= list[i].bytes;
    }
    free(list);
}

/* Creates a file with an unguessable name in the cache. */
static int create_new(int dir, char name[NAME_BYTES])
{
    uint64_t random = 0;
    int source = open("/dev/urandom", O_RDONLY | O_CLOEXEC), fd;
    ssize_t n = source >= 0 ? read(source, &random, sizeof random) : -1;
    if (source >= 0) close(source);
    if (n != sizeof random) return -1;
    snprintf(name, NAME_BYTES, "new-%016llx", (unsigned long long)random);
    fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd;
}

void jit_cache_store(const struct jit_key *key, const struct jit_compiler *c, const void *image, size_t size,
                     struct sp_text *log)
{
    char name[NAME_BYTES], fresh[NAME_BYTES];
    int dir = jit_cache_open(log), fd;
    bool good;
    if (dir < 0) return;
    fd = create_new(dir, fresh);
    if (fd >= 0) {
        entry_name(name, key, c);
        good = jit_write_all(fd, image, size);
        good = close(fd) == 0 && good;
        if (!good || renameat(dir, fresh, dir, name) != 0) {
            sp_text_add(log, "cache: an entry could not be written: %s\n", strerror(errno));
            unlinkat(dir, fresh, 0);
        }
        trim(dir);
    }
    close(dir);
}
