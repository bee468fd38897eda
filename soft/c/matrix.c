/* matrix.c - matrix products, two-dimensional blocks, subgroup block reads and writes.
 *
 * All are calls to prelude_matrix.h with pointers to fragments: a fragment's components are the leaves of a value, or
 * the items of a fixed private variable, each a lane vector.
 */
#include "fragments.h"

#include <string.h>

/* ---- two-dimensional blocks */

/* The address a pointer into a fixed variable has. The two halves of a tiled one alternate row by row. */
static const char *address_of(struct cg *g, const struct cg_private *p)
{
    const struct cg_held *v = cg_held(g, p->variable);
    int64_t at = p->offset / g->private[p->variable].granule, half = v->tiled ? cg_items(g, p->variable) / 2 : 1;
    if (v->wide) return cg_str(g, "(u8 *)%s + (%s)", cg_var(g, "p", p->variable), cg_wide_place(g, p));
    if (v->tiled) at = at % half * 2 + at / half;
    return cg_str(g, "&%s",
                  cg_fixed_item(g, p->variable,
                                at * g->private[p->variable].granule + p->offset % g->private[p->variable].granule));
}

/* Writes a 2D block instruction. Lanes' data in ordinary memory goes through a copy. */
static void write_block2d(struct cg *g)
{
    bool store = g->w->inst->op == SP_OP_Subgroup2DBlockStoreINTEL;
    uint32_t lanes = cg_operand(g, cg_lanes_operand(g->w->inst));
    const char *name = store                                                       ? "store"
                       : g->w->inst->op == SP_OP_Subgroup2DBlockLoadTransformINTEL ? "load_transform"
                       : g->w->inst->op == SP_OP_Subgroup2DBlockLoadTransposeINTEL ? "load_transpose"
                                                                                   : "load";
    const struct cg_private *p = &g->private[lanes];
    struct cg_block2d b;
    if (!cg_describe_block(g, g->w->inst, &b)) {
        cg_fail(g, "a block of this shape is not supported");
        return;
    }
    if (cg_write_deferred(g)) return;
    if (p->variable && cg_held(g, p->variable)->wide) {
        const char *load =
            cg_wide_load(g, p->variable, &b, "block2d_load", cg_str(g, "(void *)(%s)", address_of(g, p)));
        cg_put(g, "    %s, %s);\n", load, cg_surface(g));
        return;
    }
    if (p->variable && cg_held(g, p->variable)->in_place) {
        bool rows = cg_held(g, p->variable)->height;
        const char *how = rows ? cg_str(g, "rows)(%u, %u, ", b.height, b.count) : "columns)(";
        cg_put(g, "    %s = XS(block2d_%s(u8 *)%s, %s);\n", cg_var(g, "r", p->variable), how, address_of(g, p),
               cg_surface(g));
        return;
    }
    if (p->variable && cg_held(g, p->variable)->tiled) {
        cg_put(g, "    XS(deferred_rows)((u8 *)%s, 64, %u, %u, %s);\n", address_of(g, p), b.elem, b.height,
               cg_surface(g));
        return;
    }
    uint32_t item = p->variable ? g->private[p->variable].granule : 1;
    const char *data, *each = "", *s = cg_surface(g);
    if (p->variable) {
        data = cg_str(g, "&%s", cg_fixed_item(g, p->variable, p->offset));
    } else {
        data = cg_str(g, "t%u", g->w->temporaries++);
        cg_put(g, "    u8x %s[%u];\n", data, (unsigned)b.bytes);
        const char *address = cg_use(g, lanes, true);
        each = cg_str(g, "    XS_EACH (l, %s) for (u32 i = 0; i < %u; i++) ", g->w->bits, (unsigned)b.bytes);
        const char *mine = cg_str(g, "XS_AT(u8, (%s)[l] + i)", address), *part = cg_str(g, "%s[i][l]", data);
        each = cg_str(g, "%s%s = %s;\n", each, store ? part : mine, store ? mine : part);
    }
    if (store) cg_put(g, "%s", each);
    cg_put(g, "    XS(block2d_%s)(%s, %u, %u, %u, %u, %u, %s);\n", name, data, item, b.elem, b.width, b.height, b.count,
           s);
    if (!store) cg_put(g, "%s", each);
}

