/* ops.c - properties of instructions: one table for all that passes and C need of an opcode. Which operands are values
 * the grammar says (spirv/tables.inc).
 */
#include "extinst.h"
#include "ir.h"

/* An integer of another width than 8, 16, 32 and 64 bits may be an operand: as it is, or with its sign extended. */
enum { NARROW = CG_NARROW, SIGNED = CG_NARROW | CG_SIGNED };

static const uint32_t properties[] = {
    /* integers, pointers and booleans */
    [SP_OP_IAdd] = CG_DECIDES | CG_PURE | CG_SPELLS | NARROW,
    [SP_OP_ISub] = CG_DECIDES | CG_PURE | NARROW,
    [SP_OP_IMul] = CG_DECIDES | CG_PURE | CG_SPELLS | NARROW,
    [SP_OP_UDiv] = CG_DECIDES | NARROW,
    [SP_OP_UMod] = CG_DECIDES | NARROW,
    [SP_OP_SDiv] = CG_DECIDES | SIGNED,
    [SP_OP_SRem] = CG_DECIDES | SIGNED,
    [SP_OP_SMod] = SIGNED,
    [SP_OP_SNegate] = NARROW,
    [SP_OP_Not] = CG_DECIDES | NARROW,
    [SP_OP_BitwiseAnd] = CG_DECIDES | CG_PURE | NARROW,
    [SP_OP_BitwiseOr] = CG_DECIDES | CG_PURE | CG_SPELLS | NARROW,
    [SP_OP_BitwiseXor] = CG_DECIDES | NARROW,
    [SP_OP_ShiftLeftLogical] = CG_DECIDES | CG_PURE | NARROW,
    [SP_OP_ShiftRightLogical] = CG_DECIDES | NARROW,
    [SP_OP_ShiftRightArithmetic] = CG_DECIDES | SIGNED, /* an amount with its sign bit set is beyond any width */
    [SP_OP_BitCount] = NARROW,
    [SP_OP_IEqual] = CG_DECIDES | NARROW,
    [SP_OP_INotEqual] = CG_DECIDES | NARROW,
    [SP_OP_ULessThan] = CG_DECIDES | NARROW,
    [SP_OP_ULessThanEqual] = CG_DECIDES | NARROW,
    [SP_OP_UGreaterThan] = CG_DECIDES | NARROW,
    [SP_OP_UGreaterThanEqual] = CG_DECIDES | NARROW,
    [SP_OP_SLessThan] = CG_DECIDES | SIGNED,
    [SP_OP_SLessThanEqual] = CG_DECIDES | SIGNED,
    [SP_OP_SGreaterThan] = CG_DECIDES | SIGNED,
    [SP_OP_SGreaterThanEqual] = CG_DECIDES | SIGNED,
    [SP_OP_LogicalAnd] = CG_DECIDES,
    [SP_OP_LogicalOr] = CG_DECIDES,
    [SP_OP_LogicalNot] = CG_DECIDES,
    [SP_OP_LogicalEqual] = CG_DECIDES,
    [SP_OP_LogicalNotEqual] = CG_DECIDES,
    [SP_OP_UConvert] = CG_DECIDES | CG_PURE | CG_CONVERTS | NARROW,
    [SP_OP_SConvert] = CG_DECIDES | CG_PURE | CG_CONVERTS | SIGNED,
    [SP_OP_ConvertPtrToU] = CG_DECIDES | CG_PURE | CG_CONVERTS,
    [SP_OP_ConvertUToPtr] = CG_PURE | CG_CONVERTS,
    [SP_OP_ConvertUToF] = NARROW,
    [SP_OP_ConvertSToF] = SIGNED,
    [SP_OP_ConvertFToU] = NARROW,
    [SP_OP_ConvertFToS] = NARROW,
    [SP_OP_AccessChain] = CG_PURE | CG_CHAIN | SIGNED,
    [SP_OP_InBoundsAccessChain] = CG_PURE | CG_CHAIN | SIGNED,
    [SP_OP_PtrAccessChain] = CG_PURE | CG_CHAIN | CG_ELEMENT | SIGNED,
    [SP_OP_InBoundsPtrAccessChain] = CG_PURE | CG_CHAIN | CG_ELEMENT | SIGNED,
    [SP_OP_Bitcast] = CG_DECIDES | CG_PURE | CG_SAME_POINTER,
    [SP_OP_CopyObject] = CG_SAME_POINTER | CG_HARMLESS | NARROW,
    [SP_OP_PtrCastToGeneric] = CG_SAME_POINTER | CG_HARMLESS,
    [SP_OP_GenericCastToPtr] = CG_SAME_POINTER | CG_HARMLESS,
    /* other values */
    [SP_OP_Phi] = CG_SILENT | CG_HARMLESS | NARROW,
    [SP_OP_Select] = CG_DECIDES | CG_HARMLESS | NARROW,
    [SP_OP_Undef] = CG_SILENT | NARROW,
    [SP_OP_ExpectKHR] = NARROW,
    [SP_OP_FAdd] = CG_SPELLS,
    [SP_OP_FMul] = CG_SPELLS,
    [SP_OP_CompositeExtract] = CG_SPELLS | NARROW,
    [SP_OP_CompositeInsert] = NARROW,
    [SP_OP_CompositeConstruct] = CG_SPELLS | NARROW,
    [SP_OP_CooperativeMatrixLengthKHR] = CG_UNIFORM,
    [SP_OP_CooperativeMatrixMulAddKHR] = CG_VARIES | CG_PRODUCT,
    [SP_OP_SubgroupMatrixMultiplyAccumulateINTEL] = CG_VARIES | CG_PRODUCT,
    [SP_OP_SubgroupScaledMatrixMultiplyAccumulateINTEL] = CG_VARIES | CG_PRODUCT,
    /* memory */
    [SP_OP_Variable] = CG_SILENT,
    [SP_OP_LifetimeStart] = CG_LIFETIME,
    [SP_OP_LifetimeStop] = CG_LIFETIME | CG_SILENT,
    [SP_OP_Load] = CG_READS | NARROW,
    [SP_OP_Store] = CG_WRITES | NARROW,
    [SP_OP_PredicatedLoadINTEL] = CG_READS | CG_PREDICATED | NARROW,
    [SP_OP_PredicatedStoreINTEL] = CG_WRITES | CG_PREDICATED | NARROW,
    [SP_OP_CopyMemory] = CG_READS | CG_WRITES | CG_COPIES,
    [SP_OP_CopyMemorySized] = CG_READS | CG_WRITES | CG_COPIES,
    [SP_OP_SubgroupBlockReadINTEL] = CG_READS | CG_VARIES,
    [SP_OP_SubgroupBlockWriteINTEL] = CG_WRITES,
    [SP_OP_SubgroupBlockPrefetchINTEL] = CG_HARMLESS,
    [SP_OP_Subgroup2DBlockPrefetchINTEL] = CG_HARMLESS,
    [SP_OP_Subgroup2DBlockLoadINTEL] = CG_READS | CG_BLOCK,
    [SP_OP_Subgroup2DBlockLoadTransformINTEL] = CG_READS | CG_BLOCK,
    [SP_OP_Subgroup2DBlockLoadTransposeINTEL] = CG_READS | CG_BLOCK,
    [SP_OP_Subgroup2DBlockStoreINTEL] = CG_WRITES | CG_BLOCK,
    [SP_OP_CooperativeMatrixLoadKHR] = CG_READS | CG_VARIES,
    [SP_OP_CooperativeMatrixStoreKHR] = CG_WRITES,
    [SP_OP_GroupAsyncCopy] = CG_READS | CG_WRITES | CG_UNIFORM,
    [SP_OP_AtomicLoad] = CG_ATOMIC | CG_READS,
    [SP_OP_AtomicStore] = CG_ATOMIC | CG_WRITES,
    [SP_OP_AtomicFlagClear] = CG_ATOMIC | CG_WRITES,
    [SP_OP_AtomicExchange] = CG_MODIFIES,
    [SP_OP_AtomicCompareExchange] = CG_MODIFIES,
    [SP_OP_AtomicCompareExchangeWeak] = CG_MODIFIES,
    [SP_OP_AtomicIIncrement] = CG_MODIFIES,
    [SP_OP_AtomicIDecrement] = CG_MODIFIES,
    [SP_OP_AtomicIAdd] = CG_MODIFIES,
    [SP_OP_AtomicISub] = CG_MODIFIES,
    [SP_OP_AtomicSMin] = CG_MODIFIES,
    [SP_OP_AtomicUMin] = CG_MODIFIES,
    [SP_OP_AtomicSMax] = CG_MODIFIES,
    [SP_OP_AtomicUMax] = CG_MODIFIES,
    [SP_OP_AtomicAnd] = CG_MODIFIES,
    [SP_OP_AtomicOr] = CG_MODIFIES,
    [SP_OP_AtomicXor] = CG_MODIFIES,
    [SP_OP_AtomicFlagTestAndSet] = CG_MODIFIES,
    [SP_OP_AtomicFAddEXT] = CG_MODIFIES | CG_FLOAT,
    [SP_OP_AtomicFMinEXT] = CG_MODIFIES | CG_FLOAT,
    [SP_OP_AtomicFMaxEXT] = CG_MODIFIES | CG_FLOAT,
    /* calls, and lanes, subgroups and work-groups together */
    [SP_OP_Nop] = CG_SILENT,
    [SP_OP_AssumeTrueKHR] = CG_SILENT,
    [SP_OP_FunctionCall] = CG_ORDERS | NARROW,
    [SP_OP_FunctionPointerCallINTEL] = CG_ORDERS | CG_VARIES,
    [SP_OP_MemoryBarrier] = CG_ORDERS,
    [SP_OP_ControlBarrier] = CG_ORDERS | CG_SCOPED,
    [SP_OP_ControlBarrierArriveEXT] = CG_ORDERS | CG_SCOPED,
    [SP_OP_ControlBarrierWaitEXT] = CG_ORDERS | CG_SCOPED,
    [SP_OP_GroupWaitEvents] = CG_ORDERS | CG_SCOPED,
    [SP_OP_GroupAll] = CG_SCOPED | CG_UNIFORM,
    [SP_OP_GroupAny] = CG_SCOPED | CG_UNIFORM,
    [SP_OP_GroupBroadcast] = CG_SCOPED | CG_UNIFORM | CG_SPELLS,
    [SP_OP_GroupNonUniformElect] = CG_VARIES,
    [SP_OP_GroupNonUniformInverseBallot] = CG_VARIES,
    [SP_OP_GroupNonUniformShuffle] = CG_VARIES,
    [SP_OP_GroupNonUniformShuffleXor] = CG_VARIES,
    [SP_OP_GroupNonUniformShuffleUp] = CG_VARIES,
    [SP_OP_GroupNonUniformShuffleDown] = CG_VARIES,
    [SP_OP_GroupNonUniformQuadBroadcast] = CG_VARIES,
    [SP_OP_GroupNonUniformQuadSwap] = CG_VARIES,
    [SP_OP_GroupNonUniformRotateKHR] = CG_VARIES,
    [SP_OP_SubgroupShuffleINTEL] = CG_VARIES,
    [SP_OP_SubgroupShuffleDownINTEL] = CG_VARIES,
    [SP_OP_SubgroupShuffleUpINTEL] = CG_VARIES,
    [SP_OP_SubgroupShuffleXorINTEL] = CG_VARIES,
    [SP_OP_GroupNonUniformAll] = CG_UNIFORM,
    [SP_OP_GroupNonUniformAny] = CG_UNIFORM,
    [SP_OP_GroupNonUniformAllEqual] = CG_UNIFORM,
    [SP_OP_GroupNonUniformBroadcast] = CG_UNIFORM | CG_SPELLS,
    [SP_OP_GroupNonUniformBroadcastFirst] = CG_UNIFORM,
    [SP_OP_GroupNonUniformBallot] = CG_UNIFORM,
    [SP_OP_SubgroupBallotKHR] = CG_UNIFORM,
    [SP_OP_SubgroupFirstInvocationKHR] = CG_UNIFORM,
    [SP_OP_SubgroupReadInvocationKHR] = CG_UNIFORM,
    [SP_OP_SubgroupAllKHR] = CG_UNIFORM,
    [SP_OP_SubgroupAnyKHR] = CG_UNIFORM,
    [SP_OP_SubgroupAllEqualKHR] = CG_UNIFORM,
};

