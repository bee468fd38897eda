/* passes.h - the passes, which analyse the functions of a module before any C is written. */
#ifndef XETILE_SOFT_PASSES_H
#define XETILE_SOFT_PASSES_H

#include "ir/ir.h"

/* Whether lanes differ: divergence.c. */
struct cg_value {
    bool varying;
    bool blend;          /* assigned under its block's mask, as lanes that left a loop still need theirs */
    bool stored_varying; /* a private variable whose contents vary between lanes */
};

static inline bool cg_is_varying(const struct cg *g, uint32_t id) { return g->value[id].varying; }

/* Private and built-in variables, and pointers into them, by id: addresses.c. */
struct cg_private {
    bool fixed;        /* kept in C variables: all its uses have constant offsets */
    uint8_t granule;   /* bytes per element */
    uint32_t variable; /* of a pointer into a fixed variable: its id ... */
    int64_t offset;    /* ... and the byte offset */
    bool resolved;     /* addresses.c's own: the two are known */
};

/* What the other passes find of a function's values. Only the pass itself writes its table; cg_affine(g, id) and so on
 * are what others read: all zeros before the pass, or where it has nothing to say. */
struct cg_affine {
    bool is;      /* varying, but increasing by `step` from lane to lane: v<id> is a scalar, lane 0's */
    bool checked; /* affine only if ok<id>; else w<id> holds the lanes */
    uint64_t step;
};
struct cg_derived { /* pointers, addresses.c */
    uint32_t root; /* the varying pointer that this one is derived from by adding a uniform o<id> */
    bool accessed; /* a varying pointer, or one derived from it, is loaded or stored through */
};
struct cg_shared { /* coalesce.c */
    uint32_t class; /* the value whose C variable it shares; 0: its own. See cg_class */
    bool forwarded; /* a fragment that is read from its variable instead of being loaded */
    bool late;      /* a conversion of one, written where it is used if the fragment is in place (cg_late_from) */
};
/* The form of product operands in a fixed variable; CG_WIDE_I8 is the first of four, by the signs of A and B. */
enum cg_form { CG_AS_LOADED, CG_WIDE_F16, CG_WIDE_BF16, CG_WIDE_I8 };
struct cg_held { /* a fixed variable: widening.c */
    uint8_t wide; /* cg_form */
    bool tiled;   /* with rows of 64 bytes, two fragments side by side: operand A for tiles */
    bool transposed; /* B, wide, whose columns are rows of memory */
    bool in_place;   /* such a B, or a block that is only converted, read where it is in memory: r<variable> */
    uint8_t height;  /* of such a block, whose pieces are side by side */
};
struct cg_deferred { /* deferred.c */
    /* element `row` of array c<group>, whose `rows` sums are held in tiles together */
    uint32_t group;
    uint8_t row, rows;
    const struct cg_queue *queue; /* of a fixed variable: the deferred products of its blocks */
};
struct cg_split { /* builtins.c */
    bool is; /* a built-in vector of which only components are used: it has no variable */
};
struct cg_spelled { /* outer.c */
    const struct cg_outer *outer; /* the product that it is written with ... */
    bool absorbed;                /* ... and it has no variable */
};
#define CG_TABLE(name)                                                                     \
    static inline const struct cg_##name *cg_##name(const struct cg *g, uint32_t id)       \
    {                                                                                      \
        static const struct cg_##name none;                                                \
        return g->fn->name ? &g->fn->name[g->ordinal[id]] : &none;                         \
    }
CG_TABLE(affine)
CG_TABLE(derived)
CG_TABLE(shared)
CG_TABLE(split)
CG_TABLE(spelled)
CG_TABLE(held)
CG_TABLE(deferred)
#undef CG_TABLE
/* Is it uniform or affine? Then v<id> is a scalar. */
static inline bool cg_is_step(const struct cg *g, uint32_t id)
{
    return !g->value[id].varying || cg_affine(g, id)->is;
}

/* v<class> is the value's C variable, unless it is an element of an array. */
static inline uint32_t cg_class(const struct cg *g, uint32_t id)
{
    return cg_shared(g, id)->class ? cg_shared(g, id)->class : id;
}

/* ---- passes.c: all of them, in order */
void cg_run_passes(struct cg *g);
void cg_run_passes_again(struct cg *g, struct cg_function *fn); /* for the other version */

/* ---- remarks.c: XETILE_SOFT_REMARKS */
/* Reports what `pass` did or did not do, and why; `at` NULL: to the whole kernel. No-op unless remarks are enabled. */
void cg_remark(struct cg *g, const struct cg_function *fn, const struct sp_inst *at, const char *pass, bool done,
               const char *format, ...) __attribute__((format(printf, 6, 7)));
void cg_remark_accesses(struct cg *g, struct cg_function *fn);

/* ---- print.c: XETILE_SOFT_PRINT */
void cg_print_after(struct cg *g, const struct cg_function *fn, const char *pass); /* if enabled for this pass */

/* ---- builtins.c: built-in variables */
bool cg_builtin_of(struct cg *g, uint32_t variable, uint32_t *builtin);
bool cg_builtin_varies(struct cg *g, const struct cg_function *fn, uint32_t builtin, uint32_t component);
/* Is the instruction a built-in variable's load, or an extraction from one? Its built-in and component. */
bool cg_builtin_component(struct cg *g, const struct sp_inst *i, uint32_t *builtin, uint32_t *component);
/* Is it a 0 that Intel's compiler is not to recognise: of no work-group but 2^32 - 1, which there is not, another? */
bool cg_is_hidden_zero(struct cg *g, uint32_t id);
void cg_split_builtins(struct cg *g, struct cg_function *fn);
/* In a kernel of full subgroups: does the component increase by 1 from lane to lane? */
bool cg_builtin_is_affine(struct cg *g, uint32_t builtin, uint32_t component);

