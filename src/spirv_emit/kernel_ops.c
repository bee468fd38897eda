/* kernel_ops.c - What kernels do besides arithmetic: math functions, groups, barriers, atomics. */
#include "internal.h"

/* -- OpenCL.std -------------------------------------------------------------------------------------------------- */

/* How many operands a function of the set has, 0 for one spe_math does not know. */
static uint32_t spe_math_operands_(spe_math_op f)
{
#define SPE_MATH_CASE_(name, name_in_set, number, operands)                                                            \
    case SPE_##name: return operands;
    switch (f) {
        SPE_MATH_LIST(SPE_MATH_CASE_)
    default: return 0;
    }
#undef SPE_MATH_CASE_
}

static const char *spe_math_name_(spe_math_op f)
{
#define SPE_MATH_CASE_(name, name_in_set, number, operands)                                                            \
    case SPE_##name: return "spe_math(SPE_" #name ")";
    switch (f) {
        SPE_MATH_LIST(SPE_MATH_CASE_)
    default: return "spe_math";
    }
#undef SPE_MATH_CASE_
}

spe_id spe_ext(spe_module *m, spe_id type, uint32_t number, uint32_t n, const spe_id *args)
{
    uint32_t w[10], *at;
    if (m->error.id || !spe_want_type_(m, "spe_ext", type)) return 0;
    if (n > 8) return spe_error_(m, SPE_ERR_RANGE, "spe_ext: %u arguments; at most 8", n);
    if (!m->opencl_std) {
        m->opencl_std = spe_new_id_(m, 0, 0, 0);
        at = m->opencl_std ? spe_put_(m, SPE_SECTION_IMPORT_, SPE_OpExtInstImport, 1 + spe_text_words_("OpenCL.std"))
                           : NULL;
        if (!at) return 0;
        at[0] = m->opencl_std;
        spe_put_text_(at + 1, "OpenCL.std");
    }
    w[0] = m->opencl_std;
    w[1] = number;
    if (n) memcpy(w + 2, args, n * sizeof *args);
    return spe_emit_(m, SPE_OpExtInst, type, n + 2, w);
}

spe_id spe_math(spe_module *m, spe_math_op f, uint32_t n, const spe_id *args)
{
    const char *fn = spe_math_name_(f);
    uint32_t i, want = spe_math_operands_(f), kinds = (int)f >= (int)SPE_SABS ? SPE_TAKES_INT_ : SPE_TAKES_FLOAT_;
    bool power = f == SPE_LDEXP || f == SPE_POWN || f == SPE_ROOTN;
    spe_id type;
    if (m->error.id) return 0;
    if (!want || n != want)
        return spe_error_(m, SPE_ERR_TYPE, "%s (%d) takes %u arguments, not %u", fn, (int)f, want, n);
    type = spe_operand_(m, fn, args[0]);
    if (!type || !spe_takes_(m, fn, kinds, type)) return 0;
    for (i = 1; i < n; i++) {
        spe_id t = spe_operand_(m, fn, args[i]);
        if (!t) return 0;
        if (t != (power ? spe_like_(m, spe_int(m, 32), type) : type)) return spe_disagree_(m, fn, type, t);
    }
    return spe_ext(m, type, (uint32_t)f, n, args);
}
spe_id spe_math1(spe_module *m, spe_math_op f, spe_id a) { return spe_math(m, f, 1, &a); }
spe_id spe_math2(spe_module *m, spe_math_op f, spe_id a, spe_id b)
{
    spe_id w[2];
    w[0] = a;
    w[1] = b;
    return spe_math(m, f, 2, w);
}
spe_id spe_math3(spe_module *m, spe_math_op f, spe_id a, spe_id b, spe_id c)
{
    spe_id w[3];
    w[0] = a;
    w[1] = b;
    w[2] = c;
    return spe_math(m, f, 3, w);
}

/* -- groups ------------------------------------------------------------------------------------------------------ */

