/* spirv.h - a SPIR-V module, read and checked.
 *
 * sp_parse accepts untrusted words. Its result can be walked without further bounds checks: every id is in range,
 * defined once, of the class that its use requires, and its definition dominates its uses; operand counts and types
 * follow the grammar; blocks end in terminators. Anything unsupported (an unknown opcode, a capability the device
 * lacks) is refused with a line in the log that names the word offset and the instruction.
 */
#ifndef XETILE_SOFT_SPIRV_H
#define XETILE_SOFT_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tokens.h" /* SP_OP_IAdd, SP_STORAGE_Workgroup, SP_BUILTIN_NumWorkgroups, ... */

/* The reader's limits. A module that exceeds one is refused with a line that names the limit. */
enum {
    SP_MAX_WORDS = 1 << 24,
    SP_MAX_BOUND = 1 << 22,       /* ids */
    SP_MAX_TYPE_DEPTH = 64,       /* arrays of structs of arrays ..., and constants with them */
    SP_MAX_DECORATIONS = 1 << 22, /* after groups are expanded, and ... */
    SP_FEW_DECORATIONS = 1 << 12,
    SP_DECORATIONS_A_WORD = 4, /* ... this many, plus this many per word */
    SP_MAX_MEMBERS = 1 << 14,     /* of a struct */
    SP_MAX_TYPE_PARTS = 1 << 16,  /* of a struct: its members and those of its members ..., of arrays' elements once */
    SP_MAX_PARAMETERS = 1 << 10,  /* of a function */
    SP_MAX_ENTRIES = 1 << 12,
    SP_MAX_MODES = 1 << 16, /* execution modes */
    SP_MAX_CALL_DEPTH = 256       /* nested calls */
};
#define SP_MAX_TYPE_BYTES ((uint64_t)1 << 40)     /* any type */
#define SP_MAX_PRIVATE_BYTES ((uint64_t)1 << 24)  /* a Function or Private variable */
#define SP_MAX_CONSTANT_BYTES ((uint64_t)1 << 26) /* all initialisers together */
#define SP_MAX_CONSTANT_PARTS ((uint64_t)1 << 27) /* likewise: see sp_id.parts */
#define SP_MAX_GLOBAL_BYTES ((uint64_t)1 << 32)   /* all variables of the program together */

