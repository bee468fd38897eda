/* products.c - matrix products: their types, and grids of consecutive products that are computed together
 * (c/prelude_matrix.h).
 */
#include "matrix.h"

#include <string.h>

enum cg_kind cg_element(struct cg *g, uint32_t id)
{
    const struct cg_leaves *l = cg_value_leaves(g, id);
    return l->count ? l->leaf[0].kind : CG_U32;
}

/* ---- kinds of products */

enum { /* A's flags of 8-bit floats and of E2M1 */
    FLOAT8 = SP_DPAS_MatrixAPackedFloat8E4M3INTEL | SP_DPAS_MatrixAPackedFloat8E5M2INTEL,
    FLOAT4 = SP_DPAS_MatrixAPackedFloat4E2M1INTEL
};
static const struct cg_product products[] = {
    {"dpas_f16", 16, SP_DPAS_MatrixAPackedFloat16INTEL, CG_F16, CG_WIDE_F16, "XS_TILE_F16", CG_FLOATS, true},
    {"dpas_bf16", 16, SP_DPAS_MatrixAPackedBFloat16INTEL, CG_BF16, CG_WIDE_BF16, "XS_TILE_BF16", CG_FLOATS, true},
    {"dpas_tf32", 8, SP_DPAS_MatrixATF32INTEL, CG_F32, CG_AS_LOADED, NULL, CG_FLOATS, false},
    {"dpas_i8", 32, SP_DPAS_MatrixAPackedInt8INTEL, CG_U8, CG_WIDE_I8, NULL, CG_INTS, false},
    {"dpas_i4", 64, SP_DPAS_MatrixAPackedInt4INTEL, CG_U32, CG_AS_LOADED, NULL, CG_INTS, false},
    {"dpas_mx", 32, FLOAT8, CG_U32, CG_AS_LOADED, NULL, CG_LONG_FLOATS, true},
    {"dpas_mx", 64, FLOAT4, CG_U32, CG_AS_LOADED, NULL, CG_LONG_FLOATS, true},
};
enum {
    KINDS_OF_A = SP_DPAS_MatrixAPackedFloat16INTEL | SP_DPAS_MatrixAPackedBFloat16INTEL | SP_DPAS_MatrixATF32INTEL |
                 SP_DPAS_MatrixAPackedInt8INTEL | SP_DPAS_MatrixAPackedInt4INTEL | FLOAT8 | FLOAT4
}; /* B's flags are each the next bit */

static bool is_scaled(const struct sp_inst *i) { return i->op == SP_OP_SubgroupScaledMatrixMultiplyAccumulateINTEL; }

static uint32_t flags_of(const struct sp_inst *i)
{
    uint32_t at = is_scaled(i) ? 6 : 4;
    return i->count > at ? i->operand[at] : 0;
}

/* Does an operand with these flags (B's shifted to A's position) have the product's type? */
static bool is_operand_of(const struct cg_product *p, uint32_t flags, enum cg_kind kind)
{
    flags &= KINDS_OF_A;
    if (!flags) return p->form && kind == p->kind;
    if (flags & ~p->flags || flags & (flags - 1)) return false;
    return p->kind == CG_F32 ? kind == CG_F32 : kind == CG_U8 || kind == CG_U16 || kind == CG_U32;
}

static bool is_sum_of(const struct cg_product *p, enum cg_kind kind, bool is_bf16)
{
    if (p->sums == CG_INTS) return kind == CG_U32;
    if (kind == CG_F16) return p->sums == CG_FLOATS;
    return kind == CG_F32 || kind == CG_BF16 || (kind == CG_U16 && is_bf16);
}

/* Eight rows, and of each operand a byte of E8M0 for each 32 values of k in every lane. */
static bool has_scales(struct cg *g, const struct sp_inst *i, uint32_t m, uint64_t depth)
{
    const uint32_t both = SP_DPAS_ScaleAFloat8E8M0INTEL | SP_DPAS_ScaleBFloat8E8M0INTEL;
    if (m != 8 || (flags_of(i) & both) != both) return false;
    for (uint32_t k = 4; k < 6; k++)
        if (cg_element(g, i->operand[k]) != CG_U8 ||
            cg_value_leaves(g, i->operand[k])->count != (depth > 32 ? depth / 32 : 1))
            return false;
    return true;
}

