/* groups.c - math functions, group operations, barriers, atomics. */
#include "internal.h"

/* -- OpenCL.std -------------------------------------------------------------------------------------------------- */

spe_id spe_ext(spe_module *m, spe_id type, uint32_t number, uint32_t n, const spe_id *args)
{
    uint32_t w[10];
    if (m->error.id || !spe_want_type_(m, __func__, type)) return 0;
    if (n > 8) return SPE_ERROR_(m, RANGE, "%u arguments; at most 8", n);
    if (m->options.env) return SPE_ERROR_(m, ENVIRONMENT, "OpenCL.std is not Vulkan's; spe_math has functions of both");
    m->doing = __func__;
    if (!spe_has_function_(m, number, n, args)) return 0;
    w[0] = spe_math_set_(m);
    w[1] = number;
    if (n) memcpy(w + 2, args, n * sizeof *args);
    return spe_emit_(m, SPE_OpExtInst, type, n + 2, w);
}

/* The number of operands of a function, 0 if spe_math lacks it. Makes errors name the function. */
static uint32_t spe_math_operands_(spe_module *m, spe_math_op f)
{
#define SPE_MATH_ROW_(name, name_in_set, number, operands) {number, operands, "spe_math(SPE_" #name ")"},
    static const struct {
        uint16_t number, operands;
        const char *name;
    } rows[] = {SPE_MATH_LIST(SPE_MATH_ROW_) {UINT16_MAX, 0, "spe_math"}}; /* in rising order of numbers */
#undef SPE_MATH_ROW_
    size_t low = 0, last = sizeof rows / sizeof *rows - 1, high = last;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rows[middle].number < (uint32_t)f) low = middle + 1;
        else high = middle;
    }
    if (rows[low].number != (uint32_t)f) low = last;
    m->doing = rows[low].name;
    return rows[low].operands;
}

spe_id spe_math(spe_module *m, spe_math_op f, uint32_t n, const spe_id *args)
{
    static const char *const forms[2][3] = {{"llf:=", "llf=:=", "llf==:="}, {"lli:=", "lli=:=", "lli==:="}};
    uint32_t want = spe_math_operands_(m, f), w[5] = {0, (uint32_t)f, 0, 0, 0};
    bool power = f == SPE_LDEXP || f == SPE_POWN || f == SPE_ROOTN; /* the second operand is an integer */
    if (!want || n != want)
        return spe_error_(m, SPE_ERR_TYPE, "the function (%d) takes %u arguments, not %u", (int)f, want, n);
    if (f >= SPE_SMAD24 && f <= SPE_UMUL24 && spe_operand_(m, args[0]) &&
        spe_width(m, spe_type_of(m, args[0])) != 32)
        return spe_error_(m, SPE_ERR_TYPE, "takes integers of 32 bits, not %s", spe_text_(m, spe_type_of(m, args[0])));
    if (spe_operand_(m, args[0]) && spe_info_(m, spe_type_of(m, args[0]))->kind >= SPE_KIND_COOPMAT &&
        !(m->vulkan && m->vulkan->is_vector_math(f, spe_info_(m, spe_type_of(m, args[0])))))
        return spe_error_(m, SPE_ERR_TYPE, "takes scalars and vectors, not %s", spe_text_(m, spe_type_of(m, args[0])));
    const char *form = power ? "llfq:=" : forms[(int)f >= (int)SPE_SABS][n - 1];
    if (m->options.env) {
        static const char *const letters[2][3] = {{"f", "f=", "f=="}, {"i", "i=", "i=="}};
        const char *name = m->doing, *operands = power ? "fq" : letters[(int)f >= (int)SPE_SABS][n - 1];
        bool fits = spe_check_(m, name, operands, args[0], n > 1 ? args[1] : 0, n > 2 ? args[2] : 0);
        return fits ? m->vulkan->math(m, name, f, form, n, args) : 0;
    }
    w[0] = spe_math_set_(m);
    memcpy(w + 2, args, n * sizeof *args);
    return spe_instruction_(m, m->doing, SPE_OpExtInst, form, w);
}
spe_id spe_math1(spe_module *m, spe_math_op f, spe_id a) { return spe_math(m, f, 1, &a); }
spe_id spe_math2(spe_module *m, spe_math_op f, spe_id a, spe_id b)
{
    spe_id args[] = {a, b};
    return spe_math(m, f, 2, args);
}
spe_id spe_math3(spe_module *m, spe_math_op f, spe_id a, spe_id b, spe_id c)
{
    spe_id args[] = {a, b, c};
    return spe_math(m, f, 3, args);
}

