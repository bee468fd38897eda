/* decode.c - words become instructions: by the grammar's tables, in the order of a module's sections. */
#include "reader.h"

#include <string.h>

/* ---- the tables */

static const struct sp_op_row op_rows[] = {
#define SP_TABLE_OP(op, name, results, pattern) {op, results, name, pattern},
#define SP_TABLE_PARAMETERS(letter, value, pattern)
#define SP_TABLE_NAME(letter, value, name)
#include "tables.inc"
#undef SP_TABLE_OP
#undef SP_TABLE_PARAMETERS
#undef SP_TABLE_NAME
};

struct parameter_row {
    char letter;
    uint32_t value;
    const char *pattern;
};
static const struct parameter_row parameter_rows[] = {
#define SP_TABLE_OP(op, name, results, pattern)
#define SP_TABLE_PARAMETERS(letter, value, pattern) {letter, value, pattern},
#define SP_TABLE_NAME(letter, value, name)
#include "tables.inc"
#undef SP_TABLE_OP
#undef SP_TABLE_PARAMETERS
#undef SP_TABLE_NAME
};

struct name_row {
    char letter;
    uint32_t value;
    const char *name;
};
static const struct name_row name_rows[] = {
#define SP_TABLE_OP(op, name, results, pattern)
#define SP_TABLE_PARAMETERS(letter, value, pattern)
#define SP_TABLE_NAME(letter, value, name) {letter, value, name},
#include "tables.inc"
#undef SP_TABLE_OP
#undef SP_TABLE_PARAMETERS
#undef SP_TABLE_NAME
};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What the device has. Everything else is refused by name. */
static const uint16_t capabilities[] = {
    SP_CAP_Matrix,
    SP_CAP_Addresses,
    SP_CAP_Linkage,
    SP_CAP_Kernel,
    SP_CAP_Vector16,
    SP_CAP_Float16Buffer,
    SP_CAP_Float16,
    SP_CAP_Float64,
    SP_CAP_Int64,
    SP_CAP_Int64Atomics,
    SP_CAP_Int16,
    SP_CAP_Int8,
    SP_CAP_Groups,
    SP_CAP_GenericPointer,
    SP_CAP_SubgroupDispatch,
    SP_CAP_UniformDecoration,
    SP_CAP_GroupNonUniform,
    SP_CAP_GroupNonUniformVote,
    SP_CAP_GroupNonUniformArithmetic,
    SP_CAP_GroupNonUniformBallot,
    SP_CAP_GroupNonUniformShuffle,
    SP_CAP_GroupNonUniformShuffleRelative,
    SP_CAP_GroupNonUniformClustered,
    SP_CAP_GroupNonUniformRotateKHR,
    SP_CAP_SubgroupBallotKHR,
    SP_CAP_SubgroupVoteKHR,
    SP_CAP_GroupUniformArithmeticKHR,
    SP_CAP_ExpectAssumeKHR,
    SP_CAP_DotProduct,
    SP_CAP_DotProductInputAll,
    SP_CAP_DotProductInput4x8Bit,
    SP_CAP_DotProductInput4x8BitPacked,
    SP_CAP_BitInstructions,
    SP_CAP_Shader,
    SP_CAP_CooperativeMatrixKHR,
    SP_CAP_BFloat16TypeKHR,
    SP_CAP_BFloat16DotProductKHR,
    SP_CAP_BFloat16CooperativeMatrixKHR,
    SP_CAP_Float8EXT,
    SP_CAP_Float8CooperativeMatrixEXT,
    SP_CAP_SubgroupShuffleINTEL,
    SP_CAP_SubgroupBufferBlockIOINTEL,
    SP_CAP_Subgroup2DBlockIOINTEL,
    SP_CAP_Subgroup2DBlockTransformINTEL,
    SP_CAP_Subgroup2DBlockTransposeINTEL,
    SP_CAP_SubgroupMatrixMultiplyAccumulateINTEL,
    SP_CAP_SubgroupBufferPrefetchINTEL,
    SP_CAP_SplitBarrierEXT,
    SP_CAP_PredicatedIOINTEL,
    SP_CAP_CacheControlsINTEL,
    SP_CAP_RegisterLimitsINTEL,
    SP_CAP_AtomicFloat32AddEXT,
    SP_CAP_AtomicFloat64AddEXT,
    SP_CAP_AtomicFloat16AddEXT,
    SP_CAP_AtomicFloat32MinMaxEXT,
    SP_CAP_AtomicFloat64MinMaxEXT,
    SP_CAP_AtomicFloat16MinMaxEXT,
    SP_CAP_BFloat16ConversionINTEL,
    SP_CAP_TensorFloat32RoundingINTEL,
    SP_CAP_DenormPreserve,
    SP_CAP_DenormFlushToZero,
    SP_CAP_SignedZeroInfNanPreserve,
    SP_CAP_RoundingModeRTE,
    SP_CAP_KernelAttributesINTEL,
    SP_CAP_MemoryAccessAliasingINTEL,
    SP_CAP_OptNoneEXT,
    SP_CAP_FPFastMathModeINTEL,
    SP_CAP_FunctionFloatControlINTEL,
    SP_CAP_FloatControls2,
    SP_CAP_UnstructuredLoopControlsINTEL,
    SP_CAP_FunctionPointersINTEL,
    SP_CAP_IndirectReferencesINTEL,
    SP_CAP_ArithmeticFenceEXT,
    SP_CAP_GlobalVariableHostAccessINTEL,
    SP_CAP_FPMaxErrorINTEL,
    SP_CAP_FMAKHR,
    SP_CAP_VectorAnyINTEL,
    SP_CAP_LongVectorEXT,
};
/* Capabilities that only allow what the reader refuses by instruction or type anyway; compilers list them freely. */
static const uint16_t harmless[] = {SP_CAP_ImageBasic,
                                    SP_CAP_LiteralSampler,
                                    SP_CAP_Sampled1D,
                                    SP_CAP_Image1D,
                                    SP_CAP_SampledBuffer,
                                    SP_CAP_ImageBuffer,
                                    SP_CAP_ImageReadWrite,
                                    SP_CAP_Pipes,
                                    SP_CAP_DeviceEnqueue,
                                    SP_CAP_NamedBarrier,
                                    SP_CAP_ArbitraryPrecisionIntegersALTERA};

