/* ops.c - properties of a single instruction: which operands are values, which instructions are pure. */
#include "extinst.h"
#include "ir.h"

bool cg_is_pure(uint16_t op)
{
    switch (op) {
    case SP_OP_IAdd:
    case SP_OP_ISub:
    case SP_OP_IMul:
    case SP_OP_BitwiseOr:
    case SP_OP_BitwiseAnd:
    case SP_OP_ShiftLeftLogical:
    case SP_OP_UConvert:
    case SP_OP_SConvert:
    case SP_OP_ConvertPtrToU:
    case SP_OP_ConvertUToPtr:
    case SP_OP_Bitcast:
    case SP_OP_AccessChain:
    case SP_OP_InBoundsAccessChain:
    case SP_OP_PtrAccessChain:
    case SP_OP_InBoundsPtrAccessChain: return true;
    default: return false;
    }
}

/* Is the operand an id rather than a literal? (Ids of other things cannot be mistaken for values.) */
bool cg_is_value_operand(const struct sp_inst *i, uint32_t k)
{
    switch (i->op) {
    case SP_OP_Load:
    case SP_OP_CompositeExtract:
    case SP_OP_LifetimeStart:
    case SP_OP_LifetimeStop:
    case SP_OP_GenericCastToPtrExplicit:
    case SP_OP_Switch:
    case SP_OP_BranchConditional: return k < 1;
    case SP_OP_Store:
    case SP_OP_CopyMemory:
    case SP_OP_CompositeInsert:
    case SP_OP_VectorShuffle:
    case SP_OP_SDot:
    case SP_OP_UDot:
    case SP_OP_SUDot:
    case SP_OP_ImageSampleExplicitLod:
    case SP_OP_ImageRead:
    case SP_OP_SubgroupBlockPrefetchINTEL: return k < 2;
    case SP_OP_CooperativeMatrixLoadKHR:
    case SP_OP_CooperativeMatrixMulAddKHR:
    case SP_OP_SDotAccSat:
    case SP_OP_UDotAccSat:
    case SP_OP_SUDotAccSat:
    case SP_OP_PredicatedLoadINTEL:
    case SP_OP_PredicatedStoreINTEL:
    case SP_OP_ImageWrite:
    case SP_OP_CopyMemorySized: return k < 3;
    case SP_OP_CooperativeMatrixStoreKHR:
    case SP_OP_SubgroupMatrixMultiplyAccumulateINTEL: return k < 4;
    case SP_OP_Variable: return k == 1;
    case SP_OP_Phi: return k % 2 == 0;
    case SP_OP_ExtInst: return k > 1 && !cg_math_literal(i, k);
    case SP_OP_CooperativeMatrixLengthKHR:
    case SP_OP_Branch:
    case SP_OP_Undef:
    case SP_OP_Unreachable: return false;
    default: return k != 1 || !cg_has_group_operation(i->op);
    }
}

/* Instructions whose second operand is Reduce, InclusiveScan ... */
bool cg_has_group_operation(uint16_t op)
{
    return op == SP_OP_GroupNonUniformBallotBitCount || (op >= SP_OP_GroupIAdd && op <= SP_OP_GroupSMax) ||
           (op >= SP_OP_GroupNonUniformIAdd && op <= SP_OP_GroupNonUniformLogicalXor) ||
           (op >= SP_OP_GroupIMulKHR && op <= SP_OP_GroupLogicalXorKHR);
}

int cg_result_rule(const struct sp_inst *i)
{
    switch (i->op) {
    case SP_OP_AtomicLoad: return -1;
    case SP_OP_AtomicExchange:
    case SP_OP_AtomicCompareExchange:
    case SP_OP_AtomicCompareExchangeWeak:
    case SP_OP_AtomicIIncrement:
    case SP_OP_AtomicIDecrement:
    case SP_OP_AtomicIAdd:
    case SP_OP_AtomicISub:
    case SP_OP_AtomicSMin:
    case SP_OP_AtomicUMin:
    case SP_OP_AtomicSMax:
    case SP_OP_AtomicUMax:
    case SP_OP_AtomicAnd:
    case SP_OP_AtomicOr:
    case SP_OP_AtomicXor:
    case SP_OP_AtomicFlagTestAndSet:
    case SP_OP_AtomicFAddEXT:
    case SP_OP_AtomicFMinEXT:
    case SP_OP_AtomicFMaxEXT:
    case SP_OP_GroupNonUniformElect:
    case SP_OP_GroupNonUniformInverseBallot:
    case SP_OP_GroupNonUniformShuffle:
    case SP_OP_GroupNonUniformShuffleXor:
    case SP_OP_GroupNonUniformShuffleUp:
    case SP_OP_GroupNonUniformShuffleDown:
    case SP_OP_GroupNonUniformQuadBroadcast:
    case SP_OP_GroupNonUniformQuadSwap:
    case SP_OP_GroupNonUniformRotateKHR:
    case SP_OP_SubgroupShuffleINTEL:
    case SP_OP_SubgroupShuffleDownINTEL:
    case SP_OP_SubgroupShuffleUpINTEL:
    case SP_OP_SubgroupShuffleXorINTEL:
    case SP_OP_SubgroupBlockReadINTEL:
    case SP_OP_SubgroupMatrixMultiplyAccumulateINTEL:
    case SP_OP_CooperativeMatrixLoadKHR:
    case SP_OP_CooperativeMatrixMulAddKHR: return 1;
    case SP_OP_CooperativeMatrixLengthKHR: return 0;
    case SP_OP_GroupNonUniformBallotBitCount: return i->operand[1] != SP_GROUP_Reduce ? 1 : -1;
    case SP_OP_GroupAll:
    case SP_OP_GroupAny:
    case SP_OP_GroupBroadcast:
    case SP_OP_GroupNonUniformAll:
    case SP_OP_GroupNonUniformAny:
    case SP_OP_GroupNonUniformAllEqual:
    case SP_OP_GroupNonUniformBroadcast:
    case SP_OP_GroupNonUniformBroadcastFirst:
    case SP_OP_GroupNonUniformBallot:
    case SP_OP_SubgroupBallotKHR:
    case SP_OP_SubgroupFirstInvocationKHR:
    case SP_OP_SubgroupReadInvocationKHR:
    case SP_OP_GroupAsyncCopy:
    case SP_OP_SubgroupAllKHR:
    case SP_OP_SubgroupAnyKHR:
    case SP_OP_SubgroupAllEqualKHR: return 0;
    default: return !cg_has_group_operation(i->op) ? -1 : i->operand[1] == SP_GROUP_Reduce ? 0 : 1;
    }
}

bool cg_is_group_operation(const struct sp_inst *i) { return cg_result_rule(i) >= 0; }

bool cg_math_stores(const struct sp_inst *i)
{
    if (i->op != SP_OP_ExtInst) return false;
    switch (i->operand[1]) {
    case EXT_FRACT:
    case EXT_FREXP:
    case EXT_LGAMMA_R:
    case EXT_MODF:
    case EXT_REMQUO:
    case EXT_SINCOS: return true;
    default: return false;
    }
}

bool cg_math_literal(const struct sp_inst *i, uint32_t k)
{
    switch (i->operand[1]) {
    case EXT_VLOADN:
    case EXT_VLOAD_HALFN:
    case EXT_VLOADA_HALFN: return k == 4;
    case EXT_VSTORE_HALF_R:
    case EXT_VSTORE_HALFN_R:
    case EXT_VSTOREA_HALFN_R: return k == 5;
    default: return false;
    }
}
