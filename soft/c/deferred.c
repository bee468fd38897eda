/* deferred.c - sums that are not in their variables while a loop runs, as C: deferred products, with the queue of a
 * loop's operands and the products of many steps at once (passes/deferred.c chooses these loops); and lanes that are
 * kept apart (passes/apart.c).
 */
#include "codegen.h"
#include "fragments.h"

#include <string.h>

void cg_declare_queues(struct cg *g)
{
    bool shared = false;
    for (const struct cg_queue *q = g->fn->queues; q; q = q->next) {
        cg_declare(g, CG_ZERO, "u32", "deferred", q->first->id, "");
        for (uint32_t v = 0; v < q->variables; v++)
            cg_declare(g, CG_PLAIN, "const u8 *", "at", q->variable[v], cg_str(g, "[%u]", q->steps / q->halves));
        shared = shared || q->shared;
    }
    if (shared) cg_put(g, "    share_begin(self, at.group[0], at.group[1], at.group[2]);\n");
    for (const struct cg_apart *s = g->fn->apart; s; s = s->next) { /* one array for all loops of a sum */
        const struct cg_apart *other = s->next;
        while (other && other->class != s->class) other = other->next;
        if (other) continue;
        cg_declare(g, CG_ZERO, "XS(f32p)", "apart", s->class, cg_str(g, "[%u]", s->rows * g->S));
        cg_add_frame(g, (uint64_t)s->rows * g->S * 64);
    }
}

static const char *places(struct cg *g, uint32_t n, const char *const *items)
{
    const char *name = cg_str(g, "t%u", g->w->temporaries++);
    cg_put(g, "    const struct deferred_place %s[] = {", name);
    for (uint32_t i = 0; i < n; i++) cg_put(g, "%s%s", items[i], i % 8 == 7 ? ",\n        " : ", ");
    cg_put(g, "};\n");
    return name;
}

/* The position in each unit of a tile's first fragment, or of a wide fragment. */
static const char *place_text(struct cg *g, const struct cg_queue *q, uint32_t id, bool of_a)
{
    const char *from = cg_var(g, "at", cg_forwarded_from(g, id));
    if (q->narrow && !of_a) return cg_str(g, "{%s, %u}", from, (uint32_t)cg_pointer_of(g, id)->offset * g->S);
    if (!q->kind) return cg_str(g, "{%s, %s}", from, cg_wide_place(g, cg_pointer_of(g, id)));
    uint32_t at = of_a ? cg_place_of_a(g, q, id) * 32 : cg_place_of_b(g, q, id) * 64;
    return cg_str(g, "{%s, %u}", from, at);
}

/* Performs the products deferred so far. */
static void write_products_now(struct cg *g, const struct cg_queue *q)
{
    const struct cg_grid *r = &q->grid;
    const char *item[CG_FRAGMENTS * CG_FRAGMENTS], *a, *b, *c, *count = cg_var(g, "deferred", q->first->id);
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->ni * r->nj; i++)
        item[i] = cg_str(g, "&%s", cg_variable(g, r->cell[i / r->nj][i % r->nj]->class));
    c = cg_pointer_list(g, "void", r->ni * r->nj, item);
    for (uint32_t i = 0; i < r->ni; i += q->height)
        for (uint32_t k = 0; k < r->nk; k += q->along) item[n++] = place_text(g, q, r->row[i]->a[k], true);
    a = places(g, n, item);
    n = 0;
    for (uint32_t j = 0; j < r->nj; j++)
        for (uint32_t k = 0; k < r->nk; k += q->along) item[n++] = place_text(g, q, r->column[j]->b[k], false);
    b = places(g, n, item);
    if (q->kind)
        cg_put(g, "    XS(tiles_deferred)(self, %s, ", q->kind);
    else if (q->narrow)
        cg_put(g, "    narrow_products(self, ");
    else if (cg_is_wide_int(g, q->variable[0]))
        cg_put(g, "    XS(ints_deferred)(self, %u, ", cg_signs(g, q->variable[0]));
    else
        cg_put(g, "    XS(floats_deferred)(self, ");
    cg_put(g, "%u, %u, %u, %s, %s, %s, %u, %s);\n    %s = 0;\n", r->ni, r->nj, q->halves == 2 ? 0 : r->nk / q->along, c,
           a, b, q->m, count, count);
}

