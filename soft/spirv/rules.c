/* rules.c - the types that each instruction takes, as a table. Instructions not in the table are unsupported.
 *
 * A rule has a word for the result (`-`: none) and one for each operand word. A word is a letter for the kind of type,
 * then its relations to other operands:
 *
 *   i f n b    integer, float, either, bool: scalar, vector, or (not b) cooperative matrix
 *   I F N B    the same, scalars only          s  a scope or memory semantics: a 32-bit integer
 *   K          an integer constant             v  scalar or vector of numbers or bools
 *   V          a vector                        U  a vector of four 32-bit integers
 *   p          a pointer                       e  an event
 *   m          a cooperative matrix            a  any type that has values
 *   g G S      an image, a sampled image, a sampler
 *   .          a literal word or an id that is not a value: not checked
 *
 *   =     the result's type (ignoring the sign)   #     the result's number of components
 *   _     the type of the result's components              ^     a vector of the result's type
 *   >     (of a pointer) to the result's type              0..9  the type of that operand
 *   @0..9 the target type of that operand                      ?     one bool, or as many components as the result
 *
 * `|`: the operands from here on are optional. `*`: the rest follows the grammar, and every id is a value.
 */
#include "reader.h"

#include <string.h>

typedef bool check_fn(struct sp_reader *r, const struct sp_inst *i);

static check_fn check_rounding, check_bitcast, check_copy_logical, check_size_of;
static check_fn check_generic_cast, check_shuffle, check_construct, check_extract, check_insert,
    check_chain, check_ptr_chain, check_access, check_copy_memory, check_copy_sized, check_call, check_pointer_call,
    check_return,
    check_return_value, check_local_variable, check_carry, check_block2d, check_block_read, check_coop_mul,
    check_coop_load, check_coop_length, check_packed_dot, check_dpas, check_switch, check_atomic, check_sampled_image,
    check_image_read, check_image_write, check_image_sample, check_image_query, check_handle;

struct rule {
    uint16_t op;
    const char *words;
    check_fn *more; /* a check that words cannot express; NULL: none */
};