/* By opcode: a bit for each operand that is a value, the eighth also for those after it. */
static const uint8_t values[] = {
#define SP_TABLE_OP(op, name, results, pattern, values) [op] = values,
#define SP_TABLE_PARAMETERS(letter, value, pattern)
#define SP_TABLE_NAME(letter, value, name)
#include "spirv/tables.inc"
#undef SP_TABLE_OP
#undef SP_TABLE_PARAMETERS
#undef SP_TABLE_NAME
};

/* Instructions whose second operand is Reduce, InclusiveScan ... */
static bool has_group_operation(uint16_t op)
{
    return (op >= SP_OP_GroupIAdd && op <= SP_OP_GroupSMax) ||
           (op >= SP_OP_GroupNonUniformIAdd && op <= SP_OP_GroupNonUniformLogicalXor) ||
           (op >= SP_OP_GroupIMulKHR && op <= SP_OP_GroupLogicalXorKHR);
}

bool cg_is(const struct sp_inst *i, uint32_t any)
{
    return i->op < sizeof properties / sizeof *properties && properties[i->op] & any;
}

bool cg_is_value_operand(const struct sp_inst *i, uint32_t k)
{
    if (i->op == SP_OP_Phi) return k % 2 == 0;
    return values[i->op] >> (k < 7 ? k : 7) & 1 && !(i->op == SP_OP_ExtInst && cg_math_literal(i, k));
}

