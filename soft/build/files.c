/* files.c - the folder of the cache and other private directories, and files in them.
 *
 * Nothing in the cache folder is trusted unless folder and file belong to us and nobody else can write to them.
 */
#define _GNU_SOURCE
#include "jit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_IMAGE = 1 << 28, ROOM_BYTES = 16 << 20 /* that a compilation may need */ };

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

bool jit_write_all(int fd, const void *data, size_t size)
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
    good = jit_write_all(fd, data, size);
    return close(fd) == 0 && good;
}

/* Warns once about a problem that costs time in each process but breaks nothing. */
static void tell_once(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void tell_once(const char *format, ...)
{
    static _Atomic bool told;
    va_list args;
    if (atomic_exchange(&told, true)) return;
    va_start(args, format);
    fputs("xetile software device: ", stderr);
    vfprintf(stderr, format, args);
    fputs("; kernels are compiled without it\n", stderr);
    va_end(args);
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

/* The path of the cache; false if it is switched off or has no place. */
static bool cache_path(char *path, size_t size, const char **why)
{
    const char *own = jit_setting("XETILE_SOFT_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
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
    if (why) {
        const char *own = jit_setting("XETILE_SOFT_CACHE");
        sp_text_add(log, "cache: %s is not used: %s\n", path, why);
        if (own && *own) tell_once("the folder XETILE_SOFT_CACHE=%s is not used: %s", own, why);
    }
    return fd;
}

/* Is there room for sizeable files? Assumes so if the system cannot tell. */
static bool has_room(const char *directory)
{
    char path[4096 + 32];
    int fd;
    bool room;
    snprintf(path, sizeof path, "%s/room", directory);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    room = fd >= 0 && (fallocate(fd, 0, 0, ROOM_BYTES) == 0 || (errno != ENOSPC && errno != EDQUOT));
    if (fd >= 0) close(fd);
    unlink(path);
    return room;
}

static bool try_private(const char *parent, bool full, char *path, size_t size)
{
    int n = parent && *parent == '/' ? snprintf(path, size, "%s/xetile-XXXXXX", parent) : -1;
    if (n <= 0 || (size_t)n >= size || !mkdtemp(path)) return false;
    if (full || has_room(path)) return true;
    rmdir(path);
    return false;
}

/* Tries places with room first, then any (`full`). */
static bool try_places(const char *cache, bool full, char *path, size_t size)
{
    if (cache && try_private(cache, full, path, size)) return true;
    if (cache && !full && access(cache, W_OK) == 0) tell_once("there is no room in the cache's folder, %s", cache);
    return try_private(getenv("TMPDIR"), full, path, size) || try_private("/tmp", full, path, size) ||
           try_private("/dev/shm", full, path, size);
}

bool jit_private_directory(char *path, size_t size, struct sp_text *log)
{
    char cache[4096], absolute[4096];
    const char *why;
    int fd = jit_cache_open(NULL);
    const char *own = fd >= 0 && cache_path(cache, sizeof cache, &why) ? realpath(cache, absolute) : NULL;
    if (fd >= 0) close(fd);
    if (try_places(own, false, path, size) || try_places(own, true, path, size)) return true;
    sp_text_add(log, "no place for temporary files: neither the cache, $TMPDIR, /tmp nor /dev/shm can be written to\n");
    return false;
}

void jit_remove_at(int parent, const char *name, int depth)
{
    struct dirent *e;
    DIR *d;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    d = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && !d) close(fd);
    while (d && (e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (unlinkat(dirfd(d), e->d_name, 0) != 0 && depth > 0) jit_remove_at(dirfd(d), e->d_name, depth - 1);
    }
    if (d) closedir(d);
    unlinkat(parent, name, AT_REMOVEDIR);
}

void jit_remove_directory(const char *path) { jit_remove_at(AT_FDCWD, path, 4); }
