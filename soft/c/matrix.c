/* matrix.c - matrix products, two-dimensional blocks, block reads and writes of subgroups.
 *
 * All of it is calls of prelude_matrix.h with pointers to fragments: a fragment's components are the leaves of a value,
 * or the items of a fixed private variable, one lane vector each.
 */
#include "matrix.h"

#include <string.h>

/* ---- two-dimensional blocks */

enum { MAX_BLOCK_BYTES = 8192, MAX_BLOCK_ROW = 64 }; /* what the helpers have room for */

static uint32_t power_of_two(uint32_t n)
{
    uint32_t p = 1;
    while (p < n) p *= 2;
    return p;
}

uint32_t cg_lanes_operand(uint16_t op)
{
    switch (op) {
    case SP_OP_Subgroup2DBlockLoadINTEL:
    case SP_OP_Subgroup2DBlockLoadTransformINTEL:
    case SP_OP_Subgroup2DBlockLoadTransposeINTEL: return 9;
    case SP_OP_Subgroup2DBlockStoreINTEL: return 4;
    default: return 0;
    }
}

bool cg_describe_block(struct cg *g, const struct sp_inst *i, struct cg_block2d *b)
{
    uint64_t shape[4];
    for (uint32_t k = 0; k < 4; k++)
        if (!sp_constant(g->m, i->operand[k], &shape[k]) || shape[k] == 0 || shape[k] > 64) return false;
    *b = (struct cg_block2d){(uint32_t)shape[0], (uint32_t)shape[1], (uint32_t)shape[2], (uint32_t)shape[3], 0, 0};
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
    struct cg_block2d b;
    if (!k || cg_lanes_operand(i->op) != k || !cg_describe_block(g, i, &b)) return false;
    *item = b.item;
    *bytes = b.bytes;
    return true;
}

uint32_t cg_lender(struct cg *g, uint32_t id)
{
    return g->value[id].borrowed ? g->value[g->m->ids[id].def->operand[0]].variable : 0;
}

/* Is a fragment read from a variable of floats? */
static bool is_wide(struct cg *g, uint32_t id) { return cg_lender(g, id) && g->value[cg_lender(g, id)].wide; }
static bool is_tiled(struct cg *g, uint32_t id) { return cg_lender(g, id) && g->value[cg_lender(g, id)].tiled; }

uint32_t cg_items(struct cg *g, uint32_t variable)
{
    const struct sp_type *t = sp_type(g->m, g->m->ids[variable].type);
    return (uint32_t)(cg_memory_size(g, sp_type(g->m, t->elem)->id) / g->value[variable].granule);
}

bool cg_is_wide_int(const struct cg_value *v) { return v->wide >= CG_WIDE_I8; }
uint32_t cg_signs(const struct cg_value *v) { return v->wide - CG_WIDE_I8; }

/* Each 16 bits of a wide variable are a vector of dwords, or half of one. */
const char *cg_wide_place(struct cg *g, const struct cg_value *p)
{
    const struct cg_value *v = &g->value[p->variable];
    uint32_t at = (uint32_t)p->offset / 2 * g->S * 4;
    return cg_is_wide_int(v) ? cg_str(g, "%u >> XS(quads)(%u)", at, cg_signs(v)) : cg_str(g, "%u", at);
}

/* Where a pointer into a fixed variable points. The two halves of a tiled one have their rows in turns. */
static const char *address_of(struct cg *g, const struct cg_value *p)
{
    const struct cg_value *v = &g->value[p->variable];
    int64_t at = p->offset / v->granule, half = v->tiled ? cg_items(g, p->variable) / 2 : 1;
    if (v->wide) return cg_str(g, "(u8 *)p%u + (%s)", p->variable, cg_wide_place(g, p));
    if (v->tiled) at = at % half * 2 + at / half;
    return cg_str(g, "&%s", cg_fixed_item(g, p->variable, at * v->granule + p->offset % v->granule));
}

