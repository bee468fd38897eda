/* front/carried.c - carried values: the &x arguments of XT_FOR, XT_WHILE and XT_IF. */
#include "../internal.h"

/* The value of the variable at a carried pointer, which must be set and in scope; 0 after an error. The next node uses
 * it. */
XE_FN_ uint32_t xt_read_(xt_where_ w, const void *object, int number)
{
    char what[40];
    xt_object_ t;
    bool good;
    memcpy(&t.magic, object, sizeof t.magic);
    memcpy(&t, object, xt_object_size_(t.magic));
    snprintf(what, sizeof what, "number %d of the list", number + 1);
    switch (t.magic) {
    case XT_TILE_MAGIC_: good = t.tile.number < 0 || xt_check_scope_(w, t.tile.scope, what); break;
    case XT_VEC_MAGIC_: good = !t.vec.id || xt_check_vec_(w, &t.vec, what); break;
    case SPE_VAL_MAGIC: good = xt_is_lost_(&t.val) || xt_check_value_(w, &t.val, what); break;
    default: good = xt_fail_(w, XT_ERROR_CARRIED, "%s is something else, or was never set", what);
    }
    if (!good) return 0;
    uint32_t id = xt_value_of_(w.x, object);
    xt_note_use_(w.x, id, w.x->nodes.count);
    return id;
}

static xt_text_ xt_describe_carried_(const xt_object_ *t)
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

static bool xt_same_kind_(const xt_object_ *a, const xt_object_ *b)
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

static bool xt_is_lost_carried_(const xt_object_ *t)
{
    if (t->magic == XT_TILE_MAGIC_) return t->tile.number < 0;
    return t->magic == XT_VEC_MAGIC_ ? !t->vec.id : xt_is_lost_(&t->val);
}

/* "a carried value whose type changes" */
XE_FN_ bool xt_check_carried_(xt_where_ w, uint32_t before, uint32_t at_end, int number)
{
    const xt_object_ *start = xt_object_of_(w.x, before), *now = xt_object_of_(w.x, at_end);
    if (xt_is_lost_carried_(start) || xt_is_lost_carried_(now) || xt_same_kind_(start, now)) return true;
    return xt_fail_(w, XT_ERROR_CARRIED_TYPE, "number %d of the list came in as %s, is %s at the end", number + 1,
                    xt_describe_carried_(start).s, xt_describe_carried_(now).s);
}

/* A mask of the scalars that differ, and of the vector if it does. */
XE_FN_ uint32_t xt_differences_(xt_ctx *x, uint32_t first, uint32_t second)
{
    const xt_object_ *a = xt_object_of_(x, first), *b = xt_object_of_(x, second);
    const xt_vec *v = xt_vec_in_(a), *u = xt_vec_in_(b);
    uint32_t mask = v && u && v->id != u->id ? XT_VEC_CHANGES_ : 0;
    const xt_val *p;
    for (int i = 0; (p = xt_scalar_of_(a, i)) != NULL; i++)
        if (!xt_same_scalar_(p, xt_scalar_of_(b, i))) mask |= 1u << i;
    return mask;
}

/* Makes a new value of a scalar that changes. Folded constants have a scope instead. */
static void xt_renew_number_(xt_ctx *x, xt_val *v, bool changes)
{
    if (!changes && v->kind < SPE_SCALAR) v->note = x->scope;
    if (!changes || !spe_ok(&x->m)) return;
    int divergence = xt_divergence_of_(x, v);
    *v = xt_carried_as_(v, xt_further_value_(x));
    xt_value_at_(x, v->id)->divergence = divergence;
}

static void xt_renew_vec_(xt_ctx *x, xt_vec *v)
{
    int divergence = xt_value_at_(x, v->id)->divergence;
    v->id = xt_further_value_(x);
    xt_diverges_at_least_(x, v->id, divergence);
    xt_value_of_(x, v);
}

/* Sets a variable to a carried value in which the scalars and the vector in the mask are new ones. Returns what it is
 * then. */
XE_FN_ uint32_t xt_renew_(xt_ctx *x, void *object, uint32_t of, uint32_t mask)
{
    xt_object_ t;
    xt_copy_object_(&t, xt_object_of_(x, of));
    if (t.magic == SPE_VAL_MAGIC) xt_renew_number_(x, &t.val, mask & 1);
    if (t.magic == XT_VEC_MAGIC_ && (mask & XT_VEC_CHANGES_)) xt_renew_vec_(x, &t.vec);
    if (t.magic == XT_TILE_MAGIC_) {
        xt_val *const all[XT_COMPONENTS_] = {&t.tile.offset[0], &t.tile.offset[1], &t.tile.shape[0],
                                             &t.tile.shape[1],  &t.tile.pitch,     &t.tile.base};
        if (mask) t.tile.id = xt_further_value_(x);
        for (int i = 0; i < XT_COMPONENTS_; i++) xt_renew_number_(x, all[i], mask >> i & 1);
        t.tile.scope = x->scope;
        if (t.tile.scatter && (mask & XT_VEC_CHANGES_)) xt_renew_vec_(x, &t.tile.offsets);
    }
    xt_copy_object_(object, &t);
    return xt_value_of_(x, &t);
}