static const char *const extensions[] = {
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_relaxed_extended_instruction",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_linkonce_odr",
    "SPV_INTEL_function_pointers",
    "SPV_KHR_expect_assume",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_bit_instructions",
    "SPV_KHR_uniform_group_instructions",
    "SPV_KHR_subgroup_rotate",
    "SPV_KHR_shader_ballot",
    "SPV_KHR_subgroup_vote",
    "SPV_KHR_float_controls",
    "SPV_KHR_float_controls2",
    "SPV_KHR_fma",
    "SPV_KHR_cooperative_matrix",
    "SPV_KHR_bfloat16",
    "SPV_EXT_float8",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float16_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_EXT_relaxed_printf_string_address_space",
    "SPV_EXT_optnone",
    "SPV_INTEL_subgroups",
    "SPV_INTEL_subgroup_matrix_multiply_accumulate",
    "SPV_INTEL_2d_block_io",
    "SPV_INTEL_subgroup_buffer_prefetch",
    "SPV_INTEL_bfloat16_conversion",
    "SPV_INTEL_tensor_float32_conversion",
    "SPV_INTEL_tensor_float32_rounding",
    "SPV_INTEL_split_barrier",
    "SPV_EXT_split_barrier",
    "SPV_INTEL_arithmetic_fence",
    "SPV_EXT_arithmetic_fence",
    "SPV_INTEL_global_variable_host_access",
    "SPV_INTEL_fp_max_error",
    "SPV_INTEL_predicated_io",
    "SPV_INTEL_cache_controls",
    "SPV_INTEL_maximum_registers",
    "SPV_INTEL_kernel_attributes",
    "SPV_INTEL_memory_access_aliasing",
    "SPV_INTEL_optnone",
    "SPV_INTEL_fp_fast_math_mode",
    "SPV_INTEL_float_controls2",
    "SPV_INTEL_unstructured_loop_controls",
    "SPV_INTEL_vector_compute",
    "SPV_EXT_long_vector",
    "SPV_INTEL_arbitrary_precision_integers",
    "SPV_ALTERA_arbitrary_precision_integers",
};

const struct sp_op_row *sp_op_find(uint32_t op)
{
    size_t low = 0, high = COUNT(op_rows);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (op_rows[middle].op < op)
            low = middle + 1;
        else
            high = middle;
    }
    return low < COUNT(op_rows) && op_rows[low].op == op ? &op_rows[low] : NULL;
}