const char *cg_wide_load(struct cg *g, const struct cg_value *v, const struct cg_block2d *b, const char *how,
                         const char *to)
{
    static const char *const floats[] = {"", "f16", "bf16"};
    bool of_b = v->granule == 4, late = !strncmp(how, "late", 4);
    if (!cg_is_wide_int(v))
        return cg_str(g, "XS(%s_%s)(%s, %u, %u%s", how, floats[v->wide], to, b->height, b->count,
                      late ? "" : of_b ? ", 1" : ", 0");
    if (of_b) return cg_str(g, "XS(%s_quads)(%s, %u, %u, %u", how, to, cg_signs(v), b->height, b->count);
    return cg_str(g, "XS(%s_rows)(%s, %u, %u, %u, %u", how, to, cg_signs(v), b->elem, b->height, b->count);
}

const char *cg_surface(struct cg *g, uint32_t first)
{
    const char *e = cg_str(g, "%s", cg_use(g, cg_operand(g, first), false));
    for (uint32_t k = 1; k < 4; k++) e = cg_str(g, "%s, %s", e, cg_use(g, cg_operand(g, first + k), false));
    return e;
}

/* A pointer to what each lane holds, and the size of its items; lanes whose own memory it is go through a copy. */
static void write_block2d(struct cg *g)
{
    bool store = g->inst->op == SP_OP_Subgroup2DBlockStoreINTEL;
    uint32_t at = cg_lanes_operand(g->inst->op), lanes = cg_operand(g, at), first = store ? 5 : 4;
    const char *name = store                                                    ? "store"
                       : g->inst->op == SP_OP_Subgroup2DBlockLoadTransformINTEL ? "load_transform"
                       : g->inst->op == SP_OP_Subgroup2DBlockLoadTransposeINTEL ? "load_transpose"
                                                                                : "load";
    const struct cg_value *p = &g->value[lanes];
    struct cg_block2d b;
    if (!cg_describe_block(g, g->inst, &b)) {
        cg_fail(g, "a block of this shape is not supported");
        return;
    }
    if (cg_write_late(g)) return;
    if (p->variable && g->value[p->variable].wide) {
        const char *load = cg_wide_load(g, &g->value[p->variable], &b, "block2d_load",
                                        cg_str(g, "(void *)(%s)", address_of(g, p)));
        cg_put(g, "    %s, %s, (i32)%s, (i32)%s);\n", load, cg_surface(g, first),
               cg_leaf_use(g, cg_operand(g, 8), 0, false), cg_leaf_use(g, cg_operand(g, 8), 1, false));
        return;
    }
    if (p->variable && g->value[p->variable].tiled) {
        cg_put(g, "    XS(block2d_load_pairs)(%s, %u, %u, %s, (i32)%s, (i32)%s);\n", address_of(g, p), b.elem, b.height,
               cg_surface(g, first), cg_leaf_use(g, cg_operand(g, 8), 0, false),
               cg_leaf_use(g, cg_operand(g, 8), 1, false));
        return;
    }
    uint32_t item = p->variable ? g->value[p->variable].granule : 1;
    const char *data, *each = "", *s = cg_surface(g, first);
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
        return address_of(g, &g->value[d->def->operand[0]]);
    }
    if (plain && g->value[id].varying) return cg_str(g, "&%s", cg_variable(g, id));
    const char *t = cg_temporary(g, cg_type_name(g, d->type, true));
    for (uint32_t i = 0; i < l->count; i++) {
        cg_put(g, "    %s%s = %s;\n", t, l->leaf[i].path, cg_leaf_use(g, id, i, true));
    }
    return cg_str(g, "&%s", t);
}

static bool has_float_grid(const char *name)
{
    return name && (!strcmp(name, "dpas_f16") || !strcmp(name, "dpas_bf16"));
}

enum cg_kind cg_element(struct cg *g, uint32_t id)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->m->ids[id].type);
    return l->count ? l->leaf[0].kind : CG_U32;
}

const char *cg_product_name(uint32_t flags, enum cg_kind a)
{
    if (flags & SP_DPAS_MatrixAPackedFloat16INTEL || a == CG_F16) return "dpas_f16";
    if (flags & SP_DPAS_MatrixAPackedBFloat16INTEL || a == CG_BF16) return "dpas_bf16";
    if (flags & SP_DPAS_MatrixATF32INTEL) return "dpas_tf32";
    if (flags & SP_DPAS_MatrixAPackedInt4INTEL) return "dpas_i4";
    if (flags & SP_DPAS_MatrixAPackedInt8INTEL || a == CG_U8) return "dpas_i8";
    return NULL;
}