static void spe_prefetch_(spe_module *m, spe_id ptr, spe_id n)
{
    enum { PREFETCH = 185 };
    spe_id args[] = {ptr, 0}, type = spe_check_(m, __func__, "pI", ptr, n);
    if (!type) return;
    const spe_type_info *t = spe_info_(m, type);
    if (t->storage != SPE_StorageClassCrossWorkgroup || !spe_is_(m, 'e', t->elem)) {
        spe_error_(m, SPE_ERR_TYPE, "takes pointers to global memory, not %s in storage class %s", spe_text_(m, type),
                   spe_storage_text_(t->storage));
        return;
    }
    args[1] = spe_uconvert(m, spe_int(m, 64), n);
    if (args[1]) spe_ext(m, spe_void(m), PREFETCH, 2, args);
}
void spe_prefetch(spe_module *m, spe_id ptr, spe_id n) { SPE_DO_WITHIN_(m, spe_prefetch_(m, ptr, n)); }

/* -- groups ------------------------------------------------------------------------------------------------------ */

/* The instruction for reducing operands of a kind; 0 if there is none. */
static uint32_t spe_reduction_op_(spe_reduction red, spe_kind kind, bool non_uniform)
{
    enum { I = SPE_KIND_INT, F = SPE_KIND_FLOAT, B = SPE_KIND_BOOL };
#define SPE_ROW_(red, kind, op, uniform) {SPE_RED_##red, kind, SPE_OpGroupNonUniform##op, SPE_OpGroup##uniform},
    static const struct {
        uint16_t red, kind, non_uniform, uniform;
    } rows[] = {
        SPE_ROW_(ADD, I, IAdd, IAdd) SPE_ROW_(ADD, F, FAdd, FAdd) SPE_ROW_(MUL, I, IMul, IMulKHR)
        SPE_ROW_(MUL, F, FMul, FMulKHR) SPE_ROW_(SMIN, I, SMin, SMin) SPE_ROW_(UMIN, I, UMin, UMin)
        SPE_ROW_(SMAX, I, SMax, SMax) SPE_ROW_(UMAX, I, UMax, UMax) SPE_ROW_(FMIN, F, FMin, FMin)
        SPE_ROW_(FMAX, F, FMax, FMax) SPE_ROW_(AND, I, BitwiseAnd, BitwiseAndKHR)
        SPE_ROW_(AND, B, LogicalAnd, LogicalAndKHR) SPE_ROW_(OR, I, BitwiseOr, BitwiseOrKHR)
        SPE_ROW_(OR, B, LogicalOr, LogicalOrKHR) SPE_ROW_(XOR, I, BitwiseXor, BitwiseXorKHR)
        SPE_ROW_(XOR, B, LogicalXor, LogicalXorKHR)
    };
#undef SPE_ROW_
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].red == (uint32_t)red && rows[i].kind == (uint32_t)kind)
            return non_uniform ? rows[i].non_uniform : rows[i].uniform;
    }
    return 0;
}

/* A reduction or scan over a scope. Subgroups use the non-uniform instructions, which are allowed in divergent code;
 * work-groups, and SPIR-V before 1.3, have only the uniform ones. */
static spe_id spe_reduce_(spe_module *m, const char *name, uint32_t scope, spe_reduction red, uint32_t operation,
                          spe_id v, uint32_t cluster)
{
    spe_id type = spe_check_(m, name, "v", v);
    bool non_uniform = scope == SPE_ScopeSubgroup && m->options.version >= SPE_VERSION(1, 3);
    bool clustered = operation == SPE_GroupOperationClusteredReduce;
    uint32_t w[] = {scope, operation, v, cluster}, op = 0;
    if (!type) return 0;
    if (spe_count(m, type)) op = spe_reduction_op_(red, spe_info_(m, spe_scalar_of(m, type))->kind, non_uniform);
    if (!op) return spe_error_(m, SPE_ERR_TYPE, "reduction %d does not take %s", (int)red, spe_text_(m, type));
    if (clustered && (!non_uniform || !cluster || (cluster & (cluster - 1))))
        return spe_error_(m, SPE_ERR_RANGE, "clusters of %u; a power of two and SPIR-V 1.3 are needed", cluster);
    return spe_instruction_(m, name, op, clustered ? "klvk:=" : "klv:=", w);
}

