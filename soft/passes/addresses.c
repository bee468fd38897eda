/* addresses.c - pointers: what they point into, at which offset, and what follows for variables.
 *
 * A private variable is "fixed" if all its uses have constant byte offsets: it becomes an array of C variables, one for
 * each item of the smallest size it is accessed with. The others live in memory, with each lane's copy contiguous.
 * Pointers at a uniform distance from another pointer are derived from it.
 *
 * Gives: g->private, before divergence, which asks for cg_memory_varies and cg_store_effect; cg_derived, after
 * cg_affine.
 */
#include "own.h"

#include <stdlib.h>
#include <string.h>

enum { CG_MAX_FIXED_BYTES = 1 << 14, CG_MAX_CHAIN = 10000, CG_MAX_LOCAL_BYTES = 1 << 30 };

/* ---- which private variables are fixed */

/* The table that others only read. */
static struct cg_private *own(const struct cg *g, uint32_t id) { return (struct cg_private *)&g->private[id]; }

static bool is_pointer(struct cg *g, uint32_t type)
{
    const struct sp_type *t = type ? sp_type(g->m, type) : NULL;
    return t && t->kind == SP_POINTER;
}

/* A bitcast between pointers. One to or from an integer is an arbitrary address. */
static bool is_pointer_copy(struct cg *g, const struct sp_inst *i)
{
    return cg_is(i, CG_SAME_POINTER) && is_pointer(g, i->type) && is_pointer(g, g->m->ids[i->operand[0]].type);
}

static int64_t signed_constant(struct cg *g, uint32_t id)
{
    uint64_t bits = 0;
    const struct sp_type *t = cg_type_of(g, id);
    sp_constant(g->m, id, &bits);
    uint32_t up = t && t->kind == SP_INT && t->bits < 64 ? 64 - t->bits : 0;
    return (int64_t)(bits << up) >> up;
}

/* An index that counts elements of this type. */
static void step_by(struct cg *g, struct cg_walk *w, uint32_t element)
{
    uint64_t size = cg_memory_size(g, element), bits;
    w->type = element;
    if (sp_constant(g->m, w->index, &bits))
        w->offset = cg_plus(w->offset, (int64_t)((uint64_t)signed_constant(g, w->index) * size));
    else
        w->stride = size;
}

static void step_into(struct cg *g, struct cg_walk *w)
{
    const struct sp_type *t = sp_type(g->m, w->type);
    uint64_t bits = 0;
    if (t->kind == SP_VECTOR || t->kind == SP_ARRAY || t->kind == SP_RUNTIME_ARRAY || t->kind == SP_COOPMAT) {
        step_by(g, w, t->elem);
        return;
    }
    bool member = t->kind == SP_STRUCT && sp_constant(g->m, w->index, &bits) && bits < t->count;
    w->type = member ? t->members[bits] : 0;
    if (member) w->offset = cg_plus(w->offset, t->offsets[bits]);
}

bool cg_next_index(struct cg *g, struct cg_walk *w)
{
    const struct sp_inst *i = w->chain;
    const struct sp_type *p = cg_type_of(g, i->operand[0]);
    if (!w->k) w->type = p && p->kind == SP_POINTER ? p->elem : 0;
    if (++w->k >= i->count || !w->type) return false;
    w->index = i->operand[w->k];
    w->stride = 0;
    if (w->k == 1 && cg_is(i, CG_ELEMENT))
        step_by(g, w, w->type);
    else
        step_into(g, w);
    return w->type != 0;
}

/* The offset that an access chain adds, if it is constant. */
static bool chain_offset(struct cg *g, const struct sp_inst *i, int64_t *offset)
{
    struct cg_walk w = {.chain = i, .offset = *offset};
    while (cg_next_index(g, &w))
        if (w.stride) return false;
    if (w.type) *offset = w.offset;
    return w.type != 0;
}

/* The pointer from which this one is a constant number of bytes away, which are added to *offset; 0: there is none. */
static uint32_t step_back(struct cg *g, uint32_t id, int64_t *offset)
{
    const struct sp_id *d = &g->m->ids[id];
    if (d->what != SP_IS_VALUE || !d->def) return 0;
    if (cg_is(d->def, CG_CHAIN) ? !chain_offset(g, d->def, offset) : !is_pointer_copy(g, d->def)) return 0;
    return d->def->operand[0];
}

uint32_t cg_pointer_base(struct cg *g, uint32_t id, int64_t *offset)
{
    *offset = 0;
    for (uint32_t n = 0, from; n < CG_MAX_CHAIN && (from = step_back(g, id, offset)); n++) id = from;
    return id;
}

/* Follows a pointer back to a private or built-in variable, or to what is known already. All pointers on the way become
 * known, so that long chains are walked once. */