/* The instruction of a reduction, by what is reduced: 0 where there is none. */
static uint32_t spe_reduction_op_(spe_reduction red, spe_kind kind, bool non_uniform)
{
    static const struct {
        uint16_t integer, real, truth, integer_uniform, real_uniform, truth_uniform;
    } rows[] = {
        {SPE_OpGroupNonUniformIAdd, SPE_OpGroupNonUniformFAdd, 0, SPE_OpGroupIAdd, SPE_OpGroupFAdd, 0},
        {SPE_OpGroupNonUniformIMul, SPE_OpGroupNonUniformFMul, 0, SPE_OpGroupIMulKHR, SPE_OpGroupFMulKHR, 0},
        {SPE_OpGroupNonUniformSMin, 0, 0, SPE_OpGroupSMin, 0, 0},
        {SPE_OpGroupNonUniformUMin, 0, 0, SPE_OpGroupUMin, 0, 0},
        {SPE_OpGroupNonUniformSMax, 0, 0, SPE_OpGroupSMax, 0, 0},
        {SPE_OpGroupNonUniformUMax, 0, 0, SPE_OpGroupUMax, 0, 0},
        {0, SPE_OpGroupNonUniformFMin, 0, 0, SPE_OpGroupFMin, 0},
        {0, SPE_OpGroupNonUniformFMax, 0, 0, SPE_OpGroupFMax, 0},
        {SPE_OpGroupNonUniformBitwiseAnd, 0, SPE_OpGroupNonUniformLogicalAnd, SPE_OpGroupBitwiseAndKHR, 0,
         SPE_OpGroupLogicalAndKHR},
        {SPE_OpGroupNonUniformBitwiseOr, 0, SPE_OpGroupNonUniformLogicalOr, SPE_OpGroupBitwiseOrKHR, 0,
         SPE_OpGroupLogicalOrKHR},
        {SPE_OpGroupNonUniformBitwiseXor, 0, SPE_OpGroupNonUniformLogicalXor, SPE_OpGroupBitwiseXorKHR, 0,
         SPE_OpGroupLogicalXorKHR},
    };
    if ((unsigned)red >= SPE_RED_COUNT_) return 0;
    switch (kind) {
    case SPE_KIND_INT: return non_uniform ? rows[red].integer : rows[red].integer_uniform;
    case SPE_KIND_FLOAT: return non_uniform ? rows[red].real : rows[red].real_uniform;
    case SPE_KIND_BOOL: return non_uniform ? rows[red].truth : rows[red].truth_uniform;
    default: return 0;
    }
}

/* A reduction or scan over a scope. Subgroups use the non-uniform instructions, which may stand in divergent code;
 * where there are none (work-groups, SPIR-V before 1.3) the uniform ones. */
static spe_id spe_reduce_(spe_module *m, const char *fn, uint32_t scope, spe_reduction red, uint32_t operation,
                                 spe_id v, uint32_t cluster)
{
    spe_id type = spe_operand_(m, fn, v);
    bool non_uniform = scope == SPE_ScopeSubgroup && m->options.version >= SPE_VERSION(1, 3);
    const spe_type_info *t;
    uint32_t w[4], op;
    char text[80];
    if (!type) return 0;
    t = spe_info_(m, spe_scalar_of(m, type));
    op = spe_count(m, type) ? spe_reduction_op_(red, t->kind, non_uniform) : 0;
    if (!op)
        return spe_error_(m, SPE_ERR_TYPE, "%s: reduction %d does not take %s", fn, (int)red,
                          spe_type_text(m, type, text, sizeof text));
    if (cluster && (!non_uniform || (cluster & (cluster - 1))))
        return spe_error_(m, SPE_ERR_RANGE, "%s: clusters of %u; a power of two and SPIR-V 1.3 are needed", fn,
                          cluster);
    w[0] = spe_u32(m, scope);
    w[1] = operation;
    w[2] = v;
    w[3] = cluster ? spe_u32(m, cluster) : 0;
    return spe_emit_(m, op, type, cluster ? 4 : 3, w);
}