const char *sp_op_name(uint32_t op)
{
    const struct sp_op_row *row = sp_op_find(op);
    return row ? row->name : "unknown instruction";
}

const char *sp_token_name(char letter, uint32_t value)
{
    size_t i;
    for (i = 0; i < COUNT(name_rows); i++)
        if (name_rows[i].letter == letter && name_rows[i].value == value) return name_rows[i].name;
    return "?";
}

static bool listed(const uint16_t *list, size_t count, uint32_t value)
{
    size_t i;
    for (i = 0; i < count; i++)
        if (list[i] == value) return true;
    return false;
}

/* ---- operands by pattern */

struct walk {
    const struct sp_reader *r;
    const struct sp_inst *inst;
    uint32_t at; /* the next operand word */
    sp_id_fn *each;
    void *user;
    const char *why;
    bool renumber; /* ids are still those of the module */
};

static bool walk_pattern(struct walk *w, const char *pattern);

uint32_t sp_string_words(const uint32_t *word, uint32_t limit)
{
    uint32_t i;
    for (i = 0; i < limit; i++) {
        uint32_t v = word[i];
        if (!(v & 0xffu) || !(v & 0xff00u) || !(v & 0xff0000u) || !(v & 0xff000000u)) return i + 1;
    }
    return 0;
}

const char *sp_string(struct sp_reader *r, const uint32_t *word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint32_t words = sp_string_words(word, 0xffff), i;
    char *text = sp_alloc(r, words, 4);
    for (i = 0; text && i < words * 4; i++) text[i] = (char)(word[i / 4] >> (i % 4 * 8));
    return text;
#else
    (void)r;
    return (const char *)word;
#endif
}

/* Words of a literal that is as wide as a type: the result's for constants, the selector's for OpSwitch. */
static uint32_t literal_words(const struct walk *w)
{
    const struct sp_module *m = w->r->m;
    const struct sp_type *t =
        sp_type(m, w->inst->op == SP_OP_Switch ? w->r->early_type[w->inst->operand[0]] : w->inst->type);
    if (!t || (t->kind != SP_INT && (t->kind != SP_FLOAT || w->inst->op == SP_OP_Switch))) return 0;
    return t->bits > 32 ? 2 : 1;
}

static bool walk_id(struct walk *w, char letter)
{
    if (w->at >= w->inst->count) {
        w->why = "too few operands";
        return false;
    }
    if (w->renumber) {
        uint32_t *id = w->r->copy + (w->inst->operand - w->r->m->words) + w->at;
        *id = sp_new_number(w->r, *id);
    }
    if (w->inst->operand[w->at] == 0 || w->inst->operand[w->at] >= w->r->m->bound) {
        w->why = "an id is not below the bound";
        return false;
    }
    if (w->each && !w->each(w->user, w->at, letter)) return false;
    w->at++;
    return true;
}

static bool walk_words(struct walk *w, uint32_t count)
{
    if (w->inst->count - w->at < count) {
        w->why = "too few operands";
        return false;
    }
    w->at += count;
    return true;
}

static bool walk_literal(struct walk *w)
{
    uint32_t count = literal_words(w);
    if (count == 0) {
        w->why = "the type of its literal is not a number";
        return false;
    }
    return walk_words(w, count);
}

static bool walk_string(struct walk *w)
{
    uint32_t count = sp_string_words(w->inst->operand + w->at, (uint32_t)w->inst->count - w->at);
    if (count == 0) {
        w->why = "a string without an end";
        return false;
    }
    w->at += count;
    return true;
}

static const char *parameters_of(char letter, uint32_t value)
{
    size_t i;
    for (i = 0; i < COUNT(parameter_rows); i++)
        if (parameter_rows[i].letter == letter && parameter_rows[i].value == value) return parameter_rows[i].pattern;
    return "";
}

/* An enumerant or mask, and then the parameters that its value or bits ask for. */
static bool walk_enumerant(struct walk *w, char letter)
{
    uint32_t value, bit;
    if (!walk_words(w, 1)) return false;
    value = w->inst->operand[w->at - 1];
    if (letter == 'D' || letter == 'E') return walk_pattern(w, parameters_of(letter, value));
    for (bit = 0; bit < 32; bit++)
        if (value >> bit & 1 && !walk_pattern(w, parameters_of(letter, 1u << bit))) return false;
    return true;
}

