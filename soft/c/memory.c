/* memory.c - variables, addresses, loads, stores, atomics.
 *
 * Addresses are u64, also those of local memory (which is host memory like everything else). Private variables whose
 * uses all have constant byte offsets are "fixed": arrays of C variables, one for each item of the smallest size they
 * are accessed with; wider accesses combine items by shifts (such as a fragment written in 16-bit parts and read in
 * 32-bit ones). The others are in memory, with each lane's copy contiguous. Built-in variables are fixed ones whose
 * contents are expressions.
 */
#include "codegen.h"

#include <string.h>

/* ---- variables of the function being written */

static void store_at(struct cg *g, uint32_t pointer, const struct cg_leaf *leaf, const char *value, bool varying);

static void declare_variable(struct cg *g, const struct sp_inst *i)
{
    const struct cg_value *v = &g->value[i->id];
    const struct cg_private *p = &g->private[i->id];
    const struct cg_queue *q = cg_deferred(g, i->id)->queue;
    /* What is in place is used as a whole, after it was loaded with its edges padded. */
    bool wide = cg_held(g, i->id)->wide, in_place = cg_held(g, i->id)->in_place;
    const struct sp_type *t = sp_type(g->m, sp_type(g->m, i->type)->elem);
    uint64_t bytes = cg_memory_size(g, t->id);
    if (p->fixed) {
        enum cg_kind kind = wide ? CG_F32 : cg_bits_kind(p->granule);
        uint64_t items = wide ? bytes / 2 : bytes / p->granule;
        uint32_t room = cg_queue_room(q);
        cg_declare(g, q || in_place ? CG_PLAIN : CG_ZERO, cg_kind_type(g, kind, v->stored_varying), "p", i->id,
                   cg_str(g, "[%u]%s", (unsigned)items * room + (bytes == 0), q ? " XS_ALIGNED(64)" : ""));
        cg_add_frame(g, bytes * (v->stored_varying ? g->S : 1) * (wide ? 2 : 1) * room);
        if (in_place) cg_declare(g, CG_PLAIN, "struct XS(rows)", "r", i->id, "");
        if (g->o->check) cg_check_variable(g, i, bytes, 0);
    } else {
        uint64_t size = (bytes + 15) & ~(uint64_t)15;
        cg_declare(g, CG_PLAIN, "u8", "p", i->id,
                   cg_str(g, "[%llu] XS_ALIGNED(64)", (unsigned long long)(size * g->S + (size == 0))));
        cg_declare(g, CG_PLAIN, "u64x", "v", i->id, "");
        cg_put(g, "    %s = (u64)(uintptr_t)%s + XS_CONVERT(XS(lane_index)(), u64x) * %llu;\n", cg_var(g, "v", i->id),
               cg_var(g, "p", i->id), (unsigned long long)size);
        cg_add_frame(g, size * g->S);
        cg_written(g, g->fn)->private_bytes += size;
        if (g->o->check) cg_check_variable(g, i, bytes, size * g->S);
    }
    if (i->count < 2) return;
    uint32_t init = i->operand[1];
    const struct cg_leaves *l = cg_value_leaves(g, init);
    CG_EACH_LEAF (k, l) store_at(g, i->id, &l->leaf[k], cg_leaf_use(g, init, k, false), false);
}

void cg_declare_variables(struct cg *g)
{
    const struct sp_function *f = g->fn->f;
    g->w->mask = "m0";
    g->w->bits = "b0";
    CG_EACH (i, b, f) {
        cg_set_inst(g, i);
        if (g->w->inst->op == SP_OP_Variable) declare_variable(g, g->w->inst);
    }
    cg_set_inst(g, NULL);
}

/* ---- items of fixed variables */

