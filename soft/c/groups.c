/* groups.c - operations of subgroups and work-groups.
 *
 * Subgroup operations involve the active lanes. Those of a work-group use a table in local memory with a value per
 * subgroup, between barriers (XS(group_exchange) in prelude_lanes.h).
 */
#include "codegen.h"

#include <string.h>

/* ---- reductions and scans: a row for each operation */

static const struct {
    uint16_t op[3]; /* OpGroup, OpGroupNonUniform, and a second name */
    const char *name;
    const char *integer, *real; /* the identity as text; %s is the type */
} reductions[] = {
    {{SP_OP_GroupIAdd, SP_OP_GroupNonUniformIAdd, 0}, "iadd", "0", NULL},
    {{SP_OP_GroupFAdd, SP_OP_GroupNonUniformFAdd, 0}, "fadd", NULL, "-0.0"},
    {{SP_OP_GroupIMulKHR, SP_OP_GroupNonUniformIMul, 0}, "imul", "1", NULL},
    {{SP_OP_GroupFMulKHR, SP_OP_GroupNonUniformFMul, 0}, "fmul", NULL, "1.0"},
    {{SP_OP_GroupSMin, SP_OP_GroupNonUniformSMin, 0}, "smin", "~0ull >> 1 >> (64 - 8 * sizeof(%s))", NULL},
    {{SP_OP_GroupSMax, SP_OP_GroupNonUniformSMax, 0}, "smax", "1ull << (8 * sizeof(%s) - 1)", NULL},
    {{SP_OP_GroupUMin, SP_OP_GroupNonUniformUMin, 0}, "umin", "~0ull", NULL},
    {{SP_OP_GroupUMax, SP_OP_GroupNonUniformUMax, 0}, "umax", "0", NULL},
    {{SP_OP_GroupFMin, SP_OP_GroupNonUniformFMin, 0}, "fmin", NULL, "__builtin_inf()"},
    {{SP_OP_GroupFMax, SP_OP_GroupNonUniformFMax, 0}, "fmax", NULL, "-__builtin_inf()"},
    {{SP_OP_GroupBitwiseAndKHR, SP_OP_GroupNonUniformBitwiseAnd, SP_OP_GroupLogicalAndKHR}, "and", "~0ull", NULL},
    {{SP_OP_GroupBitwiseOrKHR, SP_OP_GroupNonUniformBitwiseOr, SP_OP_GroupLogicalOrKHR}, "or", "0", NULL},
    {{SP_OP_GroupBitwiseXorKHR, SP_OP_GroupNonUniformBitwiseXor, SP_OP_GroupLogicalXorKHR}, "xor", "0", NULL},
    {{SP_OP_GroupNonUniformLogicalAnd, 0, 0}, "and", "~0ull", NULL},
    {{SP_OP_GroupNonUniformLogicalOr, 0, 0}, "or", "0", NULL},
    {{SP_OP_GroupNonUniformLogicalXor, 0, 0}, "xor", "0", NULL},
};

static int find_reduction(uint16_t op)
{
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        for (int k = 0; k < 3; k++)
            if (op && reductions[i].op[k] == op) return (int)i;
    return -1;
}

static uint64_t scope_of(struct cg *g)
{
    uint64_t scope = SP_SCOPE_Subgroup;
    sp_constant(g->m, cg_operand(g, 0), &scope);
    return scope;
}

/* The table that subgroups exchange values through, after the module's local variables. */
static const char *exchange_table(struct cg *g)
{
    uint32_t at = cg_exchange_offset(g);
    cg_need_local(g, at + CG_EXCHANGE_BYTES);
    return cg_str(g, "(u64)(uintptr_t)self->local + %u", at);
}

