/* text.c - the text that the code generator writes, and helper functions written once per section. */
#include "codegen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CG_LINES = 1 << 10 };
static const size_t cg_max_text = (size_t)1 << 27;

/* ---- text */

/* Makes room for this many more bytes and a zero. */
static bool make_room(struct cg *g, size_t bytes)
{
    struct sp_text *t = g->w->c;
    if (t->failed || g->failed) return false;
    if (t->data && t->capacity - t->size > bytes) return true;
    size_t capacity = (t->capacity ? t->capacity * 2 : CG_LINES) + bytes;
    bool over = bytes >= cg_max_text - t->size;
    if (capacity > cg_max_text) capacity = cg_max_text;
    char *data = over ? NULL : realloc(t->data, capacity);
    if (!data) {
        g->failed = t->failed = true;
        if (over)
            sp_text_add(g->log, "error: the generated text has more than %zu bytes\n", cg_max_text);
        else
            sp_text_add(g->log, "error: no memory for the generated text\n");
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
        size_t room = g->w->c->capacity - g->w->c->size;
        va_copy(again, args);
        n = vsnprintf(g->w->c->data + g->w->c->size, room, format, again);
        va_end(again);
        if (n < 0 || (size_t)n >= room) continue;
        g->w->c->size += (size_t)n;
        break;
    }
    va_end(args);
}

void cg_put_text(struct cg *g, const char *text, size_t bytes)
{
    if (!bytes || !make_room(g, bytes)) return;
    memcpy(g->w->c->data + g->w->c->size, text, bytes);
    g->w->c->size += bytes;
    g->w->c->data[g->w->c->size] = 0;
}

/* "\377" or less: digits are never followed by others, so that leading zeros can be omitted. */
static char *escape(char *to, unsigned char c)
{
    *to++ = '\\';
    if (c >= 0100) *to++ = (char)('0' + c / 0100);
    if (c >= 010) *to++ = (char)('0' + c / 010 % 010);
    *to++ = (char)('0' + c % 010);
    return to;
}

/* Compilers read string literals many times faster than lists of numbers. */
void cg_put_bytes(struct cg *g, const unsigned char *bytes, size_t size)
{
    char line[4 * 32 + 3], *to = line;
    if (size == 0) cg_put(g, "\"\"");
    for (size_t k = 0; k < size && !g->failed; k++) {
        if (to == line) *to++ = '"';
        to = escape(to, bytes[k]);
        if (k % 32 != 31 && k + 1 < size) continue;
        *to++ = '"';
        *to++ = '\n';
        cg_put_text(g, line, (size_t)(to - line));
        to = line;
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

struct sp_text *cg_begin_helper(struct cg *g, const char *name)
{
    struct sp_text *body = g->w->c;
    if (!cg_is_new(g, &g->w->written_helpers, name)) return NULL;
    g->w->c = &g->w->helpers;
    return body;
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
    CG_HELPER (helper)
        cg_put(g,
               "XS_FUNCTION void XS(%s)(%sx *r%s)\n{\n%s    %s y[S];\n    for (int l = 0; l < S; l++) y[l] = %s(%s);\n"
               "    __builtin_memcpy(r, y, sizeof y);\n}\n",
               helper, result, params, copies, result, name, list);
    cg_put(g, "    {\n");
    list = "";
    for (uint32_t i = 0; i < n; i++) {
        cg_put(g, "    const %sx a%u_ = (%sx)(%s);\n", types[i], i, types[i], args[i]);
        list = cg_str(g, "%s, &a%u_", list, i);
    }
    cg_put(g, "    %sx r_;\n    XS(%s)(&r_%s);\n    %s = r_;\n    }\n", result, helper, list, to);
}

void cg_call(struct cg *g, bool varying, const char *to, const char *result, const char *name, uint32_t n,
             const char *const *types, const char *const *args)
{
    if (varying) {
        cg_call_lanes(g, to, result, name, n, types, args);
        return;
    }
    cg_put(g, "    %s = %s(", to, name);
    for (uint32_t i = 0; i < n; i++) cg_put(g, "%s%s", i ? ", " : "", args[i]);
    cg_put(g, ");\n");
}