static const struct rule rules[] = {
    /* values and memory */
    {SP_OP_Undef, "a", NULL},
    {SP_OP_Variable, "p . | .", check_local_variable},
    {SP_OP_Load, "a p> *", check_access},
    {SP_OP_Store, "- p a@0 *", check_access},
    {SP_OP_CopyMemory, "- p p *", check_copy_memory},
    {SP_OP_CopyMemorySized, "- p p I *", check_copy_sized},
    {SP_OP_AccessChain, "p p *", check_chain},
    {SP_OP_InBoundsAccessChain, "p p *", check_chain},
    {SP_OP_PtrAccessChain, "p p *", check_ptr_chain},
    {SP_OP_InBoundsPtrAccessChain, "p p *", check_ptr_chain},
    {SP_OP_PtrEqual, "B p p0", NULL},
    {SP_OP_PtrNotEqual, "B p p0", NULL},
    {SP_OP_PtrDiff, "I p p0", NULL},
    {SP_OP_GenericPtrMemSemantics, "I p", NULL},
    {SP_OP_LifetimeStart, "- p .", NULL},
    {SP_OP_LifetimeStop, "- p .", NULL},
    {SP_OP_CopyObject, "a =", NULL},
    {SP_OP_CopyLogical, "a a", check_copy_logical},
    {SP_OP_SizeOf, "I p", check_size_of},
    {SP_OP_FunctionCall, "- . *", check_call},
    {SP_OP_FunctionPointerCallINTEL, "- p *", check_pointer_call},
    {SP_OP_ExtInst, "- . *", sp_check_ext},
    /* conversions */
    {SP_OP_ConvertFToU, "i f#", NULL},
    {SP_OP_ConvertFToS, "i f#", NULL},
    {SP_OP_ConvertSToF, "f i#", NULL},
    {SP_OP_ConvertUToF, "f i#", NULL},
    {SP_OP_UConvert, "i i#", NULL},
    {SP_OP_SConvert, "i i#", NULL},
    {SP_OP_FConvert, "f f#", NULL},
    {SP_OP_QuantizeToF16, "f f=", check_rounding},
    {SP_OP_ConvertPtrToU, "I p", NULL},
    {SP_OP_SatConvertSToU, "i i#", NULL},
    {SP_OP_SatConvertUToS, "i i#", NULL},
    {SP_OP_ConvertUToPtr, "p I", NULL},
    {SP_OP_PtrCastToGeneric, "p p", check_generic_cast},
    {SP_OP_GenericCastToPtr, "p p", check_generic_cast},
    {SP_OP_GenericCastToPtrExplicit, "p p .", check_generic_cast},
    {SP_OP_Bitcast, "a a", check_bitcast},
    {SP_OP_ConvertFToBF16INTEL, "i f#", check_rounding},
    {SP_OP_ConvertBF16ToFINTEL, "f i#", check_rounding},
    {SP_OP_RoundFToTF32INTEL, "f f=", check_rounding},
    /* composites */
    {SP_OP_VectorExtractDynamic, "a V^ I", NULL},
    {SP_OP_VectorInsertDynamic, "V = v_ I", NULL},
    {SP_OP_VectorShuffle, "V V V *", check_shuffle},
    {SP_OP_CompositeConstruct, "a *", check_construct},
    {SP_OP_CompositeExtract, "a a *", check_extract},
    {SP_OP_CompositeInsert, "a a = *", check_insert},
    /* arithmetic */
    {SP_OP_SNegate, "i =", NULL},
    {SP_OP_FNegate, "f =", NULL},
    {SP_OP_IAdd, "i = =", NULL},
    {SP_OP_FAdd, "f = =", NULL},
    {SP_OP_ISub, "i = =", NULL},
    {SP_OP_FSub, "f = =", NULL},
    {SP_OP_IMul, "i = =", NULL},
    {SP_OP_FMul, "f = =", NULL},
    {SP_OP_UDiv, "i = =", NULL},
    {SP_OP_SDiv, "i = =", NULL},
    {SP_OP_FDiv, "f = =", NULL},
    {SP_OP_UMod, "i = =", NULL},
    {SP_OP_SRem, "i = =", NULL},
    {SP_OP_SMod, "i = =", NULL},
    {SP_OP_FRem, "f = =", NULL},
    {SP_OP_FMod, "f = =", NULL},
    {SP_OP_VectorTimesScalar, "V = F_", NULL},
    {SP_OP_MatrixTimesScalar, "m = N_", NULL},
    {SP_OP_Dot, "F V^ V0", NULL},
    {SP_OP_IAddCarry, "a i i0", check_carry},
    {SP_OP_ISubBorrow, "a i i0", check_carry},
    {SP_OP_UMulExtended, "a i i0", check_carry},
    {SP_OP_SMulExtended, "a i i0", check_carry},
    {SP_OP_SDot, "I i i0 | .", check_packed_dot},
    {SP_OP_UDot, "I i i0 | .", check_packed_dot},
    {SP_OP_SUDot, "I i i0 | .", check_packed_dot},
    {SP_OP_SDotAccSat, "I i i0 = | .", check_packed_dot},
    {SP_OP_UDotAccSat, "I i i0 = | .", check_packed_dot},
    {SP_OP_SUDotAccSat, "I i i0 = | .", check_packed_dot},
    /* bits */
    {SP_OP_ShiftRightLogical, "i = i#", NULL},
    {SP_OP_ShiftRightArithmetic, "i = i#", NULL},
    {SP_OP_ShiftLeftLogical, "i = i#", NULL},
    {SP_OP_BitwiseOr, "i = =", NULL},
    {SP_OP_BitwiseXor, "i = =", NULL},
    {SP_OP_BitwiseAnd, "i = =", NULL},
    {SP_OP_Not, "i =", NULL},
    {SP_OP_BitFieldInsert, "i = = I I", NULL},
    {SP_OP_BitFieldSExtract, "i = I I", NULL},
    {SP_OP_BitFieldUExtract, "i = I I", NULL},
    {SP_OP_BitReverse, "i =", NULL},
    {SP_OP_BitCount, "i i#", NULL},
    /* relations and logic */
    {SP_OP_Any, "B b", NULL},
    {SP_OP_All, "B b", NULL},
    {SP_OP_IsNan, "b f#", NULL},
    {SP_OP_IsInf, "b f#", NULL},
    {SP_OP_IsFinite, "b f#", NULL},
    {SP_OP_IsNormal, "b f#", NULL},
    {SP_OP_SignBitSet, "b f#", NULL},
    {SP_OP_LessOrGreater, "b f# f0", NULL},
    {SP_OP_Ordered, "b f# f0", NULL},
    {SP_OP_Unordered, "b f# f0", NULL},
    {SP_OP_LogicalEqual, "b = =", NULL},
    {SP_OP_LogicalNotEqual, "b = =", NULL},
    {SP_OP_LogicalOr, "b = =", NULL},
    {SP_OP_LogicalAnd, "b = =", NULL},
    {SP_OP_LogicalNot, "b =", NULL},
    {SP_OP_Select, "a b? = =", NULL},
    {SP_OP_IEqual, "b i# i0", NULL},
    {SP_OP_INotEqual, "b i# i0", NULL},
    {SP_OP_UGreaterThan, "b i# i0", NULL},
    {SP_OP_SGreaterThan, "b i# i0", NULL},
    {SP_OP_UGreaterThanEqual, "b i# i0", NULL},
    {SP_OP_SGreaterThanEqual, "b i# i0", NULL},
    {SP_OP_ULessThan, "b i# i0", NULL},
    {SP_OP_SLessThan, "b i# i0", NULL},
    {SP_OP_ULessThanEqual, "b i# i0", NULL},
    {SP_OP_SLessThanEqual, "b i# i0", NULL},
    {SP_OP_FOrdEqual, "b f# f0", NULL},
    {SP_OP_FUnordEqual, "b f# f0", NULL},
    {SP_OP_FOrdNotEqual, "b f# f0", NULL},
    {SP_OP_FUnordNotEqual, "b f# f0", NULL},
    {SP_OP_FOrdLessThan, "b f# f0", NULL},
    {SP_OP_FUnordLessThan, "b f# f0", NULL},
    {SP_OP_FOrdGreaterThan, "b f# f0", NULL},
    {SP_OP_FUnordGreaterThan, "b f# f0", NULL},
    {SP_OP_FOrdLessThanEqual, "b f# f0", NULL},
    {SP_OP_FUnordLessThanEqual, "b f# f0", NULL},
    {SP_OP_FOrdGreaterThanEqual, "b f# f0", NULL},
    {SP_OP_FUnordGreaterThanEqual, "b f# f0", NULL},
    {SP_OP_ArithmeticFenceEXT, "f =", NULL},
    {SP_OP_FmaKHR, "f = = =", NULL},
    {SP_OP_ExpectKHR, "v = =", NULL},
    {SP_OP_AssumeTrueKHR, "- B", NULL},
    /* control; phis are checked with the edges */
    {SP_OP_Branch, "- .", NULL},
    {SP_OP_BranchConditional, "- B . . *", NULL},
    {SP_OP_Switch, "- I . *", check_switch},
    {SP_OP_Return, "-", check_return},
    {SP_OP_ReturnValue, "- a", check_return_value},
    {SP_OP_Unreachable, "-", NULL},
    /* barriers and atomics */
    {SP_OP_ControlBarrier, "- s s s", NULL},
    {SP_OP_MemoryBarrier, "- s s", NULL},
    {SP_OP_ControlBarrierArriveEXT, "- s s s", NULL},
    {SP_OP_ControlBarrierWaitEXT, "- s s s", NULL},
    {SP_OP_AtomicLoad, "N p> s s", check_atomic},
    {SP_OP_AtomicStore, "- p s s N@0", check_atomic},
    {SP_OP_AtomicExchange, "N p> s s =", check_atomic},
    {SP_OP_AtomicCompareExchange, "I p> s s s = =", check_atomic},
    {SP_OP_AtomicCompareExchangeWeak, "I p> s s s = =", check_atomic},
    {SP_OP_AtomicIIncrement, "I p> s s", check_atomic},
    {SP_OP_AtomicIDecrement, "I p> s s", check_atomic},
    {SP_OP_AtomicIAdd, "I p> s s =", check_atomic},
    {SP_OP_AtomicISub, "I p> s s =", check_atomic},
    {SP_OP_AtomicSMin, "I p> s s =", check_atomic},
    {SP_OP_AtomicUMin, "I p> s s =", check_atomic},
    {SP_OP_AtomicSMax, "I p> s s =", check_atomic},
    {SP_OP_AtomicUMax, "I p> s s =", check_atomic},
    {SP_OP_AtomicAnd, "I p> s s =", check_atomic},
    {SP_OP_AtomicOr, "I p> s s =", check_atomic},
    {SP_OP_AtomicXor, "I p> s s =", check_atomic},
    {SP_OP_AtomicFlagTestAndSet, "B p s s", check_atomic},
    {SP_OP_AtomicFlagClear, "- p s s", check_atomic},
    {SP_OP_AtomicFAddEXT, "F p> s s =", check_atomic},
    {SP_OP_AtomicFMinEXT, "F p> s s =", check_atomic},
    {SP_OP_AtomicFMaxEXT, "F p> s s =", check_atomic},
    /* groups */
    {SP_OP_GroupAsyncCopy, "e s p p I I e", NULL},
    {SP_OP_GroupWaitEvents, "- s I p", NULL},
    {SP_OP_GroupAll, "B s B", NULL},
    {SP_OP_GroupAny, "B s B", NULL},
    {SP_OP_GroupBroadcast, "v s = i", NULL},
    {SP_OP_GroupIAdd, "i s . =", NULL},
    {SP_OP_GroupFAdd, "f s . =", NULL},
    {SP_OP_GroupFMin, "f s . =", NULL},
    {SP_OP_GroupUMin, "i s . =", NULL},
    {SP_OP_GroupSMin, "i s . =", NULL},
    {SP_OP_GroupFMax, "f s . =", NULL},
    {SP_OP_GroupUMax, "i s . =", NULL},
    {SP_OP_GroupSMax, "i s . =", NULL},
    {SP_OP_GroupIMulKHR, "i s . =", NULL},
    {SP_OP_GroupFMulKHR, "f s . =", NULL},
    {SP_OP_GroupBitwiseAndKHR, "i s . =", NULL},
    {SP_OP_GroupBitwiseOrKHR, "i s . =", NULL},
    {SP_OP_GroupBitwiseXorKHR, "i s . =", NULL},
    {SP_OP_GroupLogicalAndKHR, "b s . =", NULL},
    {SP_OP_GroupLogicalOrKHR, "b s . =", NULL},
    {SP_OP_GroupLogicalXorKHR, "b s . =", NULL},
    {SP_OP_GroupNonUniformElect, "B s", NULL},
    {SP_OP_GroupNonUniformAll, "B s B", NULL},
    {SP_OP_GroupNonUniformAny, "B s B", NULL},
    {SP_OP_GroupNonUniformAllEqual, "B s v", NULL},
    {SP_OP_GroupNonUniformBroadcast, "v s = I", NULL},
    {SP_OP_GroupNonUniformBroadcastFirst, "v s =", NULL},
    {SP_OP_GroupNonUniformBallot, "U s B", NULL},
    {SP_OP_GroupNonUniformInverseBallot, "B s U", NULL},
    {SP_OP_GroupNonUniformBallotBitExtract, "B s U I", NULL},
    {SP_OP_GroupNonUniformBallotBitCount, "I s . U", NULL},
    {SP_OP_GroupNonUniformBallotFindLSB, "I s U", NULL},
    {SP_OP_GroupNonUniformBallotFindMSB, "I s U", NULL},
    {SP_OP_GroupNonUniformShuffle, "v s = I", NULL},
    {SP_OP_GroupNonUniformShuffleXor, "v s = I", NULL},
    {SP_OP_GroupNonUniformShuffleUp, "v s = I", NULL},
    {SP_OP_GroupNonUniformShuffleDown, "v s = I", NULL},
    {SP_OP_GroupNonUniformRotateKHR, "v s = I | I", NULL},
    {SP_OP_GroupNonUniformIAdd, "i s . = | K", NULL},
    {SP_OP_GroupNonUniformFAdd, "f s . = | K", NULL},
    {SP_OP_GroupNonUniformIMul, "i s . = | K", NULL},
    {SP_OP_GroupNonUniformFMul, "f s . = | K", NULL},
    {SP_OP_GroupNonUniformSMin, "i s . = | K", NULL},
    {SP_OP_GroupNonUniformUMin, "i s . = | K", NULL},
    {SP_OP_GroupNonUniformFMin, "f s . = | K", NULL},
    {SP_OP_GroupNonUniformSMax, "i s . = | K", NULL},
    {SP_OP_GroupNonUniformUMax, "i s . = | K", NULL},
    {SP_OP_GroupNonUniformFMax, "f s . = | K", NULL},
    {SP_OP_GroupNonUniformBitwiseAnd, "i s . = | K", NULL},
    {SP_OP_GroupNonUniformBitwiseOr, "i s . = | K", NULL},
    {SP_OP_GroupNonUniformBitwiseXor, "i s . = | K", NULL},
    {SP_OP_GroupNonUniformLogicalAnd, "b s . = | K", NULL},
    {SP_OP_GroupNonUniformLogicalOr, "b s . = | K", NULL},
    {SP_OP_GroupNonUniformLogicalXor, "b s . = | K", NULL},
    {SP_OP_SubgroupBallotKHR, "U B", NULL},
    {SP_OP_SubgroupFirstInvocationKHR, "v =", NULL},
    {SP_OP_SubgroupAllKHR, "B B", NULL},
    {SP_OP_SubgroupAnyKHR, "B B", NULL},
    {SP_OP_SubgroupAllEqualKHR, "B B", NULL},
    {SP_OP_SubgroupReadInvocationKHR, "v = I", NULL},
    {SP_OP_SubgroupShuffleINTEL, "v = I", NULL},
    {SP_OP_SubgroupShuffleDownINTEL, "v = = I", NULL},
    {SP_OP_SubgroupShuffleUpINTEL, "v = = I", NULL},
    {SP_OP_SubgroupShuffleXorINTEL, "v = I", NULL},
    {SP_OP_SubgroupBlockReadINTEL, "i p", check_block_read},
    {SP_OP_SubgroupBlockWriteINTEL, "- p i", check_block_read},
    {SP_OP_SubgroupBlockPrefetchINTEL, "- p I *", NULL},
    /* matrix hardware */
    {SP_OP_Subgroup2DBlockLoadINTEL, "- K K K K p I I I V p", check_block2d},
    {SP_OP_Subgroup2DBlockLoadTransformINTEL, "- K K K K p I I I V p", check_block2d},
    {SP_OP_Subgroup2DBlockLoadTransposeINTEL, "- K K K K p I I I V p", check_block2d},
    {SP_OP_Subgroup2DBlockPrefetchINTEL, "- K K K K p I I I V", check_block2d},
    {SP_OP_Subgroup2DBlockStoreINTEL, "- K K K K p p I I I V", check_block2d},
    {SP_OP_SubgroupMatrixMultiplyAccumulateINTEL, "n K n n n | .", check_dpas},
    {SP_OP_SubgroupScaledMatrixMultiplyAccumulateINTEL, "n K n n n i i | .", check_dpas},
    {SP_OP_CooperativeMatrixLoadKHR, "m p K *", check_coop_load},
    {SP_OP_CooperativeMatrixStoreKHR, "- p m K *", check_coop_load},
    {SP_OP_CooperativeMatrixMulAddKHR, "m m m m | .", check_coop_mul},
    {SP_OP_CooperativeMatrixLengthKHR, "I .", check_coop_length},
    {SP_OP_PredicatedLoadINTEL, "a p> B = *", check_access},
    {SP_OP_PredicatedStoreINTEL, "- p a@0 B *", check_access},
    /* images */
    {SP_OP_SampledImage, "G g S", check_sampled_image},
    {SP_OP_ConvertHandleToImageINTEL, "g I", check_handle},
    {SP_OP_ConvertHandleToSampledImageINTEL, "G I", check_handle},
    {SP_OP_ImageSampleExplicitLod, "v G v . *", check_image_sample},
    {SP_OP_ImageRead, "v g v | . *", check_image_read},
    {SP_OP_ImageWrite, "- g v v | . *", check_image_write},
    {SP_OP_ImageQuerySizeLod, "v g I", check_image_query},
    {SP_OP_ImageQuerySize, "v g", check_image_query},
    {SP_OP_ImageQueryFormat, "s g", NULL},
    {SP_OP_ImageQueryOrder, "s g", NULL},
    {SP_OP_ImageQueryLevels, "s g", NULL},
};
enum { RULES = sizeof rules / sizeof rules[0] };

