/* helpers.c - in the quick tier: the functions in front of kernels as objects of their own, which kernels share.
 *
 * These functions take up to half of a kernel's compilation, and the next kernel needs nearly the same ones. A text of
 * the quick tier names them in a line, `xs: helpers`, and can be compiled in two parts: what is before that line, with
 * an XS_EXPORT for each function that no object has yet, to one more object; and the text with -DXS_KERNELS_ONLY, where
 * these functions are only declared, linked with the objects.
 *
 * The objects are entries of the cache. A file beside them has a line for each object: its key and the names of its
 * functions. Where processes made objects at the same time, more than one may have a function, which is the same in
 * each of them. The file is only a hint: objects are checked, and a kernel whose parts cannot be made or linked is
 * compiled as a whole. So is the first kernel of all, as a program with a single one would gain nothing.
 */
#define _GNU_SOURCE
#include "jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HASH_BYTES = sizeof((struct jit_key){{0}}).hash, MOST_INDEX = 1 << 20 /* bytes, then it begins anew */ };

const char *const jit_helper_files[JIT_MOST_HELPERS] = {"h0.o", "h1.o", "h2.o", "h3.o", "h4.o", "h5.o",
                                                        "h6.o", "h7.o", "h8.o", "h9.o", "h10.o", "h11.o"};

/* ---- names */

struct jit_name {
    const char *at;
    size_t length;
    int object; /* the one it is taken from; -1: none yet */
};

static int compare_names(const void *a, const void *b)
{
    const struct jit_name *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    return memcmp(x->at, y->at, x->length);
}

static struct jit_name *find_name(const struct jit_helpers *h, const char *at, size_t length)
{
    const struct jit_name wanted = {at, length, -1};
    return bsearch(&wanted, h->name, h->count, sizeof *h->name, compare_names);
}

/* The next word before `end`; *at goes on behind it. */
static const char *next_word(const char **at, const char *end, size_t *length)
{
    while (*at < end && **at == ' ') ++*at;
    const char *word = *at;
    while (*at < end && **at != ' ' && **at != '\n') ++*at;
    *length = (size_t)(*at - word);
    return *length ? word : NULL;
}

static bool read_names(struct jit_helpers *h, const char *at, const char *end)
{
    size_t length;
    h->name = malloc((size_t)(end - at + 1) * sizeof *h->name);
    for (const char *word; h->name && (word = next_word(&at, end, &length)) != NULL;)
        h->name[h->count++] = (struct jit_name){word, length, -1};
    if (h->name) qsort(h->name, h->count, sizeof *h->name, compare_names);
    return h->count > 0;
}

/* ---- the file beside the objects */

static int open_index(const struct jit_helpers *h, int flags)
{
    int dir = jit_cache_open(NULL);
    errno = 0;
    if (dir < 0) return -1;
    int fd = openat(dir, h->index, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    close(dir);
    return fd;
}

/* True for one who is the first to ask: then there is a file from now on. */
static bool is_first(const struct jit_helpers *h)
{
    int fd = open_index(h, O_WRONLY | O_CREAT | O_EXCL);
    if (fd < 0) return errno != EEXIST;
    close(fd);
    return true;
}

/* A line for an object with the functions that no other has. */
static void add_line(const struct jit_helpers *h, const struct jit_key *key)
{
    struct sp_text line = {NULL, 0, 0, false};
    int fd = open_index(h, O_WRONLY | O_APPEND);
    if (fd >= 0 && lseek(fd, 0, SEEK_END) > MOST_INDEX && ftruncate(fd, 0) != 0) line.failed = true;
    for (size_t i = 0; i < HASH_BYTES; i++) sp_text_add(&line, "%02x", key->hash[i]);
    for (size_t i = 0; i < h->count; i++)
        if (h->name[i].object < 0) sp_text_add(&line, " %.*s", (int)h->name[i].length, h->name[i].at);
    sp_text_add(&line, "\n");
    if (fd >= 0 && !line.failed) jit_write_all(fd, line.data, line.size);
    if (fd >= 0) close(fd);
    sp_text_free(&line);
}

static bool read_key(const char *hex, size_t length, struct jit_key *key)
{
    static const char digits[] = "0123456789abcdef";
    if (length != 2 * HASH_BYTES) return false;
    memset(key->hash, 0, sizeof key->hash);
    for (size_t i = 0; i < length; i++) {
        const char *digit = memchr(digits, hex[i], 16);
        if (!digit) return false;
        key->hash[i / 2] = (uint8_t)(key->hash[i / 2] << 4 | (digit - digits));
    }
    return true;
}

/* ---- objects */

/* Adds the lines about functions that are taken from this object. They are `file:line:function<tab>...`, and compilers
 * add what they made of a function after a point. */
static void take_usage(const struct jit_helpers *h, const char *report, size_t bytes, int object, struct sp_text *usage)
{
    for (const char *at = report, *end = report + bytes, *next; at < end; at = next) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        next = stop ? stop + 1 : end;
        const char *tab = memchr(at, '\t', (size_t)(next - at));
        const char *colon = tab ? memrchr(at, ':', (size_t)(tab - at)) : NULL;
        if (!colon) continue;
        const struct jit_name *name = find_name(h, colon + 1, strcspn(colon + 1, ".\t"));
        if (name && name->object == object) sp_text_add(usage, "%.*s", (int)(next - at), at);
    }
}

