/* sites.c - the descriptions of accesses in the checked mode: a `struct xs_site` says which instruction on which line
 * accesses what, and which variable.
 */
#include "prelude_check.h"
#include "sites.h"

#include <string.h>

enum { MAX_STEPS = 4000, MAX_PHIS = 3 };

/* ---- roots of pointers ------------ */

struct phi {
    uint32_t id;
    const struct phi *outer;
};

static uint32_t root_of(struct cg *g, uint32_t id, const struct phi *outer, uint32_t depth, uint32_t *left);

/* The common root of all values of a phi. */
static uint32_t root_of_phi(struct cg *g, const struct sp_inst *i, const struct phi *outer, uint32_t depth,
                            uint32_t *left)
{
    struct phi self = {i->id, outer};
    uint32_t root = 0;
    for (uint32_t k = 0; k < i->count; k += 2) {
        uint32_t r = root_of(g, i->operand[k], &self, depth + 1, left);
        if (r == UINT32_MAX) continue; /* around a loop, back to this phi */
        if (!r || (root && r != root)) return 0;
        root = r;
    }
    return root;
}

/* A variable or a parameter; 0: unknown. `left`: steps that may still be taken, through all phis together. */
static uint32_t root_of(struct cg *g, uint32_t id, const struct phi *outer, uint32_t depth, uint32_t *left)
{
    for (; *left; --*left) {
        const struct sp_id *d = &g->m->ids[id];
        uint32_t variable;
        int64_t offset;
        if (d->what == SP_IS_VARIABLE || d->what == SP_IS_PARAMETER) return id;
        if (d->what == SP_IS_CONSTANT) return sp_constant_address(g->m, id, &variable, &offset) ? variable : 0;
        if (d->what != SP_IS_VALUE || !d->def) return 0;
        if (d->def->op == SP_OP_Phi) {
            for (const struct phi *p = outer; p; p = p->outer)
                if (p->id == id) return UINT32_MAX;
            return depth < MAX_PHIS ? root_of_phi(g, d->def, outer, depth, left) : 0;
        }
        if (!cg_is(d->def, CG_CHAIN | CG_SAME_POINTER)) return 0;
        id = d->def->operand[0];
    }
    return 0;
}

uint32_t cg_check_root(struct cg *g, uint32_t pointer)
{
    uint32_t left = MAX_STEPS, root = root_of(g, pointer, NULL, 0, &left);
    return root == UINT32_MAX ? 0 : root;
}

/* ---- the text of a site */

static const char *name_of(struct cg *g, uint32_t id)
{
    const char *name = g->m->names[id];
    return name && *name ? cg_str(g, "%%%u (%s)", sp_number(g->m, id), cg_plain(g, name))
                         : cg_str(g, "%%%u", sp_number(g->m, id));
}

static const char *object_of(struct cg *g, uint32_t root, uint64_t *bytes)
{
    const struct sp_id *d = &g->m->ids[root];
    const struct sp_type *t = sp_type(g->m, d->type);
    *bytes = 0;
    if (!root || !t || t->kind != SP_POINTER) return "";
    if (d->what == SP_IS_VARIABLE || (g->fn->entry && t->storage == SP_STORAGE_Function))
        *bytes = cg_memory_size(g, t->elem);
    return cg_str(g, "%s %s",
                  d->what != SP_IS_VARIABLE            ? "argument"
                  : t->storage == SP_STORAGE_Workgroup ? "local variable"
                  : d->function                        ? "private variable"
                                                       : "program variable",
                  name_of(g, root));
}

/* Can a pointer to private memory point to one of the program's constants? */
static bool has_private_constants(const struct sp_module *m)
{
    for (uint32_t i = 0; i < m->global_count; i++)
        if (sp_is_private_constant(m, m->globals[i])) return true;
    return false;
}

static const char *space_of(struct cg *g, uint32_t storage, uint32_t root)
{
    if (root && g->m->ids[root].what == SP_IS_VARIABLE && sp_is_global(g->m, g->m->ids[root].def))
        return "XS_SPACE_GLOBAL";
    if (!root && has_private_constants(g->m)) return "XS_SPACE_ANY";
    switch (storage) {
    case SP_STORAGE_CrossWorkgroup:
    case SP_STORAGE_UniformConstant: return "XS_SPACE_GLOBAL";
    case SP_STORAGE_Workgroup: return "XS_SPACE_LOCAL";
    case SP_STORAGE_Function:
    case SP_STORAGE_Private: return "XS_SPACE_PRIVATE";
    default: return "XS_SPACE_ANY";
    }
}

/* At the start of a kernel: declares the local variables' positions. */
void cg_check_locals(struct cg *g)
{
    uint32_t count = 0;
    cg_put(g, "    static const struct xs_local locals[] = {\n");
    for (uint32_t i = 0; i < g->m->global_count; i++) {
        const struct sp_inst *v = g->m->globals[i];
        if (v->operand[0] != SP_STORAGE_Workgroup || sp_is_built_in(g->m, v)) continue;
        cg_put(g, "    {\"local variable %s\", %u, %llu},\n", name_of(g, v->id), g->local_offset[v->id],
               (unsigned long long)sp_type(g->m, sp_type(g->m, v->type)->elem)->size);
        count++;
    }
    cg_put(g, "    {\"\", 0, 0}};\n    check_call(self, locals, locals, %u);\n", count);
}

/* Declares the instruction's site before the section; returns its name. */
const char *cg_check_site(struct cg *g, uint32_t part, uint32_t pointer, uint32_t root, uint32_t flags)
{
    const struct sp_inst *i = g->w->inst;
    const char *name = cg_str(g, "site%u_%u_%u", g->S, i->word, part), *source = cg_source(g, i), *ext = "";
    uint64_t bytes;
    CG_HELPER (name) {
        const char *object = object_of(g, root, &bytes);
        const struct sp_type *t = pointer ? cg_type_of(g, root ? root : pointer) : NULL;
        if (i->op == SP_OP_ExtInst && sp_ext_name(i->operand[1])) ext = cg_str(g, " %s", sp_ext_name(i->operand[1]));
        const char *of = i->id     ? cg_str(g, " %%%u", sp_number(g->m, i->id))
                         : pointer ? cg_str(g, " to %%%u", sp_number(g->m, pointer))
                                   : "";
        cg_put(g, "static const struct xs_site %s = {\"%s%s%s (word %u%s)\", \"%s\", %lluu, %u, %s};\n", name,
               sp_op_name(i->op), ext, of, i->word, *source ? cg_str(g, "; %s", source) : "", object,
               (unsigned long long)bytes, flags, space_of(g, t ? t->storage : SP_STORAGE_Generic, root));
    }
    return name;
}

uint64_t cg_check_extent(struct cg *g, uint32_t type, uint32_t *flags)
{
    const struct cg_leaves *l = cg_leaves_of(g, type);
    uint64_t end = 0, sum = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        uint64_t bytes = cg_leaf_bytes(&l->leaf[i]), last = l->leaf[i].offset + bytes, times = 1;
        for (const struct cg_nest *n = l->leaf[i].nest; n; n = n->outer) {
            last += (uint64_t)(n->count - 1) * n->stride;
            times *= n->count;
        }
        if (last > end) end = last;
        sum += times * bytes;
    }
    if (sum != end) *flags |= XS_HOLES;
    return end;
}