static const char *load_fixed(struct cg *g, uint32_t variable, int64_t offset, uint32_t bytes, bool varying)
{
    uint32_t item = g->private[variable].granule;
    bool vector = g->value[variable].stored_varying;
    const char *e = NULL;
    for (uint32_t k = 0; k < bytes / item; k++) {
        const char *p = cg_fixed_item(g, variable, offset + k * item);
        if (bytes != item) {
            p = cg_resize(g, p, cg_bits_kind(item), cg_bits_kind(bytes), false, vector);
            if (k) p = cg_str(g, "%s << %u", p, k * item * 8);
        }
        e = e ? cg_str(g, "%s | %s", e, p) : p;
    }
    e = cg_str(g, "(%s)", e ? e : "0");
    return varying && !vector ? cg_splat(g, cg_bits_kind(bytes), e) : e;
}

static void store_fixed(struct cg *g, uint32_t variable, int64_t offset, uint32_t bytes, const char *value,
                        bool varying)
{
    uint32_t item = g->private[variable].granule;
    enum cg_kind kind = cg_bits_kind(item);
    bool vector = g->value[variable].stored_varying, masked = g->w->mask[0] != 'm';
    if (vector && !varying) value = cg_splat(g, cg_bits_kind(bytes), value);
    if (bytes != item) value = cg_evaluated(g, cg_kind_type(g, cg_bits_kind(bytes), vector), value);
    for (uint32_t k = 0; k < bytes / item; k++) {
        const char *to = cg_fixed_item(g, variable, offset + k * item), *e = value;
        if (bytes != item && k) e = cg_str(g, "(%s >> %u)", e, k * item * 8);
        if (bytes != item) e = cg_resize(g, e, cg_bits_kind(bytes), kind, false, vector);
        if (vector && masked) e = cg_select(g, kind, g->w->mask, e, to);
        cg_put(g, "    %s = %s;\n", to, e);
    }
}

static bool is_volatile(const struct sp_inst *i)
{
    uint32_t at = i->op == SP_OP_Load ? 1 : i->op == SP_OP_Store ? 2 : 3;
    bool accesses = i->op == SP_OP_Load || i->op == SP_OP_Store || cg_is(i, CG_PREDICATED);
    return accesses && i->count > at && (i->operand[at] & SP_ACCESS_Volatile);
}

/* ---- an access to memory: a load, as an expression, or a store of `value` */

/* By a helper for lanes: load_run_u32, store_spaced_u8 and so on. */
static const char *call_helper(struct cg *g, const char *how, enum cg_kind bits, const char *where, const char *value)
{
    return cg_str(g, "XS(%s_%s%s)(%s%s%s, %s)", value ? "store" : "load", how, cg_kind_name(bits), where,
                  value ? ", " : "", value ? value : "", g->w->bits);
}

/* Through an affine address: contiguous, regularly spaced, or all from one address. */
static const char *access_affine(struct cg *g, uint32_t pointer, const char *offset, enum cg_kind bits,
                                 const char *value)
{
    const struct cg_affine *p = cg_affine(g, pointer);
    const char *at = cg_str(g, "%s + %s", cg_var(g, "v", pointer), offset);
    const char *spaced = cg_str(g, "%s, %lluu", at, (unsigned long long)p->step);
    if (p->checked)
        return call_helper(g, "affine_", bits,
                           cg_str(g, "%s, %s, &%s, %s", spaced, cg_var(g, "ok", pointer), cg_var(g, "w", pointer),
                                  offset),
                           value);
    if (p->step == 0 && !value) return cg_splat(g, bits, cg_str(g, "XS_AT(%s, %s)", cg_kind_name(bits), at));
    if (p->step == cg_kind_bytes(bits)) return call_helper(g, "run_", bits, at, value);
    if (!cg_is_long(g->fn) || g->o->quick) return call_helper(g, "spaced_", bits, spaced, value);
    const char *far = call_helper(g, "spaced_far_", bits, spaced, value ? "&x_" : NULL);
    return value ? cg_str(g, "({ const %s x_ = %s; %s; })", cg_kind_type(g, bits, true), value, far) : far;
}

