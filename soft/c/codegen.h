/* codegen.h - shared by the files that write C. They write nothing before all passes have run (passes/passes.h). */
#ifndef XETILE_SOFT_CODEGEN_H
#define XETILE_SOFT_CODEGEN_H

#include "generate.h"
#include "passes/passes.h"

/* What becomes known of a function when it is written. */
struct cg_written {
    bool reachable;                      /* from a kernel of the section being written */
    uint32_t framed;                     /* the section that defines its frame size */
    uint32_t sizes;                      /* if called by pointer: subgroup sizes written so far */
    uint64_t frame_bytes, private_bytes; /* of this function alone */
    uint32_t local_bytes;
    bool summed; /* the others include the functions it calls */
    uint64_t all_frames, all_private;
    uint32_t all_local;
    bool any_barrier;
};

/* What only the files of this room read and write: to the passes it is an incomplete type. */
struct cg_writer {
    struct sp_text *c;          /* the text being written */
    struct cg_places *places;   /* codegen.c's own */
    struct sp_text helpers;     /* functions that precede the section being written */
    struct sp_text symbols;     /* selection.c's own: functions of the preludes */
    bool apart;                 /* these may be compiled apart from kernels (build/helpers.c) */
    struct cg_texts written_helpers; /* text.c's own: the names of those */
    struct cg_texts types, forms; /* forms.c's own: of variables, by name; names of functions, by their text */
    uint32_t form_count;
    struct cg_written *written; /* by function */
    struct cg_check *check;     /* checks.c's own */
    struct cg_uses *uses;       /* uses.c's own */
    /* while a function is being written */
    struct cg_body *body_text;
    const struct sp_inst *inst;
    const char *mask, *bits; /* the active lanes: an i32x and a u64 in C */
    uint32_t temporaries; /* so far: each has a name of its own */
    uint32_t skip;    /* instructions already written with an earlier one */
    bool coherent;    /* writing masked blocks for all lanes */
    bool blends;      /* the result of a load under a condition is assigned to its lanes only */
    bool extends;     /* use integers of odd widths sign-extended */
    bool lanes_apart; /* writing results of affine operations to w<id>, lane by lane */
};

static inline struct cg_written *cg_written(const struct cg *g, const struct cg_function *fn)
{
    return &g->w->written[fn - g->function];
}
/* The function being written takes more stack, or uses local memory up to `end`. */
static inline void cg_add_frame(struct cg *g, uint64_t bytes) { cg_written(g, g->fn)->frame_bytes += bytes; }
static inline void cg_need_local(struct cg *g, uint32_t end)
{
    struct cg_written *w = g->fn ? cg_written(g, g->fn) : NULL;
    if (w && w->local_bytes < end) w->local_bytes = end;
}
static inline void cg_set_inst(struct cg *g, const struct sp_inst *i) { g->w->inst = g->at = i; }
/* An operand word of the instruction being written. */
static inline uint32_t cg_operand(const struct cg *g, uint32_t i)
{
    return i < g->w->inst->count ? g->w->inst->operand[i] : 0;
}

