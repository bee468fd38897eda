/* zeinfo.c - reads `.ze_info`, which describes kernels and their parameters in the subset of YAML that Intel's compiler
 * writes, mappings and lists by indentation.
 *
 *     kernels:
 *       - name:            hello
 *         execution_env:
 *           simd_size:       16
 *         payload_arguments:
 *           - arg_type:        arg_bypointer
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

enum { MOST_KERNELS = 4096, MOST_BYTES = 1 << 24 };

struct reader {
    struct xe_info *kernels, *now; /* now: the current kernel */
    uint32_t count, room;
    bool misc;     /* in kernels_misc_info */
    char part[40]; /* the current mapping of the kernel */
    struct xe_argument *argument;
    uint32_t name; /* in misc: 1 + the argument */
    const char *why;
};

struct line {
    uint32_t indent;
    bool item;
    char key[64], value[256];
};

/* ---- lines */

static void strip(char *s)
{
    size_t n = strlen(s);
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\r' || s[n - 1] == '\'' || s[n - 1] == '"')) s[--n] = 0;
    if (*s == '\'' || *s == '"') memmove(s, s + 1, n);
}

static bool split(const char *at, size_t n, struct line *l)
{
    size_t key = 0, value;
    memset(l, 0, sizeof *l);
    while (n && *at == ' ') at++, n--, l->indent++;
    if (n > 1 && at[0] == '-' && at[1] == ' ') {
        l->item = true;
        do at++, n--, l->indent++;
        while (n && *at == ' ');
    }
    while (key < n && at[key] != ':') key++;
    if (key == n || key >= sizeof l->key) return false;
    memcpy(l->key, at, key);
    for (value = key + 1; value < n && at[value] == ' ';) value++;
    snprintf(l->value, sizeof l->value, "%.*s", (int)(n - value < sizeof l->value ? n - value : sizeof l->value - 1),
             at + value);
    strip(l->value);
    return true;
}

static uint32_t number(struct reader *r, const char *s)
{
    char *end;
    unsigned long v = strtoul(s, &end, 0);
    if (end == s || v > MOST_BYTES) r->why = "a number";
    return (uint32_t)v;
}

/* ---- kernels */

static bool add_kernel(struct reader *r, const char *name)
{
    if (r->count == r->room) {
        uint32_t more = r->room ? 2 * r->room : 4;
        struct xe_info *bigger = r->count < MOST_KERNELS ? realloc(r->kernels, more * sizeof *bigger) : NULL;
        if (!bigger) return false;
        r->kernels = bigger;
        r->room = more;
    }
    r->now = &r->kernels[r->count++];
    memset(r->now, 0, sizeof *r->now);
    snprintf(r->now->name, sizeof r->now->name, "%.199s", name);
    r->now->simd = 32;
    return true;
}

static void find_kernel(struct reader *r, const char *name)
{
    r->now = NULL;
    for (uint32_t k = 0; k < r->count; k++)
        if (!strcmp(r->kernels[k].name, name)) r->now = &r->kernels[k];
}

static void read_vector(struct reader *r, const char *s, uint32_t to[3])
{
    if (sscanf(s, "[ %u, %u, %u ]", &to[0], &to[1], &to[2]) != 3) r->why = "three numbers";
    for (int k = 0; k < 3; k++)
        if (to[k] > 65536) r->why = "smaller sizes";
}

