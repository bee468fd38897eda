/* checks.c - the checked mode's calls around memory accesses and barriers.
 *
 * A call before each access determines which of the active lanes may perform it; the instruction is then written as
 * usual, for those lanes, under a condition. Variables kept in C variables have constant offsets, compared with their
 * sizes when they were placed, so they are not checked. Barriers report which subgroups arrive.
 */
#include "prelude_check.h"
#include "passes/matrix.h"
#include "sites.h"

#include <string.h>

enum { UNUSED_PART = 3 }; /* of the site of an instruction: besides its two accesses and that of checks_private.c */

/* An access of the instruction being written. */
struct access {
    uint32_t pointer, flags;
    bool varying;
    bool sizes;                                /* lanes access different numbers of bytes */
    const char *address, *bytes, *rows, *step; /* rows: NULL for one access per lane */
    const char *call;                          /* a special call; NULL: the usual one */
    const char *needed;                        /* a load's value is needed in these of its lanes; NULL: in all */
    const char *needed_rows;                   /* `rows` of a 2D block, as far as they are needed; NULL: all are */
};

/* ---- the accesses of an instruction */

static bool is_watched(struct cg *g, uint32_t pointer)
{
    const struct sp_type *t = cg_type_of(g, pointer);
    return t && t->kind == SP_POINTER && !g->private[pointer].variable && !g->private[pointer].fixed;
}

static void set_pointer(struct cg *g, struct access *a, uint32_t pointer, uint32_t flags, bool varying)
{
    *a = (struct access){.pointer = pointer, .flags = flags, .varying = varying};
    a->address = cg_use(g, pointer, varying);
    a->bytes = "0";
}

/* The size of a load or store of this type. */
static void set_type(struct cg *g, struct access *a, uint32_t type)
{
    a->bytes = cg_str(g, "%lluu", (unsigned long long)cg_check_extent(g, type, &a->flags));
}

static uint32_t flags_of_atomic(const struct sp_inst *i)
{
    if (!cg_is(i, CG_ATOMIC)) return 0;
    return XS_ATOMIC | (cg_is(i, CG_READS) ? XS_READS : 0) | (cg_is(i, CG_WRITES) ? XS_WRITES : 0);
}

static uint32_t describe_copy(struct cg *g, struct access *a)
{
    uint32_t to = cg_operand(g, 0), from = cg_operand(g, 1), n = 0;
    uint32_t size = g->w->inst->op == SP_OP_CopyMemorySized ? cg_operand(g, 2) : 0;
    bool sizes = size && cg_is_varying(g, size);
    bool varying = sizes || (is_watched(g, to) && cg_is_varying(g, to)) ||
                   (is_watched(g, from) && cg_is_varying(g, from));
    const char *bytes =
        size ? cg_resize(g, cg_use(g, size, sizes), cg_kind_of(g, size), CG_U64, false, sizes)
             : cg_str(g, "%lluu", (unsigned long long)cg_memory_size(g, cg_type_of(g, to)->elem));
    if (is_watched(g, from)) set_pointer(g, &a[n++], from, XS_READS | XS_HOLES | XS_COPY, varying);
    if (is_watched(g, to)) set_pointer(g, &a[n++], to, XS_WRITES | XS_HOLES, varying);
    for (uint32_t i = 0; i < n; i++) a[i].bytes = bytes, a[i].sizes = sizes;
    return n;
}

