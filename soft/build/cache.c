/* cache.c - compiled objects on disk: images, the private directory they are kept in, looking up and storing.
 *
 * An entry is a file `<key>-<compiler>.xso` that appears by rename, so a reader sees all of it or nothing; its hash
 * catches what a full disk or a crash leaves. Nothing in the directory is trusted unless directory and file belong to
 * us and nobody else may write them.
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

enum { MAX_IMAGE = 1 << 28, NAME_BYTES = 128, STALE_SECONDS = 3600 };
static const uint64_t default_limit = (uint64_t)512
                                      << 20; /* bytes of all entries; $XETILE_SOFT_CACHE_LIMIT in MiB changes it */
static const char magic[8] = {'X', 'E', 'T', 'I', 'L', 'E', 'S', 'O'};

/* ---- images */

static void hash_image(const struct jit_image_header *h, const void *so, uint8_t hash[32])
{
    struct jit_sha256 s;
    jit_sha256_begin(&s);
    jit_sha256_add(&s, h, offsetof(struct jit_image_header, hash));
    jit_sha256_add(&s, so, (size_t)h->so_bytes);
    jit_sha256_end(&s, hash);
}

void *jit_image_make(const void *so, size_t so_bytes, const struct jit_key *key, size_t *image_bytes)
{
    struct jit_image_header h;
    uint8_t *image = malloc(sizeof h + so_bytes);
    if (!image) return NULL;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.abi_version = XS_ABI_VERSION;
    h.header_bytes = sizeof h;
    h.so_bytes = so_bytes;
    if (key) memcpy(h.key, key->hash, sizeof h.key);
    jit_cpu_hash(h.cpu);
    hash_image(&h, so, h.hash);
    memcpy(image, &h, sizeof h);
    memcpy(image + sizeof h, so, so_bytes);
    *image_bytes = sizeof h + so_bytes;
    return image;
}

const char *jit_image_check(const void *image, size_t size)
{
    struct jit_image_header h;
    uint8_t hash[32];
    if (!image || size < sizeof h) return "too short for a native binary of this device";
    memcpy(&h, image, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0) return "not a native binary of this device";
    if (h.abi_version != XS_ABI_VERSION || h.header_bytes != sizeof h)
        return "a native binary of another version of this device";
    if (h.so_bytes != size - sizeof h) return "a native binary that is cut short";
    hash_image(&h, (const uint8_t *)image + sizeof h, hash);
    if (memcmp(hash, h.hash, sizeof hash) != 0) return "a native binary that is damaged: its hash is wrong";
    jit_cpu_hash(hash);
    if (memcmp(hash, h.cpu, sizeof hash) != 0) return "a native binary made for another CPU or XETILE_SOFT_ISA";
    return NULL;
}

/* ---- files and directories */

void *jit_read_descriptor(int fd, size_t *size)
{
    struct stat s;
    uint8_t *data = NULL;
    size_t have = 0;
    if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0 && s.st_size <= MAX_IMAGE)
        data = malloc((size_t)s.st_size);
    while (data && have < (size_t)s.st_size) {
        ssize_t n = read(fd, data + have, (size_t)s.st_size - have);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        have += (size_t)n;
    }
    close(fd);
    if (data && have != (size_t)s.st_size) {
        free(data);
        return NULL;
    }
    *size = have;
    return data;
}