spe_id spe_sg_reduce(spe_module *m, spe_reduction red, spe_id v)
{
    return spe_reduce_(m, "spe_sg_reduce", SPE_ScopeSubgroup, red, SPE_GroupOperationReduce, v, 0);
}
spe_id spe_sg_scan_inclusive(spe_module *m, spe_reduction red, spe_id v)
{
    return spe_reduce_(m, "spe_sg_scan_inclusive", SPE_ScopeSubgroup, red, SPE_GroupOperationInclusiveScan, v, 0);
}
spe_id spe_sg_scan_exclusive(spe_module *m, spe_reduction red, spe_id v)
{
    return spe_reduce_(m, "spe_sg_scan_exclusive", SPE_ScopeSubgroup, red, SPE_GroupOperationExclusiveScan, v, 0);
}
spe_id spe_sg_reduce_clustered(spe_module *m, spe_reduction red, spe_id v, uint32_t cluster)
{
    if (!cluster) return spe_error_(m, SPE_ERR_RANGE, "spe_sg_reduce_clustered: clusters of 0");
    return spe_reduce_(m, "spe_sg_reduce_clustered", SPE_ScopeSubgroup, red, SPE_GroupOperationClusteredReduce, v,
                       cluster);
}
spe_id spe_wg_reduce(spe_module *m, spe_reduction red, spe_id v)
{
    return spe_reduce_(m, "spe_wg_reduce", SPE_ScopeWorkgroup, red, SPE_GroupOperationReduce, v, 0);
}
spe_id spe_wg_scan_inclusive(spe_module *m, spe_reduction red, spe_id v)
{
    return spe_reduce_(m, "spe_wg_scan_inclusive", SPE_ScopeWorkgroup, red, SPE_GroupOperationInclusiveScan, v, 0);
}
spe_id spe_wg_scan_exclusive(spe_module *m, spe_reduction red, spe_id v)
{
    return spe_reduce_(m, "spe_wg_scan_exclusive", SPE_ScopeWorkgroup, red, SPE_GroupOperationExclusiveScan, v, 0);
}

/* An instruction of the form scope, value [, lane]. */
static spe_id spe_group_(spe_module *m, const char *fn, uint32_t op, uint32_t scope, spe_id result, spe_id v,
                                spe_id lane)
{
    spe_id type = v ? spe_operand_(m, fn, v) : 0, tl = lane ? spe_operand_(m, fn, lane) : 0;
    bool (*takes)(spe_module *, const char *, uint32_t, spe_id) =
        scope == SPE_ScopeSubgroup ? spe_takes_one_ : spe_takes_; /* local ids may be vectors */
    uint32_t w[3];
    if ((v && !type) || (lane && (!tl || !takes(m, fn, SPE_TAKES_INT_, tl)))) return 0;
    w[0] = spe_u32(m, scope);
    w[1] = v;
    w[2] = lane;
    return w[0] ? spe_emit_(m, op, result ? result : type, v ? lane ? 3 : 2 : 1, w) : 0;
}

static spe_id spe_group_lane_(spe_module *m, const char *fn, uint32_t op, spe_id v, spe_id lane)
{
    if (!spe_operand_(m, fn, v) || !spe_operand_(m, fn, lane)) return 0;
    return spe_group_(m, fn, op, SPE_ScopeSubgroup, 0, v, lane);
}

