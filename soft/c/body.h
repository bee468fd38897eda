/* body.h - the body of the function being written, for the files that fill it (body.c, blocks.c) and write it
 * (pieces.c). */
#ifndef XETILE_SOFT_BODY_H
#define XETILE_SOFT_BODY_H

#include "codegen.h"
#include "passes/outline.h"

/* A C function with part of the body; or, of a function that is written whole, all of it. */
struct cg_piece_text {
    struct sp_text declared, text;
    bool builtins; /* reads built-in variables */
};

struct cg_body {
    struct cg_piece_text *piece;
    uint32_t now, place;     /* the piece and the place being written */
    struct sp_text state[2]; /* members that all pieces share: first those that begin as zeros */
    uint8_t *entered;        /* by place, then by barrier of a continuation: another piece jumps there */
};

/* A piece returns the number of the next, and of an entry into it. 0 is the function's end, 1 a barrier. */
enum { CG_FIRST_ENTRY = 2, CG_ENTRY_BITS = 16 };
/* The number of an entry into the piece that begins with this cut. */
static inline uint32_t cg_entry_of_place(const struct cg_cut *cut, uint32_t place)
{
    return CG_FIRST_ENTRY + 1 + place - cut->place;
}
static inline uint32_t cg_entry_of_point(uint32_t point) { return (1u << CG_ENTRY_BITS) - 1 - point; }

static inline bool cg_is_divided(const struct cg *g) { return g->fn->outline->pieces > 1; }
void cg_declare_in(struct cg *g, struct sp_text *where, bool zero, const char *type, const char *name);

/* Does a piece begin with this step of the place being written? */
bool cg_is_cut(const struct cg *g, uint32_t step);
void cg_next_piece(struct cg *g);
void cg_next_place(struct cg *g, uint32_t place);

#endif