static bool write_all(int fd, const void *data, size_t size)
{
    const uint8_t *p = data;
    while (size) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

bool jit_write_file(const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good;
    if (fd < 0) return false;
    good = write_all(fd, data, size);
    return close(fd) == 0 && good;
}

static void make_parents(char *path)
{
    char *p;
    for (p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        mkdir(path, 0700);
        *p = '/';
    }
}

/* Where the cache is, or false: switched off, or no place for it. */
static bool cache_path(char *path, size_t size, const char **why)
{
    const char *own = getenv("XETILE_SOFT_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n;
    *why = NULL;
    if (own && strcmp(own, "off") == 0) return false;
    if (own && *own)
        n = snprintf(path, size, "%s", own);
    else if (xdg && *xdg == '/')
        n = snprintf(path, size, "%s/xetile", xdg);
    else if (home && *home == '/')
        n = snprintf(path, size, "%s/.cache/xetile", home);
    else
        return false;
    if (n < 0 || (size_t)n >= size) {
        *why = "its path is too long";
        return false;
    }
    return true;
}

int jit_cache_open(struct sp_text *log)
{
    char path[4096];
    const char *why;
    struct stat s;
    int fd = -1;
    if (cache_path(path, sizeof path, &why)) {
        make_parents(path);
        if (mkdir(path, 0700) != 0 && errno != EEXIST) why = strerror(errno);
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0 && !why) why = strerror(errno);
        if (fd >= 0) {
            why = NULL;
            if (fstat(fd, &s) != 0)
                why = strerror(errno);
            else if (s.st_uid != geteuid())
                why = "it belongs to somebody else";
            else if (s.st_mode & 077)
                why = "others may read or write it (chmod 700 mends that)";
        }
        if (fd >= 0 && why) {
            close(fd);
            fd = -1;
        }
    }
    if (why) sp_text_add(log, "cache: %s is not used: %s\n", path, why);
    return fd;
}

static bool try_private(const char *parent, char *path, size_t size)
{
    int n = parent && *parent == '/' ? snprintf(path, size, "%s/xetile-XXXXXX", parent) : -1;
    return n > 0 && (size_t)n < size && mkdtemp(path) != NULL;
}

bool jit_private_directory(char *path, size_t size, struct sp_text *log)
{
    char cache[4096], absolute[4096];
    const char *why;
    int fd = jit_cache_open(NULL);
    if (fd >= 0) close(fd);
    if (fd >= 0 && cache_path(cache, sizeof cache, &why) && realpath(cache, absolute) &&
        try_private(absolute, path, size))
        return true;
    if (try_private(getenv("TMPDIR"), path, size) || try_private("/tmp", path, size) ||
        try_private("/dev/shm", path, size))
        return true;
    sp_text_add(log, "no place for temporary files: neither the cache, $TMPDIR, /tmp nor /dev/shm can be written to\n");
    return false;
}

static void remove_at(int parent, const char *name, int depth)
{
    struct dirent *e;
    DIR *d;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    d = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && !d) close(fd);
    while (d && (e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (unlinkat(dirfd(d), e->d_name, 0) != 0 && depth > 0) remove_at(dirfd(d), e->d_name, depth - 1);
    }
    if (d) closedir(d);
    unlinkat(parent, name, AT_REMOVEDIR);
}

void jit_remove_directory(const char *path) { remove_at(AT_FDCWD, path, 4); }

/* ---- looking up */

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

/* Opens an entry if it is ours and whole; a damaged one is removed. */
static bool load_entry(int dir, const char *name, const struct jit_key *key, struct jit_object *out)
{
    struct jit_image_header h;
    struct stat s;
    size_t size = 0;
    void *image;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool good;
    if (fd < 0) return false;
    if (fstat(fd, &s) != 0 || s.st_uid != geteuid() || (s.st_mode & 022)) {
        close(fd);
        return false;
    }
    futimens(fd, NULL); /* used now: the oldest go first */
    image = jit_read_descriptor(fd, &size);
    good = image && !jit_image_check(image, size);
    if (good) memcpy(&h, image, sizeof h);
    good = good && memcmp(h.key, key->hash, sizeof h.key) == 0 && jit_load_image(image, size, out, NULL);
    free(image);
    if (!good) unlinkat(dir, name, 0);
    return good;
}

/* An entry of the same key by another compiler; for when there is no working compiler. */
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
            if (jit_compiler_works(&c)) break;
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
    good = load_entry(dir, name, key, out) || load_any(dir, key, out);
    close(dir);
    return good;
}

/* ---- one compiles, the others wait
 *
 * A byte of one file for each key. Such locks go with the descriptor, so a process that dies holds none, and threads
 * wait for each other as processes do. Where they do not exist everybody compiles, which is no error.
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

int jit_cache_lock(const struct jit_key *key)
{
#ifdef F_OFD_SETLK
    const struct timespec nap = {0, 5 * 1000 * 1000};
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    struct timespec now, start;
    uint64_t at;
    int fd = open_locks();
    memcpy(&at, key->hash, sizeof at);
    lock.l_start = (off_t)(at >> 2);
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) != 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((errno != EAGAIN && errno != EACCES && errno != EINTR) ||
            (double)(now.tv_sec - start.tv_sec) > jit_time_limit()) {
            close(fd);
            fd = -1;
        } else {
            nanosleep(&nap, NULL);
        }
    }
    return fd;
#else
    (void)key;
    (void)open_locks;
    return -1;
#endif
}

void jit_cache_unlock(int lock)
{
    if (lock >= 0) close(lock);
}

/* ---- storing, and keeping the size bounded */

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
    const char *text = getenv("XETILE_SOFT_CACHE_LIMIT");
    char *end = NULL;
    unsigned long long mib = text ? strtoull(text, &end, 10) : 0;
    return text && end != text && *end == 0 && mib < (1u << 24) ? mib << 20 : default_limit;
}

/* What a killed process has left: working directories and half-written entries of more than an hour ago. */
static void sweep_stale(int dir, const char *name, const struct stat *s)
{
    if (strncmp(name, "xetile-", 7) != 0 && strncmp(name, "new-", 4) != 0) return;
    if (time(NULL) - s->st_mtime < STALE_SECONDS) return;
    if (S_ISDIR(s->st_mode))
        remove_at(dir, name, 4);
    else
        unlinkat(dir, name, 0);
}

static size_t list_entries(int dir, struct entry **list, uint64_t *total)
{
    size_t count = 0, capacity = 0, length;
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
    struct dirent *e;
    struct stat s;
    if (copy >= 0 && !d) close(copy);
    while (d && (e = readdir(d)) != NULL) {
        length = strlen(e->d_name);
        if (fstatat(dir, e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0) continue;
        sweep_stale(dir, e->d_name, &s);
        if (length < 5 || length >= NAME_BYTES || strcmp(e->d_name + length - 4, ".xso") != 0) continue;
        if (count == capacity) {
            size_t more = capacity ? 2 * capacity : 64;
            struct entry *grown = realloc(*list, more * sizeof **list);
            if (!grown) break;
            *list = grown;
            capacity = more;
        }
        memset(&(*list)[count], 0, sizeof **list);
        memcpy((*list)[count].name, e->d_name, length + 1);
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

/* A file of an unguessable name in the cache. */
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
        good = write_all(fd, image, size);
        good = close(fd) == 0 && good;
        if (!good || renameat(dir, fresh, dir, name) != 0) {
            sp_text_add(log, "cache: an entry could not be written: %s\n", strerror(errno));
            unlinkat(dir, fresh, 0);
        }
        trim(dir);
    }
    close(dir);
}
