/* reader.h - declarations shared by the files of the SPIR-V reader only.
 *
 *   grammar.c     SPIR-V's tables: opcodes, names
 *   module.c      memory, text, look-ups in the finished module
 *   values.c      values of constants
 *   renumber.c    renumbers ids that leave wide gaps
 *   match.c       types against the words of a rule
 *   extinst.c     type rules of OpenCL.std's instructions
 *   operands.c    the operands of one instruction, by its pattern in the grammar
 *   types.c       types, their sizes; decorations and their groups
 *   constants.c   constants, specialisation, OpSpecConstantOp, addresses
 *   decode.c      words to instructions, in the order of a module's sections
 *   deviations.c  invalid modules that are accepted
 *   undefined.c   undefined values in place of missing ones
 *   rules.c       type rules of instructions, as a table
 *   dominators.c  the dominator tree
 *   check.c       definitions dominate uses
 *   functions.c   functions, blocks, edges, entry points, the call graph
 *   parse.c       the pipeline, sp_parse
 *   link.c        links several modules
 */
#ifndef XETILE_SOFT_SPIRV_READER_H
#define XETILE_SOFT_SPIRV_READER_H

#include "spirv.h"

struct sp_op_row {
    uint16_t op;
    uint8_t results; /* 1: a result type, 2: a result id */
    uint8_t values;  /* a bit for each operand that is a value, the eighth also for those after it */
    const char *name;
    const char *pattern;
};

/* A decoration as written in the module. */
struct sp_raw_decoration {
    struct sp_decoration d;
    uint32_t order;
};

#define SP_COUNT(a) (sizeof(a) / sizeof((a)[0]))
enum { SP_HEADER_WORDS = 5 };
enum { SP_RULE_OPS = 7000 }; /* exceeds all opcodes with a type rule */
enum { SP_MAX_COMPONENTS = 64 }; /* per vector */
/* The sections of a module, in order. */
enum sp_section {
    SP_CAPABILITIES, SP_EXTENSIONS, SP_IMPORTS, SP_MEMORY_MODEL, SP_ENTRIES, SP_MODES, SP_DEBUG_NAMES, SP_ANNOTATIONS,
    SP_TYPES, SP_FUNCTIONS, SP_ANYWHERE, SP_BODY
};
enum sp_section sp_section_of(uint32_t op);
enum { SP_DEVIATIONS = 3 };
enum sp_state { OUTSIDE, PARAMETERS, BETWEEN_BLOCKS, IN_BLOCK };

struct sp_reader {
    struct sp_module *m;
    struct sp_text *log;
    const struct sp_spec *spec;
    size_t spec_count;
    struct sp_inst *insts; /* all instructions kept, in order */
    uint32_t inst_count;
    /* if ids are renumbered: m->words, m->number, the header's bound; else NULL */
    uint32_t *copy, *number, stated_bound;
    /* numbers of each in the module, counted before anything is allocated */
    uint32_t total_insts, total_types, total_functions, total_globals, total_entries, total_modes, total_groups,
        total_decorations;
    uint32_t section, line;
    enum sp_state state;
    bool strict; /* also refuses deviations */
    uint32_t deviations[SP_DEVIATIONS], *undefined; /* by type: id of its undefined value; 0: none yet */
    const struct sp_inst *patched;                  /* the last instruction whose operands were changed */
    uint32_t *patched_operands;
    uint32_t product_bits; /* operand bits of matrix products that the named extensions bring */
    bool has_memory_model, decorations_done, has_any_vector; /* vectors of any length, see SP_MAX_COMPONENTS */
    const struct sp_inst **entry_insts, **modes, **group_insts; /* kept until the ids they use are defined */
    uint32_t entry_count, mode_count, group_count;
    uint32_t *first_entry, *next_entry; /* by function, by entry: entry + 1, 0 at the end */
    struct sp_raw_decoration *raw;      /* before groups are expanded */
    uint32_t raw_count;
    uint32_t *function_at;             /* of each function: index in insts of what follows OpFunction */
    const struct sp_function *checked; /* the function being checked */
    uint16_t *rule_index;              /* [SP_RULE_OPS] 1 + index of an opcode's type rule */
    uint64_t initial_bytes, initial_parts; /* of all initialisers so far */
    uint64_t global_bytes;             /* of all variables of the program so far */
    uint32_t
        *early_type; /* [bound] result type by id, before checks, for literals whose type is defined later */
    uint8_t *forward; /* [bound] storage class + 1 of OpTypeForwardPointer */
};