/* Through a pointer of unknown origin, or to volatile memory. */
static const char *access_direct(struct cg *g, uint32_t pointer, const char *offset, enum cg_kind bits,
                                 const char *value)
{
    bool lanes = cg_is_varying(g, pointer), slow = is_volatile(g->w->inst);
    const char *at = cg_str(g, "%s + %s", cg_use(g, pointer, lanes), offset);
    if (lanes) return call_helper(g, slow ? "volatile_" : "", bits, at, value);
    return cg_str(g, "%s(%s, %s)%s%s", slow ? "XS_AT_VOLATILE" : "XS_AT", cg_kind_name(bits), at, value ? " = " : "",
                  value ? value : "");
}

/* `offset` bytes after the pointer: a vector if that varies. */
static const char *access(struct cg *g, uint32_t pointer, uint64_t offset, enum cg_kind bits, const char *value)
{
    uint32_t from = cg_derived(g, pointer)->root, root = from ? from : pointer;
    const char *bytes = cg_str(g, "%lluu", (unsigned long long)offset);
    if (is_volatile(g->w->inst)) return access_direct(g, pointer, bytes, bits, value);
    if (cg_is_varying(g, pointer) && cg_derived(g, root)->accessed) {
        bool large = cg_is_large(g->fn) && !value;
        return call_helper(g, large ? "root_" : "at_", bits,
                           cg_str(g, "%s%s, %s, %s + %s", large ? "&" : "", cg_var(g, "v", root), cg_var(g, "s", root),
                                  from ? cg_var(g, "o", pointer) : "(u64)0", bytes),
                           value);
    }
    return (cg_affine(g, pointer)->is ? access_affine : access_direct)(g, pointer, bytes, bits, value);
}

/* The value that is stored for all lanes, or in one place. */
static const char *to_be_stored(struct cg *g, bool lanes, enum cg_kind kind, const char *value, bool varying)
{
    if (lanes && !varying) return cg_splat(g, kind, value);
    return !lanes && varying ? cg_str(g, "(%s)[XS(last_lane)(%s)]", value, g->w->bits) : value;
}

/* ---- loads and stores */

static const char *load_bits(struct cg *g, uint32_t pointer, uint64_t offset, uint32_t bytes, bool varying)
{
    const struct cg_private *at = &g->private[pointer];
    enum cg_kind bits = cg_bits_kind(bytes);
    if (at->variable) return load_fixed(g, at->variable, at->offset + (int64_t)offset, bytes, varying);
    const char *e = access(g, pointer, offset, bits, NULL);
    return varying && !cg_is_varying(g, pointer) ? cg_splat(g, bits, e) : e;
}

static const char *load_leaf(struct cg *g, uint32_t pointer, uint64_t offset, enum cg_kind kind, bool varying)
{
    uint32_t builtin, variable = g->private[pointer].variable, bytes = cg_kind_bytes(kind);
    if (variable && cg_builtin_of(g, variable, &builtin)) {
        return cg_builtin_item(g, builtin, (uint32_t)((g->private[pointer].offset + (int64_t)offset) / bytes), kind,
                               varying);
    }
    return cg_from_bits(g, kind, varying, load_bits(g, pointer, offset, bytes, varying));
}

/* Loads an integer whose size is not 1, 2, 4 or 8 bytes, piece by piece. */
static const char *load_pieces(struct cg *g, uint32_t pointer, const struct cg_leaf *leaf, bool varying)
{
    uint32_t bytes = cg_leaf_bytes(leaf), n;
    const char *e = NULL;
    for (uint32_t at = 0; at < bytes; at += n) {
        n = cg_piece(bytes - at);
        const char *p = load_bits(g, pointer, leaf->offset + at, n, varying);
        p = cg_resize(g, p, cg_bits_kind(n), leaf->kind, false, varying);
        e = e ? cg_str(g, "%s | %s << %u", e, p, 8 * at) : p;
    }
    return cg_str(g, "(%s)", e);
}

