/* settings.c - the driver's environment variables and their values. Unknown names and values would be ignored where
 * they are read, so they are reported when a program looks for the driver.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "spirv/host_state.h"
#include "ze_soft.h"

extern char **environ;

#define PREFIX "XETILE_SOFT_"

/* Without words and range, any value is accepted here, and checked where it is used. */
static const struct setting {
    const char *name, *words[5];
    double least, most;
} settings[] = {
    {"THREADS", {0}, 1, 1024},
    {"SUBDEVICES", {0}, 0, 16},
    {"TYPE", {"gpu", "cpu"}, 0, 0},
    {"DEBUG", {0}, 0, 0},
    {"ISA", {0}, 0, 0},
    {"CACHE", {0}, 0, 0},
    {"CACHE_LIMIT", {0}, 0, 16777215},
    {"TIME_LIMIT", {0}, 0.01, 999999},
    {"RUN_LIMIT", {0}, 0.01, 999999},
    {"MEMORY_LIMIT", {0}, 1, 999999},
    {"CHECK", {"0", "1", "2", "3"}, 0, 0},
    {"REMARKS", {"0", "1"}, 0, 0},
    {"PRINT", {0}, 0, 0},
    {"STRICT", {"0", "1"}, 0, 0},
    {"QUIET", {"0", "1"}, 0, 0},
    {"TIER", {"full", "quick"}, 0, 0},
    {"SYSTEM_MEMORY", {"on", "off"}, 0, 0},
    {"DEVICE", {0}, 0, 0},
    {"FAULTS", {"on", "off"}, 0, 0},
    {"OCLOC", {0}, 0, 0},
    {"XE_REPORT", {0}, 0, 0},
    {"XE_BREAK", {"vnni", "dpas", "transpose"}, 0, 0},
};

/* The i-th word that a setting can be; NULL: there are no more. */
static const char *word(const struct setting *s, size_t i)
{
    return strcmp(s->name, "DEVICE") ? s->words[i] : soft_model_name(i);
}

static bool is_right(const struct setting *s, const char *value)
{
    const char *end;
    double v = sp_real_read(value, &end);
    if (s->most > 0) return end != value && !*end && v >= s->least && v <= s->most;
    for (size_t i = 0; word(s, i); i++)
        if (!strcmp(word(s, i), value)) return true;
    return !word(s, 0);
}

static void tell(const struct setting *s, const char *value)
{
    char can_be[128];
    int n = 0;
    if (s->most > 0) snprintf(can_be, sizeof can_be, "%s to %s", sp_real_text(s->least).s, sp_real_text(s->most).s);
    for (size_t i = 0; word(s, i) && n < (int)sizeof can_be; i++)
        n += snprintf(can_be + n, sizeof can_be - (size_t)n, "%s%s", i ? ", " : "", word(s, i));
    soft_fail_loudly(ZE_RESULT_SUCCESS, PREFIX "%s is \"%.80s\"; it can be %s", s->name, value, can_be);
}

/* `text` is NAME=VALUE; an empty value counts as unset. */
static void look_at(const char *text)
{
    const char *value = strchr(text, '=');
    size_t length = value ? (size_t)(value - text) : 0;
    if (!length || !value[1]) return;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (strlen(settings[i].name) == length && !strncmp(settings[i].name, text, length)) {
            if (!is_right(&settings[i], value + 1)) tell(&settings[i], value + 1);
            return;
        }
    soft_fail_loudly(ZE_RESULT_SUCCESS, "there is no setting " PREFIX "%.*s; soft/README.md lists them",
                     length < 80 ? (int)length : 80, text);
}

static bool confined; /* to the device's memory: pointers that kernels are given */

static void look_at_all(void)
{
    check_mind_surfaces(soft_model() && soft_model()->has_blocks);
    confined = !soft_has_system_memory() && !check_level();
    for (char **e = environ; e && *e; e++)
        if (!strncmp(*e, PREFIX, sizeof PREFIX - 1)) look_at(*e + sizeof PREFIX - 1);
}

void soft_look_at_settings(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look_at_all);
}

bool soft_confines_pointers(void) { return confined; }

bool soft_is_strict(void)
{
    const char *wish = jit_setting(PREFIX "STRICT");
    return wish && !strcmp(wish, "1");
}

bool soft_is_quick(void)
{
    const char *wish = jit_setting(PREFIX "TIER");
    return wish && !strcmp(wish, "quick");
}

/* Memory from malloc is like any other here. Most of the imitated devices do not support it, and the checked mode could
 * not distinguish it from wild pointers; so it is reported only on request. */
bool soft_has_system_memory(void)
{
    const char *wish = getenv(PREFIX "SYSTEM_MEMORY");
    return wish && *wish ? !strcmp(wish, "on") : !soft_model() && !check_level();
}
