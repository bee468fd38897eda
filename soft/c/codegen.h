/* codegen.h - what the files of the code generator share.
 *
 *   codegen.c                the driver: the text as a whole, section by section
 *   text.c                   its memory, and how text is written
 *   values.c                 values and types as C expressions
 *   blocks.c                 the blocks of a function, its branches and calls
 *   function.c               a function, and what a call of it needs
 *   kernel.c                 kernels: their parameters, and the loops over work-groups and subgroups
 *   tables.c                 the tables at the end: kernels and program variables
 *   passes/divergence.c      order of blocks, post-dominators, divergence, loops under masks; uniform values
 *   passes/coherent.c        masked blocks once more, for when all lanes come to them together
 *   passes/affine.c          values that rise by the same step from lane to lane, held as what lane 0 has
 *   passes/coalesce.c        matrix fragments that share a variable
 *   passes/continuations.c   kernels that return at a barrier and go on there when they are called again
 *   passes/outline.c         long functions as several shorter ones
 *   passes/legalise.c        integers of other widths than 8, 16, 32 and 64 bits
 *   ops.c                    arithmetic, conversion and composites, as tables
 *   predicate.c              loads and stores under a condition
 *   memory.c                 variables, addresses, loads, stores, atomics
 *   groups.c                 subgroup and work-group operations
 *   matrix.c                 matrix products, 2D blocks, block reads
 *   passes/deferred.c        products on the CPU's tile unit; those of loops are deferred, and subgroups share B
 *   math.c                   OpenCL.std
 *   coop.c                   cooperative matrices
 *   passes/checks.c          what the checked mode writes around accesses to memory
 *   passes/checks_private.c  the same for private memory that nothing has written
 *   pointers.c               functions that are called by pointer
 *
 * A value is UNIFORM (the same in all lanes that are active: a C scalar) or VARYING (a GNU vector with an element a
 * lane). A composite is a C struct of those; its scalars in order are its leaves. A block is MASKED when lanes may come
 * to it separately; it then has a mask variable in which they gather (m<label>), and runs under what it found there.
 */
#ifndef XETILE_SOFT_CODEGEN_H
#define XETILE_SOFT_CODEGEN_H

#include "spirv/spirv.h"

/* The prelude's files as arrays of lines, NULL after the last (made by the Makefile). */
extern const char *const soft_text_abi[], *const soft_text_prelude[], *const soft_text_lanes[];
extern const char *const soft_text_matrix[], *const soft_text_math[], *const soft_text_print[];
extern const char *const soft_text_amx[], *const soft_text_coop[], *const soft_text_check[];

enum cg_kind { CG_BOOL, CG_U8, CG_U16, CG_U32, CG_U64, CG_F32, CG_F64, CG_F16, CG_BF16, CG_E4M3, CG_E5M2 };

/* Composites of many scalars have one leaf for all elements of an array, whose path has variables of loops around the
 * statement: the C of an instruction does not grow with its arrays. */
struct cg_nest {
    const struct cg_nest *outer;
    uint32_t depth, count, stride; /* of i<depth>_, and how many bytes apart */
};
struct cg_leaf {
    enum cg_kind kind;
    uint32_t offset;  /* bytes within the composite in memory */
    const char *path; /* ".e[3].m1", "" for a scalar */
    const struct cg_nest *nest;
    uint32_t narrow; /* an integer of so many bits, less than its kind has; 0: it has all of them */
};
struct cg_leaves {
    uint32_t count, scalars;
    bool many; /* arrays are loops */
    const struct cg_leaf *leaf;
};

/* How a fixed variable holds operands of products; CG_WIDE_I8 stands for four, one for the signs of A and B each. */
enum cg_form { CG_AS_LOADED, CG_WIDE_F16, CG_WIDE_BF16, CG_WIDE_I8 };