static void store_pieces(struct cg *g, uint32_t pointer, const struct cg_leaf *leaf, const char *value, bool varying)
{
    uint32_t bytes = cg_leaf_bytes(leaf), n;
    const char *t = cg_evaluated(g, cg_kind_type(g, leaf->kind, varying), value);
    for (uint32_t at = 0; at < bytes; at += n) {
        n = cg_piece(bytes - at);
        enum cg_kind kind = cg_bits_kind(n);
        const char *e = cg_resize(g, cg_str(g, "(%s >> %u)", t, 8 * at), leaf->kind, kind, false, varying);
        cg_store_leaf(g, pointer, leaf->offset + at, kind, e, varying);
    }
}

static bool has_pieces(struct cg *g, const struct cg_leaf *leaf)
{
    uint32_t bytes = cg_leaf_bytes(leaf);
    if (cg_piece(bytes) == bytes) return false;
    if (leaf->nest) cg_fail(g, "large arrays of integers of %u bits are not supported", leaf->narrow);
    return true;
}

void cg_store_leaf(struct cg *g, uint32_t pointer, uint64_t offset, enum cg_kind kind, const char *value, bool varying)
{
    const struct cg_private *at = &g->private[pointer];
    enum cg_kind bits = cg_bits_kind(cg_kind_bytes(kind));
    value = cg_to_bits(g, kind, varying, value);
    if (at->variable) {
        store_fixed(g, at->variable, at->offset + (int64_t)offset, cg_kind_bytes(kind), value, varying);
        return;
    }
    value = to_be_stored(g, cg_is_varying(g, pointer), bits, value, varying);
    cg_put(g, "    %s;\n", access(g, pointer, offset, bits, value));
}

/* Loads within loops over arrays, whose values are in memory. */
static const char *load_nested(struct cg *g, uint32_t pointer, const struct cg_leaf *leaf, bool varying)
{
    bool lanes = cg_is_varying(g, pointer);
    const char *e = access_direct(g, pointer, cg_str(g, "(u64)(%s)", cg_leaf_offset(g, leaf)),
                                  cg_bits_kind(cg_kind_bytes(leaf->kind)), NULL);
    e = cg_from_bits(g, leaf->kind, lanes, e);
    return varying && !lanes ? cg_splat(g, leaf->kind, e) : e;
}

static void store_nested(struct cg *g, uint32_t pointer, const struct cg_leaf *leaf, const char *value, bool varying)
{
    bool lanes = cg_is_varying(g, pointer);
    value = cg_to_bits(g, leaf->kind, lanes, to_be_stored(g, lanes, leaf->kind, value, varying));
    cg_put(g, "    %s;\n",
           access_direct(g, pointer, cg_str(g, "(u64)(%s)", cg_leaf_offset(g, leaf)),
                         cg_bits_kind(cg_kind_bytes(leaf->kind)), value));
}

static void store_at(struct cg *g, uint32_t pointer, const struct cg_leaf *leaf, const char *value, bool varying)
{
    if (has_pieces(g, leaf))
        store_pieces(g, pointer, leaf, value, varying);
    else if (leaf->nest)
        store_nested(g, pointer, leaf, value, varying);
    else
        cg_store_leaf(g, pointer, leaf->offset, leaf->kind, value, varying);
}

static void write_load(struct cg *g)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    uint32_t pointer = cg_operand(g, 0);
    bool varying = cg_is_varying(g, g->w->inst->id);
    if (cg_shared(g, g->w->inst->id)->forwarded) return;
    CG_EACH_LEAF (i, l) {
        const struct cg_leaf *leaf = &l->leaf[i];
        cg_set_leaf(g, i,
                    has_pieces(g, leaf) ? load_pieces(g, pointer, leaf, varying)
                    : leaf->nest        ? load_nested(g, pointer, leaf, varying)
                                        : load_leaf(g, pointer, leaf->offset, leaf->kind, varying));
    }
}

static void write_store(struct cg *g)
{
    uint32_t value = cg_operand(g, 1);
    const struct cg_leaves *l = cg_value_leaves(g, value);
    bool varying = cg_is_varying(g, value);
    CG_EACH_LEAF (i, l) store_at(g, cg_operand(g, 0), &l->leaf[i], cg_leaf_use(g, value, i, varying), varying);
}

