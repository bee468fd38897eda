/* front/carried.c - carried values: the &x arguments of XT_FOR, XT_WHILE and XT_IF. */
#include "../internal.h"

/* Reads the variable at a carried pointer; it must be set and in scope. */
XE_FN_ bool xt_read_(xt_where_ w, const void *object, xt_carried_ *t, int number)
{
    char what[40];
    memcpy(&t->magic, object, sizeof t->magic);
    memcpy(t, object, xt_carried_size_(t->magic));
    snprintf(what, sizeof what, "number %d of the list", number + 1);
    switch (t->magic) {
    case XT_TILE_MAGIC_:
        xt_use_tile_(w.x, &t->tile);
        return t->tile.number < 0 || xt_check_scope_(w, t->tile.scope, what);
    case XT_VEC_MAGIC_: return !t->vec.id || xt_check_vec_(w, &t->vec, what);
    case SPE_VAL_MAGIC: return xt_is_lost_(&t->val) || xt_check_value_(w, &t->val, what);
    default: return xt_fail_(w, XT_ERROR_CARRIED, "%s is something else, or was never set", what);
    }
}

static xt_text_ xt_describe_carried_(const xt_carried_ *t)
{
    bool vec = t->magic == XT_VEC_MAGIC_;
    xt_vec v = vec ? t->vec : xt_vec_of_tile_(&t->tile);
    xt_text_ text;
    if (t->magic == SPE_VAL_MAGIC)
        snprintf(text.s, sizeof text.s, "%s", xt_type_name_(xt_carried_type_(&t->val)));
    else
        snprintf(text.s, sizeof text.s, "%s %d x %d of %s%s%.79s", vec ? "vector" : "tile", v.dist.shape[0],
                 v.dist.shape[1], xt_type_name_((int)v.type), xt_has_map_(&v.map) ? " with " : "",
                 xt_has_map_(&v.map) ? xt_map_text_(&v.map).s : "");
    return text;
}

static bool xt_same_shape_(const xt_vec *a, const xt_vec *b)
{
    return a->type == b->type && xt_same_map_(&a->map, &b->map) &&
           memcmp(a->dist.shape, b->dist.shape, sizeof a->dist.shape) == 0;
}

static bool xt_same_kind_(const xt_carried_ *a, const xt_carried_ *b)
{
    if (a->magic != b->magic) return false;
    if (a->magic == XT_VEC_MAGIC_) return xt_same_shape_(&a->vec, &b->vec);
    if (a->magic == XT_TILE_MAGIC_) {
        xt_vec p = xt_vec_of_tile_(&a->tile), q = xt_vec_of_tile_(&b->tile);
        return xt_same_shape_(&p, &q) && memcmp(p.inner, q.inner, sizeof p.inner) == 0 &&
               a->tile.column_major == b->tile.column_major && a->tile.scatter == b->tile.scatter &&
               a->tile.inside == b->tile.inside && a->tile.step == b->tile.step &&
               a->tile.base.local == b->tile.base.local &&
               (!a->tile.scatter || a->tile.offsets.type == b->tile.offsets.type);
    }
    int s = xt_carried_type_(&a->val);
    int t = xt_carried_type_(&b->val);
    if (a->val.kind == SPE_POINTER || b->val.kind == SPE_POINTER) return a->val.kind == b->val.kind && s == t;
    if (s == t || (b->val.kind == SPE_INT && xt_is_float_(s))) return true;
    return xt_is_int_(s) && xt_is_int_(t) && (b->val.kind == SPE_INT || xt_bits_(s) == xt_bits_(t));
}

static bool xt_is_lost_carried_(const xt_carried_ *t)
{
    if (t->magic == XT_TILE_MAGIC_) return t->tile.number < 0;
    return t->magic == XT_VEC_MAGIC_ ? !t->vec.id : xt_is_lost_(&t->val);
}

/* "a carried value whose type changes" */
XE_FN_ bool xt_check_carried_(xt_where_ w, const xt_carried_ *start, const xt_carried_ *now, int number)
{
    if (xt_is_lost_carried_(start) || xt_is_lost_carried_(now) || xt_same_kind_(start, now)) return true;
    return xt_fail_(w, XT_ERROR_CARRIED_TYPE, "number %d of the list came in as %s, is %s at the end", number + 1,
                    xt_describe_carried_(start).s, xt_describe_carried_(now).s);
}

/* A mask of the scalars that differ, and of the vector if it does. */
XE_FN_ uint32_t xt_differences_(xt_carried_ *a, xt_carried_ *b)
{
    const xt_vec *v = xt_carried_vec_(a), *u = xt_carried_vec_(b);
    uint32_t mask = v && u && v->id != u->id ? XT_VEC_CHANGES_ : 0;
    const xt_val *p;
    for (int i = 0; (p = xt_scalar_of_(a, i)) != NULL; i++)
        if (!xt_same_scalar_(p, xt_scalar_of_(b, i))) mask |= 1u << i;
    return mask;
}

/* Replaces the parts in the mask by new values. */
XE_FN_ void xt_renew_(xt_ctx *x, xt_carried_ *t, uint32_t mask)
{
    xt_vec *v = mask & XT_VEC_CHANGES_ ? xt_carried_vec_(t) : NULL;
    xt_val *p;
    int divergence;
    if (mask && t->magic == XT_TILE_MAGIC_) t->tile.id = xt_further_value_(x);
    for (int i = 0; spe_ok(&x->m) && (p = xt_scalar_of_(t, i)) != NULL; i++)
        if (mask >> i & 1) {
            divergence = xt_divergence_of_(x, p);
            *p = xt_carried_as_(p, xt_further_value_(x));
            xt_value_at_(x, p->id)->divergence = divergence;
        } else if (p->kind < SPE_SCALAR) {
            p->note = x->scope;
        }
    if (t->magic == XT_TILE_MAGIC_) t->tile.scope = x->scope;
    if (!v) return;
    divergence = xt_value_at_(x, v->id)->divergence;
    v->id = xt_further_value_(x);
    xt_diverges_at_least_(x, v->id, divergence);
    if (v->id) xt_define_vec_(x, v->id, *v);
}
