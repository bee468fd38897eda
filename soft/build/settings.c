/* settings.c - the environment variables that decide what is compiled, and how. A module keeps those that it was
 * created with, for what is compiled later.
 */
#define _GNU_SOURCE
#include "jit.h"

#include <stdlib.h>
#include <string.h>

extern char **environ;

struct jit_settings {
    size_t count;
    char *entry[]; /* NAME=VALUE */
};

static _Thread_local const struct jit_settings *in_use;

static bool is_kept(const char *entry) { return !strncmp(entry, "XETILE_", 7) || !strncmp(entry, "PATH=", 5); }

struct jit_settings *jit_settings_keep(void)
{
    struct jit_settings *s;
    size_t n = 0;
    while (environ && environ[n]) n++;
    s = calloc(1, sizeof *s + n * sizeof s->entry[0]);
    for (size_t i = 0; s && i < n; i++) {
        if (!is_kept(environ[i])) continue;
        s->entry[s->count] = strdup(environ[i]);
        if (!s->entry[s->count++]) {
            jit_settings_free(s);
            return NULL;
        }
    }
    return s;
}

void jit_settings_free(struct jit_settings *s)
{
    for (size_t i = 0; s && i < s->count; i++) free(s->entry[i]);
    free(s);
}

const struct jit_settings *jit_settings_use(const struct jit_settings *s)
{
    const struct jit_settings *before = in_use;
    in_use = s;
    return before;
}

const char *jit_search_path(void)
{
    const char *path = jit_setting("PATH");
    return path && *path ? path : "/usr/local/bin:/usr/bin:/bin";
}

const char *jit_setting(const char *name)
{
    size_t length = strlen(name);
    if (!in_use) return getenv(name);
    for (size_t i = 0; i < in_use->count; i++)
        if (!strncmp(in_use->entry[i], name, length) && in_use->entry[i][length] == '=')
            return in_use->entry[i] + length + 1;
    return NULL;
}