/* Do A and B have the numbers of components implied by M, the lanes, and 32 bytes per row or column? */
static bool has_shape(struct cg *g, const struct sp_inst *i, uint32_t m)
{
    uint32_t a = i->operand[1], b = i->operand[2], row = cg_kind_bytes(cg_element(g, a)) * g->S;
    uint32_t b_bytes = cg_kind_bytes(cg_element(g, b));
    if (row < 32 || cg_value_leaves(g, a)->count != (m * 32 + row - 1) / row) return false;
    return b_bytes * cg_value_leaves(g, b)->count == 32 && b_bytes != 1;
}

const struct cg_product *cg_product_of(struct cg *g, const struct sp_inst *i)
{
    uint32_t flags = flags_of(i), m = cg_leaves_of(g, i->type)->count;
    uint64_t depth = 0;
    if (!m || m > 8 || !sp_constant(g->m, i->operand[0], &depth) || !has_shape(g, i, m)) return NULL;
    if ((depth > 16 || is_scaled(i)) && cg_kind_bytes(cg_element(g, i->operand[2])) != 4) return NULL;
    if (is_scaled(i) && !has_scales(g, i, m, depth)) return NULL;
    for (const struct cg_product *p = products; p < products + sizeof products / sizeof *products; p++)
        if (depth == p->depth && (p->scaled || !is_scaled(i)) &&
            is_operand_of(p, flags, cg_element(g, i->operand[1])) &&
            is_operand_of(p, flags >> 1, cg_element(g, i->operand[2])) &&
            is_sum_of(p, cg_element(g, i->operand[3]), flags & SP_DPAS_MatrixCBFloat16INTEL) &&
            is_sum_of(p, cg_element(g, i->id), flags & SP_DPAS_MatrixResultBFloat16INTEL))
            return p;
    return NULL;
}

bool cg_has_full_sums(struct cg *g, const struct sp_inst *i)
{
    enum cg_kind sum = cg_element(g, i->id);
    if (is_scaled(i)) return false;
    return sum == CG_U32 || (sum == CG_F32 && cg_element(g, i->operand[3]) == CG_F32);
}

uint32_t cg_signs_of(const struct sp_inst *i)
{
    return ((flags_of(i) & SP_DPAS_MatrixASignedComponentsINTEL) != 0) * 2 +
           ((flags_of(i) & SP_DPAS_MatrixBSignedComponentsINTEL) != 0);
}

uint32_t cg_formats_of(struct cg *g, const struct sp_inst *i)
{
    static const uint32_t flags[] = {SP_DPAS_MatrixAPackedFloat16INTEL, SP_DPAS_MatrixAPackedBFloat16INTEL,
                                     SP_DPAS_MatrixAPackedFloat8E4M3INTEL, SP_DPAS_MatrixAPackedFloat8E5M2INTEL,
                                     SP_DPAS_MatrixAPackedFloat4E2M1INTEL};
    uint32_t form = 0;
    for (uint32_t k = 0; k < sizeof flags / sizeof *flags; k++)
        form |= (flags_of(i) & flags[k] ? k << 8 : 0) | (flags_of(i) >> 1 & flags[k] ? k << 12 : 0);
    if (cg_element(g, i->operand[1]) == CG_BF16) form |= 1 << 8;
    if (cg_element(g, i->operand[2]) == CG_BF16) form |= 1 << 12;
    return form;
}

bool cg_has_tiles(const struct cg *g, enum cg_form form)
{
    uint32_t tiles = form == CG_WIDE_F16 ? CG_TILES_F16 : form == CG_WIDE_BF16 ? CG_TILES_BF16 : CG_TILES_I8;
    return g->S == 16 && form && g->o->tiles & tiles;
}

const char *cg_tile_product(struct cg *g, const struct sp_inst *i)
{
    static const char *const integers[] = {"XS_TILE_UU", "XS_TILE_US", "XS_TILE_SU", "XS_TILE_SS"};
    const struct cg_product *p = cg_product_of(g, i);
    if (!p || !cg_has_tiles(g, p->form) || !cg_has_full_sums(g, i)) return NULL;
    return p->form == CG_WIDE_I8 ? integers[cg_signs_of(i)] : p->tile;
}