static bool walk_spec_op(struct walk *w)
{
    const struct sp_op_row *row;
    if (!walk_words(w, 1)) return false;
    row = sp_op_find(w->inst->operand[w->at - 1]);
    if (!row || row->op == SP_OP_SpecConstantOp) {
        w->why = "an unknown operation";
        return false;
    }
    return walk_pattern(w, row->pattern);
}

static bool walk_one(struct walk *w, char letter)
{
    switch (letter) {
    case 'i':
    case 's':
    case 'm': return walk_id(w, letter);
    case 'n':
    case 'e':
    case 'X': return walk_words(w, 1);
    case 'N': return walk_literal(w);
    case 'S': return walk_string(w);
    case 'O': return walk_spec_op(w);
    case 'P': return walk_literal(w) && walk_id(w, 'i');
    case 'Q': return walk_id(w, 'i') && walk_words(w, 1);
    case 'R': return walk_id(w, 'i') && walk_id(w, 'i');
    default: return walk_enumerant(w, letter);
    }
}

/* OpExtInst: the grammar takes its operands for ids, but some of OpenCL.std's are literals, and so are many of debug
 * sets. */
static bool walk_ext(struct walk *w)
{
    const struct sp_reader *r = w->r;
    uint32_t literals = w->inst->operand[0] == r->m->opencl_std ? sp_ext_literals(w->inst->operand[1]) : 0xffff;
    while (w->inst->count - w->at > literals)
        if (!walk_id(w, 'i')) return false;
    w->at = w->inst->count;
    return true;
}

static bool walk_pattern(struct walk *w, const char *pattern)
{
    const char *p;
    for (p = pattern; *p; p++) {
        char letter = *p;
        if (p[1] == '?' || p[1] == '*') {
            bool many = *++p == '*';
            if (w->inst->op == SP_OP_ExtInst) return walk_ext(w);
            while (w->at < w->inst->count) {
                if (!walk_one(w, letter)) return false;
                if (!many) break;
            }
        } else if (!walk_one(w, letter)) {
            return false;
        }
    }
    return true;
}

bool sp_each_id(const struct sp_reader *r, const struct sp_inst *i, sp_id_fn *each, void *user)
{
    struct walk w = {r, i, 0, each, user, NULL, false};
    return walk_pattern(&w, sp_op_find(i->op)->pattern);
}

/* ---- one instruction */

bool sp_decode_one(struct sp_reader *r, uint32_t at, struct sp_inst *i)
{
    const struct sp_module *m = r->m;
    const uint32_t *w = m->words + at;
    uint32_t words = w[0] >> 16, head = 1;
    const struct sp_op_row *row = sp_op_find(w[0] & 0xffff);
    memset(i, 0, sizeof *i);
    i->op = (uint16_t)(w[0] & 0xffff);
    i->word = at;
    i->line = r->line;
    if (!row) return sp_refuse(r, i, "opcode %u", w[0] & 0xffff);
    if (row->results & 1 && words > head) i->type = w[head++];
    if (row->results & 2 && words > head) i->id = w[head++];
    if (((row->results & 1) && !sp_type(m, i->type))) return sp_refuse(r, i, "its result type is not a type");
    if ((row->results & 2) && (i->id == 0 || i->id >= m->bound))
        return sp_refuse(r, i, "its result id is not below the bound");
    i->operand = w + head;
    i->count = (uint16_t)(words - head);
    {
        struct walk k = {r, i, 0, NULL, NULL, NULL, r->copy != NULL};
        if (!walk_pattern(&k, row->pattern))
            return sp_refuse(r, i, "operand %u: %s", k.at, k.why ? k.why : "malformed");
        if (k.at != i->count) return sp_refuse(r, i, "%u operand words too many", i->count - k.at);
    }
    return true;
}

static bool is_type_op(uint32_t op)
{
    return (op >= SP_OP_TypeVoid && op <= SP_OP_TypeForwardPointer) || strncmp(sp_op_name(op), "OpType", 6) == 0;
}

