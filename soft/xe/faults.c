/* faults.c - errors of kernels: those that end the launch, violations of hardware rules, and accesses that the checked
 * mode forbids. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

static const char *line_of(const struct xe_thread *t)
{
    const struct xe_code *code = &t->group->kernel->code;
    const char *line = code->text + code->list[t->ip].line;
    return line + strspn(line, " ");
}

void xe_fail(struct xe_thread *t, const char *format, ...)
{
    struct xe_group *g = t->group;
    char line[96], *open;
    va_list list;
    int n;
    if (t->stop == XE_FAILED) return;
    t->stop = XE_FAILED;
    snprintf(line, sizeof line, "%s", line_of(t));
    for (open = line; *open && *open != '{'; open++) continue;
    while (open > line && (open[-1] == ' ' || *open == '{')) *open-- = 0;
    va_start(list, format);
    n = vsnprintf(g->error, sizeof g->error, format, list);
    va_end(list);
    if (n >= 0 && (size_t)n < sizeof g->error)
        snprintf(g->error + n, sizeof g->error - (size_t)n, ", thread %u: %s", t->number, line);
    g->place->error = g->error;
}

void xe_broken(struct xe_thread *t, const char *format, ...)
{
    enum { MOST_TOLD = 16 };
    struct xe_kernel *k = t->group->kernel;
    const uint32_t *id = t->group->place->group_id;
    char text[160];
    va_list list;
    atomic_fetch_add(&k->counts.broken, 1);
    if (atomic_fetch_add(&k->told, 1) >= MOST_TOLD) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(stderr, "libze_soft: %s: kernel %.80s, work-group (%u,%u,%u), thread %u: %s: %.100s\n",
            k->machine->target->name, k->face.name, id[0], id[1], id[2], t->number, text, line_of(t));
}

bool xe_allowed(const struct xe_thread *t, const struct xe_instruction *i, uint32_t lane, uint64_t address,
                uint32_t bytes)
{
    const struct xe_group *g = t->group;
    const struct xs_check *check = g->place->check;
    const struct xs_access a = {address, bytes, 1, 0, 0, 0, lane + t->number * g->kernel->info.simd};
    uint64_t own = (uint64_t)(g->private - g->payload) + g->private_bytes * MAX_THREADS;
    if (!check || address - (uintptr_t)g->payload < own) return true;
    return check->access(g->place, &i->site, &a) != 0;
}