/* A growing text, for logs and for generated C. `failed` is set if out of memory; appending is then a no-op. */
struct sp_text {
    char *data;
    size_t size, capacity;
    bool failed;
};
void sp_text_add(struct sp_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sp_text_free(struct sp_text *t);

enum sp_kind {
    SP_VOID, SP_BOOL, SP_INT, SP_FLOAT, SP_VECTOR, SP_ARRAY, SP_RUNTIME_ARRAY, SP_STRUCT, SP_POINTER, SP_FUNCTION,
    SP_COOPMAT, SP_EVENT, SP_OPAQUE, SP_IMAGE, SP_SAMPLER, SP_SAMPLED_IMAGE
};

struct sp_type {
    enum sp_kind kind;
    uint32_t id;
    uint32_t bits;        /* int, float */
    uint32_t encoding;    /* float: SP_IEEE, SP_BF16, SP_E4M3, SP_E5M2 */
    uint32_t count;       /* vector, array: elements; struct, function: members/parameters; sampled image: 2 */
    uint32_t elem;        /* vector, array, pointer, sampled image: type id; function: return type id */
    const uint32_t *members; /* struct members, function parameters: type ids */
    const uint32_t *offsets; /* struct: byte offset of each member (OpenCL rules, Packed honoured) */
    uint32_t storage;     /* pointer */
    uint32_t scope, rows, cols, use; /* cooperative matrix */
    uint32_t dim, arrayed, depth_image, access; /* image: SP_DIM_..., SP_QUALIFIER_... */
    uint64_t size;        /* bytes in memory; 0 if it has none (a bool counts as one byte) */
    uint32_t align;
    /* nesting depth, including pointers: at most SP_MAX_TYPE_DEPTH, so recursion over types is safe */
    uint32_t depth;
    uint32_t parts; /* itself and the parts of its members or elements, which a walk over the type visits */
};
enum { SP_IEEE = 0, SP_BF16 = 1, SP_E4M3 = 2, SP_E5M2 = 3 };

/* An instruction. Operands are the words after result type and result id, as in the module. */
struct sp_inst {
    uint16_t op, count;   /* opcode, number of operand words */
    uint32_t type, id;    /* result type and result id; 0: none */
    const uint32_t *operand;
    uint32_t word;        /* offset in the module, for messages */
    uint32_t line;        /* OpLine in force, 0: none */
};

struct sp_block {
    uint32_t label;
    const struct sp_inst *inst; /* phis first, the terminator last; without merge instructions, OpLine and OpNoLine */
    uint32_t count;
    uint32_t *succ, succ_count; /* block indices within the function, each once, even if several edges lead there */
    uint32_t *pred, pred_count; /* likewise */
    uint32_t idom;              /* index of the immediate dominator; of the entry block: itself */
};

struct sp_function {
    uint32_t id, type;
    const char *name;          /* the linkage or debug name, or "" */
    uint32_t *params, param_count; /* ids */
    struct sp_block *blocks;   /* entry first, then in the module's order (dominators not always first) */
    uint32_t block_count;
    bool is_kernel, is_declaration;
};

struct sp_entry {
    uint32_t function; /* index */
    const char *name;
    uint32_t subgroup_size, local_size[3], max_work_dim; /* execution modes; 0: not stated */
    uint32_t local_size_hint[3], vector_hint;            /* only reported on request; the latter plus 1 */
    bool contract_off;
};

/* An id's definition. */
struct sp_id {
    const struct sp_inst *def;  /* NULL: not defined */
    const uint64_t *bits;       /* of evaluated scalar or vector constants: an element per component */
    uint32_t type;              /* type id of a value, 0 for others */
    uint32_t function;          /* index + 1 of the function it is defined in; 0: module scope */
    uint32_t block;             /* index within it; for a function: its index */
    uint32_t parts;             /* of a constant: itself and the parts of its constituents; UINT32_MAX: or more */
    /* a constant computed from a global's address: see sp_constant_address; bits is not its value */
    bool is_address;
    uint8_t what;               /* enum sp_what; SP_NOTHING for ids in removed blocks */
};
enum sp_what {
    SP_NOTHING,
    SP_IS_TYPE,
    SP_IS_CONSTANT,
    SP_IS_VARIABLE,
    SP_IS_PARAMETER,
    SP_IS_VALUE,
    SP_IS_LABEL,
    SP_IS_FUNCTION,
    SP_IS_EXTINST,
    SP_IS_STRING,
    SP_IS_GROUP,
    SP_IS_DEBUG /* debug information, alias scopes */
};

struct sp_decoration {
    uint32_t target, member /* ~0u: the whole id */, kind;
    const uint32_t *operand;
    uint32_t count;
};

struct sp_module {
    uint32_t version, bound;
    const uint32_t *number;                     /* [bound] the module's own number of an id; NULL: the same */
    const uint32_t *words; size_t word_count;   /* own copy, in host byte order */
    struct sp_id *ids;                          /* [bound] */
    struct sp_type *types; uint32_t type_count;
    uint32_t *type_of_id;                       /* [bound]: index into types + 1, 0: not a type */
    struct sp_function *functions; uint32_t function_count;
    struct sp_entry *entries; uint32_t entry_count;
    struct sp_decoration *decorations; uint32_t decoration_count; /* groups expanded, sorted by target */
    const char **names;                         /* [bound] OpName or NULL */
    const struct sp_inst **globals; uint32_t global_count; /* module-scope OpVariable */
    bool has_narrow;     /* has integers of widths other than 8, 16, 32 and 64 bits */
    struct sp_text warnings; /* accepted deviations, a line each */
    uint32_t opencl_std;                        /* OpExtInstImport id, 0: none; debug sets are ignored */
    void *arena;
};

/* Specialisation constants given by the caller: SpecId and raw bytes. */
struct sp_spec { uint32_t id; uint64_t bits; };

/* Reads and checks. NULL, with the reason in `log`, if refused or out of memory. Limits: SP_MAX_WORDS words,
 * SP_MAX_BOUND ids. Unless `strict`, some invalid SPIR-V is accepted, with a warning (deviations.c). */
struct sp_module *sp_parse(const uint32_t *words, size_t count, const struct sp_spec *spec, size_t spec_count,
                           bool strict, struct sp_text *log);
void sp_free(struct sp_module *m);

/* The module's own number of an id, for messages. */
uint32_t sp_number(const struct sp_module *m, uint32_t id);
const struct sp_type *sp_type(const struct sp_module *m, uint32_t type_id);
/* A decoration of an id (not of a member); NULL if absent. */
const struct sp_decoration *sp_decorated(const struct sp_module *m, uint32_t id, uint32_t kind);
/* Is the variable a built-in? Some compilers declare these as program variables instead of inputs. */
bool sp_is_built_in(const struct sp_module *m, const struct sp_inst *variable);
/* A program variable in private memory, as compilers make of constants without an address space. It is supported only
 * if nothing writes it, so that it can be placed in global memory. */
bool sp_is_private_constant(const struct sp_module *m, const struct sp_inst *variable);
/* Is it a variable of the program, in global, constant or (see above) private memory? */
bool sp_is_global(const struct sp_module *m, const struct sp_inst *variable);
/* All decorations of an id and of its members, contiguous; returns their number. */
uint32_t sp_decorations_of(const struct sp_module *m, uint32_t id, const struct sp_decoration **first);
/* The bits of a scalar constant, null or undef (spec constants evaluated; zero-extended from the type's width; a null
 * pointer is 0); false if `id` is not one, or is an address. */
bool sp_constant(const struct sp_module *m, uint32_t id, uint64_t *bits);
/* Writes the constant's bytes (any type, memory layout, padding 0) to `to`, sp_type(..)->size bytes; false if it is not
 * a constant or larger than SP_MAX_CONSTANT_BYTES. Addresses remain 0; sp_constant_addresses reports their
 * positions. */
bool sp_constant_bytes(const struct sp_module *m, uint32_t id, void *to);
/* A constant pointer that is the address of a module-scope variable (or of a function: `variable` is its id then):
 * OpVariable itself, OpConstantFunctionPointerINTEL, or OpSpecConstantOp with access chains, casts and conversions. */
bool sp_constant_address(const struct sp_module *m, uint32_t id, uint32_t *variable, int64_t *offset);
/* Calls `each` for every address in a constant, with its byte offset. */
typedef void sp_address_fn(void *user, uint64_t at, uint32_t variable, int64_t offset);
void sp_constant_addresses(const struct sp_module *m, uint32_t id, sp_address_fn *each, void *user);
/* The dominator tree of a function with edges and only reachable blocks: fills idom of the blocks,
 * and enter/leave (block_count each) with its preorder intervals. False when out of memory. */
bool sp_dominators(const struct sp_function *f, uint32_t *enter, uint32_t *leave);
const char *sp_op_name(uint32_t op);
const char *sp_ext_name(uint32_t instruction); /* of OpenCL.std; NULL for unknown numbers */

/* ---- link.c: imports and exports of modules, and linking several into one */
struct sp_symbol {
    const char *name;
    uint32_t id, linkage; /* SP_LINKAGE_Export, SP_LINKAGE_Import, SP_LINKAGE_LinkOnceODR */
    bool function;        /* or a variable */
    bool used;            /* something in the module refers to it */
};
/* The list lives as long as the module. */
bool sp_symbols(struct sp_module *m, struct sp_symbol **list, uint32_t *count, struct sp_text *log);
/* The number of used imports among them; appends their names to `names` (may be NULL). */
uint32_t sp_imports(const struct sp_symbol *list, uint32_t count, struct sp_text *names);

struct sp_link_input {
    const uint32_t *words;
    size_t count;
    const struct sp_spec *spec;
    size_t spec_count;
    bool entries;    /* include its kernels in the result? */
    uint32_t number; /* its number in messages */
};
/* The origin of a CrossWorkgroup or UniformConstant variable: its index among those of an input. */
struct sp_link_origin {
    uint32_t input, ordinal;
};
struct sp_linked {
    uint32_t *words;
    size_t count;
    struct sp_link_origin *origins; /* in the order of the result's variables of those classes */
    uint32_t origin_count;
};
/* Links several untrusted modules into one. Imports that none of them exports remain imports. False, with the reason in
 * `log`: a module that cannot be read, a name exported twice, an import of another type. */
bool sp_link(const struct sp_link_input *in, uint32_t count, bool strict, struct sp_linked *out, struct sp_text *log);
void sp_linked_free(struct sp_linked *linked);

#endif