bool sp_count_words(const uint32_t *words, size_t count, struct sp_reader *r)
{
    size_t at = 0;
    while (at < count) {
        uint32_t length = words[at] >> 16, op = words[at] & 0xffff;
        if (length == 0 || length > count - at)
            return sp_refuse(r, NULL, "word %zu: an instruction of %u words, %zu are left", at + 5, length, count - at);
        r->total_insts++;
        if (is_type_op(op)) r->total_types++;
        if (op == SP_OP_Function) r->total_functions++;
        if (op == SP_OP_Variable) r->total_globals++;
        if (op == SP_OP_EntryPoint) r->total_entries++;
        if (op == SP_OP_ExecutionMode || op == SP_OP_ExecutionModeId) r->total_modes++;
        if (op == SP_OP_GroupDecorate || op == SP_OP_GroupMemberDecorate) r->total_groups++;
        if (op == SP_OP_Decorate || op == SP_OP_DecorateId || op == SP_OP_DecorateString ||
            op == SP_OP_MemberDecorate || op == SP_OP_MemberDecorateString)
            r->total_decorations++;
        at += length;
    }
    return true;
}

/* ---- sections */

enum sp_section sp_section_of(uint32_t op)
{
    switch (op) {
    case SP_OP_Capability: return SP_CAPABILITIES;
    case SP_OP_Extension: return SP_EXTENSIONS;
    case SP_OP_ExtInstImport: return SP_IMPORTS;
    case SP_OP_MemoryModel: return SP_MEMORY_MODEL;
    case SP_OP_EntryPoint: return SP_ENTRIES;
    case SP_OP_ExecutionMode:
    case SP_OP_ExecutionModeId: return SP_MODES;
    case SP_OP_String:
    case SP_OP_Source:
    case SP_OP_SourceExtension:
    case SP_OP_SourceContinued:
    case SP_OP_Name:
    case SP_OP_MemberName:
    case SP_OP_ModuleProcessed: return SP_DEBUG_NAMES;
    case SP_OP_Decorate:
    case SP_OP_MemberDecorate:
    case SP_OP_DecorationGroup:
    case SP_OP_GroupDecorate:
    case SP_OP_GroupMemberDecorate:
    case SP_OP_DecorateId:
    case SP_OP_DecorateString:
    case SP_OP_MemberDecorateString: return SP_ANNOTATIONS;
    case SP_OP_Function: return SP_FUNCTIONS;
    case SP_OP_Nop:
    case SP_OP_Line:
    case SP_OP_NoLine:
    case SP_OP_AliasDomainDeclINTEL:
    case SP_OP_AliasScopeDeclINTEL:
    case SP_OP_AliasScopeListDeclINTEL: return SP_ANYWHERE;
    default: break;
    }
    if (is_type_op(op) || strncmp(sp_op_name(op), "OpConstant", 10) == 0 ||
        strncmp(sp_op_name(op), "OpSpecConstant", 14) == 0)
        return SP_TYPES;
    return SP_BODY;
}

static bool accept_capability(struct sp_reader *r, const struct sp_inst *i)
{
    uint32_t c = i->operand[0];
    if (c == SP_CAP_VectorAnyINTEL || c == SP_CAP_LongVectorEXT) r->has_any_vector = true;
    if (listed(capabilities, COUNT(capabilities), c) || listed(harmless, COUNT(harmless), c)) return true;
    return sp_refuse(r, i, "the software device does not have the capability %s (%u)", sp_token_name('C', c), c);
}

static bool accept_extension(struct sp_reader *r, const struct sp_inst *i)
{
    const char *name = sp_string(r, i->operand);
    size_t k;
    if (!name) return false;
    for (k = 0; k < COUNT(extensions); k++)
        if (strcmp(name, extensions[k]) == 0) return true;
    return sp_refuse(r, i, "the software device does not have the extension %.100s", name);
}

static bool accept_import(struct sp_reader *r, const struct sp_inst *i)
{
    const char *name = sp_string(r, i->operand);
    if (!name || !sp_define(r, i, SP_IS_EXTINST, 0)) return false;
    if (strcmp(name, "OpenCL.std") == 0) {
        if (r->m->opencl_std) return sp_refuse(r, i, "OpenCL.std is imported twice");
        r->m->opencl_std = i->id;
        return true;
    }
    if (strncmp(name, "NonSemantic.", 12) == 0 || strcmp(name, "OpenCL.DebugInfo.100") == 0 ||
        strcmp(name, "DebugInfo") == 0 || strcmp(name, "SPIRV.debug") == 0)
        return true;
    return sp_refuse(r, i, "the instruction set %.100s is not supported", name);
}