/* vload and vstore: element `offset`, counted from the pointer in units of their size. */
static uint32_t describe_vector(struct cg *g, struct access *a, uint32_t how)
{
    bool store = how & CG_STORES, half = how & CG_HALF, aligned = how & CG_ALIGNED;
    uint32_t first = store ? 3 : 2, offset = cg_operand(g, first), pointer = cg_operand(g, first + 1);
    const struct cg_leaves *l = cg_leaves_of(g, store ? g->m->ids[cg_operand(g, 2)].type : g->w->inst->type);
    uint32_t item = half ? 2 : cg_kind_bytes(l->leaf[0].kind);
    bool varying = cg_is_varying(g, pointer) || cg_is_varying(g, offset);
    const char *e = cg_resize(g, cg_use(g, offset, varying), cg_kind_of(g, offset), CG_U64, true, varying);
    if (!is_watched(g, pointer)) return 0;
    set_pointer(g, a, pointer, store ? XS_WRITES : XS_READS, varying);
    a->address = cg_str(g, "%s + %s * %uu", a->address, e, item * (l->count == 3 && aligned ? 4 : l->count));
    a->bytes = cg_str(g, "%uu", item * l->count);
    return 1;
}

static uint32_t describe_extended(struct cg *g, struct access *a)
{
    uint32_t number = cg_operand(g, 1), pointer = cg_operand(g, g->w->inst->count - 1u);
    if (cg_operand(g, 0) != g->m->opencl_std) return 0;
    if (cg_vector_access(number)) return describe_vector(g, a, cg_vector_access(number));
    if (!cg_math_stores(g->w->inst) || !is_watched(g, pointer)) return 0;
    set_pointer(g, a, pointer, XS_WRITES, cg_is_varying(g, pointer));
    set_type(g, a, cg_type_of(g, pointer)->elem);
    return 1;
}

/* The shape of a loaded block without its last rows, if nothing reads those. */
static const char *needed_rows(struct cg *g, uint32_t lanes)
{
    uint64_t shape[4];
    if (g->w->inst->op == SP_OP_Subgroup2DBlockLoadTransposeINTEL) return NULL;
    for (uint32_t k = 0; k < 4; k++)
        if (!sp_constant(g->m, cg_operand(g, k), &shape[k])) return NULL;
    if (shape[1] != g->S || shape[0] > 8 || shape[2] > 64) return NULL;
    uint32_t rows = cg_needed_rows(g, cg_operand(g, lanes), (uint32_t)shape[2], (uint32_t)shape[0]);
    return rows < shape[2] ? cg_str(g, "(const u32[]){%uu, %uu, %uu, %uu, 0}", (uint32_t)shape[0], (uint32_t)shape[1],
                                    rows, (uint32_t)shape[3])
                           : NULL;
}

/* The surface, and the lanes' own data if it is in memory. */
static uint32_t describe_block2d(struct cg *g, struct access *a)
{
    bool store = g->w->inst->op == SP_OP_Subgroup2DBlockStoreINTEL;
    uint32_t first = store ? 5 : 4, at = store ? 9 : 8, lanes = cg_lanes_operand(g->w->inst), item;
    uint64_t bytes;
    const char *shape = "";
    set_pointer(g, a, cg_operand(g, first), store ? XS_WRITES : XS_READS | XS_DWORDS, false);
    for (uint32_t k = 0; k < 4; k++) shape = cg_str(g, "%s(u32)%s, ", shape, cg_use(g, cg_operand(g, k), false));
    a->call = cg_str(g, "%s, (u32)%s, (u32)%s, (u32)%s, (i32)%s, (i32)%s", a->address,
                     cg_use(g, cg_operand(g, first + 1), false), cg_use(g, cg_operand(g, first + 2), false),
                     cg_use(g, cg_operand(g, first + 3), false), cg_leaf_use(g, cg_operand(g, at), 0, false),
                     cg_leaf_use(g, cg_operand(g, at), 1, false));
    a->rows = cg_str(g, "(const u32[]){%s0}", shape);
    if (!store) a->needed_rows = needed_rows(g, lanes);
    if (!is_watched(g, cg_operand(g, lanes)) || !cg_block_access(g, g->w->inst, lanes, &item, &bytes)) return 1;
    set_pointer(g, a + 1, cg_operand(g, lanes), store ? XS_READS | XS_HOLES : XS_WRITES, true);
    a[1].bytes = cg_str(g, "%lluu", (unsigned long long)bytes);
    return 2;
}

