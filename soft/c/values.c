/* values.c - values and their types as C: the kinds of scalars, the leaves of composites, and a value as an
 * expression, from whatever it is made of: a constant, a variable, a parameter, a line of lanes.
 */
#include "codegen.h"

#include <stdlib.h>
#include <string.h>

enum { CG_MAX_LEAVES = 4096, CG_MANY_LEAVES = 64 };

/* ---- kinds */

static const struct {
    const char *name, *uniform, *varying, *s_uniform, *s_varying;
    uint32_t bytes;
} kinds[] = {
    [CG_BOOL] = {"i32", "i32", "i32x", "i32", "i32x", 1},  [CG_U8] = {"u8", "u8", "u8x", "i8", "i8x", 1},
    [CG_U16] = {"u16", "u16", "u16x", "i16", "i16x", 2},   [CG_U32] = {"u32", "u32", "u32x", "i32", "i32x", 4},
    [CG_U64] = {"u64", "u64", "u64x", "i64", "i64x", 8},   [CG_F32] = {"f32", "f32", "f32x", "f32", "f32x", 4},
    [CG_F64] = {"f64", "f64", "f64x", "f64", "f64x", 8},   [CG_F16] = {"f16", "u16", "u16x", "i16", "i16x", 2},
    [CG_BF16] = {"bf16", "u16", "u16x", "i16", "i16x", 2}, [CG_E4M3] = {"e4m3", "u8", "u8x", "i8", "i8x", 1},
    [CG_E5M2] = {"e5m2", "u8", "u8x", "i8", "i8x", 1},
};

const char *cg_kind_name(enum cg_kind kind) { return kinds[kind].name; }
uint32_t cg_kind_bytes(enum cg_kind kind) { return kinds[kind].bytes; }
bool cg_kind_is_float(enum cg_kind kind) { return kind >= CG_F32; }
bool cg_kind_is_small_float(enum cg_kind kind) { return kind >= CG_F16; }

enum cg_kind cg_bits_kind(uint32_t bytes)
{
    return bytes == 1 ? CG_U8 : bytes == 2 ? CG_U16 : bytes == 4 ? CG_U32 : CG_U64;
}

const char *cg_kind_type(struct cg *g, enum cg_kind kind, bool varying)
{
    (void)g;
    return varying ? kinds[kind].varying : kinds[kind].uniform;
}

const char *cg_kind_signed(struct cg *g, enum cg_kind kind, bool varying)
{
    (void)g;
    return varying ? kinds[kind].s_varying : kinds[kind].s_uniform;
}

