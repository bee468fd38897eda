/* body.h - the body of a function being written: body.c fills it, outline.c splits it. */
#ifndef XETILE_SOFT_BODY_H
#define XETILE_SOFT_BODY_H

#include "codegen.h"

#define CG_NOWHERE UINT32_MAX

/* A C variable of the function, or a label of its text. */
struct cg_name {
    const char *text, *type, *dimension;
    uint32_t length;
    bool kept;                              /* parameters, the result, and variables whose address is taken */
    bool zero, shared, in_pieces, in_parts; /* used in several pieces, parts */
    uint32_t place, piece;                  /* of the last use; of a label: its position */
    uint32_t entry;                         /* for labels that other pieces jump to */
    uint32_t written;                       /* 1 + the piece it was last declared in */
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

/* A copy of the text, owned by the body. And a name without type or dimension, such as a label. */
const char *cg_copy(struct cg *g, const char *text);
struct cg_name *cg_add_name(struct cg *g, const char *text, size_t length);

#endif