spe_id spe_sg_shuffle(spe_module *m, spe_id v, spe_id lane)
{
    return spe_group_lane_(m, "spe_sg_shuffle", SPE_OpGroupNonUniformShuffle, v, lane);
}
spe_id spe_sg_shuffle_xor(spe_module *m, spe_id v, spe_id mask)
{
    return spe_group_lane_(m, "spe_sg_shuffle_xor", SPE_OpGroupNonUniformShuffleXor, v, mask);
}
spe_id spe_sg_shuffle_up(spe_module *m, spe_id v, spe_id delta)
{
    return spe_group_lane_(m, "spe_sg_shuffle_up", SPE_OpGroupNonUniformShuffleUp, v, delta);
}
spe_id spe_sg_shuffle_down(spe_module *m, spe_id v, spe_id delta)
{
    return spe_group_lane_(m, "spe_sg_shuffle_down", SPE_OpGroupNonUniformShuffleDown, v, delta);
}

spe_id spe_sg_broadcast(spe_module *m, spe_id v, spe_id lane)
{
    uint64_t k;
    if (m->options.version < SPE_VERSION(1, 3))
        return spe_group_lane_(m, "spe_sg_broadcast", SPE_OpGroupBroadcast, v, lane);
    return spe_group_lane_(m, "spe_sg_broadcast",
                           spe_const_bits(m, lane, &k) ? (uint32_t)SPE_OpGroupNonUniformBroadcast
                                                       : (uint32_t)SPE_OpGroupNonUniformShuffle,
                           v, lane);
}
spe_id spe_sg_broadcast_first(spe_module *m, spe_id v)
{
    if (!spe_operand_(m, "spe_sg_broadcast_first", v)) return 0;
    return spe_group_(m, "spe_sg_broadcast_first", SPE_OpGroupNonUniformBroadcastFirst, SPE_ScopeSubgroup, 0, v, 0);
}

static spe_id spe_vote_(spe_module *m, const char *fn, uint32_t op, uint32_t scope, spe_id result, spe_id v)
{
    spe_id type = spe_operand_(m, fn, v);
    if (!type || !spe_takes_one_(m, fn, SPE_TAKES_BOOL_, type)) return 0;
    return spe_group_(m, fn, op, scope, result, v, 0);
}
spe_id spe_sg_ballot(spe_module *m, spe_id v)
{
    spe_id type = spe_vec(m, spe_int(m, 32), 4);
    return type ? spe_vote_(m, "spe_sg_ballot", SPE_OpGroupNonUniformBallot, SPE_ScopeSubgroup, type, v) : 0;
}
spe_id spe_sg_ballot_count(spe_module *m, spe_id ballot)
{
    spe_id type = spe_operand_(m, "spe_sg_ballot_count", ballot), i32 = spe_int(m, 32);
    uint32_t w[3];
    if (!type) return 0;
    if (type != spe_vec(m, i32, 4)) return spe_disagree_(m, "spe_sg_ballot_count", type, spe_vec(m, i32, 4));
    w[0] = spe_u32(m, SPE_ScopeSubgroup);
    w[1] = SPE_GroupOperationReduce;
    w[2] = ballot;
    return spe_emit_(m, SPE_OpGroupNonUniformBallotBitCount, i32, 3, w);
}
spe_id spe_sg_all(spe_module *m, spe_id v)
{
    uint32_t op =
        m->options.version < SPE_VERSION(1, 3) ? (uint32_t)SPE_OpGroupAll : (uint32_t)SPE_OpGroupNonUniformAll;
    return spe_vote_(m, "spe_sg_all", op, SPE_ScopeSubgroup, 0, v);
}
spe_id spe_sg_any(spe_module *m, spe_id v)
{
    uint32_t op =
        m->options.version < SPE_VERSION(1, 3) ? (uint32_t)SPE_OpGroupAny : (uint32_t)SPE_OpGroupNonUniformAny;
    return spe_vote_(m, "spe_sg_any", op, SPE_ScopeSubgroup, 0, v);
}
spe_id spe_sg_elect(spe_module *m)
{
    spe_id type = spe_bool(m);
    return type ? spe_group_(m, "spe_sg_elect", SPE_OpGroupNonUniformElect, SPE_ScopeSubgroup, type, 0, 0) : 0;
}
spe_id spe_wg_all(spe_module *m, spe_id v)
{
    return spe_vote_(m, "spe_wg_all", SPE_OpGroupAll, SPE_ScopeWorkgroup, 0, v);
}
spe_id spe_wg_any(spe_module *m, spe_id v)
{
    return spe_vote_(m, "spe_wg_any", SPE_OpGroupAny, SPE_ScopeWorkgroup, 0, v);
}
spe_id spe_wg_broadcast(spe_module *m, spe_id v, spe_id local_id)
{
    if (!spe_operand_(m, "spe_wg_broadcast", v) || !spe_operand_(m, "spe_wg_broadcast", local_id)) return 0;
    return spe_group_(m, "spe_wg_broadcast", SPE_OpGroupBroadcast, SPE_ScopeWorkgroup, 0, v, local_id);
}

