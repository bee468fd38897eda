/* files.c - the folder of the cache and other private directories, and files in them.
 *
 * Nothing in the cache folder is trusted unless folder and file belong to us and nobody else can write to them. Paths
 * are on the heap, as callers' stacks may be small.
 */
#define _GNU_SOURCE
#include "jit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_IMAGE = 1 << 28, ROOM_BYTES = 16 << 20 /* that a compilation may need */ };

char *jit_text(const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) text = NULL;
    va_end(args);
    return text;
}

/* ---- reading */

int jit_open_regular(int folder, const char *name)
{
    struct stat s;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); /* of a FIFO, too, it returns */
    if (fd < 0 || (fstat(fd, &s) == 0 && S_ISREG(s.st_mode))) return fd;
    close(fd);
    return -1;
}

void *jit_read_file(const char *path, size_t *size)
{
    int fd = path ? jit_open_regular(AT_FDCWD, path) : -1;
    return fd >= 0 ? jit_read_descriptor(fd, size) : NULL;
}

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

/* ---- writing
 *
 * Where a file would exceed the process's limit (RLIMIT_FSIZE), the system sends SIGXFSZ to the thread, which would end
 * a program that knows nothing of these files. Here the call only fails, with EFBIG.
 */

struct held {
    sigset_t before;
    bool pending; /* the program's own */
};

static void hold_signal(struct held *h)
{
    sigset_t one, pending;
    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &one, &h->before);
    h->pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ);
}

static void release_signal(const struct held *h)
{
    const struct timespec at_once = {0, 0};
    const int error = errno;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    if (!h->pending) sigtimedwait(&one, NULL, &at_once); /* takes the signal, if it came */
    pthread_sigmask(SIG_SETMASK, &h->before, NULL);
    errno = error;
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

bool jit_write_all(int fd, const void *data, size_t size)
{
    struct held h;
    hold_signal(&h);
    bool good = write_all(fd, data, size);
    release_signal(&h);
    return good;
}

bool jit_set_size(int fd, uint64_t size)
{
    struct held h;
    hold_signal(&h);
    bool good = ftruncate(fd, (off_t)size) == 0;
    release_signal(&h);
    return good;
}

static bool reserve(int fd, off_t size)
{
    struct held h;
    hold_signal(&h);
    bool good = fallocate(fd, 0, 0, size) == 0;
    release_signal(&h);
    return good;
}

bool jit_write_file(const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good;
    if (fd < 0) return false;
    good = jit_write_all(fd, data, size);
    return close(fd) == 0 && good;
}

/* ---- the cache's folder */

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

/* The path of the cache; NULL if it is switched off or has no place. */
static char *cache_path(void)
{
    const char *own = jit_setting("XETILE_SOFT_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && strcmp(own, "off") == 0) return NULL;
    if (own && *own) return strdup(own);
    if (xdg && *xdg == '/') return jit_text("%s/xetile", xdg);
    return home && *home == '/' ? jit_text("%s/.cache/xetile", home) : NULL;
}

/* NULL, or why the folder is not to be trusted. */
static const char *check_folder(int fd)
{
    struct stat s;
    if (fstat(fd, &s) != 0) return strerror(errno);
    if (s.st_uid != geteuid()) return "it belongs to somebody else";
    return s.st_mode & 077 ? "others may read or write it (chmod 700 mends that)" : NULL;
}

int jit_cache_open(struct sp_text *log)
{
    char *path = cache_path();
    const char *why = NULL, *own = jit_setting("XETILE_SOFT_CACHE");
    int fd;
    if (!path) return -1;
    make_parents(path);
    if (mkdir(path, 0700) != 0 && errno != EEXIST) why = strerror(errno);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && !why) why = strerror(errno);
    if (fd >= 0) why = check_folder(fd);
    if (why) {
        sp_text_add(log, "cache: %s is not used: %s\n", path, why);
        if (own && *own) tell_once("the folder XETILE_SOFT_CACHE=%s is not used: %s", own, why);
    }
    if (fd >= 0 && why) {
        close(fd);
        fd = -1;
    }
    free(path);
    return fd;
}

/* ---- private directories */

/* Is there room for sizeable files? Assumes so if the system cannot tell. */
static bool has_room(const char *directory)
{
    int folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = openat(folder, "room", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool room = fd >= 0 && (reserve(fd, ROOM_BYTES) || (errno != ENOSPC && errno != EDQUOT));
    if (fd >= 0) close(fd);
    unlinkat(folder, "room", 0);
    if (folder >= 0) close(folder);
    return room;
}

static char *try_private(const char *parent, bool full)
{
    char *path = parent && *parent == '/' ? jit_text("%s/xetile-XXXXXX", parent) : NULL;
    if (path && mkdtemp(path)) {
        if (full || has_room(path)) return path;
        rmdir(path);
    }
    free(path);
    return NULL;
}

/* Tries places with room first, then any (`full`). */
static char *try_places(const char *cache, bool full)
{
    const char *const places[] = {getenv("TMPDIR"), "/tmp", "/dev/shm"};
    char *path = cache ? try_private(cache, full) : NULL;
    if (!path && cache && !full && access(cache, W_OK) == 0)
        tell_once("there is no room in the cache's folder, %s", cache);
    for (size_t i = 0; !path && i < sizeof places / sizeof *places; i++) path = try_private(places[i], full);
    return path;
}

char *jit_private_directory(struct sp_text *log)
{
    int fd = jit_cache_open(NULL);
    char *cache = fd >= 0 ? cache_path() : NULL, *absolute = cache ? realpath(cache, NULL) : NULL;
    char *path = try_places(absolute, false);
    if (!path) path = try_places(absolute, true);
    if (fd >= 0) close(fd);
    free(cache);
    free(absolute);
    if (!path)
        sp_text_add(log,
                    "no place for temporary files: neither the cache, $TMPDIR, /tmp nor /dev/shm can be written to\n");
    return path;
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

void jit_remove_directory(char *path)
{
    jit_remove_at(AT_FDCWD, path, 4);
    free(path);
}