static bool kind_of_type(const struct sp_type *t, enum cg_kind *kind)
{
    switch (t->kind) {
    case SP_BOOL: *kind = CG_BOOL; return true;
    case SP_POINTER:
    case SP_EVENT: *kind = CG_U64; return true;
    case SP_INT:
        *kind = cg_bits_kind((uint32_t)t->size);
        return true;
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

/* ---- leaves */

/* Components of a cooperative matrix in each lane. */
uint32_t cg_matrix_parts(const struct sp_type *t, uint32_t S) { return (t->rows * t->cols + S - 1) / S; }

static uint64_t count_leaves(const struct cg *g, uint32_t type_id, bool many)
{
    const struct sp_type *t = sp_type(g->m, type_id);
    enum cg_kind kind;
    uint64_t n = 0;
    if (kind_of_type(t, &kind)) return 1;
    if (t->kind == SP_COOPMAT) return cg_matrix_parts(t, g->S);
    if (t->kind == SP_VECTOR || t->kind == SP_ARRAY) {
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
    cg_fail(g, "a value of this type has too many parts, or none the device knows");
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

/* The leaves of what stands at `from`. */
static void fill_leaves(struct cg *g, uint32_t type_id, bool many, struct cg_leaf from, struct cg_leaf **at)
{
    const struct sp_type *t = sp_type(g->m, type_id);
    if (g->failed) return;
    if (kind_of_type(t, &from.kind)) {
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

static void open_nest(struct cg *g, const struct cg_nest *n)
{
    if (n->outer) open_nest(g, n->outer);
    cg_put(g, "    for (u32 i%u_ = 0; i%u_ < %u; i%u_++) {\n", n->depth, n->depth, n->count, n->depth);
}

void cg_open_nest(struct cg *g, const struct cg_leaf *leaf)
{
    if (leaf->nest) open_nest(g, leaf->nest);
}

void cg_close_nest(struct cg *g, const struct cg_leaf *leaf)
{
    for (const struct cg_nest *n = leaf->nest; n; n = n->outer) cg_put(g, "    }\n");
}

const char *cg_leaf_offset(struct cg *g, const struct cg_leaf *leaf)
{
    const char *e = cg_str(g, "%uu", leaf->offset);
    for (const struct cg_nest *n = leaf->nest; n; n = n->outer)
        e = cg_str(g, "%s + i%u_ * %uu", e, n->depth, n->stride);
    return e;
}

const char *cg_type_name(struct cg *g, uint32_t type_id, bool varying)
{
    const struct sp_type *t = sp_type(g->m, type_id);
    enum cg_kind kind;
    if (t->kind == SP_VOID) return "void";
    if (kind_of_type(t, &kind)) return cg_kind_type(g, kind, varying);
    if (varying) return cg_str(g, "c%ux%u", type_id, g->S);
    return cg_str(g, "c%u", type_id);
}

/* ---- values as expressions */

uint32_t cg_home(struct cg *g, uint32_t id) { return g->value[id].home ? g->value[id].home : id; }

const char *cg_variable(struct cg *g, uint32_t id)
{
    uint32_t home = cg_home(g, id);
    const struct cg_value *v = &g->value[home];
    return v->group ? cg_str(g, "c%u[%u]", v->group, v->row) : cg_str(g, "v%u", home);
}

uint32_t cg_operand(struct cg *g, uint32_t i) { return i < g->inst->count ? g->inst->operand[i] : 0; }
bool cg_is_varying(struct cg *g, uint32_t id) { return g->value[id].varying; }

const char *cg_literal(struct cg *g, enum cg_kind kind, uint64_t bits)
{
    switch (kind) {
    case CG_BOOL: return bits ? "-1" : "0";
    case CG_F32: return cg_str(g, "f32_bits(0x%xu)", (unsigned)bits);
    case CG_F64: return cg_str(g, "f64_bits(0x%llxu)", (unsigned long long)bits);
    case CG_U64: return cg_str(g, "(u64)0x%llxu", (unsigned long long)bits);
    case CG_U32: return cg_str(g, "%uu", (unsigned)bits);
    default: return cg_str(g, "(%s)%uu", kinds[kind].uniform, (unsigned)bits);
    }
}

/* In all lanes: an expression that compilers fold when they read it, where a call would be inlined first. */
static const char *lanes_literal(struct cg *g, enum cg_kind kind, uint64_t bits)
{
    if (!cg_kind_is_float(kind) || cg_kind_is_small_float(kind))
        return cg_str(g, "XS_ALL(%s, %s)", kinds[kind].uniform, cg_literal(g, kind, bits));
    enum cg_kind integer = cg_bits_kind(cg_kind_bytes(kind));
    return cg_str(g, "(%s)%s", cg_kind_type(g, kind, true), lanes_literal(g, integer, bits));
}

static const char *literal(struct cg *g, enum cg_kind kind, uint64_t bits, bool varying)
{
    return varying ? lanes_literal(g, kind, bits) : cg_literal(g, kind, bits);
}

const char *cg_splat(struct cg *g, enum cg_kind kind, const char *e)
{
    return cg_str(g, "XS(splat_%s)(%s)", kinds[kind].uniform, e);
}

const char *cg_select(struct cg *g, enum cg_kind kind, const char *mask, const char *a, const char *b)
{
    return cg_str(g, "XS(sel_%s)(%s, %s, %s)", kinds[kind].uniform, mask, a, b);
}

const char *cg_widen(struct cg *g, enum cg_kind kind, bool varying, const char *e)
{
    if (!cg_kind_is_small_float(kind)) return e;
    return cg_str(g, varying ? "XS(%s_to_f32)(%s)" : "%s_to_f32(%s)", kinds[kind].name, e);
}

const char *cg_narrow(struct cg *g, enum cg_kind kind, bool varying, const char *e)
{
    const char *how = "";
    if (!cg_kind_is_small_float(kind)) return e;
    if (kind == CG_E4M3 || kind == CG_E5M2)
        how = g->inst && g->inst->id &&
                      sp_decorated(g->m, g->inst->id, SP_DECORATION_SaturatedToLargestFloat8NormalConversionEXT)
                  ? "_sat"
                  : "_rne";
    return cg_str(g, varying ? "XS(f32_to_%s%s)(%s)" : "f32_to_%s%s(%s)", kinds[kind].name, how, e);
}

/* A lane vector of integers as one of `to` (integers or floats), by doubling or halving: gcc 12 takes longer steps
 * apart. */
const char *cg_convert(struct cg *g, const char *e, enum cg_kind from, enum cg_kind to, bool is_signed)
{
    uint32_t bytes = kinds[from].bytes, last = kinds[to].bytes;
    if (from == CG_BOOL) bytes = 4, is_signed = true;
    if (to == CG_BOOL) last = 4;
    enum cg_kind kind = cg_bits_kind(bytes);
    e = cg_str(g, "(%s)(%s)", is_signed ? cg_kind_signed(g, kind, true) : cg_kind_type(g, kind, true), e);
    while (bytes != last) {
        bytes = bytes < last ? bytes * 2 : bytes / 2;
        kind = cg_bits_kind(bytes);
        e = cg_str(g, "XS_CONVERT(%s, %s)", e, is_signed ? cg_kind_signed(g, kind, true) : cg_kind_type(g, kind, true));
    }
    if (to == CG_F32 || to == CG_F64) return cg_str(g, "XS_CONVERT(%s, %s)", e, kinds[to].varying);
    return cg_str(g, "(%s)%s", kinds[to].varying, e);
}

const char *cg_to_bits(struct cg *g, enum cg_kind kind, bool varying, const char *e)
{
    if (kind == CG_BOOL)
        return varying ? cg_str(g, "(%s & 1)", cg_convert(g, e, CG_BOOL, CG_U8, true)) : cg_str(g, "(u8)(%s & 1)", e);
    if (kind != CG_F32 && kind != CG_F64) return e;
    if (varying) return cg_str(g, "(%s)(%s)", kind == CG_F32 ? "u32x" : "u64x", e);
    return cg_str(g, "bits_%s(%s)", kinds[kind].name, e);
}

const char *cg_from_bits(struct cg *g, enum cg_kind kind, bool varying, const char *e)
{
    if (kind == CG_BOOL)
        return varying ? cg_str(g, "-%s", cg_convert(g, cg_str(g, "%s & 1", e), CG_U8, CG_BOOL, false))
                       : cg_str(g, "-(i32)(%s & 1)", e);
    if (kind != CG_F32 && kind != CG_F64) return e;
    if (varying) return cg_str(g, "(%s)(%s)", kinds[kind].varying, e);
    return cg_str(g, "%s_bits(%s)", kinds[kind].name, e);
}

static const char *address_of_global(struct cg *g, uint32_t variable, int64_t offset)
{
    const struct sp_inst *d = g->m->ids[variable].def;
    if (d->op == SP_OP_Function) return cg_address_of_function(g, variable);
    if (d->operand[0] == SP_STORAGE_Workgroup) {
        uint64_t end = g->local_offset[variable] + sp_type(g->m, sp_type(g->m, d->type)->elem)->size;
        if (g->fn && end > g->fn->local_bytes) g->fn->local_bytes = (uint32_t)end;
        return cg_str(g, "(%s + %lldu)", cg_is_kernel(g->fn) ? "at.local" : "(u64)(uintptr_t)self->local",
                      (long long)(g->local_offset[variable] + offset));
    }
    return cg_str(g, "((u64)(uintptr_t)self->globals[%u] + (u64)%lldll)", g->global_index[variable], (long long)offset);
}

/* A scalar of a constant, found through the bytes it has in memory (or its bits, where there are none). */
static const char *constant_leaf(struct cg *g, uint32_t id, uint32_t leaf, bool varying)
{
    const struct sp_id *d = &g->m->ids[id];
    const struct cg_leaves *l = cg_leaves_of(g, d->type);
    const struct sp_type *t = sp_type(g->m, d->type);
    uint32_t variable;
    int64_t offset;
    uint64_t bits = 0;
    if (leaf >= l->count) return "0";
    if (t->kind == SP_POINTER && sp_constant_address(g->m, id, &variable, &offset)) {
        const char *e = address_of_global(g, variable, offset);
        return varying ? cg_splat(g, l->leaf[leaf].kind, e) : e;
    }
    if (d->bits && (t->kind == SP_VECTOR || l->count == 1))
        return literal(g, l->leaf[leaf].kind, d->bits[leaf], varying);
    if (l->count == 1 && sp_constant(g->m, id, &bits)) return literal(g, l->leaf[0].kind, bits, varying);
    if (t->kind == SP_COOPMAT && d->def->count == 1) return constant_leaf(g, d->def->operand[0], 0, varying);
    if ((d->def->op == SP_OP_ConstantComposite || d->def->op == SP_OP_SpecConstantComposite) && t->kind != SP_VOID) {
        for (uint32_t i = 0, first = 0; i < d->def->count; i++) {
            uint32_t part = d->def->operand[i], n = cg_leaves_of(g, g->m->ids[part].type)->count;
            if (leaf - first < n) return constant_leaf(g, part, leaf - first, varying);
            first += n;
        }
    }
    if (d->def->op == SP_OP_ConstantNull || d->def->op == SP_OP_Undef)
        return literal(g, l->leaf[leaf].kind, 0, varying);
    unsigned char *bytes = t->size <= 1 << 16 ? calloc(1, (size_t)t->size + 8) : NULL;
    if (!bytes && t->size <= 1 << 16) {
        cg_fail(g, "no memory for a constant");
    } else if (!bytes || !sp_constant_bytes(g->m, id, bytes)) {
        cg_fail(g, "the constant %%%u is of a form the device does not know", sp_number(g->m, id));
    } else {
        memcpy(&bits, bytes + l->leaf[leaf].offset, cg_kind_bytes(l->leaf[leaf].kind));
    }
    free(bytes);
    return literal(g, l->leaf[leaf].kind, bits, varying);
}

/* The bytes of a large constant, written once a section. */
static void write_constant_table(struct cg *g, uint32_t id, const char *name)
{
    const struct sp_type *t = sp_type(g->m, g->m->ids[id].type);
    unsigned char *bytes = t->size <= 1 << 16 ? calloc(1, (size_t)t->size + 8) : NULL;
    struct sp_text *body = g->c;
    if (!bytes || !sp_constant_bytes(g->m, id, bytes))
        cg_fail(g,
                bytes ? "the constant %%%u is of a form the device does not know" : "no memory for the constant %%%u",
                sp_number(g->m, id));
    g->c = &g->helpers;
    cg_put(g, "static const u8 %s[%llu] XS_ALIGNED(16) = {", name, (unsigned long long)t->size + 1);
    if (bytes) cg_put_bytes(g, bytes, (size_t)t->size);
    cg_put(g, "0};\n");
    g->c = body;
    free(bytes);
}

/* A scalar of a constant by where it stands in memory. */
static const char *constant_part(struct cg *g, uint32_t id, const struct cg_leaf *at)
{
    const struct sp_inst *d = g->m->ids[id].def;
    const char *table = cg_str(g, "k%u_%u", id, g->S);
    enum cg_kind bits = cg_bits_kind(cg_kind_bytes(at->kind));
    if (d->op == SP_OP_ConstantNull || d->op == SP_OP_Undef) return cg_literal(g, at->kind, 0);
    if (cg_is_new_helper(g, table)) write_constant_table(g, id, table);
    return cg_from_bits(g, at->kind, false,
                        cg_str(g, "XS_AT(%s, %s + %s)", cg_kind_name(bits), table, cg_leaf_offset(g, at)));
}

/* `leaf`: its number; UINT32_MAX: a part of a value of many leaves, which is found by its place. */
static const char *use(struct cg *g, uint32_t id, const struct cg_leaf *at, uint32_t leaf, bool varying)
{
    const struct sp_id *d = &g->m->ids[id];
    enum cg_kind kind = at->kind;
    const char *e;
    if (d->what == SP_IS_VARIABLE && d->function == 0) {
        e = address_of_global(g, id, 0);
    } else if (d->what == SP_IS_CONSTANT || (d->def && d->def->op == SP_OP_Undef)) {
        if (leaf != UINT32_MAX) return constant_leaf(g, id, leaf, varying);
        e = constant_part(g, id, at);
    } else if (d->what == SP_IS_FUNCTION) {
        cg_fail(g, "pointers to functions are not supported");
        return "0";
    } else {
        uint32_t root = g->value[id].root;
        e = root ? cg_str(g, "(v%u + o%u)", root, id)
                 : cg_str(g, "%s%s", cg_variable(g, id), at->path);
        if (g->value[id].fixed || g->value[id].variable) {
            cg_fail(g, "a private variable's address is used as a value");
            return "0";
        }
        if (g->value[id].line) {
            if (!varying) return cg_line_lane(g, id, cg_str(g, "XS(first_lane)(%s)", g->bits));
            return cg_line_lanes(g, id, e);
        }
        if (g->value[id].varying) {
            if (varying) return e;
            return cg_str(g, "(%s)[XS(first_lane)(%s)]", e, g->bits);
        }
    }
    return varying ? cg_splat(g, kind, e) : e;
}

const char *cg_leaf_use(struct cg *g, uint32_t id, uint32_t leaf, bool varying)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->m->ids[id].type);
    if (l->count == 0 || g->failed) return "0";
    if (leaf >= l->count) leaf = l->count == 1 ? 0 : l->count - 1;
    return cg_extend(g, &l->leaf[leaf], varying, use(g, id, &l->leaf[leaf], l->many ? UINT32_MAX : leaf, varying));
}

static struct cg_leaf leaf_of_part(struct cg *g, const struct cg_leaf *at, const struct cg_leaf *of)
{
    return (struct cg_leaf){of->kind, at->offset + of->offset, cg_str(g, "%s%s", at->path, of->path), of->nest,
                            of->narrow};
}

const char *cg_part_use(struct cg *g, uint32_t id, const struct cg_leaf *at, const struct cg_leaf *of, bool varying)
{
    struct cg_leaf leaf = leaf_of_part(g, at, of);
    return use(g, id, &leaf, UINT32_MAX, varying);
}

const char *cg_use(struct cg *g, uint32_t id, bool varying) { return cg_leaf_use(g, id, 0, varying); }

const char *cg_temporary(struct cg *g, const char *type)
{
    const char *name = cg_str(g, "t%u", g->temporaries++);
    cg_put(g, "    %s %s;\n", type, name);
    return name;
}

const char *cg_use_whole(struct cg *g, uint32_t id, bool varying)
{
    const struct sp_id *d = &g->m->ids[id];
    const struct cg_leaves *l = cg_leaves_of(g, d->type);
    const struct sp_type *t = sp_type(g->m, d->type);
    bool plain = d->what == SP_IS_PARAMETER || (d->what == SP_IS_VALUE && d->def->op != SP_OP_Undef);
    if (t->kind != SP_VECTOR && t->kind != SP_ARRAY && t->kind != SP_STRUCT && t->kind != SP_COOPMAT)
        return cg_use(g, id, varying);
    if (plain && g->value[id].varying == varying) return cg_variable(g, id);
    const char *whole = cg_temporary(g, cg_type_name(g, d->type, varying));
    for (uint32_t i = 0; i < l->count; i++) {
        cg_open_nest(g, &l->leaf[i]);
        cg_put(g, "    %s%s = %s;\n", whole, l->leaf[i].path, cg_leaf_use(g, id, i, varying));
        cg_close_nest(g, &l->leaf[i]);
    }
    return whole;
}

const char *cg_result_leaf(struct cg *g, uint32_t leaf)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->inst->type);
    if (g->lanes_apart) return cg_str(g, "w%u", g->inst->id);
    return leaf < l->count ? cg_str(g, "%s%s", cg_variable(g, g->inst->id), l->leaf[leaf].path) : "";
}

void cg_set_leaf(struct cg *g, uint32_t leaf, const char *expression)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->inst->type);
    if (leaf >= l->count) return;
    const char *to = cg_result_leaf(g, leaf);
    expression = cg_cut(g, &l->leaf[leaf], cg_is_varying(g, g->inst->id), expression);
    if (g->value[g->inst->id].blend) expression = cg_select(g, l->leaf[leaf].kind, g->mask, expression, to);
    cg_put(g, "    %s = %s;\n", to, expression);
}

void cg_set_part(struct cg *g, const struct cg_leaf *at, const struct cg_leaf *of, const char *expression)
{
    struct cg_leaf leaf = leaf_of_part(g, at, of);
    const char *to = cg_str(g, "%s%s", cg_variable(g, g->inst->id), leaf.path);
    if (g->value[g->inst->id].blend) expression = cg_select(g, leaf.kind, g->mask, expression, to);
    cg_put(g, "    %s = %s;\n", to, expression);
}

void cg_set_whole(struct cg *g, const char *whole, bool varying)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->inst->type);
    bool splat = !varying && cg_is_varying(g, g->inst->id);
    if (l->many && !splat && !g->value[g->inst->id].blend) {
        cg_put(g, "    %s = %s;\n", cg_variable(g, g->inst->id), whole);
        return;
    }
    for (uint32_t i = 0; i < l->count; i++) {
        const char *e = cg_str(g, "%s%s", whole, l->leaf[i].path);
        cg_open_nest(g, &l->leaf[i]);
        cg_set_leaf(g, i, splat ? cg_splat(g, l->leaf[i].kind, e) : e);
        cg_close_nest(g, &l->leaf[i]);
    }
}