uint32_t cg_next_value(const struct sp_inst *i, uint32_t k)
{
    while (k < i->count && !cg_is_value_operand(i, k)) k++;
    return k;
}

enum cg_result cg_result_rule(const struct sp_inst *i)
{
    bool counts = i->op == SP_OP_GroupNonUniformBallotBitCount;
    if (has_group_operation(i->op) || counts) {
        if (i->operand[1] != SP_GROUP_Reduce) return CG_RESULT_VARIES;
        return counts ? CG_RESULT_AS_OPERANDS : CG_RESULT_UNIFORM;
    }
    return cg_is(i, CG_VARIES) ? CG_RESULT_VARIES : cg_is(i, CG_UNIFORM) ? CG_RESULT_UNIFORM : CG_RESULT_AS_OPERANDS;
}

bool cg_waits(const struct cg *g, const struct sp_inst *i)
{
    uint64_t scope = 0;
    if (i->op == SP_OP_GroupWaitEvents) return true;
    return (cg_is(i, CG_SCOPED) || has_group_operation(i->op)) && sp_constant(g->m, i->operand[0], &scope) &&
           scope == SP_SCOPE_Workgroup;
}

bool cg_may_write(const struct cg *g, const struct sp_inst *i)
{
    if (cg_is(i, CG_ORDERS)) return true;
    if (cg_is(i, CG_PURE | CG_HARMLESS) || (cg_is(i, CG_READS) && !cg_is(i, CG_WRITES | CG_ATOMIC))) return false;
    CG_EACH_VALUE (k, i) {
        const struct sp_type *t = cg_type_of(g, i->operand[k]);
        if (t && t->kind == SP_POINTER && t->storage != SP_STORAGE_Function && t->storage != SP_STORAGE_Input)
            return true;
    }
    return false;
}

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