void sp_index_rules(uint16_t *index)
{
    uint16_t k;
    for (k = 0; k < RULES; k++) index[rules[k].op] = (uint16_t)(k + 1);
}

const char *sp_rule_words(uint32_t op)
{
    for (uint32_t k = 0; k < RULES; k++)
        if (rules[k].op == op) return rules[k].words;
    return NULL;
}

bool sp_check_rule(struct sp_reader *r, const struct sp_inst *i)
{
    uint16_t k = i->op < SP_RULE_OPS ? r->rule_index[i->op] : 0;
    if (!k) return sp_refuse(r, i, "the software device does not have this instruction");
    return sp_match_words(r, i, rules[k - 1].words, 0) && (!rules[k - 1].more || rules[k - 1].more(r, i));
}

/* ---- checks beyond words: values */

static uint64_t bits_of(const struct sp_module *m, const struct sp_type *t)
{
    const struct sp_type *e = sp_component(m, t);
    if (t->kind == SP_POINTER) return 64;
    if (e->kind != SP_INT && e->kind != SP_FLOAT) return 0;
    return (uint64_t)e->bits * (t->kind == SP_VECTOR ? t->count : 1);
}

static bool check_bitcast(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *to = sp_type(r->m, i->type), *from = sp_operand_type(r, i, 0);
    uint64_t a = bits_of(r->m, to), b = bits_of(r->m, from);
    if (to->kind == SP_COOPMAT || from->kind == SP_COOPMAT ? !sp_same_shape(to, from) : false)
        return sp_refuse(r, i, "matrices of different shape");
    if (a == 0 || a != b)
        return sp_refuse(r, i, "%llu bits cannot become %llu bits", (unsigned long long)b, (unsigned long long)a);
    return true;
}