static void write_reduction(struct cg *g, int r)
{
    const struct sp_inst *i = g->w->inst;
    uint32_t how = cg_operand(g, 1), value = cg_operand(g, 2);
    const struct cg_leaves *l = cg_leaves_of(g, i->type);
    bool group = scope_of(g) == SP_SCOPE_Workgroup, varying = cg_is_varying(g, i->id);
    uint64_t cluster = g->S;
    if (how == SP_GROUP_ClusteredReduce && i->count > 3) sp_constant(g->m, cg_operand(g, 3), &cluster);
    if (cluster == 0 || cluster > g->S || (cluster & (cluster - 1))) cluster = g->S;
    for (uint32_t k = 0; k < l->count; k++) {
        enum cg_kind kind = l->leaf[k].kind, T = kind == CG_BOOL                ? CG_U32
                                                 : cg_kind_is_small_float(kind) ? CG_F32
                                                                                : kind;
        const char *t = cg_kind_type(g, T, false), *start, *e = cg_leaf_use(g, value, k, true);
        start = reductions[r].real && cg_kind_is_float(T) ? reductions[r].real : reductions[r].integer;
        if (!start) {
            cg_fail(g, "the operation does not go with its type");
            return;
        }
        start = cg_str(g, "(%s)(%s)", t, cg_str(g, start, t));
        e = kind == CG_BOOL ? cg_str(g, "(u32x)(%s)", e) : cg_widen(g, kind, true, e);
        const char *fn = cg_str(g, "%s_%s", reductions[r].name, cg_kind_name(T)), *out;
        bool vector = how != SP_GROUP_Reduce;
        if (group) {
            out = cg_temporary(g, cg_kind_type(g, T, vector));
            cg_put(g, "    XS_GROUP_%s(%s, %s, %s, %s, %s, %s, %s, %d);\n", vector ? "SCAN" : "REDUCE", out, t, fn, e,
                   g->w->bits, start, exchange_table(g), how == SP_GROUP_InclusiveScan);
        } else if (how == SP_GROUP_ClusteredReduce) {
            out = cg_str(g, "XS_REDUCE(%s, %s, %s, %s, %s, %u)", t, fn, e, g->w->bits, start, (unsigned)cluster);
        } else if (vector) {
            out = cg_str(g, "XS_SCAN(%s, %s, %s, %s, %s, %d)", t, fn, e, g->w->bits, start,
                         how == SP_GROUP_InclusiveScan);
        } else {
            out = cg_str(g, "XS_REDUCE_ALL(%s, %s, %s, %s, %s)", t, fn, e, g->w->bits, start);
        }
        if (kind == CG_BOOL) out = cg_str(g, vector ? "(i32x)(%s)" : "(i32)(%s)", out);
        if (cg_kind_is_small_float(kind)) out = cg_narrow(g, kind, vector, out);
        cg_set_leaf(g, k, varying && !vector ? cg_splat(g, kind, out) : out);
    }
}

/* ---- broadcast and shuffles */

static void broadcast(struct cg *g, uint32_t value, const char *lane)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    bool varying = cg_is_varying(g, value);
    for (uint32_t i = 0; i < l->count; i++) {
        const char *e = cg_leaf_use(g, value, i, varying);
        cg_set_uniform(g, i, varying ? cg_str(g, "(%s)[(%s) & (S - 1)]", e, lane) : e);
    }
}

/* OpGroupBroadcast over the work-group: the local id may have one to three components. */
static void broadcast_group(struct cg *g, uint32_t value, uint32_t id)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    uint32_t n = cg_value_leaves(g, id)->count;
    const char *at = cg_str(g, "(u32)%s", cg_leaf_use(g, id, 0, false));
    if (n > 1) at = cg_str(g, "%s + self->local_size[0] * (u32)%s", at, cg_leaf_use(g, id, 1, false));
    if (n > 2)
        at = cg_str(g, "%s + self->local_size[0] * self->local_size[1] * (u32)%s", at, cg_leaf_use(g, id, 2, false));
    const char *t = cg_evaluated(g, "u32", at);
    for (uint32_t i = 0; i < l->count; i++) {
        enum cg_kind kind = l->leaf[i].kind, bits = cg_bits_kind(cg_kind_bytes(kind));
        const char *e = cg_to_bits(g, kind, true, cg_leaf_use(g, value, i, true));
        e = cg_str(g, "(%s)group_broadcast(self, %s, %s / S, (%s)[%s & (S - 1)])", cg_kind_name(bits),
                   exchange_table(g), t, e, t);
        cg_set_uniform(g, i, cg_from_bits(g, kind, false, e));
    }
}

/* The bits of a leaf, taken from these lanes. */
static const char *shuffled(struct cg *g, uint32_t value, uint32_t leaf, enum cg_kind kind, const char *lanes)
{
    const char *e = cg_to_bits(g, kind, true, cg_leaf_use(g, value, leaf, true));
    return cg_str(g, "XS(shuffle_%s)(%s, %s)", cg_kind_name(cg_bits_kind(cg_kind_bytes(kind))), e, lanes);
}

static void shuffle(struct cg *g, uint32_t value, const char *index)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    for (uint32_t i = 0; i < l->count; i++)
        cg_set_leaf(g, i, cg_from_bits(g, l->leaf[i].kind, true, shuffled(g, value, i, l->leaf[i].kind, index)));
}