bool cg_has_grid(struct cg *g, const struct sp_inst *i)
{
    const struct cg_product *p = cg_product_of(g, i);
    return p && p->depth < 64 && p->sums != CG_LONG_FLOATS && cg_has_full_sums(g, i);
}

/* ---- grids */

static bool is_product(const struct sp_inst *i) { return i->op == SP_OP_SubgroupMatrixMultiplyAccumulateINTEL; }

/* Pointers into fixed variables, and fragments read from there: no C is written for them. */
static bool is_silent(struct cg *g, const struct sp_inst *i)
{
    return i->id && (cg_shared(g, i->id)->forwarded || g->private[i->id].variable);
}

static bool is_alike(struct cg *g, const struct sp_inst *i, const struct sp_inst *first)
{
    if (i->type != first->type || g->value[i->id].blend || g->m->ids[i->operand[3]].type != first->type) return false;
    return flags_of(i) == flags_of(first) && g->m->ids[i->operand[1]].type == g->m->ids[first->operand[1]].type &&
           g->m->ids[i->operand[2]].type == g->m->ids[first->operand[2]].type &&
           !cg_is_wide(g, i->operand[1]) == !cg_is_wide(g, first->operand[1]) &&
           !cg_is_wide(g, i->operand[2]) == !cg_is_wide(g, first->operand[2]) &&
           cg_is_in_place(g, i->operand[2]) == cg_is_in_place(g, first->operand[2]) &&
           cg_is_apart(g, i->id) == cg_is_apart(g, first->id) &&
           cg_is_tiled(g, i->operand[1]) == cg_is_tiled(g, first->operand[1]);
}

/* The products of the same kind from `first` on with nothing written in between. A block ends with its terminator, so
 * looking at the next instruction is safe. */
static uint32_t find_run(struct cg *g, const struct sp_inst *first, const struct sp_inst **run)
{
    uint32_t n = 0;
    for (const struct sp_inst *i = first; n < CG_RUN; i++) {
        if (is_product(i) && is_alike(g, i, first))
            run[n++] = i;
        else if (!is_silent(g, i))
            break;
    }
    return n;
}

/* The chains of the first n products; 0 if their order matters. */
static uint32_t find_chains(struct cg *g, uint32_t n, const struct sp_inst *const *run, struct cg_chain *chain)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < n; t++) {
        const struct sp_inst *i = run[t];
        struct cg_chain *c = chain;
        while (c < chain + count && c->class != cg_class(g, i->id)) c++;
        if (c == chain + count) {
            *c = (struct cg_chain){.class = cg_class(g, i->id), .first = i->operand[3]};
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
            if (x != k && cg_class(g, chain[k].first) == chain[x].class) return 0;
            for (uint32_t f = 0; f < chain[k].n; f++)
                if (cg_class(g, chain[k].a[f]) == chain[x].class || cg_class(g, chain[k].b[f]) == chain[x].class)
                    return 0;
        }
    }
    return count;
}

/* Are they the same fragments: the same values, or read from the same place? */
static bool same_fragments(struct cg *g, const uint32_t *a, const uint32_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (a[i] == b[i]) continue;
        if (!cg_forwarded_from(g, a[i]) || cg_forwarded_from(g, a[i]) != cg_forwarded_from(g, b[i])) return false;
        if (g->private[g->m->ids[a[i]].def->operand[0]].offset != g->private[g->m->ids[b[i]].def->operand[0]].offset)
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

bool cg_next_grid(struct cg *g, const struct sp_inst *first, struct cg_chain *chain, struct cg_grid *grid)
{
    const struct sp_inst *run[CG_RUN];
    uint32_t n = find_run(g, first, run);
    while (n > 1 && !find_grid(g, n, run, chain, grid)) n--;
    return n > 1;
}

uint32_t cg_product_span(struct cg *g, const struct sp_inst *i)
{
    struct cg_chain chain[CG_RUN];
    struct cg_grid grid;
    if (!is_product(i)) return 1;
    for (const struct cg_queue *q = g->fn->queues; q; q = q->next)
        if (q->first == i) return q->grid.span;
    return cg_has_grid(g, i) && cg_next_grid(g, i, chain, &grid) ? grid.span : 1;
}
