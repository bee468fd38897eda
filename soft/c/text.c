/* text.c - the code generator's memory, and the text it writes: what is put, what is said of it, and helper
 * functions written once a section. Memory is of two kinds: what lasts until the module is written, and words, which
 * are given back after every block.
 */
#include "codegen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CG_CHUNK = 1 << 16, CG_LINES = 1 << 10 };
static const size_t cg_max_text = (size_t)1 << 27, cg_max_memory = (size_t)1 << 31;

/* ---- memory */

struct chunk {
    struct chunk *next;
    size_t used, size;
};

static void *take(struct cg *g, void **arena, size_t bytes)
{
    struct chunk *c = *arena;
    bytes = (bytes + 15) & ~(size_t)15;
    if (!c || c->size - c->used < bytes) {
        size_t size = bytes > CG_CHUNK ? bytes : CG_CHUNK;
        bool over = size > cg_max_memory - g->taken;
        if (over) cg_fail(g, "the code generator needs too much memory for this module");
        c = over ? NULL : calloc(1, sizeof *c + 16 + size);
        if (!c) {
            g->failed = true;
            return NULL;
        }
        g->taken += size;
        c->size = size;
        c->next = *arena;
        *arena = c;
    }
    c->used += bytes;
    return (char *)c + ((sizeof *c + 15) & ~(size_t)15) + c->used - bytes;
}

void *cg_alloc(struct cg *g, size_t bytes) { return take(g, &g->arena, bytes); }

static void free_arena(struct cg *g, void **arena)
{
    for (struct chunk *c = *arena, *next; c; c = next) {
        next = c->next;
        g->taken -= c->size;
        free(c);
    }
    *arena = NULL;
}

/* The last chunk stays for the next block. */
void cg_free_words(struct cg *g)
{
    struct chunk *last = g->words;
    if (!last || last->size > CG_CHUNK) {
        free_arena(g, &g->words);
        return;
    }
    void *others = last->next;
    free_arena(g, &others);
    last->next = NULL;
    last->used = 0;
}

void cg_free(struct cg *g)
{
    free_arena(g, &g->arena);
    free_arena(g, &g->words);
}

const char *cg_str(struct cg *g, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *s = n < 0 ? NULL : take(g, &g->words, (size_t)n + 1);
    if (s) vsnprintf(s, (size_t)n + 1, format, again);
    va_end(args);
    va_end(again);
    return s ? s : "";
}

const char *cg_keep(struct cg *g, const char *text)
{
    char *s = cg_alloc(g, strlen(text) + 1);
    return s ? strcpy(s, text) : "";
}

/* ---- text */

/* Is there room for so many bytes more, and a zero? */
static bool make_room(struct cg *g, size_t bytes)
{
    struct sp_text *t = g->c;
    if (t->failed || g->failed) return false;
    if (t->data && t->capacity - t->size > bytes) return true;
    size_t capacity = (t->capacity ? t->capacity * 2 : CG_LINES) + bytes;
    bool over = capacity > cg_max_text;
    char *data = over ? NULL : realloc(t->data, capacity);
    if (!data) {
        g->failed = t->failed = true;
        sp_text_add(g->log, "error: %s\n",
                    over ? "the generated text is too large" : "no memory for the generated text");
        return false;
    }
    t->data = data;
    t->capacity = capacity;
    return true;
}

void cg_put(struct cg *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = 0;
    while (make_room(g, n > 0 ? (size_t)n : 0)) {
        va_list again;
        size_t room = g->c->capacity - g->c->size;
        va_copy(again, args);
        n = vsnprintf(g->c->data + g->c->size, room, format, again);
        va_end(again);
        if (n < 0 || (size_t)n >= room) continue;
        g->c->size += (size_t)n;
        break;
    }
    va_end(args);
}

void cg_put_text(struct cg *g, const char *text, size_t bytes)
{
    if (!bytes || !make_room(g, bytes)) return;
    memcpy(g->c->data + g->c->size, text, bytes);
    g->c->size += bytes;
    g->c->data[g->c->size] = 0;
}

/* "255," or less. */
static char *number(char *to, unsigned char n)
{
    if (n >= 100) *to++ = (char)('0' + n / 100);
    if (n >= 10) *to++ = (char)('0' + n / 10 % 10);
    *to++ = (char)('0' + n % 10);
    *to++ = ',';
    return to;
}

void cg_put_bytes(struct cg *g, const unsigned char *bytes, size_t size)
{
    char line[4 * 32 + 1], *to = line;
    for (size_t k = 0; k < size && !g->failed; k++) {
        to = number(to, bytes[k]);
        if (k % 32 != 31 && k + 1 < size) continue;
        *to++ = '\n';
        cg_put_text(g, line, (size_t)(to - line));
        to = line;
    }
}

void cg_fail(struct cg *g, const char *format, ...)
{
    char text[256];
    va_list args;
    if (g->failed) return;
    g->failed = true;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (g->inst) {
        sp_text_add(g->log, "error: word %u, %s: %s\n", g->inst->word, sp_op_name(g->inst->op), text);
    } else {
        sp_text_add(g->log, "error: %s\n", text);
    }
}

void cg_put_string(struct cg *g, const char *s)
{
    cg_put(g, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ' ';
        if (plain)
            cg_put(g, "%c", c);
        else
            cg_put(g, "\\%03o", c);
    }
    cg_put(g, "\"");
}

/* ---- helpers */

bool cg_is_new_helper(struct cg *g, const char *name)
{
    struct cg_helper *h = g->helper;
    while (h && strcmp(h->name, name)) h = h->next;
    if (h) return false;
    h = cg_alloc(g, sizeof *h + strlen(name) + 1);
    if (!h) return false;
    strcpy(h->name, name);
    h->next = g->helper;
    g->helper = h;
    return true;
}

void cg_call_lanes(struct cg *g, const char *to, const char *result, const char *name, uint32_t n,
                   const char *const *types, const char *const *args)
{
    const char *helper = cg_str(g, "lanes_%s_%s", name, result), *params = "", *copies = "", *list = "";
    for (uint32_t i = 0; i < n; i++) {
        helper = cg_str(g, "%s_%s", helper, types[i]);
        params = cg_str(g, "%s, const %sx *a%u", params, types[i], i);
        copies =
            cg_str(g, "%s    %s x%u[S];\n    __builtin_memcpy(x%u, a%u, sizeof x%u);\n", copies, types[i], i, i, i, i);
        list = cg_str(g, "%s%sx%u[l]", list, i ? ", " : "", i);
    }
    if (cg_is_new_helper(g, helper)) {
        struct sp_text *body = g->c;
        g->c = &g->helpers;
        cg_put(g,
               "XS_FUNCTION void XS(%s)(%sx *r%s)\n{\n%s    %s y[S];\n    for (int l = 0; l < S; l++) y[l] = %s(%s);\n"
               "    __builtin_memcpy(r, y, sizeof y);\n}\n",
               helper, result, params, copies, result, name, list);
        g->c = body;
    }
    cg_put(g, "    {\n");
    list = "";
    for (uint32_t i = 0; i < n; i++) {
        cg_put(g, "    const %sx a%u_ = (%sx)(%s);\n", types[i], i, types[i], args[i]);
        list = cg_str(g, "%s, &a%u_", list, i);
    }
    cg_put(g, "    %sx r_;\n    XS(%s)(&r_%s);\n    %s = r_;\n    }\n", result, helper, list, to);
}
