/* leaves.c - types for the code generator: a composite is a list of scalars, its leaves, each with a kind. */
#include "ir.h"

#include <stdlib.h>
#include <string.h>

uint32_t cg_leaf_bytes(const struct cg_leaf *leaf)
{
    return leaf->narrow ? (leaf->narrow + 7u) / 8 : cg_kind_bytes(leaf->kind);
}

uint32_t cg_piece(uint32_t bytes) { return bytes >= 8 ? 8 : bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1; }

uint64_t cg_memory_size(struct cg *g, uint32_t type_id)
{
    const struct sp_type *t = sp_type(g->m, type_id);
    if (t->size) return t->size;
    if (t->kind == SP_ARRAY) return cg_memory_size(g, t->elem) * t->count;
    if (t->kind != SP_COOPMAT) return 0;
    return (uint64_t)((t->rows * t->cols + g->smallest_S - 1) / g->smallest_S) * sp_type(g->m, t->elem)->size;
}

enum { CG_MAX_LEAVES = 4096, CG_MANY_LEAVES = 64 };

static const uint8_t kind_bytes[] = {
    [CG_BOOL] = 1, [CG_U8] = 1,  [CG_U16] = 2,  [CG_U32] = 4,  [CG_U64] = 8,  [CG_F32] = 4,
    [CG_F64] = 8,  [CG_F16] = 2, [CG_BF16] = 2, [CG_E4M3] = 1, [CG_E5M2] = 1,
};

uint32_t cg_kind_bytes(enum cg_kind kind) { return kind_bytes[kind]; }
bool cg_kind_is_float(enum cg_kind kind) { return kind >= CG_F32; }
bool cg_kind_is_small_float(enum cg_kind kind) { return kind >= CG_F16; }

enum cg_kind cg_bits_kind(uint32_t bytes)
{
    return bytes == 1 ? CG_U8 : bytes == 2 ? CG_U16 : bytes == 4 ? CG_U32 : CG_U64;
}

bool cg_kind_of_type(const struct sp_type *t, enum cg_kind *kind)
{
    switch (t->kind) {
    case SP_BOOL: *kind = CG_BOOL; return true;
    case SP_POINTER:
    case SP_IMAGE:
    case SP_SAMPLER:
    case SP_EVENT: *kind = CG_U64; return true;
    case SP_INT: *kind = cg_bits_kind((uint32_t)t->size); return true;
    case SP_FLOAT:
        if (t->encoding == SP_BF16)
            *kind = CG_BF16;
        else if (t->encoding == SP_E4M3)
            *kind = CG_E4M3;
        else if (t->encoding == SP_E5M2)
            *kind = CG_E5M2;
        else
            *kind = t->bits == 16 ? CG_F16 : t->bits == 32 ? CG_F32 : CG_F64;
        return true;
    default: return false;
    }
}

bool cg_is_composite(const struct sp_type *t)
{
    return t->kind == SP_VECTOR || t->kind == SP_ARRAY || t->kind == SP_STRUCT || t->kind == SP_COOPMAT ||
           t->kind == SP_SAMPLED_IMAGE;
}

/* Components of a cooperative matrix in each lane. */
uint32_t cg_matrix_parts(const struct sp_type *t, uint32_t S) { return (t->rows * t->cols + S - 1) / S; }

static uint64_t count_leaves(const struct cg *g, uint32_t type_id, bool many)
{
    const struct sp_type *t = sp_type(g->m, type_id);
    enum cg_kind kind;
    uint64_t n = 0;
    if (cg_kind_of_type(t, &kind)) return 1;
    if (t->kind == SP_COOPMAT) return cg_matrix_parts(t, g->S);
    if (t->kind == SP_VECTOR || t->kind == SP_ARRAY || t->kind == SP_SAMPLED_IMAGE) {
        n = count_leaves(g, t->elem, many);
        if (many && t->kind == SP_ARRAY) return n;
        return t->count && n > CG_MAX_LEAVES / t->count ? CG_MAX_LEAVES + 1 : n * t->count;
    }
    if (t->kind != SP_STRUCT) return CG_MAX_LEAVES + 1;
    for (uint32_t i = 0; i < t->count && n <= CG_MAX_LEAVES; i++) n += count_leaves(g, t->members[i], many);
    return n;
}