/* -- barriers ---------------------------------------------------------------------------------------------------- */

void spe_control_barrier(spe_module *m, uint32_t execution, uint32_t memory, uint32_t semantics)
{
    uint32_t w[3];
    w[0] = spe_u32(m, execution);
    w[1] = spe_u32(m, memory);
    w[2] = spe_u32(m, semantics);
    spe_emit_(m, SPE_OpControlBarrier, 0, 3, w);
}

enum { SPE_BARRIER_MEMORY_ = SPE_MemorySemanticsWorkgroupMemory | SPE_MemorySemanticsCrossWorkgroupMemory };

void spe_barrier(spe_module *m)
{
    spe_control_barrier(m, SPE_ScopeWorkgroup, SPE_ScopeWorkgroup,
                        (uint32_t)SPE_MemorySemanticsAcquireRelease | SPE_BARRIER_MEMORY_);
}
void spe_sg_barrier(spe_module *m)
{
    spe_control_barrier(m, SPE_ScopeSubgroup, SPE_ScopeSubgroup,
                        (uint32_t)SPE_MemorySemanticsAcquireRelease | SPE_BARRIER_MEMORY_);
}
void spe_memory_barrier(spe_module *m, uint32_t scope, uint32_t semantics)
{
    uint32_t w[2];
    w[0] = spe_u32(m, scope);
    w[1] = spe_u32(m, semantics);
    spe_emit_(m, SPE_OpMemoryBarrier, 0, 2, w);
}

static void spe_split_barrier_(spe_module *m, uint32_t op, uint32_t order)
{
    uint32_t w[3];
    w[0] = w[1] = spe_u32(m, SPE_ScopeWorkgroup);
    w[2] = spe_u32(m, order | SPE_BARRIER_MEMORY_);
    spe_emit_(m, op, 0, 3, w);
}
void spe_barrier_arrive(spe_module *m)
{
    spe_split_barrier_(m, SPE_OpControlBarrierArriveINTEL, SPE_MemorySemanticsRelease);
}
void spe_barrier_wait(spe_module *m)
{
    spe_split_barrier_(m, SPE_OpControlBarrierWaitINTEL, SPE_MemorySemanticsAcquire);
}

/* -- atomics ----------------------------------------------------------------------------------------------------- */