/* Between variables in memory, lane by lane if an address or the size varies. */
static void write_copy_of_memory(struct cg *g)
{
    const struct sp_inst *i = g->w->inst;
    uint64_t bytes = 0;
    const char *of[3], *size = NULL;
    bool sized = i->op == SP_OP_CopyMemorySized, each = false;
    if (!sized && cg_copy_size(g, i, &bytes)) size = cg_literal(g, CG_U64, bytes);
    for (uint32_t k = 0; k < (sized ? 3 : 2); k++) {
        bool varying = cg_is_varying(g, i->operand[k]);
        of[k] = cg_str(g, "(%s)%s", cg_use(g, i->operand[k], varying), varying ? "[l]" : "");
        each = each || varying;
    }
    cg_put(g, "    XS_EACH (l, %s) __builtin_memmove((void *)(uintptr_t)%s, (const void *)(uintptr_t)%s, %s);\n",
           each ? g->w->bits : "1", of[0], of[1], size ? size : of[2]);
}

static void write_copy(struct cg *g)
{
    uint32_t to = cg_operand(g, 0), from = cg_operand(g, 1);
    uint32_t into = g->private[to].variable, out_of = g->private[from].variable;
    uint64_t bytes = 0;
    bool varying = cg_content_varies(g, from);
    if (!into && !out_of) {
        write_copy_of_memory(g);
        return;
    }
    if (!cg_copy_size(g, g->w->inst, &bytes)) cg_fail(g, "a copy of unknown size to or from a private variable");
    /* in units of the larger item, since less than an item cannot be stored */
    uint32_t to_item = into ? g->private[into].granule : 1;
    uint32_t item = out_of && g->private[out_of].granule > to_item ? g->private[out_of].granule : to_item;
    for (uint64_t at = 0; at < bytes && !g->failed; at += item)
        cg_store_leaf(g, to, at, cg_bits_kind(item), load_bits(g, from, at, item, varying), varying);
}

/* ---- addresses */

static const char *index_times(struct cg *g, uint32_t index, uint64_t size, bool varying)
{
    bool own = cg_is_varying(g, index);
    const char *wide = cg_resize(g, cg_use(g, index, own), cg_kind_of(g, index), CG_U64, true, own);
    wide = cg_str(g, "%s * %lluu", wide, (unsigned long long)size);
    return varying && !own ? cg_splat(g, CG_U64, wide) : wide;
}

static void write_chain(struct cg *g)
{
    const struct sp_inst *i = g->w->inst;
    const struct cg_derived *d = cg_derived(g, i->id);
    bool varying = cg_is_varying(g, i->id) && !d->root;
    uint32_t base = i->operand[0];
    struct cg_walk w = {.chain = i};
    const char *e = !d->root ? cg_use(g, base, varying) : cg_derived(g, base)->root ? cg_var(g, "o", base) : "(u64)0";
    while (cg_next_index(g, &w))
        if (w.stride) e = cg_str(g, "%s + %s", e, index_times(g, w.index, w.stride, varying));
    if (!w.type) {
        cg_fail(g, "an index into a structure is not a constant within it");
        return;
    }
    if (w.offset) e = cg_str(g, "%s + (u64)%lldll", e, (long long)w.offset);
    if (d->root)
        cg_put(g, "    %s = %s;\n", cg_var(g, "o", i->id), e);
    else
        cg_set_leaf(g, 0, e);
    if (d->accessed) cg_put(g, "    %s = XS(stride)(%s);\n", cg_var(g, "s", i->id), cg_var(g, "v", i->id));
}

/* ---- atomics */