/* A lane number operand as u32x. */
static const char *lane_use(struct cg *g, uint32_t id)
{
    return cg_convert(g, cg_use(g, id, true), cg_kind_of(g, id), CG_U32, false);
}

/* Two concatenated values: lanes past the end of one come from the other. */
static void shuffle_two(struct cg *g, uint32_t low, uint32_t high, const char *index)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    const char *at = cg_evaluated(g, "u32x", index);
    for (uint32_t i = 0; i < l->count; i++) {
        enum cg_kind kind = l->leaf[i].kind, bits = cg_bits_kind(cg_kind_bytes(kind));
        const char *r = cg_select(g, bits, cg_str(g, "(i32x)((%s & S) == 0)", at), shuffled(g, low, i, kind, at),
                                  shuffled(g, high, i, kind, at));
        cg_set_leaf(g, i, cg_from_bits(g, kind, true, r));
    }
}

/* The lane from which each lane takes its value: %1$s is its own number, %2$s the operand `index`. */
static const struct {
    uint16_t op;
    uint8_t value, index;
    const char *from;
} shuffles[] = {
    {SP_OP_GroupNonUniformShuffle, 1, 2, "%1$.0s%2$s"},
    {SP_OP_GroupNonUniformShuffleXor, 1, 2, "%1$s ^ %2$s"},
    {SP_OP_GroupNonUniformShuffleUp, 1, 2, "%1$s - %2$s"},
    {SP_OP_GroupNonUniformShuffleDown, 1, 2, "%1$s + %2$s"},
    {SP_OP_GroupNonUniformQuadBroadcast, 1, 2, "(%1$s & ~3u) | (%2$s & 3u)"},
    {SP_OP_GroupNonUniformQuadSwap, 1, 2, "%1$s ^ (%2$s + 1u)"},
    {SP_OP_GroupNonUniformRotateKHR, 1, 2, "((%1$s + %2$s) & %3$uu) | (%1$s & ~%3$uu)"},
    {SP_OP_SubgroupShuffleINTEL, 0, 1, "%1$.0s%2$s"},
    {SP_OP_SubgroupShuffleXorINTEL, 0, 1, "%1$s ^ %2$s"},
    {SP_OP_SubgroupShuffleDownINTEL, 0, 2, "%1$s + %2$s"},   /* current, next, delta */
    {SP_OP_SubgroupShuffleUpINTEL, 0, 2, "%1$s - %2$s + S"}, /* previous, current, delta */
};

static bool write_shuffle(struct cg *g)
{
    uint64_t cluster = g->S;
    for (size_t k = 0; k < sizeof shuffles / sizeof *shuffles; k++) {
        if (shuffles[k].op != g->w->inst->op) continue;
        if (g->w->inst->count > 3) sp_constant(g->m, cg_operand(g, 3), &cluster);
        if (cluster == 0 || cluster > g->S) cluster = g->S;
        uint32_t value = cg_operand(g, shuffles[k].value), index = cg_operand(g, shuffles[k].index);
        const char *from = cg_str(g, shuffles[k].from, "XS(lane_index)()", lane_use(g, index), (unsigned)cluster - 1);
        if (shuffles[k].index - shuffles[k].value == 2)
            shuffle_two(g, value, cg_operand(g, 1), from);
        else
            shuffle(g, value, from);
        return true;
    }
    return false;
}

/* ---- ballots and votes */

static const char *predicate(struct cg *g, uint32_t id)
{
    if (!cg_is_varying(g, id)) return cg_str(g, "(%s ? %s : 0)", cg_use(g, id, false), g->w->bits);
    return cg_str(g, "(XS(bits)(%s) & %s)", cg_use(g, id, true), g->w->bits);
}

static void write_ballot(struct cg *g, uint32_t value)
{
    const char *b = cg_evaluated(g, "u64", predicate(g, value));
    for (uint32_t i = 0; i < 4; i++)
        cg_set_uniform(g, i, i == 0 ? cg_str(g, "(u32)%s", b) : i == 1 ? cg_str(g, "(u32)(%s >> 32)", b) : "0");
}

/* The result of `e` for ballot b, in each lane l if it mentions l or the lanes' ballots vary. A subgroup has at most 32
 * lanes, so the first component suffices. */
