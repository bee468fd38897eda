/* needs.c - What needs which capability, and which capability needs which extension or version. */
#include "internal.h"

typedef struct {
    uint16_t capability;
    uint32_t version;      /* lowest SPIR-V version that has it, 0: any */
    const char *extension; /* NULL: none */
    uint32_t core_since;   /* from this version the extension need not be named, 0: always */
} spe_capability_row_;

static const spe_capability_row_ *spe_capability_row_of_(uint32_t capability)
{
#define SPE_ROW_(name, version, extension, core) {SPE_Capability##name, version, extension, core}
    static const spe_capability_row_ rows[] = {
        SPE_ROW_(SubgroupDispatch, SPE_VERSION(1, 1), NULL, 0),
        SPE_ROW_(GroupNonUniform, SPE_VERSION(1, 3), NULL, 0),
        SPE_ROW_(GroupNonUniformVote, SPE_VERSION(1, 3), NULL, 0),
        SPE_ROW_(GroupNonUniformArithmetic, SPE_VERSION(1, 3), NULL, 0),
        SPE_ROW_(GroupNonUniformBallot, SPE_VERSION(1, 3), NULL, 0),
        SPE_ROW_(GroupNonUniformShuffle, SPE_VERSION(1, 3), NULL, 0),
        SPE_ROW_(GroupNonUniformShuffleRelative, SPE_VERSION(1, 3), NULL, 0),
        SPE_ROW_(GroupNonUniformClustered, SPE_VERSION(1, 3), NULL, 0),
        SPE_ROW_(GroupNonUniformQuad, SPE_VERSION(1, 3), NULL, 0),
        SPE_ROW_(GroupNonUniformRotateKHR, 0, "SPV_KHR_subgroup_rotate", 0),
        SPE_ROW_(SubgroupBallotKHR, 0, "SPV_KHR_shader_ballot", 0),
        SPE_ROW_(SubgroupVoteKHR, 0, "SPV_KHR_subgroup_vote", 0),
        SPE_ROW_(GroupUniformArithmeticKHR, 0, "SPV_KHR_uniform_group_instructions", 0),
        SPE_ROW_(DotProduct, 0, "SPV_KHR_integer_dot_product", SPE_VERSION(1, 6)),
        SPE_ROW_(DotProductInputAll, 0, "SPV_KHR_integer_dot_product", SPE_VERSION(1, 6)),
        SPE_ROW_(DotProductInput4x8Bit, 0, "SPV_KHR_integer_dot_product", SPE_VERSION(1, 6)),
        SPE_ROW_(DotProductInput4x8BitPacked, 0, "SPV_KHR_integer_dot_product", SPE_VERSION(1, 6)),
        SPE_ROW_(DenormPreserve, 0, "SPV_KHR_float_controls", SPE_VERSION(1, 4)),
        SPE_ROW_(DenormFlushToZero, 0, "SPV_KHR_float_controls", SPE_VERSION(1, 4)),
        SPE_ROW_(SignedZeroInfNanPreserve, 0, "SPV_KHR_float_controls", SPE_VERSION(1, 4)),
        SPE_ROW_(RoundingModeRTE, 0, "SPV_KHR_float_controls", SPE_VERSION(1, 4)),
        SPE_ROW_(RoundingModeRTZ, 0, "SPV_KHR_float_controls", SPE_VERSION(1, 4)),
        SPE_ROW_(FloatControls2, 0, "SPV_KHR_float_controls2", 0),
        SPE_ROW_(BitInstructions, 0, "SPV_KHR_bit_instructions", 0),
        SPE_ROW_(ExpectAssumeKHR, 0, "SPV_KHR_expect_assume", 0),
        SPE_ROW_(BFloat16TypeKHR, 0, "SPV_KHR_bfloat16", 0),
        SPE_ROW_(BFloat16DotProductKHR, 0, "SPV_KHR_bfloat16", 0),
        SPE_ROW_(BFloat16CooperativeMatrixKHR, 0, "SPV_KHR_bfloat16", 0),
        SPE_ROW_(Float8EXT, 0, "SPV_EXT_float8", 0),
        SPE_ROW_(Float8CooperativeMatrixEXT, 0, "SPV_EXT_float8", 0),
        SPE_ROW_(CooperativeMatrixKHR, 0, "SPV_KHR_cooperative_matrix", 0),
        SPE_ROW_(CooperativeVectorNV, 0, "SPV_NV_cooperative_vector", 0),
        SPE_ROW_(CooperativeVectorTrainingNV, 0, "SPV_NV_cooperative_vector", 0),
        SPE_ROW_(LongVectorEXT, SPE_VERSION(1, 3), "SPV_EXT_long_vector", 0),
        SPE_ROW_(VectorAnyINTEL, 0, "SPV_INTEL_vector_compute", 0),
        SPE_ROW_(AtomicFloat16AddEXT, 0, "SPV_EXT_shader_atomic_float16_add", 0),
        SPE_ROW_(AtomicFloat32AddEXT, 0, "SPV_EXT_shader_atomic_float_add", 0),
        SPE_ROW_(AtomicFloat64AddEXT, 0, "SPV_EXT_shader_atomic_float_add", 0),
        SPE_ROW_(AtomicFloat16MinMaxEXT, 0, "SPV_EXT_shader_atomic_float_min_max", 0),
        SPE_ROW_(AtomicFloat32MinMaxEXT, 0, "SPV_EXT_shader_atomic_float_min_max", 0),
        SPE_ROW_(AtomicFloat64MinMaxEXT, 0, "SPV_EXT_shader_atomic_float_min_max", 0),
        SPE_ROW_(SubgroupShuffleINTEL, 0, "SPV_INTEL_subgroups", 0),
        SPE_ROW_(SubgroupBufferBlockIOINTEL, 0, "SPV_INTEL_subgroups", 0),
        SPE_ROW_(BFloat16ConversionINTEL, 0, "SPV_INTEL_bfloat16_conversion", 0),
        SPE_ROW_(TensorFloat32RoundingINTEL, 0, "SPV_INTEL_tensor_float32_conversion", 0),
        SPE_ROW_(SplitBarrierINTEL, 0, "SPV_INTEL_split_barrier", 0),
        SPE_ROW_(SubgroupBufferPrefetchINTEL, 0, "SPV_INTEL_subgroup_buffer_prefetch", 0),
        SPE_ROW_(Subgroup2DBlockIOINTEL, 0, "SPV_INTEL_2d_block_io", 0),
        SPE_ROW_(Subgroup2DBlockTransformINTEL, 0, "SPV_INTEL_2d_block_io", 0),
        SPE_ROW_(Subgroup2DBlockTransposeINTEL, 0, "SPV_INTEL_2d_block_io", 0),
        SPE_ROW_(SubgroupMatrixMultiplyAccumulateINTEL, 0, "SPV_INTEL_subgroup_matrix_multiply_accumulate", 0),
        SPE_ROW_(PredicatedIOINTEL, 0, "SPV_INTEL_predicated_io", 0),
        SPE_ROW_(CacheControlsINTEL, 0, "SPV_INTEL_cache_controls", 0),
        SPE_ROW_(RegisterLimitsINTEL, 0, "SPV_INTEL_maximum_registers", 0),
        SPE_ROW_(GlobalVariableHostAccessINTEL, 0, "SPV_INTEL_global_variable_host_access", 0),
    };
#undef SPE_ROW_
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].capability == capability) return &rows[i];
    }
    return NULL;
}