static const struct {
    uint16_t op;
    const char *name;
} atomics[] = {
    {SP_OP_AtomicExchange, "exchange"},
    {SP_OP_AtomicFlagTestAndSet, "exchange"},
    {SP_OP_AtomicCompareExchange, "cas"},
    {SP_OP_AtomicCompareExchangeWeak, "cas"},
    {SP_OP_AtomicIIncrement, "iadd"},
    {SP_OP_AtomicIAdd, "iadd"},
    {SP_OP_AtomicIDecrement, "isub"},
    {SP_OP_AtomicISub, "isub"},
    {SP_OP_AtomicSMin, "smin"},
    {SP_OP_AtomicUMin, "umin"},
    {SP_OP_AtomicSMax, "smax"},
    {SP_OP_AtomicUMax, "umax"},
    {SP_OP_AtomicAnd, "and"},
    {SP_OP_AtomicOr, "or"},
    {SP_OP_AtomicXor, "xor"},
    {SP_OP_AtomicFAddEXT, "fadd"},
    {SP_OP_AtomicFMinEXT, "fmin"},
    {SP_OP_AtomicFMaxEXT, "fmax"},
};

static const char *of_lane(struct cg *g, uint32_t id, enum cg_kind kind)
{
    bool varying = cg_is_varying(g, id);
    const char *e = cg_affine(g, id)->is ? cg_affine_lane(g, id, "l") : cg_use(g, id, varying);
    if (varying && !cg_affine(g, id)->is) e = cg_str(g, "(%s)[l]", e);
    return cg_to_bits(g, kind, false, e);
}

/* The function for an atomic: one without atomic instructions if memory is known to be local. */
static const char *atomic_function(struct cg *g, const char *name, enum cg_kind kind)
{
    const struct sp_type *p = cg_type_of(g, cg_operand(g, 0));
    bool is_float = kind == CG_F32 || kind == CG_F64, local = p->storage == SP_STORAGE_Workgroup && !g->o->check;
    const char *full = cg_str(g, "%s_%s", name, cg_kind_name(kind)), *f = is_float ? cg_kind_name(kind) : "";
    if (!local || (!is_float && kind > CG_U64)) return cg_str(g, "atomic_%s", full);
    CG_HELPER (cg_str(g, "local_%s", full)) {
        const char *apply = !strcmp(name, "exchange") ? "XS_SECOND" : !strcmp(name, "isub") ? "XS_MINUS" : full;
        if (!strcmp(name, "cas"))
            cg_put(g, "XS_LOCAL_CAS(%u)\n", 8 * cg_kind_bytes(kind));
        else
            cg_put(g, "XS_LOCAL_ATOMIC(%s, %s, %u, %s, %s%s, %s%s)\n", full, apply, 8 * cg_kind_bytes(kind),
                   cg_kind_name(kind), f, is_float ? "_bits" : "", is_float ? "bits_" : "", f);
    }
    return cg_str(g, "XS(local_%s)", full);
}

/* The head of a loop over active lanes l. */
static const char *each_lane(struct cg *g)
{
    if (g->fn->full && !strcmp(g->w->bits, "b0")) return "for (u32 l = 0; l < S; l++)";
    return cg_str(g, "XS_EACH (l, %s)", g->w->bits);
}

static void write_atomic(struct cg *g, const char *name)
{
    const struct sp_inst *i = g->w->inst;
    bool flag = i->op == SP_OP_AtomicFlagTestAndSet, cas = !strcmp(name, "cas");
    bool is_float = cg_is(i, CG_FLOAT);
    enum cg_kind kind = flag ? CG_U32 : cg_leaves_of(g, i->type)->leaf[0].kind,
                 bits = cg_bits_kind(cg_kind_bytes(kind));
    const char *r = cg_temporary(g, cg_kind_type(g, bits, true)), *value = "1";
    if (is_float && kind != CG_F32 && kind != CG_F64 && kind != CG_F16 && kind != CG_BF16) {
        cg_fail(g, "atomics on this type are not supported");
        return;
    }
    if (cas)
        value = cg_str(g, "%s, %s", of_lane(g, cg_operand(g, 4), kind), of_lane(g, cg_operand(g, 5), kind));
    else if (i->count > 3)
        value = of_lane(g, cg_operand(g, 3), kind);
    cg_put(g, "    %s = (%s){0};\n    %s %s[l] = %s(%s, %s);\n", r, cg_kind_type(g, bits, true), each_lane(g), r,
           atomic_function(g, name, is_float ? kind : bits), of_lane(g, cg_operand(g, 0), CG_U64), value);
    cg_set_leaf(g, 0, flag ? cg_str(g, "%s != 0", r) : cg_from_bits(g, kind, true, r));
}

