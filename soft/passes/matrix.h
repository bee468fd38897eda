/* matrix.h - what the matrix passes find: blocks, fragments, grids of products, and queues of deferred products. */
#ifndef XETILE_SOFT_PASSES_MATRIX_H
#define XETILE_SOFT_PASSES_MATRIX_H

#include "passes.h"

/* ---- blocks2d.c */
/* A two-dimensional block, and each lane's part of it. */
struct cg_block2d {
    uint32_t elem, width, height, count, item;
    uint64_t bytes;
};
bool cg_describe_block(struct cg *g, const struct sp_inst *i, struct cg_block2d *b); /* false: unsupported */
uint32_t cg_lanes_operand(const struct sp_inst *i); /* the operand that points to the lanes' own data; 0: none */
/* The fixed variable a forwarded fragment is read from; 0: not forwarded. */
uint32_t cg_forwarded_from(struct cg *g, uint32_t id);
bool cg_is_wide(struct cg *g, uint32_t id); /* is the fragment read from a wide variable? */
bool cg_is_tiled(struct cg *g, uint32_t id);
bool cg_is_in_place(struct cg *g, uint32_t id);
/* The variable that a conversion reads from where its result is used: it has no C variable. 0: it has. */
uint32_t cg_late_from(struct cg *g, uint32_t id);
uint32_t cg_items(struct cg *g, uint32_t variable);
/* Do wide variables hold 8-bit integers, and with which signs (encoded as in prelude_matrix.h)? */
bool cg_is_wide_int(const struct cg *g, uint32_t variable);
uint32_t cg_signs(const struct cg *g, uint32_t variable);

/* ---- products.c */
enum cg_kind cg_element(struct cg *g, uint32_t id);
/* Consecutive products that form a grid: see prelude_matrix.h. */
enum { CG_RUN = 64, CG_FRAGMENTS = 8 /* XS_RUN */ };

struct cg_chain { /* products that add to the same sum, in order */
    uint32_t class, first, last, n, a[CG_FRAGMENTS], b[CG_FRAGMENTS];
};

struct cg_grid {
    uint32_t ni, nj, nk, span; /* span: instructions, from the first product to the last */
    const struct cg_chain *row[CG_FRAGMENTS], *column[CG_FRAGMENTS], *cell[CG_FRAGMENTS][CG_FRAGMENTS];
};

/* The largest grid of products beginning at `first`; false: only one product. */
bool cg_next_grid(struct cg *g, const struct sp_inst *first, struct cg_chain *chain, struct cg_grid *grid);
bool cg_has_grid(struct cg *g, const struct sp_inst *i); /* are such products written as grids? */
uint32_t cg_product_span(struct cg *g, const struct sp_inst *i); /* the instructions written together with this one */
/* The name in prelude_amx.h for tile products of this instruction's types; NULL: not for tiles. */
const char *cg_tile_product(struct cg *g, const struct sp_inst *i);
bool cg_has_tiles(const struct cg *g, enum cg_form form); /* for products of operands that are widened to this form */
bool cg_has_full_sums(struct cg *g, const struct sp_inst *i); /* C and the result: f32 or 32-bit integers; no scales */
uint32_t cg_signs_of(const struct sp_inst *i); /* of A and B, encoded as in prelude_matrix.h */
uint32_t cg_formats_of(struct cg *g, const struct sp_inst *i); /* of A and B, in a form of prelude_mx.h */

/* Types of sums: 32-bit integers; f32, f16 and bf16; f32 and bf16. */
enum cg_sums { CG_INTS, CG_FLOATS, CG_LONG_FLOATS };
/* A kind of product: K, and the types that components of A and B may have (rows of B are packed into 32 bits; 16-bit
 * ones may also be separate). */
struct cg_product {
    const char *name; /* of helpers in prelude_matrix.h */
    uint32_t depth, flags; /* flags: A's; of several any one, B may have another of them */
    enum cg_kind kind;     /* a component type that implies it, if there is a form */
    enum cg_form form;     /* to which operands are widened */
    const char *tile;      /* of floats: the name in prelude_amx.h */
    enum cg_sums sums;
    bool scaled; /* also with scales */
};
const struct cg_product *cg_product_of(struct cg *g, const struct sp_inst *i); /* NULL: it is none */

/* ---- loops.c */
/* By block: is it in the natural loop of this header? NULL: it has none. */
const uint8_t *cg_inside_loop(struct cg *g, const struct sp_function *f, uint32_t header);
/* Do all lanes leave the loop together, at every exit? */
bool cg_leaves_together(struct cg *g, const struct cg_function *fn, const uint8_t *inside);

/* ---- apart.c */
struct cg_apart { /* a loop, and a sum whose lanes are added up where it exits */
    struct cg_apart *next;
    uint32_t class, rows;  /* of the sum, a fragment */
    uint32_t header;       /* of the loop */
    const uint8_t *inside; /* by block */
};
bool cg_is_apart(struct cg *g, uint32_t product); /* does it add to lanes that are kept apart? */

/* ---- deferred.c */
struct cg_queue {
    struct cg_queue *next;
    struct cg_chain chain[CG_RUN];
    struct cg_grid grid;
    const struct sp_inst *first; /* the first product */
    const char *kind;            /* the kind of tiles; NULL: operands in wide variables */
    uint32_t block, header;      /* of the products; of the loop */
    uint32_t m, height;          /* rows per fragment; fragments in a tile, one below the other */
    uint32_t steps;              /* capacity */
    uint32_t halves;             /* steps per unit: 2 if each has only half a tile of K */
    uint32_t along;              /* fragments of a step side by side in a tile */
    bool narrow;                 /* operands stay f16: c/prelude_narrow.h */
    bool shared;                 /* B is shared with other subgroups of the work-group */
    const uint8_t *inside;       /* by block */
    uint32_t variable[2 * CG_FRAGMENTS], variables, variables_of_a;
};

/* The pointer that fragment `id` is read through; and its first row in a unit of its variable, in rows of 32 bytes for
 * A, of 64 for B. */
const struct cg_private *cg_pointer_of(struct cg *g, uint32_t id);
uint32_t cg_place_of_a(struct cg *g, const struct cg_queue *q, uint32_t id);
uint32_t cg_place_of_b(struct cg *g, const struct cg_queue *q, uint32_t id);

#endif
