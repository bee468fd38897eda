/* codegen_matrix.c - matrix products, two-dimensional blocks, block reads and writes of subgroups.
 *
 * All of it is calls of prelude_matrix.h with pointers to fragments: a fragment's components are the leaves of a value,
 * or the items of a fixed private variable, one lane vector each.
 */
#include "codegen.h"

#include <string.h>

/* ---- two-dimensional blocks */

enum { MAX_BLOCK_BYTES = 8192, MAX_BLOCK_ROW = 64 }; /* what the helpers have room for */

struct block {
    uint32_t elem, width, height, count, item;
    uint64_t bytes;
};

static uint32_t power_of_two(uint32_t n)
{
    uint32_t p = 1;
    while (p < n) p *= 2;
    return p;
}

/* Where the instruction has the pointer to the lanes' own data; 0: nowhere. */
static uint32_t lanes_operand(uint16_t op)
{
    switch (op) {
    case SP_OP_Subgroup2DBlockLoadINTEL:
    case SP_OP_Subgroup2DBlockLoadTransformINTEL:
    case SP_OP_Subgroup2DBlockLoadTransposeINTEL: return 9;
    case SP_OP_Subgroup2DBlockStoreINTEL: return 4;
    default: return 0;
    }
}

/* The block's shape, and what a lane has of it; false when the device does not know such a block. */
static bool describe(struct cg *g, const struct sp_inst *i, struct block *b)
{
    uint64_t shape[4];
    for (uint32_t k = 0; k < 4; k++)
        if (!sp_constant(g->m, i->operand[k], &shape[k]) || shape[k] == 0 || shape[k] > 64) return false;
    *b = (struct block){(uint32_t)shape[0], (uint32_t)shape[1], (uint32_t)shape[2], (uint32_t)shape[3], 0, 0};
    bool transform = i->op == SP_OP_Subgroup2DBlockLoadTransformINTEL;
    bool transpose = i->op == SP_OP_Subgroup2DBlockLoadTransposeINTEL;
    if (b->elem > 8 || power_of_two(b->elem) != b->elem || b->elem * b->width > MAX_BLOCK_ROW) return false;
    if ((transform && b->elem > 2) || (transpose && b->elem < 4)) return false;
    uint32_t rows = b->height, columns = power_of_two(b->width), size = b->elem;
    if (transform) {
        rows = (b->height + 4 / b->elem - 1) / (4 / b->elem);
        size = 4;
    } else if (transpose) {
        rows = b->width;
        columns = power_of_two(b->height);
    }
    uint64_t bytes = (uint64_t)b->count * rows * columns * size;
    if (bytes > MAX_BLOCK_BYTES) return false;
    uint32_t turn = size == 1 && columns > g->S ? columns / g->S : size;
    b->item = size == 1 && columns > g->largest_S ? columns / g->largest_S : size;
    b->bytes = (bytes + g->S * turn - 1) / (g->S * turn) * turn;
    return true;
}

bool cg_block_access(struct cg *g, const struct sp_inst *i, uint32_t k, uint32_t *item, uint64_t *bytes)
{
    struct block b;
    if (!k || lanes_operand(i->op) != k || !describe(g, i, &b)) return false;
    *item = b.item;
    *bytes = b.bytes;
    return true;
}

static const char *surface(struct cg *g, uint32_t first)
{
    const char *e = cg_str(g, "%s", cg_use(g, cg_operand(g, first), false));
    for (uint32_t k = 1; k < 4; k++) e = cg_str(g, "%s, %s", e, cg_use(g, cg_operand(g, first + k), false));
    return e;
}

