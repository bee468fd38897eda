/* products.c - matrix products: their types, and grids of consecutive products that are computed together
 * (c/prelude_matrix.h).
 */
#include "matrix.h"

#include <string.h>

const char *cg_tile_name(struct cg *g, const char *product, uint32_t flags)
{
    static const char *const integers[] = {"XS_TILE_UU", "XS_TILE_US", "XS_TILE_SU", "XS_TILE_SS"};
    if (g->S != 16 || !product) return NULL;
    if (!strcmp(product, "dpas_f16")) return g->o->tiles & CG_TILES_F16 ? "XS_TILE_F16" : NULL;
    if (!strcmp(product, "dpas_bf16")) return g->o->tiles & CG_TILES_BF16 ? "XS_TILE_BF16" : NULL;
    if (strcmp(product, "dpas_i8") != 0 || !(g->o->tiles & CG_TILES_I8)) return NULL;
    return integers[((flags & SP_DPAS_MatrixASignedComponentsINTEL) != 0) * 2 +
                    ((flags & SP_DPAS_MatrixBSignedComponentsINTEL) != 0)];
}

bool cg_has_float_grid(const char *name) { return name && (!strcmp(name, "dpas_f16") || !strcmp(name, "dpas_bf16")); }

enum cg_kind cg_element(struct cg *g, uint32_t id)
{
    const struct cg_leaves *l = cg_value_leaves(g, id);
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

static bool is_product(const struct sp_inst *i) { return i->op == SP_OP_SubgroupMatrixMultiplyAccumulateINTEL; }

/* Pointers into fixed variables, and fragments read from there: no C is written for them. */
static bool is_silent(struct cg *g, const struct sp_inst *i)
{
    return i->id && (cg_shared(g, i->id)->forwarded || g->private[i->id].variable);
}

static bool is_alike(struct cg *g, const struct sp_inst *i, const struct sp_inst *first)
{
    if (i->type != first->type || g->value[i->id].blend || g->m->ids[i->operand[3]].type != first->type) return false;
    if ((i->count > 4 ? i->operand[4] : 0) != (first->count > 4 ? first->operand[4] : 0)) return false;
    return g->m->ids[i->operand[1]].type == g->m->ids[first->operand[1]].type &&
           g->m->ids[i->operand[2]].type == g->m->ids[first->operand[2]].type &&
           !cg_is_wide(g, i->operand[1]) == !cg_is_wide(g, first->operand[1]) &&
           !cg_is_wide(g, i->operand[2]) == !cg_is_wide(g, first->operand[2]) &&
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

/* A kind of product: K, and the types that components of A and B may have (rows of B are
 * packed into 32 bits; 16-bit ones may also be separate). `flags` are A's. */
static const struct product {
    const char *name;
    uint32_t depth, flags;
    enum cg_kind kind; /* a component type that implies it */
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
}; /* B's flags are each the next bit */

/* Does an operand with these flags (B's shifted to A's position) have the product's type? */
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

/* Do A and B have the numbers of components implied by M, the lanes, and 32 bytes per row or column? */
static bool has_shape(struct cg *g, const struct sp_inst *i, uint32_t m)
{
    uint32_t a = i->operand[1], b = i->operand[2], row = cg_kind_bytes(cg_element(g, a)) * g->S;
    uint32_t b_bytes = cg_kind_bytes(cg_element(g, b));
    if (row < 32 || cg_value_leaves(g, a)->count != (m * 32 + row - 1) / row) return false;
    return b_bytes * cg_value_leaves(g, b)->count == 32 && b_bytes != 1;
}

bool cg_is_product_of(struct cg *g, const struct sp_inst *i, const char *name)
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
    return full && cg_is_product_of(g, i, name) ? cg_tile_name(g, name, flags) : NULL;
}

/* Encoded as in prelude_matrix.h. */
uint32_t cg_signs_of(uint32_t flags)
{
    return ((flags & SP_DPAS_MatrixASignedComponentsINTEL) != 0) * 2 +
           ((flags & SP_DPAS_MatrixBSignedComponentsINTEL) != 0);
}

bool cg_has_grid(struct cg *g, const struct sp_inst *i)
{
    const char *name = cg_product_name(i->count > 4 ? i->operand[4] : 0, cg_element(g, i->operand[1]));
    bool floats = cg_element(g, i->id) == CG_F32 && cg_element(g, i->operand[3]) == CG_F32;
    return name && (cg_tile_product(g, i) || (floats && cg_has_float_grid(name)) || !strcmp(name, "dpas_i8"));
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
