/* source.c - source locations from OpLine, and names, in printable characters. */
#include "ir.h"

#include <string.h>

const char *cg_plain(struct cg *g, const char *text)
{
    char kept[80];
    size_t n = 0;
    for (; text[n] && n < sizeof kept - 1; n++)
        kept[n] = strchr("/._-+ ", text[n]) || (text[n] >= '0' && text[n] <= '9') ||
                          ((text[n] | 32) >= 'a' && (text[n] | 32) <= 'z')
                      ? text[n]
                      : '?';
    kept[n] = 0;
    return cg_str(g, "%s", kept);
}

/* The OpString id in the last OpLine before this instruction. Functions are visited in order, so the module is walked
 * once; a later section starts over. */
static uint32_t file_of(struct cg *g, const struct sp_inst *i)
{
    const uint32_t *w = g->m->words;
    if (g->source_at > i->word || g->source_at < 5) g->source_at = 5, g->source_file = 0;
    while (g->source_at < i->word && g->source_at < g->m->word_count && w[g->source_at] >> 16) {
        if ((w[g->source_at] & 0xffff) == SP_OP_Line) g->source_file = w[g->source_at + 1];
        g->source_at += w[g->source_at] >> 16;
    }
    return g->source_file;
}

const char *cg_source(struct cg *g, const struct sp_inst *i)
{
    const uint32_t *w = g->m->words;
    uint32_t file = i->line ? file_of(g, i) : 0;
    if (!file) return "";
    for (size_t at = 5; at < g->m->word_count && w[at] >> 16; at += w[at] >> 16) {
        if ((w[at] & 0xffff) == SP_OP_Function) break;
        if ((w[at] & 0xffff) == SP_OP_String && w[at + 1] == file) /* checked when read: its text ends in a zero */
            return cg_str(g, "%s:%u", cg_plain(g, (const char *)(w + at + 2)), i->line);
    }
    return cg_str(g, "line %u", i->line);
}