/* A pointer to what each lane holds, and the size of its items; lanes whose own memory it is go through a copy. */
static void write_block2d(struct cg *g)
{
    bool store = g->inst->op == SP_OP_Subgroup2DBlockStoreINTEL;
    uint32_t at = lanes_operand(g->inst->op), lanes = cg_operand(g, at), first = store ? 5 : 4;
    const char *name = store                                                    ? "store"
                       : g->inst->op == SP_OP_Subgroup2DBlockLoadTransformINTEL ? "load_transform"
                       : g->inst->op == SP_OP_Subgroup2DBlockLoadTransposeINTEL ? "load_transpose"
                                                                                : "load";
    const struct cg_value *p = &g->value[lanes];
    struct block b;
    if (!describe(g, g->inst, &b)) {
        cg_fail(g, "a block of this shape is not supported");
        return;
    }
    uint32_t item = p->variable ? g->value[p->variable].granule : 1;
    const char *data, *each = "", *s = surface(g, first);
    const char *x = cg_leaf_use(g, cg_operand(g, store ? 9 : 8), 0, false);
    const char *y = cg_leaf_use(g, cg_operand(g, store ? 9 : 8), 1, false);
    if (p->variable) {
        data = cg_str(g, "&%s", cg_fixed_item(g, p->variable, p->offset));
    } else {
        data = cg_str(g, "t%u", g->temporaries++);
        cg_put(g, "    u8x %s[%u];\n", data, (unsigned)b.bytes);
        const char *address = cg_use(g, lanes, true);
        each = cg_str(g, "    XS_EACH (l, %s) for (u32 i = 0; i < %u; i++) ", g->bits, (unsigned)b.bytes);
        const char *mine = cg_str(g, "XS_AT(u8, (%s)[l] + i)", address), *part = cg_str(g, "%s[i][l]", data);
        each = cg_str(g, "%s%s = %s;\n", each, store ? part : mine, store ? mine : part);
    }
    if (store) cg_put(g, "%s", each);
    cg_put(g, "    XS(block2d_%s)(%s, %u, %u, %u, %u, %u, %s, (i32)%s, (i32)%s);\n", name, data, item, b.elem, b.width,
           b.height, b.count, s, x, y);
    if (!store) cg_put(g, "%s", each);
}

/* ---- matrix products */

/* The address of a value's components, all lanes of each. */
static const char *fragment(struct cg *g, uint32_t id)
{
    const struct sp_id *d = &g->m->ids[id];
    const struct cg_leaves *l = cg_leaves_of(g, d->type);
    bool plain = d->what == SP_IS_PARAMETER || (d->what == SP_IS_VALUE && d->def->op != SP_OP_Undef);
    if (g->value[id].borrowed) {
        const struct cg_value *p = &g->value[d->def->operand[0]];
        return cg_str(g, "&%s", cg_fixed_item(g, p->variable, p->offset));
    }
    if (plain && g->value[id].varying) return cg_str(g, "&v%u", cg_home(g, id));
    const char *t = cg_temporary(g, cg_type_name(g, d->type, true));
    for (uint32_t i = 0; i < l->count; i++) {
        cg_put(g, "    %s%s = %s;\n", t, l->leaf[i].path, cg_leaf_use(g, id, i, true));
    }
    return cg_str(g, "&%s", t);
}

static enum cg_kind element_of(struct cg *g, uint32_t id)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->m->ids[id].type);
    return l->count ? l->leaf[0].kind : CG_U32;
}

static const char *product_name(uint32_t flags, enum cg_kind a)
{
    if (flags & SP_DPAS_MatrixAPackedFloat16INTEL || a == CG_F16) return "dpas_f16";
    if (flags & SP_DPAS_MatrixAPackedBFloat16INTEL || a == CG_BF16) return "dpas_bf16";
    if (flags & SP_DPAS_MatrixATF32INTEL) return "dpas_tf32";
    if (flags & SP_DPAS_MatrixAPackedInt8INTEL || a == CG_U8) return "dpas_i8";
    if (flags & SP_DPAS_MatrixAPackedInt4INTEL) return "dpas_i4";
    return NULL;
}

static const char *accumulator_kind(enum cg_kind kind)
{
    return kind == CG_F32 ? "XS_ACC_F32" : kind == CG_F16 ? "XS_ACC_F16" : "XS_ACC_BF16";
}

/* ---- runs of products: they stand one after the other and differ in their operands only */

enum { MAX_RUN = 64, MAX_RUN_OPERANDS = 8 /* XS_RUN */ };

struct run {
    uint32_t n, na, nb, a[MAX_RUN_OPERANDS], b[MAX_RUN_OPERANDS];
    uint8_t which[MAX_RUN][2];
};

