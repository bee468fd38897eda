/* ir/record.c - records a body as nodes and values. */
#include "../internal.h"

XE_FN_ xt_node_ *xt_node_at_(xt_ctx *x, int i) { return (xt_node_ *)x->nodes.items + i; }
XE_FN_ xt_value_ *xt_value_at_(xt_ctx *x, uint32_t id) { return (xt_value_ *)x->values.items + id; }

/* What a value is that is not set, or that nothing has used. */
static const xt_object_ xt_unset_ = XT_ZERO_;

/* Id 0 means no value; it is also returned if out of memory. */
XE_FN_ uint32_t xt_new_value_(xt_ctx *x)
{
    xt_value_ *v = (xt_value_ *)spe_list_add(&x->m, &x->values, sizeof *v);
    if (!v) return 0;
    v->is = &xt_unset_;
    v->parent = (uint32_t)x->values.count - 1;
    v->scope = x->scope;
    return v->parent;
}

/* Scalar i of a tile: offset, shape, pitch, base; then NULL. */
XE_FN_ const xt_val *xt_tile_scalar_(const xt_tile *t, int i)
{
    if (i < 4) return i < 2 ? &t->offset[i] : &t->shape[i - 2];
    return i == 4 ? &t->pitch : i == 5 ? &t->base : NULL;
}

/* ---- values as operands ------------------------------------------------------------------------------------------ */

/* The size of a number, vector or tile, from its first word; 0 if it is none. */
XE_FN_ size_t xt_object_size_(uint32_t magic)
{
    if (magic == XT_TILE_MAGIC_) return sizeof(xt_tile);
    return magic == SPE_VAL_MAGIC ? sizeof(xt_val) : magic == XT_VEC_MAGIC_ ? sizeof(xt_vec) : 0;
}

/* The value that a number, vector or tile is; 0 if it is not set, or NULL. C constants, and what failed operations
 * return, become values here. */
XE_FN_ uint32_t xt_value_of_(xt_ctx *x, const void *object)
{
    const xt_object_ *o = (const xt_object_ *)object;
    size_t size = o ? xt_object_size_(o->magic) : 0;
    if (!size || (o->magic == SPE_VAL_MAGIC && o->val.kind == SPE_NOTHING)) return 0;
    uint32_t id = o->magic == XT_TILE_MAGIC_ ? o->tile.id : o->magic == XT_VEC_MAGIC_ ? o->vec.id : o->val.id;
    if (!id) id = xt_new_value_(x);
    xt_value_ *value = xt_value_at_(x, id);
    if (!id || value->is != &xt_unset_) return id;
    void *copy = xt_memory_(x, size);
    if (copy) value->is = (const xt_object_ *)memcpy(copy, object, size);
    return id;
}

/* A vector that is not recorded yet is another one. */
XE_ONCE_
XE_FN_ void xt_redefine_(xt_ctx *x, const xt_vec *v)
{
    xt_value_at_(x, v->id)->is = &xt_unset_;
    xt_value_of_(x, v);
}

/* What a value is; of value 0 nothing is set. */
XE_FN_ const xt_object_ *xt_object_of_(xt_ctx *x, uint32_t id) { return ((xt_value_ *)x->values.items)[id].is; }
XE_FN_ const xt_val *xt_number_(xt_ctx *x, uint32_t id) { return &xt_object_of_(x, id)->val; }
XE_FN_ const xt_vec *xt_vector_(xt_ctx *x, uint32_t id) { return &xt_object_of_(x, id)->vec; }
XE_FN_ const xt_tile *xt_tile_(xt_ctx *x, uint32_t id) { return &xt_object_of_(x, id)->tile; }

/* Adds an operand: a number, vector or tile, which may be unset; or NULL. */
XE_FN_ void xt_take_(xt_ctx *x, xt_ids_ *to, const void *object)
{
    if (!x->again && to->count < XT_OPERANDS_MAX_) to->id[to->count++] = xt_value_of_(x, object);
}

/* The transpose of a tile, with its elements where they are. */
XE_FN_ xt_tile xt_transposed_(const xt_tile *t)
{
    xt_tile r = *t;
    for (int i = 0; i < 2; i++) r.offset[i] = t->offset[1 - i], r.shape[i] = t->shape[1 - i];
    r.column_major = !t->column_major;
    return r;
}

/* ---- uses -------------------------------------------------------------------------------------------------------- */

static void xt_add_use_(xt_ctx *x, uint32_t id, int node)
{
    xt_value_ *v = xt_value_at_(x, id);
    xt_use_ *u = id ? (xt_use_ *)spe_list_add(&x->m, &x->uses, sizeof *u) : NULL;
    if (!u) return;
    u->node = node;
    u->before = v->last_use;
    v->last_use = x->uses.count - 1;
}