static bool take_object(const struct jit_helpers *h, const struct jit_key *key, int number, const char *directory,
                        struct sp_text *usage)
{
    size_t size = 0, bytes = 0;
    uint8_t *image = jit_cache_read(key, h->c, &size), *object = image + sizeof(struct jit_image_header);
    if (!image) return false;
    size -= sizeof(struct jit_image_header);
    const char *report = jit_usage_find(object, size, &bytes);
    char *path = jit_text("%s/%s", directory, jit_helper_files[number]);
    if (path) unlink(path); /* of an attempt before */
    bool good = path && jit_write_file(path, object, report ? (size_t)(report - (const char *)object) : size);
    if (good && report) take_usage(h, report, bytes, number, usage);
    free(path);
    free(image);
    return good;
}

/* How many functions of a line are not taken from an object yet? They are now, unless `object` is -1. */
static size_t take_names(const struct jit_helpers *h, const char *at, const char *end, int object)
{
    size_t length, n = 0;
    for (const char *word; (word = next_word(&at, end, &length)) != NULL;) {
        struct jit_name *name = find_name(h, word, length);
        if (!name || name->object >= 0) continue;
        name->object = object;
        n++;
    }
    return n;
}

static void give_names_back(const struct jit_helpers *h, int from_object)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->name[i].object >= from_object) h->name[i].object = -1;
}

/* The line with the most functions that are not taken yet; NULL: there is none. */
static char *best_line(const struct jit_helpers *h, char *index, const char *end)
{
    char *best = NULL, *next;
    size_t most = 0;
    for (char *line = index; line < end; line = next) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : line + (end - line);
        size_t n = take_names(h, line, next, -1);
        if (n <= most) continue;
        best = line;
        most = n;
    }
    return best;
}

/* Takes the functions of a line from its object. A line whose object is not there is made useless. */
static size_t take_line(const struct jit_helpers *h, char *line, const char *end, int object, const char *directory,
                        struct sp_text *usage)
{
    struct jit_key key;
    size_t length, n;
    const char *at = line, *stop = memchr(line, '\n', (size_t)(end - line)), *hex = next_word(&at, end, &length);
    n = take_names(h, at, stop ? stop : end, object);
    if (read_key(hex, length, &key) && take_object(h, &key, object, directory, usage)) return n;
    give_names_back(h, object);
    memset(line, ' ', (size_t)((stop ? stop : end) - line));
    return 0;
}

size_t jit_helpers_find(const struct jit_helpers *h, const char *directory, struct sp_text *usage, size_t *missing)
{
    int fd = open_index(h, O_RDONLY), objects = 0;
    size_t size = 0;
    char *index = fd >= 0 ? jit_read_descriptor(fd, &size) : NULL, *line;
    sp_text_free(usage);
    give_names_back(h, 0);
    *missing = h->count;
    while (index && *missing && objects < JIT_MOST_HELPERS && (line = best_line(h, index, index + size)) != NULL) {
        size_t n = take_line(h, line, index + size, objects, directory, usage);
        *missing -= n;
        objects += n > 0;
    }
    free(index);
    if (*missing && objects == JIT_MOST_HELPERS) give_names_back(h, 0); /* one is to have them all */
    return (size_t)objects;
}

void jit_helpers_text(const struct jit_helpers *h, struct sp_text *text)
{
    sp_text_add(text, "%.*s", (int)h->size, h->text);
    for (size_t i = 0; i < h->count; i++)
        if (h->name[i].object < 0) sp_text_add(text, "XS_EXPORT(%.*s)\n", (int)h->name[i].length, h->name[i].at);
}

void jit_helpers_store(const struct jit_helpers *h, const struct sp_text *text, const void *object, size_t size)
{
    const struct jit_part part = {text->data, text->size};
    struct jit_key key;
    size_t bytes;
    jit_key(&key, &part, 1);
    void *image = jit_image_make(object, size, &key, &bytes);
    if (!image) return;
    jit_cache_store(&key, h->c, image, bytes, NULL);
    free(image);
    add_line(h, &key);
}

/* ---- texts */

/* Everything that a function depends on but its own text, which is in the file that jit_key adds: macros that are
 * defined before all texts. */
static char *name_index(const char *text, size_t size, const struct jit_compiler *c)
{
    const char *texts = memmem(text, size, "\n#if", 4);
    const struct jit_part part = {text, texts ? (size_t)(texts - text) : size};
    struct jit_key key;
    uint64_t half;
    jit_key(&key, &part, 1);
    memcpy(&half, key.hash, sizeof half);
    return jit_text("helpers-%016llx-%016llx", (unsigned long long)half, (unsigned long long)c->identity);
}

bool jit_helpers_begin(struct jit_helpers *h, const char *text, size_t size, const struct jit_compiler *c)
{
    static const char mark[] = "\n/* xs: helpers ";
    const char *list = memmem(text, size, mark, sizeof mark - 1);
    const char *end = list ? memmem(list, size - (size_t)(list - text), " */", 3) : NULL;
    memset(h, 0, sizeof *h);
    if (!end) return false;
    h->text = text;
    h->size = (size_t)(list + 1 - text);
    h->c = c;
    h->index = name_index(text, size, c);
    if (h->index && read_names(h, list + sizeof mark - 1, end) && !is_first(h)) return true;
    jit_helpers_end(h);
    return false;
}

void jit_helpers_end(struct jit_helpers *h)
{
    free(h->index);
    free(h->name);
    memset(h, 0, sizeof *h);
}
