/* decode.c - decodes words to instructions, by the grammar's tables, in the order of a module's sections. */
#include "reader.h"

#include <string.h>

/* ---- the tables */

/* The supported capabilities. All others are refused by name. */
static const uint16_t capabilities[] = {
    SP_CAP_Matrix,
    SP_CAP_Addresses,
    SP_CAP_Linkage,
    SP_CAP_Kernel,
    SP_CAP_ImageBasic,
    SP_CAP_ImageReadWrite,
    SP_CAP_ImageMipmap, /* images have a single level */
    SP_CAP_LiteralSampler,
    SP_CAP_Sampled1D,
    SP_CAP_Image1D,
    SP_CAP_SampledBuffer,
    SP_CAP_ImageBuffer,
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
    SP_CAP_SubgroupScaledMatrixMultiplyAccumulateINTEL,
    SP_CAP_SubgroupBufferPrefetchINTEL,
    SP_CAP_SplitBarrierEXT,
    SP_CAP_PredicatedIOINTEL,
    SP_CAP_BindlessImagesINTEL,
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
/* Capabilities whose instructions or types the reader refuses anyway; compilers declare them freely. */
static const uint16_t harmless[] = {SP_CAP_Pipes,
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
    "SPV_INTEL_subgroup_matrix_multiply_accumulate_float8",
    "SPV_INTEL_subgroup_matrix_multiply_accumulate_float4",
    "SPV_INTEL_subgroup_scaled_matrix_multiply_accumulate",
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
    "SPV_INTEL_bindless_images",
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

static bool listed(const uint16_t *list, size_t count, uint32_t value)
{
    size_t i;
    for (i = 0; i < count; i++)
        if (list[i] == value) return true;
    return false;
}

/* ---- one instruction */

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
    if (listed(capabilities, SP_COUNT(capabilities), c) || listed(harmless, SP_COUNT(harmless), c)) return true;
    return sp_refuse(r, i, "the software device does not have the capability %s (%u)", sp_token_name('C', c), c);
}

static bool accept_extension(struct sp_reader *r, const struct sp_inst *i)
{
    const char *name = sp_string(r, i->operand);
    size_t k;
    if (!name) return false;
    r->product_bits |= sp_product_bits(name);
    for (k = 0; k < SP_COUNT(extensions); k++)
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

/* ---- function bodies: order of instructions only; functions.c does the rest */

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
        if (r->state != PARAMETERS) return sp_refuse(r, i, "not after OpFunction");
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
        return sp_refuse(r, i, "out of order: it belongs in an earlier part of the module");
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