static void from_ballot(struct cg *g, uint32_t ballot, const char *e, bool names_lane)
{
    bool differs = cg_is_varying(g, ballot), lanes = names_lane || differs;
    enum cg_kind kind = cg_leaves_of(g, g->w->inst->type)->leaf[0].kind;
    const char *t = cg_temporary(g, cg_kind_type(g, kind, lanes)), *b = cg_leaf_use(g, ballot, 0, differs);
    cg_put(g, "    %s{\n    u64 b = (u64)(%s)%s & XS_FULL;\n    %s%s = (%s)(%s);\n    }\n",
           lanes ? "for (int l = 0; l < S; l++) " : "", b, differs ? "[l]" : "", t, lanes ? "[l]" : "",
           cg_kind_type(g, kind, false), e);
    if (lanes)
        cg_set_leaf(g, 0, t);
    else
        cg_set_uniform(g, 0, t);
}

static void write_ballot_count(struct cg *g)
{
    uint32_t how = cg_operand(g, 1), ballot = cg_operand(g, 2);
    if (how == SP_GROUP_Reduce)
        from_ballot(g, ballot, "__builtin_popcountll(b)", false);
    else if (how == SP_GROUP_InclusiveScan)
        from_ballot(g, ballot, "__builtin_popcountll(b & ((2ull << l) - 1))", true);
    else
        from_ballot(g, ballot, "__builtin_popcountll(b & ((1ull << l) - 1))", true);
}

static void write_inverse_ballot(struct cg *g, uint32_t ballot)
{
    if (cg_is_varying(g, ballot))
        from_ballot(g, ballot, "-(i32)(b >> l & 1)", true);
    else
        cg_set_leaf(g, 0, cg_str(g, "XS(mask)(%s)", cg_leaf_use(g, ballot, 0, false)));
}

static void write_ballot_bit(struct cg *g, uint32_t ballot, uint32_t index)
{
    bool differs = cg_is_varying(g, index);
    from_ballot(g, ballot, cg_str(g, "-(i32)(b >> ((%s)%s & 63) & 1)", cg_use(g, index, differs), differs ? "[l]" : ""),
                differs);
}

static void write_all_equal(struct cg *g, uint32_t value)
{
    const struct cg_leaves *l = cg_value_leaves(g, value);
    const char *e = "-1";
    for (uint32_t i = 0; i < l->count && cg_is_varying(g, value); i++) {
        enum cg_kind kind = cg_kind_is_small_float(l->leaf[i].kind) ? CG_F32 : l->leaf[i].kind;
        const char *v = cg_widen(g, l->leaf[i].kind, true, cg_leaf_use(g, value, i, true));
        const char *first = cg_splat(g, kind, cg_str(g, "(%s)[XS(first_lane)(%s)]", v, g->w->bits));
        const char *same = cg_str(g, "(XS(bits)(XS_COMPARE(%s, ==, %s)) & %s) == %s", v, first, g->w->bits, g->w->bits);
        e = i ? cg_str(g, "%s & -(%s)", e, same) : cg_str(g, "-(%s)", same);
    }
    cg_set_uniform(g, 0, e);
}

static void write_vote(struct cg *g, uint32_t value, bool all, bool group)
{
    const char *e =
        all ? cg_str(g, "-(%s == %s)", predicate(g, value), g->w->bits) : cg_str(g, "-(%s != 0)", predicate(g, value));
    if (group) {
        const char *t = cg_temporary(g, "u32");
        cg_put(g, "    %s = group_vote(self, %s, %s, %d);\n", t, exchange_table(g), e, all);
        e = cg_str(g, "-(i32)%s", t);
    }
    cg_set_uniform(g, 0, e);
}

static bool write_votes(struct cg *g)
{
    uint32_t first = cg_operand(g, 0), second = cg_operand(g, 1), third = cg_operand(g, 2);
    const char *b = g->w->bits;
    switch (g->w->inst->op) {
    case SP_OP_GroupAll:
    case SP_OP_GroupAny:
        write_vote(g, second, g->w->inst->op == SP_OP_GroupAll, scope_of(g) == SP_SCOPE_Workgroup);
        return true;
    case SP_OP_GroupNonUniformAll: write_vote(g, second, true, false); return true;
    case SP_OP_GroupNonUniformAny: write_vote(g, second, false, false); return true;
    case SP_OP_SubgroupAllKHR: write_vote(g, first, true, false); return true;
    case SP_OP_SubgroupAnyKHR: write_vote(g, first, false, false); return true;
    case SP_OP_GroupNonUniformAllEqual: write_all_equal(g, second); return true;
    case SP_OP_SubgroupAllEqualKHR: write_all_equal(g, first); return true;
    case SP_OP_GroupNonUniformElect: cg_set_leaf(g, 0, cg_str(g, "XS(mask)(%s & -%s)", b, b)); return true;
    case SP_OP_GroupNonUniformBallot: write_ballot(g, second); return true;
    case SP_OP_SubgroupBallotKHR: write_ballot(g, first); return true;
    case SP_OP_GroupNonUniformInverseBallot: write_inverse_ballot(g, second); return true;
    case SP_OP_GroupNonUniformBallotBitCount: write_ballot_count(g); return true;
    case SP_OP_GroupNonUniformBallotFindLSB: from_ballot(g, second, "XS(first_lane)(b)", false); return true;
    case SP_OP_GroupNonUniformBallotFindMSB: from_ballot(g, second, "XS(last_lane)(b)", false); return true;
    case SP_OP_GroupNonUniformBallotBitExtract: write_ballot_bit(g, second, third); return true;
    default: return false;
    }
}