static const char *accumulator_kind(enum cg_kind kind)
{
    return kind == CG_F32 ? "XS_ACC_F32" : kind == CG_F16 ? "XS_ACC_F16" : "XS_ACC_BF16";
}

/* ---- products that follow each other and form a grid: see prelude_matrix.h */

static bool is_product(const struct sp_inst *i) { return i->op == SP_OP_SubgroupMatrixMultiplyAccumulateINTEL; }

/* Pointers into fixed variables, and fragments that are read there: nothing is written for them. */
static bool is_silent(struct cg *g, const struct sp_inst *i)
{
    return i->id && (g->value[i->id].borrowed || g->value[i->id].variable);
}

static bool is_alike(struct cg *g, const struct sp_inst *i, const struct sp_inst *first)
{
    if (i->type != first->type || g->value[i->id].blend || g->m->ids[i->operand[3]].type != first->type) return false;
    if ((i->count > 4 ? i->operand[4] : 0) != (first->count > 4 ? first->operand[4] : 0)) return false;
    return g->m->ids[i->operand[1]].type == g->m->ids[first->operand[1]].type &&
           g->m->ids[i->operand[2]].type == g->m->ids[first->operand[2]].type &&
           !is_wide(g, i->operand[1]) == !is_wide(g, first->operand[1]) &&
           !is_wide(g, i->operand[2]) == !is_wide(g, first->operand[2]) &&
           is_tiled(g, i->operand[1]) == is_tiled(g, first->operand[1]);
}

/* The products of the same kind from g->inst on with nothing written between them. A block ends with its terminator, so
 * that looking at the next instruction is safe. */
static uint32_t find_run(struct cg *g, const struct sp_inst **run)
{
    uint32_t n = 0;
    for (const struct sp_inst *i = g->inst; n < CG_RUN; i++) {
        if (is_product(i) && is_alike(g, i, g->inst)) run[n++] = i;
        else if (!is_silent(g, i)) break;
    }
    return n;
}

/* The chains of the first n products; 0 when the order in which they are done matters. */
static uint32_t find_chains(struct cg *g, uint32_t n, const struct sp_inst *const *run, struct cg_chain *chain)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < n; t++) {
        const struct sp_inst *i = run[t];
        struct cg_chain *c = chain;
        while (c < chain + count && c->home != cg_home(g, i->id)) c++;
        if (c == chain + count) {
            *c = (struct cg_chain){.home = cg_home(g, i->id), .first = i->operand[3]};
            count++;
        } else if (c->last != i->operand[3] || c->n == CG_FRAGMENTS) {
            return 0;
        }
        c->last = i->id;
        c->a[c->n] = i->operand[1];
        c->b[c->n++] = i->operand[2];
    }
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t x = 0; x < count; x++) {
            if (x != k && cg_home(g, chain[k].first) == chain[x].home) return 0;
            for (uint32_t f = 0; f < chain[k].n; f++)
                if (cg_home(g, chain[k].a[f]) == chain[x].home || cg_home(g, chain[k].b[f]) == chain[x].home) return 0;
        }
    }
    return count;
}

/* The same fragments: the same values, or read at the same place. */
static bool same_fragments(struct cg *g, const uint32_t *a, const uint32_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (a[i] == b[i]) continue;
        if (!cg_lender(g, a[i]) || cg_lender(g, a[i]) != cg_lender(g, b[i])) return false;
        if (g->value[g->m->ids[a[i]].def->operand[0]].offset != g->value[g->m->ids[b[i]].def->operand[0]].offset)
            return false;
    }
    return true;
}

