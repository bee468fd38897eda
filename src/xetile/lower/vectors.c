/* lower/vectors.c - writes vectors: positions of subgroups, layouts, constants. */
#include "../internal.h"

/* Finds or adds the row of a key, at most XT_LANES_MAX_ bytes, whose id the caller computes; NULL without memory. */
XE_FN_ xt_once_ *xt_once_at_(xt_ctx *x, xt_once_kind_ kind, const void *key, size_t size)
{
    xt_once_ row = XT_ZERO_, *found;
    row.kind = kind;
    memcpy(row.key, key, size);
    for (int i = 0; i < x->once.count; i++) {
        found = (xt_once_ *)x->once.items + i;
        if (found->kind == kind && memcmp(found->key, row.key, sizeof row.key) == 0) return found;
    }
    found = (xt_once_ *)spe_list_add(&x->m, &x->once, sizeof *found);
    if (found) *found = row;
    return found;
}

/* A subgroup's position: ((id / across or id % layout) % count) * data. */
XE_FN_ spe_id xt_piece_offset_id_(xt_ctx *x, const xt_dist *d, int dim)
{
    const int across = d->layout[1], layout = d->layout[dim], count = d->count[dim], data = d->data[dim];
    const int key[] = {dim, across, layout, count, data};
    spe_module *m = &x->m;
    if (!xt_has_piece_offset_(d, dim)) return spe_i32(m, 0);
    xt_once_ *row = xt_once_at_(x, XT_ONCE_PIECE_OFFSET_, key, sizeof key);
    if (!row || row->id) return row ? row->id : 0;
    spe_prologue_begin(m);
    row->id = spe_builtin(m, SPE_SUBGROUP_ID, 0);
    if (dim == 0 && across > 1) row->id = spe_udiv(m, row->id, spe_u32(m, (uint32_t)across));
    if (dim == 1 && d->layout[0] > 1) row->id = spe_umod(m, row->id, spe_u32(m, (uint32_t)layout));
    if (count < layout) row->id = spe_umod(m, row->id, spe_u32(m, (uint32_t)count));
    if (data > 1) row->id = spe_imul(m, row->id, spe_u32(m, (uint32_t)data));
    spe_prologue_end(m);
    return row->id;
}

/* Is this the first of the subgroups that share its pieces? 0: none are shared. */
XE_FN_ spe_id xt_is_first_(xt_ctx *x, const xt_dist *d)
{
    const int key[] = {d->layout[0], d->layout[1], d->count[0], d->count[1]};
    spe_module *m = &x->m;
    if (!d->subgroups || (d->count[0] >= d->layout[0] && d->count[1] >= d->layout[1])) return 0;
    xt_once_ *row = xt_once_at_(x, XT_ONCE_FIRST_, key, sizeof key);
    if (!row || row->id) return row ? row->id : 0;
    spe_prologue_begin(m);
    spe_id id = spe_builtin(m, SPE_SUBGROUP_ID, 0), across = spe_u32(m, (uint32_t)d->layout[1]);
    spe_id at[2] = {d->layout[1] > 1 ? spe_udiv(m, id, across) : id, d->layout[0] > 1 ? spe_umod(m, id, across) : id};
    for (int i = 0; i < 2; i++) {
        if (d->count[i] >= d->layout[i]) continue;
        spe_id below = spe_ult(m, at[i], spe_u32(m, (uint32_t)d->count[i]));
        row->id = row->id ? spe_land(m, row->id, below) : below;
    }
    spe_prologue_end(m);
    return row->id;
}

/* A tile in its current state, from the first of the work-group's pieces on. */
XE_FN_ xt_tile xt_group_tile_(xt_ctx *x, const xt_tile *of)
{
    xt_tile t = xt_now_tile_(x, of);
    for (int i = 0; i < 2; i++) {
        spe_id place = xt_piece_offset_id_(x, &t.dist, i), at = spe_isub(&x->m, xt_index_id_(x, &t.offset[i]), place);
        t.offset[i] = xt_scalar_(CM_I32, at, 1);
    }
    return t;
}

XE_FN_ void xt_write_piece_offset_(xt_ctx *x, const xt_node_ *n)
{
    const xt_dist *d = n->dist;
    xt_define_(x, n->result, xt_scalar_(CM_I32, xt_piece_offset_id_(x, d, n->kind), xt_align_of_(d->data[n->kind])));
}

