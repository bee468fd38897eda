/* ir.h - the representation between SPIR-V and C: functions of blocks, types as lists of scalars, properties of
 * instructions. The passes add what they find (passes/passes.h).
 *
 * A value is UNIFORM (the same in all active lanes: a C scalar) or VARYING (a GNU vector with an element per lane). A
 * composite is a C struct of those; its scalars in order are its leaves. A block is MASKED if lanes may reach it
 * separately; it then has a mask variable (m<label>) that collects them, and runs under that mask.
 */
#ifndef XETILE_SOFT_IR_H
#define XETILE_SOFT_IR_H

#include "options.h"
#include "spirv/spirv.h"

enum cg_kind { CG_BOOL, CG_U8, CG_U16, CG_U32, CG_U64, CG_F32, CG_F64, CG_F16, CG_BF16, CG_E4M3, CG_E5M2 };

/* In composites of many scalars, a leaf stands for all elements of an array; its path contains variables of loops
 * around the statement. Thus the C text of an instruction does not grow with its arrays. */
struct cg_nest {
    const struct cg_nest *outer;
    uint32_t depth, count, stride; /* of loop variable i<depth>_, whose iterations are `stride` bytes apart */
};
struct cg_leaf {
    enum cg_kind kind;
    uint32_t offset;  /* bytes within the composite in memory */
    const char *path; /* ".e[3].m1", "" for a scalar */
    const struct cg_nest *nest;
    uint32_t narrow; /* bits of an integer narrower than its kind; 0: full width */
};
struct cg_leaves {
    uint32_t count, scalars;
    bool many; /* arrays are loops */
    const struct cg_leaf *leaf;
};

struct cg_loop {
    uint32_t header, last, parent /* index + 1 */;
    bool irreducible;
};

struct cg_block {
    bool diverges; /* lanes may take different paths at its end */
    bool masked;
    uint32_t ipdom;     /* block_count: the function's end */
    uint32_t component; /* component of connected masked blocks: index + 1 */
    uint32_t loop;      /* innermost loop of masked blocks: index + 1 */
    uint32_t order;     /* position in `order` */
};

struct cg_function {
    const struct sp_function *f;
    const struct sp_entry *entry; /* NULL: not a kernel */
    struct cg_block *block;
    uint32_t *rpo;                /* blocks in reverse postorder */
    uint32_t *order, order_count; /* masked blocks, component after component, loops contiguous */
    uint32_t *component;          /* where each begins in `order` */
    bool *coherent;               /* by component: its blocks are written twice */
    struct cg_loop *loop;
    uint32_t loop_count;
    bool result_varying, has_barrier, uses_builtins, loops_irreducible;
    /* A kernel may be written twice: for full subgroups of work-items consecutive in x (`full`), and for any. `full`
     * says which of the two is being analysed and written. */
    bool full, has_full, has_general, called;
    bool sized;      /* work-group sizes differ in which of the two they need: see passes/versions.h ... */
    bool full_apart; /* ... and full subgroups are run by another version, self->kernel->full */
    uint32_t instructions, accesses;      /* accesses: scalars loaded and stored */
    bool wraps;                           /* an entry point that only calls its `body` */
    struct cg_continuation *continuation; /* NULL: barriers are calls of the scheduler */
    uint32_t value_count; /* parameters and results, with ordinals from 1 */
    uint64_t inlined; /* its instructions and those of the functions that compilers may inline into it */
    uint32_t row;         /* if called by pointer: index + 1 in the table */
    /* results of passes, each for its function's values by ordinal: see passes/passes.h */
    const struct cg_affine *affine;
    const struct cg_derived *derived;
    const struct cg_split *split;
    const struct cg_spelled *spelled;
    const struct cg_shared *shared;
    const struct cg_held *held;
    const struct cg_deferred *deferred;
    struct cg_queue *queues; /* deferred products: passes/deferred.c */
    struct cg_apart *apart;  /* sums that lanes keep apart: passes/apart.c */
    struct cg_outer *outer;  /* products that are spelled out: passes/outer.c */
    uint32_t queue_count;
    bool shares_blocks;
    const struct cg_outline *outline; /* the order of its blocks, and pieces: passes/outline.c */
};