static bool find_grid(struct cg *g, uint32_t n, const struct sp_inst *const *run, struct cg_chain *chain,
                      struct cg_grid *r)
{
    uint32_t count = find_chains(g, n, run, chain);
    *r = (struct cg_grid){.nk = chain[0].n, .span = (uint32_t)(run[n - 1] - run[0]) + 1};
    for (uint32_t k = 0; k < count; k++) {
        const struct cg_chain *c = &chain[k];
        uint32_t i = 0, j = 0;
        if (c->n != r->nk) return false;
        while (i < r->ni && !same_fragments(g, r->row[i]->a, c->a, r->nk)) i++;
        while (j < r->nj && !same_fragments(g, r->column[j]->b, c->b, r->nk)) j++;
        if ((i + 1) * r->nk > CG_FRAGMENTS || (j + 1) * r->nk > CG_FRAGMENTS) return false;
        if (i == r->ni) r->row[r->ni++] = c;
        if (j == r->nj) r->column[r->nj++] = c;
        if (r->cell[i][j]) return false;
        r->cell[i][j] = c;
    }
    return count && r->ni * r->nj == count;
}

const char *cg_pointer_list(struct cg *g, const char *type, uint32_t n, const char *const *items)
{
    const char *name = cg_str(g, "t%u", g->temporaries++);
    cg_put(g, "    %s *const %s[] = {", type, name);
    for (uint32_t i = 0; i < n; i++) cg_put(g, "(%s *)%s,%s", type, items[i], i % 8 == 7 ? "\n        " : " ");
    cg_put(g, "};\n");
    return name;
}

static void write_grid(struct cg *g, const char *call, const char *sum, const struct cg_grid *r, const char *rest)
{
    const char *item[CG_FRAGMENTS * CG_FRAGMENTS] = {0}, *d, *c, *a, *b;
    for (uint32_t i = 0; i < r->ni * r->nj; i++)
        item[i] = cg_str(g, "&%s", cg_variable(g, r->cell[i / r->nj][i % r->nj]->home));
    d = cg_pointer_list(g, sum, r->ni * r->nj, item);
    for (uint32_t i = 0; i < r->ni * r->nj; i++) item[i] = fragment(g, r->cell[i / r->nj][i % r->nj]->first);
    c = cg_pointer_list(g, cg_str(g, "const %s", sum), r->ni * r->nj, item);
    for (uint32_t i = 0; i < r->ni * r->nk; i++) item[i] = fragment(g, r->row[i / r->nk]->a[i % r->nk]);
    a = cg_pointer_list(g, "const void", r->ni * r->nk, item);
    for (uint32_t i = 0; i < r->nj * r->nk; i++) item[i] = fragment(g, r->column[i / r->nk]->b[i % r->nk]);
    b = cg_pointer_list(g, "const void", r->nj * r->nk, item);
    cg_put(g, "    %s%u, %u, %u, %s, %s, %s, %s, %s);\n", call, r->ni, r->nj, r->nk, d, c, a, b, rest);
    g->skip = r->span - 1;
}

bool cg_next_grid(struct cg *g, struct cg_chain *chain, struct cg_grid *grid)
{
    const struct sp_inst *run[CG_RUN];
    uint32_t n = find_run(g, run);
    while (n > 1 && !find_grid(g, n, run, chain, grid)) n--;
    return n > 1;
}

static bool write_products(struct cg *g, const char *call, const char *sum, const char *rest)
{
    struct cg_chain chain[CG_RUN];
    struct cg_grid grid;
    bool found = cg_next_grid(g, chain, &grid);
    if (found) write_grid(g, call, sum, &grid, rest);
    return found;
}

/* What each product is of: K, the types that A's and B's components may have (B's rows are 32 bits together; 16-bit
 * ones may also come one by one). `flags` are A's. */
static const struct product {
    const char *name;
    uint32_t depth, flags;
    enum cg_kind kind; /* that says so by itself */
} products[] = {
    {"dpas_f16", 16, SP_DPAS_MatrixAPackedFloat16INTEL, CG_F16},
    {"dpas_bf16", 16, SP_DPAS_MatrixAPackedBFloat16INTEL, CG_BF16},
    {"dpas_tf32", 8, SP_DPAS_MatrixATF32INTEL, CG_F32},
    {"dpas_i8", 32, SP_DPAS_MatrixAPackedInt8INTEL, CG_U8},
    {"dpas_i4", 64, SP_DPAS_MatrixAPackedInt4INTEL, CG_U32},
};
enum {
    KINDS_OF_A = SP_DPAS_MatrixAPackedFloat16INTEL | SP_DPAS_MatrixAPackedBFloat16INTEL | SP_DPAS_MatrixATF32INTEL |
                 SP_DPAS_MatrixAPackedInt8INTEL | SP_DPAS_MatrixAPackedInt4INTEL
}; /* B's are each the next bit */

