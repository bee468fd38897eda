/* lower/local_operands.c - writes the loads that go through local memory, as passes/local_operands.c has planned. */
#include "../internal.h"

/* Reads a block, part by part: consecutive rows of a left operand, or dwords along k of a lane's column. */
static cm_matrix xt_stage_block_(xt_ctx *x, const xt_stage_ *s, spe_id from, const xt_block_ *b)
{
    spe_module *m = &x->m;
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, s->type, s->use);
    bool right = s->use == CM_A;
    int count = cm_part_count(&l), p = right ? b->col : b->row, k = (right ? b->row : b->col) * s->local_bytes / 4;
    int per_block = l.size_k2 ? count / l.size_k2 : 1, first = 0;
    spe_id *parts = (spe_id *)xt_memory_(x, (size_t)(count ? count : 1) * sizeof *parts), v;
    for (int part = 0; parts && part < count; part++) {
        int block = part / per_block, words = cm_part_words(&l, part);
        if (part % per_block == 0) first = 0;
        int at = right ? xt_stage_position_(s, p + block * 16, k + first)
                       : xt_stage_position_(s, p + first * (l.lanes / l.size_i), k + block * XT_PLANE_);
        spe_id word = spe_int(m, right || s->local_bytes == 4 ? 32 : 16), all = spe_vec(m, word, (uint32_t)words);
        uint32_t ptr = spe_ptr_cast(m, spe_index(m, from, spe_i32(m, at)), right ? all : word);
        if (right) v = spe_load(m, ptr, words < 4 ? (uint32_t)words * 4 : 16);
        else v = spe_op(m, SPE_OpSubgroupBlockReadINTEL, all, 1, &ptr);
        parts[part] = cm_bitcast(&x->cm, cm_part_type(&x->cm, &l, part), v);
        first += words;
    }
    return parts ? cm_from_parts(&x->cm, &l, parts) : cm_poison();
}

/* A part of what was copied: the vector, or a slice of it. */
XE_FN_ xt_fragments_ xt_stage_get_(xt_ctx *x, const xt_stage_ *s, int part)
{
    xt_fragments_ v = xt_make_vec_(x, xt_node_at_(x, s->node));
    xt_block_ b = xt_blocks_(x, &s->dist);
    int along = s->use == CM_A; /* the dimension other than k */
    spe_id row = xt_piece_offset_id_(x, &v.dist, along), from;
    if (s->use == CM_A) row = spe_iadd(&x->m, row, spe_builtin(&x->m, SPE_SUBGROUP_LANE, 0));
    spe_id before = spe_i32(&x->m, part * (s->dwords / s->parts));
    row = spe_iadd(&x->m, xt_stage_row_(x, s, row), before);
    from = xt_stage_pointer_(x, s, row);
    v.dist = s->dist;
    v.use = s->use;
    if (v.blocks > b.grid.blocks) v.blocks = b.grid.blocks;
    while (v.blocks && xt_next_block_(&b)) v.block[b.i] = xt_stage_block_(x, s, from, &b);
    return v;
}

static void xt_stage_barrier_(xt_ctx *x)
{
    uint32_t scope = x->subgroups > 1 ? SPE_ScopeWorkgroup : SPE_ScopeSubgroup;
    spe_control_barrier(&x->m, scope, scope,
                        SPE_MemorySemanticsAcquireRelease | SPE_MemorySemanticsWorkgroupMemory);
}

XE_FN_ void xt_stage_end_(xt_ctx *x, xt_stage_ *first, xt_stage_ *last)
{
    bool before = false; /* others may still be reading the buffer */
    for (xt_stage_ *s = first; s <= last; s++) before = before || s->shared || (s->again && s->buffers == 1);
    if (before) xt_stage_barrier_(x);
    xt_stage_fill_(x, first, last, false);
    xt_stage_barrier_(x);
}

XE_FN_ xt_stage_ *xt_stage_of_(xt_ctx *x, uint32_t id)
{
    int number = xt_value_at_(x, id)->stage;
    return x->staged && number ? xt_stage_at_(x, number - 1) : NULL;
}

/* Writes a load: with the last load of its group; slices with their product; a copy when it is stored. False if the
 * node has nothing to do with what goes through local memory. */
XE_FN_ bool xt_write_staged_(xt_ctx *x, const xt_node_ *n)
{
    bool store = n->op == XT_OP_STORE_TILE_;
    xt_stage_ *s = xt_stage_of_(x, store ? n->operand[XT_ACCESS_VEC_] : n->result), *first = s, *one;
    if (store && s && s->to) xt_stage_fill_(x, s, s, true);
    if (store) return s && s->to;
    /* a repeated loop's last iteration may still be reading the buffer that the first one fills */
    if ((n->op == XT_OP_FOR_ || n->op == XT_OP_WHILE_) && n->frame->has_barrier) xt_stage_barrier_(x);
    if (!s) return false;
    if (s->node != n - xt_node_at_(x, 0)) return true; /* only loaded for that node */
    xt_remark_(x, s->to ? "copied with all subgroups" : "through local memory, where rows have any pitch");
    if (s->slices > 1) return true;
    int part = s->loop ? s->loop->copy : 0; /* of what the first of several iterations has copied */
    if (!part) xt_stage_begin_(x, s);
    if (s->to) xt_stage_copy_(x, s);
    if (!s->last || s->to) return true;
    while (!first->first) first--;
    if (!part) xt_stage_end_(x, first, s);
    for (one = first; one <= s; one++) {
        uint32_t id = xt_node_at_(x, one->node)->result;
        xt_fragments_ v = xt_stage_get_(x, one, part);
        xt_define_vec_(x, id, xt_as_use_(x, &v, xt_layout_(x, id)));
    }
    return true;
}
