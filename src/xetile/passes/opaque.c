/* passes/opaque.c - a pass that finds what the matrices of Vulkan's devices compute: products, the sums of loops, and
 * element-wise operations on these; and which operands go through local memory. */
#include "../internal.h"

/* ---- values: those that must be opaque if one of them is -------------------------------------------------------- */

static void xt_tie_(xt_ctx *x, uint32_t a, uint32_t b)
{
    a = xt_tied_(x, a);
    b = xt_tied_(x, b);
    if (a == b) return;
    xt_value_at_(x, b)->tied = a;
    xt_value_at_(x, a)->carried = true;
    xt_value_at_(x, a)->opaque |= xt_value_at_(x, b)->opaque;
    xt_value_at_(x, a)->multiplies |= xt_value_at_(x, b)->multiplies;
}

/* ---- operands: panels -------------------------------------------------------------------------------------------- */

/* Are opaque products all that uses a loaded vector? */
static bool xt_only_multiplied_(xt_ctx *x, uint32_t id)
{
    for (const xt_use_ *u = xt_last_use_(x, id); u; u = xt_use_before_(x, u))
        if (!xt_is_opaque_product_(x, xt_node_at_(x, u->node))) return false;
    return !xt_value_at_(x, xt_tied_(x, id))->carried;
}

/* Bytes of local memory that panels may take. */
static int64_t xt_panel_room_(const xt_ctx *x)
{
    return x->target.local_memory - (x->local_bytes + 63) / 64 * 64 - (int64_t)x->scratch_bytes - 64 -
           (int64_t)x->opaque_words * 4;
}

/* Do iterations of the region around a load fetch the tile of the next one? It contains nothing that changes memory. */
static bool xt_fetches_next_(xt_ctx *x, const xt_frame_ *around, const xt_tile *t)
{
    if (!around || around->op != XT_OP_FOR_ || around->changes || t->inside) return false;
    const xt_val *step = xt_number_(x, around->step);
    int by = (int)step->integer;
    return step->kind == SPE_INT && (xt_advances_(x, t, around, 0, by) || xt_advances_(x, t, around, 1, by));
}

/* Is local memory needed for both of two panels at a time? A panel of a loop is needed in that, one that is held while
 * it is loaded, others from then on. */
static bool xt_panels_meet_(const xt_panel_ *p, const xt_panel_ *q)
{
    if ((!p->loop && !p->kept) || (!q->loop && !q->kept)) return true;
    return xt_is_within_(p->loop, q->node) || xt_is_within_(q->loop, p->node);
}

/* The first vector for a panel: after those of others that are multiplied with it. */
static int xt_panel_begins_(xt_ctx *x, const xt_panel_ *p)
{
    int at = 0;
    for (int i = 0; i < x->panels.count; i++) {
        const xt_panel_ *q = (const xt_panel_ *)x->panels.items + i;
        int end = q->at + q->lines * q->pitch;
        if (end > at && xt_panels_meet_(p, q)) at = end;
    }
    return at;
}

static bool xt_is_in_loop_(const xt_node_ *n)
{
    const xt_frame_ *f = n->in;
    while (f && f->op == XT_OP_IF_) f = f->in;
    return f != NULL;
}

/* Which operand a vector is that is loaded outside of loops, before one whose iterations all multiply it: it is held as
 * matrices. CM_ACC: it is not; the first product is not in a loop, or it would take too many registers. */
XE_ONCE_
static cm_use xt_kept_use_(xt_ctx *x, const xt_node_ *load)
{
    const xt_node_ *first = NULL;
    bool large = xt_vec_bytes_(xt_vector_(x, load->result)) > (size_t)x->target.registers / 4;
    for (const xt_use_ *u = xt_last_use_(x, load->result); u; u = xt_use_before_(x, u))
        if (xt_node_at_(x, u->node)->op == XT_OP_TILE_MMA_) first = xt_node_at_(x, u->node);
    if (!first || large || xt_is_in_loop_(load) || !xt_is_in_loop_(first)) return CM_ACC;
    return first->operand[XT_MMA_LEFT_] == load->result ? CM_OPAQUE_B : CM_OPAQUE_A;
}