static void resolve(struct cg *g, uint32_t id)
{
    uint32_t from, at = id;
    int64_t offset = 0;
    while (!g->private[at].resolved && (from = step_back(g, at, &offset))) at = from;
    own(g, at)->resolved = true;
    for (offset = cg_plus(offset, g->private[at].offset); id != at; id = from) {
        int64_t step = 0;
        from = step_back(g, id, &step);
        own(g, id)->resolved = true;
        own(g, id)->variable = g->private[at].variable;
        own(g, id)->offset = offset;
        offset = cg_minus(offset, step);
    }
}

static void note_item(struct cg *g, uint32_t variable, int64_t offset, uint64_t bytes, uint32_t item)
{
    struct cg_private *v = own(g, variable);
    uint64_t size = cg_memory_size(g, cg_type_of(g, variable)->elem);
    if (offset < 0 || bytes > size || (uint64_t)offset > size - bytes) v->fixed = false;
    while (item > 1 && (uint64_t)offset % item) item /= 2;
    if (item < v->granule) v->granule = (uint8_t)item;
}

static void note_leaves(struct cg *g, uint32_t pointer, uint32_t type)
{
    const struct cg_leaves *l = cg_leaves_of(g, type);
    const struct cg_private *p = &g->private[pointer];
    if (l->many) own(g, p->variable)->fixed = false;
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t bytes = cg_leaf_bytes(&l->leaf[i]), n;
        for (uint32_t at = 0; at < bytes; at += n) {
            n = cg_piece(bytes - at);
            note_item(g, p->variable, cg_plus(p->offset, (int64_t)l->leaf[i].offset + at), n, n);
        }
    }
}

bool cg_copy_size(struct cg *g, const struct sp_inst *i, uint64_t *bytes)
{
    if (i->op == SP_OP_CopyMemorySized) return sp_constant(g->m, i->operand[2], bytes);
    *bytes = cg_pointee(g, i->operand[0])->size;
    return true;
}

/* Records a use of a pointer into a private or built-in variable: the size it accesses, or that the variable cannot be
 * fixed. Built-ins are only loaded. */
static void note_pointer_use(struct cg *g, const struct sp_inst *i, uint32_t k)
{
    uint32_t pointer = i->operand[k], item, pointee = cg_type_of(g, pointer)->elem;
    const struct cg_private *p = &g->private[pointer];
    uint64_t bytes;
    bool accesses = !cg_is(i, CG_CHAIN) && !is_pointer_copy(g, i);
    if (i->op == SP_OP_Load && k == 0) {
        note_leaves(g, pointer, i->type);
    } else if (accesses && g->m->ids[p->variable].def->operand[0] != SP_STORAGE_Function) {
        own(g, p->variable)->fixed = false;
    } else if (i->op == SP_OP_Store && k == 0) {
        note_leaves(g, pointer, g->m->ids[i->operand[1]].type);
    } else if (cg_is(i, CG_COPIES) && k < 2 && cg_copy_size(g, i, &bytes)) {
        for (item = 8; item > 1 && bytes % item;) item /= 2;
        note_item(g, p->variable, p->offset, bytes, item);
    } else if (cg_block_access(g, i, k, &item, &bytes)) {
        note_item(g, p->variable, p->offset, bytes, item);
    } else if (cg_math_stores(i) && k + 1 == i->count) {
        note_leaves(g, pointer, pointee);
    } else if (!(cg_is(i, CG_CHAIN) && k == 0 && g->private[i->id].variable) && !cg_is(i, CG_LIFETIME) &&
               !(is_pointer_copy(g, i) && g->private[i->id].variable)) {
        own(g, p->variable)->fixed = false;
    }
}

static void each_pointer(struct cg *g, uint32_t function, void (*use)(struct cg *, const struct sp_inst *, uint32_t))
{
    const struct sp_function *f = &g->m->functions[function];
    CG_EACH (i, b, f) {
        CG_EACH_VALUE (k, i) {
            uint32_t id = i->operand[k];
            if (is_pointer(g, g->m->ids[id].type)) use(g, i, k);
        }
    }
}

static void resolve_use(struct cg *g, const struct sp_inst *i, uint32_t k)
{
    resolve(g, i->operand[k]);
    if (i->id && (cg_is(i, CG_CHAIN) || is_pointer_copy(g, i))) resolve(g, i->id);
}

static void judge_use(struct cg *g, const struct sp_inst *i, uint32_t k)
{
    if (g->private[i->operand[k]].variable) note_pointer_use(g, i, k);
}