/* A node's vector, in its chosen layout, with blocks allocated. */
XE_FN_ xt_fragments_ xt_make_vec_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ v = xt_form_of_(x, n->result);
    xt_grid_ g;
    v.use = xt_lane_layout_(x, n->result);
    xt_grid_init_(x, &g, &v.dist);
    v.block = (cm_matrix *)xt_memory_(x, (size_t)g.blocks * sizeof *v.block);
    v.blocks = v.block ? g.blocks : 0;
    return v;
}

/* The ids that a vector consists of; ids NULL: only their number. */
XE_FN_ int xt_vec_ids_(const xt_fragments_ *v, spe_id *ids)
{
    int n = 0;
    for (int i = 0; i < v->blocks; n += v->block[i++].parts)
        if (ids) memcpy(ids + n, v->block[i].part, (size_t)v->block[i].parts * sizeof *ids);
    return n;
}

/* A vector like another, of ids in that order. */
XE_FN_ xt_fragments_ xt_vec_from_ids_(xt_ctx *x, const xt_fragments_ *like, const spe_id *ids)
{
    xt_fragments_ v = *like;
    int n = 0;
    v.block = (cm_matrix *)xt_memory_(x, (size_t)v.blocks * sizeof *v.block);
    if (!v.block) v.blocks = 0;
    for (int i = 0; i < v.blocks; n += like->block[i++].parts)
        v.block[i] = cm_from_parts(&x->cm, &like->block[i].layout, ids + n);
    return v;
}

/* Converts a vector to the layout of a use, if necessary. */
XE_FN_ xt_fragments_ xt_as_use_(xt_ctx *x, const xt_fragments_ *v, cm_use use)
{
    xt_fragments_ r = *v;
    if (v->use == use || !v->blocks) return r;
    r.use = use;
    r.block = (cm_matrix *)xt_memory_(x, (size_t)v->blocks * sizeof *r.block);
    if (!r.block) return *v;
    bool opaque = xt_is_opaque_(use) || xt_is_opaque_(v->use);
    for (int i = 0; i < v->blocks; i++)
        r.block[i] = opaque ? x->vulkan->convert(x, v, i, use) : cm_convert_use(&x->cm, &v->block[i], use);
    return r;
}

/* The number of XT_SPLAT, in the vector's storage type. */
static spe_id xt_splat_scalar_(xt_ctx *x, const xt_node_ *n)
{
    const xt_val *number = xt_number_(x, n->operand[0]);
    cm_type storage = xt_storage_type_(xt_vector_(x, n->result)->type);
    spe_id scalar = xt_now_id_(x, number, (int)storage);
    if (number->kind == SPE_SCALAR && number->type != (int)storage) scalar = cm_from_arith(&x->cm, storage, scalar);
    return scalar;
}

/* A recorded vector in this version, in a given layout. */
XE_FN_ xt_fragments_ xt_now_as_(xt_ctx *x, uint32_t id, cm_use use)
{
    xt_fragments_ now = xt_now_vec_(x, id);
    const xt_node_ *n = xt_node_at_(x, xt_value_at_(x, id)->node);
    if (xt_is_opaque_(use) && now.use != use && n->op == XT_OP_SPLAT_ && n->result == id)
        return x->vulkan->splat(x, id, use, xt_splat_scalar_(x, n));
    return xt_as_use_(x, &now, use);
}

/* Results are computed in the accumulator's layout, then converted to the planned one. */
XE_FN_ xt_fragments_ xt_finish_vec_(xt_ctx *x, xt_fragments_ r)
{
    cm_use use = r.use;
    r.use = CM_ACC;
    return xt_as_use_(x, &r, use);
}

XE_FN_ void xt_write_splat_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ v = xt_make_vec_(x, n);
    cm_type storage = xt_storage_type_(v.type);
    spe_id scalar = xt_splat_scalar_(x, n);
    if (xt_value_is_opaque_(x, n->result)) {
        xt_define_vec_(x, n->result, x->vulkan->splat(x, n->result, CM_OPAQUE_ACC, scalar));
        return;
    }
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_next_block_(&b);)
        v.block[b.i] = cm_splat(&x->cm, b.cols, b.rows, storage, v.use, scalar);
    xt_define_vec_(x, n->result, v);
}

/* An i32 converted to a type's storage type. */
static spe_id xt_from_i32_(xt_ctx *x, int type, spe_id v)
{
    spe_id f32 = spe_float(&x->m, 32);
    if (type == CM_BF16) return cm_f32_to_bf16(&x->cm, spe_s_to_f(&x->m, f32, v));
    if (xt_is_float_(type)) return spe_s_to_f(&x->m, xt_spe_type_(x, type), v);
    return xt_bits_(type) == 32 ? v : spe_sconvert(&x->m, xt_spe_type_(x, type), v);
}