/* Between f32 and smaller types: bf16 is held in a 16-bit integer, f16 and tf32 in an f32. */
static bool check_rounding(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *to = sp_component(r->m, sp_type(r->m, i->type));
    const struct sp_type *from = sp_component(r->m, sp_operand_type(r, i, 0));
    uint32_t to_bits = i->op == SP_OP_ConvertFToBF16INTEL ? 16 : 32;
    uint32_t from_bits = i->op == SP_OP_ConvertBF16ToFINTEL ? 16 : 32;
    return (to->bits == to_bits && from->bits == from_bits) ||
           sp_refuse(r, i, "it takes %u bits and gives %u, not %u and %u", from_bits, to_bits, from->bits, to->bits);
}

/* Are the types equal except for decorations? */
static bool is_alike(const struct sp_module *m, const struct sp_type *a, const struct sp_type *b)
{
    if (sp_same(m, a->id, b->id)) return true;
    if (a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == SP_ARRAY) return is_alike(m, sp_type(m, a->elem), sp_type(m, b->elem));
    for (uint32_t k = 0; a->kind == SP_STRUCT && k < a->count; k++)
        if (!is_alike(m, sp_type(m, a->members[k]), sp_type(m, b->members[k]))) return false;
    return a->kind == SP_STRUCT;
}

static bool check_copy_logical(struct sp_reader *r, const struct sp_inst *i)
{
    return is_alike(r->m, sp_type(r->m, i->type), sp_operand_type(r, i, 0)) ||
           sp_refuse(r, i, "the types are not the same, member by member");
}

static bool check_size_of(struct sp_reader *r, const struct sp_inst *i)
{
    return sp_type(r->m, sp_operand_type(r, i, 0)->elem)->size != 0 ||
           sp_refuse(r, i, "its pointee cannot be in memory");
}