static bool accept_memory_model(struct sp_reader *r, const struct sp_inst *i)
{
    if (r->has_memory_model) return sp_refuse(r, i, "a second memory model");
    r->has_memory_model = true;
    if (i->operand[0] != SP_ADDRESSING_Physical64)
        return sp_refuse(r, i, "addressing model %u: the software device has Physical64", i->operand[0]);
    if (i->operand[1] != SP_MEMORY_MODEL_OpenCL)
        return sp_refuse(r, i, "memory model %u: the software device runs OpenCL kernels", i->operand[1]);
    return true;
}

static bool accept_debug(struct sp_reader *r, const struct sp_inst *i)
{
    if (i->op == SP_OP_String) return sp_define(r, i, SP_IS_STRING, 0);
    if (i->op == SP_OP_Name) {
        r->m->names[i->operand[0]] = sp_string(r, i->operand + 1);
        return r->m->names[i->operand[0]] != NULL;
    }
    return true;
}

static bool accept_types(struct sp_reader *r, const struct sp_inst *i)
{
    if (!r->decorations_done && !sp_finish_decorations(r)) return false;
    r->decorations_done = true;
    if (is_type_op(i->op)) return sp_accept_type(r, i);
    if (i->op == SP_OP_Variable) return sp_accept_global(r, i);
    return sp_accept_constant(r, i);
}

static bool is_debug_ext(const struct sp_reader *r, const struct sp_inst *i)
{
    return (i->op == SP_OP_ExtInst || i->op == SP_OP_ExtInstWithForwardRefsKHR) && i->operand[0] != r->m->opencl_std &&
           r->m->ids[i->operand[0]].what == SP_IS_EXTINST;
}

static bool accept_anywhere(struct sp_reader *r, const struct sp_inst *i)
{
    switch (i->op) {
    case SP_OP_Line: r->line = i->operand[1]; return true;
    case SP_OP_NoLine: r->line = 0; return true;
    case SP_OP_Nop: return true;
    default: return sp_define(r, i, SP_IS_DEBUG, 0);
    }
}

/* ---- function bodies: what may follow what; their meaning comes later, in functions.c */

bool sp_is_terminator(uint32_t op)
{
    switch (op) {
    case SP_OP_Branch:
    case SP_OP_BranchConditional:
    case SP_OP_Switch:
    case SP_OP_Return:
    case SP_OP_ReturnValue:
    case SP_OP_Kill:
    case SP_OP_TerminateInvocation:
    case SP_OP_Unreachable: return true;
    default: return false;
    }
}

static bool open_function(struct sp_reader *r, const struct sp_inst *i)
{
    struct sp_function *f = &r->m->functions[r->m->function_count];
    if (r->state != OUTSIDE) return sp_refuse(r, i, "a function inside a function");
    if (!r->decorations_done && !sp_finish_decorations(r)) return false;
    r->decorations_done = true;
    f->id = i->id;
    f->type = i->operand[1];
    r->function_at[r->m->function_count] = r->inst_count; /* the instruction after OpFunction */
    r->m->function_count++;
    r->state = PARAMETERS;
    if (!sp_define(r, i, SP_IS_FUNCTION, 0)) return false;
    r->m->ids[i->id].block = r->m->function_count - 1;
    r->m->ids[i->id].function = 0;
    return true;
}

static bool accept_value(struct sp_reader *r, const struct sp_inst *i)
{
    if (r->state != IN_BLOCK) return sp_refuse(r, i, "outside a block");
    if (sp_is_terminator(i->op)) r->state = BETWEEN_BLOCKS;
    if (!i->id) return true;
    return sp_define(r, i, i->op == SP_OP_Variable ? SP_IS_VARIABLE : SP_IS_VALUE, i->type);
}