uint32_t cg_vector_access(uint32_t number)
{
    static const uint8_t all[] = {[EXT_VLOADN] = CG_LOADS | CG_COUNTED,
                                  [EXT_VLOAD_HALF] = CG_LOADS | CG_HALF,
                                  [EXT_VLOAD_HALFN] = CG_LOADS | CG_HALF | CG_COUNTED,
                                  [EXT_VLOADA_HALFN] = CG_LOADS | CG_HALF | CG_COUNTED | CG_ALIGNED,
                                  [EXT_VSTOREN] = CG_STORES,
                                  [EXT_VSTORE_HALF] = CG_STORES | CG_HALF,
                                  [EXT_VSTORE_HALFN] = CG_STORES | CG_HALF,
                                  [EXT_VSTOREA_HALFN] = CG_STORES | CG_HALF | CG_ALIGNED,
                                  [EXT_VSTORE_HALF_R] = CG_STORES | CG_HALF | CG_ROUNDED,
                                  [EXT_VSTORE_HALFN_R] = CG_STORES | CG_HALF | CG_ROUNDED,
                                  [EXT_VSTOREA_HALFN_R] = CG_STORES | CG_HALF | CG_ROUNDED | CG_ALIGNED};
    return number < sizeof all ? all[number] : 0;
}

bool cg_math_literal(const struct sp_inst *i, uint32_t k)
{
    return cg_vector_access(i->operand[1]) & (k == 4 ? CG_COUNTED : k == 5 ? CG_ROUNDED : 0);
}