static bool check_generic_cast(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *to = sp_type(r->m, i->type), *from = sp_operand_type(r, i, 0);
    bool up = i->op == SP_OP_PtrCastToGeneric;
    const struct sp_type *generic = up ? to : from, *specific = up ? from : to;
    if (generic->storage != SP_STORAGE_Generic)
        return sp_refuse(r, i, "the %s is not a generic pointer", up ? "result" : "operand");
    if (specific->storage != SP_STORAGE_CrossWorkgroup && specific->storage != SP_STORAGE_Workgroup &&
        specific->storage != SP_STORAGE_Function && !(up && specific->storage == SP_STORAGE_Input))
        return sp_refuse(r, i, "a storage class that generic pointers do not cover");
    if (!sp_same(r->m, to->elem, from->elem)) return sp_refuse(r, i, "it changes what is pointed to");
    if (i->op == SP_OP_GenericCastToPtrExplicit && i->operand[1] != to->storage)
        return sp_refuse(r, i, "its literal is not the result's storage class");
    return true;
}

static bool check_shuffle(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *to = sp_type(r->m, i->type), *a = sp_operand_type(r, i, 0), *b = sp_operand_type(r, i, 1);
    uint32_t k;
    if (!sp_same(r->m, a->elem, to->elem) || !sp_same(r->m, b->elem, to->elem))
        return sp_refuse(r, i, "components of different types");
    if ((uint32_t)i->count - 2 != to->count)
        return sp_refuse(r, i, "%u indices for %u components", i->count - 2u, to->count);
    for (k = 2; k < i->count; k++)
        if (i->operand[k] != ~0u && i->operand[k] >= a->count + b->count)
            return sp_refuse(r, i, "index %u of %u", i->operand[k], a->count + b->count);
    return true;
}

static bool construct_vector(struct sp_reader *r, const struct sp_inst *i, const struct sp_type *t)
{
    uint32_t n = 0, k;
    for (k = 0; k < i->count; k++) {
        const struct sp_type *e = sp_operand_type(r, i, k);
        if (!e) return sp_refuse(r, i, "constituent %u is not a value", k);
        if (!sp_same(r->m, e->kind == SP_VECTOR ? e->elem : e->id, t->elem))
            return sp_refuse(r, i, "constituent %u is of another type", k);
        n += e->kind == SP_VECTOR ? e->count : 1;
    }
    return n == t->count || sp_refuse(r, i, "%u components for a vector of %u", n, t->count);
}

static bool check_construct(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *t = sp_type(r->m, i->type);
    uint32_t k, want = t->kind == SP_COOPMAT ? 1 : t->count;
    if (t->kind == SP_VECTOR) return construct_vector(r, i, t);
    if (t->kind != SP_STRUCT && t->kind != SP_ARRAY && t->kind != SP_COOPMAT)
        return sp_refuse(r, i, "its type is not a composite");
    if (i->count != want) return sp_refuse(r, i, "%u constituents, its type has %u", i->count, want);
    for (k = 0; k < want; k++) {
        const struct sp_type *e = sp_operand_type(r, i, k);
        if (!e || !sp_same(r->m, e->id, t->kind == SP_STRUCT ? t->members[k] : t->elem))
            return sp_refuse(r, i, "constituent %u is not of its member's type", k);
    }
    return true;
}

/* Follows literal indices from operand `from` on; returns the resulting type id, or 0 after refusing. */
static uint32_t follow_indices(struct sp_reader *r, const struct sp_inst *i, const struct sp_type *t, uint32_t from)
{
    uint32_t k;
    for (k = from; k < i->count; k++) {
        uint32_t index = i->operand[k];
        bool parts = t->kind == SP_STRUCT || t->kind == SP_VECTOR || t->kind == SP_ARRAY || t->kind == SP_COOPMAT;
        uint32_t count = t->kind == SP_COOPMAT ? t->rows * t->cols : t->count;
        if (!parts || index >= count) {
            sp_refuse(r, i, "index %u leads to no part", index);
            return 0;
        }
        t = sp_type(r->m, t->kind == SP_STRUCT ? t->members[index] : t->elem);
    }
    return t->id;
}

static bool check_extract(struct sp_reader *r, const struct sp_inst *i)
{
    if (i->count < 2) return sp_refuse(r, i, "it has no index");
    uint32_t to = follow_indices(r, i, sp_operand_type(r, i, 0), 1);
    return to && (sp_same(r->m, to, i->type) || sp_refuse(r, i, "the part is not of the result's type"));
}

static bool check_insert(struct sp_reader *r, const struct sp_inst *i)
{
    if (i->count < 3) return sp_refuse(r, i, "it has no index");
    uint32_t to = follow_indices(r, i, sp_operand_type(r, i, 1), 2);
    return to &&
           (sp_same(r->m, to, sp_operand_type(r, i, 0)->id) || sp_refuse(r, i, "the part is not of the object's type"));
}

static bool check_carry(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *t = sp_type(r->m, i->type);
    uint32_t e = sp_operand_type(r, i, 0)->id;
    if (t->kind != SP_STRUCT || t->count != 2 || !sp_same(r->m, t->members[0], e) || !sp_same(r->m, t->members[1], e))
        return sp_refuse(r, i, "its result is not a struct of two such integers");
    return true;
}

static bool check_packed_dot(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *t = sp_operand_type(r, i, 0);
    bool accumulates = i->op >= SP_OP_SDotAccSat;
    bool packed = i->count > (accumulates ? 3u : 2u);
    if (t->kind == SP_COOPMAT || packed != (t->kind == SP_INT))
        return sp_refuse(r, i, "a packed format belongs to 32-bit integers, and only to them");
    if (packed && (t->bits != 32 || i->operand[i->count - 1] != SP_PACKED_PackedVectorFormat4x8Bit))
        return sp_refuse(r, i, "a packed format that does not exist");
    if (sp_type(r->m, i->type)->bits < sp_component(r->m, t)->bits && !packed)
        return sp_refuse(r, i, "its result is narrower than the components");
    return true;
}

/* ---- memory */