static void write_narrow_load(struct cg *g, uint32_t variable, const struct cg_block2d *b, const char *to,
                              const char *own, const char *from)
{
    if (g->private[variable].granule == 4)
        cg_put(g, "    %s = narrow_b(self, %s, %u, %u, %s);\n", to, own, b->height, b->count, from);
    else
        cg_put(g, "    %s = %s;\n    narrow_a(%s, %u, %u, %s);\n", to, own, own, b->height, b->count, from);
}

static void write_wide_load(struct cg *g, uint32_t variable, const struct cg_block2d *b, const char *to,
                            const char *own, const char *from)
{
    if (g->private[variable].granule == 4)
        cg_put(g, "    %s = %s, %s);\n", to, cg_wide_load(g, variable, b, "deferred", cg_str(g, "self, %s", own)),
               from);
    else
        cg_put(g, "    %s = %s;\n    %s, %s);\n", to, own,
               cg_wide_load(g, variable, b, "block2d_load", cg_str(g, "(void *)(%s)", own)), from);
}

static void write_deferred_load(struct cg *g, const struct cg_queue *q, uint32_t variable)
{
    const struct cg_private *v = &g->private[variable];
    const char *deferred = cg_var(g, "deferred", q->first->id);
    uint32_t each = q->kind ? q->halves : v->granule / 2;
    uint32_t items = cg_items(g, variable) * each;
    const char *unit = cg_str(g, q->halves == 2 ? "%s / 2" : "%s", deferred);
    const char *half = q->halves == 2 ? cg_str(g, "%s %% 2", deferred) : "0";
    const char *own = cg_str(g, "(u8 *)&%s[%s * %u]", cg_var(g, "p", variable), unit, items);
    const char *to = cg_str(g, "%s[%s]", cg_var(g, "at", variable), unit);
    const char *from = cg_surface(g);
    struct cg_block2d b;
    if (!cg_describe_block(g, g->w->inst, &b)) return;
    if (!q->kind) {
        (q->narrow ? write_narrow_load : write_wide_load)(g, variable, &b, to, own, from);
        return;
    }
    if (v->granule == 4) {
        cg_put(g, "    %s = XS(deferred_columns)(self, %d, %s, %s, %s, %u, %u, %u, %u, %s);\n", to, q->shared, own, to,
               half, q->halves, b.elem, b.height, b.count, from);
        return;
    }
    cg_put(g, "    %s = %s;\n    XS(deferred_rows)(%s + 32 * (%s), %u, %u, %u, %s);\n", to, own, own, half,
           64 / q->halves, b.elem, b.height, from);
}

bool cg_write_deferred(struct cg *g)
{
    const struct sp_inst *i = g->w->inst;
    uint32_t lanes = cg_lanes_operand(i), variable = lanes ? g->private[i->operand[lanes]].variable : 0;
    if (variable && cg_deferred(g, variable)->queue) {
        write_deferred_load(g, cg_deferred(g, variable)->queue, variable);
        return true;
    }
    for (const struct cg_queue *q = g->fn->queues; q; q = q->next) {
        if (q->first != i) continue;
        cg_put(g, "    if (++%s == %u) {\n", cg_var(g, "deferred", i->id), q->steps);
        write_products_now(g, q);
        cg_put(g, "    }\n");
        g->w->skip = q->grid.span - 1;
        return true;
    }
    return false;
}

void cg_leave_loops(struct cg *g, uint32_t from, uint32_t to)
{
    for (const struct cg_queue *q = g->fn->queues; q; q = q->next) {
        if (!q->inside[from] || q->inside[to]) continue;
        cg_put(g, "    if (%s) {\n", cg_var(g, "deferred", q->first->id));
        write_products_now(g, q);
        cg_put(g, "    }\n");
    }
    for (const struct cg_apart *s = g->fn->apart; s; s = s->next)
        if (s->inside[from] && !s->inside[to])
            cg_put(g, "    XS(add_lanes)((f32x *)&%s, %s, %u);\n", cg_variable(g, s->class),
                   cg_var(g, "apart", s->class), s->rows);
}