/* Is an operand with these flags, A's or B's moved to where A's are, of the product's type? */
static bool is_operand_of(const struct product *p, uint32_t flags, enum cg_kind kind)
{
    bool tf32 = p->kind == CG_F32;
    flags &= KINDS_OF_A;
    if (!flags) return !tf32 && kind == p->kind && strcmp(p->name, "dpas_i4") != 0;
    return flags == p->flags && (tf32 ? kind == CG_F32 : kind == CG_U8 || kind == CG_U16 || kind == CG_U32);
}

static bool is_sum_of(const struct product *p, enum cg_kind kind, bool is_bf16)
{
    if (p->depth > 16) return kind == CG_U32;
    return kind == CG_F32 || kind == CG_F16 || kind == CG_BF16 || (kind == CG_U16 && is_bf16);
}

/* Have A and B as many components as M, the lanes and 32 bytes of a row or column make them? */
static bool has_shape(struct cg *g, const struct sp_inst *i, uint32_t m)
{
    uint32_t a = i->operand[1], b = i->operand[2], row = cg_kind_bytes(cg_element(g, a)) * g->S;
    uint32_t b_bytes = cg_kind_bytes(cg_element(g, b));
    if (row < 32 || cg_leaves_of(g, g->m->ids[a].type)->count != (m * 32 + row - 1) / row) return false;
    return b_bytes * cg_leaves_of(g, g->m->ids[b].type)->count == 32 && b_bytes != 1;
}

static bool is_product_of(struct cg *g, const struct sp_inst *i, const char *name)
{
    uint32_t flags = i->count > 4 ? i->operand[4] : 0, m = cg_leaves_of(g, i->type)->count;
    uint64_t depth = 0;
    if (!name || !m || m > 8 || !sp_constant(g->m, i->operand[0], &depth) || !has_shape(g, i, m)) return false;
    for (const struct product *p = products; p < products + sizeof products / sizeof *products; p++)
        if (!strcmp(p->name, name))
            return depth == p->depth && is_operand_of(p, flags, cg_element(g, i->operand[1])) &&
                   is_operand_of(p, flags >> 1, cg_element(g, i->operand[2])) &&
                   is_sum_of(p, cg_element(g, i->operand[3]), flags & SP_DPAS_MatrixCBFloat16INTEL) &&
                   is_sum_of(p, cg_leaves_of(g, i->type)->leaf[0].kind, flags & SP_DPAS_MatrixResultBFloat16INTEL);
    return false;
}

const char *cg_tile_product(struct cg *g, const struct sp_inst *i)
{
    uint32_t flags = i->count > 4 ? i->operand[4] : 0;
    const char *name = cg_product_name(flags, cg_element(g, i->operand[1]));
    enum cg_kind sum = cg_element(g, i->id);
    bool full = sum == CG_U32 || (sum == CG_F32 && cg_element(g, i->operand[3]) == CG_F32);
    return full && is_product_of(g, i, name) ? cg_tile_name(g, name, flags) : NULL;
}

/* As prelude_matrix.h has them. */
static uint32_t signs_of(uint32_t flags)
{
    return ((flags & SP_DPAS_MatrixASignedComponentsINTEL) != 0) * 2 +
           ((flags & SP_DPAS_MatrixBSignedComponentsINTEL) != 0);
}

