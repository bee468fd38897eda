/* graph_dump.c - a recorded graph as a drawing in the language DOT: a cluster for each list, arrows for the order of
 * its commands, for forks and for joins.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/jit.h"
#include "graph.h"

static const char *name_of(const struct soft_command *c)
{
    switch (c->kind) {
    case SOFT_CMD_NOTHING: return "synchronisation";
    case SOFT_CMD_TIMESTAMP: return "global timestamp";
    case SOFT_CMD_COPY: return "copy";
    case SOFT_CMD_FILL: return "fill";
    case SOFT_CMD_COPY_REGION: return "copy of a region";
    case SOFT_CMD_RESET_EVENT: return "event reset";
    case SOFT_CMD_QUERY_TIMESTAMPS: return "kernel timestamps";
    case SOFT_CMD_LAUNCH: return "kernel";
    case SOFT_CMD_WAIT_ON_MEMORY: return "wait on memory";
    case SOFT_CMD_WRITE_TO_MEMORY: return "write to memory";
    case SOFT_CMD_HOST_FUNCTION: return c->u.host.own ? "external semaphores" : "host function";
    }
    return "";
}

/* Names in a module may contain anything. */
static void write_name(FILE *f, const char *name)
{
    for (; *name; name++)
        if (*name == '"' || *name == '\\')
            fprintf(f, "\\%c", *name);
        else
            fputc((unsigned char)*name < 32 ? '?' : *name, f);
}

/* As a number, from the highest byte. */
static void write_value(FILE *f, const uint8_t *bytes, uint32_t size)
{
    fputs("0x", f);
    while (size) fprintf(f, "%02x", bytes[--size]);
}

static void write_argument(FILE *f, const struct xs_param *p, const uint8_t *args)
{
    static const char *const kinds[] = {"value", "global", "constant", "local", "image", "sampler"};
    uint64_t bytes;
    fprintf(f, "\\n%s ", kinds[p->kind]);
    write_name(f, p->name);
    fputs(*p->name ? " = " : "= ", f);
    if (p->kind == XS_PARAM_LOCAL) {
        memcpy(&bytes, args + p->offset, sizeof bytes);
        fprintf(f, "%" PRIu64 " bytes", bytes);
    } else {
        write_value(f, args + p->offset, p->size);
    }
}

static void write_launch(FILE *f, const struct soft_launch *l)
{
    const struct sched_launch *s = &l->launch;
    if (l->indirect)
        fprintf(f, "\\ngroups: read from %p", (const void *)l->indirect);
    else
        fprintf(f, "\\ngroups: %u x %u x %u", s->group_count[0], s->group_count[1], s->group_count[2]);
    fprintf(f, " of %u x %u x %u", s->local_size[0], s->local_size[1], s->local_size[2]);
    for (uint32_t i = 0; i < s->kernel->param_count; i++) write_argument(f, &s->kernel->params[i], s->args);
}

static void write_details(FILE *f, const struct soft_command *c)
{
    const struct soft_box *box = &c->u.region.to_box;
    switch (c->kind) {
    case SOFT_CMD_TIMESTAMP: fprintf(f, "\\nto %p", (void *)c->u.timestamp.to); break;
    case SOFT_CMD_COPY:
        fprintf(f, "\\n%zu bytes\\nfrom %p\\nto %p", c->u.copy.size, c->u.copy.from, c->u.copy.to);
        break;
    case SOFT_CMD_FILL:
        fprintf(f, "\\n%zu bytes at %p\\nwith ", c->u.fill.size, c->u.fill.to);
        write_value(f, c->payload, (uint32_t)c->u.fill.pattern_size);
        break;
    case SOFT_CMD_COPY_REGION:
        fprintf(f, "\\n%u x %u x %u bytes\\nfrom %p\\nto %p", box->region.width, box->region.height, box->region.depth,
                c->u.region.from, c->u.region.to);
        break;
    case SOFT_CMD_RESET_EVENT: fprintf(f, "\\nof %p", (void *)c->u.reset.event); break;
    case SOFT_CMD_QUERY_TIMESTAMPS: fprintf(f, "\\nof %u events\\nto %p", c->u.query.count, c->u.query.to); break;
    case SOFT_CMD_LAUNCH: write_launch(f, &c->u.launch); break;
    case SOFT_CMD_WAIT_ON_MEMORY:
    case SOFT_CMD_WRITE_TO_MEMORY: fprintf(f, "\\n%" PRIu64 " at %p", c->u.word.value, c->u.word.at); break;
    case SOFT_CMD_NOTHING:
    case SOFT_CMD_HOST_FUNCTION: break;
    }
}