/* ---- barriers, asynchronous copies */

static bool write_barrier(struct cg *g)
{
    const char *kind;
    switch (g->w->inst->op) {
    case SP_OP_MemoryBarrier: cg_put(g, "    __atomic_thread_fence(__ATOMIC_SEQ_CST);\n"); return true;
    case SP_OP_ControlBarrier: kind = "XS_BARRIER_FULL"; break;
    case SP_OP_ControlBarrierArriveEXT: kind = "XS_BARRIER_ARRIVE"; break;
    case SP_OP_ControlBarrierWaitEXT: kind = "XS_BARRIER_WAIT"; break;
    default: return false;
    }
    if (scope_of(g) == SP_SCOPE_Workgroup) {
        if (!cg_write_continuation(g)) cg_put(g, "    self->barrier(self, %s);\n", kind);
    } else {
        cg_put(g, "    __atomic_thread_fence(__ATOMIC_SEQ_CST);\n");
    }
    return true;
}

/* The first subgroup copies; waiting is a barrier. Operands: scope, to, from, elements, stride, event. */
static void write_async_copy(struct cg *g)
{
    const struct sp_type *to = cg_type_of(g, cg_operand(g, 1));
    uint64_t size = sp_type(g->m, to->elem)->size;
    bool gathers = to->storage == SP_STORAGE_Workgroup; /* the stride applies to global memory */
    const char *n = cg_use(g, cg_operand(g, 3), false), *stride = cg_use(g, cg_operand(g, 4), false);
    cg_put(g,
           "    for (u64 i = 0; self->subgroup_id == 0 && i < (u64)%s; i++)\n"
           "        __builtin_memcpy((u8 *)(uintptr_t)%s + i * %lluu%s%s, (const u8 *)(uintptr_t)%s + i * %lluu%s%s, "
           "%llu);\n",
           n, cg_use(g, cg_operand(g, 1), false), (unsigned long long)size, gathers ? "" : " * ", gathers ? "" : stride,
           cg_use(g, cg_operand(g, 2), false), (unsigned long long)size, gathers ? " * " : "", gathers ? stride : "",
           (unsigned long long)size);
    cg_set_uniform(g, 0, "0");
}

bool cg_write_group(struct cg *g)
{
    int reduction = find_reduction(g->w->inst->op);
    uint32_t first = cg_operand(g, 0), second = cg_operand(g, 1), third = cg_operand(g, 2);
    if (reduction >= 0) {
        write_reduction(g, reduction);
        return true;
    }
    if (write_shuffle(g) || write_votes(g) || write_barrier(g)) return true;
    switch (g->w->inst->op) {
    case SP_OP_GroupBroadcast:
        if (scope_of(g) == SP_SCOPE_Workgroup)
            broadcast_group(g, second, third);
        else
            broadcast(g, second, cg_use(g, third, false));
        return true;
    case SP_OP_GroupNonUniformBroadcast: broadcast(g, second, cg_use(g, third, false)); return true;
    case SP_OP_SubgroupReadInvocationKHR: broadcast(g, first, cg_use(g, second, false)); return true;
    case SP_OP_GroupNonUniformBroadcastFirst:
        broadcast(g, second, cg_str(g, "XS(first_lane)(%s)", g->w->bits));
        return true;
    case SP_OP_SubgroupFirstInvocationKHR:
        broadcast(g, first, cg_str(g, "XS(first_lane)(%s)", g->w->bits));
        return true;
    case SP_OP_GroupAsyncCopy: write_async_copy(g); return true;
    case SP_OP_GroupWaitEvents: cg_put(g, "    self->barrier(self, XS_BARRIER_FULL);\n"); return true;
    default: return false;
    }
}