#define SPE_REDUCE_(name, scope, operation)                                                                            \
    spe_id name(spe_module *m, spe_reduction red, spe_id v)                                                            \
    {                                                                                                                  \
        return spe_reduce_(m, #name, SPE_Scope##scope, red, SPE_GroupOperation##operation, v, 0);                      \
    }
SPE_REDUCE_(spe_sg_reduce, Subgroup, Reduce) SPE_REDUCE_(spe_wg_reduce, Workgroup, Reduce)
SPE_REDUCE_(spe_sg_scan_inclusive, Subgroup, InclusiveScan) SPE_REDUCE_(spe_sg_scan_exclusive, Subgroup, ExclusiveScan)
SPE_REDUCE_(spe_wg_scan_inclusive, Workgroup, InclusiveScan)
SPE_REDUCE_(spe_wg_scan_exclusive, Workgroup, ExclusiveScan)
spe_id spe_sg_reduce_clustered(spe_module *m, spe_reduction red, spe_id v, uint32_t cluster)
{
    return spe_reduce_(m, __func__, SPE_ScopeSubgroup, red, SPE_GroupOperationClusteredReduce, v, cluster);
}

spe_id spe_sg_broadcast(spe_module *m, spe_id v, spe_id lane)
{
    uint32_t w[] = {v, lane}, op = SPE_OpGroupNonUniformShuffle;
    uint64_t k;
    if (m->options.version < SPE_VERSION(1, 3) || spe_const_bits(m, lane, &k)) op = SPE_OpGroupNonUniformBroadcast;
    return spe_instruction_(m, __func__, op, "SuI:=", w);
}
spe_id spe_sg_elect(spe_module *m)
{
    spe_id type = spe_bool(m);
    return spe_instruction_(m, __func__, SPE_OpGroupNonUniformElect, "tS:t", &type);
}

/* -- barriers ---------------------------------------------------------------------------------------------------- */

static void spe_barrier_(spe_module *m, const char *name, uint32_t op, const char *form, uint32_t order)
{
    uint32_t semantics = (uint32_t)SPE_MemorySemanticsWorkgroupMemory | SPE_MemorySemanticsCrossWorkgroupMemory;
    semantics = spe_semantics_(m, semantics | order);
    spe_instruction_(m, name, op, form, &semantics);
}
void spe_barrier(spe_module *m)
{
    spe_barrier_(m, __func__, SPE_OpControlBarrier, "WWk:-", SPE_MemorySemanticsAcquireRelease);
}
void spe_sg_barrier(spe_module *m)
{
    spe_barrier_(m, __func__, SPE_OpControlBarrier, "SSk:-", SPE_MemorySemanticsAcquireRelease);
}
/* Vulkan has no barrier in two halves: all of it is where it is waited for. */
void spe_barrier_arrive(spe_module *m)
{
    if (m->vulkan) return;
    spe_barrier_(m, __func__, SPE_OpControlBarrierArriveINTEL, "WWk:-", SPE_MemorySemanticsRelease);
}
void spe_barrier_wait(spe_module *m)
{
    uint32_t op = m->vulkan ? SPE_OpControlBarrier : SPE_OpControlBarrierWaitINTEL;
    uint32_t order = m->vulkan ? SPE_MemorySemanticsAcquireRelease : SPE_MemorySemanticsAcquire;
    spe_barrier_(m, __func__, op, "WWk:-", order);
}

/* -- atomics ----------------------------------------------------------------------------------------------------- */

spe_id spe_atomic(spe_module *m, spe_atomic_op op, spe_id ptr, spe_id v, uint32_t scope, uint32_t semantics)
{
    static const struct {
        uint16_t op;
        char form[8];
    } rows[SPE_ATOMIC_COUNT_] = {
        {SPE_OpAtomicIAdd, "czjJ:*"},     {SPE_OpAtomicISub, "czjJ:*"},     {SPE_OpAtomicSMin, "czjJ:*"},
        {SPE_OpAtomicUMin, "czjJ:*"},     {SPE_OpAtomicSMax, "czjJ:*"},     {SPE_OpAtomicUMax, "czjJ:*"},
        {SPE_OpAtomicAnd, "czjJ:*"},      {SPE_OpAtomicOr, "czjJ:*"},       {SPE_OpAtomicXor, "czjJ:*"},
        {SPE_OpAtomicExchange, "czjE:*"}, {SPE_OpAtomicFAddEXT, "czjG:*"},  {SPE_OpAtomicFMinEXT, "czjG:*"},
        {SPE_OpAtomicFMaxEXT, "czjG:*"},
    };
    uint32_t w[] = {ptr, scope, semantics, v};
    if ((unsigned)op >= SPE_ATOMIC_COUNT_) return SPE_ERROR_(m, RANGE, "there is no operation %d", (int)op);
    return spe_instruction_(m, __func__, rows[op].op, rows[op].form, w);
}
void spe_atomic_store(spe_module *m, spe_id ptr, spe_id v, uint32_t scope, uint32_t semantics)
{
    uint32_t w[] = {ptr, scope, semantics, v};
    spe_instruction_(m, __func__, SPE_OpAtomicStore, "czjE:-", w);
}
spe_id spe_atomic_cas(spe_module *m, spe_id ptr, spe_id expected, spe_id v, uint32_t scope, uint32_t semantics)
{
    uint32_t failed = semantics & ~(uint32_t)SPE_MemorySemanticsRelease; /* a failure stores nothing to release */
    uint32_t w[] = {ptr, scope, semantics, failed, v, expected};
    if (failed & SPE_MemorySemanticsAcquireRelease)
        w[3] ^= (uint32_t)SPE_MemorySemanticsAcquireRelease | SPE_MemorySemanticsAcquire;
    return spe_instruction_(m, __func__, SPE_OpAtomicCompareExchange, "czjjJJ:*", w);
}
