/* usage.c - how much stack each function of an object takes, as the C compiler reports with -fstack-usage. The report
 * is kept in the object's image: after the shared object, which may have anything behind it, come the text, its size in
 * 8 bytes, and a mark.
 */
#define _GNU_SOURCE
#include "jit.h"

#include <stdlib.h>
#include <string.h>

static const char mark[8] = {'X', 'E', 'T', 'I', 'L', 'E', 'S', 'U'};

void *jit_usage_add(void *so, size_t *size, const char *directory)
{
    static const char *const names[] = {"k.so-k.su", "k.su"}; /* of gcc since 11; of older ones and clang */
    uint8_t *grown = NULL, *text = NULL;
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && !text; i++) {
        char *path = jit_text("%s/%s", directory, names[i]);
        text = jit_read_file(path, &bytes);
        free(path);
    }
    if (text) grown = realloc(so, *size + bytes + sizeof(uint64_t) + sizeof mark);
    if (grown) {
        const uint64_t length = bytes;
        memcpy(grown + *size, text, bytes);
        memcpy(grown + *size + bytes, &length, sizeof length);
        memcpy(grown + *size + bytes + sizeof length, mark, sizeof mark);
        *size += bytes + sizeof length + sizeof mark;
    }
    free(text);
    return grown ? grown : so;
}

/* The report's text; NULL: there is none. */
static const char *find(const struct jit_object *o, size_t *bytes)
{
    const uint8_t *image = o->image;
    uint64_t length;
    size_t size = o->image_size, tail = sizeof length + sizeof mark;
    if (!image || size < tail || memcmp(image + size - sizeof mark, mark, sizeof mark) != 0) return NULL;
    memcpy(&length, image + size - tail, sizeof length);
    if (length > size - tail) return NULL;
    *bytes = (size_t)length;
    return (const char *)image + size - tail - length;
}

/* Lines are `file:line:function<tab>bytes<tab>kind`, with a column before the function in gcc's. */
uint64_t jit_stack_usage(const struct jit_object *o, const char *function)
{
    size_t bytes = 0, length = strlen(function);
    const char *at = find(o, &bytes), *end, *next;
    uint64_t most = 0;
    if (!at) return 0;
    for (end = at + bytes; at < end; at = next) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *tab, *name;
        next = stop ? stop + 1 : end;
        tab = memchr(at, '\t', (size_t)(next - at));
        name = tab ? memrchr(at, ':', (size_t)(tab - at)) : NULL;
        if (!name || (size_t)(tab - ++name) < length || memcmp(name, function, length) != 0) continue;
        if (name + length != tab && !strchr("_.", name[length])) continue;
        uint64_t size = 0;
        for (tab++; tab < next && *tab >= '0' && *tab <= '9'; tab++) size = 10 * size + (uint64_t)(*tab - '0');
        if (size > most) most = size;
    }
    return most;
}