/* ---- blocks2d.c: two-dimensional blocks */
/* Does operand k of a 2D block instruction point to the lanes' own data? Its size, and that of an item, in bytes. */
bool cg_block_access(struct cg *g, const struct sp_inst *i, uint32_t k, uint32_t *item, uint64_t *bytes);

/* ---- addresses.c: what pointers point to; which private variables are fixed */
/* A walk along the indices of an access chain, begun with {.chain = i}. */
struct cg_walk {
    const struct sp_inst *chain;
    uint32_t k, index; /* operand k, the id `index`, has been applied ... */
    uint32_t type;     /* ... and gives this type; 0: it is no index of the type before it */
    uint64_t stride;   /* what it is multiplied by; 0: a constant ... */
    int64_t offset;    /* ... whose bytes are added here */
};
bool cg_next_index(struct cg *g, struct cg_walk *w); /* false: there is none, or it is wrong */
bool cg_copy_size(struct cg *g, const struct sp_inst *i, uint64_t *bytes); /* of a copy; false: not constant */
/* The pointer from which `id` is *offset bytes away, a constant; `id` itself if it is derived from none. */
uint32_t cg_pointer_base(struct cg *g, uint32_t id, int64_t *offset);
enum { CG_EXCHANGE_BYTES = 2048 };         /* a u64 for each subgroup of the largest work-group */
uint32_t cg_exchange_offset(struct cg *g); /* in local memory: the table through which work-groups exchange values */
void cg_place_variables(struct cg *g);     /* local offsets, global indices, which variables are fixed */
void cg_derive_pointers(struct cg *g, struct cg_function *fn);
/* Of a pointer: does what it points to differ from lane to lane, if only because the lanes' addresses do? */
static inline bool cg_content_varies(const struct cg *g, uint32_t pointer)
{
    uint32_t variable = g->private[pointer].variable;
    return variable ? g->value[variable].stored_varying : g->value[pointer].varying;
}
bool cg_memory_varies(struct cg *g, const struct cg_function *fn, const struct sp_inst *i); /* of OpLoad */
/* A store, copy or block makes the contents of a private variable vary. */
void cg_store_effect(struct cg *g, const struct sp_inst *i, bool masked, bool *changed);

/* ---- addressed.c: functions whose address is taken */
void cg_find_addressed(struct cg *g);
void cg_spread_addressed(struct cg *g); /* their parameters and results vary */

/* ---- divergence.c: uniform values, divergent branches */
void cg_analyse(struct cg *g);
void cg_analyse_again(struct cg *g, struct cg_function *fn); /* for the other version */

/* ---- affine.c: values that increase by the same step from lane to lane */
void cg_find_affine(struct cg *g, struct cg_function *fn);

/* ---- needed.c: where the value of a load is needed, as all else is selected away or masked */
struct cg_need {
    uint32_t id, component; /* a bool, or an integer: only where it is not 0 ... */
    bool inverse;           /* ... or only where it is 0 */
};
enum { CG_MAX_NEEDS = 8 };
uint32_t cg_needs(struct cg *g, const struct sp_inst *load, struct cg_need to[CG_MAX_NEEDS]); /* all of them hold */
/* Of 2D blocks as wide as the subgroup, with `bytes` a lane in each of `height` rows, that are loaded to `pointer`: how
 * many rows are read from there, counted from the first. */
uint32_t cg_needed_rows(struct cg *g, uint32_t pointer, uint32_t height, uint32_t bytes);

/* ---- live.c: which values have variables; live.h: where they are live */
bool cg_has_variable(struct cg *g, const struct sp_inst *i); /* its own, or that of its class */

/* ---- outer.c: matrix products that are spelled out */
void cg_find_outer(struct cg *g, struct cg_function *fn);

/* ---- coalesce.c: matrix fragments that share a variable */
void cg_share_storage(struct cg *g, struct cg_function *fn);

/* ---- widening.c: operands of products kept in widened form */
void cg_widen_fragments(struct cg *g, struct cg_function *fn); /* after forwarding */

/* ---- apart.c: sums whose lanes are added up after a loop */
void cg_keep_apart(struct cg *g, struct cg_function *fn);

/* ---- deferred.c: products of loops, computed for many iterations at once */
void cg_plan_deferred(struct cg *g, struct cg_function *fn); /* also groups sums in arrays */
uint32_t cg_queue_room(const struct cg_queue *q);            /* units of its variables; 1 for NULL */

/* ---- continuations.c: kernels that return at a barrier and are called again */
void cg_plan_continuation(struct cg *g, struct cg_function *fn);

/* ---- coherent.c: a second copy of masked blocks, for the case that all lanes reach them together */
void cg_plan_coherent(struct cg *g, struct cg_function *fn);
bool cg_has_coherent(const struct cg *g, uint32_t block);
bool cg_joins_coherent(const struct cg *g, uint32_t block); /* may all lanes together continue with W<label>? */

/* ---- outline.c: the order of blocks; long functions in several pieces */
void cg_outline(struct cg *g, struct cg_function *fn);

#endif