/* A node uses a value; of a tile also its numbers, but for the base, which the node uses that made the tile. */
XE_FN_ void xt_note_use_(xt_ctx *x, uint32_t id, int node)
{
    const xt_object_ *o = xt_object_of_(x, id);
    if (x->again) return;
    xt_add_use_(x, id, node);
    for (int i = 0; o->magic == XT_TILE_MAGIC_ && i < XT_COMPONENTS_ - 1; i++) {
        const xt_val *v = xt_tile_scalar_(&o->tile, i);
        if (v->kind >= SPE_SCALAR) xt_add_use_(x, v->id, node);
    }
}

/* The last use of a value, and the one before; NULL: there is none. */
XE_FN_ const xt_use_ *xt_use_before_(xt_ctx *x, const xt_use_ *u)
{
    return u->before ? (const xt_use_ *)x->uses.items + u->before : NULL;
}
XE_FN_ const xt_use_ *xt_last_use_(xt_ctx *x, uint32_t id)
{
    int at = xt_value_at_(x, id)->last_use;
    return at ? (const xt_use_ *)x->uses.items + at : NULL;
}

/* Has it one use, and need no other vector share its layout? */
XE_FN_ bool xt_is_used_once_(xt_ctx *x, uint32_t id)
{
    const xt_use_ *u = xt_last_use_(x, id);
    return u && !u->before && !xt_value_at_(x, id)->shares_layout;
}

/* ---- scopes of values -------------------------------------------------------------------------------------------- */

typedef struct {
    xt_op_ op;
    spe_line at;
} xt_scope_;

/* Begins the record: the first value, use and scope stand for none. */
XE_ONCE_
XE_FN_ bool xt_begin_record_(xt_ctx *x)
{
    xt_new_value_(x);
    return spe_list_add(&x->m, &x->uses, sizeof(xt_use_)) && spe_list_add(&x->m, &x->scopes, sizeof(xt_scope_));
}

/* A new scope, of a region or a side of it. Scope 0 is the kernel's. */
XE_FN_ int xt_new_scope_(xt_where_ w, xt_op_ op)
{
    xt_scope_ *s = (xt_scope_ *)spe_list_add(&w.x->m, &w.x->scopes, sizeof *s);
    if (!s) return 0;
    s->op = op;
    s->at = *w.at;
    return w.x->scopes.count - 1;
}

/* Values of a region may be used in it, in the same iteration; afterwards, only listed variables may be used. */
XE_FN_ bool xt_check_scope_(xt_where_ w, int scope, const char *what)
{
    const xt_ctx *x = w.x;
    const xt_scope_ *s;
    if (scope == 0 || scope == x->scope) return true;
    for (int i = x->regions.depth - 1; i >= 0; i--)
        if (x->frames[i]->scope == scope || x->frames[i]->side == scope) return true;
    s = (const xt_scope_ *)x->scopes.items + scope;
    return xt_fail_(w, XT_ERROR_UNLISTED, "%s was made in the %s of %s:%d; to use it %s, list its variable there", what,
                    xt_operation_name_(s->op), s->at.file, s->at.line, x->again ? "in the next iteration" : "outside");
}

XE_FN_ bool xt_is_lost_(const xt_val *v) { return v->magic == SPE_VAL_MAGIC && v->kind >= SPE_SCALAR && !v->id; }

/* The same for a number; false without an error if its operation failed. Folded constants have a scope too. */
XE_FN_ bool xt_check_value_(xt_where_ w, const xt_val *v, const char *what)
{
    return !xt_is_lost_(v) &&
           xt_check_scope_(w, v->kind >= SPE_SCALAR ? xt_value_at_(w.x, v->id)->scope : v->note, what);
}

/* ---- uniformity -------------------------------------------------------------------------------------------------- */

XE_FN_ int xt_divergence_of_(xt_ctx *x, const xt_val *v)
{
    return v->kind < SPE_SCALAR ? 0 : xt_value_at_(x, v->id)->divergence;
}

XE_FN_ void xt_diverges_at_least_(xt_ctx *x, uint32_t id, int divergence)
{
    xt_value_ *v = xt_value_at_(x, id);
    if (id && divergence > v->divergence) v->divergence = divergence;
}

/* Values computed from a vector, or taken from it, differ between subgroups if the vector does. */
XE_FN_ void xt_diverges_like_(xt_ctx *x, uint32_t id, const xt_vec *v)
{
    xt_diverges_at_least_(x, id, xt_value_at_(x, v->id)->divergence);
}

/* A loaded value differs as the tile's position does. With a map, each subgroup has its own part of one vector. */
XE_ONCE_
XE_FN_ void xt_diverges_like_tile_(xt_ctx *x, uint32_t id, const xt_tile *t)
{
    const xt_val *v;
    if (t->scatter) xt_diverges_like_(x, id, &t->offsets);
    for (int i = 0; !xt_has_map_(&t->map) && (v = xt_tile_scalar_(t, i)) != NULL; i++)
        xt_diverges_at_least_(x, id, xt_divergence_of_(x, v));
}

/* Tile offsets and vector elements must be uniform over the subgroup. */
XE_FN_ bool xt_check_uniform_(xt_where_ w, const xt_val *v, const char *what)
{
    return xt_divergence_of_(w.x, v) < 2 ||
           xt_fail_(w, XT_ERROR_NOT_UNIFORM, "%s depends on XT_LANE_ID, XT_LOCAL_ID or XT_GLOBAL_ID", what);
}

