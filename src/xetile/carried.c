/* carried.c - carried values: the &x arguments of XT_FOR, XT_WHILE and XT_IF. */
#include "internal.h"

/* The size of a carried value, from its first word; 0 if it is not one. */
static size_t xt_thing_size_(uint32_t magic)
{
    if (magic == XT_TILE_MAGIC_) return sizeof(xt_tile);
    return magic == SPE_VAL_MAGIC ? sizeof(xt_val) : magic == XT_VEC_MAGIC_ ? sizeof(xt_vec) : 0;
}

/* Reads the variable at a carried pointer; it must be set and in scope. */
XE_FN_ bool xt_read_(xt_where_ w, const void *object, xt_thing_ *t, int number)
{
    char what[40];
    memcpy(&t->magic, object, sizeof t->magic);
    memcpy(t, object, xt_thing_size_(t->magic));
    snprintf(what, sizeof what, "number %d of the list", number + 1);
    switch (t->magic) {
    case XT_TILE_MAGIC_: return t->tile.number < 0 || xt_check_scope_(w, t->tile.scope, what);
    case XT_VEC_MAGIC_: return !t->vec.id || xt_check_vec_(w, &t->vec, what);
    case SPE_VAL_MAGIC: return xt_is_lost_(&t->val) || xt_check_value_(w, &t->val, what);
    default: return xt_fail_(w, XT_ERROR_CARRIED, "%s is something else, or was never set", what);
    }
}

XE_FN_ void xt_write_(void *object, const xt_thing_ *t) { memcpy(object, t, xt_thing_size_(t->magic)); }

/* Scalar i of a value: six in a tile, one in an xt_val, none in a vector. */
XE_FN_ xt_val *xt_scalar_of_(xt_thing_ *t, int i)
{
    if (t->magic == XT_TILE_MAGIC_) return xt_tile_scalar_(&t->tile, i);
    return t->magic == SPE_VAL_MAGIC && i == 0 ? &t->val : NULL;
}

XE_FN_ xt_vec *xt_thing_vec_(xt_thing_ *t)
{
    if (t->magic == XT_TILE_MAGIC_ && t->tile.scatter) return &t->tile.offsets;
    return t->magic == XT_VEC_MAGIC_ ? &t->vec : NULL;
}

static xt_text_ xt_describe_thing_(const xt_thing_ *t)
{
    bool vec = t->magic == XT_VEC_MAGIC_;
    xt_vec v = vec ? t->vec : xt_form_(&t->tile);
    xt_text_ text;
    if (t->magic == SPE_VAL_MAGIC)
        snprintf(text.s, sizeof text.s, "%s", xt_type_name_(xt_carried_type_(&t->val)));
    else
        snprintf(text.s, sizeof text.s, "%s %d x %d of %s%s%.79s", vec ? "vector" : "tile", v.dist.shape[0],
                 v.dist.shape[1], xt_type_name_((int)v.type), xt_has_map_(&v.map) ? " with " : "",
                 xt_has_map_(&v.map) ? xt_map_text_(&v.map).s : "");
    return text;
}

static bool xt_same_form_(const xt_vec *a, const xt_vec *b)
{
    return a->type == b->type && xt_same_map_(&a->map, &b->map) &&
           memcmp(a->dist.shape, b->dist.shape, sizeof a->dist.shape) == 0;
}

