/* files.c - the folder of the cache and other private directories, and files in them.
 *
 * Nothing in the cache's folder is trusted unless folder and file belong to us and nobody else may write them.
 */
#define _GNU_SOURCE
#include "jit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_IMAGE = 1 << 28 };

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