static bool check_memory_operands(struct sp_reader *r, const struct sp_inst *i, uint32_t k)
{
    uint32_t alignment;
    if (k >= i->count || !(i->operand[k] & SP_ACCESS_Aligned)) return true;
    alignment = i->operand[k + 1];
    return (alignment && !(alignment & (alignment - 1))) || sp_refuse(r, i, "an alignment of %u", alignment);
}

static bool check_access(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *p = sp_operand_type(r, i, 0), *t = sp_type(r->m, p->elem);
    if (!t->size && t->kind != SP_COOPMAT && t->kind != SP_STRUCT)
        return sp_refuse(r, i, "values of this type cannot be in memory");
    if (t->size > SP_MAX_PRIVATE_BYTES) return sp_refuse(r, i, "a value of %llu bytes", (unsigned long long)t->size);
    bool constant = p->storage == SP_STORAGE_Input || p->storage == SP_STORAGE_UniformConstant;
    if (constant && (i->op == SP_OP_Store || i->op == SP_OP_PredicatedStoreINTEL))
        return sp_refuse(r, i, "a store to memory that is constant");
    return check_memory_operands(r, i, i->op == SP_OP_Load ? 1 : i->op == SP_OP_Store ? 2 : 3);
}

static bool check_copy_memory(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *to = sp_operand_type(r, i, 0), *from = sp_operand_type(r, i, 1);
    if (!sp_same(r->m, to->elem, from->elem) || !sp_type(r->m, to->elem)->size)
        return sp_refuse(r, i, "pointers to different types, or to what has no size");
    if (to->storage == SP_STORAGE_Input || to->storage == SP_STORAGE_UniformConstant)
        return sp_refuse(r, i, "a store to memory that is constant");
    return check_memory_operands(r, i, 2);
}

static bool check_copy_sized(struct sp_reader *r, const struct sp_inst *i)
{
    uint32_t to = sp_operand_type(r, i, 0)->storage;
    if (to == SP_STORAGE_Input || to == SP_STORAGE_UniformConstant)
        return sp_refuse(r, i, "a store to memory that is constant");
    return check_memory_operands(r, i, 3);
}

static bool check_chain(struct sp_reader *r, const struct sp_inst *i) { return sp_check_chain(r, i, 0, false, NULL); }

static bool check_ptr_chain(struct sp_reader *r, const struct sp_inst *i)
{
    return sp_check_chain(r, i, 0, true, NULL);
}

static bool check_local_variable(struct sp_reader *r, const struct sp_inst *i)
{
    if (i->operand[0] != SP_STORAGE_Function)
        return sp_refuse(r, i, "a variable in a function has the Function storage class");
    /* Without an initial value it may be anywhere, as in llvm-spirv's code for moving overlapping memory. */
    if (r->m->ids[i->id].block != 0 && i->count > 1)
        return sp_refuse(r, i, "variables with an initial value stand in the function's first block");
    return sp_check_variable(r, i);
}

static bool check_atomic(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *p = sp_operand_type(r, i, 0), *t = sp_type(r->m, p->elem);
    if (t->kind != SP_INT && t->kind != SP_FLOAT) return sp_refuse(r, i, "atomics work on integers and floats");
    if (t->encoding != SP_IEEE) return sp_refuse(r, i, "no atomics for this float");
    if (p->storage == SP_STORAGE_Input || p->storage == SP_STORAGE_UniformConstant)
        return sp_refuse(r, i, "memory that is constant");
    if ((i->op == SP_OP_AtomicFlagTestAndSet || i->op == SP_OP_AtomicFlagClear) && (t->kind != SP_INT || t->bits != 32))
        return sp_refuse(r, i, "a flag is a 32-bit integer");
    return true;
}

/* ---- control */

/* Checks the arguments of a call to a function of type `t`, operand 0. */
static bool check_arguments(struct sp_reader *r, const struct sp_inst *i, const struct sp_type *t)
{
    const struct sp_module *m = r->m;
    uint32_t k;
    if (i->type != t->elem) return sp_refuse(r, i, "its type is not what %%%u returns", sp_number(r->m, i->operand[0]));
    if ((uint32_t)i->count - 1 != t->count)
        return sp_refuse(r, i, "%u arguments for %u parameters", i->count - 1u, t->count);
    for (k = 0; k < t->count; k++) {
        const struct sp_type *a = sp_operand_type(r, i, k + 1);
        if (!a || !sp_same(m, a->id, t->members[k]))
            return sp_refuse(r, i, "argument %u is not of its parameter's type", k);
    }
    return true;
}

static bool check_call(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_module *m = r->m;
    const struct sp_inst *head;
    const struct sp_type *t;
    if (m->ids[i->operand[0]].what != SP_IS_FUNCTION)
        return sp_refuse(r, i, "%%%u is not a function", sp_number(r->m, i->operand[0]));
    head = m->ids[i->operand[0]].def;
    t = sp_type(m, head->operand[1]);
    if (!t || t->kind != SP_FUNCTION)
        return sp_refuse(r, i, "%%%u is not of a function type", sp_number(r->m, i->operand[0]));
    return check_arguments(r, i, t);
}

static bool check_pointer_call(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *p = i->count ? sp_operand_type(r, i, 0) : NULL, *t = p ? sp_type(r->m, p->elem) : NULL;
    if (!t) return sp_refuse(r, i, "it names no pointer");
    if (t->kind != SP_FUNCTION)
        return sp_refuse(r, i, "%%%u does not point to a function", sp_number(r->m, i->operand[0]));
    return check_arguments(r, i, t);
}

static const struct sp_type *return_type(const struct sp_reader *r)
{
    return sp_type(r->m, sp_type(r->m, r->checked->type)->elem);
}

static bool check_return(struct sp_reader *r, const struct sp_inst *i)
{
    return return_type(r)->kind == SP_VOID || sp_refuse(r, i, "its function returns a value");
}

static bool check_return_value(struct sp_reader *r, const struct sp_inst *i)
{
    return sp_same(r->m, sp_operand_type(r, i, 0)->id, return_type(r)->id) ||
           sp_refuse(r, i, "not of the type its function returns");
}

static bool check_switch(struct sp_reader *r, const struct sp_inst *i)
{
    return (i->count - 2u) % sp_case_words(r, i) == 0 || sp_refuse(r, i, "a case without a label");
}