struct cg_value {
    bool varying;
    bool blend;          /* assigned under its block's mask, because lanes that left a loop still want their own */
    bool fixed;          /* a private variable kept in C variables (all its uses have constant offsets) */
    bool stored_varying; /* a private variable whose contents differ from lane to lane */
    bool accessed;       /* a varying pointer, or one derived from it, is loaded or stored through */
    uint32_t root;       /* a varying pointer that is another one plus o<id>, the same for all lanes */
    bool borrowed;       /* a fragment that is read in the variable it would be loaded from */
    uint8_t wide;        /* cg_form: a fixed variable that holds operands of products as they are multiplied */
    uint32_t home;       /* the value whose C variable it shares; 0: its own */
    /* with `rows` others it stands in an array, c<group>, at `row`: sums that tiles hold together */
    uint32_t group;
    uint8_t row, rows;
    const struct cg_queue *queue; /* of a fixed variable: the products that its blocks wait for */
    bool tiled;          /* a fixed variable whose rows are 64 bytes, two fragments side by side: operand A for tiles */
    uint8_t granule;     /* bytes of its elements */
    uint32_t variable;   /* a pointer into such a variable: its id ... */
    int64_t offset;      /* ... and the byte offset */
    bool line;           /* varying, but each lane's is the one before plus `step`: v<id> is a scalar, lane 0's */
    bool checked;        /* a line only while ok<id>; else w<id> has the lanes */
    bool early;          /* it was computed at the start of the block being written */
    bool proved;         /* in the block being written, what it is made of is known not to wrap */
    uint64_t step;
};

struct cg_loop {
    uint32_t header, last, parent /* index + 1 */;
    bool irreducible;
};

struct cg_block {
    bool masked;
    uint32_t ipdom;     /* block_count: the function's end */
    uint32_t component; /* of masked blocks that hang together: index + 1 */
    uint32_t loop;      /* innermost loop of masked blocks: index + 1 */
    uint32_t order;     /* position in `order` */
};

struct cg_function {
    const struct sp_function *f;
    const struct sp_entry *entry; /* NULL: not a kernel */
    struct cg_block *block;
    uint32_t *rpo;                /* blocks in reverse postorder */
    uint32_t *order, order_count; /* masked blocks, component after component, loops contiguous */
    uint32_t *component;          /* where each begins there */
    bool *whole;                  /* by component: its blocks are written twice */
    struct cg_loop *loop;
    uint32_t loop_count;
    bool result_varying, has_barrier, uses_builtins, reachable, loops_irreducible;
    /* A kernel may be written twice: for subgroups that are full and stand in a row of work-items (`dense`), and for
     * any. `dense` says which of the two is being analysed and written. */
    bool dense, has_dense, has_general, called;
    bool forwards; /* an entry point that only calls its `body` */
    struct cg_frame *frame; /* NULL: barriers are calls of the scheduler */
    uint32_t framed;        /* the section in which its frame's size is written */
    uint64_t frame_bytes, private_bytes; /* of this function alone */
    bool summed; /* the next three say what a call needs, of what it calls too */
    uint64_t all_frames, all_private;
    uint32_t all_local;
    bool any_barrier;
    uint32_t value_count; /* parameters and results, which have ordinals from 1 */
    uint32_t row, sizes; /* called by pointer: its number + 1 in the table, the subgroup sizes it was written for */
    uint32_t local_bytes;
    struct cg_queue *queues; /* products that wait: passes/deferred.c */
    uint32_t queue_count;
    bool shares_blocks;
};

struct cg_helper {
    struct cg_helper *next;
    char name[];
};

struct cg {
    const struct sp_module *m;
    const struct cg_options *o;
    struct sp_text *c, *log;
    bool failed;
    struct cg_value *value; /* by id */
    uint32_t *ordinal;      /* by id: which of its function's values it is; 0: the module's. For a function's tables */
    struct cg_value *fresh; /* as they were before anything was analysed */
    struct cg_function *function;
    uint32_t *body; /* by entry: the function that is the kernel */
    struct cg_leaves *leaves;          /* by type index */
    uint32_t *local_offset, local_end; /* by id: of Workgroup variables; where they end */
    uint32_t *global_index;            /* by id: of CrossWorkgroup and UniformConstant variables */
    uint32_t row_count;                /* functions that are called by pointer */
    bool pointer_calls;                /* some function calls by pointer */
    void *arena, *words;               /* words: what cg_str made, given back after every block */
    size_t taken;                      /* bytes of both */
    struct sp_text helpers;            /* functions that stand in front of the section being written */
    struct cg_helper *helper;          /* those that are there */
    /* while a function is written */
    struct cg_function *fn;
    const struct sp_inst *inst;
    uint32_t phi_at; /* where the last phi's source was found */
    uint32_t S, smallest_S, largest_S, temporaries, skip /* instructions that the one before has written too */;
    struct cg_body *body_text; /* what there is of it */
    bool whole;              /* masked blocks are being written for all lanes */
    const char *mask, *bits; /* the active lanes: an i32x and a u64 in C */
    bool extends;            /* integers of other widths are used with their sign */
    bool lanes_apart;        /* results of lines are being written to w<id>, lane by lane */
    struct cg_check *check;  /* passes/checks.c's own */
    struct cg_uses *uses;    /* passes/checks_private.c's own */
};