spe_id spe_atomic(spe_module *m, spe_atomic_op op, spe_id ptr, spe_id v, uint32_t scope, uint32_t semantics)
{
    static const struct {
        uint16_t op, kinds;
    } rows[SPE_ATOMIC_COUNT_] = {
        {SPE_OpAtomicIAdd, SPE_TAKES_INT_},      {SPE_OpAtomicISub, SPE_TAKES_INT_},
        {SPE_OpAtomicSMin, SPE_TAKES_INT_},      {SPE_OpAtomicUMin, SPE_TAKES_INT_},
        {SPE_OpAtomicSMax, SPE_TAKES_INT_},      {SPE_OpAtomicUMax, SPE_TAKES_INT_},
        {SPE_OpAtomicAnd, SPE_TAKES_INT_},       {SPE_OpAtomicOr, SPE_TAKES_INT_},
        {SPE_OpAtomicXor, SPE_TAKES_INT_},       {SPE_OpAtomicExchange, SPE_TAKES_INT_ | SPE_TAKES_FLOAT_},
        {SPE_OpAtomicFAddEXT, SPE_TAKES_FLOAT_}, {SPE_OpAtomicFMinEXT, SPE_TAKES_FLOAT_},
        {SPE_OpAtomicFMaxEXT, SPE_TAKES_FLOAT_},
    };
    spe_id type = spe_pointee_(m, "spe_atomic", ptr), tv = spe_operand_(m, "spe_atomic", v);
    uint32_t w[4];
    if (!type || !tv) return 0;
    if ((unsigned)op >= SPE_ATOMIC_COUNT_)
        return spe_error_(m, SPE_ERR_RANGE, "spe_atomic: there is no operation %d", (int)op);
    if (type != tv || spe_count(m, type) != 1) return spe_disagree_(m, "spe_atomic", type, tv);
    if (!spe_takes_(m, "spe_atomic", rows[op].kinds, type)) return 0;
    w[0] = ptr;
    w[1] = spe_u32(m, scope);
    w[2] = spe_u32(m, semantics);
    w[3] = v;
    return spe_emit_(m, rows[op].op, type, 4, w);
}
spe_id spe_atomic_load(spe_module *m, spe_id ptr, uint32_t scope, uint32_t semantics)
{
    spe_id type = spe_pointee_(m, "spe_atomic_load", ptr);
    uint32_t w[3];
    if (!type || !spe_takes_one_(m, "spe_atomic_load", SPE_TAKES_INT_ | SPE_TAKES_FLOAT_, type)) return 0;
    w[0] = ptr;
    w[1] = spe_u32(m, scope);
    w[2] = spe_u32(m, semantics);
    return spe_emit_(m, SPE_OpAtomicLoad, type, 3, w);
}
void spe_atomic_store(spe_module *m, spe_id ptr, spe_id v, uint32_t scope, uint32_t semantics)
{
    spe_id type = spe_pointee_(m, "spe_atomic_store", ptr), tv = spe_operand_(m, "spe_atomic_store", v);
    uint32_t w[4];
    if (!type || !tv || !spe_takes_one_(m, "spe_atomic_store", SPE_TAKES_INT_ | SPE_TAKES_FLOAT_, type)) return;
    if (type != tv) {
        spe_disagree_(m, "spe_atomic_store", type, tv);
        return;
    }
    w[0] = ptr;
    w[1] = spe_u32(m, scope);
    w[2] = spe_u32(m, semantics);
    w[3] = v;
    spe_emit_(m, SPE_OpAtomicStore, 0, 4, w);
}
spe_id spe_atomic_cas(spe_module *m, spe_id ptr, spe_id expected, spe_id v, uint32_t scope, uint32_t semantics)
{
    spe_id type = spe_pointee_(m, "spe_atomic_cas", ptr),
           tv = spe_operands_(m, "spe_atomic_cas", SPE_TAKES_INT_, expected, v);
    uint32_t w[6], failed = semantics;
    if (!type || !tv) return 0;
    if (type != tv || spe_count(m, type) != 1) return spe_disagree_(m, "spe_atomic_cas", type, tv);
    if (failed & SPE_MemorySemanticsAcquireRelease)
        failed ^= SPE_MemorySemanticsAcquireRelease | SPE_MemorySemanticsAcquire;
    failed &= ~(uint32_t)SPE_MemorySemanticsRelease; /* a failed exchange stores nothing to release */
    w[0] = ptr;
    w[1] = spe_u32(m, scope);
    w[2] = spe_u32(m, semantics);
    w[3] = spe_u32(m, failed);
    w[4] = v;
    w[5] = expected;
    return spe_emit_(m, SPE_OpAtomicCompareExchange, type, 6, w);
}