/* `i` is the kept copy. */
static bool accept_body(struct sp_reader *r, const struct sp_inst *i)
{
    switch (i->op) {
    case SP_OP_Function: return open_function(r, i);
    case SP_OP_FunctionParameter:
        if (r->state != PARAMETERS) return sp_refuse(r, i, "not behind OpFunction");
        return sp_define(r, i, SP_IS_PARAMETER, i->type);
    case SP_OP_Label:
        if (r->state != PARAMETERS && r->state != BETWEEN_BLOCKS)
            return sp_refuse(r, i, "the block before has no terminator");
        r->state = IN_BLOCK;
        return sp_define(r, i, SP_IS_LABEL, 0);
    case SP_OP_FunctionEnd:
        if (r->state != PARAMETERS && r->state != BETWEEN_BLOCKS)
            return sp_refuse(r, i, "the block before has no terminator");
        r->state = OUTSIDE;
        return true;
    default: return accept_value(r, i);
    }
}

static bool is_left_out(const struct sp_reader *r, const struct sp_inst *i)
{
    return i->op == SP_OP_LoopMerge || i->op == SP_OP_SelectionMerge || i->op == SP_OP_LoopControlINTEL ||
           is_debug_ext(r, i);
}

static bool accept(struct sp_reader *r, const struct sp_inst *i)
{
    enum sp_section s = sp_section_of(i->op);
    struct sp_inst *kept;
    if (s == SP_ANYWHERE) return accept_anywhere(r, i);
    if (is_left_out(r, i)) return i->id ? sp_define(r, i, SP_IS_DEBUG, 0) : true;
    if (s == SP_BODY && (i->op == SP_OP_Variable || i->op == SP_OP_Undef) && r->state == OUTSIDE) s = SP_TYPES;
    if (s == SP_BODY) s = SP_FUNCTIONS;
    if (s < (enum sp_section)r->section || (s < SP_FUNCTIONS && r->state != OUTSIDE))
        return sp_refuse(r, i, "out of order: it belongs into an earlier part of the module");
    r->section = s;
    if (s > SP_MEMORY_MODEL && !r->has_memory_model) return sp_refuse(r, i, "there is no OpMemoryModel before it");
    kept = &r->insts[r->inst_count++];
    *kept = *i;
    switch (s) {
    case SP_CAPABILITIES: return accept_capability(r, kept);
    case SP_EXTENSIONS: return accept_extension(r, kept);
    case SP_IMPORTS: return accept_import(r, kept);
    case SP_MEMORY_MODEL: return accept_memory_model(r, kept);
    case SP_ENTRIES: r->entry_insts[r->entry_count++] = kept; return true;
    case SP_MODES: r->modes[r->mode_count++] = kept; return true;
    case SP_DEBUG_NAMES: return accept_debug(r, kept);
    case SP_ANNOTATIONS: return sp_add_decoration(r, kept);
    case SP_TYPES: return accept_types(r, kept);
    default: return accept_body(r, kept);
    }
}

bool sp_define(struct sp_reader *r, const struct sp_inst *i, enum sp_what what, uint32_t type)
{
    struct sp_id *d = &r->m->ids[i->id];
    if (i->id == 0) return sp_refuse(r, i, "it has no result id");
    if (d->what != SP_NOTHING) return sp_refuse(r, i, "this id is defined twice");
    d->def = what == SP_IS_DEBUG ? NULL : i;
    d->what = (uint8_t)what;
    d->type = type;
    d->function = r->state == OUTSIDE ? 0 : r->m->function_count;
    return true;
}

void sp_note_types(struct sp_reader *r)
{
    const struct sp_module *m = r->m;
    uint32_t at;
    for (at = SP_HEADER_WORDS; at < m->word_count; at += m->words[at] >> 16) {
        const struct sp_op_row *row = sp_op_find(m->words[at] & 0xffff);
        if (row && row->results == 3 && m->words[at] >> 16 > 2 && m->words[at + 2] < m->bound)
            r->early_type[m->words[at + 2]] = m->words[at + 1];
    }
}

bool sp_decode(struct sp_reader *r)
{
    uint32_t at = SP_HEADER_WORDS;
    sp_note_types(r);
    while (at < r->m->word_count) {
        struct sp_inst i;
        if (!sp_decode_one(r, at, &i) || !accept(r, &i)) return false;
        at += r->m->words[at] >> 16;
    }
    if (r->state != OUTSIDE) return sp_refuse(r, NULL, "the last function has no end");
    if (!r->has_memory_model) return sp_refuse(r, NULL, "there is no OpMemoryModel");
    if (!r->decorations_done && !sp_finish_decorations(r)) return false;
    return sp_check_forward(r) && sp_check_function_pointers(r);
}