static bool xt_same_kind_(const xt_thing_ *a, const xt_thing_ *b)
{
    if (a->magic != b->magic) return false;
    if (a->magic == XT_VEC_MAGIC_) return xt_same_form_(&a->vec, &b->vec);
    if (a->magic == XT_TILE_MAGIC_) {
        xt_vec p = xt_form_(&a->tile), q = xt_form_(&b->tile);
        return xt_same_form_(&p, &q) && memcmp(p.inner, q.inner, sizeof p.inner) == 0 &&
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

static bool xt_is_lost_thing_(const xt_thing_ *t)
{
    if (t->magic == XT_TILE_MAGIC_) return t->tile.number < 0;
    return t->magic == XT_VEC_MAGIC_ ? !t->vec.id : xt_is_lost_(&t->val);
}

/* "a carried value whose type changes" */
XE_FN_ bool xt_check_carried_(xt_where_ w, const xt_thing_ *start, const xt_thing_ *now, int number)
{
    if (xt_is_lost_thing_(start) || xt_is_lost_thing_(now) || xt_same_kind_(start, now)) return true;
    return xt_fail_(w, XT_ERROR_CARRIED_TYPE, "number %d of the list came in as %s, is %s at the end", number + 1,
                    xt_describe_thing_(start).s, xt_describe_thing_(now).s);
}

XE_LATE_ bool xt_same_scalar_(const xt_val *a, const xt_val *b)
{
    if (a->kind != b->kind || a->type != b->type) return false;
    if (a->kind == SPE_INT) return a->integer == b->integer;
    if (a->kind == SPE_REAL) return memcmp(&a->real, &b->real, sizeof a->real) == 0;
    return a->id == b->id;
}

/* A mask of the scalars that differ, and of the vector if it does. */
XE_FN_ uint32_t xt_differences_(xt_thing_ *a, xt_thing_ *b)
{
    const xt_vec *v = xt_thing_vec_(a), *u = xt_thing_vec_(b);
    uint32_t mask = v && u && v->id != u->id ? XT_VEC_CHANGES_ : 0;
    const xt_val *p;
    for (int i = 0; (p = xt_scalar_of_(a, i)) != NULL; i++)
        if (!xt_same_scalar_(p, xt_scalar_of_(b, i))) mask |= 1u << i;
    return mask;
}

/* ---- changes --------------------------------------------------------------------------------------------------- */

/* A number or pointer like the initial one, with another id. */
static xt_val xt_carried_as_(const xt_val *start, uint32_t id)
{
    xt_val v = spe_val_of(start->kind == SPE_POINTER ? SPE_POINTER : SPE_SCALAR, xt_carried_type_(start), id);
    v.local = start->local;
    return v;
}

/* Replaces the parts in the mask by new values. */
XE_FN_ void xt_renew_(xt_ctx *x, xt_thing_ *t, uint32_t mask)
{
    xt_vec *v = mask & XT_VEC_CHANGES_ ? xt_thing_vec_(t) : NULL;
    xt_val *p;
    int spread;
    if (mask && t->magic == XT_TILE_MAGIC_) t->tile.id = xt_further_value_(x);
    for (int i = 0; spe_ok(&x->m) && (p = xt_scalar_of_(t, i)) != NULL; i++)
        if (mask >> i & 1) {
            spread = xt_spread_of_(x, p);
            *p = xt_carried_as_(p, xt_further_value_(x));
            xt_value_at_(x, p->id)->spread = spread;
        } else if (p->kind < SPE_SCALAR) {
            p->note = x->scope;
        }
    if (t->magic == XT_TILE_MAGIC_) t->tile.scope = x->scope;
    if (!v) return;
    spread = xt_value_at_(x, v->id)->spread;
    v->id = xt_further_value_(x);
    xt_spread_at_least_(x, v->id, spread);
    if (v->id) xt_define_vec_(x, v->id, *v);
}

/* The ids of one vector, in the layout `use`. */
static int xt_vec_ids_(xt_ctx *x, const xt_vec *v, cm_use use, spe_id *ids)
{
    xt_vec r = xt_now_as_(x, v, use);
    int n = 0;
    for (int i = 0; i < r.blocks; i++)
        for (int j = 0; j < r.block[i].parts; j++, n++)
            if (ids) ids[n] = r.block[i].part[j];
    return n;
}

/* Does a variable get, at the end of a side, the vector that another had when the side began? */
static bool xt_is_rotated_(xt_frame_ *f, const xt_slot_ *s, xt_thing_ *t)
{
    const xt_vec *v = xt_thing_vec_(t), *first;
    for (int i = 0; i < f->slots; i++) {
        first = xt_thing_vec_(f->op == XT_OP_IF_ ? &f->slot[i].start : &f->slot[i].body);
        if (&f->slot[i] != s && first && first->id == v->id) return true;
    }
    return false;
}

/* Collects the ids that change, with their values before the region or at the end of a side (second: of the last side),
 * and returns their number. Allocates the frame's array if necessary. */
XE_FN_ int xt_gather_(xt_ctx *x, xt_frame_ *f, bool at_end, bool second)
{
    int at = 0;
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        xt_thing_ *t = !at_end ? &s->start : second ? &s->now : &s->body;
        for (int j = 0; j < XT_COMPONENTS_; j++) {
            if (!(s->mask >> j & 1)) continue;
            if (f->ids) f->ids[at] = xt_now_id_(x, xt_scalar_of_(t, j), xt_carried_type_(xt_scalar_of_(&s->start, j)));
            at++;
        }
        if (!(s->mask & XT_VEC_CHANGES_)) continue;
        spe_id *ids = f->ids ? f->ids + at : NULL;
        int n = xt_vec_ids_(x, xt_thing_vec_(t), xt_layout_(x, xt_thing_vec_(&s->start)->id), ids);
        if (ids && (!at_end || xt_is_rotated_(f, s, t))) spe_differ(&x->m, 0, (uint32_t)n, ids);
        at += n;
    }
    return at;
}

/* Makes a vector like the one before the region from these ids. Returns their number. */
static int xt_vec_from_ids_(xt_ctx *x, const xt_vec *start, uint32_t id, const spe_id *ids)
{
    xt_vec now = xt_now_vec_(x, start);
    cm_matrix *block = (cm_matrix *)xt_memory_(x, (size_t)now.blocks * sizeof *block);
    int n = 0;
    if (!block) return 0;
    for (int i = 0; i < now.blocks; i++) {
        block[i] = cm_from_parts(&x->cm, &now.block[i].layout, ids + n);
        n += now.block[i].parts;
    }
    xt_vec v = xt_value_at_(x, id)->now.vec;
    v.use = now.use;
    v.blocks = now.blocks;
    v.block = block;
    xt_define_vec_(x, id, v);
    return n;
}

/* Sets carried values at the top of a loop's body or after the region: to the frame's ids if they change, to the sum of
 * start and advance if they advance with the index, else to their values before it. */
XE_FN_ void xt_scatter_(xt_ctx *x, xt_frame_ *f, bool result, spe_id advance)
{
    int at = 0;
    for (int i = 0; i < f->slots; i++) {
        xt_slot_ *s = &f->slot[i];
        xt_thing_ *t = result ? &s->result : &s->body;
        xt_vec *v = xt_thing_vec_(t);
        xt_val *first;
        for (int j = 0; (first = xt_scalar_of_(&s->start, j)) != NULL; j++) {
            bool changes = s->mask >> j & 1, counts = s->mask >> XT_COUNTS_SHIFT_ >> j & 1;
            if (result && !changes && !counts) continue;
            uint32_t id = xt_scalar_of_(t, j)->id;
            xt_define_(x, id, changes ? xt_carried_as_(first, f->ids[at++]) : xt_now_(x, first));
            if (!counts) continue;
            xt_value_ *value = xt_value_at_(x, id);
            value->start = xt_id_(x, &value->now.number, xt_carried_type_(first));
            value->advance = advance;
            value->now.number = xt_scalar_(xt_carried_type_(first), spe_iadd(&x->m, value->start, advance), 1);
        }
        if (!v) continue;
        if (s->mask & XT_VEC_CHANGES_)
            at += xt_vec_from_ids_(x, xt_thing_vec_(&s->start), v->id, f->ids + at);
        else if (!result)
            xt_define_vec_(x, v->id, xt_now_vec_(x, xt_thing_vec_(&s->start)));
    }
}