/* A set of texts, each with a value. */
struct cg_texts {
    struct cg_text *bucket[1 << 12];
};

struct cg {
    const struct sp_module *m;
    const struct cg_options *o;
    struct sp_text *log;
    bool failed;
    const struct sp_inst *at;         /* what an error is about; NULL: the module */
    const struct cg_value *value;     /* by id: divergence.c */
    uint32_t *ordinal;                /* by id: index among its function's values, for tables; 0: the module's */
    struct cg_value *fresh;           /* divergence.c's own: the values before any analysis */
    const struct cg_private *private; /* by id: addresses.c */
    struct cg_function *function;
    uint32_t *body;                    /* by entry: the function that is the kernel */
    struct cg_leaves *leaves;          /* by type index */
    uint32_t *local_offset, local_end; /* by id of Workgroup variables; their end */
    uint32_t *global_index;            /* by id of CrossWorkgroup and UniformConstant variables */
    uint32_t row_count;                /* functions called by pointer */
    bool runs_once;                    /* nearly all of the module is long code without loops */
    bool pointer_calls;                /* some function calls by pointer */
    void *arena, *words;               /* arena.c's own; words: text of cg_str, released after every block */
    size_t taken;                      /* bytes of both */
    uint32_t S, smallest_S, largest_S;
    struct cg_function *fn;            /* the one being analysed or written */
    uint32_t source_at, source_file;   /* source.c's own: how far OpLine was searched, and the file */
    uint32_t phi_at;                   /* blocks.c's own: number of the source that was found last */
    const struct cg_use_of **uses;     /* needed.c's own: by id */
    struct cg_texts said;              /* remarks.c's own: the remarks so far */
    struct cg_writer *w;               /* what only c/ knows: c/codegen.h */
};

static inline const struct sp_type *cg_type_of(const struct cg *g, uint32_t id)
{
    return sp_type(g->m, g->m->ids[id].type);
}
static inline const struct sp_type *cg_pointee(const struct cg *g, uint32_t pointer)
{
    return sp_type(g->m, cg_type_of(g, pointer)->elem);
}

/* The sum of byte offsets, of any size because the module says them: like addresses they wrap around. */
static inline int64_t cg_plus(int64_t offset, int64_t more) { return (int64_t)((uint64_t)offset + (uint64_t)more); }
static inline int64_t cg_minus(int64_t offset, int64_t less) { return (int64_t)((uint64_t)offset - (uint64_t)less); }