/* ---- text.c */
void *cg_alloc(struct cg *g, size_t bytes); /* zeroed; NULL and `failed` when memory is out or over its limit */
void cg_free_words(struct cg *g);           /* what cg_str made */
void cg_free(struct cg *g);
/* Text that lives until the block being written is done. */
const char *cg_str(struct cg *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *cg_keep(struct cg *g, const char *text); /* until the end */
void cg_put(struct cg *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cg_put_text(struct cg *g, const char *text, size_t bytes);
void cg_put_bytes(struct cg *g, const unsigned char *bytes, size_t size); /* as numbers, each with a comma behind it */
void cg_put_string(struct cg *g, const char *s); /* quoted, whatever it holds */
void cg_fail(struct cg *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Is a helper of this name still to be written, into g->helpers? True but once a section. */
bool cg_is_new_helper(struct cg *g, const char *name);
/* Statements: the scalar function `name` applied lane by lane, the result in `to`. Written out once a section. */
void cg_call_lanes(struct cg *g, const char *to, const char *result, const char *name, uint32_t n,
                   const char *const *types, const char *const *args);

/* ---- values.c */
const char *cg_kind_type(struct cg *g, enum cg_kind kind, bool varying); /* u32, u32x, i32x for bool */
const char *cg_kind_signed(struct cg *g, enum cg_kind kind, bool varying);
const char *cg_kind_name(enum cg_kind kind); /* u32: the suffix of helpers */
uint32_t cg_kind_bytes(enum cg_kind kind);
bool cg_kind_is_float(enum cg_kind kind);
bool cg_kind_is_small_float(enum cg_kind kind);
enum cg_kind cg_bits_kind(uint32_t bytes);
uint32_t cg_matrix_parts(const struct sp_type *t, uint32_t S);
uint32_t cg_count_leaves(struct cg *g, uint32_t type_id, bool many); /* fails where no value can be of it */
const struct cg_leaves *cg_leaves_of(struct cg *g, uint32_t type_id);
/* Element or member i of a composite at `whole`. */
struct cg_leaf cg_part(struct cg *g, struct cg_leaf whole, const struct sp_type *t, uint32_t i);
void cg_open_nest(struct cg *g, const struct cg_leaf *leaf); /* the loops around statements for the leaf */
void cg_close_nest(struct cg *g, const struct cg_leaf *leaf);
const char *cg_leaf_offset(struct cg *g, const struct cg_leaf *leaf); /* an expression, where there are loops */
const char *cg_type_name(struct cg *g, uint32_t type_id, bool varying);
uint32_t cg_home(struct cg *g, uint32_t id); /* v<home> is the value's C variable, unless it stands in an array */
const char *cg_variable(struct cg *g, uint32_t id); /* as an expression */
uint32_t cg_operand(struct cg *g, uint32_t i);      /* an operand word of the instruction being written */
bool cg_is_varying(struct cg *g, uint32_t id);
const char *cg_leaf_use(struct cg *g, uint32_t id, uint32_t leaf, bool varying); /* an expression */
const char *cg_use(struct cg *g, uint32_t id, bool varying);                     /* leaf 0 */
/* The leaf `of` of the part of a composite value that stands at `at`. */
const char *cg_part_use(struct cg *g, uint32_t id, const struct cg_leaf *at, const struct cg_leaf *of, bool varying);
const char *cg_use_whole(struct cg *g, uint32_t id, bool varying);               /* any type, as a C value of it */
const char *cg_result_leaf(struct cg *g, uint32_t leaf);                         /* an lvalue of the current result */
void cg_set_leaf(struct cg *g, uint32_t leaf, const char *expression);           /* blends when it must */
void cg_set_part(struct cg *g, const struct cg_leaf *at, const struct cg_leaf *of, const char *expression);
void cg_set_whole(struct cg *g, const char *whole, bool varying); /* from a C value of the type */
const char *cg_to_bits(struct cg *g, enum cg_kind kind, bool varying, const char *e); /* as an unsigned integer */
const char *cg_from_bits(struct cg *g, enum cg_kind kind, bool varying, const char *e);
const char *cg_widen(struct cg *g, enum cg_kind kind, bool varying, const char *e);  /* a small float as f32 */
const char *cg_narrow(struct cg *g, enum cg_kind kind, bool varying, const char *e); /* f32 as a small float */
const char *cg_convert(struct cg *g, const char *e, enum cg_kind from, enum cg_kind to, bool is_signed);
const char *cg_splat(struct cg *g, enum cg_kind kind, const char *e);
const char *cg_select(struct cg *g, enum cg_kind kind, const char *mask, const char *a, const char *b);
const char *cg_literal(struct cg *g, enum cg_kind kind, uint64_t bits);
const char *cg_temporary(struct cg *g, const char *type); /* declares one in the block being written */

/* ---- predicate.c */
bool cg_is_predicated(uint16_t op);
/* `write_access` writes the load or store for the lanes in g->bits. */
void cg_write_predicated(struct cg *g, void (*write_access)(struct cg *g));

/* ---- passes/legalise.c */
bool cg_begin_narrow(struct cg *g); /* before an instruction is written; false: it cannot be */
const char *cg_cut(struct cg *g, const struct cg_leaf *leaf, bool varying, const char *e); /* a result, to its width */
const char *cg_extend(struct cg *g, const struct cg_leaf *leaf, bool varying, const char *e); /* where g->extends */
uint32_t cg_leaf_bytes(const struct cg_leaf *leaf); /* in memory ... */
uint32_t cg_piece(uint32_t bytes);                  /* ... and how many of those that are left to access together */

/* ---- blocks.c */
void cg_write_block(struct cg *g, uint32_t block);
void cg_write_block_head(struct cg *g, uint32_t block);
void cg_write_component(struct cg *g, uint32_t component); /* masked blocks that hang together */

/* ---- passes/coherent.c */
void cg_plan_whole(struct cg *g, struct cg_function *fn);
bool cg_has_whole(const struct cg *g, uint32_t block);
bool cg_joins_whole(const struct cg *g, uint32_t block); /* may lanes that are all there go on with W<label>? */
/* C that is true only if the condition of the branch at the end of `block` is true, or false, in all lanes. */
void cg_write_votes(struct cg *g, uint32_t block, uint32_t condition, const char **all, const char **none);
void cg_check_lines_first(struct cg *g, uint32_t block); /* of a block that is being written for all lanes ... */
void cg_forget_proofs(struct cg *g, uint32_t block);     /* ... and after it */

/* ---- function.c */
/* A large function at -O2 takes seconds to compile and runs no faster: its time goes into helpers. */
/* Of so many instructions that what is done often is called rather than inlined. */
bool cg_is_long(const struct sp_function *f);
bool cg_is_large(const struct sp_function *f);
bool cg_is_kernel(const struct cg_function *fn); /* its parameter `at` says where it is */
void cg_write_signature(struct cg *g, const char *end);
void cg_write_builtins(struct cg *g);
void cg_write_function(struct cg *g, struct cg_function *fn);
/* What a call of it needs, of what it calls, too. */
void cg_sum_frames(struct cg *g, struct cg_function *fn, uint64_t *frame, uint64_t *private_bytes, uint32_t *local,
                   bool *barrier);

/* ---- kernel.c */
struct cg_param {
    uint32_t kind, size, offset, align;
    const char *name;
};
/* Their names are those of the entry point, `names`. Returns the bytes of all. */
uint32_t cg_place_params(struct cg *g, const struct sp_function *f, const struct sp_function *names,
                         struct cg_param *p);
void cg_write_kernel(struct cg *g, uint32_t index, const struct cg_param *p);

/* ---- tables.c */
void cg_write_tables(struct cg *g, struct cg_param *const *params, const uint32_t *args_bytes);

/* ---- codegen.c */
uint32_t cg_size_of_entry(struct cg *g, const struct sp_entry *e);

/* ---- passes/outline.c */
void cg_write_body(struct cg *g, void (*body)(struct cg *)); /* the function but for its last brace */
/* A C variable of the function; `zero` where that begins; `kept` as long as it runs, because its address is. */
enum cg_lifetime { CG_PLAIN, CG_ZERO, CG_KEPT };
void cg_declare(struct cg *g, enum cg_lifetime lifetime, const char *type, const char *name, const char *dimension);
/* Here, between two statements of the block, or before it (`start`), another piece may begin. */
void cg_mark_cut(struct cg *g, uint32_t block, bool start);

/* ---- pointers.c */
void cg_find_addressed(struct cg *g);
void cg_spread_addressed(struct cg *g); /* their parameters and results vary */
void cg_declare_rows(struct cg *g);
void cg_write_entries(struct cg *g);
void cg_write_rows(struct cg *g);
void cg_write_pointer_call(struct cg *g);
const char *cg_address_of_function(struct cg *g, uint32_t id);

/* ---- passes/coalesce.c */
void cg_share_storage(struct cg *g, struct cg_function *fn);

/* ---- passes/affine.c */
void cg_find_lines(struct cg *g, struct cg_function *fn);
void cg_write_line(struct cg *g); /* the current instruction, whose result is a line */
/* All lanes of the line `id`; `own` says how its scalar is written. */
const char *cg_line_lanes(struct cg *g, uint32_t id, const char *own);
const char *cg_line_lane(struct cg *g, uint32_t id, const char *lane);
void cg_copy_line(struct cg *g, uint32_t to, uint32_t from);
void cg_write_line_start(struct cg *g); /* only what lane 0 has of it */
/* Calls `test` for each operand that is made wider and must be on its line then; C that is true while it is. */
void cg_each_widened(struct cg *g, const struct sp_inst *i, void (*test)(struct cg *g, uint32_t id, bool is_signed));
const char *cg_line_stays(struct cg *g, uint32_t id, bool is_signed);
bool cg_is_pure(uint16_t op); /* nothing but its operands, integers or pointers, decides the result */
bool cg_is_step(struct cg *g, uint32_t id); /* is it the same in all lanes, or a line? Then v<id> is a scalar */

/* ---- passes/continuations.c */
void cg_plan_frame(struct cg *g, struct cg_function *fn);
void cg_write_frame_type(struct cg *g);
void cg_write_resume(struct cg *g);
bool cg_write_frame_barrier(struct cg *g); /* false: the function has no frame */
/* d12_16, f12_16: the function as it is being written */
const char *cg_version(struct cg *g, const struct cg_function *fn);

/* ---- passes/divergence.c */
void cg_analyse(struct cg *g);
/* Anew, for the other version. */
void cg_analyse_again(struct cg *g, struct cg_function *fn);
bool cg_loop_contains(const struct cg_function *fn, uint32_t loop, uint32_t block);
bool cg_is_value_operand(const struct sp_inst *i, uint32_t k);
bool cg_has_group_operation(uint16_t op);
bool cg_is_group_operation(const struct sp_inst *i); /* one whose first operand may be the work-group's scope */
bool cg_builtin_varies(struct cg *g, const struct cg_function *fn, uint32_t builtin, uint32_t component);
bool cg_builtin_of(struct cg *g, uint32_t variable, uint32_t *builtin);
/* Of a built-in variable's component, in a dense kernel: what lane 0 has, when the lanes are a line. */
const char *cg_builtin_line(struct cg *g, uint32_t builtin, uint32_t component);
/* Is the instruction a built-in variable's load, or an extraction from one? Its built-in and component. */
bool cg_builtin_component(struct cg *g, const struct sp_inst *i, uint32_t *builtin, uint32_t *component);
const char *cg_builtin_item(struct cg *g, uint32_t builtin, uint32_t component, enum cg_kind kind, bool varying);

/* ---- the others: each writes what it knows and returns false for what it does not */
bool cg_write_simple(struct cg *g);
bool cg_write_memory(struct cg *g);
bool cg_write_group(struct cg *g);
bool cg_write_matrix(struct cg *g);
bool cg_write_math(struct cg *g);
bool cg_write_coop(struct cg *g);

/* passes/checks.c, in the checked mode: before and, when it returned true, after an instruction is written */
bool cg_check_begin(struct cg *g);
void cg_check_end(struct cg *g);
/* The name of the instruction's site; `root`: what the pointer is derived from, cg_check_root, or 0. */
const char *cg_check_site(struct cg *g, uint32_t part, uint32_t pointer, uint32_t root, uint32_t flags);
void cg_check_locals(struct cg *g);
uint32_t cg_check_root(struct cg *g, uint32_t pointer);
/* How many bytes a value of the type is loaded from; with XS_HOLES when some of them are padding. */
uint64_t cg_check_extent(struct cg *g, uint32_t type, uint32_t *flags);
/* passes/checks_private.c: how a load counts, XS_READS with XS_HOLES or XS_PARTS; accesses to variables that are C
 * variables; what is declared with a variable, of `bytes`, of `memory` for all lanes; OpLifetimeStart */
uint32_t cg_check_reading(struct cg *g, const struct sp_inst *load);
void cg_check_items(struct cg *g);
void cg_check_variable(struct cg *g, const struct sp_inst *i, uint64_t bytes, uint64_t memory);
void cg_check_lifetime(struct cg *g);

/* ops.c: one operation on leaves, by a format of the tables' language */
void cg_apply(struct cg *g, uint32_t leaf, enum cg_kind result, const char *uniform, const char *varying, uint32_t n,
              const enum cg_kind *kinds, const char *const *args, bool is_varying);

/* memory.c */
uint64_t cg_memory_size(struct cg *g, uint32_t type_id); /* of a private variable: matrices have one there */
int64_t cg_signed_constant(struct cg *g, uint32_t id);
/* Index k of an access chain: true when it is a constant, whose bytes are added to *offset; else what to multiply
 * by. */
bool cg_chain_offset(struct cg *g, const struct sp_inst *i, uint32_t k, int64_t *offset);
uint64_t cg_chain_stride(struct cg *g, const struct sp_inst *i, uint32_t k);
enum { CG_EXCHANGE_BYTES = 2048 }; /* a u64 for each subgroup of the largest work-group */
uint32_t
cg_exchange_offset(struct cg *g);      /* in local memory, of the table that work-group operations exchange values in */
void cg_place_variables(struct cg *g); /* local offsets, global indices, which variables are fixed */
void cg_derive_pointers(struct cg *g, struct cg_function *fn);
void cg_declare_variables(struct cg *g); /* of the function being written */
void cg_store_leaf(struct cg *g, uint32_t pointer, uint64_t offset, enum cg_kind kind, const char *value, bool varying);
const char *cg_fixed_item(struct cg *g, uint32_t variable, int64_t offset);
/* matrix.c: does operand k of a 2D block instruction point to the lanes' own data? Its bytes, in items of
 * `item`. */
bool cg_block_access(struct cg *g, const struct sp_inst *i, uint32_t k, uint32_t *item, uint64_t *bytes);
/* Finds the variables that hold fragments for products alone, once it is known what is borrowed. */
void cg_widen_fragments(struct cg *g, struct cg_function *fn);
/* passes/deferred.c */
void cg_plan_late(struct cg *g, struct cg_function *fn);  /* which sums stand together, which products wait */
void cg_declare_queues(struct cg *g);
uint32_t cg_queue_room(const struct cg_queue *q);          /* units of its variables; 1 for NULL */
void cg_leave_loops(struct cg *g, uint32_t from, uint32_t to); /* along an edge: products that waited are done */
/* math.c: does the instruction store a second result through its last operand? */
bool cg_math_stores(const struct sp_inst *i);
bool cg_math_literal(const struct sp_inst *i, uint32_t k); /* is operand k a number, not an id? */
bool cg_memory_varies(struct cg *g, const struct cg_function *fn, const struct sp_inst *i); /* of OpLoad */
void cg_store_effect(struct cg *g, const struct cg_function *fn, const struct sp_inst *i, bool masked, bool *changed);

#endif