static void write_product(struct cg *g)
{
    const struct sp_inst *i = g->inst;
    uint32_t a = i->operand[1], b = i->operand[2], c = i->operand[3], flags = i->count > 4 ? i->operand[4] : 0;
    const struct cg_leaves *l = cg_leaves_of(g, i->type);
    enum cg_kind result = l->count ? l->leaf[0].kind : CG_U32, from = cg_element(g, c);
    const char *name = cg_product_name(flags, cg_element(g, a)), *sum = result == CG_U32 ? "u32x" : "f32x", *rest;
    uint32_t m = l->count;
    if (!is_product_of(g, i, name)) {
        cg_fail(g, "a matrix product of these types, sizes and K is not supported with subgroups of this size");
        return;
    }
    bool integer = result == CG_U32, wide = result == CG_F32 && from == CG_F32, blend = g->value[i->id].blend;
    const char *tile = cg_tile_product(g, i);
    const char *wides = cg_str(g, "%s%s", is_wide(g, a) ? " | XS_WIDE_A" : "", is_wide(g, b) ? " | XS_WIDE_B" : "");
    if (cg_write_late(g)) return;
    if (tile)
        rest = cg_str(g, "%u, %s%s", m, integer || cg_kind_bytes(cg_element(g, b)) == 4 ? "XS_PACKED" : "0",
                      is_tiled(g, a) ? " | XS_TILED_A" : "");
    else if (integer)
        rest = cg_str(g, "%u, %u, 0%s", m, signs_of(flags), wides);
    else
        rest = cg_str(g, "%u, %s%s", m, cg_kind_bytes(cg_element(g, b)) == 4 ? "XS_PACKED" : "0", wides);
    if (tile) {
        if (write_products(g, cg_str(g, "XS(tiles)(self, %s, ", tile), "void", rest)) return;
    } else if ((wide && has_float_grid(name)) || !strcmp(name, "dpas_i8")) {
        if (write_products(g, cg_str(g, "XS(%s_grid)(", name), sum, rest)) return;
    }
    const char *pa = fragment(g, a), *pb = fragment(g, b), *pc = fragment(g, c);
    const char *to = blend ? cg_temporary(g, cg_type_name(g, i->type, true)) : cg_variable(g, i->id);
    if (tile)
        cg_put(g, "    XS(tile)(self, %s, &%s, %s, %s, %s, %s);\n", tile, to, pc, pa, pb, rest);
    else if (integer || wide)
        cg_put(g, "    XS(%s)((%s *)&%s, %s, %s, (const %s *)%s, %s);\n", name, sum, to, pa, pb, sum, pc, rest);
    else
        cg_put(g, "    XS(dpas_acc)(XS(%s), &%s, %s, %s, %s, %s, %s, %s);\n", name, to, pa, pb, pc, rest,
               accumulator_kind(from), accumulator_kind(result));
    for (uint32_t k = 0; blend && k < m; k++) cg_set_leaf(g, k, cg_str(g, "%s%s", to, l->leaf[k].path));
}

/* ---- fragments that are only ever loaded as blocks and multiplied are floats, or pairs of 16 bits, from the start;
 * where tiles multiply them, operand A has rows as long as a tile's instead */

enum {
    AS_ROWS = 1,
    AS_VNNI = 2,
    AS_PAIRS = 4, /* the variable is two pieces side by side, rows of 32 bytes each */
    NOT_PAIRS = 8,
    OTHERWISE = 16,
    IN_A = 32,
    IN_B = 64,
    AS_BYTE_ROWS = 128,
    AS_BYTE_VNNI = 256,
    OF_F16 = 512,
    OF_BF16 = 1024,
    OF_I8 = 2048 /* unsigned both; and three more: see signs_of */
};

/* Of a product, whose operand k is read in the variable p points into. */
static uint32_t use_in_product(struct cg *g, const struct sp_inst *i, uint32_t k, const struct cg_value *p)
{
    const char *name = cg_product_name(i->count > 4 ? i->operand[4] : 0, cg_element(g, i->operand[1]));
    uint32_t m = cg_leaves_of(g, i->type)->count, half = cg_items(g, p->variable) / 2;
    bool floats = cg_element(g, i->operand[3]) == CG_F32 && cg_element(g, i->id) == CG_F32;
    uint32_t use = k == 1 ? IN_A : IN_B;
    if (k > 2 || !name || (has_float_grid(name) ? !floats : strcmp(name, "dpas_i8") != 0)) return OTHERWISE;
    if (k == 1 && (!half || p->offset / g->value[p->variable].granule % half + m > half)) use |= NOT_PAIRS;
    return use | (!strcmp(name, "dpas_f16")    ? OF_F16
                  : !strcmp(name, "dpas_bf16") ? OF_BF16
                                               : OF_I8 << signs_of(i->count > 4 ? i->operand[4] : 0));
}