/* ---- blocks and matrices */

static uint64_t constant_of(const struct sp_reader *r, const struct sp_inst *i, uint32_t k)
{
    uint64_t v = 0;
    sp_constant(r->m, i->operand[k], &v); /* the rule requires K */
    return v;
}

static bool check_block_read(struct sp_reader *r, const struct sp_inst *i)
{
    bool reads = i->op == SP_OP_SubgroupBlockReadINTEL;
    const struct sp_type *p = sp_operand_type(r, i, 0), *t = reads ? sp_type(r->m, i->type) : sp_operand_type(r, i, 1);
    if (t->kind == SP_COOPMAT || !sp_same(r->m, sp_component(r->m, t)->id, p->elem))
        return sp_refuse(r, i, "the pointer is not to the components' type");
    if (p->storage != SP_STORAGE_CrossWorkgroup && p->storage != SP_STORAGE_Workgroup)
        return sp_refuse(r, i, "the pointer is not to global or local memory");
    return true;
}

static bool check_block2d(struct sp_reader *r, const struct sp_inst *i)
{
    uint64_t bytes = constant_of(r, i, 0), width = constant_of(r, i, 1), height = constant_of(r, i, 2),
             count = constant_of(r, i, 3);
    uint32_t coordinate = i->op == SP_OP_Subgroup2DBlockStoreINTEL ? 9 : 8, k;
    const struct sp_type *c = sp_operand_type(r, i, coordinate);
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
        return sp_refuse(r, i, "elements of %llu bytes", (unsigned long long)bytes);
    if (width == 0 || width > 64 || width * bytes > 64 || height == 0 || height > 32 ||
        (count != 1 && count != 2 && count != 4))
        return sp_refuse(r, i, "%llu blocks of %llu x %llu: 1, 2 or 4 of at most 64 bytes x 32 rows are supported",
                         (unsigned long long)count, (unsigned long long)width, (unsigned long long)height);
    if (c->count != 2 || sp_component(r->m, c)->kind != SP_INT || sp_component(r->m, c)->bits != 32)
        return sp_refuse(r, i, "the coordinate is not two 32-bit integers");
    for (k = coordinate - 3; k < coordinate; k++)
        if (sp_operand_type(r, i, k)->bits != 32) return sp_refuse(r, i, "operand %u is not a 32-bit integer", k);
    if (i->op == SP_OP_Subgroup2DBlockLoadTransformINTEL && bytes > 2)
        return sp_refuse(r, i, "only elements of 1 and 2 bytes are transformed");
    if (i->op == SP_OP_Subgroup2DBlockLoadTransposeINTEL && bytes < 4)
        return sp_refuse(r, i, "only elements of 4 and 8 bytes are transposed");
    return true;
}

uint32_t sp_product_bits(const char *extension)
{
    static const struct {
        const char *name; /* behind what all have in common */
        uint32_t bits;
    } rows[] = {
        {"matrix_multiply_accumulate_float8",
         SP_DPAS_MatrixAPackedFloat8E4M3INTEL | SP_DPAS_MatrixBPackedFloat8E4M3INTEL |
             SP_DPAS_MatrixAPackedFloat8E5M2INTEL | SP_DPAS_MatrixBPackedFloat8E5M2INTEL},
        {"matrix_multiply_accumulate_float4",
         SP_DPAS_MatrixAPackedFloat4E2M1INTEL | SP_DPAS_MatrixBPackedFloat4E2M1INTEL},
        {"scaled_matrix_multiply_accumulate", SP_DPAS_ScaleAFloat8E8M0INTEL | SP_DPAS_ScaleBFloat8E8M0INTEL},
    };
    static const char common[] = "SPV_INTEL_subgroup_";
    if (strncmp(extension, common, sizeof common - 1) != 0) return 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (strcmp(extension + sizeof common - 1, rows[k].name) == 0) return rows[k].bits;
    return 0;
}

/* Has a product only operand bits that exist, by the extensions that the module names? Those of scales belong to
 * scaled products only, which need both. */
static bool check_product_bits(struct sp_reader *r, const struct sp_inst *i)
{
    const bool scaled = i->op == SP_OP_SubgroupScaledMatrixMultiplyAccumulateINTEL;
    const uint32_t first = 0x3fff, both = SP_DPAS_ScaleAFloat8E8M0INTEL | SP_DPAS_ScaleBFloat8E8M0INTEL;
    const uint32_t at = scaled ? 6 : 4, bits = i->count > at ? i->operand[at] : 0;
    const uint32_t known = (first | r->product_bits) & (scaled ? ~0u : ~both);
    if (bits & ~known)
        return sp_refuse(r, i, "operands 0x%x: by the extensions of this module, the bits of 0x%x exist", bits, known);
    return !scaled || (bits & both) == both || sp_refuse(r, i, "operands 0x%x: scales are of E8M0, 0x%x", bits, both);
}

static bool check_dpas(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *t = sp_type(r->m, i->type), *c = sp_operand_type(r, i, 3);
    const uint32_t values = i->op == SP_OP_SubgroupScaledMatrixMultiplyAccumulateINTEL ? 6 : 4;
    uint32_t k;
    uint64_t depth = constant_of(r, i, 0);
    if (depth != 8 && depth != 16 && depth != 32 && depth != 64)
        return sp_refuse(r, i, "K of %llu: 8, 16, 32 and 64 exist", (unsigned long long)depth);
    if (!sp_same_shape(t, c) || (t->kind == SP_VECTOR && t->count > 8))
        return sp_refuse(r, i, "result and accumulator are not 1 to 8 equal rows");
    for (k = 1; k < values; k++)
        if (sp_operand_type(r, i, k)->kind == SP_COOPMAT)
            return sp_refuse(r, i, "operand %u is a cooperative matrix", k);
    if (!check_product_bits(r, i)) return false;
    return t->kind != SP_COOPMAT || sp_refuse(r, i, "its result is a cooperative matrix");
}