static void write_atomic_load(struct cg *g)
{
    enum cg_kind kind = cg_leaves_of(g, g->w->inst->type)->leaf[0].kind, bits = cg_bits_kind(cg_kind_bytes(kind));
    const char *address = of_lane(g, cg_operand(g, 0), CG_U64);
    if (!cg_is_varying(g, cg_operand(g, 0))) {
        cg_set_uniform(g, 0,
                       cg_from_bits(g, kind, false, cg_str(g, "atomic_load_%s(%s)", cg_kind_name(bits), address)));
        return;
    }
    const char *r = cg_temporary(g, cg_kind_type(g, bits, true));
    cg_put(g, "    %s = (%s){0};\n    XS_EACH (l, %s) %s[l] = atomic_load_%s(%s);\n", r, cg_kind_type(g, bits, true),
           g->w->bits, r, cg_kind_name(bits), address);
    cg_set_leaf(g, 0, cg_from_bits(g, kind, true, r));
}

static void write_atomic_store(struct cg *g)
{
    bool flag = g->w->inst->op == SP_OP_AtomicFlagClear;
    uint32_t value = cg_operand(g, 3);
    enum cg_kind kind = flag ? CG_U32 : cg_kind_of(g, value);
    cg_put(g, "    XS_EACH (l, %s) atomic_store_%s(%s, %s);\n", g->w->bits,
           cg_kind_name(cg_bits_kind(cg_kind_bytes(kind))), of_lane(g, cg_operand(g, 0), CG_U64),
           flag ? "0" : of_lane(g, value, kind));
}

/* Queries on generic pointers, lane by lane. */
static void write_generic(struct cg *g, const char *name, enum cg_kind kind)
{
    uint32_t pointer = cg_operand(g, 0);
    if (!cg_is_varying(g, g->w->inst->id)) {
        cg_set_leaf(g, 0, cg_str(g, "%s(self, %s)", name, cg_use(g, pointer, false)));
        return;
    }
    const char *from = cg_temporary(g, "u64x"), *to = cg_temporary(g, cg_kind_type(g, kind, true));
    cg_put(g, "    %s = %s;\n    for (int l = 0; l < S; l++) %s[l] = %s(self, %s[l]);\n", from,
           cg_use(g, pointer, true), to, name, from);
    cg_set_leaf(g, 0, to);
}

bool cg_write_memory(struct cg *g)
{
    for (size_t k = 0; k < sizeof atomics / sizeof *atomics; k++) {
        if (atomics[k].op != g->w->inst->op) continue;
        write_atomic(g, atomics[k].name);
        return true;
    }
    if (g->w->inst->id && g->private[g->w->inst->id].variable) return cg_is(g->w->inst, CG_CHAIN | CG_SAME_POINTER);
    if (cg_is(g->w->inst, CG_CHAIN)) {
        write_chain(g);
        return true;
    }
    switch (g->w->inst->op) {
    case SP_OP_Load:
    case SP_OP_PredicatedLoadINTEL: write_load(g); return true;
    case SP_OP_Store:
    case SP_OP_PredicatedStoreINTEL: write_store(g); return true;
    case SP_OP_CopyMemory:
    case SP_OP_CopyMemorySized: write_copy(g); return true;
    case SP_OP_AtomicLoad: write_atomic_load(g); return true;
    case SP_OP_AtomicStore:
    case SP_OP_AtomicFlagClear: write_atomic_store(g); return true;
    case SP_OP_GenericPtrMemSemantics: write_generic(g, "semantics_of", CG_U32); return true;
    case SP_OP_GenericCastToPtrExplicit:
        write_generic(g,
                      cg_operand(g, 1) == SP_STORAGE_Workgroup  ? "cast_to_local"
                      : cg_operand(g, 1) == SP_STORAGE_Function ? "cast_to_private"
                                                                : "cast_to_global",
                      CG_U64);
        return true;
    default: return false;
    }
}