/* Checks that the open regions allow the operation. Numbers, XT_LOAD and XT_STORE may diverge by lane; all subgroups
 * take part in a barrier, and where elements go through local memory. */
static bool xt_check_divergence_(xt_where_ w, xt_op_ op, const void *about)
{
    const spe_regions *r = &w.x->regions;
    bool waits = xt_does_(op, XT_WAITS_) || (xt_does_(op, XT_MOVES_) && !((const xt_move_ *)about)->origin);
    if (w.x->divergence < 1 || (w.x->part && !waits) || xt_does_(op, XT_DIVERGES_)) return true;
    return (w.x->divergence < 2 && !waits) ||
           xt_fail_(w, XT_ERROR_NOT_UNIFORM, "%s in the %s of line %d, in which %s diverge", xt_operation_name_(op),
                    r->open[r->depth - 1].name, r->open[r->depth - 1].line,
                    w.x->divergence < 2 ? "subgroups" : "lanes");
}

/* A copy; NULL: there is nothing to copy. */
static void *xt_copied_(xt_ctx *x, const void *from, size_t size)
{
    void *copy = size ? xt_memory_(x, size) : NULL;
    if (copy) memcpy(copy, from, size);
    return copy;
}

/* Appends a node. operands: NULL, none. Of its attributes, too, it has a copy; size 0: it keeps these themselves. */
XE_FN_ void xt_record_(xt_where_ w, const xt_operation_ *as, int kind, uint32_t result, const xt_ids_ *operands,
                       const void *about, size_t size)
{
    xt_ctx *x = w.x;
    if (x->again) return;
    void *copy = xt_copied_(x, about, size);
    void *ids = operands ? xt_copied_(x, operands->id, (size_t)operands->count * sizeof *operands->id) : NULL;
    xt_node_ *n = spe_ok(&x->m) ? (xt_node_ *)spe_list_add(&x->m, &x->nodes, sizeof *n) : NULL;
    if (!n) return;
    xt_check_divergence_(w, as->op, about);
    for (int i = 0; ids && i < operands->count; i++) xt_note_use_(x, operands->id[i], x->nodes.count - 1);
    n->op = as->op;
    n->write = as->write;
    n->kind = kind;
    n->part = x->part > 0;
    n->divergence = x->divergence;
    n->in = x->regions.depth ? x->frames[x->regions.depth - 1] : NULL;
    n->result = result;
    n->file = w.at->file;
    n->line = w.at->line;
    n->type = operands ? operands->type : 0;
    n->operands = operands ? operands->count : 0;
    n->operand = (const uint32_t *)ids;
    n->about = copy ? copy : (void *)(uintptr_t)about; /* writing it may store something there */
    xt_value_at_(x, result)->node = x->nodes.count - 1;
}

/* A node that makes a number. */
XE_FN_ xt_val xt_record_number_(xt_where_ w, const xt_operation_ *as, int kind, int type, int align,
                                const xt_ids_ *operands)
{
    xt_val v = spe_val_of(SPE_SCALAR, type, xt_new_value_(w.x));
    v.align = align;
    for (int i = 0; i < operands->count; i++)
        xt_diverges_at_least_(w.x, v.id, xt_value_at_(w.x, operands->id[i])->divergence);
    xt_record_(w, as, kind, v.id, operands, NULL, 0);
    return v;
}

/* A further value of the node that was recorded last. */
XE_FN_ uint32_t xt_further_value_(xt_ctx *x)
{
    uint32_t id = xt_new_value_(x);
    xt_value_at_(x, id)->node = x->nodes.count - 1;
    return id;
}

/* Do two nodes have no branch, barrier or write to memory between them, as for elements that move through it? */
XE_FN_ bool xt_is_straight_(xt_ctx *x, int from, int to)
{
    for (from++; from < to; from++) {
        const xt_node_ *n = xt_node_at_(x, from);
        if (xt_does_(n->op, XT_MOVES_) && !n->move->origin && !n->move->reloaded) return false;
        if (xt_does_(n->op, XT_CHANGES_ | XT_BOUNDS_ | XT_WAITS_)) return false;
    }
    return true;
}

/* The tile of the load that produced a vector, if memory has not changed before node `at`; else NULL. */
XE_FN_ const xt_tile *xt_loaded_(xt_ctx *x, uint32_t id, int at)
{
    int i = xt_value_at_(x, id)->node;
    const xt_node_ *load = xt_node_at_(x, i);
    const xt_outside_ *d = load->outside;
    if (load->op != XT_OP_LOAD_TILE_ || d->padding != 0 || d->border != XT_BORDER_PADDING) return NULL;
    const xt_tile *t = xt_tile_(x, load->operand[XT_ACCESS_TILE_]);
    return t->type != (cm_type)XT_BOOL_ && xt_is_straight_(x, i, at) ? t : NULL;
}