typedef struct {
    uint16_t what, value; /* bits, count, storage class, number of the enumerant */
    uint16_t capability;
} spe_need_row_;

static const spe_need_row_ *spe_need_rows_(size_t *count)
{
#define SPE_IS_(what, value, capability) {SPE_NEED_##what##_, value, SPE_Capability##capability}
    static const spe_need_row_ rows[] = {
        SPE_IS_(INT, 8, Int8), SPE_IS_(INT, 16, Int16), SPE_IS_(INT, 64, Int64),
        SPE_IS_(FLOAT, 16, Float16), SPE_IS_(FLOAT, 64, Float64),
        SPE_IS_(ENCODING, SPE_BF16, BFloat16TypeKHR), SPE_IS_(ENCODING, SPE_E4M3, Float8EXT),
        SPE_IS_(ENCODING, SPE_E5M2, Float8EXT),
        SPE_IS_(COOP, SPE_IEEE, CooperativeMatrixKHR), SPE_IS_(COOP, SPE_BF16, BFloat16CooperativeMatrixKHR),
        SPE_IS_(COOP, SPE_E4M3, Float8CooperativeMatrixEXT), SPE_IS_(COOP, SPE_E5M2, Float8CooperativeMatrixEXT),
        SPE_IS_(COOPVEC, 0, CooperativeVectorNV), SPE_IS_(VECTOR, 8, Vector16), SPE_IS_(VECTOR, 16, Vector16),
        SPE_IS_(STORAGE, SPE_StorageClassGeneric, GenericPointer),
        SPE_IS_(BUILTIN, SPE_BuiltInSubgroupSize, Kernel), SPE_IS_(BUILTIN, SPE_BuiltInSubgroupMaxSize, Kernel),
        SPE_IS_(BUILTIN, SPE_BuiltInSubgroupEqMask, GroupNonUniformBallot),
        SPE_IS_(BUILTIN, SPE_BuiltInSubgroupGeMask, GroupNonUniformBallot),
        SPE_IS_(BUILTIN, SPE_BuiltInSubgroupGtMask, GroupNonUniformBallot),
        SPE_IS_(BUILTIN, SPE_BuiltInSubgroupLeMask, GroupNonUniformBallot),
        SPE_IS_(BUILTIN, SPE_BuiltInSubgroupLtMask, GroupNonUniformBallot),
        SPE_IS_(MODE, SPE_ExecutionModeSubgroupSize, SubgroupDispatch),
        SPE_IS_(MODE, SPE_ExecutionModeSubgroupsPerWorkgroup, SubgroupDispatch),
        SPE_IS_(MODE, SPE_ExecutionModeSubgroupsPerWorkgroupId, SubgroupDispatch),
        SPE_IS_(MODE, SPE_ExecutionModeDenormPreserve, DenormPreserve),
        SPE_IS_(MODE, SPE_ExecutionModeDenormFlushToZero, DenormFlushToZero),
        SPE_IS_(MODE, SPE_ExecutionModeSignedZeroInfNanPreserve, SignedZeroInfNanPreserve),
        SPE_IS_(MODE, SPE_ExecutionModeRoundingModeRTE, RoundingModeRTE),
        SPE_IS_(MODE, SPE_ExecutionModeRoundingModeRTZ, RoundingModeRTZ),
        SPE_IS_(MODE, SPE_ExecutionModeFPFastMathDefault, FloatControls2),
        SPE_IS_(MODE, SPE_ExecutionModeMaximumRegistersINTEL, RegisterLimitsINTEL),
        SPE_IS_(MODE, SPE_ExecutionModeMaximumRegistersIdINTEL, RegisterLimitsINTEL),
        SPE_IS_(MODE, SPE_ExecutionModeNamedMaximumRegistersINTEL, RegisterLimitsINTEL),
        SPE_IS_(DECORATION, SPE_DecorationLinkageAttributes, Linkage),
        SPE_IS_(DECORATION, SPE_DecorationHostAccessINTEL, GlobalVariableHostAccessINTEL),
        SPE_IS_(DECORATION, SPE_DecorationCacheControlLoadINTEL, CacheControlsINTEL),
        SPE_IS_(DECORATION, SPE_DecorationCacheControlStoreINTEL, CacheControlsINTEL),
        SPE_IS_(DECORATION, SPE_DecorationSaturatedToLargestFloat8NormalConversionEXT, Float8EXT),
    };
#undef SPE_IS_
    *count = sizeof rows / sizeof *rows;
    return rows;
}