/* around: the region that the load belongs to; NULL: none. use: see xt_kept_use_. */
static void xt_find_panel_(xt_ctx *x, int node, const xt_frame_ *around, cm_use use)
{
    enum { VECTOR = 16 };
    const xt_node_ *n = xt_node_at_(x, node);
    const xt_tile *t = xt_accessed_(x, n);
    int bytes = xt_bytes_(t->type), inner = xt_inner_(t), line = t->dist.shape[inner] * bytes;
    if (t->scatter || t->step != 1 || t->base.local || n->divergence || line % VECTOR ||
        xt_storage_type_(t->type) != t->type || n->outside->border != XT_BORDER_PADDING ||
        !xt_pads_with_zero_(t->type, n->outside->padding) || !xt_only_multiplied_(x, n->result))
        return;
    xt_panel_ p = XT_ZERO_;
    p.node = node;
    p.from = t;
    p.lines = t->dist.shape[!inner];
    p.chunks = line / VECTOR;
    p.pitch = p.chunks + 1; /* so that lines do not begin in the same bank */
    p.use = use;
    p.kept = xt_is_opaque_(use);
    p.units = (p.lines * p.chunks + xt_group_size_(x) - 1) / xt_group_size_(x);
    p.burst = p.units % 2 == 0 && p.chunks % 2 == 0 ? 2 : 1;
    p.blocks = p.units / p.burst * (p.burst + 1);
    p.loop = xt_fetches_next_(x, around, t) ? around : NULL;
    p.ends_unseen = p.loop && !xt_outside_matters_(x, n->result, t, p.loop);
    p.at = xt_panel_begins_(x, &p);
    int64_t end = (int64_t)(p.at + p.lines * p.pitch) * VECTOR;
    if (p.blocks > XT_PANEL_BLOCKS_ || end > xt_panel_room_(x)) return;
    xt_panel_ *added = (xt_panel_ *)spe_list_add(&x->m, &x->panels, sizeof *added);
    if (!added) return;
    *added = p;
    if (x->panel_vectors < (int)(end / VECTOR)) x->panel_vectors = (int)(end / VECTOR);
    xt_value_at_(x, n->result)->panel = x->panels.count;
}

/* Does a node of a loop leave strips alone? Products of panels and what is computed with their sums do. */
static bool xt_needs_no_strip_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op == XT_OP_LOAD_TILE_) return xt_value_at_(x, n->result)->panel != 0;
    if (n->op == XT_OP_TILE_MMA_)
        return xt_is_opaque_product_(x, n) && xt_value_at_(x, n->operand[XT_MMA_LEFT_])->panel &&
               xt_value_at_(x, n->operand[XT_MMA_RIGHT_])->panel;
    if (xt_does_(n->op, XT_EACH_))
        return n->op != XT_OP_SELECT_VECTOR_ && xt_value_is_opaque_(x, n->result) && xt_is_opaque_each_(x, n);
    return xt_does_(n->op, XT_DIVERGES_) || n->op == XT_OP_SPLAT_ || n->op == XT_OP_PREFETCH_TILE_;
}

/* Can strips lie where panels do? All of these must belong to loops that need no strips. */
static bool xt_strips_are_disjoint_(xt_ctx *x)
{
    const xt_frame_ *in = NULL;
    for (int i = 0; i < x->panels.count; i++) {
        const xt_panel_ *p = (const xt_panel_ *)x->panels.items + i;
        if (!p->loop && !p->kept) return false;
    }
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        for (int j = 0; j < x->panels.count && !in && n->op == XT_OP_FOR_; j++)
            if (((const xt_panel_ *)x->panels.items)[j].loop == n->frame) in = n->frame;
        if (in && !xt_needs_no_strip_(x, n)) return false;
        if (n->op == XT_OP_END_ && n->frame == in) in = NULL;
    }
    return x->panels.count > 0;
}

/* Finds which regions change memory. */
static void xt_look_at_regions_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        for (xt_frame_ *f = xt_does_(n->op, XT_CHANGES_ | XT_WAITS_) ? n->in : NULL; f; f = f->in) f->changes = true;
    }
}

/* Finds the panels of loads: last those that are held, whose memory is used again. */
static void xt_find_each_panel_(xt_ctx *x, bool kept)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (n->op != XT_OP_LOAD_TILE_) continue;
        cm_use use = xt_kept_use_(x, n);
        if (xt_is_opaque_(use) == kept) xt_find_panel_(x, i, n->in, use);
    }
}

