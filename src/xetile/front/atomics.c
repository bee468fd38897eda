/* front/atomics.c - records atomic_rmw. */
#include "../internal.h"

/* Checks types and maps: a piece shared by several subgroups would be modified several times. */
static bool xt_check_rmw_(xt_where_ w, xt_rmw_kind_ kind, const xt_tile *t)
{
    const xt_rmw_row_ *row = xt_rmw_row_of_(kind);
    const xt_dist *d = &t->dist;
    int takes = xt_is_float_(t->type) ? XT_RMW_FLOAT_ : xt_is_int_(t->type) ? XT_RMW_INT_ : 0;
    if (!(row->takes & takes) || (xt_is_small_(t->type) && kind != XT_RMW_assign_))
        return xt_fail_(w, XT_ERROR_ATOMIC_TYPE, "%s of %s", row->name, xt_type_name_(t->type));
    return (d->count[0] >= d->layout[0] && d->count[1] >= d->layout[1]) ||
           xt_fail_(w, XT_ERROR_ATOMIC_SHARED, "tile %d x %d of %s", d->shape[0], d->shape[1], xt_map_text_(&t->map).s);
}

xt_vec xt_atomic_rmw_(xt_where_ w, xt_rmw_kind_ kind, xt_scattered_ d)
{
    const xt_tile *t = &d.access.tile;
    const xt_vec *mask = &d.access.mask;
    xt_vec form = xt_vec_of_tile_(t);
    if (!xt_enter_(w) || !xt_check_vec_(w, &d.vec, "the vector of XT_ATOMIC_RMW") ||
        !xt_check_tile_(w, t, t->scatter || mask->magic, "the tile of XT_ATOMIC_RMW") ||
        !xt_check_store_(w, &d.vec, t) || !xt_check_mask_(w, mask, t) || !xt_check_rmw_(w, kind, t))
        return xt_no_vec_();
    xt_vec r = xt_new_vec_(w.x, t->type, &form);
    xt_diverges_at_least_(w.x, r.id, 1); /* each subgroup may see the results of others */
    xt_record_access_(w, XT_AS_(ATOMIC_RMW), (int)kind, r.id, t, mask, &d.vec, NULL);
    return r;
}
