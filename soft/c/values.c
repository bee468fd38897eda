/* values.c - values and their types as C: the kinds of scalars, the leaves of composites, and expressions for
 * constants, variables, parameters and affine values.
 */
#include "codegen.h"
#include "passes/matrix.h"

#include <stdlib.h>
#include <string.h>

static void open_nest(struct cg *g, const struct cg_nest *n)
{
    if (n->outer) open_nest(g, n->outer);
    cg_put(g, "    for (u32 i%u_ = 0; i%u_ < %u; i%u_++) {\n", n->depth, n->depth, n->count, n->depth);
}

bool cg_open_leaf(struct cg *g, const struct cg_leaves *l, uint32_t leaf)
{
    if (leaf >= l->count || g->failed) return false;
    if (l->leaf[leaf].nest) open_nest(g, l->leaf[leaf].nest);
    return true;
}

void cg_close_leaf(struct cg *g, const struct cg_leaves *l, uint32_t leaf)
{
    for (const struct cg_nest *n = l->leaf[leaf].nest; n; n = n->outer) cg_put(g, "    }\n");
}

const char *cg_leaf_offset(struct cg *g, const struct cg_leaf *leaf)
{
    const char *e = cg_str(g, "%uu", leaf->offset);
    for (const struct cg_nest *n = leaf->nest; n; n = n->outer)
        e = cg_str(g, "%s + i%u_ * %uu", e, n->depth, n->stride);
    return e;
}

/* ---- values as expressions */

const char *cg_variable(struct cg *g, uint32_t id)
{
    uint32_t class = cg_class(g, id);
    const struct cg_deferred *v = cg_deferred(g, class);
    return v->group ? cg_str(g, "%s[%u]", cg_var(g, "c", v->group), v->row) : cg_var(g, "v", class);
}

/* A literal in all lanes: an expression that compilers fold at once, whereas calls must be inlined first. */
static const char *lanes_literal(struct cg *g, enum cg_kind kind, uint64_t bits)
{
    if (!cg_kind_is_float(kind) || cg_kind_is_small_float(kind))
        return cg_str(g, "XS_ALL(%s, %s)", cg_kind_type(g, kind, false), cg_literal(g, kind, bits));
    enum cg_kind integer = cg_bits_kind(cg_kind_bytes(kind));
    return cg_str(g, "(%s)%s", cg_kind_type(g, kind, true), lanes_literal(g, integer, bits));
}

static const char *literal(struct cg *g, enum cg_kind kind, uint64_t bits, bool varying)
{
    return varying ? lanes_literal(g, kind, bits) : cg_literal(g, kind, bits);
}

static const char *address_of_function(struct cg *g, uint32_t id)
{
    return cg_str(g, "((u64)(uintptr_t)&functions[%u])", g->function[g->m->ids[id].block].row - 1);
}

static const char *address_of_global(struct cg *g, uint32_t variable, int64_t offset)
{
    const struct sp_inst *d = g->m->ids[variable].def;
    if (d->op == SP_OP_Function) return address_of_function(g, variable);
    if (d->operand[0] == SP_STORAGE_Workgroup) {
        uint64_t end = g->local_offset[variable] + sp_type(g->m, sp_type(g->m, d->type)->elem)->size;
        cg_need_local(g, (uint32_t)end);
        return cg_str(g, "(%s + (u64)%lldll)", cg_is_kernel(g->fn) ? "at.local" : "(u64)(uintptr_t)self->local",
                      (long long)cg_plus(g->local_offset[variable], offset));
    }
    return cg_str(g, "((u64)(uintptr_t)self->globals[%u] + (u64)%lldll)", g->global_index[variable], (long long)offset);
}