static uint32_t describe_run(struct cg *g, struct access *a, uint32_t type, uint32_t flags)
{
    const struct cg_leaves *l = cg_leaves_of(g, type);
    set_pointer(g, a, cg_operand(g, 0), flags, false);
    a->bytes = cg_str(g, "%uu", cg_kind_bytes(l->leaf[0].kind));
    a->rows = cg_str(g, "%uu", l->count);
    a->step = "S";
    return 1;
}

static uint32_t describe_matrix(struct cg *g, struct access *a, bool store)
{
    uint32_t pointer = cg_operand(g, 0), stride = cg_operand(g, store ? 3 : 2);
    const struct sp_type *t = sp_type(g->m, store ? g->m->ids[cg_operand(g, 1)].type : g->w->inst->type);
    uint64_t by_columns = 0, size = cg_pointee(g, pointer)->size;
    enum cg_kind kind = cg_kind_of(g, stride);
    if (!is_watched(g, pointer)) return 0;
    sp_constant(g->m, cg_operand(g, store ? 2 : 1), &by_columns);
    set_pointer(g, a, pointer, store ? XS_WRITES : XS_READS, false);
    by_columns = by_columns == SP_LAYOUT_ColumnMajorKHR;
    a->bytes = cg_str(g, "%lluu", (unsigned long long)(by_columns ? t->rows : t->cols) * sp_type(g->m, t->elem)->size);
    a->rows = cg_str(g, "%uu", by_columns ? t->cols : t->rows);
    a->step = cg_str(g, "(u64)(i64)(%s)(%s) * %lluu", cg_kind_signed(g, kind, false), cg_use(g, stride, false),
                     (unsigned long long)size);
    return 1;
}

/* Done by the first subgroup. Operands: scope, to, from, elements, stride, event. */
static uint32_t describe_async(struct cg *g, struct access *a)
{
    const struct sp_type *to = cg_type_of(g, cg_operand(g, 1));
    unsigned long long size = sp_type(g->m, to->elem)->size;
    const char *n = cg_use(g, cg_operand(g, 3), false), *stride = cg_use(g, cg_operand(g, 4), false);
    for (uint32_t k = 0; k < 2; k++) {
        bool strided = (k == 1) == (to->storage == SP_STORAGE_Workgroup);
        set_pointer(g, &a[k], cg_operand(g, 1 + k), (k ? XS_READS : XS_WRITES) | XS_HOLES, false);
        a[k].bytes = cg_str(g, "%lluu", size);
        a[k].rows = cg_str(g, "self->subgroup_id ? 0 : (u64)%s", n);
        a[k].step = strided ? cg_str(g, "%lluu * (u64)%s", size, stride) : cg_str(g, "%lluu", size);
    }
    return 2;
}

static uint32_t describe(struct cg *g, struct access *a)
{
    uint32_t pointer = cg_operand(g, 0), flags = flags_of_atomic(g->w->inst);
    switch (g->w->inst->op) {
    case SP_OP_Load:
    case SP_OP_Store:
    case SP_OP_PredicatedLoadINTEL:
    case SP_OP_PredicatedStoreINTEL:
        if (!is_watched(g, pointer)) return 0;
        set_pointer(g, a, pointer, g->w->inst->id ? cg_check_reading(g, g->w->inst) : XS_WRITES,
                    cg_is_varying(g, pointer));
        set_type(g, a, g->w->inst->id ? g->w->inst->type : g->m->ids[cg_operand(g, 1)].type);
        return 1;
    case SP_OP_CopyMemory:
    case SP_OP_CopyMemorySized: return describe_copy(g, a);
    case SP_OP_ExtInst: return describe_extended(g, a);
    case SP_OP_Subgroup2DBlockLoadINTEL:
    case SP_OP_Subgroup2DBlockLoadTransformINTEL:
    case SP_OP_Subgroup2DBlockLoadTransposeINTEL:
    case SP_OP_Subgroup2DBlockStoreINTEL: return describe_block2d(g, a);
    case SP_OP_SubgroupBlockReadINTEL: return describe_run(g, a, g->w->inst->type, XS_READS);
    case SP_OP_SubgroupBlockWriteINTEL: return describe_run(g, a, g->m->ids[cg_operand(g, 1)].type, XS_WRITES);
    case SP_OP_CooperativeMatrixLoadKHR: return describe_matrix(g, a, false);
    case SP_OP_CooperativeMatrixStoreKHR: return describe_matrix(g, a, true);
    case SP_OP_GroupAsyncCopy: return describe_async(g, a);
    default:
        if (!flags || !is_watched(g, pointer)) return 0;
        set_pointer(g, a, pointer, flags, cg_is_varying(g, pointer));
        a->bytes = cg_str(g, "%lluu", (unsigned long long)cg_pointee(g, pointer)->size);
        return 1;
    }
}