/* ---- arena.c: memory, and how the code generator fails */
void *cg_alloc(struct cg *g, size_t bytes); /* zeroed; NULL and `failed` if out of memory or over the limit */
void cg_free_words(struct cg *g);           /* text of cg_str */
void cg_free(struct cg *g);
/* Text that lives until the current block is written. */
const char *cg_str(struct cg *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *cg_keep(struct cg *g, const char *text); /* lives until the end */
bool cg_is_new(struct cg *g, struct cg_texts *set, const char *text); /* adds it; false: it was there, or no memory */
bool cg_set_text(struct cg *g, struct cg_texts *set, const char *text, const char *value); /* false: no memory */
const char *cg_find_text(const struct cg_texts *set, const char *text, size_t bytes);      /* its value; NULL: none */
uint32_t cg_hash(const char *text, size_t bytes);
void cg_fail(struct cg *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- leaves.c: types as lists of scalars */
uint32_t cg_kind_bytes(enum cg_kind kind);
bool cg_kind_is_float(enum cg_kind kind);
bool cg_kind_is_small_float(enum cg_kind kind);
enum cg_kind cg_bits_kind(uint32_t bytes);
bool cg_kind_of_type(const struct sp_type *t, enum cg_kind *kind); /* false: not a scalar */
bool cg_is_composite(const struct sp_type *t);
uint32_t cg_matrix_parts(const struct sp_type *t, uint32_t S);
uint32_t cg_count_leaves(struct cg *g, uint32_t type_id, bool many); /* fails for types without values */
const struct cg_leaves *cg_leaves_of(struct cg *g, uint32_t type_id);
const struct cg_leaves *cg_value_leaves(struct cg *g, uint32_t id);
/* Element or member i of composite `whole`. */
struct cg_leaf cg_part(struct cg *g, struct cg_leaf whole, const struct sp_type *t, uint32_t i);
uint64_t cg_memory_size(struct cg *g, uint32_t type_id); /* in a private variable, where matrices have one too */
uint32_t cg_leaf_bytes(const struct cg_leaf *leaf);      /* in memory ... */
uint32_t cg_piece(uint32_t bytes);               /* ... and the number of those left to access at once */
uint32_t cg_width_of(struct cg *g, uint32_t id); /* bits of a scalar's kind */

/* ---- ops.c: properties of a single instruction */
enum cg_property {
    CG_PURE = 1 << 0,          /* nothing but its operands, integers or pointers, decides the result */
    CG_VARIES = 1 << 1,        /* the result differs from lane to lane, or ... */
    CG_UNIFORM = 1 << 2,       /* ... does not, whatever the operands are; see cg_result_rule */
    CG_READS = 1 << 3,         /* memory, through its pointers */
    CG_WRITES = 1 << 4,        /* likewise */
    CG_HARMLESS = 1 << 5,      /* takes pointers and writes through none */
    CG_ORDERS = 1 << 6,        /* memory that others write comes into play: calls, barriers */
    CG_ATOMIC = 1 << 7,        /* the access is */
    CG_FLOAT = 1 << 8,         /* an atomic operation on floats */
    CG_PREDICATED = 1 << 9,    /* for the lanes of a condition */
    CG_COPIES = 1 << 10,       /* from memory to memory: to operand 0 from operand 1 */
    CG_BLOCK = 1 << 11,        /* of two dimensions: see cg_describe_block */
    CG_LIFETIME = 1 << 12,     /* of a variable begins or ends */
    CG_CHAIN = 1 << 13,        /* an address some bytes after operand 0 */
    CG_ELEMENT = 1 << 14,      /* a chain whose first index counts what operand 0 points to */
    CG_SAME_POINTER = 1 << 15, /* operand 0, when both are pointers */
    CG_CONVERTS = 1 << 16,     /* an integer or pointer to another width */
    CG_PRODUCT = 1 << 17,      /* of matrices */
    CG_SCOPED = 1 << 18,       /* operand 0 is the scope of the wait */
    CG_SILENT = 1 << 19,       /* generates no code at its position */
    CG_NARROW = 1 << 20,       /* takes integers of any width ... */
    CG_SIGNED = 1 << 21,       /* ... with their sign extended */
    CG_SPELLS = 1 << 22,       /* may be part of a matrix product that is spelled out */
    CG_DECIDES = 1 << 23,      /* of scalars: depends on nothing but its operands, and may decide a branch beforehand */
    CG_MODIFIES = CG_ATOMIC | CG_READS | CG_WRITES | CG_VARIES
};
/* Each instruction of a function; `block` is the index of its block. */
#define CG_EACH(i, block, f)                                           \
    for (uint32_t block = 0; block < (f)->block_count; block++)        \
        for (const struct sp_inst *i = (f)->blocks[block].inst;        \
             i < (f)->blocks[block].inst + (f)->blocks[block].count; i++)
/* The same, blocks in reverse postorder. */
#define CG_EACH_IN_ORDER(i, block, fn)                                                                                 \
    for (uint32_t n_ = 0, block; n_ < (fn)->f->block_count && (block = (fn)->rpo[n_], true); n_++)                     \
        for (const struct sp_inst *i = (fn)->f->blocks[block].inst;                                                    \
             i < (fn)->f->blocks[block].inst + (fn)->f->blocks[block].count; i++)
/* The number k of each operand that is a value. */
#define CG_EACH_VALUE(k, i) for (uint32_t k = cg_next_value(i, 0); k < (i)->count; k = cg_next_value(i, k + 1))

bool cg_is(const struct sp_inst *i, uint32_t any); /* has it any of these properties? */
bool cg_is_value_operand(const struct sp_inst *i, uint32_t k);
uint32_t cg_next_value(const struct sp_inst *i, uint32_t k); /* the first such operand from k on; or i->count */
enum cg_result { CG_RESULT_AS_OPERANDS, CG_RESULT_UNIFORM, CG_RESULT_VARIES };
enum cg_result cg_result_rule(const struct sp_inst *i);
bool cg_waits(const struct cg *g, const struct sp_inst *i); /* for all subgroups of the work-group? */
/* Can it write to memory that others see, or wait for others? Of instructions that are not said to write or not to,
 * all that take pointers may. */
bool cg_may_write(const struct cg *g, const struct sp_inst *i);
bool cg_math_stores(const struct sp_inst *i); /* has a second result, stored through its last operand? */
bool cg_math_literal(const struct sp_inst *i, uint32_t k); /* is operand k a number, not an id? */
/* What a vector load or store of OpenCL.std is like; 0: it is another instruction. In memory, aligned vectors of three
 * components take the place of four. The last operand of counted and rounded ones is a number. */
enum { CG_LOADS = 1, CG_STORES = 2, CG_HALF = 4, CG_ALIGNED = 8, CG_COUNTED = 16, CG_ROUNDED = 32 };
uint32_t cg_vector_access(uint32_t number);

/* ---- functions.c: properties of a function */
bool cg_is_kernel(const struct cg_function *fn);           /* its parameter `at` says where it is */
bool cg_is_long(const struct cg_function *fn); /* if so, frequent operations are calls, not inlined */
/* At -O2 large functions take seconds to compile and run no faster: their time is spent in helpers. */
bool cg_is_large(const struct cg_function *fn);
/* Inlined into each of its callers, and these into theirs, it would make too much code of little: functions that each
 * call another twice grow to 2^n times their size. */
bool cg_stays_apart(const struct cg_function *fn);
void cg_count_inlined(struct cg *g); /* of all functions, from `instructions` */
uint32_t cg_size_of_entry(struct cg *g, const struct sp_entry *e);

/* ---- blocks.c: order of blocks, post-dominators */
void cg_order_blocks(struct cg *g, struct cg_function *fn);
void cg_find_post_dominators(struct cg *g, struct cg_function *fn);
bool cg_dominates(const struct sp_function *f, uint32_t a, uint32_t b); /* is block a on every way to b? */
uint32_t cg_phi_source(struct cg *g, const struct sp_inst *phi, uint32_t label); /* for lanes from there; 0: none */
/* Marks the block, and all that lead to it without passing through a block that is marked already. The stack has room
 * for all blocks. */
void cg_mark_before(const struct sp_function *f, uint32_t block, uint8_t *marked, uint32_t *stack);

/* ---- regions.c: masked blocks: components, loops, their order */
void cg_find_masked(struct cg *g, struct cg_function *fn); /* from `diverges` */
bool cg_loop_contains(const struct cg_function *fn, uint32_t loop, uint32_t block);
bool cg_stays_in_loop(const struct cg_function *fn, uint32_t from, uint32_t to); /* is `to` in the loop of `from`? */

/* ---- cases.c: the cases of a varying switch, in order */
struct cg_case {
    uint32_t round, next; /* cg_next_case's own */
    bool is_default, edge; /* edge: lanes leave, else they are only told apart from those for the default block */
    uint64_t literal;
    uint32_t to;
};
/* The next case of switch `s` at the end of block `from`, with *c zeroed at first; false: there is none. */
bool cg_next_case(struct cg *g, const struct cg_function *fn, uint32_t from, const struct sp_inst *s,
                  struct cg_case *c);
bool cg_may_cut_cases(const struct sp_block *b, uint32_t block); /* may a piece begin between them? */

/* ---- source.c: where an instruction comes from */
const char *cg_plain(struct cg *g, const char *text); /* text of a module made printable */
const char *cg_source(struct cg *g, const struct sp_inst *i); /* "file:line", "" if unknown */

#endif
