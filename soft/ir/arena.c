/* arena.c - the code generator's memory, of two kinds: one lasts until the module is written, one for text is released
 * after every block; sets of texts; and how the code generator fails.
 */
#include "ir.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CG_CHUNK = 1 << 16 };
static const size_t cg_max_memory = (size_t)1 << 31;

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
        if (over)
            cg_fail(g, "the code generator needs more than the %zu bytes that a module may take", cg_max_memory);
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

/* Keeps one chunk for the next block. */
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

struct cg_text {
    struct cg_text *next;
    const char *value;
    size_t bytes;
    char text[];
};

uint32_t cg_hash(const char *text, size_t bytes)
{
    uint32_t h = 2166136261u;
    while (bytes--) h = (h ^ (uint8_t)*text++) * 16777619u;
    return h;
}

static struct cg_text **bucket_of(const struct cg_texts *set, const char *text, size_t bytes)
{
    const size_t buckets = sizeof set->bucket / sizeof *set->bucket;
    return (struct cg_text **)(uintptr_t)&set->bucket[cg_hash(text, bytes) % buckets];
}

static struct cg_text *find_text(const struct cg_texts *set, const char *text, size_t bytes)
{
    struct cg_text *t = *bucket_of(set, text, bytes);
    while (t && (t->bytes != bytes || memcmp(t->text, text, bytes) != 0)) t = t->next;
    return t;
}

const char *cg_find_text(const struct cg_texts *set, const char *text, size_t bytes)
{
    const struct cg_text *t = find_text(set, text, bytes);
    return t ? t->value : NULL;
}

bool cg_set_text(struct cg *g, struct cg_texts *set, const char *text, const char *value)
{
    size_t bytes = strlen(text);
    struct cg_text *t = find_text(set, text, bytes), **bucket = bucket_of(set, text, bytes);
    if (!t) {
        t = cg_alloc(g, sizeof *t + bytes + 1);
        if (!t) return false;
        memcpy(t->text, text, bytes + 1);
        t->bytes = bytes;
        t->next = *bucket;
        *bucket = t;
    }
    if (!t->value || strcmp(t->value, value) != 0) t->value = cg_keep(g, value);
    return true;
}

bool cg_is_new(struct cg *g, struct cg_texts *set, const char *text)
{
    return !cg_find_text(set, text, strlen(text)) && cg_set_text(g, set, text, "");
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
    if (g->at) {
        sp_text_add(g->log, "error: word %u, %s: %s\n", g->at->word, sp_op_name(g->at->op), text);
    } else {
        sp_text_add(g->log, "error: %s\n", text);
    }
}
