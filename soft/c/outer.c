/* outer.c - matrix products that a module spells out (passes/outer.c), each a call of prelude_matrix.h's XS_OUTER.
 *
 * Rows and sources are copied, one behind the other, unless they are so in memory. The sums are read and written where
 * they are.
 */
#include "fragments.h"
#include "passes/outer.h"

#include <string.h>

static const char *write_sums(struct cg *g, const char *type, const struct cg_outer *o, const uint32_t *id)
{
    const char **item = cg_alloc(g, (size_t)o->ni * o->nj * sizeof *item);
    for (uint32_t n = 0; item && n < o->ni * o->nj; n++) item[n] = cg_address_of(g, id[n]);
    return item ? cg_pointer_list(g, type, o->ni * o->nj, item) : "";
}

static const char *write_copies(struct cg *g, const char *type, uint32_t n, const struct cg_lanes *v)
{
    const char *name = cg_str(g, "t%u", g->w->temporaries++);
    cg_put(g, "    %s %s[%u];\n", type, name, n);
    for (uint32_t k = 0; k < n; k++) cg_put(g, "    %s[%u] = %s;\n", name, k, cg_leaf_use(g, v[k].id, v[k].leaf, true));
    cg_add_frame(g, (uint64_t)n * 8 * g->S);
    return name;
}

/* Were all lanes loaded through this pointer, from one place on? */
static bool is_run(const struct cg *g, uint32_t pointer, enum cg_kind kind)
{
    const struct cg_affine *a = cg_affine(g, pointer);
    return g->fn->full && !strcmp(g->w->bits, "b0") && a->is && !a->checked && a->step == cg_kind_bytes(kind);
}

/* The address of n operands that follow one another: where they are in memory, `at`, or of copies. */
static const char *write_operands(struct cg *g, enum cg_kind kind, uint32_t at, uint32_t n, const struct cg_lanes *v)
{
    const char *from = at && is_run(g, at, kind) ? cg_str(g, "(uintptr_t)%s", cg_var(g, "v", at))
                                                 : write_copies(g, cg_kind_type(g, kind, true), n, v);
    return cg_str(g, "(const %s *)%s", cg_kind_type(g, kind, false), from);
}

static bool is_zero(const struct cg *g, uint32_t id)
{
    const struct sp_id *d = &g->m->ids[id];
    const struct sp_type *t = sp_type(g->m, d->type);
    if (d->def && d->def->op == SP_OP_ConstantNull) return true;
    for (uint32_t k = 0; d->bits && k < t->count; k++)
        if (d->bits[k]) return false;
    return d->bits && t->kind == SP_VECTOR;
}

static bool begins_with_zeros(const struct cg *g, const struct cg_outer *o)
{
    for (uint32_t n = 0; n < o->ni * o->nj; n++)
        if (!is_zero(g, o->before[n])) return false;
    return true;
}

/* The function for sums of this type. */
static const char *helper(struct cg *g, const struct cg_outer *o)
{
    const char *kind = cg_kind_name(o->kind);
    uint32_t rows = o->ni % 2 ? 1 : 2;
    const char *name = cg_str(g, "outer_%s_%u_%u", kind, o->width, rows);
    CG_HELPER (name) cg_put(g, "XS_OUTER(%s, %u, %u)\n", kind, o->width, rows);
    return name;
}

static void write_product(struct cg *g, const struct cg_outer *o)
{
    const char *type = cg_kind_type(g, o->kind, true);
    cg_put(g, "    {\n");
    const char *row = write_operands(g, o->kind, o->rows_at, o->nk * o->ni, o->row);
    const char *source = write_operands(g, o->kind, o->sources_at, o->nj * o->sources, o->source);
    const char *before = begins_with_zeros(g, o) ? "NULL" : write_sums(g, cg_str(g, "const %s", type), o, o->before);
    const char *after = write_sums(g, type, o, o->after);
    cg_put(g, "    static const u32 at_[] = {");
    for (uint32_t k = 0; k < o->nk; k++) cg_put(g, "%u,%s", o->at[k], k % 16 == 15 ? "\n        " : " ");
    cg_put(g, "};\n    XS(%s)(%u, %u, %u, %s, %s, %s, %s, %u, %u, at_);\n    }\n", helper(g, o), o->ni, o->nj, o->nk,
           after, before, row, source, o->sources * g->S, o->step);
}

bool cg_write_outer(struct cg *g)
{
    const struct cg_outer *o = g->w->inst->id ? cg_spelled(g, g->w->inst->id)->outer : NULL;
    if (o && g->w->inst == o->last) write_product(g, o);
    return o != NULL;
}