static cm_matrix xt_iota_block_(xt_ctx *x, int type, const xt_block_ *b, int dim, spe_id place)
{
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, (cm_type)type, CM_ACC);
    spe_id *v = (spe_id *)xt_memory_(x, (size_t)l.size_v * sizeof *v);
    int first = dim ? b->col : b->row;
    for (int i = 0; v && i < l.size_v; i++) {
        spe_id at = dim ? cm_row_index(&x->cm, &l, i) : cm_col_index(&x->cm, &l, i);
        at = spe_iadd(&x->m, at, spe_iadd(&x->m, place, spe_i32(&x->m, first)));
        v[i] = xt_from_i32_(x, type, at);
    }
    return v && spe_ok(&x->m) ? cm_from_components(&x->cm, &l, v) : cm_poison();
}

XE_FN_ void xt_write_iota_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ r = xt_make_vec_(x, n);
    spe_id at = xt_piece_offset_id_(x, &r.dist, n->kind);
    for (xt_block_ b = xt_blocks_(x, &r.dist); r.blocks && xt_next_block_(&b);)
        r.block[b.i] = xt_iota_block_(x, (int)r.type, &b, n->kind, at);
    xt_define_vec_(x, n->result, xt_finish_vec_(x, r));
}

/* Puts the numbers in a constant array of the module. */
static spe_id xt_emit_table_(xt_ctx *x, cm_type storage, const xt_table_of_ *t, int n)
{
    spe_id *ids = (spe_id *)xt_memory_(x, (size_t)n * sizeof *ids);
    for (int i = 0; ids && i < n; i++) {
        xt_val v = t->reals ? spe_val_real(t->reals[i]) : spe_val_int(t->integers[i]);
        ids[i] = xt_constant_(x, (int)storage, &v);
    }
    if (!ids) return 0;
    spe_id array = spe_array(&x->m, xt_spe_type_(x, (int)storage), (uint32_t)n);
    return spe_global_var(&x->m, SPE_StorageClassUniformConstant, array,
                          spe_composite_const(&x->m, array, (uint32_t)n, ids));
}

static cm_matrix xt_table_block_(xt_ctx *x, const xt_fragments_ *r, const xt_block_ *b, spe_id array)
{
    spe_module *m = &x->m;
    cm_type storage = xt_storage_type_(r->type);
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, storage, CM_ACC);
    spe_id *v = (spe_id *)xt_memory_(x, (size_t)l.size_v * sizeof *v), place[2], at[2];
    int first[2] = {b->row, b->col};
    for (int j = 0; j < 2; j++) {
        spe_id from = spe_i32(m, first[j]);
        place[j] = spe_iadd(m, xt_piece_offset_id_(x, &r->dist, j), from);
    }
    spe_id last = spe_i32(m, r->dist.shape[0] * r->dist.shape[1] - 1);
    for (int i = 0; v && i < l.size_v; i++) {
        at[0] = spe_iadd(m, cm_col_index(&x->cm, &l, i), place[0]);
        at[1] = spe_iadd(m, cm_row_index(&x->cm, &l, i), place[1]);
        at[0] = spe_iadd(m, spe_imul(m, at[0], spe_i32(m, r->dist.shape[1])), at[1]);
        if (l.size_i < l.lanes || b->valid < b->cols) at[0] = spe_math2(m, SPE_SMIN, at[0], last); /* padding */
        v[i] = spe_load(m, spe_element(m, array, 1, at), (uint32_t)xt_bytes_(r->type));
    }
    return v && spe_ok(m) ? cm_from_components(&x->cm, &l, v) : cm_poison();
}

XE_FN_ void xt_write_table_(xt_ctx *x, const xt_node_ *n)
{
    const xt_table_of_ *t = n->table;
    xt_fragments_ r = xt_make_vec_(x, n);
    if (!*t->array)
        *t->array = xt_emit_table_(x, xt_storage_type_(r.type), t, r.dist.shape[0] * r.dist.shape[1]);
    for (xt_block_ b = xt_blocks_(x, &r.dist); r.blocks && xt_next_block_(&b);)
        r.block[b.i] = xt_table_block_(x, &r, &b, *t->array);
    xt_define_vec_(x, n->result, xt_finish_vec_(x, r));
}
