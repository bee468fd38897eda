/* visit.c - a function called for each element in memory; atomics. */
#include "internal.h"

/* May the function of cm_visit return this after it returned `first`: a value of the storage type, or always 0? */
static bool cm_is_result_(cm_ctx *c, cm_type type, spe_id v, spe_id first)
{
    if (!spe_ok(c->module)) return false;
    if (!v != !first) return CM_FAIL_(c, SCALAR, "the function of cm_visit returns 0 for some elements only");
    return !v || spe_type_of(c->module, v) == cm_storage_type(c, type) ||
           CM_FAIL_(c, SCALAR, "the result of cm_visit's function is not of the storage type of %s", cm_name_(type));
}

/* Calls fn for every element of layout l inside the memory, with the value in `a` (0 if a is NULL). */
static cm_matrix cm_visit_(cm_ctx *c, const cm_layout *l, const cm_matrix *a, const cm_mem *mem, cm_visit_fn fn,
                           void *user)
{
    cm_matrix half[2];
    for (int h = 0; h < cm_halves_(l->type); h++) {
        cm_layout part = *l;
        cm_surface_ s;
        cm_axes_ axes;
        part.type = cm_half_type_(l->type);
        if (!cm_surface_init_(c, &s, l->type, mem, h)) return cm_poison();
        s = cm_with_extents_(c, &s);
        if (a) half[h] = cm_half_(a, h);
        spe_id *v = a ? cm_component_ids(c, &half[h], part.type) : cm_ids_(c, l->size_v);
        if (!v || !cm_axes_init_(c, &part, &s, false, &axes)) return cm_poison();
        for (int i = 0, row, col; i < l->size_v; i++) {
            cm_axes_of_(&part, i, &row, &col);
            spe_id inside = cm_and_(c, axes.row[row].inside, axes.col[col].inside);
            if (inside) cm_if_inside_(c, inside);
            v[i] = fn(c, part.type, spe_index(c->module, axes.row[row].at, axes.col[col].at), v[i], user);
            if (!cm_is_result_(c, part.type, v[i], i ? v[0] : v[i])) return cm_poison();
            if (inside && v[i]) spe_endif_from(c->module, 1, &v[i], &s.padding, &v[i]);
            if (inside && !v[i]) spe_endif(c->module, 0, NULL, NULL);
        }
        half[h] = v[0] ? cm_from_components(c, &part, v) : cm_poison();
    }
    return cm_of_halves_(c, l->type, half);
}

cm_matrix cm_visit(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, cm_visit_fn fn, void *user)
{
    return cm_is_poison_(c, a) ? cm_poison() : cm_visit_(c, &a->layout, a, mem, fn, user);
}

typedef enum { CM_ATOMIC_LOAD_, CM_ATOMIC_STORE_, CM_ATOMIC_ADD_, CM_ATOMIC_MIN_, CM_ATOMIC_MAX_ } cm_atomic_;

typedef struct {
    cm_atomic_ what;
    uint32_t scope, semantics;
} cm_atomic_how_;

/* 32 and 64 bits; f16 has add, min and max; complex types have no order. */
static bool cm_check_atomic_(cm_ctx *c, cm_type type, cm_atomic_ what)
{
    const cm_type_row *t = cm_type_info(type);
    if (!t || cm_opaque_(c, "atomics")) return false;
    if (cm_is_complex(type) && what > CM_ATOMIC_ADD_) return CM_FAIL_(c, ATOMIC, "complex numbers have no order");
    if (t->bytes >= 4 && type != CM_TF32) return true;
    if (type == CM_F16 && what >= CM_ATOMIC_ADD_) return true;
    return CM_FAIL_(c, ATOMIC, "there are no such atomic operations on %s", t->name);
}

/* One component; returns the old value (0 for a store). */
static spe_id cm_atomic_one_(cm_ctx *c, cm_type type, spe_id ptr, spe_id v, void *user)
{
    static const spe_atomic_op ops[3][3] = {{SPE_ATOMIC_FADD, SPE_ATOMIC_IADD, SPE_ATOMIC_IADD},
                                            {SPE_ATOMIC_FMIN, SPE_ATOMIC_SMIN, SPE_ATOMIC_UMIN},
                                            {SPE_ATOMIC_FMAX, SPE_ATOMIC_SMAX, SPE_ATOMIC_UMAX}};
    const cm_atomic_how_ *how = (const cm_atomic_how_ *)user;
    if (how->what == CM_ATOMIC_LOAD_) return spe_atomic_load(c->module, ptr, how->scope, how->semantics);
    if (how->what != CM_ATOMIC_STORE_)
        return spe_atomic(c->module, ops[how->what - CM_ATOMIC_ADD_][cm_number_kind_(type)], ptr, v, how->scope,
                          how->semantics);
    spe_atomic_store(c->module, ptr, v, how->scope, how->semantics);
    return 0;
}

cm_matrix cm_atomic_load(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, const cm_mem *from, uint32_t scope,
                         uint32_t semantics)
{
    cm_atomic_how_ how = {CM_ATOMIC_LOAD_, scope, semantics};
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    if (!l.rows || !cm_check_atomic_(c, type, how.what)) return cm_poison();
    return cm_visit_(c, &l, NULL, from, cm_atomic_one_, &how);
}

/* Stores and updates; returns the old values (poison for a store). */
static cm_matrix cm_atomic_put_(cm_ctx *c, const cm_matrix *a, const cm_mem *to, cm_atomic_ what, uint32_t scope,
                                uint32_t semantics)
{
    cm_atomic_how_ how = {what, scope, semantics};
    if (cm_is_poison_(c, a) || !cm_check_atomic_(c, a->layout.type, what)) return cm_poison();
    return cm_visit_(c, &a->layout, a, to, cm_atomic_one_, &how);
}

void cm_atomic_store(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics)
{
    cm_atomic_put_(c, a, to, CM_ATOMIC_STORE_, scope, semantics);
}

#define CM_ATOMIC_UPDATE_(name, what)                                                                                  \
    cm_matrix name(cm_ctx *c, const cm_matrix *a, const cm_mem *to, uint32_t scope, uint32_t semantics)                \
    {                                                                                                                  \
        return cm_atomic_put_(c, a, to, what, scope, semantics);                                                       \
    }
CM_ATOMIC_UPDATE_(cm_atomic_add, CM_ATOMIC_ADD_)
CM_ATOMIC_UPDATE_(cm_atomic_min, CM_ATOMIC_MIN_)
CM_ATOMIC_UPDATE_(cm_atomic_max, CM_ATOMIC_MAX_)