/* Of an instruction whose operand k points into `variable`. */
static uint32_t use_in_load(struct cg *g, const struct sp_inst *i, uint32_t k, uint32_t variable)
{
    uint32_t granule = g->value[variable].granule;
    struct cg_block2d b;
    if (!k || cg_lanes_operand(i->op) != k || !cg_describe_block(g, i, &b)) return OTHERWISE;
    bool columns = b.elem == 2 && b.width == g->S;
    if (i->op == SP_OP_Subgroup2DBlockLoadINTEL && g->S == 16 && granule == 2 && b.elem * b.width == 32) {
        bool whole = g->value[i->operand[k]].offset == 0 && cg_items(g, variable) == 2 * b.height;
        return (b.count == 2 && whole ? AS_PAIRS : NOT_PAIRS) | (columns ? AS_ROWS : AS_BYTE_ROWS);
    }
    bool vnni = i->op == SP_OP_Subgroup2DBlockLoadTransformINTEL && b.width == g->S && granule == 4;
    return !vnni || b.height * b.elem % 4 ? OTHERWISE : b.elem == 1 ? AS_BYTE_VNNI : AS_VNNI;
}

/* What an instruction does with the fixed variables that its operands point into, or were borrowed from. */
static void note_fragments(struct cg *g, const struct sp_inst *i, uint16_t *seen)
{
    if (i->op == SP_OP_Variable && i->count > 1) seen[g->ordinal[i->id]] |= OTHERWISE;
    if (i->op == SP_OP_LifetimeStart || i->op == SP_OP_LifetimeStop) return;
    for (uint32_t k = 0; k < i->count; k++) {
        if (!cg_is_value_operand(i, k)) continue;
        uint32_t id = i->operand[k], variable = g->value[id].fixed ? id : g->value[id].variable;
        if (cg_lender(g, id))
            seen[g->ordinal[cg_lender(g, id)]] |= use_in_product(g, i, k, &g->value[g->m->ids[id].def->operand[0]]);
        else if (variable && !(i->id && (g->value[i->id].variable || g->value[i->id].borrowed)))
            seen[g->ordinal[variable]] |= use_in_load(g, i, k, variable);
    }
}

static void choose_form(struct cg *g, uint32_t id, uint32_t seen)
{
    static const struct {
        uint32_t type;
        enum cg_form form;
        const char *product;
    } types[] = {{OF_F16, CG_WIDE_F16, "dpas_f16"},       {OF_BF16, CG_WIDE_BF16, "dpas_bf16"},
                 {OF_I8, CG_WIDE_I8, "dpas_i8"},          {OF_I8 << 1, CG_WIDE_I8 + 1, "dpas_i8"},
                 {OF_I8 << 2, CG_WIDE_I8 + 2, "dpas_i8"}, {OF_I8 << 3, CG_WIDE_I8 + 3, "dpas_i8"}};
    const uint32_t pairs = AS_PAIRS | NOT_PAIRS, rows = AS_ROWS | AS_BYTE_ROWS;
    struct cg_value *v = &g->value[id];
    for (uint32_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        bool ints = types[k].form >= CG_WIDE_I8, of_a = (seen & ~pairs & ~rows) == (IN_A | types[k].type);
        bool of_b = seen == ((ints ? AS_BYTE_VNNI : AS_VNNI) | IN_B | types[k].type);
        if (cg_tile_name(g, types[k].product, 0))
            v->tiled |= of_a && (seen & pairs) == AS_PAIRS;
        else if (ints && g->o->check)
            continue; /* what a load does not bring is cleared there: where that is would be for the prelude to say */
        else if (of_b || (of_a && g->S == 16 && (ints || (seen & rows) == AS_ROWS)))
            v->wide = (uint8_t)types[k].form;
    }
}

void cg_widen_fragments(struct cg *g, struct cg_function *fn)
{
    const struct sp_function *f = fn->f;
    uint16_t *seen = cg_alloc(g, (fn->value_count + 1) * sizeof *seen); /* by ordinal */
    if (g->failed) return;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t k = 0; k < f->blocks[b].count; k++) note_fragments(g, &f->blocks[b].inst[k], seen);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t k = 0; k < f->blocks[b].count; k++) {
            uint32_t id = f->blocks[b].inst[k].id;
            if (id && seen[g->ordinal[id]]) choose_form(g, id, seen[g->ordinal[id]]);
        }
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
