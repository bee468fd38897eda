/* ir/regions.c - carried values, and how a loop moves tiles. */
#include "../internal.h"

XE_FN_ void xt_copy_object_(void *to, const xt_object_ *t) { memcpy(to, t, xt_object_size_(t->magic)); }

/* Scalar i of a value: six in a tile, one in an xt_val, none in a vector. */
XE_FN_ const xt_val *xt_scalar_of_(const xt_object_ *t, int i)
{
    if (t->magic == XT_TILE_MAGIC_) return xt_tile_scalar_(&t->tile, i);
    return t->magic == SPE_VAL_MAGIC && i == 0 ? &t->val : NULL;
}

/* The vector that it is, or that a scatter tile has; NULL: none. */
XE_FN_ const xt_vec *xt_vec_in_(const xt_object_ *t)
{
    if (t->magic == XT_TILE_MAGIC_ && t->tile.scatter) return &t->tile.offsets;
    return t->magic == XT_VEC_MAGIC_ ? &t->vec : NULL;
}

/* Joins all values that a carried variable can have, in pairs. */
XE_FN_ void xt_join_carried_(xt_ctx *x, const xt_frame_ *f, void (*join)(xt_ctx *, uint32_t, uint32_t))
{
    for (int i = 0; i < f->slots; i++) {
        const xt_slot_ *s = &f->slot[i];
        const uint32_t all[3] = {s->body, s->now, s->result};
        const xt_vec *start = xt_vec_in_(xt_object_of_(x, s->start));
        for (int j = 0; start && j < 3; j++) join(x, start->id, xt_vec_in_(xt_object_of_(x, all[j]))->id);
    }
}

XE_FN_ bool xt_same_scalar_(const xt_val *a, const xt_val *b)
{
    if (a->kind != b->kind || a->type != b->type) return false;
    if (a->kind == SPE_INT) return a->integer == b->integer;
    if (a->kind == SPE_REAL) return memcmp(&a->real, &b->real, sizeof a->real) == 0;
    return a->id == b->id;
}

/* The base of a tile, or the number or pointer itself; NULL: it is neither. */
XE_FN_ const xt_val *xt_base_in_(const xt_object_ *o)
{
    if (o->magic == XT_TILE_MAGIC_) return &o->tile.base;
    return o->magic == SPE_VAL_MAGIC ? &o->val : NULL;
}

/* The variable of a region in whose body, or after which, it has this base; NULL: none. */
XE_ONCE_
static const xt_slot_ *xt_slot_with_(xt_ctx *x, const xt_frame_ *f, uint32_t base)
{
    for (int i = 0; i < f->slots; i++) {
        const xt_slot_ *s = &f->slot[i];
        const xt_val *body = xt_base_in_(xt_object_of_(x, s->body)), *result = xt_base_in_(xt_object_of_(x, s->result));
        if ((body && body->id == base) || (result && result->id == base)) return s;
    }
    return NULL;
}

/* The pointer or address from which regions and leading dimensions have made this one; 0: it may be one of several. */
XE_FN_ uint32_t xt_origin_(xt_ctx *x, uint32_t pointer)
{
    const xt_slot_ *s;
    while (pointer) {
        const xt_node_ *n = xt_node_at_(x, xt_value_at_(x, pointer)->node);
        if (n->op == XT_OP_MATRIX_ || n->op == XT_OP_POINTER_) {
            pointer = n->operand[n->op == XT_OP_MATRIX_];
        } else if (xt_does_(n->op, XT_BOUNDS_) && n->frame && (s = xt_slot_with_(x, n->frame, pointer)) != NULL) {
            const xt_object_ *start = xt_object_of_(x, s->start);
            bool changes = s->mask >> (start->magic == XT_TILE_MAGIC_ ? XT_COMPONENTS_ - 1 : 0) & 1;
            pointer = changes ? 0 : xt_base_in_(start)->id;
        } else {
            break;
        }
    }
    return pointer;
}

/* Is a node in this loop, if it is one? */
XE_FN_ bool xt_is_within_(const xt_frame_ *loop, int node) { return loop && node > loop->begin && node < loop->end; }

/* A number or pointer like the initial one, with another id. */
XE_FN_ xt_val xt_carried_as_(const xt_val *start, uint32_t id)
{
    xt_val v = spe_val_of(start->kind == SPE_POINTER ? SPE_POINTER : SPE_SCALAR, xt_carried_type_(start), id);
    v.local = start->local;
    return v;
}

XE_FN_ bool xt_same_offsets_(const xt_tile *a, const xt_tile *b)
{
    return xt_same_scalar_(&a->offset[0], &b->offset[0]) && xt_same_scalar_(&a->offset[1], &b->offset[1]);
}

/* Does a tile that a loop carries move along one dimension by so much in each iteration, and in no other way? */
XE_FN_ bool xt_advances_(xt_ctx *x, const xt_tile *of, const xt_frame_ *f, int dim, int by)
{
    const xt_val *step = xt_number_(x, f->step);
    if (step->kind != SPE_INT || step->integer != by) return false;
    for (int i = 0; i < f->slots; i++) {
        const xt_tile *t = xt_tile_(x, f->slot[i].body);
        if (t->magic == XT_TILE_MAGIC_ && !t->scatter && t->number == of->number && xt_same_offsets_(t, of))
            return f->slot[i].mask == 1u << (XT_COUNTS_SHIFT_ + dim);
    }
    return false;
}