/* What instructions need, by opcode, or by what tells the variants of one apart. */
enum { SPE_ANY_, SPE_BY_GROUP_OPERATION_, SPE_BY_BITS_, SPE_BY_ENCODING_ };

typedef struct {
    uint16_t first, last; /* opcodes */
    uint16_t by, variant;
    uint16_t capability;
} spe_op_row_;

static const spe_op_row_ *spe_op_rows_(size_t *count)
{
#define SPE_OP_(first, last, capability) {SPE_Op##first, SPE_Op##last, SPE_ANY_, 0, SPE_Capability##capability}
#define SPE_OP_BY_(first, last, by, variant, capability)                                                               \
    {SPE_Op##first, SPE_Op##last, SPE_BY_##by##_, variant, SPE_Capability##capability}
    static const spe_op_row_ rows[] = {
        SPE_OP_(MatrixTimesScalar, MatrixTimesScalar, Matrix),
        SPE_OP_(BitFieldInsert, BitReverse, BitInstructions),
        SPE_OP_(GroupAll, GroupSMax, Groups),
        SPE_OP_(GetKernelLocalSizeForSubgroupCount, GetKernelMaxNumSubgroups, SubgroupDispatch),
        SPE_OP_(GroupNonUniformElect, GroupNonUniformElect, GroupNonUniform),
        SPE_OP_(GroupNonUniformAll, GroupNonUniformAllEqual, GroupNonUniformVote),
        SPE_OP_(GroupNonUniformBroadcast, GroupNonUniformBallotFindMSB, GroupNonUniformBallot),
        SPE_OP_(GroupNonUniformShuffle, GroupNonUniformShuffleXor, GroupNonUniformShuffle),
        SPE_OP_(GroupNonUniformShuffleUp, GroupNonUniformShuffleDown, GroupNonUniformShuffleRelative),
        SPE_OP_BY_(GroupNonUniformIAdd, GroupNonUniformLogicalXor, GROUP_OPERATION, SPE_GroupOperationReduce,
                   GroupNonUniformArithmetic),
        SPE_OP_BY_(GroupNonUniformIAdd, GroupNonUniformLogicalXor, GROUP_OPERATION, SPE_GroupOperationInclusiveScan,
                   GroupNonUniformArithmetic),
        SPE_OP_BY_(GroupNonUniformIAdd, GroupNonUniformLogicalXor, GROUP_OPERATION, SPE_GroupOperationExclusiveScan,
                   GroupNonUniformArithmetic),
        SPE_OP_BY_(GroupNonUniformIAdd, GroupNonUniformLogicalXor, GROUP_OPERATION, SPE_GroupOperationClusteredReduce,
                   GroupNonUniformClustered),
        SPE_OP_(GroupIMulKHR, GroupLogicalXorKHR, GroupUniformArithmeticKHR),
        SPE_OP_(GroupNonUniformQuadBroadcast, GroupNonUniformQuadSwap, GroupNonUniformQuad),
        SPE_OP_(GroupNonUniformRotateKHR, GroupNonUniformRotateKHR, GroupNonUniformRotateKHR),
        SPE_OP_(SubgroupBallotKHR, SubgroupFirstInvocationKHR, SubgroupBallotKHR),
        SPE_OP_(SubgroupReadInvocationKHR, SubgroupReadInvocationKHR, SubgroupBallotKHR),
        SPE_OP_(SubgroupAllKHR, SubgroupAllEqualKHR, SubgroupVoteKHR),
        SPE_OP_(AssumeTrueKHR, ExpectKHR, ExpectAssumeKHR),
        SPE_OP_(SDot, SUDotAccSat, DotProduct),
        SPE_OP_(CooperativeMatrixLoadKHR, CooperativeMatrixLengthKHR, CooperativeMatrixKHR),
        SPE_OP_(TypeCooperativeVectorNV, CooperativeVectorMatrixMulNV, CooperativeVectorNV),
        SPE_OP_(CooperativeVectorOuterProductAccumulateNV, CooperativeVectorReduceSumAccumulateNV,
                CooperativeVectorTrainingNV),
        SPE_OP_(CooperativeVectorMatrixMulAddNV, CooperativeVectorMatrixMulAddNV, CooperativeVectorNV),
        SPE_OP_(CooperativeVectorLoadNV, CooperativeVectorStoreNV, CooperativeVectorNV),
        SPE_OP_BY_(AtomicLoad, AtomicXor, BITS, 64, Int64Atomics),
        SPE_OP_BY_(AtomicFAddEXT, AtomicFAddEXT, BITS, 16, AtomicFloat16AddEXT),
        SPE_OP_BY_(AtomicFAddEXT, AtomicFAddEXT, BITS, 32, AtomicFloat32AddEXT),
        SPE_OP_BY_(AtomicFAddEXT, AtomicFAddEXT, BITS, 64, AtomicFloat64AddEXT),
        SPE_OP_BY_(AtomicFMinEXT, AtomicFMaxEXT, BITS, 16, AtomicFloat16MinMaxEXT),
        SPE_OP_BY_(AtomicFMinEXT, AtomicFMaxEXT, BITS, 32, AtomicFloat32MinMaxEXT),
        SPE_OP_BY_(AtomicFMinEXT, AtomicFMaxEXT, BITS, 64, AtomicFloat64MinMaxEXT),
        SPE_OP_BY_(Dot, Dot, ENCODING, SPE_BF16, BFloat16DotProductKHR),
        SPE_OP_(SubgroupShuffleINTEL, SubgroupShuffleXorINTEL, SubgroupShuffleINTEL),
        SPE_OP_(SubgroupBlockReadINTEL, SubgroupBlockWriteINTEL, SubgroupBufferBlockIOINTEL),
        SPE_OP_(ConvertFToBF16INTEL, ConvertBF16ToFINTEL, BFloat16ConversionINTEL),
        SPE_OP_(RoundFToTF32INTEL, RoundFToTF32INTEL, TensorFloat32RoundingINTEL),
        SPE_OP_(ControlBarrierArriveINTEL, ControlBarrierWaitINTEL, SplitBarrierINTEL),
        SPE_OP_(SubgroupBlockPrefetchINTEL, SubgroupBlockPrefetchINTEL, SubgroupBufferPrefetchINTEL),
        SPE_OP_(Subgroup2DBlockLoadINTEL, Subgroup2DBlockLoadINTEL, Subgroup2DBlockIOINTEL),
        SPE_OP_(Subgroup2DBlockLoadTransformINTEL, Subgroup2DBlockLoadTransformINTEL, Subgroup2DBlockTransformINTEL),
        SPE_OP_(Subgroup2DBlockLoadTransposeINTEL, Subgroup2DBlockLoadTransposeINTEL, Subgroup2DBlockTransposeINTEL),
        SPE_OP_(Subgroup2DBlockPrefetchINTEL, Subgroup2DBlockStoreINTEL, Subgroup2DBlockIOINTEL),
        SPE_OP_(SubgroupMatrixMultiplyAccumulateINTEL, SubgroupMatrixMultiplyAccumulateINTEL,
                SubgroupMatrixMultiplyAccumulateINTEL),
        SPE_OP_(PredicatedLoadINTEL, PredicatedStoreINTEL, PredicatedIOINTEL),
    };
#undef SPE_OP_
#undef SPE_OP_BY_
    *count = sizeof rows / sizeof *rows;
    return rows;
}

void spe_extension(spe_module *m, const char *name)
{
    spe_buffer_ *b = &m->buffer[SPE_SECTION_EXTENSION_];
    uint32_t words = spe_text_words_(name), *at, want[64];
    size_t i;
    if (m->error.id) return;
    if (!*name || words > 64) {
        spe_error_(m, SPE_ERR_NAME, "spe_extension: \"%.60s\" is no name of an extension", name);
        return;
    }
    spe_put_text_(want, name);
    for (i = 0; i < b->count; i += b->data[i] >> 16) {
        if (b->data[i] >> 16 == words + 1 && !memcmp(b->data + i + 1, want, words * sizeof *want)) return;
    }
    at = spe_put_(m, SPE_SECTION_EXTENSION_, SPE_OpExtension, words);
    if (at) memcpy(at, want, words * sizeof *want);
}

bool spe_declares_(const spe_module *m, uint32_t capability)
{
    const spe_buffer_ *b = &m->buffer[SPE_BUFFER_CAPS_];
    size_t i;
    for (i = 0; i < b->count; i++) {
        if (b->data[i] == capability) return true;
    }
    return false;
}

void spe_capability(spe_module *m, uint32_t capability)
{
    const spe_capability_row_ *row;
    uint32_t *at;
    if (m->error.id || spe_declares_(m, capability)) return;
    row = spe_capability_row_of_(capability);
    if (row && m->options.version < row->version) {
        spe_error_(m, SPE_ERR_VERSION, "capability %u needs SPIR-V 1.%u, the module is 1.%u", capability,
                   row->version >> 8 & 0xff, m->options.version >> 8 & 0xff);
        return;
    }
    at = spe_push_(m, SPE_BUFFER_CAPS_, 1);
    if (at) *at = capability;
    if (row && row->extension && !(row->core_since && m->options.version >= row->core_since))
        spe_extension(m, row->extension);
}

/* Declares what a type, decoration, mode ... (`what`, `value`) needs. */
void spe_need_(spe_module *m, uint32_t what, uint32_t value)
{
    size_t i, count;
    const spe_need_row_ *rows = spe_need_rows_(&count);
    if (what == SPE_NEED_NOTHING_) return;
    for (i = 0; i < count; i++) {
        if (rows[i].what == what && rows[i].value == value) spe_capability(m, rows[i].capability);
    }
}

/* The width that tells variants of an atomic apart: of its result, or of the value it stores. */
static uint32_t spe_op_bits_(const spe_module *m, spe_id type, uint32_t n, const uint32_t *operands)
{
    if (!type && n && operands[n - 1] < m->id_count) type = m->ids[operands[n - 1]].type;
    if (!type || type >= m->id_count || !(m->ids[type].flags & SPE_ID_TYPE_)) return 0;
    return m->types[m->ids[type].aux].bits;
}

/* The encoding of a result's float type. */
static spe_encoding spe_op_encoding_(const spe_module *m, spe_id type)
{
    bool known = type && type < m->id_count && (m->ids[type].flags & SPE_ID_TYPE_);
    return known ? m->types[m->ids[type].aux].encoding : SPE_IEEE;
}

/* Declares what an instruction needs; opcodes without variants are looked up once a module. */
void spe_need_op_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    size_t i, count;
    const spe_op_row_ *rows;
    bool varies = false;
    if (op < SPE_OPCODES_KNOWN_ && (m->seen[op / 64] >> (op % 64) & 1)) return;
    rows = spe_op_rows_(&count);
    for (i = 0; i < count; i++) {
        const spe_op_row_ *r = &rows[i];
        if (op < r->first || op > r->last) continue;
        if (r->by != SPE_ANY_) varies = true;
        if (r->by == SPE_BY_GROUP_OPERATION_ && !(n > 1 && operands[1] == r->variant)) continue;
        if (r->by == SPE_BY_BITS_ && spe_op_bits_(m, type, n, operands) != r->variant) continue;
        if (r->by == SPE_BY_ENCODING_ && (uint32_t)spe_op_encoding_(m, type) != r->variant) continue;
        spe_capability(m, r->capability);
    }
    if (!varies && op < SPE_OPCODES_KNOWN_) m->seen[op / 64] |= (uint64_t)1 << (op % 64);
}
