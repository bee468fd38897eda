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

void cg_put_selected(struct cg *g, const struct cg_selection *s, const char *text)
{
    for (uint32_t i = 0; soft_items[i].text; i++) {
        if (!s->item[i] || strcmp(soft_items[i].text, text) != 0) continue;
        for (uint32_t k = soft_items[i].line; k < soft_items[i + 1].line; k++)
            cg_put_text(g, soft_lines[k], strlen(soft_lines[k]));
    }
}