/* ---- barriers */

/* Separate fences may be anywhere, so in modules that have them, all barriers count as full. */
static bool has_fences(const struct sp_module *m)
{
    for (uint32_t n = 0; n < m->function_count; n++)
        CG_EACH (i, b, &m->functions[n])
            if (i->op == SP_OP_MemoryBarrier) return true;
    return false;
}

/* The memory that a barrier does not order. */
static uint32_t missing_fences(struct cg *g)
{
    uint64_t semantics;
    if (g->w->inst->op != SP_OP_ControlBarrier || !sp_constant(g->m, cg_operand(g, 2), &semantics)) return 0;
    if (!g->w->check->fences) g->w->check->fences = has_fences(g->m) ? 2 : 1;
    if (g->w->check->fences == 2) return 0;
    return (semantics & SP_SEMANTICS_WorkgroupMemory ? 0 : XS_NO_LOCAL) |
           (semantics & SP_SEMANTICS_CrossWorkgroupMemory ? 0 : XS_NO_GLOBAL);
}

/* ---- around an instruction */

/* The call that removes forbidden lanes from `bits`. */
static const char *call_of(struct cg *g, const struct access *a, uint32_t part, const char *bits)
{
    uint32_t root = cg_check_root(g, a->pointer);
    if (root && g->private[root].fixed) root = 0;
    const char *site = cg_check_site(g, part, a->pointer, root, a->flags);
    const char *from = root ? cg_use(g, root, a->varying) : a->varying ? "(u64x){0}" : "0";
    if (a->varying) {
        cg_add_frame(g, 4u * 8 * g->S);
        return cg_str(g, "XS_CHECK_%s(%s, %s, %s, %s, %s)", a->sizes ? "SIZES" : "LANES", site, a->address, from,
                      a->bytes, bits);
    }
    if (a->call) return cg_str(g, "check_block2d(self, &%s, %s, %s, %s, %s)", site, a->call, from, a->rows, bits);
    if (a->step && !strcmp(a->step, "S"))
        return cg_str(g, "check_run(self, &%s, %s, %s, %s, %s, S, %s)", site, a->address, from, a->bytes, a->rows,
                      bits);
    return cg_str(g, "check_rows(self, &%s, %s, %s, %s, %s, %s, %s)", site, a->address, from, a->bytes,
                  a->rows ? a->rows : "1", a->step ? a->step : "0", bits);
}

/* The lanes that have no use for what they load, or the rows that have none, are checked apart. */
static const char *calls_of(struct cg *g, const struct access *a, uint32_t part, const char *bits)
{
    struct access rest = *a, read = *a;
    rest.flags |= XS_UNUSED;
    if (a->needed_rows) {
        read.rows = a->needed_rows;
        return call_of(g, &rest, part + UNUSED_PART, cg_evaluated(g, "u64", call_of(g, &read, part, bits)));
    }
    if (!a->needed) return call_of(g, a, part, bits);
    return cg_str(g, "%s | %s", call_of(g, a, part, a->needed),
                  call_of(g, &rest, part + UNUSED_PART, cg_str(g, "%s & ~%s", bits, a->needed)));
}