static bool find_operand(uint32_t *list, uint32_t *n, uint32_t id, uint8_t *at)
{
    for (uint32_t i = 0; i < *n; i++) {
        *at = (uint8_t)i;
        if (list[i] == id) return true;
    }
    if (*n == MAX_RUN_OPERANDS) return false;
    *at = (uint8_t)*n;
    list[(*n)++] = id;
    return true;
}

/* A block ends with its terminator, so that looking at the next instruction is safe. */
static void find_run(struct cg *g, struct run *r)
{
    const struct sp_inst *first = g->inst;
    uint32_t flags = first->count > 4 ? first->operand[4] : 0;
    *r = (struct run){0};
    for (const struct sp_inst *i = first; r->n < MAX_RUN; i++, r->n++) {
        if (i->op != SP_OP_SubgroupMatrixMultiplyAccumulateINTEL || i->type != first->type || g->value[i->id].blend)
            return;
        if (g->m->ids[i->operand[1]].type != g->m->ids[first->operand[1]].type ||
            g->m->ids[i->operand[2]].type != g->m->ids[first->operand[2]].type ||
            g->m->ids[i->operand[3]].type != first->type || (i->count > 4 ? i->operand[4] : 0) != flags)
            return;
        if (!find_operand(r->a, &r->na, i->operand[1], &r->which[r->n][0]) ||
            !find_operand(r->b, &r->nb, i->operand[2], &r->which[r->n][1]))
            return;
    }
}

static const char *pointer_list(struct cg *g, const char *type, uint32_t n, const char *const *items)
{
    const char *name = cg_str(g, "t%u", g->temporaries++);
    cg_put(g, "    %s *const %s[] = {", type, name);
    for (uint32_t i = 0; i < n; i++) cg_put(g, "(%s *)%s,%s", type, items[i], i % 8 == 7 ? "\n        " : " ");
    cg_put(g, "};\n");
    return name;
}

static void write_run(struct cg *g, const char *name, const struct run *r, uint32_t m, bool packed)
{
    const struct sp_inst *first = g->inst;
    const char *item[MAX_RUN], *d, *c, *a, *b, *which = cg_str(g, "t%u", g->temporaries++);
    cg_put(g, "    static const u8 %s[] = {", which);
    for (uint32_t i = 0; i < r->n; i++)
        cg_put(g, "%u, %u,%s", r->which[i][0], r->which[i][1], i % 16 == 15 ? "\n        " : " ");
    cg_put(g, "};\n");
    for (uint32_t i = 0; i < r->n; i++) item[i] = cg_str(g, "&v%u", cg_home(g, first[i].id));
    d = pointer_list(g, "f32x", r->n, item);
    for (uint32_t i = 0; i < r->n; i++) item[i] = fragment(g, first[i].operand[3]);
    c = pointer_list(g, "const f32x", r->n, item);
    for (uint32_t i = 0; i < r->na; i++) item[i] = fragment(g, r->a[i]);
    a = pointer_list(g, "const void", r->na, item);
    for (uint32_t i = 0; i < r->nb; i++) item[i] = fragment(g, r->b[i]);
    b = pointer_list(g, "const void", r->nb, item);
    cg_put(g, "    XS(%s_run)(%u, %s, %s, %s, %u, %s, %u, %s, %u, %d);\n", name, r->n, which, d, c, r->na, a, r->nb, b,
           m, packed);
    g->skip = r->n - 1;
}

static bool may_run(const char *name) { return !strcmp(name, "dpas_f16") || !strcmp(name, "dpas_bf16"); }