/* ---- text.c: writing text */
void cg_put(struct cg *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cg_put_text(struct cg *g, const char *text, size_t bytes);
void cg_put_bytes(struct cg *g, const unsigned char *bytes, size_t size); /* as string literals */
void cg_put_string(struct cg *g, const char *s);                          /* quoted and escaped */
/* The statement after it writes a helper with this name, once per section, before that. */
#define CG_HELPER(name) for (struct sp_text *body_ = cg_begin_helper(g, name); body_; g->w->c = body_, body_ = NULL)
struct sp_text *cg_begin_helper(struct cg *g, const char *name); /* the text to return to; NULL: it is there already */
/* Statements that apply scalar function `name` lane by lane, into `to`; a helper written once per section. */
void cg_call_lanes(struct cg *g, const char *to, const char *result, const char *name, uint32_t n,
                   const char *const *types, const char *const *args);
/* The same if `varying`, else one call. */
void cg_call(struct cg *g, bool varying, const char *to, const char *result, const char *name, uint32_t n,
             const char *const *types, const char *const *args);

/* ---- scalars.c: types, literals, conversions */
const char *cg_kind_type(struct cg *g, enum cg_kind kind, bool varying); /* u32, u32x, i32x for bool */
const char *cg_kind_signed(struct cg *g, enum cg_kind kind, bool varying);
const char *cg_kind_name(enum cg_kind kind); /* u32: the suffix of helpers */
const char *cg_type_name(struct cg *g, uint32_t type_id, bool varying);
const char *cg_to_bits(struct cg *g, enum cg_kind kind, bool varying, const char *e); /* as an unsigned integer */
const char *cg_from_bits(struct cg *g, enum cg_kind kind, bool varying, const char *e);
const char *cg_widen(struct cg *g, enum cg_kind kind, bool varying, const char *e);  /* a small float as f32 */
const char *cg_narrow(struct cg *g, enum cg_kind kind, bool varying, const char *e); /* f32 as a small float */
const char *cg_convert(struct cg *g, const char *e, enum cg_kind from, enum cg_kind to, bool is_signed);
/* An integer of all lanes or (not `varying`) a scalar as one of another width. */
const char *cg_resize(struct cg *g, const char *e, enum cg_kind from, enum cg_kind to, bool is_signed, bool varying);
const char *cg_splat(struct cg *g, enum cg_kind kind, const char *e);
const char *cg_select(struct cg *g, enum cg_kind kind, const char *mask, const char *a, const char *b);
const char *cg_literal(struct cg *g, enum cg_kind kind, uint64_t bits);
const char *cg_temporary(struct cg *g, const char *type); /* declares one in the current block ... */
const char *cg_evaluated(struct cg *g, const char *type, const char *e); /* ... with this value */
/* All lanes of the affine value `id`, whose scalar is the expression `own`; one of its lanes. */
const char *cg_affine_lanes(struct cg *g, uint32_t id, const char *own);
const char *cg_affine_lane(struct cg *g, uint32_t id, const char *lane);
enum cg_kind cg_kind_of(struct cg *g, uint32_t id); /* of a value with one leaf */

/* ---- values.c: values as expressions */
/* Each leaf, with the loops of its arrays in the text around the statements that are written for it. */
#define CG_EACH_LEAF(i, l) for (uint32_t i = 0; cg_open_leaf(g, l, i); cg_close_leaf(g, l, i++))
bool cg_open_leaf(struct cg *g, const struct cg_leaves *l, uint32_t leaf); /* false: there is none */
void cg_close_leaf(struct cg *g, const struct cg_leaves *l, uint32_t leaf);
const char *cg_leaf_offset(struct cg *g, const struct cg_leaf *leaf);            /* an expression, if there are loops */
const char *cg_variable(struct cg *g, uint32_t id);                              /* as an expression */
const char *cg_leaf_use(struct cg *g, uint32_t id, uint32_t leaf, bool varying); /* an expression */
const char *cg_use(struct cg *g, uint32_t id, bool varying);                     /* leaf 0 */
/* Leaf `of` in the part at `at` of a composite value. */
const char *cg_part_use(struct cg *g, uint32_t id, const struct cg_leaf *at, const struct cg_leaf *of, bool varying);
const char *cg_use_whole(struct cg *g, uint32_t id, bool varying);     /* any type, as a C value */
/* The bytes of a constant, to be freed. NULL, and the generator fails: it is unknown or larger than `most`, or out of
 * memory. */
unsigned char *cg_constant_bytes(struct cg *g, uint32_t id, uint64_t size, uint64_t most);
const char *cg_address_of(struct cg *g, uint32_t id);                  /* of all its scalars, a vector of lanes each */
const char *cg_result_leaf(struct cg *g, uint32_t leaf);               /* an lvalue of the current result */
void cg_set_leaf(struct cg *g, uint32_t leaf, const char *expression); /* blends if necessary */
void cg_set_uniform(struct cg *g, uint32_t leaf, const char *expression); /* the same in all lanes */
void cg_set_part(struct cg *g, const struct cg_leaf *at, const struct cg_leaf *of, const char *expression);
void cg_set_whole(struct cg *g, const char *whole, bool varying); /* from a C value of the type */

/* ---- legalise.c: integers of widths other than 8, 16, 32 and 64 bits */
bool cg_legalise(struct cg *g); /* called before an instruction is written; false: it cannot be written */
const char *cg_cut(struct cg *g, const struct cg_leaf *leaf, bool varying, const char *e);    /* to the width */
const char *cg_extend(struct cg *g, const struct cg_leaf *leaf, bool varying, const char *e); /* if g->w->extends */

/* ---- predicate.c: loads and stores under a condition */
/* write_access: writes the load or store for the lanes in g->w->bits. */
void cg_write_predicated(struct cg *g, void (*write_access)(struct cg *g));

/* ---- blocks.c: the blocks of a function, its branches and calls */
void cg_write_blocks(struct cg *g); /* of the function being written */

/* ---- votes.c: coherent paths */
/* C that is true only if the condition of the branch at the end of `block` is true, or false, in all lanes. */
void cg_write_votes(struct cg *g, uint32_t block, uint32_t condition, const char **all, const char **none);

/* ---- signature.c: a function's name and parameters */
const char *cg_version(struct cg *g, const struct cg_function *fn); /* d12_16, f12_16: the version being written */
void cg_write_signature(struct cg *g, const char *end);
void cg_write_builtins(struct cg *g);

/* ---- function.c: a function, and the memory its calls need */
void cg_write_function(struct cg *g, struct cg_function *fn);
/* The memory a call of it needs, including the functions it calls. */
void cg_sum_frames(struct cg *g, struct cg_function *fn, uint64_t *frame, uint64_t *private_bytes, uint32_t *local,
                   bool *barrier);

/* ---- forms.c: in the quick tier, statements as calls of functions, one for each form */
void cg_write_forms(struct cg *g, struct sp_text *functions);

/* ---- kernel.c: kernels: their parameters, and the loops over work-groups and subgroups */
struct cg_param {
    uint32_t kind, size, offset, align;
    const char *name;
};
/* Names are those of the entry point, `names`. Returns the total size. */
uint32_t cg_place_params(struct cg *g, const struct sp_function *f, const struct sp_function *names,
                         struct cg_param *p);
void cg_write_kernel(struct cg *g, uint32_t index, const struct cg_param *p);
/* A kernel's parameters as C variables: those shared by all lanes, or (`own`) structures of which each lane has a copy
 * because they are written to. */
void cg_write_params(struct cg *g, const struct cg_param *p, bool own);

/* ---- choice.c: which version of a kernel, by its index, a launch needs */
uint32_t cg_version_of(struct cg *g, uint32_t index); /* the version that is written */
bool cg_has_choice(struct cg *g, uint32_t index);     /* is it one of several? */
void cg_write_choice(struct cg *g, uint32_t index, const struct cg_param *p);

/* ---- tables.c: the final tables: kernels and program variables */
void cg_write_tables(struct cg *g, struct cg_param *const *params, const uint32_t *args_bytes);

/* ---- pieces.c: the function as one C function or several */
/* Writes the function, except for its last brace; `body` writes its blocks. */
void cg_write_body(struct cg *g, void (*body)(struct cg *));

/* ---- body.c: variables and jumps of the function being written */
/* Declares a C variable of the value or block `id`: v12, or any other prefix. CG_ZERO: initially zero. */
enum cg_initial { CG_PLAIN, CG_ZERO };
void cg_declare(struct cg *g, enum cg_initial initial, const char *type, const char *prefix, uint32_t id,
                const char *dimension);
const char *cg_var(struct cg *g, const char *prefix, uint32_t id); /* the variable as an expression */
const char *cg_result(struct cg *g);                               /* the variable for the function's result */
/* Jumps, as statements without a semicolon: to the start of a block; to where the kernel continues after a barrier. */
const char *cg_jump(struct cg *g, uint32_t block, bool coherent);
const char *cg_jump_to_point(struct cg *g, uint32_t point);
void cg_note_builtin(struct cg *g); /* what is being written reads built-in variables */

/* ---- pointers.c: functions called by pointer */
void cg_declare_rows(struct cg *g);
void cg_write_entries(struct cg *g);
void cg_write_rows(struct cg *g);
void cg_write_pointer_call(struct cg *g);

/* ---- affine.c: affine values */
void cg_write_affine(struct cg *g); /* the current instruction, whose result is affine */
void cg_copy_affine(struct cg *g, uint32_t to, uint32_t from);
/* C that is true if no lane of the affine value `id` has wrapped around. */
const char *cg_affine_holds(struct cg *g, uint32_t id, bool is_signed);

/* ---- continuations.c: barriers at which a kernel returns */
void cg_write_continuation_type(struct cg *g);
void cg_write_resume(struct cg *g);
bool cg_write_continuation(struct cg *g); /* false: the function has no frame */

/* ---- builtins.c: built-in variables */
/* Lane 0's value of an affine component of a built-in variable, in a kernel of full subgroups. */
const char *cg_builtin_affine(struct cg *g, uint32_t builtin, uint32_t component);
const char *cg_builtin_item(struct cg *g, uint32_t builtin, uint32_t component, enum cg_kind kind, bool varying);

/* ---- rolled.c: between cg_roll and cg_unroll, the vectors of a component-wise instruction have one leaf, in a loop */
enum { CG_ROLLED_TYPES = 64 };
struct cg_rolled {
    struct cg_leaves *at[CG_ROLLED_TYPES], was[CG_ROLLED_TYPES];
    uint32_t n; /* 0: nothing changed */
};
void cg_roll(struct cg *g, struct cg_rolled *r);
void cg_unroll(struct cg_rolled *r);

/* ---- the others: each writes the instructions it knows and returns false for others */
bool cg_write_simple(struct cg *g); /* ops.c: arithmetic, conversion and composites, as tables */
bool cg_write_memory(struct cg *g); /* memory.c */
bool cg_write_group(struct cg *g);  /* groups.c: subgroup and work-group operations */
bool cg_write_matrix(struct cg *g); /* matrix.c: matrix products, 2D blocks, block reads */
bool cg_write_math(struct cg *g);   /* math.c: OpenCL.std */
bool cg_write_coop(struct cg *g);   /* coop.c: cooperative matrices */
bool cg_write_image(struct cg *g);  /* images.c */

/* ---- checks.c: in the checked mode, before an instruction and, if that returned true, after it */
bool cg_check_begin(struct cg *g);
void cg_check_end(struct cg *g);

/* ---- sites.c: the descriptions of accesses, for the checked mode */
void cg_check_locals(struct cg *g);

/* ---- checks_private.c: declarations for a variable of `bytes`, `memory` bytes for all lanes; OpLifetimeStart */
void cg_check_variable(struct cg *g, const struct sp_inst *i, uint64_t bytes, uint64_t memory);
void cg_check_lifetime(struct cg *g);

/* ---- ops.c: an operation on scalars, by a text in the tables' language, as an expression */
const char *cg_applied(struct cg *g, enum cg_kind result, const char *text, uint32_t n, const enum cg_kind *kinds,
                       const char *const *args, bool varying);
/* An instruction on scalars, applied to these expressions; NULL: it is none of the table's. */
const char *cg_uniform_text(struct cg *g, const struct sp_inst *i, const char *const *args);

/* ---- memory.c: variables, addresses, loads, stores, atomics */
void cg_declare_variables(struct cg *g); /* of the function being written */
void cg_store_leaf(struct cg *g, uint32_t pointer, uint64_t offset, enum cg_kind kind, const char *value, bool varying);
const char *cg_fixed_item(struct cg *g, uint32_t variable, int64_t offset);

/* ---- outer.c: is the instruction part of a product that is spelled out, with which it is written? */
bool cg_write_outer(struct cg *g);

/* ---- deferred.c: products of loops, done many steps at once */
void cg_declare_queues(struct cg *g);
void cg_leave_loops(struct cg *g, uint32_t from, uint32_t to); /* along an edge: sums are in their variables again */

#endif
