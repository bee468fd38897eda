/* body.h - the body of a function while it is written: body.c fills it, outline.c cuts it. */
#ifndef XETILE_SOFT_BODY_H
#define XETILE_SOFT_BODY_H

#include "codegen.h"

#define CG_NOWHERE UINT32_MAX

/* A C variable of the function, or a label of its text. */
struct cg_name {
    const char *text, *type, *dimension;
    uint32_t length;
    bool kept;                              /* parameters, the result, and what has an address */
    bool zero, shared, in_pieces, in_parts; /* whether it is in several */
    uint32_t place, piece;                  /* where it was seen last, or, a label, where it stands */
    uint32_t entry;                         /* of labels that other pieces go to */
    uint32_t written;                       /* for this piece, + 1 */
};

struct cg_mark {
    size_t at;
    uint32_t block;
    bool start;
};

struct cg_body {
    struct sp_text text;
    struct cg_name *name; /* in the order of declaration; then labels */
    uint32_t count, room, declared;
    struct cg_mark *mark;
    uint32_t mark_count, mark_room;
    uint32_t *table, table_size; /* name + 1, by hash */
};

/* A copy of the text, which the body keeps; a name without type or dimension, a label say. */
const char *cg_copy(struct cg *g, const char *text);
struct cg_name *cg_add_name(struct cg *g, const char *text, size_t length);

#endif
