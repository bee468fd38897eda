/* usage.c - how much stack kernels take, as the C compiler reports for each function with -fstack-usage. The report is
 * kept in the object's image: after the shared object, which may have anything behind it, come the text, its size in
 * 8 bytes, and a mark.
 */
#define _GNU_SOURCE
#include "jit.h"

#include "abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[8] = {'X', 'E', 'T', 'I', 'L', 'E', 'S', 'U'};

void *jit_usage_add(void *so, size_t *size, const char *directory, const struct sp_text *more)
{
    static const char *const names[] = {"k.so-k.su", "k.su"}; /* of gcc since 11; of older ones and clang */
    uint8_t *grown = NULL, *text = NULL;
    size_t own = 0, others = more ? more->size : 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && !text; i++) {
        char *path = jit_text("%s/%s", directory, names[i]);
        text = jit_read_file(path, &own);
        free(path);
    }
    size_t bytes = own + others;
    if (text) grown = realloc(so, *size + bytes + sizeof(uint64_t) + sizeof mark);
    if (grown) {
        const uint64_t length = bytes;
        memcpy(grown + *size, text, own);
        if (others) memcpy(grown + *size + own, more->data, others);
        memcpy(grown + *size + bytes, &length, sizeof length);
        memcpy(grown + *size + bytes + sizeof length, mark, sizeof mark);
        *size += bytes + sizeof length + sizeof mark;
    }
    free(text);
    return grown ? grown : so;
}

/* ---- what it says of kernels */

const char *jit_usage_find(const void *object, size_t size, size_t *bytes)
{
    const uint8_t *so = object;
    uint64_t length;
    size_t tail = sizeof length + sizeof mark;
    if (size < tail || memcmp(so + size - sizeof mark, mark, sizeof mark) != 0) return NULL;
    memcpy(&length, so + size - tail, sizeof length);
    if (length > size - tail) return NULL;
    *bytes = (size_t)length;
    return (const char *)so + size - tail - length;
}

/* The frames of some C functions. */
struct frames {
    uint64_t sum, largest;
};

struct usage {
    uint32_t kernels, functions;
    bool *is_kernel;         /* of each function of the module, up to the last kernel's: is it a kernel's? */
    struct frames *function; /* ... and its C functions, if so */
    struct frames *kernel;   /* what calls it, for each kernel */
    struct frames others;
};

/* The number after these letters, where it follows; *at goes on behind it. */
static bool number_after(const char **at, const char *letters, uint32_t *n)
{
    const size_t length = strlen(letters);
    char *end;
    if (strncmp(*at, letters, length) != 0 || (*at)[length] < '0' || (*at)[length] > '9') return false;
    *n = (uint32_t)strtoul(*at + length, &end, 10);
    *at = end;
    return true;
}

/* C functions of the module's function F begin with fF_S or dF_S, S the subgroup's size; kernel number K is called by
 * kernelK and groupsK. Compilers add what they made of them, after a point. */
static struct frames *frames_of(struct usage *u, const char *name)
{
    uint32_t n, S;
    if (number_after(&name, "kernel", &n) || number_after(&name, "groups", &n))
        return n < u->kernels ? &u->kernel[n] : &u->others;
    if ((number_after(&name, "f", &n) || number_after(&name, "d", &n)) && number_after(&name, "_", &S) &&
        n < u->functions && u->is_kernel[n])
        return &u->function[n];
    return &u->others;
}

/* Lines are `file:line:function<tab>bytes<tab>kind`, with a column before the function in gcc's. */
static void read_report(struct usage *u, const char *at, size_t bytes)
{
    for (const char *end = at + bytes, *next; at < end; at = next) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *tab, *colon;
        char name[32];
        next = stop ? stop + 1 : end;
        tab = memchr(at, '\t', (size_t)(next - at));
        colon = tab ? memrchr(at, ':', (size_t)(tab - at)) : NULL;
        if (!colon) continue;
        snprintf(name, sizeof name, "%.*s", (int)(tab - colon - 1), colon + 1);
        struct frames *f = frames_of(u, name);
        uint64_t size = 0;
        for (tab++; tab < next && *tab >= '0' && *tab <= '9'; tab++) size = 10 * size + (uint64_t)(*tab - '0');
        f->sum += size;
        if (size > f->largest) f->largest = size;
    }
}

enum { USUAL_FRAME = 2048 }; /* at most, of kernels that spill little or nothing: positions, masks, saved registers */

/* No function calls itself, but by pointer, which the stack's depth limits. So the frames of all but other kernels'
 * functions are the most that a kernel takes. What they have beyond private arrays and the usual are spills. */
static void set_kernel(struct xs_kernel *k, const struct usage *u, uint32_t number, bool pointers)
{
    const struct frames *own = &u->function[k->function], *caller = &u->kernel[number];
    uint64_t stack = u->others.sum + own->sum + caller->sum + (pointers ? XS_POINTER_STACK : 0);
    uint64_t frame = own->largest > caller->largest ? own->largest : caller->largest;
    uint64_t expected = USUAL_FRAME + (uint64_t)k->private_bytes * k->subgroup_size;
    if (stack > k->stack_bytes) k->stack_bytes = stack < UINT32_MAX ? (uint32_t)stack : UINT32_MAX;
    if (frame > expected) k->spill_bytes += (uint32_t)(frame - expected);
}

void jit_usage_read(const void *so, size_t size, const struct xs_module *m)
{
    size_t bytes = 0;
    const char *text = jit_usage_find(so, size, &bytes);
    struct usage u = {.kernels = m->kernel_count};
    if (!text) return;
    for (uint32_t i = 0; i < u.kernels; i++)
        if (m->kernels[i].function >= u.functions) u.functions = m->kernels[i].function + 1;
    u.is_kernel = calloc(u.functions + 1, sizeof *u.is_kernel);
    u.function = calloc(u.functions + 1, sizeof *u.function);
    u.kernel = calloc(u.kernels + 1, sizeof *u.kernel);
    if (u.is_kernel && u.function && u.kernel) {
        for (uint32_t i = 0; i < u.kernels; i++) u.is_kernel[m->kernels[i].function] = true;
        read_report(&u, text, bytes);
        for (uint32_t i = 0; i < u.kernels; i++) set_kernel(&m->kernels[i], &u, i, m->own_globals != NULL);
    }
    free(u.is_kernel);
    free(u.function);
    free(u.kernel);
}