/* ---- matrix products */

/* The address of a value's components, each a vector of all lanes. */
static const char *fragment(struct cg *g, uint32_t id)
{
    if (!cg_shared(g, id)->forwarded) return cg_address_of(g, id);
    if (cg_is_in_place(g, id)) return cg_str(g, "&%s", cg_var(g, "r", cg_forwarded_from(g, id)));
    return address_of(g, &g->private[g->m->ids[id].def->operand[0]]);
}

/* The same of a product's result, and of the sum `before` that it adds to: of lanes, if they are kept apart. */
static const char *result_of(struct cg *g, uint32_t product)
{
    if (cg_is_apart(g, product)) return cg_var(g, "apart", cg_class(g, product));
    return cg_str(g, "&%s", cg_variable(g, product));
}

static const char *sum_of(struct cg *g, uint32_t product, uint32_t before)
{
    return cg_is_apart(g, product) ? result_of(g, product) : fragment(g, before);
}

static const char *accumulator_kind(enum cg_kind kind)
{
    return kind == CG_F32 ? "XS_ACC_F32" : kind == CG_F16 ? "XS_ACC_F16" : "XS_ACC_BF16";
}

static void write_grid(struct cg *g, const char *call, const struct cg_grid *r, const char *rest)
{
    const char *item[CG_FRAGMENTS * CG_FRAGMENTS] = {0}, *d, *c, *a, *b;
    for (uint32_t i = 0; i < r->ni * r->nj; i++)
        item[i] = result_of(g, r->cell[i / r->nj][i % r->nj]->last);
    d = cg_pointer_list(g, "void", r->ni * r->nj, item);
    for (uint32_t i = 0; i < r->ni * r->nj; i++)
        item[i] = sum_of(g, r->cell[i / r->nj][i % r->nj]->last, r->cell[i / r->nj][i % r->nj]->first);
    c = cg_pointer_list(g, "const void", r->ni * r->nj, item);
    for (uint32_t i = 0; i < r->ni * r->nk; i++) item[i] = fragment(g, r->row[i / r->nk]->a[i % r->nk]);
    a = cg_pointer_list(g, "const void", r->ni * r->nk, item);
    for (uint32_t i = 0; i < r->nj * r->nk; i++) item[i] = fragment(g, r->column[i / r->nk]->b[i % r->nk]);
    b = cg_pointer_list(g, "const void", r->nj * r->nk, item);
    cg_put(g, "    %s%u, %u, %u, %s, %s, %s, %s, %s);\n", call, r->ni, r->nj, r->nk, d, c, a, b, rest);
    g->w->skip = r->span - 1;
}

/* The last arguments of a product: rows, and the form of its operands. */
static const char *form_of(struct cg *g, const struct sp_inst *i)
{
    uint32_t a = i->operand[1], b = i->operand[2];
    bool integer = cg_element(g, i->id) == CG_U32;
    return cg_str(g, "%u, %u%s%s%s%s%s%s", cg_leaves_of(g, i->type)->count,
                  integer ? cg_signs_of(i) : cg_formats_of(g, i),
                  integer || cg_kind_bytes(cg_element(g, b)) == 4 ? " | XS_PACKED" : "",
                  cg_is_wide(g, a) ? " | XS_WIDE_A" : "", cg_is_wide(g, b) ? " | XS_WIDE_B" : "",
                  cg_is_in_place(g, b) ? " | XS_COLUMNS_B" : "", cg_is_apart(g, i->id) ? " | XS_APART" : "",
                  cg_is_tiled(g, a) ? " | XS_TILED_A" : "");
}