/* Finds all, and where strips lie. */
static void xt_find_panels_(xt_ctx *x)
{
    xt_look_at_regions_(x);
    xt_find_each_panel_(x, false);
    xt_find_each_panel_(x, true);
    x->strips_in_panels = xt_strips_are_disjoint_(x);
    x->strips_at = x->strips_in_panels ? 0 : x->panel_vectors;
    const int end = x->strips_at + x->opaque_words / 4;
    if (x->panel_vectors < end) x->panel_vectors = end;
}

/* ---- what is computed from products ------------------------------------------------------------------------------ */

static bool xt_makes_vector_(xt_ctx *x, const xt_node_ *n)
{
    return xt_object_of_(x, n->result)->magic == XT_VEC_MAGIC_;
}

/* Is what a node makes a vector, computed from opaque ones by the device's matrices? */
static bool xt_is_opaque_step_(xt_ctx *x, const xt_node_ *n)
{
    if (!xt_makes_vector_(x, n)) return false;
    return xt_is_opaque_each_(x, n) || xt_is_opaque_reduce_(x, n) || xt_is_opaque_broadcast_(x, n);
}

/* Can a node's vector be opaque as all of its class are? */
static bool xt_keeps_opaque_(xt_ctx *x, const xt_node_ *n)
{
    return n->op == XT_OP_SPLAT_ || xt_does_(n->op, XT_RENAMES_) || xt_is_opaque_product_(x, n) ||
           xt_is_opaque_step_(x, n);
}

/* Takes all that regions carry for opaque, and what is computed from that and from products. */
static void xt_suppose_opaque_(xt_ctx *x)
{
    for (int i = 1; i < x->values.count; i++) {
        const xt_vec *of = xt_vector_(x, (uint32_t)i);
        if (of->magic != XT_VEC_MAGIC_ || of->type != CM_F32) continue;
        xt_value_ *v = xt_root_of_(x, (uint32_t)i);
        v->opaque = v->opaque || v->carried;
    }
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (!xt_is_opaque_step_(x, n)) continue;
        xt_value_ *value = xt_root_of_(x, n->result);
        if (value->carried && xt_vector_(x, xt_tied_(x, n->result))->type != CM_F32 && !value->opaque) continue;
        if (cm_coop_shape_of(&x->target, CM_F16, xt_vector_(x, n->result)->type)) value->opaque = true;
    }
}

/* Keeps of what is supposed to be opaque only what is computed from products, and by matrices throughout. */
static void xt_decide_opaque_(xt_ctx *x)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 1; i < x->values.count; i++) {
            xt_value_ *v = xt_value_at_(x, (uint32_t)i);
            v->reached = v->multiplies;
        }
        xt_reach_through_(x, xt_is_opaque_step_);
        for (int i = 0; i < x->nodes.count; i++) {
            const xt_node_ *n = xt_node_at_(x, i);
            if (!xt_makes_vector_(x, n)) continue;
            xt_value_ *value = xt_root_of_(x, n->result);
            if (!value->opaque || value->multiplies || (value->reached && xt_keeps_opaque_(x, n))) continue;
            value->opaque = false;
            changed = true;
        }
    }
}

XE_FN_ void xt_find_opaque_(xt_ctx *x)
{
    int subgroups = x->subgroups ? x->subgroups : 1;
    bool any = false;
    if (!xt_operand_shape_(x, CM_F16) || x->desc->lowering != CM_AUTO || !x->accumulator_bytes) return;
    for (int i = 1; i < x->values.count; i++) xt_value_at_(x, (uint32_t)i)->tied = (uint32_t)i;
    x->opaque_words = subgroups * xt_strip_words_(x);
    if (xt_panel_room_(x) < 0) x->opaque_words = 0;
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (n->op == XT_OP_END_) xt_join_carried_(x, n->frame, xt_tie_);
        if (xt_does_(n->op, XT_RENAMES_)) xt_tie_(x, n->operand[XT_MOVE_PART_], n->result);
        if (!xt_is_opaque_product_(x, n)) continue;
        if (n->operand[XT_MMA_SUM_]) xt_tie_(x, n->operand[XT_MMA_SUM_], n->result);
        xt_value_ *value = xt_root_of_(x, n->result);
        value->opaque = value->multiplies = any = true;
    }
    if (!any) x->opaque_words = 0;
    if (any) xt_suppose_opaque_(x);
    if (any) xt_decide_opaque_(x);
    if (any) xt_find_panels_(x);
}
