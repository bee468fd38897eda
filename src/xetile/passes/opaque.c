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
}

/* ---- operands: panels -------------------------------------------------------------------------------------------- */

/* Are opaque products all that uses a loaded vector? */
static bool xt_only_multiplied_(xt_ctx *x, uint32_t id)
{
    const xt_value_ *v = xt_value_at_(x, id);
    return v->uses == v->multiplied && !xt_value_at_(x, xt_tied_(x, id))->carried;
}

/* Bytes of local memory that panels may take. */
static int64_t xt_panel_room_(const xt_ctx *x)
{
    return x->target.local_memory - (x->local_bytes + 63) / 64 * 64 - (int64_t)x->scratch_bytes - 64 -
           (int64_t)x->opaque_words * 4;
}

/* Do turns of the region around a load fetch the tile of the next one? It contains nothing that changes memory. */
static bool xt_fetches_next_(const xt_frame_ *around, const xt_tile *t)
{
    if (!around || around->op != XT_OP_FOR_ || around->changes || t->inside || around->step.kind != SPE_INT)
        return false;
    int by = (int)around->step.integer;
    return xt_advances_(t, around, 0, by) || xt_advances_(t, around, 1, by);
}

/* around: the region that the load belongs to; NULL: none. */
static void xt_find_panel_(xt_ctx *x, int node, const xt_frame_ *around)
{
    enum { VECTOR = 16 };
    const xt_node_ *n = xt_node_at_(x, node);
    const xt_tile *t = &n->load->tile;
    int bytes = xt_bytes_(t->type), inner = xt_inner_(t), line = t->dist.shape[inner] * bytes;
    if (t->scatter || t->step != 1 || t->base.local || n->spread || line % VECTOR || xt_held_(t->type) != t->type ||
        n->load->border != XT_BORDER_PADDING || !xt_pads_with_zero_(n->load) || !xt_only_multiplied_(x, n->result))
        return;
    xt_panel_ p = XT_ZERO_;
    p.node = node;
    p.from = t;
    p.lines = t->dist.shape[!inner];
    p.chunks = line / VECTOR;
    p.pitch = p.chunks + 1; /* so that lines do not begin in the same bank */
    p.at = x->panel_vectors;
    p.units = (p.lines * p.chunks + xt_group_size_(x) - 1) / xt_group_size_(x);
    p.run = p.units % 2 == 0 && p.chunks % 2 == 0 ? 2 : 1;
    p.blocks = p.units / p.run * (p.run + 1);
    p.loop = xt_fetches_next_(around, t) ? around : NULL;
    int64_t end = (int64_t)(p.at + p.lines * p.pitch) * VECTOR;
    if (p.blocks > XT_PANEL_BLOCKS_ || end > xt_panel_room_(x)) return;
    xt_panel_ *added = (xt_panel_ *)spe_list_add(&x->m, &x->panels, sizeof *added);
    if (!added) return;
    *added = p;
    x->panel_vectors = (int)(end / VECTOR);
    xt_value_at_(x, n->result)->panel = x->panels.count;
}

/* Finds which regions change memory first, then the panels of loads in them. */
static void xt_find_panels_(xt_ctx *x)
{
    xt_frame_ *open[SPE_REGIONS_MAX + 1] = {NULL};
    for (int found = 0; found < 2; found++)
        for (int i = 0, depth = 0; i < x->nodes.count; i++) {
            const xt_node_ *n = xt_node_at_(x, i);
            if (n->op == XT_OP_FOR_ || n->op == XT_OP_WHILE_ || n->op == XT_OP_IF_) open[++depth] = n->frame;
            if (n->op == XT_OP_END_) depth--;
            for (int d = xt_does_(n->op, XT_CHANGES_ | XT_WAITS_) ? depth : 0; d > 0; d--) open[d]->changes = true;
            if (found && n->op == XT_OP_LOAD_TILE_) xt_find_panel_(x, i, open[depth]);
        }
}

/* Does a node of a loop leave strips alone? Products of panels and what is computed with their sums do. */
static bool xt_needs_no_strip_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op == XT_OP_LOAD_TILE_) return xt_value_at_(x, n->result)->panel != 0;
    if (n->op == XT_OP_TILE_MMA_)
        return xt_is_opaque_product_(x, n) && xt_value_at_(x, n->mma->left.id)->panel &&
               xt_value_at_(x, n->mma->right.id)->panel;
    if (xt_does_(n->op, XT_EACH_)) return xt_value_is_opaque_(x, n->result) && xt_is_opaque_each_(x, n);
    return xt_does_(n->op, XT_DIVERGES_) || n->op == XT_OP_SPLAT_ || n->op == XT_OP_PREFETCH_TILE_;
}

/* Can strips lie where panels do? All of these must belong to loops that need no strips. */
static bool xt_strips_are_apart_(xt_ctx *x)
{
    const xt_frame_ *in = NULL;
    for (int i = 0; i < x->panels.count; i++)
        if (!((const xt_panel_ *)x->panels.items)[i].loop) return false;
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        for (int j = 0; j < x->panels.count && !in && n->op == XT_OP_FOR_; j++)
            if (((const xt_panel_ *)x->panels.items)[j].loop == n->frame) in = n->frame;
        if (in && !xt_needs_no_strip_(x, n)) return false;
        if (n->op == XT_OP_END_ && n->frame == in) in = NULL;
    }
    return x->panels.count > 0;
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
        if (xt_does_(n->op, XT_RENAMES_)) xt_tie_(x, n->whole->part.id, n->result);
        if (!xt_is_opaque_product_(x, n)) continue;
        xt_value_at_(x, n->mma->left.id)->multiplied++;
        xt_value_at_(x, n->mma->right.id)->multiplied++;
        if (n->mma->sum.magic) xt_tie_(x, n->mma->sum.id, n->result);
        xt_value_at_(x, xt_tied_(x, n->result))->opaque = any = true;
    }
    if (!any) x->opaque_words = 0;
    for (int i = 0; i < x->nodes.count && any; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (!xt_does_(n->op, XT_EACH_) || !xt_is_opaque_each_(x, n)) continue;
        xt_value_ *value = xt_value_at_(x, xt_tied_(x, n->result));
        if (!value->carried && cm_coop_shape_of(&x->target, CM_F16, value->now.vec.type)) value->opaque = true;
    }
    if (x->opaque_words) xt_find_panels_(x);
    x->strips_in_panels = xt_strips_are_apart_(x);
    if (x->strips_in_panels && x->panel_vectors < (x->opaque_words + 3) / 4)
        x->panel_vectors = (x->opaque_words + 3) / 4;
}