/* Invalid but accepted by default, with a warning; see deviations.c. */
enum sp_deviation { SP_VECTOR_LENGTH, SP_CHAIN_RESULT, SP_UNDOMINATED };
/* Warns and returns true; if strict, refuses. */
bool sp_deviate(struct sp_reader *r, const struct sp_inst *at, enum sp_deviation which, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Replaces operand k of an instruction by an undefined value. */
bool sp_make_undefined(struct sp_reader *r, const struct sp_inst *i, uint32_t k, uint32_t type);
void sp_sum_deviations(struct sp_reader *r);

/* Memory that lives as long as the module; zeroed. NULL, with a line in the log, if out of memory. */
void *sp_alloc(struct sp_reader *r, size_t count, size_t size);
/* Refuses: logs the word offset, the instruction and the message. Always false. */
bool sp_refuse(struct sp_reader *r, const struct sp_inst *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* match.c: a vector's component type, else the type itself; the same for a value; equal numbers of components? */
const struct sp_type *sp_component(const struct sp_module *m, const struct sp_type *t);
/* rules.c: the operand bits of matrix products that an extension brings; 0: none */
uint32_t sp_product_bits(const char *extension);
const struct sp_type *sp_operand_type(const struct sp_reader *r, const struct sp_inst *i, uint32_t k);
bool sp_same_shape(const struct sp_type *a, const struct sp_type *b);
/* values.c: the bits of a constant's components, and their number; zeros need no bits */
uint32_t sp_components(const struct sp_module *m, uint32_t id, uint64_t *to);
bool sp_is_constant(const struct sp_module *m, uint32_t id);
bool sp_is_sampler(const struct sp_module *m, uint32_t id); /* OpConstantSampler */
bool sp_is_zero_op(const struct sp_inst *i);
const struct sp_op_row *sp_op_find(uint32_t op);
const char *sp_token_name(char kind, uint32_t value); /* 'C' capability, 'D' decoration, 'E' execution mode; "?" */
typedef bool sp_id_fn(void *user, uint32_t index, char letter);
bool sp_count_words(const uint32_t *words, size_t count, struct sp_reader *r);
/* Renumbers the module's ids if the bound in its header would make tables larger than the module. */
bool sp_renumber(struct sp_reader *r, uint32_t *copy);
uint32_t sp_new_number(const struct sp_reader *r, uint32_t id);
bool sp_decode(struct sp_reader *r);
/* The instruction at a word of the module, its operands checked against the grammar only. */
bool sp_decode_one(struct sp_reader *r, uint32_t at, struct sp_inst *i);
void sp_note_types(struct sp_reader *r); /* fills early_type */
bool sp_is_terminator(uint32_t op);
/* Calls `each` with the index of every id among the operands; false as soon as it returns false. */
bool sp_each_id(const struct sp_reader *r, const struct sp_inst *i, sp_id_fn *each, void *user);
bool sp_is_value_operand(const struct sp_inst *i, uint32_t k); /* of an instruction in a function */
uint32_t sp_case_words(const struct sp_reader *r, const struct sp_inst *i); /* of OpSwitch: a literal and a label */
/* A string operand as C text (the decoder has found its end). */
const char *sp_string(struct sp_reader *r, const uint32_t *word);
uint32_t sp_string_words(const uint32_t *word, uint32_t limit); /* 0: no end within the limit */

bool sp_define(struct sp_reader *r, const struct sp_inst *i, enum sp_what what, uint32_t type);
bool sp_same(const struct sp_module *m, uint32_t a, uint32_t b); /* types: equal, ignoring the sign of integers */
const struct sp_type *sp_value_type(const struct sp_module *m, uint32_t id); /* NULL if not a value */

bool sp_accept_type(struct sp_reader *r, const struct sp_inst *i);
bool sp_check_forward(struct sp_reader *r);
bool sp_add_decoration(struct sp_reader *r, const struct sp_inst *i);
bool sp_finish_decorations(struct sp_reader *r);
bool sp_accept_constant(struct sp_reader *r, const struct sp_inst *i);
bool sp_check_function_pointers(struct sp_reader *r); /* after all functions are known */
/* An access chain whose base is operand `at` (`element`: an element index follows): checks the indices and the result
 * type. With `offset` the indices must be constants and their byte offset is added to it. */
bool sp_check_chain(struct sp_reader *r, const struct sp_inst *i, uint32_t at, bool element, int64_t *offset);
bool sp_accept_global(struct sp_reader *r, const struct sp_inst *i); /* module-scope OpVariable */
bool sp_build_functions(struct sp_reader *r);
bool sp_build_entries(struct sp_reader *r);
/* Checks every instruction of a function with blocks: definitions dominate uses, types are correct. */
struct sp_dominance {
    const uint32_t *enter, *leave;
};
/* Every operand of an instruction in a function that is a value by the grammar has a type. Checked in all blocks, also
 * unreachable ones, before anything asks for such a type. */
bool sp_check_operands(struct sp_reader *r, const struct sp_inst *i);
bool sp_check_function(struct sp_reader *r, const struct sp_function *f, const struct sp_dominance *d);
void sp_index_rules(uint16_t *index);
const char *sp_rule_words(uint32_t op); /* an instruction's type rule; NULL: unsupported */
bool sp_check_rule(struct sp_reader *r, const struct sp_inst *i);
/* Matches types against the words of a rule (see rules.c) whose first operand is operand `first`. */
bool sp_match_words(struct sp_reader *r, const struct sp_inst *i, const char *words, uint32_t first);
/* The number of literals at the end of an OpenCL.std instruction's operands. */
uint32_t sp_ext_literals(uint32_t instruction);
bool sp_check_ext(struct sp_reader *r, const struct sp_inst *i);
bool sp_check_variable(struct sp_reader *r, const struct sp_inst *i);

#endif
