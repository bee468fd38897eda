/* visit.c - element by element in memory: atomic operations and the like. */
#include "internal.h"

/* One element, under a branch of the lane where a test is needed. */
static spe_id cm_visit_one_(cm_ctx *c, const cm_matrix *a, const cm_surface_ *s, const cm_axes_ *axes, int v,
                                   spe_id value, cm_visit_fn fn, void *user)
{
    spe_id inside = cm_inside_(c, &a->l, axes, v, 1), got, outside = s->padding;
    int row, col;
    cm_axes_of_(&a->l, v, &row, &col);
    if (inside) spe_if(c->m, inside);
    got = fn(c, a->l.type, spe_index(c->m, axes->row[row].at, axes->col[col].at), value, user);
    if (inside) spe_endif_from(c->m, 1, &got, &outside, &got);
    return got;
}

cm_matrix cm_visit(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, cm_visit_fn fn, void *user)
{
    spe_id *value;
    cm_surface_ s;
    cm_axes_ axes;
    int v;
    if (cm_is_poison_(c, a) || !cm_surface_init_(c, &s, a->l.type, mem)) return cm_poison();
    value = cm_component_ids(c, a, a->l.type);
    if (!value || !cm_axes_init_(c, &a->l, &s, &axes)) return cm_poison();
    for (v = 0; v < a->l.V; v++) value[v] = cm_visit_one_(c, a, &s, &axes, v, value[v], fn, user);
    return cm_from_components(c, &a->l, value);
}