static void consider_variables(struct cg *g)
{
    for (uint32_t id = 0; id < g->m->bound; id++) {
        const struct sp_id *d = &g->m->ids[id];
        uint32_t builtin;
        if (d->what != SP_IS_VARIABLE) continue;
        const struct sp_type *t = sp_type(g->m, sp_type(g->m, d->type)->elem);
        own(g, id)->granule = 8;
        own(g, id)->fixed = d->function ? cg_memory_size(g, t->id) <= CG_MAX_FIXED_BYTES &&
                                              (d->def->count < 2 || !cg_leaves_of(g, t->id)->many)
                                        : cg_builtin_of(g, id, &builtin);
        if (g->private[id].fixed) own(g, id)->variable = id;
    }
}

static void find_fixed(struct cg *g)
{
    consider_variables(g);
    for (uint32_t f = 0; f < g->m->function_count; f++) each_pointer(g, f, resolve_use);
    for (uint32_t f = 0; f < g->m->function_count; f++) each_pointer(g, f, judge_use);
    for (uint32_t id = 0; id < g->m->bound; id++) {
        struct cg_private *v = own(g, id);
        uint32_t builtin;
        if (v->variable && !g->private[v->variable].fixed) v->variable = 0;
        if (g->m->ids[id].what != SP_IS_VARIABLE) continue;
        if (!v->fixed && cg_builtin_of(g, id, &builtin))
            cg_fail(g, "a built-in variable is used in a way the device does not know");
        while (v->fixed && cg_memory_size(g, cg_type_of(g, id)->elem) % v->granule) v->granule /= 2;
    }
}

uint32_t cg_exchange_offset(struct cg *g) { return (g->local_end + 63) & ~63u; }

/* ---- memory that lanes share, although each should have its own once it is written */

/* A module-scope variable in private memory that is not declared constant. */
static bool is_shared_variable(struct cg *g, uint32_t id)
{
    const struct sp_id *d = &g->m->ids[id];
    return d->what == SP_IS_VARIABLE && sp_is_private_constant(g->m, d->def) && !sp_is_built_in(g->m, d->def) &&
           !sp_decorated(g->m, id, SP_DECORATION_Constant);
}

/* A structure that a kernel receives by value. */
static bool is_structure(struct cg *g, uint32_t param)
{
    const struct sp_type *t = cg_type_of(g, param);
    return t->kind == SP_POINTER && t->storage == SP_STORAGE_Function;
}

/* Which of those an operand points into; 0: none. `root`: the same for the function's values, by ordinal. */
static uint32_t root_of(struct cg *g, const uint32_t *root, const struct sp_inst *i, uint32_t k)
{
    uint32_t id = i->operand[k], variable;
    int64_t offset;
    if (!cg_is_value_operand(i, k) || id >= g->m->bound) return 0;
    if (root[g->ordinal[id]]) return root[g->ordinal[id]];
    if (g->m->ids[id].what == SP_IS_CONSTANT && sp_constant_address(g->m, id, &variable, &offset)) id = variable;
    return is_shared_variable(g, id) ? id : 0;
}

static void note_written(struct cg *g, uint32_t root)
{
    if (g->m->ids[root].what == SP_IS_PARAMETER) {
        cg_own_value(g, root)->varying = true;
        return;
    }
    g->at = g->m->ids[root].def;
    cg_fail(g, "a variable of the program in private memory that may be written is not supported");
}

/* Follows one instruction; true if it found something new. */
static bool follow_roots(struct cg *g, uint32_t *root, const struct sp_inst *i)
{
    bool copies = cg_is(i, CG_COPIES), more = false;
    if (i->op == SP_OP_Load || cg_is(i, CG_LIFETIME)) return false;
    for (uint32_t k = 0; k < i->count; k++) {
        uint32_t from = root_of(g, root, i, k);
        if (!from || (copies && k == 1)) continue;
        if (k != 0 || (!cg_is(i, CG_CHAIN) && !is_pointer_copy(g, i))) {
            note_written(g, from);
            continue;
        }
        more = more || !root[g->ordinal[i->id]];
        root[g->ordinal[i->id]] = from;
    }
    return more;
}

static void find_written(struct cg *g)
{
    for (uint32_t n = 0; n < g->m->function_count && !g->failed; n++) {
        const struct sp_function *f = &g->m->functions[n];
        uint32_t *root = cg_alloc(g, (g->function[n].value_count + 1) * sizeof *root);
        for (uint32_t p = 0; root && cg_is_kernel(&g->function[n]) && p < f->param_count; p++)
            if (is_structure(g, f->params[p])) root[p + 1] = f->params[p];
        for (bool more = true; more && !g->failed;) {
            more = false;
            CG_EACH (i, b, f) more = follow_roots(g, root, i) || more;
        }
    }
}

