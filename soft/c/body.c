/* body.c - the body of the function being written: its C variables, and where it may be split (outline.c). */
#include "body.h"

#include <string.h>

static bool grow(struct cg *g, void **items, uint32_t count, uint32_t *room, size_t bytes)
{
    if (count < *room) return true;
    uint32_t more = *room ? 2 * *room : 64;
    void *moved = cg_alloc(g, more * bytes);
    if (!moved) return false;
    if (count) memcpy(moved, *items, count * bytes);
    *items = moved;
    *room = more;
    return true;
}

struct cg_name *cg_add_name(struct cg *g, const char *text, size_t length)
{
    struct cg_body *b = g->body_text;
    if (!grow(g, (void **)&b->name, b->count, &b->room, sizeof *b->name)) return NULL;
    struct cg_name *n = &b->name[b->count++];
    *n = (struct cg_name){.text = text, .length = (uint32_t)length, .place = CG_NOWHERE, .piece = CG_NOWHERE};
    return n;
}

const char *cg_copy(struct cg *g, const char *text)
{
    size_t n = strlen(text) + 1;
    char *s = cg_alloc(g, n);
    return s ? memcpy(s, text, n) : "";
}

void cg_declare(struct cg *g, enum cg_lifetime lifetime, const char *type, const char *name, const char *dimension)
{
    name = cg_copy(g, name);
    struct cg_name *n = cg_add_name(g, name, strlen(name));
    if (!n) return;
    n->type = cg_copy(g, type);
    n->dimension = *dimension ? cg_copy(g, dimension) : "";
    n->zero = lifetime == CG_ZERO;
    n->kept = lifetime == CG_KEPT;
}

void cg_mark_cut(struct cg *g, uint32_t block, bool start)
{
    struct cg_body *b = g->body_text;
    if (!grow(g, (void **)&b->mark, b->mark_count, &b->mark_room, sizeof *b->mark)) return;
    b->mark[b->mark_count++] = (struct cg_mark){g->c->size, block, start};
}