static bool check_coop_load(struct sp_reader *r, const struct sp_inst *i)
{
    bool loads = i->op == SP_OP_CooperativeMatrixLoadKHR;
    const struct sp_type *p = sp_type(r->m, sp_operand_type(r, i, 0)->elem);
    uint32_t layout = loads ? 1 : 2, stride = layout + 1;
    const struct sp_type *e = sp_component(r->m, p);
    uint64_t value = constant_of(r, i, layout);
    if (e->kind != SP_INT && e->kind != SP_FLOAT) return sp_refuse(r, i, "the pointer is not to numbers");
    if (value > SP_LAYOUT_ColumnMajorKHR)
        return sp_refuse(r, i, "memory layout %llu is not supported", (unsigned long long)value);
    if (stride >= i->count) return sp_refuse(r, i, "this layout needs a stride");
    if (!sp_operand_type(r, i, stride) || sp_operand_type(r, i, stride)->kind != SP_INT)
        return sp_refuse(r, i, "the stride is not an integer");
    return check_memory_operands(r, i, stride + 1);
}

static bool check_coop_mul(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *d = sp_type(r->m, i->type), *a = sp_operand_type(r, i, 0), *b = sp_operand_type(r, i, 1),
                         *c = sp_operand_type(r, i, 2);
    if (a->use != SP_USE_MatrixAKHR || b->use != SP_USE_MatrixBKHR || c->use != SP_USE_MatrixAccumulatorKHR ||
        d->use != c->use)
        return sp_refuse(r, i, "the matrices' uses are not A, B and accumulator");
    if (a->cols != b->rows || a->rows != c->rows || b->cols != c->cols || c->rows != d->rows || c->cols != d->cols)
        return sp_refuse(r, i, "%u x %u times %u x %u plus %u x %u", a->rows, a->cols, b->rows, b->cols, c->rows,
                         c->cols);
    return true;
}

static bool check_coop_length(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *t = sp_type(r->m, i->operand[0]);
    return (t && t->kind == SP_COOPMAT) ||
           sp_refuse(r, i, "%%%u is not a cooperative matrix type", sp_number(r->m, i->operand[0]));
}

/* ---- images */

static bool check_sampled_image(struct sp_reader *r, const struct sp_inst *i)
{
    return sp_same(r->m, sp_type(r->m, i->type)->elem, sp_operand_type(r, i, 0)->id) ||
           sp_refuse(r, i, "the image is not of the type that its result is made of");
}

/* Checks that an operand is an address, as an integer. */
static bool check_handle(struct sp_reader *r, const struct sp_inst *i)
{
    return sp_operand_type(r, i, 0)->bits == 64 || sp_refuse(r, i, "a handle has 64 bits");
}

static uint32_t coordinates(const struct sp_type *image)
{
    return (image->dim == SP_DIM_3D ? 3 : image->dim == SP_DIM_2D ? 2 : 1) + image->arrayed;
}

/* At least as many as the image has dimensions, at most four. */
static bool check_coordinates(struct sp_reader *r, const struct sp_inst *i, const struct sp_type *image, bool floats)
{
    const struct sp_type *t = sp_operand_type(r, i, 1), *e = sp_component(r->m, t);
    uint32_t count = t->kind == SP_VECTOR ? t->count : 1, least = coordinates(image);
    if (count < least || count > 4) return sp_refuse(r, i, "%u coordinates, not %u", count, least);
    return (e->bits == 32 && (e->kind == SP_INT || (floats && e->kind == SP_FLOAT))) ||
           sp_refuse(r, i, "the coordinates are not %s of 32 bits", floats ? "numbers" : "integers");
}

/* The value read or written: up to four channels. */
static bool check_texel(struct sp_reader *r, const struct sp_inst *i, const struct sp_type *t)
{
    const struct sp_type *e = sp_component(r->m, t);
    uint32_t count = t->kind == SP_VECTOR ? t->count : 1;
    bool known = (e->kind == SP_INT && e->bits == 32) ||
                 (e->kind == SP_FLOAT && e->encoding == SP_IEEE && (e->bits == 32 || e->bits == 16));
    return (known && (count == 4 || count == 1)) ||
           sp_refuse(r, i, "texels are four numbers or one: 32-bit integers, f32 or f16");
}

/* Level of detail and gradients do not matter, as images have one level; the format determines signs. */
static bool check_image_operands(struct sp_reader *r, const struct sp_inst *i, uint32_t at)
{
    const uint32_t known =
        SP_IMAGE_Lod | SP_IMAGE_Grad | SP_IMAGE_SignExtend | SP_IMAGE_ZeroExtend | SP_IMAGE_Nontemporal;
    uint32_t mask = at < i->count ? i->operand[at] : 0;
    if (mask & ~known) return sp_refuse(r, i, "image operands 0x%x are not supported", mask & ~known);
    for (uint32_t k = at + 1; k < i->count; k++)
        if (!sp_operand_type(r, i, k)) return sp_refuse(r, i, "operand %u is not a value", k);
    return true;
}

static bool check_image_sample(struct sp_reader *r, const struct sp_inst *i)
{
    return check_coordinates(r, i, sp_type(r->m, sp_operand_type(r, i, 0)->elem), true) &&
           check_texel(r, i, sp_type(r->m, i->type)) && check_image_operands(r, i, 2);
}

static bool check_image_read(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *image = sp_operand_type(r, i, 0);
    if (image->access == SP_QUALIFIER_WriteOnly) return sp_refuse(r, i, "the image is only written");
    return check_coordinates(r, i, image, false) && check_texel(r, i, sp_type(r->m, i->type)) &&
           check_image_operands(r, i, 2);
}

static bool check_image_write(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *image = sp_operand_type(r, i, 0);
    if (image->access == SP_QUALIFIER_ReadOnly) return sp_refuse(r, i, "the image is only read");
    return check_coordinates(r, i, image, false) && check_texel(r, i, sp_operand_type(r, i, 2)) &&
           check_image_operands(r, i, 3);
}

static bool check_image_query(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *t = sp_type(r->m, i->type), *e = sp_component(r->m, t);
    uint32_t count = t->kind == SP_VECTOR ? t->count : 1, want = coordinates(sp_operand_type(r, i, 0));
    return (e->kind == SP_INT && (e->bits == 32 || e->bits == 64) && count == want) ||
           sp_refuse(r, i, "the size of this image is %u integers of 32 or 64 bits", want);
}