static void write_product(struct cg *g)
{
    const struct sp_inst *i = g->w->inst;
    const struct cg_product *p = cg_product_of(g, i);
    struct cg_chain chain[CG_RUN];
    struct cg_grid grid;
    if (!p) {
        cg_fail(g, "a matrix product of these types, sizes and K is not supported with subgroups of this size");
        return;
    }
    if (cg_write_deferred(g)) return;
    const char *tile = cg_tile_product(g, i), *rest = form_of(g, i);
    const char *call = tile ? cg_str(g, "XS(tiles)(self, %s, ", tile) : cg_str(g, "XS(%s_grid)(", p->name);
    if (cg_has_grid(g, i) && cg_next_grid(g, i, chain, &grid)) {
        write_grid(g, call, &grid, rest);
        return;
    }
    const struct cg_leaves *l = cg_leaves_of(g, i->type);
    const char *pa = fragment(g, i->operand[1]), *pb = fragment(g, i->operand[2]), 
               *pc = sum_of(g, i->id, i->operand[3]);
    bool blend = g->value[i->id].blend;
    const char *to = blend ? cg_str(g, "&%s", cg_temporary(g, cg_type_name(g, i->type, true))) : result_of(g, i->id);
    const char *c_kind = accumulator_kind(cg_element(g, i->operand[3])), *d_kind = accumulator_kind(l->leaf[0].kind);
    if (i->op == SP_OP_SubgroupScaledMatrixMultiplyAccumulateINTEL)
        cg_put(g, "    XS(dpas_scaled)(%s, %s, %s, %s, (const u8x *)%s, (const u8x *)%s, %s, %s, %s);\n", to, pa,
               pb, pc, fragment(g, i->operand[4]), fragment(g, i->operand[5]), rest, c_kind, d_kind);
    else if (cg_has_full_sums(g, i))
        cg_put(g,
               "    %s1, 1, 1, (void *[]){%s}, (const void *[]){%s}, (const void *[]){%s}, (const void *[]){%s}, "
               "%s);\n",
               call, to, pc, pa, pb, rest);
    else
        cg_put(g, "    XS(dpas_acc)(XS(%s_grid), %s, %s, %s, %s, %s, %s, %s);\n", p->name, to, pa, pb, pc, rest,
               c_kind, d_kind);
    for (uint32_t k = 0; blend && k < l->count; k++) cg_set_leaf(g, k, cg_str(g, "%s%s", to, l->leaf[k].path));
}

/* ---- block reads and writes: component i of lane l is element i * S + l */

static void write_block_read(struct cg *g)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    const char *p = cg_use(g, cg_operand(g, 0), false);
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t bytes = cg_kind_bytes(l->leaf[i].kind);
        const char *e = cg_str(g, "XS(load_run_%s)(%s + %u, %s)", cg_kind_name(cg_bits_kind(bytes)), p,
                               i * g->S * bytes, g->w->bits);
        cg_set_leaf(g, i, cg_from_bits(g, l->leaf[i].kind, true, e));
    }
}

static void write_block_write(struct cg *g)
{
    uint32_t value = cg_operand(g, 1);
    const struct cg_leaves *l = cg_value_leaves(g, value);
    const char *p = cg_use(g, cg_operand(g, 0), false);
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t bytes = cg_kind_bytes(l->leaf[i].kind);
        const char *e = cg_to_bits(g, l->leaf[i].kind, true, cg_leaf_use(g, value, i, true));
        cg_put(g, "    XS(store_run_%s)(%s + %u, %s, %s);\n", cg_kind_name(cg_bits_kind(bytes)), p, i * g->S * bytes, e,
               g->w->bits);
    }
}

bool cg_write_matrix(struct cg *g)
{
    switch (g->w->inst->op) {
    case SP_OP_SubgroupMatrixMultiplyAccumulateINTEL:
    case SP_OP_SubgroupScaledMatrixMultiplyAccumulateINTEL: write_product(g); return true;
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