static void write_product(struct cg *g)
{
    const struct sp_inst *i = g->inst;
    uint32_t a = i->operand[1], b = i->operand[2], c = i->operand[3], flags = i->count > 4 ? i->operand[4] : 0;
    const struct cg_leaves *l = cg_leaves_of(g, i->type);
    enum cg_kind result = l->count ? l->leaf[0].kind : CG_U32, from = element_of(g, c);
    const char *name = product_name(flags, element_of(g, a));
    uint32_t m = l->count,
             row = m ? cg_leaves_of(g, g->m->ids[a].type)->count * cg_kind_bytes(element_of(g, a)) * g->S / m : 0;
    bool half_used = row == 64 && m == 1 && name && !strcmp(name, "dpas_tf32"); /* its 8 lanes, in a register of 16 */
    if (!name || (m != 1 && m != 2 && m != 4 && m != 8) || (row != 32 && !half_used)) {
        cg_fail(g, "a matrix product of these operands is not supported");
        return;
    }
    bool integer = result == CG_U32, wide = result == CG_F32 && from == CG_F32;
    bool packed = cg_kind_bytes(element_of(g, b)) == 4, blend = g->value[i->id].blend;
    struct run run = {0};
    if (wide && may_run(name)) find_run(g, &run);
    if (run.n > 1) {
        write_run(g, name, &run, m, packed);
        return;
    }
    const char *pa = fragment(g, a), *pb = fragment(g, b), *pc = fragment(g, c);
    const char *to = blend ? cg_temporary(g, cg_type_name(g, i->type, true)) : cg_str(g, "v%u", cg_home(g, i->id));
    if (integer) {
        cg_put(g, "    XS(%s)((u32x *)&%s, %s, %s, (const u32x *)%s, %u, %d, %d);\n", name, to, pa, pb, pc, m,
               (flags & SP_DPAS_MatrixASignedComponentsINTEL) != 0,
               (flags & SP_DPAS_MatrixBSignedComponentsINTEL) != 0);
    } else if (wide) {
        cg_put(g, "    XS(%s)((f32x *)&%s, %s, %s, (const f32x *)%s, %u, %d);\n", name, to, pa, pb, pc, m, packed);
    } else {
        cg_put(g, "    XS(dpas_acc)(XS(%s), &%s, %s, %s, %s, %u, %d, %s, %s);\n", name, to, pa, pb, pc, m, packed,
               accumulator_kind(from), accumulator_kind(result));
    }
    for (uint32_t k = 0; blend && k < m; k++) cg_set_leaf(g, k, cg_str(g, "%s%s", to, l->leaf[k].path));
}

/* ---- block reads and writes: component i of lane l is element i * S + l */

static void write_block_read(struct cg *g)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->inst->type);
    const char *p = cg_use(g, cg_operand(g, 0), false);
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t bytes = cg_kind_bytes(l->leaf[i].kind);
        const char *e =
            cg_str(g, "XS(load_run_%s)(%s + %u, %s)", cg_kind_name(cg_bits_kind(bytes)), p, i * g->S * bytes, g->bits);
        cg_set_leaf(g, i, cg_from_bits(g, l->leaf[i].kind, true, e));
    }
}

static void write_block_write(struct cg *g)
{
    uint32_t value = cg_operand(g, 1);
    const struct cg_leaves *l = cg_leaves_of(g, g->m->ids[value].type);
    const char *p = cg_use(g, cg_operand(g, 0), false);
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t bytes = cg_kind_bytes(l->leaf[i].kind);
        const char *e = cg_to_bits(g, l->leaf[i].kind, true, cg_leaf_use(g, value, i, true));
        cg_put(g, "    XS(store_run_%s)(%s + %u, %s, %s);\n", cg_kind_name(cg_bits_kind(bytes)), p, i * g->S * bytes, e,
               g->bits);
    }
}

bool cg_write_matrix(struct cg *g)
{
    switch (g->inst->op) {
    case SP_OP_SubgroupMatrixMultiplyAccumulateINTEL: write_product(g); return true;
    case SP_OP_Subgroup2DBlockLoadINTEL:
    case SP_OP_Subgroup2DBlockLoadTransformINTEL:
    case SP_OP_Subgroup2DBlockLoadTransposeINTEL:
    case SP_OP_Subgroup2DBlockStoreINTEL: write_block2d(g); return true;
    case SP_OP_Subgroup2DBlockPrefetchINTEL:
    case SP_OP_SubgroupBlockPrefetchINTEL: return true; /* a hint */
    case SP_OP_SubgroupBlockReadINTEL: write_block_read(g); return true;
    case SP_OP_SubgroupBlockWriteINTEL: write_block_write(g); return true;
    default: return false;
    }
}