/* The lanes of a load that need its value (passes/needed.c): NULL: all. */
static const char *needed_lanes(struct cg *g, const struct sp_inst *load)
{
    struct cg_need need[CG_MAX_NEEDS];
    uint32_t n = cg_needs(g, load, need);
    const char *bits = g->w->bits;
    for (uint32_t i = 0; i < n; i++) {
        const bool varying = cg_is_varying(g, need[i].id);
        const enum cg_kind kind = cg_value_leaves(g, need[i].id)->leaf[need[i].component].kind;
        const char *e = cg_leaf_use(g, need[i].id, need[i].component, varying);
        if (kind != CG_BOOL && varying) e = cg_str(g, "XS_COMPARE(%s, !=, (%s){0})", e, cg_kind_type(g, kind, true));
        e = varying ? cg_str(g, "XS(bits)(%s)", e) : cg_str(g, "(%s ? ~(u64)0 : 0)", e);
        bits = cg_str(g, "%s & %s%s", bits, need[i].inverse ? "~" : "", e);
    }
    return n ? cg_evaluated(g, "u64", bits) : NULL;
}

/* The result of a load that is not performed. */
static void write_zeros(struct cg *g)
{
    const struct sp_type *t = g->w->inst->id ? sp_type(g->m, g->w->inst->type) : NULL;
    uint32_t item;
    uint64_t bytes;
    if (g->w->inst->op != SP_OP_Subgroup2DBlockStoreINTEL && cg_block_access(g, g->w->inst, 9, &item, &bytes)) {
        const struct cg_private *p = &g->private[cg_operand(g, 9)];
        if (!p->variable) return;
        const struct cg_held *v = cg_held(g, p->variable);
        cg_put(g, "    __builtin_memset(&%s, 0, %llu);\n",
               cg_fixed_item(g, p->variable, v->wide ? p->offset * (g->private[p->variable].granule / 2) : p->offset),
               (unsigned long long)bytes * g->S * (v->wide ? 2 : 1));
        if (v->in_place)
            cg_put(g, "    %s = (struct XS(rows)){(const u8 *)%s, 32};\n", cg_var(g, "r", p->variable),
                   cg_var(g, "p", p->variable));
    }
    if (!t || t->kind == SP_VOID) return;
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    CG_EACH_LEAF (i, l) cg_set_uniform(g, i, cg_literal(g, l->leaf[i].kind, 0));
}

bool cg_check_begin(struct cg *g)
{
    struct access a[2] = {{0}, {0}};
    uint32_t n;
    if (!g->w->check) g->w->check = cg_alloc(g, sizeof *g->w->check);
    if (g->failed) return false;
    if (cg_waits(g, g->w->inst)) {
        uint32_t flags = g->w->inst->op == SP_OP_ControlBarrierWaitEXT ? XS_WAIT : missing_fences(g);
        cg_put(g, "    check_call(self, barrier, &%s, %s);\n", cg_check_site(g, 0, 0, 0, flags), g->w->bits);
        return false;
    }
    cg_check_items(g);
    n = describe(g, a);
    if (!n || g->failed) return false;
    const char *bits = g->w->bits;
    if (n == 1) a[0].needed = needed_lanes(g, g->w->inst);
    for (uint32_t i = 0; i < n; i++) bits = cg_evaluated(g, "u64", calls_of(g, &a[i], i, bits));
    write_zeros(g);
    cg_put(g, "    if (%s) {\n", bits);
    g->w->check->bits = g->w->bits;
    g->w->bits = bits;
    g->w->check->stores = ((a[0].flags | a[1].flags) & (XS_WRITES | XS_ATOMIC)) == XS_WRITES;
    return true;
}

void cg_check_end(struct cg *g)
{
    if (g->w->check->stores) cg_put(g, "    check_call(self, stored);\n");
    cg_put(g, "    }\n");
    g->w->bits = g->w->check->bits;
}
