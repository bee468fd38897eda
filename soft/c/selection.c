/* selection.c - selects the parts of the texts preceding generated code that a module needs: items that it does not
 * mention, directly or through other items, are not compiled. test_soft_text compares this with the preprocessor's
 * result.
 */
#include "selection.h"
#include "codegen.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 16384 };

/* The names by their hash: index + 1 of the first, and of the next with the same one. */
static uint16_t bucket[BUCKETS], next[BUCKETS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint16_t *bucket_of(const char *name, size_t length) { return &bucket[cg_hash(name, length) % BUCKETS]; }

static void hash_names(void)
{
    for (uint32_t n = 0; soft_names[n].name; n++) {
        uint16_t *first = bucket_of(soft_names[n].name, strlen(soft_names[n].name));
        next[n + 1] = *first;
        *first = (uint16_t)(n + 1);
    }
}

static void need(struct cg_selection *s, uint32_t item)
{
    if (s->item[item]) return;
    s->item[item] = 1;
    for (uint32_t n = soft_items[item].need; n < soft_items[item + 1].need; n++) need(s, soft_needs[n]);
}

/* The next item from index n on that defines the name; 0: none. */
static uint32_t defining(const char *name, size_t length, uint32_t n)
{
    while (n && (strncmp(soft_names[n - 1].name, name, length) || soft_names[n - 1].name[length])) n = next[n];
    return n;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct cg_selection *cg_select_text(const char *body, size_t size)
{
    struct cg_selection *s = calloc(1, sizeof *s);
    pthread_once(&once, hash_names);
    for (uint32_t i = 0; s && soft_items[i].text; i++)
        if (soft_items[i].always) need(s, i);
    for (const char *at = body, *end = body + size; s && at < end; at++) {
        const char *word = at, *comment = at[0] == '/' && at[1] == '*' ? strstr(at, "*/") : NULL;
        if (comment) at = word = comment;
        while (at < end && is_word(*at)) at++;
        size_t length = (size_t)(at - word);
        for (uint32_t n = length ? *bucket_of(word, length) : 0; (n = defining(word, length, n)) != 0; n = next[n])
            need(s, soft_names[n - 1].item);
    }
    return s;
}

bool cg_selects(const struct cg_selection *s, const char *name, size_t length)
{
    for (uint32_t n = *bucket_of(name, length); (n = defining(name, length, n)) != 0; n = next[n])
        if (s->item[soft_names[n - 1].item]) return true;
    return false;
}

/* Where the body of a function begins or ends: kernels that are linked with it do without. */
static void put_mark(struct cg *g, const char *mark)
{
    const bool lanes = !strncmp(mark, "XS(", 3);
    const char *at = lanes ? mark + 3 : mark;
    if (*mark == '\n') {
        cg_put(g, "#endif\n");
        return;
    }
    const char *name = cg_str(g, lanes ? "%.*s_%u" : "%.*s", (int)strcspn(at, ")\n"), at, (unsigned)g->S);
    sp_text_add(&g->w->symbols, " %s", name);
    cg_put(g, "#ifdef XS_KERNELS_ONLY\n__asm__(\"xs_%s\");\n#else\n", name);
}

void cg_put_selected(struct cg *g, const struct cg_selection *s, const char *text)
{
    for (uint32_t i = 0; soft_items[i].text; i++) {
        if (!s->item[i] || strcmp(soft_items[i].text, text) != 0) continue;
        for (uint32_t k = soft_items[i].line; k < soft_items[i + 1].line; k++) {
            const char *line = soft_lines[k];
            if (*line != '@') cg_put_text(g, line, strlen(line));
            else if (g->w->apart) put_mark(g, line + 1);
        }
    }
}

void cg_put_symbols(struct cg *g)
{
    cg_put(g, "/* xs: helpers%s */\n", g->w->symbols.data ? g->w->symbols.data : "");
    sp_text_free(&g->w->symbols);
}