uint32_t cg_count_leaves(struct cg *g, uint32_t type_id, bool many)
{
    uint64_t n = count_leaves(g, type_id, many);
    if (n <= CG_MAX_LEAVES) return (uint32_t)n;
    cg_fail(g, "a value of this type has more than %d parts, or none the device knows", CG_MAX_LEAVES);
    return 0;
}

struct cg_leaf cg_part(struct cg *g, struct cg_leaf whole, const struct sp_type *t, uint32_t i)
{
    if (t->kind == SP_STRUCT) {
        whole.offset += t->offsets[i];
        whole.path = cg_str(g, "%s.m%u", whole.path, i);
    } else {
        bool bits = t->kind == SP_VECTOR && sp_type(g->m, t->elem)->kind == SP_BOOL;
        whole.offset += i * (bits ? 1 : (uint32_t)cg_memory_size(g, t->elem));
        whole.path = cg_str(g, "%s.e[%u]", whole.path, i);
    }
    return whole;
}

/* Appends the leaves of type `type_id` at `from`. */
static void fill_leaves(struct cg *g, uint32_t type_id, bool many, struct cg_leaf from, struct cg_leaf **at)
{
    const struct sp_type *t = sp_type(g->m, type_id);
    if (g->failed) return;
    if (cg_kind_of_type(t, &from.kind)) {
        from.narrow = t->kind == SP_INT && t->bits != 8 * t->size ? t->bits : 0;
        *(*at)++ = from;
        return;
    }
    if (many && t->kind == SP_ARRAY) {
        struct cg_nest *nest = cg_alloc(g, sizeof *nest);
        if (!nest) return;
        *nest = (struct cg_nest){from.nest, from.nest ? from.nest->depth + 1 : 0, t->count,
                                 (uint32_t)cg_memory_size(g, t->elem)};
        from.path = cg_keep(g, cg_str(g, "%s.e[i%u_]", from.path, nest->depth));
        from.nest = nest;
        fill_leaves(g, t->elem, many, from, at);
        return;
    }
    for (uint32_t i = 0; i < (t->kind == SP_COOPMAT ? cg_matrix_parts(t, g->S) : t->count); i++) {
        struct cg_leaf part = cg_part(g, from, t, i);
        part.path = cg_keep(g, part.path);
        fill_leaves(g, t->kind == SP_STRUCT ? t->members[i] : t->elem, many, part, at);
    }
}

const struct cg_leaves *cg_leaves_of(struct cg *g, uint32_t type_id)
{
    static const struct cg_leaf none = {CG_U32, 0, "", NULL, 0};
    static const struct cg_leaves dummy = {0, 0, false, &none};
    const struct sp_type *t = sp_type(g->m, type_id);
    struct cg_leaves *l;
    if (!t) return &dummy;
    l = &g->leaves[t - g->m->types];
    if (!l->leaf && !g->failed) {
        uint32_t n = cg_count_leaves(g, type_id, false), count = cg_count_leaves(g, type_id, n > CG_MANY_LEAVES);
        bool many = count < n;
        struct cg_leaf *leaf = cg_alloc(g, (count + 1) * sizeof *leaf), *at = leaf;
        if (g->failed) return &dummy;
        fill_leaves(g, type_id, many, none, &at);
        *l = (struct cg_leaves){count, n, many, leaf};
    }
    return l->leaf ? l : &dummy;
}

const struct cg_leaves *cg_value_leaves(struct cg *g, uint32_t id) { return cg_leaves_of(g, g->m->ids[id].type); }

uint32_t cg_width_of(struct cg *g, uint32_t id) { return 8 * cg_kind_bytes(cg_value_leaves(g, id)->leaf[0].kind); }