static void environment(struct reader *r, const struct line *l)
{
    struct xe_info *i = r->now;
    const struct {
        const char *key;
        uint32_t *to;
    } numbers[] = {
        {"simd_size", &i->simd},
        {"grf_count", &i->registers},
        {"slm_size", &i->local_bytes},
        {"barrier_count", &i->barriers},
        {"inline_data_payload_size", &i->inline_bytes},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        if (!strcmp(l->key, numbers[k].key)) *numbers[k].to = number(r, l->value);
    if (!strcmp(l->key, "required_work_group_size")) read_vector(r, l->value, i->required);
}

static struct xe_argument *add_argument(struct reader *r, struct xe_argument *list, uint32_t *count, uint32_t most)
{
    if (*count == most) {
        r->why = "fewer arguments";
        return NULL;
    }
    memset(&list[*count], 0, sizeof *list);
    list[*count].index = -1;
    return &list[(*count)++];
}

static void add_surface(struct reader *r, uint32_t number, uint32_t index)
{
    struct xe_info *i = r->now;
    if (i->surface_count == XE_MAX_SURFACES) r->why = "fewer surfaces";
    if (!r->why) i->surfaces[i->surface_count++] = (struct xe_surface){number, index};
}

static void argument(struct reader *r, const struct line *l)
{
    bool thread = !strcmp(r->part, "per_thread_payload_arguments");
    struct xe_argument *a;
    if (l->item)
        r->argument = thread ? add_argument(r, r->now->thread_arguments, &r->now->thread_argument_count, 4)
                             : add_argument(r, r->now->arguments, &r->now->argument_count, XE_MAX_ARGUMENTS);
    a = r->argument;
    if (!a) return;
    if (!strcmp(l->key, "arg_type")) snprintf(a->kind, sizeof a->kind, "%.27s", l->value);
    if (!strcmp(l->key, "arg_index")) a->index = (int32_t)number(r, l->value);
    if (!strcmp(l->key, "offset")) a->offset = number(r, l->value);
    if (!strcmp(l->key, "size")) a->size = number(r, l->value);
    if (!strcmp(l->key, "source_offset")) a->source = number(r, l->value);
    if (!strcmp(l->key, "addrmode")) a->stateful = !strcmp(l->value, "stateful") || !strcmp(l->value, "bindless");
    if (!strcmp(l->key, "bti_value"))
        add_surface(r, number(r, l->value),
                    !strcmp(a->kind, "const_base")    ? XE_OF_CONSTANTS
                    : !strcmp(a->kind, "global_base") ? XE_OF_VARIABLES
                                                      : XE_NO_BUFFER);
    if (!strcmp(l->key, "addrspace")) {
        a->is_local = !strcmp(l->value, "local");
        a->is_constant = !strcmp(l->value, "constant");
        if (!strcmp(l->value, "image") || !strcmp(l->value, "sampler"))
            r->why = "kernels without images and samplers, which the interpreter does not have";
    }
}

/* Which argument's surface a message names by its number in the binding table. */
static void surface(struct reader *r, const struct line *l)
{
    struct xe_info *i = r->now;
    if (l->item) add_surface(r, 0, XE_NO_BUFFER);
    if (!i->surface_count) return;
    if (!strcmp(l->key, "bti_value")) i->surfaces[i->surface_count - 1].number = number(r, l->value);
    if (!strcmp(l->key, "arg_index")) i->surfaces[i->surface_count - 1].index = number(r, l->value);
}

/* Scratch is hardware memory accessed by surface; private memory of type `global` is a buffer with addresses. */
static void thread_memory(struct reader *r, const struct line *l)
{
    static const char scratch[] = "scratch";
    if (l->item) r->name = 0; /* 1: the buffer is private memory */
    if (!strcmp(l->key, "type")) r->name = strcmp(l->value, scratch) != 0;
    if (!strcmp(l->key, "size")) {
        uint32_t *to = r->name ? &r->now->private_bytes : &r->now->scratch_bytes, bytes = number(r, l->value);
        if (bytes > *to) *to = bytes;
    }
    if (!strcmp(l->key, "is_simt_thread") && r->name) r->now->private_is_a_lane = true;
}

/* ---- names and types of arguments */

static uint32_t type_bytes(const char *type)
{
    const char *at = strrchr(type, ';');
    unsigned long v = at ? strtoul(at + 1, NULL, 10) : 0;
    return v <= 4096 ? (uint32_t)v : 0;
}

static void argument_info(struct reader *r, const struct line *l)
{
    struct xe_argument_info *a;
    if (l->item) {
        r->name = r->now->name_count < XE_MAX_ARGUMENTS ? ++r->now->name_count : 0;
        if (r->name) memset(&r->now->names[r->name - 1], 0, sizeof *r->now->names);
    }
    if (!r->name) return;
    a = &r->now->names[r->name - 1];
    if (!strcmp(l->key, "index")) a->index = (int32_t)number(r, l->value);
    if (!strcmp(l->key, "name")) snprintf(a->name, sizeof a->name, "%.63s", l->value);
    if (!strcmp(l->key, "type_name")) a->bytes = type_bytes(l->value);
    if (!strcmp(l->key, "address_qualifier"))
        a->space = !strcmp(l->value, "__global")     ? XS_PARAM_GLOBAL
                   : !strcmp(l->value, "__constant") ? XS_PARAM_CONSTANT
                   : !strcmp(l->value, "__local")    ? XS_PARAM_LOCAL
                                                     : XS_PARAM_VALUE;
}

/* ---- the text */

static void take_line(struct reader *r, const struct line *l)
{
    static const struct {
        const char *part;
        void (*read)(struct reader *r, const struct line *l);
    } parts[] = {
        {"execution_env", environment},
        {"payload_arguments", argument},
        {"per_thread_payload_arguments", argument},
        {"per_thread_memory_buffers", thread_memory},
        {"binding_table_indices", surface},
        {"args_info", argument_info},
    };
    if (l->indent == 0) {
        r->misc = !strcmp(l->key, "kernels_misc_info");
        r->now = NULL;
        if (!r->misc && strcmp(l->key, "kernels") != 0) r->part[0] = 0;
        return;
    }
    if (l->indent == 4 && l->item && !strcmp(l->key, "name")) {
        r->part[0] = 0;
        if (r->misc)
            find_kernel(r, l->value);
        else if (!add_kernel(r, l->value))
            r->why = "memory";
        return;
    }
    if (!r->now) return;
    if (l->indent == 4) {
        snprintf(r->part, sizeof r->part, "%.39s", l->key);
        r->argument = NULL;
        r->name = 0;
        return;
    }
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        if (!strcmp(r->part, parts[k].part)) parts[k].read(r, l);
}

static const char *check_kernel(const struct xe_info *i)
{
    if (i->simd != 8 && i->simd != 16 && i->simd != 32 && i->simd != 1) return "lanes of 8, 16 or 32";
    if (i->inline_bytes > MOST_GRF_BYTES) return "less inline data";
    for (uint32_t n = 0; n < i->argument_count; n++)
        if (i->arguments[n].offset > 8192 || i->arguments[n].size > 4096 || i->arguments[n].source > 4096 ||
            i->arguments[n].index >= XE_MAX_ARGUMENTS)
            return "smaller arguments";
    for (uint32_t n = 0; n < i->thread_argument_count; n++)
        if (i->thread_arguments[n].offset > 1024 || i->thread_arguments[n].size > 1024)
            return "smaller arguments of threads";
    for (uint32_t n = 0; n < i->name_count; n++)
        if (i->names[n].index < 0 || i->names[n].index >= XE_MAX_ARGUMENTS) return "fewer arguments";
    return NULL;
}

bool xe_read_info(const char *text, size_t size, bool (*take)(void *user, const struct xe_info *info), void *user,
                  struct sp_text *log)
{
    struct reader r = {0};
    const char *at = text, *end = text + size, *newline;
    struct line l;
    bool good = true;
    for (; at < end && !r.why; at = newline + 1) {
        newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) newline = end;
        if (split(at, (size_t)(newline - at), &l)) take_line(&r, &l);
    }
    for (uint32_t n = 0; n < r.count && !r.why; n++) r.why = check_kernel(&r.kernels[n]);
    if (r.why) sp_text_add(log, ".ze_info: expected %s\n", r.why);
    for (uint32_t n = 0; n < r.count && !r.why && good; n++) good = take(user, &r.kernels[n]);
    free(r.kernels);
    return !r.why && good;
}