void cg_place_variables(struct cg *g)
{
    uint64_t local = 0;
    uint32_t globals = 0;
    g->private = cg_alloc(g, g->m->bound * sizeof *g->private);
    if (g->failed) return;
    for (uint32_t i = 0; i < g->m->global_count; i++) {
        const struct sp_inst *v = g->m->globals[i];
        const struct sp_type *t = sp_type(g->m, sp_type(g->m, v->type)->elem);
        if (sp_is_built_in(g->m, v)) continue;
        switch (v->operand[0]) {
        case SP_STORAGE_Workgroup:
            local = (local + 63) & ~(uint64_t)63;
            g->local_offset[v->id] = (uint32_t)local;
            local += t->size;
            g->local_end = (uint32_t)local;
            if (local > CG_MAX_LOCAL_BYTES)
                cg_fail(g, "%llu bytes of the module's local variables, at most %u are supported",
                        (unsigned long long)local, CG_MAX_LOCAL_BYTES);
            break;
        case SP_STORAGE_Function:
        case SP_STORAGE_Private:
        case SP_STORAGE_CrossWorkgroup:
        case SP_STORAGE_UniformConstant: g->global_index[v->id] = globals++; break;
        default: g->at = v; cg_fail(g, "a variable in this storage class is not supported");
        }
        if (g->failed) return;
    }
    find_fixed(g);
    find_written(g);
}

/* ---- uniformity */

bool cg_memory_varies(struct cg *g, const struct cg_function *fn, const struct sp_inst *i)
{
    const struct cg_private *p = &g->private[i->operand[0]];
    uint32_t builtin;
    if (!p->variable || !cg_builtin_of(g, p->variable, &builtin)) return cg_content_varies(g, i->operand[0]);
    const struct cg_leaves *l = cg_leaves_of(g, i->type);
    for (uint32_t k = 0; k < l->count; k++) {
        uint32_t component = (uint32_t)((p->offset + l->leaf[k].offset) / cg_kind_bytes(l->leaf[k].kind));
        if (cg_builtin_varies(g, fn, builtin, component)) return true;
    }
    return false;
}

void cg_store_effect(struct cg *g, const struct sp_inst *i, bool masked, bool *changed)
{
    uint32_t target = 0, item;
    uint64_t bytes;
    bool varying = masked;
    if (i->op == SP_OP_Store) {
        target = g->private[i->operand[0]].variable;
        varying = varying || g->value[i->operand[1]].varying;
    } else if (cg_is(i, CG_COPIES)) {
        target = g->private[i->operand[0]].variable;
        varying = varying || cg_content_varies(g, i->operand[1]);
    } else {
        for (uint32_t k = 0; k < i->count && !target; k++) {
            uint32_t id = i->operand[k];
            if (!cg_is_value_operand(i, k) || !g->private[id].variable) continue;
            if (!cg_block_access(g, i, k, &item, &bytes) && !cg_math_stores(i)) continue;
            target = g->private[id].variable;
            varying = true;
        }
    }
    if (!target || !varying || g->value[target].stored_varying) return;
    cg_own_value(g, target)->stored_varying = *changed = true;
}

/* ---- pointers at the same distance from another pointer in all lanes
 *
 * The relation of the lanes' addresses is then analysed once, for the pointer that the others are derived from.
 */

CG_OWN_ROW(derived)

static void derive_pointer(struct cg *g, const struct sp_inst *i)
{
    const struct cg_value *v = &g->value[i->id];
    uint32_t base = i->operand[0];
    if (!cg_is(i, CG_CHAIN) || !v->varying || v->blend || g->private[i->id].variable || !g->value[base].varying) return;
    if (g->m->ids[base].what == SP_IS_CONSTANT || g->private[base].variable || cg_affine(g, i->id)->is ||
        cg_affine(g, base)->is)
        return;
    for (uint32_t k = 1; k < i->count; k++)
        if (g->value[i->operand[k]].varying) return;
    derived_row(g, i->id)->root = cg_derived(g, base)->root ? cg_derived(g, base)->root : base;
}

static void note_access(struct cg *g, const struct sp_inst *i)
{
    if (i->op != SP_OP_Load && i->op != SP_OP_Store) return;
    const struct cg_value *p = &g->value[i->operand[0]];
    uint32_t root = cg_derived(g, i->operand[0])->root ? cg_derived(g, i->operand[0])->root : i->operand[0];
    const struct sp_inst *d = g->m->ids[root].def;
    if (!p->varying || g->private[i->operand[0]].variable || !d || !cg_is(d, CG_CHAIN) || g->value[root].blend ||
        cg_affine(g, root)->is)
        return;
    derived_row(g, root)->accessed = true;
}

void cg_derive_pointers(struct cg *g, struct cg_function *fn)
{
    fn->derived = cg_alloc(g, (fn->value_count + 1) * sizeof *fn->derived);
    if (g->failed) return;
    CG_EACH_IN_ORDER (i, b, fn) derive_pointer(g, i);
    CG_EACH (i, b, fn->f) note_access(g, i);
}