/* A constant sampler of the module: written once per section. */
static const char *address_of_sampler(struct cg *g, uint32_t id)
{
    static const uint8_t addresses[] = {[SP_ADDRESS_None] = 0,
                                        [SP_ADDRESS_ClampToEdge] = 2,
                                        [SP_ADDRESS_Clamp] = 3,
                                        [SP_ADDRESS_Repeat] = 1,
                                        [SP_ADDRESS_RepeatMirrored] = 4}; /* ze_sampler_address_mode_t */
    const uint32_t *operand = g->m->ids[id].def->operand;
    const char *name = cg_str(g, "sampler%u_%u", id, g->S);
    CG_HELPER (name)
        cg_put(g, "static const struct xs_sampler %s = {%u, %u, %u};\n", name, addresses[operand[0]], operand[2],
               operand[1]);
    return cg_str(g, "((u64)(uintptr_t)&%s)", name);
}

unsigned char *cg_constant_bytes(struct cg *g, uint32_t id, uint64_t size, uint64_t most)
{
    unsigned char *bytes = size <= most ? calloc(1, (size_t)size + 8) : NULL;
    if (!bytes) {
        cg_fail(g, "no memory for the constant %%%u of %llu bytes", sp_number(g->m, id), (unsigned long long)size);
    } else if (!sp_constant_bytes(g->m, id, bytes)) {
        cg_fail(g, "the constant %%%u is of a form the device does not know", sp_number(g->m, id));
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

/* A scalar of a constant, from its bytes in memory (or its bits, if it has no bytes). */
static const char *constant_leaf(struct cg *g, uint32_t id, uint32_t leaf, bool varying)
{
    const struct sp_id *d = &g->m->ids[id];
    const struct cg_leaves *l = cg_leaves_of(g, d->type);
    const struct sp_type *t = sp_type(g->m, d->type);
    uint32_t variable;
    int64_t offset;
    uint64_t bits = 0;
    if (leaf >= l->count) return "0";
    if (sp_constant_address(g->m, id, &variable, &offset)) { /* as a pointer or an integer */
        const char *e = address_of_global(g, variable, offset);
        return varying ? cg_splat(g, l->leaf[leaf].kind, e) : e;
    }
    if (d->def->op == SP_OP_ConstantSampler)
        return varying ? cg_splat(g, CG_U64, address_of_sampler(g, id)) : address_of_sampler(g, id);
    if (d->bits && (t->kind == SP_VECTOR || l->count == 1))
        return literal(g, l->leaf[leaf].kind, d->bits[leaf], varying);
    if (l->count == 1 && sp_constant(g->m, id, &bits)) return literal(g, l->leaf[0].kind, bits, varying);
    if (t->kind == SP_COOPMAT && d->def->count == 1) return constant_leaf(g, d->def->operand[0], 0, varying);
    if ((d->def->op == SP_OP_ConstantComposite || d->def->op == SP_OP_SpecConstantComposite) && t->kind != SP_VOID) {
        for (uint32_t i = 0, first = 0; i < d->def->count; i++) {
            uint32_t part = d->def->operand[i], n = cg_value_leaves(g, part)->count;
            if (leaf - first < n) return constant_leaf(g, part, leaf - first, varying);
            first += n;
        }
    }
    if (d->def->op == SP_OP_ConstantNull || d->def->op == SP_OP_Undef)
        return literal(g, l->leaf[leaf].kind, 0, varying);
    unsigned char *bytes = cg_constant_bytes(g, id, t->size, 1 << 16);
    if (bytes) memcpy(&bits, bytes + l->leaf[leaf].offset, cg_kind_bytes(l->leaf[leaf].kind));
    free(bytes);
    return literal(g, l->leaf[leaf].kind, bits, varying);
}

/* The bytes of a large constant, written once per section. */
static void write_constant_table(struct cg *g, uint32_t id, const char *name)
{
    const struct sp_type *t = cg_type_of(g, id);
    unsigned char *bytes = cg_constant_bytes(g, id, t->size, 1 << 16);
    cg_put(g, "static const u8 %s[%llu] XS_ALIGNED(16) = ", name, (unsigned long long)t->size + 1);
    if (bytes) cg_put_bytes(g, bytes, (size_t)t->size);
    cg_put(g, ";\n");
    free(bytes);
}

/* A scalar of a constant by its position in memory. */
static const char *constant_part(struct cg *g, uint32_t id, const struct cg_leaf *at)
{
    const struct sp_inst *d = g->m->ids[id].def;
    const char *table = cg_str(g, "k%u_%u", id, g->S);
    enum cg_kind bits = cg_bits_kind(cg_kind_bytes(at->kind));
    if (d->op == SP_OP_ConstantNull || d->op == SP_OP_Undef) return cg_literal(g, at->kind, 0);
    CG_HELPER (table) write_constant_table(g, id, table);
    return cg_from_bits(g, at->kind, false,
                        cg_str(g, "XS_AT(%s, %s + %s)", cg_kind_name(bits), table, cg_leaf_offset(g, at)));
}

const char *cg_fixed_item(struct cg *g, uint32_t variable, int64_t offset)
{
    return cg_str(g, "%s[%lld]", cg_var(g, "p", variable), (long long)(offset / g->private[variable].granule));
}

/* A leaf of a fragment that is read where it is in memory. */
static const char *in_place_leaf(struct cg *g, uint32_t id, uint32_t leaf)
{
    uint32_t variable = cg_forwarded_from(g, id), height = cg_held(g, variable)->height;
    uint32_t item = (uint32_t)g->private[g->m->ids[id].def->operand[0]].offset / g->private[variable].granule + leaf;
    const char *rows = cg_var(g, "r", variable);
    return cg_str(g, "(*(const u16x_mem *)(%s.first + %u * %s.pitch + %u))", rows, item % height, rows,
                  item / height * g->S * 2);
}

/* A leaf of a fragment that is not loaded before it is used. */
static const char *forwarded_leaf(struct cg *g, uint32_t id, uint32_t leaf)
{
    const struct cg_private *p = &g->private[g->m->ids[id].def->operand[0]];
    if (cg_is_in_place(g, id)) return in_place_leaf(g, id, leaf);
    return cg_from_bits(g, cg_element(g, id), true,
                        cg_fixed_item(g, p->variable, p->offset + leaf * g->private[p->variable].granule));
}

static const char *late_leaf(struct cg *g, uint32_t id, uint32_t leaf)
{
    uint32_t fragment = g->m->ids[id].def->operand[0];
    return cg_widen(g, cg_element(g, fragment), true, in_place_leaf(g, fragment, leaf));
}

/* leaf: its number; UINT32_MAX: a part of a value of many leaves, found by its position. */
static const char *use(struct cg *g, uint32_t id, const struct cg_leaf *at, uint32_t leaf, bool varying)
{
    const struct sp_id *d = &g->m->ids[id];
    enum cg_kind kind = at->kind;
    const char *e;
    if (d->what == SP_IS_VARIABLE && d->function == 0) {
        e = address_of_global(g, id, 0);
    } else if (d->what == SP_IS_CONSTANT || (d->def && d->def->op == SP_OP_Undef)) {
        if (leaf != UINT32_MAX) return constant_leaf(g, id, leaf, varying);
        if (sp_type(g->m, d->type)->kind == SP_VECTOR) return constant_leaf(g, id, 0, varying); /* rolled.c */
        e = constant_part(g, id, at);
    } else if (d->what == SP_IS_FUNCTION) {
        cg_fail(g, "pointers to functions are not supported");
        return "0";
    } else {
        uint32_t root = cg_derived(g, id)->root;
        if (cg_forwarded_from(g, id)) return forwarded_leaf(g, id, leaf);
        if (cg_late_from(g, id)) return late_leaf(g, id, leaf);
        e = root ? cg_str(g, "(%s + %s)", cg_var(g, "v", root), cg_var(g, "o", id))
                 : cg_str(g, "%s%s", cg_variable(g, id), at->path);
        if (g->private[id].fixed || g->private[id].variable) {
            cg_fail(g, "a private variable's address is used as a value");
            return "0";
        }
        if (cg_affine(g, id)->is) {
            if (!varying) return cg_affine_lane(g, id, cg_str(g, "XS(first_lane)(%s)", g->w->bits));
            return cg_affine_lanes(g, id, e);
        }
        if (g->value[id].varying) {
            if (varying) return e;
            return cg_str(g, "(%s)[XS(first_lane)(%s)]", e, g->w->bits);
        }
    }
    return varying ? cg_splat(g, kind, e) : e;
}

const char *cg_leaf_use(struct cg *g, uint32_t id, uint32_t leaf, bool varying)
{
    const struct cg_leaves *l = cg_value_leaves(g, id);
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

/* Is the value a C variable of its type: with a vector for each scalar, or (not `varying`) without? */
static bool is_variable(struct cg *g, uint32_t id, bool varying)
{
    const struct sp_id *d = &g->m->ids[id];
    bool plain = d->what == SP_IS_PARAMETER || (d->what == SP_IS_VALUE && d->def->op != SP_OP_Undef);
    return plain && g->value[id].varying == varying && !cg_affine(g, id)->is;
}

static const char *copy_whole(struct cg *g, uint32_t id, bool varying)
{
    const struct cg_leaves *l = cg_value_leaves(g, id);
    const char *whole = cg_temporary(g, cg_type_name(g, g->m->ids[id].type, varying));
    CG_EACH_LEAF (i, l) cg_put(g, "    %s%s = %s;\n", whole, l->leaf[i].path, cg_leaf_use(g, id, i, varying));
    return whole;
}

const char *cg_use_whole(struct cg *g, uint32_t id, bool varying)
{
    if (!cg_is_composite(cg_type_of(g, id))) return cg_use(g, id, varying);
    return is_variable(g, id, varying) ? cg_variable(g, id) : copy_whole(g, id, varying);
}

const char *cg_address_of(struct cg *g, uint32_t id)
{
    return cg_str(g, "&%s", is_variable(g, id, true) ? cg_variable(g, id) : copy_whole(g, id, true));
}

/* Do the lanes for which the instruction is not executed keep the value of its result? */
static bool blends(const struct cg *g) { return g->w->blends || g->value[g->w->inst->id].blend; }

const char *cg_result_leaf(struct cg *g, uint32_t leaf)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    if (g->w->lanes_apart) return cg_var(g, "w", g->w->inst->id);
    return leaf < l->count ? cg_str(g, "%s%s", cg_variable(g, g->w->inst->id), l->leaf[leaf].path) : "";
}

void cg_set_leaf(struct cg *g, uint32_t leaf, const char *expression)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    if (leaf >= l->count) return;
    const char *to = cg_result_leaf(g, leaf);
    expression = cg_cut(g, &l->leaf[leaf], cg_is_varying(g, g->w->inst->id), expression);
    if (blends(g)) expression = cg_select(g, l->leaf[leaf].kind, g->w->mask, expression, to);
    cg_put(g, "    %s = %s;\n", to, expression);
}

void cg_set_uniform(struct cg *g, uint32_t leaf, const char *e)
{
    enum cg_kind kind = cg_leaves_of(g, g->w->inst->type)->leaf[leaf].kind;
    cg_set_leaf(g, leaf, cg_is_varying(g, g->w->inst->id) ? cg_splat(g, kind, e) : e);
}

void cg_set_part(struct cg *g, const struct cg_leaf *at, const struct cg_leaf *of, const char *expression)
{
    struct cg_leaf leaf = leaf_of_part(g, at, of);
    const char *to = cg_str(g, "%s%s", cg_variable(g, g->w->inst->id), leaf.path);
    if (blends(g)) expression = cg_select(g, leaf.kind, g->w->mask, expression, to);
    cg_put(g, "    %s = %s;\n", to, expression);
}

void cg_set_whole(struct cg *g, const char *whole, bool varying)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    bool splat = !varying && cg_is_varying(g, g->w->inst->id);
    if (l->many && !splat && !blends(g)) {
        cg_put(g, "    %s = %s;\n", cg_variable(g, g->w->inst->id), whole);
        return;
    }
    CG_EACH_LEAF (i, l) {
        const char *e = cg_str(g, "%s%s", whole, l->leaf[i].path);
        cg_set_leaf(g, i, splat ? cg_splat(g, l->leaf[i].kind, e) : e);
    }
}