/* ---- which commands are drawn; positions count from 1, as in soft_branch */

/* Does the command only make a fork or a join? */
static bool is_link(const struct _ze_graph_handle_t *g, uint32_t at)
{
    if (g->nodes[at - 1].command->kind != SOFT_CMD_NOTHING) return false;
    for (const struct soft_branch *b = g->branches; b; b = b->next) {
        uint32_t first = 1;
        if (at == b->fork || at == b->join_signal || at == b->join_wait) return true;
        if (!b->parent || g->nodes[at - 1].branch != b) continue;
        while (g->nodes[first - 1].branch != b) first++;
        if (at == first) return true; /* it waits for the event of the fork */
    }
    return false;
}

/* The nearest command of a branch that is drawn, from a position on, forwards (step 1) or backwards (-1); 0: none. */
static uint32_t nearest(const struct _ze_graph_handle_t *g, const struct soft_branch *b, uint32_t at, int step,
                        struct soft_dump_style style)
{
    for (; at && at <= g->count; at += (uint32_t)step)
        if (g->nodes[at - 1].branch == b && (style.events || !is_link(g, at))) return at;
    return 0;
}

static void write_arrow(FILE *f, uint32_t from, uint32_t to, const char *what)
{
    if (from && to) fprintf(f, "    c%u -> c%u%s;\n", from, to, what);
}

static void write_branch(FILE *f, const struct _ze_graph_handle_t *g, const struct soft_branch *b,
                         struct soft_dump_style style)
{
    uint32_t at, before = 0;
    fprintf(f, "    subgraph cluster_%u {\n        label=\"list %u\";\n", b->number, b->number);
    for (at = nearest(g, b, 1, 1, style); at; at = nearest(g, b, at + 1, 1, style)) {
        const struct soft_command *c = g->nodes[at - 1].command;
        fprintf(f, "        c%u [label=\"%s", at, name_of(c));
        if (c->kind == SOFT_CMD_LAUNCH) {
            fputc(' ', f);
            write_name(f, c->u.launch.launch.kernel->name);
        }
        if (!style.simple) write_details(f, c);
        fputs("\"];\n", f);
    }
    fputs("    }\n", f);
    for (at = nearest(g, b, 1, 1, style); at; before = at, at = nearest(g, b, at + 1, 1, style))
        write_arrow(f, before, at, "");
}

static void write_links(FILE *f, const struct _ze_graph_handle_t *g, const struct soft_branch *b,
                        struct soft_dump_style style)
{
    write_arrow(f, nearest(g, b->parent, b->fork, -1, style), nearest(g, b, 1, 1, style), " [label=\"fork\"]");
    if (b->join_signal)
        write_arrow(f, nearest(g, b, b->join_signal, -1, style), nearest(g, b->parent, b->join_wait, 1, style),
                    " [label=\"join\"]");
}

static bool write_graph(FILE *f, const struct _ze_graph_handle_t *graph, struct soft_dump_style style)
{
    fputs("digraph \"graph\" {\n    node [shape=box];\n", f);
    for (const struct soft_branch *b = graph->branches; b; b = b->next) write_branch(f, graph, b, style);
    for (const struct soft_branch *b = graph->branches; b; b = b->next)
        if (b->parent) write_links(f, graph, b, style);
    fputs("}\n", f);
    bool good = !ferror(f);
    return fclose(f) == 0 && good;
}

ze_result_t soft_graph_dump(ze_graph_handle_t graph, const char *path, struct soft_dump_style style)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    bool good = f && write_graph(f, graph, style);
    int file = good ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    bool written = file >= 0 && jit_write_all(file, text, size);
    if (file >= 0) written = close(file) == 0 && written;
    free(text);
    if (!good) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (file < 0) return soft_fail(ZE_RESULT_ERROR_UNKNOWN, "the file %.500s cannot be written", path);
    return written ? ZE_RESULT_SUCCESS : soft_fail(ZE_RESULT_ERROR_UNKNOWN, "writing %.500s failed", path);
}
